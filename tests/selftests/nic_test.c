// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proves: ports are announced; connections have owners and numbers; their contexts
 * are what was asked for and no more; between two cards data, sync objects and
 * completions arrive.
 */
#include <stdio.h>
#include <string.h>

#include "lib/fixture.h"
#include "lib/nic.h"

/* One card whose port has a link. */
FIXTURE(nic)
{
	struct end a;
};

FIXTURE_SETUP(nic)
{
	int ret;

	self->a.fd = card_open(0);
	if (self->a.fd == -ENOENT)
		SKIP(return, "no Gaudi card");
	ASSERT_GE(self->a.fd, 0);
	if (!gt_has(self->a.fd, GAUDI_CAP_NIC)) {
		end_close(&self->a);
		SKIP(return, "the driver uses no ports");
	}
	close(self->a.fd);
	ret = end_open(&self->a, 0);
	if (ret == -ENOLINK) {
		end_close(&self->a);
		SKIP(return, "no cable");
	}
	ASSERT_EQ(0, ret);
}

FIXTURE_TEARDOWN(nic)
{
	end_close(&self->a);
}

/* A context's field, by its first bit and its width. */
static uint64_t field(const uint32_t *words, unsigned int bit,
		      unsigned int width)
{
	uint64_t value = 0;
	unsigned int i;

	for (i = 0; i < width; i++, bit++)
		value |= (uint64_t)(words[bit / 32] >> bit % 32 & 1) << i;
	return value;
}

TEST_F(nic, ports_are_announced)
{
	struct drm_gaudi_query query = { .id = GAUDI_QUERY_NIC_PORTS };
	struct drm_gaudi_nic_port_info info;
	uint32_t port;

	ASSERT_EQ(0, gt_ioctl(self->a.fd, DRM_IOCTL_GAUDI_QUERY, &query));
	EXPECT_TRUE(query.value >> self->a.port & 1);
	for (port = 0; port < GAUDI_NIC_NUM_PORTS; port++) {
		ASSERT_EQ(0, nic_port_info(self->a.fd, port, &info));
		EXPECT_EQ(port, info.port);
		EXPECT_EQ(query.value >> port & 1,
			  info.flags & GAUDI_NIC_PORT_ENABLED);
		EXPECT_EQ(100000, info.speed_mbps);
		/* An address of one station. */
		EXPECT_EQ(0, info.mac[0] & 1);
	}
	EXPECT_EQ(-ENXIO, nic_port_info(self->a.fd, port, &info));
	query.id = GAUDI_QUERY_NIC_EXTERNAL_PORTS;
	ASSERT_EQ(0, gt_ioctl(self->a.fd, DRM_IOCTL_GAUDI_QUERY, &query));
	EXPECT_EQ(0, query.value >> GAUDI_NIC_NUM_PORTS);
}

TEST_F(nic, calls_are_checked)
{
	struct {
		struct drm_gaudi_nic_conn conn;
		uint32_t more;
	} in = { .conn.port = self->a.port };
	struct drm_gaudi_nic args = {
		.in_ptr = (uintptr_t)&in, .in_size = sizeof(in.conn),
		.out_ptr = (uintptr_t)&in, .out_size = sizeof(in.conn),
	};
	static const uint32_t other_ops[] = {
		4, 5, 6, 7, 8, 14, 17, 28, 30, 0x102, 0xffffffff,
	};
	unsigned int i;
	int fd = self->a.fd;

	for (i = 0; i < sizeof(other_ops) / sizeof(other_ops[0]); i++)
		EXPECT_EQ(-ENOTTY, nic_call(fd, other_ops[i], &in, 8, &in, 8));
	args.ctx = 1;
	EXPECT_EQ(-EINVAL, gt_ioctl(fd, DRM_IOCTL_GAUDI_NIC, &args));
	args.ctx = 0;
	args.in_size = 7;
	EXPECT_EQ(-EINVAL, gt_ioctl(fd, DRM_IOCTL_GAUDI_NIC, &args));
	args.in_size = 8;
	args.out_size = 7;
	EXPECT_EQ(-EINVAL, gt_ioctl(fd, DRM_IOCTL_GAUDI_NIC, &args));
	args.out_size = 8;
	args.in_ptr = 8;
	EXPECT_EQ(-EFAULT, gt_ioctl(fd, DRM_IOCTL_GAUDI_NIC, &args));
	args.in_ptr = (uintptr_t)&in;
	/* What is behind the structure may be there if it is zero. */
	args.in_size = sizeof(in);
	in.more = 1;
	EXPECT_EQ(-E2BIG, gt_ioctl(fd, DRM_IOCTL_GAUDI_NIC, &args));
	in.more = 0;
	/* Who could not be told has no connection either. */
	args.out_ptr = 8;
	EXPECT_EQ(-EFAULT, gt_ioctl(fd, DRM_IOCTL_GAUDI_NIC, &args));
	args.out_ptr = (uintptr_t)&in;
	EXPECT_EQ(0, gt_ioctl(fd, DRM_IOCTL_GAUDI_NIC, &args));
	EXPECT_EQ(1, in.conn.conn_id);
	args.in_size = 0xffffffff;
	EXPECT_EQ(-E2BIG, gt_ioctl(fd, DRM_IOCTL_GAUDI_NIC, &args));
	args.in_size = sizeof(in);
	in.conn.conn_id = 0;
	in.conn.port = GAUDI_NIC_NUM_PORTS;
	EXPECT_EQ(-ENXIO, gt_ioctl(fd, DRM_IOCTL_GAUDI_NIC, &args));
	in.conn.port = 0x80000000u;
	EXPECT_EQ(-ENXIO, gt_ioctl(fd, DRM_IOCTL_GAUDI_NIC, &args));
}

