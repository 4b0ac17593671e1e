// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the card looked like before a reset that no user asked for, as a device
 * coredump: text in the data file of a /sys/class/devcoredump/ entry, kept for
 * five minutes.
 *
 * The state is read before the reset signals the fences of all submissions, so
 * nothing is allocated then: reclaim may wait for such a fence. A copy is handed
 * out when the fences have signalled.
 */
#include <linux/devcoredump.h>
#include <linux/pci.h>
#include <linux/seq_file.h>
#include <linux/utsname.h>
#include <linux/vmalloc.h>

#include "../../uapi/hw/regs/gaudi_dma_core_regs.h"
#include "../../uapi/hw/regs/gaudi_mmu_regs.h"
#include "../../uapi/hw/regs/gaudi_qman_regs.h"
#include "../core/gaudi_device.h"
#include "../core/gaudi_param.h"
#include "../errors/gaudi_errors.h"
#include "../events/gaudi_events.h"
#include "../hw/gaudi_blocks.h"
#include "../hw/gaudi_hw.h"
#include "../hw/gaudi_reg_io.h"
#include "gaudi_coredump.h"

struct gaudi_dump_reg {
	const char *name;
	u16 off;
	u8 count;		/* of the streams; 5: the lower CP too */
	u8 stride;
};

#define REG(_name)		{ #_name, QM_##_name, 1, 4 }
#define REGS(_name, _count)	{ #_name, QM_##_name(0), (_count), 4 }
#define FENCE(f) \
	{ "CP_FENCE" #f "_CNT", QM_CP_FENCE_CNT(f, 0), GAUDI_NUM_CPS, 4 }

static const struct gaudi_dump_reg gaudi_dump_qman[] = {
	REG(GLBL_CFG0),
	REG(GLBL_CFG1),
	REG(GLBL_STS0),
	REGS(GLBL_STS1, 5),
	REGS(PQ_PI, 4),
	REGS(PQ_CI, 4),
	{ "CQ_PTR_LO", QM_CQ_PTR_LO(0), 5, 16 },
	{ "CQ_PTR_HI", QM_CQ_PTR_HI(0), 5, 16 },
	{ "CQ_TSIZE", QM_CQ_TSIZE(0), 5, 16 },
	REGS(CP_STS, 5),
	REGS(CP_CURRENT_INST_LO, 5),
	REGS(CP_CURRENT_INST_HI, 5),
	FENCE(0), FENCE(1), FENCE(2), FENCE(3),
	REG(ARB_CFG_0),
	REG(ARB_ERR_CAUSE),
	REG(CGM_STS),
};

static const struct gaudi_dump_reg gaudi_dump_dma[] = {
	{ "CFG_0", DMA_CORE_CFG_0, 1, 4 },
	{ "CFG_1", DMA_CORE_CFG_1, 1, 4 },
	{ "SRC_BASE", DMA_CORE_SRC_BASE_LO, 2, 4 },
	{ "DST_BASE", DMA_CORE_DST_BASE_LO, 2, 4 },
	{ "DST_TSIZE_0", DMA_CORE_DST_TSIZE(0), 1, 4 },
	{ "COMMIT", DMA_CORE_COMMIT, 1, 4 },
	{ "ERR_CAUSE", DMA_CORE_ERR_CAUSE, 1, 4 },
	{ "STS0", DMA_CORE_STS0, 1, 4 },
};

static const struct gaudi_dump_reg gaudi_dump_mmu[] = {
	{ "MMU_ENABLE", MMU_UP_MMU_ENABLE, 1, 4 },
	{ "PAGE_ERROR_CAPTURE", MMU_UP_PAGE_ERROR_CAPTURE, 2, 4 },
	{ "ACCESS_ERROR_CAPTURE", MMU_UP_ACCESS_ERROR_CAPTURE, 2, 4 },
	{ "RAZWI_WRITE", MMU_UP_RAZWI_WRITE_VLD, 2, 4 },
	{ "RAZWI_READ", MMU_UP_RAZWI_READ_VLD, 2, 4 },
};

static void gaudi_dump_block(struct seq_file *s, struct gaudi_device *gdev,
			     u32 base, const struct gaudi_dump_reg *regs,
			     size_t count)
{
	unsigned int n;
	size_t i;

	for (i = 0; i < count; i++) {
		seq_printf(s, "  %-20s", regs[i].name);
		for (n = 0; n < regs[i].count; n++)
			seq_printf(s, " %#x", gaudi_rd(gdev, base +
				   regs[i].off + n * regs[i].stride));
		seq_putc(s, '\n');
	}
}

const struct seq_file *gaudi_coredump_take(struct gaudi_device *gdev,
					   const char *reason)
{
	struct seq_file *s = gaudi_state_text(gdev);
	unsigned int i;

	seq_printf(s, "%s on Linux %s, %s: %s\n", GAUDI_DRV_NAME,
		   utsname()->release, dev_name(&gdev->pdev->dev), reason);
	seq_printf(s, "firmware: %s\nboot status: %#x %#x\ndevice time: %llu\n",
		   gdev->info.cpucp_version, gdev->boot_sts0, gdev->boot_sts1,
		   gaudi_device_time(gdev));
	gaudi_engines_idle(gdev, NULL, 0, s);
	gaudi_state_waits(gdev, s);
	seq_puts(s, "MMU\n");
	gaudi_dump_block(s, gdev, GAUDI_MMU_UP_BASE, gaudi_dump_mmu,
			 ARRAY_SIZE(gaudi_dump_mmu));
	for (i = 0; i < GAUDI_NUM_QMAN; i++) {
		if (gaudi_qmans[i].kind == GAUDI_QMAN_NIC &&
		    !(gdev->nic_ports & BIT(i - GAUDI_NUM_USED_QMANS)))
			continue;
		seq_printf(s, "\n%s\n", gaudi_qmans[i].name);
		gaudi_dump_block(s, gdev, gaudi_qmans[i].base, gaudi_dump_qman,
				 ARRAY_SIZE(gaudi_dump_qman));
	}
	for (i = 0; i < GAUDI_NUM_DMA; i++) {
		seq_printf(s, "\nDMA_CORE%u\n", i);
		gaudi_dump_block(s, gdev, GAUDI_DMA_CORE_BASE(i),
				 gaudi_dump_dma, ARRAY_SIZE(gaudi_dump_dma));
	}
	seq_puts(s, "\nevents since the last reset\n");
	gaudi_events_show(gdev, false, s);
	return s;
}

void gaudi_coredump_hand_out(struct gaudi_device *gdev,
			     const struct seq_file *s)
{
	void *text = vmalloc(s->count);

	if (!text)
		return;
	memcpy(text, s->buf, s->count);
	/* It frees the text, and keeps no reference to this module. */
	dev_coredumpv(&gdev->pdev->dev, text, s->count, GFP_KERNEL);
	drm_info(&gdev->drm, "state saved in /sys/class/devcoredump\n");
}
