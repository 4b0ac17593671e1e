// SPDX-License-Identifier: GPL-2.0-only
/* Proves: host memory is mapped, used, unmapped, and wrong requests refused. */
#include <pthread.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "lib/fixture.h"

GAUDI_FIXTURE(memory)

TEST_F(memory, map_and_unmap)
{
	void *p = gt_alloc(0x10000);
	uint64_t va;

	ASSERT_NE(NULL, p);
	ASSERT_EQ(0, gt_map_host(self->fd, p, 0x10000, &va));
	EXPECT_GE(va, 0x1000000000000ull);
	EXPECT_LE(va, 0x27fbfffffffffull);
	EXPECT_EQ(0, gt_unmap(self->fd, va));
}

TEST_F(memory, unmap_twice_fails)
{
	void *p = gt_alloc(4096);
	uint64_t va;

	ASSERT_EQ(0, gt_map_host(self->fd, p, 4096, &va));
	ASSERT_EQ(0, gt_unmap(self->fd, va));
	EXPECT_EQ(-EINVAL, gt_unmap(self->fd, va));
}

/* One mapping is as good as the other, and does not end with it. */
TEST_F(memory, same_memory_twice)
{
	uint32_t *p = gt_alloc(0x2000);
	uint64_t first, second;
	struct gt_cb cb;

	ASSERT_NE(NULL, p);
	ASSERT_EQ(0, gt_map_host(self->fd, p, 0x2000, &first));
	ASSERT_EQ(0, gt_map_host(self->fd, p, 0x2000, &second));
	EXPECT_NE(first, second);
	EXPECT_EQ(0, gt_unmap(self->fd, first));
	p[0] = 0x600df00d;
	ASSERT_EQ(0, gt_cb_create(self->fd, 4096, &cb));
	cb.len = gt_pkt_lin_dma(cb.map, second, SRAM_BASE + 0x10000, 4, EB);
	ASSERT_EQ(0, gt_run(self->fd, GAUDI_QUEUE_ID_DMA_0_0, &cb));
	cb.len = gt_pkt_lin_dma(cb.map, SRAM_BASE + 0x10000, second + 0x1000, 4,
				EB);
	ASSERT_EQ(0, gt_run(self->fd, GAUDI_QUEUE_ID_DMA_1_0, &cb));
	EXPECT_EQ(0x600df00d, p[0x400]);
	EXPECT_EQ(0, gt_unmap(self->fd, second));
}

TEST_F(memory, offset_in_page_is_kept)
{
	char *p = gt_alloc(0x3000);
	uint64_t va;

	ASSERT_EQ(0, gt_map_host(self->fd, p + 0x123, 0x1800, &va));
	EXPECT_EQ(0x123, va & 0xfff);
	EXPECT_EQ(0, gt_unmap(self->fd, va));
}

