// SPDX-License-Identifier: MIT
/* Recipes in memory: their life, and what can be asked of them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/base.h"
#include "recipe.h"
#include "../base/sized.h"

static const struct {
	const char *name;
	uint32_t size;
} types[] = {
	[GAUDI_TYPE_U8]		= { "u8", 1 },
	[GAUDI_TYPE_I8]		= { "i8", 1 },
	[GAUDI_TYPE_U16]	= { "u16", 2 },
	[GAUDI_TYPE_I16]	= { "i16", 2 },
	[GAUDI_TYPE_U32]	= { "u32", 4 },
	[GAUDI_TYPE_I32]	= { "i32", 4 },
	[GAUDI_TYPE_U64]	= { "u64", 8 },
	[GAUDI_TYPE_I64]	= { "i64", 8 },
	[GAUDI_TYPE_BF16]	= { "bf16", 2 },
	[GAUDI_TYPE_F16]	= { "f16", 2 },
	[GAUDI_TYPE_F32]	= { "f32", 4 },
	[GAUDI_TYPE_F64]	= { "f64", 8 },
};

#define NUM_TYPES	(sizeof(types) / sizeof(types[0]))

uint32_t gaudi_type_size(uint32_t type)
{
	return type < NUM_TYPES ? types[type].size : 0;
}

const char *gaudi_type_name(uint32_t type)
{
	return type < NUM_TYPES ? types[type].name : NULL;
}

/*
 * Bytes of the character of UTF-8 at @p, a string's; 0 if there is none, or one
 * that a terminal would take for an order.
 */
static size_t character(const unsigned char *p)
{
	static const uint32_t first[] = { 0, 0x80, 0x800, 0x10000 };
	uint32_t more, code, i;

	if (p[0] < 0x80)
		return p[0] >= 0x20 && p[0] != 0x7f;
	more = (p[0] >= 0xc0) + (p[0] >= 0xe0) + (p[0] >= 0xf0);
	if (!more || p[0] >= 0xf8)
		return 0;
	code = p[0] & 0x3fu >> more;
	for (i = 1; i <= more; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (p[i] & 0x3f);
	}
	/* Longer than needed; one of UTF-16's halves; C1's orders. */
	if (code < first[more] || code > 0x10ffff || code >> 11 == 0x1b ||
	    code < 0xa0)
		return 0;

	return more + 1;
}

bool recipe_name_ok(const char *name)
{
	size_t i, n, len = name ? strnlen(name, GAUDI_MAX_NAME + 1) : 0;

	if (!len || len > GAUDI_MAX_NAME)
		return false;
	for (i = 0; i < len; i += n) {
		n = character((const unsigned char *)name + i);
		if (!n)
			return false;
	}

	return true;
}

int recipe_span(const char *name, const struct recipe_tensor *t,
		uint64_t *bytes)
{
	uint64_t span = gaudi_type_size(t->type), step;
	uint32_t i;

	if (!span)
		return gd_fail(GAUDI_ERR_RECIPE, "tensor '%s': type %u is unknown",
			       name, t->type);
	if (t->rank > GAUDI_MAX_RANK)
		return gd_fail(GAUDI_ERR_RECIPE, "tensor '%s': rank %u of at most %u",
			       name, t->rank, GAUDI_MAX_RANK);
	for (i = 0; i < t->rank; i++) {
		if (!t->dims[i])
			return gd_fail(GAUDI_ERR_RECIPE, "tensor '%s': dim %u is 0",
				       name, i);
		if (__builtin_mul_overflow(t->dims[i] - 1, t->strides[i],
					   &step) ||
		    __builtin_add_overflow(span, step, &span) ||
		    span > RECIPE_MAX_BYTES)
			return gd_fail(GAUDI_ERR_RECIPE,
				       "tensor '%s': more than %llu bytes at dim %u",
				       name, RECIPE_MAX_BYTES, i);
	}
	*bytes = span;

	return 0;
}

int recipe_alloc(uint32_t num_tensors, uint32_t num_events,
		 struct gaudi_recipe **recipe)
{
	struct gaudi_recipe *r = calloc(1, sizeof(*r));

	if (r) {
		atomic_init(&r->refs, 1);
		r->tensors = calloc((size_t)num_tensors + 1,
				    sizeof(*r->tensors));
		r->events = calloc((size_t)num_events + 1, sizeof(*r->events));
		if (r->tensors && r->events) {
			r->num_tensors = num_tensors;
			r->num_events = num_events;
			*recipe = r;
			return 0;
		}
		gaudi_recipe_release(r);
	}

	return gd_fail(-ENOMEM, "host memory for a recipe of %u tensors",
		       num_tensors);
}

static int copy_tensors(struct gaudi_recipe *to, const struct gaudi_recipe *from)
{
	to->revision_min = from->revision_min;
	to->revision_max = from->revision_max;
	to->workspace_size = from->workspace_size;
	to->name = strdup(from->name);
	for (uint32_t i = 0; to->name && i < from->num_tensors; i++) {
		to->tensors[i] = from->tensors[i];
		to->tensors[i].name = strdup(from->tensors[i].name);
		if (!to->tensors[i].name)
			return -ENOMEM;
	}

	return to->name ? 0 : -ENOMEM;
}

