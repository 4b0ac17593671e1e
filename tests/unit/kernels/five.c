// SPDX-License-Identifier: GPL-2.0-only
#include <math.h>

#include "five.h"

#define COUNT(a)	(sizeof(a) / sizeof((a)[0]))

static uint32_t mixed(size_t i, uint32_t which)
{
	uint32_t x = (uint32_t)(i * 2654435761u + which * 40503u + 777u);

	x ^= x >> 15;
	x *= 0x2c1b3c6d;
	return x ^ x >> 12;
}

static const struct kernel_lib_tensor *space_of(const struct kernel_lib *k)
{
	return &k->tensors[k->space_tensor];
}

static bool has_rule(const struct kernel_lib *k, uint32_t rule)
{
	uint32_t t;

	for (t = 0; t < k->num_tensors; t++)
		if (k->tensors[t].rule == rule)
			return true;
	return false;
}

/* Of what the others go by. More than one step along as many dims as memory has. */
static void usual_dims(const struct kernel_lib *k, uint32_t *dims)
{
	static const uint32_t rows[] = { 300, 2, 3, 2, 3 };
	static const uint32_t blocks[] = { 130, 17, 2, 2, 2 };
	static const uint32_t planes[] = { 130, 5, 3, 2, 2 };
	uint32_t d;

	memcpy(dims, rows, sizeof(rows));
	if (has_rule(k, KERNEL_LIB_WINDOWS) || has_rule(k, KERNEL_LIB_POOLED) ||
	    has_rule(k, KERNEL_LIB_STRIDED))
		memcpy(dims, planes, sizeof(planes));
	for (d = 1; d < 5; d++)
		if (k->step[d] > 2) {
			memcpy(dims, blocks, sizeof(blocks));
			dims[1] = dims[d];
			dims[d] = 17;
		}
}

/* Some kernels leave no choice along some dims. */
static void space_dims(const struct kernel_lib *k, uint32_t *dims)
{
	uint32_t t, d;

	for (t = 0; t < k->num_tensors; t++) {
		if (k->tensors[t].rule == KERNEL_LIB_ALONG)
			dims[k->tensors[t].of] = 1;
		if (k->tensors[t].rule == KERNEL_LIB_EIGHT &&
		    t == k->space_tensor)
			dims[0] = 8;
	}
	if (space_of(k)->rule == KERNEL_LIB_MATRIX ||
	    space_of(k)->rule == KERNEL_LIB_EIGHT)
		for (d = 1; d < 5; d++)
			dims[d] = d == 1 && space_of(k)->rule ==
				  KERNEL_LIB_MATRIX ? 7 : 1;
}

static uint32_t order_of(const struct kernel_lib *k)
{
	uint32_t perm = 043210, t, d;

	for (t = 0; t < k->num_tensors; t++) {
		d = k->tensors[t].of;
		if (k->tensors[t].rule != KERNEL_LIB_ORDER)
			continue;
		if (!d)
			return 034120;
		perm = (perm & ~7u & ~(7u << 3 * d)) | d;
	}
	return perm;
}

