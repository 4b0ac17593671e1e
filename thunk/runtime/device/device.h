/* SPDX-License-Identifier: MIT */
/*
 * A card that this process has opened: what it is, whether it is lost, its sync
 * objects and monitors, its hardware queues and command buffers (queue.h), the order
 * of deferred work (deferred.c), and which cards there are (env.c). What is done
 * without libhl-thunk stands in os.h.
 *
 * Locks of the library, in the order in which they may be taken: the device's
 * @own_lock and @streams_lock, that of a launcher's launches, a stream's, a
 * launcher's or graph's, that of a graph's steps, that of segments, that of peers, the
 * links' for work, that of captures, the instances', the device's @submit, the pool's,
 * the ranges', the links' for what is under way, the device's @lock. With those of
 * stages (staging.c) and of a cache (recipe.h) no other one is taken.
 * The last one is never held during a system call. Host functions are called without
 * any. This room takes @submit and @lock.
 */
#ifndef GAUDI_RUNTIME_DEVICE_H
#define GAUDI_RUNTIME_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "gaudi.h"
#include "hlthunk.h"
#include "os.h"
#include "queue.h"
#include "../base/base.h"

/* A card that this process may see. */
struct gd_card {
	uint32_t accel;
	uint32_t module_id;
	char busid[16];
};

/* *@cards is the caller's to free. */
int gd_cards_find(struct gd_card **cards, uint32_t *count);

/* Deferred work, embedded in what the room above knows of it. */
struct gd_deferred {
	TAILQ_ENTRY(gd_deferred) link;
	uint64_t ticket;
};

struct gaudi_device {
	atomic_int *alive;		/* a page that fork() wipes */
	int fd;
	uint32_t index;
	struct gd_card card;
	struct hlthunk_hw_ip_info ip;
	uint64_t caps;			/* GAUDI_CAP_*; 0 on habanalabs */
	bool extended;			/* the driver is gaudi.ko */
	uint32_t wrap;			/* GD_WRAP, or less for tests */
	uint32_t wrap_shift;		/* it is a power of 2 */
	uint32_t first_sob, end_sob;	/* not yet given out */
	uint32_t first_monitor, end_monitor;

	pthread_mutex_t submit;
	struct gd_queue *queues;	/* GD_QUEUES */

	pthread_mutex_t lock;
	pthread_cond_t changed;		/* pieces ended, deferred work ran */
	unsigned int waiting;		/* threads that wait for @changed */
	struct gd_cbs cbs[2];		/* idle ones, small and large */
	struct gd_cb *frames[2];	/* small ones around work; under @submit */
	struct gd_cb *aside;		/* gd_submit_aside()'s; nothing to do, for ever */
	atomic_int lost;		/* 0, or why */
	atomic_uint callbacks;		/* threads in host functions of it */
	char lost_text[192];

	/* Deferred work, by ticket (deferred.c). */
	uint64_t tickets;
	atomic_uint deferred_count;

	TAILQ_HEAD(, gd_deferred) deferred;
	/*
	 * Set by the room of streams: submit the open packets of all streams.
	 * *@ticket is the last one of the streams' deferred work, or 0.
	 */
	int (*flush_streams)(struct gaudi_device *device, uint64_t *ticket);
	atomic_uint open_count;		/* streams with packets not submitted */
	/*
	 * Pieces that depend on other cards. While there are some, who waits for any
	 * calls @watch from time to time, without the locks of this room but @submit;
	 * soon if @hurry. Set by the room of links.
	 */
	atomic_uint watched;
	atomic_bool hurry;
	void (*watch)(struct gaudi_device *device);

	/* Of the rooms above, who alone know what is behind these: */
	struct gd_pool *pool;
	/* How often memory was freed: what is used may not be there. pool.c's. */
	atomic_uint_fast64_t frees;
	struct gd_ranges *ranges;
	LIST_HEAD(, gaudi_stream) streams;
	uint32_t stream_count;
	pthread_mutex_t streams_lock;	/* of these two */
	/* Who goes through each hardware stream; with @lock. */
	struct {
		uint32_t streams;
		uint32_t branches;	/* of graphs */
	} users[GD_STREAMS];
	struct gaudi_stream *own;	/* for calls without a stream */
	pthread_mutex_t own_lock;	/* of @own being made */
	LIST_HEAD(, gaudi_event) events;
	LIST_HEAD(, gd_fate) fates;	/* of its streams; with @lock */
	struct gd_stages *stages;
	struct gd_instances *instances;	/* of programs */
	struct gd_links *links;
	LIST_HEAD(, gaudi_launcher) launchers;
	LIST_HEAD(, gaudi_graph) graphs;
};

/* A device that a call may use: not NULL, not of the parent, not lost. */
int gd_device_check(struct gaudi_device *device);
/* The same, lost or not. */
int gd_device_check_mine(struct gaudi_device *device);
/*
 * The card is lost because of @error; -ECANCELED: as somebody said @what. The first reason
 * stays. Returns @error.
 */
int gd_device_lose(struct gaudi_device *device, int error, const char *what);
/* GAUDI_ERR_DEVICE_LOST, with the reason as the message. */
int gd_device_is_lost(struct gaudi_device *device);
/* Wait for @changed, and wake who does; with the device's lock. */
static inline void gd_changed_wait(struct gaudi_device *device)
{
	device->waiting++;
	pthread_cond_wait(&device->changed, &device->lock);
	device->waiting--;
}

static inline void gd_changed(struct gaudi_device *device)
{
	if (device->waiting)
		pthread_cond_broadcast(&device->changed);
}

/* -EDEADLK if this thread runs one of the device's host functions. */
int gd_may_block_here(struct gaudi_device *device, const char *what);
static inline int gd_may_block(struct gaudi_device *device, const char *what)
{
	/* A thread's own variable takes a call to find. */
	return atomic_load(&device->callbacks) ?
	       gd_may_block_here(device, what) : 0;
}

struct gaudi_device *gd_set_callback_of(struct gaudi_device *device);
/*
 * @count sync objects, or monitors, side by side, for as long as it is open. What
 * is reserved after it was opened is reserved with the instances' lock.
 */
int gd_sobs_reserve(struct gaudi_device *device, uint32_t count, uint32_t *first);
int gd_monitors_reserve(struct gaudi_device *device, uint32_t count,
			uint32_t *first);

/* Open @card, and what this room has of it. @timeout_ms: as for programs. */
int gd_device_new(const struct gd_card *card, uint32_t index, int timeout_ms,
		  struct gaudi_device **device);
/* Nothing is under way, and the rooms above have freed what is theirs. */
void gd_device_free(struct gaudi_device *device);

/* @work is deferred, behind all that is; it gets the next ticket. */
void gd_defer(struct gaudi_device *device, struct gd_deferred *work);
/* @work has been submitted, or never will be; with the device's lock. */
void gd_defer_end(struct gaudi_device *device, struct gd_deferred *work);
/* Is no work up to @ticket deferred any more? */
bool gd_ticket_done(struct gaudi_device *device, uint64_t ticket);
/* What the device's @flush_streams does. */
int gd_flush_all(struct gaudi_device *device, uint64_t *ticket);
/* A point with all work given to the device so far; waits for deferred work. */
int gd_device_drain(struct gaudi_device *device, struct gd_point *point);

#endif /* GAUDI_RUNTIME_DEVICE_H */
