/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The uAPI's fuzzer: programs of calls (fuzz.c), what a call does (calls.c), what is in
 * command buffers (packets.c), and which code has been reached (cover.c).
 */
#ifndef UAPI_FUZZ_H
#define UAPI_FUZZ_H

#include <stdbool.h>
#include <stdint.h>

#define NUM_WORDS	10

enum kind {
	K_INFO, K_CB, K_CS, K_WAIT, K_MEMORY, K_DEBUG, K_QUERY, K_SYNC_CS,
	K_IMPORT, K_MMAP, K_PACKETS, K_NIC, K_FILE, NUM_KINDS
};

/* What a word of a call becomes. */
enum how { H_RAW, H_SMALL, H_VALUE, H_POINTER, H_SIZE, H_EDGE, NUM_HOW };

struct call {
	uint8_t kind;
	uint8_t file;			/* which of the files, mostly the first */
	uint8_t how[NUM_WORDS];
	uint64_t word[NUM_WORDS];
};

/* What calls have returned, by what it is good for. */
enum value {
	V_ANY, V_CB, V_VA, V_PACKETS, V_HBM, V_SEQ, V_SIGNAL, V_SYNC, V_FD, NUM_VALUES
};

/*
 * Memory that calls may read and write. What begins at PACKETS_AT is also mapped to cards,
 * and has packets.
 */
#define ARENA_SIZE	(1 << 20)
#define PACKETS_AT	(ARENA_SIZE / 2)

extern uint8_t *arena;

/* --- calls.c --- */

#define NUM_FILES	4

/* Cards 0 to this, less one, are there to be opened. */
extern unsigned int num_cards;
/* Slot 0 is the first card's. -1: not open. */
extern int files[NUM_FILES];

/* A value of this kind becomes one of those that words may be. */
void learn(enum value what, uint64_t value);
uint64_t learned(enum value what, uint64_t which);
void forget_values(void);
/* For what value the word is, if it is for one. */
enum value word_is_for(enum kind kind, unsigned int word);
/* Makes a call: what it has returned, or -errno. */
int run_call(const struct call *c);
void close_files(void);

/* --- packets.c --- */

/*
 * External queues have buffers that the driver checks, with DMA. Internal ones' say where there
 * are buffers for the lower command processor, which are all this long, and have DMA if the
 * engine is for it.
 */
enum queue_kind { Q_EXTERNAL, Q_UPPER_DMA, Q_UPPER, Q_LOWER_DMA, Q_LOWER };

#define LOWER_BYTES	512
/* Which kind a page of packets in the arena is. */
#define KIND_OF_PAGE(n)	((enum queue_kind)(1 + (n) % 4))
#define NUM_PAGES	16

/*
 * Packets into @size bytes at @at, made of @seed, for such a queue. Most lists are done to the
 * end; others do what they may not, and some have bits that are wrong. Returns the bytes used.
 */
uint32_t make_packets(void *at, uint32_t size, uint64_t seed, enum queue_kind kind);

/* --- cover.c --- */

/*
 * Code that has been reached, by its address modulo this: KCOV's in a guest, or that of a
 * libgaudi-sim.so.0 built with COVER=1.
 */
#define NUM_PLACES	(1u << 23)

struct places {
	uint8_t seen[NUM_PLACES];
	uint32_t num;
};

/* In memory that processes share. False: there is none. */
bool cover_init(void);
/* For this process. False: KCOV is not to be had. */
bool cover_start(void);
/* What runs until cover_end() is looked at; that returns whether some of it is new. */
void cover_begin(void);
bool cover_end(void);
uint32_t cover_num(void);
/* The descriptor that a process must not close, or -1. */
int cover_fd(void);
/* Writes the places of the library, as offsets in its file, a line each. */
int cover_save(const char *path);

#endif /* UAPI_FUZZ_H */
