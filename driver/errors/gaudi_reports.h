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

/* Event ids end below this; INFO's counter arrays have this many u32s. */
#define GAUDI_NUM_EVENTS	663

int gaudi_events_init(struct gaudi_device *gdev);
void gaudi_events_fini(struct gaudi_device *gdev);
/* At a reset: the counters since the last reset start at zero again. */
void gaudi_events_reset(struct gaudi_device *gdev);

/* An event came. */
void gaudi_events_count(struct gaudi_device *gdev, u32 event_id);
/*
 * INFO HW_EVENTS and HW_EVENTS_AGGREGATE: copy at most count counters. The
 * aggregate survives resets. Returns how many were copied.
 */
u32 gaudi_events_counters(struct gaudi_device *gdev, bool aggregate, u32 *out,
			  u32 count);

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

/* Under gaudi_events.lock. */
struct gaudi_records {
	bool valid[GAUDI_NUM_CAPTURED];
	union gaudi_captured_rec rec[GAUDI_NUM_CAPTURED];
};

/*
 * One per open file: collects HL_NOTIFIER_EVENT_* bits for GET_EVENTS and
 * signals an eventfd. Embed it in the file's private data.
 */
struct gaudi_notifier {
	struct list_head node;		/* gaudi_events.notifiers */
	struct eventfd_ctx *eventfd;	/* under gaudi_events.lock */
	u64 mask;			/* under gaudi_events.lock */
	struct gaudi_records records;	/* in shared mode */
};

void gaudi_notifier_add(struct gaudi_device *gdev, struct gaudi_notifier *n);
void gaudi_notifier_remove(struct gaudi_device *gdev, struct gaudi_notifier *n);
/* REGISTER_EVENTFD: -EINVAL if one is registered already; -EBADF, -EINVAL. */
int gaudi_notifier_set_eventfd(struct gaudi_device *gdev,
			       struct gaudi_notifier *n, int fd);
/* UNREGISTER_EVENTFD: -EINVAL if none is registered. */
int gaudi_notifier_clear_eventfd(struct gaudi_device *gdev,
				 struct gaudi_notifier *n);
/* GET_EVENTS: the bits collected so far; reading clears them. */
u64 gaudi_notifier_read(struct gaudi_device *gdev, struct gaudi_notifier *n);
/* Notify every open file (and signal its eventfd). Does not sleep. */
void gaudi_events_notify(struct gaudi_device *gdev, u64 mask);
/* Notify this one, unless mask is 0. */
void gaudi_events_notify_one(struct gaudi_device *gdev,
			     struct gaudi_notifier *n, u64 mask);
/*
 * Shared mode: what is captured between the two belongs to n (NULL: all). Error
 * registers are locked meanwhile.
 */
void gaudi_events_begin_for(struct gaudi_device *gdev,
			    struct gaudi_notifier *n);
void gaudi_events_end_for(struct gaudi_device *gdev);
/* The one that nobody reads: for errors of contexts that are gone. */
struct gaudi_notifier *gaudi_events_nobody(struct gaudi_device *gdev);

/* Keep rec if it is the first of its kind. True if it was. */
bool gaudi_events_capture(struct gaudi_device *gdev, enum gaudi_captured kind,
			  const void *rec);
/*
 * Copy a record (zeroes if nothing was captured); size is cut to the record's.
 * Returns true if the record holds an error.
 */
bool gaudi_events_captured(struct gaudi_device *gdev, enum gaudi_captured kind,
			   void *out, size_t size);
/* The same of one file's own records. */
bool gaudi_notifier_captured(struct gaudi_device *gdev,
			     struct gaudi_notifier *n, enum gaudi_captured kind,
			     void *out, size_t size);
/* A new user: forget what was captured (mainline does so at open). */
void gaudi_events_clear_captured(struct gaudi_device *gdev);

/* Clocks are throttled from now on, or not any more; bits as INFO's. */
void gaudi_events_throttle(struct gaudi_device *gdev, unsigned int type,
			   bool start);
/* INFO CLK_THROTTLE. */
void gaudi_events_clk_throttle(struct gaudi_device *gdev,
			       struct hl_info_clk_throttle *out);

#endif /* GAUDI_REPORTS_H */
