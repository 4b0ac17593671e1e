/* SPDX-License-Identifier: MIT */
/*
 * Streams (stream.c), what they do (work.c: packets; copy.c, staging.c,
 * stream_memory.c: what programs call), events (event.c), what fails (fate.c), and who is
 * captured (captures.c, captures.h). What a launch is this room does not know: a stream runs a
 * struct gd_job.
 *
 * Locks: the device's @own_lock and @streams_lock, a stream's, that of captures, and that
 * of stages, with which no other is taken; of the room below the device's @lock, which
 * guards records and deferred work.
 */
#ifndef GAUDI_RUNTIME_STREAMS_H
#define GAUDI_RUNTIME_STREAMS_H

#include "packets.h"
#include "../memory/memory.h"

/* Pinned ranges that packets not submitted may use. */
#define GD_OPEN_RANGES	16u

/* Why a stream has failed, as text. */
#define GD_WHY_SIZE	300u

struct gaudi_event;
struct gaudi_stream;
struct gd_record;

/* --- operations: at once or later --- */

enum gd_op_kind {
	GD_OP_RECT,
	GD_OP_FILL,
	GD_OP_WAIT,
	GD_OP_RECORD,
	GD_OP_HOST_FN,
	GD_OP_LAUNCH,
	GD_OP_LINK,
};

/* @height rows of @width bytes; device addresses on both sides. */
struct gd_rect {
	uint64_t to, from;
	uint64_t to_pitch, from_pitch;
	uint64_t width, height;
};

struct gd_job;

/* What a room above runs on a stream, which has a reference while it is to be run. */
struct gd_job_ops {
	/*
	 * The stream has taken it: who waits for an event that it records, waits
	 * for it from now on. With the stream's lock. NULL: it records none.
	 */
	int (*announce)(struct gd_job *job);
	/* As gd_op_run(). */
	int (*run)(struct gaudi_stream *stream, struct gd_job *job);
	void (*free)(struct gd_job *job);
};

struct gd_job {
	const struct gd_job_ops *ops;
	atomic_uint refs;
	/* It may wait for what comes later: not in the thread that gives it. */
	bool later;
};

static inline void gd_job_get(struct gd_job *job)
{
	atomic_fetch_add(&job->refs, 1);
}

static inline void gd_job_put(struct gd_job *job)
{
	if (atomic_fetch_sub(&job->refs, 1) == 1)
		job->ops->free(job);
}

struct gd_op {
	STAILQ_ENTRY(gd_op) link;	/* of the stream's */
	struct gd_deferred deferred;
	enum gd_op_kind kind;
	bool down;			/* RECT, FILL: by DMA_1 */
	bool only_order;		/* WAIT: what failed before it is nothing to it */
	struct gd_rect rect;		/* FILL: @from is the pattern */
	struct gd_range *range;		/* RECT: pinned memory that it uses */
	struct gaudi_event *event;
	struct gd_record *record;	/* WAIT, RECORD: of @event; referenced */
	gaudi_host_fn fn;
	void *arg;
	gaudi_release_fn release;	/* NULL: nothing */
	struct gd_job *job;		/* LAUNCH, LINK; referenced */
};

/* Is anything both read and written? At least one row; pitches at least the width. */
bool gd_rect_overlaps(const struct gd_rect *rect);

/* --- streams --- */

/*
 * Since when the work of a stream has failed. It outlives the stream, as records and other
 * work look at it (fate.c). With the device's lock.
 */
#define GD_NEVER	UINT64_MAX

struct gd_awaited;

struct gd_fate {
	LIST_ENTRY(gd_fate) link;	/* of the device's, as long as there is @stream */
	atomic_uint refs;
	struct gaudi_stream *stream;	/* NULL: it is gone */
	uint64_t failed_from;		/* the step; GD_NEVER */
	int error;
	char why[GD_WHY_SIZE];
	/* What the stream has waited for and may still fail. */
	struct gd_awaited *awaited;
	uint32_t num_awaited, max_awaited;
};

void gd_fate_get(struct gd_fate *fate);
/* NULL is allowed. */
void gd_fate_put(struct gd_fate *fate);
/* What the stream does from @step on has failed, and so has what waited for it. */
void gd_fate_fail(struct gaudi_device *device, struct gd_fate *fate, uint64_t step,
		  int error, const char *why);
/* Has what comes before @step? */
bool gd_fate_failed_before(struct gaudi_device *device, const struct gd_fate *fate,
			   uint64_t step);

struct gd_capture;

/* Of a capture: the nodes after which the next one of the stream comes. */
struct gd_tails {
	uint32_t *at;
	uint32_t num;
};

struct gaudi_stream {
	LIST_ENTRY(gaudi_stream) link;
	/* captures.c's */
	_Atomic(struct gd_capture *) capture;
	LIST_ENTRY(gaudi_stream) captured;
	struct gd_tails tails;
	uint32_t branch;		/* 0: it began the capture */
	/* Of graphs that were launched on it: their own streams. */
	uint32_t inner_branch, num_inner;

