/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * What every room of the card stands on: struct gaudi_chip, its lock, time,
 * threads, memory, and what the card says about itself.
 *
 *   lock.h        locks and their order; lock_check.c checks it in tests
 *   card_lock.c   the card's lock, and what is told when it is released
 *   timer.c       one-shot timers
 *   actors.h      actors, and the worker threads that run them (pool.c)
 *   memory.h      SRAM and HBM themselves: zeros, patterns, copies; what a reset
 *                 leaves is given back by a thread (reclaim.c)
 *   report.h      log lines, trace events, counts of what was used
 *   record.h      the flight recorder
 *   fault_site.h  where faults on demand may strike
 *
 * Each later room keeps its state behind a pointer in struct gaudi_chip, which no
 * other room follows. Documentation/architecture.rst says which room includes which.
 * A room calls a later one through a pointer that the later one has set here:
 * functions of actors and timers, fault hooks, calls, spi.
 *
 * Locking: chip->lock guards all control state (registers, queues, sync
 * objects, MMU, firmware). Bulk copying drops it. The host's msi, hbm_window,
 * timer and host_fault calls happen in gaudi_chip_unlock(), after the lock is
 * released.
 */
#ifndef GAUDI_CORE_H
#define GAUDI_CORE_H

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "../gaudi_chip.h"
#include "actors.h"
#include "fault_site.h"
#include "lock.h"
#include "memory.h"
#include "record.h"
#include "report.h"
#include "../../../uapi/hw/gaudi_bits.h"
#include "../../../uapi/hw/gaudi_map.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the card and its memory are little-endian, and so is the host"
#endif

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#endif

/*
 * Of a large variable in a path that is run often: QEMU is built with variables zeroed,
 * which would take longer than what is done with a few of its elements.
 */
#if defined(__has_attribute) && __has_attribute(uninitialized)
#define GAUDI_UNINITIALIZED	__attribute__((uninitialized))
#else
#define GAUDI_UNINITIALIZED
#endif

#define GAUDI_PAGE_SHIFT	12
#define GAUDI_PAGE_SIZE		(1u << GAUDI_PAGE_SHIFT)

#define GAUDI_NUM_MSI		32

/* The initiator of an access, and its rights. */
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

/* QMAN index: DMA0..7 = 0..7, MME0 = 8, MME2 = 9, NIC = 10..19, TPC = 20..27 */
enum {
	GAUDI_QMAN_DMA = 0,
	GAUDI_QMAN_MME0 = 8,
	GAUDI_QMAN_MME2 = 9,
	GAUDI_QMAN_NIC = 10,
	GAUDI_QMAN_TPC = 20,
};

struct gaudi_txn {
	enum gaudi_initiator initiator;
	uint8_t unit;
	bool secure;		/* AXI PROT: secure props apply */
	bool bypass;		/* MMU bypass (MMBP) */
	bool tpc_message;	/* for an SOB: its value has 16 bits, signed */
	uint16_t asid;
};

/* --- calls of the host, as who notes them sees them (journal/) ------------- */

/*
 * Each function of gaudi_chip.h that changes the state of a card with a journal tells it
 * when it begins, before it takes a lock, and when it ends, with none held. Functions
 * that call each other tell it, too: only the outermost counts.
 */
#define GAUDI_CALL_ARGS		4

/* Written to files: the numbers stay. */
enum gaudi_call {
	GAUDI_CALL_NEW,
	GAUDI_CALL_FREE,
	GAUDI_CALL_POWER_ON,
	GAUDI_CALL_HARD_RESET,
	GAUDI_CALL_PAUSE,
	GAUDI_CALL_RESUME,
	GAUDI_CALL_BAR_READ,		/* bar, offset, size */
	GAUDI_CALL_BAR_WRITE,		/* bar, offset, size, value */
	GAUDI_CALL_BAR_COPY,		/* bar, offset; data */
	GAUDI_CALL_ELBI_READ,		/* offset */
	GAUDI_CALL_ELBI_WRITE,		/* offset, value */
	GAUDI_CALL_TIMER,
	GAUDI_CALL_RUN,			/* turns */
	GAUDI_CALL_CONNECT,		/* port, the other card, its port */
	GAUDI_CALL_PLUG,		/* port, in */
	GAUDI_CALL_DISCONNECT,
	GAUDI_CALL_EVENT,		/* id; data: payload */
	GAUDI_CALL_INJECT,		/* data: the text */
	GAUDI_CALL_FAULTS_CLEAR,
	GAUDI_CALLS,
};

