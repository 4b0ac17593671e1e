// SPDX-License-Identifier: GPL-2.0-only
/*
 * HBM and SRAM as memory of the host: what their files show, what they take of
 * the host's memory, and what a reset costs.
 */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../../../qemu-device/chip/core/memory.h"
#include "../card.h"

#define RING	0x10000
#define BUF	0x100000
#define LIN	0x8
#define MEMSET	0x18
#define MIB	(1u << 20)

/* What HBM's file takes of the host's memory, as anybody can see it. */
static uint64_t hbm_bytes(void)
{
	DIR *dir = opendir("/proc/self/fd");
	char path[300], name[64];
	uint64_t bytes = UINT64_MAX;
	struct dirent *d;
	struct stat st;
	ssize_t n;

	assert_non_null(dir);
	while ((d = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/self/fd/%s", d->d_name);
		n = readlink(path, name, sizeof(name) - 1);
		if (n < 0)
			continue;
		name[n] = 0;
		if (strncmp(name, "/memfd:gaudi-hbm", 16) || stat(path, &st))
			continue;
		/* After a reset the file before may still be there. */
		if (512ull * st.st_blocks < bytes)
			bytes = 512ull * st.st_blocks;
	}
	closedir(dir);
	return bytes;
}

static void expect_words(const uint8_t *p, uint64_t len, uint64_t word)
{
	uint64_t v;

	for (uint64_t i = 0; i + 8 <= len; i += 8) {
		memcpy(&v, p + i, 8);
		if (v != word)
			fail_msg("0x%llx at 0x%llx", (unsigned long long)v,
				 (unsigned long long)i);
	}
}

/*
 * A pattern in much of HBM: 16 chunks of 32 MiB and a bit at both ends, which
 * the host does not pay for; and then HBM is as writable as ever.
 */
QUEUE_TEST(memset_of_much, queue_external(card, 0, RING))
{
	const uint64_t at = 0x20000000 - 3, size = (512u << 20) - 4096 + 3;
	const uint64_t pattern = 0x1122334455667788;
	/* three bytes of it are before 512 MiB */
	const uint64_t word = 0x6677881122334455;
	uint8_t *hbm = card_hbm(card);

	wr(card, DMA_CORE(0) + 0xb8, 3);
	lin_dma(card, &q, pattern, at, 16, MEMSET);
	memset(hbm + 0x24000000, 0x5a, 2 << 20);
	lin_dma(card, &q, pattern, at, size, MEMSET);
	assert_int_equal(hbm[at - 1], 0);
	assert_int_equal(hbm[at], 0x88);
	assert_int_equal(hbm[at + 2], 0x66);
	expect_words(hbm + 0x20000000, 0x20000000 - 4096, word);
	assert_int_equal(hbm[at + size], 0);
	assert_in_range(hbm_bytes(), 0, 64 << 20);
	/* a byte of a page is a byte of that page only */
	hbm[0x22000001] = 0xee;
	assert_int_equal(hbm[0x24000001], 0x44);
	expect_words(hbm + 0x22001000, 4096, word);
	/* zeros in a part of such a chunk, and in a whole one */
	lin_dma(card, &q, 0, 0x22400000, 0x400000, MEMSET);
	lin_dma(card, &q, 0, 0x26000000, 0x2000000, MEMSET);
	expect_words(hbm + 0x22400000 - 64, 64, word);
	expect_words(hbm + 0x22400000, 0x400000, 0);
	expect_words(hbm + 0x22800000, 64, word);
	expect_words(hbm + 0x26000000, 0x2000000, 0);
	/* copies within and out of it */
	hbm[0x28000000] = 0xee;
	lin_dma(card, &q, 0x27fffffc, ram_dev(BUF), 8, LIN);
	assert_int_equal(card->ram[BUF + 3], 0);
	assert_int_equal(card->ram[BUF + 4], 0xee);
	lin_dma(card, &q, 0x28000000, 0x2a000000, 0x2000000, LIN);
	assert_int_equal(hbm[0x2a000000], 0xee);
	assert_int_equal(hbm[0x2a000001], 0x44);
	/* another pattern; who has the one before keeps it */
	lin_dma(card, &q, 7, 0x2c000000, 0x2000000, MEMSET);
	expect_words(hbm + 0x2c000000, 0x2000000, 7);
	expect_words(hbm + 0x2e000000, 64, word);
	gaudi_chip_power_on(card->chip);
	expect_words(hbm + 0x20000000, 0x20000000, 0);
}

/* The file, of which it says nothing before. */
static int hbm_file(struct card *card)
{
	uint64_t size;
	int fd;

	gaudi_chip_hbm(card->chip, &size, &fd);
	assert_true(fd >= 0);
	return fd;
}

static void file_shows(int fd, const uint8_t *p, uint64_t at, size_t len)
{
	uint8_t *buf = malloc(len);

	assert_non_null(buf);
	assert_int_equal(pread(fd, buf, len, at), len);
	if (memcmp(buf, p + at, len))
		fail_msg("another content at 0x%llx", (unsigned long long)at);
	free(buf);
}

/* Patterns of before and after, and what was written into them. */
QUEUE_TEST(file_shows_what_memory_holds, queue_external(card, 0, RING))
{
	const uint64_t pattern = 0x1122334455667788;
	uint8_t *hbm = card_hbm(card), *sram;
	uint64_t size;
	int fd, sram_fd;

	lin_dma(card, &q, pattern, 0x20000000, 96 * MIB, MEMSET);
	hbm[0x21000001] = 0xee;
	fd = hbm_file(card);
	file_shows(fd, hbm, 0x1ff00000, 98 * MIB);
	assert_int_equal(hbm[0x21000001], 0xee);
	expect_words(hbm + 0x22000000, 64 * MIB, pattern);
	lin_dma(card, &q, ~pattern, 0x22000000, 64 * MIB + 4096, MEMSET);
	hbm[0x23000001] = 0xdd;
	file_shows(fd, hbm, 0x1ff00000, 98 * MIB);
	expect_words(hbm + 0x24000000, 32 * MIB, ~pattern);
	lin_dma(card, &q, 0, 0x24000000, 16 * MIB, MEMSET);
	file_shows(fd, hbm, 0x1ff00000, 98 * MIB);
	sram = gaudi_chip_sram(card->chip, &size, &sram_fd);
	lin_dma(card, &q, pattern, SRAM, size, MEMSET);
	file_shows(sram_fd, sram, 0, size);
	/* By the same number, another file or not. */
	gaudi_chip_power_on(card->chip);
	file_shows(fd, hbm, 0x1ff00000, 98 * MIB);
	file_shows(sram_fd, sram, 0, size);
	expect_words(hbm + 0x1ff00000, 98 * MIB, 0);
	hbm[0x20000000] = 1;
	file_shows(fd, hbm, 0x20000000, 4096);
}

/* What was never written takes nothing of the host's when it is read. */
QUEUE_TEST(holes_stay_holes, queue_external(card, 0, RING))
{
	uint8_t *hbm = card_hbm(card);
	int fd = hbm_file(card);
	uint64_t before = hbm_bytes();
	char byte = 1;

	memset(card->ram + BUF, 0xee, MIB);
	lin_dma(card, &q, 0x20000003, ram_dev(BUF), MIB - 8, LIN);
	expect_words(card->ram + BUF, MIB - 8, 0);
	assert_int_equal(card->ram[BUF + MIB - 8], 0xee);
	lin_dma(card, &q, 0x20000000, 0x28000000, 64 * MIB, LIN);
	assert_int_equal(pread(fd, &byte, 1, 0x2a000000), 1);
	assert_int_equal(byte, 0);
	assert_int_equal(hbm_bytes(), before);
	/* A little in the middle is not overlooked, and zeros are written. */
	hbm[0x20080000] = 0x5a;
	memset(hbm + 0x28000000, 0xee, 2 * MIB);
	lin_dma(card, &q, 0x20000000, 0x28000000, 2 * MIB, LIN);
	assert_int_equal(hbm[0x28080000], 0x5a);
	hbm[0x28080000] = 0;
	expect_words(hbm + 0x28000000, 2 * MIB, 0);
}

/* What has been copied and then given back is a hole again. */
QUEUE_TEST(data_become_holes, queue_external(card, 0, RING))
{
	uint8_t *hbm = card_hbm(card);
	uint64_t before = hbm_bytes();

	for (unsigned int i = 0; i < 2; i++) {
		memset(hbm + 0x20000000, 0xee, 4 * MIB);
		lin_dma(card, &q, 0x20000000, 0x28000000, 4 * MIB, LIN);
		expect_words(hbm + 0x28000000, 4 * MIB, 0xeeeeeeeeeeeeeeee);
		lin_dma(card, &q, 0, 0x20000000, 4 * MIB, MEMSET);
		lin_dma(card, &q, 0, 0x28000000, 4 * MIB, MEMSET);
		lin_dma(card, &q, 0x20000000, 0x28000000, 4 * MIB, LIN);
		assert_int_equal(hbm_bytes(), before);
	}
}

/* A pattern's pages are not in the file either, but no hole. */
QUEUE_TEST(patterns_are_no_holes, queue_external(card, 0, RING))
{
	lin_dma(card, &q, ~0ull, 0x20000000, 64 * MIB, MEMSET);
	lin_dma(card, &q, 0x20000000, ram_dev(BUF), MIB, LIN);
	expect_words(card->ram + BUF, MIB, ~0ull);
}

/* --- resets ----------------------------------------------------------------- */

static uint64_t thread_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static uint64_t reset_ns(struct card *card)
{
	uint64_t start = thread_ns();

	gaudi_chip_hard_reset(card->chip);
	return thread_ns() - start;
}

/*
 * QEMU's big lock is held over a reset. So who calls it does not go through what
 * was used: that would take a quarter of what the first writes to it took, in
 * which the host found the pages.
 */
QUEUE_TEST(reset_costs_the_same, queue_external(card, 0, RING))
{
	const uint64_t size = 512 * MIB;
	uint8_t *hbm = card_hbm(card);
	uint64_t used, few, many;

	hbm[0x1c000000] = 1;
	few = reset_ns(card);
	/* Some of it pages of their own in what shows a pattern. */
	q = queue_external(card, 0, RING);
	lin_dma(card, &q, ~0ull, 0x20000000, 128 * MIB, MEMSET);
	used = thread_ns();
	for (uint64_t i = 0; i < size; i += 4096)
		hbm[0x1c000000 + i] = 1;
	used = thread_ns() - used;
	many = reset_ns(card);
	print_message("# use %llu us; reset of a page %llu us, of all %llu us\n",
		      (unsigned long long)used / 1000,
		      (unsigned long long)few / 1000,
		      (unsigned long long)many / 1000);
#ifndef __SANITIZE_THREAD__
	/* ThreadSanitizer forgets each page when another file is mapped. */
	assert_in_range(many, 0, 4 * few + used / 20);
#endif
	assert_int_equal(hbm_bytes(), 0);
	for (uint64_t i = 0; i < size; i += 4096)
		assert_int_equal(hbm[0x1c000000 + i], 0);
}

struct guest {
	uint8_t *hbm;
	atomic_bool stop;
	atomic_uint rounds;
};

/* The guest's processors have HBM mapped, and go on. */
static void *look_at_it(void *arg)
{
	struct guest *g = arg;

	while (!g->stop) {
		for (uint64_t i = 0; i < 64 * MIB; i += 4096)
			__atomic_load_n(&g->hbm[i], __ATOMIC_RELAXED);
		g->rounds++;
	}
	return NULL;
}

/* Again and again, faster than the memory is given back. */
CARD_TEST(nothing_old_is_seen)
{
	struct guest g = { .hbm = card_hbm(card) + 0x20000000 };
	pthread_t thread;
	unsigned int i, rounds;

	assert_int_equal(pthread_create(&thread, NULL, look_at_it, &g), 0);
	for (i = 1; i < 8; i++) {
		for (uint64_t at = 0; at < 64 * MIB; at += 4096)
			__atomic_store_n(&g.hbm[at], i, __ATOMIC_RELAXED);
		gaudi_chip_power_on(card->chip);
		for (uint64_t at = 0; at < 64 * MIB; at += 4096)
			if (__atomic_load_n(&g.hbm[at], __ATOMIC_RELAXED))
				fail_msg("reset %u: not 0 at 0x%llx", i,
					 (unsigned long long)at);
		rounds = g.rounds;
		while (g.rounds == rounds)
			sched_yield();
	}
	g.stop = true;
	pthread_join(thread, NULL);
}

/* Each mapping of HBM and SRAM has this flag, as the kernel writes it. */
static void expect_flag(const char *flag)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	unsigned int maps = 0;
	bool ours = false;
	char line[512];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (strstr(line, "/memfd:gaudi-"))
			ours = true;
		if (!ours || strncmp(line, "VmFlags:", 8))
			continue;
		if (!strstr(line, flag))
			fail_msg("no%s in %s", flag, line);
		ours = false;
		maps++;
	}
	fclose(f);
	assert_in_range(maps, 2, 1000);
}

