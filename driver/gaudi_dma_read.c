// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads HBM and SRAM by a DMA core directly, for debugfs: not as a job, since
 * a job would wait behind the user's, and must not run secured beside them.
 *
 * All command processors of the core's QMAN are stopped, which takes effect
 * between two packets, and the core has finished what it was told, before the
 * core is made secured. Nothing else can tell it to do anything until its
 * registers are as they were.
 */
#include "../uapi/regs/gaudi_dma_core_regs.h"
#include "../uapi/regs/gaudi_qman_regs.h"
#include "gaudi_device.h"
#include "gaudi_hw.h"
#include "gaudi_queue_priv.h"
#include "gaudi_reg_io.h"

/* Cores that are meant for the host's side. */
#define GAUDI_NUM_PCI_DMA	2
#define GAUDI_STOP_TIMEOUT_US	100000
#define GAUDI_READ_TIMEOUT_US	1000000

/* What a user may have put there for his next transfer. */
static const u16 gaudi_dma_regs[] = {
	DMA_CORE_SRC_BASE_LO, DMA_CORE_SRC_BASE_HI, DMA_CORE_DST_BASE_LO,
	DMA_CORE_DST_BASE_HI, DMA_CORE_DST_TSIZE(0), DMA_CORE_WR_AWUSER_31_11,
};

struct gaudi_dma_owned {
	u32 qm, core;			/* offsets of their registers */
	u32 cfg1, prot;
	u32 saved[ARRAY_SIZE(gaudi_dma_regs)];
};

static void gaudi_dma_give_back(struct gaudi_device *gdev,
				const struct gaudi_dma_owned *dma)
{
	unsigned int i;

	gaudi_wr(gdev, dma->core + DMA_CORE_PROT, dma->prot);
	for (i = 0; i < ARRAY_SIZE(gaudi_dma_regs); i++)
		gaudi_wr(gdev, dma->core + gaudi_dma_regs[i], dma->saved[i]);
	gaudi_wr(gdev, dma->qm + QM_GLBL_CFG1, dma->cfg1);
}

static int gaudi_dma_take(struct gaudi_device *gdev, unsigned int index,
			  struct gaudi_dma_owned *dma)
{
	const u32 stop = FIELD_PREP(QM_GLBL_CFG1_CP_STOP, 0xf);
	const u32 stopped = FIELD_PREP(QM_GLBL_STS0_CP_IS_STOP, 0xf);
	unsigned int i;
	int ret;

	dma->qm = GAUDI_DMA_QM_BASE(index);
	dma->core = GAUDI_DMA_CORE_BASE(index);
	dma->cfg1 = gaudi_rd(gdev, dma->qm + QM_GLBL_CFG1);
	gaudi_wr(gdev, dma->qm + QM_GLBL_CFG1, dma->cfg1 | stop);
	ret = gaudi_wait_reg(gdev, dma->qm + QM_GLBL_STS0, stopped, stopped,
			     GAUDI_STOP_TIMEOUT_US, NULL);
	if (!ret)
		ret = gaudi_wait_reg(gdev, dma->core + DMA_CORE_STS0,
				     DMA_CORE_STS0_BUSY, 0,
				     GAUDI_STOP_TIMEOUT_US, NULL);
	/* An error that somebody has yet to look at. */
	if (!ret && gaudi_rd(gdev, dma->core + DMA_CORE_ERR_CAUSE))
		ret = -EBUSY;
	if (ret) {
		gaudi_wr(gdev, dma->qm + QM_GLBL_CFG1, dma->cfg1);
		return ret;
	}
	for (i = 0; i < ARRAY_SIZE(gaudi_dma_regs); i++)
		dma->saved[i] = gaudi_rd(gdev, dma->core + gaudi_dma_regs[i]);
	dma->prot = gaudi_rd(gdev, dma->core + DMA_CORE_PROT);
	gaudi_wr(gdev, dma->core + DMA_CORE_WR_AWUSER_31_11,
		 dma->saved[ARRAY_SIZE(gaudi_dma_regs) - 1] &
		 ~DMA_CORE_WR_AWUSER_REDUCE);
	gaudi_wr(gdev, dma->core + DMA_CORE_PROT,
		 dma->prot | DMA_CORE_PROT_VAL);
	return 0;
}

static int gaudi_dma_copy(struct gaudi_device *gdev,
			  const struct gaudi_dma_owned *dma, u64 dst, u64 src,
			  u32 len)
{
	u32 cause;
	int ret;

	gaudi_wr_lo_hi(gdev, dma->core + DMA_CORE_SRC_BASE_LO,
		       dma->core + DMA_CORE_SRC_BASE_HI, src);
	gaudi_wr_lo_hi(gdev, dma->core + DMA_CORE_DST_BASE_LO,
		       dma->core + DMA_CORE_DST_BASE_HI, dst);
	gaudi_wr(gdev, dma->core + DMA_CORE_DST_TSIZE(0), len);
	gaudi_wr(gdev, dma->core + DMA_CORE_COMMIT, DMA_CORE_COMMIT_LIN);
	ret = gaudi_wait_reg(gdev, dma->core + DMA_CORE_STS0,
			     DMA_CORE_STS0_BUSY, 0, GAUDI_READ_TIMEOUT_US,
			     NULL);
	cause = gaudi_rd(gdev, dma->core + DMA_CORE_ERR_CAUSE);
	if (cause) {
		gaudi_wr(gdev, dma->core + DMA_CORE_ERR_CAUSE, cause);
		ret = ret ?: -EIO;
	}
	if (ret)
		drm_err(&gdev->drm, "reading %#llx by DMA failed: %d, cause %#x\n",
			src, ret, cause);
	return ret;
}

int gaudi_dma_read(struct gaudi_device *gdev, u64 dst, u64 src, u32 len)
{
	struct gaudi_dma_owned dma;
	unsigned int i;
	int ret = -EBUSY;

	/* The driver's own jobs use DMA 0, and its PROT too. */
	gaudi_kjob_lock(gdev);
	for (i = 0; i < GAUDI_NUM_PCI_DMA; i++) {
		ret = gaudi_dma_take(gdev, i, &dma);
		if (ret)
			continue;
		ret = gaudi_dma_copy(gdev, &dma, dst, src, len);
		/* A core that still moves must stay what it is: secured. */
		if (ret == -ETIMEDOUT)
			gaudi_reset_schedule(gdev, GAUDI_RESET_EVENT);
		else
			gaudi_dma_give_back(gdev, &dma);
		break;
	}
	gaudi_kjob_unlock(gdev);
	return ret;
}
