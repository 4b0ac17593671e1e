/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * The embedded CPU's interface: boot protocol, command queue (CPUCP) and
 * event queue, as driver and firmware see them. All fields little endian.
 *
 * Source: include/linux/habanalabs/hl_boot_if.h and cpucp_if.h, Linux 6.12
 * (facts).
 */
#ifndef GAUDI_FW_IF_H
#define GAUDI_FW_IF_H

#include <linux/types.h>
#include "gaudi_bits.h"

/* PSOC_CPU_BOOT_STATUS */
enum gaudi_fw_boot_status {
	GAUDI_BOOT_STATUS_NA			= 0,
	GAUDI_BOOT_STATUS_IN_WFE		= 1,
	GAUDI_BOOT_STATUS_DRAM_RDY		= 2,
	GAUDI_BOOT_STATUS_SRAM_AVAIL		= 3,	/* Linux is up */
	GAUDI_BOOT_STATUS_IN_BTL		= 4,
	GAUDI_BOOT_STATUS_IN_PREBOOT		= 5,
	GAUDI_BOOT_STATUS_IN_SPL		= 6,
	GAUDI_BOOT_STATUS_IN_UBOOT		= 7,
	GAUDI_BOOT_STATUS_DRAM_INIT_FAIL	= 8,	/* 8, 9, 12..14: old */
	GAUDI_BOOT_STATUS_FIT_CORRUPTED		= 9,
	GAUDI_BOOT_STATUS_UBOOT_NOT_READY	= 10,
	GAUDI_BOOT_STATUS_NIC_FW_RDY		= 11,
	GAUDI_BOOT_STATUS_TS_INIT_FAIL		= 12,
	GAUDI_BOOT_STATUS_DRAM_SKIPPED		= 13,
	GAUDI_BOOT_STATUS_BMC_WAITING_SKIPPED	= 14,
	GAUDI_BOOT_STATUS_READY_TO_BOOT		= 15,
	GAUDI_BOOT_STATUS_WAITING_FOR_BOOT_FIT	= 16,
	GAUDI_BOOT_STATUS_SECURITY_READY	= 17,
	GAUDI_BOOT_STATUS_FW_SHUTDOWN_PREP	= 18,
};

/* PSOC_KMD_MSG_TO_CPU, static loader */
enum gaudi_fw_kmd_msg {
	GAUDI_KMD_MSG_NA		= 0,
	GAUDI_KMD_MSG_GOTO_WFE		= 1,
	GAUDI_KMD_MSG_FIT_RDY		= 2,
	GAUDI_KMD_MSG_SKIP_BMC		= 3,
	GAUDI_KMD_MSG_RST_DEV		= 5,
};

/* PSOC_CPU_CMD_STATUS_TO_HOST, static loader */
enum gaudi_fw_cmd_status {
	GAUDI_CMD_STATUS_NA		= 0,
	GAUDI_CMD_STATUS_OK		= 1,
	GAUDI_CMD_STATUS_ERR		= 2,
};

/* --- dynamic loader (COMMS) --- */

/* PSOC_KMD_MSG_TO_CPU */
#define GAUDI_COMMS_CMD_SIZE		GENMASK(24, 0)	/* bytes to come */
#define GAUDI_COMMS_CMD_CODE		GENMASK(31, 27)

enum gaudi_comms_cmd {
	GAUDI_COMMS_NOOP		= 0,
	GAUDI_COMMS_CLR_STS		= 1,
	GAUDI_COMMS_RST_STATE		= 2,
	GAUDI_COMMS_PREP_DESC		= 3,
	GAUDI_COMMS_DATA_RDY		= 4,
	GAUDI_COMMS_EXEC		= 5,
	GAUDI_COMMS_RST_DEV		= 6,
	GAUDI_COMMS_GOTO_WFE		= 7,
	GAUDI_COMMS_SKIP_BMC		= 8,
	GAUDI_COMMS_PREP_DESC_ELBI	= 10,
};

