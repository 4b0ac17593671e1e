// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * The commands of the embedded CPU, one handler each, and the table of them.
 *
 * Source: include/linux/habanalabs/cpucp_if.h, Linux 6.12, and what mainline's
 * driver sends a Gaudi (facts).
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "fw.h"

#define NIC_MAX			128
#define NUM_LEDS		3
#define NIC_INFO_SIZE		2232	/* struct cpucp_nic_info */
#define NIC_INFO_LINK_MASK	768
#define NIC_INFO_EXT_MASK	912
#define NIC_INFO_SERDES_TYPE	1968
#define NIC_INFO_SERDES_HLS1	2
#define NIC_INFO_SWAP_MAP	1970
#define ROWS_INFO_SIZE		264	/* count, padding, 32 rows of 8 */

/*
 * Write a reply buffer, at most what the driver has room for. The result tells
 * how much there was.
 */
static int reply_buffer(struct gaudi_fw *fw, struct fw_command *cmd,
			const void *data, size_t size)
{
	uint64_t addr = fw_cpu_to_device(fw, cmd->pkt.addr);

	if (!addr || !cmd->pkt.data_max_size)
		return GAUDI_CPUCP_RC_INVALID_PARAMS;
	if (size > cmd->pkt.data_max_size)
		size = cmd->pkt.data_max_size;
	if (fw->bus.mem_write(fw->opaque, addr, data, size))
		return GAUDI_CPUCP_RC_FAULT;
	cmd->pkt.result = size;
	return 0;
}

static int cmd_test(struct gaudi_fw *fw, struct fw_command *cmd)
{
	/* The result overlays the value: an echo. */
	(void)cmd;
	fw_sensors_update(fw);
	return 0;
}

/*
 * May the CPU reach the host? Commands, which lie there, are answered in any
 * case, and what becomes of events meanwhile is not published: they are sent.
 */
static int cmd_pci_access(struct gaudi_fw *fw, struct fw_command *cmd)
{
	(void)fw;
	(void)cmd;
	return 0;
}

static int cmd_info_get(struct gaudi_fw *fw, struct fw_command *cmd)
{
	const struct fw_board *b = &fw->board;
	struct gaudi_cpucp_info info;

	memset(&info, 0, sizeof(info));
	for (unsigned int i = 0; i < b->num_sensors; i++) {
		info.sensors[i].type = b->sensors[i].type;
		info.sensors[i].flags = fw_sensor_flags(fw, &b->sensors[i]);
	}
	memcpy(info.kernel_version, b->kernel_version,
	       sizeof(info.kernel_version));
	info.card_type = b->card_type;
	info.card_location = fw->config.module_id;
	info.cpld_version = b->cpld_version;
	info.infineon_version = b->infineon_version;
	memcpy(info.fuse_version, b->fuse_version, sizeof(info.fuse_version));
	memcpy(info.thermal_version, b->thermal_version,
	       sizeof(info.thermal_version));
	memcpy(info.cpucp_version, b->cpucp_version,
	       sizeof(info.cpucp_version));
	info.infineon_second_stage_version = b->infineon_second_stage_version;
	info.dram_size = fw->config.hbm_size;
	memcpy(info.card_name, b->card_name, sizeof(info.card_name));
	info.cpld_timestamp = b->cpld_timestamp;
	for (unsigned int i = 0; i < FW_NUM_PLLS; i++) {
		unsigned int n = fw_pll_to_fw_index(i);

		info.pll_map[n / 8] |= (uint8_t)(1u << n % 8);
	}
	memcpy(info.fw_os_version, b->os_version, sizeof(info.fw_os_version));
	return reply_buffer(fw, cmd, &info, sizeof(info));
}

/* --- sensors ------------------------------------------------------------- */

static uint32_t sensor_type_of(unsigned int opcode)
{
	switch (opcode) {
	case GAUDI_CPUCP_TEMPERATURE_GET:
	case GAUDI_CPUCP_TEMPERATURE_SET:
		return GAUDI_SENSOR_TEMP;
	case GAUDI_CPUCP_VOLTAGE_GET:
	case GAUDI_CPUCP_VOLTAGE_SET:
		return GAUDI_SENSOR_IN;
	case GAUDI_CPUCP_CURRENT_GET:
	case GAUDI_CPUCP_CURRENT_SET:
		return GAUDI_SENSOR_CURR;
	case GAUDI_CPUCP_FAN_SPEED_GET:
		return GAUDI_SENSOR_FAN;
	case GAUDI_CPUCP_PWM_GET:
	case GAUDI_CPUCP_PWM_SET:
		return GAUDI_SENSOR_PWM;
	default:
		return GAUDI_SENSOR_POWER;
	}
}