TEST_F(nic, numbers_are_used_again)
{
	uint32_t i, conn, port = self->a.port;
	int fd = self->a.fd;

	for (i = 1; i <= GAUDI_NIC_MAX_CONN; i++) {
		ASSERT_EQ(0, nic_alloc(fd, port, &conn));
		ASSERT_EQ(i, conn);
	}
	EXPECT_EQ(-ENOSPC, nic_alloc(fd, port, &conn));
	EXPECT_EQ(0, nic_destroy(fd, port, 700));
	EXPECT_EQ(-ENOENT, nic_destroy(fd, port, 700));
	EXPECT_EQ(0, nic_destroy(fd, port, 3));
	EXPECT_EQ(0, nic_alloc(fd, port, &conn));
	EXPECT_EQ(3, conn);
	EXPECT_EQ(0, nic_alloc(fd, port, &conn));
	EXPECT_EQ(700, conn);
	EXPECT_EQ(-ENOENT, nic_destroy(fd, port, 0));
	EXPECT_EQ(-ENOENT, nic_destroy(fd, port, GAUDI_NIC_MAX_CONN + 1));
	EXPECT_EQ(-ENOENT, nic_destroy(fd, port, 0xffffffff));
	/* The close of the file ends the rest: the next one begins with 1. */
	end_close(&self->a);
	self->a.fd = card_open(0);
	ASSERT_GE(self->a.fd, 0);
	EXPECT_EQ(-ENOENT, nic_destroy(self->a.fd, port, 1));
	EXPECT_EQ(0, nic_alloc(self->a.fd, port, &conn));
	EXPECT_EQ(1, conn);
}

TEST_F(nic, contexts_are_what_was_asked_for)
{
	struct drm_gaudi_nic_qp qp;
	struct end *a = &self->a;
	uint32_t key;

	ASSERT_EQ(0, end_queues(a));
	ASSERT_EQ(0, nic_alloc(a->fd, a->port, &a->conn));
	ASSERT_EQ(0, nic_dump(a->fd, a->port, a->conn, &qp));
	EXPECT_EQ(0, qp.flags);
	EXPECT_EQ(0, qp.req[15] | qp.res[7]);

	ASSERT_EQ(0, set_req_ctx(a, 0xabcdef, 0x12345678, 0));
	ASSERT_EQ(0, set_res_ctx(a, 0xfedcba, 0x87654321, &key));
	EXPECT_EQ(0x87654321, key);
	ASSERT_EQ(0, nic_dump(a->fd, a->port, a->conn, &qp));
	EXPECT_EQ(GAUDI_NIC_QP_REQUESTER | GAUDI_NIC_QP_RESPONDER, qp.flags);
	EXPECT_EQ(0, qp.num_errors);
	EXPECT_EQ(0xabcdef, field(qp.req, 0, 24));
	EXPECT_EQ(0x12345678, field(qp.req, 32, 32));
	EXPECT_EQ(0x0a000002, field(qp.req, 64, 32));
	EXPECT_EQ(0x0a000001, field(qp.req, 96, 32));
	EXPECT_EQ(0x0302010bfdb0ull, field(qp.req, 128, 48));
	EXPECT_EQ(0xfffff0, field(qp.req, 192, 24));
	EXPECT_EQ(0xfffff0, field(qp.req, 224, 24));
	EXPECT_EQ(14, field(qp.req, 248, 7));
	EXPECT_EQ(WQ_ENTRIES - 1, field(qp.req, 392, 22));
	EXPECT_EQ(a->conn, field(qp.req, 480, 24));
	EXPECT_EQ(0xfedcba, field(qp.res, 0, 24));
	EXPECT_EQ(0x87654321, field(qp.res, 32, 32));
	EXPECT_EQ(0xfffff0, field(qp.res, 192, 24));
	/* Valid, and without any right. */
	EXPECT_EQ(1, field(qp.req, 511, 1));
	EXPECT_EQ(0, field(qp.req, 507, 2));
	EXPECT_EQ(1, field(qp.res, 255, 1));
	EXPECT_EQ(0, field(qp.res, 252, 2));

	ASSERT_EQ(0, nic_destroy(a->fd, a->port, a->conn));
	EXPECT_EQ(-ENOENT, nic_dump(a->fd, a->port, a->conn, &qp));
	EXPECT_EQ(-ENOENT, set_req_ctx(a, 1, 1, 0));
	EXPECT_EQ(-ENOENT, set_res_ctx(a, 1, 1, &key));
	/* The number again: nothing of the former one. */
	ASSERT_EQ(0, nic_alloc(a->fd, a->port, &a->conn));
	ASSERT_EQ(0, nic_dump(a->fd, a->port, a->conn, &qp));
	EXPECT_EQ(0, qp.flags);
}

