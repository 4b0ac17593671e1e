// SPDX-License-Identifier: GPL-2.0-only
/* See mme_gen.h. */
#include <math.h>

#include "mme_gen.h"

static const uint32_t tensor[3] = { 0x3c, 0xac, 0x140 };
static const uint32_t agus[5] = { 0x88, 0xf8, 0x11c, 0x18c, 0x1b0 };

void mme_init(struct mme_desc *d, uint32_t header)
{
	unsigned int op, i;

	memset(d, 0, sizeof(*d));
	*mme_at(d, 0x20) = header;
	*mme_at(d, 0x24) = 3u << 30;
	for (op = 0; op < 3; op++)
		for (i = 0; i < 5; i++)
			mme_dim(d, op, i, 1, 1, 0, 1);
	for (i = 0; i < 6; i++)
		mme_loop(d, i, 1, 5, 5, 5);
	mme_repeat(d, S, 1, 0);
	mme_repeat(d, L, 1, 0);
	*mme_at(d, 0x1d8) = 0x20404;
	*mme_at(d, 0x220) = 0x10000;
}

void mme_base(struct mme_desc *d, unsigned int op, uint64_t addr)
{
	*mme_at(d, 0x08 + 4 * op) = addr >> 32;
	*mme_at(d, 0x14 + 4 * op) = addr;
}

void mme_dim(struct mme_desc *d, unsigned int op, unsigned int dim,
	     uint32_t valid, uint32_t roi, int32_t loop, uint32_t spatial)
{
	*mme_at(d, tensor[op] + 4 * dim) = valid;
	*mme_at(d, tensor[op] + 0x14 + 4 * dim) = loop;
	if (dim < 4)
		*mme_at(d, tensor[op] + 0x28 + 4 * dim) = roi;
	if (dim)
		*mme_at(d, tensor[op] + 0x38 + 4 * (dim - 1)) = spatial;
}

void mme_rows(struct mme_desc *d, unsigned int op, uint32_t rows)
{
	*mme_at(d, tensor[op] + 0x48) = rows - 1;
}

void mme_offset(struct mme_desc *d, unsigned int agu, unsigned int dim,
		int32_t roi_base, uint32_t start)
{
	*mme_at(d, agus[agu] + 4 * dim) = roi_base;
	if (dim)
		*mme_at(d, agus[agu] + 0x14 + 4 * (dim - 1)) = start;
}

void mme_loop(struct mme_desc *d, unsigned int loop, uint32_t size,
	      unsigned int s, unsigned int l, unsigned int o)
{
	uint32_t dims = s | l << 3 | o << 6, *w;

	if (loop == 4) {
		*mme_at(d, 0x34) = size - 1;
		return;
	}
	if (loop == 5) {
		*mme_at(d, 0x38) = dims | (size - 1) << 16;
		return;
	}
	w = mme_at(d, 0x28);
	*w = (*w & ~(0xffu << 8 * loop)) | (size - 1) << 8 * loop;
	w = mme_at(d, loop < 2 ? 0x2c : 0x30);
	*w = (*w & ~(0xffffu << 16 * (loop % 2))) | dims << 16 * (loop % 2);
}

void mme_repeat(struct mme_desc *d, unsigned int op, unsigned int times,
		unsigned int mask)
{
	uint32_t v = (times - 1) | mask << 8 | 1u << 14 | 1u << 15;
	uint32_t *w = mme_at(d, 0x1d4);

	*w = (*w & ~(0xffffu << 16 * op)) | v << 16 * op;
}

void mme_partial(struct mme_desc *d, unsigned int agu, unsigned int mask)
{
	*mme_at(d, 0x24) |= mask << 6 * agu;
}

void mme_signal(struct mme_desc *d, unsigned int mask, unsigned int n)
{
	uint64_t addr = CFG + SM_E_N + SOB(n);

	*mme_at(d, 0x20) |= SIGNAL | SIGNAL_MASK(mask);
	*mme_at(d, 0x1dc) = addr;
	*mme_at(d, 0x1e0) = addr + 4;
	*mme_at(d, 0x1e4) = addr >> 32;
	*mme_at(d, 0x1e8) = 1u << 31 | 1;
}

