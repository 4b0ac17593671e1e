/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Assembler for the TPC: text to instruction words. The syntax is described in
 * Documentation/tpc-assembler.rst.
 */
#ifndef GAUDI_TPC_ASM_H
#define GAUDI_TPC_ASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a launcher must know of a kernel: section .tpc_metadata, version 12. */
struct gaudi_tpc_metadata {
	uint8_t special_functions;	/* 1: LOOKUP* is used; VLM has 16 KB */
	uint8_t printf_used;
	uint8_t lock_unlock;
	uint8_t mmio_used;		/* LD_L, ST_L with mmio */
	uint16_t march;			/* 2: Gaudi 1 */
	uint8_t scalars;		/* parameters in S0, S1 and on */
	uint8_t printf_tensor;
	uint8_t threads;		/* 1 */
	uint8_t direct_mmio;
	uint8_t dnorm;
	uint16_t scalar_loads;		/* bit n: LD_G reads tensor n */
	uint16_t rmw_stores;		/* bit n: tensor n is stored to by RMW */
};

struct gaudi_tpc_label {
	char *name;
	uint32_t offset;		/* bytes from the start of the kernel */
};

struct gaudi_tpc_program {
	uint8_t *code;			/* words * 32 bytes */
	size_t words;
	uint32_t *lines;		/* of the source, of each word */
	struct gaudi_tpc_label *labels;
	size_t label_count;
	struct gaudi_tpc_metadata metadata;
};

/* line and column count from 1; column from 0 if it is the line as a whole. */
typedef void gaudi_tpc_report_fn(void *arg, unsigned int line,
				 unsigned int column, bool warning,
				 const char *text);

/*
 * The number of errors, each reported, or -1 if there is no memory. Of a
 * program with errors nothing is kept. Free the others.
 */
int gaudi_tpc_assemble(const char *source, size_t length,
		       struct gaudi_tpc_program *program,
		       gaudi_tpc_report_fn *report, void *arg);
void gaudi_tpc_program_free(struct gaudi_tpc_program *program);

/* What code tells by itself of special functions, MMIO, and tensors. */
void gaudi_tpc_metadata_of(const uint8_t *code, size_t words,
			   struct gaudi_tpc_metadata *metadata);

#endif /* GAUDI_TPC_ASM_H */
