// SPDX-License-Identifier: GPL-2.0-only
/* Every command of the embedded CPU, and the queue that brings it. */
#include "harness.h"

static uint32_t u32_at(struct card *c, size_t off)
{
	uint32_t v;

	memcpy(&v, c->host + off, 4);
	return v;
}

static unsigned int get(struct card *c, unsigned int opcode, unsigned int index,
			unsigned int attr, int64_t *value)
{
	uint64_t result;
	unsigned int rc = card_command(c, opcode, 0, index | attr << 16, 0,
				       &result);

	*value = (int64_t)result;
	return rc;
}

/* --- queue --------------------------------------------------------------- */

TEST(queue_init_refusals)
{
	static const struct {
		uint32_t reg;
		uint32_t value;
		uint32_t answer;
	} bad[] = {
		{ R_PQ_LEN, 0x10010, 4 }, { R_PQ_LEN, 0, 4 },
		{ R_PQ_LEN, 8, 4 }, { R_PQ_LEN, 0x20000, 4 },
		{ R_EQ_LEN, 0x1001, 4 }, { R_EQ_LEN, 0, 4 },
		{ R_EQ_LEN, 0x2000, 4 }, { R_EQ_LEN, 64, 4 },
		{ R_PQ_BASE_HI, 0, 5 }, { R_EQ_BASE_HI, 0, 5 },
		{ R_PQ_BASE_HI, 0x180, 5 },
		{ R_PQ_BASE_LO, HOST_ADDR + 4, 5 },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct card *c = card_new(NULL);

		card_run(c);
		reg_set(c, bad[i].reg, bad[i].value);
		reg_set(c, R_QUEUE_INIT, 3);
		assert_int_equal(reg(c, R_QUEUE_INIT), bad[i].answer);
		card_free(c);
	}
}

CARD_TEST(queue_init_waits_for_linux)
{
	reg_set(c, R_QUEUE_INIT, 3);
	gaudi_fw_spi(c->fw, 484);
	assert_int_equal(reg(c, R_QUEUE_INIT), 3);
}

/* Driver memory above 512 GiB: the upper bits come from CPU_MSB_ADDR. */
CARD_TEST(address_extension)
{
	card_boot(c);
	reg_set(c, R_CPU_MSB, 2);
	reg_set(c, R_PQ_BASE_LO, (uint32_t)HOST_ADDR);
	reg_set(c, R_PQ_BASE_HI, 0x80);
	reg_set(c, R_PQ_LEN, 0x10000);
	reg_set(c, R_EQ_BASE_LO, (uint32_t)HOST_ADDR + 0x10000);
	reg_set(c, R_EQ_BASE_HI, 0x80);
	reg_set(c, R_EQ_LEN, 0x1000);
	reg_set(c, R_QUEUE_INIT, 3);
	assert_int_equal(reg(c, R_QUEUE_INIT), 2);
	/* That is 0x10010000000, where this harness has no memory. */
	card_ring(c, 1);
	assert_non_null(strstr(c->last_log, "cannot read the command queue"));
}

RUNNING_TEST(queue_wraps)
{
	for (unsigned int i = 0; i < 2 * 8192 + 3; i++)
		REPLIES(0, 0x12, 0xfe8ce7a5, 0, 0, NULL);
}

/* A full queue of commands is served in pieces, in order, to the end. */
RUNNING_TEST(queue_in_pieces)
{
	const uint64_t ptr = CPU_HOST(PKT_OFF);

	for (unsigned int i = 0; i < 4096; i++) {
		struct packet p = { 100000 + i, 0x15 << 16, 0xffffffff, 0, 0 };
		uint64_t at = ptr + i * sizeof(p);
		uint32_t words[2] = { sizeof(p), i + 1 };

		memcpy(c->host + PKT_OFF + i * sizeof(p), &p, sizeof(p));
		memcpy(c->host + PQ_OFF + 16 * i, &at, 8);
		memcpy(c->host + PQ_OFF + 16 * i + 8, words, 8);
	}
	c->pi = 4096;
	card_ring(c, c->pi);
	/* Not all at once ... */
	assert_int_equal(u32_at(c, PKT_OFF + 4095 * 24 + 12), 0xffffffff);
	card_pass_ms(c, 1000);
	/* ... but all. */
	for (unsigned int i = 0; i < 4096; i++)
		assert_int_equal(u32_at(c, PKT_OFF + i * 24 + 12), i + 1);
	assert_int_equal(card_answer(c, 0x14, 0, 0, 0), 100000 + 4095);
}

