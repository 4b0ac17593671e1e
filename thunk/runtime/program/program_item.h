/* SPDX-License-Identifier: MIT */
/*
 * The packets of a program, one item after the other. Writer, check,
 * disassembler and tests know what an item looks like from here.
 */
#ifndef GAUDI_RUNTIME_PROGRAM_ITEM_H
#define GAUDI_RUNTIME_PROGRAM_ITEM_H

#include "packets.h"
#include "program.h"
#include "program_launch.h"

enum prog_item_kind {
	PROG_ITEM_NOP,
	PROG_ITEM_COPY,
	PROG_ITEM_FILL,
	PROG_ITEM_SIGNAL,
	PROG_ITEM_RESET,
	PROG_ITEM_WAIT,
	PROG_ITEM_EVENT,
	PROG_ITEM_MME,		/* a descriptor for a pair of matrix engines */
	PROG_ITEM_TPC,		/* a kernel for a TPC */
	PROG_ITEM_RUN,		/* what is next in the lower part, up to size */
};

struct prog_item {
	enum prog_item_kind kind;
	uint32_t offset;
	uint32_t length;	/* bytes of packets */
	bool barrier;		/* COPY, FILL: begins when the engine is idle */
	uint32_t size;		/* COPY, FILL, RUN */
	uint32_t value;		/* WAIT: for at least this */
	uint64_t pattern;	/* FILL */
	const struct prog_patch *src;	/* COPY */
	const struct prog_patch *dst;	/* COPY, FILL */
	const struct prog_patch *object;	/* the others but NOP, MME, TPC */
	const struct prog_patch *refs;	/* MME, TPC: by kind, then slot */
	uint32_t num_refs;
	struct prog_form form;	/* MME, TPC */
};

struct prog_position {
	uint32_t offset;
	uint32_t patch;
};

/* Where an iteration stands; begin with zeros. */
struct prog_cursor {
	struct prog_position upper;
	struct prog_position lower;
	uint32_t run_end;	/* of the lower part; 0: not begun */
};

/*
 * The next item, in the order in which they begin: those of a run come behind
 * it. 1 if there is one, 0 at the end, GAUDI_ERR_RECIPE if what
 * stands there is not exactly a packet that a program may have, with its
 * patches. Buffers, objects and addends are not looked at.
 */
int prog_item_next(const struct prog_stream *s, struct prog_cursor *cursor,
		   struct prog_item *item);

/* The packets of items, as they stand in a program. */
void prog_put_copy(struct pkt_buf *pb, uint32_t size, bool barrier);
void prog_put_fill(struct pkt_buf *pb, uint64_t pattern, uint32_t size,
		   bool barrier);
void prog_put_signal(struct pkt_buf *pb);
void prog_put_reset(struct pkt_buf *pb);
void prog_put_wait(struct pkt_buf *pb, uint32_t value);
void prog_put_run(struct pkt_buf *pb, uint32_t size);

#endif /* GAUDI_RUNTIME_PROGRAM_ITEM_H */
