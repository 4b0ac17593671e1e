// SPDX-License-Identifier: GPL-2.0-only
/*
 * One queue manager: its constants, enable, stop, idle. What stands in its
 * queues is gaudi_queue.c's.
 */
#include <linux/log2.h>

#include "../../uapi/hw/regs/gaudi_dma_core_regs.h"
#include "../../uapi/hw/regs/gaudi_qman_regs.h"
#include "../../uapi/hw/regs/gaudi_sync_mngr_regs.h"
#include "../core/gaudi_device.h"
#include "gaudi_blocks.h"
#include "gaudi_hw.h"
#include "gaudi_qman.h"
#include "gaudi_reg_io.h"

#define GAUDI_LOWER_CP		GAUDI_NUM_STREAMS
/* As long as the watchdog of the arbiter can be: about 8 s. */
#define GAUDI_ARB_WDT		0xee6b27ffu
#define GAUDI_ARB_ERR_MSG	(QM_ARB_ERR_CAUSE_OVF | QM_ARB_ERR_CAUSE_WDT | \
				 QM_ARB_ERR_CAUSE_AXI_LBW)
#define GAUDI_DMA_BARRIER_CFG	0x100

/* Which CPs of a QMAN: those of the four streams, or the lower one, too. */
#define GAUDI_UPPER_CPS		GENMASK(GAUDI_NUM_STREAMS - 1, 0)
#define GAUDI_ALL_CPS		GENMASK(GAUDI_NUM_CPS - 1, 0)

#define GAUDI_CFG0(cps)		(QM_GLBL_CFG0_PQF_EN | \
				 FIELD_PREP(QM_GLBL_CFG0_CQF_EN, cps) | \
				 FIELD_PREP(QM_GLBL_CFG0_CP_EN, cps))
#define GAUDI_CFG1_STOP(cps)	(QM_GLBL_CFG1_PQF_STOP | \
				 FIELD_PREP(QM_GLBL_CFG1_CQF_STOP, cps) | \
				 FIELD_PREP(QM_GLBL_CFG1_CP_STOP, cps))
#define GAUDI_ERR_MSG(cps)	(QM_GLBL_ERR_CFG_PQF_MSG_EN | \
				 FIELD_PREP(QM_GLBL_ERR_CFG_CQF_MSG_EN, cps) | \
				 FIELD_PREP(QM_GLBL_ERR_CFG_CP_MSG_EN, cps))
#define GAUDI_ERR_STOP(cps)	(QM_GLBL_ERR_CFG_PQF_STOP | \
				 FIELD_PREP(QM_GLBL_ERR_CFG_CQF_STOP, cps) | \
				 FIELD_PREP(QM_GLBL_ERR_CFG_CP_STOP, cps) | \
				 QM_GLBL_ERR_CFG_ARB_STOP)
/* External queues are filled by the driver: secured. Internal: fetch only. */
#define GAUDI_PROT_EXT		(QM_GLBL_PROT_PQF | \
				 FIELD_PREP(QM_GLBL_PROT_CQF, GAUDI_UPPER_CPS) | \
				 FIELD_PREP(QM_GLBL_PROT_CP, GAUDI_UPPER_CPS) | \
				 QM_GLBL_PROT_ERR)
#define GAUDI_PROT_INT		(QM_GLBL_PROT_PQF | QM_GLBL_PROT_ERR)

#define GAUDI_QM_STS0_IDLE	(QM_GLBL_STS0_PQF_IDLE | \
				 QM_GLBL_STS0_CQF_IDLE | QM_GLBL_STS0_CP_IDLE)

static bool gaudi_qman_is_ext(const struct gaudi_qman_desc *qm)
{
	return qm->kind == GAUDI_QMAN_PCI_DMA;
}

static bool gaudi_qman_has_lower_cp(const struct gaudi_qman_desc *qm)
{
	return qm->kind != GAUDI_QMAN_PCI_DMA && qm->kind != GAUDI_QMAN_NIC;
}

