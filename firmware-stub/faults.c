// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Faults on demand: which are armed, and how often they still strike. What a
 * fault does is in the file that asks for it: boot.c and comms.c for the boot,
 * cpucp.c for commands.
 */
#include <string.h>

#include "fw.h"

static const char *const fault_names[GAUDI_FW_NUM_FAULTS] = {
	[GAUDI_FW_FAULT_SILENT] = "silent",
	[GAUDI_FW_FAULT_BOOT_ERR0] = "boot-err0",
	[GAUDI_FW_FAULT_BOOT_ERR1] = "boot-err1",
	[GAUDI_FW_FAULT_BOOT_STUCK] = "boot-stuck",
	[GAUDI_FW_FAULT_BOOT_LATE] = "boot-late",
	[GAUDI_FW_FAULT_DESC] = "descriptor",
	[GAUDI_FW_FAULT_COMMS_STATUS] = "comms-status",
	[GAUDI_FW_FAULT_CMD_SILENT] = "command-silent",
	[GAUDI_FW_FAULT_CMD_LATE] = "command-late",
	[GAUDI_FW_FAULT_CMD_RC] = "command-rc",
	[GAUDI_FW_FAULT_CMD_RESULT] = "command-result",
	[GAUDI_FW_FAULT_CMD_GARBAGE] = "command-garbage",
	[GAUDI_FW_FAULT_EVENT_LOST] = "event-lost",
};

int gaudi_fw_fault(struct gaudi_fw *fw, unsigned int what, uint64_t arg,
		   uint32_t count)
{
	if (what >= GAUDI_FW_NUM_FAULTS)
		return -EINVAL;
	fw->faults[what] = (struct fw_fault){
		.armed = true,
		.arg = arg,
		.left = count,
	};
	fw_log(fw, false, "fault %s armed, 0x%llx, %u times (0: always)",
	       fault_names[what], (unsigned long long)arg, count);
	/* Before the first reset there is no boot that it could strike. */
	if (what == GAUDI_FW_FAULT_SILENT && fw->boot != FW_BOOT_OFF)
		fw->dead = fw_fault(fw, what, NULL);
	return 0;
}

void gaudi_fw_fault_clear(struct gaudi_fw *fw, unsigned int what)
{
	if (what < GAUDI_FW_NUM_FAULTS)
		fw->faults[what].armed = false;
	else
		memset(fw->faults, 0, sizeof(fw->faults));
}

/* One that is armed. */
static void strike(struct gaudi_fw *fw, enum gaudi_fw_fault_kind what,
		   unsigned int command, uint64_t *arg)
{
	struct fw_fault *fault = &fw->faults[what];

	if (arg)
		*arg = fault->arg;
	if (fault->left && !--fault->left)
		fault->armed = false;
	if (fw->bus.struck)
		fw->bus.struck(fw->opaque, what, command);
}

bool fw_fault(struct gaudi_fw *fw, enum gaudi_fw_fault_kind what,
	      uint64_t *arg)
{
	if (!fw->faults[what].armed)
		return false;
	strike(fw, what, 0, arg);
	return true;
}

bool fw_fault_command(struct gaudi_fw *fw, enum gaudi_fw_fault_kind what,
		      unsigned int opcode, uint64_t *value)
{
	unsigned int wanted = fw->faults[what].arg & 0xffff;
	uint64_t arg;

	if (!fw->faults[what].armed || (wanted && wanted != opcode))
		return false;
	strike(fw, what, opcode, &arg);
	if (value)
		*value = arg >> 16;
	return true;
}
