/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* How the tree of entries.h grows: for the files of this room, which make it. */
#ifndef SIM_FS_GROW_H
#define SIM_FS_GROW_H

#include "entries.h"

/* The card of an entry to which each card adds. */
#define ALL_CARDS	(SIM_MAX_CARDS + 1)

/* The parent may be NULL, and what is returned is when there is no memory. */
struct sim_entry *sim_entry_add(struct sim_entry *parent, const char *name,
				mode_t mode);
struct sim_entry *sim_entry_dir(struct sim_entry *parent, const char *name);
/* With a text: a link's target, or a file's contents. */
struct sim_entry *sim_entry_printed(struct sim_entry *parent, const char *name,
				    mode_t mode, const char *fmt, ...)
	__printf(4, 5);
#define sim_entry_link(parent, name, ...) \
	sim_entry_printed(parent, name, S_IFLNK | 0777, __VA_ARGS__)
#define sim_entry_text(parent, name, ...) \
	sim_entry_printed(parent, name, S_IFREG | 0444, __VA_ARGS__)
/* A file whose contents are what @ops say. */
struct sim_entry *sim_entry_file(struct sim_entry *parent, const char *name,
				 mode_t mode, const struct sim_entry_ops *ops,
				 void *owner, const void *what,
				 unsigned int arg);
/* The directory of this path, made with those above it. The kernel may have them. */
struct sim_entry *sim_entry_merged(const char *path);

/* Whether the kernel has the path, whatever is here. */
bool sim_entry_host_has(const char *path);

/* --- host.c --- */

/* The directory of a card's slot, with what is there before the driver. */
struct sim_entry *sim_entry_slot(unsigned int n);
/* Adds all that is there before the driver; entries.c calls it once. */
void sim_entry_make_host(void);

/* The driver's, by its macro. */
extern const char sim_module_version[];

#endif /* SIM_FS_GROW_H */
