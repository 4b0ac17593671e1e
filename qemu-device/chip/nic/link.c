// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Wires. One joins two ports of cards in this process, or a port and the host's
 * network, or a port of another process (remote.c). Within the process packets are
 * delivered in the sender's thread, without its card's lock: it visits the other
 * card, and the data move once, from memory to memory. So nothing is ever under way
 * while a card is reset, and nothing old comes later.
 *
 * One thread at a time delivers in a direction: packets come in order, and a card that
 * is freed waits for what is being delivered to it. No lock is held meanwhile, as the
 * visited card tells its host of interrupts at the end.
 */
#include <stdlib.h>

#include "nic_port.h"
#include "../../../uapi/hw/gaudi_fw_if.h"

struct link_end {
	unsigned int port;
	uint32_t module;		/* of the card; not of a network */
	atomic_bool on;			/* the port has its tables */
	struct gaudi_lock lock;		/* guards what follows */
	pthread_cond_t left;
	bool busy;			/* some thread delivers to this end ... */
	struct gaudi_chip *chip;	/* ... and may follow this; NULL: gone */
};

struct gaudi_link {
	atomic_uint refs;
	atomic_bool plugged;
	atomic_uint epoch;		/* how often it went down */
	bool network;			/* end[1] is the host's network */
	struct gaudi_remote *remote;	/* end[1] is in another process */
	atomic_bool released;		/* ... which nobody looks for any more */
	struct gaudi_link *old;		/* of a port, another one without a peer */
	uint8_t mac[6];			/* of end[0], on the network */
	struct link_end end[2];
};

static void link_put(struct gaudi_link *link)
{
	unsigned int i;

	if (atomic_fetch_sub(&link->refs, 1) > 1)
		return;
	for (i = 0; i < 2; i++) {
		gaudi_lock_destroy(&link->end[i].lock);
		pthread_cond_destroy(&link->end[i].left);
	}
	if (link->remote)
		gaudi_remote_free(link->remote);
	free(link);
}

static struct gaudi_link *link_new(struct gaudi_chip *a, unsigned int port_a,
				   struct gaudi_chip *b, unsigned int port_b)
{
	struct gaudi_link *link = calloc(1, sizeof(*link));
	unsigned int i;

	if (!link)
		return NULL;
	atomic_store(&link->refs, b ? 2 : 1);
	atomic_store(&link->plugged, true);
	link->end[0].chip = a;
	link->end[0].port = port_a;
	link->end[1].chip = b;
	link->end[1].port = port_b;
	link->end[0].module = a->config.module_id;
	link->end[1].module = b ? b->config.module_id : 0;
	for (i = 0; i < 2; i++) {
		gaudi_lock_init(&link->end[i].lock, GAUDI_LOCK_LINK);
		pthread_cond_init(&link->end[i].left, NULL);
	}
	return link;
}

/* Around whatever is done to the card at an end; no card's lock is held. */
static void end_enter(struct link_end *end)
{
	gaudi_lock(&end->lock);
	while (end->busy)
		gaudi_cond_wait(&end->left, &end->lock);
	end->busy = true;
	gaudi_unlock(&end->lock);
}

/* The same if nobody else is there. */
static bool end_try(struct link_end *end)
{
	bool free;

	gaudi_lock(&end->lock);
	free = !end->busy;
	end->busy = true;
	gaudi_unlock(&end->lock);
	return free;
}

static void end_leave(struct link_end *end)
{
	gaudi_lock(&end->lock);
	end->busy = false;
	pthread_cond_signal(&end->left);
	gaudi_unlock(&end->lock);
}

/* --- state -------------------------------------------------------------- */

static void set_carrier(struct gaudi_chip *chip, struct gaudi_nic_port *port,
			bool up)
{
	if (up == port->carrier)
		return;
	port->carrier = up;
	gaudi_trace(chip, GAUDI_TRACE_LINK, port->id, 0, up, 0);
	gaudi_log(chip, GAUDI_LOG_INFO, "NIC%u: link %s", port->id,
		  up ? "up" : "down");
	/*
	 * Who takes the port off, or resets the card, knows it. That the event of a
	 * port's status is sent when the link changes is inferred.
	 */
	if (port->link && (port->broken ||
			   atomic_load(&port->link->end[port->end].on)))
		gaudi_cpu_spi(chip, GAUDI_SPI_NIC_STATUS_BASE + port->id);
	if (up)
		gaudi_actor_kick(chip, &port->actor);
	else
		gaudi_nic_wire_drop(port);
}

