// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* Open files and their descriptors; see files.h. */
#include <asm/ioctls.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../cards/cards.h"
#include "../fs/numbers.h"
#include "../gaudi_sim.h"
#include "../host/clock.h"
#include "../host/slots.h"
#include "../kernel/base/raw.h"
#include "files.h"

/* Numbers that programs do not count on. */
#define KEPT_FROM	200

/* Of the list. The driver is not called with it held. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static LIST_HEAD(files);
/* Whose memory this is. A child of vfork() has another number, and the same memory. */
static pid_t home;

/* A child of fork() finds the list whole, and can ask whose a descriptor is. */
static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

static void in_child(void)
{
	home = getpid();
	pthread_mutex_unlock(&lock);
}

static void __attribute__((constructor)) set_up(void)
{
	home = getpid();
	pthread_atfork(before_fork, after_fork, in_child);
}

struct list_head sim_files_detach(void)
{
	return files;
}

void sim_files_inherit(struct list_head list)
{
	struct sim_file *f;

	pthread_mutex_init(&lock, NULL);
	home = getpid();
	files = list;
	list_for_each_entry(f, &files, node) {
		f->inherited = true;
		f->private = false;
	}
}

bool sim_file_is_here(const struct sim_file *f)
{
	return !f->inherited && sim_cards_are_here();
}

bool sim_file_is_node(const struct sim_file *f)
{
	return S_ISCHR(f->entry->mode);
}

bool sim_file_is_accel(const struct sim_file *f)
{
	return sim_file_is_node(f) && f->entry->major == ACCEL_MAJOR;
}

/*
 * What a stream of the C library has written went past us, into the memory file: an
 * attribute takes it when its last descriptor has gone.
 */
