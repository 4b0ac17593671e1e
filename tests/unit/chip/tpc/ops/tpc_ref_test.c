// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every row of the table of instructions, with every type: words with random
 * operands, modifiers and predicates, executed by the interpreter and by the
 * reference of tpc_ref.c. All registers, local memories and device memory are
 * compared. What no word has covered fails by its name.
 */
#include "../../../../../qemu-device/chip/tpc/isa/tpc_isa_table.h"
#include "tpc_ref.h"
#include "tpc_random.h"

#define SW(name)	(in->sw[GAUDI_TPC_SW_##name])
#define OP(name)	GAUDI_TPC_OP_##name
#define K(name)		GAUDI_TPC_K_##name
#define ROUNDS		20		/* words of each row and type */
#define TENSOR_AT	(HOST_BASE + HOST_BYTES / 2)

struct test {
	struct tpc_host *host;
	struct ref *ref;
	const char *alu;
	unsigned int at;		/* offset of the word */
	/* Words of the row and the type. */
	unsigned int compared, refused, differ;
};

/* --- a state --------------------------------------------------------------------- */

static void random_regs(struct gaudi_tpc_regs *r, uint32_t v_mask)
{
	uint32_t *w = (uint32_t *)(void *)r->v;
	unsigned int i, k;

	memset(r, 0, sizeof(*r));
	for (i = 0; i < sizeof(r->v) / 4; i++)
		w[i] = edgy() & v_mask;
	for (i = 0; i < 64; i++)
		r->lfsr.w[i] = any() & v_mask;
	for (i = 0; i < GAUDI_TPC_VBYTES; i++) {
		r->carry.b[i] = any() % 3 ? 0 : 0xff;
		for (k = 0; k < GAUDI_TPC_VP_COUNT; k++)
			r->vp[k].b[i] = !k || any() % 3 ? 0xff : 0;
	}
	for (i = 0; i < 36; i++)
		r->s[i] = edgy();
	r->s_lfsr = any();
	r->sp = any() | 1;
	r->s_carry = any() & 1;
	r->div_step = any() % 32;
	for (i = 0; i < GAUDI_TPC_I_COUNT; i++)
		for (k = 0; k < 5; k++)
			r->i[i][k] = edgy();
	for (i = 0; i < GAUDI_TPC_AD_COUNT; i++)
		r->ad[i] = HOST_DATA + any() % 0x8000;
}

static bool in_scalar_unit(const struct gaudi_tpc_insn *in)
{
	return in->slot == GAUDI_TPC_SPU || in->slot == GAUDI_TPC_VPU ||
	       in->op == OP(MOV) || in->op == OP(SET_INDX) ||
	       in->op == OP(PRMT_INDX);
}

/* Those that the core itself keeps come more often than by chance. */
static uint32_t some_register(void)
{
	return any() % 4 ? 0x400 + any() % 0x200 * 4 : 0x908 + any() % 3 * 4;
}

/* Scalars and coordinates with which the access succeeds. */
static void fit_memory(const struct gaudi_tpc_insn *in,
		       struct gaudi_tpc_regs *r)
{
	unsigned int i, k;

	for (i = 0; i < GAUDI_TPC_I_COUNT; i++)
		for (k = 0; k < 5; k++)
			r->i[i][k] = k ? (int)(any() % 5) - (any() % 4 == 0) :
					 (int)(any() % 400) - 150;
	for (i = 0; i < 36; i++) {
		if (in->op == OP(LD_L) || in->op == OP(ST_L))
			r->s[i] = SW(MMIO) ? some_register() :
					     any() % 256 * 4;
		else
			r->s[i] = any() % 638 * 128;
	}
	if (in->src[1].kind == K(NONE))
		return;
	/* Operations of tensors have their own. */
	r->s[27] = any() % 16;
	r->s[28] = any() % 16;
	r->s[29] = any();
	r->s[30] = any();
	r->s[31] = any();
}

/* As FCLASS makes them. */
static void classes(struct gaudi_tpc_regs *r, bool halves)
{
	uint32_t *w = (uint32_t *)(void *)r->v;
	unsigned int i;

	for (i = 0; i < sizeof(r->v) / 4; i++)
		w[i] = 1u << any() % 10 | (halves ? 0x10000u << any() % 10 : 0);
	for (i = 0; i < 32; i++)
		r->s[i] = 1u << any() % 10;
}

