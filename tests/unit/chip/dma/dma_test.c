// SPDX-License-Identifier: GPL-2.0-only
/*
 * DMA cores: linear copies of all sizes and alignments between every pair of
 * memories, memset, writes to registers, completions, direct use without a
 * queue manager, errors.
 */
#include "../card.h"

#define RING	0x10000
#define CBUF	0x40000
#define BUF	0x100000
#define BUF2	0x1000000
#define LIN	0x8
#define MEMSET	0x18
#define BUSY	(1u << 31)

static uint32_t err_cause(struct card *card, unsigned int n)
{
	return rd(card, DMA_CORE(n) + 0x164);
}

QUEUE_TEST(copies_between_memories, queue_external(card, 0, RING))
{
	uint8_t *at[] = { card->ram + BUF, card_hbm(card) + USER_HBM,
			  card_sram(card) + 0x1000, card->ram + BUF2,
			  card_hbm(card) + USER_HBM + 0x1000000,
			  card_sram(card) + 0x800000 };
	uint64_t addr[] = { ram_dev(BUF), USER_HBM, SRAM + 0x1000,
			    ram_dev(BUF2), USER_HBM + 0x1000000,
			    SRAM + 0x800000 };
	const uint32_t size = 300000;
	unsigned int from, to;

	for (from = 0; from < 3; from++) {
		for (to = 3; to < 6; to++) {
			fill(at[from], size, 3 * from + to);
			memset(at[to], 0, size + 1);
			lin_dma(card, &q, addr[from], addr[to], size, LIN);
			assert_memory_equal(at[to], at[from], size);
			assert_int_equal(at[to][size], 0);
		}
	}
	assert_int_equal(err_cause(card, 0), 0);
}

QUEUE_TEST(awkward_sizes, queue_external(card, 1, RING))
{
	static const uint32_t sizes[] = {
		1, 2, 3, 4, 7, 8, 15, 63, 64, 65, 127, 128, 129, 4095, 4096,
		4097, 65535, 65537, 1048575, 1048577, 2097153, 3000001,
	};
	static const uint32_t shifts[] = { 0, 1, 3, 7, 64, 127, 4095 };
	uint8_t *hbm = card_hbm(card) + USER_HBM;
	unsigned int i, j;

	fill(card->ram + BUF, 4 << 20, 9);
	for (i = 0; i < sizeof(sizes) / 4; i++) {
		for (j = 0; j < sizeof(shifts) / 4; j++) {
			uint32_t s = shifts[j], d = shifts[(j + i) % 7];

			memset(hbm + d, 0, sizes[i] + 1);
			if (d)
				hbm[d - 1] = 0x99;
			lin_dma(card, &q, ram_dev(BUF) + s, USER_HBM + d,
				sizes[i], LIN);
			assert_memory_equal(hbm + d, card->ram + BUF + s,
					    sizes[i]);
			assert_int_equal(hbm[d + sizes[i]], 0);
			if (d)
				assert_int_equal(hbm[d - 1], 0x99);
		}
	}
}

QUEUE_TEST(memset_patterns, queue_external(card, 0, RING))
{
	static const uint32_t sizes[] = { 1, 5, 8, 13, 4096, 100003 };
	const uint64_t pattern = 0x1122334455667788;
	uint8_t *hbm = card_hbm(card) + USER_HBM;
	unsigned int i;
	uint32_t k;

	for (i = 0; i < sizeof(sizes) / 4; i++) {
		memset(hbm, 0xee, sizes[i] + 8);
		lin_dma(card, &q, pattern, USER_HBM, sizes[i], MEMSET);
		for (k = 0; k < sizes[i]; k++)
			if (hbm[k] != (uint8_t)(pattern >> 8 * (k % 8)))
				fail_msg("size %u, byte %u is 0x%02x", sizes[i],
					 k, hbm[k]);
		assert_int_equal(hbm[sizes[i]], 0xee);
	}
	/* host memory and SRAM as well */
	lin_dma(card, &q, pattern, ram_dev(BUF) + 3, 21, MEMSET);
	assert_int_equal(card->ram[BUF + 3], 0x88);
	assert_int_equal(card->ram[BUF + 2], 0);
	assert_int_equal(card->ram[BUF + 3 + 20], 0x44);
	lin_dma(card, &q, 0, SRAM, 0x1400000, MEMSET);
	assert_int_equal(err_cause(card, 0), 0);
}

