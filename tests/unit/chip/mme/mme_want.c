// SPDX-License-Identifier: GPL-2.0-only
/* See mme_want.h. */
#include <fenv.h>
#include <math.h>

#include "mme_want.h"

static uint32_t seed = 1;

void mme_seed(uint32_t s)
{
	seed = s;
}

uint32_t mme_any(uint32_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed % below;
}

/* --- numbers -------------------------------------------------------------- */

void mme_how_random(struct mme_how *h)
{
	memset(h, 0, sizeof(*h));
	h->fp32 = mme_any(2);
	h->out_fp32 = mme_any(2);
	h->relu = mme_any(3) == 0;
	h->reduce = mme_any(4) == 0;
	h->rounding = mme_any(3) ? 0 : mme_any(5);
}

uint32_t mme_how_side(const struct mme_how *h)
{
	return h->fp32 ? 32 : 64;
}

void mme_how_put(struct mme_desc *d, const struct mme_how *h)
{
	*mme_at(d, 0x20) |= (h->fp32 ? IN_FP32 : 0) |
			    (h->out_fp32 ? OUT_FP32 : 0) |
			    (h->relu ? RELU : 0) | ROUNDING(h->rounding);
	if (h->reduce)
		*mme_at(d, 0x1ec) = 0x201 * (1 | (h->out_fp32 ? 7 : 6) << 1);
}

void mme_numbers(uint8_t *at, uint64_t count, bool fp32)
{
	uint32_t s = count;

	for (; count; count--)
		mme_put(at, count - 1, fp32, mme_number(&s));
}

float mme_before(uint64_t i)
{
	return (float)(i % 17) - 8;
}

/* --- parts of the common dimension ---------------------------------------- */

void mme_parts_random(struct mme_parts *p, uint32_t total, uint32_t tiles,
		      bool may)
{
	unsigned int i;

	memset(p, 0, sizeof(*p));
	p->tiles = tiles;
	p->num = 1 + (may && tiles <= 16 ? mme_any(MME_MAX_PARTS) : 0);
	if (p->num > total)
		p->num = total;
	/* Each has one step at least. */
	for (i = 1; i <= p->num; i++) {
		p->from[i] = total;
		if (i == p->num)
			break;
		p->from[i] = p->from[i - 1] + 1 +
			     mme_any(total - p->from[i - 1] - (p->num - i));
		p->keep[i - 1] = tiles == 1 && mme_any(2);
	}
}

uint32_t mme_parts_header(const struct mme_parts *p, unsigned int i)
{
	uint32_t header = 0;
	unsigned int before;

	if (p->keep[i])
		return KEEP_PARTIAL;
	for (before = 0; before < i; before++)
		if (!p->keep[before])
			header = ACCUM;
	if (i + 1 == p->num)
		return header | STORE;
	/* The next part begins with the same accumulator. */
	return header | ROLL((16 - p->tiles) & 15);
}

uint32_t mme_parts_signals(const struct mme_parts *p, bool each_tile)
{
	uint32_t n = 0;
	unsigned int i;

	for (i = 0; i < p->num; i++)
		n += p->keep[i] ? 0 : each_tile ? p->tiles : 1;
	return n;
}

/* --- spread over the engines ---------------------------------------------- */

void mme_spread(struct mme_spread *s, enum mme_geometry g, uint32_t side)
{
	static const struct { uint8_t ports, cols; } of[] = {
		[MME_W4] = { 1, 4 },
		[MME_W2H2] = { 2, 2 },
		[MME_H4] = { 4, 1 },
		[MME_2XW] = { 1, 2 },
		[MME_2XH] = { 2, 1 },
	};
	bool swapped = g == MME_H4 || g == MME_2XH;

	s->geometry = g;
	s->side = side;
	s->row_op = swapped ? L : S;
	s->col_op = swapped ? S : L;
	s->ports = of[g].ports;
	s->cols = of[g].cols * side;
}

uint32_t mme_spread_port(const struct mme_spread *s, unsigned int pair,
			 unsigned int core)
{
	switch (s->geometry) {
	case MME_W2H2:
		return pair;
	case MME_H4:
		return 2 * pair + core;
	case MME_2XH:
		return core;
	default:
		return 0;
	}
}

uint32_t mme_spread_col(const struct mme_spread *s, unsigned int pair,
			unsigned int core)
{
	switch (s->geometry) {
	case MME_W4:
		return (2 * pair + core) * s->side;
	case MME_W2H2:
	case MME_2XW:
		return core * s->side;
	default:
		return 0;
	}
}

unsigned int mme_agu(unsigned int op, unsigned int core)
{
	return op == S ? AGU_S : (op == L ? AGU_L : AGU_O) + core;
}

