// SPDX-License-Identifier: GPL-2.0-only
/*
 * What kernels on tensor cores read and write: tensors, the last elements of
 * memory and of pages, registers, and what is nowhere.
 */
#include "../bus/page_tables.h"
#include "tpc_card.h"

#define NOT_HBM	0x1000000000ull

#define ROWS	61u
#define DATA(t)	(USER_HBM + 0x100000ull * (1 + (t)))

/* Each core adds its share of the rows of two tensors. */
static void add_on_all_cores(struct card *card)
{
	float *in[2], *out = (float *)(void *)(card_hbm(card) + DATA(2));
	unsigned int n, t, i, first, end;

	for (t = 0; t < 2; t++) {
		in[t] = (float *)(void *)(card_hbm(card) + DATA(t));
		for (i = 0; i < 100 * ROWS; i++)
			in[t][i] = (t + 1) * (i % 1000) / 8.0f;
	}
	memset(out, 0, 4 * 100 * ROWS + 256);
	put_object(card, "add_f32");
	for (n = 0; n < 8; n++) {
		prepare(card, TPC(n), KERNEL, n);
		for (t = 0; t < 3; t++)
			put_tensor(card, TPC(n), t, DATA(t), ROWS);
		first = ROWS * n / 8;
		end = ROWS * (n + 1) / 8;
		for (i = 0; i < 5; i++) {
			wr(card, TPC(n) + 0xd90 + 8 * i, i == 1 ? first : 0);
			wr(card, TPC(n) + 0xd94 + 8 * i, i == 0 ? 2 :
			   i == 1 ? end - first : 1);
		}
		wr(card, TPC(n) + EXECUTE, 1);
	}
	card_settle(card);
	for (n = 0; n < 8; n++) {
		assert_int_equal(rd(card, TPC(n) + CAUSE), 0);
		assert_int_equal(sob(card, n), 1);
	}
	for (i = 0; i < 100 * ROWS; i++)
		if (out[i] != in[0][i] + in[1][i])
			fail_msg("element %u is %g", i, out[i]);
	assert_true(out[i] == 0);
}

CARD_TEST(eight_cores_add)
{
	add_on_all_cores(card);
}

TEST(eight_cores_add_in_a_pool)
{
	struct card *card = card_new(NULL, 4);

	add_on_all_cores(card);
	card_free(card);
}

/* What is to be read is nowhere: told once, with the address. */
CARD_TEST(load_from_nowhere)
{
	unsigned int t, told = card->logs[GAUDI_LOG_GUEST_ERROR];

	put_object(card, "add_f32");
	prepare(card, TPC(5), KERNEL, 0);
	for (t = 0; t < 3; t++)
		put_tensor(card, TPC(5), t, NOT_HBM, 1);
	for (t = 0; t < 5; t++)
		wr(card, TPC(5) + 0xd94 + 8 * t, 1);
	wr_settle(card, TPC(5) + EXECUTE, 1);
	assert_int_equal(rd(card, TPC(5) + CAUSE), 1 << 16);
	assert_int_equal(sob(card, 0), 0);
	assert_true(card->logs[GAUDI_LOG_GUEST_ERROR] > told);
	assert_non_null(strstr(card->last_log, "(0x1000000000)"));
	assert_non_null(strstr(card->last_log, "TPC5: load failed at "));
}

#define HBM_END	(1ull << 30)

#define BYPASS	(1u << 10)

/*
 * Element 0 of a tensor of this type, from one address to another; user: address
 * space, or BYPASS.
 */
