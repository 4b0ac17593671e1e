/* SPDX-License-Identifier: MIT */
/*
 * Recipes: a recipe in memory, which never changes once somebody else has it, its file
 * (recipe_format.h) and caches of them (cache.c, cache_disk.c). A cache has a lock, with
 * which nothing else is taken.
 */
#ifndef GAUDI_RUNTIME_RECIPE_H
#define GAUDI_RUNTIME_RECIPE_H

#include <stdatomic.h>

#include "gaudi_recipe.h"
#include "recipe_links.h"
#include "../program/program.h"

#define RECIPE_MAX_TENSORS	65536u
#define RECIPE_MAX_EVENTS	256u
#define RECIPE_MAX_BYTES	(1ull << 48)	/* of a tensor, or the workspace */
#define RECIPE_MAX_CONSTANTS	(1ull << 31)
#define RECIPE_MAX_PARTS	16u
#define RECIPE_MAX_KEY		4096u		/* a program's */
#define RECIPE_MAX_BUILD	64u		/* before it, in a file */
/* Of workspace and constants, and of each tensor in them. */
#define RECIPE_ALIGN		128u

struct prog_cursor;
struct prog_item;

struct recipe_tensor {
	char *name;
	uint32_t kind;
	uint32_t type;
	uint32_t place;
	uint32_t rank;
	uint64_t dims[GAUDI_MAX_RANK];
	uint64_t strides[GAUDI_MAX_RANK];
	uint64_t bytes;
	uint64_t offset;	/* in the workspace, or in the constants */
};

struct gaudi_recipe {
	atomic_uint refs;
	char *name;
	uint32_t num_tensors;
	struct recipe_tensor *tensors;	/* the program's buffers */
	uint32_t num_events;
	char **events;
	uint64_t workspace_size;
	uint64_t constants_size;
	uint8_t *constants;
	uint16_t revision_min;
	uint16_t revision_max;
	uint8_t *key;			/* under which a cache keeps it */
	uint32_t key_size;
	uint64_t file_size;		/* of what it was loaded from, or 0 */
	struct program program;
	struct recipe_links links;	/* of all parts; the first one has them */
	/*
	 * The next part, or NULL: its program comes after this one's and its work of links.
	 * It has the same tensors, in the same places, and nothing else of its own.
	 */
	struct gaudi_recipe *next;
};

int recipe_alloc(uint32_t num_tensors, uint32_t num_events,
		 struct gaudi_recipe **recipe);

/* Another part behind all that @recipe has, without a program. Its tensors are known. */
int recipe_add_part(struct gaudi_recipe *recipe, struct gaudi_recipe **part);
uint32_t recipe_count_parts(const struct gaudi_recipe *recipe);

/*
 * From the first byte of a tensor to behind its last. GAUDI_ERR_RECIPE with
 * a message about @name: type, rank, a dim or a stride is none.
 */
int recipe_span(const char *name, const struct recipe_tensor *t,
		uint64_t *bytes);
/* 1 to GAUDI_MAX_NAME bytes of UTF-8, no control characters. */
bool recipe_name_ok(const char *name);
/* Everything but the file: tensors, events, and the program (recipe_check.c). */
int recipe_check(const struct gaudi_recipe *r);

/* recipe_write.c, recipe_load.c: with the key of a cache, which may be NULL. */
int recipe_write(struct gaudi_recipe *r, const void *key, size_t key_size,
		 void **data, size_t *size);
int recipe_parse(const void *data, size_t size, struct gaudi_recipe **recipe);
/* Read a whole file that is a regular one and not larger than recipes are. */
int recipe_read_file(int fd, const char *name, void **data, size_t *size);
int recipe_write_all(int fd, const void *data, size_t size);

/*
 * A hash of the sources and kernels that recipes are made by, in RECIPE_MAX_BUILD
 * characters (made by thunk/Makefile). Parts of the library do without it.
 */
const char *gd_build_id(void);

#define GD_PROFILED	4096u	/* jobs of a launch that a profile tells of, at most */

/* Tells the profile of what matrix engines and TPCs do in a recipe, and where. */
void gd_recipe_profile(const struct gaudi_recipe *r);
/* The next of these jobs, or false; *left: how many may be told of yet. */
bool gd_profiled_next(const struct prog_stream *s, struct prog_cursor *cursor,
		      struct prog_item *item, uint32_t *left);
/*
 * The same of one of these jobs, in a program that is launched @of something else: its buffers
 * from @first on are the recipe's tensors.
 */
void gd_profile_item(const char *of, const struct gaudi_recipe *r,
		     uint32_t first, const char *engine,
		     const struct prog_item *item);

#endif /* GAUDI_RUNTIME_RECIPE_H */
