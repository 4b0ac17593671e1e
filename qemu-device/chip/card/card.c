// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Life cycle of a card, its lock and what is delivered when that is released,
 * timers, hard reset, and access through the BARs.
 *
 * Not here: what a register does (regs.c and the blocks), and how the card
 * itself reaches memory (bus.c).
 */
#include <stdlib.h>

#include "../core/internal.h"
#include "../../../uapi/hw/regs/gaudi_psoc_regs.h"

#define GIB			(1ull << 30)
#define MAX_MODULE_ID		7
/* How often a thread tries to get a lock that is taken before it waits */
#define LOCK_TRIES		200

/* --- lock, outbox --------------------------------------------------------- */

static bool outbox_pending(const struct gaudi_outbox *out)
{
	return out->msi || out->window || out->timer || out->host_faults;
}

/* Called with the lock held, returns with it held. */
static void outbox_deliver(struct gaudi_chip *chip)
{
	const struct gaudi_host_ops *ops = chip->ops;
	struct gaudi_outbox out = chip->outbox;
	uint64_t window = chip->pcie.hbm_window;
	uint64_t deadline = chip->timers ? chip->timers->deadline_ns :
					   UINT64_MAX;
	unsigned int i;

	chip->outbox.msi = 0;
	chip->outbox.window = false;
	chip->outbox.timer = false;
	chip->outbox.host_faults = 0;
	gaudi_unlock(&chip->lock);
	gaudi_lock_at_most(GAUDI_LOCK_HOST);
	if (out.window)
		ops->hbm_window(chip->opaque, window);
	if (out.timer)
		ops->timer(chip->opaque, deadline);
	for (i = 0; i < GAUDI_NUM_MSI; i++)
		if (out.msi & 1u << i)
			ops->msi(chip->opaque, i);
	for (i = 0; ops->host_fault && i < GAUDI_HOST_FAULTS; i++)
		if (out.host_faults & 1u << i)
			ops->host_fault(chip->opaque, i,
					i < GAUDI_HOST_AER_COR ? 0 :
					out.aer_status[i -
						       GAUDI_HOST_AER_COR]);
	gaudi_chip_lock(chip);
}

/*
 * One thread at a time delivers, so that the host sees windows and deadlines
 * in the order in which they were set. Others leave theirs to it rather than
 * wait: the host may hold a lock that the delivering thread needs.
 */
static void outbox_empty(struct gaudi_chip *chip)
{
	struct gaudi_outbox *out = &chip->outbox;

	if (out->delivering || !outbox_pending(out))
		return;
	out->delivering = true;
	out->deliverer = pthread_self();
	do
		outbox_deliver(chip);
	while (outbox_pending(out));
	out->delivering = false;
	gaudi_actors_tell(chip);
}

/*
 * Lock held (dropped meanwhile). Another thread may be telling the host what
 * was true before: nothing of that comes later than this returns.
 */
static void outbox_wait(struct gaudi_chip *chip)
{
	const struct gaudi_outbox *out = &chip->outbox;

	while (out->delivering &&
	       !pthread_equal(out->deliverer, pthread_self()))
		gaudi_actors_wait(chip);
}

/*
 * A mutex alone is not fair: who unlocks and locks again at once nearly always
 * wins against a thread that first has to wake up. Whoever finds the lock taken
 * holds the gate while it waits, and gaudi_chip_yield() goes through the gate.
 */
static void lock_in_turn(struct gaudi_chip *chip, const char *here)
{
	gaudi_lock_at(&chip->gate, here);
	gaudi_lock_at(&chip->lock, here);
	gaudi_unlock(&chip->gate);
}

static void pause_a_little(void)
{
#ifdef __x86_64__
	__builtin_ia32_pause();
#endif
}

/*
 * It is mostly held for less than a thread needs to fall asleep and wake up,
 * so some microseconds of trying come first.
 */
static void take_lock(struct gaudi_chip *chip, const char *here)
{
	unsigned int tries;

	for (tries = 0; tries < LOCK_TRIES; tries++) {
		if (!gaudi_trylock_at(&chip->lock, here))
			return;
		pause_a_little();
	}
	atomic_fetch_add(&chip->waiters, 1);
	lock_in_turn(chip, here);
	atomic_fetch_sub(&chip->waiters, 1);
}

