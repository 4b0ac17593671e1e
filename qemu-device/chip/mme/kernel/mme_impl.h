/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* What the kernels of the matrix engine share among themselves. */
#ifndef GAUDI_MME_IMPL_H
#define GAUDI_MME_IMPL_H

#include <string.h>

#include "mme_kernel.h"

extern const struct gaudi_mme_kernel gaudi_mme_portable;
#ifdef __x86_64__
extern const struct gaudi_mme_kernel gaudi_mme_avx2_kernel;
extern const struct gaudi_mme_kernel gaudi_mme_avx512_kernel;
#endif

/* bf16 operands as pairs, where the processor has an instruction for them */
bool gaudi_mme_pairs_run(void);
void gaudi_mme_pairs_sum(const struct gaudi_mme_sum *g);
void gaudi_mme_pairs_rows(const struct gaudi_mme_pack *p,
			  const void *const *rows, size_t count,
			  unsigned int len);
void gaudi_mme_pairs_trans(const struct gaudi_mme_pack *p,
			   const void *const *rows, unsigned int height,
			   size_t count);

/* Vector number q of a panel */
static inline float *gaudi_mme_vector(const struct gaudi_mme_panel *p, size_t q)
{
	return p->p + q % GAUDI_MME_LANES * p->lane +
	       q / GAUDI_MME_LANES * p->step;
}

/* Element i of a row of memory, as the bits of an fp32 number */
static inline uint32_t gaudi_mme_element(const struct gaudi_mme_pack *p,
					 const void *row, size_t i)
{
	uint32_t v;
	uint16_t h;

	if (!row)
		return p->bf16 ? p->pad << 16 : p->pad;
	if (p->bf16) {
		memcpy(&h, (const uint8_t *)row + i * 2, 2);
		return (uint32_t)h << 16;
	}
	memcpy(&v, (const uint8_t *)row + i * 4, 4);
	return v;
}

#endif
