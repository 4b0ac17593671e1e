/* SPDX-License-Identifier: MIT */
/*
 * Programs on a device: launchers and graphs are runners, which have instances.
 */
#ifndef GAUDI_RUNTIME_LAUNCH_H
#define GAUDI_RUNTIME_LAUNCH_H

#include "../device/internal.h"
#include "../program/program.h"

/* Launches of one runner that may be under way. */
#define GD_MAX_INSTANCES	8u
/* Of a command buffer; drivers take up to 2 MiB. */
#define GD_CB_PROGRAM		(1u << 20)
#define GD_MAX_CHUNKS		512u
#define GD_NAME			300u
/* The fence counter of each queue that is used. */
#define GD_FENCE		0

/* Where the program's buffers are for a launch. Written by nobody who shares it. */
struct gd_args {
	atomic_uint refs;
	atomic_bool complete;		/* all there, and none in another's way */
	/* 1 + the pool's frees when it was last looked at */
	atomic_uint_fast64_t frees;
	struct gd_arg {
		uint64_t address;
		void *memory;		/* on the host */
		uint64_t bytes;
		/* The allocation, or the pinned range, that it is in. */
		uint64_t owner;
	} at[];				/* by buffer */
};

enum gd_buffer_kind {
	GD_BUFFER_BOUND,		/* by the args */
	GD_BUFFER_FIXED,		/* at @base */
	GD_BUFFER_WORKSPACE,		/* @base in the instance's */
};

struct gd_buffer {
	enum gd_buffer_kind kind;
	uint64_t base;
};

/* One stream of an external queue, in command buffers. */
struct gd_part {
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
	TAILQ_HEAD(, gd_instance) order, armed;
	bool ready;
	uint32_t first_monitor;		/* of the internal queues */
	uint32_t hw_streams;		/* that have some */
	/* Sync objects of programs; those of @sobs are free, and 0. */
	uint32_t num_sobs, num_free;
	uint32_t *sobs;
};

/* What the card needs to run a program once. It runs once at a time. */
struct gd_instance {
	TAILQ_ENTRY(gd_instance) link, order, armed;
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
	struct gd_part *parts[PROG_NUM_ENGINES];
	void *inner;			/* pinned: the internal engines' */
	uint64_t inner_size, inner_address;
	/* How it is submitted. */
	uint8_t *head, *end;
	struct gd_work work;
};

struct gd_runner {
	struct gaudi_device *device;
	const char *name;
	const struct program *program;
	const struct gd_buffer *buffers;
	const uint32_t *bound;		/* their numbers */
	uint32_t num_bound;
	uint64_t workspace_size;
	/* "tensor 'x'", for messages; @text has GD_NAME bytes. */
	void (*describe)(const struct gd_runner *runner, uint32_t buffer,
			 char *text);
	/* With the instances' lock: */
	TAILQ_HEAD(, gd_instance) instances;	/* the longest unused first */
	uint32_t num_instances;
};

static inline bool gd_is_external(const struct prog_stream *s)
{
	return prog_engine_info(s->engine)->external;
}

/*
 * instance.c
 */
int gd_instances_init(struct gaudi_device *device);
void gd_instances_exit(struct gaudi_device *device);
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
uint32_t gd_count_parts(const struct program *p, uint32_t stream);

/*
 * runner.c
 */
/* The first fields are set. Makes the first instance; may wait for the card. */
int gd_runner_init(struct gd_runner *runner);
/* No launch is on its way. Waits for those that the card has. */
int gd_runner_exit(struct gd_runner *runner);
/*
 * Run it once, on hardware stream @hw_stream if there is a choice, after
 * @after. @watched, by events, or NULL: those that gd_runner_watch() is to be
 * called for. After a run that succeeded gd_runner_ran() is to be called: until
 * when it uses what it has, besides itself; @spoiled: a watch has failed.
 */
struct gd_ran {
	unsigned int q;
	uint64_t n;
	struct gd_instance *instance;
};

int gd_runner_run(struct gd_runner *runner, struct gd_args *args,
		  const bool *watched, uint32_t hw_stream,
		  const struct gd_point *after, struct gd_ran *ran);
void gd_runner_ran(struct gd_runner *runner, struct gd_ran *ran,
		   const struct gd_point *used, bool spoiled);
/* A piece that ends when the @count signals of event @event have come. */
int gd_runner_watch(struct gd_runner *runner, const struct gd_ran *ran,
		    uint32_t event, uint32_t count, struct gd_point *point);

/* instance.c */
struct gd_args *gd_args_new(uint32_t num_buffers);
struct gd_args *gd_args_get(struct gd_args *args);
void gd_args_put(struct gd_args *args);

/*
 * target.c: what can be launched, and launches that are on their way to the card
 */
struct gd_target {
	struct gd_runner runner;
	/* Of a launcher; a graph has none. */
	struct gaudi_recipe *recipe;
	struct gd_constants *constants;	/* NULL: the recipe has none */
	struct gd_parts *parts;		/* NULL: it is one submission */
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
	struct gd_target *target;
	atomic_uint refs;
	struct gd_args *args;
	uint32_t num_ranges;
	struct gd_range **ranges;	/* pinned memory that it uses */
	uint32_t num_watched;
	struct gd_watched watched[];
};

/* The runner's first fields are set later. */
void gd_target_init(struct gd_target *target);
/*
 * parts.c: the runner, or those of the program's parts if it takes long; and their
 * end, when no launch is on its way. Both may wait for the card.
 */
int gd_target_ready(struct gd_target *target);
int gd_target_end(struct gd_target *target);
int gd_parts_run(struct gaudi_stream *stream, struct gd_launch *launch);
/* Waits for launches that are on their way. */
void gd_target_wait(struct gd_target *target);
void gd_target_exit(struct gd_target *target);
/* With the target's lock. The caller fills in what is watched, and counts it. */
struct gd_launch *gd_launch_new(struct gd_target *target, struct gd_args *args,
				uint32_t max_watched);
/* Is the memory still there? Pinned memory is held. */
int gd_launch_hold(struct gd_launch *launch);
struct gd_launch *gd_launch_get(struct gd_launch *launch);
void gd_launch_put(struct gd_launch *launch);
/* It has its turn on a stream: who waits for its events waits for this launch. */
int gd_launch_announce(struct gd_launch *launch);
int gd_launch_run(struct gaudi_stream *stream, struct gd_launch *launch);
/* A program of the launch, and its records of @watched events with their signals. */
int gd_launch_step(struct gaudi_stream *stream, struct gd_launch *launch,
		   struct gd_runner *runner, const bool *watched);

/*
 * bind.c: @args are by tensor
 */
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

/*
 * launch.c
 */
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
