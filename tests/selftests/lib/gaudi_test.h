/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the selftests share: the mainline uAPI by raw ioctls, and packets.
 *
 * The tests run on gaudi.ko and on habanalabs.ko alike. They use neither the
 * thunk nor our register headers: expected numbers stand in the tests.
 *
 * Functions return 0 (or a value >= 0) or a negative errno.
 */
#ifndef GAUDI_TEST_H
#define GAUDI_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/types.h>
#include <drm/habanalabs_accel.h>

#define CFG_BASE		0x7ffc000000ull
#define SRAM_BASE		0x7ff0000000ull
#define SOB_E_N(n)		(CFG_BASE + 0x4f2000 + 4 * (n))
#define MON_E_N_ADDRL(n)	(CFG_BASE + 0x4f4000 + 4 * (n))
#define MON_E_N_ADDRH(n)	(CFG_BASE + 0x4f4800 + 4 * (n))
#define MON_E_N_DATA(n)		(CFG_BASE + 0x4f5000 + 4 * (n))
#define MON_E_N_ARM(n)		(CFG_BASE + 0x4f5800 + 4 * (n))
/* FENCE2_RDATA of stream s of DMA core d. */
#define DMA_FENCE2(d, s)	(CFG_BASE + 0x508330 + 0x20000 * (d) + 4 * (s))

#define EB			(1u << 29)
#define RB			(1u << 30)
#define MB			(1u << 31)

/* A kernel-allocated command buffer, mapped here. */
struct gt_cb {
	uint64_t handle;
	void *map;
	uint32_t size;
	uint32_t len;		/* bytes of packets so far */
};

/*
 * Open the first compute node. Waits while the device resets or the last user
 * is still being cleaned up. -ENODEV: no card.
 */
int gt_open(void);
/* The same, one try. */
int gt_open_once(void);
int gt_open_control(void);
/* "/sys/class/accel/accel0/device/<name>" into buf, newline stripped. */
int gt_sysfs_read(const char *name, char *buf, size_t len);
int gt_sysfs_write(const char *name, const char *value);
/* Into a file of the driver's in debugfs. */
int gt_debugfs_write(const char *name, const char *value);
/* Text into a file that is there already: 0 or -errno. */
int gt_write_file(const char *path, const char *text);
/* Wait until sysfs says Operational. */
int gt_wait_operational(unsigned int seconds);

int gt_ioctl(int fd, unsigned long request, void *arg);
int gt_info(int fd, uint32_t op, void *buf, uint32_t size);
/* Does the driver announce this GAUDI_CAP_*? habanalabs.ko announces none. */
bool gt_has(int fd, uint64_t cap);
/* Hard resets so far, of any cause; UINT32_MAX if that cannot be asked. */
uint32_t gt_resets(int fd);
/* The same by a file of its own; UINT32_MAX, too, if none can be opened. */
uint32_t gt_resets_now(void);
/* Notifications that have come since one asked last. */
uint64_t gt_events(int fd);
/* Of a clock that only goes on. */
uint64_t gt_now_ms(void);

int gt_cb_create(int fd, uint32_t size, struct gt_cb *cb);
int gt_cb_destroy(int fd, struct gt_cb *cb);
int gt_map_host(int fd, void *ptr, uint64_t size, uint64_t *va);
int gt_unmap(int fd, uint64_t va);

/* One job on one queue. */
int gt_submit(int fd, uint32_t queue, const struct gt_cb *cb, uint64_t *seq);
int gt_submit_chunks(int fd, struct hl_cs_chunk *chunks, uint32_t num,
		     uint32_t flags, uint64_t *seq);
/* status: HL_WAIT_CS_STATUS_*. */
int gt_wait(int fd, uint64_t seq, uint64_t timeout_us, uint32_t *status);
/* Submit and wait for completion. */
int gt_run(int fd, uint32_t queue, const struct gt_cb *cb);

/* Packets; the barriers are OR-ed into ctl. Return the bytes written. */
uint32_t gt_pkt_nop(void *at, uint32_t barriers);
uint32_t gt_pkt_lin_dma(void *at, uint64_t src, uint64_t dst, uint32_t bytes,
			uint32_t barriers);
uint32_t gt_pkt_memset(void *at, uint64_t pattern, uint64_t dst,
		       uint32_t bytes, uint32_t barriers);
uint32_t gt_pkt_msg_long(void *at, uint64_t addr, uint32_t value,
			 uint32_t barriers);
uint32_t gt_pkt_fence(void *at, uint32_t id, uint32_t target, uint32_t dec);
uint32_t gt_pkt_cp_dma(void *at, uint64_t src, uint32_t bytes);
uint32_t gt_pkt_raw(void *at, uint32_t opcode, uint32_t dwords);
/* Monitor m of E_N: when SOB sob >= value, write 1 to addr. */
uint32_t gt_pkt_monitor(void *at, uint32_t m, uint32_t sob, uint32_t value,
			uint64_t addr);

/* Deterministic filler; check returns the first wrong offset, -1 if none. */
void gt_fill(void *buf, size_t len, uint32_t seed);
long gt_check(const void *buf, size_t len, uint32_t seed);

/*
 * Wait for a sync_file at most ms. 0: not signalled; 1: without an error; < 0:
 * the error, -EBADF if it is no sync_file.
 */
int gt_sync_file(int fd, int ms);

/* Pass an open file by a Unix socket. */
void gt_send_fd(int sock, int fd);
int gt_recv_fd(int sock);

/*
 * Page-aligned anonymous memory. Less than 2 MiB never begins at a multiple of
 * 2 MiB by chance: its device address would have to be one, too, and hints that
 * are none would be ignored.
 */
void *gt_alloc(size_t len);

#endif /* GAUDI_TEST_H */
