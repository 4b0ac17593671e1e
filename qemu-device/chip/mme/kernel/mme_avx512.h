/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* What the kernels with AVX-512 share */
#ifndef GAUDI_MME_AVX512_H
#define GAUDI_MME_AVX512_H

#ifdef __x86_64__
#include <immintrin.h>

/* In four rounds, each of which swaps blocks of twice the size. */
static inline __attribute__((always_inline, target("avx512f")))
void gaudi_mme_transpose16(void *rows)
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
#endif

#endif
