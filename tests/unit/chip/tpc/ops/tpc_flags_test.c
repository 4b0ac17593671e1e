// SPDX-License-Identifier: GPL-2.0-only
/*
 * Causes that arithmetic tells: for each operation operands that are in range
 * and operands that are not, of the scalar and of the vector unit.
 */
#include "../exec/tpc_host.h"

#define DIV0		0x002u
#define MAC		0x004u
#define ADDSUB		0x008u
#define ABS		0x010u
#define NAN_INF		0x020u
#define DENORM		0x040u
#define OP(name)	GAUDI_TPC_OP_##name
#define T(name)		GAUDI_TPC_##name
#define SWITCH(name)	(1ull << GAUDI_TPC_SW_##name)

struct sum {
	uint8_t op, type;
	uint64_t sw;			/* switches that are set */
	uint32_t a, b, old;
	uint32_t causes;		/* of the scalar unit */
};

static const struct sum sums[] = {
	{ OP(ADD), T(I32), 0, 0x7fffffff, 0, 0, 0 },
	{ OP(ADD), T(I32), 0, 0x7fffffff, 1, 0, ADDSUB },
	{ OP(ADD), T(I32), SWITCH(SAT), 0x80000000, 0xffffffff, 0, ADDSUB },
	{ OP(ADD), T(I32), 0, 0xffffffff, 1, 0, 0 },
	{ OP(ADD), T(U32), 0, 0xffffffff, 1, 0, ADDSUB },
	{ OP(ADD), T(U32), 0, 0xfffffffe, 1, 0, 0 },
	{ OP(ADD), T(I16), 0, 0x7fff, 1, 0, ADDSUB },
	{ OP(ADD), T(U16), 0, 0x7fff, 1, 0, 0 },
	{ OP(ADD), T(I8), 0, 0x80, 0xff, 0, ADDSUB },
	{ OP(ADD), T(U8), 0, 0xff, 1, 0, ADDSUB },
	{ OP(SUB), T(U8), 0, 3, 5, 0, ADDSUB },
	{ OP(SUB), T(U8), SWITCH(NEG), 3, 5, 0, 0 },
	{ OP(SUB), T(I32), 0, 0x80000000, 1, 0, ADDSUB },
	{ OP(SUB), T(I32), 0, 3, 5, 0, 0 },
	{ OP(ABS), T(I32), 0, 0x80000000, 0, 0, ABS },
	{ OP(ABS), T(I32), 0, 0x80000001, 0, 0, 0 },
	{ OP(ABS), T(I16), 0, 0x8000, 0, 0, ABS },
	{ OP(ABS), T(I8), 0, 0x80, 0, 0, ABS },
	{ OP(MAC), T(I16), 0, 2, 3, 0x7ffffff9, 0 },
	{ OP(MAC), T(I16), 0, 2, 3, 0x7ffffffa, MAC },
	{ OP(MAC), T(I16), SWITCH(NEG), 2, 3, 0x7ffffffa, 0 },
	{ OP(MAC), T(U16), 0, 0xffff, 0xffff, 0x1fffe, 0 },
	{ OP(MAC), T(U16), SWITCH(SAT), 0xffff, 0xffff, 0x1ffff, MAC },
	{ OP(ADD), T(F32), 0, 0x7f7fffff, 0x7f7fffff, 0, NAN_INF },
	{ OP(ADD), T(F32), 0, 0x7fc00000, 0x3f800000, 0, NAN_INF },
	{ OP(ADD), T(F32), 0, 0x3f800000, 0x3f800000, 0, 0 },
	{ OP(SUB), T(F32), 0, 0x00c00000, 0x00800000, 0, DENORM },
	{ OP(SUB), T(F32), 0, 0x00800000, 0x00800000, 0, 0 },
	{ OP(MUL), T(F32), 0, 0x0d800000, 0x0d800000, 0, DENORM },
	{ OP(MUL), T(F32), 0, 0x00000001, 0x3f800000, 0, 0 },
	{ OP(MUL), T(F32), 0, 0x7f000000, 0x40000000, 0, NAN_INF },
	{ OP(MUL), T(BF16), 0, 0x0d80, 0x0d80, 0, DENORM },
	{ OP(MUL), T(BF16), 0, 0x7f00, 0x4000, 0, NAN_INF },
	{ OP(MUL), T(BF16), 0, 0x3f80, 0x4000, 0, 0 },
	{ OP(MAC), T(F32), 0, 0x7f000000, 0x40000000, 0, NAN_INF },
	{ OP(MAC), T(F32), SWITCH(NEG), 0x3f800000, 0x00c00000, 0x00800000,
	  DENORM },
	{ OP(MAC), T(BF16), SWITCH(ACC_FP32), 0x7f00, 0x4000, 0, NAN_INF },
	{ OP(MAC), T(BF16), SWITCH(ACC_FP32), 0x3f80, 0x4000, 0, 0 },
	{ OP(MAX), T(F32), 0, 0x7f800000, 0x40000000, 0, 0 },
	{ OP(XOR), T(I32), 0, 0x7f800000, 0x40000000, 0, 0 },
};