TEST_F(nic, keys_are_drawn_by_chance)
{
	uint32_t key[3], i;
	struct end *a = &self->a;

	for (i = 0; i < 3; i++) {
		ASSERT_EQ(0, nic_alloc(a->fd, a->port, &a->conn));
		ASSERT_EQ(0, set_res_ctx(a, 1, 0, &key[i]));
		EXPECT_NE(0, key[i]);
	}
	/* Three equal ones of 2^32 are no chance. */
	EXPECT_FALSE(key[0] == key[1] && key[1] == key[2]);
}

TEST_F(nic, values_out_of_range_are_refused)
{
	struct drm_gaudi_nic_req_ctx req = { .port = self->a.port };
	struct drm_gaudi_nic_res_ctx res = { .port = self->a.port };
	struct drm_gaudi_nic_res_key key;
	struct end *a = &self->a;

	/* No queue yet. */
	ASSERT_EQ(0, nic_alloc(a->fd, a->port, &a->conn));
	EXPECT_EQ(-EINVAL, set_req_ctx(a, 1, 1, 0));
	ASSERT_EQ(0, end_queues(a));
	EXPECT_EQ(0, set_req_ctx(a, 1, 1, 0));
	req.conn_id = a->conn;
	res.conn_id = a->conn;
#define REQ(field, value, result)					\
	do {								\
		struct drm_gaudi_nic_req_ctx r = req;			\
									\
		r.field = value;					\
		EXPECT_EQ(result, nic_call(a->fd, GAUDI_NIC_OP_SET_REQ_CTX, \
					   &r, sizeof(r), NULL, 0));	\
	} while (0)
#define RES(field, value, result)					\
	do {								\
		struct drm_gaudi_nic_res_ctx r = res;			\
									\
		r.field = value;					\
		EXPECT_EQ(result, nic_call(a->fd, GAUDI_NIC_OP_SET_RES_CTX, \
					   &r, sizeof(r), &key, sizeof(key))); \
	} while (0)
	REQ(dst_conn_id, 1u << 24, -EINVAL);
	REQ(psn, 1u << 24, -EINVAL);
	REQ(priority, 4, -EINVAL);
	REQ(timer_log2, 32, -EINVAL);
	REQ(wq_entries, 1, -EINVAL);
	REQ(wq_entries, WQ_ENTRIES + 1, -EINVAL);
	REQ(wq_entries, WQ_ENTRIES - 1, 0);
	REQ(flags, 1, -EINVAL);
	REQ(pad, 1, -EINVAL);
	REQ(port, GAUDI_NIC_NUM_PORTS, -ENXIO);
	RES(dst_conn_id, 1u << 24, -EINVAL);
	RES(psn, 1u << 24, -EINVAL);
	RES(priority, 4, -EINVAL);
	RES(flags, 2, -EINVAL);
	RES(pad, 1, -EINVAL);
	RES(flags, GAUDI_NIC_RES_ANY_PSN, 0);
	/* A connection beyond the queues. */
	while (a->conn < NUM_WQS)
		ASSERT_EQ(0, nic_alloc(a->fd, a->port, &a->conn));
	EXPECT_EQ(-EINVAL, set_req_ctx(a, 1, 1, 0));
}

static int wq_set(struct end *e, uint64_t addr, uint32_t type, uint32_t wqs,
		  uint32_t entries)
{
	struct drm_gaudi_nic_wq wq = {
		.addr = addr, .port = e->port, .type = type, .num_wqs = wqs,
		.num_entries = entries,
	};

	return nic_call(e->fd, GAUDI_NIC_OP_USER_WQ_SET, &wq, sizeof(wq), NULL, 0);
}

static int wq_unset(struct end *e, uint32_t type)
{
	struct drm_gaudi_nic_wq wq = { .port = e->port, .type = type };

	return nic_call(e->fd, GAUDI_NIC_OP_USER_WQ_UNSET, &wq, sizeof(wq), NULL,
			0);
}

