// SPDX-License-Identifier: MIT
/*
 * Which cards a process may see: all of the machine, or those that
 * HABANA_VISIBLE_DEVICES and HABANA_VISIBLE_MODULES name, in their order.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

/* Ask the control node of /dev/accel/accel@accel. */
static bool look_at(int accel, struct gd_card *card)
{
	struct hlthunk_hw_ip_info ip;
	bool found = false;
	int fd, rc;

	fd = hlthunk_open_control(accel, NULL);
	if (fd == -ENODEV)
		return false;
	if (fd < 0) {
		gd_log(GD_INFO, "accel%d: cannot ask it: %s", accel,
		       gaudi_strerror(fd));
		return false;
	}
	if (hlthunk_get_device_name_from_fd(fd) == HLTHUNK_DEVICE_GAUDI) {
		memset(card, 0, sizeof(*card));
		rc = hlthunk_get_hw_ip_info(fd, &ip);
		if (!rc)
			rc = hlthunk_get_pci_bus_id_from_fd(fd, card->busid,
						sizeof(card->busid));
		card->accel = (uint32_t)accel;
		card->module_id = rc ? 0 : ip.module_id;
		found = !rc;
		if (rc)
			gd_log(GD_INFO, "accel%d: does not answer: %s", accel,
			       gaudi_strerror(rc));
	}
	hlthunk_close(fd);

	return found;
}

static int find_all(struct gd_card *cards, uint32_t *count)
{
	int want = hlthunk_get_device_count(HLTHUNK_DEVICE_GAUDI);

	if (want < 0)
		return gd_fail(want, "cannot count the cards: %s",
			       gaudi_strerror(want));
	*count = 0;
	for (int i = 0; i < HLTHUNK_MAX_MINOR && *count < (uint32_t)want; i++)
		if (look_at(i, &cards[*count]))
			++*count;

	return 0;
}

/* The next number of a list; -ENOENT at its end. */
static int next_number(const char *name, const char **list, uint32_t *number)
{
	const char *at = *list;
	unsigned long n;
	char *end;

	if (!*at)
		return -ENOENT;
	errno = 0;
	n = strtoul(at, &end, 10);
	if (*at < '0' || *at > '9' || errno || n > UINT32_MAX ||
	    (*end && *end != ',') || (*end == ',' && !end[1]))
		return gd_fail(-EINVAL,
			       "%s: \"%.60s\" is no list of numbers", name, at);
	*number = (uint32_t)n;
	*list = *end ? end + 1 : end;

	return 0;
}

/* Keep of @cards those in the list of variable @name, in its order. */
static int choose(const char *name, bool by_module, struct gd_card *cards,
		  uint32_t *count)
{
	const char *list = secure_getenv(name);
	uint32_t kept = 0, number = 0, i;
	int rc;

	if (!list || !*list || !strcmp(list, "all"))
		return 0;
	while (!(rc = next_number(name, &list, &number))) {
		for (i = kept; i < *count; i++) {
			struct gd_card card = cards[i];

			if (number != (by_module ? card.module_id : card.accel))
				continue;
			memmove(&cards[kept + 1], &cards[kept],
				(i - kept) * sizeof(card));
			cards[kept++] = card;
			break;
		}
		if (i == *count)
			gd_log(GD_WARN, "%s: no card %u", name, number);
	}
	if (rc == -ENOENT)
		*count = kept;

	return rc == -ENOENT ? 0 : rc;
}

int gd_cards_find(struct gd_card **cards, uint32_t *count)
{
	struct gd_card *found = calloc(HLTHUNK_MAX_MINOR, sizeof(*found));
	int rc;

	if (!found)
		return gd_fail(-ENOMEM, "no memory for a list of cards");
	rc = find_all(found, count);
	/* The order of the list of devices counts, if there are both. */
	if (!rc)
		rc = choose("HABANA_VISIBLE_MODULES", true, found, count);
	if (!rc)
		rc = choose("HABANA_VISIBLE_DEVICES", false, found, count);
	if (rc) {
		free(found);
		return rc;
	}
	*cards = found;

	return 0;
}

int gaudi_device_count(uint32_t *count)
{
	struct gd_card *cards;
	uint32_t found;
	int rc;

	if (!count)
		return gd_fail(-EINVAL, "gaudi_device_count: count is NULL");
	rc = gd_cards_find(&cards, &found);
	if (rc)
		return rc;
	free(cards);
	*count = found;

	return 0;
}
