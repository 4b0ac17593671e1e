// SPDX-License-Identifier: MIT
/* Which ports are joined. */
#include <errno.h>
#include <unistd.h>

#include "../bed.h"
#include "link/cabling.h"

/* Seven ports of each card, to each other card, by the internal ports alone. */
TEST(an_hls1_is_all_to_all)
{
	struct gd_cables cables;

	gd_cables_hls1(&cables);
	assert_int_equal(cables.num, 28);
	for (uint32_t module = 0; module < GAUDI_CABLED_MODULES; module++) {
		uint32_t seen = 1u << module, num = 0;

		for (uint32_t port = 0; port < GD_PORTS; port++) {
			uint32_t other, at, back, back_at;

			if (!gd_cables_other_end(&cables, module, port, &other,
						 &at))
				continue;
			assert_false(0x302 & 1u << port);
			assert_false(seen & 1u << other);
			seen |= 1u << other;
			num++;
			assert_true(gd_cables_other_end(&cables, other, at,
							&back, &back_at));
			assert_int_equal(back, module);
			assert_int_equal(back_at, port);
		}
		assert_int_equal(num, 7);
		assert_int_equal(seen, 0xff);
	}
}

/* As cards 0 and 1 of QEMU have it. */
TEST(neighbours_have_port_0)
{
	struct gd_cables cables;
	uint32_t module, port;

	gd_cables_hls1(&cables);
	assert_true(gd_cables_other_end(&cables, 0, 0, &module, &port));
	assert_int_equal(module, 1);
	assert_int_equal(port, 0);
	assert_true(gd_cables_other_end(&cables, 2, 7, &module, &port));
	assert_int_equal(module, 5);
	assert_int_equal(port, 7);
}

TEST(a_file_of_cables)
{
	struct gd_cables cables;
	uint32_t module, port;

	GOOD(gd_cables_parse(&cables, "# two cards\n0:3 1:4\n\n"
				      " 7:9  2:0 # and these", "it"));
	assert_int_equal(cables.num, 2);
	assert_true(gd_cables_other_end(&cables, 1, 4, &module, &port));
	assert_int_equal(module, 0);
	assert_int_equal(port, 3);
	assert_true(gd_cables_other_end(&cables, 7, 9, &module, &port));
	assert_int_equal(module, 2);
	assert_false(gd_cables_other_end(&cables, 0, 4, &module, &port));
	GOOD(gd_cables_parse(&cables, "", "it"));
	assert_int_equal(cables.num, 0);
}

TEST(bad_cables)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{ "0:1", "it, line 1: two ends wanted" },
		{ "0:1 1:1 2:1", "it, line 1: two ends wanted" },
		{ "0:1 1:x", "it, line 1: two ends wanted" },
		{ "0:10 1:1", "it, line 1: two ends wanted" },
		{ "0:1 1:1\n8:1 2:1", "it, line 2: modules are 0 to 7" },
		{ "3:1 3:2", "it, line 1: both ends are at one card" },
		{ "0:1 1:1\n\n2:1 0:1", "it, line 3: a port has a cable" },
	};
	struct gd_cables cables;

	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		assert_int_equal(gd_cables_parse(&cables, bad[i].text, "it"),
				 -EINVAL);
		SAYS(bad[i].says);
	}
}

/* All ports of all cards: there is room, and no more. */
TEST(as_many_cables_as_ports)
{
	char text[(GAUDI_MAX_CABLES + 1) * 8 + 1] = "";
	struct gd_cables cables;

	for (unsigned int port = 0; port < GD_PORTS; port++)
		for (unsigned int m = 0; m < GAUDI_CABLED_MODULES; m += 2)
			sprintf(text + strlen(text), "%u:%u %u:%u\n", m, port,
				m + 1, port);
	GOOD(gd_cables_parse(&cables, text, "it"));
	assert_int_equal(cables.num, GAUDI_MAX_CABLES);
	strcat(text, "0:0 1:0");
	assert_int_equal(gd_cables_parse(&cables, text, "it"), -EINVAL);
}

static int read_with(const char *value, struct gd_cables *cables)
{
	int rc;

	setenv("GAUDI_CABLING", value, 1);
	rc = gd_cables_read(cables);
	unsetenv("GAUDI_CABLING");

	return rc;
}

TEST(what_the_environment_says)
{
	char name[] = "/tmp/gaudi-cabling-XXXXXX";
	static char much[10000];
	struct gd_cables cables;
	int fd = mkstemp(name);

	GOOD(gd_cables_read(&cables));
	assert_int_equal(cables.num, 28);
	GOOD(read_with("", &cables));
	assert_int_equal(cables.num, 28);
	GOOD(read_with("hls1", &cables));
	assert_int_equal(cables.num, 28);
	GOOD(read_with("none", &cables));
	assert_int_equal(cables.num, 0);
	assert_int_equal(read_with("hls2", &cables), -EINVAL);
	SAYS("hls2");
	assert_int_equal(read_with("/nowhere/at/all", &cables), -ENOENT);
	assert_int_equal(write(fd, "2:8 3:8\n", 8), 8);
	GOOD(read_with(name, &cables));
	assert_int_equal(cables.num, 1);
	/* Neither text nor a file of a sensible size. */
	assert_int_equal(write(fd, "", 1), 1);
	assert_int_equal(read_with(name, &cables), -EINVAL);
	SAYS("no text");
	memset(much, '\n', sizeof(much));
	assert_int_equal(pwrite(fd, much, sizeof(much), 0), sizeof(much));
	assert_int_equal(read_with(name, &cables), -EINVAL);
	SAYS("more than");
	close(fd);
	unlink(name);
}
