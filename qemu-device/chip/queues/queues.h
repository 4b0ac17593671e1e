/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * QMANs: queues of command buffers, and what executes them.
 *
 *   qman.c       streams: PQ and CQ fetchers, fences, which runs when
 *   qman_regs.c  registers: what they do, status, reset
 *   qman_err.c   errors: which unit stops, what is reported to the CPU
 *   cp.c         command processors: packet execution; cp.h has what it shares with
 *   cp_write.c   packets that write registers
 *   arb.c        the arbiter between the streams of a queue
 *   qman_state.c why a stream stands still, for a record
 *   qman_snap.c  the room's part of a snapshot
 *
 * A queue knows its engine by struct gaudi_engine_ops only, which the engine
 * attaches. Under chip->lock, all.
 */
#ifndef GAUDI_QUEUES_H
#define GAUDI_QUEUES_H

#include "../core/core.h"
#include "../regs/regs.h"

extern const struct gaudi_block_ops gaudi_qman_ops;

int gaudi_queues_init(struct gaudi_chip *chip);
void gaudi_queues_fini(struct gaudi_chip *chip);

/* What a queue asks of the engine behind it. */
struct gaudi_engine_ops {
	/* May the queue's next job reach the engine? NULL: always. */
	bool (*has_room)(struct gaudi_chip *chip, unsigned int unit);
	/* Has it finished all that CP cp gave it? NULL: yes. */
	bool (*is_idle)(struct gaudi_chip *chip, unsigned int unit,
			unsigned int cp);
	/*
	 * The queue has waited, or may have: later jobs must see what other
	 * engines wrote before, so nothing may be kept of what was read.
	 */
	void (*order)(struct gaudi_chip *chip, unsigned int unit);
	/*
	 * A write at an offset of its window, 0 or -EINVAL. NULL: these are the
	 * registers of the engine's block.
	 */
	int (*write)(struct gaudi_chip *chip, unsigned int unit, uint32_t off,
		     uint32_t value);
};

/* ops: static; each queue gets its engine before the card is used. */
void gaudi_qman_attach(struct gaudi_chip *chip, unsigned int qman,
		       const struct gaudi_engine_ops *ops, unsigned int unit);
/* The engine behind a QMAN finished something: CPs that wait look again. */
void gaudi_qman_engine_event(struct gaudi_chip *chip, unsigned int qman);
/*
 * The same: a job, of this CP or of any of them, has ended just now by the card's clock.
 */
#define GAUDI_ALL_CPS		255
void gaudi_qman_job_ended(struct gaudi_chip *chip, unsigned int qman,
			  unsigned int cp);
/* The CP that writes a register just now; GAUDI_NUM_CPS: none. */
uint8_t gaudi_qman_writer(const struct gaudi_chip *chip, unsigned int qman);
/* All its units stop, as by GLBL_CFG1. */
void gaudi_qman_stop(struct gaudi_chip *chip, unsigned int qman);
/* An error of CP cp, bits of GLBL_STS1. */
void gaudi_qman_fail(struct gaudi_chip *chip, unsigned int qman,
		     unsigned int cp, uint32_t bits);

/* "LIN_DMA"; "the engine", as what a CP waits for. NULL: there is none such. */
const char *gaudi_packet_name(unsigned int op);
const char *gaudi_wait_name(unsigned int wait);

/*
 * As members of a JSON object, each with a comma behind it: streams that have work, and
 * arbiters. Documentation/record.rst says what they are.
 */
void gaudi_queues_state(struct gaudi_chip *chip, FILE *out);
struct gaudi_snap;
/* The room's part of a snapshot. */
void gaudi_queues_snap(struct gaudi_snap *s);
/* No stream has work or an error. */
bool gaudi_queues_at_rest(const struct gaudi_chip *chip);

#endif /* GAUDI_QUEUES_H */
