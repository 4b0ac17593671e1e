// SPDX-License-Identifier: GPL-2.0-only
/* The event queue: order, overflow, masking, and what is held back. */
#include <errno.h>

#include "harness.h"

RUNNING_TEST(entry_layout)
{
	const uint64_t sent[7] = { 1, 2, 3, 4, 5, 6, ~0ull };
	uint64_t got[7];
	uint32_t ctl;

	assert_int_equal(gaudi_fw_post_event(c->fw, 658, sent, 7), 0);
	assert_int_equal(c->msis, 1);
	assert_int_equal(card_event(c, &ctl, got), 658);
	assert_int_equal(ctl, 0x80000000 | 658 << 16 | 1);
	assert_memory_equal(sent, got, sizeof(got));
	assert_int_equal(gaudi_fw_post_event(c->fw, 659, sent, 1), 0);
	assert_int_equal(card_event(c, &ctl, got), 659);
	assert_int_equal(ctl & 0xffff, 2);
	assert_int_equal(got[0], 1);
	assert_int_equal(got[1], 0);
	assert_int_equal(card_event(c, &ctl, got), -1);
	assert_int_equal(gaudi_fw_post_event(c->fw, 663, NULL, 0), -EINVAL);
	assert_int_equal(gaudi_fw_post_event(c->fw, 658, sent, 8), -EINVAL);
}

TEST(no_index_without_the_bit)
{
	struct gaudi_fw_config cfg = { .boot_dev_sts0 = 0x80020000 };
	struct card *c = card_new(&cfg);
	uint32_t ctl;

	card_run(c);
	assert_int_equal(gaudi_fw_post_event(c->fw, 658, NULL, 0), 0);
	assert_int_equal(card_event(c, &ctl, NULL), 658);
	assert_int_equal(ctl & 0xffff, 0);
	card_free(c);
}

RUNNING_TEST(overflow)
{
	uint32_t ctl;

	for (unsigned int i = 0; i < 63; i++)
		assert_int_equal(gaudi_fw_post_event(c->fw, 658, NULL, 0), 0);
	assert_int_equal(gaudi_fw_post_event(c->fw, 659, NULL, 0), -ENOSPC);
	assert_non_null(strstr(c->last_log, "full"));
	assert_int_equal(c->msis, 63);
	/* One consumed, one more fits; nothing was overwritten. */
	assert_int_equal(card_event(c, &ctl, NULL), 658);
	assert_int_equal(ctl & 0xffff, 1);
	assert_int_equal(gaudi_fw_post_event(c->fw, 660, NULL, 0), 0);
	assert_int_equal(gaudi_fw_post_event(c->fw, 661, NULL, 0), -ENOSPC);
	for (unsigned int i = 2; i <= 63; i++) {
		assert_int_equal(card_event(c, &ctl, NULL), 658);
		assert_int_equal(ctl & 0xffff, i);
	}
	assert_int_equal(card_event(c, &ctl, NULL), 660);
	assert_int_equal(ctl & 0xffff, 64);
	assert_int_equal(card_event(c, NULL, NULL), -1);
}

RUNNING_TEST(index_wraps)
{
	uint32_t ctl = 0;

	for (unsigned int i = 1; i <= 65537; i++) {
		assert_int_equal(gaudi_fw_post_event(c->fw, 658, NULL, 0), 0);
		assert_int_equal(card_event(c, &ctl, NULL), 658);
		assert_int_equal(ctl & 0xffff, i & 0xffff);
	}
}

RUNNING_TEST(wild_consumer_index)
{
	reg_set(c, R_EQ_RD, 0xffffffff);
	for (unsigned int i = 0; i < 200; i++)
		gaudi_fw_post_event(c->fw, 658, NULL, 0);
	assert_true(c->msis <= 64);
}

/* A reset request right after events are enabled would be lost. */
RUNNING_TEST(fatal_events_wait)
{
	reg_set(c, R_QUEUE_INIT, 3);
	c->eq_ci = 0;
	assert_int_equal(gaudi_fw_post_event(c->fw, 658, NULL, 0), -EAGAIN);
	gaudi_fw_spi(c->fw, 486);
	assert_int_equal(gaudi_fw_post_event(c->fw, 646, NULL, 0), 0);
	assert_int_equal(gaudi_fw_post_event(c->fw, 658, NULL, 0), 0);
	assert_int_equal(card_event(c, NULL, NULL), 658);
	assert_int_equal(card_event(c, NULL, NULL), -1);
	card_pass_ms(c, 5);
	assert_int_equal(card_event(c, NULL, NULL), -1);
	card_pass_ms(c, 100);
	assert_int_equal(card_event(c, NULL, NULL), 646);
	/* Later they go at once. */
	assert_int_equal(gaudi_fw_post_event(c->fw, 646, NULL, 0), 0);
	assert_int_equal(card_event(c, NULL, NULL), 646);
}