static void tensor_dims(const struct run *r, uint32_t t, const uint32_t *like,
			const uint32_t *along, uint32_t *dims)
{
	const struct kernel_lib_tensor *kt = &r->k->tensors[t];
	uint32_t own[5], d;

	if (kt->rule == KERNEL_LIB_ROW && kt->of != r->k->space_tensor) {
		tensor_dims(r, kt->of, like, along, own);
		like = own;
	}
	for (d = 0; d < 5; d++)
		switch (kt->rule) {
		case KERNEL_LIB_ROW:
			dims[d] = d ? like[d] : 1;
			break;
		case KERNEL_LIB_ONE:
			dims[d] = 1;
			break;
		case KERNEL_LIB_EIGHT:
			dims[d] = d ? 1 : 8;
			break;
		case KERNEL_LIB_TABLE:
			dims[d] = d ? d == 1 ? 9 : 1 : like[d];
			break;
		case KERNEL_LIB_ANY:
			dims[d] = d == kt->of && like[d] ? 9 : like[d];
			break;
		case KERNEL_LIB_ALONG:
			dims[d] = d == kt->of ? along[d] : like[d];
			break;
		case KERNEL_LIB_SWAPPED:
			dims[d] = like[d < 2 ? 1 - d : d];
			break;
		case KERNEL_LIB_ORDER:
			dims[d] = like[order_of(r->k) >> 3 * d & 7];
			break;
		case KERNEL_LIB_WINDOWS:
			dims[d] = like[d];
			if (d - 1 < 2 && like[d])
				dims[d] = 2 * like[d] - 1;
			break;
		case KERNEL_LIB_POOLED:
			dims[d] = d == 1 || d == 2 ? like[d] / 2 : like[d];
			break;
		case KERNEL_LIB_STRIDED:
			/* The windows of scalars(). */
			dims[d] = like[d];
			if (d - 1 < 2 && t != r->k->space_tensor &&
			    space_of(r->k)->rule != KERNEL_LIB_STRIDED)
				dims[d] = d == 1 ? 3 : 2;
			break;
		case KERNEL_LIB_SAME:
			dims[d] = like[d];
			if (d - 1 < 2 && kt->of != r->k->space_tensor)
				dims[d] = d == 1 ? 9 :
					  has_rule(r->k, KERNEL_LIB_STRIDED) ?
					  4 : 2;
			break;
		case KERNEL_LIB_SPREAD:
			dims[d] = d == 1 || d == 3 ? 1 : like[d];
			break;
		default:
			dims[d] = like[d];
		}
}

static void fill_words(struct run *r, uint32_t t)
{
	const char *name = r->k->tensors[t].name;
	uint32_t x;
	size_t i;

	for (i = 0; i < r->t[t].count; i++) {
		x = mixed(i, t);
		if (!strcmp(name, "LABEL"))
			x %= r->t[r->k->space_tensor].dims[0] + r->t[0].dims[0] + 1;
		else if (!strcmp(name, "INDEX"))
			x = x % 11 - 1;		/* two are in no table */
		else if (!strcmp(name, "FOUND"))
			x = x % 3 ? 0 : x;
		else if (!strcmp(name, "AT"))
			x %= 15;
		else if (!strcmp(name, "COND") || !strcmp(name, "MASK"))
			x %= 3;
		else if (r->t[t].type == GAUDI_TYPE_I32 && x % 4 == 1)
			/* Some that are equal, as counts and divisors small. */
			x = x / 4 % 11 - 3;
		set_raw(&r->t[t], i, x);
	}
}

static void fill(struct run *r, uint32_t t)
{
	static const float rates[] = { 0.01f, 0.9f, 0.99f, 1e-8f, 0.01f, 0.81f,
				       0.98f, 0 };
	const struct kernel_lib_tensor *kt = &r->k->tensors[t];
	bool square = !strncmp(r->k->name, "adamw", 5) && kt->name[0] == 'V';
	float x;
	size_t i;

	if (kt->type != GAUDI_TYPE_F32 && kt->type != GAUDI_TYPE_BF16) {
		fill_words(r, t);
		return;
	}
	for (i = 0; i < r->t[t].count; i++) {
		x = ((int)(mixed(i, t) % 4001) - 2000) / 256.0f;
		/* Else products are beyond f32 or not by their order. */
		if (!strncmp(r->k->name, "prod_rows", 9))
			x = 1 - x / 32;
		set(&r->t[t], i, kt->rule == KERNEL_LIB_EIGHT ? rates[i] :
		    square ? fabsf(x) : x);
	}
}

