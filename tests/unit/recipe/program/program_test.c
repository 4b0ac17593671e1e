// SPDX-License-Identifier: GPL-2.0-only
/*
 * Drafts and programs: what is written for which nodes and edges, and what
 * is refused when it is patched. Random drafts are run on the machine.
 */
#include <errno.h>

#include "../../unit.h"
#include "gaudi.h"
#include "machine.h"
#include "program/program_item.h"

#define BUFFER	4096u
#define BUFFERS	6u
/* In a draft that has two programs side by side in it. */
#define ALL	(2 * BUFFERS)

static struct prog_draft *d;
static struct program p;

static int begin(void **state)
{
	(void)state;

	return prog_draft_create(BUFFERS, 2, &d);
}

static int end(void **state)
{
	(void)state;
	prog_draft_destroy(d);
	program_free(&p);

	return 0;
}

#define PROGRAM_TEST(fn) TEST_WITH(fn, begin, end)

static uint32_t node(uint32_t engine)
{
	uint32_t n;

	WORKS(prog_draft_node(d, engine, &n));

	return n;
}

static uint32_t copy_node(uint32_t engine, uint32_t to, uint32_t from)
{
	uint32_t n = node(engine);

	WORKS(prog_draft_copy(d, (struct prog_place) { to, 0 },
			      (struct prog_place) { from, 0 }, 64));

	return n;
}

static void edge(uint32_t first, uint32_t then)
{
	WORKS(prog_draft_edge(d, first, then));
}

static int check(void)
{
	struct prog_buffer buffers[ALL];
	uint32_t i;

	for (i = 0; i < ALL; i++)
		buffers[i] = (struct prog_buffer) { "b", BUFFER, true };

	return program_check(&p, buffers);
}

static void finish(void)
{
	WORKS(prog_draft_finish(d, &p));
	if (check())
		fail_msg("%s", gaudi_last_error(NULL));
}

static uint32_t count(uint32_t engine, enum prog_item_kind kind)
{
	uint32_t i, n = 0;

	for (i = 0; i < p.num_streams; i++) {
		struct prog_cursor c = {};
		struct prog_item item;

		if (p.streams[i].engine != engine)
			continue;
		while (prog_item_next(&p.streams[i], &c, &item) == 1)
			n += item.kind == kind;
	}

	return n;
}

static uint32_t barriers(uint32_t engine)
{
	uint32_t i, n = 0;

	for (i = 0; i < p.num_streams; i++) {
		struct prog_cursor c = {};
		struct prog_item item;

		if (p.streams[i].engine != engine)
			continue;
		while (prog_item_next(&p.streams[i], &c, &item) == 1)
			n += item.barrier;
	}

	return n;
}

PROGRAM_TEST(nothing)
{
	finish();
	assert_int_equal(p.num_streams, 1);
	assert_int_equal(p.streams[0].engine, PROG_LAST);
	assert_int_equal(p.streams[0].size, 0);
	assert_int_equal(p.num_sobs, 0);
}

/* One engine orders its own: by barriers, and only where there are edges. */
PROGRAM_TEST(one_engine)
{
	uint32_t a, b;

	a = copy_node(PROG_LAST, 0, 1);
	copy_node(PROG_LAST, 2, 1);
	b = copy_node(PROG_LAST, 3, 0);
	edge(a, b);
	finish();
	assert_int_equal(p.num_streams, 1);
	assert_int_equal(p.num_sobs, 0);
	assert_int_equal(p.streams[0].size, 3 * 24);
	assert_int_equal(barriers(PROG_LAST), 1);
}

PROGRAM_TEST(two_engines)
{
	uint32_t a, b;

	a = copy_node(PROG_TO_DEVICE, 0, 1);
	b = copy_node(PROG_LAST, 2, 0);
	edge(a, b);
	finish();
	assert_int_equal(p.num_streams, 2);
	assert_int_equal(p.num_sobs, 2);
	assert_int_equal(count(PROG_TO_DEVICE, PROG_ITEM_WAIT), 1);
	assert_int_equal(count(PROG_TO_DEVICE, PROG_ITEM_SIGNAL), 1);
	assert_int_equal(count(PROG_LAST, PROG_ITEM_SIGNAL), 1);
	/* For the edge; the end of DMA_0 is the same signal. */
	assert_int_equal(count(PROG_LAST, PROG_ITEM_WAIT), 1);
	assert_int_equal(count(PROG_LAST, PROG_ITEM_RESET), 2);
}

