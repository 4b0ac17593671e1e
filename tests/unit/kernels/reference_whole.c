// SPDX-License-Identifier: GPL-2.0-only
/* Whole numbers, comparisons, and what chooses by them. */
#include <math.h>

#include "reference.h"

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

/* --- whole numbers ---------------------------------------------------------- */

/* In 64 bits, so that nothing but the result runs over. */
static int64_t floor_div(int64_t a, int64_t b)
{
	return b ? a / b - (a % b && (a < 0) != (b < 0)) : 0;
}

static int64_t remainder_of(int64_t a, int64_t b)
{
	return b ? a - b * floor_div(a, b) : 0;
}

#define W(name, value) \
	static int64_t w_##name(int64_t a, int64_t b) \
	{ \
		(void)b; \
		return value; \
	}

W(add, a + b)
W(sub, a - b)
W(rsub, b - a)
W(mul, a * b)
W(max, a > b ? a : b)
W(min, a < b ? a : b)
W(and, a & b)
W(or, a | b)
W(xor, a ^ b)
W(shl, (uint64_t)b > 31 ? 0 : (int64_t)((uint64_t)a << b))
W(shr, (uint64_t)b > 31 ? a >> 31 : a >> b)
W(div, b ? a / b : 0)
W(rdiv, a ? b / a : 0)
W(floor_div, floor_div(a, b))
W(rfloor_div, floor_div(b, a))
W(fmod, b ? a % b : 0)
W(remainder, remainder_of(a, b))
W(rremainder, remainder_of(b, a))
W(neg, -a)
W(abs, a < 0 ? -a : a)
W(not, ~a)
W(sign, (a > 0) - (a < 0))

static int32_t whole_at(const struct tensor *t, const uint32_t *at)
{
	return (int32_t)word(t, at);
}

static bool whole(struct run *r, const char *name)
{
	static const struct {
		const char *name;
		int64_t (*f)(int64_t a, int64_t b);
	} known[] = {
#define OF(name)	{ #name, w_##name }
		OF(add), OF(sub), OF(rsub), OF(mul), OF(max), OF(min), OF(and),
		OF(or), OF(xor), OF(shl), OF(shr), OF(div), OF(rdiv),
		OF(floor_div), OF(rfloor_div), OF(fmod), OF(remainder),
		OF(rremainder), OF(neg), OF(abs), OF(not), OF(sign),
#undef OF
	};
	uint32_t inputs = r->k->num_tensors - 1, at[5] = {};
	struct tensor *to = &r->t[inputs];
	size_t n = strlen(name), i = 0;
	int64_t b = (int32_t)r->scalars[0];

	if (n > 7 && !strcmp(name + n - 7, "_scalar"))
		n -= 7;
	while (i < COUNT(known) && (strlen(known[i].name) != n ||
				    strncmp(known[i].name, name, n)))
		i++;
	if (i == COUNT(known))
		return false;
	do {
		if (inputs > 1)
			b = whole_at(&r->t[1], at);
		set_raw(to, number_of(to, at),
			(uint32_t)known[i].f(whole_at(&r->t[0], at), b));
	} while (next(to, at));
	return true;
}

/* --- comparisons ------------------------------------------------------------ */

static bool compared(const char *op, double a, double b)
{
	switch (op[0] << 8 | op[1]) {
	case 'e' << 8 | 'q':
		return a == b;
	case 'n' << 8 | 'e':
		return a != b;
	case 'l' << 8 | 't':
		return a < b;
	case 'l' << 8 | 'e':
		return a <= b;
	case 'g' << 8 | 't':
		return a > b;
	default:
		return a >= b;
	}
}

/* The scalar as the tensors are. */
static double scalar_as(const struct run *r, const struct tensor *t)
{
	return t->type == GAUDI_TYPE_I32 ? (int32_t)r->scalars[0] : scalar(r, 0);
}

static void compare(struct run *r, const char *name)
{
	uint32_t at[5] = {}, inputs = r->k->num_tensors - 1;
	struct tensor *to = &r->t[inputs];
	double b = scalar_as(r, &r->t[0]);

	do {
		if (inputs > 1)
			b = value(&r->t[1], at);
		put(to, at, compared(name, value(&r->t[0], at), b));
	} while (next(to, at));
}

static void where(struct run *r, const char *name)
{
	uint32_t at[5] = {};

	(void)name;
	do {
		put(&r->t[3], at, value(&r->t[word(&r->t[0], at) ? 1 : 2], at));
	} while (next(&r->t[3], at));
}

static void masked_fill(struct run *r, const char *name)
{
	uint32_t at[5] = {};

	(void)name;
	do {
		put(&r->t[2], at, word(&r->t[1], at) ?
		    scalar_as(r, &r->t[0]) : value(&r->t[0], at));
	} while (next(&r->t[2], at));
}

/* --- by name ---------------------------------------------------------------- */

/* Of two along dim 1, with their numbers; a last one alone stays. */
static void compare_exchange(struct run *r, const char *name)
{
	struct tensor *keys = &r->t[0], *numbers = &r->t[1];
	uint32_t a[5] = {}, b[5];
	int32_t key[2], number[2];
	bool swap;

	(void)name;
	do {
		memcpy(b, a, sizeof(b));
		b[1]++;
		if (a[1] % 2 || b[1] >= keys->dims[1])
			continue;
		key[0] = word(keys, a);
		key[1] = word(keys, b);
		number[0] = word(numbers, a);
		number[1] = word(numbers, b);
		swap = key[0] > key[1] || (key[0] == key[1] && number[0] > number[1]);
		set_raw(keys, number_of(keys, a), key[swap]);
		set_raw(keys, number_of(keys, b), key[!swap]);
		set_raw(numbers, number_of(numbers, a), number[swap]);
		set_raw(numbers, number_of(numbers, b), number[!swap]);
	} while (next(keys, a));
}

const struct reference reference_choices[] = {
	{ "eq*", compare }, { "ne", compare }, { "ne_scalar", compare },
	{ "lt*", compare }, { "le", compare }, { "le_scalar", compare },
	{ "gt*", compare }, { "ge", compare }, { "ge_scalar", compare },
	{ "where", where }, { "masked_fill", masked_fill },
	{ "compare_exchange", compare_exchange }, {},
};

bool reference_whole(struct run *r, const char *name)
{
	uint32_t t;

	for (t = 0; t < r->k->num_tensors; t++)
		if (r->k->tensors[t].type != GAUDI_TYPE_I32)
			return false;
	return whole(r, name);
}
