/* SPDX-License-Identifier: MIT */
/*
 * What a program has to know to order work of streams by events: which bytes each
 * piece of work reads and writes, and what each stream, each event and the host
 * have heard of. Two worlds use it: streams as they are, and streams in a capture.
 */
#ifndef RUNTIME_ORDER_H
#define RUNTIME_ORDER_H

#include "common.h"

#define STREAMS		6u		/* more than there are hardware streams */
#define EVENTS		8u
#define MAX_ACCESSES	4096u

/* The program's memory, and beside it what must be in it. */
struct buffer {
	size_t size;
	gaudi_ptr address;		/* on the device, else 0 */
	uint8_t *memory;		/* on the host, else NULL */
	uint8_t *model;
};

struct range {
	struct buffer *buffer;
	size_t start, end;
	bool writes;
};

/* How many pieces of work of each stream are known to come before. */
struct knowledge {
	uint32_t of[STREAMS];
};

struct access {
	struct range range;
	uint32_t stream, number;
};

struct order {
	struct knowledge streams[STREAMS], events[EVENTS], host;
	bool recorded[EVENTS];
	struct access accesses[MAX_ACCESSES];
	unsigned int num_accesses;
};

/* The same numbers for the same seed, everywhere. */
static uint64_t random_state;

static inline uint32_t below(uint32_t limit)
{
	random_state = random_state * 6364136223846793005u +
		       1442695040888963407u;

	return (uint32_t)(((random_state >> 32) * limit) >> 32);
}

static inline bool chance(uint32_t of)
{
	return !below(of);
}

static inline void learn(struct knowledge *k, const struct knowledge *more)
{
	for (unsigned int i = 0; i < STREAMS; i++)
		if (k->of[i] < more->of[i])
			k->of[i] = more->of[i];
}

static inline bool ranges_conflict(const struct range *a,
				   const struct range *b)
{
	return a->buffer == b->buffer && (a->writes || b->writes) &&
	       a->start < b->end && b->start < a->end;
}

/* The last piece of work of each stream that @ranges must come after. */
static inline struct knowledge conflicts(const struct order *o,
					 const struct range *ranges,
					 unsigned int count)
{
	struct knowledge k = { 0 };

	for (unsigned int i = 0; i < o->num_accesses; i++) {
		const struct access *a = &o->accesses[i];

		for (unsigned int j = 0; j < count; j++)
			if (ranges_conflict(&a->range, &ranges[j]) &&
			    k.of[a->stream] < a->number)
				k.of[a->stream] = a->number;
	}

	return k;
}

/* The next piece of work of @stream is one that does this. */
static inline void note(struct order *o, uint32_t stream,
			const struct range *ranges, unsigned int count)
{
	uint32_t number = ++o->streams[stream].of[stream];

	for (unsigned int i = 0; i < count; i++) {
		assert_true(o->num_accesses < MAX_ACCESSES);
		o->accesses[o->num_accesses++] = (struct access) {
			.range = ranges[i], .stream = stream, .number = number,
		};
	}
}

/* Forget what the host has seen the end of, and all about @gone. */
static inline void forget(struct order *o, const struct buffer *gone)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < o->num_accesses; i++) {
		struct access *a = &o->accesses[i];

		if (a->range.buffer != gone &&
		    a->number > o->host.of[a->stream])
			o->accesses[kept++] = *a;
	}
	o->num_accesses = kept;
}

static inline void host_learns(struct order *o, const struct knowledge *more)
{
	learn(&o->host, more);
	forget(o, NULL);
}

#endif /* RUNTIME_ORDER_H */
