// SPDX-License-Identifier: GPL-2.0-only
/*
 * The dynamic loader as mainline's driver speaks it, and as nobody should. The
 * offsets in the descriptor are counted by hand from hl_boot_if.h.
 */
#include <zlib.h>

#include "harness.h"

enum { NOOP, CLR_STS, RST_STATE, PREP_DESC, DATA_RDY, EXEC, RST_DEV };
enum { GOTO_WFE = 7, SKIP_BMC, PREP_DESC_ELBI = 10 };
enum { ACK = 1, OK, ERR, VALID_ERR };

#define SRAM		0x7ff0000000ull
#define DESC_SIZE	1280
#define NO_ANSWER	0u

static int comms_setup(void **state)
{
	static const struct gaudi_fw_config cfg = { .comms = true };

	*state = card_new(&cfg);
	return 0;
}

#define COMMS_TEST(fn) TEST_OF(fn, struct card *c, comms_setup, card_teardown)

static void send(struct card *c, unsigned int cmd, uint32_t size)
{
	reg_set(c, R_KMD_MSG, cmd << 27 | size);
}

/* A whole exchange; returns the answer, or NO_ANSWER. */
static uint32_t command(struct card *c, unsigned int cmd, uint32_t size)
{
	uint32_t status;

	send(c, CLR_STS, 0);
	assert_int_equal(reg(c, R_CMD_STATUS), 0);
	send(c, cmd, size);
	assert_int_equal(reg(c, R_CMD_STATUS) >> 28, ACK);
	send(c, CLR_STS, 0);
	assert_int_equal(reg(c, R_CMD_STATUS), 0);
	send(c, NOOP, 0);
	status = reg(c, R_CMD_STATUS);
	send(c, CLR_STS, 0);
	assert_int_equal(reg(c, R_CMD_STATUS), 0);
	send(c, NOOP, 0);
	return status;
}

static uint32_t le32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, 4);
	return v;
}

static uint64_t le64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, 8);
	return v;
}

/* Ask for a descriptor and check it as a driver does. NULL: refused. */
static const uint8_t *get_desc(struct card *c, uint32_t size)
{
	uint32_t answer = command(c, PREP_DESC, size), off;
	const uint8_t *desc;

	if (answer >> 28 != OK)
		return NULL;
	off = (answer & 0x3ffffff) << 2;
	assert_int_equal(answer >> 26 & 3, 0);
	assert_in_range(off, 0, 0x1400000 - DESC_SIZE - 1);
	desc = c->sram + off;
	assert_int_equal(le32(desc), 0x4843444d);
	assert_int_equal(desc[8] | desc[9] << 8, DESC_SIZE - 16);
	assert_int_equal(desc[10], 3);
	assert_int_equal(le32(desc + 4), crc32(0, desc + 16, DESC_SIZE - 16));
	return desc;
}

static uint8_t *at(struct card *c, uint64_t addr)
{
	return addr >= SRAM ? c->sram + (addr - SRAM) : c->hbm + addr;
}

/* Give an image as the next component. Returns the answer to DATA_RDY. */
static uint32_t give(struct card *c, const void *image, size_t size)
{
	const uint8_t *desc = get_desc(c, (uint32_t)size);

	assert_non_null(desc);
	memcpy(at(c, le64(desc + 632)), image, size);
	return command(c, DATA_RDY, 0) >> 28;
}

static void give_file(struct card *c, const char *name)
{
	size_t size;
	uint8_t *image = image_read(name, &size);

	assert_int_equal(give(c, image, size), OK);
	free(image);
	assert_int_equal(command(c, EXEC, 0), NO_ANSWER);
}

static void boot(struct card *c)
{
	assert_int_equal(reg(c, R_BOOT_STATUS), 16);
	assert_int_equal(command(c, RST_STATE, 0) >> 28, OK);
	give_file(c, "gaudi-boot-fit.itb");
	assert_int_equal(reg(c, R_BOOT_STATUS), 15);
	give_file(c, "gaudi-fit.itb");
	assert_int_equal(reg(c, R_BOOT_STATUS), 3);
	c->sts0 = reg(c, R_STS0);
}

