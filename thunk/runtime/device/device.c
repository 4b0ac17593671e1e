// SPDX-License-Identifier: MIT
/* What an open card has, and when it is lost. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "drm/gaudi_accel.h"
#include "queue_state.h"
#include "../base/sized.h"

/* Of a sync manager; a driver that shares the card gives out less. */
#define ALL_SOBS	2048u
#define ALL_MONITORS	512u

#define RETRY_MS	20

static _Thread_local struct gaudi_device *callback_of;

struct gaudi_device *gd_set_callback_of(struct gaudi_device *device)
{
	struct gaudi_device *before = callback_of;

	callback_of = device;
	if (device)
		atomic_fetch_add(&device->callbacks, 1);
	if (before)
		atomic_fetch_sub(&before->callbacks, 1);

	return before;
}

int gd_may_block_here(struct gaudi_device *device, const char *what)
{
	if (callback_of == device)
		return gd_fail(-EDEADLK,
			       "%s would wait inside a host function of the same device",
			       what);

	return 0;
}

int gd_device_check_mine(struct gaudi_device *device)
{
	if (!device)
		return gd_fail(-EINVAL, "the device is NULL");
	if (!atomic_load_explicit(device->alive, memory_order_relaxed))
		return gd_fail(GAUDI_ERR_FORKED,
			       "card %u was opened by the parent of process %d",
			       device->card.accel, (int)getpid());

	return 0;
}

int gd_device_is_lost(struct gaudi_device *device)
{
	char text[sizeof(device->lost_text)];

	pthread_mutex_lock(&device->lock);
	memcpy(text, device->lost_text, sizeof(text));
	pthread_mutex_unlock(&device->lock);

	return gd_fail(GAUDI_ERR_DEVICE_LOST, "card %u (%s) is lost: %s",
		       device->card.accel, device->card.busid, text);
}

int gd_device_check(struct gaudi_device *device)
{
	int rc = gd_device_check_mine(device);

	if (!rc && atomic_load_explicit(&device->lost, memory_order_acquire))
		rc = gd_device_is_lost(device);

	return rc;
}

int gd_device_lose(struct gaudi_device *device, int error, const char *what)
{
	pthread_mutex_lock(&device->lock);
	if (!atomic_load(&device->lost)) {
		snprintf(device->lost_text, sizeof(device->lost_text),
			 error == -ECANCELED ? "%s" : "%s: %s", what,
			 gaudi_strerror(error));
		atomic_store(&device->lost, error);
		gd_log(GD_ERROR, "card %u is lost: %s", device->card.accel,
		       device->lost_text);
	}
	gd_changed(device);
	pthread_mutex_unlock(&device->lock);

	return error;
}

static int take(const char *what, uint32_t *first_free, uint32_t end,
		uint32_t count, uint32_t *first)
{
	if (count > end - *first_free)
		return gd_fail(-ENOMEM, "%u %s wanted, %u are left", count,
			       what, end - *first_free);
	*first = *first_free;
	*first_free += count;

	return 0;
}

int gd_sobs_reserve(struct gaudi_device *device, uint32_t count, uint32_t *first)
{
	return take("sync objects", &device->first_sob, device->end_sob, count,
		    first);
}

int gd_monitors_reserve(struct gaudi_device *device, uint32_t count,
			uint32_t *first)
{
	return take("monitors", &device->first_monitor, device->end_monitor,
		    count, first);
}

/* The last is the one before the next multiple of what a process gets. */
static uint32_t end_of(int fd, uint32_t query, uint32_t first, uint32_t all)
{
	uint64_t n;

	if (gd_os_query(fd, query, &n) || !n || n > all)
		return all;
	n = gd_round_up(first + 1ull, n);

	return n < all ? (uint32_t)n : all;
}

static int ask(struct gaudi_device *device)
{
	struct hlthunk_sync_manager_info sync;
	int fd = device->fd;
	int rc;

	rc = hlthunk_get_hw_ip_info(fd, &device->ip);
	if (rc)
		return gd_fail(rc, "card %u does not say what it is: %s",
			       device->card.accel, gaudi_strerror(rc));
	rc = hlthunk_get_sync_manager_info(fd, HL_GAUDI_EN_DCORE, &sync);
	if (rc)
		return gd_fail(rc, "card %u does not name its sync objects: %s",
			       device->card.accel, gaudi_strerror(rc));
	device->extended = !gd_os_query(fd, GAUDI_QUERY_CAPS, &device->caps);
	device->first_sob = sync.first_available_sync_object;
	device->first_monitor = sync.first_available_monitor;
	device->end_sob = end_of(fd, GAUDI_QUERY_NUM_SYNC_OBJECTS,
				 device->first_sob, ALL_SOBS);
	device->end_monitor = end_of(fd, GAUDI_QUERY_NUM_MONITORS,
				     device->first_monitor, ALL_MONITORS);
	if (device->first_sob >= device->end_sob ||
	    device->first_monitor >= device->end_monitor)
		return gd_fail(-EIO, "card %u has sync object %u of %u",
			       device->card.accel, device->first_sob,
			       device->end_sob);

	return 0;
}

static void explain_open(const struct gd_card *card, int error, int timeout_ms)
{
	switch (error) {
	case -EBUSY:
		gd_fail(error, "card %u (%s): another process has it",
			card->accel, card->busid);
		break;
	case -EAGAIN:
		gd_fail(error, "card %u (%s): in reset or being released, after %d ms",
			card->accel, card->busid, timeout_ms);
		break;
	default:
		gd_fail(error, "card %u (%s): cannot be opened: %s",
			card->accel, card->busid, gaudi_strerror(error));
	}
}

