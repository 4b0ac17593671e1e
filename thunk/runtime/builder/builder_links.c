// SPDX-License-Identifier: MIT
/* What a recipe does with links, before and after the nodes of each part. */
#include <errno.h>

#include "gaudi_link.h"
#include "../base/base.h"
#include "builder.h"

static int add(struct gaudi_builder *b, const char *link,
	       const struct recipe_link_op *op)
{
	const struct recipe_tensor *from = op->kind == GAUDI_LINK_WRITE ?
					   &b->tensors[op->tensor].t : NULL;
	struct recipe_link_op mine = *op;
	const char *problem;

	if (!recipe_name_ok(link))
		return gd_fail(-EINVAL, "a link's name is UTF-8 of 1 to %u bytes without control characters",
			       GAUDI_MAX_NAME);
	problem = recipe_link_op_problem(op, from);
	if (problem)
		return gd_fail(-EINVAL, "builder '%s', link '%s': %s", b->name,
			       link, problem);

	mine.part = b->num_parts;

	return recipe_links_add(&b->links, link, &mine);
}

int gaudi_builder_begin_part(struct gaudi_builder *b)
{
	if (!b)
		return gd_fail(-EINVAL, "no builder");
	if (b->num_parts + 1 == RECIPE_MAX_PARTS)
		return gd_fail(-EOVERFLOW, "builder '%s': more than %u parts",
			       b->name, RECIPE_MAX_PARTS);
	b->part_end[b->num_parts++] = b->num_nodes;

	return 0;
}

int gaudi_builder_add_link_wait(struct gaudi_builder *b, const char *link,
				uint32_t count)
{
	const struct recipe_link_op op = {
		.kind = GAUDI_LINK_WAIT,
		.count = count,
	};

	return b ? add(b, link, &op) : gd_fail(-EINVAL, "no builder");
}

int gaudi_builder_add_link_write(struct gaudi_builder *b, const char *link,
				 uint64_t to_offset, uint32_t from,
				 uint64_t from_offset, uint64_t size,
				 uint32_t flags)
{
	const struct recipe_link_op op = {
		.kind = GAUDI_LINK_WRITE,
		.flags = flags,
		.tensor = from,
		.offset = from_offset,
		.to_offset = to_offset,
		.bytes = size,
	};
	int rc = build_check_tensor(b, from);

	return rc ? rc : add(b, link, &op);
}
