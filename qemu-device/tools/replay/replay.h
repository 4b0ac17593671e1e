/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Cards do again what a journal says, without their host: replay.c is the host, which
 * asks what the host asked, answers what it answered, and compares what the cards do.
 * print.c says in words what an entry is. Not thread-safe.
 */
#ifndef GAUDI_REPLAY_H
#define GAUDI_REPLAY_H

#include <stdbool.h>

#include "../../chip/journal/journal.h"

struct replay_card {
	struct replay *replay;
	unsigned int n;
	struct gaudi_chip *chip;	/* NULL: not yet, or not any more */
	struct gaudi_host_ops ops;
	uint64_t events;		/* that are compared */
	uint32_t digest;
};

struct replay {
	struct gaudi_journal_file *file;
	struct replay_card card[GAUDI_JOURNAL_CARDS];
	uint64_t time_ns;
	uint64_t calls;			/* of the host, so far */
	uint64_t questions;		/* of the cards */
	struct gaudi_journal_entry call;	/* the last one; no data */
	bool in_call;
	bool cut_off;			/* the file ends without its end */
	bool ended;
	bool differs;
	char why[512];			/* it differs, or is no journal */
};

/*
 * One call more. 1: it is the same; 0: there is none, see cut_off and ended; -1: it
 * differs, or the file is damaged, and why says how.
 */
int replay_step(struct replay *replay);
/* Frees the cards. */
void replay_free(struct replay *replay);

/* In one line, for a card that has register names, or NULL. */
void replay_print(char *to, size_t len, const struct gaudi_chip *chip,
		  const struct gaudi_journal_entry *entry);

/* An event that a user waits for, as it was given. */
struct replay_break {
	enum gaudi_trace_kind kind;
	char name[64];			/* of a packet or a register */
	uint64_t value;			/* of what has no name */
};

/* False: the text is none. */
bool replay_break_parse(const char *text, struct replay_break *at);
/* Of the events of a card from a number on, the first one of that sort. */
const struct gaudi_record *replay_break_find(const struct replay_break *at,
					     const struct gaudi_chip *chip,
					     uint64_t from);

#endif /* GAUDI_REPLAY_H */