RUNNING_TEST(queue_out_of_sync)
{
	uint64_t payload[7];

	card_ring(c, 5000);
	assert_int_equal(card_event(c, NULL, payload), 647);
	assert_int_equal((uint32_t)payload[0], 5000);
	card_ring(c, 0xffffffff);
	assert_int_equal(card_event(c, NULL, payload), 647);
}

RUNNING_TEST(bad_packets)
{
	static const struct {
		uint64_t ptr;
		uint32_t len;
	} bad[] = {
		{ 0, 24 }, { CPU_HOST(PKT_OFF), 0 }, { CPU_HOST(PKT_OFF), 23 },
		{ CPU_HOST(PKT_OFF), 0xffffffff }, { 0x7ffc000000, 24 },
		{ 0xffffffffffffffff, 24 }, { CPU_HOST(HOST_SIZE - 8), 24 },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		unsigned int before = c->guest_errors;
		uint8_t *bd = c->host + PQ_OFF + 16 * (c->pi & 4095);

		c->pi++;
		memcpy(bd, &bad[i].ptr, 8);
		memcpy(bd + 8, &bad[i].len, 4);
		memcpy(bd + 12, &c->pi, 4);
		card_ring(c, c->pi);
		assert_true(c->guest_errors > before);
	}
	REPLIES(0, 0x12, 0xfe8ce7a5, 0, 0, NULL);
}

RUNNING_TEST(unknown_commands)
{
	REPLIES(3, 0x0f, 1, 0, 0, NULL);
	assert_string_equal(c->last_used, "unknown command");
	assert_false(c->last_used_known);
	assert_non_null(strstr(c->last_log, "0xf"));
	REPLIES(3, 0x1fff, 1, 0, 0, NULL);
	REPLIES(3, 0x1f, 1, 0, 0, NULL);
	assert_string_equal(c->last_used, "NIC_STATUS");
	assert_false(c->last_used_known);
	REPLIES(3, 0x41, 1, 0, 0, NULL);
	assert_string_equal(c->last_used, "INTS_REGISTER");
	assert_false(c->last_used_known);
}

/* --- commands ------------------------------------------------------------ */

RUNNING_TEST(echo_and_access)
{
	assert_int_equal(card_answer(c, 0x12, 0xfe8ce7a5, 0, 0), 0xfe8ce7a5);
	assert_true(c->last_used_exact);
	/* Answered, though nothing comes of it, and that is told. */
	REPLIES(0, 2, 0, 0, 0, NULL);
	assert_string_equal(c->last_used, "ENABLE_PCI_ACCESS");
	assert_true(c->last_used_known && !c->last_used_exact);
	REPLIES(0, 1, 0, 0, 0, NULL);
	assert_string_equal(c->last_used, "DISABLE_PCI_ACCESS");
	assert_true(c->last_used_known && !c->last_used_exact);
}