/* What is known by way of another engine is not waited for again. */
PROGRAM_TEST(waits_are_few)
{
	uint32_t a, b, c;

	a = copy_node(PROG_DMA_2, 0, 1);
	b = copy_node(PROG_DMA_3, 2, 0);
	edge(a, b);
	c = copy_node(PROG_DMA_4, 3, 2);
	edge(a, c);
	edge(b, c);
	c = copy_node(PROG_DMA_4, 4, 2);
	edge(b, c);
	finish();
	assert_int_equal(count(PROG_DMA_3, PROG_ITEM_WAIT), 2);
	assert_int_equal(count(PROG_DMA_4, PROG_ITEM_WAIT), 2);
	assert_int_equal(count(PROG_DMA_2, PROG_ITEM_SIGNAL), 1);
}

/* A node without work passes on what it waits for, also on its own engine. */
PROGRAM_TEST(empty_nodes)
{
	uint32_t a, b, c;

	a = copy_node(PROG_DMA_2, 0, 1);
	b = node(PROG_DMA_2);
	edge(a, b);
	c = copy_node(PROG_DMA_2, 2, 0);
	edge(b, c);
	/* Its barrier is nobody's: who comes after both needs one of its own. */
	a = copy_node(PROG_DMA_3, 0, 1);
	b = node(PROG_DMA_3);
	edge(a, b);
	c = copy_node(PROG_DMA_3, 2, 0);
	edge(a, c);
	finish();
	assert_int_equal(barriers(PROG_DMA_2), 1);
	assert_int_equal(barriers(PROG_DMA_3), 1);
}

PROGRAM_TEST(large_copies_are_split)
{
	struct prog_buffer buffers[BUFFERS];
	struct prog_cursor c = {};
	struct prog_item item;
	uint64_t size = (uint64_t)PROG_MAX_DMA * 2 + 5;
	uint32_t i;

	node(PROG_LAST);
	WORKS(prog_draft_copy(d, (struct prog_place) { 0, 7 },
			      (struct prog_place) { 1, 9 }, size));
	WORKS(prog_draft_finish(d, &p));
	for (i = 0; i < BUFFERS; i++)
		buffers[i] = (struct prog_buffer) { "b", size + 9, true };
	WORKS(program_check(&p, buffers));
	assert_int_equal(prog_item_next(&p.streams[0], &c, &item), 1);
	assert_int_equal(prog_item_next(&p.streams[0], &c, &item), 1);
	assert_int_equal(prog_item_next(&p.streams[0], &c, &item), 1);
	assert_int_equal(item.size, 5);
	assert_true(item.src->addend == (uint64_t)PROG_MAX_DMA * 2 + 9);
	assert_true(item.dst->addend == (uint64_t)PROG_MAX_DMA * 2 + 7);
	assert_int_equal(prog_item_next(&p.streams[0], &c, &item), 0);
	/* One byte less is too little. */
	buffers[1].size--;
	assert_int_equal(program_check(&p, buffers), GAUDI_ERR_RECIPE);
}

/* More signals than a sync object can count. */
PROGRAM_TEST(many_signals)
{
	uint32_t i, a, b;

	for (i = 0; i < PROG_SOB_MAX + 10; i++) {
		a = copy_node(PROG_DMA_2, 0, 1);
		b = copy_node(PROG_DMA_3, 2, 0);
		edge(a, b);
	}
	finish();
	assert_int_equal(count(PROG_DMA_2, PROG_ITEM_SIGNAL), i);
	/* DMA_1, two of DMA_2, one of DMA_3 */
	assert_int_equal(p.num_sobs, 4);
	assert_int_equal(count(PROG_LAST, PROG_ITEM_RESET), 4);
}

PROGRAM_TEST(bad_drafts)
{
	uint32_t n;

	assert_int_equal(prog_draft_node(d, PROG_NUM_ENGINES, &n), -EINVAL);
	n = node(PROG_LAST);
	assert_int_equal(prog_draft_edge(d, n, n), -EINVAL);
	assert_int_equal(prog_draft_edge(d, n, n + 1), -EINVAL);
	assert_int_equal(prog_draft_edge(d, n + 1, n), -EINVAL);
}

