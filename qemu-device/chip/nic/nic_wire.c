// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * What faults on demand do to packets: lost, doubled, damaged, late, addressed to
 * somebody else, slow. As long as none is armed, and nothing is held back, a batch
 * goes out as it is.
 *
 * What is held back has data of its own, since spans of memory cannot be kept. Of
 * two kinds: slow packets come in order, and all others wait behind them; late ones
 * let others overtake.
 */
#include <stdlib.h>

#include "nic_port.h"

#define MAX_HELD	256u
/* A batch, all of it doubled, and whatever was held back. */
#define MAX_OUT		(2 * GAUDI_NIC_BATCH + MAX_HELD)
/* Ethernet, IP, UDP, transport header and CRC: as long is the shortest packet. */
#define HEADERS		58u
#define NO_QP		BIT(23)	/* of a number: beyond all queue pairs */

struct held {
	struct held *next;
	uint64_t due_ns;
	struct gaudi_nic_packet packet;
	uint8_t data[];
};

struct held_list {
	struct held *first, *last;
};

struct gaudi_nic_wire {
	struct held_list slow, late;
	struct held *sent;		/* whose data are on the wire now */
	unsigned int held, outs;
	uint64_t free_ns;		/* until then a slow wire is busy */
	struct gaudi_timer timer;
	struct gaudi_nic_packet out[MAX_OUT];
};

static void append(struct held_list *list, struct held *h)
{
	h->next = NULL;
	if (list->first)
		list->last->next = h;
	else
		list->first = h;
	list->last = h;
}

static void free_all(struct held *h)
{
	struct held *next;

	for (; h; h = next) {
		next = h->next;
		free(h);
	}
}

/* --- what is struck ------------------------------------------------------- */

/* Changes the packet's contents as the fault says. */
static void spoil(struct gaudi_nic_packet *p, enum gaudi_frame_fate fate,
		  const struct gaudi_frame *frame)
{
	if (fate == GAUDI_FRAME_DAMAGED)
		p->damage = frame->random | 1;
	else if (fate == GAUDI_FRAME_BAD_QP)
		p->dst_qp ^= NO_QP;
	else if (fate == GAUDI_FRAME_BAD_KEY)
		p->rkey = ~p->rkey;
}

static enum gaudi_frame_fate strike(struct gaudi_chip *chip,
				    const struct gaudi_nic_port *port,
				    struct gaudi_nic_packet *p, bool in,
				    struct gaudi_frame *frame)
{
	const unsigned int keyed = GAUDI_ROCE_WRITES | GAUDI_ROCE_STARTS;
	enum gaudi_frame_fate fate;

	*frame = (struct gaudi_frame){
		.port = port->id, .in = in, .opcode = p->opcode,
		.has_key = (gaudi_roce_kind(p->opcode) & keyed) == keyed,
	};
	fate = chip->fault_hooks->frame(chip, frame);
	spoil(p, fate, frame);
	return fate;
}

unsigned int gaudi_nic_wire_in(struct gaudi_chip *chip,
			       const struct gaudi_nic_port *port,
			       struct gaudi_nic_packet *packet)
{
	struct gaudi_frame frame;

	switch (strike(chip, port, packet, true, &frame)) {
	case GAUDI_FRAME_LOST:
		return 0;
	case GAUDI_FRAME_DOUBLED:
		return 2;
	default:
		return 1;
	}
}

/* --- on the way out ------------------------------------------------------- */

static void emit(struct gaudi_nic_wire *w, const struct gaudi_nic_packet *p)
{
	w->out[w->outs++] = *p;
}

/* The first of a list goes out. */
static void emit_first(struct gaudi_nic_wire *w, struct held_list *list)
{
	struct held *h = list->first;

	list->first = h->next;
	h->next = w->sent;
	w->sent = h;
	w->held--;
	emit(w, &h->packet);
}

/* It goes, and so do those that it has overtaken. */
static void pass(struct gaudi_nic_wire *w, const struct gaudi_nic_packet *p)
{
	emit(w, p);
	while (w->late.first)
		emit_first(w, &w->late);
}

/* Without memory for it, it is lost. */
static void hold(struct gaudi_nic_wire *w, struct held_list *list,
		 const struct gaudi_nic_packet *p, uint64_t due_ns)
{
	struct held *h = malloc(sizeof(*h) + gaudi_nic_packet_len(p));

	if (!h)
		return;
	h->due_ns = due_ns;
	h->packet = *p;
	if (p->part_len[0])
		memcpy(h->data, p->part[0], p->part_len[0]);
	if (p->part_len[1])
		memcpy(h->data + p->part_len[0], p->part[1], p->part_len[1]);
	h->packet.part[0] = h->data;
	h->packet.part_len[0] = gaudi_nic_packet_len(p);
	h->packet.part_len[1] = 0;
	append(list, h);
	w->held++;
}

/* A wire on which a slow one is stays in order. */
static void pass_in_order(struct gaudi_nic_wire *w,
			  const struct gaudi_nic_packet *p)
{
	if (w->slow.first)
		hold(w, &w->slow, p, w->slow.last->due_ns);
	else
		pass(w, p);
}

