// SPDX-License-Identifier: MIT
/*
 * Device memory: what programs ask for, and when it may be given out again.
 * How slabs are divided is blocks.c's.
 *
 * A block that was freed while work was under way is pending: it has the point
 * in time after which nothing of that work can touch it or, if work is deferred in
 * the library, the last ticket of it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "memory.h"
#include "../base/sized.h"

/* How many of a stream's freed blocks are looked at. */
#define LOOK_AT		16u

struct gd_freed {
	struct gd_block_list blocks;	/* the latest first */
};

struct gd_pool {
	pthread_mutex_t lock;
	struct gd_heap heap;
	struct gd_block_list pending;	/* the oldest first */
	struct gaudi_memory_stats stats;
};

int gd_pool_init(struct gaudi_device *device)
{
	struct gd_pool *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return gd_fail(-ENOMEM, "no memory for the book of a card's memory");
	pthread_mutex_init(&pool->lock, NULL);
	TAILQ_INIT(&pool->pending);
	gd_heap_init(&pool->heap, device->fd);
	pool->stats.device_total = device->ip.dram_size;
	device->pool = pool;

	return 0;
}

void gd_pool_exit(struct gaudi_device *device)
{
	struct gd_pool *pool = device->pool;

	if (!pool)
		return;
	gd_heap_exit(&pool->heap);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
}

struct gd_freed *gd_freed_new(void)
{
	struct gd_freed *freed = calloc(1, sizeof(*freed));

	if (freed)
		TAILQ_INIT(&freed->blocks);

	return freed;
}

void gd_freed_end(struct gaudi_device *device, struct gd_freed *freed)
{
	struct gd_block *block;

	pthread_mutex_lock(&device->pool->lock);
	TAILQ_FOREACH(block, &freed->blocks, in_freed)
		block->freed = NULL;
	pthread_mutex_unlock(&device->pool->lock);
	free(freed);
}

/* With the pool's lock. */
static void note_known(struct gaudi_device *device, struct gd_known *known,
		       const struct gd_block *block)
{
	unsigned int seq = atomic_load_explicit(&known->seq,
						memory_order_relaxed);

	atomic_store_explicit(&known->seq, seq + 1, memory_order_relaxed);
	atomic_store_explicit(&known->frees, atomic_load(&device->frees),
			      memory_order_release);
	atomic_store_explicit(&known->start, block->address,
			      memory_order_release);
	atomic_store_explicit(&known->asked, block->asked,
			      memory_order_release);
	/* Not 0 even when it overflows: that says that there is nothing. */
	atomic_store_explicit(&known->seq, seq + 2 ? seq + 2 : 2,
			      memory_order_release);
}

/* A block in use, as it was when it was found. */
struct used {
	uint64_t start, asked, number;
};

/* The one that @address is in. */
static int find_used(struct gaudi_device *device, gaudi_ptr address,
		     struct used *found, struct gd_known *known)
{
	struct gd_pool *pool = device->pool;
	struct gd_block *block;
	bool used = false;

	pthread_mutex_lock(&pool->lock);
	block = gd_heap_find(&pool->heap, address);
	if (block) {
		used = block->state == GD_BLOCK_USED;
		*found = (struct used) {
			block->address, block->asked, block->number,
		};
	}
	if (used && known)
		note_known(device, known, block);
	pthread_mutex_unlock(&pool->lock);
	if (!block)
		return gd_fail(GAUDI_ERR_ADDRESS, "%#llx is in no block of card %u",
			       (unsigned long long)address,
			       device->card.accel);
	if (!used)
		return gd_fail(GAUDI_ERR_ADDRESS, "%#llx is in a block that was freed",
			       (unsigned long long)address);

	return 0;
}

static int check_used(struct gaudi_device *device, gaudi_ptr address,
		      uint64_t size, struct gd_known *known, uint64_t *owner)
{
	struct used b = {};
	int rc = find_used(device, address, &b, known);

	if (rc)
		return rc;
	if (address - b.start > b.asked || size > b.asked - (address - b.start))
		return gd_fail(GAUDI_ERR_ADDRESS,
			       "%llu bytes at %#llx go beyond the %llu bytes at %#llx",
			       (unsigned long long)size,
			       (unsigned long long)address,
			       (unsigned long long)b.asked,
			       (unsigned long long)b.start);
	*owner = b.number;

	return 0;
}

