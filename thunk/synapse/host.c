// SPDX-License-Identifier: MIT
/*
 * Host memory that is mapped. libgaudi pins a piece of memory once; programs map what
 * they like, also twice or across one another. What overlaps pinned memory is only
 * noted: copies with it are as right, but may block (see the copies of gaudi.h).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "syn_priv.h"

enum kind {
	PINNED,				/* registered */
	NOTED,				/* overlaps such memory */
	OURS,				/* synHostMalloc()'s */
};

struct mapping {
	uintptr_t start;
	uint64_t size;
	enum kind kind;
};

/* By start; of equal ones the latest last. */
static struct {
	pthread_mutex_t lock;
	struct mapping *all;
	size_t count, room;
} host = { .lock = PTHREAD_MUTEX_INITIALIZER };

void syn_host_lock(void)
{
	pthread_mutex_lock(&host.lock);
}

void syn_host_unlock(void)
{
	pthread_mutex_unlock(&host.lock);
}

void syn_host_clear(void)
{
	pthread_mutex_lock(&host.lock);
	free(host.all);
	host.all = NULL;
	host.count = 0;
	host.room = 0;
	pthread_mutex_unlock(&host.lock);
}

/* How many begin at @start or before; lock held. */
static size_t position(uintptr_t start)
{
	size_t low = 0, high = host.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (host.all[middle].start <= start)
			low = middle + 1;
		else
			high = middle;
	}

	return low;
}

/* Lock held. */
static bool make_room(void)
{
	size_t room = host.room ? 2 * host.room : 64;
	void *more;

	if (host.count < host.room)
		return true;
	more = realloc(host.all, room * sizeof(*host.all));
	if (!more)
		return false;
	host.all = more;
	host.room = room;

	return true;
}

/* There is room; lock held. */
static void insert(const void *memory, uint64_t size, enum kind kind)
{
	size_t at = position((uintptr_t)memory);

	memmove(&host.all[at + 1], &host.all[at],
		(host.count - at) * sizeof(*host.all));
	host.all[at] = (struct mapping) { (uintptr_t)memory, size, kind };
	host.count++;
}

bool syn_host_covers(uint64_t memory, uint64_t size)
{
	bool covered = false;

	pthread_mutex_lock(&host.lock);
	for (size_t i = position(memory); !covered && i-- > 0;) {
		uint64_t offset = memory - host.all[i].start;

		covered = offset <= host.all[i].size &&
			  size <= host.all[i].size - offset;
	}
	pthread_mutex_unlock(&host.lock);

	return covered;
}

synStatus synHostMap(synDeviceId id, uint64_t size, const void *memory)
{
	struct gaudi_device *device;
	synStatus status;
	int rc = -ENOMEM;

	if (!memory || !size)
		return syn_fail(synInvalidArgument, "host memory: %s", size ?
				"the address is NULL" : "size is 0");
	status = syn_begin(id, &device);
	if (status)
		return status;
	pthread_mutex_lock(&host.lock);
	if (make_room()) {
		rc = gaudi_host_register(device, (void *)memory, size);
		if (!rc || rc == -EEXIST) {
			insert(memory, size, rc ? NOTED : PINNED);
			rc = 0;
		}
	}
	pthread_mutex_unlock(&host.lock);
	syn_device_put();

	return syn_status(rc);
}

/* The latest mapping that begins at @memory, no longer noted; lock held. */
static bool take_out(const void *memory, bool ours, struct mapping *taken)
{
	size_t at = position((uintptr_t)memory);

	while (at-- > 0 && host.all[at].start == (uintptr_t)memory) {
		if ((host.all[at].kind == OURS) != ours)
			continue;
		*taken = host.all[at];
		host.count--;
		memmove(&host.all[at], &host.all[at + 1],
			(host.count - at) * sizeof(*host.all));
		return true;
	}

	return false;
}

/* Memory that was only noted because of what is no longer pinned. */
static void pin_noted(struct gaudi_device *device)
{
	pthread_mutex_lock(&host.lock);
	for (size_t i = 0; i < host.count; i++)
		if (host.all[i].kind == NOTED &&
		    !gaudi_host_register(device, (void *)host.all[i].start,
					 host.all[i].size))
			host.all[i].kind = PINNED;
	pthread_mutex_unlock(&host.lock);
}

static synStatus let_go(synDeviceId id, const void *memory, bool ours)
{
	struct gaudi_device *device;
	struct mapping taken;
	synStatus status = syn_begin(id, &device);
	bool found;
	int rc = 0;

	if (status)
		return status;
	pthread_mutex_lock(&host.lock);
	found = take_out(memory, ours, &taken);
	pthread_mutex_unlock(&host.lock);
	if (!found)
		status = syn_fail(synMappingNotFound, "nothing is %s at %p",
				  ours ? "allocated" : "mapped", memory);
	else if (ours)
		rc = gaudi_host_free(device, (void *)memory);
	else if (taken.kind == PINNED)
		rc = gaudi_host_unregister(device, (void *)memory);
	if (found && taken.kind != NOTED)
		pin_noted(device);
	syn_device_put();

	return status ? status : syn_status(rc);
}

synStatus synHostUnmap(synDeviceId id, const void *memory)
{
	return let_go(id, memory, false);
}

synStatus synHostMalloc(synDeviceId id, uint64_t size, uint32_t flags,
			void **memory)
{
	struct gaudi_device *device;
	synStatus status;
	int rc = -ENOMEM;
	void *made;

	if (!memory || flags || !size)
		return syn_fail(synInvalidArgument, "host memory: %s",
				!memory ? "the address is NULL" :
				flags ? "flags are not 0" : "size is 0");
	status = syn_begin(id, &device);
	if (status)
		return status;
	pthread_mutex_lock(&host.lock);
	if (make_room()) {
		rc = gaudi_host_alloc(device, size, &made);
		if (!rc) {
			insert(made, size, OURS);
			*memory = made;
		}
	}
	pthread_mutex_unlock(&host.lock);
	syn_device_put();

	return syn_status(rc);
}

synStatus synHostFree(synDeviceId id, const void *memory, uint32_t flags)
{
	if (flags)
		return syn_fail(synInvalidArgument, "host memory: flags are not 0");

	return let_go(id, memory, true);
}
