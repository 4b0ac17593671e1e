// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * CPU_IF and GIC: the registers through which driver and engines talk to the
 * embedded CPU, and the bus that its firmware sees.
 *
 * Not here: what firmware does; that is firmware-stub/.
 */
#include <stdlib.h>

#include "soc_state.h"
#include "../bus/bus.h"
#include "../../../firmware-stub/gaudi_fw_stub.h"
#include "../../../uapi/hw/regs/gaudi_cpu_if_regs.h"
#include "../../../uapi/hw/regs/gaudi_psoc_regs.h"

static const struct gaudi_txn cpu_txn = {
	.initiator = GAUDI_INIT_CPU,
	.secure = true,
	.bypass = true,
};

/* --- the bus of the firmware ------------------------------------------------ */

static uint32_t fw_reg_read(void *opaque, uint32_t cfg_off)
{
	return gaudi_reg_read(opaque, cfg_off, &cpu_txn);
}

/* Registers through which it is itself called are plain memory to it. */
static bool is_mailbox(uint32_t cfg_off)
{
	uint32_t page = cfg_off & ~(GAUDI_PAGE_SIZE - 1);

	return page == GAUDI_PSOC_GLOBAL_CONF_BASE || page == GAUDI_CPU_IF_BASE;
}

static void fw_reg_write(void *opaque, uint32_t cfg_off, uint32_t value)
{
	if (is_mailbox(cfg_off))
		gaudi_store_write(opaque, cfg_off, value);
	else
		gaudi_reg_write(opaque, cfg_off, value, &cpu_txn);
}

static int fw_mem_read(void *opaque, uint64_t addr, void *buf, size_t len)
{
	return gaudi_bus_read(opaque, &cpu_txn, addr, buf, len);
}

static int fw_mem_write(void *opaque, uint64_t addr, const void *buf,
			size_t len)
{
	return gaudi_bus_write(opaque, &cpu_txn, addr, buf, len);
}

static void fw_msi(void *opaque)
{
	gaudi_msi_pend(opaque, 0);
}

static uint64_t fw_now_ns(void *opaque)
{
	return gaudi_now_ns(opaque);
}

static void fw_timer_fn(struct gaudi_chip *chip, void *arg)
{
	(void)arg;
	gaudi_fw_timer(chip->soc->cpu.fw);
}

static void fw_timer(void *opaque, uint64_t deadline_ns)
{
	struct gaudi_chip *chip = opaque;
	uint64_t now = gaudi_now_ns(chip);

	gaudi_timer_cancel(chip, &chip->soc->cpu.timer);
	if (deadline_ns != UINT64_MAX)
		gaudi_timer_arm(chip, &chip->soc->cpu.timer,
				deadline_ns > now ? deadline_ns - now : 0);
}

static void fw_reset_card(void *opaque, const char *why)
{
	gaudi_hard_reset_pend(opaque, why);
}

static uint64_t fw_busy_ns(void *opaque)
{
	const struct gaudi_chip *chip = opaque;

	return __atomic_load_n(&chip->busy_ns, __ATOMIC_RELAXED);
}

static uint64_t fw_pcie_bytes(void *opaque, bool tx)
{
	const struct gaudi_chip *chip = opaque;

	return __atomic_load_n(tx ? &chip->host_written : &chip->host_read,
			       __ATOMIC_RELAXED);
}

static void fw_log(void *opaque, bool guest_error, const char *line)
{
	gaudi_log(opaque, guest_error ? GAUDI_LOG_GUEST_ERROR : GAUDI_LOG_INFO,
		  "firmware: %s", line);
}

static void fw_used(void *opaque, const char *command,
		    enum gaudi_fw_fidelity how)
{
	static const enum gaudi_fidelity fidelity[] = {
		[GAUDI_FW_EXACT] = GAUDI_EXACT,
		[GAUDI_FW_APPROXIMATE] = GAUDI_APPROXIMATE,
		[GAUDI_FW_MISSING] = GAUDI_UNIMPLEMENTED,
	};

	gaudi_report_use(opaque, "command", command, fidelity[how]);
}

static void fw_event(void *opaque, unsigned int event_id)
{
	gaudi_trace(opaque, GAUDI_TRACE_EVENT, 0, 0, event_id, 0);
}

static void fw_struck(void *opaque, unsigned int what, unsigned int command)
{
	struct gaudi_chip *chip = opaque;

	if (chip->fault_hooks)
		chip->fault_hooks->firmware(chip, what, command);
}

static uint32_t fw_wired_ports(void *opaque)
{
	const struct gaudi_chip *chip = opaque;

	return chip->wired_ports;
}

static const uint8_t *fw_port_mac(void *opaque, unsigned int port)
{
	static const uint8_t none[6];
	const struct gaudi_chip *chip = opaque;

	return memcmp(chip->port_mac[port], none, sizeof(none)) ?
		       chip->port_mac[port] : NULL;
}

static const struct gaudi_fw_bus fw_bus = {
	.reg_read = fw_reg_read,
	.reg_write = fw_reg_write,
	.mem_read = fw_mem_read,
	.mem_write = fw_mem_write,
	.msi = fw_msi,
	.now_ns = fw_now_ns,
	.timer = fw_timer,
	.reset_card = fw_reset_card,
	.busy_ns = fw_busy_ns,
	.log = fw_log,
	.used = fw_used,
	.event = fw_event,
	.struck = fw_struck,
	.pcie_bytes = fw_pcie_bytes,
	.wired_ports = fw_wired_ports,
	.port_mac = fw_port_mac,
};

