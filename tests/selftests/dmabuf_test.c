// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proves: HBM leaves as a dma-buf that keeps what it needs; memory of other
 * drivers (udmabuf, a DMA heap) comes in by DRM_IOCTL_GAUDI_IMPORT, the card
 * reads and writes it in place, and its fences go both ways.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <linux/udmabuf.h>

#include "../../uapi/drm/gaudi_accel.h"
#include "lib/fixture.h"

#define SIZE		(3ull << 20)
#define HALF		(SIZE / 2)
#define HBM_USER	0x20000000ull
/* Host to card; card to host, which can wait at a gate. */
#define Q_DOWN		0
#define Q_UP		4

GAUDI_FIXTURE(dmabuf)

/* Pages of a memfd, 4 KiB each wherever they are. */
static int make_udmabuf(void)
{
	struct udmabuf_create args = { .flags = UDMABUF_FLAGS_CLOEXEC,
				       .size = SIZE };
	int dev = open("/dev/udmabuf", O_RDWR), fd = -1;

	args.memfd = memfd_create("gaudi", MFD_ALLOW_SEALING | MFD_CLOEXEC);
	if (dev >= 0 && !ftruncate(args.memfd, SIZE) &&
	    !fcntl(args.memfd, F_ADD_SEALS, F_SEAL_SHRINK))
		fd = ioctl(dev, UDMABUF_CREATE, &args);
	close(args.memfd);
	close(dev);
	return fd;
}

/* Larger pieces. */
static int make_heap(uint32_t flags)
{
	struct dma_heap_allocation_data args = {
		.len = SIZE, .fd_flags = flags | O_CLOEXEC };
	int dev = open("/dev/dma_heap/system", O_RDONLY);
	int ret = ioctl(dev, DMA_HEAP_IOCTL_ALLOC, &args);

	close(dev);
	return ret ? -1 : (int)args.fd;
}

static int import(int fd, struct drm_gaudi_import *args)
{
	return gt_ioctl(fd, DRM_IOCTL_GAUDI_IMPORT, args);
}

static int export_with(int fd, uint64_t addr, uint64_t size, uint32_t flags)
{
	union hl_mem_args args = { .in = {
		.op = HL_MEM_OP_EXPORT_DMABUF_FD,
		.flags = flags,
		.export_dmabuf_fd = { .addr = addr, .mem_size = size } } };
	int ret = gt_ioctl(fd, DRM_IOCTL_HL_MEMORY, &args);

	return ret ?: (int)args.out.fd;
}

static int export_hbm(int fd, uint64_t addr, uint64_t size)
{
	return export_with(fd, addr, size, O_CLOEXEC | O_RDWR);
}

static int copy(int fd, struct gt_cb *cb, int queue, uint64_t src, uint64_t dst,
		uint32_t bytes)
{
	cb->len = gt_pkt_lin_dma(cb->map, src, dst, bytes, 0);
	return gt_run(fd, queue, cb);
}

#define REQUIRE_IMPORT()						\
	do {								\
		if (!gt_has(self->fd, GAUDI_CAP_DMABUF_IMPORT))		\
			SKIP(return, "no import of dma-bufs");		\
	} while (0)

TEST_F(dmabuf, absent_or_announced)
{
	struct drm_gaudi_import args = { .flags = 1u << 31 };

	EXPECT_EQ(-EINVAL, import(self->fd, &args));
}

static void there_and_back(struct __test_metadata *_metadata,
			   struct _test_data_dmabuf *self, int buf)
{
	struct drm_gaudi_import args = { .fd = buf };
	uint64_t sram = self->hw.sram_base_address;
	int fd = self->fd;
	char *map;

	ASSERT_GE(buf, 0);
	map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, buf, 0);
	ASSERT_NE(MAP_FAILED, map);
	gt_fill(map, HALF, 7);
	memset(map + HALF, 0, HALF);
	ASSERT_EQ(0, import(fd, &args));
	EXPECT_EQ(SIZE, args.size);
	close(buf);
	ASSERT_EQ(0, copy(fd, &self->cb, Q_DOWN, args.dev_addr, sram, HALF));
	ASSERT_EQ(0, copy(fd, &self->cb, Q_UP, sram, args.dev_addr + HALF,
			  HALF));
	EXPECT_EQ(-1, gt_check(map + HALF, HALF, 7));
	EXPECT_EQ(-EINVAL, gt_unmap(fd, args.dev_addr + 4096));
	EXPECT_EQ(0, gt_unmap(fd, args.dev_addr));
	EXPECT_EQ(-EINVAL, gt_unmap(fd, args.dev_addr));
	munmap(map, SIZE);
}

TEST_F(dmabuf, udmabuf)
{
	REQUIRE_IMPORT();
	there_and_back(_metadata, self, make_udmabuf());
}

TEST_F(dmabuf, heap)
{
	REQUIRE_IMPORT();
	there_and_back(_metadata, self, make_heap(O_RDWR));
}

