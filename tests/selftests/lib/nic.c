// SPDX-License-Identifier: GPL-2.0-only
/* Two cards with a cable between them; see nic.h. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "nic.h"

#define KEY_A		0x0a0a0a0au
#define IP(n)		(0x0a000001u + (n))

int nic_call(int fd, uint32_t op, const void *in, uint32_t in_size, void *out,
	     uint32_t out_size)
{
	struct drm_gaudi_nic args = {
		.in_ptr = (uintptr_t)in, .out_ptr = (uintptr_t)out,
		.in_size = in_size, .out_size = out_size, .op = op,
	};

	return gt_ioctl(fd, DRM_IOCTL_GAUDI_NIC, &args);
}

int nic_port_info(int fd, uint32_t port, struct drm_gaudi_nic_port_info *info)
{
	struct drm_gaudi_nic_port in = { .port = port };

	return nic_call(fd, GAUDI_NIC_OP_PORT_INFO, &in, sizeof(in), info,
			sizeof(*info));
}

int nic_alloc(int fd, uint32_t port, uint32_t *conn)
{
	struct drm_gaudi_nic_conn in = { .port = port }, out = { 0 };
	int ret = nic_call(fd, GAUDI_NIC_OP_ALLOC_CONN, &in, sizeof(in), &out,
			   sizeof(out));

	*conn = out.conn_id;
	return ret;
}

int nic_destroy(int fd, uint32_t port, uint32_t conn)
{
	struct drm_gaudi_nic_conn in = { .port = port, .conn_id = conn };

	return nic_call(fd, GAUDI_NIC_OP_DESTROY_CONN, &in, sizeof(in), NULL, 0);
}

int nic_dump(int fd, uint32_t port, uint32_t conn, struct drm_gaudi_nic_qp *qp)
{
	struct drm_gaudi_nic_conn in = { .port = port, .conn_id = conn };

	return nic_call(fd, GAUDI_NIC_OP_DUMP_QP, &in, sizeof(in), qp,
			sizeof(*qp));
}

int nic_error(int fd, struct drm_gaudi_nic_error *error)
{
	return nic_call(fd, GAUDI_NIC_OP_GET_ERROR, NULL, 0, error,
			sizeof(*error));
}

/* Ten seconds of milliseconds. */
static bool again(unsigned int *n)
{
	usleep(1000);
	return ++*n < 10000;
}

int nic_wait_error(int fd, struct drm_gaudi_nic_error *error)
{
	unsigned int n = 0;
	int ret;

	do {
		ret = nic_error(fd, error);
	} while (ret == -ENODATA && again(&n));
	return ret;
}

int nic_find_link(int fd)
{
	struct drm_gaudi_nic_port_info info;
	uint32_t port;

	for (port = 0; port < GAUDI_NIC_NUM_PORTS; port++)
		if (!nic_port_info(fd, port, &info) &&
		    info.flags & GAUDI_NIC_PORT_LINK_UP)
			return (int)port;
	return -ENOLINK;
}

int nic_wait_link(int fd, uint32_t port, bool up)
{
	struct drm_gaudi_nic_port_info info;
	unsigned int n = 0;

	do {
		if (!nic_port_info(fd, port, &info) &&
		    !(info.flags & GAUDI_NIC_PORT_LINK_UP) == !up)
			return 0;
	} while (again(&n));
	return -ETIMEDOUT;
}

int nic_wait_changes(int fd, uint32_t port, uint32_t changes)
{
	struct drm_gaudi_nic_port_info info;
	unsigned int n = 0;

	do {
		if (!nic_port_info(fd, port, &info) &&
		    info.link_changes >= changes)
			return 0;
	} while (again(&n));
	return -ETIMEDOUT;
}

/* --- cards ---------------------------------------------------------------- */

int card_write(unsigned int card, const char *name, const char *value)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/class/accel/accel%u/device/%s", card,
		 name);
	return gt_write_file(path, value);
}

int card_open(unsigned int card)
{
	char path[64];
	unsigned int n = 0;
	int fd;

	snprintf(path, sizeof(path), "/dev/accel/accel%u", card);
	/* A new node is there a moment before DRM knows its number: ENODEV. */
	do {
		fd = open(path, O_RDWR | O_CLOEXEC);
	} while (fd < 0 && (errno == EAGAIN || errno == EBUSY ||
			    errno == ENODEV) && again(&n));
	return fd < 0 ? -errno : fd;
}

