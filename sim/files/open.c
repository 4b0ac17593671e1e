// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* Opening, reading and writing what is in the tree. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../cards/cards.h"
#include "../cards/snapshot.h"
#include "../fs/numbers.h"
#include "../gaudi_sim.h"
#include "../host/clock.h"
#include "../host/slots.h"
#include "../kernel/base/raw.h"
#include "../kernel/nodes.h"
#include "../watch/record.h"
#include "files.h"

/* Longer texts are no attribute's. */
#define MOST_TEXT	65536

static bool opened_to_write(int flags)
{
	return (flags & O_ACCMODE) != O_RDONLY;
}

/* It is in no list yet; what it has goes with it. */
static int open_driver(struct sim_file *f)
{
	struct sim_entry *e = f->entry;
	int rc = 0;

	if (e->major == ACCEL_MAJOR) {
		rc = sim_card_claim(e->minor);
		f->taken = !rc;
	}
	if (!rc)
		rc = sim_card_boot(e->minor);
	if (!rc)
		rc = e->major == CONTROL_MAJOR ?
		     sim_open_cdev(e->name, &f->file) :
		     sim_snapshot_open(e->minor, &f->file);
	if (rc)
		f->file.f_op = NULL;
	else
		sim_clock_opened(sim_card_chip(e->minor));
	if (f->taken && !rc)
		sim_record_opened(e->minor);
	return rc;
}

static int open_node(struct sim_entry *e, int flags)
{
	struct sim_file *f;
	int rc;

	sim_files_sweep();
	f = sim_file_new(e, flags);
	if (!f)
		return -ENOMEM;
	rc = open_driver(f);
	if (rc) {
		sim_file_put(f);
		return rc;
	}
	return sim_file_publish(f);
}

/* What a program gets to read: as it is now. */
static int refresh(const struct sim_entry *e, int fd)
{
	const char *from = e->text;
	char *text = NULL;
	ssize_t n;

	if (e->ops) {
		n = e->ops->show ? e->ops->show(e, &text) : -EACCES;
		from = text;
	} else {
		n = strlen(from);
	}
	if (n >= 0 && (ftruncate(fd, 0) || raw_pwrite(fd, from, n, 0) != n))
		n = -ENOSPC;
	free(text);
	return n < 0 ? (int)n : 0;
}

static int open_text(struct sim_entry *e, int flags)
{
	int want = opened_to_write(flags) ? W_OK : 0;
	struct sim_file *f;
	int rc, fd;

	if ((flags & O_ACCMODE) != O_WRONLY)
		want |= R_OK;
	rc = sim_entry_access(e, want);
	if (rc)
		return rc;
	/* Nor may the superuser, if nobody does. */
	if ((want & W_OK && !(e->mode & 0222)) ||
	    (want & R_OK && !(e->mode & 0444)))
		return -EACCES;
	sim_files_sweep();
	f = sim_file_new(e, flags);
	if (!f)
		return -ENOMEM;
	fd = sim_file_publish(f);
	if (fd < 0 || opened_to_write(flags))
		return fd;
	/* What reads it without us finds this much. */
	rc = refresh(e, fd);
	if (rc == -EACCES) {
		gaudi_sim_close(fd);
		return rc;
	}
	return fd;
}

/* Directories, and links themselves: for calls that begin there. */
static int open_place(struct sim_entry *e, int flags)
{
	struct sim_file *f;

	if (opened_to_write(flags) && !(flags & O_PATH))
		return -EISDIR;
	if (S_ISLNK(e->mode) && !(flags & O_PATH))
		return -ELOOP;
	sim_files_sweep();
	f = sim_file_new(e, flags);
	return f ? sim_file_publish(f) : -ENOMEM;
}

int gaudi_sim_open(const char *path, int flags)
{
	SIM_NOT_CANCELLED;
	struct sim_entry *e;
	int rc = sim_entry_find(path, !(flags & O_NOFOLLOW), &e);

	if (rc)
		return rc == -EXDEV ? sim_open_fdinfo(path, flags) : rc;
	if (sim_entry_is_hosts(e))
		return -EXDEV;
	if (flags & O_DIRECTORY && !S_ISDIR(e->mode))
		return -ENOTDIR;
	if (flags & O_PATH || S_ISDIR(e->mode) || S_ISLNK(e->mode))
		return open_place(e, flags);
	return S_ISCHR(e->mode) ? open_node(e, flags) : open_text(e, flags);
}

ssize_t gaudi_sim_read(int fd, void *to, size_t size, off_t offset)
{
	SIM_NOT_CANCELLED;
	struct sim_file *f = sim_file_get(fd);
	ssize_t rc = 0;

	if (!f)
		return -EBADF;
	if (S_ISDIR(f->entry->mode))
		rc = -EISDIR;
	else if ((f->flags & O_ACCMODE) == O_WRONLY)
		rc = -EBADF;
	else if (sim_file_is_node(f))
		rc = -EINVAL;
	else if (offset == 0 || (offset < 0 && !raw_lseek(fd, 0, SEEK_CUR)))
		rc = refresh(f->entry, fd);
	if (!rc) {
		rc = offset < 0 ? raw_read(fd, to, size) :
				  raw_pread(fd, to, size, offset);
		if (rc < 0)
			rc = -errno;
	}
	sim_file_put(f);
	return rc;
}

static ssize_t store(const struct sim_entry *e, const void *from, size_t size)
{
	char *text;
	ssize_t n;

	if (!e->ops || !e->ops->store)
		return -EINVAL;
	/* A kernel does not ask the attribute. */
	if (!size)
		return 0;
	if (size >= MOST_TEXT)
		return -EINVAL;
	text = malloc(size + 1);
	if (!text)
		return -ENOMEM;
	if (copy_from_user(text, from, size)) {
		n = -EFAULT;
	} else {
		text[size] = '\0';
		n = e->ops->store(e, text, size);
	}
	free(text);
	return n;
}

ssize_t gaudi_sim_write(int fd, const void *from, size_t size)
{
	SIM_NOT_CANCELLED;
	struct sim_file *f = sim_file_get(fd);
	ssize_t rc;

	if (!f)
		return -EBADF;
	if (!opened_to_write(f->flags))
		rc = -EBADF;
	else if (sim_file_is_node(f))
		rc = -EINVAL;
	else if (!sim_file_is_here(f))
		rc = -ENODEV;
	else
		rc = store(f->entry, from, size);
	sim_file_put(f);
	return rc;
}
