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

void gaudi_tpc_lfsr_reset(struct gaudi_tpc_core *core)
{
	unsigned int i;

	/* Multiples of an odd number: none is zero, where a register stays. */
	for (i = 0; i < GAUDI_TPC_VBYTES / 4; i++)
		core->r.lfsr.w[i] = (i + 1) * 0x9e3779b9u;
	core->r.s_lfsr = 0x9e3779b9u * (GAUDI_TPC_VBYTES / 4 + 1);
}
