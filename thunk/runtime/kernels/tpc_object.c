// SPDX-License-Identifier: MIT
/*
 * Kernels' objects: ELF32, little-endian, relocatable. Only .text, which is
 * copied as it is, and .tpc_metadata count; there must be no relocations.
 */
#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "../base/base.h"
#include "tpc_object.h"

/* The compiler uses this number. */
#define TPC_MACHINE		EM_386
#define MAX_SECTIONS		4096u
/* Of .tpc_metadata. */
#define META_SIZE		262u
#define META_SPECIAL		4u
#define META_PRINTF		5u
#define META_MARCH		8u
#define META_SCALARS		12u
#define MARCH_GAUDI		2u

struct reader {
	const char *name;
	const uint8_t *data;
	size_t size;
	Elf32_Ehdr head;
	uint32_t num;
	Elf32_Shdr strings;
};

static int bad(const struct reader *r, const char *what, uint64_t is,
	       const char *want)
{
	return gd_fail(-EINVAL, "kernel '%s': %s is %" PRIu64 ", %s", r->name,
		       what, is, want);
}

static bool inside(const struct reader *r, uint64_t at, uint64_t size)
{
	return at <= r->size && size <= r->size - at;
}

static void swap_section(Elf32_Shdr *s)
{
	s->sh_name = le32toh(s->sh_name);
	s->sh_type = le32toh(s->sh_type);
	s->sh_offset = le32toh(s->sh_offset);
	s->sh_size = le32toh(s->sh_size);
}

static int get_section(const struct reader *r, uint32_t index, Elf32_Shdr *s)
{
	uint64_t at = le32toh(r->head.e_shoff) + (uint64_t)index * sizeof(*s);

	memcpy(s, r->data + at, sizeof(*s));
	swap_section(s);
	if (s->sh_type != SHT_NOBITS && !inside(r, s->sh_offset, s->sh_size))
		return bad(r, "the end of a section",
			   s->sh_offset + (uint64_t)s->sh_size,
			   "beyond the object");

	return 0;
}

static int get_head(struct reader *r)
{
	uint32_t strings;

	if (r->size < sizeof(r->head))
		return bad(r, "the object's size", r->size,
			   "less than a header");
	memcpy(&r->head, r->data, sizeof(r->head));
	if (memcmp(r->head.e_ident, ELFMAG, SELFMAG) ||
	    r->head.e_ident[EI_CLASS] != ELFCLASS32 ||
	    r->head.e_ident[EI_DATA] != ELFDATA2LSB ||
	    r->head.e_ident[EI_VERSION] != EV_CURRENT)
		return gd_fail(-EINVAL, "kernel '%s': not an ELF object of 32 bits, little-endian",
			       r->name);
	if (le16toh(r->head.e_machine) != TPC_MACHINE)
		return bad(r, "the machine", le16toh(r->head.e_machine),
			   "not a TPC's (3)");
	if (le16toh(r->head.e_type) != ET_REL)
		return bad(r, "the type", le16toh(r->head.e_type),
			   "not that of an object (1)");
	r->num = le16toh(r->head.e_shnum);
	strings = le16toh(r->head.e_shstrndx);
	if (!r->num || r->num > MAX_SECTIONS ||
	    le16toh(r->head.e_shentsize) != sizeof(Elf32_Shdr) ||
	    !inside(r, le32toh(r->head.e_shoff),
		    (uint64_t)r->num * sizeof(Elf32_Shdr)))
		return bad(r, "the number of sections", r->num,
			   "not within the object");
	if (strings >= r->num)
		return bad(r, "the section of names", strings, "not there");

	return get_section(r, strings, &r->strings);
}

static bool is_named(const struct reader *r, const Elf32_Shdr *s,
		     const char *name)
{
	size_t len = strlen(name) + 1;

	return s->sh_name < r->strings.sh_size &&
	       len <= r->strings.sh_size - s->sh_name &&
	       !memcmp(r->data + r->strings.sh_offset + s->sh_name, name, len);
}

static int get_code(const struct reader *r, const Elf32_Shdr *s,
		    struct tpc_object *o)
{
	if (o->code)
		return bad(r, "the number of .text", 2, "not 1");
	if (s->sh_type != SHT_PROGBITS || !s->sh_size ||
	    s->sh_size % TPC_WORD || s->sh_size > TPC_MAX_CODE)
		return bad(r, "the size of .text", s->sh_size,
			   "not a multiple of 32 up to 1 MiB");
	o->code = r->data + s->sh_offset;
	o->code_size = s->sh_size;

	return 0;
}

static int get_metadata(const struct reader *r, const Elf32_Shdr *s,
			struct tpc_object *o)
{
	const uint8_t *m = r->data + s->sh_offset;
	unsigned int march;

	if (s->sh_type != SHT_PROGBITS || s->sh_size < META_SIZE)
		return bad(r, "the size of .tpc_metadata", s->sh_size,
			   "less than 262");
	march = m[META_MARCH] | m[META_MARCH + 1] << 8;
	if (march != MARCH_GAUDI)
		return bad(r, "the architecture", march, "not Gaudi's (2)");
	if (m[META_PRINTF])
		return bad(r, "the use of printf", m[META_PRINTF],
			   "which libgaudi does not have");
	o->has_metadata = true;
	o->special_functions = m[META_SPECIAL];
	o->num_scalars = m[META_SCALARS];

	return 0;
}

int tpc_object_parse(const char *name, const void *data, size_t size,
		     struct tpc_object *o)
{
	struct reader r = { .name = name, .data = data, .size = size };
	Elf32_Shdr s;
	uint32_t i;
	int rc;

	*o = (struct tpc_object) {};
	rc = get_head(&r);
	for (i = 1; !rc && i < r.num; i++) {
		rc = get_section(&r, i, &s);
		if (rc)
			break;
		if ((s.sh_type == SHT_REL || s.sh_type == SHT_RELA) &&
		    s.sh_size)
			rc = bad(&r, "the size of relocations", s.sh_size,
				 "not 0");
		else if (is_named(&r, &s, ".text"))
			rc = get_code(&r, &s, o);
		else if (is_named(&r, &s, ".tpc_metadata"))
			rc = get_metadata(&r, &s, o);
	}
	if (!rc && !o->code)
		rc = bad(&r, "the number of .text", 0, "not 1");

	return rc;
}
