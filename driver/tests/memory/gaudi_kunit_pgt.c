// SPDX-License-Identifier: GPL-2.0-only
/*
 * Page tables, as the MMU would walk them: five hops with 2, 9, 9, 9 and 9 bits
 * of the address, entries of eight bytes, bit 0 present, bit 11 last.
 */
#include <linux/random.h>
#include <linux/scatterlist.h>
#include <linux/sizes.h>

#include "../../memory/gaudi_pgt.h"
#include "../../memory/gaudi_vm.h"
#include "../gaudi_kunit.h"

#define ASID	1
#define VA	0x1000200000000ull	/* hop 0, entry 1 */
#define PHYS	0x8000123400000ull

#define FAULT	(~0ull)

static u64 gaudi_walk(struct kunit *test, struct gaudi_device *gdev, u32 asid, u64 va)
{
	static const u8 shift[] = { 48, 39, 30, 21, 12 };
	u64 *mem = (__force void *)gdev->hbm + GAUDI_HBM_PGT_BASE;
	u64 table = asid * 0x1000ull, pte;
	unsigned int hop;

	for (hop = 0; hop < 5; hop++) {
		pte = mem[table / 8 + ((va >> shift[hop]) & (hop ? 511 : 3))];
		if (!(pte & 1))
			return FAULT;
		if (pte & BIT_ULL(11))
			return (pte & ~0xfffull) +
			       (va & (BIT_ULL(shift[hop]) - 1));
		table = (pte & ~0xfffull) - GAUDI_HBM_PGT_BASE;
		KUNIT_ASSERT_LT(test, table, (u64)GAUDI_FAKE_PGT_SIZE);
	}
	KUNIT_FAIL(test, "hop 4 is not the last");
	return FAULT;
}

static bool gaudi_pgt_empty(struct gaudi_device *gdev)
{
	void *mem = (__force void *)gdev->hbm + GAUDI_HBM_PGT_BASE;

	/* Tables that were given back may keep what they held. */
	return !memchr_inv(mem, 0, GAUDI_NUM_ASID * 0x1000);
}

static void gaudi_expect_range(struct kunit *test, u32 asid, u64 va, u64 phys,
			       u64 len)
{
	struct gaudi_device *gdev = test->priv;
	u64 off;

	for (off = 0; off < len; off += SZ_4K)
		KUNIT_ASSERT_EQ(test, phys == FAULT ? FAULT : phys + off + 8,
				gaudi_walk(test, gdev, asid, va + off + 8));
}

static int gaudi_kunit_pgt_init(struct kunit *test)
{
	struct gaudi_device *gdev = gaudi_fake_device(test);

	gaudi_fake_pgt(test, gdev);
	test->priv = gdev;
	return gaudi_pgt_init(gdev);
}

static void gaudi_kunit_pgt_exit(struct kunit *test)
{
	if (test->priv)
		gaudi_pgt_fini(test->priv);
}

/* What an invalidation means to the tables. */
static void gaudi_forget(struct gaudi_device *gdev)
{
	LIST_HEAD(empty);

	gaudi_pgt_detach_empty(gdev, &empty);
	gaudi_pgt_reuse(gdev, &empty);
}

