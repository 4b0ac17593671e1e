// SPDX-License-Identifier: GPL-2.0-only
/*
 * PCI: the register windows, the access path through configuration space
 * (ELBI) that works before they do, and the address translation behind them.
 *
 * Owns BARs and DMA mask. Interrupts are gaudi_irq.c's, power and reset
 * callbacks gaudi_drv.c's.
 */
#include <linux/dma-mapping.h>
#include <linux/iopoll.h>
#include <linux/pci.h>

#include <trace/events/habanalabs.h>

#include "../../uapi/hw/regs/gaudi_pcie_regs.h"
#include "../../uapi/hw/regs/gaudi_psoc_regs.h"
#include "../core/gaudi_device.h"
#include "../core/gaudi_param.h"
#include "gaudi_hw.h"

#define GAUDI_DMA_BITS		48
/* Match the function number as well; not in the register header. */
#define IATU_CTRL_2_FUNC_MATCH	BIT(19)
#define GAUDI_ELBI_SLEEP_US	300
#define GAUDI_ELBI_TIMEOUT_US	10000

/* STS0 through ELBI, whose addresses are the low 32 bits of device addresses */
#define GAUDI_ELBI_CFG(off)	(lower_32_bits(GAUDI_CFG_BASE) + (off))
#define GAUDI_STS0_REG		(GAUDI_PSOC_GLOBAL_CONF_BASE + \
				 PSOC_CPU_BOOT_DEV_STS0)

static int gaudi_elbi_finish(struct pci_dev *pdev, u32 addr)
{
	u32 sts;
	int ret, err = 0;

	ret = read_poll_timeout(pci_read_config_dword, err,
				err || (sts & (PCI_CONFIG_ELBI_STS_DONE |
					       PCI_CONFIG_ELBI_STS_ERR)),
				GAUDI_ELBI_SLEEP_US, GAUDI_ELBI_TIMEOUT_US,
				false, pdev, PCI_CONFIG_ELBI_STS, &sts);
	if (err)
		return pcibios_err_to_errno(err);
	if (ret) {
		dev_err(&pdev->dev, "ELBI access to %#x timed out\n", addr);
		return ret;
	}
	/* All ones (no 4 KiB configuration space) has the error bit set too. */
	if (sts & PCI_CONFIG_ELBI_STS_ERR) {
		dev_err(&pdev->dev, "ELBI access to %#x failed (%#x)\n", addr,
			sts);
		return -EIO;
	}
	return 0;
}

static int gaudi_elbi_read(struct pci_dev *pdev, u32 addr, u32 *val)
{
	int ret;

	pci_write_config_dword(pdev, PCI_CONFIG_ELBI_STS, 0);
	pci_write_config_dword(pdev, PCI_CONFIG_ELBI_ADDR, addr);
	pci_write_config_dword(pdev, PCI_CONFIG_ELBI_CTRL, 0);
	ret = gaudi_elbi_finish(pdev, addr);
	if (ret)
		return ret;
	ret = pci_read_config_dword(pdev, PCI_CONFIG_ELBI_DATA, val);
	if (ret)
		return pcibios_err_to_errno(ret);
	trace_habanalabs_elbi_read(&pdev->dev, addr, *val);
	return 0;
}

static int gaudi_elbi_write(struct pci_dev *pdev, u32 addr, u32 val)
{
	trace_habanalabs_elbi_write(&pdev->dev, addr, val);
	pci_write_config_dword(pdev, PCI_CONFIG_ELBI_STS, 0);
	pci_write_config_dword(pdev, PCI_CONFIG_ELBI_ADDR, addr);
	pci_write_config_dword(pdev, PCI_CONFIG_ELBI_DATA, val);
	pci_write_config_dword(pdev, PCI_CONFIG_ELBI_CTRL,
			       PCI_CONFIG_ELBI_CTRL_WRITE);
	return gaudi_elbi_finish(pdev, addr);
}

