// SPDX-License-Identifier: MIT
/*
 * Finding, opening and closing cards, and who an open fd is.
 *
 * Cards are looked up in sysfs, so that a search opens only the node that it
 * ends with. /dev/hlN of kernels before 6.2 is not searched: the drivers behind
 * it have other ioctl numbers.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "profile.h"

#define SIM_NAME	"sim:"
#define SIM_BOX		8	/* cards are made in boxes of so many, two at most */
#define BUSID_MAX	20	/* "0000:00:00.0"; domains may have eight digits */

/* What a search compares; unset members match every card. */
struct card_filter {
	enum hlthunk_device_name name;	/* HLTHUNK_DEVICE_DONT_CARE: any */
	const char *busid;
	bool by_module;
	uint32_t module_id;
};

/* "01:00.0" is "0000:01:00.0"; case does not matter. */
static int busid_normalise(const char *in, char out[BUSID_MAX])
{
	unsigned int dom = 0, bus, dev, fn;
	int used = 0;

	/* sscanf() alone would take spaces, signs and "0x". */
	if (in[strspn(in, "0123456789abcdefABCDEF:.")])
		return -EINVAL;
	if (sscanf(in, "%x:%x:%x.%x%n", &dom, &bus, &dev, &fn, &used) != 4 ||
	    in[used]) {
		dom = 0;
		used = 0;
		if (sscanf(in, "%x:%x.%x%n", &bus, &dev, &fn, &used) != 3 ||
		    in[used])
			return -EINVAL;
	}
	if (bus > 0xff || dev > 0x1f || fn > 7)
		return -EINVAL;
	snprintf(out, BUSID_MAX, "%04x:%02x:%02x.%x", dom, bus, dev, fn);

	return 0;
}

/* The N of "sim:N", a card in this process, or -1. */
static int sim_index(const char *name)
{
	const char *n = name + strlen(SIM_NAME);
	size_t digits;

	if (strncmp(name, SIM_NAME, strlen(SIM_NAME)))
		return -1;
	digits = strspn(n, "0123456789");
	if (!digits || digits > 2 || n[digits] || (*n == '0' && n[1]))
		return -1;

	return atoi(n) < 2 * SIM_BOX ? atoi(n) : -1;
}

static bool busid_matches(int index, const char *want)
{
	char have[BUSID_MAX];

	return !hlt_card_busid(index, have, sizeof(have)) &&
	       !strcmp(want, have);
}

/* 0 or -ENODEV; -EINVAL for a filter that cannot match anything. */
static int card_matches(int index, const struct card_filter *f)
{
	char want[BUSID_MAX];
	enum hlthunk_device_name name;
	uint32_t module_id;
	int rc;

	rc = hlt_card_name(index, &name);
	if (rc)
		return rc;
	if (f->name != HLTHUNK_DEVICE_DONT_CARE && f->name != name)
		return -ENODEV;
	if (f->busid && sim_index(f->busid) >= 0) {
		if (sim_index(f->busid) != index)
			return -ENODEV;
	} else if (f->busid) {
		rc = busid_normalise(f->busid, want);
		if (rc)
			return rc;
		if (!busid_matches(index, want))
			return -ENODEV;
	}
	if (f->by_module && (hlt_card_module_id(index, &module_id) ||
			     module_id != f->module_id))
		return -ENODEV;

	return 0;
}

static int filter_check(const struct card_filter *f)
{
	char busid[BUSID_MAX];

	if ((unsigned int)f->name >= HLTHUNK_DEVICE_MAX ||
	    f->name == HLTHUNK_DEVICE_INVALID)
		return -EINVAL;
	if (!f->busid)
		return 0;
	if (sim_index(f->busid) >= 0)
		return hlt_os_sim(sim_index(f->busid) < SIM_BOX ?
				  SIM_BOX : 2 * SIM_BOX);

	return busid_normalise(f->busid, busid);
}

static int open_node(int index, enum hlthunk_node_type type)
{
	PROFILE_SPAN("open", "index", (uint64_t)index, NULL);
	char path[HLT_PATH_MAX];
	int fd;

	if (type == HLTHUNK_NODE_CONTROL)
		snprintf(path, sizeof(path), HLTHUNK_DEV_NAME_CONTROL, index);
	else
		snprintf(path, sizeof(path), HLTHUNK_DEV_NAME_PRIMARY, index);

	fd = hlt_os_open(path, O_RDWR);
	if (fd < 0)
		hlt_log("%s: %s", path, strerror(-fd));
	else
		hlt_hbm_forget(fd);	/* what its last user had */
	profile_check();
	if (fd >= 0 && __builtin_expect(profile_on, 0))
		hlt_profile_card(fd);

	return fd == -ENOENT || fd == -ENXIO ? -ENODEV : fd;
}

