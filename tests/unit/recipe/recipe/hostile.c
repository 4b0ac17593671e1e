// SPDX-License-Identifier: GPL-2.0-only
#include <stddef.h>
#include <zlib.h>

#include "hostile.h"

Elf64_Ehdr *ehdr_of(struct image *i)
{
	return (Elf64_Ehdr *)i->data;
}

/* Whatever the file says, nothing outside of it is touched. */
Elf64_Shdr *shdr_of(struct image *i, uint32_t index)
{
	uint64_t at;

	if (i->size < sizeof(Elf64_Ehdr) || index >= ehdr_of(i)->e_shnum)
		return NULL;
	at = ehdr_of(i)->e_shoff;
	if (at > i->size || at % 8 ||
	    i->size - at < (index + 1ull) * sizeof(Elf64_Shdr))
		return NULL;

	return (Elf64_Shdr *)(i->data + at) + index;
}

Elf64_Shdr *section_of(struct image *i, uint32_t type, uint32_t nth)
{
	Elf64_Shdr *s;
	uint32_t n;

	for (n = 0; (s = shdr_of(i, n)); n++) {
		if (s->sh_type != type || nth--)
			continue;
		return s->sh_offset <= i->size &&
		       s->sh_size <= i->size - s->sh_offset ? s : NULL;
	}

	return NULL;
}

struct recipe_file_header *header_of(struct image *i)
{
	Elf64_Shdr *s = section_of(i, RECIPE_SHT_HEADER, 0);

	if (!s || s->sh_size < sizeof(struct recipe_file_header) ||
	    s->sh_offset % 8)
		return NULL;

	return (struct recipe_file_header *)(i->data + s->sh_offset);
}

void mend(struct image *i)
{
	struct recipe_file_header *h = header_of(i);

	if (!h)
		return;
	h->checksum = 0;
	h->checksum = (uint32_t)crc32_z(0, i->data, i->size);
}
