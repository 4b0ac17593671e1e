// SPDX-License-Identifier: GPL-2.0-only
/* The boot protocol as mainline's static loader sees it. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"

TEST(preboot_state)
{
	struct card *c = card_new(NULL);
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
	card_free(c);
}

TEST(boot_both_images)
{
	struct card *c = card_new(NULL);
	uint32_t off;

	card_boot(c);
	off = reg(c, R_UBOOT_VER);
	assert_in_range(off & 0xfffffff, 1, 0x13fff7f);
	assert_non_null(strstr((char *)c->sram + off, "U-Boot"));
	assert_int_equal(c->guest_errors, 0);
	/* And again after a reset. */
	memset(c->regs, 0, 0x1000000);
	gaudi_fw_reset(c->fw);
	card_boot(c);
	card_free(c);
}

TEST(stages_take_time)
{
	struct gaudi_fw_config cfg = { .boot_delay_ms = 30 };
	struct card *c = card_new(&cfg);
	uint8_t *image;
	size_t size;

	assert_int_equal(reg(c, R_BOOT_STATUS), 5);
	card_pass_ms(c, 29);
	assert_int_equal(reg(c, R_BOOT_STATUS), 5);
	card_pass_ms(c, 1);
	assert_int_equal(reg(c, R_BOOT_STATUS), 16);
	image = image_read("gaudi-boot-fit.itb", &size);
	card_put_boot_fit(c, image, size);
	free(image);
	reg_set(c, R_KMD_MSG, 2);
	assert_int_equal(reg(c, R_CMD_STATUS), 1);
	assert_int_equal(reg(c, R_BOOT_STATUS), 7);
	card_pass_ms(c, 30);
	assert_int_equal(reg(c, R_BOOT_STATUS), 15);
	card_free(c);
}

TEST(second_fit_ready_is_harmless)
{
	struct card *c = card_new(NULL);

	card_boot(c);
	reg_set(c, R_KMD_MSG, 2);
	assert_int_equal(reg(c, R_BOOT_STATUS), 3);
	assert_true(c->guest_errors > 0);
	card_free(c);
}

TEST(flash_boot)
{
	struct gaudi_fw_config cfg = { .flash_boot = true };
	struct card *c = card_new(&cfg);

	assert_int_equal(reg(c, R_BOOT_STATUS), 15);
	reg_set(c, R_HW_STATE, 1);
	assert_int_equal(reg(c, R_BOOT_STATUS), 3);
	memset(c->regs, 0, 0x1000000);
	gaudi_fw_reset(c->fw);
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
		assert_int_equal(card_command(c, 0x12, 0xfe8ce7a5, 0, 0, NULL),
				 0);
		card_free(c);
	}
}

TEST(halt_and_reset_requests)
{
	struct card *c = card_new(NULL);

	card_run(c);
	gaudi_fw_spi(c->fw, 485);
	assert_int_equal(reg(c, R_BOOT_STATUS), 1);
	assert_int_equal(c->resets, 0);
	/* A halted CPU answers nothing. */
	reg_set(c, R_PQ_PI, 1);
	gaudi_fw_spi(c->fw, 484);
	assert_int_equal(gaudi_fw_post_event(c->fw, 658, NULL, 0), -11);
	reg_set(c, R_KMD_MSG, 5);
	assert_int_equal(c->resets, 1);
	card_free(c);
}

TEST(halt_before_linux)
{
	struct card *c = card_new(NULL);

	reg_set(c, R_KMD_MSG, 1);
	assert_int_equal(reg(c, R_BOOT_STATUS), 1);
	reg_set(c, R_KMD_MSG, 0);
	reg_set(c, R_KMD_MSG, 2);
	assert_int_equal(reg(c, R_BOOT_STATUS), 1);
	card_free(c);
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

static void reset(struct card *c)
{
	memset(c->regs, 0, 0x1000000);
	gaudi_fw_reset(c->fw);
}

/* Each error bit shows at the stage that finds it, and boot goes on. */
TEST(boot_error_bits)
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
	size_t size, fit_size;
	uint8_t *image = image_read("gaudi-boot-fit.itb", &size);
	uint8_t *fit = image_read("gaudi-fit.itb", &fit_size);
	struct card *c = card_new(NULL);

	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
		uint32_t want = 0x80000000 | 1u << bits[i].bit;
		int stage = bits[i].stage;

		assert_int_equal(gaudi_fw_fault(c->fw, GAUDI_FW_FAULT_BOOT_ERR0,
						1u << bits[i].bit, 1), 0);
		reset(c);
		assert_int_equal(reg(c, R_ERR0), stage ? 0x80000000 : want);
		card_put_boot_fit(c, image, size);
		reg_set(c, R_KMD_MSG, 2);
		assert_int_equal(reg(c, R_BOOT_STATUS), 15);
		assert_int_equal(reg(c, R_ERR0), stage > 1 ? 0x80000000 : want);
		card_put_fit(c, fit, fit_size);
		reg_set(c, R_KMD_MSG, 2);
		assert_int_equal(reg(c, R_BOOT_STATUS), 3);
		/* An image that is taken is not corrupted. */
		assert_int_equal(reg(c, R_ERR0),
				 bits[i].bit == 1 ? 0x80000000 : want);
		/* Once was asked for. */
		reset(c);
		card_boot(c);
		assert_int_equal(reg(c, R_ERR0), 0x80000000);
	}
	gaudi_fw_fault(c->fw, GAUDI_FW_FAULT_BOOT_ERR1, 4, 0);
	reset(c);
	assert_int_equal(reg(c, R_ERR1), 0x80000004);
	reset(c);
	assert_int_equal(reg(c, R_ERR1), 0x80000004);
	card_free(c);
	free(image);
	free(fit);
}