TEST_F(nic, queues_are_checked)
{
	struct end *a = &self->a;

	EXPECT_EQ(-EINVAL, wq_set(a, a->va, 2, 8, 64));
	EXPECT_EQ(-EINVAL, wq_set(a, a->va, 0, 1, 64));
	EXPECT_EQ(-EINVAL, wq_set(a, a->va, 0, 1025, 64));
	EXPECT_EQ(-EINVAL, wq_set(a, a->va, 0, 8, 0));
	EXPECT_EQ(-EINVAL, wq_set(a, a->va, 0, 8, 8));
	EXPECT_EQ(-EINVAL, wq_set(a, a->va, 0, 8, 96));
	EXPECT_EQ(-EINVAL, wq_set(a, a->va, 0, 8, 1 << 22));
	EXPECT_EQ(-EINVAL, wq_set(a, a->va + 64, 0, 8, 64));
	/* Registers, SRAM, the driver's part of HBM, and past the ends. */
	EXPECT_EQ(-EINVAL, wq_set(a, CFG_BASE, 0, 8, 64));
	EXPECT_EQ(-EINVAL, wq_set(a, SRAM_BASE, 0, 8, 64));
	EXPECT_EQ(-EINVAL, wq_set(a, 0x1c000000, 0, 8, 64));
	EXPECT_EQ(-EINVAL, wq_set(a, 0x20000000 - 128, 0, 8, 64));
	EXPECT_EQ(-EINVAL, wq_set(a, 0x800000000ull - 128, 0, 8, 64));
	EXPECT_EQ(-EINVAL, wq_set(a, 0x8000000000ull, 0, 8, 64));
	EXPECT_EQ(-EINVAL, wq_set(a, 0x27fc000000000ull - 128, 0, 8, 64));
	EXPECT_EQ(-EINVAL, wq_set(a, ~0ull << 7, 0, 8, 64));
	EXPECT_EQ(-EINVAL, wq_unset(a, 0));
	EXPECT_EQ(-EINVAL, wq_unset(a, 2));

	EXPECT_EQ(0, wq_set(a, a->va, 0, 8, 64));
	EXPECT_EQ(-EBUSY, wq_set(a, a->va, 0, 8, 64));
	EXPECT_EQ(-EINVAL, wq_set(a, a->va, 1, 8, 128));
	EXPECT_EQ(0, wq_set(a, a->va + RECV_WQS, 1, 8, 64));
	ASSERT_EQ(0, nic_alloc(a->fd, a->port, &a->conn));
	EXPECT_EQ(0, set_req_ctx(a, 1, 1, 0));
	EXPECT_EQ(-EBUSY, wq_unset(a, 0));
	EXPECT_EQ(-EBUSY, wq_unset(a, 1));
	EXPECT_EQ(0, nic_destroy(a->fd, a->port, a->conn));
	EXPECT_EQ(0, wq_unset(a, 0));
	EXPECT_EQ(0, wq_unset(a, 1));
	EXPECT_EQ(0, wq_set(a, a->va, 0, 1024, 1 << 21));
}

static int cq_call(struct end *e, uint32_t op, uint64_t addr, uint32_t entries)
{
	struct drm_gaudi_nic_cq cq = { .addr = addr, .port = e->port,
				       .num_entries = entries };

	return nic_call(e->fd, op, &cq, sizeof(cq), NULL, 0);
}

static int cq_ci(struct end *e, uint32_t ci)
{
	struct drm_gaudi_nic_cq_ci in = { .port = e->port, .ci = ci };

	return nic_call(e->fd, GAUDI_NIC_OP_USER_CQ_UPDATE_CI, &in, sizeof(in),
			NULL, 0);
}

TEST_F(nic, completion_queues_are_checked)
{
	struct end *a = &self->a;

	EXPECT_EQ(-EINVAL, cq_ci(a, 0));
	EXPECT_EQ(-EINVAL, cq_call(a, GAUDI_NIC_OP_USER_CQ_UNSET, 0, 0));
	EXPECT_EQ(-EINVAL, cq_call(a, GAUDI_NIC_OP_USER_CQ_SET, a->va, 8));
	EXPECT_EQ(-EINVAL, cq_call(a, GAUDI_NIC_OP_USER_CQ_SET, a->va, 1 << 22));
	EXPECT_EQ(-EINVAL, cq_call(a, GAUDI_NIC_OP_USER_CQ_SET, a->va + 8, 16));
	EXPECT_EQ(-EINVAL, cq_call(a, GAUDI_NIC_OP_USER_CQ_SET, CFG_BASE, 16));
	EXPECT_EQ(0, cq_call(a, GAUDI_NIC_OP_USER_CQ_SET, a->va, 16));
	EXPECT_EQ(-EBUSY, cq_call(a, GAUDI_NIC_OP_USER_CQ_SET, a->va, 16));
	EXPECT_EQ(0, cq_ci(a, 0));
	EXPECT_EQ(0, cq_call(a, GAUDI_NIC_OP_USER_CQ_UNSET, 0, 0));
}

