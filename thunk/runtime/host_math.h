/* SPDX-License-Identifier: MIT */
/* Numbers of all types, for the operations that the library does on the host. */
#ifndef GAUDI_RUNTIME_HOST_MATH_H
#define GAUDI_RUNTIME_HOST_MATH_H

#include "host_op.h"

/* Integers are exact in @i, and wrap; floating point is in @f alone. */
struct host_num {
	double f;
	uint64_t i;
};

/* Dims and indexes are innermost first. */
struct host_walk {
	uint64_t dims[GAUDI_MAX_RANK];
	uint64_t at[GAUDI_MAX_RANK];
};

bool host_is_int(uint32_t type);
bool host_is_signed(uint32_t type);
/* All of them: then arithmetic is that of integers. */
bool host_all_int(const struct gaudi_host_call *call);
struct host_num host_get(uint32_t type, const void *p);
/*
 * Rounded to nearest even; toward zero, within its range, and 0 of no number, for
 * an integer. @integer: the low bits of @i.
 */
void host_put(uint32_t type, void *p, struct host_num n, bool integer);
/* To bf16 or f16 by rz, ru, rd, rhaz (ties away from zero) or sr (by chance). */
void host_round(uint32_t type, void *p, double value, const char *how);

/*
 * The larger and the smaller one as IEEE 754-2019 has it: a NaN, if there is one,
 * and -0 is less than 0. host_first_max(): whether @b is the first of the largest,
 * behind one that was so far; what is first of NaNs remains.
 */
double host_max(double a, double b);
double host_min(double a, double b);
bool host_first_max(double so_far, double b);

static inline uint64_t host_dim(const struct gaudi_host_tensor *t, uint32_t d)
{
	return d < t->rank ? t->dims[t->rank - 1 - d] : 1;
}

static inline uint64_t host_stride(const struct gaudi_host_tensor *t,
				   uint32_t d)
{
	return d < t->rank ? t->strides[t->rank - 1 - d] : 0;
}

/* The element at this index; a dim of one index has the same for each. */
void *host_at(const struct gaudi_host_tensor *t, const uint64_t *at);
/* From the first index of @t to behind the last: do { } while (host_next()). */
void host_begin(struct host_walk *w, const struct gaudi_host_tensor *t);
bool host_next(struct host_walk *w);
/* Same dims; or of @from all that are not 1 or missing. */
bool host_same(const struct gaudi_host_tensor *a,
	       const struct gaudi_host_tensor *b);
bool host_spreads(const struct gaudi_host_tensor *from,
		  const struct gaudi_host_tensor *to);
/* The number of tensors and of scalars (f32) is that; the last one is written. */
bool host_takes(const struct gaudi_host_call *call, uint32_t tensors,
		uint32_t scalars, uint32_t *access);
float host_scalar(const struct gaudi_host_call *call, uint32_t i);
/*
 * The same with a letter for each tensor: r, w, b is read, written, both; and with
 * @least to @most scalars, of any four bytes.
 */
bool host_roles(const struct gaudi_host_call *call, const char *roles,
		uint32_t least, uint32_t most, uint32_t *access);
/* A scalar that may be missing. */
double host_scalar_or(const struct gaudi_host_call *call, uint32_t i,
		      double missing);
/* Elements as what they count; the second one is rounded. */
double host_value(const struct gaudi_host_tensor *t, const uint64_t *at);
void host_set(const struct gaudi_host_tensor *t, const uint64_t *at,
	      double value);
/* @row has one element for each row of @of. */
bool host_is_row(const struct gaudi_host_tensor *row,
		 const struct gaudi_host_tensor *of);

/* host_rows.c: the log of the sum of exp along dim 0; dim 0 of @at is changed. */
double host_log_sum(const struct gaudi_host_tensor *t, uint64_t *at);

/* host_elementwise.c, _rows.c, _norm.c, _train.c, _pool.c, _window.c, _matrix.c */
extern const struct host_builtin host_elementwise[], host_rows[], host_norms[],
				 host_training[], host_windows[],
				 host_pools[], host_matrices[];

#endif /* GAUDI_RUNTIME_HOST_MATH_H */
