/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What users are told of events: counters, captured errors, and notifications.
 * Nothing here touches hardware.
 */
#ifndef GAUDI_REPORTS_H
#define GAUDI_REPORTS_H

#include <linux/list.h>
#include <linux/types.h>
#include <uapi/drm/habanalabs_accel.h>


struct eventfd_ctx;
struct gaudi_device;

/**
 * gaudi_reports_init() - Make the counters, the captured errors and the list of
 *	notifiers
 * @gdev: the card
 *
 * Context: Probe; freed by devm.
 * Return: 0 or %-ENOMEM.
 */
int gaudi_reports_init(struct gaudi_device *gdev);

/**
 * gaudi_reports_reset() - The counters since the last reset start at zero again
 * @gdev: the card
 *
 * Context: Process context. Does not sleep.
 */
void gaudi_reports_reset(struct gaudi_device *gdev);

/**
 * gaudi_reports_count() - Count an event
 * @gdev: the card
 * @event_id: the event, below GAUDI_NUM_EVENTS
 *
 * Context: Process context. Does not sleep.
 */
void gaudi_reports_count(struct gaudi_device *gdev, u32 event_id);

/**
 * gaudi_reports_counters() - Copy the counters of events
 * @gdev: the card
 * @aggregate: those that survive resets
 * @out: where they are put, GAUDI_NUM_EVENTS of them
 *
 * For INFO HW_EVENTS and HW_EVENTS_AGGREGATE.
 *
 * Context: Process context. Does not sleep.
 */
void gaudi_reports_counters(struct gaudi_device *gdev, bool aggregate, u32 *out);

/* The first error of each kind since the device was opened. */
enum gaudi_captured {
	GAUDI_CAPTURED_RAZWI,		/* struct hl_info_razwi_event */
	GAUDI_CAPTURED_UNDEF_OPCODE,	/* hl_info_undefined_opcode_event */
	GAUDI_CAPTURED_PAGE_FAULT,	/* struct hl_page_fault_info */
	GAUDI_CAPTURED_HW_ERR,		/* struct hl_info_hw_err_event */
	GAUDI_CAPTURED_FW_ERR,		/* struct hl_info_fw_err_event */
	GAUDI_NUM_CAPTURED,
};

union gaudi_captured_rec {
	struct hl_info_razwi_event razwi;
	struct hl_info_undefined_opcode_event undef;
	struct hl_page_fault_info page_fault;
	struct hl_info_hw_err_event hw_err;
	struct hl_info_fw_err_event fw_err;
};

/* Under gaudi_reports.lock. */
struct gaudi_records {
	bool valid[GAUDI_NUM_CAPTURED];
	union gaudi_captured_rec rec[GAUDI_NUM_CAPTURED];
};

/*
 * One per open file: collects HL_NOTIFIER_EVENT_* bits for GET_EVENTS and
 * signals an eventfd. Embed it in the file's private data.
 */
struct gaudi_notifier {
	struct list_head node;		/* gaudi_reports.notifiers */
	struct eventfd_ctx *eventfd;	/* under gaudi_reports.lock */
	u64 mask;			/* under gaudi_reports.lock */
	struct gaudi_records records;	/* since it was opened */
};

/**
 * gaudi_notifier_add() - A file was opened
 * @gdev: the card
 * @n: its part, zeros
 *
 * Context: Process context. Does not sleep.
 */
void gaudi_notifier_add(struct gaudi_device *gdev, struct gaudi_notifier *n);

/**
 * gaudi_notifier_remove() - A file is closed
 * @gdev: the card
 * @n: its part
 *
 * Context: Process context.
 */
void gaudi_notifier_remove(struct gaudi_device *gdev, struct gaudi_notifier *n);

/**
 * gaudi_notifier_set_eventfd() - REGISTER_EVENTFD
 * @gdev: the card
 * @n: the file's part
 * @fd: the eventfd
 *
 * Context: Process context.
 * Return: 0; %-EINVAL: one is registered already; %-EBADF or %-EINVAL: no
 *	eventfd.
 */
int gaudi_notifier_set_eventfd(struct gaudi_device *gdev,
			       struct gaudi_notifier *n, int fd);

