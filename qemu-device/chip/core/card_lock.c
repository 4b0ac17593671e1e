// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * A card's lock, and what is told to the host when that is released: interrupts,
 * window moves, the next deadline, what the slot is to do.
 */
#include "core.h"

/* How often a thread tries to get a lock that is taken before it waits */
#define LOCK_TRIES		200
/* What a host may listen to; the rest has the host's own time in it. */
#define HOST_KINDS		((1u << GAUDI_TRACE_TURN) - 1)

/* --- lock, outbox --------------------------------------------------------- */

static bool outbox_pending(const struct gaudi_outbox *out)
{
	return out->msi || out->window || out->timer || out->host_faults;
}

/* Called with the lock held, returns with it held. */
static void outbox_deliver(struct gaudi_chip *chip)
{
	const struct gaudi_host_ops *ops = chip->ops;
	struct gaudi_outbox out = chip->outbox;
	uint64_t window = chip->hbm_window;
	uint64_t deadline = chip->timers ? chip->timers->deadline_ns :
					   UINT64_MAX;
	unsigned int i;

	chip->outbox.msi = 0;
	chip->outbox.window = false;
	chip->outbox.timer = false;
	chip->outbox.host_faults = 0;
	gaudi_unlock(&chip->lock);
	gaudi_lock_at_most(GAUDI_LOCK_HOST);
	if (out.window)
		ops->hbm_window(chip->opaque, window);
	if (out.timer)
		ops->timer(chip->opaque, deadline);
	for (i = 0; i < GAUDI_NUM_MSI; i++)
		if (out.msi & 1u << i)
			ops->msi(chip->opaque, i);
	for (i = 0; ops->host_fault && i < GAUDI_HOST_FAULTS; i++)
		if (out.host_faults & 1u << i)
			ops->host_fault(chip->opaque, i,
					i < GAUDI_HOST_AER_COR ? 0 :
					out.aer_status[i -
						       GAUDI_HOST_AER_COR]);
	gaudi_chip_lock(chip);
}

/*
 * One thread at a time delivers, so that the host sees windows and deadlines
 * in the order in which they were set. Others leave theirs to it rather than
 * wait: the host may hold a lock that the delivering thread needs.
 */
static void outbox_empty(struct gaudi_chip *chip)
{
	struct gaudi_outbox *out = &chip->outbox;

	if (out->delivering || !outbox_pending(out))
		return;
	out->delivering = true;
	out->deliverer = pthread_self();
	do
		outbox_deliver(chip);
	while (outbox_pending(out));
	out->delivering = false;
	gaudi_actors_notify(chip);
}

void gaudi_outbox_wait(struct gaudi_chip *chip)
{
	const struct gaudi_outbox *out = &chip->outbox;

	while (out->delivering &&
	       !pthread_equal(out->deliverer, pthread_self()))
		gaudi_actors_wait(chip);
}

/*
 * A mutex alone is not fair: a thread that unlocks and locks again wins nearly
 * always against one that first has to wake up. A thread that finds the lock taken
 * holds wait_lock while it waits, and gaudi_chip_yield() takes that first.
 */
static void lock_in_turn(struct gaudi_chip *chip, const char *here)
{
	gaudi_lock_at(&chip->wait_lock, here);
	gaudi_lock_at(&chip->lock, here);
	gaudi_unlock(&chip->wait_lock);
}

static void pause_a_little(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#endif
}

/*
 * It is mostly held for less than a thread needs to fall asleep and wake up,
 * so some microseconds of trying come first.
 */
static void take_lock(struct gaudi_chip *chip, const char *here)
{
	unsigned int tries;

	for (tries = 0; tries < LOCK_TRIES; tries++) {
		if (!gaudi_trylock_at(&chip->lock, here))
			return;
		pause_a_little();
	}
	atomic_fetch_add(&chip->waiters, 1);
	lock_in_turn(chip, here);
	atomic_fetch_sub(&chip->waiters, 1);
}

void gaudi_chip_lock_at(struct gaudi_chip *chip, const char *here)
{
	take_lock(chip, here);
	if (chip->ops->traced)
		chip->traced = chip->ops->traced(chip->opaque) & HOST_KINDS;
}

bool gaudi_chip_wanted(struct gaudi_chip *chip)
{
	return atomic_load_explicit(&chip->waiters, memory_order_relaxed);
}

void gaudi_chip_yield(struct gaudi_chip *chip)
{
	outbox_empty(chip);
	if (!gaudi_chip_wanted(chip))
		return;
	gaudi_unlock(&chip->lock);
	lock_in_turn(chip, GAUDI_HERE);
}

void gaudi_chip_unlock(struct gaudi_chip *chip)
{
	outbox_empty(chip);
	gaudi_unlock(&chip->lock);
}

void gaudi_msi_pend(struct gaudi_chip *chip, unsigned int vector)
{
	if (vector >= GAUDI_NUM_MSI || gaudi_fault_armed(chip, GAUDI_FAULT_LINK))
		return;
	if (gaudi_fault_armed(chip, GAUDI_FAULT_MSI) &&
	    chip->fault_hooks->msi(chip, vector))
		return;
	chip->outbox.msi |= 1u << vector;
	gaudi_clock_tell(chip);
	gaudi_trace(chip, GAUDI_TRACE_MSI, 0, 0, vector, 0);
}

void gaudi_hard_reset_pend(struct gaudi_chip *chip, const char *why)
{
	if (chip->reset_pending)
		return;
	chip->reset_pending = true;
	gaudi_log(chip, GAUDI_LOG_INFO, "hard reset: %s", why);
	gaudi_trace(chip, GAUDI_TRACE_RESET, 0, 0, 0, 0);
	gaudi_actor_kick(chip, &chip->reset_actor);
}
