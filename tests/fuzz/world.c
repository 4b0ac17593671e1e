// SPDX-License-Identifier: GPL-2.0-only
/*
 * The host of world.h: bus, posted writes, clock, and how a run begins and
 * ends. What is done in a run is in ops.c.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "../../qemu-device/chip/core/core.h"
#include "../../qemu-device/chip/regs/regs_state.h"
#include "world.h"

#define GUARD		0x10000
#define RAM_PAGES	(RAM_SIZE / PAGE)
#define PAGE		4096u
#define NUM_POSTED	1024
#define TURNS_PER_RUN	512
#define START_NS	1000000000ull

/* A write to a BAR's registers, which waits until no card's lock is held. */
struct posted {
	uint64_t addr;
	uint32_t len;
	uint8_t data[64];
};

struct world world;

/*
 * Whose memory was freed or overrun a replay tells, with ASAN_OPTIONS of its own; to
 * keep the calls of each block takes a fifth of the time of many a run.
 */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "malloc_context_size=1";
}

static struct posted posted[NUM_POSTED];
static unsigned int posted_head, posted_count;
static bool touched[RAM_PAGES];
static struct gaudi_config config = { .hbm_size = 1ull << 30 };
static uint64_t hbm_used = HBM_SIZE;
static unsigned int flash_cards, comms_cards, spec_cards;

/* --- the bus -------------------------------------------------------------- */

static const unsigned int bars[] = { 0, 2, 4 };
static const uint64_t bar_sizes[] = {
	GAUDI_BAR_SRAM_SIZE, GAUDI_BAR_CFG_SIZE, 1ull << 30,
};

/* Whose BAR is at addr? *i: which, as an index; *off: byte in it. */
static struct world_card *bar_at(uint64_t addr, unsigned int *i, uint64_t *off)
{
	struct world_card *card;

	for (card = world.card; card < world.card + NUM_CARDS; card++)
		for (*i = 0; *i < ARRAY_LEN(bars); ++*i) {
			*off = addr - card->bar[*i];
			if (card->chip && *off < bar_sizes[*i])
				return card;
		}
	return NULL;
}

/* Memory behind a BAR, which hosts map. */
static uint8_t *bar_memory(struct world_card *card, unsigned int i,
			   uint64_t off, size_t *len)
{
	uint64_t size = i ? hbm_used : GAUDI_SRAM_SIZE;
	uint8_t *mem = i ? card->hbm : card->sram;

	if (i == 1)
		return NULL;
	if (i == 2) {
		if (card->window >= hbm_used)
			return NULL;
		off += card->window;
	}
	if (off >= size)
		return NULL;
	if (*len > size - off)
		*len = size - off;
	return mem + off;
}

void *world_ram_write(uint64_t off, size_t len)
{
	uint64_t page;

	for (page = off / PAGE; page * PAGE < off + len; page++)
		touched[page] = true;
	return world.ram + off;
}

/* Back to zeros, as at the start; page by page unless it is much. */
static void clear_ram(void)
{
	unsigned int page, num = 0;

	for (page = 0; page < RAM_PAGES; page++)
		num += touched[page];
	if (num > 128 && madvise(world.ram, RAM_SIZE, MADV_DONTNEED))
		abort();
	for (page = 0; num <= 128 && page < RAM_PAGES; page++)
		if (touched[page])
			memset(world.ram + page * PAGE, 0, PAGE);
	memset(touched, 0, sizeof(touched));
}

static uint8_t *memory_at(uint64_t addr, size_t *len, bool write)
{
	struct world_card *card;
	unsigned int i;
	uint64_t off;

	if (addr >= RAM_BASE && addr < RAM_BASE + RAM_SIZE) {
		off = addr - RAM_BASE;
		if (*len > RAM_SIZE - off)
			*len = RAM_SIZE - off;
		return write ? world_ram_write(off, *len) : world.ram + off;
	}
	card = bar_at(addr, &i, &off);
	return card ? bar_memory(card, i, off, len) : NULL;
}

