// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Faults in what the card does: the hooks that other rooms call where
 * something passes that may be struck (fault_site.h).
 *
 * Not here: which fault strikes when (fault.c).
 */
#include "catalogue.h"
#include "../bus/bus.h"
#include "../../../uapi/hw/regs/gaudi_dma_core_regs.h"

#define NS_PER_MS		1000000ull

/* The QMAN behind which an engine's access is counted; -1: none. */
static int queue_of(const struct gaudi_txn *txn)
{
	switch (txn->initiator) {
	case GAUDI_INIT_QMAN:
		return txn->unit;
	case GAUDI_INIT_DMA:
		return GAUDI_QMAN_DMA + txn->unit;
	case GAUDI_INIT_TPC:
		return GAUDI_QMAN_TPC + txn->unit;
	case GAUDI_INIT_MME:
		return GAUDI_QMAN_MME0 + txn->unit / 2;
	case GAUDI_INIT_NIC:
		return GAUDI_QMAN_NIC + txn->unit;
	default:
		return -1;
	}
}

static struct gaudi_fault_place access_place(const struct gaudi_txn *txn,
					     uint64_t addr, uint64_t size)
{
	return (struct gaudi_fault_place){
		.queue = queue_of(txn), .stream = -1,
		.addr = addr, .size = size ? size : 1,
	};
}

/* Host and firmware make no faults of engines. */
static bool is_engine(const struct gaudi_txn *txn)
{
	return txn->initiator != GAUDI_INIT_PCI &&
	       txn->initiator != GAUDI_INIT_CPU;
}

/* --- accesses -------------------------------------------------------------------- */

static bool on_access(struct gaudi_chip *chip, const struct gaudi_txn *txn,
		      uint64_t addr, uint64_t size, bool write)
{
	const struct gaudi_fault_place at = access_place(txn, addr, size);

	if (!is_engine(txn) ||
	    !gaudi_fault_strike(chip, GAUDI_FAULT_ACCESS, &at))
		return false;
	gaudi_razwi(chip, txn, addr, write, "a fault on demand");
	return true;
}

static int on_translate(struct gaudi_chip *chip, const struct gaudi_txn *txn,
			uint64_t va, uint64_t size)
{
	const struct gaudi_fault_place at = access_place(txn, va, size);
	const struct gaudi_fault *f;

	f = gaudi_fault_strike(chip, GAUDI_FAULT_TRANSLATE, &at);
	if (!f)
		return 0;
	return f->desc->arg ? -EACCES : -EFAULT;
}

static bool on_message(struct gaudi_chip *chip, const struct gaudi_txn *txn,
		       uint64_t addr)
{
	const struct gaudi_fault_place at = access_place(txn, addr, 4);

	return is_engine(txn) &&
	       gaudi_fault_strike(chip, GAUDI_FAULT_MESSAGE, &at);
}

static bool on_reg_read(struct gaudi_chip *chip, uint32_t cfg_off)
{
	const struct gaudi_fault_place at = {
		.queue = -1, .stream = -1,
		.addr = GAUDI_CFG_BASE + cfg_off, .size = 4,
	};

	return gaudi_fault_strike(chip, GAUDI_FAULT_REG_READ, &at);
}

static bool on_host_read(struct gaudi_chip *chip, uint64_t addr,
			 uint64_t size)
{
	const struct gaudi_fault_place at = {
		.queue = -1, .stream = -1, .addr = addr,
		.size = size ? size : 1,
	};

	if (!gaudi_fault_strike(chip, GAUDI_FAULT_HOST_READ, &at))
		return false;
	chip->outbox.aer_status[GAUDI_HOST_AER_NONFATAL - GAUDI_HOST_AER_COR] =
		GAUDI_AER_COMPLETION_TIMEOUT;
	chip->outbox.host_faults |= 1u << GAUDI_HOST_AER_NONFATAL;
	return true;
}

/* --- queues ------------------------------------------------------------------------ */

static bool on_packet(struct gaudi_chip *chip, unsigned int qman,
		      unsigned int cp)
{
	const struct gaudi_fault_place at = {
		.queue = qman, .stream = cp,
	};

	return gaudi_fault_strike(chip, GAUDI_FAULT_PACKET, &at);
}

static bool on_fence(struct gaudi_chip *chip, unsigned int qman,
		     unsigned int f, unsigned int cp)
{
	const struct gaudi_fault_place at = {
		.queue = qman, .stream = cp, .number = f,
	};

	return gaudi_fault_strike(chip, GAUDI_FAULT_FENCE, &at);
}

/* --- DMA ----------------------------------------------------------------------------- */

static bool on_commit(struct gaudi_chip *chip, unsigned int core,
		      unsigned int cp, uint64_t *less, uint32_t *error)
{
	const struct gaudi_fault_place at = {
		.queue = GAUDI_QMAN_DMA + core, .stream = cp,
	};
	const struct gaudi_fault *f;

	f = gaudi_fault_strike(chip, GAUDI_FAULT_COMMIT, &at);
	if (!f)
		return false;
	*less = f->value[GAUDI_FK_BYTES];
	if (!*less)
		*error = gaudi_fault_given(f, GAUDI_FK_ERROR) ?
			 f->value[GAUDI_FK_ERROR] : DMA_CORE_ERR_CAUSE_HBW_WR;
	return true;
}

static bool on_dma_end(struct gaudi_chip *chip, unsigned int core,
		       unsigned int cp, uint64_t pos)
{
	const struct gaudi_fault_place at = {
		.queue = GAUDI_QMAN_DMA + core, .stream = cp,
	};
	const struct gaudi_fault *f;

	if (chip->faults->dma_passed[core]) {
		chip->faults->dma_passed[core] = false;
		return false;
	}
	f = gaudi_fault_strike(chip, GAUDI_FAULT_DMA_END, &at);
	if (!f)
		return false;
	chip->faults->dma_until_ns[core] = gaudi_now_ns(chip) +
		f->value[GAUDI_FK_MS] * NS_PER_MS +
		(pos * f->value[GAUDI_FK_NS_PER_KIB] >> 10);
	gaudi_fault_schedule(chip);
	return true;
}

/* --- interrupts ------------------------------------------------------------------------ */

enum { MSI_LOST, MSI_DOUBLE, MSI_LATE };

static bool on_msi(struct gaudi_chip *chip, unsigned int vector)
{
	const struct gaudi_fault_place at = {
		.queue = -1, .stream = -1, .number = vector,
	};
	struct gaudi_faults *fs = chip->faults;
	const struct gaudi_fault *f;

	f = gaudi_fault_strike(chip, GAUDI_FAULT_MSI, &at);
	if (!f)
		return false;
	if (f->desc->arg == MSI_LOST)
		return true;
	if (fs->num_msi == GAUDI_FAULT_MSIS)
		return false;
	fs->msi[fs->num_msi].vector = vector;
	fs->msi[fs->num_msi++].due_ns = gaudi_now_ns(chip) +
		f->value[GAUDI_FK_MS] * NS_PER_MS;
	gaudi_fault_schedule(chip);
	return f->desc->arg == MSI_LATE;
}

const struct gaudi_fault_hooks gaudi_fault_hooks = {
	.msi = on_msi,
	.job = gaudi_fault_job,
	.packet = on_packet,
	.fence = on_fence,
	.commit = on_commit,
	.dma_end = on_dma_end,
	.access = on_access,
	.translate = on_translate,
	.message = on_message,
	.reg_read = on_reg_read,
	.host_read = on_host_read,
	.frame = gaudi_fault_on_frame,
	.completion = gaudi_fault_on_completion,
	.firmware = gaudi_fault_on_firmware,
};
