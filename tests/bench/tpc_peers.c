// SPDX-License-Identifier: GPL-2.0-only
/* Compiled with -O3 -ffast-math: sums in any order, functions by libmvec. */
#include <math.h>
#include <string.h>

#include "tpc_peers.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define CLONES __attribute__((target_clones("arch=x86-64-v4", \
					    "arch=x86-64-v3", "default")))
#else
#define CLONES
#endif

#define ROW	4096

CLONES void peer_add_f32(void *out, const void *a, const void *b, size_t n)
{
	const float *p = a, *q = b;
	float *r = out;
	size_t i;

	for (i = 0; i < n; i++)
		r[i] = p[i] + q[i];
}

static inline float widen(uint16_t v)
{
	uint32_t x = (uint32_t)v << 16;
	float f;

	memcpy(&f, &x, 4);
	return f;
}

CLONES void peer_add_bf16(void *out, const void *a, const void *b, size_t n)
{
	const uint16_t *p = a, *q = b;
	uint16_t *r = out;
	uint32_t x;
	size_t i;
	float f;

	for (i = 0; i < n; i++) {
		f = widen(p[i]) + widen(q[i]);
		memcpy(&x, &f, 4);
		r[i] = (x + 0x7fff + (x >> 16 & 1)) >> 16;
	}
}

CLONES void peer_sum_rows(void *out, const void *a, const void *b, size_t n)
{
	const float *p = a;
	float *r = out, sum;
	size_t i, j;

	(void)b;
	for (i = 0; i < n / ROW; i++) {
		sum = 0;
		for (j = 0; j < ROW; j++)
			sum += p[i * ROW + j];
		r[i] = sum;
	}
}

CLONES void peer_exp(void *out, const void *a, const void *b, size_t n)
{
	const float *p = a;
	float *r = out;
	size_t i;

	(void)b;
	for (i = 0; i < n; i++)
		r[i] = expf(p[i]);
}

CLONES void peer_gelu(void *out, const void *a, const void *b, size_t n)
{
	const float *p = a;
	float *r = out, x;
	size_t i;

	(void)b;
	/* x / (1 + exp(-2 u)) is x (1 + tanh(u)) / 2 */
	for (i = 0; i < n; i++) {
		x = p[i];
		r[i] = x / (1 + expf(-1.5957691216f *
				     (x + 0.044715f * x * x * x)));
	}
}
