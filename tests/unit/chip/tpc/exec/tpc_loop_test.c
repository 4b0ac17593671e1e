// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hardware loops and jumps: programs at random, of nested loops with all
 * comparisons, predicates and operands, of blocks that jumps leave out, and of
 * sums of registers and iterators. What each must leave behind is found by a
 * walk over its tree that knows nothing of words.
 */
#include "tpc_host.h"

#define OP(name)	GAUDI_TPC_OP_##name
#define K(name)		GAUDI_TPC_K_##name
#define NODES		400u
#define WORDS		1000u
#define REGS		12u		/* S0 to S11 are used */

enum kind { SUM, COMPARE, LOOP, SKIP };

/* A statement; those of one block are a list. */
struct node {
	enum kind kind;
	struct node *next;
	struct node *body;		/* LOOP, SKIP */
	struct node *slot;		/* LOOP: the word behind it, a SUM */
	uint8_t to;			/* S or SP */
	uint8_t from;			/* S, also an iterator; 0xff: value */
	int32_t value;
	uint8_t sp;			/* 0: without a predicate */
	bool negate;
	int32_t start, boundary, step;
	uint8_t cmp;
	uint8_t boundary_in, step_in;	/* an S, or 0xff */
	bool once;
};

struct program {
	struct node node[NODES];
	unsigned int nodes;
	struct gaudi_tpc_word word[WORDS];
	unsigned int words;
};

struct machine {
	uint32_t s[GAUDI_TPC_S_COUNT + GAUDI_TPC_LOOPS];
	bool sp[GAUDI_TPC_SP_COUNT];
	unsigned int steps;
};

static uint64_t seed = 0x2545f4914f6cdd1dull;

static unsigned int below(unsigned int n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 20) % n;
}

/* --- a program ------------------------------------------------------------- */

static struct node *node(struct program *p, enum kind kind)
{
	struct node *n;

	assert_true(p->nodes < NODES);
	n = &p->node[p->nodes++];
	memset(n, 0, sizeof(*n));
	n->kind = kind;
	return n;
}

static void predicate(struct node *n)
{
	if (below(3))
		return;
	n->sp = 1 + below(3);
	n->negate = below(2);
}

/* An iterator is read outside of its loop as well: the last one's value. */
static struct node *sum(struct program *p)
{
	struct node *n = node(p, SUM);

	n->to = below(REGS);
	n->value = (int)below(2000) - 1000;
	n->from = below(3) ? below(2) ? 32 + below(4) : below(REGS) : 0xff;
	predicate(n);
	return n;
}

static struct node *compare(struct program *p)
{
	struct node *n = node(p, COMPARE);

	n->to = 1 + below(3);
	n->from = below(REGS);
	n->value = (int)below(200) - 100;
	return n;
}

/* It ends: the step leads to the boundary. */
static void bounds(struct node *n)
{
	int trips = below(4), step = 1 + below(3);

	n->cmp = below(GAUDI_TPC_LOOP_CMPS);
	n->start = (int)below(9) - 4;
	if (n->cmp == GAUDI_TPC_LOOP_GRT || n->cmp == GAUDI_TPC_LOOP_GEQ)
		step = -step;
	else if (n->cmp >= GAUDI_TPC_LOOP_EQ && below(2))
		step = -step;
	n->step = step;
	n->boundary = n->start + trips * step;
	if (n->cmp == GAUDI_TPC_LOOP_EQ && below(2))
		n->boundary = n->start;
	n->once = below(8) == 0;
	n->boundary_in = below(2) ? 0xff : 12 + below(4);
	n->step_in = below(2) ? 0xff : 16 + below(4);
	predicate(n);
}

static struct node *block(struct program *p, unsigned int depth);

static struct node *statement(struct program *p, unsigned int depth)
{
	unsigned int what = below(8);
	struct node *n;

	if (what < 2 && depth < GAUDI_TPC_LOOPS) {
		n = node(p, LOOP);
		bounds(n);
		n->slot = sum(p);
		n->body = block(p, depth + 1);
		return n;
	}
	if (what == 2 && p->nodes < NODES / 2) {
		n = node(p, SKIP);
		n->sp = 1 + below(3);
		n->negate = below(2);
		n->body = block(p, depth);
		return n;
	}
	return what == 3 ? compare(p) : sum(p);
}

