// SPDX-License-Identifier: MIT
/*
 * What libgaudi costs on a card, beside the same done by libhl-thunk alone, as
 * diagnostics of TAP: "# NAME OURS PEER UNIT", medians of samples that are taken
 * in turns. It passes if all of it works. tests/bench/parts/runtime makes rows of
 * these lines.
 */
#include <errno.h>
#include <sys/mman.h>

#include "gaudi_graph.h"
#include "hlthunk.h"
#include "packets.h"
#include "recipes.h"

#define SAMPLES	61
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

/*
 * In turns, in pairs, each of which begins with the one that ended the pair before;
 * the first is for warming up. What is ours is the median; the peer's is that much
 * better or worse as the median pair says: what disturbs the machine for longer
 * than a pair takes disturbs both.
 */
static void measure(void (*ours)(size_t), void (*peer)(size_t), size_t arg,
		    double result[2])
{
	double samples[SAMPLES], ratios[SAMPLES];

	for (int i = -1; i < SAMPLES; i++) {
		bool peer_first = i & 1;
		double a, b = 0;

		if (peer && peer_first)
			b = seconds_of(peer, arg);
		a = seconds_of(ours, arg);
		if (peer && !peer_first)
			b = seconds_of(peer, arg);
		if (i < 0)
			continue;
		samples[i] = a;
		ratios[i] = b / a;
	}
	qsort(samples, SAMPLES, sizeof(double), by_value);
	qsort(ratios, SAMPLES, sizeof(double), by_value);
	result[0] = samples[SAMPLES / 2];
	result[1] = result[0] * ratios[SAMPLES / 2];
}

static void line(const char *name, double ours, double peer, const char *unit)
{
	printf("# %s %.4f %.4f %s\n", name, ours, peer, unit);
	fflush(stdout);
}

static void times(const char *name, void (*ours)(size_t), void (*peer)(size_t),
		  size_t count)
{
	double result[2];

	measure(ours, peer, count, result);
	line(name, result[0] / (double)count * 1e6,
	     result[1] / (double)count * 1e6, "us");
}

static void rates(const char *name, void (*ours)(size_t), void (*peer)(size_t),
		  size_t size)
{
	double result[2];

	measure(ours, peer, size, result);
	line(name, (double)size / 1e9 / result[0],
	     (double)size / 1e9 / result[1], "GB/s");
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

static void replay(void)
{
	GOOD(gaudi_stream_begin_capture(stream));
	for (unsigned int j = 0; j < OPS; j++)
		GOOD(gaudi_fill_async(stream, device_memory + 8 * j, j, 8, 1));
	GOOD(gaudi_stream_end_capture(stream, &graph));
	times("replay", replayed, one_by_one, 5);
	GOOD(gaudi_graph_destroy(graph));
}

static void copies(void)
{
	static const size_t sizes[] = { 4 * MIB, 16 * MIB, 64 * MIB };
	char name[64];

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t size = sizes[i], mib = size / (size_t)MIB;

		snprintf(name, sizeof(name), "pinned_up_%zu", mib);
		rates(name, pinned_up, raw_up, size);
		snprintf(name, sizeof(name), "pinned_down_%zu", mib);
		rates(name, pinned_down, raw_down, size);
		snprintf(name, sizeof(name), "pageable_up_%zu", mib);
		rates(name, plain_up, raw_up, size);
		snprintf(name, sizeof(name), "pageable_down_%zu", mib);
		rates(name, plain_down, raw_down, size);
	}
}

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

int main(void)
{
	set_up();
	copies();
	times("submit_and_wait", submit_and_wait, raw_submit_and_wait, 100);
	times("flood", flood, raw_flood, 500);
	times("batch", batch, raw_flood, 500);
	allocations();
	launches("chain", chain_recipe(NODES), chain_recipe(FEW));
	launches("loose", loose_recipe(NODES), loose_recipe(FEW));
	replay();

	GOOD(gaudi_device_close(dev));
	puts("1..1\nok 1 - everything was measured");

	return 0;
}
