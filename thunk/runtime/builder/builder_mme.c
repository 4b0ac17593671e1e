// SPDX-License-Identifier: MIT
/* Nodes of the matrix engines: tensors into shapes of mme_desc.h, and back. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "builder.h"
#include "../base/base.h"
#include "../mme/mme_desc.h"
#include "../base/sized.h"

#define KNOWN_FLAGS	(GAUDI_TRANSPOSE_A | GAUDI_TRANSPOSE_B | GAUDI_RELU | \
			 GAUDI_ACCUMULATE)
/* How long a step of the common dimension takes, in bytes that are moved. */
#define STEP_COST	2048u

struct node {
	const struct gaudi_builder *b;
	const char *what;
	uint32_t to, a, b_;		/* tensors, by role C, A, B */
	uint32_t flags;
};

static const struct recipe_tensor *tensor(const struct node *n, uint32_t t)
{
	return &n->b->tensors[t].t;
}

/* A message that begins with the node. */
#define refuse(n, error, fmt, ...) \
	gd_fail(error, "node %zu, %s: " fmt, (n)->b->num_nodes, (n)->what, \
		__VA_ARGS__)

static int check_operand(const struct node *n, uint32_t index)
{
	const struct recipe_tensor *t = tensor(n, index);
	uint32_t i, size = gaudi_type_size(t->type);

	if (t->type != GAUDI_TYPE_BF16 && t->type != GAUDI_TYPE_F32)
		return refuse(n, -EINVAL, "tensor '%s' is %s; matrix engines take bf16 and f32",
			      t->name, gaudi_type_name(t->type));
	if (t->place != GAUDI_PLACE_DEVICE)
		return refuse(n, -EINVAL, "tensor '%s' is not on the device",
			      t->name);
	for (i = 0; i < t->rank; i++)
		if (t->strides[i] % size)
			return refuse(n, -EINVAL, "tensor '%s': stride %u is %" PRIu64 " bytes, not a multiple of %u",
				      t->name, i, t->strides[i], size);

	return 0;
}

static int check_operands(const struct node *n)
{
	int rc;

	if (!n->b)
		return gd_fail(-EINVAL, "no builder");
	rc = build_check_tensor(n->b, n->to);
	if (!rc)
		rc = build_check_tensor(n->b, n->a);
	if (!rc)
		rc = build_check_tensor(n->b, n->b_);
	if (!rc)
		rc = build_check_written(n->b, n->to);
	if (!rc)
		rc = check_operand(n, n->to);
	if (!rc)
		rc = check_operand(n, n->a);
	if (!rc)
		rc = check_operand(n, n->b_);
	if (rc)
		return rc;
	if (n->flags & ~(uint32_t)KNOWN_FLAGS)
		return refuse(n, -EINVAL, "flags %#x, known are %#x", n->flags,
			      KNOWN_FLAGS);
	if (n->flags & GAUDI_RELU && n->flags & GAUDI_ACCUMULATE)
		return refuse(n, -EINVAL, "tensor '%s': the engine cannot do GAUDI_RELU behind GAUDI_ACCUMULATE",
			      tensor(n, n->to)->name);
	if (tensor(n, n->a)->type != tensor(n, n->b_)->type)
		return refuse(n, -EINVAL, "tensor '%s' is %s and '%s' is %s; both must be alike",
			      tensor(n, n->a)->name,
			      gaudi_type_name(tensor(n, n->a)->type),
			      tensor(n, n->b_)->name,
			      gaudi_type_name(tensor(n, n->b_)->type));
	if (n->to == n->a || n->to == n->b_)
		return refuse(n, -EINVAL, "tensor '%s' is read and written",
			      tensor(n, n->to)->name);

	return 0;
}

/* --- launches ----------------------------------------------------------- */

static int add_launch(const struct node *n, struct build_part *part,
		      const struct mme_desc *d)
{
	const uint32_t roles[] = { n->a, n->b_, n->to };
	struct prog_launch *l = build_add_launch(part);
	unsigned int op;

	if (!l)
		return gd_fail(-ENOMEM, "host memory for builder '%s'",
			       n->b->name);
	memcpy(l->words, d->words, sizeof(d->words));
	for (op = 0; op < MME_NUM_OPS; op++) {
		uint32_t t = roles[d->role[op]];

		if (op == MME_OP_O && !d->stores)
			break;
		l->refs[l->num_refs++] = (struct prog_launch_ref) {
			.kind = op == MME_OP_O ? PROG_PATCH_WRITE :
						 PROG_PATCH_READ,
			.slot = (uint16_t)op,
			.place = { t, d->first[op] *
				      gaudi_type_size(tensor(n, t)->type) },
		};
	}

	return 0;
}