static void gaudi_maps_and_unmaps(struct kunit *test)
{
	static const struct {
		u64 va, len;
		u32 page;
	} ranges[] = {
		{ VA, SZ_4K, SZ_4K },
		{ VA, SZ_2M, SZ_2M },
		{ 0, SZ_4K, SZ_4K },
		{ 0x3fffffffff000ull, SZ_4K, SZ_4K },
		/* over the end of a last hop table, of one above, of hop 1's */
		{ VA + SZ_2M - 3 * SZ_4K, 600 * SZ_4K, SZ_4K },
		{ 0x1003fffe00000ull, 3 * SZ_2M, SZ_2M },
		{ 0x0ffffffffe000ull, 4 * SZ_4K, SZ_4K },
		{ 0x1007fffe00000ull, 1025 * SZ_4K, SZ_4K },
	};
	struct gaudi_device *gdev = test->priv;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ranges); i++) {
		u64 va = ranges[i].va, len = ranges[i].len;
		u32 page = ranges[i].page;

		KUNIT_ASSERT_EQ(test, 0, gaudi_pgt_map(gdev, ASID, va, PHYS,
						       len, page));
		gaudi_expect_range(test, ASID, va, PHYS, len);
		KUNIT_EXPECT_EQ(test, FAULT, gaudi_walk(test, gdev, ASID, va - 1));
		KUNIT_EXPECT_EQ(test, FAULT, gaudi_walk(test, gdev, ASID, va + len));
		KUNIT_EXPECT_EQ(test, FAULT, gaudi_walk(test, gdev, 0, va));
		gaudi_pgt_unmap(gdev, ASID, va, len, page);
		gaudi_expect_range(test, ASID, va, FAULT, len);
		KUNIT_EXPECT_TRUE(test, gaudi_pgt_empty(gdev));
	}
}

/* What is refused leaves nothing behind, and what was there alone. */
static void gaudi_refuses_what_is_mapped(struct kunit *test)
{
	struct gaudi_device *gdev = test->priv;

	KUNIT_ASSERT_EQ(test, 0, gaudi_pgt_map(gdev, ASID, VA, PHYS, SZ_2M,
					       SZ_2M));
	KUNIT_EXPECT_EQ(test, -EBUSY, gaudi_pgt_map(gdev, ASID, VA + SZ_4K, 0,
						    SZ_4K, SZ_4K));
	KUNIT_EXPECT_EQ(test, -EBUSY, gaudi_pgt_map(gdev, ASID, VA, 0, SZ_2M,
						    SZ_2M));
	/* A run that meets it in its middle. */
	KUNIT_EXPECT_EQ(test, -EBUSY, gaudi_pgt_map(gdev, ASID, VA - 3 * SZ_2M,
						    0, 5 * SZ_2M, SZ_2M));
	KUNIT_EXPECT_EQ(test, -EBUSY, gaudi_pgt_map(gdev, ASID, VA - 3 * SZ_4K,
						    0, 5 * SZ_4K, SZ_4K));
	gaudi_expect_range(test, ASID, VA - 3 * SZ_4K, FAULT, 3 * SZ_4K);
	KUNIT_EXPECT_EQ(test, FAULT, gaudi_walk(test, gdev, ASID, VA - SZ_2M));
	gaudi_expect_range(test, ASID, VA, PHYS, SZ_2M);
	gaudi_pgt_unmap(gdev, ASID, VA, SZ_2M, SZ_2M);

	KUNIT_ASSERT_EQ(test, 0, gaudi_pgt_map(gdev, ASID, VA, PHYS, SZ_4K,
					       SZ_4K));
	KUNIT_EXPECT_EQ(test, -EBUSY, gaudi_pgt_map(gdev, ASID, VA, 0, SZ_2M,
						    SZ_2M));
	gaudi_expect_range(test, ASID, VA, PHYS, SZ_4K);
	KUNIT_EXPECT_EQ(test, FAULT, gaudi_walk(test, gdev, ASID, VA + SZ_4K));
	gaudi_pgt_unmap(gdev, ASID, VA, SZ_4K, SZ_4K);
	KUNIT_EXPECT_TRUE(test, gaudi_pgt_empty(gdev));
}

static void gaudi_address_spaces_are_apart(struct kunit *test)
{
	struct gaudi_device *gdev = test->priv;
	u32 asid;

	for (asid = 0; asid < GAUDI_NUM_ASID; asid++)
		KUNIT_ASSERT_EQ(test, 0,
				gaudi_pgt_map(gdev, asid, VA,
					      PHYS + asid * SZ_1M, SZ_4K,
					      SZ_4K));
	for (asid = 0; asid < GAUDI_NUM_ASID; asid++)
		gaudi_expect_range(test, asid, VA, PHYS + asid * SZ_1M, SZ_4K);
	gaudi_pgt_unmap(gdev, 0, VA, SZ_4K, SZ_4K);
	KUNIT_EXPECT_EQ(test, FAULT, gaudi_walk(test, gdev, 0, VA));
	gaudi_expect_range(test, 1, VA, PHYS + SZ_1M, SZ_4K);
}

