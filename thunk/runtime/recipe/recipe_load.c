// SPDX-License-Identifier: MIT
/*
 * Recipes from files. Nothing is believed: first the ELF itself and where its
 * sections lie, then the header and the checksum, then each section's entries
 * into a recipe, which recipe_check() goes through at the end. What the
 * sections say about each other is compared with what is there, never used as a
 * size.
 *
 * ELF's headers are read here and not by libelf: each of their fields must be
 * checked before anybody may use it, and then nothing is left to do.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "../base/base.h"
#include "recipe.h"
#include "recipe_read.h"

static const struct kind {
	uint32_t type;
	uint32_t entry;		/* bytes of an entry, or 0 */
	bool needed;
	bool many;
	const char *name;
} kinds[] = {
	{ SHT_STRTAB, 0, true, false, ".strtab" },
	{ RECIPE_SHT_HEADER, sizeof(struct recipe_file_header), true, false,
	  ".gaudi.recipe" },
	{ RECIPE_SHT_TENSORS, sizeof(struct recipe_file_tensor), false, false,
	  ".gaudi.tensors" },
	{ RECIPE_SHT_EVENTS, sizeof(struct recipe_file_event), false, false,
	  ".gaudi.events" },
	{ RECIPE_SHT_PACKETS, 0, true, true, ".gaudi.packets" },
	{ RECIPE_SHT_PATCHES, sizeof(struct recipe_file_patch), true, true,
	  ".gaudi.patches" },
	{ RECIPE_SHT_CONSTANTS, 0, false, false, ".gaudi.constants" },
	{ RECIPE_SHT_KEY, 0, false, false, ".gaudi.key" },
	{ RECIPE_SHT_RUNS, 0, false, true, ".gaudi.runs" },
	{ RECIPE_SHT_LINKS, sizeof(struct recipe_file_link), false, false,
	  ".gaudi.links" },
	{ RECIPE_SHT_PARTS, sizeof(struct recipe_file_part), false, false,
	  ".gaudi.parts" },
};

#define NUM_KINDS	(sizeof(kinds) / sizeof(kinds[0]))

static const struct kind *kind_of(uint32_t type)
{
	size_t i;

	for (i = 0; i < NUM_KINDS; i++)
		if (kinds[i].type == type)
			return &kinds[i];
	return NULL;
}

/* --- ELF -------------------------------------------------------------- */

static int bad_ehdr(const char *field, uint64_t value, uint64_t want)
{
	return gd_fail(GAUDI_ERR_RECIPE, "ELF header: %s is %#" PRIx64 ", not %#" PRIx64,
		       field, value, want);
}

static int check_ehdr(struct reader *rd)
{
	static const uint8_t ident[EI_NIDENT] = {
		ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
		EV_CURRENT, RECIPE_ELF_OSABI,
	};
	Elf64_Ehdr e;
	unsigned int i;

	if (rd->size < sizeof(e) || rd->size > RECIPE_MAX_FILE)
		return gd_fail(GAUDI_ERR_RECIPE, "a file of %zu bytes, not %zu to %llu",
			       rd->size, sizeof(e), RECIPE_MAX_FILE);
	memcpy(&e, rd->data, sizeof(e));
	for (i = 0; i < EI_NIDENT; i++)
		if (e.e_ident[i] != ident[i])
			return gd_fail(GAUDI_ERR_RECIPE, "ELF header: e_ident[%u] is %#x, not %#x",
				       i, e.e_ident[i], ident[i]);
	if (le16toh(e.e_type) != RECIPE_ELF_TYPE)
		return bad_ehdr("e_type", le16toh(e.e_type), RECIPE_ELF_TYPE);
	if (le16toh(e.e_machine) != RECIPE_ELF_MACHINE)
		return bad_ehdr("e_machine", le16toh(e.e_machine),
				RECIPE_ELF_MACHINE);
	if (le32toh(e.e_version) != EV_CURRENT)
		return bad_ehdr("e_version", le32toh(e.e_version), EV_CURRENT);
	if (e.e_phnum || e.e_phoff || e.e_entry || e.e_flags)
		return gd_fail(GAUDI_ERR_RECIPE, "ELF header: segments, an entry point or flags");
	if (le16toh(e.e_ehsize) != sizeof(e))
		return bad_ehdr("e_ehsize", le16toh(e.e_ehsize), sizeof(e));
	if (le16toh(e.e_shentsize) != sizeof(Elf64_Shdr))
		return bad_ehdr("e_shentsize", le16toh(e.e_shentsize),
				sizeof(Elf64_Shdr));
	rd->num = le16toh(e.e_shnum);
	rd->strtab = le16toh(e.e_shstrndx);
	if (rd->num < 2 || rd->num > RECIPE_MAX_SECTIONS)
		return gd_fail(GAUDI_ERR_RECIPE, "ELF header: %u sections, not 2 to %u",
			       rd->num, RECIPE_MAX_SECTIONS);
	if (!rd->strtab || rd->strtab >= rd->num)
		return gd_fail(GAUDI_ERR_RECIPE, "ELF header: e_shstrndx is %u of %u",
			       rd->strtab, rd->num);
	/* Entry 0 of the table takes the place of a section: see overlaps(). */
	rd->sections[0].name = "section header table";
	rd->sections[0].offset = le64toh(e.e_shoff);
	rd->sections[0].size = rd->num * sizeof(Elf64_Shdr);

	return 0;
}

