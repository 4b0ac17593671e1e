// SPDX-License-Identifier: GPL-2.0-only
/*
 * Indices of queues and completion queues, at their ends and over them. The
 * card is played by the test: it writes completions into the ring.
 */
#include <kunit/test-bug.h>
#include <linux/io.h>
#include <linux/random.h>

#include "../../queues/gaudi_queue.h"
#include "../gaudi_kunit.h"

#define EXT		GAUDI_QUEUE_ID_DMA_0_1	/* stream 1 of DMA 0 */
#define EXT_PI		(0x508000 + 0xa0 + 4)	/* its doorbell */
#define INT		GAUDI_QUEUE_ID_TPC_3_2
#define INT_PI		(0xe08000 + 3 * 0x40000 + 0xa0 + 8)

struct queue_test {
	struct gaudi_device *gdev;
	u64 cq_base;			/* address of completion slot 0 */
	unsigned long done;		/* cookies that came back, in order */
	unsigned long bad;
};

/* Cookies count from 1. */
static void gaudi_job_done(struct gaudi_device *gdev, u32 qid, void *cookie)
{
	struct queue_test *qt = kunit_get_current_test()->priv;

	if (qid != EXT || (unsigned long)cookie != qt->done + 1)
		qt->bad++;
	qt->done++;
}

static int gaudi_kunit_queue_init(struct kunit *test)
{
	struct queue_test *qt = kunit_kzalloc(test, sizeof(*qt), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, qt);
	test->priv = qt;
	qt->gdev = gaudi_fake_device(test);
	gaudi_fake_regs(test, qt->gdev);
	return gaudi_queues_init(qt->gdev, gaudi_job_done);
}

static u32 gaudi_room(struct queue_test *qt, u32 qid)
{
	u32 n;

	gaudi_queues_lock(qt->gdev);
	n = gaudi_queue_room(qt->gdev, qid);
	gaudi_queues_unlock(qt->gdev);
	return n;
}

/* Push one, with the lock. Its index as the completion packet would have it. */
static u32 gaudi_add_job(struct kunit *test, u32 qid, unsigned long cookie)
{
	struct queue_test *qt = test->priv;
	u32 value = 0;
	u64 addr = 0;

	if (cookie)
		gaudi_queue_next_completion(qt->gdev, qid, &addr, &value);
	gaudi_queue_push(qt->gdev, qid, 0x1000, 64, (void *)cookie);
	if (!cookie)
		return 0;
	if (!qt->cq_base)
		qt->cq_base = addr;
	/* Ready, and the job's index; its slot is the index around the ring. */
	KUNIT_EXPECT_EQ(test, addr, qt->cq_base + 4 * (value & 0xfff));
	KUNIT_EXPECT_EQ(test, value & 0xc0000000u, 0xc0000000u);
	return value & 0x3fffffff;
}

static u32 gaudi_push(struct kunit *test, u32 qid, unsigned long cookie)
{
	struct queue_test *qt = test->priv;
	u32 index;

	gaudi_queues_lock(qt->gdev);
	index = gaudi_add_job(test, qid, cookie);
	gaudi_queues_unlock(qt->gdev);
	return index;
}

static void gaudi_numbers_of_queues(struct kunit *test)
{
	struct queue_test *qt = test->priv;
	u32 qid, n[4] = { 0 };

	for (qid = 0; qid < 200; qid++) {
		enum gaudi_queue_type type = gaudi_queue_type(qt->gdev, qid);
		u32 len = gaudi_queue_len(qt->gdev, qid);

		n[type]++;
		switch (type) {
		case GAUDI_QUEUE_EXT:
			KUNIT_EXPECT_LT(test, qid, 8);
			KUNIT_EXPECT_EQ(test, len, 4096);
			break;
		case GAUDI_QUEUE_INT:
			KUNIT_EXPECT_TRUE(test, is_power_of_2(len));
			break;
		default:
			KUNIT_EXPECT_EQ(test, len, 0);
		}
		KUNIT_EXPECT_EQ(test, gaudi_room(qt, qid), len);
	}
	KUNIT_EXPECT_EQ(test, n[GAUDI_QUEUE_EXT], 8);
	KUNIT_EXPECT_EQ(test, n[GAUDI_QUEUE_FW], 1);
	/* six DMA cores, two pairs of MMEs, eight TPCs */
	KUNIT_EXPECT_EQ(test, n[GAUDI_QUEUE_INT], 4 * (6 + 2 + 8));
}

/* The doorbell counts to twice the length, entries retire by the CS layer. */
static void gaudi_internal_queue(struct kunit *test)
{
	struct queue_test *qt = test->priv;
	u32 len = gaudi_queue_len(qt->gdev, INT), i, k;

	for (k = 0; k < 5; k++) {
		for (i = 0; i < len; i++) {
			KUNIT_ASSERT_EQ(test, gaudi_room(qt, INT), len - i);
			gaudi_push(test, INT, 0);
			KUNIT_ASSERT_EQ(test, gaudi_fake_reg(qt->gdev, INT_PI),
					(k * len + i + 1) % (2 * len));
		}
		KUNIT_EXPECT_EQ(test, gaudi_room(qt, INT), 0);
		gaudi_queues_lock(qt->gdev);
		gaudi_queue_retire(qt->gdev, INT, len);
		gaudi_queues_unlock(qt->gdev);
	}
	KUNIT_EXPECT_EQ(test, gaudi_room(qt, INT), len);
}