static void add_use(struct build_compute *c, uint32_t tensor, bool read,
		    bool write)
{
	c->uses[c->num_uses++] = (struct build_use) { tensor, read, write };
}

static int add_lists(const struct node *n, struct build_compute *c,
		     const struct mme_list *lists)
{
	struct build_part *part;
	unsigned int p;
	size_t i;
	int rc = 0;

	for (p = 0; p < MME_NUM_PAIRS; p++) {
		if (!lists[p].num)
			continue;
		part = &c->parts[c->num_parts++];
		part->engine = PROG_MME_0 + p;
		part->cost = lists[p].cost * STEP_COST;
		for (i = 0; !rc && i < lists[p].num; i++)
			rc = add_launch(n, part, &lists[p].list[i]);
	}
	/* Work for one pair is whose that could begin first. */
	if (c->num_parts == 1)
		c->parts[0].engine = BUILD_ANY_MME;
	add_use(c, n->a, true, false);
	if (n->b_ != n->a)
		add_use(c, n->b_, true, false);
	add_use(c, n->to, n->flags & GAUDI_ACCUMULATE, true);

	return rc;
}

/* The node of these descriptors, which are freed; @rc: what was before. */
static int finish(struct gaudi_builder *b, const struct node *n, int rc,
		  struct mme_list *lists, uint32_t *node)
{
	struct build_compute *c = NULL;

	if (!rc) {
		c = calloc(1, sizeof(*c));
		rc = c ? add_lists(n, c, lists) :
			 gd_fail(-ENOMEM, "host memory for builder '%s'",
				 b->name);
	} else {
		char why[256];

		/* The generator does not know the node. */
		snprintf(why, sizeof(why), "%s", gaudi_last_error(NULL));
		refuse(n, rc, "%s", why);
	}
	mme_list_free(&lists[0]);
	mme_list_free(&lists[1]);
	if (!rc)
		return build_add_compute(b, c, node);
	build_compute_free(c);

	return rc;
}

/* --- products ------------------------------------------------------------ */

static uint64_t elements(const struct recipe_tensor *t, uint32_t dim)
{
	return t->strides[dim] / gaudi_type_size(t->type);
}

struct matrix {
	uint64_t rows, columns, row, column;	/* sizes, strides */
};

static struct matrix matrix_of(const struct recipe_tensor *t, bool transposed)
{
	uint32_t r = t->rank - 2, c = t->rank - 1;

	if (transposed) {
		r = t->rank - 1;
		c = t->rank - 2;
	}

	return (struct matrix) { t->dims[r], t->dims[c], elements(t, r),
				 elements(t, c) };
}

/* Batch dim @i of @num: as numpy broadcasts. */
static int get_batch(const struct node *n, uint32_t index, uint32_t i,
		     uint64_t size, uint64_t *stride)
{
	const struct recipe_tensor *t = tensor(n, index);
	const struct recipe_tensor *to = tensor(n, n->to);
	uint32_t missing = to->rank - t->rank;

	*stride = 0;
	if (i < missing || t->dims[i - missing] == 1)
		return 0;
	if (t->dims[i - missing] != size)
		return refuse(n, -EINVAL, "dim %u of '%s' is %" PRIu64 ", of '%s' it is %" PRIu64,
			      i - missing, t->name, t->dims[i - missing],
			      to->name, size);
	*stride = elements(t, i - missing);

	return 0;
}

static int get_batches(const struct node *n, struct mme_gemm *g, bool swapped)
{
	const struct recipe_tensor *to = tensor(n, n->to);
	uint32_t i, num = to->rank - 2;
	uint64_t a, b;
	int rc;

	if (num > MME_MAX_BATCH)
		return refuse(n, -EINVAL, "tensor '%s' has %u dims before its matrices, at most %u",
			      to->name, num, MME_MAX_BATCH);
	for (i = 0; i < num; i++) {
		rc = get_batch(n, n->a, i, to->dims[i], &a);
		if (!rc)
			rc = get_batch(n, n->b_, i, to->dims[i], &b);
		if (rc)
			return rc;
		g->batch[i].size = to->dims[i];
		g->batch[i].a = swapped ? b : a;
		g->batch[i].b = swapped ? a : b;
		g->batch[i].c = elements(to, i);
	}

	return 0;
}

