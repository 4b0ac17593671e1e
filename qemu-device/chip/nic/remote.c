// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * The other end of a wire is a port in another process. Packets go through a ring
 * in memory that both share (ring/), and are copied twice: by this card's sender into
 * the ring, by the other card's receiver out of it. A byte on a socket wakes who
 * sleeps; when the socket is closed, nobody is there any more.
 *
 * Each end counts how often it went down. A packet says under which counts of both
 * it was sent, and is taken under no others: so nothing of before a reset, on either
 * side, comes after it. What an end sent before it went down, or its process ended, is
 * taken first, as on a wire: the last acknowledgement tells that all has come.
 *
 * A packet from the ring is no more than one from a network: opcode, numbers, key
 * and data may be anything. Who spoils the ring itself has the wire cut.
 */
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nic_port.h"

#define BATCH_BYTES	(GAUDI_NIC_BATCH * GAUDI_RING_RECORD(GAUDI_NIC_MTU))
/* So much of a batch is sent before the other end is told. */
#define FLUSH_BYTES	(64u << 10)
#define STALL_NS	100000000ull
/* Who has got so much looks on for so long. */
#define LINGER_BYTES	4096u
#define LINGER_NS	30000u
#define LINGER_LOOKS	64

/* The head of a record. */
struct head {
	uint8_t opcode, ack_req, unused[2];
	uint32_t dst_qp, psn, rkey;
	uint64_t va;
	uint32_t dma_len, imm, aeth, damage;
	uint32_t from, to;		/* epochs: of the sender, of the receiver */
};

_Static_assert(sizeof(struct head) <= GAUDI_RING_HEAD, "it fits");

/* One process at the other end, as long as anybody uses it. */
struct channel {
	atomic_uint refs;
	atomic_bool cut;
	int sock;
	struct gaudi_ring *ring;
	/* With the remote's lock: */
	bool closed;			/* the process has ended */
	uint64_t state;			/* of the other end, when what is next was sent */
	bool changes;			/* it has said another one since, */
	uint64_t before;		/* ... before it wrote what is here */
};

struct gaudi_remote {
	const struct gaudi_link *link;
	struct gaudi_lock lock;		/* guards what follows */
	struct channel *channel;	/* NULL: nobody is there */
};

struct gaudi_remote *gaudi_remote_new(const struct gaudi_link *link)
{
	struct gaudi_remote *remote = calloc(1, sizeof(*remote));

	if (!remote)
		return NULL;
	remote->link = link;
	gaudi_lock_init(&remote->lock, GAUDI_LOCK_REMOTE);
	return remote;
}

void gaudi_remote_free(struct gaudi_remote *remote)
{
	gaudi_remote_part(remote);
	gaudi_lock_destroy(&remote->lock);
	free(remote);
}

/* --- who is there ------------------------------------------------------- */

static struct channel *channel_get(struct gaudi_remote *remote)
{
	struct channel *channel;

	gaudi_lock(&remote->lock);
	channel = remote->channel;
	if (channel)
		atomic_fetch_add(&channel->refs, 1);
	gaudi_unlock(&remote->lock);
	return channel;
}

static void channel_put(struct channel *channel)
{
	if (!channel || atomic_fetch_sub(&channel->refs, 1) > 1)
		return;
	gaudi_ring_free(channel->ring);
	close(channel->sock);
	free(channel);
}

/* The other process sees it as our death; so does who watches the socket. */
static void channel_cut(struct channel *channel)
{
	atomic_store(&channel->cut, true);
	shutdown(channel->sock, SHUT_RDWR);
}

