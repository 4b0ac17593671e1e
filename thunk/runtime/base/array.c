// SPDX-License-Identifier: MIT
/* Arrays that grow, and hashes. */
#include <stdlib.h>

#include "array.h"

bool gd_grow(void **array, size_t num, size_t *room, size_t size)
{
	size_t more = *room ? *room * 2 : 16;
	void *new;

	if (num < *room)
		return true;
	new = reallocarray(*array, more, size);
	if (!new)
		return false;
	*array = new;
	*room = more;

	return true;
}

/* FNV-1a */
uint64_t gd_hash(const void *key, size_t size)
{
	const uint8_t *bytes = key;
	uint64_t hash = 0xcbf29ce484222325;
	size_t i;

	for (i = 0; i < size; i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3;

	return hash;
}
