// SPDX-License-Identifier: GPL-2.0-only
/* The boot protocol as mainline's static loader sees it. */
#include "harness.h"

CARD_TEST(preboot_state)
{
	uint32_t off = reg(c, R_PREBOOT_VER);

	assert_int_equal(reg(c, R_BOOT_STATUS), 16);
	/* Fatal bits or any bit of ERR1 would end the probe. */
	assert_int_equal(reg(c, R_ERR0) & 0x7fffffff, 0);
	assert_int_equal(reg(c, R_ERR1) & 0x7fffffff, 0);
	assert_true(reg(c, R_STS0) & 0x80000000);
	/* Static loader: no COMMS, no privileged GIC, not secured. */
	assert_int_equal(reg(c, R_STS0) & (1u << 0 | 1u << 16 | 1u << 20), 0);
	assert_int_equal(reg(c, R_HW_STATE), 0);
	assert_in_range(off & 0xfffffff, 1, 0x13fff7f);
	assert_non_null(strstr((char *)c->sram + off, "Preboot"));
	assert_non_null(strstr((char *)c->sram + off, "fw-1.0.0 "));
}

CARD_TEST(boot_both_images)
{
	uint32_t off;

	card_boot(c);
	off = reg(c, R_UBOOT_VER);
	assert_in_range(off & 0xfffffff, 1, 0x13fff7f);
	assert_non_null(strstr((char *)c->sram + off, "U-Boot"));
	assert_int_equal(c->guest_errors, 0);
	/* And again after a reset. */
	card_reset(c);
	card_boot(c);
}

TEST(stages_take_time)
{
	struct gaudi_fw_config cfg = { .boot_delay_ms = 30 };
	struct card *c = card_new(&cfg);

	assert_int_equal(reg(c, R_BOOT_STATUS), 5);
	card_pass_ms(c, 29);
	assert_int_equal(reg(c, R_BOOT_STATUS), 5);
	card_pass_ms(c, 1);
	assert_int_equal(reg(c, R_BOOT_STATUS), 16);
	card_offer_boot_fit(c);
	assert_int_equal(reg(c, R_CMD_STATUS), 1);
	assert_int_equal(reg(c, R_BOOT_STATUS), 7);
	card_pass_ms(c, 30);
	assert_int_equal(reg(c, R_BOOT_STATUS), 15);
	card_free(c);
}

CARD_TEST(second_fit_ready_is_harmless)
{
	card_boot(c);
	reg_set(c, R_KMD_MSG, 2);
	assert_int_equal(reg(c, R_BOOT_STATUS), 3);
	assert_true(c->guest_errors > 0);
}

TEST(flash_boot)
{
	struct gaudi_fw_config cfg = { .flash_boot = true };
	struct card *c = card_new(&cfg);

	assert_int_equal(reg(c, R_BOOT_STATUS), 15);
	reg_set(c, R_HW_STATE, 1);
	assert_int_equal(reg(c, R_BOOT_STATUS), 3);
	card_reset(c);
	assert_int_equal(reg(c, R_BOOT_STATUS), 15);
	card_free(c);
}

TEST(sts0_variants)
{
	/* value, and what the driver must see: of preboot, of the system */
	static const uint32_t variants[][3] = {
		{ 0x80000000, 0x80000000, 0x80000000 },
		{ 0x80020000, 0x80020000, 0x80020000 },
		{ 0x8424cb60, 0x80000000, 0x8424cb60 },
		{ 0x00020000, 0, 0 },		/* not ENABLED */
		/* A closed GIC needs a descriptor that names other ways. */
		{ 0x80120000, 0x80020000, 0x80020000 },
		{ 0x80020001, 0x80020000, 0x80020000 },	/* not secured */
	};

	for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
		struct gaudi_fw_config cfg = {
			.boot_dev_sts0 = variants[i][0],
		};
		struct card *c = card_new(&cfg);

		assert_int_equal(reg(c, R_STS0), variants[i][1]);
		card_run(c);
		assert_int_equal(reg(c, R_STS0), variants[i][2]);
		REPLIES(0, 0x12, 0xfe8ce7a5, 0, 0, NULL);
		card_free(c);
	}
}

RUNNING_TEST(halt_and_reset_requests)
{
	gaudi_fw_spi(c->fw, 485);
	assert_int_equal(reg(c, R_BOOT_STATUS), 1);
	assert_int_equal(c->resets, 0);
	/* A halted CPU answers nothing. */
	card_ring(c, 1);
	assert_int_equal(gaudi_fw_post_event(c->fw, 658, NULL, 0), -11);
	reg_set(c, R_KMD_MSG, 5);
	assert_int_equal(c->resets, 1);
}

CARD_TEST(halt_before_linux)
{
	reg_set(c, R_KMD_MSG, 1);
	assert_int_equal(reg(c, R_BOOT_STATUS), 1);
	reg_set(c, R_KMD_MSG, 0);
	reg_set(c, R_KMD_MSG, 2);
	assert_int_equal(reg(c, R_BOOT_STATUS), 1);
}

TEST(firmware_made_reset)
{
	struct gaudi_fw_config cfg = { .boot_dev_sts0 = 0x80020400 };
	struct card *c = card_new(&cfg);

	card_run(c);
	gaudi_fw_spi(c->fw, 485);
	assert_int_equal(c->resets, 1);
	card_free(c);
}

