/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* How a pair of matrix engines executes a descriptor: what the files share. */
#ifndef GAUDI_CHIP_MME_EXEC_H
#define GAUDI_CHIP_MME_EXEC_H

#include "mme.h"
#include "../bus/bus.h"
#include "../timing/timing.h"
#include "kernel/mme_blas.h"
#include "walk/mme_cache.h"
#include "kernel/mme_kernel.h"
#include "walk/mme_walk.h"

#define GAUDI_MME_ACCUMULATORS	16
#define GAUDI_MME_TILE		(GAUDI_MME_MAX_SIDE * GAUDI_MME_MAX_SIDE)

/* --- mme_mem.c: lock not held ------------------------------------------ */

enum gaudi_mme_port_id {
	GAUDI_MME_READ_S,
	GAUDI_MME_READ_L,		/* + core */
	GAUDI_MME_WRITE_O = 3,		/* + core */
	GAUDI_MME_PORTS = 5,
};

struct gaudi_mme_port {
	struct gaudi_txn txn;
	bool write;
	/* the card's memory around the last access */
	uint64_t addr;
	uint8_t *ptr;
	uint64_t len;
};

struct gaudi_mme_mem {
	struct gaudi_chip *chip;
	struct gaudi_mme_port port[GAUDI_MME_PORTS];
	/* Of the descriptor, for a model of time: when it began, ... */
	uint64_t begin_ps;
	uint64_t cycles;		/* ... how long it has computed, ... */
	uint64_t hbm_bytes;		/* ... what it has moved lately, ... */
	uint64_t hbm_ps;		/* ... and until when what it did before */
};

/* It moves so many bytes at this address; what is not in HBM takes no time. */
static inline void gaudi_mme_moves(struct gaudi_mme_mem *m, uint64_t addr,
				   uint64_t bytes)
{
	if (addr < GAUDI_HBM_BASE + m->chip->hbm.size)
		m->hbm_bytes += bytes;
}

/* Lock held: up to where it has come. */
uint64_t gaudi_mme_at_ps(struct gaudi_mme_mem *m);

/* The card's own memory at addr, len bytes of it; NULL: read or write it. */
uint8_t *gaudi_mme_map(struct gaudi_mme_mem *m, unsigned int port,
		       uint64_t addr, uint64_t len);
/* 0 or -EFAULT, which has been reported. */
int gaudi_mme_read(struct gaudi_mme_mem *m, unsigned int port, uint64_t addr,
		   void *buf, size_t len);
int gaudi_mme_write(struct gaudi_mme_mem *m, unsigned int port, uint64_t addr,
		    const void *buf, size_t len);
/* As a reduction by the user bits. 0, -EFAULT or -ENXIO: nothing reduces. */
int gaudi_mme_reduce(struct gaudi_mme_mem *m, unsigned int port, uint64_t addr,
		     const void *buf, size_t len, uint32_t user);
/* The message of a core to a sync object. */
void gaudi_mme_signal(struct gaudi_mme_mem *m, unsigned int core,
		      uint64_t addr, uint32_t data);

/* --- mme_exec.c --------------------------------------------------------- */

/* An input operand of one core: groups of vectors along the common dimension */
struct gaudi_mme_input {
	struct gaudi_mme_walk walk;
	struct gaudi_mme_walk begin;	/* before the group's first box */
	struct gaudi_mme_cursor cursor;	/* row pos, where a row is a vector */
	unsigned int port;
	uint32_t round;			/* of this group's repetitions */
	uint64_t len;			/* vectors of the box ... */
	uint64_t pos;			/* ... of which so many are taken */
	bool ended;			/* the group */
	/* The operand as it was loaded, which the walks point to */
	struct gaudi_mme_desc loaded;
	uint32_t words[MME_DESC_WORDS];	/* ... of which that was made */
	bool is_loaded;
	bool replays;			/* what an earlier descriptor loaded */
	/* mme_fast.c */
	struct gaudi_mme_panel panel;	/* of the group, or of a block of it */
	float *own;			/* where it is if it is not kept */
	size_t capacity;		/* of own, floats */
	unsigned int live;		/* elements of its vectors, behind which are zeros */
	bool whole;			/* the panel holds all of a group */
	uint64_t limit;			/* vectors of a group; 0: hard to say */
	uint64_t held;			/* vectors in it, if whole */
	uint64_t taken;
	unsigned int lane;		/* of the first vector */
	struct gaudi_mme_cache cache;
	struct gaudi_mme_kept *kept;	/* the group, or NULL */
	struct gaudi_mme_panel view;	/* the vectors that were taken */
};

struct gaudi_mme_core {
	_Alignas(64) float part[GAUDI_MME_LANES * GAUDI_MME_TILE];
	_Alignas(64) float acc[GAUDI_MME_ACCUMULATORS][GAUDI_MME_TILE];
	struct gaudi_mme_lfsr lfsr;
	struct gaudi_mme_walk out;
	/*
	 * part is of each lane m rows of n sums. Others, if there are, are as those in the last
	 * row and column: mme_fast.c.
	 */
	unsigned int m, n;
};