/* Critical error, memories not scrubbed: no stage after preboot. */
TEST(boot_errors_that_stop)
{
	struct card *c = card_new(NULL);

	for (unsigned int bit = 18; bit <= 23; bit += 5) {
		gaudi_fw_fault(c->fw, GAUDI_FW_FAULT_BOOT_ERR0, 1u << bit, 1);
		reset(c);
		assert_int_equal(reg(c, R_ERR0), 0x80000000 | 1u << bit);
		assert_int_equal(reg(c, R_BOOT_STATUS), 5);
		reg_set(c, R_KMD_MSG, 2);
		card_pass_ms(c, 10000);
		assert_int_equal(reg(c, R_BOOT_STATUS), 5);
	}
	reset(c);
	card_boot(c);
	card_free(c);
}

TEST(stuck_at_each_status)
{
	static const uint32_t stages[] = { 0, 4, 5, 16, 7, 2, 11, 15, 3 };
	size_t size, fit_size;
	uint8_t *image = image_read("gaudi-boot-fit.itb", &size);
	uint8_t *fit = image_read("gaudi-fit.itb", &fit_size);
	struct card *c = card_new(NULL);

	gaudi_fw_fault(c->fw, GAUDI_FW_FAULT_BOOT_LATE, 20, 0);
	for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
		gaudi_fw_fault(c->fw, GAUDI_FW_FAULT_BOOT_STUCK, stages[i], 1);
		reset(c);
		card_pass_ms(c, 100);
		card_put_boot_fit(c, image, size);
		reg_set(c, R_KMD_MSG, 2);
		card_pass_ms(c, 100);
		card_put_fit(c, fit, fit_size);
		reg_set(c, R_KMD_MSG, 2);
		card_pass_ms(c, 100);
		assert_int_equal(reg(c, R_BOOT_STATUS), stages[i]);
		gaudi_fw_spi(c->fw, 485);
		reg_set(c, R_KMD_MSG, 5);
		assert_int_equal(c->resets, 0);
		assert_int_equal(reg(c, R_BOOT_STATUS), stages[i]);
	}
	gaudi_fw_fault_clear(c->fw, GAUDI_FW_NUM_FAULTS);
	reset(c);
	card_boot(c);
	card_free(c);
	free(image);
	free(fit);
}

TEST(silent_firmware)
{
	struct card *c = card_new(NULL);
	uint32_t fence;

	card_run(c);
	gaudi_fw_fault(c->fw, GAUDI_FW_FAULT_SILENT, 0, 2);
	memcpy(&fence, (uint8_t *)card_send(c, &(struct packet){
		0xfe8ce7a5, 0x120000, 0x5555, 0, 0 }, 24) + 12, 4);
	assert_int_equal(fence, 0x5555);
	assert_int_equal(gaudi_fw_post_event(c->fw, 658, NULL, 0), -11);
	reset(c);
	assert_int_equal(reg(c, R_BOOT_STATUS), 0);
	assert_int_equal(reg(c, R_STS0), 0);
	reset(c);
	card_boot(c);
	card_free(c);
}

TEST(late_stages)
{
	struct card *c = card_new(NULL);

	gaudi_fw_fault(c->fw, GAUDI_FW_FAULT_BOOT_LATE, 2000, 1);
	reset(c);
	card_pass_ms(c, 1999);
	assert_int_equal(reg(c, R_BOOT_STATUS), 5);
	card_pass_ms(c, 1);
	/* The first stage only. */
	card_boot(c);
	card_free(c);
}

TEST(fault_names)
{
	struct card *c = card_new(NULL);

	for (unsigned int i = 0; i < GAUDI_FW_NUM_FAULTS; i++) {
		assert_non_null(gaudi_fw_fault_name(i));
		assert_int_equal(gaudi_fw_fault_from_name(
					 gaudi_fw_fault_name(i)), i);
	}
	assert_null(gaudi_fw_fault_name(GAUDI_FW_NUM_FAULTS));
	assert_int_equal(gaudi_fw_fault_from_name("no-such"), -2);
	assert_int_equal(gaudi_fw_fault(c->fw, GAUDI_FW_NUM_FAULTS, 0, 0),
			 -22);
	card_free(c);
}
