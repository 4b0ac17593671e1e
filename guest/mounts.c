// SPDX-License-Identifier: MIT
/*
 * The guest's file system: the host's own, read-only over 9p, below an overlay
 * in memory that takes every change and goes with the machine; and on top of it
 * the folders that the user shares for writing, at their real paths.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init.h"

#define ROOT	"/newroot"

static void must_mount(const char *what, const char *where, const char *type,
		       unsigned long flags, const char *options)
{
	if (mount(what, where, type, flags, options))
		fail("cannot mount %s (%s) on %s: %s", what, type, where,
		     strerror(errno));
}

static void make_path(const char *path)
{
	char *copy = strdup(path), *p;

	if (!copy)
		abort();
	for (p = copy + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		mkdir(copy, 0755);
		*p = '/';
	}
	mkdir(copy, 0755);
	free(copy);
}

/* The tag and the path of a share are separated by a blank. */
static void mount_share(const char *share)
{
	const char *path = strchr(share, ' ');
	char tag[32], where[4096];

	if (!path)
		fail("bad share '%s'", share);
	snprintf(tag, sizeof(tag), "%.*s", (int)(path - share), share);
	snprintf(where, sizeof(where), ROOT "%s", path + 1);
	make_path(where);
	must_mount(tag, where, "9p", 0,
		   "trans=virtio,version=9p2000.L,msize=512000,cache=mmap");
}

/* Make a folder of the host appear at another place: SOURCE TARGET. */
static void bind_folder(const char *bind)
{
	const char *target = strrchr(bind, ' ');
	char from[4096], to[4096];

	if (!target)
		fail("bad bind '%s'", bind);
	snprintf(from, sizeof(from), ROOT "%.*s", (int)(target - bind), bind);
	snprintf(to, sizeof(to), ROOT "%s", target + 1);
	make_path(to);
	must_mount(from, to, "none", MS_BIND, NULL);
}

/* A module of ours is known to modprobe by this, see modprobe.d(5). */
static void write_modprobe_conf(void)
{
	const char *name;
	unsigned int i;
	FILE *f;

	make_path(ROOT "/run/modprobe.d");
	f = fopen(ROOT "/run/modprobe.d/gaudi-vm.conf", "w");
	if (!f)
		return;
	for (i = 0; (name = config("keep", i)); i++)
		fprintf(f, "install %s insmod /run/gaudi-vm/%s.ko $CMDLINE_OPTS\n",
			name, name);
	fclose(f);
}

static void mount_kernel_file_systems(void)
{
	must_mount("/proc", ROOT "/proc", "none", MS_MOVE, NULL);
	must_mount("/sys", ROOT "/sys", "none", MS_MOVE, NULL);
	must_mount("/dev", ROOT "/dev", "none", MS_MOVE, NULL);
	mkdir(ROOT "/dev/pts", 0755);
	must_mount("devpts", ROOT "/dev/pts", "devpts", 0,
		   "mode=0620,ptmxmode=0666");
	mkdir(ROOT "/dev/shm", 01777);
	must_mount("tmpfs", ROOT "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV,
		   "mode=1777");
	must_mount("tmpfs", ROOT "/run", "tmpfs", MS_NOSUID | MS_NODEV,
		   "mode=0755");
	must_mount("debugfs", ROOT "/sys/kernel/debug", "debugfs", 0, NULL);
	must_mount("tracefs", ROOT "/sys/kernel/tracing", "tracefs", 0, NULL);
	mkdir(ROOT "/run/gaudi-vm", 0755);
	mkdir(ROOT "/run/lock", 01777);
	if (symlink("/proc/self/fd", ROOT "/dev/fd") ||
	    symlink("/proc/self/fd/0", ROOT "/dev/stdin") ||
	    symlink("/proc/self/fd/1", ROOT "/dev/stdout") ||
	    symlink("/proc/self/fd/2", ROOT "/dev/stderr"))
		say("no links in /dev: %s", strerror(errno));
}

void enter_host_root(void)
{
	const char *value;
	unsigned int i;

	mkdir("/lower", 0755);
	mkdir("/rw", 0755);
	mkdir(ROOT, 0755);
	must_mount("root", "/lower", "9p", MS_RDONLY,
		   "trans=virtio,version=9p2000.L,msize=512000,cache=loose");
	must_mount("tmpfs", "/rw", "tmpfs", 0, "mode=0755");
	mkdir("/rw/upper", 0755);
	mkdir("/rw/work", 0755);
	must_mount("overlay", ROOT, "overlay", 0,
		   "lowerdir=/lower,upperdir=/rw/upper,workdir=/rw/work");
	mount_kernel_file_systems();
	write_modprobe_conf();
	for (i = 0; (value = config("share", i)); i++)
		mount_share(value);
	for (i = 0; (value = config("bind", i)); i++)
		bind_folder(value);
	if (chdir(ROOT) || mount(".", "/", NULL, MS_MOVE, NULL) ||
	    chroot(".") || chdir("/"))
		fail("cannot change root: %s", strerror(errno));
}
