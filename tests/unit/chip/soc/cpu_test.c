// SPDX-License-Identifier: GPL-2.0-only
/*
 * The embedded CPU's command queue and event queue.
 */
#include "../fw.h"

#define EQ_RD_OFFS	0x44222c
#define READY		0x80000000u

/* struct cpucp_info: where things stand */
#define INFO_SIZE	0x6e8
#define INFO_CARD_TYPE	0x484
#define INFO_LOCATION	0x488
#define INFO_DRAM_SIZE	0x618
#define INFO_CARD_NAME	0x620
#define INFO_EQ_HEALTH	0x647

static int setup(void **state)
{
	struct card *card = card_new(NULL, 0);

	boot(card);
	cpu_queues_init(card);
	*state = card;
	return 0;
}

#define CPU_TEST(fn) TEST_OF(fn, struct card *card, setup, card_teardown)

CPU_TEST(command_test)
{
	struct cpu_reply r = cpu_send(card, 0x12, 0xfe8ce7a5, 0);

	assert_true(r.answered);
	assert_int_equal(r.rc, 0);
	assert_int_equal(r.result, 0xfe8ce7a5);
}

/* The index runs to 8191: twice around the ring of 4096. */
CPU_TEST(ring_wraps)
{
	unsigned int i;

	for (i = 0; i < 8192 + 3; i++) {
		struct cpu_reply r = cpu_send(card, 0x12, 0xfe8ce7a5, 0);

		if (!r.answered)
			fail_msg("command %u is not answered", i);
	}
}

CPU_TEST(command_info)
{
	uint8_t *info = card->ram + CPU_DATA;
	struct cpu_reply r;
	unsigned int i, sensors = 0;

	memset(info, 0, INFO_SIZE + 16);
	memset(info + INFO_SIZE, 0xcc, 16);
	r = cpu_send(card, 0x0e, ram_dev(CPU_DATA), INFO_SIZE);
	assert_true(r.answered);
	assert_int_equal(r.rc, 0);
	assert_int_equal(ram32(card, CPU_DATA + INFO_LOCATION), 0);
	assert_int_equal(ram64(card, CPU_DATA + INFO_DRAM_SIZE), 1ull << 30);
	assert_true(ram32(card, CPU_DATA + INFO_CARD_TYPE) <= 1);
	assert_int_equal(info[INFO_EQ_HEALTH], 0);
	assert_non_null(memchr(info + INFO_CARD_NAME, 0, 16));
	/* a driver fails without a sensor, or with one of a type >= 10 */
	for (i = 0; i < 128; i++) {
		uint32_t type = ram32(card, CPU_DATA + 8 * i);
		uint32_t flags = ram32(card, CPU_DATA + 8 * i + 4);

		if (!type && !flags)
			break;
		assert_true(type < 10);
		assert_int_not_equal(flags, 0);
		sensors++;
	}
	assert_true(sensors >= 1);
	for (i = 0; i < 16; i++)
		assert_int_equal(info[INFO_SIZE + i], 0xcc);
}

CPU_TEST(command_info_bad_buffers)
{
	struct cpu_reply r;

	r = cpu_send(card, 0x0e, HOST + 0x1000, INFO_SIZE);
	assert_true(r.answered);
	assert_int_not_equal(r.rc, 0);
	/* a smaller buffer is not written beyond its end */
	memset(card->ram + CPU_DATA, 0xcc, 0x800);
	r = cpu_send(card, 0x0e, ram_dev(CPU_DATA), 16);
	assert_true(r.answered);
	assert_int_equal(card->ram[CPU_DATA + 16], 0xcc);
	r = cpu_send(card, 0x0e, ram_dev(RAM_SIZE - 16), 0xffffffff);
	assert_true(r.answered);
	assert_int_equal(cpu_send(card, 0x12, 5, 0).rc, 0);
}