static int gaudi_iatu_write(struct pci_dev *pdev, u32 off, u32 val)
{
	return gaudi_elbi_write(pdev, GAUDI_ELBI_CFG(GAUDI_PCIE_AUX_BASE +
						     PCIE_AUX_DBI),
				PCIE_AUX_DBI_IATU) ?:
	       gaudi_elbi_write(pdev, GAUDI_ELBI_CFG(GAUDI_PCIE_DBI_BASE + off),
				val);
}

/* Close the window: DBI shows ordinary configuration space again. */
static int gaudi_iatu_done(struct pci_dev *pdev)
{
	return gaudi_elbi_write(pdev, GAUDI_ELBI_CFG(GAUDI_PCIE_AUX_BASE +
						     PCIE_AUX_DBI), 0);
}

struct gaudi_iatu_word {
	u16 off;
	u32 val;
};

static int gaudi_iatu_region(struct pci_dev *pdev, u32 region,
			     const struct gaudi_iatu_word *words, size_t count)
{
	size_t i;
	int ret;

	for (i = 0; i < count; i++) {
		ret = gaudi_iatu_write(pdev, region + words[i].off,
				       words[i].val);
		if (ret)
			return ret;
	}
	return gaudi_iatu_done(pdev);
}

static int gaudi_iatu_inbound(struct pci_dev *pdev, unsigned int n,
			      unsigned int bar, u64 target)
{
	const struct gaudi_iatu_word words[] = {
		{ IATU_TARGET_LO, lower_32_bits(target) },
		{ IATU_TARGET_HI, upper_32_bits(target) },
		{ IATU_REGION_CTRL_1, 0 },
		{ IATU_REGION_CTRL_2,
		  IATU_CTRL_2_ENABLE | IATU_CTRL_2_MATCH_BAR |
		  IATU_CTRL_2_FUNC_MATCH |
		  FIELD_PREP(IATU_CTRL_2_BAR, bar) },
	};

	return gaudi_iatu_region(pdev, IATU_INBOUND(n), words,
				 ARRAY_SIZE(words));
}

/* The host's memory, at GAUDI_HOST_BASE in device addresses. */
static int gaudi_iatu_outbound(struct pci_dev *pdev)
{
	const u64 limit = GAUDI_HOST_BASE + GAUDI_HOST_SIZE - 1;
	const struct gaudi_iatu_word words[] = {
		{ IATU_BASE_LO, lower_32_bits(GAUDI_HOST_BASE) },
		{ IATU_BASE_HI, upper_32_bits(GAUDI_HOST_BASE) },
		{ IATU_LIMIT, lower_32_bits(limit) },
		{ IATU_TARGET_LO, 0 },
		{ IATU_TARGET_HI, 0 },
		{ IATU_LIMIT_HI, upper_32_bits(limit) },
		{ IATU_REGION_CTRL_1, BIT(13) /* may exceed 4 GiB */ },
		{ IATU_REGION_CTRL_2, IATU_CTRL_2_ENABLE },
	};

	return gaudi_iatu_region(pdev, IATU_OUTBOUND(0), words,
				 ARRAY_SIZE(words));
}

static int gaudi_iatu_init(struct pci_dev *pdev)
{
	static const struct {
		unsigned int bar;
		u64 target;
	} inbound[] = {
		{ GAUDI_BAR_SRAM, GAUDI_BAR_SRAM_TARGET },
		{ GAUDI_BAR_CFG, GAUDI_BAR_CFG_TARGET },
		{ GAUDI_BAR_HBM, GAUDI_BAR_HBM_TARGET },
	};
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(inbound); i++) {
		ret = gaudi_iatu_inbound(pdev, i, inbound[i].bar,
					 inbound[i].target);
		if (ret)
			return ret;
	}
	return gaudi_iatu_outbound(pdev);
}

