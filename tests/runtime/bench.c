// SPDX-License-Identifier: MIT
/*
 * What libgaudi costs on a card, beside the same done by libhl-thunk alone, as
 * diagnostics of TAP: "# NAME OURS PEER UNIT", medians of samples that are taken
 * in turns. It passes if all of it works. tests/bench/parts/runtime makes rows of
 * these lines.
 *
 *   bench [ROUNDS]	the more rounds (1), the more samples
 *   bench launchers	20,000 of them, which takes a while
 */
#include <errno.h>
#include <sys/mman.h>

#include "gaudi_graph.h"
#include "hlthunk.h"
#include "packets.h"
#include "recipes.h"

#define SAMPLES	61
#define MAX_ROUNDS	64
#define LAUNCHES	51
#define NODES	1000u
#define FEW	10u
#define OPS	100u

static struct gaudi_device *dev;
static struct gaudi_stream *stream;
static gaudi_ptr device_memory;
static void *pinned, *plain;
static uint64_t pinned_address;

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double seconds_of(void (*fn)(size_t), size_t arg)
{
	double begin = now();

	fn(arg);

	return now() - begin;
}

static void line(const char *name, double ours, double peer, const char *unit)
{
	printf("# %s %.4f %.4f %s\n", name, ours, peer, unit);
	fflush(stdout);
}

/* Something that both do, so many times each in one round. */
struct pair {
	const char *name;
	void (*ours)(size_t arg);
	void (*peer)(size_t arg);
	size_t arg;		/* bytes, or how often one sample does it */
	bool rate;		/* GB/s; else the time of each, in us */
	unsigned int turns;
};

/* What each turn took of us, and how much longer the peer. */
struct samples {
	unsigned int count;
	double *times, *ratios;
};

/*
 * In turns, each of which begins with the one that ended the turn before; the first
 * is for warming up.
 */
static void take_turns(const struct pair *p, struct samples *s)
{
	for (unsigned int i = 0; i <= p->turns; i++) {
		double ours, peer = 0;

		if (i & 1)
			peer = seconds_of(p->peer, p->arg);
		ours = seconds_of(p->ours, p->arg);
		if (!(i & 1))
			peer = seconds_of(p->peer, p->arg);
		if (!i)
			continue;
		s->times[s->count] = ours;
		s->ratios[s->count++] = peer / ours;
	}
}

/*
 * What is ours is the median; the peer's is that much better or worse as the median
 * turn says: what disturbs the machine for longer than a turn takes disturbs both.
 */
static void pair_line(const struct pair *p, struct samples *s)
{
	double ours, peer, per = (double)p->arg;

	qsort(s->times, s->count, sizeof(double), by_value);
	qsort(s->ratios, s->count, sizeof(double), by_value);
	ours = s->times[s->count / 2];
	peer = ours * s->ratios[s->count / 2];
	if (p->rate)
		line(p->name, per / 1e9 / ours, per / 1e9 / peer, "GB/s");
	else
		line(p->name, ours / per * 1e6, peer / per * 1e6, "us");
}

/*
 * All of them, round after round: caches and neighbours have times that are longer
 * than a few turns, of which each row gets its share.
 */
static void measure(const struct pair *pairs, size_t num, unsigned int rounds)
{
	struct samples *samples = calloc(num, sizeof(*samples));

	if (!samples)
		abort();
	for (size_t i = 0; i < num; i++) {
		size_t count = (size_t)rounds * pairs[i].turns;

		samples[i].times = calloc(count, sizeof(double));
		samples[i].ratios = calloc(count, sizeof(double));
		if (!samples[i].times || !samples[i].ratios)
			abort();
	}
	for (unsigned int round = 0; round < rounds; round++)
		for (size_t i = 0; i < num; i++)
			take_turns(&pairs[i], &samples[i]);
	for (size_t i = 0; i < num; i++) {
		pair_line(&pairs[i], &samples[i]);
		free(samples[i].times);
		free(samples[i].ratios);
	}
	free(samples);
}

/*
 * By libhl-thunk alone
 */
static struct raw {
	uint64_t handle;
	void *memory;
} raw;

#define RAW_SIZE	(64 * 1024)

static uint64_t raw_give(uint32_t queue, const struct pkt_buf *pb)
{
	struct hl_cs_chunk chunk = {
		.cb_handle = raw.handle,
		.queue_index = queue,
		.cb_size = (uint32_t)pb->used,
	};
	struct hlthunk_cs_in in = {
		.chunks_execute = &chunk,
		.num_chunks_execute = 1,
	};
	struct hlthunk_cs_out out = {};

	if (hlthunk_command_submission(gaudi_device_fd(dev), &in, &out))
		abort();

	return out.seq;
}

static void raw_wait(uint64_t seq)
{
	uint32_t status;

	if (hlthunk_wait_for_cs(gaudi_device_fd(dev), seq, 60000000, &status))
		abort();
}

