/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ports of the cards: one card, the victim, has them from gaudi.ko, with its
 * protection in force and a user's address space; the other one, if it takes part,
 * has them all to itself. Peers and users name any address: what is not theirs
 * cannot be touched without a crash, or has changed at the end.
 */
#ifndef FUZZ_NIC_CARD_H
#define FUZZ_NIC_CARD_H

#include "../../qemu-device/chip/core/core.h"
#include "../../qemu-device/chip/nic/nic_port.h"
#include "user_driver.h"

#define NIC_PORTS	3	/* two of one macro, and another one */
#define NIC_QPS		16	/* that are set up; see nic_card.c */
#define NIC_RING	16	/* entries of a send queue */
#define NIC_CQ_RING	8

/* In HBM, of the driver: tables of contexts, of which the first page is in use. */
#define NIC_REQ_TABLE(p)	(0x8000000ull + (p) * 0x400000ull)
#define NIC_RES_TABLE(p)	(NIC_REQ_TABLE(p) + 0x200000ull)
#define NIC_ERRORS(p)		(NIC_REQ_TABLE(p) + 0x300000ull)
/* Queues of queue pairs that are not users'; for both kinds of entries. */
#define NIC_DRIVER_WQS(p)	(NIC_REQ_TABLE(p) + 0x310000ull)
/* Of the user. */
#define NIC_WQS(p)		(USER_HBM + (p) * 0x40000ull)
#define NIC_RECV_WQS(p)		(NIC_WQS(p) + 0x10000ull)
#define NIC_CQ(p)		(NIC_WQS(p) + 0x20000ull)
#define NIC_RAW(p)		(NIC_WQS(p) + 0x30000ull)

#define NIC_MAC(card, p)	{ 0xb0, 0xfd, 0x0b, 0, (card), (p) }
#define NIC_QPC(p)		(0xce4000u + (p) / 2 * 0x40000u + (p) % 2 * 0x1000u)
#define NIC_RXE(p)		(0xce9000u + (p) / 2 * 0x40000u + (p) % 2 * 0x1000u)
#define NIC_TXE(p)		(0xcf2000u + (p) / 2 * 0x40000u + (p) % 2 * 0x1000u)

/*
 * A run with this input begins, and ends. The first one sets up what lasts; connect() then
 * plugs in the wires. alone: nobody but the victim uses the host's memory. Each run finds
 * its queue pairs as they are at first, and cards after a reset, unless FUZZ_HISTORY names
 * a file: then they are reset for some runs together, and a run finds what those before it
 * have left.
 */
void nic_begin(const uint8_t *data, size_t size, void (*connect)(void),
	       bool alone);
void nic_end(void);

/* Keeps an input; does its run go on with the cards as they are? */
bool history_add(const uint8_t *data, size_t size);
/* Are they to be reset? */
bool history_is_full(void);

/* Contexts of a queue pair, as they are at first. */
void nic_open(struct world_card *card, unsigned int port, unsigned int qpn);
uint32_t *nic_req(struct world_card *card, unsigned int port, unsigned int qpn);
uint32_t *nic_res(struct world_card *card, unsigned int port, unsigned int qpn);
/* The driver, or a user, takes what there is of errors and completions. */
void nic_take_all(struct world_card *card, unsigned int port);
/* Who sends with it may write what the queue pair reaches. */
uint32_t nic_key(unsigned int port, unsigned int qpn);

/* Has a user its queues? Else it is the driver's, and passes all protection. */
bool nic_is_users(unsigned int qpn);

/* An address that a user of the victim may have or not. */
uint64_t nic_named(unsigned int sel, uint64_t off);
/* One of the other card, which owns all of itself. */
uint64_t nic_own(unsigned int sel, uint64_t off);

/*
 * unit: port and queue pair, see NIC_UNIT_*; value: index and size; flags, addr: what
 * kind of entry, and where.
 */
#define NIC_UNIT_PORT(u)	((u) % NIC_PORTS)
#define NIC_UNIT_QP(u)		((u) / NIC_PORTS % NIC_QPS)
op_fn op_nic_wqe, op_nic_any_wqe, op_nic_local, op_nic_ring, op_nic_post,
	op_nic_open, op_nic_plug, op_nic_fault, op_nic_wait;

#endif /* FUZZ_NIC_CARD_H */
