// SPDX-License-Identifier: GPL-2.0-only
/*
 * A user of a card that gaudi.ko has brought up, with its protection in force:
 * packets, kernels and descriptors aim at every register, the user's memory and
 * everybody else's. What the driver has closed stays as it was, and what is the
 * driver's too; and no call takes long (world.c).
 */
#include "user_driver.h"

const unsigned int harness_unit = sizeof(struct rec);

#define WORD		32
#define IMM_FIRST	151		/* bit of a word's immediate */
#define KERNELS		(USER_HBM + 0x800000)
#define KERNEL_WORDS	64u
/* Bytes that nobody but the driver writes, where a user's accesses may go. */
#define CANARY		0x5a

/* user_words.tpc, assembled */
__asm__(".pushsection .rodata\n"
	"words: .incbin \"" USER_WORDS "\"\n"
	"words_end:\n"
	".popsection\n");
extern const uint8_t words[], words_end[];

static unsigned int kernel_words;
static uint32_t queue_pi[18 * 4];
static uint64_t copies;
static uint8_t tables[DRIVER_TABLES_SIZE];

/* --- what a user names ------------------------------------------------------------ */

/* Whose writes do most, and what stands beside them. */
static uint32_t hot_reg(uint64_t off)
{
	static const struct { uint32_t base, stride, count, reg; } hot[] = {
		{ GAUDI_DMA_CORE_BASE(0), 0x20000, 8, 0x78 },	/* COMMIT */
		{ GAUDI_DMA_CORE_BASE(0), 0x20000, 8, 0x130 },	/* AWUSER */
		{ GAUDI_DMA_CORE_BASE(0), 0x20000, 8, 0x7c },	/* WR_COMP */
		{ GAUDI_TPC_CFG_BASE(0), 0x40000, 8, 0x938 },	/* EXECUTE */
		{ GAUDI_TPC_CFG_BASE(0), 0x40000, 8, 0x930 },	/* CMD */
		{ GAUDI_MME_CTRL_BASE(0), 0x80000, 4, 0x280 },	/* CMD */
		{ GAUDI_DMA_QM_BASE(0), 0x20000, 8, 0xd0 },	/* CQ */
		{ GAUDI_TPC_QM_BASE(0), 0x40000, 8, 0xa00 },	/* arbiter */
		{ GAUDI_SYNC_MNGR_W_S_BASE, 0x20000, 4, 0x2000 },
		{ GAUDI_SYNC_MNGR_W_S_BASE, 0x20000, 4, 0x5800 },
		{ GAUDI_STLB_BASE, 0, 1, 0x10 },
		{ GAUDI_PSOC_GLOBAL_CONF_BASE, 0, 1, 0x498 },
		{ GAUDI_PCIE_WRAP_BASE, 0, 1, 0x100 },
	};
	unsigned int i = (off >> 16) % ARRAY_LEN(hot);

	return hot[i].base + (off >> 8 & 0xff) % hot[i].count * hot[i].stride +
	       hot[i].reg + (off & 0x1f & ~3u);
}

/* What keeps users out itself. */
static uint32_t locked_reg(uint64_t off)
{
	return driver_lock(off % driver_locks());
}

static uint64_t named(unsigned int sel, uint64_t off)
{
	switch (sel % 16) {
	case 0:
	case 1:
		return USER_HBM + off % HBM_SIZE;
	case 2:
	case 3:
		return GAUDI_SRAM_BASE + off % (GAUDI_SRAM_SIZE + 256);
	case 4:
	case 5:
		return packets_dev(off);
	case 6:
		return packets_base + PACKETS_SIZE - 64 + off % 128;
	case 7:
		return GAUDI_CFG_BASE + any_reg(sel >> 4, off);
	case 8:
		return GAUDI_CFG_BASE + locked_reg(off);
	case 9:
	case 10:
	case 11:
		return GAUDI_CFG_BASE + hot_reg(off);
	case 12:	/* the driver's, or nobody's */
		return sel & 16 ? off % USER_HBM :
		       sel & 32 ? DRIVER_TABLES + off % DRIVER_TABLES_SIZE :
				  USER_HBM + HBM_SIZE - 64 + off % 128;
	case 13:	/* around the MMU? */
		return world_dev(off);
	case 14:
		return GAUDI_HOST_BASE + any_bus_addr(2 | sel >> 2, off);
	default:
		return off;
	}
}

/* --- things that a user does --------------------------------------------------------- */

