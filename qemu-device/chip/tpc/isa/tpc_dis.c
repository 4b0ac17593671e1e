// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * The TPC's instruction words as text: the syntax of the vendor's assembler,
 * one word a line, slots separated by semicolons.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tpc_isa_table.h"

#define K(name)		GAUDI_TPC_K_##name

struct text {
	char *p;
	size_t size;
	size_t n;			/* characters, also those without room */
};

__attribute__((format(printf, 2, 3)))
static void add(struct text *text, const char *format, ...)
{
	size_t at = text->n < text->size ? text->n : text->size;
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(text->p ? text->p + at : NULL, text->size - at, format,
		      ap);
	va_end(ap);
	text->n += n > 0 ? n : 0;
}

static void add_signed(struct text *text, uint32_t value)
{
	bool negative = value >> 31;

	add(text, "%c0x%x", negative ? '-' : '+', negative ? -value : value);
}

static void add_operand(struct text *text, const struct gaudi_tpc_operand *o)
{
	static const char *const names[GAUDI_TPC_KINDS] = {
		[K(V)] = "V", [K(D)] = "D", [K(VP)] = "VP", [K(S)] = "S",
		[K(Z)] = "Z", [K(SP)] = "SP", [K(I)] = "I", [K(AD)] = "AD",
		[K(LANE_ID)] = "V_LANE_ID_",
	};

	switch (o->kind) {
	case K(IMM):
	case K(CONST):
		add(text, "0x%x", o->value);
		break;
	case K(TENSOR):
		add(text, "0x%x", o->num);
		break;
	case K(LFSR):
		add(text, o->num ? "LFSR_NO_CHANGE" : "LFSR");
		break;
	case K(S_LFSR):
		add(text, o->num ? "S_LFSR_NO_CHANGE" : "S_LFSR");
		break;
	case K(HW):
		add(text, "%s", gaudi_tpc_hw_names[o->num]);
		break;
	default:
		add(text, "%s%u", names[o->kind], o->num);
	}
}

static void add_mask(struct text *text, unsigned int dims)
{
	int dim;

	add(text, "b");
	for (dim = GAUDI_TPC_DIMS - 1; dim >= 0; dim--)
		add(text, "%u", dims >> dim & 1);
}

static void add_pred(struct text *text, const struct gaudi_tpc_pred *pred,
		     const char *before)
{
	if (pred->kind == K(NONE))
		return;
	add(text, "%s%s%s%u", before, pred->negate ? "!" : "",
	    pred->kind == K(VP) ? "VP" : "SP", pred->num);
}

static bool has_place(const struct gaudi_tpc_form *form, unsigned int at)
{
	const struct gaudi_tpc_place *p;

	for (p = form->place; p->at; p++)
		if (p->at == at)
			return true;
	return false;
}

static void add_switch(struct text *text, const struct gaudi_tpc_form *form,
		       const struct gaudi_tpc_place_sw *p, unsigned int value)
{
	const struct gaudi_tpc_switch_text *s = &gaudi_tpc_switches[p->sw];
	const struct gaudi_tpc_names *names = &gaudi_tpc_names[p->sw];
	/* What the other conversions have no lanes for is not said. */
	bool quiet = p->sw == GAUDI_TPC_SW_NUM_LANES &&
		     (p->def == 1 || form->needs < 2);

	switch (s->how) {
	case GAUDI_TPC_FLAG:
		if (value != p->def)
			add(text, " %s%s", s->text, value ? "" : "=0");
		break;
	case GAUDI_TPC_OPTION:
		if (value != p->def)
			add(text, " %s=%u", s->text, value);
		break;
	case GAUDI_TPC_NUMBER:
		add(text, " %s=%u", s->text, value);
		break;
	case GAUDI_TPC_BARE:
		add(text, " %u", value);
		break;
	case GAUDI_TPC_MASK:
		if (has_place(form, GAUDI_TPC_AT_MASK))
			break;
		add(text, " ");
		add_mask(text, value);
		break;
	case GAUDI_TPC_NAMES:
		if (!*names->list[value] || (quiet && value == p->def))
			break;
		add(text, " %s%s%s", s->text, *s->text ? "=" : "",
		    names->list[value]);
		break;
	}
}

