// SPDX-License-Identifier: MIT
/*
 * Slabs and blocks. Blocks of a slab are chained by address; free neighbours
 * are joined. Free blocks stand in bins, eight to each power of two. A slab
 * knows which of its grains blocks begin at, so that an address leads to its
 * block.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"

#define BINS_PER_OCTAVE	8u

/* Of each arena; what is larger than the last one has a slab of its own. */
static const struct {
	uint64_t grain;
	uint64_t largest;
	uint64_t slab;
} arenas[GD_ARENAS] = {
	{ 512, 1 * MIB, 8 * MIB },
	{ 64 * KIB, 16 * MIB, 32 * MIB },
};

#define SLAB_GRAIN	(2 * MIB)

struct gd_slab {
	uint64_t address;
	uint64_t size;
	uint64_t handle;
	unsigned int arena;		/* GD_ARENAS: of its own */
	struct gd_block *first;		/* the only one, if of its own */
	struct gd_block **map;		/* by grain: the block that begins */
	uint64_t *begins;		/* the same as bits */
};

void gd_heap_init(struct gd_heap *heap, int fd)
{
	memset(heap, 0, sizeof(*heap));
	heap->fd = fd;
	SLIST_INIT(&heap->unused);
	for (unsigned int a = 0; a < GD_ARENAS; a++)
		for (unsigned int b = 0; b < GD_BINS; b++)
			LIST_INIT(&heap->arenas[a].bins[b]);
}

static unsigned int arena_of(uint64_t size)
{
	unsigned int a = 0;

	while (a < GD_ARENAS && size > arenas[a].largest)
		a++;

	return a;
}

uint64_t gd_heap_size(uint64_t size)
{
	unsigned int a = arena_of(size);

	return gd_round_up(size, a < GD_ARENAS ? arenas[a].grain : SLAB_GRAIN);
}

/* Blocks of a bin are smaller than those of the next one. */
static unsigned int bin_of(unsigned int arena, uint64_t size)
{
	uint64_t grains = size / arenas[arena].grain;
	unsigned int log;

	if (grains < BINS_PER_OCTAVE)
		return (unsigned int)grains;
	log = 63u - (unsigned int)__builtin_clzll(grains);

	return (log - 2) * BINS_PER_OCTAVE +
	       (unsigned int)((grains >> (log - 3)) % BINS_PER_OCTAVE);
}

static void bin_add(struct gd_heap *heap, struct gd_block *block)
{
	struct gd_arena *arena = &heap->arenas[block->slab->arena];
	unsigned int bin = bin_of(block->slab->arena, block->size);

	LIST_INSERT_HEAD(&arena->bins[bin], block, in_bin);
	arena->filled[bin / 64] |= 1ull << bin % 64;
}

static void bin_remove(struct gd_heap *heap, struct gd_block *block)
{
	struct gd_arena *arena = &heap->arenas[block->slab->arena];
	unsigned int bin = bin_of(block->slab->arena, block->size);

	LIST_REMOVE(block, in_bin);
	if (LIST_EMPTY(&arena->bins[bin]))
		arena->filled[bin / 64] &= ~(1ull << bin % 64);
}

static struct gd_block *block_new(struct gd_heap *heap)
{
	struct gd_block *block = SLIST_FIRST(&heap->unused);

	if (!block)
		return calloc(1, sizeof(*block));
	SLIST_REMOVE_HEAD(&heap->unused, unused);
	memset(block, 0, sizeof(*block));

	return block;
}

static void block_drop(struct gd_heap *heap, struct gd_block *block)
{
	SLIST_INSERT_HEAD(&heap->unused, block, unused);
}

static uint64_t grain_of(const struct gd_slab *slab, uint64_t address)
{
	return (address - slab->address) / arenas[slab->arena].grain;
}

static void map_set(struct gd_block *block, bool begins)
{
	struct gd_slab *slab = block->slab;
	uint64_t grain;

	if (!slab->map)
		return;
	grain = grain_of(slab, block->address);
	slab->map[grain] = begins ? block : NULL;
	if (begins)
		slab->begins[grain / 64] |= 1ull << grain % 64;
	else
		slab->begins[grain / 64] &= ~(1ull << grain % 64);
}

