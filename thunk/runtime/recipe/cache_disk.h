/* SPDX-License-Identifier: MIT */
/*
 * A folder of recipe files, shared by processes. The key of a file is that of the
 * library's build, which the recipe's kernels are from, and that of the recipe. Files are
 * named by its hash, and have it in a section of their own; other files are left alone. Who adds or removes files has the lock (flock() on the file
 * "lock"); readers need none, since files appear whole and never change.
 */
#ifndef GAUDI_RUNTIME_CACHE_DISK_H
#define GAUDI_RUNTIME_CACHE_DISK_H

#include "recipe.h"

struct cache_disk {
	int dir;
	uint64_t limit;		/* bytes; 0: none */
};

struct cache_key {
	const void *bytes;
	size_t size;
	uint64_t hash;
};

/* @path is made if need be. */
int cache_disk_open(const char *path, bool clear, uint64_t limit,
		    struct cache_disk *disk);
void cache_disk_close(struct cache_disk *disk);
/*
 * -ENOENT: not there. A file that is no recipe is removed, which adds one to
 * *@damaged and counts as not there.
 */
int cache_disk_read(const struct cache_disk *disk, const struct cache_key *key,
		    struct gaudi_recipe **recipe, uint64_t *damaged);
/* *@evicted: files removed to keep the limit. */
int cache_disk_write(const struct cache_disk *disk, const struct cache_key *key,
		     struct gaudi_recipe *recipe, uint64_t *evicted);

#endif /* GAUDI_RUNTIME_CACHE_DISK_H */