/* One that was down for a moment only was down, too. */
void gaudi_link_look(struct gaudi_chip *chip, struct gaudi_nic_port *port)
{
	const struct gaudi_link *link = port->link;
	uint64_t epoch = link ? atomic_load(&link->epoch) : 0, state;
	bool up = link && atomic_load(&link->plugged) &&
		  atomic_load(&link->end[0].on);

	if (link && link->remote) {
		state = gaudi_remote_state(link->remote);
		epoch = epoch << 32 | state >> 32;
		up = up && state & 1;
	} else if (up) {
		up = atomic_load(&link->end[1].on);
	}
	if (epoch != port->epoch)
		set_carrier(chip, port, false);
	port->epoch = epoch;
	set_carrier(chip, port, up);
}

static bool has_tables(struct gaudi_chip *chip,
		       const struct gaudi_nic_port *port)
{
	return gaudi_reg(chip, port->qpc, NIC_QPC_RES_BASE_ADDRESS_49_18) ||
	       gaudi_reg(chip, port->qpc, NIC_QPC_RES_BASE_ADDRESS_17_7);
}

bool gaudi_link_port_is_on(struct gaudi_chip *chip,
			   const struct gaudi_nic_port *port)
{
	return !port->broken && has_tables(chip, port);
}

void gaudi_link_write_peer(const struct gaudi_nic_port *port, FILE *out)
{
	struct gaudi_link *link = port->link;
	const struct link_end *peer = link ? &link->end[!port->end] : NULL;

	if (!link) {
		fputs("\"wire\": \"none\", ", out);
		return;
	}
	if (!link->network)
		fprintf(out, "\"peer\": [%u, %u], ", (unsigned int)peer->module,
			peer->port);
	fprintf(out, "\"wire\": \"%s\", \"plugged\": %d, \"peer_on\": %d, ",
		link->network ? "network" : link->remote ? "process" : "card",
		atomic_load(&link->plugged),
		link->remote ? (int)(gaudi_remote_state(link->remote) & 1) :
			       atomic_load(&peer->on));
}

void gaudi_link_changed(struct gaudi_chip *chip, struct gaudi_nic_port *port)
{
	bool on = gaudi_link_port_is_on(chip, port);
	struct link_end *end;

	if (!port->link)
		return;
	end = &port->link->end[port->end];
	if (atomic_load(&end->on) == on)
		return;
	atomic_store(&end->on, on);
	if (!on)
		atomic_fetch_add(&port->link->epoch, 1);
	if (port->link->remote)
		gaudi_remote_send_state(port->link->remote);
	gaudi_link_look(chip, port);
	port->changed = true;
	gaudi_actor_kick(chip, &port->actor);
}

bool gaudi_link_take_up(struct gaudi_chip *chip, struct gaudi_nic_port *port,
			bool carrier)
{
	struct gaudi_link *link = port->link;

	if (!link)
		return !carrier;
	atomic_store(&link->end[port->end].on, gaudi_link_port_is_on(chip, port));
	if (link->remote)
		gaudi_remote_send_state(link->remote);
	port->carrier = carrier;
	port->epoch = link->remote ? 0 : atomic_load(&link->epoch);
	/* It tells the other end, and that one looks at this one. */
	port->changed = true;
	gaudi_actor_kick(chip, &port->actor);
	return true;
}

void gaudi_nic_break(struct gaudi_chip *chip, unsigned int port, bool broken)
{
	gaudi_nic_port(chip, port)->broken = broken;
	gaudi_link_changed(chip, gaudi_nic_port(chip, port));
}

/* Entered: the card at this end sees what has changed. */
static void end_look(struct link_end *end)
{
	if (!end->chip)
		return;
	/* A card that is being reset looks itself, at its end. */
	if (!gaudi_visit_begin(end->chip))
		return;
	gaudi_link_look(end->chip, gaudi_nic_port(end->chip, end->port));
	gaudi_visit_end(end->chip);
}

void gaudi_link_update_peer(struct gaudi_link *link, struct gaudi_chip *chip,
			    unsigned int port)
{
	struct link_end *end = &link->end[!gaudi_nic_port(chip, port)->end];

	end_enter(end);
	end_look(end);
	end_leave(end);
}

/* --- packets ------------------------------------------------------------ */

static void send_frames(const struct gaudi_link *link, struct gaudi_chip *chip,
			const struct gaudi_nic_packet *packet, unsigned int n)
{
	uint8_t buf[GAUDI_NIC_MTU + GAUDI_FRAME_OVERHEAD];
	unsigned int i;
	size_t len;

	for (i = 0; i < n; i++) {
		len = gaudi_roce_encode(&packet[i], link->mac, buf);
		if (packet[i].damage)
			gaudi_roce_damage(buf, len, packet[i].damage);
		chip->ops->frame(chip->opaque, link->end[0].port, buf, len);
	}
}

