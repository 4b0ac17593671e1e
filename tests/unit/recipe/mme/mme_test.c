// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Descriptors of products and convolutions, executed by the card's walk and
 * compared with plain loops. Numbers are small integers, so sums are exact.
 */
#include <errno.h>
#include <math.h>

#include "../../unit.h"
#include "gaudi.h"
#include "mme/mme_desc.h"
#include "mme_machine.h"
#include "../../../../qemu-device/chip/mme/walk/mme_walk.h"

static uint32_t seed;

static uint32_t some(void)
{
	seed = seed * 1664525u + 1013904223u;

	return seed >> 8;
}

/* A matrix or tensor of small integers, and what the engine makes of it. */
struct array {
	void *memory;
	uint64_t num, bytes;
	bool fp32;
};

static double get(const struct array *a, uint64_t i)
{
	assert_true(i < a->num);
	return a->fp32 ? ((float *)a->memory)[i] :
			 bf16_to_f32(((uint16_t *)a->memory)[i]);
}

static void set(struct array *a, uint64_t i, float v)
{
	if (a->fp32)
		((float *)a->memory)[i] = v;
	else
		((uint16_t *)a->memory)[i] = f32_to_bf16(v);
}

static struct array make(uint64_t num, bool fp32, bool random)
{
	struct array a = { .num = num, .fp32 = fp32 };
	uint64_t i;

	a.bytes = num * (fp32 ? 4 : 2);
	a.memory = malloc(a.bytes);
	assert_non_null(a.memory);
	for (i = 0; i < num; i++)
		set(&a, i, random ? (float)(some() % 7) - 3 : 1000.f);

	return a;
}

static uint64_t reads;		/* elements, by all descriptors so far */

/* Everything in the lists; checks what each descriptor says of itself. */
static size_t execute(struct mme_list *lists, struct array **roles)
{
	struct mme_machine *m = calloc(1, sizeof(*m));
	size_t i, p, num = 0;
	unsigned int op;

	assert_non_null(m);
	for (p = 0; p < MME_NUM_PAIRS; p++) {
		for (i = 0; i < lists[p].num; i++) {
			struct mme_desc *d = &lists[p].list[i];
			void *memory[MME_NUM_OPS];
			uint64_t bytes[MME_NUM_OPS];

			assert_null(mme_check(d->words));
			for (op = 0; op < MME_NUM_OPS; op++) {
				struct array *a = roles[d->role[op]];
				uint64_t size = a->fp32 ? 4 : 2;

				memory[op] = (uint8_t *)a->memory +
					     d->first[op] * size;
				bytes[op] = mme_reach(d->words, op) * size;
				assert_true(d->first[op] * size + bytes[op] <=
					    a->bytes);
			}
			mme_machine_run(m, d->words, memory, bytes);
		}
		num += lists[p].num;
		mme_list_free(&lists[p]);
	}
	reads += m->reads;
	free(m);

	return num;
}

/* --- products -------------------------------------------------------------- */

struct shape {
	uint64_t m, n, k, batch[3];
	bool ta, tb, in_fp32, out_fp32, relu, reduce;
	int broadcast;		/* batch dim of which B is the same */
};

static void describe(const struct shape *s, struct mme_gemm *g)
{
	uint64_t a = s->m * s->k, b = s->k * s->n, c = s->m * s->n;
	int i;

	*g = (struct mme_gemm) {
		.m = s->m, .n = s->n, .k = s->k,
		.a_m = s->ta ? 1 : s->k, .a_k = s->ta ? s->m : 1,
		.b_k = s->tb ? 1 : s->n, .b_n = s->tb ? s->k : 1,
		.c_m = s->n, .in_fp32 = s->in_fp32, .out_fp32 = s->out_fp32,
		.relu = s->relu, .reduce = s->reduce,
	};
	for (i = 2; i >= 0; i--) {
		g->batch[i].size = s->batch[i];
		g->batch[i].a = a;
		g->batch[i].b = i == s->broadcast ? 0 : b;
		g->batch[i].c = c;
		a *= s->batch[i];
		b *= i == s->broadcast ? 1 : s->batch[i];
		c *= s->batch[i];
	}
}