static void gaudi_external_queue(struct kunit *test)
{
	struct queue_test *qt = test->priv;
	unsigned long pushed = 0, ended = 0;
	u32 len = gaudi_queue_len(qt->gdev, EXT), i;
	__le32 *ring = NULL;

	/* Three times around, never knowing how many are in flight. */
	while (pushed < 3ul * len + 7) {
		u32 n = get_random_u32_inclusive(0, gaudi_room(qt, EXT));

		for (i = 0; i < n; i++) {
			u32 index = gaudi_push(test, EXT, ++pushed);

			KUNIT_ASSERT_EQ(test, index, pushed - 1);
			KUNIT_ASSERT_EQ(test, gaudi_fake_reg(qt->gdev, EXT_PI),
					pushed % (2 * len));
		}
		KUNIT_ASSERT_EQ(test, gaudi_room(qt, EXT), len - (pushed - ended));
		if (!qt->cq_base)
			continue;
		if (!ring)
			ring = phys_to_virt(qt->cq_base - GAUDI_HOST_BASE);
		n = get_random_u32_inclusive(0, pushed - ended);
		for (i = 0; i < n; i++, ended++)
			WRITE_ONCE(ring[ended % 4096],
				   cpu_to_le32(0xc0000000 | ended));
		gaudi_queues_handle_cq(qt->gdev);
		KUNIT_ASSERT_EQ(test, qt->done, ended);
		KUNIT_ASSERT_EQ(test, qt->bad, 0);
	}
	/* Nothing new: no job ends twice. */
	gaudi_queues_handle_cq(qt->gdev);
	KUNIT_EXPECT_EQ(test, qt->done, ended);
}

/* The driver's own jobs take no completion slot. */
static void gaudi_jobs_without_completion(struct kunit *test)
{
	struct queue_test *qt = test->priv;
	u32 len = gaudi_queue_len(qt->gdev, EXT);

	gaudi_push(test, EXT, 0);
	KUNIT_EXPECT_EQ(test, gaudi_room(qt, EXT), len - 1);
	KUNIT_EXPECT_EQ(test, gaudi_push(test, EXT, 1), 0);
	gaudi_queue_retire(qt->gdev, EXT, 1);
	KUNIT_EXPECT_EQ(test, gaudi_room(qt, EXT), len - 1);
	gaudi_queues_handle_cq(qt->gdev);
	KUNIT_EXPECT_EQ(test, qt->done, 0);
}

static void gaudi_reset_starts_at_zero(struct kunit *test)
{
	struct queue_test *qt = test->priv;
	u32 len = gaudi_queue_len(qt->gdev, EXT), i;

	for (i = 1; i <= 100; i++)
		gaudi_push(test, EXT, i);
	gaudi_queues_reset(qt->gdev);
	KUNIT_EXPECT_EQ(test, gaudi_room(qt, EXT), len);
	gaudi_queues_handle_cq(qt->gdev);
	KUNIT_EXPECT_EQ(test, qt->done, 0);
	KUNIT_EXPECT_EQ(test, gaudi_push(test, EXT, 1), 0);
	KUNIT_EXPECT_EQ(test, gaudi_fake_reg(qt->gdev, EXT_PI), 1);
}

/* The card completes job n, which counts from 0. */
static void gaudi_card_completes(struct queue_test *qt, u32 n)
{
	__le32 *ring = phys_to_virt(qt->cq_base - GAUDI_HOST_BASE);

	WRITE_ONCE(ring[n % 4096], cpu_to_le32(0xc0000000 | n));
}

/* A completion that was given up and comes one round later ends nothing. */
static void gaudi_former_rounds_end_nothing(struct kunit *test)
{
	struct queue_test *qt = test->priv;
	u32 n;

	for (n = 0; n < 4096; n++) {
		gaudi_push(test, EXT, n + 1);
		gaudi_card_completes(qt, n);
		gaudi_queues_handle_cq(qt->gdev);
	}
	KUNIT_ASSERT_EQ(test, qt->done, 4096);
	gaudi_push(test, EXT, 4097);
	gaudi_card_completes(qt, 0);
	KUNIT_EXPECT_FALSE(test, gaudi_queues_cq_ready(qt->gdev));
	gaudi_queues_handle_cq(qt->gdev);
	KUNIT_EXPECT_EQ(test, qt->done, 4096);
	gaudi_card_completes(qt, 4096);
	gaudi_queues_handle_cq(qt->gdev);
	KUNIT_EXPECT_EQ(test, qt->done, 4097);
	KUNIT_EXPECT_EQ(test, qt->bad, 0);
}

