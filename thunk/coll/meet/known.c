// SPDX-License-Identifier: MIT
/*
 * Where ranks learn of the listener if nothing tells them: from a file that all of them see
 * (GAUDI_COLL_FILE), or from the launcher, by PMIx (pmix.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "known.h"
#include "../base/net.h"

#define RETRY_MS	20
/* Who does not answer for so long is none of ours, or has ended. */
#define ANSWER_MS	2000

static const char *file(void)
{
	const char *path = getenv("GAUDI_COLL_FILE");

	return path && *path ? path : NULL;
}

/* Whole or not at all: a file of another name takes its place. */
static int write_file(const char *path, const struct coll_id *id)
{
	char other[4096];
	int fd, rc = 0;

	if (snprintf(other, sizeof(other), "%s.%ld", path, (long)getpid()) >=
	    (int)sizeof(other))
		return coll_fail(-ENAMETOOLONG, "GAUDI_COLL_FILE is too long");
	fd = open(other, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return coll_fail(-errno, "GAUDI_COLL_FILE, %.160s: %s", other,
				 strerror(errno));
	if (write(fd, id, sizeof(*id)) != sizeof(*id) || fsync(fd))
		rc = -EIO;
	if (close(fd) || rc || rename(other, path)) {
		rc = coll_fail(-EIO, "GAUDI_COLL_FILE, %.160s cannot be written", path);
		unlink(other);
	}

	return rc;
}

/* Does anybody listen there? A file may be of a job that has ended. */
static bool answers(const struct coll_id *id)
{
	const struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = id->ip,
		.sin_port = id->port,
	};
	int fd;

	if (coll_connect(&address, "the listener", coll_now_ms() + ANSWER_MS, &fd))
		return false;
	close(fd);

	return true;
}

static bool read_file(const char *path, struct coll_id *id)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool whole = fd >= 0 && read(fd, id, sizeof(*id)) == sizeof(*id) &&
		     id->magic == COLL_ID_MAGIC;

	if (fd >= 0)
		close(fd);

	return whole && answers(id);
}

static int find_in_file(const char *path, int ms, struct coll_id *id)
{
	int64_t deadline = coll_now_ms() + ms;

	while (!read_file(path, id)) {
		if (coll_now_ms() >= deadline)
			return coll_fail(-ETIMEDOUT, "GAUDI_COLL_FILE, %.128s names no listener after %d s",
					 path, ms / 1000);
		usleep(RETRY_MS * 1000);
	}

	return 0;
}

bool coll_id_can_be_found(void)
{
	return file() || coll_pmix_is_there();
}

void coll_join_launcher(void)
{
	if (!file())
		coll_pmix_is_there();
}

int coll_id_publish(const struct coll_id *id)
{
	return file() ? write_file(file(), id) :
	       coll_pmix_is_there() ? coll_pmix_put(id) : 0;
}

void coll_id_withdraw(const struct coll_id *id)
{
	struct coll_id now;
	int fd = file() ? open(file(), O_RDONLY | O_CLOEXEC) : -1;

	if (fd < 0)
		return;
	/* Another job's stays. */
	if (read(fd, &now, sizeof(now)) == sizeof(now) &&
	    !memcmp(&now, id, sizeof(now)))
		unlink(file());
	close(fd);
}

int coll_id_find(int ms, struct coll_id *id)
{
	return file() ? find_in_file(file(), ms, id) : coll_pmix_get(ms, id);
}
