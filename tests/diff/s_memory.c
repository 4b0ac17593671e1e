// SPDX-License-Identifier: GPL-2.0-only
/* MEMORY: HBM, host memory, timestamps, blocks, dma-buf. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <linux/dma-buf.h>

#include "steps.h"

#define HOST_START	0x1000000000000ull
#define MIB		(1024 * 1024)
#define HBM_USER	0x20000000ull	/* where the user's part begins */

static uint64_t alloc(uint64_t size, uint64_t page, uint32_t flags,
		      const char *what)
{
	union hl_mem_args args = { .in = { .op = HL_MEM_OP_ALLOC,
		.alloc = { .mem_size = size, .page_size = page },
		.flags = flags } };

	step(&args, DRM_IOCTL_HL_MEMORY, "alloc %s", what);
	return args.out.handle;
}

static void usage(const char *what)
{
	struct hl_info_dram_usage dram;

	gt_info(fd, HL_INFO_DRAM_USAGE, &dram, sizeof(dram));
	say(what, "free %#llx mine %#llx",
	    (unsigned long long)dram.dram_free_mem,
	    (unsigned long long)dram.ctx_dram_mem);
}

static void hbm_script(void)
{
	static const uint64_t sizes[] = { 0, 1, 4096, 0x200000, 0x200001,
					  0x12345678, 0x40000000 };
	char what[64];
	unsigned int i;

	usage("usage");
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		snprintf(what, sizeof(what), "%#llx",
			 (unsigned long long)sizes[i]);
		alloc(sizes[i], 0, 0, what);
		usage(what);
	}
	alloc(4096, 0, HL_MEM_CONTIGUOUS, "contiguous");
	alloc(4096, 0, HL_MEM_SHARED, "shared");
	alloc(4096, 0, ~0u, "all flags");
	alloc(4096, 4096, 0, "page size 4096");
	alloc(4096, 3, 0, "page size 3");
	alloc(4096, 1ull << 40, 0, "page size 1 TiB");
	usage("usage after flags");
	alloc(0x800000000ull, 0, 0, "32 GiB");
	usage("after 32 GiB");
	alloc(~0ull, 0, 0, "2^64-1");
	alloc(1ull << 63, 0, 0, "2^63");
	usage("after too much");
}

/* Sizes and handles for which both drivers have the same answer. */
static void free_script(void)
{
	alloc(0x300000, 0, 0, "3 MiB");
	usage("one");
	step(MEM(.op = HL_MEM_OP_FREE, .free.handle = 0), "free 0");
	usage("after free 0");
	step(MEM(.op = HL_MEM_OP_FREE, .free.handle = 0x300000), "free 3 MiB");
	usage("after free");
	step(MEM(.op = HL_MEM_OP_FREE, .free.handle = 0x300000),
	     "free 3 MiB again");
	usage("after double free");
	step(MEM(.op = HL_MEM_OP_FREE, .free.handle = ~0ull), "free -1");
	usage("after free -1");
}

static void map_hbm_script(void)
{
	uint64_t handle = alloc(0x200000, 0, 0, "2 MiB");

	step(MEM(.op = HL_MEM_OP_MAP, .map_device.handle = handle),
	     "map the handle");
	step(MEM(.op = HL_MEM_OP_MAP, .map_device.handle = handle),
	     "map it again");
	step(MEM(.op = HL_MEM_OP_MAP, .map_device.handle = 77),
	     "map handle 77");
	step(MEM(.op = HL_MEM_OP_MAP, .map_device.handle = ~0ull),
	     "map handle -1");
	step(MEM(.op = HL_MEM_OP_MAP, .map_device = { .handle = 77,
		.hint_addr = HBM_USER }, .flags = HL_MEM_FORCE_HINT),
	     "map handle 77, hint");
	step(MEM(.op = HL_MEM_OP_UNMAP, .unmap.device_virt_addr = HBM_USER),
	     "unmap HBM");
}

