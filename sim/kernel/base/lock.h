/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Locks. A spinlock is a mutex here: there are no interrupts, and to spin on few
 * cores is to keep the owner from running.
 */
#ifndef SIM_KERNEL_LOCK_H
#define SIM_KERNEL_LOCK_H

#include <pthread.h>

#include "types.h"

struct mutex { pthread_mutex_t lock; };
typedef struct { pthread_mutex_t lock; } spinlock_t;
struct rw_semaphore { pthread_rwlock_t lock; };

#define mutex_init(l)		pthread_mutex_init(&(l)->lock, NULL)
#define mutex_destroy(l)	pthread_mutex_destroy(&(l)->lock)
#define mutex_lock(l)		pthread_mutex_lock(&(l)->lock)
#define mutex_trylock(l)	(!pthread_mutex_trylock(&(l)->lock))
#define mutex_unlock(l)		pthread_mutex_unlock(&(l)->lock)
#define spin_lock_init(l)	mutex_init(l)
#define spin_lock(l)		mutex_lock(l)
#define spin_unlock(l)		mutex_unlock(l)
#define init_rwsem(l)		pthread_rwlock_init(&(l)->lock, NULL)
#define down_read(l)		pthread_rwlock_rdlock(&(l)->lock)
#define down_read_trylock(l)	(!pthread_rwlock_tryrdlock(&(l)->lock))
#define up_read(l)		pthread_rwlock_unlock(&(l)->lock)
#define down_write(l)		pthread_rwlock_wrlock(&(l)->lock)
#define up_write(l)		pthread_rwlock_unlock(&(l)->lock)

#define lockdep_assert_held(l)	((void)(l))
#define might_sleep()		((void)0)

DEFINE_GUARD(mutex, struct mutex *, mutex_lock(_T), mutex_unlock(_T))
DEFINE_GUARD(spinlock, spinlock_t *, spin_lock(_T), spin_unlock(_T))
DEFINE_GUARD(rwsem_read, struct rw_semaphore *, down_read(_T), up_read(_T))
DEFINE_GUARD(rwsem_write, struct rw_semaphore *, down_write(_T), up_write(_T))

/*
 * Readers count themselves in one of two places; who waits changes the place,
 * twice, as a reader may have read it and not counted itself yet.
 */
struct srcu_struct {
	int place;
	int readers[2];
	pthread_mutex_t lock;
};

int init_srcu_struct(struct srcu_struct *srcu);
void cleanup_srcu_struct(struct srcu_struct *srcu);
void synchronize_srcu(struct srcu_struct *srcu);

static inline int srcu_read_lock(struct srcu_struct *srcu)
{
	int place = __atomic_load_n(&srcu->place, __ATOMIC_SEQ_CST);

	__atomic_add_fetch(&srcu->readers[place], 1, __ATOMIC_SEQ_CST);
	return place;
}

static inline void srcu_read_unlock(struct srcu_struct *srcu, int place)
{
	__atomic_sub_fetch(&srcu->readers[place], 1, __ATOMIC_SEQ_CST);
}

#endif /* SIM_KERNEL_LOCK_H */
