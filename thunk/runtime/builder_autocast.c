// SPDX-License-Identifier: MIT
/*
 * Autocast: operations that are named in one list read bf16, those of another f32,
 * and the rest the wider type of what they are given. Nodes that cast come
 * before them, by kernels of the library; a tensor is cast once as long as no node
 * writes to it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "builder.h"
#include "error.h"
#include "kernels.h"

#define SEPARATORS	" \t\r\n,"
#define MAX_LIST	65536u		/* bytes of a file */

/* Tests of parts do without the library. */
#pragma weak kernel_lib_find

struct cast {
	uint32_t from, type, to;
	uint32_t writes;		/* to @from, before it */
};

struct build_autocast {
	char *bf16, *f32;		/* lists */
	struct cast *casts;
	size_t num, room;
};

static int no_memory(const struct gaudi_builder *b)
{
	return gd_fail(-ENOMEM, "host memory for builder '%s'", b->name);
}

void build_autocast_free(struct build_autocast *a)
{
	if (!a)
		return;
	free(a->bf16);
	free(a->f32);
	free(a->casts);
	free(a);
}

/* --- lists -------------------------------------------------------------- */

static bool is_listed(const char *list, const char *op, size_t length)
{
	size_t n;

	for (list += strspn(list, SEPARATORS); *list;
	     list += n, list += strspn(list, SEPARATORS)) {
		n = strcspn(list, SEPARATORS);
		if (n == length && !strncmp(list, op, n))
			return true;
	}

	return false;
}

static int check_both(const struct build_autocast *a)
{
	const char *at = a->bf16;
	size_t n;

	for (at += strspn(at, SEPARATORS); *at;
	     at += n, at += strspn(at, SEPARATORS)) {
		n = strcspn(at, SEPARATORS);
		if (is_listed(a->f32, at, n))
			return gd_fail(-EINVAL, "operation '%.*s' is in both lists of autocast",
				       (int)n, at);
	}

	return 0;
}

static int read_list(const char *path, char **list)
{
	FILE *f = fopen(path, "re");
	size_t num;
	int rc = 0;

	if (!f)
		return gd_fail(-errno, "list of autocast '%s': %s", path,
			       strerror(errno));
	*list = calloc(1, MAX_LIST + 1);
	if (!*list) {
		rc = gd_fail(-ENOMEM, "host memory for '%s'", path);
	} else {
		num = fread(*list, 1, MAX_LIST + 1, f);
		if (ferror(f))
			rc = gd_fail(-EIO, "list of autocast '%s' cannot be read",
				     path);
		else if (num > MAX_LIST)
			rc = gd_fail(-EOVERFLOW, "list of autocast '%s' has more than %u bytes",
				     path, MAX_LIST);
	}
	fclose(f);

	return rc;
}

/* What the caller says, or the file of a variable, or the default. */
static int get_list(const char *said, const char *ours, const char *known,
		    const char *otherwise, char **list)
{
	const char *path = secure_getenv(ours);

	if (!path || !*path)
		path = secure_getenv(known);
	if (!said && path && *path)
		return read_list(path, list);
	*list = strdup(said ? said : otherwise);

	return *list ? 0 : gd_fail(-ENOMEM, "host memory for a list of autocast");
}

int gaudi_builder_set_autocast(struct gaudi_builder *b,
			       const struct gaudi_autocast *lists)
{
	struct gaudi_autocast l = {};
	struct build_autocast *a = NULL;
	int rc = 0;

	if (!b || (lists && lists->size < sizeof(lists->size)))
		return gd_fail(-EINVAL, "no builder, or lists without their size");
	if (lists) {
		memcpy(&l, lists, lists->size < sizeof(l) ? lists->size :
							     sizeof(l));
		a = calloc(1, sizeof(*a));
		if (!a)
			return no_memory(b);
		rc = get_list(l.bf16, "GAUDI_AUTOCAST_BF16_OPS_LIST",
			      "PT_HPU_AUTOCAST_LOWER_PRECISION_OPS_LIST",
			      "matmul conv2d conv2d_data conv2d_weights",
			      &a->bf16);
		if (!rc)
			rc = get_list(l.f32, "GAUDI_AUTOCAST_F32_OPS_LIST",
				      "PT_HPU_AUTOCAST_FP32_OPS_LIST", "",
				      &a->f32);
		if (!rc)
			rc = check_both(a);
	}
	if (rc) {
		build_autocast_free(a);
		return rc;
	}
	build_autocast_free(b->autocast);
	b->autocast = a;

	return 0;
}

/* --- casts -------------------------------------------------------------- */

static bool is_float(const struct gaudi_builder *b, uint32_t tensor)
{
	return tensor < b->num_tensors &&
	       (b->tensors[tensor].t.type == GAUDI_TYPE_F32 ||
		b->tensors[tensor].t.type == GAUDI_TYPE_BF16);
}

/* The type that the operation reads; 0: as they are. */
static uint32_t type_of(const struct gaudi_builder *b, const char *op,
			const uint32_t *tensors, uint32_t num)
{
	bool f32 = false;
	uint32_t i;

	if (is_listed(b->autocast->bf16, op, strlen(op)))
		return GAUDI_TYPE_BF16;
	if (is_listed(b->autocast->f32, op, strlen(op)))
		return GAUDI_TYPE_F32;
	for (i = 0; i < num; i++)
		f32 |= is_float(b, tensors[i]) &&
		       b->tensors[tensors[i]].t.type == GAUDI_TYPE_F32;

	return f32 ? GAUDI_TYPE_F32 : 0;
}

