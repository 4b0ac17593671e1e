/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * The locks of the card, and the order in which one thread takes them: of two
 * that it holds the later one stands further down in enum gaudi_lock_rank, and
 * no two are of the same rank, so never two cards'.
 *
 * What a register does, and what the host does for the card, may take any lock
 * from the card's own on. So neither is called with a leaf held.
 *
 * With GAUDI_LOCK_CHECK, in builds with sanitizers and for fuzzers, each thread
 * keeps a list of what it holds (lock_check.c). What breaks the order, takes a
 * lock twice, waits with two, or calls with a leaf held ends the process and
 * names both places. Without it a lock is a mutex and nothing else.
 */
#ifndef GAUDI_LOCK_H
#define GAUDI_LOCK_H

#include <pthread.h>

enum gaudi_lock_rank {
	GAUDI_LOCK_JOURNAL,	/* of cards that have one: one call at a time */
	GAUDI_LOCK_HOST,	/* a host's own, around calls into the library */
	GAUDI_LOCK_FABRIC,	/* what is left for a fabric's thread */
	GAUDI_LOCK_LINK,	/* who delivers to one end of a wire */
	GAUDI_LOCK_WAIT,	/* one card's: held while waiting for its lock */
	GAUDI_LOCK_CARD,	/* one card: all control state */
	/* Leaves: nothing else is called while one is held. */
	GAUDI_LOCK_POOL,	/* which cards want a worker, which sleep */
	GAUDI_LOCK_REMOTE,	/* who is at the other end of a wire */
	GAUDI_LOCK_FILL,	/* a memory's chunks that show a pattern */
	GAUDI_LOCK_RECLAIM,	/* what a memory has left to be given back */
	GAUDI_LOCK_TPC_GDB,	/* whether TPCs stand still for a debugger */
	GAUDI_LOCK_TPC_CODE,	/* decoded kernels of a card */
	GAUDI_LOCK_REDUCE,	/* arithmetic on memory, one step for all */
};

struct gaudi_lock {
	pthread_mutex_t mutex;
	enum gaudi_lock_rank rank;
};

static inline void gaudi_lock_init(struct gaudi_lock *lock,
				   enum gaudi_lock_rank rank)
{
	pthread_mutex_init(&lock->mutex, NULL);
	lock->rank = rank;
}

static inline void gaudi_lock_destroy(struct gaudi_lock *lock)
{
	pthread_mutex_destroy(&lock->mutex);
}

#ifdef GAUDI_LOCK_CHECK

#define GAUDI_LOCK_STR_(x)	#x
#define GAUDI_LOCK_STR(x)	GAUDI_LOCK_STR_(x)
/* Where the code stands: "chip/dma/dma.c:123" */
#define GAUDI_HERE		__FILE__ ":" GAUDI_LOCK_STR(__LINE__)

void gaudi_lock_at(struct gaudi_lock *lock, const char *here);
int gaudi_trylock_at(struct gaudi_lock *lock, const char *here);
void gaudi_unlock_at(struct gaudi_lock *lock, const char *here);
int gaudi_cond_wait_at(pthread_cond_t *cond, struct gaudi_lock *lock,
		       const struct timespec *end, const char *here);
void gaudi_lock_at_most_at(enum gaudi_lock_rank rank, const char *here);

#else

/* Passed to what is inline, or a zero in a register. */
#define GAUDI_HERE		((const char *)0)

static inline void gaudi_lock_at(struct gaudi_lock *lock, const char *here)
{
	(void)here;
	pthread_mutex_lock(&lock->mutex);
}

static inline int gaudi_trylock_at(struct gaudi_lock *lock, const char *here)
{
	(void)here;
	return pthread_mutex_trylock(&lock->mutex);
}

static inline void gaudi_unlock_at(struct gaudi_lock *lock, const char *here)
{
	(void)here;
	pthread_mutex_unlock(&lock->mutex);
}

static inline int gaudi_cond_wait_at(pthread_cond_t *cond,
				     struct gaudi_lock *lock,
				     const struct timespec *end,
				     const char *here)
{
	(void)here;
	return end ? pthread_cond_timedwait(cond, &lock->mutex, end) :
		     pthread_cond_wait(cond, &lock->mutex);
}

static inline void gaudi_lock_at_most_at(enum gaudi_lock_rank rank,
					 const char *here)
{
	(void)rank;
	(void)here;
}

#endif

#define gaudi_lock(lock)	gaudi_lock_at(lock, GAUDI_HERE)
/* 0: taken. */
#define gaudi_trylock(lock)	gaudi_trylock_at(lock, GAUDI_HERE)
#define gaudi_unlock(lock)	gaudi_unlock_at(lock, GAUDI_HERE)
/* The lock is the only one held, but for the host's. */
#define gaudi_cond_wait(cond, lock) \
	gaudi_cond_wait_at(cond, lock, NULL, GAUDI_HERE)
/* 0, or ETIMEDOUT at end of the condition's clock. */
#define gaudi_cond_timedwait(cond, lock, end) \
	gaudi_cond_wait_at(cond, lock, end, GAUDI_HERE)
/* Whoever comes here holds no lock beyond this rank. */
#define gaudi_lock_at_most(rank) \
	gaudi_lock_at_most_at(rank, GAUDI_HERE)

#endif /* GAUDI_LOCK_H */
