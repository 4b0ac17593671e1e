// SPDX-License-Identifier: GPL-2.0-only
/* Shared mode, register side. gaudi_timeslice.c decides when. */
#include <linux/jhash.h>

#include "../../uapi/hw/regs/gaudi_dma_core_regs.h"
#include "../../uapi/hw/regs/gaudi_mme_regs.h"
#include "../../uapi/hw/regs/gaudi_qman_regs.h"
#include "../../uapi/hw/regs/gaudi_sync_mngr_regs.h"
#include "../../uapi/hw/regs/gaudi_tpc_regs.h"
#include "../core/gaudi_device.h"
#include "../core/gaudi_shared_ops.h"
#include "../errors/gaudi_errors.h"
#include "../hw/gaudi_blocks.h"
#include "../hw/gaudi_hw.h"
#include "../hw/gaudi_mmu.h"
#include "../hw/gaudi_reg_io.h"
#include "gaudi_handover.h"

#define NUM_FENCES	4	/* of each command processor */

static const u32 gaudi_sync_bases[] = {
	GAUDI_SYNC_MNGR_E_N_BASE, GAUDI_SYNC_MNGR_E_S_BASE,
	GAUDI_SYNC_MNGR_W_N_BASE, GAUDI_SYNC_MNGR_W_S_BASE,
};

static bool gaudi_handover_is_dma(const struct gaudi_qman_desc *qm)
{
	return qm->kind == GAUDI_QMAN_PCI_DMA || qm->kind == GAUDI_QMAN_HBM_DMA;
}

/* Number of the engine among its kind. */
static unsigned int
gaudi_handover_engine_index(const struct gaudi_qman_desc *qm)
{
	switch (qm->kind) {
	case GAUDI_QMAN_MME:
		return qm->engine_id - GAUDI_ENGINE_ID_MME_0;
	case GAUDI_QMAN_TPC:
		return qm->engine_id - GAUDI_ENGINE_ID_TPC_0;
	default:
		return qm->engine_id - GAUDI_ENGINE_ID_DMA_0;
	}
}

void gaudi_handover_engine(struct gaudi_device *gdev, unsigned int q, u32 asid,
			   unsigned int slot)
{
	const struct gaudi_qman_desc *qm = &gaudi_qmans[q];
	unsigned int i = gaudi_handover_engine_index(qm);
	u32 base;

	gaudi_mmu_set_qman_asid(gdev, qm, i, asid);
	if (!asid)
		return;
	gaudi_wr(gdev, qm->base + QM_ARB_CFG_0, 0);
	if (!gaudi_handover_is_dma(qm))
		return;
	base = GAUDI_DMA_CORE_BASE(i);
	gaudi_wr_lo_hi(gdev, base + DMA_CORE_WR_COMP_ADDR_LO,
		       base + DMA_CORE_WR_COMP_ADDR_HI,
		       GAUDI_CFG_BASE + GAUDI_SYNC_MNGR_E_N_BASE +
		       SYNC_MNGR_SOB_OBJ(slot * GAUDI_SLOT_SOBS + i));
	gaudi_wr(gdev, base + DMA_CORE_WR_COMP_WDATA, GAUDI_WR_COMP_ADD_1);
	if (qm->kind == GAUDI_QMAN_HBM_DMA)
		gaudi_wr(gdev, base + DMA_CORE_WR_AWUSER_31_11, 1);
}

static bool gaudi_handover_mme_idle(struct gaudi_device *gdev, unsigned int i)
{
	return (gaudi_rd(gdev, GAUDI_MME_CTRL_BASE(i) + MME_CTRL_ARCH_STATUS) &
		MME_CTRL_ARCH_STATUS_IDLE) == MME_CTRL_ARCH_STATUS_IDLE;
}

bool gaudi_handover_busy(struct gaudi_device *gdev, unsigned int q)
{
	const struct gaudi_qman_desc *qm = &gaudi_qmans[q];
	unsigned int i = gaudi_handover_engine_index(qm);

	switch (qm->kind) {
	case GAUDI_QMAN_MME:
		/* A queue drives a pair: the master and the next one. */
		return !gaudi_handover_mme_idle(gdev, i) ||
		       !gaudi_handover_mme_idle(gdev, i + 1);
	case GAUDI_QMAN_TPC:
		return (gaudi_rd(gdev, GAUDI_TPC_CFG_BASE(i) +
				 TPC_CFG_STATUS) & TPC_CFG_STATUS_IDLE) !=
		       TPC_CFG_STATUS_IDLE;
	default:
		return gaudi_rd(gdev, GAUDI_DMA_CORE_BASE(i) +
				DMA_CORE_STS0) & DMA_CORE_STS0_BUSY;
	}
}