static void compare_gemm(const struct mme_gemm *g, const struct array *a,
			 const struct array *b, const struct array *c,
			 uint64_t at_a, uint64_t at_b, uint64_t at_c)
{
	uint64_t i, j, k;

	for (i = 0; i < g->m; i++) {
		for (j = 0; j < g->n; j++) {
			double sum = 0, is = get(c, at_c + i * g->c_m + j);

			for (k = 0; k < g->k; k++)
				sum += get(a, at_a + i * g->a_m + k * g->a_k) *
				       get(b, at_b + k * g->b_k + j * g->b_n);
			if (g->relu && sum < 0)
				sum = 0;
			if (g->reduce)
				sum += 1000;
			if (!g->out_fp32)
				sum = bf16_to_f32(f32_to_bf16((float)sum));
			if (sum != is)
				fail_msg("[%zu][%zu]: %g, not %g", (size_t)i,
					 (size_t)j, is, sum);
		}
	}
}

static size_t one_gemm(const struct shape *s)
{
	uint64_t batches = s->batch[0] * s->batch[1] * s->batch[2];
	struct mme_list lists[MME_NUM_PAIRS] = {};
	struct array a = make(s->m * s->k * batches, s->in_fp32, true);
	struct array b = make(s->k * s->n * batches, s->in_fp32, true);
	struct array c = make(s->m * s->n * batches, s->out_fp32, false);
	struct array *roles[] = { &a, &b, &c };
	struct mme_gemm g;
	uint64_t x, y, z;
	size_t num;

	describe(s, &g);
	WORKS(mme_gemm(&g, lists));
	num = execute(lists, roles);
	for (x = 0; x < s->batch[0]; x++)
		for (y = 0; y < s->batch[1]; y++)
			for (z = 0; z < s->batch[2]; z++)
				compare_gemm(&g, &a, &b, &c,
					     x * g.batch[0].a +
					     y * g.batch[1].a +
					     z * g.batch[2].a,
					     x * g.batch[0].b +
					     y * g.batch[1].b +
					     z * g.batch[2].b,
					     x * g.batch[0].c +
					     y * g.batch[1].c +
					     z * g.batch[2].c);
	free(a.memory);
	free(b.memory);
	free(c.memory);

	return num;
}

TEST(gemm_sizes)
{
	static const uint64_t sizes[][3] = {
		{ 1, 1, 1 }, { 1, 130, 7 }, { 200, 1, 3 }, { 64, 128, 64 },
		{ 65, 129, 33 }, { 3, 5, 700 }, { 31, 257, 1 }, { 300, 70, 40 },
	};
	struct shape s = { .batch = { 1, 1, 1 }, .broadcast = -1 };
	size_t i, flags;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (flags = 0; flags < 64; flags += flags < 16 ? 1 : 17) {
			s.m = sizes[i][0];
			s.n = sizes[i][1];
			s.k = sizes[i][2];
			s.ta = flags & 1;
			s.tb = flags & 2;
			s.in_fp32 = flags & 4;
			s.out_fp32 = flags & 8;
			s.relu = flags & 16;
			s.reduce = flags & 32;
			one_gemm(&s);
		}
	}
}

TEST(gemm_batches)
{
	struct shape s = {
		.m = 40, .n = 70, .k = 9, .batch = { 2, 3, 4 },
		.in_fp32 = true, .out_fp32 = true,
	};

	for (s.broadcast = -1; s.broadcast < 3; s.broadcast++)
		one_gemm(&s);
	s.m = 2;
	s.n = 3;
	s.k = 4;
	s.broadcast = -1;
	s.batch[1] = 600;
	one_gemm(&s);
}

