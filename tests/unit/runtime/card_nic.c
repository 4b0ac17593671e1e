// SPDX-License-Identifier: MIT
/*
 * The card's ports: what the driver says of them, and what they do. A queue pair sends
 * at once, in the thread of the queue that rings, and hears at once whether the peer has
 * it: so there are no packets here, and none is lost.
 */
#include <errno.h>
#include <sched.h>

#include "card_queues.h"
#include "hw/gaudi_map.h"
#include "hw/regs/gaudi_nic_regs.h"
#include "hw/regs/gaudi_sync_mngr_regs.h"

#define MAX_ENTRIES	65536u

/* As an HLS-1 is cabled: the same port at both ends. -1: nothing is there. */
static int module_at(uint32_t module, uint32_t port)
{
	static const uint32_t ports[8] = { 0, 0, 2, 3, 4, 5, 6, 7 };

	for (uint32_t x = 1; x < 8; x++)
		if (ports[x] == port)
			return (int)(module ^ x);

	return -1;
}

static struct sim *other_end(const struct sim *sim, uint32_t port)
{
	int module = module_at(sim->module, port);

	return module < 0 ? NULL : card_of_module((uint32_t)module);
}

/*
 * What a port does
 */

/* With the card's lock. */
static void add_error(struct sim *sim, uint32_t port, uint32_t conn,
		      uint32_t syndrome, uint32_t flags)
{
	CARD_MUST(sim->num_errors < 64);
	sim->ports[port].errors++;
	sim->errors[sim->num_errors++] = (struct drm_gaudi_nic_error) {
		.port = port,
		.conn_id = conn,
		.syndrome = syndrome,
		.flags = flags,
	};
}

static void tell(struct sim *sim, uint64_t reg, uint64_t value)
{
	uint32_t first = GAUDI_SYNC_MNGR_E_N_BASE + SYNC_MNGR_SOB_OBJ(0);

	if (reg < first)
		abort();
	pthread_mutex_lock(&sim->lock);
	card_write_sob(sim, (uint32_t)reg - first, (uint32_t)value);
	pthread_mutex_unlock(&sim->lock);
}

/* The data of an entry: in one piece, or in rows that are apart on one side. */
static void move(struct sim *sim, struct sim *peer, const uint32_t *wqe)
{
	bool rows = gaudi_nic_get(wqe, NIC_WQE_OPCODE) == NIC_WQE_STRIDED;
	bool here = gaudi_nic_get(wqe, NIC_WQE_STRIDE_TYPE) == NIC_STRIDE_LOCAL;
	uint32_t size = (uint32_t)(rows ? gaudi_nic_get(wqe, NIC_WQE_STRIDE_SIZE) :
				   gaudi_nic_get(wqe, NIC_WQE_SIZE_BYTES));
	uint64_t num = rows ? gaudi_nic_get(wqe, NIC_WQE_NUM_STRIDES) : size != 0;
	uint64_t stride = gaudi_nic_get(wqe, NIC_WQE_STRIDE);
	uint64_t from = gaudi_nic_get(wqe, NIC_WQE_LOCAL_ADDR);
	uint64_t to = gaudi_nic_get(wqe, NIC_WQE_REMOTE_ADDR);

	for (; num; num--) {
		card_copy(card_resolve(peer, to, size),
			  card_resolve(sim, from, size), size);
		from += here ? stride : size;
		to += here ? size : stride;
	}
}

