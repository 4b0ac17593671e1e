// SPDX-License-Identifier: MIT
/* Pinned host memory: which ranges there are, and until when work uses them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "memory.h"

#define PAGE		4096u
#define HUGE_PAGE	(2 * MIB)

/* Ranges by address; they do not overlap. */
struct gd_ranges {
	pthread_mutex_t lock;
	pthread_cond_t unused;
	struct gd_range **all;
	size_t count, room;
	uint64_t made;			/* so far */
};

int gd_ranges_init(struct gaudi_device *device)
{
	struct gd_ranges *ranges = calloc(1, sizeof(*ranges));

	if (!ranges)
		return gd_fail(-ENOMEM, "no memory for a table of ranges");
	pthread_mutex_init(&ranges->lock, NULL);
	pthread_cond_init(&ranges->unused, NULL);
	device->ranges = ranges;

	return 0;
}

static void unpin(struct gaudi_device *device, struct gd_range *range)
{
	int rc = hlthunk_memory_unmap(device->fd, range->address);

	if (rc)
		gd_log(GD_WARN, "unmapping %#llx failed: %s",
		       (unsigned long long)range->address, gaudi_strerror(rc));
	if (range->ours)
		gd_pages_free((void *)range->start, range->size);
	free(range);
}

void gd_ranges_exit(struct gaudi_device *device)
{
	struct gd_ranges *ranges = device->ranges;

	if (!ranges)
		return;
	for (size_t i = 0; i < ranges->count; i++)
		unpin(device, ranges->all[i]);
	free(ranges->all);
	pthread_cond_destroy(&ranges->unused);
	pthread_mutex_destroy(&ranges->lock);
	free(ranges);
}

static size_t mapped_size(size_t size)
{
	return gd_round_up(size, size >= HUGE_PAGE ? HUGE_PAGE : PAGE);
}

void *gd_pages_alloc(size_t size)
{
	size_t align = size >= HUGE_PAGE ? HUGE_PAGE : PAGE;
	size_t bytes = mapped_size(size);
	uint8_t *whole, *memory;

	if (bytes < size || bytes + align < bytes) {
		errno = ENOMEM;
		return NULL;
	}
	whole = mmap(NULL, bytes + align, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (whole == MAP_FAILED)
		return NULL;
	memory = (uint8_t *)gd_round_up((uintptr_t)whole, align);
	if (memory > whole)
		munmap(whole, (size_t)(memory - whole));
	munmap(memory + bytes, align - (size_t)(memory - whole));
	if (align == HUGE_PAGE)
		madvise(memory, bytes, MADV_HUGEPAGE);
	/* A child of fork() has no use for it, and would share pinned pages. */
	madvise(memory, bytes, MADV_DONTFORK);

	return memory;
}

void gd_pages_free(void *memory, size_t size)
{
	munmap(memory, mapped_size(size));
}

/* Of the ranges that end after @start, the first; lock held. */
static size_t position(const struct gd_ranges *ranges, uintptr_t start)
{
	size_t low = 0, high = ranges->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct gd_range *range = ranges->all[middle];

		if (range->start + range->size <= start)
			low = middle + 1;
		else
			high = middle;
	}

	return low;
}

static int insert(struct gaudi_device *device, struct gd_range *range)
{
	struct gd_ranges *ranges = device->ranges;
	size_t at;
	int rc = 0;

	pthread_mutex_lock(&ranges->lock);
	at = position(ranges, range->start);
	if (at < ranges->count &&
	    ranges->all[at]->start < range->start + range->size) {
		rc = gd_fail(-EEXIST, "%zu bytes at %p overlap %zu pinned bytes at %p",
			     range->size, (void *)range->start,
			     ranges->all[at]->size,
			     (void *)ranges->all[at]->start);
	} else if (ranges->count == ranges->room) {
		size_t room = ranges->room ? 2 * ranges->room : 16;
		void *more = realloc(ranges->all, room * sizeof(*ranges->all));

		if (more) {
			ranges->all = more;
			ranges->room = room;
		} else {
			rc = gd_fail(-ENOMEM, "no memory for %zu pinned ranges",
				     room);
		}
	}
	if (!rc) {
		memmove(&ranges->all[at + 1], &ranges->all[at],
			(ranges->count - at) * sizeof(*ranges->all));
		range->number = ++ranges->made;
		ranges->all[at] = range;
		ranges->count++;
	}
	pthread_mutex_unlock(&ranges->lock);

	return rc;
}

static int pin(struct gaudi_device *device, void *memory, size_t size,
	       bool ours)
{
	struct gd_range *range = calloc(1, sizeof(*range));
	int rc;

	if (!range)
		return gd_fail(-ENOMEM, "no memory for a pinned range");
	range->start = (uintptr_t)memory;
	range->size = size;
	range->ours = ours;
	range->address = hlthunk_host_memory_map(device->fd, memory, 0, size);
	if (!range->address) {
		rc = gd_errno();
		free(range);
		return gd_fail(rc, "card %u: cannot pin %zu bytes at %p: %s",
			       device->card.accel, size, memory,
			       gaudi_strerror(rc));
	}
	rc = insert(device, range);
	if (rc) {
		range->ours = false;
		unpin(device, range);
	}

	return rc;
}

int gaudi_host_alloc(struct gaudi_device *device, size_t size, void **memory)
{
	PROFILE_BYTES(size);
	void *pages;
	int rc = gd_device_check(device);

	if (rc)
		return rc;
	if (!memory || !size)
		return gd_fail(-EINVAL, "gaudi_host_alloc: %s",
			       size ? "memory is NULL" : "size is 0");
	pages = gd_pages_alloc(size);
	if (!pages)
		return gd_fail(-ENOMEM, "no %zu bytes of host memory", size);
	rc = pin(device, pages, size, true);
	if (rc) {
		gd_pages_free(pages, size);
		return rc;
	}
	*memory = pages;

	return 0;
}

