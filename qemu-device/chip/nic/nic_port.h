/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* What the files of the room share: what is behind chip->nics. Lock held, all. */
#ifndef GAUDI_NIC_PORT_H
#define GAUDI_NIC_PORT_H

#include "nic.h"
#include "packet.h"
#include "../timing/timing.h"
#include "ring/ring.h"
#include "../../../uapi/hw/regs/gaudi_nic_regs.h"

#define GAUDI_NIC_BATCH		64	/* packets that go on the wire at once */
#define GAUDI_NIC_ACKS		256	/* that wait to be sent; a power of two */
#define GAUDI_NIC_MTU		4096	/* bytes of data in a packet, at most */
#define NIC_QP_WORDS		(NIC_MAX_QP / 64)

struct gaudi_link;
struct gaudi_nic_wire;
struct gaudi_remote;

/* What a queue pair has that its contexts do not show. */
struct gaudi_nic_qp {
	uint64_t deadline_ns;	/* of an acknowledgement; 0: none is awaited */
	uint32_t sent;		/* packets of the entry that is being sent */
	/* counted from the oldest unacknowledged: acknowledged, yet no whole entry ... */
	uint32_t acked;
	/* ... and sent before the requester went back, up to a part of this entry */
	uint32_t ahead;
	uint32_t ahead_index;
	/* responder: the message that is under way, if it takes several packets */
	uint64_t va;
	uint32_t left;
	/* data came to addresses in a row: so much, up to here */
	uint64_t stream, stream_end;
	uint8_t last_opcode;	/* GAUDI_ROCE_NONE: none is */
	/* requester, for a record: the peer's object that it last wrote, and what; 0: none */
	uint32_t wrote, wrote_data;
	struct gaudi_nic_qp_times *times;	/* NULL: nothing was sent by a model of time */
};

#define GAUDI_NIC_ENTRIES	1024u	/* of one queue pair that are not complete */

/* In a model of time. */
struct gaudi_nic_qp_times {
	struct gaudi_door door;		/* since when entries are known ... */
	uint64_t known_ps;		/* ... the one that is sent among them */
	uint64_t gone_ps[GAUDI_NIC_ENTRIES];	/* when those had gone that are not complete */
};

struct gaudi_nic_counts {
	uint64_t tx_packets, tx_bytes, rx_packets, rx_bytes;
	uint64_t retries, out_of_order, duplicates, dropped, errors_lost;
};

/* Memory of the card that has been mapped with what lies before it; span.len 0: none. */
struct gaudi_nic_ahead {
	uint64_t addr;
	struct gaudi_span span;
};

struct gaudi_nic_port {
	struct gaudi_actor actor;
	struct gaudi_actor remote_actor;	/* takes what a process has sent */
	struct gaudi_timer timer;		/* the first deadline of a QP */
	uint8_t id;
	uint32_t qpc, rxe, txe;			/* CFG offsets */
	struct gaudi_link *link;		/* NULL: nothing is plugged in */
	struct gaudi_link *old_links;		/* whose other cards are gone */
	uint8_t end;				/* of the link: 0 or 1 */
	bool carrier;				/* up: both ends are on */
	uint64_t epoch;				/* of the link, when that was so */
	bool broken;				/* the wire, by a fault */
	bool changed;				/* the other end is to be told */
	bool paired;				/* it may have a queue pair */
	/* The wire to a process is full: since when, and for too long. */
	struct gaudi_timer stall_timer;
	bool starved, stalled;
	uint64_t linger_ns;			/* until then it is looked into */
	uint16_t mtu;
	uint32_t num_ready, num_waiting, last;	/* see ready and waiting */
	uint64_t tx_ps;				/* what it sends has gone, by the clock ... */
	uint64_t tx_begin_ps;			/* ... and has been going since then */
	uint32_t ack_head, num_acks;		/* in ack */
	uint8_t (*copy)[GAUDI_NIC_MTU];		/* of what cannot be mapped */
	struct gaudi_nic_ahead ahead;		/* of the batch that is being built */
	unsigned int num_batch, max_batch;
	struct gaudi_link *claimed;		/* by gaudi_link_claim() */
	/*
	 * Batches that were on the wire, and calls of receive(): an invalidation
	 * waits for the one that is under way.
	 */
	uint32_t turn, inv_turn, rx_turn, rx_inv_turn;
	bool receiving;
	struct gaudi_nic_wire *wire;		/* what faults hold back */
	uint32_t db_pi;				/* first half of a doorbell */
	struct gaudi_nic_counts counts;
	/*
	 * What is not used by a port without a queue pair comes last, and takes no page of
	 * the host's then. Queue pairs that have something to send, and that await an
	 * answer: bits.
	 */
	uint64_t ready[NIC_QP_WORDS], waiting[NIC_QP_WORDS];
	struct gaudi_nic_qp *qp[NIC_MAX_QP / 64];	/* 64 each, on demand */
	/* to be sent: acknowledgements of what has come */
	struct gaudi_nic_packet ack[GAUDI_NIC_ACKS];
	/* the batch that is on the wire: packets, and spans to be given back */
	struct gaudi_nic_packet batch[GAUDI_NIC_BATCH];
	struct gaudi_span span[GAUDI_NIC_BATCH][2];	/* len 0: none */
};

