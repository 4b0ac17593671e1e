/* SPDX-License-Identifier: MIT */
/* Network ports of cards, as the driver gaudi shows them in sysfs. */
#ifndef TOOLS_PORTS_H
#define TOOLS_PORTS_H

#include "cards.h"

#define CARD_PORTS	10

/* What was read; a counter that could not be is 0. */
struct card_port {
	unsigned int port;
	bool up;
	bool external;
	char mac[24];
	uint64_t speed_mbps, link_changes, errors;
	uint64_t tx_packets, tx_bytes, rx_packets, rx_bytes;
	uint64_t retries, out_of_order, duplicates, dropped;
};

/* Those that are on, at most CARD_PORTS; returns how many. */
size_t card_ports(const struct card *card, struct card_port *out);

#endif /* TOOLS_PORTS_H */
