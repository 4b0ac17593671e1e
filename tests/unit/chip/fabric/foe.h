/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A process at the other end of a wire that keeps to no rule. What it says, and what
 * is where in the shared memory, is written here by hand.
 */
#ifndef TEST_FOE_H
#define TEST_FOE_H

#include <sys/types.h>

#include "boxes.h"

/* Of two that call each other, the lower number has called. */
#define FOE		0u
#define VICTIM		1u
#define RING_BYTES		(1u << 20)
#define MEMORY		(4096u + 2 * RING_BYTES)
/* Of side 0, who has called, and side 1. */
#define STATE(side)	((side) * 64u)
#define WRITTEN(side)	(128u + (side) * 256u)
#define READ(side)	(WRITTEN(side) + 64u)
#define STARVED(side)	(WRITTEN(side) + 128u)
#define ASLEEP(side)	(WRITTEN(side) + 192u)
#define DATA(side)	(4096u + (side) * RING_BYTES)

enum { HELLO = 1, WELCOME, REFUSED };

struct words {
	char magic[8];
	uint32_t version, what;
	uint64_t life;
	uint8_t from[4], to[4];		/* box, module, port */
	uint32_t ring_bytes, unused;
};

/* The head of a record. */
struct head {
	uint32_t len, zero;
	uint8_t opcode, ack_req, unused[2];
	uint32_t dst_qp, psn, rkey;
	uint64_t va;
	uint32_t dma_len, imm, aeth, damage;
	uint32_t from, to;
	uint64_t rest;
};

struct foe {
	const char *name;
	unsigned int box;
	int listener;		/* has the box's name */
	int sock;		/* -1: not joined */
	uint8_t *mem;
	uint64_t written;	/* ours */
};

void foe_begin(struct foe *foe, const char *name, unsigned int box);
void foe_end(struct foe *foe);
/* A connection to the victim. */
int foe_dial(struct foe *foe);
/* What an honest box would say of port 1. */
struct words foe_words(struct foe *foe);
void foe_say(int sock, const void *what, size_t len, const int *fd,
	     unsigned int fds);
/* The answer: WELCOME, REFUSED, or 0: it has hung up. */
int foe_answer(int sock);
/* A memfd as it should be. */
int foe_memory(void);
/* As an honest one: true, it is joined, and says that it is on. */
bool foe_join(struct foe *foe);
void foe_leave(struct foe *foe);
/* Has the other side cut the wire? Bytes that wake are taken. */
bool foe_is_cut(struct foe *foe);
void foe_wake(struct foe *foe);

static inline uint64_t foe_get(struct foe *foe, uint32_t at)
{
	return __atomic_load_n((uint64_t *)(void *)(foe->mem + at),
			       __ATOMIC_SEQ_CST);
}

static inline void foe_set(struct foe *foe, uint32_t at, uint64_t value)
{
	__atomic_store_n((uint64_t *)(void *)(foe->mem + at), value,
			 __ATOMIC_SEQ_CST);
}

/* A record behind the others, with epochs as they should be; not told yet. */
void foe_put(struct foe *foe, struct head head, uint8_t fill);

#endif /* TEST_FOE_H */
