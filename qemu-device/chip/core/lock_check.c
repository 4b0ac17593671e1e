// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * What lock.h promises, checked for each thread while it runs. Empty without
 * GAUDI_LOCK_CHECK: in unit tests and fuzzers it is defined, in QEMU where one
 * asks for it (scripts/lib/qemu.sh).
 */
#ifdef GAUDI_LOCK_CHECK

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "lock.h"

/* One of each rank, at most. */
#define MAX_HELD	(GAUDI_LOCK_REDUCE + 1)

struct held {
	const struct gaudi_lock *lock;
	const char *place;
};

static _Thread_local struct held held[MAX_HELD];
static _Thread_local unsigned int num_held;

static const char *const names[] = {
	[GAUDI_LOCK_JOURNAL] = "a journal's lock",
	[GAUDI_LOCK_HOST] = "the host's lock",
	[GAUDI_LOCK_FABRIC] = "a fabric's lock",
	[GAUDI_LOCK_LINK] = "a wire's lock",
	[GAUDI_LOCK_WAIT] = "a card's wait_lock",
	[GAUDI_LOCK_CARD] = "a card's lock",
	[GAUDI_LOCK_POOL] = "the pool's lock",
	[GAUDI_LOCK_REMOTE] = "the lock of a wire to a process",
	[GAUDI_LOCK_FILL] = "the lock of filled memory",
	[GAUDI_LOCK_RECLAIM] = "the lock of memory to give back",
	[GAUDI_LOCK_TPC_GDB] = "the lock of a TPC debugger",
	[GAUDI_LOCK_TPC_CODE] = "the lock of TPC code",
	[GAUDI_LOCK_REDUCE] = "the lock of reductions",
};

static void stop(const char *here, const char *what,
		 enum gaudi_lock_rank rank, const struct held *earlier)
{
	fprintf(stderr, "%s: %s %s", here, what, names[rank]);
	if (earlier)
		fprintf(stderr, "; %s has been held since %s",
			names[earlier->lock->rank], earlier->place);
	fputc('\n', stderr);
	abort();
}

static void check_order(const struct gaudi_lock *lock, const char *here)
{
	const struct held *last;
	unsigned int i;

	for (i = 0; i < num_held; i++)
		if (held[i].lock == lock)
			stop(here, "takes a second time", lock->rank, &held[i]);
	if (!num_held)
		return;
	last = &held[num_held - 1];
	if (last->lock->rank >= lock->rank)
		stop(here, "takes out of order", lock->rank, last);
}

static void push(const struct gaudi_lock *lock, const char *here)
{
	held[num_held++] = (struct held){ lock, here };
}

/* In whatever order they are given back, the rest stays in order. */
static void pop(const struct gaudi_lock *lock, const char *here)
{
	unsigned int i;

	for (i = 0; i < num_held && held[i].lock != lock; i++)
		;
	if (i == num_held)
		stop(here, "gives back, but does not hold,", lock->rank, NULL);
	for (num_held--; i < num_held; i++)
		held[i] = held[i + 1];
}

void gaudi_lock_at(struct gaudi_lock *lock, const char *here)
{
	check_order(lock, here);
	pthread_mutex_lock(&lock->mutex);
	push(lock, here);
}

int gaudi_trylock_at(struct gaudi_lock *lock, const char *here)
{
	int err;

	/* If it fails, the caller waits for the lock next. */
	check_order(lock, here);
	err = pthread_mutex_trylock(&lock->mutex);
	if (!err)
		push(lock, here);
	return err;
}

void gaudi_unlock_at(struct gaudi_lock *lock, const char *here)
{
	pop(lock, here);
	pthread_mutex_unlock(&lock->mutex);
}

int gaudi_cond_wait_at(pthread_cond_t *cond, struct gaudi_lock *lock,
		       const struct timespec *end, const char *here)
{
	unsigned int i;
	int err;

	pop(lock, here);
	for (i = 0; i < num_held; i++)
		if (held[i].lock->rank > GAUDI_LOCK_HOST)
			stop(here, "waits by", lock->rank, &held[i]);
	err = end ? pthread_cond_timedwait(cond, &lock->mutex, end) :
		    pthread_cond_wait(cond, &lock->mutex);
	push(lock, here);
	return err;
}

void gaudi_lock_at_most_at(enum gaudi_lock_rank rank, const char *here)
{
	const struct held *last = num_held ? &held[num_held - 1] : NULL;

	if (last && last->lock->rank > rank)
		stop(here, "may be called with no more than", rank, last);
}

#endif /* GAUDI_LOCK_CHECK */
