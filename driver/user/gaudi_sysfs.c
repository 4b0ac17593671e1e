// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attributes of the PCI device, under mainline's names and in mainline's
 * formats (Documentation/ABI/testing/sysfs-driver-habanalabs).
 */
#include <linux/device.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "../core/gaudi_compat.h"
#include "../core/gaudi_device.h"
#include "../core/gaudi_gate.h"
#include "../firmware/gaudi_cpucp.h"
#include "gaudi_nic_files.h"
#include "gaudi_user.h"

#define GAUDI_EEPROM_SIZE	SZ_4K
#define HZ_PER_MHZ_ULL		1000000ull

static const char *gaudi_status_name(int status)
{
	static const char * const names[] = {
		[HL_DEVICE_STATUS_OPERATIONAL] = "Operational",
		[HL_DEVICE_STATUS_IN_RESET] = "In reset",
		[HL_DEVICE_STATUS_MALFUNCTION] = "Disabled",
		[HL_DEVICE_STATUS_NEEDS_RESET] = "Needs reset",
		[HL_DEVICE_STATUS_IN_DEVICE_CREATION] = "In device creation",
		[HL_DEVICE_STATUS_IN_RESET_AFTER_DEVICE_RELEASE] =
			"In reset after device release",
	};

	return status >= 0 && status < ARRAY_SIZE(names) ? names[status] :
							   "Unknown";
}