static void raw_up(size_t size)
{
	struct pkt_buf pb;

	pkt_init(&pb, raw.memory, RAW_SIZE);
	pkt_lin_dma(&pb, pinned_address, device_memory, (uint32_t)size, 0);
	raw_wait(raw_give(GAUDI_QUEUE_ID_DMA_0_0, &pb));
}

static void raw_down(size_t size)
{
	struct pkt_buf pb;

	pkt_init(&pb, raw.memory, RAW_SIZE);
	pkt_lin_dma(&pb, device_memory, pinned_address, (uint32_t)size, 0);
	raw_wait(raw_give(GAUDI_QUEUE_ID_DMA_1_0, &pb));
}

/* A buffer that is written once and submitted again and again. */
static void raw_small(struct pkt_buf *pb)
{
	pkt_init(pb, raw.memory, RAW_SIZE);
	pkt_memset(pb, 0, device_memory, 8, 0);
}

static void raw_submit_and_wait(size_t count)
{
	struct pkt_buf pb;

	raw_small(&pb);
	for (size_t i = 0; i < count; i++)
		raw_wait(raw_give(GAUDI_QUEUE_ID_DMA_1_0, &pb));
}

static void raw_flood(size_t count)
{
	uint64_t seq = 0;
	struct pkt_buf pb;

	raw_small(&pb);
	for (size_t i = 0; i < count; i++)
		seq = raw_give(GAUDI_QUEUE_ID_DMA_1_0, &pb);
	raw_wait(seq);
}

/* The packets of a chain of so many copies, each after the one before. */
static void raw_chain(size_t nodes)
{
	struct pkt_buf pb;

	pkt_init(&pb, raw.memory, RAW_SIZE);
	for (size_t i = 0; i < nodes; i++)
		pkt_lin_dma(&pb, device_memory + 64 * (i % 2),
			    device_memory + 64 * ((i + 1) % 2), 64,
			    GAUDI_PKT_CTL_EB);
	raw_wait(raw_give(GAUDI_QUEUE_ID_DMA_1_0, &pb));
}

/*
 * By libgaudi
 */
static void submit_and_wait(size_t count)
{
	for (size_t i = 0; i < count; i++) {
		GOOD(gaudi_fill_async(stream, device_memory, 0, 8, 1));
		GOOD(gaudi_stream_synchronize(stream));
	}
}

static void flood(size_t count)
{
	for (size_t i = 0; i < count; i++)
		GOOD(gaudi_fill_async(stream, device_memory, 0, 8, 1));
	GOOD(gaudi_stream_synchronize(stream));
}

static void batch(size_t count)
{
	GOOD(gaudi_stream_begin_batch(stream));
	flood(count);
	GOOD(gaudi_stream_end_batch(stream));
}

static void pinned_up(size_t size)
{
	GOOD(gaudi_copy_to_device_async(stream, device_memory, pinned, size));
	GOOD(gaudi_stream_synchronize(stream));
}

static void pinned_down(size_t size)
{
	GOOD(gaudi_copy_to_host_async(stream, pinned, device_memory, size));
	GOOD(gaudi_stream_synchronize(stream));
}

static void plain_up(size_t size)
{
	GOOD(gaudi_copy_to_device(dev, device_memory, plain, size));
}

static void plain_down(size_t size)
{
	GOOD(gaudi_copy_to_host(dev, plain, device_memory, size));
}

static gaudi_ptr blocks[256];

static void take_blocks(size_t count)
{
	for (size_t i = 0; i < count; i++)
		GOOD(gaudi_malloc(dev, 512 * (i % 37 + 1), &blocks[i]));
}

static void give_blocks(size_t count)
{
	for (size_t i = 0; i < count; i++)
		GOOD(gaudi_free(dev, blocks[i]));
}

static void allocations(void)
{
	const size_t count = sizeof(blocks) / sizeof(blocks[0]);
	double samples[2][SAMPLES];

	for (int i = -1; i < SAMPLES; i++) {
		double a = seconds_of(take_blocks, count);
		double b = seconds_of(give_blocks, count);

		if (i < 0)
			continue;
		samples[0][i] = a / (double)count * 1e6;
		samples[1][i] = b / (double)count * 1e6;
	}
	for (int i = 0; i < 2; i++)
		qsort(samples[i], SAMPLES, sizeof(double), by_value);
	line("malloc", samples[0][SAMPLES / 2], 0, "us");
	line("free", samples[1][SAMPLES / 2], 0, "us");
}

/* @nodes small copies that have nothing to do with each other. */
static struct gaudi_recipe *loose_recipe(unsigned int nodes)
{
	struct making m = begin_recipe("loose");
	uint32_t in = tensor(&m, "in", IN, DEVICE, 64 * nodes, NULL);
	uint32_t out = tensor(&m, "out", OUT, DEVICE, 64 * nodes, NULL);

