// SPDX-License-Identifier: MIT
/*
 * Recipes into files. libelf lays out and writes, into memory that has a file
 * descriptor; the checksum is put in last.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libelf.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "../base/base.h"
#include "recipe.h"
#include "recipe_format.h"

struct strings {
	char *text;
	size_t used;
	size_t room;
	bool failed;
};

struct writer {
	struct gaudi_recipe *r;
	const void *key;
	size_t key_size;
	Elf *elf;
	struct strings strings;
	uint32_t strtab;	/* section indices */
	uint32_t header_index;
	/* What libelf reads when it writes. */
	struct recipe_file_header header;
	struct recipe_file_tensor *tensors;
	struct recipe_file_event *events;
	struct recipe_file_patch *patches[RECIPE_MAX_PARTS * PROG_NUM_ENGINES];
	uint32_t num_patches;
	struct recipe_file_link *links;
	struct recipe_file_part parts[RECIPE_MAX_PARTS];
};

/* Offset of a string in the table. */
static uint32_t put_string(struct strings *s, const char *text)
{
	size_t len = strlen(text) + 1, room = s->room;
	char *new;

	if (s->used + len > room) {
		room = (s->used + len) * 2;
		new = realloc(s->text, room);
		if (!new) {
			s->failed = true;
			return 0;
		}
		s->text = new;
		s->room = room;
	}
	memcpy(s->text + s->used, text, len);
	s->used += len;

	return (uint32_t)(s->used - len);
}

static int elf_failed(const struct writer *w)
{
	return gd_fail(-ENOMEM, "recipe '%s': libelf: %s", w->r->name,
		       elf_errmsg(-1));
}

struct section {
	const char *name;
	uint32_t type;
	uint32_t link;
	uint32_t info;
	uint32_t entry;
	uint32_t align;
	void *data;
	size_t size;
};

/* @index may be NULL. */
static int add_section(struct writer *w, const struct section *s,
		       uint32_t *index)
{
	Elf_Scn *scn = elf_newscn(w->elf);
	Elf64_Shdr *shdr;
	Elf_Data *data;

	data = scn ? elf_newdata(scn) : NULL;
	shdr = data ? elf64_getshdr(scn) : NULL;
	if (!shdr)
		return elf_failed(w);

	data->d_type = ELF_T_BYTE;
	data->d_version = EV_CURRENT;
	data->d_align = s->align;
	data->d_buf = s->data;
	data->d_size = s->size;
	shdr->sh_name = put_string(&w->strings, s->name);
	shdr->sh_type = s->type;
	shdr->sh_link = s->link;
	shdr->sh_info = s->info;
	shdr->sh_entsize = s->entry;
	shdr->sh_addralign = s->align;
	if (index)
		*index = (uint32_t)elf_ndxscn(scn);

	return 0;
}

static uint32_t last_engine(const struct gaudi_recipe *r)
{
	const struct program *p = &r->program;

	/* By engine. */
	return p->num_streams ? p->streams[p->num_streams - 1].engine : 0;
}

/* Older readers read what has nothing new. */
static uint16_t minor_of(const struct gaudi_recipe *r)
{
	const struct gaudi_recipe *part;

	for (part = r; part; part = part->next)
		if (last_engine(part) >= PROG_TPC_0)
			return RECIPE_MINOR_SHORT;
	if (r->next)
		return RECIPE_MINOR_PARTS;
	if (r->links.num_ops)
		return RECIPE_MINOR_LINKS;

	return last_engine(r) >= PROG_MME_0 ? RECIPE_MINOR_LAUNCH : 0;
}

static uint32_t most_sobs(const struct gaudi_recipe *r)
{
	uint32_t most = 0;

	for (; r; r = r->next)
		if (most < r->program.num_sobs)
			most = r->program.num_sobs;

	return most;
}

static uint32_t count_streams(const struct gaudi_recipe *r)
{
	uint32_t num = 0;

	for (; r; r = r->next)
		num += r->program.num_streams;

	return num;
}