static void take_written(const struct sim_file *f)
{
	const struct sim_entry *e = f->entry;
	char text[4096];
	ssize_t n = raw_pread(f->kept, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return;
	text[n] = '\0';
	if (e->ops->store(e, text, n) < 0)
		sim_log(NULL, SIM_WARN, "%s does not take '%s'\n", e->name,
			text);
}

/* The cards of a child's parent are not here to be closed. */
static void file_release(struct kref *refs)
{
	struct sim_file *f = container_of(refs, struct sim_file, refs);

	if (f->file.f_op && f->file.f_op->release && sim_file_is_here(f))
		f->file.f_op->release(NULL, &f->file);
	if (f->taken && sim_file_is_here(f))
		sim_card_release(f->entry->minor);
	if (f->kept >= 0) {
		if (sim_file_is_here(f))
			take_written(f);
		raw_close(f->kept);
	}
	free(f);
}

void sim_file_put(struct sim_file *f)
{
	kref_put(&f->refs, file_release);
}

/* --- descriptors ------------------------------------------------------------- */

static bool is_fd_of(const struct sim_file *f, int fd)
{
	struct stat st;

	return !raw_fstat(fd, &st) && st.st_dev == f->dev &&
	       st.st_ino == f->ino;
}

/* As the kernel lists them. */
struct listed {
	u64 ino, off;
	unsigned short len;
	unsigned char type;
	char name[];
};

int sim_find_fd(bool (*wanted)(int fd, const void *arg), const void *arg)
{
	int dir = syscall(SYS_openat, AT_FDCWD, "/proc/self/fd",
			  O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char buf[4096] __attribute__((aligned(8)));
	int found = -1, fd;
	long n, at;

	if (dir < 0)
		return -1;
	while (found < 0 &&
	       (n = syscall(SYS_getdents64, dir, buf, sizeof(buf))) > 0)
		for (at = 0; at < n; at += ((struct listed *)(buf + at))->len) {
			const char *name = ((struct listed *)(buf + at))->name;

			fd = isdigit((unsigned char)*name) ? atoi(name) : dir;
			if (fd != dir && wanted(fd, arg)) {
				found = fd;
				break;
			}
		}
	syscall(SYS_close, dir);
	return found;
}

static bool is_program_s(int fd, const void *f)
{
	return fd != ((const struct sim_file *)f)->kept && is_fd_of(f, fd);
}

/* False: its descriptors have all been closed. The lock is held. */
static bool still_open(struct sim_file *f)
{
	if (!is_fd_of(f, f->fd)) {
		f->private = false;
		f->fd = sim_find_fd(is_program_s, f);
	}
	return f->fd >= 0;
}

/* The lock is held. */
static struct sim_file *find_private(int fd)
{
	struct sim_file *f;

	list_for_each_entry(f, &files, node)
		if (f->private && f->fd == fd)
			return f;
	return NULL;
}

/* The same; whatever has become of the descriptor meanwhile. */
static struct sim_file *find_by_inode(int fd)
{
	struct sim_file *f;
	struct stat st;

	if (list_empty(&files) || raw_fstat(fd, &st))
		return NULL;
	list_for_each_entry(f, &files, node)
		if (st.st_ino == f->ino && st.st_dev == f->dev)
			return f;
	return NULL;
}

struct sim_file *sim_file_get(int fd)
{
	struct sim_file *f;

	pthread_mutex_lock(&lock);
	f = find_private(fd) ?: find_by_inode(fd);
	if (f)
		kref_get(&f->refs);
	pthread_mutex_unlock(&lock);
	return f;
}

void sim_files_sweep(void)
{
	struct sim_file *f, *next;
	LIST_HEAD(gone);

	if (getpid() != home)
		return;
	pthread_mutex_lock(&lock);
	list_for_each_entry_safe(f, next, &files, node)
		if (!still_open(f))
			list_move(&f->node, &gone);
	pthread_mutex_unlock(&lock);
	list_for_each_entry_safe(f, next, &gone, node)
		sim_file_put(f);
}

static int memory_file(const char *name, int flags)
{
	int fd = memfd_create(name, MFD_ALLOW_SEALING |
			      (flags & O_CLOEXEC ? MFD_CLOEXEC : 0));

	return fd < 0 ? -errno : fd;
}

int sim_text_file(const char *name, const char *text, size_t size, int flags)
{
	int fd = memory_file(name, flags);

	if (fd >= 0 && (raw_pwrite(fd, text, size, 0) != (ssize_t)size)) {
		raw_close(fd);
		return -ENOSPC;
	}
	return fd;
}

struct sim_file *sim_file_new(struct sim_entry *entry, int flags)
{
	struct sim_file *f = calloc(1, sizeof(*f));

	if (f) {
		f->entry = entry;
		f->flags = flags;
		f->kept = -1;
		kref_init(&f->refs);
	}
	return f;
}

int sim_file_publish(struct sim_file *f)
{
	struct sim_file *closed;
	struct stat st;
	int fd = memory_file(f->entry->name, f->flags);

	if (fd < 0) {
		sim_file_put(f);
		return fd;
	}
	raw_fstat(fd, &st);
	/* Who maps a command buffer past us has an error, and no empty file. */
	if (sim_file_is_node(f))
		fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE);
	if ((f->flags & O_ACCMODE) == O_WRONLY && f->entry->ops &&
	    f->entry->ops->store)
		f->kept = fcntl(fd, F_DUPFD_CLOEXEC, KEPT_FROM);
	f->fd = fd;
	f->dev = st.st_dev;
	f->ino = st.st_ino;
	pthread_mutex_lock(&lock);
	/* Who had the number has not kept what it said. */
	closed = find_private(fd);
	if (closed)
		closed->private = false;
	list_add(&f->node, &files);
	pthread_mutex_unlock(&lock);
	return fd;
}

/* --- calls ------------------------------------------------------------------- */

bool gaudi_sim_owns(int fd)
{
	SIM_NOT_CANCELLED;
	struct sim_file *f = sim_file_get(fd);

	if (!f)
		return false;
	sim_file_put(f);
	return true;
}

int gaudi_sim_devnum(int fd, unsigned int *major, unsigned int *minor)
{
	SIM_NOT_CANCELLED;
	struct sim_file *f = sim_file_get(fd);

	if (!f)
		return -EBADF;
	*major = f->entry->major;
	*minor = f->entry->minor;
	sim_file_put(f);
	return 0;
}

void gaudi_sim_private(int fd)
{
	SIM_NOT_CANCELLED;
	struct sim_file *f;

	pthread_mutex_lock(&lock);
	f = find_by_inode(fd);
	if (f && getpid() == home) {
		f->fd = fd;
		f->private = true;
	}
	pthread_mutex_unlock(&lock);
}

int gaudi_sim_close(int fd)
{
	SIM_NOT_CANCELLED;
	struct sim_file *f = sim_file_get(fd);
	bool last = false;
	int rc;

	if (!f)
		return -EBADF;
	pthread_mutex_lock(&lock);
	/* Another thread may close it, too. */
	rc = is_fd_of(f, fd) ? raw_close(fd) : -1;
	if (f->fd == fd)
		f->private = false;
	if (!rc && getpid() == home && f->node.next && !still_open(f)) {
		list_del(&f->node);
		last = true;
	}
	pthread_mutex_unlock(&lock);
	if (last)
		sim_file_put(f);
	sim_file_put(f);
	return rc ? -EBADF : 0;
}

void gaudi_sim_closed(void)
{
	SIM_NOT_CANCELLED;
	sim_files_sweep();
}

/* What a kernel does itself, whatever the file is. */
static bool is_for_any_file(unsigned long request)
{
	return request == FIOCLEX || request == FIONCLEX || request == FIONBIO;
}

int gaudi_sim_ioctl(int fd, unsigned long request, void *arg)
{
	SIM_NOT_CANCELLED;
	struct sim_file *f;
	int rc;

	if (is_for_any_file(request))
		return -EXDEV;
	f = sim_file_get(fd);
	if (!f)
		return -EXDEV;
	if (!sim_file_is_node(f))
		rc = -ENOTTY;
	else if (!sim_file_is_here(f))
		rc = -ENODEV;
	else if (!f->file.f_op || !f->file.f_op->unlocked_ioctl)
		rc = -EBADF;	/* opened with O_PATH */
	else {
		sim_clock_calls();
		rc = (int)f->file.f_op->unlocked_ioctl(&f->file, request,
						       (unsigned long)arg);
	}
	if (!rc && sim_file_is_accel(f))
		sim_clock_called(sim_card_chip(f->entry->minor), request, arg);
	sim_file_put(f);
	return rc == -ERESTARTSYS ? -EINTR : rc;
}
