// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fake slot of card.h, and helpers that build packets and drive queues.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "card.h"

/* Of the test's own time; of the world's, a minute: the machine may be busy. */
#define SETTLE_LIMIT_NS	10000000000ull
#define SETTLE_LIMIT_MS	60000

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static uint64_t real_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

/* --- what the card asks of its host -------------------------------------- */

static uint8_t *ram_at(struct card *card, uint64_t addr, size_t *len)
{
	if (card->no_bus || addr < RAM_BASE || addr >= RAM_BASE + RAM_SIZE)
		return NULL;
	if (*len > RAM_BASE + RAM_SIZE - addr)
		*len = RAM_BASE + RAM_SIZE - addr;
	return card->ram + (addr - RAM_BASE);
}

static int host_read(void *opaque, uint64_t addr, void *buf, size_t len)
{
	size_t part = len;
	uint8_t *p = ram_at(opaque, addr, &part);

	if (!p || part < len)
		return -EFAULT;
	memcpy(buf, p, len);
	return 0;
}

static int host_write(void *opaque, uint64_t addr, const void *buf, size_t len)
{
	struct card *card = opaque;
	size_t part = len;
	uint8_t *p = ram_at(card, addr, &part);

	if (p && part == len) {
		/* Like a bus: whole dwords are seen whole, and in order. */
		if (len == 4 && !(addr & 3)) {
			uint32_t v;

			memcpy(&v, buf, 4);
			__atomic_store_n((uint32_t *)p, v, __ATOMIC_RELEASE);
		} else {
			memcpy(p, buf, len);
		}
		return 0;
	}
	if (card->no_bus || addr < MMIO_BASE || addr >= MMIO_BASE + MMIO_SIZE)
		return -EFAULT;
	card->posted_addr = addr;
	memcpy(&card->posted_value, buf, len < 4 ? len : 4);
	if (card->posted < 64)
		card->posted_log[card->posted] = card->posted_value;
	card->posted++;
	return 0;
}

static void *host_map(void *opaque, uint64_t addr, size_t *len, bool write)
{
	struct card *card = opaque;
	void *p = ram_at(card, addr, len);

	(void)write;
	if (card->page && *len > card->page - addr % card->page)
		*len = card->page - addr % card->page;
	if (p)
		card->maps++;
	return p;
}

static void host_unmap(void *opaque, void *ptr, size_t len, bool write,
		       size_t accessed)
{
	struct card *card = opaque;

	(void)write;
	if (accessed > len || (uint8_t *)ptr < card->ram ||
	    (uint8_t *)ptr + len > card->ram + RAM_SIZE)
		abort();
	card->maps--;
}

static void host_msi(void *opaque, unsigned int vector)
{
	struct card *card = opaque;

	if (card->on_msi)
		card->on_msi(card);
	card->msi[vector % 32]++;
}

static void host_window(void *opaque, uint64_t target)
{
	struct card *card = opaque;

	card->window = target;
	card->windows++;
}

static uint64_t host_now(void *opaque)
{
	struct card *card = opaque;

	return card->real_time ? real_ns() : card->now;
}

static void host_timer(void *opaque, uint64_t deadline)
{
	((struct card *)opaque)->deadline = deadline;
}

static void host_kick(void *opaque)
{
	((struct card *)opaque)->kicked = true;
}

static void host_log(void *opaque, enum gaudi_log_level level,
		     const char *line)
{
	struct card *card = opaque;

	card->logs[level]++;
	snprintf(card->last_log, sizeof(card->last_log), "%s", line);
	if (getenv("CHIP_LOG"))
		fprintf(stderr, "# log %d: %s\n", level, line);
}

static uint32_t host_traced(void *opaque)
{
	return ((struct card *)opaque)->traced;
}

static void host_trace(void *opaque, const struct gaudi_trace *event)
{
	struct card *card = opaque;

	card->traces++;
	if (card->trace)
		card->trace(card, event);
}

