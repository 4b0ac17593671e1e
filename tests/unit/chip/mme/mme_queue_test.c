// SPDX-License-Identifier: GPL-2.0-only
/*
 * The matrix engines as queues and drivers see them: descriptors through a
 * QMAN, shadows, status, sync objects, stalls, errors; and what goes from one
 * descriptor to the next.
 */
#include "mme_gen.h"
#include "../../../../qemu-device/chip/core/core.h"

#define RING	0x10000
#define CBUF	0x100000
#define LOW	0x110000
#define A_AT	(USER_HBM + 0x00000)
#define B_AT	(USER_HBM + 0x10000)
#define C_AT	(USER_HBM + 0x20000)
#define NOT_HBM	0x1000000000ull
#define BIG	0x7fffffff
#define FENCE_1_LOW 0x32c	/* of the lower CP */
#define SHADOW(n) (0x400 + 0x280 * (n))

#define M	5
#define N	70	/* both cores work */
#define K	11

static const struct mme_product sizes = { A_AT, B_AT, C_AT, M, N, K };

/* By one pair, of the first k steps; signals SOBs 0 and 1. */
static void product(struct mme_desc *d, uint32_t header, uint32_t k)
{
	mme_product_desc(d, &sizes, header, k, 0);
}

static void inputs(struct card *card)
{
	mme_product_inputs(card, &sizes, 1);
}

/* The product that check() expects, of inputs that are put there. */
static struct mme_desc prepared(struct card *card)
{
	struct mme_desc d;

	inputs(card);
	product(&d, STORE, K);
	return d;
}

static float want(struct card *card, unsigned int i, unsigned int j)
{
	uint8_t *hbm = card_hbm(card);
	struct mme_sum s = { { 0 } };
	unsigned int k;

	for (k = 0; k < K; k++)
		mme_add(&s, mme_get(hbm + A_AT, i * K + k, false),
			mme_get(hbm + B_AT, k * N + j, false));
	return mme_result(&s, false, true);
}

static void check_at(struct card *card, const uint8_t *c)
{
	unsigned int i, j;
	float is, should;

	for (i = 0; i < M; i++)
		for (j = 0; j < N; j++) {
			is = mme_get(c, i * N + j, true);
			should = want(card, i, j);
			assert_memory_equal(&is, &should, 4);
		}
}

static void check(struct card *card)
{
	check_at(card, card_hbm(card) + C_AT);
}

/* --- queues --------------------------------------------------------------- */

/* WREG_BULK of all 136 words, then CMD. */
static void put_desc(struct cb *cb, const struct mme_desc *d)
{
	unsigned int i;

	put_packet(cb, 68, 0x02000000 | 0x0008 << 8);
	for (i = 0; i < 136; i++)
		put32(cb, d->word[i]);
	put_wreg(cb, MME_CMD, 1);
}

static void by_queue(struct card *card, uint32_t qm, unsigned int sobs)
{
	struct queue q = queue_internal(card, qm, 0, RING, 6);
	const uint32_t stall = qm - MME_QM0 + MME_SBAB(0) + 0x2c;
	struct cb low = cb_host(card, LOW);
	struct mme_desc d = prepared(card);

	put_desc(&low, &d);
	/* the next one differs in where it goes to only */
	put_wreg(&low, 0x1c, (uint32_t)C_AT + 0x10000);
	put_wreg(&low, MME_CMD, 1);
	/* an engine barrier waits for both */
	put_msg_long(&low, CFG + SM_E_N + SOB(9), 0x80000001);
	low.at[low.len - 16 + 7] |= EB >> 24;
	wr(card, stall, 1);
	queue_run_lower(card, &q, &low);
	assert_int_equal(sob(card, 9), sobs / 2);
	wr_settle(card, stall, 0);
	assert_int_equal(sts1(card, &q, 4), 0);
	check(card);
	check_at(card, card_hbm(card) + C_AT + 0x10000);
	assert_int_equal(sob(card, 0), sobs + 2);
	assert_int_equal(sob(card, 1), sobs + 2);
	assert_int_equal(sob(card, 9), sobs / 2 + 1);
}

CARD_TEST(descriptors_by_queue)
{
	by_queue(card, MME_QM0, 0);
	by_queue(card, MME_QM2, 2);
}

