// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a guest cannot do to its host: make the card's memory grow for ever, fill
 * the log, or keep a thread busy within one access.
 *
 * Times are of the thread's own CPU and hold with sanitizers on a slow machine;
 * what they guard against takes a hundred times longer.
 */
#include <errno.h>
#include <malloc.h>
#include <time.h>

#include "../fw.h"
#include "../../../../qemu-device/chip/core/core.h"

#define MIB		(1ull << 20)
#define ACCESS_NS	200000000ull

/* With AddressSanitizer it knows, and malloc does not. */
__attribute__((weak))
size_t __sanitizer_get_current_allocated_bytes(void);

static uint64_t allocated(void)
{
	if (__sanitizer_get_current_allocated_bytes)
		return __sanitizer_get_current_allocated_bytes();
	return mallinfo2().uordblks + mallinfo2().hblkhd;
}

/* Less may be allocated, too: what others of the process had given back. */
static uint64_t more_than(uint64_t before)
{
	uint64_t now = allocated();

	return now > before ? now - before : 0;
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* Longest single access, or turn of the engines, since the last call. */
static void timed_wr(struct card *card, uint32_t off, uint32_t value,
		     uint64_t *longest)
{
	uint64_t start = cpu_ns(), ns;

	wr(card, off, value);
	ns = cpu_ns() - start;
	if (ns > *longest)
		*longest = ns;
}

static void timed_turns(struct card *card, unsigned int n, uint64_t *longest)
{
	uint64_t start, ns;

	while (n-- && atomic_exchange(&card->kicked, false)) {
		start = cpu_ns();
		gaudi_chip_run(card->chip);
		ns = cpu_ns() - start;
		if (ns > *longest)
			*longest = ns;
	}
}

/*
 * Storage of 64 MiB of registers, and of how often each was used: so much and
 * no more. What the report has no room for is counted as such.
 */
CARD_TEST(all_registers_are_bounded)
{
	uint64_t before = allocated();
	uint32_t off;
	unsigned int round;

	for (round = 0; round < 2; round++)
		for (off = 0; off < 0x4000000; off += 0x1000) {
			rd(card, off + 0x7f0);
			rd(card, off + 0x7f4 + 4 * round);
		}
	assert_in_range(more_than(before), 1, 135 * MIB);
	/* Where something is counted in each part of each page there is all that there may be. */
	for (off = 0; off < 0x4000000; off += 0x100)
		rd(card, off);
	assert_in_range(more_than(before), 1, 135 * MIB);
	before = allocated();
	for (round = 2; round < 4; round++)
		for (off = 0; off < 0x4000000; off += 0x1000)
			rd(card, off + 0x7f4 + 4 * round);
	assert_in_range(more_than(before), 0, 1 * MIB);
}

/* 8,192 registers that nobody has published are all told, and all the rest is. */
CARD_TEST(unknown_registers_leave_room)
{
	uint32_t off;
	char *text, *at;

	for (off = 0x600000; off < 0x608000; off += 4)
		rd(card, off);
	dma_core_init(card, 2);
	wr(card, DMA_CORE(2) + 0x74, 64);
	wr(card, DMA_CORE(2) + 0x78, 0x28);	/* linear, compressed */
	card_settle(card);
	wr(card, 0xc4b4a0, 1);
	text = card_report(card);
	assert_non_null(strstr(text, "\"DMA compression\""));
	assert_non_null(strstr(text, "SOFT_RST\""));
	at = strstr(strstr(text, "\"totals\""), "\"unimplemented\": ");
	assert_non_null(at);
	/* 32 of them are protection bits. */
	assert_in_range(strtoul(at + 17, NULL, 10), 8160 + 2, 8160 + 9);
	assert_non_null(strstr(text, "\"uncounted\": 0}"));
	free(text);
}

CARD_TEST(report_says_what_it_left_out)
{
	char name[16], *text;
	unsigned int i;

	gaudi_chip_lock(card->chip);
	for (i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		gaudi_report_use(card->chip, "test", name, GAUDI_EXACT);
	}
	gaudi_chip_unlock(card->chip);
	text = card_report(card);
	assert_null(strstr(text, "\"n1999\""));
	assert_null(strstr(text, "\"uncounted\": 0}"));
	free(text);
}

/* The same error ten thousand times within a second of the guest. */
CARD_TEST(log_is_bounded)
{
	unsigned int i;

	dma_core_init(card, 3);
	for (i = 0; i < 10000; i++) {
		wr(card, DMA_CORE(3) + 0x164, ~0u);
		wr(card, DMA_CORE(3) + 0x18, 0x70);	/* nothing there */
		wr(card, DMA_CORE(3) + 0x1c, USER_HBM);
		wr(card, DMA_CORE(3) + 0x74, 64);
		wr_settle(card, DMA_CORE(3) + 0x78, 8);
	}
	assert_in_range(card->logs[GAUDI_LOG_GUEST_ERROR] +
			card->logs[GAUDI_LOG_UNIMP], 1, 400);
	card->now += 1000000000;
	wr(card, DMA_CORE(3) + 0x164, ~0u);
	card->logs[GAUDI_LOG_GUEST_ERROR] = 0;
	wr_settle(card, DMA_CORE(3) + 0x78, 8);
	assert_true(card->logs[GAUDI_LOG_GUEST_ERROR] > 0);
}

/* A driver that never empties its event queue. */
CARD_TEST(events_are_bounded)
{
	uint64_t payload = 1, before;
	unsigned int i, kept = 0;

	boot(card);
	cpu_queues_init(card);
	cpu_enable_events(card);
	card_advance(card, 1000000000);
	before = allocated();
	for (i = 0; i < 10000; i++)
		kept += !gaudi_chip_post_event(card->chip, 583, &payload, 1);
	assert_in_range(kept, 1, 64);
	assert_int_equal(gaudi_chip_post_event(card->chip, 583, &payload, 1),
			 -ENOSPC);
	assert_in_range(more_than(before), 0, 4096);
	assert_in_range(card->msi[0], 1, 10000);
}

/* Doorbells of queues that are set up badly, interrupts, invalidations. */
CARD_TEST(storms_leave_nothing)
{
	static const uint32_t regs[] = {
		DMA_QM(0) + 0xa0, DMA_QM(5) + 0xa4, TPC_QM(2) + 0xa8,
		MME_QM0 + 0xac, 0xc04100, 0xc13000, 0xc13004, 0xc1203c,
		0xc12034, GIC, 0x442200, 0x442230, KMD_MSG, SM_E_N + SOB(0),
	};
	uint64_t before = 0, longest = 0;
	unsigned int i, round;

	for (round = 0; round < 2; round++) {
		for (i = 0; i < 20000; i++) {
			timed_wr(card, regs[i % 14], i * 2654435761u, &longest);
			if (i % 100 == 0)
				timed_turns(card, 4, &longest);
		}
		if (!round)
			before = allocated();
	}
	assert_in_range(more_than(before), 0, 64 << 10);
	assert_in_range(longest, 0, ACCESS_NS);
}

/* Every monitor looks at one group of sync objects, half of them in a ring. */
static void arm_all(struct card *card)
{
	unsigned int m;
	uint64_t to;

	for (m = 0; m < 512; m++) {
		to = m % 2 ? CFG + SM_E_N + SOB(8) :
			     CFG + SM_E_N + MON_ARM((m + 2) % 512);
		monitor_set(card, SM_E_N, m, to, m % 2 ? 0x80000001 : 1u << 17 |
			    0xfe00);
		wr(card, SM_E_N + MON_ARM(m), (m % 2 ? 0x7fffu : 1u) << 17 |
		   0xfe00);
	}
}

CARD_TEST(monitors_keep_nobody_busy)
{
	uint64_t longest = 0;
	unsigned int i;

	arm_all(card);
	for (i = 0; i < 200; i++) {
		timed_wr(card, SM_E_N + SOB(0), 0x80000001, &longest);
		timed_turns(card, 1, &longest);
	}
	if (getenv("BOUNDS_PRINT"))
		fprintf(stderr, "# longest %lu us\n", longest / 1000);
	assert_in_range(longest, 1, ACCESS_NS / 3);
	/* and a reset ends it */
	gaudi_chip_power_on(card->chip);
	card_settle(card);
	assert_int_equal(rd(card, SM_E_N + SOB(0)), 0);
}

/* A copy over sync objects that all these monitors look at, for ever. */
CARD_TEST(copies_over_registers_are_short)
{
	uint64_t longest = 0;
	unsigned int i;

	memset(card_hbm(card) + USER_HBM, 0x81, 0x10000);
	for (i = 0; i < 8; i++) {
		dma_core_init(card, i);
		wr(card, DMA_CORE(i) + 0x14, USER_HBM);
		wr(card, DMA_CORE(i) + 0x1c, (uint32_t)(CFG + SM_E_N + SOB(0)));
		wr(card, DMA_CORE(i) + 0x20, 0x7f);
		wr(card, DMA_CORE(i) + 0x74, 0x2000);
		/* it completes by starting itself again */
		wr(card, DMA_CORE(i) + 0x7c, 9);
		wr(card, DMA_CORE(i) + 0x80,
		   (uint32_t)(CFG + DMA_CORE(i) + 0x78));
		wr(card, DMA_CORE(i) + 0x84, 0x7f);
	}
	arm_all(card);
	for (i = 0; i < 8; i++)
		timed_wr(card, DMA_CORE(i) + 0x78, 9, &longest);
	for (i = 0; i < 40; i++)
		timed_wr(card, SM_E_N + SOB(1), 1, &longest);
	if (getenv("BOUNDS_PRINT"))
		fprintf(stderr, "# longest %lu us\n", longest / 1000);
	assert_in_range(longest, 1, ACCESS_NS);
	timed_turns(card, 10, &longest);
	assert_true(card->kicked);
	if (getenv("BOUNDS_PRINT"))
		fprintf(stderr, "# longest %lu us\n", longest / 1000);
	assert_in_range(longest, 1, 20 * ACCESS_NS);
	gaudi_chip_power_on(card->chip);
	card_settle(card);
}

/* An image of the largest size that the loader reads, again and again. */
CARD_TEST(images_are_short)
{
	static const uint8_t header[] = { 0xd0, 0x0d, 0xfe, 0xed, 3, 0xff, 0, 0 };
	struct image fit = image_load("gaudi-boot-fit.itb");
	uint64_t before, longest, best = ~0ull;
	unsigned int i;

	assert_int_equal(boot_load_fit(card, &fit), 15);
	image_free(&fit);
	memcpy(card_hbm(card) + 0x800000, header, sizeof(header));
	before = allocated();
	/* The best of some: what the machine did beside it is not the card's. */
	for (i = 0; i < 5; i++) {
		longest = 0;
		timed_wr(card, KMD_MSG, 2, &longest);
		timed_wr(card, KMD_MSG, 0, &longest);
		if (longest < best)
			best = longest;
	}
	assert_in_range(more_than(before), 0, 64 << 10);
	if (getenv("BOUNDS_PRINT"))
		fprintf(stderr, "# longest %lu us\n", best / 1000);
	assert_in_range(best, 1, 2 * ACCESS_NS);
}
