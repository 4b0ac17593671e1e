// SPDX-License-Identifier: MIT
/* Command buffers, and the pool of those that are idle: small ones and large ones. */
#include <errno.h>
#include <stdlib.h>

#include "queue_state.h"

void gd_cb_destroy(struct gaudi_device *device, struct gd_cb *cb)
{
	if (!cb)
		return;
	gd_os_unmap_cb(cb->memory, cb->size);
	hlthunk_destroy_command_buffer(device->fd, cb->handle);
	free(cb);
}

static struct gd_cbs *cbs_of(struct gaudi_device *device, uint32_t size)
{
	return &device->cbs[size > GD_CB_SMALL];
}

/* With an address for the card, if it is to have one. */
static int request(struct gaudi_device *device, struct gd_cb *cb, bool mapped)
{
	int rc;

	if (!mapped)
		return hlthunk_request_command_buffer(device->fd, cb->size,
						      &cb->handle);
	rc = hlthunk_request_mapped_command_buffer(device->fd, cb->size,
						   &cb->handle);
	if (rc)
		return rc;
	rc = hlthunk_get_mapped_cb_device_va_by_handle(device->fd, cb->handle,
						       &cb->address);
	if (rc)
		hlthunk_destroy_command_buffer(device->fd, cb->handle);

	return rc;
}

static int create(struct gaudi_device *device, uint32_t size, bool mapped,
		  struct gd_cb **out)
{
	struct gd_cb *cb = calloc(1, sizeof(*cb));
	int rc;

	if (!cb)
		return gd_fail(-ENOMEM, "no memory for a command buffer");
	cb->size = size;
	rc = request(device, cb, mapped);
	if (rc) {
		free(cb);
		return gd_fail(rc, "card %u: no command buffer of %u bytes: %s",
			       device->card.accel, size, gaudi_strerror(rc));
	}
	cb->memory = gd_os_map_cb(device->fd, cb->handle, size);
	if (!cb->memory) {
		rc = gd_errno();
		hlthunk_destroy_command_buffer(device->fd, cb->handle);
		free(cb);
		return gd_fail(rc, "card %u: cannot map a command buffer: %s",
			       device->card.accel, gaudi_strerror(rc));
	}
	*out = cb;

	return 0;
}

int gd_cb_create(struct gaudi_device *device, uint32_t size,
		 struct gd_cb **out)
{
	return create(device, size, false, out);
}

int gd_cb_create_mapped(struct gaudi_device *device, uint32_t size,
			struct gd_cb **out)
{
	return create(device, size, true, out);
}

int gd_cb_get(struct gaudi_device *device, size_t size, struct gd_cb **out)
{
	uint32_t want = size > GD_CB_SMALL ? GD_CB_LARGE : GD_CB_SMALL;
	struct gd_cbs *list = cbs_of(device, want);
	struct gd_cb *cb;

	pthread_mutex_lock(&device->lock);
	cb = SLIST_FIRST(list);
	if (cb)
		SLIST_REMOVE_HEAD(list, link);
	pthread_mutex_unlock(&device->lock);
	if (!cb)
		return gd_cb_create(device, want, out);
	*out = cb;

	return 0;
}

void gd_cb_put(struct gaudi_device *device, struct gd_cb *cb)
{
	if (!cb)
		return;
	pthread_mutex_lock(&device->lock);
	SLIST_INSERT_HEAD(cbs_of(device, cb->size), cb, link);
	pthread_mutex_unlock(&device->lock);
}

void gd_cbs_exit(struct gaudi_device *device)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(device->cbs); i++) {
		while (!SLIST_EMPTY(&device->cbs[i])) {
			struct gd_cb *cb = SLIST_FIRST(&device->cbs[i]);

			SLIST_REMOVE_HEAD(&device->cbs[i], link);
			gd_cb_destroy(device, cb);
		}
	}
}
