// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proves: a program's own command buffer on an internal queue may use a DMA
 * core for more than LIN_DMA: rows with gaps, transposition, sums in SRAM, and
 * a completion by the core itself. All registers used here are open to users.
 * And where the driver keeps its page tables, a program writes nothing.
 */
#include "lib/fixture.h"

#define QUEUE		GAUDI_QUEUE_ID_DMA_5_0
#define HBM		0x20000000ull
#define SRAM		(SRAM_BASE + 0x20000)
#define SOB		40		/* raised at the end */
#define LEN		0x400000
#define CBS		0x300000	/* offset of the command buffers */
#define OUT		0x200000	/* offset of what came back */

/* DMA core */
#define SRC		0x14
#define DST		0x1c
#define SRC_TSIZE_0	0x4c
#define SRC_TSIZE_1	0x2c
#define SRC_STRIDE_1	0x30
#define DST_TSIZE_0	0x74
#define DST_TSIZE_1	0x54
#define DST_STRIDE_1	0x58
#define COMMIT		0x78
#define WR_COMP_WDATA	0x7c
#define WR_COMP_ADDR	0x80
#define TE_NUMROWS	0x94
#define WR_AWUSER	0x130
/* HL_RAZWI_*, which the header writes with macros that it does not have */
#define RAZWI_READ	1
#define RAZWI_WRITE	2
#define COMMIT_COMP	0x1
#define COMMIT_TRANS	0x2
#define COMMIT_WORDS	0x4
#define COMMIT_LIN	0x8

GAUDI_HOST_FIXTURE(shape, LEN,
	char *p;		/* end of the lower buffer */
)

static char *wreg(char *p, uint32_t off, uint32_t value)
{
	uint32_t words[2] = { value, 1u << 24 | off << 8 };

	memcpy(p, words, sizeof(words));
	return p + sizeof(words);
}

static char *wreg64(char *p, uint32_t lo, uint64_t value)
{
	p = wreg(p, lo, value);
	return wreg(p, lo + 4, value >> 32);
}

static char *copy(char *p, uint64_t src, uint64_t dst, uint32_t size)
{
	return p + gt_pkt_lin_dma(p, src, dst, size, EB);
}

/*
 * Runs the lower buffer on the internal queue, and an external job that waits
 * for the sync object. The status of the wait, or -errno.
 */
static int run(struct _test_data_shape *self, unsigned int seconds)
{
	struct hl_cs_chunk chunks[2];
	char *lower = self->host + CBS + 0x100, *p = self->cb.map;
	uint32_t status;
	uint64_t seq;
	int err;

	gt_pkt_cp_dma(self->host + CBS, self->va + CBS + 0x100,
		      self->p - lower);
	p += gt_pkt_monitor(p, 41, SOB, 1, DMA_FENCE2(0, 0));
	p += gt_pkt_fence(p, 2, 1, 1);
	p += gt_pkt_msg_long(p, SOB_E_N(SOB), 0, MB);
	self->cb.len = p - (char *)self->cb.map;
	memset(chunks, 0, sizeof(chunks));
	chunks[0].cb_handle = self->va + CBS;
	chunks[0].cb_size = 16;
	chunks[0].queue_index = QUEUE;
	chunks[1].cb_handle = self->cb.handle;
	chunks[1].cb_size = self->cb.len;
	chunks[1].queue_index = GAUDI_QUEUE_ID_DMA_0_0;
	err = gt_submit_chunks(self->fd, chunks, 2, 0, &seq);
	if (!err)
		err = gt_wait(self->fd, seq, seconds * 1000000ull, &status);
	return err ? err : (int)status;
}

static char *signal_end(char *p)
{
	return p + gt_pkt_msg_long(p, SOB_E_N(SOB), 1u << 31 | 1, EB | MB);
}

/* 100 rows of 60 bytes, 256 apart, become rows that are 100 apart. */
TEST_F(shape, rows_with_gaps)
{
	char *p = self->host + CBS + 0x100;
	int i;

	gt_fill(self->host, 0x10000, 1);
	memset(self->host + OUT, 0x77, 0x10000);
	p = wreg64(p, SRC, self->va);
	p = wreg64(p, DST, HBM);
	p = wreg(p, SRC_TSIZE_0, 60);
	p = wreg(p, SRC_TSIZE_1, 100);
	p = wreg(p, SRC_STRIDE_1, 256);
	p = wreg(p, DST_TSIZE_1, 100);
	p = wreg(p, DST_STRIDE_1, 100);
	p = wreg(p, DST_TSIZE_0, 60);
	p = copy(p, self->va + OUT, HBM, 10000);
	/* LIN_DMA has left its addresses in the registers */
	p = wreg64(p, SRC, self->va);
	p = wreg64(p, DST, HBM);
	p = wreg(p, DST_TSIZE_0, 60);
	p = wreg(p, COMMIT, 0);
	p = copy(p, HBM, self->va + OUT, 10000);
	self->p = signal_end(p);
	ASSERT_EQ(HL_WAIT_CS_STATUS_COMPLETED, run(self, 20));
	for (i = 0; i < 100; i++) {
		char *row = self->host + OUT + 100 * i;

		ASSERT_EQ(0, memcmp(row, self->host + 256 * i, 60));
		ASSERT_EQ(0x77, row[60]);
		ASSERT_EQ(0x77, row[99]);
	}
}

