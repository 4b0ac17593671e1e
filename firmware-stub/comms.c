// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * The dynamic loader (COMMS): the driver writes a command into one register
 * and reads the answer in another; a descriptor in the card's memory tells it
 * where everything else is.
 *
 * Not here: the stages of the boot themselves, which both loaders share
 * (boot.c), and the images (image.c).
 *
 * Source: hl_boot_if.h and the order of accesses in Linux 6.12's driver
 * (facts). A command is acknowledged at once. Its outcome becomes visible, and
 * what it starts happens, with the NOOP that the driver sends after it has
 * cleared the acknowledgement: neither can then overtake the other.
 */
#include <stdio.h>
#include <stddef.h>
#include <string.h>
#include <zlib.h>

#include "fw.h"

/* The descriptor, in SRAM: above what preboot lets a boot-fit use. */
#define COMMS_DESC_OFFSET	0x13e0000u

#define PSOC_REG(reg)	(GAUDI_PSOC_GLOBAL_CONF_BASE + (reg))
#define CPU_IF_REG(reg)	(GAUDI_CPU_IF_BASE + (reg))

static void comms_status(struct gaudi_fw *fw, uint32_t status)
{
	fw_psoc_write(fw, PSOC_CPU_CMD_STATUS_TO_HOST,
		      FIELD_PREP(GAUDI_COMMS_STS_STATUS, status));
}

/* --- descriptor ---------------------------------------------------------- */

#define DYN(field, value) \
	{ offsetof(struct gaudi_fw_dyn_regs, field), (value) }

static const struct {
	uint16_t field;
	uint32_t reg;
} comms_regs[] = {
	DYN(cpu_pq_base_addr_low, CPU_IF_REG(CPU_IF_PQ_BASE_ADDR_LOW)),
	DYN(cpu_pq_base_addr_high, CPU_IF_REG(CPU_IF_PQ_BASE_ADDR_HIGH)),
	DYN(cpu_pq_length, CPU_IF_REG(CPU_IF_PQ_LENGTH)),
	DYN(cpu_pq_init_status, CPU_IF_REG(CPU_IF_QUEUE_INIT)),
	DYN(cpu_eq_base_addr_low, CPU_IF_REG(CPU_IF_EQ_BASE_ADDR_LOW)),
	DYN(cpu_eq_base_addr_high, CPU_IF_REG(CPU_IF_EQ_BASE_ADDR_HIGH)),
	DYN(cpu_eq_length, CPU_IF_REG(CPU_IF_EQ_LENGTH)),
	DYN(cpu_eq_ci, CPU_IF_REG(CPU_IF_EQ_RD_OFFS)),
	DYN(cpu_cq_base_addr_low, CPU_IF_REG(CPU_IF_CQ_BASE_ADDR_LOW)),
	DYN(cpu_cq_base_addr_high, CPU_IF_REG(CPU_IF_CQ_BASE_ADDR_HIGH)),
	DYN(cpu_cq_length, CPU_IF_REG(CPU_IF_CQ_LENGTH)),
	DYN(cpu_pf_pq_pi, CPU_IF_REG(CPU_IF_PF_PQ_PI)),
	DYN(cpu_boot_dev_sts0, PSOC_REG(PSOC_CPU_BOOT_DEV_STS0)),
	DYN(cpu_boot_dev_sts1, PSOC_REG(PSOC_CPU_BOOT_DEV_STS1)),
	DYN(cpu_boot_err0, PSOC_REG(PSOC_CPU_BOOT_ERR0)),
	DYN(cpu_boot_err1, PSOC_REG(PSOC_CPU_BOOT_ERR1)),
	DYN(cpu_boot_status, PSOC_REG(PSOC_CPU_BOOT_STATUS)),
	DYN(fw_upd_sts, PSOC_REG(PSOC_UPD_STS)),
	DYN(fw_upd_cmd, PSOC_REG(PSOC_UPD_CMD)),
	DYN(fw_upd_pending_sts, PSOC_REG(PSOC_UPD_PENDING_STS)),
	DYN(fuse_ver_offset, PSOC_REG(PSOC_FUSE_VER_OFFSET)),
	DYN(preboot_ver_offset, PSOC_REG(PSOC_PREBOOT_VER_OFFSET)),
	DYN(uboot_ver_offset, PSOC_REG(PSOC_UBOOT_VER_OFFSET)),
	DYN(hw_state, PSOC_REG(PSOC_HW_STATE)),
	DYN(kmd_msg_to_cpu, PSOC_REG(PSOC_KMD_MSG_TO_CPU)),
	DYN(cpu_cmd_status_to_host, PSOC_REG(PSOC_CPU_CMD_STATUS_TO_HOST)),
};

