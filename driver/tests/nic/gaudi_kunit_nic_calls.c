// SPDX-License-Identifier: GPL-2.0-only
/*
 * The calls of uapi/drm/gaudi_nic.h: their table, what they refuse, and which registers
 * they write. Offsets stand here once more, as numbers. A card that answers is not
 * needed for these; the others are tests/selftests/nic_test.c's.
 */
#include "../../core/gaudi_ctx.h"
#include "../../nic/gaudi_nic_priv.h"
#include "../gaudi_kunit.h"

#define PORT		4u
#define TXE(off)	(0xcf2000 + 0x80000 + (off))
#define RXE(off)	(0xce9000 + 0x80000 + (off))
#define QPC(off)	(0xce4000 + 0x80000 + (off))
#define ADDR		0x1000000000080ull

struct calls {
	struct gaudi_ctx ctx;
	struct gaudi_nic nic;
	u64 out[DIV_ROUND_UP(GAUDI_NIC_MAX_ARGS, sizeof(u64))];
};

static int gaudi_kunit_nic_calls_init(struct kunit *test)
{
	struct calls *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, c);
	test->priv = c;
	c->ctx.gdev = gaudi_fake_device(test);
	gaudi_fake_regs(test, c->ctx.gdev);
	c->ctx.gdev->nic = &c->nic;
	c->ctx.gdev->nic_ports = BIT(PORT);
	mutex_init(&c->nic.lock);
	xa_init_flags(&c->nic.port[PORT].conns, XA_FLAGS_ALLOC1);
	return 0;
}

static void gaudi_kunit_nic_calls_exit(struct kunit *test)
{
	struct calls *c = test->priv;
	struct gaudi_nic_conn *conn;
	unsigned long id;

	xa_for_each(&c->nic.port[PORT].conns, id, conn)
		kfree(conn);
	xa_destroy(&c->nic.port[PORT].conns);
	mutex_destroy(&c->nic.lock);
}

static int gaudi_call(struct kunit *test, u32 op, const void *in)
{
	struct calls *c = test->priv;
	unsigned int i;
	int ret = -ENOTTY;

	mutex_lock(&c->nic.lock);
	for (i = 0; i < gaudi_nic_num_ops; i++)
		if (gaudi_nic_ops[i].op == op)
			ret = gaudi_nic_ops[i].fn(&c->ctx, &c->nic.port[PORT],
						  in, c->out);
	mutex_unlock(&c->nic.lock);
	return ret;
}

static u32 gaudi_reg(struct kunit *test, u32 off)
{
	struct calls *c = test->priv;

	return gaudi_fake_reg(c->ctx.gdev, off);
}

/* Each once; what names a port names it within its structure. */
static void gaudi_table(struct kunit *test)
{
	unsigned int i, j;

	KUNIT_EXPECT_EQ(test, gaudi_nic_num_ops, 14);
	for (i = 0; i < gaudi_nic_num_ops; i++) {
		const struct gaudi_nic_op *op = &gaudi_nic_ops[i];

		for (j = 0; j < i; j++)
			KUNIT_EXPECT_NE(test, op->op, gaudi_nic_ops[j].op);
		KUNIT_EXPECT_NOT_NULL(test, op->fn);
		KUNIT_EXPECT_LE(test, op->in_size, GAUDI_NIC_MAX_ARGS);
		KUNIT_EXPECT_LE(test, op->out_size, GAUDI_NIC_MAX_ARGS);
		if (op->in_size && !op->always)
			KUNIT_EXPECT_LE(test, op->port_at + 4, op->in_size);
	}
}