void gaudi_chip_lock_at(struct gaudi_chip *chip, const char *here)
{
	take_lock(chip, here);
	if (chip->ops->traced)
		chip->traced = chip->ops->traced(chip->opaque);
}

bool gaudi_chip_wanted(struct gaudi_chip *chip)
{
	return atomic_load_explicit(&chip->waiters, memory_order_relaxed);
}

void gaudi_chip_yield(struct gaudi_chip *chip)
{
	outbox_empty(chip);
	if (!gaudi_chip_wanted(chip))
		return;
	gaudi_unlock(&chip->lock);
	lock_in_turn(chip, GAUDI_HERE);
}

void gaudi_chip_unlock(struct gaudi_chip *chip)
{
	outbox_empty(chip);
	gaudi_unlock(&chip->lock);
}

void gaudi_msi_pend(struct gaudi_chip *chip, unsigned int vector)
{
	if (vector >= GAUDI_NUM_MSI || gaudi_fault_armed(chip, GAUDI_FAULT_LINK))
		return;
	if (gaudi_fault_armed(chip, GAUDI_FAULT_MSI) &&
	    gaudi_fault_msi(chip, vector))
		return;
	chip->outbox.msi |= 1u << vector;
	gaudi_trace(chip, GAUDI_TRACE_MSI, 0, 0, vector, 0);
}

uint64_t gaudi_now_ns(struct gaudi_chip *chip)
{
	return chip->ops->now_ns(chip->opaque);
}

/* --- timers --------------------------------------------------------------- */

void gaudi_timer_cancel(struct gaudi_chip *chip, struct gaudi_timer *timer)
{
	struct gaudi_timer **link = &chip->timers;

	if (!timer->armed)
		return;
	while (*link != timer)
		link = &(*link)->next;
	if (link == &chip->timers)
		chip->outbox.timer = true;
	*link = timer->next;
	timer->armed = false;
}

void gaudi_timer_arm(struct gaudi_chip *chip, struct gaudi_timer *timer,
		     uint64_t delay_ns)
{
	struct gaudi_timer **link = &chip->timers;
	uint64_t now = gaudi_now_ns(chip);

	gaudi_timer_cancel(chip, timer);
	timer->deadline_ns = now + delay_ns;
	if (timer->deadline_ns < now)
		timer->deadline_ns = UINT64_MAX - 1;
	while (*link && (*link)->deadline_ns <= timer->deadline_ns)
		link = &(*link)->next;
	if (link == &chip->timers)
		chip->outbox.timer = true;
	timer->next = *link;
	*link = timer;
	timer->armed = true;
}

static void cancel_all_timers(struct gaudi_chip *chip)
{
	while (chip->timers)
		gaudi_timer_cancel(chip, chip->timers);
}

void gaudi_chip_timer(struct gaudi_chip *chip)
{
	struct gaudi_timer *timer;
	unsigned int due = 0;
	uint64_t now;

	gaudi_chip_lock(chip);
	if (chip->paused) {
		/* Told to the host again when the card goes on. */
		gaudi_chip_unlock(chip);
		return;
	}
	gaudi_actors_begin(chip);
	now = gaudi_now_ns(chip);
	for (timer = chip->timers; timer && timer->deadline_ns <= now;
	     timer = timer->next)
		due++;
	/* Counted, so that a timer that arms itself again ends the loop. */
	while (due-- && chip->timers && chip->timers->deadline_ns <= now) {
		timer = chip->timers;
		gaudi_timer_cancel(chip, timer);
		timer->fn(chip, timer->arg);
	}
	chip->outbox.timer = true;
	gaudi_actors_end(chip);
	gaudi_chip_unlock(chip);
}

/* --- memory --------------------------------------------------------------- */

static void *show_memory(struct gaudi_memory *mem, uint64_t *size, int *fd)
{
	*size = mem->size;
	if (fd)
		*fd = gaudi_memory_file(mem);
	return mem->ptr;
}

void *gaudi_chip_sram(struct gaudi_chip *chip, uint64_t *size, int *fd)
{
	return show_memory(&chip->sram, size, fd);
}

void *gaudi_chip_hbm(struct gaudi_chip *chip, uint64_t *size, int *fd)
{
	return show_memory(&chip->hbm, size, fd);
}

/* --- reset ---------------------------------------------------------------- */

