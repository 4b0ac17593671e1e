// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Life cycle of the embedded CPU, and where its inputs go: watched registers,
 * interrupts, the timer. What they mean is in boot.c, cpucp.c and events.c.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fw.h"

/*
 * What this firmware does for the driver unless the card's configuration says
 * otherwise: credits and scramblers, address translation and HBM ECC are set
 * up here; PLLs are read by command; acknowledgements carry the queue index,
 * events an index; sensors use the firmware's own attribute numbers.
 */
#define FW_STATIC_STS0	(GAUDI_BOOT_STS0_ENABLED | \
			 GAUDI_BOOT_STS0_E2E_CRED_EN | \
			 GAUDI_BOOT_STS0_HBM_CRED_EN | \
			 GAUDI_BOOT_STS0_SRAM_SCR_EN | \
			 GAUDI_BOOT_STS0_DRAM_SCR_EN | \
			 GAUDI_BOOT_STS0_PLL_INFO_EN | \
			 GAUDI_BOOT_STS0_HBM_ECC_EN | \
			 GAUDI_BOOT_STS0_PKT_PI_ACK_EN | \
			 GAUDI_BOOT_STS0_FW_IATU_CONF_EN | \
			 GAUDI_BOOT_STS0_EQ_INDEX_EN | \
			 GAUDI_BOOT_STS0_MAP_HWMON_EN)

/* With COMMS, interrupts come through scratchpads that it announces. */
#define FW_COMMS_STS0	(FW_STATIC_STS0 | \
			 GAUDI_BOOT_STS0_FW_LD_COM_EN | \
			 GAUDI_BOOT_STS0_GIC_PRIVILEGED_EN | \
			 GAUDI_BOOT_STS0_MULTI_IRQ_POLL_EN)

static uint32_t fw_capabilities(const struct gaudi_fw_config *config)
{
	uint32_t sts0 = config->boot_dev_sts0;

	if (!sts0)
		return config->comms ? FW_COMMS_STS0 : FW_STATIC_STS0;
	/* Without ENABLED no bit counts, for the driver and so for us. */
	if (!(sts0 & GAUDI_BOOT_STS0_ENABLED))
		return 0;
	return config->comms ? sts0 | GAUDI_BOOT_STS0_FW_LD_COM_EN : sts0;
}

