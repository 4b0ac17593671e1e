// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Boot of the embedded CPU, from preboot to the running system: what the
 * driver sees in the PSOC scratchpads, and what its messages do.
 *
 * A loader protocol is a struct fw_loader. Here are the static loader, where
 * the driver puts each image at a fixed place and says so, and the boot from
 * flash, where the card asks for no image; the dynamic loader is in comms.c.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fw.h"

/* Where the version strings stand in SRAM: below the driver's first user. */
#define FW_PREBOOT_VER_OFFSET	0x13ff000u
#define FW_UBOOT_VER_OFFSET	0x13ff080u

/* What is burnt into the card; the other versions come with the images. */
#define FW_PREBOOT_VERSION \
	"Preboot version hl-gaudi-1.0.0-fw-1.0.0 (Open Gaudi model)"
#define FW_UBOOT_FLASH_VERSION \
	"U-Boot 2023.01-hl-gaudi-1.0.0-fw-1.0.0 (flash)"

static const char *boot_state_name(enum fw_boot_state state)
{
	static const char *const names[] = {
		[FW_BOOT_OFF] = "off",
		[FW_BOOT_PREBOOT] = "preboot",
		[FW_BOOT_WAIT_BOOT_FIT] = "waiting for boot-fit",
		[FW_BOOT_UBOOT] = "boot-fit starting",
		[FW_BOOT_WAIT_LINUX] = "waiting for the system",
		[FW_BOOT_LINUX_STARTING] = "system starting",
		[FW_BOOT_RUNNING] = "running",
		[FW_BOOT_HALTED] = "halted",
		[FW_BOOT_FAILED] = "failed",
	};

	return names[state];
}

/* Where a boot gets stuck: nothing that was to follow happens. */
static void boot_status(struct gaudi_fw *fw, uint32_t status)
{
	if (fw->dead)
		return;
	fw_psoc_write(fw, PSOC_CPU_BOOT_STATUS, status);
	if (status == fw->stuck_at) {
		fw->dead = true;
		fw->boot_deadline = UINT64_MAX;
	}
}

/* Enter a state whose work is done when the stage's delay has passed. */
void fw_boot_enter(struct gaudi_fw *fw, enum fw_boot_state state)
{
	uint64_t late = 0, delay;

	fw->boot = state;
	if (fw->dead)
		return;
	fw_fault(fw, GAUDI_FW_FAULT_BOOT_LATE, &late);
	delay = fw->config.boot_delay_ms + (late & UINT32_MAX);
	if (!delay) {
		fw->boot_deadline = UINT64_MAX;
		fw->loader->timer(fw);
		return;
	}
	fw->boot_deadline = fw->bus.now_ns(fw->opaque) + delay * NSEC_PER_MSEC;
}

/* --- errors -------------------------------------------------------------- */

#define ERR0(name)	GAUDI_BOOT_ERR0_##name

/* Which stage finds out; what is in neither list, preboot does. */
#define BOOT_UBOOT_ERRORS	(ERR0(DRAM_INIT_FAIL) | ERR0(FIT_CORRUPTED) | \
				 ERR0(DRAM_SKIPPED) | \
				 ERR0(BMC_WAIT_SKIPPED) | \
				 ERR0(NIC_DATA_NOT_RDY) | ERR0(NIC_FW_FAIL))
#define BOOT_LINUX_ERRORS	(ERR0(TS_INIT_FAIL) | \
				 ERR0(TMP_THRESH_INIT_FAIL))
/* After these there is no next stage. */
#define BOOT_STOP_ERRORS	(ERR0(BOOT_FW_CRIT_ERR) | \
				 ERR0(ENG_ARC_MEM_SCRUB_FAIL))

static void boot_error(struct gaudi_fw *fw, uint32_t set, uint32_t clear)
{
	fw->err0 = (fw->err0 & ~clear) | set | GAUDI_BOOT_ERR0_ENABLED;
	fw_psoc_write(fw, PSOC_CPU_BOOT_ERR0, fw->err0);
}

