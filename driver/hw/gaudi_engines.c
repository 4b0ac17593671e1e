// SPDX-License-Identifier: GPL-2.0-only
/*
 * The engines behind the QMANs: DMA, MME and TPC. Start them, halt them, and
 * check whether they are idle. Of the NIC, the QMANs. And two small singletons: the
 * timestamp counter and the register that flushes.
 */
#include <linux/seq_file.h>

#include "../../uapi/hw/regs/gaudi_dma_core_regs.h"
#include "../../uapi/hw/regs/gaudi_mme_regs.h"
#include "../../uapi/hw/regs/gaudi_pcie_regs.h"
#include "../../uapi/hw/regs/gaudi_psoc_regs.h"
#include "../../uapi/hw/regs/gaudi_qman_regs.h"
#include "../../uapi/hw/regs/gaudi_sync_mngr_regs.h"
#include "../../uapi/hw/regs/gaudi_tpc_regs.h"
#include "../core/gaudi_device.h"
#include "gaudi_blocks.h"
#include "gaudi_hw.h"
#include "gaudi_qman.h"
#include "gaudi_reg_io.h"

/* Hardware bug H3-2116: more outstanding writes than this may hang. */
#define GAUDI_DMA_LBW_MAX_OUTSTAND	15
/* Time that engines get to finish what they have started. */
#define GAUDI_HALT_WAIT_MS		1

#define TIMESTAMP(reg)	(GAUDI_PSOC_TIMESTAMP_BASE + PSOC_TIMESTAMP_##reg)

void gaudi_engines_disable_clock_gating(struct gaudi_device *gdev)
{
	unsigned int i;

	for (i = 0; i < GAUDI_NUM_USED_QMANS; i++) {
		gaudi_wr(gdev, gaudi_qmans[i].base + QM_CGM_CFG, 0);
		gaudi_wr(gdev, gaudi_qmans[i].base + QM_CGM_CFG1, 0);
	}
}

static void gaudi_dma_init(struct gaudi_device *gdev, unsigned int i)
{
	u32 base = GAUDI_DMA_CORE_BASE(i);

	/* 0: as many and as large as the hardware can. */
	gaudi_wr(gdev, base + DMA_CORE_RD_MAX_OUTSTAND, 0);
	gaudi_wr(gdev, base + DMA_CORE_RD_MAX_SIZE, 0);
	gaudi_wr(gdev, base + DMA_CORE_LBW_MAX_OUTSTAND,
		 GAUDI_DMA_LBW_MAX_OUTSTAND);
	gaudi_wr(gdev, base + DMA_CORE_ERR_CFG, DMA_CORE_ERR_CFG_ERR_MSG_EN |
		 (gdev->tunables.stop_on_err ? DMA_CORE_ERR_CFG_STOP_ON_ERR :
					       0));
	gaudi_wr_lo_hi(gdev, base + DMA_CORE_ERRMSG_ADDR_LO,
		       base + DMA_CORE_ERRMSG_ADDR_HI,
		       GAUDI_CFG_BASE +
		       gdev->cpu_irq_reg[GAUDI_CPU_IRQ_DMA_CORE]);
	gaudi_wr(gdev, base + DMA_CORE_ERRMSG_WDATA,
		 GAUDI_SPI_DMA_CORE_BASE + i);
	gaudi_wr(gdev, base + DMA_CORE_PROT, DMA_CORE_PROT_ERR_VAL);
	/* The driver's own (secured) jobs use physical addresses. */
	gaudi_wr(gdev, base + DMA_CORE_SECURE_PROPS, DMA_CORE_PROPS_MMBP);
	gaudi_wr(gdev, base + DMA_CORE_CFG_0, DMA_CORE_CFG_0_EN);
}

void gaudi_engines_init(struct gaudi_device *gdev,
			u64 (*pq_addr)(struct gaudi_device *gdev, u32 qid))
{
	unsigned int i;

	for (i = 0; i < GAUDI_NUM_USED_QMANS; i++)
		gaudi_qman_init(gdev, &gaudi_qmans[i], pq_addr);
	for (i = 0; i < GAUDI_NUM_DMA; i++)
		gaudi_dma_init(gdev, i);
	for (i = 0; i < GAUDI_NUM_TPC; i++)
		gaudi_wr(gdev, GAUDI_TPC_CFG_BASE(i) +
			 TPC_CFG_SM_BASE_ADDRESS_HIGH,
			 upper_32_bits(GAUDI_CFG_BASE +
				       GAUDI_SYNC_MNGR_E_N_BASE +
				       SYNC_MNGR_SOB_OBJ(0)));
	for (i = 0; i < GAUDI_NUM_USED_QMANS; i++)
		gaudi_qman_enable(gdev, &gaudi_qmans[i]);

	gaudi_wr(gdev, TIMESTAMP(CNTCR), 0);
	gaudi_wr(gdev, TIMESTAMP(CNTCVU), 0);
	gaudi_wr(gdev, TIMESTAMP(CNTCVL), 0);
	gaudi_wr(gdev, TIMESTAMP(CNTCR), PSOC_TIMESTAMP_CNTCR_EN);
}

