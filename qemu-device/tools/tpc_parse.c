// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The text of one operation for the TPC, taken apart: mnemonic, modifiers,
 * operands. Nothing here knows which of them go together.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tpc_parse.h"

bool gaudi_tpc_say(struct gaudi_tpc_parser *as,
		   const struct gaudi_tpc_token *at, bool warning,
		   const char *format, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	as->errors += !warning;
	if (as->report)
		as->report(as->arg, at->line, at->column, warning, text);
	return false;
}

struct gaudi_tpc_token *gaudi_tpc_now(struct gaudi_tpc_parser *as)
{
	return as->reader.at;
}

bool gaudi_tpc_is_sign(struct gaudi_tpc_parser *as, const char *text)
{
	return as->reader.at->kind == GAUDI_TPC_T_SIGN &&
	       gaudi_tpc_token_is(as->reader.at, text);
}

bool gaudi_tpc_line_ends(struct gaudi_tpc_parser *as)
{
	return as->reader.at->kind == GAUDI_TPC_T_NEWLINE ||
	       as->reader.at->kind == GAUDI_TPC_T_END;
}

static bool op_ends(struct gaudi_tpc_parser *as)
{
	return gaudi_tpc_line_ends(as) || gaudi_tpc_is_sign(as, ";") || gaudi_tpc_is_sign(as, "}");
}

bool gaudi_tpc_value_of(struct gaudi_tpc_parser *as,
			struct gaudi_tpc_value *value)
{
	const char *wrong = gaudi_tpc_expression(&as->reader, value);

	return !wrong || gaudi_tpc_say(as, as->reader.at, false, "%s", wrong);
}

bool gaudi_tpc_integer(struct gaudi_tpc_parser *as, const char *what,
		       int64_t low, int64_t high, int64_t *number)
{
	const struct gaudi_tpc_token *at = as->reader.at;
	struct gaudi_tpc_value value;

	if (!gaudi_tpc_value_of(as, &value))
		return false;
	if (value.is_real || value.number < low || value.number > high)
		return gaudi_tpc_say(as, at, false,
			   "%s: a whole number from %lld to %lld is expected",
			   what, (long long)low, (long long)high);
	*number = value.number;
	return true;
}

/* b and five binary digits. */
static bool mask_of(const struct gaudi_tpc_token *token, int64_t *mask)
{
	size_t i;

	if (token->kind != GAUDI_TPC_T_NAME ||
	    token->length != 1 + GAUDI_TPC_DIMS || token->text[0] != 'b')
		return false;
	*mask = 0;
	for (i = 1; i < token->length; i++) {
		if (token->text[i] != '0' && token->text[i] != '1')
			return false;
		*mask = *mask << 1 | (token->text[i] - '0');
	}
	return true;
}

static bool name_argument(struct gaudi_tpc_parser *as, struct gaudi_tpc_arg *arg)
{
	const struct gaudi_tpc_token *token = as->reader.at;
	int found;

	if (gaudi_tpc_token_is(token, "end") &&
	    gaudi_tpc_token_is(token + 1, "=")) {
		as->reader.at += 2;
		arg->kind = GAUDI_TPC_ARG_END;
		return gaudi_tpc_integer(as, "end", 0, UINT16_MAX, &arg->number);
	}
	found = gaudi_tpc_register(token->text, token->length, &arg->reg);
	if (found < 0)
		return gaudi_tpc_say(as, token, false, "there is no register %.*s",
			   (int)(token->length < 40 ? token->length : 40),
			   token->text);
	as->reader.at++;
	if (found)
		arg->kind = GAUDI_TPC_ARG_REG;
	else if (mask_of(token, &arg->number))
		arg->kind = GAUDI_TPC_ARG_MASK;
	else
		arg->kind = GAUDI_TPC_ARG_NAME;
	return true;
}

