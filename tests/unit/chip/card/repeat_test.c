// SPDX-License-Identifier: GPL-2.0-only
/*
 * A card without a pool does the same in every run, however fast its host is:
 * from reset to its end, with firmware, engines at work, sensors, throttling,
 * faults and a reset on the way. Everything that passes through it is noted
 * with the time, and compared.
 *
 * The host's clock is the test's own: it runs at another speed in each run.
 */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "../fw.h"
#include "../mme/mme_gen.h"
#include "../tpc/tpc_card.h"

#define MATRICES	(USER_HBM + 0x1000000)
#define DATA		(USER_HBM + 0x4000000)
#define CBUF		0x100000
#define RING		0x10000
#define SW_ALL_RST	0xc4b498u
#define ROUNDS		24
#define MAX_NOTES	20000

#define TEMPERATURE_GET	0x03
#define FREQUENCY_CURR	0x13
#define MAX_POWER_SET	0x15
#define TOTAL_ENERGY	0x1d
#define POWER_GET	0x20
#define UNMASK		0x10
#define THROTTLED	658
#define NOT_THROTTLED	659

/* --- the host's clock --------------------------------------------------- */

static struct {
	uint64_t ns;
	uint32_t step;		/* what a look at it takes at most; 0: real */
	uint32_t seed;
	unsigned int looks;
} host;

int clock_gettime(clockid_t id, struct timespec *t)
{
	if (!host.step)
		return syscall(SYS_clock_gettime, id, t);
	host.seed = host.seed * 1664525u + 1013904223u;
	host.ns += host.seed % host.step + 1;
	host.looks++;
	t->tv_sec = host.ns / 1000000000u;
	t->tv_nsec = host.ns % 1000000000u;
	return 0;
}

/* --- what happened ------------------------------------------------------- */

enum { MSI = 100, READING, EVENT };

struct note {
	uint64_t now, addr, value, size;
	uint32_t kind, unit;
};

static struct notes {
	unsigned int count;
	struct note note[MAX_NOTES];
} *notes;

static void note(struct card *card, uint32_t kind, uint32_t unit,
		 uint64_t addr, uint64_t value, uint64_t size)
{
	assert_true(notes->count < MAX_NOTES);
	notes->note[notes->count++] = (struct note){
		.now = card->now, .kind = kind, .unit = unit,
		.addr = addr, .value = value, .size = size,
	};
}

static void note_trace(struct card *card, const struct gaudi_trace *e)
{
	assert_int_equal(e->now_ns, card->now);
	note(card, e->kind, e->unit, e->addr, e->value, e->size);
}

static void note_msi(struct card *card)
{
	note(card, MSI, 0, 0, 0, 0);
}

static uint64_t reading(struct card *card, unsigned int opcode, uint64_t arg)
{
	struct cpu_reply r = cpu_send(card, opcode, 0, arg);

	assert_true(r.answered);
	note(card, READING, opcode, arg, r.result, r.rc);
	return r.result;
}

/* Those that came, and the driver's answer to each. */
static void events(struct card *card)
{
	static const uint64_t eq = CPU_EQ;
	uint32_t ci = rd(card, 0x44222c), ctl;

	while ((ctl = ram32(card, eq + 64 * ci + 4)) & 1u << 31) {
		memset(card->ram + eq + 64 * ci + 4, 0, 4);
		ci = (ci + 1) % 64;
		wr(card, 0x44222c, ci);
		note(card, EVENT, ci, ctl & 0xffff, ctl >> 16 & 0xfff, 0);
		cpu_send(card, UNMASK, ctl >> 16 & 0xfff, 0);
	}
}

static unsigned int count_of(uint32_t kind, uint64_t value)
{
	unsigned int i, n = 0;

	for (i = 0; i < notes->count; i++)
		n += notes->note[i].kind == kind &&
		     (!value || notes->note[i].value == value);
	return n;
}

/* --- a run ---------------------------------------------------------------- */

static void launch(struct card *card, unsigned int n)
{
	prepare(card, TPC(n), KERNEL, n);
	wr(card, TPC(n) + EXECUTE, 1);
}

