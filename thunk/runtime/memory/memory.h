/* SPDX-License-Identifier: MIT */
/*
 * Memory: which of the device's is in use (pool.c, that divides slabs from the driver
 * into blocks, blocks.c), and which of the host's is pinned (host.c), both with what
 * uses it until when. Two locks: the pool's, then the ranges'.
 */
#ifndef GAUDI_RUNTIME_MEMORY_H
#define GAUDI_RUNTIME_MEMORY_H

#include "../device/device.h"

/* --- the host's --- */

struct gd_range {
	uintptr_t start;
	size_t size;
	uint64_t address;		/* for the card */
	bool ours;			/* gaudi_host_alloc */
	uint64_t number;		/* no other range ever has it */
	/* With the ranges' lock: */
	unsigned int users;		/* calls and deferred ops */
	struct gd_point used;		/* by work */
};

int gd_ranges_init(struct gaudi_device *device);
void gd_ranges_exit(struct gaudi_device *device);
/* The range that holds all of it, held for the caller; NULL: none. */
struct gd_range *gd_range_get(struct gaudi_device *device, const void *memory,
			      size_t size);
void gd_range_get_again(struct gaudi_device *device, struct gd_range *range);
void gd_range_put(struct gaudi_device *device, struct gd_range *range);
/* The range is used until @n of @q has ended. */
void gd_range_use(struct gaudi_device *device, struct gd_range *range,
		  unsigned int q, uint64_t n);
uint64_t gd_range_address(const struct gd_range *range, const void *memory);
/* Host memory of whole huge pages where it is large; NULL with errno. */
void *gd_pages_alloc(size_t size);
void gd_pages_free(void *memory, size_t size);

/* --- the device's --- */

/*
 * The block in use that a stream's last work was in, so that the next one needs no
 * lock to find it. It holds as long as no memory has been freed. Written with the
 * pool's lock, @seq is odd meanwhile.
 */
struct gd_known {
	_Atomic uint64_t frees;
	_Atomic uint64_t start, asked;
	atomic_uint seq;
};

/* The blocks freed on a stream, in its order: it may have them again without waiting. */
struct gd_freed;

int gd_pool_init(struct gaudi_device *device);
void gd_pool_exit(struct gaudi_device *device);
/*
 * 0 if the range is in one block in use, which is noted in @known if that is not NULL,
 * or in SRAM. *@owner is the allocation, which no other one ever is, whatever its
 * address; 0: SRAM.
 */
int gd_range_check(struct gaudi_device *device, gaudi_ptr address,
		   uint64_t bytes, struct gd_known *known, uint64_t *owner);
/* Does @known say that it does? */
static inline bool gd_pool_knows(const struct gaudi_device *device,
				 const struct gd_known *known,
				 gaudi_ptr address, uint64_t size)
{
	unsigned int seq = atomic_load_explicit(&known->seq,
						memory_order_acquire);
	uint64_t frees = atomic_load_explicit(&known->frees,
					      memory_order_acquire);
	uint64_t start = atomic_load_explicit(&known->start,
					      memory_order_acquire);
	uint64_t asked = atomic_load_explicit(&known->asked,
					      memory_order_acquire);

	/* 0: nothing yet. Who reads what is being written sees that it is. */
	return seq && !(seq & 1) &&
	       atomic_load_explicit(&known->seq, memory_order_relaxed) == seq &&
	       atomic_load_explicit(&device->frees,
				    memory_order_acquire) == frees &&
	       address - start < asked && size <= asked - (address - start);
}

/* Without waiting, and given back when no work under way uses it. */
int gd_pool_alloc(struct gaudi_device *device, uint64_t size,
		  gaudi_ptr *address);
void gd_pool_free(struct gaudi_device *device, gaudi_ptr address);
/* Could a block have this size? -EINVAL, -ENOMEM */
int gd_pool_check_size(struct gaudi_device *device, size_t size,
		       const gaudi_ptr *address);
/* One of those in @freed, or another one; may wait. */
int gd_pool_alloc_from(struct gaudi_device *device, struct gd_freed *freed,
		       uint64_t size, gaudi_ptr *address);
/*
 * Freed by the program, to be given out again after all work that there is. @freed, or
 * NULL: whose it is until then. Another stream may still read what a stream's order frees.
 */
int gd_pool_free_behind(struct gaudi_device *device, struct gd_freed *freed,
			gaudi_ptr address);
/* NULL: no memory. */
struct gd_freed *gd_freed_new(void);
/* Its blocks are like others'. */
void gd_freed_end(struct gaudi_device *device, struct gd_freed *freed);

#endif /* GAUDI_RUNTIME_MEMORY_H */
