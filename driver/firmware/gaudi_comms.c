// SPDX-License-Identifier: GPL-2.0-only
/*
 * The dynamic loader (COMMS): commands to the embedded CPU in one register,
 * answers in another, and a descriptor that says where images go and which
 * registers take interrupts.
 *
 * What is in an image, and the boot states, are gaudi_fw.c's. A descriptor is
 * what the card says: every address in it is checked before use.
 */
#include <linux/crc32.h>
#include <linux/dma-direction.h>
#include <linux/firmware.h>
#include <linux/iopoll.h>
#include <linux/slab.h>

#include <trace/events/habanalabs.h>

#include "../../uapi/hw/regs/gaudi_cpu_if_regs.h"
#include "../../uapi/hw/regs/gaudi_psoc_regs.h"
#include "../core/gaudi_device.h"
#include "../hw/gaudi_hw.h"
#include "../hw/gaudi_reg_io.h"
#include "gaudi_firmware.h"
#include "gaudi_fw.h"

#define GAUDI_COMMS_STOP_MS	500
#define GAUDI_BL_TIMEOUT_MS	15000

#define GAUDI_RESET_CAUSE_HEARTBEAT	1

#define PSOC(reg)	(GAUDI_PSOC_GLOBAL_CONF_BASE + (reg))

struct gaudi_comms_msg {
	struct gaudi_comms_header header;
	u8 reset_cause;
	u8 reserved[7];
};

/* As mainline's tracepoints show them, which take no const. */
static char * const gaudi_comms_cmd_name[] = {
	[GAUDI_COMMS_NOOP] = "COMMS_NOOP",
	[GAUDI_COMMS_CLR_STS] = "COMMS_CLR_STS",
	[GAUDI_COMMS_RST_STATE] = "COMMS_RST_STATE",
	[GAUDI_COMMS_PREP_DESC] = "COMMS_PREP_DESC",
	[GAUDI_COMMS_DATA_RDY] = "COMMS_DATA_RDY",
	[GAUDI_COMMS_EXEC] = "COMMS_EXEC",
	[GAUDI_COMMS_RST_DEV] = "COMMS_RST_DEV",
	[GAUDI_COMMS_GOTO_WFE] = "COMMS_GOTO_WFE",
};

static char * const gaudi_comms_sts_name[] = {
	[GAUDI_COMMS_STS_NOOP] = "COMMS_STS_NOOP",
	[GAUDI_COMMS_STS_ACK] = "COMMS_STS_ACK",
	[GAUDI_COMMS_STS_OK] = "COMMS_STS_OK",
};

void gaudi_comms_reset(struct gaudi_device *gdev)
{
	unsigned int i;

	gdev->comms_cmd_reg = PSOC(PSOC_KMD_MSG_TO_CPU);
	gdev->comms_sts_reg = PSOC(PSOC_CPU_CMD_STATUS_TO_HOST);
	for (i = 0; i < GAUDI_NUM_CPU_IRQS; i++)
		gdev->cpu_irq_reg[i] = GAUDI_GIC_BASE +
				       GIC_DISTRIBUTOR_GICD_SETSPI_NSR;
}

static void gaudi_comms_write(struct gaudi_device *gdev,
			      enum gaudi_comms_cmd cmd, u32 size)
{
	trace_habanalabs_comms_send_cmd(&gdev->pdev->dev,
					gaudi_comms_cmd_name[cmd]);
	gaudi_wr(gdev, gdev->comms_cmd_reg,
		 FIELD_PREP(GAUDI_COMMS_CMD_CODE, cmd) |
		 FIELD_PREP(GAUDI_COMMS_CMD_SIZE, size));
}

/* Is the wait over? Another answer is the last word: the status was empty. */
static bool gaudi_comms_answered(u32 answer, enum gaudi_comms_status want)
{
	u32 status = FIELD_GET(GAUDI_COMMS_STS_STATUS, answer);

	return answer == GAUDI_REG_GONE || status == want ||
	       (want != GAUDI_COMMS_STS_NOOP && status != GAUDI_COMMS_STS_NOOP);
}

