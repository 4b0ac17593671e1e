// SPDX-License-Identifier: GPL-2.0-only
/*
 * How a driver closes a queue pair: what was under way has ended when the
 * invalidation says so, and the number can be used again. And what it can see of a
 * port: its link, and how much went through it.
 */
#include "../fw.h"
#include "ports.h"

#define SRC		PAIR_SRC
#define DST		PAIR_DST
#define QP		PAIR_QP
#define STAT(p)		(0xcc4000u + NIC_MACRO(p) + ((p) & 1) * 0x80u)
#define REQ_INV		0x00
#define RES_INV		0x34

static uint64_t count(struct card *card, unsigned int port, unsigned int n)
{
	uint32_t at = STAT(port) + 8 + 8 * n;

	return rd(card, at) | (uint64_t)rd(card, at + 4) << 32;
}

/* By the gateway, the VALID bit alone. */
static void close_qp(struct card *card, unsigned int port, bool requester)
{
	unsigned int i, last = requester ? 15 : 7;

	for (i = 0; i <= last; i++) {
		wr(card, QPC(port) + 0x8c + 4 * i, 0);
		wr(card, QPC(port) + 0x124 + 4 * i, i == last ? 1u << 31 : 0);
	}
	wr(card, QPC(port) + 0x84, (unsigned int)requester << 24 | QP);
	wr(card, QPC(port) + 0x80, 1);
}

/* --- packets under way ------------------------------------------------------ */

static unsigned int frames;
static uint32_t status_before, status_after, rx_status;

/* Called with a packet on the wire: the sender's card is asked. */
static void look(struct card *card, unsigned int port, const void *buf,
		 size_t len)
{
	if (!frames++) {
		status_before = rd(card, QPC(port) + REQ_INV + 4);
		wr(card, QPC(port) + REQ_INV, 1);
		status_after = rd(card, QPC(port) + REQ_INV + 4);
		/* Nothing is received. */
		wr(card, QPC(port) + RES_INV, 1);
		rx_status = rd(card, QPC(port) + RES_INV + 4);
	}
	gaudi_chip_frame(card->other->chip, PORT_B, buf, len);
}

NET_PAIR_TEST(invalidation_waits_for_the_wire)
{
	frames = 0;
	A(pair)->frame = look;
	pair_open(pair);
	pair_do(pair, wqe_write(16000));
	assert_int_equal(frames, 4);
	assert_int_equal(status_before, 1);
	assert_int_equal(status_after, 0);
	assert_int_equal(rx_status, 1);
	assert_int_equal(rd(A(pair), QPC(PORT_A) + REQ_INV + 4), 1);
	pair_check_data(pair, 0, 0, 16000);
}

/* --- numbers that are used again -------------------------------------------- */

/* Closed in the middle of an entry, and of a message. */
QP_TEST(number_is_used_again)
{
	struct wqe wqe = wqe_counted(16000);
	unsigned int i;

	/* The second packet meets an error at the receiver's end. */
	wqe.remote = DST + 16000;
	bits_set(res_ctx(B(pair), PORT_B, QP), 32, 32, 1);
	pair_run(pair, &wqe, 1);
	assert_int_equal(sob(B(pair), 20), 0);
	for (i = 0; i < 2; i++) {
		close_qp(A(pair), PORT_A, i);
		close_qp(B(pair), PORT_B, i);
	}
	wr(A(pair), QPC(PORT_A) + REQ_INV, 1);
	wr(B(pair), QPC(PORT_B) + RES_INV, 1);
	qp_ring(A(pair), PORT_A, QP, 1);
	pair_settle(pair);
	assert_int_equal(sob(B(pair), 20), 0);

	pair_open(pair);
	pair_run(pair, &wqe, 1);
	pair_check_data(pair, 16000, 0, 16000);
	assert_int_equal(sob(B(pair), 20), 1);
	pair_check_idle(pair, 1);
}

