/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two cards with a wire between them, and queue pairs on it, set up as a driver
 * does: tables and queues in HBM, contexts by the window to it.
 */
#ifndef TEST_PORTS_H
#define TEST_PORTS_H

#include <errno.h>

#include "../card.h"

#define NIC_MACRO(p)	(((p) / 2) * 0x40000u)
#define QPC(p)		(0xce4000u + NIC_MACRO(p) + ((p) & 1) * 0x1000u)
#define RXE(p)		(0xce9000u + NIC_MACRO(p) + ((p) & 1) * 0x1000u)
#define TXE(p)		(0xcf2000u + NIC_MACRO(p) + ((p) & 1) * 0x1000u)
#define NIC_QM(p)	(0xce0000u + NIC_MACRO(p) + ((p) & 1) * 0x2000u)

/* In HBM: tables of contexts, and for each port queues and their completions. */
#define REQ_TABLE(p)	(0x1c000000ull + (p) * 0x300000ull)
#define RES_TABLE(p)	(REQ_TABLE(p) + 0x200000ull)
#define WQS(p)		(0x24000000ull + (p) * 0x400000ull)
#define RECV_WQS(p)	(WQS(p) + 0x200000ull)
#define CQ(p)		(WQS(p) + 0x300000ull)
#define ERRORS(p)	(WQS(p) + 0x380000ull)
#ifndef WQ_LOG
#define WQ_LOG		6
#endif
#define WQ_ENTRIES	(1u << WQ_LOG)
#define KEY		0x5eed0000u
#ifndef TIMER
#define TIMER		8		/* 4.096 us << 8: about a millisecond */
#endif
#define TIMER_NS	(4096ull << TIMER)
#define NO_SOB		UINT32_MAX

/* A work queue entry of a test. */
struct wqe {
	unsigned int opcode;	/* 1: SEND, 2: LINEAR, 3: STRIDE */
	uint64_t local, remote;
	uint32_t size;
	uint32_t strides, stride_size, stride;
	bool local_stride;
	uint32_t sob;		/* NO_SOB: none; 0: an immediate */
	uint32_t sob_data;
	uint32_t reduction;
	bool ack;
};

/* A bit field of a row of words, as the hardware counts them. */
void bits_set(void *words, unsigned int bit, unsigned int width, uint64_t v);
uint64_t bits_get(const void *words, unsigned int bit, unsigned int width);

/* Tables, queues, completions and errors of a port; it is on then. */
void port_on(struct card *card, unsigned int port);
/* A queue pair that talks to the same number at the other end. */
void qp_open(struct card *card, unsigned int port, uint32_t qp);
void *req_ctx(struct card *card, unsigned int port, uint32_t qp);
void *res_ctx(struct card *card, unsigned int port, uint32_t qp);
/* Entry index of a queue pair; it does not ring. */
void qp_put(struct card *card, unsigned int port, uint32_t qp, uint32_t index,
	    const struct wqe *wqe);
/* What the requester does when the entry is complete; sob 0: no write. */
void qp_local(struct card *card, unsigned int port, uint32_t qp, uint32_t index,
	      uint32_t sob, uint32_t sob_data, bool cq);
/* The doorbell, by the register for those without rights. */
void qp_ring(struct card *card, unsigned int port, uint32_t qp, uint32_t pi);

struct pair {
	struct card *card[2];
};

static inline struct card *A(struct pair *pair)
{
	return pair->card[0];
}

static inline struct card *B(struct pair *pair)
{
	return pair->card[1];
}

/* cmocka set-up and tear-down: port 0 of one card to port 3 of the other. */
#define PORT_A		0
#define PORT_B		3
int pair_setup(void **state);
int pair_teardown(void **state);
/* A test of such a pair. */
#define PAIR_TEST(fn) \
	TEST_OF(fn, struct pair *pair, pair_setup, pair_teardown)
/* The same by frames, as if a network was between them. */
int net_pair_setup(void **state);
/* What A's frames have instead of their opcodes; 0: they are as they are. */
extern uint8_t net_opcode;
#define NET_PAIR_TEST(fn) \
	TEST_OF(fn, struct pair *pair, net_pair_setup, pair_teardown)
/* Both, until nothing moves. */
void pair_settle(struct pair *pair);
void pair_advance(struct pair *pair, uint64_t ns);

/* One queue pair, from A to B, and a mebibyte at each end: a pattern, and zeros. */
#define PAIR_QP		5u
#define PAIR_SRC	0x28000000ull
#define PAIR_DST	0x29000000ull
void pair_open(struct pair *pair);
/* A test with it, by the wire or by frames; and one of each, which do the same. */
int qp_setup(void **state);
int net_qp_setup(void **state);
#define QP_TEST(fn)	TEST_OF(fn, struct pair *pair, qp_setup, pair_teardown)
#define NET_QP_TEST(fn) \
	TEST_OF(fn, struct pair *pair, net_qp_setup, pair_teardown)
#define QP_TESTS(wire, net)						\
	static void wire##_or_net(struct pair *pair);			\
	QP_TEST(wire) { wire##_or_net(pair); }				\
	NET_QP_TEST(net) { wire##_or_net(pair); }			\
	static void wire##_or_net(struct pair *pair)
/* A sync object of B's, as entries name it. */
#define REMOTE_SOB(n)	(SM_E_N + SOB(n))
/* A write from one to the other; and one that adds 1 to B's SOB 20, a packet more. */
struct wqe wqe_write(uint32_t size);
struct wqe wqe_counted(uint32_t size);
/* Entries 0 to n - 1 of A's queue, and the doorbell; and entry 0 alone. */
void pair_run(struct pair *pair, const struct wqe *wqe, unsigned int n);
void pair_do(struct pair *pair, struct wqe wqe);
void pair_check_data(struct pair *pair, uint64_t at, uint64_t src, size_t len);
/* All is sent, acknowledged and complete, and nobody failed. */
void pair_check_idle(struct pair *pair, uint32_t pi);
/* The error FIFO of a port has one entry, this. */
void port_check_error(struct card *card, unsigned int port, uint32_t entry);

#endif /* TEST_PORTS_H */
