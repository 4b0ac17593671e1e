/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Where faults on demand may strike. Whoever does something that may be struck
 * asks gaudi_fault_armed() first, so that a card without faults pays one
 * predictable branch, and then calls a hook. The fault room, which stands above
 * all that may be struck, has left the hooks in chip->fault_hooks. Lock held.
 */
#ifndef GAUDI_FAULT_SITE_H
#define GAUDI_FAULT_SITE_H

#include <stdbool.h>
#include <stdint.h>

struct gaudi_chip;
struct gaudi_txn;

enum gaudi_fault_site {
	GAUDI_FAULT_NOW,
	GAUDI_FAULT_JOB,	/* a command buffer starts */
	GAUDI_FAULT_PACKET,	/* a packet is about to be executed */
	GAUDI_FAULT_FENCE,	/* a fence counter is incremented */
	GAUDI_FAULT_COMMIT,	/* a DMA core takes a transfer */
	GAUDI_FAULT_DMA_END,	/* a DMA core has done its transfer */
	GAUDI_FAULT_ACCESS,	/* an engine reads or writes */
	GAUDI_FAULT_TRANSLATE,	/* the MMU is asked for a page */
	GAUDI_FAULT_MESSAGE,	/* a 32-bit write: packets, monitors */
	GAUDI_FAULT_MSI,
	GAUDI_FAULT_REG_READ,	/* the host reads a register */
	GAUDI_FAULT_HOST_READ,	/* the card reads host memory */
	GAUDI_FAULT_FRAME,	/* a NIC port sends a packet, or gets one */
	GAUDI_FAULT_CQ,		/* a NIC port tells of a completion */
	GAUDI_FAULT_LINK,	/* no fault's own: the PCIe link is down */
	GAUDI_FAULT_SITES,
};

/* Cheap question before a hook: is anything armed there? */
#define gaudi_fault_armed(chip, site) \
	__builtin_expect((chip)->fault_sites & 1u << (site), 0)

/* What becomes of a packet. */
enum gaudi_frame_fate {
	GAUDI_FRAME_WHOLE,
	GAUDI_FRAME_LOST,
	GAUDI_FRAME_DOUBLED,
	GAUDI_FRAME_DAMAGED,
	GAUDI_FRAME_BAD_QP,	/* a number that nobody has */
	GAUDI_FRAME_BAD_KEY,	/* one with a key only */
	/* on its way out only: */
	GAUDI_FRAME_LATE,	/* others overtake it, until delay_ns have passed */
	GAUDI_FRAME_SLOW,	/* takes time, and others wait behind it */
};

struct gaudi_frame {
	uint8_t port, opcode;
	bool in, has_key;
	/* the fault says: */
	uint32_t random;	/* what to damage */
	uint64_t delay_ns, ns_per_kib;
};

/* cp: a queue's command processor, 4 is the lower one. */
struct gaudi_fault_hooks {
	/* True: the vector is not to be raised now. */
	bool (*msi)(struct gaudi_chip *chip, unsigned int vector);
	/* A CP begins with a command buffer. */
	void (*job)(struct gaudi_chip *chip, unsigned int qman,
		    unsigned int cp);
	/* True: the packet has no defined opcode. */
	bool (*packet)(struct gaudi_chip *chip, unsigned int qman,
		       unsigned int cp);
	/* True: the increment is lost. */
	bool (*fence)(struct gaudi_chip *chip, unsigned int qman,
		      unsigned int f, unsigned int cp);
	/*
	 * True: the transfer that a DMA core takes is shorter by so many bytes,
	 * or if that is 0, fails with bits of ERR_CAUSE.
	 */
	bool (*commit)(struct gaudi_chip *chip, unsigned int core,
		       unsigned int cp, uint64_t *less, uint32_t *error);
	/* True: the core is held until gaudi_dma_release(). pos: bytes done. */
	bool (*dma_end)(struct gaudi_chip *chip, unsigned int core,
			unsigned int cp, uint64_t pos);
	/* True: the access is refused, which has been reported. */
	bool (*access)(struct gaudi_chip *chip, const struct gaudi_txn *txn,
		       uint64_t addr, uint64_t size, bool write);
	/* size: bytes within the page. 0, or the MMU's -EFAULT, -EACCES. */
	int (*translate)(struct gaudi_chip *chip, const struct gaudi_txn *txn,
			 uint64_t va, uint64_t size);
	/* True: the message is lost. */
	bool (*message)(struct gaudi_chip *chip, const struct gaudi_txn *txn,
			uint64_t addr);
	/* True: all ones are read. cfg_off: from GAUDI_CFG_BASE. */
	bool (*reg_read)(struct gaudi_chip *chip, uint32_t cfg_off);
	/* True: no completion comes. */
	bool (*host_read)(struct gaudi_chip *chip, uint64_t addr,
			  uint64_t size);
	enum gaudi_frame_fate (*frame)(struct gaudi_chip *chip,
				       struct gaudi_frame *frame);
	/* True: there is no room for it in its queue. */
	bool (*completion)(struct gaudi_chip *chip, unsigned int port);
	/* Firmware's own fault, enum gaudi_fw_fault_kind, has struck. command: its opcode, or 0. */
	void (*firmware)(struct gaudi_chip *chip, unsigned int what,
			 unsigned int command);
};

#endif /* GAUDI_FAULT_SITE_H */
