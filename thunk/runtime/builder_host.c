// SPDX-License-Identifier: MIT
/*
 * Nodes of the host: those that the program asks for, and those that the card cannot
 * do. A recipe that has some is made of steps: programs of what lies between them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builder.h"
#include "error.h"
#include "host_op.h"
#include "internal.h"

int gaudi_builder_allow_host(struct gaudi_builder *b, bool allow)
{
	if (!b)
		return gd_fail(-EINVAL, "no builder");
	b->allow_host = allow;

	return 0;
}

/* --- nodes -------------------------------------------------------------- */

static void describe(const struct gaudi_builder *b, const uint32_t *tensors,
		     uint32_t num, struct gaudi_host_tensor *out)
{
	uint32_t i;

	for (i = 0; i < num; i++) {
		const struct recipe_tensor *t = &b->tensors[tensors[i]].t;

		out[i] = (struct gaudi_host_tensor) {
			.bytes = t->bytes, .type = t->type, .rank = t->rank,
		};
		memcpy(out[i].dims, t->dims, sizeof(t->dims));
		memcpy(out[i].strides, t->strides, sizeof(t->strides));
	}
}

/* Whether the library's own operation takes these. */
static bool takes(const struct gaudi_builder *b, struct host_op *op,
		  const uint32_t *tensors, uint32_t num, const void *params,
		  size_t params_size, uint32_t *access)
{
	const struct host_builtin *builtin = host_op_builtin(op);
	struct gaudi_host_tensor t[GAUDI_HOST_OP_TENSORS];
	struct gaudi_host_call call = {
		.size = sizeof(call), .op = host_op_name(op), .tensors = t,
		.num_tensors = num, .params = params,
		.params_size = params_size,
	};

	if (!builtin)
		return false;
	describe(b, tensors, num, t);

	return builtin->check(&call, access);
}

static int check_operands(const struct gaudi_builder *b, const char *op,
			  uint32_t num,
			  const struct gaudi_host_operand *operands)
{
	uint32_t i, j;
	int rc;

	for (i = 0; i < num; i++) {
		const struct gaudi_host_operand *o = &operands[i];

		rc = build_check_tensor(b, o->tensor);
		if (!rc && (!o->access || o->access > (GAUDI_KERNEL_READS |
						       GAUDI_KERNEL_WRITES)))
			rc = gd_fail(-EINVAL, "node %zu, operation '%s': operand %u: access %u is unknown",
				     b->num_nodes, op, i, o->access);
		if (!rc && o->access & GAUDI_KERNEL_WRITES)
			rc = build_check_written(b, o->tensor);
		for (j = 0; !rc && j < i; j++)
			if (operands[j].tensor == o->tensor &&
			    (operands[j].access | o->access) &
			    GAUDI_KERNEL_WRITES)
				rc = gd_fail(-EINVAL, "node %zu, operation '%s': tensor '%s' is two operands, of which one is written",
					     b->num_nodes, op,
					     b->tensors[o->tensor].t.name);
		if (rc)
			return rc;
	}

	return 0;
}

static int no_memory(const struct gaudi_builder *b)
{
	return gd_fail(-ENOMEM, "host memory for builder '%s'", b->name);
}

/* What was checked, as a node. */
static int add_node(struct gaudi_builder *b, struct host_op *op, uint32_t num,
		    const struct gaudi_host_operand *operands,
		    const void *params, size_t params_size, uint32_t *node)
{
	struct build_compute *c = calloc(1, sizeof(*c));
	uint32_t i, j;
	int rc;

	if (!c)
		return no_memory(b);
	c->host = calloc(1, sizeof(*c->host) + params_size);
	if (!c->host) {
		free(c);
		return no_memory(b);
	}
	c->host->op = op;
	c->host->node = (uint32_t)b->num_nodes;
	c->host->num = num;
	c->host->params_size = params_size;
	if (params_size)
		memcpy(c->host->params, params, params_size);
	for (i = 0; i < num; i++) {
		c->host->operands[i] = operands[i];
		for (j = 0; j < c->num_uses &&
		     c->uses[j].tensor != operands[i].tensor; j++)
			;
		c->num_uses = j < c->num_uses ? c->num_uses : j + 1;
		c->uses[j].tensor = operands[i].tensor;
		c->uses[j].read |= operands[i].access & GAUDI_KERNEL_READS;
		c->uses[j].write |= !!(operands[i].access &
				       GAUDI_KERNEL_WRITES);
	}
	rc = build_add_compute(b, c, node);
	b->num_host += !rc;

	return rc;
}

