// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Decoded code, found again by its content: a kernel that is launched a second
 * time, by the same core or another one, is not decoded a second time. Pages
 * that no core uses are kept, oldest dropped first, up to a bound.
 */
#include <stdlib.h>
#include <string.h>

#include "../../core/lock.h"
#include "tpc_page.h"

#define BUCKETS		256u

struct gaudi_tpc_cache {
	struct gaudi_lock lock;
	struct gaudi_tpc_page *bucket[BUCKETS];
	/* Pages without users, by the time of their last. */
	struct gaudi_tpc_page *oldest, *newest;
	size_t bytes;
	size_t bound;
	uint64_t hits;
	uint64_t misses;
};

struct gaudi_tpc_cache *gaudi_tpc_cache_new(size_t bytes)
{
	struct gaudi_tpc_cache *cache = calloc(1, sizeof(*cache));

	if (!cache)
		return NULL;
	gaudi_lock_init(&cache->lock, GAUDI_LOCK_TPC_CODE);
	cache->bound = bytes;
	return cache;
}

/* What follows the words: constants, steps, counters. */
static size_t constants_at(unsigned int words)
{
	size_t size = sizeof(struct gaudi_tpc_page) +
		      words * sizeof(struct gaudi_tpc_uword);

	return (size + 63) / 64 * 64;
}

static size_t steps_at(unsigned int words)
{
	return constants_at(words) + words * sizeof(gaudi_tpc_vec);
}

static size_t page_size(unsigned int words)
{
	size_t ops = (size_t)words * GAUDI_TPC_SLOTS;
	size_t size = steps_at(words) + ops * (sizeof(struct gaudi_tpc_step) +
					       sizeof(uint16_t));

	return (size + 63) / 64 * 64;
}

static uint64_t hash_of(const uint8_t *raw, size_t len)
{
	uint64_t hash = len, word;
	size_t i;

	for (i = 0; i + 8 <= len; i += 8) {
		memcpy(&word, raw + i, 8);
		hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
		hash ^= hash >> 29;
	}
	return hash;
}

static void unqueue(struct gaudi_tpc_cache *cache, struct gaudi_tpc_page *page)
{
	if (page->older)
		page->older->newer = page->newer;
	else
		cache->oldest = page->newer;
	if (page->newer)
		page->newer->older = page->older;
	else
		cache->newest = page->older;
	page->older = NULL;
	page->newer = NULL;
}

static void enqueue(struct gaudi_tpc_cache *cache, struct gaudi_tpc_page *page)
{
	page->newer = NULL;
	page->older = cache->newest;
	if (cache->newest)
		cache->newest->newer = page;
	else
		cache->oldest = page;
	cache->newest = page;
}

static void trim(struct gaudi_tpc_cache *cache)
{
	struct gaudi_tpc_page *page, **link;

	while (cache->bytes > cache->bound && cache->oldest) {
		page = cache->oldest;
		unqueue(cache, page);
		link = &cache->bucket[page->hash % BUCKETS];
		while (*link != page)
			link = &(*link)->next;
		*link = page->next;
		cache->bytes -= page_size(page->words);
		free(page);
	}
}

static struct gaudi_tpc_page *find(struct gaudi_tpc_cache *cache,
				   uint64_t hash, const uint8_t *raw,
				   unsigned int words)
{
	struct gaudi_tpc_page *page = cache->bucket[hash % BUCKETS];

	for (; page; page = page->next)
		if (page->hash == hash && page->words == words &&
		    !memcmp(page->raw, raw, words * GAUDI_TPC_WORD))
			return page;
	return NULL;
}

static struct gaudi_tpc_page *decode(const uint8_t *raw, unsigned int words,
				     uint64_t hash)
{
	struct gaudi_tpc_page *page = aligned_alloc(64, page_size(words));
	unsigned int i;

	if (!page)
		return NULL;
	memset(page, 0, page_size(words));
	page->hash = hash;
	page->words = words;
	memcpy(page->raw, raw, words * GAUDI_TPC_WORD);
	for (i = 0; i < words; i++)
		gaudi_tpc_prepare(raw + i * GAUDI_TPC_WORD, &page->word[i]);
	page->constant = (void *)((uint8_t *)page + constants_at(words));
	page->step = (void *)((uint8_t *)page + steps_at(words));
	page->count = (void *)(page->step + words * GAUDI_TPC_SLOTS);
	gaudi_tpc_make_steps(page);
	return page;
}

struct gaudi_tpc_page *gaudi_tpc_page_get(struct gaudi_tpc_cache *cache,
					  const uint8_t *raw,
					  unsigned int words)
{
	uint64_t hash = hash_of(raw, words * GAUDI_TPC_WORD);
	struct gaudi_tpc_page *page;

	gaudi_lock(&cache->lock);
	page = find(cache, hash, raw, words);
	if (page) {
		cache->hits++;
		if (!page->users++)
			unqueue(cache, page);
	} else {
		cache->misses++;
		page = decode(raw, words, hash);
		if (page) {
			page->users = 1;
			page->next = cache->bucket[hash % BUCKETS];
			cache->bucket[hash % BUCKETS] = page;
			cache->bytes += page_size(words);
			trim(cache);
		}
	}
	gaudi_unlock(&cache->lock);
	return page;
}

void gaudi_tpc_page_put(struct gaudi_tpc_cache *cache,
			struct gaudi_tpc_page *page)
{
	gaudi_lock(&cache->lock);
	if (!--page->users) {
		enqueue(cache, page);
		trim(cache);
	}
	gaudi_unlock(&cache->lock);
}

void gaudi_tpc_cache_stats(struct gaudi_tpc_cache *cache, uint64_t *hits,
			   uint64_t *misses)
{
	gaudi_lock(&cache->lock);
	*hits = cache->hits;
	*misses = cache->misses;
	gaudi_unlock(&cache->lock);
}

void gaudi_tpc_cache_free(struct gaudi_tpc_cache *cache)
{
	if (!cache)
		return;
	cache->bound = 0;
	trim(cache);
	gaudi_lock_destroy(&cache->lock);
	free(cache);
}
