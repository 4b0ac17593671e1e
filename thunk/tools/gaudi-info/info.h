/* SPDX-License-Identifier: MIT */
/* gaudi-info: what was learnt of a card, and how it is shown. */
#ifndef GAUDI_INFO_H
#define GAUDI_INFO_H

#include <stdbool.h>
#include <stdio.h>

#include "cards.h"
#include "hlthunk.h"

#define MAX_SENSORS	32

/* Every answer has its own errno: what a card refuses does not hide the rest */
struct card_info {
	struct card card;
	int open_err;			/* of the control node */

	int hw_ip_err;
	struct hlthunk_hw_ip_info hw_ip;
	int status_err;
	enum hl_device_status status;
	int dram_err;
	struct hlthunk_dram_usage_info dram;
	int idle_err;
	struct hlthunk_engines_idle_info idle;
	int clk_err;
	uint32_t clk_cur_mhz;
	uint32_t clk_max_mhz;
	int power_err;
	struct hlthunk_power_info power;
	int energy_err;
	struct hlthunk_energy_info energy;
	int reset_err;
	struct hlthunk_reset_count_info resets;
	int open_stats_err;
	struct hlthunk_open_stats_info open_stats;
	int throttle_err;
	struct hlthunk_clk_throttle_info throttle;

	struct sensor sensors[MAX_SENSORS];
	size_t num_sensors;
};

/* Asks the control node; never the compute node, so it disturbs no user. */
void info_gather(struct card_info *info, const struct card *card);
const char *info_status(const struct card_info *info);
/* The PCI name of the chip: "Gaudi", ... */
const char *info_chip(const struct card_info *info);
/* The first temperature sensor in millidegrees, false if there is none. */
bool info_temperature(const struct card_info *info, long long *val);
bool info_module_id(const struct card_info *info, uint32_t *id);

void show_text(FILE *out, const struct card_info *infos, size_t count);
/* 0, or -ENOMEM */
int show_json(FILE *out, const struct card_info *infos, size_t count);
/* Network ports instead. */
void show_links(FILE *out, const struct card_info *infos, size_t count);
int show_links_json(FILE *out, const struct card_info *infos, size_t count);

#endif /* GAUDI_INFO_H */
