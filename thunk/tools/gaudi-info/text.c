// SPDX-License-Identifier: MIT
/* gaudi-info for people: a table of the cards, and a paragraph for each. */
#include <stdarg.h>
#include <string.h>

#include "info.h"
#include "text.h"

#define NAME_WIDTH	22

/* A line "name   value"; nothing if the value is empty */
static void line(FILE *out, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void line(FILE *out, const char *name, const char *fmt, ...)
{
	char value[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(value, sizeof(value), fmt, ap);
	va_end(ap);
	if (*value)
		fprintf(out, "  %-*s%s\n", NAME_WIDTH, name, value);
}

static void line_err(FILE *out, const char *name, int err)
{
	line(out, name, "not available (%s)", strerror(-err));
}

static void show_table(FILE *out, const struct card_info *infos, size_t count)
{
	char size[TEXT_LEN], used[TEXT_LEN];

	fprintf(out, "%5s  %6s  %-12s  %-8s  %-11s  %-12s  %10s  %10s  %s\n",
		"INDEX", "MODULE", "PCI", "CHIP", "DRIVER", "STATUS", "HBM",
		"HBM FREE", "USER");
	for (size_t i = 0; i < count; i++) {
		const struct card_info *c = &infos[i];
		char module[16] = "-";
		uint32_t id;

		if (info_module_id(c, &id))
			snprintf(module, sizeof(module), "%u", id);
		fprintf(out,
			"%5d  %6s  %-12s  %-8s  %-11s  %-12s  %10s  %10s  %s\n",
			c->card.index, module, c->card.busid, info_chip(c),
			c->card.driver, info_status(c),
			c->hw_ip_err ? "-" :
			text_bytes(c->hw_ip.dram_size, size),
			c->dram_err ? "-" :
			text_bytes(c->dram.dram_free_mem, used),
			c->open_stats_err ? "-" :
			c->open_stats.is_compute_ctx_active ? "yes" : "no");
	}
	fputc('\n', out);
}

static void show_versions(FILE *out, const struct card_info *c)
{
	line(out, "preboot", "%s", c->card.preboot_version);
	line(out, "boot firmware", "%s", c->card.boot_version);
	line(out, "card's OS", "%s", c->card.os_version);
	if (c->hw_ip_err)
		line(out, "CPUCP", "%s", c->card.cpucp_version);
	else
		line(out, "CPUCP", "%.*s", HL_INFO_VERSION_MAX_LEN,
		     (const char *)c->hw_ip.cpucp_version);
	line(out, "CPLD", "%s", c->card.cpld_version);
	line(out, "fuse", "%s", c->card.fuse_version);
}

static void show_memory(FILE *out, const struct card_info *c)
{
	char size[TEXT_LEN], avail[TEXT_LEN];

	if (c->hw_ip_err) {
		line_err(out, "memory", c->hw_ip_err);
		return;
	}
	line(out, "HBM", "%s at 0x%llx, %s free",
	     text_bytes(c->hw_ip.dram_size, size),
	     (unsigned long long)c->hw_ip.dram_base_address,
	     c->dram_err ? "?" : text_bytes(c->dram.dram_free_mem, avail));
	line(out, "SRAM", "%s at 0x%llx", text_bytes(c->hw_ip.sram_size, size),
	     (unsigned long long)c->hw_ip.sram_base_address);
}

static void show_sensors(FILE *out, const struct card_info *c)
{
	static const char * const units[] = {
		[SENSOR_TEMP] = "\302\260C",
		[SENSOR_VOLT] = "V",
		[SENSOR_CURR] = "A",
	};

	if (!c->power_err)
		line(out, "power", "%.1f W", (double)c->power.power / 1e3);
	else
		line_err(out, "power", c->power_err);
	if (!c->energy_err)
		line(out, "energy", "%.1f J",
		     (double)c->energy.total_energy_consumption / 1e3);
	for (size_t i = 0; i < c->num_sensors; i++) {
		const struct sensor *s = &c->sensors[i];

		line(out, s->label, "%.2f %s", (double)s->value / 1e3,
		     units[s->type]);
	}
}

static void show_state(FILE *out, const struct card_info *c)
{
	line(out, "status", "%s", info_status(c));
	if (c->open_stats_err)
		line_err(out, "in use", c->open_stats_err);
	else
		line(out, "in use", "%s, opened %llu times",
		     c->open_stats.is_compute_ctx_active ? "yes" : "no",
		     (unsigned long long)c->open_stats.open_counter);
	if (c->idle_err)
		line_err(out, "engines", c->idle_err);
	else if (c->idle.is_idle)
		line(out, "engines", "idle");
	else
		line(out, "engines", "busy, mask 0x%llx",
		     (unsigned long long)c->idle.mask[0]);
	if (!c->reset_err)
		line(out, "resets", "%u hard, %u soft",
		     c->resets.hard_reset_count, c->resets.soft_reset_count);
	if (c->clk_err)
		line_err(out, "clock", c->clk_err);
	else
		line(out, "clock", "%u MHz of %u MHz", c->clk_cur_mhz,
		     c->clk_max_mhz);
	if (!c->throttle_err)
		line(out, "throttled", "%s%s%s",
		     c->throttle.clk_throttle_reason_bitmask ? "" : "no",
		     c->throttle.clk_throttle_reason_bitmask &
		     HLTHUNK_CLK_THROTTLE_POWER ? "power " : "",
		     c->throttle.clk_throttle_reason_bitmask &
		     HLTHUNK_CLK_THROTTLE_THERMAL ? "heat" : "");
}

static void show_card(FILE *out, const struct card_info *c)
{
	uint32_t module_id;

	fprintf(out, "Card %d: %s", c->card.index, info_chip(c));
	if (!c->hw_ip_err && c->hw_ip.card_name[0])
		fprintf(out, ", %.*s", HL_INFO_CARD_NAME_MAX_LEN,
			(const char *)c->hw_ip.card_name);
	fputc('\n', out);

	line(out, "index", "%d (/dev/accel/accel%d)", c->card.index,
	     c->card.index);
	if (info_module_id(c, &module_id))
		line(out, "module id", "%u", module_id);
	line(out, "PCI", "%s [%04x:%04x]%s%s%s%s", c->card.busid,
	     c->card.vendor_id, c->card.device_id,
	     c->card.link_speed[0] ? ", " : "", c->card.link_speed,
	     c->card.link_width[0] ? " x" : "", c->card.link_width);
	if (!c->hw_ip_err)
		line(out, "revision", "%u%s", c->hw_ip.revision_id,
		     c->hw_ip.security_enabled ? ", secured" : "");
	line(out, "driver", "%s%s%s", c->card.driver,
	     c->card.driver_version[0] ? " " : "", c->card.driver_version);
	show_state(out, c);
	show_memory(out, c);
	if (!c->hw_ip_err)
		line(out, "TPCs", "%d, mask 0x%x",
		     __builtin_popcount(c->hw_ip.tpc_enabled_mask),
		     c->hw_ip.tpc_enabled_mask);
	show_sensors(out, c);
	show_versions(out, c);
}

void show_text(FILE *out, const struct card_info *infos, size_t count)
{
	show_table(out, infos, count);
	for (size_t i = 0; i < count; i++) {
		if (i)
			fputc('\n', out);
		show_card(out, &infos[i]);
	}
}
