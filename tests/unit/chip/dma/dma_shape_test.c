// SPDX-License-Identifier: GPL-2.0-only
/*
 * DMA cores: what a transfer may do beside copying in a line. Five dimensions,
 * transposition, reduction, status while work is under way.
 */
#include "../card.h"

#define SRC		0x14
#define DST		0x1c
#define SRC_SIZE(d)	((d) ? 0x2cu + 8 * ((d) - 1) : 0x4cu)
#define SRC_STRIDE(d)	(0x30u + 8 * ((d) - 1))
#define DST_SIZE(d)	((d) ? 0x54u + 8 * ((d) - 1) : 0x74u)
#define DST_STRIDE(d)	(0x58u + 8 * ((d) - 1))
#define COMMIT		0x78
#define TE_NUMROWS	0x94
#define AWUSER		0x130
#define ERR_CAUSE	0x164
#define STS0		0x190
#define BUSY		(1u << 31)
#define TRANSPOSE	0x2
#define WORDS		0x4
#define LIN		0x8
#define MEMSET		0x10

#define BUF		0x100000
#define OUT		0x200000
#define SRAM_AT		(SRAM + 0x10000)

/* User bits 31:11: what the driver writes, and a reduction at bits 21:13. */
#define REDUCE(type, op, mode) \
	(1u | (1u | (type) << 1 | (op) << 5 | (mode) << 7) << 2)
enum { S8, S16, S32, U8, BF16 = 6, F32 };
enum { ADD, SUB, MIN, MAX };
enum { NEAREST, ZERO, UP, DOWN };

/* Linear, by registers. Returns ERR_CAUSE, which is cleared. */
static uint32_t run(struct card *card, unsigned int n, uint64_t src,
		    uint64_t dst, uint32_t size, uint32_t flags)
{
	uint32_t core = DMA_CORE(n), error;

	wr64(card, core + SRC, src);
	wr64(card, core + DST, dst);
	wr(card, core + DST_SIZE(0), size);
	wr_settle(card, core + COMMIT, flags);
	assert_int_equal(rd(card, core + STS0), 0);
	error = rd(card, core + ERR_CAUSE);
	wr(card, core + ERR_CAUSE, error);
	return error;
}

static void wr_dim(struct card *card, uint32_t core, bool dst, unsigned int d,
		   uint32_t size, int32_t stride)
{
	wr(card, core + (dst ? DST_SIZE(d) : SRC_SIZE(d)), size);
	if (d)
		wr(card, core + (dst ? DST_STRIDE(d) : SRC_STRIDE(d)), stride);
}

/* --- dimensions -------------------------------------------------------- */

/*
 * 2 x 3 x 2 x 2 rows of 5 bytes on one side, and 4 x 2 x 3 x 1 of 5 on the
 * other, whose strides are not in order: the same 120 bytes one after the other.
 */
CARD_TEST(five_dimensions)
{
	static const struct { uint32_t size; int32_t stride; } in[] = {
		{ 5, 0 }, { 2, 7 }, { 3, 100 }, { 2, 1000 }, { 2, 20000 },
	}, out[] = {
		{ 5, 0 }, { 4, 300 }, { 2, 11 }, { 3, 5000 }, { 0, 0 },
	};
	uint8_t want[120], *hbm = card_hbm(card) + USER_HBM, *p = want;
	unsigned int a, b, c, e, i;

	dma_core_init(card, 4);
	fill(card->ram + BUF, 65536, 3);
	for (e = 0; e < 2; e++)
		for (c = 0; c < 2; c++)
			for (b = 0; b < 3; b++)
				for (a = 0; a < 2; a++, p += 5)
					memcpy(p, card->ram + BUF + 7 * a +
					       100 * b + 1000 * c + 20000 * e,
					       5);
	for (i = 0; i < 5; i++) {
		wr_dim(card, DMA_CORE(4), false, i, in[i].size, in[i].stride);
		wr_dim(card, DMA_CORE(4), true, i, out[i].size, out[i].stride);
	}
	assert_int_equal(run(card, 4, ram_dev(BUF), USER_HBM, 5, 0), 0);
	p = want;
	for (c = 0; c < 3; c++)
		for (b = 0; b < 2; b++)
			for (a = 0; a < 4; a++, p += 5)
				assert_memory_equal(hbm + 300 * a + 11 * b +
						    5000 * c, p, 5);
	assert_int_equal(hbm[5], 0);
	assert_int_equal(hbm[16], 0);
}