/* Memory of its own, from its own threads or by a copy before. */
static void op_own_memory(struct world_card *card, const struct rec *r)
{
	uint8_t data[12];

	memcpy(data, &r->value, 4);
	memcpy(data + 4, &r->addr, 8);
	switch (r->sel % 3) {
	case 0:
		memcpy(world_ram_write(PACKETS + r->addr %
				       (PACKETS_SIZE - 12), 12), data, 12);
		break;
	case 1:
		memcpy(card->hbm + USER_HBM + r->addr % (HBM_SIZE - 12), data,
		       12);
		break;
	default:
		memcpy(card->sram + 0x100 + r->addr % (GAUDI_SRAM_SIZE - 0x200),
		       data, 12);
	}
}

static void set_bits(uint8_t *word, unsigned int first, uint32_t value)
{
	unsigned int i;

	for (i = 0; i < 32; i++, value >>= 1)
		if (value & 1)
			word[(first + i) / 8] |= 1u << (first + i) % 8;
		else
			word[(first + i) / 8] &= ~(1u << (first + i) % 8);
}

/* A register, by a message: of what is closed, or does much. */
static void op_aim(struct world_card *card, const struct rec *r)
{
	engine_wr(card, r->sel & 1 ? locked_reg(r->addr) : hot_reg(r->addr),
		  r->value);
}

/* A word: sel: which; flags: bit 0: another immediate, 1: one bit flipped. */
static void op_kernel_word(struct world_card *card, const struct rec *r)
{
	unsigned int n = (words_end - words) / WORD, bit = r->addr % 256;
	uint8_t *at = card->hbm + KERNELS + kernel_words * WORD;

	if (kernel_words == KERNEL_WORDS - 1)
		return;
	memcpy(at, words + r->sel % n * WORD, WORD);
	if (r->flags & 1)
		set_bits(at, IMM_FIRST, r->value);
	if ((r->flags & 6) == 6)
		at[bit / 8] ^= 1u << bit % 8;
	kernel_words++;
}

/* Tensor sel of TPC unit: where, and with what; of few elements. */
static void op_tensor(struct world_card *card, const struct rec *r)
{
	uint32_t tpc = GAUDI_TPC_CFG_BASE(r->unit % 8);
	uint32_t at = tpc + 0xa00 + r->unit / 8 % 3 * 56, d;
	uint64_t addr = named(r->sel, r->addr);

	engine_wr(card, at, addr);
	engine_wr(card, at + 4, addr >> 32);
	engine_wr(card, at + 8, r->value);
	/* type, valid dimensions, read-modify-write and how */
	engine_wr(card, at + 0xc, (r->value & 7) | 0x1f00 |
		  (r->flags & 7) << 19);
	for (d = 0; d < 5; d++) {
		engine_wr(card, at + 0x10 + 8 * d, 1 + (r->value >> 8 & 0x7f));
		engine_wr(card, at + 0x14 + 8 * d, d ? r->value >> 16 : 1);
	}
}

/* The kernel ends here and is launched; its end is a message to anywhere. */
static void op_launch(struct world_card *card, const struct rec *r)
{
	uint32_t tpc = GAUDI_TPC_CFG_BASE(r->unit % 8), d;
	uint64_t to = named(r->sel, r->addr);

	memcpy(card->hbm + KERNELS + kernel_words * WORD, words_end - WORD,
	       WORD);
	if (!(r->flags & 2))
		kernel_words = 0;
	engine_wr(card, tpc + 0xd88, r->flags & 4 ? to : KERNELS);
	engine_wr(card, tpc + 0xd8c, r->flags & 4 ? to >> 32 : KERNELS >> 32);
	engine_wr(card, tpc + 0xd80, r->value);
	engine_wr(card, tpc + 0xd84, to);
	for (d = 0; d < 4; d++)		/* tables of functions */
		engine_wr(card, tpc + 0x978 + 8 * d, to + 256 * d);
	for (d = 0; d < 5; d++)
		engine_wr(card, tpc + 0xd94 + 8 * d, 1);
	engine_wr(card, tpc + 0x938, 1);
}

/*
 * Gives the packets to a queue: unit: which; sel: stream. The driver checks
 * and copies what is for its own queues.
 */
static void op_user_submit(struct world_card *card, const struct rec *r)
{
	unsigned int stream = r->sel % 4, n = r->unit % 18 * 4 + stream;
	uint64_t ring, ptr;
	const void *packets;
	uint32_t len, ctl = 0, qm;
	uint8_t *bd;
	bool external;

	qm = driver_queue(r->unit % 18, stream, &ring, &external);
	ptr = packets_take(&len, &packets);
	if (external) {
		if (!driver_takes(packets, len) ||
		    len > DRIVER_COPIES_END - copies)
			return;
		memcpy(world_ram_write(copies, len), packets, len);
		ptr = world_dev(copies);
		copies += (len + 127) & ~127u;
	} else if (r->flags & 2) {
		ptr = named(r->sel >> 2, r->addr);
		len = r->value & 0xfff;
	}
	bd = world_ram_write(ring + queue_pi[n] % 256 * 16, 16);
	memcpy(bd, &ptr, 8);
	memcpy(bd + 8, &len, 4);
	memcpy(bd + 12, &ctl, 4);
	queue_pi[n]++;
	reg_wr(card, qm + 0xa0 + 4 * stream, queue_pi[n]);
	world_run(64);
}

