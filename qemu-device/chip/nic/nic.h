/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NIC ports: queue pairs that send, write to the peer's memory and tell of it.
 *
 *   nic.c       ports: the actor of each, doorbells of its queue, reset
 *   nic_regs.c  registers: gateway, doorbells, interrupts, counters
 *   nic_qp.c    contexts of queue pairs and queue entries, which are in memory
 *   nic_tx.c    requester: entries become packets; acknowledgements, retries
 *   nic_rx.c    responder: packets become writes and completions
 *   nic_tell.c  completions, errors, sync objects
 *   nic_wire.c  packets that faults on demand strike
 *   cabling.c   which ports are joined in a box
 *   link.c      wires between cards of this process, and to the host's network
 *   roce.c      packets as frames of RoCE v2
 *
 * All state is under chip->lock. A port's actor drops it while packets are on
 * the wire. link.c has a lock of its own, under which nothing else is called.
 */
#ifndef GAUDI_NIC_H
#define GAUDI_NIC_H

#include "../core/core.h"
#include "../regs/regs.h"

extern const struct gaudi_block_ops gaudi_nic_qpc_ops, gaudi_nic_rxe_ops,
	gaudi_nic_txe_ops, gaudi_nic_stat_ops;

int gaudi_nic_init(struct gaudi_chip *chip);
void gaudi_nic_fini(struct gaudi_chip *chip);
/* Lock held: all ports go off, and nothing that was under way is remembered. */
void gaudi_nic_reset(struct gaudi_chip *chip);
/*
 * Lock held: its wire is broken, or whole again, also over resets. The link is down
 * meanwhile, at both ends.
 */
void gaudi_nic_break(struct gaudi_chip *chip, unsigned int port, bool broken);

#endif /* GAUDI_NIC_H */