TEST_F(shape, transposes)
{
	uint32_t *in = (uint32_t *)self->host, r, c;
	uint32_t *out = (uint32_t *)(self->host + OUT);
	char *p = self->host + CBS + 0x100;

	for (r = 0; r < 64 * 48; r++)
		in[r] = r * 2654435761u;
	p = wreg(p, TE_NUMROWS, 64);
	p = wreg64(p, SRC, self->va);
	p = wreg64(p, DST, SRAM);
	p = wreg(p, DST_TSIZE_0, 64 * 48 * 4);
	p = wreg(p, COMMIT, COMMIT_LIN | COMMIT_TRANS | COMMIT_WORDS);
	p = wreg(p, TE_NUMROWS, 0);
	p = copy(p, SRAM, self->va + OUT, 64 * 48 * 4);
	self->p = signal_end(p);
	ASSERT_EQ(HL_WAIT_CS_STATUS_COMPLETED, run(self, 20));
	for (r = 0; r < 64; r++)
		for (c = 0; c < 48; c++)
			ASSERT_EQ(in[48 * r + c], out[64 * c + r]);
}

/* Bits 21:13 of the user bits: enable, float, add; bit 11 as the driver has it */
TEST_F(shape, sums_in_sram)
{
	float *in = (float *)self->host, *out = (float *)(self->host + OUT);
	char *p = self->host + CBS + 0x100;
	int i;

	for (i = 0; i < 20000; i++)
		in[i] = i + 0.5f;
	p = copy(p, self->va, SRAM, 80000);
	p = wreg(p, WR_AWUSER, 1 | (1 | 7 << 1) << 2);
	p = copy(p, self->va, SRAM, 80000);
	p = copy(p, self->va, SRAM, 80000);
	p += gt_pkt_nop(p, EB);
	p = wreg(p, WR_AWUSER, 1);
	p = copy(p, SRAM, self->va + OUT, 80000);
	self->p = signal_end(p);
	ASSERT_EQ(HL_WAIT_CS_STATUS_COMPLETED, run(self, 20));
	for (i = 0; i < 20000; i++)
		ASSERT_EQ(3 * i + 1.5f, out[i]);
}

/* No packet raises the sync object: the core does, after its data. */
TEST_F(shape, core_signals)
{
	char *p = self->host + CBS + 0x100;

	gt_fill(self->host, 1 << 20, 4);
	p = wreg64(p, WR_COMP_ADDR, SOB_E_N(SOB));
	p = wreg(p, WR_COMP_WDATA, 1u << 31 | 1);
	p = copy(p, self->va, HBM, 1 << 20);
	p = wreg64(p, SRC, HBM);
	p = wreg64(p, DST, self->va + OUT);
	p = wreg(p, DST_TSIZE_0, 1 << 20);
	self->p = wreg(p, COMMIT, COMMIT_LIN | COMMIT_COMP);
	ASSERT_EQ(HL_WAIT_CS_STATUS_COMPLETED, run(self, 20));
	EXPECT_EQ(-1, gt_check(self->host + OUT, 1 << 20, 4));
}

/*
 * The router refuses; the driver finds out which of two cores it was. That one
 * stops, as the driver asks it to, so that the job does not end.
 */
TEST_F(shape, refused_address)
{
	struct hl_info_razwi_event razwi;
	char *p = self->host + CBS + 0x100;
	int i;

	memset(self->host, 0x55, 4096);
	/* a piece that is fine, and one that is not */
	p = copy(p, self->va, HBM, 4096);
	p = copy(p, self->va, 0x1000, 64);
	self->p = signal_end(p);
	ASSERT_EQ(HL_WAIT_CS_STATUS_BUSY, run(self, 1));
	for (i = 0; i < 100; i++) {
		ASSERT_EQ(0, gt_info(self->fd, HL_INFO_RAZWI_EVENT, &razwi,
				     sizeof(razwi)));
		if (razwi.timestamp)
			break;
		usleep(50000);
	}
	ASSERT_NE(0, razwi.timestamp);
	EXPECT_EQ(RAZWI_WRITE, razwi.flags & (RAZWI_WRITE | RAZWI_READ));
	ASSERT_EQ(1, razwi.num_of_possible_engines);
	EXPECT_EQ(GAUDI_ENGINE_ID_DMA_5, razwi.engine_id[0]);
}

TEST_HARNESS_MAIN