int gd_range_check(struct gaudi_device *device, gaudi_ptr address,
		   uint64_t bytes, struct gd_known *known, uint64_t *owner)
{
	uint64_t base = device->ip.sram_base_address;
	uint64_t size = device->ip.sram_size;

	if (address >= base && address - base < size) {
		*owner = 0;
		if (bytes <= size - (address - base))
			return 0;
		return gd_fail(GAUDI_ERR_ADDRESS,
			       "%llu bytes at %#llx go beyond the SRAM's end %#llx",
			       (unsigned long long)bytes,
			       (unsigned long long)address,
			       (unsigned long long)(base + size));
	}

	return check_used(device, address, bytes, known, owner);
}

int gaudi_memory_get_range(struct gaudi_device *device, gaudi_ptr address,
			   gaudi_ptr *start, uint64_t *size)
{
	struct used b = {};
	int rc = gd_device_check(device);

	if (!rc)
		rc = find_used(device, address, &b, NULL);
	if (rc)
		return rc;
	/* A block may have more bytes than were asked for. */
	if (address - b.start >= b.asked)
		return gd_fail(GAUDI_ERR_ADDRESS, "%#llx is behind the %llu bytes at %#llx",
			       (unsigned long long)address,
			       (unsigned long long)b.asked,
			       (unsigned long long)b.start);
	if (start)
		*start = b.start;
	if (size)
		*size = b.asked;

	return 0;
}

static bool is_over(struct gaudi_device *device, struct gd_block *block)
{
	if (block->ticket) {
		if (!gd_ticket_done(device, block->ticket))
			return false;
		/* All work that was deferred has been given to the card. */
		block->ticket = 0;
		gd_submitted(device, &block->point);
	}

	return gd_has_ended(device, &block->point);
}

static void unlist(struct gd_pool *pool, struct gd_block *block)
{
	TAILQ_REMOVE(&pool->pending, block, pending);
	if (block->freed)
		TAILQ_REMOVE(&block->freed->blocks, block, in_freed);
	block->freed = NULL;
}

/* Pending blocks that may be given out: the oldest ones, or all. */
static void reclaim(struct gaudi_device *device, bool all)
{
	struct gd_pool *pool = device->pool;
	struct gd_block *block = TAILQ_FIRST(&pool->pending), *next;

	for (; block; block = next) {
		next = TAILQ_NEXT(block, pending);
		if (is_over(device, block)) {
			unlist(pool, block);
			gd_heap_free(&pool->heap, block);
		} else if (!all) {
			break;
		}
	}
}

/* Ask the driver how far the card is, then all that can be had. */
static void reclaim_hard(struct gaudi_device *device)
{
	struct gd_point all;

	if (TAILQ_EMPTY(&device->pool->pending))
		return;
	gd_submitted(device, &all);
	for (unsigned int q = 0; q < GD_QUEUES; q++) {
		struct gd_point one = {};

		gd_point_set(&one, q, all.n[q]);
		gd_poll(device, &one);
	}
	reclaim(device, true);
}

/* With the pool's lock. A profile shows how much programs have. */
static void show_use(const struct gaudi_device *device)
{
	if (__builtin_expect(profile_on, 0))
		profile_count("HBM in use", device->card.module_id, "bytes",
			      device->pool->stats.in_use);
}

static void account(struct gd_pool *pool, struct gd_block *block,
		    uint64_t size, bool hit)
{
	struct gaudi_memory_stats *stats = &pool->stats;

	block->state = GD_BLOCK_USED;
	block->asked = size;
	stats->in_use += size;
	stats->allocated += block->size;
	block->number = ++stats->allocations;
	stats->pool_hits += hit;
	if (stats->in_use_peak < stats->in_use)
		stats->in_use_peak = stats->in_use;
	stats->reserved = pool->heap.reserved;
	if (stats->reserved_peak < stats->reserved)
		stats->reserved_peak = stats->reserved;
}

