/* SPDX-License-Identifier: MIT */
/*
 * libgaudi: devices, memory and streams of Habana Gaudi (first generation), on
 * top of libhl-thunk. It runs on gaudi.ko and on the kernel's habanalabs.ko.
 *
 * Conventions
 *
 * - Functions return 0 or a negative number: a negative errno, or one of
 *   enum gaudi_error. gaudi_last_error() tells this thread in words what its
 *   last failed call was about. On failure nothing has changed, and what a
 *   function returns by pointer is not written, unless it says otherwise.
 * - Everything is thread-safe except destroying what others still use.
 * - "Blocks" says what a call may wait for. A call without that word waits for
 *   no work of the card; it may wait for another thread inside the library, and
 *   for a place in a full hardware queue.
 * - Sizes and offsets are bytes. Device addresses (gaudi_ptr) are numbers, not
 *   pointers; 0 is none.
 * - Structures that programs allocate begin with their size, to be set to
 *   sizeof: later versions add fields at the end, and zero means "as before". So
 *   older programs keep working; to newer ones an older library gives 0 in what
 *   it does not know, and takes nothing else there (-EINVAL).
 * - After fork() the child may use nothing that the parent created: every call
 *   with such an object fails with GAUDI_ERR_FORKED. It can open devices anew.
 * - The library prints nothing unless LOG_LEVEL_GAUDI or LOG_LEVEL_ALL and
 *   ENABLE_CONSOLE ask for it; see gaudi_log(7).
 */
#ifndef GAUDI_H
#define GAUDI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#define gaudi_public __attribute__((visibility("default")))
#else
#define gaudi_public
#endif

#define GAUDI_VERSION_MAJOR	0
#define GAUDI_VERSION_MINOR	1
#define GAUDI_VERSION_PATCH	0

typedef uint64_t gaudi_ptr;

struct gaudi_device;
struct gaudi_stream;
struct gaudi_event;

/*
 * Errors (error.c)
 *
 * Beside errno's: -EINVAL (an argument), -ENOMEM (host memory, or the device's;
 * the message says which), -ENODEV (no such card), -EBUSY (another process has
 * it), -EACCES, -EAGAIN (still in reset), -ETIMEDOUT, -EIO (the card failed the
 * work), -EOVERFLOW, -ENOENT.
 */
enum gaudi_error {
	/* Not done yet: an answer of the query functions, not a failure. */
	GAUDI_ERR_NOT_READY		= -10001,
	/*
	 * The card was reset or is gone; close the device and open it again.
	 * The call that hears of it first returns what the driver said.
	 */
	GAUDI_ERR_DEVICE_LOST		= -10002,
	/* The object belongs to a process that this one was forked from. */
	GAUDI_ERR_FORKED		= -10003,
	/* The driver, or the card, has no such feature. */
	GAUDI_ERR_UNSUPPORTED		= -10004,
	/* This cannot be captured; the capture is invalid now. */
	GAUDI_ERR_CAPTURE		= -10005,
	/* The capture was made invalid by an earlier call. */
	GAUDI_ERR_CAPTURE_INVALID	= -10006,
	/* A file, or bytes, are no valid recipe. */
	GAUDI_ERR_RECIPE		= -10007,
	/* A recipe made for another chip, or by a newer library. */
	GAUDI_ERR_RECIPE_VERSION	= -10008,
	/* What a tensor is bound to, or is not, does not fit it. */
	GAUDI_ERR_BINDING		= -10009,
	/* The address is not one of this device's allocations. */
	GAUDI_ERR_ADDRESS		= -10010,
	/* A link to another card has failed; see gaudi_link.h. */
	GAUDI_ERR_LINK			= -10011,
};

/* A fixed text for any code that a function here returns; never NULL. */
gaudi_public const char *gaudi_strerror(int error);
/*
 * What the last failed call of this thread was about: object, value, limit.
 * Valid until the thread's next failed call; "" if none has failed. *@error,
 * unless @error is NULL, is its code.
 */
gaudi_public const char *gaudi_last_error(int *error);
/* (major << 16) | (minor << 8) | patch of the library that runs. */
gaudi_public uint32_t gaudi_version(void);

