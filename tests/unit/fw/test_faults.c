// SPDX-License-Identifier: GPL-2.0-only
/* Faults on demand in the answers to commands; those of the boot: test_boot.c */
#include "harness.h"

#define HEARTBEAT	0x12
#define MAX_POWER_GET	0x14
#define MAX_POWER_SET	0x15
#define FENCE		0xfe8ce7a5u

static struct packet send(struct card *c, unsigned int opcode, uint64_t value)
{
	struct packet p = { value, opcode << 16, 0xffffffff, 0, 0 };

	memcpy(&p, card_send(c, &p, sizeof(p)), sizeof(p));
	return p;
}

static struct packet reply(struct card *c)
{
	struct packet p;

	memcpy(&p, c->host + PKT_OFF, sizeof(p));
	return p;
}

/* Twice no answer to heartbeats; other commands are not struck. */
RUNNING_TEST(silent)
{
	assert_int_equal(gaudi_fw_fault(c->fw, GAUDI_FW_FAULT_CMD_SILENT,
					GAUDI_FW_FAULT_CMD(HEARTBEAT, 0), 2),
			 0);
	assert_int_equal(send(c, HEARTBEAT, FENCE).fence, 0xffffffff);
	assert_int_equal(card_answer(c, MAX_POWER_GET, 0, 0, 0), 350000);
	assert_int_equal(send(c, HEARTBEAT, FENCE).fence, 0xffffffff);
	card_pass_ms(c, 100000);
	assert_int_equal(reply(c).fence, 0xffffffff);
	assert_int_equal(card_answer(c, HEARTBEAT, FENCE, 0, 0), FENCE);
}

/* The command is refused with the code, and does nothing. */
RUNNING_TEST(return_code)
{
	gaudi_fw_fault(c->fw, GAUDI_FW_FAULT_CMD_RC,
		       GAUDI_FW_FAULT_CMD(0, 2), 1);
	REPLIES(2, MAX_POWER_SET, 100000, 0, 0, NULL);
	assert_int_equal(card_answer(c, MAX_POWER_GET, 0, 0, 0), 350000);
	/* Until it is cleared; only four bits of it fit. */
	gaudi_fw_fault(c->fw, GAUDI_FW_FAULT_CMD_RC,
		       GAUDI_FW_FAULT_CMD(MAX_POWER_GET, 0x1f), 0);
	for (unsigned int i = 0; i < 3; i++)
		REPLIES(15, MAX_POWER_GET, 0, 0, 0, NULL);
	gaudi_fw_fault_clear(c->fw, GAUDI_FW_FAULT_CMD_RC);
	REPLIES(0, MAX_POWER_GET, 0, 0, 0, NULL);
}

RUNNING_TEST(wrong_result)
{
	gaudi_fw_fault(c->fw, GAUDI_FW_FAULT_CMD_RESULT,
		       GAUDI_FW_FAULT_CMD(HEARTBEAT, 0x123456789abc), 1);
	assert_int_equal(card_answer(c, HEARTBEAT, FENCE, 0, 0),
			 0x123456789abc);
	assert_int_equal(card_answer(c, HEARTBEAT, FENCE, 0, 0), FENCE);
}

/* The fence is right, so that the driver takes it; the rest is not. */
RUNNING_TEST(garbage)
{
	struct packet first, again, other;

	gaudi_fw_fault(c->fw, GAUDI_FW_FAULT_CMD_GARBAGE,
		       GAUDI_FW_FAULT_CMD(HEARTBEAT, 7), 2);
	first = send(c, HEARTBEAT, FENCE);
	assert_int_equal(first.fence, c->pi);
	assert_int_not_equal(first.value, FENCE);
	assert_int_not_equal(first.ctl, HEARTBEAT << 16);
	again = send(c, HEARTBEAT, FENCE);
	assert_int_equal(again.value, first.value);
	assert_int_equal(again.ctl, first.ctl);
	gaudi_fw_fault(c->fw, GAUDI_FW_FAULT_CMD_GARBAGE,
		       GAUDI_FW_FAULT_CMD(HEARTBEAT, 8), 1);
	other = send(c, HEARTBEAT, FENCE);
	assert_int_not_equal(other.value, first.value);
}

/* The answer comes after its time, and those behind it after that, in order. */
RUNNING_TEST(late)
{
	const uint32_t second = PKT_OFF + 64;
	struct packet p = { 111000, MAX_POWER_SET << 16, 0xffffffff, 0, 0 };
	uint64_t ptr = CPU_HOST(second);
	uint32_t words[2] = { sizeof(p) }, fence;
	uint8_t *bd;

	gaudi_fw_fault(c->fw, GAUDI_FW_FAULT_CMD_LATE,
		       GAUDI_FW_FAULT_CMD(HEARTBEAT, 3000), 1);
	assert_int_equal(send(c, HEARTBEAT, FENCE).fence, 0xffffffff);
	card_pass_ms(c, 2000);
	/* Another command, while this one is on its way. */
	bd = c->host + PQ_OFF + 16 * (c->pi & 4095);
	words[1] = ++c->pi;
	memcpy(c->host + second, &p, sizeof(p));
	memcpy(bd, &ptr, 8);
	memcpy(bd + 8, words, 8);
	card_ring(c, c->pi);
	card_pass_ms(c, 999);
	assert_int_equal(reply(c).fence, 0xffffffff);
	memcpy(&fence, c->host + second + 12, 4);
	assert_int_equal(fence, 0xffffffff);
	card_pass_ms(c, 1);
	assert_int_equal(reply(c).fence, c->pi - 1);
	assert_int_equal(reply(c).value, FENCE);
	memcpy(&fence, c->host + second + 12, 4);
	assert_int_equal(fence, c->pi);
}

/* A reset forgets what it still had to say. */
RUNNING_TEST(late_and_reset)
{
	gaudi_fw_fault(c->fw, GAUDI_FW_FAULT_CMD_LATE,
		       GAUDI_FW_FAULT_CMD(0, 0xffffffffffff), 1);
	assert_int_equal(send(c, HEARTBEAT, FENCE).fence, 0xffffffff);
	card_pass_ms(c, 86399999);
	assert_int_equal(reply(c).fence, 0xffffffff);
	card_reset(c);
	card_run(c);
	card_pass_ms(c, 10);
	assert_int_equal(reply(c).fence, 0xffffffff);
	REPLIES(0, HEARTBEAT, FENCE, 0, 0, NULL);
}