static void boot_errors_reset(struct gaudi_fw *fw)
{
	uint64_t err0 = 0, err1 = 0;

	fw_fault(fw, GAUDI_FW_FAULT_BOOT_ERR0, &err0);
	fw_fault(fw, GAUDI_FW_FAULT_BOOT_ERR1, &err1);
	fw->fault_err0 = (uint32_t)err0;
	fw->err0 = 0;
	boot_error(fw, fw->fault_err0 &
		   ~(uint32_t)(BOOT_UBOOT_ERRORS | BOOT_LINUX_ERRORS), 0);
	fw_psoc_write(fw, PSOC_CPU_BOOT_ERR1,
		      GAUDI_BOOT_ERR0_ENABLED | (uint32_t)err1);
}

static void boot_version(struct gaudi_fw *fw, uint32_t reg, uint32_t offset,
			 const char *version)
{
	char text[GAUDI_FW_VERSION_LEN] = "";

	snprintf(text, sizeof(text), "%s", version);
	memcpy(fw->version, text, sizeof(text));
	if (fw->bus.mem_write(fw->opaque, GAUDI_SRAM_BASE + offset, text,
			      sizeof(text)))
		fw_log(fw, false, "cannot write a version string to SRAM");
	fw_psoc_write(fw, reg, offset);
}

/* What differs between the cards of one description. */
static void boot_identity(struct gaudi_fw *fw)
{
	struct fw_board *b = &fw->board;
	char err[128];
	int room, len;

	for (unsigned int i = 0; i < FW_NUM_MACS; i++)
		b->macs[i][4] += (uint8_t)fw->config.module_id;
	if (fw->profile && fw_profile_apply(fw->profile, fw->config.slot, b,
					    err, sizeof(err)))
		fw_log(fw, false, "%s", err);
	if (fw->serial)
		snprintf(b->serial, sizeof(b->serial), "%s", fw->serial);
	room = (int)(sizeof(b->eeprom) - b->eeprom_len);
	len = snprintf((char *)b->eeprom + b->eeprom_len, (size_t)room,
		       "serial=%s\n", b->serial);
	if (len < room)
		b->eeprom_len += (unsigned int)len;
}

static void boot_running(struct gaudi_fw *fw)
{
	fw->boot = FW_BOOT_RUNNING;
	boot_identity(fw);
	fw_sensors_reset(fw);
	boot_error(fw, fw->fault_err0 & BOOT_LINUX_ERRORS, 0);
	fw_psoc_write(fw, PSOC_CPU_BOOT_DEV_STS0, fw->sts0);
	boot_status(fw, GAUDI_BOOT_STATUS_SRAM_AVAIL);
	if (fw->dead)
		return;
	/* The driver may have set up its queue before we were up. */
	fw_cpucp_queue_init(fw, fw_cpu_if_read(fw, CPU_IF_QUEUE_INIT));
}

void fw_boot_halt(struct gaudi_fw *fw)
{
	fw->boot = FW_BOOT_HALTED;
	fw->boot_deadline = UINT64_MAX;
	fw_cpucp_reset(fw);
	fw_events_reset(fw);
	boot_status(fw, GAUDI_BOOT_STATUS_IN_WFE);
}

/* --- images -------------------------------------------------------------- */

static int boot_read(struct gaudi_fw *fw, uint64_t addr, size_t room,
		     void **image, size_t *size)
{
	uint8_t header[8];
	uint32_t total;

	if (room > FW_IMAGE_MAX_SIZE)
		room = FW_IMAGE_MAX_SIZE;
	if (fw->bus.mem_read(fw->opaque, addr, header, sizeof(header)))
		return -EFAULT;
	/* Magic and total size open every flattened tree, big endian. */
	total = (uint32_t)header[4] << 24 | (uint32_t)header[5] << 16 |
		(uint32_t)header[6] << 8 | header[7];
	if (memcmp(header, "\xd0\x0d\xfe\xed", 4) || total < 40 ||
	    total > room)
		return -EINVAL;
	*image = malloc(total);
	if (!*image)
		return -ENOMEM;
	*size = total;
	if (fw->bus.mem_read(fw->opaque, addr, *image, total)) {
		free(*image);
		return -EFAULT;
	}
	return 0;
}

