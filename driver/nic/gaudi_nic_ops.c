// SPDX-License-Identifier: GPL-2.0-only
/*
 * The calls of uapi/drm/gaudi_nic.h. Each finds its arguments copied, their sizes
 * checked, and the lock held; the card is not in a reset.
 */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/log2.h>
#include <linux/nospec.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "../core/gaudi_ctx.h"
#include "../core/gaudi_device.h"
#include "gaudi_nic_priv.h"

/* 24 bits of numbers on the wire. */
#define MAX_24			GENMASK(23, 0)
#define MAX_PRIORITY		3
#define MAX_TIMER_LOG2		31
#define MAX_MESSAGE		GENMASK(13, 0)

#define refuse(ctx, err, fmt, ...) \
	({ \
		drm_dbg(&(ctx)->gdev->drm, fmt "\n", ##__VA_ARGS__); \
		-(err); \
	})

/* A connection of this context. */
static int gaudi_nic_find_conn(struct gaudi_ctx *ctx, struct gaudi_nic_port *p,
			       u32 port, u32 id, struct gaudi_nic_conn **conn)
{
	*conn = xa_load(&p->conns, id);
	if (!*conn || (*conn)->ctx != ctx)
		return refuse(ctx, ENOENT, "NIC%u: no connection %u", port, id);
	return 0;
}

/* --- Connections --- */

static int gaudi_nic_alloc_conn(struct gaudi_ctx *ctx, struct gaudi_nic_port *p,
				const void *in, void *out)
{
	const struct drm_gaudi_nic_conn *args = in;
	struct drm_gaudi_nic_conn *result = out;
	struct gaudi_nic_conn *conn;
	u32 id;
	int ret;

	if (args->conn_id)
		return refuse(ctx, EINVAL, "a connection's number is not chosen");
	conn = kzalloc(sizeof(*conn), GFP_KERNEL_ACCOUNT);
	if (!conn)
		return -ENOMEM;
	conn->ctx = ctx;
	ret = xa_alloc(&p->conns, &id, conn, XA_LIMIT(1, GAUDI_NIC_MAX_CONN),
		       GFP_KERNEL_ACCOUNT);
	if (ret) {
		kfree(conn);
		return ret == -EBUSY ? -ENOSPC : ret;
	}
	result->port = args->port;
	result->conn_id = id;
	return 0;
}

static int gaudi_nic_destroy_conn(struct gaudi_ctx *ctx, struct gaudi_nic_port *p,
				  const void *in, void *out)
{
	const struct drm_gaudi_nic_conn *args = in;
	struct gaudi_nic_conn *conn;
	int ret;

	ret = gaudi_nic_find_conn(ctx, p, args->port, args->conn_id, &conn);
	return ret ?: gaudi_nic_close_conn(ctx->gdev, args->port,
					   args->conn_id, conn);
}

static bool gaudi_nic_has_queue(const struct gaudi_nic_queue *wq, u32 id)
{
	return wq->num_entries && id < wq->num_queues;
}

/* How many entries the ring of a requester has; 0: it cannot have one. */
static u32 gaudi_nic_ring_entries(const struct gaudi_nic_port *p,
				  const struct drm_gaudi_nic_req_ctx *args)
{
	const struct gaudi_nic_queue *send = &p->wq[GAUDI_NIC_WQ_SEND];
	const struct gaudi_nic_queue *recv = &p->wq[GAUDI_NIC_WQ_RECV];

	if (!gaudi_nic_has_queue(send, args->conn_id))
		return 0;
	if (recv->num_entries && !gaudi_nic_has_queue(recv, args->conn_id))
		return 0;
	if (!args->wq_entries)
		return send->num_entries;
	return args->wq_entries >= 2 && args->wq_entries <= send->num_entries ?
		       args->wq_entries : 0;
}

/* An older context ends before a new one begins. */
static int gaudi_nic_replace_ctx(struct gaudi_ctx *ctx, u32 port, u32 id,
				 bool requester, bool there_is)
{
	u32 words[NIC_REQ_QPC_WORDS];
	int ret;

	if (!there_is)
		return 0;
	if (requester) {
		ret = gaudi_nic_read_ctx(ctx->gdev, port, id, true, words);
		if (ret)
			return ret;
		if (gaudi_nic_req_is_busy(words))
			return refuse(ctx, EBUSY,
				      "NIC%u: connection %u has work", port, id);
	}
	ret = gaudi_nic_invalidate_ctx(ctx->gdev, port, id, requester);
	return ret ?: gaudi_nic_drain(ctx->gdev, port);
}

static int gaudi_nic_set_req_ctx(struct gaudi_ctx *ctx, struct gaudi_nic_port *p,
				 const void *in, void *out)
{
	const struct drm_gaudi_nic_req_ctx *args = in;
	u32 words[NIC_REQ_QPC_WORDS], entries;
	struct gaudi_nic_conn *conn;
	int ret;

	ret = gaudi_nic_find_conn(ctx, p, args->port, args->conn_id, &conn);
	if (ret)
		return ret;
	if (args->dst_conn_id > MAX_24 || args->psn > MAX_24 ||
	    args->priority > MAX_PRIORITY ||
	    args->timer_log2 > MAX_TIMER_LOG2 || args->flags || args->pad)
		return refuse(ctx, EINVAL, "NIC%u: requester %u: a value is out of range",
			      args->port, args->conn_id);
	entries = gaudi_nic_ring_entries(p, args);
	if (!entries)
		return refuse(ctx, EINVAL, "NIC%u: requester %u: there is no such queue",
			      args->port, args->conn_id);
	ret = gaudi_nic_replace_ctx(ctx, args->port, args->conn_id, true,
				    conn->requester);
	if (ret)
		return ret;
	p->num_requesters -= conn->requester;
	conn->requester = false;
	gaudi_nic_pack_req(words, args, entries);
	ret = gaudi_nic_write_ctx(ctx->gdev, args->port, args->conn_id, true,
				  words);
	/* It may be there even if the card did not say so. */
	conn->requester = true;
	p->num_requesters++;
	return ret;
}

static int gaudi_nic_set_res_ctx(struct gaudi_ctx *ctx, struct gaudi_nic_port *p,
				 const void *in, void *out)
{
	const struct drm_gaudi_nic_res_ctx *args = in;
	struct drm_gaudi_nic_res_key *key = out;
	struct gaudi_nic_conn *conn;
	u32 words[NIC_RES_QPC_WORDS];
	int ret;

	ret = gaudi_nic_find_conn(ctx, p, args->port, args->conn_id, &conn);
	if (ret)
		return ret;
	if (args->dst_conn_id > MAX_24 || args->psn > MAX_24 ||
	    args->priority > MAX_PRIORITY || args->pad ||
	    args->flags & ~GAUDI_NIC_RES_ANY_PSN)
		return refuse(ctx, EINVAL, "NIC%u: responder %u: a value is out of range",
			      args->port, args->conn_id);
	ret = gaudi_nic_replace_ctx(ctx, args->port, args->conn_id, false,
				    conn->responder);
	if (ret)
		return ret;
	key->lkey = args->lkey;
	while (!key->lkey)
		key->lkey = get_random_u32();
	p->num_responders -= conn->responder;
	conn->responder = false;
	gaudi_nic_pack_res(words, args, key->lkey, p->ring_log2);
	ret = gaudi_nic_write_ctx(ctx->gdev, args->port, args->conn_id, false,
				  words);
	conn->responder = true;
	p->num_responders++;
	return ret;
}

static int gaudi_nic_dump_qp(struct gaudi_ctx *ctx, struct gaudi_nic_port *p,
			     const void *in, void *out)
{
	const struct drm_gaudi_nic_conn *args = in;
	struct drm_gaudi_nic_qp *qp = out;
	struct gaudi_nic_conn *conn;
	int ret;

	ret = gaudi_nic_find_conn(ctx, p, args->port, args->conn_id, &conn);
	if (ret)
		return ret;
	qp->num_errors = conn->errors;
	if (conn->requester) {
		qp->flags |= GAUDI_NIC_QP_REQUESTER;
		ret = gaudi_nic_read_ctx(ctx->gdev, args->port, args->conn_id,
					 true, qp->req);
	}
	if (!ret && conn->responder) {
		qp->flags |= GAUDI_NIC_QP_RESPONDER;
		ret = gaudi_nic_read_ctx(ctx->gdev, args->port, args->conn_id,
					 false, qp->res);
	}
	return ret;
}

/* --- Queues --- */

static bool gaudi_nic_entries_are_good(u32 entries)
{
	return is_power_of_2(entries) && entries >= GAUDI_NIC_MIN_ENTRIES &&
	       entries <= GAUDI_NIC_MAX_ENTRIES;
}

static bool gaudi_nic_addr_is_good(u64 addr, u64 bytes)
{
	return IS_ALIGNED(addr, GAUDI_NIC_ALIGN) &&
	       gaudi_nic_range_is_good(addr, bytes);
}

static int gaudi_nic_user_wq_set(struct gaudi_ctx *ctx, struct gaudi_nic_port *p,
				 const void *in, void *out)
{
	const struct drm_gaudi_nic_wq *args = in;
	struct gaudi_nic_queue *wq;
	u64 bytes;
	u32 others;

	if (args->type > GAUDI_NIC_WQ_RECV || args->num_wqs < 2 ||
	    args->num_wqs > GAUDI_NIC_MAX_CONN + 1 ||
	    !gaudi_nic_entries_are_good(args->num_entries))
		return refuse(ctx, EINVAL, "NIC%u: bad size or type of queues",
			      args->port);
	bytes = (u64)args->num_wqs * args->num_entries *
		(args->type == GAUDI_NIC_WQ_SEND ? NIC_WQE_SIZE :
						   NIC_RECV_WQE_SIZE);
	if (!gaudi_nic_addr_is_good(args->addr, bytes))
		return refuse(ctx, EINVAL, "NIC%u: bad address of queues: %#llx",
			      args->port, args->addr);
	others = p->wq[!args->type].num_entries;
	if (others && others != args->num_entries)
		return refuse(ctx, EINVAL, "NIC%u: the other queues have %u entries",
			      args->port, others);
	wq = &p->wq[array_index_nospec(args->type, ARRAY_SIZE(p->wq))];
	if (wq->num_entries || p->num_requesters)
		return refuse(ctx, EBUSY, "NIC%u: queues are in use",
			      args->port);
	*wq = (struct gaudi_nic_queue) {
		.addr = args->addr,
		.num_queues = args->num_wqs,
		.num_entries = args->num_entries,
	};
	gaudi_nic_write_wq(ctx->gdev, args->port, args->type);
	return 0;
}

static int gaudi_nic_user_wq_unset(struct gaudi_ctx *ctx, struct gaudi_nic_port *p,
				   const void *in, void *out)
{
	const struct drm_gaudi_nic_wq *args = in;
	struct gaudi_nic_queue *wq;

	if (args->type > GAUDI_NIC_WQ_RECV)
		return -EINVAL;
	wq = &p->wq[array_index_nospec(args->type, ARRAY_SIZE(p->wq))];
	if (!wq->num_entries)
		return refuse(ctx, EINVAL, "NIC%u: there are no such queues",
			      args->port);
	if (p->num_requesters)
		return refuse(ctx, EBUSY, "NIC%u: requesters use the queues",
			      args->port);
	memset(wq, 0, sizeof(*wq));
	gaudi_nic_write_wq(ctx->gdev, args->port, args->type);
	return 0;
}

static int gaudi_nic_user_cq_set(struct gaudi_ctx *ctx, struct gaudi_nic_port *p,
				 const void *in, void *out)
{
	const struct drm_gaudi_nic_cq *args = in;

	if (!gaudi_nic_entries_are_good(args->num_entries) ||
	    !gaudi_nic_addr_is_good(args->addr, (u64)args->num_entries *
						NIC_CQE_SIZE))
		return refuse(ctx, EINVAL, "NIC%u: bad completion queue: %#llx, %u entries",
			      args->port, args->addr, args->num_entries);
	if (p->cq.num_entries)
		return refuse(ctx, EBUSY, "NIC%u: there is a completion queue",
			      args->port);
	p->cq.addr = args->addr;
	p->cq.num_entries = args->num_entries;
	gaudi_nic_write_cq(ctx->gdev, args->port);
	return 0;
}

/* No completion is written any more when this returns: it is one register. */
static int gaudi_nic_user_cq_unset(struct gaudi_ctx *ctx, struct gaudi_nic_port *p,
				   const void *in, void *out)
{
	const struct drm_gaudi_nic_cq *args = in;

	if (!p->cq.num_entries)
		return refuse(ctx, EINVAL, "NIC%u: there is no completion queue",
			      args->port);
	memset(&p->cq, 0, sizeof(p->cq));
	gaudi_nic_write_cq(ctx->gdev, args->port);
	return 0;
}

static int gaudi_nic_user_cq_update_ci(struct gaudi_ctx *ctx, struct gaudi_nic_port *p,
				       const void *in, void *out)
{
	const struct drm_gaudi_nic_cq_ci *args = in;

	if (!p->cq.num_entries)
		return refuse(ctx, EINVAL, "NIC%u: there is no completion queue",
			      args->port);
	gaudi_nic_write_cq_ci(ctx->gdev, args->port, args->ci);
	return 0;
}

/* --- The port --- */

static bool gaudi_nic_ring_is_good(const struct drm_gaudi_nic_params *args)
{
	if (!args->recv_ring_log2)
		return !args->recv_ring_addr;
	return args->recv_ring_log2 >= GAUDI_NIC_MIN_RING_LOG2 &&
	       args->recv_ring_log2 <= GAUDI_NIC_MAX_RING_LOG2 &&
	       gaudi_nic_addr_is_good(args->recv_ring_addr,
				      BIT_ULL(args->recv_ring_log2));
}

static int gaudi_nic_set_app_params(struct gaudi_ctx *ctx, struct gaudi_nic_port *p,
				    const void *in, void *out)
{
	const struct drm_gaudi_nic_params *args = in;

	if (args->pad || memchr_inv(&args->first_conn, 0, sizeof(*args) -
				    offsetof(typeof(*args), first_conn)))
		return -EINVAL;
	if (!gaudi_nic_ring_is_good(args))
		return refuse(ctx, EINVAL, "NIC%u: bad ring: %#llx, 2^%u bytes",
			      args->port, args->recv_ring_addr,
			      args->recv_ring_log2);
	if (p->num_responders && (args->recv_ring_addr != p->ring_addr ||
				  args->recv_ring_log2 != p->ring_log2))
		return refuse(ctx, EBUSY, "NIC%u: responders use the ring",
			      args->port);
	p->ring_addr = args->recv_ring_addr;
	p->ring_log2 = args->recv_ring_log2;
	p->timeout_retries = args->timeout_retries;
	p->nack_retries = args->nack_retries;
	gaudi_nic_write_params(ctx->gdev, args->port);
	return 0;
}

static int gaudi_nic_get_app_params(struct gaudi_ctx *ctx, struct gaudi_nic_port *p,
				    const void *in, void *out)
{
	const struct drm_gaudi_nic_port *args = in;
	struct drm_gaudi_nic_params *params = out;

	if (args->pad)
		return -EINVAL;
	*params = (struct drm_gaudi_nic_params) {
		.port = args->port,
		.timeout_retries = p->timeout_retries ?: GAUDI_NIC_RETRIES,
		.nack_retries = p->nack_retries ?: GAUDI_NIC_RETRIES,
		.recv_ring_log2 = p->ring_log2,
		.recv_ring_addr = p->ring_addr,
		.first_conn = 1,
		.num_conns = GAUDI_NIC_MAX_CONN,
		.used_conns = gaudi_nic_count_conns(p),
		.max_entries = GAUDI_NIC_MAX_ENTRIES,
		.max_message = MAX_MESSAGE,
		.num_wqs = p->wq[GAUDI_NIC_WQ_SEND].num_queues,
		.num_entries = p->wq[GAUDI_NIC_WQ_SEND].num_entries,
		.num_cqes = p->cq.num_entries,
	};
	return 0;
}

static int gaudi_nic_get_port_info(struct gaudi_ctx *ctx, struct gaudi_nic_port *p,
				   const void *in, void *out)
{
	const struct drm_gaudi_nic_port *args = in;

	if (args->port >= GAUDI_NUM_NIC_ENGINE)
		return -ENXIO;
	if (args->pad)
		return -EINVAL;
	gaudi_nic_port_info(ctx->gdev, array_index_nospec(args->port,
				       GAUDI_NUM_NIC_ENGINE), out);
	return 0;
}

static int gaudi_nic_get_error(struct gaudi_ctx *ctx, struct gaudi_nic_port *p,
			       const void *in, void *out)
{
	struct drm_gaudi_nic_error *error = out;

	return kfifo_get(&ctx->nic->errors, error) ? 0 : -ENODATA;
}

#define SIZE(name)	sizeof(struct drm_gaudi_nic_##name)
#define OP(_op, _in, _out, _fn) \
	{ .op = GAUDI_NIC_OP_##_op, .in_size = SIZE(_in), \
	  .port_at = offsetof(struct drm_gaudi_nic_##_in, port), \
	  .out_size = _out, .fn = gaudi_nic_##_fn }

const struct gaudi_nic_op gaudi_nic_ops[] = {
	OP(ALLOC_CONN, conn, SIZE(conn), alloc_conn),
	OP(SET_REQ_CTX, req_ctx, 0, set_req_ctx),
	OP(SET_RES_CTX, res_ctx, SIZE(res_key), set_res_ctx),
	OP(DESTROY_CONN, conn, 0, destroy_conn),
	OP(USER_WQ_SET, wq, 0, user_wq_set),
	OP(USER_WQ_UNSET, wq, 0, user_wq_unset),
	OP(USER_CQ_SET, cq, 0, user_cq_set),
	OP(USER_CQ_UNSET, cq, 0, user_cq_unset),
	OP(USER_CQ_UPDATE_CI, cq_ci, 0, user_cq_update_ci),
	OP(SET_APP_PARAMS, params, 0, set_app_params),
	OP(GET_APP_PARAMS, port, SIZE(params), get_app_params),
	OP(DUMP_QP, conn, SIZE(qp), dump_qp),
	{ .op = GAUDI_NIC_OP_PORT_INFO, .in_size = SIZE(port),
	  .out_size = SIZE(port_info), .always = true,
	  .fn = gaudi_nic_get_port_info },
	{ .op = GAUDI_NIC_OP_GET_ERROR, .out_size = SIZE(error),
	  .fn = gaudi_nic_get_error },
};
EXPORT_SYMBOL_IF_KUNIT(gaudi_nic_ops);

const unsigned int gaudi_nic_num_ops = ARRAY_SIZE(gaudi_nic_ops);
EXPORT_SYMBOL_IF_KUNIT(gaudi_nic_num_ops);

static_assert(SIZE(port_info) <= GAUDI_NIC_MAX_ARGS);
static_assert(SIZE(params) <= GAUDI_NIC_MAX_ARGS);
static_assert(SIZE(req_ctx) <= GAUDI_NIC_MAX_ARGS);
