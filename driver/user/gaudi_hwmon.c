// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sensors. Which ones exist is firmware's to say; their values are messages to
 * it. The list is untrusted: types and counts are bounded here.
 */
#include <linux/ctype.h>
#include <linux/hwmon.h>
#include <linux/pci.h>

#include "../core/gaudi_device.h"
#include "../firmware/gaudi_cpucp.h"
#include "gaudi_user.h"

struct gaudi_hwmon_type {
	u32 get, set;		/* message opcodes; set 0: read-only */
	u32 readable;		/* attributes, bits as the kernel numbers them */
	u32 writable;
	/* Firmware numbers attributes from "input"; the kernel has "enable". */
	bool shifted;
	/* A hidden attribute: a sensor with no other keeps its index. */
	u32 hidden;
};

/* By enum hwmon_sensor_types, which firmware uses as well. */
static const struct gaudi_hwmon_type gaudi_hwmon_types[hwmon_max] = {
	[hwmon_temp] = {
		.get = GAUDI_CPUCP_TEMPERATURE_GET,
		.set = GAUDI_CPUCP_TEMPERATURE_SET,
		.readable = HWMON_T_INPUT | HWMON_T_MAX | HWMON_T_MAX_HYST |
			    HWMON_T_CRIT | HWMON_T_CRIT_HYST |
			    HWMON_T_OFFSET | HWMON_T_HIGHEST,
		.writable = HWMON_T_OFFSET | HWMON_T_RESET_HISTORY,
		.shifted = true,
		.hidden = HWMON_T_ENABLE,
	},
	[hwmon_in] = {
		.get = GAUDI_CPUCP_VOLTAGE_GET,
		.set = GAUDI_CPUCP_VOLTAGE_SET,
		.readable = HWMON_I_INPUT | HWMON_I_MIN | HWMON_I_MAX |
			    HWMON_I_HIGHEST,
		.writable = HWMON_I_RESET_HISTORY,
		.shifted = true,
		.hidden = HWMON_I_ENABLE,
	},
	[hwmon_curr] = {
		.get = GAUDI_CPUCP_CURRENT_GET,
		.set = GAUDI_CPUCP_CURRENT_SET,
		.readable = HWMON_C_INPUT | HWMON_C_MIN | HWMON_C_MAX |
			    HWMON_C_HIGHEST,
		.writable = HWMON_C_RESET_HISTORY,
		.shifted = true,
		.hidden = HWMON_C_ENABLE,
	},
	[hwmon_power] = {
		.get = GAUDI_CPUCP_POWER_GET,
		.set = GAUDI_CPUCP_POWER_SET,
		.readable = HWMON_P_INPUT | HWMON_P_INPUT_HIGHEST,
		.writable = HWMON_P_RESET_HISTORY,
		.shifted = true,
		.hidden = HWMON_P_ENABLE,
	},
	[hwmon_fan] = {
		.get = GAUDI_CPUCP_FAN_SPEED_GET,
		.readable = HWMON_F_INPUT | HWMON_F_MIN | HWMON_F_MAX,
		.shifted = true,
		.hidden = HWMON_F_ENABLE,
	},
	[hwmon_pwm] = {
		.get = GAUDI_CPUCP_PWM_GET,
		.set = GAUDI_CPUCP_PWM_SET,
		.readable = HWMON_PWM_INPUT | HWMON_PWM_ENABLE,
		.writable = HWMON_PWM_INPUT | HWMON_PWM_ENABLE,
		.hidden = HWMON_PWM_MODE,
	},
};

/* Firmware has numbers of its own, or (older) has taken the kernel's. */
static bool gaudi_hwmon_maps(struct gaudi_device *gdev,
			     const struct gaudi_hwmon_type *t)
{
	return t->shifted && (gdev->boot_sts0 & GAUDI_BOOT_STS0_MAP_HWMON_EN);
}

static umode_t gaudi_hwmon_is_visible(const void *data,
				      enum hwmon_sensor_types type, u32 attr,
				      int channel)
{
	const struct gaudi_hwmon_type *t = &gaudi_hwmon_types[type];

	return (t->readable & BIT(attr) ? 0444 : 0) |
	       (t->writable & BIT(attr) ? 0200 : 0);
}

static int gaudi_hwmon_read(struct device *dev, enum hwmon_sensor_types type,
			    u32 attr, int channel, long *val)
{
	const struct gaudi_hwmon_type *t = &gaudi_hwmon_types[type];
	struct gaudi_device *gdev = dev_get_drvdata(dev);
	u64 value;
	int ret;

	if (!gaudi_device_operational(gdev))
		return -ENODEV;
	attr -= gaudi_hwmon_maps(gdev, t);
	ret = gaudi_cpucp_send(gdev, GAUDI_CPUCP_PKT(t->get,
			       .sensor_index = cpu_to_le16(channel),
			       .type = cpu_to_le16(attr)), 0, &value);
	if (!ret)
		*val = value;
	return ret;
}

