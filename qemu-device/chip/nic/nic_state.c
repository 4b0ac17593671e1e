// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Why ports stand still, for a record: links, and queue pairs that have entries which
 * are not acknowledged, or an error.
 */
#include <inttypes.h>

#include "nic_port.h"
#include "../bus/bus.h"

#define SHOWN_ENTRIES	16

struct pair {
	const struct gaudi_nic_ctx *req;
	struct gaudi_nic_queue send, recv;
};

static uint32_t get(const struct gaudi_nic_ctx *req, unsigned int bit,
		    unsigned int width)
{
	return gaudi_nic_get(req->word, bit, width);
}

/* NULL: it cannot be read. */
static const uint32_t *entry(struct gaudi_chip *chip, struct pair *p,
			     struct gaudi_nic_queue *q, uint32_t index,
			     uint32_t end)
{
	if (q->exists && gaudi_bus_reachable(chip, &q->txn, q->base +
					     (uint64_t)index * q->size, q->size,
					     false) < q->size)
		return NULL;
	return gaudi_nic_entry(chip, p->req, q, index, end);
}

/* [bytes, the peer's object or 0, its data, ours or 0, its data] */
static void write_entry(struct gaudi_chip *chip, struct pair *p,
			uint32_t index, uint32_t end, FILE *out)
{
	const uint32_t *wqe = entry(chip, p, &p->send, index, end), *own;
	uint32_t sob = 0;

	if (!wqe) {
		fputs("[0, 0, 0, 0, 0]", out);
		return;
	}
	if (gaudi_nic_get(wqe, NIC_WQE_REMOTE_SOB_VALID))
		sob = gaudi_nic_get(wqe, NIC_WQE_REMOTE_SOB);
	fprintf(out, "[%u, %" PRIu32 ", %u, ",
		(unsigned int)gaudi_nic_get(wqe, NIC_WQE_SIZE_BYTES), sob,
		(unsigned int)gaudi_nic_get(wqe, NIC_WQE_REMOTE_SOB_DATA));
	own = entry(chip, p, &p->recv, index, end);
	if (!own || !gaudi_nic_get(own, NIC_RECV_WQE_VALID))
		fputs("0, 0]", out);
	else
		fprintf(out, "%u, %u]",
			(unsigned int)gaudi_nic_get(own, NIC_RECV_WQE_SOB),
			(unsigned int)gaudi_nic_get(own, NIC_RECV_WQE_SOB_DATA));
}

static void write_pair(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		       const struct gaudi_nic_ctx *req, FILE *out)
{
	uint32_t ci = get(req, NIC_REQ_CONSUMER_INDEX), n;
	uint32_t pi = get(req, NIC_REQ_PRODUCER_INDEX);
	uint32_t last = get(req, NIC_REQ_LAST_INDEX);
	struct pair p = { .req = req };

	fprintf(out, "{\"qp\": %" PRIu32 ", \"peer\": %" PRIu32
		", \"error\": %" PRIu32 ", \"pi\": %" PRIu32 ", \"ci\": %" PRIu32
		", \"sent\": %" PRIu32 ", \"entries\": [", req->qpn,
		get(req, NIC_REQ_DST_QP), get(req, NIC_REQ_ERROR), pi, ci,
		get(req, NIC_REQ_EXECUTION_INDEX));
	gaudi_nic_send_queue(chip, port, req, &p.send);
	gaudi_nic_recv_queue(chip, port, req, &p.recv);
	for (n = 0; ci != pi && ci <= last && n < SHOWN_ENTRIES; n++) {
		fputs(n ? ", " : "", out);
		write_entry(chip, &p, ci, pi > ci ? pi : last + 1, out);
		ci = ci == last ? 0 : ci + 1;
	}
	fputs("]}", out);
}

/* Has it entries that are not acknowledged, or an error? */
static bool has_work(const struct gaudi_nic_ctx *req)
{
	return get(req, NIC_REQ_ERROR) || get(req, NIC_REQ_PRODUCER_INDEX) !=
						  get(req, NIC_REQ_CONSUMER_INDEX);
}

/* Calls write for each queue pair that is valid, or of these for each that has work. */
static void each_pair(struct gaudi_chip *chip, struct gaudi_nic_port *port, bool with_work,
		      void (*write)(struct gaudi_chip *chip, struct gaudi_nic_port *port,
				    const struct gaudi_nic_ctx *req, FILE *out),
		      FILE *out)
{
	struct gaudi_nic_ctx req;
	const char *comma = "";
	uint32_t qpn;

	for (qpn = 0; qpn < NIC_MAX_QP; qpn++) {
		if (!port->qp[qpn / 64]) {
			qpn |= 63;
			continue;
		}
		if (gaudi_nic_load_req(chip, port, qpn, &req) ||
		    !get(&req, NIC_REQ_VALID) || (with_work && !has_work(&req)))
			continue;
		fputs(comma, out);
		write(chip, port, &req, out);
		comma = ", ";
	}
}

/* The peer's object that it last wrote, and what: who waits for another one, waits for others. */
static void write_wrote(struct gaudi_chip *chip, struct gaudi_nic_port *port,
			const struct gaudi_nic_ctx *req, FILE *out)
{
	const struct gaudi_nic_qp *qp = &port->qp[req->qpn / 64][req->qpn % 64];

	(void)chip;
	fprintf(out, "[%" PRIu32 ", %" PRIu32 "]", qp->wrote, qp->wrote ? qp->wrote_data : 0);
}

void gaudi_nic_state(struct gaudi_chip *chip, FILE *out)
{
	struct gaudi_nic_port *port = chip->nics->port;
	const char *comma = "";

	fputs("\"ports\": [", out);
	for (; port < chip->nics->port + GAUDI_NUM_NIC_ENGINE; port++) {
		if (!port->link && !gaudi_link_port_is_on(chip, port))
			continue;
		fprintf(out, "%s{\"port\": %u, \"on\": %u, \"up\": %u, \"broken\": %u, \"paired\": %u, ",
			comma, port->id, gaudi_link_port_is_on(chip, port),
			port->carrier, port->broken, port->paired);
		gaudi_link_write_peer(port, out);
		fputs("\"wrote\": [", out);
		each_pair(chip, port, false, write_wrote, out);
		fputs("], \"pairs\": [", out);
		each_pair(chip, port, true, write_pair, out);
		fputs("]}", out);
		comma = ", ";
	}
	fputs("], ", out);
}
