// SPDX-License-Identifier: MIT
/*
 * The guest's file system: the host's own, read-only over 9p, below an overlay
 * in memory that takes every change and goes with the machine; and on top of it
 * the folders that the user shares for writing, at their real paths. Or else
 * nothing of the host's at all, and the initramfs is the root.
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

/* What is not there yet below root, "" or ROOT. */
static void mount_kernel_file_systems(const char *root)
{
	static const struct {
		const char *what, *where, *type, *options;
		mode_t mode;
		unsigned long flags;
	} mounts[] = {
		{ "devpts", "/dev/pts", "devpts", "mode=0620,ptmxmode=0666",
		  0755, 0 },
		{ "tmpfs", "/dev/shm", "tmpfs", "mode=1777", 01777,
		  MS_NOSUID | MS_NODEV },
		{ "tmpfs", "/run", "tmpfs", "mode=0755", 0755,
		  MS_NOSUID | MS_NODEV },
		{ "debugfs", "/sys/kernel/debug", "debugfs", NULL, 0700, 0 },
		{ "tracefs", "/sys/kernel/tracing", "tracefs", NULL, 0700, 0 },
	};
	static const char *const links[][2] = {
		{ "/proc/self/fd", "/dev/fd" },
		{ "/proc/self/fd/0", "/dev/stdin" },
		{ "/proc/self/fd/1", "/dev/stdout" },
		{ "/proc/self/fd/2", "/dev/stderr" },
	};
	char path[256];
	size_t i;

	for (i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", root, mounts[i].where);
		mkdir(path, mounts[i].mode);
		must_mount(mounts[i].what, path, mounts[i].type,
			   mounts[i].flags, mounts[i].options);
	}
	snprintf(path, sizeof(path), "%s/run/gaudi-vm", root);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/run/lock", root);
	mkdir(path, 01777);
	for (i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		snprintf(path, sizeof(path), "%s%s", root, links[i][1]);
		if (symlink(links[i][0], path))
			say("no %s: %s", path, strerror(errno));
	}
}

void enter_ram_root(void)
{
	const char *cwd = config("cwd", 0);

	mount_kernel_file_systems("");
	mkdir("/tmp", 01777);
	if (cwd)
		make_path(cwd);
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
	must_mount("/proc", ROOT "/proc", "none", MS_MOVE, NULL);
	must_mount("/sys", ROOT "/sys", "none", MS_MOVE, NULL);
	must_mount("/dev", ROOT "/dev", "none", MS_MOVE, NULL);
	mount_kernel_file_systems(ROOT);
	write_modprobe_conf();
	for (i = 0; (value = config("share", i)); i++)
		mount_share(value);
	for (i = 0; (value = config("bind", i)); i++)
		bind_folder(value);
	if (chdir(ROOT) || mount(".", "/", NULL, MS_MOVE, NULL) ||
	    chroot(".") || chdir("/"))
		fail("cannot change root: %s", strerror(errno));
}