static int check_bounds(const struct reader *rd, const struct section *s)
{
	if (s->offset < sizeof(Elf64_Ehdr) || s->offset > rd->size ||
	    s->size > rd->size - s->offset)
		return gd_fail(GAUDI_ERR_RECIPE,
			       "%s: %#" PRIx64 " bytes at %#" PRIx64 " of the file's %#zx",
			       s->name, s->size, s->offset, rd->size);
	return 0;
}

static int read_section(struct reader *rd, uint32_t index)
{
	struct section *s = &rd->sections[index];
	const struct kind *kind;
	Elf64_Shdr h;

	memcpy(&h, rd->data + rd->sections[0].offset + index * sizeof(h),
	       sizeof(h));
	kind = kind_of(le32toh(h.sh_type));
	if (!kind)
		return gd_fail(GAUDI_ERR_RECIPE, "section %u: type %#x is unknown",
			       index, le32toh(h.sh_type));
	s->name = kind->name;
	s->type = kind->type;
	s->link = le32toh(h.sh_link);
	s->info = le32toh(h.sh_info);
	s->offset = le64toh(h.sh_offset);
	s->size = le64toh(h.sh_size);
	if (h.sh_flags || h.sh_addr)
		return gd_fail(GAUDI_ERR_RECIPE, "%s: flags %#" PRIx64 ", address %#" PRIx64,
			       s->name, le64toh(h.sh_flags),
			       le64toh(h.sh_addr));
	if (kind->entry && (le64toh(h.sh_entsize) != kind->entry ||
			    s->size % kind->entry))
		return gd_fail(GAUDI_ERR_RECIPE,
			       "%s: %#" PRIx64 " bytes in entries of %" PRIu64 ", not of %u",
			       s->name, s->size, le64toh(h.sh_entsize),
			       kind->entry);

	return check_bounds(rd, s);
}

static int by_offset(const void *a, const void *b)
{
	const struct section *x = a, *y = b;

	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;

	return x->size < y->size ? -1 : x->size > y->size;
}

static int check_overlaps(const struct reader *rd)
{
	struct section sorted[RECIPE_MAX_SECTIONS];
	uint32_t i;

	memcpy(sorted, rd->sections, rd->num * sizeof(*sorted));
	qsort(sorted, rd->num, sizeof(*sorted), by_offset);
	for (i = 1; i < rd->num; i++)
		if (sorted[i - 1].offset + sorted[i - 1].size >
		    sorted[i].offset)
			return gd_fail(GAUDI_ERR_RECIPE, "%s at %#" PRIx64 " and %s at %#" PRIx64 " overlap",
				       sorted[i - 1].name, sorted[i - 1].offset,
				       sorted[i].name, sorted[i].offset);
	return 0;
}

