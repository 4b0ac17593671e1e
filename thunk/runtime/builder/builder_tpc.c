// SPDX-License-Identifier: MIT
/* Nodes of the TPCs: an object and its arguments into launches. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/array.h"
#include "builder.h"
#include "../base/base.h"
#include "../base/sized.h"
#include "../kernels/tpc_object.h"

/* As after a reset: where semaphores are kept, and how fast it may read, write. */
#define CONFIG_RESET	0x00060802u
#define NONE		UINT32_MAX
/*
 * In bytes that are copied, as costs in builder_emit.c: an instruction word, and what is
 * worth another TPC. A part of a node costs a launch and two waits, before and behind it.
 */
#define WORD_COST	64u
#define PART_WORTH	(16384u * WORD_COST)

struct node {
	struct gaudi_builder *b;
	const struct gaudi_kernel *k;
	const struct recipe_tensor *views;
	struct tpc_object object;
	uint32_t code;		/* tensor */
	uint64_t work;		/* as bytes; UINT64_MAX: nobody knows */
	struct prog_launch launch;
};

#define refuse(n, error, fmt, ...) \
	gd_fail(error, "node %zu, kernel '%s': " fmt, (n)->b->num_nodes, \
		(n)->k->name, __VA_ARGS__)

static int check_counts(const struct node *n)
{
	const struct gaudi_kernel *k = n->k;
	uint32_t i;

	if (k->num_tensors > GAUDI_KERNEL_TENSORS ||
	    k->num_scalars > GAUDI_KERNEL_SCALARS)
		return refuse(n, -EINVAL, "%u tensors and %u scalars, at most %u and %u",
			      k->num_tensors, k->num_scalars,
			      GAUDI_KERNEL_TENSORS, GAUDI_KERNEL_SCALARS);
	/* Fewer would be read as garbage. More are harmless, and come with structures. */
	if (n->object.has_metadata && n->object.num_scalars > k->num_scalars)
		return refuse(n, -EINVAL, "%u scalars, by its object it has %u",
			      k->num_scalars, n->object.num_scalars);
	if (!k->rank || k->rank > PROG_TPC_DIMS)
		return refuse(n, -EINVAL, "an index space of rank %u, not 1 to %u",
			      k->rank, PROG_TPC_DIMS);
	for (i = 0; i < k->rank; i++)
		if (!k->index_space[i] || k->index_space[i] > INT32_MAX)
			return refuse(n, -EINVAL, "dim %u of the index space is %u, not 1 to %d",
				      i, k->index_space[i], INT32_MAX);
	if (n->object.special_functions && !k->tables)
		return gd_fail(-EINVAL, "node %zu, kernel '%s' uses special functions, and has no tables",
			       n->b->num_nodes, k->name);

	return 0;
}

/* --- tensors ------------------------------------------------------------ */

static int tpc_type(uint32_t type)
{
	switch (type) {
	case GAUDI_TYPE_I8:
		return 0;
	case GAUDI_TYPE_I16:
		return 1;
	case GAUDI_TYPE_I32:
		return 2;
	case GAUDI_TYPE_U8:
		return 3;
	case GAUDI_TYPE_U16:
		return 4;
	case GAUDI_TYPE_U32:
		return 5;
	case GAUDI_TYPE_BF16:
		return 6;
	case GAUDI_TYPE_F32:
		return 7;
	default:
		return -1;
	}
}

/* Argument @i, as the kernel sees it. */
static const struct recipe_tensor *view_of(const struct node *n, uint32_t i)
{
	return n->views ? &n->views[i] :
			  &n->b->tensors[n->k->tensors[i].tensor].t;
}

