// SPDX-License-Identifier: GPL-2.0-only
/*
 * Boot protocol of the embedded CPU: wait for preboot, hand over the two
 * images, wait until its Linux runs.
 *
 * The static loader, and what both share; the dynamic one (boot status bit
 * FW_LD_COM_EN) is gaudi_comms.c. The images are opaque here; firmware checks
 * them and reports in its error registers. What runs after boot is
 * gaudi_cpucp.c's.
 */
#include <linux/ctype.h>
#include <linux/firmware.h>
#include <linux/iopoll.h>
#include <linux/module.h>

#include "../../uapi/hw/regs/gaudi_psoc_regs.h"
#include "../core/gaudi_device.h"
#include "../core/gaudi_param.h"
#include "../hw/gaudi_hw.h"
#include "../hw/gaudi_reg_io.h"
#include "gaudi_firmware.h"
#include "gaudi_fw.h"

#define GAUDI_FIT_MAX		0x1400000u

#define GAUDI_PREBOOT_TIMEOUT_MS	4000
#define GAUDI_FIT_REQ_TIMEOUT_MS	4000
#define GAUDI_CPU_HALT_MS		200

#define PSOC(reg)	(GAUDI_PSOC_GLOBAL_CONF_BASE + (reg))
/* Device addresses of SRAM start with this many zero bits. */
#define GAUDI_SRAM_OFFSET_MASK	(~lower_32_bits(GAUDI_SRAM_BASE))

/* Errors after which a card cannot be used; the others are only printed. */
#define GAUDI_BOOT_ERR0_FATAL	(GAUDI_BOOT_ERR0_DRAM_INIT_FAIL | \
				 GAUDI_BOOT_ERR0_DRAM_SKIPPED | \
				 GAUDI_BOOT_ERR0_PLL_FAIL | \
				 GAUDI_BOOT_ERR0_BINNING_FAIL | \
				 GAUDI_BOOT_ERR0_EEPROM_FAIL | \
				 GAUDI_BOOT_ERR0_ENG_ARC_MEM_SCRUB_FAIL)

static const char * const gaudi_boot_err0_text[] = {
	"DRAM initialization failed", "FIT image corrupted",
	"thermal sensor failed", "DRAM initialization skipped",
	"BMC wait skipped", "NIC data not ready", "NIC firmware failed",
	"security not ready", "security failed", "eFuse failed",
	"primary image version failed", "secondary image version failed",
	"PLL failed", "device unusable",
	[18] = "critical firmware error", "binning failed", "TPM failed",
	"temperature threshold not set", "EEPROM failed",
	"memory scrubbing failed",
};

static u32 gaudi_boot_status(struct gaudi_device *gdev)
{
	return gaudi_rd(gdev, PSOC(PSOC_CPU_BOOT_STATUS));
}

int gaudi_fw_wait_status(struct gaudi_device *gdev, u32 want,
			 unsigned int timeout_ms, u32 *status)
{
	int ret;

	ret = read_poll_timeout(gaudi_boot_status, *status,
				*status == GAUDI_REG_GONE ||
				(*status < 32 && (want & BIT(*status))),
				1000, timeout_ms * USEC_PER_MSEC, false, gdev);
	return *status == GAUDI_REG_GONE ? -ENODEV : ret;
}

/* Print what the error registers hold. 0, -EIO: fatal, or -ENODEV. */
static int gaudi_fw_check_errors(struct gaudi_device *gdev)
{
	u32 err0 = gaudi_rd(gdev, PSOC(PSOC_CPU_BOOT_ERR0));
	u32 err1 = gaudi_rd(gdev, PSOC(PSOC_CPU_BOOT_ERR1));
	unsigned long bits;
	unsigned int i;

	if (err0 == GAUDI_REG_GONE)
		return -ENODEV;
	if (err0 & GAUDI_BOOT_ERR0_ENABLED) {
		bits = err0 & (GAUDI_BOOT_ERR0_ENABLED - 1) &
		       gaudi_boot_error_status_mask;
		for_each_set_bit(i, &bits, 31)
			drm_err(&gdev->drm, "boot error %u: %s\n", i,
				i < ARRAY_SIZE(gaudi_boot_err0_text) &&
				gaudi_boot_err0_text[i] ?
				gaudi_boot_err0_text[i] : "unknown");
		if (bits & GAUDI_BOOT_ERR0_FATAL)
			return -EIO;
	}
	if ((err1 & GAUDI_BOOT_ERR0_ENABLED) &&
	    (err1 & (GAUDI_BOOT_ERR0_ENABLED - 1))) {
		drm_err(&gdev->drm, "boot error register 1: %#x\n", err1);
		return -EIO;
	}
	return 0;
}

int gaudi_fw_update_status(struct gaudi_device *gdev)
{
	u32 sts0 = gaudi_rd(gdev, PSOC(PSOC_CPU_BOOT_DEV_STS0));
	u32 sts1 = gaudi_rd(gdev, PSOC(PSOC_CPU_BOOT_DEV_STS1));

	if (sts0 == GAUDI_REG_GONE)
		return -ENODEV;
	gdev->boot_sts0 = sts0 & GAUDI_BOOT_STS0_ENABLED ? sts0 : 0;
	gdev->boot_sts1 = sts1 & GAUDI_BOOT_STS0_ENABLED ? sts1 : 0;
	return 0;
}