int recipe_add_part(struct gaudi_recipe *r, struct gaudi_recipe **part)
{
	struct gaudi_recipe *last = r;
	int rc;

	while (last->next)
		last = last->next;
	rc = recipe_alloc(r->num_tensors, 0, &last->next);
	if (rc)
		return rc;
	*part = last->next;
	if (copy_tensors(*part, r))
		return gd_fail(-ENOMEM, "host memory for a part of recipe '%s'",
			       r->name);

	return 0;
}

uint32_t recipe_count_parts(const struct gaudi_recipe *r)
{
	uint32_t num = 0;

	for (; r; r = r->next)
		num++;

	return num;
}

int gaudi_recipe_retain(struct gaudi_recipe *r)
{
	if (!r)
		return gd_fail(-EINVAL, "no recipe");
	atomic_fetch_add(&r->refs, 1);

	return 0;
}

int gaudi_recipe_release(struct gaudi_recipe *r)
{
	uint32_t i;

	if (!r || atomic_fetch_sub(&r->refs, 1) > 1)
		return 0;

	gaudi_recipe_release(r->next);
	program_free(&r->program);
	recipe_links_free(&r->links);
	for (i = 0; i < r->num_tensors; i++)
		free(r->tensors[i].name);
	for (i = 0; i < r->num_events; i++)
		free(r->events[i]);
	free(r->tensors);
	free(r->events);
	free(r->constants);
	free(r->key);
	free(r->name);
	free(r);

	return 0;
}

static uint32_t count_kernels(const struct prog_stream *s)
{
	uint32_t i, num = 0;

	for (i = 0; s->engine >= PROG_TPC_0 && i < s->num_patches; i++)
		num += s->patches[i].kind == PROG_PATCH_CODE;

	return num;
}

/* What the programs of all parts have. */
static void add_programs(const struct gaudi_recipe *r,
			 struct gaudi_recipe_info *info)
{
	uint32_t engines = 0;

	for (; r; r = r->next) {
		const struct program *p = &r->program;

		if (info->num_sync_objects < p->num_sobs)
			info->num_sync_objects = p->num_sobs;
		for (uint32_t i = 0; i < p->num_streams; i++) {
			engines |= 1u << p->streams[i].engine;
			info->packets_size += p->streams[i].size;
			info->num_patches += p->streams[i].num_patches;
			info->num_kernels += count_kernels(&p->streams[i]);
		}
	}
	info->num_engines = (uint32_t)__builtin_popcount(engines);
}

int gaudi_recipe_get_info(struct gaudi_recipe *r,
			  struct gaudi_recipe_info *info)
{
	struct gaudi_recipe_info all = {};
	int rc;

	if (!r)
		return gd_fail(-EINVAL, "no recipe");
	rc = gd_sized_check(info, sizeof(info->size), "gaudi_recipe_info");
	if (rc)
		return rc;

	all.name = r->name;
	all.num_tensors = r->num_tensors;
	all.num_events = r->num_events;
	all.workspace_size = r->workspace_size;
	all.constants_size = r->constants_size;
	all.revision_min = r->revision_min;
	all.revision_max = r->revision_max;
	all.num_links = r->links.num_names;
	add_programs(r, &all);
	gd_sized_put(info, &all, sizeof(all));

	return 0;
}

int gaudi_recipe_get_tensor(struct gaudi_recipe *r, uint32_t tensor,
			    struct gaudi_tensor_desc *desc)
{
	struct gaudi_tensor_desc all = {};
	const struct recipe_tensor *t;
	int rc;

	if (!r)
		return gd_fail(-EINVAL, "no recipe");
	rc = gd_sized_check(desc, sizeof(desc->size), "gaudi_tensor_desc");
	if (rc)
		return rc;
	if (tensor >= r->num_tensors)
		return gd_fail(-EINVAL, "tensor %u of %u", tensor,
			       r->num_tensors);

	t = &r->tensors[tensor];
	all.name = t->name;
	all.kind = t->kind;
	all.type = t->type;
	all.place = t->place;
	all.rank = t->rank;
	memcpy(all.dims, t->dims, sizeof(all.dims));
	memcpy(all.strides, t->strides, sizeof(all.strides));
	all.num_strides = t->rank;
	all.bytes = t->bytes;
	if (t->kind == GAUDI_TENSOR_CONSTANT)
		all.data = r->constants + t->offset;
	gd_sized_put(desc, &all, sizeof(all));

	return 0;
}

int gaudi_recipe_find_tensor(struct gaudi_recipe *r, const char *name,
			     uint32_t *tensor)
{
	uint32_t i;

	if (!r || !name || !tensor)
		return gd_fail(-EINVAL, "no recipe, or no name");
	for (i = 0; i < r->num_tensors; i++) {
		if (!strcmp(r->tensors[i].name, name)) {
			*tensor = i;
			return 0;
		}
	}

	return gd_fail(-ENOENT, "recipe '%s' has no tensor '%s'", r->name,
		       name);
}

const char *gaudi_recipe_get_link(struct gaudi_recipe *r, uint32_t link)
{
	return r && link < r->links.num_names ? r->links.names[link] : NULL;
}

const char *gaudi_recipe_get_event(struct gaudi_recipe *r, uint32_t event)
{
	return r && event < r->num_events ? r->events[event] : NULL;
}
