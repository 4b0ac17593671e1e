/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * What packets are executed with: for cp.c, and for cp_write.c, which has those that
 * write registers. Lock held, all.
 */
#ifndef GAUDI_CHIP_CP_H
#define GAUDI_CHIP_CP_H

#include "qman.h"

/* A packet: its first dwords, and a pointer to all of it. */
struct gaudi_packet {
	uint32_t value;
	uint32_t ctl;
	const uint8_t *bytes;
};

static inline uint32_t gaudi_get32(const uint8_t *bytes)
{
	uint32_t v;

	memcpy(&v, bytes, sizeof(v));
	return v;
}

static inline uint64_t gaudi_get64(const uint8_t *bytes)
{
	uint64_t v;

	memcpy(&v, bytes, sizeof(v));
	return v;
}

/* The packet is tried again. */
static inline enum gaudi_cp_result gaudi_cp_wait_for(struct gaudi_chip *chip,
					    struct gaudi_cp *cp,
					    enum gaudi_cp_wait what)
{
	gaudi_trace(chip, GAUDI_TRACE_WAIT, cp->qman * 8 + cp->n, cp->pc, what,
		    (uint32_t)cp->inst);
	cp->wait = what;
	return GAUDI_CP_BLOCKED;
}

/* cp.c: the next len bytes. NULL: there are not that many, or *err. */
const uint8_t *gaudi_cp_peek(struct gaudi_chip *chip, struct gaudi_cp *cp,
			     uint32_t len, int *err);

static inline void gaudi_cp_consume(struct gaudi_cp *cp, uint32_t len, bool scalars)
{
	if (scalars) {
		cp->rf_pos += len;
		return;
	}
	cp->buf_pos += len;
	cp->pc += len;
	cp->left -= len;
}

/* Nothing sensible can follow: the rest of the buffer is skipped. */
static inline enum gaudi_cp_result gaudi_cp_fail(struct gaudi_chip *chip,
					struct gaudi_cp *cp, uint32_t error)
{
	cp->drop = true;
	gaudi_qman_error(chip, cp, error);
	return GAUDI_CP_DONE;
}

/* May the queue's next packet reach the engine? */
static inline bool gaudi_engine_has_room(struct gaudi_chip *chip, unsigned int qman)
{
	const struct gaudi_qman *qm = &chip->queues->qman[qman];

	return !qm->ops->has_room || qm->ops->has_room(chip, qm->unit);
}

/* cp_write.c: of WREG_32, WREG_BULK, LIN_DMA and CP_DMA. */
enum gaudi_cp_result gaudi_exec_wreg_32(struct gaudi_chip *chip,
				      struct gaudi_qman *qm, struct gaudi_cp *cp,
				      const struct gaudi_packet *p);
enum gaudi_cp_result gaudi_exec_wreg_bulk(struct gaudi_chip *chip,
					struct gaudi_qman *qm, struct gaudi_cp *cp,
					const struct gaudi_packet *p);
enum gaudi_cp_result gaudi_exec_lin_dma(struct gaudi_chip *chip,
				      struct gaudi_qman *qm, struct gaudi_cp *cp,
				      const struct gaudi_packet *p);
enum gaudi_cp_result gaudi_exec_cp_dma(struct gaudi_chip *chip,
				     struct gaudi_qman *qm, struct gaudi_cp *cp,
				     const struct gaudi_packet *p);
/* The values that follow a WREG_BULK, some at a time. */
enum gaudi_cp_result gaudi_bulk_values(struct gaudi_chip *chip,
					  struct gaudi_qman *qm,
					  struct gaudi_cp *cp);

#endif /* GAUDI_CHIP_CP_H */
