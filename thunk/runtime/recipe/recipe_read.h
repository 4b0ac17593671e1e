/* SPDX-License-Identifier: MIT */
/* What the files that read a recipe's file share. */
#ifndef GAUDI_RUNTIME_RECIPE_READ_H
#define GAUDI_RUNTIME_RECIPE_READ_H

#include "recipe.h"
#include "recipe_format.h"

struct section {
	const char *name;	/* ours, by its type */
	uint32_t type;
	uint32_t link;
	uint32_t info;
	uint64_t offset;
	uint64_t size;
};

struct reader {
	const uint8_t *data;
	size_t size;
	uint32_t num;		/* sections */
	uint32_t strtab;
	struct section sections[RECIPE_MAX_SECTIONS];
	struct recipe_file_header header;
	struct recipe_file_part parts[RECIPE_MAX_PARTS];
	uint32_t num_parts;
	struct gaudi_recipe *r;
	/* Whose sections of packets come. */
	struct gaudi_recipe *part;
	uint32_t at;
};

/* recipe_load.c: the only section of a type, or NULL; its bytes. */
const struct section *recipe_section(const struct reader *rd, uint32_t type);
const void *recipe_section_bytes(const struct reader *rd,
				 const struct section *section);
/* The string at @offset of the table, for entry @index of @what; *@text is the caller's. */
int recipe_get_string(const struct reader *rd, const char *what, uint32_t index,
		      uint32_t offset, char **text);

/*
 * recipe_load_parts.c: the parts' numbers; work of links; and, when there are the tensors, the
 * parts of the recipe, as yet without packets.
 */
int recipe_get_parts(struct reader *rd);
int recipe_get_links(struct reader *rd);
int recipe_put_parts(struct reader *rd);

#endif /* GAUDI_RUNTIME_RECIPE_READ_H */
