// SPDX-License-Identifier: GPL-2.0-only
/* Images that are damaged, wrong, or hostile. */
#include <endian.h>
#include <libfdt.h>

#include "harness.h"

#define SIZE_STRUCT_AT	36	/* header field size_dt_struct */

static void be32_put(uint8_t *p, uint32_t v)
{
	v = htobe32(v);
	memcpy(p, &v, 4);
}

/* Offer an image as boot-fit; true if the card took it. */
static bool boot_fit_taken(const uint8_t *image, size_t size)
{
	struct card *c = card_new(NULL);
	bool taken;

	card_put_boot_fit(c, image, size);
	reg_set(c, R_KMD_MSG, 2);
	taken = reg(c, R_CMD_STATUS) == 1;
	if (!taken) {
		assert_int_equal(reg(c, R_CMD_STATUS), 2);
		assert_int_equal(reg(c, R_ERR0), 0x80000002);
		assert_int_equal(reg(c, R_BOOT_STATUS), 16);
		assert_true(c->guest_errors > 0);
	}
	card_free(c);
	return taken;
}

/* Offer an image as system; true if the card took it. */
static bool fit_taken(const uint8_t *image, size_t size)
{
	struct card *c = card_new(NULL);
	bool taken;

	card_offer_boot_fit(c);
	assert_int_equal(reg(c, R_BOOT_STATUS), 15);
	card_put_fit(c, image, size);
	reg_set(c, R_KMD_MSG, 2);
	taken = reg(c, R_BOOT_STATUS) == 3;
	if (!taken) {
		assert_int_equal(reg(c, R_BOOT_STATUS), 9);
		assert_int_equal(reg(c, R_ERR0), 0x80000002);
		assert_true(c->guest_errors > 0);
	}
	card_free(c);
	return taken;
}

TEST(good_images)
{
	size_t size;
	uint8_t *image = image_read("gaudi-boot-fit.itb", &size);

	assert_int_equal(size % 4, 0);
	assert_true(boot_fit_taken(image, size));
	free(image);
	image = image_read("gaudi-fit.itb", &size);
	assert_int_equal(size % 4, 0);
	assert_true(fit_taken(image, size));
	free(image);
}

TEST(swapped_images)
{
	size_t boot_size, size;
	uint8_t *boot = image_read("gaudi-boot-fit.itb", &boot_size);
	uint8_t *image = image_read("gaudi-fit.itb", &size);

	assert_false(boot_fit_taken(image, size));
	assert_false(fit_taken(boot, boot_size));
	free(boot);
	free(image);
}

TEST(no_image)
{
	uint8_t zeros[64] = { 0 };

	assert_false(boot_fit_taken(zeros, sizeof(zeros)));
	assert_false(fit_taken(zeros, sizeof(zeros)));
}

CARD_TEST(good_after_bad)
{
	reg_set(c, R_KMD_MSG, 2);
	assert_int_equal(reg(c, R_CMD_STATUS), 2);
	reg_set(c, R_KMD_MSG, 0);
	card_boot(c);
}

TEST(header_fields)
{
	static const uint32_t values[] = {
		0, 1, 39, 0x7fffffff, 0x80000000, 0xffffffff, 0x10000,
	};
	size_t size;
	uint8_t *image = image_read("gaudi-fit.itb", &size);
	uint8_t saved[40];

	memcpy(saved, image, sizeof(saved));
	/* All but memory reservation, boot CPU and compatible version. */
	for (unsigned int field = 0; field < 10; field++) {
		if (field == 4 || field == 6 || field == 7)
			continue;
		for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
			be32_put(image + 4 * field, values[i]);
			/* Later versions, and more room behind it, are fine. */
			if ((field == 5 && values[i] >= 39) ||
			    (field == 1 && values[i] == 0x10000))
				continue;
			/* A smaller struct block may still hold all. */
			if (4 * field == SIZE_STRUCT_AT && !values[i])
				continue;
			if (fit_taken(image, size))
				fail_msg("field %u = 0x%x taken", field,
					 values[i]);
			memcpy(image, saved, sizeof(saved));
		}
		memcpy(image, saved, sizeof(saved));
	}
	free(image);
}