static int host_read(void *opaque, uint64_t addr, void *buf, size_t len)
{
	struct world_card *card = opaque;
	uint8_t *to = buf, *from;
	size_t part;

	for (; len; addr += part, to += part, len -= part) {
		part = len;
		from = card->bus_master ? memory_at(addr, &part, false) : NULL;
		if (!from)
			return -EFAULT;
		memcpy(to, from, part);
	}
	return 0;
}

static int post(uint64_t addr, const uint8_t *from, size_t len)
{
	struct posted *p;

	if (posted_count == NUM_POSTED)
		return -EFAULT;
	p = &posted[(posted_head + posted_count++) % NUM_POSTED];
	p->addr = addr;
	p->len = len;
	memcpy(p->data, from, len);
	return 0;
}

static int host_write(void *opaque, uint64_t addr, const void *buf, size_t len)
{
	struct world_card *card = opaque;
	const uint8_t *from = buf;
	unsigned int i;
	uint64_t off;
	size_t part;
	uint8_t *to;

	for (; len; addr += part, from += part, len -= part) {
		part = len;
		to = card->bus_master ? memory_at(addr, &part, true) : NULL;
		if (to) {
			memcpy(to, from, part);
			continue;
		}
		if (part > sizeof(posted[0].data))
			part = sizeof(posted[0].data);
		if (!card->bus_master || !bar_at(addr, &i, &off) ||
		    post(addr, from, part))
			return -EFAULT;
	}
	return 0;
}

static void *host_map(void *opaque, uint64_t addr, size_t *len, bool write)
{
	struct world_card *card = opaque;
	void *p = card->bus_master ? memory_at(addr, len, write) : NULL;

	if (p)
		world.maps++;
	return p;
}

static void host_unmap(void *opaque, void *ptr, size_t len, bool write,
		       size_t accessed)
{
	(void)opaque;
	(void)ptr;
	(void)write;
	if (accessed > len || !world.maps--)
		abort();
}

/* --- the rest of the host ------------------------------------------------- */

static void host_msi(void *opaque, unsigned int vector)
{
	(void)opaque;
	if (vector >= 32)
		abort();
	world.msis++;
}

static void host_window(void *opaque, uint64_t target)
{
	((struct world_card *)opaque)->window = target;
}

static uint64_t host_now(void *opaque)
{
	(void)opaque;
	return world.now;
}

static void host_timer(void *opaque, uint64_t deadline)
{
	((struct world_card *)opaque)->deadline = deadline;
}

static void host_kick(void *opaque)
{
	((struct world_card *)opaque)->kicked = true;
}

static void host_log(void *opaque, enum gaudi_log_level level,
		     const char *line)
{
	(void)opaque;
	(void)level;
	world.logs++;
	if (getenv("CHIP_LOG"))
		fprintf(stderr, "# %s\n", line);
}

static void host_fault(void *opaque, enum gaudi_host_fault what, uint32_t arg)
{
	(void)opaque;
	(void)arg;
	if (what >= GAUDI_HOST_FAULTS)
		abort();
	world.host_faults++;
}

static void host_frame(void *opaque, unsigned int port, const void *buf,
		       size_t len)
{
	if (world.frame)
		world.frame(opaque, port, buf, len);
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
	.host_fault = host_fault,
	.frame = host_frame,
};

/* --- the watchdog ---------------------------------------------------------- */

#define TICK_MS		100
#define MAX_TICKS	10

static struct {
	const char *what;		/* NULL: none */
	uint64_t where;
	atomic_uint number;		/* odd: within a call */
} call;

void world_call(const char *what, uint64_t where)
{
	call.what = what;
	call.where = where;
	atomic_fetch_add_explicit(&call.number, 1, memory_order_release);
}

void world_called(void)
{
	atomic_fetch_add_explicit(&call.number, 1, memory_order_release);
}

