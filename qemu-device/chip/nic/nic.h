/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * NIC ports: queue pairs that send, write to the peer's memory and tell of it.
 *
 *   nic.c       ports: the actor of each, doorbells of its queue, reset
 *   nic_regs.c  registers: gateway, doorbells, interrupts, counters
 *   nic_qp.c    contexts of queue pairs and queue entries, which are in memory
 *   nic_tx.c    requester: entries become packets; acknowledgements, retries
 *   nic_rx.c    responder: packets become writes and completions
 *   nic_completion.c  completions, errors, sync objects
 *   nic_wire.c  packets that faults on demand strike
 *   link.c      wires between cards of this process, and to the host's network
 *   remote.c    ... and to cards of other processes
 *   roce.c      packets as frames of RoCE v2
 *   nic_snap.c   the room's part of a snapshot
 *   nic_state.c  why a port stands still, for a record
 *
 * All state is under chip->lock. A port's actor drops it while packets are on
 * the wire. link.c and remote.c have locks of their own, under which nothing else
 * is called.
 */
#ifndef GAUDI_NIC_H
#define GAUDI_NIC_H

#include "../core/core.h"
#include "../regs/regs.h"

extern const struct gaudi_block_ops gaudi_nic_qpc_ops, gaudi_nic_rxe_ops,
	gaudi_nic_txe_ops, gaudi_nic_stat_ops;

int gaudi_nic_init(struct gaudi_chip *chip);
void gaudi_nic_fini(struct gaudi_chip *chip);
struct gaudi_snap;
/* The room's part of a snapshot, behind that of the registers. */
void gaudi_nic_snap(struct gaudi_snap *s);
/* As a member of a JSON object, with a comma behind it, for a record: ports, links, queue pairs with work. */
void gaudi_nic_state(struct gaudi_chip *chip, FILE *out);
/* Lock held: all ports go off, and nothing that was under way is remembered. */
void gaudi_nic_reset(struct gaudi_chip *chip);
/*
 * Lock held: its wire is broken, or whole again, also over resets. The link is down
 * meanwhile, at both ends.
 */
void gaudi_nic_break(struct gaudi_chip *chip, unsigned int port, bool broken);

/*
 * A port's wire to a port of another process, for the room that finds the process.
 * Called without the card's lock, all, and also when the card has been freed; by a
 * thread that may do what the pool's may.
 */
struct gaudi_link;
struct gaudi_ring;

/*
 * Nobody is there yet. @peer_module and @peer_port are what records say of the other end.
 * NULL with *err: -EINVAL: no such port, -EBUSY, -ENOMEM.
 */
struct gaudi_link *gaudi_link_to_process(struct gaudi_chip *chip,
					 unsigned int port,
					 uint8_t peer_module,
					 unsigned int peer_port, int *err);
/*
 * Somebody is there: takes over ring, and sock, by which the peer is woken. -ENODEV:
 * the card has gone, -ENOMEM; then both stay the caller's.
 */
int gaudi_link_join(struct gaudi_link *link, struct gaudi_ring *ring, int sock);
/* The peer has gone. What it sent before comes first. */
void gaudi_link_close(struct gaudi_link *link);
/* The peer has done something: a byte has come from it. */
void gaudi_link_wake(struct gaudi_link *link);
/* A line in the card's log, about the wire. */
void gaudi_link_note(struct gaudi_link *link, const char *what);
/* Has the wire been pulled for good at this end? */
bool gaudi_link_is_pulled(struct gaudi_link *link);
/* The caller looks for nobody any more. */
void gaudi_link_release(struct gaudi_link *link);

#endif /* GAUDI_NIC_H */