static void host_frame(void *opaque, unsigned int port, const void *buf,
		       size_t len)
{
	struct card *card = opaque;

	if (card->frame)
		card->frame(card, port, buf, len);
}

static const struct gaudi_host_ops host_ops = {
	.dma_read = host_read,
	.dma_write = host_write,
	.dma_map = host_map,
	.dma_unmap = host_unmap,
	.msi = host_msi,
	.hbm_window = host_window,
	.now_ns = host_now,
	.timer = host_timer,
	.kick = host_kick,
	.log = host_log,
	.traced = host_traced,
	.trace = host_trace,
	.frame = host_frame,
};

/* --- life cycle ----------------------------------------------------------- */

static struct card *make(const struct gaudi_config *config,
			 struct gaudi_pool *pool)
{
	const struct gaudi_config small = { .hbm_size = 1ull << 30 };
	struct card *card = calloc(1, sizeof(*card));
	int err = 0;

	assert_non_null(card);
	card->ram = mmap(NULL, RAM_SIZE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	assert_ptr_not_equal(card->ram, MAP_FAILED);
	card->now = 1000000000;
	card->deadline = UINT64_MAX;
	card->real_time = pool;
	card->window = UINT64_MAX;
	card->pool = pool;
	card->chip = gaudi_chip_new(config ? config : &small, &host_ops, card,
				    pool, &err);
	assert_int_equal(err, 0);
	assert_non_null(card->chip);
	card_settle(card);
	return card;
}

struct card *card_new(const struct gaudi_config *config, unsigned int workers)
{
	struct gaudi_pool *pool = NULL;
	struct card *card;
	int err = 0;

	if (workers) {
		pool = gaudi_pool_new(workers, NULL, NULL, &err);
		assert_non_null(pool);
	}
	card = make(config, pool);
	card->owns_pool = pool;
	return card;
}

struct card *card_new_beside(struct card *other,
			     const struct gaudi_config *config)
{
	return make(config, other->pool);
}

void card_free(struct card *card)
{
	gaudi_chip_free(card->chip);
	assert_int_equal(card->maps, 0);
	if (card->owns_pool)
		gaudi_pool_free(card->pool);
	munmap(card->ram, RAM_SIZE);
	free(card);
}

int card_setup(void **state)
{
	*state = card_new(NULL, 0);
	return 0;
}

int card_teardown(void **state)
{
	card_free(*state);
	return 0;
}

/* --- running --------------------------------------------------------------- */

static bool fire_timer(struct card *card)
{
	if (card->deadline > host_now(card))
		return false;
	card->deadline = UINT64_MAX;
	gaudi_chip_timer(card->chip);
	return true;
}

void card_settle(struct card *card)
{
	uint64_t end = clock_ns(CLOCK_PROCESS_CPUTIME_ID) + SETTLE_LIMIT_NS;
	bool moved;

	do {
		moved = fire_timer(card);
		if (card->pool) {
			if (!gaudi_chip_wait_idle(card->chip, SETTLE_LIMIT_MS))
				fail_msg("engines do not come to rest");
		} else if (atomic_exchange(&card->kicked, false)) {
			gaudi_chip_run(card->chip);
			moved = true;
		}
		if (clock_ns(CLOCK_PROCESS_CPUTIME_ID) > end)
			fail_msg("the card does not come to rest");
	} while (moved);
}

void card_advance(struct card *card, uint64_t ns)
{
	if (card->real_time) {
		usleep(ns / 1000 + 1);
		card_settle(card);
		return;
	}
	ns += card->now;
	/* Deadlines on the way are met at their time. */
	while (card->deadline <= ns) {
		if (card->deadline > card->now)
			card->now = card->deadline;
		card_settle(card);
	}
	card->now = ns;
	card_settle(card);
}

uint32_t rd(struct card *card, uint32_t off)
{
	return gaudi_chip_bar_read(card->chip, 2, 0x4000000ull + off, 4);
}

void wr(struct card *card, uint32_t off, uint32_t value)
{
	gaudi_chip_bar_write(card->chip, 2, 0x4000000ull + off, value, 4);
}

void wr64(struct card *card, uint32_t off, uint64_t value)
{
	wr(card, off, value);
	wr(card, off + 4, value >> 32);
}

void wr_settle(struct card *card, uint32_t off, uint32_t value)
{
	wr(card, off, value);
	card_settle(card);
}

void monitor_set(struct card *card, uint32_t sm, unsigned int n, uint64_t addr,
		 uint32_t data)
{
	wr(card, sm + MON_ADDRL(n), addr);
	wr(card, sm + MON_ADDRH(n), addr >> 32);
	wr(card, sm + MON_DATA(n), data);
}

char *card_report(struct card *card)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	assert_int_equal(gaudi_chip_report(card->chip, out), 0);
	fclose(out);
	return text;
}