void gaudi_engines_init_nic(struct gaudi_device *gdev,
			    u64 (*pq_addr)(struct gaudi_device *gdev, u32 qid))
{
	unsigned int port;

	if (!gdev->nic_ports)
		return;
	for_each_nic_port(gdev, port)
		gaudi_qman_init(gdev, gaudi_nic_qman(port), pq_addr);
	/* TPC 7 takes part in collectives, too; see gaudi_blocks.c. */
	gaudi_qman_sync_bases(gdev, gaudi_qman_of_engine(GAUDI_ENGINE_ID_TPC_7));
	for_each_nic_port(gdev, port)
		gaudi_qman_enable(gdev, gaudi_nic_qman(port));
}

static void gaudi_engines_stall(struct gaudi_device *gdev)
{
	unsigned int i, twice;

	for (i = 0; i < GAUDI_NUM_DMA; i++)
		gaudi_wr(gdev, GAUDI_DMA_CORE_BASE(i) + DMA_CORE_CFG_1,
			 DMA_CORE_CFG_1_HALT);
	for (i = 0; i < GAUDI_NUM_TPC; i++)
		gaudi_wr(gdev, GAUDI_TPC_CFG_BASE(i) + TPC_CFG_TPC_STALL,
			 TPC_CFG_TPC_STALL_V);
	/* Hardware bug H3-1800: one write may be lost. */
	for (i = 0; i < GAUDI_NUM_MME; i++) {
		for (twice = 0; twice < 2; twice++)
			gaudi_wr(gdev, GAUDI_MME_ACC_BASE(i) +
				 MME_ACC_ACC_STALL, MME_ACC_ACC_STALL_R);
		for (twice = 0; twice < 2; twice++)
			gaudi_wr(gdev, GAUDI_MME_SBAB_BASE(i) +
				 MME_SBAB_SB_STALL, MME_SBAB_SB_STALL_R);
	}
}

void gaudi_engines_halt(struct gaudi_device *gdev)
{
	unsigned int i, port;

	if (gaudi_offline(gdev))
		return;
	for (i = 0; i < GAUDI_NUM_USED_QMANS; i++)
		gaudi_qman_stop(gdev, &gaudi_qmans[i]);
	for_each_nic_port(gdev, port)
		gaudi_qman_stop(gdev, gaudi_nic_qman(port));
	msleep(GAUDI_HALT_WAIT_MS);
	gaudi_engines_stall(gdev);
	msleep(GAUDI_HALT_WAIT_MS);
	for (i = 0; i < GAUDI_NUM_USED_QMANS; i++)
		gaudi_qman_disable(gdev, &gaudi_qmans[i]);
	for_each_nic_port(gdev, port)
		gaudi_qman_disable(gdev, gaudi_nic_qman(port));
	gaudi_wr(gdev, TIMESTAMP(CNTCR), 0);
}

/* --- Idle --- */

struct gaudi_idle {
	struct gaudi_device *gdev;
	struct seq_file *text;
	u64 *mask;
	unsigned int len;
	bool idle;
};

static void gaudi_idle_note(struct gaudi_idle *s, unsigned int engine_id,
			    bool idle)
{
	if (idle)
		return;
	s->idle = false;
	if (s->mask && engine_id / 64 < s->len)
		s->mask[engine_id / 64] |= BIT_ULL(engine_id % 64);
}

/* One engine: note it in mask and text. qm may be NULL (slave MMEs). */
static void gaudi_idle_engine(struct gaudi_idle *s, unsigned int engine_id,
			      unsigned int index,
			      const struct gaudi_qman_desc *qm, u32 status,
			      bool engine_idle)
{
	u32 sts0 = 0, cgm = 0;
	bool idle = engine_idle;

	if (qm && !gaudi_qman_idle(s->gdev, qm, &sts0, &cgm))
		idle = false;
	gaudi_idle_note(s, engine_id, idle);
	if (!s->text)
		return;
	/* Exactly mainline's layout, which tools parse. */
	seq_printf(s->text, " %-5u%-9s", index, idle ? "Y" : "N");
	if (qm)
		seq_printf(s->text, "%#-14x%#-12x", sts0, cgm);
	else
		seq_printf(s->text, "%-14s%-12s", "-", "-");
	seq_printf(s->text, "%#x\n", status);
}

