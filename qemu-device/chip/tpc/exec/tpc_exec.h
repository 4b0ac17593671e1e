/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * A tensor processor core that executes kernels: registers, local memories and
 * instructions of a TPC of Gaudi 1. The card runs eight of them; a command-line
 * tool, a test or a fuzzer needs no card, only the few functions below that
 * reach memory.
 *
 *	core = gaudi_tpc_core_new(&host, opaque, cache);
 *	gaudi_tpc_launch(core, &launch);
 *	while (gaudi_tpc_execute(core, 10000) == GAUDI_TPC_BUDGET)
 *		;
 *	if (core->stop.why != GAUDI_TPC_HALT)
 *		gaudi_tpc_stop_text(core, line, sizeof(line));
 *	gaudi_tpc_core_free(core);
 *
 * A core has no lock: it belongs to one thread at a time. A cache of decoded
 * code has one, a leaf, since cores in several threads may share it.
 */
#ifndef GAUDI_TPC_EXEC_H
#define GAUDI_TPC_EXEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../ops/tpc_state.h"

/*
 * Decoded code, found again by its content. bytes: a bound of what it takes.
 * NULL: no memory. Free it after all its cores.
 */
struct gaudi_tpc_cache *gaudi_tpc_cache_new(size_t bytes);
void gaudi_tpc_cache_free(struct gaudi_tpc_cache *cache);
/* For tests: pages that were found, and that had to be decoded. */
void gaudi_tpc_cache_stats(struct gaudi_tpc_cache *cache, uint64_t *hits,
			   uint64_t *misses);

/* host is not copied. cache may not be NULL. NULL: no memory. */
struct gaudi_tpc_core *gaudi_tpc_core_new(const struct gaudi_tpc_host *host,
					  void *opaque,
					  struct gaudi_tpc_cache *cache);
void gaudi_tpc_core_free(struct gaudi_tpc_core *core);

/*
 * Begin a kernel. Registers are zero but for those that the descriptor sets;
 * local memories, LFSRs and the semaphore keep what they have.
 */
void gaudi_tpc_launch(struct gaudi_tpc_core *core,
		      const struct gaudi_tpc_launch *launch);
/*
 * Right after a launch: registers that it has not set and the local memories
 * become random, the same for the same seed. What is left: LFSRs, semaphore.
 */
void gaudi_tpc_poison(struct gaudi_tpc_core *core, uint64_t seed);
/*
 * Go on for at most so many words. GAUDI_TPC_BUDGET: there is more to do; else
 * the kernel has ended, and core->stop says how and where. At a breakpoint it
 * has not, and one more call goes past it.
 */
enum gaudi_tpc_why gaudi_tpc_execute(struct gaudi_tpc_core *core,
				     uint64_t words);
/*
 * What is in the core, and its launch, are of a kernel that was under way in another one:
 * it can go on. Bounds of what it has are the caller's business.
 */
void gaudi_tpc_take_up(struct gaudi_tpc_core *core);
/* Local memories to zero, LFSRs and semaphore to what they are after a reset. */
void gaudi_tpc_core_reset(struct gaudi_tpc_core *core);
/*
 * Between launches: would a kernel find the same in a new core? The semaphore, which
 * is the caller's then, does not count.
 */
bool gaudi_tpc_core_is_new(const struct gaudi_tpc_core *core);

/* Stop before these words (device addresses). Not copied; NULL, 0: none. */
void gaudi_tpc_breakpoints(struct gaudi_tpc_core *core, const uint64_t *pcs,
			   size_t count);
/*
 * Look for what compiled code never does: reads of registers before they are
 * written by the pipeline, pairs of instructions that exclude each other.
 * 0 or -ENOMEM. Costs time.
 */
int gaudi_tpc_check_hazards(struct gaudi_tpc_core *core, bool on);
/* The kernel has ended by a hazard: it goes on with that word. False: it has not. */
bool gaudi_tpc_waive_hazard(struct gaudi_tpc_core *core);
/*
 * The kernel goes on at this word instead, as by a jump, but with what was to happen
 * behind the delay slot of a loop undone. 0; -EINVAL: it is no word of 32 bits of
 * program counter, or the kernel has ended.
 */
int gaudi_tpc_move(struct gaudi_tpc_core *core, uint64_t pc);

/* "illegal instruction at 0x...: ..." */
void gaudi_tpc_stop_text(const struct gaudi_tpc_core *core, char *buf,
			 size_t len);

/*
 * Which arithmetic: "avx512", "avx2" or "portable"; all give the same bits. The
 * best that the host has is the default. 0, or -EINVAL: the host has it not.
 */
int gaudi_tpc_use_alu(struct gaudi_tpc_core *core, const char *name);

#endif /* GAUDI_TPC_EXEC_H */