/* A long common dimension is cut, and few descriptors do much. */
TEST(gemm_long)
{
	struct shape s = {
		.m = 150, .n = 200, .k = 1100, .batch = { 1, 1, 1 },
		.in_fp32 = true, .out_fp32 = true, .broadcast = -1,
	};
	struct mme_list lists[MME_NUM_PAIRS] = {};
	struct mme_gemm g;
	size_t num;

	num = one_gemm(&s);
	assert_in_range(num, 6, 12);
	s.m = 1024;
	s.n = 1024;
	s.k = 1024;
	s.in_fp32 = false;
	describe(&s, &g);
	WORKS(mme_gemm(&g, lists));
	assert_int_equal(lists[0].num, 8);
	assert_int_equal(lists[1].num, 8);
	mme_list_free(&lists[0]);
	mme_list_free(&lists[1]);
}

TEST(gemm_random)
{
	struct shape s;
	unsigned int i;

	for (i = 0; i < unit_rounds(150); i++) {
		s = (struct shape) {
			.m = some() % 150 + 1,
			.n = some() % 200 + 1,
			.k = some() % (i % 10 ? 80 : 1300) + 1,
			.batch = { some() % 3 + 1, 1,
				   some() % 3 + 1 },
			.ta = some() & 1, .tb = some() & 1,
			.in_fp32 = some() & 1,
			.out_fp32 = some() & 1,
			.relu = some() & 1,
			.broadcast = (int)(some() % 4) - 1,
		};
		one_gemm(&s);
	}
}

TEST(gemm_limits)
{
	struct mme_gemm g = { .m = 4, .n = 4, .k = 4, .a_m = 8, .a_k = 2,
			      .b_k = 4, .b_n = 1, .c_m = 4 };
	struct mme_list lists[MME_NUM_PAIRS] = {};

	assert_int_equal(mme_gemm(&g, lists), -EINVAL);
	assert_non_null(strstr(gaudi_last_error(NULL), "strides 8 and 2"));
	g.a_k = 1;
	g.a_m = 1ull << 31;
	assert_int_equal(mme_gemm(&g, lists), -EOVERFLOW);
	assert_non_null(strstr(gaudi_last_error(NULL), "2^31"));
	mme_list_free(&lists[0]);
	mme_list_free(&lists[1]);
}

/* --- convolutions ---------------------------------------------------------- */

static uint64_t x_at(const struct mme_conv *v, uint64_t n, uint64_t h,
		     uint64_t w, uint64_t c)
{
	return n * v->x_n + h * v->x_h + w * v->x_w + c;
}

static uint64_t w_at(const struct mme_conv *v, uint64_t r, uint64_t s,
		     uint64_t c, uint64_t k)
{
	return r * v->w_r + s * v->w_s + c * v->w_c + k;
}

static uint64_t y_at(const struct mme_conv *v, uint64_t n, uint64_t p,
		     uint64_t q, uint64_t k)
{
	return n * v->y_n + p * v->y_p + q * v->y_q + k;
}

/* All three kinds are this sum, seen from another operand. */
static void plain_conv(const struct mme_conv *v, struct array *x,
		       struct array *f, struct array *y, double *out)
{
	const uint64_t sizes[] = { v->n, v->p, v->q, v->r, v->s, v->c, v->k,
				   v->groups ? v->groups : 1 };
	uint64_t i, at[8] = {}, h, w, ax, af, ay, all = 1;
	int d;

	for (d = 0; d < 8; d++)
		all *= sizes[d];
	for (i = 0; i < all; i++) {
		/* n, p, q, r, s, c, k, group; the last one is the fastest. */
		for (d = 7; i && ++at[d] == sizes[d]; d--)
			at[d] = 0;
		h = at[1] * v->stride[0] + at[3] * v->dilation[0] - v->pad[0];
		w = at[2] * v->stride[1] + at[4] * v->dilation[1] - v->pad[1];
		if (h >= v->h || w >= v->w)
			continue;
		ax = x_at(v, at[0], h, w, at[5] + at[7] * v->c);
		af = w_at(v, at[3], at[4], at[5], at[6] + at[7] * v->k);
		ay = y_at(v, at[0], at[1], at[2], at[6] + at[7] * v->k);
		if (v->kind == MME_CONV_FORWARD)
			out[ay] += get(x, ax) * get(f, af);
		else if (v->kind == MME_CONV_DATA)
			out[ax] += get(y, ay) * get(f, af);
		else
			out[af] += get(x, ax) * get(y, ay);
	}
}