static int read_sections(struct reader *rd)
{
	static const Elf64_Shdr none;
	uint32_t i, j, n;
	int rc;

	rc = check_bounds(rd, &rd->sections[0]);
	if (rc)
		return rc;
	if (memcmp(rd->data + rd->sections[0].offset, &none, sizeof(none)))
		return gd_fail(GAUDI_ERR_RECIPE, "section 0 is not empty");
	for (i = 1; i < rd->num; i++) {
		rc = read_section(rd, i);
		if (rc)
			return rc;
	}
	for (i = 0; i < NUM_KINDS; i++) {
		for (n = 0, j = 1; j < rd->num; j++)
			n += rd->sections[j].type == kinds[i].type;
		if ((!n && kinds[i].needed) || (n > 1 && !kinds[i].many))
			return gd_fail(GAUDI_ERR_RECIPE, "%u sections %s", n,
				       kinds[i].name);
	}
	if (rd->sections[rd->strtab].type != SHT_STRTAB)
		return gd_fail(GAUDI_ERR_RECIPE, "section %u, e_shstrndx, has no strings",
			       rd->strtab);

	return check_overlaps(rd);
}

const struct section *recipe_section(const struct reader *rd, uint32_t type)
{
	uint32_t i;

	for (i = 1; i < rd->num; i++)
		if (rd->sections[i].type == type)
			return &rd->sections[i];
	return NULL;
}

const void *recipe_section_bytes(const struct reader *rd,
				 const struct section *s)
{
	return rd->data + s->offset;
}

/* --- header ----------------------------------------------------------- */

static int check_sum(const struct reader *rd, const struct section *s)
{
	const size_t at = s->offset +
			  offsetof(struct recipe_file_header, checksum);
	const uint8_t zeros[4] = {};
	uint32_t want = le32toh(rd->header.checksum), sum;

	sum = (uint32_t)crc32_z(0, rd->data, at);
	sum = (uint32_t)crc32_z(sum, zeros, sizeof(zeros));
	sum = (uint32_t)crc32_z(sum, rd->data + at + 4, rd->size - at - 4);
	if (sum != want)
		return gd_fail(GAUDI_ERR_RECIPE, "%s: checksum %#x, of the file's bytes %#x",
			       s->name, want, sum);
	return 0;
}

/*
 * The header's section, before other sections are looked at: a newer file may
 * have others. Also of a file whose table is damaged, so bounds are checked.
 */
static int check_version(struct reader *rd)
{
	const uint64_t table = rd->sections[0].offset;
	uint32_t i;

	for (i = 1; i < rd->num; i++) {
		struct section s = { .name = ".gaudi.recipe" };
		Elf64_Shdr h;

		memcpy(&h, rd->data + table + i * sizeof(h), sizeof(h));
		if (le32toh(h.sh_type) != RECIPE_SHT_HEADER)
			continue;
		s.offset = le64toh(h.sh_offset);
		s.size = le64toh(h.sh_size);
		if (s.size < sizeof(rd->header) || check_bounds(rd, &s))
			return gd_fail(GAUDI_ERR_RECIPE,
				       ".gaudi.recipe: %#" PRIx64 " bytes at %#" PRIx64 ", needed %#zx",
				       s.size, s.offset, sizeof(rd->header));
		memcpy(&rd->header, recipe_section_bytes(rd, &s), sizeof(rd->header));
		break;
	}
	if (memcmp(rd->header.magic, RECIPE_MAGIC, sizeof(rd->header.magic)))
		return gd_fail(GAUDI_ERR_RECIPE, "no section .gaudi.recipe, or without '"
			       RECIPE_MAGIC "'");
	if (le16toh(rd->header.major) != RECIPE_MAJOR ||
	    le16toh(rd->header.minor) > RECIPE_MINOR)
		return gd_fail(GAUDI_ERR_RECIPE_VERSION,
			       "format %u.%u; this library knows %u.0 to %u.%u",
			       le16toh(rd->header.major),
			       le16toh(rd->header.minor), RECIPE_MAJOR,
			       RECIPE_MAJOR, RECIPE_MINOR);
	if (le32toh(rd->header.chip) != RECIPE_CHIP_GAUDI)
		return gd_fail(GAUDI_ERR_RECIPE_VERSION, "for chip %u; this library knows %u (Gaudi)",
			       le32toh(rd->header.chip), RECIPE_CHIP_GAUDI);
	return 0;
}

