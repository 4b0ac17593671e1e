// SPDX-License-Identifier: MIT
/*
 * Products and convolutions on the host, of any types. Sums are of double, or of
 * integers that wrap; results are rounded once.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host_math.h"

static bool get_params(const struct gaudi_host_call *call, bool transposes,
		       struct host_matrix *m, uint32_t *access)
{
	if (call->num_tensors != 3 || call->params_size != sizeof(*m))
		return false;
	memcpy(m, call->params, sizeof(*m));
	access[0] = GAUDI_KERNEL_WRITES |
		    (m->flags & GAUDI_ACCUMULATE ? GAUDI_KERNEL_READS : 0);
	access[1] = access[2] = GAUDI_KERNEL_READS;

	return !(m->flags & ~(uint32_t)(GAUDI_RELU | GAUDI_ACCUMULATE |
					(transposes ? GAUDI_TRANSPOSE_A |
					 GAUDI_TRANSPOSE_B : 0)));
}

/* The sum into its element, as the flags say. */
static void finish(const struct gaudi_host_tensor *to, void *p,
		   struct host_num sum, uint32_t flags, bool integer)
{
	struct host_num n;

	if (flags & GAUDI_ACCUMULATE) {
		n = host_get(to->type, p);
		sum.f += n.f;
		sum.i += n.i;
	}
	if (flags & GAUDI_RELU && (integer && host_is_signed(to->type) ?
				   (int64_t)sum.i < 0 : !(sum.f > 0)))
		sum = (struct host_num) {};
	host_put(to->type, p, sum, integer);
}

static void add_product(struct host_num *sum, struct host_num a,
			struct host_num b)
{
	sum->f += a.f * b.f;
	sum->i += a.i * b.i;
}

/* --- products ---------------------------------------------------------------- */

static bool check_matmul(const struct gaudi_host_call *call, uint32_t *access)
{
	const struct gaudi_host_tensor *to = &call->tensors[0];
	const struct gaudi_host_tensor *a = &call->tensors[1];
	const struct gaudi_host_tensor *b = &call->tensors[2];
	struct host_matrix m;
	uint32_t ta, tb, d;

	if (!get_params(call, true, &m, access) || to->rank < 2 ||
	    a->rank < 2 || b->rank < 2 || a->rank > to->rank ||
	    b->rank > to->rank)
		return false;
	ta = !!(m.flags & GAUDI_TRANSPOSE_A);
	tb = !!(m.flags & GAUDI_TRANSPOSE_B);
	if (host_dim(a, ta) != host_dim(b, !tb) ||
	    host_dim(a, !ta) != host_dim(to, 1) ||
	    host_dim(b, tb) != host_dim(to, 0))
		return false;
	for (d = 2; d < to->rank; d++)
		if ((host_dim(a, d) != 1 && host_dim(a, d) != host_dim(to, d)) ||
		    (host_dim(b, d) != 1 && host_dim(b, d) != host_dim(to, d)))
			return false;

	return true;
}

static int run_matmul(const struct gaudi_host_call *call, void *arg)
{
	const struct gaudi_host_tensor *to = &call->tensors[0];
	const struct gaudi_host_tensor *a = &call->tensors[1];
	const struct gaudi_host_tensor *b = &call->tensors[2];
	bool integer = host_all_int(call);
	uint32_t access[3], ta, tb;
	struct host_matrix m;
	struct host_walk w;

	(void)arg;
	if (!get_params(call, true, &m, access))
		return -EINVAL;
	ta = !!(m.flags & GAUDI_TRANSPOSE_A);
	tb = !!(m.flags & GAUDI_TRANSPOSE_B);
	host_begin(&w, to);
	do {
		uint64_t at_a[GAUDI_MAX_RANK], at_b[GAUDI_MAX_RANK], k;
		struct host_num sum = {};

		memcpy(at_a, w.at, sizeof(at_a));
		memcpy(at_b, w.at, sizeof(at_b));
		at_a[!ta] = w.at[1];
		at_b[tb] = w.at[0];
		for (k = 0; k < host_dim(a, ta); k++) {
			at_a[ta] = at_b[!tb] = k;
			add_product(&sum, host_get(a->type, host_at(a, at_a)),
				    host_get(b->type, host_at(b, at_b)));
		}
		finish(to, host_at(to, w.at), sum, m.flags, integer);
	} while (host_next(&w));

	return 0;
}

/* --- convolutions ------------------------------------------------------------ */

/* By what they are: x and y of the forward pass, whichever is written. */
struct conv {
	const struct gaudi_host_tensor *x, *w, *y;
	struct gaudi_conv2d by;
	struct host_matrix m;
};

