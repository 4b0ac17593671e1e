/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What shared mode does for the other rooms, which know no more of it than this: a
 * submission is added to its context's, not pushed. What a context has of the card
 * is in struct gaudi_share.
 *
 * The table is there in shared mode alone, which may be left out (GAUDI_SHARED=n):
 * callers ask gaudi_is_shared() first. The room shared has all of it.
 */
#ifndef GAUDI_SHARED_OPS_H
#define GAUDI_SHARED_OPS_H

#include <linux/types.h>

struct gaudi_cs;
struct gaudi_ctx;
struct gaudi_device;

/**
 * struct gaudi_shared_ops - Calls to the room shared
 * @open: make a context's part, ctx->slice, to be freed by kfree(). All sync objects
 *	and monitors of its slot become as after power-on. 0 or %-ENOMEM.
 * @close: end the work of a context: drop what is pending, wait so many ms for what
 *	runs, then free the engines from whatever they hang at, or reset the card.
 *	Sleeps.
 * @check_room: a context has no more than the queues hold, pending or running:
 *	%-EAGAIN; %-ENOMEM: this will never fit. With the queues' lock.
 * @add: add a submission that is on the manager's list; it is pushed in its context's
 *	time slice. With the queues' lock.
 * @cs_done: a submission ended, and its queue entries are free. Takes the queues' lock.
 * @expedite: a thread waits for work of the context, so an idle owner does not keep the
 *	card. Takes the queues' lock.
 * @fail: engines that work for the context are in error, or took too long: what runs
 *	ends with %-EIO. False: it is not the owner, or no longer. Takes the queues'
 *	lock.
 * @user: the context that a QMAN (index of gaudi_qmans) works for, or worked for last;
 *	of none (-1): the one that has the time slice. With a reference, or %NULL.
 *	Sleeps.
 * @clear_errors: free a QMAN from what stops it. With gaudi_errors.lock.
 * @start: the card was brought up. No engine has an address space from here on.
 * @stop: engines are halted: there is no owner, and nothing is pending. Sleeps.
 * @begin_driver: get the card for the driver's own jobs. 0, or %-EBUSY: it does not
 *	come free. Sleeps.
 * @end_driver: give it back, if @begin_driver was successful.
 */
struct gaudi_shared_ops {
	int (*open)(struct gaudi_ctx *ctx);
	void (*close)(struct gaudi_ctx *ctx, unsigned int ms);
	int (*check_room)(struct gaudi_cs *cs);
	void (*add)(struct gaudi_cs *cs);
	void (*cs_done)(struct gaudi_cs *cs);
	void (*expedite)(struct gaudi_ctx *ctx);
	bool (*fail)(struct gaudi_ctx *ctx);
	struct gaudi_ctx *(*user)(struct gaudi_device *gdev, int q);
	u64 (*clear_errors)(struct gaudi_device *gdev, unsigned int q);
	void (*start)(struct gaudi_device *gdev);
	void (*stop)(struct gaudi_device *gdev);
	int (*begin_driver)(struct gaudi_device *gdev);
	void (*end_driver)(struct gaudi_device *gdev);
};

#endif /* GAUDI_SHARED_OPS_H */