/* 0, -ENODEV, -ETIMEDOUT, or -EIO: another answer. */
static int gaudi_comms_wait(struct gaudi_device *gdev,
			    enum gaudi_comms_cmd cmd,
			    enum gaudi_comms_status want, u32 timeout_ms,
			    u32 *answer)
{
	struct device *dev = &gdev->pdev->dev;
	int ret;

	trace_habanalabs_comms_wait_status(dev, gaudi_comms_sts_name[want]);
	ret = read_poll_timeout(gaudi_rd, *answer,
				gaudi_comms_answered(*answer, want), 100,
				timeout_ms * USEC_PER_MSEC, false,
				gdev, gdev->comms_sts_reg);
	if (*answer == GAUDI_REG_GONE)
		return -ENODEV;
	if (FIELD_GET(GAUDI_COMMS_STS_STATUS, *answer) == want) {
		trace_habanalabs_comms_wait_status_done(dev,
			gaudi_comms_sts_name[want]);
		return 0;
	}
	ret = ret ?: -EIO;
	drm_err(&gdev->drm, "firmware answers %s with %#x, not %u\n",
		gaudi_comms_cmd_name[cmd], *answer, want);
	return ret;
}

/* Empty the status, so that what comes next is an answer to us. */
static int gaudi_comms_clear(struct gaudi_device *gdev, u32 timeout_ms)
{
	u32 answer;

	gaudi_comms_write(gdev, GAUDI_COMMS_CLR_STS, 0);
	return gaudi_comms_wait(gdev, GAUDI_COMMS_CLR_STS, GAUDI_COMMS_STS_NOOP,
				timeout_ms, &answer);
}

/*
 * One command: acknowledged, and with result also done. The NOOP lets firmware
 * go on after it has seen that we saw its acknowledgement.
 */
static int gaudi_comms_send(struct gaudi_device *gdev,
			    enum gaudi_comms_cmd cmd, u32 size,
			    u32 timeout_ms, u32 *result)
{
	u32 answer;
	int ret;

	trace_habanalabs_comms_protocol_cmd(&gdev->pdev->dev,
					    gaudi_comms_cmd_name[cmd]);
	ret = gaudi_comms_clear(gdev, timeout_ms);
	if (ret)
		return ret;
	gaudi_comms_write(gdev, cmd, size);
	ret = gaudi_comms_wait(gdev, cmd, GAUDI_COMMS_STS_ACK, timeout_ms,
			       &answer);
	if (ret)
		return ret;
	ret = gaudi_comms_clear(gdev, timeout_ms);
	if (ret)
		return ret;
	gaudi_comms_write(gdev, GAUDI_COMMS_NOOP, 0);
	if (!result)
		return 0;
	ret = gaudi_comms_wait(gdev, cmd, GAUDI_COMMS_STS_OK, timeout_ms,
			       result);
	if (ret)
		return ret;
	ret = gaudi_comms_clear(gdev, timeout_ms);
	gaudi_comms_write(gdev, GAUDI_COMMS_NOOP, 0);
	return ret;
}

static int gaudi_comms_do(struct gaudi_device *gdev, enum gaudi_comms_cmd cmd)
{
	u32 result;

	return gaudi_comms_send(gdev, cmd, 0, GAUDI_CPU_TIMEOUT_MS, &result);
}

/* --- the descriptor --- */

