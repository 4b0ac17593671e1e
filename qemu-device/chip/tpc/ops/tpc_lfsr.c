// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * The pseudo-random registers of a tensor core. How they step is not published.
 * Here each 32-bit lane is a Galois register that shifts to the right by LFSR_
 * POLYNOM, one step for each read, and after a reset all lanes differ.
 */
#include "tpc_uop.h"

static uint32_t step(uint32_t x, uint32_t polynom)
{
	return x >> 1 ^ (x & 1 ? polynom : 0);
}

void gaudi_tpc_lfsr_step(struct gaudi_tpc_core *core)
{
	unsigned int i;

	for (i = 0; i < GAUDI_TPC_VBYTES / 4; i++)
		core->r.lfsr.w[i] = step(core->r.lfsr.w[i],
					 core->launch.lfsr_polynom);
}

/* Returns what was there. */
uint32_t gaudi_tpc_s_lfsr_step(struct gaudi_tpc_core *core)
{
	uint32_t x = core->r.s_lfsr;

	core->r.s_lfsr = step(x, core->launch.lfsr_polynom);
	return x;
}

/* Multiples of an odd number: none is zero, where a register stays. */
static uint32_t first(unsigned int lane)
{
	return (lane + 1) * 0x9e3779b9u;
}

void gaudi_tpc_lfsr_reset(struct gaudi_tpc_core *core)
{
	unsigned int i;

	for (i = 0; i < GAUDI_TPC_VBYTES / 4; i++)
		core->r.lfsr.w[i] = first(i);
	core->r.s_lfsr = first(i);
}

bool gaudi_tpc_lfsr_is_new(const struct gaudi_tpc_core *core)
{
	unsigned int i;

	for (i = 0; i < GAUDI_TPC_VBYTES / 4; i++)
		if (core->r.lfsr.w[i] != first(i))
			return false;
	return core->r.s_lfsr == first(i);
}
