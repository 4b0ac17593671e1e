/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* A vector register, as its bytes or its lanes. */
#ifndef GAUDI_TPC_VEC_H
#define GAUDI_TPC_VEC_H

#include <stdint.h>

#define GAUDI_TPC_VBYTES	256	/* of a vector register */

typedef union gaudi_tpc_vec {
	uint8_t b[GAUDI_TPC_VBYTES];
	int8_t sb[GAUDI_TPC_VBYTES];
	uint16_t h[GAUDI_TPC_VBYTES / 2];
	uint32_t w[GAUDI_TPC_VBYTES / 4];
	float f[GAUDI_TPC_VBYTES / 4];
} __attribute__((aligned(64))) gaudi_tpc_vec;

#endif /* GAUDI_TPC_VEC_H */
