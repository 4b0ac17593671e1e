// SPDX-License-Identifier: GPL-2.0-only
/*
 * Things that a guest can do with engines: packets, queues, DMA cores, sync
 * managers, page tables.
 *
 * Packets of a run gather in one buffer after the other in RAM; op_submit gives
 * the last one to a queue, which it sets up on first use.
 */
#include "ops.h"

#define RINGS		0x10000		/* in RAM: a ring for each QMAN stream */
#define RING_LOG2	4
#define BUFFERS		PACKETS
#define BUFFERS_END	(PACKETS + PACKETS_SIZE)
#define NUM_QMANS	28

void (*engine_wr)(struct world_card *card, uint32_t reg,
		  uint32_t value) = reg_wr;
uint64_t packets_base = GAUDI_HOST_BASE + RAM_BASE + BUFFERS;
static uint64_t buf_start, buf_pos;
/* What the run has set up; forgotten by queues_begin(). */
static uint32_t queue_pi[NUM_CARDS][NUM_QMANS * 4];
static bool queue_ready[NUM_CARDS][NUM_QMANS];

void queues_begin(void)
{
	buf_start = buf_pos = BUFFERS;
	memset(queue_pi, 0, sizeof(queue_pi));
	memset(queue_ready, 0, sizeof(queue_ready));
}

/* --- packets ---------------------------------------------------------------- */

static void put(const void *data, size_t len)
{
	if (buf_pos + len > BUFFERS_END)
		return;
	memcpy(world_ram_write(buf_pos, len), data, len);
	buf_pos += len;
}

static void put32(uint32_t v)
{
	put(&v, 4);
}

static void put64(uint64_t v)
{
	put(&v, 8);
}

/* Mostly short, so that a run does much; sometimes any. */
static uint32_t any_size(uint32_t value)
{
	static const uint32_t most[] = {
		64, 0xfff, 0x1ff, 0x7ff, 0x7f, 0x3ff, 16, 0x3fff,
	};

	/* One in 4096: any. It takes as long as a hundred runs. */
	return (value >> 17 & 0xfff) == 0xfff ? value :
						value & most[value >> 29];
}

uint64_t packets_dev(uint64_t off)
{
	return packets_base + off % (BUFFERS_END - BUFFERS);
}

/* A place in the part of RAM that holds packets. */
static uint64_t packets_addr(unsigned int sel, uint64_t off)
{
	if (sel & 3)
		return packets_dev(off % (buf_pos - BUFFERS + 8) / 8 * 8);
	return any_addr(sel >> 2, off);
}

void op_packet_write(struct world_card *card, uint32_t reg, uint32_t value)
{
	(void)card;
	put32(value);
	put32(0x03000000);
	put64(GAUDI_CFG_BASE + reg);
}

uint64_t packets_take(uint32_t *len, const void **packets)
{
	uint64_t start = buf_start;

	*packets = world.ram + start;
	*len = buf_pos - start;
	buf_start = buf_pos;
	return packets_dev(start - BUFFERS);
}

/*
 * unit: opcode; sel: kinds of addresses; flags: barriers and options; value,
 * addr: as the packet has them.
 */