TEST_F(nic, parameters_of_a_port)
{
	struct drm_gaudi_nic_port in = { .port = self->a.port };
	struct drm_gaudi_nic_params p = { .port = self->a.port }, got;
	int fd = self->a.fd;
	uint32_t key;

#define SET()	nic_call(fd, GAUDI_NIC_OP_SET_APP_PARAMS, &p, sizeof(p), NULL, 0)
#define GET()	nic_call(fd, GAUDI_NIC_OP_GET_APP_PARAMS, &in, sizeof(in), \
			 &got, sizeof(got))
	ASSERT_EQ(0, GET());
	EXPECT_EQ(1, got.first_conn);
	EXPECT_EQ(GAUDI_NIC_MAX_CONN, got.num_conns);
	EXPECT_EQ(0, got.used_conns);
	EXPECT_EQ(0, got.num_wqs | got.num_entries | got.num_cqes);
	EXPECT_EQ(7, got.timeout_retries);
	EXPECT_EQ(16383, got.max_message);
	p.timeout_retries = 2;
	p.recv_ring_log2 = 6;
	p.recv_ring_addr = self->a.va;
	EXPECT_EQ(-EINVAL, SET());
	p.recv_ring_log2 = 31;
	EXPECT_EQ(-EINVAL, SET());
	p.recv_ring_log2 = 12;
	p.recv_ring_addr = CFG_BASE;
	EXPECT_EQ(-EINVAL, SET());
	p.recv_ring_addr = self->a.va;
	p.num_cqes = 1;
	EXPECT_EQ(-EINVAL, SET());
	p.num_cqes = 0;
	EXPECT_EQ(0, SET());
	ASSERT_EQ(0, nic_alloc(fd, self->a.port, &self->a.conn));
	ASSERT_EQ(0, set_res_ctx(&self->a, 1, 0, &key));
	ASSERT_EQ(0, GET());
	EXPECT_EQ(2, got.timeout_retries);
	EXPECT_EQ(12, got.recv_ring_log2);
	EXPECT_EQ(self->a.va, got.recv_ring_addr);
	EXPECT_EQ(1, got.used_conns);
	/* Who receives uses the ring. */
	p.recv_ring_log2 = 13;
	EXPECT_EQ(-EBUSY, SET());
	p.recv_ring_log2 = 12;
	p.timeout_retries = 3;
	EXPECT_EQ(0, SET());
	/* And all of it ends with the file. */
	end_close(&self->a);
	fd = self->a.fd = card_open(0);
	ASSERT_EQ(0, GET());
	EXPECT_EQ(7, got.timeout_retries);
	EXPECT_EQ(0, got.recv_ring_log2 | got.used_conns);
}

TEST_F(nic, ports_that_are_off)
{
	struct drm_gaudi_query query = { .id = GAUDI_QUERY_NIC_PORTS };
	struct drm_gaudi_nic_port_info info;
	uint32_t port, conn;

	ASSERT_EQ(0, gt_ioctl(self->a.fd, DRM_IOCTL_GAUDI_QUERY, &query));
	for (port = 0; port < GAUDI_NIC_NUM_PORTS; port++) {
		if (query.value >> port & 1)
			continue;
		EXPECT_EQ(-ENXIO, nic_alloc(self->a.fd, port, &conn));
		EXPECT_EQ(-EINVAL, ring_bell(&(struct end){
			.fd = self->a.fd, .port = port, .mem = self->a.mem,
			.va = self->a.va, .cb = self->a.cb }, 1, 1));
		ASSERT_EQ(0, nic_port_info(self->a.fd, port, &info));
		EXPECT_EQ(0, info.flags & ~GAUDI_NIC_PORT_EXTERNAL);
	}
}

/* --- two cards -------------------------------------------------------------- */

FIXTURE(pair)
{
	struct end a, b;
};

FIXTURE_SETUP(pair)
{
	const char *why = NULL;

	ASSERT_EQ(0, pair_open(&self->a, &self->b, &why));
	if (why)
		SKIP(return, "%s", why);
}

FIXTURE_TEARDOWN(pair)
{
	end_close(&self->a);
	end_close(&self->b);
}

TEST_F(pair, host_memory_to_host_memory)
{
	static const uint32_t size[] = { 1, 100, 4096, 4097, 16383 };
	unsigned int i, round;

	for (round = 0; round < 20; round++)
		for (i = 0; i < sizeof(size) / sizeof(size[0]); i++)
			ASSERT_EQ(0, write_through(&self->a, &self->b, size[i],
						   round + i));
	/* And the other way. */
	for (i = 0; i < sizeof(size) / sizeof(size[0]); i++)
		ASSERT_EQ(0, write_through(&self->b, &self->a, size[i], i));
}

