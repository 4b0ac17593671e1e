// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proves: whoever has a connection reaches what is its own through it, and nothing
 * else, on neither card; what goes wrong is told to the one whose it is, with
 * connection and syndrome; a close, a kill, and a reset of one card in the middle of
 * traffic leave the other card's user with an error, and the cards working.
 */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>

#include "lib/fixture.h"
#include "lib/nic.h"

/* Syndromes. */
#define RX_RKEY			0x09
#define TX_TIMEOUTS		0x40
#define TX_NACKS		0x41
#define TX_DOORBELL_QP		0x42
#define TX_BAD_QP		0x44

/* The driver's part of HBM: page tables, contexts of ports. */
#define HBM_PAGE_TABLES		0x10000000ull
#define HBM_CONTEXTS		0x1c000000ull

FIXTURE(attack)
{
	struct end a, b;
	uint32_t resets_a, resets_b;
};

FIXTURE_SETUP(attack)
{
	const char *why = NULL;

	ASSERT_EQ(0, pair_open(&self->a, &self->b, &why));
	if (why)
		SKIP(return, "%s", why);
	self->resets_a = gt_resets(self->a.fd);
	self->resets_b = gt_resets(self->b.fd);
}

FIXTURE_TEARDOWN(attack)
{
	end_close(&self->a);
	end_close(&self->b);
}

/* One error, and no more. */
#define EXPECT_ERROR(end, want_conn, want_syndrome, want_flags)		\
	do {								\
		struct drm_gaudi_nic_error error = { 0 };		\
									\
		EXPECT_EQ(0, nic_wait_error((end)->fd, &error));	\
		EXPECT_EQ((end)->port, error.port);			\
		EXPECT_EQ(want_conn, error.conn_id);			\
		EXPECT_EQ(want_syndrome, error.syndrome);		\
		EXPECT_EQ(want_flags, error.flags);			\
		EXPECT_EQ(0, error.lost);				\
		EXPECT_LT(0, error.timestamp_ns);			\
		EXPECT_EQ(-ENODATA, nic_error((end)->fd, &error));	\
	} while (0)

/* Both contexts of the pair anew; then data go through. */
static int repair(struct end *a, struct end *b)
{
	uint32_t key_a, key_b;
	int ret;

	ret = set_res_ctx(a, b->conn, 0, &key_a);
	if (!ret)
		ret = set_res_ctx(b, a->conn, 0, &key_b);
	if (!ret)
		ret = replace_req_ctx(a, b->conn, key_b, 8);
	if (!ret)
		ret = replace_req_ctx(b, a->conn, key_a, 8);
	a->pi = 0;
	b->pi = 0;
	return ret ? ret : write_through(a, b, 5000, 9);
}

#define EXPECT_WORKS(self)						\
	do {								\
		EXPECT_EQ(0, repair(&(self)->a, &(self)->b));		\
		EXPECT_EQ((self)->resets_a, gt_resets((self)->a.fd));	\
		EXPECT_EQ((self)->resets_b, gt_resets((self)->b.fd));	\
	} while (0)

/* --- keys and numbers -------------------------------------------------------- */

TEST_F(attack, wrong_key)
{
	struct wqe wqe = { .opcode = WQE_LINEAR, .size = 64 };
	struct end *a = &self->a, *b = &self->b;
	struct drm_gaudi_nic_qp qp;
	uint32_t key;

	ASSERT_EQ(0, set_res_ctx(b, a->conn, 0, &key));
	ASSERT_EQ(0, set_req_ctx(a, b->conn, key + 1, 8));
	memset(b->mem + DST, 0, 64);
	gt_fill(a->mem + SRC, 64, 1);
	wqe.local = a->va + SRC;
	wqe.remote = b->va + DST;
	ASSERT_EQ(0, post(a, &wqe));
	EXPECT_ERROR(b, b->conn, RX_RKEY, GAUDI_NIC_ERR_RESPONDER);
	EXPECT_ERROR(a, a->conn, TX_NACKS, GAUDI_NIC_ERR_REQUESTER);
	EXPECT_EQ(0, b->mem[DST]);
	ASSERT_EQ(0, nic_dump(a->fd, a->port, a->conn, &qp));
	EXPECT_EQ(1, qp.num_errors);
	EXPECT_EQ(1, qp.req[15] >> 30 & 1);
	/* The right key comes too late. */
	ASSERT_EQ(0, set_req_ctx(a, b->conn, key, 8));
	a->pi = 0;
	ASSERT_EQ(0, post(a, &wqe));
	EXPECT_ERROR(a, a->conn, TX_TIMEOUTS, GAUDI_NIC_ERR_REQUESTER);
	EXPECT_EQ(0, b->mem[DST]);
	EXPECT_WORKS(self);
}

