/* SPDX-License-Identifier: MIT */
/*
 * What the other parts of libSynapse.so, the collectives, need of its device and
 * streams. All of these may be called from any thread.
 */
#ifndef SYN_INTERNAL_H
#define SYN_INTERNAL_H

#include "gaudi.h"
#include "habanalabs/synapse_api.h"

/*
 * The device that this process has acquired, or NULL. It and everything on it stay as
 * long as the caller has a reference, for which synDeviceRelease() waits: to be held for
 * one call, or until the function of syn_on_release() was called.
 */
struct gaudi_device *syn_device_get(void);
void syn_device_put(void);
/* The same without a reference: for who has one, or only compares. */
struct gaudi_device *syn_device_gaudi(void);

/*
 * What a synStreamHandle stands for, of the acquired device; NULL if @handle, which may
 * be anything, is none. With a reference to the stream and to its device: the stream is
 * not destroyed meanwhile, synStreamDestroy() says synBusy.
 */
struct gaudi_stream *syn_stream_get(void *handle);
/* @handle: what syn_stream_get() was given. */
void syn_stream_put(void *handle);

/*
 * Call @fn when a device is about to be released: after that no new reference is given
 * out, and before synDeviceRelease() waits for those that there are; and again from time
 * to time while it waits, for what a call that was under way has made meanwhile. @fn must
 * not release or acquire; it may wait for threads of its own, and use @device. Up to
 * SYN_RELEASE_FNS of them, in the order in which they came; the same one again changes
 * nothing.
 */
#define SYN_RELEASE_FNS	4
typedef void (*syn_release_fn)(struct gaudi_device *device);
void syn_on_release(syn_release_fn fn);

/* What libgaudi returned, as Synapse says it. */
synStatus syn_status(int error);

#endif /* SYN_INTERNAL_H */
