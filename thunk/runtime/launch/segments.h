/* SPDX-License-Identifier: MIT */
/* What the files of the room share: how a launch is run. */
#ifndef GAUDI_RUNTIME_SEGMENTS_H
#define GAUDI_RUNTIME_SEGMENTS_H

#include "launch.h"

int gd_segments_run(struct gaudi_stream *stream, struct gd_launch *launch,
		    struct gd_segments *segments, uint32_t hw_stream);
/* A program of the launch, and its records of @watched events with their signals. */
int gd_launch_step(struct gaudi_stream *stream, struct gd_launch *launch,
		   struct gd_runner *runner, const bool *watched,
		   uint32_t hw_stream);

#endif /* GAUDI_RUNTIME_SEGMENTS_H */
