// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * The fidelity report: what was used, and how well the model knows it. Registers
 * are counted where they are stored (regs), everything else in the core.
 */
#include "../core/core.h"
#include "../regs/regs.h"

static const char *const fidelity_names[] = {
	[GAUDI_EXACT] = "exact",
	[GAUDI_APPROXIMATE] = "approximate",
	[GAUDI_UNIMPLEMENTED] = "unimplemented",
};

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

static void write_entry(void *arg, const char *kind, const char *name,
			uint64_t count, enum gaudi_fidelity fidelity)
{
	write_row(arg, kind, name, 0, count, fidelity);
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
		err = gaudi_report_each(chip, write_entry, &w);
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
