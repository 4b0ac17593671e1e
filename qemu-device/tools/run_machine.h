/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A TPC beside memory that holds a kernel and its tensors; no card. */
#ifndef GAUDI_RUN_MACHINE_H
#define GAUDI_RUN_MACHINE_H

#include "../chip/tpc/exec/tpc_exec.h"
#include "run_npy.h"
#include "tpc_obj.h"

#define RUN_CODE	0x2000000000ull	/* device address of the kernel */
#define RUN_BREAKS	64
#define RUN_WATCHES	16
#define RUN_LUTS	4		/* of 256, 128, 64, 32 intervals */

struct run_tensor {
	struct gaudi_npy array;
	uint64_t addr;
	const char *out;		/* file to write, or NULL */
};

/* Tables of special functions, as they lie in the card's memory. */
struct run_lut {
	uint8_t *data;
	size_t bytes;
	uint64_t addr;
};

/* A place in memory; see run_memory.h. */
struct run_at {
	uint8_t *p;
	uint64_t left;			/* bytes from there */
	int8_t type;			/* enum gaudi_npy_type, or -1: hex */
	char name[64];
};

struct run_watch {
	struct run_at at;
	uint8_t old[4];			/* what is there now ... */
	uint8_t before[4];		/* ... and was before it changed */
	bool hit;			/* it has, and nobody was told */
};

struct run_machine {
	/* Filled before run_machine_start(). */
	const char *name;		/* of the kernel, for messages */
	struct gaudi_tpc_program *program;
	struct run_tensor tensor[GAUDI_TPC_TENSORS];
	unsigned int tensors;
	unsigned int scalars;		/* S registers that a launch sets */
	struct run_lut lut[RUN_LUTS];
	uint32_t padding;
	uint32_t round_csr;
	uint32_t base[GAUDI_TPC_DIMS];	/* index space */
	uint32_t size[GAUDI_TPC_DIMS];
	unsigned int cores;		/* it is split for so many */
	uint64_t limit;			/* words for each */
	bool small_vlm;
	bool poison;			/* what a launch does not set is random */
	uint64_t seed;
	/* The rest is run_machine.c's. */
	struct gaudi_tpc_launch launch;
	struct gaudi_tpc_cache *cache;
	struct gaudi_tpc_core *core;
	unsigned int now;		/* the core that is run */
	uint64_t words;			/* of the cores before */
	uint64_t breaks[RUN_BREAKS];	/* bytes from the kernel's start */
	uint64_t break_at[RUN_BREAKS];	/* the same as addresses */
	size_t break_count;
	struct run_watch watch[RUN_WATCHES];
	unsigned int watches;
	uint64_t hit_pc;		/* of the word that has changed one */
};

/* 0, or -1: there is no memory. In any case run_machine_end(). */
int run_machine_start(struct run_machine *m);
void run_machine_end(struct run_machine *m);
/* Launch core n of m->cores; false if its part has nothing to do. */
bool run_machine_launch(struct run_machine *m, unsigned int n);
/*
 * Go on, past a breakpoint at the PC, for at most so many words. BUDGET: the
 * words were executed, or the limit is reached (run_machine_left() is 0). BREAK
 * also behind a word that has changed what is watched.
 */
enum gaudi_tpc_why run_machine_go(struct run_machine *m, uint64_t words);
uint64_t run_machine_left(const struct run_machine *m);
/* 0, or -1: too many, or there already. */
int run_machine_break(struct run_machine *m, uint64_t offset);

/* Memory at a device address and how much there is, or NULL. */
uint8_t *run_machine_at(const struct run_machine *m, uint64_t addr,
			uint64_t *left);

/* Bytes of an enum gaudi_npy_type; 4 of -1. */
unsigned int run_type_bytes(int type);

/* "main+0x40" or "0x40"; always terminated. */
void run_place(const struct run_machine *m, uint64_t offset, char *to,
	       size_t size);
/* "0x40", "64", "label" or "label+0x20", to bytes. 0, or -1. */
int run_find(const struct run_machine *m, const char *text, uint64_t *offset);

#endif /* GAUDI_RUN_MACHINE_H */