static int check_tensor(const struct node *n, const struct recipe_tensor *t)
{
	uint32_t i, size = gaudi_type_size(t->type);

	if (tpc_type(t->type) < 0)
		return refuse(n, -EINVAL, "tensor '%s' is %s, which a TPC does not have",
			      t->name, gaudi_type_name(t->type));
	if (t->place != GAUDI_PLACE_DEVICE)
		return refuse(n, -EINVAL, "tensor '%s' is not on the device",
			      t->name);
	if (t->rank > PROG_TPC_DIMS)
		return refuse(n, -EINVAL, "tensor '%s' has rank %u, at most %u",
			      t->name, t->rank, PROG_TPC_DIMS);
	for (i = 0; i < t->rank; i++)
		if (t->dims[i] > INT32_MAX || t->strides[i] % size ||
		    t->strides[i] / size > UINT32_MAX)
			return refuse(n, -EINVAL, "tensor '%s': dim %u is %" PRIu64 ", its stride %" PRIu64 " bytes; a TPC counts to 2^31",
				      t->name, i, t->dims[i], t->strides[i]);
	if (t->rank && t->dims[t->rank - 1] > 1 &&
	    t->strides[t->rank - 1] != size)
		return refuse(n, -EINVAL, "tensor '%s': its last dim has a stride of %" PRIu64 " bytes, not %u",
			      t->name, t->strides[t->rank - 1], size);

	return 0;
}

static void put_tensor(struct node *n, uint32_t slot,
		       const struct recipe_tensor *t, uint32_t padding)
{
	uint32_t *w = &n->launch.words[slot * PROG_TPC_TENSOR_WORDS];
	uint32_t size = gaudi_type_size(t->type), rank = t->rank, d;

	for (d = 0; d < PROG_TPC_DIMS; d++) {
		uint32_t of = rank - 1 - d;
		bool there = d < rank;

		w[TPC_TENSOR_SIZE(d)] = there ? (uint32_t)t->dims[of] : 1;
		w[TPC_TENSOR_STRIDE(d)] = there ?
			(uint32_t)(t->strides[of] / size) : 0;
	}
	w[TPC_TENSOR_STRIDE(0)] = 1;
	if (!rank)
		rank = 1;
	w[TPC_TENSOR_PADDING] = padding;
	w[TPC_TENSOR_CONFIG] = (uint32_t)
		(FIELD_PREP(TPC_TENSOR_TYPE, (uint32_t)tpc_type(t->type)) |
		 FIELD_PREP(TPC_TENSOR_VALID_DIMS, (1u << rank) - 1) |
		 FIELD_PREP(TPC_TENSOR_LAST_DIM, rank - 1));
}

static void add_ref(struct prog_launch *l, unsigned int kind, uint32_t slot,
		    uint32_t tensor)
{
	l->refs[l->num_refs++] = (struct prog_launch_ref) {
		.kind = (uint16_t)kind,
		.slot = (uint16_t)slot,
		.place = { tensor, 0 },
	};
}

static int check_arguments(const struct node *n)
{
	uint32_t i;
	int rc;

	for (i = 0; i < n->k->num_tensors; i++) {
		const struct gaudi_kernel_tensor *kt = &n->k->tensors[i];

		rc = build_check_tensor(n->b, kt->tensor);
		if (rc)
			return rc;
		if (!kt->access || kt->access > (GAUDI_KERNEL_READS |
						 GAUDI_KERNEL_WRITES))
			return refuse(n, -EINVAL, "tensor %u: access %u is unknown",
				      i, kt->access);
		rc = check_tensor(n, view_of(n, i));
		if (!rc && kt->access & GAUDI_KERNEL_WRITES)
			rc = build_check_written(n->b, kt->tensor);
		if (rc)
			return rc;
	}
	for (i = 0; n->k->tables && i < GAUDI_KERNEL_TABLES; i++) {
		uint32_t t = n->k->tables[i];

		if (t == NONE)
			continue;
		rc = build_check_tensor(n->b, t);
		if (rc)
			return rc;
		if (n->b->tensors[t].t.kind != GAUDI_TENSOR_CONSTANT)
			return refuse(n, -EINVAL, "table '%s' is no constant",
				      n->b->tensors[t].t.name);
	}

	return 0;
}

/* By kind, then slot: as a program has them. */
static void put_arguments(struct node *n)
{
	const struct gaudi_kernel *k = n->k;
	struct prog_launch *l = &n->launch;
	uint32_t i;

	for (i = 0; i < k->num_tensors; i++)
		put_tensor(n, i, view_of(n, i), k->tensors[i].padding);
	for (i = 0; i < k->num_tensors; i++)
		if (!(k->tensors[i].access & GAUDI_KERNEL_WRITES))
			add_ref(l, PROG_PATCH_READ, i, k->tensors[i].tensor);
	/* Registers are in the other order. */
	for (i = 0; k->tables && i < GAUDI_KERNEL_TABLES; i++)
		if (k->tables[GAUDI_KERNEL_TABLES - 1 - i] != NONE)
			add_ref(l, PROG_PATCH_READ, PROG_SLOT_TABLE + i,
				k->tables[GAUDI_KERNEL_TABLES - 1 - i]);
	for (i = 0; i < k->num_tensors; i++)
		if (k->tensors[i].access & GAUDI_KERNEL_WRITES)
			add_ref(l, PROG_PATCH_WRITE, i, k->tensors[i].tensor);
	add_ref(l, PROG_PATCH_CODE, 0, n->code);
}