/* What changes while HBM is lost is there when it is back. */
static void gaudi_comes_back_after_a_reset(struct kunit *test)
{
	struct gaudi_device *gdev = test->priv;
	void *mem = (__force void *)gdev->hbm + GAUDI_HBM_PGT_BASE;

	KUNIT_ASSERT_EQ(test, 0, gaudi_pgt_map(gdev, ASID, VA, PHYS, SZ_4K,
					       SZ_4K));
	gaudi_pgt_suspend(gdev);
	memset(mem, 0, GAUDI_FAKE_PGT_SIZE);
	KUNIT_ASSERT_EQ(test, 0, gaudi_pgt_map(gdev, ASID, VA + SZ_4M, PHYS,
					       SZ_2M, SZ_2M));
	KUNIT_ASSERT_EQ(test, 0, gaudi_pgt_map(gdev, ASID, VA + SZ_4K, PHYS,
					       SZ_4K, SZ_4K));
	gaudi_pgt_unmap(gdev, ASID, VA, SZ_4K, SZ_4K);
	KUNIT_EXPECT_FALSE(test, memchr_inv(mem, 0, GAUDI_FAKE_PGT_SIZE));
	gaudi_pgt_restore(gdev);
	KUNIT_EXPECT_EQ(test, FAULT, gaudi_walk(test, gdev, ASID, VA));
	gaudi_expect_range(test, ASID, VA + SZ_4K, PHYS, SZ_4K);
	gaudi_expect_range(test, ASID, VA + SZ_4M, PHYS, SZ_2M);
}

/* Where the last table for va stands. */
static u64 gaudi_last_table(struct gaudi_device *gdev, u32 asid, u64 va)
{
	static const u8 shift[] = { 48, 39, 30, 21 };
	u64 *mem = (__force void *)gdev->hbm + GAUDI_HBM_PGT_BASE;
	u64 table = asid * 0x1000ull;
	unsigned int hop;

	for (hop = 0; hop < 4; hop++)
		table = (mem[table / 8 + ((va >> shift[hop]) &
					  (hop ? 511 : 3))] & ~0xfffull) -
			GAUDI_HBM_PGT_BASE;
	return table;
}

/* Between a fatal PCI error and the reset of the link nothing is written. */
static void gaudi_frozen_card_is_left_alone(struct kunit *test)
{
	struct gaudi_device *gdev = test->priv;

	gdev->pdev->error_state = pci_channel_io_frozen;
	KUNIT_ASSERT_EQ(test, 0, gaudi_pgt_map(gdev, ASID, VA, PHYS, SZ_4K,
					       SZ_4K));
	KUNIT_EXPECT_TRUE(test, gaudi_pgt_empty(gdev));
	gdev->pdev->error_state = pci_channel_io_normal;
	gaudi_pgt_restore(gdev);
	gaudi_expect_range(test, ASID, VA, PHYS, SZ_4K);
	gaudi_pgt_unmap(gdev, ASID, VA, SZ_4K, SZ_4K);
	KUNIT_EXPECT_TRUE(test, gaudi_pgt_empty(gdev));
}

/* Is the table that stands there one of the next that are used? */
static bool gaudi_serves_again(struct kunit *test, struct gaudi_device *gdev,
			       u64 table)
{
	bool found = false;
	u64 va;

	for (va = VA; va < VA + 64ull * SZ_2M; va += SZ_2M) {
		KUNIT_ASSERT_EQ(test, 0, gaudi_pgt_map(gdev, 0, va, PHYS, SZ_4K,
						       SZ_4K));
		found |= gaudi_last_table(gdev, 0, va) == table;
	}
	for (va = VA; va < VA + 64ull * SZ_2M; va += SZ_2M)
		gaudi_pgt_unmap(gdev, 0, va, SZ_4K, SZ_4K);
	gaudi_forget(gdev);
	return found;
}