static int add_node(struct gaudi_builder *b, uint32_t from, uint32_t to,
		    uint32_t type)
{
	const struct recipe_tensor *t = &b->tensors[from].t;
	const char *name = type == GAUDI_TYPE_BF16 ? "cast_f32_bf16" :
						     "cast_bf16_f32";
	const struct kernel_lib *lib = kernel_lib_find ?
				       kernel_lib_find(name) : NULL;
	struct gaudi_kernel k = {
		.size = sizeof(k), .name = name, .num_tensors = 2, .rank = 5,
	};
	uint32_t i;

	if (!lib)
		return gd_fail(GAUDI_ERR_UNSUPPORTED, "autocast of '%s': this library has no kernel '%s'",
			       t->name, name);
	for (i = 0; i < k.rank; i++) {
		uint64_t dim = i < t->rank ? t->dims[t->rank - 1 - i] : 1;

		if (t->rank > k.rank || dim > INT32_MAX)
			return gd_fail(-EINVAL, "autocast of '%s': more than %u dims, or one beyond 2^31",
				       t->name, k.rank);
		k.index_space[i] = lib->step[i] ?
			(uint32_t)((dim + lib->step[i] - 1) / lib->step[i]) : 1;
	}
	k.object = lib->object;
	k.object_size = lib->object_size;
	k.tensors[0] = (struct gaudi_kernel_tensor) {
		from, lib->tensors[0].access, lib->tensors[0].padding };
	k.tensors[1] = (struct gaudi_kernel_tensor) {
		to, lib->tensors[1].access, lib->tensors[1].padding };

	return gaudi_builder_add_kernel(b, &k, NULL);
}

/* The same numbers as another type, in workspace. */
static int add_cast(struct gaudi_builder *b, uint32_t type, uint32_t *tensor)
{
	struct build_autocast *a = b->autocast;
	const struct recipe_tensor *t = &b->tensors[*tensor].t;
	struct cast c = { .from = *tensor, .type = type,
			  .writes = b->tensors[*tensor].writes };
	char name[GAUDI_MAX_NAME + 1];
	struct gaudi_tensor_desc d = {
		.size = sizeof(d), .name = name, .type = type,
		.kind = GAUDI_TENSOR_WORKSPACE, .rank = t->rank,
	};
	size_t i;
	int rc;

	for (i = 0; i < a->num; i++) {
		if (a->casts[i].from == c.from && a->casts[i].type == type &&
		    a->casts[i].writes == c.writes) {
			*tensor = a->casts[i].to;
			return 0;
		}
	}
	snprintf(name, sizeof(name), "%.200s as %s, node %zu", t->name,
		 gaudi_type_name(type), b->num_nodes);
	memcpy(d.dims, t->dims, sizeof(d.dims));
	if (!gd_grow((void **)&a->casts, a->num, &a->room, sizeof(*a->casts)))
		return no_memory(b);
	rc = gaudi_builder_add_tensor(b, &d, &c.to);
	if (!rc)
		rc = add_node(b, c.from, c.to, type);
	if (rc)
		return rc;
	a->casts[a->num++] = c;
	*tensor = c.to;

	return 0;
}

int build_autocast(struct gaudi_builder *b, const char *op, uint32_t *tensors,
		   uint32_t num, struct build_mark *mark)
{
	uint32_t type, i;
	int rc = 0;

	*mark = (struct build_mark) {};
	if (!b || !b->autocast)
		return 0;
	type = type_of(b, op, tensors, num);
	mark->num_tensors = b->num_tensors;
	mark->num_nodes = b->num_nodes;
	mark->num_casts = b->autocast->num;
	for (i = 0; !rc && i < num; i++) {
		if (!type || !is_float(b, tensors[i]) ||
		    b->tensors[tensors[i]].t.type == type)
			continue;
		if (!mark->tensors) {
			mark->tensors = malloc(mark->num_tensors *
					       sizeof(*mark->tensors));
			if (!mark->tensors)
				return no_memory(b);
			memcpy(mark->tensors, b->tensors, mark->num_tensors *
			       sizeof(*mark->tensors));
		}
		rc = add_cast(b, type, &tensors[i]);
	}

	return rc;
}

int build_autocast_end(struct gaudi_builder *b, struct build_mark *mark, int rc)
{
	size_t i;

	if (rc && mark->tensors) {
		for (i = mark->num_tensors; i < b->num_tensors; i++) {
			free(b->tensors[i].t.name);
			free(b->tensors[i].data);
		}
		for (i = mark->num_nodes; i < b->num_nodes; i++)
			build_compute_free(b->nodes[i].compute);
		b->num_tensors = mark->num_tensors;
		b->num_nodes = mark->num_nodes;
		b->autocast->num = mark->num_casts;
		memcpy(b->tensors, mark->tensors,
		       mark->num_tensors * sizeof(*mark->tensors));
	}
	free(mark->tensors);

	return rc;
}
