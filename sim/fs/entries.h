/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * What of /dev, /sys and debugfs a kernel with the driver has because of the cards: a
 * tree of directories, links, nodes and files.
 *
 *   entries.c    the tree: how it grows, what a path leads to
 *   host.c       what the kernel knows without the driver: slots, classes, numbers
 *   attributes.c what the driver has told: attributes, sensors, files of debugfs
 *
 * Entries are added and never go, so a pointer to one is good for ever. What the driver
 * adds is there when its card has booted.
 */
#ifndef SIM_FS_ENTRIES_H
#define SIM_FS_ENTRIES_H

#include <sys/stat.h>

#include "../kernel/kernel.h"
#include "../kernel/nodes.h"

struct sim_entry;

struct sim_entry_ops {
	/* All that is in it, for the caller to free: how many bytes, or -errno. */
	ssize_t (*show)(const struct sim_entry *e, char **text);
	/* What somebody writes; terminated. NULL: nobody does. */
	ssize_t (*store)(const struct sim_entry *e, const char *text,
			 size_t size);
};

struct sim_entry {
	struct list_head node, children;
	struct sim_entry *parent;
	char *name;
	mode_t mode;			/* type and permissions */
	bool merged;			/* the kernel's directory is there, too */
	unsigned int card;		/* that adds to it when it boots, from 1 on */
	unsigned int major, minor;	/* a node's */
	unsigned long number;		/* as an inode's */
	char *text;			/* a link's target, a file's contents */
	/* Or a file's contents are what these say; owner and what are theirs. */
	const struct sim_entry_ops *ops;
	void *owner;
	const void *what;
	unsigned int arg;
};

/*
 * What a path leads to; follow: also when it is a link. 0; -ENOENT: the directory
 * is here, and has no such entry; -EXDEV: ask the kernel; -ELOOP, -ENOTDIR.
 */
int sim_entry_find(const char *path, bool follow, struct sim_entry **entry);
/* In a child of fork(): the tree is made anew, for cards that are not its parent's. */
void sim_entry_start_again(void);
/* Without links. Returns buf. */
char *sim_entry_path(const struct sim_entry *e, char *buf, size_t size);
/* Number @n of a directory, or NULL. */
struct sim_entry *sim_entry_child(struct sim_entry *dir, unsigned int n);
void sim_entry_stat(const struct sim_entry *e, struct stat *st);
/* Of the user of this process: 0 or -EACCES. want: R_OK, W_OK, X_OK. */
int sim_entry_access(const struct sim_entry *e, int want);

/* A directory that the kernel has, too, and that is the kernel's. */
bool sim_entry_is_hosts(const struct sim_entry *e);

#endif /* SIM_FS_ENTRIES_H */
