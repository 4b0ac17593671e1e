// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which port of which card a wire joins, as data: a table that a file may replace.
 *
 * Public of the HLS-1: eight cards, all to all by seven ports of each, and the three
 * others (1, 8, 9) leave the box. Which internal port reaches which card is not; in
 * this table cards a and b use the same port, chosen by a ^ b.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "nic.h"

#define CARDS	8

unsigned int gaudi_cabling_hls1(struct gaudi_cable *cables)
{
	static const uint8_t port[CARDS] = { 0, 0, 2, 3, 4, 5, 6, 7 };
	unsigned int a, b, n = 0;

	for (a = 0; a < CARDS; a++)
		for (b = a + 1; b < CARDS; b++)
			cables[n++] = (struct gaudi_cable) {
				.module = { a, b },
				.port = { port[a ^ b], port[a ^ b] },
			};
	return n;
}

/* What a line says that is not empty: 0, or why it is none. */
static const char *read_line(const char *line, struct gaudi_cable *cable)
{
	unsigned int m[2], p[2];
	int end = 0;

	if (sscanf(line, " %1u:%1u %1u:%1u %n", &m[0], &p[0], &m[1], &p[1],
		   &end) != 4 || line[end])
		return "two ends wanted, MODULE:PORT MODULE:PORT";
	if (m[0] >= CARDS || m[1] >= CARDS)
		return "modules are 0 to 7";
	if (m[0] == m[1])
		return "both ends are at one card";
	*cable = (struct gaudi_cable) {
		.module = { (uint8_t)m[0], (uint8_t)m[1] },
		.port = { (uint8_t)p[0], (uint8_t)p[1] },
	};
	return NULL;
}

/* A table that is being read. */
struct reading {
	struct gaudi_cable *cables;
	uint16_t used[CARDS];	/* ports that have a cable */
};

static const char *take(void *opaque, unsigned int n, const char *line)
{
	struct reading *r = opaque;
	const struct gaudi_cable *cable = &r->cables[n];
	const char *why = read_line(line, &r->cables[n]);
	unsigned int i;

	for (i = 0; i < 2 && !why; i++) {
		uint16_t bit = (uint16_t)(1u << cable->port[i]);

		if (r->used[cable->module[i]] & bit)
			why = "a port has a cable already";
		r->used[cable->module[i]] |= bit;
	}
	return why;
}

int gaudi_cable_lines(const char *text, unsigned int max,
		      gaudi_cable_line_fn fn, void *opaque, char *err,
		      size_t err_len)
{
	unsigned int n = 0, number = 1;
	const char *why;
	char line[80];
	size_t len;

	for (; *text; text += len + (text[len] == '\n'), number++) {
		len = strcspn(text, "\n");
		snprintf(line, sizeof(line), "%.*s", (int)len, text);
		line[strcspn(line, "#")] = '\0';
		if (!line[strspn(line, " \t\r")])
			continue;
		why = n == max ? "too many cables" : fn(opaque, n, line);
		if (why) {
			snprintf(err, err_len, "line %u: %s", number, why);
			return -EINVAL;
		}
		n++;
	}
	return (int)n;
}

int gaudi_cabling_read(const char *text, struct gaudi_cable *cables, char *err,
		       size_t err_len)
{
	struct reading r = { .cables = cables };

	return gaudi_cable_lines(text, GAUDI_MAX_CABLES, take, &r, err, err_len);
}
