// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * The TPC's instruction words: from bytes to the decoded form and back, by the
 * table of tpc_isa.c.
 *
 * Bits that an operation does not use are ignored, as the unit ignores them,
 * and are zero in what is encoded.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tpc_isa_table.h"

/* A word that is a loop: bits. */
#define LOOP_START		6	/* width 7, a S register */
#define LOOP_BOUNDARY		13	/* width 7 */
#define LOOP_STEP		20	/* width 6 */
#define LOOP_START_IMM		26	/* flags: the immediate, not the register */
#define LOOP_BOUNDARY_IMM	27
#define LOOP_STEP_IMM		28
#define LOOP_ONCE		29
#define LOOP_BOUNDARY_VALUE	36	/* width 32 */
#define LOOP_STEP_VALUE		68	/* width 32 */
#define LOOP_END		100	/* width 16 */
#define LOOP_CMP		116	/* width 3 */

/* Numbers of operands: kind, first number, how many, what step. */
struct range {
	uint8_t kind;
	uint8_t first;
	uint8_t count;
	uint8_t align;
	uint8_t num;			/* that of the first */
};

#define K(name)			GAUDI_TPC_K_##name

static const struct range spu_ranges[] = {
	{ K(S), 0, GAUDI_TPC_S_COUNT + GAUDI_TPC_LOOPS, 1 },
	{ K(Z), 0, GAUDI_TPC_S_COUNT + GAUDI_TPC_LOOPS, 2 },
	{ K(S_LFSR), 40, 2, 1 },
	{ K(SP), 48, GAUDI_TPC_SP_COUNT, 1 },
	{ K(I), 64, GAUDI_TPC_I_COUNT, 1 },
	{ K(AD), 96, GAUDI_TPC_AD_COUNT, 1 },
	{ },
};

static const struct range other_ranges[] = {
	{ K(V), 0, GAUDI_TPC_V_COUNT, 1 },
	{ K(D), 0, GAUDI_TPC_V_COUNT, 2 },
	{ K(LFSR), 40, 2, 1 },
	{ K(LANE_ID), 42, 1, 1, 32 },
	{ K(LANE_ID), 43, 1, 1, 16 },
	{ K(LANE_ID), 44, 1, 1, 8 },
	{ K(S), 64, GAUDI_TPC_S_COUNT + GAUDI_TPC_LOOPS, 1 },
	{ K(S_LFSR), 104, 2, 1 },
	{ K(I), 128, GAUDI_TPC_I_COUNT, 1 },
	{ K(AD), 160, GAUDI_TPC_AD_COUNT, 1 },
	{ K(SP), 224, GAUDI_TPC_SP_COUNT, 1 },
	{ K(VP), 240, GAUDI_TPC_VP_COUNT, 1 },
	{ },
};

static const char *const field_names[GAUDI_TPC_AT_FIELDS + 1] = {
	[GAUDI_TPC_AT_OPCODE] = "opcode", [GAUDI_TPC_AT_TYPE] = "type",
	[GAUDI_TPC_AT_DEST] = "dest", [GAUDI_TPC_AT_A] = "srcA",
	[GAUDI_TPC_AT_B] = "srcB", [GAUDI_TPC_AT_C] = "srcC",
	[GAUDI_TPC_AT_D] = "srcD", [GAUDI_TPC_AT_SW] = "switches",
	[GAUDI_TPC_AT_POLARITY] = "polarity",
	[GAUDI_TPC_AT_PRED] = "predicate", [GAUDI_TPC_AT_IMM] = "immediate",
};

static int __attribute__((format(printf, 5, 6)))
fail(struct gaudi_tpc_error *err, unsigned int slot,
		unsigned int at, uint32_t value, const char *format, ...)
{
	va_list ap;
	int n;

	if (!err)
		return -1;
	err->slot = slot;
	err->field = field_names[at];
	err->value = value;
	n = snprintf(err->text, sizeof(err->text), "%s slot: ",
		     gaudi_tpc_slot_name(slot));
	va_start(ap, format);
	vsnprintf(err->text + n, sizeof(err->text) - n, format, ap);
	va_end(ap);
	return -1;
}

static uint32_t bits(const uint8_t *raw, unsigned int first, unsigned int width)
{
	uint64_t value = 0;
	unsigned int i;

	for (i = 0; i < 5 && first / 8 + i < GAUDI_TPC_WORD; i++)
		value |= (uint64_t)raw[first / 8 + i] << 8 * i;
	return value >> first % 8 & ((1ull << width) - 1);
}

