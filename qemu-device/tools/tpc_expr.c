// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Constant expressions of the TPC assembler: whole numbers of 64 bits, which
 * wrap, and numbers with a fraction; - ~ * / + - << >> & | and brackets.
 */
#include <stdlib.h>
#include <string.h>

#include "tpc_expr.h"

#define MAX_DEPTH		64

static struct gaudi_tpc_symbol *find(const struct gaudi_tpc_reader *reader,
				     const struct gaudi_tpc_token *name)
{
	size_t i;

	for (i = 0; i < reader->symbol_count; i++)
		if (reader->symbols[i].name->length == name->length &&
		    !memcmp(reader->symbols[i].name->text, name->text,
			    name->length))
			return &reader->symbols[i];
	return NULL;
}

bool gaudi_tpc_is_symbol(const struct gaudi_tpc_reader *reader,
			 const struct gaudi_tpc_token *name)
{
	return find(reader, name);
}

bool gaudi_tpc_set_symbol(struct gaudi_tpc_reader *reader,
			  const struct gaudi_tpc_token *name,
			  const struct gaudi_tpc_value *value)
{
	struct gaudi_tpc_symbol *symbol = find(reader, name);

	if (!symbol) {
		symbol = realloc(reader->symbols, (reader->symbol_count + 1) *
				 sizeof(*symbol));
		if (!symbol)
			return false;
		reader->symbols = symbol;
		symbol += reader->symbol_count++;
		symbol->name = name;
	}
	symbol->value = *value;
	return true;
}

void gaudi_tpc_free_symbols(struct gaudi_tpc_reader *reader)
{
	free(reader->symbols);
	reader->symbols = NULL;
	reader->symbol_count = 0;
}

static bool take(struct gaudi_tpc_reader *reader, const char *sign)
{
	if (reader->at->kind != GAUDI_TPC_T_SIGN ||
	    !gaudi_tpc_token_is(reader->at, sign))
		return false;
	reader->at++;
	return true;
}

static const char *primary(struct gaudi_tpc_reader *reader,
			   struct gaudi_tpc_value *value)
{
	const struct gaudi_tpc_token *token = reader->at;
	const struct gaudi_tpc_symbol *symbol;
	const char *wrong;

	memset(value, 0, sizeof(*value));
	if (token->kind == GAUDI_TPC_T_INT) {
		value->number = token->number;
	} else if (token->kind == GAUDI_TPC_T_FLOAT) {
		value->is_real = true;
		value->real = token->real;
	} else if (token->kind == GAUDI_TPC_T_NAME) {
		symbol = find(reader, token);
		if (!symbol)
			return "a number is expected here; this name has no value";
		*value = symbol->value;
	} else if (take(reader, "(")) {
		if (reader->depth == MAX_DEPTH)
			return "too many brackets";
		reader->depth++;
		wrong = gaudi_tpc_expression(reader, value);
		reader->depth--;
		if (wrong)
			return wrong;
		return take(reader, ")") ? NULL : ") is expected here";
	} else {
		return "a number is expected here";
	}
	reader->at++;
	return NULL;
}

static const char *unary(struct gaudi_tpc_reader *reader,
			 struct gaudi_tpc_value *value)
{
	bool minus = false, invert = false, more = true;
	const char *wrong;

	/* In a row they are done from the right: -~x is -(~x). */
	if (take(reader, "-"))
		minus = true;
	else if (take(reader, "~"))
		invert = true;
	else if (!take(reader, "+"))
		more = false;
	if (!more)
		return primary(reader, value);
	if (reader->depth == MAX_DEPTH)
		return "too many signs";
	reader->depth++;
	wrong = unary(reader, value);
	reader->depth--;
	if (wrong)
		return wrong;
	if (invert && value->is_real)
		return "~ needs whole numbers";
	value->real = minus ? -value->real : value->real;
	if (minus)
		value->number = -(uint64_t)value->number;
	if (invert)
		value->number = ~value->number;
	return NULL;
}

static double real_of(const struct gaudi_tpc_value *value)
{
	return value->is_real ? value->real : (double)value->number;
}

static const char *apply_real(char op, struct gaudi_tpc_value *a,
			      const struct gaudi_tpc_value *b)
{
	double x = real_of(a), y = real_of(b);

	a->is_real = true;
	switch (op) {
	case '*':
		a->real = x * y;
		return NULL;
	case '/':
		if (y == 0)
			return "division by zero";
		a->real = x / y;
		return NULL;
	case '+':
		a->real = x + y;
		return NULL;
	case '-':
		a->real = x - y;
		return NULL;
	}
	return "<< >> & | need whole numbers";
}

static const char *apply(char op, struct gaudi_tpc_value *a,
			 const struct gaudi_tpc_value *b)
{
	uint64_t x = a->number, y = b->number;

	if (a->is_real || b->is_real)
		return apply_real(op, a, b);
	switch (op) {
	case '*':
		a->number = x * y;
		break;
	case '/':
		if (!y)
			return "division by zero";
		a->number = y == UINT64_MAX ? (int64_t)-x :
			    a->number / b->number;
		break;
	case '+':
		a->number = x + y;
		break;
	case '-':
		a->number = x - y;
		break;
	case '<':
	case '>':
		if (y > 63)
			return "a shift is by 0 to 63 bits";
		a->number = op == '<' ? (int64_t)(x << y) : a->number >> y;
		break;
	case '&':
		a->number = x & y;
		break;
	default:
		a->number = x | y;
	}
	return NULL;
}

/* Operators from strong to weak. */
static const char *const levels[][3] = {
	{ "*", "/" }, { "+", "-" }, { "<<", ">>" }, { "&" }, { "|" },
};
#define LEVELS	(sizeof(levels) / sizeof(levels[0]))

static const char *binary(struct gaudi_tpc_reader *reader, unsigned int level,
			  struct gaudi_tpc_value *value)
{
	struct gaudi_tpc_value right;
	const char *wrong;
	unsigned int i;

	wrong = level ? binary(reader, level - 1, value) :
			unary(reader, value);
	while (!wrong) {
		for (i = 0; levels[level][i]; i++)
			if (take(reader, levels[level][i]))
				break;
		if (!levels[level][i])
			return NULL;
		wrong = level ? binary(reader, level - 1, &right) :
				unary(reader, &right);
		if (!wrong)
			wrong = apply(levels[level][i][0], value, &right);
	}
	return wrong;
}

const char *gaudi_tpc_expression(struct gaudi_tpc_reader *reader,
				 struct gaudi_tpc_value *value)
{
	return binary(reader, LEVELS - 1, value);
}
