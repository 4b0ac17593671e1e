// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Requesters: entries of send queues become packets, a batch at a time, and are
 * completed when the peer has acknowledged them. What is lost is sent again from
 * the first entry that is not complete.
 *
 * Everything about a queue pair is in its context: CONSUMER_INDEX is the oldest
 * entry that is not complete, OLDEST_UNACKED the number of its first packet;
 * EXECUTION_INDEX is the next entry to be sent, NEXT_PSN the number of the next
 * packet. Only how many packets of that entry have gone is kept here.
 *
 * Source: see gaudi_nic_regs.h; InfiniBand Architecture Specification, chapter 9.
 * Inferred: a completion at a remote sync object is a write of four bytes to its
 * address in the register space, a packet of its own behind the data; without an
 * address it is an immediate. The timer is InfiniBand's, 4.096 us * 2^n.
 */
#include <stdlib.h>

#include "nic_port.h"
#include "../bus/bus.h"

#define WINDOW		8192u	/* packets that one queue pair has on the wire */
#define PATIENCE_NS	2000000000ull	/* with a model of time */
#define TURN_ENTRIES	256u	/* of one queue pair that are sent in one turn */
#define TIMER_UNIT_NS	4096ull
#define TURN_QPS	16	/* queue pairs that are looked at per batch */
#define PROMPT_BATCH	16u	/* packets that the thread sends which has rung */

static uint64_t get(const struct gaudi_nic_ctx *ctx, unsigned int bit,
		    unsigned int width)
{
	return gaudi_nic_get(ctx->word, bit, width);
}

static void set(struct gaudi_nic_ctx *ctx, unsigned int bit,
		unsigned int width, uint64_t value)
{
	gaudi_nic_set(ctx->word, bit, width, value);
}

static uint32_t next_index(const struct gaudi_nic_ctx *req, uint32_t index)
{
	return index == get(req, NIC_REQ_LAST_INDEX) ?
		       0 : (index + 1) & NIC_INDEX_MASK;
}

/* Entries that were sent, or need not be, and are not complete. */
static uint32_t incomplete(const struct gaudi_nic_ctx *req)
{
	uint32_t size = get(req, NIC_REQ_LAST_INDEX) + 1;

	return (get(req, NIC_REQ_EXECUTION_INDEX) + size -
		get(req, NIC_REQ_CONSUMER_INDEX)) % size;
}

/*
 * Do the indices lie in the ring, and are no more entries incomplete than are ever
 * sent? Else a walk would be long, or not come to its end.
 */
static bool is_sane(const struct gaudi_nic_ctx *req)
{
	uint32_t last = get(req, NIC_REQ_LAST_INDEX);

	return get(req, NIC_REQ_CONSUMER_INDEX) <= last &&
	       get(req, NIC_REQ_EXECUTION_INDEX) <= last &&
	       get(req, NIC_REQ_PRODUCER_INDEX) <= last &&
	       incomplete(req) <= GAUDI_NIC_ENTRIES;
}

/* --- who has something to do -------------------------------------------- */

static void mark(uint64_t *bits, uint32_t *count, uint32_t qpn, bool on)
{
	uint64_t bit = 1ull << qpn % 64, *word = &bits[qpn / 64];

	if (!(*word & bit) == !on)
		return;
	*word ^= bit;
	*count += on ? 1 : -1u;
}

static void mark_ready(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		       uint32_t qpn, bool on)
{
	mark(port->ready, &port->num_ready, qpn, on);
	if (on)
		gaudi_actor_kick(chip, &port->actor);
}

static bool is_ready(const struct gaudi_nic_port *port, uint32_t qpn)
{
	return port->ready[qpn / 64] & 1ull << qpn % 64;
}

/* The first one from start on, around the end; NIC_MAX_QP: none. */
static uint32_t find_qp(const uint64_t *bits, uint32_t start)
{
	unsigned int word = start / 64 % NIC_QP_WORDS, n;
	uint64_t part = bits[word] & UINT64_MAX << start % 64;

	for (n = 0; n <= NIC_QP_WORDS; n++) {
		if (part)
			return 64 * word + __builtin_ctzll(part);
		word = (word + 1) % NIC_QP_WORDS;
		part = bits[word];
	}
	return NIC_MAX_QP;
}

