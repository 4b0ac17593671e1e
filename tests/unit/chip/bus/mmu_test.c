// SPDX-License-Identifier: GPL-2.0-only
/*
 * The host MMU: walks of five hops, 4 KiB and 2 MiB pages, address spaces,
 * invalidation, faults, and page tables that lie.
 */
#include "../fw.h"
#include "page_tables.h"

#define RING	0x10000
#define CBUF	0x40000
#define DATA	0x1000000
#define VA	0x1000000200000ull
#define LIN	0x8
#define CFG_LAST	0x3fffffcu	/* storage, of a trace block */

static void invalidate(struct card *card, unsigned int pi)
{
	wr(card, 0xc1203c, 3);
	wr(card, 0xc12010, pi);
	wr_settle(card, 0xc1203c, 2);
	assert_int_equal(rd(card, 0xc1203c), 0);
	wr(card, 0xc12048, 0);
}

/* An engine whose DMA core is translated with an ASID. */
static struct queue user_queue(struct card *card, unsigned int asid)
{
	struct queue q = queue_external(card, 0, RING);

	wr(card, DMA_CORE(0) + 0xf4, asid);
	return q;
}

static void copy(struct card *card, struct queue *q, uint64_t src,
		 uint64_t dst, uint32_t size)
{
	struct cb cb = cb_host(card, CBUF);

	put_lin_dma(&cb, src, dst, size, LIN);
	queue_run(card, q, &cb);
}

static uint32_t core_error(struct card *card)
{
	return rd(card, DMA_CORE(0) + 0x164);
}

CARD_TEST(small_pages)
{
	struct tables t = { card, PT_POOL };
	struct queue q;
	uint8_t *hbm = card_hbm(card) + USER_HBM;
	unsigned int i;

	/* 16 pages in reverse order */
	for (i = 0; i < 16; i++)
		map(&t, 1, VA + i * 0x1000,
		    ram_dev(DATA + (15 - i) * 0x1000), 4);
	mmu_init(card);
	q = user_queue(card, 1);
	fill(card->ram + DATA, 16 * 4096, 1);
	copy(card, &q, VA + 100, USER_HBM, 15 * 4096);
	assert_int_equal(core_error(card), 0);
	for (i = 0; i < 15 * 4096; i++)
		if (hbm[i] != card->ram[DATA + (15 - (i + 100) / 4096) * 4096 +
					(i + 100) % 4096])
			fail_msg("byte %u is wrong", i);
	/* and the other way */
	fill(hbm, 16 * 4096, 2);
	copy(card, &q, USER_HBM, VA, 16 * 4096);
	for (i = 0; i < 16; i++)
		assert_memory_equal(card->ram + DATA + (15 - i) * 4096,
				    hbm + i * 4096, 4096);
	assert_int_equal(core_error(card), 0);
}

CARD_TEST(large_pages)
{
	struct tables t = { card, PT_POOL };
	uint64_t va = VA + 0x200000;
	struct queue q;

	map(&t, 1, va, ram_dev(0x2000000), 3);
	map(&t, 1, va + 0x200000, ram_dev(0x1800000), 3);
	mmu_init(card);
	q = user_queue(card, 1);
	fill(card->ram + 0x2000000, 0x200000, 3);
	fill(card->ram + 0x1800000, 0x200000, 4);
	copy(card, &q, va + 0x1ffff0, USER_HBM, 32);
	assert_int_equal(core_error(card), 0);
	assert_memory_equal(card_hbm(card) + USER_HBM,
			    card->ram + 0x2000000 + 0x1ffff0, 16);
	assert_memory_equal(card_hbm(card) + USER_HBM + 16,
			    card->ram + 0x1800000, 16);
	copy(card, &q, va, USER_HBM, 0x400000);
	assert_int_equal(core_error(card), 0);
	assert_memory_equal(card_hbm(card) + USER_HBM,
			    card->ram + 0x2000000, 0x200000);
	assert_memory_equal(card_hbm(card) + USER_HBM + 0x200000,
			    card->ram + 0x1800000, 0x200000);
}