/* Rows without a gap are one; a memset of rows leaves the gaps alone. */
CARD_TEST(rows_that_touch)
{
	uint8_t *hbm = card_hbm(card) + USER_HBM;
	unsigned int i;

	dma_core_init(card, 0);
	fill(card->ram + BUF, 1 << 20, 9);
	wr_dim(card, DMA_CORE(0), false, 0, 64, 0);
	wr_dim(card, DMA_CORE(0), false, 1, 128, 64);
	wr_dim(card, DMA_CORE(0), false, 2, 8, 8192);
	assert_int_equal(run(card, 0, ram_dev(BUF), USER_HBM, 65536, 0), 0);
	assert_memory_equal(hbm, card->ram + BUF, 65536);
	/* four rows of 3 bytes, 10 apart, of one running pattern */
	memset(hbm, 0xee, 64);
	wr_dim(card, DMA_CORE(0), true, 1, 4, 10);
	assert_int_equal(run(card, 0, 0x8877665544332211, USER_HBM, 3, MEMSET),
			 0);
	for (i = 0; i < 40; i++)
		assert_int_equal(hbm[i], i % 10 > 2 ? 0xee :
				 0x11 * ((i / 10 * 3 + i % 10) % 8 + 1));
}

/* One row that is written again and again: the last one stays. */
CARD_TEST(stride_of_zero)
{
	uint8_t *hbm = card_hbm(card) + USER_HBM;

	dma_core_init(card, 0);
	fill(card->ram + BUF, 4096, 2);
	wr_dim(card, DMA_CORE(0), false, 0, 4096, 0);
	wr_dim(card, DMA_CORE(0), true, 1, 64, 0);
	assert_int_equal(run(card, 0, ram_dev(BUF), USER_HBM, 64, 0), 0);
	assert_memory_equal(hbm, card->ram + BUF + 4096 - 64, 64);
	assert_int_equal(hbm[64], 0);
}

/* Addresses below zero and above all that is published. */
CARD_TEST(addresses_wrap)
{
	dma_core_init(card, 0);
	wr_dim(card, DMA_CORE(0), false, 0, 64, 0);
	wr_dim(card, DMA_CORE(0), false, 1, 4, -64);
	assert_int_equal(run(card, 0, 64, USER_HBM, 256, 0), 1);
	wr_dim(card, DMA_CORE(0), false, 1, 0, 0);
	assert_int_equal(run(card, 0, UINT64_MAX - 3, USER_HBM, 64, LIN), 1);
	assert_int_equal(run(card, 0, USER_HBM, 0xfffffffffffffc, 64, LIN), 2);
}

/* --- transposition ------------------------------------------------------ */

CARD_TEST(transposes_words)
{
	uint32_t in[12], out[12] = { 0 };
	unsigned int r, c;

	dma_core_init(card, 0);
	for (r = 0; r < 12; r++)
		in[r] = 0x1000000 + r;
	memcpy(card->ram + BUF, in, sizeof(in));
	wr(card, DMA_CORE(0) + TE_NUMROWS, 3);
	assert_int_equal(run(card, 0, ram_dev(BUF), SRAM_AT, 48,
			     LIN | TRANSPOSE | WORDS), 0);
	memcpy(out, card_sram(card) + 0x10000, sizeof(out));
	for (r = 0; r < 3; r++)
		for (c = 0; c < 4; c++)
			assert_int_equal(out[3 * c + r], in[4 * r + c]);
}

/* 300 x 500 halfwords with gaps in the source; a column lands every 1024. */
CARD_TEST(transposes_a_matrix)
{
	uint8_t *hbm = card_hbm(card) + USER_HBM;
	unsigned int r, c;

	dma_core_init(card, 2);
	fill(card->ram + BUF, 300 * 1100, 8);
	wr_dim(card, DMA_CORE(2), false, 0, 1000, 0);
	wr_dim(card, DMA_CORE(2), false, 1, 300, 1100);
	wr_dim(card, DMA_CORE(2), true, 1, 500, 1024);
	assert_int_equal(run(card, 2, ram_dev(BUF), USER_HBM, 600, TRANSPOSE),
			 0);
	for (r = 0; r < 300; r++)
		for (c = 0; c < 500; c++)
			if (memcmp(hbm + 1024 * c + 2 * r,
				   card->ram + BUF + 1100 * r + 2 * c, 2))
				fail_msg("row %u, column %u", r, c);
	assert_int_equal(hbm[600], 0);
	assert_int_equal(rd(card, DMA_CORE(2) + 0x230), 0x178);
}

