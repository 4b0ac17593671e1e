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

#include "gaudi_link.h"
#include "../device/device.h"

struct gd_job;

/*
 * Work of links that is written down, to be done any number of times. Its links cannot
 * be destroyed meanwhile. Never written again.
 */
struct gd_link_work {
	atomic_uint refs;
	struct gaudi_device *device;
	uint32_t count;
	struct gaudi_link_op ops[];
};

/* Of a GD_OP_LINK's job, which was checked. NULL, with a message: no memory. */
struct gd_link_work *gd_link_work_new(const struct gd_job *job);
struct gd_link_work *gd_link_work_get(struct gd_link_work *work);
/* NULL is allowed. */
void gd_link_work_put(struct gd_link_work *work);
/* GAUDI_ERR_LINK if any of its links has failed. */
int gd_link_work_check(const struct gd_link_work *work);
/*
 * Once, on queue @q, with @ops in place of its own: the same but for addresses and sizes.
 * As a job of @stream's.
 */
int gd_link_work_run(const struct gd_link_work *work,
		     const struct gaudi_link_op *ops,
		     struct gaudi_stream *stream, unsigned int q);
/*
 * May a link be given this write? *@owner: of the memory that it reads, if there is any,
 * which is gd_link_op_reach() bytes.
 */
int gd_link_write_check(const struct gaudi_link_op *op, uint64_t *owner);
uint64_t gd_link_op_reach(const struct gaudi_link_op *op);

/* Is it one of @device's, even if it has failed? */
int gd_link_may_bind(struct gaudi_device *device, struct gaudi_link *link);
/* What gaudi_link_post_async() would say of them before it does any. */
int gd_link_may_post(struct gaudi_stream *stream,
		     const struct gaudi_link_op *ops, uint32_t count);

int gd_links_init(struct gaudi_device *device);
/* The program's streams have ended. Waits for work of links. */
void gd_links_exit(struct gaudi_device *device);
/* Frees what is left; nothing is under way. */
void gd_links_free(struct gaudi_device *device);

#endif /* GAUDI_RUNTIME_LINK_H */
