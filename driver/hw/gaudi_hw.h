/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The room of the card's registers: windows, constants, protection, engines, and
 * the hardware side of queue managers and of the MMU.
 *
 * It owns the BARs, what is written once at each boot, and the table of the queue
 * managers in use (gaudi_blocks.h). gaudi_qman.c enables and stops a queue manager,
 * a TPC's like any other's (QM_GLBL_CFG0).
 *
 * Locks: invalidation of the MMU has a mutex (gaudi_mmu.c). Else the callers see to
 * it: bring-up and reset are alone with the card.
 *
 * It offers access to registers (gaudi_reg_io.h), the steps of bring-up below, what
 * engines are doing, and address spaces of engines (gaudi_mmu.h).
 */
#ifndef GAUDI_HW_H
#define GAUDI_HW_H

#include <linux/types.h>

struct gaudi_device;
struct gaudi_qman_desc;
struct seq_file;

/* gaudi_pci.c: windows and address translation. devm, no fini. */
int gaudi_pci_init(struct gaudi_device *gdev);
/* After the card lost its translation (resume, function level reset). */
int gaudi_pci_restore(struct gaudi_device *gdev);

/* gaudi_golden.c: constants, before engines are touched. */
void gaudi_golden_hbm_scrambler(struct gaudi_device *gdev);
void gaudi_golden_init(struct gaudi_device *gdev);
/* gaudi_security.c: range registers and protection bits. */
void gaudi_security_init(struct gaudi_device *gdev);

/* gaudi_engines.c */
void gaudi_engines_disable_clock_gating(struct gaudi_device *gdev);
/* pq_addr: the device address of a queue's ring. */
void gaudi_engines_init(struct gaudi_device *gdev,
			u64 (*pq_addr)(struct gaudi_device *gdev, u32 qid));
/* Stop everything that may touch host memory. Sleeps some milliseconds. */
void gaudi_engines_halt(struct gaudi_device *gdev);
/*
 * True if no engine works. mask (HL_BUSY_ENGINES_MASK_EXT_SIZE u64s, bits as
 * enum gaudi_engine_id) and text (what INFO_ENGINE_STATUS and debugfs show)
 * may be NULL.
 */
bool gaudi_engines_idle(struct gaudi_device *gdev, u64 *mask, unsigned int len,
			struct seq_file *text);
bool gaudi_qman_idle(struct gaudi_device *gdev,
		     const struct gaudi_qman_desc *qm, u32 *glbl_sts0,
		     u32 *cgm_sts);

/* Read a register so that earlier writes of the device are visible. */
void gaudi_flush_hbw(struct gaudi_device *gdev);
u64 gaudi_device_time(struct gaudi_device *gdev);

#endif /* GAUDI_HW_H */