int gaudi_fw_stage_done(struct gaudi_device *gdev, int ret)
{
	int err;

	if (ret == -ENODEV)
		return ret;
	/* After a failure too: the errors may say why. */
	err = gaudi_fw_check_errors(gdev);
	return ret ?: err ?: gaudi_fw_update_status(gdev);
}

void gaudi_fw_clean_version(char *version)
{
	unsigned int i;

	version[GAUDI_FW_VERSION_LEN - 1] = '\0';
	for (i = 0; isascii(version[i]) && isprint(version[i]); i++)
		;
	version[i] = '\0';
}

void gaudi_fw_set_version(struct gaudi_device *gdev, char *dst, char *version)
{
	gaudi_fw_clean_version(version);
	guard(rwsem_write)(&gdev->fw_sem);
	memcpy(dst, version, GAUDI_FW_VERSION_LEN);
}

/* A version is text in SRAM that firmware points to; content is untrusted. */
static void gaudi_fw_read_version(struct gaudi_device *gdev, u32 reg,
				  char *out)
{
	u32 off = gaudi_rd(gdev, PSOC(reg)) & GAUDI_SRAM_OFFSET_MASK;
	char version[GAUDI_FW_VERSION_LEN];

	if (off >= GAUDI_SRAM_SIZE - GAUDI_FW_VERSION_LEN) {
		drm_warn(&gdev->drm, "version offset %#x is out of SRAM\n",
			 off);
		return;
	}
	memcpy_fromio(version, gdev->sram + off, sizeof(version));
	gaudi_fw_set_version(gdev, out, version);
}

int gaudi_fw_wait_preboot(struct gaudi_device *gdev)
{
	u32 status;
	int ret;

	ret = gaudi_fw_wait_status(gdev,
				   BIT(GAUDI_BOOT_STATUS_NIC_FW_RDY) |
				   BIT(GAUDI_BOOT_STATUS_READY_TO_BOOT) |
				   BIT(GAUDI_BOOT_STATUS_WAITING_FOR_BOOT_FIT),
				   GAUDI_PREBOOT_TIMEOUT_MS, &status);
	if (ret && ret != -ENODEV)
		drm_err(&gdev->drm, "preboot is not ready (status %u)\n",
			status);
	ret = gaudi_fw_stage_done(gdev, ret);
	if (ret)
		return ret;
	gaudi_comms_reset(gdev);
	if (gdev->boot_sts0 & GAUDI_BOOT_STS0_SECURITY_EN) {
		drm_err(&gdev->drm, "secured firmware is not supported (status %#x)\n",
			gdev->boot_sts0);
		return -EOPNOTSUPP;
	}
	/* The dynamic loader reports its version in a descriptor. */
	if (!(gdev->boot_sts0 & GAUDI_BOOT_STS0_FW_LD_COM_EN))
		gaudi_fw_read_version(gdev, PSOC_PREBOOT_VER_OFFSET,
				      gdev->preboot_version);
	return 0;
}

int gaudi_fw_request(struct gaudi_device *gdev, const char *name,
		     const struct firmware **fw)
{
	int ret = request_firmware_direct(fw, name, &gdev->pdev->dev);

	if (ret) {
		drm_err(&gdev->drm, "cannot load firmware %s: %d\n", name, ret);
		return ret;
	}
	if ((*fw)->size && !((*fw)->size % 4) && (*fw)->size <= GAUDI_FIT_MAX)
		return 0;
	drm_err(&gdev->drm,
		"firmware %s has %zu bytes: not a multiple of 4 up to %u\n",
		name, (*fw)->size, GAUDI_FIT_MAX);
	return -EINVAL;
}

static int gaudi_fw_push(struct gaudi_device *gdev, const char *name,
			 void __iomem *dst)
{
	const struct firmware *fw __free(firmware) = NULL;
	int ret = gaudi_fw_request(gdev, name, &fw);

	if (!ret)
		memcpy_toio(dst, fw->data, fw->size);
	return ret;
}

/* Preboot takes the boot-fit and starts it. */
static int gaudi_fw_boot_fit(struct gaudi_device *gdev)
{
	u32 status;
	int ret;

	ret = gaudi_fw_push(gdev, GAUDI_BOOT_FIT_FILE,
			    gdev->sram + GAUDI_SRAM_BOOT_FIT_OFFSET);
	if (ret)
		return ret;

	gaudi_wr(gdev, PSOC(PSOC_CPU_CMD_STATUS_TO_HOST),
		 GAUDI_CMD_STATUS_NA);
	gaudi_wr(gdev, PSOC(PSOC_KMD_MSG_TO_CPU), GAUDI_KMD_MSG_FIT_RDY);
	ret = gaudi_wait_reg(gdev, PSOC(PSOC_CPU_CMD_STATUS_TO_HOST), ~0u,
			     GAUDI_CMD_STATUS_OK,
			     GAUDI_FIT_REQ_TIMEOUT_MS * 1000, &status);
	gaudi_wr(gdev, PSOC(PSOC_KMD_MSG_TO_CPU), GAUDI_KMD_MSG_NA);
	if (ret)
		drm_err(&gdev->drm, "boot-fit was not accepted (status %u)\n",
			status);
	return ret;
}

