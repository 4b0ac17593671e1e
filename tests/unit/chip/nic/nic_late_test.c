// SPDX-License-Identifier: GPL-2.0-only
/*
 * Answers that come when the requester has gone back already, and a requester that does
 * not get to send: on a busy host neither is the peer's fault, nor does it end a queue pair.
 */
#include "ports.h"
#include "../../../../qemu-device/chip/nic/packet.h"

#define QP		PAIR_QP
#define NUM		3u
/* As port_on() sets it: with one more, the queue pair has failed. */
#define TRIES		3

/* The last frame of B's. */
static uint8_t held[4096 + GAUDI_FRAME_OVERHEAD];
static size_t held_len;

static void hold(struct card *card, unsigned int port, const void *buf, size_t len)
{
	(void)card;
	(void)port;
	memcpy(held, buf, len);
	held_len = len;
}

/* A's timer; what it wants to send then stays where it is. */
static void time_out(struct pair *pair)
{
	A(pair)->now += TIMER_NS + 1;
	A(pair)->deadline = UINT64_MAX;
	gaudi_chip_timer(A(pair)->chip);
}

/* B's answer reaches A, for a packet so many after the one that it was for. */
static void answer(struct pair *pair, int after)
{
	static const uint8_t mac[6] = { 2, 3, 4, 5, 6, 7 };
	uint8_t frame[4096 + GAUDI_FRAME_OVERHEAD];
	struct gaudi_nic_packet ack;
	const char *why;
	size_t len;

	assert_true(held_len);
	WORKS(gaudi_roce_decode(held, held_len, &ack, &why));
	ack.psn = (ack.psn + (uint32_t)after) & 0xffffff;
	ack.aeth = (ack.aeth & 0xff000000) | ack.psn;
	len = gaudi_roce_encode(&ack, mac, frame);
	WORKS(gaudi_chip_frame(A(pair)->chip, PORT_A, frame, len));
}

static bool has_failed(struct pair *pair)
{
	return bits_get(req_ctx(A(pair), PORT_A, QP), 510, 1);
}

static uint32_t req_index(struct pair *pair, unsigned int bit)
{
	return bits_get(req_ctx(A(pair), PORT_A, QP), bit, 22);
}

#define CONSUMER	436
#define EXECUTION	414

/* All has been written, and B's answer to it is held back. */
static void write_unanswered(struct pair *pair)
{
	struct wqe wqe[NUM];
	unsigned int i;

	B(pair)->frame = hold;
	for (i = 0; i < NUM; i++)
		wqe[i] = wqe_counted(10000);
	pair_run(pair, wqe, NUM);
	assert_int_equal(sob(B(pair), 20), NUM);
	assert_int_equal(req_index(pair, CONSUMER), 0);
	assert_int_equal(req_index(pair, EXECUTION), NUM);
	assert_true(held_len);
}

NET_QP_TEST(late_answer_counts)
{
	struct wqe next = wqe_write(7);

	write_unanswered(pair);
	time_out(pair);
	assert_int_equal(req_index(pair, EXECUTION), 0);
	answer(pair, 0);
	assert_int_equal(req_index(pair, CONSUMER), NUM);
	pair_settle(pair);
	pair_check_idle(pair, NUM);
	assert_int_equal(sob(B(pair), 20), NUM);
	/* Nor is it in the way of what comes next. */
	qp_put(A(pair), PORT_A, QP, NUM, &next);
	qp_ring(A(pair), PORT_A, QP, NUM + 1);
	pair_settle(pair);
	assert_int_equal(req_index(pair, CONSUMER), NUM);
	answer(pair, 0);
	pair_settle(pair);
	pair_check_idle(pair, NUM + 1);
}

/* Each entry is three packets and one for the sync object: B has got one and a half. */
NET_QP_TEST(late_answer_to_a_part)
{
	write_unanswered(pair);
	time_out(pair);
	answer(pair, -6);
	assert_int_equal(req_index(pair, CONSUMER), 1);
	assert_int_equal(req_index(pair, EXECUTION), 1);
	/* The rest is sent again, and answered as a whole. */
	pair_settle(pair);
	assert_int_equal(req_index(pair, EXECUTION), NUM);
	answer(pair, 0);
	pair_check_idle(pair, NUM);
	assert_int_equal(sob(B(pair), 20), NUM);
}

/* What has never been sent cannot be acknowledged. */
NET_QP_TEST(answer_to_nothing)
{
	write_unanswered(pair);
	time_out(pair);
	answer(pair, 1);
	assert_int_equal(req_index(pair, CONSUMER), 0);
}

/* The timer passes many times before the card gets to send. */
NET_QP_TEST(own_delay_is_no_try)
{
	int i;

	write_unanswered(pair);
	for (i = 0; i < 10 * TRIES; i++)
		time_out(pair);
	assert_false(has_failed(pair));
	pair_settle(pair);
	answer(pair, 0);
	pair_settle(pair);
	pair_check_idle(pair, NUM);
	assert_int_equal(sob(B(pair), 20), NUM);
}

/* But what is sent again and again, and never answered, ends it. */
NET_QP_TEST(no_answer_fails)
{
	int i;

	write_unanswered(pair);
	for (i = 0; i <= TRIES; i++) {
		assert_false(has_failed(pair));
		time_out(pair);
		pair_settle(pair);
	}
	assert_true(has_failed(pair));
}

/* A long write is answered a part at a time: that much is progress, too. */
NET_QP_TEST(parts_are_progress)
{
	const struct wqe strided = {
		.opcode = 3, .local = PAIR_SRC, .remote = PAIR_DST,
		.strides = 40, .stride_size = 100, .stride = 128, .sob = NO_SOB,
	};
	int i;

	B(pair)->frame = hold;
	pair_do(pair, strided);
	for (i = 0; i < 10 * TRIES; i++) {
		time_out(pair);
		pair_settle(pair);
		answer(pair, i - 39);
	}
	assert_false(has_failed(pair));
	answer(pair, 0);
	pair_check_idle(pair, 1);
}
