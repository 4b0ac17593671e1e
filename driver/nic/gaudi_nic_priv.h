/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files of this room. */
#ifndef GAUDI_NIC_PRIV_H
#define GAUDI_NIC_PRIV_H

#include <linux/mutex.h>
#include <linux/xarray.h>

#include "../../uapi/hw/gaudi_map.h"
#include "../../uapi/hw/regs/gaudi_nic_regs.h"
#include "gaudi_ports.h"

/*
 * Tables of contexts. Each has room for all numbers that the hardware takes, so that
 * none of another port, or of another kind, is ever found by a number beyond ours:
 * what lies there is zero, and not valid.
 */
#define GAUDI_NIC_REQ_TABLE_SIZE	(NIC_MAX_QP * 4ull * NIC_REQ_QPC_WORDS)
#define GAUDI_NIC_RES_TABLE_SIZE	(NIC_MAX_QP * 4ull * NIC_RES_QPC_WORDS)
#define GAUDI_NIC_REQ_TABLE(port)	(GAUDI_HBM_DRV_BASE + \
					 (port) * GAUDI_NIC_REQ_TABLE_SIZE)
#define GAUDI_NIC_RES_TABLE(port)	\
	(GAUDI_NIC_REQ_TABLE(GAUDI_NUM_NIC_ENGINE) + \
	 (port) * GAUDI_NIC_RES_TABLE_SIZE)
#define GAUDI_NIC_TABLES_END	GAUDI_NIC_RES_TABLE(GAUDI_NUM_NIC_ENGINE)

#define GAUDI_NIC_FIFO_LEN	1024u
#define GAUDI_NIC_SPEED_MBPS	100000

#define GAUDI_NIC_MIN_ENTRIES	16u
#define GAUDI_NIC_MAX_ENTRIES	(1u << 21)
/* What addresses of queues are multiples of. */
#define GAUDI_NIC_ALIGN		128u
#define GAUDI_NIC_MIN_RING_LOG2	7
#define GAUDI_NIC_MAX_RING_LOG2	30

/* InfiniBand's default for an answer, 67 ms; and as many tries as it can count. */
#define GAUDI_NIC_TIMER_LOG2	14
#define GAUDI_NIC_RETRIES	7

struct gaudi_nic_conn {
	struct gaudi_ctx *ctx;
	bool requester, responder;	/* has this context */
	u32 errors;
};

/* What the user has set; size 0: nothing. */
struct gaudi_nic_queue {
	u64 addr;
	u32 num_queues;
	u32 num_entries;
};

struct gaudi_nic_port {
	struct xarray conns;		/* struct gaudi_nic_conn, by number */
	u32 num_requesters, num_responders;
	struct gaudi_nic_queue wq[2];	/* enum drm_gaudi_nic_wq_type */
	struct gaudi_nic_queue cq;
	u64 ring_addr;
	u8 ring_log2;			/* 0: there is none */
	u8 timeout_retries, nack_retries;
	/* Errors, as the card writes them; NULL: the port is not used. */
	__le32 *fifo;
	dma_addr_t fifo_dma;
	u32 fifo_ci;
	u32 errors;			/* since probe */
	bool link_up;
	u32 link_changes;
	u8 mac[6];
};

struct gaudi_nic {
	struct mutex lock;		/* everything below */
	bool found;			/* firmware was asked for the ports */
	bool on;
	u16 external;			/* bits; fixed since probe */
	struct gaudi_ctx *user;		/* the open file; NULL: there is none */
	struct gaudi_nic_port port[GAUDI_NUM_NIC_ENGINE];
};

/* --- gaudi_nic.c ------------------------------------------------------------ */

/* End a connection; 0, or -EIO: the card is to be reset. */
int gaudi_nic_close_conn(struct gaudi_device *gdev, unsigned int port,
			 unsigned int id, struct gaudi_nic_conn *conn);