/* size bytes at the device address addr, in a BAR. NULL: not there. */
static void __iomem *gaudi_comms_mem(struct gaudi_device *gdev, u64 addr,
				     size_t size)
{
	u64 hbm = min_t(u64, gdev->hbm_bar_size, GAUDI_HBM_FW_SIZE);

	if (addr >= GAUDI_SRAM_BASE &&
	    addr - GAUDI_SRAM_BASE < GAUDI_SRAM_SIZE &&
	    size <= GAUDI_SRAM_SIZE - (addr - GAUDI_SRAM_BASE))
		return gdev->sram + (addr - GAUDI_SRAM_BASE);
	addr -= GAUDI_HBM_BASE;
	if (addr < hbm && size <= hbm - addr)
		return gdev->hbm + addr;
	return NULL;
}

static bool gaudi_comms_good_reg(u32 reg)
{
	return reg && reg < GAUDI_CFG_SIZE && !(reg % 4);
}

static int gaudi_comms_take_regs(struct gaudi_device *gdev,
				 const struct gaudi_fw_dyn_regs *regs)
{
	u32 cmd = le32_to_cpu(regs->kmd_msg_to_cpu);
	u32 sts = le32_to_cpu(regs->cpu_cmd_status_to_host);
	u32 irqs[GAUDI_NUM_CPU_IRQS] = {
		[GAUDI_CPU_IRQ_PI_UPDATE] =
			le32_to_cpu(regs->gic_host_pi_upd_irq),
		[GAUDI_CPU_IRQ_TPC_QM] = le32_to_cpu(regs->gic_tpc_qm_irq_ctrl),
		[GAUDI_CPU_IRQ_MME_QM] = le32_to_cpu(regs->gic_mme_qm_irq_ctrl),
		[GAUDI_CPU_IRQ_DMA_QM] = le32_to_cpu(regs->gic_dma_qm_irq_ctrl),
		[GAUDI_CPU_IRQ_DMA_CORE] =
			le32_to_cpu(regs->gic_dma_core_irq_ctrl),
		[GAUDI_CPU_IRQ_NIC_QM] = le32_to_cpu(regs->gic_nic_qm_irq_ctrl),
		[GAUDI_CPU_IRQ_HALT] = le32_to_cpu(regs->gic_host_halt_irq),
		[GAUDI_CPU_IRQ_EVENTS] = le32_to_cpu(regs->gic_host_ints_irq),
	};

	if (!gaudi_comms_good_reg(cmd) || !gaudi_comms_good_reg(sts)) {
		drm_err(&gdev->drm,
			"no loader where the descriptor says (%#x, %#x)\n",
			cmd, sts);
		return -EIO;
	}
	gdev->comms_cmd_reg = cmd;
	gdev->comms_sts_reg = sts;
	/* Firmware that leaves the GIC to us need not fill these in. */
	memcpy(gdev->comms_irq_reg, irqs, sizeof(irqs));
	return 0;
}

static void gaudi_comms_show_texts(struct gaudi_device *gdev,
				   struct gaudi_comms_desc *desc)
{
	unsigned int i;

	for (i = 0; i < GAUDI_COMMS_TEXTS && desc->texts[i].valid; i++) {
		gaudi_fw_clean_version(desc->texts[i].text);
		drm_info(&gdev->drm, "firmware (%u): %s\n",
			 desc->texts[i].level, desc->texts[i].text);
	}
}

/* What its fields mean is known of one version. */
static bool gaudi_comms_good_header(struct gaudi_device *gdev,
				    const struct gaudi_comms_header *header)
{
	u32 magic = le32_to_cpu(header->magic);

	if (magic == GAUDI_COMMS_DESC_MAGIC &&
	    header->version == GAUDI_COMMS_DESC_VERSION)
		return true;
	drm_err(&gdev->drm,
		"firmware's descriptor is of another kind (magic %#x, version %u)\n",
		magic, header->version);
	return false;
}

/* Firmware may know a longer descriptor: its size is what the checksum is of.*/
static int gaudi_comms_read_desc(struct gaudi_device *gdev, u32 answer,
				 struct gaudi_comms_desc *desc)
{
	u64 addr = (u64)FIELD_GET(GAUDI_COMMS_STS_OFFSET, answer) * 4;
	u32 ram = FIELD_GET(GAUDI_COMMS_STS_RAM_TYPE, answer);
	struct gaudi_comms_header header;
	void __iomem *src = NULL;
	size_t size = 0;
	void *data;
	u32 crc;

