// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * What is where in the card's address space: HBM, SRAM, small firmware
 * memories, registers, and host memory behind the outbound window. Also spans,
 * which give bulk work direct pointers.
 *
 * Not here: translation of virtual addresses (mmu.c).
 */
#include <stdlib.h>

#include "bus_state.h"
#include "../../../uapi/hw/regs/gaudi_mmu_regs.h"

/* Pages that follow each other on the host are joined up to this length. */
#define MAX_HOST_SPAN		(4u << 20)

enum target_kind { TARGET_NONE, TARGET_MEM, TARGET_CFG, TARGET_HOST };

struct target {
	enum target_kind kind;
	uint8_t *ptr;		/* TARGET_MEM */
	uint64_t addr;		/* CFG offset or PCI bus address */
	uint64_t left;		/* bytes for which all this holds */
	uint64_t pa;		/* what was translated to, or the address */
	uint64_t region;	/* bytes up to where else it may end */
	bool translated;
};

static bool within(uint64_t addr, uint64_t base, uint64_t size,
		   struct target *t)
{
	if (addr < base || addr - base >= size)
		return false;
	t->addr = addr - base;
	t->left = size - t->addr;
	return true;
}

static bool within_mem(uint64_t addr, uint64_t base, uint64_t size,
		       uint8_t *ptr, struct target *t)
{
	if (!within(addr, base, size, t))
		return false;
	t->kind = TARGET_MEM;
	t->ptr = ptr + t->addr;
	return true;
}

/* A physical device address. */
static void decode(struct gaudi_chip *chip, uint64_t addr, struct target *t)
{
	t->kind = TARGET_NONE;
	t->pa = addr;
	if (within_mem(addr, GAUDI_HBM_BASE, chip->hbm.size, chip->hbm.ptr, t))
		return;
	if (within(addr, GAUDI_HOST_BASE, GAUDI_HOST_SIZE, t)) {
		t->kind = TARGET_HOST;
		return;
	}
	if (within(addr, GAUDI_CFG_BASE, GAUDI_CFG_SIZE, t)) {
		t->kind = TARGET_CFG;
		return;
	}
	if (within_mem(addr, GAUDI_SRAM_BASE, chip->sram.size, chip->sram.ptr,
		       t))
		return;
	if (within_mem(addr, GAUDI_PSOC_SCRATCHPAD_BASE,
		       GAUDI_PSOC_SCRATCHPAD_SIZE, chip->scratchpad, t))
		return;
	within_mem(addr, GAUDI_PCIE_FW_SRAM_BASE, GAUDI_PCIE_FW_SRAM_SIZE,
		   chip->pcie_sram, t);
}

static bool is_translated(struct gaudi_chip *chip, const struct gaudi_txn *txn,
			  uint64_t addr)
{
	return !txn->bypass && addr >= GAUDI_HOST_BASE &&
	       gaudi_mmu_enabled(chip);
}

/* 0, or -EFAULT, which has been captured. */
static int resolve(struct gaudi_chip *chip, const struct gaudi_txn *txn,
		   uint64_t addr, uint64_t len, bool write, struct target *t)
{
	uint64_t pa = addr, left = UINT64_MAX;

	t->translated = is_translated(chip, txn, addr);
	if (t->translated &&
	    gaudi_mmu_translate(chip, txn, addr, len, write, &pa, &left))
		return -EFAULT;
	decode(chip, pa, t);
	if (t->kind == TARGET_CFG && txn->initiator > GAUDI_INIT_CPU &&
	    !gaudi_reg_answers(chip, t->addr))
		t->kind = TARGET_NONE;
	if (t->kind == TARGET_NONE) {
		gaudi_razwi(chip, txn, addr, write, "nothing is there");
		return -EFAULT;
	}
	if (t->kind == TARGET_CFG)
		return gaudi_protect_reg(chip, txn, t->addr & ~3u, write);
	if (gaudi_protect_mem(chip, txn, addr, write, &t->left))
		return -EFAULT;
	t->region = t->left;
	if (t->left > left)
		t->left = left;
	return 0;
}

size_t gaudi_bus_reachable(struct gaudi_chip *chip, const struct gaudi_txn *txn,
			   uint64_t addr, size_t len, bool write)
{
	uint64_t pa, left, end = addr + len;
	struct target t;
	size_t n = len;

	for (; n; addr += t.left < n ? t.left : n, n = end - addr) {
		pa = addr;
		left = UINT64_MAX;
		if (is_translated(chip, txn, addr) &&
		    gaudi_mmu_lookup(chip, txn->asid, addr, &pa, &left))
			break;
		decode(chip, pa, &t);
		if (t.kind == TARGET_NONE ||
		    !gaudi_mem_allowed(chip, txn, addr, write, &t.left))
			break;
		if (t.left > left)
			t.left = left;
	}
	return len - n;
}