void card_reports(struct card *card, const char *text)
{
	char *report = card_report(card);

	if (!strstr(report, text))
		fail_msg("'%s' is not in the report", text);
	free(report);
}

void card_used(struct card *card, const char *name, const char *fidelity)
{
	char text[256];

	snprintf(text, sizeof(text),
		 "\"%s\", \"count\": 1, \"fidelity\": \"%s\"", name, fidelity);
	card_reports(card, text);
}

uint8_t *card_hbm(struct card *card)
{
	uint64_t size;

	return gaudi_chip_hbm(card->chip, &size, NULL);
}

uint8_t *card_sram(struct card *card)
{
	uint64_t size;

	return gaudi_chip_sram(card->chip, &size, NULL);
}

/* --- packets ---------------------------------------------------------------- */

struct cb cb_host(struct card *card, uint64_t ram_off)
{
	return (struct cb){ card->ram + ram_off, 0, ram_dev(ram_off) };
}

struct cb cb_hbm(struct card *card, uint64_t addr)
{
	return (struct cb){ card_hbm(card) + addr, 0, addr };
}

void put32(struct cb *cb, uint32_t v)
{
	memcpy(cb->at + cb->len, &v, 4);
	cb->len += 4;
}

void put64(struct cb *cb, uint64_t v)
{
	put32(cb, v);
	put32(cb, v >> 32);
}

void put_packet(struct cb *cb, uint32_t word, uint32_t ctl)
{
	put32(cb, word);
	put32(cb, ctl);
}

void put_nop(struct cb *cb)
{
	put_packet(cb, 0, 0x0a000000);
}

void put_msg(struct cb *cb, uint32_t ctl, uint64_t addr, uint32_t value)
{
	put_packet(cb, value, ctl);
	put64(cb, addr);
}

void put_msg_long(struct cb *cb, uint64_t addr, uint32_t value)
{
	put_msg(cb, 0x03000000, addr, value);
}

void put_msg_prot(struct cb *cb, uint64_t addr, uint32_t value)
{
	put_msg(cb, 0x07000000 | EB | MB, addr, value);
}

void put_msg_short(struct cb *cb, unsigned int base, uint32_t off,
		   uint32_t value)
{
	put_packet(cb, value, 0x04000000 | MB | base << 22 | off);
}

void put_add(struct cb *cb, unsigned int n, uint32_t value)
{
	put_msg_long(cb, CFG + SM_E_N + SOB(n), 0x80000000u | value);
}

void put_monitor(struct cb *cb, uint32_t sm, unsigned int n, uint64_t addr,
		 uint32_t data)
{
	put_msg_long(cb, CFG + sm + MON_ADDRL(n), addr);
	put_msg_long(cb, CFG + sm + MON_ADDRH(n), addr >> 32);
	put_msg_long(cb, CFG + sm + MON_DATA(n), data);
}

void put_wreg(struct cb *cb, uint32_t off, uint32_t value)
{
	put_packet(cb, value, 0x01000000 | off << 8);
}

void put_load_and_exe(struct cb *cb, uint64_t src, bool scalars, bool load,
		      bool exe, bool upper)
{
	put32(cb, scalars | load << 8 | exe << 9 | upper << 10);
	put32(cb, 0x0f000000);
	put64(cb, src);
}

