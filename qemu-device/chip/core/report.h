/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * What the card says about itself (report.c): log lines, trace events, and
 * counts of what was used and how well the model knows it. Lock held, all.
 *
 * Not here: registers, which are counted where they are stored, and the report
 * as text; that is the card's.
 */
#ifndef GAUDI_REPORT_H
#define GAUDI_REPORT_H

#include <stdint.h>

#include "../gaudi_chip.h"

enum gaudi_fidelity { GAUDI_EXACT, GAUDI_APPROXIMATE, GAUDI_UNIMPLEMENTED };

#define GAUDI_REPORT_SLOTS	2048		/* power of two */
/* A quarter of the slots stays free, so that every search ends soon. */
#define GAUDI_REPORT_ENTRIES	(GAUDI_REPORT_SLOTS / 4 * 3)
#define GAUDI_REPORT_PART	64		/* entries that are made together */

struct gaudi_report_entry {
	char *kind;		/* name follows its end */
	uint64_t count;
	enum gaudi_fidelity fidelity;
};

/* What was used, by kind and name; bounded. */
struct gaudi_report {
	unsigned int used;
	uint64_t dropped;			/* uses that found no room */
	uint64_t log_second;			/* limits the guest's log */
	unsigned int logged;
	uint16_t slot[GAUDI_REPORT_SLOTS];	/* by hash: an entry, + 1; 0: free */
	/* Oldest first; they stay where they are. */
	struct gaudi_report_entry *part[GAUDI_REPORT_ENTRIES / GAUDI_REPORT_PART];
};

/* Counts; logs the first use of something unimplemented. */
void gaudi_report_use(struct gaudi_chip *chip, const char *kind,
		      const char *name, enum gaudi_fidelity fidelity);
/* As a use, but the caller counts: for what happens too often to look up. */
uint64_t *gaudi_report_counter(struct gaudi_chip *chip, const char *kind,
			       const char *name, enum gaudi_fidelity fidelity);
/* Calls fn for all that was used, in order of kind and name. 0 or -ENOMEM. */
int gaudi_report_each(struct gaudi_chip *chip,
		      void (*fn)(void *arg, const char *kind, const char *name,
				 uint64_t count, enum gaudi_fidelity fidelity),
		      void *arg);
void gaudi_report_fini(struct gaudi_chip *chip);

void gaudi_log(struct gaudi_chip *chip, enum gaudi_log_level level,
	       const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* For gaudi_trace() of core.h, which asks first whether anybody listens. */
void gaudi_trace_event(struct gaudi_chip *chip, enum gaudi_trace_kind kind,
		       unsigned int unit, uint64_t addr, uint64_t value,
		       uint64_t size);

#endif /* GAUDI_REPORT_H */
