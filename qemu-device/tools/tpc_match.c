// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From an operation as written to the row of the instruction table that it is:
 * types, modifiers and operands, and in words what does not fit.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tpc_match.h"

#define K(name)			GAUDI_TPC_K_##name

/* How far a row came. */
#define AT_TYPE			1
#define AT_COUNT		2
#define AT_ARG			3	/* and more, by its number */
#define AT_SWITCH		20

static const struct {
	const char *prefix;
	uint8_t kind;
	uint8_t count;
	bool even;
} registers[] = {
	{ "VP", K(VP), GAUDI_TPC_VP_COUNT },
	{ "SP", K(SP), GAUDI_TPC_SP_COUNT },
	{ "AD", K(AD), GAUDI_TPC_AD_COUNT },
	{ "V", K(V), GAUDI_TPC_V_COUNT },
	{ "D", K(D), GAUDI_TPC_V_COUNT, true },
	{ "S", K(S), GAUDI_TPC_S_COUNT + GAUDI_TPC_LOOPS },
	{ "Z", K(Z), GAUDI_TPC_S_COUNT + GAUDI_TPC_LOOPS, true },
	{ "I", K(I), GAUDI_TPC_I_COUNT },
};

static const struct {
	const char *name;
	uint8_t kind;
	uint8_t num;
} specials[] = {
	{ "LFSR", K(LFSR), 0 },
	{ "LFSR_NO_CHANGE", K(LFSR), 1 },
	{ "S_LFSR", K(S_LFSR), 0 },
	{ "S_LFSR_NO_CHANGE", K(S_LFSR), 1 },
	{ "V_LANE_ID_32", K(LANE_ID), 32 },
	{ "V_LANE_ID_16", K(LANE_ID), 16 },
	{ "V_LANE_ID_8", K(LANE_ID), 8 },
};

#define COUNT(list)		(sizeof(list) / sizeof((list)[0]))

static bool same(const char *a, size_t length, const char *b)
{
	return length == strlen(b) && !memcmp(a, b, length);
}

/* Upper case is as good; registers alone have one way to be written. */
bool gaudi_tpc_same_word(const char *a, size_t length, const char *b)
{
	return length == strlen(b) && !strncasecmp(a, b, length);
}

int gaudi_tpc_register(const char *name, size_t length,
		       struct gaudi_tpc_operand *operand)
{
	unsigned int i, num = 0;
	size_t n;

	memset(operand, 0, sizeof(*operand));
	for (i = 0; i < COUNT(specials); i++)
		if (same(name, length, specials[i].name)) {
			operand->kind = specials[i].kind;
			operand->num = specials[i].num;
			return 1;
		}
	for (i = 0; i < gaudi_tpc_hw_count; i++)
		if (gaudi_tpc_hw_names[i] &&
		    same(name, length, gaudi_tpc_hw_names[i])) {
			operand->kind = K(HW);
			operand->num = i;
			return 1;
		}
	for (i = 0; i < COUNT(registers); i++) {
		n = strlen(registers[i].prefix);
		if (length > n && !memcmp(name, registers[i].prefix, n) &&
		    name[n] >= '0' && name[n] <= '9')
			break;
	}
	if (i == COUNT(registers))
		return 0;
	for (; n < length; n++) {
		if (name[n] < '0' || name[n] > '9')
			return 0;
		num = num > 999 ? num : 10 * num + name[n] - '0';
	}
	operand->kind = registers[i].kind;
	operand->num = num;
	return num < registers[i].count && !(registers[i].even && num % 2) ?
	       1 : -1;
}

/* "V3", "the number 5": for messages. */
static void describe(const struct gaudi_tpc_arg *arg, char *text, size_t size)
{
	switch (arg->kind) {
	case GAUDI_TPC_ARG_INT:
		snprintf(text, size, "the number %lld",
			 (long long)arg->number);
		break;
	case GAUDI_TPC_ARG_REAL:
		snprintf(text, size, "the number %g", arg->real);
		break;
	case GAUDI_TPC_ARG_NAME:
		snprintf(text, size, "the name %.*s",
			 (int)(arg->at->length < 40 ? arg->at->length : 40),
			 arg->at->text);
		break;
	case GAUDI_TPC_ARG_REG:
		snprintf(text, size, "%.*s",
			 (int)(arg->at->length < 40 ? arg->at->length : 40),
			 arg->at->text);
		break;
	case GAUDI_TPC_ARG_MASK:
		snprintf(text, size, "a mask");
		break;
	default:
		snprintf(text, size, "this");
	}
}

