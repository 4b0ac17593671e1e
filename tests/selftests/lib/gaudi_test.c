// SPDX-License-Identifier: GPL-2.0-only
/* What the selftests share; see gaudi_test.h. */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <linux/sync_file.h>

#include "../../../uapi/drm/gaudi_accel.h"
#include "gaudi_test.h"

#define SYSFS "/sys/class/accel/accel0/device/"

int gt_ioctl(int fd, unsigned long request, void *arg)
{
	return ioctl(fd, request, arg) ? -errno : 0;
}

int gt_open_once(void)
{
	int fd = open("/dev/accel/accel0", O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int gt_open(void)
{
	int tries, fd = -ENODEV;

	for (tries = 0; tries < 600; tries++) {
		fd = gt_open_once();
		if (fd == -ENOENT)
			return -ENODEV;
		if (fd != -EAGAIN && fd != -EBUSY)
			return fd;
		usleep(50000);
	}
	return fd;
}

int gt_open_control(void)
{
	int fd = open("/dev/accel/accel_controlD0", O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int gt_sysfs_read(const char *name, char *buf, size_t len)
{
	char path[256];
	ssize_t n;
	int fd, err;

	snprintf(path, sizeof(path), SYSFS "%s", name);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return -errno;
	n = read(fd, buf, len - 1);
	err = n < 0 ? -errno : 0;
	close(fd);
	if (err)
		return err;
	buf[n] = 0;
	buf[strcspn(buf, "\n")] = 0;
	return 0;
}

int gt_write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY), err = 0;

	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

int gt_sysfs_write(const char *name, const char *value)
{
	char path[256];

	snprintf(path, sizeof(path), SYSFS "%s", name);
	return gt_write_file(path, value);
}

int gt_debugfs_write(const char *name, const char *value)
{
	char pattern[256];
	int ret = -ENOENT;
	glob_t g;

	snprintf(pattern, sizeof(pattern), "/sys/kernel/debug/accel/*/%s",
		 name);
	if (!glob(pattern, 0, NULL, &g))
		ret = gt_write_file(g.gl_pathv[0], value);
	globfree(&g);
	return ret;
}

int gt_wait_operational(unsigned int seconds)
{
	char status[64];
	unsigned int i;

	for (i = 0; i < seconds * 20; i++) {
		if (!gt_sysfs_read("status", status, sizeof(status)) &&
		    !strcmp(status, "Operational"))
			return 0;
		usleep(50000);
	}
	return -ETIMEDOUT;
}

int gt_info(int fd, uint32_t op, void *buf, uint32_t size)
{
	struct hl_info_args args = {
		.return_pointer = (uintptr_t)buf,
		.return_size = size,
		.op = op,
	};

	return gt_ioctl(fd, DRM_IOCTL_HL_INFO, &args);
}

bool gt_has(int fd, uint64_t cap)
{
	struct drm_gaudi_query args = { .id = GAUDI_QUERY_CAPS };

	return !gt_ioctl(fd, DRM_IOCTL_GAUDI_QUERY, &args) &&
	       (args.value & cap);
}

uint32_t gt_resets(int fd)
{
	struct hl_info_reset_count count = { .hard_reset_cnt = UINT32_MAX };

	gt_info(fd, HL_INFO_RESET_COUNT, &count, sizeof(count));
	return count.hard_reset_cnt;
}

uint32_t gt_resets_now(void)
{
	int fd = gt_open();
	uint32_t resets = fd < 0 ? UINT32_MAX : gt_resets(fd);

	close(fd);
	return resets;
}

uint64_t gt_events(int fd)
{
	uint64_t mask = 0;

	gt_info(fd, HL_INFO_GET_EVENTS, &mask, sizeof(mask));
	return mask;
}

uint64_t gt_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ull + ts.tv_nsec / 1000000;
}

int gt_cb_create(int fd, uint32_t size, struct gt_cb *cb)
{
	union hl_cb_args args = { .in = { .op = HL_CB_OP_CREATE,
					  .cb_size = size } };
	int ret;

	memset(cb, 0, sizeof(*cb));
	ret = gt_ioctl(fd, DRM_IOCTL_HL_CB, &args);
	if (ret)
		return ret;
	cb->handle = args.out.cb_handle;
	cb->size = size;
	cb->map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		       (off_t)cb->handle);
	if (cb->map == MAP_FAILED) {
		ret = -errno;
		cb->map = NULL;
		gt_cb_destroy(fd, cb);
	}
	return ret;
}

int gt_cb_destroy(int fd, struct gt_cb *cb)
{
	union hl_cb_args args = { .in = { .op = HL_CB_OP_DESTROY,
					  .cb_handle = cb->handle } };

	if (cb->map)
		munmap(cb->map, cb->size);
	cb->map = NULL;
	return gt_ioctl(fd, DRM_IOCTL_HL_CB, &args);
}

int gt_map_host(int fd, void *ptr, uint64_t size, uint64_t *va)
{
	union hl_mem_args args = { .in = {
		.map_host = { .host_virt_addr = (uintptr_t)ptr,
			      .mem_size = size },
		.op = HL_MEM_OP_MAP,
		.flags = HL_MEM_USERPTR,
	} };
	int ret = gt_ioctl(fd, DRM_IOCTL_HL_MEMORY, &args);

	*va = ret ? 0 : args.out.device_virt_addr;
	return ret;
}

int gt_unmap(int fd, uint64_t va)
{
	union hl_mem_args args = { .in = {
		.unmap = { .device_virt_addr = va },
		.op = HL_MEM_OP_UNMAP,
	} };

	return gt_ioctl(fd, DRM_IOCTL_HL_MEMORY, &args);
}

int gt_submit_chunks(int fd, struct hl_cs_chunk *chunks, uint32_t num,
		     uint32_t flags, uint64_t *seq)
{
	union hl_cs_args args = { .in = {
		.chunks_execute = (uintptr_t)chunks,
		.num_chunks_execute = num,
		.cs_flags = flags,
	} };
	int ret;

	do {
		ret = gt_ioctl(fd, DRM_IOCTL_HL_CS, &args);
	} while (ret == -EAGAIN || ret == -EINTR);
	*seq = args.out.seq;
	return ret;
}

int gt_submit(int fd, uint32_t queue, const struct gt_cb *cb, uint64_t *seq)
{
	struct hl_cs_chunk chunk = { .cb_handle = cb->handle,
				     .queue_index = queue,
				     .cb_size = cb->len };

	return gt_submit_chunks(fd, &chunk, 1, 0, seq);
}

int gt_wait(int fd, uint64_t seq, uint64_t timeout_us, uint32_t *status)
{
	union hl_wait_cs_args args = { .in = { .seq = seq,
					       .timeout_us = timeout_us } };
	int ret;

	do {
		ret = gt_ioctl(fd, DRM_IOCTL_HL_WAIT_CS, &args);
	} while (ret == -EINTR);
	*status = args.out.status;
	return ret;
}

int gt_run(int fd, uint32_t queue, const struct gt_cb *cb)
{
	uint32_t status;
	uint64_t seq;
	int ret = gt_submit(fd, queue, cb, &seq);

	if (ret)
		return ret;
	ret = gt_wait(fd, seq, 20000000, &status);
	if (ret)
		return ret;
	return status == HL_WAIT_CS_STATUS_COMPLETED ? 0 : -ETIMEDOUT;
}

static uint32_t gt_pkt_head(void *at, uint32_t first, uint32_t opcode,
			    uint32_t ctl)
{
	uint32_t dw[2] = { first, opcode << 24 | ctl };

	memcpy(at, dw, sizeof(dw));
	return sizeof(dw);
}

static uint32_t gt_pkt_addr(void *at, uint64_t addr)
{
	memcpy(at, &addr, sizeof(addr));
	return sizeof(addr);
}

uint32_t gt_pkt_nop(void *at, uint32_t barriers)
{
	return gt_pkt_head(at, 0, 0x0a, barriers);
}

uint32_t gt_pkt_lin_dma(void *at, uint64_t src, uint64_t dst, uint32_t bytes,
			uint32_t barriers)
{
	gt_pkt_head(at, bytes, 0x09, 1u << 3 | barriers);
	gt_pkt_addr((char *)at + 8, src);
	gt_pkt_addr((char *)at + 16, dst);
	return 24;
}

uint32_t gt_pkt_memset(void *at, uint64_t pattern, uint64_t dst,
		       uint32_t bytes, uint32_t barriers)
{
	gt_pkt_head(at, bytes, 0x09, 1u << 4 | 1u << 3 | barriers);
	gt_pkt_addr((char *)at + 8, pattern);
	gt_pkt_addr((char *)at + 16, dst);
	return 24;
}

uint32_t gt_pkt_msg_long(void *at, uint64_t addr, uint32_t value,
			 uint32_t barriers)
{
	gt_pkt_head(at, value, 0x03, barriers);
	gt_pkt_addr((char *)at + 8, addr);
	return 16;
}

uint32_t gt_pkt_fence(void *at, uint32_t id, uint32_t target, uint32_t dec)
{
	return gt_pkt_head(at, id << 30 | target << 16 | dec, 0x08, 0);
}

uint32_t gt_pkt_cp_dma(void *at, uint64_t src, uint32_t bytes)
{
	gt_pkt_head(at, bytes, 0x05, 0);
	gt_pkt_addr((char *)at + 8, src);
	return 16;
}

uint32_t gt_pkt_raw(void *at, uint32_t opcode, uint32_t dwords)
{
	memset(at, 0, 4 * dwords);
	gt_pkt_head(at, 0, opcode, 0);
	return 4 * dwords;
}

uint32_t gt_pkt_monitor(void *at, uint32_t m, uint32_t sob, uint32_t value,
			uint64_t addr)
{
	uint32_t arm = value << 17 | (0xffu & ~(1u << sob % 8)) << 8 | sob / 8;
	char *p = at;

	p += gt_pkt_msg_long(p, MON_E_N_ADDRL(m), (uint32_t)addr, 0);
	p += gt_pkt_msg_long(p, MON_E_N_ADDRH(m), (uint32_t)(addr >> 32), 0);
	p += gt_pkt_msg_long(p, MON_E_N_DATA(m), 1, 0);
	p += gt_pkt_msg_long(p, MON_E_N_ARM(m), arm, MB);
	return (uint32_t)(p - (char *)at);
}

static uint32_t gt_next(uint32_t x)
{
	x ^= x << 13;
	x ^= x >> 17;
	return x ^ x << 5;
}

void gt_fill(void *buf, size_t len, uint32_t seed)
{
	unsigned char *p = buf;
	uint32_t x = seed | 1;
	size_t i;

	for (i = 0; i < len; i++) {
		x = gt_next(x);
		p[i] = (unsigned char)(x >> 9);
	}
}

long gt_check(const void *buf, size_t len, uint32_t seed)
{
	const unsigned char *p = buf;
	uint32_t x = seed | 1;
	size_t i;

	for (i = 0; i < len; i++) {
		x = gt_next(x);
		if (p[i] != (unsigned char)(x >> 9))
			return (long)i;
	}
	return -1;
}

static void *map_pages(size_t len)
{
	void *p = mmap(NULL, len, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

void *gt_alloc(size_t len)
{
	const size_t huge = 2 << 20, page = 4096;
	char *p = map_pages(len < huge ? len + page : len);

	if (!p || len >= huge)
		return p;
	/* One page more than wanted: of its two ends the one that leaves no 2 MiB. */
	if ((uintptr_t)p % huge) {
		munmap(p + (len + page - 1) / page * page, page);
		return p;
	}
	munmap(p, page);
	return p + page;
}

int gt_sync_file(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct sync_file_info info = {};

	if (poll(&p, 1, ms) < 0 || ioctl(fd, SYNC_IOC_FILE_INFO, &info))
		return -EBADF;
	return info.status;
}

void gt_send_fd(int sock, int fd)
{
	char data = 0, control[CMSG_SPACE(sizeof(int))] = {};
	struct iovec iov = { &data, 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	sendmsg(sock, &msg, 0);
}

int gt_recv_fd(int sock)
{
	char data, control[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { &data, 1 };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = sizeof(control) };
	int fd;

	if (recvmsg(sock, &msg, 0) != 1 || !CMSG_FIRSTHDR(&msg))
		return -1;
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	return fd;
}
