// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * A card's snapshot: its own part, and the parts of the rooms in their order. What a part
 * needs of another one comes after it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "card.h"
#include "../bus/bus.h"
#include "../dma/dma.h"
#include "../fault/fault.h"
#include "../mme/mme.h"
#include "../nic/nic.h"
#include "../queues/queues.h"
#include "../regs/regs.h"
#include "../snap/snap.h"
#include "../soc/soc.h"
#include "../sync/sync.h"
#include "../tpc/tpc.h"

/* --- what the card must have in common with the one that was saved --------------- */

static void same(struct gaudi_snap *s, uint64_t mine, const char *what)
{
	uint64_t other = mine;
	char text[80];

	GAUDI_SNAP(s, other);
	snprintf(text, sizeof(text), "it is of a card with another %s", what);
	gaudi_snap_check(s, other == mine, text);
}

uint32_t gaudi_card_sum(const void *data, size_t len)
{
	return data ? crc32(1, data, len) : 0;
}

static void config(struct gaudi_snap *s)
{
	const struct gaudi_config *c = &s->chip->config;

	same(s, c->hbm_size, "size of HBM (hbm-size)");
	same(s, c->module_id, "module id");
	same(s, gaudi_card_sum(c->serial, c->serial ? strlen(c->serial) : 0),
	     "serial number");
	same(s, c->boot_dev_sts0, "set of capabilities (boot-sts0)");
	same(s, c->flash_boot, "way to boot (flash-boot)");
	same(s, c->comms, "loader");
	same(s, s->chip->profile_sum, "board");
	same(s, c->slot, "slot of its board");
	same(s, c->mme, "way to compute (mme)");
}

/* --- the core's ------------------------------------------------------------------ */

/* What is ready runs after loading. Actors have the same numbers in each card. */
static void ready(struct gaudi_snap *s)
{
	struct gaudi_sched *sched = &s->chip->sched;
	uint64_t ready[ARRAY_SIZE(sched->ready)] = { 0 };
	unsigned int i, streak = sched->streak;

	same(s, sched->num_actors, "number of engines");
	if (!s->load)
		memcpy(ready, sched->ready, sizeof(ready));
	GAUDI_SNAP_ARRAY(s, ready);
	GAUDI_SNAP_ARRAY(s, sched->last);
	GAUDI_SNAP(s, streak);
	GAUDI_SNAP(s, sched->seed);
	gaudi_snap_check(s, sched->last[0] < GAUDI_MAX_ACTORS &&
			 sched->last[1] < GAUDI_MAX_ACTORS, "no such engine");
	if (!s->load)
		return;
	if (s->err)
		memset(sched->last, 0, sizeof(sched->last));
	sched->streak = streak;
	for (i = 0; i < sched->num_actors; i++)
		if (ready[i / 64] & 1ull << i % 64 &&
		    sched->actor[i] != &s->chip->reset_actor)
			gaudi_actor_kick(s->chip, sched->actor[i]);
}

static void core(struct gaudi_snap *s)
{
	struct gaudi_chip *chip = s->chip;

	if (chip->reset_pending && !s->load)
		gaudi_snap_refuse(s, "the card is about to be reset");
	config(s);
	gaudi_snap_field(s, chip->scratchpad, 1, GAUDI_PSOC_SCRATCHPAD_SIZE);
	gaudi_snap_field(s, chip->pcie_sram, 1, GAUDI_PCIE_FW_SRAM_SIZE);
	GAUDI_SNAP(s, chip->hbm_window);
	if (!gaudi_snap_check(s, chip->hbm_window < chip->hbm.size &&
			      !(chip->hbm_window & (GAUDI_PAGE_SIZE - 1)),
			      "no such window"))
		chip->hbm_window = s->load ? 0 : chip->hbm_window;
	GAUDI_SNAP(s, chip->busy_ns);
	GAUDI_SNAP(s, chip->busy_ps);
	GAUDI_SNAP(s, chip->host_read);
	GAUDI_SNAP(s, chip->host_written);
	GAUDI_SNAP(s, chip->outbox.msi);
	chip->outbox.window |= s->load;
}

