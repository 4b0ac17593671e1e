// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* The matrix engine's kernel for processors with AVX2 and FMA */
#ifdef __x86_64__
#define VEC		8
#define TARGET		__attribute__((target("avx2,fma")))
#define FMA(a, b, c)	((vec)_mm256_fmadd_ps((__m256)(a), (__m256)(b), \
					      (__m256)(c)))
#define SET1(p)		((vec)_mm256_broadcast_ss(p))
#define TRANSPOSE(v)	transpose(v)
#define ROWS		6
#define VECS		2
#define NAME(x)		gaudi_mme_avx2_##x
#define KERNEL_NAME	"avx2"

#include <immintrin.h>

/* In three rounds, each of which swaps blocks of twice the size. */
static TARGET inline __attribute__((always_inline)) void transpose(void *rows)
{
	__m256 *v = rows, a[8], b[8];
	unsigned int i;

#pragma GCC unroll 8
	for (i = 0; i < 8; i += 2) {
		a[i] = _mm256_unpacklo_ps(v[i], v[i + 1]);
		a[i + 1] = _mm256_unpackhi_ps(v[i], v[i + 1]);
	}
#pragma GCC unroll 8
	for (i = 0; i < 8; i++) {
		__m256d x = _mm256_castps_pd(a[(i & 4) + (i >> 1 & 1)]);
		__m256d y = _mm256_castps_pd(a[(i & 4) + (i >> 1 & 1) + 2]);

		b[i] = _mm256_castpd_ps(i & 1 ? _mm256_unpackhi_pd(x, y) :
					_mm256_unpacklo_pd(x, y));
	}
#pragma GCC unroll 8
	for (i = 0; i < 4; i++) {
		v[i] = _mm256_permute2f128_ps(b[i], b[i + 4], 0x20);
		v[i + 4] = _mm256_permute2f128_ps(b[i], b[i + 4], 0x31);
	}
}

#include "mme_vector.h"
#endif