static void random_tensors(struct gaudi_tpc_launch *launch)
{
	static const uint8_t bytes[8] = { 1, 2, 4, 1, 2, 4, 2, 4 };
	unsigned int n, d;
	uint32_t *desc;
	uint64_t base;

	for (n = 0; n < GAUDI_TPC_TENSORS; n++) {
		desc = &launch->desc[14 * n];
		base = TENSOR_AT + n * 64;
		desc[3] = any() % 8 | (any() & 0x1f) << 8 | 4 << 16 |
			  (any() % 4 == 0) << 19 | any() % 4 << 21;
		/* now and then not aligned */
		base += any() % 4 ? 0 : bytes[desc[3] & 7];
		desc[0] = (uint32_t)base;
		desc[1] = base >> 32;
		desc[2] = edgy();
		for (d = 0; d < 5; d++) {
			desc[4 + 2 * d] = d ? 1 + any() % 4 : any() % 300;
			desc[5 + 2 * d] = d ? any() % 2000 :
					  1 + (any() % 8 == 0);
		}
	}
}

static void random_state(struct test *t, const struct gaudi_tpc_insn *in)
{
	bool table = in->op == OP(LOOKUP) || in->op == OP(LOOKUP_1C) ||
		     in->op == OP(LOOKUP_2C);
	struct gaudi_tpc_launch *launch = &t->host->launch;
	struct gaudi_tpc_core *core = t->host->core;
	unsigned int i;

	random_tensors(launch);
	launch->round_csr = any() % 8;
	for (i = 0; i < 4; i++)
		launch->lut[i] = HOST_DATA + 4 * (any() % 100);
	gaudi_tpc_launch(core, launch);
	random_regs(&core->r, table ? 0x00ff00ff : ~0u);
	if (table)	/* BV32 has entries of 32 bits */
		for (i = 0; i < sizeof(core->r.v) / 4 && !SW(BV16); i++)
			((uint32_t *)(void *)core->r.v)[i] &= 0xff;
	for (i = 0; i < 64 && table && !SW(BV16); i++)
		core->r.lfsr.w[i] &= 0xff;
	if (in->op == OP(CALC_FP_SPECIAL))
		classes(&core->r, in->type == GAUDI_TPC_BF16);
	if (!in_scalar_unit(in))
		fit_memory(in, &core->r);
	for (i = 0; i < 36 && (in->op == OP(JMPR) || in->op == OP(JMPA)); i++)
		core->r.s[i] = 32 * (any() % 100) -
			       (in->op == OP(JMPR) ? 32 * 50 : 0);
	core->semaphore = any();
	t->host->reg_off = 0;
	t->host->reg_value = 0;
	t->ref->r = core->r;
	memcpy(t->ref->slm, core->slm, sizeof(core->slm));
	memcpy(t->ref->vlm, core->vlm, sizeof(core->vlm));
	t->ref->semaphore = core->semaphore;
	core->pc += t->at;
	t->ref->pc = t->at;
	t->ref->halted = false;
	t->ref->launch = *launch;
	t->ref->reg_off = 0;
	t->ref->reg_value = 0;
}

/* --- a word ---------------------------------------------------------------------- */

static uint8_t any_bit(uint32_t mask)
{
	unsigned int i;

	do
		i = any() % 32;
	while (!(mask >> i & 1));
	return i;
}

static void operand(struct gaudi_tpc_operand *o,
		    const struct gaudi_tpc_place *place, uint32_t imm,
		    uint32_t left_out)
{
	static const uint8_t hw[] = { 0, 1, 4, 7, 8, 9, 10, 11, 12 };
	uint32_t kinds = place->kinds & ~left_out;
	bool dest = place->at == GAUDI_TPC_AT_DEST;

	o->kind = any_bit(kinds ? kinds : place->kinds);
	switch (o->kind) {
	case K(V):
		o->num = any() % 40;
		break;
	case K(D):
		o->num = any() % 20 * 2;
		break;
	case K(VP):
	case K(SP):
	case K(TENSOR):
		o->num = any() % 16;
		break;
	case K(S):
		o->num = any() % (dest ? 32 : 36);
		break;
	case K(Z):
		o->num = any() % 16 * 2;
		break;
	case K(I):
		o->num = any() % 32;
		break;
	case K(AD):
		o->num = any() % 8;
		break;
	case K(LANE_ID):
		o->num = 8 << any() % 3;
		break;
	case K(LFSR):
	case K(S_LFSR):
		o->num = dest ? 0 : any() % 2;
		break;
	case K(HW):
		o->num = hw[any() % sizeof(hw)];
		break;
	case K(IMM):
		o->value = imm;
		break;
	case K(CONST):
		o->value = any() & ((1u << place->arg) - 1);
		break;
	}
}

