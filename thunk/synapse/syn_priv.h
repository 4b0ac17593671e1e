/* SPDX-License-Identifier: MIT */
/*
 * libSynapse: Synapse's calls on libgaudi. device.c has the one device of the process
 * and who uses it, handles.c what handles stand for, host.c which host memory is
 * mapped; the calls for streams, events and memory have no state of their own.
 *
 * Locks: the device's, the handles', the host memory's. None is held when another one
 * is taken, but for fork(), which takes all three in this order; and none while waiting
 * for work.
 */
#ifndef SYN_PRIV_H
#define SYN_PRIV_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "syn_internal.h"
#include "../runtime/base/base.h"

/* Where a call fails for a reason of its own: the status, and a line of the log. */
synStatus syn_fail(synStatus status, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Begin a call for device @id: a reference to it, for syn_device_put(), or why there is
 * none.
 */
synStatus syn_begin(synDeviceId id, struct gaudi_device **device);
/* When the device was acquired; with a reference to it. */
struct gaudi_event *syn_epoch(void);

/*
 * Handles (handles.c). A handle has the number of a slot and that slot's generation, so
 * that one which is no longer valid is known, whatever was made since.
 */
enum syn_kind {
	SYN_STREAM	= 1,
	SYN_EVENT	= 2,
};

#define SYN_MAX_STREAMS	(64u * 1024)
#define SYN_MAX_EVENTS	(10u * 1024 * 1024)

struct syn_slot {
	_Atomic(void *) object;		/* NULL: an event that was not recorded */
	uint32_t generation;
	uint32_t refs;			/* the handle, and calls */
	uint32_t number;		/* its own; free: the next one's, from 1 */
	uint8_t kind;			/* 0: free */
	uint8_t flags;			/* of the event */
};

synStatus syn_handle_new(enum syn_kind kind, uint32_t flags, void *object,
			 void **handle);
/*
 * The handle is invalid from now on. false: it was before. @alone: or another call has a
 * reference.
 */
bool syn_handle_end(struct syn_slot *slot, const void *handle, bool alone);
/* The device is closed, and all objects with it. Nobody has a reference. */
void syn_handles_clear(void);

/*
 * Begin a call with a stream or event: the slot, with a reference to it and to the
 * device, for syn_end().
 */
synStatus syn_begin_with(enum syn_kind kind, const void *handle,
			 struct syn_slot **slot);
void syn_end(struct syn_slot *slot);

/*
 * Host memory (host.c): the piece that @memory is in is mapped, all @size bytes of it.
 */
bool syn_host_covers(uint64_t memory, uint64_t size);
/* The device is closed. */
void syn_host_clear(void);

/* Around fork(). */
void syn_handles_lock(void);
void syn_handles_unlock(void);
void syn_host_lock(void);
void syn_host_unlock(void);

#endif /* SYN_PRIV_H */
