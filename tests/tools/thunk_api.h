/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parts of the program share. */
#ifndef THUNK_API_H
#define THUNK_API_H

#include <hlthunk.h>

#include "../unit/unit.h"
#include "packets.h"

#define SECOND	1000000ull
#define CB	4096u
#define HBM	0x20000000ull

extern int fd;			/* the card's */

struct cb {
	uint64_t handle;
	void *mem;
	struct pkt_buf pb;
};

void cb_get(struct cb *cb);
void cb_put(struct cb *cb);
int try_submit(const struct cb *cb, unsigned int queue, uint32_t flags,
	       uint64_t *seq);
uint64_t submit(const struct cb *cb, unsigned int queue);
uint32_t wait_for(uint64_t seq, uint64_t us);
void done(uint64_t seq);

#endif /* THUNK_API_H */