RUNNING_TEST(held_events_are_bounded)
{
	unsigned int held = 0;

	reg_set(c, R_QUEUE_INIT, 3);
	gaudi_fw_spi(c->fw, 486);
	while (!gaudi_fw_post_event(c->fw, 646, NULL, 0))
		assert_true(++held < 1000);
}

RUNNING_TEST(engine_interrupts)
{
	/* cpu_id, event: a few of each kind from the driver's table */
	static const uint16_t map[][2] = {
		{ 33, 33 }, { 43, 57 }, { 59, 87 }, { 62, 90 }, { 74, 194 },
		{ 81, 201 }, { 95, 215 }, { 114, 234 }, { 115, 235 },
		{ 150, 301 }, { 192, 343 }, { 229, 380 }, { 230, 381 },
		{ 257, 408 }, { 397, 548 }, { 421, 572 }, { 428, 579 },
		{ 430, 581 }, { 431, 582 }, { 432, 583 }, { 439, 590 },
		{ 443, 594 }, { 452, 603 }, { 453, 604 }, { 460, 611 },
		{ 470, 621 }, { 507, 658 }, { 508, 659 }, { 509, 660 },
		{ 510, 661 }, { 511, 662 },
	};

	for (size_t i = 0; i < sizeof(map) / sizeof(*map); i++) {
		gaudi_fw_spi(c->fw, map[i][0]);
		assert_int_equal(card_event(c, NULL, NULL), map[i][1]);
	}
	/* Not interrupts: reported, no event. */
	for (unsigned int spi = 0; spi < 2000; spi++)
		if (spi == 82 || spi == 429 || spi == 440 || spi >= 700)
			gaudi_fw_spi(c->fw, spi);
	assert_int_equal(card_event(c, NULL, NULL), -1);
	assert_string_equal(c->last_used, "unknown interrupt");
}

RUNNING_TEST(masking)
{
	uint32_t array[10] = { 0 };

	gaudi_fw_spi(c->fw, 432);
	gaudi_fw_spi(c->fw, 432);
	gaudi_fw_spi(c->fw, 432);
	gaudi_fw_spi(c->fw, 433);
	assert_int_equal(card_event(c, NULL, NULL), 583);
	assert_int_equal(card_event(c, NULL, NULL), 584);
	assert_int_equal(card_event(c, NULL, NULL), -1);
	/* What came meanwhile comes once. */
	REPLIES(0, 0x10, 583, 0, 0, NULL);
	assert_int_equal(card_event(c, NULL, NULL), 583);
	REPLIES(0, 0x10, 583, 0, 0, NULL);
	assert_int_equal(card_event(c, NULL, NULL), -1);
	gaudi_fw_spi(c->fw, 432);
	assert_int_equal(card_event(c, NULL, NULL), 583);
	REPLIES(4, 0x10, 663, 0, 0, NULL);
	REPLIES(4, 0x10, ~0ull, 0, 0, NULL);
	/* Arrays: packet, count, ids. */
	gaudi_fw_spi(c->fw, 432);
	array[2] = 0x11 << 16;
	array[6] = 2;
	array[7] = 583;
	array[8] = 584;
	card_send(c, array, sizeof(array));
	assert_int_equal(card_event(c, NULL, NULL), 583);
	gaudi_fw_spi(c->fw, 433);
	assert_int_equal(card_event(c, NULL, NULL), 584);
	array[6] = 0x40000000;
	assert_int_equal(((uint32_t *)card_send(c, array, sizeof(array)))[2] >>
			 12 & 15, 4);
}

CARD_TEST(before_enabling)
{
	gaudi_fw_spi(c->fw, 432);
	gaudi_fw_spi(c->fw, 486);
	assert_int_equal(gaudi_fw_post_event(c->fw, 658, NULL, 0), -EAGAIN);
	assert_int_equal(c->msis, 0);
	card_run(c);
	gaudi_fw_spi(c->fw, 432);
	assert_int_equal(card_event(c, NULL, NULL), 583);
}
