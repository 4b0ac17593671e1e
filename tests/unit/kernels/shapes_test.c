// SPDX-License-Identifier: GPL-2.0-only
/*
 * All kernels of the library on five dims: each point of the index space writes
 * only its own elements, wherever the space is cut; what works on rows makes of
 * each row what it makes of it alone, for which the other tests have the results; plain
 * C computes the same; and so it does of NaNs, infinities, subnormal numbers, and
 * zeros of both signs, in each input.
 */
#include <math.h>

#include "five.h"
#include "reference.h"

/* --- cuts ------------------------------------------------------------------ */

static uint8_t *after(struct run *r, const uint8_t *before,
		      const uint32_t *base, const uint32_t *size)
{
	five_restore(r, before);
	run_box(r, base, size);
	return five_save(r);
}

/* What the first wrote, the second has not; together they are the whole. */
static void compare(const struct run *r, const uint8_t *before,
		    const uint8_t *one, const uint8_t *two,
		    const uint8_t *whole, uint32_t d, uint32_t cut)
{
	bool chance = strstr(r->k->name, "_sr");
	size_t at = 0, end;
	uint32_t t;

	for (t = 0; t < r->k->num_tensors; t++)
		for (end = at + five_bytes(r, t); at < end; at++) {
			bool first = one[at] != before[at];
			bool second = two[at] != before[at];

			if (first && second)
				fail_msg("%s, dim %u cut at %u: both parts write byte %zu of %s",
					 r->k->name, d, cut,
					 at - (end - five_bytes(r, t)),
					 r->k->tensors[t].name);
			if ((first ? one : two)[at] != whole[at] && !chance)
				fail_msg("%s, dim %u cut at %u: byte %zu of %s is not that of the whole",
					 r->k->name, d, cut,
					 at - (end - five_bytes(r, t)),
					 r->k->tensors[t].name);
		}
}

static void cut_at(struct run *r, const uint8_t *before, const uint8_t *whole,
		   const uint32_t *space, uint32_t d, uint32_t cut)
{
	uint32_t base[5] = {}, size[5];
	uint8_t *one, *two;

	memcpy(size, space, sizeof(size));
	size[d] = cut;
	one = after(r, before, base, size);
	base[d] = cut;
	size[d] = space[d] - cut;
	two = after(r, before, base, size);
	compare(r, before, one, two, whole, d, cut);
	free(one);
	free(two);
}

/* A part without any point. */
static void nothing(struct run *r, const uint8_t *before,
		    const uint32_t *space, uint32_t d)
{
	static const uint32_t zero[5];
	uint32_t size[5];
	uint8_t *left;

	memcpy(size, space, sizeof(size));
	size[d] = 0;
	left = after(r, before, zero, size);
	compare(r, before, left, before, before, d, 0);
	free(left);
}

static void cuts_of(const char *name)
{
	static const uint32_t zero[5];
	uint8_t *before, *whole;
	uint32_t space[5], d;
	struct run r;

	five_begin(&r, name, NULL);
	run_space(&r, space);
	before = five_save(&r);
	whole = after(&r, before, zero, space);
	for (d = 0; d < 5; d++) {
		/* Else there is always one point. */
		if (r.k->step[d] && r.t[r.k->space_tensor].dims[d] > 1)
			nothing(&r, before, space, d);
		if (space[d] > 1)
			cut_at(&r, before, whole, space, d, 1);
		if (space[d] > 2)
			cut_at(&r, before, whole, space, d, space[d] - 1);
	}
	free(before);
	free(whole);
	run_close(&r);
}

TEST(cuts)
{
	size_t i;

	for (i = 0; i < gaudi_kernel_lib_count; i++)
		if (run_wanted(gaudi_kernel_lib[i].name))
			cuts_of(gaudi_kernel_lib[i].name);
}

/* --- rows ------------------------------------------------------------------ */

static bool by_rows(const struct kernel_lib *k)
{
	uint32_t t, d;

	for (d = 1; d < 5; d++)
		if (k->step[d] != 1)
			return false;
	for (t = 0; t < k->num_tensors; t++) {
		uint32_t rule = k->tensors[t].rule;

		if (rule != KERNEL_LIB_SAME && rule != KERNEL_LIB_FEWER &&
		    rule != KERNEL_LIB_ROW && rule != KERNEL_LIB_ONE &&
		    rule != KERNEL_LIB_EIGHT && rule != KERNEL_LIB_TABLE &&
		    (rule != KERNEL_LIB_ALONG || k->tensors[t].of))
			return false;
		if (k->tensors[t].of != k->space_tensor &&
		    rule != KERNEL_LIB_ALONG)
			return false;
	}
	/* By chance, and by where the row is. */
	return !strstr(k->name, "_sr") && !strstr(k->name, "dropout") &&
	       strncmp(k->name, "tri", 3) && strcmp(k->tensors[0].name, "SEED");
}