	for (unsigned int i = 0; i < nodes; i++)
		GOOD(gaudi_builder_add_copy_bytes(m.b, out, 64ull * i, in,
						  64ull * i, 64, NULL));

	return end_recipe(&m);
}

static struct gaudi_launcher *bound(struct gaudi_recipe *recipe)
{
	struct gaudi_launcher *l;

	GOOD(gaudi_launcher_create(dev, recipe, &l));
	GOOD(gaudi_recipe_release(recipe));
	GOOD(gaudi_launcher_bind(l, (struct gaudi_binding[]) {
		{ .name = "in", .address = device_memory },
		{ .name = "out", .address = device_memory + 1 * MIB } }, 2));

	return l;
}

static void launch_and_wait(struct gaudi_launcher *l, double *call,
			    double *whole)
{
	double begin = now();

	GOOD(gaudi_launch(l, NULL, 0, stream));
	*call = now() - begin;
	GOOD(gaudi_stream_synchronize(stream));
	*whole = now() - begin;
}

/*
 * What a large recipe costs beside a small one: launched and waited for, where the
 * time that the card takes for as many packets more, as libhl-thunk sees it,
 * counts for the small one; and the call alone.
 */
static void launches(const char *kind, struct gaudi_recipe *large,
		     struct gaudi_recipe *small)
{
	enum { LARGE, SMALL, CALL_LARGE, CALL_SMALL, RAW_LARGE, RAW_SMALL, ALL };
	struct gaudi_launcher *many = bound(large), *few = bound(small);
	double samples[ALL][LAUNCHES], median[ALL], more;
	char name[64];

	for (int i = -3; i < LAUNCHES; i++) {
		int at = i < 0 ? 0 : i;

		launch_and_wait(many, &samples[CALL_LARGE][at],
				&samples[LARGE][at]);
		samples[RAW_LARGE][at] = seconds_of(raw_chain, NODES);
		launch_and_wait(few, &samples[CALL_SMALL][at],
				&samples[SMALL][at]);
		samples[RAW_SMALL][at] = seconds_of(raw_chain, FEW);
	}
	for (int i = 0; i < ALL; i++) {
		qsort(samples[i], LAUNCHES, sizeof(double), by_value);
		median[i] = samples[i][LAUNCHES / 2] * 1e6;
	}
	more = median[RAW_LARGE] - median[RAW_SMALL];
	snprintf(name, sizeof(name), "launch_%s", kind);
	line(name, median[LARGE], median[SMALL] + (more > 0 ? more : 0), "us");
	snprintf(name, sizeof(name), "launch_call_%s", kind);
	line(name, median[CALL_LARGE], median[CALL_SMALL], "us");
	snprintf(name, sizeof(name), "raw_%s", kind);
	line(name, median[RAW_LARGE], median[RAW_SMALL], "us");
	GOOD(gaudi_launcher_destroy(many));
	GOOD(gaudi_launcher_destroy(few));
}

static struct gaudi_launcher *crowd[20000];

static void in_turn(size_t count)
{
	for (size_t i = 0; i < count; i++)
		GOOD(gaudi_launch(crowd[i], NULL, 0, stream));
	GOOD(gaudi_stream_synchronize(stream));
}

/* A kernel of few elements, launched by a thousand launchers in turn and by all. */
static void launchers(void)
{
	enum { FEW_OF_THEM = 1000, TURNS = 5 };
	const size_t all = sizeof(crowd) / sizeof(crowd[0]);
	struct making m = begin_recipe("crowd");
	struct gaudi_tensor_desc d = {
		.size = sizeof(d), .type = GAUDI_TYPE_F32, .rank = 1,
		.dims = { 64 }, .name = "in", .kind = IN,
	};
	double few[TURNS], many[TURNS];
	struct gaudi_recipe *recipe;
	uint32_t ids[3];

	GOOD(gaudi_builder_add_tensor(m.b, &d, &ids[0]));
	ids[1] = ids[0];
	d.name = "out";
	d.kind = OUT;
	GOOD(gaudi_builder_add_tensor(m.b, &d, &ids[2]));
	GOOD(gaudi_builder_add_library_kernel(m.b, "add_f32", 3, ids, 0, NULL,
					      NULL));
	recipe = end_recipe(&m);
	for (size_t i = 0; i < all; i++) {
		gaudi_recipe_retain(recipe);
		crowd[i] = bound(recipe);
	}
	GOOD(gaudi_recipe_release(recipe));
	in_turn(all);
	for (int i = 0; i < TURNS; i++) {
		/* Sync objects change hands first. */
		in_turn(FEW_OF_THEM);
		few[i] = seconds_of(in_turn, FEW_OF_THEM) / FEW_OF_THEM * 1e6;
		many[i] = seconds_of(in_turn, all) / (double)all * 1e6;
	}
	qsort(few, TURNS, sizeof(double), by_value);
	qsort(many, TURNS, sizeof(double), by_value);
	line("launchers", many[TURNS / 2], few[TURNS / 2], "us");
	for (size_t i = 0; i < all; i++)
		GOOD(gaudi_launcher_destroy(crowd[i]));
}

