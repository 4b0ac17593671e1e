// SPDX-License-Identifier: GPL-2.0-only
/* Kernels by name; rows that share a vector; rounding to bf16. */
#include "run.h"

/* What a vector of fewer dims gives to each row. */
TEST(rows_share)
{
	static const uint32_t dims[] = { 130, 7, 3 };
	struct run r;
	size_t i;

	run_open(&r, "add_f32");
	shape(&r.t[0], 3, dims);
	shape(&r.t[1], 1, dims);
	shape(&r.t[2], 3, dims);
	run_begin(&r);
	for (i = 0; i < r.t[0].count; i++)
		set(&r.t[0], i, (float)i);
	for (i = 0; i < r.t[1].count; i++)
		set(&r.t[1], i, i / 128.0f);
	run_parts(&r, 8);
	for (i = 0; i < r.t[2].count; i++)
		assert_true(get(&r.t[2], i) == (float)i + i % 130 / 128.0f);
	run_close(&r);
}

/* Each way to round: x is between lo and hi, which are neighbours. */
TEST(rounding)
{
	static const struct {
		const char *name;
		float x, want;
	} cases[] = {
		{ "cast_f32_bf16_rz", 0x1.01fp0f, 0x1.00p0f },
		{ "cast_f32_bf16_rz", -0x1.01fp0f, -0x1.00p0f },
		{ "cast_f32_bf16_ru", 0x1.001p0f, 0x1.02p0f },
		{ "cast_f32_bf16_ru", -0x1.01fp0f, -0x1.00p0f },
		{ "cast_f32_bf16_rd", 0x1.01fp0f, 0x1.00p0f },
		{ "cast_f32_bf16_rd", -0x1.001p0f, -0x1.02p0f },
		{ "cast_f32_bf16", 0x1.01p0f, 0x1.00p0f },
		{ "cast_f32_bf16", 0x1.03p0f, 0x1.04p0f },
		{ "cast_f32_bf16_rhaz", 0x1.01p0f, 0x1.02p0f },
		{ "cast_f32_bf16_rhaz", -0x1.01p0f, -0x1.02p0f },
	};
	static const uint32_t dims[] = { 131 };
	struct run r;
	size_t c, i;

	for (c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		run_open(&r, cases[c].name);
		shape(&r.t[0], 1, dims);
		shape(&r.t[1], 1, dims);
		run_begin(&r);
		for (i = 0; i < 131; i++)
			set(&r.t[0], i, cases[c].x);
		run_parts(&r, 1);
		for (i = 0; i < 131; i++)
			if (get(&r.t[1], i) != cases[c].want)
				fail_msg("%s: %a becomes %a", cases[c].name,
					 cases[c].x, get(&r.t[1], i));
		run_close(&r);
	}
}

/* At random: to a neighbour, on average to where the number is. */
TEST(rounding_at_random)
{
	static const uint32_t dims[] = { 16384 };
	struct run r;
	size_t i, up = 0;
	float y;

	run_open(&r, "cast_f32_bf16_sr");
	shape(&r.t[0], 1, dims);
	shape(&r.t[1], 1, dims);
	run_begin(&r);
	for (i = 0; i < 16384; i++)
		set(&r.t[0], i, 0x1.008p0f);
	run_parts(&r, 1);
	for (i = 0; i < 16384; i++) {
		y = get(&r.t[1], i);
		assert_true(y == 0x1.00p0f || y == 0x1.02p0f);
		up += y > 1;
	}
	/* A quarter, within ten times what is likely. */
	assert_in_range(up, 4096 - 560, 4096 + 560);
	run_close(&r);
}

/* The generator's published answer for a key and a counter of zeros. */
TEST(philox)
{
	static const uint32_t dims[] = { 256 }, eight[] = { 8 };
	static const uint32_t want[] = { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c,
					 0x9b00dbd8 };
	struct run r;
	size_t i;

	run_open(&r, "randint_i32");
	shape(&r.t[0], 1, eight);
	shape(&r.t[1], 1, dims);
	run_begin(&r);
	memset(r.t[0].p, 0, 32);
	run_parts(&r, 1);
	for (i = 0; i < 4; i++)
		assert_int_equal(get_raw(&r.t[1], 64 * i), want[i]);
	run_close(&r);
}

TEST(by_name)
{
	size_t i;

	assert_null(kernel_lib_find("add"));
	assert_null(kernel_lib_find(""));
	assert_null(kernel_lib_find("zzz"));
	for (i = 0; i < gaudi_kernel_lib_count; i++)
		assert_ptr_equal(kernel_lib_find(gaudi_kernel_lib[i].name),
				 &gaudi_kernel_lib[i]);
}
