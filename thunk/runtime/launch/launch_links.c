// SPDX-License-Identifier: MIT
/*
 * Work of links that a recipe has around the program of a part: waits before it, writes behind
 * it, as pieces of work of the same stream. What it has in the links' queues is so known when it is
 * given to them, as it has to be, and a stream that is captured has nodes of it.
 */
#include <errno.h>
#include <stdlib.h>

#include "launch_links.h"
#include "../link/link.h"
#include "../recipe/recipe.h"

/* Waits first; both in the recipe's order, in which tensors are placed, too. */
static int add(struct gd_link_plan *plan, const struct gaudi_recipe *r,
	       const struct gd_bound_link *bound, uint32_t kind)
{
	for (uint32_t i = 0; i < r->links.num_ops; i++) {
		const struct recipe_link_op *op = &r->links.ops[i];

		if (op->part != plan->part || op->kind != kind)
			continue;
		if (!bound[op->link].link)
			return gd_fail(GAUDI_ERR_BINDING, "link '%s' of '%s' is not bound",
				       r->links.names[op->link], r->name);
		plan->ops[plan->num_waits + plan->num_writes] =
			(struct gaudi_link_op) {
			.link = bound[op->link].link,
			.kind = kind,
			.flags = op->flags,
			.to = kind == GAUDI_LINK_WRITE ?
			      bound[op->link].to + op->to_offset : 0,
			.bytes = op->bytes,
			.count = op->count,
		};
		*(kind == GAUDI_LINK_WAIT ? &plan->num_waits :
					    &plan->num_writes) += 1;
	}

	return 0;
}

int gd_link_plan_new(const struct gaudi_recipe *r, uint32_t part,
		     const struct gd_bound_link *bound,
		     struct gd_link_plan **out)
{
	struct gd_link_plan *plan;
	uint32_t num = 0;
	int rc;

	*out = NULL;
	for (uint32_t i = 0; i < r->links.num_ops; i++)
		num += r->links.ops[i].part == part;
	if (!num)
		return 0;
	plan = calloc(1, sizeof(*plan) + num * sizeof(plan->ops[0]));
	if (!plan)
		return gd_no_memory("for work of links of '%s'", r->name);
	plan->part = part;
	rc = add(plan, r, bound, GAUDI_LINK_WAIT);
	if (!rc)
		rc = add(plan, r, bound, GAUDI_LINK_WRITE);
	if (rc)
		free(plan);
	else
		*out = plan;

	return rc;
}

int gd_link_plan_place(struct gd_link_plan *plan, const struct gaudi_recipe *r,
		       const struct gd_arg *args, struct gaudi_stream *stream)
{
	struct gaudi_link_op *write;

	if (!plan)
		return 0;
	write = plan->ops + plan->num_waits;
	for (uint32_t i = 0; i < r->links.num_ops; i++) {
		const struct recipe_link_op *op = &r->links.ops[i];

		if (op->part != plan->part || op->kind != GAUDI_LINK_WRITE)
			continue;
		if (!args[op->tensor].address)
			return gd_fail(GAUDI_ERR_BINDING, "tensor '%s' of '%s' is not bound",
				       r->tensors[op->tensor].name, r->name);
		write++->from = args[op->tensor].address + op->offset;
	}

	return gd_link_may_post(stream, plan->ops,
				plan->num_waits + plan->num_writes);
}

int gd_link_plan_waits(const struct gd_link_plan *plan,
		       struct gaudi_stream *stream)
{
	return plan ? gaudi_link_post_async(stream, plan->ops,
					    plan->num_waits) : 0;
}

int gd_link_plan_writes(const struct gd_link_plan *plan,
			struct gaudi_stream *stream)
{
	return plan ? gaudi_link_post_async(stream, plan->ops + plan->num_waits,
					    plan->num_writes) : 0;
}