/* A table that became empty is not used before an invalidation. */
static void gaudi_empty_tables_wait(struct kunit *test)
{
	struct gaudi_device *gdev = test->priv;
	u64 first, other;

	gaudi_pgt_map(gdev, ASID, VA, PHYS, SZ_4K, SZ_4K);
	first = gaudi_last_table(gdev, ASID, VA);
	gaudi_pgt_unmap(gdev, ASID, VA, SZ_4K, SZ_4K);
	for (other = VA; other < VA + SZ_8M; other += SZ_2M) {
		gaudi_pgt_map(gdev, 0, other, PHYS, SZ_4K, SZ_4K);
		KUNIT_EXPECT_NE(test, first, gaudi_last_table(gdev, 0, other));
	}
	for (other = VA; other < VA + SZ_8M; other += SZ_2M)
		gaudi_pgt_unmap(gdev, 0, other, SZ_4K, SZ_4K);
	gaudi_forget(gdev);
	KUNIT_EXPECT_TRUE(test, gaudi_serves_again(test, gdev, first));
	KUNIT_EXPECT_TRUE(test, gaudi_pgt_empty(gdev));
}

/* So does one of a range that met something half way and was given up. */
static void gaudi_tables_given_up_wait(struct kunit *test)
{
	struct gaudi_device *gdev = test->priv;
	u64 taken, last, other;

	KUNIT_ASSERT_EQ(test, 0, gaudi_pgt_map(gdev, ASID, VA + SZ_2M, PHYS,
					       SZ_4K, SZ_4K));
	taken = gaudi_last_table(gdev, ASID, VA + SZ_2M);
	/* The only one that is kept is next. */
	KUNIT_ASSERT_EQ(test, 0, gaudi_pgt_map(gdev, ASID, VA, PHYS, SZ_4K,
					       SZ_4K));
	last = gaudi_last_table(gdev, ASID, VA);
	gaudi_pgt_unmap(gdev, ASID, VA, SZ_4K, SZ_4K);
	gaudi_forget(gdev);

	KUNIT_EXPECT_EQ(test, -EBUSY, gaudi_pgt_map(gdev, ASID, VA, PHYS,
						    SZ_2M + SZ_4K, SZ_4K));
	for (other = VA; other < VA + SZ_8M; other += SZ_2M) {
		gaudi_pgt_map(gdev, 0, other, PHYS, SZ_4K, SZ_4K);
		KUNIT_EXPECT_NE(test, last, gaudi_last_table(gdev, 0, other));
	}
	for (other = VA; other < VA + SZ_8M; other += SZ_2M)
		gaudi_pgt_unmap(gdev, 0, other, SZ_4K, SZ_4K);
	KUNIT_EXPECT_EQ(test, taken, gaudi_last_table(gdev, ASID, VA + SZ_2M));
	gaudi_forget(gdev);
	KUNIT_EXPECT_TRUE(test, gaudi_serves_again(test, gdev, last));
	gaudi_pgt_unmap(gdev, ASID, VA, SZ_2M + SZ_4K, SZ_4K);
	KUNIT_EXPECT_TRUE(test, gaudi_pgt_empty(gdev));
}

/* Marks the last entry of a table in HBM, to detect a write of all of it. */
static u64 *gaudi_mark(struct gaudi_device *gdev, u64 table)
{
	u64 *mem = (__force void *)gdev->hbm + GAUDI_HBM_PGT_BASE;

	return &mem[table / 8 + 511];
}

