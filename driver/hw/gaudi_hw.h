/* SPDX-License-Identifier: GPL-2.0-only */
/* Engines, the driver's own jobs, events, reset: what the user side calls. */
#ifndef GAUDI_HW_H
#define GAUDI_HW_H

#include <linux/types.h>

struct gaudi_device;
struct seq_file;

/*
 * True if no engine works. mask (HL_BUSY_ENGINES_MASK_EXT_SIZE u64s, bits as
 * enum gaudi_engine_id) and text (what INFO_ENGINE_STATUS and debugfs show)
 * may be NULL.
 */
bool gaudi_engines_idle(struct gaudi_device *gdev, u64 *mask, unsigned int len,
			struct seq_file *text);

/* Driver's jobs on DMA0: whole packets, waits for the end. May sleep. */
int gaudi_kjob_memset(struct gaudi_device *gdev, u64 dev_addr, u64 pattern,
		      u64 len);
int gaudi_kjob_copy(struct gaudi_device *gdev, u64 dst, u64 src, u64 len);
/* count registers from cfg_off on become value. */
int gaudi_kjob_reg_fill(struct gaudi_device *gdev, u32 cfg_off, u32 value,
			u32 count);

/* Save the waits of all streams for debugfs; not during a reset. May sleep. */
void gaudi_state_dump(struct gaudi_device *gdev);

/* All SOBs and monitors of a user to their reset state (at open). */
int gaudi_sync_restore(struct gaudi_device *gdev);
/* First SOB and monitor that belong to the user, per sync manager. */
#define GAUDI_FIRST_USER_SOB_W_S	144
#define GAUDI_FIRST_USER_MON_W_S	72

/* Read a register so that earlier writes of the device are visible. */
void gaudi_flush_hbw(struct gaudi_device *gdev);
u64 gaudi_device_time(struct gaudi_device *gdev);
/* Fill the users' part of SRAM and HBM. The card is not in use. Sleeps. */
int gaudi_device_scrub(struct gaudi_device *gdev, u64 pattern);

enum gaudi_reset_reason {
	GAUDI_RESET_USER,		/* sysfs hard_reset */
	GAUDI_RESET_TIMEOUT,		/* a job did not end */
	GAUDI_RESET_RELEASE,		/* the user left work behind */
	GAUDI_RESET_HEARTBEAT,
	GAUDI_RESET_EVENT,		/* firmware asks, or lost track */
	GAUDI_RESET_FATAL,		/* memory or clock errors */
	GAUDI_RESET_PCI,		/* AER, not fatal */
	GAUDI_RESET_NEXT_USER,		/* the last one's traces go */
};

/* Queue a hard reset; returns at once. Several requests become one. */
void gaudi_reset_schedule(struct gaudi_device *gdev,
			  enum gaudi_reset_reason reason);
/* The same, and wait until it is over, whatever came of it. */
void gaudi_reset_and_wait(struct gaudi_device *gdev,
			  enum gaudi_reset_reason reason);
/* Refuse work until a reset is requested (reset_on_lockup=0). */
void gaudi_reset_needed(struct gaudi_device *gdev);
/* INFO RESET_COUNT and sysfs. Gaudi 1 knows hard resets only. */
u32 gaudi_reset_count(struct gaudi_device *gdev);
/* Block resets for a while (ioctl paths); -EAGAIN while one runs. */
int gaudi_reset_enter(struct gaudi_device *gdev);
void gaudi_reset_exit(struct gaudi_device *gdev);

#endif /* GAUDI_HW_H */