void mme_spread_masks(struct mme_desc *d, const struct mme_spread *s,
		      uint32_t all, unsigned int loop, unsigned int pair)
{
	uint32_t last;
	unsigned int h;

	for (h = 0; h < 2; h++) {
		last = (mme_tiles(all, s->cols) - 1) * s->cols +
		       mme_spread_col(s, pair, h);
		if (all <= last || all - last >= s->side)
			continue;
		mme_partial(d, AGU_O + h, 1u << loop);
		if (s->col_op == L || !h)
			mme_partial(d, mme_agu(s->col_op, h), 1u << loop);
	}
}

bool mme_spread_ends(const struct mme_spread *s, uint32_t all)
{
	return (all - 1) % s->cols >= s->cols - s->side;
}

void mme_repeat_fastest(struct mme_desc *d, unsigned int op,
			const uint32_t *size, unsigned int moved)
{
	unsigned int i, times = 1, mask = 0;

	for (i = 0; i < 6; i++) {
		if (size[i] == 1)
			continue;
		if (moved & 1u << i || times * size[i] > 256)
			break;
		times *= size[i];
		mask |= 1u << i;
	}
	mme_repeat(d, op, times, mask);
}

/* --- outputs -------------------------------------------------------------- */

void mme_output_begin(struct mme_output *o, const struct mme_how *h)
{
	static const int modes[] = { FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD,
				     FE_DOWNWARD, FE_TONEAREST };

	memset(o, 0, sizeof(*o));
	o->how = h;
	fesetround(modes[h->rounding]);
}

void mme_output_add(struct mme_output *o, float a, float b)
{
	mme_add(&o->part, a, b);
}

static float add(volatile float a, volatile float b)
{
	volatile float c = a + b;

	return c;
}

void mme_output_part(struct mme_output *o, const struct mme_parts *p,
		     unsigned int i)
{
	float part;

	if (p->keep[i])
		return;
	part = mme_result(&o->part, false, true);
	o->sum = o->more ? add(o->sum, part) : part;
	o->more = true;
	memset(&o->part, 0, sizeof(o->part));
}

float mme_output_end(struct mme_output *o)
{
	fesetround(FE_TONEAREST);
	return o->how->relu && !(o->sum > 0) ? 0 : o->sum;
}

static float to_bf16(float v, unsigned int rounding)
{
	uint32_t bits, low;
	bool odd;
	float up;

	memcpy(&bits, &v, 4);
	low = bits & 0xffff;
	odd = bits & 0x10000;
	bits -= low;
	memcpy(&v, &bits, 4);
	bits += 0x10000;
	memcpy(&up, &bits, 4);
	switch (rounding) {
	case 0:
		return low > 0x8000 || (low == 0x8000 && odd) ? up : v;
	case 2:
		return low && !signbit(v) ? up : v;
	case 3:
		return low && signbit(v) ? up : v;
	}
	return v;
}

float mme_output_stored(const struct mme_how *h, float v)
{
	return h->out_fp32 ? v : to_bf16(v, h->rounding);
}

float mme_output_reduced(const struct mme_how *h, float a, float b)
{
	float sum = add(a, b);

	return h->out_fp32 ? sum : to_bf16(sum, 0);
}

bool mme_output_is(const struct mme_how *h, float is, float should, float was)
{
	float near[2];
	unsigned int i, n = 1;

	near[0] = mme_output_stored(h, should);
	/* Stochastic: one of the neighbours. */
	if (!h->out_fp32 && h->rounding == 4) {
		near[0] = to_bf16(should, 1);
		near[1] = to_bf16(should, should < 0 ? 3 : 2);
		n = 2;
	}
	for (i = 0; i < n; i++) {
		if (h->reduce)
			near[i] = mme_output_reduced(h, was, near[i]);
		if (!memcmp(&is, &near[i], sizeof(is)))
			return true;
	}
	return false;
}

/* --- a run ---------------------------------------------------------------- */

/* How many messages each core has to send */
struct run {
	struct card *card;
	uint32_t was[4], more[2];
};

static void run_begin(struct run *r, struct card *card)
{
	unsigned int i;

	memset(r, 0, sizeof(*r));
	r->card = card;
	for (i = 0; i < 4; i++)
		r->was[i] = sob(card, i);
}

static void run_end(const struct run *r)
{
	unsigned int i;

	card_settle(r->card);
	assert_int_equal(rd(r->card, MME(0) + MME_CAUSE), 0);
	assert_int_equal(rd(r->card, MME(2) + MME_CAUSE), 0);
	/* A sync object counts up to 15 bits. */
	for (i = 0; i < 4; i++)
		assert_int_equal(sob(r->card, i),
				 r->was[i] + r->more[i / 2]);
}

void mme_run_parts(struct card *card, mme_make *make, const void *shape,
		   const struct mme_parts *p, bool each_tile)
{
	unsigned int pair, i;
	struct run run;
	struct mme_desc d;

	run_begin(&run, card);
	for (pair = 0; pair < 2; pair++) {
		for (i = 0; i < p->num; i++) {
			make(&d, shape, pair, i);
			mme_start(card, 2 * pair, &d);
		}
		run.more[pair] = mme_parts_signals(p, each_tile);
	}
	run_end(&run);
}
