// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tensor cores as their queues and drivers see them: launch, status, the end of
 * a kernel, stalls, errors. Kernels are words by hand: HALT, NOP, and what no
 * core knows. What kernels do in memory is in tpc_memory_test.c.
 */
#include "../card.h"
#include "../../../../qemu-device/chip/tpc/tpc_unit.h"
#include "tpc_card.h"

#define RING	0x10000
#define CBUF	0x100000
#define LOW	0x110000

CARD_TEST(kernel_ends_and_signals)
{
	unsigned int n;

	put_kernel(card, 300);
	for (n = 0; n < 8; n++) {
		prepare(card, TPC(n), KERNEL, n);
		wr(card, TPC(n) + SRF(31), 0x1000 + n);
		wr_settle(card, TPC(n) + EXECUTE, 1);
		assert_int_equal(rd(card, TPC(n) + STATUS), IDLE);
		assert_int_equal(rd(card, TPC(n) + CAUSE), 0);
		assert_int_equal(rd(card, TPC(n) + RUN_SRF(31)), 0x1000 + n);
		assert_int_equal(sob(card, n), 1);
	}
	assert_int_equal(card->logs[GAUDI_LOG_UNIMP], 0);
}

/* Bits 15:0 of a TPC's message are signed; below 0 an SOB stops. */
CARD_TEST(message_may_subtract)
{
	static const struct { uint32_t from, message, to, cause; } c[] = {
		{ 5, 0x8000ffff, 4, 0 },
		{ 5, 0x9fff0001, 6, 0 },	/* reserved bits */
		{ 5, 0x8000fffb, 0, 0 },
		{ 0x7fff, 0x80008001, 0, 0 },
		{ 0x7fff, 0x80008002, 1, 0 },
		{ 5, 0x8000fffa, 0, 1 },
		{ 0x7fff, 0x80008000, 0, 1 },
		{ 5, 0x0000ffff, 0x7fff, 0 },	/* no addition */
	};
	unsigned int i;

	put_kernel(card, 0);
	prepare(card, TPC(6), KERNEL, 9);
	for (i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		wr(card, SM_E_N + SOB(9), c[i].from);
		wr(card, TPC(6) + MESSAGE, c[i].message);
		wr_settle(card, TPC(6) + EXECUTE, 1);
		if (sob(card, 9) != c[i].to)
			fail_msg("%x + %x is %x", c[i].from, c[i].message,
				 sob(card, 9));
		assert_int_equal(rd(card, SM_E_N + 4) & 0xffff, c[i].cause);
		wr(card, SM_E_N + 4, 0);
	}
}

CARD_TEST(bit_zero_starts)
{
	put_kernel(card, 0);
	prepare(card, TPC(0), KERNEL, 0);
	wr_settle(card, TPC(0) + EXECUTE, 0xfffffffe);
	assert_int_equal(sob(card, 0), 0);
}

CARD_TEST(stalled_core_shows_busy)
{
	put_kernel(card, 2);
	prepare(card, TPC(1), KERNEL, 0);
	wr(card, TPC(1) + STALL, 1);
	wr_settle(card, TPC(1) + EXECUTE, 1);
	/* pipes and instruction queue are not empty; ready for one more */
	assert_int_equal(rd(card, TPC(1) + STATUS) & 0xce, 0x80);
	wr_settle(card, TPC(1) + EXECUTE, 1);
	assert_int_equal(rd(card, TPC(1) + STATUS) & 0x80, 0);
	assert_int_equal(rd(card, TPC(1) + CAUSE), 0);
	/* the third is one too many */
	wr(card, TPC(1) + EXECUTE, 1);
	assert_int_equal(rd(card, TPC(1) + CAUSE), 1 << 15);
	assert_int_equal(sob(card, 0), 0);
	wr_settle(card, TPC(1) + STALL, 0);
	assert_int_equal(sob(card, 0), 2);
	assert_int_equal(rd(card, TPC(1) + STATUS), IDLE);
}

