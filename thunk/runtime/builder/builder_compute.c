// SPDX-License-Identifier: MIT
/* What nodes of matrix engines and of TPCs have in common. */
#include <errno.h>
#include <stdlib.h>

#include "../base/array.h"
#include "builder.h"
#include "../base/base.h"

void build_compute_free(struct build_compute *c)
{
	uint32_t i;

	if (!c)
		return;
	for (i = 0; i < c->num_parts; i++)
		free(c->parts[i].launches);
	free(c);
}

struct prog_launch *build_add_launch(struct build_part *p)
{
	struct prog_launch *l;

	if (!gd_grow((void **)&p->launches, p->num, &p->room,
		     sizeof(*p->launches)))
		return NULL;
	l = &p->launches[p->num++];
	*l = (struct prog_launch) {};

	return l;
}

int build_add_compute(struct gaudi_builder *b, struct build_compute *c,
		      uint32_t *node)
{
	uint32_t number = (uint32_t)b->num_nodes, i;

	if (number == BUILDER_MAX_NODES ||
	    !gd_grow((void **)&b->nodes, b->num_nodes, &b->room_nodes,
		     sizeof(*b->nodes))) {
		build_compute_free(c);
		return number == BUILDER_MAX_NODES ?
		       gd_fail(-EOVERFLOW, "builder '%s': more than %u nodes",
			       b->name, BUILDER_MAX_NODES) :
		       gd_no_memory("for builder '%s'", b->name);
	}
	for (i = 0; i < c->num_uses; i++)
		build_note_use(b, c->uses[i].tensor, number, c->uses[i].write);
	b->nodes[b->num_nodes++] = (struct build_node) {
		.kind = BUILD_COMPUTE,
		.compute = c,
	};
	if (node)
		*node = number;

	return 0;
}
