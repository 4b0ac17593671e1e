// SPDX-License-Identifier: MIT
/*
 * Reductions on the card: a kernel of libgaudi's for rows that lie at equal distances, made
 * for a size. Sizes are rounded up to few, so that recipes are few; what is computed beyond
 * the row's elements is not used.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "exec_priv.h"
#include "gaudi_launch.h"

#define MOST_LAUNCHERS	48u
#define LEAST_ELEMENTS	128u

struct kept {
	hcclDataType_t type;
	hcclRedOp_t op;
	uint32_t rows;
	uint64_t elements;
	uint64_t used;			/* when; 0: empty */
	struct gaudi_launcher *launcher;
};

struct coll_reducer {
	struct gaudi_device *device;
	uint32_t row_bytes;
	uint64_t uses;
	struct kept kept[MOST_LAUNCHERS];
};

int coll_reducer_create(struct gaudi_device *device, uint32_t row_bytes,
			struct coll_reducer **reducer)
{
	*reducer = calloc(1, sizeof(**reducer));
	if (!*reducer)
		return coll_fail(-ENOMEM, "no memory for reductions");
	(*reducer)->device = device;
	(*reducer)->row_bytes = row_bytes;

	return 0;
}

void coll_reducer_free(struct coll_reducer *reducer)
{
	if (!reducer)
		return;
	for (uint32_t i = 0; i < MOST_LAUNCHERS; i++)
		gaudi_launcher_destroy(reducer->kept[i].launcher);
	free(reducer);
}

/* 4, 5, 6 or 7 times a power of two. */
static uint64_t round_up(uint64_t count, uint64_t most)
{
	uint64_t unit = LEAST_ELEMENTS / 4;

	while (unit * 8 < count)
		unit *= 2;
	count = (count + unit - 1) / unit * unit;
	if (count < LEAST_ELEMENTS)
		count = LEAST_ELEMENTS;

	return count < most ? count : most;
}

/* Elements in a word: narrow ones are read as words of 32 bits. */
static uint32_t in_word(hcclDataType_t type)
{
	return type == hcclFloat16 ? 2 :
	       type == hcclInt8 || type == hcclUint8 ? 4 : 1;
}

/* Of a row of the kernel's. */
static uint64_t items(const struct coll_reducer *reducer, hcclDataType_t type,
		      uint64_t count)
{
	uint32_t words = in_word(type), size = coll_type_size(type) * words;

	return round_up((count + words - 1) / words, reducer->row_bytes / size);
}

bool coll_reduce_is_exact(const struct coll_reducer *reducer,
			  hcclDataType_t type, uint64_t count, gaudi_ptr to)
{
	uint32_t words = in_word(type);

	return !(to % (coll_type_size(type) * words)) &&
	       items(reducer, type, count) * words == count;
}

/* Sums that run over are the same, with a sign or without. */
static void kernel_name(const struct kept *kept, char name[32])
{
	static const char * const types[hcclNumTypes] = {
		[hcclFloat32] = "f32", [hcclBfloat16] = "bf16",
		[hcclFloat16] = "f16", [hcclInt32] = "i32", [hcclUint32] = "u32",
		[hcclInt8] = "i8", [hcclUint8] = "u8",
	};
	hcclDataType_t type = kept->type;

	if (kept->op == hcclSum && type == hcclUint32)
		type = hcclInt32;
	if (kept->op == hcclSum && type == hcclUint8)
		type = hcclInt8;
	snprintf(name, 32, "%s_columns_%s",
		 kept->op == hcclAvg ? "mean" : coll_op_name(kept->op),
		 types[type]);
}

static uint32_t type_of(const struct kept *kept)
{
	switch (kept->type) {
	case hcclFloat32:
		return GAUDI_TYPE_F32;
	case hcclBfloat16:
		return GAUDI_TYPE_BF16;
	case hcclInt32:
		return GAUDI_TYPE_I32;
	case hcclUint32:
		return kept->op == hcclSum ? GAUDI_TYPE_I32 : GAUDI_TYPE_U32;
	default:
		return GAUDI_TYPE_U32;
	}
}

