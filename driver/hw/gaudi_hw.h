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

/**
 * gaudi_pci_init() - Enable the PCI function and map its windows
 * @gdev: the card
 *
 * For probe. All of it is undone by devm; there is no fini.
 *
 * Context: May sleep.
 * Return: 0 or an errno.
 */
int gaudi_pci_init(struct gaudi_device *gdev);

/**
 * gaudi_pci_restore() - Set up address translation again
 * @gdev: the card
 *
 * After the card lost it: resume, function level reset. Does nothing but wait
 * where firmware sets it up.
 *
 * Context: May sleep.
 * Return: 0 or an errno.
 */
int gaudi_pci_restore(struct gaudi_device *gdev);

/**
 * gaudi_golden_hbm_scrambler() - Enable the scrambler of HBM
 * @gdev: the card
 *
 * Unless firmware has done it. Before firmware is loaded into HBM.
 *
 * Context: Bring-up and reset.
 */
void gaudi_golden_hbm_scrambler(struct gaudi_device *gdev);

/**
 * gaudi_golden_init() - Write the golden settings
 * @gdev: the card
 *
 * What firmware has not written; before engines are touched.
 *
 * Context: Bring-up and reset.
 */
void gaudi_golden_init(struct gaudi_device *gdev);

/**
 * gaudi_security_init() - Write range registers and protection bits
 * @gdev: the card
 *
 * Context: Bring-up and reset.
 */
void gaudi_security_init(struct gaudi_device *gdev);

/**
 * gaudi_engines_disable_clock_gating() - Keep the clocks of the queue managers
 *	on
 * @gdev: the card
 *
 * Context: Bring-up and reset.
 */
void gaudi_engines_disable_clock_gating(struct gaudi_device *gdev);

/**
 * gaudi_engines_init() - Set up all queue managers and engines, and enable them
 * @gdev: the card
 * @pq_addr: the device address of a queue's ring
 *
 * Context: Bring-up and reset.
 */
void gaudi_engines_init(struct gaudi_device *gdev,
			u64 (*pq_addr)(struct gaudi_device *gdev, u32 qid));

/**
 * gaudi_engines_init_nic() - Set up the queue managers of the ports that are used
 * @gdev: the card
 * @pq_addr: the device address of a queue's ring
 *
 * They have no address space yet.
 *
 * Context: Bring-up and reset.
 */
void gaudi_engines_init_nic(struct gaudi_device *gdev,
			    u64 (*pq_addr)(struct gaudi_device *gdev, u32 qid));

/**
 * gaudi_engines_halt() - Stop everything that may touch host memory
 * @gdev: the card
 *
 * Does nothing while PCI keeps us from the card.
 *
 * Context: Sleeps some milliseconds.
 */
void gaudi_engines_halt(struct gaudi_device *gdev);

/**
 * gaudi_engines_idle() - Whether no engine works
 * @gdev: the card
 * @mask: set to the busy engines, bits as enum gaudi_engine_id; may be %NULL
 * @len: how many u64 @mask has
 * @text: gets what INFO ENGINE_STATUS and debugfs show; may be %NULL
 *
 * Return: True if all are idle.
 */
bool gaudi_engines_idle(struct gaudi_device *gdev, u64 *mask, unsigned int len,
			struct seq_file *text);

/**
 * gaudi_qman_idle() - Whether a queue manager has nothing to do
 * @gdev: the card
 * @qm: the queue manager
 * @glbl_sts0: where its status register is put
 * @cgm_sts: where the status of its clock gating is put
 *
 * Return: True if it is idle; its engine may be busy.
 */
bool gaudi_qman_idle(struct gaudi_device *gdev,
		     const struct gaudi_qman_desc *qm, u32 *glbl_sts0,
		     u32 *cgm_sts);

/**
 * gaudi_flush_hbw() - Make earlier writes of the device visible
 * @gdev: the card
 *
 * By a read of a register.
 *
 * Context: Any context.
 */
void gaudi_flush_hbw(struct gaudi_device *gdev);

/**
 * gaudi_device_time() - Read the device's time counter
 * @gdev: the card
 *
 * Context: Any context.
 * Return: Ticks of gaudi_device.psoc_pll.timestamp_mhz.
 */
u64 gaudi_device_time(struct gaudi_device *gdev);

#endif /* GAUDI_HW_H */
