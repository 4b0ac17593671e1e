/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * State of the engines: scheduling, QMANs and their command processors, DMA
 * cores, sync managers. Registers without behaviour are not here but in the
 * plain storage of regs.c; what is here is decoded from writes or live.
 *
 * All of it is guarded by chip->lock, but for the members marked atomic.
 */
#ifndef GAUDI_ENGINES_STATE_H
#define GAUDI_ENGINES_STATE_H

#include <stdatomic.h>

/* --- pool.c: which actors are ready, and who runs them ------------------- */

struct gaudi_sched {
	struct gaudi_actor *actor[GAUDI_MAX_ACTORS];
	unsigned int num_actors;
	unsigned int refused;		/* for which there was no room */
	uint64_t ready[GAUDI_MAX_ACTORS / 64];
	unsigned int num_ready;
	uint64_t light[GAUDI_MAX_ACTORS / 64];
	unsigned int last[2];		/* that ran last: light, others */
	unsigned int streak;		/* light ones that ran in a row */
	uint64_t work;			/* bytes that the last one copied */
	unsigned int running;		/* actors that run now */
	/* Threads that will look at ready before they let go of the lock. */
	unsigned int controllers;
	unsigned int quiesced;		/* depth */
	/* threads that wait for changed: for an end, or for idleness */
	unsigned int waiters;
	unsigned int idle_waiters;
	pthread_cond_t changed;		/* an actor or a delivery ended */
	uint64_t seed;			/* != 0: pseudo-random choice */
	bool kicked;			/* this access made something ready */
	bool inlined;			/* actors run in the guest's thread */
	uint32_t inline_bytes;		/* ... which may still copy so much */
	/* The pool's: links of its list, guarded by its lock. */
	struct gaudi_chip *next;
	unsigned int users;		/* workers that hold the card */
	atomic_bool want_worker;
};

/* --- qman*.c, cp.c, arb.c ----------------------------------------------- */

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
	GAUDI_CP_WAIT_ARB,	/* not this stream's turn */
	GAUDI_CP_WAIT_TIMER,	/* an earlier WAIT packet */
	GAUDI_CP_WAIT_POST,	/* too many messages under way */
};

/* An entry of a CQ: a command buffer to execute. */
struct gaudi_cq_entry {
	uint64_t ptr;
	uint32_t tsize;
	uint32_t ctl;
	uint8_t from;		/* lower CP: the stream that sent it */
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
	/* A reset leaves the rest: counters above say what is valid of it. */
	struct gaudi_cq_entry cq[GAUDI_CQ_HELD];	/* oldest first */
	uint8_t buf[GAUDI_CP_BUFFER];
};

#define GAUDI_ARB_CHOICES	64
#define GAUDI_QM_REGS		(0x1000 / 4)
#define GAUDI_QM_NO_ROW		0xff

struct gaudi_qman {
	uint8_t id;
	uint32_t base;		/* CFG offset */
	uint32_t engine;	/* CFG offset of its engine's block; NIC: 0 */
	uint32_t cfg0;
	uint32_t cfg1;
	uint32_t err_stop;	/* units stopped by an error, as CFG1[13:0] */
	uint8_t cq_from;	/* stream that writes CQ_CTL just now */
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
	bool arb_stop;		/* by an error, as ERR_CFG asks for */
	uint8_t arb_cred[32];	/* master: choices that slave i still takes */
	uint8_t arb_choice[GAUDI_ARB_CHOICES];	/* slave: what master chose */
	unsigned int arb_head;
	unsigned int arb_count;
	struct gaudi_timer arb_wdt;
	struct gaudi_cp cp[GAUDI_NUM_CPS];
};

/* --- dma*.c --------------------------------------------------------------- */

#define GAUDI_DMA_DEPTH		4	/* descriptors a core holds */
#define GAUDI_DMA_DIMS		5

/* One side of a transfer: up to five dimensions, the first one in bytes. */
struct gaudi_dma_walk {
	uint64_t base;
	uint32_t size[GAUDI_DMA_DIMS];
	int32_t stride[GAUDI_DMA_DIMS];	/* bytes; [0] unused */
	uint8_t *ptr;		/* a buffer instead of device addresses */
	uint32_t index[GAUDI_DMA_DIMS];	/* position; [0]: byte in the row */
	bool done;
};

/* The registers of a transfer as they were when COMMIT was written. */
struct gaudi_dma_desc {
	uint32_t commit;
	struct gaudi_dma_walk src;
	struct gaudi_dma_walk dst;
	uint64_t size;			/* linear: bytes ... */
	uint64_t pos;			/* ... of which are done */
	uint64_t pattern;
	uint64_t comp_addr;
	uint32_t comp_data;
	struct gaudi_txn txn;
	uint16_t reduce;		/* GAUDI_REDUCE_*; 0: plain writes */
	uint16_t ctx;			/* context id, for whoever looks */
	uint32_t tile_rows;		/* transposition: rows of a tile ... */
	uint32_t tile_row;		/* ... and bytes of each */
	uint32_t error;			/* fails with this: ERR_CAUSE */
	uint8_t owner;			/* CP that committed it, 5: the host */
};

