/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * What the files of the firmware share.
 *
 *   fw.c        life cycle, watched registers, interrupts, timers
 *   boot.c      boot state machine; the static loader, boot from flash
 *   comms.c     the dynamic loader
 *   image.c     FIT images: bounds, hashes, the parts that matter here
 *   board.c     the board description, read from an image's device tree
 *   profile.c   what a box's profile says of its cards
 *   rows.c      rows of HBM that have failed
 *   sensors.c   load, power, energy, temperatures, clocks over time
 *   cpucp.c     the command queue
 *   commands.c  one handler per command
 *   events.c    the event queue and engine interrupts
 *   faults.c    faults on demand: which are armed
 *   fw_snap.c   its state as fields, for a snapshot
 *
 * Not for the card: it includes gaudi_fw_stub.h only.
 */
#ifndef GAUDI_FW_INTERNAL_H
#define GAUDI_FW_INTERNAL_H

#include <endian.h>
#include <errno.h>

#include "gaudi_fw_stub.h"
#include "../uapi/hw/gaudi_fw_if.h"
#include "../uapi/hw/gaudi_map.h"
#include "../uapi/hw/regs/gaudi_cpu_if_regs.h"
#include "../uapi/hw/regs/gaudi_psoc_regs.h"

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define NSEC_PER_MSEC		1000000ull
#define NSEC_PER_SEC		1000000000ull

/* --- board.c ------------------------------------------------------------- */

#define FW_MAX_SENSORS		32
#define FW_MAX_I2C		4
#define FW_NUM_PLLS		10
#define FW_NUM_MACS		GAUDI_NUM_NIC_ENGINE
#define FW_EEPROM_SIZE		256
#define FW_MAX_ROWS		32

/* Attributes of a sensor; their numbers on the wire are in sensors.c. */
enum fw_attr {
	FW_ATTR_INPUT,
	FW_ATTR_MIN,
	FW_ATTR_MAX,
	FW_ATTR_MAX_HYST,
	FW_ATTR_CRIT,
	FW_ATTR_CRIT_HYST,
	FW_ATTR_OFFSET,
	FW_ATTR_HIGHEST,
	FW_ATTR_RESET_HISTORY,
	FW_ATTR_ENABLE,
	FW_NUM_ATTRS,
};

/* Values in mdegC, mV, mA, mW, rpm, or 0..255 for PWM. */
struct fw_sensor {
	uint32_t type;			/* enum gaudi_cpucp_sensor_type */
	uint32_t attrs;			/* BIT(enum fw_attr) */
	int64_t limit[FW_NUM_ATTRS];	/* MIN .. CRIT_HYST, ENABLE */
	int64_t idle;			/* reading of an idle card */
	int64_t load;			/* what full load adds */
	uint32_t tau_ms;		/* how fast it follows */
	/* moving */
	double exact;			/* where it is */
	int64_t value;			/* the same as read, without offset */
	int64_t offset;
	int64_t highest;
};

enum fw_pll_id {
	FW_PLL_CPU,		/* legacy numbering, as the uAPI has it */
	FW_PLL_PCI,
	FW_PLL_SRAM,
	FW_PLL_HBM,
	FW_PLL_NIC,
	FW_PLL_DMA,
	FW_PLL_MESH,
	FW_PLL_MME,
	FW_PLL_TPC,
	FW_PLL_IF,
};

struct fw_pll {
	uint16_t output_mhz[4];
	uint64_t min_hz;
	uint64_t max_hz;
	uint64_t set_hz;		/* FREQUENCY_SET */
};

struct fw_i2c_device {
	uint8_t bus;
	uint8_t addr;
	bool read_only;
	uint8_t regs[256];
};

/* One HBM row, as the driver gets it (struct cpucp_hbm_row_info). */
struct fw_hbm_row {
	uint8_t bytes[8];
};

struct fw_board {
	char card_name[GAUDI_CARD_NAME_LEN];
	uint32_t card_type;
	char serial[64];
	char kernel_version[GAUDI_FW_VERSION_LEN];
	char cpucp_version[GAUDI_FW_VERSION_LEN];
	char thermal_version[GAUDI_FW_VERSION_LEN];
	char fuse_version[GAUDI_FW_VERSION_LEN];
	char os_version[GAUDI_FW_VERSION_LEN];
	uint32_t cpld_version;
	uint32_t cpld_timestamp;
	uint32_t infineon_version;
	uint32_t infineon_second_stage_version;
	uint64_t max_power_mw;
	uint64_t idle_power_mw;
	uint64_t full_power_mw;
	struct fw_sensor sensors[FW_MAX_SENSORS];
	unsigned int num_sensors;
	struct fw_pll plls[FW_NUM_PLLS];
	uint8_t macs[FW_NUM_MACS][6];
	uint16_t external_ports;	/* NIC ports that leave the box */
	uint8_t eeprom[FW_EEPROM_SIZE];
	unsigned int eeprom_len;
	struct fw_hbm_row replaced_rows[FW_MAX_ROWS];
	unsigned int num_replaced_rows;
	unsigned int num_pending_rows;
	struct fw_i2c_device i2c[FW_MAX_I2C];
	unsigned int num_i2c;
};