static void gaudi_idle_heading(struct gaudi_idle *s, const char *engine,
			       const char *status)
{
	if (!s->text)
		return;
	seq_printf(s->text, "\n%s  is_idle  QM_GLBL_STS0  QM_CGM_STS%s%s\n",
		   engine, *status ? "  " : "", status);
	seq_printf(s->text, "---  -------  ------------  ----------%s%.*s\n",
		   *status ? "  " : "", (int)strlen(status),
		   "--------------------");
}

/* Of these there is no status of the engine. */
static void gaudi_idle_nics(struct gaudi_idle *s)
{
	unsigned int port;
	u32 sts0, cgm;
	bool idle;

	gaudi_idle_heading(s, "NIC", "");
	for_each_nic_port(s->gdev, port) {
		idle = gaudi_qman_idle(s->gdev, gaudi_nic_qman(port), &sts0,
				       &cgm);
		gaudi_idle_note(s, GAUDI_ENGINE_ID_NIC_0 + port, idle);
		if (s->text)
			seq_printf(s->text, " %-5u%-9s%#-14x%#x\n", port,
				   idle ? "Y" : "N", sts0, cgm);
	}
}

bool gaudi_engines_idle(struct gaudi_device *gdev, u64 *mask, unsigned int len,
			struct seq_file *text)
{
	struct gaudi_idle s = {
		.gdev = gdev, .text = text, .mask = mask, .len = len,
		.idle = true,
	};
	unsigned int i;
	u32 sts;

	if (mask)
		memset(mask, 0, len * sizeof(*mask));

	gaudi_idle_heading(&s, "DMA", "DMA_CORE_STS0");
	for (i = 0; i < GAUDI_NUM_DMA; i++) {
		sts = gaudi_rd(gdev, GAUDI_DMA_CORE_BASE(i) + DMA_CORE_STS0);
		gaudi_idle_engine(&s, GAUDI_ENGINE_ID_DMA_0 + i, i,
				  gaudi_qman_of_engine(GAUDI_ENGINE_ID_DMA_0 + i),
				  sts, !(sts & DMA_CORE_STS0_BUSY));
	}
	gaudi_idle_heading(&s, "TPC", "CFG_STATUS");
	for (i = 0; i < GAUDI_NUM_TPC; i++) {
		sts = gaudi_rd(gdev, GAUDI_TPC_CFG_BASE(i) + TPC_CFG_STATUS);
		gaudi_idle_engine(&s, GAUDI_ENGINE_ID_TPC_0 + i, i,
				  gaudi_qman_of_engine(GAUDI_ENGINE_ID_TPC_0 + i),
				  sts, (sts & TPC_CFG_STATUS_IDLE) ==
				  TPC_CFG_STATUS_IDLE);
	}
	gaudi_idle_heading(&s, "MME", "ARCH_STATUS");
	for (i = 0; i < GAUDI_NUM_MME; i++) {
		sts = gaudi_rd(gdev, GAUDI_MME_CTRL_BASE(i) +
			       MME_CTRL_ARCH_STATUS);
		gaudi_idle_engine(&s, GAUDI_ENGINE_ID_MME_0 + i, i,
				  gaudi_qman_of_engine(GAUDI_ENGINE_ID_MME_0 + i),
				  sts, (sts & MME_CTRL_ARCH_STATUS_IDLE) ==
				  MME_CTRL_ARCH_STATUS_IDLE);
	}
	gaudi_idle_nics(&s);
	if (text)
		seq_putc(text, '\n');
	return s.idle;
}

/* --- Singletons --- */

void gaudi_flush_hbw(struct gaudi_device *gdev)
{
	gaudi_rd(gdev, GAUDI_PCIE_WRAP_BASE +
		 PCIE_WRAP_RR_ELBI_RD_SEC_REG_CTRL);
}

u64 gaudi_device_time(struct gaudi_device *gdev)
{
	u32 hi, lo, again;

	/* The counter may carry between the two reads. */
	again = gaudi_rd(gdev, TIMESTAMP(CNTCVU));
	do {
		hi = again;
		lo = gaudi_rd(gdev, TIMESTAMP(CNTCVL));
		again = gaudi_rd(gdev, TIMESTAMP(CNTCVU));
	} while (hi != again && again != GAUDI_REG_GONE);
	return (u64)again << 32 | lo;
}
