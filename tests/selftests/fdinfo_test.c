// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proves: /proc/PID/fdinfo has the kernel's standard keys, engine time passes
 * while work runs and at no other time, and memory counts up and down; pinned
 * memory is the process's own.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "../../uapi/drm/gaudi_accel.h"
#include "lib/fixture.h"

#define Q_PCI_DMA	4
#define Q_HBM_DMA	9	/* DMA 2 */
#define Q_OPEN		0

GAUDI_FIXTURE(fdinfo)

/* The rest of the line "key:" of a file, or "" if there is none. */
static const char *lookup(const char *path, const char *key)
{
	static char line[256];
	size_t len = strlen(key);
	FILE *f = fopen(path, "r");

	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, key, len) || line[len] != ':')
			continue;
		fclose(f);
		line[strcspn(line, "\n")] = 0;
		return line + len + 1 + strspn(line + len + 1, " \t");
	}
	if (f)
		fclose(f);
	return "";
}

static const char *info(int fd, const char *key)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	return lookup(path, key);
}

/* A number and its unit; -1 if it is not there. */
static long long value(int fd, const char *key, const char *unit)
{
	char *end;
	long long n = strtoll(info(fd, key), &end, 10);

	return *end == ' ' && !strcmp(end + 1, unit) ? n : -1;
}

static long long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ll + ts.tv_nsec;
}

#define REQUIRE_ENGINES()						\
	do {								\
		if (value(self->fd, "drm-engine-tpc", "ns") < 0 &&	\
		    !gt_has(self->fd, GAUDI_CAP_HBM_ALLOC))		\
			SKIP(return, "a driver without engine times");	\
	} while (0)

TEST_F(fdinfo, standard_keys)
{
	static const struct {
		const char *engine;
		int num;
	} engines[] = { { "pci-dma", 2 }, { "hbm-dma", 6 }, { "mme", 2 },
			{ "tpc", 8 } };
	char pci[64], id[32], key[64];
	int i;

	REQUIRE_ENGINES();
	ASSERT_EQ(0, gt_sysfs_read("pci_addr", pci, sizeof(pci)));
	EXPECT_STREQ("gaudi", info(self->fd, "drm-driver"));
	EXPECT_STREQ(pci, info(self->fd, "drm-pdev"));
	snprintf(id, sizeof(id), "%d", atoi(info(self->fd, "drm-client-id")));
	EXPECT_STREQ(id, info(self->fd, "drm-client-id"));
	for (i = 0; i < 4; i++) {
		snprintf(key, sizeof(key), "drm-engine-%s", engines[i].engine);
		EXPECT_EQ(0, value(self->fd, key, "ns"));
		snprintf(key, sizeof(key), "drm-engine-capacity-%s",
			 engines[i].engine);
		EXPECT_EQ(engines[i].num, atoi(info(self->fd, key)));
	}
}

TEST_F(fdinfo, engine_time_while_work_runs)
{
	struct hl_cs_chunk chunks[2] = {};
	long long t[6], wall;
	uint32_t status;
	uint64_t va, seq;
	void *host;

	REQUIRE_ENGINES();
	host = gt_alloc(4096);
	ASSERT_NE(NULL, host);
	ASSERT_EQ(0, gt_map_host(self->fd, host, 4096, &va));
	wall = now_ns();
	/* An external queue waits; an internal one has nothing to do. */
	chunks[0].cb_handle = self->cb.handle;
	chunks[0].cb_size = gt_pkt_fence(self->cb.map, 2, 1, 1);
	chunks[0].queue_index = Q_PCI_DMA;
	chunks[1].cb_handle = va;
	chunks[1].cb_size = gt_pkt_nop(host, 0);
	chunks[1].queue_index = Q_HBM_DMA;
	ASSERT_EQ(0, gt_submit_chunks(self->fd, chunks, 2, 0, &seq));
	usleep(20000);
	t[0] = value(self->fd, "drm-engine-pci-dma", "ns");
	t[1] = value(self->fd, "drm-engine-hbm-dma", "ns");
	usleep(50000);
	t[2] = value(self->fd, "drm-engine-pci-dma", "ns");
	t[3] = value(self->fd, "drm-engine-hbm-dma", "ns");
	EXPECT_GE(t[0], 20000000);
	EXPECT_GE(t[2], t[0] + 50000000);
	EXPECT_GE(t[3], t[1] + 50000000);
	EXPECT_LE(t[2], now_ns() - wall);
	EXPECT_EQ(0, value(self->fd, "drm-engine-tpc", "ns"));

	self->cb.len = gt_pkt_msg_long(self->cb.map, DMA_FENCE2(1, 0), 1, 0);
	ASSERT_EQ(0, gt_run(self->fd, Q_OPEN, &self->cb));
	ASSERT_EQ(0, gt_wait(self->fd, seq, 60000000, &status));
	wall = now_ns() - wall;
	t[4] = value(self->fd, "drm-engine-pci-dma", "ns");
	t[5] = value(self->fd, "drm-engine-hbm-dma", "ns");
	/* Two engines: the one that opened the gate worked as well. */
	EXPECT_GE(t[4], t[2]);
	EXPECT_LE(t[4], 2 * wall);
	EXPECT_LE(t[5], wall);
	usleep(50000);
	EXPECT_EQ(t[4], value(self->fd, "drm-engine-pci-dma", "ns"));
	EXPECT_EQ(t[5], value(self->fd, "drm-engine-hbm-dma", "ns"));
}