struct gaudi_calls {
	void (*begin)(struct gaudi_calls *calls, enum gaudi_call call,
		      const uint64_t arg[GAUDI_CALL_ARGS], const void *data,
		      size_t len);
	void (*end)(struct gaudi_calls *calls, uint64_t result);
};

/* With data. calls NULL: the card has no journal. */
static inline void gaudi_call_data(struct gaudi_calls *calls,
				   enum gaudi_call call, uint64_t a, uint64_t b,
				   const void *data, size_t len)
{
	const uint64_t arg[GAUDI_CALL_ARGS] = { a, b };

	if (calls)
		calls->begin(calls, call, arg, data, len);
}

static inline void gaudi_call_begin(struct gaudi_calls *calls,
				    enum gaudi_call call, uint64_t a,
				    uint64_t b, uint64_t c, uint64_t d)
{
	const uint64_t arg[GAUDI_CALL_ARGS] = { a, b, c, d };

	if (calls)
		calls->begin(calls, call, arg, NULL, 0);
}

static inline void gaudi_call_end(struct gaudi_calls *calls, uint64_t result)
{
	if (calls)
		calls->end(calls, result);
}

/* --- lock and time (card_lock.c, timer.c) --------------------------------- */

void gaudi_chip_lock_at(struct gaudi_chip *chip, const char *here);
#define gaudi_chip_lock(chip)	gaudi_chip_lock_at(chip, GAUDI_HERE)
/* Delivers pending MSIs and window moves after releasing the lock. */
void gaudi_chip_unlock(struct gaudi_chip *chip);
/*
 * Lock held. wanted(): does another thread wait for the lock? Loops end early
 * then. yield() gives the lock to that thread first, and tells the host what is
 * pending, as unlock() does. All state may have changed after it.
 */
bool gaudi_chip_wanted(struct gaudi_chip *chip);
void gaudi_chip_yield(struct gaudi_chip *chip);
/*
 * Lock held (dropped meanwhile). Another thread may be in a callback of the
 * host, with interrupts or a window of before: wait until it has returned.
 */
void gaudi_outbox_wait(struct gaudi_chip *chip);
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
void gaudi_timers_cancel(struct gaudi_chip *chip);

/* --- the card -------------------------------------------------------------- */

/* Callbacks of the host that are due when the lock is released. */
struct gaudi_outbox {
	uint32_t msi;				/* pending vectors */
	bool window;				/* the HBM window moved */
	bool timer;				/* the first deadline changed */
	uint32_t host_faults;			/* BIT(enum gaudi_host_fault) */
	uint32_t aer_status[3];			/* of GAUDI_HOST_AER_* */
	bool delivering;			/* some thread is at it ... */
	pthread_t deliverer;			/* ... this one */
};

/*
 * The clock of the model of time (timing/). A moment is in picoseconds; 0 is before all.
 * at_ps belongs to whoever holds the lock: run to the end of what it does, it is when that
 * happens. Who lets others do something in between puts it back.
 */
struct gaudi_clock {
	bool on;
	uint64_t at_ps;
	uint64_t told_ps;		/* the last interrupt, or message into its memory */
};