static void switches(struct gaudi_tpc_insn *in,
		     const struct gaudi_tpc_form *form)
{
	const struct gaudi_tpc_place_sw *sw;
	const struct gaudi_tpc_names *names;
	unsigned int k, value;

	for (sw = form->sw; sw && sw->at != GAUDI_TPC_AT_END; sw++) {
		names = &gaudi_tpc_names[sw->sw];
		do
			value = any() % (names->count ? names->count :
					 1u << sw->width);
		while (names->list && !names->list[value]);
		in->sw[sw->sw] = value;
	}
	for (k = 0; k < form->needs; k++)
		in->sw[form->need[k].sw] = form->need[k].value;
}

static void predicate(struct gaudi_tpc_insn *in,
		      const struct gaudi_tpc_form *form)
{
	bool lanes = form->slot == GAUDI_TPC_VPU ||
		     (form->slot == GAUDI_TPC_LOAD && form->lanes_too);

	if (any() % 2 || in->op == OP(HALT) || in->op == OP(NOP) ||
	    in->op == OP(DBG))
		return;
	in->pred.kind = lanes && any() % 3 ? K(VP) : K(SP);
	in->pred.num = any() % 16;
	in->pred.negate = any() % 2;
	if (in->pred.kind == K(SP) && !in->pred.num)
		in->pred.kind = K(NONE);
}

/* An immediate that is an address fits, too. */
static uint32_t immediate(const struct gaudi_tpc_insn *in)
{
	switch (in->op) {
	case OP(LD_L):
	case OP(ST_L):
		return SW(MMIO) ? some_register() : any() % 256 * 4;
	case OP(LD_L_V):
	case OP(LD_L_V_LOW):
	case OP(LD_L_V_HIGH):
	case OP(ST_L_V):
	case OP(ST_L_V_LOW):
	case OP(ST_L_V_HIGH):
		return any() % 638 * 128;
	case OP(JMPR):
		return any() % 100 * 32 - 32 * 50;
	case OP(JMPA):
		return any() % 100 * 32;
	}
	return edgy();
}

/* False: the encoding belongs to another row, or it cannot be written. */
static bool random_word(unsigned int row, unsigned int type,
			struct gaudi_tpc_word *word, uint8_t *raw,
			unsigned int *hidden)
{
	const struct gaudi_tpc_form *form = &gaudi_tpc_forms[row];
	struct gaudi_tpc_insn *in;
	struct gaudi_tpc_error err;
	uint32_t imm, left_out = 0;
	unsigned int k;

	gaudi_tpc_nops(word);
	in = &word->slot[form->slot];
	memset(in, 0, sizeof(*in));
	in->op = form->op;
	in->slot = form->slot;
	in->type = type;
	in->form = row;
	switches(in, form);
	imm = immediate(in);
	for (k = 0; form->place[k].at != GAUDI_TPC_AT_END; k++) {
		struct gaudi_tpc_operand *o =
			gaudi_tpc_operand_at(in, form->place[k].at);

		if (!o || form->place[k].at == GAUDI_TPC_AT_FIXED ||
		    form->place[k].at == GAUDI_TPC_AT_MASK)
			continue;
		operand(o, &form->place[k], imm, left_out);
		/* One read of them in a word: the order of two is not known. */
		if (o->kind == K(LFSR) || o->kind == K(S_LFSR))
			left_out |= 1u << K(LFSR) | 1u << K(S_LFSR);
	}
	predicate(in, form);
	if (in->op == OP(HALT)) {	/* in both units or in none */
		word->slot[GAUDI_TPC_SPU].op = OP(HALT);
		word->slot[GAUDI_TPC_VPU] = *in;
		word->slot[GAUDI_TPC_VPU].slot = GAUDI_TPC_VPU;
		word->slot[GAUDI_TPC_SPU] = *in;
		word->slot[GAUDI_TPC_SPU].slot = GAUDI_TPC_SPU;
		return !gaudi_tpc_find_form(&word->slot[GAUDI_TPC_SPU], &err) &&
		       !gaudi_tpc_find_form(&word->slot[GAUDI_TPC_VPU], &err) &&
		       !gaudi_tpc_encode(word, raw, &err);
	}
	if (gaudi_tpc_encode(word, raw, &err) ||
	    gaudi_tpc_decode(raw, word, &err))
		return false;
	*hidden += word->slot[form->slot].form < row;
	return word->slot[form->slot].form == row;
}

