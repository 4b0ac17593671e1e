// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sync managers: four blocks of sync objects (SOB) and monitors. The first ones
 * of W_S are the driver's (signal and wait submissions); the rest belongs to
 * the user, and is cleared at open.
 */
#include "../../uapi/hw/regs/gaudi_dma_core_regs.h"
#include "../../uapi/hw/regs/gaudi_qman_regs.h"
#include "../../uapi/hw/regs/gaudi_sync_mngr_regs.h"
#include "../core/gaudi_device.h"
#include "../hw/gaudi_blocks.h"
#include "../hw/gaudi_reg_io.h"
#include "gaudi_jobs.h"
#include "gaudi_kjob.h"

static const struct {
	u32 base;
	u32 first_sob, first_mon;	/* below: the driver's */
} gaudi_sync_blocks[] = {
	{ GAUDI_SYNC_MNGR_E_N_BASE, 0, 0 },
	{ GAUDI_SYNC_MNGR_E_S_BASE, 0, 0 },
	{ GAUDI_SYNC_MNGR_W_N_BASE, 0, 0 },
	{ GAUDI_SYNC_MNGR_W_S_BASE, GAUDI_FIRST_USER_SOB_W_S,
	  GAUDI_FIRST_USER_MON_W_S },
};

void gaudi_sync_init(struct gaudi_device *gdev)
{
	unsigned int i;

	for (i = 0; i < GAUDI_FIRST_USER_SOB_W_S; i++)
		gaudi_wr(gdev, GAUDI_SYNC_MNGR_W_S_BASE + SYNC_MNGR_SOB_OBJ(i),
			 0);
}

/* Engine registers that user queues may write. */
static void gaudi_sync_restore_engines(struct gaudi_device *gdev)
{
	unsigned int i;

	for (i = 0; i < GAUDI_NUM_DMA; i++) {
		u32 base = GAUDI_DMA_CORE_BASE(i);

		gaudi_wr_lo_hi(gdev, base + DMA_CORE_WR_COMP_ADDR_LO,
			       base + DMA_CORE_WR_COMP_ADDR_HI,
			       GAUDI_CFG_BASE + GAUDI_SYNC_MNGR_E_N_BASE +
			       SYNC_MNGR_SOB_OBJ(i));
		gaudi_wr(gdev, base + DMA_CORE_WR_COMP_WDATA,
			 GAUDI_WR_COMP_ADD_1);
		/* Reduction into SRAM is set up here; PCI DMAs cannot. */
		if (i > 1)
			gaudi_wr(gdev, base + DMA_CORE_WR_AWUSER_31_11, 1);
	}
	for (i = 0; i < GAUDI_NUM_USED_QMANS; i++)
		gaudi_wr(gdev, gaudi_qmans[i].base + QM_ARB_CFG_0, 0);
	for (i = 0; i < GAUDI_NUM_NIC_ENGINE; i++)
		gaudi_wr(gdev, GAUDI_NIC_QM_BASE(i) + QM_ARB_CFG_0, 0);
}

int gaudi_sync_restore(struct gaudi_device *gdev)
{
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(gaudi_sync_blocks); i++) {
		u32 base = gaudi_sync_blocks[i].base;
		u32 sob = gaudi_sync_blocks[i].first_sob;
		u32 mon = gaudi_sync_blocks[i].first_mon;

		/* Through a queue: 10,000 writes over PCI would take longer. */
		ret = gaudi_kjob_reg_fill(gdev, base + SYNC_MNGR_SOB_OBJ(sob),
					  0, SYNC_MNGR_NUM_SOB - sob) ?:
		      gaudi_kjob_reg_fill(gdev,
					  base + SYNC_MNGR_MON_STATUS(mon), 0,
					  SYNC_MNGR_NUM_MON - mon);
		if (ret)
			return ret;
	}
	gaudi_sync_restore_engines(gdev);
	return 0;
}
