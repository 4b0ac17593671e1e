// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order of things: what is brought up when, and taken down in reverse.
 *
 *   gaudi_device_find_card	at probe: windows, and a card in its preboot
 *   gaudi_device_hw_init	after each boot of the card: firmware, constants,
 *				engines, queues
 *   gaudi_device_late_init	after that: what needs firmware and queues
 *   gaudi_device_hw_reset	back to power-on
 */
#include <linux/delay.h>
#include <linux/pci.h>

#include "../../uapi/hw/regs/gaudi_pcie_regs.h"
#include "../../uapi/hw/regs/gaudi_psoc_regs.h"
#include "../core/gaudi_device.h"
#include "../core/gaudi_param.h"
#include "../core/gaudi_shared_ops.h"
#include "../errors/gaudi_errors.h"
#include "../errors/gaudi_reports.h"
#include "../firmware/gaudi_cpucp.h"
#include "../firmware/gaudi_firmware.h"
#include "../hw/gaudi_hw.h"
#include "../hw/gaudi_mmu.h"
#include "../hw/gaudi_reg_io.h"
#include "../jobs/gaudi_jobs.h"
#include "../memory/gaudi_pgt.h"
#include "../nic/gaudi_ports.h"
#include "../queues/gaudi_queue.h"
#include "gaudi_reset.h"

#define PSOC(reg)	(GAUDI_PSOC_GLOBAL_CONF_BASE + PSOC_##reg)

/* The reset of the card's clocks and memories; nothing can be polled. */
#define GAUDI_HARD_RESET_MS	2000
#define GAUDI_CPU_HALT_MS	200

/* What a reset covers: all but PCIe and the PLLs. Unit numbers of the chip. */
#define GAUDI_RST_L_PSOC	BIT(0)
#define GAUDI_RST_L_IF		GENMASK(24, 21)
#define GAUDI_RST_L_TPC		GENMASK(31, 25)	/* TPC 0 to 6 */
#define GAUDI_RST_H_TPC_7	BIT(0)
#define GAUDI_RST_H_MME		GENMASK(4, 1)
#define GAUDI_RST_H_HBM		GENMASK(8, 5)
#define GAUDI_RST_H_NIC		GENMASK(13, 9)
#define GAUDI_RST_H_SM		GENMASK(17, 14)
#define GAUDI_RST_H_DMA		GENMASK(19, 18)
#define GAUDI_RST_H_CPU		BIT(20)
#define GAUDI_RST_H_MMU		BIT(21)
#define GAUDI_SOFT_RST_H	(GAUDI_RST_H_DMA | GAUDI_RST_H_MME | \
				 GAUDI_RST_H_SM | GAUDI_RST_H_TPC_7)
#define GAUDI_SOFT_RST_L	GAUDI_RST_L_TPC
#define GAUDI_ALL_RST_H		(GAUDI_SOFT_RST_H | GAUDI_RST_H_HBM | \
				 GAUDI_RST_H_NIC | GAUDI_RST_H_CPU | \
				 GAUDI_RST_H_MMU)
#define GAUDI_ALL_RST_L		(GAUDI_RST_L_IF | GAUDI_RST_L_PSOC | \
				 GAUDI_RST_L_TPC)

/* PCIE_WRAP_LBW_PROT_OVR: BAR accesses count as secured. */
#define GAUDI_LBW_PROT_OVR	(GENMASK(10, 8) | GENMASK(14, 12))

#define GAUDI_PLL_REF_MHZ	50
#define GAUDI_MAX_CLK_HZ	2200000000ull

/* Power limits by card type, milliwatts: accelerator module and PCIe card. */
#define GAUDI_POWER_PMC_MW	350000
#define GAUDI_POWER_PCI_MW	200000
#define GAUDI_POWER_IDLE_MW	60000