struct gaudi_nics {
	struct gaudi_nic_port port[GAUDI_NUM_NIC_ENGINE];
};

static inline struct gaudi_nic_port *gaudi_nic_port(struct gaudi_chip *chip,
						    unsigned int port)
{
	return &chip->nics->port[port];
}

/* --- nic_qp.c --------------------------------------------------------------- */

struct gaudi_nic_ctx {
	uint32_t qpn;
	uint32_t word[NIC_REQ_QPC_WORDS];
};

/* 0, or -EFAULT: there is no table, or the number is beyond it. */
int gaudi_nic_load_req(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		       uint32_t qpn, struct gaudi_nic_ctx *ctx);
int gaudi_nic_load_res(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		       uint32_t qpn, struct gaudi_nic_ctx *ctx);
void gaudi_nic_store_req(struct gaudi_chip *chip, struct gaudi_nic_port *port,
			 const struct gaudi_nic_ctx *ctx);
void gaudi_nic_store_res(struct gaudi_chip *chip, struct gaudi_nic_port *port,
			 const struct gaudi_nic_ctx *ctx);
/* What is not in the contexts of a queue pair that ends. */
void gaudi_nic_forget_req(struct gaudi_nic_port *port, uint32_t qpn);
void gaudi_nic_forget_res(struct gaudi_nic_port *port, uint32_t qpn);
/* The same for all whose contexts are not valid. */
void gaudi_nic_forget_invalid(struct gaudi_chip *chip,
			      struct gaudi_nic_port *port, bool requester);
/* NULL: no memory. */
struct gaudi_nic_qp *gaudi_nic_qp(struct gaudi_nic_port *port, uint32_t qpn);
/* How a queue pair of this trust reaches memory. */
struct gaudi_txn gaudi_nic_txn(const struct gaudi_nic_port *port,
			       unsigned int trust);
/* A queue of entries, some of which have been read. */
struct gaudi_nic_queue {
	struct gaudi_txn txn;
	uint64_t base;
	uint32_t size;			/* of an entry */
	bool exists;
	uint32_t first, num;		/* which are in word[] */
	uint32_t word[16 * NIC_WQE_WORDS];
};

void gaudi_nic_send_queue(struct gaudi_chip *chip, struct gaudi_nic_port *port,
			  const struct gaudi_nic_ctx *req,
			  struct gaudi_nic_queue *q);
/* A port without receive queues completes nothing of its own: all entries are 0. */
void gaudi_nic_recv_queue(struct gaudi_chip *chip, struct gaudi_nic_port *port,
			  const struct gaudi_nic_ctx *req,
			  struct gaudi_nic_queue *q);
/*
 * Entry index of the queue; NULL: it cannot be read (captured). All up to end are the
 * port's, and may be read with it.
 */