bool gaudi_handover_waits_at_fence(struct gaudi_device *gdev, unsigned int q)
{
	unsigned int cp;

	for (cp = 0; cp < GAUDI_NUM_CPS; cp++)
		if (gaudi_rd(gdev, gaudi_qmans[q].base + QM_CP_STS(cp)) &
		    QM_CP_STS_FENCE_IN_PROGRESS)
			return true;
	return false;
}

bool gaudi_handover_idle(struct gaudi_device *gdev, unsigned int q)
{
	u32 sts0, cgm;

	return gaudi_qman_idle(gdev, &gaudi_qmans[q], &sts0, &cgm) &&
	       !gaudi_handover_busy(gdev, q);
}

u64 gaudi_handover_clear_errors(struct gaudi_device *gdev, unsigned int q)
{
	const struct gaudi_qman_desc *qm = &gaudi_qmans[q];
	u32 sts, reg;
	u64 notify;

	if (gaudi_handover_is_dma(qm)) {
		reg = GAUDI_DMA_CORE_BASE(gaudi_handover_engine_index(qm)) +
		      DMA_CORE_ERR_CAUSE;
		sts = gaudi_rd(gdev, reg);
		if (sts)
			gaudi_wr(gdev, reg, sts);
	}
	notify = gaudi_error_clear_qman(gdev, q);
	/* Without arbitration no stream waits for a grant. */
	gaudi_wr(gdev, qm->base + QM_ARB_CFG_0, 0);
	return notify;
}

u32 gaudi_handover_progress(struct gaudi_device *gdev, unsigned int q)
{
	static const u16 regs[] = {
		QM_CP_STS(0), QM_CP_CURRENT_INST_LO(0),
		QM_CP_CURRENT_INST_HI(0), QM_CQ_PTR_LO_STS(0),
		QM_CQ_TSIZE_STS(0),
	};
	u32 base = gaudi_qmans[q].base;
	u32 hash = gaudi_rd(gdev, base + QM_GLBL_STS0);
	unsigned int i, cp;

	for (i = 0; i < ARRAY_SIZE(regs); i++)
		for (cp = 0; cp < GAUDI_NUM_CPS; cp++)
			hash = jhash_1word(gaudi_rd(gdev,
						    base + regs[i] + 4 * cp),
					   hash);
	return hash;
}

void gaudi_handover_signal_fences(struct gaudi_device *gdev, unsigned int q)
{
	u32 base = gaudi_qmans[q].base;
	unsigned int cp, fence;
	u32 sts;

	for (cp = 0; cp < GAUDI_NUM_CPS; cp++) {
		sts = gaudi_rd(gdev, base + QM_CP_STS(cp));
		if (!(sts & QM_CP_STS_FENCE_IN_PROGRESS))
			continue;
		fence = FIELD_GET(QM_CP_STS_FENCE_ID, sts);
		/*
		 * One at a time, so that no count is left for the next owner.
		 */
		gaudi_wr(gdev, base + QM_CP_FENCE_RDATA(fence, cp), 1);
	}
}

bool gaudi_handover_fences_clear(struct gaudi_device *gdev, unsigned int q)
{
	unsigned int fence, cp;

	for (fence = 0; fence < NUM_FENCES; fence++)
		for (cp = 0; cp < GAUDI_NUM_CPS; cp++)
			if (gaudi_rd(gdev, gaudi_qmans[q].base +
				     QM_CP_FENCE_CNT(fence, cp)))
				return false;
	return true;
}

void gaudi_handover_disarm_monitors(struct gaudi_device *gdev,
				    unsigned int slot)
{
	unsigned int i, n, mon = slot * GAUDI_SLOT_MONS;

	for (i = 0; i < ARRAY_SIZE(gaudi_sync_bases); i++)
		for (n = mon; n < mon + GAUDI_SLOT_MONS; n++)
			gaudi_wr(gdev, gaudi_sync_bases[i] + SYNC_MNGR_MON_STATUS(n),
				 0);
}

void gaudi_handover_reset_slot(struct gaudi_device *gdev, unsigned int slot)
{
	unsigned int i, n, sob = slot * GAUDI_SLOT_SOBS;

	gaudi_handover_disarm_monitors(gdev, slot);
	for (i = 0; i < ARRAY_SIZE(gaudi_sync_bases); i++)
		for (n = sob; n < sob + GAUDI_SLOT_SOBS; n++)
			gaudi_wr(gdev, gaudi_sync_bases[i] + SYNC_MNGR_SOB_OBJ(n), 0);
}