TEST_F(memory, refuses_nonsense)
{
	char *p = gt_alloc(4096);
	/* A page that stays free: no fixed address does in every process. */
	char *hole = mmap(NULL, 3 * 4096, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t va;

	ASSERT_NE(MAP_FAILED, hole);
	ASSERT_EQ(0, munmap(hole + 4096, 4096));
	EXPECT_EQ(-EINVAL, gt_map_host(self->fd, p, 0, &va));
	EXPECT_NE(0, gt_map_host(self->fd, NULL, 4096, &va));
	EXPECT_EQ(-EFAULT, gt_map_host(self->fd, hole, 4096, &va));
	EXPECT_EQ(-EFAULT, gt_map_host(self->fd, hole + 4096, 4096, &va));
	EXPECT_EQ(-EINVAL, gt_map_host(self->fd, p, ~0ull - 100, &va));
	EXPECT_EQ(-EINVAL, gt_unmap(self->fd, 0x1234000));
	EXPECT_EQ(-EINVAL, gt_unmap(self->fd, ~0ull));
	EXPECT_EQ(0, munmap(hole, 3 * 4096));
}

TEST_F(memory, bad_opcode)
{
	union hl_mem_args args = { .in = { .op = 99 } };

	EXPECT_EQ(-EINVAL, gt_ioctl(self->fd, DRM_IOCTL_HL_MEMORY, &args));
}

TEST_F(memory, zero_allocation_is_refused)
{
	union hl_mem_args args = { .in = { .op = HL_MEM_OP_ALLOC } };

	EXPECT_EQ(-EINVAL, gt_ioctl(self->fd, DRM_IOCTL_HL_MEMORY, &args));
}

TEST_F(memory, allocation_is_accounted)
{
	struct hl_info_dram_usage before, after;
	union hl_mem_args args = { .in = {
		.alloc = { .mem_size = 64 << 20 },
		.op = HL_MEM_OP_ALLOC, .flags = HL_MEM_CONTIGUOUS } };

	ASSERT_EQ(0, gt_info(self->fd, HL_INFO_DRAM_USAGE, &before,
			     sizeof(before)));
	ASSERT_EQ(0, gt_ioctl(self->fd, DRM_IOCTL_HL_MEMORY, &args));
	ASSERT_EQ(0, gt_info(self->fd, HL_INFO_DRAM_USAGE, &after,
			     sizeof(after)));
	EXPECT_EQ(64u << 20, after.ctx_dram_mem - before.ctx_dram_mem);
	EXPECT_EQ(64u << 20, before.dram_free_mem - after.dram_free_mem);
}

/* Bytes of HBM that this file has. */
static uint64_t hbm_bytes(int fd)
{
	struct hl_info_dram_usage usage = { 0 };

	if (gt_info(fd, HL_INFO_DRAM_USAGE, &usage, sizeof(usage)))
		return UINT64_MAX;
	return usage.ctx_dram_mem;
}

static int hbm_alloc(int fd, union hl_mem_args *args, uint64_t size)
{
	memset(args, 0, sizeof(*args));
	args->in.op = HL_MEM_OP_ALLOC;
	args->in.alloc.mem_size = size;
	return gt_ioctl(fd, DRM_IOCTL_HL_MEMORY, args);
}

/* By the handle that ALLOC left in args; of none, by the size. */
static int hbm_free(int fd, union hl_mem_args *args, uint64_t size)
{
	uint64_t handle = args->out.handle ? args->out.handle : size;

	memset(args, 0, sizeof(*args));
	args->in.op = HL_MEM_OP_FREE;
	args->in.free.handle = handle;
	return gt_ioctl(fd, DRM_IOCTL_HL_MEMORY, args);
}

static int hbm_alloc_pages(int fd, union hl_mem_args *args, uint64_t size,
			   uint64_t page_size)
{
	memset(args, 0, sizeof(*args));
	args->in.op = HL_MEM_OP_ALLOC;
	args->in.alloc.mem_size = size;
	args->in.alloc.page_size = page_size;
	return gt_ioctl(fd, DRM_IOCTL_HL_MEMORY, args);
}

/* No address, without an error: a driver that only counts. */
static int hbm_map(int fd, uint64_t handle, uint64_t *addr)
{
	union hl_mem_args args = { .in.op = HL_MEM_OP_MAP };
	int rc;

	*addr = 0;
	if (!handle)
		return 0;
	args.in.map_device.handle = handle;
	rc = gt_ioctl(fd, DRM_IOCTL_HL_MEMORY, &args);
	*addr = args.out.device_virt_addr;
	return rc;
}

static int hbm_unmap(int fd, uint64_t addr)
{
	union hl_mem_args args = { .in.op = HL_MEM_OP_UNMAP };

	args.in.unmap.device_virt_addr = addr;
	return addr ? gt_ioctl(fd, DRM_IOCTL_HL_MEMORY, &args) : 0;
}

/*
 * A page size is one if it is a power of two; no other value is refused. Each is
 * asked for behind a block that was freed last, and is of the same bytes.
 */
TEST_F(memory, page_sizes)
{
	static const uint64_t sizes[] = {
		0, 4096, 2 << 20, 1 << 30, 3, 8 << 20, 6 << 20, 256 << 20,
		UINT64_MAX, 2ull << 30, 1, 64 << 20,
	};
	uint64_t before = hbm_bytes(self->fd), addr;
	union hl_mem_args args, first;
	size_t i;

	/* So that the first place that is free is no good one. */
	ASSERT_EQ(0, hbm_alloc(self->fd, &first, 2 << 20));
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint64_t page = sizes[i], handle;

		ASSERT_EQ(0, hbm_alloc_pages(self->fd, &args, 2 << 20, page));
		EXPECT_EQ(4 << 20, hbm_bytes(self->fd) - before);
		handle = args.out.handle;
		EXPECT_EQ(0, hbm_map(self->fd, handle, &addr));
		EXPECT_TRUE(!page || page & (page - 1) || !(addr & (page - 1)));
		EXPECT_EQ(0, hbm_unmap(self->fd, addr));
		args.out.handle = handle;
		EXPECT_EQ(0, hbm_free(self->fd, &args, 2 << 20));
	}
	EXPECT_EQ(0, hbm_free(self->fd, &first, 2 << 20));
	/* Larger than all there is: no page. */
	ASSERT_EQ(0, hbm_alloc_pages(self->fd, &args, 2 << 20, 1ull << 40));
	EXPECT_EQ(0, hbm_free(self->fd, &args, 2 << 20));
	EXPECT_EQ(before, hbm_bytes(self->fd));
}