static int check_header(const struct reader *rd)
{
	const struct section *s = recipe_section(rd, RECIPE_SHT_HEADER);
	const struct recipe_file_header *h = &rd->header;
	size_t i;

	if (s->size != sizeof(*h))
		return gd_fail(GAUDI_ERR_RECIPE, "%s: %" PRIu64 " bytes, not %zu",
			       s->name, s->size, sizeof(*h));
	if (le64toh(h->file_size) != rd->size)
		return gd_fail(GAUDI_ERR_RECIPE, "%s: a file of %" PRIu64 " bytes; there are %zu",
			       s->name, le64toh(h->file_size), rd->size);
	for (i = 0; i < sizeof(h->reserved) / sizeof(h->reserved[0]); i++)
		if (h->reserved[i])
			return gd_fail(GAUDI_ERR_RECIPE, "%s: reserved[%zu] is %#x",
				       s->name, i, le32toh(h->reserved[i]));

	return check_sum(rd, s);
}

/* --- contents --------------------------------------------------------- */

/* A copy of a string of the table. */
int recipe_get_string(const struct reader *rd, const char *what, uint32_t index,
		      uint32_t offset, char **text)
{
	const struct section *s = &rd->sections[rd->strtab];
	const char *strings = recipe_section_bytes(rd, s);
	uint64_t room;

	offset = le32toh(offset);
	room = offset < s->size ? s->size - offset : 0;
	/* No further than a name goes: many may lie in one long string. */
	if (room > GAUDI_MAX_NAME + 1)
		room = GAUDI_MAX_NAME + 1;
	if (!room || !memchr(strings + offset, 0, room))
		return gd_fail(GAUDI_ERR_RECIPE,
			       "%s %u: a name at %#x of .strtab's %#" PRIx64 ", or without an end within %u bytes",
			       what, index, offset, s->size, GAUDI_MAX_NAME);
	*text = strdup(strings + offset);

	return *text ? 0 : gd_no_memory("for %s", s->name);
}

static int get_tensors(struct reader *rd, const struct section *s)
{
	struct recipe_file_tensor f;
	uint32_t i, j;
	int rc = 0;

	for (i = 0; !rc && i < rd->r->num_tensors; i++) {
		struct recipe_tensor *t = &rd->r->tensors[i];

		memcpy(&f, (const uint8_t *)recipe_section_bytes(rd, s) + i * sizeof(f),
		       sizeof(f));
		t->kind = f.kind;
		t->type = f.type;
		t->place = f.place;
		t->rank = f.rank;
		t->bytes = le64toh(f.bytes);
		t->offset = le64toh(f.offset);
		for (j = 0; j < GAUDI_MAX_RANK; j++) {
			t->dims[j] = le64toh(f.dims[j]);
			t->strides[j] = le64toh(f.strides[j]);
		}
		rc = recipe_get_string(rd, "tensor", i, f.name, &t->name);
	}

	return rc;
}

static int get_events(struct reader *rd, const struct section *s)
{
	struct recipe_file_event f;
	uint32_t i;
	int rc = 0;

	for (i = 0; !rc && i < rd->r->num_events; i++) {
		memcpy(&f, (const uint8_t *)recipe_section_bytes(rd, s) + i * sizeof(f),
		       sizeof(f));
		if (f.reserved)
			return gd_fail(GAUDI_ERR_RECIPE, "%s: entry %u: reserved is %#x",
				       s->name, i, le32toh(f.reserved));
		rc = recipe_get_string(rd, "event", i, f.name, &rd->r->events[i]);
	}

	return rc;
}

