/* SPDX-License-Identifier: GPL-2.0-only */
/* Error registers and payloads, read and put into words. See gaudi_events.c. */
#ifndef GAUDI_ERROR_H
#define GAUDI_ERROR_H

#include <linux/types.h>

#include "gaudi_events.h"

struct gaudi_device;
struct gaudi_eq_entry;

/* Keep rec if it is the first of its kind. True if it was. */
bool gaudi_events_capture(struct gaudi_device *gdev, enum gaudi_captured kind,
			  const void *rec);

/* These return HL_NOTIFIER_EVENT_* bits to add. */
u64 gaudi_error_razwi(struct gaudi_device *gdev);
u64 gaudi_error_qman(struct gaudi_device *gdev, u32 event_id);

void gaudi_error_tpc(struct gaudi_device *gdev, unsigned int tpc);
void gaudi_error_ecc(struct gaudi_device *gdev,
		     const struct gaudi_eq_entry *entry);
void gaudi_error_sei(struct gaudi_device *gdev, bool sync_mngr,
		     unsigned int index, const struct gaudi_eq_entry *entry);
void gaudi_error_fw(struct gaudi_device *gdev, bool alive,
		    const struct gaudi_eq_entry *entry);

#endif /* GAUDI_ERROR_H */