/* A word of one operation of S or V 1 and 2 into 4, then HALT. */
static void put_code(struct tpc_host *host, const struct sum *s,
		     unsigned int slot, unsigned int vp)
{
	struct gaudi_tpc_word word;
	uint8_t code[2 * GAUDI_TPC_WORD];
	struct gaudi_tpc_error err;
	struct gaudi_tpc_insn *in = &word.slot[slot];
	bool vector = slot == GAUDI_TPC_VPU;
	unsigned int i;

	gaudi_tpc_nops(&word);
	in->op = s->op;
	in->type = s->type;
	for (i = 0; i < GAUDI_TPC_SW_COUNT; i++)
		in->sw[i] = s->sw >> i & 1;
	in->dest.kind = !vector ? GAUDI_TPC_K_S : s->op == OP(MAC) &&
			(s->type != T(F32) && s->type != T(BF16)) ?
			GAUDI_TPC_K_D : s->sw & SWITCH(ACC_FP32) ?
			GAUDI_TPC_K_D : GAUDI_TPC_K_V;
	in->dest.num = 4;
	in->src[0].kind = vector ? GAUDI_TPC_K_V : GAUDI_TPC_K_S;
	in->src[0].num = 1;
	if (s->op != OP(ABS)) {
		in->src[1].kind = in->src[0].kind;
		in->src[1].num = 2;
	}
	if (vp) {
		in->pred.kind = GAUDI_TPC_K_VP;
		in->pred.num = vp;
	}
	if (gaudi_tpc_find_form(in, &err) ||
	    gaudi_tpc_encode(&word, code, &err))
		fail_msg("%s", err.text);
	gaudi_tpc_nops(&word);
	word.slot[GAUDI_TPC_SPU].op = OP(HALT);
	word.slot[GAUDI_TPC_VPU].op = OP(HALT);
	gaudi_tpc_find_form(&word.slot[GAUDI_TPC_SPU], NULL);
	gaudi_tpc_find_form(&word.slot[GAUDI_TPC_VPU], NULL);
	assert_int_equal(gaudi_tpc_encode(&word, code + GAUDI_TPC_WORD, &err),
			 0);
	tpc_host_code(host, code, sizeof(code));
}

static void put_bytes(uint8_t *to, uint32_t value, unsigned int size)
{
	memcpy(to, &value, size);
}

static unsigned int size_of(uint8_t type)
{
	return type == T(F32) || type == T(I32) || type == T(U32) ? 4 :
	       type == T(I8) || type == T(U8) ? 1 : 2;
}

/* lane: of the vectors; all others are zero. */
static uint32_t causes_of(struct tpc_host *host, const struct sum *s,
			  unsigned int lane)
{
	struct gaudi_tpc_regs *r = &host->core->r;
	unsigned int size = size_of(s->type), wide = lane * size;
	enum gaudi_tpc_why why;

	gaudi_tpc_launch(host->core, &host->launch);
	r->s[1] = s->a;
	r->s[2] = s->b;
	r->s[4] = s->old;
	put_bytes(r->v[1].b + lane * size, s->a, size);
	put_bytes(r->v[2].b + lane * size, s->b, size);
	if (s->op == OP(MAC) && size == 2)
		r->v[4 + lane % 2].w[lane / 2] = s->old;
	else
		put_bytes(r->v[4].b + wide, s->old, size);
	memset(&r->vp[1], 0xff, sizeof(r->vp[1]));
	/* The predicate's bits of the result's lane. */
	if (s->op == OP(MAC) && size == 2)
		memset(r->vp[1].b + lane / 2 * 4, 0, 4);
	else
		memset(r->vp[1].b + lane * size, 0, size);
	why = gaudi_tpc_execute(host->core, 10);
	assert_int_equal(why, GAUDI_TPC_HALT);
	return host->core->causes;
}

TEST(all_sums)
{
	struct tpc_host *host = tpc_host_new();
	unsigned int i, lane;
	uint32_t got;

	for (i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
		host->launch.causes = GAUDI_TPC_CAUSES;
		put_code(host, &sums[i], GAUDI_TPC_SPU, 0);
		got = causes_of(host, &sums[i], 0);
		if (got != sums[i].causes)
			fail_msg("sum %u: scalar: 0x%x", i, got);
		lane = (7 * i + 3) % 61;
		put_code(host, &sums[i], GAUDI_TPC_VPU, 0);
		got = causes_of(host, &sums[i], lane);
		if (got != sums[i].causes << 5)
			fail_msg("sum %u: vector: 0x%x", i, got);
		if (got)
			assert_int_equal(host->core->causes_pc, HOST_CODE);
		put_code(host, &sums[i], GAUDI_TPC_VPU, 1);
		got = causes_of(host, &sums[i], lane);
		if (got)
			fail_msg("sum %u: a lane that is off: 0x%x", i, got);
		host->launch.causes &= ~(sums[i].causes << 5);
		put_code(host, &sums[i], GAUDI_TPC_VPU, 0);
		assert_int_equal(causes_of(host, &sums[i], lane), 0);
	}
	tpc_host_free(host);
}

/* udiv_4step.u32 Z4, S1: by hand, with a step of 31. */
TEST(division)
{
	struct tpc_host *host = tpc_host_new();
	const struct sum nothing = { .op = OP(XOR), .type = T(I32) };
	uint8_t *word = host->mem;
	unsigned int by;

	host->launch.causes = GAUDI_TPC_CAUSES;
	for (by = 0; by < 3; by++) {
		put_code(host, &nothing, GAUDI_TPC_SPU, 0);
		word[0] = 0x28 | (1 << 6 & 0xff);
		word[1] = 0;
		word[2] = (4 & 15) << 4;
		word[3] = GAUDI_TPC_U32 << 3;
		word[4] = (31 & 15) << 4;
		word[5] = (word[5] & 0xf8) | 31 >> 4;
		gaudi_tpc_launch(host->core, &host->launch);
		host->core->r.s[1] = by;
		host->core->r.s[4] = 100;
		assert_int_equal(gaudi_tpc_execute(host->core, 10),
				 GAUDI_TPC_HALT);
		assert_int_equal(host->core->causes, by ? 0 : DIV0);
		assert_int_equal(host->core->r.s[5], by ? 0 : 0xf0000000);
	}
	tpc_host_free(host);
}
