/* SPDX-License-Identifier: MIT */
/*
 * Synapse's calls for a device, its memory, streams and events: what programs for HCCL
 * use, by the names that they have in the field. libSynapse.so has them, on libgaudi.
 *
 * A process has one device at a time. Device addresses are numbers. Every call may be
 * made from any thread; a handle must not be destroyed while another thread uses it.
 * What all may return beside what they say: synUninitialized before synInitialize();
 * synNoDeviceFound while no device is acquired; synInvalidArgument for a NULL, for
 * flags that are not 0, for SYN_INVALID_DEVICE_ID (every other id is the one device)
 * and for a stream that is none; synInvalidEventHandle; synOutOfHostMemory;
 * synDeviceReset once the card was reset or is gone, until the device is released and
 * acquired anew; synFail, synTimeout or synFailHccl if work before has failed.
 *
 * After fork() the child is as before synInitialize(), with nothing of its parent's.
 */
#ifndef SYNAPSE_API_H
#define SYNAPSE_API_H

#include "synapse_api_types.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/*
 * The first of all calls. A second one succeeds and does nothing; it is
 * synAlreadyInitialized if HABANA_DISABLE_DOUBLE_SYN_INITIALIZE is set and not 0.
 */
synStatus synInitialize(void);
/* Also releases the device. synInitialize() may follow. */
synStatus synDestroy(void);

/* How many cards this process may see, whether anybody has them or not. */
synStatus synDeviceGetCount(uint32_t *count);
/* The same of one type; 0 for all but synDeviceGaudi. */
synStatus synDeviceGetCountByDeviceType(uint32_t *count, synDeviceType type);

/*
 * The card of a module id; or the one at a PCI address, and if that is NULL or "" the
 * first one that nobody has. Blocks while cards are in reset or still being released.
 * *@id becomes 0.
 *
 * synDeviceAlreadyAcquired: by this process. synBusy: another process has it, or all.
 * synNoDeviceFound: there is none, of that name.
 */
synStatus synDeviceAcquireByModuleId(synDeviceId *id, synModuleId module);
synStatus synDeviceAcquire(synDeviceId *id, const char *pci_address);
/* The first free one of a type. synDeviceTypeMismatch: of a type that is not here. */
synStatus synDeviceAcquireByDeviceType(synDeviceId *id, synDeviceType type);
/*
 * Streams, events, memory and mappings that are left are freed; collectives are told.
 * Blocks until calls of other threads, and work under way, have ended. synDeviceReset if
 * the card was lost, or how work has failed; the device is released all the same.
 */
synStatus synDeviceRelease(synDeviceId id);
/* Blocks until the work of all streams has ended. */
synStatus synDeviceSynchronize(synDeviceId id);
synStatus synDeviceGetInfoV2(synDeviceId id, synDeviceInfoV2 *info);
synStatus synDeviceGetInfo(synDeviceId id, synDeviceInfo *info);
/* Bytes; freed memory counts as free at once, though work may still use it. */
synStatus synDeviceGetMemoryInfo(synDeviceId id, uint64_t *free_bytes,
				 uint64_t *total_bytes);

/*
 * At a multiple of 512, and undefined at first. @wanted_address is taken for a hint, and
 * is not followed. synOutOfDeviceMemory.
 */
synStatus synDeviceMalloc(synDeviceId id, uint64_t size,
			  uint64_t wanted_address, uint32_t flags,
			  uint64_t *address);
/*
 * Work under way may still use it: it is given out again later. synInvalidArgument: no
 * address that synDeviceMalloc() gave, or freed before.
 */
synStatus synDeviceFree(synDeviceId id, uint64_t address, uint32_t flags);

/*
 * Host memory that copies may use: the program's own, of any alignment and size, also if
 * it is mapped already, in part or whole. It must stay valid until it is unmapped, as
 * often as it was mapped. Memory that cannot be written to is synInvalidArgument.
 */