/* In the order of the scratchpads that are read in place of the GIC. */
static const uint16_t comms_irqs[FW_NUM_GIC_POLL] = {
	offsetof(struct gaudi_fw_dyn_regs, gic_host_pi_upd_irq),
	offsetof(struct gaudi_fw_dyn_regs, gic_tpc_qm_irq_ctrl),
	offsetof(struct gaudi_fw_dyn_regs, gic_mme_qm_irq_ctrl),
	offsetof(struct gaudi_fw_dyn_regs, gic_dma_qm_irq_ctrl),
	offsetof(struct gaudi_fw_dyn_regs, gic_nic_qm_irq_ctrl),
	offsetof(struct gaudi_fw_dyn_regs, gic_dma_core_irq_ctrl),
	offsetof(struct gaudi_fw_dyn_regs, gic_host_halt_irq),
	offsetof(struct gaudi_fw_dyn_regs, gic_host_ints_irq),
};

static void comms_put_reg(struct gaudi_comms_desc *desc, uint16_t field,
			  uint32_t reg)
{
	reg = htole32(reg);
	memcpy((uint8_t *)&desc->regs + field, &reg, sizeof(reg));
}

static void comms_fill_regs(struct gaudi_fw *fw, struct gaudi_comms_desc *desc)
{
	bool gic = !(fw->sts0 & GAUDI_BOOT_STS0_GIC_PRIVILEGED_EN);

	for (size_t i = 0; i < ARRAY_SIZE(comms_regs); i++)
		comms_put_reg(desc, comms_regs[i].field, comms_regs[i].reg);
	for (unsigned int i = 0; i < FW_NUM_GIC_POLL; i++)
		comms_put_reg(desc, comms_irqs[i],
			      gic ? GAUDI_GIC_BASE +
				    GIC_DISTRIBUTOR_GICD_SETSPI_NSR :
				    PSOC_REG(PSOC_GIC_POLL(i)));
}

/* Damage of the content, before the checksum is made; see gaudi_fw_stub.h. */
static void comms_damage(struct gaudi_comms_desc *desc, uint64_t fault)
{
	switch (fault) {
	case GAUDI_FW_DESC_MAGIC:
		desc->header.magic = htole32(0xdeadbeef);
		break;
	case GAUDI_FW_DESC_VERSION:
		desc->header.version = 0xff;
		break;
	case GAUDI_FW_DESC_SIZE:
		desc->header.size = htole16(UINT16_MAX);
		break;
	case GAUDI_FW_DESC_IMG_ADDR:
		desc->img_addr = htole64(0x7fe0000000ull);
		break;
	case GAUDI_FW_DESC_IMG_END:
		desc->img_addr = htole64(GAUDI_SRAM_BASE + GAUDI_SRAM_SIZE - 4);
		break;
	case GAUDI_FW_DESC_IRQS:
		for (unsigned int i = 0; i < FW_NUM_GIC_POLL; i++)
			comms_put_reg(desc, comms_irqs[i], 0);
		break;
	}
}

