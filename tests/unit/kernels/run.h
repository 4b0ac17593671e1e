/* SPDX-License-Identifier: GPL-2.0-only */
/* A kernel of the library on tensors in memory, as a recipe would launch it. */
#ifndef TEST_KERNELS_RUN_H
#define TEST_KERNELS_RUN_H

#include "../chip/tpc/exec/tpc_host.h"
#include "kernels/kernels.h"

struct tensor {
	uint32_t rank;
	uint32_t dims[5];	/* innermost first; unused ones are 1 */
	uint32_t type;		/* of the kernel's tensor */
	/*
	 * If strided: elements from one index of a dim to the next, 1 for dim 0; 0:
	 * the same ones again. guard: what is in the gaps. Else dense.
	 */
	bool strided;
	uint32_t strides[5];
	uint8_t guard;
	uint8_t *p;		/* set by run_begin() */
	size_t count;
};

struct run {
	struct tpc_host *host;
	const struct kernel_lib *k;
	struct tensor t[KERNEL_LIB_TENSORS];
	uint32_t scalars[KERNEL_LIB_SCALARS];
};

/* A number for element i of tensor which, as good as by chance. */
uint32_t mix(size_t i, unsigned int which, uint32_t salt);
uint32_t bits_of(float f);
float float_of(uint32_t x);
uint16_t to_bf16(float f);
/* Element i of a tensor as a number; set rounds to bf16 where it must. */
float get(const struct tensor *t, size_t i);
void set(struct tensor *t, size_t i, float value);
/* The same as bits. */
uint32_t get_raw(const struct tensor *t, size_t i);
void set_raw(struct tensor *t, size_t i, uint32_t bits);
/* How many floats of the type lie between; 0 for two NaN. */
uint32_t ulps(uint32_t type, float a, float b);
/* A shape: rank and dims, innermost first. */
void shape(struct tensor *t, uint32_t rank, const uint32_t *dims);

/* False: the script mutants does not ask for this kernel. */
bool run_wanted(const char *name);
/* Find the kernel. Then shapes are set in t[]; run_begin() gives them memory. */
void run_open(struct run *r, const char *name);
void run_begin(struct run *r);
/*
 * Run in so many parts of the index space, with the checker of hazards. What
 * lies behind the tensors, and in their gaps, must remain. What a launch does not
 * set is random in each.
 */
void run_parts(struct run *r, unsigned int parts);
/* Of any part of the index space. */
void run_box(struct run *r, const uint32_t *base, const uint32_t *size);
/* The whole of it, by the shape of its tensor. */
void run_space(const struct run *r, uint32_t space[5]);
void run_close(struct run *r);

#endif /* TEST_KERNELS_RUN_H */
