/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libgaudi-chip.so.0: one TPC beside memory of the caller's, that executes
 * kernels without a card. For programs in any language, gaudi-tpc-run for one:
 * all of it is numbers, pointers, and text.
 *
 *	run = gaudi_run_new();
 *	gaudi_run_memory(run, 0x2000000000, code, code_bytes, false);
 *	gaudi_run_memory(run, 0x2000100000, array, array_bytes, true);
 *	gaudi_run_kernel(run, 0x2000000000, scalars, 2, false);
 *	gaudi_run_tensor(run, 0, 0x2000100000, 7, 0, sizes);
 *	gaudi_run_launch(run, from, index_space);
 *	why = gaudi_run_execute(run, UINT64_MAX, NULL, 0);
 *	gaudi_run_free(run);
 *
 * Nothing here locks: a run belongs to one thread at a time. Functions are only
 * ever added: what a program uses today stays as it is while the library is
 * called .so.0.
 */
#ifndef GAUDI_RUN_H
#define GAUDI_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>


struct gaudi_run;

/* NULL: no memory. */
struct gaudi_run *gaudi_run_new(void);
void gaudi_run_free(struct gaudi_run *run);

/*
 * bytes are at device address addr, and stay the caller's; the kernel writes
 * into them if it may. What an access hits first was given first. 0, or -ENOMEM.
 */
int gaudi_run_memory(struct gaudi_run *run, uint64_t addr, void *bytes,
		     size_t size, bool write);

#define GAUDI_RUN_READ		1
#define GAUDI_RUN_WRITTEN	2
/*
 * From the next launch on, what kernels do to the memory that was given at addr is or-ed into
 * marks, one for each byte, which stay the caller's. It makes kernels slow. -ENOENT: nothing
 * was given there.
 */
int gaudi_run_marks(struct gaudi_run *run, uint64_t addr, uint8_t *marks);

/* What the next launch takes; count: at most 32, for S0 and on. */
void gaudi_run_kernel(struct gaudi_run *run, uint64_t addr,
		      const uint32_t *scalars, unsigned int count,
		      bool small_vlm);
/*
 * Tensor n, 0 to 15, dense; sizes with dimension 0 first. type: 0 to 7 for i8
 * i16 i32 u8 u16 u32 bf16 f32.
 */
void gaudi_run_tensor(struct gaudi_run *run, unsigned int n, uint64_t addr,
		      unsigned int type, uint32_t padding,
		      const uint32_t *sizes);
/* Tables of special functions; n, 0 to 3: of 256, 128, 64, 32 intervals. */
void gaudi_run_lut(struct gaudi_run *run, unsigned int n, uint64_t addr);
/* "rhne", "rz" ...: what operations round by that say "default". 0, or -EINVAL. */
int gaudi_run_round(struct gaudi_run *run, const char *mode);
/* Look for what may raise an interrupt: the parts "causes" and "causes_pc". */
void gaudi_run_causes(struct gaudi_run *run, bool on);
/* Stop where hardware's timing may not do. 0, or -ENOMEM. */
int gaudi_run_hazards(struct gaudi_run *run, bool on);

/*
 * Begin the kernel on a part of the index space. Local memories are zero, and
 * registers but for those that a launch sets; behind gaudi_run_poison() both
 * are random, the same for the same seed.
 */
void gaudi_run_launch(struct gaudi_run *run, const uint32_t *from,
		      const uint32_t *sizes);
void gaudi_run_poison(struct gaudi_run *run, uint64_t seed);

/* What gaudi_run_execute() returns. */
enum gaudi_run_result {
	GAUDI_RUN_GOES_ON,		/* so many words were executed */
	GAUDI_RUN_ENDED,		/* the kernel, well */
	GAUDI_RUN_BREAK,		/* before a word of breaks */
	GAUDI_RUN_ERROR,		/* the card refuses it, as the next: */
	GAUDI_RUN_NO_MEMORY,		/* an access to memory that is not there */
	GAUDI_RUN_HAZARD,		/* see gaudi_run_hazards() */
	GAUDI_RUN_KILLED,		/* by a debugger: see gaudi_run_gdb_new() */
};

