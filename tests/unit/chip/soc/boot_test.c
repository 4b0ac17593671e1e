// SPDX-License-Identifier: GPL-2.0-only
/*
 * Boot as the static loader does it, with good and damaged images.
 */
#include "../fw.h"

CARD_TEST(preboot_state)
{
	uint32_t sts0;

	card_advance(card, 1000000000);
	assert_int_equal(rd(card, BOOT_STATUS), 16);
	assert_int_equal(rd(card, HW_STATE), 0);
	assert_int_equal(rd(card, BOOT_ERR0) & 0x7fffffff, 0);
	assert_int_equal(rd(card, BOOT_ERR1) & 0x7fffffff, 0);
	sts0 = rd(card, BOOT_STS0);
	/* static loader: no COMMS, and no privileged doorbells */
	if (sts0 >> 31)
		assert_int_equal(sts0 & (1 << 16 | 1 << 20), 0);
	assert_true((rd(card, 0xc4b170) & 0x0fffffff) < 0x13fff80);
}

CARD_TEST(boots)
{
	boot(card);
	assert_int_equal(rd(card, BOOT_STATUS), 3);
	assert_true((rd(card, 0xc4b174) & 0x0fffffff) < 0x13fff80);
}

CARD_TEST(boots_again_after_reset)
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		boot(card);
		wr(card, HW_STATE, 1);
		wr(card, 0xc4b498, 1);
		card_advance(card, 2000000000);
		assert_int_equal(rd(card, HW_STATE), 0);
		assert_int_equal(rd(card, BOOT_STATUS), 16);
	}
}

/* The driver asks the embedded CPU to stop before it resets the card. */
CARD_TEST(halt_then_reset)
{
	boot(card);
	cpu_queues_init(card);
	wr(card, 0xc07394, 3);
	wr(card, GIC, 485);
	card_advance(card, 200000000);
	wr(card, 0xc4b024, 1);
	wr(card, 0xc4b498, 1);
	card_advance(card, 2000000000);
	assert_int_equal(rd(card, 0xc4b028) & 0xf, 0);
	assert_int_equal(rd(card, BOOT_STATUS), 16);
	boot(card);
}

static void assert_refused(struct card *card, const char *what)
{
	bool error = rd(card, CMD_STATUS) == 2 ||
		     (rd(card, BOOT_ERR0) & 0x80000002) == 0x80000002;

	if (!error)
		fail_msg("%s: no error (status %u, ERR0 0x%x)", what,
			 rd(card, BOOT_STATUS), rd(card, BOOT_ERR0));
	assert_int_not_equal(rd(card, BOOT_STATUS), 3);
}

static void restart(struct card *card)
{
	gaudi_chip_power_on(card->chip);
	card_settle(card);
}

/* One byte differs, anywhere in what the image says it contains. */
CARD_TEST(damaged_boot_fit)
{
	struct image fit = image_load("gaudi-boot-fit.itb");
	unsigned int seed = 1, i, refused = 0;

	for (i = 0; i < 40; i++) {
		size_t at;

		seed = seed * 1103515245 + 12345;
		at = i == 0 ? 0 : i == 1 ? 4 : (seed >> 8) % fit.size;
		restart(card);
		fit.data[at] ^= 0x40;
		/* Padding and comments may well be damaged unnoticed. */
		if (boot_load_fit(card, &fit) != 15) {
			assert_refused(card, "boot-fit");
			refused++;
		}
		fit.data[at] ^= 0x40;
	}
	assert_true(refused >= 2);
	restart(card);
	assert_int_equal(boot_load_fit(card, &fit), 15);
	image_free(&fit);
}

CARD_TEST(boot_fit_of_garbage)
{
	struct image fit = image_load("gaudi-boot-fit.itb");
	unsigned int i;

	for (i = 0; i < 8; i++) {
		restart(card);
		if (i == 0)
			memset(fit.data, 0, fit.size);
		else if (i == 1)
			memset(fit.data, 0xff, fit.size);
		else
			fill(fit.data, fit.size, i);
		if (i > 4) {	/* a header that looks right, with wild sizes */
			memcpy(fit.data, "\xd0\x0d\xfe\xed", 4);
			memset(fit.data + 4, i == 5 ? 0x7f : 0xff, 4);
		}
		assert_int_not_equal(boot_load_fit(card, &fit), 15);
		assert_refused(card, "garbage");
	}
	image_free(&fit);
}

CARD_TEST(truncated_linux)
{
	struct image fit = image_load("gaudi-boot-fit.itb");
	struct image linux_fit = image_load("gaudi-fit.itb");
	size_t full = linux_fit.size;

	assert_int_equal(boot_load_fit(card, &fit), 15);
	linux_fit.size = full / 2 & ~3ul;
	assert_int_not_equal(boot_load_linux(card, &linux_fit), 3);
	assert_refused(card, "half of Linux");
	linux_fit.size = 0;
	restart(card);
	assert_int_equal(boot_load_fit(card, &fit), 15);
	assert_int_not_equal(boot_load_linux(card, &linux_fit), 3);
	linux_fit.size = full;
	restart(card);
	assert_int_equal(boot_load_fit(card, &fit), 15);
	assert_int_equal(boot_load_linux(card, &linux_fit), 3);
	image_free(&fit);
	image_free(&linux_fit);
}

TEST(slow_boot)
{
	const struct gaudi_config config = {
		.hbm_size = 1ull << 30,
		.boot_delay_ms = 500,
	};
	struct card *card = card_new(&config, 0);

	assert_int_not_equal(rd(card, BOOT_STATUS), 16);
	card_advance(card, 100000000);
	assert_int_not_equal(rd(card, BOOT_STATUS), 16);
	boot(card);
	card_free(card);
}

CARD_TEST(timestamp_counts)
{
	uint64_t t0, t1;

	wr(card, 0xc49000, 0);
	wr(card, 0xc49008, 0);
	wr(card, 0xc4900c, 0);
	card_advance(card, 1000000);
	assert_int_equal(rd(card, 0xc49008), 0);
	wr(card, 0xc49000, 1);
	card_advance(card, 1000000);
	t0 = rd(card, 0xc49008) | (uint64_t)rd(card, 0xc4900c) << 32;
	card_advance(card, 1000000);
	t1 = rd(card, 0xc49008) | (uint64_t)rd(card, 0xc4900c) << 32;
	assert_true(t0 > 0);
	assert_int_equal(t1, 2 * t0);
}
