/* SPDX-License-Identifier: MIT */
#ifndef TOOLS_GAUDI_COLL_H
#define TOOLS_GAUDI_COLL_H

#include "coll/schedule/cost.h"
#include "data.h"

#define MAX_RESULTS	512

struct settings {
	int ranks;			/* 0: all cards */
	uint64_t first, last;		/* bytes */
	int iterations;
	uint32_t shapes;		/* bits of enum shape */
	hcclDataType_t type;
	int json, check;
	int unchecked;			/* bench: data are not looked at */
	uint32_t boxes[COLL_MAX_RANKS];	/* explain: ranks of each box, if there are several; */
	uint32_t num_boxes;		/* one: of all of them */
	const char *svg;		/* a picture, or NULL */
};

/* Of a size, by rank 0. */
struct result {
	int32_t shape;
	int32_t wrong;			/* ranks with wrong data */
	uint64_t bytes, count;
	double seconds;			/* of one call */
};

const char *shape_name(unsigned int shape);
const char *type_name(hcclDataType_t type);
/*
 * A process for each rank, of which 0 tells what was measured. The number of results;
 * -1: a rank has failed, and has said why.
 */
int run_ranks(const struct settings *s, struct result *results);
/* How many cards there are. */
int count_cards(void);
/* What each rank does in a collective, in words. 0 or -1. */
int explain(const struct settings *s, int ranks);

/* A picture of the first pass, into a file: who sends what to whom, when. 0 or -1. */
int draw_schedule(const struct coll_call *call, uint32_t size,
		  const struct coll_costs *costs, const char *path);
/* Bandwidths by sizes, a curve for each collective. 0 or -1. */
int draw_results(const struct settings *s, const struct result *results, int num,
		 const char *path);
/* Of the bytes that a wire carries in the direct algorithm, as nccl-tests define it. */
double bus_factor(int shape, int ranks);

#endif /* TOOLS_GAUDI_COLL_H */