/* --- code --------------------------------------------------------------- */

static bool is_code(const struct node *n, uint32_t tensor)
{
	const struct build_tensor *t = &n->b->tensors[tensor];

	return t->t.kind == GAUDI_TENSOR_CONSTANT &&
	       t->t.bytes == n->object.code_size &&
	       !memcmp(t->data, n->object.code, n->object.code_size);
}

/* The constant with this code; the same for each use of a kernel. */
static int find_code(struct node *n)
{
	const struct tpc_object *o = &n->object;
	char name[GAUDI_MAX_NAME + 1];
	struct gaudi_tensor_desc d = {
		.size = sizeof(d), .name = name,
		.kind = GAUDI_TENSOR_CONSTANT, .type = GAUDI_TYPE_U8,
		.rank = 1, .dims = { o->code_size }, .data = o->code,
	};

	snprintf(name, sizeof(name), "kernel %.200s", n->k->name);
	n->code = build_find_tensor(n->b, name);
	if (n->code != BUILD_NONE && !is_code(n, n->code)) {
		/* Another kernel of this name. */
		snprintf(name, sizeof(name), "kernel %.200s, %016" PRIx64,
			 n->k->name, gd_hash(o->code, o->code_size));
		n->code = build_find_tensor(n->b, name);
	}
	if (n->code != BUILD_NONE && is_code(n, n->code))
		return 0;
	if (n->code != BUILD_NONE)
		snprintf(name, sizeof(name), "kernel %.200s, node %zu",
			 n->k->name, n->b->num_nodes);

	return gaudi_builder_add_tensor(n->b, &d, &n->code);
}

/* --- launches ------------------------------------------------------------- */

static void put_rest(struct node *n)
{
	const struct gaudi_kernel *k = n->k;
	struct prog_launch *l = &n->launch;
	uint32_t i;

	l->tpc = true;
	l->tables = k->tables;
	l->words[TPC_SYNC_MESSAGE] = TPC_MESSAGE_NOTHING;
	l->words[TPC_CONFIG] = CONFIG_RESET |
		(n->object.special_functions ?
		 (uint32_t)TPC_CONFIG_SMALL_VLM : 0) |
		(uint32_t)FIELD_PREP(TPC_CONFIG_NUM_SRF, k->num_scalars);
	l->words[TPC_KERNEL_ID] = (uint32_t)n->b->num_nodes & 0xffff;
	for (i = 0; i < k->num_scalars; i++)
		l->words[TPC_SRF(i)] = k->scalars[i];
	for (i = 0; i < PROG_TPC_DIMS; i++)
		l->words[TPC_TID_SIZE(i)] = i < k->rank ? k->index_space[i] : 1;
}

/*
 * What is known of the work: bytes that go through the kernel, to which comes its code,
 * once for each point.
 */
static void add_code(struct node *n)
{
	uint64_t words = n->object.code_size / TPC_WORD;
	uint32_t i;

	for (i = 0; i < n->k->rank && words; i++) {
		if (n->k->index_space[i] > UINT32_MAX / words)
			words = UINT32_MAX;
		else
			words *= n->k->index_space[i];
	}
	if (n->work < UINT64_MAX - words * WORD_COST)
		n->work += words * WORD_COST;
}

/* How many TPCs share @points of the index space. */
static uint32_t count_parts(const struct node *n, uint32_t points)
{
	uint32_t parts = points < PROG_NUM_TPC ? points : PROG_NUM_TPC;
	uint64_t worth = n->work / PART_WORTH;

	if (parts > 1 && worth < parts)
		return worth ? (uint32_t)worth : 1;

	return parts;
}