/* What the queue prepares meanwhile is not what runs. */
QUEUE_TEST(queue_waits_for_the_core,
	   queue_internal(card, TPC_QM(2), 0, RING, 6))
{
	struct cb low = cb_host(card, LOW);
	unsigned int i;

	put_kernel(card, 0);
	prepare(card, TPC(2), KERNEL, 0);
	wr(card, TPC(2) + STALL, 1);
	for (i = 0; i < 4; i++) {
		put_packet(&low, i + 1, 0x01000000 | SRF(0) << 8);
		put_packet(&low, 1, 0x01000000 | EXECUTE << 8);
	}
	/* an engine barrier waits for the last one */
	put_msg_long(&low, CFG + SM_E_N + SOB(1), 7);
	low.at[8 * 8 + 7] |= EB >> 24;
	queue_run_lower(card, &q, &low);
	assert_int_equal(rd(card, TPC(2) + CAUSE), 0);
	/* the first runs, the second waits, the third has not been written */
	assert_int_equal(rd(card, TPC(2) + RUN_SRF(0)), 1);
	assert_int_equal(rd(card, TPC(2) + SRF(0)), 2);
	assert_int_equal(sob(card, 1), 0);
	wr_settle(card, TPC(2) + STALL, 0);
	assert_int_equal(rd(card, TPC(2) + RUN_SRF(0)), 4);
	assert_int_equal(sob(card, 0), 4);
	assert_int_equal(sob(card, 1), 7);
}

CARD_TEST(unknown_instruction)
{
	uint8_t *word = card_hbm(card) + KERNEL + 32;

	put_kernel(card, 2);
	word[14] = 0;		/* LOAD slot: opcode 0x0a */
	word[15] = 0x05;
	prepare(card, TPC(3), KERNEL, 0);
	wr_settle(card, TPC(3) + EXECUTE, 1);
	assert_int_equal(rd(card, TPC(3) + CAUSE), 1 << 13);
	assert_int_equal(rd(card, TPC(3) + STATUS), IDLE);
	assert_int_equal(sob(card, 0), 0);
	assert_int_equal(card->logs[GAUDI_LOG_GUEST_ERROR], 1);
	assert_non_null(strstr(card->last_log, "TPC3: illegal instruction at "
			       "0x20000020: LOAD slot: no opcode 0x0a"));
	/* zeros clear, ones do not set */
	wr(card, TPC(3) + CAUSE, 0xfffff & ~(1u << 13));
	assert_int_equal(rd(card, TPC(3) + CAUSE), 0);
	/* the core is none the worse */
	put_kernel(card, 2);
	wr_settle(card, TPC(3) + EXECUTE, 1);
	assert_int_equal(sob(card, 0), 1);
}

/* JMPR to itself. */
static void put_endless(struct card *card)
{
	uint8_t *p = card_hbm(card) + KERNEL;

	put_kernel(card, 1);
	/* SPU: opcode 0x24, source 127, immediate 0 */
	p[0] = 0xe4;
	p[1] = 0x1f;
	p[2] = 0;
}

/* JMPR to before the kernel. */
CARD_TEST(counter_wraps)
{
	put_endless(card);
	set_bits(card_hbm(card) + KERNEL, 151, 32, -32);
	prepare(card, TPC(6), KERNEL, 0);
	wr_settle(card, TPC(6) + EXECUTE, 1);
	assert_int_equal(rd(card, TPC(6) + CAUSE), 1 << 14);
	assert_int_equal(rd(card, TPC(6) + STATUS), IDLE);
	assert_int_equal(sob(card, 0), 0);
	assert_non_null(strstr(card->last_log, "TPC6: program counter beyond "
			       "32 bits at 0x20000000 (0x1fffffe0)"));
}

/* TPC_CMD, bit 6: until GLBL_CFG1 lets the queue go on. */
QUEUE_TEST(command_stops_the_queue, queue_internal(card, TPC_QM(2), 0, RING, 6))
{
	struct cb low = cb_host(card, LOW);

	wr(card, TPC(2) + CMD, 0x3f);
	assert_int_equal(rd(card, TPC_QM(2) + 0x38) >> 16, 0);
	wr(card, TPC(2) + CMD, 0x40);
	assert_int_equal(rd(card, TPC_QM(2) + 0x38) >> 16, 0x3fff);
	assert_int_equal(rd(card, TPC_QM(2) + 4), 0x3fff);
	put_msg_long(&low, CFG + SM_E_N + SOB(1), 7);
	queue_run_lower(card, &q, &low);
	assert_int_equal(sob(card, 1), 0);
	wr_settle(card, TPC_QM(2) + 4, 0);
	assert_int_equal(sob(card, 1), 7);
}