	addr += ram == GAUDI_COMMS_SRAM ? GAUDI_SRAM_BASE : GAUDI_HBM_BASE;
	if (ram <= GAUDI_COMMS_DRAM)
		src = gaudi_comms_mem(gdev, addr, sizeof(header));
	if (src) {
		memcpy_fromio(&header, src, sizeof(header));
		if (!gaudi_comms_good_header(gdev, &header))
			return -EIO;
		size = sizeof(header) + le16_to_cpu(header.size);
		src = gaudi_comms_mem(gdev, addr, size);
	}
	if (!src || size < sizeof(*desc)) {
		drm_err(&gdev->drm,
			"no descriptor where firmware says (%#x), %zu bytes\n",
			answer, size);
		return -EIO;
	}
	data = kvmalloc(size, GFP_KERNEL);
	if (!data)
		return -ENOMEM;
	memcpy_fromio(data, src, size);
	crc = ~crc32_le(~0u, data + sizeof(header), size - sizeof(header));
	memcpy(desc, data, sizeof(*desc));
	kvfree(data);
	if (crc != le32_to_cpu(desc->header.crc32)) {
		drm_err(&gdev->drm, "firmware's descriptor is damaged\n");
		return -EIO;
	}
	gaudi_comms_show_texts(gdev, desc);
	return gaudi_comms_take_regs(gdev, &desc->regs);
}

/* --- loading --- */

/* Give firmware what it is to check. version: of what runs now; or NULL. */
static int gaudi_comms_give(struct gaudi_device *gdev, const void *data,
			    size_t size, char *version)
{
	struct gaudi_comms_desc *desc __free(kfree) =
		kmalloc(sizeof(*desc), GFP_KERNEL);
	void __iomem *dst;
	u32 answer;
	int ret;

	if (!desc)
		return -ENOMEM;
	ret = gaudi_comms_send(gdev, GAUDI_COMMS_PREP_DESC, size,
			       GAUDI_CPU_TIMEOUT_MS, &answer) ?:
	      gaudi_comms_read_desc(gdev, answer, desc);
	if (ret)
		return ret;
	if (version)
		gaudi_fw_set_version(gdev, version, desc->fw_version);
	dst = gaudi_comms_mem(gdev, le64_to_cpu(desc->img_addr), size);
	if (!dst) {
		drm_err(&gdev->drm, "firmware wants %zu bytes at %#llx\n",
			size, le64_to_cpu(desc->img_addr));
		return -EIO;
	}
	memcpy_toio(dst, data, size);
	/* It may have gone through a write-combined mapping. */
	wmb();
	return gaudi_comms_do(gdev, GAUDI_COMMS_DATA_RDY);
}

static int gaudi_comms_image(struct gaudi_device *gdev, const char *name,
			     char *version)
{
	const struct firmware *fw __free(firmware) = NULL;

	return gaudi_fw_request(gdev, name, &fw) ?:
	       gaudi_comms_give(gdev, fw->data, fw->size, version) ?:
	       gaudi_comms_send(gdev, GAUDI_COMMS_EXEC, 0, GAUDI_CPU_TIMEOUT_MS,
				NULL);
}

static int gaudi_comms_tell_cause(struct gaudi_device *gdev)
{
	struct gaudi_comms_msg msg = {
		.header = {
			.magic = cpu_to_le32(GAUDI_COMMS_MSG_MAGIC |
					     GAUDI_COMMS_DESC_VERSION),
			.size = cpu_to_le16(sizeof(msg) - sizeof(msg.header)),
			.type = GAUDI_COMMS_MSG_RESET_CAUSE,
		},
		.reset_cause = GAUDI_RESET_CAUSE_HEARTBEAT,
	};

	if (!gdev->fw_was_lost)
		return 0;
	return gaudi_comms_give(gdev, &msg, sizeof(msg), NULL) ?:
	       gaudi_comms_do(gdev, GAUDI_COMMS_EXEC);
}

