/* SPDX-License-Identifier: MIT */
/* Entries of a link's queues, as the card reads them. Nothing here knows a device. */
#ifndef GAUDI_RUNTIME_WQE_H
#define GAUDI_RUNTIME_WQE_H

#include <stdint.h>

#include "hw/regs/gaudi_nic_regs.h"

#define GD_WQE_MAX_ADDRESS	((1ull << 50) - 1)

/* What a write has behind its data. */
struct gd_notify {
	uint32_t sob;		/* register, as in struct gaudi_link_address; 0: nothing */
	uint32_t value;
};

/* The register of sync object @sob of E_N, for entries. */
uint32_t gd_sob_register(uint32_t sob);
/* Rows of an entry: some hundred packets, so that not much is sent again. */
#define GD_WQE_ROWS		64u

/*
 * How many entries a write of @rows of @bytes each is, with @most bytes of a row in each; a
 * notification alone is one.
 */
uint64_t gd_wqe_count(uint64_t bytes, uint32_t rows, uint32_t most);
/*
 * Entry @i of a write's, of @count of them. The last one has @notify, which may be NULL,
 * and asks for an answer; so do some before it, so that not all is sent again when
 * something is lost.
 */
struct gd_write {
	uint64_t from, to;
	uint64_t bytes;			/* of a row */
	uint32_t rows;			/* 1: it has no steps */
	/* From row to row; one of them is @bytes. */
	uint64_t from_step, to_step;
	uint64_t count;
	uint32_t most;
};

void gd_wqe_write(uint32_t wqe[NIC_WQE_WORDS], const struct gd_write *write,
		  uint64_t i, const struct gd_notify *notify);
/* What the card does here when an entry is done: set a sync object to 1; 0: nothing. */
void gd_wqe_receive(uint32_t wqe[2], uint32_t sob);

#endif /* GAUDI_RUNTIME_WQE_H */