void gaudi_nic_forget_req(struct gaudi_nic_port *port, uint32_t qpn)
{
	struct gaudi_nic_qp *qp = gaudi_nic_qp(port, qpn);

	mark(port->ready, &port->num_ready, qpn, false);
	mark(port->waiting, &port->num_waiting, qpn, false);
	if (!qp)
		return;
	qp->sent = 0;
	qp->acked = 0;
	qp->ahead = 0;
	qp->deadline_ns = 0;
	qp->wrote = 0;
	if (qp->times)
		qp->times->door.num = 0;
}

static uint64_t timeout_ns(struct gaudi_chip *chip,
			   const struct gaudi_nic_ctx *req)
{
	unsigned int n = get(req, NIC_REQ_TIMER_GRANULARITY) & 31;
	uint64_t ns = n ? TIMER_UNIT_NS << n : 0;

	/*
	 * By a model of time nothing is late because the host is: what was sent twice would
	 * take the wire twice as long. Who answers at all has done so by then.
	 */
	if (ns && ns < PATIENCE_NS && chip->clock.on &&
	    !gaudi_fault_armed(chip, GAUDI_FAULT_FRAME))
		ns = PATIENCE_NS;
	return ns;
}

static void arm(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		uint64_t delay_ns)
{
	uint64_t deadline = gaudi_now_ns(chip) + delay_ns;

	if (port->timer.armed && port->timer.deadline_ns <= deadline)
		return;
	port->timer.fn = gaudi_nic_timeout;
	port->timer.arg = port;
	gaudi_timer_arm(chip, &port->timer, delay_ns);
}

static void await(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		  const struct gaudi_nic_ctx *req, struct gaudi_nic_qp *qp,
		  uint64_t delay_ns)
{
	bool on = delay_ns && get(req, NIC_REQ_NEXT_PSN) !=
				      get(req, NIC_REQ_OLDEST_UNACKED);

	mark(port->waiting, &port->num_waiting, req->qpn, on);
	qp->deadline_ns = on ? gaudi_now_ns(chip) + delay_ns : 0;
	if (on)
		arm(chip, port, delay_ns);
}

static void fail(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		 struct gaudi_nic_ctx *req, enum nic_syndrome syndrome)
{
	set(req, NIC_REQ_ERROR, 1);
	mark_ready(chip, port, req->qpn, false);
	mark(port->waiting, &port->num_waiting, req->qpn, false);
	gaudi_nic_error(chip, port, req->qpn, syndrome);
}

/* --- in a model of time ------------------------------------------------- */

static void ring_door(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		      uint32_t qpn, uint32_t pi)
{
	struct gaudi_nic_qp *qp = gaudi_nic_qp(port, qpn);

	if (!qp || !chip->clock.on)
		return;
	if (!qp->times)
		qp->times = calloc(1, sizeof(*qp->times));
	if (qp->times)
		gaudi_door_ring(&qp->times->door, pi, chip->clock.at_ps);
}

/* Its next entry is to be sent, which leads to this index. */
static void begin_entry(struct gaudi_nic_qp *qp, uint32_t next)
{
	if (qp->times)
		qp->times->known_ps = gaudi_door_known(&qp->times->door, next);
}

/* Into the record, as a turn of the port's: it has been sending. */
static void trace_sending(struct gaudi_chip *chip, struct gaudi_nic_port *port)
{
	uint64_t at_ps = chip->clock.at_ps;

	if (port->tx_ps == port->tx_begin_ps)
		return;
	chip->clock.at_ps = port->tx_ps;
	gaudi_trace(chip, GAUDI_TRACE_TURN, port->actor.id,
		    port->tx_begin_ps / 1000, 0, 0);
	chip->clock.at_ps = at_ps;
	port->tx_begin_ps = port->tx_ps;
}