/* PSOC_CPU_CMD_STATUS_TO_HOST */
#define GAUDI_COMMS_STS_OFFSET		GENMASK(25, 0)	/* in dwords */
#define GAUDI_COMMS_STS_RAM_TYPE	GENMASK(27, 26)
#define GAUDI_COMMS_STS_STATUS		GENMASK(31, 28)

enum gaudi_comms_ram_type {
	GAUDI_COMMS_SRAM		= 0,
	GAUDI_COMMS_DRAM		= 1,
};

enum gaudi_comms_status {
	GAUDI_COMMS_STS_NOOP		= 0,
	GAUDI_COMMS_STS_ACK		= 1,
	GAUDI_COMMS_STS_OK		= 2,
	GAUDI_COMMS_STS_ERR		= 3,
	GAUDI_COMMS_STS_VALID_ERR	= 4,
	GAUDI_COMMS_STS_TIMEOUT_ERR	= 5,
};

#define GAUDI_COMMS_DESC_MAGIC		0x4843444du
#define GAUDI_COMMS_DESC_VERSION	3
/* A message from the driver: its version is in the lowest byte. */
#define GAUDI_COMMS_MSG_MAGIC		0x48434d00u
#define GAUDI_COMMS_MSG_MAGIC_MASK	0xffffff00u

enum gaudi_comms_msg_type {
	GAUDI_COMMS_MSG_DESC		= 0,
	GAUDI_COMMS_MSG_RESET_CAUSE	= 1,
	GAUDI_COMMS_MSG_FW_CFG_SKIP	= 2,
	GAUDI_COMMS_MSG_BINNING_CONF	= 3,
};

/* Opens the descriptor and a message; crc32 is over what follows it. */
struct gaudi_comms_header {
	__le32 magic;
	__le32 crc32;
	__le16 size;			/* of what follows */
	__u8 version;
	__u8 type;
	__u8 reserved[4];
};

/* Where registers are, as offsets from the configuration space; 0: none. */
struct gaudi_fw_dyn_regs {
	__le32 cpu_pq_base_addr_low;
	__le32 cpu_pq_base_addr_high;
	__le32 cpu_pq_length;
	__le32 cpu_pq_init_status;
	__le32 cpu_eq_base_addr_low;
	__le32 cpu_eq_base_addr_high;
	__le32 cpu_eq_length;
	__le32 cpu_eq_ci;
	__le32 cpu_cq_base_addr_low;
	__le32 cpu_cq_base_addr_high;
	__le32 cpu_cq_length;
	__le32 cpu_pf_pq_pi;
	__le32 cpu_boot_dev_sts0;
	__le32 cpu_boot_dev_sts1;
	__le32 cpu_boot_err0;
	__le32 cpu_boot_err1;
	__le32 cpu_boot_status;
	__le32 fw_upd_sts;
	__le32 fw_upd_cmd;
	__le32 fw_upd_pending_sts;
	__le32 fuse_ver_offset;
	__le32 preboot_ver_offset;
	__le32 uboot_ver_offset;
	__le32 hw_state;
	__le32 kmd_msg_to_cpu;
	__le32 cpu_cmd_status_to_host;
	/* where interrupts of the embedded CPU are to be written */
	__le32 gic_host_pi_upd_irq;
	__le32 gic_tpc_qm_irq_ctrl;
	__le32 gic_mme_qm_irq_ctrl;
	__le32 gic_dma_qm_irq_ctrl;
	__le32 gic_nic_qm_irq_ctrl;
	__le32 gic_dma_core_irq_ctrl;
	__le32 gic_host_halt_irq;
	__le32 gic_host_ints_irq;
	__le32 reserved0;
	__le32 gic_rot_qm_irq_ctrl;
	__le32 reserved1;
	__le32 eng_arc_irq_ctrl;
	__le32 reserved2[20];
};