/**
 * gaudi_notifier_clear_eventfd() - UNREGISTER_EVENTFD
 * @gdev: the card
 * @n: the file's part
 *
 * Context: Process context.
 * Return: 0; %-EINVAL: none is registered.
 */
int gaudi_notifier_clear_eventfd(struct gaudi_device *gdev,
				 struct gaudi_notifier *n);

/**
 * gaudi_notifier_read() - GET_EVENTS: the bits collected so far
 * @gdev: the card
 * @n: the file's part
 *
 * Reading clears them.
 *
 * Context: Process context. Does not sleep.
 * Return: HL_NOTIFIER_EVENT_* bits.
 */
u64 gaudi_notifier_read(struct gaudi_device *gdev, struct gaudi_notifier *n);

/**
 * gaudi_reports_notify() - Notify every open file, and signal its eventfd
 * @gdev: the card
 * @mask: HL_NOTIFIER_EVENT_* bits
 *
 * Context: Does not sleep.
 */
void gaudi_reports_notify(struct gaudi_device *gdev, u64 mask);

/**
 * gaudi_reports_notify_one() - Notify one open file
 * @gdev: the card
 * @n: its part
 * @mask: HL_NOTIFIER_EVENT_* bits; 0: nobody is notified
 *
 * Context: Does not sleep.
 */
void gaudi_reports_notify_one(struct gaudi_device *gdev,
			      struct gaudi_notifier *n, u64 mask);

/**
 * gaudi_reports_begin_for() - What is captured from now on belongs to one file
 * @gdev: the card
 * @n: its part; %NULL: all
 *
 * In shared mode. Until gaudi_reports_end_for(); error registers are locked
 * meanwhile.
 *
 * Context: May sleep; takes gaudi_errors.lock.
 */
void gaudi_reports_begin_for(struct gaudi_device *gdev,
			     struct gaudi_notifier *n);

/**
 * gaudi_reports_end_for() - End what gaudi_reports_begin_for() began
 * @gdev: the card
 *
 * Context: Releases gaudi_errors.lock.
 */
void gaudi_reports_end_for(struct gaudi_device *gdev);

/**
 * gaudi_reports_nobody() - The notifier that nobody reads
 * @gdev: the card
 *
 * For errors of contexts that are gone.
 *
 * Context: Any context.
 * Return: The notifier.
 */
struct gaudi_notifier *gaudi_reports_nobody(struct gaudi_device *gdev);

/**
 * gaudi_reports_capture() - Keep an error if it is the first of its kind
 * @gdev: the card
 * @kind: its kind
 * @rec: the record, of that kind's type
 *
 * Context: Process context. Does not sleep.
 * Return: True if it was the first.
 */
bool gaudi_reports_capture(struct gaudi_device *gdev, enum gaudi_captured kind,
			   const void *rec);

/**
 * gaudi_reports_captured() - Copy a captured error
 * @gdev: the card
 * @n: the part of the file for which it was captured; %NULL: for any
 * @kind: its kind
 * @out: where the record is put, of that kind's type; zeroes if nothing was
 *	captured
 *
 * Context: Process context. Does not sleep.
 * Return: True if the record holds an error.
 */
bool gaudi_reports_captured(struct gaudi_device *gdev,
			    const struct gaudi_notifier *n,
			    enum gaudi_captured kind, void *out);

/**
 * gaudi_reports_clear_captured() - Forget what was captured
 * @gdev: the card
 *
 * For a new user; mainline does so at open.
 *
 * Context: Process context. Does not sleep.
 */
void gaudi_reports_clear_captured(struct gaudi_device *gdev);

/**
 * gaudi_reports_throttle() - Clocks are throttled from now on, or not any more
 * @gdev: the card
 * @type: the reason, as the bits of INFO's answer
 * @start: from now on
 *
 * Context: Process context. Does not sleep.
 */
void gaudi_reports_throttle(struct gaudi_device *gdev, unsigned int type,
			    bool start);

/**
 * gaudi_reports_clk_throttle() - The answer of INFO CLK_THROTTLE
 * @gdev: the card
 * @out: where it is put
 *
 * Context: Process context. Does not sleep.
 */
void gaudi_reports_clk_throttle(struct gaudi_device *gdev,
				struct hl_info_clk_throttle *out);

#endif /* GAUDI_REPORTS_H */
