// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Reductions: writes that are added to memory, subtracted from it, or leave
 * the smaller or greater of both. What engines ask for in user bits 21:13 of a
 * write; the layout is the vendor's published one of the MME descriptor, and
 * DMA_CORE_WR_AWUSER_31_11 has the same bits.
 *
 * Floats are widened and rounded once, in the mode asked for; a NaN becomes the
 * one that this card's arithmetic makes. Inferred: integers wrap (adding and
 * subtracting the same gives what was there), denormals are kept, and a NaN
 * wins over a number in min and max.
 */
#include <float.h>
#include <math.h>

#include "bus_state.h"

enum { TYPE_S8, TYPE_S16, TYPE_S32, TYPE_U8, TYPE_BF16 = 6, TYPE_F32 };
enum { OP_ADD, OP_SUB, OP_MIN, OP_MAX };
enum { ROUND_NEAREST, ROUND_ZERO, ROUND_UP, ROUND_DOWN };

#define F32_NAN			0x7fffffffu

static unsigned int type_of(uint32_t field)
{
	return FIELD_GET(GAUDI_REDUCE_TYPE, field);
}

unsigned int gaudi_reduce_size(uint32_t field)
{
	switch (type_of(field)) {
	case TYPE_S8:
	case TYPE_U8:
		return 1;
	case TYPE_S16:
	case TYPE_BF16:
		return 2;
	case TYPE_S32:
	case TYPE_F32:
		return 4;
	default:
		return 0;
	}
}

/* --- integers --------------------------------------------------------- */

static int64_t reduce_int(unsigned int op, int64_t mem, int64_t data)
{
	switch (op) {
	case OP_ADD:
		return mem + data;
	case OP_SUB:
		return mem - data;
	case OP_MIN:
		return data < mem ? data : mem;
	default:
		return data > mem ? data : mem;
	}
}

/* Loops over whole elements, which need not be aligned in our memory. */
#define DEFINE_INT_LOOP(name, type)					\
static void name(unsigned int op, uint8_t *dst, const uint8_t *src,	\
		 size_t len)						\
{									\
	type mem, data;							\
	size_t i;							\
									\
	for (i = 0; i + sizeof(type) <= len; i += sizeof(type)) {	\
		memcpy(&mem, dst + i, sizeof(type));			\
		memcpy(&data, src + i, sizeof(type));			\
		mem = (type)reduce_int(op, mem, data);			\
		memcpy(dst + i, &mem, sizeof(type));			\
	}								\
}

DEFINE_INT_LOOP(reduce_s8, int8_t)
DEFINE_INT_LOOP(reduce_u8, uint8_t)
DEFINE_INT_LOOP(reduce_s16, int16_t)
DEFINE_INT_LOOP(reduce_s32, int32_t)

/* --- floats ----------------------------------------------------------- */

static float from_bits(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static uint32_t to_bits(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

/* To the nearest of the upper 16 bits, ties to even. */
static uint32_t nearest_bf16(float f)
{
	uint32_t bits = to_bits(f);

	return (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
}

/* The next number above or below; unit: its last bit. */
static uint32_t step(uint32_t bits, bool up, uint32_t unit)
{
	bool negative = bits >> 31;

	return up == negative ? bits - unit : bits + unit;
}

/*
 * near is the nearest to the exact sum; steps to the neighbour if the mode
 * wants one on the other side. The sum is s + err exactly, as both operands
 * fit into a double with room to spare.
 */
static uint32_t round_sum(uint32_t near, double a, double b, uint32_t unit,
			  unsigned int mode)
{
	double s = a + b, part = s - a, err = (a - (s - part)) + (b - part);
	double off = from_bits(near) - s;	/* near minus exact, if > err */
	bool toward_up = mode == ROUND_UP || (mode == ROUND_ZERO && s < 0);

	if (isinf(s) || off == err)
		return near;
	if (toward_up && off < err)
		return step(near, true, unit);
	if (!toward_up && off > err)
		return step(near, false, unit);
	return near;
}

/* bf16: operands and result are the upper halves of floats. */
static uint32_t reduce_float(unsigned int op, unsigned int mode, uint32_t mem,
			     uint32_t data, bool bf16)
{
	float a = from_bits(mem), b = from_bits(data), sum;
	uint32_t near;

	if (isnan(a) || isnan(b))
		return F32_NAN;
	if (op == OP_MIN)
		return b < a ? data : mem;
	if (op == OP_MAX)
		return b > a ? data : mem;
	b = op == OP_SUB ? -b : b;
	sum = a + b;
	if (isnan(sum))
		return F32_NAN;
	near = bf16 ? nearest_bf16(sum) : to_bits(sum);
	if (mode == ROUND_NEAREST || isinf(a) || isinf(b))
		return near;
	return round_sum(near, a, b, bf16 ? 0x10000 : 1, mode);
}

static void reduce_f32(unsigned int op, unsigned int mode, uint8_t *dst,
		       const uint8_t *src, size_t len)
{
	uint32_t mem, data;
	size_t i;

	for (i = 0; i + 4 <= len; i += 4) {
		memcpy(&mem, dst + i, 4);
		memcpy(&data, src + i, 4);
		mem = reduce_float(op, mode, mem, data, false);
		memcpy(dst + i, &mem, 4);
	}
}

static void reduce_bf16(unsigned int op, unsigned int mode, uint8_t *dst,
			const uint8_t *src, size_t len)
{
	uint16_t mem, data;
	size_t i;

	for (i = 0; i + 2 <= len; i += 2) {
		memcpy(&mem, dst + i, 2);
		memcpy(&data, src + i, 2);
		mem = reduce_float(op, mode, (uint32_t)mem << 16,
				   (uint32_t)data << 16, true) >> 16;
		memcpy(dst + i, &mem, 2);
	}
}

void gaudi_reduce_begin(struct gaudi_chip *chip)
{
	gaudi_lock(&chip->bus->reduce_lock);
}

void gaudi_reduce_end(struct gaudi_chip *chip)
{
	gaudi_unlock(&chip->bus->reduce_lock);
}

void gaudi_reduce(struct gaudi_chip *chip, uint32_t field, void *dst,
		  const void *src, size_t len)
{
	unsigned int op = FIELD_GET(GAUDI_REDUCE_OP, field);
	unsigned int mode = FIELD_GET(GAUDI_REDUCE_ROUND, field);

	gaudi_reduce_begin(chip);
	switch (type_of(field)) {
	case TYPE_S8:
		reduce_s8(op, dst, src, len);
		break;
	case TYPE_U8:
		reduce_u8(op, dst, src, len);
		break;
	case TYPE_S16:
		reduce_s16(op, dst, src, len);
		break;
	case TYPE_S32:
		reduce_s32(op, dst, src, len);
		break;
	case TYPE_BF16:
		reduce_bf16(op, mode, dst, src, len);
		break;
	case TYPE_F32:
		reduce_f32(op, mode, dst, src, len);
		break;
	default:
		break;
	}
	gaudi_reduce_end(chip);
}
