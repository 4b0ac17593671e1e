// SPDX-License-Identifier: MIT
/* What holds of every recipe, wherever it came from. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/base.h"
#include "recipe.h"

static int check_place(const struct gaudi_recipe *r,
		       const struct recipe_tensor *t)
{
	uint64_t size;

	if (t->kind < GAUDI_TENSOR_INPUT || t->kind > GAUDI_TENSOR_WORKSPACE)
		return gd_fail(GAUDI_ERR_RECIPE, "tensor '%s': kind %u is unknown",
			       t->name, t->kind);
	if (t->kind <= GAUDI_TENSOR_OUTPUT) {
		if (t->place > GAUDI_PLACE_HOST || t->offset)
			return gd_fail(GAUDI_ERR_RECIPE,
				       "tensor '%s': place %u, offset %#" PRIx64 " of what is bound",
				       t->name, t->place, t->offset);
		return 0;
	}

	size = t->kind == GAUDI_TENSOR_CONSTANT ? r->constants_size :
						  r->workspace_size;
	if (t->place != GAUDI_PLACE_DEVICE)
		return gd_fail(GAUDI_ERR_RECIPE, "tensor '%s': place %u of what is not bound",
			       t->name, t->place);
	if (t->offset % RECIPE_ALIGN || t->offset > size ||
	    t->bytes > size - t->offset)
		return gd_fail(GAUDI_ERR_RECIPE,
			       "tensor '%s': %" PRIu64 " bytes at %#" PRIx64 " of %#" PRIx64,
			       t->name, t->bytes, t->offset, size);
	return 0;
}

static int check_tensor(const struct gaudi_recipe *r,
			const struct recipe_tensor *t)
{
	uint64_t bytes;
	uint32_t i;
	int rc;

	rc = recipe_span(t->name, t, &bytes);
	if (rc)
		return rc;
	if (t->bytes != bytes)
		return gd_fail(GAUDI_ERR_RECIPE,
			       "tensor '%s': %" PRIu64 " bytes, by its shape %" PRIu64,
			       t->name, t->bytes, bytes);
	for (i = t->rank; i < GAUDI_MAX_RANK; i++)
		if (t->dims[i] || t->strides[i])
			return gd_fail(GAUDI_ERR_RECIPE, "tensor '%s': dim %u beyond rank %u",
				       t->name, i, t->rank);

	return check_place(r, t);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorts @names. */
static int check_names(const char *what, const char **names, uint32_t num)
{
	uint32_t i;

	for (i = 0; i < num; i++)
		if (!recipe_name_ok(names[i]))
			return gd_fail(GAUDI_ERR_RECIPE,
				       "%s %u: its name is empty, longer than %u bytes, not UTF-8 or has control characters",
				       what, i, GAUDI_MAX_NAME);
	if (num)
		qsort(names, num, sizeof(*names), compare_names);
	for (i = 1; i < num; i++)
		if (!strcmp(names[i - 1], names[i]))
			return gd_fail(GAUDI_ERR_RECIPE, "%s '%s' is there twice",
				       what, names[i]);
	return 0;
}

static int check_all_names(const struct gaudi_recipe *r)
{
	const char **names;
	uint32_t i;
	int rc;

	if (!recipe_name_ok(r->name))
		return gd_fail(GAUDI_ERR_RECIPE, "the recipe's name is empty, longer than %u bytes, not UTF-8 or has control characters",
			       GAUDI_MAX_NAME);
	names = calloc((size_t)r->num_tensors + r->num_events + 1,
		       sizeof(*names));
	if (!names)
		return gd_fail(-ENOMEM, "host memory for a check of %u names",
			       r->num_tensors);
	for (i = 0; i < r->num_tensors; i++)
		names[i] = r->tensors[i].name;
	rc = check_names("tensor", names, r->num_tensors);
	for (i = 0; i < r->num_events; i++)
		names[i] = r->events[i];
	if (!rc)
		rc = check_names("event", names, r->num_events);
	free(names);

	return rc;
}

static int check_program(const struct gaudi_recipe *r, const struct program *p)
{
	struct prog_buffer *buffers;
	uint32_t i;
	int rc;

	if (p->num_buffers != r->num_tensors || p->num_events != r->num_events)
		return gd_fail(GAUDI_ERR_RECIPE, "the program has %u tensors, the recipe %u",
			       p->num_buffers, r->num_tensors);
	buffers = calloc((size_t)r->num_tensors + 1, sizeof(*buffers));
	if (!buffers)
		return gd_fail(-ENOMEM, "host memory for a check of %u tensors",
			       r->num_tensors);
	for (i = 0; i < r->num_tensors; i++) {
		const struct recipe_tensor *t = &r->tensors[i];

		buffers[i].name = t->name;
		buffers[i].size = t->bytes;
		buffers[i].writable = t->kind == GAUDI_TENSOR_OUTPUT ||
				      t->kind == GAUDI_TENSOR_WORKSPACE;
	}
	rc = program_check(p, buffers);
	free(buffers);

	return rc;
}

int recipe_check(const struct gaudi_recipe *r)
{
	const struct gaudi_recipe *part;
	uint32_t i;
	int rc;

	if (r->num_tensors > RECIPE_MAX_TENSORS ||
	    r->num_events > RECIPE_MAX_EVENTS)
		return gd_fail(GAUDI_ERR_RECIPE, "%u tensors (limit %u), %u events (limit %u)",
			       r->num_tensors, RECIPE_MAX_TENSORS,
			       r->num_events, RECIPE_MAX_EVENTS);
	if (r->workspace_size > RECIPE_MAX_BYTES ||
	    r->constants_size > RECIPE_MAX_CONSTANTS)
		return gd_fail(GAUDI_ERR_RECIPE, "workspace of %" PRIu64 " bytes, constants of %" PRIu64,
			       r->workspace_size, r->constants_size);
	if (r->revision_min > r->revision_max)
		return gd_fail(GAUDI_ERR_RECIPE, "for card revisions from %u to %u",
			       r->revision_min, r->revision_max);
	rc = check_all_names(r);
	for (i = 0; !rc && i < r->num_tensors; i++)
		rc = check_tensor(r, &r->tensors[i]);

	if (!rc)
		rc = recipe_links_check(r);
	for (part = r; !rc && part; part = part->next)
		rc = check_program(r, &part->program);

	return rc;
}