/* Where row number @row of a tensor begins, in bytes; some have but one. */
static size_t row_at(const struct run *r, uint32_t t, uint32_t row)
{
	uint32_t rule = r->k->tensors[t].rule;

	if (rule == KERNEL_LIB_ONE || rule == KERNEL_LIB_EIGHT ||
	    rule == KERNEL_LIB_TABLE)
		return 0;
	return (size_t)row * r->t[t].dims[0] *
	       (r->t[t].type == GAUDI_TYPE_BF16 ? 2 : 4);
}

/* @before: the tensors when @all had not run. */
static void row_alone(const struct run *all, const uint8_t *before,
		      uint32_t row)
{
	uint32_t t, d;
	struct run r;

	run_open(&r, all->k->name);
	memcpy(r.scalars, all->scalars, sizeof(r.scalars));
	for (t = 0; t < r.k->num_tensors; t++) {
		d = r.k->tensors[t].rule == KERNEL_LIB_TABLE ? 2 : 1;
		shape(&r.t[t], d, all->t[t].dims);
	}
	run_begin(&r);
	for (t = 0; t < r.k->num_tensors; t++) {
		memcpy(r.t[t].p, before + row_at(all, t, row),
		       five_bytes(&r, t));
		before += five_bytes(all, t);
	}
	run_parts(&r, 1);
	for (t = 0; t < r.k->num_tensors; t++)
		if (memcmp(r.t[t].p, all->t[t].p + row_at(all, t, row),
			   five_bytes(&r, t)))
			fail_msg("%s: row %u of %s is another one alone",
				 r.k->name, row, r.k->tensors[t].name);
	run_close(&r);
}

static void rows_of(const char *name)
{
	uint8_t *before;
	struct run r;
	uint32_t row;

	five_begin(&r, name, NULL);
	before = five_save(&r);
	run_parts(&r, 1);
	for (row = 0; row < 36; row += 7)
		row_alone(&r, before, row);
	free(before);
	run_close(&r);
}

TEST(rows)
{
	size_t i, num = 0;

	for (i = 0; i < gaudi_kernel_lib_count; i++)
		if (by_rows(&gaudi_kernel_lib[i]) &&
		    strncmp(gaudi_kernel_lib[i].name, "adamw_step", 10)) {
			num++;
			if (run_wanted(gaudi_kernel_lib[i].name))
				rows_of(gaudi_kernel_lib[i].name);
		}
	assert_true(num > 90);
}

/* --- the reference --------------------------------------------------------- */

static void reference_of(const char *name)
{
	struct run r;

	five_begin(&r, name, NULL);
	as_in_c(&r, 1, "");
	run_close(&r);
}

TEST(five_dims)
{
	size_t i;

	for (i = 0; i < gaudi_kernel_lib_count; i++)
		if (run_wanted(gaudi_kernel_lib[i].name))
			reference_of(gaudi_kernel_lib[i].name);
}

/* --- special numbers ---------------------------------------------------------- */

/* The upper half is the number in bf16. */
static const uint32_t specials[] = {
	0x7fc10000, 0xff810000, 0x7f800000, 0xff800000, 0x80000000, 0x00010000,
	0x807f0000,
};

#define NUM_SPECIALS	(sizeof(specials) / sizeof(specials[0]))
#define NUM_PLACES	5u

static bool is_float(uint32_t type)
{
	return type == GAUDI_TYPE_F32 || type == GAUDI_TYPE_BF16;
}

static bool reads_floats(const struct run *r, uint32_t t)
{
	return r->k->tensors[t].access & GAUDI_KERNEL_READS &&
	       is_float(r->t[t].type);
}

static size_t rows_in(const struct tensor *t)
{
	return t->count / t->dims[0];
}

/* First, in the middle, in the last lane of a vector, next to last, last. */
static uint32_t place_in(const struct tensor *t, size_t which)
{
	uint32_t length = t->dims[0];
	const uint32_t at[NUM_PLACES] = {
		0, length / 3, t->type == GAUDI_TYPE_BF16 ? 127 : 63,
		length - 2, length - 1,
	};
	uint32_t i = at[which % NUM_PLACES];

	return i < length ? i : length - 1;
}

/* As many rounds as it takes until each number was at each place. */
static size_t rounds_of(const struct tensor *t, size_t numbers)
{
	size_t all = numbers * (t->dims[0] == 1 ? 1 : NUM_PLACES);

	return (all + rows_in(t) - 1) / rows_in(t);
}

/* One of @num @values in each row. */
static void plant(struct tensor *t, const uint32_t *values, size_t num,
		  size_t round)
{
	size_t row, n;

	for (row = 0; row < rows_in(t); row++) {
		n = row + round * rows_in(t);
		set_raw(t, row * t->dims[0] + place_in(t, n / num),
			values[n % num] >>
			(t->type == GAUDI_TYPE_BF16 ? 16 : 0));
	}
}

