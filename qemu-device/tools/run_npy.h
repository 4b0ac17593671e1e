/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arrays in files of NumPy's (.npy), as tensors of a TPC. */
#ifndef GAUDI_TPC_NPY_H
#define GAUDI_TPC_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GAUDI_NPY_DIMS		5

/* As descriptors have them; the order of gaudi_npy_types[]. */
enum gaudi_npy_type {
	GAUDI_NPY_I8,
	GAUDI_NPY_I16,
	GAUDI_NPY_I32,
	GAUDI_NPY_U8,
	GAUDI_NPY_U16,
	GAUDI_NPY_U32,
	GAUDI_NPY_BF16,
	GAUDI_NPY_F32,
	GAUDI_NPY_TYPES,
};

struct gaudi_npy_name {
	const char *name;		/* "bf16" */
	const char *descr;		/* "<V2" */
	uint8_t bytes;
};

extern const struct gaudi_npy_name gaudi_npy_types[GAUDI_NPY_TYPES];

struct gaudi_npy {
	enum gaudi_npy_type type;
	unsigned int dims;		/* 0 to 5 */
	/* Dimension 0 first: it is the last of NumPy's. 1 beyond dims. */
	uint32_t size[GAUDI_NPY_DIMS];
	uint8_t *data;			/* malloc()ed, little-endian */
	size_t bytes;
};

/* By name, of so many characters; -1 if there is none. */
int gaudi_npy_type_of(const char *name, size_t len);
/* What the type and the sizes need, or SIZE_MAX if that is too much. */
size_t gaudi_npy_bytes(const struct gaudi_npy *array);
/* 0, or -1 and why. Of a wrong file nothing is kept. */
int gaudi_npy_parse(const uint8_t *file, size_t len, struct gaudi_npy *array,
		    char *why, size_t why_size);
/* 0, or -1: see errno. */
int gaudi_npy_write(const char *path, const struct gaudi_npy *array);

#endif /* GAUDI_TPC_NPY_H */
