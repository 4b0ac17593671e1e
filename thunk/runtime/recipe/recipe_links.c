// SPDX-License-Identifier: MIT
/* Work of links of a recipe: as it is added, copied and checked. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gaudi_link.h"
#include "../base/array.h"
#include "../base/base.h"
#include "recipe.h"

#define MAX_PEER_ADDRESS	(1ull << 50)

static int no_memory(void)
{
	return gd_no_memory("for a recipe's work of links");
}

static int add_name(struct recipe_links *l, const char *name, uint32_t *link)
{
	for (*link = 0; *link < l->num_names; ++*link)
		if (!strcmp(l->names[*link], name))
			return 0;
	if (!gd_grow((void **)&l->names, l->num_names, &l->room_names,
		     sizeof(*l->names)))
		return no_memory();
	l->names[*link] = strdup(name);
	if (!l->names[*link])
		return no_memory();
	l->num_names++;

	return 0;
}

int recipe_links_add(struct recipe_links *l, const char *name,
		     const struct recipe_link_op *op)
{
	uint32_t link;
	int rc;

	if (l->num_ops == RECIPE_MAX_LINK_OPS)
		return gd_fail(-EOVERFLOW, "more than %u waits and writes of links",
			       RECIPE_MAX_LINK_OPS);
	if (!gd_grow((void **)&l->ops, l->num_ops, &l->room_ops,
		     sizeof(*l->ops)))
		return no_memory();
	rc = add_name(l, name, &link);
	if (rc)
		return rc;
	l->ops[l->num_ops] = *op;
	l->ops[l->num_ops++].link = link;

	return 0;
}

int recipe_links_copy(struct recipe_links *to, const struct recipe_links *from)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < from->num_ops; i++)
		rc = recipe_links_add(to, from->names[from->ops[i].link],
				      &from->ops[i]);

	return rc;
}

void recipe_links_free(struct recipe_links *l)
{
	for (uint32_t i = 0; i < l->num_names; i++)
		free(l->names[i]);
	free(l->names);
	free(l->ops);
	memset(l, 0, sizeof(*l));
}

const char *recipe_link_op_problem(const struct recipe_link_op *op,
				   const struct recipe_tensor *from)
{
	if (op->kind == GAUDI_LINK_WAIT)
		return !op->count || op->count > GAUDI_LINK_MAX_AHEAD ?
			       "a wait for no notification, or for too many" :
		       op->flags || op->tensor || op->offset || op->bytes ||
				       op->to_offset ? "a wait with data" : NULL;
	if (op->kind != GAUDI_LINK_WRITE)
		return "its kind is unknown";
	if (op->count || op->flags & ~GAUDI_LINK_NOTIFY)
		return "a write with a count, or with unknown flags";
	if (from->kind > GAUDI_TENSOR_OUTPUT || from->place != GAUDI_PLACE_DEVICE)
		return "a write of what is no input or output on the device";
	if (op->offset > from->bytes || op->bytes > from->bytes - op->offset)
		return "a write of more than the tensor has";
	if (op->to_offset > MAX_PEER_ADDRESS)
		return "a write beyond all addresses";

	return NULL;
}

int recipe_links_check(const struct gaudi_recipe *r)
{
	for (uint32_t i = 0; i < r->links.num_names; i++)
		if (!recipe_name_ok(r->links.names[i]))
			return gd_fail(GAUDI_ERR_RECIPE, "link %u: its name is none",
				       i);
	for (uint32_t i = 0; i < r->links.num_ops; i++) {
		const struct recipe_link_op *op = &r->links.ops[i];
		const char *problem = "there is no such tensor";

		if (op->kind == GAUDI_LINK_WAIT)
			problem = recipe_link_op_problem(op, NULL);
		else if (op->tensor < r->num_tensors)
			problem = recipe_link_op_problem(op, &r->tensors[op->tensor]);
		if (op->part >= recipe_count_parts(r))
			problem = "there is no such part";
		if (problem)
			return gd_fail(GAUDI_ERR_RECIPE, "work %u of links: %s",
				       i, problem);
	}

	return 0;
}