/*
 * Open the first card that matches and lets itself be opened. If none does,
 * the first one's reason is the answer.
 */
static int open_first(const struct card_filter *f, enum hlthunk_node_type type)
{
	int err = -ENODEV;
	int index, rc;

	rc = filter_check(f);
	if (rc)
		return rc;

	for (index = 0; index < HLTHUNK_MAX_MINOR; index++) {
		if (card_matches(index, f))
			continue;
		rc = open_node(index, type);
		if (rc >= 0)
			return rc;
		if (err == -ENODEV)
			err = rc;
	}

	return err;
}

int hlthunk_open(enum hlthunk_device_name device_name, const char *busid)
{
	const struct card_filter f = { .name = device_name, .busid = busid };

	return hlt_ret(open_first(&f, HLTHUNK_NODE_PRIMARY));
}

int hlthunk_open_by_module_id(uint32_t module_id)
{
	const struct card_filter f = {
		.name = HLTHUNK_DEVICE_DONT_CARE,
		.by_module = true,
		.module_id = module_id,
	};

	return hlt_ret(open_first(&f, HLTHUNK_NODE_PRIMARY));
}

int hlthunk_open_control(int dev_id, const char *busid)
{
	if (busid)
		return hlthunk_open_control_by_bus_id(busid);
	if (dev_id < 0 || dev_id >= HLTHUNK_MAX_MINOR)
		return hlt_ret(-EINVAL);

	return hlt_ret(open_node(dev_id, HLTHUNK_NODE_CONTROL));
}

int hlthunk_open_control_by_name(enum hlthunk_device_name device_name,
				 const char *busid)
{
	const struct card_filter f = { .name = device_name, .busid = busid };

	return hlt_ret(open_first(&f, HLTHUNK_NODE_CONTROL));
}

int hlthunk_open_control_by_module_id(uint32_t module_id)
{
	const struct card_filter f = {
		.name = HLTHUNK_DEVICE_DONT_CARE,
		.by_module = true,
		.module_id = module_id,
	};

	return hlt_ret(open_first(&f, HLTHUNK_NODE_CONTROL));
}

int hlthunk_open_control_by_bus_id(const char *busid)
{
	const struct card_filter f = {
		.name = HLTHUNK_DEVICE_DONT_CARE,
		.busid = busid,
	};

	if (!busid)
		return hlt_ret(-EINVAL);

	return hlt_ret(open_first(&f, HLTHUNK_NODE_CONTROL));
}

int hlthunk_close(int fd)
{
	if (fd < 0)
		return hlt_ret(-EBADF);
	/* What is known of both ends can be joined in between. */
	if (__builtin_expect(profile_on, 0))
		hlt_profile_card(fd);

	return hlt_ret(hlt_os_close(fd));
}

int hlthunk_get_device_count(enum hlthunk_device_name device_name)
{
	const struct card_filter f = { .name = device_name };
	int index, count = 0;
	int rc;

	rc = filter_check(&f);
	if (rc)
		return hlt_ret(rc);
	for (index = 0; index < HLTHUNK_MAX_MINOR; index++)
		if (!card_matches(index, &f))
			count++;

	return count;
}

int hlthunk_get_device_index_from_pci_bus_id(const char *busid)
{
	const struct card_filter f = {
		.name = HLTHUNK_DEVICE_DONT_CARE,
		.busid = busid,
	};
	int index;
	int rc;

	if (!busid)
		return hlt_ret(-EINVAL);
	rc = filter_check(&f);
	if (rc)
		return hlt_ret(rc);
	for (index = 0; index < HLTHUNK_MAX_MINOR; index++)
		if (!card_matches(index, &f))
			return index;

	return hlt_ret(-ENODEV);
}

uint32_t hlthunk_get_device_id_from_fd(int fd)
{
	struct hl_info_hw_ip_info info;

	return hlt_info_get(fd, HL_INFO_HW_IP_INFO, &info, sizeof(info)) ?
	       0 : info.device_id;
}

enum hlthunk_device_name hlthunk_get_device_name_from_fd(int fd)
{
	return hlt_name_from_pci(hlthunk_get_device_id_from_fd(fd));
}

int hlthunk_get_pci_bus_id_from_fd(int fd, char *pci_bus_id, int len)
{
	int index;

	if (!pci_bus_id || len <= 0)
		return hlt_ret(-EINVAL);
	index = hlt_card_from_fd(fd);
	if (index < 0)
		return hlt_ret(index);

	return hlt_ret(hlt_card_busid(index, pci_bus_id, len));
}
