/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Actors, run-to-block state machines. They are run (pool.c) by the worker
 * threads of the process, or by the guest's thread if short.
 *
 * struct gaudi_sched is guarded by the card's lock but for its last members.
 */
#ifndef GAUDI_ACTORS_H
#define GAUDI_ACTORS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lock.h"

struct gaudi_chip;
struct gaudi_pool;

/*
 * A run-to-block state machine. run() is called with chip->lock held; one call of
 * it is a turn.
 */
struct gaudi_actor {
	const char *name;
	/*
	 * Returns true to be run again. May drop the lock by gaudi_bulk_begin()
	 * unless the actor is light.
	 */
	bool (*run)(struct gaudi_chip *chip, struct gaudi_actor *actor);
	unsigned int id;	/* bit in the card's set of ready actors */
	bool light;		/* has short turns: may run in the guest's thread */
	bool running;
	bool again;		/* made ready while it ran */
	bool prompt;		/* runs in the host's thread: see gaudi_actor_prompt() */
	pthread_t thread;	/* that runs it */
};

#define GAUDI_MAX_ACTORS	256
/* Messages that one access, or turn, may cause at once; see gaudi_sched. */
#define GAUDI_MESSAGES		256

/* Which actors of a card are ready, and which threads run them. */
struct gaudi_sched {
	struct gaudi_actor *actor[GAUDI_MAX_ACTORS];
	unsigned int num_actors;
	unsigned int refused;		/* for which there was no room */
	uint64_t ready[GAUDI_MAX_ACTORS / 64];
	unsigned int num_ready;
	uint64_t light[GAUDI_MAX_ACTORS / 64];
	unsigned int last[2];		/* that ran last: light, others */
	unsigned int streak;		/* light ones that ran in a row */
	uint64_t work;			/* bytes that the last one copied */
	/*
	 * Messages that the access of the host, or the turn, may still cause at
	 * once; the bus counts them down. Further ones are left to an actor of
	 * their own, else one DMA over sync objects would hold the lock for
	 * seconds.
	 */
	uint32_t messages;
	unsigned int running;		/* actors that run now */
	/* Threads that will look at ready before they drop the lock. */
	unsigned int controllers;
	unsigned int quiesced;		/* depth */
	/* threads that wait for changed: for an end, or for idleness */
	unsigned int waiters;
	unsigned int idle_waiters;
	pthread_cond_t changed;		/* an actor or a delivery ended */
	uint64_t seed;			/* != 0: pseudo-random choice */
	bool kicked;			/* this access made something ready */
	struct gaudi_actor *prompt;	/* ... which it may run at its end */
	bool inlined;			/* actors run in the guest's thread */
	uint32_t inline_bytes;		/* ... which may still copy so much */
	/* The pool's: links of its list, guarded by its lock. */
	struct gaudi_chip *next;
	unsigned int users;		/* workers that hold the card */
	atomic_bool want_worker;
};

/* Before the card is used. One too many is counted, and the card is not made. */
void gaudi_actor_init(struct gaudi_chip *chip, struct gaudi_actor *actor,
		      const char *name, bool light,
		      bool (*run)(struct gaudi_chip *, struct gaudi_actor *));
/* Lock held. Makes the actor ready; wakes a worker only if one sleeps. */
void gaudi_actor_kick(struct gaudi_chip *chip, struct gaudi_actor *actor);
/*
 * Lock held, dropped meanwhile. From a thread that is none of the pool's, but
 * prepared like those: a turn of the actor here, so that no worker has to wake up
 * for it. What is left then is for workers.
 */
void gaudi_actor_run_here(struct gaudi_chip *chip, struct gaudi_actor *actor);
/*
 * Lock held. The access of the host that made the actor ready is to run one turn of
 * it, in the host's thread, without the lock where the actor drops it, and then what
 * that makes ready, a few times. That is for turns that are short then (the last one
 * that asked has it), so that no worker has to wake up. As the host may hold
 * locks of its own, such a turn, which sees prompt, waits for nobody; it is none within
 * another one. Else, and for what is left, there are the workers.
 */
void gaudi_actor_prompt(struct gaudi_chip *chip, struct gaudi_actor *actor);
/* Lock held. Does it run now, or is it to run? */
bool gaudi_actor_is_ready(const struct gaudi_chip *chip,
			  const struct gaudi_actor *actor);
/*
 * Lock held (dropped meanwhile): no actor runs any more when it returns, and
 * none starts before gaudi_actors_resume(). The hard reset calls it from an
 * actor of its own, which does not wait for itself.
 */
void gaudi_actors_quiesce(struct gaudi_chip *chip);
void gaudi_actors_resume(struct gaudi_chip *chip);
/*
 * Lock held, dropped meanwhile. Waits until an actor has ended its turn, or
 * another thread calls notify().
 */
void gaudi_actors_wait(struct gaudi_chip *chip);
void gaudi_actors_notify(struct gaudi_chip *chip);
/*
 * Lock held. Around an access of the host: what it makes ready is run at the
 * end, in the host's thread if it is short, so that a small job needs no other
 * thread to wake up.
 */
void gaudi_actors_begin(struct gaudi_chip *chip);
void gaudi_actors_end(struct gaudi_chip *chip);
/* The same for an access by which the host asks for work; may drop the lock. */
void gaudi_access_end(struct gaudi_chip *chip);
/*
 * From run() of an actor that is not light: copy or compute between these two
 * without the lock. Nothing is delivered to the host.
 */
void gaudi_bulk_begin(struct gaudi_chip *chip);
void gaudi_bulk_end_at(struct gaudi_chip *chip, const char *here);
#define gaudi_bulk_end(chip)	gaudi_bulk_end_at(chip, GAUDI_HERE)
/*
 * Around what another card does to this one, in that one's thread: begin takes the
 * lock, end drops it, and between them the bulk functions above may be used. false:
 * the card stands still, for a reset or because it is paused; nothing was taken.
 */
bool gaudi_visit_begin_at(struct gaudi_chip *chip, const char *here);
#define gaudi_visit_begin(chip)	gaudi_visit_begin_at(chip, GAUDI_HERE)
void gaudi_visit_end(struct gaudi_chip *chip);
/* Lock held. The actor that runs copied so much, which shortens its turn. */
void gaudi_work_done(struct gaudi_chip *chip, uint64_t bytes);
/* The host's own time. A deterministic card decides nothing by it. */
uint64_t gaudi_real_ns(void);
/*
 * Lock held, both. An engine is busy, for sensors: for as long as the host needs,
 * which is what its guest sees. A deterministic card must not depend on that: it
 * takes what the engine itself would need.
 */
uint64_t gaudi_busy_begin(struct gaudi_chip *chip);
void gaudi_busy_end(struct gaudi_chip *chip, uint64_t begin, uint64_t own_ps);
/* Lock held, no actor runs: none is ready any more. */
void gaudi_sched_forget(struct gaudi_chip *chip);
/* Join and leave chip->pool. Before an actor is kicked; after all stopped. */
void gaudi_sched_init(struct gaudi_chip *chip);
void gaudi_sched_fini(struct gaudi_chip *chip);

#endif /* GAUDI_ACTORS_H */