static struct fw_sensor *sensor_of(struct gaudi_fw *fw,
				   const struct fw_command *cmd, int *attr)
{
	unsigned int opcode = FIELD_GET(GAUDI_CPUCP_CTL_OPCODE, cmd->pkt.ctl);
	uint32_t type = sensor_type_of(opcode);

	*attr = fw_sensor_attr(fw, type, cmd->pkt.type);
	if (*attr < 0)
		return NULL;
	return fw_sensor_find(fw, type, cmd->pkt.sensor_index);
}

static int cmd_sensor_get(struct gaudi_fw *fw, struct fw_command *cmd)
{
	struct fw_sensor *s;
	int64_t value;
	int attr;

	fw_sensors_update(fw);
	s = sensor_of(fw, cmd, &attr);
	if (!s || fw_sensor_read(fw, s, (enum fw_attr)attr, &value))
		return GAUDI_CPUCP_RC_INVALID_PARAMS;
	cmd->pkt.result = (uint64_t)value;
	return 0;
}

static int cmd_sensor_set(struct gaudi_fw *fw, struct fw_command *cmd)
{
	struct fw_sensor *s;
	int attr;

	fw_sensors_update(fw);
	s = sensor_of(fw, cmd, &attr);
	if (!s || fw_sensor_write(fw, s, (enum fw_attr)attr,
				  (int64_t)cmd->pkt.value))
		return GAUDI_CPUCP_RC_INVALID_PARAMS;
	fw_throttle_update(fw);
	return 0;
}

/*
 * The INFO ioctl asks for the card's power with the firmware's number of the
 * input attribute whatever the numbering; the first Gaudi's driver also resets
 * the history through this command.
 */
static int cmd_power_get(struct gaudi_fw *fw, struct fw_command *cmd)
{
	int attr = fw_sensor_attr(fw, GAUDI_SENSOR_POWER, cmd->pkt.type);

	if (attr == FW_ATTR_RESET_HISTORY)
		return cmd_sensor_set(fw, cmd);
	if (attr == FW_ATTR_HIGHEST)
		return cmd_sensor_get(fw, cmd);
	if (attr != FW_ATTR_INPUT && cmd->pkt.type != 8)
		return GAUDI_CPUCP_RC_INVALID_PARAMS;
	if (cmd->pkt.sensor_index &&
	    !fw_sensor_find(fw, GAUDI_SENSOR_POWER, cmd->pkt.sensor_index))
		return GAUDI_CPUCP_RC_INVALID_PARAMS;
	if (cmd->pkt.sensor_index)
		return cmd_sensor_get(fw, cmd);
	fw_sensors_update(fw);
	cmd->pkt.result = fw_power_mw(fw);
	return 0;
}

/* --- power, energy, clocks ----------------------------------------------- */

static int cmd_max_power_get(struct gaudi_fw *fw, struct fw_command *cmd)
{
	cmd->pkt.result = fw->meter.limit_mw;
	return 0;
}

static int cmd_max_power_set(struct gaudi_fw *fw, struct fw_command *cmd)
{
	uint64_t max = fw->board.max_power_mw;

	/*
	 * The regulator lets nobody draw more than the card can stand. Less than
	 * the card needs when it idles is a limit that it never keeps.
	 */
	fw_sensors_update(fw);
	fw->meter.limit_mw = cmd->pkt.value < max ? cmd->pkt.value : max;
	fw_throttle_update(fw);
	return 0;
}

static int cmd_energy_get(struct gaudi_fw *fw, struct fw_command *cmd)
{
	fw_sensors_update(fw);
	cmd->pkt.result = fw->meter.energy_mj;
	return 0;
}

static int pll_of(struct gaudi_fw *fw, uint32_t index)
{
	if (fw->sts0 & GAUDI_BOOT_STS0_DYN_PLL_EN)
		return fw_pll_from_fw_index(index);
	return index < FW_NUM_PLLS ? (int)index : -1;
}