CARD_TEST(invalidation)
{
	struct tables t = { card, PT_POOL };
	struct queue q;
	uint64_t *pte;
	unsigned int i;

	pte = map(&t, 1, VA, ram_dev(DATA), 4);
	mmu_init(card);
	q = user_queue(card, 1);
	for (i = 1; i < 300; i++) {
		card->ram[DATA + 0x1000 * (i % 7)] = i;
		*pte = ram_dev(DATA + 0x1000 * (i % 7)) | PRESENT | LAST;
		invalidate(card, i & 0xff);
		copy(card, &q, VA, USER_HBM, 1);
		assert_int_equal(card_hbm(card)[USER_HBM], i & 0xff);
	}
	*pte = 0;
	invalidate(card, 300 & 0xff);
	copy(card, &q, VA, USER_HBM, 1);
	assert_int_not_equal(core_error(card), 0);
}

CARD_TEST(address_spaces)
{
	struct tables t = { card, PT_POOL };
	struct queue q;

	map(&t, 1, VA, ram_dev(DATA), 4);
	map(&t, 0, VA + 0x1000, ram_dev(DATA + 0x1000), 4);
	mmu_init(card);
	card->ram[DATA] = 0x31;
	card->ram[DATA + 0x1000] = 0x30;
	q = user_queue(card, 1);
	copy(card, &q, VA, USER_HBM, 1);
	assert_int_equal(card_hbm(card)[USER_HBM], 0x31);
	assert_int_equal(core_error(card), 0);
	wr(card, DMA_CORE(0) + 0xf4, 0);
	copy(card, &q, VA + 0x1000, USER_HBM, 1);
	assert_int_equal(card_hbm(card)[USER_HBM], 0x30);
	assert_int_equal(core_error(card), 0);
	copy(card, &q, VA, USER_HBM, 1);
	assert_int_not_equal(core_error(card), 0);
}

/* HBM, SRAM and registers are physical whatever the MMU says. */
CARD_TEST(device_memory_is_physical)
{
	struct queue q;

	mmu_init(card);
	q = user_queue(card, 1);
	fill(card_hbm(card) + USER_HBM, 4096, 8);
	copy(card, &q, USER_HBM, SRAM + 0x100, 4096);
	assert_int_equal(core_error(card), 0);
	assert_memory_equal(card_sram(card) + 0x100,
			    card_hbm(card) + USER_HBM, 4096);
}

/*
 * A copy from the last MiB of registers into the pages behind it, on to
 * themselves: from the end, and few registers at a time.
 */
CARD_TEST(registers_overlap_pages)
{
	struct tables t = { card, PT_POOL };
	uint8_t *ram = card->ram + 0x2000000;
	unsigned int turns = 0;

	map(&t, 1, HOST, ram_dev(0x2000000), 3);
	mmu_init(card);
	user_queue(card, 1);
	memset(ram, 0x5a, 0x200000);
	wr(card, CFG_LAST, 0x12345678);
	wr(card, DMA_CORE(0) + 0x14, (uint32_t)(HOST - 0x100000));
	wr(card, DMA_CORE(0) + 0x18, (HOST - 0x100000) >> 32);
	wr(card, DMA_CORE(0) + 0x20, HOST >> 32);
	wr(card, DMA_CORE(0) + 0x74, 0x200000);
	wr(card, DMA_CORE(0) + 0x78, LIN);
	while (ram[0xfffff] == 0x5a && turns++ < 10000)
		gaudi_chip_run_some(card->chip, 1);
	assert_memory_equal(ram + 0xffffc, "\x78\x56\x34\x12", 4);
	assert_int_equal(ram[0xf0000 - 1], 0x5a);
	card_settle(card);
	assert_int_equal(core_error(card), 0);
	assert_int_equal(ram[0], 0);
	assert_int_equal(ram[0x100000], 0x5a);
}

static void expect_fault(struct card *card, uint64_t va)
{
	uint32_t capture = rd(card, 0xc11034);

	assert_int_not_equal(core_error(card), 0);
	assert_int_equal(capture >> 18 & 1, 1);
	assert_int_equal(((uint64_t)(capture & 0x3ffff) << 32 |
			  rd(card, 0xc11038)) & ~0xfffull, va & ~0xfffull);
	wr(card, 0xc11034, 0);
	assert_int_equal(rd(card, 0xc11034) >> 18 & 1, 0);
	wr(card, DMA_CORE(0) + 0x164, 0xffffffff);
}