	struct gaudi_device *device;
	uint32_t number;		/* in messages */
	uint32_t hw_stream;		/* of each engine's queues, below GD_STREAMS */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct gd_point after;		/* what its next work waits for */
	uint64_t step;			/* jobs, their pieces and waits so far */
	bool open_counted;		/* in the device's open_count */
	atomic_uint batch;		/* how deep */
	struct gd_freed *freed;		/* memory, in its order */
	struct gd_known to, from;	/* what work writes and reads */
	atomic_int error;		/* of another device, or a link, that it waited for */
	struct gd_fate *fate;		/* says why; referenced */
	/* Packets that are not submitted yet, for queue @open_q */
	unsigned int open_q;
	struct pkt_buf open;		/* GD_OPEN_SIZE */
	struct gd_range *open_ranges[GD_OPEN_RANGES];
	unsigned int open_range_count;
	/*
	 * Deferred work. While there is any, @after, @step and the open packets
	 * belong to the thread that runs it.
	 */
	STAILQ_HEAD(gd_stream_ops, gd_op) ops;
	/* Deferred work that has run, whose packets are in @open; the thread's. */
	struct gd_stream_ops collected;
	uint64_t last_ticket;		/* of @ops */
	bool has_thread, stop;
	pthread_t thread;
};

/* Run @op, now or when its turn comes. */
int gd_stream_do(struct gaudi_stream *stream, const struct gd_op *op);
/*
 * Calls @fn when what the stream comes after has ended. The caller has it as that of
 * gd_op_run() has. What has failed before.
 */
int gd_stream_call(struct gaudi_stream *stream, gaudi_host_fn fn, void *arg);
/* What is wrong with it, or 0. */
int gd_stream_fault(struct gaudi_stream *stream);
static inline int gd_stream_check(struct gaudi_stream *stream)
{
	const struct gaudi_device *device;

	if (!stream)
		return gd_stream_fault(stream);
	device = stream->device;
	if (atomic_load_explicit(device->alive, memory_order_relaxed) &&
	    !atomic_load_explicit(&device->lost, memory_order_acquire) &&
	    !atomic_load_explicit(&stream->error, memory_order_relaxed))
		return 0;

	return gd_stream_fault(stream);
}

/* Submit the stream's open packets, of which there are some. */
int gd_flush_open(struct gaudi_stream *stream);
static inline int gd_flush(struct gaudi_stream *stream)
{
	return stream->open.used ? gd_flush_open(stream) : 0;
}

/*
 * The open packets are in piece @n of queue @q, which may be another one than they were
 * collected for: others may begin with them, in place of a piece of their own. @stream goes
 * on behind it already.
 */
void gd_open_submitted(struct gaudi_stream *stream, unsigned int q, uint64_t n);

/* The hardware streams of a graph's branches, of which the first one has that of its stream. */
struct gd_branches {
	uint8_t *at;
	uint32_t num, placed;
};

/*
 * Those that are used least, for a launch on @stream; they are the graph's until it is launched
 * again, or they are put.
 */
void gd_branches_place(struct gaudi_stream *stream, struct gd_branches *branches);
void gd_branches_put(struct gaudi_device *device, struct gd_branches *branches);

/* The stream of the calls that have none. */
int gd_own_stream(struct gaudi_device *device, struct gaudi_stream **stream);

int gd_streams_init(struct gaudi_device *device);
/* Ends all streams. Pending host functions are called even if work fails. */
void gd_streams_exit(struct gaudi_device *device);
/* Frees events, and the memory of copies. Nothing is under way. */
void gd_streams_free(struct gaudi_device *device);

/* --- events --- */

/*
 * Who waits for an event waits for the record that was the last one when it was asked
 * to, whatever is recorded later.
 */
struct gd_record {
	atomic_uint refs;
	/* With the device's lock: */
	bool done;			/* the rest says what was recorded */
	bool failed;			/* nothing: the one before stays */
	struct gd_record *before;	/* referenced; until it is done */
	struct gd_point point;
	struct gd_fate *fate;		/* of the stream; referenced, or NULL */
	uint64_t step;			/* that it had come to */
	struct gd_stamp *stamps[GD_QUEUES];
	uint64_t idle_ns;		/* the stream was idle: when */
};

struct gaudi_event {
	LIST_ENTRY(gaudi_event) link;
	/* captures.c's */
	_Atomic(struct gd_capture *) capture;
	LIST_ENTRY(gaudi_event) captured;
	struct gd_tails tails;

	struct gaudi_device *device;
	uint32_t flags;
	atomic_uint refs;		/* the program's, and of deferred ops */
	struct gd_record *last;		/* referenced; with the device's lock */
};

void gd_event_get(struct gaudi_event *event);
void gd_event_put(struct gaudi_event *event);
/*
 * A new record of @event is on its way, referenced for the caller. NULL: no
 * memory.
 */
struct gd_record *gd_event_announce(struct gaudi_event *event);
/* NULL is allowed. */
void gd_record_put(struct gd_record *record);
/*
 * It has been run on @stream, or, if @point is NULL, it failed. What is stored first stays.
 */
int gd_record_store(struct gaudi_event *event, struct gd_record *record,
		    struct gaudi_stream *stream, const struct gd_point *point);
/* It is recorded elsewhere: no longer a capture's. */
void gd_capture_forget_event(struct gaudi_event *event);

#endif /* GAUDI_RUNTIME_STREAMS_H */
