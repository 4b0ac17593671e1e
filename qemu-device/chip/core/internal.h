/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of the card share.
 *
 *   chip.c    life cycle, BAR and ELBI access, lock, timers, reset
 *   regs.c    the instance table: which block answers at which CFG offset
 *   bus.c     device addresses: HBM, SRAM, CFG, host; spans for bulk copies
 *   memory.c  SRAM and HBM themselves; zeros and patterns in bulk
 *   mmu.c     page walks, TLB, invalidation, faults
 *   protect.c who may reach what: ranges, protection bits, RAZWI
 *   psoc.c    boot scratchpads, reset, timestamp, PLLs
 *   pcie.c    ELBI, iATU, MSI request registers
 *   coresight.c trace buffers, always empty
 *   cpu.c     CPU_IF and GIC: the embedded CPU's side, runs firmware-stub
 *   lock.h    locks and their order; lock_check.c checks it in tests
 *   pool.c    worker threads and actors
 *   qman*.c   queues: PQ, CQ, fences, registers, status, errors (qman.h)
 *   arb.c     the arbiter between the streams of a queue
 *   cp.c      command processors: packet execution
 *   dma.c dma_copy.c dma_tile.c   DMA cores (dma.h)
 *   reduce.c  arithmetic of writes that reduce
 *   sync.c    sync objects and monitors
 *   tpc.c     tensor cores: launch, status, errors; tpc_core.c executes
 *   tpc_exec*.c and other tpc_*.c   the interpreter (tpc_exec.h, tpc_uop.h),
 *             its arithmetic (tpc_alu*.[ch]) and memory, without a card
 *   mme*.c    matrix engines (mme_exec.h)
 *   nic.c     status of the ports
 *   report.c  logging, counting and the fidelity report
 *   fault*.c  faults on demand, see fault.h
 *
 * Locking (lock.h): chip->lock guards all control state (registers, queues, sync
 * objects, MMU, firmware). Bulk copying drops it. The host's msi and
 * hbm_window calls happen in gaudi_chip_unlock(), after the lock is released.
 */
#ifndef GAUDI_CHIP_INTERNAL_H
#define GAUDI_CHIP_INTERNAL_H

#include <errno.h>
#include <string.h>

#include "../gaudi_chip.h"
#include "../fault/fault.h"
#include "lock.h"
#include "../../../uapi/hw/gaudi_map.h"
#include "../../../uapi/hw/gaudi_packets.h"
#include "../../../uapi/hw/gaudi_fw_if.h"

/* Who makes an access, and with which rights. */
enum gaudi_initiator {
	GAUDI_INIT_PCI,		/* the host, through a BAR or ELBI */
	GAUDI_INIT_CPU,		/* the embedded CPU */
	GAUDI_INIT_QMAN,	/* unit: QMAN index */
	GAUDI_INIT_DMA,		/* unit: DMA core */
	GAUDI_INIT_TPC,
	GAUDI_INIT_MME,
	GAUDI_INIT_NIC,
	GAUDI_INIT_SYNC,	/* monitor payload; unit: sync manager */
};

struct gaudi_cp;
struct gaudi_qman;
struct gaudi_tpc;

struct gaudi_txn {
	enum gaudi_initiator initiator;
	uint8_t unit;
	bool secure;		/* AXI PROT: secure props apply */
	bool bypass;		/* MMU bypass (MMBP) */
	bool tpc_message;	/* for an SOB: its value has 16 bits, signed */
	uint16_t asid;
};

/* --- pool.c ------------------------------------------------------------- */

/* A run-to-block state machine. run() is called with chip->lock held. */
struct gaudi_actor {
	const char *name;
	/*
	 * Returns true to be run again. May drop the lock by gaudi_bulk_begin()
	 * unless the actor is light.
	 */
	bool (*run)(struct gaudi_chip *chip, struct gaudi_actor *actor);
	unsigned int id;	/* bit in the card's set of ready actors */
	bool light;		/* short: may run in the guest's thread */
	bool running;
	bool again;		/* kicked while it ran */
	pthread_t thread;	/* that runs it */
};

#define GAUDI_MAX_ACTORS	256

/* Before the card is used; one too many is counted, and there is no card. */
void gaudi_actor_init(struct gaudi_chip *chip, struct gaudi_actor *actor,
		      const char *name, bool light,
		      bool (*run)(struct gaudi_chip *, struct gaudi_actor *));