COMMS_TEST(descriptor)
{
	/* index in the register table, address */
	static const uint32_t regs[][2] = {
		{ 0, 0x442204 }, { 1, 0x442208 }, { 2, 0x44220c },
		{ 3, 0x442230 }, { 4, 0x442220 }, { 5, 0x442224 },
		{ 6, 0x442228 }, { 7, 0x44222c }, { 8, 0x442210 },
		{ 9, 0x442214 }, { 10, 0x442218 }, { 11, 0x442200 },
		{ 12, 0xc4b150 }, { 13, 0xc4b154 }, { 14, 0xc4b160 },
		{ 15, 0xc4b164 }, { 16, 0xc4b300 }, { 17, 0xc4b168 },
		{ 18, 0xc4b16c }, { 19, 0xc4b07c }, { 20, 0xc4b158 },
		{ 21, 0xc4b170 }, { 22, 0xc4b174 }, { 23, 0xc4b100 },
		{ 24, 0xc4b304 }, { 25, 0xc4b15c },
		/* in place of the GIC: scratchpads 1 to 8 */
		{ 26, 0xc4b104 }, { 27, 0xc4b108 }, { 28, 0xc4b10c },
		{ 29, 0xc4b110 }, { 30, 0xc4b114 }, { 31, 0xc4b118 },
		{ 32, 0xc4b11c }, { 33, 0xc4b120 },
		{ 34, 0 }, { 35, 0 }, { 36, 0 }, { 37, 0 },
	};
	const uint8_t *desc;

	assert_int_equal(reg(c, R_STS0) & 0x80010000, 0x80010000);
	assert_int_equal(command(c, RST_STATE, 0) >> 28, OK);
	desc = get_desc(c, 4096);
	assert_non_null(desc);
	for (size_t i = 0; i < sizeof(regs) / sizeof(regs[0]); i++)
		assert_int_equal(le32(desc + 16 + 4 * regs[i][0]), regs[i][1]);
	assert_non_null(strstr((const char *)desc + 376, "Preboot"));
	assert_non_null(strstr((const char *)desc + 376, "-1.0.0-fw-1.0.0 "));
	/* Where BOOT_FIT_SRAM_OFFSET says. */
	assert_int_equal(le64(desc + 632), SRAM + 0x200000);
	/* No binning, no text. */
	for (unsigned int i = 640; i < 728; i++)
		assert_int_equal(desc[i], 0);
	for (unsigned int i = 0; i < 4; i++)
		assert_int_equal(desc[728 + 136 * i], 0);
}

COMMS_TEST(boot_and_run)
{
	const uint8_t *desc;

	for (int i = 0; i < 2; i++) {
		boot(c);
		assert_int_equal(c->guest_errors, 0);
		/* Capabilities of the system show when it runs. */
		assert_int_equal(reg(c, R_STS0), 0x8473cb60);
		card_reset(c);
		assert_int_equal(reg(c, R_STS0), 0x80030000);
	}
	assert_int_equal(command(c, RST_STATE, 0) >> 28, OK);
	give_file(c, "gaudi-boot-fit.itb");
	assert_int_equal(reg(c, R_STS0), 0x80030260);
	desc = get_desc(c, 4096);
	assert_non_null(desc);
	assert_non_null(strstr((const char *)desc + 376, "U-Boot"));
	assert_int_equal(le64(desc + 632), 0x800000);
}

