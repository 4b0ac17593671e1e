/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* Sensors: kinds and attributes, by Linux's numbers, of those that the driver names. */
#ifndef SIM_KERNEL_HWMON_H
#define SIM_KERNEL_HWMON_H

#include "device.h"

enum hwmon_sensor_types {
	hwmon_chip, hwmon_temp, hwmon_in, hwmon_curr, hwmon_power, hwmon_energy,
	hwmon_humidity, hwmon_fan, hwmon_pwm, hwmon_intrusion, hwmon_max,
};

enum {
	hwmon_temp_enable, hwmon_temp_input, hwmon_temp_max = 7,
	hwmon_temp_max_hyst, hwmon_temp_crit, hwmon_temp_crit_hyst,
	hwmon_temp_offset = 20, hwmon_temp_highest = 23,
	hwmon_temp_reset_history,
};

enum {
	hwmon_in_enable, hwmon_in_input, hwmon_in_min, hwmon_in_max,
	hwmon_in_highest = 8, hwmon_in_reset_history,
};

enum {
	hwmon_curr_enable, hwmon_curr_input, hwmon_curr_min, hwmon_curr_max,
	hwmon_curr_highest = 8, hwmon_curr_reset_history,
};

enum {
	hwmon_power_enable, hwmon_power_input = 9, hwmon_power_input_highest,
	hwmon_power_reset_history = 12,
};

enum { hwmon_fan_enable, hwmon_fan_input, hwmon_fan_min = 3, hwmon_fan_max };

enum { hwmon_pwm_input, hwmon_pwm_enable, hwmon_pwm_mode };

#define HWMON_T_ENABLE		BIT(hwmon_temp_enable)
#define HWMON_T_INPUT		BIT(hwmon_temp_input)
#define HWMON_T_MAX		BIT(hwmon_temp_max)
#define HWMON_T_MAX_HYST	BIT(hwmon_temp_max_hyst)
#define HWMON_T_CRIT		BIT(hwmon_temp_crit)
#define HWMON_T_CRIT_HYST	BIT(hwmon_temp_crit_hyst)
#define HWMON_T_OFFSET		BIT(hwmon_temp_offset)
#define HWMON_T_HIGHEST		BIT(hwmon_temp_highest)
#define HWMON_T_RESET_HISTORY	BIT(hwmon_temp_reset_history)
#define HWMON_I_ENABLE		BIT(hwmon_in_enable)
#define HWMON_I_INPUT		BIT(hwmon_in_input)
#define HWMON_I_MIN		BIT(hwmon_in_min)
#define HWMON_I_MAX		BIT(hwmon_in_max)
#define HWMON_I_HIGHEST		BIT(hwmon_in_highest)
#define HWMON_I_RESET_HISTORY	BIT(hwmon_in_reset_history)
#define HWMON_C_ENABLE		BIT(hwmon_curr_enable)
#define HWMON_C_INPUT		BIT(hwmon_curr_input)
#define HWMON_C_MIN		BIT(hwmon_curr_min)
#define HWMON_C_MAX		BIT(hwmon_curr_max)
#define HWMON_C_HIGHEST		BIT(hwmon_curr_highest)
#define HWMON_C_RESET_HISTORY	BIT(hwmon_curr_reset_history)
#define HWMON_P_ENABLE		BIT(hwmon_power_enable)
#define HWMON_P_INPUT		BIT(hwmon_power_input)
#define HWMON_P_INPUT_HIGHEST	BIT(hwmon_power_input_highest)
#define HWMON_P_RESET_HISTORY	BIT(hwmon_power_reset_history)
#define HWMON_F_ENABLE		BIT(hwmon_fan_enable)
#define HWMON_F_INPUT		BIT(hwmon_fan_input)
#define HWMON_F_MIN		BIT(hwmon_fan_min)
#define HWMON_F_MAX		BIT(hwmon_fan_max)
#define HWMON_PWM_INPUT		BIT(hwmon_pwm_input)
#define HWMON_PWM_ENABLE	BIT(hwmon_pwm_enable)
#define HWMON_PWM_MODE		BIT(hwmon_pwm_mode)

struct hwmon_ops {
	umode_t (*is_visible)(const void *data, enum hwmon_sensor_types type,
			      u32 attr, int channel);
	int (*read)(struct device *dev, enum hwmon_sensor_types type, u32 attr,
		    int channel, long *value);
	int (*write)(struct device *dev, enum hwmon_sensor_types type, u32 attr,
		     int channel, long value);
};

/* A channel's attributes, as bits; the last one has none. */
struct hwmon_channel_info { enum hwmon_sensor_types type; const u32 *config; };
struct hwmon_chip_info {
	const struct hwmon_ops *ops;
	const struct hwmon_channel_info *const *info;
};

#define hwmon_is_bad_char(c)	((c) == '-' || (c) == '*' || isspace(c))
/* ../fs/hwmon.c: files, which stay. */
struct device *hwmon_device_register_with_info(struct device *parent,
					       const char *name, void *drvdata,
					       const struct hwmon_chip_info *chip,
					       const void *groups);
#define hwmon_device_unregister(dev) ((void)(dev))

#endif /* SIM_KERNEL_HWMON_H */
