// SPDX-License-Identifier: MIT
/*
 * Nodes that run the built-in kernels. Some of these read by addresses that the
 * TPC does not check: what keeps them within their tensors are the checks here.
 */
#include <errno.h>
#include <inttypes.h>

#include "builder.h"
#include "../base/base.h"
#include "../kernels/kernels.h"
#include "../base/sized.h"

#define DIMS	PROG_TPC_DIMS
/* So that what counts by steps stays below 2^31. */
#define MAX_DIM	(INT32_MAX - 1023)
#define MAX_WINDOW	32767u
#define MAX_PLANE	(1u << 30)

struct use {
	const struct gaudi_builder *b;
	const struct kernel_lib *k;
	const uint32_t *ids;	/* of the tensors */
	const struct recipe_tensor *t[KERNEL_LIB_TENSORS];
	uint32_t scalars[KERNEL_LIB_SCALARS];
};

#define refuse(u, fmt, ...) \
	gd_fail(-EINVAL, "node %zu, kernel '%s': " fmt, (u)->b->num_nodes, \
		(u)->k->name, __VA_ARGS__)

static uint64_t dim(const struct recipe_tensor *t, uint32_t d)
{
	return d < t->rank ? t->dims[t->rank - 1 - d] : 1;
}

/* --- shapes --------------------------------------------------------------- */

static int wrong_dim(const struct use *u, uint32_t i, uint32_t d, uint64_t want)
{
	return refuse(u, "%s '%s': dim %u, from the innermost, is %" PRIu64 ", not %" PRIu64,
		      u->k->tensors[i].name, u->t[i]->name, d,
		      dim(u->t[i], d), want);
}

static int check_order(const struct use *u, uint32_t i)
{
	uint32_t perm = u->scalars[0], first = u->k->tensors[i].of, seen = 0, d;

	for (d = 0; d < DIMS; d++)
		seen |= 1u << (perm >> 3 * d & 7);
	if (perm >> 3 * DIMS || seen != (1u << DIMS) - 1 ||
	    (perm & 7) != first)
		return refuse(u, "%s is 0%o, not an order of the digits 0 to 4 that ends with %u",
			      u->k->scalars[0].name, perm, first);

	return 0;
}

/*
 * Windows along a dim of @size: @is if that is a good number, else the one
 * without what is left at the end. The last window begins inside.
 */
static uint64_t windows(const struct use *u, uint32_t d, uint64_t size,
			uint64_t is)
{
	uint32_t width = u->scalars[d - 1], pad = u->scalars[d + 3];
	uint32_t step = u->scalars[d + 1];
	uint64_t whole = 0;

	if (size + 2 * pad >= width)
		whole = (size + 2 * pad - width) / step + 1;

	return is == whole + 1 && is > 0 && whole * step < size + pad &&
	       (size + 2 * pad - width) % step ? is : whole;
}

/* So that nothing in the kernel is beyond 2^31. */
static int check_windows(const struct use *u, uint32_t i)
{
	const struct recipe_tensor *plane = u->t[u->k->tensors[i].of];
	uint32_t d;

	for (d = 1; d < 3; d++) {
		const struct gaudi_kernel_scalar *s = u->k->scalars + d - 1;
		uint32_t width = u->scalars[d - 1], step = u->scalars[d + 1];
		uint32_t pad = u->scalars[d + 3];

		if (width < 1 || width > MAX_WINDOW)
			return refuse(u, "%s is %u, not 1 to %u", s[0].name,
				      width, MAX_WINDOW);
		if (step < 1 || step > MAX_WINDOW)
			return refuse(u, "%s is %u, not 1 to %u", s[2].name,
				      step, MAX_WINDOW);
		if (pad >= width)
			return refuse(u, "%s is %u, not less than %s, which is %u",
				      s[4].name, pad, s[0].name, width);
	}
	if (dim(plane, 1) > MAX_PLANE || dim(plane, 2) > MAX_PLANE ||
	    dim(plane, 1) * dim(plane, 2) > MAX_PLANE)
		return refuse(u, "%s '%s' has planes of %" PRIu64 " by %" PRIu64 ", at most %u elements",
			      u->k->tensors[u->k->tensors[i].of].name,
			      plane->name, dim(plane, 1), dim(plane, 2),
			      MAX_PLANE);

	return 0;
}

