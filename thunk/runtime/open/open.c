// SPDX-License-Identifier: MIT
/*
 * Opening and closing cards: each room makes what it has of a device, and frees it
 * again. This one stands above all of them and has nothing of its own.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../device/device.h"
#include "../graph/graph.h"
#include "../launch/launch.h"
#include "../link/link.h"
#include "../memory/memory.h"
#include "../runner/runner.h"
#include "../streams/streams.h"

/* Everything that can fail half way; each _exit() takes a NULL. */
static void free_all(struct gaudi_device *device)
{
	gd_links_free(device);
	gd_streams_free(device);
	gd_instances_exit(device);
	gd_ranges_exit(device);
	gd_pool_exit(device);
	gd_device_free(device);
}

static int open_card(const struct gd_card *card, uint32_t index,
		     int timeout_ms, struct gaudi_device **out)
{
	struct gaudi_device *device;
	int rc = gd_device_new(card, index, timeout_ms, &device);

	if (rc)
		return rc;
	rc = gd_pool_init(device);
	if (!rc)
		rc = gd_ranges_init(device);
	if (!rc)
		rc = gd_streams_init(device);
	if (!rc)
		rc = gd_instances_init(device);
	if (!rc)
		rc = gd_links_init(device);
	if (rc) {
		struct gd_error_state state;

		gd_error_save(&state);
		free_all(device);
		gd_error_restore(&state);
		return rc;
	}
	gd_log(GD_INFO, "card %u: index %u, module %u, %s", card->accel, index,
	       card->module_id, card->busid);
	*out = device;

	return 0;
}

/* By which name a card is asked for. */
struct wanted {
	enum { BY_INDEX, BY_MODULE, BY_ADDRESS, BY_NODE } by;
	uint32_t number;
	char address[20];
};

static bool matches(const struct wanted *want, const struct gd_card *card,
		    uint32_t index)
{
	switch (want->by) {
	case BY_INDEX:
		return index == want->number;
	case BY_MODULE:
		return card->module_id == want->number;
	case BY_NODE:
		return card->accel == want->number;
	default:
		return !strcmp(card->busid, want->address);
	}
}

static int open_wanted(const struct wanted *want, int timeout_ms,
		       struct gaudi_device **device)
{
	struct gd_card *cards;
	uint32_t count, i;
	int rc;

	if (!device || timeout_ms < -1)
		return gd_fail(-EINVAL, "opening a card: %s",
			       device ? "timeout below -1" : "device is NULL");
	rc = gd_cards_find(&cards, &count);
	if (rc)
		return rc;
	for (i = 0; i < count; i++)
		if (matches(want, &cards[i], i))
			break;
	if (i < count)
		rc = open_card(&cards[i], i, timeout_ms, device);
	else if (want->by == BY_ADDRESS || want->by == BY_NODE)
		rc = gd_fail(-ENODEV, "no card at %s among the %u visible ones",
			     want->address, count);
	else
		rc = gd_fail(-ENODEV, "no card of %s %u, %u are visible",
			     want->by == BY_INDEX ? "index" : "module id",
			     want->number, count);
	free(cards);

	return rc;
}

int gaudi_device_open(uint32_t index, int timeout_ms,
		      struct gaudi_device **device)
{
	PROFILE_CALL();
	const struct wanted want = { .by = BY_INDEX, .number = index };

	return open_wanted(&want, timeout_ms, device);
}

int gaudi_device_open_by_module_id(uint32_t module_id, int timeout_ms,
				   struct gaudi_device **device)
{
	PROFILE_CALL();
	const struct wanted want = { .by = BY_MODULE, .number = module_id };

	return open_wanted(&want, timeout_ms, device);
}

/* As sysfs writes it; the domain may be left out. */
static bool parse_address(const char *text, char address[20])
{
	unsigned int dom = 0, bus, dev, fn;
	int used = 0;

	/* sscanf() alone would take spaces, signs and "0x". */
	if (text[strspn(text, "0123456789abcdefABCDEF:.")])
		return false;
	if (sscanf(text, "%4x:%2x:%2x.%1x%n", &dom, &bus, &dev, &fn,
		   &used) != 4 || text[used]) {
		dom = 0;
		used = 0;
		if (sscanf(text, "%2x:%2x.%1x%n", &bus, &dev, &fn,
			   &used) != 3 || text[used])
			return false;
	}
	snprintf(address, 20, "%04x:%02x:%02x.%x", dom & 0xffff, bus & 0xff,
		 dev & 0xff, fn & 0xf);

	return true;
}

/* "sim:N": libhl-thunk knows which one that is, and has such cards from now on. */
static int find_sim(const char *name, struct wanted *want)
{
	int node = hlthunk_get_device_index_from_pci_bus_id(name);

	if (node == -ELIBACC)
		return gd_fail(node, "\"%.40s\": there is no libgaudi-sim.so.0",
			       name);
	if (node < 0)
		return gd_fail(node, "no card \"%.40s\": %s", name,
			       gaudi_strerror(node));
	want->by = BY_NODE;
	want->number = (uint32_t)node;
	snprintf(want->address, sizeof(want->address), "%s", name);

	return 0;
}

int gaudi_device_open_by_pci_address(const char *address, int timeout_ms,
				     struct gaudi_device **device)
{
	PROFILE_CALL();
	struct wanted want = { .by = BY_ADDRESS };
	int rc;

	if (!address)
		return gd_fail(-EINVAL, "opening a card: the address is NULL");
	if (!strncmp(address, "sim:", 4)) {
		rc = find_sim(address, &want);
		return rc ? rc : open_wanted(&want, timeout_ms, device);
	}
	if (!parse_address(address, want.address))
		return gd_fail(-EINVAL, "\"%.40s\" is no PCI address", address);

	return open_wanted(&want, timeout_ms, device);
}

int gaudi_device_close(struct gaudi_device *device)
{
	PROFILE_CALL();
	struct gd_error_state state = {};
	struct gd_point all;
	int rc;

	if (!device)
		return 0;
	rc = gd_device_check_mine(device);
	if (!rc)
		rc = gd_may_block(device, "gaudi_device_close");
	if (rc)
		return rc;

	gd_streams_exit(device);
	gd_launchers_exit(device);
	/* They may have links. */
	gd_graphs_exit(device);
	gd_links_exit(device);
	gd_submitted(device, &all);
	rc = gd_device_check(device);
	if (!rc)
		rc = gd_wait(device, &all);
	gd_error_save(&state);
	free_all(device);
	gd_error_restore(&state);

	return rc;
}
