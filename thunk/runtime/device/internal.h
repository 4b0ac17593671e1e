/* SPDX-License-Identifier: MIT */
/*
 * What the files of libgaudi share. Nothing here is exported.
 *
 * Locks, in the order in which they may be taken: the device's @own_lock and
 * @streams_lock, a stream's, a launcher's or graph's, that of captures, the
 * instances', the device's @submit, the pool's, the ranges', the device's @lock.
 * The last one is never held during a system call. Host functions are called
 * without any.
 */
#ifndef GAUDI_INTERNAL_H
#define GAUDI_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "gaudi.h"
#include "hlthunk.h"
#include "packets.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define KIB		1024ull
#define MIB		(1024 * KIB)

/* External hardware queues: four of DMA_0, then four of DMA_1. */
#define GD_STREAMS	4
#define GD_QUEUES	(2 * GD_STREAMS)
/* Pieces of work that a queue may have under way. */
#define GD_DEPTH	128u
/* Values of a sync object before a timeline takes its other one. */
#define GD_WRAP		16384u
/* Bytes of packets in one command buffer, those around the work included. */
#define GD_CB_SMALL	4096u
#define GD_CB_LARGE	65536u
/* What a piece may have around its work: waits, a reset, the signal. */
#define GD_CB_FRAME	512u
#define GD_OPEN_SIZE	(GD_CB_LARGE - GD_CB_FRAME)
#define GD_OPEN_RANGES	16u

