// SPDX-License-Identifier: GPL-2.0-only
/* Counters of events, captured errors, and notifications of open files. */
#include <linux/eventfd.h>
#include <linux/ktime.h>
#include <linux/pci.h>

#include "../core/gaudi_device.h"
#include "gaudi_errors_priv.h"
#include "gaudi_reports.h"

static const size_t gaudi_captured_size[GAUDI_NUM_CAPTURED] = {
	[GAUDI_CAPTURED_RAZWI] = sizeof(struct hl_info_razwi_event),
	[GAUDI_CAPTURED_UNDEF_OPCODE] =
		sizeof(struct hl_info_undefined_opcode_event),
	[GAUDI_CAPTURED_PAGE_FAULT] = sizeof(struct hl_page_fault_info),
	[GAUDI_CAPTURED_HW_ERR] = sizeof(struct hl_info_hw_err_event),
	[GAUDI_CAPTURED_FW_ERR] = sizeof(struct hl_info_fw_err_event),
};

struct gaudi_reports {
	/* Protects everything below; also the notifiers' fields. */
	spinlock_t lock;
	struct list_head notifiers;
	u32 count[GAUDI_NUM_EVENTS];
	u32 total[GAUDI_NUM_EVENTS];
	struct gaudi_records records;
	/*
	 * Shared mode: of the context that caused what is handled; NULL:
	 * unknown.
	 */
	struct gaudi_notifier *guilty;
	struct gaudi_notifier discard;		/* no file; drops records */
	u32 throttle;				/* HL_CLK_THROTTLE_* now */
	ktime_t throttle_start[HL_CLK_THROTTLE_TYPE_MAX];
	ktime_t throttle_end[HL_CLK_THROTTLE_TYPE_MAX];
};

/* --- Counters and records --- */

int gaudi_reports_init(struct gaudi_device *gdev)
{
	gdev->reports = devm_kzalloc(&gdev->pdev->dev, sizeof(*gdev->reports),
				    GFP_KERNEL);
	if (!gdev->reports)
		return -ENOMEM;
	spin_lock_init(&gdev->reports->lock);
	INIT_LIST_HEAD(&gdev->reports->notifiers);
	return 0;
}

void gaudi_reports_reset(struct gaudi_device *gdev)
{
	spin_lock(&gdev->reports->lock);
	memset(gdev->reports->count, 0, sizeof(gdev->reports->count));
	gdev->reports->throttle = 0;
	spin_unlock(&gdev->reports->lock);
}

void gaudi_reports_count(struct gaudi_device *gdev, u32 event_id)
{
	spin_lock(&gdev->reports->lock);
	gdev->reports->count[event_id]++;
	gdev->reports->total[event_id]++;
	spin_unlock(&gdev->reports->lock);
}

void gaudi_reports_counters(struct gaudi_device *gdev, bool aggregate, u32 *out)
{
	struct gaudi_reports *rep = gdev->reports;

	scoped_guard(spinlock, &rep->lock)
		memcpy(out, aggregate ? rep->total : rep->count,
		       sizeof(rep->count));
}

/* The lock is held. */
static bool gaudi_reports_record(struct gaudi_records *r,
				 enum gaudi_captured kind, const void *rec)
{
	if (r->valid[kind])
		return false;
	r->valid[kind] = true;
	memcpy(&r->rec[kind], rec, gaudi_captured_size[kind]);
	return true;
}

bool gaudi_reports_capture(struct gaudi_device *gdev, enum gaudi_captured kind,
			   const void *rec)
{
	struct gaudi_reports *rep = gdev->reports;
	struct gaudi_notifier *n;
	bool first;

	spin_lock(&rep->lock);
	first = gaudi_reports_record(&rep->records, kind, rec);
	list_for_each_entry(n, &rep->notifiers, node)
		if (!rep->guilty || rep->guilty == n)
			first |= gaudi_reports_record(&n->records, kind, rec);
	spin_unlock(&rep->lock);
	return first;
}

bool gaudi_reports_captured(struct gaudi_device *gdev,
			    const struct gaudi_notifier *n,
			    enum gaudi_captured kind, void *out)
{
	struct gaudi_reports *rep = gdev->reports;
	const struct gaudi_records *r = n ? &n->records : &rep->records;
	bool valid;

	spin_lock(&rep->lock);
	memcpy(out, &r->rec[kind], gaudi_captured_size[kind]);
	valid = r->valid[kind];
	spin_unlock(&rep->lock);
	return valid;
}

void gaudi_reports_clear_captured(struct gaudi_device *gdev)
{
	spin_lock(&gdev->reports->lock);
	memset(&gdev->reports->records, 0, sizeof(gdev->reports->records));
	spin_unlock(&gdev->reports->lock);
}