/* The last packet of the batch goes over the wire, behind all before it. */
static void time_packet(struct gaudi_chip *chip, struct gaudi_nic_port *port,
			const struct gaudi_nic_qp *qp)
{
	struct gaudi_nic_packet *p = &port->batch[port->num_batch];
	uint32_t len = gaudi_nic_packet_len(p);
	uint64_t begin = qp->times ? qp->times->known_ps : 0, read;

	if (begin <= port->tx_ps) {
		begin = port->tx_ps;
	} else {
		trace_sending(chip, port);
		port->tx_begin_ps = begin;
	}
	port->tx_ps = begin + gaudi_bytes_ps(len + GAUDI_RATE_NIC_OVERHEAD,
					     GAUDI_RATE_NIC);
	read = gaudi_hbm_until(chip, begin, len, GAUDI_RATE_NIC);
	if (port->tx_ps < read)
		port->tx_ps = read;
	p->at_ps = port->tx_ps;
}

/* An entry is sent whole, the next one is this. */
static void time_entry(struct gaudi_nic_port *port, struct gaudi_nic_qp *qp,
		       uint32_t index)
{
	struct gaudi_nic_qp_times *t = qp->times;

	if (t)
		t->gone_ps[index % GAUDI_NIC_ENTRIES] =
			port->tx_ps > t->known_ps ? port->tx_ps : t->known_ps;
}

/* --- doorbells ---------------------------------------------------------- */

void gaudi_nic_doorbell(struct gaudi_chip *chip, struct gaudi_nic_port *port,
			uint32_t qpn, uint32_t pi, unsigned int trust,
			bool force)
{
	struct gaudi_nic_ctx req;

	if (gaudi_nic_load_req(chip, port, qpn, &req) ||
	    !get(&req, NIC_REQ_VALID)) {
		gaudi_nic_error(chip, port, qpn, NIC_SYN_TX_DOORBELL_QP);
		return;
	}
	if (trust < get(&req, NIC_REQ_TRUST)) {
		gaudi_nic_error(chip, port, qpn, NIC_SYN_TX_DOORBELL_SECURITY);
		return;
	}
	pi &= NIC_INDEX_MASK;
	/* Beyond the end of the ring there are others' entries. */
	if (get(&req, NIC_REQ_ERROR) || pi > get(&req, NIC_REQ_LAST_INDEX))
		return;
	set(&req, NIC_REQ_PRODUCER_INDEX, pi);
	gaudi_nic_store_req(chip, port, &req);
	gaudi_trace(chip, GAUDI_TRACE_BELL, port->id, qpn, pi, 0);
	if (get(&req, NIC_REQ_EXECUTION_INDEX) != pi)
		ring_door(chip, port, qpn, pi);
	if (!force && get(&req, NIC_REQ_EXECUTION_INDEX) == pi)
		return;
	mark_ready(chip, port, qpn, true);
	gaudi_actor_prompt(chip, &port->actor);
}

/* --- entries, as packets ------------------------------------------------ */

/* What an entry is in packets. */
struct plan {
	uint32_t messages;	/* each of this size ... */
	uint32_t size;
	uint32_t per_message;	/* ... in so many packets */
	uint32_t packets;	/* all, with the one for the sync object */
	bool imm, sob;
};

static const char *const opcode_name[16] = {
	"NOP", "SEND", "LINEAR", "STRIDE", "MULTI_STRIDE", "RATE_UPDATE",
};

/* 0, or -EOPNOTSUPP: it is named in the report. */
static int plan_of(struct gaudi_chip *chip, const struct gaudi_nic_port *port,
		   const uint32_t *wqe, struct plan *plan)
{
	unsigned int opcode = gaudi_nic_get(wqe, NIC_WQE_OPCODE);
	uint32_t sob = gaudi_nic_get(wqe, NIC_WQE_REMOTE_SOB);
	bool valid = gaudi_nic_get(wqe, NIC_WQE_REMOTE_SOB_VALID);
	char name[48];

	memset(plan, 0, sizeof(*plan));
	switch (opcode) {
	case NIC_WQE_NOP:
	case NIC_WQE_RATE_UPDATE:
		return 0;
	case NIC_WQE_SEND:
	case NIC_WQE_LINEAR:
		plan->messages = 1;
		plan->size = gaudi_nic_get(wqe, NIC_WQE_SIZE_BYTES);
		break;
	case NIC_WQE_STRIDED:
		plan->messages = gaudi_nic_get(wqe, NIC_WQE_NUM_STRIDES);
		plan->size = gaudi_nic_get(wqe, NIC_WQE_STRIDE_SIZE);
		break;
	default:
		snprintf(name, sizeof(name), "NIC WQE opcode %u %s", opcode,
			 opcode_name[opcode] ? opcode_name[opcode] : "");
		gaudi_report_use(chip, "feature", name, GAUDI_UNIMPLEMENTED);
		return -EOPNOTSUPP;
	}
	if (gaudi_nic_get(wqe, NIC_WQE_REDUCTION)) {
		gaudi_report_use(chip, "feature", "NIC WQE reduction",
				 GAUDI_UNIMPLEMENTED);
		return -EOPNOTSUPP;
	}
	plan->sob = valid && sob;
	plan->imm = valid && !sob;
	/* Nothing but the message for the sync object? */
	if (plan->sob && !plan->size && opcode != NIC_WQE_SEND)
		plan->messages = 0;
	plan->per_message = (plan->size + port->mtu - 1) / port->mtu;
	if (!plan->per_message)
		plan->per_message = 1;
	plan->packets = plan->messages * plan->per_message + plan->sob;
	return 0;
}

