// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ports that are used, for administrators: nicN/ beside the other attributes in
 * sysfs, one value a file; and in debugfs nic_stats, all counters in the form of
 * "ethtool -S", and nic_connections, what each queue pair is doing. A card without
 * ports has none of these.
 */
#include <linux/debugfs.h>
#include <linux/device.h>
#include <linux/pci.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "../core/gaudi_device.h"
#include "../core/gaudi_gate.h"
#include "../hw/gaudi_blocks.h"
#include "../nic/gaudi_ports.h"
#include "gaudi_nic_files.h"

struct gaudi_nic_value {
	const char *name;
	u16 off;		/* in struct drm_gaudi_nic_port_info */
	u8 size;
};

#define VALUE(field) \
	{ #field, offsetof(struct drm_gaudi_nic_port_info, field), \
	  sizeof_field(struct drm_gaudi_nic_port_info, field) }

static const struct gaudi_nic_value gaudi_nic_values[] = {
	VALUE(speed_mbps), VALUE(link_changes), VALUE(errors),
	VALUE(tx_packets), VALUE(tx_bytes), VALUE(rx_packets), VALUE(rx_bytes),
	VALUE(retries), VALUE(out_of_order), VALUE(duplicates), VALUE(dropped),
};

/* These are not numbers. */
enum { GAUDI_NIC_LINK, GAUDI_NIC_MAC, GAUDI_NIC_EXTERNAL, GAUDI_NIC_TEXTS };
#define GAUDI_NIC_ATTRS		(GAUDI_NIC_TEXTS + ARRAY_SIZE(gaudi_nic_values))

struct gaudi_nic_attr {
	struct device_attribute attr;
	u8 port;
	u8 what;
};

/* One port's folder. */
struct gaudi_nic_folder {
	char name[8];
	struct attribute_group group;
	struct attribute *list[GAUDI_NIC_ATTRS + 1];
	struct gaudi_nic_attr attrs[GAUDI_NIC_ATTRS];
};

static u64 gaudi_nic_value(const struct drm_gaudi_nic_port_info *info,
			   const struct gaudi_nic_value *v)
{
	const void *at = (const void *)info + v->off;

	return v->size == sizeof(u64) ? *(const u64 *)at : *(const u32 *)at;
}

static const char *gaudi_nic_link_text(const struct drm_gaudi_nic_port_info *i)
{
	return i->flags & GAUDI_NIC_PORT_LINK_UP ? "up" : "down";
}

static ssize_t gaudi_nic_attr_show(struct device *dev,
				   struct device_attribute *attr, char *buf)
{
	const struct gaudi_nic_attr *a =
		container_of(attr, struct gaudi_nic_attr, attr);
	struct gaudi_device *gdev = dev_get_drvdata(dev);
	struct drm_gaudi_nic_port_info info;

	if (gaudi_reset_enter(gdev))
		return -ENODEV;
	gaudi_nic_port_info(gdev, a->port, &info);
	gaudi_reset_exit(gdev);
	switch (a->what) {
	case GAUDI_NIC_LINK:
		return sysfs_emit(buf, "%s\n", gaudi_nic_link_text(&info));
	case GAUDI_NIC_MAC:
		return sysfs_emit(buf, "%pM\n", info.mac);
	case GAUDI_NIC_EXTERNAL:
		return sysfs_emit(buf, "%u\n",
				  !!(info.flags & GAUDI_NIC_PORT_EXTERNAL));
	default:
		return sysfs_emit(buf, "%llu\n", gaudi_nic_value(&info,
				  &gaudi_nic_values[a->what - GAUDI_NIC_TEXTS]));
	}
}

static const char *gaudi_nic_attr_name(unsigned int what)
{
	static const char * const texts[] = {
		[GAUDI_NIC_LINK] = "link", [GAUDI_NIC_MAC] = "mac",
		[GAUDI_NIC_EXTERNAL] = "external",
	};

	return what < GAUDI_NIC_TEXTS ? texts[what] :
	       gaudi_nic_values[what - GAUDI_NIC_TEXTS].name;
}

static struct gaudi_nic_folder *gaudi_nic_folder_new(struct gaudi_device *gdev,
						     unsigned int port)
{
	struct gaudi_nic_folder *f;
	unsigned int i;

	f = devm_kzalloc(&gdev->pdev->dev, sizeof(*f), GFP_KERNEL);
	if (!f)
		return NULL;
	snprintf(f->name, sizeof(f->name), "nic%u", port);
	f->group.name = f->name;
	f->group.attrs = f->list;
	for (i = 0; i < GAUDI_NIC_ATTRS; i++) {
		struct gaudi_nic_attr *a = &f->attrs[i];

		a->port = port;
		a->what = i;
		sysfs_attr_init(&a->attr.attr);
		a->attr.attr.name = gaudi_nic_attr_name(i);
		a->attr.attr.mode = 0444;
		a->attr.show = gaudi_nic_attr_show;
		f->list[i] = &a->attr.attr;
	}
	return f;
}

int gaudi_nic_sysfs_add(struct gaudi_device *gdev,
			const struct attribute_group **groups)
{
	struct gaudi_nic_folder *f;
	unsigned int port, n = 0;

	for_each_nic_port(gdev, port) {
		f = gaudi_nic_folder_new(gdev, port);
		if (!f)
			return -ENOMEM;
		groups[n++] = &f->group;
	}
	return 0;
}

static int gaudi_nic_debugfs_stats_show(struct seq_file *s, void *unused)
{
	struct gaudi_device *gdev = s->private;
	struct drm_gaudi_nic_port_info info;
	unsigned int port, i;

	if (gaudi_reset_enter(gdev))
		return -EAGAIN;
	for_each_nic_port(gdev, port) {
		gaudi_nic_port_info(gdev, port, &info);
		seq_printf(s, "NIC%u statistics: link %s, %pM\n", port,
			   gaudi_nic_link_text(&info), info.mac);
		for (i = 0; i < ARRAY_SIZE(gaudi_nic_values); i++)
			seq_printf(s, "     %s: %llu\n",
				   gaudi_nic_values[i].name,
				   gaudi_nic_value(&info,
						   &gaudi_nic_values[i]));
	}
	gaudi_reset_exit(gdev);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(gaudi_nic_debugfs_stats);

static int gaudi_nic_debugfs_connections_show(struct seq_file *s, void *unused)
{
	struct gaudi_device *gdev = s->private;
	int ret;

	if (gaudi_reset_enter(gdev))
		return -EAGAIN;
	ret = gaudi_nic_show_conns(gdev, s);
	gaudi_reset_exit(gdev);
	return ret;
}
DEFINE_SHOW_ATTRIBUTE(gaudi_nic_debugfs_connections);

void gaudi_nic_debugfs_add(struct gaudi_device *gdev, struct dentry *root)
{
	if (!gdev->nic_ports)
		return;
	debugfs_create_file("nic_stats", 0444, root, gdev,
			    &gaudi_nic_debugfs_stats_fops);
	debugfs_create_file("nic_connections", 0400, root, gdev,
			    &gaudi_nic_debugfs_connections_fops);
}