static struct node *block(struct program *p, unsigned int depth)
{
	unsigned int left = 1 + below(depth ? 4 : 9);
	struct node *first = NULL, **to = &first;

	while (left-- && p->nodes < NODES - 40) {
		*to = statement(p, depth);
		to = &(*to)->next;
	}
	return first;
}

/* --- its words ------------------------------------------------------------- */

static struct gaudi_tpc_word *word(struct program *p)
{
	assert_true(p->words < WORDS);
	gaudi_tpc_nops(&p->word[p->words]);
	return &p->word[p->words++];
}

static void operand(struct gaudi_tpc_operand *o, unsigned int reg,
		    int32_t value)
{
	o->kind = reg == 0xff ? K(IMM) : K(S);
	o->num = reg == 0xff ? 0 : reg;
	o->value = reg == 0xff ? (uint32_t)value : 0;
}

static void put_pred(struct gaudi_tpc_pred *pred, const struct node *n)
{
	if (!n->sp)
		return;
	pred->kind = K(SP);
	pred->num = n->sp;
	pred->negate = n->negate;
}

static struct gaudi_tpc_insn *spu(struct program *p, unsigned int op,
				  unsigned int type)
{
	struct gaudi_tpc_insn *in = &word(p)->slot[GAUDI_TPC_SPU];

	in->op = op;
	in->type = type;
	return in;
}

static void mov(struct program *p, unsigned int reg, int32_t value)
{
	struct gaudi_tpc_insn *in = spu(p, OP(MOV), GAUDI_TPC_I32);

	operand(&in->dest, reg, 0);
	operand(&in->src[0], 0xff, value);
}

/* add.i32 to, from, to */
static void put_sum(struct program *p, const struct node *n)
{
	struct gaudi_tpc_insn *in = spu(p, OP(ADD), GAUDI_TPC_I32);

	operand(&in->dest, n->to, 0);
	operand(&in->src[0], n->to, 0);
	operand(&in->src[1], n->from, n->value);
	put_pred(&in->pred, n);
}

static void put_block(struct program *p, const struct node *n);

/* Its last word may be the one of a loop around it, also if that is a loop's. */
static bool ends_alone(const struct node *block)
{
	while (block && block->next)
		block = block->next;
	return block && block->kind != SKIP && below(2);
}

static void put_loop(struct program *p, const struct node *n)
{
	struct gaudi_tpc_word *w;
	unsigned int at;

	/* Of registers: they change while it goes on, which is not seen. */
	if (n->boundary_in != 0xff)
		mov(p, n->boundary_in, n->boundary);
	if (n->step_in != 0xff)
		mov(p, n->step_in, n->step);
	at = p->words;
	w = word(p);
	w->is_loop = true;
	operand(&w->loop.start, 0xff, n->start);
	operand(&w->loop.boundary, n->boundary_in, n->boundary);
	operand(&w->loop.step, n->step_in, n->step);
	w->loop.cmp = n->cmp;
	w->loop.once = n->once;
	put_pred(&w->loop.pred, n);
	put_sum(p, n->slot);
	put_block(p, n->body);
	if (n->boundary_in != 0xff)
		mov(p, n->boundary_in, 77);
	/* Jumps do not end behind a loop. */
	else if (!ends_alone(n->body))
		word(p);
	w->loop.end = (p->words - 1 - at) * GAUDI_TPC_WORD;
}

static void put_skip(struct program *p, const struct node *n)
{
	struct gaudi_tpc_insn *in = spu(p, OP(JMPR), GAUDI_TPC_NO_TYPE);
	unsigned int at = p->words - 1;

	put_pred(&in->pred, n);
	put_block(p, n->body);
	word(p);
	operand(&in->src[0], 0xff, (p->words - 1 - at) * GAUDI_TPC_WORD);
}

static void put_block(struct program *p, const struct node *n)
{
	struct gaudi_tpc_insn *in;

	for (; n; n = n->next)
		switch (n->kind) {
		case SUM:
			put_sum(p, n);
			break;
		case COMPARE:
			in = spu(p, OP(CMP_LESS), GAUDI_TPC_I32);
			in->dest.kind = K(SP);
			in->dest.num = n->to;
			operand(&in->src[0], n->from, 0);
			operand(&in->src[1], 0xff, n->value);
			break;
		case LOOP:
			put_loop(p, n);
			break;
		case SKIP:
			put_skip(p, n);
		}
}