/* The page tables' place is cleared by one memset of 192 MiB. */
JOB_TEST(memset_of_page_tables, queue_external(card, 0, RING))
{
	uint8_t *hbm = card_hbm(card);

	hbm[0x10000000] = 1;
	hbm[0x1bffffff] = 2;
	hbm[0x1c000000] = 3;
	hbm[0x0fffffff] = 4;
	wr(card, DMA_CORE(0) + 0xb8, 3);
	put_lin_dma(&cb, 0, 0x10000000, 0x0c000000, MEMSET);
	put_msg_prot(&cb, ram_dev(BUF), 0x72e91ab9);
	assert_int_equal(cb.len, 40);
	queue_run(card, &q, &cb);
	assert_int_equal(ram32(card, BUF), 0x72e91ab9);
	assert_int_equal(hbm[0x10000000], 0);
	assert_int_equal(hbm[0x1bffffff], 0);
	assert_int_equal(hbm[0x1c000000], 3);
	assert_int_equal(hbm[0x0fffffff], 4);
}

/* Overlap must not crash; the parts that do not overlap are right. */
QUEUE_TEST(overlapping_copy, queue_external(card, 0, RING))
{
	uint8_t *hbm = card_hbm(card) + USER_HBM;
	uint8_t *want = malloc(200000);

	fill(hbm, 200000, 4);
	memcpy(want, hbm, 200000);
	lin_dma(card, &q, USER_HBM + 50000, USER_HBM, 100000, LIN);
	assert_memory_equal(hbm, want + 50000, 100000);
	assert_memory_equal(hbm + 100000 + 50000, want + 150000, 50000);
	lin_dma(card, &q, USER_HBM, USER_HBM + 16, 4096, LIN);
	lin_dma(card, &q, USER_HBM, USER_HBM, 4096, LIN);
	free(want);
}

QUEUE_TEST(copy_to_registers, queue_external(card, 0, RING))
{
	uint32_t values[4] = { 5, 6, 7, 8 };

	memcpy(card->ram + BUF, values, sizeof(values));
	lin_dma(card, &q, ram_dev(BUF), CFG + SM_E_N + SOB(20), 16, LIN);
	assert_int_equal(rd(card, SM_E_N + SOB(20)), 5);
	assert_int_equal(rd(card, SM_E_N + SOB(23)), 8);
	/* memset of sync objects, and add mode */
	lin_dma(card, &q, 0x8000000280000001, CFG + SM_E_N + SOB(20), 16,
		MEMSET);
	assert_int_equal(rd(card, SM_E_N + SOB(20)), 6);
	assert_int_equal(rd(card, SM_E_N + SOB(21)), 8);
}

QUEUE_TEST(completion_write, queue_external(card, 4, RING))
{
	uint64_t sob = CFG + SM_W_S + SOB(200);

	wr(card, DMA_CORE(1) + 0x7c, 0x80000001);
	wr64(card, DMA_CORE(1) + 0x80, sob);
	lin_dma(card, &q, ram_dev(BUF), USER_HBM, 100, LIN);
	assert_int_equal(rd(card, SM_W_S + SOB(200)), 0);
	lin_dma(card, &q, ram_dev(BUF), USER_HBM, 100, LIN | 1);
	assert_int_equal(rd(card, SM_W_S + SOB(200)), 1);
}

/* Without a queue manager, as a scrub does. */
CARD_TEST(direct_commit)
{
	uint8_t *hbm = card_hbm(card);
	unsigned int n;

	for (n = 0; n < 8; n++) {
		uint64_t dst = USER_HBM + n * 0x100000;

		dma_core_init(card, n);
		dma_start(card, n, 0xa5a5a5a55a5a5a5a, dst, 0x100000, MEMSET);
		card_settle(card);
		assert_int_equal(rd(card, DMA_CORE(n) + 0x190) & BUSY, 0);
		assert_int_equal(hbm[dst], 0x5a);
		assert_int_equal(hbm[dst + 0xfffff], 0xa5);
		assert_int_equal(hbm[dst + 0x100000], 0);
	}
}