/*
 * Devices (device.c)
 *
 * Cards have three names: an index among those that this process may see, the
 * module id (the slot in the server) and the PCI address. HABANA_VISIBLE_DEVICES
 * ("all", or a list of the N of /dev/accel/accelN) and HABANA_VISIBLE_MODULES (a
 * list of module ids) say which ones it may see, and in which order; all if
 * neither is set. The variables are read at each call.
 */
struct gaudi_device_info {
	size_t size;
	uint32_t index;			/* among the visible ones */
	uint32_t accel;			/* the N of /dev/accel/accelN */
	uint32_t module_id;
	char pci_address[16];
	char name[16];			/* of the product, or "" if unknown */
	char driver[16];		/* "gaudi", "habanalabs" */
	uint64_t memory_size;		/* of HBM that users may have */
	uint64_t sram_size;
	uint32_t tpc_mask;		/* TPCs that work */
	uint32_t caps;			/* GAUDI_DEVICE_* */
};

#define GAUDI_DEVICE_SHARED	(1u << 0)  /* several processes may hold it */
#define GAUDI_DEVICE_SYNCOBJ	(1u << 1)  /* fences of the kernel's */
#define GAUDI_DEVICE_DMABUF	(1u << 2)  /* imports buffers of others */

/* How many cards this process may see. */
gaudi_public int gaudi_device_count(uint32_t *count);
/*
 * Open a card for computing. Blocks: up to @timeout_ms while the card is in
 * reset or still being released by its last user; 0 does not wait, -1 for ever.
 * -EBUSY: another process has it. A process may open a card several times; they
 * share nothing, and without the driver's shared mode the second is -EBUSY.
 */
gaudi_public int gaudi_device_open(uint32_t index, int timeout_ms,
				   struct gaudi_device **device);
gaudi_public int gaudi_device_open_by_module_id(uint32_t module_id,
						int timeout_ms,
						struct gaudi_device **device);
/*
 * "0000:3b:00.0"; the domain may be left out. "sim:N" is a card in this process, as for
 * hlthunk_open(); -ELIBACC: there is no libgaudi-sim.so.0.
 */
gaudi_public int gaudi_device_open_by_pci_address(const char *address,
						  int timeout_ms,
						  struct gaudi_device **device);
/*
 * Close the device and all that was created on it: streams, events, memory,
 * recipes, graphs; their handles are invalid afterwards. Blocks until the work
 * under way has ended. NULL is allowed. Always closes; an error says that work
 * had failed (GAUDI_ERR_DEVICE_LOST, -EIO).
 */
gaudi_public int gaudi_device_close(struct gaudi_device *device);
/* @info->size is set by the caller. Works on a lost device. */
gaudi_public int gaudi_device_get_info(struct gaudi_device *device,
				       struct gaudi_device_info *info);
/* The file descriptor, for calls of libhl-thunk; it stays the library's. */
gaudi_public int gaudi_device_fd(struct gaudi_device *device);
/* Blocks until all work submitted so far has ended; its first failure. */
gaudi_public int gaudi_device_synchronize(struct gaudi_device *device);
/*
 * For who watches work that does not end: to this process the card is lost from now on. Whoever
 * waits, or calls later, has GAUDI_ERR_DEVICE_LOST, with @why in the message, which is copied.
 * What is under way may still write; closing the device ends it, where the driver resets the
 * card. Any thread; nothing happens to a device that is lost already. -EINVAL: @why is NULL.
 */
gaudi_public int gaudi_device_give_up(struct gaudi_device *device, const char *why);

/*
 * Device memory (pool.c)
 *
 * Memory comes from a pool: freed blocks are kept and given out again without
 * asking the driver. Blocks are aligned to 512 bytes, those above 1 MiB to 64
 * KiB. The contents of new memory are undefined. A size of 0 is -EINVAL. Only when
 * the card's memory is short, allocation blocks: for work that holds freed memory,
 * and not inside host functions.
 */
gaudi_public int gaudi_malloc(struct gaudi_device *device, size_t size,
			      gaudi_ptr *address);
