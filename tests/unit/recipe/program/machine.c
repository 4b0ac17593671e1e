// SPDX-License-Identifier: GPL-2.0-only

#include "../../unit.h"
#include "machine.h"
#include "mme/mme_desc.h"
#include "recipe/recipe.h"
#include "../mme/mme_machine.h"

#define MAX_PENDING	64

#define MAX_RUNS	3

enum { WREG_32 = 1, WREG_BULK = 2, MSG_SHORT = 4, CP_DMA = 5, FENCE = 8, LIN_DMA = 9, NOP = 10 };

/* A copy that an engine has been given and will do some time. */
struct pending {
	uint64_t src, dst;
	uint32_t size;
	int memset;
};

struct run {
	const uint8_t *at, *end;
};

/*
 * An upper command processor and, on internal queues, a lower one that takes
 * runs in order. Only the one that has no other above or below does both.
 */
struct engine {
	const uint8_t *packets;
	uint64_t address;
	uint32_t size, at, whole;
	int external;
	struct run runs[MAX_RUNS];
	unsigned int num_runs;
	uint64_t fence_addr;		/* of counter 0 */
	uint32_t fence[4];
	struct pending pending[MAX_PENDING];
	unsigned int num_pending;
	uint32_t kind;
	uint32_t words[MME_DESC_WORDS];	/* of a matrix engine */
	struct mme_machine *mme;
};

struct monitor {
	uint32_t lo, hi, data;
	uint32_t sob, value;
	int armed;
};

struct machine {
	struct engine engines[PROG_NUM_ENGINES];
	uint32_t num;
	struct monitor mons[MACHINE_MONS];
	uint32_t *sobs;
	const struct machine_memory *memory;
	const char *wrong;
};

uint32_t next_random(uint32_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 17;
	*x ^= *x << 5;

	return *x >> 3;
}

static uint32_t word(const uint8_t *p, unsigned int n)
{
	return p[4 * n] | p[4 * n + 1] << 8 | p[4 * n + 2] << 16 |
	       (uint32_t)p[4 * n + 3] << 24;
}

static uint8_t *at_address(struct machine *m, uint64_t address, uint32_t size)
{
	uint32_t i;

	for (i = 0; i < m->memory->num; i++) {
		uint64_t off = address - m->memory->addresses[i];

		if (address >= m->memory->addresses[i] &&
		    off <= m->memory->sizes[i] &&
		    size <= m->memory->sizes[i] - off)
			return m->memory->memory[i] + off;
	}
	m->wrong = "a copy goes beyond the buffers";

	return NULL;
}

static void do_copy(struct machine *m, const struct pending *c)
{
	uint8_t *dst = at_address(m, c->dst, c->size), *src;
	uint32_t i;

	if (c->memset) {
		for (i = 0; dst && i < c->size; i++)
			dst[i] = (uint8_t)(c->src >> 8 * (i % 8));
		return;
	}
	src = at_address(m, c->src, c->size);
	if (dst && src)
		memmove(dst, src, c->size);
}

static void complete(struct machine *m, struct engine *e, uint32_t n)
{
	struct pending c = e->pending[n];

	e->pending[n] = e->pending[--e->num_pending];
	do_copy(m, &c);
}

/* The engine's barrier: everything that it was given, in any order. */
static void drain(struct machine *m, struct engine *e, uint32_t *x)
{
	while (e->num_pending)
		complete(m, e, next_random(x) % e->num_pending);
}

static void check_monitor(struct machine *m, struct monitor *mon)
{
	uint64_t address = (uint64_t)mon->hi << 32 | mon->lo, off;
	uint32_t i;

	if (!mon->armed || m->sobs[mon->sob] < mon->value)
		return;
	mon->armed = 0;
	for (i = 0; i < m->num; i++) {
		/* FENCE_RDATA of counter f is 0x14 * f behind that of 0. */
		off = address - m->engines[i].fence_addr;
		if (off % 0x14 == 0 && off / 0x14 < 4) {
			m->engines[i].fence[off / 0x14] += mon->data & 0xf;
			return;
		}
	}
	m->wrong = "a monitor writes to nobody's fence";
}