static uint64_t map_host(void *p, uint64_t size, uint64_t hint, uint32_t flags,
			 const char *what)
{
	union hl_mem_args args = { .in = { .op = HL_MEM_OP_MAP,
		.map_host = { .host_virt_addr = PTR(p), .hint_addr = hint,
			      .mem_size = size },
		.flags = HL_MEM_USERPTR | flags } };

	if (step(&args, DRM_IOCTL_HL_MEMORY, "map %s", what))
		return 0;
	return args.out.device_virt_addr;
}

static void unmap(uint64_t va, const char *what)
{
	step(MEM(.op = HL_MEM_OP_UNMAP, .unmap.device_virt_addr = va),
	     "unmap %s", what);
}

/*
 * 4 KiB pages that are certainly not 2 MiB of memory in a row. They begin a page
 * behind a multiple of 2 MiB, since device addresses follow the alignment.
 */
static char *small_pages(size_t size)
{
	char *p = mmap(NULL, size + 0x201000, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		give_up("mmap");
	p += 0x201000 - PTR(p) % 0x200000;
	madvise(p, size, MADV_NOHUGEPAGE);
	return p;
}

/* A mapping of a file there, where small_pages() has made room. */
static char *map_file(char *there, size_t size, int prot, int flags, int file)
{
	char *p = mmap(there, size, prot, flags | MAP_FIXED, file, 0);

	if (p == MAP_FAILED)
		give_up("mmap");
	return p;
}

static void host_script(void)
{
	char *p = small_pages(16 * 4096);
	uint64_t a, b, c;

	a = map_host(p, 4096, 0, 0, "a page");
	b = map_host(p + 4096, 8192, 0, 0, "2 pages");
	c = map_host(p, 4096, 0, 0, "the first again");
	unmap(b, "2 pages");
	unmap(b, "2 pages again");
	b = map_host(p + 4096, 4096, 0, 0, "into the gap");
	unmap(a + 1, "not its start");
	unmap(a + 4096, "the page after");
	unmap(0, "0");
	unmap(~0ull, "-1");
	unmap(1, "1");
	unmap(a, "a page");
	unmap(b, "gap");
	unmap(c, "the first again");
	a = map_host(p + 1, 4096, 0, 0, "from an odd address");
	unmap(a, "from an odd address");
	a = map_host(p + 100, 100, 0, 0, "100 bytes within a page");
	unmap(a & ~0xfffull, "its page");
	unmap(a, "100 bytes");
	a = map_host(p + 4095, 2, 0, 0, "2 bytes over a border");
	unmap(a, "2 bytes");
	map_host(p, 0, 0, 0, "0 bytes");
	map_host(NULL, 4096, 0, 0, "a null pointer");
	map_host((void *)0x1000, 4096, 0, 0, "nothing");
	map_host(p, ~0ull, 0, 0, "all there is");
	map_host(p, ~0ull - 4096, 0, 0, "nearly all");
	map_host(p + 4096, -PTR(p), 0, 0, "to the end of the world");
	map_host((void *)0xffff888000000000ull, 4096, 0, 0, "the kernel's");
	map_host((void *)0x7fffffffe000ull, 0x3000, 0, 0, "over the end");
	map_host(p, 1ull << 40, 0, 0, "1 TiB");
	map_host((void *)~0ull, 1, 0, 0, "the last byte");
	munmap(p + 8 * 4096, 4096);
	map_host(p + 6 * 4096, 4 * 4096, 0, 0, "with a hole");
	mprotect(p + 4096, 4096, PROT_READ);
	map_host(p, 3 * 4096, 0, 0, "with a page to be read only");
	mprotect(p + 4096, 4096, PROT_NONE);
	map_host(p, 3 * 4096, 0, 0, "with a page that nobody may see");
	map_host(p + 3 * 4096, 4096, 0, HL_MEM_CONTIGUOUS, "contiguous");
	map_host(p + 3 * 4096, 4096, 0, HL_MEM_SHARED, "shared");
	map_host(p + 3 * 4096, 4096, 0, HL_MEM_PREFETCH, "prefetch");
	map_host(p + 3 * 4096, 4096, 0, 0xffffff80, "unknown flags");
	/* Mapped pages outlive munmap(); the close frees them. */
	a = map_host(p + 3 * 4096, 4096, 0, 0, "that goes away");
	munmap(p + 3 * 4096, 4096);
	unmap(a, "what went away");
}

static void other_memory_script(void)
{
	struct gt_cb cb = cb_new(4096, "a command buffer");
	char *place = small_pages(9 * 4096), *p;
	int file;

	map_host(cb.map, 4096, 0, 0, "a command buffer");
	file = memfd_create("x", 0);
	if (file < 0 || ftruncate(file, 8192))
		give_up("memfd");
	p = map_file(place, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file);
	map_host(p, 8192, 0, 0, "shared memory");
	p = map_file(place + 8192, 8192, PROT_READ, MAP_SHARED, file);
	map_host(p, 8192, 0, 0, "shared memory, read only");
	if (ftruncate(file, 4096))
		give_up("ftruncate");
	p = map_file(place + 16384, 8192, PROT_READ | PROT_WRITE, MAP_SHARED,
		     file);
	map_host(p, 8192, 0, 0, "shared memory beyond its end");
	map_host((void *)((uint64_t)&host_script & ~0xfffull), 4096, 0, 0,
		 "program text");
	file = open("/proc/self/exe", O_RDONLY);
	p = map_file(place + 24576, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE,
		     file);
	map_host(p, 4096, 0, 0, "a private file");
	p = map_file(place + 28672, 8192, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1);
	map_host(p, 8192, 0, 0, "a stack");
}

static void hints_script(void)
{
	const uint64_t base = HOST_START + 0x10000000;
	char *p = small_pages(8 * 4096), what[64];
	static const uint64_t bad[] = {
		1, 4096, HBM_USER, HOST_START - 4096, HOST_START,
		HOST_START + 0x1ff000, HOST_START + 0x200000,
		HOST_START + 0x200001, 0x1000400000000ull, 0x2000000000000ull,
		0x1ff8000000000000ull, ~0xfffull, ~0ull,
	};
	uint64_t a;
	unsigned int i;

	a = map_host(p, 4096, base, 0, "hint");
	unmap(a, "hint");
	a = map_host(p, 4096, base, HL_MEM_FORCE_HINT, "forced hint");
	map_host(p + 4096, 4096, base, 0, "hint that is taken");
	map_host(p + 4096, 4096, base, HL_MEM_FORCE_HINT,
		 "forced hint that is taken");
	map_host(p + 4096, 8192, base - 4096, HL_MEM_FORCE_HINT,
		 "forced hint that overlaps at its end");
	map_host(p + 4096, 4096, base - 4096, HL_MEM_FORCE_HINT,
		 "forced hint below");
	map_host(p + 8192, 4096, base + 4096, HL_MEM_FORCE_HINT,
		 "forced hint above");
	map_host(p + 8192, 4096, base + 0x100100, 0, "hint within a page");
	map_host(p + 8192, 4096, base + 0x100100, HL_MEM_FORCE_HINT,
		 "forced hint within a page");
	map_host(p + 8192 + 256, 100, base + 0x200000, HL_MEM_FORCE_HINT,
		 "forced hint for an odd address");
	map_host(p + 8192 + 256, 100, base + 0x200000, 0,
		 "hint for an odd address");
	map_host(p, 4096, 0, HL_MEM_FORCE_HINT, "forced without a hint");
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(what, sizeof(what), "hint %#llx",
			 (unsigned long long)bad[i]);
		a = map_host(p, 4096, bad[i], 0, what);
		if (a)
			unmap(a, what);
		snprintf(what, sizeof(what), "forced hint %#llx",
			 (unsigned long long)bad[i]);
		a = map_host(p, 4096, bad[i], HL_MEM_FORCE_HINT, what);
		if (a)
			unmap(a, what);
	}
	unmap(a, "last");
}

