/* SPDX-License-Identifier: GPL-2.0-only */
/* Error registers and payloads, read and put into words. See gaudi_events.c. */
#ifndef GAUDI_ERROR_H
#define GAUDI_ERROR_H

#include <linux/types.h>

#include "../events/gaudi_events.h"

struct gaudi_device;
struct gaudi_eq_entry;

/* Keep rec if it is the first of its kind. True if it was. */
bool gaudi_events_capture(struct gaudi_device *gdev, enum gaudi_captured kind,
			  const void *rec);

int gaudi_error_init(struct gaudi_device *gdev);
/* The card was reset: no status is set. */
void gaudi_error_reset(struct gaudi_device *gdev);

/*
 * The lock keeps an event's handler and recovery apart. It is held when one of
 * these is called: what one of them clears, the other does not see. They set
 * any (or return) whether an error was there.
 */
void gaudi_error_lock(struct gaudi_device *gdev);
void gaudi_error_unlock(struct gaudi_device *gdev);
/* These return HL_NOTIFIER_EVENT_* bits to add. */
u64 gaudi_error_razwi(struct gaudi_device *gdev, bool *any);
u64 gaudi_error_qman(struct gaudi_device *gdev, u32 event_id, bool *any);
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

#endif /* GAUDI_ERROR_H */