uint64_t card_hbm(int fd, uint64_t size)
{
	union hl_mem_args args = { .in = { .op = HL_MEM_OP_ALLOC,
					   .alloc.mem_size = size } };

	if (gt_ioctl(fd, DRM_IOCTL_HL_MEMORY, &args))
		return 0;
	args = (union hl_mem_args){ .in = { .op = HL_MEM_OP_MAP,
			.map_device.handle = args.out.handle } };
	if (gt_ioctl(fd, DRM_IOCTL_HL_MEMORY, &args))
		return 0;
	return args.out.device_virt_addr;
}

int end_open(struct end *e, unsigned int card)
{
	int ret;

	memset(e, 0, sizeof(*e));
	e->card = card;
	e->fd = card_open(card);
	if (e->fd < 0)
		return e->fd;
	ret = nic_find_link(e->fd);
	if (ret < 0)
		return ret;
	e->port = (uint32_t)ret;
	e->mem = gt_alloc(END_SIZE);
	if (!e->mem)
		return -ENOMEM;
	ret = gt_map_host(e->fd, e->mem, END_SIZE, &e->va);
	return ret ? ret : gt_cb_create(e->fd, 4096, &e->cb);
}

void end_close(struct end *e)
{
	if (e->cb.map)
		gt_cb_destroy(e->fd, &e->cb);
	if (e->fd > 0)
		close(e->fd);
	if (e->mem)
		munmap(e->mem, END_SIZE);
	memset(e, 0, sizeof(*e));
	e->fd = -1;
}

int end_queues(struct end *e)
{
	struct drm_gaudi_nic_wq wq = {
		.addr = e->va + SEND_WQS, .port = e->port,
		.type = GAUDI_NIC_WQ_SEND, .num_wqs = NUM_WQS,
		.num_entries = WQ_ENTRIES,
	};
	struct drm_gaudi_nic_cq cq = {
		.addr = e->va + CQ, .port = e->port, .num_entries = CQ_ENTRIES,
	};
	int ret;

	ret = nic_call(e->fd, GAUDI_NIC_OP_USER_WQ_SET, &wq, sizeof(wq), NULL, 0);
	wq.addr = e->va + RECV_WQS;
	wq.type = GAUDI_NIC_WQ_RECV;
	if (!ret)
		ret = nic_call(e->fd, GAUDI_NIC_OP_USER_WQ_SET, &wq, sizeof(wq),
			       NULL, 0);
	if (!ret)
		ret = nic_call(e->fd, GAUDI_NIC_OP_USER_CQ_SET, &cq, sizeof(cq),
			       NULL, 0);
	return ret;
}

int set_req_ctx(struct end *e, uint32_t dst, uint32_t rkey, uint8_t timer)
{
	struct drm_gaudi_nic_req_ctx in = {
		.port = e->port, .conn_id = e->conn, .dst_conn_id = dst,
		.rkey = rkey, .src_ip = IP(e->card), .dst_ip = IP(!e->card),
		.dst_mac = { 0xb0, 0xfd, 0x0b, 1, 2, 3 }, .timer_log2 = timer,
		.psn = 0xfffff0,
	};

	return nic_call(e->fd, GAUDI_NIC_OP_SET_REQ_CTX, &in, sizeof(in), NULL, 0);
}

int replace_req_ctx(struct end *e, uint32_t dst, uint32_t rkey, uint8_t timer)
{
	unsigned int try;
	int ret = -EBUSY;

	/* Tries may take longer than all else that is waited for here. */
	for (try = 0; try < 6000 && ret == -EBUSY; try++) {
		if (try)
			usleep(10000);
		ret = set_req_ctx(e, dst, rkey, timer);
	}
	return ret;
}

int set_res_ctx(struct end *e, uint32_t dst, uint32_t lkey, uint32_t *key)
{
	struct drm_gaudi_nic_res_ctx in = {
		.port = e->port, .conn_id = e->conn, .dst_conn_id = dst,
		.lkey = lkey, .src_ip = IP(e->card), .dst_ip = IP(!e->card),
		.dst_mac = { 0xb0, 0xfd, 0x0b, 1, 2, 3 }, .psn = 0xfffff0,
	};
	struct drm_gaudi_nic_res_key out = { 0 };
	int ret = nic_call(e->fd, GAUDI_NIC_OP_SET_RES_CTX, &in, sizeof(in),
			   &out, sizeof(out));

	*key = out.lkey;
	return ret;
}

