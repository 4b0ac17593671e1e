/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
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

/* How much of a command is done. */
enum gaudi_fw_fidelity {
	GAUDI_FW_EXACT,
	GAUDI_FW_APPROXIMATE,	/* answered, and not all of it done */
	GAUDI_FW_MISSING,
};

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
	/* Counts a command, for the fidelity report. */
	void (*used)(void *opaque, const char *command,
		     enum gaudi_fw_fidelity how);
	/* An event has gone to the driver's queue; NULL: nobody asks. */
	void (*event)(void *opaque, unsigned int event_id);
	/* A fault on demand has struck, a command (its opcode) or something else (0); NULL:
	 * nobody asks.
	 */
	void (*struck)(void *opaque, unsigned int what, unsigned int command);
	/* Bytes over PCIe so far, sent (tx) or received; NULL: not counted. */
	uint64_t (*pcie_bytes)(void *opaque, bool tx);
	/* A bit for each NIC port that has a wire; NULL: none has. */
	uint32_t (*wired_ports)(void *opaque);
	/* The six bytes that a port has instead of the board's; NULL: none. */
	const uint8_t *(*port_mac)(void *opaque, unsigned int port);
};

struct gaudi_fw_config {
	uint64_t hbm_size;
	uint32_t module_id;
	const char *serial;	/* NULL: from the board description */
	uint32_t boot_dev_sts0;	/* 0: default */
	uint32_t boot_delay_ms;	/* per boot stage */
	bool flash_boot;	/* needs no image; the driver's HW_STATE starts it */
	bool comms;		/* dynamic loader, whatever boot_dev_sts0 says */
	const void *profile;	/* of the box, checked; NULL: none */
	size_t profile_size;
	unsigned int slot;	/* which of its cards this one is */
};

/* What a profile says of a card that its owner sets up. */
struct gaudi_fw_card {
	uint32_t module_id;
	uint32_t boot_dev_sts0;	/* 0: the firmware's own */
};

/*
 * Check a profile (a flattened device tree, aligned to 8 bytes) for the card in
 * a slot, 0..7. 0, or -EINVAL with a reason in err.
 */
int gaudi_fw_profile_check(const void *profile, size_t size, unsigned int slot,
			   struct gaudi_fw_card *card, char *err,
			   size_t err_len);

/* NULL: no memory. bus is copied, strings and the profile too. */
struct gaudi_fw *gaudi_fw_new(const struct gaudi_fw_config *config,
			      const struct gaudi_fw_bus *bus, void *opaque);
void gaudi_fw_free(struct gaudi_fw *fw);

/* Power-on or hard reset: starts preboot. Registers are at reset values. */
void gaudi_fw_reset(struct gaudi_fw *fw);

/*
 * The driver wrote one of the registers that firmware watches, after the write
 * took effect: PSOC_KMD_MSG_TO_CPU, PSOC_HW_STATE, PSOC_GIC_POLL(0..7),
 * CPU_IF_QUEUE_INIT, CPU_IF_EQ_RD_OFFS, CPU_IF_PF_PQ_PI, the GIC's
 * GICD_SETSPI_NSR.
 */
void gaudi_fw_reg_written(struct gaudi_fw *fw, uint32_t cfg_off,
			  uint32_t value);
/* An interrupt that is wired to the embedded CPU (numbers in gaudi_fw_if.h). */
void gaudi_fw_spi(struct gaudi_fw *fw, uint32_t spi);
void gaudi_fw_timer(struct gaudi_fw *fw);
/* Stopped, or never started: it does nothing before the next reset. */
bool gaudi_fw_is_dead(const struct gaudi_fw *fw);
/* What the board draws when it is idle, and at full load; see sensors.c. */
void gaudi_fw_power_range(const struct gaudi_fw *fw, uint32_t *idle_mw,
			  uint32_t *full_mw);
/* Commands in its queue that it has not taken. */
uint32_t gaudi_fw_commands_left(struct gaudi_fw *fw);

/*
 * Its state as a list of fields, always the same, which are given away or, with load, set:
 * that of firmware of the same configuration, after a reset. check() is false if what was
 * loaded cannot be so, or before; what it is loaded into is reset then. refuse(): it
 * cannot be given away.
 */