/*
 * Lock held, no actor runs. The lock is dropped meanwhile: it may have to wait
 * for the host, and the guest only sees that it has not been reset yet.
 */
static void reset_memory(struct gaudi_chip *chip)
{
	int err;

	gaudi_chip_unlock(chip);
	err = gaudi_memory_reset(&chip->hbm);
	if (!err)
		err = gaudi_memory_reset(&chip->sram);
	gaudi_chip_lock(chip);
	if (err)
		gaudi_log(chip, GAUDI_LOG_INFO,
			  "memory keeps its contents over reset: %s",
			  strerror(-err));
}

/* Lock held, no actor runs. */
static void reset_all(struct gaudi_chip *chip)
{
	cancel_all_timers(chip);
	memset(chip->scratchpad, 0, GAUDI_PSOC_SCRATCHPAD_SIZE);
	memset(chip->pcie_sram, 0, GAUDI_PCIE_FW_SRAM_SIZE);
	gaudi_mmu_reset(chip);
	gaudi_regs_reset(chip);
	gaudi_cpu_reset(chip);
	chip->reset_pending = false;
	gaudi_fault_rearm(chip);
}

/* An actor, so that it never runs inside the access that asked for it. */
static bool reset_run(struct gaudi_chip *chip, struct gaudi_actor *actor)
{
	(void)actor;
	if (!chip->reset_pending)
		return false;
	gaudi_actors_quiesce(chip);
	reset_memory(chip);
	reset_all(chip);
	gaudi_actors_resume(chip);
	return false;
}

void gaudi_hard_reset_pend(struct gaudi_chip *chip, const char *why)
{
	if (chip->reset_pending)
		return;
	chip->reset_pending = true;
	gaudi_log(chip, GAUDI_LOG_INFO, "hard reset: %s", why);
	gaudi_trace(chip, GAUDI_TRACE_RESET, 0, 0, 0, 0);
	gaudi_actor_kick(chip, &chip->reset_actor);
}

/* Engines stop first, so nothing that they had begun shows up afterwards. */
static void reset_now(struct gaudi_chip *chip, bool power)
{
	gaudi_chip_lock(chip);
	gaudi_actors_quiesce(chip);
	reset_memory(chip);
	if (power) {
		gaudi_pcie_power_on(chip);
		gaudi_psoc_power_on(chip);
	} else {
		gaudi_trace(chip, GAUDI_TRACE_RESET, 0, 0, 0, 0);
	}
	reset_all(chip);
	chip->outbox.msi = 0;
	outbox_wait(chip);
	gaudi_actors_resume(chip);
	gaudi_chip_unlock(chip);
}

void gaudi_chip_power_on(struct gaudi_chip *chip)
{
	reset_now(chip, true);
}

void gaudi_chip_hard_reset(struct gaudi_chip *chip)
{
	reset_now(chip, false);
}

/* --- standing still ------------------------------------------------------- */

void gaudi_chip_drain(struct gaudi_chip *chip)
{
	gaudi_chip_lock(chip);
	gaudi_actors_quiesce(chip);
	gaudi_actors_resume(chip);
	gaudi_chip_unlock(chip);
}

void gaudi_chip_pause(struct gaudi_chip *chip)
{
	gaudi_chip_lock(chip);
	if (!chip->paused) {
		chip->paused = true;
		gaudi_actors_quiesce(chip);
	}
	gaudi_chip_unlock(chip);
}

void gaudi_chip_resume(struct gaudi_chip *chip)
{
	gaudi_chip_lock(chip);
	if (chip->paused) {
		chip->paused = false;
		chip->outbox.timer = true;
		gaudi_actors_resume(chip);
	}
	gaudi_chip_unlock(chip);
}

/* --- life cycle ----------------------------------------------------------- */

static int config_init(struct gaudi_chip *chip,
		       const struct gaudi_config *config)
{
	struct gaudi_config *mine = &chip->config;

	if (config)
		*mine = *config;
	if (!mine->hbm_size)
		mine->hbm_size = GAUDI_HBM_SIZE;
	if (mine->hbm_size % GIB || mine->hbm_size > GAUDI_HBM_SIZE ||
	    mine->module_id > MAX_MODULE_ID)
		return -EINVAL;
	if (mine->serial) {
		chip->serial = strdup(mine->serial);
		if (!chip->serial)
			return -ENOMEM;
		mine->serial = chip->serial;
	}
	return 0;
}

