// SPDX-License-Identifier: MIT
/* Cards and their sensors in sysfs, through libudev. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libudev.h>

#include "cards.h"
#include "hlthunk.h"

#define VENDOR_HABANA	0x1da3

static void copy_text(char *dst, size_t size, const char *src)
{
	snprintf(dst, size, "%s", src ? src : "");
	dst[strcspn(dst, "\n")] = '\0';
}

static uint32_t attr_u32(struct udev_device *dev, const char *name)
{
	const char *text = udev_device_get_sysattr_value(dev, name);

	return text ? (uint32_t)strtoul(text, NULL, 0) : 0;
}

static void read_attrs(struct udev_device *pci, struct card *card)
{
	const struct {
		const char *name;
		char *dst;
		size_t size;
	} attrs[] = {
		{ "status", card->status, sizeof(card->status) },
		{ "preboot_btl_ver", card->preboot_version, CARD_TEXT },
		{ "uboot_ver", card->boot_version, CARD_TEXT },
		{ "fw_os_ver", card->os_version, CARD_TEXT },
		{ "cpucp_ver", card->cpucp_version, CARD_TEXT },
		{ "cpld_ver", card->cpld_version, CARD_TEXT },
		{ "fuse_ver", card->fuse_version, CARD_TEXT },
		{ "current_link_speed", card->link_speed,
		  sizeof(card->link_speed) },
		{ "current_link_width", card->link_width,
		  sizeof(card->link_width) },
	};
	const char *module_id;

	for (size_t i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++)
		copy_text(attrs[i].dst, attrs[i].size,
			  udev_device_get_sysattr_value(pci, attrs[i].name));

	/* An endpoint inside the root complex has no link. */
	if (!strncmp(card->link_speed, "Unknown", 7)) {
		card->link_speed[0] = '\0';
		card->link_width[0] = '\0';
	}
	module_id = udev_device_get_sysattr_value(pci, "module_id");
	if (module_id) {
		card->has_module_id = true;
		card->module_id = (uint32_t)strtoul(module_id, NULL, 0);
	}
}

static void read_driver(struct udev_device *pci, struct card *card)
{
	char path[128];
	FILE *f;

	copy_text(card->driver, sizeof(card->driver),
		  udev_device_get_driver(pci));
	snprintf(path, sizeof(path), "/sys/module/%s/version", card->driver);
	f = fopen(path, "re");
	if (!f)
		return;
	if (fgets(card->driver_version, sizeof(card->driver_version), f))
		card->driver_version[strcspn(card->driver_version, "\n")] = 0;
	fclose(f);
}

/* Whether @node is the compute node of a card of ours; then fill *@card. */
static bool read_card(struct udev_device *node, struct card *card)
{
	struct udev_device *pci;
	int used = 0;

	memset(card, 0, sizeof(*card));
	if (sscanf(udev_device_get_sysname(node), "accel%d%n", &card->index,
		   &used) != 1 || udev_device_get_sysname(node)[used])
		return false;
	pci = udev_device_get_parent_with_subsystem_devtype(node, "pci", NULL);
	if (!pci)
		return false;
	card->vendor_id = attr_u32(pci, "vendor");
	card->device_id = attr_u32(pci, "device");
	if (card->vendor_id != VENDOR_HABANA)
		return false;
	copy_text(card->busid, sizeof(card->busid),
		  udev_device_get_sysname(pci));
	read_attrs(pci, card);
	read_driver(pci, card);

	return true;
}

static int by_index(const void *a, const void *b)
{
	return ((const struct card *)a)->index - ((const struct card *)b)->index;
}

int cards_find(struct card **cards, size_t *count)
{
	struct udev *udev = udev_new();
	struct udev_enumerate *list;
	struct udev_list_entry *entry;
	struct card *found = NULL, *grown;
	size_t n = 0;
	int rc = 0;

	if (!udev)
		return -ENOMEM;
	list = udev_enumerate_new(udev);
	udev_enumerate_add_match_subsystem(list, "accel");
	udev_enumerate_scan_devices(list);

	udev_list_entry_foreach(entry, udev_enumerate_get_list_entry(list)) {
		struct udev_device *node;

		node = udev_device_new_from_syspath(udev,
					udev_list_entry_get_name(entry));
		if (!node)
			continue;
		grown = realloc(found, (n + 1) * sizeof(*found));
		if (grown) {
			found = grown;
			n += read_card(node, &found[n]);
		} else {
			rc = -ENOMEM;
		}
		udev_device_unref(node);
	}
	udev_enumerate_unref(list);
	udev_unref(udev);

	if (rc) {
		free(found);
		return rc;
	}
	if (n)
		qsort(found, n, sizeof(*found), by_index);
	*cards = found;
	*count = n;

	return 0;
}

