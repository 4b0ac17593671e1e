// SPDX-License-Identifier: GPL-2.0-only
/*
 * A driver that writes anything anywhere, in any order. Nothing is expected of
 * the firmware but to survive, to stay within bounds (the harness and the
 * sanitizers watch), and to boot again after a reset.
 */
#include "harness.h"

static uint32_t next_random(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

/* Numbers near the edges more often than chance would have it. */
static uint32_t edge(uint32_t *seed)
{
	static const uint32_t edges[] = {
		0, 1, 2, 3, 5, 63, 64, 4095, 4096, 8191, 8192, 0x10000,
		0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff,
	};
	uint32_t r = next_random(seed);

	if (r & 1)
		return edges[(r >> 8) % (sizeof(edges) / sizeof(*edges))];
	return next_random(seed);
}

static void random_write(struct card *c, uint32_t *seed)
{
	static const uint32_t regs[] = {
		R_HW_STATE, R_CMD_STATUS, R_KMD_MSG, R_CPU_MSB, R_PQ_PI,
		R_PQ_BASE_LO, R_PQ_BASE_HI, R_PQ_LEN, R_EQ_BASE_LO,
		R_EQ_BASE_HI, R_EQ_LEN, R_EQ_RD, R_QUEUE_INIT,
	};

	reg_set(c, regs[next_random(seed) % (sizeof(regs) / sizeof(*regs))],
		edge(seed));
}

static void random_packet(struct card *c, uint32_t *seed)
{
	uint32_t words[64];
	uint64_t addr = CPU_HOST(BUF_OFF);

	for (size_t i = 0; i < 64; i++)
		words[i] = edge(seed);
	words[2] = (next_random(seed) % 0x42) << 16;
	if (next_random(seed) & 3)
		memcpy(words, &addr, 8);
	if (next_random(seed) & 1)
		words[4] &= 0xfff0f;
	card_send(c, words, 24 + next_random(seed) % 200);
}

/* One that strikes commands; those of the boot would end the fun. */
static void random_fault(struct card *c, uint32_t *seed)
{
	unsigned int what = GAUDI_FW_FAULT_CMD_SILENT +
			    next_random(seed) % 5;
	unsigned int opcode = next_random(seed) % 0x42;
	uint64_t value = what == GAUDI_FW_FAULT_CMD_LATE ?
			 next_random(seed) % 5000 : edge(seed);

	gaudi_fw_fault(c->fw, what, GAUDI_FW_FAULT_CMD(opcode, value),
		       1 + next_random(seed) % 3);
}

static void hostile(uint32_t seed)
{
	struct card *c = card_new(NULL);

	card_run(c);
	for (unsigned int step = 0; step < 3000; step++) {
		switch (next_random(&seed) % 16) {
		case 0:
			random_write(c, &seed);
			break;
		case 1:
			/* Not the CPU's end, that ends the fun. */
			gaudi_fw_spi(c->fw, next_random(&seed) % 485);
			break;
		case 2:
			gaudi_fw_post_event(c->fw, edge(&seed) % 700, NULL, 0);
			break;
		case 3:
			card_pass_ms(c, next_random(&seed) % 200);
			c->busy += next_random(&seed);
			break;
		case 4:
			card_reset(c);
			card_run(c);
			break;
		case 5:
			gaudi_fw_spi(c->fw, 484 + next_random(&seed) % 4);
			break;
		case 6:
			random_fault(c, &seed);
			break;
		default:
			random_packet(c, &seed);
			break;
		}
		assert_true(c->deadline == UINT64_MAX ||
			    c->deadline <= c->now + 5000000000);
	}
	gaudi_fw_fault_clear(c->fw, GAUDI_FW_NUM_FAULTS);
	card_reset(c);
	card_run(c);
	REPLIES(0, 0x12, 0xfe8ce7a5, 0, 0, NULL);
	card_free(c);
}

TEST(hostile_drivers)
{
	for (uint32_t seed = 1; seed <= 20; seed++)
		hostile(seed * 2654435761u);
}