int gaudi_builder_add_host_op(struct gaudi_builder *b, const char *name,
			      uint32_t num,
			      const struct gaudi_host_operand *operands,
			      const void *params, size_t params_size,
			      uint32_t *node)
{
	uint32_t tensors[GAUDI_HOST_OP_TENSORS], access[GAUDI_HOST_OP_TENSORS];
	struct host_op *op;
	uint32_t i;
	int rc;

	if (!b || !name || (num && !operands) || (params_size && !params) ||
	    num > GAUDI_HOST_OP_TENSORS || params_size > GAUDI_HOST_OP_PARAMS)
		return gd_fail(-EINVAL, "no builder, no operation, more than %u operands or %u bytes of parameters, or numbers of what is NULL",
			       GAUDI_HOST_OP_TENSORS, GAUDI_HOST_OP_PARAMS);
	if (!b->allow_host)
		return gd_fail(GAUDI_ERR_UNSUPPORTED, "node %zu: operation '%.255s' is one of the host, which builder '%s' is not allowed (gaudi_builder_allow_host)",
			       b->num_nodes, name, b->name);
	op = host_op_find(name, &rc);
	if (!op)
		return rc ? rc : gd_fail(-ENOENT, "node %zu: no operation '%.255s' on the host",
					 b->num_nodes, name);
	rc = check_operands(b, name, num, operands);
	if (rc)
		return rc;
	for (i = 0; i < num; i++)
		tensors[i] = operands[i].tensor;
	if (host_op_builtin(op) &&
	    !takes(b, op, tensors, num, params, params_size, access))
		return gd_fail(-EINVAL, "node %zu: operation '%s' on the host does not take these operands: their number, dims, types or parameters",
			       b->num_nodes, name);
	rc = add_node(b, op, num, operands, params, params_size, node);
	if (!rc)
		host_op_count_node(op, "the program asked for it");

	return rc;
}

/* --- instead of the card --------------------------------------------------- */

/* What the card refused for good reasons, which the host does not share. */
static bool may_replace(const struct gaudi_builder *b, int rc)
{
	return b && b->allow_host &&
	       (rc == -EINVAL || rc == -EOVERFLOW || rc == -ENOENT ||
		rc == GAUDI_ERR_UNSUPPORTED);
}

int build_on_host(struct gaudi_builder *b, int refused, const char *name,
		  const uint32_t *tensors, uint32_t num, const void *params,
		  size_t params_size, uint32_t *node)
{
	struct gaudi_host_operand operands[GAUDI_HOST_OP_TENSORS];
	uint32_t access[GAUDI_HOST_OP_TENSORS], i;
	struct gd_error_state why;
	struct host_op *op;
	int rc;

	if (!may_replace(b, refused) || num > GAUDI_HOST_OP_TENSORS)
		return refused;
	gd_error_save(&why);
	for (i = 0; i < num; i++)
		if (tensors[i] >= b->num_tensors)
			return refused;
	op = host_op_find(name, &rc);
	if (op && !host_op_builtin(op))
		rc = -ENOENT;
	if (!op || rc || !takes(b, op, tensors, num, params, params_size,
				access)) {
		gd_error_restore(&why);
		return rc == -ENOMEM ? rc : refused;
	}
	for (i = 0; i < num; i++) {
		operands[i].tensor = tensors[i];
		operands[i].access = access[i];
	}
	rc = check_operands(b, name, num, operands);
	if (!rc)
		rc = add_node(b, op, num, operands, params, params_size, node);
	if (!rc)
		host_op_count_node(op, why.text);

	return rc;
}

