// SPDX-License-Identifier: GPL-2.0-only
/*
 * DMA cores whose target is no memory: registers, sync objects, interrupts,
 * other cores, devices beside the card, the command buffer itself. Everything
 * ends, or can be stopped, and nothing calls itself.
 */
#include "../card.h"

#define RING	0x10000
#define CBUF	0x40000
#define BUF	0x100000
#define LIN	0x8
#define MEMSET	0x18
#define BUSY	(1u << 31)
#define MSI_REQ	(CFG + 0xc04100)

static void run(struct card *card, unsigned int n, uint64_t src, uint64_t dst,
		uint32_t size, uint32_t commit)
{
	dma_start(card, n, src, dst, size, commit);
	card_settle(card);
	assert_int_equal(rd(card, DMA_CORE(n) + 0x190), 0);
	assert_int_equal(rd(card, DMA_CORE(n) + 0x164), 0);
}

CARD_TEST(interrupts)
{
	dma_core_init(card, 0);
	run(card, 0, 0x0000000100000001, MSI_REQ, 4, MEMSET);
	assert_int_equal(card->msi[0], 1);
	/* As many as there are words, and together what is not yet taken. */
	wr(card, DMA_CORE(0) + 0x54, 100);
	wr(card, DMA_CORE(0) + 0x58, 0);
	run(card, 0, 0x0000000100000001, MSI_REQ, 4, 0x10);
	assert_in_range(card->msi[0], 2, 101);
	assert_int_equal(card->msi[1], 0);
}

/* Bytes of registers: what is not written keeps its value. */
CARD_TEST(parts_of_registers)
{
	uint64_t sobs = CFG + SM_E_N + SOB(100);
	unsigned int i;

	dma_core_init(card, 0);
	for (i = 0; i < 4; i++)
		wr(card, SM_E_N + SOB(100 + i), 0x1234);
	/* three bytes of one, a whole one, the lower byte of a third */
	run(card, 0, 0x0807060504030201, sobs + 1, 8, MEMSET);
	assert_int_equal(rd(card, SM_E_N + SOB(100)), 0x0134);
	assert_int_equal(rd(card, SM_E_N + SOB(101)), 0x0504);
	assert_int_equal(rd(card, SM_E_N + SOB(102)), 0x1208);
	assert_int_equal(rd(card, SM_E_N + SOB(103)), 0x1234);
}

/* A device beside the card gets its writes; reads of it are refused. */
CARD_TEST(another_device)
{
	uint32_t value = 0xdeadbeef;

	dma_core_init(card, 0);
	memcpy(card_hbm(card) + USER_HBM, &value, 4);
	run(card, 0, USER_HBM, HOST + MMIO_BASE + 0x80, 4, LIN);
	assert_int_equal(card->posted, 1);
	assert_int_equal(card->posted_addr, MMIO_BASE + 0x80);
	assert_int_equal(card->posted_value, 0xdeadbeef);
	dma_start(card, 0, HOST + MMIO_BASE, USER_HBM + 64, 4, LIN);
	card_settle(card);
	assert_int_equal(rd(card, DMA_CORE(0) + 0x164), 1);
	assert_int_equal(card_hbm(card)[USER_HBM + 64], 0);
}

/* Words for the registers 0x14..0x78 of a core, as they lie in memory. */
static void put_image(struct card *card, uint64_t at, uint64_t src,
		      uint64_t dst, uint32_t size, uint32_t commit)
{
	uint32_t image[26] = { src, src >> 32, dst, dst >> 32 };

	image[(0x74 - 0x14) / 4] = size;
	image[(0x78 - 0x14) / 4] = commit;
	memcpy(card_hbm(card) + at, image, sizeof(image));
}

/*
 * Each core writes all registers of the next one, its COMMIT last. The eighth
 * one writes a sync object, or those of the first: a ring that never ends.
 */
static void make_chain(struct card *card, bool ring)
{
	unsigned int n, next;

	for (n = 0; n < 8; n++) {
		dma_core_init(card, n);
		next = (n + 1) % 8;
		put_image(card, USER_HBM + 0x1000 * n,
			  USER_HBM + 0x1000 * next,
			  CFG + DMA_CORE(next) + 0x14, 0x68, LIN);
	}
	if (!ring)
		put_image(card, USER_HBM + 0x7000, 0x8000000180000001,
			  CFG + SM_W_S + SOB(5), 8, MEMSET);
	dma_start(card, 0, USER_HBM + 0x1000, CFG + DMA_CORE(1) + 0x14, 0x68,
		  LIN);
}

CARD_TEST(cores_start_each_other)
{
	unsigned int n;

	make_chain(card, false);
	card_settle(card);
	assert_int_equal(rd(card, SM_W_S + SOB(5)), 1);
	assert_int_equal(rd(card, SM_W_S + SOB(6)), 1);
	for (n = 0; n < 8; n++) {
		assert_int_equal(rd(card, DMA_CORE(n) + 0x190), 0);
		assert_int_equal(rd(card, DMA_CORE(n) + 0x22c), 1);
		assert_int_equal(rd(card, DMA_CORE(n) + 0x164), 0);
	}
}