/* A gap between two hinted mappings, filled to its last byte. */
static void gap_script(void)
{
	const uint64_t base = HOST_START + 0x20000000;
	char *p = small_pages(4 * 4096);

	map_host(p, 4096, base, HL_MEM_FORCE_HINT, "below");
	map_host(p, 4096, base + 0x3000, HL_MEM_FORCE_HINT, "above");
	map_host(p, 8192, base + 0x1000, HL_MEM_FORCE_HINT, "gap of 2 pages");
}

static void large_script(void)
{
	char *p = small_pages(6 * MIB);
	uint64_t a, b;

	a = map_host(p, 6 * MIB, 0, 0, "6 MiB of small pages");
	b = map_host(p + 4096, 3 * MIB, 0, 0, "3 MiB of it");
	unmap(a, "6 MiB");
	unmap(b, "3 MiB");
	/* Aligned to 2 MiB in this process: the device's address is too. */
	p = (char *)((PTR(p) + 2 * MIB - 1) & ~(2ull * MIB - 1));
	a = map_host(p, 4 * MIB, 0, 0, "4 MiB, aligned");
	unmap(a, "4 MiB");
	a = map_host(p, 8192, 0, 0, "2 pages, aligned");
	b = map_host(p, 8192, 0, 0, "2 pages, aligned, again");
	unmap(a, "2 pages");
	unmap(b, "2 pages again");
	a = map_host(p, 4 * MIB, HOST_START + 0x40001000, 0,
		     "4 MiB with a hint that is not aligned");
	unmap(a, "4 MiB with a hint");
}