static void multiply(struct card *card)
{
	const struct mme_product p = {
		.a = MATRICES, .b = MATRICES + 0x100000,
		.c = MATRICES + 0x200000, .m = 64, .n = 64, .k = 2048,
	};
	struct mme_desc d;

	mme_product_inputs(card, &p, 7);
	mme_product_desc(&d, &p, STORE | SIGNAL, p.k, 20);
	mme_start(card, 0, &d);
}

static void up(struct card *card)
{
	unsigned int n;

	boot(card);
	cpu_queues_init(card);
	cpu_enable_events(card);
	for (n = 0; n < 8; n++)
		dma_core_init(card, n);
	put_kernel(card, 20000);
}

/* Some hundred milliseconds of the guest's time, with more and less to do. */
static void work(struct card *card)
{
	struct queue q = queue_external(card, 0, RING);
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		struct cb cb = cb_host(card, CBUF);

		dma_start(card, 2 + i % 3, i, DATA, (i % 5) << 25, 0x18);
		dma_start(card, 5 + i % 3, MATRICES, DATA + (i << 20), 1u << 18,
			  0x8);
		launch(card, i % 8);
		if (i % 4 == 0)
			multiply(card);
		put_add(&cb, 40, 1);
		put_lin_dma(&cb, ram_dev(0x200000), SRAM, 0x10000, 9);
		put_msg_prot(&cb, CFG + 0xc04100, 1);
		queue_put(card, &q, cb.addr, cb.len);
		queue_ring(card, &q);
		card_advance(card, 1000000 + 100000 * (i % 7));
		reading(card, POWER_GET, 8 << 16);
		reading(card, TEMPERATURE_GET, 0);
		reading(card, TOTAL_ENERGY, 0);
		reading(card, FREQUENCY_CURR, 7);
		events(card);
		if (i == ROUNDS / 4)
			cpu_send(card, MAX_POWER_SET, 64000, 0);
		if (i == ROUNDS / 2)
			cpu_send(card, MAX_POWER_SET, 350000, 0);
	}
}

static void run(struct notes *into, uint32_t step)
{
	const struct gaudi_config config = {
		.hbm_size = 1ull << 30,
		.boot_delay_ms = 3,
	};
	struct card *card = card_new(&config, 0);
	char reason[128];

	notes = into;
	host.step = step;
	host.seed = step;
	host.ns = step;
	card->traced = UINT32_MAX;
	card->trace = note_trace;
	card->on_msi = note_msi;
	up(card);
	assert_int_equal(gaudi_chip_inject(card->chip, "msi-late,ms=2,count=9",
					   reason, sizeof(reason)), 0);
	work(card);
	/* And once more, after a hard reset. */
	wr_settle(card, SW_ALL_RST, 1);
	up(card);
	work(card);
	card_free(card);
	host.step = 0;
}

TEST(a_host_of_any_speed)
{
	static const uint32_t step[] = { 3000, 400, 70000 };
	struct notes *all = calloc(3, sizeof(*all));
	unsigned int i, n;

	assert_non_null(all);
	for (n = 0; n < 3; n++)
		run(&all[n], step[n]);
	notes = &all[0];
	print_message("# %u notes, %u interrupts\n", notes->count,
		      count_of(MSI, 0));
	/* It did something: load, and throttling's begin and end. */
	assert_true(notes->count > 1000 && count_of(MSI, 0) > ROUNDS);
	assert_true(count_of(GAUDI_TRACE_DMA, 0) > 4 * ROUNDS);
	assert_true(count_of(EVENT, THROTTLED) >= 2);
	assert_true(count_of(EVENT, NOT_THROTTLED) >= 2);
	for (n = 1; n < 3; n++) {
		for (i = 0; i < all[0].count && i < all[n].count; i++)
			if (memcmp(&all[0].note[i], &all[n].note[i],
				   sizeof(struct note)))
				break;
		if (i < all[0].count || i < all[n].count)
			fail_msg("run %u differs at %u: %llu ns, kind %u, 0x%llx 0x%llx, not %llu ns, kind %u, 0x%llx 0x%llx",
				 n, i,
				 (unsigned long long)all[n].note[i].now,
				 all[n].note[i].kind,
				 (unsigned long long)all[n].note[i].addr,
				 (unsigned long long)all[n].note[i].value,
				 (unsigned long long)all[0].note[i].now,
				 all[0].note[i].kind,
				 (unsigned long long)all[0].note[i].addr,
				 (unsigned long long)all[0].note[i].value);
	}
	free(all);
}