static void gaudi_nic_queues(struct kunit *test)
{
	static const struct drm_gaudi_nic_wq bad[] = {
		{ ADDR, PORT, 2, 8, 64 },	/* no such type */
		{ ADDR, PORT, 0, 1, 64 },	/* connection 1 has none */
		{ ADDR, PORT, 0, 1025, 64 },
		{ ADDR, PORT, 0, 8, 0 },
		{ ADDR, PORT, 0, 8, 8 },
		{ ADDR, PORT, 0, 8, 96 },
		{ ADDR, PORT, 0, 8, 1 << 22 },
		{ ADDR + 64, PORT, 0, 8, 64 },
		{ 0, PORT, 0, 8, 64 },
		{ 0x1c000000, PORT, 0, 8, 64 },	/* the driver's tables */
		{ 0x7fffff000ull, PORT, 0, 8, 64 },	/* over the end of HBM */
	};
	struct drm_gaudi_nic_wq send = { ADDR, PORT, 0, 8, 64 };
	struct drm_gaudi_nic_wq recv = { 0x20000000, PORT, 1, 1024, 64 };
	struct calls *c = test->priv;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_EQ_MSG(test, -EINVAL,
				    gaudi_call(test, GAUDI_NIC_OP_USER_WQ_SET, &bad[i]),
				    "%u", i);
	KUNIT_EXPECT_EQ(test, gaudi_reg(test, TXE(0x30)), ~0u);
	KUNIT_EXPECT_EQ(test, -EINVAL,
			gaudi_call(test, GAUDI_NIC_OP_USER_WQ_UNSET, &send));

	KUNIT_EXPECT_EQ(test, 0, gaudi_call(test, GAUDI_NIC_OP_USER_WQ_SET, &send));
	KUNIT_EXPECT_EQ(test, gaudi_reg(test, TXE(0x10)), 4);
	KUNIT_EXPECT_EQ(test, gaudi_reg(test, TXE(0x20)), 0x10000);
	KUNIT_EXPECT_EQ(test, gaudi_reg(test, TXE(0x30)), 0x80);
	KUNIT_EXPECT_EQ(test, -EBUSY, gaudi_call(test, GAUDI_NIC_OP_USER_WQ_SET, &send));
	/* Both kinds have as many entries. */
	recv.num_entries = 128;
	KUNIT_EXPECT_EQ(test, -EINVAL,
			gaudi_call(test, GAUDI_NIC_OP_USER_WQ_SET, &recv));
	recv.num_entries = 64;
	KUNIT_EXPECT_EQ(test, 0, gaudi_call(test, GAUDI_NIC_OP_USER_WQ_SET, &recv));

	c->nic.port[PORT].num_requesters = 1;
	KUNIT_EXPECT_EQ(test, -EBUSY,
			gaudi_call(test, GAUDI_NIC_OP_USER_WQ_UNSET, &recv));
	c->nic.port[PORT].num_requesters = 0;
	KUNIT_EXPECT_EQ(test, 0, gaudi_call(test, GAUDI_NIC_OP_USER_WQ_UNSET, &send));
	KUNIT_EXPECT_EQ(test, gaudi_reg(test, TXE(0x20)), 0);
	KUNIT_EXPECT_EQ(test, gaudi_reg(test, TXE(0x30)), 0);
	KUNIT_EXPECT_EQ(test, 0, gaudi_call(test, GAUDI_NIC_OP_USER_WQ_UNSET, &recv));
}

static void gaudi_completions(struct kunit *test)
{
	struct drm_gaudi_nic_cq cq = { ADDR, PORT, 24 };
	struct drm_gaudi_nic_cq_ci ci = { PORT, 5 };

	KUNIT_EXPECT_EQ(test, -EINVAL, gaudi_call(test, GAUDI_NIC_OP_USER_CQ_SET, &cq));
	cq.num_entries = 16;
	cq.addr += 8;
	KUNIT_EXPECT_EQ(test, -EINVAL, gaudi_call(test, GAUDI_NIC_OP_USER_CQ_SET, &cq));
	cq.addr = ADDR;
	KUNIT_EXPECT_EQ(test, -EINVAL,
			gaudi_call(test, GAUDI_NIC_OP_USER_CQ_UPDATE_CI, &ci));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			gaudi_call(test, GAUDI_NIC_OP_USER_CQ_UNSET, &cq));
	KUNIT_EXPECT_EQ(test, 0, gaudi_call(test, GAUDI_NIC_OP_USER_CQ_SET, &cq));
	KUNIT_EXPECT_EQ(test, gaudi_reg(test, RXE(0x160)), 0x80);
	KUNIT_EXPECT_EQ(test, gaudi_reg(test, RXE(0x180)), 0x10000);
	KUNIT_EXPECT_EQ(test, gaudi_reg(test, RXE(0x200)), 15);
	KUNIT_EXPECT_EQ(test, -EBUSY, gaudi_call(test, GAUDI_NIC_OP_USER_CQ_SET, &cq));
	KUNIT_EXPECT_EQ(test, 0,
			gaudi_call(test, GAUDI_NIC_OP_USER_CQ_UPDATE_CI, &ci));
	KUNIT_EXPECT_EQ(test, gaudi_reg(test, RXE(0x1e0)), 5);
	KUNIT_EXPECT_EQ(test, 0, gaudi_call(test, GAUDI_NIC_OP_USER_CQ_UNSET, &cq));
	KUNIT_EXPECT_EQ(test, gaudi_reg(test, RXE(0x160)), 0);
	KUNIT_EXPECT_EQ(test, gaudi_reg(test, RXE(0x180)), 0);
}