static int check_matrices(const struct node *n, const struct matrix *a,
			  const struct matrix *b, const struct matrix *c)
{
	const struct recipe_tensor *ta = tensor(n, n->a), *tb = tensor(n, n->b_);
	const struct recipe_tensor *to = tensor(n, n->to);

	if (a->columns != b->rows)
		return refuse(n, -EINVAL, "'%s' has %" PRIu64 " columns and '%s' has %" PRIu64 " rows",
			      ta->name, a->columns, tb->name, b->rows);
	if (c->rows != a->rows || c->columns != b->columns)
		return refuse(n, -EINVAL, "'%s' is %" PRIu64 " x %" PRIu64 ", the product of '%s' and '%s' is %" PRIu64 " x %" PRIu64,
			      to->name, c->rows, c->columns, ta->name,
			      tb->name, a->rows, b->columns);

	return 0;
}

static bool is_line(uint64_t size, uint64_t stride)
{
	return stride == 1 || size == 1;
}

static int check_lines(const struct node *n, uint32_t index,
		       const struct matrix *m)
{
	if (is_line(m->rows, m->row) || is_line(m->columns, m->column))
		return 0;

	return refuse(n, -EINVAL, "tensor '%s': neither rows nor columns are next to each other (strides of %" PRIu64 " and %" PRIu64 " elements)",
		      tensor(n, index)->name, m->row, m->column);
}

/* A and B change places where the engine has to do it the other way round. */
static int get_gemm(struct node *n, struct mme_gemm *g)
{
	const struct recipe_tensor *to = tensor(n, n->to);
	struct matrix a, b, c, t;
	uint32_t first = n->a;
	bool swapped;
	int rc;

	if (to->rank < 2 || tensor(n, n->a)->rank < 2 ||
	    tensor(n, n->b_)->rank < 2 || tensor(n, n->a)->rank > to->rank ||
	    tensor(n, n->b_)->rank > to->rank)
		return refuse(n, -EINVAL, "ranks %u and %u to %u: at least 2, and the result has the most",
			      tensor(n, n->a)->rank, tensor(n, n->b_)->rank,
			      to->rank);
	a = matrix_of(tensor(n, n->a), n->flags & GAUDI_TRANSPOSE_A);
	b = matrix_of(tensor(n, n->b_), n->flags & GAUDI_TRANSPOSE_B);
	c = matrix_of(to, false);
	rc = check_matrices(n, &a, &b, &c);
	if (!rc)
		rc = check_lines(n, n->a, &a);
	if (!rc)
		rc = check_lines(n, n->b_, &b);
	if (!rc)
		rc = check_lines(n, n->to, &c);
	if (rc)
		return rc;
	/* Columns that are next to each other: the other way round. */
	swapped = !is_line(c.columns, c.column);
	if (swapped) {
		t = a;
		a = (struct matrix) { b.columns, b.rows, b.column, b.row };
		b = (struct matrix) { t.columns, t.rows, t.column, t.row };
		c = (struct matrix) { c.columns, c.rows, c.column, c.row };
	}
	*g = (struct mme_gemm) {
		.m = c.rows, .n = c.columns, .k = a.columns,
		.a_m = a.row, .a_k = a.column,
		.b_k = b.row, .b_n = b.column,
		.c_m = c.row,
		.in_fp32 = tensor(n, n->a)->type == GAUDI_TYPE_F32,
		.out_fp32 = to->type == GAUDI_TYPE_F32,
		.relu = n->flags & GAUDI_RELU,
		.reduce = n->flags & GAUDI_ACCUMULATE,
	};

	rc = get_batches(n, g, swapped);
	if (!rc && swapped) {
		n->a = n->b_;
		n->b_ = first;
	}

	return rc;
}

int gaudi_builder_add_matmul(struct gaudi_builder *b, uint32_t to, uint32_t a,
			     uint32_t b_, uint32_t flags, uint32_t *node)
{
	struct node n = { b, "matmul", to, a, b_, flags };
	struct mme_list lists[MME_NUM_PAIRS] = {};
	struct mme_gemm g;
	int rc;

	rc = check_operands(&n);
	if (!rc)
		rc = get_gemm(&n, &g);
	if (rc)
		return rc;
	rc = mme_gemm(&g, lists);

	return finish(b, &n, rc, lists, node);
}