/* Numbers that are nobody's, were somebody's, or are beyond all. */
TEST_F(attack, doorbells_of_others)
{
	static const uint32_t number[] = {
		0, 2, GAUDI_NIC_MAX_CONN, GAUDI_NIC_MAX_CONN + 1, 1024, 1025,
		2047, 32767, 32768, 65537, 0xffffff,
	};
	struct end *a = &self->a;
	uint32_t i, gone;

	for (i = 0; i < sizeof(number) / sizeof(number[0]); i++) {
		ASSERT_EQ(0, ring_bell(a, number[i], i));
		EXPECT_ERROR(a, number[i], TX_DOORBELL_QP, 0);
	}
	ASSERT_EQ(0, nic_alloc(a->fd, a->port, &gone));
	/* Without a context, and then without a number. */
	ASSERT_EQ(0, ring_bell(a, gone, 1));
	EXPECT_ERROR(a, gone, TX_DOORBELL_QP, 0);
	ASSERT_EQ(0, nic_destroy(a->fd, a->port, gone));
	ASSERT_EQ(0, ring_bell(a, gone, 1));
	EXPECT_ERROR(a, gone, TX_DOORBELL_QP, 0);
	EXPECT_WORKS(self);
}

/* What a former owner of the card had is not there for the next one. */
TEST_F(attack, connections_end_with_the_file)
{
	uint32_t conn = self->a.conn, port = self->a.port, none;
	struct drm_gaudi_nic_qp qp;

	end_close(&self->a);
	ASSERT_EQ(0, end_open(&self->a, 0));
	EXPECT_EQ(-ENOENT, nic_dump(self->a.fd, port, conn, &qp));
	EXPECT_EQ(-ENOENT, nic_destroy(self->a.fd, port, conn));
	self->a.conn = conn;
	EXPECT_EQ(-ENOENT, set_res_ctx(&self->a, 1, 0, &none));
	ASSERT_EQ(0, ring_bell(&self->a, conn, 1));
	EXPECT_ERROR(&self->a, conn, TX_DOORBELL_QP, 0);
	/* The peer's packets are for nobody, and nobody here is told of them. */
	ASSERT_EQ(0, post(&self->b, &(struct wqe){
		.opcode = WQE_LINEAR, .local = self->b.va + SRC, .size = 64,
		.remote = self->a.va + DST }));
	EXPECT_ERROR(&self->b, self->b.conn, TX_TIMEOUTS,
		     GAUDI_NIC_ERR_REQUESTER);
	EXPECT_EQ(-ENODATA, nic_error(self->a.fd,
				      &(struct drm_gaudi_nic_error){ 0 }));
}

/* --- memory ------------------------------------------------------------------ */

/* What is read here would be the peer's to see. */
TEST_F(attack, memory_that_is_not_ones_own_to_read)
{
	const uint64_t local[] = {
		self->a.va + END_SIZE + (64 << 20), 0x1000000000000ull, 0,
		HBM_PAGE_TABLES, HBM_CONTEXTS, CFG_BASE + 0xce4000,
		0x8000000000ull, 0x3ffffffffffffull,
	};
	struct end *a = &self->a, *b = &self->b;
	struct wqe wqe = { .opcode = WQE_LINEAR, .size = 256 };
	uint32_t i;

	for (i = 0; i < sizeof(local) / sizeof(local[0]); i++) {
		memset(b->mem + DST, 0, 256);
		wqe.local = local[i];
		wqe.remote = b->va + DST;
		ASSERT_EQ(0, post(a, &wqe));
		EXPECT_ERROR(a, a->conn, TX_BAD_QP, GAUDI_NIC_ERR_REQUESTER);
		EXPECT_EQ(0, b->mem[DST] | b->mem[DST + 255]);
		EXPECT_WORKS(self);
	}
}

