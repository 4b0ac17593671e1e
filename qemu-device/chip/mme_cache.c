// SPDX-License-Identifier: GPL-2.0-or-later
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

void gaudi_mme_cache_begin(struct gaudi_mme_cache *c,
			   const struct gaudi_mme_walk *w)
{
	c->used = false;
	c->taken = 0;
	c->num = 0;
	if (!comes_back(w))
		return;
	if (!c->kept)
		c->kept = malloc(GROUPS * sizeof(*c->kept));
	if (!c->mem && posix_memalign((void **)&c->mem, 64, FLOATS * 4))
		c->mem = NULL;
	if (!c->kept || !c->mem)
		return;
	memset(c->kept, 0, GROUPS * sizeof(*c->kept));
	c->used = true;
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
