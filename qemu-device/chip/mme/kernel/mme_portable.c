// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * The matrix engine's kernel for any host. It needs neither a fused multiply-add
 * nor control of rounding: the product of two fp32 numbers is exact as a
 * double, their sum with a third is made one that was rounded to odd, which has
 * bits enough to round it once more, by hand, as if that had been the only time.
 */
#include "mme_impl.h"

#define SIGN32		0x80000000u
#define INF32		0x7f800000u
#define SIGN64		0x8000000000000000ull
#define INF64		0x7ff0000000000000ull
#define CUT		29		/* bits a double has more than a float */
#define REBIAS		((1023ull - 127) << 23)

static uint32_t bits32(float v)
{
	uint32_t b;

	memcpy(&b, &v, 4);
	return b;
}

static float float_of(uint32_t b)
{
	float v;

	memcpy(&v, &b, 4);
	return v;
}

static uint64_t bits64(double v)
{
	uint64_t b;

	memcpy(&b, &v, 8);
	return b;
}

/* A denormal becomes a zero of its sign. */
static float flushed(float v)
{
	uint32_t b = bits32(v);

	return b & INF32 ? v : float_of(b & SIGN32);
}

/* The bits of a finite double that is not 0, rounded as the engine does it */
static float narrow(uint64_t b, unsigned int rounding)
{
	uint32_t sign = b >> 63 ? SIGN32 : 0;
	uint32_t low = b & ((1u << CUT) - 1);
	bool up = rounding == (sign ? GAUDI_MME_DOWN : GAUDI_MME_UP);
	uint64_t wide = (b & ~SIGN64) >> CUT;

	if (rounding == GAUDI_MME_NEAREST)
		wide += low > 1u << (CUT - 1) ||
			(low == 1u << (CUT - 1) && (wide & 1));
	else
		wide += up && low;
	if (wide < REBIAS + 0x00800000)
		return float_of(sign | (up ? 0x00800000 : 0));
	if (wide >= REBIAS + INF32)
		return float_of(sign | (up || rounding == GAUDI_MME_NEAREST ?
					INF32 : 0x7f7fffff));
	return float_of(sign | (uint32_t)(wide - REBIAS));
}

/* a * b + c; none of them is a denormal */
static inline float fma_flushed(float a, float b, float c,
				unsigned int rounding)
{
	double p = (double)a * b, s = p + c, back = s - p, err;
	uint64_t bits = bits64(s);

	if ((bits & INF64) == INF64)
		return s != s ? float_of(GAUDI_MME_NAN) :
				float_of(bits >> 63 ? SIGN32 | INF32 : INF32);
	/* 0 of two that differ in sign, which makes -0 rounding down */
	if (!(bits & ~SIGN64))
		return rounding == GAUDI_MME_DOWN &&
		       (bits64(p) ^ bits64(c)) >> 63 ? -0.0f : s;
	err = (p - (s - back)) + (c - back);
	if (err != 0 && !(bits & 1))
		bits += (err > 0) == (s > 0) ? 1 : -1;
	return narrow(bits, rounding);
}

static void lane_steps(const struct gaudi_mme_gemm *g, size_t q, float *part)
{
	const float *s = gaudi_mme_vector(&g->s, q);
	const float *l = gaudi_mme_vector(&g->l, q);
	unsigned int i, j, rounding = g->rounding & 3;
	float a;

	for (i = 0; i < g->m; i++) {
		a = flushed(s[i]);
		for (j = 0; j < g->n; j++)
			part[i * g->n + j] =
				fma_flushed(a, flushed(l[j]),
					    part[i * g->n + j], rounding);
	}
}

static void portable_gemm(const struct gaudi_mme_gemm *g)
{
	size_t plane = (size_t)g->m * g->n, q;

	if (g->fresh)
		memset(g->part, 0, GAUDI_MME_LANES * plane * sizeof(float));
	for (q = g->first; q < g->first + g->k; q++)
		lane_steps(g, q, g->part + q % GAUDI_MME_LANES * plane);
}

