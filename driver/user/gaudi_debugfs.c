// SPDX-License-Identifier: GPL-2.0-only
/*
 * debugfs, in /sys/kernel/debug/accel/<PCI address>/, under mainline's names
 * and in mainline's formats:
 *
 *   engines			which engine works, and its status
 *   device			disable, enable, suspend, resume, cpu_timeout
 *   timeout_locked		seconds until a submission is stuck
 *   skip_reset_on_timeout	1: such submissions are reported, no more
 *   device_release_watchdog_timeout	seconds that a reset waits for a user
 *   stop_on_err		1: QMANs stop at errors; resets the card
 *   server_type		of the box: 0, unknown
 *   i2c_{bus,addr,reg,len,data}, led0..2	the board, through firmware
 *   addr data32 data64 dma_size data_dma monitor_dump_trig monitor_dump
 *   memory_scrub memory_scrub_val mmu
 *				gaudi_debugfs_mem.c
 *   command_buffers command_submission command_submission_jobs userptr
 *   userptr_lookup vm		gaudi_debugfs_user.c
 *   state_dump			gaudi_state_dump.c
 *
 * but not what has no effect on this chip, nor set_power_state: power/control does
 * it. And what mainline has not: events (every event ever, by name), reset_count;
 * nic_stats, nic_connections (gaudi_nic_files.c).
 * The files go away with DRM's directory.
 */
#include <linux/debugfs.h>
#include <linux/pci.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "../core/gaudi_device.h"
#include "../core/gaudi_gate.h"
#include "../errors/gaudi_errors.h"
#include "../events/gaudi_events.h"
#include "../firmware/gaudi_cpucp.h"
#include "../hw/gaudi_hw.h"
#include "../reset/gaudi_reset.h"
#include "gaudi_debugfs.h"
#include "gaudi_nic_files.h"
#include "gaudi_user.h"

#define GAUDI_I2C_MAX_LEN	8

struct gaudi_debugfs {
	struct gaudi_device *gdev;
	u8 i2c_bus, i2c_addr, i2c_reg, i2c_len;
	u16 server_type;
};

static int gaudi_debugfs_engines_show(struct seq_file *s, void *unused)
{
	struct gaudi_device *gdev = s->private;

	if (gaudi_reset_enter(gdev)) {
		seq_puts(s, "device is not operational\n");
		return 0;
	}
	gaudi_engines_idle(gdev, NULL, 0, s);
	gaudi_reset_exit(gdev);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(gaudi_debugfs_engines);

static int gaudi_debugfs_events_show(struct seq_file *s, void *unused)
{
	return gaudi_events_show(s->private, true, s);
}
DEFINE_SHOW_ATTRIBUTE(gaudi_debugfs_events);

static int gaudi_debugfs_reset_count_show(struct seq_file *s, void *unused)
{
	seq_printf(s, "%u\n", gaudi_reset_count(s->private));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(gaudi_debugfs_reset_count);

/* --- device --- */

/* Fault injection of the vendor's library. */
static ssize_t gaudi_debugfs_device_write(struct file *file,
					  const char __user *ubuf, size_t count,
					  loff_t *ppos)
{
	struct gaudi_debugfs *d = file->private_data;
	struct gaudi_device *gdev = d->gdev;
	char text[32];
	int ret = 0;

	if (count >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, ubuf, count))
		return -EFAULT;
	text[count] = '\0';

	if (gdev->pdev->current_state != PCI_D0)
		return -EBUSY;
	if (sysfs_streq(text, "disable"))
		gaudi_reset_set_disabled(gdev, true);
	else if (sysfs_streq(text, "enable"))
		gaudi_reset_set_disabled(gdev, false);
	else if (sysfs_streq(text, "suspend"))
		ret = gaudi_cpucp_pci_access(gdev, false);
	else if (sysfs_streq(text, "resume"))
		ret = gaudi_pci_restore(gdev);
	else if (sysfs_streq(text, "cpu_timeout"))
		/* The next heartbeat detects it. */
		gaudi_cpucp_disable(gdev);
	else
		ret = -EINVAL;
	return ret ?: count;
}

static ssize_t gaudi_debugfs_device_read(struct file *file, char __user *buf,
					 size_t count, loff_t *ppos)
{
	static const char text[] =
		"Valid values: disable, enable, suspend, resume, cpu_timeout\n";

	return simple_read_from_buffer(buf, count, ppos, text,
				       sizeof(text) - 1);
}

static const struct file_operations gaudi_debugfs_device_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.read = gaudi_debugfs_device_read,
	.write = gaudi_debugfs_device_write,
};

/* --- stop_on_err --- */

static int gaudi_debugfs_stop_on_err_get(void *data, u64 *val)
{
	struct gaudi_device *gdev = data;

	*val = gdev->tunables.stop_on_err;
	return 0;
}

