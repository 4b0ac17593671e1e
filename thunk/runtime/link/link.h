/* SPDX-License-Identifier: MIT */
/*
 * Links: ports (ports.c, cabling.c), links as objects (link.c), their work (post.c,
 * wqe.c), what goes wrong (fault.c), and copies between devices (peer.c).
 *
 * A link's work is a piece of its stream's on an external queue, with a part for a queue
 * of the port (NIC QMAN): the external queue copies entries into the link's queue in
 * HBM and sets the link's sync object "go"; the NIC QMAN, which waits for it, sets it to
 * 0 and rings the doorbell; when the peer has acknowledged, the port sets the sync object
 * "done", for which the external queue waits, and sets it to 0. A piece begins after the
 * link's last one has ended, so that the queue is empty then, and both sync objects are 0.
 *
 * Locks: that of peers; the links' @post of a device, for giving work; @lock, for what
 * is under way, which is held for moments. See ../device/device.h for their places.
 */
#ifndef GAUDI_RUNTIME_LINK_H
#define GAUDI_RUNTIME_LINK_H

#include "../device/device.h"

int gd_links_init(struct gaudi_device *device);
/* The program's streams have ended. Waits for work of links. */
void gd_links_exit(struct gaudi_device *device);
/* Frees what is left; nothing is under way. */
void gd_links_free(struct gaudi_device *device);

#endif /* GAUDI_RUNTIME_LINK_H */