static uint8_t opcode_of(bool send, bool first, bool last, bool imm)
{
	uint8_t base = send ? GAUDI_ROCE_SEND_FIRST : GAUDI_ROCE_WRITE_FIRST;

	if (first && last)
		return base + (imm ? 5 : 4);
	if (first)
		return base;
	return last ? base + (imm ? 3 : 2) : base + 1;
}

/* Packet i of an entry, at the end of the batch. 0 or -EFAULT. */
static int build(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		 const struct gaudi_nic_ctx *req, const struct gaudi_txn *txn,
		 const uint32_t *wqe, const struct plan *plan, uint32_t i)
{
	struct gaudi_nic_packet *p = &port->batch[port->num_batch];
	uint64_t local = gaudi_nic_get(wqe, NIC_WQE_LOCAL_ADDR);
	uint64_t remote = gaudi_nic_get(wqe, NIC_WQE_REMOTE_ADDR), gap;
	bool send = gaudi_nic_get(wqe, NIC_WQE_OPCODE) == NIC_WQE_SEND;
	uint32_t message, part, offset, len;

	memset(port->span[port->num_batch], 0, sizeof(port->span[0]));
	memset(p, 0, sizeof(*p));
	p->dst_qp = get(req, NIC_REQ_DST_QP);
	p->psn = get(req, NIC_REQ_NEXT_PSN);
	p->src_ip = get(req, NIC_REQ_SRC_IP);
	p->dst_ip = get(req, NIC_REQ_DST_IP);
	memcpy(p->dst_mac, &req->word[4], sizeof(p->dst_mac));
	p->rkey = get(req, NIC_REQ_RKEY);
	if (i == plan->messages * plan->per_message) {
		p->opcode = GAUDI_ROCE_WRITE_ONLY;
		p->va = GAUDI_CFG_BASE +
			gaudi_nic_get(wqe, NIC_WQE_REMOTE_SOB);
		p->dma_len = 4;
		/* Kept in the packet: imm is not sent with this opcode. */
		p->imm = gaudi_nic_get(wqe, NIC_WQE_REMOTE_SOB_DATA);
		p->part[0] = (const uint8_t *)&p->imm;
		p->part_len[0] = 4;
		return 0;
	}
	message = i / plan->per_message;
	part = i % plan->per_message;
	if (message) {
		gap = gaudi_nic_get(wqe, NIC_WQE_STRIDE);
		if (gaudi_nic_get(wqe, NIC_WQE_STRIDE_TYPE) == NIC_STRIDE_LOCAL) {
			local += message * gap;
			remote += (uint64_t)message * plan->size;
		} else {
			local += (uint64_t)message * plan->size;
			remote += message * gap;
		}
	}
	p->opcode = opcode_of(send, !part, part == plan->per_message - 1,
			      plan->imm && message == plan->messages - 1);
	p->imm = plan->imm ? gaudi_nic_get(wqe, NIC_WQE_REMOTE_SOB_DATA) : 0;
	p->va = remote;
	p->dma_len = plan->size;
	offset = part * port->mtu;
	len = plan->size - offset < port->mtu ? plan->size - offset : port->mtu;
	return gaudi_nic_attach(chip, port, txn, local + offset, len);
}