/* A type that is not as wide as the tensor's elements. */
static bool odd_rmw(const struct ref *ref, const struct gaudi_tpc_insn *in)
{
	static const uint8_t bytes[8] = { 1, 2, 4, 1, 2, 4, 2, 4 };
	uint32_t s29 = ref->r.s[29];
	unsigned int n = in->src[1].kind == K(TENSOR) ? in->src[1].num :
			 ref->r.s[28];

	return SW(RMW_SEL) && !(s29 & 0x80) &&
	       bytes[s29 & 7] != bytes[ref->launch.desc[14 * n + 3] & 7];
}

/* What the facts leave open, and this test as well. */
static bool is_open(const struct ref *ref, const struct gaudi_tpc_insn *in)
{
	unsigned int mode = SW(RM), i;

	mode = mode == GAUDI_TPC_RM_DEFAULT ? ref->launch.round_csr & 7 : mode;
	for (i = 0; i < GAUDI_TPC_SRCS; i++)	/* two steps of a register */
		if (mode == GAUDI_TPC_SR && (in->src[i].kind == K(LFSR) ||
					     in->src[i].kind == K(S_LFSR)))
			return true;
	if (odd_rmw(ref, in))
		return true;
	/* Lane numbers of another width are no entries. */
	if (in->slot == GAUDI_TPC_LOAD && in->op != OP(MOV) &&
	    in->src[0].kind == K(LANE_ID) &&
	    in->src[0].num != (SW(BV16) ? 16 : 32))
		return true;
	/* Its operands are classes, which only registers have here. */
	for (i = 0; i < 2 && in->op == OP(CALC_FP_SPECIAL); i++)
		if (in->src[i].kind != K(V) && (in->src[i].kind != K(S) ||
						in->src[i].num > 31))
			return true;
	return (in->op == OP(ASH) && !SW(SAT)) ||
	       (in->op == OP(GET_LUT_ENTRY) && SW(VARIANT) > GAUDI_TPC_LUT_LOG);
}

/* --- comparing -------------------------------------------------------------------- */

/* Told once for each row and type. */
static void differ(struct test *t, const struct gaudi_tpc_word *word,
		   const char *what, unsigned int where)
{
	char text[GAUDI_TPC_TEXT];

	if (t->differ++)
		return;
	gaudi_tpc_print(word, text, sizeof(text));
	print_message("# %s, %s: %s differs at %u\n", t->alu, text, what,
		      where);
}

static void same(struct test *t, const struct gaudi_tpc_word *word,
		 const char *what, const void *is, const void *want, size_t len)
{
	const uint8_t *a = is, *b = want;
	unsigned int i;

	if (!memcmp(a, b, len))
		return;
	for (i = 0; a[i] == b[i]; i++)
		;
	i &= ~3u;
	if (i + 4 <= len && !t->differ)
		print_message("# is 0x%08x, not 0x%08x\n",
			      *(const uint32_t *)(const void *)(a + i),
			      *(const uint32_t *)(const void *)(b + i));
	differ(t, word, what, i);
}