/* The board of a card that boots without an image: one sensor, no names. */
void fw_board_default(struct fw_board *board);
/*
 * Read a description from a checked device tree. 0, or -EINVAL with a reason
 * in err; *board is unchanged then.
 */
int fw_board_parse(const void *dtb, size_t size, struct fw_board *board,
		   char *err, size_t err_len);
/*
 * What one node of a checked device tree says replaces what *board has; on
 * -EINVAL it may have replaced some of it.
 */
int fw_board_override(const void *dtb, int node, struct fw_board *board,
		      char *err, size_t err_len);
/* The SoC's own numbering (DYN_PLL_EN) of the same PLLs; -1: unknown. */
int fw_pll_from_fw_index(unsigned int index);
unsigned int fw_pll_to_fw_index(enum fw_pll_id pll);

/* --- profile.c ----------------------------------------------------------- */

/* Of a profile that gaudi_fw_profile_check() let pass for this slot. */
int fw_profile_apply(const void *dtb, unsigned int slot, struct fw_board *board,
		     char *err, size_t err_len);
/* NULL: it names none. */
const char *fw_profile_preboot(const void *dtb);

/* --- image.c ------------------------------------------------------------- */

/* What is in an image that passed all checks; points into the image. */
struct fw_image {
	const void *code;
	size_t code_len;
	const void *dtb;		/* NULL: none */
	size_t dtb_len;
	const char *description;
};

enum fw_image_role {
	FW_IMAGE_BOOT_FIT,		/* boot loader: type firmware */
	FW_IMAGE_LINUX,			/* system: type kernel, and a board */
};

/* More than any image that the loaders place; keeps the copy bounded. */
#define FW_IMAGE_MAX_SIZE		(64u << 20)

/* A device tree from anywhere: 0, or libfdt's error. Bounded work. */
int fw_fdt_check(const void *fdt, size_t size);

/*
 * Check a FIT of size bytes in buf: structure, configuration, one crc32 at
 * least on each part. 0, or -EINVAL with a reason in err.
 */
int fw_image_parse(const void *buf, size_t size, enum fw_image_role role,
		   struct fw_image *image, char *err, size_t err_len);

/* --- boot.c -------------------------------------------------------------- */

enum fw_boot_state {
	FW_BOOT_OFF,
	FW_BOOT_PREBOOT,		/* about to report ready */
	FW_BOOT_WAIT_BOOT_FIT,
	FW_BOOT_UBOOT,			/* boot-fit taken, starting */
	FW_BOOT_WAIT_LINUX,
	FW_BOOT_LINUX_STARTING,
	FW_BOOT_RUNNING,
	FW_BOOT_HALTED,			/* WFE; nothing but reset helps */
	FW_BOOT_FAILED,
};

#define FW_NOT_STUCK		UINT32_MAX

/* A loader protocol. */
struct fw_loader {
	const char *name;
	void (*start)(struct gaudi_fw *fw);
	void (*message)(struct gaudi_fw *fw, uint32_t value);
	void (*hw_state)(struct gaudi_fw *fw, uint32_t value);
	void (*timer)(struct gaudi_fw *fw);
};

void fw_boot_reset(struct gaudi_fw *fw);
void fw_boot_halt(struct gaudi_fw *fw);
/* For loaders. Enter a state that ends when the stage's delay has passed. */
void fw_boot_enter(struct gaudi_fw *fw, enum fw_boot_state state);
/* That delay has passed: go on to where an image is needed, or run. */
void fw_boot_stage(struct gaudi_fw *fw);
/*
 * Check and take the image at device address addr, at most room bytes long.
 * False: it is not there, damaged, or not what belongs there.
 */
bool fw_boot_load(struct gaudi_fw *fw, enum fw_image_role role, uint64_t addr,
		  size_t room);
/* Start the image that was taken last. */
void fw_boot_exec(struct gaudi_fw *fw);
/* Do not wait for the BMC. */
void fw_boot_skip_bmc(struct gaudi_fw *fw);

/* --- comms.c ------------------------------------------------------------- */

