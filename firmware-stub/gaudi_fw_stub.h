/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The embedded CPU of a Gaudi 1 card: boot protocol, command server, events.
 *
 * Plain C behind a small bus; the card links it in, tests drive it alone. It
 * learns what board it is on from the device tree in the firmware image that
 * the driver loaded.
 *
 * Not thread-safe: the card calls it with its own lock held.
 */
#ifndef GAUDI_FW_STUB_H
#define GAUDI_FW_STUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gaudi_fw;

struct gaudi_fw_bus {
	/* CFG registers, offset from GAUDI_CFG_BASE; no side effects on boot
	 * registers that this firmware itself handles.
	 */
	uint32_t (*reg_read)(void *opaque, uint32_t cfg_off);
	void (*reg_write)(void *opaque, uint32_t cfg_off, uint32_t value);
	/* Device addresses (HBM, SRAM, host window). 0 or -EFAULT. */
	int (*mem_read)(void *opaque, uint64_t addr, void *buf, size_t len);
	int (*mem_write)(void *opaque, uint64_t addr, const void *buf,
			 size_t len);
	/* Raise MSI vector 0. */
	void (*msi)(void *opaque);
	uint64_t (*now_ns)(void *opaque);
	/* Call gaudi_fw_timer() at this time; UINT64_MAX: never. */
	void (*timer)(void *opaque, uint64_t deadline_ns);
	/* Reset the whole card, when the current call has returned. */
	void (*reset_card)(void *opaque, const char *why);
	/* Busy time of the engines so far, for sensors that follow the load. */
	uint64_t (*busy_ns)(void *opaque);
	void (*log)(void *opaque, bool guest_error, const char *line);
	/* Counts a command: known or not; for the fidelity report. */
	void (*used)(void *opaque, const char *command, bool implemented);
	/* Bytes over PCIe so far, sent (tx) or received; NULL: not counted. */
	uint64_t (*pcie_bytes)(void *opaque, bool tx);
};

struct gaudi_fw_config {
	uint64_t hbm_size;
	uint32_t module_id;
	const char *serial;	/* NULL: from the board description */
	uint32_t boot_dev_sts0;	/* 0: default */
	uint32_t boot_delay_ms;	/* per boot stage */
	bool flash_boot;	/* needs no image; the driver's HW_STATE starts it */
};

/* NULL: no memory. bus is copied, strings too. */
struct gaudi_fw *gaudi_fw_new(const struct gaudi_fw_config *config,
			      const struct gaudi_fw_bus *bus, void *opaque);
void gaudi_fw_free(struct gaudi_fw *fw);

/* Power-on or hard reset: starts preboot. Registers are at reset values. */
void gaudi_fw_reset(struct gaudi_fw *fw);

/*
 * The driver wrote one of the registers that firmware watches, after the write
 * took effect: PSOC_KMD_MSG_TO_CPU, PSOC_HW_STATE, CPU_IF_QUEUE_INIT,
 * CPU_IF_EQ_RD_OFFS, CPU_IF_PF_PQ_PI.
 */
void gaudi_fw_reg_written(struct gaudi_fw *fw, uint32_t cfg_off,
			  uint32_t value);
/* An interrupt of the embedded CPU: doorbell or engine error (gaudi_fw.h). */
void gaudi_fw_spi(struct gaudi_fw *fw, uint32_t spi);
void gaudi_fw_timer(struct gaudi_fw *fw);

/*
 * Put an event into the driver's event queue. 0; -EAGAIN: events not enabled
 * yet, -ENOSPC: queue full (it is dropped and counted).
 */
int gaudi_fw_post_event(struct gaudi_fw *fw, unsigned int event_id,
			const uint64_t *payload, unsigned int words);

#endif /* GAUDI_FW_STUB_H */
