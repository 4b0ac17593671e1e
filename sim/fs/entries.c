// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* The tree: how it grows, and what a path leads to. */
#include <fcntl.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "../cards/cards.h"
#include "grow.h"

#define MOST_LINKS	40

/* Of the tree. Nothing is called with it held. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sim_entry root = {
	.children = { &root.children, &root.children },
	.mode = S_IFDIR | 0755, .merged = true, .name = (char *)"",
};
static uid_t owner;

static void make_tree(void)
{
	owner = geteuid();
	sim_entry_make_host();
}

static pthread_once_t tree_once = PTHREAD_ONCE_INIT;

static void need_tree(void)
{
	pthread_once(&tree_once, make_tree);
}

void sim_entry_start_again(void)
{
	const pthread_once_t never = PTHREAD_ONCE_INIT;

	pthread_mutex_init(&lock, NULL);
	INIT_LIST_HEAD(&root.children);
	tree_once = never;
}

/* --- growing ---------------------------------------------------------------- */

static struct sim_entry *find_child(const struct sim_entry *dir,
				    const char *name, size_t len)
{
	struct sim_entry *e, *found = NULL;

	pthread_mutex_lock(&lock);
	list_for_each_entry(e, &dir->children, node)
		if (!strncmp(e->name, name, len) && !e->name[len]) {
			found = e;
			break;
		}
	pthread_mutex_unlock(&lock);
	return found;
}

/* Not seen by others before it is finished: the caller hangs it in. */
static struct sim_entry *make_entry(struct sim_entry *parent, const char *name,
				    mode_t mode)
{
	static unsigned long numbers;
	struct sim_entry *e = parent ? calloc(1, sizeof(*e)) : NULL;

	if (!e)
		return NULL;
	e->name = strdup(name);
	if (!e->name) {
		free(e);
		return NULL;
	}
	INIT_LIST_HEAD(&e->children);
	e->parent = parent;
	e->mode = mode;
	e->number = 0x6a00000 +
		    __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
	return e;
}

static struct sim_entry *hang_in(struct sim_entry *e)
{
	if (!e)
		return NULL;
	pthread_mutex_lock(&lock);
	list_add_tail(&e->node, &e->parent->children);
	pthread_mutex_unlock(&lock);
	return e;
}

struct sim_entry *sim_entry_add(struct sim_entry *parent, const char *name,
				mode_t mode)
{
	return hang_in(make_entry(parent, name, mode));
}

struct sim_entry *sim_entry_dir(struct sim_entry *parent, const char *name)
{
	struct sim_entry *e = parent ? find_child(parent, name, strlen(name)) :
				       NULL;

	return e ?: sim_entry_add(parent, name, S_IFDIR | 0755);
}

struct sim_entry *sim_entry_printed(struct sim_entry *parent, const char *name,
				    mode_t mode, const char *fmt, ...)
{
	struct sim_entry *e = make_entry(parent, name, mode);
	va_list args;
	int n;

	if (!e)
		return NULL;
	va_start(args, fmt);
	n = vasprintf(&e->text, fmt, args);
	va_end(args);
	if (n < 0) {
		free(e->name);
		free(e);
		return NULL;
	}
	return hang_in(e);
}

struct sim_entry *sim_entry_file(struct sim_entry *parent, const char *name,
				 mode_t mode, const struct sim_entry_ops *ops,
				 void *owner, const void *what, unsigned int arg)
{
	struct sim_entry *e = make_entry(parent, name, S_IFREG | mode);

	if (!e)
		return NULL;
	e->ops = ops;
	e->owner = owner;
	e->what = what;
	e->arg = arg;
	return hang_in(e);
}

struct sim_entry *sim_entry_merged(const char *path)
{
	struct sim_entry *e = &root;
	char name[64];

	while (e && *path) {
		size_t n = strcspn(++path, "/");

		scnprintf(name, sizeof(name), "%.*s", (int)n, path);
		e = sim_entry_dir(e, name);
		if (e)
			WRITE_ONCE(e->merged, true);
		path += n;
	}
	return e;
}

/* --- finding ----------------------------------------------------------------- */

/* What the driver has for a card is there once it has booted. */
static void boot_for(const struct sim_entry *dir)
{
	unsigned int n;

	if (dir->card != ALL_CARDS)
		sim_card_boot(dir->card - 1);
	else
		for (n = 0; n < sim_wanted_cards(); n++)
			sim_card_boot(n);
}

static struct sim_entry *find_in(struct sim_entry *dir, const char *name,
				 size_t len)
{
	struct sim_entry *e = find_child(dir, name, len);

	if (e || !dir->card)
		return e;
	boot_for(dir);
	return find_child(dir, name, len);
}