/* --- completion --------------------------------------------------------- */

static void complete(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		     const struct gaudi_nic_ctx *req,
		     struct gaudi_nic_queue *recv, uint32_t index)
{
	const uint32_t *wqe;

	wqe = gaudi_nic_entry(chip, req, recv, index,
			      get(req, NIC_REQ_EXECUTION_INDEX));
	if (!wqe || !gaudi_nic_get(wqe, NIC_RECV_WQE_VALID))
		return;
	if (gaudi_nic_get(wqe, NIC_RECV_WQE_SOB))
		gaudi_nic_post(chip, port, get(req, NIC_REQ_TRUST),
			       gaudi_nic_get(wqe, NIC_RECV_WQE_SOB),
			       gaudi_nic_get(wqe, NIC_RECV_WQE_SOB_DATA));
	if (gaudi_nic_get(wqe, NIC_RECV_WQE_CQ_VALID))
		gaudi_nic_complete_req(chip, port, req->qpn, index);
}

/*
 * The peer has acknowledged so many packets from the oldest one on: entries before
 * @end of which all are among them are complete. Returns how many packets they had.
 */
static uint32_t advance(struct gaudi_chip *chip, struct gaudi_nic_port *port,
			struct gaudi_nic_ctx *req, uint32_t acked, uint32_t end)
{
	uint32_t index = get(req, NIC_REQ_CONSUMER_INDEX), done = 0;
	struct gaudi_nic_queue queue GAUDI_UNINITIALIZED;
	struct gaudi_nic_queue recv GAUDI_UNINITIALIZED;
	struct gaudi_nic_qp *qp = gaudi_nic_qp(port, req->qpn);
	const uint32_t *wqe;
	struct plan plan;

	gaudi_nic_send_queue(chip, port, req, &queue);
	gaudi_nic_recv_queue(chip, port, req, &recv);
	while (index != end) {
		wqe = gaudi_nic_entry(chip, req, &queue, index, end);
		if (!wqe || plan_of(chip, port, wqe, &plan) ||
		    plan.packets > acked - done)
			break;
		done += plan.packets;
		/* When it had gone, however many are acknowledged together. */
		if (qp && qp->times)
			chip->clock.at_ps =
				qp->times->gone_ps[index % GAUDI_NIC_ENTRIES];
		complete(chip, port, req, &recv, index);
		index = next_index(req, index);
	}
	set(req, NIC_REQ_CONSUMER_INDEX, index);
	set(req, NIC_REQ_OLDEST_UNACKED,
	    (get(req, NIC_REQ_OLDEST_UNACKED) + done) & NIC_PSN_MASK);
	return done;
}

/* --- sending ------------------------------------------------------------ */

static uint32_t outstanding(const struct gaudi_nic_ctx *req)
{
	return (get(req, NIC_REQ_NEXT_PSN) - get(req, NIC_REQ_OLDEST_UNACKED)) &
	       NIC_PSN_MASK;
}

/* An entry has been sent whole. */
static void note_sent(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		      const struct gaudi_nic_ctx *req, struct gaudi_nic_qp *qp,
		      const uint32_t *wqe, const struct plan *plan)
{
	uint64_t last = (get(req, NIC_REQ_NEXT_PSN) - 1) & NIC_PSN_MASK;
	uint64_t to = gaudi_nic_get(wqe, NIC_WQE_REMOTE_ADDR);

	if (plan->sob) {
		qp->wrote = gaudi_nic_get(wqe, NIC_WQE_REMOTE_SOB);
		qp->wrote_data = gaudi_nic_get(wqe, NIC_WQE_REMOTE_SOB_DATA);
	}
	if (plan->packets)
		gaudi_trace(chip, GAUDI_TRACE_SEND, port->id,
			    last | (uint64_t)get(req, NIC_REQ_DST_QP) << 24 |
				    (uint64_t)req->qpn << 48,
			    plan->messages ? to : GAUDI_CFG_BASE + qp->wrote,
			    (uint64_t)plan->messages * plan->size);
}

/* As much of one entry as there is room for; true: it has been sent whole. */
static bool send_entry(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		       struct gaudi_nic_ctx *req, struct gaudi_nic_qp *qp,
		       struct gaudi_nic_queue *queue)
{
	uint32_t index = get(req, NIC_REQ_EXECUTION_INDEX);
	const uint32_t *wqe;
	struct plan plan;