/* With the pool's lock. The driver has no more: give back what is whole. */
static struct gd_block *take_slab(struct gd_pool *pool, uint64_t size,
				  int *error)
{
	struct gd_block *block = gd_heap_grow(&pool->heap, size, error);

	if (!block && *error == -ENOMEM &&
	    gd_heap_trim(&pool->heap, 0))
		block = gd_heap_grow(&pool->heap, size, error);

	return block;
}

/* What freed memory waits for; not inside of host functions. */
static bool wait_for_pending(struct gaudi_device *device)
{
	struct gd_error_state state;
	struct gd_point all;
	bool waited;

	gd_error_save(&state);
	waited = !gd_may_block(device, "") && !gd_device_drain(device, &all) &&
		 !gd_wait(device, &all);
	gd_error_restore(&state);

	return waited;
}

static int take(struct gaudi_device *device, uint64_t size, bool may_wait,
		gaudi_ptr *address)
{
	struct gd_pool *pool = device->pool;
	struct gd_block *block;
	bool hit = true, waited = !may_wait;
	int rc = -ENOMEM;

	pthread_mutex_lock(&pool->lock);
	reclaim(device, false);
	block = gd_heap_alloc(&pool->heap, size);
	if (!block) {
		reclaim_hard(device);
		block = gd_heap_alloc(&pool->heap, size);
	}
	while (!block) {
		hit = false;
		block = take_slab(pool, size, &rc);
		if (block || waited || TAILQ_EMPTY(&pool->pending))
			break;
		pthread_mutex_unlock(&pool->lock);
		waited = true;
		if (!wait_for_pending(device)) {
			pthread_mutex_lock(&pool->lock);
			break;
		}
		pthread_mutex_lock(&pool->lock);
		reclaim_hard(device);
		block = gd_heap_alloc(&pool->heap, size);
	}
	if (block) {
		account(pool, block, size, hit);
		show_use(device);
		*address = block->address;
	} else {
		pool->stats.failures++;
	}
	pthread_mutex_unlock(&pool->lock);
	if (block)
		return 0;

	return gd_fail(rc, "card %u: no %llu bytes of device memory; %llu of %llu bytes are in use, %llu reserved: %s",
		       device->card.accel, (unsigned long long)size,
		       (unsigned long long)pool->stats.in_use,
		       (unsigned long long)pool->stats.device_total,
		       (unsigned long long)pool->stats.reserved,
		       gaudi_strerror(rc));
}

int gd_pool_check_size(struct gaudi_device *device, size_t size,
		       const gaudi_ptr *address)
{
	if (!address || !size)
		return gd_fail(-EINVAL, "device memory: %s",
			       size ? "address is NULL" : "size is 0");
	if (size > device->ip.dram_size)
		return gd_fail(-ENOMEM, "card %u: %zu bytes of device memory wanted, it has %llu",
			       device->card.accel, size,
			       (unsigned long long)device->ip.dram_size);

	return 0;
}

int gaudi_malloc(struct gaudi_device *device, size_t size, gaudi_ptr *address)
{
	PROFILE_BYTES(size);
	int rc = gd_device_check(device);

	if (!rc)
		rc = gd_pool_check_size(device, size, address);

	return rc ? rc : take(device, size, true, address);
}

/* One of @freed, which needs no waiting. */
static bool take_own(struct gaudi_device *device, struct gd_freed *freed,
		     uint64_t size, gaudi_ptr *address)
{
	struct gd_pool *pool = device->pool;
	uint64_t want = gd_heap_size(size);
	struct gd_block *block;
	unsigned int looked = 0;

	pthread_mutex_lock(&pool->lock);
	TAILQ_FOREACH(block, &freed->blocks, in_freed) {
		if (block->size >= want && block->size / 2 <= want)
			break;
		if (++looked == LOOK_AT) {
			block = NULL;
			break;
		}
	}
	if (block) {
		unlist(pool, block);
		account(pool, block, size, true);
		show_use(device);
		*address = block->address;
	}
	pthread_mutex_unlock(&pool->lock);

	return block;
}

int gd_pool_alloc_from(struct gaudi_device *device, struct gd_freed *freed,
		       uint64_t size, gaudi_ptr *address)
{
	if (take_own(device, freed, size, address))
		return 0;

	return take(device, size, true, address);
}

/*
 * Freed by the program, to be given out again after @point and all deferred work up to
 * @ticket. @freed, or NULL: whose it is until then.
 */
