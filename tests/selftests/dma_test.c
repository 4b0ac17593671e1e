// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proves: every byte arrives, and no byte beside it changes, for awkward sizes
 * and alignments: host -> HBM -> SRAM -> host, and memset.
 */
#include "lib/fixture.h"

#define GUARD 64

FIXTURE(dma)
{
	int fd;
	struct gt_cb cb;
	size_t len;		/* of each host buffer */
	char *src, *dst;
	uint64_t src_va, dst_va, hbm;
};

FIXTURE_VARIANT(dma) { uint32_t size; uint32_t src_off; uint32_t dst_off; };
#define DMA(n, s, so, dof) FIXTURE_VARIANT_ADD(dma, n) \
	{ .size = s, .src_off = so, .dst_off = dof }

DMA(one_byte, 1, 0, 0);
DMA(three_unaligned, 3, 5, 9);
DMA(dword, 4, 0, 0);
DMA(cache_line, 128, 0, 0);
DMA(cache_line_off, 128, 1, 127);
DMA(page, 4096, 0, 0);
DMA(page_less_one, 4095, 1, 0);
DMA(page_crossing, 4096, 4000, 77);
DMA(prime, 65537, 13, 3);
DMA(a_megabyte, 1 << 20, 0, 0);
DMA(three_megabytes_odd, (3 << 20) + 12345, 4095, 1);
DMA(sixteen_megabytes, 16 << 20, 0, 0);

FIXTURE_SETUP(dma)
{
	self->fd = gt_open();
	if (self->fd == -ENODEV)
		SKIP(return, "no Gaudi card");
	ASSERT_GE(self->fd, 0);
	ASSERT_EQ(0, gt_cb_create(self->fd, 4096, &self->cb));
	self->len = variant->size + 2 * 4096 + 2 * GUARD;
	self->src = gt_alloc(self->len);
	self->dst = gt_alloc(self->len);
	ASSERT_NE(NULL, self->src);
	ASSERT_NE(NULL, self->dst);
	ASSERT_EQ(0, gt_map_host(self->fd, self->src, self->len,
				 &self->src_va));
	ASSERT_EQ(0, gt_map_host(self->fd, self->dst, self->len,
				 &self->dst_va));
	self->hbm = 0x20000000ull + 0x1000000;
}

FIXTURE_TEARDOWN(dma)
{
	if (self->fd < 0)
		return;
	gt_unmap(self->fd, self->src_va);
	gt_unmap(self->fd, self->dst_va);
	close(self->fd);
}

static long first_not(const char *p, size_t len, char c)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (p[i] != c)
			return (long)i;
	return -1;
}

TEST_F(dma, host_hbm_host)
{
	uint64_t hbm = self->hbm + variant->dst_off;
	char *in = self->src + variant->src_off + GUARD;
	char *out = self->dst + variant->dst_off + GUARD;

	gt_fill(in, variant->size, 1 + variant->size);
	memset(self->dst, 0x77, self->len);
	self->cb.len = gt_pkt_lin_dma(self->cb.map,
				      self->src_va + variant->src_off + GUARD,
				      hbm, variant->size, EB | MB);
	ASSERT_EQ(0, gt_run(self->fd, GAUDI_QUEUE_ID_DMA_0_0, &self->cb));
	self->cb.len = gt_pkt_lin_dma(self->cb.map, hbm,
				      self->dst_va + variant->dst_off + GUARD,
				      variant->size, EB | MB);
	ASSERT_EQ(0, gt_run(self->fd, GAUDI_QUEUE_ID_DMA_1_0, &self->cb));
	EXPECT_EQ(-1, gt_check(out, variant->size, 1 + variant->size));
	EXPECT_EQ(-1, first_not(self->dst, out - self->dst, 0x77));
	EXPECT_EQ(-1, first_not(out + variant->size,
				self->dst + self->len - out - variant->size,
				0x77));
}

TEST_F(dma, through_sram)
{
	uint64_t sram = SRAM_BASE + 0x10000 + variant->dst_off;
	uint32_t size = variant->size < (8 << 20) ? variant->size : 8 << 20;
	char *p = self->cb.map;

	gt_fill(self->src, size, 99);
	p += gt_pkt_lin_dma(p, self->src_va, sram, size, EB | MB);
	p += gt_pkt_lin_dma(p, sram, self->hbm + variant->src_off, size,
			    EB | MB);
	p += gt_pkt_lin_dma(p, self->hbm + variant->src_off, self->dst_va,
			    size, EB | MB);
	self->cb.len = p - (char *)self->cb.map;
	ASSERT_EQ(0, gt_run(self->fd, GAUDI_QUEUE_ID_DMA_0_3, &self->cb));
	EXPECT_EQ(-1, gt_check(self->dst, size, 99));
}

TEST_F(dma, memset_pattern)
{
	const uint64_t pattern = 0x1122334455667788ull;
	uint64_t hbm = self->hbm + 0x2000000;
	unsigned char *out = (unsigned char *)self->dst;
	uint32_t i;

	self->cb.len = gt_pkt_memset(self->cb.map, pattern, hbm,
				     variant->size, EB | MB);
	ASSERT_EQ(0, gt_run(self->fd, GAUDI_QUEUE_ID_DMA_0_0, &self->cb));
	self->cb.len = gt_pkt_lin_dma(self->cb.map, hbm, self->dst_va,
				      variant->size, EB | MB);
	ASSERT_EQ(0, gt_run(self->fd, GAUDI_QUEUE_ID_DMA_1_1, &self->cb));
	for (i = 0; i < variant->size; i++)
		ASSERT_EQ((unsigned char)(pattern >> 8 * (i % 8)), out[i])
			TH_LOG("at byte %u", i);
}

TEST_HARNESS_MAIN
