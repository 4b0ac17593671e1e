/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What each kernel of the library makes of its tensors, in plain C: in double, one
 * element after the other, rounded once. Tensors are dense, of five dims.
 */
#ifndef TEST_KERNELS_REFERENCE_H
#define TEST_KERNELS_REFERENCE_H

#include "run.h"

/* Fails if it does not know the kernel. */
void reference(struct run *r);
/*
 * Runs the kernel in so many parts, and fails if plain C makes anything else of the
 * same tensors, which it sees as the card does, without subnormal numbers. Numbers that
 * only move, and integers, are the same; bf16 has one rounding, sums have any order.
 * what: for messages.
 */
void as_in_c(struct run *r, unsigned int parts, const char *what);

/* What its files share. A kernel's name is without its type, if it ends with one. */
struct reference {
	const char *name;	/* up to its end, or to a '*' */
	void (*fn)(struct run *r, const char *name);
};

extern const struct reference reference_moves[], reference_rows[],
			      reference_pools[], reference_training[],
			      reference_choices[], reference_places[];
/* False: it is none of those that go element by element. */
bool reference_elementwise(struct run *r, const char *name);
/* False: it is no arithmetic of whole numbers; no function of libm. */
bool reference_whole(struct run *r, const char *name);
bool reference_by_libm(struct run *r, const char *name);
/* Of an element, or of two, or of one and a scalar; NULL: there is none. */
typedef double function(double a, double b);
function *reference_function(const char *name);

/*
 * Indexes are innermost first. In a dim of one all elements are the same. Integers
 * get what they can hold, 0 of a NaN.
 */
size_t number_of(const struct tensor *t, const uint32_t *at);
double value(const struct tensor *t, const uint32_t *at);
uint32_t word(const struct tensor *t, const uint32_t *at);
void put(struct tensor *t, const uint32_t *at, double value);
/* To bf16: by rz, ru, rd, rhaz (ties away from zero), or sr (by chance). */
void put_rounded(struct tensor *t, const uint32_t *at, double value,
		 const char *how);
/* The next index, from all 0 on: do { } while (next()). In the other one, of rows. */
bool next(const struct tensor *t, uint32_t *at);
bool next_row(const struct tensor *t, uint32_t *at);
double scalar(const struct run *r, uint32_t i);

/*
 * The larger one as IEEE 754-2019 has it: a NaN, if there is one, and -0 is less than
 * 0. is_first_max(): whether @b is the first of the largest, behind one that was so
 * far; what is first of NaNs remains.
 */
double max_of(double a, double b);
bool is_first_max(double so_far, double b);
/* The log of the sum of exp along dim 0. */
double log_sum(const struct tensor *t, const uint32_t *row);

#endif /* TEST_KERNELS_REFERENCE_H */
