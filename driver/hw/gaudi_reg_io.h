/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Access to CFG registers, by offset from GAUDI_CFG_BASE.
 *
 * Every access is a tracepoint of mainline's. A card that fell off
 * the bus answers all ones; gaudi_wait_reg() turns that into -ENODEV. One whose
 * channel PCI has frozen, or given up, is not asked: that reads as ones, too.
 */
#ifndef GAUDI_REG_IO_H
#define GAUDI_REG_IO_H

#include <linux/delay.h>

#include "../core/gaudi_device.h"

#define GAUDI_REG_GONE		(~0u)

/**
 * gaudi_rd() - Read a register
 * @gdev: the card
 * @off: offset from GAUDI_CFG_BASE
 *
 * Context: Any context.
 * Return: Its value; GAUDI_REG_GONE if the card, or the link to it, is gone.
 */
u32 gaudi_rd(struct gaudi_device *gdev, u32 off);

/**
 * gaudi_wr() - Write a register
 * @gdev: the card
 * @off: offset from GAUDI_CFG_BASE
 * @val: the value
 *
 * Posted. Nothing is written while PCI keeps us from the card.
 *
 * Context: Any context.
 */
void gaudi_wr(struct gaudi_device *gdev, u32 off, u32 val);

/**
 * gaudi_wr_lo_hi() - Write 64 bits to two registers, the lower half first
 * @gdev: the card
 * @lo_off: offset of the register for the lower half
 * @hi_off: offset of the other one
 * @val: the value
 *
 * Context: Any context.
 */
static inline void gaudi_wr_lo_hi(struct gaudi_device *gdev, u32 lo_off,
				  u32 hi_off, u64 val)
{
	gaudi_wr(gdev, lo_off, lower_32_bits(val));
	gaudi_wr(gdev, hi_off, upper_32_bits(val));
}

/**
 * gaudi_rmw() - Change bits of a register
 * @gdev: the card
 * @off: offset from GAUDI_CFG_BASE
 * @mask: bits to clear
 * @val: bits to set afterwards
 *
 * Context: Any context; the caller keeps other writers of the register away.
 */
static inline void gaudi_rmw(struct gaudi_device *gdev, u32 off, u32 mask,
			     u32 val)
{
	gaudi_wr(gdev, off, (gaudi_rd(gdev, off) & ~mask) | val);
}

/**
 * gaudi_wait_reg() - Wait until bits of a register have a value
 * @gdev: the card
 * @off: offset from GAUDI_CFG_BASE
 * @mask: the bits
 * @want: their value
 * @timeout_us: how long; there is a last read after it
 * @last: where what was read last is put; may be %NULL
 *
 * Context: Sleeps between reads, short first.
 * Return: 0, %-ETIMEDOUT or %-ENODEV.
 */
int gaudi_wait_reg(struct gaudi_device *gdev, u32 off, u32 mask, u32 want,
		   u32 timeout_us, u32 *last);

/**
 * gaudi_wait_mem() - Wait until the device has written a word to host memory
 * @gdev: the card
 * @mem: the word
 * @want: its value
 * @timeout_us: how long
 *
 * After 0, payload that was written before it is visible.
 *
 * Context: Sleeps between reads, short first.
 * Return: 0, %-ETIMEDOUT, or %-ENODEV if the device went away.
 */
int gaudi_wait_mem(struct gaudi_device *gdev, const __le32 *mem, u32 want,
		   u32 timeout_us);

#endif /* GAUDI_REG_IO_H */