static void fill_header(struct writer *w)
{
	const struct gaudi_recipe *r = w->r;
	struct recipe_file_header *h = &w->header;

	memcpy(h->magic, RECIPE_MAGIC, sizeof(h->magic));
	h->major = htole16(RECIPE_MAJOR);
	h->minor = htole16(minor_of(r));
	h->chip = htole32(RECIPE_CHIP_GAUDI);
	h->revision_min = htole16(r->revision_min);
	h->revision_max = htole16(r->revision_max);
	h->name = htole32(put_string(&w->strings, r->name));
	h->num_sobs = htole32(most_sobs(r));
	h->workspace_size = htole64(r->workspace_size);
	h->num_tensors = htole32(r->num_tensors);
	h->num_events = htole32(r->num_events);
	h->num_streams = htole32(count_streams(r));
}

static void fill_tensor(struct writer *w, const struct recipe_tensor *t,
			struct recipe_file_tensor *f)
{
	uint32_t i;

	f->name = htole32(put_string(&w->strings, t->name));
	f->kind = (uint8_t)t->kind;
	f->type = (uint8_t)t->type;
	f->place = (uint8_t)t->place;
	f->rank = (uint8_t)t->rank;
	f->bytes = htole64(t->bytes);
	f->offset = htole64(t->offset);
	for (i = 0; i < GAUDI_MAX_RANK; i++) {
		f->dims[i] = htole64(t->dims[i]);
		f->strides[i] = htole64(t->strides[i]);
	}
}

static int add_tables(struct writer *w)
{
	const struct gaudi_recipe *r = w->r;
	uint32_t i;
	int rc;

	w->tensors = calloc((size_t)r->num_tensors + 1, sizeof(*w->tensors));
	w->events = calloc((size_t)r->num_events + 1, sizeof(*w->events));
	if (!w->tensors || !w->events)
		return gd_no_memory("to write recipe '%s'", w->r->name);
	fill_header(w);
	for (i = 0; i < r->num_tensors; i++)
		fill_tensor(w, &r->tensors[i], &w->tensors[i]);
	for (i = 0; i < r->num_events; i++)
		w->events[i].name = htole32(put_string(&w->strings,
						       r->events[i]));

	rc = add_section(w, &(struct section) {
		".gaudi.recipe", RECIPE_SHT_HEADER, w->strtab, 0,
		sizeof(w->header), 8, &w->header, sizeof(w->header),
	}, &w->header_index);
	if (!rc && r->num_tensors)
		rc = add_section(w, &(struct section) {
			".gaudi.tensors", RECIPE_SHT_TENSORS, w->strtab, 0,
			sizeof(*w->tensors), 8, w->tensors,
			r->num_tensors * sizeof(*w->tensors),
		}, NULL);
	if (!rc && r->num_events)
		rc = add_section(w, &(struct section) {
			".gaudi.events", RECIPE_SHT_EVENTS, w->strtab, 0,
			sizeof(*w->events), 8, w->events,
			r->num_events * sizeof(*w->events),
		}, NULL);

	return rc;
}

static int add_stream(struct writer *w, const struct prog_stream *s)
{
	struct recipe_file_patch *f;
	uint32_t i, index;
	int rc;

	f = calloc((size_t)s->num_patches + 1, sizeof(*f));
	if (!f)
		return gd_no_memory("to write recipe '%s'", w->r->name);
	w->patches[w->num_patches++] = f;
	for (i = 0; i < s->num_patches; i++) {
		f[i].offset = htole32(s->patches[i].offset);
		f[i].kind = htole16(s->patches[i].kind);
		f[i].object = htole16(s->patches[i].object);
		f[i].buffer = htole32(s->patches[i].buffer);
		f[i].addend = htole64(s->patches[i].addend);
	}
	rc = add_section(w, &(struct section) {
		".gaudi.packets", RECIPE_SHT_PACKETS, 0, s->engine, 0, 8,
		s->packets, s->upper,
	}, &index);
	if (!rc && s->size > s->upper)
		rc = add_section(w, &(struct section) {
			".gaudi.runs", RECIPE_SHT_RUNS, index, s->engine, 0, 8,
			s->packets + s->upper, s->size - s->upper,
		}, NULL);
	if (!rc)
		rc = add_section(w, &(struct section) {
			".gaudi.patches", RECIPE_SHT_PATCHES, index, s->engine,
			sizeof(*f), 8, f, s->num_patches * sizeof(*f),
		}, NULL);

	return rc;
}