/* Addresses from..to - 1; none if from is not less. */
struct gaudi_mme_range {
	uint64_t from;
	uint64_t to;
};

enum gaudi_mme_error {
	GAUDI_MME_OK,
	GAUDI_MME_READ_ERROR,
	GAUDI_MME_WRITE_ERROR,
	GAUDI_MME_BAD,			/* name says what */
};

struct gaudi_mme_arith;
struct gaudi_mme_scratch;
struct gaudi_snap;

struct gaudi_mme_exec {
	struct gaudi_mme_mem mem;
	struct gaudi_mme_desc desc;
	uint32_t words[MME_DESC_WORDS];	/* of which desc was made */
	const struct gaudi_mme_arith *arith;
	const struct gaudi_mme_kernel *kernel;
	struct gaudi_mme_blas blas;	/* of gaudi_mme_fast */
	struct gaudi_mme_input s;
	struct gaudi_mme_input l[GAUDI_MME_CORES];
	bool in_tile;
	uint64_t tiles;			/* of the descriptor that are begun */
	unsigned int side;
	uint64_t steps;			/* of the sums in core[].part */
	unsigned int acc;		/* that is written next */
	uint64_t used;			/* steps of the last turn */
	/*
	 * Descriptors with the same number follow each other without a wait:
	 * what one has read the next need not read again.
	 */
	uint64_t order;
	enum gaudi_mme_error error;
	const char *name;
	struct gaudi_mme_scratch *scratch;
	/* mme_fast.c: what was read and written since the caches are as they are */
	bool keeps;
	uint64_t kept_order;
	struct gaudi_mme_range read, wrote;
	/* mme_fast.c: rows of the sums, and of accumulators, are of L */
	bool part_swapped;
	bool rolled;			/* gaudi_mme_fast: the sums are there */
	bool acc_swapped[GAUDI_MME_ACCUMULATORS];
	struct gaudi_mme_core core[GAUDI_MME_CORES];
};

/* A way to compute. error is set if something fails. */
struct gaudi_mme_arith {
	uint64_t block;			/* steps at a time */
	uint64_t budget;		/* steps in a turn */
	bool (*begin)(struct gaudi_mme_exec *x);
	/* A group begins, or is repeated. */
	void (*group)(struct gaudi_mme_exec *x, struct gaudi_mme_input *st,
		      bool again);
	/* Up to max vectors; sets ended. */
	uint64_t (*take)(struct gaudi_mme_exec *x, struct gaudi_mme_input *st,
			 uint64_t max);
	/* Adds up n steps in both cores. */
	void (*sum)(struct gaudi_mme_exec *x, uint64_t n);
	/* The sums go to accumulator x->acc of a core. */
	void (*rollup)(struct gaudi_mme_exec *x, struct gaudi_mme_core *core);
	/* The accumulator goes to memory, at the box of core->out. */
	void (*store)(struct gaudi_mme_exec *x, unsigned int core);
};

extern const struct gaudi_mme_arith gaudi_mme_spec, gaudi_mme_exact;
extern const struct gaudi_mme_arith gaudi_mme_fast;

/* NULL: out of memory. */
struct gaudi_mme_exec *gaudi_mme_exec_new(struct gaudi_chip *chip);
void gaudi_mme_exec_free(struct gaudi_mme_exec *x);
/* All the sums of partial ones, as snapshots have them. */
void gaudi_mme_whole_sums(struct gaudi_mme_exec *x);
/* Lock held. Takes desc, which has been checked. */
void gaudi_mme_exec_begin(struct gaudi_mme_exec *x);
/*
 * Lock not held. Works for about a millisecond; true: there is more. At the end
 * error tells how it went.
 */
bool gaudi_mme_exec_run(struct gaudi_mme_exec *x);

/* mme_snap.c: what one descriptor leaves for the next; none is under way. */
void gaudi_mme_exec_snap(struct gaudi_snap *s, struct gaudi_mme_exec *x);

/*
 * For the ways to compute: goes on by n vectors of the box, of which there are
 * so many; sets ended behind the last box of a group.
 */
void gaudi_mme_input_skip(struct gaudi_mme_exec *x,
			  struct gaudi_mme_input *st, uint64_t n);
/* The user bits of the tile that is stored; 0: no reduction. */
uint32_t gaudi_mme_user(const struct gaudi_mme_exec *x,
			const struct gaudi_mme_walk *out);
/* len bytes of a row of the tile; sets error. */
void gaudi_mme_store_row(struct gaudi_mme_exec *x, unsigned int core,
			 uint64_t addr, const void *buf, size_t len);

#endif /* GAUDI_CHIP_MME_EXEC_H */
