/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* What tpc.c and tpc_core.c share: what is behind chip->tpcs. Lock held, all. */
#ifndef GAUDI_TPC_UNIT_H
#define GAUDI_TPC_UNIT_H

#include "tpc.h"
#include "exec/tpc_exec.h"
#include "../timing/timing.h"

struct gaudi_tpc_cache;
struct gaudi_tpc_unit;
struct gaudi_tpc_gdb;

struct gaudi_tpc {
	struct gaudi_actor actor;
	uint8_t id;
	uint32_t base;			/* CFG offset */
	bool running;			/* a kernel */
	bool queued;			/* another waits for the core */
	/* In a model of time: kernels; of this one what has come of global memory. */
	struct gaudi_jobs jobs;
	uint64_t hbm_ps;
	struct gaudi_tpc_unit *unit;	/* of tpc_core.c; NULL: none is needed yet */
	bool kept;			/* the core was used twice: it stays */
};

struct gaudi_tpcs {
	struct gaudi_tpc tpc[GAUDI_NUM_TPC];
	struct gaudi_tpc_cache *cache;
	uint64_t **uses;		/* by slot and operation, in the report */
	struct gaudi_tpc_gdb *gdb;	/* NULL: there is no debugger */
	unsigned int first_thread;	/* of the debugger's, TPC 0 */
};

/* Sets bits of INTR_CAUSE, and tells the CPU unless they are masked. */
void gaudi_tpc_interrupt(struct gaudi_chip *chip, struct gaudi_tpc *tpc,
			 uint32_t cause);
/* The core as an initiator on the bus. */
void gaudi_tpc_txn(struct gaudi_chip *chip, const struct gaudi_tpc *tpc,
		   bool write, struct gaudi_txn *txn);
/* tpc_core.c. The kernel area holds the descriptor. */
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
/* Of the kernel that runs: where it is, and how many words it has executed. */
void gaudi_tpc_core_where(const struct gaudi_tpc *tpc, uint64_t *pc,
			  uint64_t *words);
/* The core itself, which is made if it is not yet there; NULL: no memory. */
struct gaudi_tpc_core *gaudi_tpc_unit_core(struct gaudi_chip *chip,
					   struct gaudi_tpc *tpc);
/* NULL: it has not been used, or only for what left no trace. */
struct gaudi_tpc_core *gaudi_tpc_core_of(const struct gaudi_tpc *tpc);
void gaudi_tpc_core_free_all(struct gaudi_chip *chip);

/*
 * tpc_gdb.c; there is a debugger. A kernel has been launched, and is to have a turn:
 * false, it stands still, and its actor is kicked when it is to go on. Behind a true
 * comes ends(), and in between, without the card's lock, go(), as gaudi_tpc_execute().
 */
void gaudi_tpc_gdb_launched(struct gaudi_chip *chip, struct gaudi_tpc *tpc);
bool gaudi_tpc_gdb_begins(struct gaudi_chip *chip, struct gaudi_tpc *tpc);
enum gaudi_tpc_why gaudi_tpc_gdb_go(struct gaudi_chip *chip,
				    struct gaudi_tpc *tpc,
				    struct gaudi_tpc_core *core, uint64_t words);
void gaudi_tpc_gdb_ends(struct gaudi_chip *chip, struct gaudi_tpc *tpc);
/* Within a turn: it has stopped, and nothing has ended yet; it is to be ended. */
bool gaudi_tpc_gdb_stopped(struct gaudi_chip *chip, struct gaudi_tpc *tpc);
bool gaudi_tpc_gdb_killed(struct gaudi_chip *chip, struct gaudi_tpc *tpc);

#endif /* GAUDI_TPC_UNIT_H */