/* --- convolutions ---------------------------------------------------------- */

static int check_dim(const struct node *n, uint32_t index, uint32_t dim,
		     uint64_t want, const char *why)
{
	const struct recipe_tensor *t = tensor(n, index);

	if (t->dims[dim] == want)
		return 0;

	return refuse(n, -EINVAL, "dim %u of '%s' is %" PRIu64 ", %s is %" PRIu64,
		      dim, t->name, t->dims[dim], why, want);
}

static int check_four(const struct node *n, uint32_t index)
{
	const struct recipe_tensor *t = tensor(n, index);

	if (t->rank != 4)
		return refuse(n, -EINVAL, "tensor '%s' has rank %u, not 4",
			      t->name, t->rank);
	if (!is_line(t->dims[3], elements(t, 3)))
		return refuse(n, -EINVAL, "tensor '%s': its last dim has a stride of %" PRIu64 " elements",
			      t->name, elements(t, 3));

	return 0;
}

/* Along one direction, what comes out: 0, nothing. */
static uint64_t out_size(uint64_t size, uint64_t taps,
			 const struct gaudi_conv2d *d, unsigned int i)
{
	uint64_t span = d->dilation[i] * (taps - 1) + 1;
	uint64_t all = size + 2ull * d->padding[i] + d->extra_padding[i];

	return all < span ? 0 : (all - span) / d->stride[i] + 1;
}

static int check_window(const struct node *n, const struct gaudi_conv2d *d,
			uint32_t w)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		if (!d->stride[i] || !d->dilation[i])
			return refuse(n, -EINVAL, "stride %u, dilation %u: at least 1",
				      d->stride[i], d->dilation[i]);
		if (d->extra_padding[i] > GAUDI_CONV_MAX)
			return refuse(n, -EOVERFLOW, "extra padding %u: at most %u",
				      d->extra_padding[i], GAUDI_CONV_MAX);
		if (d->stride[i] > GAUDI_CONV_MAX ||
		    d->dilation[i] > GAUDI_CONV_MAX ||
		    d->padding[i] > GAUDI_CONV_MAX ||
		    tensor(n, w)->dims[i] > GAUDI_CONV_MAX)
			return refuse(n, -EOVERFLOW, "stride %u, dilation %u, padding %u, filter '%s' of %" PRIu64 ": at most %u",
				      d->stride[i], d->dilation[i],
				      d->padding[i], tensor(n, w)->name,
				      tensor(n, w)->dims[i], GAUDI_CONV_MAX);
	}

	return 0;
}

static int check_groups(const struct node *n, const struct gaudi_conv2d *d,
			uint32_t x, uint32_t w)
{
	const struct recipe_tensor *tx = tensor(n, x), *tw = tensor(n, w);

	if (tx->dims[3] % d->groups || tw->dims[3] % d->groups)
		return refuse(n, -EINVAL, "%u groups: depths are %" PRIu64 " of '%s' and %" PRIu64 " of '%s'",
			      d->groups, tx->dims[3], tx->name, tw->dims[3],
			      tw->name);

	return check_dim(n, w, 2, tx->dims[3] / d->groups,
			 "the input's depth in a group");
}

static void copy_window(const struct gaudi_conv2d *d, struct mme_conv *v)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		v->stride[i] = d->stride[i];
		v->pad[i] = d->padding[i];
		v->dilation[i] = d->dilation[i];
	}
	v->groups = d->groups;
	v->c /= d->groups;
	v->k /= d->groups;
}