static struct gaudi_graph *graph;

static void one_by_one(size_t count)
{
	for (size_t i = 0; i < count; i++) {
		for (unsigned int j = 0; j < OPS; j++)
			GOOD(gaudi_fill_async(stream, device_memory + 8 * j, j,
					      8, 1));
		GOOD(gaudi_stream_synchronize(stream));
	}
}

static void replayed(size_t count)
{
	for (size_t i = 0; i < count; i++) {
		GOOD(gaudi_graph_launch(graph, stream));
		GOOD(gaudi_stream_synchronize(stream));
	}
}

static void replay(unsigned int rounds)
{
	const struct pair pair = { "replay", replayed, one_by_one, 5, false, 8 };

	GOOD(gaudi_stream_begin_capture(stream));
	for (unsigned int j = 0; j < OPS; j++)
		GOOD(gaudi_fill_async(stream, device_memory + 8 * j, j, 8, 1));
	GOOD(gaudi_stream_end_capture(stream, &graph));
	measure(&pair, 1, rounds);
	GOOD(gaudi_graph_destroy(graph));
}

static const struct pair pairs[] = {
	{ "pinned_up_4", pinned_up, raw_up, 4 * MIB, true, 24 },
	{ "pinned_down_4", pinned_down, raw_down, 4 * MIB, true, 24 },
	{ "pageable_up_4", plain_up, raw_up, 4 * MIB, true, 24 },
	{ "pageable_down_4", plain_down, raw_down, 4 * MIB, true, 24 },
	{ "pinned_up_16", pinned_up, raw_up, 16 * MIB, true, 24 },
	{ "pinned_down_16", pinned_down, raw_down, 16 * MIB, true, 24 },
	{ "pageable_up_16", plain_up, raw_up, 16 * MIB, true, 24 },
	{ "pageable_down_16", plain_down, raw_down, 16 * MIB, true, 24 },
	{ "pinned_up_64", pinned_up, raw_up, 64 * MIB, true, 8 },
	{ "pinned_down_64", pinned_down, raw_down, 64 * MIB, true, 8 },
	{ "pageable_up_64", plain_up, raw_up, 64 * MIB, true, 8 },
	{ "pageable_down_64", plain_down, raw_down, 64 * MIB, true, 8 },
	{ "submit_and_wait", submit_and_wait, raw_submit_and_wait, 100, false,
	  12 },
	{ "flood", flood, raw_flood, 500, false, 8 },
	{ "batch", batch, raw_flood, 500, false, 2 },
};

static void set_up(void)
{
	size_t most = 64 * MIB;

	GOOD(gaudi_device_open(0, 60000, &dev));
	GOOD(gaudi_stream_create(dev, &stream));
	GOOD(gaudi_host_alloc(dev, most, &pinned));
	GOOD(gaudi_host_get_device_address(dev, pinned, &pinned_address));
	GOOD(gaudi_malloc(dev, most, &device_memory));
	plain = malloc(most);
	memset(plain, 1, most);
	memset(pinned, 1, most);
	if (hlthunk_request_command_buffer(gaudi_device_fd(dev), RAW_SIZE,
					   &raw.handle))
		abort();
	raw.memory = mmap(NULL, RAW_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED,
			  gaudi_device_fd(dev), (off_t)raw.handle);
	if (raw.memory == MAP_FAILED)
		abort();
}

static void measure_all(unsigned int rounds)
{
	measure(pairs, sizeof(pairs) / sizeof(pairs[0]), rounds);
	allocations();
	launches("chain", chain_recipe(NODES), chain_recipe(FEW));
	launches("loose", loose_recipe(NODES), loose_recipe(FEW));
	replay(rounds);
}

int main(int argc, char **argv)
{
	bool crowded = argc > 1 && !strcmp(argv[1], "launchers");
	int rounds = argc > 1 && !crowded ? atoi(argv[1]) : 1;

	if (argc > 2 || rounds < 1 || rounds > MAX_ROUNDS) {
		fprintf(stderr, "usage: %s [ROUNDS], 1 to %d, or %s launchers\n",
			argv[0], MAX_ROUNDS, argv[0]);
		return 2;
	}
	set_up();
	if (crowded)
		launchers();
	else
		measure_all((unsigned int)rounds);

	GOOD(gaudi_device_close(dev));
	puts("1..1\nok 1 - everything was measured");

	return 0;
}
