/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A small machine that runs the engines of a program, to see whether it does what
 * was asked for in whatever order engines and copies happen to take turns. It
 * reads packets by the facts, not by what the library knows of its own.
 */
#ifndef MACHINE_H
#define MACHINE_H

#include "program/program.h"

#define MACHINE_SOBS	2048
#define MACHINE_MONS	512
#define MACHINE_TENSORS	64

struct machine;

/* Memory of buffer b: @memory[b], @sizes[b] bytes, at @addresses[b]. */
struct machine_memory {
	uint32_t num;
	uint8_t **memory;
	const uint64_t *sizes;
	const uint64_t *addresses;
};

/*
 * Run the program on @memory, with turns taken as @seed says. @packets are for @r,
 * whose monitors have their payloads. NULL, or what went wrong. @sobs are MACHINE_SOBS
 * values, as they are and become.
 */
const char *machine_run(const struct program *p,
			const struct prog_resources *r, uint8_t *const *packets,
			const struct machine_memory *memory, uint32_t *sobs,
			uint32_t seed);

struct gaudi_recipe;

/*
 * A recipe, with bound[i] as the memory of tensor i; NULL: it is none that is bound. NULL
 * or what went wrong, also another number of signals, or sync objects that are left.
 */
const char *machine_run_recipe(const struct gaudi_recipe *r,
			       uint8_t *const *bound, uint32_t signals,
			       uint32_t seed);

uint32_t next_random(uint32_t *x);

#endif /* MACHINE_H */