void fw_log(struct gaudi_fw *fw, bool guest_error, const char *fmt, ...)
{
	char line[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	fw->bus.log(fw->opaque, guest_error, line);
}

void fw_timer_update(struct gaudi_fw *fw)
{
	uint64_t deadline = fw->boot_deadline;

	if (fw->events_deadline < deadline)
		deadline = fw->events_deadline;
	if (fw->queue_deadline < deadline)
		deadline = fw->queue_deadline;
	if (fw->boot == FW_BOOT_RUNNING && fw->meter.deadline < deadline)
		deadline = fw->meter.deadline;
	fw->bus.timer(fw->opaque, deadline);
}

struct gaudi_fw *gaudi_fw_new(const struct gaudi_fw_config *config,
			      const struct gaudi_fw_bus *bus, void *opaque)
{
	struct gaudi_fw *fw = calloc(1, sizeof(*fw));

	if (!fw)
		return NULL;
	fw->config = *config;
	fw->config.serial = NULL;
	fw->config.profile = NULL;
	if (config->serial)
		fw->serial = strdup(config->serial);
	if (config->profile)
		fw->profile = malloc(config->profile_size);
	if ((config->serial && !fw->serial) ||
	    (config->profile && !fw->profile)) {
		gaudi_fw_free(fw);
		return NULL;
	}
	if (fw->profile)
		memcpy(fw->profile, config->profile, config->profile_size);
	fw->bus = *bus;
	fw->opaque = opaque;
	fw->sts0 = fw_capabilities(config);
	fw->boot_deadline = UINT64_MAX;
	fw->events_deadline = UINT64_MAX;
	fw->queue_deadline = UINT64_MAX;
	fw_board_default(&fw->board);
	return fw;
}

void gaudi_fw_free(struct gaudi_fw *fw)
{
	if (!fw)
		return;
	free(fw->serial);
	free(fw->profile);
	free(fw);
}

void gaudi_fw_reset(struct gaudi_fw *fw)
{
	fw->boot_deadline = UINT64_MAX;
	fw->events_deadline = UINT64_MAX;
	fw->dead = fw_fault(fw, GAUDI_FW_FAULT_SILENT, NULL);
	fw_rows_replace(fw);
	fw_board_default(&fw->board);
	fw_cpucp_reset(fw);
	fw_events_reset(fw);
	fw_sensors_reset(fw);
	fw_boot_reset(fw);
	fw_timer_update(fw);
}

/* An interrupt number, whichever way it came. */
static void fw_interrupt(struct gaudi_fw *fw, uint32_t spi)
{
	switch (spi) {
	case GAUDI_SPI_PI_UPDATE:
		fw_cpucp_serve(fw);
		break;
	case GAUDI_SPI_HALT_MACHINE:
		if (fw->sts0 & GAUDI_BOOT_STS0_FW_HARD_RST_EN)
			fw->bus.reset_card(fw->opaque, "driver's request");
		else
			fw_boot_halt(fw);
		break;
	case GAUDI_SPI_INTS_REGISTER:
		fw_events_enable(fw);
		break;
	case GAUDI_SPI_SOFT_RESET:
		fw->bus.used(fw->opaque, "SOFT_RESET interrupt",
			     GAUDI_FW_MISSING);
		fw_log(fw, true, "soft reset asked for; this chip has none");
		break;
	default:
		fw_events_engine(fw, spi);
		break;
	}
}

static bool fw_gic_is_private(const struct gaudi_fw *fw)
{
	return fw->sts0 & GAUDI_BOOT_STS0_GIC_PRIVILEGED_EN &&
	       fw->boot == FW_BOOT_RUNNING;
}

/* From a driver, or from an engine that it told where to write. */
static void fw_gic_written(struct gaudi_fw *fw, uint32_t spi)
{
	if (fw_gic_is_private(fw))
		fw_log(fw, true, "interrupt %u: the GIC is not for drivers",
		       spi);
	else
		fw_interrupt(fw, spi);
}

/*
 * What firmware polls in place of the GIC. The register is free again when the
 * interrupt is served; two at the same time do not get lost here, as they may
 * on a card.
 */
static void fw_poll_written(struct gaudi_fw *fw, unsigned int n, uint32_t spi)
{
	if (!fw_gic_is_private(fw) || !spi)
		return;
	fw_psoc_write(fw, PSOC_GIC_POLL(n), 0);
	fw_interrupt(fw, spi);
}

void gaudi_fw_reg_written(struct gaudi_fw *fw, uint32_t cfg_off,
			  uint32_t value)
{
	uint32_t poll = cfg_off - (GAUDI_PSOC_GLOBAL_CONF_BASE +
				   PSOC_GIC_POLL(0));

	if (fw->dead)
		return;
	switch (cfg_off) {
	case GAUDI_PSOC_GLOBAL_CONF_BASE + PSOC_KMD_MSG_TO_CPU:
		if (fw->loader)
			fw->loader->message(fw, value);
		break;
	case GAUDI_PSOC_GLOBAL_CONF_BASE + PSOC_HW_STATE:
		if (fw->loader)
			fw->loader->hw_state(fw, value);
		break;
	case GAUDI_CPU_IF_BASE + CPU_IF_QUEUE_INIT:
		fw_cpucp_queue_init(fw, value);
		break;
	case GAUDI_GIC_BASE + GIC_DISTRIBUTOR_GICD_SETSPI_NSR:
		fw_gic_written(fw, value);
		break;
	default:
		if (poll < FW_NUM_GIC_POLL * 4 && !(poll % 4))
			fw_poll_written(fw, poll / 4, value);
		/* Queue indices are read when their doorbell comes. */
		break;
	}
	fw_timer_update(fw);
}

void gaudi_fw_spi(struct gaudi_fw *fw, uint32_t spi)
{
	if (fw->dead)
		return;
	fw_interrupt(fw, spi);
	fw_timer_update(fw);
}

void gaudi_fw_timer(struct gaudi_fw *fw)
{
	uint64_t now = fw->bus.now_ns(fw->opaque);

	if (fw->dead)
		return;
	if (now >= fw->boot_deadline) {
		fw->boot_deadline = UINT64_MAX;
		fw->loader->timer(fw);
	}
	if (now >= fw->events_deadline) {
		fw->events_deadline = UINT64_MAX;
		fw_events_timer(fw);
	}
	if (now >= fw->queue_deadline)
		fw_cpucp_serve(fw);
	if (now >= fw->meter.deadline)
		fw_sensors_timer(fw);
	fw_timer_update(fw);
}

bool gaudi_fw_is_dead(const struct gaudi_fw *fw)
{
	return fw->dead;
}

uint32_t gaudi_fw_commands_left(struct gaudi_fw *fw)
{
	const struct fw_queue *q = &fw->pq;

	return q->ready ? (fw_cpu_if_read(fw, CPU_IF_PF_PQ_PI) - q->ci) &
			  (2 * q->entries - 1) : 0;
}
