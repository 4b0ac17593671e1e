/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between the files of the queue manager:
 *
 *   qman.c       streams: PQ and CQ fetchers, fences, who runs when
 *   qman_regs.c  registers: the table of them, status, reset
 *   qman_err.c   errors: which unit stops, what is told to the CPU
 *   cp.c arb.c   packets; the arbiter
 *
 * All functions: lock held.
 */
#ifndef GAUDI_CHIP_QMAN_H
#define GAUDI_CHIP_QMAN_H

#include "../core/internal.h"
#include "../../../uapi/hw/regs/gaudi_qman_regs.h"

/* The lower command processor. */
#define GAUDI_QM_LOWER		GAUDI_NUM_STREAMS

/* Bits of the units in CFG0, CFG1, PROT and STS0. */
#define GAUDI_QM_PQF(n)		(1u << (n))
#define GAUDI_QM_CQF(n)		(1u << (4 + (n)))
#define GAUDI_QM_CP(n)		(1u << (9 + (n)))
#define GAUDI_QM_UNITS		0x3fffu
/* The upper half of the same registers: flush, stop on error, is stopped. */
#define GAUDI_QM_HIGH_SHIFT	16

/*
 * Cycles of a QMAN's clock in nanoseconds. The driver calls 0xEE6B27FF of them
 * eight seconds: 500 MHz.
 */
#define GAUDI_QM_CYCLES_NS(n)	(2 * (uint64_t)(n))

/* PI and CI count modulo twice the queue. */
static inline uint32_t gaudi_pq_mask(const struct gaudi_cp *cp)
{
	return (2u << cp->pq_size) - 1;
}

/* Entries that the PQ fetcher will take: there are some and it is enabled. */
static inline bool gaudi_pq_pending(const struct gaudi_qman *qm,
				    const struct gaudi_cp *cp)
{
	return cp->n < GAUDI_NUM_STREAMS && cp->pi != cp->ci &&
	       qm->cfg0 & GAUDI_QM_PQF(cp->n);
}

/* Bytes of packets that were read ahead. */
static inline uint32_t gaudi_cq_ahead(const struct gaudi_cp *cp)
{
	return cp->busy ? cp->buf_len - cp->buf_pos : 0;
}

/* qman.c: the actor of a CP. */
bool gaudi_cp_run(struct gaudi_chip *chip, struct gaudi_actor *actor);
/* Any unit may have something to do now. */
void gaudi_qman_kick_all(struct gaudi_chip *chip, struct gaudi_qman *qm);
/* Drops what the units (as in CFG1 13:0) hold. */
void gaudi_qman_flush(struct gaudi_chip *chip, struct gaudi_qman *qm,
		      uint32_t units);
/* A write to CQ_CTL hands PTR and TSIZE over. */
void gaudi_qman_cq_write(struct gaudi_chip *chip, struct gaudi_qman *qm,
			 struct gaudi_cp *cp, uint32_t ctl);

/*
 * Is this (an offset from CFG) the CQ_CTL of a CQ that is full? A CP that would
 * write it waits with GAUDI_CP_WAIT_CQ.
 */
bool gaudi_qman_cq_full(struct gaudi_chip *chip, uint32_t cfg_off);

/* qman_err.c: ones were written to GLBL_STS1. */
void gaudi_qman_clear_error(struct gaudi_chip *chip, struct gaudi_cp *cp,
			    uint32_t bits);

#endif /* GAUDI_CHIP_QMAN_H */
