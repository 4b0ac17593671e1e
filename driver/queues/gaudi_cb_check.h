/* SPDX-License-Identifier: GPL-2.0-only */
/* What a user may put on an external queue. */
#ifndef GAUDI_CB_CHECK_H
#define GAUDI_CB_CHECK_H

#include <linux/types.h>

struct gaudi_device;

/**
 * gaudi_cb_check() - Is this a run of packets that a user may put on an EXT queue?
 * @gdev: the card
 * @cb: the packets, which cannot change any more
 * @size: their bytes
 * @dma: gets whether the engine works
 *
 * Context: Any context.
 * Return: 0; %-EINVAL: malformed; %-EPERM: a packet that is the kernel's alone.
 */
int gaudi_cb_check(struct gaudi_device *gdev, const void *cb, u32 size,
		   bool *dma);

#endif /* GAUDI_CB_CHECK_H */