/* What dim @d of a tensor has to be. */
static uint64_t wanted(const struct use *u, uint32_t i, uint32_t d)
{
	const struct kernel_lib_tensor *kt = &u->k->tensors[i];
	const struct recipe_tensor *t = u->t[i], *ref;
	uint64_t is = dim(t, d), want;

	ref = u->t[kt->rule == KERNEL_LIB_ALONG || kt->rule == KERNEL_LIB_ORDER ||
		   kt->rule == KERNEL_LIB_ANY ? u->k->space_tensor : kt->of];
	want = dim(ref, d);
	switch (kt->rule) {
	case KERNEL_LIB_FEWER:
		return d >= t->rank && d ? is : want;
	case KERNEL_LIB_SPREAD:
		return is == 1 ? is : want;
	case KERNEL_LIB_ROW:
		return d ? want : 1;
	case KERNEL_LIB_ONE:
		return 1;
	case KERNEL_LIB_EIGHT:
		return d ? 1 : 8;
	case KERNEL_LIB_TABLE:
		return d > 1 ? 1 : d ? is : want;
	case KERNEL_LIB_MATRIX:
		return d > 1 ? 1 : is;
	case KERNEL_LIB_ALONG:
	case KERNEL_LIB_ANY:
		return d == kt->of ? is : want;
	case KERNEL_LIB_SWAPPED:
		return d < 2 ? dim(ref, 1 - d) : want;
	case KERNEL_LIB_ORDER:
		return dim(ref, u->scalars[0] >> 3 * d & 7);
	case KERNEL_LIB_WINDOWS:
		if (d != 1 && d != 2)
			return want;
		return is / 2 == want || is / 2 + is % 2 == want ? is : 2 * want;
	case KERNEL_LIB_POOLED:
		if (d != 1 && d != 2)
			return want;
		return is == want / 2 ? is : want / 2 + want % 2;
	case KERNEL_LIB_STRIDED:
		return d == 1 || d == 2 ? windows(u, d, want, is) : want;
	default:
		return want;
	}
}

static int check_shape(const struct use *u, uint32_t i)
{
	const struct kernel_lib_tensor *kt = &u->k->tensors[i];
	uint32_t space = u->k->space_tensor, d;
	uint64_t want;
	int rc = 0;

	if (kt->rule == KERNEL_LIB_ORDER)
		rc = check_order(u, i);
	if (kt->rule == KERNEL_LIB_STRIDED)
		rc = check_windows(u, i);
	if (!rc && kt->rule == KERNEL_LIB_ALONG &&
	    dim(u->t[space], kt->of) != 1)
		rc = wrong_dim(u, space, kt->of, 1);
	for (d = 0; !rc && d < DIMS; d++) {
		want = wanted(u, i, d);
		if (dim(u->t[i], d) != want)
			rc = wrong_dim(u, i, d, want);
	}

	return rc;
}

/* The same memory twice is good only for the same element. */
static int check_twice(const struct use *u, uint32_t i, uint32_t j)
{
	const struct kernel_lib_tensor *a = &u->k->tensors[i];
	const struct kernel_lib_tensor *b = &u->k->tensors[j];
	uint32_t writes = a->access | b->access;
	uint32_t both = a->access & b->access;

	if (u->ids[i] != u->ids[j] || !(writes & GAUDI_KERNEL_WRITES))
		return 0;
	if (!(both & GAUDI_KERNEL_WRITES) && a->rule <= KERNEL_LIB_SPREAD &&
	    b->rule <= KERNEL_LIB_SPREAD)
		return 0;

	return refuse(u, "tensor '%s' is both %s and %s, of which one is written",
		      u->t[i]->name, a->name, b->name);
}

bool build_is_apart(const struct recipe_tensor *t)
{
	uint64_t reach;
	uint32_t d, e;

	for (d = 0; d < t->rank; d++) {
		if (t->dims[d] < 2)
			continue;
		reach = gaudi_type_size(t->type);
		for (e = 0; e < t->rank; e++)
			if (t->strides[e] < t->strides[d] ||
			    (t->strides[e] == t->strides[d] && e > d))
				reach += (t->dims[e] - 1) * t->strides[e];
		if (t->strides[d] < reach)
			return false;
	}

	return true;
}

static int check_alone(const struct use *u, uint32_t i)
{
	const struct kernel_lib_tensor *kt = &u->k->tensors[i];
	const struct recipe_tensor *t = u->t[i];
	uint32_t d;

	if (t->type != kt->type)
		return refuse(u, "%s '%s' is %s, not %s", kt->name, t->name,
			      gaudi_type_name(t->type),
			      gaudi_type_name(kt->type));
	if (t->rank > DIMS)
		return refuse(u, "%s '%s' has rank %u, at most %u", kt->name,
			      t->name, t->rank, DIMS);
	for (d = 0; d < DIMS; d++)
		if (dim(t, d) > MAX_DIM)
			return refuse(u, "%s '%s': dim %u, from the innermost, is %" PRIu64 ", at most %d",
				      kt->name, t->name, d, dim(t, d), MAX_DIM);
	if (kt->access & GAUDI_KERNEL_WRITES && !build_is_apart(t))
		return refuse(u, "%s '%s' is written, and by its strides some of its elements share memory",
			      kt->name, t->name);

	return 0;
}