static void finish_conv(struct mme_conv *v)
{
	uint64_t groups = v->groups ? v->groups : 1;

	v->p = (v->h + 2 * v->pad[0] - v->dilation[0] * (v->r - 1) - 1) /
	       v->stride[0] + 1;
	v->q = (v->w + 2 * v->pad[1] - v->dilation[1] * (v->s - 1) - 1) /
	       v->stride[1] + 1;
	v->x_w = v->c * groups;
	v->x_h = v->w * v->x_w;
	v->x_n = v->h * v->x_h;
	v->w_c = v->k * groups;
	v->w_s = v->c * v->w_c;
	v->w_r = v->s * v->w_s;
	v->y_q = v->k * groups;
	v->y_p = v->q * v->y_q;
	v->y_n = v->p * v->y_p;
}

static void one_conv(struct mme_conv *v)
{
	struct mme_list lists[MME_NUM_PAIRS] = {};
	bool fwd = v->kind == MME_CONV_FORWARD, data = v->kind == MME_CONV_DATA;
	bool weights = v->kind == MME_CONV_WEIGHTS;
	struct array x, f, y, *out;
	struct array *roles[3];
	double *want;
	uint64_t i;

	finish_conv(v);
	x = make(v->n * v->x_n, data ? v->out_fp32 : v->in_fp32, !data);
	f = make(v->r * v->w_r, weights ? v->out_fp32 : v->in_fp32, !weights);
	y = make(v->n * v->y_n, fwd ? v->out_fp32 : v->in_fp32, !fwd);
	out = fwd ? &y : data ? &x : &f;
	roles[MME_ROLE_A] = data ? &y : &x;
	roles[MME_ROLE_B] = weights ? &y : &f;
	roles[MME_ROLE_C] = out;
	want = calloc(out->num, sizeof(*want));
	assert_non_null(want);
	plain_conv(v, &x, &f, &y, want);
	WORKS(mme_conv(v, lists));
	execute(lists, roles);
	for (i = 0; i < out->num; i++) {
		double sum = v->relu && want[i] < 0 ? 0 : want[i];

		if (!v->out_fp32)
			sum = bf16_to_f32(f32_to_bf16((float)sum));
		if (sum != get(out, i))
			fail_msg("kind %d [%zu]: %g, not %g", v->kind,
				 (size_t)i, get(out, i), sum);
	}
	free(want);
	free(x.memory);
	free(f.memory);
	free(y.memory);
}

TEST(conv_plain)
{
	struct mme_conv v = {
		.n = 2, .h = 9, .w = 7, .c = 5, .k = 6, .r = 3, .s = 3,
		.stride = { 1, 1 }, .pad = { 1, 1 }, .dilation = { 1, 1 },
		.in_fp32 = true, .out_fp32 = true,
	};

	for (v.kind = MME_CONV_FORWARD; v.kind <= MME_CONV_WEIGHTS; v.kind++)
		one_conv(&v);
}

TEST(conv_random)
{
	struct mme_conv v;
	unsigned int i, j;

	for (i = 0; i < unit_rounds(150); i++) {
		v = (struct mme_conv) {
			.kind = i % 3, .n = some() % 3 + 1,
			.h = some() % 12 + 5, .w = some() % 12 + 5,
			.c = some() % (i % 5 ? 9 : 150) + 1,
			.k = some() % (i % 5 ? 9 : 150) + 1,
			.r = some() % 3 + 1, .s = some() % 3 + 1,
			.in_fp32 = some() & 1,
			.out_fp32 = some() & 1,
			.relu = some() & 1,
		};
		for (j = 0; j < 2; j++) {
			v.stride[j] = some() % 4 + 1;
			v.dilation[j] = some() % 2 + 1;
			v.pad[j] = some() % 3;
		}
		one_conv(&v);
	}
}