	wqe = gaudi_nic_entry(chip, req, queue, index,
			      get(req, NIC_REQ_PRODUCER_INDEX));
	if (!wqe || plan_of(chip, port, wqe, &plan)) {
		fail(chip, port, req, NIC_SYN_TX_BAD_QP);
		return false;
	}
	if (!qp->sent && !plan.packets)
		begin_entry(qp, next_index(req, index));
	while (qp->sent < plan.packets) {
		if (port->num_batch >= port->max_batch ||
		    outstanding(req) >= WINDOW)
			return false;
		if (build(chip, port, req, &queue->txn, wqe, &plan, qp->sent)) {
			fail(chip, port, req, NIC_SYN_TX_BAD_QP);
			return false;
		}
		if (!qp->sent)
			begin_entry(qp, next_index(req, index));
		if (chip->clock.on)
			time_packet(chip, port, qp);
		qp->sent++;
		port->batch[port->num_batch].ack_req =
			qp->sent == plan.packets &&
			gaudi_nic_get(wqe, NIC_WQE_ACK_REQ);
		port->counts.tx_bytes +=
			gaudi_nic_packet_len(&port->batch[port->num_batch]);
		port->num_batch++;
		set(req, NIC_REQ_NEXT_PSN,
		    (get(req, NIC_REQ_NEXT_PSN) + 1) & NIC_PSN_MASK);
	}
	qp->sent = 0;
	note_sent(chip, port, req, qp, wqe, &plan);
	time_entry(port, qp, index);
	set(req, NIC_REQ_EXECUTION_INDEX, next_index(req, index));
	return true;
}

static void send_qp(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		    uint32_t qpn)
{
	unsigned int first = port->num_batch, entries = 0;
	struct gaudi_nic_qp *qp = gaudi_nic_qp(port, qpn);
	struct gaudi_nic_queue queue GAUDI_UNINITIALIZED;
	struct gaudi_nic_ctx req;

	if (!qp || gaudi_nic_load_req(chip, port, qpn, &req) ||
	    !get(&req, NIC_REQ_VALID) || get(&req, NIC_REQ_ERROR)) {
		mark_ready(chip, port, qpn, false);
		return;
	}
	if (!is_sane(&req)) {
		fail(chip, port, &req, NIC_SYN_TX_BAD_QP);
		gaudi_nic_store_req(chip, port, &req);
		return;
	}
	gaudi_nic_send_queue(chip, port, &req, &queue);
	/* What another queue pair may reach is its own. */
	port->ahead.span.len = 0;
	while (get(&req, NIC_REQ_EXECUTION_INDEX) !=
		       get(&req, NIC_REQ_PRODUCER_INDEX) &&
	       entries++ < TURN_ENTRIES && incomplete(&req) < GAUDI_NIC_ENTRIES)
		if (!send_entry(chip, port, &req, qp, &queue))
			break;
	/* The last of a batch asks for an answer, else it might be awaited for ever. */
	if (port->num_batch > first)
		port->batch[port->num_batch - 1].ack_req = true;
	if (get(&req, NIC_REQ_EXECUTION_INDEX) ==
		    get(&req, NIC_REQ_PRODUCER_INDEX) ||
	    outstanding(&req) >= WINDOW ||
	    (outstanding(&req) && incomplete(&req) >= GAUDI_NIC_ENTRIES))
		mark_ready(chip, port, qpn, false);
	/* Entries without packets wait for none. */
	if (!outstanding(&req))
		advance(chip, port, &req, 0, get(&req, NIC_REQ_EXECUTION_INDEX));
	if (!get(&req, NIC_REQ_ERROR))
		await(chip, port, &req, qp, timeout_ns(chip, &req));
	gaudi_nic_store_req(chip, port, &req);
}