static inline uint64_t gd_round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/* error.c: all return @error, so that a failure is one line */
int gd_fail(int error, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* For what fails without being the caller's: the message is the old one. */
struct gd_error_state {
	int error;
	char text[256];
};

void gd_error_save(struct gd_error_state *state);
void gd_error_restore(const struct gd_error_state *state);
/* errno as the thunk's functions leave it, negative; never 0 */
int gd_errno(void);

/* log.c */
enum gd_level {
	GD_TRACE,
	GD_DEBUG,
	GD_INFO,
	GD_WARN,
	GD_ERROR,
	GD_CRITICAL,
	GD_OFF,
};

void gd_log(enum gd_level level, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* env.c: the cards that this process may see */
struct gd_card {
	uint32_t accel;
	uint32_t module_id;
	char busid[16];
};

/* *@cards is the caller's to free. */
int gd_cards_find(struct gd_card **cards, uint32_t *count);

/*
 * os.c: what is done without libhl-thunk, so that tests can replace it.
 * Query of gaudi.ko's extensions; any error: the driver has none.
 */
int gd_os_query(int fd, uint32_t id, uint64_t *value);
/* A command buffer's memory; NULL with errno. */
void *gd_os_map_cb(int fd, uint64_t handle, size_t size);
void gd_os_unmap_cb(void *memory, size_t size);
/* What the driver gives a submission; 0: no limit. @extended: it is gaudi.ko. */
uint32_t gd_os_timeout_s(bool extended);
uint64_t gd_os_now_ns(void);		/* CLOCK_MONOTONIC */
void gd_os_sleep_ms(unsigned int ms);

/*
 * queue.c: hardware queues. A piece of work is known by its queue and number,
 * from 1 on. A point in time of the card is one number for each queue: all
 * pieces up to these have ended; 0 says nothing about the queue.
 */
struct gd_point {
	uint64_t n[GD_QUEUES];
	uint32_t set;			/* bits: the others are 0 */
};

static inline void gd_point_set(struct gd_point *point, unsigned int q,
				uint64_t n)
{
	point->n[q] = n;
	point->set |= 1u << q;
}

/* All queues of a set of bits, the lowest first. */
#define GD_FOR_EACH_QUEUE(q, bits)					\
	for (unsigned int left_ = (bits), q;				\
	     left_ && (q = (unsigned int)__builtin_ctz(left_), true);	\
	     left_ &= left_ - 1)

/* When a piece ended. Shared by the piece and the events that look at it. */
struct gd_stamp {
	_Atomic uint64_t ns;		/* 0: not yet */
	atomic_uint refs;
};

struct gd_cb {
	SLIST_ENTRY(gd_cb) link;
	uint64_t handle;
	void *memory;
	uint32_t size;
};

SLIST_HEAD(gd_cbs, gd_cb);

struct gd_piece {
	struct gd_point after;		/* what it waited for, of other queues */
	uint64_t seq;
	struct gd_stamp *stamp;		/* or NULL */
	bool asked;			/* a thread asks the driver for its end */
};

struct gd_queue {
	uint32_t id;			/* the driver's */
	uint32_t sob[2];
	uint32_t monitor;
	_Atomic uint64_t submitted;	/* written with @submit held */
	_Atomic uint64_t ended;		/* that this process knows of */
	/* With @submit held: pieces from this one on raise a sync object */
	uint64_t signals_from;
	/* Last piece of each queue that waits for a value of each sync object */
	uint64_t waiters[2][GD_QUEUES];
	/*
	 * With the device's lock: pieces up to @implied have ended, since others
	 * that waited for them have, though the driver has not said so yet;
	 * those up to @followed have told what they imply.
	 */
	uint64_t implied, followed;
	struct gd_piece pieces[GD_DEPTH];
};

struct gd_freed;
struct gd_pool;
struct gd_ranges;
struct gd_stages;
struct gd_instances;

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
	struct gd_queue queues[GD_QUEUES];

	pthread_mutex_t lock;
	pthread_cond_t changed;		/* pieces ended, deferred work ran */
	unsigned int waiting;		/* threads that wait for @changed */
	struct gd_cbs cbs[2];		/* idle ones, small and large */
	struct gd_cb *frames[2];	/* small ones around work; under @submit */
	atomic_int lost;		/* 0, or why */
	atomic_uint callbacks;		/* threads in host functions of it */
	char lost_text[192];

	/* Work kept in the library, by ticket; see stream.c. */
	uint64_t tickets;
	atomic_uint deferred_count;

	TAILQ_HEAD(gd_ops, gd_op) deferred;
	LIST_HEAD(gd_streams, gaudi_stream) streams;
	LIST_HEAD(gd_events, gaudi_event) events;
	LIST_HEAD(gd_launchers, gaudi_launcher) launchers;
	LIST_HEAD(gd_graphs, gaudi_graph) graphs;
	uint32_t stream_count;
	atomic_uint open_count;		/* streams with packets not submitted */

	struct gd_pool *pool;
	/* How often memory was freed: what is used may not be there. pool.c's. */
	atomic_uint_fast64_t frees;
	struct gd_ranges *ranges;
	struct gd_stages *stages;
	struct gd_instances *instances;	/* of programs */
	pthread_mutex_t own_lock;	/* of @own being made */
	pthread_mutex_t streams_lock;	/* of @streams */
	struct gaudi_stream *own;	/* for calls without a stream */
};

/* A device that a call may use: not NULL, not of the parent, not lost. */
int gd_device_check(struct gaudi_device *device);
/* The same, lost or not. */
int gd_device_check_mine(struct gaudi_device *device);
/* The card is lost because of @error; the first reason stays. Returns @error. */
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
 * is taken after it was opened is taken with the instances' lock.
 */
int gd_sobs_take(struct gaudi_device *device, uint32_t count, uint32_t *first);
int gd_monitors_take(struct gaudi_device *device, uint32_t count,
		     uint32_t *first);

int gd_queues_init(struct gaudi_device *device);
void gd_queues_exit(struct gaudi_device *device);
/* Work for queue @q, that may use several buffers, or several queues. */
struct gd_work {
	const void *packets;		/* of queue @q, before the others */
	size_t size;			/* both at most GD_OPEN_SIZE */
	const void *end;		/* of queue @q, behind the others */
	size_t end_size;
	/*
	 * The submission. The first chunk, and with @tail the last one, are
	 * left open, for waits and packets, and for the signal.
	 */
	struct hl_cs_chunk *chunks;
	uint32_t num_chunks;
	bool tail;
	bool first_signal;		/* queue.c's */
};

/* Submit it as one piece that begins after @after. *@n is its number. */
int gd_submit_work(struct gaudi_device *device, unsigned int q,
		   const struct gd_point *after, const struct gd_work *work,
		   uint64_t *n);
/* The same for @size bytes of packets. */
static inline int gd_submit(struct gaudi_device *device, unsigned int q,
			    const struct gd_point *after, const void *packets,
			    size_t size, uint64_t *n)
{
	struct hl_cs_chunk chunk;
	const struct gd_work work = {
		.packets = packets,
		.size = size,
		.chunks = &chunk,
		.num_chunks = 1,
	};

	return gd_submit_work(device, q, after, &work, n);
}

/*
 * cb.c: one for @size bytes, an idle one or a new one. @cb may be NULL.
 */
int gd_cb_get(struct gaudi_device *device, size_t size, struct gd_cb **out);
void gd_cb_put(struct gaudi_device *device, struct gd_cb *cb);
void gd_cbs_exit(struct gaudi_device *device);
/* A command buffer that is not the pool's. */
int gd_cb_create(struct gaudi_device *device, uint32_t size,
		 struct gd_cb **cb);
void gd_cb_destroy(struct gaudi_device *device, struct gd_cb *cb);
/* Set sync objects to 0. Waits for the card; nobody else submits meanwhile. */
int gd_sobs_clear(struct gaudi_device *device, uint32_t first, uint32_t count);
/* Wait until all of @point has ended. */
int gd_wait(struct gaudi_device *device, const struct gd_point *point);
/* 0, GAUDI_ERR_NOT_READY (no message), or a failure; asks the driver. */
int gd_poll(struct gaudi_device *device, const struct gd_point *point);
/* What is known to have ended, without asking. */
bool gd_has_ended(struct gaudi_device *device, const struct gd_point *point);
void gd_submitted(struct gaudi_device *device, struct gd_point *point);
void gd_point_join(struct gd_point *point, const struct gd_point *other);
/* Have the end of piece @n of @q written down; NULL: it has ended already. */
int gd_stamp_get(struct gaudi_device *device, unsigned int q, uint64_t n,
		 struct gd_stamp **stamp);
void gd_stamp_put(struct gd_stamp *stamp);

/*
 * work.c: an operation of a stream, at once or later
 */
enum gd_op_kind {
	GD_OP_RECT,
	GD_OP_FILL,
	GD_OP_WAIT,
	GD_OP_RECORD,
	GD_OP_HOST_FN,
	GD_OP_LAUNCH,
};

/* @height rows of @width bytes; device addresses on both sides. */
struct gd_rect {
	uint64_t to, from;
	uint64_t to_pitch, from_pitch;
	uint64_t width, height;
};

struct gd_range;

struct gd_op {
	STAILQ_ENTRY(gd_op) link;	/* of the stream's */
	TAILQ_ENTRY(gd_op) all;		/* of the device's, by ticket */
	uint64_t ticket;
	enum gd_op_kind kind;
	bool down;			/* RECT, FILL: by DMA_1 */
	struct gd_rect rect;		/* FILL: @from is the pattern */
	struct gd_range *range;		/* RECT: pinned memory that it uses */
	struct gaudi_event *event;
	struct gd_record *record;	/* WAIT, RECORD: of @event; referenced */
	gaudi_host_fn fn;
	void *arg;
	struct gd_launch *launch;	/* see launch.h */
};

/* What all kinds have; the rest only its own one has. */
static inline void gd_op_init(struct gd_op *op, enum gd_op_kind kind,
			      bool down)
{
	op->kind = kind;
	op->down = down;
	op->rect = (struct gd_rect) {};
	op->range = NULL;
	op->event = NULL;
	op->record = NULL;
	op->launch = NULL;
}

/*
 * Do @op on @stream now. The caller has the stream's lock, or is its thread
 * while there are deferred ops. Only there may @op have to wait.
 */
int gd_op_run(struct gaudi_stream *stream, const struct gd_op *op);
/* Submit what the stream has collected, which is something. */
int gd_flush_open(struct gaudi_stream *stream);
/* Give it up. */
void gd_drop_open(struct gaudi_stream *stream);

/*
 * capture.c. All of it with a lock of its own, taken before a device's.
 */
struct gd_capture;

/* Nodes that what comes next comes after. */
struct gd_tails {
	uint32_t *at;
	uint32_t num;
};

/* 0: written down, or a failure; 1: it is not captured. */
int gd_capture_op(struct gaudi_stream *stream, const struct gd_op *op);
/* The same for a wait; @recorded: @event was ever, outside of captures. */
int gd_capture_wait(struct gaudi_stream *stream, struct gaudi_event *event,
		    bool recorded);
/*
 * Of a stream or of an event, the other one is NULL. GAUDI_ERR_CAPTURE, and the
 * capture is invalid; 0: there is no capture.
 */
int gd_capture_refuse_now(struct gaudi_stream *stream,
			  struct gaudi_event *event, const char *what);
/* They go, or are recorded elsewhere. */
void gd_capture_forget_stream(struct gaudi_stream *stream);
void gd_capture_forget_event(struct gaudi_event *event);

/*
 * The block in use that a stream's last work was in, so that the next one needs no
 * lock to find it. It holds as long as no memory has been freed. Written with the
 * pool's lock, @seq is odd meanwhile.
 */
struct gd_known {
	atomic_uint seq;
	_Atomic uint64_t frees;
	_Atomic uint64_t start, asked;
};

/*
 * stream.c
 */
struct gaudi_stream {
	LIST_ENTRY(gaudi_stream) link;
	/* capture.c's */
	_Atomic(struct gd_capture *) capture;
	LIST_ENTRY(gaudi_stream) captured;
	struct gd_tails tails;
	uint32_t branch;		/* 0: it began the capture */
	/* Of graphs that were launched on it: their own streams. */
	uint32_t inner_branch, num_inner;

	struct gaudi_device *device;
	uint32_t number;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct gd_point after;		/* what its next work waits for */
	bool open_counted;		/* in the device's open_count */
	atomic_uint batch;		/* how deep */
	struct gd_freed *freed;		/* memory, in its order; pool.c's */
	struct gd_known to, from;	/* what work writes and reads; pool.c's */
	atomic_int error;		/* of another device that it waited for */
	/* Packets that are not submitted yet, for queue @open_q */
	unsigned int open_q;
	struct pkt_buf open;		/* GD_OPEN_SIZE */
	struct gd_range *open_ranges[GD_OPEN_RANGES];
	unsigned int open_range_count;
	/*
	 * Work behind a host function. While there is any, @after, @error and
	 * what is open belong to the thread that runs it.
	 */
	STAILQ_HEAD(gd_stream_ops, gd_op) ops;
	/* Those before, with packets in @open; the thread's. */
	struct gd_stream_ops collected;
	uint64_t last_ticket;		/* of @ops */
	bool has_thread, stop;
	pthread_t thread;
};

/* When an operation, or a submission, ends: do packets stay open? */
static inline void gd_count_open(struct gaudi_stream *stream)
{
	bool open = stream->open.used;

	if (open == stream->open_counted)
		return;
	stream->open_counted = open;
	if (open)
		atomic_fetch_add(&stream->device->open_count, 1);
	else
		atomic_fetch_sub(&stream->device->open_count, 1);
}

static inline int gd_flush(struct gaudi_stream *stream)
{
	return stream->open.used ? gd_flush_open(stream) : 0;
}

/* No deferred work; the stream's lock is held. */
static inline bool gd_stream_idle(const struct gaudi_stream *stream)
{
	return STAILQ_EMPTY(&stream->ops);
}

/* The last ticket of its deferred work, or 0; the same. */
static inline uint64_t gd_stream_ticket(const struct gaudi_stream *stream)
{
	return gd_stream_idle(stream) ? 0 : stream->last_ticket;
}

/* Run @op, now or when its turn comes. */
int gd_stream_do(struct gaudi_stream *stream, const struct gd_op *op);
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

/* The stream's deferred work has run and what it collected is submitted. */
int gd_stream_drain(struct gaudi_stream *stream, struct gd_point *point);
/* A point with all work given to the device so far; waits for deferred work. */
int gd_device_drain(struct gaudi_device *device, struct gd_point *point);
void gd_streams_exit(struct gaudi_device *device);
/*
 * Submit what all streams have collected. *@ticket is the last one of what their
 * threads have yet to submit, or 0.
 */
int gd_flush_all(struct gaudi_device *device, uint64_t *ticket);
/* What was collected has been given to the card, or never will be. */
void gd_stream_collected_done(struct gaudi_stream *stream);
/* Has the card been given all deferred work up to @ticket? */
bool gd_ticket_done(struct gaudi_device *device, uint64_t ticket);
/* The stream of the calls that have none. */
int gd_own_stream(struct gaudi_device *device, struct gaudi_stream **stream);

/*
 * event.c. Who waits for an event waits for the record that was the last one when
 * it was asked to, whatever is recorded later.
 */
struct gd_record {
	atomic_uint refs;
	/* With the device's lock: */
	bool done;			/* the rest says what was recorded */
	bool failed;			/* nothing: the one before stays */
	struct gd_record *before;	/* referenced; until it is done */
	struct gd_point point;
	struct gd_stamp *stamps[GD_QUEUES];
	uint64_t idle_ns;		/* the stream was idle: when */
};

struct gaudi_event {
	LIST_ENTRY(gaudi_event) link;
	/* capture.c's */
	_Atomic(struct gd_capture *) capture;
	LIST_ENTRY(gaudi_event) captured;
	struct gd_tails tails;

	struct gaudi_device *device;
	uint32_t flags;
	atomic_uint refs;		/* the program's, and of deferred ops */
	struct gd_record *last;		/* referenced; with the device's lock */
};

static inline int gd_capture_refuse(struct gaudi_stream *stream,
				    struct gaudi_event *event,
				    const char *what)
{
	/* As it is nearly always. */
	if (!atomic_load(stream ? &stream->capture : &event->capture))
		return 0;

	return gd_capture_refuse_now(stream, event, what);
}

void gd_event_get(struct gaudi_event *event);
void gd_event_put(struct gaudi_event *event);
/*
 * A new record of @event is on its way, referenced for the caller. NULL: no
 * memory.
 */
struct gd_record *gd_event_announce(struct gaudi_event *event);
/* The last one, referenced for the caller; NULL: there is none. */
struct gd_record *gd_event_last(struct gaudi_event *event);
void gd_record_get(struct gd_record *record);
/* NULL is allowed. */
void gd_record_put(struct gd_record *record);
/*
 * It has been run, or, if @point is NULL, it failed. What is stored first stays.
 */
int gd_record_store(struct gaudi_event *event, struct gd_record *record,
		    const struct gd_point *point);
/*
 * Has it been run? Then *@point is what it recorded. NULL is one that recorded
 * nothing.
 */
bool gd_record_load(struct gaudi_event *event, struct gd_record *record,
		    struct gd_point *point);
/* Wait until it has. */
void gd_record_await(struct gaudi_event *event, struct gd_record *record,
		     struct gd_point *point);
void gd_events_exit(struct gaudi_device *device);

/*
 * host.c: pinned ranges
 */
struct gd_range {
	uintptr_t start;
	size_t size;
	uint64_t address;		/* for the card */
	bool ours;			/* gaudi_host_alloc */
	uint64_t number;		/* no other range ever has it */
	/* With the ranges' lock: */
	unsigned int users;		/* calls and deferred ops */
	struct gd_point used;		/* by work */
};

int gd_ranges_init(struct gaudi_device *device);
void gd_ranges_exit(struct gaudi_device *device);
/* The range that holds all of it, held for the caller; NULL: none. */
struct gd_range *gd_range_get(struct gaudi_device *device, const void *memory,
			      size_t size);
void gd_range_get_again(struct gaudi_device *device, struct gd_range *range);
void gd_range_put(struct gaudi_device *device, struct gd_range *range);
/* The range is used until @n of @q has ended. */
void gd_range_use(struct gaudi_device *device, struct gd_range *range,
		  unsigned int q, uint64_t n);
uint64_t gd_range_address(const struct gd_range *range, const void *memory);
/* Host memory of whole huge pages where it is large; NULL with errno. */
void *gd_pages_alloc(size_t size);
void gd_pages_free(void *memory, size_t size);

/*
 * pool.c
 */
int gd_pool_init(struct gaudi_device *device);
void gd_pool_exit(struct gaudi_device *device);
/* 0 if [@address, +@size) lies in one block in use, allocation *@owner. */
int gd_pool_check(struct gaudi_device *device, gaudi_ptr address,
		  uint64_t size, struct gd_known *known, uint64_t *owner);
/* Does @known say that it does? */
static inline bool gd_pool_knows(const struct gaudi_device *device,
				 const struct gd_known *known,
				 gaudi_ptr address, uint64_t size)
{
	unsigned int seq = atomic_load_explicit(&known->seq,
						memory_order_acquire);
	uint64_t frees = atomic_load_explicit(&known->frees,
					      memory_order_acquire);
	uint64_t start = atomic_load_explicit(&known->start,
					      memory_order_acquire);
	uint64_t asked = atomic_load_explicit(&known->asked,
					      memory_order_acquire);

	/* 0: nothing yet. Who reads what is being written sees that it is. */
	return seq && !(seq & 1) &&
	       atomic_load_explicit(&known->seq, memory_order_relaxed) == seq &&
	       atomic_load_explicit(&device->frees,
				    memory_order_acquire) == frees &&
	       address - start < asked && size <= asked - (address - start);
}

/* Without waiting, and given back when no work under way uses it. */
int gd_pool_take(struct gaudi_device *device, uint64_t size,
		 gaudi_ptr *address);
void gd_pool_give(struct gaudi_device *device, gaudi_ptr address);
int gd_pool_add_stream(struct gaudi_stream *stream);
void gd_pool_forget_stream(struct gaudi_stream *stream);

/*
 * copy.c: 0 if the range is in one block in use, or in SRAM. *@owner is the
 * allocation, which no other one ever is, whatever its address; 0: SRAM.
 */
int gd_range_check(struct gaudi_device *device, gaudi_ptr address,
		   uint64_t bytes, uint64_t *owner);
/* Is anything both read and written? At least one row; pitches at least the width. */
bool gd_rect_overlaps(const struct gd_rect *rect);

/*
 * staging.c: copies of host memory that is not pinned. @memory and its pitch
 * stand for the host side of @rect.
 */
int gd_stages_init(struct gaudi_device *device);
void gd_stages_exit(struct gaudi_device *device);
int gd_stage_up(struct gaudi_stream *stream, const struct gd_rect *rect,
		const uint8_t *memory);
int gd_stage_down(struct gaudi_stream *stream, const struct gd_rect *rect,
		  uint8_t *memory);

#endif /* GAUDI_INTERNAL_H */
