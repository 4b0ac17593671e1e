// SPDX-License-Identifier: GPL-2.0-only
/*
 * The matrix engine's fast sums: what each way that this host has gives stays
 * within the error that mme_blas.h states, and operands are packed as it says.
 */
#include <errno.h>
#include <math.h>

#include "../../../unit.h"
#include "../../../../../qemu-device/chip/mme/kernel/mme_blas.h"
#include "mme_values.h"

#define MAX_STEPS	300u
#define MAX_SIDE	128u

static const struct way {
	const char *fp32;
	const char *bf16;
} ways[] = {
	{ NULL, NULL },
	{ "portable", "portable" },
	{ "avx2", "avx2" },
	{ "avx512", "avx512" },
	{ "avx512", "avx512bf16" },
	{ "openblas", "openblas" },
};

#define NUM_WAYS	(sizeof(ways) / sizeof(ways[0]))

/* An operand in memory: k vectors of `width` elements, bits of fp32 numbers */
struct operand {
	uint32_t v[MAX_STEPS][MAX_SIDE];
	uint8_t mem[MAX_STEPS * MAX_SIDE * 4];
	const void *rows[MAX_STEPS];
};

static double number(uint32_t bits)
{
	float v;

	memcpy(&v, &bits, 4);
	return v;
}

static void fill(struct operand *o, struct values *v, size_t k,
		 unsigned int width, bool bf16)
{
	unsigned int i;
	size_t q;

	for (q = 0; q < k; q++)
		for (i = 0; i < width; i++)
			o->v[q][i] = value(v) & (bf16 ? 0xffff0000 : ~0u);
}

/* In pieces of odd length; by rows, or transposed */
static void pack(const struct gaudi_mme_blas *blas, struct operand *o,
		 float *panel, size_t k, unsigned int width, bool bf16,
		 bool trans)
{
	unsigned int elem = bf16 ? 2 : 4, i;
	struct gaudi_mme_pack p = {
		.panel = { .p = panel, .step = width }, .width = width,
		.bf16 = bf16,
	};
	size_t q, num, at;

	for (q = 0; q < k; q++) {
		for (i = 0; i < width; i++) {
			at = trans ? i * k + q : q * width + i;
			memcpy(o->mem + at * elem, (uint8_t *)&o->v[q][i] +
			       4 - elem, elem);
		}
	}
	for (; p.q < k; p.q += num) {
		num = p.q ? 97 : 35;
		num = num < k - p.q ? num : k - p.q;
		if (trans) {
			for (i = 0; i < width; i++)
				o->rows[i] = o->mem + (i * k + p.q) * elem;
			gaudi_mme_blas_pack_trans(blas, &p, o->rows, width,
						  num);
		} else {
			for (i = 0; i < num; i++)
				o->rows[i] = o->mem + (p.q + i) * width * elem;
			gaudi_mme_blas_pack_rows(blas, &p, o->rows, num, width);
		}
	}
}

struct sums {
	struct operand s, l;
	float panel_s[MAX_STEPS * MAX_SIDE];
	float panel_l[MAX_STEPS * MAX_SIDE];
	float tile[MAX_SIDE * MAX_SIDE];
	float before[MAX_SIDE * MAX_SIDE];
};

static void compare(const struct sums *x, const struct gaudi_mme_sum *g,
		    const char *name)
{
	double want, most, p, bound, start;
	unsigned int i, j;
	size_t q;
	float got;

	for (i = 0; i < g->m; i++) {
		for (j = 0; j < g->n; j++) {
			got = x->tile[i * g->tile_step + j];
			start = g->add ? x->before[i * g->tile_step + j] : 0;
			want = start;
			most = fabs(start);
			for (q = 0; q < g->k; q++) {
				p = number(x->s.v[q][i]) *
				    number(x->l.v[q][j]);
				want += p;
				most += fabs(p);
			}
			bound = (g->k + 2) * ldexp(most, -24) +
				(2 * g->k + 2) * ldexp(1, -126);
			if (!(fabs(got - want) <= bound))
				fail_msg("%s, %ux%ux%zu: %a instead of %a, bound %a",
					 name, g->m, g->n, g->k, got, want,
					 bound);
		}
	}
}

static void try_way(const struct gaudi_mme_blas *blas, struct sums *x,
		    struct values *v, bool bf16)
{
	struct gaudi_mme_sum g = {
		.s = x->panel_s, .l = x->panel_l,
		.m = 16 << random32(v) % 3, .n = 16 << random32(v) % 4,
		.k = random32(v) % 4 ? random32(v) % 40 : MAX_STEPS - 1,
		.add = random32(v) % 2, .tile = x->tile,
	};
	unsigned int i;

