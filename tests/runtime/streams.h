/* SPDX-License-Identifier: MIT */
/* For programs that use streams of one device, and events. */
#ifndef RUNTIME_STREAMS_H
#define RUNTIME_STREAMS_H

#include "device.h"

static struct gaudi_stream *stream, *second, *third;
static struct gaudi_event *fork_event, *join_event, *other_event;

static inline int set_up_streams(void **state)
{
	int rc = set_up_device(state);

	if (rc)
		return rc;
	GOOD(gaudi_event_create(dev, 0, &fork_event));
	GOOD(gaudi_event_create(dev, 0, &join_event));
	GOOD(gaudi_event_create(dev, GAUDI_EVENT_NO_TIMING, &other_event));
	GOOD(gaudi_stream_create(dev, &stream));
	GOOD(gaudi_stream_create(dev, &second));

	return gaudi_stream_create(dev, &third);
}

#endif /* RUNTIME_STREAMS_H */
