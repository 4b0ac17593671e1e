/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* Fences: something that ends once, who waits for it, and events for programs. */
#ifndef SIM_KERNEL_FENCE_H
#define SIM_KERNEL_FENCE_H

#include "base/list.h"
#include "base/lock.h"
#include "base/time.h"

struct dma_fence;
struct dma_fence_cb;

struct dma_fence_ops {
	const char *(*get_driver_name)(struct dma_fence *fence);
	const char *(*get_timeline_name)(struct dma_fence *fence);
	void (*release)(struct dma_fence *fence);
};

struct dma_fence {
	const struct dma_fence_ops *ops;
	spinlock_t *lock;		/* the rest, until it is signalled */
	u64 context, seqno;
	struct list_head cbs;
	ktime_t timestamp;
	u64 model_ns;			/* the same by the cards' model of time; 0: unknown */
	int error;
	bool signaled;
	struct kref refs;
};

typedef void (*dma_fence_func_t)(struct dma_fence *fence,
				 struct dma_fence_cb *cb);

struct dma_fence_cb {
	struct list_head node;
	dma_fence_func_t func;
};

void dma_fence_init(struct dma_fence *fence, const struct dma_fence_ops *ops,
		    spinlock_t *lock, u64 context, u64 seqno);
u64 dma_fence_context_alloc(unsigned int count);
struct dma_fence *dma_fence_get(struct dma_fence *fence);
void dma_fence_put(struct dma_fence *fence);	/* may be NULL */
bool dma_fence_is_signaled(struct dma_fence *fence);
/* 1, or the error; 0: not yet. */
int dma_fence_get_status(struct dma_fence *fence);
ktime_t dma_fence_timestamp(struct dma_fence *fence);
/* The latest model_ns of those of which that has told this thread since; 0: of none. */
u64 sim_fence_take_latest(void);
void dma_fence_set_error(struct dma_fence *fence, int error);
int dma_fence_signal_timestamp(struct dma_fence *fence, ktime_t time);
/* -ENOENT: it is signalled already. */
int dma_fence_add_callback(struct dma_fence *fence, struct dma_fence_cb *cb,
			   dma_fence_func_t func);
/* False: its function was, or is to be, called. */
bool dma_fence_remove_callback(struct dma_fence *fence,
			       struct dma_fence_cb *cb);
/* Jiffies that are left, at least 1; 0: it was not signalled in time. */
long dma_fence_wait_timeout(struct dma_fence *fence, bool intr, long timeout);
long dma_fence_wait_any_timeout(struct dma_fence **fences, u32 count, bool intr,
				long timeout, u32 *index);

#define dma_fence_begin_signalling()	false
#define dma_fence_end_signalling(cookie) ((void)(cookie))

struct eventfd_ctx;

struct eventfd_ctx *eventfd_ctx_fdget(int fd);
void eventfd_ctx_put(struct eventfd_ctx *ctx);
void eventfd_signal(struct eventfd_ctx *ctx);

#endif /* SIM_KERNEL_FENCE_H */
