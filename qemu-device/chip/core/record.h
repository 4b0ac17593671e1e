/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * The flight recorder: a ring of the last things that passed through
 * the card, always on. What an event's fields mean is said at enum
 * gaudi_trace_kind; the file that a ring becomes, in Documentation/record.rst. The
 * topmost room makes the ring, and the file. Lock held, all.
 *
 * Time is a counter of the processor's, since asking a clock takes longer than all
 * the rest. Two readings of both, when the card is made and when the ring is
 * written, tell which moment of the host's clock each is. A card with a model of time
 * has the nanoseconds of that instead.
 */
#ifndef GAUDI_RECORD_H
#define GAUDI_RECORD_H

#include <stdint.h>

#include "../gaudi_chip.h"
#include "actors.h"

/* As in the file. */
struct gaudi_record {
	uint64_t ticks;
	uint64_t addr;
	uint64_t value;
	uint32_t size;
	uint16_t unit;
	uint16_t kind;			/* enum gaudi_trace_kind */
};

struct gaudi_recorder {
	struct gaudi_record *ring;
	uint64_t mask;			/* of a place in the ring */
	uint64_t next;			/* how many there were */
	uint64_t ticks0, ns0;		/* the two clocks at the start */
	struct gaudi_record none;	/* the ring of a card that records nothing */
};

static inline uint64_t gaudi_ticks(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
	return gaudi_real_ns();
#endif
}

static inline void gaudi_record(struct gaudi_recorder *recorder, uint64_t ticks,
				enum gaudi_trace_kind kind, unsigned int unit,
				uint64_t addr, uint64_t value, uint64_t size)
{
	struct gaudi_record *r = &recorder->ring[recorder->next++ &
						 recorder->mask];

	r->ticks = ticks;
	r->addr = addr;
	r->value = value;
	r->size = size < UINT32_MAX ? size : UINT32_MAX;
	r->unit = unit;
	r->kind = kind;
}

#endif /* GAUDI_RECORD_H */