/*
 * Go on for at most so many words, to the next of count addresses in breaks. A
 * break at the word that is next does not count. Not behind the end.
 */
int gaudi_run_execute(struct gaudi_run *run, uint64_t words,
		      const uint64_t *breaks, size_t count);
/*
 * From now on, and until NULL is given: counts, one for each word of the kernel, go up by
 * one with each execution. They stay the caller's. It makes the kernel slow.
 */
void gaudi_run_coverage(struct gaudi_run *run, uint64_t *counts, size_t words);
/* The error in words. */
void gaudi_run_why(const struct gaudi_run *run, char *text, size_t size);

/*
 * A debugger of the run: a client that speaks GDB's remote protocol comes to where,
 * which is PORT (of this host alone; 0: any), HOST:PORT, or the path of a Unix
 * socket, with a '/'. Its stops stand in Documentation/tpc-gdb.rst. NULL, and why not.
 */
struct gaudi_run_gdb;
struct gaudi_run_gdb *gaudi_run_gdb_new(struct gaudi_run *run, const char *where,
					char *why, size_t size);
/* The same, with the port that it is. Good as long as gdb. */
const char *gaudi_run_gdb_where(const struct gaudi_run_gdb *gdb);
/*
 * Behind gaudi_run_launch(): as gaudi_run_execute(), as far as the client lets it.
 * The first one waits for a client. Without one that has come and gone the kernel goes
 * on. core: its number, as it is shown.
 */
int gaudi_run_gdb_execute(struct gaudi_run_gdb *gdb, unsigned int core,
			  uint64_t words);
/* Before gaudi_run_free(). A client is told this status as the program's. */
void gaudi_run_gdb_free(struct gaudi_run_gdb *gdb, int status);

/*
 * Registers and memories by name, to read and to write; the pointer is good as
 * long as the run. NULL: there is none of that name.
 *
 *   v, vp		40 and 16 vectors of 256 bytes; of a predicate 0 or 255
 *   lfsr, carry	one vector each, a number and a predicate
 *   s			uint32_t: S0 to S31, then the iterators S32 to S35
 *   sp			uint16_t, a bit for each
 *   i			int32_t [32][5]
 *   ad			uint64_t [8]
 *   s_lfsr, div_step, semaphore, vlm_bytes, causes	uint32_t
 *   s_carry		uint8_t
 *   pc, words	uint64_t; words: executed since the launch
 *   stop_pc, stop_addr, causes_pc	uint64_t: of an error its word, and where
 *			an access went; the word of the last new cause
 *   slm, vlm		bytes, of which vlm_bytes are in use
 *   count		uint64_t [4][n]: how often an operation was executed, by
 *			slot and number, since the run was made
 */
void *gaudi_run_part(struct gaudi_run *run, const char *name, size_t *size);
/* Of a part "count"; NULL behind the last. */
const char *gaudi_run_slot_name(unsigned int slot);
const char *gaudi_run_op_name(unsigned int op);

/* A word of code, of 32 bytes. */
struct gaudi_run_word {
	int64_t leads;			/* where a jump does, behind a loop; or -1 */
	int32_t loop_end;		/* bytes to its last word; -1: no loop */
	uint32_t tensors;		/* those that it names, as bits */
};

/*
 * offset: of the word, for leads. text: the word as the assembler has it, with
 * target, if not NULL, for where it leads; 512 bytes are enough. 0; -EINVAL: it
 * is no word, and text says why.
 */
int gaudi_run_decode(const uint8_t *code, int64_t offset, const char *target,
		     struct gaudi_run_word *word, char *text, size_t size);

#endif /* GAUDI_RUN_H */