TEST(info)
{
	struct gaudi_fw_config cfg = { .module_id = 5 };
	struct card *c = card_new(&cfg);
	uint8_t *p = c->host + BUF_OFF;
	uint64_t result, dram;

	card_run(c);
	memset(p, 0xaa, 0x800);
	REPLIES(0, 0x0e, CPU_HOST(BUF_OFF), 0x6e8, 0, &result);
	assert_int_equal(p[0x6e8], 0xaa);
	assert_int_equal(u32_at(c, BUF_OFF), 1);	/* a temperature */
	assert_true(u32_at(c, BUF_OFF + 4) & 1);	/* with an input */
	assert_non_null(strstr((char *)p + 0x400, "fw-1.0.0 "));
	assert_int_equal(u32_at(c, BUF_OFF + 0x484), 1);	/* PMC */
	assert_int_equal(u32_at(c, BUF_OFF + 0x488), 5);
	assert_int_equal(u32_at(c, BUF_OFF + 0x48c), 0x1a);
	assert_int_equal(u32_at(c, BUF_OFF + 0x490), 0x0b);
	assert_int_equal(p[0x494], '0');
	assert_non_null(strstr((char *)p + 0x514, "thermald"));
	assert_non_null(strstr((char *)p + 0x594, "cpucpd"));
	memcpy(&dram, p + 0x618, 8);
	assert_int_equal(dram, 32ull << 30);
	assert_string_equal((char *)p + 0x620, "HL205");
	/* This chip's driver takes no EQ heartbeat. */
	assert_int_equal(p[0x647], 0);
	/* Fewer bytes for an older driver, none without a buffer. */
	memset(p, 0xaa, 0x800);
	REPLIES(0, 0x0e, CPU_HOST(BUF_OFF), 0x600, 0, NULL);
	assert_int_equal(p[0x600], 0xaa);
	REPLIES(4, 0x0e, 0, 0x6e8, 0, NULL);
	REPLIES(2, 0x0e, CPU_HOST(HOST_SIZE), 0x6e8, 0, NULL);
	card_free(c);
}

/* Without MAP_HWMON_EN the flags and attributes are the kernel's. */
TEST(sensor_numbering)
{
	struct gaudi_fw_config cfg = { .boot_dev_sts0 = 0x80020000 };
	struct card *c = card_new(&cfg);
	int64_t v;

	card_run(c);
	REPLIES(0, 0x0e, CPU_HOST(BUF_OFF), 0x6e8, 0, NULL);
	assert_int_equal(u32_at(c, BUF_OFF + 4) & 3, 2);
	assert_int_equal(get(c, 3, 0, 1, &v), 0);
	assert_int_equal(v, 38000);
	assert_int_equal(get(c, 3, 0, 0, &v), 4);
	/* The INFO ioctl always asks with 8. */
	assert_int_equal(get(c, 0x20, 0, 8, &v), 0);
	assert_int_equal(get(c, 0x20, 0, 9, &v), 0);
	card_free(c);
}

TEST(clocks)
{
	struct gaudi_fw_config dyn = { .boot_dev_sts0 = 0x800a0000 };
	struct card *c = card_new(NULL);
	uint64_t v;

	card_run(c);
	REPLIES(0, 0x09, 2200000000ull, 7, 0, NULL);
	assert_int_equal(card_answer(c, 0x0a, 0, 7, 0), 2200000000ull);
	REPLIES(0, 0x09, 1, 7, 0, NULL);
	assert_int_equal(card_answer(c, 0x13, 0, 7, 0), 200000000);
	REPLIES(4, 0x09, 1, 10, 0, NULL);
	REPLIES(4, 0x0a, 0, 0xffffffff, 0, NULL);
	REPLIES(4, 0x13, 0, 10, 0, NULL);
	/* PLL 0 (CPU), four outputs of 16 bits. */
	assert_int_equal(card_answer(c, 0x1e, 0, 0, 0),
			 1600ull | 800ull << 16 | 800ull << 32 | 400ull << 48);
	REPLIES(4, 0x1e, 0, 99, 0, &v);
	card_free(c);

	/* Firmware numbering: the MME's PLL is 5, 9 does not exist. */
	c = card_new(&dyn);
	card_run(c);
	REPLIES(0, 0x0e, CPU_HOST(BUF_OFF), 0x6e8, 0, NULL);
	assert_int_equal(u32_at(c, BUF_OFF + 0x650), 0x5ff);
	assert_int_equal(card_answer(c, 0x0a, 0, 5, 0), 1575000000);
	REPLIES(4, 0x0a, 0, 9, 0, &v);
	card_free(c);
}