static uint32_t field(const uint8_t *raw, unsigned int slot, unsigned int at)
{
	const struct gaudi_tpc_field *f = &gaudi_tpc_fields[slot][at];

	return bits(raw, f->first, f->width);
}

/* Registers that what is there cannot be written to. */
static bool writable(const struct gaudi_tpc_operand *operand)
{
	return operand->kind == K(S) ? operand->num < GAUDI_TPC_S_COUNT :
	       operand->kind == K(Z) ? operand->num + 1 < GAUDI_TPC_S_COUNT :
	       operand->kind == K(LFSR) || operand->kind == K(S_LFSR) ?
	       operand->num == 0 : true;
}

static const struct range *ranges(unsigned int slot)
{
	return slot == GAUDI_TPC_SPU ? spu_ranges : other_ranges;
}

/* What code stands for among kinds; false if nothing. */
static bool from_code(unsigned int slot, uint32_t code, uint32_t kinds,
		      struct gaudi_tpc_operand *operand)
{
	const struct range *r;

	for (r = ranges(slot); r->count; r++) {
		if (!(kinds & 1u << r->kind) || code < r->first ||
		    code - r->first >= r->count ||
		    (code - r->first) % r->align)
			continue;
		operand->kind = r->kind;
		operand->num = r->num + (code - r->first);
		return true;
	}
	return false;
}

static int to_code(unsigned int slot, const struct gaudi_tpc_operand *operand)
{
	const struct range *r;

	for (r = ranges(slot); r->count; r++)
		if (r->kind == operand->kind && operand->num >= r->num &&
		    operand->num - r->num < r->count &&
		    !((operand->num - r->num) % r->align))
			return r->first + operand->num - r->num;
	return -1;
}

/* One operand from its field. */
static bool decode_operand(const uint8_t *raw, unsigned int slot,
			   const struct gaudi_tpc_place *place,
			   struct gaudi_tpc_operand *operand)
{
	uint32_t imm = bits(raw, GAUDI_TPC_IMM_FIRST, 32);
	uint32_t code;

	if (place->at == GAUDI_TPC_AT_IMM) {
		operand->kind = K(IMM);
		operand->value = imm;
		return true;
	}
	code = field(raw, slot, place->at);
	if (place->arg) {
		code &= (1u << place->arg) - 1;
		if (place->kinds & 1u << K(TENSOR)) {
			operand->kind = K(TENSOR);
			operand->num = code;
			return code < GAUDI_TPC_TENSORS;
		}
		operand->kind = K(CONST);
		operand->value = code;
		return true;
	}
	if (place->kinds & 1u << K(HW)) {
		operand->kind = K(HW);
		operand->num = code;
		return code < gaudi_tpc_hw_count && gaudi_tpc_hw_names[code];
	}
	if (code == GAUDI_TPC_IMM_CODE && place->kinds & 1u << K(IMM)) {
		operand->kind = K(IMM);
		operand->value = imm;
		return true;
	}
	return from_code(slot, code, place->kinds, operand) &&
	       (place->at != GAUDI_TPC_AT_DEST || writable(operand));
}

static bool switch_value_known(unsigned int sw, unsigned int value)
{
	const struct gaudi_tpc_names *names = &gaudi_tpc_names[sw];

	return !names->count || (value < names->count &&
				 (!names->list || names->list[value]));
}

static int decode_switches(const uint8_t *raw, const struct gaudi_tpc_form *form,
			   struct gaudi_tpc_insn *insn,
			   struct gaudi_tpc_error *err)
{
	const struct gaudi_tpc_place_sw *p;
	unsigned int i;

	for (p = form->sw; p && p->at; p++) {
		uint32_t value = field(raw, form->slot, p->at) >> p->shift &
				 ((1u << p->width) - 1);

		insn->sw[p->sw] = value;
		if (!switch_value_known(p->sw, value))
			return fail(err, form->slot, p->at, value,
				    "%s: no value %u of %s",
				    gaudi_tpc_op_name(form->op), value,
				    gaudi_tpc_switches[p->sw].text);
	}
	for (i = 0; i < form->needs; i++)
		if (insn->sw[form->need[i].sw] != form->need[i].value)
			return fail(err, form->slot, GAUDI_TPC_AT_SW,
				    insn->sw[form->need[i].sw],
				    "%s: switches that do not go together",
				    gaudi_tpc_op_name(form->op));
	return 0;
}

