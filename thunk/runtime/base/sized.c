// SPDX-License-Identifier: MIT
/* Structures that begin with their size. */
#include <errno.h>
#include <string.h>

#include "base.h"
#include "sized.h"

static size_t size_of(const void *theirs)
{
	size_t size;

	memcpy(&size, theirs, sizeof(size));

	return size;
}

int gd_sized_check(const void *theirs, size_t least, const char *what)
{
	if (!theirs)
		return gd_fail(-EINVAL, "no struct %s: it is NULL", what);
	if (size_of(theirs) < least || size_of(theirs) > GD_MAX_SIZED)
		return gd_fail(-EINVAL, "struct %s of bad size %zu, not %zu to %u",
			       what, size_of(theirs), least, GD_MAX_SIZED);
	return 0;
}

int gd_sized_get(void *ours, size_t known, const void *theirs, size_t least,
		 const char *what)
{
	const unsigned char *bytes = theirs;
	int rc = gd_sized_check(theirs, least, what);
	size_t size, i;

	if (rc)
		return rc;
	size = size_of(theirs);
	for (i = known; i < size; i++)
		if (bytes[i])
			return gd_fail(-EINVAL, "struct %s of %zu bytes: byte %zu is %#x, but only the first %zu have a meaning in this version",
				       what, size, i, bytes[i], known);
	memset(ours, 0, known);
	memcpy(ours, theirs, size < known ? size : known);

	return 0;
}

void gd_sized_put(void *theirs, const void *ours, size_t known)
{
	size_t size = size_of(theirs);

	memset(theirs, 0, size);
	memcpy(theirs, ours, size < known ? size : known);
	memcpy(theirs, &size, sizeof(size));
}
