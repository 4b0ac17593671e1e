/* SPDX-License-Identifier: MIT */
/*
 * What a rank calls, as a mark that has to be the same on all ranks. Each rank compares its
 * own with those of the rank before it: if all pairs agree, all do.
 */
#ifndef GAUDI_COLL_MARKS_H
#define GAUDI_COLL_MARKS_H

#include <stdbool.h>
#include <stdint.h>

struct coll_mark {
	uint64_t seq;		/* from 1 on */
	uint64_t count;
	/* COLL_KINDS: sends and receives, of @count bytes; @type 0: in, 1: out, 2: both */
	uint16_t kind, type, op, algorithm;
	uint32_t root, captured;
};

/* In order, the oldest first. */
struct coll_marks {
	struct coll_mark *at;
	uint32_t first, num, max;
};

/* false: no memory */
bool coll_marks_push(struct coll_marks *marks, const struct coll_mark *mark);
/* false: there is none */
bool coll_marks_pop(struct coll_marks *marks, struct coll_mark *mark);
/* "allreduce 5 (1024 float32, sum)", in COLL_MARK_TEXT bytes; comes back. */
#define COLL_MARK_TEXT	96
const char *coll_mark_text(const struct coll_mark *mark, char *text);

#endif /* GAUDI_COLL_MARKS_H */
