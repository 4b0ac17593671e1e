// SPDX-License-Identifier: MIT
/* Ask one card everything, by its control node and its hwmon. */
#include <string.h>

#include "info.h"

void info_gather(struct card_info *info, const struct card *card)
{
	int fd;

	memset(info, 0, sizeof(*info));
	info->card = *card;
	info->num_sensors = card_sensors(card, info->sensors, MAX_SENSORS);

	fd = hlthunk_open_control(card->index, NULL);
	if (fd < 0) {
		info->open_err = fd;
		info->hw_ip_err = fd;
		info->status_err = fd;
		info->dram_err = fd;
		info->idle_err = fd;
		info->clk_err = fd;
		info->power_err = fd;
		info->energy_err = fd;
		info->reset_err = fd;
		info->open_stats_err = fd;
		info->throttle_err = fd;
		return;
	}

	info->hw_ip_err = hlthunk_get_hw_ip_info(fd, &info->hw_ip);
	info->status = hlthunk_get_device_status_info(fd);
	if ((int)info->status < 0)
		info->status_err = (int)info->status;
	info->dram_err = hlthunk_get_dram_usage(fd, &info->dram);
	info->idle_err = hlthunk_get_busy_engines_mask(fd, &info->idle);
	info->clk_err = hlthunk_get_clk_rate(fd, &info->clk_cur_mhz,
					     &info->clk_max_mhz);
	info->power_err = hlthunk_get_power_info(fd, &info->power);
	info->energy_err = hlthunk_get_total_energy_consumption_info(fd,
							&info->energy);
	info->reset_err = hlthunk_get_reset_count_info(fd, &info->resets);
	info->open_stats_err = hlthunk_get_open_stats(fd, &info->open_stats);
	info->throttle_err = hlthunk_get_clk_throttle_info(fd,
							   &info->throttle);
	hlthunk_close(fd);
}

const char *info_status(const struct card_info *info)
{
	static const char * const names[] = {
		[HL_DEVICE_STATUS_OPERATIONAL] = "operational",
		[HL_DEVICE_STATUS_IN_RESET] = "in reset",
		[HL_DEVICE_STATUS_MALFUNCTION] = "malfunction",
		[HL_DEVICE_STATUS_NEEDS_RESET] = "needs reset",
		[HL_DEVICE_STATUS_IN_DEVICE_CREATION] = "in creation",
		[HL_DEVICE_STATUS_IN_RESET_AFTER_DEVICE_RELEASE] =
			"in reset after release",
	};

	if (!info->status_err &&
	    info->status < sizeof(names) / sizeof(names[0]))
		return names[info->status];
	if (info->card.status[0])
		return info->card.status;

	return "unknown";
}

const char *info_chip(const struct card_info *info)
{
	switch (info->card.device_id) {
	case 0x0001:
		return "Goya";
	case 0x1000:
	case 0x1001:
		return "Gaudi";
	case 0x1010:
	case 0x1011:
		return "Gaudi (secured)";
	case 0x1020:
		return "Gaudi 2";
	}

	return "unknown";
}

bool info_temperature(const struct card_info *info, long long *val)
{
	for (size_t i = 0; i < info->num_sensors; i++) {
		if (info->sensors[i].type == SENSOR_TEMP) {
			*val = info->sensors[i].value;
			return true;
		}
	}

	return false;
}

bool info_module_id(const struct card_info *info, uint32_t *id)
{
	if (!info->hw_ip_err)
		*id = info->hw_ip.module_id;
	else if (info->card.has_module_id)
		*id = info->card.module_id;
	else
		return false;

	return true;
}
