// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Ports as a whole. A port's actor puts what its queue pairs have to send on the
 * wire, a batch at a time. A NIC QMAN's command processor rings the doorbell of
 * its port by a write at offset 0 of its window.
 *
 * Source of the doorbell: the vendor's MIT-licensed tests; that it has the trust
 * which NIC_QPC_DOORBELL_SECURITY says is inferred.
 */
#include <stdio.h>
#include <stdlib.h>

#include "nic_port.h"
#include "../queues/queues.h"

/* Lock held, dropped meanwhile. */
static void transmit(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		     const struct gaudi_nic_packet *packet, unsigned int n)
{
	struct gaudi_link *link = port->link;
	uint64_t epoch = port->epoch, bytes = 0;
	bool claimed = link == port->claimed;
	unsigned int i;

	for (i = 0; i < n; i++)
		bytes += gaudi_nic_packet_len(&packet[i]);
	gaudi_bulk_begin(chip);
	gaudi_link_send(link, chip, port->id, packet, n, epoch, claimed);
	gaudi_bulk_end(chip);
	gaudi_work_done(chip, bytes);
}

/* Lock held; dropped while packets are on the wire. */
static bool turn(struct gaudi_chip *chip, struct gaudi_nic_port *port)
{
	const struct gaudi_nic_packet *out;
	struct gaudi_link *link = port->link;
	bool room = !gaudi_nic_wire_full(port) &&
		    gaudi_remote_has_room(chip, port), again;
	unsigned int n;

	if (port->changed && !port->claimed) {
		port->changed = false;
		gaudi_bulk_begin(chip);
		gaudi_link_update_peer(link, chip, port->id);
		gaudi_bulk_end(chip);
	}
	if (room)
		gaudi_nic_tx_build(chip, port);
	/* Without a link it goes nowhere, and is asked for in vain. */
	n = port->carrier ? gaudi_nic_wire_out(chip, port, &out) : 0;
	if (n && port->carrier)
		transmit(chip, port, out, n);
	gaudi_nic_tx_done(chip, port);
	gaudi_nic_wire_sent(port);
	again = room && !gaudi_nic_wire_full(port) &&
		(port->num_ready || port->num_acks);
	return again || port->changed;
}

/* The same in the host's thread, which waits for no end of the link. */
static bool prompt_turn(struct gaudi_chip *chip, struct gaudi_nic_port *port)
{
	struct gaudi_link *link = port->link;
	bool again = true, got;

	if (!link || port->changed)
		return true;
	gaudi_bulk_begin(chip);
	got = gaudi_link_claim(link);
	gaudi_bulk_end(chip);
	if (!got)
		return true;
	port->claimed = link;
	if (port->link == link)
		again = turn(chip, port);
	port->claimed = NULL;
	gaudi_bulk_begin(chip);
	gaudi_link_unclaim(link);
	gaudi_bulk_end(chip);
	return again;
}

static bool port_run(struct gaudi_chip *chip, struct gaudi_actor *actor)
{
	struct gaudi_nic_port *port = (struct gaudi_nic_port *)actor;
	bool again = actor->prompt ? prompt_turn(chip, port) : turn(chip, port);

	/* Last: who finds this actor at work leaves it to it to look for more. */
	gaudi_remote_look(chip, port, again);
	return again;
}

/* Two halves: the second one rings. */
static int nic_write(struct gaudi_chip *chip, unsigned int unit, uint32_t off,
		     uint32_t value)
{
	struct gaudi_nic_port *port = gaudi_nic_port(chip, unit);
	uint32_t security;
	uint64_t bell;
	char name[32];

	if (off == NIC_QMAN_DOORBELL) {
		port->db_pi = value;
		return 0;
	}
	if (off == NIC_QMAN_DOORBELL + 4) {
		bell = (uint64_t)value << 32 | port->db_pi;
		security = gaudi_reg(chip, port->qpc,
				     NIC_QPC_DOORBELL_SECURITY);
		gaudi_nic_doorbell(chip, port,
				   FIELD_GET(NIC_QMAN_DOORBELL_QPN, bell),
				   FIELD_GET(NIC_QMAN_DOORBELL_PI, bell),
				   FIELD_GET(NIC_QPC_DOORBELL_SECURITY_QMAN,
					     security), false);
		return 0;
	}
	snprintf(name, sizeof(name), "NIC%u window+0x%x", unit, off);
	gaudi_report_use(chip, "feature", name, GAUDI_UNIMPLEMENTED);
	return -EINVAL;
}

