// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* A box whose cards several processes have; see box.h. */
#include <unistd.h>

#include "../../qemu-device/chip/gaudi_chip.h"
#include "../kernel/kernel.h"
#include "../kernel/nodes.h"
#include "box.h"
#include "hw/gaudi_cabling.h"

static struct place {
	pthread_mutex_t lock;
	struct gaudi_fabric *fabric;	/* whose cables the card has */
	unsigned int users;
} places[SIM_MAX_CARDS] = {
	[0 ... SIM_MAX_CARDS - 1] = { .lock = PTHREAD_MUTEX_INITIALIZER },
};

static const char *box_name(void)
{
	const char *name = secure_getenv("GAUDI_SIM_BOX");

	return name && *name ? name : NULL;
}

bool sim_box_is_shared(void)
{
	return box_name();
}

/* The cables of each eight cards, between boxes of one card. */
static unsigned int make_cables(struct gaudi_fabric_cable *to,
				unsigned int want)
{
	struct gaudi_cable cables[GAUDI_MAX_CABLES];
	unsigned int num = gaudi_cabling_hls1(cables), i, n = 0;

	for (i = 0; i < num * SIM_MAX_CARDS / GAUDI_CABLED_MODULES; i++) {
		const struct gaudi_cable *c = &cables[i % num];
		unsigned int first = i / num * GAUDI_CABLED_MODULES;
		unsigned int a = first + c->module[0];
		unsigned int b = first + c->module[1];

		if (a < want && b < want)
			to[n++] = (struct gaudi_fabric_cable) {
				.box = { a, b },
				.module = { c->module[0], c->module[1] },
				.port = { c->port[0], c->port[1] },
			};
	}
	return n;
}

/* The card's cables are those of box @n of this fabric, and no other's any more. */
static int join(struct place *place, const char *name, unsigned int n,
		struct gaudi_chip *chip, unsigned int want)
{
	struct gaudi_fabric_cable cables[GAUDI_MAX_FABRIC_CABLES];
	const struct gaudi_fabric_config config = {
		.name = name, .box = n, .listener = -1, .cables = cables,
		.num_cables = make_cables(cables, want),
	};
	struct gaudi_fabric *fabric;
	int rc;

	fabric = gaudi_fabric_new(&config, &rc);
	if (!fabric)
		return rc;
	gaudi_fabric_free(place->fabric);
	place->fabric = fabric;
	rc = gaudi_fabric_plug(fabric, chip);
	return rc < 0 ? rc : 0;
}

/* One in which nobody else is. */
static int join_own(struct place *place, unsigned int n,
		    struct gaudi_chip *chip, unsigned int want)
{
	char name[48];

	scnprintf(name, sizeof(name), "own.%d.%u.%08x", getpid(), n,
		  get_random_u32());
	return join(place, name, n, chip, want);
}

int sim_box_plug(unsigned int n, struct gaudi_chip *chip, unsigned int want)
{
	struct place *place = &places[n];
	int rc = 0;

	pthread_mutex_lock(&place->lock);
	if (!place->fabric)
		rc = join_own(place, n, chip, want);
	pthread_mutex_unlock(&place->lock);
	return rc;
}

int sim_box_claim(unsigned int n, struct gaudi_chip *chip, unsigned int want)
{
	struct place *place = &places[n];
	int rc = 0;

	pthread_mutex_lock(&place->lock);
	if (!place->users)
		rc = join(place, box_name(), n, chip, want);
	if (!rc)
		place->users++;
	pthread_mutex_unlock(&place->lock);
	if (rc == -EINVAL)
		sim_log(NULL, SIM_ERR,
			"GAUDI_SIM_BOX is '%s': letters, digits, '.', '_' and '-', up to %d\n",
			box_name(), GAUDI_FABRIC_NAME_LEN);
	return rc == -EADDRINUSE ? -EBUSY : rc;
}

void sim_box_release(unsigned int n, struct gaudi_chip *chip, unsigned int want)
{
	struct place *place = &places[n];

	pthread_mutex_lock(&place->lock);
	if (!--place->users && join_own(place, n, chip, want)) {
		/* The name must go, with or without cables. */
		gaudi_fabric_free(place->fabric);
		place->fabric = NULL;
	}
	pthread_mutex_unlock(&place->lock);
}
