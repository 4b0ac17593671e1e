// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * The board description: a device tree in the system image, as board/hl205.dts
 * shows. Reads it into struct fw_board; every value is bounds-checked.
 */
#include <libfdt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fw.h"

#define BOARD_COMPATIBLE	"open-gaudi,board"

struct board_reader {
	const void *dtb;
	struct fw_board *board;
	char *err;
	size_t err_len;
};

/* PLL names, and their index in the numbering of firmware with DYN_PLL_EN. */
static const struct {
	const char *name;
	uint8_t fw_index;
} board_plls[FW_NUM_PLLS] = {
	[FW_PLL_CPU] = { "cpu", 0 },
	[FW_PLL_PCI] = { "pci", 1 },
	[FW_PLL_SRAM] = { "sram", 8 },
	[FW_PLL_HBM] = { "hbm", 10 },
	[FW_PLL_NIC] = { "nic", 2 },
	[FW_PLL_DMA] = { "dma", 3 },
	[FW_PLL_MESH] = { "mesh", 4 },
	[FW_PLL_MME] = { "mme", 5 },
	[FW_PLL_TPC] = { "tpc", 6 },
	[FW_PLL_IF] = { "if", 7 },
};

static const struct {
	const char *name;
	uint32_t type;
} board_sensor_types[] = {
	{ "temperature", GAUDI_SENSOR_TEMP },
	{ "voltage", GAUDI_SENSOR_IN },
	{ "current", GAUDI_SENSOR_CURR },
	{ "power", GAUDI_SENSOR_POWER },
	{ "fan", GAUDI_SENSOR_FAN },
	{ "pwm", GAUDI_SENSOR_PWM },
};

static const struct {
	const char *property;
	enum fw_attr attr;
} board_limits[] = {
	{ "min", FW_ATTR_MIN },
	{ "max", FW_ATTR_MAX },
	{ "max-hyst", FW_ATTR_MAX_HYST },
	{ "crit", FW_ATTR_CRIT },
	{ "crit-hyst", FW_ATTR_CRIT_HYST },
	{ "enable", FW_ATTR_ENABLE },
};

int fw_pll_from_fw_index(unsigned int index)
{
	for (unsigned int i = 0; i < FW_NUM_PLLS; i++)
		if (board_plls[i].fw_index == index)
			return (int)i;
	return -1;
}

unsigned int fw_pll_to_fw_index(enum fw_pll_id pll)
{
	return board_plls[pll].fw_index;
}

void fw_board_default(struct fw_board *board)
{
	memset(board, 0, sizeof(*board));
	snprintf(board->card_name, sizeof(board->card_name), "HL205");
	board->card_type = GAUDI_CARD_TYPE_PMC;
	board->max_power_mw = 350000;
	board->idle_power_mw = 62000;
	board->full_power_mw = 300000;
	/* Those of an HLS-1's cards. */
	board->external_ports = BIT(1) | BIT(8) | BIT(9);
	board->num_sensors = 1;
	board->sensors[0] = (struct fw_sensor){
		.type = GAUDI_SENSOR_TEMP,
		.attrs = BIT(FW_ATTR_INPUT),
		.idle = 38000,
		.load = 30000,
		.tau_ms = 8000,
	};
	for (unsigned int i = 0; i < FW_NUM_PLLS; i++)
		board->plls[i] = (struct fw_pll){
			.output_mhz = { 1000, 500, 500, 250 },
			.min_hz = 200000000,
			.max_hz = 2200000000,
			.set_hz = 1000000000,
		};
}

static int board_error(struct board_reader *r, const char *what,
		       const char *name)
{
	snprintf(r->err, r->err_len, "%s %s", what, name);
	return -EINVAL;
}

/* --- properties ---------------------------------------------------------- */

/* Missing properties leave *value alone; malformed ones are an error. */
static int board_u32(struct board_reader *r, int node, const char *name,
		     uint32_t *value)
{
	int len;
	const fdt32_t *p = fdt_getprop(r->dtb, node, name, &len);

	if (!p)
		return 0;
	if (len != sizeof(*p))
		return board_error(r, "not a number:", name);
	*value = fdt32_ld(p);
	return 0;
}

static int board_number(struct board_reader *r, int node, const char *name,
			int64_t *value)
{
	uint32_t word = (uint32_t)*value;
	int rc = board_u32(r, node, name, &word);

	if (!rc && fdt_getprop(r->dtb, node, name, NULL))
		*value = (int32_t)word;
	return rc;
}