/* Lock held. Marks ready; wakes a worker only if one sleeps. */
void gaudi_actor_kick(struct gaudi_chip *chip, struct gaudi_actor *actor);
/*
 * Lock held (dropped meanwhile): no actor runs any more when it returns, and
 * none starts before gaudi_actors_resume(). The hard reset calls it from an
 * actor of its own, which does not wait for itself.
 */
void gaudi_actors_quiesce(struct gaudi_chip *chip);
void gaudi_actors_resume(struct gaudi_chip *chip);
/* Lock held, dropped while waiting until an actor, or what tell() tells, ends. */
void gaudi_actors_wait(struct gaudi_chip *chip);
void gaudi_actors_tell(struct gaudi_chip *chip);
/*
 * Lock held. Around an access of the host: what it makes ready is run at the
 * end, in the host's thread if it is short, so that a small job needs no other
 * thread to wake up.
 */
void gaudi_actors_begin(struct gaudi_chip *chip);
void gaudi_actors_end(struct gaudi_chip *chip);
/*
 * From run() of an actor that is not light: copy or compute between these two
 * without the lock. Nothing is delivered to the host.
 */
void gaudi_bulk_begin(struct gaudi_chip *chip);
void gaudi_bulk_end_at(struct gaudi_chip *chip, const char *here);
#define gaudi_bulk_end(chip)	gaudi_bulk_end_at(chip, GAUDI_HERE)
/* Lock held. The actor that runs copied so much: others' turn comes sooner. */
void gaudi_work_done(struct gaudi_chip *chip, uint64_t bytes);
/* The host's own time. A deterministic card decides nothing by it. */
uint64_t gaudi_real_ns(void);
/*
 * Lock held, both. An engine is busy, for sensors: for as long as the host needs,
 * which is what its guest sees. A deterministic card must not depend on that: it
 * takes what the engine itself would need.
 */
uint64_t gaudi_busy_begin(struct gaudi_chip *chip);
void gaudi_busy_end(struct gaudi_chip *chip, uint64_t begin, uint64_t own_ps);
/* Join and leave chip->pool. Before all actors; after all stopped. */
void gaudi_sched_init(struct gaudi_chip *chip);
void gaudi_sched_fini(struct gaudi_chip *chip);

/* --- chip.c ------------------------------------------------------------- */

void gaudi_chip_lock_at(struct gaudi_chip *chip, const char *here);
#define gaudi_chip_lock(chip)	gaudi_chip_lock_at(chip, GAUDI_HERE)
/* Delivers pending MSIs and window moves after releasing the lock. */
void gaudi_chip_unlock(struct gaudi_chip *chip);
/*
 * Lock held. Does somebody wait for the lock? Then loops end early, and
 * yield() lets him have it first; it also delivers, as unlock() does. All other
 * state may have changed after it.
 */
bool gaudi_chip_wanted(struct gaudi_chip *chip);
void gaudi_chip_yield(struct gaudi_chip *chip);
/* Lock held. Delivered by the next unlock. */
void gaudi_msi_pend(struct gaudi_chip *chip, unsigned int vector);
uint64_t gaudi_now_ns(struct gaudi_chip *chip);
/* Lock held. Resets everything but PCI state; asynchronous to the caller. */
void gaudi_hard_reset_pend(struct gaudi_chip *chip, const char *why);

/* One-shot timers, lock held; fn runs with the lock held. */
struct gaudi_timer {
	uint64_t deadline_ns;
	void (*fn)(struct gaudi_chip *chip, void *arg);
	void *arg;
	bool armed;
	struct gaudi_timer *next;
};
void gaudi_timer_arm(struct gaudi_chip *chip, struct gaudi_timer *timer,
		     uint64_t delay_ns);
void gaudi_timer_cancel(struct gaudi_chip *chip, struct gaudi_timer *timer);

/* --- regs.c ------------------------------------------------------------- */

/*
 * A register block prototype. read and write see offsets from the instance
 * base, whole dwords, lock held; NULL means plain storage. A handler that does
 * not know the register calls gaudi_store_read()/gaudi_store_write().
 */
