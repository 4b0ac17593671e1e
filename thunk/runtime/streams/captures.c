// SPDX-License-Identifier: MIT
/*
 * Who is captured. While a stream is, what it does becomes nodes, which come after the
 * stream's tails: the nodes that the stream, or an event that it waited for, had come
 * to. Events of the capture have tails as well.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "gaudi_graph.h"
#include "captures.h"
#include "work.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Nobody has it when a child is made, which has only the thread that forked. */
static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

static void __attribute__((constructor)) set_up(void)
{
	pthread_atfork(before_fork, after_fork, after_fork);
}

/* --- tails: sets of nodes, in order --- */

void gd_tails_clear(struct gd_tails *tails)
{
	free(tails->at);
	*tails = (struct gd_tails) {};
}

int gd_tails_join(struct gd_tails *tails, const struct gd_tails *others)
{
	uint32_t a = 0, b = 0, num = 0;
	uint32_t *both;

	both = calloc((size_t)tails->num + others->num + 1, sizeof(*both));
	if (!both)
		return gd_no_memory("for a captured graph");
	while (a < tails->num || b < others->num) {
		uint32_t x = a < tails->num ? tails->at[a] : UINT32_MAX;
		uint32_t y = b < others->num ? others->at[b] : UINT32_MAX;

		both[num++] = x < y ? x : y;
		a += x <= y;
		b += y <= x;
	}
	free(tails->at);
	tails->at = both;
	tails->num = num;

	return 0;
}

/* --- captures --- */

int gd_capture_deny(struct gd_capture *c, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(c->why, sizeof(c->why), fmt, args);
	va_end(args);
	c->invalid = true;

	return gd_fail(GAUDI_ERR_CAPTURE, "%s cannot be captured (stream %u)",
		       c->why, c->origin->number);
}

int gd_capture_is_invalid(const struct gd_capture *c)
{
	return gd_fail(GAUDI_ERR_CAPTURE_INVALID,
		       "the capture of stream %u is invalid, since %s cannot be captured",
		       c->origin->number, c->why);
}

static int join(struct gd_capture *c, struct gaudi_stream *stream,
		const struct gd_tails *tails)
{
	int rc = gd_tails_join(&stream->tails, tails);

	if (rc)
		return rc;
	stream->branch = c->num_streams++;
	stream->num_inner = 0;
	LIST_INSERT_HEAD(&c->streams, stream, captured);
	atomic_store(&stream->capture, c);

	return 0;
}

static void leave(struct gaudi_stream *stream)
{
	LIST_REMOVE(stream, captured);
	atomic_store(&stream->capture, NULL);
	gd_tails_clear(&stream->tails);
}

static void drop_event(struct gaudi_event *event)
{
	LIST_REMOVE(event, captured);
	atomic_store(&event->capture, NULL);
	gd_tails_clear(&event->tails);
}

/* Its streams and events are as before. */
static void detach(struct gd_capture *c)
{
	while (!LIST_EMPTY(&c->streams))
		leave(LIST_FIRST(&c->streams));
	while (!LIST_EMPTY(&c->events))
		drop_event(LIST_FIRST(&c->events));
}

int gd_capture_record(struct gd_capture *c, struct gaudi_stream *stream,
		      struct gaudi_event *event)
{
	struct gd_tails now = {};
	int rc = gd_tails_join(&now, &stream->tails);

	if (rc)
		return rc;
	if (event->capture)
		drop_event(event);
	event->tails = now;
	LIST_INSERT_HEAD(&c->events, event, captured);
	atomic_store(&event->capture, c);

	return 0;
}

int gd_capture_op(struct gaudi_stream *stream, const struct gd_op *op)
{
	struct gd_capture *c;
	int rc = 1;

	pthread_mutex_lock(&lock);
	c = atomic_load(&stream->capture);
	if (c && c->invalid)
		rc = gd_capture_is_invalid(c);
	else if (c && op->kind == GD_OP_RECORD)
		rc = gd_capture_record(c, stream, op->event);
	else if (c)
		rc = c->ops->op(c, stream, op);
	pthread_mutex_unlock(&lock);

	return rc;
}

