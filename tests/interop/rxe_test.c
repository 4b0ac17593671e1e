// SPDX-License-Identifier: GPL-2.0-only
/*
 * A port of the card and Linux's soft RoCE (rdma_rxe) as each other's peer, over a
 * reliable connection: writes both ways, SENDs, immediates.
 *
 * Usage: rxe_test PORT MY_IP DEVICE GID_INDEX PEER_IP PEER_MAC MTU [LARGEST [lossy]]
 *
 * MY_IP is the port's, the others are of the RDMA device; the port's address has to
 * be among its neighbours. Prints TAP.
 */
#include <arpa/inet.h>
#include <err.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "port.h"

#define QP		7u
#define SECONDS		200

struct test {
	struct port port;
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	uint8_t *buf;			/* PORT_DATA bytes */
	size_t largest;
	bool is_lossy;
	unsigned int num, failed;
	/* what both ends are told of each other */
	struct port_peer peer;
	const char *port_ip;
	int gid_index;
	enum ibv_mtu mtu;
};

static void result(struct test *t, bool ok, const char *what, size_t size)
{
	printf("%sok %u - %s", ok ? "" : "not ", ++t->num, what);
	if (size)
		printf("_%zu", size);
	printf("\n");
	if (!ok && port_error(&t->port))
		printf("# error of the port: %#x\n", port_error(&t->port));
	fflush(stdout);
	t->failed += !ok;
}

static void fill(uint8_t *at, size_t len, uint32_t seed)
{
	for (size_t i = 0; i < len; i++) {
		seed = seed * 1664525u + 1013904223u;
		at[i] = seed >> 24;
	}
}

/* --- the other end ------------------------------------------------------ */

