// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* What all operations may need: the end of a kernel, and the rounding mode. */
#include "tpc_uop.h"

uint8_t gaudi_tpc_round_mode(const struct gaudi_tpc_core *core,
			     const struct gaudi_tpc_uop *op)
{
	uint8_t mode = op->round;

	if (mode == GAUDI_TPC_RM_DEFAULT)
		mode = core->launch.round_csr & 7;
	return mode == GAUDI_TPC_RM_DEFAULT || mode > GAUDI_TPC_RHAZ ?
	       GAUDI_TPC_RHNE : mode;
}

void gaudi_tpc_end(struct gaudi_tpc_core *core, enum gaudi_tpc_why why,
		   uint64_t addr, const char *what)
{
	/* What fails in the word of HALT is not the end that was meant. */
	if (core->ended &&
	    (core->stop.why != GAUDI_TPC_HALT || why == GAUDI_TPC_HALT))
		return;
	core->ended = true;
	core->stop.why = why;
	core->stop.pc = core->pc;
	core->stop.addr = addr;
	core->stop.what = what;
}