struct gaudi_comms_binning {
	__le64 tpc_mask_l;
	__le32 dec_mask;
	__le32 dram_mask;
	__le32 edma_mask;
	__le32 mme_mask_l;
	__le32 mme_mask_h;
	__le32 rot_mask;
	__le32 xbar_mask;
	__le32 reserved0;
	__le64 tpc_mask_h;
	__le64 nic_mask;
	__le32 reserved1[8];
};

/* A line of text for the driver's log. */
struct gaudi_comms_text {
	__u8 valid;
	__u8 level;			/* 0 error, 1 warning, 2 info, 3 debug */
	__u8 reserved[6];
	char text[128];
};

#define GAUDI_COMMS_TEXTS		4
#define GAUDI_COMMS_VERSION_LEN		128

struct gaudi_comms_desc {
	struct gaudi_comms_header header;
	struct gaudi_fw_dyn_regs regs;
	char fuse_version[GAUDI_COMMS_VERSION_LEN];
	char fw_version[GAUDI_COMMS_VERSION_LEN]; /* of what runs now */
	char reserved0[GAUDI_COMMS_VERSION_LEN];
	__le64 img_addr;		/* device address for what comes next */
	struct gaudi_comms_binning binning;
	struct gaudi_comms_text texts[GAUDI_COMMS_TEXTS];
	__le32 reserved_mem_mb;
	char reserved1[4];
};

_Static_assert(sizeof(struct gaudi_comms_header) == 16, "COMMS header");
_Static_assert(sizeof(struct gaudi_fw_dyn_regs) == 232, "dynamic registers");
_Static_assert(sizeof(struct gaudi_comms_binning) == 88, "binning");
_Static_assert(sizeof(struct gaudi_comms_text) == 136, "COMMS text");
_Static_assert(sizeof(struct gaudi_comms_desc) == 1280, "COMMS descriptor");

/* PSOC_CPU_BOOT_DEV_STS0; all bits count only with ENABLED */
#define GAUDI_BOOT_STS0_SECURITY_EN		BIT(0)
#define GAUDI_BOOT_STS0_DRAM_INIT_EN		BIT(3)
#define GAUDI_BOOT_STS0_BMC_WAIT_EN		BIT(4)
#define GAUDI_BOOT_STS0_E2E_CRED_EN		BIT(5)
#define GAUDI_BOOT_STS0_HBM_CRED_EN		BIT(6)
#define GAUDI_BOOT_STS0_RL_EN			BIT(7)
#define GAUDI_BOOT_STS0_SRAM_SCR_EN		BIT(8)
#define GAUDI_BOOT_STS0_DRAM_SCR_EN		BIT(9)
#define GAUDI_BOOT_STS0_FW_HARD_RST_EN		BIT(10)
#define GAUDI_BOOT_STS0_PLL_INFO_EN		BIT(11)
#define GAUDI_BOOT_STS0_CLK_GATE_EN		BIT(13)
#define GAUDI_BOOT_STS0_HBM_ECC_EN		BIT(14)
#define GAUDI_BOOT_STS0_PKT_PI_ACK_EN		BIT(15)
#define GAUDI_BOOT_STS0_FW_LD_COM_EN		BIT(16)
#define GAUDI_BOOT_STS0_FW_IATU_CONF_EN		BIT(17)
#define GAUDI_BOOT_STS0_DYN_PLL_EN		BIT(19)
#define GAUDI_BOOT_STS0_GIC_PRIVILEGED_EN	BIT(20)
#define GAUDI_BOOT_STS0_EQ_INDEX_EN		BIT(21)
#define GAUDI_BOOT_STS0_MULTI_IRQ_POLL_EN	BIT(22)
#define GAUDI_BOOT_STS0_MAP_HWMON_EN		BIT(26)
#define GAUDI_BOOT_STS0_ENABLED			BIT(31)

