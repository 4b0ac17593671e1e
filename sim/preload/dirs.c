// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Directories, and what looks for names in them. One of the kernel's in which cards have
 * something, too, has the kernel's names first.
 */
#include <glob.h>
#include <pthread.h>

#include "preload.h"

struct card_dir {
	struct card_dir *next;
	DIR *real;		/* NULL: it is the cards' alone */
	int fd;
	unsigned int n;		/* of ours: what comes next */
	char path[PATH_MAX];
	struct dirent entry;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct card_dir *dirs;

/* NULL: a directory of the C library's. */
static struct card_dir *ours(DIR *dir)
{
	struct card_dir *d;

	if (!__atomic_load_n(&dirs, __ATOMIC_ACQUIRE))
		return NULL;
	pthread_mutex_lock(&lock);
	for (d = dirs; d && (DIR *)d != dir; d = d->next)
		;
	pthread_mutex_unlock(&lock);
	return d;
}

static DIR *add_dir(const char *path, int fd, DIR *real)
{
	struct card_dir *d = calloc(1, sizeof(*d));

	if (!d) {
		if (real)
			NEXT(closedir)(real);
		else
			close(fd);
		errno = ENOMEM;
		return NULL;
	}
	snprintf(d->path, sizeof(d->path), "%s", path);
	d->fd = fd;
	d->real = real;
	/* The kernel's has its own. */
	d->n = real ? 2 : 0;
	pthread_mutex_lock(&lock);
	d->next = dirs;
	__atomic_store_n(&dirs, d, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&lock);
	return (DIR *)d;
}

/* Whether cards have anything in a directory of the kernel's. */
static bool has_cards(const char *path)
{
	struct dirent entry;

	return ASK(gaudi_sim_list(path, 2, &entry)) > 0;
}

EXPORT DIR *opendir(const char *path)
{
	char buf[PATH_MAX];
	const char *at = card_path(AT_FDCWD, path, buf);
	long fd;
	DIR *real;

	if (!at)
		return NEXT(opendir)(path);
	fd = ASK(gaudi_sim_open(at, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	if (fd != -EXDEV)
		return answer(fd) < 0 ? NULL : add_dir(at, (int)fd, NULL);
	real = NEXT(opendir)(path);
	return real && has_cards(at) ? add_dir(at, -1, real) : real;
}

EXPORT DIR *fdopendir(int fd)
{
	char path[PATH_MAX];
	DIR *real;

	if (is_card(fd)) {
		ASK(gaudi_sim_path(fd, path, sizeof(path)));
		return add_dir(path, fd, NULL);
	}
	real = NEXT(fdopendir)(fd);
	if (!real || !card_path(fd, "", path))
		return real;
	/* Without the slash of the empty name. */
	path[strlen(path) - 1] = '\0';
	return has_cards(path) ? add_dir(path, -1, real) : real;
}

/* Not what the kernel has said before. */
static struct dirent *next_of_ours(struct card_dir *d)
{
	struct stat st;

	while (ASK(gaudi_sim_list(d->path, d->n, &d->entry)) > 0) {
		d->n++;
		if (!d->real ||
		    NEXT(fstatat)(NEXT(dirfd)(d->real), d->entry.d_name, &st,
				  AT_SYMLINK_NOFOLLOW))
			return &d->entry;
	}
	return NULL;
}

EXPORT struct dirent *readdir(DIR *dir)
{
	struct card_dir *d = ours(dir);
	struct dirent *e;

	if (!d)
		return NEXT(readdir)(dir);
	e = d->real ? NEXT(readdir)(d->real) : NULL;
	return e ?: next_of_ours(d);
}

EXPORT struct dirent64 *readdir64(DIR *dir)
{
	return (struct dirent64 *)readdir(dir);
}

EXPORT int closedir(DIR *dir)
{
	struct card_dir *d = ours(dir), **link;
	int rc;

	if (!d)
		return NEXT(closedir)(dir);
	pthread_mutex_lock(&lock);
	for (link = &dirs; *link != d; link = &(*link)->next)
		;
	__atomic_store_n(link, d->next, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&lock);
	rc = d->real ? NEXT(closedir)(d->real) : close(d->fd);
	free(d);
	return rc;
}

EXPORT int dirfd(DIR *dir)
{
	struct card_dir *d = ours(dir);

	if (!d)
		return NEXT(dirfd)(dir);
	return d->real ? NEXT(dirfd)(d->real) : d->fd;
}

EXPORT void rewinddir(DIR *dir)
{
	struct card_dir *d = ours(dir);

	if (!d || d->real)
		NEXT(rewinddir)(d ? d->real : dir);
	if (d)
		d->n = d->real ? 2 : 0;
}

/* Of a mixed one the position is the kernel's. */
EXPORT long telldir(DIR *dir)
{
	struct card_dir *d = ours(dir);

	if (!d || d->real)
		return NEXT(telldir)(d ? d->real : dir);
	return d->n;
}

EXPORT void seekdir(DIR *dir, long at)
{
	struct card_dir *d = ours(dir);

	if (!d || d->real)
		NEXT(seekdir)(d ? d->real : dir, at);
	else
		d->n = (unsigned int)at;
}

/* --- scandir(), glob() ------------------------------------------------------------- */

typedef int select_fn(const struct dirent *entry);
typedef int order_fn(const struct dirent **a, const struct dirent **b);

static struct dirent *copy_entry(const struct dirent *e)
{
	struct dirent *copy = calloc(1, sizeof(*copy));

	if (copy) {
		copy->d_ino = e->d_ino;
		copy->d_type = e->d_type;
		copy->d_reclen = sizeof(*copy);
		snprintf(copy->d_name, sizeof(copy->d_name), "%s", e->d_name);
	}
	return copy;
}

static int collect(DIR *dir, struct dirent ***list, select_fn *select)
{
	struct dirent *e, **more;
	int n = 0;

	while ((e = readdir(dir))) {
		if (select && !select(e))
			continue;
		more = reallocarray(*list, n + 1, sizeof(*more));
		if (!more)
			break;
		*list = more;
		more[n] = copy_entry(e);
		if (!more[n])
			break;
		n++;
	}
	if (!e)
		return n;
	while (n)
		free((*list)[--n]);
	free(*list);
	errno = ENOMEM;
	return -1;
}

EXPORT int scandir(const char *path, struct dirent ***list, select_fn *select,
		   order_fn *order)
{
	char buf[PATH_MAX];
	DIR *dir;
	int n;

	if (!card_path(AT_FDCWD, path, buf))
		return NEXT(scandir)(path, list, select, order);
	dir = opendir(path);
	if (!dir)
		return -1;
	*list = NULL;
	n = collect(dir, list, select);
	closedir(dir);
	if (n > 1 && order)
		qsort(*list, n, sizeof(**list),
		      (int (*)(const void *, const void *))order);
	return n;
}

EXPORT int scandir64(const char *path, struct dirent64 ***list,
		     int (*select)(const struct dirent64 *),
		     int (*order)(const struct dirent64 **,
				  const struct dirent64 **))
{
	return scandir(path, (struct dirent ***)list, (select_fn *)select,
		       (order_fn *)order);
}

/* The C library's, with our functions for directories. */
EXPORT int glob(const char *pattern, int flags,
		int (*error)(const char *path, int err), glob_t *out)
{
	char buf[PATH_MAX];

	if (flags & GLOB_ALTDIRFUNC || !card_path(AT_FDCWD, pattern, buf))
		return NEXT(glob)(pattern, flags, error, out);
	out->gl_opendir = (void *)opendir;
	out->gl_readdir = (void *)readdir;
	out->gl_closedir = (void *)closedir;
	out->gl_stat = (void *)stat;
	out->gl_lstat = (void *)lstat;
	return NEXT(glob)(pattern, flags | GLOB_ALTDIRFUNC, error, out);
}

EXPORT int glob64(const char *pattern, int flags,
		  int (*error)(const char *path, int err), glob64_t *out)
{
	return glob(pattern, flags, error, (glob_t *)out);
}