/* The number of the context's connections on a port. */
u32 gaudi_nic_count_conns(struct gaudi_nic_port *p);

/* --- gaudi_nic_hw.c; the lock is held ---------------------------------------- */

void gaudi_nic_port_on(struct gaudi_device *gdev, unsigned int port);
void gaudi_nic_port_off(struct gaudi_device *gdev, unsigned int port);
/*
 * Wait until packets that were under way have gone through. 0, -ETIMEDOUT or
 * -ENODEV.
 */
int gaudi_nic_drain(struct gaudi_device *gdev, unsigned int port);
/* A context by the gateway: 0, -ETIMEDOUT or -ENODEV. */
int gaudi_nic_read_ctx(struct gaudi_device *gdev, unsigned int port, u32 qpn,
		       bool requester, u32 *words);
int gaudi_nic_write_ctx(struct gaudi_device *gdev, unsigned int port, u32 qpn,
			bool requester, const u32 *words);
/* Clears VALID, and nothing else. */
int gaudi_nic_invalidate_ctx(struct gaudi_device *gdev, unsigned int port,
			     u32 qpn, bool requester);
/* What the port's structure says is put into registers. */
void gaudi_nic_write_wq(struct gaudi_device *gdev, unsigned int port,
			enum drm_gaudi_nic_wq_type type);
void gaudi_nic_write_cq(struct gaudi_device *gdev, unsigned int port);
void gaudi_nic_write_cq_ci(struct gaudi_device *gdev, unsigned int port, u32 ci);
void gaudi_nic_write_params(struct gaudi_device *gdev, unsigned int port);
bool gaudi_nic_read_link(struct gaudi_device *gdev, unsigned int port);
void gaudi_nic_read_counters(struct gaudi_device *gdev, unsigned int port,
			     struct drm_gaudi_nic_port_info *info);

/* --- gaudi_nic_words.c: nothing here touches hardware ------------------------ */

/* Contexts of users: unsecured, valid. entries: of the ring. */
void gaudi_nic_pack_req(u32 *words, const struct drm_gaudi_nic_req_ctx *in,
			u32 entries);
/* ring_log2: of the ring for SENDs, 0: there is none. */
void gaudi_nic_pack_res(u32 *words, const struct drm_gaudi_nic_res_ctx *in,
			u32 lkey, unsigned int ring_log2);
/* Whether a requester still has something to send, or to be acknowledged. */
bool gaudi_nic_req_is_busy(const u32 *words);
/* Is it all of users' HBM, or of addresses for host memory? */
bool gaudi_nic_range_is_good(u64 addr, u64 bytes);
/* An error as users are told: GAUDI_NIC_ERR_* of one with this syndrome. */
u32 gaudi_nic_error_flags(u32 entry);

/* --- gaudi_nic_ops.c --------------------------------------------------------- */

struct gaudi_nic_op {
	u32 op;
	u16 in_size, out_size;		/* of the structures; 0: there is none */
	u16 port_at;			/* offset of the number of its port */
	bool always;			/* also if no port is used: p is NULL */
	/* The lock is held, the ports are on unless always. @p is the port named there. */
	int (*fn)(struct gaudi_ctx *ctx, struct gaudi_nic_port *p,
		  const void *in, void *out);
};

extern const struct gaudi_nic_op gaudi_nic_ops[];
extern const unsigned int gaudi_nic_num_ops;
/* All structures fit. */
#define GAUDI_NIC_MAX_ARGS	sizeof(struct drm_gaudi_nic_qp)

/* --- gaudi_nic_event.c ------------------------------------------------------- */

/* The lock is held. What the port has told so far is given to those whose connections they are. */
void gaudi_nic_take_errors(struct gaudi_device *gdev, unsigned int port);
void gaudi_nic_look_at_link(struct gaudi_device *gdev, unsigned int port);

#endif /* GAUDI_NIC_PRIV_H */
