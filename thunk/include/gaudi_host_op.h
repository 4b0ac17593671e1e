/* SPDX-License-Identifier: MIT */
/*
 * Operations on the host: nodes of a recipe for what the card cannot do, if the
 * program allows it. A launch runs the nodes before such a one on the card, copies
 * what it reads to pinned memory, calls its function on a thread of the library,
 * copies what it wrote back, and goes on. A recipe with such nodes cannot be
 * written to a file, kept in a cache, or captured.
 *
 * The conventions of gaudi.h hold.
 */
#ifndef GAUDI_HOST_OP_H
#define GAUDI_HOST_OP_H

#include "gaudi_recipe.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GAUDI_HOST_OP_TENSORS	16
#define GAUDI_HOST_OP_PARAMS	4096u	/* bytes */

/* A tensor, where a function on the host finds it. */
struct gaudi_host_tensor {
	void *data;			/* only to be written if access says so */
	uint64_t bytes;			/* from there to behind the last element */
	uint32_t type;
	uint32_t rank;
	uint64_t dims[GAUDI_MAX_RANK];
	uint64_t strides[GAUDI_MAX_RANK];
	uint32_t access;		/* GAUDI_KERNEL_READS, _WRITES or-ed */
	uint32_t reserved;
};

struct gaudi_host_call {
	size_t size;
	const char *op;			/* its name */
	const struct gaudi_host_tensor *tensors;
	const void *params;		/* as the node was given them */
	size_t params_size;
	uint32_t num_tensors;
	uint32_t reserved;
};

/*
 * 0, or a negative number: then the launch fails, and its stream. On a thread of the
 * library; it must not call functions that block on the device. What is only written is
 * not what the tensor had. Several may run at once.
 */
typedef int (*gaudi_host_op)(const struct gaudi_host_call *call, void *arg);

/*
 * Operation @op is @fn, with @arg, for nodes from now on and for those of recipes
 * that have it; also one that the library has itself. NULL: no longer, or the
 * library's own again. Blocks until calls of the one before have ended, and for no
 * others. -EINVAL: no name; -EDEADLK: from within a call of any operation, since two
 * could wait for each other; -ENOENT: to take away what is not there.
 */
gaudi_public int gaudi_host_op_register(const char *op, gaudi_host_op fn,
					void *arg);

/*
 * Whether nodes from now on may be the host's: matrix nodes, and kernels by name,
 * that the card cannot do but the library can, and gaudi_builder_add_host_op().
 * In the beginning they may not. The first node of each operation is logged.
 */
gaudi_public int gaudi_builder_allow_host(struct gaudi_builder *builder,
					  bool allow);

struct gaudi_host_operand {
	uint32_t tensor;
	uint32_t access;		/* GAUDI_KERNEL_READS, _WRITES or-ed */
};

/*
 * A node of operation @op on the host; @params are copied. -ENOENT: there is no
 * such operation. GAUDI_ERR_UNSUPPORTED: the host is not allowed. -EINVAL: what
 * the operation does not take, if it is the library's.
 */
gaudi_public int
gaudi_builder_add_host_op(struct gaudi_builder *builder, const char *op,
			  uint32_t num_operands,
			  const struct gaudi_host_operand *operands,
			  const void *params, size_t params_size,
			  uint32_t *node);

struct gaudi_host_op_stats {
	size_t size;
	uint64_t nodes;			/* that were added to builders */
	uint64_t calls;
	uint64_t failures;		/* of these */
	uint64_t bytes_to_host;		/* copied from the card for calls */
	uint64_t bytes_to_device;
	uint64_t ns;			/* in the function */
};

/* Of the process so far; NULL: of all. @stats->size is set by the caller. -ENOENT */
gaudi_public int gaudi_host_op_get_stats(const char *op,
					 struct gaudi_host_op_stats *stats);

#ifdef __cplusplus
}
#endif

#endif /* GAUDI_HOST_OP_H */
