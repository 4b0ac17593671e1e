/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files of this room: trace and profiling units. */
#ifndef GAUDI_CORESIGHT_H
#define GAUDI_CORESIGHT_H

struct gaudi_ctx;

/* A context goes: nothing of its trace may be written after this. Takes debug_lock. */
void gaudi_debug_leave(struct gaudi_ctx *ctx);

#endif /* GAUDI_CORESIGHT_H */