/* Does the peer take it? 0, or the requester's syndrome. */
static uint32_t deliver(struct sim *sim, uint32_t port,
			const struct drm_gaudi_nic_req_ctx *req,
			const uint32_t *wqe)
{
	struct sim *peer = other_end(sim, port);
	struct sim_conn *conn;
	uint32_t key = 0;

	if (!peer || card.deaf || req->dst_conn_id >= CONNS)
		return NIC_SYN_TX_TIMEOUT_RETRIES;
	pthread_mutex_lock(&peer->lock);
	conn = &peer->ports[port].conns[req->dst_conn_id];
	if (conn->responder)
		key = conn->res.lkey;
	if (conn->responder && key != req->rkey)
		add_error(peer, port, req->dst_conn_id, NIC_SYN_RX_RKEY,
			  GAUDI_NIC_ERR_RESPONDER);
	conn->busy += key == req->rkey;
	pthread_mutex_unlock(&peer->lock);
	if (key != req->rkey)
		return key ? NIC_SYN_TX_NACK_RETRIES :
			     NIC_SYN_TX_TIMEOUT_RETRIES;
	move(sim, peer, wqe);
	if (gaudi_nic_get(wqe, NIC_WQE_REMOTE_SOB_VALID))
		tell(peer, gaudi_nic_get(wqe, NIC_WQE_REMOTE_SOB),
		     gaudi_nic_get(wqe, NIC_WQE_REMOTE_SOB_DATA));
	pthread_mutex_lock(&peer->lock);
	conn->busy--;
	pthread_mutex_unlock(&peer->lock);

	return 0;
}

static const void *entry(struct sim *sim, const struct drm_gaudi_nic_wq *wq,
			 uint32_t conn, uint32_t index, uint32_t size)
{
	return card_resolve(sim, wq->addr + ((uint64_t)conn * wq->num_entries +
					     index) * size, size);
}

static uint32_t send_one(struct sim *sim, uint32_t port, uint32_t conn,
			 const struct drm_gaudi_nic_req_ctx *req,
			 uint32_t index)
{
	const struct sim_port *p = &sim->ports[port];
	uint32_t send[NIC_WQE_WORDS], receive[2], syndrome;

	memcpy(send, entry(sim, &p->wq[GAUDI_NIC_WQ_SEND], conn, index,
			   sizeof(send)), sizeof(send));
	memcpy(receive, entry(sim, &p->wq[GAUDI_NIC_WQ_RECV], conn, index,
			      sizeof(receive)), sizeof(receive));
	CARD_MUST(gaudi_nic_get(send, NIC_WQE_OPCODE) == NIC_WQE_NOP ||
		  (gaudi_nic_get(send, NIC_WQE_OPCODE) >= NIC_WQE_LINEAR &&
		   gaudi_nic_get(send, NIC_WQE_OPCODE) <= NIC_WQE_STRIDED));
	syndrome = gaudi_nic_get(send, NIC_WQE_OPCODE) == NIC_WQE_NOP ? 0 :
		   deliver(sim, port, req, send);
	if (!syndrome && gaudi_nic_get(receive, NIC_RECV_WQE_VALID))
		tell(sim, gaudi_nic_get(receive, NIC_RECV_WQE_SOB),
		     gaudi_nic_get(receive, NIC_RECV_WQE_SOB_DATA));

	return syndrome;
}

void card_ring(struct sim *sim, unsigned int port, uint64_t bell)
{
	uint32_t conn = (uint32_t)FIELD_GET(NIC_QMAN_DOORBELL_QPN, bell);
	uint32_t pi = (uint32_t)FIELD_GET(NIC_QMAN_DOORBELL_PI, bell);
	struct sim_port *p = &sim->ports[port];
	uint32_t entries = p->wq[GAUDI_NIC_WQ_SEND].num_entries, syndrome = 0;
	struct drm_gaudi_nic_req_ctx req;
	struct sim_conn *c;
	uint32_t next;

	if (conn >= CONNS || pi >= entries)
		abort();
	c = &p->conns[conn];
	pthread_mutex_lock(&sim->lock);
	if (!c->requester) {
		/*
		 * It was aborted. Its number is kept, but for the moment between the call
		 * that closes it and the one that takes the number again. A full FIFO loses
		 * errors.
		 */
		if (sim->num_errors < 64)
			add_error(sim, port, conn, NIC_SYN_TX_DOORBELL_QP,
				  GAUDI_NIC_ERR_REQUESTER);
		pthread_mutex_unlock(&sim->lock);
		return;
	}
	next = c->failed ? pi : c->next;
	/* When the last one is told of, the connection may be another's at once. */
	c->next = pi;
	req = c->req;
	c->busy++;
	pthread_mutex_unlock(&sim->lock);
	for (; !syndrome && next != pi; next = (next + 1) % entries)
		syndrome = send_one(sim, port, conn, &req, next);
	pthread_mutex_lock(&sim->lock);
	c->busy--;
	if (syndrome) {
		c->failed = true;
		add_error(sim, port, conn, syndrome, GAUDI_NIC_ERR_REQUESTER);
	}
	pthread_mutex_unlock(&sim->lock);
}