QUEUE_TEST(queue_waits_for_a_shadow, queue_internal(card, MME_QM2, 0, RING, 6))
{
	struct cb low = cb_host(card, LOW);
	struct mme_desc d = prepared(card);
	unsigned int i;

	put_desc(&low, &d);
	for (i = 1; i < 7; i++) {
		put_wreg(&low, 0x1c, (uint32_t)C_AT + 0x10000 * i);
		put_wreg(&low, MME_CMD, 1);
	}
	put_msg_long(&low, CFG + SM_E_N + SOB(9), 7);
	low.at[low.len - 16 + 7] |= EB >> 24;
	wr(card, MME_ACC(3) + 0x28, 1);
	queue_run_lower(card, &q, &low);
	/* four are in flight, of which none has worked */
	assert_int_equal(sob(card, 0), 0);
	assert_int_equal(rd(card, MME(2) + MME_CAUSE), 0);
	for (i = 0; i < 4; i++) {
		assert_int_equal(rd(card, MME(2) + SHADOW(i)), 1);
		assert_int_equal(rd(card, MME(2) + SHADOW(i) + 0x1c),
				 (uint32_t)C_AT + 0x10000 * i);
	}
	/* master and slave are busy: 7, 8, 12; no room: 31. Others are not. */
	assert_int_equal(rd(card, MME(2)) & 0x80001180, 0);
	assert_int_equal(rd(card, MME(3)) & 0x80001180, 0);
	assert_int_equal(rd(card, MME(0)), MME_IDLE_STATUS);
	wr_settle(card, MME_ACC(3) + 0x28, 0);
	assert_int_equal(sob(card, 0), 7);
	assert_int_equal(sob(card, 9), 7);
	assert_int_equal(rd(card, MME(2)), MME_IDLE_STATUS);
	assert_int_equal(rd(card, MME(3)), MME_IDLE_STATUS);
	for (i = 0; i < 7; i++)
		check_at(card, card_hbm(card) + C_AT + 0x10000 * i);
	/* what is looked at cannot be changed */
	wr(card, MME(2) + SHADOW(1) + 0x1c, 5);
	assert_int_not_equal(rd(card, MME(2) + SHADOW(1) + 0x1c), 5);
}

/* --- what was read before ------------------------------------------------- */

static void put_next(struct cb *cb, uint32_t to)
{
	put_wreg(cb, 0x1c, to);
	put_wreg(cb, MME_CMD, 1);
}

static void wanted(struct card *card, float *c)
{
	unsigned int i;

	for (i = 0; i < M * N; i++)
		c[i] = want(card, i / N, i % N);
}

static void other_inputs(struct card *card)
{
	uint32_t seed = 77;
	unsigned int i;

	for (i = 0; i < M * K; i++)
		mme_put(card_hbm(card) + A_AT, i, false, mme_number(&seed));
}

/* The third one need not pack A again; the fifth must. */
QUEUE_TEST(operands_that_an_output_replaces,
	   queue_internal(card, MME_QM2, 0, RING, 6))
{
	struct cb low = cb_host(card, LOW);
	uint8_t *c = card_hbm(card) + C_AT;
	float before[M * N];
	struct mme_desc d;
	unsigned int i;

	inputs(card);
	wanted(card, before);
	product(&d, STORE, K);
	put_desc(&low, &d);
	put_next(&low, C_AT + 0x10000);
	put_next(&low, C_AT + 0x20000);
	put_next(&low, A_AT);
	put_next(&low, C_AT + 0x30000);
	queue_run_lower(card, &q, &low);
	card_settle(card);
	for (i = 0; i < 3; i++)
		assert_memory_equal(c + 0x10000 * i, before, sizeof(before));
	assert_memory_equal(card_hbm(card) + A_AT, before, sizeof(before));
	check_at(card, c + 0x30000);
}