static int cmd_frequency_set(struct gaudi_fw *fw, struct fw_command *cmd)
{
	int n = pll_of(fw, cmd->pkt.pll_index);
	uint64_t hz = cmd->pkt.value;
	struct fw_pll *pll;

	if (n < 0)
		return GAUDI_CPUCP_RC_INVALID_PARAMS;
	pll = &fw->board.plls[n];
	if (hz < pll->min_hz)
		hz = pll->min_hz;
	if (hz > pll->max_hz)
		hz = pll->max_hz;
	/* What was drawn so far was drawn at the old clock. */
	fw_sensors_update(fw);
	pll->set_hz = hz;
	fw_throttle_update(fw);
	return 0;
}

static int cmd_frequency_get(struct gaudi_fw *fw, struct fw_command *cmd)
{
	int n = pll_of(fw, cmd->pkt.pll_index);

	if (n < 0)
		return GAUDI_CPUCP_RC_INVALID_PARAMS;
	cmd->pkt.result = fw->board.plls[n].set_hz;
	return 0;
}

static int cmd_frequency_curr_get(struct gaudi_fw *fw, struct fw_command *cmd)
{
	int n = pll_of(fw, cmd->pkt.pll_index);

	if (n < 0)
		return GAUDI_CPUCP_RC_INVALID_PARAMS;
	fw_sensors_update(fw);
	cmd->pkt.result = fw_pll_current_hz(fw, (enum fw_pll_id)n);
	return 0;
}

static int cmd_pll_info_get(struct gaudi_fw *fw, struct fw_command *cmd)
{
	int n = pll_of(fw, cmd->pkt.pll_type);
	uint64_t packed = 0, hz, nominal;
	const uint16_t *mhz;

	if (n < 0)
		return GAUDI_CPUCP_RC_INVALID_PARAMS;
	/* All outputs are dividers of one oscillator: they move together. */
	fw_sensors_update(fw);
	hz = fw_pll_current_hz(fw, (enum fw_pll_id)n);
	mhz = fw->board.plls[n].output_mhz;
	nominal = mhz[0] * 1000000ull;
	for (unsigned int i = 0; i < 4 && nominal; i++) {
		uint64_t now = mhz[i] * hz / nominal;

		packed |= (now < 0xffff ? now : 0xffff) << 16 * i;
	}
	cmd->pkt.result = packed;
	return 0;
}

/* --- PCIe ---------------------------------------------------------------- */

/* Index 0: sent, 1: received. */
static int cmd_pcie_throughput_get(struct gaudi_fw *fw, struct fw_command *cmd)
{
	if (cmd->pkt.index > 1)
		return GAUDI_CPUCP_RC_INVALID_PARAMS;
	cmd->pkt.result = fw_pcie_kbps(fw, !cmd->pkt.index);
	return 0;
}

static int cmd_pcie_replay_get(struct gaudi_fw *fw, struct fw_command *cmd)
{
	/* No wire, no bit errors: nothing was ever sent twice. */
	(void)fw;
	cmd->pkt.result = 0;
	return 0;
}

/* --- board --------------------------------------------------------------- */

static int cmd_eeprom_get(struct gaudi_fw *fw, struct fw_command *cmd)
{
	if (!fw->board.eeprom_len)
		return GAUDI_CPUCP_RC_FAULT;
	return reply_buffer(fw, cmd, fw->board.eeprom, fw->board.eeprom_len);
}

/* Off, on or blinking: there is nobody to see it. */
static int cmd_led_set(struct gaudi_fw *fw, struct fw_command *cmd)
{
	(void)fw;
	if (cmd->pkt.led_index >= NUM_LEDS || cmd->pkt.value > 2)
		return GAUDI_CPUCP_RC_INVALID_PARAMS;
	return 0;
}

static struct fw_i2c_device *i2c_of(struct gaudi_fw *fw,
				    const struct fw_command *cmd)
{
	for (unsigned int i = 0; i < fw->board.num_i2c; i++) {
		struct fw_i2c_device *d = &fw->board.i2c[i];

		if (d->bus == cmd->pkt.i2c_bus && d->addr == cmd->pkt.i2c_addr)
			return d;
	}
	return NULL;
}

/* Length 0 is the old one-byte form. */
static unsigned int i2c_len(const struct fw_command *cmd)
{
	return cmd->pkt.i2c_len ? cmd->pkt.i2c_len : 1;
}