/* Doorbells go to the scratchpads now, and the GIC is closed. */
COMMS_TEST(interrupts_by_scratchpad)
{
	struct packet p = { 0xfe8ce7a5, 0x120000, 0x77, 0, 0 };
	uint8_t *bd;
	uint64_t ptr = CPU_HOST(PKT_OFF);

	boot(c);
	card_queues(c);
	assert_int_equal(reg(c, R_QUEUE_INIT), 2);
	memcpy(c->host + PKT_OFF, &p, sizeof(p));
	bd = c->host + PQ_OFF;
	memcpy(bd, &ptr, 8);
	memcpy(bd + 8, &(uint32_t[]){ 24, 1 }, 8);
	reg_set(c, R_PQ_PI, 1);
	reg_set(c, 0x800040, 484);	/* GICD_SETSPI_NSR */
	assert_int_equal(c->guest_errors, 1);
	assert_int_equal(le32(c->host + PKT_OFF + 12), 0x77);
	reg_set(c, 0xc4b104, 484);
	assert_int_equal(le32(c->host + PKT_OFF + 12), 1);
	assert_int_equal(reg(c, 0xc4b104), 0);
	/* Events, and what an engine writes as its error. */
	reg_set(c, 0xc4b120, 486);
	card_pass_ms(c, 100);
	reg_set(c, 0xc4b110, 433);	/* DMA1_QM */
	assert_int_equal(card_event(c, NULL, NULL), 584);
	assert_int_equal(reg(c, 0xc4b110), 0);
	reg_set(c, 0xc4b11c, 485);
	assert_int_equal(reg(c, R_BOOT_STATUS), 1);
	assert_int_equal(c->resets, 0);
}

/* Without the privilege bit the descriptor names the GIC. */
TEST(gic_for_everybody)
{
	struct gaudi_fw_config cfg = { .boot_dev_sts0 = 0x8003cb60 };
	struct card *c = card_new(&cfg);
	const uint8_t *desc;

	desc = get_desc(c, 4096);
	assert_non_null(desc);
	for (unsigned int i = 26; i < 34; i++)
		assert_int_equal(le32(desc + 16 + 4 * i), 0x800040);
	boot(c);
	reg_set(c, 0x800040, 485);
	assert_int_equal(reg(c, R_BOOT_STATUS), 1);
	card_free(c);
}

COMMS_TEST(damaged_image)
{
	size_t size;
	uint8_t *image = image_read("gaudi-boot-fit.itb", &size);

	image[300] ^= 0xff;
	assert_int_equal(give(c, image, size), VALID_ERR);
	assert_int_equal(reg(c, R_ERR0), 0x80000002);
	assert_int_equal(command(c, EXEC, 0) >> 28, ERR);
	assert_int_equal(reg(c, R_BOOT_STATUS), 16);
	image[300] ^= 0xff;
	assert_int_equal(give(c, image, size), OK);
	assert_int_equal(reg(c, R_ERR0), 0x80000000);
	assert_int_equal(command(c, EXEC, 0), NO_ANSWER);
	/* The boot loader again is not a system. */
	assert_int_equal(give(c, image, size), VALID_ERR);
	assert_int_equal(reg(c, R_BOOT_STATUS), 15);
	/* More than was announced is not looked at. */
	assert_non_null(get_desc(c, 64));
	assert_int_equal(command(c, DATA_RDY, 0) >> 28, VALID_ERR);
	give_file(c, "gaudi-fit.itb");
	assert_int_equal(reg(c, R_BOOT_STATUS), 3);
	free(image);
}

COMMS_TEST(reset_cause_message)
{
	uint8_t msg[1280] = { 0 };
	const uint8_t *desc;

	memcpy(msg, "\x03\x4d\x43\x48", 4);
	msg[8] = 16;
	msg[11] = 1;			/* reset cause */
	msg[16] = 1;			/* heartbeat */
	assert_int_equal(give(c, msg, sizeof(msg)), OK);
	assert_non_null(strstr(c->last_log, "heartbeat"));
	assert_int_equal(command(c, EXEC, 0) >> 28, OK);
	assert_int_equal(reg(c, R_BOOT_STATUS), 16);
	/* It is used up. */
	assert_int_equal(command(c, EXEC, 0) >> 28, ERR);
	msg[11] = 3;			/* binning: not this chip's */
	assert_int_equal(give(c, msg, sizeof(msg)), VALID_ERR);
	assert_int_equal(c->last_used_known, 0);
	assert_int_equal(command(c, EXEC, 0) >> 28, ERR);
	/* Too short to be one. */
	msg[11] = 1;
	desc = get_desc(c, 16);
	assert_non_null(desc);
	assert_int_equal(command(c, DATA_RDY, 0) >> 28, VALID_ERR);
	boot(c);
}