/* A copy of a section's bytes; NULL for none at all. */
static int get_bytes(const struct reader *rd, const struct section *s,
		     uint64_t max, uint8_t **bytes)
{
	if (s->size > max)
		return gd_fail(GAUDI_ERR_RECIPE, "%s: %" PRIu64 " bytes, at most %" PRIu64,
			       s->name, s->size, max);
	if (!s->size)
		return 0;
	*bytes = malloc(s->size);
	if (!*bytes)
		return gd_no_memory("for %s", s->name);
	memcpy(*bytes, recipe_section_bytes(rd, s), s->size);

	return 0;
}

static int get_patches(const struct reader *rd, const struct section *s,
		       struct prog_stream *stream)
{
	struct recipe_file_patch f;
	uint64_t i, num = s->size / sizeof(f);

	/* A packet has two at most, and eight bytes at least. */
	if (num > PROG_MAX_STREAM / 4)
		return gd_fail(GAUDI_ERR_RECIPE, "%s: %" PRIu64 " entries, at most %u",
			       s->name, num, PROG_MAX_STREAM / 4);
	stream->patches = calloc(num + 1, sizeof(*stream->patches));
	if (!stream->patches)
		return gd_no_memory("for %s", s->name);
	stream->num_patches = (uint32_t)num;
	for (i = 0; i < num; i++) {
		memcpy(&f, (const uint8_t *)recipe_section_bytes(rd, s) + i * sizeof(f),
		       sizeof(f));
		if (f.reserved)
			return gd_fail(GAUDI_ERR_RECIPE, "%s: entry %" PRIu64 ": reserved is %#x",
				       s->name, i, le32toh(f.reserved));
		stream->patches[i] = (struct prog_patch) {
			.offset = le32toh(f.offset),
			.kind = le16toh(f.kind),
			.object = le16toh(f.object),
			.buffer = le32toh(f.buffer),
			.addend = le64toh(f.addend),
		};
	}

	return 0;
}

/* The section of a type that belongs to section @index; NULL if none does. */
static int find_partner(const struct reader *rd, uint32_t index, uint32_t type,
			const struct section **partner)
{
	const struct section *s = &rd->sections[index];
	uint32_t i;

	*partner = NULL;
	for (i = 1; i < rd->num; i++) {
		if (rd->sections[i].type != type ||
		    rd->sections[i].link != index)
			continue;
		if (*partner)
			return gd_fail(GAUDI_ERR_RECIPE, "section %u %s has %s in two sections",
				       index, s->name, (*partner)->name);
		*partner = &rd->sections[i];
		if ((*partner)->info != s->info)
			return gd_fail(GAUDI_ERR_RECIPE, "section %u %s has %s of another engine",
				       index, s->name, (*partner)->name);
	}

	return 0;
}

/* Upper and lower part, one behind the other. */
static int get_packets(const struct reader *rd, const struct section *upper,
		       const struct section *lower, struct prog_stream *stream)
{
	uint64_t more = lower ? lower->size : 0;

	if (upper->size > PROG_MAX_STREAM ||
	    more > PROG_MAX_STREAM - upper->size)
		return gd_fail(GAUDI_ERR_RECIPE, "%s: %" PRIu64 " and %" PRIu64 " bytes, at most %u",
			       upper->name, upper->size, more, PROG_MAX_STREAM);
	if (!upper->size && !more)
		return 0;
	stream->packets = malloc(upper->size + more);
	if (!stream->packets)
		return gd_no_memory("for %s", upper->name);
	memcpy(stream->packets, recipe_section_bytes(rd, upper), upper->size);
	if (more)
		memcpy(stream->packets + upper->size, recipe_section_bytes(rd, lower),
		       more);
	stream->upper = (uint32_t)upper->size;
	stream->size = (uint32_t)(upper->size + more);

	return 0;
}

