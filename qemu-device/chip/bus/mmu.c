// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * The host MMU: page walks through tables in HBM, a software TLB, invalidation,
 * and the capture of faults. STLB and MMU_UP are its two register blocks.
 *
 * Not here: which accesses are translated (bus.c), and which are refused
 * (protect.c).
 */
#include "bus_state.h"
#include "../../../uapi/hw/gaudi_fw_if.h"
#include "../../../uapi/hw/regs/gaudi_mmu_regs.h"

#define VA_BITS			50
#define SMALL_SHIFT		12
#define LARGE_SHIFT		21
#define LARGE_ENTRIES		(GAUDI_TLB_ENTRIES / 16)
#define LAST_HOP		(GAUDI_MMU_NUM_HOPS - 1)
#define ASID_MASK		(GAUDI_MMU_NUM_ASID - 1)

/* --- TLB ------------------------------------------------------------------- */

static struct gaudi_tlb_entry *tlb_slot(struct gaudi_chip *chip, uint16_t asid,
					uint64_t va, bool large)
{
	uint64_t page = va >> (large ? LARGE_SHIFT : SMALL_SHIFT);
	uint64_t hash = page ^ (page >> 12) ^ (asid * 0x9e5u);

	if (large)
		return &chip->bus->mmu.large[hash & (LARGE_ENTRIES - 1)];
	return &chip->bus->mmu.small[hash & (GAUDI_TLB_ENTRIES - 1)];
}

static uint64_t tlb_tag(uint16_t asid, uint64_t va, unsigned int shift)
{
	return (uint64_t)asid << 52 | va >> shift;
}

static bool tlb_find(struct gaudi_chip *chip, uint16_t asid, uint64_t va,
		     bool large, uint64_t *pa, uint64_t *left)
{
	struct gaudi_tlb_entry *e = tlb_slot(chip, asid, va, large);
	unsigned int shift = large ? LARGE_SHIFT : SMALL_SHIFT;
	uint64_t in_page = va & ((1ull << shift) - 1);

	if (e->gen != chip->bus->mmu.gen || e->tag != tlb_tag(asid, va, shift))
		return false;
	*pa = e->pa + in_page;
	*left = (1ull << shift) - in_page;
	return true;
}

static void tlb_fill(struct gaudi_chip *chip, uint16_t asid, uint64_t va,
		     bool large, uint64_t page_pa)
{
	struct gaudi_tlb_entry *e = tlb_slot(chip, asid, va, large);

	e->tag = tlb_tag(asid, va, large ? LARGE_SHIFT : SMALL_SHIFT);
	e->pa = page_pa;
	e->gen = chip->bus->mmu.gen;
}

static void tlb_flush(struct gaudi_chip *chip)
{
	chip->bus->mmu.gen++;
}

/* --- walk ------------------------------------------------------------------ */

static int read_pte(struct gaudi_chip *chip, uint64_t table, unsigned int hop,
		    uint64_t va, uint64_t *pte)
{
	uint64_t index = va >> GAUDI_MMU_HOP_SHIFT(hop) &
			 GAUDI_MMU_HOP_MASK(hop);
	uint64_t addr = table + index * sizeof(*pte);

	/* Tables are in HBM; a pointer to elsewhere is the driver's mistake. */
	if (chip->hbm.size < GAUDI_MMU_HOP_SIZE ||
	    table > chip->hbm.size - GAUDI_MMU_HOP_SIZE)
		return -EACCES;
	*pte = __atomic_load_n((uint64_t *)(void *)(chip->hbm.ptr + addr),
			       __ATOMIC_ACQUIRE);
	return 0;
}

/* The table of the last hop, if an earlier walk came by it. */
static struct gaudi_tlb_entry *walk_slot(struct gaudi_chip *chip,
					 uint64_t va)
{
	return &chip->bus->mmu.last_hop[va >> LARGE_SHIFT &
				   (GAUDI_WALK_ENTRIES - 1)];
}

static unsigned int walk_start(struct gaudi_chip *chip, uint16_t asid,
			       uint64_t va, uint64_t *table)
{
	const struct gaudi_tlb_entry *e = walk_slot(chip, va);

	if (e->gen == chip->bus->mmu.gen &&
	    e->tag == tlb_tag(asid, va, LARGE_SHIFT)) {
		*table = e->pa;
		return LAST_HOP;
	}
	*table = chip->bus->mmu.hop0[asid];
	return 0;
}