int gaudi_device_hw_reset(struct gaudi_device *gdev, bool fw_anywhere)
{
	u32 fsm;

	if (gaudi_offline(gdev))
		return -ENODEV;
	if (!gaudi_fw_resets_itself(gdev))
		/* A function level reset is the hardware's from now on. */
		gaudi_wr(gdev, GAUDI_PCIE_AUX_BASE + PCIE_AUX_FLR_CTRL,
			 PCIE_AUX_FLR_CTRL_HW_CTRL |
			 PCIE_AUX_FLR_CTRL_INT_MASK);
	gaudi_fw_halt(gdev, fw_anywhere);
	if (!gaudi_fw_resets_itself(gdev)) {
		gaudi_wr(gdev, PSOC(SOFT_RST_CFG_H), GAUDI_SOFT_RST_H);
		gaudi_wr(gdev, PSOC(SOFT_RST_CFG_L), GAUDI_SOFT_RST_L);
		gaudi_wr(gdev, PSOC(SW_ALL_RST_CFG_H), GAUDI_ALL_RST_H);
		gaudi_wr(gdev, PSOC(SW_ALL_RST_CFG_L), GAUDI_ALL_RST_L);
		msleep(GAUDI_CPU_HALT_MS);
		/* PCIe stays up; preboot starts again. */
		gaudi_wr(gdev, PSOC(PREBOOT_PCIE_EN),
			 PSOC_PREBOOT_PCIE_EN_VALUE);
		gaudi_wr(gdev, PSOC(BOOT_SEQ_RE_START), 1);
		gaudi_wr(gdev, PSOC(SW_ALL_RST), PSOC_SW_ALL_RST_IND);
	}
	gdev->linux_loaded = false;
	msleep(GAUDI_HARD_RESET_MS);

	fsm = gaudi_rd(gdev, PSOC(BTM_FSM));
	if (fsm == GAUDI_REG_GONE)
		return -ENODEV;
	if (fsm & PSOC_BTM_FSM_STATE) {
		drm_err(&gdev->drm, "card is still in reset (%#x)\n", fsm);
		return -ETIMEDOUT;
	}
	return 0;
}

static int gaudi_device_boot(struct gaudi_device *gdev)
{
	u32 prot_ovr = GAUDI_PCIE_WRAP_BASE + PCIE_WRAP_LBW_PROT_OVR;

	if (gaudi_rd(gdev, PSOC(HW_STATE)) == GAUDI_REG_GONE)
		return -ENODEV;
	gaudi_wr(gdev, prot_ovr, GAUDI_LBW_PROT_OVR);
	gaudi_rd(gdev, prot_ovr);
	/* A driver that finds this knows that the card needs a reset first. */
	gaudi_wr(gdev, PSOC(HW_STATE), PSOC_HW_STATE_DIRTY);

	gaudi_cpucp_set_msb(gdev);
	return gaudi_fw_load(gdev);
}

int gaudi_device_hw_init(struct gaudi_device *gdev)
{
	int ret;

	gaudi_queues_reset(gdev);
	gaudi_eq_reset(gdev);
	gaudi_kjob_reset(gdev);
	gaudi_reports_reset(gdev);
	gaudi_error_reset(gdev);

	ret = gaudi_device_boot(gdev);
	if (ret)
		return ret;
	gaudi_engines_disable_clock_gating(gdev);
	gaudi_golden_init(gdev);
	ret = gaudi_mmu_hw_init(gdev, gaudi_pgt_hop0_addr);
	if (ret)
		return ret;
	gaudi_security_init(gdev);
	gaudi_engines_init(gdev, gaudi_queue_pq_addr);

	/* Firmware learns of the interrupt with its queues. */
	gaudi_irq_enable(gdev);
	ret = gaudi_cpucp_hw_init(gdev);
	if (ret)
		goto err_irq;
	ret = gaudi_fw_update_status(gdev);
	if (ret)
		goto err_cpucp;
	return 0;

err_cpucp:
	gaudi_cpucp_disable(gdev);
err_irq:
	gaudi_irq_disable(gdev);
	gaudi_engines_halt(gdev);
	return ret;
}

static int gaudi_device_pll(struct gaudi_device *gdev)
{
	const u32 pll = GAUDI_PSOC_CPU_PLL_BASE;
	u32 nr, nf, od, div, sel, mhz;
	u16 out[HL_PLL_NUM_OUTPUTS];
	int ret;

	if (gdev->boot_sts0 & GAUDI_BOOT_STS0_PLL_INFO_EN) {
		ret = gaudi_cpucp_pll_info_get(gdev, HL_GAUDI_CPU_PLL, out);
		if (!ret)
			gdev->psoc_pll.timestamp_mhz = out[2];
		return ret;
	}

	div = gaudi_rd(gdev, pll + PLL_DIV_FACTOR(2));
	sel = gaudi_rd(gdev, pll + PLL_DIV_SEL(2));
	nr = gaudi_rd(gdev, pll + PLL_NR);
	nf = gaudi_rd(gdev, pll + PLL_NF);
	od = gaudi_rd(gdev, pll + PLL_OD);
	if (div == GAUDI_REG_GONE || nr == GAUDI_REG_GONE ||
	    nf == GAUDI_REG_GONE || od == GAUDI_REG_GONE)
		return -ENODEV;

	mhz = GAUDI_PLL_REF_MHZ;
	if (sel == PLL_DIV_SEL_PLL_CLK || sel == PLL_DIV_SEL_DIVIDED_PLL)
		mhz = div64_u64((u64)mhz * ((u64)nf + 1),
				((u64)nr + 1) * ((u64)od + 1));
	if (sel == PLL_DIV_SEL_DIVIDED_REF || sel == PLL_DIV_SEL_DIVIDED_PLL)
		mhz /= div + 1;
	if (sel > PLL_DIV_SEL_DIVIDED_PLL) {
		drm_warn(&gdev->drm, "CPU PLL has an unknown source %#x\n",
			 sel);
		mhz = 0;
	}
	gdev->psoc_pll.nr = nr;
	gdev->psoc_pll.nf = nf;
	gdev->psoc_pll.od = od;
	gdev->psoc_pll.div_factor = div;
	gdev->psoc_pll.timestamp_mhz = mhz;
	return 0;
}

