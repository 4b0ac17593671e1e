// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernels that the vendor's open compiler has made of the sources in tpc/kernels/:
 * what they compute, on rows of many lengths, whole and in parts as several
 * cores would, by each kind of arithmetic. Expected values are computed here
 * from the formulas that the kernels stand for.
 */
#include <math.h>

#include "tpc_host.h"

enum { I8, I16, I32, U8, U16, U32, BF16, F32 };

static const uint8_t bytes_of[8] = { 1, 2, 4, 1, 2, 4, 2, 4 };

#define SPACE	0x18000		/* bytes of each tensor's memory */

struct tensor {
	unsigned int type;
	uint32_t size[5];
	uint8_t *p;		/* in the memory of the host */
};

struct run {
	struct tpc_host *host;
	struct tensor t[4];
	uint32_t w, h;		/* length of a row, rows */
	uint32_t step;		/* elements of a row for each index */
	uint32_t space[5];	/* index space */
	uint32_t srf[4];
};

/* --- values ---------------------------------------------------------------- */

static uint32_t bits_of(float f)
{
	uint32_t x;

	memcpy(&x, &f, 4);
	return x;
}

static float float_of(uint32_t x)
{
	float f;

	memcpy(&f, &x, 4);
	return f;
}

static uint16_t to_bf16(float f)
{
	uint32_t x = bits_of(f);

	return (x + 0x7fff + (x >> 16 & 1)) >> 16;
}

static float from_bf16(uint16_t x)
{
	return float_of((uint32_t)x << 16);
}

/* What element i of an input holds. */
static float fp(uint32_t i)
{
	return ((int)((37ull * i + 11) % 201) - 100) / 16.0f;
}

static uint32_t whole(uint32_t i, unsigned int type)
{
	switch (type) {
	case I8:
	case U8:
		return (167 * i + 13) & 0xff;
	case I16:
		return (40503 * i + 77) & 0xffff;
	default:
		return 2654435761u * i + 12345;
	}
}

static uint32_t value(uint32_t i, unsigned int type)
{
	if (type == F32)
		return bits_of(fp(i));
	return type == BF16 ? to_bf16(fp(i)) : whole(i, type);
}

static uint32_t get(const struct tensor *t, uint32_t i)
{
	uint32_t v = 0;

	memcpy(&v, t->p + i * bytes_of[t->type], bytes_of[t->type]);
	return v;
}

static float getf(const struct tensor *t, uint32_t i)
{
	return float_of(get(t, i));
}

static size_t count_of(const struct tensor *t)
{
	return (size_t)t->size[0] * t->size[1] * t->size[2] * t->size[3] *
	       t->size[4];
}

/* --- tensors --------------------------------------------------------------- */

static void add_tensor(struct run *r, unsigned int n, unsigned int type,
		       const uint32_t *size, uint32_t padding)
{
	struct tensor *t = &r->t[n];
	uint64_t addr = HOST_DATA + n * SPACE;
	size_t len;

	t->type = type;
	memcpy(t->size, size, sizeof(t->size));
	t->p = r->host->mem + (addr - HOST_BASE);
	len = tpc_host_tensor(r->host, n, addr, type, size, padding);
	assert_true(len < SPACE - 512);
	/* What lies behind a tensor must remain. */
	memset(t->p, 0xa5, SPACE);
}

static void two_dims(struct run *r, unsigned int n, unsigned int type,
		     uint32_t w, uint32_t h)
{
	const uint32_t size[5] = { w, h, 1, 1, 1 };

	add_tensor(r, n, type, size, 0);
}

static void fill_from(struct run *r, unsigned int n, uint32_t off)
{
	struct tensor *t = &r->t[n];
	size_t i, count = count_of(t);
	uint32_t v;

	for (i = 0; i < count; i++) {
		v = value(i + off, t->type);
		memcpy(t->p + i * bytes_of[t->type], &v, bytes_of[t->type]);
	}
}

