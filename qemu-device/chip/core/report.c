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

static struct gaudi_report_entry *entry_at(const struct gaudi_report *report,
					   unsigned int n)
{
	return &report->part[n / GAUDI_REPORT_PART][n % GAUDI_REPORT_PART];
}

/* The next one; NULL: no memory. */
static struct gaudi_report_entry *new_entry(struct gaudi_report *report)
{
	struct gaudi_report_entry **part =
		&report->part[report->used / GAUDI_REPORT_PART];

	if (!*part)
		*part = calloc(GAUDI_REPORT_PART, sizeof(**part));
	return *part ? entry_at(report, report->used) : NULL;
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
	uint16_t *slot;

	for (;; hash++) {
		slot = &report->slot[hash % GAUDI_REPORT_SLOTS];
		if (!*slot)
			break;
		e = entry_at(report, *slot - 1);
		if (!strcmp(e->kind, kind) && !strcmp(entry_name(e), name))
			return e;
	}
	if (report->used >= GAUDI_REPORT_ENTRIES)
		return NULL;
	e = new_entry(report);
	if (!e)
		return NULL;
	e->kind = new_key(kind, name);
	if (!e->kind)
		return NULL;
	*slot = ++report->used;
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
	const struct gaudi_report_entry **sorted;
	size_t n = chip->report.used, i;

	sorted = calloc(n + 1, sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		sorted[i] = entry_at(&chip->report, i);
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

	for (i = 0; i < chip->report.used; i++)
		free(entry_at(&chip->report, i)->kind);
	for (i = 0; i < ARRAY_SIZE(chip->report.part); i++)
		free(chip->report.part[i]);
}
