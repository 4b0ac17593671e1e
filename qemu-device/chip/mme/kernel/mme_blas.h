/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Sums of products that are faster than the engine's and rounded differently:
 * not four sums with the engine's roll-up, but one, in an order of the host's
 * choice, rounded to nearest whatever the descriptor asks for.
 *
 * For one output that is the sum of K products s * l, the result differs from
 * the true sum by no more than
 *
 *	(K + 2) * 2^-24 * (sum of |s * l|) + (2 * K + 2) * 2^-126
 *
 * while nothing overflows; so do the engine's own bits. (K is at most 2^20; for
 * greater K the bound grows a little faster than K does.) The last term is for
 * products and sums that are flushed. NaN and infinities come out where they do
 * in the engine, unless a partial sum overflows; a NaN may have any payload.
 */
#ifndef GAUDI_MME_BLAS_H
#define GAUDI_MME_BLAS_H

#include "mme_kernel.h"

typedef void gaudi_sgemm(int order, int trans_a, int trans_b, int m, int n,
			 int k, float alpha, const float *a, int lda,
			 const float *b, int ldb, float beta, float *c,
			 int ldc);

struct gaudi_mme_blas {
	const char *fp32;	/* what adds up fp32 operands, and bf16 ones */
	const char *bf16;
	bool pairs;		/* bf16 operands are packed as pairs */
	const struct gaudi_mme_kernel *kernel;
	gaudi_sgemm *sgemm;	/* NULL: the kernel does it */
	void *lib;
};

/*
 * Of fp32: "openblas", or a kernel's name. Of bf16: "avx512bf16", or as for
 * fp32. NULL is the fastest that there is; OpenBLAS (libopenblas.so.0, loaded
 * when it is asked for) only where no kernel with vectors runs. 0, -ENOENT for
 * an unknown name, -ENOTSUP if this host has not got it.
 */
int gaudi_mme_blas_open(struct gaudi_mme_blas *blas, const char *fp32,
			const char *bf16);
void gaudi_mme_blas_close(struct gaudi_mme_blas *blas);

/* Operands of the type must have been packed by the functions below. */
void gaudi_mme_blas_sum(const struct gaudi_mme_blas *blas, bool bf16,
			const struct gaudi_mme_sum *sum);

/*
 * As the kernels' packing, but vector q is at panel.p + q * panel.step, or, for
 * pairs, in one half of the words at panel.p + q / 2 * panel.step, the other
 * half of which is 0 until the next vector is packed; panel.lane does not count.
 */
void gaudi_mme_blas_pack_rows(const struct gaudi_mme_blas *blas,
			      const struct gaudi_mme_pack *p,
			      const void *const *rows, size_t count,
			      unsigned int len);
void gaudi_mme_blas_pack_trans(const struct gaudi_mme_blas *blas,
			       const struct gaudi_mme_pack *p,
			       const void *const *rows, unsigned int height,
			       size_t count);

#endif