static void compare(struct test *t, const struct gaudi_tpc_word *word,
		    const struct gaudi_tpc_insn *in)
{
	const struct gaudi_tpc_core *core = t->host->core;
	const struct gaudi_tpc_regs *a = &core->r, *b = &t->ref->r;

	same(t, word, "V", a->v, b->v, sizeof(a->v));
	same(t, word, "VP", a->vp, b->vp, sizeof(a->vp));
	same(t, word, "LFSR", &a->lfsr, &b->lfsr, sizeof(a->lfsr));
	same(t, word, "carry", &a->carry, &b->carry, sizeof(a->carry));
	same(t, word, "S", a->s, b->s, sizeof(a->s));
	same(t, word, "I", a->i, b->i, sizeof(a->i));
	same(t, word, "AD", a->ad, b->ad, sizeof(a->ad));
	if (a->sp != b->sp)
		differ(t, word, "SP", a->sp);
	if (a->s_lfsr != b->s_lfsr)
		differ(t, word, "S_LFSR", a->s_lfsr);
	if (a->s_carry != b->s_carry)
		differ(t, word, "S_CARRY", a->s_carry);
	if (a->div_step != b->div_step)
		differ(t, word, "DIV_STEP", a->div_step);
	if (core->semaphore != t->ref->semaphore)
		differ(t, word, "the semaphore", core->semaphore);
	if (!t->ref->halted && core->pc != HOST_CODE + t->ref->pc)
		differ(t, word, "PC", core->pc - HOST_CODE);
	if (in_scalar_unit(in))
		return;
	same(t, word, "SLM", core->slm, t->ref->slm, sizeof(core->slm));
	same(t, word, "VLM", core->vlm, t->ref->vlm, sizeof(core->vlm));
	same(t, word, "descriptor", core->launch.desc, t->ref->launch.desc,
	     sizeof(core->launch.desc));
	if (t->host->reg_off != t->ref->reg_off ||
	    t->host->reg_value != t->ref->reg_value)
		differ(t, word, "a write by MMIO", t->host->reg_off);
	same(t, word, "memory", t->host->mem, t->ref->mem, HOST_BYTES);
}

/* One word on both. */
static void run_word(struct test *t, unsigned int row,
		     const struct gaudi_tpc_word *word, const uint8_t *raw)
{
	const struct gaudi_tpc_insn *in =
		&word->slot[gaudi_tpc_forms[row].slot];
	enum gaudi_tpc_why why;

	t->at = 32 * (50 + any() % 100);
	tpc_host_code(t->host, raw, GAUDI_TPC_WORD);
	memcpy(t->host->mem + t->at, raw, GAUDI_TPC_WORD);
	memcpy(t->ref->mem, raw, GAUDI_TPC_WORD);
	memcpy(t->ref->mem + t->at, raw, GAUDI_TPC_WORD);
	random_state(t, in);
	if (is_open(t->ref, in))
		return;
	if (!ref_step(t->ref, in)) {
		why = gaudi_tpc_execute(t->host->core, 1);
		if (why != GAUDI_TPC_ILLEGAL || !t->host->core->unmodelled)
			differ(t, word, "the end (no meaning)", why);
		t->refused++;
		return;
	}
	why = gaudi_tpc_execute(t->host->core, 1);
	if (why != (t->ref->halted ? GAUDI_TPC_HALT : GAUDI_TPC_BUDGET))
		differ(t, word, "the end", why);
	compare(t, word, in);
	t->compared++;
}

/* --- all rows ------------------------------------------------------------------------ */

static unsigned int cover(struct test *t, unsigned int row, unsigned int type)
{
	const struct gaudi_tpc_form *form = &gaudi_tpc_forms[row];
	struct gaudi_tpc_word word;
	uint8_t raw[GAUDI_TPC_WORD];
	unsigned int n, hidden = 0;

	t->compared = 0;
	t->refused = 0;
	t->differ = 0;
	for (n = 0; n < 20 * ROUNDS && t->compared + t->refused < ROUNDS; n++)
		if (random_word(row, type, &word, raw, &hidden))
			run_word(t, row, &word, raw);
	if (t->compared + t->refused >= ROUNDS)
		return t->differ != 0;
	/* Of rows that fit an encoding the first counts: it has its words. */
	if (hidden >= ROUNDS && !t->compared)
		return 0;
	print_message("# row %u, %s %s%s%s: %u words are covered\n", row,
		      gaudi_tpc_slot_name(form->slot),
		      gaudi_tpc_op_name(form->op), type < GAUDI_TPC_TYPES ?
		      "." : "", gaudi_tpc_type_name(type),
		      t->compared + t->refused);
	return 1;
}

static void all_rows(struct test *t, const char *alu)
{
	unsigned int row, type, wrong = 0;

	t->alu = alu;
	if (gaudi_tpc_use_alu(t->host->core, alu))
		skip();
	for (row = 0; row < gaudi_tpc_form_count; row++) {
		if (!gaudi_tpc_forms[row].types)
			wrong += cover(t, row, GAUDI_TPC_NO_TYPE);
		for (type = 0; type < GAUDI_TPC_TYPES; type++)
			if (gaudi_tpc_forms[row].types >> type & 1)
				wrong += cover(t, row, type);
	}
	assert_int_equal(wrong, 0);
}

