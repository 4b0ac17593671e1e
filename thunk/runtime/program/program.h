/* SPDX-License-Identifier: MIT */
/*
 * Programs: work of many nodes as streams of packets for many engines, with
 * addresses, sync objects, monitors and fence counters left open.
 *
 * A draft takes nodes in an order in which they could run one after the other;
 * edges lead from earlier to later nodes. prog_draft_finish() makes a program of
 * it. Nothing in a program is ever written again: a launch copies the streams
 * to where the card reads them and fills in the copy.
 *
 * How the engines keep order (see libgaudi.rst, "Programs"):
 *
 *  - A program that uses more engines than PROG_LAST has sync objects. All are 0
 *    before it and after it.
 *  - PROG_LAST begins: it signals once, and every other engine begins with a wait
 *    for this. So what PROG_LAST waits for before, all wait for.
 *  - A node that others wait for ends with a signal: its engine's sync object
 *    grows by one when the engine is idle. A wait is a monitor that adds one
 *    to the engine's own fence counter, and a FENCE that takes it off again.
 *  - An internal queue's upper command processor cannot copy, and its lower one,
 *    which can, serves all four hardware streams and so must never wait. So
 *    waits stand in the upper part of a stream, all else in the lower part, and
 *    the upper part hands over runs of the lower part (CP_DMA), one after the
 *    other. External queues have no lower part.
 *  - PROG_LAST waits for the last signal of each other engine, and sets all sync
 *    objects to 0. What follows on its queue comes after the program, if it
 *    has the engine's and the message barrier.
 *
 * Beside this the room offers what stands in a program (program_item.h) and what a
 * launch of an engine is (program_launch.h). It has no locks: a draft is its maker's.
 */
#ifndef GAUDI_RUNTIME_PROGRAM_H
#define GAUDI_RUNTIME_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers of the file format: never changed, only added to. */
enum prog_engine {
	PROG_TO_DEVICE,		/* DMA_0 */
	PROG_TO_HOST,		/* DMA_1 */
	PROG_DMA_2,
	PROG_DMA_3,
	PROG_DMA_4,
	PROG_DMA_6,
	PROG_DMA_7,
	PROG_MME_0,
	PROG_MME_1,
	PROG_TPC_0,
	PROG_TPC_7 = PROG_TPC_0 + 7,
	PROG_NUM_ENGINES,
	PROG_LAST = PROG_TO_HOST,	/* the driver sees it ending */
};

/* Engines that move data within the device: PROG_DMA_2 and those after it. */
#define PROG_NUM_INNER		5
/* Engines with internal queues: these, and what computes. */
#define PROG_NUM_INTERNAL	(PROG_NUM_ENGINES - PROG_DMA_2)
#define PROG_NUM_TPC		8

#define PROG_SOB_MAX		32767u		/* a sync object's last value */
#define PROG_MAX_SOBS		256u
#define PROG_MAX_STREAM		(256u << 20)	/* bytes of packets */
#define PROG_MAX_DMA		(1u << 30)	/* bytes of one packet's copy */
#define PROG_ADDRESS_END	(1ull << 56)

struct prog_engine_info {
	const char *name;
	uint32_t queue;		/* the uAPI's number of its stream 0 */
	bool external;		/* buffers of the driver's; no lower part */
};

/* NULL if there is no such engine. */
const struct prog_engine_info *prog_engine_info(uint32_t engine);

/* What is open in a packet. Numbers of the file format. */
enum prog_patch_kind {
	PROG_PATCH_SRC = 1,	/* LIN_DMA: address in a buffer */
	PROG_PATCH_DST,		/* the same */
	PROG_PATCH_SIGNAL,	/* MSG_SHORT: add one to a sync object */
	PROG_PATCH_RESET,	/* MSG_SHORT: set a sync object to 0 */
	PROG_PATCH_WAIT,	/* monitor and fence, PROG_WAIT_SIZE bytes */
	PROG_PATCH_EVENT,	/* MSG_SHORT: add one to somebody else's */
	PROG_PATCH_RUN,		/* CP_DMA: address of a part of the lower part */
	/* Of launches, PROG_LAUNCH_*: the object is the slot. */
	PROG_PATCH_READ,	/* address in a buffer that is read */
	PROG_PATCH_WRITE,	/* ... written, or both */
	PROG_PATCH_CODE,	/* address of a kernel in a buffer */
	PROG_PATCH_DONE,	/* sync object of the program, to add 0 to */
	PROG_NUM_PATCH_KINDS,
};

#define PROG_WAIT_SIZE		40u

struct prog_patch {
	uint32_t offset;	/* of the packet; of a launch, the first */
	uint16_t kind;
	uint16_t object;	/* sync object of the program, event, or slot */
	uint32_t buffer;	/* SRC, DST, READ, WRITE, CODE */
	uint64_t addend;	/* the same: offset within; RUN: in the stream */
};

struct prog_stream {
	uint32_t engine;
	uint32_t size;
	uint32_t upper;		/* of these, what is submitted */
	uint8_t *packets;	/* upper part, lower part; open fields are 0 */
	uint32_t num_patches;
	struct prog_patch *patches;	/* by offset, then kind */
};

/* One patch that depends on a buffer. */
struct prog_ref {
	uint32_t stream;	/* index into streams */
	uint32_t patch;
};

struct program {
	uint32_t num_streams;	/* by engine; PROG_LAST is always there */
	struct prog_stream streams[PROG_NUM_ENGINES];
	uint32_t num_sobs;
	uint32_t num_events;
	uint32_t num_buffers;
	/* Buffer b: refs[first_ref[b]] up to refs[first_ref[b + 1]]. */
	uint32_t *first_ref;
	struct prog_ref *refs;
};

