// SPDX-License-Identifier: MIT
/*
 * What sysfs knows of the cards. Kernel-wide attributes (the PCI ids, the PCI
 * address) are preferred to the driver's own, so that cards are found whatever
 * drives them. Opens no device node.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define PCI_VENDOR_HABANA	0x1da3

static const struct {
	uint16_t device;
	enum hlthunk_device_name name;
} pci_names[] = {
	{ 0x0001, HLTHUNK_DEVICE_GOYA },
	{ 0x1000, HLTHUNK_DEVICE_GAUDI },
	{ 0x1001, HLTHUNK_DEVICE_GAUDI },
	{ 0x1010, HLTHUNK_DEVICE_GAUDI },	/* secured */
	{ 0x1011, HLTHUNK_DEVICE_GAUDI },
	{ 0x1020, HLTHUNK_DEVICE_GAUDI2 },
};

enum hlthunk_device_name hlt_name_from_pci(uint32_t device)
{
	for (size_t i = 0; i < ARRAY_SIZE(pci_names); i++)
		if (pci_names[i].device == device)
			return pci_names[i].name;

	return HLTHUNK_DEVICE_INVALID;
}

static int read_file(const char *path, char *buf, size_t size)
{
	int fd = hlt_os_open(path, O_RDONLY);
	ssize_t n;

	if (fd < 0)
		return fd;
	n = hlt_os_pread(fd, buf, size - 1, 0);
	hlt_os_close(fd);
	if (n < 0)
		return (int)n;
	while (n && isspace((unsigned char)buf[n - 1]))
		n--;
	buf[n] = '\0';

	return 0;
}

int hlt_card_attr(int index, const char *attr, char *buf, size_t size)
{
	char path[HLT_PATH_MAX];

	if (index < 0 || index >= HLTHUNK_MAX_MINOR)
		return -ENODEV;
	snprintf(path, sizeof(path), "/sys/class/accel/accel%d/device/%s",
		 index, attr);

	return read_file(path, buf, size);
}

static int card_attr_u32(int index, const char *attr, uint32_t *val)
{
	unsigned long n;
	char text[32];
	char *end;
	int rc;

	rc = hlt_card_attr(index, attr, text, sizeof(text));
	if (rc)
		return rc;
	errno = 0;
	n = strtoul(text, &end, 0);
	if (errno || end == text || *end || n > UINT32_MAX)
		return -EPROTO;
	*val = (uint32_t)n;

	return 0;
}

/* -ENODEV: the node is no Habana card's. */
int hlt_card_name(int index, enum hlthunk_device_name *name)
{
	uint32_t vendor, device;

	if (card_attr_u32(index, "vendor", &vendor) ||
	    card_attr_u32(index, "device", &device) ||
	    vendor != PCI_VENDOR_HABANA)
		return -ENODEV;
	*name = hlt_name_from_pci(device);

	return 0;
}

int hlt_card_busid(int index, char *buf, size_t size)
{
	char path[HLT_PATH_MAX], link[HLT_PATH_MAX];
	const char *base;
	int rc;

	snprintf(path, sizeof(path), "/sys/class/accel/accel%d/device", index);
	rc = hlt_os_readlink(path, link, sizeof(link));
	if (rc)
		return rc == -ENOENT ? -ENODEV : rc;
	base = strrchr(link, '/');
	base = base ? base + 1 : link;
	if (strlen(base) >= size)
		return -ENOSPC;
	strcpy(buf, base);

	return 0;
}

int hlt_card_module_id(int index, uint32_t *id)
{
	return card_attr_u32(index, "module_id", id);
}

/* The card behind an open compute or control node, by its device number. */
int hlt_card_from_fd(int fd)
{
	char path[HLT_PATH_MAX], link[HLT_PATH_MAX];
	unsigned int major_nr, minor_nr;
	const char *base;
	int index, used;
	int rc;

	rc = hlt_os_devnum(fd, &major_nr, &minor_nr);
	if (rc)
		return rc;
	snprintf(path, sizeof(path), "/sys/dev/char/%u:%u", major_nr, minor_nr);
	rc = hlt_os_readlink(path, link, sizeof(link));
	if (rc)
		return rc == -ENOENT ? -ENODEV : rc;
	base = strrchr(link, '/');
	base = base ? base + 1 : link;

	used = 0;
	if (sscanf(base, "accel%d%n", &index, &used) == 1 && !base[used])
		return index;
	used = 0;
	if (sscanf(base, "accel_controlD%d%n", &index, &used) == 1 &&
	    !base[used])
		return index;

	return -ENODEV;
}
