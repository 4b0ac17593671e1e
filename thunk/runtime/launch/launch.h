/* SPDX-License-Identifier: MIT */
/*
 * Launches. A target is what can be launched: a launcher (launch.c), which is a recipe
 * with what its tensors are bound to (bind.c), or a graph of the room above. A launch
 * is on its way to the card, as a job of a stream (target.c); a program that takes
 * long goes in segments (segments.c).
 *
 * Locks: that of a launcher's launches, which comes before a stream's; after it a
 * launcher's, a target's, and that of segments.
 */
#ifndef GAUDI_RUNTIME_LAUNCH_H
#define GAUDI_RUNTIME_LAUNCH_H

#include "../runner/runner.h"
#include "../streams/streams.h"

/* --- targets, and launches on their way --- */

struct gd_launch;

struct gd_target {
	struct gd_runner runner;
	/* What a launch of it does; NULL: gd_target_run(). */
	int (*run)(struct gaudi_stream *stream, struct gd_launch *launch);
	/* Of a launcher; a graph has none. */
	struct gaudi_recipe *recipe;
	struct gd_constants *constants;	/* NULL: the recipe has none */
	struct gd_segments *segments;		/* NULL: it is one submission */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint32_t on_their_way;		/* with the lock */
};

/* An event that a launch records. */
struct gd_watched {
	struct gaudi_event *event;
	uint32_t number;		/* the program's */
	uint32_t signals;		/* in one run */
	struct gd_record *record;	/* referenced; NULL: not announced */
};

struct gd_launch {
	struct gd_job job;
	struct gd_target *target;
	struct gd_args *args;
	uint32_t num_ranges;
	struct gd_range **ranges;	/* pinned memory that it uses */
	uint32_t num_watched;
	struct gd_watched watched[];
};

static inline struct gd_launch *gd_launch_of(struct gd_job *job)
{
	return container_of(job, struct gd_launch, job);
}

/* The runner's first fields are set later. */
void gd_target_init(struct gd_target *target);
/*
 * The runner, or those of the program's segments if it takes long; and their
 * end, when no launch is on its way. Both may wait for the card.
 */
int gd_target_ready(struct gd_target *target);
int gd_target_end(struct gd_target *target);
/* Waits for launches that are on their way. */
void gd_target_wait(struct gd_target *target);
void gd_target_exit(struct gd_target *target);
/* With the target's lock. The caller fills in what is watched, and counts it. */
struct gd_launch *gd_launch_new(struct gd_target *target, struct gd_args *args,
				uint32_t max_watched);
/* Is the memory still there? Pinned memory is held. */
int gd_launch_hold(struct gd_launch *launch);
/*
 * The program of @target, which is the launch's or one that has the same buffers and no
 * events, for launches that are several; on hardware stream @hw_stream if there is a
 * choice.
 */
int gd_target_run(struct gaudi_stream *stream, struct gd_launch *launch,
		  struct gd_target *target, uint32_t hw_stream);

/* --- bindings: @args are by tensor --- */

struct gaudi_binding;
struct gaudi_recipe;
struct recipe_tensor;

/* An input or output. */
bool gd_is_bound(const struct recipe_tensor *tensor);
int gd_bind(struct gaudi_device *device, struct gaudi_recipe *recipe,
	    const struct gaudi_binding *binding, struct gd_arg *args);
/* Is it where an element of the tensor may begin? */
int gd_bind_aligned(const struct recipe_tensor *tensor,
		    const struct gd_arg *arg);
/* Is everything bound that is used, and nothing in another's way? */
int gd_bindings_check(const struct gaudi_recipe *recipe,
		      const struct gd_arg *args);

/* --- launchers --- */

/* A recipe's constants on the device: a launcher's, and of graphs that have it. */
struct gd_constants {
	atomic_uint refs;
	struct gaudi_device *device;
	gaudi_ptr address;
};

struct gd_constants *gd_constants_get(struct gd_constants *constants);
void gd_constants_put(struct gd_constants *constants);
/* Of tensors that are not bound; the recipe's workspace is @workspace into all. */
void gd_place_buffers(const struct gaudi_recipe *recipe,
		      const struct gd_constants *constants, uint64_t workspace,
		      struct gd_buffer *buffers);
void gd_launchers_exit(struct gaudi_device *device);

#endif /* GAUDI_RUNTIME_LAUNCH_H */