/* PSOC_CPU_BOOT_ERR0; bits count only with ENABLED */
#define GAUDI_BOOT_ERR0_DRAM_INIT_FAIL		BIT(0)
#define GAUDI_BOOT_ERR0_FIT_CORRUPTED		BIT(1)
#define GAUDI_BOOT_ERR0_TS_INIT_FAIL		BIT(2)
#define GAUDI_BOOT_ERR0_DRAM_SKIPPED		BIT(3)
#define GAUDI_BOOT_ERR0_BMC_WAIT_SKIPPED	BIT(4)
#define GAUDI_BOOT_ERR0_NIC_DATA_NOT_RDY	BIT(5)
#define GAUDI_BOOT_ERR0_NIC_FW_FAIL		BIT(6)
#define GAUDI_BOOT_ERR0_SECURITY_NOT_RDY	BIT(7)
#define GAUDI_BOOT_ERR0_SECURITY_FAIL		BIT(8)
#define GAUDI_BOOT_ERR0_EFUSE_FAIL		BIT(9)
#define GAUDI_BOOT_ERR0_PRI_IMG_VER_FAIL	BIT(10)
#define GAUDI_BOOT_ERR0_SEC_IMG_VER_FAIL	BIT(11)
#define GAUDI_BOOT_ERR0_PLL_FAIL		BIT(12)
#define GAUDI_BOOT_ERR0_DEVICE_UNUSABLE_FAIL	BIT(13)
#define GAUDI_BOOT_ERR0_BOOT_FW_CRIT_ERR	BIT(18)
#define GAUDI_BOOT_ERR0_BINNING_FAIL		BIT(19)
#define GAUDI_BOOT_ERR0_TPM_FAIL		BIT(20)
#define GAUDI_BOOT_ERR0_TMP_THRESH_INIT_FAIL	BIT(21)
#define GAUDI_BOOT_ERR0_EEPROM_FAIL		BIT(22)
#define GAUDI_BOOT_ERR0_ENG_ARC_MEM_SCRUB_FAIL	BIT(23)
#define GAUDI_BOOT_ERR0_ENABLED			BIT(31)

/* What the driver may write to GICD_SETSPI_NSR, and what engines write there. */
enum gaudi_fw_doorbell {
	GAUDI_SPI_PI_UPDATE		= 484,
	GAUDI_SPI_HALT_MACHINE		= 485,
	GAUDI_SPI_INTS_REGISTER		= 486,
	GAUDI_SPI_SOFT_RESET		= 487,
	/* engines: cpu_id of an error message */
	GAUDI_SPI_TPC_QM_BASE		= 421,	/* + n */
	GAUDI_SPI_MME0_QM		= 430,
	GAUDI_SPI_MME2_QM		= 431,
	GAUDI_SPI_DMA_QM_BASE		= 432,	/* + n */
	GAUDI_SPI_NIC_QM_BASE		= 443,	/* + 0..9 */
	GAUDI_SPI_NIC_QP_BASE		= 461,	/* + 0..9 */
	GAUDI_SPI_DMA_CORE_BASE		= 453,	/* + n */
	/* wired to the GIC; gaudi_async_ids_map_extended.h (facts) */
	GAUDI_SPI_MME_WBC_RSP		= 99,	/* + 5 n: a write's error */
	GAUDI_SPI_MME_SBAB_RSP		= 100,	/* + 5 n: a read's */
	GAUDI_SPI_DMA_IF_SEI		= 129,
	GAUDI_SPI_TPC_KRN_ERR		= 150,	/* + 6 n */
	GAUDI_SPI_MMU_PAGE_FAULT	= 229,
	GAUDI_SPI_MMU_WR_PERM		= 230,
	GAUDI_SPI_RAZWI_OR_ADC		= 397,
	GAUDI_SPI_NIC_STATUS_BASE	= 497,	/* + 0..9 */
	/* power needed and given, heat and its end: what throttles */
	GAUDI_SPI_THROTTLE		= 507,	/* + 0..3 */
};

