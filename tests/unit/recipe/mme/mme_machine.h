/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A matrix engine for tests: the card's own walk, the plainest arithmetic. */
#ifndef TEST_MME_MACHINE_H
#define TEST_MME_MACHINE_H

#include <stdint.h>

/* What is left between two descriptors. */
struct mme_machine {
	float acc[2][16][64 * 64];
	unsigned int next;
	uint64_t reads, writes;		/* elements */
};

/*
 * Execute the 136 words with these operands, of so many bytes; an access beyond
 * is an error of the test. Bases in the words are not looked at.
 */
void mme_machine_run(struct mme_machine *m, const uint32_t *words,
		     void *const *memory, const uint64_t *bytes);

static inline float bf16_to_f32(uint16_t v)
{
	union {
		uint32_t u;
		float f;
	} x = { .u = (uint32_t)v << 16 };

	return x.f;
}

static inline uint16_t f32_to_bf16(float f)
{
	union {
		float f;
		uint32_t u;
	} x = { .f = f };

	return (uint16_t)((x.u + 0x7fff + (x.u >> 16 & 1)) >> 16);
}

#endif /* TEST_MME_MACHINE_H */
