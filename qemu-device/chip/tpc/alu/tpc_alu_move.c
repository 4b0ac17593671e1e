// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Elements change places within a vector. A vector is four dual groups of 64
 * bytes, each a lower and an upper group of 32.
 */
#include <string.h>

#include "tpc_alu.h"

#define GROUP		32u
#define DUAL		64u
#define DUALS		4u

/* Control bytes of SHUFFLE. */
#define SHUFFLE_FROM	0x1fu
#define SHUFFLE_UPPER	0x20u
#define SHUFFLE_ON	0x80u

/* elem is a constant where it is called: no calls to copy so few bytes. */
static inline __attribute__((always_inline))
void shuffle(const struct gaudi_tpc_lanes *x, unsigned int elem)
{
	unsigned int at, from;
	uint8_t control;

	*x->r = *x->old;
	for (at = 0; at < GAUDI_TPC_VBYTES; at += elem) {
		control = x->b->b[at];
		if (!(control & SHUFFLE_ON))
			continue;
		from = (control & SHUFFLE_FROM) * elem % GROUP;
		if (control & SHUFFLE_UPPER)
			from += GROUP;
		from += at / DUAL * DUAL;
		memcpy(x->r->b + at, x->a->b + from, elem);
	}
}

void gaudi_tpc_shuffle(const struct gaudi_tpc_lanes *x, uint8_t type,
		       unsigned int n)
{
	(void)n;
	switch (gaudi_tpc_type_size(type)) {
	case 4:
		shuffle(x, 4);
		break;
	case 2:
		shuffle(x, 2);
		break;
	default:
		shuffle(x, 1);
	}
}

/* sw: bit 0 the source group, bit 1 stride 4 and not 2, bit 2 its half. */
#define STRIDE(sw)	((sw) & 2 ? 4u : 2u)

/* What is packed appears in all blocks of a dual group (inferred). */
void gaudi_tpc_pack(const struct gaudi_tpc_lanes *x, uint8_t type,
		    unsigned int n)
{
	unsigned int elem = gaudi_tpc_type_size(type), stride = STRIDE(x->sw);
	unsigned int group = x->sw & 1, chunk = GROUP / stride;
	unsigned int dual, block, j;
	uint8_t *to;

	(void)n;
	*x->r = *x->old;
	for (dual = 0; dual < DUALS; dual++) {
		const uint8_t *from = x->a->b + dual * DUAL + group * GROUP;

		for (block = 0; block < stride; block++) {
			to = x->r->b + dual * DUAL + block * (DUAL / stride) +
			     group * chunk;
			for (j = 0; j < chunk / elem; j++)
				memcpy(to + j * elem, from + j * stride * elem,
				       elem);
		}
	}
}

void gaudi_tpc_unpack(const struct gaudi_tpc_lanes *x, uint8_t type,
		      unsigned int n)
{
	unsigned int elem = gaudi_tpc_type_size(type), stride = STRIDE(x->sw);
	unsigned int from = (x->sw & 1) * GROUP, dual, j;

	(void)n;
	if (stride == 4 && x->sw & 4)
		from += GROUP / 2;
	*x->r = *x->old;
	for (dual = 0; dual < DUALS; dual++)
		for (j = 0; j < DUAL / stride / elem; j++)
			memcpy(x->r->b + dual * DUAL + j * stride * elem,
			       x->a->b + dual * DUAL + from + j * elem, elem);
}

/* Bytes of a group that the mask lets through. */
static void move_group(uint8_t *to, const uint8_t *from, uint32_t mask)
{
	unsigned int j;

	if (mask == UINT32_MAX) {
		memcpy(to, from, GROUP);
		return;
	}
	for (j = 0; j < GROUP; j++)
		if (mask >> j & 1)
			to[j] = from[j];
}

static void move_dual(const struct gaudi_tpc_lanes *x, unsigned int to,
		      unsigned int from, unsigned int groups)
{
	unsigned int g;

	for (g = 0; g < 2; g++)
		if (groups >> g & 1)
			move_group(x->r->b + to * DUAL + g * GROUP,
				   x->a->b + from * DUAL + g * GROUP, x->imm);
}

/*
 * sw: a nibble for each destination, from bit 0: the source in bits 1 and 0,
 * which groups to write in bits 3 and 2.
 */
void gaudi_tpc_mov_dg(const struct gaudi_tpc_lanes *x, uint8_t type,
		      unsigned int n)
{
	unsigned int d, move;

	(void)type;
	(void)n;
	*x->r = *x->old;
	for (d = 0; d < DUALS; d++) {
		move = x->sw >> 4 * d;
		move_dual(x, d, move & 3, move >> 2 & 3);
	}
}

/*
 * Groups change places: bits 1 and 0 say which side is written (inferred which
 * is which), bits 5 to 2 in which dual groups.
 */
void gaudi_tpc_mov_g(const struct gaudi_tpc_lanes *x, uint8_t type,
		     unsigned int n)
{
	unsigned int d;

	(void)type;
	(void)n;
	*x->r = *x->old;
	for (d = 0; d < DUALS; d++) {
		if (!(x->sw >> (2 + d) & 1))
			continue;
		if (x->sw & 1)
			move_group(x->r->b + d * DUAL,
				   x->a->b + d * DUAL + GROUP, x->imm);
		if (x->sw & 2)
			move_group(x->r->b + d * DUAL + GROUP,
				   x->a->b + d * DUAL, x->imm);
	}
}