void gaudi_nic_tx_build(struct gaudi_chip *chip, struct gaudi_nic_port *port)
{
	unsigned int qps;
	uint32_t qpn;

	port->num_batch = 0;
	port->max_batch = port->actor.prompt ? PROMPT_BATCH : GAUDI_NIC_BATCH;
	for (; port->num_acks && port->num_batch < port->max_batch;
	     port->num_acks--) {
		memset(port->span[port->num_batch], 0, sizeof(port->span[0]));
		port->batch[port->num_batch++] =
			port->ack[port->ack_head++ % GAUDI_NIC_ACKS];
	}
	for (qps = 0; qps < TURN_QPS && port->num_ready &&
		      port->num_batch < port->max_batch; qps++) {
		qpn = find_qp(port->ready, port->last + 1);
		port->last = qpn;
		send_qp(chip, port, qpn);
	}
	trace_sending(chip, port);
	port->counts.tx_packets += port->num_batch;
}

void gaudi_nic_tx_done(struct gaudi_chip *chip, struct gaudi_nic_port *port)
{
	unsigned int i, part;

	for (i = 0; i < port->num_batch; i++)
		for (part = 0; part < 2; part++)
			if (port->span[i][part].len)
				gaudi_bus_unmap(chip, &port->span[i][part], 0);
	port->num_batch = 0;
	port->turn++;
}

/* --- answers ------------------------------------------------------------ */

/* All that is not complete is sent once more. */
static void go_back(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		    struct gaudi_nic_ctx *req, struct gaudi_nic_qp *qp)
{
	if (outstanding(req) > qp->ahead) {
		qp->ahead = outstanding(req);
		qp->ahead_index = get(req, NIC_REQ_EXECUTION_INDEX);
	}
	set(req, NIC_REQ_NEXT_PSN, get(req, NIC_REQ_OLDEST_UNACKED));
	set(req, NIC_REQ_EXECUTION_INDEX, get(req, NIC_REQ_CONSUMER_INDEX));
	qp->sent = 0;
	port->counts.retries++;
	mark_ready(chip, port, req->qpn, true);
}

/* One more try; false: that was the last. The counter is a field of the context. */
static bool may_retry(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		      struct gaudi_nic_ctx *req, unsigned int bit,
		      unsigned int width, uint32_t max)
{
	uint32_t tries = get(req, bit, width);

	(void)chip;
	(void)port;
	if (tries >= max)
		return false;
	set(req, bit, width, tries + 1);
	return true;
}

static void nak(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		struct gaudi_nic_ctx *req, struct gaudi_nic_qp *qp,
		uint32_t syndrome)
{
	uint32_t max = gaudi_reg(chip, port->qpc, NIC_QPC_RETRY_COUNT_MAX);

	if (syndrome == GAUDI_AETH_NAK_PSN &&
	    may_retry(chip, port, req, NIC_REQ_SEQ_ERR_RETRIES,
		      FIELD_GET(NIC_QPC_RETRY_SEQ_ERR, max)))
		go_back(chip, port, req, qp);
	else
		fail(chip, port, req, NIC_SYN_TX_NACK_RETRIES);
}

/*
 * So many packets from the oldest one on are acknowledged. They may be more than have been
 * sent again, if the answer to what was sent before has only been late.
 */
static void acknowledge(struct gaudi_chip *chip, struct gaudi_nic_port *port,
			struct gaudi_nic_ctx *req, struct gaudi_nic_qp *qp,
			uint32_t acked)
{
	uint32_t size = get(req, NIC_REQ_LAST_INDEX) + 1, sent = incomplete(req);
	uint32_t first = get(req, NIC_REQ_CONSUMER_INDEX), index, done;

	if (acked > qp->acked) {
		set(req, NIC_REQ_SEQ_ERR_RETRIES, 0);
		set(req, NIC_REQ_TIMEOUT_RETRIES, 0);
	}
	done = advance(chip, port, req, acked,
		       acked > outstanding(req) ?
			       qp->ahead_index :
			       get(req, NIC_REQ_EXECUTION_INDEX));
	qp->acked = acked - done;
	qp->ahead -= done < qp->ahead ? done : qp->ahead;
	index = get(req, NIC_REQ_CONSUMER_INDEX);
	if ((index + size - first) % size <= sent)
		return;
	set(req, NIC_REQ_EXECUTION_INDEX, index);
	set(req, NIC_REQ_NEXT_PSN, get(req, NIC_REQ_OLDEST_UNACKED));
	qp->sent = 0;
}

