/* SPDX-License-Identifier: MIT */
/* Settings of the environment, and which algorithm is taken for a call. */
#ifndef GAUDI_COLL_SETTINGS_H
#define GAUDI_COLL_SETTINGS_H

#include <stdint.h>

#include "cost.h"
#include "gaudi.h"
#include "schedule.h"
#include "../base/types.h"

#define COLL_TIMEOUT_MS		30000
#define COLL_STEP_MS		120000

struct coll_settings {
	uint32_t row_bytes;		/* of staging memory: what a peer sends at once */
	/* Allreduce in one exchange up to so many; UINT32_MAX: where it costs less. */
	uint32_t small_bytes;
	int timeout_ms;			/* of a collective that has begun */
	int init_ms;			/* of each step until all ranks have met */
	int algorithm;			/* enum coll_algorithm, -1: what costs least */
	/* Ranks of each box; 0: there is one, or they differ, and these are their first ones. */
	uint32_t box;
	uint32_t boxes;
	uint32_t firsts[COLL_MAX_RANKS];
	struct coll_costs costs;	/* rank 0's, when all have met */
	bool measure;			/* them, when all have met */
	char tune_path[256];		/* where they are written then; "": nowhere */
};

/* A collective as it is called. */
struct coll_op {
	enum coll_kind kind;
	hcclDataType_t type;
	hcclRedOp_t op;			/* of those that reduce */
	uint32_t root;
	uint64_t count;			/* as struct coll_call's */
	gaudi_ptr send, recv;
	const char *name;		/* of the call, for a profile; NULL: the kind's */
};

/* As the environment says; -EINVAL names the variable. */
int coll_settings_read(struct coll_settings *settings);
/* @init_ms alone; as if it were not given, if it is none. */
int coll_init_ms(void);
/*
 * Nanoseconds of @call, whose algorithm is given, in one exchange or in two, which @call says
 * then. UINT64_MAX: there is no such schedule.
 */
uint64_t coll_cheapest(struct coll_call *call, const struct coll_settings *settings,
		       uint32_t size);
/*
 * How many ranks each box has, in order; ranks are numbered by box. One box, if @num is not 2
 * or more.
 */
void coll_settings_boxes(struct coll_settings *settings, const uint32_t *sizes,
			 uint32_t num);
/*
 * @op as rank 0's call, with the algorithm that is taken for it. What boxes there are it reads
 * in @settings, as long as it is used.
 */
struct coll_call coll_choose(const struct coll_settings *settings,
			     uint32_t ranks, const struct coll_op *op);

#endif /* GAUDI_COLL_SETTINGS_H */