int connect_ends(struct end *a, struct end *b)
{
	uint32_t key_a, key_b;
	int ret;

	ret = nic_alloc(a->fd, a->port, &a->conn);
	if (!ret)
		ret = nic_alloc(b->fd, b->port, &b->conn);
	if (!ret)
		ret = set_res_ctx(a, b->conn, KEY_A, &key_a);
	if (!ret)
		ret = set_res_ctx(b, a->conn, 0, &key_b);
	if (!ret)
		ret = set_req_ctx(a, b->conn, key_b, 8);
	if (!ret)
		ret = set_req_ctx(b, a->conn, key_a, 8);
	a->pi = 0;
	b->pi = 0;
	return ret;
}

/* What is missing; NULL: a and b are open, or *ret is an error. */
static const char *missing(struct end *a, struct end *b, int *ret)
{
	b->fd = card_open(1);
	*ret = b->fd < 0 ? b->fd : 0;
	if (b->fd == -ENOENT)
		return "no second card";
	if (*ret)
		return NULL;
	if (!gt_has(b->fd, GAUDI_CAP_NIC))
		return "the driver uses no ports";
	close(b->fd);
	*ret = end_open(b, 1);
	if (!*ret)
		*ret = end_open(a, 0);
	return *ret == -ENOLINK ? "no cable between the first two cards" : NULL;
}

int pair_open(struct end *a, struct end *b, const char **why)
{
	int ret;

	memset(a, 0, sizeof(*a));
	memset(b, 0, sizeof(*b));
	a->fd = -1;
	*why = missing(a, b, &ret);
	if (*why) {
		end_close(a);
		end_close(b);
		return 0;
	}
	if (!ret)
		ret = end_queues(a);
	if (!ret)
		ret = end_queues(b);
	return ret ? ret : connect_ends(a, b);
}

/* --- entries ---------------------------------------------------------------- */

void put_wqe(struct end *e, uint32_t index, const struct wqe *wqe)
{
	uint32_t *at = (uint32_t *)(e->mem + SEND_WQS) +
		       8 * (e->conn * WQ_ENTRIES + index % WQ_ENTRIES);

	memset(at, 0, 32);
	at[0] = wqe->opcode << 28 | 1u << 27;
	at[1] = (uint32_t)wqe->local;
	at[2] = (uint32_t)(wqe->local >> 32) | wqe->size << 18;
	at[3] = (uint32_t)wqe->remote;
	at[4] = (uint32_t)(wqe->remote >> 32);
	if (wqe->told) {
		at[5] = wqe->sob | 1u << 31;
		at[6] = wqe->sob_data;
	}
}

void put_local(struct end *e, uint32_t index, uint32_t sob, uint32_t data,
	       bool cq)
{
	uint32_t *at = (uint32_t *)(e->mem + RECV_WQS) +
		       2 * (e->conn * WQ_ENTRIES + index % WQ_ENTRIES);

	at[0] = data;
	at[1] = sob | (uint32_t)cq << 30 | 1u << 31;
}

int ring_bell(struct end *e, uint32_t conn, uint32_t pi)
{
	/* Who has waited for the submission has not waited for this queue: the last ones stay. */
	uint32_t at = BELL + e->bells++ % NUM_BELLS * 16;
	uint32_t *bell = (uint32_t *)(e->mem + at), status;
	uint64_t value = GAUDI_NIC_DOORBELL(conn, pi), seq;
	struct hl_cs_chunk chunk[2] = {
		{ .cb_handle = e->cb.handle },
		{ .cb_handle = e->va + at, .cb_size = 16,
		  .queue_index = NIC_QUEUE(e->port) },
	};
	int ret;

	/* WREG_BULK of one value to offset 0. */
	bell[0] = 1;
	bell[1] = 0x02u << 24 | MB;
	bell[2] = (uint32_t)value;
	bell[3] = (uint32_t)(value >> 32);
	chunk[0].cb_size = gt_pkt_nop(e->cb.map, 0);
	ret = gt_submit_chunks(e->fd, chunk, 2, 0, &seq);
	return ret ? ret : gt_wait(e->fd, seq, 5 * SECOND_US, &status);
}

int post(struct end *e, const struct wqe *wqe)
{
	put_wqe(e, e->pi, wqe);
	e->pi++;
	return ring_bell(e, e->conn, e->pi % WQ_ENTRIES);
}

int wait_sob(struct end *e, uint32_t sob, uint32_t value)
{
	char *at = e->cb.map;
	uint32_t status;
	uint64_t seq;
	int ret;

	at += gt_pkt_monitor(at, 10, sob, value, DMA_FENCE2(1, 0));
	at += gt_pkt_fence(at, 2, 1, 1);
	e->cb.len = (uint32_t)(at - (char *)e->cb.map);
	ret = gt_submit(e->fd, 4, &e->cb, &seq);
	if (!ret)
		ret = gt_wait(e->fd, seq, 10 * SECOND_US, &status);
	if (!ret && status != HL_WAIT_CS_STATUS_COMPLETED)
		ret = -ETIMEDOUT;
	return ret;
}

