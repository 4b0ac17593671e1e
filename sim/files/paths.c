// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* What is asked about paths and descriptors, without opening anything. */
#include <sys/stat.h>
#include <unistd.h>

#include "../cards/cards.h"
#include "../gaudi_sim.h"
#include "files.h"

/* A directory that the kernel has, too, is the kernel's, but for what is in it. */
static int find(const char *path, bool follow, struct sim_entry **e)
{
	int rc = sim_entry_find(path, follow, e);

	return !rc && sim_entry_is_hosts(*e) ? -EXDEV : rc;
}

int gaudi_sim_stat(const char *path, bool follow, struct stat *st)
{
	SIM_NOT_CANCELLED;
	struct sim_entry *e;
	int rc = find(path, follow, &e);

	if (!rc)
		sim_entry_stat(e, st);
	return rc;
}

int gaudi_sim_fstat(int fd, struct stat *st)
{
	SIM_NOT_CANCELLED;
	struct sim_file *f = sim_file_get(fd);

	if (!f)
		return -EBADF;
	sim_entry_stat(f->entry, st);
	sim_file_put(f);
	return 0;
}

int gaudi_sim_access(const char *path, int want)
{
	SIM_NOT_CANCELLED;
	struct sim_entry *e;

	return find(path, true, &e) ?: sim_entry_access(e, want);
}

int gaudi_sim_list(const char *path, unsigned int n, struct dirent *out)
{
	SIM_NOT_CANCELLED;
	struct sim_entry *dir, *e;
	int rc = sim_entry_find(path, true, &dir);

	if (rc)
		return rc;
	if (!S_ISDIR(dir->mode))
		return -ENOTDIR;
	if (n < 2) {
		*out = (struct dirent) { .d_ino = 1, .d_type = DT_DIR };
		strcpy(out->d_name, n ? ".." : ".");
		return 1;
	}
	e = sim_entry_child(dir, n - 2);
	if (!e)
		return 0;
	*out = (struct dirent) {
		.d_ino = e->number,
		.d_off = n,
		.d_reclen = sizeof(*out),
		.d_type = IFTODT(e->mode),
	};
	scnprintf(out->d_name, sizeof(out->d_name), "%s", e->name);
	return 1;
}

int gaudi_sim_path(int fd, char *buf, size_t size)
{
	SIM_NOT_CANCELLED;
	struct sim_file *f = sim_file_get(fd);

	if (!f)
		return -EBADF;
	sim_entry_path(f->entry, buf, size);
	sim_file_put(f);
	return 0;
}

int gaudi_sim_realpath(const char *path, char *buf, size_t size)
{
	SIM_NOT_CANCELLED;
	struct sim_entry *e;
	int rc = find(path, true, &e);

	if (!rc)
		sim_entry_path(e, buf, size);
	return rc;
}

/* The descriptor that "/proc/self/KIND/N" is about, also with our number, or -1. */
static int fd_of_proc(const char *path, const char *kind)
{
	char fmt[48];
	int fd, used = 0;

	snprintf(fmt, sizeof(fmt), "/proc/self/%s/%%d%%n", kind);
	if (sscanf(path, fmt, &fd, &used) == 1 && !path[used])
		return fd;
	snprintf(fmt, sizeof(fmt), "/proc/%d/%s/%%d%%n", getpid(), kind);
	used = 0;
	return sscanf(path, fmt, &fd, &used) == 1 && !path[used] ? fd : -1;
}

ssize_t gaudi_sim_readlink(const char *path, char *buf, size_t size)
{
	SIM_NOT_CANCELLED;
	int fd = fd_of_proc(path, "fd");
	struct sim_entry *e;
	int rc;

	if (fd >= 0)
		return gaudi_sim_path(fd, buf, size) ? -EXDEV :
						       (ssize_t)strlen(buf);
	rc = find(path, false, &e);
	if (rc)
		return rc;
	if (!S_ISLNK(e->mode))
		return -EINVAL;
	if (strlen(e->text) >= size)
		return -ENAMETOOLONG;
	strcpy(buf, e->text);
	return strlen(buf);
}

/* What DRM says of a file, then what the driver does. */
static void show_info(struct sim_file *f, struct seq_file *s)
{
	struct drm_file *priv = f->file.private_data;
	struct drm_device *drm = priv->minor->dev;

	seq_printf(s, "pos:\t0\nflags:\t0%o\nmnt_id:\t1\nino:\t%lu\n",
		   (unsigned int)f->flags, f->entry->number);
	seq_printf(s, "drm-driver:\t%s\ndrm-client-id:\t%lu\ndrm-pdev:\t%s\n",
		   drm->driver->name, (unsigned long)f->ino, drm->dev->name);
	drm->driver->show_fdinfo((struct drm_printer *)s, priv);
}

int sim_open_fdinfo(const char *path, int flags)
{
	int fd = fd_of_proc(path, "fdinfo"), rc = -EXDEV;
	struct sim_file *f = fd >= 0 ? sim_file_get(fd) : NULL;
	char text[4096];
	struct seq_file s = { .buf = text, .size = sizeof(text) };

	if (!f)
		return rc;
	if (sim_file_is_accel(f) && sim_file_is_here(f)) {
		show_info(f, &s);
		rc = sim_text_file("fdinfo", text, s.count, flags);
	}
	sim_file_put(f);
	return rc;
}