static int check_tensors(struct use *u)
{
	const struct kernel_lib *k = u->k;
	uint32_t i, j;
	int rc = 0;

	for (i = 0; !rc && i < k->num_tensors; i++) {
		rc = build_check_tensor(u->b, u->ids[i]);
		if (rc)
			return rc;
		u->t[i] = &u->b->tensors[u->ids[i]].t;
		rc = check_alone(u, i);
	}
	for (i = 0; !rc && i < k->num_tensors; i++) {
		rc = check_shape(u, i);
		for (j = 0; !rc && j < i; j++)
			rc = check_twice(u, j, i);
	}

	return rc;
}

/* --- the call ------------------------------------------------------------- */

/*
 * What there is to do, in bytes: those of all tensors, but what slides over a plane
 * reads each of its elements once for each window.
 */
static uint64_t work_of(const struct use *u)
{
	uint64_t bytes = 0, windows = 1;
	uint32_t i;

	for (i = 0; i < u->k->num_tensors; i++) {
		bytes += u->t[i]->bytes;
		if (u->k->tensors[i].rule == KERNEL_LIB_STRIDED)
			windows = (uint64_t)u->scalars[0] * u->scalars[1];
	}

	return bytes < UINT64_MAX / windows ? bytes * windows : UINT64_MAX;
}

static int put_node(const struct use *u, struct gaudi_builder *b,
		    uint32_t *node)
{
	const struct kernel_lib *k = u->k;
	const struct recipe_tensor *t = u->t[k->space_tensor];
	struct gaudi_kernel g = {
		.size = sizeof(g), .name = k->name, .object = k->object,
		.object_size = k->object_size, .num_tensors = k->num_tensors,
		.num_scalars = k->num_scalars, .rank = DIMS,
	};
	uint32_t i;

	kernel_lib_space(k, t->rank, t->dims, g.index_space);
	for (i = 0; i < k->num_tensors; i++)
		g.tensors[i] = (struct gaudi_kernel_tensor) {
			.tensor = u->ids[i],
			.access = k->tensors[i].access,
			.padding = k->tensors[i].padding,
		};
	for (i = 0; i < k->num_scalars; i++)
		g.scalars[i] = u->scalars[i];

	return build_add_kernel(b, &g, NULL, work_of(u), node);
}

/* Those at the end may be missing, if they have defaults. */
static int take_scalars(struct use *u, uint32_t num, const uint32_t *scalars)
{
	const struct kernel_lib *k = u->k;
	uint32_t i;

	if (num > k->num_scalars ||
	    (num < k->num_scalars && !k->scalars[num].has_default))
		return refuse(u, "%u scalars, not %u", num, k->num_scalars);
	for (i = 0; i < k->num_scalars; i++)
		u->scalars[i] = i < num ? scalars[i] :
					  k->scalars[i].default_value;

	return 0;
}

int gaudi_builder_add_library_kernel(struct gaudi_builder *b, const char *name,
				     uint32_t num_tensors,
				     const uint32_t *tensors,
				     uint32_t num_scalars,
				     const uint32_t *scalars, uint32_t *node)
{
	struct use u = { .b = b, .ids = tensors };
	int rc;

	if (!b || !name || (num_tensors && !tensors) ||
	    (num_scalars && !scalars))
		return gd_fail(-EINVAL, "no builder, no name of a kernel, or numbers of what is NULL");
	u.k = kernel_lib_find(name);
	if (!u.k)
		return gd_fail(-ENOENT, "node %zu: no built-in kernel '%.255s'",
			       b->num_nodes, name);
	if (num_tensors != u.k->num_tensors)
		return refuse(&u, "%u tensors, not %u", num_tensors,
			      u.k->num_tensors);
	rc = take_scalars(&u, num_scalars, scalars);
	if (!rc)
		rc = check_tensors(&u);

	return rc ? rc : put_node(&u, b, node);
}

/* --- what there is --------------------------------------------------------- */

int gaudi_kernel_describe(const char *name,
			  struct gaudi_kernel_description *description)
{
	struct gaudi_kernel_description all = {};
	const struct kernel_lib *k;
	int rc;

	if (!name)
		return gd_fail(-EINVAL, "no name of a kernel");
	rc = gd_sized_check(description, sizeof(description->size),
			    "gaudi_kernel_description");
	if (rc)
		return rc;
	k = kernel_lib_find(name);
	if (!k)
		return gd_fail(-ENOENT, "no built-in kernel '%.255s'", name);
	all = (struct gaudi_kernel_description) {
		.name = k->name, .computes = k->computes,
		.num_tensors = k->num_tensors, .num_scalars = k->num_scalars,
		.tensors = k->operands, .scalars = k->scalars,
	};
	gd_sized_put(description, &all, sizeof(all));

	return 0;
}

const char *gaudi_kernel_name(uint32_t index)
{
	return index < gaudi_kernel_lib_count ? gaudi_kernel_lib[index].name :
						NULL;
}
