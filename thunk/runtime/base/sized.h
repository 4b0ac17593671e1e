/* SPDX-License-Identifier: MIT */
/*
 * Structures that begin with their size, from programs that may be older than the
 * library, or newer: what one side does not know is 0 for it.
 */
#ifndef GAUDI_RUNTIME_SIZED_H
#define GAUDI_RUNTIME_SIZED_H

#include <stddef.h>

/* More is no structure's size but a variable that nobody has set. */
#define GD_MAX_SIZED	4096u

/*
 * Is the size of the program's @theirs, a struct @what, one that can be: at least
 * @least? -EINVAL
 */
int gd_sized_check(const void *theirs, size_t least, const char *what);
/*
 * The program's @theirs as @ours of @known bytes. -EINVAL, too: it has more, and they
 * ask for something that this library does not know.
 */
int gd_sized_get(void *ours, size_t known, const void *theirs, size_t least,
		 const char *what);
/* @ours, of @known bytes, into @theirs, which was checked and keeps its size. */
void gd_sized_put(void *theirs, const void *ours, size_t known);

#endif /* GAUDI_RUNTIME_SIZED_H */
