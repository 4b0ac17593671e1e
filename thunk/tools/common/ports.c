// SPDX-License-Identifier: MIT
/* Ports: a folder nicN of the PCI device for each one that is on. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ports.h"

static bool read_attr(const struct card *card, unsigned int port,
		      const char *name, char *text, int size)
{
	char path[128];
	FILE *f;
	bool read;

	snprintf(path, sizeof(path), "/sys/bus/pci/devices/%s/nic%u/%s",
		 card->busid, port, name);
	f = fopen(path, "re");
	if (!f)
		return false;
	read = fgets(text, size, f);
	fclose(f);
	if (read)
		text[strcspn(text, "\n")] = '\0';

	return read;
}

static uint64_t read_number(const struct card *card, unsigned int port,
			    const char *name)
{
	char text[32];

	return read_attr(card, port, name, text, sizeof(text)) ?
	       strtoull(text, NULL, 10) : 0;
}

static void read_counters(const struct card *card, struct card_port *p)
{
	const struct {
		const char *name;
		uint64_t *value;
	} counters[] = {
		{ "speed_mbps", &p->speed_mbps },
		{ "link_changes", &p->link_changes },
		{ "errors", &p->errors },
		{ "tx_packets", &p->tx_packets },
		{ "tx_bytes", &p->tx_bytes },
		{ "rx_packets", &p->rx_packets },
		{ "rx_bytes", &p->rx_bytes },
		{ "retries", &p->retries },
		{ "out_of_order", &p->out_of_order },
		{ "duplicates", &p->duplicates },
		{ "dropped", &p->dropped },
	};

	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		*counters[i].value = read_number(card, p->port,
						 counters[i].name);
}

size_t card_ports(const struct card *card, struct card_port *out)
{
	size_t count = 0;

	for (unsigned int port = 0; port < CARD_PORTS; port++) {
		struct card_port *p = &out[count];
		char link[8];

		/* None of this name: it is off, or the driver has no ports. */
		if (!read_attr(card, port, "link", link, sizeof(link)))
			continue;
		memset(p, 0, sizeof(*p));
		p->port = port;
		p->up = !strcmp(link, "up");
		p->external = read_number(card, port, "external");
		read_attr(card, port, "mac", p->mac, sizeof(p->mac));
		read_counters(card, p);
		count++;
	}

	return count;
}