struct gaudi_dma {
	struct gaudi_actor actor;
	uint8_t id;
	uint32_t base;			/* CFG offset */
	struct gaudi_dma_desc desc[GAUDI_DMA_DEPTH];	/* a ring */
	unsigned int head;
	unsigned int count;
	uint8_t owner;			/* CP that writes just now, or 5 */
	bool working;			/* on the oldest descriptor, now */
	bool failed;			/* stopped by an error */
	uint32_t err_cause;
	uint32_t pending[GAUDI_NUM_CPS + 1];	/* descriptors by owner */
	struct gaudi_dma_tile *tile;	/* transposition under way */
	uint64_t in_flight;		/* bytes of the batch under way */
	/* requests of all times, for DBG_* */
	uint32_t ar_count;
	uint32_t aw_count;
	uint32_t lbw_aw_count;
	uint32_t desc_count;
};

/* --- tpc.c ---------------------------------------------------------------- */

struct gaudi_tpc_cache;
struct gaudi_tpc_unit;

struct gaudi_tpc {
	struct gaudi_actor actor;
	uint8_t id;
	uint32_t base;			/* CFG offset */
	bool running;			/* a kernel */
	bool queued;			/* another waits for the core */
	struct gaudi_tpc_unit *unit;	/* of tpc_core.c; NULL: not yet used */
};

/* --- mme.c: a pair of engines, a master and its slave ---------------------- */

#define GAUDI_NUM_MME_PAIRS	2

struct gaudi_mme {
	struct gaudi_actor actor;
	uint8_t id;			/* of the master: 0 or 2 */
	unsigned int head;		/* shadows: the one that is executed */
	unsigned int count;		/* in flight */
	bool begun;			/* the first one of them */
	bool drop;			/* all of them, at the next turn */
	/* counts when a descriptor may be meant to see what others wrote */
	uint64_t order;
	uint64_t shadow_order[4];	/* of each shadow, when it was filled */
	struct gaudi_mme_exec *exec;	/* NULL: never used since the reset */
};

/* --- sync.c --------------------------------------------------------------- */

#define GAUDI_SM_SOBS		2048
#define GAUDI_SM_GROUPS		(GAUDI_SM_SOBS / 8)
#define GAUDI_SM_MONS		512
#define GAUDI_SM_NONE		0xffff	/* end of a list */

struct gaudi_monitor {
	uint64_t addr;
	uint32_t data;
	uint32_t arm;
	uint16_t next, prev;		/* the armed ones of a group */
	bool armed;
	bool secure;			/* the rights of who armed it */
};

enum { GAUDI_SOB_OVERFLOW, GAUDI_SOB_DECREMENT };	/* in the report */

struct gaudi_sync_mngr {
	uint16_t sob[GAUDI_SM_SOBS];
	struct gaudi_monitor mon[GAUDI_SM_MONS];
	uint16_t first[GAUDI_SM_GROUPS];
	uint16_t last[GAUDI_SM_GROUPS];
};

/* 32-bit writes on their way: monitor payloads and error messages. */
#define GAUDI_POSTS		4096	/* power of two */

struct gaudi_post {
	uint64_t addr;
	uint32_t data;
	uint16_t axi_id;	/* a monitor's number, for its errors */
	struct gaudi_txn txn;
};

struct gaudi_posts {
	struct gaudi_actor actor;
	struct gaudi_post post[GAUDI_POSTS];
	uint32_t head;
	uint32_t count;
	uint32_t budget;	/* that may still be done on the spot */
	bool draining;
};

struct gaudi_engines {
	struct gaudi_sched sched;
	struct gaudi_posts posts;
	bool cq_waiting;	/* some CP waits for room in a CQ */
	uint8_t qman_row[GAUDI_QM_REGS];	/* register to row of a table */
	struct gaudi_qman qman[GAUDI_NUM_QMAN];
	struct gaudi_dma dma[GAUDI_NUM_DMA];
	struct gaudi_tpc tpc[GAUDI_NUM_TPC];
	struct gaudi_tpc_cache *tpc_cache;
	uint64_t **tpc_uses;		/* by slot and operation, in the report */
	struct gaudi_mme mme[GAUDI_NUM_MME_PAIRS];
	/* Around each reduction, which is one step for all engines. */
	struct gaudi_lock reduce_lock;
	struct gaudi_sync_mngr sync[GAUDI_NUM_SYNC_MNGR];
	uint64_t *sob_guesses[2];		/* in the report */
	uint64_t *packet_uses[32];	/* by opcode, in the report */
};

#endif /* GAUDI_ENGINES_STATE_H */
