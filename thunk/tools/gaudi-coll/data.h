/* SPDX-License-Identifier: MIT */
/*
 * For programs that run collectives and know what must come out: each rank's element i is a
 * small whole number, so that sums are exact in every type and order.
 */
#ifndef TOOLS_COLL_DATA_H
#define TOOLS_COLL_DATA_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "habanalabs/hccl.h"

#define COLL_MOST	8

enum shape { ALLREDUCE, REDUCE_SCATTER, ALLGATHER, BROADCAST, REDUCE, ALLTOALL, SHAPES };

/* @count: of a rank's part, where there are parts. */
struct what {
	enum shape shape;
	hcclDataType_t type;
	hcclRedOp_t op;
	size_t count;
	int root;
	int in_place;
	uint64_t seed;
};

static inline size_t size_of(hcclDataType_t type)
{
	switch (type) {
	case hcclInt8:
	case hcclUint8:
		return 1;
	case hcclFloat16:
	case hcclBfloat16:
		return 2;
	case hcclInt64:
	case hcclUint64:
	case hcclFloat64:
		return 8;
	default:
		return 4;
	}
}

/* -16 to 15; of uint32 they are large numbers, too. */
static inline int value_of(uint64_t seed, int rank, size_t i)
{
	uint64_t x = (seed * 131 + (uint64_t)rank) * 0x9e3779b97f4a7c15ull + i;

	x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9ull;

	return (int)(x >> 40 & 31) - 16;
}

static inline uint32_t f32_bits(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));

	return bits;
}

/* Whole numbers up to 2048. */
static inline uint16_t f16_bits(int value)
{
	uint32_t bits = f32_bits((float)value);

	return value ? (uint16_t)((bits >> 16 & 0x8000) |
				  ((bits & 0x7fffffff) - 0x38000000) >> 13) : 0;
}

static inline void put_value(hcclDataType_t type, void *at, size_t i, int value)
{
	switch (type) {
	case hcclFloat32:
		((uint32_t *)at)[i] = f32_bits((float)value);
		break;
	case hcclBfloat16:
		((uint16_t *)at)[i] = (uint16_t)(f32_bits((float)value) >> 16);
		break;
	case hcclFloat16:
		((uint16_t *)at)[i] = f16_bits(value);
		break;
	case hcclInt8:
	case hcclUint8:
		((uint8_t *)at)[i] = (uint8_t)value;
		break;
	case hcclInt64:
	case hcclUint64:
	case hcclFloat64:
		/* Only moved: any bits do. */
		((uint64_t *)at)[i] = (uint64_t)value;
		break;
	default:
		((uint32_t *)at)[i] = (uint32_t)value;
		break;
	}
}

static inline int reduce_two(const struct what *what, int a, int b)
{
	int less = what->type == hcclUint32 ? (uint32_t)a < (uint32_t)b :
		   what->type == hcclUint8 ? (uint8_t)a < (uint8_t)b : a < b;

	if (what->op == hcclSum)
		return a + b;

	return (what->op == hcclMin) == less ? a : b;
}

static inline int reduced(const struct what *what, int ranks, size_t i)
{
	int value = value_of(what->seed, 0, i);

	for (int r = 1; r < ranks; r++)
		value = reduce_two(what, value, value_of(what->seed, r, i));

	return value;
}

static inline size_t send_count(const struct what *what, int ranks)
{
	return what->shape == REDUCE_SCATTER || what->shape == ALLTOALL ?
	       what->count * (size_t)ranks : what->count;
}

static inline size_t recv_count(const struct what *what, int ranks)
{
	return what->shape == ALLGATHER || what->shape == ALLTOALL ?
	       what->count * (size_t)ranks : what->count;
}

/* Of rank @rank's result. */
static inline int result_of(const struct what *what, int ranks, int rank, size_t i)
{
	size_t part = what->count ? i / what->count : 0;

	switch (what->shape) {
	case REDUCE_SCATTER:
		return reduced(what, ranks, (size_t)rank * what->count + i);
	case ALLGATHER:
		return value_of(what->seed, (int)part, i % what->count);
	case BROADCAST:
		return value_of(what->seed, what->root, i);
	case ALLTOALL:
		return value_of(what->seed, (int)part,
				(size_t)rank * what->count + i % what->count);
	default:
		return reduced(what, ranks, i);
	}
}

static inline hcclResult_t call_it(const struct what *w, int ranks, const void *send,
				   void *recv, hcclComm_t comm, void *stream)
{
	switch (w->shape) {
	case ALLREDUCE:
		return hcclAllReduce(send, recv, w->count, w->type, w->op, comm, stream);
	case REDUCE_SCATTER:
		return hcclReduceScatter(send, recv, w->count, w->type, w->op, comm,
					 stream);
	case ALLGATHER:
		return hcclAllGather(send, recv, w->count, w->type, comm, stream);
	case BROADCAST:
		return hcclBroadcast(send, recv, w->count, w->type, w->root, comm,
				     stream);
	case REDUCE:
		return hcclReduce(send, recv, w->count, w->type, w->op, w->root, comm,
				  stream);
	default:
		return hcclAlltoAll(send, recv, w->count * (size_t)ranks, w->type, comm,
				    stream);
	}
}

/* Bytes from the send buffer to the one in which it lies, in place; and back. */
static inline size_t send_at(const struct what *w, int rank)
{
	return w->in_place && w->shape == ALLGATHER ?
	       (size_t)rank * w->count * size_of(w->type) : 0;
}

static inline size_t recv_at(const struct what *w, int rank)
{
	return w->in_place && w->shape == REDUCE_SCATTER ?
	       (size_t)rank * w->count * size_of(w->type) : 0;
}

static inline void fill_send(const struct what *w, int ranks, int rank, void *at)
{
	for (size_t i = 0; i < send_count(w, ranks); i++)
		put_value(w->type, at, i, value_of(w->seed, rank, i));
}

/* The first element that is wrong, or -1. */
static inline long long first_wrong(const struct what *w, int ranks, int rank,
				    const void *got)
{
	size_t size = size_of(w->type);
	uint64_t right;

	if (w->shape == REDUCE && rank != w->root)
		return -1;
	for (size_t i = 0; i < recv_count(w, ranks); i++) {
		put_value(w->type, &right, 0, result_of(w, ranks, rank, i));
		if (memcmp((const char *)got + i * size, &right, size))
			return (long long)i;
	}

	return -1;
}

/* One that could be: of any shape, type, size up to @most. */
static inline struct what any_what(uint64_t *seed, int ranks, size_t most)
{
	static const hcclDataType_t types[] = {
		hcclFloat32, hcclBfloat16, hcclInt32, hcclUint32, hcclFloat16,
		hcclInt8, hcclUint8,
	};
	static const hcclRedOp_t ops[] = { hcclSum, hcclMin, hcclMax };
	struct what w;
	uint64_t x = *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;

	x >>= 16;
	w.shape = x % SHAPES;
	w.type = types[(x >> 8) % 7];
	w.op = ops[(x >> 12) % 3];
	w.count = (x >> 20) % ((x >> 16 & 3) ? 300 : most);
	w.root = (int)((x >> 40) % (uint64_t)ranks);
	w.in_place = x >> 44 & 1;
	w.seed = x;

	return w;
}

#endif /* TOOLS_COLL_DATA_H */