TEST_F(attack, memory_that_is_not_the_peers_to_write)
{
	const uint64_t remote[] = {
		self->b.va + END_SIZE + (64 << 20), 0x1000000000000ull, 0,
		HBM_PAGE_TABLES, HBM_CONTEXTS, CFG_BASE + 0xce4000,
		CFG_BASE + 0xc4b000, 0x8000000000ull, 0x3ffffffffffffull,
	};
	struct end *a = &self->a, *b = &self->b;
	struct wqe wqe = { .opcode = WQE_LINEAR, .size = 4 };
	struct drm_gaudi_nic_error error;
	uint32_t i;

	for (i = 0; i < sizeof(remote) / sizeof(remote[0]); i++) {
		wqe.local = a->va + SRC;
		wqe.remote = remote[i];
		ASSERT_EQ(0, post(a, &wqe));
		EXPECT_ERROR(a, a->conn, TX_NACKS, GAUDI_NIC_ERR_REQUESTER);
		while (!nic_error(b->fd, &error))
			;
		EXPECT_WORKS(self);
	}
}

/* By the message for a sync object, which is a write to a register. */
TEST_F(attack, registers_that_are_not_the_peers)
{
	static const uint32_t reg[] = {
		0xce4040,	/* the port's own table */
		0xc4b104,	/* reset of the card */
		0x800040,	/* interrupts of the embedded CPU */
		0x508000,	/* a queue manager */
	};
	struct end *a = &self->a, *b = &self->b;
	struct wqe wqe = { .opcode = WQE_LINEAR, .told = true, .sob_data = 1 };
	struct drm_gaudi_nic_error error;
	uint32_t i;

	for (i = 0; i < sizeof(reg) / sizeof(reg[0]); i++) {
		wqe.sob = reg[i];
		ASSERT_EQ(0, post(a, &wqe));
		EXPECT_ERROR(a, a->conn, TX_NACKS, GAUDI_NIC_ERR_REQUESTER);
		while (!nic_error(b->fd, &error))
			;
		EXPECT_WORKS(self);
	}
}

/* Queues where nothing is mapped. */
TEST_F(attack, queues_without_memory)
{
	struct drm_gaudi_nic_wq wq = {
		.port = self->a.port, .num_wqs = NUM_WQS,
		.num_entries = WQ_ENTRIES,
	};
	struct end *a = &self->a, *b = &self->b;

	ASSERT_EQ(0, nic_destroy(a->fd, a->port, a->conn));
	ASSERT_EQ(0, nic_destroy(b->fd, b->port, b->conn));
	ASSERT_EQ(0, nic_call(a->fd, GAUDI_NIC_OP_USER_WQ_UNSET, &wq, sizeof(wq),
			      NULL, 0));
	wq.addr = a->va + (256 << 20);
	ASSERT_EQ(0, nic_call(a->fd, GAUDI_NIC_OP_USER_WQ_SET, &wq, sizeof(wq),
			      NULL, 0));
	ASSERT_EQ(0, connect_ends(a, b));
	ASSERT_EQ(0, ring_bell(a, a->conn, 1));
	EXPECT_ERROR(a, a->conn, TX_BAD_QP, GAUDI_NIC_ERR_REQUESTER);
	EXPECT_EQ(self->resets_a, gt_resets(a->fd));
}

