// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * What a kernel shows of cards before a driver tells anything: slots, classes, nodes,
 * numbers, and the module. Paths are those of an accel card at a root bus.
 */
#include "../cards/cards.h"
#include "../kernel/nodes.h"
#include "grow.h"
#include "numbers.h"

#define BUS		"pci0000:00"
#define CLASS		0x120000	/* a processing accelerator */
#define ALL_MAY		0666
#define NODE_NAME	24

static struct sim_entry *slots[SIM_MAX_CARDS];

struct sim_entry *sim_entry_slot(unsigned int n)
{
	return slots[n];
}

/* A node of a card: in its slot, in its class, by its number, in /dev. */
static void add_node(unsigned int n, const char *busid, const char *fmt,
		     unsigned int major, struct sim_entry *in_slot,
		     const char *in_slot_name)
{
	char name[NODE_NAME], number[NODE_NAME];
	struct sim_entry *e, *node;

	snprintf(name, sizeof(name), fmt, n);
	snprintf(number, sizeof(number), "%u:%u", major, n);
	e = sim_entry_dir(in_slot, name);
	sim_entry_text(e, "dev", "%s\n", number);
	sim_entry_text(e, "uevent",
		       "MAJOR=%u\nMINOR=%u\nDEVNAME=accel/%s\n%s", major, n, name,
		       major == ACCEL_MAJOR ? "DEVTYPE=accel_minor\n" : "");
	sim_entry_link(e, "device", "../../../%s", busid);
	sim_entry_link(e, "subsystem", "../../../../../class/accel");
	sim_entry_link(sim_entry_merged("/sys/class/accel"), name,
		       "../../devices/" BUS "/%s/%s/%s", busid, in_slot_name,
		       name);
	sim_entry_link(sim_entry_merged("/sys/dev/char"), number,
		       "../../devices/" BUS "/%s/%s/%s", busid, in_slot_name,
		       name);
	node = sim_entry_add(sim_entry_merged("/dev/accel"), name,
			     S_IFCHR | ALL_MAY);
	if (node) {
		node->major = major;
		node->minor = n;
	}
}

/* What configuration space holds, as text. */
static void add_ids(struct sim_entry *slot, const char *busid)
{
	sim_entry_text(slot, "vendor", "0x%04x\n", CARD_VENDOR);
	sim_entry_text(slot, "device", "0x%04x\n", CARD_DEVICE);
	sim_entry_text(slot, "subsystem_vendor", "0x%04x\n", CARD_VENDOR);
	sim_entry_text(slot, "subsystem_device", "0x%04x\n", CARD_DEVICE);
	sim_entry_text(slot, "class", "0x%06x\n", CLASS);
	sim_entry_text(slot, "revision", "0x01\n");
	sim_entry_text(slot, "enable", "1\n");
	sim_entry_text(slot, "irq", "0\n");
	sim_entry_text(slot, "numa_node", "-1\n");
	sim_entry_text(slot, "local_cpulist", "0\n");
	/* No bus is between the card and the process. */
	sim_entry_text(slot, "current_link_speed", "Unknown\n");
	sim_entry_text(slot, "current_link_width", "0\n");
	sim_entry_text(slot, "max_link_speed", "Unknown\n");
	sim_entry_text(slot, "max_link_width", "255\n");
	sim_entry_text(slot, "modalias",
		       "pci:v%08Xd%08Xsv%08Xsd%08Xbc12sc00i00\n", CARD_VENDOR,
		       CARD_DEVICE, CARD_VENDOR, CARD_DEVICE);
	sim_entry_text(slot, "uevent",
		       "DRIVER=gaudi\nPCI_CLASS=%06X\nPCI_ID=%04X:%04X\n"
		       "PCI_SUBSYS_ID=%04X:%04X\nPCI_SLOT_NAME=%s\n",
		       CLASS, CARD_VENDOR, CARD_DEVICE, CARD_VENDOR,
		       CARD_DEVICE, busid);
	sim_entry_link(slot, "driver", "../../../bus/pci/drivers/gaudi");
	sim_entry_link(slot, "subsystem", "../../../bus/pci");
}

static void add_slot(struct sim_entry *bus, unsigned int n)
{
	struct sim_entry *slot;
	char busid[16];

	sim_card_busid(n, busid);
	slot = sim_entry_dir(bus, busid);
	if (!slot)
		return;
	slot->card = n + 1;
	slots[n] = slot;
	add_ids(slot, busid);
	add_node(n, busid, "accel%u", ACCEL_MAJOR, sim_entry_dir(slot, "accel"),
		 "accel");
	add_node(n, busid, "accel_controlD%u", CONTROL_MAJOR,
		 sim_entry_dir(slot, "accel"), "accel");
	sim_entry_link(sim_entry_merged("/sys/bus/pci/devices"), busid,
		       "../../../devices/" BUS "/%s", busid);
	sim_entry_link(sim_entry_dir(sim_entry_merged("/sys/bus/pci/drivers"),
				     "gaudi"), busid,
		       "../../../../devices/" BUS "/%s", busid);
}

static ssize_t show_parameter(const struct sim_entry *e, char **text)
{
	*text = malloc(32);
	return *text ? sim_module_param_show(e->name, *text, 32) : -ENOMEM;
}

static const struct sim_entry_ops parameter_ops = { .show = show_parameter };

static void add_module(void)
{
	struct sim_entry *module = sim_entry_dir(sim_entry_merged("/sys/module"),
						 "gaudi");
	struct sim_entry *dir = sim_entry_dir(module, "parameters");
	const char *name;
	unsigned int i;

	sim_entry_text(module, "version", "%s\n", sim_module_version);
	sim_entry_text(module, "initstate", "live\n");
	sim_entry_text(module, "refcnt", "0\n");
	for (i = 0; (name = sim_module_param_name(i)); i++)
		sim_entry_file(dir, name, 0444, &parameter_ops, NULL, NULL, 0);
	sim_entry_link(sim_entry_dir(sim_entry_merged("/sys/bus/pci/drivers"),
				     "gaudi"), "module",
		       "../../../../module/gaudi");
}

void sim_entry_make_host(void)
{
	struct sim_entry *bus = sim_entry_merged("/sys/devices/" BUS);
	unsigned int n;

	for (n = 0; n < sim_wanted_cards(); n++)
		add_slot(bus, n);
	/* These are the cards' alone: whoever has some of their own has others. */
	sim_entry_merged("/dev/accel")->merged = false;
	sim_entry_merged("/sys/class/accel")->merged = false;
	/* Cards boot at the same time, and find these. */
	sim_entry_merged("/sys/class/hwmon")->card = ALL_CARDS;
	sim_entry_merged("/sys/kernel/debug/accel")->card = ALL_CARDS;
	add_module();
}
