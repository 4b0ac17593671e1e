// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* A tensor core's arithmetic for any host. */
#include "tpc_alu_hot.h"

static const struct gaudi_tpc_alu table = GAUDI_TPC_ALU_TABLE("portable");

const struct gaudi_tpc_alu *gaudi_tpc_alu_portable(void)
{
	return &table;
}