static void gaudi_device_power_defaults(struct gaudi_device *gdev)
{
	bool pmc = le32_to_cpu(gdev->info.card_type) == GAUDI_CARD_TYPE_PMC;

	gdev->max_power_default_mw = pmc ? GAUDI_POWER_PMC_MW :
					   GAUDI_POWER_PCI_MW;
	gdev->dc_power_default_mw = GAUDI_POWER_IDLE_MW;
	/* What the administrator set survives a reset. */
	if (!gdev->max_power_mw)
		gdev->max_power_mw = gdev->max_power_default_mw;
}

/* Memories and engines, once firmware lets PCI in. */
static int gaudi_device_late_memories(struct gaudi_device *gdev)
{
	int ret = 0;

	if (gaudi_memory_scrub)
		ret = gaudi_kjob_scrub(gdev, gdev->tunables.scrub_val);
	/* What is filled with zeros are all page tables. */
	ret = ret ?:
	      gaudi_device_pll(gdev) ?:
	      gaudi_kjob_memset(gdev, GAUDI_HBM_PGT_BASE, 0,
				GAUDI_HBM_PGT_SIZE +
				GAUDI_HBM_MMU_CACHE_SIZE) ?:
	      gaudi_tpc_load(gdev);
	if (ret)
		return ret;
	gaudi_sync_init(gdev);
	/* One user's engines never change their address space. */
	if (gaudi_is_shared(gdev))
		gdev->shared->start(gdev);
	else
		gaudi_mmu_set_engines_asid(gdev, GAUDI_USER_ASID);
	return 0;
}

int gaudi_device_late_init(struct gaudi_device *gdev)
{
	int ret;

	ret = gaudi_kjob_test_queues(gdev) ?: gaudi_cpucp_test(gdev);
	if (ret)
		return ret;
	ret = gaudi_cpucp_info_get(gdev);
	if (ret) {
		drm_err(&gdev->drm, "firmware gave no information: %d\n", ret);
		return ret;
	}
	gaudi_device_power_defaults(gdev);
	ret = gaudi_cpucp_pci_access(gdev, true);
	if (ret)
		return ret;
	ret = gaudi_device_late_memories(gdev) ?: gaudi_nic_hw_init(gdev);
	if (ret) {
		gaudi_cpucp_pci_access(gdev, false);
		return ret;
	}

	/* A card works without these if its firmware refuses them. */
	gaudi_cpucp_frequency_set(gdev, HL_GAUDI_MME_PLL, GAUDI_MAX_CLK_HZ);
	gaudi_cpucp_max_power_set(gdev, gdev->max_power_mw);
	return 0;
}

void gaudi_device_halt(struct gaudi_device *gdev)
{
	/* First: a handler of events may wait for firmware. */
	gaudi_cpucp_close(gdev);
	/* Peers stop writing before anything else is taken away. */
	gaudi_nic_halt(gdev);
	gaudi_engines_halt(gdev);
	gaudi_irq_disable(gdev);
	gaudi_eq_stop(gdev);
	gaudi_cpucp_disable(gdev);
}

/* A card whose firmware may be anywhere from preboot on. */
static int gaudi_device_take_over(struct gaudi_device *gdev, const char *why)
{
	int ret;

	drm_info(&gdev->drm, "%s, resetting it\n", why);
	ret = gaudi_fw_update_status(gdev);
	if (ret)
		return ret;
	gaudi_comms_reset(gdev);
	return gaudi_device_hw_reset(gdev, true);
}

int gaudi_device_find_card(struct gaudi_device *gdev)
{
	int ret;

	ret = gaudi_pci_init(gdev);
	if (ret)
		return ret;
	/* By a driver that crashed, or a kernel before this one (kexec). */
	if (gaudi_rd(gdev, PSOC(HW_STATE)) == PSOC_HW_STATE_DIRTY) {
		ret = gaudi_device_take_over(gdev, "card was left in use");
		return ret ?: gaudi_fw_wait_preboot(gdev);
	}
	ret = gaudi_fw_wait_preboot(gdev);
	if (ret != -ETIMEDOUT)
		return ret;
	/* The boot that it hangs in may be one of long ago. */
	ret = gaudi_device_take_over(gdev, "card hangs in its boot");
	return ret ?: gaudi_fw_wait_preboot(gdev);
}