/* What a driver sends while it probes, and when it goes. */
CPU_TEST(commands_of_a_probe)
{
	/* STS0 bit 26: attributes are counted from 0, else as Linux does */
	uint64_t temp_input = rd(card, BOOT_STS0) >> 26 & 1 ? 0 : 0x10000;
	const struct {
		unsigned int opcode;
		uint64_t value, data;
	} seq[] = {
		{ 0x12, 0xfe8ce7a5, 0 },
		{ 0x02, 0, 0 },
		{ 0x1e, 0, 0 },
		{ 0x09, 2200000000ull, 7 },
		{ 0x15, 200000, 0 },
		{ 0x03, 0, temp_input },
		{ 0x0a, 0, 7 },
		{ 0x13, 0, 7 },
		{ 0x14, 0, 0 },
		{ 0x20, 0, 8 << 16 },	/* power input */
		{ 0x10, 583, 0 },
		{ 0x01, 0, 0 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(seq) / sizeof(seq[0]); i++) {
		struct cpu_reply r = cpu_send(card, seq[i].opcode,
					      seq[i].value, seq[i].data);

		if (!r.answered || r.rc)
			fail_msg("command 0x%02x: answered %d, rc %u",
				 seq[i].opcode, r.answered, r.rc);
	}
	/* set and get belong together */
	cpu_send(card, 0x15, 123000, 0);
	assert_int_equal(cpu_send(card, 0x14, 0, 0).result, 123000);
}

/* Any opcode with any operand is answered; unknown ones with an error. */
CPU_TEST(every_opcode_is_answered)
{
	unsigned int op;

	for (op = 0; op < 0x80; op++) {
		struct cpu_reply r;

		/* no buffer there, and a plausible one */
		r = cpu_send(card, op, HOST + 64, 0xffffffffffffffffull);
		if (!r.answered)
			fail_msg("opcode 0x%02x is not answered", op);
		r = cpu_send(card, op, ram_dev(CPU_DATA), 0x800);
		if (!r.answered)
			fail_msg("opcode 0x%02x is not answered", op);
	}
	assert_int_not_equal(cpu_send(card, 0x7e, 0, 0).rc, 0);
	assert_int_not_equal(cpu_send(card, 0x1fff, 0, 0).rc, 0);
	assert_int_equal(cpu_send(card, 0x12, 1, 0).rc, 0);
}

CPU_TEST(bad_queue_addresses)
{
	unsigned int i;

	/* the descriptor points nowhere, or is of another size */
	for (i = 0; i < 3; i++) {
		uint8_t *bd = card->ram + CPU_PQ + 16 * (cpu_pi & 4095);
		uint64_t addr = i ? ram_dev(CPU_PKT) : HOST + 64;
		uint32_t len = i == 2 ? 0xffffffff : 0;

		memcpy(bd, &addr, 8);
		memcpy(bd + 8, &len, 4);
		cpu_pi = (cpu_pi + 1) & 8191;
		wr(card, 0x442200, cpu_pi);
		wr_settle(card, GIC, 484);
	}
	/* it goes on with the next one */
	assert_true(cpu_send(card, 0x12, 0xfe8ce7a5, 0).answered);
	/* an index far away, and back */
	wr(card, 0x442200, 0xffffffff);
	wr_settle(card, GIC, 484);
	assert_true(cpu_send(card, 0x12, 0xfe8ce7a5, 0).answered);
}

TEST(queue_init_refuses)
{
	struct card *card = card_new(NULL, 0);

	boot(card);
	wr(card, 0x442204, 0x1000);
	wr(card, 0x442208, 0);
	wr(card, 0x44220c, 12345);
	wr(card, 0x442228, 7);
	wr(card, 0x442230, 3);
	wr_settle(card, GIC, 484);
	card_advance(card, 100000000);
	assert_int_not_equal(rd(card, 0x442230), 2);
	card_free(card);
}

static uint32_t eq_ctl(struct card *card, unsigned int i)
{
	return ram32(card, CPU_EQ + 64 * i + 4);
}

CPU_TEST(events_only_when_enabled)
{
	uint64_t payload[7] = { 1, 2, 3, 4, 5, 6, 0x1122334455667788 };
	unsigned int i;

	assert_true(gaudi_chip_post_event(card->chip, 583, NULL, 0) < 0);
	assert_int_equal(eq_ctl(card, 0), 0);
	cpu_enable_events(card);
	card->msi[0] = 0;
	assert_int_equal(gaudi_chip_post_event(card->chip, 583, payload, 7), 0);
	card_settle(card);
	assert_int_equal(eq_ctl(card, 0) & READY, READY);
	assert_int_equal(eq_ctl(card, 0) >> 16 & 0xfff, 583);
	for (i = 0; i < 7; i++)
		assert_int_equal(ram64(card, CPU_EQ + 8 + 8 * i), payload[i]);
	assert_int_equal(card->msi[0], 1);
	assert_int_equal(eq_ctl(card, 1), 0);
}

CPU_TEST(event_queue_fills_and_drains)
{
	unsigned int i, posted = 0, round;

	cpu_enable_events(card);
	for (round = 0; round < 3; round++) {
		for (i = 0; i < 100; i++)
			if (!gaudi_chip_post_event(card->chip, 421, NULL, 0))
				posted++;
		card_settle(card);
		/* 64, or 63 where full and empty must differ */
		assert_in_range(posted, 63 * (round + 1), 64 * (round + 1));
		for (i = 0; i < 64; i++)
			memset(card->ram + CPU_EQ + 64 * i + 4, 0, 4);
		wr_settle(card, EQ_RD_OFFS, posted % 64);
	}
}

/* The driver takes a gap between two indices for a lost entry. */
CPU_TEST(event_index_has_no_gap)
{
	cpu_enable_events(card);
	assert_int_equal(gaudi_chip_post_event(card->chip, 421, NULL, 0), 0);
	card->no_bus = true;
	assert_int_not_equal(gaudi_chip_post_event(card->chip, 421, NULL, 0),
			     0);
	card->no_bus = false;
	assert_int_equal(gaudi_chip_post_event(card->chip, 421, NULL, 0), 0);
	assert_int_equal(eq_ctl(card, 0) & 0xffff, 1);
	assert_int_equal(eq_ctl(card, 1) & 0xffff, 2);
}

/* An engine's error comes out as an event, and who traces events sees it. */
CPU_TEST(engine_error_becomes_event)
{
	struct queue q = queue_external(card, 0, 0x10000);
	struct cb cb = cb_host(card, 0x40000);

	cpu_enable_events(card);
	/* tell errors of fetchers and CPs, stop on them */
	wr(card, q.qm + 0xc, 0xf << 16 | 0x1f << 20 | 0x1f << 25 | 0x3fff);
	put32(&cb, 0);
	put32(&cb, 0x1f000000);
	card->traced = 1 << GAUDI_TRACE_EVENT;
	queue_run(card, &q, &cb);
	card_advance(card, 10000000);
	assert_int_equal(card->traces, 1);
	assert_int_equal(eq_ctl(card, 0) & READY, READY);
	assert_int_equal(eq_ctl(card, 0) >> 16 & 0xfff, 583);
	assert_int_equal(cpu_send(card, 0x10, 583, 0).rc, 0);
}

/* So does a descriptor that a matrix engine refuses: it signals nobody. */
CPU_TEST(refused_descriptor_becomes_event)
{
	cpu_enable_events(card);
	wr(card, 0x160280, 1);			/* one without operands */
	card_settle(card);
	card_advance(card, 10000000);
	assert_int_equal(rd(card, 0x160298), 1);
	assert_int_equal(eq_ctl(card, 0) & READY, READY);
	assert_int_equal(eq_ctl(card, 0) >> 16 & 0xfff, 230);
	assert_int_equal(cpu_send(card, 0x10, 230, 0).rc, 0);
}

/* The next entry that is not about the refused access itself. */
static unsigned int next_core_event(struct card *card, unsigned int *entry)
{
	unsigned int id;

	do {
		assert_int_equal(eq_ctl(card, *entry) & READY, READY);
		id = eq_ctl(card, (*entry)++) >> 16 & 0xfff;
	} while (id < 604 || id > 611);
	return id;
}

/* Each error of a DMA core has an event; the second when that is unmasked. */
CPU_TEST(dma_errors_become_events)
{
	unsigned int n, round, entry = 0;

	cpu_enable_events(card);
	for (n = 0; n < 8; n++) {
		dma_core_init(card, n);
		wr(card, DMA_CORE(n) + 0x160, 1);
		wr(card, DMA_CORE(n) + 0x1c, 0);
		wr(card, DMA_CORE(n) + 0x20, 0x7e);
		wr(card, DMA_CORE(n) + 0x74, 64);
		for (round = 0; round < 2; round++) {
			wr(card, DMA_CORE(n) + 0x78, 0x18);
			card_advance(card, 10000000);
			assert_int_equal(rd(card, DMA_CORE(n) + 0x164), 2);
			assert_int_equal(next_core_event(card, &entry),
					 604 + n);
			assert_int_equal(cpu_send(card, 0x10, 604 + n, 0).rc,
					 0);
		}
	}
}

CPU_TEST(commands_die_with_reset)
{
	wr(card, 0xc4b498, 1);
	card_advance(card, 2000000000);
	memset(card->ram + CPU_PKT, 0, 24);
	wr(card, 0x442200, 5);
	wr(card, GIC, 484);
	card_advance(card, 1000000000);
	assert_int_equal(ram32(card, CPU_PKT + 12), 0);
	boot(card);
	cpu_queues_init(card);
	assert_true(cpu_send(card, 0x12, 1, 0).answered);
}

/*
 * The card waits while commands are served, so there is a pause after some. A
 * doorbell must not shorten it, else who rings often enough stops the card.
 */
CPU_TEST(pause_is_kept)
{
	uint64_t test[3] = { 1, 0xffffffff00000000ull | 0x12u << 16, 0 };
	uint8_t *bd = card->ram + CPU_PQ;
	unsigned int i, served;
	uint64_t addr;

	for (i = 0; i < 100; i++) {
		uint32_t len_ctl[2] = { 24, i + 1 };

		addr = ram_dev(CPU_PKT + 32 * i);
		memcpy(card->ram + CPU_PKT + 32 * i, test, 24);
		memcpy(bd + 16 * i, &addr, 8);
		memcpy(bd + 16 * i + 8, len_ctl, 8);
	}
	wr(card, 0x442200, 100);
	for (i = 0; i < 20; i++)
		wr(card, GIC, 484);
	for (served = 0; served < 100; served++)
		if (ram32(card, CPU_PKT + 32 * served + 12) == 0xffffffff)
			break;
	assert_in_range(served, 1, 99);
	for (i = 0; i < 20; i++)
		card_advance(card, 1000000);
	assert_int_not_equal(ram32(card, CPU_PKT + 32 * 99 + 12), 0xffffffff);
}

TEST(module_id_is_reported)
{
	const struct gaudi_config config = {
		.hbm_size = 2ull << 30,
		.module_id = 5,
	};
	struct card *card = card_new(&config, 0);

	boot(card);
	cpu_queues_init(card);
	assert_int_equal(cpu_send(card, 0x0e, ram_dev(CPU_DATA),
				  INFO_SIZE).rc, 0);
	assert_int_equal(ram32(card, CPU_DATA + INFO_LOCATION), 5);
	assert_int_equal(ram64(card, CPU_DATA + INFO_DRAM_SIZE), 2ull << 30);
	card_free(card);
}