/* Scratchpads that take interrupts when the driver may not use the GIC. */
#define FW_NUM_GIC_POLL		8

enum fw_comms_action {
	FW_COMMS_NO_ACTION,
	FW_COMMS_EXEC,
	FW_COMMS_WFE,
	FW_COMMS_RESET,
};

struct fw_comms {
	uint64_t addr;			/* where data is to come */
	uint32_t size;			/* 0: no descriptor was given */
	bool message;			/* the data is one, not an image */
	bool loaded;			/* and was found valid */
	uint32_t answer;		/* for the next NOOP; 0: none */
	enum fw_comms_action action;
};

extern const struct fw_loader fw_comms_loader;

/* --- events.c ------------------------------------------------------------ */

#define FW_MAX_HELD		64

struct fw_event {
	uint16_t id;
	uint8_t words;
	uint64_t payload[7];
};

struct fw_events {
	bool queue_ready;		/* addresses latched */
	bool enabled;			/* INTS_REGISTER seen */
	uint64_t base;			/* device address */
	uint32_t entries;
	uint32_t pi;
	uint32_t index;			/* last one given, EQ_INDEX_EN */
	uint64_t grace_end_ns;		/* fatal events wait until then */
	uint64_t dropped;
	struct fw_event held[FW_MAX_HELD];
	unsigned int num_held;
	uint8_t masked[(GAUDI_NUM_EVENTS + 7) / 8];
	uint8_t latched[(GAUDI_NUM_EVENTS + 7) / 8];
};

void fw_events_reset(struct gaudi_fw *fw);
void fw_events_enable(struct gaudi_fw *fw);
int fw_events_unmask(struct gaudi_fw *fw, uint32_t event_id);
void fw_events_timer(struct gaudi_fw *fw);
void fw_events_engine(struct gaudi_fw *fw, uint32_t spi);

/* --- cpucp.c ------------------------------------------------------------- */

struct fw_queue {
	bool ready;
	uint64_t base;
	uint32_t entries;
	uint32_t ci;			/* modulo 2 * entries */
	/* a reply that waits for queue_deadline; nothing is served meanwhile */
	bool late;
	uint64_t late_addr;
	struct gaudi_cpucp_packet late_reply;
};

/* A command while it is served. */
struct fw_command {
	struct gaudi_cpucp_packet pkt;	/* host byte order is little endian */
	const uint8_t *extra;		/* what follows the packet */
	size_t extra_len;
};

struct fw_command_desc {
	uint16_t opcode;
	const char *name;
	/* 0, or enum gaudi_cpucp_rc; result goes into cmd->pkt.result */
	int (*handler)(struct gaudi_fw *fw, struct fw_command *cmd);
	uint16_t min_len;
	enum gaudi_fw_fidelity how;
};

void fw_cpucp_reset(struct gaudi_fw *fw);
void fw_cpucp_queue_init(struct gaudi_fw *fw, uint32_t value);
void fw_cpucp_serve(struct gaudi_fw *fw);
/* CPU address of the driver -> device address in the host window, or 0. */
uint64_t fw_cpu_to_device(struct gaudi_fw *fw, uint64_t addr);
const struct fw_command_desc *fw_command_find(unsigned int opcode);

/* --- sensors.c ----------------------------------------------------------- */

struct fw_meter {
	uint64_t last_ns;
	uint64_t last_busy_ns;
	uint32_t load;			/* 0..65536, last interval */
	uint64_t energy_uj_rest;
	uint64_t energy_mj;
	uint64_t limit_mw;		/* MAX_POWER_SET */
	bool power_throttled;
	bool heat_throttled;
	uint64_t deadline;		/* next look without a command */
	bool forced[2];		/* faults: throttled by power, by heat */
	struct {
		uint64_t last_ns;
		uint64_t last_bytes;
		uint64_t kbps;
	} pcie[2];			/* received, sent */
};

void fw_sensors_reset(struct gaudi_fw *fw);
/* Bring everything that moves to now. Sends events when throttling changes. */
void fw_sensors_update(struct gaudi_fw *fw);
/*
 * Throttles, or no longer, and tells the driver. For who has changed what that
 * depends on: a limit, a clock, an offset.
 */
void fw_throttle_update(struct gaudi_fw *fw);
/* While the system runs, it looks once a second even if nobody asks. */
void fw_sensors_timer(struct gaudi_fw *fw);
/* n-th sensor of a type, NULL: there is none. */
struct fw_sensor *fw_sensor_find(struct gaudi_fw *fw, uint32_t type,
				 unsigned int n);
