// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* Fences, and events for programs. */
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel.h"

void dma_fence_init(struct dma_fence *fence, const struct dma_fence_ops *ops,
		    spinlock_t *lock, u64 context, u64 seqno)
{
	memset(fence, 0, sizeof(*fence));
	fence->ops = ops;
	fence->lock = lock;
	fence->context = context;
	fence->seqno = seqno;
	INIT_LIST_HEAD(&fence->cbs);
	kref_init(&fence->refs);
}

u64 dma_fence_context_alloc(unsigned int count)
{
	static u64 next = 1;

	return __atomic_fetch_add(&next, count, __ATOMIC_SEQ_CST);
}

struct dma_fence *dma_fence_get(struct dma_fence *fence)
{
	if (fence)
		kref_get(&fence->refs);
	return fence;
}

static void fence_release(struct kref *refs)
{
	struct dma_fence *fence = container_of(refs, struct dma_fence, refs);

	fence->ops->release(fence);
}

void dma_fence_put(struct dma_fence *fence)
{
	if (fence)
		kref_put(&fence->refs, fence_release);
}

bool dma_fence_is_signaled(struct dma_fence *fence)
{
	return __atomic_load_n(&fence->signaled, __ATOMIC_ACQUIRE);
}

int dma_fence_get_status(struct dma_fence *fence)
{
	return dma_fence_is_signaled(fence) ? fence->error ?: 1 : 0;
}

static __thread u64 latest_ns;

ktime_t dma_fence_timestamp(struct dma_fence *fence)
{
	if (!dma_fence_is_signaled(fence))
		return ktime_get();
	latest_ns = max(latest_ns, READ_ONCE(fence->model_ns));
	return fence->timestamp;
}

u64 sim_fence_take_latest(void)
{
	u64 ns = latest_ns;

	latest_ns = 0;
	return ns;
}

void dma_fence_set_error(struct dma_fence *fence, int error)
{
	fence->error = error;
}

int dma_fence_signal_timestamp(struct dma_fence *fence, ktime_t time)
{
	struct dma_fence_cb *cb;
	int rc = -EINVAL;

	spin_lock(fence->lock);
	if (!fence->signaled) {
		fence->timestamp = time;
		__atomic_store_n(&fence->signaled, true, __ATOMIC_RELEASE);
		while (!list_empty(&fence->cbs)) {
			cb = list_first_entry(&fence->cbs, struct dma_fence_cb,
					      node);
			list_del_init(&cb->node);
			cb->func(fence, cb);
		}
		rc = 0;
	}
	spin_unlock(fence->lock);
	return rc;
}

int dma_fence_add_callback(struct dma_fence *fence, struct dma_fence_cb *cb,
			   dma_fence_func_t func)
{
	int rc = -ENOENT;

	INIT_LIST_HEAD(&cb->node);
	cb->func = func;
	spin_lock(fence->lock);
	if (!fence->signaled) {
		list_add_tail(&cb->node, &fence->cbs);
		rc = 0;
	}
	spin_unlock(fence->lock);
	return rc;
}

bool dma_fence_remove_callback(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	bool was;

	spin_lock(fence->lock);
	was = !list_empty(&cb->node);
	if (was)
		list_del_init(&cb->node);
	spin_unlock(fence->lock);
	return was;
}

struct waiter {
	struct dma_fence_cb cb;
	wait_queue_head_t *wait;
};

static void waiter_wake(struct dma_fence *fence, struct dma_fence_cb *cb)
{
	wait_queue_head_t *wait = container_of(cb, struct waiter, cb)->wait;

	wake_up_all(wait);
	syscall(SYS_futex, &wait->wakes, FUTEX_WAKE_PRIVATE, INT_MAX);
}

static bool any_signaled(struct dma_fence **fences, u32 count, u32 *index)
{
	u32 i;

	for (i = 0; i < count; i++) {
		if (!dma_fence_is_signaled(fences[i]))
			continue;
		if (index)
			*index = i;
		return true;
	}
	return false;
}