/* Tensors by what they are: input, filter, output of the forward pass. */
static int get_conv(const struct node *n, const struct gaudi_conv2d *d,
		    uint32_t x, uint32_t w, uint32_t y, struct mme_conv *v)
{
	const struct recipe_tensor *tx = tensor(n, x), *tw = tensor(n, w);
	const struct recipe_tensor *ty = tensor(n, y);
	unsigned int i;
	int rc;

	rc = check_four(n, x);
	if (!rc)
		rc = check_four(n, w);
	if (!rc)
		rc = check_four(n, y);
	if (!rc)
		rc = check_window(n, d, w);
	if (!rc)
		rc = check_groups(n, d, x, w);
	if (!rc)
		rc = check_dim(n, y, 3, tw->dims[3], "the filter's depth");
	if (!rc)
		rc = check_dim(n, y, 0, tx->dims[0], "the number of images");
	for (i = 0; !rc && i < 2; i++)
		rc = check_dim(n, y, 1 + i,
			       out_size(tx->dims[1 + i], tw->dims[i], d, i),
			       "what the filter leaves");
	if (rc)
		return rc;
	v->n = tx->dims[0];
	v->h = tx->dims[1];
	v->w = tx->dims[2];
	v->c = tx->dims[3];
	v->r = tw->dims[0];
	v->s = tw->dims[1];
	v->k = tw->dims[3];
	v->p = ty->dims[1];
	v->q = ty->dims[2];
	v->x_n = elements(tx, 0);
	v->x_h = elements(tx, 1);
	v->x_w = elements(tx, 2);
	v->w_r = elements(tw, 0);
	v->w_s = elements(tw, 1);
	v->w_c = elements(tw, 2);
	v->y_n = elements(ty, 0);
	v->y_p = elements(ty, 1);
	v->y_q = elements(ty, 2);
	copy_window(d, v);

	return 0;
}

/* x, w and y, which are its roles in an order that depends on the kind. */
static int get_conv_of(const struct node *n, const struct gaudi_conv2d *d,
		       struct mme_conv *v)
{
	if (v->kind == MME_CONV_FORWARD)
		return get_conv(n, d, n->a, n->b_, n->to, v);
	if (v->kind == MME_CONV_DATA)
		return get_conv(n, d, n->to, n->b_, n->a, v);

	return get_conv(n, d, n->a, n->to, n->b_, v);
}

static int make_conv(struct gaudi_builder *b, enum mme_conv_kind kind,
		     struct node *n, const struct gaudi_conv2d *desc,
		     uint32_t *node)
{
	struct mme_list lists[MME_NUM_PAIRS] = {};
	struct mme_conv v = { .kind = kind };
	struct gaudi_conv2d d = *desc;
	int rc;

	if (!d.groups)
		d.groups = 1;
	rc = check_operands(n);
	if (!rc && n->flags & (GAUDI_TRANSPOSE_A | GAUDI_TRANSPOSE_B))
		rc = refuse(n, -EINVAL, "flags %#x: a convolution transposes nothing",
			    n->flags);
	if (!rc)
		rc = get_conv_of(n, &d, &v);
	if (rc)
		return rc;
	v.in_fp32 = tensor(n, n->a)->type == GAUDI_TYPE_F32;
	v.out_fp32 = tensor(n, n->to)->type == GAUDI_TYPE_F32;
	v.relu = n->flags & GAUDI_RELU;
	v.reduce = n->flags & GAUDI_ACCUMULATE;
	rc = mme_conv(&v, lists);

	return finish(b, n, rc, lists, node);
}

static int add_conv(struct gaudi_builder *b, enum mme_conv_kind kind,
		    struct node *n, const struct gaudi_conv2d *desc,
		    uint32_t *node)
{
	struct gaudi_conv2d d;
	int rc;

	rc = gd_sized_get(&d, sizeof(d), desc, sizeof(d.size), "gaudi_conv2d");
	if (rc)
		return rc;
	if (d.reserved)
		return gd_fail(-EINVAL, "struct gaudi_conv2d: reserved is %#x, not 0",
			       d.reserved);

	return make_conv(b, kind, n, &d, node);
}

int gaudi_builder_add_conv2d(struct gaudi_builder *b, uint32_t y, uint32_t x,
			     uint32_t w, const struct gaudi_conv2d *desc,
			     uint32_t flags, uint32_t *node)
{
	struct node n = { b, "conv2d", y, x, w, flags };

	return add_conv(b, MME_CONV_FORWARD, &n, desc, node);
}

int gaudi_builder_add_conv2d_data(struct gaudi_builder *b, uint32_t dx,
				  uint32_t dy, uint32_t w,
				  const struct gaudi_conv2d *desc,
				  uint32_t flags, uint32_t *node)
{
	struct node n = { b, "conv2d_data", dx, dy, w, flags };

	return add_conv(b, MME_CONV_DATA, &n, desc, node);
}

int gaudi_builder_add_conv2d_weights(struct gaudi_builder *b, uint32_t dw,
				     uint32_t x, uint32_t dy,
				     const struct gaudi_conv2d *desc,
				     uint32_t flags, uint32_t *node)
{
	struct node n = { b, "conv2d_weights", dw, x, dy, flags };

	return add_conv(b, MME_CONV_WEIGHTS, &n, desc, node);
}