static void fill_with(struct run *r, unsigned int n, uint32_t v)
{
	struct tensor *t = &r->t[n];
	size_t i, count = count_of(t);

	for (i = 0; i < count; i++)
		memcpy(t->p + i * bytes_of[t->type], &v, bytes_of[t->type]);
}

static void input(struct run *r, unsigned int n, unsigned int type, uint32_t w,
		  uint32_t h, uint32_t off)
{
	two_dims(r, n, type, w, h);
	fill_from(r, n, off);
}

static void output(struct run *r, unsigned int n, unsigned int type, uint32_t w,
		   uint32_t h)
{
	two_dims(r, n, type, w, h);
	fill_with(r, n, 0);
}

static void nothing_behind(const struct run *r)
{
	const struct tensor *t;
	size_t i;

	for (t = r->t; t < r->t + 4 && t->p; t++)
		for (i = count_of(t) * bytes_of[t->type]; i < SPACE; i++)
			if (t->p[i] != 0xa5)
				fail_msg("tensor %zu was written at byte %zu",
					 (size_t)(t - r->t), i);
}

/* Three kinds of expectations. */
#define EQUAL(what, i, is, want)					\
	do {								\
		if ((is) != (want))					\
			fail_msg("%s: element %u is 0x%x, not 0x%x",	\
				 what, (unsigned int)(i),		\
				 (unsigned int)(is),			\
				 (unsigned int)(want));			\
	} while (0)

/* --- the kernels ----------------------------------------------------------- */

struct kernel {
	const char *name;
	uint32_t step;			/* elements of a row for an index */
	void (*make)(struct run *r);
	void (*check)(struct run *r);
	bool whole_rows;		/* dimension 0 has one index */
};

static const uint32_t five[5] = { 0, 3, 2, 2, 2 };

static void make_five(struct run *r, unsigned int inputs)
{
	uint32_t size[5], n;

	memcpy(size, five, sizeof(size));
	size[0] = r->w;
	memcpy(r->space + 1, size + 1, 4 * sizeof(size[0]));
	for (n = 0; n <= inputs; n++) {
		add_tensor(r, n, F32, size, 0);
		if (n < inputs)
			fill_from(r, n, 5 * n);
		else
			fill_with(r, n, 0);
	}
}

static void make_add(struct run *r)
{
	make_five(r, 2);
}

static void check_add(struct run *r)
{
	uint32_t i;

	for (i = 0; i < count_of(&r->t[2]); i++)
		EQUAL("a + b", i, get(&r->t[2], i),
		      bits_of(fp(i) + fp(i + 5)));
}

static void make_nest(struct run *r)
{
	make_five(r, 1);
}

static void check_nest(struct run *r)
{
	uint32_t i, j, d, weight, sum;

	for (i = 0; i < count_of(&r->t[1]); i++) {
		sum = 0;
		weight = 1;
		for (d = 0, j = i; d < 5; d++, weight *= 10) {
			sum += j % r->t[1].size[d] * weight;
			j /= r->t[1].size[d];
		}
		EQUAL("x + place", i, get(&r->t[1], i),
		      bits_of(fp(i) + (float)sum));
	}
}

/* One or two inputs of a type, and an output of another. */
static void make_plain(struct run *r, unsigned int from, unsigned int to,
		       bool two, uint32_t off)
{
	input(r, 0, from, r->w, r->h, 0);
	if (two)
		input(r, 1, from, r->w, r->h, off);
	output(r, 1 + two, to, r->w, r->h);
}

static void make_widen(struct run *r) { make_plain(r, BF16, F32, false, 0); }
static void make_narrow(struct run *r) { make_plain(r, F32, BF16, false, 0); }
static void make_f32(struct run *r) { make_plain(r, F32, F32, false, 0); }
static void make_u8(struct run *r) { make_plain(r, U8, U32, false, 0); }
static void make_bf16(struct run *r) { make_plain(r, BF16, BF16, true, 9); }

static void check_widen(struct run *r)
{
	uint32_t i;

	for (i = 0; i < r->w * r->h; i++)
		EQUAL("widened", i, get(&r->t[1], i),
		      (uint32_t)to_bf16(fp(i)) << 16);
}