/* Short-lived mappings use the same tables, which are not written again. */
static void gaudi_tables_serve_again(struct kunit *test)
{
	struct gaudi_device *gdev = test->priv;
	/* Behind the roots, one for each hop. */
	const u64 end = (GAUDI_NUM_ASID + 4) * 0x1000ull;
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		u64 va = VA + i % 100 * (u64)(SZ_2M + SZ_4K), table;

		KUNIT_ASSERT_EQ(test, 0, gaudi_pgt_map(gdev, ASID, va, PHYS,
						       3 * SZ_4K, SZ_4K));
		gaudi_expect_range(test, ASID, va, PHYS, 3 * SZ_4K);
		/* What was there in the round before is not. */
		KUNIT_ASSERT_EQ(test, FAULT, gaudi_walk(test, gdev, ASID, va - 8));
		KUNIT_ASSERT_EQ(test, FAULT, gaudi_walk(test, gdev, ASID,
							va + 3 * SZ_4K));
		table = gaudi_last_table(gdev, ASID, va);
		KUNIT_ASSERT_LT(test, table, end);
		KUNIT_ASSERT_EQ(test, i ? 2 : 0, *gaudi_mark(gdev, table));
		gaudi_pgt_unmap(gdev, ASID, va, 3 * SZ_4K, SZ_4K);
		KUNIT_ASSERT_EQ(test, FAULT, gaudi_walk(test, gdev, ASID, va));
		for (table = GAUDI_NUM_ASID * 0x1000ull; table < end;
		     table += 0x1000)
			*gaudi_mark(gdev, table) = 2;
		gaudi_forget(gdev);
	}
}

/* How many of the first hundred last tables serve again as they are. */
static unsigned int gaudi_count_kept(struct kunit *test, bool trim)
{
	struct gaudi_device *gdev = test->priv;
	u64 tables[100], va;
	unsigned int i, kept = 0;

	for (i = 0, va = VA; i < 100; i++, va += SZ_2M) {
		gaudi_pgt_map(gdev, ASID, va, PHYS, SZ_4K, SZ_4K);
		tables[i] = gaudi_last_table(gdev, ASID, va);
	}
	for (i = 0, va = VA; i < 100; i++, va += SZ_2M)
		gaudi_pgt_unmap(gdev, ASID, va, SZ_4K, SZ_4K);
	gaudi_forget(gdev);
	if (trim)
		gaudi_pgt_trim(gdev);
	for (i = 0; i < 100; i++)
		*gaudi_mark(gdev, tables[i]) = 2;
	for (i = 0, va = VA; i < 100; i++, va += SZ_2M)
		gaudi_pgt_map(gdev, ASID, va, PHYS, SZ_4K, SZ_4K);
	for (i = 0; i < 100; i++) {
		kept += *gaudi_mark(gdev, tables[i]) == 2;
		*gaudi_mark(gdev, tables[i]) = 0;
	}
	for (i = 0, va = VA; i < 100; i++, va += SZ_2M)
		gaudi_pgt_unmap(gdev, ASID, va, SZ_4K, SZ_4K);
	gaudi_forget(gdev);
	gaudi_pgt_trim(gdev);
	return kept;
}

static void gaudi_only_some_are_kept(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 64, gaudi_count_kept(test, false));
	KUNIT_EXPECT_EQ(test, 0, gaudi_count_kept(test, true));
}

/* A table that was cleared while HBM could not be written is written whole. */
static void gaudi_stale_tables_are_written(struct kunit *test)
{
	struct gaudi_device *gdev = test->priv;

	KUNIT_ASSERT_EQ(test, 0, gaudi_pgt_map(gdev, ASID, VA, PHYS, SZ_2M,
					       SZ_4K));
	gdev->pdev->error_state = pci_channel_io_frozen;
	gaudi_pgt_unmap(gdev, ASID, VA, SZ_2M, SZ_4K);
	gaudi_forget(gdev);
	gdev->pdev->error_state = pci_channel_io_normal;
	gaudi_expect_range(test, ASID, VA, PHYS, SZ_2M);
	KUNIT_ASSERT_EQ(test, 0, gaudi_pgt_map(gdev, ASID, VA, PHYS + SZ_1M,
					       SZ_4K, SZ_4K));
	gaudi_expect_range(test, ASID, VA, PHYS + SZ_1M, SZ_4K);
	gaudi_expect_range(test, ASID, VA + SZ_4K, FAULT, SZ_2M - SZ_4K);
	gaudi_pgt_unmap(gdev, ASID, VA, SZ_4K, SZ_4K);
	KUNIT_EXPECT_TRUE(test, gaudi_pgt_empty(gdev));
}

