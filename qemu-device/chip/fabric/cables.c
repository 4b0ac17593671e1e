// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which port of which card of which box a wire joins, as data.
 *
 * An HLS-1 leaves its box by the ports 1, 8 and 9 of each card; to what is up to
 * its owner. Here each card reaches those of its number in other boxes.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../gaudi_chip.h"
#include "../../../uapi/hw/gaudi_map.h"

#define MODULES		8
#define EXTERNALS	3

static const uint8_t external[EXTERNALS] = { 1, 8, 9 };

static struct gaudi_fabric_cable cable(unsigned int a, unsigned int b,
				       uint8_t port)
{
	return (struct gaudi_fabric_cable) {
		.box = { (uint8_t)a, (uint8_t)b },
		.module = { GAUDI_ANY_MODULE, GAUDI_ANY_MODULE },
		.port = { port, port },
	};
}

/* Four boxes, all to all; the next four again, and so on. */
static unsigned int mesh(struct gaudi_fabric_cable *cables)
{
	unsigned int a, b, n = 0;

	for (a = 0; a < GAUDI_MAX_BOXES; a++)
		for (b = a + 1; b <= (a | EXTERNALS); b++)
			cables[n++] = cable(a, b, external[(a ^ b) - 1]);
	return n;
}

/* Two boxes, by all ports; the next two again, and so on. */
static unsigned int pairs(struct gaudi_fabric_cable *cables)
{
	unsigned int a, i, n = 0;

	for (a = 0; a < GAUDI_MAX_BOXES; a += 2)
		for (i = 0; i < EXTERNALS; i++)
			cables[n++] = cable(a, a + 1, external[i]);
	return n;
}

/* One end, BOX:MODULE:PORT with '*' for any module: how long it is, or 0. */
static int read_end(const char *text, struct gaudi_fabric_cable *c,
		    unsigned int i)
{
	unsigned int box, module = GAUDI_ANY_MODULE, port;
	int len = 0;

	if (sscanf(text, " %2u:*:%1u%n", &box, &port, &len) != 2 || !len) {
		len = 0;
		if (sscanf(text, " %2u:%1u:%1u%n", &box, &module, &port,
			   &len) != 3 || !len)
			return 0;
	}
	c->box[i] = box;
	c->module[i] = module;
	c->port[i] = port;
	return len;
}

/* NULL, or why the line is no cable. */
static const char *read_line(const char *line, struct gaudi_fabric_cable *c)
{
	int first = read_end(line, c, 0), second;

	second = first && strchr(" \t", line[first]) ?
			 read_end(line + first, c, 1) : 0;
	if (!second || line[first + second + strspn(line + first + second,
						    " \t\r")])
		return "two ends wanted, BOX:MODULE:PORT BOX:MODULE:PORT";
	if (c->box[0] >= GAUDI_MAX_BOXES || c->box[1] >= GAUDI_MAX_BOXES)
		return "boxes are 0 to 15";
	if (c->box[0] == c->box[1])
		return "both ends are in one box";
	if ((c->module[0] == GAUDI_ANY_MODULE) !=
	    (c->module[1] == GAUDI_ANY_MODULE))
		return "* stands at both ends, for the same module";
	if (c->module[0] != GAUDI_ANY_MODULE &&
	    (c->module[0] >= MODULES || c->module[1] >= MODULES))
		return "modules are 0 to 7";
	return NULL;
}

/* The modules that an end names, as bits. */
static unsigned int modules(const struct gaudi_fabric_cable *c, unsigned int i)
{
	return c->module[i] == GAUDI_ANY_MODULE ? 0xff : 1u << c->module[i];
}

static const char *take(const struct gaudi_fabric_cable *c,
			uint8_t used[GAUDI_MAX_BOXES][GAUDI_NUM_NIC_ENGINE])
{
	unsigned int i;
	uint8_t *bits;

	for (i = 0; i < 2; i++) {
		bits = &used[c->box[i]][c->port[i]];
		if (*bits & modules(c, i))
			return "a port has a cable already";
		*bits |= modules(c, i);
	}
	return NULL;
}

static int read_lines(const char *text, struct gaudi_fabric_cable *cables,
		      char *err, size_t err_len)
{
	uint8_t used[GAUDI_MAX_BOXES][GAUDI_NUM_NIC_ENGINE] = { 0 };
	unsigned int n = 0, number = 1;
	const char *why = NULL;
	char line[80];
	size_t len;

	for (; *text; text += len + (text[len] == '\n'), number++) {
		len = strcspn(text, "\n");
		snprintf(line, sizeof(line), "%.*s", (int)len, text);
		line[strcspn(line, "#")] = '\0';
		if (!line[strspn(line, " \t\r")])
			continue;
		if (n == GAUDI_MAX_FABRIC_CABLES)
			why = "too many cables";
		if (!why)
			why = read_line(line, &cables[n]);
		if (!why)
			why = take(&cables[n], used);
		if (why) {
			snprintf(err, err_len, "line %u: %s", number, why);
			return -EINVAL;
		}
		n++;
	}
	return (int)n;
}

int gaudi_fabric_cables(const char *text, struct gaudi_fabric_cable *cables,
			char *err, size_t err_len)
{
	if (!strcmp(text, "mesh"))
		return (int)mesh(cables);
	if (!strcmp(text, "pairs"))
		return (int)pairs(cables);
	return read_lines(text, cables, err, err_len);
}