/* Cut @block to @size; the rest is a free block. Without memory it stays. */
static void cut(struct gd_heap *heap, struct gd_block *block, uint64_t size)
{
	struct gd_block *rest;

	if (block->size == size)
		return;
	rest = block_new(heap);
	if (!rest)
		return;
	rest->slab = block->slab;
	rest->address = block->address + size;
	rest->size = block->size - size;
	rest->before = block;
	rest->behind = block->behind;
	if (rest->behind)
		rest->behind->before = rest;
	block->behind = rest;
	block->size = size;
	map_set(rest, true);
	bin_add(heap, rest);
}

/* The first of the bins from @bin on that has blocks; GD_BINS: none. */
static unsigned int next_filled(const struct gd_arena *arena, unsigned int bin)
{
	while (bin < GD_BINS) {
		uint64_t bits = arena->filled[bin / 64] >> bin % 64;

		if (bits)
			return bin + (unsigned int)__builtin_ctzll(bits);
		bin = (bin / 64 + 1) * 64;
	}

	return GD_BINS;
}

/* The smallest free slab that wastes no more than a quarter. */
static struct gd_block *take_slab(struct gd_heap *heap, uint64_t size)
{
	struct gd_block *best = NULL;

	for (size_t i = 0; i < heap->count; i++) {
		struct gd_block *block = heap->slabs[i]->first;

		if (heap->slabs[i]->arena == GD_ARENAS &&
		    block->state == GD_BLOCK_FREE && block->size >= size &&
		    block->size - size <= size / 4 &&
		    (!best || block->size < best->size))
			best = block;
	}
	if (best)
		best->state = GD_BLOCK_USED;

	return best;
}

struct gd_block *gd_heap_alloc(struct gd_heap *heap, uint64_t size)
{
	unsigned int a = arena_of(size), bin;
	struct gd_block *block;

	size = gd_heap_size(size);
	if (a == GD_ARENAS)
		return take_slab(heap, size);
	bin = bin_of(a, size);
	/* In its own bin a block may be smaller; in the next ones none is. */
	LIST_FOREACH(block, &heap->arenas[a].bins[bin], in_bin)
		if (block->size >= size)
			break;
	if (!block) {
		bin = next_filled(&heap->arenas[a], bin + 1);
		if (bin == GD_BINS)
			return NULL;
		block = LIST_FIRST(&heap->arenas[a].bins[bin]);
	}
	bin_remove(heap, block);
	block->state = GD_BLOCK_USED;
	cut(heap, block, size);

	return block;
}

/* Where the slab of @address is, or would be. */
static size_t slab_at(const struct gd_heap *heap, uint64_t address)
{
	size_t low = 0, high = heap->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct gd_slab *slab = heap->slabs[middle];

		if (slab->address + slab->size <= address)
			low = middle + 1;
		else
			high = middle;
	}

	return low;
}

static void slab_free(struct gd_heap *heap, struct gd_slab *slab)
{
	if (slab->address)
		hlthunk_memory_unmap(heap->fd, slab->address);
	if (slab->handle)
		hlthunk_device_memory_free(heap->fd, slab->handle);
	free(slab->map);
	free(slab->begins);
	free(slab);
}

/* From the driver, with its one block. */
static struct gd_slab *slab_new(struct gd_heap *heap, unsigned int arena,
				uint64_t size, int *error)
{
	struct gd_slab *slab = calloc(1, sizeof(*slab));
	uint64_t grains = 0;

	*error = -ENOMEM;
	if (!slab)
		return NULL;
	slab->arena = arena;
	slab->size = size;
	if (arena < GD_ARENAS) {
		grains = size / arenas[arena].grain;
		slab->map = calloc(grains, sizeof(*slab->map));
		slab->begins = calloc((grains + 63) / 64,
				      sizeof(*slab->begins));
	}
	slab->first = block_new(heap);
	if (!slab->first || (grains && (!slab->map || !slab->begins)))
		goto fail;
	slab->handle = hlthunk_device_memory_alloc(heap->fd, size, 0, true,
						   false);
	if (slab->handle)
		slab->address = hlthunk_device_memory_map(heap->fd,
							  slab->handle, 0);
	if (!slab->address) {
		*error = gd_errno();
		goto fail;
	}
	slab->first->slab = slab;
	slab->first->address = slab->address;
	slab->first->size = size;
	map_set(slab->first, true);

	return slab;
fail:
	if (slab->first)
		block_drop(heap, slab->first);
	slab_free(heap, slab);
	return NULL;
}