static bool boot_take_boot_fit(struct gaudi_fw *fw, const struct fw_image *img)
{
	boot_version(fw, PSOC_UBOOT_VER_OFFSET, FW_UBOOT_VER_OFFSET,
		     img->description);
	return true;
}

static bool boot_take_linux(struct gaudi_fw *fw, const struct fw_image *img)
{
	char err[128];

	if (fw_board_parse(img->dtb, img->dtb_len, &fw->board, err,
			   sizeof(err))) {
		fw_log(fw, true, "board description refused: %s", err);
		return false;
	}
	return true;
}

bool fw_boot_load(struct gaudi_fw *fw, enum fw_image_role role, uint64_t addr,
		  size_t room)
{
	static const struct {
		const char *name;
		bool (*take)(struct gaudi_fw *fw, const struct fw_image *img);
	} roles[] = {
		[FW_IMAGE_BOOT_FIT] = { "boot-fit", boot_take_boot_fit },
		[FW_IMAGE_LINUX] = { "fit", boot_take_linux },
	};
	struct fw_image image;
	char err[128] = "no FIT header, or its size is out of bounds";
	void *buf = NULL;
	size_t size = 0;
	bool ok = false;

	if (!boot_read(fw, addr, room, &buf, &size) &&
	    !fw_image_parse(buf, size, role, &image, err, sizeof(err)))
		ok = roles[role].take(fw, &image);
	else
		fw_log(fw, true, "%s image refused: %s", roles[role].name, err);
	free(buf);
	boot_error(fw, ok ? 0 : GAUDI_BOOT_ERR0_FIT_CORRUPTED,
		   ok ? GAUDI_BOOT_ERR0_FIT_CORRUPTED : 0);
	return ok;
}

/* --- what loaders share --------------------------------------------------- */

/* Which stage knows the firmware to do it; the others are preboot's. */
#define BOOT_UBOOT_CAPS	(GAUDI_BOOT_STS0_DRAM_INIT_EN | \
			 GAUDI_BOOT_STS0_BMC_WAIT_EN | \
			 GAUDI_BOOT_STS0_E2E_CRED_EN | \
			 GAUDI_BOOT_STS0_HBM_CRED_EN | \
			 GAUDI_BOOT_STS0_RL_EN | \
			 GAUDI_BOOT_STS0_DRAM_SCR_EN)
#define BOOT_PREBOOT_CAPS (GAUDI_BOOT_STS0_SECURITY_EN | BIT(1) | BIT(2) | \
			 GAUDI_BOOT_STS0_FW_HARD_RST_EN | BIT(12) | \
			 GAUDI_BOOT_STS0_CLK_GATE_EN | \
			 GAUDI_BOOT_STS0_FW_LD_COM_EN | \
			 GAUDI_BOOT_STS0_FW_IATU_CONF_EN | \
			 GAUDI_BOOT_STS0_ENABLED)

static void boot_caps(struct gaudi_fw *fw, uint32_t known)
{
	fw_psoc_write(fw, PSOC_CPU_BOOT_DEV_STS0, fw->sts0 & known);
}

void fw_boot_skip_bmc(struct gaudi_fw *fw)
{
	boot_error(fw, GAUDI_BOOT_ERR0_BMC_WAIT_SKIPPED, 0);
}

void fw_boot_exec(struct gaudi_fw *fw)
{
	if (fw->boot == FW_BOOT_WAIT_BOOT_FIT) {
		boot_status(fw, GAUDI_BOOT_STATUS_IN_UBOOT);
		fw_boot_enter(fw, FW_BOOT_UBOOT);
	} else if (fw->boot == FW_BOOT_WAIT_LINUX) {
		fw_boot_enter(fw, FW_BOOT_LINUX_STARTING);
	}
}