/* After a fence, and in another buffer, the operands may be other ones. */
JOB_TEST(operands_that_change_meanwhile,
	 queue_internal(card, MME_QM2, 0, RING, 6))
{
	struct cb low = cb_host(card, LOW);
	uint8_t *c = card_hbm(card) + C_AT;
	struct mme_desc d = prepared(card);
	unsigned int i;

	put_desc(&low, &d);
	put_next(&low, C_AT + 0x10000);
	put_next(&low, C_AT + 0x20000);
	put_fence(&low, 1, 1, 1);
	put_next(&low, C_AT + 0x30000);
	put_next(&low, C_AT + 0x40000);
	put_cp_dma(&cb, low.addr, low.len);
	queue_run(card, &q, &cb);
	for (i = 0; i < 3; i++)
		check_at(card, c + 0x10000 * i);
	other_inputs(card);
	wr_settle(card, MME_QM2 + FENCE_1_LOW, 1);
	check_at(card, c + 0x30000);
	check_at(card, c + 0x40000);
	/* buffers without any other packet */
	for (i = 0; i < 2; i++) {
		cb = cb_host(card, CBUF + 0x1000 * (i + 1));
		put_next(&cb, C_AT + 0x10000);
		put_next(&cb, C_AT);
		queue_run(card, &q, &cb);
		check(card);
		inputs(card);
	}
	/* and a program that writes the registers by hand waits as it likes */
	other_inputs(card);
	wr_settle(card, MME(2) + MME_CMD, 1);
	check(card);
}

CARD_TEST(one_too_many_is_dropped)
{
	struct mme_desc d = prepared(card);
	unsigned int i;

	wr(card, MME_SBAB(0) + 0x2c, 1);
	for (i = 0; i < 4; i++)
		mme_start(card, 0, &d);
	card_settle(card);
	assert_int_equal(rd(card, MME(0) + MME_CAUSE), 0);
	mme_start(card, 0, &d);
	assert_int_equal(rd(card, MME(0) + MME_CAUSE), 8);
	wr_settle(card, MME_SBAB(0) + 0x2c, 0);
	assert_int_equal(sob(card, 0), 4);
	check(card);
}

CARD_TEST(slaves_take_none)
{
	struct mme_desc d = prepared(card);

	mme_run(card, 1, &d);
	assert_int_equal(sob(card, 0), 0);
	assert_non_null(strstr(card->last_log, "MME descriptor of a slave"));
	assert_int_equal(rd(card, MME(1)), MME_IDLE_STATUS);
}

CARD_TEST(every_tile_is_signalled)
{
	struct mme_desc d = prepared(card);

	mme_loop(&d, 0, 3, 5, 5, 5);
	*mme_at(&d, 0x20) &= ~SIGNAL_MASK(0x3fu);
	mme_run(card, 0, &d);
	assert_int_equal(sob(card, 0), 3);
	assert_int_equal(sob(card, 1), 3);
	check(card);
}

/* --- errors --------------------------------------------------------------- */

static void expect_no_result(struct card *card, struct mme_desc *d,
			     uint32_t cause, const char *name)
{
	struct mme_desc good;
	uint32_t was = sob(card, 0);

	mme_run(card, 0, d);
	assert_int_equal(sob(card, 0), was);
	assert_int_equal(rd(card, MME(0) + MME_CAUSE), cause);
	assert_int_equal(rd(card, MME(0)), MME_IDLE_STATUS);
	if (!strstr(card->last_log, name))
		fail_msg("'%s' says nothing of '%s'", card->last_log, name);
	wr(card, MME(0) + MME_CAUSE, 0);
	/* the engine is none the worse */
	inputs(card);
	product(&good, STORE, K);
	mme_run(card, 0, &good);
	assert_int_equal(sob(card, 0), was + 1);
	check(card);
}

CARD_TEST(addresses_that_nobody_answers)
{
	struct mme_desc d;

	product(&d, STORE, K);
	mme_base(&d, L, NOT_HBM);
	expect_no_result(card, &d, 2, "read error");
	product(&d, STORE, K);
	mme_base(&d, O, NOT_HBM);
	expect_no_result(card, &d, 4, "write error");
	/* beyond the end of HBM, by a stride that nobody meant */
	product(&d, STORE, K);
	mme_dim(&d, S, 1, 0xffffffff, 0xffffffff, 0, 0x70000000);
	mme_dim(&d, S, 2, 1, 1, 0, 1);
	mme_base(&d, S, 0x3fff0000);
	expect_no_result(card, &d, 2, "read error");
}

