/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* What the files of the queues share; see queues.h. Lock held, all. */
#ifndef GAUDI_CHIP_QMAN_H
#define GAUDI_CHIP_QMAN_H

#include "queues.h"
#include "../timing/timing.h"
#include "../../../uapi/hw/gaudi_packets.h"
#include "../../../uapi/hw/regs/gaudi_qman_regs.h"

#define GAUDI_CQ_DEPTH		3	/* buffers that a CQ fetcher holds */
#define GAUDI_CQ_HELD		16	/* ... with writes that wait on the bus */
#define GAUDI_CP_BUFFER		2048	/* bytes of packets read ahead */

/* What a command processor waits for. */
enum gaudi_cp_wait {
	GAUDI_CP_RUN,
	GAUDI_CP_WAIT_FENCE,
	GAUDI_CP_WAIT_ENGINE,	/* EB, or no room for a descriptor */
	GAUDI_CP_WAIT_LOWER,	/* no room in the lower CP's queue */
	GAUDI_CP_WAIT_CQ,	/* no room in a CQ whose CQ_CTL it writes */
	GAUDI_CP_WAIT_ARB,	/* the arbiter has not granted this stream */
	GAUDI_CP_WAIT_TIMER,	/* an earlier WAIT packet */
	GAUDI_CP_WAIT_POST,	/* too many messages under way */
};

/* An entry of a CQ: a command buffer to execute. */
struct gaudi_cq_entry {
	uint64_t ptr;
	uint32_t tsize;
	uint32_t ctl;
	uint8_t from;		/* lower CP: the stream that sent it */
	uint64_t at_ps;		/* since when it is there */
};

/* What a CP has in a card with a model of time. */
struct gaudi_cp_times {
	struct gaudi_door door;		/* its PQ's */
	struct gaudi_steps fence[4];
	uint64_t engine_ps;		/* what it gave to the engine has ended ... */
	uint64_t lower_ps;		/* ... and what it gave to the lower CP */
};

/* What a CP has fetched. Of most there is never any, and then no page of the host's. */
struct gaudi_cp_held {
	struct gaudi_cq_entry cq[GAUDI_CQ_HELD];
	uint8_t buf[GAUDI_CP_BUFFER];
};

struct gaudi_cp {
	struct gaudi_actor actor;
	uint8_t qman;
	uint8_t n;		/* 0..3 upper, 4 lower */
	/* PQ, streams 0..3 */
	uint64_t pq_base;
	uint32_t pq_size;	/* log2 of entries */
	uint32_t pi;
	uint32_t ci;
	unsigned int cq_count;	/* entries of cq that are valid */
	/* the command buffer in execution */
	bool busy;
	struct gaudi_cq_entry cur;
	uint64_t pc;		/* device address of the next packet */
	uint32_t left;		/* bytes from pc to the end */
	uint32_t buf_len;	/* bytes of buf that are valid ... */
	uint32_t buf_pos;	/* ... and that are executed */
	uint64_t inst;		/* first eight bytes of the packet at pc */
	enum gaudi_cp_wait wait;
	uint8_t fence_id;	/* of the fence waited for */
	bool arb_request;	/* waits at an ARB_POINT with this priority */
	uint8_t arb_prio;
	uint32_t pred;		/* predicates; bit 0 is always true */
	uint32_t scalar[GAUDI_CP_SCALARS];
	bool in_scalars;	/* LOAD_AND_EXE: packets come from scalar ... */
	uint8_t rf_pos;		/* ... from this byte on */
	uint32_t bulk_left;	/* WREG_BULK: values not yet written, ... */
	uint32_t bulk_off;	/* ... and the offset of the next one */
	uint32_t repeat[2];	/* rounds that the loops of REPEAT still have */
	bool skip_bulk;		/* ... which its predicate suppresses */
	bool drop;		/* skip the rest of the buffer */
	uint32_t lower_sent;	/* CP_DMA entries not yet executed */
	struct gaudi_timer wait_timer;
	uint32_t wait_cfg;
	/* hot copies of registers */
	uint64_t msg_base[4];
	uint32_t fence[4];
	uint32_t sts1;
	uint64_t at_ps;		/* up to where it has come */
	/* MSG_PROT: what it last wrote to the host, as the entry of a completion is; 0: nothing */
	uint64_t told_at;
	uint32_t told;
	/* A reset leaves the rest: counters above say what is valid of it. */
	struct gaudi_cq_entry *cq;	/* of struct gaudi_cp_held, oldest first */
	uint8_t *buf;			/* ... */
	struct gaudi_cp_times *times;	/* NULL: without a model of time */
};