static int board_string(struct board_reader *r, int node, const char *name,
			char *value, size_t size)
{
	int len;
	const char *s = fdt_getprop(r->dtb, node, name, &len);

	if (!s)
		return 0;
	if (len < 1 || (size_t)len > size || s[len - 1] ||
	    strlen(s) != (size_t)len - 1)
		return board_error(r, "not a string of that length:", name);
	memset(value, 0, size);
	memcpy(value, s, (size_t)len);
	return 0;
}

/* --- nodes --------------------------------------------------------------- */

static int board_versions(struct board_reader *r, int node)
{
	struct fw_board *b = r->board;

	return board_string(r, node, "kernel", b->kernel_version,
			    sizeof(b->kernel_version)) ?:
	       board_string(r, node, "cpucp", b->cpucp_version,
			    sizeof(b->cpucp_version)) ?:
	       board_string(r, node, "thermal", b->thermal_version,
			    sizeof(b->thermal_version)) ?:
	       board_string(r, node, "fuse", b->fuse_version,
			    sizeof(b->fuse_version)) ?:
	       board_string(r, node, "os", b->os_version,
			    sizeof(b->os_version)) ?:
	       board_u32(r, node, "cpld", &b->cpld_version) ?:
	       board_u32(r, node, "cpld-timestamp", &b->cpld_timestamp) ?:
	       board_u32(r, node, "infineon", &b->infineon_version) ?:
	       board_u32(r, node, "infineon-second-stage",
			 &b->infineon_second_stage_version);
}

static int board_power(struct board_reader *r, int node)
{
	struct fw_board *b = r->board;
	uint32_t max = (uint32_t)b->max_power_mw;
	uint32_t idle = (uint32_t)b->idle_power_mw;
	uint32_t full = (uint32_t)b->full_power_mw;
	int rc = board_u32(r, node, "max-milliwatt", &max) ?:
		 board_u32(r, node, "idle-milliwatt", &idle) ?:
		 board_u32(r, node, "full-milliwatt", &full);

	if (rc)
		return rc;
	/* Else there would be less than nothing left for the engines. */
	if (max <= idle || idle > full)
		return board_error(r, "impossible", "power");
	b->max_power_mw = max;
	b->idle_power_mw = idle;
	b->full_power_mw = full;
	return 0;
}

static int board_sensor(struct board_reader *r, int node)
{
	struct fw_board *b = r->board;
	char type[16] = "";
	struct fw_sensor *s;
	int64_t tau = 1000;
	int rc;

	if (b->num_sensors == FW_MAX_SENSORS)
		return board_error(r, "too many", "sensors");
	rc = board_string(r, node, "type", type, sizeof(type));
	if (rc)
		return rc;
	s = &b->sensors[b->num_sensors];
	memset(s, 0, sizeof(*s));
	for (size_t i = 0; i < ARRAY_SIZE(board_sensor_types); i++)
		if (!strcmp(type, board_sensor_types[i].name))
			s->type = board_sensor_types[i].type;
	if (!s->type)
		return board_error(r, "unknown sensor type", type);
	rc = board_number(r, node, "idle", &s->idle) ?:
	     board_number(r, node, "load", &s->load) ?:
	     board_number(r, node, "tau-ms", &tau);
	s->attrs = BIT(FW_ATTR_INPUT);
	for (size_t i = 0; !rc && i < ARRAY_SIZE(board_limits); i++) {
		const char *name = board_limits[i].property;

		if (!fdt_getprop(r->dtb, node, name, NULL))
			continue;
		s->attrs |= BIT(board_limits[i].attr);
		rc = board_number(r, node, name,
				  &s->limit[board_limits[i].attr]);
	}
	if (rc)
		return rc;
	if (tau < 0 || tau > 3600000)
		return board_error(r, "out of range:", "tau-ms");
	if (fdt_getprop(r->dtb, node, "history", NULL))
		s->attrs |= BIT(FW_ATTR_HIGHEST) | BIT(FW_ATTR_RESET_HISTORY);
	if (s->type == GAUDI_SENSOR_TEMP)
		s->attrs |= BIT(FW_ATTR_OFFSET);
	s->tau_ms = (uint32_t)tau;
	b->num_sensors++;
	return 0;
}