static void plant_one(struct tensor *t, float value, size_t round)
{
	const uint32_t bits = bits_of(value);

	plant(t, &bits, 1, round);
}

/* In one input after the other, then in all of them, then as scalars. */
static void specials_as_in_c(struct run *r, const uint8_t *clean)
{
	char planted[64];
	uint32_t t, scalar;
	size_t n;

	for (t = 0; t < r->k->num_tensors; t++)
		for (n = 0; reads_floats(r, t) &&
		     n < rounds_of(&r->t[t], NUM_SPECIALS); n++) {
			five_restore(r, clean);
			plant(&r->t[t], specials, NUM_SPECIALS, n);
			snprintf(planted, sizeof(planted), ", %s, round %zu",
				 r->k->tensors[t].name, n);
			as_in_c(r, 1, planted);
		}
	five_restore(r, clean);
	for (t = 0; t < r->k->num_tensors; t++)
		if (reads_floats(r, t))
			plant(&r->t[t], specials, NUM_SPECIALS, t);
	as_in_c(r, 1, ", all inputs");
	for (n = 0; n < r->k->num_scalars * NUM_SPECIALS; n++) {
		if (r->k->scalars[n / NUM_SPECIALS].type != GAUDI_TYPE_F32)
			continue;
		five_restore(r, clean);
		scalar = r->scalars[n / NUM_SPECIALS];
		r->scalars[n / NUM_SPECIALS] = specials[n % NUM_SPECIALS];
		snprintf(planted, sizeof(planted), ", scalar %zu = 0x%x",
			 n / NUM_SPECIALS, specials[n % NUM_SPECIALS]);
		as_in_c(r, 1, planted);
		r->scalars[n / NUM_SPECIALS] = scalar;
	}
}

static uint8_t *with(struct run *r, const uint8_t *clean, uint32_t t,
		     float value, size_t round)
{
	five_restore(r, clean);
	plant_one(&r->t[t], value, round);
	run_parts(r, 1);
	return five_save(r);
}

/* Elements of @t that other numbers in @from change are NaNs in @is. */
static void check_nans(const struct run *r, uint32_t from, uint32_t t,
		       const uint8_t *is, const uint8_t *high,
		       const uint8_t *low)
{
	size_t size = r->t[t].type == GAUDI_TYPE_BF16 ? 2 : 4, i;
	struct tensor out = r->t[t];

	out.p = (uint8_t *)is;
	for (i = 0; i < out.count; i++)
		if (memcmp(high + i * size, low + i * size, size) &&
		    !isnan(get(&out, i)))
			fail_msg("%s: with a NaN in each row of %s, element %zu of %s, which depends on it, is %g",
				 r->k->name, r->k->tensors[from].name, i,
				 r->k->tensors[t].name, get(&out, i));
}

/*
 * A NaN reaches all that other numbers in its place would change: by the kernel alone,
 * without another opinion of what it computes.
 */
static void nans_of(struct run *r, const uint8_t *clean, uint32_t from,
		    size_t round)
{
	uint8_t *high, *low, *nan;
	size_t at = 0;
	uint32_t t;

	high = with(r, clean, from, 1e30f, round);
	low = with(r, clean, from, -1e30f, round);
	nan = with(r, clean, from, NAN, round);
	for (t = 0; t < r->k->num_tensors; t++) {
		if (is_float(r->t[t].type) &&
		    r->k->tensors[t].access & GAUDI_KERNEL_WRITES)
			check_nans(r, from, t, nan + at, high + at, low + at);
		at += five_bytes(r, t);
	}
	free(high);
	free(low);
	free(nan);
}

/* Inputs that only choose are not in the result; what is by chance changes anyhow. */
static bool shows(const struct run *r, uint32_t t)
{
	static const char *const choose[] = {
		"relu_grad_", "max_pool_2x2_grad_", "correct_rows_", "sign_",
	};
	size_t i;

	if (!reads_floats(r, t) || strstr(r->k->name, "_sr"))
		return false;
	for (i = 0; i < sizeof(choose) / sizeof(choose[0]); i++)
		if (!t && !strncmp(r->k->name, choose[i], strlen(choose[i])))
			return false;

	return true;
}

static void specials_of(const char *name)
{
	uint8_t *clean;
	struct run r;
	uint32_t t;
	size_t n;

	five_begin(&r, name, NULL);
	clean = five_save(&r);
	for (t = 0; t < r.k->num_tensors; t++)
		for (n = 0; shows(&r, t) && n < rounds_of(&r.t[t], 1); n++)
			nans_of(&r, clean, t, n);
	specials_as_in_c(&r, clean);
	free(clean);
	run_close(&r);
}

TEST(special_numbers)
{
	size_t i;

	for (i = 0; i < gaudi_kernel_lib_count; i++)
		if (run_wanted(gaudi_kernel_lib[i].name))
			specials_of(gaudi_kernel_lib[i].name);
}