/* The packets of section @index, and the sections that point to it. */
static int get_stream(struct reader *rd, uint32_t index)
{
	const struct section *s = &rd->sections[index], *patches, *runs;
	struct prog_stream *stream;
	struct program *p;
	int rc;

	while (rd->part->next &&
	       rd->part->program.num_streams == rd->parts[rd->at].num_streams) {
		rd->part = rd->part->next;
		rd->at++;
	}
	p = &rd->part->program;

	if (p->num_streams == PROG_NUM_ENGINES)
		return gd_fail(GAUDI_ERR_RECIPE, "more than %u sections %s",
			       PROG_NUM_ENGINES, s->name);
	if (s->info >= PROG_TPC_0 && s->info < PROG_NUM_ENGINES &&
	    le16toh(rd->header.minor) < RECIPE_MINOR_TPC)
		return gd_fail(GAUDI_ERR_RECIPE_VERSION,
			       "format %u.%u with a TPC's packets, which are of %u.%u: build it again",
			       RECIPE_MAJOR, le16toh(rd->header.minor),
			       RECIPE_MAJOR, RECIPE_MINOR_TPC);
	rc = find_partner(rd, index, RECIPE_SHT_PATCHES, &patches);
	if (!rc)
		rc = find_partner(rd, index, RECIPE_SHT_RUNS, &runs);
	if (!rc && !patches)
		rc = gd_fail(GAUDI_ERR_RECIPE, "section %u %s has no patches",
			     index, s->name);
	if (rc)
		return rc;

	stream = &p->streams[p->num_streams++];
	stream->engine = s->info;
	rc = get_packets(rd, s, runs, stream);

	return rc ? rc : get_patches(rd, patches, stream);
}

/* Sections of this type whose sh_link is no section of packets. */
static uint32_t count_lost(const struct reader *rd, uint32_t type)
{
	uint32_t i, n = 0;

	for (i = 1; i < rd->num; i++)
		n += rd->sections[i].type == type &&
		     (rd->sections[i].link >= rd->num ||
		      rd->sections[rd->sections[i].link].type !=
		      RECIPE_SHT_PACKETS);
	return n;
}

static int get_streams(struct reader *rd)
{
	uint32_t i, lost, num = 0;
	int rc = recipe_put_parts(rd);

	for (i = 1; !rc && i < rd->num; i++)
		if (rd->sections[i].type == RECIPE_SHT_PACKETS)
			rc = get_stream(rd, i);
	if (rc)
		return rc;
	lost = count_lost(rd, RECIPE_SHT_PATCHES) +
	       count_lost(rd, RECIPE_SHT_RUNS);
	if (lost)
		return gd_fail(GAUDI_ERR_RECIPE, "%u sections of patches or runs are for no section of packets",
			       lost);
	for (i = 1; i < rd->num; i++)
		num += rd->sections[i].type == RECIPE_SHT_PACKETS;
	if (le32toh(rd->header.num_streams) != num)
		return gd_fail(GAUDI_ERR_RECIPE, "%u sections of packets, by the header %u",
			       num, le32toh(rd->header.num_streams));
	return 0;
}

/* Entries of a table, which may be missing; as many as the header says. */
static int count(const struct reader *rd, uint32_t type, size_t entry,
		 uint32_t claimed, uint32_t max, uint32_t *num)
{
	const struct section *s = recipe_section(rd, type);
	uint64_t n = s ? s->size / entry : 0;

	claimed = le32toh(claimed);
	if (n != claimed || n > max)
		return gd_fail(GAUDI_ERR_RECIPE, "%s: %" PRIu64 " entries, by the header %u, at most %u",
			       kind_of(type)->name, n, claimed, max);
	*num = (uint32_t)n;

	return 0;
}

static int get_rest(struct reader *rd)
{
	const struct section *constants = recipe_section(rd, RECIPE_SHT_CONSTANTS);
	const struct section *key = recipe_section(rd, RECIPE_SHT_KEY);
	struct gaudi_recipe *r = rd->r;
	int rc = 0;

	r->revision_min = le16toh(rd->header.revision_min);
	r->revision_max = le16toh(rd->header.revision_max);
	r->workspace_size = le64toh(rd->header.workspace_size);
	r->file_size = rd->size;
	if (constants) {
		rc = get_bytes(rd, constants, RECIPE_MAX_CONSTANTS,
			       &r->constants);
		r->constants_size = constants->size;
	}
	if (!rc && key) {
		rc = get_bytes(rd, key, RECIPE_MAX_BUILD + RECIPE_MAX_KEY,
			       &r->key);
		r->key_size = (uint32_t)key->size;
	}

	return rc ? rc : recipe_get_string(rd, "recipe", 0, rd->header.name, &r->name);
}