struct gaudi_block_ops {
	const char *name;
	/*
	 * Writes what the storage holds after power-on, once in a card's life;
	 * every reset copies that back.
	 */
	void (*values)(struct gaudi_chip *chip, unsigned int inst);
	/* The rest of a reset: what is not in the storage. */
	void (*reset)(struct gaudi_chip *chip, unsigned int inst);
	uint32_t (*read)(struct gaudi_chip *chip, unsigned int inst,
			 uint32_t off);
	/* 0, -EPERM, or -EINVAL; an error is answered as the bus would */
	int (*write)(struct gaudi_chip *chip, unsigned int inst, uint32_t off,
		     uint32_t value, const struct gaudi_txn *txn);
	/* Do ones clear bits of this register, and zeros nothing? NULL: none */
	bool (*w1c)(uint32_t off);
	/* Published name of the register, NULL if there is none. */
	const char *(*reg_name)(uint32_t off, char *buf, size_t len);
};

extern const struct gaudi_block_ops gaudi_qman_ops, gaudi_dma_core_ops,
	gaudi_sync_mngr_ops, gaudi_tpc_cfg_ops, gaudi_mme_ctrl_ops,
	gaudi_mme_acc_ops, gaudi_mme_sbab_ops,
	gaudi_stlb_ops, gaudi_mmu_up_ops, gaudi_psoc_global_conf_ops,
	gaudi_psoc_timestamp_ops, gaudi_pll_ops, gaudi_cpu_if_ops,
	gaudi_gic_ops, gaudi_pcie_wrap_ops, gaudi_pcie_dbi_ops,
	gaudi_pcie_core_ops, gaudi_pcie_aux_ops, gaudi_pcie_msi_ops;

/* Lock held. cfg_off: offset from GAUDI_CFG_BASE, dword aligned. */
uint32_t gaudi_reg_read(struct gaudi_chip *chip, uint32_t cfg_off,
			const struct gaudi_txn *txn);
int gaudi_reg_write(struct gaudi_chip *chip, uint32_t cfg_off, uint32_t value,
		    const struct gaudi_txn *txn);
/*
 * A write of less than a register: bits outside mask keep their value, whether
 * the register stores what is written or clears what is written as one.
 */
int gaudi_reg_write_part(struct gaudi_chip *chip, uint32_t cfg_off,
			 uint32_t value, uint32_t mask,
			 const struct gaudi_txn *txn);
/* Plain storage behind every register, no side effects. */
uint32_t gaudi_store_read(struct gaudi_chip *chip, uint32_t cfg_off);
void gaudi_store_write(struct gaudi_chip *chip, uint32_t cfg_off,
		       uint32_t value);
/* The same for registers that follow each other. */
void gaudi_store_read_run(struct gaudi_chip *chip, uint32_t cfg_off,
			  uint32_t *values, unsigned int count);
void gaudi_store_write_run(struct gaudi_chip *chip, uint32_t cfg_off,
			   const uint32_t *values, unsigned int count);
/* "DMA0_QM_GLBL_CFG0" or "NIC0_QM1+0x7fc"; for logs. */
const char *gaudi_reg_name(uint32_t cfg_off, char *buf, size_t len);

/* --- bus.c, mmu.c ------------------------------------------------------- */

/*
 * All take device addresses, lock held; 0 or -EFAULT. A refused access fills
 * the MMU's or range registers' capture and sends the event, as hardware does.
 */
int gaudi_bus_read(struct gaudi_chip *chip, const struct gaudi_txn *txn,
		   uint64_t addr, void *buf, size_t len);
int gaudi_bus_write(struct gaudi_chip *chip, const struct gaudi_txn *txn,
		    uint64_t addr, const void *buf, size_t len);
int gaudi_bus_write32(struct gaudi_chip *chip, const struct gaudi_txn *txn,
		      uint64_t addr, uint32_t value);

/*
 * How many of these bytes, from the first one on, are where something answers and
 * may be used. Nothing is captured; the access itself may still fail.
 */
size_t gaudi_bus_there(struct gaudi_chip *chip, const struct gaudi_txn *txn,
		       uint64_t addr, size_t len, bool write);

/* Direct memory for bulk work; ptr stays valid while the lock is dropped. */
struct gaudi_span {
	uint8_t *ptr;
	size_t len;
	bool host;		/* give back through ops->dma_unmap */
	bool write;
};
/*
 * *len in: wanted, out: contiguous. -EFAULT: fault (reported), -ENXIO: not
 * memory (registers, or host MMIO), use gaudi_bus_read/write.
 */
int gaudi_bus_map(struct gaudi_chip *chip, const struct gaudi_txn *txn,
		  uint64_t addr, size_t len, bool write,
		  struct gaudi_span *span);
/* Lock held or not. */
void gaudi_bus_unmap(struct gaudi_chip *chip, struct gaudi_span *span,
		     size_t accessed);