	g.s_step = g.m;
	g.l_step = g.n;
	g.tile_step = g.n;
	fill(&x->s, v, g.k, g.m, bf16);
	fill(&x->l, v, g.k, g.n, bf16);
	pack(blas, &x->s, x->panel_s, g.k, g.m, bf16, random32(v) % 2);
	pack(blas, &x->l, x->panel_l, g.k, g.n, bf16, random32(v) % 2);
	for (i = 0; i < g.m * g.n; i++)
		x->before[i] = number(value(v));
	memcpy(x->tile, x->before, sizeof(x->tile));
	gaudi_mme_blas_sum(blas, bf16, &g);
	compare(x, &g, bf16 ? blas->bf16 : blas->fp32);
}

TEST(sums_are_within_the_bound)
{
	struct sums *x = malloc(sizeof(*x));
	struct gaudi_mme_blas blas;
	struct values v = { 21 };
	unsigned int way, i;

	assert_non_null(x);
	for (way = 0; way < NUM_WAYS; way++) {
		if (gaudi_mme_blas_open(&blas, ways[way].fp32,
					ways[way].bf16)) {
			print_message("# %s: not on this host\n",
				      ways[way].bf16);
			continue;
		}
		for (i = 0; i < 60; i++) {
			v.kind = 1 + i % 3;	/* numbers only */
			try_way(&blas, x, &v, i & 1);
		}
		print_message("# %s, %s: compared\n", blas.fp32, blas.bf16);
		gaudi_mme_blas_close(&blas);
	}
	free(x);
}

/* The four bf16 of two words: where each vector is, and zeros beside the last */
TEST(pairs_are_packed_as_said)
{
	static const uint16_t mem[] = { 1, 2, 3, 4, 5, 6 };
	const void *const rows[] = { mem, NULL, mem + 4 };
	uint32_t panel[3 * 16] = { [33] = 7 };
	struct gaudi_mme_pack p = {
		.panel = { .p = (float *)panel, .step = 16 }, .width = 16,
		.bf16 = true, .pad = 0x12349999,
	};
	struct gaudi_mme_blas blas;

	if (gaudi_mme_blas_open(&blas, NULL, "avx512bf16"))
		skip();
	gaudi_mme_blas_pack_rows(&blas, &p, rows, 3, 2);
	assert_int_equal(panel[0], 0x99990001);
	assert_int_equal(panel[1], 0x99990002);
	assert_int_equal(panel[2], 0);
	assert_int_equal(panel[15], 0);
	assert_int_equal(panel[16], 5);
	assert_int_equal(panel[17], 6);
	p.q = 3;
	gaudi_mme_blas_pack_trans(&blas, &p, rows, 3, 2);
	assert_int_equal(panel[16], 0x00010005);
	assert_int_equal(panel[17], 0x99990006);
	assert_int_equal(panel[18], 0x00050000);
	assert_int_equal(panel[32], 2);
	assert_int_equal(panel[33], 0x9999);
	assert_int_equal(panel[34], 6);
	assert_int_equal(panel[47], 0);
	gaudi_mme_blas_close(&blas);
}

TEST(no_number_stays_none)
{
	static const uint32_t odd[] = { 0x7f800000, 0xff800000, 0x7fc00000 };
	static float s[16 * 4], l[16 * 4], tile[16 * 16];
	struct gaudi_mme_sum g = {
		.s = s, .l = l, .s_step = 16, .l_step = 16, .m = 16, .n = 16,
		.k = 3, .tile = tile, .tile_step = 16,
	};
	struct gaudi_mme_blas blas;
	unsigned int way, i;

	for (way = 0; way < NUM_WAYS; way++) {
		if (gaudi_mme_blas_open(&blas, ways[way].fp32,
					ways[way].bf16))
			continue;
		for (i = 0; i < 16; i++) {
			s[16 + i] = 2;
			l[16 + i] = i;
		}
		for (i = 0; i < 3; i++)
			memcpy(l + 16 + i, &odd[i], 4);
		gaudi_mme_blas_sum(&blas, false, &g);
		assert_true(isinf(tile[0]) && tile[0] > 0);
		assert_true(isinf(tile[16 + 1]) && tile[16 + 1] < 0);
		assert_true(isnan(tile[15 * 16 + 2]));
		assert_true(tile[3] == 6 && tile[255] == 30);
		gaudi_mme_blas_close(&blas);
	}
}

TEST(unknown_ways_are_refused)
{
	struct gaudi_mme_blas blas;

	assert_int_equal(gaudi_mme_blas_open(&blas, "abacus", NULL), -ENOENT);
	assert_int_equal(gaudi_mme_blas_open(&blas, NULL, "abacus"), -ENOENT);
	assert_int_equal(gaudi_mme_blas_open(&blas, "", NULL), -ENOENT);
	assert_int_equal(gaudi_mme_blas_open(&blas, "portable", "portable"), 0);
	assert_string_equal(blas.fp32, "portable");
	assert_false(blas.pairs);
	gaudi_mme_blas_close(&blas);
	assert_int_equal(gaudi_mme_blas_open(&blas, NULL, NULL), 0);
	assert_non_null(blas.fp32);
	assert_non_null(blas.bf16);
	gaudi_mme_blas_close(&blas);
}
