// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Which port of which card of which box a wire joins, as data.
 *
 * An HLS-1 leaves its box by the ports 1, 8 and 9 of each card; to what is up to
 * its owner. Here each card reaches those of its number in other boxes.
 */
#include <stdio.h>
#include <string.h>

#include "../nic/nic.h"

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

/* A table that is being read. */
struct reading {
	struct gaudi_fabric_cable *cables;
	/* modules whose port has a cable */
	uint8_t used[GAUDI_MAX_BOXES][GAUDI_NUM_NIC_ENGINE];
};

static const char *take(void *opaque, unsigned int n, const char *line)
{
	struct reading *r = opaque;
	const struct gaudi_fabric_cable *c = &r->cables[n];
	const char *why = read_line(line, &r->cables[n]);
	unsigned int i;
	uint8_t *bits;

	for (i = 0; i < 2 && !why; i++) {
		bits = &r->used[c->box[i]][c->port[i]];
		if (*bits & modules(c, i))
			why = "a port has a cable already";
		*bits |= modules(c, i);
	}
	return why;
}

int gaudi_fabric_cables(const char *text, struct gaudi_fabric_cable *cables,
			char *err, size_t err_len)
{
	struct reading r = { .cables = cables };

	if (!strcmp(text, "mesh"))
		return (int)mesh(cables);
	if (!strcmp(text, "pairs"))
		return (int)pairs(cables);
	return gaudi_cable_lines(text, GAUDI_MAX_FABRIC_CABLES, take, &r, err,
				 err_len);
}