static void many_script(void)
{
	char *p = small_pages(4096);
	uint64_t va = 0, first = 0;
	unsigned int i;

	for (i = 0; i < 600; i++) {
		if (gt_map_host(fd, p, 4096, &va))
			break;
		if (!first)
			first = va;
	}
	say("mappings", "%u, %#llx to %#llx", i, (unsigned long long)first,
	    (unsigned long long)va);
	/* Every other one goes; what comes then fills holes, or does not. */
	for (i = 0; i < 600; i += 2)
		if (gt_unmap(fd, first + i * 4096ull))
			break;
	say("unmapped", "%u", i);
	map_host(p, 4096, 0, 0, "one page more");
	map_host(p, 4096, 0, 0, "another");
}

static void blocks_script(void)
{
	static const uint64_t blocks[] = { 0, CFG_BASE, CFG_BASE + 0x508000,
					   SRAM_BASE, HBM_USER, ~0ull };
	unsigned int i;

	for (i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
		step(MEM(.op = HL_MEM_OP_MAP_BLOCK,
			 .map_block.block_addr = blocks[i]), "block %#llx",
		     (unsigned long long)blocks[i]);
	for (i = 7; i < 12; i++)
		step(MEM(.op = i), "op %u", i);
	step(MEM(.op = ~0u), "op -1");
}

static uint64_t ts_alloc(uint32_t num)
{
	union hl_mem_args args = { .in = { .op = HL_MEM_OP_TS_ALLOC,
					   .num_of_elements = num } };

	if (step(&args, DRM_IOCTL_HL_MEMORY, "timestamps %u", num))
		return 0;
	return args.out.handle;
}

/*
 * Not here: no elements, and CB's operations on these handles. Both break the
 * stock driver's kernel.
 */
static void ts_script(void)
{
	uint64_t h;
	char *p;

	h = ts_alloc(1);
	ts_alloc(512);
	ts_alloc(513);
	ts_alloc(1 << 20);
	ts_alloc((1 << 20) + 1);
	ts_alloc(~0u);
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)h);
	say("mmap", "%s", p == MAP_FAILED ? errname(-errno) : "mapped");
	if (p != MAP_FAILED)
		say("zeroed", "%d", p[0]);
	say("mmap twice", "%s", mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd,
	    (off_t)h) == MAP_FAILED ? errname(-errno) : "mapped");
	step(MEM(.op = HL_MEM_OP_FREE, .free.handle = 0), "free");
}

