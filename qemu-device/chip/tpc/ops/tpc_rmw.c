// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Arithmetic of stores that read, modify and write: what the store brings is
 * added to memory, subtracted from it, or the smaller or greater of both
 * remains. Integers wrap (inferred); floats as everywhere in the core.
 */
#include <string.h>

#include "../alu/tpc_lane.h"
#include "tpc_uop.h"

/* Types as descriptors have them. */
enum { DT_I8, DT_I16, DT_I32, DT_U8, DT_U16, DT_U32, DT_BF16, DT_F32 };
enum { RMW_ADD, RMW_SUB, RMW_MIN, RMW_MAX };

unsigned int gaudi_tpc_data_size(uint8_t type)
{
	switch (type) {
	case DT_I8:
	case DT_U8:
		return 1;
	case DT_I16:
	case DT_U16:
	case DT_BF16:
		return 2;
	default:
		return 4;
	}
}

static uint32_t float_op(uint8_t op, uint32_t mem, uint32_t data)
{
	switch (op) {
	case RMW_ADD:
		return f32_out(f32_in(mem) + f32_in(data));
	case RMW_SUB:
		return f32_out(f32_in(mem) - f32_in(data));
	case RMW_MIN:
		return f32_min(mem, data);
	default:
		return f32_max(mem, data);
	}
}

static uint16_t bf16_op(uint8_t op, uint16_t mem, uint16_t data)
{
	switch (op) {
	case RMW_ADD:
		return bf16_out(bf16_in(mem) + bf16_in(data));
	case RMW_SUB:
		return bf16_out(bf16_in(mem) - bf16_in(data));
	case RMW_MIN:
		return f32_min((uint32_t)mem << 16, (uint32_t)data << 16) >> 16;
	default:
		return f32_max((uint32_t)mem << 16, (uint32_t)data << 16) >> 16;
	}
}

static int64_t int_op(uint8_t op, int64_t mem, int64_t data)
{
	switch (op) {
	case RMW_ADD:
		return mem + data;
	case RMW_SUB:
		return mem - data;
	case RMW_MIN:
		return data < mem ? data : mem;
	default:
		return data > mem ? data : mem;
	}
}

/* Memory need not be aligned to its elements. */
#define EACH(ctype, expr)						\
	do {								\
		ctype m, d;						\
									\
		for (; len >= sizeof(m); len -= sizeof(m)) {		\
			memcpy(&m, mem, sizeof(m));			\
			memcpy(&d, data, sizeof(d));			\
			m = (ctype)(expr);				\
			memcpy(mem, &m, sizeof(m));			\
			mem += sizeof(m);				\
			data += sizeof(d);				\
		}							\
	} while (0)

void gaudi_tpc_rmw(const struct gaudi_tpc_rmw *rmw, uint8_t *mem)
{
	const uint8_t *data = rmw->data;
	size_t len = rmw->len;
	uint8_t op = rmw->op;

	switch (rmw->type) {
	case DT_I8:
		EACH(int8_t, int_op(op, m, d));
		break;
	case DT_I16:
		EACH(int16_t, int_op(op, m, d));
		break;
	case DT_I32:
		EACH(int32_t, int_op(op, m, d));
		break;
	case DT_U8:
		EACH(uint8_t, int_op(op, m, d));
		break;
	case DT_U16:
		EACH(uint16_t, int_op(op, m, d));
		break;
	case DT_U32:
		EACH(uint32_t, int_op(op, m, d));
		break;
	case DT_BF16:
		EACH(uint16_t, bf16_op(op, m, d));
		break;
	default:
		EACH(uint32_t, float_op(op, m, d));
	}
}
