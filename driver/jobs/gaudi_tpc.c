// SPDX-License-Identifier: GPL-2.0-only
/*
 * The TPCs' start-up kernel: firmware that clears their local memories. It is
 * copied to SRAM once, and then run by all eight at the same time.
 */
#include <linux/dma-mapping.h>
#include <linux/firmware.h>
#include <linux/module.h>

#include "../../uapi/hw/regs/gaudi_sync_mngr_regs.h"
#include "../../uapi/hw/regs/gaudi_tpc_regs.h"
#include "../core/gaudi_device.h"
#include "../core/gaudi_dma.h"
#include "../hw/gaudi_reg_io.h"
#include "gaudi_jobs.h"
#include "gaudi_kjob.h"

#define GAUDI_TPC_FILE		"habanalabs/gaudi/gaudi_tpc.bin"
#define GAUDI_TPC_TIMEOUT_US	1000000

static int gaudi_tpc_wait(struct gaudi_device *gdev, unsigned int i, u32 reg,
			  u32 mask, u32 want, const char *what)
{
	u32 val;
	int ret;

	ret = gaudi_wait_reg(gdev, GAUDI_TPC_CFG_BASE(i) + reg, mask, want,
			     GAUDI_TPC_TIMEOUT_US, &val);
	if (ret)
		drm_err(&gdev->drm, "TPC %u, %s: %d (%#x)\n", i, what, ret,
			val);
	return ret;
}

static void gaudi_tpc_prefetch(struct gaudi_device *gdev, unsigned int i,
			       u64 kernel)
{
	u32 base = GAUDI_TPC_CFG_BASE(i);

	gaudi_wr_lo_hi(gdev, base + TPC_CFG_QM_KERNEL_BASE_ADDRESS_LOW,
		       base + TPC_CFG_QM_KERNEL_BASE_ADDRESS_HIGH, kernel);
	gaudi_wr_lo_hi(gdev, base + TPC_CFG_ICACHE_BASE_ADDERESS_LOW,
		       base + TPC_CFG_ICACHE_BASE_ADDERESS_HIGH, kernel);
	/* Look-up tables are not used, but the pointer must be a valid one. */
	gaudi_wr_lo_hi(gdev, base + TPC_CFG_LUT_FUNC256_BASE_ADDR_LO,
		       base + TPC_CFG_LUT_FUNC256_BASE_ADDR_HI, kernel);
	gaudi_wr(gdev, base + TPC_CFG_QM_SYNC_OBJECT_ADDR,
		 lower_32_bits(GAUDI_CFG_BASE + GAUDI_SYNC_MNGR_E_N_BASE +
			       SYNC_MNGR_SOB_OBJ(0)));
	gaudi_wr(gdev, base + TPC_CFG_TPC_CMD,
		 TPC_CFG_TPC_CMD_ICACHE_INVALIDATE |
		 TPC_CFG_TPC_CMD_ICACHE_PREFETCH_64KB);
}

static int gaudi_tpc_run_all(struct gaudi_device *gdev, u64 kernel)
{
	const u32 empty = TPC_CFG_STATUS_VECTOR_PIPE_EMPTY;
	unsigned int i;
	int ret;

	for (i = 0; i < GAUDI_NUM_TPC; i++)
		gaudi_tpc_prefetch(gdev, i, kernel);
	/* The status says "empty" until an engine has begun. */
	usleep_range(1000, 1500);
	for (i = 0; i < GAUDI_NUM_TPC; i++) {
		ret = gaudi_tpc_wait(gdev, i, TPC_CFG_STATUS, empty, empty,
				     "prefetch");
		if (ret)
			return ret;
		gaudi_wr(gdev, GAUDI_TPC_CFG_BASE(i) + TPC_CFG_TPC_EXECUTE, 1);
	}
	usleep_range(1000, 1500);
	for (i = 0; i < GAUDI_NUM_TPC; i++) {
		ret = gaudi_tpc_wait(gdev, i, TPC_CFG_STATUS, empty, empty,
				     "start-up kernel") ?:
		      gaudi_tpc_wait(gdev, i, TPC_CFG_WQ_INFLIGHT_CNTR, ~0u, 0,
				     "work queue");
		if (ret)
			return ret;
	}
	return 0;
}

int gaudi_tpc_load(struct gaudi_device *gdev)
{
	const u64 dst = GAUDI_SRAM_BASE + GAUDI_SRAM_TPC_BIN_OFFSET;
	struct device *dev = &gdev->pdev->dev;
	const struct firmware *fw __free(firmware) = NULL;
	dma_addr_t dma;
	void *mem;
	int ret;

	ret = request_firmware_direct(&fw, GAUDI_TPC_FILE, dev);
	if (ret) {
		drm_err(&gdev->drm, "cannot load firmware %s: %d\n",
			GAUDI_TPC_FILE, ret);
		return ret;
	}
	if (!fw->size ||
	    fw->size > GAUDI_SRAM_SIZE - GAUDI_SRAM_TPC_BIN_OFFSET) {
		drm_err(&gdev->drm, "firmware %s has %zu bytes\n",
			GAUDI_TPC_FILE, fw->size);
		return -EINVAL;
	}
	mem = gaudi_dma_alloc(gdev, fw->size, &dma, GFP_KERNEL);
	if (!mem)
		return -ENOMEM;
	memcpy(mem, fw->data, fw->size);
	ret = gaudi_kjob_copy(gdev, dst, gaudi_host_dev_addr(dma), fw->size);
	/* A job that did not end may still read; better leak than corrupt. */
	if (ret != -ETIMEDOUT)
		gaudi_dma_free(gdev, fw->size, mem, dma);
	return ret ?: gaudi_tpc_run_all(gdev, dst);
}

MODULE_FIRMWARE(GAUDI_TPC_FILE);
