// SPDX-License-Identifier: MIT
/* What gaudi-copy says at the end. Rates are bytes by the time a leg was busy. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cJSON.h>

#include "copy.h"
#include "json.h"
#include "text.h"

static const struct {
	const char *text;
	const char *json;
} leg_names[] = {
	[LEG_UP] = { "host -> HBM", "host_to_hbm" },
	[LEG_ACROSS] = { "HBM -> SRAM -> HBM", "hbm_sram_hbm" },
	[LEG_DOWN] = { "HBM -> host", "hbm_to_host" },
};

static bool matches(const struct result *r)
{
	return *r->sha_in && !strcmp(r->sha_in, r->sha_out);
}

static void leg_line(FILE *out, const char *name, uint64_t bytes, double sec)
{
	char size[TEXT_LEN], rate[TEXT_LEN];

	fprintf(out, "  %-20s %12s %10.4f s %16s\n", name,
		text_bytes(bytes, size), sec, text_rate(bytes, sec, rate));
}

void report_text(FILE *out, const struct rig *rig, const struct source *src,
		 const struct result *result)
{
	char size[TEXT_LEN], chunk[TEXT_LEN];

	fprintf(out, "%s: %s in %llu chunks of %s, %u at a time\n", src->name,
		text_bytes(result->bytes, size),
		(unsigned long long)result->chunks,
		text_bytes(rig->chunk, chunk), rig->depth);
	fprintf(out, "card %d, module %u, %s, driver %s\n", rig->card.index,
		rig->ip.module_id, rig->card.busid, rig->card.driver);
	for (int leg = 0; leg < NUM_LEGS; leg++)
		leg_line(out, leg_names[leg].text, result->leg_bytes[leg],
			 result->leg_seconds[leg]);
	leg_line(out, "all, with SHA-256", result->bytes, result->seconds);
	fprintf(out, "SHA-256 of the input  %s\n", result->sha_in);
	fprintf(out, "SHA-256 of the output %s\n", result->sha_out);
	fprintf(out, "%s\n", matches(result) ? "equal" : "NOT EQUAL");
}

int report_json(FILE *out, const struct rig *rig, const struct source *src,
		const struct result *result)
{
	cJSON *root = cJSON_CreateObject();
	cJSON *card, *legs;

	cJSON_AddStringToObject(root, "file", src->name);
	cJSON_AddNumberToObject(root, "bytes", (double)result->bytes);
	cJSON_AddNumberToObject(root, "chunk", rig->chunk);
	cJSON_AddNumberToObject(root, "chunks", (double)result->chunks);
	cJSON_AddNumberToObject(root, "depth", rig->depth);
	card = cJSON_AddObjectToObject(root, "card");
	cJSON_AddNumberToObject(card, "index", rig->card.index);
	cJSON_AddNumberToObject(card, "module_id", rig->ip.module_id);
	cJSON_AddStringToObject(card, "pci_address", rig->card.busid);
	cJSON_AddStringToObject(card, "driver", rig->card.driver);
	legs = cJSON_AddArrayToObject(root, "legs");
	for (int leg = 0; leg < NUM_LEGS; leg++) {
		double sec = result->leg_seconds[leg];
		double bytes = (double)result->leg_bytes[leg];
		cJSON *item = cJSON_CreateObject();

		cJSON_AddStringToObject(item, "name", leg_names[leg].json);
		cJSON_AddNumberToObject(item, "bytes", bytes);
		cJSON_AddNumberToObject(item, "seconds", sec);
		cJSON_AddNumberToObject(item, "bytes_per_second",
					sec > 0 ? bytes / sec : 0);
		cJSON_AddItemToArray(legs, item);
	}
	cJSON_AddNumberToObject(root, "seconds", result->seconds);
	cJSON_AddStringToObject(root, "sha256_in", result->sha_in);
	cJSON_AddStringToObject(root, "sha256_out", result->sha_out);
	cJSON_AddBoolToObject(root, "match", matches(result));

	return json_print(out, root);
}
