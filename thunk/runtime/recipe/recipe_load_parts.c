// SPDX-License-Identifier: MIT
/* Parts of a recipe, and its work of links, from a file. */
#include <endian.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/base.h"
#include "recipe_read.h"

/* What the parts' numbers have to be in all. */
static int check_parts(const struct reader *rd, uint64_t num_links)
{
	uint64_t streams = 0, links = 0;
	uint32_t sobs = 0;

	for (uint32_t i = 0; i < rd->num_parts; i++) {
		const struct recipe_file_part *p = &rd->parts[i];

		if (p->reserved)
			return gd_fail(GAUDI_ERR_RECIPE, ".gaudi.parts: entry %u: reserved is %#x",
				       i, p->reserved);
		if (sobs < p->num_sobs)
			sobs = p->num_sobs;
		streams += p->num_streams;
		links += p->num_links;
	}
	if (sobs == le32toh(rd->header.num_sobs) && links == num_links &&
	    streams == le32toh(rd->header.num_streams))
		return 0;

	return gd_fail(GAUDI_ERR_RECIPE, ".gaudi.parts: %" PRIu64 " sections of packets, %" PRIu64 " entries of links, %u sync objects: there are others",
		       streams, links, sobs);
}

/* A recipe without the section is one part. */
int recipe_get_parts(struct reader *rd)
{
	const struct section *s = recipe_section(rd, RECIPE_SHT_PARTS);
	const struct section *links = recipe_section(rd, RECIPE_SHT_LINKS);
	uint64_t num = s ? s->size / sizeof(rd->parts[0]) : 1;
	uint64_t num_links = links ?
			     links->size / sizeof(struct recipe_file_link) : 0;

	if (num > RECIPE_MAX_PARTS || (s && num < 2) ||
	    (s && le16toh(rd->header.minor) < RECIPE_MINOR_PARTS))
		return gd_fail(GAUDI_ERR_RECIPE, "%s: %" PRIu64 " parts, not 2 to %u, in format %u.%u",
			       s->name, num, RECIPE_MAX_PARTS, RECIPE_MAJOR,
			       le16toh(rd->header.minor));
	rd->num_parts = (uint32_t)num;
	if (!s) {
		rd->parts[0].num_sobs = le32toh(rd->header.num_sobs);
		return 0;
	}
	memcpy(rd->parts, recipe_section_bytes(rd, s), num * sizeof(rd->parts[0]));
	for (uint32_t i = 0; i < num; i++) {
		struct recipe_file_part *p = &rd->parts[i];

		p->num_sobs = le32toh(p->num_sobs);
		p->num_streams = le32toh(p->num_streams);
		p->num_links = le32toh(p->num_links);
	}

	return check_parts(rd, num_links);
}

int recipe_get_links(struct reader *rd)
{
	const struct section *s = recipe_section(rd, RECIPE_SHT_LINKS);
	struct recipe_file_link f;
	uint64_t num = s ? s->size / sizeof(f) : 0;
	uint32_t part = 0, left = rd->parts[0].num_links;
	int rc = 0;

	if (num > RECIPE_MAX_LINK_OPS ||
	    (s && le16toh(rd->header.minor) < RECIPE_MINOR_LINKS))
		return gd_fail(GAUDI_ERR_RECIPE, "%s: %" PRIu64 " entries, at most %u, in format %u.%u",
			       s->name, num, RECIPE_MAX_LINK_OPS, RECIPE_MAJOR,
			       le16toh(rd->header.minor));
	for (uint32_t i = 0; !rc && i < num; i++) {
		struct recipe_link_op op;
		char *name = NULL;

		while (!left && part + 1 < rd->num_parts)
			left = rd->parts[++part].num_links;
		left -= left ? 1 : 0;
		memcpy(&f, (const uint8_t *)recipe_section_bytes(rd, s) + i * sizeof(f),
		       sizeof(f));
		op = (struct recipe_link_op) {
			.part = part,
			.kind = le16toh(f.kind),
			.flags = le16toh(f.flags),
			.count = le32toh(f.count),
			.tensor = le32toh(f.tensor),
			.offset = le64toh(f.offset),
			.to_offset = le64toh(f.to_offset),
			.bytes = le64toh(f.bytes),
		};
		rc = recipe_get_string(rd, "link", i, f.name, &name);
		if (!rc)
			rc = recipe_links_add(&rd->r->links, name, &op);
		free(name);
	}

	return rc;
}

int recipe_put_parts(struct reader *rd)
{
	struct gaudi_recipe *part = rd->r;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < rd->num_parts; i++) {
		if (i)
			rc = recipe_add_part(rd->r, &part);
		if (rc)
			break;
		part->program.num_sobs = rd->parts[i].num_sobs;
		part->program.num_buffers = rd->r->num_tensors;
		part->program.num_events = rd->r->num_events;
	}
	rd->part = rd->r;

	return rc;
}