/* A poller ends what completes, and no thread does after the last poll. */
static void gaudi_polled_and_closed(struct kunit *test)
{
	struct queue_test *qt = test->priv;

	KUNIT_EXPECT_FALSE(test, gaudi_queues_polled(qt->gdev));
	KUNIT_EXPECT_FALSE(test, gaudi_queues_cq_ready(qt->gdev));
	gaudi_queues_poll_begin(qt->gdev);
	KUNIT_EXPECT_TRUE(test, gaudi_queues_polled(qt->gdev));
	gaudi_push(test, EXT, 1);
	gaudi_card_completes(qt, 0);
	KUNIT_EXPECT_TRUE(test, gaudi_queues_cq_ready(qt->gdev));
	gaudi_queues_poll_end(qt->gdev);
	KUNIT_EXPECT_FALSE(test, gaudi_queues_polled(qt->gdev));
	KUNIT_EXPECT_FALSE(test, gaudi_queues_cq_ready(qt->gdev));
	KUNIT_EXPECT_EQ(test, qt->done, 1);

	gaudi_push(test, EXT, 2);
	gaudi_push(test, EXT, 3);
	gaudi_push(test, EXT, 4);
	gaudi_card_completes(qt, 1);
	gaudi_queues_poll_begin(qt->gdev);
	gaudi_queues_poll_end(qt->gdev);
	KUNIT_EXPECT_EQ(test, qt->done, 2);
	gaudi_card_completes(qt, 2);
	gaudi_queues_close_cq(qt->gdev);
	KUNIT_EXPECT_EQ(test, qt->done, 3);
	gaudi_card_completes(qt, 3);
	gaudi_queues_handle_cq(qt->gdev);
	gaudi_queues_poll_begin(qt->gdev);
	gaudi_queues_poll_end(qt->gdev);
	KUNIT_EXPECT_EQ(test, qt->done, 3);
	KUNIT_EXPECT_EQ(test, qt->bad, 0);

	gaudi_queues_reset(qt->gdev);
	qt->done = 0;
	KUNIT_EXPECT_EQ(test, gaudi_push(test, EXT, 1), 0);
	gaudi_card_completes(qt, 0);
	gaudi_queues_handle_cq(qt->gdev);
	KUNIT_EXPECT_EQ(test, qt->done, 1);
}

/* Jobs and completions that the card has lost. */
static void gaudi_lost_jobs_end(struct kunit *test)
{
	struct queue_test *qt = test->priv;
	u32 len = gaudi_queue_len(qt->gdev, EXT), i;

	for (i = 1; i <= 5; i++)
		gaudi_push(test, EXT, i);
	gaudi_card_completes(qt, 0);
	gaudi_queues_complete_lost(qt->gdev);
	KUNIT_EXPECT_EQ(test, qt->done, 5);
	KUNIT_EXPECT_EQ(test, gaudi_room(qt, EXT), len);
	KUNIT_EXPECT_EQ(test, qt->bad, 0);
}

/* What is pushed together, on two queues, has one doorbell on each. */
static void gaudi_one_doorbell_for_many(struct kunit *test)
{
	struct queue_test *qt = test->priv;
	u32 i;

	gaudi_queues_lock(qt->gdev);
	for (i = 0; i < 10; i++) {
		gaudi_add_job(test, EXT, i + 1);
		gaudi_add_job(test, INT, 0);
	}
	/* The card knows of none. */
	KUNIT_EXPECT_EQ(test, gaudi_fake_reg(qt->gdev, EXT_PI), ~0u);
	KUNIT_EXPECT_EQ(test, gaudi_fake_reg(qt->gdev, INT_PI), ~0u);
	gaudi_queues_unlock(qt->gdev);
	KUNIT_EXPECT_EQ(test, gaudi_fake_reg(qt->gdev, EXT_PI), 10);
	KUNIT_EXPECT_EQ(test, gaudi_fake_reg(qt->gdev, INT_PI), 10);
}

static struct kunit_case gaudi_kunit_queue_cases[] = {
	KUNIT_CASE(gaudi_one_doorbell_for_many),
	KUNIT_CASE(gaudi_lost_jobs_end),
	KUNIT_CASE(gaudi_former_rounds_end_nothing),
	KUNIT_CASE(gaudi_polled_and_closed),
	KUNIT_CASE(gaudi_numbers_of_queues),
	KUNIT_CASE(gaudi_internal_queue),
	KUNIT_CASE(gaudi_external_queue),
	KUNIT_CASE(gaudi_jobs_without_completion),
	KUNIT_CASE(gaudi_reset_starts_at_zero),
	{ }
};

static struct kunit_suite gaudi_kunit_queue_suite = {
	.name = "gaudi_queue",
	.init = gaudi_kunit_queue_init,
	.test_cases = gaudi_kunit_queue_cases,
};

kunit_test_suite(gaudi_kunit_queue_suite);