/* A reset loses what HBM holds, also of cached tables. */
static void gaudi_kept_tables_survive_a_reset(struct kunit *test)
{
	struct gaudi_device *gdev = test->priv;
	void *mem = (__force void *)gdev->hbm + GAUDI_HBM_PGT_BASE;

	KUNIT_ASSERT_EQ(test, 0, gaudi_pgt_map(gdev, ASID, VA, PHYS, SZ_2M,
					       SZ_4K));
	gaudi_pgt_suspend(gdev);
	gaudi_pgt_unmap(gdev, ASID, VA, SZ_2M, SZ_4K);
	gaudi_forget(gdev);
	memset(mem, 0xff, GAUDI_FAKE_PGT_SIZE);
	gaudi_pgt_restore(gdev);
	KUNIT_EXPECT_EQ(test, FAULT, gaudi_walk(test, gdev, ASID, VA));
	KUNIT_ASSERT_EQ(test, 0, gaudi_pgt_map(gdev, ASID, VA + SZ_1G, PHYS,
					       SZ_4K, SZ_4K));
	gaudi_expect_range(test, ASID, VA + SZ_1G, PHYS, SZ_4K);
	gaudi_expect_range(test, ASID, VA + SZ_1G + SZ_4K, FAULT, SZ_2M - SZ_4K);
	gaudi_expect_range(test, ASID, VA, FAULT, SZ_2M);
	gaudi_pgt_unmap(gdev, ASID, VA + SZ_1G, SZ_4K, SZ_4K);
}

/* Segments one after the other; the first begins within a page. */
static void gaudi_maps_segments(struct kunit *test)
{
	static const struct {
		u64 dma;
		u32 len;
	} segments[] = {
		{ 0x1234000010, SZ_4K - 0x10 },
		{ 0x5670000000, 700 * SZ_4K },
		{ 0x1111111000, SZ_4K },
		{ 0x2222222000, 0x123 },
	};
	const u64 va = VA + SZ_2M - 2 * SZ_4K, all = 703 * SZ_4K;
	struct gaudi_device *gdev = test->priv;
	struct scatterlist sgl[ARRAY_SIZE(segments)], *sg;
	struct sg_table sgt = { .sgl = sgl, .nents = ARRAY_SIZE(sgl) };
	u64 at = va;
	unsigned int i;

	sg_init_table(sgl, ARRAY_SIZE(sgl));
	for_each_sgtable_dma_sg(&sgt, sg, i) {
		sg_dma_address(sg) = segments[i].dma;
		sg_dma_len(sg) = segments[i].len;
	}
	KUNIT_ASSERT_EQ(test, 0, gaudi_pgt_map_sgt(gdev, ASID, va, &sgt,
						   SZ_4K));
	for (i = 0; i < ARRAY_SIZE(segments); i++) {
		u64 len = round_up(segments[i].len, SZ_4K);

		gaudi_expect_range(test, ASID, at, GAUDI_HOST_BASE +
				   round_down(segments[i].dma, SZ_4K), len);
		at += len;
	}
	KUNIT_EXPECT_EQ(test, all, at - va);
	KUNIT_EXPECT_EQ(test, FAULT, gaudi_walk(test, gdev, ASID, va + all));
	gaudi_pgt_unmap(gdev, ASID, va, all, SZ_4K);
	gaudi_expect_range(test, ASID, va, FAULT, all);

	/* One that meets the last of them leaves nothing behind. */
	KUNIT_ASSERT_EQ(test, 0, gaudi_pgt_map(gdev, ASID, va + 702 * SZ_4K,
					       PHYS, SZ_4K, SZ_4K));
	KUNIT_EXPECT_EQ(test, -EBUSY, gaudi_pgt_map_sgt(gdev, ASID, va, &sgt,
							SZ_4K));
	gaudi_expect_range(test, ASID, va, FAULT, 702 * SZ_4K);
	gaudi_expect_range(test, ASID, va + 702 * SZ_4K, PHYS, SZ_4K);
	gaudi_pgt_unmap(gdev, ASID, va + 702 * SZ_4K, SZ_4K, SZ_4K);
	KUNIT_EXPECT_TRUE(test, gaudi_pgt_empty(gdev));
}