/* add.u32 S9, -1, 1, and the end: SFLAGS. */
CARD_TEST(flags_after_a_kernel)
{
	uint8_t *p = card_hbm(card) + KERNEL;

	put_kernel(card, 1);
	set_bits(p, 0, 6, 0x02);
	set_bits(p, 6, 7, 1);
	set_bits(p, 13, 7, 127);
	set_bits(p, 20, 7, 9);
	set_bits(p, 27, 4, 3);
	set_bits(p, 151, 32, 1);
	prepare(card, TPC(0), KERNEL, 0);
	wr(card, TPC(0) + SRF(1), 0xffffffff);
	wr_settle(card, TPC(0) + EXECUTE, 1);
	assert_int_equal(rd(card, TPC(0) + VFLAGS), 0);
	assert_int_equal(rd(card, TPC(0) + SFLAGS), 1);
	wr(card, TPC(0) + SRF(1), 5);
	wr_settle(card, TPC(0) + EXECUTE, 1);
	assert_int_equal(rd(card, TPC(0) + SFLAGS), 0);
}

static struct gaudi_tpc_core *core_of(struct card *card, unsigned int n)
{
	return gaudi_tpc_core_of(&card->chip->tpcs->tpc[n]);
}

/* As that of the driver's start-up, which is all that most cards ever run. */
CARD_TEST(core_used_once_takes_no_memory)
{
	unsigned int round;

	put_kernel(card, 20);
	prepare(card, TPC(0), KERNEL, 0);
	for (round = 0; round < 2; round++) {
		wr_settle(card, TPC(0) + EXECUTE, 1);
		assert_null(core_of(card, 0));
		wr_settle(card, TPC(0) + EXECUTE, 1);
		assert_non_null(core_of(card, 0));
		gaudi_chip_hard_reset(card->chip);
		card_settle(card);
		put_kernel(card, 20);
		prepare(card, TPC(0), KERNEL, 0);
	}
}

/* What the first kernel leaves in a core the second one finds. */
CARD_TEST(core_with_a_trace_stays)
{
	struct gaudi_tpc_core *core;
	unsigned int n;

	put_kernel(card, 20);
	for (n = 0; n < 4; n++) {
		core = gaudi_tpc_unit_core(card->chip, &card->chip->tpcs->tpc[n]);
		assert_non_null(core);
		switch (n) {
		case 0:
			core->vlm[sizeof(core->vlm) - 1] = 1;
			break;
		case 1:
			core->slm[ARRAY_SIZE(core->slm) - 1] = 1;
			break;
		case 2:
			core->r.lfsr.w[63]++;
			break;
		default:
			core->r.s_lfsr++;
		}
		prepare(card, TPC(n), KERNEL, n);
		wr_settle(card, TPC(n) + EXECUTE, 1);
		assert_int_equal(sob(card, n), 1);
		assert_ptr_equal(core_of(card, n), core);
	}
}

TEST(endless_loop_is_told)
{
	const struct gaudi_config config = {
		.hbm_size = 1ull << 30, .tpc_max_words = 100000,
	};
	struct card *card = card_new(&config, 0);

	put_endless(card);
	prepare(card, TPC(6), KERNEL, 0);
	wr_settle(card, TPC(6) + EXECUTE, 1);
	assert_int_equal(rd(card, TPC(6) + CAUSE), 1 << 12);
	assert_int_equal(rd(card, TPC(6) + STATUS), IDLE);
	assert_int_equal(sob(card, 0), 0);
	assert_non_null(strstr(card->last_log, "TPC6: no end after "));
	assert_non_null(strstr(card->last_log, "0x20000000"));
	card_free(card);
}

/* udiv_4step.u32 31 Z4, S1, where S1 is 0; once more, and the end. */
static void put_division(struct card *card)
{
	uint8_t *p = card_hbm(card) + KERNEL;
	unsigned int i;

	put_kernel(card, 2);
	for (i = 0; i < 2; i++, p += 32) {
		set_bits(p, 0, 6, 0x28);
		set_bits(p, 6, 7, 1);
		set_bits(p, 20, 7, 4);
		set_bits(p, 27, 4, 3);
		set_bits(p, 36, 5, 31);
	}
}

