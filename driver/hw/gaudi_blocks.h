/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The QMAN instances that this driver uses, and what belongs to each: queue
 * ids, engine, event and error-message ids. Those of the NIC's ports come last, and
 * only those in gaudi_device.nic_ports are touched.
 */
#ifndef GAUDI_BLOCKS_H
#define GAUDI_BLOCKS_H

#include <linux/bitmap.h>
#include <linux/build_bug.h>
#include <linux/types.h>

#include "../../uapi/hw/gaudi_map.h"

enum gaudi_qman_kind {
	GAUDI_QMAN_PCI_DMA,	/* external queues, no lower CP in use */
	GAUDI_QMAN_HBM_DMA,
	GAUDI_QMAN_MME,
	GAUDI_QMAN_TPC,
	GAUDI_QMAN_NIC,		/* internal queues, no lower CP either */
};

struct gaudi_qman_desc {
	const char *name;
	u32 base;		/* from GAUDI_CFG_BASE */
	enum gaudi_qman_kind kind;
	u16 first_qid;		/* four streams, four queue ids */
	u16 engine_id;		/* enum gaudi_engine_id */
	u16 event_id;		/* what the card reports its errors as */
	u16 err_spi;		/* what it writes to the GIC for them */
	u16 pq_len;		/* entries per stream */
	bool sync_stream;	/* MSG bases 2 and 3 point to W_S */
};

/* On each card, whatever ports it has. */
#define GAUDI_NUM_USED_QMANS	18
static_assert(GAUDI_NUM_QMAN == GAUDI_NUM_USED_QMANS + GAUDI_NUM_NIC_ENGINE);
/* Queues below this are external: those of DMA 0 and 1. */
#define GAUDI_NUM_EXT_QUEUES	(2 * GAUDI_NUM_STREAMS)

extern const struct gaudi_qman_desc gaudi_qmans[GAUDI_NUM_QMAN];

/**
 * gaudi_nic_qman() - The queue manager of a port
 * @port: the port's number
 *
 * Context: Any context.
 * Return: The row of the table.
 */
static inline const struct gaudi_qman_desc *gaudi_nic_qman(unsigned int port)
{
	return &gaudi_qmans[GAUDI_NUM_USED_QMANS + port];
}

/* Ports of a card that are used. */
#define for_each_nic_port(gdev, port)	\
	for_each_set_bit(port, &(gdev)->nic_ports, GAUDI_NUM_NIC_ENGINE)

/**
 * gaudi_nic_port_of_queue() - The port that a queue belongs to
 * @qid: the queue's id, which may be a bad one
 *
 * Context: Any context.
 * Return: Its number; -1: it is no queue of the NIC.
 */
int gaudi_nic_port_of_queue(u32 qid);

/**
 * gaudi_qman_of_queue() - The queue manager that serves a queue
 * @qid: the queue's id, which may be a bad one
 *
 * Context: Any context.
 * Return: The row of the table; %NULL: none does (CPU queue, bad id).
 */
const struct gaudi_qman_desc *gaudi_qman_of_queue(u32 qid);

/**
 * gaudi_qman_of_event() - The queue manager whose errors an event reports
 * @event_id: the event's id
 *
 * Context: Any context.
 * Return: The row of the table, or %NULL.
 */
const struct gaudi_qman_desc *gaudi_qman_of_event(u32 event_id);

/**
 * gaudi_qman_of_engine() - The queue manager that drives an engine
 * @engine_id: the engine, of enum gaudi_engine_id
 *
 * Context: Any context.
 * Return: The row of the table; %NULL: none does (the slave MMEs).
 */
const struct gaudi_qman_desc *gaudi_qman_of_engine(u32 engine_id);

/* First SOB and monitor that belong to the user, per sync manager. */
#define GAUDI_FIRST_USER_SOB_W_S	144
#define GAUDI_FIRST_USER_MON_W_S	72
/* A DMA core adds 1 to "its" SOB unless the user says otherwise. */
#define GAUDI_WR_COMP_ADD_1	(SYNC_MNGR_SOB_OBJ_INC | 1)

#endif /* GAUDI_BLOCKS_H */
