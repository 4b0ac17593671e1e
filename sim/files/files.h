/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Open files: those of nodes, and of what else is in the tree of fs/entries.h.
 *
 * A descriptor is a real one, of an empty memory file, so that its number is nobody
 * else's, and whatever the program does with it (dup(), fcntl(), close behind our back)
 * the kernel does. Which file it is its inode says. A file is kept by its descriptors, by
 * calls in progress and by mappings, as in a kernel.
 */
#ifndef SIM_FILES_H
#define SIM_FILES_H

#include "../fs/entries.h"

struct sim_file {
	struct list_head node;	/* of the open ones */
	struct file file;
	struct kref refs;
	int fd;			/* one of its descriptors */
	bool private;		/* ... which nobody closes but gaudi_sim_close() */
	int kept;		/* one more, of what is only written, or -1 */
	int flags;		/* it was opened with */
	dev_t dev;		/* of the memory file */
	ino_t ino;
	bool taken;		/* the card is, and is to be left */
	bool inherited;		/* from the parent, whose cards are not here */
	struct sim_entry *entry;
};

/*
 * A system call of a card's ends with its work. What does it here has locks, and waits where the
 * C library looks whether the thread has been cancelled: that is for later.
 */
static inline int sim_cancel_later(void)
{
	int was;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &was);
	return was;
}

static inline void sim_cancel_as_was(int *was)
{
	pthread_setcancelstate(*was, NULL);
}

#define SIM_NOT_CANCELLED						\
	int sim_was __attribute__((cleanup(sim_cancel_as_was), unused)) = \
		sim_cancel_later()

/* Not in the list yet: sim_file_publish() gives it a descriptor. */
struct sim_file *sim_file_new(struct sim_entry *entry, int flags);
/* The descriptor, or -errno: then the file is gone. */
int sim_file_publish(struct sim_file *f);
/* The file of a descriptor, with a reference, or NULL. */
struct sim_file *sim_file_get(int fd);
void sim_file_put(struct sim_file *f);
/* Files whose descriptors have all been closed go. */
void sim_files_sweep(void);
/*
 * Of a child of fork(): the open files, and later the same as the parent's. They are there,
 * and no call with one of them does anything but close it.
 */
struct list_head sim_files_detach(void);
void sim_files_inherit(struct list_head list);
/*
 * The first descriptor of the process that is wanted, or -1. All are looked at, with nothing
 * that takes a lock: this may be a signal's handler, or a child of fork().
 */
int sim_find_fd(bool (*wanted)(int fd, const void *arg), const void *arg);
/* Its functions can be called. */
bool sim_file_is_here(const struct sim_file *f);
/* An ordinary descriptor of a text, or -errno. */
int sim_text_file(const char *name, const char *text, size_t size, int flags);
/* A node's; the compute node's. */
bool sim_file_is_node(const struct sim_file *f);
bool sim_file_is_accel(const struct sim_file *f);
/* /proc/self/fdinfo/N of a node: a descriptor; -EXDEV: it is none. */
int sim_open_fdinfo(const char *path, int flags);

#endif /* SIM_FILES_H */