void gaudi_nic_rx_ack(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		      const struct gaudi_nic_packet *packet)
{
	uint32_t syndrome = GAUDI_AETH_SYNDROME(packet->aeth), acked;
	bool is_ack = !(syndrome & 0x60);
	struct gaudi_nic_qp *qp;
	struct gaudi_nic_ctx req;

	if (gaudi_nic_load_req(chip, port, packet->dst_qp, &req) ||
	    !get(&req, NIC_REQ_VALID)) {
		gaudi_nic_error(chip, port, packet->dst_qp,
				is_ack ? NIC_SYN_TX_ACK_BAD_QP :
					 NIC_SYN_TX_NACK_BAD_QP);
		return;
	}
	qp = gaudi_nic_qp(port, packet->dst_qp);
	acked = (packet->psn - get(&req, NIC_REQ_OLDEST_UNACKED) + is_ack) &
		NIC_PSN_MASK;
	/* Of before. */
	if (!qp || get(&req, NIC_REQ_ERROR) || !is_sane(&req) ||
	    (acked > outstanding(&req) && acked > qp->ahead))
		return;
	acknowledge(chip, port, &req, qp, acked);
	if (!is_ack && (syndrome & 0x60) != GAUDI_AETH_RNR)
		nak(chip, port, &req, qp, syndrome);
	if (!get(&req, NIC_REQ_ERROR)) {
		await(chip, port, &req, qp, timeout_ns(chip, &req));
		if (get(&req, NIC_REQ_EXECUTION_INDEX) !=
		    get(&req, NIC_REQ_PRODUCER_INDEX))
			mark_ready(chip, port, packet->dst_qp, true);
	}
	gaudi_nic_store_req(chip, port, &req);
}

static void await_again(struct gaudi_chip *chip, struct gaudi_nic_port *port,
			const struct gaudi_nic_ctx *req, struct gaudi_nic_qp *qp)
{
	qp->deadline_ns = gaudi_now_ns(chip) + timeout_ns(chip, req);
	mark(port->waiting, &port->num_waiting, req->qpn, true);
}

static void timed_out(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		      uint32_t qpn, struct gaudi_nic_qp *qp)
{
	uint32_t max = gaudi_reg(chip, port->qpc, NIC_QPC_RETRY_COUNT_MAX);
	struct gaudi_nic_ctx req;

	mark(port->waiting, &port->num_waiting, qpn, false);
	if (gaudi_nic_load_req(chip, port, qpn, &req) ||
	    !get(&req, NIC_REQ_VALID) || get(&req, NIC_REQ_ERROR))
		return;
	/* It is this card's turn to send: nothing that the peer could answer. */
	if (port->carrier && is_ready(port, qpn) && !outstanding(&req)) {
		await_again(chip, port, &req, qp);
		return;
	}
	if (may_retry(chip, port, &req, NIC_REQ_TIMEOUT_RETRIES,
		      FIELD_GET(NIC_QPC_RETRY_TIMEOUT, max))) {
		go_back(chip, port, &req, qp);
		/* Should there be nothing that is sent now. */
		await_again(chip, port, &req, qp);
	} else {
		fail(chip, port, &req, NIC_SYN_TX_TIMEOUT_RETRIES);
	}
	gaudi_nic_store_req(chip, port, &req);
}

void gaudi_nic_timeout(struct gaudi_chip *chip, void *arg)
{
	struct gaudi_nic_port *port = arg;
	uint64_t now = gaudi_now_ns(chip), first = UINT64_MAX;
	struct gaudi_nic_qp *qp;
	unsigned int word;
	uint64_t left;
	uint32_t qpn;

	for (word = 0; word < NIC_QP_WORDS && port->num_waiting; word++) {
		for (left = port->waiting[word]; left; left &= left - 1) {
			qpn = 64 * word + __builtin_ctzll(left);
			qp = gaudi_nic_qp(port, qpn);
			if (qp->deadline_ns <= now)
				timed_out(chip, port, qpn, qp);
			if (port->waiting[word] & 1ull << qpn % 64 &&
			    qp->deadline_ns < first)
				first = qp->deadline_ns;
		}
	}
	if (first != UINT64_MAX)
		arm(chip, port, first > now ? first - now : 0);
}
