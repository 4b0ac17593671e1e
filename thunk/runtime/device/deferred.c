// SPDX-License-Identifier: MIT
/*
 * Deferred work: what the library gives to the card later; all of a device's, by
 * ticket. What the work is only the rooms above know.
 */
#include "device.h"

void gd_defer(struct gaudi_device *device, struct gd_deferred *work)
{
	pthread_mutex_lock(&device->lock);
	work->ticket = ++device->tickets;
	TAILQ_INSERT_TAIL(&device->deferred, work, link);
	atomic_fetch_add(&device->deferred_count, 1);
	pthread_mutex_unlock(&device->lock);
}

void gd_defer_end(struct gaudi_device *device, struct gd_deferred *work)
{
	TAILQ_REMOVE(&device->deferred, work, link);
	atomic_fetch_sub(&device->deferred_count, 1);
}

bool gd_ticket_done(struct gaudi_device *device, uint64_t ticket)
{
	struct gd_deferred *first;
	bool done;

	pthread_mutex_lock(&device->lock);
	first = TAILQ_FIRST(&device->deferred);
	done = !first || first->ticket > ticket;
	pthread_mutex_unlock(&device->lock);

	return done;
}

int gd_flush_all(struct gaudi_device *device, uint64_t *ticket)
{
	*ticket = 0;
	/*
	 * In this order: what is deferred may be collected meanwhile, but stays
	 * deferred until the card has it.
	 */
	if (!atomic_load(&device->open_count) &&
	    !atomic_load(&device->deferred_count))
		return 0;

	return device->flush_streams(device, ticket);
}

int gd_device_drain(struct gaudi_device *device, struct gd_point *point)
{
	struct gd_deferred *first;
	uint64_t last;
	int rc = gd_flush_all(device, &last);

	pthread_mutex_lock(&device->lock);
	while ((first = TAILQ_FIRST(&device->deferred)) &&
	       first->ticket <= last)
		gd_changed_wait(device);
	pthread_mutex_unlock(&device->lock);
	gd_submitted(device, point);

	return rc;
}