/* The index space in parts along its largest dim. */
static int put_parts(struct node *n, struct build_compute *c, uint64_t cost)
{
	const uint32_t *space = n->k->index_space;
	uint32_t dim = 0, parts, i, at, end;
	struct prog_launch *l;

	for (i = 1; i < n->k->rank; i++)
		if (space[i] > space[dim])
			dim = i;
	parts = count_parts(n, space[dim]);
	for (i = 0; i < parts; i++) {
		at = (uint32_t)((uint64_t)space[dim] * i / parts);
		end = (uint32_t)((uint64_t)space[dim] * (i + 1) / parts);
		c->parts[i].engine = BUILD_ANY_TPC;
		c->parts[i].cost = cost / parts;
		c->num_parts++;
		l = build_add_launch(&c->parts[i]);
		if (!l)
			return gd_fail(-ENOMEM, "host memory for builder '%s'",
				       n->b->name);
		*l = n->launch;
		l->words[TPC_TID_BASE(dim)] = at;
		l->words[TPC_TID_SIZE(dim)] = end - at;
	}

	return 0;
}

static void put_use(struct build_compute *c, uint32_t tensor, uint32_t access)
{
	struct build_use *use = c->uses;
	uint32_t i;

	for (i = 0; i < c->num_uses && use->tensor != tensor; i++)
		use++;
	if (i == c->num_uses)
		c->num_uses++;
	use->tensor = tensor;
	use->read |= access & GAUDI_KERNEL_READS;
	use->write |= !!(access & GAUDI_KERNEL_WRITES);
}

static void put_uses(const struct node *n, struct build_compute *c,
		     uint64_t *bytes)
{
	uint32_t i;

	*bytes = 0;
	for (i = 0; i < n->k->num_tensors; i++) {
		put_use(c, n->k->tensors[i].tensor, n->k->tensors[i].access);
		*bytes += n->b->tensors[n->k->tensors[i].tensor].t.bytes;
	}
	for (i = 0; n->k->tables && i < GAUDI_KERNEL_TABLES; i++)
		if (n->k->tables[i] != NONE)
			put_use(c, n->k->tables[i], GAUDI_KERNEL_READS);
	put_use(c, n->code, GAUDI_KERNEL_READS);
}

static int make_node(struct node *n, uint32_t *number)
{
	size_t known = n->b->num_tensors;
	struct build_compute *c;
	uint64_t bytes;
	int rc;

	rc = find_code(n);
	if (rc)
		return rc;
	add_code(n);
	put_rest(n);
	put_arguments(n);
	c = calloc(1, sizeof(*c));
	if (c) {
		put_uses(n, c, &bytes);
		rc = put_parts(n, c, n->work < UINT64_MAX ? n->work : bytes);
	} else {
		rc = gd_fail(-ENOMEM, "host memory for builder '%s'",
			     n->b->name);
	}
	if (!rc)
		rc = build_add_compute(n->b, c, number);
	else
		build_compute_free(c);
	/* No code that no node runs. */
	if (rc && n->b->num_tensors > known)
		build_drop_tensor(n->b);

	return rc;
}

int build_add_kernel(struct gaudi_builder *b, const struct gaudi_kernel *kernel,
		     const struct recipe_tensor *views, uint64_t work,
		     uint32_t *node)
{
	struct gaudi_kernel k = {};
	struct node n = { .b = b, .k = &k, .views = views, .work = work };
	int rc;

	if (!b)
		return gd_fail(-EINVAL, "no builder");
	rc = gd_sized_get(&k, sizeof(k), kernel, sizeof(k.size), "gaudi_kernel");
	if (rc)
		return rc;
	if (!recipe_name_ok(k.name) || !k.object)
		return gd_fail(-EINVAL, "node %zu: a kernel without object, or with a name of not 1 to %u bytes",
			       b->num_nodes, GAUDI_MAX_NAME);
	rc = tpc_object_parse(k.name, k.object, k.object_size, &n.object);
	if (!rc)
		rc = check_counts(&n);
	if (!rc)
		rc = check_arguments(&n);

	return rc ? rc : make_node(&n, node);
}

int gaudi_builder_add_kernel(struct gaudi_builder *b,
			     const struct gaudi_kernel *kernel, uint32_t *node)
{
	return build_add_kernel(b, kernel, NULL, UINT64_MAX, node);
}