/*
 * What the driver says; with the card's lock.
 */
static int alloc_conn(struct sim_port *p, struct drm_gaudi_nic_conn *conn)
{
	uint32_t id = 1;

	while (id < CONNS && p->conns[id].used)
		id++;
	if (id == CONNS)
		return -ENOSPC;
	p->conns[id] = (struct sim_conn) { .used = true };
	conn->conn_id = id;

	return 0;
}

static struct sim_conn *conn_of(struct sim_port *p, uint32_t id)
{
	CARD_MUST(id && id < CONNS && p->conns[id].used);

	return &p->conns[id];
}

static int set_requester(struct sim_port *p,
			 const struct drm_gaudi_nic_req_ctx *req)
{
	struct sim_conn *conn = conn_of(p, req->conn_id);

	CARD_MUST(p->wq[GAUDI_NIC_WQ_SEND].num_wqs > req->conn_id);
	conn->req = *req;
	conn->requester = true;

	return 0;
}

static int set_responder(struct sim_port *p,
			 const struct drm_gaudi_nic_res_ctx *res,
			 struct drm_gaudi_nic_res_key *key)
{
	struct sim_conn *conn = conn_of(p, res->conn_id);

	CARD_MUST(res->lkey);
	conn->res = *res;
	conn->responder = true;
	key->lkey = res->lkey;

	return 0;
}

/* When it returns, nothing of it touches memory. */
static int destroy_conn(struct sim *sim, struct sim_conn *conn)
{
	while (conn->busy) {
		pthread_mutex_unlock(&sim->lock);
		sched_yield();
		pthread_mutex_lock(&sim->lock);
	}
	*conn = (struct sim_conn) {};

	return 0;
}

static int set_queues(struct sim_port *p, const struct drm_gaudi_nic_wq *wq)
{
	CARD_MUST(wq->type < 2 && wq->addr % 128 == 0 && wq->num_wqs >= 2);
	CARD_MUST(!(wq->num_entries & (wq->num_entries - 1)));
	if (p->wq[wq->type].num_wqs)
		return -EBUSY;
	p->wq[wq->type] = *wq;

	return 0;
}

static int unset_queues(struct sim_port *p, const struct drm_gaudi_nic_wq *wq)
{
	for (unsigned int i = 0; i < CONNS; i++)
		if (p->conns[i].requester)
			return -EBUSY;
	p->wq[wq->type].num_wqs = 0;

	return 0;
}

static int say_limits(struct drm_gaudi_nic_params *params)
{
	params->first_conn = 1;
	params->num_conns = GAUDI_NIC_MAX_CONN;
	params->max_entries = MAX_ENTRIES;
	params->max_message = card.max_message ? card.max_message : 4096;

	return 0;
}

static int say_port(struct sim *sim, uint32_t port,
		    struct drm_gaudi_nic_port_info *info)
{
	bool on = card.ports & 1u << port;