void op_packet(struct world_card *card, const struct rec *r)
{
	static const uint8_t opcodes[] = {
		0x1, 0x2, 0x3, 0x4, 0x5, 0x6, 0x7, 0x8, 0x9, 0xa, 0xb, 0xc, 0xd,
		0xf, 0x9, 0x9,
	};
	unsigned int op = opcodes[r->unit % 16], i;
	uint32_t ctl = op << 24 | (r->flags & 0xe0u) << 24;

	(void)card;
	switch (op) {
	case 0x2:	/* WREG_BULK and its values */
		put32((r->value & 0xff00) == 0 ? r->value : r->flags % 8);
		put32(ctl | (r->addr & 0xffffff));
		for (i = 0; i < r->flags % 8u; i++)
			put64(r->addr + i * r->value);
		return;
	case 0x3:
	case 0x7:
		put32(r->value);
		put32(ctl | (r->flags & 1) << 20 | (r->flags & 0x1e) >> 1);
		put64(any_addr(r->sel, r->addr));
		return;
	case 0x5:
		put32(any_size(r->value));
		put32(ctl | (r->flags & 0x1f));
		put64(packets_addr(r->sel, r->addr));
		return;
	case 0x9:
		put32(any_size(r->value));
		put32(ctl | (r->flags & 16 ? r->flags & 0x7f : 8 | r->flags % 2));
		put64(any_addr(r->sel, r->addr));
		put64(any_addr(r->sel ^ r->value >> 24, r->addr >> 32 ^
			       r->addr << 8));
		return;
	case 0xf:
		put32((r->value & 1) | (r->addr >> 32 & 0x700));
		put32(ctl | (r->addr >> 32 & 0x1f));
		put64(packets_addr(r->sel, r->addr));
		return;
	default:
		put32(r->value);
		put32(ctl | (r->addr & 0xffffff));
	}
}

void op_raw_packet(struct world_card *card, const struct rec *r)
{
	(void)card;
	put32(r->value);
	put32((uint32_t)r->sel << 24 | r->flags << 16 | (r->addr & 0xffff));
	put64(r->addr);
}

/* --- queues ----------------------------------------------------------------- */

static uint32_t qman_base(unsigned int q)
{
	if (q < 8)
		return GAUDI_DMA_QM_BASE(q);
	if (q < 10)
		return GAUDI_MME_QM_BASE((q - 8) * 2);
	if (q < 20)
		return GAUDI_NIC_QM_BASE(q - 10);
	return GAUDI_TPC_QM_BASE(q - 20);
}

static void core_init(struct world_card *card, unsigned int n)
{
	uint32_t core = GAUDI_DMA_CORE_BASE(n);

	reg_wr(card, core + 0xb8, 2);
	reg_wr(card, core + 0xf0, 0x400);
	reg_wr(card, core + 0x170, 0xfc800040);
	reg_wr(card, core + 0x174, 0x7f);
	reg_wr(card, core + 0x178, 453 + n);
	reg_wr(card, core + 0x0, 1);
}

/* All streams; external ones are trusted, as drivers have it for DMA 0, 1. */
static void qman_init(struct world_card *card, unsigned int q)
{
	uint32_t qm = qman_base(q);
	bool external = q < 2;
	unsigned int s;
	uint64_t ring;

	for (s = 0; s < 5; s++) {
		reg_wr(card, qm + 0x2c8 + 4 * s, external ? 0x74 : 0x81bc);
		reg_wr(card, qm + 0x2e0 + 4 * s, external ? 0x14 : 0x81b4);
		reg_wr(card, qm + 0x2f4 + 4 * s, 0x1c);
		reg_wr(card, qm + 0x228 + 4 * s, 0xfc4f4000);
		reg_wr(card, qm + 0x23c + 4 * s, 0x7f);
		reg_wr(card, qm + 0x250 + 4 * s, 0xfc4f2000);
		reg_wr(card, qm + 0x264 + 4 * s, 0x7f);
		if (s == 4)
			break;
		ring = world_dev(RINGS + (q * 4 + s) * (16u << RING_LOG2));
		reg_wr(card, qm + 0x70 + 4 * s, ring);
		reg_wr(card, qm + 0x80 + 4 * s, ring >> 32);
		reg_wr(card, qm + 0x90 + 4 * s, RING_LOG2);
	}
	reg_wr(card, qm + 0xcd0, 0xfc800040);
	reg_wr(card, qm + 0xcd4, 0x7f);
	reg_wr(card, qm + 0xcd8, 432 + q);
	reg_wr(card, qm + 0x8, external ? 0x5eff : 0x400f);
	reg_wr(card, qm + 0x4, 0);
	if (q < 8)
		core_init(card, q);
	reg_wr(card, qm + 0x0, external ? 0x1eff : 0x3fff);
	queue_ready[card->id][q] = true;
}