static void put_halt(struct program *p)
{
	struct gaudi_tpc_word *w = word(p);

	w->slot[GAUDI_TPC_SPU].op = OP(HALT);
	w->slot[GAUDI_TPC_VPU].op = OP(HALT);
}

/* --- what it means --------------------------------------------------------- */

static bool acts(const struct machine *m, const struct node *n)
{
	return !n->sp || m->sp[n->sp] != n->negate;
}

static void do_sum(struct machine *m, const struct node *n)
{
	if (acts(m, n))
		m->s[n->to] += n->from == 0xff ? (uint32_t)n->value :
						 m->s[n->from];
}

static bool holds(uint8_t cmp, int32_t a, int32_t b)
{
	static const char *const less_equal_greater[] = {
		"001", "011", "100", "110", "010", "101",
	};

	return less_equal_greater[cmp][a < b ? 0 : a == b ? 1 : 2] == '1';
}

static void do_block(struct machine *m, const struct node *n,
		     unsigned int depth);

/* The word behind LOOP is done in any case, and before the iterator is set. */
static void do_loop(struct machine *m, const struct node *n, unsigned int depth)
{
	bool on = acts(m, n);
	int32_t i = n->start;

	if (n->boundary_in != 0xff)
		m->s[n->boundary_in] = n->boundary;
	if (n->step_in != 0xff)
		m->s[n->step_in] = n->step;
	do_sum(m, n->slot);
	if (!on)
		return;
	m->s[32 + depth] = i;
	while (holds(n->cmp, i, n->boundary)) {
		do_block(m, n->body, depth + 1);
		if (n->boundary_in != 0xff)
			m->s[n->boundary_in] = 77;
		i += n->step;
		m->s[32 + depth] = i;
		assert_true(m->steps++ < 1000000);
		if (n->once)
			break;
	}
}

static void do_block(struct machine *m, const struct node *n,
		     unsigned int depth)
{
	for (; n; n = n->next)
		switch (n->kind) {
		case SUM:
			do_sum(m, n);
			break;
		case COMPARE:
			m->sp[n->to] = (int32_t)m->s[n->from] < n->value;
			break;
		case LOOP:
			do_loop(m, n, depth);
			break;
		case SKIP:
			if (!acts(m, n))
				do_block(m, n->body, depth);
		}
}

/* --- both ------------------------------------------------------------------ */

static void encode(struct tpc_host *host, struct program *p)
{
	static uint8_t code[WORDS * GAUDI_TPC_WORD];
	struct gaudi_tpc_error err;
	struct gaudi_tpc_word *w;
	unsigned int i, slot;

	for (i = 0; i < p->words; i++) {
		w = &p->word[i];
		for (slot = 0; slot < GAUDI_TPC_SLOTS && !w->is_loop; slot++)
			if (gaudi_tpc_find_form(&w->slot[slot], &err))
				fail_msg("word %u: %s", i, err.text);
		if (gaudi_tpc_encode(w, code + i * GAUDI_TPC_WORD, &err))
			fail_msg("word %u: %s", i, err.text);
	}
	tpc_host_code(host, code, p->words * GAUDI_TPC_WORD);
}

TEST(any_program)
{
	struct program *p = calloc(1, sizeof(*p));
	struct tpc_host *host = tpc_host_new();
	unsigned int n, i, loops = 0;
	struct machine m;
	struct node *top;

	for (n = 0; n < 3000; n++) {
		p->nodes = 0;
		p->words = 0;
		memset(&m, 0, sizeof(m));
		m.sp[0] = true;
		top = block(p, 0);
		put_block(p, top);
		put_halt(p);
		encode(host, p);
		do_block(&m, top, 0);
		loops += m.steps;
		assert_int_equal(tpc_host_run(host, 50000000), GAUDI_TPC_HALT);
		for (i = 0; i < GAUDI_TPC_S_COUNT + GAUDI_TPC_LOOPS; i++)
			if (host->core->r.s[i] != m.s[i])
				fail_msg("program %u: S%u is %u, not %u", n, i,
					 host->core->r.s[i], m.s[i]);
		assert_int_equal(host->core->r.sp, 1 | m.sp[1] << 1 |
				 m.sp[2] << 2 | m.sp[3] << 3);
	}
	assert_true(loops > 10000);
	tpc_host_free(host);
	free(p);
}