/* --- patching --------------------------------------------------------- */

static void two_streams(void)
{
	uint32_t a, b;

	a = copy_node(PROG_DMA_2, 0, 1);
	b = copy_node(PROG_LAST, 2, 0);
	edge(a, b);
	WORKS(prog_draft_event(d, 1));
	finish();
}

PROGRAM_TEST(resources_are_checked)
{
	uint32_t sobs[] = { 8, 2047 }, events[] = { 1, 2 };
	struct prog_resources r = {
		.hw_stream = 3,
		.sobs = sobs,
		.events = events,
		.monitors = { 511, 0 },
		.fences = { 0, 3 },
	};
	uint8_t out[512];

	two_streams();
	assert_true(p.streams[0].size <= sizeof(out));
	WORKS(program_instantiate(&p, 0, &r, out));
	r.hw_stream = 4;
	assert_int_equal(program_instantiate(&p, 0, &r, out), -EINVAL);
	r.hw_stream = 0;
	sobs[1] = 2048;
	assert_int_equal(program_instantiate(&p, 0, &r, out), -EINVAL);
	sobs[1] = 0;
	events[0] = 2048;
	assert_int_equal(program_instantiate(&p, 0, &r, out), -EINVAL);
	events[0] = 0;
	r.monitors[1] = 512;
	assert_int_equal(program_instantiate(&p, 0, &r, out), -EINVAL);
	r.monitors[1] = 0;
	r.fences[1] = 4;
	assert_int_equal(program_instantiate(&p, 0, &r, out), -EINVAL);
	assert_string_not_equal(gaudi_last_error(NULL), "");
}

/* Only the packets of the buffer change, and only their address. */
PROGRAM_TEST(binding_changes_what_it_must)
{
	const uint32_t sobs[] = { 3, 4 }, events[] = { 5, 6 };
	const struct prog_resources r = { .sobs = sobs, .events = events };
	uint8_t out[2][512], was[2][512];
	void *packets[] = { out[0], out[1] };
	uint32_t i, j, changed = 0;
	uint64_t word;

	two_streams();
	for (i = 0; i < 2; i++)
		WORKS(program_instantiate(&p, i, &r, out[i]));
	memcpy(was, out, sizeof(out));
	WORKS(program_bind(&p, 1, 0x1122334455667788 & (PROG_ADDRESS_END - 1),
			   packets));
	for (i = 0; i < 2; i++)
		for (j = 0; j < p.streams[i].size; j++)
			changed += out[i][j] != was[i][j];
	assert_int_equal(changed, 7);
	/* DMA_2 is the second stream: a wait, a run, then the copy. */
	memcpy(&word, out[1] + PROG_WAIT_SIZE + 16 + 8, sizeof(word));
	assert_true(word == 0x22334455667788);
	assert_int_equal(program_bind(&p, 1, PROG_ADDRESS_END, packets),
			 -EINVAL);
}

PROGRAM_TEST(splitting)
{
	uint32_t i, at, ends = 0;

	for (i = 0; i < 10; i++)
		copy_node(PROG_LAST, 0, 1);
	finish();
	for (at = 0; at < p.streams[0].size; ends++) {
		uint32_t next = program_split(&p, 0, at, 100);

		assert_int_equal(next - at, at + 96 <= 240 ? 96 : 48);
		at = next;
	}
	assert_int_equal(ends, 3);
	assert_int_equal(program_split(&p, 0, 0, 23), 0);
	assert_int_equal(program_split(&p, 0, 0, 1 << 20), 240);
}

/* --- on the machine --------------------------------------------------- */

struct world {
	uint8_t *memory[ALL];
	uint64_t sizes[ALL], addresses[ALL];
	uint32_t sobs[MACHINE_SOBS];
};