static int decode_type(const uint8_t *raw, const struct gaudi_tpc_form *form,
		       struct gaudi_tpc_insn *insn, struct gaudi_tpc_error *err)
{
	uint32_t type = form->type_in_b ?
			field(raw, form->slot, GAUDI_TPC_AT_B) >> 4 & 15 :
			field(raw, form->slot, GAUDI_TPC_AT_TYPE);

	insn->type = GAUDI_TPC_NO_TYPE;
	if (!form->types && (!form->code_counts || type == form->code))
		return 0;
	if (!(form->types & 1u << type))
		return fail(err, form->slot, GAUDI_TPC_AT_TYPE, type,
			    "%s has no type %u (%s)",
			    gaudi_tpc_op_name(form->op), type,
			    *gaudi_tpc_type_name(type) ?
			    gaudi_tpc_type_name(type) : "none");
	insn->type = type;
	return 0;
}

/* 0 if the form fits; else how far it came is in *reached. */
static int decode_form(const uint8_t *raw, unsigned int index,
		       struct gaudi_tpc_insn *insn,
		       struct gaudi_tpc_error *err, unsigned int *reached)
{
	const struct gaudi_tpc_form *form = &gaudi_tpc_forms[index];
	const struct gaudi_tpc_place *p;

	memset(insn, 0, sizeof(*insn));
	insn->op = form->op;
	insn->slot = form->slot;
	insn->form = index;
	*reached = 1;
	if (decode_type(raw, form, insn, err))
		return -1;
	*reached = 2;
	for (p = form->place; p->at; p++, ++*reached) {
		struct gaudi_tpc_operand *operand =
			gaudi_tpc_operand_at(insn, p->at);
		uint32_t code;

		if (!operand || decode_operand(raw, form->slot, p, operand))
			continue;
		code = field(raw, form->slot, p->at);
		return fail(err, form->slot, p->at, code,
			    "%s does not take operand 0x%x as %s",
			    gaudi_tpc_op_name(form->op), code,
			    field_names[p->at]);
	}
	if (decode_switches(raw, form, insn, err))
		return -1;
	for (p = form->place; p->at; p++)
		if (p->at == GAUDI_TPC_AT_FIXED &&
		    p->when == GAUDI_TPC_SW_TNSR_ID_REG) {
			insn->src[GAUDI_TPC_SRC_B].kind = K(S);
			insn->src[GAUDI_TPC_SRC_B].num = p->arg;
		}
	return 0;
}

static int decode_slot(const uint8_t *raw, unsigned int slot,
		       struct gaudi_tpc_insn *insn, struct gaudi_tpc_error *err)
{
	uint32_t opcode = field(raw, slot, GAUDI_TPC_AT_OPCODE);
	struct gaudi_tpc_error why;
	unsigned int best = 0, reached, i;

	for (i = 0; i < gaudi_tpc_form_count; i++) {
		if (gaudi_tpc_forms[i].slot != slot ||
		    gaudi_tpc_opcode(slot, gaudi_tpc_forms[i].op) !=
		    (int)opcode)
			continue;
		if (!decode_form(raw, i, insn, &why, &reached))
			return 0;
		if (reached > best && err)
			*err = why;
		if (reached > best)
			best = reached;
	}
	if (best)
		return -1;
	return fail(err, slot, GAUDI_TPC_AT_OPCODE, opcode, "no opcode 0x%02x",
		    opcode);
}

static void decode_pred(const uint8_t *raw, unsigned int slot,
			struct gaudi_tpc_pred *pred)
{
	uint32_t num = field(raw, slot, GAUDI_TPC_AT_PRED);

	pred->negate = field(raw, slot, GAUDI_TPC_AT_POLARITY);
	pred->num = num & 15;
	pred->kind = num > 15 ? K(VP) : num || pred->negate ? K(SP) : K(NONE);
}

static bool plain(const struct gaudi_tpc_insn *insn)
{
	return !gaudi_tpc_forms[insn->form].place[0].at &&
	       insn->op != GAUDI_TPC_OP_ASO &&
	       insn->op != GAUDI_TPC_OP_CACHE_FLUSH &&
	       insn->op != GAUDI_TPC_OP_CACHE_INVALIDATE;
}

