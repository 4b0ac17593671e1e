// SPDX-License-Identifier: MIT
/*
 * gaudi-info for programs. Every member is always there; null: not available.
 * Memory in bytes, power in milliwatt, energy in millijoule, temperatures in
 * degrees.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <cJSON.h>

#include "info.h"
#include "json.h"

static void add_num(cJSON *obj, const char *name, int err, double val)
{
	if (err)
		cJSON_AddNullToObject(obj, name);
	else
		cJSON_AddNumberToObject(obj, name, val);
}

static void add_bool(cJSON *obj, const char *name, int err, bool val)
{
	if (err)
		cJSON_AddNullToObject(obj, name);
	else
		cJSON_AddBoolToObject(obj, name, val);
}

/* At most @max bytes, or up to a zero; null if empty */
static void add_text(cJSON *obj, const char *name, int err, const void *text,
		     size_t max)
{
	char buf[256];

	snprintf(buf, sizeof(buf), "%.*s", (int)max,
		 err ? "" : (const char *)text);
	if (*buf)
		cJSON_AddStringToObject(obj, name, buf);
	else
		cJSON_AddNullToObject(obj, name);
}

static void add_identity(cJSON *obj, const struct card_info *c)
{
	char text[64];
	uint32_t id = 0;
	bool known = info_module_id(c, &id);

	cJSON_AddNumberToObject(obj, "index", c->card.index);
	add_num(obj, "module_id", !known, id);
	cJSON_AddStringToObject(obj, "pci_address", c->card.busid);
	snprintf(text, sizeof(text), "%04x", c->card.vendor_id);
	cJSON_AddStringToObject(obj, "pci_vendor", text);
	snprintf(text, sizeof(text), "%04x", c->card.device_id);
	cJSON_AddStringToObject(obj, "pci_device", text);
	add_num(obj, "revision", c->hw_ip_err, c->hw_ip.revision_id);
	cJSON_AddStringToObject(obj, "chip", info_chip(c));
	add_text(obj, "card_name", c->hw_ip_err, c->hw_ip.card_name,
		 HL_INFO_CARD_NAME_MAX_LEN);
	snprintf(text, sizeof(text), HLTHUNK_DEV_NAME_PRIMARY, c->card.index);
	cJSON_AddStringToObject(obj, "node", text);
	snprintf(text, sizeof(text), HLTHUNK_DEV_NAME_CONTROL, c->card.index);
	cJSON_AddStringToObject(obj, "control_node", text);
	add_text(obj, "driver", 0, c->card.driver, sizeof(text));
	add_text(obj, "driver_version", 0, c->card.driver_version,
		 sizeof(text));
	add_text(obj, "link_speed", 0, c->card.link_speed, sizeof(text));
	add_text(obj, "link_width", 0, c->card.link_width, sizeof(text));
}

static void add_state(cJSON *obj, const struct card_info *c)
{
	const struct hlthunk_open_stats_info *s = &c->open_stats;
	char mask[32];

	cJSON_AddStringToObject(obj, "status", info_status(c));
	add_bool(obj, "in_use", c->open_stats_err, s->is_compute_ctx_active);
	add_num(obj, "opened", c->open_stats_err, (double)s->open_counter);
	add_bool(obj, "idle", c->idle_err, c->idle.is_idle);
	snprintf(mask, sizeof(mask), "0x%llx",
		 (unsigned long long)c->idle.mask[0]);
	add_text(obj, "busy_mask", c->idle_err, mask, sizeof(mask));
	add_num(obj, "hard_resets", c->reset_err, c->resets.hard_reset_count);
	add_num(obj, "soft_resets", c->reset_err, c->resets.soft_reset_count);
	add_num(obj, "clock_mhz", c->clk_err, c->clk_cur_mhz);
	add_num(obj, "clock_max_mhz", c->clk_err, c->clk_max_mhz);
	add_num(obj, "throttle_mask", c->throttle_err,
		c->throttle.clk_throttle_reason_bitmask);
}

static void add_memory(cJSON *obj, const struct card_info *c)
{
	const struct hlthunk_hw_ip_info *ip = &c->hw_ip;

	add_num(obj, "hbm_base", c->hw_ip_err, (double)ip->dram_base_address);
	add_num(obj, "hbm_size", c->hw_ip_err, (double)ip->dram_size);
	add_num(obj, "hbm_free", c->dram_err, (double)c->dram.dram_free_mem);
	add_num(obj, "sram_base", c->hw_ip_err, (double)ip->sram_base_address);
	add_num(obj, "sram_size", c->hw_ip_err, ip->sram_size);
	add_num(obj, "tpc_mask", c->hw_ip_err, ip->tpc_enabled_mask);
	add_bool(obj, "secured", c->hw_ip_err, ip->security_enabled);
}

static void add_sensors(cJSON *obj, const struct card_info *c)
{
	static const char * const names[] = {
		[SENSOR_TEMP] = "temperature",
		[SENSOR_VOLT] = "voltage",
		[SENSOR_CURR] = "current",
	};
	long long temp = 0;
	bool known = info_temperature(c, &temp);
	cJSON *list;

	add_num(obj, "temperature", !known, (double)temp / 1e3);
	add_num(obj, "power_mw", c->power_err, (double)c->power.power);
	add_num(obj, "energy_mj", c->energy_err,
		(double)c->energy.total_energy_consumption);
	list = cJSON_AddArrayToObject(obj, "sensors");
	for (size_t i = 0; i < c->num_sensors; i++) {
		const struct sensor *s = &c->sensors[i];
		cJSON *item = cJSON_CreateObject();

		cJSON_AddStringToObject(item, "type", names[s->type]);
		cJSON_AddStringToObject(item, "label", s->label);
		cJSON_AddNumberToObject(item, "value",
					(double)s->value / 1e3);
		cJSON_AddItemToArray(list, item);
	}
}

static void add_versions(cJSON *card, const struct card_info *c)
{
	cJSON *obj = cJSON_AddObjectToObject(card, "versions");

	add_text(obj, "preboot", 0, c->card.preboot_version, CARD_TEXT);
	add_text(obj, "boot", 0, c->card.boot_version, CARD_TEXT);
	add_text(obj, "os", 0, c->card.os_version, CARD_TEXT);
	if (c->hw_ip_err)
		add_text(obj, "cpucp", 0, c->card.cpucp_version, CARD_TEXT);
	else
		add_text(obj, "cpucp", 0, c->hw_ip.cpucp_version,
			 HL_INFO_VERSION_MAX_LEN);
	add_text(obj, "cpld", 0, c->card.cpld_version, CARD_TEXT);
	add_text(obj, "fuse", 0, c->card.fuse_version, CARD_TEXT);
}

int show_json(FILE *out, const struct card_info *infos, size_t count)
{
	cJSON *root = cJSON_CreateObject();
	cJSON *list = cJSON_AddArrayToObject(root, "cards");

	for (size_t i = 0; i < count; i++) {
		cJSON *card = cJSON_CreateObject();

		add_identity(card, &infos[i]);
		add_state(card, &infos[i]);
		add_memory(card, &infos[i]);
		add_sensors(card, &infos[i]);
		add_versions(card, &infos[i]);
		cJSON_AddItemToArray(list, card);
	}

	return json_print(out, root);
}