/* Four streams of one engine at work are not four engines. */
TEST_F(fdinfo, streams_are_one_engine)
{
	long long wall = now_ns(), busy;
	uint64_t seq[4];
	uint32_t status;
	int i;

	REQUIRE_ENGINES();
	self->cb.len = gt_pkt_fence(self->cb.map, 2, 1, 1);
	for (i = 0; i < 4; i++)
		ASSERT_EQ(0, gt_submit(self->fd, Q_PCI_DMA + i, &self->cb,
				       &seq[i]));
	usleep(50000);
	busy = value(self->fd, "drm-engine-pci-dma", "ns");
	EXPECT_GE(busy, 50000000);
	EXPECT_LE(busy, now_ns() - wall);
	/* This one works too, so that the sum may have twice the time. */
	for (i = 0; i < 4; i++) {
		self->cb.len = gt_pkt_msg_long(self->cb.map, DMA_FENCE2(1, i),
					       1, 0);
		ASSERT_EQ(0, gt_run(self->fd, Q_OPEN, &self->cb));
		ASSERT_EQ(0, gt_wait(self->fd, seq[i], 60000000, &status));
	}
	busy = value(self->fd, "drm-engine-pci-dma", "ns");
	EXPECT_LE(busy, 2 * (now_ns() - wall));
}

TEST_F(fdinfo, memory)
{
	union hl_mem_args args = { .in = { .op = HL_MEM_OP_ALLOC,
					   .alloc.mem_size = 3 << 20 } };
	void *host = gt_alloc(1 << 20);
	struct gt_cb cb;
	long long mem;
	uint64_t va;

	REQUIRE_ENGINES();
	ASSERT_NE(NULL, host);
	EXPECT_EQ(0, value(self->fd, "drm-total-hbm", "KiB"));
	ASSERT_EQ(0, gt_ioctl(self->fd, DRM_IOCTL_HL_MEMORY, &args));
	EXPECT_EQ(3 << 10, value(self->fd, "drm-total-hbm", "KiB"));
	EXPECT_EQ(3 << 10, value(self->fd, "drm-resident-hbm", "KiB"));

	/* The fixture's command buffer is there already. */
	mem = value(self->fd, "drm-total-memory", "KiB");
	EXPECT_EQ(16, mem);
	ASSERT_EQ(0, gt_map_host(self->fd, host, 1 << 20, &va));
	ASSERT_EQ(0, gt_cb_create(self->fd, 1 << 16, &cb));
	EXPECT_EQ(mem + 1024 + 64, value(self->fd, "drm-total-memory", "KiB"));
	EXPECT_EQ(0, value(self->fd, "drm-shared-memory", "KiB"));
	ASSERT_EQ(0, gt_unmap(self->fd, va));
	ASSERT_EQ(0, gt_cb_destroy(self->fd, &cb));
	EXPECT_EQ(mem, value(self->fd, "drm-total-memory", "KiB"));
}

static long vm_pin(void)
{
	return atol(lookup("/proc/self/status", "VmPin"));
}

static int enforce(const char *value)
{
	int fd = open("/sys/module/gaudi/parameters/enforce_memlock", O_WRONLY);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, value, 1);
	close(fd);
	return n == 1 ? 0 : -errno;
}

TEST_F(fdinfo, pinned_memory_is_the_process_s)
{
	void *host = gt_alloc(4 << 20);
	struct rlimit limit;
	long before = vm_pin();
	uint64_t va, bad;

	REQUIRE_ENGINES();
	ASSERT_NE(NULL, host);
	ASSERT_EQ(0, gt_map_host(self->fd, host, 4 << 20, &va));
	EXPECT_EQ(before + 4096, vm_pin());
	EXPECT_NE(0, gt_map_host(self->fd, (void *)4096, 4096, &bad));
	EXPECT_EQ(before + 4096, vm_pin());
	EXPECT_EQ(0, gt_unmap(self->fd, va));
	EXPECT_EQ(before, vm_pin());

	/* Who may lock memory may pin it; else there is a limit, if wanted. */
	ASSERT_EQ(0, getrlimit(RLIMIT_MEMLOCK, &limit));
	limit.rlim_cur = 1 << 20;
	ASSERT_EQ(0, setrlimit(RLIMIT_MEMLOCK, &limit));
	ASSERT_EQ(0, enforce("Y"));
	EXPECT_EQ(0, gt_map_host(self->fd, host, 4 << 20, &va));
	EXPECT_EQ(0, gt_unmap(self->fd, va));
	ASSERT_EQ(0, seteuid(65534));
	EXPECT_EQ(-ENOMEM, gt_map_host(self->fd, host, 4 << 20, &va));
	EXPECT_EQ(0, gt_map_host(self->fd, host, 1 << 20, &va));
	EXPECT_EQ(-ENOMEM, gt_map_host(self->fd, host, 4096, &bad));
	EXPECT_EQ(0, gt_unmap(self->fd, va));
	ASSERT_EQ(0, seteuid(0));
	ASSERT_EQ(0, enforce("N"));
	ASSERT_EQ(0, seteuid(65534));
	EXPECT_EQ(0, gt_map_host(self->fd, host, 4 << 20, &va));
	EXPECT_EQ(0, gt_unmap(self->fd, va));
	ASSERT_EQ(0, seteuid(0));
	EXPECT_EQ(before, vm_pin());
}

TEST_HARNESS_MAIN
