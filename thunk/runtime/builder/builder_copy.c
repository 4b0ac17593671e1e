// SPDX-License-Identifier: MIT
/*
 * Copies by kernels. A DMA engine moves rows of bytes, each by a packet; where the
 * elements of one side are not next to each other on the other side, a row is one
 * element. There the TPCs move them, of one or of two dims at a time, whatever type they
 * are: 2 bytes as bf16, 4 as f32, 8 as two of these.
 */
#include <string.h>

#include "builder.h"
#include "../kernels/kernels.h"

#define DIMS	PROG_TPC_DIMS
#define NONE	UINT32_MAX
#define MAX_DIM	(INT32_MAX - 1023)

/* Dims of both sides, without those of one index; the order does not matter. */
struct pair {
	uint32_t rank, size, type;
	uint64_t dims[GAUDI_MAX_RANK + 1];
	uint64_t to[GAUDI_MAX_RANK + 1], from[GAUDI_MAX_RANK + 1];
};

static void add_dim(struct pair *p, uint64_t dim, uint64_t to, uint64_t from)
{
	if (dim == 1)
		return;
	p->dims[p->rank] = dim;
	p->to[p->rank] = to;
	p->from[p->rank++] = from;
}

static bool get_pair(const struct recipe_tensor *to,
		     const struct recipe_tensor *from, struct pair *p)
{
	uint32_t size = gaudi_type_size(to->type), i;

	*p = (struct pair) {
		.size = size == 2 ? 2 : 4,
		.type = size == 2 ? GAUDI_TYPE_BF16 : GAUDI_TYPE_F32,
	};
	for (i = 0; i < to->rank; i++)
		add_dim(p, to->dims[i], to->strides[i], from->strides[i]);
	if (size == 8)
		add_dim(p, 2, 4, 4);
	for (i = 0; i < p->rank; i++)
		if (p->dims[i] > MAX_DIM || p->to[i] % p->size ||
		    p->from[i] % p->size || p->to[i] / p->size > UINT32_MAX ||
		    p->from[i] / p->size > UINT32_MAX)
			return false;

	return size > 1 && p->rank;
}

/* The dim whose elements are next to each other. */
static uint32_t inner_of(const struct pair *p, const uint64_t *strides)
{
	uint32_t i;

	for (i = 0; i < p->rank; i++)
		if (strides[i] == p->size)
			return i;

	return NONE;
}

/*
 * As a kernel sees it: dims @first and @second are the inner ones, NONE: one of a
 * single index; then the others, as they come.
 */
static bool make_view(const struct pair *p, const struct recipe_tensor *t,
		      const uint64_t *strides, uint32_t first, uint32_t second,
		      struct recipe_tensor *view)
{
	uint32_t order[GAUDI_MAX_RANK + 2] = { first }, n = 1, i;

	if (second != NONE)
		order[n++] = second;
	for (i = 0; i < p->rank; i++)
		if (i != first && i != second)
			order[n++] = i;
	if (n > DIMS)
		return false;
	*view = *t;
	view->type = p->type;
	view->rank = n;
	for (i = 0; i < n; i++) {
		uint32_t d = order[i];

		view->dims[n - 1 - i] = d == NONE ? 1 : p->dims[d];
		view->strides[n - 1 - i] = d == NONE ? p->size : strides[d];
	}

	return true;
}

static const struct kernel_lib *choose(const struct pair *p, uint32_t a,
				       uint32_t b)
{
	bool turns = a != NONE && b != NONE && a != b;

	if (p->type == GAUDI_TYPE_BF16)
		return kernel_lib_find(turns ? "transpose_bf16" : "copy_bf16");

	return kernel_lib_find(turns ? "transpose_f32" : "copy_f32");
}

int build_copy_by_kernel(struct gaudi_builder *b, uint32_t to, uint32_t from,
			 uint32_t *node)
{
	const struct recipe_tensor *t = &b->tensors[to].t;
	const struct recipe_tensor *f = &b->tensors[from].t;
	struct gaudi_kernel g = {
		.size = sizeof(g), .num_tensors = 2, .rank = DIMS,
		.tensors = { { from, GAUDI_KERNEL_READS, 0 },
			     { to, GAUDI_KERNEL_WRITES, 0 } },
	};
	struct recipe_tensor views[2];
	const struct kernel_lib *k;
	uint32_t a, c, space;
	struct pair p;

	if (to == from || t->place != GAUDI_PLACE_DEVICE ||
	    f->place != GAUDI_PLACE_DEVICE || !get_pair(t, f, &p) ||
	    !build_is_apart(t))
		return 1;
	a = inner_of(&p, p.from);
	c = inner_of(&p, p.to);
	k = choose(&p, a, c);
	if (a == NONE || c == NONE)
		a = c = NONE;
	if (!k || !make_view(&p, f, p.from, a, a == c ? NONE : c, &views[0]) ||
	    !make_view(&p, t, p.to, c, a == c ? NONE : a, &views[1]))
		return 1;
	space = k->space_tensor;
	kernel_lib_space(k, views[space].rank, views[space].dims,
			 g.index_space);
	g.name = k->name;
	g.object = k->object;
	g.object_size = k->object_size;

	return build_add_kernel(b, &g, views, t->bytes + f->bytes, node);
}