static const char *run(struct world *w, uint32_t seed)
{
	struct machine_memory memory = { p.num_buffers, w->memory, w->sizes,
					 w->addresses };
	uint8_t *packets[PROG_NUM_ENGINES];
	uint32_t sobs[PROG_MAX_SOBS], events[] = { 2000, 2001 }, i;
	struct prog_resources r = {
		.hw_stream = seed % 4,
		.sobs = sobs,
		.events = events,
	};
	const char *wrong;

	for (i = 0; i < p.num_sobs; i++)
		sobs[i] = (seed * 37 + i * 5) % 1999;
	for (i = 0; i < p.num_streams; i++) {
		r.monitors[i] = (seed + i * 50) % MACHINE_MONS;
		r.fences[i] = (seed + i) % 4;
		packets[i] = malloc(p.streams[i].size + 1);
		r.addresses[i] = (uintptr_t)packets[i];
	}
	for (i = 0; i < p.num_streams; i++)
		WORKS(program_instantiate(&p, i, &r, packets[i]));
	for (i = 0; i < p.num_buffers; i++)
		WORKS(program_bind(&p, i, w->addresses[i], (void **)packets));
	wrong = machine_run(&p, &r, packets, &memory, w->sobs, seed);
	for (i = 0; i < p.num_streams; i++)
		free(packets[i]);

	return wrong;
}

/* Nodes with an edge wherever they touch the same buffer, and a reference. */
static void random_draft(uint32_t seed, uint8_t (*want)[BUFFER])
{
	uint32_t x = seed * 747796405u + 1, n, i, nodes;
	uint32_t to[64], from[64];

	nodes = 1 + next_random(&x) % 60;
	for (n = 0; n < nodes; n++) {
		uint32_t size = 1 + next_random(&x) % 300;
		struct prog_place dst, src;

		to[n] = next_random(&x) % BUFFERS;
		from[n] = (to[n] + 1 + next_random(&x) % (BUFFERS - 1)) % BUFFERS;
		dst = (struct prog_place) { to[n], next_random(&x) % 3000 };
		src = (struct prog_place) { from[n], next_random(&x) % 3000 };
		node(next_random(&x) % PROG_MME_0);
		if (next_random(&x) % 4) {
			WORKS(prog_draft_copy(d, dst, src, size));
			memcpy(want[to[n]] + dst.offset,
			       want[from[n]] + src.offset, size);
		} else {
			WORKS(prog_draft_fill(d, dst, n * 0x0101010101010101,
					      size));
			memset(want[to[n]] + dst.offset, (int)n, size);
		}
		for (i = 0; i < n; i++)
			if (to[i] == to[n] || to[i] == from[n] ||
			    from[i] == to[n])
				edge(i, n);
	}
}

static uint8_t want[ALL][BUFFER], have[ALL][BUFFER];

static void begin_memory(struct world *w)
{
	uint32_t i, j;

	memset(w, 0, sizeof(*w));
	for (i = 0; i < ALL; i++) {
		for (j = 0; j < BUFFER; j++)
			want[i][j] = (uint8_t)(i * 31 + j * 7);
		w->memory[i] = have[i];
		w->sizes[i] = BUFFER;
		w->addresses[i] = 0x20000000 + i * 0x10000;
	}
	memcpy(have, want, sizeof(have));
}

static void run_and_compare(struct world *w, uint32_t seed)
{
	const char *wrong = run(w, seed);
	uint32_t i;

	if (wrong)
		fail_msg("seed %u: %s", seed, wrong);
	if (memcmp(want, have, sizeof(want)))
		fail_msg("seed %u: other contents", seed);
	for (i = 0; i < MACHINE_SOBS; i++)
		if (w->sobs[i])
			fail_msg("seed %u: sync object %u is %u", seed, i,
				 w->sobs[i]);
}

TEST(random_drafts)
{
	uint32_t seed;

	for (seed = 1; seed <= 400; seed++) {
		struct world w;

		begin(NULL);
		begin_memory(&w);
		random_draft(seed, want);
		finish();
		run_and_compare(&w, seed);
		end(NULL);
		d = NULL;
	}
}

/* A random program as one of its own. */
static struct program random_program(uint32_t seed, uint8_t (*to)[BUFFER])
{
	struct program made;

	begin(NULL);
	random_draft(seed, to);
	WORKS(prog_draft_event(d, 0));
	WORKS(prog_draft_finish(d, &made));
	prog_draft_destroy(d);
	d = NULL;

	return made;
}

