// SPDX-License-Identifier: MIT
/* Constants of costs: the usual ones, and those of a file, a line "name value" for each. */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../base/error.h"
#include "cost.h"

const struct coll_costs coll_costs_usual = {
	.exchange_ns = 1800000,
	.write_ns = 300,
	.link_ps = 300,
	.card_ps = 250,
	.copy_ns = 20000,
	.copy_ps = 200,
	.reduce_ns = 120000,
	.reduce_ps = 400,
	.posts_together = 700,
	.bytes_together = 220,
	.far_ns = 50000,
	.far_ps = 1000,
};

static const struct {
	const char *name;
	size_t at;
} fields[COLL_COSTS] = {
	{ "exchange_ns", offsetof(struct coll_costs, exchange_ns) },
	{ "write_ns", offsetof(struct coll_costs, write_ns) },
	{ "link_ps", offsetof(struct coll_costs, link_ps) },
	{ "card_ps", offsetof(struct coll_costs, card_ps) },
	{ "copy_ns", offsetof(struct coll_costs, copy_ns) },
	{ "copy_ps", offsetof(struct coll_costs, copy_ps) },
	{ "reduce_ns", offsetof(struct coll_costs, reduce_ns) },
	{ "reduce_ps", offsetof(struct coll_costs, reduce_ps) },
	{ "posts_together", offsetof(struct coll_costs, posts_together) },
	{ "bytes_together", offsetof(struct coll_costs, bytes_together) },
	{ "far_ns", offsetof(struct coll_costs, far_ns) },
	{ "far_ps", offsetof(struct coll_costs, far_ps) },
};

const char *coll_cost_name(unsigned int i)
{
	return i < COLL_COSTS ? fields[i].name : NULL;
}

uint32_t *coll_cost_value(struct coll_costs *costs, unsigned int i)
{
	return (uint32_t *)((char *)costs + fields[i].at);
}

/* Into the field that is named; -1: what is this? */
static int take_line(const char *line, struct coll_costs *costs)
{
	char name[32], rest[2];
	unsigned long long value;

	if (sscanf(line, "%31s %llu %1s", name, &value, rest) != 2 ||
	    value > UINT32_MAX)
		return -1;
	for (unsigned int i = 0; i < COLL_COSTS; i++)
		if (!strcmp(name, fields[i].name)) {
			*coll_cost_value(costs, i) = (uint32_t)value;
			return (int)i;
		}

	return -1;
}

int coll_costs_read(const char *path, struct coll_costs *costs)
{
	FILE *file = fopen(path, "re");
	struct coll_costs read = {};
	uint32_t seen = 0;
	char line[80];
	int field = 0;

	if (!file)
		return coll_fail(-errno, "%s: %s", path, strerror(errno));
	while (field >= 0 && fgets(line, sizeof(line), file)) {
		if (*line == '#' || *line == '\n')
			continue;
		field = take_line(line, &read);
		if (field >= 0)
			seen |= 1u << field;
	}
	fclose(file);
	if (field < 0)
		return coll_fail(-EINVAL, "%s: no constant: %.40s", path, line);
	for (unsigned int i = 0; i < COLL_COSTS; i++)
		if (!(seen & 1u << i))
			return coll_fail(-EINVAL, "%s: no %s", path,
					 fields[i].name);
	if (!read.posts_together || !read.bytes_together)
		return coll_fail(-EINVAL, "%s: no cards at all work together",
				 path);
	*costs = read;

	return 0;
}

int coll_costs_write(const char *path, const struct coll_costs *costs)
{
	struct coll_costs copy = *costs;
	char *made;
	FILE *file;
	bool good;

	if (asprintf(&made, "%s.%d", path, (int)getpid()) < 0)
		return coll_fail(-ENOMEM, "no memory for a name");
	file = fopen(made, "we");
	good = file;
	if (file) {
		fputs("# Constants of collectives, for GAUDI_COLL_TUNE.\n", file);
		for (unsigned int i = 0; i < COLL_COSTS; i++)
			fprintf(file, "%s %u\n", fields[i].name,
				*coll_cost_value(&copy, i));
		good = !ferror(file);
		good &= !fclose(file) && !rename(made, path);
	}
	if (!good) {
		int error = errno ? errno : EIO;

		unlink(made);
		free(made);
		return coll_fail(-error, "%s: %s", path, strerror(error));
	}
	free(made);

	return 0;
}
