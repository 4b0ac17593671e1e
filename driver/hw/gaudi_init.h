/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The steps of bring-up and shut-down, one line each, in the order in which
 * gaudi_device.c calls them. For bring-up and reset only.
 */
#ifndef GAUDI_INIT_H
#define GAUDI_INIT_H

#include <linux/types.h>

struct drm_driver;
struct gaudi_device;
struct gaudi_qman_desc;
struct pci_dev;

/* gaudi_pci.c: windows and address translation. devm, no fini. */
int gaudi_pci_init(struct gaudi_device *gdev);
/* After the card lost its translation (resume, function level reset). */
int gaudi_pci_restore(struct gaudi_device *gdev);

/* gaudi_fw.c: the embedded CPU from power-on to its Linux. */
int gaudi_fw_wait_preboot(struct gaudi_device *gdev);
int gaudi_fw_load(struct gaudi_device *gdev);
/*
 * Ask the embedded CPU to halt, before the driver resets the card. anywhere: it
 * may be in its preboot as well as in its Linux, so both are asked.
 */
void gaudi_fw_halt(struct gaudi_device *gdev, bool anywhere);
/* Boot status bits again; firmware may add some once it runs. */
int gaudi_fw_update_status(struct gaudi_device *gdev);
bool gaudi_fw_resets_itself(struct gaudi_device *gdev);

/* gaudi_golden.c: constants, before engines are touched. */
void gaudi_golden_hbm_scrambler(struct gaudi_device *gdev);
void gaudi_golden_init(struct gaudi_device *gdev);
/* gaudi_security.c: range registers and protection bits. */
void gaudi_security_init(struct gaudi_device *gdev);

/* gaudi_qman.c */
void gaudi_qman_init(struct gaudi_device *gdev,
		     const struct gaudi_qman_desc *qm);
void gaudi_qman_enable(struct gaudi_device *gdev,
		       const struct gaudi_qman_desc *qm);
void gaudi_qman_stop(struct gaudi_device *gdev,
		     const struct gaudi_qman_desc *qm);
void gaudi_qman_disable(struct gaudi_device *gdev,
			const struct gaudi_qman_desc *qm);
bool gaudi_qman_idle(struct gaudi_device *gdev,
		     const struct gaudi_qman_desc *qm, u32 *glbl_sts0,
		     u32 *cgm_sts);

/* gaudi_engines.c */
void gaudi_engines_disable_clock_gating(struct gaudi_device *gdev);
void gaudi_engines_init(struct gaudi_device *gdev);
/* Stop everything that may touch host memory. Sleeps some milliseconds. */
void gaudi_engines_halt(struct gaudi_device *gdev);

/* gaudi_tpc.c: the start-up kernel that clears the TPCs' memories. */
int gaudi_tpc_load(struct gaudi_device *gdev);

/* gaudi_sync.c */
void gaudi_sync_init(struct gaudi_device *gdev);
/* A DMA core adds 1 to "its" SOB unless the user says otherwise. */
#define GAUDI_WR_COMP_ADD_1	(SYNC_MNGR_SOB_OBJ_INC | 1)

/* gaudi_kjob.c */
int gaudi_kjob_init(struct gaudi_device *gdev);
void gaudi_kjob_reset(struct gaudi_device *gdev);

/* gaudi_mmu.c */
int gaudi_mmu_init(struct gaudi_device *gdev);

/* gaudi_irq.c: one MSI vector; off until enabled. */
int gaudi_irq_init(struct gaudi_device *gdev);
void gaudi_irq_fini(struct gaudi_device *gdev);
void gaudi_irq_enable(struct gaudi_device *gdev);
/* Have the thread deal with completions. Any context, any time. */
void gaudi_irq_wake_thread(struct gaudi_device *gdev);
/* No handler runs any more when this returns. May sleep. */
void gaudi_irq_disable(struct gaudi_device *gdev);

/* gaudi_eq.c */
int gaudi_eq_init(struct gaudi_device *gdev);
void gaudi_eq_fini(struct gaudi_device *gdev);
/* Zero ring and index; the embedded CPU does not know the ring yet. */
void gaudi_eq_reset(struct gaudi_device *gdev);
/* Let firmware post events. Fatal ones may come from here on. */
void gaudi_eq_enable(struct gaudi_device *gdev);
/* From the interrupt: schedule the handling of entries. */
void gaudi_eq_kick(struct gaudi_device *gdev);
/* Wait for a handler that runs; it will not run again before enable. */
void gaudi_eq_stop(struct gaudi_device *gdev);

/* gaudi_reset.c */
int gaudi_reset_init(struct gaudi_device *gdev);
void gaudi_reset_fini(struct gaudi_device *gdev);
/* Bring-up is over: the card is operational, and heartbeats start. */
void gaudi_reset_start(struct gaudi_device *gdev);
/* debugfs: show the card as disabled, or not; it works on. */
void gaudi_reset_set_disabled(struct gaudi_device *gdev, bool disabled);
/* After the status has left operational: wait for threads that are inside. */
void gaudi_reset_drain(struct gaudi_device *gdev);
/* For a card that comes back: its users should be gone by then. */
#define GAUDI_RESET_USERS_MS	30000
/*
 * Keep users and resets away until gaudi_reset_unblock(): suspend, function
 * level reset, removal. Engines, interrupts and firmware are quiet when it
 * returns, users are killed and have had users_ms to go; 0: they may live.
 */
void gaudi_reset_block(struct gaudi_device *gdev, int status,
		       unsigned int users_ms);
/* Bring the card back; 0, or it stays disabled. */
int gaudi_reset_unblock(struct gaudi_device *gdev);

/*
 * gaudi_coredump.c: take it while there is something to see; this allocates
 * nothing. Hand it out when all fences have signalled, since allocations may
 * wait for them.
 */
int gaudi_coredump_init(struct gaudi_device *gdev);
void gaudi_coredump_take(struct gaudi_device *gdev, const char *reason);
void gaudi_coredump_hand_out(struct gaudi_device *gdev);

/* gaudi_device.c */
struct gaudi_device *gaudi_device_create(struct pci_dev *pdev,
					 const struct drm_driver *driver);
int gaudi_device_init(struct gaudi_device *gdev);
void gaudi_device_fini(struct gaudi_device *gdev);
/* Everything after preboot until the driver's own jobs can run. */
int gaudi_device_hw_init(struct gaudi_device *gdev);
/* Queue test, firmware information, page tables, TPC memories. */
int gaudi_device_late_init(struct gaudi_device *gdev);
/*
 * Hard reset: the card is as after power-on. Engines are halted before. Sleeps
 * for 2 s. fw_anywhere: see gaudi_fw_halt().
 */
int gaudi_device_hw_reset(struct gaudi_device *gdev, bool fw_anywhere);
/* Stop all that may touch host memory or raise interrupts. */
void gaudi_device_halt(struct gaudi_device *gdev);

#endif /* GAUDI_INIT_H */
