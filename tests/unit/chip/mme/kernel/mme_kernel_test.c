// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every kernel of the matrix engine that this host can run against the same
 * arithmetic done one number at a time: all bits must be equal.
 */
#include "../../../unit.h"
#include "mme_values.h"

#define MAX_SIDE	128u
#define MAX_STEPS	560u
#define LANES		GAUDI_MME_LANES
#define GUARD		0x5eed5eedu

static const char *const names[] = { "portable", "avx2", "avx512" };

#define NUM_NAMES	(sizeof(names) / sizeof(names[0]))

static void *aligned(size_t floats)
{
	void *p = aligned_alloc(64, (floats * 4 + 63) & ~(size_t)63);

	assert_non_null(p);
	return p;
}

static uint32_t bits(float v)
{
	uint32_t b;

	memcpy(&b, &v, 4);
	return b;
}

static void set(float *p, uint32_t b)
{
	memcpy(p, &b, 4);
}

/* A NaN within the partial sums may have any payload. */
static uint32_t one_nan(float v)
{
	uint32_t b = bits(v);

	return (b & 0x7fffffff) > 0x7f800000 ? GAUDI_MME_NAN : b;
}

static float *vector(const struct gaudi_mme_panel *p, size_t q)
{
	return p->p + q % 4 * p->lane + q / 4 * p->step;
}

static struct gaudi_mme_panel random_panel(struct values *v, unsigned int width,
					   size_t k, bool lanes, bool bf16)
{
	size_t per_lane = k / 4 + 2, i, n = 4 * per_lane * width;
	struct gaudi_mme_panel p = {
		.p = aligned(n),
		.step = lanes ? width : 4 * width,
		.lane = lanes ? per_lane * width : width,
	};

	for (i = 0; i < n; i++)
		set(p.p + i, bf16 ? value(v) & 0xffff0000 : value(v));
	return p;
}

static void want_part(const struct gaudi_mme_gemm *g, float *part)
{
	size_t plane = (size_t)g->m * g->n, q;
	unsigned int i, j;
	float *s, *l, *p;

	if (g->fresh)
		memset(part, 0, 4 * plane * sizeof(float));
	for (q = g->first; q < g->first + g->k; q++) {
		s = vector(&g->s, q);
		l = vector(&g->l, q);
		for (i = 0; i < g->m; i++) {
			for (j = 0; j < g->n; j++) {
				p = part + q % 4 * plane + i * g->n + j;
				set(p, gaudi_mme_fma(bits(s[i]), bits(l[j]),
						     bits(*p), g->rounding));
			}
		}
	}
}

static void same_part(const char *name, const struct gaudi_mme_gemm *g,
		      const float *want)
{
	size_t i, n = (size_t)4 * g->m * g->n;

	for (i = 0; i < n; i++)
		if (one_nan(g->part[i]) != one_nan(want[i]))
			fail_msg("%s %ux%ux%zu from lane %u, mode %u: sum %zu is %08x instead of %08x",
				 name, g->m, g->n, g->k, g->first, g->rounding,
				 i, bits(g->part[i]), bits(want[i]));
}

static void try_gemm(const struct gaudi_mme_gemm *shape, struct values *v,
		     bool lanes, bool bf16)
{
	size_t n = (size_t)4 * shape->m * shape->n, i;
	const struct gaudi_mme_kernel *kernel;
	struct gaudi_mme_gemm g = *shape;
	float *before = aligned(n), *want = aligned(n);
	unsigned int name;

	g.s = random_panel(v, g.m, g.k, lanes, bf16);
	g.l = random_panel(v, g.n, g.k, lanes, bf16);
	g.part = aligned(n);
	for (i = 0; i < n; i++)		/* a sum is never a denormal */
		set(before + i, gaudi_mme_add(value(v), 0, 0));
	memcpy(want, before, n * 4);
	want_part(&g, want);
	for (name = 0; name < NUM_NAMES; name++) {
		kernel = gaudi_mme_kernel(names[name]);
		if (!kernel)
			continue;
		memcpy(g.part, before, n * 4);
		kernel->gemm(&g);
		same_part(names[name], &g, want);
	}
	free(g.s.p);
	free(g.l.p);
	free(g.part);
	free(before);
	free(want);
}