/* As DEVICE_ATTR_RO() and the like, for functions with the driver's prefix. */
#define GAUDI_ATTR_RO(_name) \
	struct device_attribute dev_attr_##_name = \
		__ATTR(_name, 0444, gaudi_sysfs_##_name##_show, NULL)
#define GAUDI_ATTR_WO(_name) \
	struct device_attribute dev_attr_##_name = \
		__ATTR(_name, 0200, NULL, gaudi_sysfs_##_name##_store)
#define GAUDI_ATTR_RW(_name) \
	struct device_attribute dev_attr_##_name = \
		__ATTR(_name, 0644, gaudi_sysfs_##_name##_show, \
		       gaudi_sysfs_##_name##_store)

/* One line of what the driver knows, which may name gdev. */
#define GAUDI_ATTR_SHOW(_name, _fmt, _args...) \
static ssize_t gaudi_sysfs_##_name##_show(struct device *dev, \
					  struct device_attribute *attr, \
					  char *buf) \
{ \
	struct gaudi_device *gdev __maybe_unused = dev_get_drvdata(dev); \
\
	return sysfs_emit(buf, _fmt, _args); \
} \
static GAUDI_ATTR_RO(_name)

/* What firmware says, which a reset may change. */
#define GAUDI_ATTR_FW(_name, _fmt, _args...) \
static ssize_t gaudi_sysfs_##_name##_show(struct device *dev, \
					  struct device_attribute *attr, \
					  char *buf) \
{ \
	struct gaudi_device *gdev = dev_get_drvdata(dev); \
\
	guard(rwsem_read)(&gdev->fw_sem); \
	return sysfs_emit(buf, _fmt, _args); \
} \
static GAUDI_ATTR_RO(_name)

/* Some of these have a line end of firmware's own. */
GAUDI_ATTR_FW(armcp_kernel_ver, "%s", gdev->info.kernel_version);
GAUDI_ATTR_FW(armcp_ver, "%s\n", gdev->info.cpucp_version);
GAUDI_ATTR_FW(cpucp_kernel_ver, "%s", gdev->info.kernel_version);
GAUDI_ATTR_FW(cpucp_ver, "%s\n", gdev->info.cpucp_version);
GAUDI_ATTR_FW(fuse_ver, "%s\n", gdev->info.fuse_version);
GAUDI_ATTR_FW(thermal_ver, "%s", gdev->info.thermal_version);
GAUDI_ATTR_FW(fw_os_ver, "%s", gdev->info.fw_os_version);
GAUDI_ATTR_FW(preboot_btl_ver, "%s\n", gdev->preboot_version);
GAUDI_ATTR_FW(uboot_ver, "%s\n", gdev->uboot_version);
GAUDI_ATTR_FW(cpld_ver, "0x%08x%08x\n",
	      le32_to_cpu(gdev->info.cpld_timestamp),
	      le32_to_cpu(gdev->info.cpld_version));

GAUDI_ATTR_SHOW(infineon_ver, "%#04x\n",
		le32_to_cpu(gdev->info.infineon_version));
GAUDI_ATTR_SHOW(device_type, "%s\n", "GAUDI");
GAUDI_ATTR_SHOW(module_id, "%u\n", le32_to_cpu(gdev->info.card_location));
GAUDI_ATTR_SHOW(pci_addr, "%s\n", pci_name(to_pci_dev(dev)));
/* Where debugfs is: a directory of this name. */
GAUDI_ATTR_SHOW(parent_device, "%s\n", dev_name(dev));
/* The driver refuses cards with secured firmware. */
GAUDI_ATTR_SHOW(security_enabled, "%d\n", 0);
GAUDI_ATTR_SHOW(status, "%s\n", gaudi_status_name(READ_ONCE(gdev->status)));
GAUDI_ATTR_SHOW(hard_reset_cnt, "%u\n", gaudi_reset_count(gdev));

static ssize_t gaudi_sysfs_hard_reset_store(struct device *dev,
					    struct device_attribute *attr,
					    const char *buf, size_t count)
{
	struct gaudi_device *gdev = dev_get_drvdata(dev);
	unsigned long value;

	if (kstrtoul(buf, 0, &value))
		return -EINVAL;
	drm_warn(&gdev->drm, "hard reset requested through sysfs\n");
	gaudi_reset_schedule(gdev, GAUDI_RESET_USER);
	return count;
}
static GAUDI_ATTR_WO(hard_reset);

static ssize_t gaudi_sysfs_max_power_show(struct device *dev,
					  struct device_attribute *attr,
					  char *buf)
{
	struct gaudi_device *gdev = dev_get_drvdata(dev);
	u64 mw;
	int ret;

	if (!gaudi_device_operational(gdev))
		return -ENODEV;
	ret = gaudi_cpucp_send(gdev, GAUDI_CPUCP_PKT(GAUDI_CPUCP_MAX_POWER_GET),
			       0, &mw);
	return ret ?: sysfs_emit(buf, "%llu\n", mw);
}

static ssize_t gaudi_sysfs_max_power_store(struct device *dev,
					   struct device_attribute *attr,
					   const char *buf, size_t count)
{
	struct gaudi_device *gdev = dev_get_drvdata(dev);
	u64 mw;
	int ret;

	if (!gaudi_device_operational(gdev))
		return -ENODEV;
	if (kstrtou64(buf, 0, &mw))
		return -EINVAL;
	ret = gaudi_cpucp_max_power_set(gdev, mw);
	if (ret)
		return ret;
	gdev->max_power_mw = mw;
	return count;
}
static GAUDI_ATTR_RW(max_power);

static ssize_t gaudi_sysfs_show_mhz(struct device *dev, bool current_,
				    char *buf)
{
	struct gaudi_device *gdev = dev_get_drvdata(dev);
	u64 hz;
	int ret;

	if (!gaudi_device_operational(gdev))
		return -ENODEV;
	ret = gaudi_cpucp_frequency_get(gdev, HL_GAUDI_MME_PLL, current_, &hz);
	return ret ?: sysfs_emit(buf, "%llu\n", hz / HZ_PER_MHZ_ULL);
}

static ssize_t gaudi_sysfs_clk_max_freq_mhz_show(struct device *dev,
						 struct device_attribute *attr,
						 char *buf)
{
	return gaudi_sysfs_show_mhz(dev, false, buf);
}

static ssize_t gaudi_sysfs_clk_max_freq_mhz_store(struct device *dev,
						  struct device_attribute *attr,
						  const char *buf, size_t count)
{
	struct gaudi_device *gdev = dev_get_drvdata(dev);
	u64 mhz, hz;
	int ret;

	if (!gaudi_device_operational(gdev))
		return -ENODEV;
	if (kstrtou64(buf, 0, &mhz))
		return -EINVAL;
	if (check_mul_overflow(mhz, HZ_PER_MHZ_ULL, &hz))
		return -ERANGE;
	ret = gaudi_cpucp_frequency_set(gdev, HL_GAUDI_MME_PLL, hz);
	return ret ?: count;
}
static GAUDI_ATTR_RW(clk_max_freq_mhz);

static ssize_t gaudi_sysfs_clk_cur_freq_mhz_show(struct device *dev,
						 struct device_attribute *attr,
						 char *buf)
{
	return gaudi_sysfs_show_mhz(dev, true, buf);
}
static GAUDI_ATTR_RO(clk_cur_freq_mhz);

static ssize_t
gaudi_sysfs_eeprom_read(struct file *filp, struct kobject *kobj,
			gaudi_bin_attr_const struct bin_attribute *attr,
			char *buf, loff_t off, size_t count)
{
	struct gaudi_device *gdev = dev_get_drvdata(kobj_to_dev(kobj));
	u64 len;
	int ret;

	if (!gaudi_device_operational(gdev))
		return -ENODEV;
	u8 *data __free(kfree) = kzalloc(GAUDI_EEPROM_SIZE, GFP_KERNEL);
	if (!data)
		return -ENOMEM;
	ret = gaudi_cpucp_fetch(gdev,
				GAUDI_CPUCP_PKT(GAUDI_CPUCP_EEPROM_DATA_GET),
				&len, data, GAUDI_EEPROM_SIZE);
	/* Bytes beyond what firmware says it wrote are not the EEPROM's. */
	if (!ret && len < GAUDI_EEPROM_SIZE)
		memset(data + len, 0, GAUDI_EEPROM_SIZE - len);
	return ret ?: memory_read_from_buffer(buf, count, &off, data,
					      GAUDI_EEPROM_SIZE);
}

static gaudi_bin_attr_const struct bin_attribute bin_attr_eeprom =
	__BIN_ATTR(eeprom, 0444, gaudi_sysfs_eeprom_read, NULL,
		   GAUDI_EEPROM_SIZE);

static struct attribute *gaudi_attrs[] = {
	&dev_attr_armcp_kernel_ver.attr,
	&dev_attr_armcp_ver.attr,
	&dev_attr_clk_cur_freq_mhz.attr,
	&dev_attr_clk_max_freq_mhz.attr,
	&dev_attr_cpld_ver.attr,
	&dev_attr_cpucp_kernel_ver.attr,
	&dev_attr_cpucp_ver.attr,
	&dev_attr_device_type.attr,
	&dev_attr_fuse_ver.attr,
	&dev_attr_fw_os_ver.attr,
	&dev_attr_hard_reset.attr,
	&dev_attr_hard_reset_cnt.attr,
	&dev_attr_infineon_ver.attr,
	&dev_attr_max_power.attr,
	&dev_attr_module_id.attr,
	&dev_attr_parent_device.attr,
	&dev_attr_pci_addr.attr,
	&dev_attr_preboot_btl_ver.attr,
	&dev_attr_security_enabled.attr,
	&dev_attr_status.attr,
	&dev_attr_thermal_ver.attr,
	&dev_attr_uboot_ver.attr,
	NULL
};

static gaudi_bin_attr_const struct bin_attribute *
gaudi_bin_attr_const gaudi_bin_attrs[] = {
	&bin_attr_eeprom,
	NULL
};

static const struct attribute_group gaudi_group = {
	.attrs = gaudi_attrs,
	.bin_attrs = gaudi_bin_attrs,
};

/* The one above, one for each port, and the end of the list. */
#define GAUDI_MAX_GROUPS	(1 + GAUDI_NUM_NIC_ENGINE + 1)

int gaudi_sysfs_add(struct gaudi_device *gdev)
{
	struct device *dev = &gdev->pdev->dev;
	const struct attribute_group **groups;
	int ret;

	groups = devm_kcalloc(dev, GAUDI_MAX_GROUPS, sizeof(*groups),
			      GFP_KERNEL);
	if (!groups)
		return -ENOMEM;
	groups[0] = &gaudi_group;
	ret = gaudi_nic_sysfs_add(gdev, groups + 1);
	if (ret)
		return ret;
	ret = device_add_groups(dev, groups);
	if (!ret)
		gdev->sysfs_groups = groups;
	return ret;
}

void gaudi_sysfs_remove(struct gaudi_device *gdev)
{
	if (gdev->sysfs_groups)
		device_remove_groups(&gdev->pdev->dev, gdev->sysfs_groups);
	gdev->sysfs_groups = NULL;
}
