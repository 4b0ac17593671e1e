/* SPDX-License-Identifier: MIT */
/*
 * A heap of device memory: slabs from the driver, divided into blocks. It has
 * no lock, and knows nothing of work under way.
 */
#ifndef GAUDI_BLOCKS_H
#define GAUDI_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "../device/device.h"

enum gd_block_state {
	GD_BLOCK_FREE,
	GD_BLOCK_USED,
	GD_BLOCK_PENDING,	/* freed, but work may still use it */
};

struct gd_freed;
struct gd_slab;

struct gd_block {
	uint64_t address;
	uint64_t size;
	uint64_t asked;			/* by the program */
	struct gd_slab *slab;
	struct gd_block *before, *behind;	/* in the slab */
	enum gd_block_state state;
	/* For the owner of the heap: */
	uint64_t number;		/* of the allocation, from 1 on */
	uint64_t ticket;
	struct gd_point point;
	struct gd_freed *freed;		/* or NULL */

	TAILQ_ENTRY(gd_block) pending;
	union {
		TAILQ_ENTRY(gd_block) in_freed;
		LIST_ENTRY(gd_block) in_bin;	/* while it is free */
		SLIST_ENTRY(gd_block) unused;
	};
};

TAILQ_HEAD(gd_block_list, gd_block);

/* Blocks of 512 bytes and up, and of 64 KiB and up, have slabs of their own. */
#define GD_ARENAS	2
#define GD_BINS		128

struct gd_arena {
	LIST_HEAD(, gd_block) bins[GD_BINS];
	uint64_t filled[GD_BINS / 64];	/* bins that are not empty */
};

struct gd_heap {
	int fd;
	struct gd_arena arenas[GD_ARENAS];
	struct gd_slab **slabs;		/* by address */
	size_t count, room;
	uint64_t reserved;

	SLIST_HEAD(, gd_block) unused;	/* structures */
};

void gd_heap_init(struct gd_heap *heap, int fd);
void gd_heap_exit(struct gd_heap *heap);
/* What a block for @size bytes takes. */
uint64_t gd_heap_size(uint64_t size);
/* A free block cut to size; NULL: there is none. */
struct gd_block *gd_heap_alloc(struct gd_heap *heap, uint64_t size);
/* The same from a new slab; NULL: *@error says why. */
struct gd_block *gd_heap_grow(struct gd_heap *heap, uint64_t size, int *error);
void gd_heap_free(struct gd_heap *heap, struct gd_block *block);
/* The block that @address is in. */
struct gd_block *gd_heap_find(struct gd_heap *heap, uint64_t address);
/* Give back unused slabs until at most @keep bytes are left; whether any was. */
bool gd_heap_trim(struct gd_heap *heap, uint64_t keep);

#endif /* GAUDI_BLOCKS_H */