static int chip_init(struct gaudi_chip *chip, const struct gaudi_config *config)
{
	int err;

	err = config_init(chip, config);
	if (err)
		return err;
	err = gaudi_memory_init(&chip->hbm, "gaudi-hbm", chip->config.hbm_size,
				chip->config.memory_advice);
	if (err)
		return err;
	err = gaudi_memory_init(&chip->sram, "gaudi-sram", GAUDI_SRAM_SIZE,
				chip->config.memory_advice);
	if (err)
		return err;
	chip->scratchpad = calloc(1, GAUDI_PSOC_SCRATCHPAD_SIZE);
	chip->pcie_sram = calloc(1, GAUDI_PCIE_FW_SRAM_SIZE);
	if (!chip->scratchpad || !chip->pcie_sram)
		return -ENOMEM;
	err = gaudi_regs_init(chip);
	if (err)
		return err;
	return gaudi_cpu_init(chip);
}

static void chip_destroy(struct gaudi_chip *chip)
{
	gaudi_cpu_fini(chip);
	gaudi_fault_fini(chip);
	gaudi_regs_fini(chip);
	gaudi_report_fini(chip);
	free(chip->pcie_sram);
	free(chip->scratchpad);
	gaudi_memory_fini(&chip->sram);
	gaudi_memory_fini(&chip->hbm);
	free(chip->serial);
	gaudi_lock_destroy(&chip->gate);
	gaudi_lock_destroy(&chip->lock);
	free(chip);
}

struct gaudi_chip *gaudi_chip_new(const struct gaudi_config *config,
				  const struct gaudi_host_ops *ops,
				  void *opaque, struct gaudi_pool *pool,
				  int *err)
{
	struct gaudi_chip *chip = calloc(1, sizeof(*chip));

	if (!chip) {
		*err = -ENOMEM;
		return NULL;
	}
	gaudi_lock_init(&chip->lock, GAUDI_LOCK_CARD);
	gaudi_lock_init(&chip->gate, GAUDI_LOCK_GATE);
	chip->ops = ops;
	chip->opaque = opaque;
	chip->pool = pool;
	chip->hbm.fd = -1;
	chip->sram.fd = -1;
	*err = chip_init(chip, config);
	if (*err) {
		chip_destroy(chip);
		return NULL;
	}
	gaudi_engines_init(chip);
	gaudi_fault_init(chip);
	gaudi_actor_init(chip, &chip->reset_actor, "reset", false, reset_run);
	*err = chip->engines.sched.refused ? -ENOSPC : gaudi_regs_values(chip);
	if (*err) {
		gaudi_chip_free(chip);
		return NULL;
	}
	gaudi_chip_power_on(chip);
	return chip;
}

void gaudi_chip_free(struct gaudi_chip *chip)
{
	if (!chip)
		return;
	gaudi_chip_lock(chip);
	gaudi_actors_quiesce(chip);
	cancel_all_timers(chip);
	gaudi_chip_unlock(chip);
	gaudi_lock(&chip->lock);
	outbox_wait(chip);
	gaudi_unlock(&chip->lock);
	gaudi_engines_fini(chip);
	chip_destroy(chip);
}

/* --- BARs ----------------------------------------------------------------- */

static const struct gaudi_txn pci_txn = {
	.initiator = GAUDI_INIT_PCI,
	.secure = true,
	.bypass = true,
};

/* Registers are 32 bits wide: gather the bytes asked for from whole dwords. */
static uint64_t cfg_read(struct gaudi_chip *chip, uint64_t off,
			 unsigned int size)
{
	unsigned int first = off & 3, n = (first + size + 3) / 4, i;
	uint8_t buf[12] = { 0 };
	uint64_t value = 0;
	uint32_t reg;

	for (i = 0; i < n; i++) {
		reg = gaudi_reg_read(chip, (off & ~3ull) + 4 * i, &pci_txn);
		if (gaudi_fault_armed(chip, GAUDI_FAULT_REG_READ) &&
		    gaudi_fault_reg_read(chip, (off & ~3ull) + 4 * i))
			reg = UINT32_MAX;
		memcpy(buf + 4 * i, &reg, 4);
	}
	memcpy(&value, buf + first, size);
	return value;
}