/* Entries that say nonsense. */
TEST_F(attack, entries_of_chance)
{
	struct drm_gaudi_nic_error error;
	struct end *a = &self->a, *b = &self->b;
	uint32_t *at, seed, i;

	for (seed = 1; seed < 60; seed++) {
		at = (uint32_t *)(a->mem + SEND_WQS) + 8 * a->conn * WQ_ENTRIES;
		gt_fill(at, 32 * WQ_ENTRIES, seed);
		/* Half of them of a kind that there is. */
		for (i = 0; i < WQ_ENTRIES; i += 2)
			at[8 * i] = (at[8 * i] & 0x0c00ffff) |
				    (i / 2 % 4) << 28;
		ASSERT_EQ(0, ring_bell(a, a->conn, WQ_ENTRIES - 1));
		if (seed % 10)
			continue;
		/* What comes of it is not known, but it ends. */
		ASSERT_EQ(0, nic_destroy(a->fd, a->port, a->conn));
		ASSERT_EQ(0, nic_destroy(b->fd, b->port, b->conn));
		ASSERT_EQ(0, connect_ends(a, b));
		while (!nic_error(a->fd, &error))
			;
		while (!nic_error(b->fd, &error))
			;
	}
	EXPECT_WORKS(self);
}

/* --- what is told ------------------------------------------------------------- */

TEST_F(attack, eventfd_tells_of_errors)
{
	struct hl_info_args args = {
		.op = HL_INFO_REGISTER_EVENTFD,
		.eventfd = (uint32_t)eventfd(0, 0),
	};
	uint64_t mask = 0, count = 0;

	ASSERT_EQ(0, gt_ioctl(self->a.fd, DRM_IOCTL_HL_INFO, &args));
	ASSERT_EQ(0, ring_bell(&self->a, 77, 1));
	/* It blocks until there is something. */
	ASSERT_EQ(8, read((int)args.eventfd, &count, sizeof(count)));
	EXPECT_EQ(1, count);
	EXPECT_EQ(0, gt_info(self->a.fd, HL_INFO_GET_EVENTS, &mask,
			     sizeof(mask)));
	EXPECT_EQ(HL_NOTIFIER_EVENT_USER_ENGINE_ERR, mask);
	/* It is not lost if it cannot be told. */
	EXPECT_EQ(-EFAULT, nic_call(self->a.fd, GAUDI_NIC_OP_GET_ERROR, NULL, 0,
				    (void *)8, sizeof(struct drm_gaudi_nic_error)));
	EXPECT_ERROR(&self->a, 77, TX_DOORBELL_QP, 0);
	close((int)args.eventfd);
}

/* More than anybody reads: the newest are lost, and it is said how many. */
TEST_F(attack, errors_that_are_not_read)
{
	struct drm_gaudi_nic_error error = { 0 };
	struct drm_gaudi_nic_port_info info;
	uint32_t i, n = 0, sum = 0, before;

	ASSERT_EQ(0, nic_port_info(self->a.fd, self->a.port, &info));
	before = info.errors;
	for (i = 0; i < 100; i++)
		ASSERT_EQ(0, ring_bell(&self->a, 500 + i, 1));
	/* All have been counted. */
	for (i = 0; i < 60000; i++) {
		ASSERT_EQ(0, nic_port_info(self->a.fd, self->a.port, &info));
		if (info.errors - before >= 100)
			break;
		usleep(1000);
	}
	while (!nic_error(self->a.fd, &error)) {
		EXPECT_EQ(500 + n, error.conn_id);
		n++;
	}
	EXPECT_EQ(64, n);
	ASSERT_EQ(0, ring_bell(&self->a, 700, 1));
	ASSERT_EQ(0, nic_wait_error(self->a.fd, &error));
	EXPECT_EQ(700, error.conn_id);
	sum = n + error.lost;
	EXPECT_EQ(100, sum);
	EXPECT_WORKS(self);
}

/* --- in the middle of traffic ------------------------------------------------- */

