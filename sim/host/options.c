// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* Options of cards; see options.h. */
#include <fcntl.h>
#include <unistd.h>

#include "../../firmware-stub/gaudi_fw_stub.h"
#include "../gaudi_sim.h"
#include "../kernel/kernel.h"
#include "../kernel/nodes.h"
#include "box.h"
#include "options.h"

#define MOST_PROFILE	65536
#define MOST_EVENTS	(1u << 26)	/* 2 GiB, the card's own limit */

const char *sim_option(const char *name)
{
	const char *text = secure_getenv(name);

	return text && *text ? text : NULL;
}

/* Kept until the end. -errno: it cannot be read. */
static ssize_t read_profile(const char *path, void **profile)
{
	static u64 text[MOST_PROFILE / 8];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, text, sizeof(text));
	if (n < 0)
		n = -errno;
	close(fd);
	*profile = text;
	return n;
}

int sim_option_board(unsigned int n, struct gaudi_config *config)
{
	const char *path = sim_option("GAUDI_SIM_BOARD");
	struct gaudi_fw_card card;
	void *profile = NULL;
	char why[128];
	ssize_t size;

	if (!path)
		return 0;
	size = read_profile(path, &profile);
	if (size < 0)
		scnprintf(why, sizeof(why), "%s", strerror((int)-size));
	if (size < 0 ||
	    gaudi_fw_profile_check(profile, size, n % 8, &card, why,
				   sizeof(why))) {
		sim_log(NULL, SIM_ERR, "GAUDI_SIM_BOARD: %s, card %u: %s\n",
			path, n, why);
		return size < 0 ? (int)size : -EINVAL;
	}
	config->profile = profile;
	config->profile_size = size;
	config->slot = n % 8;
	config->module_id = card.module_id;
	config->boot_dev_sts0 = card.boot_dev_sts0;
	return 0;
}

int sim_option_record_events(struct gaudi_config *config)
{
	const char *text = sim_option("GAUDI_SIM_RECORD_EVENTS");
	unsigned long events;
	char *end;

	if (!text)
		return 0;
	events = strtoul(text, &end, 10);
	if (!isdigit(*text) || *end || !events || events > MOST_EVENTS) {
		sim_log(NULL, SIM_ERR,
			"GAUDI_SIM_RECORD_EVENTS is '%s', not 1 to %u\n",
			text, MOST_EVENTS);
		return -EINVAL;
	}
	config->record_events = events;
	return 0;
}

static bool wanted_timing;	/* if the environment says nothing */

void gaudi_sim_timing(bool on)
{
	WRITE_ONCE(wanted_timing, on);
}

int sim_option_timing(struct gaudi_config *config)
{
	const char *text = sim_option("GAUDI_SIM_TIMING"), *journal;

	if (text && strcmp(text, "on") && strcmp(text, "off")) {
		sim_log(NULL, SIM_ERR,
			"GAUDI_SIM_TIMING is '%s', not on or off\n", text);
		return -EINVAL;
	}
	config->timing = text ? !strcmp(text, "on") : READ_ONCE(wanted_timing);
	journal = sim_option("GAUDI_SIM_JOURNAL");
	if (!config->timing || (!sim_box_is_shared() && !journal))
		return 0;
	sim_log(NULL, SIM_ERR, "cards with a model of time have no %s\n",
		journal ? "journal" : "box of several processes");
	return -EOPNOTSUPP;
}