/* The descriptor to memory, and the answer that says where it is. */
static uint32_t comms_give_desc(struct gaudi_fw *fw, uint64_t img_addr)
{
	struct gaudi_comms_desc desc = {
		.header = {
			.magic = htole32(GAUDI_COMMS_DESC_MAGIC),
			.size = htole16(sizeof(desc) - sizeof(desc.header)),
			.version = GAUDI_COMMS_DESC_VERSION,
		},
		.img_addr = htole64(img_addr),
		.reserved_mem_mb = htole32(GAUDI_HBM_FW_SIZE >> 20),
	};
	uint32_t offset = COMMS_DESC_OFFSET, ram = GAUDI_COMMS_SRAM, crc;
	uint64_t fault = GAUDI_FW_NUM_DESC_FAULTS;

	comms_fill_regs(fw, &desc);
	snprintf(desc.fw_version, sizeof(desc.fw_version), "%s", fw->version);
	fw_fault(fw, GAUDI_FW_FAULT_DESC, &fault);
	comms_damage(&desc, fault);
	crc = (uint32_t)crc32(0, (const uint8_t *)&desc + sizeof(desc.header),
			      sizeof(desc) - sizeof(desc.header));
	if (fault == GAUDI_FW_DESC_CRC)
		crc ^= 1;
	desc.header.crc32 = htole32(crc);
	if (fw->bus.mem_write(fw->opaque, GAUDI_SRAM_BASE + offset, &desc,
			      sizeof(desc))) {
		fw_log(fw, false, "cannot write the descriptor");
		return FIELD_PREP(GAUDI_COMMS_STS_STATUS, GAUDI_COMMS_STS_ERR);
	}
	if (fault == GAUDI_FW_DESC_OFFSET)
		offset = GAUDI_SRAM_SIZE;
	if (fault == GAUDI_FW_DESC_RAM_TYPE)
		ram = 3;
	return FIELD_PREP(GAUDI_COMMS_STS_STATUS, GAUDI_COMMS_STS_OK) |
	       FIELD_PREP(GAUDI_COMMS_STS_RAM_TYPE, ram) |
	       FIELD_PREP(GAUDI_COMMS_STS_OFFSET, offset / 4);
}

/* --- commands ------------------------------------------------------------ */

static uint32_t comms_answer(uint32_t status)
{
	return FIELD_PREP(GAUDI_COMMS_STS_STATUS, status);
}

static void comms_forget(struct gaudi_fw *fw)
{
	memset(&fw->comms, 0, sizeof(fw->comms));
}

static bool comms_loading(const struct gaudi_fw *fw)
{
	return fw->boot == FW_BOOT_WAIT_BOOT_FIT ||
	       fw->boot == FW_BOOT_WAIT_LINUX;
}

static uint32_t comms_prep_desc(struct gaudi_fw *fw, uint32_t size)
{
	uint64_t addr = GAUDI_SRAM_BASE + GAUDI_SRAM_BOOT_FIT_OFFSET;
	uint32_t room = COMMS_DESC_OFFSET - GAUDI_SRAM_BOOT_FIT_OFFSET;

	if (!comms_loading(fw))
		return comms_answer(GAUDI_COMMS_STS_ERR);
	if (fw->boot == FW_BOOT_WAIT_LINUX) {
		addr = GAUDI_HBM_BASE + GAUDI_HBM_FIT_OFFSET;
		room = GAUDI_HBM_FW_SIZE - GAUDI_HBM_FIT_OFFSET;
	}
	comms_forget(fw);
	if (!size || size > room) {
		fw_log(fw, true, "no room for %u bytes: there are %u", size,
		       room);
		return comms_answer(GAUDI_COMMS_STS_ERR);
	}
	fw->comms.addr = addr;
	fw->comms.size = size;
	return comms_give_desc(fw, addr);
}