static bool argument(struct gaudi_tpc_parser *as, struct gaudi_tpc_arg *arg)
{
	struct gaudi_tpc_value value;
	const struct gaudi_tpc_token *first;
	unsigned int i;

	memset(arg, 0, sizeof(*arg));
	if (gaudi_tpc_is_sign(as, "!")) {
		arg->negate = true;
		as->reader.at++;
	}
	first = as->reader.at;
	arg->at = first;
	for (i = 0; i < GAUDI_TPC_LOOP_CMPS; i++)
		if (gaudi_tpc_is_sign(as, gaudi_tpc_loop_cmps[i])) {
			arg->kind = GAUDI_TPC_ARG_CMP;
			arg->number = i;
			as->reader.at++;
			return true;
		}
	if (first->kind == GAUDI_TPC_T_NAME &&
	    !gaudi_tpc_is_symbol(&as->reader, first))
		return name_argument(as, arg);
	if (op_ends(as) || gaudi_tpc_is_sign(as, ","))
		return gaudi_tpc_say(as, first, false, "an operand is expected here");
	if (!gaudi_tpc_value_of(as, &value))
		return false;
	arg->kind = value.is_real ? GAUDI_TPC_ARG_REAL : GAUDI_TPC_ARG_INT;
	arg->number = value.number;
	arg->real = value.real;
	arg->decimal = as->reader.at == first + 1 &&
		       first->kind == GAUDI_TPC_T_INT && value.number &&
		       !(first->length > 1 && (first->text[1] | 32) == 'x');
	return true;
}

/* mnemonic.type.switch ...: the parts behind the first dot. */
static bool suffixes(struct gaudi_tpc_parser *as, struct gaudi_tpc_written *w,
		     const char *p, const char *end)
{
	while (p < end) {
		const char *start = ++p;
		unsigned int type;

		while (p < end && *p != '.')
			p++;
		for (type = 0; type < GAUDI_TPC_TYPES; type++)
			if (gaudi_tpc_same_word(start, p - start,
						gaudi_tpc_type_names[type]))
				break;
		if (type < GAUDI_TPC_TYPES && w->type == GAUDI_TPC_NO_TYPE) {
			w->type = type;
			continue;
		}
		if (w->given_count == GAUDI_TPC_MAX_GIVEN ||
		    !gaudi_tpc_is_switch(w->op, start, p - start))
			return gaudi_tpc_say(as, w->at, false,
				   "%s: .%.*s is neither a type nor a modifier",
				   gaudi_tpc_op_name(w->op),
				   (int)(p - start < 40 ? p - start : 40),
				   start);
		w->given[w->given_count].at = w->at;
		w->given[w->given_count].name = start;
		w->given[w->given_count++].name_length = p - start;
	}
	return true;
}

/* At =: what is behind it. */
static bool switch_value(struct gaudi_tpc_parser *as,
			 struct gaudi_tpc_given *given)
{
	const struct gaudi_tpc_token *value = ++as->reader.at;

	if (value->kind != GAUDI_TPC_T_NAME && value->kind != GAUDI_TPC_T_INT)
		return gaudi_tpc_say(as, value, false,
				     "a value is expected behind =");
	given->value = value;
	given->number = value->kind == GAUDI_TPC_T_INT ? value->number : -1;
	as->reader.at++;
	return true;
}