#define SLOTS	48

/* Many changes against a list of what must be mapped. */
static void gaudi_many_changes(struct kunit *test)
{
	struct gaudi_device *gdev = test->priv;
	u64 phys[SLOTS], va;
	unsigned int i, s;
	u32 page;

	memset(phys, 0xff, sizeof(phys));
	for (i = 0; i < 6000; i++) {
		s = get_random_u32_below(SLOTS);
		/* Slots of 2 MiB, an even one with one page of that size. */
		page = s % 2 ? SZ_4K : SZ_2M;
		va = VA + s * (u64)(s % 3 ? SZ_2M : SZ_1G);
		if (phys[s] == FAULT) {
			u64 p = (u64)get_random_u32() * SZ_2M;
			int ret = gaudi_pgt_map(gdev, ASID, va, p, SZ_2M, page);

			KUNIT_ASSERT_EQ(test, 0, ret);
			phys[s] = p;
		} else {
			gaudi_pgt_unmap(gdev, ASID, va, SZ_2M, page);
			gaudi_forget(gdev);
			phys[s] = FAULT;
		}
		if (i % 64)
			continue;
		for (s = 0; s < SLOTS; s++) {
			u64 off = get_random_u32_below(SZ_2M);

			va = VA + s * (u64)(s % 3 ? SZ_2M : SZ_1G);
			KUNIT_ASSERT_EQ(test, phys[s] == FAULT ? FAULT :
					phys[s] + off,
					gaudi_walk(test, gdev, ASID, va + off));
		}
	}
	for (s = 0; s < SLOTS; s++)
		if (phys[s] != FAULT)
			gaudi_pgt_unmap(gdev, ASID, VA + s *
					(u64)(s % 3 ? SZ_2M : SZ_1G), SZ_2M,
					s % 2 ? SZ_4K : SZ_2M);
	KUNIT_EXPECT_TRUE(test, gaudi_pgt_empty(gdev));
}

static struct kunit_case gaudi_kunit_pgt_cases[] = {
	KUNIT_CASE(gaudi_maps_and_unmaps),
	KUNIT_CASE(gaudi_refuses_what_is_mapped),
	KUNIT_CASE(gaudi_address_spaces_are_apart),
	KUNIT_CASE(gaudi_comes_back_after_a_reset),
	KUNIT_CASE(gaudi_frozen_card_is_left_alone),
	KUNIT_CASE(gaudi_empty_tables_wait),
	KUNIT_CASE(gaudi_tables_given_up_wait),
	KUNIT_CASE(gaudi_tables_serve_again),
	KUNIT_CASE(gaudi_only_some_are_kept),
	KUNIT_CASE(gaudi_stale_tables_are_written),
	KUNIT_CASE(gaudi_kept_tables_survive_a_reset),
	KUNIT_CASE(gaudi_maps_segments),
	KUNIT_CASE_SLOW(gaudi_many_changes),
	{ }
};

static struct kunit_suite gaudi_kunit_pgt_suite = {
	.name = "gaudi_pgt",
	.init = gaudi_kunit_pgt_init,
	.exit = gaudi_kunit_pgt_exit,
	.test_cases = gaudi_kunit_pgt_cases,
};

kunit_test_suite(gaudi_kunit_pgt_suite);
