/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Between the files of this room. What the two loaders of the embedded CPU's firmware
 * share sleeps, and is for bring-up and reset only, one caller at a time.
 */
#ifndef GAUDI_FW_H
#define GAUDI_FW_H

#include <linux/types.h>

struct firmware;
struct gaudi_device;
struct gaudi_eq_entry;

#define GAUDI_BOOT_FIT_FILE	"habanalabs/gaudi/gaudi-boot-fit.itb"
#define GAUDI_FIT_FILE		"habanalabs/gaudi/gaudi-fit.itb"

#define GAUDI_CPU_TIMEOUT_MS	30000

/*
 * Wait for one of the boot states in the bit set want; *status is the last.
 * 0, -ETIMEDOUT, or -ENODEV.
 */
int gaudi_fw_wait_status(struct gaudi_device *gdev, u32 want,
			 unsigned int timeout_ms, u32 *status);
/*
 * A stage of the boot ended with ret: print what the error registers hold,
 * after a failure too, and read the status bits again.
 */
int gaudi_fw_stage_done(struct gaudi_device *gdev, int ret);
/*
 * The file, checked to be one that can be copied; the caller releases it, after an error
 * too, if it is not NULL.
 */
int gaudi_fw_request(struct gaudi_device *gdev, const char *name,
		     const struct firmware **fw);
/* End a version, of GAUDI_FW_VERSION_LEN bytes from the card, as plain text. */
void gaudi_fw_clean_version(char *version);
/* The same, and then copy it to where users read it. */
void gaudi_fw_set_version(struct gaudi_device *gdev, char *dst, char *version);

/* gaudi_cpucp.c: the ring of GAUDI_CPU_EQ_ENTRIES events; firmware writes, we clear READY. */
struct gaudi_eq_entry *gaudi_cpucp_eq(struct gaudi_device *gdev);

/* gaudi_comms.c: the dynamic loader. */
/* From preboot to the running system. 0, or -errno, which is in the log. */
int gaudi_comms_load(struct gaudi_device *gdev);
/* Make the CPU halt or reset the card; for firmware that is not yet up. */
void gaudi_comms_stop(struct gaudi_device *gdev, bool reset);

#endif /* GAUDI_FW_H */
