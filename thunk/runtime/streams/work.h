/* SPDX-License-Identifier: MIT */
/* What the files of the room share. */
#ifndef GAUDI_RUNTIME_WORK_H
#define GAUDI_RUNTIME_WORK_H

#include "streams.h"

/* Names of a stream's thread, which gaudi-why knows: always, and within a host function. */
#define GD_THREAD		"gaudi-stream"
#define GD_THREAD_IN_CALL	"gaudi-host-fn"

/* Sets the fields of all kinds; the others are for their own kinds to set. */
static inline void gd_op_init(struct gd_op *op, enum gd_op_kind kind,
			      bool down)
{
	op->kind = kind;
	op->down = down;
	op->only_order = false;
	op->rect = (struct gd_rect) {};
	op->range = NULL;
	op->event = NULL;
	op->record = NULL;
	op->job = NULL;
}

/* --- stream.c, work.c --- */

/*
 * Do @op on @stream now. The caller has the stream's lock, or is its thread
 * while there are deferred ops. Only there may @op have to wait.
 */
int gd_op_run(struct gaudi_stream *stream, const struct gd_op *op);
/* Drop the stream's open packets, which will not be submitted. */
void gd_drop_open(struct gaudi_stream *stream);
/* The open packets have been submitted, or dropped: their deferred work ends. */
void gd_stream_collected_done(struct gaudi_stream *stream);
/* The stream's deferred work has run and what it collected is submitted. */
int gd_stream_drain(struct gaudi_stream *stream, struct gd_point *point);

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

/* --- event.c --- */

void gd_record_get(struct gd_record *record);
/* The one that counts; NULL: nothing was recorded. With the device's lock. */
struct gd_record *gd_record_effective(struct gd_record *record);
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

/* --- fate.c --- */

/* What it does next has failed: its calls return @error, unless they do already. */
void gd_stream_fail(struct gaudi_stream *stream, int error, const char *why);
int gd_fate_begin(struct gaudi_stream *stream);
/* Its work has ended. */
void gd_fate_end(struct gaudi_stream *stream);
/* Nothing of it is under way: it has not failed any more; its records stay as they are. */
int gd_fate_renew(struct gaudi_stream *stream);
/* The stream goes on behind @record, which has been run. A failure of that is its own. */
int gd_fate_await(struct gaudi_stream *stream, struct gaudi_event *event,
		  struct gd_record *record);
/* The failure of what was recorded, with a message. */
int gd_record_check(struct gaudi_event *event, struct gd_record *record);

/* --- captures.c --- */

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

static inline int gd_capture_refuse(struct gaudi_stream *stream,
				    struct gaudi_event *event,
				    const char *what)
{
	/* As it is nearly always. */
	if (!atomic_load(stream ? &stream->capture : &event->capture))
		return 0;

	return gd_capture_refuse_now(stream, event, what);
}

/* The stream is destroyed. */
void gd_capture_forget_stream(struct gaudi_stream *stream);

/* --- staging.c --- */

/*
 * Copies of host memory that is not pinned. @memory and its pitch
 * stand for the host side of @rect.
 */
int gd_stages_init(struct gaudi_device *device);
void gd_stages_exit(struct gaudi_device *device);
int gd_stage_up(struct gaudi_stream *stream, const struct gd_rect *rect,
		const uint8_t *memory);
int gd_stage_down(struct gaudi_stream *stream, const struct gd_rect *rect,
		  uint8_t *memory);

#endif /* GAUDI_RUNTIME_WORK_H */
