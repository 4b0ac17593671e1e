/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* For memory.c: what a reset leaves is given back to the host in a thread. */
#ifndef GAUDI_RECLAIM_H
#define GAUDI_RECLAIM_H

#include <stddef.h>
#include <stdint.h>

struct gaudi_reclaim;

/* Gives back mappings and files in a thread; NULL: no memory. */
struct gaudi_reclaim *gaudi_reclaim_new(uint64_t limit);
/* The owner goes; what it has added is still given back. NULL is fine. */
void gaudi_reclaim_put(struct gaudi_reclaim *r);
/* Takes a mapping, if size is not 0, and a file that hold about so many bytes. */
void gaudi_reclaim_add(struct gaudi_reclaim *r, void *ptr, size_t size, int fd,
		       uint64_t bytes);
/*
 * Until no more than the limit is to be given back with so many bytes more, and few
 * pieces. A thread that gives back must need none of the caller's locks.
 */
void gaudi_reclaim_wait(struct gaudi_reclaim *r, uint64_t bytes);

#endif /* GAUDI_RECLAIM_H */