struct gaudi_chip {
	struct gaudi_lock lock;
	struct gaudi_lock wait_lock;		/* held while waiting for lock */
	atomic_uint waiters;			/* threads that found it taken */
	const struct gaudi_host_ops *ops;
	void *opaque;
	struct gaudi_pool *pool;		/* NULL: deterministic */
	struct gaudi_config config;		/* defaults filled in */
	struct gaudi_calls *calls;		/* NULL: it has no journal */
	char *serial;
	uint32_t profile_sum;			/* of config.profile, which is gone */
	struct gaudi_memory hbm;
	struct gaudi_memory sram;
	uint8_t *scratchpad;			/* PSOC, 64 KiB */
	uint8_t *pcie_sram;			/* PCIe firmware, 32 KiB */
	uint64_t hbm_window;			/* device address at BAR 4 */
	struct gaudi_outbox outbox;
	uint32_t traced;			/* kinds; see gaudi_host_ops */
	struct gaudi_timer *timers;		/* armed, earliest first */
	struct gaudi_actor reset_actor;
	bool reset_pending;
	bool paused;				/* the host stands still */
	uint64_t busy_ns;			/* engines' work, for sensors */
	uint32_t busy_ps;			/* ... and less than one */
	uint64_t host_read, host_written;	/* the bus's: bytes, atomic */
	struct gaudi_sched sched;
	struct gaudi_report report;
	struct gaudi_recorder recorder;
	struct gaudi_clock clock;
	struct gaudi_timing *timing;		/* the room's, NULL: no model of time */
	uint32_t fault_sites;			/* where something is armed */
	const struct gaudi_fault_hooks *fault_hooks;
	/* Called upwards: the interrupt input of the embedded CPU, soc's. */
	void (*spi)(struct gaudi_chip *chip, uint32_t spi);
	/* The rooms': each makes its own, and no other looks into it. */
	struct gaudi_regs *regs;
	struct gaudi_bus *bus;
	struct gaudi_queues *queues;
	struct gaudi_sync *sync;
	struct gaudi_dmas *dmas;
	struct gaudi_mmes *mmes;
	struct gaudi_tpcs *tpcs;
	struct gaudi_nics *nics;
	uint32_t wired_ports;	/* NIC ports that something is plugged into */
	uint8_t port_mac[GAUDI_NUM_NIC_ENGINE][6];	/* all 0: the board's */
	struct gaudi_soc *soc;
	struct gaudi_faults *faults;
};

/* Lock held. An interrupt of the embedded CPU, by its number at the GIC. */
static inline void gaudi_cpu_spi(struct gaudi_chip *chip, uint32_t spi)
{
	chip->spi(chip, spi);
}

/* Lock held. What happens now does not happen before this moment. */
static inline void gaudi_not_before(struct gaudi_chip *chip, uint64_t ps)
{
	if (chip->clock.at_ps < ps)
		chip->clock.at_ps = ps;
}

/* Lock held. The host is told what is the case now. */
static inline void gaudi_clock_tell(struct gaudi_chip *chip)
{
	if (chip->clock.told_ps < chip->clock.at_ps)
		chip->clock.told_ps = chip->clock.at_ps;
}

/*
 * Lock held, and the clock is on: a queue, QMAN * 8 + stream, is about to write into the
 * host's memory, where hosts look whether a job has ended.
 */
void gaudi_clock_message(struct gaudi_chip *chip, unsigned int queue,
			 uint32_t value, bool privileged);

/* Lock held: the host is about to do something. When that is, it says itself. */
void gaudi_clock_host(struct gaudi_chip *chip);

/* Lock held. What belongs to no moment of its own comes when the host was told last. */
static inline uint64_t gaudi_clock_ticks(const struct gaudi_chip *chip)
{
	const struct gaudi_clock *clock = &chip->clock;

	if (!clock->on)
		return gaudi_ticks();
	return (clock->at_ps ? clock->at_ps : clock->told_ps) / 1000;
}

/* Lock held. Into the record, and to a host that listens to this kind. */
static inline void gaudi_trace(struct gaudi_chip *chip,
			       enum gaudi_trace_kind kind, unsigned int unit,
			       uint64_t addr, uint64_t value, uint64_t size)
{
	gaudi_record(&chip->recorder, gaudi_clock_ticks(chip), kind, unit, addr,
		     value, size);
	if (chip->traced & 1u << kind)
		gaudi_trace_event(chip, kind, unit, addr, value, size);
}

#endif /* GAUDI_CORE_H */
