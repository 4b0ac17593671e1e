// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* A journal of the cards; see journal.h. */
#include <unistd.h>

#include "../../qemu-device/chip/gaudi_chip.h"
#include "../../uapi/hw/gaudi_map.h"
#include "../host/box.h"
#include "../host/options.h"
#include "../host/slots.h"
#include "../kernel/nodes.h"
#include "journal.h"

/* Processes that run at the same time have each a file of its own. */
#define MOST_FILES	1000

static struct gaudi_journal *journal;

/* Which cards want to be run. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t kicked = PTHREAD_COND_INITIALIZER;
static bool wants[SIM_MAX_CARDS];

struct gaudi_journal *sim_journal(void)
{
	return journal;
}

void sim_journal_kick(unsigned int n)
{
	pthread_mutex_lock(&lock);
	wants[n] = true;
	pthread_cond_signal(&kicked);
	pthread_mutex_unlock(&lock);
}

/* Cards take turns. The lock is held. */
static struct gaudi_chip *next_card(unsigned int *n)
{
	unsigned int i;

	for (i = 0; i < SIM_MAX_CARDS; i++) {
		*n = (*n + 1) % SIM_MAX_CARDS;
		if (wants[*n] && sim_card_chip(*n)) {
			wants[*n] = false;
			return sim_card_chip(*n);
		}
	}
	return NULL;
}

static void *run_cards(void *arg)
{
	struct gaudi_chip *chip;
	unsigned int n = 0;

	pthread_mutex_lock(&lock);
	for (;;) {
		chip = next_card(&n);
		if (!chip) {
			pthread_cond_wait(&kicked, &lock);
			continue;
		}
		pthread_mutex_unlock(&lock);
		gaudi_chip_run(chip);
		pthread_mutex_lock(&lock);
	}
	return NULL;
}

static struct gaudi_journal *open_journal(const char *path, int *err)
{
	struct gaudi_journal *new = gaudi_journal_new(path, err);
	char numbered[PATH_MAX];
	unsigned int n;

	for (n = 1; !new && *err == -EBUSY && n < MOST_FILES; n++) {
		scnprintf(numbered, sizeof(numbered), "%s.%u", path, n);
		new = gaudi_journal_new(numbered, err);
	}
	return new;
}

int sim_journal_begin(void)
{
	const char *path = sim_option("GAUDI_SIM_JOURNAL");
	int err = 0;

	if (!path)
		return 0;
	if (sim_box_is_shared() || sim_option("GAUDI_SIM_TPC_GDB")) {
		sim_log(NULL, SIM_ERR,
			"cards that other processes reach have no journal\n");
		return -EOPNOTSUPP;
	}
	journal = open_journal(path, &err);
	if (!journal) {
		sim_log(NULL, SIM_ERR, "%s: %s\n", path, strerror(-err));
		return err;
	}
	pthread_detach(sim_thread_start(run_cards, NULL));
	return 0;
}

void sim_journal_end(void)
{
	int err = journal ? gaudi_journal_end(journal) : 0;

	if (err)
		sim_log(NULL, SIM_ERR, "%s: %s\n",
			sim_option("GAUDI_SIM_JOURNAL"), strerror(-err));
}

static bool copy_to(struct gaudi_chip *chip, unsigned int bar, char *base,
		    u64 bytes, char *to, const void *from, size_t size)
{
	return to >= base && to < base + bytes &&
	       !gaudi_chip_bar_copy(chip, bar, to - base, from, size);
}

void sim_journal_copy(void *to, const void *from, size_t size)
{
	struct gaudi_chip *chip;
	uint64_t hbm, sram;
	char *at, *sram_at;
	unsigned int n;

	for (n = 0; (chip = sim_card_chip(n)); n++) {
		at = gaudi_chip_hbm(chip, &hbm, NULL);
		sram_at = gaudi_chip_sram(chip, &sram, NULL);
		if (copy_to(chip, GAUDI_BAR_HBM, at, hbm, to, from, size) ||
		    copy_to(chip, GAUDI_BAR_SRAM, sram_at, sram, to, from, size))
			return;
	}
	memcpy(to, from, size);
}
