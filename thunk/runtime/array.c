// SPDX-License-Identifier: MIT
/* Arrays that grow. */
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
