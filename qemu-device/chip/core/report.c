// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* See report.h. */
#include <stdarg.h>
#include <stdlib.h>

#include "core.h"

#define LINE_LEN		256
#define LOG_BURST		200	/* guest errors per second */

/* --- log, trace -------------------------------------------------------------- */

/* A guest must not fill the host's disk with complaints about itself. */
static bool log_limited(struct gaudi_chip *chip)
{
	struct gaudi_report *report = &chip->report;
	uint64_t second = gaudi_now_ns(chip) / 1000000000u;

	if (second != report->log_second) {
		report->log_second = second;
		report->logged = 0;
	}
	return report->logged++ >= LOG_BURST;
}

void gaudi_log(struct gaudi_chip *chip, enum gaudi_log_level level,
	       const char *fmt, ...)
{
	char line[LINE_LEN];
	va_list args;

	if (level != GAUDI_LOG_INFO && log_limited(chip))
		return;
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	chip->ops->log(chip->opaque, level, line);
}

void gaudi_trace_event(struct gaudi_chip *chip, enum gaudi_trace_kind kind,
		       unsigned int unit, uint64_t addr, uint64_t value,
		       uint64_t size)
{
	struct gaudi_trace event;

	event.kind = kind;
	event.unit = unit;
	event.addr = addr;
	event.value = value;
	event.size = size;
	event.now_ns = gaudi_now_ns(chip);
	chip->ops->trace(chip->opaque, &event);
}

/* --- counting ------------------------------------------------------------------ */

static uint32_t hash_string(uint32_t hash, const char *s)
{
	for (; *s; s++)
		hash = (hash ^ (uint8_t)*s) * 16777619u;
	return hash;
}

static const char *entry_name(const struct gaudi_report_entry *e)
{
	return e->kind + strlen(e->kind) + 1;
}

/* kind and name in one allocation. */
static char *new_key(const char *kind, const char *name)
{
	size_t klen = strlen(kind) + 1, nlen = strlen(name) + 1;
	char *key = malloc(klen + nlen);

	if (key) {
		memcpy(key, kind, klen);
		memcpy(key + klen, name, nlen);
	}
	return key;
}

/* NULL: the table is full. */
static struct gaudi_report_entry *find_entry(struct gaudi_report *report,
					     const char *kind,
					     const char *name)
{
	uint32_t hash = hash_string(hash_string(2166136261u, kind), name);
	struct gaudi_report_entry *e;

	for (;; hash++) {
		e = &report->entry[hash % GAUDI_REPORT_ENTRIES];
		if (!e->kind)
			break;
		if (!strcmp(e->kind, kind) && !strcmp(entry_name(e), name))
			return e;
	}
	/* A quarter stays free, so that every search ends soon. */
	if (report->used >= GAUDI_REPORT_ENTRIES / 4 * 3)
		return NULL;
	e->kind = new_key(kind, name);
	if (!e->kind)
		return NULL;
	report->used++;
	return e;
}

void gaudi_report_use(struct gaudi_chip *chip, const char *kind,
		      const char *name, enum gaudi_fidelity fidelity)
{
	struct gaudi_report_entry *e = find_entry(&chip->report, kind, name);

	if (!e) {
		chip->report.dropped++;
		return;
	}
	if (!e->count++ && fidelity == GAUDI_UNIMPLEMENTED)
		gaudi_log(chip, GAUDI_LOG_UNIMP, "%s %s is not modelled", kind,
			  name);
	/* A thing may turn out worse on a later use, never better. */
	if (fidelity > e->fidelity)
		e->fidelity = fidelity;
}

uint64_t *gaudi_report_counter(struct gaudi_chip *chip, const char *kind,
			       const char *name, enum gaudi_fidelity fidelity)
{
	struct gaudi_report_entry *e;

	gaudi_report_use(chip, kind, name, fidelity);
	e = find_entry(&chip->report, kind, name);
	if (!e)
		return &chip->report.dropped;
	e->count--;
	return &e->count;
}

static int compare_entries(const void *a, const void *b)
{
	const struct gaudi_report_entry *const *x = a, *const *y = b;
	int order = strcmp((*x)->kind, (*y)->kind);

	return order ? order : strcmp(entry_name(*x), entry_name(*y));
}

int gaudi_report_each(struct gaudi_chip *chip,
		      void (*fn)(void *arg, const char *kind, const char *name,
				 uint64_t count, enum gaudi_fidelity fidelity),
		      void *arg)
{
	const struct gaudi_report_entry **sorted, *e;
	size_t n = 0, i;

	sorted = calloc(GAUDI_REPORT_ENTRIES, sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	for (i = 0; i < GAUDI_REPORT_ENTRIES; i++) {
		e = &chip->report.entry[i];
		if (e->kind)
			sorted[n++] = e;
	}
	qsort(sorted, n, sizeof(*sorted), compare_entries);
	for (i = 0; i < n; i++)
		fn(arg, sorted[i]->kind, entry_name(sorted[i]),
		   sorted[i]->count, sorted[i]->fidelity);
	free(sorted);
	return 0;
}

void gaudi_report_fini(struct gaudi_chip *chip)
{
	unsigned int i;

	for (i = 0; i < GAUDI_REPORT_ENTRIES; i++)
		free(chip->report.entry[i].kind);
}
