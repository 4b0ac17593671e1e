/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * The register space: which block answers at which offset from
 * GAUDI_CFG_BASE, storage for every register, and the tables of what is
 * published of them.
 *
 *   regs.c         blocks, access, counting
 *   regs_store.c   storage
 *   reg_table.[ch] the tables, by prototype
 *
 * Which blocks there are is the card's table; what their registers do is in
 * later rooms. All of it is under chip->lock.
 */
#ifndef GAUDI_REGS_H
#define GAUDI_REGS_H

#include "../core/core.h"

/*
 * A register block prototype. read and write see offsets from the instance
 * base, whole dwords, lock held; NULL means plain storage. A handler that does
 * not know the register calls gaudi_store_read()/gaudi_store_write(). What the
 * table calls read-only is not written.
 */
struct gaudi_block_ops {
	const char *name;
	/*
	 * Writes what the storage holds after power-on beyond the table, once in
	 * a card's life; every reset copies that back.
	 */
	void (*values)(struct gaudi_chip *chip, unsigned int inst);
	/* The rest of a reset: what is not in the storage. */
	void (*reset)(struct gaudi_chip *chip, unsigned int inst);
	uint32_t (*read)(struct gaudi_chip *chip, unsigned int inst,
			 uint32_t off);
	/* 0, -EPERM, or -EINVAL; an error is answered as the bus would */
	int (*write)(struct gaudi_chip *chip, unsigned int inst, uint32_t off,
		     uint32_t value, const struct gaudi_txn *txn);
	/* What the block's own queue writes from this offset on, up to the other, is kept: no more. */
	uint32_t plain, plain_end;
	bool no_prot_bits;	/* its pages do not end in protection bits */
};

struct gaudi_reg_table;

/*
 * Instances of a prototype at equal distances. '#' in the name stands for the
 * instance's number, first_index + step * n; the prototype's functions get
 * inst + inst_step * n.
 */
struct gaudi_family {
	const char *name;
	uint32_t base;
	uint32_t stride;
	uint16_t count;
	uint16_t pages;
	const struct gaudi_block_ops *ops;	/* NULL: storage */
	const struct gaudi_reg_table *table;	/* NULL: none published */
	uint8_t inst;
	uint8_t inst_step;
	uint8_t first_index;
};

/* The table stays the caller's. 0 or -ENOMEM. */
int gaudi_regs_init(struct gaudi_chip *chip, const struct gaudi_family *family,
		    size_t families);
void gaudi_regs_fini(struct gaudi_chip *chip);
/* Once the blocks know where they are, before the first reset. */
int gaudi_regs_values(struct gaudi_chip *chip);
/* All storage holds again what it did after power-on; then each block's own. */
void gaudi_regs_reset(struct gaudi_chip *chip);

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
/*
 * For the queue of the block's engine: how many registers from this one on, count at most,
 * only keep what is written and may be written all together, with gaudi_reg_write_plain(),
 * which leaves what gaudi_reg_write() of each would.
 */
unsigned int gaudi_reg_plain(struct gaudi_chip *chip, uint32_t cfg_off,
			     unsigned int count);
void gaudi_reg_write_plain(struct gaudi_chip *chip, uint32_t cfg_off,
			   const uint32_t *values, unsigned int count,
			   const struct gaudi_txn *txn);
/* Plain storage behind every register, no side effects. */
uint32_t gaudi_store_read(struct gaudi_chip *chip, uint32_t cfg_off);
void gaudi_store_write(struct gaudi_chip *chip, uint32_t cfg_off,
		       uint32_t value);

/* A register of the block at base; reg64: and the one above. */
static inline uint32_t gaudi_reg(struct gaudi_chip *chip, uint32_t base,
				 uint32_t off)
{
	return gaudi_store_read(chip, base + off);
}

static inline uint64_t gaudi_reg64(struct gaudi_chip *chip, uint32_t base,
				   uint32_t lo)
{
	return gaudi_reg(chip, base, lo) |
	       (uint64_t)gaudi_reg(chip, base, lo + 4) << 32;
}

static inline void gaudi_set_reg(struct gaudi_chip *chip, uint32_t base,
				 uint32_t off, uint32_t value)
{
	gaudi_store_write(chip, base + off, value);
}

/* The same for registers that follow each other. */
void gaudi_store_read_run(struct gaudi_chip *chip, uint32_t cfg_off,
			  uint32_t *values, unsigned int count);
/* False: no memory for some. */
bool gaudi_store_write_run(struct gaudi_chip *chip, uint32_t cfg_off,
			   const uint32_t *values, unsigned int count);
/*
 * The storage of the registers of a 4 KiB page, in pieces of 256 bytes; what was never
 * written is the same memory for all cards of the process.
 */
#define GAUDI_REG_PIECE		64	/* registers */
#define GAUDI_PIECES		(GAUDI_PAGE_SIZE / 4 / GAUDI_REG_PIECE)

struct gaudi_reg_values {
	const uint32_t *piece[GAUDI_PIECES];
};

/*
 * For what is looked up at each access to memory, the page of cfg_off; NULL: no memory for
 * it. It stays where it is.
 */
const struct gaudi_reg_values *gaudi_store_page(struct gaudi_chip *chip,
						uint32_t cfg_off);

/* Of a page: the register at this offset, of which only the part within a page counts. */
static inline uint32_t gaudi_page_reg(const struct gaudi_reg_values *page,
				      uint32_t off)
{
	unsigned int i = (off & (GAUDI_PAGE_SIZE - 1)) / 4;

	return page->piece[i / GAUDI_REG_PIECE][i % GAUDI_REG_PIECE];
}

struct gaudi_snap;
/* The room's part of a snapshot. */
void gaudi_regs_snap(struct gaudi_snap *s);

/* Is there a block that answers? Else the bus does, with an error. */
bool gaudi_reg_answers(const struct gaudi_chip *chip, uint32_t cfg_off);
/* Does the register's page end in protection bits? */
bool gaudi_has_prot_bits(struct gaudi_chip *chip, uint32_t cfg_off);
/* Where instance inst of a prototype stands, relative to GAUDI_CFG_BASE. */
uint32_t gaudi_block_base(const struct gaudi_chip *chip,
			  const struct gaudi_block_ops *ops, unsigned int inst);
/* "DMA0_QM_GLBL_CFG0" or "NIC0_QM1+0x7fc"; for logs. */
const char *gaudi_reg_name(const struct gaudi_chip *chip, uint32_t cfg_off,
			   char *buf, size_t len);
/*
 * Calls fn for what was used since the card was made. Registers with the same
 * name but for numbers come together, '#' in place of each number; unknown
 * ones come one by one. 0 or -ENOMEM.
 */
typedef void gaudi_used_fn(void *arg, const char *name, unsigned int registers,
			   uint64_t count, enum gaudi_fidelity fidelity);
int gaudi_regs_report(struct gaudi_chip *chip, gaudi_used_fn *fn, void *arg);

#endif /* GAUDI_REGS_H */
