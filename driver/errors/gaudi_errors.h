/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The room of what goes wrong: error registers and payloads, read and put into
 * words; what users are told of it (gaudi_reports.h); and dumps of what waits for what.
 *
 * It owns the counters, the captured errors and the list of notifiers.
 *
 * Locks: gaudi_errors.lock, a mutex, keeps an event's handler and recovery apart:
 * both take it by gaudi_reports_begin_for(). What one of them clears, the other does
 * not see. Inside it, gaudi_reports.lock, a spinlock for what users read.
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
struct seq_file;

/**
 * gaudi_error_init() - Make the room's part of the device
 * @gdev: the card
 *
 * Context: Probe; freed by devm.
 * Return: 0 or %-ENOMEM.
 */
int gaudi_error_init(struct gaudi_device *gdev);

/**
 * gaudi_error_reset() - The card was reset: no status is set
 * @gdev: the card
 *
 * Context: May sleep; takes gaudi_errors.lock.
 */
void gaudi_error_reset(struct gaudi_device *gdev);

/**
 * gaudi_error_razwi() - Report refused accesses and page faults
 * @gdev: the card
 * @any: set if an error was there
 *
 * Reads and clears the registers of the range checks and of the MMU.
 *
 * Context: gaudi_errors.lock is held.
 * Return: HL_NOTIFIER_EVENT_* bits to add.
 */
u64 gaudi_error_razwi(struct gaudi_device *gdev, bool *any);

/**
 * gaudi_error_qman() - Report errors of the QMAN that an event names
 * @gdev: the card
 * @event_id: the event
 * @any: set if an error was there
 * @stopped: gets bits of streams that go on after a reset only
 *
 * Context: gaudi_errors.lock is held.
 * Return: HL_NOTIFIER_EVENT_* bits to add.
 */
u64 gaudi_error_qman(struct gaudi_device *gdev, u32 event_id, bool *any,
		     unsigned long *stopped);

/**
 * gaudi_error_tpc() - Report and clear errors of a TPC
 * @gdev: the card
 * @tpc: its number
 *
 * Context: gaudi_errors.lock is held.
 * Return: True if an error was there.
 */
bool gaudi_error_tpc(struct gaudi_device *gdev, unsigned int tpc);

/**
 * gaudi_error_dma() - Whether a DMA core has an error
 * @gdev: the card
 * @dma: its number
 *
 * Context: gaudi_errors.lock is held.
 * Return: True if an error was there.
 */
bool gaudi_error_dma(struct gaudi_device *gdev, unsigned int dma);

/**
 * gaudi_error_clear_qman() - Clear the errors that stop a QMAN
 * @gdev: the card
 * @q: index of gaudi_qmans
 *
 * For recovery. Those that no event has reported yet are reported now, since
 * they will be gone when it comes.
 *
 * Context: gaudi_errors.lock is held.
 * Return: HL_NOTIFIER_EVENT_* bits to add.
 */
u64 gaudi_error_clear_qman(struct gaudi_device *gdev, unsigned int q);

/**
 * gaudi_error_ecc() - Print what an event tells of an ECC error
 * @gdev: the card
 * @entry: the event
 */
void gaudi_error_ecc(struct gaudi_device *gdev,
		     const struct gaudi_eq_entry *entry);

/**
 * gaudi_error_hbm() - Print what an event tells of an error of HBM
 * @gdev: the card
 * @index: number of the HBM
 * @entry: the event
 *
 * Nothing from firmware that leaves it to registers.
 */
void gaudi_error_hbm(struct gaudi_device *gdev, unsigned int index,
		     const struct gaudi_eq_entry *entry);

/**
 * gaudi_error_sei() - Print what an event tells of a bus or sync manager error
 * @gdev: the card
 * @sync_mngr: of a sync manager, else of a NIC
 * @index: number of the block, as the events count
 * @entry: the event
 */
void gaudi_error_sei(struct gaudi_device *gdev, bool sync_mngr,
		     unsigned int index, const struct gaudi_eq_entry *entry);

/**
 * gaudi_error_fw() - Print what firmware tells of its own trouble
 * @gdev: the card
 * @alive: of a process; else its queue is out of sync
 * @entry: the event
 */
void gaudi_error_fw(struct gaudi_device *gdev, bool alive,
		    const struct gaudi_eq_entry *entry);

/**
 * gaudi_state_dump_init() - Get memory for the card's state as text
 * @gdev: the card
 *
 * Context: Probe; freed by devm.
 * Return: 0 or %-ENOMEM.
 */
int gaudi_state_dump_init(struct gaudi_device *gdev);

/**
 * gaudi_state_text() - Get an empty text for the card's state
 * @gdev: the card
 *
 * Of a reset, until it opens the gate again: there is one. Nothing is allocated.
 *
 * Context: Reset. May sleep.
 * Return: The text.
 */
struct seq_file *gaudi_state_text(struct gaudi_device *gdev);

/**
 * gaudi_state_waits() - Write what the streams wait for
 * @gdev: the card
 * @s: where they are put
 */
void gaudi_state_waits(struct gaudi_device *gdev, struct seq_file *s);

/**
 * gaudi_state_dump() - Save the waits of all streams for debugfs
 * @gdev: the card
 *
 * Not during a reset. Allocates nothing that waits for submissions.
 *
 * Context: May sleep.
 */
void gaudi_state_dump(struct gaudi_device *gdev);

/**
 * gaudi_debugfs_dump_add() - Add the file of the dumps to debugfs
 * @gdev: the card
 * @root: the card's folder
 *
 * Context: Probe.
 */
void gaudi_debugfs_dump_add(struct gaudi_device *gdev, struct dentry *root);

#endif /* GAUDI_ERRORS_H */
