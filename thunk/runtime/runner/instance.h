/* SPDX-License-Identifier: MIT */
/* Instances: what the two files of the room share. */
#ifndef GAUDI_RUNTIME_INSTANCE_H
#define GAUDI_RUNTIME_INSTANCE_H

#include "runner.h"

/* Launches of one runner that may be under way. */
#define GD_MAX_INSTANCES	8u
/* Of a command buffer; drivers take up to 2 MiB. */
#define GD_CB_PROGRAM		(1u << 20)
#define GD_MAX_CHUNKS		512u

/* One stream of an external queue, in command buffers. */
struct gd_stream_cbs {
	void *whole;			/* with several: the packets */
	uint32_t num;
	struct {
		struct gd_cb *cb;
		uint32_t begin, end;
	} at[];
};

struct gd_instances {
	pthread_mutex_t lock;
	pthread_cond_t idle;		/* no longer busy */
	/* Of all runners, the longest unused first; and those that have sync objects. */
	TAILQ_HEAD(, gd_instance) order, with_sobs;
	bool ready;
	uint32_t first_monitor;		/* of the internal queues */
	uint32_t hw_streams;		/* that have some */
	/* Sync objects of programs; those of @sobs are free, and 0. */
	uint32_t num_sobs, num_free;
	uint32_t *sobs;
};

/* What the card needs to run a program once. It runs once at a time. */
struct gd_instance {
	TAILQ_ENTRY(gd_instance) link, order, with_sobs;
	struct gd_runner *runner;
	bool busy;			/* a thread has it */
	bool spoiled;			/* its events are not known to be 0 */
	struct gd_point used;		/* until then by the card */
	uint32_t hw_stream;
	/* The program's, then the events'; NULL: another one was in need of them. */
	uint32_t *sobs;
	gaudi_ptr workspace;
	uint64_t *addresses;		/* of the bound buffers, as patched */
	struct gd_args *args;		/* they are from */
	/* By the program's streams. */
	void *packets[PROG_NUM_ENGINES];
	struct gd_stream_cbs *cbs[PROG_NUM_ENGINES];
	void *inner;			/* the internal engines', as the card has it, too */
	struct gd_cb *inner_cb;		/* it is this one's memory; NULL: pinned pages */
	uint64_t inner_size, inner_address;
	/* How it is submitted. */
	uint8_t *head, *end;
	struct gd_work work;
};

static inline bool gd_is_external(const struct prog_stream *s)
{
	return prog_engine_info(s->engine)->external;
}

/* With the lock held, all of these. Before the first instance: */
int gd_instances_ready(struct gaudi_device *device);
/* -ENOMEM: memory, or sync objects. Does not wait. */
int gd_instance_new(struct gd_runner *runner, uint32_t hw_stream,
		    struct gd_instance **instance);
/* Nothing of it is under way. */
void gd_instance_free(struct gd_runner *runner, struct gd_instance *instance);
/*
 * For @hw_stream, and with sync objects if it had none: its packets get these, and
 * all else stays. From those that were not used for the longest time, if none are left.
 * -ENOMEM as above. Nothing of it is under way.
 */
int gd_instance_arm(struct gd_runner *runner, struct gd_instance *instance,
		    uint32_t hw_stream);
/* It runs next: others have been unused for longer. */
void gd_instance_begin(struct gd_instance *instance);
/*
 * Does nothing of it run? With @running, the driver is asked if need be. That is a
 * mask of queues, 0 before a look through a list, oldest first: a queue on which one
 * runs is added to it, and nobody asks there about what is younger.
 */
bool gd_instance_idle(const struct gd_instance *instance, uint32_t *running);
/* Without the lock: packets in several buffers are patched as one, and copied. */
void gd_instance_spread(const struct gd_instance *instance);
/* Sync objects of an instance, and command buffers of a stream. */
uint32_t gd_runner_sobs(const struct gd_runner *runner);
uint32_t gd_count_cbs(const struct program *p, uint32_t stream);

#endif /* GAUDI_RUNTIME_INSTANCE_H */
