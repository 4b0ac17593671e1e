/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * The card's ports, for user space: queue pairs (connections), their work queues
 * and completions. An extension of gaudi.ko; GAUDI_CAP_NIC says that it is there.
 * The rules of gaudi_accel.h hold, but for the command's number: it is the one that
 * the vendor's driver has, and so are the opcodes below GAUDI_NIC_OP_PORT_INFO. The
 * arguments are our own.
 *
 * What is in memory has the hardware's layout: work queue entries, completions,
 * contexts; see uapi/hw/regs/gaudi_nic_regs.h. Doorbells and data take no call:
 *
 *	ALLOC_CONN on both sides; they tell each other their numbers and keys
 *	USER_WQ_SET, once per port and type: queues in mapped memory
 *	SET_RES_CTX: lets the peer write to this process's memory
 *	SET_REQ_CTX: lets this side write to the peer's
 *	a job on one of the port's queues (HL_CS, internal queue
 *	GAUDI_QUEUE_ID_NIC_n_s) whose command buffer rings: WREG_BULK of the 64-bit
 *	value GAUDI_NIC_DOORBELL() at register offset 0
 *	waits on sync objects, which entries name at either end
 *
 * All belongs to the open file, and ends with it: its connections are closed and
 * forgotten, its queues are taken from the ports. A reset of the card does the same:
 * then all calls with a connection give ENOENT.
 *
 * Connections reach memory as the process's own engines do: the addresses that
 * HL_MEM_OP_MAP gave, HBM of users, and sync objects that user queues may write.
 */
#ifndef GAUDI_NIC_H
#define GAUDI_NIC_H

#include <drm/drm.h>