static int node(const uint8_t *image, const char *path)
{
	int off = fdt_path_offset(image, path);

	assert_true(off >= 0);
	return off;
}

/* Every single bit of the hashed data is covered. */
TEST(data_bits)
{
	size_t size;
	uint8_t *image = image_read("gaudi-fit.itb", &size);
	const char *const parts[] = { "/images/linux", "/images/board" };

	for (unsigned int p = 0; p < 2; p++) {
		int len;
		const void *data = fdt_getprop(image, node(image, parts[p]),
					       "data", &len);
		size_t at = (size_t)((const uint8_t *)data - image);

		for (int i = 0; i < len; i += 97) {
			image[at + (size_t)i] ^= (uint8_t)(1 << i % 8);
			assert_false(fit_taken(image, size));
			image[at + (size_t)i] ^= (uint8_t)(1 << i % 8);
		}
	}
	assert_true(fit_taken(image, size));
	free(image);
}

TEST(wrong_or_missing_hash)
{
	size_t size;
	uint8_t *image = image_read("gaudi-fit.itb", &size);
	int off;

	off = node(image, "/images/board/hash-1");
	assert_int_equal(fdt_setprop_inplace_u32(image, off, "value", 1), 0);
	assert_false(fit_taken(image, size));
	/* Only hashes that this reader cannot check: not good enough. */
	assert_int_equal(fdt_nop_node(image, off), 0);
	assert_false(fit_taken(image, size));
	free(image);
}

TEST(missing_parts)
{
	static const char *const paths[] = {
		"/images", "/images/linux", "/images/board",
		"/configurations", "/configurations/hl205",
	};
	size_t size;
	uint8_t *image = image_read("gaudi-fit.itb", &size);
	uint8_t *copy = malloc(size);

	assert_non_null(copy);
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		memcpy(copy, image, size);
		assert_int_equal(fdt_nop_node(copy, node(copy, paths[i])), 0);
		assert_false(fit_taken(copy, size));
	}
	free(copy);
	free(image);
}

/* A tree of very many tokens would keep the card busy for minutes. */
TEST(token_flood)
{
	size_t size = 4u << 20;
	uint8_t *image = calloc(1, size);
	size_t off = 56;

	assert_non_null(image);
	be32_put(image, 0xd00dfeed);
	be32_put(image + 4, (uint32_t)size);
	be32_put(image + 8, 56);			/* off_dt_struct */
	be32_put(image + 12, (uint32_t)size - 16);	/* off_dt_strings */
	be32_put(image + 16, 40);			/* off_mem_rsvmap */
	be32_put(image + 20, 17);
	be32_put(image + 24, 16);
	be32_put(image + 32, 16);			/* size_dt_strings */
	be32_put(image + 36, (uint32_t)size - 16 - 56);
	be32_put(image + off, 1);			/* root */
	for (off += 8; off < size - 16 - 8; off += 4)
		be32_put(image + off, 4);		/* NOP */
	be32_put(image + off, 2);
	be32_put(image + off + 4, 9);
	assert_false(boot_fit_taken(image, size));
	free(image);
}

/* Any damage at all: taken or refused, but no sanitizer report. */
TEST(random_damage)
{
	size_t size;
	uint8_t *image = image_read("gaudi-fit.itb", &size);
	uint8_t *copy = malloc(size);
	uint32_t seed = 12345;
	unsigned int refused = 0;

	assert_non_null(copy);
	for (unsigned int round = 0; round < 400; round++) {
		memcpy(copy, image, size);
		for (unsigned int n = 0; n <= round % 7; n++) {
			seed = seed * 1103515245 + 12345;
			copy[(seed >> 8) % size] = (uint8_t)(seed >> 3);
		}
		refused += !fit_taken(copy, size);
	}
	assert_true(refused > 200);
	free(copy);
	free(image);
}