/* What the host said of the memory when it was new still holds. */
TEST(advice_is_kept)
{
	const struct gaudi_config config = {
		.hbm_size = 1ull << 30,
		.memory_advice = { MADV_DONTDUMP, MADV_DONTFORK } };
	struct card *card = card_new(&config, 0);
	struct queue q = queue_external(card, 0, RING);

	lin_dma(card, &q, 7, 0x20000000, 96 * MIB, MEMSET);
	lin_dma(card, &q, 0, 0x22000000, 32 * MIB, MEMSET);
	expect_flag(" dd");
	expect_flag(" dc");
	gaudi_chip_power_on(card->chip);
	expect_flag(" dd");
	expect_flag(" dc");
	card_free(card);
}

/* Clears a part, and no more; there (or NULL) is which pages there are behind it. */
static void clear_part(uint8_t *p, size_t size, size_t from, size_t to, unsigned char *there)
{
	size_t i;

	memset(p, 0xa5, size);
	gaudi_zeros_clear(p + from, to - from);
	if (there)
		assert_int_equal(mincore(p, size, there), 0);
	for (i = 0; i < size; i++)
		if (p[i] != (i >= from && i < to ? 0 : 0xa5))
			fail_msg("%#x at %#zx", p[i], i);
}

/* Whole pages are given back without a look at them; locked ones are cleared in place. */
TEST(zeros_are_given_back)
{
	size_t page = sysconf(_SC_PAGESIZE), size = 5 * page, i;
	uint8_t *p = gaudi_zeros_new(size);
	unsigned char there[5];

	assert_non_null(p);
	clear_part(p, size, page + 100, 4 * page + 50, there);
	for (i = 0; i < 5; i++)
		assert_int_equal(there[i] & 1, i != 2 && i != 3);
	clear_part(p, size, 0, size, NULL);
	clear_part(p, size, page + 1, page + 2, NULL);
	clear_part(p, size, page - 1, page + 1, NULL);
	clear_part(p, size, 2 * page, 2 * page, NULL);
	if (!mlock(p, size))
		clear_part(p, size, page + 100, 4 * page + 50, NULL);
	gaudi_zeros_free(p, size);
}