static void walk_keep(struct gaudi_chip *chip, uint16_t asid, uint64_t va,
		      uint64_t table)
{
	struct gaudi_tlb_entry *e = walk_slot(chip, va);

	e->tag = tlb_tag(asid, va, LARGE_SHIFT);
	e->pa = table;
	e->gen = chip->bus->mmu.gen;
}

static int walk(struct gaudi_chip *chip, uint16_t asid, uint64_t va,
		uint64_t *page_pa, bool *large)
{
	uint64_t table, pte;
	unsigned int hop;
	int err;

	if (va >> VA_BITS || !chip->bus->mmu.hop0_valid[asid])
		return -EFAULT;
	for (hop = walk_start(chip, asid, va, &table); hop <= LAST_HOP; hop++) {
		err = read_pte(chip, table, hop, va, &pte);
		if (err)
			return err;
		if (!(pte & GAUDI_PTE_PRESENT) || pte & GAUDI_PTE_SWAPPED)
			return -EFAULT;
		if (pte & GAUDI_PTE_LAST)
			break;
		table = pte & GAUDI_PTE_PHYS;
		if (hop == LAST_HOP - 1)
			walk_keep(chip, asid, va, table);
	}
	/* Pages end at the last two hops only: 2 MiB and 4 KiB. */
	if (hop != LAST_HOP && hop != LAST_HOP - 1)
		return -EACCES;
	*large = hop == LAST_HOP - 1;
	*page_pa = pte & GAUDI_PTE_PHYS;
	if (*large)
		*page_pa &= ~((1ull << LARGE_SHIFT) - 1);
	return 0;
}

bool gaudi_mmu_enabled(struct gaudi_chip *chip)
{
	return chip->bus->mmu.enabled && !chip->bus->mmu.bypassed;
}

int gaudi_mmu_lookup(struct gaudi_chip *chip, uint16_t asid, uint64_t va,
		     uint64_t *pa, uint64_t *left)
{
	uint64_t page_pa;
	bool large;
	int err;

	asid &= ASID_MASK;
	if (tlb_find(chip, asid, va, false, pa, left) ||
	    tlb_find(chip, asid, va, true, pa, left))
		return 0;
	err = walk(chip, asid, va, &page_pa, &large);
	if (err)
		return err;
	tlb_fill(chip, asid, va, large, page_pa);
	return tlb_find(chip, asid, va, large, pa, left) ? 0 : -EFAULT;
}

/* --- faults ---------------------------------------------------------------- */

static void store_or(struct gaudi_chip *chip, uint32_t off, uint32_t bits)
{
	gaudi_store_write(chip, off, gaudi_store_read(chip, off) | bits);
}

/* The first error stays until the driver clears it; later ones are not told. */
static void capture(struct gaudi_chip *chip, uint32_t reg, uint64_t va,
		    uint32_t cause, uint32_t spi)
{
	uint32_t off = GAUDI_MMU_UP_BASE + reg;

	store_or(chip, GAUDI_MMU_UP_BASE + MMU_UP_SPI_CAUSE, cause);
	if (gaudi_store_read(chip, off) & MMU_UP_PAGE_ERROR_ENTRY_VALID)
		return;
	gaudi_store_write(chip, off + 4, (uint32_t)va);
	gaudi_store_write(chip, off, MMU_UP_PAGE_ERROR_ENTRY_VALID |
			  (va >> 32 & MMU_UP_PAGE_ERROR_VA_49_32));
	if (gaudi_store_read(chip, GAUDI_MMU_UP_BASE + MMU_UP_SPI_MASK) & cause)
		gaudi_cpu_spi(chip, spi);
}