/* NULL, or why the predicate is none for that operation. */
static const char *bad_pred(const struct gaudi_tpc_insn *insn)
{
	bool lanes = insn->dest.kind == K(V) || insn->dest.kind == K(D) ||
		     insn->dest.kind == K(VP) || insn->dest.kind == K(LFSR);

	if (insn->pred.kind == K(NONE))
		return NULL;
	if (plain(insn))
		return "has no predicate";
	if (insn->pred.kind == K(SP))
		return NULL;
	if (insn->slot == GAUDI_TPC_VPU ||
	    (insn->slot == GAUDI_TPC_LOAD && lanes &&
	     gaudi_tpc_forms[insn->form].lanes_too))
		return NULL;
	return "takes no VP as predicate";
}

static void decode_loop_operand(const uint8_t *raw, unsigned int reg,
				unsigned int width, unsigned int flag,
				unsigned int value,
				struct gaudi_tpc_operand *operand)
{
	if (bits(raw, flag, 1)) {
		operand->kind = K(IMM);
		operand->value = bits(raw, value, 32);
	} else {
		operand->kind = K(S);
		operand->num = bits(raw, reg, width);
	}
}

static int decode_loop(const uint8_t *raw, struct gaudi_tpc_loop *loop,
		       struct gaudi_tpc_error *err)
{
	const struct gaudi_tpc_operand *operand[] = {
		&loop->start, &loop->boundary, &loop->step,
	};
	unsigned int i;

	decode_loop_operand(raw, LOOP_START, 7, LOOP_START_IMM,
			    GAUDI_TPC_IMM_FIRST, &loop->start);
	decode_loop_operand(raw, LOOP_BOUNDARY, 7, LOOP_BOUNDARY_IMM,
			    LOOP_BOUNDARY_VALUE, &loop->boundary);
	decode_loop_operand(raw, LOOP_STEP, 6, LOOP_STEP_IMM, LOOP_STEP_VALUE,
			    &loop->step);
	loop->once = bits(raw, LOOP_ONCE, 1);
	loop->cmp = bits(raw, LOOP_CMP, 3);
	loop->end = bits(raw, LOOP_END, 16);
	decode_pred(raw, GAUDI_TPC_SPU, &loop->pred);
	for (i = 0; i < 3; i++)
		if (operand[i]->num >= GAUDI_TPC_S_COUNT + GAUDI_TPC_LOOPS)
			return fail(err, GAUDI_TPC_SPU, GAUDI_TPC_AT_A + i,
				    operand[i]->num, "loop does not take 0x%x",
				    operand[i]->num);
	if (loop->cmp >= GAUDI_TPC_LOOP_CMPS)
		return fail(err, GAUDI_TPC_SPU, GAUDI_TPC_AT_SW, loop->cmp,
			    "loop: no comparison %u", loop->cmp);
	if (loop->end % GAUDI_TPC_WORD)
		return fail(err, GAUDI_TPC_SPU, GAUDI_TPC_AT_IMM, loop->end,
			    "loop: its end 0x%x is within a word", loop->end);
	return 0;
}

void gaudi_tpc_nops(struct gaudi_tpc_word *word)
{
	unsigned int i;

	memset(word, 0, sizeof(*word));
	for (i = 0; i < GAUDI_TPC_SLOTS; i++) {
		word->slot[i].slot = i;
		word->slot[i].op = GAUDI_TPC_OP_NOP;
		word->slot[i].type = GAUDI_TPC_NO_TYPE;
		gaudi_tpc_find_form(&word->slot[i], NULL);
	}
}

bool gaudi_tpc_is_halt(const uint8_t *raw)
{
	return (int)field(raw, GAUDI_TPC_SPU, GAUDI_TPC_AT_OPCODE) ==
	       gaudi_tpc_opcode(GAUDI_TPC_SPU, GAUDI_TPC_OP_HALT);
}

int gaudi_tpc_decode(const uint8_t *raw, struct gaudi_tpc_word *word,
		     struct gaudi_tpc_error *err)
{
	const char *why;
	unsigned int i;

