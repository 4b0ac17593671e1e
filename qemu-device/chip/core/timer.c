// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* One-shot timers: a list, of which the host is told the earliest. */
#include "core.h"

uint64_t gaudi_now_ns(struct gaudi_chip *chip)
{
	return chip->ops->now_ns(chip->opaque);
}

void gaudi_clock_host(struct gaudi_chip *chip)
{
	uint64_t ps;

	if (!chip->clock.on)
		return;
	ps = chip->ops->model_ns ? 1000 * chip->ops->model_ns(chip->opaque) :
				   chip->clock.told_ps;
	/* The first moment of all is one, too. */
	chip->clock.at_ps = ps ? ps : 1;
}

void gaudi_clock_message(struct gaudi_chip *chip, unsigned int queue,
			 uint32_t value, bool privileged)
{
	gaudi_clock_tell(chip);
	if (privileged && chip->ops->queue_tells)
		chip->ops->queue_tells(chip->opaque, queue, value,
				       chip->clock.at_ps / 1000);
}

uint64_t gaudi_chip_told_ns(struct gaudi_chip *chip)
{
	uint64_t ns;

	if (!chip->config.timing)
		return 0;
	gaudi_chip_lock(chip);
	ns = chip->clock.told_ps / 1000;
	gaudi_chip_unlock(chip);
	return ns;
}

void gaudi_timer_cancel(struct gaudi_chip *chip, struct gaudi_timer *timer)
{
	struct gaudi_timer **link = &chip->timers;

	if (!timer->armed)
		return;
	while (*link != timer)
		link = &(*link)->next;
	if (link == &chip->timers)
		chip->outbox.timer = true;
	*link = timer->next;
	timer->armed = false;
}

void gaudi_timer_arm(struct gaudi_chip *chip, struct gaudi_timer *timer,
		     uint64_t delay_ns)
{
	struct gaudi_timer **link = &chip->timers;
	uint64_t now = gaudi_now_ns(chip);

	gaudi_timer_cancel(chip, timer);
	timer->deadline_ns = now + delay_ns;
	if (timer->deadline_ns < now)
		timer->deadline_ns = UINT64_MAX - 1;
	while (*link && (*link)->deadline_ns <= timer->deadline_ns)
		link = &(*link)->next;
	if (link == &chip->timers)
		chip->outbox.timer = true;
	timer->next = *link;
	*link = timer;
	timer->armed = true;
}

void gaudi_timers_cancel(struct gaudi_chip *chip)
{
	while (chip->timers)
		gaudi_timer_cancel(chip, chip->timers);
}

/* The lock is held. */
static void timers_came(struct gaudi_chip *chip)
{
	struct gaudi_timer *timer;
	unsigned int due = 0;
	uint64_t now;

	/* Told to the host again when the card goes on. */
	if (chip->paused)
		return;
	gaudi_actors_begin(chip);
	now = gaudi_now_ns(chip);
	for (timer = chip->timers; timer && timer->deadline_ns <= now;
	     timer = timer->next)
		due++;
	/* Counted, so that a timer that arms itself again ends the loop. */
	while (due-- && chip->timers && chip->timers->deadline_ns <= now) {
		timer = chip->timers;
		gaudi_timer_cancel(chip, timer);
		timer->fn(chip, timer->arg);
	}
	chip->outbox.timer = true;
	gaudi_actors_end(chip);
}

void gaudi_chip_timer(struct gaudi_chip *chip)
{
	gaudi_call_begin(chip->calls, GAUDI_CALL_TIMER, 0, 0, 0, 0);
	gaudi_chip_lock(chip);
	timers_came(chip);
	gaudi_chip_unlock(chip);
	gaudi_call_end(chip->calls, 0);
}
