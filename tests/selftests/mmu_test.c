// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proves: what is mapped is reached, whatever the size and the pages behind it;
 * what is unmapped is not, also when its address had just been used; and a fault
 * tells its address.
 */
#include "lib/fixture.h"

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

TEST_HARNESS_MAIN