/*
 * The card may still work with it: the block is given out again after all work
 * submitted so far has ended. 0 is allowed. GAUDI_ERR_ADDRESS: not the address
 * of a block, or freed before.
 */
gaudi_public int gaudi_free(struct gaudi_device *device, gaudi_ptr address);
/*
 * In the stream's order: to be used by work on @stream from here on, or by
 * others after an event recorded here. A block freed on a stream is reused on
 * the same stream at once, and elsewhere after all work submitted so far has ended.
 */
gaudi_public int gaudi_malloc_async(struct gaudi_stream *stream, size_t size,
				    gaudi_ptr *address);
gaudi_public int gaudi_free_async(struct gaudi_stream *stream,
				  gaudi_ptr address);
/*
 * The block that @address, of any of its bytes, is in: where it begins and what
 * was asked for; @start and @size may be NULL. GAUDI_ERR_ADDRESS: in none that is
 * in use.
 */
gaudi_public int gaudi_memory_get_range(struct gaudi_device *device,
					gaudi_ptr address, gaudi_ptr *start,
					uint64_t *size);

struct gaudi_memory_stats {
	size_t size;
	uint64_t in_use;		/* bytes that programs asked for */
	uint64_t in_use_peak;
	uint64_t allocated;		/* bytes of blocks in use */
	uint64_t reserved;		/* bytes taken from the driver */
	uint64_t reserved_peak;
	uint64_t allocations;		/* calls so far */
	uint64_t frees;
	uint64_t pool_hits;		/* served without the driver */
	uint64_t failures;
	uint64_t device_free;		/* what the driver could still give */
	uint64_t device_total;
};

/* @stats->size is set by the caller. */
gaudi_public int gaudi_memory_get_stats(struct gaudi_device *device,
					struct gaudi_memory_stats *stats);
gaudi_public int gaudi_memory_reset_peak(struct gaudi_device *device);
/* Return unused memory to the driver until at most @keep bytes are reserved. */
gaudi_public int gaudi_memory_trim(struct gaudi_device *device, uint64_t keep);

/*
 * Host memory (host.c)
 *
 * The card reaches pinned memory only. Copies take any host pointer: inside
 * pinned memory they are asynchronous, elsewhere they go through buffers of the
 * library and block (see the copies).
 *
 * Memory of gaudi_host_alloc() is 0 and begins at a page, from 2 MiB on at a multiple
 * of 2 MiB; children of fork() do not have it.
 */
gaudi_public int gaudi_host_alloc(struct gaudi_device *device, size_t size,
				  void **memory);
/* Blocks until copies under way with it have ended. NULL is allowed. */
gaudi_public int gaudi_host_free(struct gaudi_device *device, void *memory);
/*
 * Pin the program's own memory, of any alignment. It must stay mapped until it
 * is unregistered. -EEXIST: overlaps registered memory.
 */
gaudi_public int gaudi_host_register(struct gaudi_device *device, void *memory,
				     size_t size);
/* By the start address. Blocks until copies under way with it have ended. */
gaudi_public int gaudi_host_unregister(struct gaudi_device *device,
				       void *memory);
/*
 * Under which address the card sees pinned memory. GAUDI_ERR_ADDRESS: @memory is
 * in none of this device's.
 */
gaudi_public int gaudi_host_get_device_address(struct gaudi_device *device,
					       const void *memory,
					       gaudi_ptr *address);
/*
 * The pinned memory that @memory is in, as it was allocated or registered; @start
 * and @size may be NULL. GAUDI_ERR_ADDRESS: in none, so that copies with it block.
 */
gaudi_public int gaudi_host_get_range(struct gaudi_device *device,
				      const void *memory, void **start,
				      size_t *size);

/*
 * Streams (stream.c)
 *
 * Work on one stream is done in order, each piece after the one before it. Work
 * on different streams is not ordered, except by events. There is no default
 * stream, and streams have no priorities; more than four share the card's queues
 * and may wait for each other's work there. If the card fails a piece of work, the
 * device is lost. If work that was kept behind a host function cannot be done, what
 * comes after it on the stream is not done, and each further call on the stream returns
 * its error; so it does if a link to another card fails (gaudi_link.h).
 */
