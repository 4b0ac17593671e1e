// SPDX-License-Identifier: MIT
/*
 * Cabling. No card says what its ports are joined to, so the library has to be told, or
 * to take it that the box is an HLS-1.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cabling.h"
#include "gaudi.h"
#include "../base/base.h"

/* Of a file: more than all cables with a comment each. */
#define MAX_TEXT	8192u

void gd_cables_hls1(struct gd_cables *cables)
{
	static const uint8_t port[GD_MODULES] = { 0, 0, 2, 3, 4, 5, 6, 7 };

	cables->num = 0;
	for (uint8_t a = 0; a < GD_MODULES; a++)
		for (uint8_t b = (uint8_t)(a + 1); b < GD_MODULES; b++)
			cables->at[cables->num++] = (struct gd_cable) {
				.module = { a, b },
				.port = { port[a ^ b], port[a ^ b] },
			};
}

/* NULL, or why the line is no cable. */
static const char *parse_line(const char *line, struct gd_cable *cable)
{
	unsigned int m[2], p[2];
	int end = 0;

	if (sscanf(line, " %1u:%1u %1u:%1u %n", &m[0], &p[0], &m[1], &p[1],
		   &end) != 4 || line[end])
		return "not MODULE:PORT MODULE:PORT";
	if (m[0] >= GD_MODULES || m[1] >= GD_MODULES)
		return "modules are 0 to 7";
	if (m[0] == m[1])
		return "both ends are at one card";
	for (unsigned int i = 0; i < 2; i++) {
		cable->module[i] = (uint8_t)m[i];
		cable->port[i] = (uint8_t)p[i];
	}

	return NULL;
}

static const char *add(struct gd_cables *cables, const struct gd_cable *cable)
{
	uint32_t module, port;

	for (unsigned int i = 0; i < 2; i++)
		if (gd_cables_other_end(cables, cable->module[i],
					cable->port[i], &module, &port))
			return "a port has a cable already";
	/* So there is room: each has two ports of its own. */
	cables->at[cables->num++] = *cable;

	return NULL;
}

int gd_cables_parse(struct gd_cables *cables, const char *text,
		    const char *name)
{
	unsigned int number = 1;
	struct gd_cable cable;
	const char *why;
	char line[80];
	size_t length;

	cables->num = 0;
	for (; *text; text += length + (text[length] == '\n'), number++) {
		length = strcspn(text, "\n");
		snprintf(line, sizeof(line), "%.*s", (int)length, text);
		line[strcspn(line, "#")] = '\0';
		if (!line[strspn(line, " \t\r")])
			continue;
		why = parse_line(line, &cable);
		if (!why)
			why = add(cables, &cable);
		if (why)
			return gd_fail(-EINVAL, "%.100s, line %u: %s", name,
				       number, why);
	}

	return 0;
}

static int read_file(struct gd_cables *cables, const char *name)
{
	FILE *f = fopen(name, "re");
	char text[MAX_TEXT + 1];
	size_t size;
	int rc;

	if (!f) {
		rc = gd_errno();
		return gd_fail(rc, "cabling %.100s: %s", name,
			       gaudi_strerror(rc));
	}
	size = fread(text, 1, sizeof(text), f);
	rc = ferror(f) ? gd_fail(-EIO, "cabling %.100s cannot be read", name) :
	     size > MAX_TEXT ? gd_fail(-EINVAL, "cabling %.100s has more than %u bytes",
				       name, MAX_TEXT) :
	     memchr(text, '\0', size) ? gd_fail(-EINVAL, "cabling %.100s is no text",
						name) : 0;
	fclose(f);
	if (rc)
		return rc;
	text[size] = '\0';

	return gd_cables_parse(cables, text, name);
}

int gd_cables_read(struct gd_cables *cables)
{
	const char *name = secure_getenv("GAUDI_CABLING");

	cables->num = 0;
	if (!name || !*name || !strcmp(name, "hls1")) {
		gd_cables_hls1(cables);
		return 0;
	}
	if (!strcmp(name, "none"))
		return 0;
	if (!strchr(name, '/'))
		return gd_fail(-EINVAL, "GAUDI_CABLING is %.40s, not hls1, none, or a file with a /",
			       name);

	return read_file(cables, name);
}

bool gd_cables_other_end(const struct gd_cables *cables, uint32_t module,
			 uint32_t port, uint32_t *other_module,
			 uint32_t *other_port)
{
	for (uint32_t i = 0; i < cables->num; i++) {
		const struct gd_cable *cable = &cables->at[i];

		for (unsigned int end = 0; end < 2; end++) {
			if (cable->module[end] != module ||
			    cable->port[end] != port)
				continue;
			*other_module = cable->module[!end];
			*other_port = cable->port[!end];
			return true;
		}
	}

	return false;
}