static int board_sensors(struct board_reader *r, int node)
{
	int sub, rc;

	r->board->num_sensors = 0;
	fdt_for_each_subnode(sub, r->dtb, node) {
		rc = board_sensor(r, sub);
		if (rc)
			return rc;
	}
	if (!r->board->num_sensors)
		return board_error(r, "no", "sensors");
	return 0;
}

static int board_pll(struct board_reader *r, int node, struct fw_pll *pll)
{
	uint32_t min = 0, max = 0, out;
	const fdt32_t *p;
	int len, rc;

	p = fdt_getprop(r->dtb, node, "output-mhz", &len);
	if (!p || len != 4 * (int)sizeof(*p))
		return board_error(r, "four numbers wanted:", "output-mhz");
	for (int i = 0; i < 4; i++) {
		out = fdt32_ld(p + i);
		if (out > UINT16_MAX)
			return board_error(r, "too large:", "output-mhz");
		pll->output_mhz[i] = (uint16_t)out;
	}
	rc = board_u32(r, node, "min-mhz", &min) ?:
	     board_u32(r, node, "max-mhz", &max);
	if (rc)
		return rc;
	if (!max || min > max)
		return board_error(r, "impossible range of a", "PLL");
	pll->min_hz = min * 1000000ull;
	pll->max_hz = max * 1000000ull;
	pll->set_hz = pll->output_mhz[0] * 1000000ull;
	if (pll->set_hz > pll->max_hz || pll->set_hz < pll->min_hz)
		return board_error(r, "first output out of range of a", "PLL");
	return 0;
}

static int board_plls_node(struct board_reader *r, int node)
{
	for (unsigned int i = 0; i < FW_NUM_PLLS; i++) {
		int sub = fdt_subnode_offset(r->dtb, node, board_plls[i].name);
		int rc;

		if (sub < 0)
			return board_error(r, "no PLL", board_plls[i].name);
		rc = board_pll(r, sub, &r->board->plls[i]);
		if (rc)
			return rc;
	}
	return 0;
}

/* The numbers of the ports that leave the box. */
static int board_external_ports(struct board_reader *r, int node)
{
	int len;
	const fdt32_t *p = fdt_getprop(r->dtb, node, "external-ports", &len);
	uint16_t ports = 0;

	if (!p)
		return 0;
	for (unsigned int i = 0; i < (unsigned int)len / sizeof(*p); i++) {
		uint32_t port = fdt32_to_cpu(p[i]);

		if (port >= FW_NUM_MACS)
			return board_error(r, "ports are 0 to 9:",
					   "external-ports");
		ports |= (uint16_t)(1u << port);
	}
	if (len % sizeof(*p))
		return board_error(r, "not whole numbers:", "external-ports");
	r->board->external_ports = ports;
	return 0;
}

/* Ten addresses, or the first of ten in a row. */
static int board_nic(struct board_reader *r, int node)
{
	int len, base_len;
	const uint8_t *p = fdt_getprop(r->dtb, node, "mac-addresses", &len);
	const uint8_t *base = fdt_getprop(r->dtb, node, "mac-base", &base_len);
	int rc = board_external_ports(r, node);

	if (rc)
		return rc;
	if (p && len != sizeof(r->board->macs))
		return board_error(r, "one per port wanted:", "mac-addresses");
	if (base && (base_len != 6 || base[5] > 256 - FW_NUM_MACS))
		return board_error(r, "no room for ten from there:",
				   "mac-base");
	if (p)
		memcpy(r->board->macs, p, sizeof(r->board->macs));
	for (unsigned int i = 0; base && i < FW_NUM_MACS; i++) {
		memcpy(r->board->macs[i], base, 6);
		r->board->macs[i][5] += (uint8_t)i;
	}
	return 0;
}

static int board_eeprom(struct board_reader *r, int node)
{
	char text[FW_EEPROM_SIZE] = "";
	int rc = board_string(r, node, "text", text, sizeof(text));

	if (rc)
		return rc;
	memcpy(r->board->eeprom, text, sizeof(text));
	r->board->eeprom_len = (unsigned int)strlen(text);
	return 0;
}

static int board_hbm(struct board_reader *r, int node)
{
	struct fw_board *b = r->board;
	uint32_t pending = 0;
	int len, rc;
	const uint8_t *p = fdt_getprop(r->dtb, node, "replaced-rows", &len);

	rc = board_u32(r, node, "pending-rows", &pending);
	if (rc)
		return rc;
	b->num_pending_rows = pending;
	if (!p)
		return 0;
	if (len < 0 || len % 8 || len > (int)sizeof(b->replaced_rows))
		return board_error(r, "not a list of rows:", "replaced-rows");
	memcpy(b->replaced_rows, p, (size_t)len);
	b->num_replaced_rows = (unsigned int)len / 8;
	return 0;
}