static int setup(void **state)
{
	struct test *t = calloc(1, sizeof(*t));
	size_t i;

	if (!t)
		return -1;
	t->host = tpc_host_new();
	t->ref = aligned_alloc(64, (sizeof(*t->ref) + 63) / 64 * 64);
	memset(t->ref, 0, sizeof(*t->ref));
	/* The same on a machine where a test before it is skipped. */
	random_begin();
	t->ref->mem = malloc(HOST_BYTES);
	for (i = 0; i < HOST_BYTES / 4; i++)
		((uint32_t *)(void *)t->host->mem)[i] = edgy();
	memcpy(t->ref->mem, t->host->mem, HOST_BYTES);
	*state = t;
	return 0;
}

static int teardown(void **state)
{
	struct test *t = *state;

	tpc_host_free(t->host);
	free(t->ref->mem);
	free(t->ref);
	free(t);
	return 0;
}

#define REF_TEST(fn) TEST_OF(fn, struct test *t, setup, teardown)

REF_TEST(every_row_portable)
{
	all_rows(t, "portable");
}

REF_TEST(every_row_avx2)
{
	all_rows(t, "avx2");
}

REF_TEST(every_row_avx512)
{
	all_rows(t, "avx512");
}

/* --- several operations in a word ------------------------------------------------- */

#define WORDS		6000		/* that are compared */

/* 0: no memory; 1: of tensors; 2: of another kind. */
static unsigned int memory_kind(const struct gaudi_tpc_insn *in)
{
	if (in->slot == GAUDI_TPC_SPU || in->slot == GAUDI_TPC_VPU)
		return 0;
	switch (in->op) {
	case OP(NOP):
	case OP(MOV):
	case OP(SET_INDX):
	case OP(PRMT_INDX):
	case OP(CACHE_FLUSH):
	case OP(CACHE_INVALIDATE):
		return 0;
	}
	return in->src[1].kind == K(TENSOR) || in->src[1].kind == K(S) ? 1 : 2;
}

/* Registers of which the order of the slots decides. */
static bool steps_lfsr(const struct gaudi_tpc_insn *in)
{
	unsigned int i;

	for (i = 0; i < GAUDI_TPC_SRCS; i++)
		if (in->src[i].kind == K(LFSR) || in->src[i].kind == K(S_LFSR))
			return true;
	return in->dest.kind == K(LFSR) || in->dest.kind == K(S_LFSR) ||
	       SW(RM) == GAUDI_TPC_SR || SW(RM) == GAUDI_TPC_RM_DEFAULT;
}

static unsigned int dims_of(const struct gaudi_tpc_insn *in)
{
	return in->op == OP(PRMT_INDX) ? 0x1f : SW(DIMS);
}

static bool same_dest(const struct gaudi_tpc_insn *a,
		      const struct gaudi_tpc_insn *b)
{
	bool pair_a = a->dest.kind == K(D) || a->dest.kind == K(Z);
	bool pair_b = b->dest.kind == K(D) || b->dest.kind == K(Z);

	/* D are V, Z are S; kinds next to each other. */
	if (a->dest.kind - pair_a * (K(D) - K(V)) !=
	    b->dest.kind - pair_b * (K(D) - K(V)) || !a->dest.kind ||
	    a->dest.num > b->dest.num + pair_b ||
	    b->dest.num > a->dest.num + pair_a)
		return false;
	return a->dest.kind != K(I) || dims_of(a) & dims_of(b);
}

/* Not in this test: what ends or jumps, operands that only some values have. */
static bool is_left_out(const struct gaudi_tpc_insn *in)
{
	return in->op == OP(HALT) || in->op == OP(CALC_FP_SPECIAL) ||
	       in->op == OP(LOOKUP) || in->op == OP(LOOKUP_1C) ||
	       in->op == OP(LOOKUP_2C) || in->op == OP(JMPA) ||
	       (in->op == OP(JMPR) && in->src[0].kind == K(S));
}