const uint32_t *gaudi_nic_entry(struct gaudi_chip *chip,
				const struct gaudi_nic_ctx *req,
				struct gaudi_nic_queue *q, uint32_t index,
				uint32_t end);

/*
 * As gaudi_bus_map(), which @ahead may spare: it is of the same transaction, lasts no longer
 * than the lock is held, and ends where registers are written.
 */
int gaudi_nic_map(struct gaudi_chip *chip, const struct gaudi_txn *txn,
		  struct gaudi_nic_ahead *ahead, uint64_t addr, uint32_t len,
		  bool write, struct gaudi_span *span);
/* The data of the packet that is being built: up to two spans, or a copy. 0 or -EFAULT. */
int gaudi_nic_attach(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		     const struct gaudi_txn *txn, uint64_t addr, uint32_t len);

/* --- nic_tx.c --------------------------------------------------------------- */

void gaudi_nic_doorbell(struct gaudi_chip *chip, struct gaudi_nic_port *port,
			uint32_t qpn, uint32_t pi, unsigned int trust,
			bool force);
/* Builds the port's next batch, which may be empty. */
void gaudi_nic_tx_build(struct gaudi_chip *chip, struct gaudi_nic_port *port);
void gaudi_nic_tx_done(struct gaudi_chip *chip, struct gaudi_nic_port *port);
/* An acknowledgement has come. */
void gaudi_nic_rx_ack(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		      const struct gaudi_nic_packet *packet);
void gaudi_nic_timeout(struct gaudi_chip *chip, void *port);

/* --- nic_rx.c --------------------------------------------------------------- */

/*
 * Packets have come from the wire. Lock held, dropped while data are copied; their
 * data stay where they are until this returns. One call per port at a time. What the
 * port has to answer is in its ring of acknowledgements afterwards.
 */
void gaudi_nic_receive(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		       const struct gaudi_nic_packet *packet, unsigned int n);

/* --- nic_wire.c ------------------------------------------------------------- */

/* Is anything held back? */
bool gaudi_nic_wire_holds(const struct gaudi_nic_port *port);
/* Is so much held back that nothing may be built? A timer runs then. */
bool gaudi_nic_wire_full(const struct gaudi_nic_port *port);
/*
 * What goes on the wire now, of the batch and of what was held back: how many, in
 * *out. Their data last until gaudi_nic_wire_sent().
 */
unsigned int gaudi_nic_wire_out(struct gaudi_chip *chip,
				struct gaudi_nic_port *port,
				const struct gaudi_nic_packet **out);
void gaudi_nic_wire_sent(struct gaudi_nic_port *port);
/* Forgets what is held back. */
void gaudi_nic_wire_drop(struct gaudi_nic_port *port);
void gaudi_nic_wire_free(struct gaudi_nic_port *port);
/* A packet that comes in, which may be changed: how often it comes. */
unsigned int gaudi_nic_wire_in(struct gaudi_chip *chip,
			       const struct gaudi_nic_port *port,
			       struct gaudi_nic_packet *packet);

/*
 * Takes acknowledgements that wait to be sent, for whoever delivers them: up
 * to a batch of them. None where faults on demand may strike them on their way.
 */
unsigned int gaudi_nic_pop_answers(struct gaudi_chip *chip,
				   struct gaudi_nic_port *port,
				   struct gaudi_nic_packet *out);

/* --- nic_completion.c ------------------------------------------------------- */

/* An entry of the error FIFO, and the event. */
void gaudi_nic_error(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		     uint32_t qpn, enum nic_syndrome syndrome);
/* A message for a sync object, or any register that trust lets it reach. */
void gaudi_nic_post(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		    unsigned int trust, uint32_t lbw, uint32_t data);
void gaudi_nic_complete_req(struct gaudi_chip *chip,
			    struct gaudi_nic_port *port, uint32_t qpn,
			    uint32_t wqe_index);
void gaudi_nic_complete_res(struct gaudi_chip *chip,
			    struct gaudi_nic_port *port, uint32_t imm);

/* --- link.c ----------------------------------------------------------------- */