void fw_boot_stage(struct gaudi_fw *fw)
{
	switch (fw->boot) {
	case FW_BOOT_PREBOOT:
		fw->boot = FW_BOOT_WAIT_BOOT_FIT;
		boot_status(fw, GAUDI_BOOT_STATUS_WAITING_FOR_BOOT_FIT);
		break;
	case FW_BOOT_UBOOT:
		fw->boot = FW_BOOT_WAIT_LINUX;
		boot_error(fw, fw->fault_err0 & BOOT_UBOOT_ERRORS, 0);
		boot_caps(fw, BOOT_PREBOOT_CAPS | BOOT_UBOOT_CAPS);
		boot_status(fw, GAUDI_BOOT_STATUS_DRAM_RDY);
		boot_status(fw, GAUDI_BOOT_STATUS_NIC_FW_RDY);
		boot_status(fw, GAUDI_BOOT_STATUS_READY_TO_BOOT);
		break;
	case FW_BOOT_LINUX_STARTING:
		boot_running(fw);
		break;
	default:
		break;
	}
}

static void boot_stop_message(struct gaudi_fw *fw, uint32_t value)
{
	switch (value) {
	case GAUDI_KMD_MSG_GOTO_WFE:
		fw_boot_halt(fw);
		break;
	case GAUDI_KMD_MSG_RST_DEV:
		fw->bus.reset_card(fw->opaque, "RST_DEV message");
		break;
	case GAUDI_KMD_MSG_SKIP_BMC:
		if (fw->boot == FW_BOOT_WAIT_LINUX) {
			fw_boot_skip_bmc(fw);
			boot_status(fw, GAUDI_BOOT_STATUS_BMC_WAITING_SKIPPED);
		}
		break;
	case GAUDI_KMD_MSG_NA:
	case GAUDI_KMD_MSG_FIT_RDY:
		break;
	default:
		fw_log(fw, true, "unknown message %u to the CPU", value);
		break;
	}
}

/* --- static loader ------------------------------------------------------- */

static void static_start(struct gaudi_fw *fw)
{
	fw_boot_enter(fw, FW_BOOT_PREBOOT);
}

static void static_boot_fit(struct gaudi_fw *fw)
{
	if (!fw_boot_load(fw, FW_IMAGE_BOOT_FIT,
			  GAUDI_SRAM_BASE + GAUDI_SRAM_BOOT_FIT_OFFSET,
			  GAUDI_SRAM_SIZE - GAUDI_SRAM_BOOT_FIT_OFFSET)) {
		fw_psoc_write(fw, PSOC_CPU_CMD_STATUS_TO_HOST,
			      GAUDI_CMD_STATUS_ERR);
		/* A driver that cleared its message may try again. */
		return;
	}
	fw_psoc_write(fw, PSOC_CPU_CMD_STATUS_TO_HOST, GAUDI_CMD_STATUS_OK);
	fw_boot_exec(fw);
}

static void static_linux(struct gaudi_fw *fw)
{
	if (!fw_boot_load(fw, FW_IMAGE_LINUX,
			  GAUDI_HBM_BASE + GAUDI_HBM_FIT_OFFSET,
			  GAUDI_HBM_FW_SIZE - GAUDI_HBM_FIT_OFFSET)) {
		fw->boot = FW_BOOT_FAILED;
		boot_status(fw, GAUDI_BOOT_STATUS_FIT_CORRUPTED);
		return;
	}
	fw_boot_exec(fw);
}

static void static_message(struct gaudi_fw *fw, uint32_t value)
{
	if (value != GAUDI_KMD_MSG_FIT_RDY) {
		boot_stop_message(fw, value);
		return;
	}
	if (fw->boot == FW_BOOT_WAIT_BOOT_FIT)
		static_boot_fit(fw);
	else if (fw->boot == FW_BOOT_WAIT_LINUX)
		static_linux(fw);
	else
		fw_log(fw, true, "FIT_RDY while %s",
		       boot_state_name(fw->boot));
}

