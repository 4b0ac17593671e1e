/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Access to CFG registers, by offset from GAUDI_CFG_BASE.
 *
 * Every access is a tracepoint, of ours and of mainline's. A card that fell off
 * the bus answers all ones; gaudi_wait_reg() turns that into -ENODEV. One whose
 * channel PCI has frozen, or given up, is not asked: that reads as ones, too.
 */
#ifndef GAUDI_REG_IO_H
#define GAUDI_REG_IO_H

#include <linux/delay.h>
#include <linux/io.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/pci.h>

#include <linux/dma-direction.h>
#include <trace/events/habanalabs.h>

#include "../core/gaudi_device.h"
#include "../core/gaudi_trace.h"

#define GAUDI_REG_GONE		(~0u)

void gaudi_trace_rd(struct gaudi_device *gdev, u32 off, u32 val);
void gaudi_trace_wr(struct gaudi_device *gdev, u32 off, u32 val);

static inline u32 gaudi_rd(struct gaudi_device *gdev, u32 off)
{
	u32 val;

	if (gaudi_offline(gdev))
		return GAUDI_REG_GONE;
	val = readl(gdev->regs + off);
	if (trace_gaudi_rreg32_enabled() || trace_habanalabs_rreg32_enabled())
		gaudi_trace_rd(gdev, off, val);
	return val;
}

static inline void gaudi_wr(struct gaudi_device *gdev, u32 off, u32 val)
{
	if (gaudi_offline(gdev))
		return;
	if (trace_gaudi_wreg32_enabled() || trace_habanalabs_wreg32_enabled())
		gaudi_trace_wr(gdev, off, val);
	writel(val, gdev->regs + off);
}

static inline void gaudi_wr_lo_hi(struct gaudi_device *gdev, u32 lo_off,
				  u32 hi_off, u64 val)
{
	gaudi_wr(gdev, lo_off, lower_32_bits(val));
	gaudi_wr(gdev, hi_off, upper_32_bits(val));
}

/* Clear the bits of mask, then set those of val. */
static inline void gaudi_rmw(struct gaudi_device *gdev, u32 off, u32 mask,
			     u32 val)
{
	gaudi_wr(gdev, off, (gaudi_rd(gdev, off) & ~mask) | val);
}

/*
 * Wait until (register & mask) == want. Sleeps between reads, short first.
 * 0, -ETIMEDOUT or -ENODEV; *last (may be NULL) is what was read last.
 */
int gaudi_wait_reg(struct gaudi_device *gdev, u32 off, u32 mask, u32 want,
		   u32 timeout_us, u32 *last);
/*
 * Wait until the device has written want to host memory. 0, -ETIMEDOUT, or
 * -ENODEV if the device went away. After 0, payload written before is visible.
 */
int gaudi_wait_mem(struct gaudi_device *gdev, const __le32 *mem, u32 want,
		   u32 timeout_us);

#endif /* GAUDI_REG_IO_H */