static int build(const struct coll_reducer *reducer, const struct kept *kept,
		 struct gaudi_builder *builder, struct gaudi_recipe **recipe)
{
	uint32_t size = coll_type_size(kept->type) * in_word(kept->type);
	uint32_t tensors[2];
	struct gaudi_tensor_desc desc = {
		.size = sizeof(desc),
		.name = "rows",
		.kind = GAUDI_TENSOR_INPUT,
		.type = type_of(kept),
		.rank = 2,
		.num_strides = 2,
		.dims = { kept->rows, kept->elements },
		.strides = { reducer->row_bytes, size },
	};
	char name[32];
	int rc = gaudi_builder_add_tensor(builder, &desc, &tensors[0]);

	desc.name = "result";
	desc.kind = GAUDI_TENSOR_OUTPUT;
	desc.dims[0] = 1;
	if (!rc)
		rc = gaudi_builder_add_tensor(builder, &desc, &tensors[1]);
	kernel_name(kept, name);
	if (!rc)
		rc = gaudi_builder_add_library_kernel(builder, name, 2, tensors,
						      0, NULL, NULL);

	return rc ? rc : gaudi_builder_build(builder, recipe);
}

static int make(const struct coll_reducer *reducer, struct kept *kept)
{
	struct gaudi_recipe *recipe = NULL;
	struct gaudi_builder *builder;
	int rc = gaudi_builder_create("reduction", &builder);

	if (rc)
		return coll_gaudi(rc, "a reduction");
	rc = coll_gaudi(build(reducer, kept, builder, &recipe), "a reduction");
	gaudi_builder_destroy(builder);
	if (!rc) {
		rc = coll_gaudi(gaudi_launcher_create(reducer->device, recipe,
						      &kept->launcher),
				"a reduction");
		gaudi_recipe_release(recipe);
	}

	return rc;
}

static int find(struct coll_reducer *reducer, const struct kept *wanted,
		struct kept **found)
{
	struct kept *oldest = &reducer->kept[0];
	int rc;

	for (uint32_t i = 0; i < MOST_LAUNCHERS; i++) {
		struct kept *kept = &reducer->kept[i];

		if (kept->used && kept->type == wanted->type &&
		    kept->op == wanted->op && kept->rows == wanted->rows &&
		    kept->elements == wanted->elements) {
			*found = kept;
			kept->used = ++reducer->uses;
			return 0;
		}
		if (kept->used < oldest->used)
			oldest = kept;
	}
	gaudi_launcher_destroy(oldest->launcher);
	*oldest = *wanted;
	rc = make(reducer, oldest);
	if (rc) {
		*oldest = (struct kept) {};
		return rc;
	}
	oldest->used = ++reducer->uses;
	*found = oldest;

	return 0;
}

int coll_reduce_prepare(struct coll_reducer *reducer, hcclDataType_t type,
			hcclRedOp_t op, uint32_t rows, uint64_t count)
{
	const struct kept wanted = {
		.type = type,
		.op = op,
		.rows = rows,
		.elements = items(reducer, type, count),
	};
	struct kept *kept;

	return find(reducer, &wanted, &kept);
}

int coll_reduce_async(struct coll_reducer *reducer, struct gaudi_stream *stream,
		      hcclDataType_t type, hcclRedOp_t op, gaudi_ptr from,
		      uint32_t rows, gaudi_ptr to, uint64_t count)
{
	const struct kept wanted = {
		.type = type,
		.op = op,
		.rows = rows,
		.elements = items(reducer, type, count),
	};
	const struct gaudi_binding bindings[2] = {
		{ .tensor = 0, .address = from },
		{ .tensor = 1, .address = to },
	};
	struct kept *kept;
	int rc = find(reducer, &wanted, &kept);

	if (rc)
		return rc;

	return coll_gaudi(gaudi_launch(kept->launcher, bindings, 2, stream),
			  "a reduction");
}