/* Events that code names; gaudi_async_events.h (facts), with its names. */
enum gaudi_fw_event {
	GAUDI_EVENT_DMA_IF_SEI_0	= 277,	/* + sync manager */
	GAUDI_EVENT_HBM0_SPI_0		= 395,	/* + 4 n: a double error */
	GAUDI_EVENT_HBM0_SPI_1		= 396,	/* + 4 n: a single one */
	GAUDI_EVENT_TPC0_QM		= 572,	/* + n */
	GAUDI_EVENT_MME0_QM		= 581,
	GAUDI_EVENT_MME2_QM		= 582,
	GAUDI_EVENT_DMA0_QM		= 583,	/* + n */
	GAUDI_EVENT_NIC0_QM0		= 594,	/* + 0..9 */
	GAUDI_EVENT_FW_ALIVE_S		= 645,
	GAUDI_EVENT_STATUS_NIC0_ENG0	= 648,	/* + 0..9 */
	GAUDI_EVENT_FIX_POWER_ENV_S	= 658,
	GAUDI_EVENT_FIX_POWER_ENV_E	= 659,
	GAUDI_EVENT_FIX_THERMAL_ENV_S	= 660,
	GAUDI_EVENT_FIX_THERMAL_ENV_E	= 661,
};

/* Event ids end below this; INFO's counter arrays have this many u32s. */
#define GAUDI_NUM_EVENTS		663

/* CPU_IF_QUEUE_INIT */
enum gaudi_fw_queue_init {
	GAUDI_QUEUE_INIT_NA			= 0,
	GAUDI_QUEUE_INIT_READY_FOR_CP		= 1,
	GAUDI_QUEUE_INIT_READY_FOR_HOST		= 2,
	GAUDI_QUEUE_INIT_READY_FOR_CP_SINGLE_MSI = 3,
	GAUDI_QUEUE_INIT_LEN_NOT_POWER_OF_TWO	= 4,
	GAUDI_QUEUE_INIT_ILLEGAL_Q_ADDR		= 5,
};

#define GAUDI_CPU_PQ_ENTRIES		4096
#define GAUDI_CPU_EQ_ENTRIES		64

/* Command opcodes (gaudi_cpucp_packet.ctl). */
enum gaudi_cpucp_opcode {
	GAUDI_CPUCP_DISABLE_PCI_ACCESS		= 0x01,
	GAUDI_CPUCP_ENABLE_PCI_ACCESS		= 0x02,
	GAUDI_CPUCP_TEMPERATURE_GET		= 0x03,
	GAUDI_CPUCP_VOLTAGE_GET			= 0x04,
	GAUDI_CPUCP_CURRENT_GET			= 0x05,
	GAUDI_CPUCP_FAN_SPEED_GET		= 0x06,
	GAUDI_CPUCP_PWM_GET			= 0x07,
	GAUDI_CPUCP_PWM_SET			= 0x08,
	GAUDI_CPUCP_FREQUENCY_SET		= 0x09,
	GAUDI_CPUCP_FREQUENCY_GET		= 0x0a,
	GAUDI_CPUCP_LED_SET			= 0x0b,
	GAUDI_CPUCP_I2C_WR			= 0x0c,
	GAUDI_CPUCP_I2C_RD			= 0x0d,
	GAUDI_CPUCP_INFO_GET			= 0x0e,
	GAUDI_CPUCP_UNMASK_RAZWI_IRQ		= 0x10,
	GAUDI_CPUCP_UNMASK_RAZWI_IRQ_ARRAY	= 0x11,
	GAUDI_CPUCP_TEST			= 0x12,
	GAUDI_CPUCP_FREQUENCY_CURR_GET		= 0x13,
	GAUDI_CPUCP_MAX_POWER_GET		= 0x14,
	GAUDI_CPUCP_MAX_POWER_SET		= 0x15,
	GAUDI_CPUCP_EEPROM_DATA_GET		= 0x16,
	GAUDI_CPUCP_NIC_INFO_GET		= 0x17,
	GAUDI_CPUCP_TEMPERATURE_SET		= 0x18,
	GAUDI_CPUCP_VOLTAGE_SET			= 0x19,
	GAUDI_CPUCP_CURRENT_SET			= 0x1a,
	GAUDI_CPUCP_PCIE_THROUGHPUT_GET		= 0x1b,
	GAUDI_CPUCP_PCIE_REPLAY_CNT_GET		= 0x1c,
	GAUDI_CPUCP_TOTAL_ENERGY_GET		= 0x1d,
	GAUDI_CPUCP_PLL_INFO_GET		= 0x1e,
	GAUDI_CPUCP_NIC_STATUS			= 0x1f,
	GAUDI_CPUCP_POWER_GET			= 0x20,
	GAUDI_CPUCP_HBM_REPLACED_ROWS_INFO_GET	= 0x2b,
	GAUDI_CPUCP_HBM_PENDING_ROWS_STATUS	= 0x2c,
	GAUDI_CPUCP_POWER_SET			= 0x2d,
	GAUDI_CPUCP_SEC_ATTEST_GET		= 0x31,
	GAUDI_CPUCP_INFO_SIGNED_GET		= 0x32,
	GAUDI_CPUCP_MONITOR_DUMP_GET		= 0x34,
	GAUDI_CPUCP_GENERIC_PASSTHROUGH		= 0x38,
};

