// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Board profiles: which cards a box has, and what differs between them. A
 * device tree as in board/profiles/; its nodes have the properties of a board
 * description (board.c), each of which replaces the one in the image that the
 * driver loaded.
 *
 * The file comes from the machine's owner, but any byte string is safe.
 */
#include <libfdt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fw.h"

#define PROFILE_COMPATIBLE	"open-gaudi,box"
#define PROFILE_MAX_CARDS	8

static int profile_error(char *err, size_t err_len, const char *what,
			 const char *name)
{
	snprintf(err, err_len, "board profile: %s %s", what, name);
	return -EINVAL;
}

/* /common, or the card in this slot. Negative: there is none. */
static int profile_card_node(const void *dtb, unsigned int slot)
{
	char path[24];

	snprintf(path, sizeof(path), "/cards/card@%u", slot);
	return fdt_path_offset(dtb, path);
}

static uint32_t profile_u32(const void *dtb, int node, const char *name,
			    uint32_t fallback)
{
	int len;
	const fdt32_t *p = fdt_getprop(dtb, node, name, &len);

	return p && len == (int)sizeof(*p) ? fdt32_ld(p) : fallback;
}

/* Of the card, else of all; the fallback if neither says. */
static uint32_t profile_of_card(const void *dtb, int card, const char *name,
				uint32_t fallback)
{
	int common = fdt_path_offset(dtb, "/common");

	if (common >= 0)
		fallback = profile_u32(dtb, common, name, fallback);
	return profile_u32(dtb, card, name, fallback);
}

int fw_profile_apply(const void *dtb, unsigned int slot, struct fw_board *board,
		     char *err, size_t err_len)
{
	int common = fdt_path_offset(dtb, "/common");
	int rc = 0;

	if (common >= 0)
		rc = fw_board_override(dtb, common, board, err, err_len);
	return rc ?: fw_board_override(dtb, profile_card_node(dtb, slot), board,
				       err, err_len);
}

const char *fw_profile_preboot(const void *dtb)
{
	int common = fdt_path_offset(dtb, "/common"), len;
	const char *s;

	s = common < 0 ? NULL :
	    fdt_getprop(dtb, common, "preboot-version", &len);
	return s && len > 0 && !s[len - 1] ? s : NULL;
}

int gaudi_fw_profile_check(const void *profile, size_t size, unsigned int slot,
			   struct gaudi_fw_card *card, char *err,
			   size_t err_len)
{
	struct fw_board *board;
	int node, rc = fw_fdt_check(profile, size);

	if (rc)
		return profile_error(err, err_len, "bad structure:",
				     fdt_strerror(rc));
	if (fdt_node_check_compatible(profile, 0, PROFILE_COMPATIBLE))
		return profile_error(err, err_len, "not compatible with",
				     PROFILE_COMPATIBLE);
	node = profile_card_node(profile, slot);
	if (slot >= PROFILE_MAX_CARDS || node < 0)
		return profile_error(err, err_len, "no card in", "that slot");
	card->module_id = profile_of_card(profile, node, "module-id", slot);
	card->boot_dev_sts0 = profile_of_card(profile, node, "boot-sts0", 0);
	if (card->module_id >= PROFILE_MAX_CARDS)
		return profile_error(err, err_len, "out of range:",
				     "module-id");
	board = malloc(sizeof(*board));
	if (!board)
		return -ENOMEM;
	fw_board_default(board);
	rc = fw_profile_apply(profile, slot, board, err, err_len);
	free(board);
	return rc;
}