static bool go_together(const struct gaudi_tpc_word *word)
{
	const struct gaudi_tpc_insn *a, *b;
	unsigned int i, k, memory, lfsr = 0;

	for (i = 0; i < GAUDI_TPC_SLOTS; i++) {
		a = &word->slot[i];
		lfsr += steps_lfsr(a);
		if (is_left_out(a))
			return false;
		for (k = 0; k < i; k++) {
			b = &word->slot[k];
			memory = memory_kind(a) | memory_kind(b);
			if (same_dest(a, b) ||
			    (memory_kind(a) && memory_kind(b) && memory != 1))
				return false;
		}
	}
	return lfsr < 2;
}

/* False: the slots cannot share a word, or nothing says what comes of it. */
static bool random_slots(struct gaudi_tpc_word *word, uint8_t *raw)
{
	struct gaudi_tpc_word one;
	unsigned int n, row, type, hidden = 0;

	gaudi_tpc_nops(word);
	for (n = 2 + any() % 3; n; n--) {
		row = any() % gaudi_tpc_form_count;
		type = gaudi_tpc_forms[row].types ?
		       any_bit(gaudi_tpc_forms[row].types) : GAUDI_TPC_NO_TYPE;
		if (!random_word(row, type, &one, raw, &hidden))
			return false;
		word->slot[gaudi_tpc_forms[row].slot] =
			one.slot[gaudi_tpc_forms[row].slot];
	}
	return go_together(word) && !gaudi_tpc_encode(word, raw, NULL) &&
	       !gaudi_tpc_decode(raw, word, NULL);
}

/* Registers are few, so that one slot reads what another one writes. */
static void fewer_registers(struct gaudi_tpc_word *word)
{
	struct gaudi_tpc_operand *o;
	unsigned int i, k;

	for (i = 0; i < GAUDI_TPC_SLOTS; i++)
		for (k = 0; k <= GAUDI_TPC_SRCS; k++) {
			o = k < GAUDI_TPC_SRCS ? &word->slot[i].src[k] :
						 &word->slot[i].dest;
			if (o->kind == K(V) || o->kind == K(S) ||
			    o->kind == K(VP) || o->kind == K(SP) ||
			    o->kind == K(I) || o->kind == K(AD))
				o->num = o->num % 4;
			else if (o->kind == K(D) || o->kind == K(Z))
				o->num = o->num % 4 & ~1u;
		}
}

static const struct gaudi_tpc_insn *needs_most(const struct gaudi_tpc_word *w)
{
	if (memory_kind(&w->slot[GAUDI_TPC_STORE]))
		return &w->slot[GAUDI_TPC_STORE];
	return memory_kind(&w->slot[GAUDI_TPC_LOAD]) ?
	       &w->slot[GAUDI_TPC_LOAD] : &w->slot[GAUDI_TPC_VPU];
}

static bool run_slots(struct test *t, const struct gaudi_tpc_word *word,
		      const uint8_t *raw)
{
	enum gaudi_tpc_why why;
	unsigned int i;

	t->at = 32 * (50 + any() % 100);
	tpc_host_code(t->host, raw, GAUDI_TPC_WORD);
	memcpy(t->host->mem + t->at, raw, GAUDI_TPC_WORD);
	random_state(t, needs_most(word));
	memcpy(t->ref->mem, t->host->mem, HOST_BYTES / 2);
	for (i = 0; i < GAUDI_TPC_SLOTS; i++)
		if (is_open(t->ref, &word->slot[i]))
			return false;
	if (!ref_word(t->ref, word)) {
		/* Before it found out, it may have stored. */
		memcpy(t->ref->mem, t->host->mem, HOST_BYTES);
		return false;
	}
	t->differ = 0;
	why = gaudi_tpc_execute(t->host->core, 1);
	if (why != GAUDI_TPC_BUDGET)
		differ(t, word, "the end", why);
	compare(t, word, needs_most(word));
	return true;
}

REF_TEST(slots_read_before_any_writes)
{
	struct gaudi_tpc_word word;
	uint8_t raw[GAUDI_TPC_WORD];
	unsigned int n, wrong = 0;

	t->alu = "slots";
	for (n = 0; n < WORDS;) {
		if (!random_slots(&word, raw))
			continue;
		fewer_registers(&word);
		if (!go_together(&word) ||
		    gaudi_tpc_encode(&word, raw, NULL) ||
		    gaudi_tpc_decode(raw, &word, NULL) ||
		    !run_slots(t, &word, raw))
			continue;
		wrong += t->differ != 0;
		n++;
	}
	assert_int_equal(wrong, 0);
}
