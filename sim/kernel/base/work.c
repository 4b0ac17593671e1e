// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Waiting, timers, queues of work.
 *
 * Locks: timers_lock is a leaf; a queue's lock is one, too. A function of a timer
 * runs with none. What was handed to a thread may be freed by its own function:
 * nothing looks at it afterwards.
 */
#include "work.h"

void init_waitqueue_head(wait_queue_head_t *wait)
{
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_mutex_init(&wait->lock, NULL);
	pthread_cond_init(&wait->cond, &attr);
	pthread_condattr_destroy(&attr);
	wait->wakes = 0;
}

void wake_up_all(wait_queue_head_t *wait)
{
	pthread_mutex_lock(&wait->lock);
	__atomic_add_fetch(&wait->wakes, 1, __ATOMIC_SEQ_CST);
	pthread_cond_broadcast(&wait->cond);
	pthread_mutex_unlock(&wait->lock);
}

bool sim_wait_wake(wait_queue_head_t *wait, unsigned int wakes, ktime_t end)
{
	struct timespec until = {
		.tv_sec = end / NSEC_PER_SEC, .tv_nsec = end % NSEC_PER_SEC,
	};
	int rc = 0;

	pthread_mutex_lock(&wait->lock);
	while (wait->wakes == wakes && !rc)
		rc = end < 0 ? pthread_cond_wait(&wait->cond, &wait->lock) :
			       pthread_cond_timedwait(&wait->cond, &wait->lock,
						      &until);
	pthread_mutex_unlock(&wait->lock);
	return !rc;
}

/* --- timers ------------------------------------------------------------------ */

static pthread_mutex_t timers_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t timers_once = PTHREAD_ONCE_INIT;
static LIST_HEAD(timers);
static wait_queue_head_t timers_wait;	/* earlier ones, and ends */
static struct sim_timer *timers_running;

/* The next one whose time has come; otherwise when that is, -1 for never. */
static struct sim_timer *take_timer(ktime_t *next)
{
	struct sim_timer *timer;

	pthread_mutex_lock(&timers_lock);
	timer = list_first_entry_or_null(&timers, struct sim_timer, node);
	*next = timer ? timer->at : -1;
	if (timer && ktime_after(timer->at, ktime_get()))
		timer = NULL;
	if (timer)
		list_del_init(&timer->node);
	timers_running = timer;
	pthread_mutex_unlock(&timers_lock);
	return timer;
}

static void *timers_main(void *unused)
{
	for (;;) {
		unsigned int wakes = __atomic_load_n(&timers_wait.wakes,
						     __ATOMIC_SEQ_CST);
		ktime_t next;
		struct sim_timer *timer = take_timer(&next);

		if (!timer) {
			sim_wait_wake(&timers_wait, wakes, next);
			continue;
		}
		timer->fn(timer);
		pthread_mutex_lock(&timers_lock);
		timers_running = NULL;
		pthread_mutex_unlock(&timers_lock);
		wake_up_all(&timers_wait);
	}
	return unused;
}

static void timers_start(void)
{
	init_waitqueue_head(&timers_wait);
	sim_thread_start(timers_main, NULL);
}

void sim_timer_init(struct sim_timer *timer,
		    void (*fn)(struct sim_timer *timer))
{
	pthread_once(&timers_once, timers_start);
	INIT_LIST_HEAD(&timer->node);
	timer->fn = fn;
}

bool sim_timer_arm(struct sim_timer *timer, ktime_t at)
{
	struct sim_timer *pos;
	bool was, first;

	pthread_mutex_lock(&timers_lock);
	was = !list_empty(&timer->node);
	if (was)
		list_del(&timer->node);
	timer->at = at;
	list_for_each_entry(pos, &timers, node)
		if (pos->at > at)
			break;
	list_add_tail(&timer->node, &pos->node);
	first = timers.next == &timer->node;
	pthread_mutex_unlock(&timers_lock);
	if (first)
		wake_up_all(&timers_wait);
	return was;
}