static struct prog_ends join(const struct program *part, uint32_t first,
			     const struct prog_ends *after)
{
	struct prog_ends ends;

	WORKS(prog_draft_program(d, part, first, after->at, after->num, &ends));
	assert_in_range(ends.num, 1, PROG_NUM_ENGINES);

	return ends;
}

/* A node, two programs one after the other and one beside them, and a node. */
TEST(programs_in_drafts)
{
	uint32_t seed, i, last;

	for (seed = 1; seed <= 400; seed++) {
		struct program parts[3];
		struct prog_ends ends, beside;
		struct world w;

		begin_memory(&w);
		memcpy(want[0], want[1], 64);
		parts[0] = random_program(seed, want);
		parts[1] = random_program(seed + 1000, want);
		parts[2] = random_program(seed + 2000, want + BUFFERS);
		memcpy(want[2], want[BUFFERS], 64);
		WORKS(prog_draft_create(ALL, 0, &d));
		ends.num = 1;
		ends.at[0] = copy_node(seed % PROG_MME_0, 0, 1);
		beside = join(&parts[2], BUFFERS, &ends);
		ends = join(&parts[0], 0, &ends);
		ends = join(&parts[1], 0, &ends);
		last = copy_node(seed / 7 % PROG_MME_0, 2, BUFFERS);
		for (i = 0; i < ends.num; i++)
			edge(ends.at[i], last);
		for (i = 0; i < beside.num; i++)
			edge(beside.at[i], last);
		finish();
		run_and_compare(&w, seed);
		for (i = 0; i < 3; i++)
			program_free(&parts[i]);
		end(NULL);
		d = NULL;
	}
}

/* Those that do nothing, and nodes that only pass on what they waited for. */
TEST(programs_that_do_nothing)
{
	struct prog_ends none = {}, ends;
	struct program idle, relay;
	struct world w;
	uint32_t i, last;

	for (i = 0; i < 50; i++) {
		begin(NULL);
		WORKS(prog_draft_finish(d, &idle));
		prog_draft_destroy(d);
		/* DMA_3 only stands between the two copies. */
		begin(NULL);
		copy_node(PROG_DMA_2, 1, 0);
		edge(0, node(PROG_DMA_3));
		copy_node(PROG_DMA_4, 2, 1);
		edge(1, 2);
		WORKS(prog_draft_finish(d, &relay));
		prog_draft_destroy(d);
		begin(NULL);
		begin_memory(&w);
		memcpy(want[1], want[0], 64);
		memcpy(want[2], want[1], 64);
		memcpy(want[3], want[2], 64);
		ends = join(&idle, 0, &none);
		ends = join(&relay, 0, &ends);
		ends = join(&idle, 0, &ends);
		last = copy_node(PROG_DMA_3, 3, 2);
		for (uint32_t e = 0; e < ends.num; e++)
			edge(ends.at[e], last);
		finish();
		run_and_compare(&w, i + 1);
		program_free(&idle);
		program_free(&relay);
		end(NULL);
		d = NULL;
	}
}

/* What a node waits for later ones of its engine wait for, though it does nothing. */
PROGRAM_TEST(empty_nodes_pass_on_barriers)
{
	copy_node(PROG_DMA_2, 1, 0);
	edge(0, node(PROG_DMA_2));
	copy_node(PROG_DMA_2, 2, 1);
	copy_node(PROG_DMA_2, 3, 1);
	finish();
	assert_int_equal(barriers(PROG_DMA_2), 1);
}

/* The machine sees it when an edge is missing: else it would prove nothing. */
PROGRAM_TEST(machine_sees_missing_edges)
{
	uint32_t seed, i, seen = 0;

	copy_node(PROG_DMA_2, 1, 0);
	copy_node(PROG_DMA_3, 2, 1);
	finish();
	for (seed = 1; seed < 50; seed++) {
		struct world w = {};

		for (i = 0; i < BUFFERS; i++) {
			memset(have[i], (int)i, BUFFER);
			w.memory[i] = have[i];
			w.sizes[i] = BUFFER;
			w.addresses[i] = 0x20000000 + i * 0x10000;
		}
		assert_null(run(&w, seed));
		seen += have[2][0] != 0;
	}
	assert_in_range(seen, 1, 48);
}