#define GAUDI_CPUCP_FENCE_VAL		0xfe8ce7a5u

#define GAUDI_CPUCP_CTL_RC		GENMASK(15, 12)
#define GAUDI_CPUCP_CTL_OPCODE		GENMASK(28, 16)

enum gaudi_cpucp_rc {
	GAUDI_CPUCP_RC_SUCCESS		= 0,
	GAUDI_CPUCP_RC_INVALID		= 1,
	GAUDI_CPUCP_RC_FAULT		= 2,
	GAUDI_CPUCP_RC_INVALID_PKT	= 3,
	GAUDI_CPUCP_RC_INVALID_PARAMS	= 4,
};

/* One command; the reply is written over it, the fence last. */
struct gaudi_cpucp_packet {
	union {
		__le64 value;
		__le64 result;
		__le64 addr;		/* of the data buffer */
	};
	__le32 ctl;
	__le32 fence;
	union {
		struct {
			__le16 sensor_index;
			__le16 type;
		};
		struct {
			__u8 i2c_bus;
			__u8 i2c_addr;
			__u8 i2c_reg;
			__u8 i2c_len;
		};
		struct {
			__le16 pll_type;
			__le16 pll_reg;
		};
		__le32 index;
		__le32 pll_index;
		__le32 led_index;
		__le32 data_max_size;
		__le32 status_mask;
	};
	union {
		__le32 port_index;
		__le32 pkt_subidx;
		__le32 nonce;
	};
};

#define GAUDI_CPUCP_MAX_SENSORS		128
#define GAUDI_FW_VERSION_LEN		128
#define GAUDI_CARD_NAME_LEN		16

enum gaudi_cpucp_sensor_type {
	GAUDI_SENSOR_CHIP	= 0,
	GAUDI_SENSOR_TEMP	= 1,
	GAUDI_SENSOR_IN		= 2,
	GAUDI_SENSOR_CURR	= 3,
	GAUDI_SENSOR_POWER	= 4,
	GAUDI_SENSOR_ENERGY	= 5,
	GAUDI_SENSOR_HUMIDITY	= 6,
	GAUDI_SENSOR_FAN	= 7,
	GAUDI_SENSOR_PWM	= 8,
};

enum gaudi_cpucp_card_type {
	GAUDI_CARD_TYPE_PCI	= 0,
	GAUDI_CARD_TYPE_PMC	= 1,
};

struct gaudi_cpucp_sensor {
	__le32 type;			/* 0 with flags 0 ends the list */
	__le32 flags;
};