/* --- memory.c ------------------------------------------------------------ */

struct gaudi_memory;

/* All zeros, and no memory of the host; name and advice stay. 0 or -errno. */
int gaudi_memory_init(struct gaudi_memory *mem, const char *name,
		      uint64_t size, const int *advice);
void gaudi_memory_fini(struct gaudi_memory *mem);
/*
 * Back to zeros; a thread gives the host its pages back. 0 or -errno: it keeps
 * its contents. Nobody but the guest uses it. The card's lock is not held, as it
 * waits when earlier resets have left more than the memory's size.
 */
int gaudi_memory_reset(struct gaudi_memory *mem);
/*
 * The file, which shows all that the memory holds from now on, or -errno. Nobody
 * uses the memory meanwhile.
 */
int gaudi_memory_file(struct gaudi_memory *mem);
/*
 * Fill len bytes of a span with a pattern of eight bytes, of which phase have
 * gone before. Large parts of HBM and SRAM that become zero are given back to
 * the host; where HBM gets a pattern, whole chunks share their pages. Lock held
 * or not.
 */
void gaudi_bus_fill(struct gaudi_chip *chip, struct gaudi_span *span,
		    uint64_t pattern, uint32_t phase, size_t len);
/*
 * How many of the first len bytes of a span are filled in one way: cheaply, by
 * sharing or giving back, or by writing each.
 */
size_t gaudi_fill_step(struct gaudi_chip *chip, const struct gaudi_span *span,
		       uint64_t pattern, size_t len, bool *cheap);
/*
 * As memmove(). What is a hole in HBM or SRAM stays one, for pieces of 16 KiB or
 * more. Lock held or not.
 */
void gaudi_bus_copy(struct gaudi_chip *chip, struct gaudi_span *dst,
		    const struct gaudi_span *src, size_t len);
/* The pattern, written, to any memory. */
void gaudi_fill_words(uint8_t *dst, uint64_t pattern, uint32_t phase,
		      size_t len);

/* --- reclaim.c ------------------------------------------------------------ */

struct gaudi_reclaim;

/* Gives back mappings and files in a thread; NULL: no memory. */
struct gaudi_reclaim *gaudi_reclaim_new(uint64_t limit);
/* The owner goes; what it has added is still given back. NULL is fine. */
void gaudi_reclaim_put(struct gaudi_reclaim *r);
/* Takes a mapping, if size is not 0, and a file that hold about so many bytes. */
void gaudi_reclaim_add(struct gaudi_reclaim *r, void *ptr, size_t size, int fd,
		       uint64_t bytes);
/*
 * Until no more than the limit is to be given back with so many bytes more, and few
 * pieces. A thread that gives back must need none of the caller's locks.
 */
void gaudi_reclaim_wait(struct gaudi_reclaim *r, uint64_t bytes);

/* --- engines ------------------------------------------------------------ */

void gaudi_engines_init(struct gaudi_chip *chip);	/* actors, once */
void gaudi_engines_fini(struct gaudi_chip *chip);

void gaudi_qman_init(struct gaudi_chip *chip);
void gaudi_cp_init(struct gaudi_cp *cp);
void gaudi_arb_init(struct gaudi_qman *qm);
void gaudi_dma_init(struct gaudi_chip *chip);
void gaudi_dma_fini(struct gaudi_chip *chip);
void gaudi_sync_init(struct gaudi_chip *chip);
void gaudi_tpc_init(struct gaudi_chip *chip);
void gaudi_tpc_fini(struct gaudi_chip *chip);
void gaudi_mme_init(struct gaudi_chip *chip);
void gaudi_mme_fini(struct gaudi_chip *chip);

/* qman*.c: lock held, all. An increment of fence counter f of CP n. */
void gaudi_qman_fence_inc(struct gaudi_chip *chip, unsigned int qman,
			  unsigned int f, unsigned int n, uint32_t inc);
/* The engine behind a QMAN finished something: its CPs look again. */
void gaudi_qman_engine_event(struct gaudi_chip *chip, unsigned int qman);
/* All its units stop, as by GLBL_CFG1. */
void gaudi_qman_stop(struct gaudi_chip *chip, unsigned int qman);
/* Sets bits of GLBL_STS1; tells the CPU and stops the unit as configured. */
void gaudi_qman_error(struct gaudi_chip *chip, struct gaudi_cp *cp,
		      uint32_t bits);
