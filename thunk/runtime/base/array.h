/* SPDX-License-Identifier: MIT */
#ifndef GAUDI_RUNTIME_ARRAY_H
#define GAUDI_RUNTIME_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Room for one more behind @num elements of @size bytes, of which there is room
 * for *@room. False: no memory, and the array is as it was.
 */
bool gd_grow(void **array, size_t num, size_t *room, size_t size);
/* To spread keys; they are compared in the end. */
uint64_t gd_hash(const void *key, size_t size);

#endif /* GAUDI_RUNTIME_ARRAY_H */