static void add_insn(struct text *text, const struct gaudi_tpc_insn *from,
		     const char *target)
{
	const struct gaudi_tpc_form *form = &gaudi_tpc_forms[from->form];
	const struct gaudi_tpc_place_sw *s;
	const struct gaudi_tpc_place *p;
	struct gaudi_tpc_insn insn = *from;
	const char *comma = " ";

	add(text, "%s", gaudi_tpc_op_name(insn.op));
	if (insn.type != GAUDI_TPC_NO_TYPE)
		add(text, ".%s", gaudi_tpc_type_name(insn.type));
	for (s = form->sw; s && s->at; s++)
		add_switch(text, form, s, insn.sw[s->sw]);
	for (p = form->place; p->at; p++) {
		struct gaudi_tpc_operand *o = gaudi_tpc_operand_at(&insn, p->at);

		if (p->at == GAUDI_TPC_AT_FIXED && !insn.sw[p->when])
			continue;
		add(text, "%s", comma);
		comma = ", ";
		if (p->at == GAUDI_TPC_AT_MASK)
			add_mask(text, insn.sw[GAUDI_TPC_SW_DIMS]);
		else if (p->at == GAUDI_TPC_AT_FIXED)
			add(text, "S%u", p->arg);
		else if (insn.op == GAUDI_TPC_OP_JMPR && o->kind == K(IMM) &&
			 target)
			add(text, "%s", target);
		else if (insn.op == GAUDI_TPC_OP_JMPR && o->kind == K(IMM))
			add_signed(text, o->value);
		else
			add_operand(text, o);
	}
	/* What has no operands has it behind a comma, too. */
	add_pred(text, &insn.pred, ", ");
}

static void add_loop(struct text *text, const struct gaudi_tpc_loop *loop,
		     const char *target)
{
	const struct gaudi_tpc_operand *operand[] = {
		&loop->start, &loop->boundary, &loop->step,
	};
	unsigned int i;

	add(text, "loop%s ", loop->once ? " once" : "");
	for (i = 0; i < 3; i++) {
		if (operand[i]->kind == K(IMM) && operand[i]->value >> 31)
			add_signed(text, operand[i]->value);
		else
			add_operand(text, operand[i]);
		add(text, ", ");
	}
	add(text, "%s, ", gaudi_tpc_loop_cmps[loop->cmp]);
	if (target)
		add(text, "%s", target);
	else
		add(text, "end=+0x%x", loop->end);
	add_pred(text, &loop->pred, ", ");
}

int gaudi_tpc_print_to(const struct gaudi_tpc_word *word, const char *target,
		       char *buffer, size_t size)
{
	struct text text = { buffer, size, 0 };
	unsigned int i;

	if (size)
		*buffer = '\0';
	if (word->is_loop)
		add_loop(&text, &word->loop, target);
	else
		for (i = 0; i < GAUDI_TPC_SLOTS; i++) {
			add(&text, "%s", i ? "; " : "");
			add_insn(&text, &word->slot[i], target);
		}
	return text.n;
}

int gaudi_tpc_print(const struct gaudi_tpc_word *word, char *text, size_t size)
{
	return gaudi_tpc_print_to(word, NULL, text, size);
}

bool gaudi_tpc_target(const struct gaudi_tpc_word *word, int64_t pc,
		      int64_t *target)
{
	const struct gaudi_tpc_insn *spu = &word->slot[GAUDI_TPC_SPU];

	if (word->is_loop) {
		*target = pc + word->loop.end + GAUDI_TPC_WORD;
		return true;
	}
	if (spu->op != GAUDI_TPC_OP_JMPR ||
	    spu->src[GAUDI_TPC_SRC_A].kind != K(IMM))
		return false;
	*target = pc + (int32_t)spu->src[GAUDI_TPC_SRC_A].value;
	return true;
}
