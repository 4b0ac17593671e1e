/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * The topmost room, which puts a card together of the others. It offers what
 * gaudi_chip.h declares.
 *
 *   card.c         life cycle, reset, standing still
 *   bars.c         access of the host
 *   blocks.c       the table of register blocks
 *   card_report.c  the fidelity report as text
 *   card_record.c  the flight recorder's ring, and as a file
 *   card_state.c   the state that is in such a file
 *   card_snap.c    snapshots
 *
 * It has no lock of its own. Functions of gaudi_chip.h are called without the card's lock,
 * and take it where they need it; those below are called with it where they say so.
 */
#ifndef GAUDI_CARD_H
#define GAUDI_CARD_H

#include "../core/core.h"

/* 0 events: the default. 0, -ENOMEM; -EINVAL: more than a ring may have. */
int gaudi_record_init(struct gaudi_recorder *recorder, uint32_t events);
void gaudi_record_fini(struct gaudi_recorder *recorder);
/* Lock held: as a JSON object. */
void gaudi_card_state(struct gaudi_chip *chip, FILE *out);
/* A checksum; 0: of NULL. */
uint32_t gaudi_card_sum(const void *data, size_t len);
int gaudi_card_regs_init(struct gaudi_chip *chip);

#endif /* GAUDI_CARD_H */