	info->port = port;
	info->flags = on ? GAUDI_NIC_PORT_ENABLED : 0;
	if (on && other_end(sim, port))
		info->flags |= GAUDI_NIC_PORT_LINK_UP;
	if (port == 1)
		info->flags |= GAUDI_NIC_PORT_EXTERNAL;
	memcpy(info->mac, "\xb0\xfd\x0b\x00", 4);
	info->mac[4] = (uint8_t)sim->module;
	info->mac[5] = (uint8_t)port;
	info->speed_mbps = 100000;
	info->errors = port < PORTS ? sim->ports[port].errors : 0;

	return 0;
}

static int next_error(struct sim *sim, struct drm_gaudi_nic_error *error)
{
	if (!sim->num_errors)
		return -ENODATA;
	*error = sim->errors[0];
	memmove(sim->errors, sim->errors + 1,
		--sim->num_errors * sizeof(*error));

	return 0;
}

/* Structures begin with the port, but those of queues, and of errors. */
static uint32_t port_of(uint32_t op, const void *in)
{
	switch (op) {
	case GAUDI_NIC_OP_USER_WQ_SET:
	case GAUDI_NIC_OP_USER_WQ_UNSET:
		return ((const struct drm_gaudi_nic_wq *)in)->port;
	case GAUDI_NIC_OP_GET_ERROR:
		return 0;
	default:
		return *(const uint32_t *)in;
	}
}

static int call(struct sim *sim, uint32_t op, const void *in, void *out)
{
	uint32_t port = port_of(op, in);
	struct sim_port *p = &sim->ports[port % PORTS];

	if (op == GAUDI_NIC_OP_PORT_INFO)
		return say_port(sim, port, out);
	if (!(card.ports & 1u << port))
		return -ENXIO;
	switch (op) {
	case GAUDI_NIC_OP_ALLOC_CONN:
		return alloc_conn(p, out);
	case GAUDI_NIC_OP_SET_REQ_CTX:
		return set_requester(p, in);
	case GAUDI_NIC_OP_SET_RES_CTX:
		return set_responder(p, in, out);
	case GAUDI_NIC_OP_DESTROY_CONN:
		return destroy_conn(sim, conn_of(p,
				((const struct drm_gaudi_nic_conn *)in)->conn_id));
	case GAUDI_NIC_OP_USER_WQ_SET:
		return set_queues(p, in);
	case GAUDI_NIC_OP_USER_WQ_UNSET:
		return unset_queues(p, in);
	case GAUDI_NIC_OP_SET_APP_PARAMS:
		return 0;
	case GAUDI_NIC_OP_GET_APP_PARAMS:
		return say_limits(out);
	case GAUDI_NIC_OP_GET_ERROR:
		return next_error(sim, out);
	default:
		return -ENOTTY;
	}
}

int gd_os_nic(int fd, uint32_t op, const void *in, uint32_t in_size, void *out,
	      uint32_t out_size)
{
	struct sim *sim = card_of_fd(fd);
	int rc = card.nic_error;

	(void)in_size;
	if (card.old_driver)
		return -EINVAL;
	if (rc && !card.nic_skip--) {
		card.nic_error = 0;
		return rc;
	}
	if (out && out != in)
		memset(out, 0, out_size);
	pthread_mutex_lock(&sim->lock);
	rc = call(sim, op, in, out);
	pthread_mutex_unlock(&sim->lock);

	return rc;
}

void card_stop_conn(int fd, uint32_t port, uint32_t id)
{
	struct sim *sim = card_of_fd(fd);

	pthread_mutex_lock(&sim->lock);
	conn_of(&sim->ports[port], id)->failed = true;
	pthread_mutex_unlock(&sim->lock);
}

void card_check_ports(const struct sim *sim)
{
	for (unsigned int i = 0; i < PORTS; i++) {
		const struct sim_port *p = &sim->ports[i];

		CARD_MUST(!p->wq[0].num_wqs);
		CARD_MUST(!p->wq[1].num_wqs);
		for (unsigned int j = 0; j < CONNS; j++)
			CARD_MUST(!p->conns[j].used);
	}
}