void mme_start(struct card *card, unsigned int master, struct mme_desc *d)
{
	unsigned int i;

	for (i = 0; i < 136; i++)
		wr(card, MME(master) + 8 + 4 * i, d->word[i]);
	wr(card, MME(master) + MME_CMD, 1);
}

void mme_run(struct card *card, unsigned int master, struct mme_desc *d)
{
	mme_start(card, master, d);
	card_settle(card);
}

/* --- numbers ------------------------------------------------------------- */

float mme_get(const uint8_t *mem, uint64_t index, bool fp32)
{
	uint32_t bits;
	uint16_t half;
	float v;

	memcpy(&bits, mem + 4 * index * fp32, 4);
	if (!fp32) {
		memcpy(&half, mem + 2 * index, 2);
		bits = (uint32_t)half << 16;
	}
	memcpy(&v, &bits, 4);
	return v;
}

/* v has no more bits than the type. */
void mme_put(uint8_t *mem, uint64_t index, bool fp32, float v)
{
	uint32_t bits;
	uint16_t half;

	memcpy(&bits, &v, 4);
	half = bits >> 16;
	if (fp32)
		memcpy(mem + 4 * index, &bits, 4);
	else
		memcpy(mem + 2 * index, &half, 2);
}

/* At most seven bits: a product has 14, and sums of many of them round. */
float mme_number(uint32_t *seed)
{
	int m;

	*seed = *seed * 1664525 + 1013904223;
	m = (int)(*seed >> 8 & 0xff) - 128;
	return ldexpf(m, (int)(*seed >> 20 & 0xf) - 12);
}

void mme_add(struct mme_sum *s, float a, float b)
{
	float *lane = &s->lane[s->n++ % 4];

	*lane = fmaf(a, b, *lane);
}

float mme_result(const struct mme_sum *s, bool relu, bool fp32)
{
	const float *p = s->lane;
	uint32_t n = s->n, bits;
	float v;

	v = (p[n % 4] + p[(n + 1) % 4]) + (p[(n + 2) % 4] + p[(n + 3) % 4]);
	if (v == 0 || (relu && v < 0))
		v = 0;
	if (fp32)
		return v;
	memcpy(&bits, &v, 4);
	bits += 0x7fff + (bits >> 16 & 1);
	bits &= 0xffff0000;
	memcpy(&v, &bits, 4);
	return v;
}

void mme_product_desc(struct mme_desc *d, const struct mme_product *p,
		      uint32_t header, uint32_t steps, unsigned int sob)
{
	unsigned int h;

	mme_init(d, TRANS(S) | OUT_FP32 | header);
	mme_base(d, S, p->a);
	mme_base(d, L, p->b);
	mme_base(d, O, p->c);
	mme_dim(d, S, 0, steps, steps, 0, 0);
	mme_dim(d, S, 1, p->m * p->k, 64 * p->k, 0, p->k);
	mme_dim(d, L, 0, p->n, p->n, 0, 0);
	mme_dim(d, L, 1, steps * p->n, steps * p->n, 0, p->n);
	mme_rows(d, L, steps);
	mme_dim(d, O, 0, p->n, p->n, 0, 0);
	mme_dim(d, O, 1, p->m * p->n, 64 * p->n, 0, p->n);
	mme_rows(d, O, 64);
	for (h = 0; h < 2; h++) {
		mme_offset(d, AGU_L + h, 0, 64 * h, 0);
		mme_offset(d, AGU_O + h, 0, 64 * h, 0);
	}
	mme_signal(d, 0x3f, sob);
}

void mme_product_inputs(struct card *card, const struct mme_product *p,
			uint32_t seed)
{
	uint8_t *hbm = card_hbm(card);
	unsigned int i;

	for (i = 0; i < p->m * p->k; i++)
		mme_put(hbm + p->a, i, false, mme_number(&seed));
	for (i = 0; i < p->k * p->n; i++)
		mme_put(hbm + p->b, i, false, mme_number(&seed));
	memset(hbm + p->c, 0xff, p->m * p->n * 4);
}
