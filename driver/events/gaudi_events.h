/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The room of events: the table of their ids, and what is done about each.
 *
 * It owns the table alone; what users are told is in gaudi_reports.h.
 *
 * Locks: none of its own. Handling takes gaudi_errors.lock while error registers
 * are read, and runs in the event queue's ordered worker.
 *
 * It offers the handler, which bring-up gives to the event queue, and names.
 */
#ifndef GAUDI_EVENTS_H
#define GAUDI_EVENTS_H

#include <linux/types.h>

struct gaudi_device;
struct gaudi_eq_entry;
struct seq_file;

/**
 * gaudi_events_handle() - Handle one entry of the event queue
 * @gdev: the card
 * @entry: the entry
 *
 * Context: The event queue's worker. May sleep.
 */
void gaudi_events_handle(struct gaudi_device *gdev,
			 const struct gaudi_eq_entry *entry);

/**
 * gaudi_event_name() - The name of an event
 * @event_id: its id
 * @buf: where the name is put; "N/A" for ids that do not exist
 * @size: bytes of @buf
 *
 * Context: Any context.
 */
void gaudi_event_name(u32 event_id, char *buf, size_t size);

/**
 * gaudi_events_show() - Write how often each event came, if it did
 * @gdev: the card
 * @aggregate: since probe, not since the last reset
 * @s: where the lines are put
 *
 * Context: May sleep. Allocates nothing that waits for submissions.
 * Return: 0 or %-ENOMEM.
 */
int gaudi_events_show(struct gaudi_device *gdev, bool aggregate,
		      struct seq_file *s);

#endif /* GAUDI_EVENTS_H */