static u32 gaudi_qman_cps(const struct gaudi_qman_desc *qm)
{
	return gaudi_qman_has_lower_cp(qm) ? GAUDI_ALL_CPS : GAUDI_UPPER_CPS;
}

static void gaudi_qman_msg_base(struct gaudi_device *gdev, u32 base,
				unsigned int b, unsigned int cp, u32 target)
{
	gaudi_wr_lo_hi(gdev, base + QM_CP_MSG_BASE_ADDR_LO(b, cp),
		       base + QM_CP_MSG_BASE_ADDR_HI(b, cp),
		       GAUDI_CFG_BASE + target);
}

static void gaudi_qman_sync_base(struct gaudi_device *gdev, u32 base,
				 unsigned int cp)
{
	const u32 ws = GAUDI_SYNC_MNGR_W_S_BASE;

	gaudi_qman_msg_base(gdev, base, 2, cp, ws + SYNC_MNGR_MON_PAY_ADDRL(0));
	gaudi_qman_msg_base(gdev, base, 3, cp, ws + SYNC_MNGR_SOB_OBJ(0));
}

void gaudi_qman_sync_bases(struct gaudi_device *gdev,
			   const struct gaudi_qman_desc *qm)
{
	unsigned int cp;

	for (cp = 0; cp < GAUDI_NUM_CPS; cp++)
		gaudi_qman_sync_base(gdev, qm->base, cp);
}

static void gaudi_qman_init_cp(struct gaudi_device *gdev,
			       const struct gaudi_qman_desc *qm,
			       unsigned int cp)
{
	const u32 en = GAUDI_SYNC_MNGR_E_N_BASE;
	/*
	 * Where a CP finds the engine's registers for LIN_DMA; an upper CP
	 * with a lower one finds that one's fetch registers instead. Both
	 * count from the DMA core, 0x8000 below the QMAN.
	 */
	bool hands_down = gaudi_qman_has_lower_cp(qm) && cp != GAUDI_LOWER_CP;
	const u32 qm_off = GAUDI_DMA_QM_BASE(0) - GAUDI_DMA_CORE_BASE(0);
	u32 base = qm->base;

	gaudi_wr(gdev, base + QM_CP_LDMA_TSIZE_OFFSET(cp),
		 hands_down ? qm_off + QM_CQ_TSIZE(GAUDI_LOWER_CP) :
			      DMA_CORE_DST_TSIZE(0));
	gaudi_wr(gdev, base + QM_CP_LDMA_SRC_BASE_LO_OFFSET(cp),
		 hands_down ? qm_off + QM_CQ_PTR_LO(GAUDI_LOWER_CP) :
			      DMA_CORE_SRC_BASE_LO);
	gaudi_wr(gdev, base + QM_CP_LDMA_DST_BASE_LO_OFFSET(cp),
		 DMA_CORE_DST_BASE_LO);

	gaudi_qman_msg_base(gdev, base, 0, cp, en + SYNC_MNGR_MON_PAY_ADDRL(0));
	gaudi_qman_msg_base(gdev, base, 1, cp, en + SYNC_MNGR_SOB_OBJ(0));
	if (qm->sync_stream)
		gaudi_qman_sync_base(gdev, base, cp);
}

static void gaudi_qman_init_stream(struct gaudi_device *gdev,
				   const struct gaudi_qman_desc *qm,
				   unsigned int s, u64 pq_addr)
{
	u32 base = qm->base;

	gaudi_wr_lo_hi(gdev, base + QM_PQ_BASE_LO(s), base + QM_PQ_BASE_HI(s),
		       pq_addr);
	gaudi_wr(gdev, base + QM_PQ_SIZE(s), ilog2(qm->pq_len));
	gaudi_wr(gdev, base + QM_PQ_PI(s), 0);
	gaudi_wr(gdev, base + QM_PQ_CI(s), 0);
	if (gaudi_qman_is_ext(qm))
		gaudi_wr(gdev, base + QM_CP_BARRIER_CFG(s),
			 GAUDI_DMA_BARRIER_CFG);
}