/* Each error bit shows at the stage that finds it, and boot goes on. */
CARD_TEST(boot_error_bits)
{
	static const struct {
		uint32_t bit;
		int stage;		/* 0 preboot, 1 boot loader, 2 system */
	} bits[] = {
		{ 0, 1 }, { 1, 1 }, { 2, 2 }, { 3, 1 }, { 4, 1 }, { 5, 1 },
		{ 6, 1 }, { 7, 0 }, { 8, 0 }, { 9, 0 }, { 10, 0 }, { 11, 0 },
		{ 12, 0 }, { 13, 0 }, { 19, 0 }, { 20, 0 }, { 21, 2 },
		{ 22, 0 }, { 30, 0 },
	};

	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
		uint32_t want = 0x80000000 | 1u << bits[i].bit;
		int stage = bits[i].stage;

		assert_int_equal(gaudi_fw_fault(c->fw, GAUDI_FW_FAULT_BOOT_ERR0,
						1u << bits[i].bit, 1), 0);
		card_reset(c);
		assert_int_equal(reg(c, R_ERR0), stage ? 0x80000000 : want);
		card_offer_boot_fit(c);
		assert_int_equal(reg(c, R_BOOT_STATUS), 15);
		assert_int_equal(reg(c, R_ERR0), stage > 1 ? 0x80000000 : want);
		card_offer_fit(c);
		assert_int_equal(reg(c, R_BOOT_STATUS), 3);
		/* An image that is taken is not corrupted. */
		assert_int_equal(reg(c, R_ERR0),
				 bits[i].bit == 1 ? 0x80000000 : want);
		/* Once was asked for. */
		card_reset(c);
		card_boot(c);
		assert_int_equal(reg(c, R_ERR0), 0x80000000);
	}
	gaudi_fw_fault(c->fw, GAUDI_FW_FAULT_BOOT_ERR1, 4, 0);
	card_reset(c);
	assert_int_equal(reg(c, R_ERR1), 0x80000004);
	card_reset(c);
	assert_int_equal(reg(c, R_ERR1), 0x80000004);
}

/* Critical error, memories not scrubbed: no stage after preboot. */
CARD_TEST(boot_errors_that_stop)
{
	for (unsigned int bit = 18; bit <= 23; bit += 5) {
		gaudi_fw_fault(c->fw, GAUDI_FW_FAULT_BOOT_ERR0, 1u << bit, 1);
		card_reset(c);
		assert_int_equal(reg(c, R_ERR0), 0x80000000 | 1u << bit);
		assert_int_equal(reg(c, R_BOOT_STATUS), 5);
		reg_set(c, R_KMD_MSG, 2);
		card_pass_ms(c, 10000);
		assert_int_equal(reg(c, R_BOOT_STATUS), 5);
	}
	card_reset(c);
	card_boot(c);
}

CARD_TEST(stuck_at_each_status)
{
	static const uint32_t stages[] = { 0, 4, 5, 16, 7, 2, 11, 15, 3 };

	gaudi_fw_fault(c->fw, GAUDI_FW_FAULT_BOOT_LATE, 20, 0);
	for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
		gaudi_fw_fault(c->fw, GAUDI_FW_FAULT_BOOT_STUCK, stages[i], 1);
		card_reset(c);
		card_pass_ms(c, 100);
		card_offer_boot_fit(c);
		card_pass_ms(c, 100);
		card_offer_fit(c);
		card_pass_ms(c, 100);
		assert_int_equal(reg(c, R_BOOT_STATUS), stages[i]);
		gaudi_fw_spi(c->fw, 485);
		reg_set(c, R_KMD_MSG, 5);
		assert_int_equal(c->resets, 0);
		assert_int_equal(reg(c, R_BOOT_STATUS), stages[i]);
	}
	gaudi_fw_fault_clear(c->fw, GAUDI_FW_NUM_FAULTS);
	card_reset(c);
	card_boot(c);
}

RUNNING_TEST(silent_firmware)
{
	uint32_t fence;

	gaudi_fw_fault(c->fw, GAUDI_FW_FAULT_SILENT, 0, 2);
	memcpy(&fence, (uint8_t *)card_send(c, &(struct packet){
		0xfe8ce7a5, 0x120000, 0x5555, 0, 0 }, 24) + 12, 4);
	assert_int_equal(fence, 0x5555);
	assert_int_equal(gaudi_fw_post_event(c->fw, 658, NULL, 0), -11);
	card_reset(c);
	assert_int_equal(reg(c, R_BOOT_STATUS), 0);
	assert_int_equal(reg(c, R_STS0), 0);
	card_reset(c);
	card_boot(c);
}

CARD_TEST(late_stages)
{
	gaudi_fw_fault(c->fw, GAUDI_FW_FAULT_BOOT_LATE, 2000, 1);
	card_reset(c);
	card_pass_ms(c, 1999);
	assert_int_equal(reg(c, R_BOOT_STATUS), 5);
	card_pass_ms(c, 1);
	/* The first stage only. */
	card_boot(c);
}

CARD_TEST(fault_that_is_none)
{
	assert_int_equal(gaudi_fw_fault(c->fw, GAUDI_FW_NUM_FAULTS, 0, 0),
			 -22);
}