static uint32_t move_scalar(struct card *card, unsigned int type,
			    uint32_t user, uint64_t from, uint64_t to)
{
	const uint64_t addr[2] = { from, to };
	uint8_t *code = card_hbm(card) + KERNEL;
	unsigned int t;

	put_kernel(card, 5);
	for (t = 0; t < 2; t++) {	/* gen_addr ADt, t, I0 in LOAD */
		set_bits(code + 32 * t, 119, 5, 0x00);
		set_bits(code + 32 * t, 103, 8, 128);
		set_bits(code + 32 * t, 73, 9, t);
		set_bits(code + 32 * t, 111, 8, 160 + t);
		put_tensor(card, TPC(2), t, addr[t], 1);
		wr(card, TPC(2) + 0xa0c + 56 * t, type | 0x1f << 8 | 4 << 16);
	}
	set_bits(code + 64, 119, 5, 0x0c);	/* ld_g S1, AD0 */
	set_bits(code + 64, 103, 8, 160);
	set_bits(code + 64, 111, 8, 64 + 1);
	set_bits(code + 96, 140, 5, 0x06);	/* st_g AD1, S1 */
	set_bits(code + 96, 124, 8, 161);
	set_bits(code + 96, 65, 8, 64 + 1);
	prepare(card, TPC(2), KERNEL, 0);
	wr(card, TPC(2) + ARUSER, user);
	wr(card, TPC(2) + ARUSER + 8, user);
	wr(card, TPC(2) + CAUSE, 0);
	wr_settle(card, TPC(2) + EXECUTE, 1);
	return rd(card, TPC(2) + CAUSE);
}

/* There are words only; the last elements of 8 and 16 bits can be reached. */
CARD_TEST(scalars_at_the_end_of_memory)
{
	static const struct { uint8_t type, bytes, before; } row[] = {
		{ 0, 1, 1 }, { 0, 1, 2 }, { 3, 1, 3 }, { 1, 2, 2 }, { 4, 2, 3 },
		{ 6, 2, 2 }, { 5, 4, 4 }, { 7, 4, 4 },
	};
	uint8_t *hbm = card_hbm(card);
	unsigned int i, n;

	for (i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		n = row[i].before;
		memcpy(hbm + HBM_END - 4, "abcd", 4);
		memset(hbm + DATA(0), 0xee, 8);
		assert_int_equal(move_scalar(card, row[i].type, BYPASS, HBM_END - n,
					     DATA(0)), 0);
		assert_memory_equal(hbm + DATA(0), "abcd" + 4 - n, n);
		assert_memory_equal(hbm + DATA(0) + n, &"\0\0\0\xee"[n - 1],
				    5 - n);
		memcpy(hbm + DATA(0), "wxyz", 4);
		assert_int_equal(move_scalar(card, row[i].type, BYPASS, DATA(0),
					     HBM_END - n), 0);
		assert_memory_equal(hbm + HBM_END - 4, "abcd", 4 - n);
		assert_memory_equal(hbm + HBM_END - n, "wxyz", n);
	}
	assert_int_equal(move_scalar(card, 5, BYPASS, HBM_END - 3, DATA(0)), 1 << 16);
	assert_int_equal(move_scalar(card, 1, BYPASS, HBM_END - 1, DATA(0)), 1 << 16);
	assert_int_not_equal(move_scalar(card, 7, BYPASS, DATA(0), HBM_END - 3), 0);
}

#define PAGE	0x1000u
#define VA	0x1000000200000ull
#define HOST_PAGE(i)	(0x800000u + 2 * PAGE * (i))

/*
 * A word over two pages of which each lies elsewhere is one of both; if the second
 * is none, there is as much of it as the first has, and nothing is told.
 */
