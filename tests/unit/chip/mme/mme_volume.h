/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Convolutions of volumes [n][d][h][w][c] with filters [q][r][s][c][k] to
 * volumes [n][d][h][w][k]: random sizes, and volumes as operands of descriptors.
 * Of three dimensions, number 0 is the width.
 */
#ifndef TEST_MME_VOLUME_H
#define TEST_MME_VOLUME_H

#include "mme_want.h"

struct mme_conv {
	uint32_t n, c, k;
	uint32_t in[3], out[3];
	uint32_t taps[3], pad[3], stride[3], dilation[3];
};

/* All but the numbers of channels. */
void mme_conv_random(struct mme_conv *v);
uint64_t mme_volume(const uint32_t *size);
/* Products and sums of one pass */
uint64_t mme_conv_work(const struct mme_conv *v);
/*
 * Where output position `at` reads with that tap: index of the pixel in x, not
 * yet times c. False: outside.
 */
bool mme_conv_reads(const struct mme_conv *v, uint32_t n, const uint32_t *at,
		    const uint32_t *tap, uint64_t *pixel);

/* Positions in a volume, so far apart, of which a port has every ports-th */
struct mme_places {
	uint32_t channels, n;
	const uint32_t *size;
	uint32_t count[3];
	uint32_t apart[3];
	uint32_t ports;
};

/* Dimensions 1 to 4; the loops of dimensions 1 to 3 move so many pixels. */
void mme_places_put(struct mme_desc *d, unsigned int op,
		    const struct mme_places *p, const int32_t *loop);
/* Begins at position `at`, whose place is so far behind where it would be. */
void mme_places_offset(struct mme_desc *d, unsigned int agu,
		       const struct mme_places *p, const int32_t *more,
		       uint32_t at);

#endif /* TEST_MME_VOLUME_H */