COMMS_TEST(other_commands)
{
	assert_int_equal(command(c, SKIP_BMC, 0) >> 28, OK);
	assert_int_equal(reg(c, R_ERR0), 0x80000010);
	assert_int_equal(command(c, PREP_DESC_ELBI, 4096) >> 28, ERR);
	assert_int_equal(c->last_used_known, 0);
	/* Not recognized: not even acknowledged. */
	for (unsigned int cmd = 9; cmd < 32; cmd += cmd == 9 ? 2 : 1) {
		send(c, CLR_STS, 0);
		send(c, cmd, 1);
		assert_int_equal(reg(c, R_CMD_STATUS) >> 28, ERR);
	}
	/* Acknowledged first, done with the NOOP. */
	send(c, CLR_STS, 0);
	send(c, RST_DEV, 0);
	assert_int_equal(reg(c, R_CMD_STATUS) >> 28, ACK);
	assert_int_equal(c->resets, 0);
	send(c, CLR_STS, 0);
	send(c, NOOP, 0);
	assert_int_equal(c->resets, 1);
	assert_int_equal(command(c, GOTO_WFE, 0), NO_ANSWER);
	assert_int_equal(reg(c, R_BOOT_STATUS), 1);
	/* A halted CPU loads nothing. */
	assert_int_equal(command(c, PREP_DESC, 4096) >> 28, ERR);
	assert_int_equal(command(c, RST_DEV, 0), NO_ANSWER);
	assert_int_equal(c->resets, 2);
}

/* A command that comes while a component starts is served by it. */
TEST(early_command)
{
	struct gaudi_fw_config cfg = { .comms = true, .boot_delay_ms = 50 };
	struct card *c = card_new(&cfg);

	send(c, RST_STATE, 0);
	assert_int_equal(reg(c, R_CMD_STATUS), 0);
	card_pass_ms(c, 50);
	assert_int_equal(reg(c, R_CMD_STATUS) >> 28, ACK);
	give_file(c, "gaudi-boot-fit.itb");
	assert_int_equal(reg(c, R_BOOT_STATUS), 7);
	send(c, RST_STATE, 0);
	card_pass_ms(c, 50);
	assert_int_equal(reg(c, R_CMD_STATUS) >> 28, ACK);
	card_free(c);
}

COMMS_TEST(out_of_order)
{
	assert_int_equal(command(c, EXEC, 0) >> 28, ERR);
	assert_int_equal(command(c, DATA_RDY, 0) >> 28, ERR);
	/* Sizes: none, to the end of the room, one more, the most. */
	assert_null(get_desc(c, 0));
	assert_int_equal(command(c, DATA_RDY, 0) >> 28, ERR);
	assert_non_null(get_desc(c, 0x13e0000 - 0x200000));
	assert_null(get_desc(c, 0x13e0000 - 0x200000 + 1));
	assert_null(get_desc(c, 0x1ffffff));
	assert_int_equal(command(c, DATA_RDY, 0) >> 28, ERR);
	/* RST_STATE forgets the descriptor and the data. */
	assert_non_null(get_desc(c, 4096));
	assert_int_equal(command(c, RST_STATE, 0) >> 28, OK);
	assert_int_equal(command(c, DATA_RDY, 0) >> 28, ERR);
	/* A NOOP after nothing. */
	send(c, NOOP, 0);
	assert_int_equal(reg(c, R_CMD_STATUS), 0);
	boot(c);
	assert_int_equal(command(c, PREP_DESC, 4096) >> 28, ERR);
	assert_int_equal(command(c, EXEC, 0) >> 28, ERR);
	assert_int_equal(reg(c, R_BOOT_STATUS), 3);
}