CARD_TEST(page_fault_is_captured)
{
	struct tables t = { card, PT_POOL };
	struct queue q;

	map(&t, 1, VA, ram_dev(DATA), 4);
	mmu_init(card);
	q = user_queue(card, 1);
	fill(card->ram + DATA, 0x2000, 1);
	/* the second page is missing */
	copy(card, &q, VA + 0x800, USER_HBM, 0x1000);
	expect_fault(card, VA + 0x1000);
}

/*
 * A fault on demand strikes the page of its address and no other, also where
 * pages follow each other in memory and are copied in one go.
 */
CARD_TEST(page_fault_on_demand)
{
	struct tables t = { card, PT_POOL };
	char reason[200];
	struct queue q;
	unsigned int i;

	for (i = 0; i < 16; i++)
		map(&t, 1, VA + i * 0x1000, ram_dev(DATA + i * 0x1000), 4);
	mmu_init(card);
	q = user_queue(card, 1);
	assert_int_equal(gaudi_chip_inject(card->chip,
		"page-fault,addr=0x1000000206080", reason, sizeof(reason)), 0);
	copy(card, &q, VA + 0x100, USER_HBM, 0x5f80);
	copy(card, &q, VA + 0x6081, USER_HBM, 0x7000);
	assert_int_equal(core_error(card), 0);
	copy(card, &q, VA + 0x100, USER_HBM, 0x8000);
	assert_int_equal(core_error(card), 1);
	expect_fault(card, VA + 0x6000);
	copy(card, &q, VA + 0x100, USER_HBM, 0x8000);
	assert_int_equal(core_error(card), 0);
}

CARD_TEST(faulty_tables)
{
	/* what stands in hop 0..4 for VA */
	static const struct { unsigned int hop; uint64_t pte; } bad[] = {
		{ 0, 0 },
		{ 0, HOP0(1) | PRESENT },		/* itself */
		{ 0, 0x7ffffffff000ull | PRESENT },	/* no HBM there */
		{ 1, 0xfffffffffffff000ull | PRESENT },
		{ 2, (1ull << 30) | PRESENT },		/* just behind HBM */
		{ 0, 0x20000000 | PRESENT | LAST },	/* leaf at hop 0 */
		{ 1, 0x20000000 | PRESENT | LAST },
		{ 4, 0x20000000 | PRESENT },		/* no leaf at hop 4 */
		{ 4, 0xfffffffffffff000ull | PRESENT | LAST },
		{ 4, (HOST + 0x1000) | PRESENT | LAST },	/* no RAM */
	};
	unsigned int i, hop;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct tables t = { card, PT_POOL };
		uint64_t table = HOP0(1);
		struct queue q;

		gaudi_chip_power_on(card->chip);
		card_settle(card);
		map(&t, 1, VA, ram_dev(DATA), 4);
		for (hop = 0; hop < bad[i].hop; hop++)
			table = *pte_at(card, table, hop, VA) & ~0xfffull;
		*pte_at(card, table, bad[i].hop, VA) = bad[i].pte;
		mmu_init(card);
		q = user_queue(card, 1);
		card_hbm(card)[USER_HBM] = 0x66;
		copy(card, &q, VA, USER_HBM, 64);
		if (!core_error(card))
			fail_msg("case %u: no error", i);
		assert_int_equal(card_hbm(card)[USER_HBM], 0x66);
	}
}

CARD_TEST(no_such_asid)
{
	struct queue q;

	mmu_init(card);
	q = user_queue(card, 0x3ff);
	copy(card, &q, VA, USER_HBM, 64);
	assert_int_not_equal(core_error(card), 0);
}