int gaudi_host_register(struct gaudi_device *device, void *memory, size_t size)
{
	PROFILE_BYTES(size);
	int rc = gd_device_check(device);

	if (rc)
		return rc;
	if (!memory || !size || (uintptr_t)memory + size < size)
		return gd_fail(-EINVAL, "gaudi_host_register: %zu bytes at %p",
			       size, memory);

	return pin(device, memory, size, false);
}

/* Take the range that starts there out of the table. */
static struct gd_range *take_out(struct gd_ranges *ranges, const void *memory,
				 bool ours)
{
	uintptr_t start = (uintptr_t)memory;
	struct gd_range *range = NULL;
	size_t at;

	pthread_mutex_lock(&ranges->lock);
	at = position(ranges, start);
	if (at < ranges->count && ranges->all[at]->start == start &&
	    ranges->all[at]->ours == ours) {
		range = ranges->all[at];
		ranges->count--;
		memmove(&ranges->all[at], &ranges->all[at + 1],
			(ranges->count - at) * sizeof(*ranges->all));
	}
	pthread_mutex_unlock(&ranges->lock);

	return range;
}

static int let_go(struct gaudi_device *device, void *memory, bool ours)
{
	struct gd_ranges *ranges;
	struct gd_range *range;
	struct gd_point point;
	uint64_t ticket;
	int rc = gd_device_check_mine(device);

	if (!rc)
		rc = gd_may_block(device, ours ? "gaudi_host_free" :
						 "gaudi_host_unregister");
	if (rc)
		return rc;
	ranges = device->ranges;
	range = take_out(ranges, memory, ours);
	if (!range)
		return gd_fail(-EINVAL, "no memory %s at %p",
			       ours ? "allocated" : "registered", memory);
	/* No new work finds it. That under way may stand in a batch. */
	gd_flush_all(device, &ticket);
	pthread_mutex_lock(&ranges->lock);
	while (range->users)
		pthread_cond_wait(&ranges->unused, &ranges->lock);
	point = range->used;
	pthread_mutex_unlock(&ranges->lock);
	/* If it fails the card is lost, and no longer uses anything. */
	gd_wait(device, &point);
	unpin(device, range);

	return 0;
}

int gaudi_host_free(struct gaudi_device *device, void *memory)
{
	PROFILE_CALL();
	return memory ? let_go(device, memory, true) : 0;
}

int gaudi_host_unregister(struct gaudi_device *device, void *memory)
{
	PROFILE_CALL();
	return let_go(device, memory, false);
}

struct gd_range *gd_range_get(struct gaudi_device *device, const void *memory,
			      size_t size)
{
	struct gd_ranges *ranges = device->ranges;
	uintptr_t start = (uintptr_t)memory;
	struct gd_range *range = NULL;
	size_t at;

	pthread_mutex_lock(&ranges->lock);
	at = position(ranges, start);
	if (at < ranges->count && ranges->all[at]->start <= start &&
	    size <= ranges->all[at]->size -
		    (start - ranges->all[at]->start)) {
		range = ranges->all[at];
		range->users++;
	}
	pthread_mutex_unlock(&ranges->lock);

	return range;
}

void gd_range_get_again(struct gaudi_device *device, struct gd_range *range)
{
	pthread_mutex_lock(&device->ranges->lock);
	range->users++;
	pthread_mutex_unlock(&device->ranges->lock);
}

void gd_range_put(struct gaudi_device *device, struct gd_range *range)
{
	pthread_mutex_lock(&device->ranges->lock);
	if (!--range->users)
		pthread_cond_broadcast(&device->ranges->unused);
	pthread_mutex_unlock(&device->ranges->lock);
}

void gd_range_use(struct gaudi_device *device, struct gd_range *range,
		  unsigned int q, uint64_t n)
{
	pthread_mutex_lock(&device->ranges->lock);
	if (range->used.n[q] < n)
		gd_point_set(&range->used, q, n);
	pthread_mutex_unlock(&device->ranges->lock);
}

uint64_t gd_range_address(const struct gd_range *range, const void *memory)
{
	return range->address + ((uintptr_t)memory - range->start);
}

/* What a program asks about memory: held, so that nobody unpins it meanwhile. */
static int range_of(struct gaudi_device *device, const void *memory,
		    struct gd_range **range)
{
	int rc = gd_device_check(device);

	if (rc)
		return rc;
	*range = gd_range_get(device, memory, 1);
	if (!*range)
		return gd_fail(GAUDI_ERR_ADDRESS, "%p is in no pinned memory of card %u",
			       memory, device->card.accel);

	return 0;
}

int gaudi_host_get_device_address(struct gaudi_device *device,
				  const void *memory, gaudi_ptr *address)
{
	struct gd_range *range;
	int rc;

	if (!address)
		return gd_fail(-EINVAL, "gaudi_host_get_device_address: address is NULL");
	rc = range_of(device, memory, &range);
	if (rc)
		return rc;
	*address = gd_range_address(range, memory);
	gd_range_put(device, range);

	return 0;
}

int gaudi_host_get_range(struct gaudi_device *device, const void *memory,
			 void **start, size_t *size)
{
	struct gd_range *range;
	int rc = range_of(device, memory, &range);

	if (rc)
		return rc;
	if (start)
		*start = (void *)range->start;
	if (size)
		*size = range->size;
	gd_range_put(device, range);

	return 0;
}
