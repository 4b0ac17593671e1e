// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proves: what is mapped is reached, whatever the size and the pages behind it;
 * what is unmapped is not, also when its address had just been used; a fault
 * tells its address; and a mapping that fails half way is forgotten by the MMU
 * before its pages are given back. The last one takes root.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>

#include "lib/fixture.h"

#include "../../uapi/drm/gaudi_accel.h"

#define QUEUE		GAUDI_QUEUE_ID_DMA_0_0
#define HBM		0x20000000ull
#define HUGE		0x200000ul

GAUDI_FIXTURE(mmu)

static int dma(int fd, struct gt_cb *cb, uint64_t src, uint64_t dst,
	       uint32_t size)
{
	cb->len = gt_pkt_lin_dma(cb->map, src, dst, size, EB | MB);
	return gt_run(fd, QUEUE, cb);
}

/* Maps at an address of the user's choice. */
static int map_at(int fd, void *ptr, uint64_t size, uint64_t hint, uint64_t *va)
{
	union hl_mem_args args = { .in = {
		.map_host = { .host_virt_addr = (uintptr_t)ptr,
			      .mem_size = size, .hint_addr = hint },
		.op = HL_MEM_OP_MAP,
		.flags = HL_MEM_USERPTR,
	} };
	int ret = gt_ioctl(fd, DRM_IOCTL_HL_MEMORY, &args);

	*va = ret ? 0 : args.out.device_virt_addr;
	return ret;
}