/*
 * To the card at an end, which is claimed or entered for it. What its port acknowledges
 * is put into answer, and goes back in this thread: to wake one of its own for that takes
 * longer than the rest. Returns how many these are.
 */
static unsigned int deliver(struct gaudi_link *link, struct link_end *end,
			    bool claimed, const struct gaudi_nic_packet *packet,
			    unsigned int n, uint64_t epoch,
			    struct gaudi_nic_packet *answer)
{
	struct gaudi_nic_port *port;
	unsigned int answers = 0;

	if (!claimed)
		end_enter(end);
	if (end->chip && gaudi_visit_begin(end->chip)) {
		port = gaudi_nic_port(end->chip, end->port);
		if (port->carrier && atomic_load(&link->epoch) == epoch)
			gaudi_nic_receive(end->chip, port, packet, n);
		if (answer)
			answers = gaudi_nic_pop_answers(end->chip, port,
							answer);
		if (port->num_acks)
			gaudi_actor_kick(end->chip, &port->actor);
		gaudi_visit_end(end->chip);
	}
	if (!claimed)
		end_leave(end);
	return answers;
}

bool gaudi_link_claim(struct gaudi_link *link)
{
	if (link->remote)
		return true;
	if (link->network || !end_try(&link->end[0]))
		return false;
	if (end_try(&link->end[1]))
		return true;
	end_leave(&link->end[0]);
	return false;
}

void gaudi_link_unclaim(struct gaudi_link *link)
{
	if (link->remote)
		return;
	end_leave(&link->end[1]);
	end_leave(&link->end[0]);
}

void gaudi_link_send(struct gaudi_link *link, struct gaudi_chip *chip,
		     unsigned int port, const struct gaudi_nic_packet *packet,
		     unsigned int n, uint64_t epoch, bool claimed)
{
	unsigned int mine = gaudi_nic_port(chip, port)->end;
	struct gaudi_nic_packet answer[GAUDI_NIC_BATCH] GAUDI_UNINITIALIZED;

	if (link->network) {
		end_enter(&link->end[!mine]);
		send_frames(link, chip, packet, n);
		end_leave(&link->end[!mine]);
		return;
	}
	if (link->remote) {
		gaudi_remote_send(link->remote, packet, n, epoch);
		return;
	}
	n = deliver(link, &link->end[!mine], claimed, packet, n, epoch, answer);
	if (n)
		deliver(link, &link->end[mine], claimed, answer, n, epoch, NULL);
}

int gaudi_chip_frame(struct gaudi_chip *chip, unsigned int port,
		     const void *buf, size_t len)
{
	struct gaudi_nic_packet packet;
	struct gaudi_nic_port *p;
	const char *why;
	int err;

	if (port >= GAUDI_NUM_NIC_ENGINE)
		return -EINVAL;
	p = gaudi_nic_port(chip, port);
	if (!p->link || !p->link->network)
		return -ENOTCONN;
	err = gaudi_roce_decode(buf, len, &packet, &why);
	end_enter(&p->link->end[0]);
	if (!gaudi_visit_begin(chip)) {
		end_leave(&p->link->end[0]);
		return -ENETDOWN;
	}
	if (err && err != -EPROTO) {
		p->counts.dropped++;
		gaudi_log(chip, GAUDI_LOG_INFO, "NIC%u: frame dropped: %s",
			  port, why);
	} else if (!err && p->carrier &&
		   !memcmp(packet.dst_mac, p->link->mac, sizeof(packet.dst_mac))) {
		gaudi_nic_receive(chip, p, &packet, 1);
	}
	if (p->num_acks)
		gaudi_actor_kick(chip, &p->actor);
	gaudi_visit_end(chip);
	end_leave(&p->link->end[0]);
	return err;
}

/* --- plugging in and out ------------------------------------------------ */

static void plug_in(struct gaudi_chip *chip, unsigned int port,
		    struct gaudi_link *link, unsigned int end)
{
	struct gaudi_nic_port *p = gaudi_nic_port(chip, port);

	gaudi_chip_lock(chip);
	gaudi_actors_begin(chip);
	p->link = link;
	p->end = end;
	chip->wired_ports |= 1u << port;
	if (link->network)
		memcpy(chip->port_mac[port], link->mac, sizeof(link->mac));
	gaudi_link_changed(chip, p);
	gaudi_actors_end(chip);
	gaudi_chip_unlock(chip);
}