/* unit: QMAN; sel: stream; flags: bit 0: no doorbell, 1: not all of it */
void op_submit(struct world_card *card, const struct rec *r)
{
	unsigned int q = r->unit % 128 % NUM_QMANS, n = q * 4 + r->sel % 4;
	uint64_t slot, ptr = world_dev(buf_start);
	uint8_t *bd;
	uint32_t *pi = &queue_pi[card->id][n];
	uint32_t len = buf_pos - buf_start, ctl = 0;

	if (!queue_ready[card->id][q])
		qman_init(card, q);
	if (r->flags & 2) {
		ptr = packets_addr(r->sel >> 2, r->addr);
		len = any_size(r->value);
	}
	slot = RINGS + n * (16u << RING_LOG2) + *pi % (1u << RING_LOG2) * 16;
	bd = world_ram_write(slot, 16);
	memcpy(bd, &ptr, 8);
	memcpy(bd + 8, &len, 4);
	memcpy(bd + 12, &ctl, 4);
	*pi = (*pi + 1) % (2u << RING_LOG2);
	if (!(r->flags & 1)) {
		reg_wr(card, qman_base(q) + 0xa0 + 4 * (r->sel % 4), *pi);
		world_run(64);
	}
	if (!(r->flags & 4))
		buf_start = buf_pos;
}

void op_doorbell(struct world_card *card, const struct rec *r)
{
	unsigned int q = r->unit % 128 % NUM_QMANS;

	reg_wr(card, qman_base(q) + 0xa0 + 4 * (r->sel % 4), r->value);
}

/* --- DMA cores, sync managers ------------------------------------------------ */

/*
 * unit: core; sel, addr: source and destination; flags: bits of COMMIT, and
 * whether it has more dimensions.
 */
void op_dma(struct world_card *card, const struct rec *r)
{
	uint32_t core = GAUDI_DMA_CORE_BASE(r->unit % 8);
	uint64_t src = any_addr(r->sel, r->addr);
	uint64_t dst = any_addr(r->sel ^ r->value >> 24, r->addr >> 24);
	/* One in 16 goes on until the run's turns are used up. */
	uint32_t most = (r->value >> 25 & 0xf) == 0xf ? 0x7ff : 3;
	unsigned int d;

	if (engine_wr == reg_wr)
		core_init(card, r->unit % 8);
	engine_wr(card, core + 0x14, src);
	engine_wr(card, core + 0x18, src >> 32);
	engine_wr(card, core + 0x1c, dst);
	engine_wr(card, core + 0x20, dst >> 32);
	engine_wr(card, core + 0x4c, any_size(r->value));
	engine_wr(card, core + 0x74, any_size(r->value));
	for (d = 0; r->flags & 0x80 && d < 8; d++) {
		engine_wr(card, core + 0x2c + 4 * d, r->value >> d & most);
		engine_wr(card, core + 0x54 + 4 * d, r->addr >> d & 0xfff);
	}
	/* add to what is there, in some type */
	engine_wr(card, core + 0x130, r->unit & 0x40 ? r->value >> 8 | 4 : 0);
	/* the completion may go to any register, its own too */
	engine_wr(card, core + 0x7c, r->value);
	engine_wr(card, core + 0x80, dst);
	engine_wr(card, core + 0x84, dst >> 32);
	engine_wr(card, core + 0x78, r->flags & 0x20 ? r->value :
	       0x8u ^ (r->flags & 0x19));
}