/* --- all of it ------------------------------------------------------------------- */

/* A part whose fields change gets another version. Names have at most 16 letters. */
static const struct {
	const char *name;
	uint32_t version;
	void (*snap)(struct gaudi_snap *s);
} parts[] = {
	{ "card", 1, core },
	{ "registers", 1, gaudi_regs_snap },
	{ "bus", 1, gaudi_bus_snap },
	{ "queues", 1, gaudi_queues_snap },
	{ "sync", 1, gaudi_sync_snap },
	{ "dma", 1, gaudi_dma_snap },
	{ "mme", 1, gaudi_mme_snap },
	{ "tpc", 1, gaudi_tpc_snap },
	{ "nic", 2, gaudi_nic_snap },
	{ "soc", 1, gaudi_soc_snap },
	{ "fault", 1, gaudi_fault_snap },
	/* Behind all that may make an engine ready. */
	{ "ready", 1, ready },
};

/* Lock held, no actor runs. */
static void all(struct gaudi_snap *s)
{
	unsigned int i;

	s->now_ns = gaudi_now_ns(s->chip);
	if (s->chip->clock.on)
		gaudi_snap_refuse(s, "the card has a model of time");
	gaudi_snap_head(s);
	for (i = 0; i < ARRAY_SIZE(parts) && !s->err; i++) {
		gaudi_snap_begin(s, parts[i].name, parts[i].version);
		if (!s->err)
			parts[i].snap(s);
		gaudi_snap_end(s);
	}
	if (!s->err)
		gaudi_snap_memory(s);
}

static int result(struct gaudi_snap *s, char *err, size_t len)
{
	snprintf(err, len, "%s", s->why);
	gaudi_snap_free(s);
	return s->err;
}

static void stand_still(struct gaudi_chip *chip)
{
	gaudi_chip_lock(chip);
	gaudi_actors_quiesce(chip);
	gaudi_outbox_wait(chip);
}

static void go_on(struct gaudi_chip *chip)
{
	gaudi_actors_resume(chip);
	gaudi_chip_unlock(chip);
}

int gaudi_chip_can_save(struct gaudi_chip *chip, char *err, size_t len)
{
	struct gaudi_snap s = { .chip = chip, .dry = true };

	stand_still(chip);
	all(&s);
	go_on(chip);
	return result(&s, err, len);
}

/* From another state on, what it says would not come again. */
static bool has_journal(const struct gaudi_chip *chip, char *err, size_t len)
{
	if (chip->calls)
		snprintf(err, len, "the card has a journal");
	return chip->calls;
}

int gaudi_chip_save(struct gaudi_chip *chip, const struct gaudi_stream *stream,
		    char *err, size_t len)
{
	struct gaudi_snap s = { .chip = chip, .stream = stream, .dry = true };

	if (has_journal(chip, err, len))
		return -EOPNOTSUPP;
	stand_still(chip);
	all(&s);
	s.dry = false;
	if (!s.err)
		all(&s);
	go_on(chip);
	return result(&s, err, len);
}

int gaudi_chip_load(struct gaudi_chip *chip, const struct gaudi_stream *stream,
		    char *err, size_t len)
{
	struct gaudi_snap s = { .chip = chip, .stream = stream, .load = true };

	if (has_journal(chip, err, len))
		return -EOPNOTSUPP;
	stand_still(chip);
	/* Between the two nothing runs, and what is ready is what the snapshot says. */
	gaudi_chip_unlock(chip);
	gaudi_chip_power_on(chip);
	gaudi_chip_lock(chip);
	gaudi_sched_forget(chip);
	all(&s);
	chip->outbox.timer = true;
	gaudi_chip_unlock(chip);
	if (s.err)
		gaudi_chip_power_on(chip);
	gaudi_chip_lock(chip);
	if (s.err)
		gaudi_sched_forget(chip);
	go_on(chip);
	return result(&s, err, len);
}