static void get_roles(const struct gaudi_host_call *call, struct conv *c)
{
	const struct gaudi_host_tensor *t = call->tensors;

	uint32_t x = 1, w = 2, y = 0;

	c->by = c->m.window;
	if (!strcmp(call->op, "conv2d_data")) {
		x = 0;
		y = 1;
	} else if (!strcmp(call->op, "conv2d_weights")) {
		w = 0;
		y = 2;
	}
	c->x = &t[x];
	c->w = &t[w];
	c->y = &t[y];
}

static bool check_conv(const struct gaudi_host_call *call, uint32_t *access)
{
	const struct gaudi_conv2d *d;
	uint64_t groups;
	struct conv c;
	uint32_t i;

	if (!get_params(call, false, &c.m, access))
		return false;
	get_roles(call, &c);
	d = &c.by;
	groups = d->groups;
	if (d->reserved || c.x->rank != 4 || c.w->rank != 4 ||
	    c.y->rank != 4 || !groups ||
	    c.x->dims[3] % groups || c.w->dims[3] % groups ||
	    c.w->dims[2] != c.x->dims[3] / groups ||
	    c.y->dims[3] != c.w->dims[3] || c.y->dims[0] != c.x->dims[0])
		return false;
	for (i = 0; i < 2; i++) {
		uint64_t span, all;

		if (!d->stride[i] || !d->dilation[i])
			return false;
		if (__builtin_mul_overflow(c.w->dims[i] - 1, d->dilation[i],
					   &span))
			return false;
		all = c.x->dims[1 + i] + 2ull * d->padding[i] +
		      d->extra_padding[i];
		if (span >= all ||
		    (all - span - 1) / d->stride[i] + 1 != c.y->dims[1 + i])
			return false;
	}

	return true;
}

/* The place in x of a tap at a place in y; false: in the padding. */
static bool source(const struct conv *c, uint32_t i, uint64_t y, uint64_t tap,
		   uint64_t *x)
{
	uint64_t at = y * c->by.stride[i] + tap * c->by.dilation[i];

	*x = at - c->by.padding[i];

	return at >= c->by.padding[i] && *x < c->x->dims[1 + i];
}

/* All that an element of y has to do with: @sums is of the tensor written. */
static void walk_taps(const struct conv *c, const uint64_t *y,
		      const struct gaudi_host_tensor *to, struct host_num *sums)
{
	uint64_t in = c->w->dims[2], out = c->w->dims[3] / c->by.groups;
	uint64_t x[4] = { 0, 0, 0, y[3] }, w[4] = { y[0] }, k, at;
	const uint64_t *here = to == c->x ? x : to == c->w ? w : y;

	for (w[3] = 0; w[3] < c->w->dims[0]; w[3]++) {
		if (!source(c, 0, y[2], w[3], &x[2]))
			continue;
		for (w[2] = 0; w[2] < c->w->dims[1]; w[2]++) {
			if (!source(c, 1, y[1], w[2], &x[1]))
				continue;
			for (k = 0; k < in; k++) {
				const struct gaudi_host_tensor *a, *b;
				const uint64_t *at_a, *at_b;

				w[1] = k;
				x[0] = y[0] / out * in + k;
				a = to == c->x ? c->y : c->x;
				at_a = to == c->x ? y : x;
				b = to == c->w ? c->y : c->w;
				at_b = to == c->w ? y : w;
				at = ((here[3] * to->dims[1] + here[2]) *
				      to->dims[2] + here[1]) * to->dims[3] +
				     here[0];
				add_product(&sums[at],
					    host_get(a->type, host_at(a, at_a)),
					    host_get(b->type, host_at(b, at_b)));
			}
		}
	}
}

static int run_conv(const struct gaudi_host_call *call, void *arg)
{
	const struct gaudi_host_tensor *to = &call->tensors[0];
	bool integer = host_all_int(call);
	struct host_num *sums;
	struct host_walk walk;
	uint32_t access[3];
	struct conv c;
	size_t i = 0;

	(void)arg;
	if (!get_params(call, false, &c.m, access))
		return -EINVAL;
	get_roles(call, &c);
	sums = calloc(to->dims[0] * to->dims[1] * to->dims[2] * to->dims[3],
		      sizeof(*sums));
	if (!sums)
		return -ENOMEM;
	host_begin(&walk, c.y);
	do
		walk_taps(&c, walk.at, to, sums);
	while (host_next(&walk));
	host_begin(&walk, to);
	do
		finish(to, host_at(to, walk.at), sums[i++], c.m.flags, integer);
	while (host_next(&walk));
	free(sums);

	return 0;
}

const struct host_builtin host_matrices[] = {
	{ "matmul", run_matmul, check_matmul },
	{ "conv2d", run_conv, check_conv },
	{ "conv2d_data", run_conv, check_conv },
	{ "conv2d_weights", run_conv, check_conv },
	{},
};