/* Names once more for each: there are few. */
static int add_links(struct writer *w)
{
	const struct recipe_links *l = &w->r->links;

	if (!l->num_ops)
		return 0;
	w->links = calloc(l->num_ops, sizeof(*w->links));
	if (!w->links)
		return gd_no_memory("to write recipe '%s'", w->r->name);
	for (uint32_t i = 0; i < l->num_ops; i++) {
		const struct recipe_link_op *op = &l->ops[i];

		w->links[i] = (struct recipe_file_link) {
			.name = htole32(put_string(&w->strings,
						   l->names[op->link])),
			.kind = htole16((uint16_t)op->kind),
			.flags = htole16((uint16_t)op->flags),
			.count = htole32(op->count),
			.tensor = htole32(op->tensor),
			.offset = htole64(op->offset),
			.to_offset = htole64(op->to_offset),
			.bytes = htole64(op->bytes),
		};
	}

	return add_section(w, &(struct section) {
		".gaudi.links", RECIPE_SHT_LINKS, w->strtab, 0,
		sizeof(*w->links), 8, w->links,
		l->num_ops * sizeof(*w->links),
	}, NULL);
}

static int add_programs(struct writer *w)
{
	const struct gaudi_recipe *part;
	uint32_t n = 0;
	int rc = 0;

	for (part = w->r; !rc && part; part = part->next, n++) {
		w->parts[n].num_sobs = htole32(part->program.num_sobs);
		w->parts[n].num_streams = htole32(part->program.num_streams);
		for (uint32_t i = 0; !rc && i < part->program.num_streams; i++)
			rc = add_stream(w, &part->program.streams[i]);
	}

	return rc;
}

/* Behind the rest of the programs and links, which come part by part. */
static int add_parts(struct writer *w)
{
	const struct recipe_links *l = &w->r->links;
	uint32_t num = recipe_count_parts(w->r);

	if (num == 1)
		return 0;
	for (uint32_t n = 0; n < num; n++) {
		uint32_t ops = 0;

		for (uint32_t i = 0; i < l->num_ops; i++)
			ops += l->ops[i].part == n;
		w->parts[n].num_links = htole32(ops);
	}

	return add_section(w, &(struct section) {
		".gaudi.parts", RECIPE_SHT_PARTS, 0, 0, sizeof(w->parts[0]), 8,
		w->parts, num * sizeof(w->parts[0]),
	}, NULL);
}

static int add_all(struct writer *w)
{
	const struct gaudi_recipe *r = w->r;
	int rc;

	/* Comes first, so that its index is known; its text at the end. */
	put_string(&w->strings, "");
	rc = add_section(w, &(struct section) {
		".strtab", SHT_STRTAB, 0, 0, 0, 1, NULL, 0,
	}, &w->strtab);
	if (!rc)
		rc = add_tables(w);
	if (!rc)
		rc = add_programs(w);
	if (!rc && r->constants_size)
		rc = add_section(w, &(struct section) {
			".gaudi.constants", RECIPE_SHT_CONSTANTS, 0, 0, 0,
			RECIPE_ALIGN, r->constants, r->constants_size,
		}, NULL);
	if (!rc)
		rc = add_links(w);
	if (!rc)
		rc = add_parts(w);
	if (!rc && w->key_size)
		rc = add_section(w, &(struct section) {
			".gaudi.key", RECIPE_SHT_KEY, 0, 0, 0, 1,
			(void *)w->key, w->key_size,
		}, NULL);
	if (!rc && w->strings.failed)
		rc = gd_no_memory("to write recipe '%s'", w->r->name);

	return rc;
}

/* Lay out, and let libelf write; the size of the file in @size. */
static int update(struct writer *w, size_t *size)
{
	Elf_Scn *scn = elf_getscn(w->elf, w->strtab);
	Elf_Data *data = elf_getdata(scn, NULL);
	Elf64_Ehdr *ehdr = elf64_getehdr(w->elf);
	int64_t total;

	data->d_buf = w->strings.text;
	data->d_size = w->strings.used;
	ehdr->e_ident[EI_OSABI] = RECIPE_ELF_OSABI;
	ehdr->e_ident[EI_DATA] = ELFDATA2LSB;
	ehdr->e_type = RECIPE_ELF_TYPE;
	ehdr->e_machine = RECIPE_ELF_MACHINE;
	ehdr->e_version = EV_CURRENT;
	ehdr->e_shstrndx = (uint16_t)w->strtab;
	total = elf_update(w->elf, ELF_C_NULL);
	if (total < 0)
		return elf_failed(w);
	if ((uint64_t)total > RECIPE_MAX_FILE)
		return gd_fail(-EOVERFLOW, "recipe '%s': %" PRId64 " bytes, at most %llu",
			       w->r->name, total, RECIPE_MAX_FILE);

	w->header.file_size = htole64((uint64_t)total);
	elf_flagelf(w->elf, ELF_C_SET, ELF_F_DIRTY);
	if (elf_update(w->elf, ELF_C_WRITE) != total)
		return elf_failed(w);
	*size = (size_t)total;

	return 0;
}

