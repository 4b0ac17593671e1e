// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* Sensors: the files that Linux makes of what a driver says of its channels. */
#include "../kernel/nodes.h"
#include "grow.h"

/* Behind the channel's number, by the attribute's; as Linux has them. */
static const struct {
	const char *prefix;
	unsigned int first;	/* the number of the first channel */
	const char *attrs[32];
} types[hwmon_max] = {
	[hwmon_temp] = { "temp", 1, {
		[hwmon_temp_enable] = "_enable",
		[hwmon_temp_input] = "_input",
		[hwmon_temp_max] = "_max",
		[hwmon_temp_max_hyst] = "_max_hyst",
		[hwmon_temp_crit] = "_crit",
		[hwmon_temp_crit_hyst] = "_crit_hyst",
		[hwmon_temp_offset] = "_offset",
		[hwmon_temp_highest] = "_highest",
		[hwmon_temp_reset_history] = "_reset_history",
	} },
	[hwmon_in] = { "in", 0, {
		[hwmon_in_enable] = "_enable",
		[hwmon_in_input] = "_input",
		[hwmon_in_min] = "_min",
		[hwmon_in_max] = "_max",
		[hwmon_in_highest] = "_highest",
		[hwmon_in_reset_history] = "_reset_history",
	} },
	[hwmon_curr] = { "curr", 1, {
		[hwmon_curr_enable] = "_enable",
		[hwmon_curr_input] = "_input",
		[hwmon_curr_min] = "_min",
		[hwmon_curr_max] = "_max",
		[hwmon_curr_highest] = "_highest",
		[hwmon_curr_reset_history] = "_reset_history",
	} },
	[hwmon_power] = { "power", 1, {
		[hwmon_power_enable] = "_enable",
		[hwmon_power_input] = "_input",
		[hwmon_power_input_highest] = "_input_highest",
		[hwmon_power_reset_history] = "_reset_history",
	} },
	[hwmon_fan] = { "fan", 1, {
		[hwmon_fan_enable] = "_enable",
		[hwmon_fan_input] = "_input",
		[hwmon_fan_min] = "_min",
		[hwmon_fan_max] = "_max",
	} },
	[hwmon_pwm] = { "pwm", 1, {
		[hwmon_pwm_input] = "",
		[hwmon_pwm_enable] = "_enable",
		[hwmon_pwm_mode] = "_mode",
	} },
};

struct sensor {
	const struct hwmon_ops *ops;
	enum hwmon_sensor_types type;
	u32 attr;
	int channel;
};

static ssize_t show_sensor(const struct sim_entry *e, char **text)
{
	const struct sensor *s = e->what;
	long value;
	int rc = s->ops->read(e->owner, s->type, s->attr, s->channel, &value);

	if (rc)
		return rc;
	return asprintf(text, "%ld\n", value) < 0 ? -ENOMEM :
						    (ssize_t)strlen(*text);
}

static ssize_t store_sensor(const struct sim_entry *e, const char *text,
			    size_t size)
{
	const struct sensor *s = e->what;
	char *end;
	long value;

	/* strtol() alone would take spaces, and the most that there is. */
	if (isspace((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	value = strtol(text, &end, 10);
	if (errno)
		return -ERANGE;
	if (end == text || (*end && *end != '\n'))
		return -EINVAL;
	return s->ops->write(e->owner, s->type, s->attr, s->channel, value) ?:
	       (ssize_t)size;
}

static const struct sim_entry_ops sensor_ops = {
	.show = show_sensor,
	.store = store_sensor,
};

static void add_sensor(struct sim_entry *dir, struct device *dev, void *drvdata,
		       const struct sensor *sensor)
{
	const char *attr = types[sensor->type].attrs[sensor->attr];
	umode_t mode = sensor->ops->is_visible(drvdata, sensor->type,
					       sensor->attr, sensor->channel);
	struct sensor *own;
	char name[32];

	if (!mode || !attr)
		return;
	scnprintf(name, sizeof(name), "%s%u%s", types[sensor->type].prefix,
		  types[sensor->type].first + sensor->channel, attr);
	own = devm_kzalloc(dev, sizeof(*own), 0);
	if (!own)
		return;
	*own = *sensor;
	sim_entry_file(dir, name, mode, &sensor_ops, dev, own, 0);
}

static void add_channels(struct sim_entry *dir, struct device *dev,
			 void *drvdata, const struct hwmon_ops *ops,
			 const struct hwmon_channel_info *info)
{
	struct sensor s = { .ops = ops, .type = info->type };

	for (s.channel = 0; info->config[s.channel]; s.channel++)
		for (s.attr = 0; s.attr < 32; s.attr++)
			if (info->config[s.channel] & 1u << s.attr)
				add_sensor(dir, dev, drvdata, &s);
}

/* A number that the kernel's own sensors have not; cards have them in order. */
static unsigned int hwmon_number(unsigned int n)
{
	char path[64];
	unsigned int first = 0;

	do
		scnprintf(path, sizeof(path), "/sys/class/hwmon/hwmon%u",
			  first++);
	while (sim_entry_host_has(path));
	return first - 1 + n;
}

struct device *hwmon_device_register_with_info(struct device *parent,
					       const char *name, void *drvdata,
					       const struct hwmon_chip_info *chip,
					       const void *groups)
{
	struct device *dev = devm_kzalloc(parent, sizeof(*dev), 0);
	unsigned int n = pci_irq_vector(to_pci_dev(parent), 0), i;
	struct sim_entry *dir = sim_entry_dir(sim_entry_slot(n), "hwmon");

	if (!dev)
		return ERR_PTR(-ENOMEM);
	device_initialize(dev);
	dev->drvdata = drvdata;
	dev_set_name(dev, "hwmon%u", hwmon_number(n));
	dir = sim_entry_dir(dir, dev->name);
	sim_entry_text(dir, "name", "%s\n", name);
	sim_entry_text(dir, "uevent", "%s", "");
	sim_entry_link(dir, "device", "../../../%s", parent->name);
	sim_entry_link(dir, "subsystem", "../../../../../class/hwmon");
	for (i = 0; chip->info[i]; i++)
		add_channels(dir, dev, drvdata, chip->ops, chip->info[i]);
	sim_entry_link(sim_entry_merged("/sys/class/hwmon"), dev->name,
		       "../../devices/pci0000:00/%s/hwmon/%s", parent->name,
		       dev->name);
	return dev;
}