static long time_left(ktime_t end)
{
	return max(ktime_ms_delta(end, ktime_get()), 1l);
}

/*
 * As sim_wait_wake(): 0, -ETIME; -ERESTARTSYS after a signal that the program has handled,
 * which no condition variable tells of.
 */
static int wait_or_signal(wait_queue_head_t *wait, unsigned int wakes,
			  ktime_t end)
{
	struct timespec until = {
		.tv_sec = end / NSEC_PER_SEC, .tv_nsec = end % NSEC_PER_SEC,
	};

	if (!syscall(SYS_futex, &wait->wakes, FUTEX_WAIT_BITSET_PRIVATE, wakes,
		     end < 0 ? NULL : &until, NULL, FUTEX_BITSET_MATCH_ANY))
		return 0;
	if (errno == ETIMEDOUT)
		return -ETIME;
	return errno == EINTR ? -ERESTARTSYS : 0;
}

static int wait_once(wait_queue_head_t *wait, unsigned int wakes, ktime_t end,
		     bool intr)
{
	if (intr)
		return wait_or_signal(wait, wakes, end);
	return sim_wait_wake(wait, wakes, end) ? 0 : -ETIME;
}

long dma_fence_wait_any_timeout(struct dma_fence **fences, u32 count, bool intr,
				long timeout, u32 *index)
{
	ktime_t end = timeout > S64_MAX / NSEC_PER_MSEC / 2 ?
			      -1 : ktime_add_ms(ktime_get(), timeout);
	struct waiter *waiters = calloc(count, sizeof(*waiters));
	wait_queue_head_t wait;
	bool met = false;
	int rc = 0;
	u32 i;

	if (!waiters)
		return -ENOMEM;
	init_waitqueue_head(&wait);
	for (i = 0; i < count; i++) {
		waiters[i].wait = &wait;
		dma_fence_add_callback(fences[i], &waiters[i].cb, waiter_wake);
	}
	for (;;) {
		unsigned int wakes = __atomic_load_n(&wait.wakes,
						     __ATOMIC_SEQ_CST);

		met = any_signaled(fences, count, index);
		if (met || rc)
			break;
		rc = timeout ? wait_once(&wait, wakes, end, intr) : -ETIME;
	}
	/* Each was called, or is not called any more, when this is over. */
	for (i = 0; i < count; i++)
		dma_fence_remove_callback(fences[i], &waiters[i].cb);
	pthread_mutex_lock(&wait.lock);
	pthread_mutex_unlock(&wait.lock);
	pthread_cond_destroy(&wait.cond);
	pthread_mutex_destroy(&wait.lock);
	free(waiters);
	if (!met)
		return rc == -ERESTARTSYS ? rc : 0;
	return end < 0 ? timeout : time_left(end);
}

long dma_fence_wait_timeout(struct dma_fence *fence, bool intr, long timeout)
{
	return dma_fence_wait_any_timeout(&fence, 1, intr, timeout, NULL);
}

/* --- events ------------------------------------------------------------------ */

struct eventfd_ctx { int fd; };

static bool is_eventfd(int fd)
{
	char path[32], target[32] = "";

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return readlink(path, target, sizeof(target) - 1) > 0 &&
	       !strcmp(target, "anon_inode:[eventfd]");
}

struct eventfd_ctx *eventfd_ctx_fdget(int fd)
{
	int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	struct eventfd_ctx *ctx;

	if (own < 0)
		return ERR_PTR(-errno);
	ctx = is_eventfd(own) ? malloc(sizeof(*ctx)) : NULL;
	if (!ctx) {
		close(own);
		return ERR_PTR(-EINVAL);
	}
	ctx->fd = own;
	return ctx;
}

void eventfd_ctx_put(struct eventfd_ctx *ctx)
{
	close(ctx->fd);
	free(ctx);
}

void eventfd_signal(struct eventfd_ctx *ctx)
{
	eventfd_write(ctx->fd, 1);
}
