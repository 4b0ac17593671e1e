// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Look-up tables of special functions: which entry a number belongs to, where
 * the entry's interval begins, and the entry itself, which lies in device
 * memory.
 *
 * Entries of sub-tables follow each other. What lies beyond the last interval
 * takes the last entry, an interval starts with the sign of its number, and
 * UPPER_HALF adds 32 to the entry; all three are inferred.
 */
#include <string.h>

#include "../alu/tpc_lane.h"
#include "tpc_uop.h"

/* --- entry and interval ---------------------------------------------------- */

/* What GET_LUT_ENTRY makes of a float; bits of its mantissa that count: m. */
struct interval {
	uint32_t entry;
	uint32_t start;		/* bits of a float */
};

/* Below one: as if it were a fixed-point number. */
static struct interval fixed_point(uint32_t x, unsigned int m)
{
	float f = f32_of(f32_flush(x) & ~F32_SIGN), unit = 1u << m;
	struct interval in;

	if (!(f < 1))
		f = f32_of(0x3f7fffff);
	in.entry = f * unit;
	in.start = bits_of(in.entry / unit) | (x & F32_SIGN);
	return in;
}

static struct interval general(uint32_t x, unsigned int shift, unsigned int m,
			       unsigned int table)
{
	return (struct interval) {
		(table << m) + ((x & 0x7fffff) >> shift),
		x & ~((1u << shift) - 1),
	};
}

static struct interval tanh_interval(uint32_t x, unsigned int shift,
				     unsigned int m)
{
	int exp = (int)(x >> 23 & 0xff) - 127;

	if (exp < 0)
		return fixed_point(x, m);
	if (exp > 2)	/* eight and above: the last one */
		x = 0x40ffffff | (x & F32_SIGN);
	return general(x, shift, m, exp > 2 ? 3 : exp + 1);
}

static struct interval interval_of(uint32_t x, unsigned int shift,
				   uint8_t variant)
{
	unsigned int m = 23 - shift;
	int exp = (int)(x >> 23 & 0xff) - 127;

	switch (variant) {
	case GAUDI_TPC_LUT_TANH:
		return tanh_interval(x, shift, m);
	case GAUDI_TPC_LUT_SQRT_RSQRT:
		return general(x, shift, m, exp & 1);
	case GAUDI_TPC_LUT_SIN_COS:
		return fixed_point(x, m);
	case GAUDI_TPC_LUT_LOG:
		return general(x, shift, m, exp != 0);
	default:
		return general(x, shift, m, 0);
	}
}

/*
 * Of integers nothing is public: here they are fixed-point numbers without a
 * sign, of which the upper bits are the entry, in every variant.
 */
static void integer_entries(const struct gaudi_tpc_lanes *x, uint8_t type,
			    unsigned int shift, unsigned int n)
{
	unsigned int elem = gaudi_tpc_type_size(type), i;
	uint32_t v;

	for (i = 0; i < n; i++) {
		v = gaudi_tpc_lane(x->a, elem, i);
		gaudi_tpc_set_lane(&x->r[0], elem, i, v >> shift);
		gaudi_tpc_set_lane(&x->r[1], elem, i, v >> shift << shift);
	}
}

/* sw: shift in bits 4 to 0, variant above. */
void gaudi_tpc_lut_entry(const struct gaudi_tpc_lanes *x, uint8_t type,
			 unsigned int n)
{
	unsigned int shift = x->sw & 0x1f, i;
	uint8_t variant = x->sw >> 5;
	struct interval in;

	if (type == GAUDI_TPC_F32) {
		shift = shift < 23 ? shift : 23;
		for (i = 0; i < n; i++) {
			in = interval_of(x->a->w[i], shift, variant);
			x->r[0].w[i] = in.entry;
			x->r[1].w[i] = in.start;
		}
		return;
	}
	if (type != GAUDI_TPC_BF16) {
		integer_entries(x, type, shift, n);
		return;
	}
	/* A bf16 is the upper half of a float. */
	shift = (shift < 7 ? shift : 7) + 16;
	for (i = 0; i < n; i++) {
		in = interval_of((uint32_t)x->a->h[i] << 16, shift, variant);
		x->r[0].h[i] = in.entry;
		x->r[1].h[i] = in.start >> 16;
	}
}

/* --- tables ---------------------------------------------------------------- */

/* Classes: 256, 128, 64 and 32 intervals, in so many lines of 128 bytes. */
static const uint8_t lines[4] = { 26, 13, 7, 4 };

static uint64_t table_start(const struct gaudi_tpc_core *core, uint32_t id)
{
	unsigned int class = id >> 7 & 3;

	return core->launch.lut[class] +
	       (uint64_t)(id & 0x7f) * lines[class] * 128;
}

/* Ten entries of three coefficients in a line. */
static uint64_t entry_32(uint64_t start, uint32_t n)
{
	return start + 12ull * n + 8ull * (n / 10);
}

/* One lane: words is how many values follow each other. */
static bool look(struct gaudi_tpc_core *core, uint64_t addr, void *to,
		 size_t len)
{
	return gaudi_tpc_load(core, GAUDI_TPC_TENSORS, addr, to, len);
}

static bool lookup_32(struct gaudi_tpc_core *core,
		      const struct gaudi_tpc_uop *op, uint64_t start,
		      uint32_t n, uint32_t *to)
{
	if (op->op == GAUDI_TPC_OP_LOOKUP)
		return look(core, start + 4ull * n, to, 4);
	if (op->op == GAUDI_TPC_OP_LOOKUP_1C)
		return look(core, entry_32(start, n), to, 4);
	return look(core, entry_32(start, n) + 4, to, 8);
}

static bool lookup_16(struct gaudi_tpc_core *core,
		      const struct gaudi_tpc_uop *op, uint64_t start,
		      uint32_t n, uint16_t *to)
{
	if (op->op == GAUDI_TPC_OP_LOOKUP_2C)
		return look(core, start + 4ull * n, to, 4);
	return look(core, start + 2ull * n, to, 2);
}

/* sw: the function; flag: 16-bit tables; all: the upper half. */
void gaudi_tpc_lookup(struct gaudi_tpc_core *core,
		      const struct gaudi_tpc_uop *op)
{
	gaudi_tpc_vec tmp;
	const gaudi_tpc_vec *n = gaudi_tpc_source(core, &op->src[0],
						  op->flag ? 2 : 4, &tmp);
	uint64_t start = table_start(core, op->sw);
	uint32_t upper = op->all ? 32 : 0, w[2] = { 0, 0 };
	uint16_t h[2] = { 0, 0 };
	gaudi_tpc_vec r[2];
	unsigned int i;

	for (i = 0; op->flag && i < GAUDI_TPC_VBYTES / 2; i++) {
		if (!lookup_16(core, op, start, n->h[i] + upper, h))
			return;
		r[0].h[i] = h[0];
		r[1].h[i] = h[1];
	}
	for (i = 0; !op->flag && i < GAUDI_TPC_VBYTES / 4; i++) {
		if (!lookup_32(core, op, start, n->w[i] + upper, w))
			return;
		r[0].w[i] = w[0];
		r[1].w[i] = w[1];
	}
	gaudi_tpc_write_v(core, op, r);
}
