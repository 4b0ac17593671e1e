// SPDX-License-Identifier: MIT
/*
 * In the place of thunk/coll/exec/reduce.c, as the card of threads has no tensor processors: host
 * functions, that reduce right in its memory. bf16 is summed in f32 and rounded once.
 */
#include <errno.h>

#include "../runtime/card_queues.h"
#include "coll/exec/exec.h"

struct coll_reducer {
	struct sim *sim;
	uint32_t row_bytes;
};

struct task {
	struct coll_reducer reducer;
	hcclDataType_t type;
	hcclRedOp_t op;
	gaudi_ptr from, to;
	uint32_t rows;
	uint64_t count;
};

int coll_reducer_create(struct gaudi_device *device, uint32_t row_bytes,
			struct coll_reducer **reducer)
{
	struct gaudi_device_info info = { .size = sizeof(info) };
	int rc = gaudi_device_get_info(device, &info);

	*reducer = calloc(1, sizeof(**reducer));
	if (rc || !*reducer)
		return rc ? rc : -ENOMEM;
	(*reducer)->sim = card_of_module(info.module_id);
	(*reducer)->row_bytes = row_bytes;

	return 0;
}

void coll_reducer_free(struct coll_reducer *reducer)
{
	free(reducer);
}

bool coll_reduce_is_exact(const struct coll_reducer *reducer,
			  hcclDataType_t type, uint64_t count, gaudi_ptr to)
{
	(void)reducer;

	return !(to % coll_type_size(type)) && !(count % 128);
}

static float load(hcclDataType_t type, const uint8_t *at)
{
	uint32_t bits = 0;
	_Float16 half;
	float f;

	if (type == hcclFloat16) {
		memcpy(&half, at, 2);
		return (float)half;
	}
	if (type == hcclBfloat16)
		memcpy((uint8_t *)&bits + 2, at, 2);
	else
		memcpy(&bits, at, 4);
	memcpy(&f, &bits, 4);

	return f;
}

static void store(hcclDataType_t type, uint8_t *at, float f)
{
	_Float16 half = (_Float16)f;
	uint32_t bits;

	memcpy(&bits, &f, 4);
	if (type == hcclFloat16) {
		memcpy(at, &half, 2);
		return;
	}
	if (type != hcclBfloat16) {
		memcpy(at, &bits, 4);
		return;
	}
	bits += 0x7fff + (bits >> 16 & 1);
	memcpy(at, (uint8_t *)&bits + 2, 2);
}

static float reduce_floats(hcclRedOp_t op, float a, float b)
{
	if (op == hcclSum || op == hcclAvg)
		return a + b;
	if (op == hcclProd)
		return a * b;

	return (a < b) == (op == hcclMin) ? a : b;
}

/* Of one or four bytes. */
static int64_t load_int(hcclDataType_t type, const uint8_t *at)
{
	uint32_t bits = *at;

	if (type == hcclInt8)
		return (int8_t)bits;
	if (type == hcclUint8)
		return bits;
	memcpy(&bits, at, 4);

	return type == hcclInt32 ? (int32_t)bits : (int64_t)bits;
}

static int64_t reduce_ints(hcclRedOp_t op, int64_t a, int64_t b)
{
	if (op == hcclSum)
		return a + b;

	return (a < b) == (op == hcclMin) ? a : b;
}

static void run(void *arg, int error)
{
	struct task *t = arg;
	uint32_t size = coll_type_size(t->type), row = t->reducer.row_bytes;
	bool floats = t->type == hcclFloat32 || t->type == hcclBfloat16 ||
		      t->type == hcclFloat16;
	uint8_t *from, *to;

	if (error)
		return;
	from = card_resolve(t->reducer.sim, t->from, (uint64_t)t->rows * row);
	to = card_resolve(t->reducer.sim, t->to, t->count * size);
	for (uint64_t i = 0; i < t->count; i++) {
		uint8_t *at = from + i * size;
		uint32_t bits;
		float sum;
		int64_t n;

		if (floats) {
			sum = load(t->type, at);
			for (uint32_t r = 1; r < t->rows; r++)
				sum = reduce_floats(t->op, sum,
						    load(t->type, at + r * row));
			if (t->op == hcclAvg)
				sum /= (float)t->rows;
			store(t->type, to + i * size, sum);
			continue;
		}
		n = load_int(t->type, at);
		for (uint32_t r = 1; r < t->rows; r++)
			n = reduce_ints(t->op, n, load_int(t->type, at + r * row));
		bits = (uint32_t)n;
		memcpy(to + i * size, &bits, size);
	}
}

int coll_reduce_prepare(struct coll_reducer *reducer, hcclDataType_t type,
			hcclRedOp_t op, uint32_t rows, uint64_t count)
{
	(void)reducer;
	(void)type;
	(void)op;
	(void)rows;
	(void)count;

	return 0;
}

int coll_reduce_async(struct coll_reducer *reducer, struct gaudi_stream *stream,
		      hcclDataType_t type, hcclRedOp_t op, gaudi_ptr from,
		      uint32_t rows, gaudi_ptr to, uint64_t count)
{
	struct task *t = malloc(sizeof(*t));
	int rc;

	if (!t)
		return -ENOMEM;
	*t = (struct task) {
		.reducer = *reducer, .type = type, .op = op, .from = from,
		.to = to, .rows = rows, .count = count,
	};
	rc = gaudi_stream_add_owned_fn(stream, run, t, free);
	if (rc)
		free(t);

	return rc;
}