/* The message by which a QMAN tells the CPU that it has an error. */
void gaudi_qman_send_error(struct gaudi_chip *chip, struct gaudi_qman *qm);
/* Who CP n is on the bus; secure selects the properties that apply. */
void gaudi_qman_txn(const struct gaudi_qman *qm, unsigned int n, bool secure,
		    struct gaudi_txn *txn);
bool gaudi_qman_cp_secure(const struct gaudi_qman *qm, unsigned int n);
/* Reads packets with the rights of the CQ fetcher. 0 or -EFAULT. */
int gaudi_qman_fetch(struct gaudi_chip *chip, struct gaudi_cp *cp,
		     uint64_t addr, void *buf, uint32_t len);
/* The current command buffer ends here, executed or dropped. */
void gaudi_qman_buffer_done(struct gaudi_chip *chip, struct gaudi_cp *cp);

/*
 * arb.c: the arbiter between the streams of a QMAN. Lock held. request: true,
 * or false: the actor is kicked when it is its turn, which is not decided before
 * a quiet period is over. Release begins one, too, so that a stream that has
 * more to do is among those who are chosen from.
 */
bool gaudi_arb_request(struct gaudi_chip *chip, struct gaudi_qman *qm,
		       unsigned int n, uint8_t prio);
void gaudi_arb_release(struct gaudi_chip *chip, struct gaudi_qman *qm,
		       unsigned int n);
/* A turn of CP n ends, after so many packets; more: it can go on. */
void gaudi_arb_turn(struct gaudi_chip *chip, struct gaudi_qman *qm,
		    unsigned int n, bool more, unsigned int packets);
uint32_t gaudi_arb_read(struct gaudi_chip *chip, unsigned int inst,
			uint32_t off);
void gaudi_arb_write(struct gaudi_chip *chip, unsigned int inst, uint32_t off,
		     uint32_t value);
void gaudi_arb_reset(struct gaudi_chip *chip, unsigned int inst);

/* cp.c: executes packets of the current command buffer. Lock held. */
enum gaudi_cp_result {
	GAUDI_CP_DONE,		/* one packet, or the buffer, is done */
	GAUDI_CP_BLOCKED,	/* cp->wait says on what */
	GAUDI_CP_JUMPED,	/* within cp.c: the next packet is elsewhere */
};
enum gaudi_cp_result gaudi_cp_step(struct gaudi_chip *chip,
				   struct gaudi_qman *qm, struct gaudi_cp *cp,
				   unsigned int *budget);
/* May the queue's next packet reach the engine, and has it finished? */
bool gaudi_engine_has_room(struct gaudi_chip *chip, unsigned int qman);
bool gaudi_engine_is_idle(struct gaudi_chip *chip, unsigned int qman,
			  unsigned int n);

/* sync.c: a 32-bit write that is done soon, in order, without recursion. */
void gaudi_post_write(struct gaudi_chip *chip, const struct gaudi_txn *txn,
		      uint64_t addr, uint32_t value);
/*
 * An access of the host, or an actor, begins: so many more writes may be done
 * on the spot. What it causes beyond that is left to an actor of its own, else
 * one DMA over sync objects would hold the lock for seconds.
 */
void gaudi_posts_refill(struct gaudi_chip *chip);
/* Too many are under way: whoever makes more is to wait. */
bool gaudi_posts_full(struct gaudi_chip *chip);

/*
 * reduce.c: user bits 21:13 of a write by an engine. Source: the published
 * layout of the MME descriptor; DMA_CORE_WR_AWUSER_31_11 is the same.
 */
#define GAUDI_REDUCE_EN		BIT(0)
#define GAUDI_REDUCE_TYPE	GENMASK(3, 1)
#define GAUDI_REDUCE_OP		GENMASK(6, 5)
#define GAUDI_REDUCE_ROUND	GENMASK(8, 7)
/* Bytes of an element; 0: the type is not published. */
unsigned int gaudi_reduce_size(uint32_t field);
/*
 * dst = dst op src, for whole elements; one step as seen by other engines.
 * Any thread, lock held or not.
 */
void gaudi_reduce(struct gaudi_chip *chip, uint32_t field, void *dst,
		  const void *src, size_t len);

/*
 * Around arithmetic on memory that is one step as seen by all engines. Any
 * thread, lock held or not; a leaf: nothing else is called in between.
 */
void gaudi_reduce_begin(struct gaudi_chip *chip);
void gaudi_reduce_end(struct gaudi_chip *chip);