/* The lower CP's own fetches are translated too: user command buffers. */
QUEUE_TEST(command_buffers_are_translated,
	   queue_internal(card, DMA_QM(2), 0, RING, 10))
{
	struct tables t = { card, PT_POOL };
	struct cb upper = cb_host(card, CBUF);
	struct cb lower = cb_host(card, DATA + 0xff8);
	unsigned int i;

	map(&t, 1, VA, ram_dev(DATA), 4);
	map(&t, 1, VA + 0x1000, ram_dev(DATA + 0x1000), 4);
	map(&t, 1, VA + 0x2000, ram_dev(CBUF), 4);
	mmu_init(card);
	for (i = 0; i < 5; i++)
		wr(card, q.qm + 0x24 + 4 * i, 1);
	wr(card, DMA_CORE(2) + 0xf4, 1);
	/* a packet across two pages that happen to be neighbours */
	put_nop(&lower);
	put_msg_long(&lower, CFG + SM_E_N + SOB(0), 9);
	put_cp_dma(&upper, VA + 0xff8, lower.len);
	upper.addr = VA + 0x2000;
	queue_run(card, &q, &upper);
	assert_int_equal(rd(card, SM_E_N + SOB(0)), 9);
	/* and not mapped: an error of the queue, not a hang */
	upper = cb_host(card, CBUF);
	put_cp_dma(&upper, VA + 0x5000, 64);
	upper.addr = VA + 0x2000;
	queue_run(card, &q, &upper);
	assert_int_not_equal(rd(card, q.qm + 0x40 + 16), 0);
}

/* --- address spaces -------------------------------------------------------- */

#define BIG_POOL	0x11000000ull

/* A thousand and twenty-four of them, each with a page of its own. */
CARD_TEST(all_address_spaces)
{
	struct tables t = { card, BIG_POOL };
	struct queue q;
	unsigned int i;

	for (i = 0; i < 1024; i++) {
		map(&t, i, VA, ram_dev(DATA + i * 0x1000), 4);
		map(&t, i, VA + 0x400000 + i * 0x1000, ram_dev(DATA), 4);
		set_hop0(card, i);
		memcpy(card->ram + DATA + i * 0x1000, &i, 4);
	}
	mmu_init(card);
	q = user_queue(card, 0);
	for (i = 1023; i < 1024; i--) {
		wr(card, DMA_CORE(0) + 0xf4, i);
		copy(card, &q, VA, USER_HBM + i * 4, 4);
		assert_int_equal(core_error(card), 0);
		/* somebody else's page */
		copy(card, &q, VA + 0x400000 + (i ^ 1) * 0x1000, USER_HBM, 4);
		assert_int_not_equal(core_error(card), 0);
		wr(card, DMA_CORE(0) + 0x164, 0xf);
	}
	for (i = 0; i < 1024; i++)
		assert_memory_equal(card_hbm(card) + USER_HBM + i * 4, &i, 4);
}

/* --- what is remembered ---------------------------------------------------- */

static uint8_t fetch(struct card *card, struct queue *q, uint64_t va)
{
	card_hbm(card)[USER_HBM] = 0;
	wr(card, DMA_CORE(0) + 0x164, 0xf);
	copy(card, q, va, USER_HBM, 1);
	return card_hbm(card)[USER_HBM];
}

/* An old translation is used until something invalidates it; all of these do. */
CARD_TEST(stale_until_invalidated)
{
	struct tables t = { card, PT_POOL };
	uint64_t *pte = map(&t, 1, VA, ram_dev(DATA), 4);
	uint8_t seen = 1, next;
	struct queue q;
	unsigned int i;

	for (i = 0; i < 8; i++)
		card->ram[DATA + i * 0x1000] = i + 1;
	mmu_init(card);
	q = user_queue(card, 1);
	assert_int_equal(fetch(card, &q, VA), 1);
	for (i = 0; i < 7; i++) {
		next = i + 2;
		*pte = ram_dev(DATA + (next - 1) * 0x1000) | PRESENT | LAST;
		assert_int_equal(fetch(card, &q, VA), seen);
		switch (i) {
		case 0:
			invalidate(card, 1);
			break;
		case 1:
			wr(card, 0xc12034, 1);		/* INV_ALL_START */
			break;
		case 2:
			wr(card, 0xc12050, 1);	/* MEM_CACHE_INVALIDATION */
			break;
		case 3:
			set_hop0(card, 700);
			break;
		case 4:
			wr(card, 0xc1100c, 0);
			wr(card, 0xc1100c, 1);
			break;
		case 5:
			invalidate(card, 255);
			break;
		case 6:
			invalidate(card, 0);	/* after the index wrapped */
			break;
		}
		assert_int_equal(fetch(card, &q, VA), next);
		seen = next;
	}
	/* That there was nothing is not remembered. */
	assert_int_equal(fetch(card, &q, VA + 0x1000), 0);
	assert_int_not_equal(core_error(card), 0);
	map(&t, 1, VA + 0x1000, ram_dev(DATA), 4);
	assert_int_equal(fetch(card, &q, VA + 0x1000), 1);
	assert_int_equal(core_error(card), 0);
}