	if ((int)field(raw, GAUDI_TPC_SPU, GAUDI_TPC_AT_OPCODE) ==
	    gaudi_tpc_opcode(GAUDI_TPC_SPU, GAUDI_TPC_OP_LOOP)) {
		gaudi_tpc_nops(word);
		word->is_loop = true;
		return decode_loop(raw, &word->loop, err);
	}
	memset(word, 0, sizeof(*word));
	for (i = 0; i < GAUDI_TPC_SLOTS; i++) {
		struct gaudi_tpc_insn *insn = &word->slot[i];

		if (decode_slot(raw, i, insn, err))
			return -1;
		if (plain(insn))
			continue;
		decode_pred(raw, i, &insn->pred);
		why = bad_pred(insn);
		if (why)
			return fail(err, i, GAUDI_TPC_AT_PRED,
				    field(raw, i, GAUDI_TPC_AT_PRED), "%s %s",
				    gaudi_tpc_op_name(insn->op), why);
	}
	return 0;
}

/* Bits that are taken already must be the same. */
struct out {
	uint8_t *raw;
	uint8_t used[GAUDI_TPC_WORD];
};

static bool put(struct out *out, unsigned int first, unsigned int width,
		uint32_t value)
{
	unsigned int i;

	for (i = 0; i < width; i++) {
		unsigned int byte = (first + i) / 8, bit = 1u << (first + i) % 8;
		bool one = value >> i & 1;

		if (out->used[byte] & bit && !!(out->raw[byte] & bit) != one)
			return false;
		out->used[byte] |= bit;
		if (one)
			out->raw[byte] |= bit;
	}
	return true;
}

static int put_field(struct out *out, unsigned int slot, unsigned int at,
		     unsigned int shift, unsigned int width, uint32_t value,
		     struct gaudi_tpc_error *err)
{
	const struct gaudi_tpc_field *f = &gaudi_tpc_fields[slot][at];

	if (put(out, f->first + shift, width ? width : f->width, value))
		return 0;
	return fail(err, slot, at, value,
		    "another slot needs the bits of %s for something else",
		    at == GAUDI_TPC_AT_POLARITY ? "the predicate" :
		    field_names[at]);
}

static int put_imm(struct out *out, unsigned int slot, uint32_t value,
		   struct gaudi_tpc_error *err)
{
	if (put(out, GAUDI_TPC_IMM_FIRST, 32, value))
		return 0;
	return fail(err, slot, GAUDI_TPC_AT_IMM, value,
		    "a word has one immediate; 0x%x is a second one", value);
}

static int encode_operand(struct out *out, unsigned int slot,
			  const struct gaudi_tpc_place *place,
			  const struct gaudi_tpc_operand *operand,
			  struct gaudi_tpc_error *err)
{
	int code;

	switch (operand->kind) {
	case K(TENSOR):
	case K(HW):
		return put_field(out, slot, place->at, 0, place->arg,
				 operand->num, err);
	case K(CONST):
		return put_field(out, slot, place->at, 0, place->arg,
				 operand->value, err);
	case K(IMM):
		if (put_imm(out, slot, operand->value, err))
			return -1;
		if (place->at == GAUDI_TPC_AT_IMM)
			return 0;
		return put_field(out, slot, place->at, 0, 0,
				 GAUDI_TPC_IMM_CODE, err);
	}
	code = to_code(slot, operand);
	return put_field(out, slot, place->at, 0, 0, code, err);
}

static int encode_pred(struct out *out, const struct gaudi_tpc_insn *insn,
		       struct gaudi_tpc_error *err)
{
	const char *why = bad_pred(insn);
	uint32_t num = insn->pred.num;

	if (why)
		return fail(err, insn->slot, GAUDI_TPC_AT_PRED, num, "%s %s",
			    gaudi_tpc_op_name(insn->op), why);
	if (plain(insn))
		return 0;
	if (insn->pred.kind == K(VP))
		num += 16;
	if (put_field(out, insn->slot, GAUDI_TPC_AT_PRED, 0, 0, num, err) ||
	    put_field(out, insn->slot, GAUDI_TPC_AT_POLARITY, 0, 0,
		      insn->pred.negate, err)) {
		if (err && insn->slot != GAUDI_TPC_VPU)
			fail(err, insn->slot, GAUDI_TPC_AT_PRED, num,
			     "the slots LOAD and STORE share one predicate");
		return -1;
	}
	return 0;
}

static int encode_slot(struct out *out, const struct gaudi_tpc_insn *from,
		       struct gaudi_tpc_error *err)
{
	struct gaudi_tpc_insn insn = *from;
	const struct gaudi_tpc_form *form;
	const struct gaudi_tpc_place *p;
	const struct gaudi_tpc_place_sw *s;
	unsigned int slot = insn.slot;

