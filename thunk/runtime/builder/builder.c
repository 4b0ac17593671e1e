// SPDX-License-Identifier: MIT
/*
 * Builders: tensors and nodes as they come. All nodes are brought into one form,
 * rows of bytes at the steps of some loops, and checked against their tensors at
 * once, so that an error belongs to the call that made it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/array.h"
#include "builder.h"
#include "../base/base.h"
#include "../base/sized.h"

/* Parts of the library do without the kernels. */
#pragma weak build_copy_by_kernel

#define SCATTERED_ROWS	1024u
#define SCATTERED_BYTES	256u

int gaudi_builder_create(const char *name, struct gaudi_builder **builder)
{
	struct gaudi_builder *b;

	if (!builder || !recipe_name_ok(name))
		return gd_fail(-EINVAL, "a recipe's name is UTF-8 of 1 to %u bytes without control characters",
			       GAUDI_MAX_NAME);
	b = calloc(1, sizeof(*b));
	if (!b)
		return gd_fail(-ENOMEM, "host memory for builder '%s'", name);
	b->name = strdup(name);
	if (!b->name) {
		free(b);
		return gd_fail(-ENOMEM, "host memory for builder '%s'", name);
	}
	*builder = b;

	return 0;
}

int gaudi_builder_destroy(struct gaudi_builder *b)
{
	size_t i;

	if (!b)
		return 0;
	while (b->num_tensors)
		build_drop_tensor(b);
	for (i = 0; i < b->num_events; i++)
		free(b->events[i]);
	for (i = 0; i < b->num_nodes; i++)
		build_compute_free(b->nodes[i].compute);
	free(b->tensors);
	free(b->names);
	free(b->nodes);
	free(b->events);
	free(b->orders);
	recipe_links_free(&b->links);
	free(b->name);
	free(b);

	return 0;
}

/* --- nodes ------------------------------------------------------------ */

static int check_index(const struct gaudi_builder *b, uint32_t tensor)
{
	if (!b)
		return gd_fail(-EINVAL, "no builder");
	if (tensor >= b->num_tensors)
		return gd_fail(-EINVAL, "builder '%s': tensor %u of %zu",
			       b->name, tensor, b->num_tensors);
	return 0;
}

/* From the first to behind the last byte; false: beyond the tensor. */
static bool extent(const struct gaudi_builder *b, const struct build_node *n,
		   const struct build_region *r, uint64_t *end)
{
	uint64_t step;
	uint32_t i;

	if (__builtin_add_overflow(r->offset, n->width, end))
		return false;
	for (i = 0; i < n->rank; i++)
		if (__builtin_mul_overflow(n->dims[i] - 1, r->strides[i],
					   &step) ||
		    __builtin_add_overflow(*end, step, end))
			return false;

	return *end <= b->tensors[r->tensor].t.bytes;
}

static int read_only(const struct recipe_tensor *t)
{
	return gd_fail(-EINVAL, "tensor '%s' is an input or a constant: it cannot be written",
		       t->name);
}

/* Is each step, from the shortest on, beyond all that the shorter ones reach? */
static bool is_nested(const struct build_node *n)
{
	uint64_t reach = n->width;
	uint32_t done = 0, next, i;

	for (;;) {
		next = n->rank;
		for (i = 0; i < n->rank; i++)
			if (!(done & 1u << i) && n->dims[i] > 1 &&
			    (next == n->rank ||
			     n->to.strides[i] < n->to.strides[next]))
				next = i;
		if (next == n->rank)
			return true;
		if (n->to.strides[next] < reach)
			return false;
		reach += (n->dims[next] - 1) * n->to.strides[next];
		done |= 1u << next;
	}
}