/* The index that the driver gave last is the one that is reached. */
CARD_TEST(consumer_follows_producer)
{
	unsigned int i;

	mmu_init(card);
	for (i = 1; i < 600; i++) {
		invalidate(card, i & 0xff);
		assert_int_equal(rd(card, 0xc12040), i & 0xff);
	}
}

CARD_TEST(page_sizes_change_places)
{
	struct tables t = { card, PT_POOL };
	uint64_t *huge = map(&t, 1, VA, ram_dev(0x1000000), 3);
	uint64_t *small;
	struct queue q;
	unsigned int i;

	card->ram[0x1000000 + 0x5000] = 1;
	card->ram[0x3000000] = 2;
	mmu_init(card);
	q = user_queue(card, 1);
	for (i = 0; i < 4; i++) {
		/* bits below the page's own size do not count */
		*huge = ram_dev(0x1000000) | 0x1fe000 | PRESENT | LAST;
		invalidate(card, 2 * i);
		assert_int_equal(fetch(card, &q, VA + 0x5000), 1);
		*huge = 0;
		small = map(&t, 1, VA + 0x5000, ram_dev(0x3000000), 4);
		invalidate(card, 2 * i + 1);
		assert_int_equal(fetch(card, &q, VA + 0x5000), 2);
		assert_int_equal(fetch(card, &q, VA + 0x6000), 0);
		assert_int_not_equal(core_error(card), 0);
		*small = 0;
	}
}

CARD_TEST(flags_of_an_entry)
{
	struct tables t = { card, PT_POOL };
	uint64_t *pte = map(&t, 1, VA, ram_dev(DATA), 4);
	struct queue q;
	unsigned int bit;

	card->ram[DATA] = 0x77;
	mmu_init(card);
	q = user_queue(card, 1);
	for (bit = 0; bit < 12; bit++) {
		*pte = (ram_dev(DATA) | PRESENT | LAST) ^ 1ull << bit;
		invalidate(card, bit);
		/* 0: not there, 2: swapped out, 11: not the last one */
		assert_int_equal(fetch(card, &q, VA),
				 bit == 0 || bit == 2 || bit == 11 ? 0 : 0x77);
	}
}

/* --- faults ------------------------------------------------------------------ */

static uint64_t captured(struct card *card, uint32_t reg)
{
	uint32_t hi = rd(card, reg);

	return hi >> 18 & 1 ? (uint64_t)(hi & 0x3ffff) << 32 |
			      rd(card, reg + 4) : 0;
}

CARD_TEST(first_fault_stays)
{
	struct tables t = { card, PT_POOL };
	struct queue q;

	map(&t, 1, VA, ram_dev(DATA), 4);
	*map(&t, 1, VA + 0x1000, 0, 4) = 0x1000 | PRESENT;	/* not last */
	mmu_init(card);
	q = user_queue(card, 1);
	fetch(card, &q, VA + 0x3210);
	fetch(card, &q, VA + 0x4210);
	fetch(card, &q, VA + 0x1210);
	assert_int_equal(captured(card, 0xc11034), VA + 0x3210);
	assert_int_equal(captured(card, 0xc1103c), VA + 0x1210);
	/* SPI_CAUSE tells both; one is written to clear */
	assert_int_equal(rd(card, 0xc11030), 3);
	wr(card, 0xc11050, 1);
	assert_int_equal(rd(card, 0xc11030), 2);
	wr(card, 0xc11034, 0);
	assert_int_equal(captured(card, 0xc11034), 0);
	fetch(card, &q, VA + 0x5210);
	assert_int_equal(captured(card, 0xc11034), VA + 0x5210);
	assert_int_equal(captured(card, 0xc1103c), VA + 0x1210);
	/* the highest address that the register can tell */
	wr(card, 0xc11034, 0);
	fetch(card, &q, 0x3ffffffffffffull);
	assert_int_equal(captured(card, 0xc11034), 0x3ffffffffffffull);
}