static void gaudi_parameters(struct kunit *test)
{
	struct drm_gaudi_nic_params in = { .port = PORT, .timeout_retries = 3 };
	struct drm_gaudi_nic_port port = { .port = PORT };
	struct calls *c = test->priv;
	const struct drm_gaudi_nic_params *out = (void *)c->out;

	in.pad = 1;
	KUNIT_EXPECT_EQ(test, -EINVAL,
			gaudi_call(test, GAUDI_NIC_OP_SET_APP_PARAMS, &in));
	in.pad = 0;
	in.num_cqes = 1;
	KUNIT_EXPECT_EQ(test, -EINVAL,
			gaudi_call(test, GAUDI_NIC_OP_SET_APP_PARAMS, &in));
	in.num_cqes = 0;
	in.recv_ring_addr = ADDR;
	KUNIT_EXPECT_EQ(test, -EINVAL,
			gaudi_call(test, GAUDI_NIC_OP_SET_APP_PARAMS, &in));
	in.recv_ring_log2 = 6;
	KUNIT_EXPECT_EQ(test, -EINVAL,
			gaudi_call(test, GAUDI_NIC_OP_SET_APP_PARAMS, &in));
	in.recv_ring_log2 = 31;
	KUNIT_EXPECT_EQ(test, -EINVAL,
			gaudi_call(test, GAUDI_NIC_OP_SET_APP_PARAMS, &in));
	in.recv_ring_log2 = 12;
	KUNIT_EXPECT_EQ(test, 0, gaudi_call(test, GAUDI_NIC_OP_SET_APP_PARAMS, &in));
	/* Timeouts as asked for, the others by default. */
	KUNIT_EXPECT_EQ(test, gaudi_reg(test, QPC(0x28)), 0x703);
	KUNIT_EXPECT_EQ(test, 0, gaudi_call(test, GAUDI_NIC_OP_GET_APP_PARAMS, &port));
	KUNIT_EXPECT_EQ(test, out->timeout_retries, 3);
	KUNIT_EXPECT_EQ(test, out->nack_retries, 7);
	KUNIT_EXPECT_EQ(test, out->recv_ring_log2, 12);
	KUNIT_EXPECT_EQ(test, out->num_conns, 1023);
	/* The ring stays while a responder fills it. */
	c->nic.port[PORT].num_responders = 1;
	KUNIT_EXPECT_EQ(test, 0, gaudi_call(test, GAUDI_NIC_OP_SET_APP_PARAMS, &in));
	in.recv_ring_log2 = 13;
	KUNIT_EXPECT_EQ(test, -EBUSY,
			gaudi_call(test, GAUDI_NIC_OP_SET_APP_PARAMS, &in));
	c->nic.port[PORT].num_responders = 0;
}

/* Numbers from 1 on, each once, until there are no more. */
static void gaudi_connections(struct kunit *test)
{
	struct drm_gaudi_nic_conn in = { .port = PORT, .conn_id = 1 };
	struct calls *c = test->priv;
	const struct drm_gaudi_nic_conn *out = (void *)c->out;
	u32 n;

	KUNIT_EXPECT_EQ(test, -EINVAL, gaudi_call(test, GAUDI_NIC_OP_ALLOC_CONN, &in));
	KUNIT_EXPECT_EQ(test, -ENOENT, gaudi_call(test, GAUDI_NIC_OP_DESTROY_CONN, &in));
	in.conn_id = 0;
	for (n = 1; n <= 1023; n++) {
		KUNIT_ASSERT_EQ(test, 0, gaudi_call(test, GAUDI_NIC_OP_ALLOC_CONN, &in));
		KUNIT_ASSERT_EQ(test, out->conn_id, n);
	}
	KUNIT_EXPECT_EQ(test, -ENOSPC, gaudi_call(test, GAUDI_NIC_OP_ALLOC_CONN, &in));
	KUNIT_EXPECT_EQ(test, 1023, gaudi_nic_count_conns(&c->nic.port[PORT]));
	in.conn_id = 1024;
	KUNIT_EXPECT_EQ(test, -ENOENT, gaudi_call(test, GAUDI_NIC_OP_DESTROY_CONN, &in));
	in.conn_id = 500;
	KUNIT_EXPECT_EQ(test, 0, gaudi_call(test, GAUDI_NIC_OP_DESTROY_CONN, &in));
	KUNIT_EXPECT_EQ(test, -ENOENT, gaudi_call(test, GAUDI_NIC_OP_DESTROY_CONN, &in));
	in.conn_id = 0;
	KUNIT_EXPECT_EQ(test, 0, gaudi_call(test, GAUDI_NIC_OP_ALLOC_CONN, &in));
	KUNIT_EXPECT_EQ(test, out->conn_id, 500);
}

static struct kunit_case gaudi_kunit_nic_calls_cases[] = {
	KUNIT_CASE(gaudi_table),
	KUNIT_CASE(gaudi_nic_queues),
	KUNIT_CASE(gaudi_completions),
	KUNIT_CASE(gaudi_parameters),
	KUNIT_CASE(gaudi_connections),
	{ }
};

static struct kunit_suite gaudi_kunit_nic_calls_suite = {
	.name = "gaudi_nic_calls",
	.init = gaudi_kunit_nic_calls_init,
	.exit = gaudi_kunit_nic_calls_exit,
	.test_cases = gaudi_kunit_nic_calls_cases,
};

kunit_test_suite(gaudi_kunit_nic_calls_suite);
