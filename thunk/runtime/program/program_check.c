// SPDX-License-Identifier: MIT
/*
 * The check of a program: the bounds of what it reads and writes, and its structure.
 *
 * First each stream by itself: its packets, the ranges of its copies, the
 * objects that it uses. Then the streams together: how they begin and end, and that
 * what is waited for is signalled. Whether streams wait for each other in a circle
 * is not looked at: the driver ends such a job when its time is over.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/base.h"
#include "gaudi.h"
#include "program_item.h"

/* What the other engines can see of an item. */
struct sync {
	uint8_t kind;		/* enum prog_item_kind */
	uint16_t sob;
	uint32_t value;		/* WAIT */
	uint32_t offset;
};

struct sob {
	uint32_t signals;
	uint32_t waited;	/* the most that PROG_LAST waits for */
	uint8_t owner;		/* index of a stream */
	bool owned;
	bool reset;
};

struct check {
	const struct program *p;
	const struct prog_buffer *buffers;
	struct sob *sobs;
	uint32_t resets;
	struct {
		struct sync *syncs;
		uint32_t num;
		enum prog_item_kind first, last;
	} streams[PROG_NUM_ENGINES];
};

static const char *name_of(const struct check *k, uint32_t stream)
{
	return prog_engine_info(k->p->streams[stream].engine)->name;
}

static int check_range(const struct check *k, uint32_t stream,
		       const struct prog_item *item,
		       const struct prog_patch *patch, bool write)
{
	const struct prog_buffer *b;

	if (patch->buffer >= k->p->num_buffers)
		return gd_fail(GAUDI_ERR_RECIPE,
			       "%s: offset %#x: tensor %u of %u",
			       name_of(k, stream), item->offset,
			       patch->buffer, k->p->num_buffers);

	b = &k->buffers[patch->buffer];
	if (write && !b->writable)
		return gd_fail(GAUDI_ERR_RECIPE,
			       "%s: offset %#x writes tensor '%s', which is only read",
			       name_of(k, stream), item->offset, b->name);
	if (!item->size || item->size > PROG_MAX_DMA)
		return gd_fail(GAUDI_ERR_RECIPE,
			       "%s: offset %#x: size %#x, not 1 to %#x",
			       name_of(k, stream), item->offset, item->size,
			       PROG_MAX_DMA);
	if (patch->addend > b->size || item->size > b->size - patch->addend)
		return gd_fail(GAUDI_ERR_RECIPE,
			       "%s: offset %#x: %#x bytes at %#" PRIx64 " of tensor '%s', which has %#" PRIx64,
			       name_of(k, stream), item->offset, item->size,
			       patch->addend, b->name, b->size);
	return 0;
}

static int check_signal(struct check *k, uint32_t stream,
			const struct prog_item *item)
{
	struct sob *sob = &k->sobs[item->object->object];

	if (sob->owned && sob->owner != stream)
		return gd_fail(GAUDI_ERR_RECIPE,
			       "%s: offset %#x signals sync object %u, which is %s's",
			       name_of(k, stream), item->offset,
			       item->object->object,
			       name_of(k, sob->owner));
	if (sob->signals == PROG_SOB_MAX)
		return gd_fail(GAUDI_ERR_RECIPE,
			       "%s: offset %#x: sync object %u is signalled more than %u times",
			       name_of(k, stream), item->offset,
			       item->object->object, PROG_SOB_MAX);
	sob->owned = true;
	sob->owner = (uint8_t)stream;
	sob->signals++;

	return 0;
}

static int check_reset(struct check *k, uint32_t stream,
		       const struct prog_item *item)
{
	struct sob *sob = &k->sobs[item->object->object];

	if (k->p->streams[stream].engine != PROG_LAST || sob->reset)
		return gd_fail(GAUDI_ERR_RECIPE,
			       "%s: offset %#x sets sync object %u to 0, which %s",
			       name_of(k, stream), item->offset,
			       item->object->object,
			       sob->reset ? "has been done" :
					       "only DMA_1 may do");
	sob->reset = true;
	k->resets++;

	return 0;
}