/* More packets than may be under way, and the network loses them all. */
NET_PAIR_TEST(half_an_entry_is_forgotten)
{
	struct wqe wqe[] = {
		{ .opcode = 3, .local = SRC, .remote = DST, .strides = 10000,
		  .stride_size = 64, .stride = 64, .sob = NO_SOB },
		{ .opcode = 2, .local = SRC, .remote = DST, .size = 16000,
		  .sob = REMOTE_SOB(20), .sob_data = 0x80000001 },
	};

	A(pair)->frame = NULL;
	pair_open(pair);
	pair_run(pair, &wqe[0], 1);
	assert_int_equal(bits_get(req_ctx(A(pair), PORT_A, QP), 414, 22), 0);
	assert_int_equal(bits_get(req_ctx(A(pair), PORT_A, QP), 192, 24), 8192);
	close_qp(A(pair), PORT_A, true);
	close_qp(B(pair), PORT_B, false);
	frames = 1;
	A(pair)->frame = look;
	pair_open(pair);
	pair_run(pair, &wqe[1], 1);
	pair_check_data(pair, 0, 0, 16000);
	assert_int_equal(sob(B(pair), 20), 1);
	pair_check_idle(pair, 1);
}

/* --- what there is to see --------------------------------------------------- */

PAIR_TEST(counters_and_link)
{
	assert_int_equal(rd(A(pair), STAT(PORT_A)), 1);
	assert_int_equal(rd(B(pair), STAT(PORT_B)), 1);
	assert_int_equal(rd(B(pair), STAT(PORT_B - 1)), 0);
	pair_open(pair);
	pair_do(pair, wqe_counted(10000));
	assert_int_equal(count(A(pair), PORT_A, 0), 4);
	assert_int_equal(count(A(pair), PORT_A, 1), 10004);
	assert_int_equal(count(B(pair), PORT_B, 2), 4);
	assert_int_equal(count(B(pair), PORT_B, 3), 10004);
	assert_int_equal(count(B(pair), PORT_B - 1, 2), 0);
	/* Read-only, and gone with a reset. */
	wr(A(pair), STAT(PORT_A) + 8, 77);
	assert_int_equal(count(A(pair), PORT_A, 0), 4);
	gaudi_chip_hard_reset(A(pair)->chip);
	pair_settle(pair);
	assert_int_equal(count(A(pair), PORT_A, 0), 0);
	assert_int_equal(rd(B(pair), STAT(PORT_B)), 0);
}

static unsigned int events(struct card *card, unsigned int id)
{
	unsigned int i, n = 0;
	uint32_t ctl;

	for (i = 0; i < 64; i++) {
		ctl = ram32(card, CPU_EQ + 64 * i + 4);
		n += ctl >> 31 && (ctl >> 16 & 0xfff) == id;
	}
	return n;
}

PAIR_TEST(change_of_the_link_is_an_event)
{
	const unsigned int id = 648 + PORT_A;

	boot(A(pair));
	cpu_queues_init(A(pair));
	cpu_enable_events(A(pair));
	assert_int_equal(events(A(pair), id), 0);
	gaudi_chip_plug(A(pair)->chip, PORT_A, false);
	pair_settle(pair);
	assert_int_equal(rd(A(pair), STAT(PORT_A)), 0);
	assert_int_equal(events(A(pair), id), 1);
	/* Masked until the driver has seen it, then sent once. */
	gaudi_chip_plug(A(pair)->chip, PORT_A, true);
	pair_settle(pair);
	assert_int_equal(events(A(pair), id), 1);
	cpu_send(A(pair), 0x10, id, 0);
	pair_settle(pair);
	assert_int_equal(events(A(pair), id), 2);
	/* The port's own end: whoever takes it off knows. */
	cpu_send(A(pair), 0x10, id, 0);
	wr(A(pair), QPC(PORT_A) + 0x40, 0);
	wr(A(pair), QPC(PORT_A) + 0x44, 0);
	pair_settle(pair);
	assert_int_equal(rd(A(pair), STAT(PORT_A)), 0);
	assert_int_equal(events(A(pair), id), 2);
}

/* A link that is down by a fault is news to the card that has the fault, too. */
PAIR_TEST(fault_of_the_link_is_an_event)
{
	const unsigned int id = 648 + PORT_A;
	char why[128];

	boot(A(pair));
	cpu_queues_init(A(pair));
	cpu_enable_events(A(pair));
	assert_int_equal(gaudi_chip_inject(A(pair)->chip,
					   "nic-link-down,ms=5", why,
					   sizeof(why)), 0);
	pair_settle(pair);
	assert_int_equal(rd(A(pair), STAT(PORT_A)), 0);
	assert_int_equal(rd(B(pair), STAT(PORT_B)), 0);
	assert_int_equal(events(A(pair), id), 1);
	pair_advance(pair, 5000000);
	assert_int_equal(rd(A(pair), STAT(PORT_A)), 1);
	cpu_send(A(pair), 0x10, id, 0);
	pair_settle(pair);
	assert_int_equal(events(A(pair), id), 2);
}
