// SPDX-License-Identifier: GPL-2.0-only
/*
 * debugfs, in /sys/kernel/debug/accel/<PCI address>/: files that mainline has,
 * in its formats, and "events", which it has not.
 *
 * They go away with DRM's directory.
 */
#include <drm/drm_drv.h>
#include <linux/debugfs.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "gaudi_device.h"
#include "gaudi_drv.h"
#include "gaudi_events.h"
#include "gaudi_hw.h"
#include "gaudi_reg_io.h"

static int engines_show(struct seq_file *s, void *unused)
{
	struct gaudi_device *gdev = s->private;
	int ret = gaudi_reset_enter(gdev);

	if (ret) {
		seq_puts(s, "device is not operational\n");
		return 0;
	}
	gaudi_engines_idle(gdev, NULL, 0, s);
	gaudi_reset_exit(gdev);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(engines);

static int events_show(struct seq_file *s, void *unused)
{
	struct gaudi_device *gdev = s->private;
	u32 *total __free(kvfree) = kvcalloc(GAUDI_NUM_EVENTS, sizeof(*total),
					     GFP_KERNEL);
	char name[32];
	u32 i;

	if (!total)
		return -ENOMEM;
	gaudi_events_counters(gdev, true, total, GAUDI_NUM_EVENTS);
	for (i = 0; i < GAUDI_NUM_EVENTS; i++) {
		if (!total[i])
			continue;
		gaudi_event_name(i, name, sizeof(name));
		seq_printf(s, "%u %s: %u\n", i, name, total[i]);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(events);

static int reset_count_show(struct seq_file *s, void *unused)
{
	seq_printf(s, "%u\n", gaudi_reset_count(s->private));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(reset_count);

/* Peek and poke: where "addr" points, as mainline's data32 and data64. */
struct gaudi_debugfs {
	struct gaudi_device *gdev;
	u64 addr;
};

/* Memory behind a device address that a BAR shows, or NULL. */
static void __iomem *gaudi_debugfs_window(struct gaudi_device *gdev, u64 addr,
					  size_t size)
{
	const struct {
		u64 base, size;
		void __iomem *mem;
	} windows[] = {
		{ GAUDI_CFG_BASE, GAUDI_CFG_SIZE, gdev->regs },
		{ GAUDI_SRAM_BASE, GAUDI_SRAM_SIZE, gdev->sram },
		{ GAUDI_HBM_BASE, gdev->hbm_bar_size, gdev->hbm },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(windows); i++)
		if (addr >= windows[i].base &&
		    addr - windows[i].base <= windows[i].size - size)
			return windows[i].mem + (addr - windows[i].base);
	return NULL;
}

static int gaudi_debugfs_access(struct gaudi_debugfs *d, size_t size, bool wr,
				u64 *val)
{
	void __iomem *mem;
	int ret;

	if (d->addr % size)
		return -EINVAL;
	mem = gaudi_debugfs_window(d->gdev, d->addr, size);
	if (!mem)
		return -EINVAL;
	ret = gaudi_reset_enter(d->gdev);
	if (ret)
		return ret;
	if (size == sizeof(u32) && wr)
		writel(*val, mem);
	else if (size == sizeof(u32))
		*val = readl(mem);
	else if (wr)
		writeq(*val, mem);
	else
		*val = readq(mem);
	gaudi_reset_exit(d->gdev);
	return 0;
}

static int data32_get(void *data, u64 *val)
{
	return gaudi_debugfs_access(data, sizeof(u32), false, val);
}

static int data32_set(void *data, u64 val)
{
	return gaudi_debugfs_access(data, sizeof(u32), true, &val);
}
DEFINE_DEBUGFS_ATTRIBUTE(data32_fops, data32_get, data32_set, "0x%08llx\n");

static int data64_get(void *data, u64 *val)
{
	return gaudi_debugfs_access(data, sizeof(u64), false, val);
}

static int data64_set(void *data, u64 val)
{
	return gaudi_debugfs_access(data, sizeof(u64), true, &val);
}
DEFINE_DEBUGFS_ATTRIBUTE(data64_fops, data64_get, data64_set, "0x%016llx\n");

void gaudi_debugfs_add(struct gaudi_device *gdev)
{
	struct dentry *root = gdev->drm.debugfs_root;
	struct gaudi_debugfs *d;

	d = devm_kzalloc(&gdev->pdev->dev, sizeof(*d), GFP_KERNEL);
	if (!d)
		return;
	d->gdev = gdev;
	gdev->debugfs_root = root;
	debugfs_create_file("engines", 0444, root, gdev, &engines_fops);
	debugfs_create_file("events", 0444, root, gdev, &events_fops);
	debugfs_create_file("reset_count", 0444, root, gdev,
			    &reset_count_fops);
	debugfs_create_x64("addr", 0644, root, &d->addr);
	debugfs_create_file("data32", 0644, root, d, &data32_fops);
	debugfs_create_file("data64", 0644, root, d, &data64_fops);
}