TEST(conv_groups)
{
	struct mme_conv v = {
		.n = 2, .h = 8, .w = 7, .c = 3, .k = 2, .r = 3, .s = 2,
		.stride = { 1, 2 }, .pad = { 1, 0 }, .dilation = { 1, 1 },
		.in_fp32 = true, .out_fp32 = true,
	};

	for (v.groups = 1; v.groups < 6; v.groups += 2) {
		for (v.kind = MME_CONV_FORWARD; v.kind <= MME_CONV_WEIGHTS; v.kind++) {
			v.c = 3;
			v.k = 2;
			one_conv(&v);
			/* Each depth by itself. */
			v.c = 1;
			v.k = 1;
			one_conv(&v);
		}
	}
}

/* Longer than what an engine holds: in pieces, and operands are used again. */
TEST(conv_long)
{
	static const struct {
		uint64_t n, h, w, c, k, r, s;
		uint64_t reads[3];	/* at most, of the three kinds */
	} sizes[] = {
		/* Many tiles, one column of the output: the filter is used again. */
		{ 4, 20, 20, 70, 60, 3, 3, { 1100000, 1800000, 1300000 } },
		/* Many columns, one tile: the pixels. */
		{ 1, 6, 8, 600, 300, 1, 1, { 400000, 400000, 160000 } },
		/* A depth that is cut, and taps. */
		{ 2, 9, 15, 530, 30, 2, 3, { 1100000, 1100000, 900000 } },
	};
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct mme_conv v = {
			.n = sizes[i].n, .h = sizes[i].h, .w = sizes[i].w,
			.c = sizes[i].c, .k = sizes[i].k, .r = sizes[i].r,
			.s = sizes[i].s, .stride = { 1, 1 },
			.pad = { sizes[i].r / 2, sizes[i].s / 2 },
			.dilation = { 1, 1 }, .in_fp32 = true,
			.out_fp32 = true,
		};

		for (v.kind = MME_CONV_FORWARD; v.kind <= MME_CONV_WEIGHTS; v.kind++) {
			reads = 0;
			one_conv(&v);
			assert_in_range(reads, 1, sizes[i].reads[v.kind]);
		}
	}
}

TEST(conv_long_random)
{
	struct mme_conv v;
	unsigned int i, j;

	for (i = 0; i < unit_rounds(40); i++) {
		v = (struct mme_conv) {
			.kind = i % 3, .n = some() % 3 + 1,
			.h = some() % 14 + 5, .w = some() % 14 + 5,
			.c = some() % (i % 2 ? 100 : 600) + 1,
			.k = some() % (i % 2 ? 300 : 40) + 1,
			.r = some() % 3 + 1, .s = some() % 3 + 1,
			.in_fp32 = some() & 1, .out_fp32 = some() & 1,
			.relu = some() & 1,
		};
		for (j = 0; j < 2; j++) {
			v.stride[j] = some() % 3 + 1;
			v.dilation[j] = some() % 2 + 1;
			v.pad[j] = some() % 3;
		}
		one_conv(&v);
	}
}

/* --- hostile ones ------------------------------------------------------------ */

/* Up to 300 rows of the walk; how many have elements. */
static unsigned int walk_within(const struct gaudi_mme_desc *d,
				unsigned int op, unsigned int core,
				uint64_t reach)
{
	struct gaudi_mme_cursor c;
	struct gaudi_mme_walk w;
	struct gaudi_mme_row row;
	unsigned int i, rows = 0, seen = 0;

	gaudi_mme_walk_begin(&w, d, op, core);
	while (!w.done && rows < 300) {
		gaudi_mme_walk_next(&w);
		gaudi_mme_cursor_begin(&c, &w);
		for (i = 0; i < w.rows && rows < 300; i++, rows++) {
			gaudi_mme_cursor_row(&c, &w, &row);
			gaudi_mme_cursor_next(&c, &w);
			if (row.from >= row.to)
				continue;
			seen++;
			assert_true(row.offset + row.from < reach);
			assert_true(row.offset + row.to <= reach);
		}
	}

	return seen;
}

