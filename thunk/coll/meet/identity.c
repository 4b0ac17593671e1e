// SPDX-License-Identifier: MIT
/* Which machine, and which box of it, this process is on. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bootstrap.h"

/* The kernel's name of its boot is its own, also in a guest, and the same in containers. */
static void read_host(uint8_t host[16])
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	char text[40] = "";
	ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	memset(host, 0, 16);
	for (ssize_t i = 0; i < n; i++)
		host[i % 16] = (uint8_t)(host[i % 16] * 31 + (uint8_t)text[i]);
}

/*
 * Cards that are in the process (GAUDI_SIM) have no cables that leave it. Its number, with the
 * one of the namespace that numbers it, since containers share a machine. Processes share
 * a box that they have a name for (GAUDI_SIM_BOX).
 */
static uint64_t read_process(void)
{
	const char *cards = secure_getenv("GAUDI_SIM");
	const char *box = secure_getenv("GAUDI_SIM_BOX");
	uint64_t number = 0;
	struct stat pids = {};

	if (!cards)
		return 0;
	if (box && *box) {
		while (*box)
			number = number * 1099511628211u + (uint8_t)*box++;
		return number | 1;
	}
	stat("/proc/self/ns/pid", &pids);

	return (uint64_t)pids.st_ino << 32 | (uint32_t)getpid();
}

int coll_identify(struct coll_identity *identity)
{
	const char *box = getenv("GAUDI_COLL_BOX");

	memset(identity, 0, sizeof(*identity));
	read_host(identity->host);
	identity->process = read_process();
	if (!box)
		return 0;
	if (strlen(box) >= sizeof(identity->box))
		return coll_fail(-EINVAL, "GAUDI_COLL_BOX is %.32s, longer than %zu characters",
				 box, sizeof(identity->box) - 1);
	strcpy(identity->box, box);

	return 0;
}