/* Aligned words are written in one piece: software may poll them. */
static void mem_store(uint8_t *dst, const uint8_t *src, size_t len)
{
	uint32_t v32;
	uint64_t v64;

	if (len == 4 && !((uintptr_t)dst & 3)) {
		memcpy(&v32, src, 4);
		__atomic_store_n((uint32_t *)(void *)dst, v32,
				 __ATOMIC_RELEASE);
	} else if (len == 8 && !((uintptr_t)dst & 7)) {
		memcpy(&v64, src, 8);
		__atomic_store_n((uint64_t *)(void *)dst, v64,
				 __ATOMIC_RELEASE);
	} else {
		memcpy(dst, src, len);
	}
}

/* One dword at most; returns how many bytes it took. */
static size_t cfg_read_some(struct gaudi_chip *chip,
			    const struct gaudi_txn *txn, uint32_t off,
			    uint8_t *buf, size_t len)
{
	uint32_t reg = gaudi_reg_read(chip, off & ~3u, txn);
	size_t n = 4 - (off & 3);

	if (n > len)
		n = len;
	memcpy(buf, (uint8_t *)&reg + (off & 3), n);
	return n;
}

static int cfg_write_some(struct gaudi_chip *chip, const struct gaudi_txn *txn,
			  uint32_t off, const uint8_t *buf, size_t len,
			  size_t *done)
{
	size_t n = 4 - (off & 3);
	uint32_t reg = 0, mask = 0;

	if (n > len)
		n = len;
	*done = n;
	memcpy((uint8_t *)&reg + (off & 3), buf, n);
	memset((uint8_t *)&mask + (off & 3), 0xff, n);
	return gaudi_reg_write_part(chip, off & ~3u, reg, mask, txn);
}

static int host_error(struct gaudi_chip *chip, uint64_t addr, bool write)
{
	gaudi_log(chip, GAUDI_LOG_GUEST_ERROR,
		  "host refused a %s at PCI address 0x%llx",
		  write ? "write" : "read", (unsigned long long)addr);
	return -EFAULT;
}

/* May the card not reach the host now, or gets it no answer? */
static bool host_is_silent(struct gaudi_chip *chip, uint64_t addr, size_t n,
			   bool write)
{
	/* It may do much for it, and does not know of others. */
	gaudi_lock_at_most(GAUDI_LOCK_CARD);
	return gaudi_fault_armed(chip, GAUDI_FAULT_LINK) ||
	       (gaudi_fault_armed(chip, GAUDI_FAULT_HOST_READ) && !write &&
		chip->fault_hooks->host_read(chip, addr, n));
}

static int host_read(struct gaudi_chip *chip, uint64_t addr, uint8_t *dst,
		     size_t n)
{
	if (host_is_silent(chip, addr, n, false) ||
	    chip->ops->dma_read(chip->opaque, addr, dst, n))
		return host_error(chip, addr, false);
	__atomic_add_fetch(&chip->host_read, n, __ATOMIC_RELAXED);
	return 0;
}

static int host_write(struct gaudi_chip *chip, uint64_t addr,
		      const uint8_t *src, size_t n)
{
	if (host_is_silent(chip, addr, n, true) ||
	    chip->ops->dma_write(chip->opaque, addr, src, n))
		return host_error(chip, addr, true);
	__atomic_add_fetch(&chip->host_written, n, __ATOMIC_RELAXED);
	return 0;
}

int gaudi_bus_read(struct gaudi_chip *chip, const struct gaudi_txn *txn,
		   uint64_t addr, void *buf, size_t len)
{
	uint8_t *dst = buf;
	struct target t;
	size_t n;

	if (gaudi_fault_armed(chip, GAUDI_FAULT_ACCESS) &&
	    chip->fault_hooks->access(chip, txn, addr, len, false))
		return -EFAULT;
	for (; len; addr += n, dst += n, len -= n) {
		if (resolve(chip, txn, addr, len, false, &t))
			return -EFAULT;
		n = len < t.left ? len : t.left;
		switch (t.kind) {
		case TARGET_MEM:
			memcpy(dst, t.ptr, n);
			break;
		case TARGET_CFG:
			n = cfg_read_some(chip, txn, t.addr, dst, n);
			break;
		default:
			if (host_read(chip, t.addr, dst, n))
				return -EFAULT;
		}
	}
	return 0;
}