static void write_monitor(struct machine *m, uint32_t reg, uint32_t value)
{
	struct monitor *mon = &m->mons[reg / 4 % MACHINE_MONS];
	uint32_t bit = 0, mask = value >> 8 & 0xff;

	switch (reg >> 11) {
	case 0:
		mon->lo = value;
		return;
	case 1:
		mon->hi = value;
		return;
	case 2:
		mon->data = value;
		return;
	case 3:
		break;
	default:
		m->wrong = "a message to no monitor's register";
		return;
	}
	while (bit < 8 && mask & 1u << bit)
		bit++;
	if (bit == 8 || (mask | 1u << bit) != 0xff || value & 1u << 16 ||
	    mon->armed) {
		m->wrong = "a monitor of other than one sync object, or armed again";
		return;
	}
	mon->sob = (value & 0xff) * 8 + bit;
	mon->value = value >> 17;
	mon->armed = 1;
	check_monitor(m, mon);
}

static void write_sob(struct machine *m, uint32_t reg, uint32_t value)
{
	uint32_t i;

	if (reg % 4 || reg / 4 >= MACHINE_SOBS) {
		m->wrong = "a message to no sync object";
		return;
	}
	if (value & 0x80000000)
		m->sobs[reg / 4] += value & 0x7fff;
	else
		m->sobs[reg / 4] = value & 0x7fff;
	if (m->sobs[reg / 4] > 0x7fff)
		m->wrong = "a sync object overflows";
	for (i = 0; i < MACHINE_MONS; i++)
		if (m->mons[i].sob == reg / 4)
			check_monitor(m, &m->mons[i]);
}

static void message(struct machine *m, uint32_t value, uint32_t ctl)
{
	switch (ctl >> 22 & 3) {
	case 0:
		write_monitor(m, ctl & 0xffff, value);
		break;
	case 1:
		write_sob(m, ctl & 0xffff, value);
		break;
	default:
		m->wrong = "a message to another base";
	}
}

/* What is written to a matrix engine's or a TPC's registers, from @reg on. */
static unsigned int write_registers(struct machine *m, struct engine *e,
				    const uint8_t *p)
{
	uint32_t num = word(p, 0) & 0xffff, reg = word(p, 1) >> 8 & 0xffff;
	uint32_t i;

	if (e->kind >= PROG_TPC_0)
		return 8 + 8 * num;
	if (e->kind < PROG_MME_0 || reg != MME_CTRL_ARCH ||
	    2 * num != MME_DESC_WORDS)
		m->wrong = "registers of no matrix engine";
	else
		for (i = 0; i < 2 * num; i++)
			e->words[i] = word(p, 2 + i);

	return 8 + 8 * num;
}

static void multiply(struct machine *m, struct engine *e)
{
	void *memory[MME_NUM_OPS];
	uint64_t bytes[MME_NUM_OPS], base;
	unsigned int op;

	for (op = 0; op < MME_NUM_OPS; op++) {
		base = mme_get(e->words, MME_CTRL_ARCH_BASE_ADDR_LOW(op)) |
		       (uint64_t)mme_get(e->words,
				MME_CTRL_ARCH_BASE_ADDR_HIGH(op)) << 32;
		bytes[op] = mme_reach(e->words, op) *
			    mme_element(e->words, op);
		if (op == MME_OP_O && !mme_stores(e->words))
			continue;
		memory[op] = at_address(m, base, (uint32_t)bytes[op]);
		if (!memory[op])
			return;
	}
	if (!e->mme)
		e->mme = calloc(1, sizeof(*e->mme));
	mme_machine_run(e->mme, e->words, memory, bytes);
}

static unsigned int write_register(struct machine *m, struct engine *e,
				   const uint8_t *p)
{
	if (e->kind >= PROG_TPC_0)
		return 8;
	if (e->kind < PROG_MME_0 || word(p, 0) != 1 ||
	    (word(p, 1) >> 8 & 0xffff) != MME_CTRL_CMD)
		m->wrong = "a register that starts nothing";
	else
		multiply(m, e);

	return 8;
}