TEST(gemm_equals_one_by_one)
{
	static const unsigned int sides[] = { 16, 32, 48, 64, 128 };
	static const size_t steps[] = { 0, 1, 2, 3, 4, 5, 7, 33, 130 };
	struct values v = { 3 };
	unsigned int i;

	for (i = 0; i < 160; i++) {
		struct gaudi_mme_gemm g = {
			.m = sides[random32(&v) % 4],
			.n = sides[random32(&v) % 5],
			.k = steps[random32(&v) % 9],
			.first = random32(&v) % 4,
			.rounding = i / 5 % 4,
			.fresh = random32(&v) % 2,
		};

		v.kind = i;
		if (g.k > 100)
			g.m = 16;
		try_gemm(&g, &v, random32(&v) % 2, random32(&v) % 2);
	}
}

/* Longer than whatever a kernel cuts the steps into */
TEST(long_sums)
{
	struct values v = { 4 };
	unsigned int i;

	for (i = 0; i < 10; i++) {
		struct gaudi_mme_gemm g = {
			.m = 16, .n = i % 2 ? 80 : 16,
			.k = MAX_STEPS - i, .first = i % 4,
			.rounding = i % 4, .fresh = i % 3,
		};

		v.kind = i;
		try_gemm(&g, &v, i & 4, false);
	}
}

/* The same steps in one call or in several, from the lane they have come to */
TEST(steps_may_come_in_pieces)
{
	struct gaudi_mme_gemm g = { .m = 32, .n = 64, .k = 61, .first = 1 };
	struct values v = { 5, 1 };
	size_t n = (size_t)4 * g.m * g.n;
	float *whole = aligned(n);
	const struct gaudi_mme_kernel *kernel;
	struct gaudi_mme_panel s, l;
	unsigned int name;
	size_t done, q;

	s = random_panel(&v, g.m, g.k, true, false);
	l = random_panel(&v, g.n, g.k, true, false);
	for (name = 0; name < NUM_NAMES; name++) {
		struct gaudi_mme_gemm part = g;

		kernel = gaudi_mme_kernel(names[name]);
		if (!kernel)
			continue;
		g.s = s;
		g.l = l;
		g.part = whole;
		g.fresh = true;
		kernel->gemm(&g);
		part.part = aligned(n);
		for (done = 0; done < g.k; done += part.k) {
			q = g.first + done;
			part.first = q % 4;
			part.fresh = !done;
			part.k = done ? 11 : 6;
			part.s = s;
			part.s.p += q / 4 * s.step;
			part.l = l;
			part.l.p += q / 4 * l.step;
			kernel->gemm(&part);
		}
		assert_memory_equal(whole, part.part, n * 4);
		free(part.part);
	}
	free(whole);
	free(s.p);
	free(l.p);
}

static uint32_t rolled(const struct gaudi_mme_rollup *r, size_t i)
{
	size_t plane = (size_t)r->m * r->n, k;
	uint32_t p[4], v;

	for (k = 0; k < 4; k++)
		p[k] = bits(r->part[(r->total + k) % 4 * plane + i]);
	v = gaudi_mme_add(gaudi_mme_add(p[0], p[1], r->rounding),
			  gaudi_mme_add(p[2], p[3], r->rounding), r->rounding);
	return v == 0x80000000 ? 0 : v;
}

static void try_rollup(struct gaudi_mme_rollup *r, struct values *v)
{
	size_t plane = (size_t)r->m * r->n, size = r->m * r->acc_step, i, at;
	float *part = aligned(4 * plane), *acc = aligned(size);
	float *before = aligned(size);
	const struct gaudi_mme_kernel *kernel;
	unsigned int name;
	uint32_t want;

	for (i = 0; i < 4 * plane; i++)
		set(part + i, gaudi_mme_add(value(v), 0, 0));
	/* sums of two lanes that are too small, and those that cancel */
	for (i = 0; i < plane / 4; i++)
		set(part + i, gaudi_mme_add(0x80000000 ^ (i & 8 ? 1 : 0) ^
				bits(part[i + (1 + i % 3) * plane]), 0, 0));
	for (i = 0; i < size; i++)
		set(before + i, gaudi_mme_add(value(v), 0, 0));
	r->part = part;
	r->acc = acc;
	for (name = 0; name < NUM_NAMES; name++) {
		kernel = gaudi_mme_kernel(names[name]);
		if (!kernel)
			continue;
		memcpy(acc, before, size * 4);
		kernel->rollup(r);
		for (i = 0; i < size; i++) {
			want = bits(before[i]);
			at = i / r->acc_step * r->n + i % r->acc_step;
			if (i % r->acc_step < r->n)
				want = r->add ? gaudi_mme_add(want,
						rolled(r, at), r->rounding) :
					rolled(r, at);
			if (bits(acc[i]) != want)
				fail_msg("%s: %zu, mode %u: %08x instead of %08x",
					 names[name], i, r->rounding,
					 bits(acc[i]), want);
		}
	}
	free(part);
	free(acc);
	free(before);
}