int gd_capture_wait(struct gaudi_stream *stream, struct gaudi_event *event,
		    bool recorded)
{
	struct gd_capture *mine, *its;
	int rc;

	if (!atomic_load(&stream->capture) && !atomic_load(&event->capture))
		return 1;
	pthread_mutex_lock(&lock);
	mine = atomic_load(&stream->capture);
	its = atomic_load(&event->capture);
	if (!mine && !its)
		rc = 1;
	else if (mine && mine->invalid)
		rc = gd_capture_is_invalid(mine);
	else if (its && its->invalid)
		rc = gd_capture_is_invalid(its);
	else if (!its)
		rc = recorded ? gd_capture_deny(mine, "a wait for an event that was recorded outside of the capture") :
				0;
	else if (stream->device != its->origin->device)
		rc = gd_capture_deny(its, "a wait on a stream of another card");
	else if (!mine)
		rc = join(its, stream, &event->tails);
	else if (mine == its)
		rc = gd_tails_join(&stream->tails, &event->tails);
	else {
		gd_capture_deny(its, "a wait on a stream of another capture");
		rc = gd_capture_deny(mine, "a wait for an event of another capture");
	}
	pthread_mutex_unlock(&lock);

	return rc;
}

static struct gd_capture *capture_of(struct gaudi_stream *stream,
				     struct gaudi_event *event)
{
	return atomic_load(stream ? &stream->capture : &event->capture);
}

int gd_capture_refuse_now(struct gaudi_stream *stream,
			  struct gaudi_event *event, const char *what)
{
	struct gd_capture *c;
	int rc = 0;

	pthread_mutex_lock(&lock);
	c = capture_of(stream, event);
	if (c)
		rc = c->invalid ? gd_capture_is_invalid(c) : gd_capture_deny(c, "%s", what);
	pthread_mutex_unlock(&lock);

	return rc;
}

void gd_capture_forget_event(struct gaudi_event *event)
{
	if (!atomic_load(&event->capture))
		return;
	pthread_mutex_lock(&lock);
	if (atomic_load(&event->capture))
		drop_event(event);
	pthread_mutex_unlock(&lock);
}

void gd_capture_forget_stream(struct gaudi_stream *stream)
{
	struct gd_error_state state;
	struct gd_capture *c;

	pthread_mutex_lock(&lock);
	c = atomic_load(&stream->capture);
	if (c && c->origin == stream) {
		detach(c);
		c->ops->free(c);
	} else if (c) {
		gd_error_save(&state);
		if (!c->invalid)
			gd_capture_deny(c, "the end of a stream that has joined");
		gd_error_restore(&state);
		leave(stream);
	}
	pthread_mutex_unlock(&lock);
}

int gaudi_stream_is_capturing(struct gaudi_stream *stream, bool *capturing)
{
	int rc = gd_stream_check(stream);

	if (rc)
		return rc;
	if (!capturing)
		return gd_fail(-EINVAL, "gaudi_stream_is_capturing: capturing is NULL");
	*capturing = atomic_load(&stream->capture) != NULL;

	return 0;
}

int gd_capture_begin(struct gd_capture *c, struct gaudi_stream *stream)
{
	const struct gd_tails none = {};
	int rc = 0;

	/* What is open was given before. */
	pthread_mutex_lock(&stream->lock);
	if (gd_stream_idle(stream))
		rc = gd_flush(stream);
	pthread_mutex_unlock(&stream->lock);
	if (rc)
		return rc;
	c->origin = stream;
	LIST_INIT(&c->streams);
	LIST_INIT(&c->events);
	pthread_mutex_lock(&lock);
	if (atomic_load(&stream->capture))
		rc = gd_fail(-EINVAL, "stream %u is captured already",
			     stream->number);
	else
		rc = join(c, stream, &none);
	pthread_mutex_unlock(&lock);

	return rc;
}

/* With the lock: the capture that @stream began. */
static int take_out(struct gaudi_stream *stream, struct gd_capture **out)
{
	struct gd_capture *c = atomic_load(&stream->capture);

	if (!c)
		return gd_fail(-EINVAL, "stream %u is not captured",
			       stream->number);
	if (c->origin != stream)
		return gd_fail(-EINVAL, "stream %u has joined the capture of stream %u, which ends it",
			       stream->number, c->origin->number);
	c->ends = stream->tails;
	stream->tails = (struct gd_tails) {};
	detach(c);
	*out = c;

	return 0;
}

int gd_capture_end(struct gaudi_stream *stream, struct gd_capture **c)
{
	int rc;

	pthread_mutex_lock(&lock);
	rc = take_out(stream, c);
	pthread_mutex_unlock(&lock);

	return rc;
}