	if (gaudi_tpc_find_form(&insn, err))
		return -1;
	form = &gaudi_tpc_forms[insn.form];
	if (put_field(out, slot, GAUDI_TPC_AT_OPCODE, 0, 0,
		      gaudi_tpc_opcode(slot, insn.op), err))
		return -1;
	for (p = form->place; p->at; p++) {
		struct gaudi_tpc_operand *o = gaudi_tpc_operand_at(&insn, p->at);

		if (o && encode_operand(out, slot, p, o, err))
			return -1;
		/* What the vendor's assembler leaves there. */
		if (p->at == GAUDI_TPC_AT_FIXED && slot == GAUDI_TPC_STORE &&
		    p->when == GAUDI_TPC_SW_TNSR_ID_REG &&
		    put_field(out, slot, GAUDI_TPC_AT_B, 0, 0, p->arg, err))
			return -1;
	}
	for (s = form->sw; s && s->at; s++)
		if (put_field(out, slot, s->at, s->shift, s->width,
			      insn.sw[s->sw], err))
			return -1;
	if (form->type_in_b) {
		if (put_field(out, slot, GAUDI_TPC_AT_B, 4, 4, insn.type, err))
			return -1;
	} else if (gaudi_tpc_fields[slot][GAUDI_TPC_AT_TYPE].width &&
		   !form->typeless &&
		   put_field(out, slot, GAUDI_TPC_AT_TYPE, 0, 0,
			     form->types ? insn.type : form->code, err)) {
		return -1;
	}
	if (form->dest_in_a &&
	    put_field(out, slot, GAUDI_TPC_AT_A, 0, 0, to_code(slot, &insn.dest),
		      err))
		return -1;
	return encode_pred(out, &insn, err);
}

/* The register's field has the low bits of an immediate. */
static void encode_loop_operand(struct out *out, unsigned int reg,
				unsigned int width, unsigned int flag,
				unsigned int value,
				const struct gaudi_tpc_operand *operand)
{
	bool imm = operand->kind == K(IMM);
	uint32_t number = imm ? operand->value : operand->num;

	put(out, flag, 1, imm);
	put(out, reg, width, number & ((1u << width) - 1));
	if (imm)
		put(out, value, 32, number);
}

static int encode_loop(struct out *out, const struct gaudi_tpc_loop *loop,
		       struct gaudi_tpc_error *err)
{
	struct gaudi_tpc_loop again = { };

	put(out, 0, 6, gaudi_tpc_opcode(GAUDI_TPC_SPU, GAUDI_TPC_OP_LOOP));
	encode_loop_operand(out, LOOP_START, 7, LOOP_START_IMM,
			    GAUDI_TPC_IMM_FIRST, &loop->start);
	encode_loop_operand(out, LOOP_BOUNDARY, 7, LOOP_BOUNDARY_IMM,
			    LOOP_BOUNDARY_VALUE, &loop->boundary);
	encode_loop_operand(out, LOOP_STEP, 6, LOOP_STEP_IMM, LOOP_STEP_VALUE,
			    &loop->step);
	put(out, LOOP_ONCE, 1, loop->once);
	put(out, LOOP_CMP, 3, loop->cmp);
	put(out, LOOP_END, 16, loop->end);
	if (loop->pred.kind == K(VP))
		return fail(err, GAUDI_TPC_SPU, GAUDI_TPC_AT_PRED,
			    loop->pred.num, "loop takes no VP as predicate");
	put_field(out, GAUDI_TPC_SPU, GAUDI_TPC_AT_PRED, 0, 0, loop->pred.num,
		  NULL);
	put_field(out, GAUDI_TPC_SPU, GAUDI_TPC_AT_POLARITY, 0, 0,
		  loop->pred.negate, NULL);
	return decode_loop(out->raw, &again, err);
}

/* LOOKUP: the immediate repeats the function, if no other slot has one. */
static void repeat_b(struct out *out, const struct gaudi_tpc_insn *insn)
{
	unsigned int i;

	if (!gaudi_tpc_forms[insn->form].b_in_imm)
		return;
	for (i = 0; i < 32; i++)
		if (out->used[(GAUDI_TPC_IMM_FIRST + i) / 8] &
		    1u << (GAUDI_TPC_IMM_FIRST + i) % 8)
			return;
	put(out, GAUDI_TPC_IMM_FIRST, 32, insn->src[GAUDI_TPC_SRC_B].value);
}