static void op_driver_looks(struct world_card *card, const struct rec *r)
{
	(void)card;
	(void)r;
	driver_looks();
}

/* Time, but no more than some seconds: less is of interest. */
static void op_wait(struct world_card *card, const struct rec *r)
{
	(void)card;
	world_advance(r->value);
}

static op_fn * const ops[] = {
	op_packet, op_packet, op_packet, op_reg_write, op_reg_write, op_dma,
	op_dma, op_monitor, op_aim, op_aim, op_mme_word, op_mme_base, op_mme_product,
	op_mme_start, op_kernel_word, op_kernel_word, op_kernel_word,
	op_kernel_word, op_tensor, op_tensor, op_launch, op_launch,
	op_user_submit, op_user_submit, op_user_submit, op_user_submit,
	op_user_submit, op_own_memory, op_run, op_wait, op_driver_looks,
};

/* --- a card that the driver has set up ------------------------------------------------- */

/*
 * In a program with an error in it, which the suite wants to be found: the
 * ranges of registers do not count for writes of DMA cores, or a copy of DMA 3
 * takes for ever.
 */
#ifdef PLANTED
/* DMA_IF_*_DMA#_HIT_WPROT, off here. */
static bool is_planted(uint32_t off)
{
	return off >= 0x480720 && off < 0x4e0740 &&
	       ((off & 0x1ffff) == 0x720 || (off & 0x1ffff) == 0x734);
}

static void plant(struct world_card *card)
{
	const char *what = getenv("PLANT");
	uint32_t started = 0;
	unsigned int i;

	for (i = 0; what && !strcmp(what, "range") && i < 8; i++)
		reg_wr(card, 0x480720 + i / 2 * 0x20000 + i % 2 * 0x14, 0);
	if (what && !strcmp(what, "hang"))
		world_registers(card, GAUDI_DMA_CORE_BASE(3) + 0x78, &started, 1);
	if (started) {
		world_call("a planted loop", 0);
		for (;;)
			__asm__ volatile("");
	}
}
#else
static bool is_planted(uint32_t off)
{
	(void)off;
	return false;
}

static void plant(struct world_card *card)
{
	(void)card;
}
#endif

static void begin(struct world_card *card)
{
	static bool protected;

	world_begin();
	queues_begin();
	memset(queue_pi, 0, sizeof(queue_pi));
	kernel_words = 0;
	copies = DRIVER_COPIES;
	if (!protected) {
		driver_protect(card);
		world_keep_registers(card);
		protected = true;
	}
	driver_begin();
	memcpy(tables, card->hbm + DRIVER_TABLES, sizeof(tables));
	memset(world_ram_write(DRIVER_RAM, 4096), CANARY, 4096);
}

/* --- what must hold ------------------------------------------------------------------ */

static void fail(const char *what, uint64_t where)
{
	fprintf(stderr, "user_fuzz: %s (0x%llx)\n", what,
		(unsigned long long)where);
	abort();
}

/* Registers that keep users out have what the driver wrote last. */
static void check_locks(void)
{
	unsigned int i = 0;
	uint32_t off;

	while (driver_changed(&i, &off))
		if (!is_planted(off))
			fail("protection has changed", off);
}

static void check_memory(struct world_card *card)
{
	uint64_t i;

	if (memcmp(tables, card->hbm + DRIVER_TABLES, sizeof(tables)))
		fail("the driver's page tables have changed", DRIVER_TABLES);
	for (i = 0; i < 4096; i++)
		if (world.ram[DRIVER_RAM + i] != CANARY)
			fail("the host's memory has changed", DRIVER_RAM + i);
}

int harness_init(void)
{
	world_users();
	user_addr = named;
	engine_wr = op_packet_write;
	packets_base = GAUDI_VA_HOST_START;
	return 0;
}

void harness_run(const uint8_t *data, size_t size)
{
	struct world_card *card = &world.card[0];
	struct rec r;
	size_t n;

	begin(card);
	for (n = 0; n < MAX_RECORDS && size >= sizeof(r); n++) {
		memcpy(&r, data, sizeof(r));
		data += sizeof(r);
		size -= sizeof(r);
		ops[r.op % ARRAY_LEN(ops)](card, &r);
		plant(card);
	}
	world_run(64);
	check_locks();
	check_memory(card);
	world_end();
}
