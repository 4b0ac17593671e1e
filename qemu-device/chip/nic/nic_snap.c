// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * The ports' part of a snapshot: what queue pairs have that is not in their contexts, and
 * acknowledgements that wait. Between two turns nothing is on a wire to another card of
 * this process; what is on its way in a network is lost there, as networks may.
 */
#include <stdlib.h>

#include "nic_port.h"
#include "../snap/snap.h"

#define QPS	64u		/* that are made together */

static void pair(struct gaudi_snap *s, struct gaudi_nic_qp *qp)
{
	/* 0 is no moment but says that there is none. */
	bool awaits = !s->load && qp->deadline_ns;

	gaudi_snap_bool(s, &awaits);
	if (awaits)
		gaudi_snap_time(s, &qp->deadline_ns);
	if (awaits && !qp->deadline_ns)
		qp->deadline_ns = 1;
	GAUDI_SNAP(s, qp->sent);
	GAUDI_SNAP(s, qp->acked);
	GAUDI_SNAP(s, qp->ahead);
	GAUDI_SNAP(s, qp->ahead_index);
	GAUDI_SNAP(s, qp->va);
	GAUDI_SNAP(s, qp->left);
	GAUDI_SNAP(s, qp->stream);
	GAUDI_SNAP(s, qp->stream_end);
	GAUDI_SNAP(s, qp->last_opcode);
	/* What another past has written. */
	if (s->load)
		qp->wrote = 0;
}

static void pairs(struct gaudi_snap *s, struct gaudi_nic_port *port)
{
	struct gaudi_nic_qp *qp;
	unsigned int i, n;
	bool used;

	for (i = 0; i < ARRAY_SIZE(port->qp) && !s->err; i++) {
		used = port->qp[i];
		gaudi_snap_bool(s, &used);
		if (!used)
			continue;
		qp = gaudi_nic_qp(port, i * QPS);
		if (!gaudi_snap_check(s, qp, "no memory for queue pairs"))
			return;
		for (n = 0; n < QPS; n++)
			pair(s, &qp[n]);
	}
}

static uint32_t count(const uint64_t *bits)
{
	uint32_t n = 0, i;

	for (i = 0; i < NIC_QP_WORDS; i++)
		n += __builtin_popcountll(bits[i]);
	return n;
}

static void answer(struct gaudi_snap *s, struct gaudi_nic_packet *p)
{
	if (s->load)
		memset(p, 0, sizeof(*p));
	GAUDI_SNAP(s, p->opcode);
	gaudi_snap_bool(s, &p->ack_req);
	GAUDI_SNAP_ARRAY(s, p->dst_mac);
	GAUDI_SNAP(s, p->src_ip);
	GAUDI_SNAP(s, p->dst_ip);
	GAUDI_SNAP(s, p->dst_qp);
	GAUDI_SNAP(s, p->psn);
	GAUDI_SNAP(s, p->aeth);
}

static void answers(struct gaudi_snap *s, struct gaudi_nic_port *port)
{
	unsigned int i;

	GAUDI_SNAP(s, port->num_acks);
	if (!gaudi_snap_check(s, port->num_acks <= GAUDI_NIC_ACKS,
			      "too many acknowledgements")) {
		port->num_acks = s->load ? 0 : port->num_acks;
		return;
	}
	if (s->load)
		port->ack_head = 0;
	for (i = 0; i < port->num_acks; i++)
		answer(s, &port->ack[(port->ack_head + i) % GAUDI_NIC_ACKS]);
}

static void counts(struct gaudi_snap *s, struct gaudi_nic_counts *c)
{
	GAUDI_SNAP(s, c->tx_packets);
	GAUDI_SNAP(s, c->tx_bytes);
	GAUDI_SNAP(s, c->rx_packets);
	GAUDI_SNAP(s, c->rx_bytes);
	GAUDI_SNAP(s, c->retries);
	GAUDI_SNAP(s, c->out_of_order);
	GAUDI_SNAP(s, c->duplicates);
	GAUDI_SNAP(s, c->dropped);
	GAUDI_SNAP(s, c->errors_lost);
}

static void refuse(struct gaudi_snap *s, const struct gaudi_nic_port *port)
{
	struct gaudi_remote *remote = port->link ? gaudi_link_remote(port->link) :
						   NULL;

	if (remote && gaudi_remote_state(remote))
		gaudi_snap_refuse(s, "NIC%u: its wire leads to a card of another process",
				  port->id);
	if (port->broken || gaudi_nic_wire_holds(port))
		gaudi_snap_refuse(s, "NIC%u: its wire is under a fault", port->id);
	if (port->num_batch || port->receiving || port->claimed)
		gaudi_snap_refuse(s, "NIC%u: packets are on the wire", port->id);
}

static void port_of(struct gaudi_snap *s, struct gaudi_nic_port *port)
{
	bool carrier = port->carrier;

	if (!s->load)
		refuse(s, port);
	pairs(s, port);
	gaudi_snap_bool(s, &port->paired);
	GAUDI_SNAP_ARRAY(s, port->ready);
	GAUDI_SNAP_ARRAY(s, port->waiting);
	GAUDI_SNAP(s, port->last);
	gaudi_snap_check(s, port->last < NIC_MAX_QP, "no such queue pair");
	port->last = s->err && s->load ? 0 : port->last;
	port->num_ready = count(port->ready);
	port->num_waiting = count(port->waiting);
	answers(s, port);
	GAUDI_SNAP(s, port->turn);
	GAUDI_SNAP(s, port->inv_turn);
	GAUDI_SNAP(s, port->rx_turn);
	GAUDI_SNAP(s, port->rx_inv_turn);
	GAUDI_SNAP(s, port->db_pi);
	counts(s, &port->counts);
	port->timer.fn = gaudi_nic_timeout;
	port->timer.arg = port;
	gaudi_snap_timer(s, &port->timer);
	gaudi_snap_bool(s, &carrier);
	if (s->load && !s->err)
		gaudi_snap_check(s, gaudi_link_take_up(s->chip, port, carrier),
				 "a link is up that has no wire here");
}

void gaudi_nic_snap(struct gaudi_snap *s)
{
	unsigned int i;

	for (i = 0; i < GAUDI_NUM_NIC_ENGINE; i++)
		port_of(s, gaudi_nic_port(s->chip, i));
}
