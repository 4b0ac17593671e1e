/* SPDX-License-Identifier: MIT */
/* Work of links around the parts of a launch. */
#ifndef GAUDI_RUNTIME_LAUNCH_LINKS_H
#define GAUDI_RUNTIME_LAUNCH_LINKS_H

#include "launch.h"
#include "gaudi_link.h"

/* What a name of the recipe's is bound to. */
struct gd_bound_link {
	struct gaudi_link *link;	/* NULL: nothing */
	uint64_t to;
};

/* The waits and writes of one part. */
struct gd_link_plan {
	uint32_t part;
	uint32_t num_waits, num_writes;
	struct gaudi_link_op ops[];	/* waits, then writes */
};

/*
 * *@plan is the caller's to free(); NULL if the recipe has no such work in part @part. With what
 * is bound at this moment; GAUDI_ERR_BINDING: a link is not.
 */
int gd_link_plan_new(const struct gaudi_recipe *recipe, uint32_t part,
		     const struct gd_bound_link *bound,
		     struct gd_link_plan **plan);
/* Where tensors are; then all is checked, for @stream. @plan may be NULL, here and below. */
int gd_link_plan_place(struct gd_link_plan *plan,
		       const struct gaudi_recipe *recipe,
		       const struct gd_arg *args, struct gaudi_stream *stream);
int gd_link_plan_waits(const struct gd_link_plan *plan,
		       struct gaudi_stream *stream);
int gd_link_plan_writes(const struct gd_link_plan *plan,
			struct gaudi_stream *stream);

#endif /* GAUDI_RUNTIME_LAUNCH_LINKS_H */