/* Nobody is at the other end, nor will be: its card has been freed. */
static bool is_dead(struct gaudi_link *link, unsigned int end)
{
	bool is;

	if (link->network)
		return false;
	if (link->remote)
		return atomic_load(&link->released);
	end_enter(&link->end[!end]);
	is = !link->end[!end].chip;
	end_leave(&link->end[!end]);
	return is;
}

/* Whether the port can have a wire; a dead one is taken out. */
static bool make_free(struct gaudi_chip *chip, unsigned int port)
{
	struct gaudi_nic_port *p = gaudi_nic_port(chip, port);
	struct gaudi_link *link = p->link;

	if (!link)
		return true;
	if (!is_dead(link, p->end))
		return false;
	gaudi_chip_lock(chip);
	/* The port's actor may still be at it, so it goes with the card. */
	link->old = p->old_links;
	p->old_links = link;
	p->link = NULL;
	p->changed = false;
	chip->wired_ports &= ~(1u << port);
	gaudi_chip_unlock(chip);
	return true;
}

int gaudi_chip_connect(struct gaudi_chip *a, unsigned int port_a,
		       struct gaudi_chip *b, unsigned int port_b)
{
	struct gaudi_link *link;

	if (port_a >= GAUDI_NUM_NIC_ENGINE || port_b >= GAUDI_NUM_NIC_ENGINE ||
	    a == b || !a->calls != !b->calls || a->clock.on != b->clock.on)
		return -EINVAL;
	if (!make_free(a, port_a) || !make_free(b, port_b))
		return -EBUSY;
	link = link_new(a, port_a, b, port_b);
	if (!link)
		return -ENOMEM;
	gaudi_call_begin(a->calls, GAUDI_CALL_CONNECT, port_a, (uintptr_t)b,
			 port_b, 0);
	plug_in(a, port_a, link, 0);
	plug_in(b, port_b, link, 1);
	gaudi_call_end(a->calls, 0);
	return 0;
}

int gaudi_chip_connect_network(struct gaudi_chip *chip, unsigned int port,
			       const uint8_t mac[6], unsigned int mtu)
{
	struct gaudi_nic_port *p;
	struct gaudi_link *link;

	if (port >= GAUDI_NUM_NIC_ENGINE || !chip->ops->frame || mtu < 256 ||
	    mtu > GAUDI_NIC_MTU || mtu & (mtu - 1))
		return -EINVAL;
	/* Nothing there says when a frame comes by this clock. */
	if (chip->calls || chip->clock.on)
		return -EOPNOTSUPP;
	if (!make_free(chip, port))
		return -EBUSY;
	link = link_new(chip, port, NULL, 0);
	if (!link)
		return -ENOMEM;
	p = gaudi_nic_port(chip, port);
	link->network = true;
	memcpy(link->mac, mac, sizeof(link->mac));
	atomic_store(&link->end[1].on, true);
	p->mtu = mtu;
	plug_in(chip, port, link, 0);
	return 0;
}

/* --- the other end is in another process --------------------------------- */

uint64_t gaudi_link_state(const struct gaudi_link *link)
{
	return (uint64_t)atomic_load(&link->epoch) << 32 |
	       (atomic_load(&link->plugged) && atomic_load(&link->end[0].on));
}

struct gaudi_remote *gaudi_link_remote(const struct gaudi_link *link)
{
	return link->remote;
}

struct gaudi_link *gaudi_link_to_process(struct gaudi_chip *chip,
					 unsigned int port,
					 uint8_t peer_module,
					 unsigned int peer_port, int *err)
{
	struct gaudi_link *link;

	*err = port >= GAUDI_NUM_NIC_ENGINE ? -EINVAL :
	       !make_free(chip, port) ? -EBUSY : 0;
	if (*err)
		return NULL;
	link = link_new(chip, port, NULL, peer_port);
	if (link) {
		link->end[1].module = peer_module;
		link->remote = gaudi_remote_new(link);
	}
	if (!link || !link->remote) {
		if (link)
			link_put(link);
		*err = -ENOMEM;
		return NULL;
	}
	/* One is the caller's. */
	atomic_store(&link->refs, 2);
	plug_in(chip, port, link, 0);
	return link;
}

/* Entered. What has changed the port sees to, as soon as the card is not reset. */
static void look_here(const struct link_end *end)
{
	if (!end->chip)
		return;
	gaudi_chip_lock(end->chip);
	gaudi_actor_run_here(end->chip, &gaudi_nic_port(end->chip,
							end->port)->remote_actor);
	gaudi_chip_unlock(end->chip);
}