#define GAUDI_ARB_CHOICES	64
#define GAUDI_QM_REGS		(0x1000 / 4)
#define GAUDI_QM_NO_ROW		0xff

struct gaudi_qman {
	uint8_t id;
	uint32_t base;		/* CFG offset */
	uint32_t engine;	/* CFG offset of its engine's block; NIC: 0 */
	const struct gaudi_engine_ops *ops;
	unsigned int unit;	/* the engine's number, for ops */
	uint32_t cfg0;
	uint32_t cfg1;
	uint32_t err_stop;	/* units stopped by an error, as CFG1[13:0] */
	uint8_t writer;		/* CP that writes a register just now */
	uint32_t prot;
	uint32_t err_cfg;
	uint32_t props_sec[GAUDI_NUM_CPS];
	uint32_t props_nonsec[GAUDI_NUM_CPS];
	/* arbitration between the streams */
	uint32_t arb_cfg;
	int8_t arb_owner;	/* stream that holds the grant, -1: none */
	uint8_t arb_last;
	uint32_t arb_used[GAUDI_NUM_STREAMS];	/* grants in this WRR round */
	uint32_t arb_err;
	bool arb_due;		/* choose when a quiet period is over: ... */
	/* ... each stream ran so many packets more, or has no more to do */
	unsigned int arb_wait[GAUDI_NUM_STREAMS];
	struct gaudi_timer arb_quiet;	/* ... and that time is over */
	uint64_t arb_ps;	/* when the last grant ended */
	bool arb_stop;		/* by an error, as ERR_CFG asks for */
	uint8_t arb_cred[32];	/* master: choices that slave i still takes */
	uint8_t arb_choice[GAUDI_ARB_CHOICES];	/* slave: what master chose */
	unsigned int arb_head;
	unsigned int arb_count;
	struct gaudi_timer arb_wdt;
	struct gaudi_cp cp[GAUDI_NUM_CPS];
};

struct gaudi_queues {
	bool cq_waiting;	/* some CP waits for room in a CQ */
	uint8_t qman_row[GAUDI_QM_REGS];	/* register to row of a table */
	struct gaudi_qman qman[GAUDI_NUM_QMAN];
	struct gaudi_cp_held *held;	/* of all CPs */
	struct gaudi_cp_times *times;	/* all of them, or NULL */
	uint64_t *packet_uses[32];	/* by opcode, in the report */
};

/* The lower command processor. */
#define GAUDI_QM_LOWER		GAUDI_NUM_STREAMS

/* Bits of the units in CFG0, CFG1, PROT and STS0. */
#define GAUDI_QM_PQF(n)		(1u << (n))
#define GAUDI_QM_CQF(n)		(1u << (4 + (n)))
#define GAUDI_QM_CP(n)		(1u << (9 + (n)))
#define GAUDI_QM_UNITS		0x3fffu
/* The upper half of the same registers: flush, stop on error, is stopped. */
#define GAUDI_QM_HIGH_SHIFT	16

/*
 * Cycles of a QMAN's clock in nanoseconds. The driver calls 0xEE6B27FF of them
 * eight seconds: 500 MHz.
 */
#define GAUDI_QM_CYCLES_NS(n)	(2 * (uint64_t)(n))

/* PI and CI count modulo twice the queue. */
static inline uint32_t gaudi_pq_mask(const struct gaudi_cp *cp)
{
	return (2u << cp->pq_size) - 1;
}

/* Entries that the PQ fetcher will take: there are some and it is enabled. */
static inline bool gaudi_pq_pending(const struct gaudi_qman *qm,
				    const struct gaudi_cp *cp)
{
	return cp->n < GAUDI_NUM_STREAMS && cp->pi != cp->ci &&
	       qm->cfg0 & GAUDI_QM_PQF(cp->n);
}

/* Bytes of packets that were read ahead. */
static inline uint32_t gaudi_cq_ahead(const struct gaudi_cp *cp)
{
	return cp->busy ? cp->buf_len - cp->buf_pos : 0;
}

/* --- qman.c ---------------------------------------------------------------- */

/* The actor of a CP. */
bool gaudi_cp_run(struct gaudi_chip *chip, struct gaudi_actor *actor);
/* Any unit may have something to do now. */
void gaudi_qman_kick_all(struct gaudi_chip *chip, struct gaudi_qman *qm);
/* Drops what the units (as in CFG1 13:0) hold. */
void gaudi_qman_flush(struct gaudi_chip *chip, struct gaudi_qman *qm,
		      uint32_t units);