static void check_narrow(struct run *r)
{
	uint32_t i;

	for (i = 0; i < r->w * r->h; i++)
		EQUAL("narrowed", i, get(&r->t[1], i), to_bf16(fp(i)));
}

static void make_nopack(struct run *r)
{
	input(r, 0, F32, r->w, r->h, 0);
	input(r, 1, BF16, r->w, r->h, 21);
	output(r, 2, BF16, r->w, r->h);
}

static void check_nopack(struct run *r)
{
	uint32_t i;

	for (i = 0; i < r->w * r->h; i++)
		EQUAL("narrowed + y", i, get(&r->t[2], i),
		      to_bf16(from_bf16(to_bf16(fp(i))) +
			      from_bf16(to_bf16(fp(i + 21)))));
}

static void make_divmod(struct run *r)
{
	output(r, 0, I32, r->w, r->h);
	output(r, 1, I32, r->w, r->h);
	r->srf[0] = 7;
}

static void check_divmod(struct run *r)
{
	uint32_t i, d, n;

	for (i = 0; i < r->w * r->h; i++) {
		d = i % r->w;
		n = i / r->w * 17;
		EQUAL("quotient", i, get(&r->t[0], i), d < 64 ? n / 7 : 0);
		EQUAL("remainder", i, get(&r->t[1], i), d < 64 ? n % 7 : 0);
	}
}

static void check_exp(struct run *r)
{
	double want, is;
	uint32_t i;

	for (i = 0; i < r->w * r->h; i++) {
		want = exp(fp(i));
		is = getf(&r->t[1], i);
		if (!(fabs(is - want) <= want * 2e-6))
			fail_msg("exp(%g) is %g, not %g", fp(i), is, want);
	}
}

static void check_u8(struct run *r)
{
	uint32_t i;

	for (i = 0; i < r->w * r->h; i++)
		EQUAL("extended", i, get(&r->t[1], i), whole(i, U8));
}

static void make_mac(struct run *r)
{
	input(r, 0, I16, 2 * r->w, r->h, 0);
	input(r, 1, I16, 2 * r->w, r->h, 50);
	output(r, 2, I32, r->w, 1);
	output(r, 3, I32, r->w, 1);
	r->srf[0] = r->h;
	r->space[1] = 1;
}

static void check_mac(struct run *r)
{
	uint32_t i, row, at;
	int64_t sum;

	for (i = 0; i < 2 * r->w; i++) {
		sum = 0;
		for (row = 0; row < r->h; row++) {
			at = row * 2 * r->w + i;
			sum += (int16_t)whole(at, I16) *
			       (int64_t)(int16_t)whole(at + 50, I16);
			sum = sum > INT32_MAX ? INT32_MAX : sum;
			sum = sum < INT32_MIN ? INT32_MIN : sum;
		}
		EQUAL("sum of products", i, get(&r->t[2 + i % 2], i / 2),
		      (uint32_t)sum);
	}
}

static void make_i32(struct run *r)
{
	make_plain(r, I32, I32, true, 1000);
	output(r, 3, I32, r->w, r->h);
	r->srf[0] = (uint32_t)-1000000000;
	r->srf[1] = 500000000;
}

static void check_i32(struct run *r)
{
	int64_t p, c;
	uint32_t i;
	int32_t b;

	for (i = 0; i < r->w * r->h; i++) {
		b = (int32_t)whole(i + 1000, I32);
		p = (int64_t)(int32_t)whole(i, I32) * b;
		c = (int32_t)((uint32_t)p >> 3 ^ (uint32_t)b);
		c = c < -1000000000 ? -1000000000 : c;
		c = c > 500000000 ? 500000000 : c;
		EQUAL("clamped", i, get(&r->t[2], i), (uint32_t)c);
		EQUAL("high half", i, get(&r->t[3], i), (uint32_t)(p >> 32));
	}
}

static void make_i8(struct run *r)
{
	make_plain(r, I8, I8, true, 40);
	output(r, 3, I8, r->w, r->h);
}

