/* SPDX-License-Identifier: MIT */
/*
 * Captures: which streams and events belong to one, and in what order its nodes come.
 * What a node is, only the room that begins captures knows. One lock for all captures of the
 * process, as an event of one card may be waited for on another one. It is taken
 * before a device's lock and held for moments; for a graph that becomes a part, as
 * long as copying its nodes takes.
 */
#ifndef GAUDI_RUNTIME_CAPTURES_H
#define GAUDI_RUNTIME_CAPTURES_H

#include "streams.h"

struct gd_capture_ops {
	/*
	 * An operation of a stream, copy, fill, launch, work of links or host function,
	 * becomes nodes, which come after the stream's tails. With the lock.
	 */
	int (*op)(struct gd_capture *c, struct gaudi_stream *stream,
		  const struct gd_op *op);
	/* With the lock. */
	void (*free)(struct gd_capture *c);
};

struct gd_capture {
	const struct gd_capture_ops *ops;
	struct gaudi_stream *origin;
	bool invalid;
	char why[200];
	LIST_HEAD(, gaudi_stream) streams;
	LIST_HEAD(, gaudi_event) events;
	uint32_t num_streams;		/* that ever joined, and of graphs */
	/* When it has ended: the nodes after which no other comes. */
	struct gd_tails ends;
};

/* From now on @stream is captured; @c has its ops. */
int gd_capture_begin(struct gd_capture *c, struct gaudi_stream *stream);
/* The capture that @stream began ends, and is the caller's. */
int gd_capture_end(struct gaudi_stream *stream, struct gd_capture **c);
/* GAUDI_ERR_CAPTURE: this cannot be captured, and the capture is invalid. */
int gd_capture_deny(struct gd_capture *c, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* GAUDI_ERR_CAPTURE_INVALID, since it is. */
int gd_capture_is_invalid(const struct gd_capture *c);
/* With the lock: @event is recorded, at the tails of @stream. */
int gd_capture_record(struct gd_capture *c, struct gaudi_stream *stream,
		      struct gaudi_event *event);

/* Sets of nodes, in order. */
void gd_tails_clear(struct gd_tails *tails);
/* @tails and @others become @tails; what fails leaves it as it was. */
int gd_tails_join(struct gd_tails *tails, const struct gd_tails *others);

#endif /* GAUDI_RUNTIME_CAPTURES_H */