/* How often an event is in the queue, which holds 64 and is never emptied. */
static unsigned int events(struct card *card, unsigned int id)
{
	unsigned int i, n = 0;

	card_advance(card, 1000000);
	for (i = 0; i < 64; i++)
		n += ram32(card, CPU_EQ + 64 * i + 4) >> 16 == (0x8000 | id);
	return n;
}

/* Faults become events 380 and 381, as far as SPI_MASK lets them. */
CARD_TEST(faults_become_events)
{
	struct tables t = { card, PT_POOL };
	struct queue q;

	boot(card);
	cpu_queues_init(card);
	cpu_enable_events(card);
	memset(card_hbm(card) + PT_BASE, 0, 0x200000);
	map(&t, 1, VA, ram_dev(DATA), 4);
	*map(&t, 1, VA + 0x1000, 0, 4) = 0x1000 | PRESENT;
	mmu_init(card);
	q = user_queue(card, 1);
	fetch(card, &q, VA + 0x3000);
	assert_int_equal(events(card, 380), 1);
	assert_int_equal(events(card, 381), 0);
	fetch(card, &q, VA + 0x1000);
	assert_int_equal(events(card, 381), 1);
	/* Nobody has released the capture. */
	assert_int_equal(cpu_send(card, 0x10, 380, 0).rc, 0);
	fetch(card, &q, VA + 0x4000);
	assert_int_equal(events(card, 380), 1);
	wr(card, 0xc11034, 0);
	fetch(card, &q, VA + 0x5000);
	assert_int_equal(events(card, 380), 2);
	assert_int_equal(cpu_send(card, 0x10, 380, 0).rc, 0);
	wr(card, 0xc11034, 0);
	wr(card, 0xc1102c, 2);
	fetch(card, &q, VA + 0x6000);
	assert_int_equal(events(card, 380), 2);
	assert_int_equal(captured(card, 0xc11034), VA + 0x6000);
}

/* Every access goes around the MMU while MMU_BYPASS says so. */
CARD_TEST(bypass_of_all)
{
	struct queue q;

	card->ram[DATA] = 0x41;
	mmu_init(card);
	q = user_queue(card, 1);
	assert_int_equal(fetch(card, &q, ram_dev(DATA)), 0);
	wr(card, 0xc1106c, 1);
	assert_int_equal(fetch(card, &q, ram_dev(DATA)), 0x41);
	wr(card, 0xc1106c, 0);
	assert_int_equal(fetch(card, &q, ram_dev(DATA)), 0);
	assert_int_not_equal(core_error(card), 0);
}

static uint64_t seed = 88172645463325252ull;

static uint64_t random64(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/*
 * Tables of garbage: each entry points to a table of the same few, to host
 * memory, or nowhere. No walk hangs, and nothing but the host pages and HBM
 * that entries name is reached.
 */
CARD_TEST(garbage)
{
	uint64_t *table = (uint64_t *)(card_hbm(card) + HOP0(1)), r;
	struct queue q;
	unsigned int i, ok = 0;

	for (i = 0; i < 8 * 512; i++) {
		r = random64();
		table[i] = (r & 7 ? HOP0(1) + (r >> 8 & 7) * 0x1000 :
			    r & 8 ? ram_dev(r & 0x3fff000) :
			    r & ~0xfffull) |
			   (r >> 16 & 15 ? PRESENT : 0) |
			   (r >> 20 & 7 ? 0 : LAST) | (r >> 24 & 0x7fa);
	}
	mmu_init(card);
	q = user_queue(card, 1);
	for (i = 0; i < 20000; i++) {
		wr(card, DMA_CORE(0) + 0x164, 0xf);
		copy(card, &q, 0x8000000000ull + (random64() >> 14) / 2,
		     USER_HBM, 1);
		ok += !core_error(card);
		if (i % 64 == 0) {
			table[random64() % 4096] = random64();
			invalidate(card, i / 64 & 0xff);
		}
	}
	/* Both kinds happened. */
	assert_in_range(ok, 1, 19999);
}