/* Engines learn it when they are set up. */
static int gaudi_debugfs_stop_on_err_set(void *data, u64 val)
{
	struct gaudi_device *gdev = data;

	if (!gaudi_device_operational(gdev))
		return -EBUSY;
	gdev->tunables.stop_on_err = val;
	gaudi_reset_schedule(gdev, GAUDI_RESET_USER);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(gaudi_debugfs_stop_on_err_fops,
			 gaudi_debugfs_stop_on_err_get,
			 gaudi_debugfs_stop_on_err_set, "%llu\n");

/* --- The board --- */

static int gaudi_debugfs_i2c(struct gaudi_debugfs *d, u32 opcode, u64 *val)
{
	if (!gaudi_device_operational(d->gdev))
		return -ENODEV;
	if (d->i2c_len > GAUDI_I2C_MAX_LEN)
		return -EINVAL;
	return gaudi_cpucp_send(d->gdev, GAUDI_CPUCP_PKT(opcode,
				.i2c_bus = d->i2c_bus, .i2c_addr = d->i2c_addr,
				.i2c_reg = d->i2c_reg, .i2c_len = d->i2c_len,
				.value = cpu_to_le64(*val)), 0, val);
}

static int gaudi_debugfs_i2c_data_get(void *data, u64 *val)
{
	*val = 0;
	return gaudi_debugfs_i2c(data, GAUDI_CPUCP_I2C_RD, val);
}

static int gaudi_debugfs_i2c_data_set(void *data, u64 val)
{
	return gaudi_debugfs_i2c(data, GAUDI_CPUCP_I2C_WR, &val);
}
DEFINE_DEBUGFS_ATTRIBUTE(gaudi_debugfs_i2c_data_fops,
			 gaudi_debugfs_i2c_data_get, gaudi_debugfs_i2c_data_set,
			 "0x%02llx\n");

static int gaudi_debugfs_led(struct gaudi_debugfs *d, u32 led, u64 val)
{
	if (!gaudi_device_operational(d->gdev))
		return -ENODEV;
	return gaudi_cpucp_send(d->gdev, GAUDI_CPUCP_PKT(GAUDI_CPUCP_LED_SET,
				.led_index = cpu_to_le32(led),
				.value = cpu_to_le64(!!val)), 0, NULL);
}

#define GAUDI_DEBUGFS_LED(_n)						\
static int gaudi_debugfs_led##_n##_set(void *data, u64 val)		\
{									\
	return gaudi_debugfs_led(data, _n, val);			\
}									\
DEFINE_DEBUGFS_ATTRIBUTE(gaudi_debugfs_led##_n##_fops, NULL,		\
			 gaudi_debugfs_led##_n##_set, "%llu\n")

GAUDI_DEBUGFS_LED(0);
GAUDI_DEBUGFS_LED(1);
GAUDI_DEBUGFS_LED(2);

static void gaudi_debugfs_add_settings(struct gaudi_device *gdev,
				       struct dentry *root,
				       struct gaudi_debugfs *d)
{
	struct gaudi_tunables *t = &gdev->tunables;

	debugfs_create_file("device", 0644, root, d,
			    &gaudi_debugfs_device_fops);
	debugfs_create_u32("timeout_locked", 0644, root, &t->timeout_s);
	debugfs_create_x8("skip_reset_on_timeout", 0644, root,
			  &t->skip_reset_on_timeout);
	debugfs_create_u32("device_release_watchdog_timeout", 0644, root,
			   &t->release_timeout_s);
	debugfs_create_file("stop_on_err", 0644, root, gdev,
			    &gaudi_debugfs_stop_on_err_fops);
	debugfs_create_u16("server_type", 0444, root, &d->server_type);
}

static void gaudi_debugfs_add_board(struct dentry *root,
				    struct gaudi_debugfs *d)
{
	debugfs_create_u8("i2c_bus", 0644, root, &d->i2c_bus);
	debugfs_create_u8("i2c_addr", 0644, root, &d->i2c_addr);
	debugfs_create_u8("i2c_reg", 0644, root, &d->i2c_reg);
	debugfs_create_u8("i2c_len", 0644, root, &d->i2c_len);
	debugfs_create_file("i2c_data", 0644, root, d,
			    &gaudi_debugfs_i2c_data_fops);
	debugfs_create_file("led0", 0200, root, d, &gaudi_debugfs_led0_fops);
	debugfs_create_file("led1", 0200, root, d, &gaudi_debugfs_led1_fops);
	debugfs_create_file("led2", 0200, root, d, &gaudi_debugfs_led2_fops);
}

void gaudi_debugfs_add(struct gaudi_device *gdev)
{
	struct dentry *root = gdev->drm.debugfs_root;
	struct device *dev = &gdev->pdev->dev;
	struct gaudi_debugfs *d;

	d = devm_kzalloc(dev, sizeof(*d), GFP_KERNEL);
	if (!d)
		return;
	d->gdev = gdev;
	d->server_type = HL_SERVER_TYPE_UNKNOWN;
	gdev->debugfs_root = root;
	debugfs_create_file("engines", 0644, root, gdev,
			    &gaudi_debugfs_engines_fops);
	debugfs_create_file("events", 0444, root, gdev,
			    &gaudi_debugfs_events_fops);
	debugfs_create_file("reset_count", 0444, root, gdev,
			    &gaudi_debugfs_reset_count_fops);
	gaudi_debugfs_add_settings(gdev, root, d);
	gaudi_debugfs_add_board(root, d);
	gaudi_debugfs_mem_add(gdev, root);
	gaudi_debugfs_user_add(gdev, root);
	gaudi_debugfs_dump_add(gdev, root);
	gaudi_nic_debugfs_add(gdev, root);
}