CARD_TEST(bad_addresses)
{
	static const struct {
		uint64_t src, dst;
		uint32_t size;
	} bad[] = {
		{ HOST + 0x1000, USER_HBM, 64 },	/* no RAM there */
		{ USER_HBM, HOST + 0x1000, 64 },
		{ USER_HBM, 0x7e00000000, 64 },		/* no device memory */
		{ 0x7e00000000, USER_HBM, 64 },
		{ USER_HBM, (1ull << 30) - 32, 64 },	/* across HBM's end */
		{ (1ull << 30) - 32, USER_HBM, 64 },
		{ USER_HBM, SRAM + 0x1400000 - 32, 64 },
		{ USER_HBM, SRAM - 32, 64 },
		{ USER_HBM, 0xffffffffffffff, 64 },
		{ HOST + RAM_BASE + RAM_SIZE - 32, USER_HBM, 64 },
		{ HOST + RAM_BASE, HOST + 0x1000, 0xffffffff },
		{ HOST + MMIO_BASE, USER_HBM, 64 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct queue q;
		struct cb cb;
		uint8_t *hbm = card_hbm(card) + USER_HBM;

		gaudi_chip_power_on(card->chip);
		card_settle(card);
		q = queue_external(card, 0, RING);
		cb = cb_host(card, CBUF);
		put_lin_dma(&cb, bad[i].src, bad[i].dst, bad[i].size, LIN);
		queue_run(card, &q, &cb);
		if (!err_cause(card, 0))
			fail_msg("case %u: no error", i);
		/* It is cleared by writing ones; another core is not hurt. */
		wr(card, DMA_CORE(0) + 0x164, 0xffffffff);
		assert_int_equal(err_cause(card, 0), 0);
		q = queue_external(card, 4, RING);
		fill(card->ram + BUF, 64, i);
		lin_dma(card, &q, ram_dev(BUF), USER_HBM, 64, LIN);
		assert_memory_equal(hbm, card->ram + BUF, 64);
	}
}

QUEUE_TEST(zero_size, queue_external(card, 0, RING))
{
	card_hbm(card)[USER_HBM] = 7;
	lin_dma(card, &q, ram_dev(BUF), USER_HBM, 0, LIN);
	assert_int_equal(card_hbm(card)[USER_HBM], 7);
	assert_int_equal(rd(card, q.qm + 0x38) & 0x3fff, 0x3fff);
}

JOB_TEST(halted_core_waits, queue_external(card, 0, RING))
{
	card->ram[BUF] = 0x77;
	wr(card, DMA_CORE(0) + 0x4, 1);
	put_lin_dma(&cb, ram_dev(BUF), USER_HBM, 1, LIN);
	queue_run(card, &q, &cb);
	assert_int_equal(card_hbm(card)[USER_HBM], 0);
	wr_settle(card, DMA_CORE(0) + 0x4, 0);
	assert_int_equal(card_hbm(card)[USER_HBM], 0x77);
}

/* All eight, host to HBM and back, at the same time. */
CARD_TEST(all_cores_at_once)
{
	struct queue q[8];
	unsigned int n;

	fill(card->ram + BUF, 8 << 18, 5);
	for (n = 0; n < 8; n++) {
		struct cb lower = cb_host(card, CBUF + n * 256);
		struct cb upper = cb_host(card, CBUF + 4096 + n * 256);
		struct cb *cb = &lower;

		put_lin_dma(&lower, ram_dev(BUF + (n << 18)),
			    USER_HBM + (n << 18), 1 << 18, LIN);
		put_lin_dma(&lower, USER_HBM + (n << 18),
			    ram_dev(BUF2 + (n << 18)), 1 << 18, LIN);
		put_msg_long(&lower, CFG + SM_E_N + SOB(0), 0x80000001);
		if (n < 2) {
			q[n] = queue_external(card, n * 4,
					      RING + n * 0x4000);
		} else {
			q[n] = queue_internal(card, DMA_QM(n), 0,
					      RING + n * 0x4000, 10);
			put_cp_dma(&upper, lower.addr, lower.len);
			cb = &upper;
		}
		queue_put(card, &q[n], cb->addr, cb->len);
	}
	for (n = 0; n < 8; n++)
		queue_ring(card, &q[n]);
	card_settle(card);
	assert_int_equal(rd(card, SM_E_N + SOB(0)), 8);
	assert_memory_equal(card->ram + BUF, card->ram + BUF2, 8 << 18);
}