/* The wire is busy for the packet's time; then it is as long on its way. */
static void slow_down(struct gaudi_nic_wire *w, const struct gaudi_nic_packet *p,
		      const struct gaudi_frame *frame, uint64_t now)
{
	uint64_t bytes = gaudi_nic_packet_len(p) + HEADERS, due;

	if (w->free_ns < now)
		w->free_ns = now;
	w->free_ns += bytes * frame->ns_per_kib >> 10;
	due = w->free_ns + frame->delay_ns;
	if (w->slow.first && due < w->slow.last->due_ns)
		due = w->slow.last->due_ns;
	hold(w, &w->slow, p, due);
}

static void put_out(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		    const struct gaudi_nic_packet *packet, uint64_t now)
{
	struct gaudi_nic_wire *w = port->wire;
	enum gaudi_frame_fate fate = GAUDI_FRAME_WHOLE;
	struct gaudi_nic_packet p = *packet;
	struct gaudi_frame frame;

	if (gaudi_fault_armed(chip, GAUDI_FAULT_FRAME))
		fate = strike(chip, port, &p, false, &frame);
	switch (fate) {
	case GAUDI_FRAME_LOST:
		return;
	case GAUDI_FRAME_LATE:
		hold(w, &w->late, &p, now + frame.delay_ns);
		return;
	case GAUDI_FRAME_SLOW:
		slow_down(w, &p, &frame, now);
		return;
	case GAUDI_FRAME_DOUBLED:
		pass_in_order(w, &p);
		break;
	default:
		break;
	}
	pass_in_order(w, &p);
}

/* --- what is held back ---------------------------------------------------- */

static void on_timer(struct gaudi_chip *chip, void *arg)
{
	struct gaudi_nic_port *port = arg;

	gaudi_actor_kick(chip, &port->actor);
}

/* When the first of a list is due; UINT64_MAX: it is empty. */
static uint64_t earliest(const struct held_list *list)
{
	const struct held *h;
	uint64_t due = UINT64_MAX;

	for (h = list->first; h; h = h->next)
		if (h->due_ns < due)
			due = h->due_ns;
	return due;
}

static void set_timer(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		      uint64_t now)
{
	struct gaudi_nic_wire *w = port->wire;
	uint64_t due = earliest(&w->late);

	if (w->slow.first && w->slow.first->due_ns < due)
		due = w->slow.first->due_ns;
	if (due == UINT64_MAX) {
		gaudi_timer_cancel(chip, &w->timer);
		return;
	}
	w->timer.fn = on_timer;
	w->timer.arg = port;
	gaudi_timer_arm(chip, &w->timer, due > now ? due - now : 0);
}

static void emit_due(struct gaudi_nic_wire *w, uint64_t now)
{
	while (w->slow.first && w->slow.first->due_ns <= now) {
		emit_first(w, &w->slow);
		while (w->late.first)
			emit_first(w, &w->late);
	}
	if (earliest(&w->late) > now)
		return;
	while (w->late.first)
		emit_first(w, &w->late);
}

bool gaudi_nic_wire_holds(const struct gaudi_nic_port *port)
{
	return port->wire && port->wire->held;
}

bool gaudi_nic_wire_full(const struct gaudi_nic_port *port)
{
	return port->wire && port->wire->held > MAX_HELD - 2 * GAUDI_NIC_BATCH;
}

unsigned int gaudi_nic_wire_out(struct gaudi_chip *chip,
				struct gaudi_nic_port *port,
				const struct gaudi_nic_packet **out)
{
	bool armed = gaudi_fault_armed(chip, GAUDI_FAULT_FRAME);
	uint64_t now;
	unsigned int i;

	/* What is held back is of before, if the link has been down. */
	if (gaudi_nic_wire_holds(port))
		gaudi_link_look(chip, port);
	*out = port->batch;
	if (!armed && !gaudi_nic_wire_holds(port))
		return port->num_batch;
	if (!port->wire)
		port->wire = calloc(1, sizeof(*port->wire));
	if (!port->wire)
		return 0;
	port->wire->outs = 0;
	now = gaudi_now_ns(chip);
	emit_due(port->wire, now);
	for (i = 0; i < port->num_batch; i++)
		put_out(chip, port, &port->batch[i], now);
	set_timer(chip, port, now);
	*out = port->wire->out;
	return port->wire->outs;
}

void gaudi_nic_wire_sent(struct gaudi_nic_port *port)
{
	if (!port->wire)
		return;
	free_all(port->wire->sent);
	port->wire->sent = NULL;
}

void gaudi_nic_wire_drop(struct gaudi_nic_port *port)
{
	struct gaudi_nic_wire *w = port->wire;

	if (!w)
		return;
	free_all(w->slow.first);
	free_all(w->late.first);
	w->slow.first = NULL;
	w->late.first = NULL;
	w->held = 0;
	w->free_ns = 0;
}

void gaudi_nic_wire_free(struct gaudi_nic_port *port)
{
	gaudi_nic_wire_drop(port);
	gaudi_nic_wire_sent(port);
	free(port->wire);
	port->wire = NULL;
}