static int gaudi_hwmon_write(struct device *dev, enum hwmon_sensor_types type,
			     u32 attr, int channel, long val)
{
	const struct gaudi_hwmon_type *t = &gaudi_hwmon_types[type];
	struct gaudi_device *gdev = dev_get_drvdata(dev);

	if (!gaudi_device_operational(gdev))
		return -ENODEV;
	attr -= gaudi_hwmon_maps(gdev, t);
	return gaudi_cpucp_send(gdev, GAUDI_CPUCP_PKT(t->set,
				.sensor_index = cpu_to_le16(channel),
				.type = cpu_to_le16(attr),
				.value = cpu_to_le64(val)), 0, NULL);
}

static const struct hwmon_ops gaudi_hwmon_ops = {
	.is_visible = gaudi_hwmon_is_visible,
	.read = gaudi_hwmon_read,
	.write = gaudi_hwmon_write,
};

/* All that the hwmon core keeps pointers to. */
struct gaudi_hwmon {
	struct hwmon_chip_info chip;
	const struct hwmon_channel_info *channels[hwmon_max + 1];
	struct hwmon_channel_info channel[hwmon_max];
	/* Attributes per sensor; a zero ends a type's list. */
	u32 config[hwmon_max][GAUDI_CPUCP_MAX_SENSORS + 1];
	unsigned int count[hwmon_max];
	char name[GAUDI_CARD_NAME_LEN];
};

static unsigned int gaudi_hwmon_collect(struct gaudi_device *gdev,
					struct gaudi_hwmon *h)
{
	unsigned int i, total = 0;

	for (i = 0; i < GAUDI_CPUCP_MAX_SENSORS; i++) {
		u32 type = le32_to_cpu(gdev->info.sensors[i].type);
		u32 flags = le32_to_cpu(gdev->info.sensors[i].flags);
		const struct gaudi_hwmon_type *t;

		if (!type && !flags)
			break;
		if (type >= hwmon_max || !gaudi_hwmon_types[type].get) {
			drm_dbg(&gdev->drm, "sensor %u has type %u\n", i, type);
			continue;
		}
		t = &gaudi_hwmon_types[type];
		if (gaudi_hwmon_maps(gdev, t))
			flags <<= 1;
		/* The place in the list is the number that firmware knows. */
		flags &= t->readable | t->writable;
		h->config[type][h->count[type]++] = flags | t->hidden;
		total++;
	}
	return total;
}

static void gaudi_hwmon_name(struct gaudi_device *gdev, struct gaudi_hwmon *h)
{
	char *c;

	strscpy(h->name, gdev->info.card_name);
	/* The hwmon core wants names that scripts can cope with. */
	for (c = h->name; *c; c++)
		if (hwmon_is_bad_char(*c) || !isprint(*c))
			*c = '_';
}

int gaudi_hwmon_add(struct gaudi_device *gdev)
{
	struct device *dev = &gdev->pdev->dev;
	unsigned int type, n = 0;
	struct gaudi_hwmon *h;

	h = devm_kzalloc(dev, sizeof(*h), GFP_KERNEL);
	if (!h)
		return -ENOMEM;
	if (!gaudi_hwmon_collect(gdev, h)) {
		drm_info(&gdev->drm, "firmware reports no sensors\n");
		return 0;
	}
	for (type = 0; type < hwmon_max; type++) {
		if (!h->count[type])
			continue;
		h->channel[n].type = type;
		h->channel[n].config = h->config[type];
		h->channels[n] = &h->channel[n];
		n++;
	}
	h->chip.ops = &gaudi_hwmon_ops;
	h->chip.info = h->channels;
	gaudi_hwmon_name(gdev, h);

	gdev->hwmon_dev = hwmon_device_register_with_info(dev, h->name, gdev,
							  &h->chip, NULL);
	if (IS_ERR(gdev->hwmon_dev)) {
		int ret = PTR_ERR(gdev->hwmon_dev);

		gdev->hwmon_dev = NULL;
		drm_err(&gdev->drm, "cannot register sensors: %d\n", ret);
		return ret;
	}
	return 0;
}

void gaudi_hwmon_remove(struct gaudi_device *gdev)
{
	if (gdev->hwmon_dev)
		hwmon_device_unregister(gdev->hwmon_dev);
	gdev->hwmon_dev = NULL;
}
