// SPDX-License-Identifier: GPL-2.0-only
/* Profiles of boxes: what a card of one shows, and bad files. */
#include <libfdt.h>

#include "harness.h"

static void *profile_read(const char *name, size_t *size)
{
	char path[64];

	snprintf(path, sizeof(path), "../../boards/%s.dtb", name);
	return image_read(path, size);
}

static int check(const void *profile, size_t size, unsigned int slot,
		 struct gaudi_fw_card *card)
{
	char err[128] = "";
	int rc = gaudi_fw_profile_check(profile, size, slot, card, err,
					sizeof(err));

	/* A reason, and only with an error. */
	assert_int_equal(!!rc, !!err[0]);
	return rc;
}

static struct card *card_of(const void *profile, size_t size, unsigned int slot)
{
	struct gaudi_fw_config cfg = {
		.profile = profile, .profile_size = size, .slot = slot,
	};
	struct gaudi_fw_card card;

	assert_int_equal(check(profile, size, slot, &card), 0);
	cfg.module_id = card.module_id;
	return card_new(&cfg);
}

TEST(modules_and_slots)
{
	/* Published logs of the cloud's machine have the modules so. */
	static const uint32_t dl1[] = { 0, 5, 1, 4, 2, 3, 6, 7 };
	struct gaudi_fw_card card;
	size_t size;
	void *profile = profile_read("dl1", &size);

	for (unsigned int slot = 0; slot < 8; slot++) {
		assert_int_equal(check(profile, size, slot, &card), 0);
		assert_int_equal(card.module_id, dl1[slot]);
		assert_int_equal(card.boot_dev_sts0, 0);
	}
	assert_int_equal(check(profile, size, 8, &card), -22);
	assert_int_equal(check(profile, size, 4294967295u, &card), -22);
	free(profile);
	profile = profile_read("single", &size);
	assert_int_equal(check(profile, size, 0, &card), 0);
	assert_int_equal(check(profile, size, 1, &card), -22);
	free(profile);
}

static uint8_t *reply(struct card *c, unsigned int opcode, size_t size)
{
	memset(c->host + BUF_OFF, 0, size);
	REPLIES(0, opcode, CPU_HOST(BUF_OFF), (uint32_t)size, 0, NULL);
	return c->host + BUF_OFF;
}

static unsigned int get16(const uint8_t *p)
{
	return p[0] | (unsigned int)p[1] << 8;
}

TEST(what_a_card_shows)
{
	static const uint8_t mac9[6] = { 0x02, 0x6f, 0x67, 0x02, 0x05, 0x09 };
	size_t size;
	void *profile = profile_read("dl1", &size);
	struct card *c = card_of(profile, size, 1);
	uint32_t off = reg(c, R_PREBOOT_VER);
	const uint8_t *info;

	/* The card keeps its own copy. */
	memset(profile, 0xff, size);
	free(profile);
	assert_non_null(strstr((char *)c->sram + off, "-fw-32.0.13-sec-4 "));
	card_run(c);
	info = reply(c, 0x0e, 1768);
	/* struct cpucp_info: sensors 1024, kernel version 128, reserved 4 */
	assert_non_null(strstr((const char *)info + 1024, "5.10.18-hl-gaudi"));
	assert_int_equal(info[1156], 1);	/* card type: PMC */
	assert_int_equal(info[1160], 5);	/* location */
	assert_int_equal(info[1164], 0x1a);	/* CPLD */
	assert_int_equal(info[1168], 0x0b);	/* VRM */
	/* What the profile does not name is the image's: sensors. */
	assert_int_equal(info[0], 1);
	info = reply(c, 0x16, 4096);
	assert_non_null(strstr((const char *)info, "serial=OGDL10006\n"));
	assert_non_null(strstr((const char *)info, "box=dl1.24xlarge\n"));
	info = reply(c, 0x17, 4096);
	assert_memory_equal(info + 6 * 9, mac9, 6);
	assert_int_equal(get16(info + 768), 0);
	assert_int_equal(get16(info + 912), 0x302);	/* leave the box */
	/* Whoever plugs a port into a network may give it an address. */
	c->wired_ports = 0x205;
	c->port0_mac[5] = 7;
	info = reply(c, 0x17, 4096);
	assert_int_equal(get16(info + 768), 0x205);
	assert_memory_equal(info, c->port0_mac, 6);
	assert_memory_equal(info + 6 * 9, mac9, 6);
	card_free(c);
}

/* The owner's word counts more than the profile's. */
TEST(serial_of_the_owner)
{
	size_t size;
	void *profile = profile_read("hls1", &size);
	struct gaudi_fw_config cfg = {
		.profile = profile, .profile_size = size, .slot = 3,
		.module_id = 3, .serial = "MINE",
	};
	struct card *c = card_new(&cfg);

	card_run(c);
	assert_non_null(strstr((char *)reply(c, 0x16, 4096), "serial=MINE\n"));
	free(profile);
	card_free(c);
}

/* A limit below what an idle card draws would leave less than nothing. */
TEST(impossible_limits)
{
	static const struct {
		uint32_t max, idle, full;
		int rc;
	} cases[] = {
		{ 350000, 62000, 340000, 0 },
		{ 62001, 62000, 62000, 0 },
		{ 62000, 62000, 340000, -22 },
		{ 50000, 62000, 340000, -22 },
		{ 0, 0, 0, -22 },
		{ 350000, 340000, 62000, -22 },
	};
	struct gaudi_fw_card card;
	uint64_t fdt[128];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(fdt_create(fdt, sizeof(fdt)), 0);
		fdt_finish_reservemap(fdt);
		fdt_begin_node(fdt, "");
		fdt_property_string(fdt, "compatible", "open-gaudi,box");
		fdt_begin_node(fdt, "common");
		fdt_begin_node(fdt, "power");
		fdt_property_u32(fdt, "max-milliwatt", cases[i].max);
		fdt_property_u32(fdt, "idle-milliwatt", cases[i].idle);
		fdt_property_u32(fdt, "full-milliwatt", cases[i].full);
		fdt_end_node(fdt);
		fdt_end_node(fdt);
		fdt_begin_node(fdt, "cards");
		fdt_begin_node(fdt, "card@0");
		fdt_end_node(fdt);
		fdt_end_node(fdt);
		fdt_end_node(fdt);
		assert_int_equal(fdt_finish(fdt), 0);
		assert_int_equal(check(fdt, sizeof(fdt), 0, &card),
				 cases[i].rc);
	}
}

TEST(damaged_profiles)
{
	size_t size, fit_size;
	uint8_t *profile = profile_read("hls1", &size), *copy = malloc(size);
	uint8_t *fit = image_read("gaudi-fit.itb", &fit_size);
	struct gaudi_fw_card card;

	assert_non_null(copy);
	assert_int_equal(check(fit, fit_size, 0, &card), -22);
	for (size_t len = 0; len < size; len += 7)
		assert_int_equal(check(profile, len, 0, &card), -22);
	/* Any byte turned over: refused or taken, and a card boots. */
	for (size_t i = 0; i < size; i++) {
		memcpy(copy, profile, size);
		copy[i] ^= (uint8_t)(1u << i % 8);
		if (!check(copy, size, i % 8, &card) && !(i % 16)) {
			struct card *c = card_of(copy, size, i % 8);

			card_run(c);
			card_free(c);
		}
	}
	free(fit);
	free(copy);
	free(profile);
}