CARD_TEST(ring_of_cores)
{
	unsigned int i, n, busy = 0;

	make_chain(card, true);
	for (i = 0; i < 3; i++)
		gaudi_chip_run(card->chip);
	for (n = 0; n < 8; n++)
		busy += rd(card, DMA_CORE(n) + 0x190) >> 31;
	assert_in_range(busy, 1, 2);
	assert_true(rd(card, DMA_CORE(4) + 0x22c) > 5);
	/* One core that stands still ends it. */
	wr_settle(card, DMA_CORE(4) + 0x4, 1);
	assert_int_equal(rd(card, DMA_CORE(4) + 0x190), BUSY);
	wr(card, DMA_CORE(4) + 0x4, 3);
	assert_int_equal(rd(card, DMA_CORE(4) + 0x190), 0);
	assert_int_equal(rd(card, DMA_CORE(4) + 0x194), 1);
}

/* All eight write all registers of all others, and themselves, at once. */
CARD_TEST(cores_overwrite_each_other)
{
	unsigned int n;

	for (n = 0; n < 8; n++) {
		dma_core_init(card, n);
		dma_start(card, n, 0x0000000800000008, CFG + DMA_CORE(7 - n),
			  0x1000, MEMSET);
	}
	for (n = 0; n < 20; n++)
		gaudi_chip_run(card->chip);
	/* Whatever they do by now, a reset brings order. */
	gaudi_chip_power_on(card->chip);
	for (n = 0; n < 8; n++) {
		assert_int_equal(rd(card, DMA_CORE(n) + 0x190), 0);
		dma_core_init(card, n);
		run(card, n, 0x3131313131313131, USER_HBM, 64, MEMSET);
	}
}

/* A job that zeroes its own command buffer, and its ring. */
JOB_TEST(own_command_buffer, queue_external(card, 0, RING))
{
	unsigned int i;

	put_lin_dma(&cb, 0, ram_dev(CBUF), 0x4000, MEMSET);
	put_lin_dma(&cb, 0, ram_dev(RING), 0x1000, MEMSET);
	for (i = 0; i < 1000; i++)
		put_nop(&cb);
	put_msg_long(&cb, CFG + SM_E_N + SOB(1), 1);
	queue_run(card, &q, &cb);
	assert_int_equal(ram32(card, CBUF), 0);
	assert_int_equal(rd(card, DMA_CORE(0) + 0x190), 0);
	/* What was not read ahead was lost; another queue does not care. */
	q = queue_external(card, 4, RING + 0x8000);
	cb = cb_host(card, CBUF + 0x8000);
	put_msg_long(&cb, CFG + SM_E_N + SOB(2), 1);
	queue_run(card, &q, &cb);
	assert_int_equal(rd(card, SM_E_N + SOB(2)), 1);
}

/* Four streams through the lower CP, and the host, at one core, by turns. */
CARD_TEST(many_hands_on_one_core)
{
	uint8_t *hbm = card_hbm(card) + USER_HBM;
	struct queue q[4];
	unsigned int s, i;

	fill(card->ram + BUF, 0x100000, 6);
	dma_core_init(card, 5);
	for (s = 0; s < 4; s++) {
		struct cb lower = cb_host(card, CBUF + s * 0x2000);
		struct cb upper = cb_host(card, CBUF + s * 0x2000 + 0x1000);

		q[s] = queue_internal(card, DMA_QM(5), s, RING + s * 0x4000, 8);
		for (i = 0; i < 20; i++)
			put_lin_dma(&lower, ram_dev(BUF) + s * 0x40000 +
				    i * 10007, USER_HBM + s * 0x40000 +
				    i * 10007, 10007, LIN);
		put_cp_dma(&upper, lower.addr, lower.len);
		queue_put(card, &q[s], upper.addr, upper.len);
	}
	wr(card, DMA_CORE(5) + 0x4, 1);
	for (s = 0; s < 4; s++)
		queue_ring(card, &q[s]);
	card_settle(card);
	assert_int_equal(rd(card, DMA_CORE(5) + 0x190), BUSY);
	/* The packets wait for each other: three of four places are left. */
	for (i = 0; i < 4; i++) {
		assert_int_equal(rd(card, DMA_CORE(5) + 0x164), 0);
		dma_start(card, 5, ram_dev(BUF), USER_HBM + 0x200000 + i * 0x1000,
			  4096, LIN);
	}
	assert_int_equal(rd(card, DMA_CORE(5) + 0x164), 8);
	wr(card, DMA_CORE(5) + 0x4, 0);
	wr_settle(card, DMA_CORE(5) + 0x164, 8);
	for (s = 0; s < 4; s++)
		assert_memory_equal(hbm + s * 0x40000, card->ram + BUF +
				    s * 0x40000, 20 * 10007);
	for (i = 0; i < 3; i++)
		assert_memory_equal(hbm + 0x200000 + i * 0x1000,
				    card->ram + BUF, 4096);
	assert_int_equal(hbm[0x203000], 0);
	assert_int_equal(rd(card, DMA_CORE(5) + 0x22c), 83);
	assert_int_equal(rd(card, DMA_CORE(5) + 0x164), 0);
	run(card, 5, 0x3131313131313131, USER_HBM, 64, MEMSET);
	assert_int_equal(hbm[63], 0x31);
}