/*
 * nic.c: a queue's write to its port at offset off: the doorbell of its send
 * queues. 0 or -EINVAL.
 */
int gaudi_nic_write(struct gaudi_chip *chip, unsigned int port, uint32_t off,
		    uint32_t value);

/*
 * tpc.c: lock held, all. May the queue launch one more kernel on core n; does
 * the core run none?
 */
bool gaudi_tpc_has_room(struct gaudi_chip *chip, unsigned int n);
bool gaudi_tpc_is_idle(struct gaudi_chip *chip, unsigned int n);
/* Sets bits of INTR_CAUSE, and tells the CPU unless they are masked. */
void gaudi_tpc_interrupt(struct gaudi_chip *chip, struct gaudi_tpc *tpc,
			 uint32_t cause);
/* Who the core is on the bus. */
void gaudi_tpc_txn(struct gaudi_chip *chip, const struct gaudi_tpc *tpc,
		   bool write, struct gaudi_txn *txn);
/* tpc_core.c: lock held. The kernel area holds the descriptor. */
enum gaudi_tpc_result {
	GAUDI_TPC_GOES_ON,	/* in another turn */
	GAUDI_TPC_HALTED,
	GAUDI_TPC_FAILED,	/* told by gaudi_tpc_interrupt() */
};
void gaudi_tpc_core_start(struct gaudi_chip *chip, struct gaudi_tpc *tpc);
/* Its local memories and random registers as after a reset. */
void gaudi_tpc_core_reset_unit(struct gaudi_tpc *tpc);
enum gaudi_tpc_result gaudi_tpc_core_run(struct gaudi_chip *chip,
					 struct gaudi_tpc *tpc);

/*
 * mme.c: lock held. May the queue start one more descriptor on pair n; has the
 * pair finished all?
 */
/* A queue of pair n waited, or may have: later descriptors read anew. */
void gaudi_mme_order(struct gaudi_chip *chip, unsigned int n);
bool gaudi_mme_has_room(struct gaudi_chip *chip, unsigned int n);
bool gaudi_mme_is_idle(struct gaudi_chip *chip, unsigned int n);

/* --- cpu.c: what the card tells its embedded CPU ------------------------- */

/* Lock held. An engine's error message, or the driver's doorbell. */
void gaudi_cpu_spi(struct gaudi_chip *chip, uint32_t spi);
/* Lock held. 0, -EAGAIN, -ENOSPC as gaudi_chip_post_event(). */
int gaudi_cpu_post_event(struct gaudi_chip *chip, unsigned int event_id,
			 const uint64_t *payload, unsigned int words);

/* --- report.c ------------------------------------------------------------ */

enum gaudi_fidelity { GAUDI_EXACT, GAUDI_APPROXIMATE, GAUDI_UNIMPLEMENTED };

/* Lock held. Counts; logs the first use of something unimplemented. */
void gaudi_report_use(struct gaudi_chip *chip, const char *kind,
		      const char *name, enum gaudi_fidelity fidelity);
/* As a use, but the caller counts: for what happens too often to look up. */
uint64_t *gaudi_report_counter(struct gaudi_chip *chip, const char *kind,
			       const char *name, enum gaudi_fidelity fidelity);
void gaudi_log(struct gaudi_chip *chip, enum gaudi_log_level level,
	       const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* For gaudi_trace(), below. */
void gaudi_trace_event(struct gaudi_chip *chip, enum gaudi_trace_kind kind,
		       unsigned int unit, uint64_t addr, uint64_t value,
		       uint64_t size);

/* QMAN index: DMA0..7 = 0..7, MME0 = 8, MME2 = 9, NIC = 10..19, TPC = 20..27 */
enum {
	GAUDI_QMAN_DMA = 0,
	GAUDI_QMAN_MME0 = 8,
	GAUDI_QMAN_MME2 = 9,
	GAUDI_QMAN_NIC = 10,
	GAUDI_QMAN_TPC = 20,
};

#include "state.h"	/* struct gaudi_chip and the blocks' state */

/* Lock held. Costs a look at a word when nobody listens. */
static inline void gaudi_trace(struct gaudi_chip *chip,
			       enum gaudi_trace_kind kind, unsigned int unit,
			       uint64_t addr, uint64_t value, uint64_t size)
{
	if (chip->traced & 1u << kind)
		gaudi_trace_event(chip, kind, unit, addr, value, size);
}

#endif /* GAUDI_CHIP_INTERNAL_H */