/* 0: not a message but an image. Its crc32 is left empty by drivers. */
static uint32_t comms_take_message(struct gaudi_fw *fw)
{
	struct gaudi_comms_header header;
	uint8_t cause = 0;

	if (fw->comms.size < sizeof(header) + sizeof(cause) ||
	    fw->bus.mem_read(fw->opaque, fw->comms.addr, &header,
			     sizeof(header)) ||
	    (le32toh(header.magic) & GAUDI_COMMS_MSG_MAGIC_MASK) !=
	    GAUDI_COMMS_MSG_MAGIC)
		return 0;
	fw->comms.message = true;
	if (header.type != GAUDI_COMMS_MSG_RESET_CAUSE) {
		fw->bus.used(fw->opaque, "COMMS message", GAUDI_FW_MISSING);
		fw_log(fw, true, "COMMS message of type %u", header.type);
		return GAUDI_COMMS_STS_VALID_ERR;
	}
	fw->bus.used(fw->opaque, "COMMS message: reset cause", GAUDI_FW_EXACT);
	fw->bus.mem_read(fw->opaque, fw->comms.addr + sizeof(header), &cause,
			 sizeof(cause));
	fw_log(fw, false, "the driver resets because of %s",
	       cause == 1 ? "a lost heartbeat" :
	       cause == 2 ? "a job that did not end" : "something else");
	return GAUDI_COMMS_STS_OK;
}

static uint32_t comms_data_rdy(struct gaudi_fw *fw, uint32_t size)
{
	enum fw_image_role role = FW_IMAGE_BOOT_FIT;
	uint32_t status;

	(void)size;
	if (!comms_loading(fw) || !fw->comms.size) {
		fw_log(fw, true, "DATA_RDY without a descriptor");
		return comms_answer(GAUDI_COMMS_STS_ERR);
	}
	fw->comms.loaded = false;
	fw->comms.message = false;
	status = comms_take_message(fw);
	if (!status) {
		if (fw->boot == FW_BOOT_WAIT_LINUX)
			role = FW_IMAGE_LINUX;
		status = fw_boot_load(fw, role, fw->comms.addr,
				      fw->comms.size) ?
			 GAUDI_COMMS_STS_OK : GAUDI_COMMS_STS_VALID_ERR;
	}
	fw->comms.loaded = status == GAUDI_COMMS_STS_OK;
	return comms_answer(status);
}

static uint32_t comms_exec(struct gaudi_fw *fw, uint32_t size)
{
	(void)size;
	if (!fw->comms.loaded) {
		fw_log(fw, true, "EXEC without valid data");
		return comms_answer(GAUDI_COMMS_STS_ERR);
	}
	if (fw->comms.message) {
		comms_forget(fw);
		return comms_answer(GAUDI_COMMS_STS_OK);
	}
	fw->comms.action = FW_COMMS_EXEC;
	return 0;
}

static uint32_t comms_rst_state(struct gaudi_fw *fw, uint32_t size)
{
	(void)size;
	comms_forget(fw);
	return comms_answer(GAUDI_COMMS_STS_OK);
}

static uint32_t comms_rst_dev(struct gaudi_fw *fw, uint32_t size)
{
	(void)size;
	fw->comms.action = FW_COMMS_RESET;
	return 0;
}

static uint32_t comms_goto_wfe(struct gaudi_fw *fw, uint32_t size)
{
	(void)size;
	fw->comms.action = FW_COMMS_WFE;
	return 0;
}

/* The card waits for no BMC; it says so where the driver looks for it. */
static uint32_t comms_skip_bmc(struct gaudi_fw *fw, uint32_t size)
{
	(void)size;
	fw_boot_skip_bmc(fw);
	return comms_answer(GAUDI_COMMS_STS_OK);
}

static const struct {
	const char *name;
	uint32_t (*handler)(struct gaudi_fw *fw, uint32_t size);
} comms_commands[] = {
	[GAUDI_COMMS_RST_STATE] = { "COMMS_RST_STATE", comms_rst_state },
	[GAUDI_COMMS_PREP_DESC] = { "COMMS_PREP_DESC", comms_prep_desc },
	[GAUDI_COMMS_DATA_RDY] = { "COMMS_DATA_RDY", comms_data_rdy },
	[GAUDI_COMMS_EXEC] = { "COMMS_EXEC", comms_exec },
	[GAUDI_COMMS_RST_DEV] = { "COMMS_RST_DEV", comms_rst_dev },
	[GAUDI_COMMS_GOTO_WFE] = { "COMMS_GOTO_WFE", comms_goto_wfe },
	[GAUDI_COMMS_SKIP_BMC] = { "COMMS_SKIP_BMC", comms_skip_bmc },
	/* Which addresses ELBI alone reaches is not public. */
	[GAUDI_COMMS_PREP_DESC_ELBI] = { "COMMS_PREP_DESC_ELBI", NULL },
};