CARD_TEST(descriptors_that_make_no_sense)
{
	struct mme_desc d;

	product(&d, STORE, K);
	mme_rows(&d, L, K + 1);
	expect_no_result(card, &d, 1, "common dimensions that differ");
	product(&d, STORE, K);
	mme_loop(&d, 2, 3, 5, 5, 5);
	mme_repeat(&d, S, 1, 4);
	expect_no_result(card, &d, 1, "loops that do not match");
	product(&d, STORE, K);
	mme_loop(&d, 1, 2, 6, 5, 5);
	expect_no_result(card, &d, 1, "dimension above 5");
	product(&d, STORE, K);
	mme_rows(&d, O, 65);
	expect_no_result(card, &d, 1, "more rows than the array");
	product(&d, STORE, K);
	mme_dim(&d, S, 0, K, 0, 0, 0);
	expect_no_result(card, &d, 1, "no width");
	product(&d, STORE, K);
	/* first, and steady, though it does not come to that */
	*mme_at(&d, 0x1ec) = 1 | 4 << 1;
	expect_no_result(card, &d, 1, "unknown type");
	*mme_at(&d, 0x1ec) = (1 | 5 << 1) << 9;
	expect_no_result(card, &d, 1, "unknown type");
	/* rows of 70 elements of two bytes from an odd one on */
	product(&d, STORE, K);
	*mme_at(&d, 0x20) &= ~OUT_FP32;
	*mme_at(&d, 0x1ec) = (1 | 7 << 1) * 0x201;
	mme_base(&d, O, C_AT + 2);
	expect_no_result(card, &d, 1, "part of an element");
	mme_base(&d, O, C_AT);
	mme_dim(&d, O, 0, N - 1, N, 0, 0);
	expect_no_result(card, &d, 1, "part of an element");
}

static uint32_t rung;

static void ring(struct gaudi_chip *chip, uint32_t spi)
{
	(void)chip;
	rung = spi;
}

/* MMEn_WBC_RSP is 99 + 5 n, MMEn_SBAB0_RSP 100 + 5 n, as the driver's table says. */
CARD_TEST(errors_interrupt_the_cpu)
{
	static const struct { unsigned int op, rows, master, spi; } t[] = {
		{ O, 64, 0, 99 }, { O, 64, 2, 109 },
		{ S, 64, 0, 100 }, { L, 64, 2, 110 },
		/* refused */
		{ O, 65, 0, 100 }, { O, 65, 2, 110 },
	};
	struct mme_desc d;
	unsigned int i;

	card->chip->spi = ring;
	for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		product(&d, STORE, K);
		mme_base(&d, t[i].op, NOT_HBM);
		mme_rows(&d, O, t[i].rows);
		mme_run(card, t[i].master, &d);
		assert_int_equal(rung, t[i].spi);
	}
}

/* One that would run for centuries. */
static void endless(struct mme_desc *d)
{
	product(d, STORE, K);
	mme_loop(d, 0, 256, 5, 5, 5);
	mme_loop(d, 1, 256, 5, 5, 5);
	mme_loop(d, 4, 0xffffffff, 5, 5, 5);
}

CARD_TEST(reset_ends_all)
{
	struct mme_desc d;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		inputs(card);
		endless(&d);
		mme_start(card, 0, &d);
		gaudi_chip_run_some(card->chip, 20);
		assert_int_equal(rd(card, MME(0)) & 0x1180, 0);
		if (i)
			wr(card, MME(0) + 0x288, 1);
		else
			gaudi_chip_hard_reset(card->chip);
		assert_int_equal(rd(card, MME(0)), MME_IDLE_STATUS);
		card_settle(card);
		assert_int_equal(sob(card, 0), 0);
	}
	product(&d, STORE, K);
	mme_run(card, 0, &d);
	check(card);
}

