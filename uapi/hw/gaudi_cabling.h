/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * Which ports of the cards in a box are joined, as data: a table that a file may replace,
 * with a cable a line, "MODULE:PORT MODULE:PORT", and comments behind '#'. No card says it,
 * so who plays the cards and who uses them read the same. Not for the kernel.
 *
 * Public of the HLS-1: eight cards, all to all by seven ports of each, and the three
 * others (1, 8, 9) leave the box. Which internal port reaches which card is not; in
 * this table cards a and b use the same port, chosen by a ^ b.
 */
#ifndef GAUDI_CABLING_H
#define GAUDI_CABLING_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define GAUDI_CABLED_MODULES	8
/* At most so many: each joins two of eight cards' ten ports. */
#define GAUDI_MAX_CABLES	40

struct gaudi_cable {
	uint8_t module[2];
	uint8_t port[2];
};

/* The 28 of an HLS-1: how many. */
static inline unsigned int gaudi_cabling_hls1(struct gaudi_cable *cables)
{
	static const uint8_t port[GAUDI_CABLED_MODULES] = {
		0, 0, 2, 3, 4, 5, 6, 7,
	};
	unsigned int a, b, n = 0;

	for (a = 0; a < GAUDI_CABLED_MODULES; a++)
		for (b = a + 1; b < GAUDI_CABLED_MODULES; b++)
			cables[n++] = (struct gaudi_cable) {
				.module = { (uint8_t)a, (uint8_t)b },
				.port = { port[a ^ b], port[a ^ b] },
			};
	return n;
}

/* What a line says that is not empty: 0, or why it is none. */
static inline const char *gaudi_cable_read(const char *line,
					   struct gaudi_cable *cable)
{
	unsigned int m[2], p[2];
	int end = 0;

	if (sscanf(line, " %1u:%1u %1u:%1u %n", &m[0], &p[0], &m[1], &p[1],
		   &end) != 4 || line[end])
		return "two ends wanted, MODULE:PORT MODULE:PORT";
	if (m[0] >= GAUDI_CABLED_MODULES || m[1] >= GAUDI_CABLED_MODULES)
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
struct gaudi_cabling_reading {
	struct gaudi_cable *cables;
	uint16_t used[GAUDI_CABLED_MODULES];	/* ports that have a cable */
};

static inline const char *gaudi_cabling_add(void *opaque, unsigned int n,
					    const char *line)
{
	struct gaudi_cabling_reading *r = opaque;
	const struct gaudi_cable *cable = &r->cables[n];
	const char *why = gaudi_cable_read(line, &r->cables[n]);
	unsigned int i;

	for (i = 0; i < 2 && !why; i++) {
		uint16_t bit = (uint16_t)(1u << cable->port[i]);

		if (r->used[cable->module[i]] & bit)
			why = "a port has a cable already";
		r->used[cable->module[i]] |= bit;
	}
	return why;
}

/*
 * Lines of a table of cables, without comments and empty ones: @fn reads number n from
 * 0 on, and returns NULL or what is wrong with it. Returns how many there are, at most
 * @max, or -EINVAL and the line's number with the reason in @err.
 */
typedef const char *(*gaudi_cable_line_fn)(void *opaque, unsigned int n,
					   const char *line);

static inline int gaudi_cable_lines(const char *text, unsigned int max,
				    gaudi_cable_line_fn fn, void *opaque,
				    char *err, size_t err_len)
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

/* A table of cables in a box: how many, or -EINVAL, as above. */
static inline int gaudi_cabling_read(const char *text,
				     struct gaudi_cable *cables, char *err,
				     size_t err_len)
{
	struct gaudi_cabling_reading r = { .cables = cables };

	return gaudi_cable_lines(text, GAUDI_MAX_CABLES, gaudi_cabling_add,
				 &r, err, err_len);
}

#endif /* GAUDI_CABLING_H */