static int check_object(struct check *k, uint32_t stream,
			const struct prog_item *item)
{
	uint32_t limit = item->kind == PROG_ITEM_EVENT ? k->p->num_events :
							 k->p->num_sobs;
	struct sync *sync;

	if (item->kind == PROG_ITEM_RUN)
		return item->object->buffer || item->object->object ?
		       gd_fail(GAUDI_ERR_RECIPE,
			       "%s: offset %#x: the patch of a run has a tensor or an object",
			       name_of(k, stream), item->offset) : 0;
	if (item->object->object >= limit)
		return gd_fail(GAUDI_ERR_RECIPE, "%s: offset %#x: %s %u of %u",
			       name_of(k, stream), item->offset,
			       item->kind == PROG_ITEM_EVENT ? "event" :
			       "sync object", item->object->object, limit);
	if (item->object->buffer || item->object->addend)
		return gd_fail(GAUDI_ERR_RECIPE,
			       "%s: offset %#x: the patch of a message has a tensor",
			       name_of(k, stream), item->offset);
	if (item->kind == PROG_ITEM_EVENT)
		return 0;

	sync = &k->streams[stream].syncs[k->streams[stream].num++];
	*sync = (struct sync) {
		.kind = (uint8_t)item->kind,
		.sob = item->object->object,
		.value = item->value,
		.offset = item->offset,
	};
	if (item->kind == PROG_ITEM_SIGNAL)
		return check_signal(k, stream, item);
	if (item->kind == PROG_ITEM_RESET)
		return check_reset(k, stream, item);

	return 0;
}

static int check_launch(struct check *k, uint32_t stream,
			const struct prog_item *item)
{
	uint32_t i;
	int rc;

	rc = prog_check_launch(k->p, &k->p->streams[stream], item, k->buffers);
	for (i = 0; !rc && i < item->num_refs; i++) {
		uint32_t sob = item->refs[i].object;

		if (item->refs[i].kind != PROG_PATCH_DONE)
			continue;
		/* It adds nothing, but to one that is its engine's. */
		if (sob >= k->p->num_sobs ||
		    (k->sobs[sob].owned && k->sobs[sob].owner != stream))
			return gd_fail(GAUDI_ERR_RECIPE,
				       "%s: offset %#x: a launch signals sync object %u of %u, which is not its engine's",
				       name_of(k, stream), item->offset, sob,
				       k->p->num_sobs);
		k->sobs[sob].owned = true;
		k->sobs[sob].owner = (uint8_t)stream;
	}

	return rc;
}

static int check_item(struct check *k, uint32_t stream,
		      const struct prog_item *item)
{
	int rc = 0;

	if (k->resets && item->kind != PROG_ITEM_RESET)
		return gd_fail(GAUDI_ERR_RECIPE,
			       "%s: offset %#x: work after sync objects were set to 0",
			       name_of(k, stream), item->offset);
	if (item->src && item->src->object)
		rc = -1;
	if (item->dst && item->dst->object)
		rc = -1;
	if (rc)
		return gd_fail(GAUDI_ERR_RECIPE,
			       "%s: offset %#x: the patch of an address has an object",
			       name_of(k, stream), item->offset);
	if (item->kind == PROG_ITEM_MME || item->kind == PROG_ITEM_TPC)
		return check_launch(k, stream, item);
	if (item->src)
		rc = check_range(k, stream, item, item->src, false);
	if (!rc && item->dst)
		rc = check_range(k, stream, item, item->dst, true);
	if (!rc && item->object)
		rc = check_object(k, stream, item);

	return rc;
}

static int check_stream(struct check *k, uint32_t stream)
{
	const struct prog_stream *s = &k->p->streams[stream];
	struct prog_cursor cursor = {};
	struct prog_item item;
	bool any = false;
	int rc;

	k->streams[stream].syncs = calloc((size_t)s->num_patches + 1,
					  sizeof(struct sync));
	if (!k->streams[stream].syncs)
		return gd_fail(-ENOMEM, "host memory for a check of %u patches",
			       s->num_patches);
	/* Resets are the end of one stream, not of those that follow. */
	k->resets = 0;
	while ((rc = prog_item_next(s, &cursor, &item)) > 0) {
		rc = check_item(k, stream, &item);
		if (rc)
			return rc;
		if (!any)
			k->streams[stream].first = item.kind;
		k->streams[stream].last = item.kind;
		any = true;
	}

	return rc;
}

static int check_parts(const struct check *k, uint32_t stream)
{
	const struct prog_stream *s = &k->p->streams[stream];

	if (s->upper > s->size || s->upper % 8 ||
	    (prog_engine_info(s->engine)->external &&
	     s->upper != s->size))
		return gd_fail(GAUDI_ERR_RECIPE,
			       "%s: an upper part of %#x bytes of %#x",
			       name_of(k, stream), s->upper, s->size);
	if (s->size > PROG_MAX_STREAM || s->size % 8)
		return gd_fail(GAUDI_ERR_RECIPE,
			       "%s: %#x bytes of packets, not a multiple of 8 up to %#x",
			       name_of(k, stream), s->size,
			       PROG_MAX_STREAM);
	return 0;
}

