/* SPDX-License-Identifier: MIT */
/* Operations of the host: who has which, and how often they ran. */
#ifndef GAUDI_RUNTIME_HOST_OP_H
#define GAUDI_RUNTIME_HOST_OP_H

#include "gaudi_host_op.h"

struct host_op;

/* What the library can do itself (host_*.c). */
struct host_builtin {
	const char *name;	/* up to its end, or to a '*' */
	gaudi_host_op fn;
	/* Whether it takes these, and what it does with each; there is no data. */
	bool (*check)(const struct gaudi_host_call *call, uint32_t *access);
};

/* Parts of the library do without them. */
const struct host_builtin *host_builtin_find(const char *op);

/*
 * The operation of this name; it stays for ever. NULL: nobody has it, or no
 * memory (then *@rc is not 0).
 */
struct host_op *host_op_find(const char *op, int *rc);
const char *host_op_name(const struct host_op *op);
/* The library's own, and nobody else took its place. */
const struct host_builtin *host_op_builtin(struct host_op *op);
/*
 * A kernel's name becomes that of its operation, without a type, since tensors tell
 * it; it may become longer by 6 bytes.
 */
void host_op_of_kernel(char *name);
/* A node more; @why it is the host's is logged for the first one. */
void host_op_count_node(struct host_op *op, const char *why);
void host_op_count_copies(struct host_op *op, uint64_t to_host,
			  uint64_t to_device);
/* Fails if nobody has it any more. */
int host_op_call(struct host_op *op, const struct gaudi_host_call *call);

/* A node of a recipe. */
struct recipe_host {
	struct host_op *op;
	uint32_t node;		/* of the builder, for messages */
	uint32_t num;
	struct gaudi_host_operand operands[GAUDI_HOST_OP_TENSORS];
	size_t params_size;
	uint8_t params[];
};

/* Parameters of the operations of matrix nodes. */
struct host_matrix {
	uint32_t flags;
	struct gaudi_conv2d window;	/* convolutions; groups is not 0 */
};

#endif /* GAUDI_RUNTIME_HOST_OP_H */
