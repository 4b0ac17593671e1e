// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* Cards as objects, for tests: what no driver offers. */
#include "../../qemu-device/chip/gaudi_chip.h"
#include "../../uapi/hw/gaudi_map.h"
#include "../gaudi_sim.h"
#include "../host/slots.h"
#include "../kernel/kernel.h"
#include "../kernel/nodes.h"
#include "../watch/journal.h"
#include "cards_priv.h"
#include "snapshot.h"

static struct gaudi_chip *chip_of(struct gaudi_sim_card *card)
{
	return (struct gaudi_chip *)card;
}

unsigned int gaudi_sim_cards(void)
{
	return sim_num_cards();
}

struct gaudi_sim_card *gaudi_sim_card(unsigned int n)
{
	int rc = sim_card_boot(n);

	errno = -rc;
	return rc ? NULL : (struct gaudi_sim_card *)sim_card_chip(n);
}

int gaudi_sim_card_inject(struct gaudi_sim_card *card, const char *fault,
			  char *why, size_t size)
{
	return gaudi_chip_inject(chip_of(card), fault, why, size);
}

void gaudi_sim_card_heal(struct gaudi_sim_card *card)
{
	gaudi_chip_faults_clear(chip_of(card));
}

int gaudi_sim_card_faults(struct gaudi_sim_card *card, FILE *out)
{
	return gaudi_chip_faults_print(chip_of(card), out);
}

int gaudi_sim_catalogue(FILE *out)
{
	return gaudi_chip_faults_catalogue(out);
}

int gaudi_sim_card_report(struct gaudi_sim_card *card, FILE *out)
{
	return gaudi_chip_report(chip_of(card), out);
}

int gaudi_sim_card_record(struct gaudi_sim_card *card, FILE *out)
{
	return gaudi_chip_record(chip_of(card), out);
}

static bool is_register(uint64_t address)
{
	return address >= GAUDI_CFG_BASE && !(address % 4) &&
	       address - GAUDI_CFG_BASE < GAUDI_CFG_SIZE;
}

static uint64_t in_window(uint64_t address)
{
	return GAUDI_BAR_CFG_REGS + (address - GAUDI_CFG_BASE);
}

int gaudi_sim_card_read_register(struct gaudi_sim_card *card,
				 uint64_t address, uint32_t *value)
{
	if (!is_register(address))
		return -EINVAL;
	*value = (u32)gaudi_chip_bar_read(chip_of(card), GAUDI_BAR_CFG,
					  in_window(address), 4);
	return 0;
}

int gaudi_sim_card_write_register(struct gaudi_sim_card *card,
				  uint64_t address, uint32_t value)
{
	if (!is_register(address))
		return -EINVAL;
	gaudi_chip_bar_write(chip_of(card), GAUDI_BAR_CFG, in_window(address),
			     value, 4);
	return 0;
}

void *gaudi_sim_card_memory(struct gaudi_sim_card *card, uint64_t address,
			    size_t size)
{
	uint64_t bytes;
	char *hbm = gaudi_chip_hbm(chip_of(card), &bytes, NULL), *sram;

	if (address >= GAUDI_HOST_BASE && address < GAUDI_HOST_BASE + TASK_SIZE)
		return sim_snapshot_memory(card, address - GAUDI_HOST_BASE,
					   size);
	if (sim_journal())
		sim_log(NULL, SIM_ERR,
			"what is written by gaudi_sim_card_memory() is not in the journal\n");
	if (address < bytes)
		return size <= bytes - address ? hbm + address : NULL;
	sram = gaudi_chip_sram(chip_of(card), &bytes, NULL);
	if (address < GAUDI_SRAM_BASE || address - GAUDI_SRAM_BASE >= bytes)
		return NULL;
	address -= GAUDI_SRAM_BASE;
	return size <= bytes - address ? sram + address : NULL;
}

int gaudi_sim_card_event(struct gaudi_sim_card *card, unsigned int event,
			 const uint64_t *payload, unsigned int words)
{
	return gaudi_chip_post_event(chip_of(card), event, payload, words);
}

int gaudi_sim_card_plug(struct gaudi_sim_card *card, unsigned int port,
			bool in)
{
	return gaudi_chip_plug(chip_of(card), port, in);
}

bool gaudi_sim_card_link_is_up(struct gaudi_sim_card *card, unsigned int port)
{
	return gaudi_chip_link_up(chip_of(card), port);
}