void gaudi_qman_init(struct gaudi_device *gdev,
		     const struct gaudi_qman_desc *qm,
		     u64 (*pq_addr)(struct gaudi_device *gdev, u32 qid))
{
	static const u8 irq[] = {
		[GAUDI_QMAN_PCI_DMA] = GAUDI_CPU_IRQ_DMA_QM,
		[GAUDI_QMAN_HBM_DMA] = GAUDI_CPU_IRQ_DMA_QM,
		[GAUDI_QMAN_MME] = GAUDI_CPU_IRQ_MME_QM,
		[GAUDI_QMAN_TPC] = GAUDI_CPU_IRQ_TPC_QM,
		[GAUDI_QMAN_NIC] = GAUDI_CPU_IRQ_NIC_QM,
	};
	u32 base = qm->base, cps = gaudi_qman_cps(qm);
	u32 err_cfg = GAUDI_ERR_MSG(cps);
	unsigned int i;

	for (i = 0; i < GAUDI_NUM_STREAMS; i++)
		gaudi_qman_init_stream(gdev, qm, i,
				       pq_addr(gdev, qm->first_qid + i));
	for (i = 0; cps & BIT(i); i++)
		gaudi_qman_init_cp(gdev, qm, i);

	/* Errors go to the embedded CPU as an interrupt. */
	if (gdev->tunables.stop_on_err)
		err_cfg |= GAUDI_ERR_STOP(cps);
	gaudi_wr(gdev, base + QM_GLBL_ERR_CFG, err_cfg);
	gaudi_wr_lo_hi(gdev, base + QM_GLBL_ERR_ADDR_LO,
		       base + QM_GLBL_ERR_ADDR_HI,
		       GAUDI_CFG_BASE + gdev->cpu_irq_reg[irq[qm->kind]]);
	gaudi_wr(gdev, base + QM_GLBL_ERR_WDATA, qm->err_spi);
	gaudi_wr(gdev, base + QM_ARB_ERR_MSG_EN, GAUDI_ARB_ERR_MSG);
	gaudi_wr(gdev, base + QM_ARB_SLV_CHOISE_WDT, GAUDI_ARB_WDT);
	gaudi_wr(gdev, base + QM_GLBL_CFG1, 0);
	gaudi_wr(gdev, base + QM_GLBL_PROT,
		 gaudi_qman_is_ext(qm) ? GAUDI_PROT_EXT : GAUDI_PROT_INT);
}

void gaudi_qman_enable(struct gaudi_device *gdev,
		       const struct gaudi_qman_desc *qm)
{
	gaudi_wr(gdev, qm->base + QM_GLBL_CFG0, GAUDI_CFG0(gaudi_qman_cps(qm)));
}

void gaudi_qman_stop(struct gaudi_device *gdev,
		     const struct gaudi_qman_desc *qm)
{
	gaudi_wr(gdev, qm->base + QM_GLBL_CFG1,
		 GAUDI_CFG1_STOP(gaudi_qman_is_ext(qm) ? GAUDI_UPPER_CPS :
							 GAUDI_ALL_CPS));
}

void gaudi_qman_disable(struct gaudi_device *gdev,
			const struct gaudi_qman_desc *qm)
{
	gaudi_wr(gdev, qm->base + QM_GLBL_CFG0, 0);
}

bool gaudi_qman_idle(struct gaudi_device *gdev,
		     const struct gaudi_qman_desc *qm, u32 *glbl_sts0,
		     u32 *cgm_sts)
{
	*glbl_sts0 = gaudi_rd(gdev, qm->base + QM_GLBL_STS0);
	*cgm_sts = gaudi_rd(gdev, qm->base + QM_CGM_STS);
	return (*glbl_sts0 & GAUDI_QM_STS0_IDLE) == GAUDI_QM_STS0_IDLE &&
	       (*cgm_sts & QM_CGM_STS_AGENT_IDLE);
}
