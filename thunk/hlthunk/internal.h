/* SPDX-License-Identifier: MIT */
/*
 * What the files of libhl-thunk share. Nothing here is exported.
 *
 * Functions return 0 or a negative errno. The library keeps no state but: the
 * books of device memory per card (hbm.c), and a loaded profiler (profiler.c).
 * The ABI has nothing but the fd to hang them on.
 */
#ifndef HLTHUNK_INTERNAL_H
#define HLTHUNK_INTERNAL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "hlthunk.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the card's packets and structures are little-endian, and so is the host"
#endif

/* The release of the vendor's library that this one stands in for, and our own. */
#define HLT_VERSION	"1.10.0-open-gaudi-0.1.0"
#define HLT_PATH_MAX	256

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/*
 * os.c: the only file that calls the kernel, so that tests can put another
 * one in its place. hlt_os_open adds O_CLOEXEC; hlt_os_ioctl is one plain
 * call, without retry.
 */
int hlt_os_open(const char *path, int flags);
int hlt_os_close(int fd);
int hlt_os_ioctl(int fd, unsigned long request, void *arg);
ssize_t hlt_os_read(int fd, void *buf, size_t size);
ssize_t hlt_os_pread(int fd, void *buf, size_t size, off_t offset);
ssize_t hlt_os_write(int fd, const void *buf, size_t size);
int hlt_os_readlink(const char *path, char *buf, size_t size);
/* From now on cards are those of this process, see sim.h: 0 or -ELIBACC. */
int hlt_os_sim(unsigned int cards);
int hlt_os_devnum(int fd, unsigned int *major, unsigned int *minor);
int hlt_os_eventfd(void);
int hlt_os_poll(int fd, int timeout_ms);
uint64_t hlt_os_now_us(void);		/* CLOCK_MONOTONIC */
void hlt_os_sleep_us(unsigned int us);

/*
 * What a public function returns: a negative @rc sets errno too, since there
 * are programs that look there.
 */
int hlt_ret(int rc);

/* ioctl.c: all with retry after signals; they set errno if they fail */
int hlt_info(int fd, struct hl_info_args *args);
/* The common case: @op fills @size bytes at @out. */
int hlt_info_get(int fd, uint32_t op, void *out, uint32_t size);
int hlt_cb(int fd, union hl_cb_args *args);
int hlt_cs(int fd, union hl_cs_args *args);	/* waits while queues are full */
int hlt_mem(int fd, union hl_mem_args *args);
int hlt_debug(int fd, struct hl_debug_args *args);
/*
 * @timeout_us points into *@args, and is lowered by what passed when a signal
 * interrupted the wait.
 */
int hlt_wait(int fd, union hl_wait_cs_args *args, __u64 *timeout_us);
/* To stderr, if HLTHUNK_DEBUG_LEVEL asks for it. Keeps errno. */
void hlt_log(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* sysfs.c: cards by the N of /dev/accel/accelN */
int hlt_card_attr(int index, const char *attr, char *buf, size_t size);
int hlt_card_name(int index, enum hlthunk_device_name *name);
int hlt_card_busid(int index, char *buf, size_t size);
int hlt_card_module_id(int index, uint32_t *id);
int hlt_card_from_fd(int fd);
enum hlthunk_device_name hlt_name_from_pci(uint32_t device);

/*
 * hbm.c: device memory of a card when the driver does not keep its book.
 * All thread-safe.
 */
int hlt_hbm_alloc(int fd, uint64_t size, uint64_t page_size, uint64_t *addr);
/*
 * *@size: what was asked for when @addr was given. -EINVAL: it was not;
 * -ENOENT: there is no book for its card, so the driver may know.
 */
int hlt_hbm_size(int fd, uint64_t addr, uint64_t *size);
int hlt_hbm_free(int fd, uint64_t addr);
int hlt_hbm_free_size(int fd, uint64_t size);	/* any one of that size */
void hlt_hbm_forget(int fd);		/* the card was opened anew */

/*
 * profile_card.c: while a profile is written (profile.h): a card's counter beside the host's
 * clock, by which whoever reads it joins them, and its memory that is in use.
 */
void hlt_profile_card(int fd);
void hlt_profile_now_and_then(int fd);	/* the first, at most once a second */
void hlt_profile_memory(int fd);	/* the latter */

#endif /* HLTHUNK_INTERNAL_H */