/* The same while threads are at it; stalls and other descriptors meanwhile. */
TEST(reset_ends_what_threads_do)
{
	struct gaudi_config config = { .hbm_size = 1ull << 30 };
	struct card *card = card_new(&config, 2);
	struct mme_desc d, other;
	unsigned int i;

	for (i = 0; i < 6; i++) {
		inputs(card);
		endless(&d);
		/* Each thread has a result of its own. */
		other = d;
		mme_base(&other, O, C_AT + 0x10000);
		mme_start(card, 0, &d);
		mme_start(card, 2, &other);
		wr(card, MME_ACC(1) + 0x28, 1);
		wr(card, MME_ACC(1) + 0x28, 0);
		mme_start(card, 0, &d);
		assert_int_equal(rd(card, MME(0)) & 0x1180, 0);
		if (i % 2) {
			wr(card, MME(0) + 0x288, 1);
			wr(card, MME(2) + 0x288, 1);
		} else {
			gaudi_chip_hard_reset(card->chip);
		}
		assert_true(gaudi_chip_wait_idle(card->chip, 60000));
		assert_int_equal(rd(card, MME(0)), MME_IDLE_STATUS);
		assert_int_equal(rd(card, MME(3)), MME_IDLE_STATUS);
		assert_int_equal(sob(card, 0), 0);
	}
	inputs(card);
	product(&d, STORE, K);
	mme_start(card, 2, &d);
	assert_true(gaudi_chip_wait_idle(card->chip, 60000));
	assert_int_equal(sob(card, 0), 1);
	check(card);
	card_free(card);
}

/* --- memory --------------------------------------------------------------- */

CARD_TEST(operands_in_host_memory)
{
	uint8_t *hbm = card_hbm(card);
	struct mme_desc d;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		wr(card, MME_SBAB(i) + 0x34, 1 << 10);
		wr(card, MME_SBAB(i) + 0x38, 1 << 10);
		wr(card, MME_ACC(i) + 0x38, 1 << 10);
	}
	inputs(card);
	/* an odd address, over pages */
	memcpy(card->ram + 0xff1, hbm + A_AT, M * K * 2);
	memcpy(card->ram + 0x3ff1, hbm + B_AT, K * N * 2);
	product(&d, STORE, K);
	mme_base(&d, S, ram_dev(0xff1));
	mme_base(&d, L, ram_dev(0x3ff1));
	mme_base(&d, O, ram_dev(0x7ff4));
	mme_run(card, 0, &d);
	assert_int_equal(sob(card, 0), 1);
	check_at(card, card->ram + 0x7ff4);
}

/* All reads are padding: no memory is read, zeros are written. */
CARD_TEST(memset_of_the_output)
{
	uint8_t *c = card_hbm(card) + C_AT;
	struct mme_desc d = prepared(card);
	unsigned int i;

	for (i = 0; i < 5; i++) {
		*mme_at(&d, 0x3c + 4 * i) = 0;
		*mme_at(&d, 0xac + 4 * i) = 0;
	}
	mme_base(&d, S, NOT_HBM);
	mme_base(&d, L, NOT_HBM);
	mme_run(card, 0, &d);
	assert_int_equal(sob(card, 1), 1);
	for (i = 0; i < M * N * 4; i++)
		assert_int_equal(c[i], 0);
}

CARD_TEST(padding_is_a_value)
{
	uint8_t *hbm = card_hbm(card);
	struct mme_desc d = prepared(card);
	float sum = 0, is;
	unsigned int k;

	/* S is 1.5 everywhere */
	*mme_at(&d, 0x3c) = 0;
	*mme_at(&d, 0x204) = 0x3fc03fc0;
	mme_run(card, 0, &d);
	for (k = 0; k < K; k++)
		sum += 1.5f * mme_get(hbm + B_AT, k * N + 3, false);
	is = mme_get(hbm + C_AT, 2 * N + 3, true);
	assert_true(is - sum < 1e-3 && sum - is < 1e-3 && is != 0);
}