/* However a descriptor walks, mme_reach() is as far as it gets. */
TEST(reach_of_anything)
{
	const uint32_t first = (MME_CTRL_ARCH_TENSOR_S - MME_CTRL_ARCH) / 4;
	const uint32_t end = (MME_CTRL_ARCH_DESC_SB_REPEAT - MME_CTRL_ARCH) / 4;
	struct shape s = { .m = 40, .n = 70, .k = 9, .batch = { 2, 2, 1 },
			   .broadcast = -1 };
	struct mme_list lists[MME_NUM_PAIRS] = {};
	struct gaudi_mme_desc d;
	struct mme_gemm g;
	uint32_t words[MME_DESC_WORDS];
	unsigned int i, j, op, seen = 0;

	seed = 20190617;
	describe(&s, &g);
	WORKS(mme_gemm(&g, lists));
	for (i = 0; i < 20000; i++) {
		memcpy(words, lists[0].list[0].words, sizeof(words));
		for (j = 0; j < 10; j++) {
			uint32_t v = some() >> some() % 24;

			words[first + some() % (end - first)] =
				some() % 4 ? v : 0u - v;
		}
		words[(MME_CTRL_ARCH_HEADER_LOW - MME_CTRL_ARCH) / 4] ^=
			some() & 0xff;
		/* Of a lower triangle that alone does not mean that there is nothing. */
		if (i % 8 == 0)
			words[(MME_CTRL_ARCH_TENSOR_S + MME_TENSOR_VALID_ELEMENTS(0) -
			       MME_CTRL_ARCH) / 4] = 0;
		gaudi_mme_unpack(words, &d);
		for (op = 0; op < MME_NUM_OPS; op++)
			seen += walk_within(&d, op, i % 2 && op,
					    mme_reach(words, op));
	}
	assert_true(seen > 100000);
	mme_list_free(&lists[0]);
	mme_list_free(&lists[1]);
}

TEST(refused)
{
	static const struct {
		uint32_t reg, set;
		const char *says;
	} bad[] = {
		{ MME_CTRL_ARCH_HEADER_LOW, (uint32_t)MME_HEADER_SIGNAL_EN,
		  "sync object" },
		{ MME_CTRL_ARCH_DESC_SO_ADDR_HIGH, 0x7f, "sync object" },
		{ MME_CTRL_ARCH_HEADER_LOW,
		  (uint32_t)MME_HEADER_ACC_STORE_INC_DISABLE, "partial" },
		{ MME_CTRL_ARCH_DESC_AXI_USER_DATA, 1, "user bits" },
		{ MME_CTRL_ARCH_OUTER_LOOP, 7, "above 5" },
		{ MME_CTRL_ARCH_NUM_ITERATIONS_MINUS_1, 0xffffffff, "2^40" },
	};
	struct mme_gemm g = { .m = 900, .n = 900, .k = 500, .a_m = 500,
			      .a_k = 1, .b_k = 900, .b_n = 1, .c_m = 900 };
	struct mme_list lists[MME_NUM_PAIRS] = {};
	uint32_t words[MME_DESC_WORDS];
	const char *why;
	size_t i;

	WORKS(mme_gemm(&g, lists));
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		memcpy(words, lists[0].list[0].words, sizeof(words));
		assert_null(mme_check(words));
		words[(bad[i].reg - MME_CTRL_ARCH) / 4] |= bad[i].set;
		why = mme_check(words);
		assert_non_null(why);
		assert_non_null(strstr(why, bad[i].says));
	}
	mme_list_free(&lists[0]);
	mme_list_free(&lists[1]);
}