/* From HBM, a row of entries at a time; the last one tells at both ends. */
TEST_F(pair, hbm_to_hbm)
{
	struct end *a = &self->a, *b = &self->b;
	uint64_t src = card_hbm(a->fd, DATA_SIZE);
	uint64_t dst = card_hbm(b->fd, DATA_SIZE);
	struct wqe wqe = { .opcode = WQE_LINEAR, .size = 8192 };
	uint32_t i, n = WQ_ENTRIES / 2;

	ASSERT_NE(0, src);
	ASSERT_NE(0, dst);
	gt_fill(a->mem + SRC, DATA_SIZE, 7);
	a->cb.len = gt_pkt_lin_dma(a->cb.map, a->va + SRC, src, DATA_SIZE,
				   EB | MB);
	ASSERT_EQ(0, gt_run(a->fd, 0, &a->cb));
	for (i = 0; i < n; i++) {
		wqe.local = src + 8192 * i;
		wqe.remote = dst + 8192 * i;
		if (i == n - 1) {
			wqe.told = true;
			wqe.sob = SOB_LBW(20);
			wqe.sob_data = SOB_ADD_1;
		}
		put_wqe(a, i, &wqe);
	}
	put_local(a, n - 1, SOB_LBW(21), SOB_ADD_1, false);
	ASSERT_EQ(0, ring_bell(a, a->conn, n));
	ASSERT_EQ(0, wait_sob(b, 20, 1));
	ASSERT_EQ(0, wait_sob(a, 21, 1));
	b->cb.len = gt_pkt_lin_dma(b->cb.map, dst, b->va + DST, n * 8192,
				   EB | MB);
	ASSERT_EQ(0, gt_run(b->fd, 0, &b->cb));
	EXPECT_EQ(-1, gt_check(b->mem + DST, n * 8192, 7));
}

TEST_F(pair, completions)
{
	struct wqe wqe = { .opcode = WQE_LINEAR, .size = 64, .told = true,
			   .sob_data = 0xdeadbeef };
	bool swap = self->a.port & 1;
	struct end *a = swap ? &self->b : &self->a;
	struct end *b = swap ? &self->a : &self->b;
	uint32_t *cqe = (uint32_t *)(b->mem + CQ);

	/* Immediates of an even port are told by the odd one beside it. */
	if (!(b->port & 1))
		SKIP(return, "the cable is at an even port");
	wqe.local = a->va + SRC;
	wqe.remote = b->va + DST;
	ASSERT_EQ(0, post(a, &wqe));
	ASSERT_EQ(0, wait_bit(b, CQ + 4, 1u << 31));
	EXPECT_EQ(1, cqe[0] >> 23 & 1);
	EXPECT_EQ(1, cqe[0] >> 10 & 1);
	EXPECT_EQ(0xdeadbeef, (cqe[1] & 0x3fffff) | cqe[0] << 22);
}

/* And this is the odd port beside it, which needs no cable. */
TEST_F(pair, completions_of_an_even_port)
{
	bool swap = self->b.port & 1;
	struct end *a = swap ? &self->b : &self->a;
	struct end *b = swap ? &self->a : &self->b;
	struct drm_gaudi_nic_cq cq = {
		.addr = b->va + RING, .port = b->port + 1,
		.num_entries = CQ_ENTRIES,
	};
	struct wqe wqe = { .opcode = WQE_LINEAR, .told = true, .sob_data = 7 };
	uint32_t *cqe = (uint32_t *)(b->mem + RING);
	int ret;

	ret = nic_call(b->fd, GAUDI_NIC_OP_USER_CQ_SET, &cq, sizeof(cq), NULL, 0);
	if (ret == -ENXIO)
		SKIP(return, "the port beside it is off");
	ASSERT_EQ(0, ret);
	ASSERT_EQ(0, post(a, &wqe));
	ASSERT_EQ(0, wait_bit(b, RING + 4, 1u << 31));
	EXPECT_EQ(1, cqe[0] >> 23 & 1);
	EXPECT_EQ(0, cqe[0] >> 10 & 1);
	EXPECT_EQ(7, (cqe[1] & 0x3fffff) | cqe[0] << 22);
	EXPECT_EQ(0, *(uint32_t *)(b->mem + CQ + 4));
}