void gaudi_reports_throttle(struct gaudi_device *gdev, unsigned int type,
			    bool start)
{
	struct gaudi_reports *rep = gdev->reports;

	spin_lock(&rep->lock);
	if (start) {
		rep->throttle |= BIT(type);
		rep->throttle_start[type] = ktime_get();
		rep->throttle_end[type] = 0;
	} else {
		rep->throttle &= ~BIT(type);
		rep->throttle_end[type] = ktime_get();
	}
	spin_unlock(&rep->lock);
}

void gaudi_reports_clk_throttle(struct gaudi_device *gdev,
				struct hl_info_clk_throttle *out)
{
	struct gaudi_reports *rep = gdev->reports;
	unsigned int i;

	memset(out, 0, sizeof(*out));
	spin_lock(&rep->lock);
	out->clk_throttling_reason = rep->throttle;
	for (i = 0; i < HL_CLK_THROTTLE_TYPE_MAX; i++) {
		ktime_t start = rep->throttle_start[i];
		ktime_t end = rep->throttle_end[i];

		if (!start)
			continue;
		out->clk_throttling_timestamp_us[i] = ktime_to_us(start);
		if (rep->throttle & BIT(i))
			end = ktime_get();
		out->clk_throttling_duration_ns[i] =
			ktime_to_ns(ktime_sub(end, start));
	}
	spin_unlock(&rep->lock);
}

/* --- Notifiers --- */

void gaudi_notifier_add(struct gaudi_device *gdev, struct gaudi_notifier *n)
{
	scoped_guard(spinlock, &gdev->reports->lock)
		list_add_tail(&n->node, &gdev->reports->notifiers);
}

void gaudi_notifier_remove(struct gaudi_device *gdev, struct gaudi_notifier *n)
{
	scoped_guard(spinlock, &gdev->reports->lock)
		list_del(&n->node);
	gaudi_notifier_clear_eventfd(gdev, n);
}

int gaudi_notifier_set_eventfd(struct gaudi_device *gdev,
			       struct gaudi_notifier *n, int fd)
{
	struct eventfd_ctx *ctx = eventfd_ctx_fdget(fd);

	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	scoped_guard(spinlock, &gdev->reports->lock) {
		if (!n->eventfd) {
			n->eventfd = ctx;
			return 0;
		}
	}
	eventfd_ctx_put(ctx);
	return -EINVAL;
}

int gaudi_notifier_clear_eventfd(struct gaudi_device *gdev,
				 struct gaudi_notifier *n)
{
	struct eventfd_ctx *old;

	scoped_guard(spinlock, &gdev->reports->lock) {
		old = n->eventfd;
		n->eventfd = NULL;
	}
	if (!old)
		return -EINVAL;
	eventfd_ctx_put(old);
	return 0;
}

u64 gaudi_notifier_read(struct gaudi_device *gdev, struct gaudi_notifier *n)
{
	u64 mask;

	spin_lock(&gdev->reports->lock);
	mask = n->mask;
	n->mask = 0;
	spin_unlock(&gdev->reports->lock);
	return mask;
}

/* The lock is held. */
static void gaudi_notifier_signal(struct gaudi_notifier *n, u64 mask)
{
	n->mask |= mask;
	if (n->eventfd)
		eventfd_signal(n->eventfd);
}

void gaudi_reports_notify(struct gaudi_device *gdev, u64 mask)
{
	struct gaudi_notifier *n;

	spin_lock(&gdev->reports->lock);
	list_for_each_entry(n, &gdev->reports->notifiers, node)
		gaudi_notifier_signal(n, mask);
	spin_unlock(&gdev->reports->lock);
}

void gaudi_reports_notify_one(struct gaudi_device *gdev,
			      struct gaudi_notifier *n, u64 mask)
{
	if (!mask)
		return;
	spin_lock(&gdev->reports->lock);
	gaudi_notifier_signal(n, mask);
	spin_unlock(&gdev->reports->lock);
}

void gaudi_reports_begin_for(struct gaudi_device *gdev,
			     struct gaudi_notifier *n)
{
	mutex_lock(&gdev->errors->lock);
	scoped_guard(spinlock, &gdev->reports->lock)
		gdev->reports->guilty = n;
}

void gaudi_reports_end_for(struct gaudi_device *gdev)
{
	scoped_guard(spinlock, &gdev->reports->lock)
		gdev->reports->guilty = NULL;
	mutex_unlock(&gdev->errors->lock);
}

struct gaudi_notifier *gaudi_reports_nobody(struct gaudi_device *gdev)
{
	return &gdev->reports->discard;
}