/* Destroyed while it sends, and while it receives: nothing more is written. */
TEST_F(attack, destroy_under_traffic)
{
	struct end *a = &self->a, *b = &self->b;
	struct traffic t;
	uint32_t i;

	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, traffic_start(&t, a, b));
		if (i & 1) {
			ASSERT_EQ(0, nic_destroy(b->fd, b->port, b->conn));
			memset(b->mem + DST, 0x5a, 16000);
			usleep(5000);
			EXPECT_EQ(0x5a, b->mem[DST]);
			EXPECT_EQ(0x5a, b->mem[DST + 15999]);
		}
		ASSERT_EQ(0, nic_destroy(a->fd, a->port, a->conn));
		EXPECT_EQ(0, traffic_stop(&t));
		if (!(i & 1))
			ASSERT_EQ(0, nic_destroy(b->fd, b->port, b->conn));
		ASSERT_EQ(0, connect_ends(a, b));
		ASSERT_EQ(0, write_through(a, b, 1000, i));
		while (!nic_error(a->fd, &(struct drm_gaudi_nic_error){ 0 }))
			;
		while (!nic_error(b->fd, &(struct drm_gaudi_nic_error){ 0 }))
			;
	}
	EXPECT_EQ(self->resets_a, gt_resets(a->fd));
	EXPECT_EQ(self->resets_b, gt_resets(b->fd));
}

/* The receiver goes, with its memory; then it comes back. */
TEST_F(attack, peer_closes_under_traffic)
{
	struct end *a = &self->a, *b = &self->b;
	struct drm_gaudi_nic_error error = { 0 };
	struct traffic t;

	ASSERT_EQ(0, traffic_start(&t, a, b));
	end_close(b);
	EXPECT_EQ(0, nic_wait_error(a->fd, &error));
	EXPECT_EQ(a->conn, error.conn_id);
	EXPECT_EQ(TX_TIMEOUTS, error.syndrome);
	EXPECT_EQ(0, traffic_stop(&t));
	ASSERT_EQ(0, connect_again(a, b));
	EXPECT_EQ(self->resets_a, gt_resets(a->fd));
	EXPECT_EQ(self->resets_b, gt_resets(b->fd));
}

/* A sender that is killed leaves nothing behind. */
TEST_F(attack, sender_is_killed)
{
	struct end *a = &self->a, *b = &self->b;
	struct traffic t;
	int status, ready[2];
	pid_t pid;
	char c;

	end_close(a);
	ASSERT_EQ(0, pipe(ready));
	pid = fork();
	if (!pid) {
		if (end_open(a, 0) || end_queues(a) || connect_ends(a, b) ||
		    traffic_start(&t, a, b) || write(ready[1], "", 1) != 1)
			_exit(1);
		pause();
	}
	ASSERT_EQ(1, read(ready[0], &c, 1));
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	ASSERT_TRUE(WIFSIGNALED(status));
	ASSERT_EQ(0, end_open(a, 0));
	ASSERT_EQ(0, end_queues(a));
	ASSERT_EQ(0, connect_ends(a, b));
	EXPECT_EQ(0, write_through(a, b, 10000, 1));
}

/*
 * The receiver's card is reset: the sender sees that the link is gone, and an error,
 * and its own card works on. Then all begins anew.
 */
TEST_F(attack, peer_is_reset_under_traffic)
{
	struct end *a = &self->a, *b = &self->b;
	struct drm_gaudi_nic_error error = { 0 };
	struct drm_gaudi_nic_port_info before, after;
	struct traffic t;

	ASSERT_EQ(0, nic_port_info(a->fd, a->port, &before));
	ASSERT_EQ(0, traffic_start(&t, a, b));
	/* Else this process would be killed. */
	end_close(b);
	ASSERT_EQ(0, card_write(1, "hard_reset", "1"));
	/* It may be up again before this process looks. */
	ASSERT_EQ(0, nic_wait_changes(a->fd, a->port, before.link_changes + 1));
	EXPECT_EQ(0, nic_wait_error(a->fd, &error));
	EXPECT_EQ(a->conn, error.conn_id);
	EXPECT_EQ(GAUDI_NIC_ERR_REQUESTER, error.flags);
	EXPECT_EQ(0, traffic_stop(&t));
	/* Its own engines have seen nothing of it. */
	a->cb.len = gt_pkt_lin_dma(a->cb.map, a->va + SRC,
				   card_hbm(a->fd, DATA_SIZE), DATA_SIZE,
				   EB | MB);
	EXPECT_EQ(0, gt_run(a->fd, 0, &a->cb));
	EXPECT_EQ(self->resets_a, gt_resets(a->fd));

	ASSERT_EQ(0, nic_wait_link(a->fd, a->port, true));
	ASSERT_EQ(0, connect_again(a, b));
	ASSERT_EQ(0, nic_port_info(a->fd, a->port, &after));
	EXPECT_EQ(before.link_changes + 2, after.link_changes);
}

