/* SPDX-License-Identifier: MIT */
/*
 * Programs on a device. A runner (runner.c) is a program with places for its buffers;
 * what the card needs for one run of it is an instance (instance.c), of which the room
 * keeps those that may be used again.
 *
 * One lock, the instances', before the device's @submit.
 */
#ifndef GAUDI_RUNTIME_RUNNER_H
#define GAUDI_RUNTIME_RUNNER_H

#include "../memory/memory.h"
#include "../program/program.h"

/* Bytes of the name of a buffer, for messages. */
#define GD_NAME			300u

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

struct gd_args *gd_args_new(uint32_t num_buffers);
struct gd_args *gd_args_get(struct gd_args *args);
void gd_args_put(struct gd_args *args);

struct gd_instance;

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

/*
 * @count sync objects that are 0, of those that programs have; they are 0 when they are
 * given back. -ENOMEM: all run. And @count monitors side by side, for as long as the
 * device is open.
 */
int gd_sobs_borrow(struct gaudi_device *device, uint32_t count, uint32_t *sobs);
void gd_sobs_return(struct gaudi_device *device, uint32_t count,
		    const uint32_t *sobs);
int gd_monitors_borrow(struct gaudi_device *device, uint32_t count,
		       uint32_t *first);

int gd_instances_init(struct gaudi_device *device);
void gd_instances_exit(struct gaudi_device *device);

#endif /* GAUDI_RUNTIME_RUNNER_H */