/* The card's actors have ended. */
void gaudi_link_free(struct gaudi_nic_port *port);
/* Lock held: looks whether the link is up now. */
void gaudi_link_look(struct gaudi_chip *chip, struct gaudi_nic_port *port);
/* The two below are called by the port's actor, without the lock. */
void gaudi_link_update_peer(struct gaudi_link *link, struct gaudi_chip *chip,
			    unsigned int port);
/*
 * epoch: the port's. If the link has been down since, nobody gets them. claimed: the
 * caller has both ends.
 */
void gaudi_link_send(struct gaudi_link *link, struct gaudi_chip *chip,
		     unsigned int port, const struct gaudi_nic_packet *packet,
		     unsigned int n, uint64_t epoch, bool claimed);
/*
 * Both ends, so that nothing is waited for when packets are sent; false: another thread
 * has one of them, or it is the host's network, which may wait. Without the lock, both.
 */
bool gaudi_link_claim(struct gaudi_link *link);
void gaudi_link_unclaim(struct gaudi_link *link);
/*
 * Lock held: the port may have gone on or off, which its tables decide. The other end
 * is told later.
 */
void gaudi_link_changed(struct gaudi_chip *chip, struct gaudi_nic_port *port);
/*
 * Lock held: the port is that of a card which was saved, with its tables already there,
 * and its link was up, or not; nobody is told. The port looks at its next turn whether
 * that is still so. false: it was up, but there is no wire.
 */
bool gaudi_link_take_up(struct gaudi_chip *chip, struct gaudi_nic_port *port,
			bool carrier);
/* Lock held: it has its tables, and its wire is whole at this end. */
bool gaudi_link_port_is_on(struct gaudi_chip *chip,
			   const struct gaudi_nic_port *port);
/* Lock held: what it is joined to, as members of a JSON object. */
void gaudi_link_write_peer(const struct gaudi_nic_port *port, FILE *out);
/* What a process at the other end is told: bit 0: on, 63:32: this end's epoch. */
uint64_t gaudi_link_state(const struct gaudi_link *link);
/* The other end of a port's link, if that is in another process; else NULL. */
struct gaudi_remote *gaudi_link_remote(const struct gaudi_link *link);

/* --- remote.c --------------------------------------------------------------- */

/* NULL: no memory. */
struct gaudi_remote *gaudi_remote_new(const struct gaudi_link *link);
void gaudi_remote_free(struct gaudi_remote *remote);
/* Takes over ring and sock; whoever was there before is gone. */
int gaudi_remote_join(struct gaudi_remote *remote, struct gaudi_ring *ring,
		      int sock);
/* Nobody is there, from now on; or when all has been taken that was sent before. */
void gaudi_remote_part(struct gaudi_remote *remote);
void gaudi_remote_close(struct gaudi_remote *remote);
/* This end's state has changed. */
void gaudi_remote_send_state(struct gaudi_remote *remote);
/*
 * What the other end has told, like gaudi_link_state(); 0: nobody is there. An end that is
 * up stays so until all has been taken that it sent before it told another state.
 */
uint64_t gaudi_remote_state(struct gaudi_remote *remote);
/*
 * Lock held: is there room for a batch? If not, the port is kicked when there is. A
 * peer that takes nothing is waited for only so long; then what is sent is lost.
 */
bool gaudi_remote_has_room(struct gaudi_chip *chip, struct gaudi_nic_port *port);
void gaudi_remote_send(struct gaudi_remote *remote,
		       const struct gaudi_nic_packet *packet, unsigned int n,
		       uint64_t epoch);
/*
 * Lock held, at the end of a turn of the port's actor: has something come from a
 * process? again: that actor will look again, so nobody need be woken for it.
 */
void gaudi_remote_look(struct gaudi_chip *chip, struct gaudi_nic_port *port,
		       bool again);
/* Lock held: a turn of the port's remote_actor. */
bool gaudi_remote_run(struct gaudi_chip *chip, struct gaudi_actor *actor);

#endif /* GAUDI_NIC_PORT_H */
