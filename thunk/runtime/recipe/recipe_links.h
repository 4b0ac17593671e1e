/* SPDX-License-Identifier: MIT */
/*
 * Work of links that a recipe has: waits, which come before the nodes of their part of it, and
 * writes, which come after them. Each names its link, which is bound at launch.
 */
#ifndef GAUDI_RUNTIME_RECIPE_LINKS_H
#define GAUDI_RUNTIME_RECIPE_LINKS_H

#include <stddef.h>
#include <stdint.h>

#define RECIPE_MAX_LINK_OPS	256u

struct gaudi_recipe;

/* Numbers of the file format; those of enum gaudi_link_op_kind. */
struct recipe_link_op {
	uint32_t link;		/* of the names */
	uint32_t part;		/* of the recipe */
	uint32_t kind;
	uint32_t flags;
	uint32_t count;		/* WAIT: notifications */
	uint32_t tensor;	/* WRITE, as all that follows: what is read */
	uint64_t offset;	/* in it */
	uint64_t to_offset;	/* from the address on that is bound with the link */
	uint64_t bytes;
};

struct recipe_links {
	char **names;		/* in the order of their first use */
	uint32_t num_names;
	size_t room_names;
	struct recipe_link_op *ops;
	uint32_t num_ops;
	size_t room_ops;
};

/* One more, of the link of this name. -EOVERFLOW, -ENOMEM, and it is as before. */
int recipe_links_add(struct recipe_links *links, const char *name,
		     const struct recipe_link_op *op);
int recipe_links_copy(struct recipe_links *to, const struct recipe_links *from);
void recipe_links_free(struct recipe_links *links);
/* GAUDI_ERR_RECIPE with a message: a name, or an op, makes no sense. */
int recipe_links_check(const struct gaudi_recipe *r);
/* NULL: it makes sense for a recipe with these tensors; else what is wrong. */
struct recipe_tensor;
const char *recipe_link_op_problem(const struct recipe_link_op *op,
				   const struct recipe_tensor *from);

#endif /* GAUDI_RUNTIME_RECIPE_LINKS_H */