int gaudi_pci_restore(struct gaudi_device *gdev)
{
	struct pci_dev *pdev = gdev->pdev;
	u32 sts0;
	int ret;

	ret = gaudi_elbi_read(pdev, GAUDI_ELBI_CFG(GAUDI_STS0_REG), &sts0);
	if (ret)
		return ret;
	gdev->iatu_by_fw = (sts0 & GAUDI_BOOT_STS0_ENABLED) &&
			   (sts0 & GAUDI_BOOT_STS0_FW_IATU_CONF_EN);
	if (!gdev->iatu_by_fw)
		return gaudi_iatu_init(pdev);
	/* Firmware's translation settles within this time (mainline's value). */
	usleep_range(2000, 3000);
	return 0;
}

static int gaudi_pci_check_bars(struct pci_dev *pdev)
{
	static const struct {
		int bar;
		u64 min, max;
	} want[] = {
		{ GAUDI_BAR_SRAM, GAUDI_BAR_SRAM_SIZE, GAUDI_BAR_SRAM_SIZE },
		{ GAUDI_BAR_CFG, GAUDI_BAR_CFG_SIZE, GAUDI_BAR_CFG_SIZE },
		/* Page tables lie below the part that users get. */
		{ GAUDI_BAR_HBM, GAUDI_HBM_USER_BASE, GAUDI_HBM_SIZE },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(want); i++) {
		u64 len = pci_resource_len(pdev, want[i].bar);

		if (len >= want[i].min && len <= want[i].max)
			continue;
		dev_err(&pdev->dev, "BAR %d has %#llx bytes, not %#llx\n",
			want[i].bar, len, want[i].min);
		return -ENODEV;
	}
	return 0;
}

static int gaudi_pci_map(struct gaudi_device *gdev)
{
	struct pci_dev *pdev = gdev->pdev;
	void __iomem *cfg;
	int ret;

	gdev->sram = pcim_iomap_region(pdev, GAUDI_BAR_SRAM, GAUDI_DRV_NAME);
	if (IS_ERR(gdev->sram))
		return PTR_ERR(gdev->sram);
	cfg = pcim_iomap_region(pdev, GAUDI_BAR_CFG, GAUDI_DRV_NAME);
	if (IS_ERR(cfg))
		return PTR_ERR(cfg);
	gdev->regs = cfg + GAUDI_BAR_CFG_REGS;

	ret = pcim_request_region(pdev, GAUDI_BAR_HBM, GAUDI_DRV_NAME);
	if (ret)
		return ret;
	gdev->hbm_bar_start = pci_resource_start(pdev, GAUDI_BAR_HBM);
	gdev->hbm_bar_size = pci_resource_len(pdev, GAUDI_BAR_HBM);
	gdev->hbm = devm_ioremap_wc(&pdev->dev, gdev->hbm_bar_start,
				    gdev->hbm_bar_size);
	return gdev->hbm ? 0 : -ENOMEM;
}

int gaudi_pci_init(struct gaudi_device *gdev)
{
	struct pci_dev *pdev = gdev->pdev;
	int ret;

	ret = gaudi_pci_check_bars(pdev);
	if (ret)
		return ret;
	/*
	 * A fatal error while no driver was bound: the kernel has reset the
	 * link, and the function with it, and has left it at that.
	 */
	if (pdev->error_state == pci_channel_io_frozen) {
		pci_info(pdev, "link was reset after an error, going on\n");
		pdev->error_state = pci_channel_io_normal;
		pci_restore_state(pdev);
	}
	ret = pcim_enable_device(pdev) ?: gaudi_pci_restore(gdev);
	if (ret)
		return ret;
	ret = gaudi_pci_map(gdev);
	if (ret)
		return dev_err_probe(&pdev->dev, ret, "cannot map BARs\n");
	ret = dma_set_mask_and_coherent(&pdev->dev,
					DMA_BIT_MASK(GAUDI_DMA_BITS));
	if (ret)
		return dev_err_probe(&pdev->dev, ret, "no %d-bit DMA\n",
				     GAUDI_DMA_BITS);
	dma_set_max_seg_size(&pdev->dev, U32_MAX);
	pci_set_master(pdev);
	/* For gaudi_slot_reset(): the kernel does not promise to have saved it. */
	pci_save_state(pdev);
	return 0;
}
