// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Responders: packets become writes, completions and acknowledgements.
 *
 * What is written is collected, checked and mapped with the lock held, and copied
 * without it if it is much. Whatever tells of data (a completion, a write to a
 * register) comes when they have been copied.
 *
 * Source: see gaudi_nic_regs.h; InfiniBand Architecture Specification, chapter 9.
 * Inferred: SENDs go to a ring of 2^LOG_BUF_SIZE bytes at NIC_RXE_RAW_BASE, of
 * which CYCLIC_INDEX is the byte where the next one starts, a multiple of 128. A
 * connection in state RESYNC takes the number of the first packet that comes.
 */
#include "nic_port.h"
#include "ring/past_caches.h"
#include "../bus/bus.h"

#define MAX_COPIES	(4 * GAUDI_NIC_BATCH)
#define MAX_ANSWERS	16
/* So much is copied with the lock held. */
#define DIRECT_BYTES	(16u << 10)
#define SEND_ALIGN	128u
/* Who writes so much in a row does not find it in a cache when it is read. */
#define STREAM_BYTES	(4u << 20)

struct copy {
	struct gaudi_span dst;
	const uint8_t *src;
	bool past_caches;
};

/* What one call of receive() has collected. */
struct intake {
	struct gaudi_chip *chip;
	struct gaudi_nic_port *port;
	struct copy copy[MAX_COPIES];
	unsigned int copies;
	uint64_t bytes;
	struct gaudi_nic_packet answer[MAX_ANSWERS];
	unsigned int answers;
	/* the context that packets in a row have in common */
	struct gaudi_nic_ctx res;
	struct gaudi_txn txn;	/* ... and how it reaches memory */
	struct gaudi_nic_ahead ahead;	/* ... of which this is mapped */
	bool loaded, changed;
	bool let_go;		/* of the lock, since it was read */
	uint64_t at_ps;		/* the card's clock: this packet's */
};

/* --- answers ------------------------------------------------------------ */

static bool same_kind(const struct gaudi_nic_packet *a,
		      const struct gaudi_nic_packet *b)
{
	return a->dst_qp == b->dst_qp &&
	       GAUDI_AETH_SYNDROME(a->aeth) == GAUDI_AETH_ACK &&
	       GAUDI_AETH_SYNDROME(b->aeth) == GAUDI_AETH_ACK;
}

/* To be sent. A later one of the same kind says all that the earlier did. */
static void queue(struct gaudi_nic_port *port,
		  const struct gaudi_nic_packet *ack)
{
	struct gaudi_nic_packet *last;

	last = &port->ack[(port->ack_head + port->num_acks - 1) %
			  GAUDI_NIC_ACKS];
	if (port->num_acks && same_kind(last, ack)) {
		*last = *ack;
		return;
	}
	/* The requester asks once more when it has waited enough. */
	if (port->num_acks == GAUDI_NIC_ACKS)
		return;
	port->ack[(port->ack_head + port->num_acks++) % GAUDI_NIC_ACKS] = *ack;
}

/* The context is in memory whenever others may look. */
static void put_back(struct intake *in)
{
	if (in->changed)
		gaudi_nic_store_res(in->chip, in->port, &in->res);
	in->changed = false;
}

/* 0, or -EFAULT: there is none. */
static int get_context(struct intake *in, uint32_t qpn)
{
	int err = 0;

	if (in->loaded && in->res.qpn == qpn)
		return 0;
	put_back(in);
	err = gaudi_nic_load_res(in->chip, in->port, qpn, &in->res);
	in->loaded = !err;
	in->ahead.span.len = 0;
	if (!err)
		in->txn = gaudi_nic_txn(in->port, gaudi_nic_get(in->res.word,
								NIC_RES_TRUST));
	return err;
}

static void do_copy(const struct copy *copy)
{
	if (copy->past_caches)
		gaudi_copy_past_caches(copy->dst.ptr, copy->src, copy->dst.len);
	else
		memcpy(copy->dst.ptr, copy->src, copy->dst.len);
}

/* Answers wait until what they acknowledge is in memory. */
static void flush(struct intake *in)
{
	bool bulk = in->bytes > DIRECT_BYTES;
	unsigned int i;

	put_back(in);
	if (bulk)
		gaudi_bulk_begin(in->chip);
	for (i = 0; i < in->copies; i++)
		do_copy(&in->copy[i]);
	gaudi_past_caches_end();
	if (bulk)
		gaudi_bulk_end(in->chip);
	in->chip->clock.at_ps = in->at_ps;
	in->let_go |= bulk;
	in->loaded &= !bulk;
	if (bulk)
		in->ahead.span.len = 0;
	for (i = 0; i < in->copies; i++)
		gaudi_bus_unmap(in->chip, &in->copy[i].dst,
				in->copy[i].dst.len);
	in->copies = 0;
	in->bytes = 0;
	for (i = 0; i < in->answers; i++)
		queue(in->port, &in->answer[i]);
	in->answers = 0;
}

