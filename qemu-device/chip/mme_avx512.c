// SPDX-License-Identifier: GPL-2.0-or-later
/* The matrix engine's kernel for processors with AVX-512 */
#ifdef __x86_64__
#define VEC		16
#define TARGET		__attribute__((target("avx512f,avx512bw,avx512vl,fma")))
#define FMA(a, b, c)	((vec)_mm512_fmadd_ps((__m512)(a), (__m512)(b), \
					      (__m512)(c)))
#define SET1(p)		((vec)_mm512_set1_ps(*(p)))
#define TRANSPOSE(v)	transpose(v)
#define ROWS		4
#define VECS		4
#define NAME(x)		gaudi_mme_avx512_##x
#define KERNEL_NAME	"avx512"

#include <immintrin.h>

/* In four rounds, each of which swaps blocks of twice the size. */
static TARGET inline __attribute__((always_inline)) void transpose(void *rows)
{
	__m512d b[16];
	__m512 *v = rows, a[16];
	unsigned int i;

#pragma GCC unroll 16
	for (i = 0; i < 16; i += 2) {
		a[i] = _mm512_unpacklo_ps(v[i], v[i + 1]);
		a[i + 1] = _mm512_unpackhi_ps(v[i], v[i + 1]);
	}
#pragma GCC unroll 16
	for (i = 0; i < 16; i++) {
		__m512d x = _mm512_castps_pd(a[(i & 12) + (i >> 1 & 1)]);
		__m512d y = _mm512_castps_pd(a[(i & 12) + (i >> 1 & 1) + 2]);

		b[i] = i & 1 ? _mm512_unpackhi_pd(x, y) :
			       _mm512_unpacklo_pd(x, y);
	}
#pragma GCC unroll 16
	for (i = 0; i < 16; i++) {
		__m512 x = _mm512_castpd_ps(b[(i & 8) + (i & 3)]);
		__m512 y = _mm512_castpd_ps(b[(i & 8) + (i & 3) + 4]);

		a[i] = i & 4 ? _mm512_shuffle_f32x4(x, y, 0xdd) :
			       _mm512_shuffle_f32x4(x, y, 0x88);
	}
#pragma GCC unroll 16
	for (i = 0; i < 8; i++) {
		v[i] = _mm512_shuffle_f32x4(a[i], a[i + 8], 0x88);
		v[i + 8] = _mm512_shuffle_f32x4(a[i], a[i + 8], 0xdd);
	}
}

#include "mme_vector.h"
#endif
