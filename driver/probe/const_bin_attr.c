// SPDX-License-Identifier: GPL-2.0-only
/* Whether binary attributes of sysfs are constant; since 6.16. */
#include <linux/sysfs.h>

#if PROBE
#define probe_const const
#else
#define probe_const
#endif

static ssize_t probe_read(struct file *filp, struct kobject *kobj,
			  probe_const struct bin_attribute *attr, char *buf,
			  loff_t off, size_t count)
{
	return 0;
}

static probe_const BIN_ATTR_RO(probe, 16);

static probe_const struct bin_attribute *probe_const probe_attrs[] = {
	&bin_attr_probe,
	NULL
};

const struct attribute_group probe_group = {
	.bin_attrs = probe_attrs,
};
