/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * The time of this process by the model of its cards (Documentation/timing.rst): a thread
 * that has waited for a submission knows when that has ended, and what it does next is
 * later. What nobody has waited for, and how long the process itself takes, does not
 * count: so it is the same in each run.
 */
#ifndef SIM_CLOCK_H
#define SIM_CLOCK_H

#include <stdint.h>

struct gaudi_chip;

/*
 * Before cards are made that have a model of time: 0 or -ENOMEM. Without this nothing is
 * done below.
 */
int sim_clock_start(void);

/* struct gaudi_host_ops, model_ns */
uint64_t sim_clock_ns(void *opaque);

/* queue_tells, of card @n */
void sim_clock_told(unsigned int n, unsigned int queue, uint32_t value,
		    uint64_t ns);
/* The driver has found that in slot @slot of its queue @qid: this thread knows when it was. */
void sim_clock_done(unsigned int n, uint32_t qid, uint32_t slot);

/* A card's node has been opened: what its driver did before is over. */
void sim_clock_opened(struct gaudi_chip *chip);
/* An ioctl begins. */
void sim_clock_calls(void);
/* ... of a card's node, and has returned 0. */
void sim_clock_called(struct gaudi_chip *chip, unsigned long request,
		      const void *arg);

#endif /* SIM_CLOCK_H */