static void answer(struct intake *in, const struct gaudi_nic_ctx *res,
		   uint32_t psn, uint32_t syndrome)
{
	struct gaudi_nic_packet ack = {
		.opcode = GAUDI_ROCE_ACK,
		.dst_qp = gaudi_nic_get(res->word, NIC_RES_DST_QP),
		.psn = psn & NIC_PSN_MASK,
		.aeth = syndrome << 24 | (psn & NIC_PSN_MASK),
		.src_ip = gaudi_nic_get(res->word, NIC_RES_SRC_IP),
		.dst_ip = gaudi_nic_get(res->word, NIC_RES_DST_IP),
		.at_ps = in->at_ps,
	};

	memcpy(ack.dst_mac, &res->word[4], sizeof(ack.dst_mac));
	if (in->answers && same_kind(&in->answer[in->answers - 1], &ack)) {
		in->answer[in->answers - 1] = ack;
		return;
	}
	if (in->answers == MAX_ANSWERS)
		flush(in);
	in->answer[in->answers++] = ack;
}

/* --- data --------------------------------------------------------------- */

/* 0, or -EFAULT, which has been captured. */
static int put(struct intake *in, const struct gaudi_txn *txn, uint64_t addr,
	       const uint8_t *src, uint32_t len, bool past_caches)
{
	struct copy *copy;
	int err;

	for (; len; addr += copy->dst.len, src += copy->dst.len,
		    len -= copy->dst.len) {
		if (in->copies == MAX_COPIES)
			flush(in);
		copy = &in->copy[in->copies];
		err = gaudi_nic_map(in->chip, txn, &in->ahead, addr, len, true,
				    &copy->dst);
		if (err == -ENXIO) {
			/*
			 * Registers, which may tell of what is not copied yet, and
			 * protect memory.
			 */
			flush(in);
			in->ahead.span.len = 0;
			return gaudi_bus_write(in->chip, txn, addr, src, len);
		}
		if (err)
			return err;
		copy->src = src;
		copy->past_caches = past_caches;
		in->copies++;
		in->bytes += copy->dst.len;
	}
	return 0;
}

/* The connection ends; syndrome 0: not one that the FIFO knows. */
static void refuse(struct intake *in, struct gaudi_nic_ctx *res, uint32_t nak,
		   unsigned int syndrome)
{
	answer(in, res, gaudi_nic_get(res->word, NIC_RES_EXPECTED_PSN), nak);
	gaudi_nic_set(res->word, NIC_RES_CONN_STATE, NIC_CONN_ERROR);
	if (syndrome)
		gaudi_nic_error(in->chip, in->port, res->qpn, syndrome);
}

/* --- messages ----------------------------------------------------------- */

/* Does the packet continue what came before it? */
static bool in_sequence(const struct gaudi_nic_qp *qp,
			const struct gaudi_nic_packet *p, unsigned int kind)
{
	unsigned int before = gaudi_roce_kind(qp->last_opcode);
	uint32_t len = gaudi_nic_packet_len(p);

	if (kind & GAUDI_ROCE_STARTS)
		return !before || before & GAUDI_ROCE_ENDS;
	if (!before || before & GAUDI_ROCE_ENDS ||
	    (before & GAUDI_ROCE_WRITES) != (kind & GAUDI_ROCE_WRITES))
		return false;
	if (!(kind & GAUDI_ROCE_WRITES))
		return true;
	return kind & GAUDI_ROCE_ENDS ? len == qp->left : len < qp->left;
}

/* Where a SEND goes, and where the next one will. */
static uint64_t send_place(struct intake *in, struct gaudi_nic_ctx *res,
			   uint32_t len)
{
	struct gaudi_nic_port *port = in->port;
	uint32_t size = 1u << gaudi_nic_get(res->word, NIC_RES_LOG_BUF_SIZE);
	uint32_t at = gaudi_nic_get(res->word, NIC_RES_CYCLIC_INDEX);
	uint64_t base;

	base = gaudi_reg64(in->chip, port->rxe, NIC_RXE_RAW_BASE_LO);
	at &= size - 1;
	/* A packet is in one piece. */
	if (len > size)
		return 0;
	if (len > size - at)
		at = 0;
	gaudi_nic_set(res->word, NIC_RES_CYCLIC_INDEX,
		      (at + (len + SEND_ALIGN - 1) / SEND_ALIGN * SEND_ALIGN) &
			      (size - 1));
	return base ? base + at : 0;
}

