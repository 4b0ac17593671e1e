// SPDX-License-Identifier: MIT
/* Streams and events by the numbers that programs have of them. */
#include <stdlib.h>

#include "syn_priv.h"

#define CHUNK		4096u
#define CHUNKS		((SYN_MAX_STREAMS + SYN_MAX_EVENTS) / CHUNK)
/*
 * A handle, from its lowest bit: the slot's number, its kind, its generation, and a bit
 * that no address of a program's has.
 */
#define KIND_SHIFT	28
#define GENERATION_SHIFT 32
#define GENERATIONS	(1u << 30)

static struct {
	pthread_mutex_t lock;
	struct syn_slot *chunks[CHUNKS];	/* once made, they stay */
	uint32_t used;				/* slots that ever were in use */
	uint32_t free;				/* the first one, counted from 1 */
	uint32_t count[SYN_EVENT + 1];
} table = { .lock = PTHREAD_MUTEX_INITIALIZER };

void syn_handles_lock(void)
{
	pthread_mutex_lock(&table.lock);
}

void syn_handles_unlock(void)
{
	pthread_mutex_unlock(&table.lock);
}

static struct syn_slot *slot_at(uint32_t index)
{
	return &table.chunks[index / CHUNK][index % CHUNK];
}

static void *handle_of(const struct syn_slot *slot)
{
	uintptr_t high = GENERATIONS | slot->generation % GENERATIONS;

	return (void *)(high << GENERATION_SHIFT |
			(uintptr_t)slot->kind << KIND_SHIFT | slot->number);
}

/* A free one; NULL: no memory. The lock is held. */
static struct syn_slot *take(uint32_t *index)
{
	if (table.free) {
		*index = table.free - 1;
		table.free = slot_at(*index)->number;
		return slot_at(*index);
	}
	*index = table.used;
	if (!table.chunks[*index / CHUNK]) {
		table.chunks[*index / CHUNK] =
			calloc(CHUNK, sizeof(struct syn_slot));
		if (!table.chunks[*index / CHUNK])
			return NULL;
	}
	table.used++;

	return slot_at(*index);
}

synStatus syn_handle_new(enum syn_kind kind, uint32_t flags, void *object,
			 void **handle)
{
	uint32_t most = kind == SYN_EVENT ? SYN_MAX_EVENTS : SYN_MAX_STREAMS;
	struct syn_slot *slot = NULL;
	uint32_t index;
	bool full;

	pthread_mutex_lock(&table.lock);
	full = table.count[kind] == most;
	if (!full)
		slot = take(&index);
	if (slot) {
		table.count[kind]++;
		atomic_store(&slot->object, object);
		slot->number = index;
		slot->refs = 1;
		slot->kind = (uint8_t)kind;
		slot->flags = (uint8_t)flags;
		*handle = handle_of(slot);
	}
	pthread_mutex_unlock(&table.lock);
	if (full)
		return syn_fail(synAllResourcesTaken, "there are %u %s", most,
				kind == SYN_EVENT ? "events" : "streams");

	return slot ? synSuccess :
		      syn_fail(synOutOfHostMemory, "no memory for a handle");
}

/* That @handle names, if it is valid; lock held. */
static struct syn_slot *find(enum syn_kind kind, const void *handle)
{
	uint32_t index = (uintptr_t)handle & ((1u << KIND_SHIFT) - 1);
	struct syn_slot *slot;

	if (index >= table.used)
		return NULL;
	slot = slot_at(index);

	return slot->kind == kind && handle_of(slot) == handle ? slot : NULL;
}

/* With a reference; NULL: @handle, any pointer at all, is none of @kind. */
static struct syn_slot *handle_get(enum syn_kind kind, const void *handle)
{
	struct syn_slot *slot;

	pthread_mutex_lock(&table.lock);
	slot = find(kind, handle);
	if (slot)
		slot->refs++;
	pthread_mutex_unlock(&table.lock);

	return slot;
}

/* Lock held. */
static void give_back(struct syn_slot *slot)
{
	uint32_t index = slot->number;

	table.count[slot->kind]--;
	slot->kind = 0;
	slot->number = table.free;
	table.free = index + 1;
}

/* The last one frees the object, if the handle has ended. */
static void handle_put(struct syn_slot *slot)
{
	void *object = NULL;
	uint8_t kind;

	pthread_mutex_lock(&table.lock);
	kind = slot->kind;
	if (!--slot->refs) {
		object = atomic_exchange(&slot->object, NULL);
		give_back(slot);
	}
	pthread_mutex_unlock(&table.lock);
	if (!object)
		return;
	if (kind == SYN_STREAM)
		gaudi_stream_destroy(object);
	else
		gaudi_event_destroy(object);
}

bool syn_handle_end(struct syn_slot *slot, const void *handle, bool alone)
{
	bool ends;

	pthread_mutex_lock(&table.lock);
	/* Another thread may have been first. The handle has one, the caller, too. */
	ends = handle_of(slot) == handle && (!alone || slot->refs == 2);
	if (ends) {
		slot->generation++;
		slot->refs--;
	}
	pthread_mutex_unlock(&table.lock);

	return ends;
}

void syn_handles_clear(void)
{
	pthread_mutex_lock(&table.lock);
	for (uint32_t i = 0; i < table.used; i++) {
		struct syn_slot *slot = slot_at(i);

		if (!slot->kind)
			continue;
		slot->generation++;
		atomic_store(&slot->object, NULL);
		give_back(slot);
	}
	pthread_mutex_unlock(&table.lock);
}

synStatus syn_begin_with(enum syn_kind kind, const void *handle,
			 struct syn_slot **slot)
{
	struct gaudi_device *device;
	synStatus status = syn_begin(0, &device);

	if (status)
		return status;
	*slot = handle_get(kind, handle);
	if (*slot)
		return synSuccess;
	syn_device_put();

	return syn_fail(kind == SYN_EVENT ? synInvalidEventHandle :
					    synInvalidArgument,
			"%p is no %s", handle,
			kind == SYN_EVENT ? "event" : "stream");
}

void syn_end(struct syn_slot *slot)
{
	handle_put(slot);
	syn_device_put();
}

struct gaudi_stream *syn_stream_get(void *handle)
{
	struct syn_slot *slot;

	return syn_begin_with(SYN_STREAM, handle, &slot) ?
		       NULL : atomic_load(&slot->object);
}

void syn_stream_put(void *handle)
{
	struct syn_slot *slot;

	pthread_mutex_lock(&table.lock);
	slot = find(SYN_STREAM, handle);
	pthread_mutex_unlock(&table.lock);
	/* With a reference to it, it is there. */
	syn_end(slot);
}