static const struct gaudi_engine_ops engine_ops = {
	.write = nic_write,
};

static const char *const actor_name[GAUDI_NUM_NIC_ENGINE] = {
	"NIC0", "NIC1", "NIC2", "NIC3", "NIC4",
	"NIC5", "NIC6", "NIC7", "NIC8", "NIC9",
};

static const char *const remote_name[GAUDI_NUM_NIC_ENGINE] = {
	"NIC0 in", "NIC1 in", "NIC2 in", "NIC3 in", "NIC4 in",
	"NIC5 in", "NIC6 in", "NIC7 in", "NIC8 in", "NIC9 in",
};

int gaudi_nic_init(struct gaudi_chip *chip)
{
	struct gaudi_nic_port *port;
	unsigned int i;

	chip->nics = calloc(1, sizeof(*chip->nics));
	if (!chip->nics)
		return -ENOMEM;
	for (i = 0; i < GAUDI_NUM_NIC_ENGINE; i++) {
		port = gaudi_nic_port(chip, i);
		port->id = i;
		port->qpc = gaudi_block_base(chip, &gaudi_nic_qpc_ops, i);
		port->rxe = gaudi_block_base(chip, &gaudi_nic_rxe_ops, i);
		port->txe = gaudi_block_base(chip, &gaudi_nic_txe_ops, i);
		port->mtu = GAUDI_NIC_MTU;
		gaudi_actor_init(chip, &port->actor, actor_name[i], false,
				 port_run);
		gaudi_actor_init(chip, &port->remote_actor, remote_name[i],
				 false, gaudi_remote_run);
		gaudi_qman_attach(chip, GAUDI_QMAN_NIC + i, &engine_ops, i);
	}
	return 0;
}

static void free_group(struct gaudi_nic_qp *group)
{
	unsigned int i;

	for (i = 0; i < 64; i++)
		free(group[i].times);
	free(group);
}

static void forget(struct gaudi_nic_port *port)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(port->qp); i++) {
		if (!port->qp[i])
			continue;
		free_group(port->qp[i]);
		port->qp[i] = NULL;
	}
	gaudi_nic_wire_drop(port);
	gaudi_zeros_clear(port->ready, sizeof(port->ready));
	gaudi_zeros_clear(port->waiting, sizeof(port->waiting));
	port->paired = false;
	port->num_ready = 0;
	port->tx_ps = 0;
	port->tx_begin_ps = 0;
	port->num_waiting = 0;
	port->num_acks = 0;
	port->num_batch = 0;
	port->db_pi = 0;
	port->starved = false;
	port->stalled = false;
	memset(&port->counts, 0, sizeof(port->counts));
}

void gaudi_nic_reset(struct gaudi_chip *chip)
{
	unsigned int i;

	for (i = 0; i < GAUDI_NUM_NIC_ENGINE; i++) {
		forget(gaudi_nic_port(chip, i));
		gaudi_link_changed(chip, gaudi_nic_port(chip, i));
	}
}

void gaudi_nic_fini(struct gaudi_chip *chip)
{
	unsigned int i;

	for (i = 0; chip->nics && i < GAUDI_NUM_NIC_ENGINE; i++) {
		forget(gaudi_nic_port(chip, i));
		gaudi_nic_wire_free(gaudi_nic_port(chip, i));
		free(gaudi_nic_port(chip, i)->copy);
		gaudi_link_free(gaudi_nic_port(chip, i));
	}
	free(chip->nics);
	chip->nics = NULL;
}
