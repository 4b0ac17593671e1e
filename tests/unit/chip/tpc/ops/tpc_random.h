/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random words for a test of the tensor cores; the same ones in each run, from
 * random_begin() on.
 */
#ifndef TPC_RANDOM_H
#define TPC_RANDOM_H

#include <stdint.h>

static uint64_t seed;

static void random_begin(void)
{
	seed = 0x2545f4914f6cdd1dull;
}

static uint32_t any(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed >> 16;
}

/* Ends of types, floats of all classes, numbers near each other. */
static uint32_t edgy(void)
{
	static const uint32_t edges[] = {
		0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000,
		0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001,
		0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff, 0x80007fff,
		0x7fff8000, 0x3f803f80, 0x7f80ff80, 0x00018001, 0x4b000000,
		0x40490fdb, 0xffff0000, 0x3f000000, 0xbfc00000, 0x40203f00,
	};
	uint32_t x = any();

	switch (x % 8) {
	case 0:
	case 1:
		return edges[any() % (sizeof(edges) / 4)];
	case 2:
		return 0x3f000000 + (any() & 0x83ffffff);
	case 3:
		return any() % 80 - 40;
	case 4:			/* small in each half, in each byte */
		return any() & 0x001f001f;
	case 5:
		return any() & 0x87878787;
	case 6:			/* between 2^-8 and 2^24 */
		return (any() & 0x807fffff) | (119 + any() % 33) << 23;
	default:
		return any() ^ x << 16;
	}
}

#endif