/* Attribute number in a request -> enum fw_attr, -1: not known. */
int fw_sensor_attr(struct gaudi_fw *fw, uint32_t type, unsigned int number);
/* The flags word for INFO_GET. */
uint32_t fw_sensor_flags(struct gaudi_fw *fw, const struct fw_sensor *sensor);
/* -EINVAL: this sensor has no such attribute, or it cannot be read. */
int fw_sensor_read(struct gaudi_fw *fw, const struct fw_sensor *sensor,
		   enum fw_attr attr, int64_t *value);
int fw_sensor_write(struct gaudi_fw *fw, struct fw_sensor *sensor,
		    enum fw_attr attr, int64_t value);
uint64_t fw_power_mw(struct gaudi_fw *fw);
/* Throughput in kB/s since the last call, at least 20 ms of it. */
uint64_t fw_pcie_kbps(struct gaudi_fw *fw, bool tx);
uint64_t fw_pll_current_hz(struct gaudi_fw *fw, enum fw_pll_id pll);

/* --- rows.c -------------------------------------------------------------- */

struct fw_weak_row {
	struct fw_hbm_row row;
	unsigned int errors;		/* 0: free */
};

struct fw_rows {
	struct fw_hbm_row replaced[FW_MAX_ROWS];
	unsigned int num_replaced;
	struct fw_hbm_row pending[FW_MAX_ROWS];
	unsigned int num_pending;
	struct fw_weak_row weak[FW_MAX_ROWS];
	unsigned int next_weak;
};

/* An event that is sent: an ECC error of HBM condemns a row. */
void fw_rows_event(struct gaudi_fw *fw, unsigned int event_id,
		   const uint64_t *payload, unsigned int words);
/* The card starts: pending rows become replaced ones. */
void fw_rows_replace(struct gaudi_fw *fw);
/* The board's and those since; their number. */
unsigned int fw_rows_replaced(const struct gaudi_fw *fw,
			      struct fw_hbm_row rows[FW_MAX_ROWS]);
unsigned int fw_rows_pending(const struct gaudi_fw *fw);

/* --- faults.c ------------------------------------------------------------ */

struct fw_fault {
	bool armed;
	uint32_t left;			/* 0: always */
	uint64_t arg;
};

/* Does it strike now? Counts it, if so, and gives its argument. */
bool fw_fault(struct gaudi_fw *fw, enum gaudi_fw_fault_kind what,
	      uint64_t *arg);
/* The same for a command; value: what GAUDI_FW_FAULT_CMD was given. */
bool fw_fault_command(struct gaudi_fw *fw, enum gaudi_fw_fault_kind what,
		      unsigned int opcode, uint64_t *value);

/* --- fw.c ---------------------------------------------------------------- */

struct gaudi_fw {
	struct gaudi_fw_config config;
	char *serial;
	void *profile;			/* NULL: none */
	struct gaudi_fw_bus bus;
	void *opaque;

	uint32_t sts0;
	const struct fw_loader *loader;
	enum fw_boot_state boot;
	struct fw_comms comms;
	char version[GAUDI_FW_VERSION_LEN]; /* of the boot stage that runs */
	bool dead;			/* stuck or silent until a reset */
	uint32_t stuck_at;		/* boot status, or FW_NOT_STUCK */
	uint32_t err0;			/* what CPU_BOOT_ERR0 says */
	uint32_t fault_err0;		/* what it is to say some time */
	uint64_t boot_deadline;
	uint64_t events_deadline;
	uint64_t queue_deadline;

	struct fw_board board;
	struct fw_queue pq;
	struct fw_events events;
	struct fw_meter meter;
	struct fw_rows rows;		/* outlives resets */
	struct fw_fault faults[GAUDI_FW_NUM_FAULTS];
};

static inline uint32_t fw_psoc_read(struct gaudi_fw *fw, uint32_t off)
{
	return fw->bus.reg_read(fw->opaque, GAUDI_PSOC_GLOBAL_CONF_BASE + off);
}

static inline void fw_psoc_write(struct gaudi_fw *fw, uint32_t off,
				 uint32_t value)
{
	fw->bus.reg_write(fw->opaque, GAUDI_PSOC_GLOBAL_CONF_BASE + off,
			  value);
}

static inline uint32_t fw_cpu_if_read(struct gaudi_fw *fw, uint32_t off)
{
	return fw->bus.reg_read(fw->opaque, GAUDI_CPU_IF_BASE + off);
}

void fw_log(struct gaudi_fw *fw, bool guest_error, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Give the earliest deadline to the card. */
void fw_timer_update(struct gaudi_fw *fw);

#endif /* GAUDI_FW_INTERNAL_H */