int wait_bit(struct end *e, uint32_t offset, uint32_t bit)
{
	volatile uint32_t *word = (volatile uint32_t *)(e->mem + offset);
	unsigned int n = 0;

	while (!(*word & bit))
		if (!again(&n))
			return -ETIMEDOUT;
	__sync_synchronize();
	return 0;
}

int write_through(struct end *a, struct end *b, uint32_t size, uint32_t seed)
{
	struct wqe wqe = {
		.opcode = WQE_LINEAR, .local = a->va + SRC,
		.remote = b->va + DST, .size = size, .told = true,
		.sob = SOB_LBW(20), .sob_data = SOB_ADD_1,
	};
	int ret;

	gt_fill(a->mem + SRC, size, seed);
	memset(b->mem + DST, 0, size);
	ret = post(a, &wqe);
	if (!ret)
		ret = wait_sob(b, 20, ++b->sob);
	if (!ret && gt_check(b->mem + DST, size, seed) != -1)
		ret = -EILSEQ;
	return ret;
}

static void *traffic_thread(void *arg)
{
	struct traffic *t = arg;
	struct wqe wqe = { .opcode = WQE_LINEAR, .size = 16000,
			   .local = t->a->va + SRC, .remote = t->b->va + DST };
	uint32_t i, half = 0;

	for (i = 0; i < WQ_ENTRIES; i++)
		put_wqe(t->a, i, &wqe);
	while (!t->stop) {
		half = !half;
		t->result = ring_bell(t->a, t->a->conn, half * WQ_ENTRIES / 2);
		if (t->result)
			break;
		t->rounds++;
	}
	return NULL;
}

int traffic_start(struct traffic *t, struct end *a, struct end *b)
{
	memset(t, 0, sizeof(*t));
	t->a = a;
	t->b = b;
	if (pthread_create(&t->thread, NULL, traffic_thread, t))
		return -ENOMEM;
	while (t->rounds < 5)
		usleep(1000);
	return 0;
}

int traffic_stop(struct traffic *t)
{
	t->stop = 1;
	pthread_join(t->thread, NULL);
	return t->result;
}

/* What two processes tell each other of their ends. */
struct told {
	uint64_t va;
	uint32_t conn, key;
};

/* The one that has card 1, sends until it is killed. */
static void peer_process(struct end *a, struct end *b, int in, int out)
{
	struct told mine = { 0 }, its;
	struct traffic t;

	close(a->fd);
	if (end_open(b, 1) || end_queues(b) ||
	    nic_alloc(b->fd, b->port, &b->conn) ||
	    set_res_ctx(b, a->conn, 0, &mine.key))
		_exit(1);
	mine.va = b->va;
	mine.conn = b->conn;
	if (write(out, &mine, sizeof(mine)) != sizeof(mine) ||
	    read(in, &its, sizeof(its)) != sizeof(its) ||
	    set_req_ctx(b, its.conn, its.key, 8) || traffic_start(&t, b, a) ||
	    write(out, "", 1) != 1)
		_exit(1);
	while (1)
		pause();
}

pid_t peer_start(struct end *a, struct end *b, struct traffic *t)
{
	struct told mine = { .va = a->va, .conn = a->conn }, its;
	int to[2], from[2];
	bool works;
	pid_t pid;
	char c;

	end_close(b);
	if (pipe(to) || pipe(from))
		return -1;
	pid = fork();
	if (!pid)
		peer_process(a, b, to[0], from[1]);
	close(to[0]);
	close(from[1]);
	works = read(from[0], &its, sizeof(its)) == sizeof(its) &&
		!set_res_ctx(a, its.conn, 0, &mine.key) &&
		!replace_req_ctx(a, its.conn, its.key, 8) &&
		write(to[1], &mine, sizeof(mine)) == sizeof(mine) &&
		read(from[0], &c, 1) == 1;
	close(to[1]);
	close(from[0]);
	a->pi = 0;
	b->va = its.va;
	return works && !traffic_start(t, a, b) ? pid : -1;
}

int connect_again(struct end *a, struct end *b)
{
	int ret = end_open(b, 1);

	if (!ret)
		ret = end_queues(b);
	if (!ret)
		ret = nic_destroy(a->fd, a->port, a->conn);
	if (!ret)
		ret = connect_ends(a, b);
	return ret ? ret : write_through(a, b, 10000, 1);
}
