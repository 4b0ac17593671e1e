// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random packets and random register writes. Nothing is checked but that the
 * card comes back, stays within its memory (sanitizers), and works after a
 * reset. Seeds are fixed; FUZZ_SEED and FUZZ_ROUNDS change them.
 */
#include "../card.h"

#define RING	0x10000
#define CBUF	0x100000
#define CB_SIZE	1024

static uint32_t x;

static uint32_t rnd(void)
{
	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	return x;
}

static unsigned int rounds(unsigned int normal)
{
	const char *s = getenv("FUZZ_ROUNDS");

	return s ? strtoul(s, NULL, 0) : normal;
}

static void seed(uint32_t s)
{
	const char *e = getenv("FUZZ_SEED");

	x = e ? strtoul(e, NULL, 0) : s;
}

/* An address of any kind: memories and their ends, registers, host, nowhere */
static uint64_t any_addr(void)
{
	switch (rnd() % 10) {
	case 0:
		return rnd() % (1u << 30);
	case 1:
		return SRAM + rnd() % 0x1500000;
	case 2:
		return CFG + (rnd() % 0x4000000 & ~3u);
	case 3:
		return CFG + SM_E_N + SOB(rnd() % 2048);
	case 4:
		return CFG + DMA_QM(rnd() % 8) + (rnd() % 0x1000 & ~3u);
	case 5:
	case 6:
		return ram_dev(0x2000000 + rnd() % 0x2000000);
	case 7:
		return HOST + rnd();
	case 8:
		return CFG + SM_W_S + 0x4000 + (rnd() % 0x2800 & ~3u);
	default:
		return (uint64_t)rnd() << 32 | rnd();
	}
}

static uint32_t any_size(void)
{
	static const uint32_t sizes[] = { 0, 1, 8, 24, 64, 4096, 65536 };

	if (rnd() % 50 == 0)
		return rnd();
	return sizes[rnd() % 7];
}

static void any_packet(struct cb *cb)
{
	static const uint8_t ops[] = {
		0x1, 0x2, 0x3, 0x3, 0x4, 0x4, 0x5, 0x5, 0x6, 0x7, 0x8, 0x9, 0x9,
		0x9, 0xa, 0xb, 0xc, 0xd, 0xf, 0xe, 0x0, 0x1f,
	};
	unsigned int op = ops[rnd() % sizeof(ops)];
	uint32_t ctl = op << 24 | (rnd() & 0xe0000000);

	switch (op) {
	case 0x3:
	case 0x7:
		put32(cb, rnd());
		put32(cb, ctl | (rnd() % 4 == 0) << 20);
		put64(cb, any_addr());
		break;
	case 0x5:
		put32(cb, any_size());
		put32(cb, ctl);
		put64(cb, rnd() % 2 ? ram_dev(CBUF + 8 * (rnd() % 1024)) :
				      any_addr());
		break;
	case 0x8:
		put_fence(cb, rnd() % 4, rnd() % 3, rnd() % 3);
		break;
	case 0x9:
		put_lin_dma(cb, any_addr(), any_addr(), any_size(),
			    rnd() % 4 ? 8 : rnd() & 0x7f);
		break;
	case 0xd:
		put32(cb, rnd() & 0x3f0000ff);
		put32(cb, ctl);
		break;
	case 0xf:
		put32(cb, rnd() & 3);
		put32(cb, ctl | (rnd() & 0x71f));
		put64(cb, any_addr());
		break;
	default:
		put32(cb, rnd());
		put32(cb, ctl | (rnd() & 0xffffff));
	}
}

/*
 * Not card_settle(): a program may well loop for ever. It gets some turns, and
 * then the reset must end it.
 */
static void some_turns(struct card *card)
{
	unsigned int i;

	for (i = 0; i < 20; i++) {
		card->now += 1000000;
		if (card->deadline <= card->now) {
			card->deadline = UINT64_MAX;
			gaudi_chip_timer(card->chip);
		}
		if (!atomic_exchange(&card->kicked, false))
			break;
		gaudi_chip_run(card->chip);
	}
}

static void assert_works_after_reset(struct card *card)
{
	struct queue q;
	struct cb cb = cb_host(card, CBUF);

	gaudi_chip_power_on(card->chip);
	card_settle(card);
	q = queue_external(card, 0, RING);
	put_msg_prot(&cb, ram_dev(0x200000), 0x72e91ab9);
	memset(card->ram + 0x200000, 0, 4);
	queue_run(card, &q, &cb);
	assert_int_equal(ram32(card, 0x200000), 0x72e91ab9);
}

CARD_TEST(random_packets)
{
	unsigned int round, n = rounds(400);

	seed(20190617);
	for (round = 0; round < n; round++) {
		struct queue q[3];
		unsigned int i;

		if (round % 8 == 0) {
			gaudi_chip_power_on(card->chip);
			some_turns(card);
		}
		q[0] = queue_external(card, rnd() % 8, RING);
		q[1] = queue_internal(card, DMA_QM(2 + rnd() % 6), rnd() % 4,
				      RING + 0x10000, 6);
		q[2] = queue_internal(card, TPC_QM(rnd() % 8), rnd() % 4,
				      RING + 0x20000, 6);
		for (i = 0; i < 3; i++) {
			struct cb cb = cb_host(card, CBUF + i * 0x1000);

			while (cb.len < CB_SIZE)
				any_packet(&cb);
			queue_put(card, &q[i], cb.addr,
				  rnd() % 8 ? cb.len : any_size());
			queue_ring(card, &q[i]);
		}
		some_turns(card);
	}
	assert_works_after_reset(card);
}

/* Registers that the blocks of the card have, and any others. */
static uint32_t any_reg(void)
{
	switch (rnd() % 12) {
	case 0:
		return DMA_QM(rnd() % 8) + (rnd() % 0x1000 & ~3u);
	case 1:
		return DMA_CORE(rnd() % 8) + (rnd() % 0x300 & ~3u);
	case 2:
		return TPC_QM(rnd() % 8) - 0x2000 + (rnd() % 0x3000 & ~3u);
	case 3:
		return 0x60000 + rnd() % 4 * 0x80000 + (rnd() % 0x9000 & ~3u);
	case 4:
		return SM_W_S + (rnd() % 4) * 0x20000 + (rnd() % 0x7000 & ~3u);
	case 5:
		return 0xc11000 + (rnd() % 0x2000 & ~3u);
	case 6:
		return 0xc4b000 + (rnd() % 0x1000 & ~3u);
	case 7:
		return 0x442000 + (rnd() % 0x300 & ~3u);
	case 8:
		return 0x800040;
	case 9:
		return 0xc02000 + (rnd() % 0x6000 & ~3u);
	default:
		return rnd() % 0x4000000 & ~3u;
	}
}

CARD_TEST(random_registers)
{
	unsigned int i, n = rounds(400) * 250;

	seed(19);
	for (i = 0; i < n; i++) {
		uint32_t value = rnd() % 3 ? rnd() : rnd() % 8;

		if (rnd() % 4)
			wr(card, any_reg(), value);
		else
			rd(card, any_reg());
		if (i % 16 == 0)
			some_turns(card);
	}
	assert_works_after_reset(card);
}