/* A packet of whoever works; its bytes, 0: it waits. */
static unsigned int work_packet(struct machine *m, struct engine *e,
				const uint8_t *p, uint32_t *x)
{
	uint32_t w0 = word(p, 0), ctl = word(p, 1);
	struct pending *c;

	if (ctl & 0x20000000)
		drain(m, e, x);
	switch (ctl >> 24 & 0x1f) {
	case NOP:
		return 8;
	case WREG_BULK:
		return write_registers(m, e, p);
	case WREG_32:
		return write_register(m, e, p);
	case MSG_SHORT:
		message(m, w0, ctl);
		return 8;
	case LIN_DMA:
		if (e->num_pending == MAX_PENDING)
			return 0;
		c = &e->pending[e->num_pending++];
		c->size = w0;
		c->memset = !!(ctl & 0x10);
		c->src = word(p, 2) | (uint64_t)word(p, 3) << 32;
		c->dst = word(p, 4) | (uint64_t)word(p, 5) << 32;
		return 24;
	default:
		m->wrong = "another packet";
		return 0;
	}
}

static unsigned int hand_over(struct machine *m, struct engine *e,
			      const uint8_t *p)
{
	uint64_t off = (word(p, 2) | (uint64_t)word(p, 3) << 32) - e->address;
	uint32_t size = word(p, 0);

	if (e->external || off > e->whole || size > e->whole - off)
		m->wrong = "a run from elsewhere";
	if (m->wrong || e->num_runs == MAX_RUNS)
		return 0;
	e->runs[e->num_runs++] = (struct run) {
		e->packets + off, e->packets + off + size,
	};

	return 16;
}

/* One packet of the upper command processor. */
static unsigned int step(struct machine *m, struct engine *e, uint32_t *x)
{
	const uint8_t *p = e->packets + e->at;
	uint32_t w0 = word(p, 0), ctl = word(p, 1), op = ctl >> 24 & 0x1f;

	if (op == FENCE) {
		if (e->fence[w0 >> 30] < (w0 >> 16 & 0xff))
			return 0;
		e->fence[w0 >> 30] -= w0 & 0xf;
		return 8;
	}
	if (op == CP_DMA)
		return hand_over(m, e, p);
	if (!e->external && (op == LIN_DMA || ctl & 0x20000000)) {
		m->wrong = "work in an upper part";
		return 0;
	}

	return work_packet(m, e, p, x);
}

static unsigned int step_lower(struct machine *m, struct engine *e, uint32_t *x)
{
	unsigned int n = work_packet(m, e, e->runs[0].at, x);

	e->runs[0].at += n;
	if (e->runs[0].at >= e->runs[0].end)
		memmove(e->runs, e->runs + 1, --e->num_runs * sizeof(*e->runs));

	return n;
}

/* One turn of one engine; 0: it has nothing to do. */
static int turn(struct machine *m, struct engine *e, uint32_t *x)
{
	unsigned int n;

	if (e->num_pending && next_random(x) % 3 == 0) {
		complete(m, e, next_random(x) % e->num_pending);
		return 1;
	}
	if (e->num_runs && next_random(x) % 2 && step_lower(m, e, x))
		return 1;
	if (e->at < e->size) {
		n = step(m, e, x);
		e->at += n;
		if (n)
			return 1;
	}
	if (e->num_runs && step_lower(m, e, x))
		return 1;
	if (!e->num_pending)
		return 0;
	complete(m, e, next_random(x) % e->num_pending);

	return 1;
}

/* FENCE_RDATA_0 of a queue's stream; queue 8 is the CPU's. */
static uint64_t fence_of(uint32_t queue)
{
	const uint64_t counter = 0x7ffc000308;

	if (queue >= 41)
		return counter + 0xe08000 + (queue - 41) / 4 * 0x40000 +
		       (queue - 41) % 4 * 4;
	if (queue >= 33)
		return counter + (queue < 37 ? 0x168000 : 0x68000) +
		       (queue - 33) % 4 * 4;
	if (queue > 8)
		queue--;

	return 0x7ffc000000 + 0x508000 + queue / 4 * 0x20000 + 0x308 +
	       queue % 4 * 4;
}

static void aim(struct monitor *mon, uint64_t address)
{
	mon->lo = (uint32_t)address;
	mon->hi = (uint32_t)(address >> 32);
	mon->data = 1;
}

