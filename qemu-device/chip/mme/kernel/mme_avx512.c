// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* The matrix engine's kernel for processors with AVX-512 */
#ifdef __x86_64__
#define VEC		16
#define TARGET		__attribute__((target("avx512f,avx512bw,avx512vl,fma")))
#define FMA(a, b, c)	((vec)_mm512_fmadd_ps((__m512)(a), (__m512)(b), \
					      (__m512)(c)))
#define SET1(p)		((vec)_mm512_set1_ps(*(p)))
#define TRANSPOSE(v)	gaudi_mme_transpose16(v)
#define ROWS		4
#define VECS		4
#define NAME(x)		gaudi_mme_avx512_##x
#define KERNEL_NAME	"avx512"

#include "mme_avx512.h"
#include "mme_vector.h"
#endif
