/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Object files of TPC kernels: ELF32, relocatable, one kernel each. */
#ifndef GAUDI_TPC_OBJ_H
#define GAUDI_TPC_OBJ_H

#include "tpc_asm.h"

#define GAUDI_TPC_METADATA_SIZE	262
#define GAUDI_TPC_METADATA_VERSION 12

/*
 * The file's bytes, to be freed, or NULL and why in words. file_name is what
 * the kernel's source is called in it.
 */
uint8_t *gaudi_tpc_object_make(const struct gaudi_tpc_program *program,
			       const char *file_name, size_t *size,
			       char *why, size_t why_size);

struct gaudi_tpc_object {
	struct gaudi_tpc_program program;	/* lines are NULL */
	bool has_metadata;
};

/* 0, or -1 and why. gaudi_tpc_program_free() frees the program. */
int gaudi_tpc_object_parse(const uint8_t *image, size_t size,
			   struct gaudi_tpc_object *object, char *why,
			   size_t why_size);

/* A file, or standard input if path is "-"; to be freed. NULL: see errno. */
uint8_t *gaudi_tpc_read_file(const char *path, size_t *size);

#endif /* GAUDI_TPC_OBJ_H */