static void static_hw_state(struct gaudi_fw *fw, uint32_t value)
{
	(void)fw;
	(void)value;
}

static const struct fw_loader static_loader = {
	.name = "static",
	.start = static_start,
	.message = static_message,
	.hw_state = static_hw_state,
	.timer = fw_boot_stage,
};

/* --- boot from flash ----------------------------------------------------- */

/* The boot loader is already there; the driver's HW_STATE write wakes it. */
static void flash_hw_state(struct gaudi_fw *fw, uint32_t value)
{
	if (value == PSOC_HW_STATE_DIRTY && fw->boot == FW_BOOT_WAIT_LINUX)
		fw_boot_enter(fw, FW_BOOT_LINUX_STARTING);
}

static void flash_timer(struct gaudi_fw *fw)
{
	if (fw->boot == FW_BOOT_PREBOOT) {
		boot_version(fw, PSOC_UBOOT_VER_OFFSET, FW_UBOOT_VER_OFFSET,
			     FW_UBOOT_FLASH_VERSION);
		fw->boot = FW_BOOT_UBOOT;
	}
	fw_boot_stage(fw);
}

static const struct fw_loader flash_loader = {
	.name = "flash",
	.start = static_start,
	.message = boot_stop_message,
	.hw_state = flash_hw_state,
	.timer = flash_timer,
};

/*
 * A driver learns where to write in place of the GIC from a descriptor only,
 * and from flash there is none. On a secured card it leaves to firmware what
 * this one does not do.
 */
static void boot_choose_loader(struct gaudi_fw *fw)
{
	bool dynamic = fw->sts0 & GAUDI_BOOT_STS0_FW_LD_COM_EN;
	uint32_t impossible = GAUDI_BOOT_STS0_SECURITY_EN;

	if (fw->sts0 & impossible)
		fw->bus.used(fw->opaque, "secured card", GAUDI_FW_MISSING);
	if (fw->config.flash_boot)
		impossible |= GAUDI_BOOT_STS0_FW_LD_COM_EN;
	if (fw->config.flash_boot || !dynamic)
		impossible |= GAUDI_BOOT_STS0_GIC_PRIVILEGED_EN;
	if (fw->sts0 & impossible)
		fw_log(fw, false, "0x%x taken out of STS0: this card cannot",
		       fw->sts0 & impossible);
	fw->sts0 &= ~impossible;
	fw->loader = fw->config.flash_boot ? &flash_loader :
		     dynamic ? &fw_comms_loader : &static_loader;
}

void fw_boot_reset(struct gaudi_fw *fw)
{
	uint64_t stuck = FW_NOT_STUCK;
	const char *preboot;

	boot_choose_loader(fw);
	fw_fault(fw, GAUDI_FW_FAULT_BOOT_STUCK, &stuck);
	fw->stuck_at = (uint32_t)stuck;
	if (fw->stuck_at == GAUDI_BOOT_STATUS_NA)
		fw->dead = true;
	fw->boot = FW_BOOT_FAILED;
	boot_status(fw, GAUDI_BOOT_STATUS_IN_BTL);
	if (fw->dead)
		return;
	boot_caps(fw, BOOT_PREBOOT_CAPS);
	fw_psoc_write(fw, PSOC_CPU_BOOT_DEV_STS1,
		      fw->sts0 ? GAUDI_BOOT_STS0_ENABLED : 0);
	boot_errors_reset(fw);
	fw_psoc_write(fw, PSOC_BTM_FSM, 0);
	preboot = fw->profile ? fw_profile_preboot(fw->profile) : NULL;
	boot_version(fw, PSOC_PREBOOT_VER_OFFSET, FW_PREBOOT_VER_OFFSET,
		     preboot ?: FW_PREBOOT_VERSION);
	boot_status(fw, GAUDI_BOOT_STATUS_IN_PREBOOT);
	if (fw->fault_err0 & BOOT_STOP_ERRORS)
		fw->dead = true;
	fw->loader->start(fw);
}