RUNNING_TEST(board_parts)
{
	uint64_t v;

	REPLIES(0, 0x16, CPU_HOST(BUF_OFF), 4096, 0, &v);
	assert_in_range(v, 32, 256);
	assert_non_null(memmem(c->host + BUF_OFF, v, "HL-205", 6));
	REPLIES(0, 0x0b, 1, 2, 0, NULL);
	REPLIES(4, 0x0b, 1, 3, 0, NULL);
	assert_string_equal(c->last_used, "LED_SET");
	assert_true(c->last_used_known && !c->last_used_exact);
	/* I2C: CPLD at bus 0, address 0x41. */
	assert_int_equal(card_answer(c, 0x0d, 0, 0x00004100, 0), 0x1a);
	REPLIES(0, 0x0c, 0xbeef, 0x02104100, 0, NULL);
	assert_int_equal(card_answer(c, 0x0d, 0, 0x02104100, 0), 0xbeef);
	/* Nobody there; a read-only part; too long. */
	REPLIES(2, 0x0d, 0, 0x00003300, 0, &v);
	REPLIES(2, 0x0c, 1, 0x00005001, 0, NULL);
	REPLIES(4, 0x0d, 0, 0x09004100, 0, &v);
	/* NIC: ten ports, and no cable in any. */
	assert_int_equal(card_answer(c, 0x17, CPU_HOST(BUF_OFF), 2232, 0),
			 2232);
	assert_int_equal(u32_at(c, BUF_OFF + 768), 0);
	assert_int_equal(c->host[BUF_OFF] & 3, 2);	/* local, unicast */
	assert_int_equal(c->host[BUF_OFF + 9 * 6 + 5], 9);
}

RUNNING_TEST(counters_and_rows)
{
	uint64_t v;

	/* kB per second since the last look. */
	REPLIES(0, 0x1b, 0, 0, 0, &v);
	REPLIES(0, 0x1b, 0, 1, 0, &v);
	c->tx_bytes += 5000000;
	c->rx_bytes += 3000000;
	card_pass_ms(c, 500);
	assert_int_equal(card_answer(c, 0x1b, 0, 0, 0), 10000);
	assert_int_equal(card_answer(c, 0x1b, 0, 1, 0), 6000);
	card_pass_ms(c, 500);
	assert_int_equal(card_answer(c, 0x1b, 0, 0, 0), 0);
	REPLIES(4, 0x1b, 0, 2, 0, &v);
	assert_int_equal(card_answer(c, 0x1c, 77, 0, 0), 0);
	memset(c->host + BUF_OFF, 0xaa, 16);
	REPLIES(0, 0x2b, CPU_HOST(BUF_OFF), 8, 0, &v);
	assert_int_equal(u32_at(c, BUF_OFF), 0);
	assert_int_equal(u32_at(c, BUF_OFF + 8), 0xaaaaaaaa);
	assert_int_equal(card_answer(c, 0x2c, 77, 0, 0), 0);
}

static uint64_t pending_rows(struct card *c)
{
	uint64_t v;

	REPLIES(0, 0x2c, 0, 0, 0, &v);
	return v;
}