/* The type that @name ends with, which goes, or 0. */
static uint32_t cut_type(char *name)
{
	size_t n = strlen(name), end;
	uint32_t type;

	for (type = GAUDI_TYPE_U8; type <= GAUDI_TYPE_F64; type++) {
		end = strlen(gaudi_type_name(type));
		if (n <= end + 1 || name[n - end - 1] != '_' ||
		    strcmp(name + n - end, gaudi_type_name(type)))
			continue;
		name[n - end - 1] = 0;
		return type;
	}

	return 0;
}

void host_op_of_kernel(char *name)
{
	char *rest = name + strlen("cast_"), *round;
	uint32_t type;

	if (!strncmp(name, "cast_", strlen("cast_"))) {
		/* cast_f32_bf16_rz: how it is rounded stays. */
		round = strrchr(rest, '_');
		type = cut_type(rest);
		if (!type && round && strlen(round) < sizeof("_rhaz"))
			memmove(rest - 1, round, strlen(round) + 1);
		else
			rest[-1] = 0;
		return;
	}
	type = cut_type(name);
	/* The only scalar that is a whole number where the tensor is one. */
	if (!strcmp(name, "fill") && type >= GAUDI_TYPE_U8 &&
	    type <= GAUDI_TYPE_I64)
		strcat(name, "_whole");
}

int build_kernel_on_host(struct gaudi_builder *b, int refused, const char *name,
			 const uint32_t *tensors, uint32_t num,
			 const uint32_t *scalars, uint32_t num_scalars,
			 uint32_t *node)
{
	char op[64];
	size_t n;

	if (!may_replace(b, refused))
		return refused;
	n = (size_t)snprintf(op, sizeof(op), "%s", name);
	if (n >= sizeof(op))
		return refused;
	host_op_of_kernel(op);

	return build_on_host(b, refused, op, tensors, num, scalars,
			     num_scalars * sizeof(*scalars), node);
}

/* --- steps ------------------------------------------------------------------- */

static const struct recipe_host *host_of(const struct gaudi_builder *b, size_t n)
{
	const struct build_node *node = &b->nodes[n];

	return node->kind == BUILD_COMPUTE ? node->compute->host : NULL;
}

static int copy_host(const struct recipe_host *from, struct recipe_step *step)
{
	size_t size = sizeof(*from) + from->params_size;

	step->host = malloc(size);
	if (!step->host)
		return gd_fail(-ENOMEM, "host memory for a node of the host");
	memcpy(step->host, from, size);

	return 0;
}

/* All that is asked of the program as a whole has an answer: nothing is in it. */
static int empty_program(struct gaudi_recipe *r)
{
	r->program.num_buffers = r->num_tensors;
	r->program.num_events = r->num_events;

	return program_index(&r->program);
}

int build_steps(const struct gaudi_builder *b, struct gaudi_recipe *r)
{
	uint32_t n, first = 0;
	int rc;

	if (!b->num_host)
		return build_emit(b, r, 0, (uint32_t)b->num_nodes,
				  &r->program);
	r->steps = calloc(2 * b->num_host + 1, sizeof(*r->steps));
	if (!r->steps)
		return no_memory(b);
	rc = empty_program(r);
	for (n = 0; !rc && n <= b->num_nodes; n++) {
		if (n < b->num_nodes && !host_of(b, n))
			continue;
		if (first < n)
			rc = build_emit(b, r, first, n,
					&r->steps[r->num_steps++].program);
		first = n + 1;
		if (!rc && n < b->num_nodes)
			rc = copy_host(host_of(b, n), &r->steps[r->num_steps++]);
	}

	return rc;
}
