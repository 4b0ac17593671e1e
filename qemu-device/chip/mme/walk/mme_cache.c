// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* See mme_cache.h. What was kept first stays: walks come back in order. */
#include <stdlib.h>
#include <string.h>

#include "mme_cache.h"

#define FLOATS		(1u << 20)
#define GROUPS		1024u		/* a power of two */

/* Does loop i lead to another group? */
static bool moves(const struct gaudi_mme_walk *w, unsigned int i)
{
	unsigned int d = w->op->dim[i];

	if (i == MME_LOOP_TETRIS)
		return w->op->advance;
	return d < MME_NUM_DIMS && w->op->tensor.loop_stride[d];
}

static bool comes_back(const struct gaudi_mme_walk *w)
{
	unsigned int i;

	for (i = 0; i < MME_NUM_LOOPS; i++)
		if (w->size[i] > 1 && !(w->desc->accum_mask & 1u << i) &&
		    !moves(w, i))
			return true;
	return false;
}

static void forget(struct gaudi_mme_cache *c)
{
	if (c->num)
		memset(c->kept, 0, GROUPS * sizeof(*c->kept));
	c->taken = 0;
	c->num = 0;
	c->num_sources = 0;
}

/* The operand of the walk gets its number; true: it had one already. */
static bool find_source(struct gaudi_mme_cache *c,
			const struct gaudi_mme_walk *w)
{
	struct gaudi_mme_source s;
	unsigned int i;

	memset(&s, 0, sizeof(s));
	memcpy(&s.op, w->op, sizeof(s.op));
	memcpy(s.size, w->size, sizeof(s.size));
	s.core = w->core;
	s.side = gaudi_mme_side(w->desc);
	s.accum_mask = w->desc->accum_mask;
	for (i = 0; i < c->num_sources; i++) {
		if (!memcmp(&c->source[i], &s, sizeof(s))) {
			c->now = i;
			return true;
		}
	}
	/* A new one needs room; what is kept had its time. */
	if (c->num_sources == GAUDI_MME_SOURCES || c->taken > FLOATS / 4 * 3)
		forget(c);
	memcpy(&c->source[c->num_sources], &s, sizeof(s));
	c->now = c->num_sources++;
	return false;
}

void gaudi_mme_cache_begin(struct gaudi_mme_cache *c,
			   const struct gaudi_mme_walk *w, bool keep)
{
	if (!keep)
		forget(c);
	c->used = find_source(c, w) || comes_back(w);
	if (!c->used)
		return;
	if (!c->kept)
		c->kept = calloc(GROUPS, sizeof(*c->kept));
	if (!c->mem && posix_memalign((void **)&c->mem, 64, FLOATS * 4))
		c->mem = NULL;
	c->used = c->kept && c->mem;
}

static unsigned int slot(const struct gaudi_mme_group_key *key)
{
	const uint8_t *p = (const uint8_t *)key;
	uint64_t hash = 0, word;
	size_t i;

	for (i = 0; i < sizeof(*key); i += sizeof(word)) {
		memcpy(&word, p + i, sizeof(word));
		hash = (hash ^ word) * 0x9e3779b97f4a7c15;
		hash ^= hash >> 32;
	}
	return hash % GROUPS;
}

struct gaudi_mme_kept *gaudi_mme_cache_find(struct gaudi_mme_cache *c,
					    const struct gaudi_mme_walk *w,
					    unsigned int lane, size_t floats)
{
	struct gaudi_mme_group_key key = {
		.source = c->now,
		.rows = w->rows,
		.width = w->width,
		.partial = w->last & w->op->partial[w->core] &
			   ~w->desc->accum_mask,
		.lane = lane,
	};
	struct gaudi_mme_kept *k;
	unsigned int i;

	memcpy(key.roi, w->roi, sizeof(key.roi));
	memcpy(key.start, w->start, sizeof(key.start));
	for (i = slot(&key); c->kept[i].panel; i = (i + 1) % GROUPS)
		if (!memcmp(&c->kept[i].key, &key, sizeof(key)))
			return &c->kept[i];
	floats = (floats + 15) & ~(size_t)15;
	if (floats > FLOATS - c->taken || c->num >= GROUPS / 2)
		return NULL;
	k = &c->kept[i];
	k->key = key;
	k->panel = c->mem + c->taken;
	c->taken += floats;
	c->num++;
	return k;
}

void gaudi_mme_cache_free(struct gaudi_mme_cache *c)
{
	free(c->kept);
	free(c->mem);
}