__attribute__((format(printf, 3, 4)))
static int fail(struct gaudi_tpc_wrong *wrong,
		const struct gaudi_tpc_token *at, const char *format, ...)
{
	va_list ap;

	wrong->at = at;
	va_start(ap, format);
	vsnprintf(wrong->text, sizeof(wrong->text), format, ap);
	va_end(ap);
	return -1;
}

/* "V, S or a number", from bits of kinds. */
static void kinds_text(uint32_t kinds, char *text, size_t size)
{
	static const char *const names[GAUDI_TPC_KINDS] = {
		[K(V)] = "V", [K(D)] = "D (a pair of V)", [K(VP)] = "VP",
		[K(S)] = "S", [K(Z)] = "Z (a pair of S)", [K(SP)] = "SP",
		[K(I)] = "I", [K(AD)] = "AD", [K(IMM)] = "a number",
		[K(CONST)] = "a small number", [K(TENSOR)] =
		"a tensor's number (0 to 15)", [K(LANE_ID)] = NULL,
		[K(LFSR)] = NULL, [K(S_LFSR)] = NULL,
		[K(HW)] = "a hardware register (PC ...)",
	};
	unsigned int k, left = 0;
	size_t n = 0;

	*text = '\0';
	for (k = 0; k < GAUDI_TPC_KINDS; k++)
		left += names[k] && kinds & 1u << k;
	for (k = 0; k < GAUDI_TPC_KINDS && n < size; k++) {
		if (!names[k] || !(kinds & 1u << k))
			continue;
		left--;
		n += snprintf(text + n, size - n, "%s%s", names[k],
			      left > 1 ? ", " : left ? " or " : "");
	}
	if (!*text)
		snprintf(text, size, "LFSR, S_LFSR or V_LANE_ID");
}