int gaudi_mmu_translate(struct gaudi_chip *chip, const struct gaudi_txn *txn,
			uint64_t va, uint64_t len, bool write, uint64_t *pa,
			uint64_t *left)
{
	int err = gaudi_mmu_lookup(chip, txn->asid, va, pa, left);

	if (gaudi_fault_armed(chip, GAUDI_FAULT_TRANSLATE) && !err)
		err = chip->fault_hooks->translate(chip, txn, va,
					    len < *left ? len : *left);
	if (!err)
		return 0;
	gaudi_log(chip, GAUDI_LOG_GUEST_ERROR,
		  "MMU %s: ASID %u, %s of 0x%llx",
		  err == -EACCES ? "access error" : "page fault", txn->asid,
		  write ? "write" : "read", (unsigned long long)va);
	if (err == -EACCES)
		capture(chip, MMU_UP_ACCESS_ERROR_CAPTURE, va,
			MMU_UP_SPI_PAGE_ACCESS, GAUDI_SPI_MMU_WR_PERM);
	else
		capture(chip, MMU_UP_PAGE_ERROR_CAPTURE, va,
			MMU_UP_SPI_PAGE_FAULT, GAUDI_SPI_MMU_PAGE_FAULT);
	return -EFAULT;
}

/* --- registers ------------------------------------------------------------- */

static void latch_hop0(struct gaudi_chip *chip)
{
	uint32_t asid = gaudi_store_read(chip, GAUDI_STLB_BASE + STLB_ASID);
	uint64_t lo = gaudi_store_read(chip, GAUDI_STLB_BASE +
				       STLB_HOP0_PA43_12);
	uint64_t hi = gaudi_store_read(chip, GAUDI_STLB_BASE +
				       STLB_HOP0_PA49_44);

	asid &= ASID_MASK;
	chip->bus->mmu.hop0[asid] = (lo << 12 | hi << 44) &
			       GENMASK_ULL(VA_BITS - 1, 12);
	chip->bus->mmu.hop0_valid[asid] = true;
	tlb_flush(chip);
}

static int stlb_write(struct gaudi_chip *chip, unsigned int inst, uint32_t off,
		      uint32_t value, const struct gaudi_txn *txn)
{
	(void)inst;
	(void)txn;
	switch (off) {
	case STLB_BUSY:
		if (value & STLB_BUSY_SET)
			latch_hop0(chip);
		/* Done at once, so the bit never reads as set. */
		value &= ~STLB_BUSY_SET;
		break;
	case STLB_INV_PS:
		/*
		 * The driver writes 3, the producer index, then 2, and waits
		 * for 0, which says that the invalidation is complete.
		 */
		tlb_flush(chip);
		if (!(value & 1))
			value = 0;
		break;
	case STLB_CACHE_INV:
		tlb_flush(chip);
		gaudi_store_write(chip,
				  GAUDI_STLB_BASE + STLB_INV_CONSUMER_INDEX,
				  value & STLB_CACHE_INV_PRODUCER_INDEX);
		break;
	case STLB_INV_ALL_START:
	case STLB_MEM_CACHE_INVALIDATION:
		/* Tables are read from HBM each time: nothing else is cached */
		tlb_flush(chip);
		value = 0;
		break;
	case STLB_SRAM_INIT:
		value = 0;
		break;
	}
	gaudi_store_write(chip, GAUDI_STLB_BASE + off, value);
	return 0;
}

static int mmu_up_write(struct gaudi_chip *chip, unsigned int inst,
			uint32_t off, uint32_t value,
			const struct gaudi_txn *txn)
{
	(void)inst;
	(void)txn;
	switch (off) {
	case MMU_UP_MMU_ENABLE:
		chip->bus->mmu.enabled = value & 1;
		tlb_flush(chip);
		break;
	case MMU_UP_MMU_BYPASS:
		chip->bus->mmu.bypassed = value & 1;
		break;
	case MMU_UP_SPI_CAUSE_CLR:
		off = MMU_UP_SPI_CAUSE;
		value = gaudi_store_read(chip, GAUDI_MMU_UP_BASE + off) & ~value;
		break;
	}
	gaudi_store_write(chip, GAUDI_MMU_UP_BASE + off, value);
	return 0;
}

void gaudi_bus_reset(struct gaudi_chip *chip)
{
	chip->bus->mmu.enabled = false;
	chip->bus->mmu.bypassed = false;
	memset(chip->bus->mmu.hop0_valid, 0, sizeof(chip->bus->mmu.hop0_valid));
	tlb_flush(chip);
}

const struct gaudi_block_ops gaudi_stlb_ops = {
	.name = "STLB",
	.write = stlb_write,
};

const struct gaudi_block_ops gaudi_mmu_up_ops = {
	.name = "MMU_UP",
	.write = mmu_up_write,
};