void put_predicates(struct cb *cb, uint32_t map)
{
	unsigned int i;

	for (i = 0; i < 32; i++)
		put32(cb, map >> i & 1 ? 1 : 0xfffffffe);
}

void put_fence(struct cb *cb, unsigned int id, unsigned int target,
	       unsigned int dec)
{
	put_packet(cb, id << 30 | target << 16 | dec, 0x08000000);
}

void put_cp_dma(struct cb *cb, uint64_t src, uint32_t size)
{
	put_packet(cb, size, 0x05000000 | MB);
	put64(cb, src);
}

void put_arb(struct cb *cb, unsigned int prio, bool release)
{
	put_packet(cb, prio | (uint32_t)release << 31, 0x0c000000);
}

void put_lin_dma(struct cb *cb, uint64_t src, uint64_t dst, uint32_t size,
		 uint32_t flags)
{
	put_packet(cb, size, 0x09000000 | EB | MB | flags);
	put64(cb, src);
	put64(cb, dst);
}

/* --- queues ------------------------------------------------------------------ */

const uint32_t all_qms[NUM_QMS] = {
	0x508000, 0x528000, 0x548000, 0x568000,
	0x588000, 0x5a8000, 0x5c8000, 0x5e8000,
	0x068000, 0x168000,
	0xce0000, 0xce2000, 0xd20000, 0xd22000, 0xd60000, 0xd62000, 0xda0000,
	0xda2000, 0xde0000, 0xde2000,
	0xe08000, 0xe48000, 0xe88000, 0xec8000,
	0xf08000, 0xf48000, 0xf88000, 0xfc8000,
};

static void set_msg_bases(struct card *card, uint32_t qm, unsigned int cp)
{
	static const uint32_t lo[] = { 0xfc4f4000, 0xfc4f2000,
				       0xfc494000, 0xfc492000 };
	static const uint32_t reg_lo[] = { 0x228, 0x250, 0x278, 0x2a0 };
	static const uint32_t reg_hi[] = { 0x23c, 0x264, 0x28c, 0x2b4 };
	unsigned int i;

	for (i = 0; i < 4; i++) {
		wr(card, qm + reg_lo[i] + 4 * cp, lo[i]);
		wr(card, qm + reg_hi[i] + 4 * cp, 0x7f);
	}
}

static struct queue make_queue(struct card *card, uint32_t qm,
			       unsigned int stream, uint64_t ring,
			       unsigned int log2)
{
	struct queue q = { qm, stream, ring, log2, 0 };
	uint64_t base = ram_dev(ring);

	wr(card, qm + 0x70 + 4 * stream, base);
	wr(card, qm + 0x80 + 4 * stream, base >> 32);
	wr(card, qm + 0x90 + 4 * stream, log2);
	wr(card, qm + 0xa0 + 4 * stream, 0);
	wr(card, qm + 0xb0 + 4 * stream, 0);
	set_msg_bases(card, qm, stream);
	return q;
}

static void set_errors(struct card *card, uint32_t qm, uint32_t id)
{
	/* errors are told to the embedded CPU, and stop the stream */
	wr(card, qm + 0xcd0, 0xfc800040);
	wr(card, qm + 0xcd4, 0x7f);
	wr(card, qm + 0xcd8, id);
}

void dma_core_init(struct card *card, unsigned int n)
{
	wr(card, DMA_CORE(n) + 0xb8, 2);	/* PROT: errors only */
	wr(card, DMA_CORE(n) + 0xf0, 0x400);	/* SECURE_PROPS: bypass */
	wr(card, DMA_CORE(n) + 0x170, 0xfc800040);
	wr(card, DMA_CORE(n) + 0x174, 0x7f);
	wr(card, DMA_CORE(n) + 0x178, 453 + n);
	wr(card, DMA_CORE(n) + 0x0, 1);		/* CFG_0: EN */
}

