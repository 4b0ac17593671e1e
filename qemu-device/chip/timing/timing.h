/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * A model of time: how long the card's work would take by published rates.
 *
 *   rates.def  the rates, with their sources
 *   timing.c   jobs, doorbells, amounts that grow
 *
 * It is a roofline, no cycle model. Each command processor, engine and port has a moment
 * up to which it is busy; a job begins when it was given and its engine has done those
 * before, and takes as long as the slowest of what it needs. What follows from something
 * is not before it: a moment goes along with each message, and stays where it arrives (at
 * sync objects, fences, doorbells) until somebody waits for that. No moment depends on
 * when, or in which thread, the host runs the model. Documentation/timing.rst.
 *
 * Lock held, all. Nobody asks but cards whose clock is on.
 */
#ifndef GAUDI_TIMING_H
#define GAUDI_TIMING_H

#include "../core/core.h"

enum {
#define RATE(name, value, ...)	GAUDI_RATE_##name = value,
#include "rates.def"
#undef RATE
};

struct gaudi_rate {
	const char *name;
	unsigned int value;
	const char *unit, *what, *source;
};

/* All of them, up to one without a name. */
extern const struct gaudi_rate gaudi_rates[];

int gaudi_timing_init(struct gaudi_chip *chip);
void gaudi_timing_fini(struct gaudi_chip *chip);

/* --- jobs ------------------------------------------------------------------- */

/* Picoseconds that so many bytes take at MB/s. */
uint64_t gaudi_bytes_ps(uint64_t bytes, unsigned int mb_per_s);
/*
 * An engine moves so many bytes of HBM, from a moment on and at most at its own rate:
 * when it has. Nobody gets what others have already of what HBM can do.
 */
uint64_t gaudi_hbm_until(struct gaudi_chip *chip, uint64_t from_ps,
			 uint64_t bytes, unsigned int mb_per_s);
/* The same of the host's memory, which all engines share; reads and writes apart. */
uint64_t gaudi_pcie_until(struct gaudi_chip *chip, uint64_t from_ps,
			  uint64_t bytes, bool write);

#define GAUDI_MOST_JOBS		4

/* Jobs of an engine, which does them in turn and holds so many. */
struct gaudi_jobs {
	unsigned int depth;
	uint32_t given, done;
	uint64_t given_ps[GAUDI_MOST_JOBS];	/* of those that it holds */
	uint64_t end_ps[GAUDI_MOST_JOBS];	/* ... and of those before */
	uint64_t free_ps;			/* the last one that is done */
};

/* It is given one now; not before there is room for it. */
void gaudi_jobs_give(struct gaudi_chip *chip, struct gaudi_jobs *jobs);
/* When its oldest one begins. */
uint64_t gaudi_jobs_begin(const struct gaudi_jobs *jobs);
/* ... and it has ended. */
void gaudi_jobs_end(struct gaudi_jobs *jobs, uint64_t ps);

/* --- what others wait for --------------------------------------------------- */

#define GAUDI_STEPS		32

/* An amount that grows: of a sync object, or a fence. */
struct gaudi_steps {
	uint64_t base_ps;		/* base was there then */
	int32_t base;
	unsigned int num;
	struct { uint64_t ps; int32_t add; } step[GAUDI_STEPS];	/* by time */
};

void gaudi_steps_set(struct gaudi_steps *s, int32_t amount, uint64_t ps);
void gaudi_steps_add(struct gaudi_steps *s, int32_t amount, uint64_t ps);
/* The earliest ones are used up. */
void gaudi_steps_take(struct gaudi_steps *s, int32_t amount);
/* When it was so much, or became what it is. */
uint64_t gaudi_steps_reached(const struct gaudi_steps *s, int32_t amount);

#define GAUDI_RINGS		64

/* A doorbell: up to which index work was known at which moment. */
struct gaudi_door {
	unsigned int num;
	struct { uint64_t ps; uint32_t index; } ring[GAUDI_RINGS];
};

void gaudi_door_ring(struct gaudi_door *d, uint32_t index, uint64_t ps);
/* Since when what leads to this index, the next one, has been known. */
uint64_t gaudi_door_known(struct gaudi_door *d, uint32_t index);

#endif /* GAUDI_TIMING_H */
