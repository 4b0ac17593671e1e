// SPDX-License-Identifier: GPL-2.0-only
/*
 * The trace of register accesses, and the two waiting helpers: for a register, and
 * for a word in host memory that the card writes. Both sleep, both end.
 */
#include <linux/processor.h>

#include "../../uapi/hw/regs/gaudi_psoc_regs.h"
#include "../core/gaudi_device.h"
#include "gaudi_reg_io.h"

void gaudi_trace_rd(struct gaudi_device *gdev, u32 off, u32 val)
{
	trace_habanalabs_rreg32(&gdev->pdev->dev, off, val);
}

void gaudi_trace_wr(struct gaudi_device *gdev, u32 off, u32 val)
{
	trace_habanalabs_wreg32(&gdev->pdev->dev, off, val);
}

/* Most waits end within microseconds: poll often first, then rarely. */
#define GAUDI_WAIT_SPINS	20
#define GAUDI_WAIT_SLEEP_MIN_US	10
#define GAUDI_WAIT_SLEEP_MAX_US	1000

static void gaudi_wait_step(unsigned int *round)
{
	unsigned int us;

	if ((*round)++ < GAUDI_WAIT_SPINS) {
		cpu_relax();
		return;
	}
	us = min(GAUDI_WAIT_SLEEP_MIN_US << min(*round - GAUDI_WAIT_SPINS, 10u),
		 GAUDI_WAIT_SLEEP_MAX_US);
	usleep_range(us, 2 * us);
}

int gaudi_wait_reg(struct gaudi_device *gdev, u32 off, u32 mask, u32 want,
		   u32 timeout_us, u32 *last)
{
	ktime_t end = ktime_add_us(ktime_get(), timeout_us);
	unsigned int round = 0;
	u32 val;

	for (;;) {
		/*
		 * Before the read, so that there is one more read after the
		 * deadline.
		 */
		bool late = ktime_after(ktime_get(), end);

		val = gaudi_rd(gdev, off);
		if (last)
			*last = val;
		if (val == GAUDI_REG_GONE && want != GAUDI_REG_GONE)
			return -ENODEV;
		if ((val & mask) == want)
			return 0;
		if (late)
			return -ETIMEDOUT;
		gaudi_wait_step(&round);
	}
}

int gaudi_wait_mem(struct gaudi_device *gdev, const __le32 *mem, u32 want,
		   u32 timeout_us)
{
	ktime_t end = ktime_add_us(ktime_get(), timeout_us);
	unsigned int round = 0;

	for (;;) {
		bool late = ktime_after(ktime_get(), end);

		if (le32_to_cpu(READ_ONCE(*mem)) == want) {
			/* What the device wrote before this word. */
			dma_rmb();
			return 0;
		}
		if (READ_ONCE(gdev->dead) || gaudi_offline(gdev))
			return -ENODEV;
		if (late)
			break;
		gaudi_wait_step(&round);
	}
	if (gaudi_rd(gdev, GAUDI_PSOC_GLOBAL_CONF_BASE + PSOC_HW_STATE) ==
	    GAUDI_REG_GONE)
		return -ENODEV;
	return -ETIMEDOUT;
}