TEST_F(dmabuf, twice_and_left_behind)
{
	struct drm_gaudi_import a = {}, b = {};
	uint64_t sram = self->hw.sram_base_address;
	int buf = make_heap(O_RDWR), fd = self->fd;
	char *map;

	REQUIRE_IMPORT();
	ASSERT_GE(buf, 0);
	a.fd = b.fd = buf;
	ASSERT_EQ(0, import(fd, &a));
	b.hint = a.dev_addr;
	b.flags = GAUDI_IMPORT_FORCE_HINT;
	EXPECT_EQ(-ENOMEM, import(fd, &b));
	b.hint = a.dev_addr + (64ull << 20);
	ASSERT_EQ(0, import(fd, &b));
	EXPECT_EQ(a.dev_addr + (64ull << 20), b.dev_addr);
	map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, buf, 0);
	ASSERT_NE(MAP_FAILED, map);
	gt_fill(map, 4096, 9);
	ASSERT_EQ(0, copy(fd, &self->cb, Q_DOWN, a.dev_addr, sram, 4096));
	ASSERT_EQ(0, gt_unmap(fd, a.dev_addr));
	ASSERT_EQ(0, copy(fd, &self->cb, Q_UP, sram, b.dev_addr + 4096, 4096));
	EXPECT_EQ(-1, gt_check(map + 4096, 4096, 9));
	munmap(map, SIZE);
	close(buf);
	/* b is left to the kernel, and the next user finds no trace of it. */
	gt_cb_destroy(fd, &self->cb);
	close(fd);
	self->fd = gt_open();
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, gt_cb_create(self->fd, 4096, &self->cb));
	EXPECT_EQ(-EINVAL, gt_unmap(self->fd, b.dev_addr));
}

TEST_F(dmabuf, what_is_refused)
{
	struct drm_gaudi_import args = { .fd = -1 };
	int pipes[2], fd = self->fd;

	REQUIRE_IMPORT();
	ASSERT_EQ(0, pipe(pipes));
	EXPECT_EQ(-EBADF, import(fd, &args));
	args.fd = pipes[0];
	EXPECT_EQ(-EINVAL, import(fd, &args));
	args.fd = make_heap(O_RDONLY);
	ASSERT_GE(args.fd, 0);
	EXPECT_EQ(-EACCES, import(fd, &args));
	args.fd = export_hbm(fd, HBM_USER, 4096);
	ASSERT_GE(args.fd, 0);
	EXPECT_EQ(-EOPNOTSUPP, import(fd, &args));
	EXPECT_EQ(0, args.dev_addr);
	close(args.fd);
}

/* The buffer's own fences: in by the kernel's ioctl, out by the kernel's. */
TEST_F(dmabuf, fences_of_the_buffer)
{
	struct dma_buf_import_sync_file in = { .flags = DMA_BUF_SYNC_WRITE };
	struct dma_buf_export_sync_file out = { .flags = DMA_BUF_SYNC_READ };
	struct hl_cs_chunk chunk = { .cb_handle = self->cb.handle };
	struct drm_gaudi_cs cs = { .chunks = (uintptr_t)&chunk,
				   .num_chunks = 1,
				   .flags = GAUDI_CS_OUT_FENCE_FD };
	int buf = make_udmabuf(), fd = self->fd;
	struct pollfd p = { .fd = buf, .events = POLLIN };
	uint32_t status;

	REQUIRE_IMPORT();
	ASSERT_GE(buf, 0);
	chunk.cb_size = gt_pkt_fence(self->cb.map, 2, 1, 1);
	chunk.queue_index = Q_UP;
	ASSERT_EQ(0, gt_ioctl(fd, DRM_IOCTL_GAUDI_CS, &cs));
	in.fd = cs.out_fence_fd;
	ASSERT_EQ(0, gt_ioctl(buf, DMA_BUF_IOCTL_IMPORT_SYNC_FILE, &in));
	EXPECT_EQ(0, poll(&p, 1, 0));
	ASSERT_EQ(0, gt_ioctl(buf, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &out));
	cs.flags = GAUDI_CS_IN_FENCE_FD;
	cs.in_fence_fd = out.fd;
	chunk.cb_size = gt_pkt_nop(self->cb.map, 0);
	chunk.queue_index = Q_DOWN + 1;
	ASSERT_EQ(0, gt_ioctl(fd, DRM_IOCTL_GAUDI_CS, &cs));
	EXPECT_EQ(0, gt_wait(fd, cs.seq, 0, &status));
	EXPECT_EQ(HL_WAIT_CS_STATUS_BUSY, status);
	self->cb.len = gt_pkt_msg_long(self->cb.map, DMA_FENCE2(1, 0), 1, 0);
	ASSERT_EQ(0, gt_run(fd, Q_DOWN, &self->cb));
	EXPECT_EQ(1, poll(&p, 1, 60000));
	EXPECT_EQ(0, gt_wait(fd, cs.seq, 60000000, &status));
	EXPECT_EQ(HL_WAIT_CS_STATUS_COMPLETED, status);
}