static void check_i8(struct run *r)
{
	uint32_t i;
	int a, b, s;

	for (i = 0; i < r->w * r->h; i++) {
		a = (int8_t)whole(i, I8);
		b = (int8_t)whole(i + 40, I8);
		s = a + b;
		s = s > 127 ? 127 : s < -128 ? -128 : s;
		EQUAL("sum", i, get(&r->t[2], i), s & 0xff);
		EQUAL("difference", i, get(&r->t[3], i), (a - b) & 0xff);
	}
}

static void check_bf16(struct run *r)
{
	uint32_t i;

	for (i = 0; i < r->w * r->h; i++)
		EQUAL("a * b", i, get(&r->t[2], i),
		      to_bf16(from_bf16(to_bf16(fp(i))) *
			      from_bf16(to_bf16(fp(i + 9)))));
}

static void check_relu(struct run *r)
{
	uint32_t i;

	for (i = 0; i < r->w * r->h; i++)
		EQUAL("relu", i, get(&r->t[1], i),
		      bits_of(fp(i) > 0 ? fp(i) : 0));
}

static void make_rmw(struct run *r)
{
	input(r, 0, F32, r->w, r->h, 0);
	two_dims(r, 1, F32, r->w, 4);
	fill_with(r, 1, bits_of(1));
	r->srf[0] = 3;
}

static void check_rmw(struct run *r)
{
	uint32_t i, row;
	float sum;

	for (i = 0; i < r->w * 4; i++) {
		sum = 1;
		for (row = i / r->w; row < r->h; row += 4)
			sum += fp(row * r->w + i % r->w);
		EQUAL("sum of rows", i, get(&r->t[1], i), bits_of(sum));
	}
	assert_true(r->host->atomics > 0);
}

static void make_rowmax(struct run *r)
{
	const uint32_t size[5] = { r->w, r->h, 1, 1, 1 };

	add_tensor(r, 0, F32, size, 0xff800000);
	fill_from(r, 0, 0);
	output(r, 1, F32, 64, r->h);
	output(r, 2, I32, 64, r->h);
	r->srf[0] = r->w;
}

static void check_rowmax(struct run *r)
{
	uint32_t i, d, at;
	float best;

	for (i = 0; i < 64 * r->h; i++) {
		best = -INFINITY;
		at = 0;
		for (d = i % 64; d < r->w; d += 64) {
			if (fp(i / 64 * r->w + d) <= best)
				continue;
			best = fp(i / 64 * r->w + d);
			at = d;
		}
		EQUAL("maximum", i, get(&r->t[1], i), bits_of(best));
		EQUAL("its place", i, get(&r->t[2], i), at);
	}
}

static void make_rowsum(struct run *r)
{
	input(r, 0, F32, r->w, r->h, 0);
	output(r, 1, F32, 1, r->h);
	r->srf[0] = r->w;
}

static void check_rowsum(struct run *r)
{
	uint32_t row, d;
	float sum;

	for (row = 0; row < r->h; row++) {
		sum = 0;
		for (d = 0; d < r->w; d++)
			sum += fp(row * r->w + d);
		EQUAL("sum", row, get(&r->t[1], row), bits_of(sum));
	}
}

static void make_saxpy(struct run *r)
{
	make_plain(r, F32, F32, true, 3);
	r->srf[0] = bits_of(2.5f);
	r->srf[1] = bits_of(-0.75f);
}

static void check_saxpy(struct run *r)
{
	uint32_t i;

	for (i = 0; i < r->w * r->h; i++)
		EQUAL("alpha x + beta y", i, get(&r->t[2], i),
		      bits_of(2.5f * fp(i) + -0.75f * fp(i + 3)));
}

static void make_tail(struct run *r)
{
	make_plain(r, F32, F32, false, 0);
	r->srf[0] = 100;
}

static void check_tail(struct run *r)
{
	uint32_t i, d;

	for (i = 0; i < r->w * r->h; i++) {
		d = i % r->w;
		EQUAL("2 x + place", i, get(&r->t[1], i),
		      bits_of(d < 100 ? 2 * fp(i) + d : -1.0f));
	}
}