CARD_TEST(reduction)
{
	uint8_t *c = card_hbm(card) + C_AT;
	struct mme_desc d = prepared(card);
	unsigned int i;
	float is;

	for (i = 0; i < M * N; i++)
		mme_put(c, i, true, 0);
	/* add fp32, in first and steady */
	*mme_at(&d, 0x1ec) = (1 | 7 << 1) * 0x201;
	for (i = 0; i < 2; i++)
		mme_start(card, 0, &d);
	card_settle(card);
	assert_int_equal(rd(card, MME(0) + MME_CAUSE), 0);
	for (i = 0; i < M * N; i++) {
		is = mme_get(c, i, true);
		mme_put(c, i, true, is / 2);
	}
	check(card);
	/* bf16 as bf16 and, which alone is reported, fp32 as bf16 */
	*mme_at(&d, 0x1ec) = (1 | 6 << 1) * 0x201;
	for (i = 0; i < 2; i++) {
		*mme_at(&d, 0x20) ^= OUT_FP32;
		mme_run(card, 0, &d);
	}
	card_used(card, "MME reduction in another type than the output's",
		  "approximate");
	/* registers do not reduce */
	mme_base(&d, O, CFG + SM_E_N + SOB(100));
	mme_run(card, 0, &d);
	assert_int_equal(rd(card, MME(0) + MME_CAUSE), 1);
}

/* Reference: the sum as s32, else of each byte, whatever the bytes mean. */
static uint32_t reduced(bool words, uint32_t mem, uint32_t data)
{
	uint32_t sum = 0, i;

	for (i = 0; i < 32; i += 8)
		sum |= (((mem >> i) + (data >> i)) & 0xff) << i;
	return words ? mem + data : sum;
}

/* fp32 or bf16 products as s8 or s32, added to other numbers */
static void reduce_as(struct card *card, bool words, bool bf16)
{
	uint32_t *c = (uint32_t *)(card_hbm(card) + C_AT), plain[M * N], i;
	uint32_t all = bf16 ? M * N / 2 : M * N, type = words ? 2 : 0;
	struct mme_desc d = prepared(card);

	if (bf16)
		*mme_at(&d, 0x20) &= ~OUT_FP32;
	mme_run(card, 0, &d);
	memcpy(plain, c, sizeof(plain));
	for (i = 0; i < M * N; i++)
		c[i] = i * 0x9e3779b1;
	*mme_at(&d, 0x1ec) = (1 | type << 1) * 0x201;
	mme_run(card, 0, &d);
	assert_int_equal(rd(card, MME(0) + MME_CAUSE), 0);
	for (i = 0; i < M * N; i++)
		assert_int_equal(c[i], i >= all ? i * 0x9e3779b1 :
				 reduced(words, i * 0x9e3779b1, plain[i]));
}

/* The memory knows bytes and the type of the reduction, not the engine's. */
CARD_TEST(reduction_in_another_type)
{
	struct gaudi_config config = { .hbm_size = 1ull << 30, .mme = 1 };
	struct card *spec = card_new(&config, 0);
	unsigned int i;

	for (i = 0; i < 8; i++)
		reduce_as(i & 4 ? spec : card, i & 1, i & 2);
	card_free(spec);
}

/* Zeros of both signs, rounded down, are -0; the engine adds +0 to it. */
CARD_TEST(no_sum_is_minus_zero)
{
	struct gaudi_config config = { .hbm_size = 1ull << 30, .mme = 1 };
	struct card *cards[] = { card, card_new(&config, 0) };
	struct mme_desc d;
	unsigned int i, n;

	for (n = 0; n < 2; n++) {
		d = prepared(cards[n]);
		*mme_at(&d, 0x20) |= ROUNDING(3);
		memset(card_hbm(cards[n]) + A_AT, 0, M * K * 2);
		mme_run(cards[n], 0, &d);
		for (i = 0; i < M * N * 4; i++)
			assert_int_equal(card_hbm(cards[n])[C_AT + i], 0);
	}
	card_free(cards[1]);
}

/* --- from one descriptor to the next ---------------------------------------- */

static void second_half(struct mme_desc *d, uint32_t header, uint32_t from)
{
	product(d, header, K - from);
	mme_base(d, S, A_AT + 2 * from);
	mme_base(d, L, B_AT + 2 * from * N);
}

/*
 * The sums stay in the array: the same bits as without a break. Nothing is stored,
 * whatever STORE and the output say.
 */
CARD_TEST(partial_sums)
{
	struct mme_desc d;
	unsigned int from;

	for (from = 1; from < K; from++) {
		inputs(card);
		product(&d, KEEP_PARTIAL | STORE, from);
		mme_base(&d, O, NOT_HBM);
		mme_rows(&d, O, 65);
		mme_start(card, 2, &d);
		second_half(&d, STORE, from);
		mme_run(card, 2, &d);
		assert_int_equal(sob(card, 0), from);
		check(card);
	}
}

