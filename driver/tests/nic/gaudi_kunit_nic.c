// SPDX-License-Identifier: GPL-2.0-only
/*
 * Contexts of queue pairs as the card sees them, and what is decided about a user's
 * arguments. Positions of fields stand here once more, as numbers.
 */
#include "../../hw/gaudi_blocks.h"
#include "../../nic/gaudi_nic_priv.h"
#include "../gaudi_kunit.h"

static u64 gaudi_field(const u32 *words, unsigned int bit, unsigned int width)
{
	u64 value = 0;
	unsigned int i;

	for (i = 0; i < width; i++, bit++)
		value |= (u64)(words[bit / 32] >> bit % 32 & 1) << i;
	return value;
}

/* Each field alone, at every place and width: its neighbours stay. */
static void gaudi_fields(struct kunit *test)
{
	u32 words[8], i;
	unsigned int bit, width;
	u64 value, mask;

	for (bit = 0; bit < 130; bit++) {
		for (width = 1; width <= 64; width++) {
			mask = GENMASK_ULL(width - 1, 0);
			value = get_random_u64();
			memset(words, 0xff, sizeof(words));
			gaudi_nic_set(words, bit, width, value);
			KUNIT_ASSERT_EQ(test, gaudi_field(words, bit, width),
					value & mask);
			KUNIT_ASSERT_EQ(test, gaudi_nic_get(words, bit, width),
					value & mask);
			gaudi_nic_set(words, bit, width, ~0ull);
			for (i = 0; i < ARRAY_SIZE(words); i++)
				KUNIT_ASSERT_EQ(test, words[i], ~0u);
		}
	}
}

static void gaudi_requesters(struct kunit *test)
{
	struct drm_gaudi_nic_req_ctx in = {
		.port = 9, .conn_id = 1023, .dst_conn_id = 0xabcdef,
		.rkey = 0x12345678, .src_ip = 0x0a000001, .dst_ip = 0x0a000002,
		.dst_mac = { 1, 2, 3, 4, 5, 6 }, .priority = 3,
		.timer_log2 = 31, .psn = 0xfedcba,
	};
	u32 words[16];

	memset(words, 0xff, sizeof(words));
	gaudi_nic_pack_req(words, &in, 1 << 21);
	KUNIT_EXPECT_EQ(test, gaudi_field(words, 0, 24), 0xabcdef);
	KUNIT_EXPECT_EQ(test, gaudi_field(words, 28, 2), 3);
	KUNIT_EXPECT_EQ(test, gaudi_field(words, 32, 32), 0x12345678);
	KUNIT_EXPECT_EQ(test, gaudi_field(words, 64, 32), 0x0a000002);
	KUNIT_EXPECT_EQ(test, gaudi_field(words, 96, 32), 0x0a000001);
	KUNIT_EXPECT_EQ(test, gaudi_field(words, 128, 48), 0x060504030201);
	KUNIT_EXPECT_EQ(test, gaudi_field(words, 176, 16), 0);
	KUNIT_EXPECT_EQ(test, gaudi_field(words, 192, 24), 0xfedcba);
	KUNIT_EXPECT_EQ(test, gaudi_field(words, 224, 24), 0xfedcba);
	KUNIT_EXPECT_EQ(test, gaudi_field(words, 248, 7), 31);
	KUNIT_EXPECT_EQ(test, gaudi_field(words, 392, 22), (1 << 21) - 1);
	KUNIT_EXPECT_EQ(test, gaudi_field(words, 414, 64), 0);
	KUNIT_EXPECT_EQ(test, gaudi_field(words, 480, 24), 1023);
	KUNIT_EXPECT_EQ(test, gaudi_field(words, 507, 2), 0);
	KUNIT_EXPECT_EQ(test, gaudi_field(words, 509, 3), 4);
	in.timer_log2 = 0;
	gaudi_nic_pack_req(words, &in, 16);
	KUNIT_EXPECT_EQ(test, gaudi_field(words, 248, 7), 14);
}

static void gaudi_responders(struct kunit *test)
{
	struct drm_gaudi_nic_res_ctx in = {
		.conn_id = 5, .dst_conn_id = 0xabcdef, .psn = 0xfedcba,
		.src_ip = 1, .dst_ip = 2, .dst_mac = { 6, 5, 4, 3, 2, 1 },
	};
	u32 words[8];

	memset(words, 0xff, sizeof(words));
	gaudi_nic_pack_res(words, &in, 0x5eed, 12);
	KUNIT_EXPECT_EQ(test, gaudi_field(words, 0, 24), 0xabcdef);
	KUNIT_EXPECT_EQ(test, gaudi_field(words, 30, 2), 0);
	KUNIT_EXPECT_EQ(test, gaudi_field(words, 32, 32), 0x5eed);
	KUNIT_EXPECT_EQ(test, gaudi_field(words, 64, 32), 2);
	KUNIT_EXPECT_EQ(test, gaudi_field(words, 96, 32), 1);
	KUNIT_EXPECT_EQ(test, gaudi_field(words, 128, 48), 0x010203040506);
	KUNIT_EXPECT_EQ(test, gaudi_field(words, 192, 24), 0xfedcba);
	KUNIT_EXPECT_EQ(test, gaudi_field(words, 216, 5), 12);
	KUNIT_EXPECT_EQ(test, gaudi_field(words, 221, 30), 0);
	KUNIT_EXPECT_EQ(test, gaudi_field(words, 252, 2), 0);
	KUNIT_EXPECT_EQ(test, gaudi_field(words, 255, 1), 1);
	in.flags = GAUDI_NIC_RES_ANY_PSN;
	gaudi_nic_pack_res(words, &in, 0x5eed, 0);
	KUNIT_EXPECT_EQ(test, gaudi_field(words, 30, 2), 2);
}