/* HBM 2, pseudo channel 5: stack 1, row 0x123, bank 9 at this address. */
RUNNING_TEST(rows_are_replaced)
{
	static const uint8_t want[2][8] = {
		{ 2, 5, 1, 9, 0x23, 0x01, 0, 0 }, { 0, 5, 1, 9, 0x23, 1, 1, 0 },
	};
	const uint64_t at = (uint64_t)(1u << 28 | 0x123 << 14 | 9 << 10 | 64)
			    << 32 | 5 << 6;
	const uint64_t payload[3] = { 1, at, 0 };

	card_pass_ms(c, 100);
	/* A double error in it; the same again changes nothing. */
	assert_int_equal(gaudi_fw_post_event(c->fw, 403, payload, 3), 0);
	assert_int_equal(pending_rows(c), 1);
	gaudi_fw_post_event(c->fw, 403, payload, 3);
	assert_int_equal(pending_rows(c), 1);
	/* The third single error in a row of HBM 0 is one too many. */
	gaudi_fw_post_event(c->fw, 396, payload, 3);
	gaudi_fw_post_event(c->fw, 396, payload, 3);
	assert_int_equal(pending_rows(c), 1);
	gaudi_fw_post_event(c->fw, 396, payload, 3);
	assert_int_equal(pending_rows(c), 2);
	/* Without its payload, and others of the HBM: nothing. */
	gaudi_fw_post_event(c->fw, 399, NULL, 0);
	gaudi_fw_post_event(c->fw, 397, payload, 3);
	gaudi_fw_post_event(c->fw, 411, payload, 3);
	assert_int_equal(pending_rows(c), 2);

	card_reset(c);
	card_run(c);
	assert_int_equal(pending_rows(c), 0);
	REPLIES(0, 0x2b, CPU_HOST(BUF_OFF), 264, 0, NULL);
	assert_int_equal(u32_at(c, BUF_OFF), 2);
	assert_memory_equal(c->host + BUF_OFF + 8, want, 16);
	assert_int_equal(u32_at(c, BUF_OFF + 24), 0);
	gaudi_fw_post_event(c->fw, 403, payload, 3);
	assert_int_equal(pending_rows(c), 0);
}

/* No more than there is room for. */
RUNNING_TEST(many_rows)
{
	card_pass_ms(c, 100);
	for (uint64_t i = 0; i < 100; i++) {
		const uint64_t payload[2] = { 1, i << 14 << 32 };

		gaudi_fw_post_event(c->fw, 395, payload, 2);
	}
	assert_int_equal(pending_rows(c), 32);
	card_reset(c);
	card_run(c);
	assert_int_equal(pending_rows(c), 0);
	gaudi_fw_post_event(c->fw, 399, (uint64_t[]){ 1, 0 }, 2);
	assert_int_equal(pending_rows(c), 1);
	card_reset(c);
	card_run(c);
	assert_int_equal(pending_rows(c), 1);
}

RUNNING_TEST(dumps)
{
	uint64_t v;

	/* W_S monitor 3 payload address low; E_N monitor 511 status. */
	c->regs[(0x494000 + 12) / 4] = 0x1234;
	c->regs[(0x4f6000 + 4 * 511) / 4] = 0x5678;
	REPLIES(0, 0x34, CPU_HOST(BUF_OFF), 40960, 0, &v);
	assert_int_equal(u32_at(c, BUF_OFF + 12), 0x1234);
	assert_int_equal(u32_at(c, BUF_OFF + 40960 - 4), 0x5678);
	REPLIES(4, 0x34, CPU_HOST(BUF_OFF), 40959, 0, NULL);
	REPLIES(0, 0x38, CPU_HOST(BUF_OFF), 4096, 0, &v);
	assert_non_null(memmem(c->host + BUF_OFF, v, "cpucpd", 6));
	REPLIES(4, 0x38, CPU_HOST(BUF_OFF), 4096, 1, &v);
	/* No security processor on this card. */
	REPLIES(3, 0x31, CPU_HOST(BUF_OFF), 3592, 7, &v);
	REPLIES(3, 0x32, CPU_HOST(BUF_OFF), 4592, 7, &v);
}

TEST(serial_from_configuration)
{
	struct gaudi_fw_config cfg = { .serial = "SN-42", .module_id = 3 };
	struct card *c = card_new(&cfg);
	uint64_t v;

	card_run(c);
	REPLIES(0, 0x38, CPU_HOST(BUF_OFF), 4096, 0, &v);
	assert_non_null(memmem(c->host + BUF_OFF, v, "serial: SN-42\n", 14));
	REPLIES(0, 0x16, CPU_HOST(BUF_OFF), 4096, 0, &v);
	assert_non_null(memmem(c->host + BUF_OFF, v, "\nserial=SN-42\n", 14));
	REPLIES(0, 0x17, CPU_HOST(BUF_OFF), 2232, 0, &v);
	assert_int_equal(c->host[BUF_OFF + 4], 3);
	card_free(c);
}