void dma_start(struct card *card, unsigned int n, uint64_t src, uint64_t dst,
	       uint32_t size, uint32_t commit)
{
	uint32_t core = DMA_CORE(n);

	wr(card, core + 0x14, src);
	wr(card, core + 0x18, src >> 32);
	wr(card, core + 0x1c, dst);
	wr(card, core + 0x20, dst >> 32);
	wr(card, core + 0x74, size);
	wr(card, core + 0x78, commit);
}

struct queue queue_external(struct card *card, unsigned int id, uint64_t ring)
{
	uint32_t qm = DMA_QM(id / 4);
	struct queue q = make_queue(card, qm, id % 4, ring, 12);

	wr(card, qm + 0x2c8 + 4 * (id % 4), 0x74);
	wr(card, qm + 0x2e0 + 4 * (id % 4), 0x14);
	wr(card, qm + 0x2f4 + 4 * (id % 4), 0x1c);
	set_errors(card, qm, 432 + id / 4);
	wr(card, qm + 0x8, 0x5eff);
	wr(card, qm + 0x4, 0);
	dma_core_init(card, id / 4);
	wr(card, qm + 0x0, 0x1eff);
	return q;
}

struct queue queue_internal(struct card *card, uint32_t qm,
			    unsigned int stream, uint64_t ring,
			    unsigned int log2)
{
	struct queue q = make_queue(card, qm, stream, ring, log2);

	wr(card, qm + 0x2c8 + 4 * stream, 0x81bc);
	wr(card, qm + 0x2e0 + 4 * stream, 0x81b4);
	wr(card, qm + 0x2f4 + 4 * stream, 0x1c);
	wr(card, qm + 0x2c8 + 16, 0x74);
	wr(card, qm + 0x2e0 + 16, 0x14);
	wr(card, qm + 0x2f4 + 16, 0x1c);
	set_msg_bases(card, qm, 4);
	set_errors(card, qm, 432);
	wr(card, qm + 0x8, 0x400f);
	wr(card, qm + 0x4, 0);
	if (qm >= DMA_QM(0) && qm <= DMA_QM(7))
		dma_core_init(card, (qm - DMA_QM(0)) / 0x20000);
	wr(card, qm + 0x0, 0x3fff);
	return q;
}

void queue_put(struct card *card, struct queue *q, uint64_t ptr, uint32_t len)
{
	uint32_t slot = q->pi & ((1u << q->log2) - 1);
	uint8_t *bd = card->ram + q->ring + 16 * slot;
	uint32_t ctl = 0;

	memcpy(bd, &ptr, 8);
	memcpy(bd + 8, &len, 4);
	memcpy(bd + 12, &ctl, 4);
	q->pi = (q->pi + 1) & ((2u << q->log2) - 1);
}

void queue_ring(struct card *card, struct queue *q)
{
	wr(card, q->qm + 0xa0 + 4 * q->stream, q->pi);
}

void queue_run(struct card *card, struct queue *q, const struct cb *cb)
{
	queue_put(card, q, cb->addr, cb->len);
	queue_ring(card, q);
	card_settle(card);
}

void queue_run_lower(struct card *card, struct queue *q, const struct cb *low)
{
	struct cb cb = cb_host(card, CP_DMA_CB);

	put_cp_dma(&cb, low->addr, low->len);
	queue_run(card, q, &cb);
}

void lin_dma(struct card *card, struct queue *q, uint64_t src, uint64_t dst,
	     uint32_t size, uint32_t flags)
{
	struct cb cb = cb_host(card, LIN_DMA_CB);
	uint32_t core = q->qm - DMA_QM(0) + DMA_CORE(0);

	put_lin_dma(&cb, src, dst, size, flags);
	queue_run(card, q, &cb);
	assert_int_equal(rd(card, core + 0x190) & 1u << 31, 0);
	assert_int_equal(rd(card, core + 0x164), 0);
}

void fill(void *to, size_t len, uint32_t seed)
{
	uint8_t *p = to;
	uint32_t x = seed * 2654435761u + 1;
	size_t i;

	for (i = 0; i < len; i++) {
		x = x * 1664525 + 1013904223;
		p[i] = x >> 24;
	}
}