/* If there is no room for the byte, many wait to be read there. */
static void channel_wake(struct channel *channel)
{
	send(channel->sock, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static struct channel *swap(struct gaudi_remote *remote,
			    struct channel *channel)
{
	struct channel *old;

	gaudi_lock(&remote->lock);
	old = remote->channel;
	remote->channel = channel;
	gaudi_unlock(&remote->lock);
	return old;
}

int gaudi_remote_join(struct gaudi_remote *remote, struct gaudi_ring *ring,
		      int sock)
{
	struct channel *channel = calloc(1, sizeof(*channel));

	if (!channel)
		return -ENOMEM;
	atomic_init(&channel->refs, 1);
	channel->ring = ring;
	channel->sock = sock;
	gaudi_remote_part(remote);
	swap(remote, channel);
	gaudi_remote_send_state(remote);
	return 0;
}

void gaudi_remote_part(struct gaudi_remote *remote)
{
	struct channel *old = swap(remote, NULL);

	if (!old)
		return;
	channel_cut(old);
	channel_put(old);
}

/* --- state -------------------------------------------------------------- */

void gaudi_remote_send_state(struct gaudi_remote *remote)
{
	struct channel *channel;

	/* Whoever comes last tells the latest. */
	gaudi_lock(&remote->lock);
	channel = remote->channel;
	if (channel) {
		gaudi_ring_say(channel->ring, gaudi_link_state(remote->link));
		channel_wake(channel);
	}
	gaudi_unlock(&remote->lock);
}

/* With the lock. An end that goes down does so behind what it has sent. */
static uint64_t channel_state(struct channel *channel)
{
	uint64_t said = channel->closed ? 0 : gaudi_ring_hear(channel->ring);

	if (atomic_load(&channel->cut))
		return 0;
	if (said == channel->state) {
		channel->changes = false;
		return said;
	}
	if (!channel->changes)
		channel->before = gaudi_ring_written(channel->ring);
	channel->changes = channel->state & 1 &&
			   !gaudi_ring_has_done(channel->ring, channel->before);
	if (!channel->changes)
		channel->state = said;
	if (!channel->changes && channel->closed)
		channel_cut(channel);
	return channel->state;
}

uint64_t gaudi_remote_state(struct gaudi_remote *remote)
{
	uint64_t state;

	gaudi_lock(&remote->lock);
	state = remote->channel ? channel_state(remote->channel) : 0;
	gaudi_unlock(&remote->lock);
	return state;
}

void gaudi_remote_close(struct gaudi_remote *remote)
{
	gaudi_lock(&remote->lock);
	if (remote->channel)
		remote->channel->closed = true;
	gaudi_unlock(&remote->lock);
}

/* The next packet was sent behind a change: the state is that now. Was there one? */
static bool end_change(struct gaudi_remote *remote, struct channel *channel)
{
	bool changes;

	gaudi_lock(&remote->lock);
	changes = channel->changes;
	channel->before = 0;
	gaudi_unlock(&remote->lock);
	return changes;
}

/* --- sending ------------------------------------------------------------ */

static bool has_room(struct gaudi_remote *remote)
{
	struct channel *channel = channel_get(remote);
	int err = 0;

	/* What nobody gets needs none. */
	if (channel && !atomic_load(&channel->cut))
		err = gaudi_ring_await_room(channel->ring, BATCH_BYTES);
	if (err == -EPROTO)
		channel_cut(channel);
	channel_put(channel);
	return err != -ENOSPC;
}

static void stalled(struct gaudi_chip *chip, void *arg)
{
	struct gaudi_nic_port *port = arg;

	port->stalled = true;
	gaudi_actor_kick(chip, &port->actor);
}

bool gaudi_remote_has_room(struct gaudi_chip *chip, struct gaudi_nic_port *port)
{
	struct gaudi_remote *remote = port->link && port->carrier ?
				      gaudi_link_remote(port->link) : NULL;
	bool room = !remote || has_room(remote);

	if (room && port->starved) {
		gaudi_timer_cancel(chip, &port->stall_timer);
		port->stalled = false;
	} else if (!room && !port->starved) {
		port->stall_timer.fn = stalled;
		port->stall_timer.arg = port;
		gaudi_timer_arm(chip, &port->stall_timer, STALL_NS);
	}
	port->starved = !room;
	return room || port->stalled;
}

static int send_one(struct gaudi_ring *ring, const struct gaudi_nic_packet *p,
		    uint64_t epoch)
{
	const struct head head = {
		.opcode = p->opcode,
		.ack_req = p->ack_req,
		.dst_qp = p->dst_qp,
		.psn = p->psn,
		.rkey = p->rkey,
		.va = p->va,
		.dma_len = p->dma_len,
		.imm = p->imm,
		.aeth = p->aeth,
		.damage = p->damage,
		.from = epoch >> 32,
		.to = (uint32_t)epoch,
	};
	struct gaudi_ring_record record = {
		.part = { p->part[0], p->part[1] },
		.part_len = { p->part_len[0], p->part_len[1] },
	};

	memcpy(record.head, &head, sizeof(head));
	return gaudi_ring_put(ring, &record);
}

/* What does not fit is lost: faults on demand may add much, and peers be stalled. */
static void send_all(struct channel *channel,
		     const struct gaudi_nic_packet *packet, unsigned int n,
		     uint64_t epoch)
{
	uint32_t bytes = 0;
	unsigned int i;
	int err = 0;

	for (i = 0; i < n && !err && !atomic_load(&channel->cut); i++) {
		err = send_one(channel->ring, &packet[i], epoch);
		bytes += GAUDI_RING_RECORD(gaudi_nic_packet_len(&packet[i]));
		if (bytes < FLUSH_BYTES && i < n - 1 && !err)
			continue;
		if (gaudi_ring_flush(channel->ring))
			channel_wake(channel);
		bytes = 0;
	}
	if (err == -EPROTO)
		channel_cut(channel);
}

void gaudi_remote_send(struct gaudi_remote *remote,
		       const struct gaudi_nic_packet *packet, unsigned int n,
		       uint64_t epoch)
{
	struct channel *channel = channel_get(remote);

	if (channel)
		send_all(channel, packet, n, epoch);
	channel_put(channel);
}

/* --- receiving ---------------------------------------------------------- */

static bool is_known(uint8_t opcode)
{
	return opcode == GAUDI_ROCE_ACK || gaudi_roce_kind(opcode);
}

static uint64_t epoch_of(const struct gaudi_ring_record *record)
{
	struct head head;

	memcpy(&head, record->head, sizeof(head));
	return (uint64_t)head.to << 32 | head.from;
}

/* false: nothing that a port knows. */
static bool read_packet(const struct gaudi_ring_record *record,
			struct gaudi_nic_packet *p)
{
	struct head head;

	memcpy(&head, record->head, sizeof(head));
	if (!is_known(head.opcode))
		return false;
	*p = (struct gaudi_nic_packet){
		.opcode = head.opcode,
		.ack_req = head.ack_req & 1,
		.dst_qp = head.dst_qp & NIC_QPC_GW_CTRL_QPN,
		.psn = head.psn & NIC_PSN_MASK,
		.rkey = head.rkey,
		.va = head.va,
		.dma_len = head.dma_len,
		.imm = head.imm,
		.aeth = head.aeth,
		.damage = head.damage,
		.part = { record->part[0], record->part[1] },
		.part_len = { record->part_len[0], record->part_len[1] },
	};
	return true;
}

/* A batch out of the ring: how many, or -EPROTO. What is of before is left out. */
static int read_batch(struct gaudi_remote *remote, struct channel *channel,
		      const struct gaudi_nic_port *port,
		      struct gaudi_nic_packet *packet)
{
	struct gaudi_ring_record record;
	unsigned int taken;
	int n = 0, got = 1;

	for (taken = 0; taken < GAUDI_NIC_BATCH && got > 0; taken++) {
		got = gaudi_ring_get(channel->ring, &record);
		if (got <= 0)
			break;
		if (epoch_of(&record) == port->epoch) {
			n += read_packet(&record, &packet[n]);
		} else if (end_change(remote, channel)) {
			gaudi_ring_unget(channel->ring);
			break;
		}
	}
	return got < 0 ? got : n;
}

/*
 * Nothing more is there. Waking up takes longer than many a batch, so whoever has got
 * much looks on for a while, unless the card must not depend on time.
 */
static bool may_sleep(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		      uint64_t bytes)
{
	uint64_t now = chip->pool ? gaudi_real_ns() : 0;

	if (bytes >= LINGER_BYTES && chip->pool)
		port->linger_ns = now + LINGER_NS;
	return now >= port->linger_ns;
}

/* Lock held, dropped meanwhile: the sender may share a core with us. */
static void linger(struct gaudi_chip *chip, const struct gaudi_ring *ring)
{
	unsigned int i;

	gaudi_bulk_begin(chip);
	for (i = 0; i < LINGER_LOOKS && !gaudi_ring_has_more(ring); i++) {
#ifdef __x86_64__
		__builtin_ia32_pause();
#endif
	}
	gaudi_bulk_end(chip);
}

static uint64_t bytes_of(const struct gaudi_nic_packet *packet, int n)
{
	uint64_t bytes = 0;
	int i;

	for (i = 0; i < n; i++)
		bytes += gaudi_nic_packet_len(&packet[i]);
	return bytes;
}

/*
 * Lock held. What is acknowledged goes back in this thread if the port's actor, who
 * sends, does nothing: to wake another one for it takes longer.
 */
static void send_answers(struct gaudi_chip *chip, struct gaudi_nic_port *port,
			 struct channel *channel)
{
	struct gaudi_nic_packet answer[GAUDI_NIC_BATCH] GAUDI_UNINITIALIZED;
	unsigned int n = 0;

	if (port->carrier && !gaudi_actor_is_ready(chip, &port->actor) &&
	    !gaudi_ring_room(channel->ring, BATCH_BYTES))
		n = gaudi_nic_pop_answers(chip, port, answer);
	send_all(channel, answer, n, port->epoch);
	if (port->num_acks)
		gaudi_actor_kick(chip, &port->actor);
}

/* Lock held, dropped meanwhile. -EPROTO, or whether to go on: 1 or 0. */
static int receive(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		   struct gaudi_remote *remote, struct channel *channel)
{
	struct gaudi_nic_packet packet[GAUDI_NIC_BATCH] GAUDI_UNINITIALIZED;
	struct gaudi_ring *ring = channel->ring;
	int n = gaudi_ring_look(ring);

	/* In this order: who sent it had told its state before. */
	gaudi_link_look(chip, port);
	if (n)
		return n;
	if (port->carrier)
		n = read_batch(remote, channel, port, packet);
	else
		gaudi_ring_skip(ring);
	if (n < 0)
		return n;
	if (n)
		gaudi_nic_receive(chip, port, packet, n);
	if (port->num_acks)
		send_answers(chip, port, channel);
	if (gaudi_ring_done(ring))
		channel_wake(channel);
	if (!gaudi_ring_is_empty(ring))
		return 1;
	if (!may_sleep(chip, port, bytes_of(packet, n))) {
		linger(chip, ring);
		return 1;
	}
	/* A sender looks itself, see gaudi_remote_look(). */
	return !gaudi_actor_is_ready(chip, &port->actor) &&
	       !gaudi_ring_sleep(ring);
}

void gaudi_remote_look(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		       bool again)
{
	struct gaudi_remote *remote = port->link ?
				      gaudi_link_remote(port->link) : NULL;
	struct channel *channel;

	if (!remote || gaudi_actor_is_ready(chip, &port->remote_actor))
		return;
	channel = channel_get(remote);
	if (channel && !atomic_load(&channel->cut) &&
	    (again ? gaudi_ring_has_more(channel->ring) :
		     !gaudi_ring_sleep(channel->ring)))
		gaudi_actor_kick(chip, &port->remote_actor);
	channel_put(channel);
}

bool gaudi_remote_run(struct gaudi_chip *chip, struct gaudi_actor *actor)
{
	struct gaudi_nic_port *port = (struct gaudi_nic_port *)
		((char *)actor - offsetof(struct gaudi_nic_port, remote_actor));
	struct gaudi_remote *remote = port->link ?
				      gaudi_link_remote(port->link) : NULL;
	struct channel *channel;
	int more = 0;

	if (!remote)
		return false;
	channel = channel_get(remote);
	if (channel && !atomic_load(&channel->cut))
		more = receive(chip, port, remote, channel);
	if (more < 0) {
		channel_cut(channel);
		gaudi_log(chip, GAUDI_LOG_INFO,
			  "NIC%u: the wire is cut: the process at the other end spoils it",
			  port->id);
	}
	gaudi_link_look(chip, port);
	if (port->starved)
		gaudi_actor_kick(chip, &port->actor);
	channel_put(channel);
	return more > 0;
}