static int gaudi_fw_linux(struct gaudi_device *gdev)
{
	u32 status;
	int ret;

	ret = gaudi_fw_push(gdev, GAUDI_FIT_FILE,
			    gdev->hbm + GAUDI_HBM_FIT_OFFSET);
	if (ret)
		return ret;

	/* The image went through a write-combined mapping. */
	wmb();
	gaudi_wr(gdev, PSOC(PSOC_KMD_MSG_TO_CPU), GAUDI_KMD_MSG_FIT_RDY);
	ret = gaudi_fw_wait_status(gdev, BIT(GAUDI_BOOT_STATUS_SRAM_AVAIL),
				   GAUDI_CPU_TIMEOUT_MS, &status);
	gaudi_wr(gdev, PSOC(PSOC_KMD_MSG_TO_CPU), GAUDI_KMD_MSG_NA);
	if (ret) {
		drm_err(&gdev->drm, "firmware did not start (status %u)\n",
			status);
		return ret;
	}
	gdev->linux_loaded = true;
	return 0;
}

static int gaudi_fw_load_static(struct gaudi_device *gdev)
{
	u32 status;
	int ret;

	/* A u-boot in flash never asks for a boot-fit; then skip it. */
	ret = gaudi_fw_wait_status(gdev,
				   BIT(GAUDI_BOOT_STATUS_WAITING_FOR_BOOT_FIT),
				   GAUDI_FIT_REQ_TIMEOUT_MS, &status);
	if (!ret)
		ret = gaudi_fw_boot_fit(gdev);
	else if (ret == -ETIMEDOUT)
		ret = 0;
	if (ret)
		return ret;

	ret = gaudi_fw_wait_status(gdev,
				   BIT(GAUDI_BOOT_STATUS_DRAM_RDY) |
				   BIT(GAUDI_BOOT_STATUS_NIC_FW_RDY) |
				   BIT(GAUDI_BOOT_STATUS_READY_TO_BOOT) |
				   BIT(GAUDI_BOOT_STATUS_SRAM_AVAIL),
				   GAUDI_CPU_TIMEOUT_MS, &status);
	if (ret) {
		drm_err(&gdev->drm, "boot-fit did not start (status %u)\n",
			status);
		return ret;
	}
	gaudi_fw_read_version(gdev, PSOC_UBOOT_VER_OFFSET, gdev->uboot_version);
	ret = gaudi_fw_update_status(gdev);
	if (ret)
		return ret;

	/* Firmware's Linux runs from HBM through the scramblers. */
	gaudi_golden_hbm_scrambler(gdev);

	return status == GAUDI_BOOT_STATUS_SRAM_AVAIL ? 0 :
							gaudi_fw_linux(gdev);
}

int gaudi_fw_load(struct gaudi_device *gdev)
{
	gdev->linux_loaded = false;
	if (gdev->boot_sts0 & GAUDI_BOOT_STS0_FW_LD_COM_EN)
		return gaudi_comms_load(gdev);
	return gaudi_fw_stage_done(gdev, gaudi_fw_load_static(gdev));
}

bool gaudi_fw_resets_itself(struct gaudi_device *gdev)
{
	return gdev->boot_sts0 & GAUDI_BOOT_STS0_FW_HARD_RST_EN;
}

void gaudi_fw_halt(struct gaudi_device *gdev, bool anywhere)
{
	/* Its Linux may have started without our having seen it. */
	if (gdev->linux_loaded ||
	    (anywhere &&
	     gaudi_boot_status(gdev) == GAUDI_BOOT_STATUS_SRAM_AVAIL)) {
		gaudi_wr(gdev, gdev->cpu_irq_reg[GAUDI_CPU_IRQ_HALT],
			 GAUDI_SPI_HALT_MACHINE);
		/* Its watchdog may have put it back to preboot: ask both. */
		if (!anywhere)
			return;
	}
	if (gdev->boot_sts0 & GAUDI_BOOT_STS0_FW_LD_COM_EN) {
		gaudi_comms_stop(gdev, gaudi_fw_resets_itself(gdev));
		return;
	}
	if (gaudi_fw_resets_itself(gdev)) {
		gaudi_wr(gdev, PSOC(PSOC_KMD_MSG_TO_CPU),
			 GAUDI_KMD_MSG_RST_DEV);
		return;
	}
	gaudi_wr(gdev, PSOC(PSOC_KMD_MSG_TO_CPU), GAUDI_KMD_MSG_GOTO_WFE);
	msleep(GAUDI_CPU_HALT_MS);
	gaudi_wr(gdev, PSOC(PSOC_KMD_MSG_TO_CPU), GAUDI_KMD_MSG_NA);
}

MODULE_FIRMWARE(GAUDI_BOOT_FIT_FILE);
MODULE_FIRMWARE(GAUDI_FIT_FILE);