static void open_device(struct test *t, const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	for (int i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			t->ctx = ibv_open_device(list[i]);
	if (!t->ctx)
		errx(1, "no RDMA device %s", name);
	ibv_free_device_list(list);
	t->pd = ibv_alloc_pd(t->ctx);
	t->cq = ibv_create_cq(t->ctx, 64, NULL, NULL, 0);
	t->buf = aligned_alloc(4096, PORT_DATA);
	if (!t->pd || !t->cq || !t->buf)
		errx(1, "%s: no resources", name);
	t->mr = ibv_reg_mr(t->pd, t->buf, PORT_DATA,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	if (!t->mr)
		err(1, "ibv_reg_mr");
}

static void change_qp(struct test *t, int gid_index, const char *ip,
		      enum ibv_mtu mtu)
{
	struct ibv_qp_attr a = {
		.qp_state = IBV_QPS_INIT, .port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
	};
	struct in_addr peer;

	if (ibv_modify_qp(t->qp, &a, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
			  IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
		err(1, "INIT");
	a = (struct ibv_qp_attr) {
		.qp_state = IBV_QPS_RTR, .path_mtu = mtu, .dest_qp_num = QP,
		.min_rnr_timer = 1, .max_dest_rd_atomic = 1,
		.ah_attr = { .is_global = 1, .port_num = 1,
			     .grh = { .sgid_index = (uint8_t)gid_index,
				      .hop_limit = 64 } },
	};
	if (!inet_aton(ip, &peer))
		errx(1, "%s: no IP address", ip);
	a.ah_attr.grh.dgid.raw[10] = a.ah_attr.grh.dgid.raw[11] = 0xff;
	memcpy(a.ah_attr.grh.dgid.raw + 12, &peer, 4);
	if (ibv_modify_qp(t->qp, &a, IBV_QP_STATE | IBV_QP_AV |
			  IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			  IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER))
		err(1, "RTR");
	a = (struct ibv_qp_attr) {
		.qp_state = IBV_QPS_RTS, .timeout = 15, .retry_cnt = 7,
		.rnr_retry = 7, .max_rd_atomic = 1,
	};
	if (ibv_modify_qp(t->qp, &a, IBV_QP_STATE | IBV_QP_TIMEOUT |
			  IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
			  IBV_QP_MAX_QP_RD_ATOMIC))
		err(1, "RTS");
}

static void make_qp(struct test *t)
{
	struct ibv_qp_init_attr init = {
		.send_cq = t->cq, .recv_cq = t->cq, .qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 16, .max_recv_wr = 16,
			 .max_send_sge = 1, .max_recv_sge = 1 },
	};

	t->qp = ibv_create_qp(t->pd, &init);
	if (!t->qp)
		err(1, "ibv_create_qp");
}

/* Anew, both: what was before does not count. */
static void connect_both(struct test *t)
{
	if (t->qp)
		ibv_destroy_qp(t->qp);
	make_qp(t);
	t->peer.qp = t->qp->qp_num;
	port_connect(&t->port, QP, &t->peer);
	change_qp(t, t->gid_index, t->port_ip, t->mtu);
}

/* The next completion; false: none comes, or it is an error. */
static bool complete(struct test *t, struct ibv_wc *wc)
{
	time_t end = time(NULL) + SECONDS;
	int n;

	while (!(n = ibv_poll_cq(t->cq, 1, wc)))
		if (time(NULL) > end) {
			printf("# no completion\n");
			return false;
		}
	if (n < 0 || wc->status) {
		printf("# completion: %s\n", ibv_wc_status_str(wc->status));
		return false;
	}
	return true;
}

static bool post(struct test *t, enum ibv_wr_opcode opcode, uint64_t remote,
		 uint32_t size, uint32_t imm)
{
	struct ibv_sge sge = { (uintptr_t)t->buf, size, t->mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED, .imm_data = htonl(imm),
		.wr.rdma = { remote, PORT_KEY },
	}, *bad;
	struct ibv_wc wc;

	return !ibv_post_send(t->qp, &wr, &bad) && complete(t, &wc);
}

static void receive(struct test *t, uint32_t offset, uint32_t size)
{
	struct ibv_sge sge = { (uintptr_t)t->buf + offset, size, t->mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	if (ibv_post_recv(t->qp, &wr, &bad))
		err(1, "ibv_post_recv");
}

/* --- tests -------------------------------------------------------------- */

static void write_to_card(struct test *t, uint32_t size)
{
	uint8_t *dst = t->port.hbm + PORT_DST;

	fill(t->buf, size, size);
	memset(dst, 0xee, size + 1);
	result(t, post(t, IBV_WR_RDMA_WRITE, PORT_DST, size, 0) &&
		  !memcmp(dst, t->buf, size) && dst[size] == 0xee,
	       "rxe_writes", size);
}

static void write_from_card(struct test *t, uint32_t size)
{
	struct port_write w = { .local = PORT_SRC, .size = size,
				.remote = (uintptr_t)t->buf };

	fill(t->port.hbm + PORT_SRC, size, size + 1);
	memset(t->buf, 0xee, size + (size < PORT_DATA));
	result(t, port_write(&t->port, &w, SECONDS) &&
		  !memcmp(t->buf, t->port.hbm + PORT_SRC, size) &&
		  (size == PORT_DATA || t->buf[size] == 0xee),
	       "card_writes", size);
}

/* SENDs of the card take up receives of the other end, in order. */
static void sends_from_card(struct test *t)
{
	static const uint32_t sizes[] = { 1, 1000, 5000, 8192 };
	struct port_write w = { .local = PORT_SRC, .send = true };
	struct ibv_wc wc;
	bool ok = true;

	fill(t->port.hbm + PORT_SRC, 8192, 5);
	for (unsigned int i = 0; i < 4; i++)
		receive(t, i * 8192, 8192);
	for (unsigned int i = 0; ok && i < 4; i++) {
		w.size = sizes[i];
		w.imm = i & 1;
		w.imm_data = 0xabcd0000 + i;
		ok = port_write(&t->port, &w, SECONDS) && complete(t, &wc) &&
		     wc.opcode == IBV_WC_RECV && wc.byte_len == w.size &&
		     !!(wc.wc_flags & IBV_WC_WITH_IMM) == w.imm &&
		     (!w.imm || ntohl(wc.imm_data) == w.imm_data) &&
		     !memcmp(t->buf + i * 8192, t->port.hbm + PORT_SRC, w.size);
	}
	result(t, ok, "card_sends", 0);
}

static void *late_receive(void *arg)
{
	usleep(300000);
	receive(arg, 0, 8192);
	return NULL;
}

/* The card asks again when the other end is not ready. */
static void send_before_receive(struct test *t)
{
	pthread_t thread;
	struct port_write w = { .local = PORT_SRC, .send = true, .size = 100 };
	struct ibv_wc wc;
	bool ok;

	fill(t->port.hbm + PORT_SRC, 100, 9);
	if (pthread_create(&thread, NULL, late_receive, t))
		errx(1, "pthread_create");
	ok = port_write(&t->port, &w, SECONDS) && complete(t, &wc) &&
	     wc.byte_len == 100 && !memcmp(t->buf, t->port.hbm + PORT_SRC, 100);
	pthread_join(thread, NULL);
	result(t, ok, "card_waits_for_a_receive", 0);
}

static void immediate_from_card(struct test *t)
{
	struct port_write w = { .local = PORT_SRC, .size = 20000, .imm = true,
				.imm_data = 0x12345678,
				.remote = (uintptr_t)t->buf };
	struct ibv_wc wc;

	fill(t->port.hbm + PORT_SRC, 20000, 3);
	receive(t, 0, 0);
	result(t, port_write(&t->port, &w, SECONDS) && complete(t, &wc) &&
		  wc.opcode == IBV_WC_RECV_RDMA_WITH_IMM &&
		  ntohl(wc.imm_data) == 0x12345678 &&
		  !memcmp(t->buf, t->port.hbm + PORT_SRC, 20000),
	       "card_writes_with_immediate", 0);
}

static void immediates_to_card(struct test *t)
{
	uint32_t before, after, imm = 0, at;
	bool ok;

	fill(t->buf, 3000, 8);
	before = port_immediates(&t->port, &imm);
	ok = post(t, IBV_WR_RDMA_WRITE_WITH_IMM, PORT_DST, 3000, 0x89abcdef);
	after = port_immediates(&t->port, &imm);
	result(t, ok && after == before + 1 && imm == 0x89abcdef &&
		  !memcmp(t->port.hbm + PORT_DST, t->buf, 3000),
	       "rxe_writes_with_immediate", 0);
	at = port_raw_at(&t->port);
	ok = post(t, IBV_WR_SEND_WITH_IMM, 0, 900, 77);
	after = port_immediates(&t->port, &imm);
	result(t, ok && after == before + 2 && imm == 77 &&
		  !memcmp(t->port.hbm + PORT_RAW + at, t->buf, 900),
	       "rxe_sends_with_immediate", 0);
}

/* How it ends when the port refuses it: the connection is over at both ends. */
static enum ibv_wc_status post_bad(struct test *t, enum ibv_wr_opcode opcode,
				   uint32_t key)
{
	struct ibv_sge sge = { (uintptr_t)t->buf, 64, t->mr->lkey };
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = opcode,
		.send_flags = IBV_SEND_SIGNALED, .wr.rdma = { PORT_DST, key },
	}, *bad;
	struct ibv_wc wc = { .status = IBV_WC_SUCCESS };
	time_t end = time(NULL) + SECONDS;

	memset(t->port.hbm + PORT_DST, 0, 64);
	fill(t->buf, 64, 1);
	if (!ibv_post_send(t->qp, &wr, &bad))
		while (!ibv_poll_cq(t->cq, 1, &wc) && time(NULL) < end)
			;
	return wc.status;
}

static void refusals(struct test *t)
{
	result(t, post_bad(t, IBV_WR_RDMA_WRITE, PORT_KEY + 1) ==
			  IBV_WC_REM_ACCESS_ERR &&
		  !t->port.hbm[PORT_DST] &&
		  (port_error(&t->port) >> 24 & 0x7f) == 0x09,
	       "wrong_key_is_refused", 0);
	connect_both(t);
	result(t, post_bad(t, IBV_WR_RDMA_READ, PORT_KEY) ==
			  IBV_WC_REM_INV_REQ_ERR,
	       "read_is_refused", 0);
}

static void run(struct test *t)
{
	static const uint32_t sizes[] = {
		1, 3, 64, 1023, 1024, 1025, 4096, 65537, 1 << 20, 64 << 20,
	};
	const unsigned int num = sizeof(sizes) / sizeof(sizes[0]);

	for (unsigned int i = 0; i < num; i++) {
		if (sizes[i] > t->largest)
			break;
		write_to_card(t, sizes[i]);
		write_from_card(t, sizes[i]);
	}
	sends_from_card(t);
	send_before_receive(t);
	immediate_from_card(t);
	immediates_to_card(t);
	/* A refusal may be lost: nothing is said once more by a connection that is over. */
	if (!t->is_lossy)
		refusals(t);
	printf("1..%u\n", t->num);
}

int main(int argc, char **argv)
{
	static const enum ibv_mtu mtus[] = { IBV_MTU_1024, IBV_MTU_2048,
					     IBV_MTU_4096 };
	struct test t = { 0 };

	if (argc < 8)
		errx(1, "PORT MY_IP DEVICE GID_INDEX PEER_IP PEER_MAC MTU [LARGEST [lossy]]");
	t.port_ip = argv[2];
	t.peer.my_ip = ntohl(inet_addr(argv[2]));
	t.peer.ip = ntohl(inet_addr(argv[5]));
	if (!read_mac(argv[6], t.peer.mac))
		errx(1, "%s: no MAC address", argv[6]);
	t.largest = argc > 8 ? strtoul(argv[8], NULL, 0) : PORT_DATA;
	t.is_lossy = argc > 9;
	open_device(&t, argv[3]);
	t.peer.key = t.mr->rkey;
	t.gid_index = atoi(argv[4]);
	t.mtu = mtus[atoi(argv[7]) / 2048 % 3];
	port_on(&t.port, (unsigned int)atoi(argv[1]));
	connect_both(&t);
	run(&t);
	return t.failed != 0;
}
