// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * A card as a whole: life cycle, reset, standing still.
 *
 * Not here: access through the BARs (bars.c), and the lock (core).
 */
#include <stdlib.h>

#include "card.h"
#include "../bus/bus.h"
#include "../dma/dma.h"
#include "../fault/fault.h"
#include "../journal/journal.h"
#include "../mme/mme.h"
#include "../nic/nic.h"
#include "../queues/queues.h"
#include "../regs/regs.h"
#include "../soc/soc.h"
#include "../sync/sync.h"
#include "../timing/timing.h"
#include "../tpc/tpc.h"

#define GIB			(1ull << 30)
#define MAX_MODULE_ID		7

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
	gaudi_timers_cancel(chip);
	gaudi_zeros_clear(chip->scratchpad, GAUDI_PSOC_SCRATCHPAD_SIZE);
	gaudi_zeros_clear(chip->pcie_sram, GAUDI_PCIE_FW_SRAM_SIZE);
	gaudi_bus_reset(chip);
	gaudi_regs_reset(chip);
	gaudi_nic_reset(chip);
	gaudi_cpu_reset(chip);
	chip->reset_pending = false;
	gaudi_fault_rearm(chip);
}

/* The same; what will be lost can still be looked at. */
static void call_resetting(struct gaudi_chip *chip)
{
	bool at_rest = gaudi_queues_at_rest(chip);

	if (!chip->ops->resetting)
		return;
	gaudi_chip_unlock(chip);
	chip->ops->resetting(chip->opaque, at_rest);
	gaudi_chip_lock(chip);
}

bool gaudi_chip_at_rest(struct gaudi_chip *chip)
{
	bool at_rest;

	gaudi_chip_lock(chip);
	at_rest = gaudi_queues_at_rest(chip);
	gaudi_chip_unlock(chip);
	return at_rest;
}

/* An actor, so that it never runs inside the access that asked for it. */
static bool reset_run(struct gaudi_chip *chip, struct gaudi_actor *actor)
{
	(void)actor;
	if (!chip->reset_pending)
		return false;
	gaudi_actors_quiesce(chip);
	call_resetting(chip);
	reset_memory(chip);
	reset_all(chip);
	gaudi_actors_resume(chip);
	return false;
}

/* Engines stop first, so nothing that they had begun shows up afterwards. */
static void reset_now(struct gaudi_chip *chip, bool power)
{
	gaudi_chip_lock(chip);
	gaudi_actors_quiesce(chip);
	if (!power)
		call_resetting(chip);
	reset_memory(chip);
	if (power)
		gaudi_soc_power_on(chip);
	else
		gaudi_trace(chip, GAUDI_TRACE_RESET, 0, 0, 0, 0);
	reset_all(chip);
	chip->outbox.msi = 0;
	gaudi_outbox_wait(chip);
	gaudi_actors_resume(chip);
	gaudi_chip_unlock(chip);
}

void gaudi_chip_power_on(struct gaudi_chip *chip)
{
	gaudi_call_begin(chip->calls, GAUDI_CALL_POWER_ON, 0, 0, 0, 0);
	reset_now(chip, true);
	gaudi_call_end(chip->calls, 0);
}

void gaudi_chip_hard_reset(struct gaudi_chip *chip)
{
	gaudi_call_begin(chip->calls, GAUDI_CALL_HARD_RESET, 0, 0, 0, 0);
	reset_now(chip, false);
	gaudi_call_end(chip->calls, 0);
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
	gaudi_call_begin(chip->calls, GAUDI_CALL_PAUSE, 0, 0, 0, 0);
	gaudi_chip_lock(chip);
	if (!chip->paused) {
		chip->paused = true;
		gaudi_actors_quiesce(chip);
	}
	gaudi_chip_unlock(chip);
	gaudi_call_end(chip->calls, 0);
}

void gaudi_chip_resume(struct gaudi_chip *chip)
{
	gaudi_call_begin(chip->calls, GAUDI_CALL_RESUME, 0, 0, 0, 0);
	gaudi_chip_lock(chip);
	if (chip->paused) {
		chip->paused = false;
		chip->outbox.timer = true;
		gaudi_actors_resume(chip);
	}
	gaudi_chip_unlock(chip);
	gaudi_call_end(chip->calls, 0);
}

/* --- life cycle ----------------------------------------------------------- */

