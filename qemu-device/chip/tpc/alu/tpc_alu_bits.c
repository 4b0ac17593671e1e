// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* A tensor core's operations on the bits of an element. */
#include "tpc_alu.h"

unsigned int gaudi_tpc_type_size(uint8_t type)
{
	switch (type) {
	case GAUDI_TPC_F32:
	case GAUDI_TPC_I32:
	case GAUDI_TPC_U32:
		return 4;
	case GAUDI_TPC_BF16:
	case GAUDI_TPC_I16:
	case GAUDI_TPC_U16:
		return 2;
	default:
		return 1;
	}
}

static uint32_t ones(unsigned int bits)
{
	return bits == 32 ? ~0u : (1u << bits) - 1;
}

/* sw bit 0: ones are counted, else zeros. */
void gaudi_tpc_popcnt(const struct gaudi_tpc_lanes *x, uint8_t type,
		      unsigned int n)
{
	unsigned int elem = gaudi_tpc_type_size(type), i;
	uint32_t v, flip = x->sw & 1 ? 0 : ones(elem * 8);

	for (i = 0; i < n; i++) {
		v = gaudi_tpc_lane(x->a, elem, i) & ones(elem * 8);
		gaudi_tpc_set_lane(x->r, elem, i,
				   __builtin_popcount(v ^ flip));
	}
}

/*
 * sw bit 0: a one is looked for, else a zero; bit 1: from the highest bit. How
 * many bits come before it; all of them if there is none (inferred).
 */
void gaudi_tpc_find_first(const struct gaudi_tpc_lanes *x, uint8_t type,
			  unsigned int n)
{
	unsigned int elem = gaudi_tpc_type_size(type), bits = elem * 8, i;
	uint32_t v, flip = x->sw & 1 ? 0 : ones(bits), found;

	for (i = 0; i < n; i++) {
		v = (gaudi_tpc_lane(x->a, elem, i) & ones(bits)) ^ flip;
		if (!v)
			found = bits;
		else if (x->sw & 2)
			found = __builtin_clz(v) - (32 - bits);
		else
			found = __builtin_ctz(v);
		gaudi_tpc_set_lane(x->r, elem, i, found);
	}
}

static uint32_t reversed(uint32_t v, unsigned int bits)
{
	uint32_t r = 0;
	unsigned int b;

	for (b = 0; b < bits; b++)
		r |= (v >> b & 1) << (bits - 1 - b);
	return r;
}

void gaudi_tpc_brev(const struct gaudi_tpc_lanes *x, uint8_t type,
		    unsigned int n)
{
	unsigned int elem = gaudi_tpc_type_size(type), i;

	for (i = 0; i < n; i++)
		gaudi_tpc_set_lane(x->r, elem, i,
				   reversed(gaudi_tpc_lane(x->a, elem, i),
					    elem * 8));
}