/*
 * Of the process's own time, so that a busy machine makes no difference. Who
 * waits for ever takes none: that is for the fuzzer's own time-out.
 */
static void tick(int sig)
{
	static unsigned int seen, ticks;
	unsigned int now = atomic_load(&call.number);
	char line[128];
	int n;

	(void)sig;
	if (!(now & 1) || now != seen) {
		seen = now;
		ticks = 0;
		return;
	}
	if (++ticks < MAX_TICKS)
		return;
	n = snprintf(line, sizeof(line), "watchdog: %s (0x%llx) takes too long\n",
		     call.what, (unsigned long long)call.where);
	if (write(2, line, n) != n)
		_exit(1);
	abort();
}

static void watch(void)
{
	const struct itimerval each = {
		.it_interval.tv_usec = TICK_MS * 1000,
		.it_value.tv_usec = TICK_MS * 1000,
	};
	const struct sigaction action = {
		.sa_handler = tick, .sa_flags = SA_RESTART,
	};

	if (sigaction(SIGPROF, &action, NULL) ||
	    setitimer(ITIMER_PROF, &each, NULL))
		abort();
}

/* --- turns ---------------------------------------------------------------- */

/* As a host's memory core would cut it: aligned, eight bytes at most. */
static void do_posted(const struct posted *p)
{
	struct world_card *card;
	unsigned int i, n, done;
	uint64_t off, value;

	for (done = 0; done < p->len; done += n) {
		card = bar_at(p->addr + done, &i, &off);
		for (n = 8; n > p->len - done || (p->addr + done) & (n - 1);)
			n /= 2;
		value = 0;
		memcpy(&value, p->data + done, n);
		if (card) {
			card->used = true;
			world_call("a posted write", off);
			gaudi_chip_bar_write(card->chip, bars[i], off, value, n);
			world_called();
		}
	}
}

static bool run_card(struct world_card *card, unsigned int turns)
{
	bool moved = false;

	if (card->deadline <= world.now) {
		card->deadline = UINT64_MAX;
		world_call("a timer", card->id);
		gaudi_chip_timer(card->chip);
		world_called();
		moved = true;
	}
	if (card->kicked) {
		card->kicked = false;
		world_call("some turns", turns);
		gaudi_chip_run_some(card->chip, turns);
		world_called();
		moved = true;
	}
	return moved;
}

void world_run(unsigned int turns)
{
	struct world_card *card;
	struct posted p;
	bool moved = true;

	if (turns > world.turns)
		turns = world.turns;
	world.turns -= turns;
	for (; turns && moved; turns -= turns < 32 ? turns : 32) {
		moved = false;
		if (posted_count) {
			p = posted[posted_head];
			posted_head = (posted_head + 1) % NUM_POSTED;
			posted_count--;
			do_posted(&p);
			moved = true;
		}
		for (card = world.card; card < world.card + NUM_CARDS; card++)
			if (card->chip && run_card(card, 32))
				moved = true;
	}
	if (!moved)
		world.turns += turns;
}

void world_advance(uint64_t ns)
{
	struct world_card *card;
	uint64_t end = world.now + ns;

	for (card = world.card; card < world.card + NUM_CARDS; card++)
		if (card->chip && card->deadline <= end &&
		    card->deadline > world.now)
			world.now = card->deadline;
	world_run(64);
	world.now = end;
	world_run(64);
}

void world_move_bar(struct world_card *card, unsigned int bar, uint64_t base)
{
	card->bar[bar % ARRAY_LEN(bars)] = base;
}

uint32_t reg_rd(struct world_card *card, uint32_t off)
{
	uint32_t value;

	card->used = true;
	world_call("a read of register", off);
	value = gaudi_chip_bar_read(card->chip, 2, GAUDI_BAR_CFG_REGS + off, 4);
	world_called();
	return value;
}

