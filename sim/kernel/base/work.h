/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Waiting for a condition, and work for other threads.
 *
 * A queue of work has threads of its own, started when there is work: an ordered
 * one has one, others a few. One thread for all has the time: it starts delayed work,
 * and tells cards that a deadline has come (sim_timer).
 */
#ifndef SIM_KERNEL_WORK_H
#define SIM_KERNEL_WORK_H

#include "list.h"
#include "lock.h"
#include "time.h"

/* A detached thread that gets no signals. */
pthread_t sim_thread_start(void *(*main)(void *arg), void *arg);
/*
 * Calls it, and comes back when it has done. Its stack is not the caller's, which may be as small
 * as a program's threads have it.
 */
void sim_call_in_thread(void (*call)(void));
/* The name of all of them. */
#define SIM_THREAD		"gaudi-card"

/* --- waiting --- */

typedef struct {
	pthread_mutex_t lock;
	pthread_cond_t cond;
	unsigned int wakes;
} wait_queue_head_t;

void init_waitqueue_head(wait_queue_head_t *wait);
void wake_up_all(wait_queue_head_t *wait);
/* Until it was woken @wakes + 1 times, or @end. False: it was not. */
bool sim_wait_wake(wait_queue_head_t *wait, unsigned int wakes, ktime_t end);

#define wait_event_timeout(wait, cond, timeout)				\
({									\
	ktime_t sim_wait_end = ktime_add_ms(ktime_get(), timeout);	\
	bool sim_in_time = true;					\
	long sim_left;							\
	for (;;) {							\
		unsigned int sim_wakes = __atomic_load_n(&(wait).wakes,	\
						__ATOMIC_SEQ_CST);	\
		sim_left = !!(cond);					\
		if (sim_left || !sim_in_time)				\
			break;						\
		sim_in_time = sim_wait_wake(&(wait), sim_wakes,		\
					    sim_wait_end);		\
	}								\
	sim_left;							\
})

/* --- timers --- */

struct sim_timer {
	struct list_head node;	/* by time; on itself: not armed */
	ktime_t at;
	void (*fn)(struct sim_timer *timer);
};

void sim_timer_init(struct sim_timer *timer,
		    void (*fn)(struct sim_timer *timer));
/* At a time; false: it was not armed before. */
bool sim_timer_arm(struct sim_timer *timer, ktime_t at);
/* False: it was not armed. Its function may be running. */
bool sim_timer_cancel(struct sim_timer *timer);

/* --- work --- */

struct workqueue_struct;
struct work_struct;
typedef void (*work_func_t)(struct work_struct *work);

struct work_struct {
	struct list_head node;	/* in its queue; on itself: not there */
	work_func_t func;
	struct workqueue_struct *wq;	/* where it was put last */
};

struct delayed_work {
	struct work_struct work;
	struct sim_timer timer;
};

#define WQ_UNBOUND		1
#define WQ_MEM_RECLAIM		2

struct workqueue_struct *sim_workqueue(unsigned int max_active);
void destroy_workqueue(struct workqueue_struct *wq);

#define alloc_workqueue(name, flags, max_active, ...) \
	sim_workqueue(max_active)
#define alloc_ordered_workqueue(name, flags, ...)	sim_workqueue(1)

void sim_work_init(struct work_struct *work, work_func_t func);
void sim_delayed_work_init(struct delayed_work *work, work_func_t func);

#define INIT_WORK(work, func)		sim_work_init(work, func)
#define INIT_DELAYED_WORK(work, func)	sim_delayed_work_init(work, func)

static inline struct delayed_work *to_delayed_work(struct work_struct *work)
{
	return container_of(work, struct delayed_work, work);
}

bool queue_work(struct workqueue_struct *wq, struct work_struct *work);
bool flush_work(struct work_struct *work);
bool cancel_work_sync(struct work_struct *work);
bool queue_delayed_work(struct workqueue_struct *wq, struct delayed_work *work,
			unsigned long delay);
bool mod_delayed_work(struct workqueue_struct *wq, struct delayed_work *work,
		      unsigned long delay);
bool flush_delayed_work(struct delayed_work *work);
bool cancel_delayed_work_sync(struct delayed_work *work);

#endif /* SIM_KERNEL_WORK_H */