static int board_i2c(struct board_reader *r, int node)
{
	struct fw_board *b = r->board;
	int sub, len;

	fdt_for_each_subnode(sub, r->dtb, node) {
		struct fw_i2c_device *d = &b->i2c[b->num_i2c];
		const fdt32_t *reg = fdt_getprop(r->dtb, sub, "reg", &len);
		const void *data;

		if (b->num_i2c == FW_MAX_I2C)
			return board_error(r, "too many", "I2C devices");
		if (!reg || len != 2 * (int)sizeof(*reg))
			return board_error(r, "bus and address wanted:", "reg");
		memset(d, 0, sizeof(*d));
		d->bus = (uint8_t)fdt32_ld(reg);
		d->addr = (uint8_t)fdt32_ld(reg + 1);
		d->read_only = !!fdt_getprop(r->dtb, sub, "read-only", NULL);
		data = fdt_getprop(r->dtb, sub, "data", &len);
		if (data && len > (int)sizeof(d->regs))
			return board_error(r, "more than 256 registers:",
					   "data");
		if (data)
			memcpy(d->regs, data, (size_t)len);
		b->num_i2c++;
	}
	return 0;
}

static int board_root(struct board_reader *r, int node)
{
	struct fw_board *b = r->board;
	char type[8] = "";
	int rc;

	rc = board_string(r, node, "model", b->card_name,
			  sizeof(b->card_name)) ?:
	     board_string(r, node, "serial-number", b->serial,
			  sizeof(b->serial)) ?:
	     board_string(r, node, "card-type", type, sizeof(type));
	if (rc || !type[0])
		return rc;
	if (!strcmp(type, "pmc"))
		b->card_type = GAUDI_CARD_TYPE_PMC;
	else if (!strcmp(type, "pci"))
		b->card_type = GAUDI_CARD_TYPE_PCI;
	else
		return board_error(r, "unknown card type", type);
	return 0;
}

static const struct {
	const char *name;
	int (*read)(struct board_reader *r, int node);
} board_nodes[] = {
	{ "versions", board_versions },
	{ "power", board_power },
	{ "sensors", board_sensors },
	{ "plls", board_plls_node },
	{ "nic", board_nic },
	{ "eeprom", board_eeprom },
	{ "hbm", board_hbm },
	{ "i2c", board_i2c },
};

/* all: every node must be there; else those that are. */
static int board_read(struct board_reader *r, int root, bool all)
{
	int rc = board_root(r, root);

	for (size_t i = 0; !rc && i < ARRAY_SIZE(board_nodes); i++) {
		const char *name = board_nodes[i].name;
		int node = fdt_subnode_offset(r->dtb, root, name);

		if (node >= 0)
			rc = board_nodes[i].read(r, node);
		else if (all)
			rc = board_error(r, "no node", name);
	}
	return rc;
}

int fw_board_override(const void *dtb, int node, struct fw_board *board,
		      char *err, size_t err_len)
{
	struct board_reader r = { dtb, board, err, err_len };

	return board_read(&r, node, false);
}

int fw_board_parse(const void *dtb, size_t size, struct fw_board *board,
		   char *err, size_t err_len)
{
	struct board_reader r = { dtb, NULL, err, err_len };
	void *aligned;
	int rc;

	/* Inside a FIT it may stand at any multiple of four. */
	aligned = malloc(size ? size : 1);
	r.board = malloc(sizeof(*board));
	if (!aligned || !r.board) {
		rc = board_error(&r, "no", "memory");
		goto out;
	}
	memcpy(aligned, dtb, size);
	r.dtb = aligned;
	rc = fw_fdt_check(aligned, size);
	if (rc) {
		rc = board_error(&r, "bad structure:", fdt_strerror(rc));
		goto out;
	}
	if (fdt_node_check_compatible(aligned, 0, BOARD_COMPATIBLE)) {
		rc = board_error(&r, "not compatible with", BOARD_COMPATIBLE);
		goto out;
	}
	fw_board_default(r.board);
	rc = board_read(&r, 0, true);
	if (!rc)
		*board = *r.board;
out:
	free(r.board);
	free(aligned);
	return rc;
}