/* Three rows by tiles of two: the last tile has one row. */
CARD_TEST(transposes_tile_by_tile)
{
	static const uint16_t in[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	static const uint16_t want[] = { 1, 4, 2, 5, 3, 6, 7, 8, 9 };

	dma_core_init(card, 0);
	memcpy(card->ram + BUF, in, sizeof(in));
	wr(card, DMA_CORE(0) + TE_NUMROWS, 2);
	wr_dim(card, DMA_CORE(0), false, 0, 6, 0);
	wr_dim(card, DMA_CORE(0), false, 1, 3, 6);
	assert_int_equal(run(card, 0, ram_dev(BUF), USER_HBM, 18, TRANSPOSE),
			 0);
	assert_memory_equal(card_hbm(card) + USER_HBM, want, sizeof(want));
}

CARD_TEST(transposition_has_limits)
{
	uint32_t core = DMA_CORE(0);

	dma_core_init(card, 0);
	wr(card, core + TE_NUMROWS, 0x1000);
	/* 16 MiB and a bit; rows that end within an element; rows that differ */
	assert_int_equal(run(card, 0, USER_HBM, USER_HBM, 0x1002000,
			     LIN | TRANSPOSE), 2);
	wr(card, core + TE_NUMROWS, 2);
	assert_int_equal(run(card, 0, USER_HBM, USER_HBM, 12,
			     LIN | TRANSPOSE | WORDS), 2);
	assert_int_equal(run(card, 0, USER_HBM, USER_HBM, 13, LIN | TRANSPOSE),
			 2);
	/* nothing to do, and a source that is not there */
	assert_int_equal(run(card, 0, USER_HBM, USER_HBM, 0, LIN | TRANSPOSE),
			 0);
	assert_int_equal(run(card, 0, 0x7e00000000, USER_HBM, 64,
			     LIN | TRANSPOSE), 1);
	assert_int_equal(run(card, 0, USER_HBM, 0x7e00000000, 64,
			     LIN | TRANSPOSE), 2);
}

/* Dropped half way, it holds no memory, and the core goes on. */
CARD_TEST(flush_drops_a_tile)
{
	uint32_t core = DMA_CORE(0);

	dma_core_init(card, 0);
	wr(card, core + 0x160, 2);		/* stop on error */
	wr(card, core + TE_NUMROWS, 64);
	wr64(card, core + SRC, (1ull << 30) - 4096);
	wr64(card, core + DST, USER_HBM);
	wr(card, core + DST_SIZE(0), 1 << 16);
	wr_settle(card, core + COMMIT, LIN | TRANSPOSE);
	assert_int_equal(rd(card, core + ERR_CAUSE), 1);
	assert_int_equal(rd(card, core + STS0), BUSY);
	assert_int_equal(rd(card, core + 0x230) & 0xc0, 0x80);
	wr(card, core + 0x4, 2);
	assert_int_equal(rd(card, core + STS0), 0);
	assert_int_equal(rd(card, core + 0x230), 0x178);
	wr(card, core + 0x4, 0);
	wr(card, core + ERR_CAUSE, 1);
	assert_int_equal(run(card, 0, USER_HBM, USER_HBM + 64, 64, LIN), 0);
}

/* --- reduction ---------------------------------------------------------- */

static void reduce_words(struct card *card, uint32_t how, uint32_t mem,
			 uint32_t data, uint32_t want)
{
	uint8_t *sram = card_sram(card) + 0x10000;
	uint32_t got;

	memcpy(sram, &mem, 4);
	memcpy(card_hbm(card) + USER_HBM, &data, 4);
	wr(card, DMA_CORE(5) + AWUSER, how);
	assert_int_equal(run(card, 5, USER_HBM, SRAM_AT, 4, LIN), 0);
	memcpy(&got, sram, 4);
	if (got != want)
		fail_msg("0x%x: 0x%08x and 0x%08x give 0x%08x, not 0x%08x",
			 how, mem, data, got, want);
}

CARD_TEST(reduces_integers)
{
	static const struct { uint32_t how, mem, data, want; } cases[] = {
		{ REDUCE(S32, ADD, 0), 40, 2, 42 },
		{ REDUCE(S32, SUB, 0), 40, 42, 0xfffffffe },
		{ REDUCE(S32, ADD, 0), 0x7fffffff, 1, 0x80000000 },
		{ REDUCE(S32, MIN, 0), 0xfffffffb, 3, 0xfffffffb },
		{ REDUCE(S32, MAX, 0), 0xfffffffb, 3, 3 },
		{ REDUCE(S8, ADD, 0), 0x7f01ff10, 0x01020310, 0x80030220 },
		{ REDUCE(S8, MAX, 0), 0xc8c80000, 0x64c90180, 0x64c90100 },
		{ REDUCE(U8, MAX, 0), 0xc8c80000, 0x64c90180, 0xc8c90180 },
		{ REDUCE(U8, MIN, 0), 0xc8c80000, 0x64c90180, 0x64c80000 },
		{ REDUCE(U8, ADD, 0), 0xfa000001, 0x0a010101, 0x04010102 },
		{ REDUCE(S16, SUB, 0), 0x00058000, 0x00070001, 0xfffe7fff },
		{ REDUCE(S16, MIN, 0), 0x0005fffb, 0xfff90003, 0xfff9fffb },
		/* without the enable bit: a write, whatever the rest says */
		{ 1u | 7u << 3, 40, 2, 2 },
	};
	unsigned int i;

	dma_core_init(card, 5);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		reduce_words(card, cases[i].how, cases[i].mem, cases[i].data,
			     cases[i].want);
}

CARD_TEST(reduces_floats)
{
	static const struct { uint32_t op, mode, mem, data, want; } cases[] = {
		/* 1.5 + 2.25, 5 - 3, the smaller and greater of -1 and 2 */
		{ ADD, NEAREST, 0x3fc00000, 0x40100000, 0x40700000 },
		{ SUB, NEAREST, 0x40a00000, 0x40400000, 0x40000000 },
		{ MIN, NEAREST, 0xbf800000, 0x40000000, 0xbf800000 },
		{ MAX, NEAREST, 0xbf800000, 0x40000000, 0x40000000 },
		/* 2^24 + 1 lies between 2^24 and 2^24 + 2 */
		{ ADD, NEAREST, 0x4b800000, 0x3f800000, 0x4b800000 },
		{ ADD, ZERO, 0x4b800000, 0x3f800000, 0x4b800000 },
		{ ADD, UP, 0x4b800000, 0x3f800000, 0x4b800001 },
		{ ADD, DOWN, 0x4b800000, 0x3f800000, 0x4b800000 },
		{ SUB, ZERO, 0xcb800000, 0x3f800000, 0xcb800000 },
		{ SUB, UP, 0xcb800000, 0x3f800000, 0xcb800000 },
		{ SUB, DOWN, 0xcb800000, 0x3f800000, 0xcb800001 },
		/* 1 - 2^-40: so far apart that one is only a hint */
		{ SUB, NEAREST, 0x3f800000, 0x2b800000, 0x3f800000 },
		{ SUB, ZERO, 0x3f800000, 0x2b800000, 0x3f7fffff },
		{ SUB, UP, 0x3f800000, 0x2b800000, 0x3f800000 },
		/* ... and 2^-100 is less than a double's last bit */
		{ ADD, UP, 0x3f800000, 0x0d800000, 0x3f800001 },
		{ SUB, DOWN, 0x3f800000, 0x0d800000, 0x3f7fffff },
		/* too large */
		{ ADD, NEAREST, 0x7f7fffff, 0x7f7fffff, 0x7f800000 },
		{ ADD, ZERO, 0x7f7fffff, 0x7f7fffff, 0x7f7fffff },
		{ ADD, UP, 0x7f7fffff, 0x7f7fffff, 0x7f800000 },
		{ ADD, UP, 0xff7fffff, 0xff7fffff, 0xff7fffff },
		/* infinity, and no number */
		{ ADD, DOWN, 0x7f800000, 0x3f800000, 0x7f800000 },
		{ ADD, NEAREST, 0x7f800000, 0xff800000, 0x7fffffff },
		{ MAX, NEAREST, 0x3f800000, 0x7f800001, 0x7fffffff },
	};
	unsigned int i;

	dma_core_init(card, 5);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		reduce_words(card, REDUCE(F32, cases[i].op, cases[i].mode),
			     cases[i].mem, cases[i].data, cases[i].want);
}

/* Two at a time. bf16 has eight bits: after 256 comes 258. */
CARD_TEST(reduces_bf16)
{
	static const struct { uint32_t op, mode, mem, data, want; } cases[] = {
		/* 1.5 + 2.25; 256 + 1 is a tie, so is 258 + 1 */
		{ ADD, NEAREST, 0x3fc04380, 0x40103f80, 0x40704380 },
		{ ADD, NEAREST, 0x43814380, 0x3f803f80, 0x43824380 },
		{ ADD, UP, 0x43804380, 0x3f803580, 0x43814381 },
		{ ADD, DOWN, 0xc3804380, 0xbf803580, 0xc3814380 },
		{ ADD, ZERO, 0xc3804380, 0xbf803580, 0xc3804380 },
		{ SUB, ZERO, 0x43804380, 0x35803580, 0x437f437f },
		{ ADD, NEAREST, 0x7f7f7f80, 0x7f7fff80, 0x7f807fff },
		{ MIN, NEAREST, 0xbf804000, 0x40003f80, 0xbf803f80 },
	};
	unsigned int i;

	dma_core_init(card, 5);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		reduce_words(card, REDUCE(BF16, cases[i].op, cases[i].mode),
			     cases[i].mem, cases[i].data, cases[i].want);
}

/* A constant is added to rows; and a source at an odd address. */
CARD_TEST(reduces_in_bulk)
{
	uint8_t *sram = card_sram(card) + 0x10000;
	unsigned int i;
	uint32_t v;

	dma_core_init(card, 5);
	for (i = 0; i < 100000; i++)
		memcpy(sram + 4 * i, &i, 4);
	wr(card, DMA_CORE(5) + AWUSER, REDUCE(S32, ADD, 0));
	assert_int_equal(run(card, 5, 0x700000005, SRAM_AT, 400000,
			     LIN | MEMSET), 0);
	for (i = 0; i < 100000; i++) {
		memcpy(&v, sram + 4 * i, 4);
		assert_int_equal(v, i + (i % 2 ? 7 : 5));
	}
	memset(sram, 0, 400000);
	for (i = 0; i < 100000; i++)
		memcpy(card->ram + BUF + 3 + 4 * i, &i, 4);
	for (v = 0; v < 3; v++)
		assert_int_equal(run(card, 5, ram_dev(BUF) + 3, SRAM_AT,
				     400000, LIN), 0);
	for (i = 0; i < 100000; i++) {
		memcpy(&v, sram + 4 * i, 4);
		assert_int_equal(v, 3 * i);
	}
}

CARD_TEST(reduction_has_limits)
{
	unsigned int unimp = card->logs[GAUDI_LOG_UNIMP];

	dma_core_init(card, 5);
	wr(card, DMA_CORE(5) + AWUSER, REDUCE(4, ADD, 0));
	assert_int_equal(run(card, 5, USER_HBM, SRAM_AT, 64, LIN), 2);
	wr(card, DMA_CORE(5) + AWUSER, REDUCE(F32, ADD, 0));
	assert_int_equal(run(card, 5, USER_HBM, SRAM_AT + 2, 64, LIN), 2);
	assert_int_equal(run(card, 5, USER_HBM, SRAM_AT, 63, LIN), 2);
	/* the host's memory and registers do not add */
	assert_int_equal(run(card, 5, USER_HBM, ram_dev(BUF), 64, LIN), 2);
	assert_int_equal(card->logs[GAUDI_LOG_UNIMP], unimp + 3);
	assert_int_equal(run(card, 5, USER_HBM, CFG + SM_E_N + SOB(0), 4, LIN),
			 4);
	assert_int_equal(run(card, 5, 0x7e00000000, SRAM_AT, 64, LIN), 1);
	assert_int_equal(run(card, 5, USER_HBM, SRAM + 0x1400000, 64, LIN), 2);
}

/* Nobody has published how sums wrap: no report may call them exact. */
CARD_TEST(reductions_are_approximate)
{
	dma_core_init(card, 5);
	wr(card, DMA_CORE(5) + AWUSER, REDUCE(S32, ADD, 0));
	assert_int_equal(run(card, 5, USER_HBM, SRAM_AT, 64, LIN), 0);
	assert_int_equal(run(card, 5, SRAM_AT, USER_HBM, 64, LIN), 0);
	card_used(card, "DMA reduction", "approximate");
	card_used(card, "DMA reduction in HBM", "approximate");
}

/* Two cores add to the same words at the same time: none is lost. */
TEST(reductions_are_atomic)
{
	struct gaudi_config config = { .hbm_size = 1ull << 30 };
	struct card *card = card_new(&config, 2);
	uint8_t *sram = card_sram(card);
	unsigned int i, n;
	uint32_t v = 1;

	for (i = 0; i < 1 << 20; i += 4)
		memcpy(card_hbm(card) + USER_HBM + i, &v, 4);
	for (n = 4; n < 6; n++) {
		dma_core_init(card, n);
		wr(card, DMA_CORE(n) + AWUSER, REDUCE(S32, ADD, 0));
		wr64(card, DMA_CORE(n) + SRC, USER_HBM);
		wr64(card, DMA_CORE(n) + DST, SRAM);
		wr(card, DMA_CORE(n) + DST_SIZE(0), 1 << 20);
	}
	for (i = 0; i < 4; i++)
		for (n = 4; n < 6; n++)
			wr(card, DMA_CORE(n) + COMMIT, LIN);
	card_settle(card);
	for (i = 0; i < 1 << 20; i += 4) {
		memcpy(&v, sram + i, 4);
		assert_int_equal(v, 8);
	}
	card_free(card);
}

/* --- status ------------------------------------------------------------- */

CARD_TEST(counts_requests)
{
	uint32_t core = DMA_CORE(3);
	uint64_t sob = CFG + SM_E_N + SOB(7);

	dma_core_init(card, 3);
	wr(card, core + 0x7c, 0x80000001);
	wr64(card, core + 0x80, sob);
	assert_int_equal(run(card, 3, USER_HBM, SRAM_AT, 1000, LIN), 0);
	assert_int_equal(rd(card, core + 0x220), 8);	/* 128 bytes each */
	assert_int_equal(rd(card, core + 0x224), 8);
	assert_int_equal(rd(card, core + 0x228), 0);
	assert_int_equal(rd(card, core + 0x22c), 1);
	/* A memset reads nothing; a completion is one small write. */
	assert_int_equal(run(card, 3, 0, SRAM_AT, 128, LIN | MEMSET | 1), 0);
	assert_int_equal(rd(card, core + 0x220), 8);
	assert_int_equal(rd(card, core + 0x224), 9);
	assert_int_equal(rd(card, core + 0x228), 1);
	assert_int_equal(rd(card, core + 0x22c), 2);
	assert_int_equal(rd(card, SM_E_N + SOB(7)), 1);
	/* Nothing to copy is complete at once. */
	assert_int_equal(run(card, 3, USER_HBM, SRAM_AT, 0, LIN | 1), 0);
	assert_int_equal(rd(card, SM_E_N + SOB(7)), 2);
	/* Read only. */
	wr(card, core + 0x22c, 77);
	wr(card, core + 0x114, 77);
	assert_int_equal(rd(card, core + 0x22c), 3);
	assert_int_equal(rd(card, core + 0x114), 0);
}

CARD_TEST(shows_what_waits)
{
	uint32_t core = DMA_CORE(6);
	unsigned int i;

	dma_core_init(card, 6);
	wr(card, core + 0x4, 1);
	assert_int_equal(rd(card, core + 0x194), 1);
	wr(card, core + SRC, USER_HBM);
	wr(card, core + DST, USER_HBM + 0x1000);
	/* the context's upper byte stands above the address */
	wr(card, core + DST + 4, 0xab000000);
	wr(card, core + DST_SIZE(0), 16);
	card_hbm(card)[USER_HBM] = 0x31;
	wr(card, core + COMMIT, 0xcd0000 | LIN);
	assert_int_equal(rd(card, core + STS0), BUSY);
	assert_int_equal(rd(card, core + 0x230), 0x160);
	assert_int_equal(rd(card, core + 0x234), 0xabcd);
	assert_int_equal(rd(card, core + 0x238), 0xabcd);
	for (i = 0; i < 3; i++)
		wr(card, core + COMMIT, LIN);
	assert_int_equal(rd(card, core + 0x230), 0x163);
	wr_settle(card, core + 0x4, 0);
	assert_int_equal(rd(card, core + 0x194), 0);
	assert_int_equal(rd(card, core + STS0), 0);
	assert_int_equal(rd(card, core + 0x230), 0x178);
	assert_int_equal(rd(card, core + 0x234), 0);
	assert_int_equal(card_hbm(card)[USER_HBM + 0x1000], 0x31);
	assert_int_equal(rd(card, core + ERR_CAUSE), 0);
}