/* A requester's completions are in its own port's queue. */
TEST_F(pair, requester_completes_and_overruns)
{
	struct wqe wqe = { .opcode = WQE_LINEAR, .size = 64 };
	struct drm_gaudi_nic_error error;
	struct end *a = &self->a;
	uint32_t i, *cqe = (uint32_t *)(a->mem + CQ);

	wqe.local = a->va + SRC;
	wqe.remote = self->b.va + DST;
	for (i = 0; i < CQ_ENTRIES; i++) {
		put_local(a, i, 0, 0, true);
		ASSERT_EQ(0, post(a, &wqe));
		ASSERT_EQ(0, wait_bit(a, CQ + 8 * i + 4, 1u << 31));
		EXPECT_EQ(a->conn, cqe[2 * i] & 0x7fffff);
		EXPECT_EQ(i, cqe[2 * i + 1] & 0x3fffff);
	}
	EXPECT_EQ(-ENODATA, nic_error(a->fd, &error));
	/* None was taken. */
	put_local(a, i, 0, 0, true);
	ASSERT_EQ(0, post(a, &wqe));
	ASSERT_EQ(0, nic_wait_error(a->fd, &error));
	EXPECT_EQ(GAUDI_NIC_ERR_CQ_OVERRUN, error.flags);
	EXPECT_EQ(0, error.conn_id);
	EXPECT_EQ(a->port, error.port);
	/* With room there are completions again. */
	memset(cqe, 0, 8 * CQ_ENTRIES);
	ASSERT_EQ(0, cq_ci(a, CQ_ENTRIES));
	put_local(a, ++i, 0, 0, true);
	ASSERT_EQ(0, post(a, &wqe));
	ASSERT_EQ(0, wait_bit(a, CQ + 4, 1u << 31));
	EXPECT_EQ(i, cqe[1] & 0x3fffff);
}

TEST_F(pair, sends_fill_a_ring)
{
	struct end *a = &self->a, *b = &self->b;
	struct drm_gaudi_nic_params p = {
		.port = b->port, .recv_ring_log2 = RING_LOG2,
		.recv_ring_addr = b->va + RING,
	};
	struct wqe wqe = { .opcode = WQE_SEND, .size = 300, .told = true,
			   .sob = SOB_LBW(20), .sob_data = SOB_ADD_1 };

	ASSERT_EQ(0, nic_destroy(a->fd, a->port, a->conn));
	ASSERT_EQ(0, nic_destroy(b->fd, b->port, b->conn));
	ASSERT_EQ(0, nic_call(b->fd, GAUDI_NIC_OP_SET_APP_PARAMS, &p, sizeof(p),
			      NULL, 0));
	ASSERT_EQ(0, connect_ends(a, b));
	gt_fill(a->mem + SRC, 600, 3);
	wqe.local = a->va + SRC;
	ASSERT_EQ(0, post(a, &wqe));
	wqe.local = a->va + SRC + 300;
	ASSERT_EQ(0, post(a, &wqe));
	ASSERT_EQ(0, wait_sob(b, 20, 2));
	EXPECT_EQ(0, memcmp(b->mem + RING, a->mem + SRC, 300));
	EXPECT_EQ(0, memcmp(b->mem + RING + 384, a->mem + SRC + 300, 300));
}

/* Eight connections at a time, each with its own key and data. */
TEST_F(pair, connections_are_apart)
{
	struct end a[NUM_WQS - 1], b[NUM_WQS - 1];
	struct wqe wqe = { .opcode = WQE_LINEAR, .size = 8192, .told = true,
			   .sob = SOB_LBW(22), .sob_data = SOB_ADD_1 };
	uint32_t i;

	for (i = 0; i < NUM_WQS - 1; i++) {
		a[i] = self->a;
		b[i] = self->b;
		if (i)
			ASSERT_EQ(0, connect_ends(&a[i], &b[i]));
		gt_fill(self->a.mem + SRC + 8192 * i, 8192, 100 + i);
	}
	for (i = 0; i < NUM_WQS - 1; i++) {
		wqe.local = self->a.va + SRC + 8192 * i;
		wqe.remote = self->b.va + DST + 8192 * i;
		ASSERT_EQ(0, post(&a[i], &wqe));
	}
	ASSERT_EQ(0, wait_sob(&self->b, 22, NUM_WQS - 1));
	for (i = 0; i < NUM_WQS - 1; i++)
		EXPECT_EQ(-1, gt_check(self->b.mem + DST + 8192 * i, 8192,
				       100 + i));
}

TEST_F(pair, counters_count)
{
	struct drm_gaudi_nic_port_info before, after;

	ASSERT_EQ(0, nic_port_info(self->b.fd, self->b.port, &before));
	ASSERT_EQ(0, write_through(&self->a, &self->b, 10000, 1));
	ASSERT_EQ(0, nic_port_info(self->b.fd, self->b.port, &after));
	/* The data, and four bytes for the sync object. */
	EXPECT_EQ(10004, after.rx_bytes - before.rx_bytes);
	EXPECT_EQ(4, after.rx_packets - before.rx_packets);
	EXPECT_LE(1, after.tx_packets - before.tx_packets);
	EXPECT_EQ(before.dropped, after.dropped);
}

static int read_port_file(unsigned int card, uint32_t port, const char *name,
			  char *buf, size_t len)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/accel/accel%u/device/nic%u/%s",
		 card, port, name);
	f = fopen(path, "r");
	if (!f)
		return -errno;
	if (!fgets(buf, (int)len, f))
		*buf = 0;
	fclose(f);
	buf[strcspn(buf, "\n")] = 0;
	return 0;
}

