// SPDX-License-Identifier: MIT
/*
 * Where workspace tensors and constants lie.
 *
 * A workspace tensor needs memory from the first node that uses it to the last.
 * Tensors that are not needed at the same time may have the same bytes; largest
 * first, each takes the lowest place that is free for as long as it lives. That
 * the next owner's nodes run after the last owner's is the business of the
 * dependencies, which look at bytes of the workspace, not at tensors.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "builder.h"
#include "../base/base.h"

struct block {
	uint32_t tensor;
	uint32_t first, last;
	uint64_t begin, end;
};

static uint64_t align_up(uint64_t n)
{
	return (n + RECIPE_ALIGN - 1) & ~(uint64_t)(RECIPE_ALIGN - 1);
}

static int largest_first(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;

	return x->tensor < y->tensor ? -1 : 1;
}

/* The lowest place between those that live at that time; @placed: the lowest first. */
static uint64_t find_gap(const struct block *placed, size_t num,
			 const struct block *want)
{
	uint64_t size = want->end, place = 0;
	size_t i;

	for (i = 0; i < num; i++) {
		if (placed[i].first > want->last ||
		    want->first > placed[i].last)
			continue;
		if (place + size <= placed[i].begin)
			break;
		if (placed[i].end > place)
			place = placed[i].end;
	}

	return place;
}

static void insert(struct block *placed, size_t num, const struct block *new)
{
	size_t low = 0, high = num, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (placed[middle].begin <= new->begin)
			low = middle + 1;
		else
			high = middle;
	}
	memmove(&placed[low + 1], &placed[low], (num - low) * sizeof(*placed));
	placed[low] = *new;
}

static int plan_workspace(const struct gaudi_builder *b,
			  struct gaudi_recipe *r)
{
	struct block *blocks = calloc(b->num_tensors + 1, sizeof(*blocks));
	struct block *placed = calloc(b->num_tensors + 1, sizeof(*placed));
	size_t i, num = 0;
	int rc = 0;

	if (!blocks || !placed) {
		rc = gd_fail(-ENOMEM, "host memory for the workspace of '%s'",
			     b->name);
		goto out;
	}
	for (i = 0; i < b->num_tensors; i++) {
		const struct build_tensor *t = &b->tensors[i];

		if (t->t.kind != GAUDI_TENSOR_WORKSPACE)
			continue;
		/* One that no node uses still has an address. */
		blocks[num++] = (struct block) {
			.tensor = (uint32_t)i,
			.first = t->used.first == BUILD_NONE ? 0 : t->used.first,
			.last = t->used.last,
			.end = align_up(t->t.bytes),
		};
	}
	if (num)
		qsort(blocks, num, sizeof(*blocks), largest_first);
	for (i = 0; i < num; i++) {
		blocks[i].begin = find_gap(placed, i, &blocks[i]);
		blocks[i].end += blocks[i].begin;
		insert(placed, i, &blocks[i]);
		r->tensors[blocks[i].tensor].offset = blocks[i].begin;
		if (r->workspace_size < blocks[i].end)
			r->workspace_size = blocks[i].end;
		if (r->workspace_size > RECIPE_MAX_BYTES) {
			rc = gd_fail(-EOVERFLOW, "the workspace of '%s' has more than %llu bytes",
				     b->name, RECIPE_MAX_BYTES);
			break;
		}
	}
out:
	free(blocks);
	free(placed);

	return rc;
}

static int plan_constants(const struct gaudi_builder *b,
			  struct gaudi_recipe *r)
{
	uint64_t size = 0;
	size_t i;

	for (i = 0; i < b->num_tensors; i++) {
		if (b->tensors[i].t.kind != GAUDI_TENSOR_CONSTANT)
			continue;
		r->tensors[i].offset = size;
		size += align_up(b->tensors[i].t.bytes);
		if (size > RECIPE_MAX_CONSTANTS)
			return gd_fail(-EOVERFLOW, "the constants of '%s' have more than %llu bytes",
				       b->name, RECIPE_MAX_CONSTANTS);
	}
	if (!size)
		return 0;

	r->constants = calloc(1, size);
	if (!r->constants)
		return gd_fail(-ENOMEM, "host memory for %" PRIu64 " bytes of constants",
			       size);
	r->constants_size = size;
	for (i = 0; i < b->num_tensors; i++)
		if (b->tensors[i].data)
			memcpy(r->constants + r->tensors[i].offset,
			       b->tensors[i].data, b->tensors[i].t.bytes);
	return 0;
}

int build_plan(const struct gaudi_builder *b, struct gaudi_recipe *r)
{
	int rc = plan_workspace(b, r);

	return rc ? rc : plan_constants(b, r);
}
