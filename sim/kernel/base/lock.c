// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* Readers that come and go, time, threads. */
#include <signal.h>

#include "../kernel.h"

int init_srcu_struct(struct srcu_struct *srcu)
{
	memset(srcu, 0, sizeof(*srcu));
	return pthread_mutex_init(&srcu->lock, NULL) ? -ENOMEM : 0;
}

void cleanup_srcu_struct(struct srcu_struct *srcu)
{
	pthread_mutex_destroy(&srcu->lock);
}

void synchronize_srcu(struct srcu_struct *srcu)
{
	int turn, old;

	pthread_mutex_lock(&srcu->lock);
	for (turn = 0; turn < 2; turn++) {
		old = srcu->place;
		__atomic_store_n(&srcu->place, !old, __ATOMIC_SEQ_CST);
		while (__atomic_load_n(&srcu->readers[old], __ATOMIC_SEQ_CST))
			sim_sleep_ns(100 * NSEC_PER_USEC);
	}
	pthread_mutex_unlock(&srcu->lock);
}

static ktime_t now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

ktime_t ktime_get(void)
{
	return now(CLOCK_MONOTONIC);
}

ktime_t ktime_get_raw(void)
{
	return now(CLOCK_MONOTONIC_RAW);
}

void (*sim_settle)(void);

void sim_sleep_ns(u64 ns)
{
	struct timespec t = {
		.tv_sec = ns / NSEC_PER_SEC, .tv_nsec = ns % NSEC_PER_SEC,
	};

	while (nanosleep(&t, &t))
		;
}

static void *call_it(void *call)
{
	(*(void (**)(void))call)();
	return NULL;
}

void sim_call_in_thread(void (*call)(void))
{
	pthread_attr_t attr;
	pthread_t thread;
	bool there;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 1 << 20);
	there = !pthread_create(&thread, &attr, call_it, &call);
	pthread_attr_destroy(&attr);
	if (there)
		pthread_join(thread, NULL);
	else
		call();
}

/* Signals are the program's own threads'. */
pthread_t sim_thread_start(void *(*main)(void *arg), void *arg)
{
	sigset_t all, old;
	pthread_t thread;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	/* A card without its threads would hang later, and say nothing. */
	if (pthread_create(&thread, NULL, main, arg))
		abort();
	pthread_setname_np(thread, SIM_THREAD);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return thread;
}