static void scalars(struct run *r)
{
	static const struct {
		const char *name;
		uint32_t value;
	} known[] = {
		{ "KW", 3 }, { "KH", 2 }, { "SW", 2 }, { "SH", 1 },
		{ "PW", 1 }, { "PH", 0 }, { "OUTSIDE", 0 },
		{ "DROP", 0x40000000 }, { "LOW", -3u }, { "RANGE", 1000 },
		{ "DIAGONAL", 2 }, { "HIGH", 5 }, { "ALSO", 7 },
	};
	uint32_t i, k;

	for (i = 0; i < r->k->num_scalars; i++) {
		r->scalars[i] = bits_of(0.375f);
		if (!strcmp(r->k->scalars[i].name, "PERM"))
			r->scalars[i] = order_of(r->k);
		for (k = 0; k < COUNT(known); k++)
			if (!strcmp(r->k->scalars[i].name, known[k].name))
				r->scalars[i] = known[k].value;
	}
}

static void lay_out(struct run *r, uint32_t t, const struct five_layout *l)
{
	const struct kernel_lib_tensor *kt = &r->k->tensors[t];
	struct tensor *to = &r->t[t];
	uint32_t i, d, step = 1;

	if (l->few && kt->rule == KERNEL_LIB_FEWER &&
	    t != r->k->space_tensor)
		shape(to, 2, to->dims);
	to->strided = true;
	to->guard = l->guard;
	for (i = 0; i < 5; i++) {
		d = l->order[i];
		to->strides[d] = step;
		step = step * to->dims[d] + l->gap[i];
	}
	if (!l->again || kt->access & GAUDI_KERNEL_WRITES)
		return;
	for (d = 2; d < 5; d++)
		to->strides[d] = 0;
}

static void fill_all(struct run *r)
{
	uint32_t t;

	run_begin(r);
	for (t = 0; t < r->k->num_tensors; t++)
		if (r->k->tensors[t].access & GAUDI_KERNEL_READS)
			fill(r, t);
	scalars(r);
}

void five_begin(struct run *r, const char *name,
		const struct five_layout *layout)
{
	static const uint32_t along[] = { 300, 4, 4, 4, 4 };
	uint32_t like[5], dims[5], t;

	run_open(r, name);
	usual_dims(r->k, like);
	space_dims(r->k, like);
	for (t = 0; t < r->k->num_tensors; t++) {
		tensor_dims(r, t, like, along, dims);
		shape(&r->t[t], 5, dims);
		if (layout)
			lay_out(r, t, layout);
	}
	fill_all(r);
}

void five_sized(struct run *r, const char *name, const uint32_t *given)
{
	uint32_t like[5], dims[5], t, rank, least;

	run_open(r, name);
	/* What is beyond a plane is known by its dims; orders name all of them. */
	least = has_rule(r->k, KERNEL_LIB_ORDER) ? 5 :
		has_rule(r->k, KERNEL_LIB_WINDOWS) ||
		has_rule(r->k, KERNEL_LIB_POOLED) ? 3 :
		has_rule(r->k, KERNEL_LIB_SWAPPED) ? 2 : 1;
	memcpy(like, given, sizeof(like));
	space_dims(r->k, like);
	for (t = 0; t < r->k->num_tensors; t++) {
		tensor_dims(r, t, like, given, dims);
		for (rank = 5; rank > least && dims[rank - 1] == 1;)
			rank--;
		shape(&r->t[t], rank, dims);
	}
	fill_all(r);
}

size_t five_bytes(const struct run *r, uint32_t t)
{
	return r->t[t].count * (r->t[t].type == GAUDI_TYPE_BF16 ? 2 : 4);
}

uint8_t *five_save(const struct run *r)
{
	uint8_t *all = malloc(HOST_BYTES);
	size_t at = 0;
	uint32_t t;

	assert_non_null(all);
	for (t = 0; t < r->k->num_tensors; t++) {
		memcpy(all + at, r->t[t].p, five_bytes(r, t));
		at += five_bytes(r, t);
	}
	return all;
}

void five_restore(const struct run *r, const uint8_t *all)
{
	uint32_t t;

	for (t = 0; t < r->k->num_tensors; t++) {
		memcpy(r->t[t].p, all, five_bytes(r, t));
		all += five_bytes(r, t);
	}
}
