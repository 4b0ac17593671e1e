/* SPDX-License-Identifier: GPL-2.0-only */
/* The INFO ioctl: what its two halves share. */
#ifndef GAUDI_INFO_H
#define GAUDI_INFO_H

#include <linux/types.h>

struct drm_device;
struct drm_file;
struct gaudi_ctx;
struct gaudi_device;
struct hl_info_args;

/* Room for the largest fixed-size answer. */
#define GAUDI_INFO_MAX_SIZE	320

/* One request. */
struct gaudi_info {
	struct gaudi_device *gdev;
	struct gaudi_ctx *ctx;		/* NULL on the control node */
	struct hl_info_args *args;
	void *out;			/* zeroed, GAUDI_INFO_MAX_SIZE bytes */
	/* What the user gets once the device has been left. */
	const void *answer;		/* NULL: nothing */
	size_t answer_len;
	void *to_free;			/* afterwards, by kvfree() */
};

/*
 * An opcode with fill gets its answer copied to the user, up to the size that
 * the user asked for. One with run sets up the copy itself. Both return 0 or an
 * errno; GAUDI_INFO_NOTHING leaves the user's memory alone and returns 0.
 */
#define GAUDI_INFO_NOTHING	1

int gaudi_info_ioctl(struct drm_device *drm, void *data, struct drm_file *file);
/* INFO on the control node: same argument, restricted opcodes. */
int gaudi_info_ioctl_control(struct gaudi_device *gdev, void *arg);

struct gaudi_info_op {
	int (*fill)(struct gaudi_info *info);
	int (*run)(struct gaudi_info *info);
	u16 size;			/* of fill's answer */
	bool always;			/* also while the card is in reset */
};

/* gaudi_info_fw.c: what only the embedded CPU knows. */
int gaudi_info_utilization(struct gaudi_info *info);
int gaudi_info_clk_rate(struct gaudi_info *info);
int gaudi_info_pci_counters(struct gaudi_info *info);
int gaudi_info_total_energy(struct gaudi_info *info);
int gaudi_info_pll_frequency(struct gaudi_info *info);
int gaudi_info_power(struct gaudi_info *info);
int gaudi_info_replaced_rows(struct gaudi_info *info);
int gaudi_info_pending_rows(struct gaudi_info *info);
int gaudi_info_attestation(struct gaudi_info *info);
int gaudi_info_dev_signed(struct gaudi_info *info);
int gaudi_info_fw_generic(struct gaudi_info *info);

/*
 * Copy at most size bytes, and not more than the user asked for, from info->out
 * or info->to_free. -EINVAL if the user asked for none.
 */
int gaudi_info_answer(struct gaudi_info *info, const void *data, size_t size);

#endif /* GAUDI_INFO_H */
