/* SPDX-License-Identifier: GPL-2.0-only */
/* The command queue of the embedded CPU: one function per message. */
#ifndef GAUDI_CPUCP_H
#define GAUDI_CPUCP_H

#include <linux/types.h>
#include <uapi/drm/habanalabs_accel.h>

#include "../../uapi/hw/gaudi_fw_if.h"

struct gaudi_device;

int gaudi_cpucp_init(struct gaudi_device *gdev);
int gaudi_cpucp_hw_init(struct gaudi_device *gdev);
/* Before firmware boots: upper address bits of everything that is shared. */
void gaudi_cpucp_set_msb(struct gaudi_device *gdev);

/*
 * Send a packet and wait for its fence. 0 and *result; -EAGAIN: queue disabled
 * (reset, or an earlier timeout), -ETIMEDOUT, -EIO: firmware refused.
 */
int gaudi_cpucp_send(struct gaudi_device *gdev, struct gaudi_cpucp_packet *pkt,
		     size_t size, u32 timeout_ms, u64 *result);
/*
 * A reset begins: messages that wait for their answer fail soon, and others,
 * but for the one that takes PCI from firmware, with -EAGAIN. Does not sleep.
 */
void gaudi_cpucp_close(struct gaudi_device *gdev);
void gaudi_cpucp_disable(struct gaudi_device *gdev);

int gaudi_cpucp_test(struct gaudi_device *gdev);
int gaudi_cpucp_info_get(struct gaudi_device *gdev);
int gaudi_cpucp_pci_access(struct gaudi_device *gdev, bool enable);
int gaudi_cpucp_frequency_get(struct gaudi_device *gdev, u32 pll, bool current_,
			      u64 *hz);
int gaudi_cpucp_frequency_set(struct gaudi_device *gdev, u32 pll, u64 hz);
int gaudi_cpucp_max_power_get(struct gaudi_device *gdev, u64 *mw);
int gaudi_cpucp_max_power_set(struct gaudi_device *gdev, u64 mw);
int gaudi_cpucp_power_get(struct gaudi_device *gdev, u64 *mw);
int gaudi_cpucp_total_energy_get(struct gaudi_device *gdev, u64 *mj);
int gaudi_cpucp_pll_info_get(struct gaudi_device *gdev, u32 pll,
			     u16 *mhz /* [4] */);
int gaudi_cpucp_pci_counters_get(struct gaudi_device *gdev,
				 struct hl_info_pci_counters *counters);
int gaudi_cpucp_replaced_rows_get(struct gaudi_device *gdev, void *rows,
				  size_t size);
int gaudi_cpucp_pending_rows_get(struct gaudi_device *gdev, u32 *pending);
int gaudi_cpucp_eeprom_get(struct gaudi_device *gdev, void *data, size_t size);
int gaudi_cpucp_sensor_get(struct gaudi_device *gdev, u32 opcode, u32 index,
			   u32 attr, s64 *value);
int gaudi_cpucp_sensor_set(struct gaudi_device *gdev, u32 opcode, u32 index,
			   u32 attr, s64 value);
int gaudi_cpucp_monitor_dump(struct gaudi_device *gdev, void *data,
			     size_t size);
int gaudi_cpucp_unmask_event(struct gaudi_device *gdev, u32 event_id);
int gaudi_cpucp_attest_get(struct gaudi_device *gdev, u32 opcode, void *data,
			   size_t size, u32 nonce);
int gaudi_cpucp_generic(struct gaudi_device *gdev, void *data, size_t size,
			u32 subidx, u32 *out_size);

#endif /* GAUDI_CPUCP_H */
