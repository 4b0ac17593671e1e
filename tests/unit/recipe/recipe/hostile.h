/* SPDX-License-Identifier: GPL-2.0-only */
/* Recipe files to be spoilt. */
#ifndef HOSTILE_H
#define HOSTILE_H

#include "recipe/recipe_format.h"

struct image {
	uint8_t *data;
	size_t size;
};

Elf64_Ehdr *ehdr_of(struct image *i);
Elf64_Shdr *shdr_of(struct image *i, uint32_t index);
/* Section number @nth, from 0, of a type; NULL. */
Elf64_Shdr *section_of(struct image *i, uint32_t type, uint32_t nth);
struct recipe_file_header *header_of(struct image *i);
/* The checksum as it must be for what is there; if there is a header. */
void mend(struct image *i);

#endif /* HOSTILE_H */
