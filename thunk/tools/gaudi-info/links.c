// SPDX-License-Identifier: MIT
/* gaudi-info --links: ports of the cards, for people and for programs. */
#include <cJSON.h>
#include <string.h>

#include "gaudi_link.h"
#include "info.h"
#include "json.h"
#include "ports.h"
#include "text.h"

/* What the port is cabled to, as libgaudi has it; false: nothing is known. */
static bool peer_of(const struct card_info *c, const struct card_port *port,
		    uint32_t *module, uint32_t *at)
{
	uint32_t id;

	return info_module_id(c, &id) &&
	       !gaudi_cabling_get_peer(id, port->port, module, at);
}

static const char *leads_to(const struct card_info *c,
			    const struct card_port *port, char *text)
{
	uint32_t module, at;

	if (port->external)
		strcpy(text, "outside");
	else if (peer_of(c, port, &module, &at))
		snprintf(text, TEXT_LEN, "module %u, port %u", module, at);
	else
		strcpy(text, "?");

	return text;
}

static void show_port(FILE *out, const struct card_info *c,
		      const struct card_port *p)
{
	char to[TEXT_LEN], sent[TEXT_LEN], got[TEXT_LEN];

	fprintf(out, "  %4u  %-4s  %-18s  %-17s  %4llu Gb/s  %10s  %10s  %7llu  %7llu  %6llu\n",
		p->port, p->up ? "up" : "down", leads_to(c, p, to), p->mac,
		(unsigned long long)p->speed_mbps / 1000,
		text_bytes(p->tx_bytes, sent), text_bytes(p->rx_bytes, got),
		(unsigned long long)p->retries, (unsigned long long)p->dropped,
		(unsigned long long)p->errors);
}

static void show_card(FILE *out, const struct card_info *c)
{
	struct card_port ports[CARD_PORTS];
	size_t count = card_ports(&c->card, ports);
	uint32_t id;

	fprintf(out, "Card %d", c->card.index);
	if (info_module_id(c, &id))
		fprintf(out, ", module %u", id);
	fprintf(out, ", %s: %s\n", c->card.busid,
		count ? "ports that are on" : "no port is on");
	if (count)
		fprintf(out, "  %4s  %-4s  %-18s  %-17s  %9s  %10s  %10s  %7s  %7s  %6s\n",
			"PORT", "LINK", "LEADS TO", "MAC", "SPEED", "SENT",
			"RECEIVED", "RETRIES", "DROPPED", "ERRORS");
	for (size_t i = 0; i < count; i++)
		show_port(out, c, &ports[i]);
}

void show_links(FILE *out, const struct card_info *infos, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (i)
			fputc('\n', out);
		show_card(out, &infos[i]);
	}
}

/*
 * JSON
 */
static void add_peer(cJSON *obj, const struct card_info *c,
		     const struct card_port *p)
{
	uint32_t module, at;

	if (!p->external && peer_of(c, p, &module, &at)) {
		cJSON_AddNumberToObject(obj, "peer_module", module);
		cJSON_AddNumberToObject(obj, "peer_port", at);
	} else {
		cJSON_AddNullToObject(obj, "peer_module");
		cJSON_AddNullToObject(obj, "peer_port");
	}
}

static cJSON *port_json(const struct card_info *c, const struct card_port *p)
{
	const struct {
		const char *name;
		uint64_t value;
	} numbers[] = {
		{ "speed_mbps", p->speed_mbps },
		{ "link_changes", p->link_changes },
		{ "errors", p->errors },
		{ "tx_packets", p->tx_packets },
		{ "tx_bytes", p->tx_bytes },
		{ "rx_packets", p->rx_packets },
		{ "rx_bytes", p->rx_bytes },
		{ "retries", p->retries },
		{ "out_of_order", p->out_of_order },
		{ "duplicates", p->duplicates },
		{ "dropped", p->dropped },
	};
	cJSON *obj = cJSON_CreateObject();

	cJSON_AddNumberToObject(obj, "port", p->port);
	cJSON_AddBoolToObject(obj, "up", p->up);
	cJSON_AddBoolToObject(obj, "external", p->external);
	cJSON_AddStringToObject(obj, "mac", p->mac);
	add_peer(obj, c, p);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		cJSON_AddNumberToObject(obj, numbers[i].name,
					(double)numbers[i].value);

	return obj;
}

int show_links_json(FILE *out, const struct card_info *infos, size_t count)
{
	cJSON *root = cJSON_CreateObject();
	cJSON *list = cJSON_AddArrayToObject(root, "cards");

	for (size_t i = 0; i < count; i++) {
		struct card_port ports[CARD_PORTS];
		size_t num = card_ports(&infos[i].card, ports);
		cJSON *card = cJSON_CreateObject(), *of_card;
		uint32_t id;

		cJSON_AddNumberToObject(card, "index", infos[i].card.index);
		if (info_module_id(&infos[i], &id))
			cJSON_AddNumberToObject(card, "module_id", id);
		else
			cJSON_AddNullToObject(card, "module_id");
		cJSON_AddStringToObject(card, "pci_address",
					infos[i].card.busid);
		of_card = cJSON_AddArrayToObject(card, "ports");
		for (size_t n = 0; n < num; n++)
			cJSON_AddItemToArray(of_card,
					     port_json(&infos[i], &ports[n]));
		cJSON_AddItemToArray(list, card);
	}

	return json_print(out, root);
}
