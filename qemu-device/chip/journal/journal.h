/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Journals: what goes into cards and comes out of them, so that they can do it again
 * without their host. The library's functions for it are in gaudi_chip.h. This room
 * notes (journal.c), and has the file's form (journal_file.c); who does it again is
 * tools/gaudi-replay.
 *
 * The file is compressed by zlib. It begins with a line of text, GAUDI_JOURNAL_MAGIC;
 * then come entries: a byte for the kind, one for the card (in the order in which they
 * were made), a number for each argument that the kind has, and data, behind their
 * length, if the kind has some. A number is of groups of seven bits, the lowest first,
 * and all groups but the last one have 0x80 set. A file may end anywhere, as its writer
 * may have been killed.
 *
 * Kinds are enum gaudi_call, each ended by GAUDI_JOURNAL_RETURN; what the card asks
 * its host stands between the two.
 *
 * Locks: the journal's own comes before all others, and is held from a call's begin
 * to its end. What the host must not be called for with a lock held waits until then.
 */
#ifndef GAUDI_JOURNAL_H
#define GAUDI_JOURNAL_H

#include "../core/core.h"

#define GAUDI_JOURNAL_MAGIC	"gaudi-journal 1\n"
#define GAUDI_JOURNAL_ARGS	12

enum gaudi_journal_kind {
	/* enum gaudi_call (another card by its number), and behind it: */
	GAUDI_JOURNAL_RETURN = 64,	/* result, events so far, their digest */
	GAUDI_JOURNAL_DMA_READ,		/* address, length, -error; data */
	GAUDI_JOURNAL_DMA_WRITE,	/* address, length, -error, digest */
	GAUDI_JOURNAL_MSI,		/* vector */
	GAUDI_JOURNAL_WINDOW,		/* HBM address */
	GAUDI_JOURNAL_TIME,		/* ns since the last one of the file */
	GAUDI_JOURNAL_DEADLINE,		/* ns, UINT64_MAX: none */
	GAUDI_JOURNAL_HOST_FAULT,	/* enum gaudi_host_fault, argument */
	GAUDI_JOURNAL_RESETTING,	/* at rest */
	GAUDI_JOURNAL_MEMORY,		/* digests of HBM and SRAM, at the end */
	GAUDI_JOURNAL_END,
	GAUDI_JOURNAL_KINDS,
};

/* Arguments of GAUDI_CALL_NEW; its data are the serial number, a 0, and the profile. */
enum {
	GAUDI_NEW_HBM_SIZE,
	GAUDI_NEW_MODULE_ID,
	GAUDI_NEW_BOOT_STS0,
	GAUDI_NEW_BOOT_DELAY_MS,
	GAUDI_NEW_FLAGS,		/* GAUDI_NEW_IS_* */
	GAUDI_NEW_SLOT,
	GAUDI_NEW_MME,
	GAUDI_NEW_SCHED_SEED,
	GAUDI_NEW_TPC_MAX_WORDS,
	GAUDI_NEW_RECORD_EVENTS,
	GAUDI_NEW_ARGS,
};

#define GAUDI_NEW_IS_FLASH_BOOT	1u
#define GAUDI_NEW_IS_COMMS	2u
#define GAUDI_NEW_IS_TPC_CHECK	4u
#define GAUDI_NEW_HAS_SERIAL	8u
/* What of struct gaudi_host_ops the host had. */
#define GAUDI_NEW_HAS_RESETTING	16u
#define GAUDI_NEW_HAS_FAULTS	32u

struct gaudi_journal_entry {
	unsigned int kind;
	unsigned int card;
	uint64_t arg[GAUDI_JOURNAL_ARGS];
	const void *data;
	size_t len;
};

/* NULL: there is no such kind. */
const char *gaudi_journal_name(unsigned int kind);
/* How many arguments it has. */
unsigned int gaudi_journal_args(unsigned int kind);

/* --- the file (journal_file.c); not thread-safe ------------------------------ */

struct gaudi_journal_file;

/* NULL with *err = -errno; -EINVAL: it is no journal. */
struct gaudi_journal_file *gaudi_journal_create(const char *path, int *err);
struct gaudi_journal_file *gaudi_journal_open(const char *path, int *err);
/* 0, or the -errno of the first thing that went wrong. */
int gaudi_journal_close(struct gaudi_journal_file *file);
void gaudi_journal_write(struct gaudi_journal_file *file,
			 const struct gaudi_journal_entry *entry);
/* What was written can be read from now on. */
void gaudi_journal_flush(struct gaudi_journal_file *file);
/*
 * The next one: 1; 0: the file ends there, be it in the middle of an entry; -EINVAL: no
 * journal has this. data are good until the next call.
 */
int gaudi_journal_read(struct gaudi_journal_file *file,
		       struct gaudi_journal_entry *entry);

/* --- what both sides compute -------------------------------------------------- */

/* Of bytes, behind those that gave @digest; 0 at first. */
uint32_t gaudi_journal_digest(uint32_t digest, const void *data, size_t len);
/*
 * Of a card's events (record.h) from number *from on, which becomes the next one's;
 * those that the ring has lost count as gone. No other thread uses the card.
 */
uint32_t gaudi_journal_events(struct gaudi_chip *chip, uint64_t *from,
			      uint32_t digest);
/* Of all that is not 0 in a card's memory, and where it is. */
uint32_t gaudi_journal_memory(const struct gaudi_memory *mem);

/* --- cards (journal.c) ---------------------------------------------------------- */

/*
 * A card is being made, which is a call that begins here and that the caller ends. 0;
 * -EINVAL: it has a pool; -ENOSPC: too many; -ENOMEM; then no call has begun.
 */
int gaudi_journal_add(struct gaudi_journal *journal, struct gaudi_chip *chip,
		      const struct gaudi_config *config);

#endif /* GAUDI_JOURNAL_H */
