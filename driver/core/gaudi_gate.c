// SPDX-License-Identifier: GPL-2.0-only
/* The gate that a reset closes, and requests for one. See gaudi_reset.c. */
#include "gaudi_device.h"
#include "gaudi_gate.h"

u32 gaudi_reset_count(struct gaudi_device *gdev)
{
	return READ_ONCE(gdev->gate->count);
}

int gaudi_reset_enter(struct gaudi_device *gdev)
{
	int status;

	if (!down_read_trylock(&gdev->gate->sem))
		return -EAGAIN;
	status = READ_ONCE(gdev->status);
	if (status == HL_DEVICE_STATUS_OPERATIONAL)
		return 0;
	up_read(&gdev->gate->sem);
	return status == HL_DEVICE_STATUS_MALFUNCTION ? -ENODEV : -EAGAIN;
}

void gaudi_reset_exit(struct gaudi_device *gdev)
{
	up_read(&gdev->gate->sem);
}

void gaudi_reset_needed(struct gaudi_device *gdev)
{
	struct gaudi_gate *gate = gdev->gate;

	spin_lock(&gate->lock);
	if (gdev->status == HL_DEVICE_STATUS_OPERATIONAL)
		WRITE_ONCE(gdev->status, HL_DEVICE_STATUS_NEEDS_RESET);
	spin_unlock(&gate->lock);
}

void gaudi_reset_schedule(struct gaudi_device *gdev,
			  enum gaudi_reset_reason reason)
{
	struct gaudi_gate *gate = gdev->gate;

	spin_lock(&gate->lock);
	if (gate->blocked || gaudi_offline(gdev)) {
		/* The owner of the block, or PCI's recovery, resets it anyway. */
	} else if (gdev->status == HL_DEVICE_STATUS_IN_DEVICE_CREATION) {
		gate->pending = true;
		gate->reason = reason;
	} else if (gdev->status == HL_DEVICE_STATUS_OPERATIONAL ||
		   gdev->status == HL_DEVICE_STATUS_NEEDS_RESET) {
		/* IN_RESET_AFTER_DEVICE_RELEASE is for chips that reset engines alone. */
		WRITE_ONCE(gdev->status, HL_DEVICE_STATUS_IN_RESET);
		gate->reason = reason;
		queue_work(gate->wq, &gate->work);
	}
	spin_unlock(&gate->lock);
}

void gaudi_reset_and_wait(struct gaudi_device *gdev,
			  enum gaudi_reset_reason reason)
{
	gaudi_reset_schedule(gdev, reason);
	flush_work(&gdev->gate->work);
}

void gaudi_reset_announce(struct gaudi_device *gdev,
			  enum gaudi_reset_reason reason, u64 events)
{
	/* Not set in probe, which handles this request when it is done. */
	if (gdev->gate->announce)
		gdev->gate->announce(gdev, reason, events);
	else
		gaudi_reset_schedule(gdev, reason);
}
