// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the card says about itself: log lines, trace events, and the fidelity
 * report, which lists what was used and how well the model knows it.
 *
 * Registers are counted where they are stored (regs.c); the table here holds
 * everything else, and the registers that are unknown.
 */
#include <stdarg.h>
#include <stdlib.h>

#include "internal.h"

#define LINE_LEN		256

static const char *const fidelity_names[] = {
	[GAUDI_EXACT] = "exact",
	[GAUDI_APPROXIMATE] = "approximate",
	[GAUDI_UNIMPLEMENTED] = "unimplemented",
};

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
	return report->logged++ >= GAUDI_LOG_BURST;
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

void gaudi_report_fini(struct gaudi_chip *chip)
{
	unsigned int i;

	for (i = 0; i < GAUDI_REPORT_ENTRIES; i++)
		free(chip->report.entry[i].kind);
}

/* --- the report ------------------------------------------------------------------ */

struct writer {
	FILE *out;
	bool comma;
	uint64_t totals[3];
};

static void write_string(FILE *out, const char *s)
{
	putc('"', out);
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			fprintf(out, "\\%c", *s);
		else if ((unsigned char)*s < 0x20)
			fprintf(out, "\\u%04x", *s);
		else
			putc(*s, out);
	}
	putc('"', out);
}

/* registers: how many of the name were used; 0: it is no register */
static void write_row(struct writer *w, const char *kind, const char *name,
		      unsigned int registers, uint64_t count,
		      enum gaudi_fidelity fidelity)
{
	fprintf(w->out, "%s\n    {\"kind\": ", w->comma ? "," : "");
	write_string(w->out, kind);
	fputs(", \"name\": ", w->out);
	write_string(w->out, name);
	if (registers)
		fprintf(w->out, ", \"registers\": %u", registers);
	fprintf(w->out, ", \"count\": %llu, \"fidelity\": \"%s\"}",
		(unsigned long long)count, fidelity_names[fidelity]);
	w->comma = true;
	w->totals[fidelity]++;
}

static void write_register(void *arg, const char *name, unsigned int registers,
			   uint64_t count, enum gaudi_fidelity fidelity)
{
	write_row(arg, "register", name, registers, count, fidelity);
}

static int compare_entries(const void *a, const void *b)
{
	const struct gaudi_report_entry *const *x = a, *const *y = b;
	int order = strcmp((*x)->kind, (*y)->kind);

	return order ? order : strcmp(entry_name(*x), entry_name(*y));
}

static int write_entries(struct gaudi_chip *chip, struct writer *w)
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
		write_row(w, sorted[i]->kind, entry_name(sorted[i]), 0,
			  sorted[i]->count, sorted[i]->fidelity);
	free(sorted);
	return 0;
}

int gaudi_chip_report(struct gaudi_chip *chip, FILE *out)
{
	struct writer w = { .out = out };
	size_t i;
	int err;

	gaudi_chip_lock(chip);
	fprintf(out, "{\n  \"card\": {\"module_id\": %u, \"hbm_size\": %llu},\n",
		chip->config.module_id,
		(unsigned long long)chip->config.hbm_size);
	fputs("  \"used\": [", out);
	err = gaudi_regs_report(chip, write_register, &w);
	if (!err)
		err = write_entries(chip, &w);
	fputs("\n  ],\n  \"totals\": {", out);
	for (i = 0; i < ARRAY_SIZE(fidelity_names); i++)
		fprintf(out, "\"%s\": %llu, ", fidelity_names[i],
			(unsigned long long)w.totals[i]);
	fprintf(out, "\"uncounted\": %llu}\n}\n",
		(unsigned long long)chip->report.dropped);
	gaudi_chip_unlock(chip);
	if (!err && ferror(out))
		err = -EIO;
	return err;
}