int gaudi_tpc_encode(const struct gaudi_tpc_word *word, uint8_t *raw,
		     struct gaudi_tpc_error *err)
{
	struct out out = { .raw = raw };
	unsigned int i;

	memset(raw, 0, GAUDI_TPC_WORD);
	if (word->is_loop)
		return encode_loop(&out, &word->loop, err);
	for (i = 0; i < GAUDI_TPC_SLOTS; i++)
		if (encode_slot(&out, &word->slot[i], err))
			return -1;
	repeat_b(&out, &word->slot[GAUDI_TPC_LOAD]);
	return 0;
}

static bool operand_fits(unsigned int slot, const struct gaudi_tpc_place *place,
			 const struct gaudi_tpc_operand *operand)
{
	if (!(place->kinds & 1u << operand->kind))
		return false;
	switch (operand->kind) {
	case K(IMM):
		return true;
	case K(CONST):
		return !(operand->value >> place->arg);
	case K(TENSOR):
		return operand->num < GAUDI_TPC_TENSORS;
	case K(HW):
		return operand->num < gaudi_tpc_hw_count &&
		       gaudi_tpc_hw_names[operand->num];
	}
	return to_code(slot, operand) >= 0 &&
	       (place->at != GAUDI_TPC_AT_DEST || writable(operand));
}

static int form_fits(struct gaudi_tpc_insn *insn,
		     const struct gaudi_tpc_form *form, unsigned int *reached,
		     struct gaudi_tpc_error *err)
{
	const char *name = gaudi_tpc_op_name(insn->op);
	const struct gaudi_tpc_place_sw *s;
	const struct gaudi_tpc_place *p;
	unsigned int i;

	*reached = 1;
	if (form->types ? !(form->types & 1u << insn->type) :
	    insn->type != GAUDI_TPC_NO_TYPE)
		return fail(err, insn->slot, GAUDI_TPC_AT_TYPE, insn->type,
			    insn->type == GAUDI_TPC_NO_TYPE ?
			    "%s needs a type%s" : "%s has no type %s", name,
			    gaudi_tpc_type_name(insn->type));
	*reached = 2;
	for (p = form->place; p->at; p++, ++*reached) {
		struct gaudi_tpc_operand *o = gaudi_tpc_operand_at(insn, p->at);

		if (o && p->kinds & 1u << o->kind &&
		    p->at == GAUDI_TPC_AT_DEST && !writable(o) &&
		    to_code(insn->slot, o) >= 0)
			return fail(err, insn->slot, p->at, o->num,
				    "%s cannot write this, it is for reading only",
				    name);
		if (o && !operand_fits(insn->slot, p, o))
			return fail(err, insn->slot, p->at, o->num,
				    "%s does not take this operand as %s", name,
				    field_names[p->at]);
	}
	for (s = form->sw; s && s->at; s++)
		if (insn->sw[s->sw] >> s->width ||
		    !switch_value_known(s->sw, insn->sw[s->sw]))
			return fail(err, insn->slot, s->at, insn->sw[s->sw],
				    "%s: no value %u of %s", name,
				    insn->sw[s->sw],
				    gaudi_tpc_switches[s->sw].text);
	for (i = 0; i < form->needs; i++)
		if (insn->sw[form->need[i].sw] != form->need[i].value)
			return fail(err, insn->slot, GAUDI_TPC_AT_SW,
				    insn->sw[form->need[i].sw],
				    "%s: switches and operands do not go together",
				    name);
	return 0;
}

int gaudi_tpc_find_form(struct gaudi_tpc_insn *insn, struct gaudi_tpc_error *err)
{
	struct gaudi_tpc_error why;
	unsigned int best = 0, reached, i;

	for (i = 0; i < gaudi_tpc_form_count; i++) {
		if (gaudi_tpc_forms[i].slot != insn->slot ||
		    gaudi_tpc_forms[i].op != insn->op)
			continue;
		if (!form_fits(insn, &gaudi_tpc_forms[i], &reached, &why)) {
			insn->form = i;
			return 0;
		}
		if (reached > best && err)
			*err = why;
		if (reached > best)
			best = reached;
	}
	if (best)
		return -1;
	return fail(err, insn->slot, GAUDI_TPC_AT_OPCODE, insn->op,
		    "no operation %s", gaudi_tpc_op_name(insn->op));
}
