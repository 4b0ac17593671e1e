/* SPDX-License-Identifier: GPL-2.0-only */
/* A device for tests without a card: memory where its windows would be. */
#ifndef GAUDI_KUNIT_H
#define GAUDI_KUNIT_H

#include <kunit/test.h>

#include "../core/gaudi_device.h"

/* Registers up to here are backed by memory; all bits set, as open as can be. */
#define GAUDI_FAKE_REGS_SIZE	0x1000000u
/* Page tables of the fake's HBM: what it has of it. */
#define GAUDI_FAKE_PGT_SIZE	0x800000u

/* Lives as long as the test. Of the blocks only those exist that are asked for. */
struct gaudi_device *gaudi_fake_device(struct kunit *test);
/* Give it registers. */
void gaudi_fake_regs(struct kunit *test, struct gaudi_device *gdev);
/* Give it the part of HBM where page tables are; returns that memory. */
u64 *gaudi_fake_pgt(struct kunit *test, struct gaudi_device *gdev);

static inline u32 gaudi_fake_reg(struct gaudi_device *gdev, u32 off)
{
	return *(u32 *)((__force u8 *)gdev->regs + off);
}

#endif /* GAUDI_KUNIT_H */