/* What sysfs says is what the call says; and debugfs has all of it, too. */
TEST_F(pair, files_of_a_port)
{
	struct drm_gaudi_nic_port_info info;
	struct end *b = &self->b;
	char text[64], want[64];
	static const struct {
		const char *name;
		size_t at;
	} counter[] = {
#define COUNTER(field) \
	{ #field, offsetof(struct drm_gaudi_nic_port_info, field) }
		COUNTER(tx_packets), COUNTER(tx_bytes), COUNTER(rx_packets),
		COUNTER(rx_bytes), COUNTER(retries), COUNTER(out_of_order),
		COUNTER(duplicates), COUNTER(dropped),
	};
	unsigned int i;

	ASSERT_EQ(0, write_through(&self->a, b, 10000, 1));
	ASSERT_EQ(0, nic_port_info(b->fd, b->port, &info));
	ASSERT_EQ(0, read_port_file(1, b->port, "link", text, sizeof(text)));
	EXPECT_STREQ("up", text);
	ASSERT_EQ(0, read_port_file(1, b->port, "mac", text, sizeof(text)));
	snprintf(want, sizeof(want), "%02x:%02x:%02x:%02x:%02x:%02x",
		 info.mac[0], info.mac[1], info.mac[2], info.mac[3],
		 info.mac[4], info.mac[5]);
	EXPECT_STREQ(want, text);
	ASSERT_EQ(0, read_port_file(1, b->port, "speed_mbps", text,
				    sizeof(text)));
	EXPECT_STREQ("100000", text);
	for (i = 0; i < sizeof(counter) / sizeof(counter[0]); i++) {
		ASSERT_EQ(0, read_port_file(1, b->port, counter[i].name, text,
					    sizeof(text)));
		snprintf(want, sizeof(want), "%llu", *(unsigned long long *)
			 ((char *)&info + counter[i].at));
		EXPECT_STREQ(want, text);
	}
	EXPECT_NE(0, info.rx_bytes);
	EXPECT_EQ(-ENOENT, read_port_file(1, 10, "link", text, sizeof(text)));
}

/* The lines of debugfs that are about this connection. */
TEST_F(pair, connections_are_shown)
{
	char path[128], line[512], want[64], slot[64] = "";
	bool found = false, requester = false, responder = false;
	struct end *a = &self->a;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/accel/accel%u/device/pci_addr",
		 a->card);
	f = fopen(path, "r");
	ASSERT_NE(NULL, f);
	ASSERT_NE(NULL, fgets(slot, sizeof(slot), f));
	fclose(f);
	slot[strcspn(slot, "\n")] = 0;
	ASSERT_EQ(0, write_through(a, &self->b, 10000, 1));
	snprintf(path, sizeof(path),
		 "/sys/kernel/debug/accel/%s/nic_connections", slot);
	f = fopen(path, "r");
	if (!f)
		SKIP(return, "no debugfs");
	snprintf(want, sizeof(want), "NIC%u connection %u: pid %d, 0 errors",
		 a->port, a->conn, getpid());
	while (fgets(line, sizeof(line), f)) {
		if (!strncmp(line, "NIC", 3))
			found = !strncmp(line, want, strlen(want));
		requester |= found && strstr(line, "requester to 1: idle, producer 1,");
		responder |= found && strstr(line, "responder to 1: open, psn 0xfffff0");
	}
	fclose(f);
	EXPECT_TRUE(requester);
	EXPECT_TRUE(responder);
	snprintf(path, sizeof(path), "/sys/kernel/debug/accel/%s/nic_stats",
		 slot);
	f = fopen(path, "r");
	ASSERT_NE(NULL, f);
	snprintf(want, sizeof(want), "NIC%u statistics: link up,", a->port);
	found = false;
	while (fgets(line, sizeof(line), f))
		found |= !strncmp(line, want, strlen(want));
	fclose(f);
	EXPECT_TRUE(found);
}

/* A requester with work is not replaced, an idle one is. */
TEST_F(pair, requester_is_replaced)
{
	struct wqe wqe = { .opcode = WQE_LINEAR, .size = 64 };
	struct end *a = &self->a, *b = &self->b;
	uint32_t key;

	ASSERT_EQ(0, write_through(a, b, 100, 1));
	ASSERT_EQ(0, set_res_ctx(b, a->conn, 0, &key));
	ASSERT_EQ(0, replace_req_ctx(a, b->conn, key, 31));
	a->pi = 0;
	ASSERT_EQ(0, write_through(a, b, 100, 2));
	/* Nobody answers at that number. */
	ASSERT_EQ(0, replace_req_ctx(a, 77, key, 31));
	wqe.local = a->va + SRC;
	wqe.remote = b->va + DST;
	a->pi = 0;
	ASSERT_EQ(0, post(a, &wqe));
	EXPECT_EQ(-EBUSY, set_req_ctx(a, b->conn, key, 8));
	EXPECT_EQ(0, nic_destroy(a->fd, a->port, a->conn));
}

TEST_HARNESS_MAIN
