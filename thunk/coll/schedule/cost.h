/* SPDX-License-Identifier: MIT */
/*
 * What a collective costs: its schedule, executed on clocks (cost.c) by the constants of a
 * machine (costs.c).
 */
#ifndef GAUDI_COLL_COST_H
#define GAUDI_COLL_COST_H

#include <stdbool.h>

#include "schedule.h"

/*
 * Constants: whole numbers, so that all ranks come to the same. Times are of one card that
 * works alone; cards of a real box do not slow each other down, those of one machine's
 * processors do.
 */
struct coll_costs {
	uint32_t exchange_ns;		/* in which each peer gets an empty write */
	uint32_t write_ns;		/* for each peer of it */
	uint32_t link_ps;		/* a byte, over a link alone */
	uint32_t card_ps;		/* a byte, over all links at once */
	uint32_t copy_ns, copy_ps;	/* a copy on the card; a byte of it */
	uint32_t reduce_ns, reduce_ps;	/* a reduction; a byte of an operand */
	/* A hundred times the cards that this many can have for the price of one. */
	uint32_t posts_together;	/* what is counted in ns */
	uint32_t bytes_together;	/* and in ps */
	uint32_t far_ns, far_ps;	/* more, to a rank of another box */
};

/* Of the usual emulated box; see Documentation/collectives.rst. */
extern const struct coll_costs coll_costs_usual;

/* Nanoseconds of @call with elements of @size bytes; UINT64_MAX: it has no schedule. */
uint64_t coll_cost(const struct coll_call *call, uint32_t size,
		   const struct coll_costs *costs);

/* What happens when, as long as ranks share nothing. */
struct coll_event {
	enum coll_action_kind kind;	/* not RECEIVE */
	uint32_t rank, peer;		/* SEND: to @peer */
	uint64_t bytes;			/* of a result, if it is a reduction */
	uint64_t begin_ps, end_ps;
};

typedef void (*coll_event_fn)(void *arg, const struct coll_event *event);

/* Of the first pass; -EINVAL: there is no schedule, -ENOMEM. */
int coll_cost_events(const struct coll_call *call, uint32_t size,
		     const struct coll_costs *costs, coll_event_fn fn, void *arg);

/* All of them, in their order: a name, and where it is. */
#define COLL_COSTS	12u
const char *coll_cost_name(unsigned int i);
uint32_t *coll_cost_value(struct coll_costs *costs, unsigned int i);
/* -ENOENT: there is no such file; -EINVAL: it has something else. With a message. */
int coll_costs_read(const char *path, struct coll_costs *costs);
/* Whole, or not at all. */
int coll_costs_write(const char *path, const struct coll_costs *costs);

#endif /* GAUDI_COLL_COST_H */
