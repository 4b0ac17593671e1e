// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "gaudi_inject.h"

int gt_port_open(void)
{
	char path[64], name[32];
	int port = -ENODEV;
	glob_t found;
	size_t i;

	if (glob("/sys/class/virtio-ports/*/name", 0, NULL, &found))
		return -ENODEV;
	for (i = 0; i < found.gl_pathc && port < 0; i++) {
		FILE *f = fopen(found.gl_pathv[i], "r");

		if (!f)
			continue;
		if (fgets(name, sizeof(name), f) &&
		    !strcmp(name, "gaudi.inject\n") &&
		    sscanf(found.gl_pathv[i], "/sys/class/virtio-ports/%31[^/]",
			   name) == 1) {
			snprintf(path, sizeof(path), "/dev/%s", name);
			port = open(path, O_RDWR | O_CLOEXEC);
		}
		fclose(f);
	}
	globfree(&found);
	return port;
}

/* Without its end. */
static int read_line(int port, char *line, size_t len)
{
	size_t n = 0;
	char c;

	for (;;) {
		if (read(port, &c, 1) != 1)
			return -EIO;
		if (c == '\n')
			break;
		if (n < len - 1)
			line[n++] = c;
	}
	line[n] = 0;
	return 0;
}

int gt_port_ask(int port, const char *what, unsigned int card,
		const char *fault, char *text, size_t len)
{
	char line[1024];
	size_t n = 0;

	text[0] = 0;
	if (dprintf(port, "%s gaudi%u %s\n", what, card, fault) < 0)
		return -EIO;
	for (;;) {
		if (read_line(port, line, sizeof(line)))
			return -EIO;
		if (!strcmp(line, "ok"))
			return 0;
		if (!strncmp(line, "error ", 6)) {
			snprintf(text, len, "%s", line + 6);
			return -EINVAL;
		}
		n += snprintf(text + n, len - n, "%s\n", line);
		if (n >= len)
			n = len - 1;
	}
}