static int read_back(const struct writer *w, int fd, size_t size, void **data)
{
	const Elf64_Shdr *shdr =
		elf64_getshdr(elf_getscn(w->elf, w->header_index));
	uint8_t *bytes = malloc(size);
	size_t at = 0;
	uint32_t sum;
	ssize_t n;

	if (!bytes)
		return gd_no_memory("to write recipe '%s'", w->r->name);
	while (at < size) {
		n = pread(fd, bytes + at, size - at, (off_t)at);
		if (n <= 0) {
			free(bytes);
			return gd_fail(-EIO, "recipe '%s': reading memory back at %zu of %zu",
				       w->r->name, at, size);
		}
		at += (size_t)n;
	}
	sum = htole32((uint32_t)crc32_z(0, bytes, size));
	memcpy(bytes + shdr->sh_offset +
	       offsetof(struct recipe_file_header, checksum), &sum,
	       sizeof(sum));
	*data = bytes;

	return 0;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void set_up(void)
{
	elf_version(EV_CURRENT);
}

int recipe_write(struct gaudi_recipe *r, const void *key, size_t key_size,
		 void **data, size_t *size)
{
	struct writer w = { .r = r, .key = key, .key_size = key_size };
	int fd, rc = 0;
	uint32_t i;

	pthread_once(&once, set_up);
	fd = memfd_create("gaudi-recipe", MFD_CLOEXEC);
	if (fd < 0)
		return gd_fail(-errno, "memory to write recipe '%s': %s",
			       r->name, strerror(errno));
	w.elf = elf_begin(fd, ELF_C_WRITE, NULL);
	if (!w.elf || !elf64_newehdr(w.elf))
		rc = elf_failed(&w);
	if (!rc)
		rc = add_all(&w);
	if (!rc)
		rc = update(&w, size);
	if (!rc)
		rc = read_back(&w, fd, *size, data);

	elf_end(w.elf);
	close(fd);
	for (i = 0; i < w.num_patches; i++)
		free(w.patches[i]);
	free(w.tensors);
	free(w.events);
	free(w.links);
	free(w.strings.text);

	return rc;
}

int gaudi_recipe_to_memory(struct gaudi_recipe *r, void **data, size_t *size)
{
	size_t bytes = 0;
	int rc;

	if (!r || !data || !size)
		return gd_fail(-EINVAL, "no recipe, or nowhere to put its bytes");
	rc = recipe_write(r, NULL, 0, data, &bytes);
	if (!rc)
		*size = bytes;

	return rc;
}

int recipe_write_all(int fd, const void *data, size_t size)
{
	const uint8_t *bytes = data;
	ssize_t n;

	while (size) {
		n = write(fd, bytes, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		bytes += n;
		size -= (size_t)n;
	}

	return fsync(fd) ? -errno : 0;
}

int gaudi_recipe_save(struct gaudi_recipe *r, const char *path)
{
	char *temp = NULL;
	void *data;
	size_t size;
	int fd, rc;

	if (!path)
		return gd_fail(-EINVAL, "no path");
	rc = gaudi_recipe_to_memory(r, &data, &size);
	if (rc)
		return rc;
	if (asprintf(&temp, "%s.XXXXXX", path) < 0) {
		free(data);
		return gd_fail(-ENOMEM, "host memory for the path '%s'", path);
	}
	fd = mkostemp(temp, O_CLOEXEC);
	rc = fd < 0 ? -errno : recipe_write_all(fd, data, size);
	if (!rc && fchmod(fd, 0644))
		rc = -errno;
	if (fd >= 0 && close(fd) && !rc)
		rc = -errno;
	if (!rc && rename(temp, path))
		rc = -errno;
	if (rc && fd >= 0)
		unlink(temp);
	free(temp);
	free(data);

	return rc ? gd_fail(rc, "%s: %s", path, strerror(-rc)) : 0;
}