void reg_wr(struct world_card *card, uint32_t off, uint32_t value)
{
	card->used = true;
	world_call("a write of register", off);
	gaudi_chip_bar_write(card->chip, 2, GAUDI_BAR_CFG_REGS + off, value,
			     4);
	world_called();
}

/* --- begin, end ----------------------------------------------------------- */

/* An access beyond the part that is in use is to be seen at once. */
static void shrink_hbm(struct world_card *card)
{
	uint64_t size;

	card->hbm = gaudi_chip_hbm(card->chip, &size, NULL);
	card->sram = gaudi_chip_sram(card->chip, &size, NULL);
	if (mprotect(card->hbm + hbm_used, config.hbm_size - hbm_used,
		     PROT_NONE))
		abort();
	card->chip->hbm.size = hbm_used;
}

static void make_world(void)
{
	struct world_card *card;
	uint8_t *area;
	int err = 0;

	area = mmap(NULL, RAM_SIZE + 2 * GUARD, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (area == MAP_FAILED ||
	    mprotect(area + GUARD, RAM_SIZE, PROT_READ | PROT_WRITE))
		abort();
	watch();
	world.ram = area + GUARD;
	world.now = START_NS;
	for (card = world.card; card < world.card + NUM_CARDS; card++) {
		card->id = card - world.card;
		card->deadline = UINT64_MAX;
		config.module_id = card->id;
		config.flash_boot = flash_cards >> card->id & 1;
		config.comms = comms_cards >> card->id & 1;
		config.mme = spec_cards >> card->id & 1 ? GAUDI_MME_SPEC :
							  GAUDI_MME_EXACT;
		card->chip = gaudi_chip_new(&config, &host_ops, card, NULL,
					    &err);
		if (!card->chip)
			abort();
		shrink_hbm(card);
		card->used = true;
	}
}

void world_firmware(unsigned int flash, unsigned int comms)
{
	flash_cards = flash;
	comms_cards = comms;
}

void world_specify(unsigned int cards)
{
	spec_cards = cards;
}

void world_users(void)
{
	hbm_used = USER_HBM + HBM_SIZE;
}

/* Lets go of what a run has left; nothing may be ready for ever. */
static void power_on(struct world_card *card)
{
	unsigned int i;

	gaudi_chip_faults_clear(card->chip);
	world_call("the reset after a run", card->id);
	gaudi_chip_power_on(card->chip);
	world_called();
	for (i = 0; card->kicked && i < 64; i++) {
		card->kicked = false;
		gaudi_chip_run_some(card->chip, GAUDI_MAX_ACTORS);
	}
	/* After a reset there is no program that could go on for ever. */
	if (card->kicked)
		abort();
	card->used = false;
	card->bus_master = true;
	for (i = 0; i < ARRAY_LEN(bars); i++)
		card->bar[i] = BAR_BASE(card->id, bars[i]);
}

void world_begin(void)
{
	unsigned int i;

	if (!world.ram) {
		make_world();
		for (i = 0; i < NUM_CARDS; i++)
			power_on(&world.card[i]);
	}
	posted_count = 0;
	posted_head = 0;
	world.now = START_NS;
	world.turns = TURNS_PER_RUN;
}

void world_go_on(void)
{
	unsigned int i;

	for (i = 0; i < NUM_CARDS; i++)
		gaudi_chip_faults_clear(world.card[i].chip);
	world.turns = TURNS_PER_RUN;
}

void world_limit(unsigned int turns)
{
	if (world.turns > turns)
		world.turns = turns;
}

void world_end(void)
{
	struct world_card *card;

	world_run(64);
	for (card = world.card; card < world.card + NUM_CARDS; card++)
		if (card->used)
			power_on(card);
	if (world.maps)
		abort();
	clear_ram();
}

void world_registers(struct world_card *card, uint32_t off, uint32_t *values,
		     unsigned int n)
{
	gaudi_store_read_run(card->chip, off, values, n);
}

void world_keep_registers(struct world_card *card)
{
	if (gaudi_regs_keep(card->chip))
		abort();
}
