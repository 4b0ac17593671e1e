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
	assert_int_equal(gd_wqe_count(0, 4096), 1);
	assert_int_equal(gd_wqe_count(1, 4096), 1);
	assert_int_equal(gd_wqe_count(4096, 4096), 1);
	assert_int_equal(gd_wqe_count(4097, 4096), 2);
	assert_int_equal(gd_wqe_count(UINT64_MAX, 1), UINT64_MAX);
}

/* One entry: opcode 2 at bit 28, answer at 27; 50 bits of addresses at 32 and 96. */
TEST(one_write)
{
	const struct gd_write write = {
		.from = 0x2345678901234,
		.to = 0x3fedcba987654,
		.bytes = 0x1fff,
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

/* Without data there is no address. */
TEST(a_notification_alone)
{
	const struct gd_write write = { .count = 1, .most = 4096 };
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