gaudi_public int gaudi_stream_create(struct gaudi_device *device,
				     struct gaudi_stream **stream);
/*
 * @count of them, at most four, none of which shares queues of the card with another one of them:
 * what one waits for, as for another card, does not hold up the others, whatever streams
 * there are. All or none. -EINVAL: @count is 0, or more.
 */
gaudi_public int gaudi_stream_create_apart(struct gaudi_device *device,
					   uint32_t count,
					   struct gaudi_stream **streams);
/* Blocks until its work has ended. NULL is allowed. */
gaudi_public int gaudi_stream_destroy(struct gaudi_stream *stream);
/* Blocks until all work on the stream has ended; its first failure. */
gaudi_public int gaudi_stream_synchronize(struct gaudi_stream *stream);
/* 0: all work has ended well. GAUDI_ERR_NOT_READY. Else its first failure. */
gaudi_public int gaudi_stream_query(struct gaudi_stream *stream);
/*
 * For who has been told that the stream has failed, and has given up its data: blocks until all that
 * it was given has ended; then it works as a new one. Events that it recorded behind the failure
 * still say so. No other thread uses it meanwhile. 0 also if it had not failed;
 * GAUDI_ERR_DEVICE_LOST.
 */
gaudi_public int gaudi_stream_recover(struct gaudi_stream *stream);
/*
 * Later work on @stream begins after what @event recorded last; what it records
 * after this call makes no difference. An event that was never recorded is no
 * condition. Both may be of different devices.
 */
gaudi_public int gaudi_stream_wait_event(struct gaudi_stream *stream,
					 struct gaudi_event *event);
/*
 * The same, but only for order, as of who uses the same memory one after the other. If what was
 * recorded fails by a link (gaudi_link.h), a stream that waits for it by the call before has
 * failed, too; by this one it goes on.
 */
gaudi_public int gaudi_stream_wait_order(struct gaudi_stream *stream,
					 struct gaudi_event *event);
/*
 * Call @fn(@arg, @error) on a thread of the library after all work so far on the
 * stream, and before all later work; @error is 0 or why that work failed, or was
 * given up. Each @fn is called exactly once. It must not call functions that
 * block on this device (they return -EDEADLK).
 */
typedef void (*gaudi_host_fn)(void *arg, int error);
gaudi_public int gaudi_stream_add_host_fn(struct gaudi_stream *stream,
					  gaudi_host_fn fn, void *arg);
/*
 * The same, with an @arg that goes with the work: @release(@arg) is called once, behind the
 * last call of @fn; of a function that is captured (gaudi_graph.h), with the end of the last graph
 * that has it. It must not call this library. If this fails, @arg is the caller's.
 */
typedef void (*gaudi_release_fn)(void *arg);
gaudi_public int gaudi_stream_add_owned_fn(struct gaudi_stream *stream,
					   gaudi_host_fn fn, void *arg,
					   gaudi_release_fn release);
/*
 * For @fn alone, while it is called: what it was called for has failed, with @error, below 0, and
 * @why. So has the stream, or the launch of the graph: what comes behind it is not done, and each
 * further call on the stream returns @error. The first reason stays. -EINVAL: no such function is
 * being called by this thread, @error is not below 0, @why is NULL.
 */
gaudi_public int gaudi_host_fn_fail(int error, const char *why);
/*
 * Between these two, work on @stream is collected and given to the driver in
 * few submissions: when a buffer is full, when someone waits for any of it, and
 * at the end. They nest.
 */
gaudi_public int gaudi_stream_begin_batch(struct gaudi_stream *stream);
gaudi_public int gaudi_stream_end_batch(struct gaudi_stream *stream);

/*
 * Events (event.c)
 */
#define GAUDI_EVENT_NO_TIMING	(1u << 0)

/* @flags: GAUDI_EVENT_*; -EINVAL: others. */
gaudi_public int gaudi_event_create(struct gaudi_device *device,
				    uint32_t flags,
				    struct gaudi_event **event);
