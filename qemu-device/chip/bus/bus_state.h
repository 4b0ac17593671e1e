/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* What the files of the bus share: what is behind chip->bus. Lock held, all. */
#ifndef GAUDI_BUS_STATE_H
#define GAUDI_BUS_STATE_H

#include "bus.h"

/* --- mmu.c ------------------------------------------------------------------ */

#define GAUDI_MMU_NUM_ASID	1024
#define GAUDI_TLB_ENTRIES	8192		/* power of two */
#define GAUDI_WALK_ENTRIES	64		/* power of two */

struct gaudi_tlb_entry {
	uint64_t tag;		/* page number, ASID << 52; 0 with gen 0 */
	uint64_t pa;
	uint64_t gen;		/* valid if equal to gaudi_mmu.gen */
};

struct gaudi_mmu {
	bool enabled;
	bool bypassed;		/* all accesses, by MMU_BYPASS */
	uint64_t gen;		/* bumped by an invalidation */
	uint64_t hop0[GAUDI_MMU_NUM_ASID];
	bool hop0_valid[GAUDI_MMU_NUM_ASID];
	struct gaudi_tlb_entry small[GAUDI_TLB_ENTRIES];	/* 4 KiB */
	struct gaudi_tlb_entry large[GAUDI_TLB_ENTRIES / 16];	/* 2 MiB */
	/* tables of the last hop, by 2 MiB of VA; pa: of the table */
	struct gaudi_tlb_entry last_hop[GAUDI_WALK_ENTRIES];
};

bool gaudi_mmu_enabled(struct gaudi_chip *chip);
/*
 * Translates one page; *left: bytes from va to the page's end. 0, -EFAULT (no
 * page), -EACCES (tables are broken). Silent.
 */
int gaudi_mmu_lookup(struct gaudi_chip *chip, uint16_t asid, uint64_t va,
		     uint64_t *pa, uint64_t *left);
/*
 * The same for an access to len bytes, of which this page may have the first
 * only: an error (always -EFAULT) is captured, reported.
 */
int gaudi_mmu_translate(struct gaudi_chip *chip, const struct gaudi_txn *txn,
			uint64_t va, uint64_t len, bool write, uint64_t *pa,
			uint64_t *left);

/* --- protect.c -------------------------------------------------------------- */

/*
 * May this access be made? 0, or -EFAULT, which is captured and reported. *left
 * is cut to the part for which the answer holds.
 */
int gaudi_protect_mem(struct gaudi_chip *chip, const struct gaudi_txn *txn,
		      uint64_t addr, bool write, uint64_t *left);
/* The same as a question. */
bool gaudi_mem_allowed(struct gaudi_chip *chip, const struct gaudi_txn *txn,
		       uint64_t addr, bool write, uint64_t *left);
int gaudi_protect_reg(struct gaudi_chip *chip, const struct gaudi_txn *txn,
		      uint32_t cfg_off, bool write);

/* --- posts.c ---------------------------------------------------------------- */

/* Messages on their way: monitor payloads, completions, errors. */
#define GAUDI_POSTS		4096	/* power of two */

struct gaudi_post {
	uint64_t addr;
	uint64_t at_ps;
	uint32_t data;
	uint16_t tag;
	struct gaudi_txn txn;
};

struct gaudi_posts {
	struct gaudi_actor actor;
	struct gaudi_post post[GAUDI_POSTS];
	uint32_t head;
	uint32_t count;
	bool draining;
	/* Called for refused writes of this initiator. */
	enum gaudi_initiator refused_of;
	void (*refused)(struct gaudi_chip *chip, unsigned int unit,
			uint16_t tag);
};

void gaudi_posts_init(struct gaudi_chip *chip);

struct gaudi_bus {
	struct gaudi_mmu mmu;
	struct gaudi_posts posts;
	/* Around each reduction, which is one step for all engines. */
	struct gaudi_lock reduce_lock;
};

#endif /* GAUDI_BUS_STATE_H */