/* A write to CQ_CTL hands PTR and TSIZE over. */
void gaudi_qman_cq_write(struct gaudi_chip *chip, struct gaudi_qman *qm,
			 struct gaudi_cp *cp, uint32_t ctl);

/*
 * Is this (an offset from CFG) the CQ_CTL of a CQ that is full? A CP that would
 * write it waits with GAUDI_CP_WAIT_CQ.
 */
bool gaudi_qman_cq_full(struct gaudi_chip *chip, uint32_t cfg_off);

/* An increment of fence counter f of CP n. */
void gaudi_qman_fence_inc(struct gaudi_chip *chip, unsigned int qman,
			  unsigned int f, unsigned int n, uint32_t inc);
/* Initiator and rights of CP n on the bus; secure selects its properties. */
void gaudi_qman_txn(const struct gaudi_qman *qm, unsigned int n, bool secure,
		    struct gaudi_txn *txn);
bool gaudi_qman_cp_secure(const struct gaudi_qman *qm, unsigned int n);
/* Reads packets with the rights of the CQ fetcher. 0 or -EFAULT. */
int gaudi_qman_fetch(struct gaudi_chip *chip, struct gaudi_cp *cp,
		     uint64_t addr, void *buf, uint32_t len);
/* The current command buffer ends here, executed or dropped. */
void gaudi_qman_buffer_done(struct gaudi_chip *chip, struct gaudi_cp *cp);

/* --- qman_err.c ------------------------------------------------------------ */

/* Sets bits of GLBL_STS1; tells the CPU and stops the unit as configured. */
void gaudi_qman_error(struct gaudi_chip *chip, struct gaudi_cp *cp,
		      uint32_t bits);
/* The message by which a QMAN tells the CPU that it has an error. */
void gaudi_qman_send_error(struct gaudi_chip *chip, struct gaudi_qman *qm);
/* Ones were written to GLBL_STS1. */
void gaudi_qman_clear_error(struct gaudi_chip *chip, struct gaudi_cp *cp,
			    uint32_t bits);

/* --- arb.c ----------------------------------------------------------------- */

void gaudi_arb_init(struct gaudi_qman *qm);
/*
 * The arbiter between the streams of a QMAN. request() returns true if the stream
 * has the grant. Else its actor is made ready when it gets the grant. The arbiter
 * chooses at the end of a quiet period, during which other streams may request,
 * too; release() begins one, so that the same stream may ask again in time.
 */
bool gaudi_arb_request(struct gaudi_chip *chip, struct gaudi_qman *qm,
		       unsigned int n, uint8_t prio);
void gaudi_arb_release(struct gaudi_chip *chip, struct gaudi_qman *qm,
		       unsigned int n);
/* A turn of CP n's actor ends, after so many packets; more: it can go on. */
void gaudi_arb_turn(struct gaudi_chip *chip, struct gaudi_qman *qm,
		    unsigned int n, bool more, unsigned int packets);
uint32_t gaudi_arb_read(struct gaudi_chip *chip, unsigned int inst,
			uint32_t off);
void gaudi_arb_write(struct gaudi_chip *chip, unsigned int inst, uint32_t off,
		     uint32_t value);
void gaudi_arb_reset(struct gaudi_chip *chip, unsigned int inst);

/* --- cp.c ------------------------------------------------------------------ */

void gaudi_cp_init(struct gaudi_cp *cp);
/* Executes packets of the current command buffer. */
enum gaudi_cp_result {
	GAUDI_CP_DONE,		/* one packet, or the buffer, is done */
	GAUDI_CP_BLOCKED,	/* cp->wait says on what */
	GAUDI_CP_JUMPED,	/* within cp.c: the next packet is elsewhere */
};
enum gaudi_cp_result gaudi_cp_step(struct gaudi_chip *chip,
				   struct gaudi_qman *qm, struct gaudi_cp *cp,
				   unsigned int *budget);
/* Bytes of a packet and of what belongs to it; 0: there is none such. */
uint32_t gaudi_packet_size(uint32_t word, uint32_t ctl);
/* Has the engine finished? */
bool gaudi_engine_is_idle(struct gaudi_chip *chip, unsigned int qman,
			  unsigned int n);

#endif /* GAUDI_CHIP_QMAN_H */