/* Memory on 2 MiB pages, if the kernel has some. */
static char *alloc_huge(size_t len)
{
	char *p = mmap(NULL, len + HUGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	p = (char *)(((uintptr_t)p + HUGE - 1) & ~(HUGE - 1));
	madvise(p, len, MADV_HUGEPAGE);
	return p;
}

TEST_F(mmu, sizes_and_offsets)
{
	static const struct { size_t off, size; } c[] = {
		{ 0, 1 }, { 0, 4096 }, { 4095, 2 }, { 100, 65536 },
		{ 0, HUGE - 4096 }, { 4096, HUGE }, { 0, HUGE },
		{ HUGE - 1, HUGE + 2 }, { 0, 4 * HUGE },
		{ 123, 5 * HUGE + 4567 },
	};
	char *from = alloc_huge(8 * HUGE), *to = alloc_huge(8 * HUGE);
	uint64_t src, dst;
	unsigned int i;

	ASSERT_NE(NULL, from);
	ASSERT_NE(NULL, to);
	for (i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		gt_fill(from + c[i].off, c[i].size, i);
		memset(to, 0x11, c[i].off + c[i].size + 1);
		ASSERT_EQ(0, gt_map_host(self->fd, from + c[i].off, c[i].size,
					 &src));
		ASSERT_EQ(0, gt_map_host(self->fd, to + c[i].off, c[i].size,
					 &dst));
		ASSERT_EQ(0, dma(self->fd, &self->cb, src, HBM, c[i].size));
		ASSERT_EQ(0, dma(self->fd, &self->cb, HBM, dst, c[i].size));
		EXPECT_EQ(-1, gt_check(to + c[i].off, c[i].size, i));
		EXPECT_EQ(0x11, to[c[i].off + c[i].size]);
		EXPECT_EQ(0, gt_unmap(self->fd, src));
		EXPECT_EQ(0, gt_unmap(self->fd, dst));
	}
}

/*
 * One address, other memory behind it each time: a translation that was kept
 * from before would show the old one.
 */
TEST_F(mmu, address_is_used_again)
{
	const size_t size = 3 * 4096;
	char *mem[8], *out = gt_alloc(size);
	uint64_t first, va, dst;
	unsigned int i;

	ASSERT_EQ(0, gt_map_host(self->fd, out, size, &dst));
	for (i = 0; i < 8; i++) {
		mem[i] = gt_alloc(size);
		ASSERT_NE(NULL, mem[i]);
		gt_fill(mem[i], size, i);
	}
	ASSERT_EQ(0, gt_map_host(self->fd, mem[0], size, &first));
	ASSERT_EQ(0, dma(self->fd, &self->cb, first, dst, size));
	for (i = 1; i < 100; i++) {
		ASSERT_EQ(0, gt_unmap(self->fd, i == 1 ? first : va));
		ASSERT_EQ(0, map_at(self->fd, mem[i % 8], size, first, &va));
		ASSERT_EQ(0, dma(self->fd, &self->cb, va, dst, size));
		if (gt_check(out, size, i % 8) != -1) {
			EXPECT_EQ(i, 0);
			break;
		}
	}
	/* It was the same address, or this test proves nothing. */
	EXPECT_EQ(first, va);
}

/*
 * One mapping after the other, each where the one before was not: the tables move,
 * and what they led to must not come along.
 */
TEST_F(mmu, tables_are_used_again)
{
	enum { N = 8, PAGES = 3 };
	const size_t size = PAGES * 4096;
	char *mem[N], *out = gt_alloc(size);
	uint64_t base, va, dst;
	unsigned int i;

	ASSERT_EQ(0, gt_map_host(self->fd, out, size, &dst));
	for (i = 0; i < N; i++) {
		mem[i] = gt_alloc(size);
		ASSERT_NE(NULL, mem[i]);
		gt_fill(mem[i], size, i);
	}
	ASSERT_EQ(0, gt_map_host(self->fd, mem[0], size, &base));
	ASSERT_EQ(0, gt_unmap(self->fd, base));
	base = (base + (1ull << 30)) & ~(HUGE - 1);
	for (i = 0; i < 1000; i++) {
		uint64_t hint = base + i % 100 * (HUGE + 4096);

		ASSERT_EQ(0, map_at(self->fd, mem[i % N], size, hint, &va));
		ASSERT_EQ(hint, va);
		ASSERT_EQ(0, dma(self->fd, &self->cb, va, dst, size));
		ASSERT_EQ(-1, gt_check(out, size, i % N));
		/* The other way, too: it is this memory and no other. */
		ASSERT_EQ(0, dma(self->fd, &self->cb, dst, va + 4096, 4096));
		ASSERT_EQ(0, gt_unmap(self->fd, va));
		ASSERT_EQ(0, memcmp(out, mem[i % N] + 4096, 4096));
		gt_fill(mem[i % N], size, i % N);
	}
}

/* Two hundred mappings at once, each with its own memory. */
TEST_F(mmu, mappings_are_apart)
{
	enum { N = 200 };
	char *mem = gt_alloc(N * 8192), *out = gt_alloc(4096);
	uint64_t va[N], dst;
	unsigned int i, k;

	ASSERT_EQ(0, gt_map_host(self->fd, out, 4096, &dst));
	for (i = 0; i < N; i++) {
		gt_fill(mem + i * 8192, 4096, i);
		ASSERT_EQ(0, gt_map_host(self->fd, mem + i * 8192, 4096,
					 &va[i]));
	}
	for (k = 0; k < N; k++) {
		i = k * 77 % N;
		ASSERT_EQ(0, dma(self->fd, &self->cb, va[i], dst, 4096));
		EXPECT_EQ(-1, gt_check(out, 4096, i));
	}
	for (i = 0; i < N; i++)
		EXPECT_EQ(0, gt_unmap(self->fd, va[i]));
}

TEST_F(mmu, unmapped_memory_is_not_reached)
{
	struct hl_page_fault_info fault = { 0 };
	char *mem = gt_alloc(8192);
	uint64_t va, seq;
	int i;

	gt_fill(mem, 8192, 1);
	ASSERT_EQ(0, gt_map_host(self->fd, mem, 8192, &va));
	ASSERT_EQ(0, dma(self->fd, &self->cb, va, HBM, 8192));
	ASSERT_EQ(0, gt_unmap(self->fd, va));
	gt_fill(mem, 8192, 2);
	self->cb.len = gt_pkt_lin_dma(self->cb.map, HBM, va + 4096, 64, 0);
	ASSERT_EQ(0, gt_submit(self->fd, QUEUE, &self->cb, &seq));
	for (i = 0; i < 300 && !fault.addr; i++) {
		ASSERT_EQ(0, gt_info(self->fd, HL_INFO_PAGE_FAULT_EVENT, &fault,
				     sizeof(fault)));
		usleep(10000);
	}
	EXPECT_EQ(va + 4096, fault.addr);
	EXPECT_EQ(-1, gt_check(mem, 8192, 2));
}

#define TRACING		"/sys/kernel/tracing/"
#define WRITES		TRACING "events/habanalabs/habanalabs_wreg32/"
#define UNMAPS		TRACING "events/habanalabs/habanalabs_dma_unmap_page/"
/* What begins an invalidation. */
#define CACHE_INV	"0xc12010"

/* Trace what this process makes the driver do. */
static int trace_begin(void)
{
	char pid[16];

	if (access(TRACING "trace", F_OK))
		mount("tracefs", TRACING, "tracefs", 0, NULL);
	snprintf(pid, sizeof(pid), "%d", getpid());
	if (gt_write_file(TRACING "set_event_pid", pid) ||
	    gt_write_file(WRITES "filter", "addr == " CACHE_INV) ||
	    gt_write_file(WRITES "enable", "1") ||
	    gt_write_file(UNMAPS "enable", "1"))
		return -1;
	/* Opened for writing, it is emptied. */
	fclose(fopen(TRACING "trace", "w"));
	return 0;
}

struct traced {
	unsigned int invalidations, unmaps;
	bool forgotten_first;
};

/* Stop, and say what came. */
static struct traced trace_end(void)
{
	FILE *f = fopen(TRACING "trace", "r");
	struct traced t = { 0 };
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		if (strstr(line, "habanalabs_wreg32: ") &&
		    strstr(line, "addr: " CACHE_INV ","))
			t.invalidations++;
		if (!strstr(line, "habanalabs_dma_unmap_page: "))
			continue;
		if (!t.unmaps++)
			t.forgotten_first = t.invalidations;
	}
	if (f)
		fclose(f);
	gt_write_file(WRITES "enable", "0");
	gt_write_file(WRITES "filter", "0");
	gt_write_file(UNMAPS "enable", "0");
	gt_write_file(TRACING "set_event_pid", "\n");
	return t;
}