/* No fact: the model drops sums of an array of another side. */
CARD_TEST(partial_sums_of_another_type)
{
	struct mme_desc d;

	inputs(card);
	product(&d, KEEP_PARTIAL | IN_FP32, 3);
	mme_start(card, 0, &d);
	product(&d, STORE, K);
	mme_run(card, 0, &d);
	check(card);
}

/* Two parts are rolled up and added. */
CARD_TEST(accumulators)
{
	uint8_t *hbm = card_hbm(card);
	struct mme_sum part[2];
	struct mme_desc d;
	unsigned int i, j, k;
	float is, should;

	inputs(card);
	/* the pointer returns to the tile: 16 - 1 more */
	product(&d, ROLL(15), 4);
	mme_start(card, 0, &d);
	second_half(&d, STORE | ACCUM, 4);
	mme_run(card, 0, &d);
	assert_int_equal(sob(card, 0), 2);
	for (i = 0; i < M; i++)
		for (j = 0; j < N; j++) {
			memset(part, 0, sizeof(part));
			for (k = 0; k < K; k++)
				mme_add(&part[k >= 4],
					mme_get(hbm + A_AT, i * K + k, false),
					mme_get(hbm + B_AT, k * N + j, false));
			should = mme_result(&part[0], false, true) +
				 mme_result(&part[1], false, true);
			is = mme_get(hbm + C_AT, i * N + j, true);
			assert_memory_equal(&is, &should, 4);
		}
}

/* --- operands that stay ----------------------------------------------------- */

/* Without LOAD what the descriptor says of an operand means nothing. */
static void keep(struct mme_desc *d, unsigned int op)
{
	unsigned int i;

	*mme_at(d, 0x1d4) &= ~(1u << 14 << 16 * op);
	mme_base(d, op, NOT_HBM);
	for (i = 0; i < 5; i++)
		mme_dim(d, op, i, 0, 0, 77, 3);
}

CARD_TEST(kept_operands)
{
	struct mme_desc d;
	unsigned int op, i, was;

	product(&d, STORE, K);
	keep(&d, S);
	expect_no_result(card, &d, 1, "none was loaded before");
	inputs(card);
	was = sob(card, 0);
	for (op = S; op <= L; op++) {
		product(&d, STORE, K);
		mme_repeat(&d, op, 5, 0);
		mme_start(card, 0, &d);
		keep(&d, op);
		mme_repeat(&d, op ^ 1, 4, 0);
		mme_base(&d, O, C_AT + 0x10000);
		mme_start(card, 0, &d);
		/* three tiles of the same operands */
		keep(&d, op ^ 1);
		mme_base(&d, O, C_AT + 0x20000);
		mme_loop(&d, 2, 3, 3, 4, 2);
		mme_dim(&d, O, 2, 3 * 0x4000, BIG, 0x4000, 0);
		mme_run(card, 0, &d);
		assert_int_equal(rd(card, MME(0) + MME_CAUSE), 0);
		for (i = 0; i < 5; i++)
			check_at(card, card_hbm(card) + C_AT + 0x10000 * i);
		memset(card_hbm(card) + C_AT, 0xff, 0x50000);
	}
	assert_int_equal(sob(card, 0), was + 6);
	product(&d, STORE | IN_FP32, K);
	mme_rows(&d, O, 32);
	keep(&d, L);
	expect_no_result(card, &d, 1, "kept as another type");
}

/* A walk that stores nothing may say how far it goes; nobody goes there. */
CARD_TEST(walks_that_store_nothing)
{
	struct mme_desc d;

	inputs(card);
	product(&d, ADVANCE(O), K);
	mme_rows(&d, O, 0);
	mme_loop(&d, 4, 2, 5, 5, 5);
	mme_loop(&d, 5, 64, 5, 5, 5);
	mme_run(card, 0, &d);
	assert_int_equal(rd(card, MME(0) + MME_CAUSE), 0);
	assert_int_equal(sob(card, 0), 1);
}