/* What was freed last and is asked for again takes a way of its own. */
TEST_F(memory, allocated_and_freed_again)
{
	uint64_t before = hbm_bytes(self->fd), handle;
	union hl_mem_args args, zero;
	int i;

	for (i = 0; i < 4; i++) {
		ASSERT_EQ(0, hbm_alloc(self->fd, &args, 2 << 20));
		/* The rest of the argument is zeros. */
		memset(&zero, 0, sizeof(zero));
		zero.out.handle = args.out.handle;
		EXPECT_EQ(0, memcmp(&zero, &args, sizeof(args)));
		EXPECT_EQ(2 << 20, hbm_bytes(self->fd) - before);
		args.out.handle = handle = args.out.handle ?: 2 << 20;
		ASSERT_EQ(0, hbm_free(self->fd, &args, 2 << 20));
		/* FREE leaves what it was given. */
		EXPECT_EQ(HL_MEM_OP_FREE, args.in.op);
		EXPECT_EQ(handle, args.in.free.handle);
		EXPECT_EQ(before, hbm_bytes(self->fd));
	}
}

/* FREE of what nobody has looks at all there is, in steps, and takes nothing. */
TEST_F_TIMEOUT(memory, free_of_nothing_among_many, 120)
{
	static const uint64_t none[] = {
		INT32_MAX, UINT32_MAX, 10 << 20, (2 << 20) + 1, 1ull << 40,
		UINT64_MAX,
	};
	enum { BLOCKS = 1024 };
	static union hl_mem_args args[BLOCKS];
	uint64_t before = hbm_bytes(self->fd), all;
	union hl_mem_args last, odd = { 0 };
	size_t i;

	for (i = 0; i < BLOCKS; i++) {
		ASSERT_EQ(0, hbm_alloc(self->fd, &args[i], 2 << 20));
		if (args[i].out.handle)
			continue;
		EXPECT_EQ(0, hbm_free(self->fd, &args[i], 2 << 20));
		SKIP(return, "a driver that only counts");
	}
	ASSERT_EQ(0, hbm_alloc(self->fd, &last, 6 << 20));
	all = hbm_bytes(self->fd);
	for (i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		odd.out.handle = none[i];
		EXPECT_EQ(-EINVAL, hbm_free(self->fd, &odd, 0));
	}
	EXPECT_EQ(all, hbm_bytes(self->fd));
	/* The one of its size is behind all others. */
	memset(&odd, 0, sizeof(odd));
	EXPECT_EQ(0, hbm_free(self->fd, &odd, 6 << 20));
	EXPECT_EQ(all - (6 << 20), hbm_bytes(self->fd));
	EXPECT_EQ(-EINVAL, hbm_free(self->fd, &last, 0));
	for (i = 0; i < BLOCKS; i++)
		EXPECT_EQ(0, hbm_free(self->fd, &args[i], 0));
	EXPECT_EQ(before, hbm_bytes(self->fd));
}