/* On both drivers. */
TEST_F(dmabuf, export_outlives_the_file)
{
	int buf = export_hbm(self->fd, HBM_USER, 1 << 20), fd;

	ASSERT_GE(buf, 0);
	EXPECT_EQ(1 << 20, lseek(buf, 0, SEEK_END));
	/* HBM is seen through a BAR: there are no pages to map. */
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 4096, PROT_READ, MAP_SHARED, buf, 0));
	EXPECT_EQ(-EINVAL, export_hbm(self->fd, HBM_USER, 100));
	EXPECT_EQ(-EINVAL, export_hbm(self->fd, 0, 4096));
	EXPECT_EQ(-EINVAL, export_hbm(self->fd, HBM_USER, 1ull << 60));
	EXPECT_EQ(-EINVAL, export_hbm(self->fd, HBM_USER, 0));
	gt_cb_destroy(self->fd, &self->cb);
	close(self->fd);
	self->fd = -1;
	/* The range still has an owner. */
	fd = gt_open_once();
	EXPECT_EQ(-EBUSY, fd);
	close(buf);
	fd = gt_open();
	EXPECT_GE(fd, 0);
	close(fd);
}

/* Flags that no file has are ignored, and so on mainline: they cost nothing. */
TEST_F(dmabuf, export_with_flags_of_no_file)
{
	int buf = export_with(self->fd, HBM_USER, 4096, ~0u & ~O_ACCMODE), fd;

	ASSERT_GE(buf, 0);
	EXPECT_EQ(FD_CLOEXEC, fcntl(buf, F_GETFD));
	EXPECT_EQ(O_RDONLY | O_NONBLOCK, fcntl(buf, F_GETFL));
	EXPECT_EQ(4096, lseek(buf, 0, SEEK_END));
	EXPECT_EQ(-EINVAL, export_with(self->fd, 0, 4096, ~0u));
	close(buf);
	gt_cb_destroy(self->fd, &self->cb);
	close(self->fd);
	self->fd = -1;
	/* Nothing has kept the card. */
	fd = gt_open();
	EXPECT_GE(fd, 0);
	close(fd);
}

/* Another driver's node; it can import what has no struct pages only by name. */
static int open_vgem(void)
{
	char path[64], name[16] = "";
	int i, fd;

	if (system("modprobe vgem 2>/dev/null"))
		return -1;
	for (i = 0; i < 16; i++) {
		struct drm_version v = { .name = name,
					 .name_len = sizeof(name) };

		snprintf(path, sizeof(path), "/dev/dri/card%d", i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd >= 0 && !ioctl(fd, DRM_IOCTL_VERSION, &v) &&
		    !strncmp(name, "vgem", 4))
			return fd;
		close(fd);
	}
	return -1;
}

static int prime_import(int fd, int buf)
{
	struct drm_prime_handle args = { .fd = buf };

	return gt_ioctl(fd, DRM_IOCTL_PRIME_FD_TO_HANDLE, &args);
}

/*
 * Newer kernels' map what they import when it is used, which user space cannot ask
 * vgem for.
 */
static bool vgem_maps_imports(void)
{
	return system("grep -q drm_gem_shmem_prime_import_no_map /proc/kallsyms");
}

/* DRM's own calls for GEM objects, of which an accel node has none. */
TEST_F(dmabuf, no_gem_objects)
{
	struct drm_prime_handle args = { .handle = 1, .flags = DRM_CLOEXEC };
	int buf = make_heap(O_RDWR), pipes[2];

	ASSERT_GE(buf, 0);
	ASSERT_EQ(0, pipe(pipes));
	EXPECT_EQ(-ENOENT, gt_ioctl(self->fd, DRM_IOCTL_PRIME_HANDLE_TO_FD,
				    &args));
	EXPECT_EQ(-EBADF, prime_import(self->fd, -1));
	EXPECT_EQ(-EINVAL, prime_import(self->fd, pipes[0]));
	EXPECT_EQ(-EINVAL, prime_import(self->fd, buf));
	close(buf);
}

/* Who cannot reach the card gets nothing; after a reset nobody does. */
TEST_F_TIMEOUT(dmabuf, reset_revokes_exports, 300)
{
	int socks[2], buf, vgem, status;
	pid_t pid;

	REQUIRE_IMPORT();
	vgem = open_vgem();
	if (vgem < 0)
		SKIP(return, "no second driver");
	if (!vgem_maps_imports())
		SKIP(return, "the second driver maps nothing");
	gt_cb_destroy(self->fd, &self->cb);
	close(self->fd);
	self->fd = -1;
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, socks));
	pid = fork();
	if (!pid) {
		gt_send_fd(socks[1], export_hbm(gt_open(), HBM_USER, 4096));
		for (;;)
			pause();
	}
	buf = gt_recv_fd(socks[0]);
	ASSERT_GE(buf, 0);
	EXPECT_EQ(-EPERM, prime_import(vgem, buf));
	EXPECT_EQ(0, gt_sysfs_write("hard_reset", "1"));
	EXPECT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(-ENODEV, prime_import(vgem, buf));
	close(buf);
	close(vgem);
	EXPECT_EQ(0, gt_wait_operational(120));
}

TEST_HARNESS_MAIN