struct gaudi_fw_fields {
	void (*number)(void *opaque, void *value, size_t size, size_t count);
	void (*yes)(void *opaque, bool *value);
	void (*time)(void *opaque, uint64_t *ns);	/* UINT64_MAX: never */
	bool (*check)(void *opaque, bool good, const char *what);
	void (*refuse)(void *opaque, const char *what);
};
void gaudi_fw_snap(struct gaudi_fw *fw, bool load,
		   const struct gaudi_fw_fields *fields, void *opaque);

/*
 * Put an event into the driver's event queue. 0; -EAGAIN: events not enabled
 * yet, -ENOSPC: queue full (it is dropped and counted).
 */
int gaudi_fw_post_event(struct gaudi_fw *fw, unsigned int event_id,
			const uint64_t *payload, unsigned int words);

/*
 * Faults on demand. Each kind can be armed once; arming it again replaces it.
 * They outlive resets, as faults of a card do; clearing ends them.
 */
enum gaudi_fw_fault_kind {
	/*
	 * The CPU does nothing at all, from now on, and after a reset does not
	 * even report a status. Counted per boot, the present one included.
	 * Clearing it does not start the CPU: the next reset does.
	 */
	GAUDI_FW_FAULT_SILENT,
	/* arg: bits of CPU_BOOT_ERR0 (ERR1) from the next boot on; per boot */
	GAUDI_FW_FAULT_BOOT_ERR0,
	GAUDI_FW_FAULT_BOOT_ERR1,
	/* arg: enum gaudi_fw_boot_status that it reports and never leaves */
	GAUDI_FW_FAULT_BOOT_STUCK,
	/* arg: milliseconds that each boot stage takes longer; per stage */
	GAUDI_FW_FAULT_BOOT_LATE,
	/* arg: enum gaudi_fw_desc_fault; per descriptor (dynamic loader) */
	GAUDI_FW_FAULT_DESC,
	/* arg: the status of the next COMMS answer instead of OK; per answer */
	GAUDI_FW_FAULT_COMMS_STATUS,
	/* Commands; arg from GAUDI_FW_FAULT_CMD(); per command */
	GAUDI_FW_FAULT_CMD_SILENT,	/* no answer */
	GAUDI_FW_FAULT_CMD_LATE,	/* value: milliseconds */
	GAUDI_FW_FAULT_CMD_RC,		/* value: return code, 1..15 */
	GAUDI_FW_FAULT_CMD_RESULT,	/* value: 48 bits, the result */
	GAUDI_FW_FAULT_CMD_GARBAGE,	/* value: seed of a random reply */
	/* An event never arrives, but its number is used up; per event */
	GAUDI_FW_FAULT_EVENT_LOST,
	GAUDI_FW_NUM_FAULTS,
};

/* opcode 0: any. The heartbeat is CPUCP_TEST, 0x12. */
#define GAUDI_FW_FAULT_CMD(opcode, value) \
	((uint64_t)(value) << 16 | (opcode))

/* What is wrong with a damaged COMMS descriptor. */
enum gaudi_fw_desc_fault {
	GAUDI_FW_DESC_CRC,		/* crc32 of other data */
	GAUDI_FW_DESC_MAGIC,
	GAUDI_FW_DESC_VERSION,
	GAUDI_FW_DESC_SIZE,		/* 0xffff bytes */
	GAUDI_FW_DESC_IMG_ADDR,		/* image address in no memory */
	GAUDI_FW_DESC_IMG_END,		/* image would end beyond the SRAM */
	GAUDI_FW_DESC_OFFSET,		/* descriptor beyond the SRAM */
	GAUDI_FW_DESC_RAM_TYPE,		/* a RAM type that is not defined */
	GAUDI_FW_DESC_IRQS,		/* no registers for interrupts */
	GAUDI_FW_NUM_DESC_FAULTS,
};

/* Arm it for count times, 0: until it is cleared. 0, or -EINVAL: no such. */
int gaudi_fw_fault(struct gaudi_fw *fw, unsigned int what, uint64_t arg,
		   uint32_t count);
/* GAUDI_FW_NUM_FAULTS: all. */
void gaudi_fw_fault_clear(struct gaudi_fw *fw, unsigned int what);
/*
 * Throttle the clocks as if the card were too hot, or took too much power, and
 * tell the driver; and back. -EAGAIN: it takes no events yet.
 */
int gaudi_fw_throttle(struct gaudi_fw *fw, bool heat, bool on);

#endif /* GAUDI_FW_STUB_H */
