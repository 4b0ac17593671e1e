// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * FIT images that the driver placed in the card's memory: checks structure and
 * hashes, and finds the parts. Any byte string is safe input. What a board
 * description says is board.c's concern.
 */
#include <libfdt.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "fw.h"

#define FIT_MAX_HASHES		8

/*
 * A tree of the card has some dozens of nodes. libfdt's checks are bounded by
 * tokens times length of the string block: keep both small, as the card waits.
 */
#define FDT_MAX_TOKENS		4096
#define FDT_MAX_STRINGS		(16u << 10)

static int image_error(char *err, size_t err_len, const char *what,
		       const char *name)
{
	snprintf(err, err_len, "%s%s%s", what, name ? " " : "",
		 name ? name : "");
	return -EINVAL;
}

int fw_fdt_check(const void *fdt, size_t size)
{
	unsigned int tokens = 0;
	int rc, next = 0;
	uint32_t tag;

	if (size < sizeof(struct fdt_header))
		return -FDT_ERR_TRUNCATED;
	rc = fdt_check_header(fdt);
	if (rc)
		return rc;
	if (fdt_totalsize(fdt) > size)
		return -FDT_ERR_TRUNCATED;
	if (fdt_size_dt_strings(fdt) > FDT_MAX_STRINGS)
		return -FDT_ERR_NOSPACE;
	do {
		tag = fdt_next_tag(fdt, next, &next);
		if (++tokens > FDT_MAX_TOKENS)
			return -FDT_ERR_NOSPACE;
	} while (tag != FDT_END);
	/* Walks the whole tree: no later access can leave the buffer. */
	return fdt_check_full(fdt, size);
}

/* A property that is a terminated string; NULL: absent or not one. */
static const char *image_string(const void *fit, int node, const char *name)
{
	int len;
	const char *s = fdt_getprop(fit, node, name, &len);

	if (!s || len < 1 || memchr(s, '\0', (size_t)len) != s + len - 1)
		return NULL;
	return s;
}

/*
 * Every crc32 of a part must be right, and there must be one. Hashes of other
 * kinds are for other readers; a bad one comes with a bad crc32.
 */
static int image_check_hashes(const void *fit, int part, const void *data,
			      size_t size, const char *name, char *err,
			      size_t err_len)
{
	unsigned int checked = 0, seen = 0;
	uint32_t crc = (uint32_t)crc32(0, data, (uInt)size);
	int node;

	fdt_for_each_subnode(node, fit, part) {
		const char *node_name = fdt_get_name(fit, node, NULL);
		const char *algo = image_string(fit, node, "algo");
		const fdt32_t *value;
		int len;

		if (!node_name || strncmp(node_name, "hash", 4))
			continue;
		if (++seen > FIT_MAX_HASHES)
			return image_error(err, err_len, "too many hashes on",
					   name);
		if (!algo || strcmp(algo, "crc32"))
			continue;
		value = fdt_getprop(fit, node, "value", &len);
		if (!value || len != sizeof(*value))
			return image_error(err, err_len, "malformed crc32 on",
					   name);
		if (fdt32_ld(value) != crc)
			return image_error(err, err_len, "wrong crc32 on",
					   name);
		checked++;
	}
	if (!checked)
		return image_error(err, err_len, "no crc32 on", name);
	return 0;
}

/* A part of the configuration: its bytes, checked. */
static int image_part(const void *fit, int images, int config, const char *kind,
		      const char *type, const void **data, size_t *size,
		      char *err, size_t err_len)
{
	const char *name = image_string(fit, config, kind);
	const char *value;
	int part, len;

	if (!name)
		return image_error(err, err_len, "the configuration has no",
				   kind);
	part = fdt_subnode_offset(fit, images, name);
	if (part < 0)
		return image_error(err, err_len, "there is no part", name);
	value = image_string(fit, part, "type");
	if (!value || strcmp(value, type))
		return image_error(err, err_len, "wrong type of part", name);
	value = image_string(fit, part, "compression");
	if (value && strcmp(value, "none"))
		return image_error(err, err_len, "compressed part", name);
	*data = fdt_getprop(fit, part, "data", &len);
	if (!*data || len <= 0)
		return image_error(err, err_len, "no data in part", name);
	*size = (size_t)len;
	return image_check_hashes(fit, part, *data, *size, name, err, err_len);
}

static int image_config(const void *fit, char *err, size_t err_len)
{
	int configs = fdt_path_offset(fit, "/configurations");
	const char *name;
	int config;

	if (configs < 0)
		return image_error(err, err_len, "no configurations", NULL);
	name = image_string(fit, configs, "default");
	if (!name)
		return image_error(err, err_len, "no default configuration",
				   NULL);
	config = fdt_subnode_offset(fit, configs, name);
	if (config < 0)
		return image_error(err, err_len, "no configuration", name);
	return config;
}

int fw_image_parse(const void *buf, size_t size, enum fw_image_role role,
		   struct fw_image *image, char *err, size_t err_len)
{
	static const struct {
		const char *kind;
		const char *type;
	} roles[] = {
		[FW_IMAGE_BOOT_FIT] = { "firmware", "firmware" },
		[FW_IMAGE_LINUX] = { "kernel", "kernel" },
	};
	int images, config, rc;

	memset(image, 0, sizeof(*image));
	rc = fw_fdt_check(buf, size);
	if (rc)
		return image_error(err, err_len, "bad structure:",
				   fdt_strerror(rc));
	images = fdt_path_offset(buf, "/images");
	if (images < 0)
		return image_error(err, err_len, "no images", NULL);
	config = image_config(buf, err, err_len);
	if (config < 0)
		return config;
	image->description = image_string(buf, config, "description");
	if (!image->description)
		return image_error(err, err_len,
				   "no version in the configuration", NULL);
	rc = image_part(buf, images, config, roles[role].kind,
			roles[role].type, &image->code, &image->code_len, err,
			err_len);
	if (rc || role == FW_IMAGE_BOOT_FIT)
		return rc;
	return image_part(buf, images, config, "fdt", "flat_dt", &image->dtb,
			  &image->dtb_len, err, err_len);
}
