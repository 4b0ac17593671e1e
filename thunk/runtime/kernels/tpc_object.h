/* SPDX-License-Identifier: MIT */
/* Objects of the TPC compiler: what a launch must know of a kernel. */
#ifndef GAUDI_RUNTIME_TPC_OBJECT_H
#define GAUDI_RUNTIME_TPC_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TPC_WORD		32u	/* bytes of an instruction word */
#define TPC_MAX_CODE		(1u << 20)

struct tpc_object {
	const uint8_t *code;	/* in the object */
	size_t code_size;
	bool has_metadata;
	bool special_functions;
	uint32_t num_scalars;	/* with metadata */
};

/*
 * Nothing of @data is taken for granted. -EINVAL with a message that begins with
 * the kernel's @name.
 */
int tpc_object_parse(const char *name, const void *data, size_t size,
		     struct tpc_object *object);

#endif /* GAUDI_RUNTIME_TPC_OBJECT_H */
