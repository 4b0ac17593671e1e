/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* Time: nanoseconds of the monotonic clock; a jiffy is a millisecond. */
#ifndef SIM_KERNEL_TIME_H
#define SIM_KERNEL_TIME_H

#include <sched.h>
#include <time.h>

#include "types.h"

#define HZ			1000
#define NSEC_PER_USEC		1000L
#define NSEC_PER_MSEC		1000000L
#define NSEC_PER_SEC		1000000000L
#define USEC_PER_MSEC		1000L
#define MAX_SCHEDULE_TIMEOUT	LONG_MAX
#define jiffies			((unsigned long)(ktime_get() / NSEC_PER_MSEC))

ktime_t ktime_get(void);
ktime_t ktime_get_raw(void);
void sim_sleep_ns(u64 ns);
/*
 * Gives the cards' threads the time for all that they have to do, at most some seconds:
 * on a machine that does much else, a timeout is no sign that a card hangs.
 */
extern void (*sim_settle)(void);

#define ktime_get_ns()		((u64)ktime_get())
#define ktime_get_raw_ns()	((u64)ktime_get_raw())
#define ktime_to_ns(t)		((s64)(t))
#define ktime_to_us(t)		((s64)(t) / NSEC_PER_USEC)
#define ktime_add_us(t, us)	((ktime_t)(t) + (s64)(us) * NSEC_PER_USEC)
#define ktime_add_ms(t, ms)	((ktime_t)(t) + (s64)(ms) * NSEC_PER_MSEC)
#define ktime_sub(a, b)		((ktime_t)(a) - (ktime_t)(b))
#define ktime_us_delta(a, b)	(ktime_sub(a, b) / NSEC_PER_USEC)
#define ktime_ms_delta(a, b)	(ktime_sub(a, b) / NSEC_PER_MSEC)
#define ktime_after(a, b)	((ktime_t)(a) > (ktime_t)(b))
#define ktime_before(a, b)	((ktime_t)(a) < (ktime_t)(b))

#define time_after(a, b)	((long)((b) - (a)) < 0)
#define time_before(a, b)	time_after(b, a)
#define time_before_eq(a, b)	(!time_after(a, b))
#define msecs_to_jiffies(ms)	((unsigned long)(ms))
#define jiffies_to_msecs(j)	((unsigned int)(j))
#define jiffies_to_usecs(j)	((unsigned int)(j) * 1000)
#define nsecs_to_jiffies64(ns)	((u64)(ns) / NSEC_PER_MSEC)

#define msleep(ms)		sim_sleep_ns((u64)(ms) * NSEC_PER_MSEC)
#define usleep_range(least, most) sim_sleep_ns((u64)(least) * NSEC_PER_USEC)
#define cond_resched()		((void)0)
#define get_cycles()		((u64)ktime_get_raw())

/*
 * Until @cond, which looks at what @op put into its last argument. Who does not sleep only
 * tries.
 */
#define read_poll_timeout(op, val, cond, sleep_us, timeout_us, before, args...)\
({									\
	ktime_t sim_end = ktime_add_us(ktime_get(), timeout_us);	\
	bool sim_late = false, sim_met;					\
	for (;;) {							\
		(val) = op(args);					\
		sim_met = (cond);					\
		if (sim_met || sim_late)				\
			break;						\
		sim_sleep_ns((sleep_us) * NSEC_PER_USEC);		\
		sim_late = ktime_after(ktime_get(), sim_end);		\
		if (sim_late && (sleep_us) && sim_settle)		\
			sim_settle();					\
	}								\
	sim_met ? 0 : -ETIMEDOUT;					\
})

#endif /* SIM_KERNEL_TIME_H */
