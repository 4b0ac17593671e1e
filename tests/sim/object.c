// SPDX-License-Identifier: GPL-2.0-only
/* Cards as objects: what gaudi_sim.h offers tests. GAUDI_SIM=2. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "../../sim/gaudi_sim.h"
#include "../../uapi/hw/gaudi_map.h"
#include "../unit/unit.h"

#define PORT_OF_PEER	0u

static struct gaudi_sim_card *card_of(unsigned int n)
{
	struct gaudi_sim_card *card = gaudi_sim_card(n);

	assert_non_null(card);
	return card;
}

TEST(cards_are_counted)
{
	assert_int_equal(gaudi_sim_cards(), 2);
	assert_true(card_of(0) != card_of(1));
	assert_null(gaudi_sim_card(2));
	assert_int_equal(errno, ENOENT);
}

TEST(memory_is_where_it_is)
{
	char *hbm = gaudi_sim_card_memory(card_of(0), 0x40000000, 4096);
	char *sram = gaudi_sim_card_memory(card_of(0), GAUDI_SRAM_BASE, 4096);

	assert_non_null(hbm);
	assert_non_null(sram);
	strcpy(hbm, "HBM");
	assert_string_equal((char *)gaudi_sim_card_memory(card_of(0),
							  0x40000000, 4), "HBM");
	assert_int_equal(*(char *)gaudi_sim_card_memory(card_of(1), 0x40000000,
							1), 0);
	assert_null(gaudi_sim_card_memory(card_of(0), 0x7ffffffff, 2));
	assert_null(gaudi_sim_card_memory(card_of(0), GAUDI_CFG_BASE, 4));
	assert_null(gaudi_sim_card_memory(card_of(0), GAUDI_SRAM_BASE,
					  1u << 30));
}

/* The driver has left what it has set there. */
TEST(registers_are_the_card_s)
{
	uint32_t value = 0, again = 0;
	const uint64_t sob = GAUDI_CFG_BASE + GAUDI_SYNC_MNGR_E_N_BASE + 0x100;

	assert_int_equal(gaudi_sim_card_write_register(card_of(0), sob, 7), 0);
	assert_int_equal(gaudi_sim_card_read_register(card_of(0), sob, &value),
			 0);
	assert_int_equal(value, 7);
	assert_int_equal(gaudi_sim_card_read_register(card_of(1), sob, &again),
			 0);
	assert_int_equal(gaudi_sim_card_read_register(card_of(0), 0, &value),
			 -EINVAL);
	assert_int_equal(gaudi_sim_card_read_register(card_of(0), sob + 1,
						      &value), -EINVAL);
}

/* A port tells its peer that it is on by its engine: that may be after the boot. */
static bool link_comes_up(struct gaudi_sim_card *card)
{
	unsigned int ms;

	for (ms = 0; ms < 10000; ms++) {
		if (gaudi_sim_card_link_is_up(card, PORT_OF_PEER))
			return true;
		usleep(1000);
	}
	return false;
}

TEST(links_are_pulled)
{
	assert_true(link_comes_up(card_of(0)));
	assert_int_equal(gaudi_sim_card_plug(card_of(1), PORT_OF_PEER, false),
			 0);
	assert_false(gaudi_sim_card_link_is_up(card_of(0), PORT_OF_PEER));
	assert_int_equal(gaudi_sim_card_plug(card_of(1), PORT_OF_PEER, true),
			 0);
	assert_true(link_comes_up(card_of(0)));
	assert_int_equal(gaudi_sim_card_plug(card_of(0), 99, true), -EINVAL);
}

static bool is_in(int (*print)(FILE *out), const char *what)
{
	size_t size;
	char *text;
	FILE *out = open_memstream(&text, &size);
	bool is;

	assert_int_equal(print(out), 0);
	fclose(out);
	is = strstr(text, what);
	free(text);
	return is;
}

static int print_faults(FILE *out)
{
	return gaudi_sim_card_faults(card_of(0), out);
}

static int print_report(FILE *out)
{
	return gaudi_sim_card_report(card_of(0), out);
}

static int print_record(FILE *out)
{
	return gaudi_sim_card_record(card_of(0), out);
}

/* A line of text, and numbers. */
TEST(what_passed_is_recorded)
{
	assert_true(is_in(print_record, "\"gaudi-record\": 1"));
}

TEST(faults_happen)
{
	char why[256] = "";

	assert_true(is_in(gaudi_sim_catalogue, "hbm-ecc-single"));
	assert_int_equal(gaudi_sim_card_inject(card_of(0), "no-such-fault", why,
					       sizeof(why)), -EINVAL);
	assert_true(why[0]);
	assert_int_equal(gaudi_sim_card_inject(card_of(0), "hbm-ecc-single",
					       why, sizeof(why)), 0);
	assert_true(is_in(print_faults, "hbm-ecc-single"));
	gaudi_sim_card_heal(card_of(0));
	assert_true(is_in(print_report, "fidelity"));
}