/* unit: sync manager; value: payload; addr: monitor, SOBs, payload address */
void op_monitor(struct world_card *card, const struct rec *r)
{
	uint32_t sm = GAUDI_SYNC_MNGR_W_S_BASE + r->unit % 4 * 0x20000;
	uint64_t to = any_addr(r->sel, r->addr >> 16);
	uint32_t m = r->addr % 512 * 4, arm;

	if (r->flags & 1) {
		engine_wr(card, sm + 0x2000 + r->addr % 2048 * 4, r->value);
		return;
	}
	if (r->flags & 2)	/* to another monitor or SOB: a chain */
		to = GAUDI_CFG_BASE + sm + 0x2000 + (r->addr >> 16) % 0x4800;
	arm = (r->addr >> 9 & 0xff) | (r->flags & 0xfc) << 6 |
	      (r->value & 0xf) << 17;
	engine_wr(card, sm + 0x4000 + m, to);
	engine_wr(card, sm + 0x4800 + m, to >> 32);
	engine_wr(card, sm + 0x5000 + m, r->value);
	engine_wr(card, sm + 0x5800 + m, arm);
}

/* --- memory and page tables --------------------------------------------------- */

void op_memory(struct world_card *card, const struct rec *r)
{
	uint8_t data[12];
	uint64_t off = r->addr >> 16;

	memcpy(data, &r->value, 4);
	memcpy(data + 4, &r->addr, 8);
	card->used = true;
	switch (r->sel % 3) {
	case 0:
		memcpy(world_ram_write(off % (RAM_SIZE - 12), 12), data, 12);
		break;
	case 1:
		memcpy(card->hbm + off % (HBM_SIZE - 12), data, 12);
		break;
	default:
		memcpy(card->sram + off % (GAUDI_SRAM_SIZE - 12), data, 12);
	}
}

/*
 * Tables of page k are at k * 4 KiB of HBM, 16 of them. unit: which table; sel:
 * what it points to; value: entry and bits.
 */
void op_pte(struct world_card *card, const struct rec *r)
{
	uint32_t table = r->unit % 16, entry = r->value % 512;
	uint64_t pte = r->addr;

	if (r->sel & 1)		/* the next table, or one before it */
		pte = (uint64_t)(r->flags % 16) << 12 | 1;
	else if (r->sel & 2)
		pte = (any_addr(r->sel >> 2, r->addr) & ~0xfffull) | 0x801;
	if (r->value & 0x10000)
		entry = 0;	/* VA_HOST_START is entry 1 of hop 0 */
	if (r->value & 0x20000)
		pte ^= r->value >> 20;
	if (r->value & 0x40000)
		entry = table ? 0 : 1;
	memcpy(card->hbm + table * 4096 + entry * 8, &pte, 8);
	card->used = true;
}

/* The root of an ASID, and whether there is translation. */
void op_asid(struct world_card *card, const struct rec *r)
{
	uint64_t root = r->flags & 4 ? r->addr : (r->addr % 16) << 12;

	reg_wr(card, GAUDI_STLB_BASE + 0x4, r->value % 4);
	reg_wr(card, GAUDI_STLB_BASE + 0x8, root >> 12);
	reg_wr(card, GAUDI_STLB_BASE + 0xc, root >> 44);
	reg_wr(card, GAUDI_STLB_BASE + 0x0, 0x80000000);
	reg_wr(card, GAUDI_MMU_UP_BASE + 0xc, r->flags & 1);
	/* everybody translated, with this ASID */
	if (r->flags & 2) {
		reg_wr(card, GAUDI_DMA_CORE_BASE(r->sel % 8) + 0xf4,
		       r->value % 4);
		reg_wr(card, GAUDI_DMA_CORE_BASE(r->sel % 8) + 0xf0,
		       r->value % 4);
	}
}

void op_invalidate(struct world_card *card, const struct rec *r)
{
	static const uint16_t regs[] = { 0x10, 0x34, 0x3c, 0x50, 0x0, 0x4c };

	reg_wr(card, GAUDI_STLB_BASE + regs[r->sel % ARRAY_LEN(regs)],
	       r->value);
}