#if defined(__cplusplus)
extern "C" {
#endif

#define GAUDI_IOCTL_NIC		0x06

#define GAUDI_NIC_NUM_PORTS	10
/* Numbers of connections, of each port: 1 to this. */
#define GAUDI_NIC_MAX_CONN	1023

/* pi: index of the entry behind the last one that is to be sent, modulo the ring */
#define GAUDI_NIC_DOORBELL(conn_id, pi)	\
	((__u64)(conn_id) << 22 | ((pi) & 0x3fffff))

enum drm_gaudi_nic_op {
	/* in: drm_gaudi_nic_conn (conn_id 0); out: drm_gaudi_nic_conn */
	GAUDI_NIC_OP_ALLOC_CONN		= 0,
	/* in: drm_gaudi_nic_req_ctx */
	GAUDI_NIC_OP_SET_REQ_CTX	= 1,
	/* in: drm_gaudi_nic_res_ctx; out: drm_gaudi_nic_res_key */
	GAUDI_NIC_OP_SET_RES_CTX	= 2,
	/* in: drm_gaudi_nic_conn */
	GAUDI_NIC_OP_DESTROY_CONN	= 3,
	/* in: drm_gaudi_nic_wq */
	GAUDI_NIC_OP_USER_WQ_SET	= 9,
	/* in: drm_gaudi_nic_wq, of which port and type count */
	GAUDI_NIC_OP_USER_WQ_UNSET	= 10,
	/* in: drm_gaudi_nic_cq */
	GAUDI_NIC_OP_USER_CQ_SET	= 11,
	/* in: drm_gaudi_nic_cq, of which port counts */
	GAUDI_NIC_OP_USER_CQ_UNSET	= 12,
	/* in: drm_gaudi_nic_cq_ci */
	GAUDI_NIC_OP_USER_CQ_UPDATE_CI	= 13,
	/* in: drm_gaudi_nic_params */
	GAUDI_NIC_OP_SET_APP_PARAMS	= 15,
	/* in: drm_gaudi_nic_port; out: drm_gaudi_nic_params */
	GAUDI_NIC_OP_GET_APP_PARAMS	= 16,
	/* in: drm_gaudi_nic_conn; out: drm_gaudi_nic_qp */
	GAUDI_NIC_OP_DUMP_QP		= 29,

	/* The vendor's driver has no such calls. */
	/* in: drm_gaudi_nic_port; out: drm_gaudi_nic_port_info */
	GAUDI_NIC_OP_PORT_INFO		= 0x100,
	/* out: drm_gaudi_nic_error; nothing goes in */
	GAUDI_NIC_OP_GET_ERROR		= 0x101,
};

/*
 * DRM_IOCTL_GAUDI_NIC. in_ptr and out_ptr point to the structures that stand at the
 * opcode. A shorter in_size leaves later fields 0, a shorter out_size cuts them.
 *
 * Errors of all opcodes: ENOTTY: no such opcode. EINVAL: ctx, or padding, is not 0;
 * a structure is missing or shorter than its first version; a value is out of its
 * range. E2BIG: what the driver does not know at the end of a longer one is not 0, or in_size
 * is more than a page. EFAULT: a pointer is bad; nothing has been done. ENXIO: there is no such port, or it is off. EOPNOTSUPP:
 * all ports are off, as in shared mode; PORT_INFO works all the same. ENOENT: no such
 * connection of this file. EBUSY: the card is not operational. EIO: it does not do what
 * it is told, and will be reset. ENODEV: it is gone.
 */
struct drm_gaudi_nic {
	__u64 in_ptr;
	__u64 out_ptr;
	__u32 in_size;
	__u32 out_size;
	__u32 ctx;		/* must be zero */
	__u32 op;		/* enum drm_gaudi_nic_op */
};

#define DRM_IOCTL_GAUDI_NIC						\
	DRM_IOWR(DRM_COMMAND_BASE + GAUDI_IOCTL_NIC, struct drm_gaudi_nic)

struct drm_gaudi_nic_port {
	__u32 port;
	__u32 pad;		/* must be zero */
};

/*
 * ALLOC_CONN gives the lowest number that is free on the port; nothing can be sent or
 * received before a context is set. ENOSPC: all are in use.
 *
 * DESTROY_CONN ends both directions. When it returns, nothing of the connection
 * touches memory any more; what was under way may be lost, and the peer runs into its
 * timeouts.
 */
struct drm_gaudi_nic_conn {
	__u32 port;
	__u32 conn_id;
};

/*
 * SET_REQ_CTX: from now on, doorbells of the connection send entries of send queue
 * conn_id to the peer. Indices and the error of an earlier context start anew;
 * nothing may be under way (EBUSY: something is, and the connection is to be destroyed
 * instead). EINVAL: USER_WQ_SET has not given the port a send queue of that number,
 * or wq_entries is larger than it.
 */
struct drm_gaudi_nic_req_ctx {
	__u32 port;
	__u32 conn_id;
	__u32 dst_conn_id;	/* the peer's number, 24 bits */
	__u32 rkey;		/* the peer's lkey */
	__u32 src_ip;		/* IPv4, as numbers: 10.0.0.1 is 0x0a000001 */
	__u32 dst_ip;
	__u8 dst_mac[6];
	__u8 priority;		/* 0 to 3 */
	/* An answer is awaited for 4.096 us * 2^this, 1 to 31; 0: the default. */
	__u8 timer_log2;
	__u32 psn;		/* number of the first packet, 24 bits */
	__u32 wq_entries;	/* that the ring has, at least 2; 0: the queue's */
	__u32 flags;		/* must be zero */
	__u32 pad;		/* must be zero */
};

/* The number of the first packet that comes counts; psn is not looked at. */
#define GAUDI_NIC_RES_ANY_PSN	(1 << 0)

/*
 * SET_RES_CTX: from now on the peer may write to whatever memory this process has
 * mapped, if its packets have the key. A wrong one ends the connection's
 * receiving side, until its context is set again.
 */
struct drm_gaudi_nic_res_ctx {
	__u32 port;
	__u32 conn_id;
	__u32 dst_conn_id;	/* the peer's number, 24 bits: answers go there */
	__u32 lkey;		/* 0: the driver draws one by chance */
	__u32 src_ip;
	__u32 dst_ip;
	__u8 dst_mac[6];
	__u8 priority;
	__u8 pad;		/* must be zero */
	__u32 psn;
	__u32 flags;		/* GAUDI_NIC_RES_* */
};

struct drm_gaudi_nic_res_key {
	__u32 lkey;
	__u32 pad;
};

enum drm_gaudi_nic_wq_type {
	GAUDI_NIC_WQ_SEND	= 0,	/* entries of 32 bytes */
	/* Entries of 8 bytes: what happens here when the one of the same index,
	 * in the send queue, has been acknowledged.
	 */
	GAUDI_NIC_WQ_RECV	= 1,
};

/*
 * USER_WQ_SET: queues follow each other from addr on, a mapped device address or one
 * in HBM, a multiple of 128. Queue n is that of connection n, and begins at
 * addr + n * num_entries * bytes per entry; only those in use need be mapped.
 * num_entries is a power of two, 16 to 2^21, and the same for both types.
 * EBUSY: the port has such queues.
 *
 * USER_WQ_UNSET: EBUSY: a connection of the port has a requester's context. EINVAL:
 * there are none.
 */
struct drm_gaudi_nic_wq {
	__u64 addr;
	__u32 port;
	__u32 type;		/* enum drm_gaudi_nic_wq_type */
	__u32 num_wqs;		/* 2 to GAUDI_NIC_MAX_CONN + 1 */
	__u32 num_entries;
};

/*
 * USER_CQ_SET: completions go to addr, a mapped device address or one in HBM, a
 * multiple of 128: num_entries of 8 bytes, a power of two, 16 to 2^21. Each has its
 * valid bit set; the reader clears it, and tells by USER_CQ_UPDATE_CI how many it has
 * taken. An overrun loses completions, and is an error of connection 0
 * (GAUDI_NIC_ERR_CQ_OVERRUN). Immediates that an even port receives become
 * completions of the odd one next to it. EBUSY: the port has a queue.
 *
 * USER_CQ_UNSET, USER_CQ_UPDATE_CI: EINVAL: it has none.
 */
struct drm_gaudi_nic_cq {
	__u64 addr;
	__u32 port;
	__u32 num_entries;
};

struct drm_gaudi_nic_cq_ci {
	__u32 port;
	__u32 ci;		/* all that were taken, modulo 2^32 */
};

/*
 * What a port does for this file. SET_APP_PARAMS takes the first fields; those of the
 * second part must be 0 there. GET_APP_PARAMS gives all. EBUSY: the ring would change,
 * and a connection of the port has a responder's context.
 */
struct drm_gaudi_nic_params {
	__u32 port;
	__u8 timeout_retries;	/* 0: the default */
	__u8 nack_retries;	/* 0: the default */
	/* SENDs that are received go to a ring; 0: there is none. */
	__u8 recv_ring_log2;	/* bytes of it, 7 to 30 */
	__u8 pad;		/* must be zero */
	/*
	 * A device address as that of a queue. There is one ring, which the
	 * connections of the port fill independently, each from its start: it is
	 * for one of them at a time.
	 */
	__u64 recv_ring_addr;

	__u32 first_conn;	/* number that a connection may have, and ... */
	__u32 num_conns;	/* ... how many may be */
	__u32 used_conns;	/* of this file */
	__u32 max_entries;	/* of a queue */
	__u32 max_message;	/* bytes of an entry's data */
	__u32 num_wqs;		/* what USER_WQ_SET has set; 0: nothing */
	__u32 num_entries;
	__u32 num_cqes;		/* what USER_CQ_SET has set */
};

#define GAUDI_NIC_QP_REQUESTER	(1 << 0)	/* has this context */
#define GAUDI_NIC_QP_RESPONDER	(1 << 1)

/* DUMP_QP: the contexts as the card has them, words of NIC_REQ_*, NIC_RES_*. */
struct drm_gaudi_nic_qp {
	__u32 flags;		/* GAUDI_NIC_QP_* */
	__u32 num_errors;	/* since ALLOC_CONN */
	__u32 req[16];
	__u32 res[8];
};

#define GAUDI_NIC_PORT_ENABLED	(1 << 0)	/* the driver has it on */
#define GAUDI_NIC_PORT_LINK_UP	(1 << 1)	/* and so has the other end */
#define GAUDI_NIC_PORT_EXTERNAL	(1 << 2)	/* leads out of the box */

/* PORT_INFO also answers for ports that are off: all counters are 0. */
struct drm_gaudi_nic_port_info {
	__u32 port;
	__u32 flags;		/* GAUDI_NIC_PORT_* */
	__u8 mac[6];
	__u16 pad;
	__u32 speed_mbps;
	__u32 link_changes;	/* since the driver was loaded */
	__u32 errors;		/* of queue pairs, since the driver was loaded */
	__u32 pad2;
	/* Of the card, since its last reset. */
	__u64 tx_packets;
	__u64 tx_bytes;		/* of data */
	__u64 rx_packets;
	__u64 rx_bytes;
	__u64 retries;		/* packets were sent again */
	__u64 out_of_order;	/* packets before which one was missing */
	__u64 duplicates;
	__u64 dropped;
};

/* The side that an error ended; neither: the connection goes on. */
#define GAUDI_NIC_ERR_REQUESTER		(1 << 0)
#define GAUDI_NIC_ERR_RESPONDER		(1 << 1)
/* Not of a queue pair: the completion queue was full; conn_id is 0. */
#define GAUDI_NIC_ERR_CQ_OVERRUN	(1 << 2)

/*
 * GET_ERROR: the oldest error of this file's connections that has not been read.
 * ENODATA: there is none. HL_NOTIFIER_EVENT_USER_ENGINE_ERR tells of new ones.
 */
struct drm_gaudi_nic_error {
	__u32 port;
	__u32 conn_id;
	__u32 syndrome;		/* enum nic_syndrome */
	__u32 flags;		/* GAUDI_NIC_ERR_* */
	__s64 timestamp_ns;	/* CLOCK_MONOTONIC, when the driver learned of it */
	__u32 lost;		/* errors before this one for which there was no room */
	__u32 pad;
};

#ifndef __cplusplus
_Static_assert(sizeof(struct drm_gaudi_nic) == 32, "has a hole");
_Static_assert(sizeof(struct drm_gaudi_nic_port) == 8, "has a hole");
_Static_assert(sizeof(struct drm_gaudi_nic_conn) == 8, "has a hole");
_Static_assert(sizeof(struct drm_gaudi_nic_req_ctx) == 48, "has a hole");
_Static_assert(sizeof(struct drm_gaudi_nic_res_ctx) == 40, "has a hole");
_Static_assert(sizeof(struct drm_gaudi_nic_res_key) == 8, "has a hole");
_Static_assert(sizeof(struct drm_gaudi_nic_wq) == 24, "has a hole");
_Static_assert(sizeof(struct drm_gaudi_nic_cq) == 16, "has a hole");
_Static_assert(sizeof(struct drm_gaudi_nic_cq_ci) == 8, "has a hole");
_Static_assert(sizeof(struct drm_gaudi_nic_params) == 48, "has a hole");
_Static_assert(sizeof(struct drm_gaudi_nic_qp) == 104, "has a hole");
_Static_assert(sizeof(struct drm_gaudi_nic_port_info) == 96, "has a hole");
_Static_assert(sizeof(struct drm_gaudi_nic_error) == 32, "has a hole");
#endif

#if defined(__cplusplus)
}
#endif

#endif /* GAUDI_NIC_H */