/* Pieces of 2 MiB, which have a page table each. */
#define PIECE(n)	(0x1000000200000ull + (n) * HUGE)

/*
 * Two pages each: the DMA API's debugging dislikes a page that is mapped again
 * and again. None begins at a multiple of 2 MiB, which would want an address
 * that is one too.
 */
#define AREAS		16384
#define AREAS_SIZE	((AREAS + 1) * 8192ul)
#define AREA(mem, n)	((char *)(((uintptr_t)(mem) & ~8191ul) + 12288) + \
			 8192ul * ((n) % AREAS))

/*
 * Use up the page tables: two pages over the border of two pieces take one of
 * each, a third one stays without. Returns the number of such threes.
 */
static unsigned int use_up_tables(int fd, char *mem)
{
	unsigned int n = 0, i;
	uint64_t va;

	while (!map_at(fd, AREA(mem, n), 8192, PIECE(3 * n + 1) - 4096, &va)) {
		if (va != PIECE(3 * n + 1) - 4096)
			return 0;
		n++;
	}
	/* And what is left; no room for two pieces stays where this works. */
	for (i = 0; i < n; i++)
		if (map_at(fd, AREA(mem, i), 4096, PIECE(3 * i + 2), &va) ||
		    map_at(fd, AREA(mem, i), 4096, PIECE(3 * i + 3) - 4096,
			   &va))
			break;
	return i < n / 2 ? n : 0;
}

/*
 * A job may look at an address while it is being mapped, and the MMU then knows
 * pages that nobody holds if the rest fails. It fails here since no page table
 * is left for it.
 */
TEST_F_TIMEOUT(mmu, failed_mapping_is_forgotten_first, 300)
{
	union hl_cb_args cb = { .in = { .op = HL_CB_OP_CREATE,
					.cb_size = HUGE - 32,
					.flags = HL_CB_FLAGS_MAP } };
	char *mem = gt_alloc(AREAS_SIZE + 8192);
	struct traced t;
	unsigned int n;
	uint64_t va;

	if (!gt_has(self->fd, GAUDI_CAP_CB_MAP))
		SKIP(return, "a driver that does not trace this");
	ASSERT_NE(NULL, mem);
	memset(mem, 1, AREAS_SIZE);
	n = use_up_tables(self->fd, mem);
	ASSERT_LT(1000, n);

	/* The first page is in a piece that has a table, the second is not. */
	ASSERT_EQ(0, trace_begin());
	EXPECT_EQ(-ENOMEM, map_at(self->fd, AREA(mem, 0), 8192,
				  PIECE(3 * (n - 2) + 2) - 4096, &va));
	t = trace_end();
	EXPECT_LT(0, t.unmaps);
	EXPECT_TRUE(t.forgotten_first);

	/* So with a buffer, which goes into the first gap that is wide enough. */
	ASSERT_EQ(0, trace_begin());
	EXPECT_EQ(-ENOMEM, gt_ioctl(self->fd, DRM_IOCTL_HL_CB, &cb));
	t = trace_end();
	EXPECT_LT(0, t.invalidations);

	/* Two tables come free, and it works. */
	ASSERT_EQ(0, gt_unmap(self->fd, PIECE(3 * (n - 1) + 1) - 4096));
	EXPECT_EQ(0, map_at(self->fd, AREA(mem, 1), 8192,
			    PIECE(3 * (n - 2) + 2) - 4096, &va));
	EXPECT_EQ(PIECE(3 * (n - 2) + 2) - 4096, va);
	EXPECT_EQ(0, dma(self->fd, &self->cb, HBM, va, 8192));
}

TEST_HARNESS_MAIN