size_t cards_choose(struct card *cards, size_t count,
		    const struct card_choice *choice)
{
	int by_busid = -1;
	size_t n = 0;

	if (choice->busid) {
		by_busid = hlthunk_get_device_index_from_pci_bus_id(
				choice->busid);
		if (by_busid < 0)
			return 0;
	}
	for (size_t i = 0; i < count; i++) {
		const struct card *c = &cards[i];

		if (choice->index >= 0 && choice->index != c->index)
			continue;
		if (choice->module_id >= 0 &&
		    !(c->has_module_id &&
		      c->module_id == (uint32_t)choice->module_id))
			continue;
		if (choice->busid && by_busid != c->index)
			continue;
		cards[n++] = *c;
	}

	return n;
}

static bool sensor_kind(const char *name, enum sensor_type *type)
{
	static const struct {
		const char *prefix;
		enum sensor_type type;
	} kinds[] = {
		{ "temp", SENSOR_TEMP },
		{ "in", SENSOR_VOLT },
		{ "curr", SENSOR_CURR },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t len = strlen(kinds[i].prefix);
		int used = 0;

		if (strncmp(name, kinds[i].prefix, len))
			continue;
		if (sscanf(name + len, "%*u_input%n", &used) == 0 && used &&
		    !name[len + (size_t)used]) {
			*type = kinds[i].type;
			return true;
		}
	}

	return false;
}

static bool read_sensor(struct udev_device *hwmon, const char *attr,
			struct sensor *out)
{
	const char *text = udev_device_get_sysattr_value(hwmon, attr);
	char name[64];
	char *end;

	if (!text || !*text)
		return false;
	out->value = strtoll(text, &end, 10);
	if (end == text)
		return false;

	snprintf(name, sizeof(name), "%.*s_label", (int)strcspn(attr, "_"),
		 attr);
	text = udev_device_get_sysattr_value(hwmon, name);
	if (text)
		copy_text(out->label, sizeof(out->label), text);
	else
		snprintf(out->label, sizeof(out->label), "%.*s",
			 (int)strcspn(attr, "_"), attr);

	return true;
}

static size_t hwmon_sensors(struct udev_device *hwmon, struct sensor *out,
			    size_t max)
{
	struct dirent **files;
	size_t n = 0;
	int count;

	/* The order of names, not that of libudev's hash table. */
	count = scandir(udev_device_get_syspath(hwmon), &files, NULL,
			versionsort);
	for (int i = 0; i < count; i++) {
		if (n < max && sensor_kind(files[i]->d_name, &out[n].type))
			n += read_sensor(hwmon, files[i]->d_name, &out[n]);
		free(files[i]);
	}
	if (count >= 0)
		free(files);

	return n;
}

size_t card_sensors(const struct card *card, struct sensor *out, size_t max)
{
	struct udev *udev = udev_new();
	struct udev_enumerate *list;
	struct udev_list_entry *entry;
	size_t n = 0;

	if (!udev)
		return 0;
	list = udev_enumerate_new(udev);
	udev_enumerate_add_match_subsystem(list, "hwmon");
	udev_enumerate_scan_devices(list);

	udev_list_entry_foreach(entry, udev_enumerate_get_list_entry(list)) {
		struct udev_device *hwmon, *pci;

		hwmon = udev_device_new_from_syspath(udev,
					udev_list_entry_get_name(entry));
		if (!hwmon)
			continue;
		pci = udev_device_get_parent_with_subsystem_devtype(hwmon,
								"pci", NULL);
		if (pci && !strcmp(udev_device_get_sysname(pci), card->busid))
			n += hwmon_sensors(hwmon, out + n, max - n);
		udev_device_unref(hwmon);
	}
	udev_enumerate_unref(list);
	udev_unref(udev);

	return n;
}

void cards_driverless(char *buf, size_t size)
{
	struct udev *udev = udev_new();
	struct udev_enumerate *list;
	struct udev_list_entry *entry;
	size_t used = 0;

	*buf = '\0';
	if (!udev)
		return;
	list = udev_enumerate_new(udev);
	udev_enumerate_add_match_subsystem(list, "pci");
	udev_enumerate_add_match_sysattr(list, "vendor", "0x1da3");
	udev_enumerate_scan_devices(list);

	udev_list_entry_foreach(entry, udev_enumerate_get_list_entry(list)) {
		struct udev_device *pci;

		pci = udev_device_new_from_syspath(udev,
					udev_list_entry_get_name(entry));
		if (!pci)
			continue;
		if (!udev_device_get_driver(pci) && used < size)
			used += (size_t)snprintf(buf + used, size - used,
						 "%s%s", used ? ", " : "",
						 udev_device_get_sysname(pci));
		udev_device_unref(pci);
	}
	udev_enumerate_unref(list);
	udev_unref(udev);
}