/* An argument that cannot be written: the call has been made all the same. */
TEST_F(memory, argument_that_is_read_only)
{
	uint64_t before = hbm_bytes(self->fd);
	union hl_mem_args args, *at;
	char *p = gt_alloc(0x2000);
	size_t off;

	ASSERT_NE(NULL, p);
	/* All of it, and its end only. */
	for (off = 0x1000; off >= 0x1000 - sizeof(args) / 2;
	     off -= sizeof(args) / 2) {
		at = (void *)(p + off);
		/* One that was freed before, and may be taken again. */
		ASSERT_EQ(0, hbm_alloc(self->fd, &args, 2 << 20));
		ASSERT_EQ(0, hbm_free(self->fd, &args, 2 << 20));
		ASSERT_EQ(0, hbm_alloc(self->fd, &args, 2 << 20));
		memset(at, 0, sizeof(*at));
		at->in.op = HL_MEM_OP_FREE;
		at->in.free.handle = args.out.handle ?: 2 << 20;
		ASSERT_EQ(0, mprotect(p + 0x1000, 0x1000, PROT_READ));
		EXPECT_EQ(-EFAULT, gt_ioctl(self->fd, DRM_IOCTL_HL_MEMORY, at));
		EXPECT_EQ(before, hbm_bytes(self->fd));
		ASSERT_EQ(0, mprotect(p + 0x1000, 0x1000,
				      PROT_READ | PROT_WRITE));
		memset(at, 0, sizeof(*at));
		at->in.op = HL_MEM_OP_ALLOC;
		at->in.alloc.mem_size = 2 << 20;
		ASSERT_EQ(0, mprotect(p + 0x1000, 0x1000, PROT_READ));
		EXPECT_EQ(-EFAULT, gt_ioctl(self->fd, DRM_IOCTL_HL_MEMORY, at));
		EXPECT_EQ(2 << 20, hbm_bytes(self->fd) - before);
		ASSERT_EQ(0, mprotect(p + 0x1000, 0x1000,
				      PROT_READ | PROT_WRITE));
		/* Nobody was told a handle; a size is as good. */
		memset(&args, 0, sizeof(args));
		EXPECT_EQ(0, hbm_free(self->fd, &args, 2 << 20));
	}
}

/* One whose end is not there at all: nothing has happened. */
TEST_F(memory, argument_that_ends_early)
{
	uint64_t before = hbm_bytes(self->fd);
	union hl_mem_args args, *at;
	char *p = gt_alloc(0x2000);

	ASSERT_NE(NULL, p);
	ASSERT_EQ(0, munmap(p + 0x1000, 0x1000));
	ASSERT_EQ(0, hbm_alloc(self->fd, &args, 2 << 20));
	ASSERT_EQ(0, hbm_free(self->fd, &args, 2 << 20));
	at = (void *)(p + 0x1000 - sizeof(args) + sizeof(uint64_t));
	at->in.op = HL_MEM_OP_ALLOC;
	at->in.alloc.mem_size = 2 << 20;
	EXPECT_EQ(-EFAULT, gt_ioctl(self->fd, DRM_IOCTL_HL_MEMORY, at));
	EXPECT_EQ(before, hbm_bytes(self->fd));
	at->in.op = HL_MEM_OP_FREE;
	ASSERT_EQ(0, hbm_alloc(self->fd, &args, 2 << 20));
	at->in.free.handle = args.out.handle ?: 2 << 20;
	EXPECT_EQ(-EFAULT, gt_ioctl(self->fd, DRM_IOCTL_HL_MEMORY, at));
	EXPECT_EQ(2 << 20, hbm_bytes(self->fd) - before);
	EXPECT_EQ(0, hbm_free(self->fd, &args, 2 << 20));
}

struct taker {
	int fd;
	int errors;
};

static void *take_and_free(void *arg)
{
	struct taker *t = arg;
	union hl_mem_args args;
	int i;

	for (i = 0; i < 5000; i++) {
		if (hbm_alloc(t->fd, &args, i % 100 ? 2 << 20 : 4 << 20) ||
		    hbm_free(t->fd, &args, i % 100 ? 2 << 20 : 4 << 20))
			t->errors++;
	}
	return NULL;
}

/* No block is given to two, and none is lost. */
TEST_F(memory, threads_allocate_and_free)
{
	uint64_t before = hbm_bytes(self->fd);
	struct taker takers[3];
	pthread_t threads[3];
	int i;

	for (i = 0; i < 3; i++) {
		takers[i] = (struct taker){ .fd = self->fd };
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, take_and_free,
					    &takers[i]));
	}
	for (i = 0; i < 3; i++) {
		pthread_join(threads[i], NULL);
		EXPECT_EQ(0, takers[i].errors);
	}
	EXPECT_EQ(before, hbm_bytes(self->fd));
}

TEST_F(memory, thousand_mappings)
{
	char *p = gt_alloc(1000 * 4096);
	uint64_t va[1000];
	int i;

	for (i = 0; i < 1000; i++)
		ASSERT_EQ(0, gt_map_host(self->fd, p + 4096 * i, 4096,
					 &va[i]));
	for (i = 999; i >= 0; i -= 2)
		ASSERT_EQ(0, gt_unmap(self->fd, va[i]));
	for (i = 0; i < 1000; i += 2)
		ASSERT_EQ(0, gt_unmap(self->fd, va[i]));
}

