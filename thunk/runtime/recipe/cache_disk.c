// SPDX-License-Identifier: MIT
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/array.h"
#include "cache_disk.h"
#include "../base/base.h"

#pragma weak gd_build_id

#define SUFFIX		".recipe"
#define TEMP		"new.tmp"	/* only who has the lock has one */
#define LOCK		"lock"
#define NAME_LEN	(16 + sizeof(SUFFIX))

struct file {
	char name[NAME_LEN];
	uint64_t size;
	struct timespec used;
};

/* The key of a file, and its name. */
struct file_key {
	uint8_t bytes[RECIPE_MAX_BUILD + RECIPE_MAX_KEY];
	size_t size;
	char name[NAME_LEN];
};

static void make_key(const struct cache_key *key, struct file_key *f)
{
	const char *build = gd_build_id ? gd_build_id() : "";

	f->size = strnlen(build, RECIPE_MAX_BUILD);
	memcpy(f->bytes, build, f->size);
	memcpy(f->bytes + f->size, key->bytes, key->size);
	f->size += key->size;
	snprintf(f->name, NAME_LEN, "%016" PRIx64 SUFFIX,
		 gd_hash(f->bytes, f->size));
}

static bool is_ours(const char *name)
{
	return strlen(name) == NAME_LEN - 1 &&
	       strspn(name, "0123456789abcdef") == 16 &&
	       !strcmp(name + 16, SUFFIX);
}

