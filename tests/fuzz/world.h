/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two cards and a host, for fuzzing: everything that a guest can do to the
 * chip library, in one thread, from a string of bytes.
 *
 * The host's bus has RAM and the six BARs of the two cards, so that a card
 * reaches its own registers and the other's as it would in a machine. Every
 * run starts from the power-on state and may take a bounded number of turns.
 */
#ifndef FUZZ_WORLD_H
#define FUZZ_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../qemu-device/chip/gaudi_chip.h"
#include "../../uapi/hw/gaudi_map.h"

#define ARRAY_LEN(a)	(sizeof(a) / sizeof((a)[0]))

#define RAM_BASE	0x40000000ull
#define RAM_SIZE	0x00800000ull
/* So little of a card's HBM is there that a run cannot touch much. */
#define HBM_SIZE	0x01000000ull
/* Where users' begins, as gaudi.ko has it; world_users(). */
#define USER_HBM	0x20000000ull
#define NUM_CARDS	2

/* Where the BARs stand at first, by card; see world_move_bar(). */
#define BAR_BASE(card, bar) \
	(0x1000000000ull * (1 + (card)) + 0x100000000ull * (bar))

struct world_card {
	struct gaudi_chip *chip;
	unsigned int id;
	bool used;			/* in this run */
	bool kicked;
	bool bus_master;
	uint64_t deadline;
	uint64_t window;
	uint64_t bar[3];		/* BAR 0, 2, 4 */
	uint8_t *hbm;
	uint8_t *sram;
};

struct world {
	struct world_card card[NUM_CARDS];
	uint8_t *ram;
	uint64_t now;
	unsigned int turns;		/* that this run may still take */
	uint64_t maps;			/* spans not yet given back */
	uint64_t logs, msis, host_faults;
	/* what ports send that were given to the network; or NULL */
	void (*frame)(struct world_card *card, unsigned int port,
		      const void *buf, size_t len);
};

extern struct world world;

/* Cards in their power-on state, RAM empty, time at its start. */
void world_begin(void);
/* A run that begins with the cards, RAM and time that one before has left. */
void world_go_on(void);
/* The run that has begun may take no more turns than this. */
void world_limit(unsigned int turns);
/* Ends a run: lets the cards come to rest or be reset, checks what must hold */
void world_end(void);

/*
 * Which cards, as bits, boot from flash, and whose loader is the dynamic one;
 * for all runs of a process. Call it first.
 */
void world_firmware(unsigned int flash, unsigned int comms);

/* Whose matrix engines compute element by element; likewise. */
void world_specify(unsigned int cards);

/* HBM also has users' part, HBM_SIZE of it; likewise. */
void world_users(void);

/*
 * The watchdog: each call into the library is named, and one that computes for a
 * second ends the process by its name.
 */
void world_call(const char *what, uint64_t where);
void world_called(void);

/* Engines, posted writes and due timers, at most so many turns. */
void world_run(unsigned int turns);
void world_advance(uint64_t ns);
void world_move_bar(struct world_card *card, unsigned int bar, uint64_t base);

/* len bytes of RAM from off on, to be written: only such RAM is cleared again. */
void *world_ram_write(uint64_t off, size_t len);

/* RAM as the card's device address. */
static inline uint64_t world_dev(uint64_t off)
{
	return GAUDI_HOST_BASE + RAM_BASE + off % RAM_SIZE;
}

uint32_t reg_rd(struct world_card *card, uint32_t off);
void reg_wr(struct world_card *card, uint32_t off, uint32_t value);

/* What so many registers of a page in a row have, without a read of them. */
void world_registers(struct world_card *card, uint32_t off, uint32_t *values,
		     unsigned int n);

/* A reset, with which each run begins, is to leave all registers as they are now. */
void world_keep_registers(struct world_card *card);

#endif /* FUZZ_WORLD_H */