TEST(rollup_equals_one_by_one)
{
	struct values v = { 6 };
	unsigned int i;

	for (i = 0; i < 120; i++) {
		struct gaudi_mme_rollup r = {
			.m = 16 << i % 3, .n = i % 2 ? 64 : 48,
			.total = random32(&v) % 300,
			.rounding = i / 5 % 4, .add = random32(&v) % 2,
		};

		r.acc_step = r.n + (i % 4 == 3) * 16;
		v.kind = i;
		try_rollup(&r, &v);
	}
}

static uint32_t finished(const struct gaudi_mme_finish *f, uint32_t v,
			 uint32_t random)
{
	if (f->relu)
		v = gaudi_mme_relu(v);
	return f->bf16 ? gaudi_mme_to_bf16(v, f->rounding, random) : v;
}

static void try_finish(struct gaudi_mme_finish *f, struct values *v)
{
	size_t step = f->tile_step, i, j, elem = f->bf16 ? 2 : 4;
	size_t size = f->rows * f->out_step;
	const struct gaudi_mme_kernel *kernel;
	struct gaudi_mme_lfsr start, want_lfsr, lfsr;
	float *tile = aligned(f->rows * step);
	uint8_t *out = malloc(size), *want = malloc(size);
	unsigned int name;
	uint32_t w;

	gaudi_mme_lfsr_init(&start);
	for (i = 0; i < f->rows * step; i++)
		set(tile + i, value(v));
	f->tile = tile;
	want_lfsr = start;
	memset(want, 0xa5, size);
	for (i = 0; i < f->rows; i++) {
		for (j = 0; j < f->cols; j++) {
			w = f->bf16 && f->rounding & 4 ?
				gaudi_mme_random(&want_lfsr, j) : 0;
			w = finished(f, bits(tile[i * step + j]), w);
			memcpy(want + i * f->out_step + j * elem, &w, elem);
		}
	}
	for (name = 0; name < NUM_NAMES; name++) {
		kernel = gaudi_mme_kernel(names[name]);
		if (!kernel)
			continue;
		lfsr = start;
		f->lfsr = &lfsr;
		f->out = out;
		memset(out, 0xa5, size);
		kernel->finish(f);
		if (memcmp(out, want, size) ||
		    memcmp(&lfsr, &want_lfsr, sizeof(lfsr)))
			fail_msg("%s: %u columns, bf16 %d, relu %d, mode %u differs",
				 names[name], f->cols, f->bf16, f->relu,
				 f->rounding);
	}
	free(tile);
	free(out);
	free(want);
}

TEST(finish_equals_one_by_one)
{
	struct values v = { 7 };
	unsigned int i;

	for (i = 0; i < 400; i++) {
		struct gaudi_mme_finish f = {
			.rows = 1 + random32(&v) % 20,
			.cols = i % 2 ? 64 : 1 + random32(&v) % 130,
			.bf16 = i % 5, .relu = random32(&v) % 2,
			.rounding = random32(&v) % 8,
		};

		f.tile_step = f.cols + random32(&v) % 3;
		f.out_step = f.cols * 4 + random32(&v) % 5;
		v.kind = i;
		try_finish(&f, &v);
	}
}

/* --- packing ---------------------------------------------------------- */

struct source {
	uint8_t *mem;
	const void *rows[MAX_SIDE];
	unsigned int num;
	size_t len;
};