TEST_F(memory, close_cleans_up_what_leaked)
{
	char *p = gt_alloc(1 << 20);
	uint64_t va;

	/* A mapped command buffer would keep the file open. */
	ASSERT_EQ(0, gt_cb_destroy(self->fd, &self->cb));
	ASSERT_EQ(0, gt_map_host(self->fd, p, 1 << 20, &va));
	close(self->fd);
	self->fd = gt_open();
	ASSERT_GE(self->fd, 0);
	EXPECT_EQ(-EINVAL, gt_unmap(self->fd, va));
	ASSERT_EQ(0, gt_cb_create(self->fd, 0x4000, &self->cb));
}

TEST_F(memory, hardware_block_is_not_mappable)
{
	union hl_mem_args args = { .in = {
		.map_block = { .block_addr = CFG_BASE + 0x500000 },
		.op = HL_MEM_OP_MAP_BLOCK } };

	EXPECT_EQ(-EPERM, gt_ioctl(self->fd, DRM_IOCTL_HL_MEMORY, &args));
}

#define CGROUP	"/tmp/cgroup-memory_test"
#define TS_MAX	(1u << 20)		/* elements of 8 bytes */
#define TS_LIMIT	"33554432"	/* four buffers of that */

/* In a group of its own; how many buffers it gets, and why no more; or -errno. */
static int alloc_in_a_group(int fd)
{
	char pid[16];
	int n, ret;

	snprintf(pid, sizeof(pid), "%d", getpid());
	ret = gt_write_file(CGROUP "/test/memory.max", TS_LIMIT) ?:
	      gt_write_file(CGROUP "/test/cgroup.procs", pid);
	if (ret)
		return ret;
	for (n = 0; n < 16; n++) {
		union hl_mem_args args = { .in = { .op = HL_MEM_OP_TS_ALLOC,
			.num_of_elements = TS_MAX } };

		ret = gt_ioctl(fd, DRM_IOCTL_HL_MEMORY, &args);
		if (ret)
			return ret == -ENOMEM ? n : ret;
	}
	return n;
}

/* False: this kernel has no such groups, or the older kind counts memory. */
static bool make_group(void)
{
	mkdir(CGROUP, 0700);
	if (mount("none", CGROUP, "cgroup2", 0, NULL))
		return false;
	gt_write_file(CGROUP "/cgroup.subtree_control", "+memory");
	return !mkdir(CGROUP "/test", 0700) &&
	       !access(CGROUP "/test/memory.max", W_OK);
}

static void remove_group(void)
{
	rmdir(CGROUP "/test");
	umount(CGROUP);
	rmdir(CGROUP);
}

/* ... are charged to who asks for them, who gets an error at his limit. */
TEST_F(memory, timestamp_buffers_are_charged)
{
	int status = 0;
	pid_t child;

	if (!access("/sys/module/habanalabs", F_OK))
		SKIP(return, "the stock driver charges nobody");
	if (!make_group()) {
		remove_group();
		SKIP(return, "no memory.max of a cgroup2");
	}
	child = fork();
	if (!child)
		_exit(alloc_in_a_group(self->fd) & 0x7f);
	ASSERT_EQ(child, waitpid(child, &status, 0));
	remove_group();
	EXPECT_TRUE(WIFEXITED(status))
		TH_LOG("killed by %d", WTERMSIG(status));
	/* What else it is charged for counts, too. */
	EXPECT_GE(WEXITSTATUS(status), 2);
	EXPECT_LE(WEXITSTATUS(status), 4);
}

/* They are memory, zeroed, that is mapped as a whole. */
TEST_F(memory, timestamp_buffer_is_mapped)
{
	union hl_mem_args args = { .in = { .op = HL_MEM_OP_TS_ALLOC,
		.num_of_elements = 1025 } };
	uint64_t *p;
	int i;

	ASSERT_EQ(0, gt_ioctl(self->fd, DRM_IOCTL_HL_MEMORY, &args));
	p = mmap(NULL, 12288, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd,
		 args.out.handle);
	ASSERT_NE(MAP_FAILED, p);
	for (i = 0; i < 1536; i++) {
		ASSERT_EQ(0, p[i]);
		p[i] = i;
	}
	for (i = 0; i < 1536; i++)
		ASSERT_EQ(i, p[i]);
	munmap(p, 12288);
}

TEST_HARNESS_MAIN
