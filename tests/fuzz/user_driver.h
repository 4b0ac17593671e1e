/* SPDX-License-Identifier: GPL-2.0-only */
/* gaudi.ko, as far as it stands between a user and the card. */
#ifndef FUZZ_USER_DRIVER_H
#define FUZZ_USER_DRIVER_H

#include "ops.h"

/* The driver's, of HBM: page tables; of RAM: rings, and copies of buffers. */
#define DRIVER_TABLES	0x10000ull
#define DRIVER_TABLES_SIZE 0x20000ull
#define DRIVER_RINGS	0x200000ull
#define DRIVER_COPIES	0x400000ull
#define DRIVER_COPIES_END 0x700000ull
/* Nobody's: no user comes here. */
#define DRIVER_RAM	0x700000ull

/* Protection, and what else is constant; once. */
void driver_protect(struct world_card *card);
/* Queues, engines, the MMU, a user who opens the device; after each reset. */
void driver_begin(void);
/* Of these only the MMU, and the user's address space. */
void driver_begin_mmu(void);
/*
 * What the driver has written to keep users out, which must stay so: how many
 * registers; number i of them; the first from number *i on that has changed, or false.
 */
unsigned int driver_locks(void);
uint32_t driver_lock(unsigned int i);
bool driver_changed(unsigned int *i, uint32_t *off);
/*
 * QMAN n of those that users may use: its base, the offset in RAM of a stream's
 * ring, and whether the driver looks at what it is given.
 */
uint32_t driver_queue(unsigned int n, unsigned int stream, uint64_t *ring,
		      bool *external);
bool driver_takes(const void *packets, uint32_t len);
/* What the driver does beside: engines' status, an invalidation. */
void driver_looks(void);

#endif /* FUZZ_USER_DRIVER_H */