static void make_transpose(struct run *r)
{
	input(r, 0, F32, r->h, r->w, 0);
	output(r, 1, F32, r->w, r->h);
	r->srf[0] = r->w;
}

static void check_transpose(struct run *r)
{
	uint32_t i;

	for (i = 0; i < r->w * r->h; i++)
		EQUAL("transposed", i, get(&r->t[1], i),
		      bits_of(fp(i % r->w * r->h + i / r->w)));
}

static const struct kernel kernels[] = {
	{ "add_f32", 64, make_add, check_add },
	{ "cast_bf16_f32", 128, make_widen, check_widen },
	{ "cast_f32_bf16", 128, make_narrow, check_narrow },
	{ "cast_f32_bf16_nopack", 128, make_nopack, check_nopack },
	{ "divmod_i32", 64, make_divmod, check_divmod, true },
	{ "exp_poly_f32", 64, make_f32, check_exp },
	{ "extend_i8_i32", 256, make_u8, check_u8 },
	{ "int_i16_mac", 64, make_mac, check_mac },
	{ "int_i32", 64, make_i32, check_i32 },
	{ "int_i8_sat", 256, make_i8, check_i8 },
	{ "mul_bf16", 128, make_bf16, check_bf16 },
	{ "nest5d_f32", 64, make_nest, check_nest },
	{ "relu_f32", 64, make_f32, check_relu },
	{ "rmw_add_f32", 64, make_rmw, check_rmw },
	{ "rowmax_f32", 64, make_rowmax, check_rowmax, true },
	{ "rowsum_f32", 64, make_rowsum, check_rowsum, true },
	{ "saxpy_f32", 64, make_saxpy, check_saxpy },
	{ "tail_pred_f32", 64, make_tail, check_tail },
	{ "transpose_ldg_f32", 64, make_transpose, check_transpose },
};

#define KERNELS	(sizeof(kernels) / sizeof(kernels[0]))

/* --- running them ---------------------------------------------------------- */

static void launch_part(struct run *r, const char *name, const uint32_t *base,
			const uint32_t *size)
{
	struct gaudi_tpc_core *core = r->host->core;
	uint32_t *desc = r->host->launch.desc;
	char text[256];
	unsigned int i;

	for (i = 0; i < 5; i++) {
		desc[0x390 / 4 + 2 * i] = base[i];
		desc[0x394 / 4 + 2 * i] = size[i];
	}
	for (i = 0; i < 4; i++)
		desc[0x3c0 / 4 + i] = r->srf[i];
	if (tpc_host_run(r->host, 10000000) == GAUDI_TPC_HALT)
		return;
	gaudi_tpc_stop_text(core, text, sizeof(text));
	fail_msg("%s: %s", name, text);
}

/* cores: the index space is split into so many parts. */
static void run_kernel(struct tpc_host *host, const struct kernel *k,
		       uint32_t w, uint32_t h, unsigned int cores)
{
	struct run r = { .host = host, .w = w, .h = h, .step = k->step };
	uint32_t base[5] = { 0 }, size[5];
	uint8_t code[8192];
	unsigned int d, i, rows, x;

	host->atomics = 0;
	tpc_host_code(host, code, tpc_kernel(k->name, code, sizeof(code)));
	for (d = 0; d < 5; d++)
		r.space[d] = 1;
	r.space[0] = k->whole_rows ? 1 : (w + k->step - 1) / k->step;
	r.space[1] = h;
	k->make(&r);
	memcpy(size, r.space, sizeof(size));
	rows = size[1];
	for (x = 0; x < r.space[0]; x++) {
		base[0] = cores > 1 ? x : 0;
		size[0] = cores > 1 ? 1 : r.space[0];
		for (i = 0; i < cores; i++) {
			base[1] = rows * i / cores;
			size[1] = rows * (i + 1) / cores - base[1];
			launch_part(&r, k->name, base, size);
		}
		if (cores == 1)
			break;
	}
	k->check(&r);
	nothing_behind(&r);
}