void program_free(struct program *p);
/* Fill in first_ref and refs; the patches' buffers are in range. */
int program_index(struct program *p);

/* What a check must know of a buffer. */
struct prog_buffer {
	const char *name;
	uint64_t size;
	bool writable;
};

/*
 * Check a program: only known packets, whole ones, with exactly
 * the open fields that they must have; copies stay within their buffers and
 * write only what may be written; each sync object is signalled by one engine, gets
 * to what is waited for, and is set to 0 at the end. That no streams wait for each
 * other is not checked. @buffers has num_buffers. The program's arrays
 * are as long as it says and num_streams is at most PROG_NUM_ENGINES; nothing
 * else is taken for granted.
 */
int program_check(const struct program *p, const struct prog_buffer *buffers);

/*
 * Launching (program_apply.c)
 */

/* What an instance of a program holds, for as long as it runs. */
struct prog_resources {
	uint32_t hw_stream;	/* 0..3, the same on all engines */
	const uint32_t *sobs;	/* num_sobs numbers in E_N */
	const uint32_t *events;	/* num_events numbers in E_N */
	uint64_t addresses[PROG_NUM_ENGINES];	/* of the copy, if not external */
	/*
	 * By the program's streams: a fence counter, and a monitor of E_N whose payload is
	 * already to add one to this counter of the stream's queue.
	 */
	uint32_t monitors[PROG_NUM_ENGINES];
	uint32_t fences[PROG_NUM_ENGINES];
};

/*
 * Copy stream @stream to @packets, which has its size, and fill in everything
 * but addresses.
 */
int program_instantiate(const struct program *p, uint32_t stream,
			const struct prog_resources *resources, void *packets);
/*
 * Fill in the address of one buffer, in all streams. @packets has an entry for
 * each stream. Any number of times, as the buffer moves.
 */
int program_bind(const struct program *p, uint32_t buffer, uint64_t address,
		 void *const *packets);
/* Other sync objects and events for a copy that has some; its addresses stay. */
void program_bind_objects(const struct program *p, uint32_t stream,
			  const struct prog_resources *resources, void *packets);
/*
 * The end of the longest piece of whole packets of the upper part that begins at
 * @from and has at most @max bytes: command buffers of the driver are limited. At least one
 * wait (PROG_WAIT_SIZE) must fit.
 */
uint32_t program_split(const struct program *p, uint32_t stream, uint32_t from,
		       uint32_t max);

/*
 * Drafts (draft.c)
 */
struct prog_draft;

/* A place in a buffer. */
struct prog_place {
	uint32_t buffer;
	uint64_t offset;
};

int prog_draft_create(uint32_t num_buffers, uint32_t num_events,
		      struct prog_draft **draft);
void prog_draft_destroy(struct prog_draft *d);
/* The work that follows belongs to a new node; nodes are numbered from 0. */
int prog_draft_node(struct prog_draft *d, uint32_t engine, uint32_t *node);
/* Any size; split into packets. */
int prog_draft_copy(struct prog_draft *d, struct prog_place to,
		    struct prog_place from, uint64_t size);
/* The 64-bit @pattern again and again. */
int prog_draft_fill(struct prog_draft *d, struct prog_place to,
		    uint64_t pattern, uint64_t size);
int prog_draft_event(struct prog_draft *d, uint32_t event);
/* A launch of a matrix engine or a kernel (program_launch.h); it is copied. */
struct prog_launch;
int prog_draft_launch(struct prog_draft *d, const struct prog_launch *launch);
/*
 * @then begins after @first has ended. Nodes of one engine begin in the order in which
 * they were added, and may run at the same time. So an edge counts for more than its
 * two nodes: what was added to the engine of @then later waits for @first as well, and
 * @then waits for all that was added to the engine of @first earlier.
 */
int prog_draft_edge(struct prog_draft *d, uint32_t first, uint32_t then);
/*
 * In how many parts, for engines side by side, work within the device is worth
 * dividing, and the multiple of bytes at which a part had better begin.
 */
#define PROG_MAX_PARTS	(PROG_NUM_INNER + 1u)
#define PROG_PART_ALIGN	128u
uint32_t prog_count_parts(uint64_t bytes);
/*
 * All work of @p, which was checked, as nodes on the same engines; its buffer b is
 * @first_buffer + b of the draft's. It comes after the nodes @after; what comes
 * after all @ends comes after all of it. It signals no events (draft_join.c).
 */
struct prog_ends {
	uint32_t num;
	uint32_t at[PROG_NUM_ENGINES];
};

int prog_draft_program(struct prog_draft *d, const struct program *p,
		       uint32_t first_buffer, const uint32_t *after,
		       uint32_t num_after, struct prog_ends *ends);
/*
 * About how long a program that was checked takes, on one engine: in bytes that
 * are copied, or numbers that are multiplied, in whole tiles.
 */
int program_cost(const struct program *p, uint64_t *cost);
/*
 * The same work as programs to be run one after the other, each of which costs
 * not much more than @most, unless one packet does. All have the buffers and events
 * of @p; an event may be signalled in several. *@segments are the caller's.
 */
int program_cut(const struct program *p, uint64_t most, struct program **segments,
		uint32_t *num);
/* The draft stays as it is. */
int prog_draft_finish(const struct prog_draft *d, struct program *p);

#endif /* GAUDI_RUNTIME_PROGRAM_H */
