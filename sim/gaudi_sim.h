/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * libgaudi-sim.so.0: Gaudi cards in this process, behind the files that a kernel with
 * the driver has. libhl-thunk loads it if GAUDI_SIM says how many cards there are.
 *
 * Functions return what the system call would, but -errno for an error. They are
 * thread-safe, as the calls are. Cards are the process's own: a child of fork() has the
 * descriptors, and each call with one of them is -ENODEV; it can open cards of its own.
 *
 * Paths are absolute: nodes in /dev/accel, slots in /sys/bus/pci, classes, attributes,
 * sensors, the module's parameters, and files of debugfs. -ENOENT: the directory is the
 * library's, and has no such entry. -EXDEV: the path is the kernel's. So are directories
 * that the kernel has as well, but not what cards have in them.
 */
#ifndef GAUDI_SIM_H
#define GAUDI_SIM_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* So many cards, 1 to 16, if GAUDI_SIM says nothing; without effect once there are some. */
void gaudi_sim_want(unsigned int cards);
/*
 * Whether they have a model of time, if GAUDI_SIM_TIMING says nothing; as late as that.
 * Their counter and their records are of it then: see Documentation/timing.rst.
 */
void gaudi_sim_timing(bool on);
/*
 * A descriptor. The cards boot when a node, or what only their driver knows, is looked
 * at for the first time. One of an attribute holds its text as it was then;
 * gaudi_sim_read() has what it is now. /proc/self/fdinfo/N is there for nodes.
 */
int gaudi_sim_open(const char *path, int flags);
/* Whether it is a file's of this library, whoever has made the descriptor. */
bool gaudi_sim_owns(int fd);
int gaudi_sim_close(int fd);
/*
 * The caller alone has this descriptor, and closes it by gaudi_sim_close(): until then
 * calls with it do not ask the kernel whose it is.
 */
void gaudi_sim_private(int fd);
/*
 * Descriptors have been closed by other means: cards that nobody has open any more
 * can be opened again. gaudi_sim_open() looks for itself.
 */
void gaudi_sim_closed(void);
/* offset -1: where the descriptor is, as read() does. */
ssize_t gaudi_sim_read(int fd, void *to, size_t size, off_t offset);
/* All of an attribute, wherever the descriptor is. */
ssize_t gaudi_sim_write(int fd, const void *from, size_t size);
/* -EXDEV: the descriptor is none of the library's. */
int gaudi_sim_ioctl(int fd, unsigned long request, void *arg);
/* MAP_FAILED with errno. */
void *gaudi_sim_mmap(void *addr, size_t size, int prot, int flags, int fd,
		     off_t offset);
/* Any memory of the process. */
int gaudi_sim_munmap(void *addr, size_t size);
void *gaudi_sim_mremap(void *old, size_t old_size, size_t size, int flags,
		       void *to);

int gaudi_sim_stat(const char *path, bool follow, struct stat *st);
int gaudi_sim_fstat(int fd, struct stat *st);
/* want: R_OK, W_OK and X_OK, or F_OK. */
int gaudi_sim_access(const char *path, int want);
/* Terminated. */
ssize_t gaudi_sim_readlink(const char *path, char *buf, size_t size);
int gaudi_sim_realpath(const char *path, char *buf, size_t size);
/*
 * Number n of what a directory has, "." and ".." first: 1, or 0 behind the last one. Also
 * of a directory of the kernel's: what cards have there.
 */
int gaudi_sim_list(const char *path, unsigned int n, struct dirent *out);
/* Where a file is that was opened. */
int gaudi_sim_path(int fd, char *buf, size_t size);
/* The numbers that stat() would show for a node. */
int gaudi_sim_devnum(int fd, unsigned int *major, unsigned int *minor);

/* --- cards as objects, for tests: what no driver offers ------------------------ */

struct gaudi_sim_card;

/* As many as GAUDI_SIM says, 0 if it says none. */
unsigned int gaudi_sim_cards(void);
/* Boots it if nobody has; NULL with errno. It lasts as long as the process. */
struct gaudi_sim_card *gaudi_sim_card(unsigned int n);
/*
 * A fault, by the text of Documentation/faults.rst; one without a time has happened on
 * return. 0; -EINVAL, -ENOSPC, with a line that says why; -ENOMEM.
 */
int gaudi_sim_card_inject(struct gaudi_sim_card *card, const char *fault,
			  char *why, size_t size);
/* Ends all faults. */
void gaudi_sim_card_heal(struct gaudi_sim_card *card);
/* JSON: what was injected; the faults that there are; what the card was used for. */
int gaudi_sim_card_faults(struct gaudi_sim_card *card, FILE *out);
int gaudi_sim_catalogue(FILE *out);
int gaudi_sim_card_report(struct gaudi_sim_card *card, FILE *out);
/* What last passed through it, as Documentation/record.rst says. 0, -ENOMEM, -EIO. */
int gaudi_sim_card_record(struct gaudi_sim_card *card, FILE *out);
/* By its address on the card, 0x7ffc000000 and more. 0, -EINVAL: it is none. */
int gaudi_sim_card_read_register(struct gaudi_sim_card *card,
				 uint64_t address, uint32_t *value);
int gaudi_sim_card_write_register(struct gaudi_sim_card *card,
				  uint64_t address, uint32_t value);
/*
 * HBM or SRAM itself, by its physical address on the card, until the card's next reset;
 * of a card that was loaded also the host's memory that came with it, by its address then
 * and 0x8000000000, until it is opened or loaded again. NULL: not all of it is there.
 */
void *gaudi_sim_card_memory(struct gaudi_sim_card *card, uint64_t address,
			    size_t size);
/*
 * As from firmware, with at most 7 words. 0; -EAGAIN, -ENOSPC: the driver takes none;
 * -EINVAL: there is no such event.
 */
int gaudi_sim_card_event(struct gaudi_sim_card *card, unsigned int event,
			 const uint64_t *payload, unsigned int words);
/*
 * Snapshots; Documentation/snapshots.rst. The card as it is, open or not, with the work
 * that it has, and what it reaches of this process's memory, goes into a file, which
 * takes the place of one that is there. 0; -EBUSY: not now; -EFAULT: memory that it has
 * mapped is not there; -EOPNOTSUPP, -EINVAL, -ENOMEM, or what the file's system calls say.
 * why says what it is; there is no such file then, or the old one.
 */
int gaudi_sim_save(struct gaudi_sim_card *card, const char *path, char *why,
		   size_t size);
/*
 * The card becomes the one that was saved, by this process or another one, and goes on
 * with its work, in its copy of that memory. Nobody has it open: what the driver knew of its
 * contexts, memory and submissions is not in the file. The driver leaves it alone, as
 * it does in a reset, and there are no interrupts, until it is opened: then it is reset. 0;
 * -EBUSY: it is open; -EINVAL: the file is damaged, of another version, or of a card
 * that is made in another way; -EOPNOTSUPP; -ENOMEM, or what the system calls say. The
 * card stays as it is then.
 */
int gaudi_sim_load(struct gaudi_sim_card *card, const char *path, char *why,
		   size_t size);
/* Pulls a port's cable, or plugs it in again. 0, -EINVAL, -ENOTCONN. */
int gaudi_sim_card_plug(struct gaudi_sim_card *card, unsigned int port,
			bool in);
/* A link comes up when the engines of both its ends are on, shortly after the boot. */
bool gaudi_sim_card_link_is_up(struct gaudi_sim_card *card, unsigned int port);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* GAUDI_SIM_H */