static struct source random_source(struct values *v, unsigned int num,
				   size_t len, unsigned int elem)
{
	struct source s = { .num = num, .len = len };
	size_t size = num * (len * elem + 3), i;

	s.mem = malloc(size + 1);
	assert_non_null(s.mem);
	for (i = 0; i < size; i++)
		s.mem[i] = random32(v);
	for (i = 0; i < num; i++)
		s.rows[i] = random32(v) % 8 ?
			s.mem + i * (len * elem + random32(v) % 4) : NULL;
	return s;
}

static uint32_t element(const struct gaudi_mme_pack *p, const uint8_t *row,
			size_t i)
{
	uint32_t w = 0;

	if (!row)
		return p->bf16 ? p->pad << 16 : p->pad;
	memcpy(&w, row + i * (p->bf16 ? 2 : 4), p->bf16 ? 2 : 4);
	return p->bf16 ? w << 16 : w;
}

/* Vectors are packed where they belong, and nothing else is touched. */
static void try_pack(struct gaudi_mme_pack *p, const struct source *src,
		     bool trans)
{
	size_t count = trans ? src->len : src->num, i, j, q;
	size_t len = trans ? src->num : src->len;
	size_t vectors = (count + p->q) / 4 * 4 + 8;
	size_t n = vectors * p->width;
	const struct gaudi_mme_kernel *kernel;
	unsigned int name;
	uint32_t want;

	p->panel.p = aligned(n);
	for (name = 0; name < NUM_NAMES; name++) {
		kernel = gaudi_mme_kernel(names[name]);
		if (!kernel)
			continue;
		for (i = 0; i < n; i++)
			set(p->panel.p + i, GUARD);
		if (trans)
			kernel->pack_trans(p, src->rows, len, count);
		else
			kernel->pack_rows(p, src->rows, count, len);
		for (q = 0; q < vectors; q++) {
			i = q - p->q;
			for (j = 0; j < p->width; j++) {
				if (q < p->q || i >= count)
					want = GUARD;
				else if (j >= len)
					want = 0;
				else
					want = element(p, src->rows[trans ? j :
							i], trans ? i : j);
				if (bits(vector(&p->panel, q)[j]) != want)
					fail_msg("%s, trans %d, bf16 %d: vector %zu of %zu+%zu, element %zu of %zu: %08x instead of %08x",
						 names[name], trans, p->bf16, q,
						 p->q, count, j, len,
						 bits(vector(&p->panel, q)[j]),
						 want);
			}
		}
	}
	free(p->panel.p);
}

TEST(packing_equals_one_by_one)
{
	struct values v = { 8 };
	unsigned int i;

	for (i = 0; i < 400; i++) {
		bool trans = i & 1, bf16 = i & 2, lanes = i & 4;
		unsigned int width = 16 + random32(&v) % 5 * 16;
		unsigned int len = i % 3 ? width : 1 + random32(&v) % width;
		size_t count = 1 + random32(&v) % 70, per_lane;
		struct source s;
		struct gaudi_mme_pack p = {
			.q = random32(&v) % 9, .width = width, .bf16 = bf16,
			.pad = random32(&v),
		};

		per_lane = (count + p.q) / 4 + 2;
		p.panel.step = lanes ? width : 4 * width;
		p.panel.lane = lanes ? per_lane * width : width;
		if (trans)
			s = random_source(&v, len, count, bf16 ? 2 : 4);
		else
			s = random_source(&v, count, len, bf16 ? 2 : 4);
		try_pack(&p, &s, trans);
		free(s.mem);
	}
}

TEST(kernels_are_chosen_by_name)
{
	const struct gaudi_mme_kernel *best = gaudi_mme_kernel(NULL);
	unsigned int i;

	assert_non_null(best);
	assert_ptr_equal(gaudi_mme_kernel(best->name), best);
	assert_non_null(gaudi_mme_kernel("portable"));
	assert_null(gaudi_mme_kernel("abacus"));
	assert_null(gaudi_mme_kernel(""));
	for (i = 0; i < NUM_NAMES; i++) {
		const struct gaudi_mme_kernel *k = gaudi_mme_kernel(names[i]);

		print_message("# %s: %s\n", names[i], k ? "compared" :
			      "this host has not the instructions");
		if (k)
			assert_string_equal(k->name, names[i]);
	}
}
