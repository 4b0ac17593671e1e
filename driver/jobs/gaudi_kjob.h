/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Between the files of this room: jobs by DMA 0 that are waited for. They sleep and
 * take gaudi_kjob.lock.
 */
#ifndef GAUDI_KJOB_H
#define GAUDI_KJOB_H

#include <linux/types.h>

struct gaudi_device;

/* Copy memory, by device addresses. */
int gaudi_kjob_copy(struct gaudi_device *gdev, u64 dst, u64 src, u64 len);
/* The same value to count registers in a row. -EINVAL: none, or too many. */
int gaudi_kjob_reg_fill(struct gaudi_device *gdev, u32 cfg_off, u32 value,
			u32 count);

#endif /* GAUDI_KJOB_H */
