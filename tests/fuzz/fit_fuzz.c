// SPDX-License-Identifier: GPL-2.0-only
/*
 * Firmware images as bytes. The first byte: 0: a FIT, as it is; 1: a FIT whose
 * checksums are made right first, so that what is within is read; 2: a board
 * description alone.
 */
#include <libfdt.h>
#include <zlib.h>

#include "../../firmware-stub/fw.h"
#include "ops.h"

const unsigned int harness_unit = 1;

int harness_init(void)
{
	return 0;
}

static void mend_part(void *fit, int part)
{
	const void *data;
	int node, len;
	uint32_t crc;

	data = fdt_getprop(fit, part, "data", &len);
	if (!data)
		return;
	crc = crc32(0, data, len);
	fdt_for_each_subnode(node, fit, part)
		fdt_setprop_inplace_u32(fit, node, "value", crc);
}

static void mend(void *fit, size_t size)
{
	int images, part;

	if (fw_fdt_check(fit, size))
		return;
	images = fdt_path_offset(fit, "/images");
	if (images < 0)
		return;
	fdt_for_each_subnode(part, fit, images)
		mend_part(fit, part);
}

static void read_board(const void *dtb, size_t size)
{
	static struct fw_board board;
	char err[128] = "";
	unsigned int i;

	fw_board_default(&board);
	if (fw_board_parse(dtb, size, &board, err, sizeof(err))) {
		if (!err[0])
			abort();	/* refused without a reason */
		return;
	}
	if (board.num_sensors > FW_MAX_SENSORS ||
	    board.num_i2c > FW_MAX_I2C ||
	    board.eeprom_len > FW_EEPROM_SIZE ||
	    board.num_replaced_rows > FW_MAX_ROWS)
		abort();
	for (i = 0; i < FW_NUM_PLLS; i++)
		if (board.plls[i].min_hz > board.plls[i].max_hz)
			abort();
}

void harness_run(const uint8_t *data, size_t size)
{
	struct fw_image image;
	char err[128] = "";
	unsigned int role;
	uint8_t *copy;

	if (size < 1)
		return;
	/* Exactly as long as it is, so that a read beyond it is seen. */
	copy = malloc(size - 1 ? size - 1 : 1);
	memcpy(copy, data + 1, size - 1);
	if (data[0] % 4 == 2) {
		read_board(copy, size - 1);
		free(copy);
		return;
	}
	if (data[0] & 1)
		mend(copy, size - 1);
	for (role = FW_IMAGE_BOOT_FIT; role <= FW_IMAGE_LINUX; role++) {
		if (fw_image_parse(copy, size - 1, role, &image, err,
				   sizeof(err))) {
			if (!err[0])
				abort();
			continue;
		}
		if (image.dtb)
			read_board(image.dtb, image.dtb_len);
	}
	free(copy);
}
