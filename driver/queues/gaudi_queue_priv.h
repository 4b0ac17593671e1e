/* SPDX-License-Identifier: GPL-2.0-only */
/* What only bring-up and error reports need of the queues. */
#ifndef GAUDI_QUEUE_PRIV_H
#define GAUDI_QUEUE_PRIV_H

#include <linux/types.h>

struct gaudi_device;

/* Device address of the ring of an existing queue. */
u64 gaudi_queue_pq_addr(struct gaudi_device *gdev, u32 qid);
/* count entries that had no completion have ended (driver's own jobs). */
void gaudi_queue_retire(struct gaudi_device *gdev, u32 qid, u32 count);
/*
 * The external queues' engines are idle: jobs that have not completed by now
 * never will. End them as done.
 */
void gaudi_queues_complete_lost(struct gaudi_device *gdev);
/* Addresses of the CBs in the count entries before ci, newest first. */
u32 gaudi_queue_peek_bds(struct gaudi_device *gdev, u32 qid, u32 ci,
			 u64 *addrs, u32 count);

#endif /* GAUDI_QUEUE_PRIV_H */