static int release(struct gaudi_device *device, gaudi_ptr address,
		   struct gd_freed *freed, const struct gd_point *point,
		   uint64_t ticket)
{
	struct gd_pool *pool = device->pool;
	struct gd_block *block;
	bool good;

	pthread_mutex_lock(&pool->lock);
	block = gd_heap_find(&pool->heap, address);
	good = block && block->state == GD_BLOCK_USED &&
	       block->address == address;
	if (good) {
		pool->stats.in_use -= block->asked;
		show_use(device);
		pool->stats.allocated -= block->size;
		pool->stats.frees++;
		atomic_fetch_add(&device->frees, 1);
		block->ticket = ticket;
		block->point = *point;
		if (is_over(device, block)) {
			gd_heap_free(&pool->heap, block);
		} else {
			block->state = GD_BLOCK_PENDING;
			block->freed = freed;
			TAILQ_INSERT_TAIL(&pool->pending, block, pending);
			if (freed)
				TAILQ_INSERT_HEAD(&freed->blocks,
						  block, in_freed);
		}
	}
	pthread_mutex_unlock(&pool->lock);
	if (!good)
		return gd_fail(GAUDI_ERR_ADDRESS, "%#llx is no block of card %u, or was freed",
			       (unsigned long long)address,
			       device->card.accel);

	return 0;
}

int gd_pool_alloc(struct gaudi_device *device, uint64_t size, gaudi_ptr *address)
{
	int rc = gd_pool_check_size(device, size, address);

	return rc ? rc : take(device, size, false, address);
}

void gd_pool_free(struct gaudi_device *device, gaudi_ptr address)
{
	const struct gd_point over = {};

	release(device, address, NULL, &over, 0);
}

int gd_pool_free_behind(struct gaudi_device *device, struct gd_freed *freed,
			gaudi_ptr address)
{
	struct gd_point point;
	uint64_t ticket;
	/* If it fails the card is lost, or the work stays the stream's. */
	int rc = gd_flush_all(device, &ticket);

	if (rc && !atomic_load(&device->lost))
		return rc;
	gd_submitted(device, &point);

	return release(device, address, freed, &point, ticket);
}

int gaudi_free(struct gaudi_device *device, gaudi_ptr address)
{
	PROFILE_CALL();
	int rc = gd_device_check_mine(device);

	return rc || !address ? rc : gd_pool_free_behind(device, NULL, address);
}

int gaudi_memory_get_stats(struct gaudi_device *device,
			   struct gaudi_memory_stats *stats)
{
	struct hlthunk_dram_usage_info usage;
	struct gaudi_memory_stats full;
	int rc = gd_device_check(device);

	if (rc)
		return rc;
	rc = gd_sized_check(stats, sizeof(stats->size), "gaudi_memory_stats");
	if (rc)
		return rc;
	rc = hlthunk_get_dram_usage(device->fd, &usage);
	if (rc)
		return gd_fail(rc, "card %u does not tell its free memory: %s",
			       device->card.accel, gaudi_strerror(rc));
	pthread_mutex_lock(&device->pool->lock);
	full = device->pool->stats;
	full.reserved = device->pool->heap.reserved;
	pthread_mutex_unlock(&device->pool->lock);
	full.device_free = usage.dram_free_mem;
	gd_sized_put(stats, &full, sizeof(full));

	return 0;
}

int gaudi_memory_reset_peak(struct gaudi_device *device)
{
	struct gaudi_memory_stats *stats;
	int rc = gd_device_check(device);

	if (rc)
		return rc;
	pthread_mutex_lock(&device->pool->lock);
	stats = &device->pool->stats;
	stats->in_use_peak = stats->in_use;
	stats->reserved_peak = device->pool->heap.reserved;
	pthread_mutex_unlock(&device->pool->lock);

	return 0;
}

int gaudi_memory_trim(struct gaudi_device *device, uint64_t keep)
{
	int rc = gd_device_check(device);

	if (rc)
		return rc;
	pthread_mutex_lock(&device->pool->lock);
	reclaim_hard(device);
	gd_heap_trim(&device->pool->heap, keep);
	pthread_mutex_unlock(&device->pool->lock);

	return 0;
}
