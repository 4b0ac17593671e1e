// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * What the environment wants of cards that are there: faults, who watches them, and reports
 * when the process ends.
 */
#include "../../qemu-device/chip/gaudi_chip.h"
#include "../host/options.h"
#include "../host/slots.h"
#include "../kernel/kernel.h"
#include "../kernel/nodes.h"
#include "../watch/debugger.h"
#include "../watch/journal.h"
#include "../watch/record.h"
#include "cards_priv.h"

/* "FAULT", or "card=N:FAULT". */
static int inject_line(const char *line)
{
	struct gaudi_chip *chip;
	unsigned int n = 0;
	char why[256] = "there is no such card";
	int used = 0, rc = -EINVAL;

	if (sscanf(line, "card=%u:%n", &n, &used) != 1 || !used) {
		n = 0;
		used = 0;
	}
	chip = sim_card_chip(n);
	if (chip)
		rc = gaudi_chip_inject(chip, line + used, why, sizeof(why));
	if (rc)
		sim_log(NULL, SIM_ERR, "GAUDI_SIM_INJECT: '%s': %s\n", line,
			why);
	return rc;
}

static int inject(void)
{
	const char *text = sim_option("GAUDI_SIM_INJECT");
	char *all = text ? strdup(text) : NULL, *rest = all, *line;
	int rc = 0;

	while (!rc && rest && (line = strsep(&rest, "\n")))
		if (*line)
			rc = inject_line(line);
	free(all);
	return rc;
}

int sim_cards_begin(void)
{
	int rc = inject();

	if (rc)
		return rc;
	sim_record_begin();
	sim_debugger_begin();
	return 0;
}

/* One card's goes to the file, those of several to FILE.0, FILE.1, and so on. */
static void write_reports(void)
{
	const char *path = sim_option("GAUDI_SIM_FIDELITY");
	struct gaudi_chip *chip;
	char numbered[PATH_MAX];
	unsigned int n;
	FILE *out;

	for (n = 0; path && (chip = sim_card_chip(n)); n++) {
		scnprintf(numbered, sizeof(numbered), "%s.%u", path, n);
		out = fopen(sim_card_chip(1) ? numbered : path, "we");
		if (!out || gaudi_chip_report(chip, out) || fclose(out))
			sim_log(NULL, SIM_ERR, "%s: %s\n", path,
				strerror(errno));
	}
}

static void __attribute__((destructor)) at_end(void)
{
	if (!sim_cards_are_ours())
		return;
	sim_debugger_end();
	write_reports();
	sim_record_end();
	sim_journal_end();
}
