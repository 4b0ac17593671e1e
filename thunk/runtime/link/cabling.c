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
	cables->num = gaudi_cabling_hls1(cables->at);
}

int gd_cables_parse(struct gd_cables *cables, const char *text,
		    const char *name)
{
	char why[128];
	int num = gaudi_cabling_read(text, cables->at, why, sizeof(why));

	cables->num = num < 0 ? 0 : (uint32_t)num;

	return num < 0 ? gd_fail(num, "%.100s, %s", name, why) : 0;
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
		const struct gaudi_cable *cable = &cables->at[i];

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