/* In the order of the rooms. fini: also of one that was not initialised. */
static const struct {
	int (*init)(struct gaudi_chip *chip);
	void (*fini)(struct gaudi_chip *chip);
} rooms[] = {
	{ gaudi_timing_init, gaudi_timing_fini },
	{ gaudi_card_regs_init, gaudi_regs_fini },
	{ gaudi_bus_init, gaudi_bus_fini },
	{ gaudi_queues_init, gaudi_queues_fini },
	{ gaudi_sync_init, gaudi_sync_fini },
	{ gaudi_dma_init, gaudi_dma_fini },
	{ gaudi_tpc_init, gaudi_tpc_fini },
	{ gaudi_mme_init, gaudi_mme_fini },
	{ gaudi_nic_init, gaudi_nic_fini },
	{ gaudi_soc_init, gaudi_soc_fini },
	{ gaudi_fault_init, gaudi_fault_fini },
};

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
	if (mine->timing && mine->journal)
		return -EOPNOTSUPP;
	chip->profile_sum = gaudi_card_sum(mine->profile, mine->profile_size);
	if (mine->serial) {
		chip->serial = strdup(mine->serial);
		if (!chip->serial)
			return -ENOMEM;
		mine->serial = chip->serial;
	}
	return 0;
}

/* Lower rooms first; what one has made by then is undone by its fini. */
static int rooms_init(struct gaudi_chip *chip)
{
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(rooms); i++) {
		err = rooms[i].init(chip);
		if (err)
			return err;
	}
	gaudi_actor_init(chip, &chip->reset_actor, "reset", false, reset_run);
	return chip->sched.refused ? -ENOSPC : 0;
}

static int chip_init(struct gaudi_chip *chip, const struct gaudi_config *config)
{
	int err;

	err = config_init(chip, config);
	if (err)
		return err;
	err = gaudi_record_init(&chip->recorder, chip->config.record_events);
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
	chip->scratchpad = gaudi_zeros_new(GAUDI_PSOC_SCRATCHPAD_SIZE);
	chip->pcie_sram = gaudi_zeros_new(GAUDI_PCIE_FW_SRAM_SIZE);
	if (!chip->scratchpad || !chip->pcie_sram)
		return -ENOMEM;
	return rooms_init(chip);
}

/* Also of a card that was not finished; nothing runs. */
static void chip_destroy(struct gaudi_chip *chip)
{
	size_t i;

	for (i = ARRAY_SIZE(rooms); i--;)
		rooms[i].fini(chip);
	gaudi_record_fini(&chip->recorder);
	gaudi_report_fini(chip);
	gaudi_zeros_free(chip->pcie_sram, GAUDI_PCIE_FW_SRAM_SIZE);
	gaudi_zeros_free(chip->scratchpad, GAUDI_PSOC_SCRATCHPAD_SIZE);
	gaudi_memory_fini(&chip->sram);
	gaudi_memory_fini(&chip->hbm);
	free(chip->serial);
	gaudi_lock_destroy(&chip->wait_lock);
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
	gaudi_lock_init(&chip->wait_lock, GAUDI_LOCK_WAIT);
	chip->ops = ops;
	chip->opaque = opaque;
	chip->pool = pool;
	chip->hbm.fd = -1;
	chip->sram.fd = -1;
	*err = config && config->journal ?
	       gaudi_journal_add(config->journal, chip, config) : 0;
	if (!*err)
		*err = chip_init(chip, config);
	if (*err) {
		gaudi_call_end(chip->calls, 1);
		chip_destroy(chip);
		return NULL;
	}
	gaudi_sched_init(chip);
	*err = gaudi_regs_values(chip);
	if (*err) {
		gaudi_call_end(chip->calls, 1);
		gaudi_chip_free(chip);
		return NULL;
	}
	gaudi_chip_power_on(chip);
	gaudi_call_end(chip->calls, 0);
	return chip;
}

void gaudi_chip_free(struct gaudi_chip *chip)
{
	struct gaudi_calls *calls = chip ? chip->calls : NULL;

	if (!chip)
		return;
	gaudi_call_begin(calls, GAUDI_CALL_FREE, 0, 0, 0, 0);
	gaudi_chip_disconnect(chip);
	gaudi_chip_lock(chip);
	gaudi_actors_quiesce(chip);
	gaudi_timers_cancel(chip);
	gaudi_chip_unlock(chip);
	gaudi_lock(&chip->lock);
	gaudi_outbox_wait(chip);
	gaudi_unlock(&chip->lock);
	gaudi_sched_fini(chip);
	chip_destroy(chip);
	gaudi_call_end(calls, 0);
}