synStatus synHostMap(synDeviceId id, uint64_t size, const void *memory);
/*
 * By the start address. Blocks until copies that use it have ended. synMappingNotFound:
 * nothing is mapped that starts there.
 */
synStatus synHostUnmap(synDeviceId id, const void *memory);
/* Mapped memory of the library's, 0 at first. */
synStatus synHostMalloc(synDeviceId id, uint64_t size, uint32_t flags,
			void **memory);
synStatus synHostFree(synDeviceId id, const void *memory, uint32_t flags);

/*
 * One kind of stream for copies, fills and collectives. Work of a stream is done in its
 * order; that of different streams is ordered by events only.
 */
synStatus synStreamCreateGeneric(synStreamHandle *stream, synDeviceId id,
				 uint32_t flags);
/* synBusy: it has work that has not ended, or another thread is in a call with it. */
synStatus synStreamDestroy(synStreamHandle stream);
/* Blocks until its work has ended. */
synStatus synStreamSynchronize(synStreamHandle stream);
/* synSuccess: all has ended. synBusy: not yet. */
synStatus synStreamQuery(synStreamHandle stream);
/*
 * Later work of @stream waits for what @event recorded last. An event that was never
 * recorded is not waited for.
 */
synStatus synStreamWaitEvent(synStreamHandle stream, synEventHandle event,
			     uint32_t flags);

/*
 * On the host's side @from or @to is an address of the process, and all @size bytes lie
 * in one piece that is mapped or was allocated: else synMappingNotFound. The device's
 * side lies in one piece of synDeviceMalloc()'s, or in SRAM: else synInvalidArgument, as
 * for ranges that overlap. 0 bytes are nothing to do.
 */
synStatus synMemCopyAsync(synStreamHandle stream, uint64_t from, uint64_t size,
			  uint64_t to, synDmaDir direction);
/* @count elements of the device's memory become @value. */
synStatus synMemsetD8Async(uint64_t address, uint8_t value, size_t count,
			   synStreamHandle stream);
synStatus synMemsetD16Async(uint64_t address, uint16_t value, size_t count,
			    synStreamHandle stream);
synStatus synMemsetD32Async(uint64_t address, uint32_t value, size_t count,
			    synStreamHandle stream);

/*
 * @flags: 0, or EVENT_COLLECT_TIME. synAllResourcesTaken: there are 10 * 2^20, and
 * *@event is NULL.
 */
synStatus synEventCreate(synEventHandle *event, synDeviceId id, uint32_t flags);
synStatus synEventDestroy(synEventHandle event);
/* Remember what was given to @stream so far, in place of an earlier record. */
synStatus synEventRecord(synEventHandle event, synStreamHandle stream);
/* synSuccess: what was recorded has ended, or nothing was. synBusy: not yet. */
synStatus synEventQuery(synEventHandle event);
/* Blocks until what was recorded has ended. */
synStatus synEventSynchronize(synEventHandle event);
/*
 * From the end of what @start recorded to that of @end, which may be of different
 * streams; if @end is NULL, from when the device was acquired to @start. Differences of
 * stamps in ns: those of a to b and b to c add up to that of a to c, for any order of
 * the three (modulo 2^64).
 *
 * synInvalidArgument: made without EVENT_COLLECT_TIME. synObjectNotInitialized: never
 * recorded. synBusy: not ended yet.
 */
synStatus synEventElapsedTime(uint64_t *nanoseconds, synEventHandle start,
			      synEventHandle end);

/*
 * What the variable @name of the environment says, or what holds without it: text that
 * ends within @size bytes; "0" or "1" for a switch. synInvalidArgument: no such name, of
 * which the text is "0". synOutOfResources: it is longer, and was cut. The text always
 * ends, if @size is not 0.
 */
synStatus synConfigurationGet(const char *name, char *value, uint64_t size);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif /* SYNAPSE_API_H */