static int compare_offsets(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* No byte is written twice; @rows were counted, and all lie within the tensor. */
static int check_apart(const struct recipe_tensor *to,
		       const struct build_node *n, uint64_t rows)
{
	uint64_t *at, i, rest;
	uint32_t j;
	int rc = 0;

	if (is_nested(n))
		return 0;
	at = calloc(rows, sizeof(*at));
	if (!at)
		return gd_fail(-ENOMEM, "no memory for %" PRIu64 " rows of a node",
			       rows);
	for (i = 0; i < rows; i++)
		for (rest = i, j = 0; j < n->rank; rest /= n->dims[j++])
			at[i] += rest % n->dims[j] * n->to.strides[j];
	qsort(at, rows, sizeof(*at), compare_offsets);
	for (i = 1; !rc && i < rows; i++)
		if (at[i] - at[i - 1] < n->width)
			rc = gd_fail(-EINVAL, "writing tensor '%s', whose strides let elements overlap: at %" PRIu64 " and %" PRIu64 " stand %" PRIu64 " bytes each",
				     to->name, at[i - 1], at[i], n->width);
	free(at);

	return rc;
}

static int check_regions(const struct gaudi_builder *b,
			 const struct build_node *n)
{
	const struct build_tensor *to = &b->tensors[n->to.tensor];
	const struct build_tensor *from = &b->tensors[n->from.tensor];
	uint64_t to_end, from_end, rows = 1;
	uint32_t i;
	int rc;

	if (to->t.kind == GAUDI_TENSOR_INPUT ||
	    to->t.kind == GAUDI_TENSOR_CONSTANT)
		return read_only(&to->t);
	if (!extent(b, n, &n->to, &to_end))
		return gd_fail(-EINVAL, "writing tensor '%s' at %" PRIu64 " goes beyond its %" PRIu64 " bytes",
			       to->t.name, n->to.offset, to->t.bytes);
	for (i = 0; i < n->rank; i++)
		if (__builtin_mul_overflow(rows, n->dims[i], &rows) ||
		    rows > BUILDER_MAX_ROWS)
			return gd_fail(-EOVERFLOW, "writing tensor '%s' in more than %llu rows",
				       to->t.name, BUILDER_MAX_ROWS);
	rc = check_apart(&to->t, n, rows);
	if (rc)
		return rc;
	if (n->kind == BUILD_FILL)
		return 0;

	if (!extent(b, n, &n->from, &from_end))
		return gd_fail(-EINVAL, "reading tensor '%s' at %" PRIu64 " goes beyond its %" PRIu64 " bytes",
			       from->t.name, n->from.offset, from->t.bytes);
	if (to == from && n->to.offset < from_end && n->from.offset < to_end)
		return gd_fail(-EINVAL, "a copy within tensor '%s' to where it reads",
			       to->t.name);
	return 0;
}

static int add_node(struct gaudi_builder *b, const struct build_node *n,
		    uint32_t *node)
{
	uint32_t number = (uint32_t)b->num_nodes;

	if (number == BUILDER_MAX_NODES)
		return gd_fail(-EOVERFLOW, "builder '%s': more than %u nodes",
			       b->name, BUILDER_MAX_NODES);
	if (!gd_grow((void **)&b->nodes, b->num_nodes, &b->room_nodes,
		     sizeof(*b->nodes)))
		return gd_no_memory("for builder '%s'", b->name);
	build_note_use(b, n->to.tensor, number, n->kind != BUILD_SIGNAL);
	if (n->kind == BUILD_COPY)
		build_note_use(b, n->from.tensor, number, false);
	b->nodes[b->num_nodes++] = *n;
	if (node)
		*node = number;

	return 0;
}

/* Loops of one step go, and inner ones whose rows lie one after the other. */
static void simplify(struct build_node *n)
{
	uint32_t i, kept = 0;

	for (i = 0; i < n->rank; i++) {
		if (n->dims[i] == 1)
			continue;
		n->dims[kept] = n->dims[i];
		n->to.strides[kept] = n->to.strides[i];
		n->from.strides[kept++] = n->from.strides[i];
	}
	n->rank = kept;
	while (n->rank && n->to.strides[n->rank - 1] == n->width &&
	       (n->kind == BUILD_FILL ||
		n->from.strides[n->rank - 1] == n->width))
		n->width *= n->dims[--n->rank];
}

static int check_equal(const struct recipe_tensor *to,
		       const struct recipe_tensor *from)
{
	uint32_t i;

	if (gaudi_type_size(to->type) != gaudi_type_size(from->type))
		return gd_fail(-EINVAL, "copy of '%s' (%s) to '%s' (%s)",
			       from->name, gaudi_type_name(from->type),
			       to->name, gaudi_type_name(to->type));
	if (to->rank != from->rank)
		return gd_fail(-EINVAL, "copy of '%s' (rank %u) to '%s' (rank %u)",
			       from->name, from->rank, to->name, to->rank);
	for (i = 0; i < to->rank; i++)
		if (to->dims[i] != from->dims[i])
			return gd_fail(-EINVAL, "copy of '%s' to '%s': dim %u is %" PRIu64 " and %" PRIu64,
				       from->name, to->name, i, from->dims[i],
				       to->dims[i]);
	return 0;
}

static int check_steps(const struct recipe_tensor *to)
{
	uint32_t i;

	for (i = 0; i < to->rank; i++)
		if (!to->strides[i] && to->dims[i] > 1)
			return gd_fail(-EINVAL, "writing tensor '%s', whose stride %u is 0",
				       to->name, i);
	return 0;
}

int build_check_tensor(const struct gaudi_builder *b, uint32_t tensor)
{
	return check_index(b, tensor);
}

int build_check_written(const struct gaudi_builder *b, uint32_t tensor)
{
	const struct recipe_tensor *t = &b->tensors[tensor].t;

	if (t->kind == GAUDI_TENSOR_INPUT || t->kind == GAUDI_TENSOR_CONSTANT)
		return read_only(t);

	return check_steps(t);
}

/* Many short rows, each of which would be a packet of a DMA engine. */
static bool is_scattered(const struct build_node *n)
{
	uint64_t rows = 1;
	uint32_t i;

	for (i = 0; i < n->rank; i++)
		if (__builtin_mul_overflow(rows, n->dims[i], &rows))
			return true;

	return rows > BUILDER_MAX_ROWS ||
	       (rows >= SCATTERED_ROWS && n->width <= SCATTERED_BYTES);
}

int gaudi_builder_add_copy(struct gaudi_builder *b, uint32_t to, uint32_t from,
			   uint32_t *node)
{
	struct build_node n = { .kind = BUILD_COPY };
	const struct recipe_tensor *t, *f;
	int rc;

	rc = check_index(b, to);
	if (!rc)
		rc = check_index(b, from);
	if (rc)
		return rc;
	t = &b->tensors[to].t;
	f = &b->tensors[from].t;
	rc = check_equal(t, f);
	if (!rc)
		rc = check_steps(t);
	if (rc)
		return rc;

	n.width = gaudi_type_size(t->type);
	n.rank = t->rank;
	memcpy(n.dims, t->dims, sizeof(n.dims));
	n.to.tensor = to;
	n.from.tensor = from;
	memcpy(n.to.strides, t->strides, sizeof(t->strides));
	memcpy(n.from.strides, f->strides, sizeof(f->strides));
	simplify(&n);
	if (build_copy_by_kernel && is_scattered(&n)) {
		rc = build_copy_by_kernel(b, to, from, node);
		if (rc <= 0)
			return rc;
	}
	rc = check_regions(b, &n);

	return rc ? rc : add_node(b, &n, node);
}

int gaudi_builder_add_copy_2d(struct gaudi_builder *b, uint32_t to,
			      uint64_t to_offset, uint64_t to_pitch,
			      uint32_t from, uint64_t from_offset,
			      uint64_t from_pitch, uint64_t width,
			      uint64_t height, uint32_t *node)
{
	struct build_node n = {
		.kind = BUILD_COPY,
		.width = width,
		.rank = 1,
		.dims = { height },
		.to = { to, to_offset, { to_pitch } },
		.from = { from, from_offset, { from_pitch } },
	};
	int rc;

	rc = check_index(b, to);
	if (!rc)
		rc = check_index(b, from);
	if (rc)
		return rc;
	if (!width || !height || (height > 1 && to_pitch < width))
		return gd_fail(-EINVAL, "%" PRIu64 " rows of %" PRIu64 " bytes, pitch %" PRIu64,
			       height, width, to_pitch);
	/* A row beyond its tensor is found before rows are joined. */
	rc = check_regions(b, &n);
	if (rc)
		return rc;
	simplify(&n);

	return add_node(b, &n, node);
}

int gaudi_builder_add_copy_bytes(struct gaudi_builder *b, uint32_t to,
				 uint64_t to_offset, uint32_t from,
				 uint64_t from_offset, uint64_t size,
				 uint32_t *node)
{
	return gaudi_builder_add_copy_2d(b, to, to_offset, size, from,
					 from_offset, size, size, 1, node);
}

/* The value again and again, in 64 bits. */
static uint64_t repeat(uint64_t value, uint32_t size)
{
	if (size < 8)
		value &= (1ull << 8 * size) - 1;
	for (; size < 8; size *= 2)
		value |= value << 8 * size;

	return value;
}

int gaudi_builder_add_fill(struct gaudi_builder *b, uint32_t to, uint64_t value,
			   uint32_t *node)
{
	struct build_node n = { .kind = BUILD_FILL };
	const struct recipe_tensor *t;
	int rc;

	rc = check_index(b, to);
	if (rc)
		return rc;
	t = &b->tensors[to].t;
	rc = check_steps(t);
	if (rc)
		return rc;

	n.width = gaudi_type_size(t->type);
	n.pattern = repeat(value, (uint32_t)n.width);
	n.rank = t->rank;
	memcpy(n.dims, t->dims, sizeof(n.dims));
	n.to.tensor = to;
	n.from.tensor = to;
	memcpy(n.to.strides, t->strides, sizeof(t->strides));
	simplify(&n);
	rc = check_regions(b, &n);

	return rc ? rc : add_node(b, &n, node);
}

static int event_of(struct gaudi_builder *b, const char *name, uint32_t *event)
{
	size_t i;

	for (i = 0; i < b->num_events; i++) {
		if (!strcmp(b->events[i], name)) {
			*event = (uint32_t)i;
			return 0;
		}
	}
	if (b->num_events == RECIPE_MAX_EVENTS)
		return gd_fail(-EOVERFLOW, "event '%s': more than %u", name,
			       RECIPE_MAX_EVENTS);
	if (!gd_grow((void **)&b->events, b->num_events, &b->room_events,
		     sizeof(*b->events)))
		return gd_no_memory("for builder '%s'", b->name);
	b->events[i] = strdup(name);
	if (!b->events[i])
		return gd_no_memory("for builder '%s'", b->name);
	*event = (uint32_t)b->num_events++;

	return 0;
}

int gaudi_builder_add_signal(struct gaudi_builder *b, const char *event,
			     uint32_t tensor, uint32_t *node)
{
	struct build_node n = { .kind = BUILD_SIGNAL };
	size_t known;
	int rc;

	rc = check_index(b, tensor);
	if (rc)
		return rc;
	known = b->num_events;
	if (!recipe_name_ok(event))
		return gd_fail(-EINVAL, "an event's name is UTF-8 of 1 to %u bytes without control characters",
			       GAUDI_MAX_NAME);
	if (b->tensors[tensor].used.first == BUILD_NONE)
		return gd_fail(-EINVAL, "event '%s' after tensor '%s', which no node has used",
			       event, b->tensors[tensor].t.name);
	rc = event_of(b, event, &n.event);
	if (rc)
		return rc;
	n.to.tensor = tensor;
	n.from.tensor = tensor;
	n.width = b->tensors[tensor].t.bytes;
	rc = add_node(b, &n, node);
	/* A recipe has no event that no node signals. */
	if (rc && b->num_events > known)
		free(b->events[--b->num_events]);

	return rc;
}

int gaudi_builder_add_order(struct gaudi_builder *b, uint32_t first,
			    uint32_t then)
{
	if (!b)
		return gd_fail(-EINVAL, "no builder");
	if (first >= then || then >= b->num_nodes)
		return gd_fail(-EINVAL, "builder '%s': node %u after node %u of %zu",
			       b->name, then, first, b->num_nodes);
	if (!gd_grow((void **)&b->orders, b->num_orders, &b->room_orders,
		     sizeof(*b->orders)))
		return gd_no_memory("for builder '%s'", b->name);
	b->orders[b->num_orders++] = (struct build_order) { first, then };

	return 0;
}

/* --- building --------------------------------------------------------- */

/* Whether the first node of a tensor writes it without reading it. */
static bool begins_with_write(const struct build_node *n, uint32_t tensor)
{
	uint32_t i;

	if (n->kind != BUILD_COMPUTE)
		return n->to.tensor == tensor && n->kind != BUILD_SIGNAL;
	for (i = 0; i < n->compute->num_uses; i++)
		if (n->compute->uses[i].tensor == tensor &&
		    n->compute->uses[i].read)
			return false;

	return true;
}

/* Whether workspace is written before it is read, and outputs at all. */
static int check_flow(const struct gaudi_builder *b)
{
	size_t i;

	for (i = 0; i < b->num_tensors; i++) {
		const struct build_tensor *t = &b->tensors[i];

		if (t->t.kind == GAUDI_TENSOR_OUTPUT && !t->used.writes)
			return gd_fail(-EINVAL, "output '%s' is never written",
				       t->t.name);
		if (t->t.kind != GAUDI_TENSOR_WORKSPACE ||
		    t->used.first == BUILD_NONE)
			continue;
		if (!begins_with_write(&b->nodes[t->used.first], (uint32_t)i))
			return gd_fail(-EINVAL, "workspace tensor '%s' is read by node %u before anything is written to it",
				       t->t.name, t->used.first);
	}

	return 0;
}

static int copy_names(const struct gaudi_builder *b, struct gaudi_recipe *r)
{
	uint32_t i;

	r->revision_max = UINT16_MAX;
	r->name = strdup(b->name);
	if (!r->name)
		return gd_no_memory("for builder '%s'", b->name);
	for (i = 0; i < r->num_events; i++) {
		r->events[i] = strdup(b->events[i]);
		if (!r->events[i])
			return gd_no_memory("for builder '%s'", b->name);
	}
	for (i = 0; i < r->num_tensors; i++) {
		r->tensors[i] = b->tensors[i].t;
		r->tensors[i].name = strdup(b->tensors[i].t.name);
		if (!r->tensors[i].name)
			return gd_no_memory("for builder '%s'", b->name);
	}

	return 0;
}

int gaudi_builder_build(struct gaudi_builder *b, struct gaudi_recipe **recipe)
{
	struct gaudi_recipe *r;
	int rc;

	PROFILE_SPAN(__func__, NULL, 0, b ? b->name : NULL);
	if (!b || !recipe)
		return gd_fail(-EINVAL, "no builder");
	rc = check_flow(b);
	if (rc)
		return rc;
	rc = recipe_alloc((uint32_t)b->num_tensors, (uint32_t)b->num_events,
			  &r);
	if (rc)
		return rc;

	rc = copy_names(b, r);
	if (!rc)
		rc = recipe_links_copy(&r->links, &b->links);
	if (!rc)
		rc = build_plan(b, r);
	if (!rc)
		rc = build_emit(b, r);
	/* What is built is held to the same rules as what is loaded. */
	if (!rc)
		rc = recipe_check(r);
	if (rc) {
		gaudi_recipe_release(r);
		return rc;
	}
	*recipe = r;

	return 0;
}