bool sim_timer_cancel(struct sim_timer *timer)
{
	bool was;

	pthread_mutex_lock(&timers_lock);
	was = !list_empty(&timer->node);
	list_del_init(&timer->node);
	pthread_mutex_unlock(&timers_lock);
	return was;
}

/* Waits for the function, too; not from within one. */
static void timer_cancel_sync(struct sim_timer *timer)
{
	bool runs = true;

	while (runs) {
		unsigned int wakes = __atomic_load_n(&timers_wait.wakes,
						     __ATOMIC_SEQ_CST);

		pthread_mutex_lock(&timers_lock);
		list_del_init(&timer->node);
		runs = timers_running == timer;
		pthread_mutex_unlock(&timers_lock);
		if (runs)
			sim_wait_wake(&timers_wait, wakes, -1);
	}
}

/* --- work -------------------------------------------------------------------- */

/* Of a queue that is not ordered. */
#define MOST_THREADS	4

struct workqueue_struct {
	struct list_head works;
	unsigned int max, threads, idle;
	struct work_struct *running[MOST_THREADS];	/* of each thread */
	wait_queue_head_t wait;		/* its lock has all of this */
	bool stop;
};

struct worker {
	struct workqueue_struct *wq;
	unsigned int index;
};

struct workqueue_struct *sim_workqueue(unsigned int max_active)
{
	struct workqueue_struct *wq = calloc(1, sizeof(*wq));

	if (!wq)
		return NULL;
	INIT_LIST_HEAD(&wq->works);
	init_waitqueue_head(&wq->wait);
	wq->max = max_active == 1 ? 1 : MOST_THREADS;
	return wq;
}

static void wq_wake(struct workqueue_struct *wq)
{
	wq->wait.wakes++;
	pthread_cond_broadcast(&wq->wait.cond);
}

static void *worker_main(void *arg)
{
	struct worker me = *(struct worker *)arg;
	struct workqueue_struct *wq = me.wq;
	struct work_struct *work;

	free(arg);
	pthread_mutex_lock(&wq->wait.lock);
	for (;;) {
		wq->idle++;
		while (list_empty(&wq->works) && !wq->stop)
			pthread_cond_wait(&wq->wait.cond, &wq->wait.lock);
		wq->idle--;
		if (list_empty(&wq->works))
			break;
		work = list_first_entry(&wq->works, struct work_struct, node);
		list_del_init(&work->node);
		wq->running[me.index] = work;
		pthread_mutex_unlock(&wq->wait.lock);
		work->func(work);
		pthread_mutex_lock(&wq->wait.lock);
		wq->running[me.index] = NULL;
		wq_wake(wq);
	}
	wq->threads--;
	wq_wake(wq);
	pthread_mutex_unlock(&wq->wait.lock);
	return NULL;
}

/* The lock is held. */
static void start_worker(struct workqueue_struct *wq)
{
	struct worker *worker;

	if (wq->idle || wq->threads == wq->max)
		return;
	worker = calloc(1, sizeof(*worker));
	if (!worker)
		abort();
	worker->wq = wq;
	worker->index = wq->threads++;
	sim_thread_start(worker_main, worker);
}

void destroy_workqueue(struct workqueue_struct *wq)
{
	pthread_mutex_lock(&wq->wait.lock);
	wq->stop = true;
	wq_wake(wq);
	while (wq->threads)
		pthread_cond_wait(&wq->wait.cond, &wq->wait.lock);
	pthread_mutex_unlock(&wq->wait.lock);
	pthread_cond_destroy(&wq->wait.cond);
	pthread_mutex_destroy(&wq->wait.lock);
	free(wq);
}

void sim_work_init(struct work_struct *work, work_func_t func)
{
	INIT_LIST_HEAD(&work->node);
	work->func = func;
	work->wq = NULL;
}