/* Does not wait. NULL is allowed. */
gaudi_public int gaudi_event_destroy(struct gaudi_event *event);
/* Remember what has been given to @stream so far; replaces the last record. */
gaudi_public int gaudi_event_record(struct gaudi_event *event,
				    struct gaudi_stream *stream);
/* 0: never recorded, or has ended. GAUDI_ERR_NOT_READY. Else its failure. */
gaudi_public int gaudi_event_query(struct gaudi_event *event);
/* Blocks until what was recorded has ended; its failure. */
gaudi_public int gaudi_event_synchronize(struct gaudi_event *event);
/*
 * Nanoseconds between the ends of what the two recorded, by the driver's time
 * stamps. GAUDI_ERR_NOT_READY; -EINVAL: not recorded, made without timing, or of
 * different devices.
 */
gaudi_public int gaudi_event_elapsed_ns(struct gaudi_event *start,
					struct gaudi_event *end,
					int64_t *nanoseconds);

/*
 * Copies and fills (copy.c)
 *
 * Any size and alignment. Ranges on the device must lie in blocks of the pool,
 * or in SRAM; a copy writes no byte that it reads, though its rows may lie between
 * each other. With pinned host memory the
 * calls do not wait; the memory must stay as it is until the copy has ended.
 * With other host memory they block: to the device until the source has been
 * read, from the device until the data are there. A size, height or count of 0 is
 * nothing to do. GAUDI_ERR_ADDRESS: a range on the device goes beyond its block, or
 * is in none; -EINVAL: ranges overlap, or a pitch is below the width. If a copy of more than 128
 * MiB, of thousands of rows, or of such memory fails, a part may have been done.
 * Between two devices: gaudi_copy_peer_async() of gaudi_link.h, or by way of host memory.
 */
gaudi_public int gaudi_copy_to_device_async(struct gaudi_stream *stream,
					    gaudi_ptr to, const void *from,
					    size_t size);
gaudi_public int gaudi_copy_to_host_async(struct gaudi_stream *stream,
					  void *to, gaudi_ptr from,
					  size_t size);
gaudi_public int gaudi_copy_device_async(struct gaudi_stream *stream,
					 gaudi_ptr to, gaudi_ptr from,
					 size_t size);
/* @value, of @value_size 1, 2, 4 or 8 bytes, @count times. */
gaudi_public int gaudi_fill_async(struct gaudi_stream *stream, gaudi_ptr to,
				  uint64_t value, uint32_t value_size,
				  size_t count);

/*
 * @height rows of @width bytes; the next row begins @pitch bytes (at least
 * @width) after the last one.
 */
gaudi_public int gaudi_copy_to_device_2d_async(struct gaudi_stream *stream,
					       gaudi_ptr to, size_t to_pitch,
					       const void *from,
					       size_t from_pitch, size_t width,
					       size_t height);
gaudi_public int gaudi_copy_to_host_2d_async(struct gaudi_stream *stream,
					     void *to, size_t to_pitch,
					     gaudi_ptr from, size_t from_pitch,
					     size_t width, size_t height);
gaudi_public int gaudi_copy_device_2d_async(struct gaudi_stream *stream,
					    gaudi_ptr to, size_t to_pitch,
					    gaudi_ptr from, size_t from_pitch,
					    size_t width, size_t height);
/*
 * The same on a stream of the library's, and all of them block until done. They are
 * not ordered with what is under way on the program's streams.
 */
gaudi_public int gaudi_copy_to_device(struct gaudi_device *device,
				      gaudi_ptr to, const void *from,
				      size_t size);
gaudi_public int gaudi_copy_to_host(struct gaudi_device *device, void *to,
				    gaudi_ptr from, size_t size);
gaudi_public int gaudi_copy_device(struct gaudi_device *device, gaudi_ptr to,
				   gaudi_ptr from, size_t size);
gaudi_public int gaudi_fill(struct gaudi_device *device, gaudi_ptr to,
			    uint64_t value, uint32_t value_size, size_t count);

#ifdef __cplusplus
}
#endif

#endif /* GAUDI_H */