const char *machine_run(const struct program *p,
			const struct prog_resources *r, uint8_t *const *packets,
			const struct machine_memory *memory, uint32_t *sobs,
			uint32_t seed)
{
	static const uint32_t queues[] = {
		0, 4, 9, 13, 17, 25, 29, 33, 37, 41, 45, 49, 53, 57, 61, 65, 69,
	};
	struct machine *m = calloc(1, sizeof(*m));
	uint32_t i, idle = 0, x = seed * 2654435761u | 1;
	const char *wrong;

	m->num = p->num_streams;
	m->sobs = sobs;
	m->memory = memory;
	for (i = 0; i < p->num_streams; i++) {
		m->engines[i].packets = packets[i];
		m->engines[i].size = p->streams[i].upper;
		m->engines[i].whole = p->streams[i].size;
		m->engines[i].address = (uintptr_t)packets[i];
		m->engines[i].kind = p->streams[i].engine;
		m->engines[i].external = p->streams[i].engine < 2;
		m->engines[i].fence_addr =
			fence_of(queues[p->streams[i].engine] + r->hw_stream);
		aim(&m->mons[r->monitors[i]],
		    m->engines[i].fence_addr + 0x14 * r->fences[i]);
	}
	/* Idle for long: one of them after the other, until all have tried. */
	while (!m->wrong && idle < 4 * m->num) {
		i = idle ? (i + 1) % m->num : next_random(&x) % m->num;
		idle = turn(m, &m->engines[i], &x) ? 0 : idle + 1;
	}
	for (i = 0; i < m->num; i++)
		if (m->engines[i].at < m->engines[i].size && !m->wrong)
			m->wrong = "an engine waits for ever";
	wrong = m->wrong;
	for (i = 0; i < m->num; i++)
		free(m->engines[i].mme);
	free(m);

	return wrong;
}

/* Workspace and constants are behind the tensors; and sobs by number, event 2047. */
const char *machine_run_recipe(const struct gaudi_recipe *r,
			       uint8_t *const *bound, uint32_t signals,
			       uint32_t seed)
{
	const uint32_t n = r->num_tensors, events[] = { MACHINE_SOBS - 1 };
	uint64_t sizes[MACHINE_TENSORS + 2], addresses[MACHINE_TENSORS + 2];
	uint8_t *memory[MACHINE_TENSORS + 2], *packets[PROG_NUM_ENGINES];
	uint32_t sobs[PROG_MAX_SOBS], values[MACHINE_SOBS] = {}, i;
	struct machine_memory mm = { n + 2, memory, sizes, addresses };
	struct prog_resources res = { .sobs = sobs, .events = events };
	const struct program *p = &r->program;
	const char *wrong;

	assert_in_range(n, 1, MACHINE_TENSORS);
	for (i = 0; i < n + 2; i++) {
		addresses[i] = 0x40000000ull * (i + 1);
		memory[i] = i < n ? bound[i] : NULL;
		sizes[i] = memory[i] ? r->tensors[i].bytes : 0;
	}
	memory[n] = malloc(r->workspace_size + 1);
	sizes[n] = r->workspace_size;
	memory[n + 1] = r->constants;
	sizes[n + 1] = r->constants_size;
	for (i = 0; i < p->num_sobs; i++)
		sobs[i] = i * 3;
	for (i = 0; i < p->num_streams; i++) {
		res.monitors[i] = i;
		packets[i] = malloc(p->streams[i].size + 1);
		res.addresses[i] = (uintptr_t)packets[i];
		WORKS(program_instantiate(p, i, &res, packets[i]));
	}
	for (i = 0; i < n; i++) {
		uint64_t at = addresses[i];

		if (r->tensors[i].kind == GAUDI_TENSOR_WORKSPACE)
			at = addresses[n] + r->tensors[i].offset;
		if (r->tensors[i].kind == GAUDI_TENSOR_CONSTANT)
			at = addresses[n + 1] + r->tensors[i].offset;
		WORKS(program_bind(p, i, at, (void **)packets));
	}
	wrong = machine_run(p, &res, packets, &mm, values, seed);
	if (values[MACHINE_SOBS - 1] != signals && !wrong)
		wrong = "another number of signals";
	values[MACHINE_SOBS - 1] = 0;
	for (i = 0; i < MACHINE_SOBS && !wrong; i++)
		if (values[i])
			wrong = "a sync object is not 0 at the end";
	free(memory[n]);
	for (i = 0; i < p->num_streams; i++)
		free(packets[i]);

	return wrong;
}