/* Reply to INFO_GET. */
struct gaudi_cpucp_info {
	struct gaudi_cpucp_sensor sensors[GAUDI_CPUCP_MAX_SENSORS];
	__u8 kernel_version[GAUDI_FW_VERSION_LEN];
	__le32 reserved1;
	__le32 card_type;
	__le32 card_location;		/* module id */
	__le32 cpld_version;
	__le32 infineon_version;
	__u8 fuse_version[GAUDI_FW_VERSION_LEN];
	__u8 thermal_version[GAUDI_FW_VERSION_LEN];
	__u8 cpucp_version[GAUDI_FW_VERSION_LEN];
	__le32 infineon_second_stage_version;
	__le64 dram_size;
	char card_name[GAUDI_CARD_NAME_LEN];
	__le64 tpc_binning_mask;
	__le64 decoder_binning_mask;
	__u8 sram_binning;
	__u8 dram_binning_mask;
	__u8 memory_repair_flag;
	__u8 edma_binning_mask;
	__u8 xbar_binning_mask;
	__u8 interposer_version;
	__u8 substrate_version;
	__u8 eq_health_check_supported;
	__u8 sec_info[4];
	__le32 cpld_timestamp;
	__u8 pll_map[16];
	__le64 mme_binning_mask;
	__u8 fw_os_version[GAUDI_FW_VERSION_LEN];
};

/* Reply to NIC_INFO_GET. Sizes are those of chips with more ports. */
#define GAUDI_CPUCP_MAX_NICS		128
#define GAUDI_CPUCP_NIC_LANES		4
#define GAUDI_CPUCP_NIC_WORDS		(GAUDI_CPUCP_MAX_NICS / 64)
#define GAUDI_CPUCP_QSFP_LEN		1024

struct gaudi_cpucp_nic_info {
	__u8 mac[GAUDI_CPUCP_MAX_NICS][6];
	__le64 link_mask[GAUDI_CPUCP_NIC_WORDS];	/* have a cable */
	__le64 pol_tx_mask[GAUDI_CPUCP_NIC_WORDS * GAUDI_CPUCP_NIC_LANES];
	__le64 pol_rx_mask[GAUDI_CPUCP_NIC_WORDS * GAUDI_CPUCP_NIC_LANES];
	__le64 link_ext_mask[GAUDI_CPUCP_NIC_WORDS];	/* leave the box */
	__u8 qsfp_eeprom[GAUDI_CPUCP_QSFP_LEN];
	__le64 auto_neg_mask[GAUDI_CPUCP_NIC_WORDS];
	__le16 serdes_type;
	__le16 tx_swap_map[GAUDI_CPUCP_MAX_NICS];
	__u8 reserved[6];
};

/* Event queue. */
#define GAUDI_EQ_CTL_INDEX		GENMASK(15, 0)
#define GAUDI_EQ_CTL_EVENT_TYPE		GENMASK(27, 16)
#define GAUDI_EQ_CTL_EVENT_MODE		GENMASK(30, 28)
#define GAUDI_EQ_CTL_READY		BIT(31)

/* data[1] of an HBM event; data[0]: errors of one bit, of two bits. */
#define GAUDI_EQ_HBM_PARITY		GENMASK_ULL(2, 0)
#define GAUDI_EQ_HBM_CHANNEL		GENMASK_ULL(10, 6)
#define GAUDI_EQ_HBM_ADDR		GENMASK_ULL(63, 32)

struct gaudi_eq_entry {
	__le32 reserved;
	__le32 ctl;
	__le64 data[7];
};

_Static_assert(sizeof(struct gaudi_cpucp_packet) == 24, "CPUCP packet");
_Static_assert(sizeof(struct gaudi_cpucp_sensor) == 8, "CPUCP sensor");
_Static_assert(sizeof(struct gaudi_cpucp_info) == 0x6e8, "CPUCP info");
_Static_assert(sizeof(struct gaudi_cpucp_nic_info) == 2232, "NIC info");
_Static_assert(sizeof(struct gaudi_eq_entry) == 64, "EQ entry");

#endif /* GAUDI_FW_IF_H */