CARD_TEST(scalars_over_two_pages)
{
	struct tables t = { card, PT_POOL };
	uint8_t *hbm = card_hbm(card);
	uint8_t *first = card->ram + HOST_PAGE(0) + PAGE - 4;
	uint8_t *second = card->ram + HOST_PAGE(1);
	unsigned int n, there;
	uint64_t end;

	mmu_init(card);
	/* Behind the second group there is no page. */
	map(&t, 1, VA, ram_dev(HOST_PAGE(0)), 4);
	map(&t, 1, VA + PAGE, ram_dev(HOST_PAGE(1)), 4);
	map(&t, 1, VA + 4 * PAGE, ram_dev(HOST_PAGE(0)), 4);
	for (n = 1; n < 4; n++)
		for (there = 0; there < 2; there++) {
			end = VA + (there ? 1 : 5) * PAGE;
			memcpy(first, "abcd", 4);
			memcpy(second, "efgh", 4);
			memset(hbm + DATA(0), 0xee, 8);
			/* of i8: an element is in the first page */
			assert_int_equal(move_scalar(card, 0, 1, end - n,
						     DATA(0)), 0);
			assert_memory_equal(hbm + DATA(0), "abcd" + 4 - n, n);
			assert_memory_equal(hbm + DATA(0) + n,
					    there ? "efg" : "\0\0\0", 4 - n);
			memcpy(hbm + DATA(0), "wxyz", 4);
			assert_int_equal(move_scalar(card, 0, 1, DATA(0),
						     end - n), 0);
			assert_memory_equal(first + 4 - n, "wxyz", n);
			assert_memory_equal(second, there ? "wxyz" + n : "efgh",
					    4 - n);
		}
	assert_int_equal(card->logs[GAUDI_LOG_GUEST_ERROR], 0);
}

/*
 * A store that adds one element to what is at addr. A copy that reduces waits to
 * be committed by it, with the bits of the number that is added.
 */
static void add_to(struct card *card, uint64_t addr)
{
	const uint32_t commit = 0x40000008;	/* 2.0 and a bit: linear */
	unsigned int i;

	dma_core_init(card, 2);
	wr(card, DMA_CORE(2) + 0xf0, 0x400);
	wr(card, DMA_CORE(2) + 0x14, USER_HBM + 0x300000);
	wr(card, DMA_CORE(2) + 0x1c, USER_HBM + 0x400000);
	wr(card, DMA_CORE(2) + 0x74, 64);
	wr(card, DMA_CORE(2) + 0x130, 1 << 2 | 2 << 3);
	memcpy(card_hbm(card) + DATA(0), &commit, 4);
	put_object(card, "rmw_add_f32");
	prepare(card, TPC(2), KERNEL, 0);
	wr(card, TPC(2) + ARUSER + 8, 1 << 10);
	for (i = 0; i < 2; i++) {
		put_tensor(card, TPC(2), i, i ? addr : DATA(0), 1);
		wr(card, TPC(2) + 0xa00 + 56 * i + 0x10, 1);
	}
	wr(card, TPC(2) + SRF(0), 3);
	for (i = 0; i < 5; i++)
		wr(card, TPC(2) + 0xd94 + 8 * i, 1);
	wr_settle(card, TPC(2) + EXECUTE, 1);
}

/* Nothing reduces there: refused by name, and nothing hangs. */
CARD_TEST(registers_do_not_add)
{
	const uint64_t at[] = {
		CFG + DMA_CORE(2) + 0x78, CFG + DMA_CORE(2) + 0x14,
		CFG + TPC(2) + EXECUTE, CFG + SM_E_N + SOB(7),
		HOST + MMIO_BASE,
	};
	unsigned int i;

	for (i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		add_to(card, at[i]);
		assert_int_equal(rd(card, TPC(2) + CAUSE), 1 << 17);
		wr(card, TPC(2) + CAUSE, 0);
		assert_non_null(strstr(card->last_log, "TPC2: store failed"));
	}
	assert_int_equal(sob(card, 0), 0);
	assert_int_equal(sob(card, 7), 0);
	assert_int_equal(card->posted, 0);
	assert_int_equal(rd(card, DMA_CORE(2) + 0x22c), 0);
	card_reports(card, "TPC reduction outside memory");
	/* In memory it does, in the host's too. */
	add_to(card, USER_HBM + 0x500000);
	add_to(card, ram_dev(0x200001));
	assert_int_equal(sob(card, 0), 2);
	assert_int_equal(ram32(card, 0x200001), 0x40000008);
}

CARD_TEST(kernel_from_nowhere)
{
	prepare(card, TPC(4), NOT_HBM, 0);
	wr_settle(card, TPC(4) + EXECUTE, 1);
	assert_int_equal(rd(card, TPC(4) + CAUSE), 1 << 16);
	assert_int_equal(sob(card, 0), 0);
}