/* What was asked for and acknowledged happens now. */
static void comms_noop(struct gaudi_fw *fw)
{
	enum fw_comms_action action = fw->comms.action;
	uint32_t answer = fw->comms.answer;

	fw->comms.action = FW_COMMS_NO_ACTION;
	fw->comms.answer = 0;
	if (answer)
		fw_psoc_write(fw, PSOC_CPU_CMD_STATUS_TO_HOST, answer);
	switch (action) {
	case FW_COMMS_EXEC:
		comms_forget(fw);
		fw_boot_exec(fw);
		break;
	case FW_COMMS_WFE:
		fw_boot_halt(fw);
		break;
	case FW_COMMS_RESET:
		fw->bus.reset_card(fw->opaque, "COMMS_RST_DEV");
		break;
	case FW_COMMS_NO_ACTION:
		break;
	}
}

static void comms_command(struct gaudi_fw *fw, uint32_t code, uint32_t size)
{
	uint64_t status;
	uint32_t answer;

	if (code >= ARRAY_SIZE(comms_commands) || !comms_commands[code].name) {
		fw->bus.used(fw->opaque, "unknown COMMS command",
			     GAUDI_FW_MISSING);
		fw_log(fw, true, "unknown COMMS command %u", code);
		comms_status(fw, GAUDI_COMMS_STS_ERR);
		return;
	}
	fw->bus.used(fw->opaque, comms_commands[code].name,
		     comms_commands[code].handler ? GAUDI_FW_EXACT :
						    GAUDI_FW_MISSING);
	comms_status(fw, GAUDI_COMMS_STS_ACK);
	fw->comms.action = FW_COMMS_NO_ACTION;
	answer = comms_commands[code].handler ?
		 comms_commands[code].handler(fw, size) :
		 comms_answer(GAUDI_COMMS_STS_ERR);
	if (answer && fw_fault(fw, GAUDI_FW_FAULT_COMMS_STATUS, &status))
		answer = comms_answer(status & 15);
	fw->comms.answer = answer;
}

/* --- the loader ---------------------------------------------------------- */

static void comms_start(struct gaudi_fw *fw)
{
	comms_forget(fw);
	fw_boot_enter(fw, FW_BOOT_PREBOOT);
}

static void comms_message(struct gaudi_fw *fw, uint32_t value)
{
	uint32_t code = FIELD_GET(GAUDI_COMMS_CMD_CODE, value);

	/* The next component looks at the register when it is there. */
	if (fw->boot == FW_BOOT_PREBOOT || fw->boot == FW_BOOT_UBOOT ||
	    fw->boot == FW_BOOT_LINUX_STARTING)
		return;
	switch (code) {
	case GAUDI_COMMS_NOOP:
		comms_noop(fw);
		break;
	case GAUDI_COMMS_CLR_STS:
		comms_status(fw, GAUDI_COMMS_STS_NOOP);
		break;
	default:
		comms_command(fw, code, FIELD_GET(GAUDI_COMMS_CMD_SIZE, value));
		break;
	}
}

static void comms_timer(struct gaudi_fw *fw)
{
	fw_boot_stage(fw);
	comms_message(fw, fw_psoc_read(fw, PSOC_KMD_MSG_TO_CPU));
}

static void comms_hw_state(struct gaudi_fw *fw, uint32_t value)
{
	(void)fw;
	(void)value;
}

const struct fw_loader fw_comms_loader = {
	.name = "dynamic",
	.start = comms_start,
	.message = comms_message,
	.hw_state = comms_hw_state,
	.timer = comms_timer,
};