static void gaudi_busy_requesters(struct kunit *test)
{
	struct drm_gaudi_nic_req_ctx in = { .conn_id = 1 };
	u32 words[16];

	gaudi_nic_pack_req(words, &in, 64);
	KUNIT_EXPECT_FALSE(test, gaudi_nic_req_is_busy(words));
	gaudi_nic_set(words, 458, 22, 3);
	KUNIT_EXPECT_TRUE(test, gaudi_nic_req_is_busy(words));
	gaudi_nic_set(words, 436, 22, 3);
	KUNIT_EXPECT_FALSE(test, gaudi_nic_req_is_busy(words));
	gaudi_nic_set(words, 192, 24, 1);
	KUNIT_EXPECT_TRUE(test, gaudi_nic_req_is_busy(words));
	/* It has stopped at an error, or was closed. */
	gaudi_nic_set(words, 510, 1, 1);
	KUNIT_EXPECT_FALSE(test, gaudi_nic_req_is_busy(words));
	gaudi_nic_set(words, 510, 2, 0);
	KUNIT_EXPECT_FALSE(test, gaudi_nic_req_is_busy(words));
}

static void gaudi_ranges(struct kunit *test)
{
	static const struct {
		u64 addr, bytes;
		bool good;
	} some[] = {
		{ 0x20000000, 1, true }, { 0x1fffffff, 1, false },
		{ 0x1fffffff, 2, false }, { 0x20000000, 0, false },
		{ 0x20000000, 0x7e0000000, true },
		{ 0x20000000, 0x7e0000001, false },
		{ 0x7ffffffff, 1, true }, { 0x7ffffffff, 2, false },
		{ 0x7ff0000000, 128, false }, { 0x7ffc000000, 128, false },
		{ 0x8000000000, 128, false }, { 0xffffffffffff, 1, false },
		{ 0x1000000000000, 1, true },
		{ 0x27fbfffffffff, 1, true }, { 0x27fbfffffffff, 2, false },
		{ 0x20000000, 0x27fbfffffffff, false },
		{ ~0ull, 1, false }, { 0x1000000000000, ~0ull, false },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(some); i++)
		KUNIT_EXPECT_EQ_MSG(test, some[i].good,
				    gaudi_nic_range_is_good(some[i].addr,
							    some[i].bytes),
				    "%#llx, %#llx", some[i].addr,
				    some[i].bytes);
}

static void gaudi_syndromes(struct kunit *test)
{
	u32 s;

	for (s = 0; s < 128; s++)
		KUNIT_EXPECT_EQ(test, gaudi_nic_error_flags(s << 24),
				s == 0x40 || s == 0x41 || s == 0x44 ? 1 :
				s == 0x09 ? 2 : 0);
}

/* No table touches another, or the users' memory. */
static void gaudi_nic_tables(struct kunit *test)
{
	unsigned int port;

	for (port = 0; port < GAUDI_NUM_NIC_ENGINE; port++) {
		KUNIT_EXPECT_EQ(test, GAUDI_NIC_REQ_TABLE(port),
				0x1c000000 + 0x200000ull * port);
		KUNIT_EXPECT_EQ(test, GAUDI_NIC_RES_TABLE(port),
				0x1d400000 + 0x100000ull * port);
	}
	KUNIT_EXPECT_EQ(test, GAUDI_NIC_TABLES_END, 0x1de00000);
}

static void gaudi_queues_of_ports(struct kunit *test)
{
	u32 qid, n = 0;
	int port;

	for (qid = 0; qid < 200; qid++) {
		port = gaudi_nic_port_of_queue(qid);
		KUNIT_EXPECT_EQ(test, port, qid >= 73 && qid <= 112 ?
				((int)qid - 73) / 4 : -1);
		n += port >= 0;
	}
	KUNIT_EXPECT_EQ(test, n, 40);
	KUNIT_EXPECT_EQ(test, gaudi_nic_port_of_queue(~0u), -1);
}

static struct kunit_case gaudi_kunit_nic_cases[] = {
	KUNIT_CASE(gaudi_fields),
	KUNIT_CASE(gaudi_requesters),
	KUNIT_CASE(gaudi_responders),
	KUNIT_CASE(gaudi_busy_requesters),
	KUNIT_CASE(gaudi_ranges),
	KUNIT_CASE(gaudi_syndromes),
	KUNIT_CASE(gaudi_nic_tables),
	KUNIT_CASE(gaudi_queues_of_ports),
	{ }
};

static struct kunit_suite gaudi_kunit_nic_suite = {
	.name = "gaudi_nic",
	.test_cases = gaudi_kunit_nic_cases,
};

kunit_test_suite(gaudi_kunit_nic_suite);