/* Told once, unless masked; the kernel goes on. */
CARD_TEST(division_by_zero)
{
	put_division(card);
	prepare(card, TPC(2), KERNEL, 0);
	/* As drivers have it: no arithmetic, no error of the queue. */
	wr(card, TPC(2) + MASK, 0x8ffe);
	wr_settle(card, TPC(2) + EXECUTE, 1);
	assert_int_equal(rd(card, TPC(2) + CAUSE), 0);
	assert_int_equal(card->logs[GAUDI_LOG_GUEST_ERROR], 0);
	assert_int_equal(sob(card, 0), 1);
	wr(card, TPC(2) + MASK, 0x8ffc);
	wr_settle(card, TPC(2) + EXECUTE, 1);
	assert_int_equal(rd(card, TPC(2) + CAUSE), 1 << 1);
	assert_int_equal(card->logs[GAUDI_LOG_GUEST_ERROR], 1);
	assert_non_null(strstr(card->last_log, "TPC2: arithmetic, causes 0x2"));
	assert_int_equal(sob(card, 0), 2);
	/* It is there already. */
	wr_settle(card, TPC(2) + EXECUTE, 1);
	assert_int_equal(card->logs[GAUDI_LOG_GUEST_ERROR], 1);
	assert_int_equal(sob(card, 0), 3);
	wr(card, TPC(2) + CAUSE, 0);
	wr_settle(card, TPC(2) + EXECUTE, 1);
	assert_int_equal(rd(card, TPC(2) + CAUSE), 1 << 1);
}

/* ld_l mmio, or st_l mmio, of an offset that is in no TPC's block. */
CARD_TEST(registers_from_nowhere)
{
	uint8_t *p = card_hbm(card) + KERNEL;
	unsigned int write;

	for (write = 0; write < 2; write++) {
		put_kernel(card, 1);
		if (write) {
			set_bits(p, 140, 5, 0x05);
			set_bits(p, 124, 8, 127);
			set_bits(p, 132, 8, 1);
			set_bits(p, 65, 8, 64 + 1);
		} else {
			set_bits(p, 119, 5, 0x0b);
			set_bits(p, 103, 8, 127);
			set_bits(p, 73, 9, 1);
			set_bits(p, 111, 8, 64 + 1);
		}
		set_bits(p, 151, 32, 0x2000);
		prepare(card, TPC(1), KERNEL, 0);
		wr(card, TPC(1) + CAUSE, 0);
		wr_settle(card, TPC(1) + EXECUTE, 1);
		assert_int_equal(rd(card, TPC(1) + CAUSE), 1 << (18 + write));
		assert_int_equal(sob(card, 0), 0);
	}
}

/* HALT beside a store that fails: the end is not signalled. */
CARD_TEST(halt_and_a_failure)
{
	uint8_t *p = card_hbm(card) + KERNEL;

	put_kernel(card, 0);
	set_bits(p, 140, 5, 0x05);
	set_bits(p, 124, 8, 127);
	set_bits(p, 132, 8, 0);
	set_bits(p, 65, 8, 64 + 1);
	set_bits(p, 151, 32, 0x400);	/* the end of the local memory */
	prepare(card, TPC(1), KERNEL, 0);
	wr_settle(card, TPC(1) + EXECUTE, 1);
	assert_int_equal(rd(card, TPC(1) + CAUSE), 1);
	assert_int_equal(sob(card, 0), 0);
	set_bits(p, 151, 32, 0x3fc);
	wr_settle(card, TPC(1) + EXECUTE, 1);
	assert_int_equal(sob(card, 0), 1);
}