bool queue_work(struct workqueue_struct *wq, struct work_struct *work)
{
	bool added;

	pthread_mutex_lock(&wq->wait.lock);
	added = list_empty(&work->node);
	if (added) {
		__atomic_store_n(&work->wq, wq, __ATOMIC_SEQ_CST);
		list_add_tail(&work->node, &wq->works);
		start_worker(wq);
		wq_wake(wq);
	}
	pthread_mutex_unlock(&wq->wait.lock);
	return added;
}

static bool work_runs(struct workqueue_struct *wq, struct work_struct *work)
{
	unsigned int i;

	for (i = 0; i < wq->max; i++)
		if (wq->running[i] == work)
			return true;
	return false;
}

/* Until it neither waits nor runs. */
static bool work_end(struct work_struct *work, bool cancel)
{
	struct workqueue_struct *wq = __atomic_load_n(&work->wq,
						      __ATOMIC_SEQ_CST);
	bool was = false;

	if (!wq)
		return false;
	pthread_mutex_lock(&wq->wait.lock);
	if (cancel && !list_empty(&work->node)) {
		list_del_init(&work->node);
		was = true;
	}
	while (!list_empty(&work->node) || work_runs(wq, work)) {
		was = was || !cancel;
		pthread_cond_wait(&wq->wait.cond, &wq->wait.lock);
	}
	pthread_mutex_unlock(&wq->wait.lock);
	return was;
}

bool flush_work(struct work_struct *work)
{
	return work_end(work, false);
}

bool cancel_work_sync(struct work_struct *work)
{
	return work_end(work, true);
}

static void delayed_work_start(struct sim_timer *timer)
{
	struct delayed_work *work = container_of(timer, struct delayed_work,
						 timer);

	queue_work(work->work.wq, &work->work);
}

void sim_delayed_work_init(struct delayed_work *work, work_func_t func)
{
	sim_work_init(&work->work, func);
	sim_timer_init(&work->timer, delayed_work_start);
}

static void delay_work(struct workqueue_struct *wq, struct delayed_work *work,
		       unsigned long delay)
{
	__atomic_store_n(&work->work.wq, wq, __ATOMIC_SEQ_CST);
	if (delay)
		sim_timer_arm(&work->timer, ktime_add_ms(ktime_get(), delay));
	else
		queue_work(wq, &work->work);
}

static bool delayed_work_waits(struct workqueue_struct *wq,
			       struct delayed_work *work)
{
	bool waits;

	pthread_mutex_lock(&wq->wait.lock);
	waits = !list_empty(&work->work.node);
	pthread_mutex_unlock(&wq->wait.lock);
	pthread_mutex_lock(&timers_lock);
	waits = waits || !list_empty(&work->timer.node);
	pthread_mutex_unlock(&timers_lock);
	return waits;
}

bool queue_delayed_work(struct workqueue_struct *wq, struct delayed_work *work,
			unsigned long delay)
{
	if (delayed_work_waits(wq, work))
		return false;
	delay_work(wq, work, delay);
	return true;
}

bool mod_delayed_work(struct workqueue_struct *wq, struct delayed_work *work,
		      unsigned long delay)
{
	bool was = delayed_work_waits(wq, work);

	sim_timer_cancel(&work->timer);
	pthread_mutex_lock(&wq->wait.lock);
	list_del_init(&work->work.node);
	pthread_mutex_unlock(&wq->wait.lock);
	delay_work(wq, work, delay);
	return was;
}

bool flush_delayed_work(struct delayed_work *work)
{
	if (sim_timer_cancel(&work->timer))
		queue_work(work->work.wq, &work->work);
	return flush_work(&work->work);
}

/* A work that starts itself again is caught between two of its turns. */
bool cancel_delayed_work_sync(struct delayed_work *work)
{
	bool was = false, again;

	do {
		again = sim_timer_cancel(&work->timer);
		timer_cancel_sync(&work->timer);
		again |= cancel_work_sync(&work->work);
		was |= again;
	} while (again);
	return was;
}