static int check_streams(struct check *k)
{
	const struct program *p = k->p;
	bool last = false;
	uint32_t i;
	int rc;

	for (i = 0; i < p->num_streams; i++) {
		const struct prog_stream *s = &p->streams[i];

		if (!prog_engine_info(s->engine) ||
		    (i && s->engine <= p->streams[i - 1].engine))
			return gd_fail(GAUDI_ERR_RECIPE,
				       "stream %u: engine %u is unknown, or not in order",
				       i, s->engine);
		rc = check_parts(k, i);
		if (rc)
			return rc;
		last |= s->engine == PROG_LAST;
	}
	if (!last)
		return gd_fail(GAUDI_ERR_RECIPE,
			       "none of the %u streams is DMA_1's",
			       p->num_streams);
	if (p->num_sobs > (p->num_streams > 1 ? PROG_MAX_SOBS : 0))
		return gd_fail(GAUDI_ERR_RECIPE,
			       "%u sync objects for %u streams, at most %u",
			       p->num_sobs, p->num_streams,
			       p->num_streams > 1 ? PROG_MAX_SOBS : 0);
	return 0;
}

static uint32_t last_stream(const struct check *k)
{
	uint32_t i = 0;

	while (k->p->streams[i].engine != PROG_LAST)
		i++;

	return i;
}

/* How engines begin and end; see program.h. */
static int check_ends(struct check *k)
{
	uint32_t i, last = last_stream(k);
	const struct sync *begin;

	if (k->p->num_streams == 1)
		return 0;
	if (!k->streams[last].num ||
	    k->streams[last].first != PROG_ITEM_SIGNAL)
		return gd_fail(GAUDI_ERR_RECIPE,
			       "DMA_1 does not begin with a signal");

	begin = &k->streams[last].syncs[0];
	for (i = 0; i < k->p->num_streams; i++) {
		const struct sync *s = k->streams[i].syncs;

		if (i == last)
			continue;
		if (!k->streams[i].num ||
		    k->streams[i].first != PROG_ITEM_WAIT ||
		    s->sob != begin->sob || s->value != 1)
			return gd_fail(GAUDI_ERR_RECIPE,
				       "%s does not begin with a wait for DMA_1's first signal",
				       name_of(k, i));
		if (k->streams[i].last != PROG_ITEM_SIGNAL)
			return gd_fail(GAUDI_ERR_RECIPE,
				       "%s does not end with a signal",
				       name_of(k, i));
	}
	for (i = 0; i < k->p->num_sobs; i++)
		if (!k->sobs[i].reset || !k->sobs[i].owned)
			return gd_fail(GAUDI_ERR_RECIPE,
				       "sync object %u of %u is never %s", i,
				       k->p->num_sobs,
				       k->sobs[i].owned ? "set to 0" :
							     "signalled");
	return 0;
}

/* PROG_LAST waits for the last signal of each of the others. */
static int check_joined(const struct check *k)
{
	uint32_t i;

	for (i = 0; i < k->p->num_streams; i++) {
		const struct sync *end = k->streams[i].syncs;
		const struct sob *sob;

		if (k->p->streams[i].engine == PROG_LAST)
			continue;
		sob = &k->sobs[end[k->streams[i].num - 1].sob];
		if (sob->waited < sob->signals)
			return gd_fail(GAUDI_ERR_RECIPE,
				       "DMA_1 has not waited for the end of %s",
				       name_of(k, i));
	}

	return 0;
}

/* Every wait is for a number that its sync object gets to. */
static int check_waits(struct check *k, uint32_t stream)
{
	bool last = k->p->streams[stream].engine == PROG_LAST;
	uint32_t i;

	for (i = 0; i < k->streams[stream].num; i++) {
		const struct sync *s = &k->streams[stream].syncs[i];
		struct sob *sob = &k->sobs[s->sob];
		uint32_t signals = sob->signals;

		if (last && s->kind == PROG_ITEM_WAIT && s->value > sob->waited)
			sob->waited = s->value;
		if (s->kind == PROG_ITEM_WAIT &&
		    (!s->value || s->value > signals))
			return gd_fail(GAUDI_ERR_RECIPE,
				       "%s: offset %#x waits until sync object %u is %u; it gets from 1 to %u",
				       name_of(k, stream), s->offset, s->sob,
				       s->value, signals);
	}

	return 0;
}

int program_check(const struct program *p, const struct prog_buffer *buffers)
{
	struct check k = { .p = p, .buffers = buffers };
	uint32_t i;
	int rc;

	rc = check_streams(&k);
	if (rc)
		return rc;

	k.sobs = calloc((size_t)p->num_sobs + 1, sizeof(*k.sobs));
	if (!k.sobs)
		return gd_fail(-ENOMEM, "host memory for a check of %u sync objects",
			       p->num_sobs);
	for (i = 0; !rc && i < p->num_streams; i++)
		rc = check_stream(&k, i);
	if (!rc)
		rc = check_ends(&k);
	for (i = 0; !rc && i < p->num_streams; i++)
		rc = check_waits(&k, i);
	if (!rc)
		rc = check_joined(&k);

	for (i = 0; i < p->num_streams; i++)
		free(k.streams[i].syncs);
	free(k.sobs);

	return rc;
}
