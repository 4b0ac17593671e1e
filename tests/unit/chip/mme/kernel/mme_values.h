/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers for tests of the matrix engine: random, and awkward on purpose. */
#ifndef MME_VALUES_H
#define MME_VALUES_H

#include <stdbool.h>

#include "../../../../../qemu-device/chip/mme/kernel/mme_kernel.h"

struct values {
	uint64_t seed;
	unsigned int kind;	/* of what sort of data is asked, modulo 5 */
};

static inline uint32_t random32(struct values *v)
{
	v->seed = v->seed * 6364136223846793005ull + 1442695040888963407ull;
	return v->seed >> 32;
}

static inline uint32_t special_value(struct values *v)
{
	static const uint32_t special[] = {
		0, 0x80000000,				/* zeros */
		1, 0x80000001, 0x7fffff, 0x807fffff,	/* denormals */
		0x800000, 0x80800000, 0x800001,		/* smallest */
		0x7f800000, 0xff800000,			/* infinities */
		0x7f7fffff, 0xff7fffff,			/* greatest */
		0x7fc00000, 0xffc00000, 0x7f800001,	/* NaNs */
		0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f800001,
	};

	return special[random32(v) % (sizeof(special) / sizeof(special[0]))];
}

/* The bits of an fp32 number */
static inline uint32_t value(struct values *v)
{
	uint32_t r = random32(v), exp;

	switch (v->kind % 5) {
	case 0:		/* anything */
		return random32(v);
	case 1:		/* common numbers */
		exp = 117 + random32(v) % 20;
		break;
	case 2:		/* products are next to where numbers end */
		exp = 60 + random32(v) % 10;
		break;
	case 3:		/* few bits: sums cancel */
		return (r & 0x80000000) | 0x3f800000 | (r & 0x600000);
	default:	/* rarely a special one among common ones */
		if (r % 64 == 0)
			return special_value(v);
		exp = random32(v) % 32 ? 125 + r % 4 : random32(v) % 255;
	}
	return (r & 0x807fffff) | exp << 23;
}

#endif