static bool make_room(struct gd_heap *heap)
{
	size_t room = heap->room ? 2 * heap->room : 16;
	void *more;

	if (heap->count < heap->room)
		return true;
	more = realloc(heap->slabs, room * sizeof(*heap->slabs));
	if (!more)
		return false;
	heap->slabs = more;
	heap->room = room;

	return true;
}

struct gd_block *gd_heap_grow(struct gd_heap *heap, uint64_t size, int *error)
{
	unsigned int a = arena_of(size);
	struct gd_slab *slab;
	size_t at;

	*error = -ENOMEM;
	size = gd_heap_size(size);
	if (!make_room(heap))
		return NULL;
	slab = slab_new(heap, a, a < GD_ARENAS ? arenas[a].slab : size, error);
	if (!slab)
		return NULL;
	at = slab_at(heap, slab->address);
	memmove(&heap->slabs[at + 1], &heap->slabs[at],
		(heap->count - at) * sizeof(*heap->slabs));
	heap->slabs[at] = slab;
	heap->count++;
	heap->reserved += slab->size;
	slab->first->state = GD_BLOCK_USED;
	cut(heap, slab->first, size);

	return slab->first;
}

/* Take @block's neighbour @next into it. */
static void join(struct gd_heap *heap, struct gd_block *block,
		 struct gd_block *next)
{
	map_set(next, false);
	block->size += next->size;
	block->behind = next->behind;
	if (block->behind)
		block->behind->before = block;
	block_drop(heap, next);
}

void gd_heap_free(struct gd_heap *heap, struct gd_block *block)
{
	struct gd_block *other;

	block->state = GD_BLOCK_FREE;
	if (block->slab->arena == GD_ARENAS)
		return;
	other = block->behind;
	if (other && other->state == GD_BLOCK_FREE) {
		bin_remove(heap, other);
		join(heap, block, other);
	}
	other = block->before;
	if (other && other->state == GD_BLOCK_FREE) {
		bin_remove(heap, other);
		join(heap, other, block);
		block = other;
	}
	bin_add(heap, block);
}

struct gd_block *gd_heap_find(struct gd_heap *heap, uint64_t address)
{
	size_t at = slab_at(heap, address);
	struct gd_slab *slab;
	uint64_t grain, word, bits;

	if (at == heap->count || heap->slabs[at]->address > address)
		return NULL;
	slab = heap->slabs[at];
	if (!slab->map)
		return slab->first;
	grain = grain_of(slab, address);
	word = grain / 64;
	/* The last block that begins here or before; one begins at 0. */
	bits = slab->begins[word] & (~0ull >> (63 - grain % 64));
	while (!bits)
		bits = slab->begins[--word];

	return slab->map[word * 64 + 63 - (uint64_t)__builtin_clzll(bits)];
}

static bool is_whole(const struct gd_slab *slab)
{
	return slab->first->state == GD_BLOCK_FREE && !slab->first->behind;
}

bool gd_heap_trim(struct gd_heap *heap, uint64_t keep)
{
	bool any = false;

	for (size_t i = heap->count; i-- > 0 && heap->reserved > keep;) {
		struct gd_slab *slab = heap->slabs[i];

		if (!is_whole(slab))
			continue;
		if (slab->arena < GD_ARENAS)
			bin_remove(heap, slab->first);
		heap->reserved -= slab->size;
		heap->count--;
		memmove(&heap->slabs[i], &heap->slabs[i + 1],
			(heap->count - i) * sizeof(*heap->slabs));
		block_drop(heap, slab->first);
		slab_free(heap, slab);
		any = true;
	}

	return any;
}

void gd_heap_exit(struct gd_heap *heap)
{
	while (heap->count) {
		struct gd_slab *slab = heap->slabs[--heap->count];
		struct gd_block *block = slab->first, *next;

		for (; block; block = next) {
			next = block->behind;
			free(block);
		}
		slab_free(heap, slab);
	}
	while (!SLIST_EMPTY(&heap->unused)) {
		struct gd_block *block = SLIST_FIRST(&heap->unused);

		SLIST_REMOVE_HEAD(&heap->unused, unused);
		free(block);
	}
	free(heap->slabs);
}
