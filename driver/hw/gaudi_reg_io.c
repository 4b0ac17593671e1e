// SPDX-License-Identifier: GPL-2.0-only
/*
 * Registers, traced; and the two waiting helpers: for a register, and for a word in
 * host memory that the card writes. Both sleep, both end.
 */
#include <linux/dma-direction.h>
#include <linux/io.h>
#include <linux/iopoll.h>

#include <trace/events/habanalabs.h>

#include "../../uapi/hw/regs/gaudi_psoc_regs.h"
#include "../core/gaudi_device.h"
#include "gaudi_reg_io.h"

u32 gaudi_rd(struct gaudi_device *gdev, u32 off)
{
	u32 val;

	if (gaudi_offline(gdev))
		return GAUDI_REG_GONE;
	val = readl(gdev->regs + off);
	trace_habanalabs_rreg32(&gdev->pdev->dev, off, val);
	return val;
}

void gaudi_wr(struct gaudi_device *gdev, u32 off, u32 val)
{
	if (gaudi_offline(gdev))
		return;
	trace_habanalabs_wreg32(&gdev->pdev->dev, off, val);
	writel(val, gdev->regs + off);
}

/* Most waits end within microseconds: poll often first, then rarely. */
#define GAUDI_SPIN_US		10
#define GAUDI_SLEEP_US		100

#define gaudi_poll(op, val, cond, timeout_us, args...)			\
	(read_poll_timeout(op, val, cond, 0, GAUDI_SPIN_US, false, args) ? \
	 read_poll_timeout(op, val, cond, GAUDI_SLEEP_US, timeout_us, true, \
			   args) : 0)

int gaudi_wait_reg(struct gaudi_device *gdev, u32 off, u32 mask, u32 want,
		   u32 timeout_us, u32 *last)
{
	u32 val;
	int ret;

	ret = gaudi_poll(gaudi_rd, val,
			 val == GAUDI_REG_GONE || (val & mask) == want,
			 timeout_us, gdev, off);
	if (last)
		*last = val;
	if (val == GAUDI_REG_GONE && want != GAUDI_REG_GONE)
		return -ENODEV;
	return ret;
}

static u32 gaudi_rd_mem(const __le32 *mem)
{
	return le32_to_cpu(READ_ONCE(*mem));
}

int gaudi_wait_mem(struct gaudi_device *gdev, const __le32 *mem, u32 want,
		   u32 timeout_us)
{
	u32 val;

	gaudi_poll(gaudi_rd_mem, val,
		   val == want || READ_ONCE(gdev->dead) || gaudi_offline(gdev),
		   timeout_us, mem);
	if (val == want) {
		/* What the device wrote before this word. */
		dma_rmb();
		return 0;
	}
	if (READ_ONCE(gdev->dead) || gaudi_offline(gdev) ||
	    gaudi_rd(gdev, GAUDI_PSOC_GLOBAL_CONF_BASE + PSOC_HW_STATE) ==
	    GAUDI_REG_GONE)
		return -ENODEV;
	return -ETIMEDOUT;
}