static int cmd_i2c_read(struct gaudi_fw *fw, struct fw_command *cmd)
{
	const struct fw_i2c_device *d = i2c_of(fw, cmd);
	uint64_t value = 0;

	if (i2c_len(cmd) > 8)
		return GAUDI_CPUCP_RC_INVALID_PARAMS;
	if (!d)
		return GAUDI_CPUCP_RC_FAULT;	/* nobody acknowledged */
	for (unsigned int i = 0; i < i2c_len(cmd); i++)
		value |= (uint64_t)d->regs[(uint8_t)(cmd->pkt.i2c_reg + i)]
			 << 8 * i;
	cmd->pkt.result = value;
	return 0;
}

static int cmd_i2c_write(struct gaudi_fw *fw, struct fw_command *cmd)
{
	struct fw_i2c_device *d = i2c_of(fw, cmd);

	if (i2c_len(cmd) > 8)
		return GAUDI_CPUCP_RC_INVALID_PARAMS;
	if (!d || d->read_only)
		return GAUDI_CPUCP_RC_FAULT;
	for (unsigned int i = 0; i < i2c_len(cmd); i++)
		d->regs[(uint8_t)(cmd->pkt.i2c_reg + i)] =
			(uint8_t)(cmd->pkt.value >> 8 * i);
	return 0;
}

static void put_mask(uint8_t *info, unsigned int offset, uint64_t mask)
{
	mask = htole64(mask);
	memcpy(info + offset, &mask, sizeof(mask));
}

/* Addresses, wires and lanes of the ports. */
static int cmd_nic_info_get(struct gaudi_fw *fw, struct fw_command *cmd)
{
	uint8_t info[NIC_INFO_SIZE] = { 0 };
	uint16_t serdes = htole16(NIC_INFO_SERDES_HLS1);

	for (unsigned int i = 0; i < FW_NUM_MACS; i++) {
		const uint8_t *mac = fw->bus.port_mac ?
			fw->bus.port_mac(fw->opaque, i) : NULL;

		memcpy(info + 6 * i, mac ? mac : fw->board.macs[i], 6);
	}
	if (fw->bus.wired_ports)
		put_mask(info, NIC_INFO_LINK_MASK,
			 fw->bus.wired_ports(fw->opaque));
	put_mask(info, NIC_INFO_EXT_MASK, fw->board.external_ports);
	memcpy(info + NIC_INFO_SERDES_TYPE, &serdes, sizeof(serdes));
	for (unsigned int i = 0; i < NIC_MAX; i++) {
		uint16_t lane = htole16(i < FW_NUM_MACS ? 0x3210 : 0);

		memcpy(info + NIC_INFO_SWAP_MAP + 2 * i, &lane, sizeof(lane));
	}
	return reply_buffer(fw, cmd, info, sizeof(info));
}

/* Count first, then rows; a driver with less room learns the count. */
static int cmd_replaced_rows_get(struct gaudi_fw *fw, struct fw_command *cmd)
{
	struct fw_hbm_row rows[FW_MAX_ROWS] = { 0 };
	uint8_t info[ROWS_INFO_SIZE] = { 0 };

	info[0] = (uint8_t)fw_rows_replaced(fw, rows);
	memcpy(info + 8, rows, sizeof(rows));
	return reply_buffer(fw, cmd, info, sizeof(info));
}

static int cmd_pending_rows_get(struct gaudi_fw *fw, struct fw_command *cmd)
{
	cmd->pkt.result = fw_rows_pending(fw);
	return 0;
}

/* --- events -------------------------------------------------------------- */

static int cmd_unmask(struct gaudi_fw *fw, struct fw_command *cmd)
{
	if (cmd->pkt.value >= GAUDI_NUM_EVENTS ||
	    fw_events_unmask(fw, (uint32_t)cmd->pkt.value))
		return GAUDI_CPUCP_RC_INVALID_PARAMS;
	return 0;
}

