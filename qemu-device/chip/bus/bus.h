/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Device addresses: what stands where, and the ways to it.
 *
 *   bus.c      what is where: HBM, SRAM, CFG, host; spans for bulk work
 *   mmu.c      page walks, TLB, invalidation, faults
 *   protect.c  who may reach what: ranges, protection bits, RAZWI
 *   posts.c    messages: 32-bit writes that are done soon, in order
 *   reduce.c   arithmetic of writes that reduce
 *   bus_snap.c the room's part of a snapshot
 *
 * All under chip->lock, unless it says otherwise. A lock of its own, a leaf, is
 * held around each reduction.
 */
#ifndef GAUDI_BUS_H
#define GAUDI_BUS_H

#include "../core/core.h"
#include "../regs/regs.h"

extern const struct gaudi_block_ops gaudi_stlb_ops, gaudi_mmu_up_ops;

int gaudi_bus_init(struct gaudi_chip *chip);
void gaudi_bus_fini(struct gaudi_chip *chip);
struct gaudi_snap;
/* The room's part of a snapshot. */
void gaudi_bus_snap(struct gaudi_snap *s);
/* Resets the MMU, which has no page tables then. */
void gaudi_bus_reset(struct gaudi_chip *chip);

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
 * How many of these bytes, from the first one on, an access by txn would reach and
 * be allowed. A question only: no error is captured. The access may still fail.
 */
size_t gaudi_bus_reachable(struct gaudi_chip *chip, const struct gaudi_txn *txn,
			   uint64_t addr, size_t len, bool write);

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

/* --- protect.c ------------------------------------------------------------- */

/*
 * May a queue write this register of its own engine? No router is passed: the
 * protection bits alone count. 0, or -EPERM.
 */
int gaudi_protect_local(struct gaudi_chip *chip, const struct gaudi_txn *txn,
			uint32_t cfg_off);
/* How many registers from this one on, count at most, an engine's queue may write for anybody. */
unsigned int gaudi_local_open(struct gaudi_chip *chip, uint32_t cfg_off,
			      unsigned int count);
/* An access that is refused or that no target answers: capture and event. */
void gaudi_razwi(struct gaudi_chip *chip, const struct gaudi_txn *txn,
		 uint64_t addr, bool write, const char *why);

/* --- posts.c --------------------------------------------------------------- */

/* A 32-bit write that is done soon, in order, without recursion. */
void gaudi_post_write(struct gaudi_chip *chip, const struct gaudi_txn *txn,
		      uint64_t addr, uint32_t value);
/*
 * The same in two steps: post() queues any number of writes, and drain() does
 * them. tag: for the function that is called when the write is refused.
 */
void gaudi_post(struct gaudi_chip *chip, const struct gaudi_txn *txn,
		uint64_t addr, uint32_t value, uint16_t tag);
void gaudi_posts_drain(struct gaudi_chip *chip);
/* Calls fn for each refused write of this initiator. */
void gaudi_posts_on_refused(struct gaudi_chip *chip,
			    enum gaudi_initiator initiator,
			    void (*fn)(struct gaudi_chip *chip,
				       unsigned int unit, uint16_t tag));
/* Drops the writes that are not done yet. */
void gaudi_posts_drop(struct gaudi_chip *chip);
/* Are so many not done yet that an initiator has to wait before the next? */
bool gaudi_posts_full(const struct gaudi_chip *chip);
/* Is a posted write being done, which has led to this call? */
bool gaudi_posts_draining(const struct gaudi_chip *chip);

/* --- reduce.c -------------------------------------------------------------- */

/*
 * User bits 21:13 of a write by an engine. Source: the published layout of the
 * MME descriptor; DMA_CORE_WR_AWUSER_31_11 is the same.
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

#endif /* GAUDI_BUS_H */
