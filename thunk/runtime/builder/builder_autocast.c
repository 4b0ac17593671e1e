// SPDX-License-Identifier: MIT
/*
 * Autocast: operations that are named in one list read bf16, those of another f32,
 * and the rest the wider type of what they are given. Nodes that cast come
 * before them, by kernels of the library; a tensor is cast once as long as no node
 * writes to it. Built-in kernels write what they read, and are cast behind as well.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/array.h"
#include "builder.h"
#include "../base/base.h"
#include "../kernels/kernels.h"
#include "../base/sized.h"

#define SEPARATORS	" \t\r\n,"
#define MAX_LIST	65536u		/* bytes of a file */

/* Tests of parts do without the library. */
#pragma weak kernel_lib_find

/*
 * What loses much in bf16: sums over many elements, and functions whose results are
 * subtracted from each other. Maxima and elementwise ones follow what they are given.
 */
#define F32_OPS \
	"softmax softmax_grad log_softmax log_softmax_grad cross_entropy " \
	"cross_entropy_grad layer_norm layer_norm_grad exp log " \
	"sum_rows sum_columns sum_dim2 sum_dim3 sum_dim4 " \
	"mean_rows mean_columns mean_dim2 mean_dim3 mean_dim4 " \
	"sum_squares_rows"

struct build_autocast {
	char *bf16, *f32;		/* lists */
	bool f32_first;			/* only that one was said */
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
		    const char *otherwise, char **list, bool *is_said)
{
	const char *path = secure_getenv(ours);

	if (!path || !*path)
		path = secure_getenv(known);
	*is_said = said || (path && *path);
	if (!said && path && *path)
		return read_list(path, list);
	*list = strdup(said ? said : otherwise);

	return *list ? 0 : gd_fail(-ENOMEM, "host memory for a list of autocast");
}

static int get_lists(const struct gaudi_autocast *l, struct build_autocast *a)
{
	bool bf16, f32;
	int rc;

	rc = get_list(l->bf16, "GAUDI_AUTOCAST_BF16_OPS_LIST",
		      "PT_HPU_AUTOCAST_LOWER_PRECISION_OPS_LIST",
		      "matmul conv2d conv2d_data conv2d_weights", &a->bf16,
		      &bf16);
	if (!rc)
		rc = get_list(l->f32, "GAUDI_AUTOCAST_F32_OPS_LIST",
			      "PT_HPU_AUTOCAST_FP32_OPS_LIST", F32_OPS,
			      &a->f32, &f32);
	if (rc)
		return rc;
	/* What was said counts more than what was not. */
	a->f32_first = f32 && !bf16;

	return bf16 && f32 ? check_both(a) : 0;
}