static bool mnemonic(struct gaudi_tpc_parser *as, struct gaudi_tpc_written *w)
{
	const struct gaudi_tpc_token *token = as->reader.at;
	size_t length = 0;

	memset(w, 0, sizeof(*w));
	w->at = token;
	w->type = GAUDI_TPC_NO_TYPE;
	if (token->kind != GAUDI_TPC_T_NAME)
		return gaudi_tpc_say(as, token, false, "an operation is expected here");
	while (length < token->length && token->text[length] != '.')
		length++;
	for (w->op = 0; w->op < GAUDI_TPC_OP_COUNT; w->op++)
		if (gaudi_tpc_same_word(token->text, length,
					gaudi_tpc_op_name(w->op)))
			break;
	if (w->op == GAUDI_TPC_OP_COUNT)
		return gaudi_tpc_say(as, token, false, "there is no operation %.*s",
			   (int)(token->length < 60 ? token->length : 60),
			   token->text);
	as->reader.at++;
	if (!suffixes(as, w, token->text + length,
		      token->text + token->length))
		return false;
	/* find_first.i32.set=1.start_lsb: what is behind the 1 is a name. */
	while (w->given_count && gaudi_tpc_is_sign(as, "=")) {
		if (!switch_value(as, &w->given[w->given_count - 1]))
			return false;
		token = as->reader.at;
		if (token->kind != GAUDI_TPC_T_NAME || *token->text != '.')
			break;
		as->reader.at++;
		if (!suffixes(as, w, token->text, token->text + token->length))
			return false;
	}
	return true;
}

/* A modifier before the operands; *more: there was one. */
static bool modifier(struct gaudi_tpc_parser *as, struct gaudi_tpc_written *w,
		     bool *more)
{
	const struct gaudi_tpc_token *token = as->reader.at;
	struct gaudi_tpc_given given = { .at = token };

	*more = true;
	if (token->kind == GAUDI_TPC_T_NAME &&
	    gaudi_tpc_token_is(token + 1, "=")) {
		given.name = token->text;
		given.name_length = token->length;
		as->reader.at++;
		if (!switch_value(as, &given))
			return false;
		as->reader.at--;
	} else if (mask_of(token, &given.number)) {
		given.mask = true;
	} else if (token->kind == GAUDI_TPC_T_NAME &&
		   gaudi_tpc_is_switch(w->op, token->text, token->length)) {
		given.name = token->text;
		given.name_length = token->length;
	} else if (token->kind == GAUDI_TPC_T_INT &&
		   token[1].kind == GAUDI_TPC_T_NAME) {
		given.number = token->number;
	} else {
		*more = false;
		return true;
	}
	as->reader.at++;
	if (w->given_count == GAUDI_TPC_MAX_GIVEN)
		return gaudi_tpc_say(as, token, false, "too many modifiers");
	w->given[w->given_count++] = given;
	return true;
}

static bool takes_nothing(unsigned int op)
{
	unsigned int i;

	for (i = 0; i < gaudi_tpc_form_count; i++)
		if (gaudi_tpc_forms[i].op == op &&
		    gaudi_tpc_forms[i].place[0].at)
			return false;
	return true;
}

/* mnemonic modifiers operand, operand ... */
bool gaudi_tpc_operation(struct gaudi_tpc_parser *as,
			 struct gaudi_tpc_written *w)
{
	bool more = true;

	if (!mnemonic(as, w))
		return false;
	if (w->op == GAUDI_TPC_OP_LOOP && as->reader.at->kind == GAUDI_TPC_T_NAME &&
	    gaudi_tpc_token_is(as->reader.at, "once")) {
		w->given_count = 1;
		as->reader.at++;
	}
	while (more && !op_ends(as) && w->op != GAUDI_TPC_OP_LOOP)
		if (!modifier(as, w, &more))
			return false;
	/* "aso vpu, SP1": a comma, and only the predicate. */
	if (gaudi_tpc_is_sign(as, ",") && takes_nothing(w->op))
		as->reader.at++;
	while (!op_ends(as)) {
		if (w->arg_count == GAUDI_TPC_MAX_ARGS)
			return gaudi_tpc_say(as, as->reader.at, false, "too many operands");
		if (!argument(as, &w->arg[w->arg_count++]))
			return false;
		if (op_ends(as))
			break;
		if (!gaudi_tpc_is_sign(as, ","))
			return gaudi_tpc_say(as, as->reader.at, false,
				   "a comma or the end of the operation is expected here");
		as->reader.at++;
		if (op_ends(as))
			return gaudi_tpc_say(as, as->reader.at, false,
				   "an operand is expected behind the comma");
	}
	gaudi_tpc_sort_operands(w);
	return true;
}