static int open_patiently(const struct gd_card *card, int timeout_ms)
{
	uint64_t end = gd_os_now_ns() +
		       (timeout_ms > 0 ? (uint64_t)timeout_ms * 1000000u : 0);
	int fd;

	for (;;) {
		fd = hlthunk_open(HLTHUNK_DEVICE_GAUDI, card->busid);
		if (fd >= 0)
			return fd;
		if (fd != -EAGAIN ||
		    (timeout_ms >= 0 && gd_os_now_ns() >= end))
			break;
		gd_os_sleep_ms(RETRY_MS);
	}
	explain_open(card, fd, timeout_ms);

	return fd;
}

/* A test makes timelines wrap often: after so many, or the next power of 2. */
static uint32_t wrap_shift_of(void)
{
	const char *text = secure_getenv("GAUDI_TEST_WRAP");
	unsigned long n = text ? strtoul(text, NULL, 10) : 0;
	uint32_t shift = 1;

	if (n < 2 || n > GD_WRAP)
		n = GD_WRAP;
	while (1ul << shift < n)
		shift++;

	return shift;
}

static struct gaudi_device *device_new(void)
{
	struct gaudi_device *device = calloc(1, sizeof(*device));
	long page = sysconf(_SC_PAGESIZE);
	void *alive;

	if (!device)
		return NULL;
	alive = mmap(NULL, (size_t)page, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (alive == MAP_FAILED) {
		free(device);
		return NULL;
	}
	device->alive = alive;
	if (madvise(alive, (size_t)page, MADV_WIPEONFORK)) {
		munmap(alive, (size_t)page);
		free(device);
		return NULL;
	}
	atomic_store(device->alive, 1);
	device->fd = -1;
	device->wrap_shift = wrap_shift_of();
	device->wrap = 1u << device->wrap_shift;
	pthread_mutex_init(&device->submit, NULL);
	pthread_mutex_init(&device->lock, NULL);
	pthread_mutex_init(&device->own_lock, NULL);
	pthread_mutex_init(&device->streams_lock, NULL);
	pthread_cond_init(&device->changed, NULL);
	TAILQ_INIT(&device->deferred);
	LIST_INIT(&device->streams);
	LIST_INIT(&device->events);
	LIST_INIT(&device->fates);
	LIST_INIT(&device->launchers);
	LIST_INIT(&device->graphs);

	return device;
}

void gd_device_free(struct gaudi_device *device)
{
	gd_queues_exit(device);
	if (device->fd >= 0)
		hlthunk_close(device->fd);
	pthread_cond_destroy(&device->changed);
	pthread_mutex_destroy(&device->streams_lock);
	pthread_mutex_destroy(&device->own_lock);
	pthread_mutex_destroy(&device->lock);
	pthread_mutex_destroy(&device->submit);
	munmap(device->alive, (size_t)sysconf(_SC_PAGESIZE));
	free(device);
}

int gd_device_new(const struct gd_card *card, uint32_t index, int timeout_ms,
		  struct gaudi_device **out)
{
	struct gaudi_device *device = device_new();
	int rc;

	if (!device)
		return gd_fail(-ENOMEM, "no memory for card %u", card->accel);
	device->card = *card;
	device->index = index;
	rc = open_patiently(card, timeout_ms);
	if (rc >= 0) {
		device->fd = rc;
		gd_os_opened(device->fd);
		rc = ask(device);
	}
	if (!rc)
		rc = gd_queues_init(device);
	if (rc) {
		struct gd_error_state state;

		gd_error_save(&state);
		gd_device_free(device);
		gd_error_restore(&state);
		return rc;
	}
	*out = device;

	return 0;
}

int gaudi_device_synchronize(struct gaudi_device *device)
{
	PROFILE_CALL();
	struct gd_point all;
	int rc = gd_device_check(device);

	if (!rc)
		rc = gd_may_block(device, "gaudi_device_synchronize");
	if (!rc)
		rc = gd_device_drain(device, &all);

	return rc ? rc : gd_wait(device, &all);
}

int gaudi_device_give_up(struct gaudi_device *device, const char *why)
{
	int rc = gd_device_check_mine(device);

	if (!rc && !why)
		rc = gd_fail(-EINVAL, "why a card is given up is NULL");
	if (!rc)
		gd_device_lose(device, -ECANCELED, why);

	return rc;
}

int gaudi_device_get_info(struct gaudi_device *device,
			  struct gaudi_device_info *info)
{
	struct gaudi_device_info full = {};
	int rc = gd_device_check_mine(device);

	if (rc)
		return rc;
	rc = gd_sized_check(info, offsetof(struct gaudi_device_info, accel),
			    "gaudi_device_info");
	if (rc)
		return rc;
	full.index = device->index;
	full.accel = device->card.accel;
	full.module_id = device->card.module_id;
	memcpy(full.pci_address, device->card.busid, sizeof(full.pci_address));
	snprintf(full.name, sizeof(full.name), "%.15s",
		 (const char *)device->ip.card_name);
	strcpy(full.driver, device->extended ? "gaudi" : "habanalabs");
	full.memory_size = device->ip.dram_size;
	full.sram_size = device->ip.sram_size;
	full.tpc_mask = device->ip.tpc_enabled_mask;
	if (device->caps & GAUDI_CAP_SHARED)
		full.caps |= GAUDI_DEVICE_SHARED;
	if (device->caps & GAUDI_CAP_SYNCOBJ)
		full.caps |= GAUDI_DEVICE_SYNCOBJ;
	if (device->caps & GAUDI_CAP_DMABUF_IMPORT)
		full.caps |= GAUDI_DEVICE_DMABUF;
	gd_sized_put(info, &full, sizeof(full));

	return 0;
}

int gaudi_device_fd(struct gaudi_device *device)
{
	int rc = gd_device_check_mine(device);

	return rc ? rc : device->fd;
}