static int get_recipe(struct reader *rd)
{
	struct gaudi_recipe *part;
	uint32_t tensors, events;
	int rc;

	rc = count(rd, RECIPE_SHT_TENSORS, sizeof(struct recipe_file_tensor),
		   rd->header.num_tensors, RECIPE_MAX_TENSORS, &tensors);
	if (!rc)
		rc = count(rd, RECIPE_SHT_EVENTS,
			   sizeof(struct recipe_file_event),
			   rd->header.num_events, RECIPE_MAX_EVENTS, &events);
	if (!rc)
		rc = recipe_alloc(tensors, events, &rd->r);
	if (!rc)
		rc = get_rest(rd);
	if (!rc && tensors)
		rc = get_tensors(rd, recipe_section(rd, RECIPE_SHT_TENSORS));
	if (!rc && events)
		rc = get_events(rd, recipe_section(rd, RECIPE_SHT_EVENTS));
	if (!rc)
		rc = recipe_get_parts(rd);
	if (!rc)
		rc = recipe_get_links(rd);
	if (!rc)
		rc = get_streams(rd);
	if (!rc)
		rc = recipe_check(rd->r);
	for (part = rd->r; !rc && part; part = part->next)
		rc = program_index(&part->program);

	return rc;
}

int recipe_parse(const void *data, size_t size, struct gaudi_recipe **recipe)
{
	struct reader rd = { .data = data, .size = size };
	int rc;

	rc = check_ehdr(&rd);
	if (!rc)
		rc = check_bounds(&rd, &rd.sections[0]);
	if (!rc)
		rc = check_version(&rd);
	if (!rc)
		rc = read_sections(&rd);
	if (!rc)
		rc = check_header(&rd);
	if (!rc)
		rc = get_recipe(&rd);
	if (rc) {
		gaudi_recipe_release(rd.r);
		return rc;
	}
	*recipe = rd.r;

	return 0;
}

/* --- files ------------------------------------------------------------ */

int gaudi_recipe_from_memory(const void *data, size_t size,
			     struct gaudi_recipe **recipe)
{
	PROFILE_CALL();
	if (!data || !recipe)
		return gd_fail(-EINVAL, "no bytes of a recipe");

	return recipe_parse(data, size, recipe);
}

int recipe_read_file(int fd, const char *name, void **data, size_t *size)
{
	struct stat st;
	uint8_t *bytes;
	size_t at = 0;
	ssize_t n = 1;

	if (fstat(fd, &st))
		return gd_fail(-errno, "%s: %s", name, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return gd_fail(-EINVAL, "%s: not a regular file", name);
	if ((uint64_t)st.st_size > RECIPE_MAX_FILE)
		return gd_fail(GAUDI_ERR_RECIPE, "%s: %jd bytes, at most %llu",
			       name, (intmax_t)st.st_size, RECIPE_MAX_FILE);
	bytes = malloc((size_t)st.st_size + 1);
	if (!bytes)
		return gd_fail(-ENOMEM, "%s: host memory for %jd bytes", name,
			       (intmax_t)st.st_size);
	while (at < (size_t)st.st_size && n) {
		n = read(fd, bytes + at, (size_t)st.st_size - at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			n = -errno;
			free(bytes);
			return gd_fail((int)n, "%s: %s", name,
				       strerror((int)-n));
		}
		at += (size_t)n;
	}
	*data = bytes;
	*size = at;

	return 0;
}

int gaudi_recipe_load(const char *path, struct gaudi_recipe **recipe)
{
	PROFILE_SPAN(__func__, NULL, 0, path);
	void *data;
	size_t size;
	int fd, rc;

	if (!path || !recipe)
		return gd_fail(-EINVAL, "no path");
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return gd_fail(-errno, "%s: %s", path, strerror(errno));
	rc = recipe_read_file(fd, path, &data, &size);
	close(fd);
	if (rc)
		return rc;
	rc = recipe_parse(data, size, recipe);
	free(data);
	if (!rc && profile_on && (*recipe)->name)
		profile_recipe((*recipe)->name, path);

	return rc;
}
