// SPDX-License-Identifier: GPL-2.0-only
/* Cards as objects: what gaudi_sim.h offers tests. GAUDI_SIM=2. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <drm/habanalabs_accel.h>

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

/* --- events: what the driver of card n says of them --- */

#define HBM0_SPI_1	396u		/* an error that was corrected */
#define NUM_COUNTS	1024u
/* Of an HBM event's second word: the row. */
#define HBM_ROW(n)	((uint64_t)(n) << 46)

static void info_of(unsigned int n, uint32_t op, void *to, uint32_t size)
{
	struct hl_info_args args = { .op = op, .return_size = size,
				     .return_pointer = (uintptr_t)to };
	char node[32];
	int fd;

	snprintf(node, sizeof(node), "/dev/accel/accel%u", n);
	fd = gaudi_sim_open(node, O_RDWR);
	assert_true(fd >= 0);
	WORKS(gaudi_sim_ioctl(fd, DRM_IOCTL_HL_INFO, &args));
	WORKS(gaudi_sim_close(fd));
}

static int open_node(void)
{
	int fd = gaudi_sim_open("/dev/accel/accel0", O_RDWR);

	assert_true(fd >= 0);
	return fd;
}

static int ask_status(int fd)
{
	struct hl_info_device_status status;
	struct hl_info_args args = {
		.op = HL_INFO_DEVICE_STATUS, .return_size = sizeof(status),
		.return_pointer = (uintptr_t)&status,
	};

	return gaudi_sim_ioctl(fd, DRM_IOCTL_HL_INFO, &args);
}

/* Who says that a descriptor is private, and does not keep to it, loses no card. */
TEST(private_descriptors)
{
	int fd = open_node(), other;

	gaudi_sim_private(fd);
	WORKS(ask_status(fd));
	assert_int_equal(gaudi_sim_open("/dev/accel/accel0", O_RDWR), -EBUSY);
	WORKS(gaudi_sim_close(fd));
	assert_int_equal(ask_status(fd), -EXDEV);
	/* Closed by other means: the card can be opened again. */
	fd = open_node();
	gaudi_sim_private(fd);
	WORKS(close(fd));
	other = open_node();
	if (other != fd)
		assert_int_equal(ask_status(fd), -EXDEV);
	WORKS(ask_status(other));
	WORKS(gaudi_sim_close(other));
	/* Another file has the number: that one stays. */
	fd = open_node();
	gaudi_sim_private(fd);
	other = open("/dev/null", O_RDWR);
	assert_int_equal(dup2(other, fd), fd);
	assert_int_equal(gaudi_sim_close(fd), -EBADF);
	assert_int_equal(ask_status(fd), -EXDEV);
	WORKS(close(fd));
	WORKS(close(other));
	WORKS(gaudi_sim_close(open_node()));
	/* A copy of it has the card until that is closed, too. */
	fd = open_node();
	gaudi_sim_private(fd);
	other = dup(fd);
	WORKS(gaudi_sim_close(fd));
	assert_int_equal(ask_status(fd), -EXDEV);
	WORKS(ask_status(other));
	assert_int_equal(gaudi_sim_open("/dev/accel/accel0", O_RDWR), -EBUSY);
	WORKS(gaudi_sim_close(other));
	WORKS(gaudi_sim_close(open_node()));
	/* None of a card's: nothing. */
	gaudi_sim_private(STDERR_FILENO);
	gaudi_sim_private(-1);
	assert_int_equal(ask_status(STDERR_FILENO), -EXDEV);
}

static uint32_t num_events(unsigned int n)
{
	uint32_t counts[NUM_COUNTS] = { 0 };

	info_of(n, HL_INFO_HW_EVENTS, counts, sizeof(counts));
	return counts[HBM0_SPI_1];
}

static uint32_t pending_rows(void)
{
	uint32_t pending = 99;

	info_of(0, HL_INFO_DRAM_PENDING_ROWS, &pending, sizeof(pending));
	return pending;
}

static int bad_row(unsigned int row)
{
	const uint64_t payload[2] = { 0, HBM_ROW(row) };

	return gaudi_sim_card_event(card_of(0), HBM0_SPI_1, payload, 2);
}

/* The third error condemns a row: its number is in the payload. */
TEST(events_reach_driver_and_firmware)
{
	static const unsigned int rows[] = { 5, 6, 5, 6 };
	uint32_t before = num_events(0), of_other = num_events(1);
	unsigned int i, ms;

	assert_int_equal(pending_rows(), 0);
	for (i = 0; i < 4; i++)
		WORKS(bad_row(rows[i]));
	assert_int_equal(pending_rows(), 0);
	WORKS(bad_row(5));
	assert_int_equal(pending_rows(), 1);
	for (ms = 0; ms < 10000 && num_events(0) != before + 5; ms++)
		usleep(1000);
	assert_int_equal(num_events(0), before + 5);
	assert_int_equal(num_events(1), of_other);
	assert_int_equal(gaudi_sim_card_event(card_of(0), NUM_COUNTS, NULL, 0),
			 -EINVAL);
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