/* Where the data go; 0: nowhere. Starts and continues the message. */
static uint64_t place(struct intake *in, struct gaudi_nic_ctx *res,
		      struct gaudi_nic_qp *qp,
		      const struct gaudi_nic_packet *p, unsigned int kind)
{
	uint32_t len = gaudi_nic_packet_len(p);
	uint64_t va;

	if (!(kind & GAUDI_ROCE_WRITES))
		return send_place(in, res, len);
	if (kind & GAUDI_ROCE_STARTS) {
		qp->va = p->va;
		qp->left = p->dma_len;
	}
	va = qp->va;
	qp->va += len;
	qp->left -= len;
	return va;
}

/* Does it go on where much came before? What are messages does not count. */
static bool is_stream(struct gaudi_nic_qp *qp, uint64_t va, uint32_t len)
{
	if (len < SEND_ALIGN)
		return false;
	qp->stream = va == qp->stream_end ? qp->stream + len : 0;
	qp->stream_end = va + len;
	return qp->stream >= STREAM_BYTES;
}

/* A packet whose turn it is. */
static void accept(struct intake *in, struct gaudi_nic_ctx *res,
		   struct gaudi_nic_qp *qp, const struct gaudi_nic_packet *p,
		   unsigned int kind)
{
	uint32_t expected = gaudi_nic_get(res->word, NIC_RES_EXPECTED_PSN);
	uint32_t len = gaudi_nic_packet_len(p);
	bool stream;
	uint64_t va;
	unsigned int i;
	int err = 0;

	if (kind & GAUDI_ROCE_REFUSED || !in_sequence(qp, p, kind)) {
		refuse(in, res, GAUDI_AETH_NAK_INVALID, 0);
		return;
	}
	if (kind & GAUDI_ROCE_WRITES && kind & GAUDI_ROCE_STARTS) {
		if (p->rkey != gaudi_nic_get(res->word, NIC_RES_LKEY)) {
			refuse(in, res, GAUDI_AETH_NAK_ACCESS, NIC_SYN_RX_RKEY);
			return;
		}
		if (kind & GAUDI_ROCE_ENDS ? len != p->dma_len :
					     len >= p->dma_len) {
			refuse(in, res, GAUDI_AETH_NAK_INVALID, 0);
			return;
		}
	}
	va = place(in, res, qp, p, kind);
	if (len && !va && !(kind & GAUDI_ROCE_WRITES))
		err = -EFAULT;
	stream = is_stream(qp, va, len);
	for (i = 0; i < 2 && !err; va += p->part_len[i], i++)
		err = put(in, &in->txn, va, p->part[i], p->part_len[i], stream);
	if (err) {
		refuse(in, res, GAUDI_AETH_NAK_ACCESS, 0);
		return;
	}
	qp->last_opcode = p->opcode;
	gaudi_nic_set(res->word, NIC_RES_EXPECTED_PSN,
		      (expected + 1) & NIC_PSN_MASK);
	gaudi_nic_set(res->word, NIC_RES_NACK_SYNDROME, NIC_NACK_NONE);
	in->port->counts.rx_bytes += len;
	if (kind & GAUDI_ROCE_IMM) {
		flush(in);
		gaudi_nic_complete_res(in->chip, in->port, p->imm);
	}
	if (!p->ack_req)
		return;
	if (kind & GAUDI_ROCE_ENDS)
		gaudi_trace(in->chip, GAUDI_TRACE_RECEIVE, in->port->id,
			    expected | (uint64_t)res->qpn << 24,
			    kind & GAUDI_ROCE_STARTS ? p->va : 0, 0);
	answer(in, res, expected, GAUDI_AETH_ACK);
}

/* Packets that are missing, or have been here before. */
static void out_of_order(struct intake *in, struct gaudi_nic_ctx *res,
			 bool missing)
{
	uint32_t expected = gaudi_nic_get(res->word, NIC_RES_EXPECTED_PSN);

	if (!missing) {
		in->port->counts.duplicates++;
		answer(in, res, expected - 1, GAUDI_AETH_ACK);
		return;
	}
	in->port->counts.out_of_order++;
	/* Asked for once, until it comes. */
	if (gaudi_nic_get(res->word, NIC_RES_NACK_SYNDROME) != NIC_NACK_NONE)
		return;
	gaudi_nic_set(res->word, NIC_RES_NACK_SYNDROME, NIC_NACK_SENT);
	answer(in, res, expected, GAUDI_AETH_NAK_PSN);
}

/* Unless the connection was closed while data were copied. */
static void keep(struct intake *in)
{
	struct gaudi_nic_ctx now;

	in->changed = !in->let_go ||
		      (!gaudi_nic_load_res(in->chip, in->port, in->res.qpn,
					   &now) &&
		       gaudi_nic_get(now.word, NIC_RES_VALID));
}