COMMS_TEST(static_driver_on_a_comms_card)
{
	size_t size;
	uint8_t *image = image_read("gaudi-boot-fit.itb", &size);

	card_put_boot_fit(c, image, size);
	/* FIT_RDY is 2: a size without a command, so nothing. */
	reg_set(c, R_KMD_MSG, 2);
	assert_int_equal(reg(c, R_BOOT_STATUS), 16);
	assert_int_equal(reg(c, R_CMD_STATUS), 0);
	free(image);
}

COMMS_TEST(faults)
{
	const uint8_t *desc = c->sram + 0x13e0000;
	uint32_t answer;

	for (unsigned int i = 0; i < GAUDI_FW_NUM_DESC_FAULTS; i++) {
		bool good_crc;

		gaudi_fw_fault(c->fw, GAUDI_FW_FAULT_DESC, i, 1);
		answer = command(c, PREP_DESC, 4096);
		assert_int_equal(answer >> 28, OK);
		good_crc = le32(desc + 4) ==
			   crc32(0, desc + 16, DESC_SIZE - 16);
		assert_int_equal(good_crc, i != GAUDI_FW_DESC_CRC);
		assert_int_equal(le32(desc) == 0x4843444d,
				 i != GAUDI_FW_DESC_MAGIC);
		assert_int_equal(desc[10] == 3, i != GAUDI_FW_DESC_VERSION);
		assert_int_equal(desc[9] == 0xff, i == GAUDI_FW_DESC_SIZE);
		assert_int_equal(le64(desc + 632) == SRAM + 0x200000,
				 i != GAUDI_FW_DESC_IMG_ADDR &&
				 i != GAUDI_FW_DESC_IMG_END);
		assert_int_equal((answer & 0x3ffffff) << 2 == 0x13e0000,
				 i != GAUDI_FW_DESC_OFFSET);
		assert_int_equal(answer >> 26 & 3,
				 i == GAUDI_FW_DESC_RAM_TYPE ? 3 : 0);
		/* gic_host_pi_upd_irq and gic_host_ints_irq */
		assert_int_equal(!le32(desc + 120) && !le32(desc + 148),
				 i == GAUDI_FW_DESC_IRQS);
		assert_non_null(get_desc(c, 4096));
	}
	gaudi_fw_fault(c->fw, GAUDI_FW_FAULT_COMMS_STATUS, 5, 1);
	assert_int_equal(command(c, RST_STATE, 0) >> 28, 5);
	boot(c);
}

/* Any sequence of words in the command register. */
COMMS_TEST(random_commands)
{
	static const uint32_t sizes[] = { 0, 1, 16, 40, 4096, 0x11e0000,
					  0x1ffffff };
	size_t size, fit_size;
	uint8_t *image = image_read("gaudi-boot-fit.itb", &size);
	uint8_t *fit = image_read("gaudi-fit.itb", &fit_size);

	srand(1);
	for (unsigned int i = 0; i < 20000; i++) {
		uint32_t arg = sizes[(unsigned int)rand() % 7];

		if (!(rand() & 63))
			arg = (uint32_t)rand();
		if (!(rand() & 15)) {
			card_put_boot_fit(c, image, size);
			card_put_fit(c, fit, fit_size);
		}
		if (!(rand() & 31))
			memset(c->sram + 0x200000 + rand() % 4096, rand(), 64);
		if (!(rand() & 31))
			gaudi_fw_fault(c->fw, GAUDI_FW_FAULT_DESC,
				       (uint64_t)rand() % 16, 1);
		reg_set(c, R_KMD_MSG, ((uint32_t)rand() % 12) << 27 | arg);
		if (!(rand() & 255))
			card_reset(c);
	}
	free(image);
	free(fit);
}