static void spi_rings(struct gaudi_chip *chip, uint32_t spi)
{
	gaudi_fw_spi(chip->soc->cpu.fw, spi);
}

/* --- life cycle -------------------------------------------------------------- */

int gaudi_soc_init(struct gaudi_chip *chip)
{
	const struct gaudi_fw_config config = {
		.hbm_size = chip->config.hbm_size,
		.module_id = chip->config.module_id,
		.serial = chip->config.serial,
		.boot_dev_sts0 = chip->config.boot_dev_sts0,
		.boot_delay_ms = chip->config.boot_delay_ms,
		.flash_boot = chip->config.flash_boot,
		.comms = chip->config.comms,
		.profile = chip->config.profile,
		.profile_size = chip->config.profile_size,
		.slot = chip->config.slot,
	};

	chip->soc = calloc(1, sizeof(*chip->soc));
	if (!chip->soc)
		return -ENOMEM;
	chip->spi = spi_rings;
	chip->soc->cpu.timer.fn = fw_timer_fn;
	chip->soc->cpu.fw = gaudi_fw_new(&config, &fw_bus, chip);
	return chip->soc->cpu.fw ? 0 : -ENOMEM;
}

void gaudi_soc_fini(struct gaudi_chip *chip)
{
	if (chip->soc && chip->soc->cpu.fw)
		gaudi_fw_free(chip->soc->cpu.fw);
	free(chip->soc);
}

void gaudi_soc_power_on(struct gaudi_chip *chip)
{
	gaudi_pcie_power_on(chip);
	gaudi_psoc_power_on(chip);
}

void gaudi_cpu_reset(struct gaudi_chip *chip)
{
	gaudi_fw_reset(chip->soc->cpu.fw);
}

/* --- what reaches it ----------------------------------------------------------- */

void gaudi_cpu_reg_written(struct gaudi_chip *chip, uint32_t cfg_off,
			   uint32_t value)
{
	gaudi_fw_reg_written(chip->soc->cpu.fw, cfg_off, value);
}

struct gaudi_fw *gaudi_cpu_firmware(struct gaudi_chip *chip)
{
	return chip->soc->cpu.fw;
}

void gaudi_cpu_state(struct gaudi_chip *chip, FILE *out)
{
	struct gaudi_fw *fw = chip->soc->cpu.fw;
	uint32_t idle_mw, full_mw;

	gaudi_fw_power_range(fw, &idle_mw, &full_mw);
	fprintf(out, "\"firmware\": {\"dead\": %d, \"boot\": %u, \"commands\": %u, \"power_mw\": [%u, %u]}, ",
		gaudi_fw_is_dead(fw),
		gaudi_store_read(chip, GAUDI_PSOC_GLOBAL_CONF_BASE +
					       PSOC_CPU_BOOT_STATUS),
		gaudi_fw_commands_left(fw), idle_mw, full_mw);
}

int gaudi_cpu_post_event(struct gaudi_chip *chip, unsigned int event_id,
			 const uint64_t *payload, unsigned int words)
{
	return gaudi_fw_post_event(chip->soc->cpu.fw, event_id, payload, words);
}

int gaudi_chip_post_event(struct gaudi_chip *chip, unsigned int event_id,
			  const uint64_t *payload, unsigned int words)
{
	int err;

	if (words > 7)
		words = 7;
	gaudi_call_data(chip->calls, GAUDI_CALL_EVENT, event_id, 0, payload,
			words * sizeof(*payload));
	gaudi_chip_lock(chip);
	err = gaudi_cpu_post_event(chip, event_id, payload, words);
	gaudi_chip_unlock(chip);
	gaudi_call_end(chip->calls, (uint32_t)err);
	return err;
}

/* --- registers ------------------------------------------------------------------- */

static bool is_watched(uint32_t off)
{
	return off == CPU_IF_QUEUE_INIT || off == CPU_IF_EQ_RD_OFFS ||
	       off == CPU_IF_PF_PQ_PI;
}

static int cpu_if_write(struct gaudi_chip *chip, unsigned int inst,
			uint32_t off, uint32_t value,
			const struct gaudi_txn *txn)
{
	(void)inst;
	(void)txn;
	gaudi_store_write(chip, GAUDI_CPU_IF_BASE + off, value);
	if (is_watched(off))
		gaudi_cpu_reg_written(chip, GAUDI_CPU_IF_BASE + off, value);
	return 0;
}

static int gic_write(struct gaudi_chip *chip, unsigned int inst, uint32_t off,
		     uint32_t value, const struct gaudi_txn *txn)
{
	(void)inst;
	(void)txn;
	if (off == GIC_DISTRIBUTOR_GICD_SETSPI_NSR)
		gaudi_cpu_reg_written(chip, GAUDI_GIC_BASE + off, value);
	else
		gaudi_store_write(chip, GAUDI_GIC_BASE + off, value);
	return 0;
}

const struct gaudi_block_ops gaudi_cpu_if_ops = {
	.name = "CPU_IF",
	.write = cpu_if_write,
};

const struct gaudi_block_ops gaudi_gic_ops = {
	.name = "GIC",
	.write = gic_write,
};
