// SPDX-License-Identifier: MIT
/*
 * Tensors of a builder, which are found by their names; and what is undone of them
 * if something that was begun fails.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/array.h"
#include "builder.h"
#include "../base/base.h"
#include "../base/sized.h"

#define MIN_NAMES	64u

/* --- names ------------------------------------------------------------ */

/* Heads of lists, the tensor that was added last first. */
static uint32_t *list_of(const struct gaudi_builder *b, const char *name)
{
	return &b->names[gd_hash(name, strlen(name)) & (b->num_names - 1)];
}

static void add_name(struct gaudi_builder *b, uint32_t tensor)
{
	uint32_t *head = list_of(b, b->tensors[tensor].t.name);

	b->tensors[tensor].next = *head;
	*head = tensor;
}

/* As many lists as tensors, at least, so that each has few. */
static bool grow_names(struct gaudi_builder *b)
{
	size_t more = b->num_names ? 2 * b->num_names : MIN_NAMES;
	uint32_t *names, i;

	if (b->num_tensors < b->num_names)
		return true;
	names = malloc(more * sizeof(*names));
	if (!names)
		return false;
	memset(names, 0xff, more * sizeof(*names));
	free(b->names);
	b->names = names;
	b->num_names = more;
	for (i = 0; i < b->num_tensors; i++)
		add_name(b, i);

	return true;
}

uint32_t build_find_tensor(const struct gaudi_builder *b, const char *name)
{
	uint32_t i;

	if (!b->num_names)
		return BUILD_NONE;
	for (i = *list_of(b, name); i != BUILD_NONE; i = b->tensors[i].next)
		if (!strcmp(b->tensors[i].t.name, name))
			break;

	return i;
}

void build_drop_tensor(struct gaudi_builder *b)
{
	struct build_tensor *bt = &b->tensors[--b->num_tensors];

	*list_of(b, bt->t.name) = bt->next;
	free(bt->t.name);
	free(bt->data);
}

void build_note_use(struct gaudi_builder *b, uint32_t tensor, uint32_t node,
		    bool writes)
{
	struct build_used *used = &b->tensors[tensor].used;

	if (used->first == BUILD_NONE)
		used->first = node;
	used->last = node;
	used->writes += writes;
}

/* --- tensors ---------------------------------------------------------- */

static void dense_strides(struct recipe_tensor *t)
{
	uint64_t step = gaudi_type_size(t->type);
	uint32_t i;

	/* What overflows here is too large for recipe_span() before that. */
	for (i = t->rank; i-- > 0;) {
		t->strides[i] = step;
		if (__builtin_mul_overflow(step, t->dims[i], &step))
			step = UINT64_MAX;
	}
}

static int check_tensor(const struct gaudi_builder *b,
			const struct gaudi_tensor_desc *d)
{
	if (!recipe_name_ok(d->name))
		return gd_fail(-EINVAL, "a tensor's name is UTF-8 of 1 to %u bytes without control characters",
			       GAUDI_MAX_NAME);
	if (build_find_tensor(b, d->name) != BUILD_NONE)
		return gd_fail(-EEXIST, "a second tensor '%s'", d->name);
	if (b->num_tensors == RECIPE_MAX_TENSORS)
		return gd_fail(-EOVERFLOW, "tensor '%s': more than %u", d->name,
			       RECIPE_MAX_TENSORS);
	if (d->kind < GAUDI_TENSOR_INPUT || d->kind > GAUDI_TENSOR_WORKSPACE)
		return gd_fail(-EINVAL, "tensor '%s': kind %u is unknown",
			       d->name, d->kind);
	if (d->place > GAUDI_PLACE_HOST ||
	    (d->place && d->kind > GAUDI_TENSOR_OUTPUT))
		return gd_fail(-EINVAL, "tensor '%s': place %u is unknown, or not for kind %u",
			       d->name, d->place, d->kind);
	if (d->rank > GAUDI_MAX_RANK)
		return gd_fail(-EINVAL, "tensor '%s': rank %u of at most %u",
			       d->name, d->rank, GAUDI_MAX_RANK);
	if ((d->num_strides && d->num_strides != d->rank) || d->reserved)
		return gd_fail(-EINVAL, "tensor '%s': %u strides for rank %u, or %u in its reserved field",
			       d->name, d->num_strides, d->rank, d->reserved);
	if ((d->kind == GAUDI_TENSOR_CONSTANT) != !!d->data)
		return gd_fail(-EINVAL, "tensor '%s': constants have data, others do not",
			       d->name);
	return 0;
}

/* Without a count, as when there was none: all 0 are none. */
static bool has_strides(const struct gaudi_tensor_desc *d)
{
	uint32_t i;

	for (i = 0; i < d->rank; i++)
		if (d->strides[i])
			return true;

	return d->num_strides;
}

static int copy_tensor(struct gaudi_builder *b, struct build_tensor *bt,
		       const struct gaudi_tensor_desc *d)
{
	int rc;

	bt->t.kind = d->kind;
	bt->t.type = d->type;
	bt->t.place = d->place;
	bt->t.rank = d->rank;
	memcpy(bt->t.dims, d->dims, d->rank * sizeof(d->dims[0]));
	memcpy(bt->t.strides, d->strides, d->rank * sizeof(d->strides[0]));
	bt->used.first = BUILD_NONE;
	if (!has_strides(d))
		dense_strides(&bt->t);
	rc = recipe_span(d->name, &bt->t, &bt->t.bytes);
	if (rc)
		return gd_fail(-EINVAL, "tensor '%s': its type, a dim or a stride is none, or it has more than %llu bytes",
			       d->name, RECIPE_MAX_BYTES);
	bt->t.name = strdup(d->name);
	if (!bt->t.name)
		return gd_no_memory("for builder '%s'", b->name);
	if (!d->data)
		return 0;

	if (bt->t.bytes > RECIPE_MAX_CONSTANTS)
		return gd_fail(-EOVERFLOW, "tensor '%s': a constant of %" PRIu64 " bytes, at most %llu",
			       d->name, bt->t.bytes, RECIPE_MAX_CONSTANTS);
	bt->data = malloc(bt->t.bytes);
	if (!bt->data)
		return gd_no_memory("for builder '%s'", b->name);
	memcpy(bt->data, d->data, bt->t.bytes);

	return 0;
}

int gaudi_builder_add_tensor(struct gaudi_builder *b,
			     const struct gaudi_tensor_desc *desc,
			     uint32_t *tensor)
{
	struct gaudi_tensor_desc d = {};
	struct build_tensor bt = {};
	int rc;

	if (!b || !tensor)
		return gd_fail(-EINVAL, "no builder, or no place for the tensor's number");
	rc = gd_sized_get(&d, sizeof(d), desc, sizeof(d.size),
			  "gaudi_tensor_desc");
	if (!rc)
		rc = check_tensor(b, &d);
	if (rc)
		return rc;
	if (!gd_grow((void **)&b->tensors, b->num_tensors, &b->room_tensors,
		     sizeof(*b->tensors)) || !grow_names(b))
		return gd_no_memory("for builder '%s'", b->name);
	rc = copy_tensor(b, &bt, &d);
	if (rc) {
		free(bt.t.name);
		free(bt.data);
		return rc;
	}
	*tensor = (uint32_t)b->num_tensors;
	b->tensors[b->num_tensors++] = bt;
	add_name(b, *tensor);

	return 0;
}