static int cmd_unmask_array(struct gaudi_fw *fw, struct fw_command *cmd)
{
	uint32_t n, event;

	if (cmd->extra_len < sizeof(n))
		return GAUDI_CPUCP_RC_INVALID_PARAMS;
	memcpy(&n, cmd->extra, sizeof(n));
	if (n > (cmd->extra_len - sizeof(n)) / sizeof(event))
		return GAUDI_CPUCP_RC_INVALID_PARAMS;
	for (uint32_t i = 0; i < n; i++) {
		memcpy(&event, cmd->extra + 4 + 4 * i, sizeof(event));
		if (fw_events_unmask(fw, event))
			return GAUDI_CPUCP_RC_INVALID_PARAMS;
	}
	return 0;
}

/* --- dumps --------------------------------------------------------------- */

/* Monitors of the four sync managers: five arrays of 512 words each. */
static int cmd_monitor_dump_get(struct gaudi_fw *fw, struct fw_command *cmd)
{
	static const uint32_t blocks[] = {
		GAUDI_SYNC_MNGR_W_S_BASE, GAUDI_SYNC_MNGR_E_S_BASE,
		GAUDI_SYNC_MNGR_W_N_BASE, GAUDI_SYNC_MNGR_E_N_BASE,
	};
	static const uint32_t arrays[] = {
		0x4000, 0x4800, 0x5000, 0x5800, 0x6000,
	};
	uint64_t addr = fw_cpu_to_device(fw, cmd->pkt.addr);
	uint32_t words[512];
	uint64_t done = 0;

	if (!addr ||
	    cmd->pkt.data_max_size < ARRAY_SIZE(blocks) * ARRAY_SIZE(arrays) *
				     sizeof(words))
		return GAUDI_CPUCP_RC_INVALID_PARAMS;
	for (size_t b = 0; b < ARRAY_SIZE(blocks); b++) {
		for (size_t a = 0; a < ARRAY_SIZE(arrays); a++) {
			uint32_t base = blocks[b] + arrays[a];

			for (uint32_t i = 0; i < ARRAY_SIZE(words); i++)
				words[i] = fw->bus.reg_read(fw->opaque,
							    base + 4 * i);
			if (fw->bus.mem_write(fw->opaque, addr + done, words,
					      sizeof(words)))
				return GAUDI_CPUCP_RC_FAULT;
			done += sizeof(words);
		}
	}
	cmd->pkt.result = done;
	return 0;
}

/* Sub-index 0: versions, here one "name: text" per line. */
static int cmd_passthrough(struct gaudi_fw *fw, struct fw_command *cmd)
{
	const struct fw_board *b = &fw->board;
	char text[1024];
	int len;

	if (cmd->pkt.pkt_subidx)
		return GAUDI_CPUCP_RC_INVALID_PARAMS;
	len = snprintf(text, sizeof(text),
		       "kernel: %s\ncpucp: %s\nthermal: %s\nfuse: %s\n"
		       "os: %s\ncpld: 0x%08x\ninfineon: 0x%02x\nserial: %s\n",
		       b->kernel_version, b->cpucp_version, b->thermal_version,
		       b->fuse_version, b->os_version, b->cpld_version,
		       b->infineon_version, b->serial);
	return reply_buffer(fw, cmd, text, (size_t)len + 1);
}

/*
 * Attestation needs a security processor, which only the secured variant of
 * the card has: the answer is the one of a card without it.
 */
static int cmd_no_security(struct gaudi_fw *fw, struct fw_command *cmd)
{
	(void)fw;
	(void)cmd;
	return GAUDI_CPUCP_RC_INVALID_PKT;
}

#define COMMAND(name, handler) \
	{ GAUDI_CPUCP_##name, #name, handler, \
	  sizeof(struct gaudi_cpucp_packet), GAUDI_FW_EXACT }
/* Answered well, but nothing comes of it. */
#define COMMAND_IN_PART(name, handler) \
	{ GAUDI_CPUCP_##name, #name, handler, \
	  sizeof(struct gaudi_cpucp_packet), GAUDI_FW_APPROXIMATE }
#define COMMAND_ARRAY(name, handler) \
	{ GAUDI_CPUCP_##name, #name, handler, \
	  sizeof(struct gaudi_cpucp_packet) + 8, GAUDI_FW_EXACT }

/* Known by name, and refused: no driver of this chip sends it. */
#define COMMAND_REFUSED(opcode, name) \
	{ opcode, name, NULL, sizeof(struct gaudi_cpucp_packet), \
	  GAUDI_FW_MISSING }

