/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The room of what goes wrong: error registers and payloads, read and put into
 * words; what users are told of it (gaudi_reports.h); one engine handed over or freed
 * from what it hangs at (gaudi_handover.h); and dumps of what waits for what.
 *
 * It owns the counters, the captured errors and the list of notifiers.
 *
 * Locks: gaudi_error_lock(), a mutex, keeps an event's handler and recovery apart.
 * It is held when one of these is called: what one of them clears, the other does
 * not see. Inside it, a spinlock for what users read.
 *
 * It offers what handlers of events and recovery call. They set any (or return)
 * whether an error was there; u64 results are HL_NOTIFIER_EVENT_* bits to add.
 */
#ifndef GAUDI_ERRORS_H
#define GAUDI_ERRORS_H

#include <linux/types.h>

struct dentry;
struct gaudi_device;
struct gaudi_eq_entry;

int gaudi_error_init(struct gaudi_device *gdev);
/* The card was reset: no status is set. */
void gaudi_error_reset(struct gaudi_device *gdev);

void gaudi_error_lock(struct gaudi_device *gdev);
void gaudi_error_unlock(struct gaudi_device *gdev);
u64 gaudi_error_razwi(struct gaudi_device *gdev, bool *any);
/* stopped: bits of streams that go on after a reset only. */
u64 gaudi_error_qman(struct gaudi_device *gdev, u32 event_id, bool *any,
		     unsigned long *stopped);
bool gaudi_error_tpc(struct gaudi_device *gdev, unsigned int tpc);
bool gaudi_error_dma(struct gaudi_device *gdev, unsigned int dma);
/*
 * Recovery: clear the errors that stop QMAN q. Those that no event has reported
 * yet are reported now, since they will be gone when it comes.
 */
u64 gaudi_error_clear_qman(struct gaudi_device *gdev, unsigned int q);

void gaudi_error_ecc(struct gaudi_device *gdev,
		     const struct gaudi_eq_entry *entry);
void gaudi_error_hbm(struct gaudi_device *gdev, unsigned int index,
		     const struct gaudi_eq_entry *entry);
void gaudi_error_sei(struct gaudi_device *gdev, bool sync_mngr,
		     unsigned int index, const struct gaudi_eq_entry *entry);
void gaudi_error_fw(struct gaudi_device *gdev, bool alive,
		    const struct gaudi_eq_entry *entry);

/* Save the waits of all streams for debugfs; not during a reset. May sleep. */
void gaudi_state_dump(struct gaudi_device *gdev);
/* debugfs' file of the dumps */
void gaudi_debugfs_dump_add(struct gaudi_device *gdev, struct dentry *root);

#endif /* GAUDI_ERRORS_H */