int gaudi_builder_set_autocast(struct gaudi_builder *b,
			       const struct gaudi_autocast *lists)
{
	struct gaudi_autocast l = {};
	struct build_autocast *a = NULL;
	int rc = 0;

	if (!b)
		return gd_fail(-EINVAL, "no builder");
	if (lists) {
		rc = gd_sized_get(&l, sizeof(l), lists, sizeof(l.size),
				  "gaudi_autocast");
		if (rc)
			return rc;
		a = calloc(1, sizeof(*a));
		if (!a)
			return no_memory(b);
		rc = get_lists(&l, a);
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

/* The type that a list says; 0: none does. */
static uint32_t listed_type(const struct build_autocast *a, const char *op)
{
	bool bf16 = is_listed(a->bf16, op, strlen(op));
	bool f32 = is_listed(a->f32, op, strlen(op));

	if (f32 && (a->f32_first || !bf16))
		return GAUDI_TYPE_F32;

	return bf16 ? GAUDI_TYPE_BF16 : 0;
}

/* The type that the operation reads; 0: as they are. */
static uint32_t type_of(const struct gaudi_builder *b, const char *op,
			const uint32_t *tensors, uint32_t num)
{
	uint32_t type = listed_type(b->autocast, op), i;
	bool f32 = false;

	if (type)
		return type;
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
	const struct recipe_tensor *t = &b->tensors[*tensor].t;
	const struct build_used *used = &b->tensors[*tensor].used;
	char name[GAUDI_MAX_NAME + 1];
	struct gaudi_tensor_desc d = {
		.size = sizeof(d), .name = name, .type = type,
		.kind = GAUDI_TENSOR_WORKSPACE, .rank = t->rank,
	};
	uint32_t to;
	int rc;

	/* There are two types, so it is the other one. */
	if (used->cast != BUILD_NONE && used->cast_writes == used->writes) {
		*tensor = used->cast;
		return 0;
	}
	snprintf(name, sizeof(name), "%.200s as %s, node %zu", t->name,
		 gaudi_type_name(type), b->num_nodes);
	memcpy(d.dims, t->dims, sizeof(d.dims));
	rc = gaudi_builder_add_tensor(b, &d, &to);
	if (!rc)
		rc = add_node(b, *tensor, to, type);
	if (rc)
		return rc;
	if (!build_note_cast(b, *tensor, to))
		return no_memory(b);
	*tensor = to;

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
	for (i = 0; !rc && i < num; i++) {
		if (!type || !is_float(b, tensors[i]) ||
		    b->tensors[tensors[i]].t.type == type)
			continue;
		build_set_mark(b, mark);
		rc = add_cast(b, type, &tensors[i]);
	}

	return rc;
}

int build_autocast_end(struct gaudi_builder *b, struct build_mark *mark, int rc)
{
	if (b)
		build_end_mark(b, mark, rc);

	return rc;
}

/* --- built-in kernels ----------------------------------------------------- */

#define OP_NAME		64u

/* "softmax" of "softmax_bf16", and this type; 0 and all of it if there is none. */
static uint32_t split_name(const char *name, char *op)
{
	size_t n = strnlen(name, OP_NAME - 1), end;
	static const uint32_t types[] = { GAUDI_TYPE_F32, GAUDI_TYPE_BF16 };
	uint32_t i;

	memcpy(op, name, n);
	op[n] = 0;
	for (i = 0; i < 2; i++) {
		const char *type = gaudi_type_name(types[i]);

		end = strlen(type) + 1;
		if (n > end && op[n - end] == '_' &&
		    !strcmp(op + n - end + 1, type)) {
			op[n - end] = 0;
			return types[i];
		}
	}

	return 0;
}

static const struct kernel_lib *find_type(const char *op, uint32_t type)
{
	char name[OP_NAME + 8];

	snprintf(name, sizeof(name), "%s_%s", op, gaudi_type_name(type));

	return kernel_lib_find ? kernel_lib_find(name) : NULL;
}

/* The type of tensor @i is the kernel's own, so there is one for each type. */
static bool is_free(const struct kernel_lib *f32, const struct kernel_lib *bf16,
		    uint32_t i)
{
	return f32->tensors[i].type == GAUDI_TYPE_F32 &&
	       bf16->tensors[i].type == GAUDI_TYPE_BF16;
}

/* The widest type of what is read, or of what is written if nothing is. */
static uint32_t given_type(const struct gaudi_builder *b,
			   const struct kernel_lib *f32,
			   const struct kernel_lib *bf16,
			   const uint32_t *tensors, uint32_t access)
{
	uint32_t i, type = 0, is;

	for (i = 0; i < f32->num_tensors; i++) {
		if (!is_free(f32, bf16, i) || !is_float(b, tensors[i]) ||
		    !(f32->tensors[i].access & access))
			continue;
		is = b->tensors[tensors[i]].t.type;
		type = type == GAUDI_TYPE_F32 ? type : is;
	}

	return type;
}

const struct kernel_lib *build_choose_kernel(const struct gaudi_builder *b,
					     const char *name, uint32_t num,
					     const uint32_t *tensors)
{
	const struct kernel_lib *f32, *bf16;
	char op[OP_NAME];
	uint32_t named, type;

	if (!kernel_lib_find)
		return NULL;
	if (!b->autocast || !strncmp(name, "cast_", 5))
		return kernel_lib_find(name);
	named = split_name(name, op);
	f32 = find_type(op, GAUDI_TYPE_F32);
	bf16 = find_type(op, GAUDI_TYPE_BF16);
	if (!f32 || !bf16)
		return named || (!f32 && !bf16) ? kernel_lib_find(name) :
		       f32 ? f32 : bf16;
	/* Some have a tensor more in bf16: they are not the same operation. */
	if (f32->num_tensors != bf16->num_tensors)
		return named ? kernel_lib_find(name) :
		       num == bf16->num_tensors ? bf16 : f32;
	type = listed_type(b->autocast, op);
	if (!type && num == f32->num_tensors)
		type = given_type(b, f32, bf16, tensors, GAUDI_KERNEL_READS);
	if (!type && num == f32->num_tensors)
		type = given_type(b, f32, bf16, tensors, GAUDI_KERNEL_WRITES);
	if (!type)
		type = named;

	return type == GAUDI_TYPE_BF16 ? bf16 : f32;
}

/* Where the kernel writes what is cast behind it. */
static int add_result(struct gaudi_builder *b, uint32_t type, uint32_t *tensor)
{
	const struct recipe_tensor *t = &b->tensors[*tensor].t;
	char name[GAUDI_MAX_NAME + 1];
	struct gaudi_tensor_desc d = {
		.size = sizeof(d), .name = name, .type = type,
		.kind = GAUDI_TENSOR_WORKSPACE, .rank = t->rank,
	};
	int rc = build_check_written(b, *tensor);

	if (rc)
		return rc;
	snprintf(name, sizeof(name), "%.190s from %s, node %zu", t->name,
		 gaudi_type_name(type), b->num_nodes);
	memcpy(d.dims, t->dims, sizeof(d.dims));

	return gaudi_builder_add_tensor(b, &d, tensor);
}

static int cast_operand(struct gaudi_builder *b,
			const struct kernel_lib_tensor *kt, uint32_t *tensor,
			struct build_mark *mark)
{
	if (!is_float(b, *tensor) || b->tensors[*tensor].t.type == kt->type ||
	    (kt->type != GAUDI_TYPE_F32 && kt->type != GAUDI_TYPE_BF16))
		return 0;
	/* What stays where it is has to have the type: the kernel says so. */
	if (kt->access == (GAUDI_KERNEL_READS | GAUDI_KERNEL_WRITES))
		return 0;
	build_set_mark(b, mark);

	return kt->access == GAUDI_KERNEL_READS ?
	       add_cast(b, kt->type, tensor) : add_result(b, kt->type, tensor);
}

/* Which the kernel refuses as long as it can see it. */
static bool written_twice(const struct kernel_lib *k, const uint32_t *tensors)
{
	uint32_t i, j;

	for (i = 0; i < k->num_tensors; i++)
		for (j = 0; j < i; j++)
			if (tensors[i] == tensors[j] &&
			    k->tensors[i].access & k->tensors[j].access &
			    GAUDI_KERNEL_WRITES)
				return true;

	return false;
}

int build_cast_operands(struct gaudi_builder *b, const struct kernel_lib *k,
			const uint32_t *tensors, uint32_t *to,
			struct build_mark *mark)
{
	uint32_t i, access;
	int rc = 0;

	*mark = (struct build_mark) {};
	memcpy(to, tensors, k->num_tensors * sizeof(*to));
	if (!b->autocast || !strncmp(k->name, "cast_", 5) ||
	    written_twice(k, tensors))
		return 0;
	/* Casts of what is read stand before the names of results count nodes. */
	for (access = GAUDI_KERNEL_READS; access <= GAUDI_KERNEL_WRITES;
	     access++)
		for (i = 0; !rc && i < k->num_tensors; i++)
			if (k->tensors[i].access == access)
				rc = cast_operand(b, &k->tensors[i], &to[i],
						  mark);

	return rc;
}

int build_cast_results(struct gaudi_builder *b, const uint32_t *tensors,
		       const uint32_t *to, uint32_t num, uint32_t node)
{
	uint32_t i;
	int rc = 0;

	for (i = 0; !rc && i < num; i++) {
		/* One that was cast before is written by a node already. */
		if (to[i] == tensors[i] || b->tensors[to[i]].used.first != node)
			continue;
		rc = add_node(b, to[i], tensors[i],
			      b->tensors[tensors[i]].t.type);
		b->nodes[node].behind += !rc;
	}

	return rc;
}