/* fclass.f32 and fclass.i32 S9, S1: the second one is told apart. */
CARD_TEST(guesses_are_reported)
{
	uint8_t *p = card_hbm(card) + KERNEL;
	unsigned int i;

	put_kernel(card, 2);
	for (i = 0; i < 2; i++, p += 32) {
		set_bits(p, 0, 6, 0x1e);
		set_bits(p, 6, 7, 1);
		set_bits(p, 20, 7, 9);
		set_bits(p, 27, 4, i ? 2 : 0);
	}
	prepare(card, TPC(0), KERNEL, 0);
	wr_settle(card, TPC(0) + EXECUTE, 1);
	assert_int_equal(sob(card, 0), 1);
	card_used(card, "TPC SPU fclass", "exact");
	card_used(card, "TPC SPU fclass of other types", "approximate");
}

/*
 * Words that the assembler takes and that have no meaning: the kernel ends with
 * the cause of an illegal instruction, and log and report tell which one it was.
 */
CARD_TEST(refused_by_name)
{
	static const struct {
		const char *name;
		bool vpu;
		uint8_t opcode, type;
	} ops[] = {
		{ "TPC SPU extract_exp.i8", false, 0x1d, 4 },
		{ "TPC SPU extract_exp.u8", false, 0x1d, 5 },
		{ "TPC VPU extract_exp.i8", true, 0x1d, 4 },
		{ "TPC VPU extract_exp.u8", true, 0x1d, 5 },
		{ "TPC SPU fclass.i8", false, 0x1e, 4 },
		{ "TPC SPU fclass.u8", false, 0x1e, 5 },
		{ "TPC VPU fclass.i8", true, 0x1e, 4 },
		{ "TPC VPU fclass.u8", true, 0x1e, 5 },
		{ "TPC VPU convert_uint8", true, 0x36, 0 },
	};
	char text[200];
	size_t i;

	prepare(card, TPC(5), KERNEL, 0);
	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++) {
		put_kernel(card, 3);
		set_bits(card_hbm(card) + KERNEL + 64, ops[i].vpu ? 43 : 0, 6,
			 ops[i].opcode);
		set_bits(card_hbm(card) + KERNEL + 64, ops[i].vpu ? 93 : 27, 4,
			 ops[i].type);
		wr(card, TPC(5) + CAUSE, 0);
		wr_settle(card, TPC(5) + EXECUTE, 1);
		assert_int_equal(rd(card, TPC(5) + CAUSE), 1 << 13);
		assert_int_equal(rd(card, TPC(5) + STATUS), IDLE);
		snprintf(text, sizeof(text), "TPC5: illegal instruction at "
			 "0x20000040: %s", ops[i].name);
		assert_string_equal(card->last_log, text);
	}
	assert_int_equal(sob(card, 0), 0);
	for (i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		card_used(card, ops[i].name, "unimplemented");
}

/* It goes on for minutes, but not beyond a reset. */
TEST(reset_ends_a_loop)
{
	struct card *card = card_new(NULL, 2);

	put_endless(card);
	prepare(card, TPC(7), KERNEL, 0);
	wr(card, TPC(7) + EXECUTE, 1);
	assert_int_equal(rd(card, TPC(7) + STATUS) & 0x40, 0);
	gaudi_chip_hard_reset(card->chip);
	assert_int_equal(rd(card, TPC(7) + STATUS), IDLE);
	put_kernel(card, 3);
	prepare(card, TPC(7), KERNEL, 0);
	wr_settle(card, TPC(7) + EXECUTE, 1);
	assert_int_equal(sob(card, 0), 1);
	card_free(card);
}

/* Whoever launches it need not wake a worker, unless it goes on. */
TEST(short_kernel_ends_in_the_host_s_thread)
{
	struct card *card = card_new(NULL, 2);
	const struct gaudi_actor *actor = &card->chip->tpcs->tpc[3].actor;
	unsigned int launches = 0;

	put_kernel(card, 10);
	prepare(card, TPC(3), KERNEL, 0);
	/* A worker that has not let go of the card yet takes it. */
	do
		wr_settle(card, TPC(3) + EXECUTE, 1);
	while (++launches < 1000 && !pthread_equal(actor->thread, pthread_self()));
	assert_true(pthread_equal(actor->thread, pthread_self()));
	put_kernel(card, 5000);
	wr_settle(card, TPC(3) + EXECUTE, 1);
	assert_false(pthread_equal(actor->thread, pthread_self()));
	assert_int_equal(sob(card, 0), launches + 1);
	card_free(card);
}