static void portable_sum(const struct gaudi_mme_sum *g)
{
	const float *s = g->s, *l = g->l;
	unsigned int i, j;
	float *tile;
	size_t k;

	for (i = 0; i < g->m && !g->add; i++)
		memset(g->tile + i * g->tile_step, 0, g->n * sizeof(float));
	for (k = 0; k < g->k; k++) {
		for (i = 0; i < g->m; i++) {
			tile = g->tile + i * g->tile_step;
			for (j = 0; j < g->n; j++)
				tile[j] += s[i] * l[j];
		}
		s += g->s_step;
		l += g->l_step;
	}
}

static float add(float a, float b, unsigned int rounding)
{
	return fma_flushed(a, 1.0f, b, rounding);
}

static void portable_rollup(const struct gaudi_mme_rollup *r)
{
	size_t plane = (size_t)r->m * r->n, i;
	unsigned int t = r->total % GAUDI_MME_LANES, rounding = r->rounding & 3;
	const float *p[GAUDI_MME_LANES];
	float *acc, v;

	for (i = 0; i < GAUDI_MME_LANES; i++)
		p[i] = r->part + (t + i) % GAUDI_MME_LANES * plane;
	for (i = 0; i < plane; i++) {
		acc = r->acc + i / r->n * r->acc_step + i % r->n;
		v = add(add(p[0][i], p[1][i], rounding),
			add(p[2][i], p[3][i], rounding), rounding);
		/* the engine adds +0: there is no -0 in a rolled-up tile */
		if (v == 0)
			v = 0;
		*acc = r->add ? add(flushed(*acc), v, rounding) : v;
	}
}

static void portable_finish(const struct gaudi_mme_finish *f)
{
	bool stochastic = f->rounding & GAUDI_MME_STOCHASTIC;
	unsigned int i, j;
	uint8_t *out;
	uint32_t v;
	uint16_t h;

	for (i = 0; i < f->rows; i++) {
		out = (uint8_t *)f->out + i * f->out_step;
		for (j = 0; j < f->cols; j++) {
			v = bits32(f->tile[i * f->tile_step + j]);
			if (f->relu)
				v = gaudi_mme_relu(v);
			if (!f->bf16) {
				memcpy(out + j * 4, &v, 4);
				continue;
			}
			h = gaudi_mme_to_bf16(v, f->rounding, stochastic ?
					      gaudi_mme_random(f->lfsr, j) : 0);
			memcpy(out + j * 2, &h, 2);
		}
	}
}

static void portable_pack_rows(const struct gaudi_mme_pack *p,
			       const void *const *rows, size_t count,
			       unsigned int len)
{
	unsigned int j;
	float *to;
	size_t i;

	for (i = 0; i < count; i++) {
		to = gaudi_mme_vector(&p->panel, p->q + i);
		for (j = 0; j < len; j++)
			to[j] = float_of(gaudi_mme_element(p, rows[i], j));
		memset(to + len, 0, (p->width - len) * sizeof(float));
	}
}

static void portable_pack_trans(const struct gaudi_mme_pack *p,
				const void *const *rows, unsigned int height,
				size_t count)
{
	unsigned int j;
	float *to;
	size_t i;

	for (i = 0; i < count; i++) {
		to = gaudi_mme_vector(&p->panel, p->q + i);
		for (j = 0; j < height; j++)
			to[j] = float_of(gaudi_mme_element(p, rows[j], i));
		memset(to + height, 0, (p->width - height) * sizeof(float));
	}
}

const struct gaudi_mme_kernel gaudi_mme_portable = {
	.name = "portable",
	.gemm = portable_gemm,
	.sum = portable_sum,
	.rollup = portable_rollup,
	.finish = portable_finish,
	.pack_rows = portable_pack_rows,
	.pack_trans = portable_pack_trans,
};