int gaudi_bus_write(struct gaudi_chip *chip, const struct gaudi_txn *txn,
		    uint64_t addr, const void *buf, size_t len)
{
	const uint8_t *src = buf;
	struct target t;
	size_t n;

	if (gaudi_fault_armed(chip, GAUDI_FAULT_ACCESS) &&
	    chip->fault_hooks->access(chip, txn, addr, len, true))
		return -EFAULT;
	for (; len; addr += n, src += n, len -= n) {
		if (resolve(chip, txn, addr, len, true, &t))
			return -EFAULT;
		n = len < t.left ? len : t.left;
		switch (t.kind) {
		case TARGET_MEM:
			mem_store(t.ptr, src, n);
			break;
		case TARGET_CFG:
			if (cfg_write_some(chip, txn, t.addr, src, n, &n))
				return -EFAULT;
			break;
		default:
			if (host_write(chip, t.addr, src, n))
				return -EFAULT;
		}
	}
	return 0;
}

int gaudi_bus_write32(struct gaudi_chip *chip, const struct gaudi_txn *txn,
		      uint64_t addr, uint32_t value)
{
	if (gaudi_fault_armed(chip, GAUDI_FAULT_MESSAGE) &&
	    chip->fault_hooks->message(chip, txn, addr))
		return 0;
	return gaudi_bus_write(chip, txn, addr, &value, sizeof(value));
}

/*
 * How far the target of a translated span goes on without a gap: small pages
 * often follow each other in host memory, and one mapping is cheaper than many.
 */
static uint64_t joined(struct gaudi_chip *chip, const struct gaudi_txn *txn,
		       uint64_t addr, uint64_t want, const struct target *t)
{
	uint64_t have = t->left, pa, left;

	/* Each page may be the one to be struck. */
	if (gaudi_fault_armed(chip, GAUDI_FAULT_TRANSLATE))
		return have;
	if (want > MAX_HOST_SPAN)
		want = MAX_HOST_SPAN;
	if (want > t->region)
		want = t->region;
	while (have < want &&
	       !gaudi_mmu_lookup(chip, txn->asid, addr + have, &pa, &left) &&
	       pa == t->pa + have)
		have += left;
	return have < t->region ? have : t->region;
}

int gaudi_bus_map(struct gaudi_chip *chip, const struct gaudi_txn *txn,
		  uint64_t addr, size_t len, bool write,
		  struct gaudi_span *span)
{
	struct target t;
	size_t n;

	if (gaudi_fault_armed(chip, GAUDI_FAULT_ACCESS) &&
	    chip->fault_hooks->access(chip, txn, addr, len, write))
		return -EFAULT;
	if (resolve(chip, txn, addr, len, write, &t))
		return -EFAULT;
	if (t.kind == TARGET_CFG)
		return -ENXIO;
	if (t.translated && len > t.left)
		t.left = joined(chip, txn, addr, len, &t);
	n = len < t.left ? len : t.left;
	span->write = write;
	span->host = t.kind == TARGET_HOST;
	if (span->host) {
		if (host_is_silent(chip, t.addr, n, write))
			return host_error(chip, t.addr, write);
		t.ptr = chip->ops->dma_map(chip->opaque, t.addr, &n, write);
		if (!t.ptr)
			return -ENXIO;
	}
	span->ptr = t.ptr;
	span->len = n;
	return 0;
}

void gaudi_bus_unmap(struct gaudi_chip *chip, struct gaudi_span *span,
		     size_t accessed)
{
	if (span->host) {
		chip->ops->dma_unmap(chip->opaque, span->ptr, span->len,
				     span->write, accessed);
		__atomic_add_fetch(span->write ? &chip->host_written :
						 &chip->host_read,
				   accessed, __ATOMIC_RELAXED);
	}
	span->ptr = NULL;
	span->len = 0;
}

/* --- life cycle -------------------------------------------------------- */

int gaudi_bus_init(struct gaudi_chip *chip)
{
	chip->bus = calloc(1, sizeof(*chip->bus));
	if (!chip->bus)
		return -ENOMEM;
	gaudi_lock_init(&chip->bus->reduce_lock, GAUDI_LOCK_REDUCE);
	gaudi_posts_init(chip);
	return 0;
}

void gaudi_bus_fini(struct gaudi_chip *chip)
{
	if (!chip->bus)
		return;
	gaudi_lock_destroy(&chip->bus->reduce_lock);
	free(chip->bus);
}