/* Behind links; the whole is on the stack of whoever opens a file, which may be a small one. */
#define MOST_PATH	1024

struct walk {
	struct sim_entry *at;
	const char *rest;	/* of what is to be walked; behind a link, in one of the two */
	char bufs[2][MOST_PATH];
	unsigned int links;
};

/* The rest of the way is the link's target, then what was behind the link. */
static int follow_link(struct walk *w, const struct sim_entry *link)
{
	char *to = w->rest >= w->bufs[1] && w->rest < w->bufs[1] + MOST_PATH ?
		   w->bufs[0] : w->bufs[1];

	if (++w->links > MOST_LINKS)
		return -ELOOP;
	if (snprintf(to, MOST_PATH, "%s/%s", link->text, w->rest) >= MOST_PATH)
		return -ENAMETOOLONG;
	if (*to == '/')
		w->at = &root;
	w->rest = to;
	return 0;
}

/* One name of the path. */
static int step(struct walk *w, bool follow)
{
	const char *name = w->rest;
	size_t len = strcspn(name, "/");
	struct sim_entry *e;

	w->rest += len;
	w->rest += strspn(w->rest, "/");
	if (!S_ISDIR(w->at->mode))
		return -ENOTDIR;
	if (len == 1 && *name == '.')
		return 0;
	if (len == 2 && name[0] == '.' && name[1] == '.') {
		w->at = w->at->parent ?: &root;
		return 0;
	}
	e = find_in(w->at, name, len);
	if (!e)
		return READ_ONCE(w->at->merged) ? -EXDEV : -ENOENT;
	if (S_ISLNK(e->mode) && (*w->rest || name[len] || follow))
		return follow_link(w, e);
	w->at = e;
	return 0;
}

int sim_entry_find(const char *path, bool follow, struct sim_entry **entry)
{
	struct walk w = { .at = &root };
	int rc = 0;

	if (*path != '/')
		return -EXDEV;
	need_tree();
	if (strnlen(path, PATH_MAX) == PATH_MAX)
		return -ENAMETOOLONG;
	w.rest = path + strspn(path, "/");
	while (*w.rest && !rc)
		rc = step(&w, follow);
	*entry = w.at;
	return rc;
}

char *sim_entry_path(const struct sim_entry *e, char *buf, size_t size)
{
	size_t at = size - 1;

	buf[at] = '\0';
	for (; e->parent; e = e->parent) {
		size_t n = strlen(e->name);

		if (n + 1 > at)
			break;
		at -= n;
		memcpy(buf + at, e->name, n);
		buf[--at] = '/';
	}
	return memmove(buf, buf + at, size - at);
}

struct sim_entry *sim_entry_child(struct sim_entry *dir, unsigned int n)
{
	struct sim_entry *e, *found = NULL;

	if (dir->card)
		boot_for(dir);
	pthread_mutex_lock(&lock);
	list_for_each_entry(e, &dir->children, node)
		if (!n--) {
			found = e;
			break;
		}
	pthread_mutex_unlock(&lock);
	return found;
}

void sim_entry_stat(const struct sim_entry *e, struct stat *st)
{
	*st = (struct stat) {
		.st_dev = makedev(0, 0x6a),
		.st_ino = e->number,
		.st_mode = e->mode,
		.st_nlink = S_ISDIR(e->mode) ? 2 : 1,
		.st_uid = owner,
		.st_rdev = S_ISCHR(e->mode) ? makedev(e->major, e->minor) : 0,
		.st_blksize = PAGE_SIZE,
		.st_size = S_ISREG(e->mode) ? PAGE_SIZE :
			   S_ISLNK(e->mode) ? strlen(e->text) : 0,
	};
}

/* Not by the C library's function, which may be the one that asks us. */
bool sim_entry_host_has(const char *path)
{
	return !syscall(SYS_faccessat, AT_FDCWD, path, F_OK);
}

bool sim_entry_is_hosts(const struct sim_entry *e)
{
	char path[PATH_MAX];

	if (!READ_ONCE(e->merged))
		return false;
	return sim_entry_host_has(*sim_entry_path(e, path, sizeof(path)) ?
				  path : "/");
}

int sim_entry_access(const struct sim_entry *e, int want)
{
	unsigned int shift = geteuid() == owner ? 6 : 0;

	/* The superuser may all, but execute nothing. */
	if (!geteuid())
		return want & X_OK && S_ISREG(e->mode) ? -EACCES : 0;
	return (e->mode >> shift & want) == (unsigned int)want ? 0 : -EACCES;
}