static void cfg_write(struct gaudi_chip *chip, uint64_t off, uint64_t value,
		      unsigned int size)
{
	unsigned int first = off & 3, n = (first + size + 3) / 4, i;
	uint8_t buf[12] = { 0 }, written[12] = { 0 };
	uint32_t reg, mask;

	memcpy(buf + first, &value, size);
	memset(written + first, 0xff, size);
	for (i = 0; i < n; i++) {
		memcpy(&reg, buf + 4 * i, 4);
		memcpy(&mask, written + 4 * i, 4);
		gaudi_reg_write_part(chip, (off & ~3ull) + 4 * i, reg, mask,
				     &pci_txn);
	}
}

/* Where a BAR shows memory: a pointer with room for size bytes, or NULL. */
static uint8_t *bar_mem(struct gaudi_chip *chip, unsigned int bar,
			uint64_t off, unsigned int size)
{
	const uint64_t scratch = GAUDI_PSOC_SCRATCHPAD_BASE - GAUDI_FLASH_BASE;
	const uint64_t fw = GAUDI_PCIE_FW_SRAM_BASE - GAUDI_FLASH_BASE;
	uint64_t hbm;

	switch (bar) {
	case GAUDI_BAR_SRAM:
		if (off <= chip->sram.size - size)
			return chip->sram.ptr + off;
		break;
	case GAUDI_BAR_CFG:
		if (off >= scratch &&
		    off - scratch <= GAUDI_PSOC_SCRATCHPAD_SIZE - size)
			return chip->scratchpad + (off - scratch);
		if (off >= fw && off - fw <= GAUDI_PCIE_FW_SRAM_SIZE - size)
			return chip->pcie_sram + (off - fw);
		break;
	case GAUDI_BAR_HBM:
		hbm = chip->pcie.hbm_window + off;
		if (hbm >= off && hbm <= chip->hbm.size - size)
			return chip->hbm.ptr + hbm;
		break;
	}
	return NULL;
}

static bool bar_is_cfg(unsigned int bar, uint64_t off, unsigned int size)
{
	return bar == GAUDI_BAR_CFG && off >= GAUDI_BAR_CFG_REGS &&
	       off <= GAUDI_BAR_CFG_SIZE - size;
}

static bool size_ok(unsigned int size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

uint64_t gaudi_chip_bar_read(struct gaudi_chip *chip, unsigned int bar,
			     uint64_t off, unsigned int size)
{
	/* What a bridge makes of a read that nobody answers. */
	uint64_t value = UINT64_MAX;
	uint8_t *mem;

	if (!size_ok(size))
		return value;
	gaudi_chip_lock(chip);
	mem = bar_mem(chip, bar, off, size);
	if (gaudi_fault_armed(chip, GAUDI_FAULT_LINK)) {
		/* nobody answers */
	} else if (mem) {
		value = 0;
		memcpy(&value, mem, size);
	} else if (bar_is_cfg(bar, off, size)) {
		value = cfg_read(chip, off - GAUDI_BAR_CFG_REGS, size);
	} else {
		gaudi_report_use(chip, "window", bar == GAUDI_BAR_CFG ?
				 "SPI_FLASH" : "BAR_UNBACKED",
				 GAUDI_UNIMPLEMENTED);
	}
	gaudi_chip_unlock(chip);
	return value;
}

void gaudi_chip_bar_write(struct gaudi_chip *chip, unsigned int bar,
			  uint64_t off, uint64_t value, unsigned int size)
{
	uint8_t *mem;

	if (!size_ok(size))
		return;
	gaudi_chip_lock(chip);
	gaudi_actors_begin(chip);
	mem = bar_mem(chip, bar, off, size);
	if (gaudi_fault_armed(chip, GAUDI_FAULT_LINK))
		;	/* nobody listens */
	else if (mem)
		memcpy(mem, &value, size);
	else if (bar_is_cfg(bar, off, size))
		cfg_write(chip, off - GAUDI_BAR_CFG_REGS, value, size);
	else
		gaudi_report_use(chip, "window", bar == GAUDI_BAR_CFG ?
				 "SPI_FLASH" : "BAR_UNBACKED",
				 GAUDI_UNIMPLEMENTED);
	gaudi_actors_end(chip);
	gaudi_chip_unlock(chip);
}