/* The lock, until the descriptor is closed. */
static int take_lock(const struct cache_disk *disk)
{
	int fd = openat(disk->dir, LOCK,
			O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	int rc;

	if (fd < 0)
		return -errno;
	do {
		rc = flock(fd, LOCK_EX);
	} while (rc && errno == EINTR);
	if (rc) {
		rc = -errno;
		close(fd);
		return rc;
	}

	return fd;
}

static int make_folders(const char *path)
{
	char *copy = strdup(path), *slash;
	int rc = 0;

	if (!copy)
		return -ENOMEM;
	for (slash = copy + 1; !rc && (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		if (mkdir(copy, 0755) && errno != EEXIST)
			rc = -errno;
		*slash = '/';
	}
	if (!rc && mkdir(path, 0700) && errno != EEXIST)
		rc = -errno;
	free(copy);

	return rc;
}

/* All files of ours; *@files is the caller's to free. */
static int list(const struct cache_disk *disk, struct file **files, size_t *num)
{
	size_t room = 0;
	struct dirent *entry;
	struct stat st;
	DIR *dir;
	int fd, rc = 0;

	*files = NULL;
	*num = 0;
	fd = openat(disk->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		rc = -errno;
		if (fd >= 0)
			close(fd);
		return rc;
	}
	while ((entry = readdir(dir))) {
		/* A folder of that name is somebody else's, and in nobody's way. */
		if (!is_ours(entry->d_name) ||
		    fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) ||
		    S_ISDIR(st.st_mode))
			continue;
		if (*num == room) {
			struct file *new;

			room = room ? room * 2 : 64;
			new = reallocarray(*files, room, sizeof(*new));
			if (!new) {
				rc = -ENOMEM;
				break;
			}
			*files = new;
		}
		memcpy((*files)[*num].name, entry->d_name, NAME_LEN);
		(*files)[*num].size = (uint64_t)st.st_size;
		(*files)[(*num)++].used = st.st_mtim;
	}
	closedir(dir);

	return rc;
}

static int clear_all(const struct cache_disk *disk)
{
	struct file *files;
	int lock, rc;
	size_t i, num;

	lock = take_lock(disk);
	if (lock < 0)
		return lock;
	rc = list(disk, &files, &num);
	for (i = 0; i < num; i++)
		if (unlinkat(disk->dir, files[i].name, 0) && errno != ENOENT)
			rc = -errno;
	free(files);
	close(lock);

	return rc;
}

int cache_disk_open(const char *path, bool clear, uint64_t limit,
		    struct cache_disk *disk)
{
	int rc = make_folders(path);

	if (!rc) {
		disk->limit = limit;
		disk->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		rc = disk->dir < 0 ? -errno : 0;
	}
	if (!rc && clear) {
		rc = clear_all(disk);
		if (rc)
			cache_disk_close(disk);
	}

	return rc ? gd_fail(rc, "recipe cache '%s': %s", path, strerror(-rc)) :
		    0;
}

void cache_disk_close(struct cache_disk *disk)
{
	if (disk->dir >= 0)
		close(disk->dir);
	disk->dir = -1;
}

/* Remove the file that @fd is, if it still has this name. */
static void drop(const struct cache_disk *disk, const char *name, int fd)
{
	int lock = take_lock(disk);
	struct stat now, then;

	if (lock < 0)
		return;
	if (!fstat(fd, &then) &&
	    !fstatat(disk->dir, name, &now, AT_SYMLINK_NOFOLLOW) &&
	    now.st_ino == then.st_ino && now.st_dev == then.st_dev)
		unlinkat(disk->dir, name, 0);
	close(lock);
}

int cache_disk_read(const struct cache_disk *disk, const struct cache_key *key,
		    struct gaudi_recipe **recipe, uint64_t *damaged)
{
	struct gaudi_recipe *r = NULL;
	struct file_key f;
	void *data = NULL;
	size_t size;
	int fd, rc;

	make_key(key, &f);
	fd = openat(disk->dir, f.name,
		    O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return -ENOENT;
	rc = recipe_read_file(fd, f.name, &data, &size);
	if (!rc) {
		rc = recipe_parse(data, size, &r);
		free(data);
	}
	if (rc && rc != -ENOMEM) {
		drop(disk, f.name, fd);
		++*damaged;
		rc = -ENOENT;
	}
	if (!rc && (r->key_size != f.size ||
		    memcmp(r->key, f.bytes, f.size))) {
		gaudi_recipe_release(r);
		rc = -ENOENT;
	}
	if (!rc) {
		/* Lately used; if it cannot be noted, it goes earlier. */
		(void)!futimens(fd, NULL);
		*recipe = r;
	}
	close(fd);

	return rc;
}

static int oldest_first(const void *a, const void *b)
{
	const struct file *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	if (x->used.tv_nsec != y->used.tv_nsec)
		return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;

	return strcmp(x->name, y->name);
}

/* Make room for @size bytes under the name @keep. */
static int evict(const struct cache_disk *disk, const char *keep, uint64_t size,
		 uint64_t *evicted)
{
	struct file *files;
	uint64_t total = size;
	size_t i, num;
	int rc;

	rc = list(disk, &files, &num);
	for (i = 0; i < num; i++)
		if (strcmp(files[i].name, keep))
			total += files[i].size;
	if (num)
		qsort(files, num, sizeof(*files), oldest_first);
	for (i = 0; !rc && i < num && total > disk->limit; i++) {
		if (!strcmp(files[i].name, keep))
			continue;
		if (unlinkat(disk->dir, files[i].name, 0) && errno != ENOENT) {
			rc = -errno;
			break;
		}
		total -= files[i].size;
		++*evicted;
	}
	free(files);

	return rc;
}

static int write_file(const struct cache_disk *disk, const char *name,
		      const void *data, size_t size)
{
	int fd, rc;

	/* What a process that died left behind. */
	if (unlinkat(disk->dir, TEMP, 0) && errno != ENOENT)
		return -errno;
	fd = openat(disk->dir, TEMP,
		    O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return -errno;
	rc = recipe_write_all(fd, data, size);
	if (close(fd) && !rc)
		rc = -errno;
	if (!rc && renameat(disk->dir, TEMP, disk->dir, name))
		rc = -errno;
	if (rc)
		unlinkat(disk->dir, TEMP, 0);

	return rc;
}

int cache_disk_write(const struct cache_disk *disk, const struct cache_key *key,
		     struct gaudi_recipe *recipe, uint64_t *evicted)
{
	struct file_key f;
	size_t size = 0;
	void *data;
	int lock, rc;

	make_key(key, &f);
	rc = recipe_write(recipe, f.bytes, f.size, &data, &size);
	if (rc)
		return rc;
	lock = disk->limit && size > disk->limit ? -EFBIG : take_lock(disk);
	if (lock < 0) {
		free(data);
		return lock;
	}
	if (disk->limit)
		rc = evict(disk, f.name, size, evicted);
	if (!rc)
		rc = write_file(disk, f.name, data, size);
	close(lock);
	free(data);

	return rc;
}