/* Its user is still there: the reset kills it, and the sender's card works on. */
TEST_F(attack, peer_dies_in_a_reset)
{
	struct end *a = &self->a, *b = &self->b;
	struct drm_gaudi_nic_port_info before;
	struct traffic t;
	pid_t pid;

	ASSERT_EQ(0, nic_port_info(a->fd, a->port, &before));
	pid = peer_start(a, b, &t);
	ASSERT_LT(0, pid);
	ASSERT_EQ(0, card_write(1, "hard_reset", "1"));
	EXPECT_KILLED(pid);
	EXPECT_EQ(0, traffic_stop(&t));
	EXPECT_EQ(self->resets_a, gt_resets(a->fd));
	ASSERT_EQ(0, nic_wait_changes(a->fd, a->port, before.link_changes + 2));
	ASSERT_EQ(0, nic_wait_link(a->fd, a->port, true));
	ASSERT_EQ(0, connect_again(a, b));
}

/* A card that nobody has open may sleep; an open wakes it, and the link. */
TEST_F(attack, peer_is_suspended_under_traffic)
{
	struct end *a = &self->a, *b = &self->b;
	struct drm_gaudi_nic_error error = { 0 };
	struct traffic t;

	ASSERT_EQ(0, traffic_start(&t, a, b));
	end_close(b);
	ASSERT_EQ(0, card_write(1, "power/autosuspend_delay_ms", "0"));
	ASSERT_EQ(0, card_write(1, "power/control", "auto"));
	ASSERT_EQ(0, nic_wait_link(a->fd, a->port, false));
	EXPECT_EQ(0, nic_wait_error(a->fd, &error));
	EXPECT_EQ(GAUDI_NIC_ERR_REQUESTER, error.flags);
	EXPECT_EQ(0, traffic_stop(&t));
	EXPECT_EQ(self->resets_a, gt_resets(a->fd));
	ASSERT_EQ(0, card_write(1, "power/control", "on"));
	ASSERT_EQ(0, nic_wait_link(a->fd, a->port, true));
	ASSERT_EQ(0, card_write(1, "power/autosuspend_delay_ms", "5000"));
	ASSERT_EQ(0, connect_again(a, b));
}

/* The peer's driver goes, and comes back. */
TEST_F(attack, peer_is_unbound_under_traffic)
{
	char link[256] = "", *slot;
	struct end *a = &self->a, *b = &self->b;
	struct traffic t;

	ASSERT_LT(0, readlink("/sys/class/accel/accel1/device", link,
			      sizeof(link) - 1));
	slot = strrchr(link, '/') + 1;
	ASSERT_EQ(0, traffic_start(&t, a, b));
	end_close(b);
	ASSERT_EQ(0, gt_write_file("/sys/bus/pci/drivers/gaudi/unbind", slot));
	ASSERT_EQ(0, nic_wait_link(a->fd, a->port, false));
	EXPECT_EQ(0, traffic_stop(&t));
	EXPECT_EQ(self->resets_a, gt_resets(a->fd));
	ASSERT_EQ(0, gt_write_file("/sys/bus/pci/drivers/gaudi/bind", slot));
	ASSERT_EQ(0, nic_wait_link(a->fd, a->port, true));
	ASSERT_EQ(0, connect_again(a, b));
}

TEST_HARNESS_MAIN