/* bf16: rounded to nearest even. NaN stays one. */
static uint32_t to_bf16(uint32_t bits)
{
	if ((bits & 0x7fffffff) > 0x7f800000)
		return bits >> 16 | 0x40;
	return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

bool gaudi_tpc_bits(const struct gaudi_tpc_arg *arg, unsigned int type,
		    uint32_t *bits)
{
	float real = arg->real;

	if (arg->kind == GAUDI_TPC_ARG_REAL) {
		if (type != GAUDI_TPC_F32 && type != GAUDI_TPC_BF16)
			return false;
		memcpy(bits, &real, sizeof(real));
		if (type == GAUDI_TPC_BF16)
			*bits = to_bf16(*bits);
		return true;
	}
	*bits = (uint32_t)arg->number;
	return arg->number >= INT32_MIN && arg->number <= UINT32_MAX;
}

/* One argument into one operand: 0 or -1. */
static int match_arg(const struct gaudi_tpc_arg *arg,
		     const struct gaudi_tpc_place *place,
		     struct gaudi_tpc_insn *insn,
		     const struct gaudi_tpc_token **label,
		     struct gaudi_tpc_wrong *wrong)
{
	struct gaudi_tpc_operand *o = gaudi_tpc_operand_at(insn, place->at);
	char want[120], got[60];
	bool number = arg->kind == GAUDI_TPC_ARG_INT ||
		      arg->kind == GAUDI_TPC_ARG_REAL;

	describe(arg, got, sizeof(got));
	if (arg->negate)
		return fail(wrong, arg->at, "! is for predicates only");
	if (arg->kind == GAUDI_TPC_ARG_REG && place->kinds &
	    1u << arg->reg.kind) {
		*o = arg->reg;
		return 0;
	}
	if (arg->kind == GAUDI_TPC_ARG_NAME && place->kinds & 1u << K(IMM) &&
	    insn->op == GAUDI_TPC_OP_JMPR) {
		o->kind = K(IMM);
		*label = arg->at;
		return 0;
	}
	if (number && place->kinds & 1u << K(IMM)) {
		o->kind = K(IMM);
		if (gaudi_tpc_bits(arg, insn->type, &o->value))
			return 0;
		return fail(wrong, arg->at, arg->kind == GAUDI_TPC_ARG_REAL ?
			    "a number with a fraction needs type f32 or bf16" :
			    "%s has no place in 32 bits", got);
	}
	if (arg->kind == GAUDI_TPC_ARG_INT && arg->number >= 0 &&
	    place->kinds & 1u << K(CONST)) {
		o->kind = K(CONST);
		o->value = arg->number;
		if (arg->number >> place->arg == 0)
			return 0;
		return fail(wrong, arg->at, "%s has no place in %u bits", got,
			    place->arg);
	}
	if (arg->kind == GAUDI_TPC_ARG_INT && arg->number >= 0 &&
	    arg->number < GAUDI_TPC_TENSORS && place->kinds & 1u << K(TENSOR)) {
		o->kind = K(TENSOR);
		o->num = arg->number;
		return 0;
	}
	kinds_text(place->kinds, want, sizeof(want));
	return fail(wrong, arg->at, "%s is expected here, not %s", want, got);
}

/* "st", "st=1", "st=0": the last where it is set unless told. */
static int flag_value(const struct gaudi_tpc_given *given,
		      const struct gaudi_tpc_place_sw *p)
{
	const char *text = gaudi_tpc_switches[p->sw].text;

	if (!given->name ||
	    (!gaudi_tpc_same_word(given->name, given->name_length, text) &&
	     !(p->sw == GAUDI_TPC_SW_SAT &&
	       gaudi_tpc_same_word(given->name, given->name_length, "sat"))))
		return -1;
	if (!given->value)
		return 1;
	return given->value->kind == GAUDI_TPC_T_INT && given->number >= 0 &&
	       given->number <= 1 ? given->number : -1;
}

/* num_lanes=0x40 in the compiler's listings: the field's bits in its place. */
static int lanes_value(const struct gaudi_tpc_given *given)
{
	if (!given->name || !given->value ||
	    given->value->kind != GAUDI_TPC_T_INT ||
	    !gaudi_tpc_same_word(given->name, given->name_length, "num_lanes"))
		return -1;
	return given->number == 0 ? 0 : given->number == 0x40 ? 1 : -1;
}

/* The value of a switch from one that was written, or -1. */
static int given_value(const struct gaudi_tpc_given *given,
		       const struct gaudi_tpc_place_sw *p)
{
	const struct gaudi_tpc_switch_text *s = &gaudi_tpc_switches[p->sw];
	const struct gaudi_tpc_names *names = &gaudi_tpc_names[p->sw];
	unsigned int i;

	if (p->sw == GAUDI_TPC_SW_NUM_LANES && lanes_value(given) >= 0)
		return lanes_value(given);
	switch (s->how) {
	case GAUDI_TPC_FLAG:
		return flag_value(given, p);
	case GAUDI_TPC_NUMBER:
	case GAUDI_TPC_OPTION:
		if (!given->name || !given->value ||
		    given->value->kind != GAUDI_TPC_T_INT ||
		    !gaudi_tpc_same_word(given->name, given->name_length,
					 s->text))
			return -1;
		break;
	case GAUDI_TPC_BARE:
		if (given->name || given->mask)
			return -1;
		break;
	case GAUDI_TPC_MASK:
		if (!given->mask)
			return -1;
		break;
	case GAUDI_TPC_NAMES:
		if (!given->name || !!*s->text != !!given->value ||
		    (*s->text && !gaudi_tpc_same_word(given->name, given->name_length,
				       s->text)))
			return -1;
		for (i = 0; i < names->count; i++) {
			const char *text = given->value ? given->value->text :
					   given->name;
			size_t length = given->value ? given->value->length :
					given->name_length;

			if (names->list[i] && gaudi_tpc_same_word(text, length,
						   names->list[i]))
				return i;
		}
		return -1;
	default:
		return -1;
	}
	if (given->number < 0 || given->number >> p->width ||
	    (names->count && given->number >= names->count))
		return -1;
	return given->number;
}

static int match_switches(const struct gaudi_tpc_written *written,
			  const struct gaudi_tpc_form *form,
			  struct gaudi_tpc_insn *insn,
			  struct gaudi_tpc_wrong *wrong)
{
	const struct gaudi_tpc_place_sw *p;
	bool set[GAUDI_TPC_SW_COUNT] = { };
	unsigned int i;
	int value = -1;

	for (p = form->sw; p && p->at; p++)
		insn->sw[p->sw] = p->def == GAUDI_TPC_REQUIRED ? 0 : p->def;
	for (i = 0; i < written->given_count; i++) {
		const struct gaudi_tpc_given *given = &written->given[i];

		for (p = form->sw; p && p->at; p++) {
			value = given_value(given, p);
			if (value >= 0)
				break;
		}
		if (!p || !p->at)
			return fail(wrong, given->at,
				    "%s has no such modifier with these operands, or not with this value",
				    gaudi_tpc_op_name(form->op));
		if (set[p->sw])
			return fail(wrong, given->at,
				    "this modifier was given already");
		set[p->sw] = true;
		insn->sw[p->sw] = value;
	}
	for (p = form->sw; p && p->at; p++)
		if (p->def == GAUDI_TPC_REQUIRED && !set[p->sw])
			return fail(wrong, written->at,
				    "%s needs its modifier %s%s",
				    gaudi_tpc_op_name(form->op),
				    p->sw == GAUDI_TPC_SW_TO_16 ?
				    "to_8 or to_16" :
				    p->sw == GAUDI_TPC_SW_BV16 ?
				    "bv32 or bv16" :
				    p->sw == GAUDI_TPC_SW_DIM ?
				    "0 to 4, the dimension" :
				    p->sw == GAUDI_TPC_SW_STEP ?
				    "0 to 31, the step" :
				    gaudi_tpc_switches[p->sw].text,
				    *gaudi_tpc_switches[p->sw].text ? "=" : "");
	for (i = 0; i < form->needs; i++)
		if (insn->sw[form->need[i].sw] != form->need[i].value)
			return fail(wrong, written->at,
				    "%s: these operands do not go with these modifiers",
				    gaudi_tpc_op_name(form->op));
	return 0;
}

static bool place_counts(const struct gaudi_tpc_place *p,
			 const struct gaudi_tpc_insn *insn)
{
	return p->at != GAUDI_TPC_AT_FIXED || insn->sw[p->when];
}

static int match_fixed(const struct gaudi_tpc_arg *arg,
		       const struct gaudi_tpc_place *p,
		       struct gaudi_tpc_insn *insn,
		       struct gaudi_tpc_wrong *wrong)
{
	if (arg->kind != GAUDI_TPC_ARG_REG || arg->negate ||
	    arg->reg.kind != K(S) || arg->reg.num != p->arg)
		return fail(wrong, arg->at, "S%u is expected here", p->arg);
	if (p->when == GAUDI_TPC_SW_TNSR_ID_REG)
		insn->src[GAUDI_TPC_SRC_B] = arg->reg;
	return 0;
}

static int match_pred(const struct gaudi_tpc_arg *arg,
		      struct gaudi_tpc_insn *insn, struct gaudi_tpc_wrong *wrong)
{
	if (arg->kind != GAUDI_TPC_ARG_REG ||
	    (arg->reg.kind != K(SP) && arg->reg.kind != K(VP)))
		return fail(wrong, arg->at,
			    "SP or VP is expected here, the predicate");
	/* SP0 is always true: no predicate. */
	if (arg->reg.kind == K(SP) && !arg->reg.num && !arg->negate)
		return 0;
	insn->pred.kind = arg->reg.kind;
	insn->pred.num = arg->reg.num;
	insn->pred.negate = arg->negate;
	return 0;
}

/* A type that the encoding has anyway may be written: "mov.b SP1, SP2". */
static bool type_fits(const struct gaudi_tpc_form *form, unsigned int type)
{
	if (form->types)
		return form->types & 1u << type;
	return type == GAUDI_TPC_NO_TYPE ||
	       (form->code_counts && type == form->code);
}

static int match_form(const struct gaudi_tpc_written *w,
		      const struct gaudi_tpc_form *form,
		      struct gaudi_tpc_insn *insn,
		      const struct gaudi_tpc_token **label,
		      struct gaudi_tpc_wrong *wrong, unsigned int *reached)
{
	const char *name = gaudi_tpc_op_name(w->op);
	const struct gaudi_tpc_place *p;
	unsigned int i = 0, count = 0;
	struct gaudi_tpc_wrong later;
	int bad;

	*reached = AT_TYPE;
	if (!type_fits(form, w->type))
		return w->type == GAUDI_TPC_NO_TYPE ?
		       fail(wrong, w->at, "%s needs a type: %s.f32 or so",
			    name, name) :
		       fail(wrong, w->at, "%s has no type %s here", name,
			    gaudi_tpc_type_name(w->type));
	insn->type = form->types ? w->type : GAUDI_TPC_NO_TYPE;
	bad = match_switches(w, form, insn, &later);
	for (p = form->place; p->at; p++)
		count += place_counts(p, insn);
	*reached = AT_COUNT;
	if (w->arg_count != count && w->arg_count != count + 1)
		return fail(wrong, w->at,
			    "%s: %u operands are expected (and a predicate, if any), not %u",
			    name, count, w->arg_count);
	for (p = form->place; p->at; p++) {
		const struct gaudi_tpc_arg *arg = &w->arg[i];

		if (!place_counts(p, insn))
			continue;
		*reached = AT_ARG + i++;
		if (p->at == GAUDI_TPC_AT_MASK) {
			if (arg->kind != GAUDI_TPC_ARG_MASK)
				return fail(wrong, arg->at,
					    "a mask of dimensions is expected here, as b00011");
			insn->sw[GAUDI_TPC_SW_DIMS] = arg->number;
		} else if (p->at == GAUDI_TPC_AT_FIXED) {
			if (match_fixed(arg, p, insn, wrong))
				return -1;
		} else if (match_arg(arg, p, insn, label, wrong)) {
			return -1;
		}
	}
	*reached = AT_ARG + i;
	if (w->arg_count > count && match_pred(&w->arg[count], insn, wrong))
		return -1;
	*reached = AT_SWITCH;
	if (bad)
		*wrong = later;
	return bad;
}

/*
 * What has coordinates has a tensor beside them, and perhaps a register. The
 * three are of different kinds, so that any order of them has one meaning; the
 * assembler's and that of the vendor's disassembler differ.
 */
static void tensor_order(struct gaudi_tpc_written *w, bool stores)
{
	const struct gaudi_tpc_arg *tensor = NULL, *index = NULL, *reg = NULL;
	struct gaudi_tpc_arg sorted[3];
	unsigned int i;

	if (w->arg_count < 3)
		return;
	for (i = 0; i < 3; i++) {
		const struct gaudi_tpc_arg *arg = &w->arg[i];

		if (arg->kind == GAUDI_TPC_ARG_REG && arg->reg.kind == K(I))
			index = arg;
		else if (arg->kind == GAUDI_TPC_ARG_REG &&
			 arg->reg.kind != K(S))
			reg = arg;
		else
			tensor = arg;
	}
	if (!tensor || !index || !reg)
		return;
	sorted[stores ? 2 : 0] = *reg;
	sorted[stores ? 0 : 1] = *tensor;
	sorted[stores ? 1 : 2] = *index;
	memcpy(w->arg, sorted, sizeof(sorted));
}

void gaudi_tpc_sort_operands(struct gaudi_tpc_written *w)
{
	switch (w->op) {
	case GAUDI_TPC_OP_LD_TNSR:
	case GAUDI_TPC_OP_LD_TNSR_LOW:
	case GAUDI_TPC_OP_LD_TNSR_HIGH:
	case GAUDI_TPC_OP_GEN_ADDR:
		tensor_order(w, false);
		break;
	case GAUDI_TPC_OP_ST_TNSR:
	case GAUDI_TPC_OP_ST_TNSR_LOW:
	case GAUDI_TPC_OP_ST_TNSR_HIGH:
		tensor_order(w, true);
		break;
	default:
		break;
	}
}

int gaudi_tpc_match(const struct gaudi_tpc_written *written, unsigned int slot,
		    struct gaudi_tpc_insn *insn,
		    const struct gaudi_tpc_token **label,
		    struct gaudi_tpc_wrong *wrong, unsigned int *better)
{
	struct gaudi_tpc_wrong why;
	unsigned int reached, i;

	*better = 0;
	for (i = 0; i < gaudi_tpc_form_count; i++) {
		const struct gaudi_tpc_form *form = &gaudi_tpc_forms[i];

		if (form->slot != slot || form->op != written->op)
			continue;
		memset(insn, 0, sizeof(*insn));
		insn->op = form->op;
		insn->slot = slot;
		insn->form = i;
		*label = NULL;
		if (!match_form(written, form, insn, label, &why, &reached))
			return 0;
		if (reached > *better) {
			*better = reached;
			*wrong = why;
		}
	}
	if (!*better)
		fail(wrong, written->at, "%s is no operation of the %s slot",
		     gaudi_tpc_op_name(written->op), gaudi_tpc_slot_name(slot));
	return -1;
}

bool gaudi_tpc_is_switch(unsigned int op, const char *name, size_t length)
{
	const struct gaudi_tpc_place_sw *p;
	unsigned int i, v;

	for (i = 0; i < gaudi_tpc_form_count; i++) {
		if (gaudi_tpc_forms[i].op != op)
			continue;
		for (p = gaudi_tpc_forms[i].sw; p && p->at; p++) {
			const struct gaudi_tpc_switch_text *s =
				&gaudi_tpc_switches[p->sw];
			const struct gaudi_tpc_names *names =
				&gaudi_tpc_names[p->sw];

			if (*s->text &&
			    gaudi_tpc_same_word(name, length, s->text))
				return true;
			if (p->sw == GAUDI_TPC_SW_SAT &&
			    gaudi_tpc_same_word(name, length, "sat"))
				return true;
			for (v = 0; s->how == GAUDI_TPC_NAMES && !*s->text &&
			     v < names->count; v++)
				if (names->list[v] && length &&
				    gaudi_tpc_same_word(name, length, names->list[v]))
					return true;
		}
	}
	return false;
}