static void request(struct intake *in, const struct gaudi_nic_packet *p)
{
	unsigned int kind = gaudi_roce_kind(p->opcode), state;
	struct gaudi_nic_port *port = in->port;
	struct gaudi_nic_ctx *res = &in->res;
	struct gaudi_nic_qp *qp;
	uint32_t ahead;

	in->let_go = false;
	if (get_context(in, p->dst_qp) ||
	    !gaudi_nic_get(res->word, NIC_RES_VALID)) {
		gaudi_nic_error(in->chip, port, p->dst_qp, NIC_SYN_RX_BAD_QP);
		return;
	}
	if (gaudi_nic_get(res->word, NIC_RES_TRANSPORT) != NIC_TRANSPORT_RC) {
		gaudi_nic_error(in->chip, port, p->dst_qp, NIC_SYN_RX_TRANSPORT);
		return;
	}
	qp = gaudi_nic_qp(port, p->dst_qp);
	state = gaudi_nic_get(res->word, NIC_RES_CONN_STATE);
	if (!qp || state == NIC_CONN_CLOSE || state == NIC_CONN_ERROR) {
		port->counts.dropped++;
		return;
	}
	if (state == NIC_CONN_RESYNC) {
		gaudi_nic_set(res->word, NIC_RES_EXPECTED_PSN, p->psn);
		gaudi_nic_set(res->word, NIC_RES_CONN_STATE, NIC_CONN_OPEN);
		qp->last_opcode = GAUDI_ROCE_NONE;
	}
	ahead = (p->psn - gaudi_nic_get(res->word, NIC_RES_EXPECTED_PSN)) &
		NIC_PSN_MASK;
	if (ahead)
		out_of_order(in, res, ahead < (NIC_PSN_MASK + 1) / 2);
	else
		accept(in, res, qp, p, kind);
	keep(in);
}

/* Its data are written as they come, unless HBM has too much else to do. */
static uint64_t written_ps(struct gaudi_chip *chip,
			   const struct gaudi_nic_packet *packet)
{
	uint32_t len = gaudi_nic_packet_len(packet);
	uint64_t wire = gaudi_bytes_ps(len, GAUDI_RATE_NIC), ps;

	ps = gaudi_hbm_until(chip, packet->at_ps - (wire < packet->at_ps ? wire : 0),
			     len, GAUDI_RATE_NIC);
	return ps > packet->at_ps ? ps : packet->at_ps;
}

static void take(struct intake *in, const struct gaudi_nic_packet *packet)
{
	in->at_ps = packet->at_ps;
	if (in->chip->clock.on)
		in->at_ps = written_ps(in->chip, packet);
	in->chip->clock.at_ps = in->at_ps;
	in->port->counts.rx_packets++;
	if (packet->damage) {
		in->port->counts.dropped++;
		gaudi_log(in->chip, GAUDI_LOG_INFO,
			  "NIC%u: packet dropped: it is damaged", in->port->id);
	} else if (packet->opcode == GAUDI_ROCE_ACK) {
		gaudi_nic_rx_ack(in->chip, in->port, packet);
	} else {
		request(in, packet);
	}
}

/* Faults on demand may change it, lose it, or let it come twice. */
static void take_struck(struct intake *in, const struct gaudi_nic_packet *packet)
{
	struct gaudi_nic_packet copy = *packet;
	unsigned int times = gaudi_nic_wire_in(in->chip, in->port, &copy);

	while (times--)
		take(in, &copy);
}

void gaudi_nic_receive(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		       const struct gaudi_nic_packet *packet, unsigned int n)
{
	struct intake in GAUDI_UNINITIALIZED;
	unsigned int i;

	in.chip = chip;
	in.port = port;
	in.copies = 0;
	in.bytes = 0;
	in.answers = 0;
	in.loaded = false;
	in.changed = false;
	in.let_go = false;
	in.at_ps = 0;
	port->receiving = true;
	for (i = 0; i < n; i++) {
		if (gaudi_fault_armed(chip, GAUDI_FAULT_FRAME))
			take_struck(&in, &packet[i]);
		else
			take(&in, &packet[i]);
	}
	flush(&in);
	port->receiving = false;
	port->rx_turn++;
}

unsigned int gaudi_nic_pop_answers(struct gaudi_chip *chip,
				   struct gaudi_nic_port *port,
				   struct gaudi_nic_packet *out)
{
	unsigned int n = 0;

	if (gaudi_fault_armed(chip, GAUDI_FAULT_FRAME) ||
	    gaudi_nic_wire_holds(port))
		return 0;
	for (; port->num_acks && n < GAUDI_NIC_BATCH; port->num_acks--)
		out[n++] = port->ack[port->ack_head++ % GAUDI_NIC_ACKS];
	port->counts.tx_packets += n;
	return n;
}
