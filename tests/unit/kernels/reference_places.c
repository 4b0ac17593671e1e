// SPDX-License-Identifier: GPL-2.0-only
/* What depends on where an element is: random numbers, sequences, numbered elements. */
#include <math.h>

#include "reference.h"

/* Philox 4x32-10. */
static void philox(uint32_t c[4], uint32_t k0, uint32_t k1)
{
	uint64_t a, b;
	int i;

	for (i = 0; i < 10; i++) {
		a = 0xd2511f53ull * c[0];
		b = 0xcd9e8d57ull * c[2];
		c[0] = (uint32_t)(b >> 32) ^ c[1] ^ k0;
		c[1] = (uint32_t)b;
		c[2] = (uint32_t)(a >> 32) ^ c[3] ^ k1;
		c[3] = (uint32_t)a;
		k0 += 0x9e3779b9;
		k1 += 0xbb67ae85;
	}
}

static double uniform_of(uint32_t word, uint32_t bits)
{
	return ldexp(word >> (32 - bits), -(int)bits);
}

/* By the words of the counter that this element shares with three others. */
static double random_of(const struct run *r, const char *name,
			const uint32_t c[4], uint32_t which)
{
	double u, angle;

	if (name[0] == 'u')
		return uniform_of(c[which],
				  r->t[1].type == GAUDI_TYPE_BF16 ? 8 : 24);
	if (name[0] == 'b')
		return uniform_of(c[which], 24) < scalar(r, 0);
	if (name[0] == 'r')
		return (int32_t)(r->scalars[0] + (r->scalars[1] ?
			(uint32_t)((uint64_t)c[which] * r->scalars[1] >> 32) :
			c[which]));
	u = uniform_of(c[which & 2], 24) + 0x1p-24;
	angle = 2 * M_PI * uniform_of(c[which | 1], 24);
	return sqrt(-2 * log(u)) * (which & 1 ? sin(angle) : cos(angle));
}

static void random_numbers(struct run *r, const char *name)
{
	const struct tensor *seed = &r->t[0];
	struct tensor *to = &r->t[1];
	uint32_t at[5] = {}, d, row, c[4];

	do {
		for (row = 0, d = 4; d; d--)
			row = row * to->dims[d] + at[d];
		c[0] = at[0] / 256 * 64 + at[0] % 64;
		c[1] = row;
		c[2] = get_raw(seed, 2);
		c[3] = get_raw(seed, 3);
		philox(c, get_raw(seed, 0), get_raw(seed, 1));
		put(to, at, random_of(r, name, c, at[0] / 64 % 4));
	} while (next(to, at));
}

static void arange(struct run *r, const char *name)
{
	struct tensor *to = &r->t[0];
	uint32_t at[5] = {};

	(void)name;
	do {
		if (to->type == GAUDI_TYPE_I32)
			set_raw(to, number_of(to, at),
				r->scalars[0] + at[0] * r->scalars[1]);
		else
			put(to, at, scalar(r, 0) + at[0] * scalar(r, 1));
	} while (next(to, at));
}

static void triangle(struct run *r, const char *name)
{
	int64_t diagonal = (int32_t)r->scalars[0], below;
	uint32_t at[5] = {};

	do {
		below = (int64_t)at[0] - at[1];
		put(&r->t[1], at, (name[3] == 'l' ? below <= diagonal :
				   below >= diagonal) ? value(&r->t[0], at) : 0);
	} while (next(&r->t[1], at));
}

/* The element of the row that INDEX names. False: there is none. */
static bool numbered(const struct run *r, uint32_t in, const uint32_t *at,
		     uint32_t *from)
{
	memcpy(from, at, 5 * sizeof(*from));
	from[0] = word(&r->t[1], at);
	return from[0] < r->t[in].dims[0];
}

static void gather(struct run *r, const char *name)
{
	uint32_t at[5] = {}, from[5];

	(void)name;
	do {
		set_raw(&r->t[2], number_of(&r->t[2], at),
			numbered(r, 0, at, from) ? word(&r->t[0], from) : 0);
	} while (next(&r->t[2], at));
}

static void scatter(struct run *r, const char *name)
{
	struct tensor *table = &r->t[2];
	uint32_t at[5] = {}, to[5];

	do {
		if (!numbered(r, 2, at, to))
			continue;
		if (!strncmp(name, "scatter_e", 9))
			set_raw(table, number_of(table, to), word(&r->t[0], at));
		else if (table->type == GAUDI_TYPE_I32)
			set_raw(table, number_of(table, to),
				word(table, to) + word(&r->t[0], at));
		else
			put(table, to, (float)value(table, to) +
			    (float)value(&r->t[0], at));
	} while (next(&r->t[0], at));
}

static void outside(struct run *r, const char *name)
{
	int32_t low = r->scalars[0], high = r->scalars[1], also = r->scalars[2], n;
	uint32_t at[5] = {}, row[5];

	(void)name;
	do {
		n = word(&r->t[0], at);
		memcpy(row, at, sizeof(row));
		row[0] = 0;
		if ((n < low || n > high) && n != also && (uint32_t)n > word(&r->t[1], row))
			set_raw(&r->t[1], number_of(&r->t[1], row), n);
	} while (next(&r->t[0], at));
}

const struct reference reference_places[] = {
	{ "uniform", random_numbers }, { "normal", random_numbers },
	{ "bernoulli", random_numbers }, { "randint", random_numbers },
	{ "arange", arange }, { "tril", triangle }, { "triu", triangle },
	{ "gather_elements", gather }, { "scatter_elements", scatter },
	{ "scatter_add_elements", scatter }, { "outside", outside }, {},
};