static const uint32_t widths[] = { 1, 2, 63, 64, 65, 100, 128, 130, 200, 257,
				   300 };

#define WIDTHS	(sizeof(widths) / sizeof(widths[0]))

static void run_all(struct tpc_host *host, unsigned int cores)
{
	unsigned int k, w;

	for (k = 0; k < KERNELS; k++)
		for (w = 0; w < WIDTHS; w++)
			run_kernel(host, &kernels[k], widths[w], 1 + w % 4 * 2,
				   cores);
}

HOST_TEST(whole_kernels)
{
	run_all(host, 1);
}

HOST_TEST(kernels_in_parts)
{
	run_all(host, 3);
}

HOST_TEST(without_pointers)
{
	host->map = false;
	run_all(host, 1);
}

/* No pointer is good for more than a few bytes. */
HOST_TEST(with_short_pointers)
{
	host->map_max = 200;
	run_all(host, 1);
}

HOST_TEST(every_kind_of_arithmetic)
{
	static const char *const alu[] = { "portable", "avx2", "avx512" };
	unsigned int i;

	for (i = 0; i < 3; i++) {
		if (gaudi_tpc_use_alu(host->core, alu[i]))
			print_message("# this host has no %s\n", alu[i]);
		else
			run_all(host, 1);
	}
}

/* The compiler leaves room for the pipeline. */
HOST_TEST(without_hazards)
{
	assert_int_equal(gaudi_tpc_check_hazards(host->core, true), 0);
	run_all(host, 1);
}

/* As many words as the facts about the kernels say, for their own shapes. */
HOST_TEST(words_are_counted)
{
	static const struct {
		const char *name;
		uint32_t w, h;
		uint64_t words;
	} known[] = {
		{ "add_f32", 100, 1, 679 },
		{ "cast_bf16_f32", 200, 2, 139 },
		{ "cast_f32_bf16", 200, 2, 79 },
		{ "int_i32", 100, 2, 148 },
		{ "rowsum_f32", 150, 3, 338 },
		{ "transpose_ldg_f32", 70, 5, 12273 },
	};
	unsigned int i, k;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		for (k = 0; strcmp(kernels[k].name, known[i].name); k++)
			;
		run_kernel(host, &kernels[k], known[i].w, known[i].h, 1);
		EQUAL(known[i].name, 0, host->core->words, known[i].words);
	}
}

HOST_TEST(code_is_decoded_once)
{
	uint64_t hits, misses, before;

	run_kernel(host, &kernels[0], 100, 1, 1);
	gaudi_tpc_cache_stats(host->cache, &hits, &before);
	assert_true(before > 0);
	run_kernel(host, &kernels[0], 100, 1, 1);
	/* A core that has not run it yet. */
	gaudi_tpc_core_reset(host->core);
	run_kernel(host, &kernels[0], 100, 1, 1);
	gaudi_tpc_cache_stats(host->cache, &hits, &misses);
	assert_int_equal(misses, before);
	assert_true(hits > 0);
}

/* Data behind a kernel are no part of its code, whatever becomes of them. */
HOST_TEST(data_behind_code)
{
	struct gaudi_tpc_word halt;
	uint64_t hits, misses;
	uint8_t code[2 * GAUDI_TPC_WORD];
	unsigned int i;

	gaudi_tpc_nops(&halt);
	halt.slot[GAUDI_TPC_SPU].op = GAUDI_TPC_OP_HALT;
	halt.slot[GAUDI_TPC_VPU].op = GAUDI_TPC_OP_HALT;
	assert_int_equal(gaudi_tpc_encode(&halt, code, NULL), 0);
	for (i = 0; i < 4; i++) {
		memset(code + GAUDI_TPC_WORD, i, GAUDI_TPC_WORD);
		tpc_host_code(host, code, sizeof(code));
		assert_int_equal(tpc_host_run(host, 10), GAUDI_TPC_HALT);
	}
	gaudi_tpc_cache_stats(host->cache, &hits, &misses);
	assert_int_equal(misses, 1);
}