int gaudi_link_join(struct gaudi_link *link, struct gaudi_ring *ring, int sock)
{
	struct link_end *end = &link->end[0];
	int err = -ENODEV;

	end_enter(end);
	if (end->chip) {
		/* Nothing of the peer before, nor for it. */
		gaudi_remote_part(link->remote);
		atomic_fetch_add(&link->epoch, 1);
		err = gaudi_remote_join(link->remote, ring, sock);
		look_here(end);
	}
	end_leave(end);
	return err;
}

void gaudi_link_wake(struct gaudi_link *link)
{
	end_enter(&link->end[0]);
	look_here(&link->end[0]);
	end_leave(&link->end[0]);
}

void gaudi_link_close(struct gaudi_link *link)
{
	gaudi_remote_close(link->remote);
	gaudi_link_wake(link);
}

void gaudi_link_note(struct gaudi_link *link, const char *what)
{
	struct link_end *end = &link->end[0];

	end_enter(end);
	if (end->chip) {
		gaudi_chip_lock(end->chip);
		gaudi_log(end->chip, GAUDI_LOG_INFO, "NIC%u: %s", end->port,
			  what);
		gaudi_chip_unlock(end->chip);
	}
	end_leave(end);
}

bool gaudi_link_is_pulled(struct gaudi_link *link)
{
	bool is;

	end_enter(&link->end[0]);
	is = !link->end[0].chip;
	end_leave(&link->end[0]);
	return is;
}

void gaudi_link_release(struct gaudi_link *link)
{
	end_enter(&link->end[0]);
	gaudi_remote_part(link->remote);
	atomic_fetch_add(&link->epoch, 1);
	look_here(&link->end[0]);
	end_leave(&link->end[0]);
	atomic_store(&link->released, true);
	link_put(link);
}

/* --- plugged in or not --------------------------------------------------- */

int gaudi_chip_plug(struct gaudi_chip *chip, unsigned int port, bool in)
{
	struct gaudi_link *link;
	unsigned int i;

	if (port >= GAUDI_NUM_NIC_ENGINE)
		return -EINVAL;
	link = gaudi_nic_port(chip, port)->link;
	if (!link)
		return -ENOTCONN;
	gaudi_call_begin(chip->calls, GAUDI_CALL_PLUG, port, in, 0, 0);
	atomic_store(&link->plugged, in);
	if (!in)
		atomic_fetch_add(&link->epoch, 1);
	if (link->remote)
		gaudi_remote_send_state(link->remote);
	for (i = 0; i < 2; i++) {
		end_enter(&link->end[i]);
		end_look(&link->end[i]);
		end_leave(&link->end[i]);
	}
	gaudi_call_end(chip->calls, 0);
	return 0;
}

bool gaudi_chip_link_up(struct gaudi_chip *chip, unsigned int port)
{
	bool up;

	if (port >= GAUDI_NUM_NIC_ENGINE)
		return false;
	gaudi_chip_lock(chip);
	up = gaudi_nic_port(chip, port)->carrier;
	gaudi_chip_unlock(chip);
	return up;
}

static void unplug(struct gaudi_chip *chip, struct gaudi_nic_port *port)
{
	struct gaudi_link *link = port->link;
	unsigned int mine = port->end;

	atomic_store(&link->end[mine].on, false);
	atomic_fetch_add(&link->epoch, 1);
	gaudi_link_update_peer(link, chip, port->id);
	/* Nobody is delivering to this end any more, nor will. */
	end_enter(&link->end[mine]);
	link->end[mine].chip = NULL;
	end_leave(&link->end[mine]);
	if (link->remote)
		gaudi_remote_part(link->remote);
}

/* The ports keep their links until the card's actors have ended. */
void gaudi_chip_disconnect(struct gaudi_chip *chip)
{
	unsigned int i;

	gaudi_call_begin(chip->calls, GAUDI_CALL_DISCONNECT, 0, 0, 0, 0);
	for (i = 0; chip->nics && i < GAUDI_NUM_NIC_ENGINE; i++)
		if (gaudi_nic_port(chip, i)->link)
			unplug(chip, gaudi_nic_port(chip, i));
	gaudi_call_end(chip->calls, 0);
}

void gaudi_link_free(struct gaudi_nic_port *port)
{
	struct gaudi_link *old;

	while ((old = port->old_links)) {
		port->old_links = old->old;
		link_put(old);
	}
	if (port->link)
		link_put(port->link);
	port->link = NULL;
}