static int gaudi_comms_boot(struct gaudi_device *gdev)
{
	u32 status;
	int ret;

	ret = gaudi_comms_do(gdev, GAUDI_COMMS_RST_STATE) ?:
	      gaudi_comms_tell_cause(gdev) ?:
	      gaudi_comms_image(gdev, GAUDI_BOOT_FIT_FILE,
				gdev->preboot_version);
	if (ret)
		return ret;
	ret = gaudi_fw_wait_status(gdev,
				   BIT(GAUDI_BOOT_STATUS_READY_TO_BOOT) |
				   BIT(GAUDI_BOOT_STATUS_SRAM_AVAIL),
				   GAUDI_BL_TIMEOUT_MS, &status);
	if (ret) {
		drm_err(&gdev->drm, "boot-fit did not start (status %u)\n",
			status);
		return ret;
	}
	ret = gaudi_fw_update_status(gdev);
	if (ret)
		return ret;
	/* Firmware's Linux runs from HBM through the scramblers. */
	gaudi_golden_hbm_scrambler(gdev);

	ret = gaudi_comms_image(gdev, GAUDI_FIT_FILE, gdev->uboot_version);
	if (ret)
		return ret;
	ret = gaudi_fw_wait_status(gdev, BIT(GAUDI_BOOT_STATUS_SRAM_AVAIL),
				   GAUDI_CPU_TIMEOUT_MS, &status);
	if (ret)
		drm_err(&gdev->drm, "firmware did not start (status %u)\n",
			status);
	return ret;
}

/* The registers for interrupts count once the system says that it has them. */
static int gaudi_comms_use_irqs(struct gaudi_device *gdev)
{
	u32 *regs = gdev->comms_irq_reg;
	unsigned int i;

	if (!(gdev->boot_sts0 & GAUDI_BOOT_STS0_GIC_PRIVILEGED_EN))
		return 0;
	if (!(gdev->boot_sts0 & GAUDI_BOOT_STS0_MULTI_IRQ_POLL_EN)) {
		regs[GAUDI_CPU_IRQ_HALT] = regs[GAUDI_CPU_IRQ_PI_UPDATE];
		regs[GAUDI_CPU_IRQ_EVENTS] = regs[GAUDI_CPU_IRQ_PI_UPDATE];
	}
	for (i = 0; i < GAUDI_NUM_CPU_IRQS; i++) {
		if (gaudi_comms_good_reg(regs[i]))
			continue;
		drm_err(&gdev->drm,
			"firmware names no register for interrupt %u (%#x)\n",
			i, regs[i]);
		return -EIO;
	}
	memcpy(gdev->cpu_irq_reg, regs, sizeof(gdev->cpu_irq_reg));
	return 0;
}

int gaudi_comms_load(struct gaudi_device *gdev)
{
	int ret = gaudi_fw_stage_done(gdev, gaudi_comms_boot(gdev)) ?:
		  gaudi_comms_use_irqs(gdev);

	gdev->linux_loaded = !ret;
	return ret;
}

void gaudi_comms_stop(struct gaudi_device *gdev, bool reset)
{
	u32 status;

	if (gaudi_comms_send(gdev, reset ? GAUDI_COMMS_RST_DEV :
					   GAUDI_COMMS_GOTO_WFE,
			     0, GAUDI_COMMS_STOP_MS, NULL) || reset)
		return;
	if (gaudi_fw_wait_status(gdev, BIT(GAUDI_BOOT_STATUS_IN_WFE),
				 GAUDI_COMMS_STOP_MS, &status))
		drm_err(&gdev->drm, "the embedded CPU did not halt (status %u)\n",
			status);
}