static int export(uint64_t addr, uint64_t size, uint64_t off, uint32_t flags,
		  const char *what)
{
	union hl_mem_args args = { .in = { .op = HL_MEM_OP_EXPORT_DMABUF_FD,
		.export_dmabuf_fd = { .addr = addr, .mem_size = size,
				      .offset = off },
		.flags = flags } };
	int file;

	hide_words(1);
	if (step(&args, DRM_IOCTL_HL_MEMORY, "export %s", what))
		return -1;
	file = args.out.fd;
	say("flags of the file", "fd %#x, file %#x", fcntl(file, F_GETFD),
	    fcntl(file, F_GETFL) & (O_ACCMODE | O_NONBLOCK | O_APPEND));
	return file;
}

static void dmabuf_script(void)
{
	struct dma_buf_sync sync = { .flags = DMA_BUF_SYNC_START |
					      DMA_BUF_SYNC_READ };
	struct pollfd p = { .events = POLLIN | POLLOUT };
	int file, n;

	export(HBM_USER, 0, 0, 0, "0 bytes");
	export(HBM_USER, 100, 0, 0, "100 bytes");
	export(HBM_USER + 1, 4096, 0, 0, "at an odd address");
	export(HBM_USER, 4097, 0, 0, "4097 bytes");
	export(HBM_USER, 4096, 4096, 0, "with an offset");
	export(HBM_USER, 4096, 1, 0, "with an odd offset");
	export(0, 4096, 0, 0, "below the user's part");
	export(HBM_USER - 4096, 4096, 0, 0, "just below");
	export(HBM_USER - 4096, 8192, 0, 0, "from below into it");
	export(0x800000000ull, 4096, 0, 0, "behind HBM");
	export(0x7ffff0000ull, 0x20000, 0, 0, "over the end of HBM");
	export(~0xfffull, 4096, 0, 0, "the last page");
	export(HBM_USER, ~0xfffull, 0, 0, "too much");
	export(HBM_USER, 1ull << 40, 0, 0, "1 TiB");
	export(SRAM_BASE, 4096, 0, 0, "SRAM");
	export(HBM_USER, 4096, 0, ~0u & ~(O_ACCMODE | O_CLOEXEC),
	       "with unknown flags");
	export(HBM_USER, 4096, 0, O_CLOEXEC, "close on exec");
	export(HBM_USER, 4096, 0, O_RDWR | O_CLOEXEC, "read and write");
	file = export(HBM_USER, 0x200000, 0, O_RDWR, "2 MiB");
	if (file < 0)
		return;
	say("mmap", "%s", mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0) ==
	    MAP_FAILED ? errname(-errno) : "mapped");
	say("size", "%lld", (long long)lseek(file, 0, SEEK_END));
	say("sync", "%s", errname(gt_ioctl(file, DMA_BUF_IOCTL_SYNC, &sync)));
	p.fd = file;
	n = poll(&p, 1, 0);
	say("poll", "%d %#x", n, p.revents);
	say("read", "%s", errname(read(file, &p, 1) < 0 ? -errno : 1));
	/* A process that holds one holds the card. */
	close(file);
}

/* The file outlives the card's. */
static void dmabuf_outlives_script(void)
{
	int file = export(HBM_USER, 0x200000, 0, O_RDWR, "2 MiB");

	close(fd);
	usleep(500000);
	fd = gt_open_once();
	say("open while a dma-buf lives", "%s", errname(fd < 0 ? fd : 0));
	close(file);
	usleep(500000);
	if (fd < 0)
		fd = gt_open_once();
	say("open after it", "%s", errname(fd < 0 ? fd : 0));
}

const struct script s_memory[] = {
	{ "memory-hbm", hbm_script, true },
	{ "memory-free", free_script, true },
	{ "memory-map-hbm", map_hbm_script, true },
	{ "memory-host", host_script, true },
	{ "memory-other", other_memory_script, true },
	{ "memory-hints", hints_script, true },
	{ "memory-gap", gap_script, true },
	{ "memory-large", large_script, true },
	{ "memory-many", many_script, true },
	{ "memory-blocks", blocks_script, true },
	{ "memory-ts", ts_script, true },
	{ "memory-dmabuf", dmabuf_script, true },
	{ "memory-dmabuf-outlives", dmabuf_outlives_script, true },
	{ .name = NULL },
};
