// SPDX-License-Identifier: MIT
/* Entries against the bit positions that the card's public tests have. */
#include "../bed.h"
#include "link/wqe.h"

static void is(const uint32_t *words, const uint32_t *want, unsigned int num)
{
	for (unsigned int i = 0; i < num; i++)
		if (words[i] != want[i])
			fail_msg("word %u is %#x, not %#x", i, words[i],
				 want[i]);
}

TEST(how_many_entries)
{
	assert_int_equal(gd_wqe_count(0, 1, 4096), 1);
	assert_int_equal(gd_wqe_count(1, 1, 4096), 1);
	assert_int_equal(gd_wqe_count(4096, 1, 4096), 1);
	assert_int_equal(gd_wqe_count(4097, 1, 4096), 2);
	assert_int_equal(gd_wqe_count(UINT64_MAX, 1, 1), UINT64_MAX);
	/* Rows: 64 of them in one, or each for itself. */
	assert_int_equal(gd_wqe_count(5, 64, 4096), 1);
	assert_int_equal(gd_wqe_count(5, 65, 4096), 2);
	assert_int_equal(gd_wqe_count(4096, 129, 4096), 3);
	assert_int_equal(gd_wqe_count(4097, 129, 4096), 258);
	assert_int_equal(gd_wqe_count(1, UINT32_MAX, 1), 1ull << 26);
}

/* One entry: opcode 2 at bit 28, answer at 27; 50 bits of addresses at 32 and 96. */
TEST(one_write)
{
	const struct gd_write write = {
		.from = 0x2345678901234,
		.to = 0x3fedcba987654,
		.bytes = 0x1fff,
		.rows = 1,
		.count = 1,
		.most = 0x3fff,
	};
	uint32_t wqe[NIC_WQE_WORDS];

	memset(wqe, 0xff, sizeof(wqe));
	gd_wqe_write(wqe, &write, 0, NULL);
	is(wqe, (const uint32_t[]) {
		0x28000000,
		0x78901234, 0x00023456 | 0x1fffu << 18,
		0xba987654, 0x0003fedc,
		0, 0, 0,
	}, NIC_WQE_WORDS);
}

/* Parts follow each other; only the last one notifies, and asks for an answer. */
TEST(parts_of_a_write)
{
	const struct gd_write write = {
		.from = 0x1000,
		.to = 0x900000000,
		.bytes = 2 * 4096 + 5,
		.rows = 1,
		.count = 3,
		.most = 4096,
	};
	const struct gd_notify notify = { .sob = 0x4f2014, .value = 7 };
	uint32_t wqe[NIC_WQE_WORDS];

	gd_wqe_write(wqe, &write, 1, &notify);
	is(wqe, (const uint32_t[]) {
		0x20000000, 0x2000, 4096u << 18, 0x00001000, 9, 0, 0, 0,
	}, NIC_WQE_WORDS);
	gd_wqe_write(wqe, &write, 2, &notify);
	is(wqe, (const uint32_t[]) {
		0x28000000, 0x3000, 5u << 18, 0x00002000, 9,
		0x804f2014, 7, 0,
	}, NIC_WQE_WORDS);
}

/* What is long is not all sent again when some of it is lost. */
TEST(some_answers_in_between)
{
	const struct gd_write write = {
		.from = 0x1000,
		.to = 0x1000,
		.bytes = 100 * 64,
		.rows = 1,
		.count = 100,
		.most = 64,
	};
	unsigned int answers = 0, since = 0;
	uint32_t wqe[NIC_WQE_WORDS];

	for (unsigned int i = 0; i < 100; i++) {
		gd_wqe_write(wqe, &write, i, NULL);
		since = wqe[0] & 1u << 27 ? 0 : since + 1;
		answers += !since;
		assert_in_range(since, 0, 15);
	}
	assert_int_equal(since, 0);
	assert_int_equal(answers, 7);
}

/*
 * Opcode 3; how many at bit 0, bytes of each at 146, from one to the next at 224; bit 26:
 * the side that they are apart on is this one.
 */
TEST(rows_of_a_write)
{
	const struct gd_notify notify = { .sob = 0x4f2014, .value = 7 };
	struct gd_write write = {
		.from = 0x1000,
		.to = 0x900000000,
		.bytes = 5,
		.rows = 64 + 3,
		.from_step = 0x100,
		.to_step = 5,
		.count = 2,
		.most = 4096,
	};
	uint32_t wqe[NIC_WQE_WORDS];

	gd_wqe_write(wqe, &write, 0, &notify);
	is(wqe, (const uint32_t[]) {
		0x3c000040, 0x1000, 0, 0, 9 | 5u << 18, 0, 0, 0x100,
	}, NIC_WQE_WORDS);
	gd_wqe_write(wqe, &write, 1, &notify);
	is(wqe, (const uint32_t[]) {
		0x3c000003, 0x5000, 0, 0x140, 9 | 5u << 18, 0x804f2014, 7,
		0x100,
	}, NIC_WQE_WORDS);
	write.from_step = 5;
	write.to_step = 0xfffffff0;
	gd_wqe_write(wqe, &write, 1, NULL);
	is(wqe, (const uint32_t[]) {
		0x38000003, 0x1140, 0, 0xfffffc00, 0x48 | 5u << 18, 0, 0,
		0xfffffff0,
	}, NIC_WQE_WORDS);
}

/* Rows that are longer than an entry: each is several, as if it were alone. */
TEST(long_rows)
{
	const struct gd_write write = {
		.from = 0x10000,
		.to = 0x20000,
		.bytes = 4096 + 7,
		.rows = 3,
		.from_step = 0x5000,
		.to_step = 4096 + 7,
		.count = 6,
		.most = 4096,
	};
	uint32_t wqe[NIC_WQE_WORDS];

	gd_wqe_write(wqe, &write, 2, NULL);
	is(wqe, (const uint32_t[]) {
		0x20000000, 0x15000, 4096u << 18, 0x21007, 0, 0, 0, 0,
	}, NIC_WQE_WORDS);
	gd_wqe_write(wqe, &write, 5, NULL);
	is(wqe, (const uint32_t[]) {
		0x28000000, 0x1b000, 7u << 18, 0x2300e, 0, 0, 0, 0,
	}, NIC_WQE_WORDS);
}

/* Without data there is no address. */
TEST(a_notification_alone)
{
	const struct gd_write write = { .rows = 1, .count = 1, .most = 4096 };
	const struct gd_notify notify = { .sob = 0x4f2000, .value = 0x4000 };
	uint32_t wqe[NIC_WQE_WORDS];

	gd_wqe_write(wqe, &write, 0, &notify);
	is(wqe, (const uint32_t[]) {
		0x28000000, 0, 0, 0, 0, 0x804f2000, 0x4000, 0,
	}, NIC_WQE_WORDS);
}

/* Data in the low word, the object's register above, valid in the last bit. */
TEST(what_is_done_here)
{
	uint32_t wqe[2];

	gd_wqe_receive(wqe, 12);
	is(wqe, (const uint32_t[]) { 1, 0x804f2030 }, 2);
	gd_wqe_receive(wqe, 0);
	is(wqe, (const uint32_t[]) { 0, 0 }, 2);
	assert_int_equal(gd_sob_register(2047), 0x4f3ffc);
}