static const struct fw_command_desc commands[] = {
	COMMAND_IN_PART(DISABLE_PCI_ACCESS, cmd_pci_access),
	COMMAND_IN_PART(ENABLE_PCI_ACCESS, cmd_pci_access),
	COMMAND(TEMPERATURE_GET, cmd_sensor_get),
	COMMAND(VOLTAGE_GET, cmd_sensor_get),
	COMMAND(CURRENT_GET, cmd_sensor_get),
	COMMAND(FAN_SPEED_GET, cmd_sensor_get),
	COMMAND(PWM_GET, cmd_sensor_get),
	COMMAND(PWM_SET, cmd_sensor_set),
	COMMAND(FREQUENCY_SET, cmd_frequency_set),
	COMMAND(FREQUENCY_GET, cmd_frequency_get),
	COMMAND_IN_PART(LED_SET, cmd_led_set),
	COMMAND(I2C_WR, cmd_i2c_write),
	COMMAND(I2C_RD, cmd_i2c_read),
	COMMAND(INFO_GET, cmd_info_get),
	COMMAND(UNMASK_RAZWI_IRQ, cmd_unmask),
	COMMAND_ARRAY(UNMASK_RAZWI_IRQ_ARRAY, cmd_unmask_array),
	COMMAND(TEST, cmd_test),
	COMMAND(FREQUENCY_CURR_GET, cmd_frequency_curr_get),
	COMMAND(MAX_POWER_GET, cmd_max_power_get),
	COMMAND(MAX_POWER_SET, cmd_max_power_set),
	COMMAND(EEPROM_DATA_GET, cmd_eeprom_get),
	COMMAND(NIC_INFO_GET, cmd_nic_info_get),
	COMMAND(TEMPERATURE_SET, cmd_sensor_set),
	COMMAND(VOLTAGE_SET, cmd_sensor_set),
	COMMAND(CURRENT_SET, cmd_sensor_set),
	COMMAND(PCIE_THROUGHPUT_GET, cmd_pcie_throughput_get),
	COMMAND(PCIE_REPLAY_CNT_GET, cmd_pcie_replay_get),
	COMMAND(TOTAL_ENERGY_GET, cmd_energy_get),
	COMMAND(PLL_INFO_GET, cmd_pll_info_get),
	COMMAND_REFUSED(GAUDI_CPUCP_NIC_STATUS, "NIC_STATUS"),
	COMMAND(POWER_GET, cmd_power_get),
	COMMAND(HBM_REPLACED_ROWS_INFO_GET, cmd_replaced_rows_get),
	COMMAND(HBM_PENDING_ROWS_STATUS, cmd_pending_rows_get),
	COMMAND(POWER_SET, cmd_sensor_set),
	COMMAND(SEC_ATTEST_GET, cmd_no_security),
	COMMAND(INFO_SIGNED_GET, cmd_no_security),
	COMMAND(MONITOR_DUMP_GET, cmd_monitor_dump_get),
	COMMAND(GENERIC_PASSTHROUGH, cmd_passthrough),
	COMMAND_REFUSED(0x21, "NIC_PFC_SET"),
	COMMAND_REFUSED(0x22, "NIC_FAULT_GET"),
	COMMAND_REFUSED(0x23, "NIC_LPBK_SET"),
	COMMAND_REFUSED(0x24, "NIC_MAC_CFG"),
	COMMAND_REFUSED(0x25, "MSI_INFO_SET"),
	COMMAND_REFUSED(0x26, "NIC_XPCS91_REGS_GET"),
	COMMAND_REFUSED(0x27, "NIC_STAT_REGS_GET"),
	COMMAND_REFUSED(0x28, "NIC_STAT_REGS_CLR"),
	COMMAND_REFUSED(0x29, "NIC_STAT_REGS_ALL_GET"),
	COMMAND_REFUSED(0x2a, "IS_IDLE_CHECK"),
	COMMAND_REFUSED(0x2f, "ENGINE_CORE_ASID_SET"),
	COMMAND_REFUSED(0x3a, "ACTIVE_STATUS_SET"),
	COMMAND_REFUSED(0x40, "SOFT_RESET"),
	COMMAND_REFUSED(0x41, "INTS_REGISTER"),
};

const struct fw_command_desc *fw_command_find(unsigned int opcode)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (commands[i].opcode == opcode)
			return &commands[i];
	return NULL;
}
