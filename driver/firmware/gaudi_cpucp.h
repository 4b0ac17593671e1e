/* SPDX-License-Identifier: GPL-2.0-only */
/* The command queue of the embedded CPU: one function per message. */
#ifndef GAUDI_CPUCP_H
#define GAUDI_CPUCP_H

#include <linux/types.h>
#include <uapi/drm/habanalabs_accel.h>

#include "../../uapi/hw/gaudi_fw_if.h"

struct gaudi_device;

/**
 * gaudi_cpucp_init() - Allocate the memory that firmware and driver share
 * @gdev: the card
 *
 * Context: Probe; freed by devm.
 * Return: 0, %-ENOMEM or %-EFAULT.
 */
int gaudi_cpucp_init(struct gaudi_device *gdev);

/**
 * gaudi_cpucp_hw_init() - Tell firmware of its queues, and wait for it
 * @gdev: the card
 *
 * Context: Bring-up and reset. May sleep.
 * Return: 0 or an errno.
 */
int gaudi_cpucp_hw_init(struct gaudi_device *gdev);

/**
 * gaudi_cpucp_set_msb() - Tell firmware the upper address bits of what is
 *	shared
 * @gdev: the card
 *
 * Before it boots.
 */
void gaudi_cpucp_set_msb(struct gaudi_device *gdev);

/**
 * gaudi_cpucp_send() - Send a packet, and wait for its answer
 * @gdev: the card
 * @pkt: the packet
 * @size: its bytes
 * @timeout_ms: how long; 0: the usual time
 * @result: where the answer is put; may be %NULL
 *
 * Context: May sleep; takes the queue's mutex.
 * Return: 0; %-EAGAIN: the queue is disabled (a reset, or an earlier timeout);
 *	%-ETIMEDOUT; %-EIO: firmware refused.
 */
int gaudi_cpucp_send(struct gaudi_device *gdev, struct gaudi_cpucp_packet *pkt,
		     size_t size, u32 timeout_ms, u64 *result);

/**
 * gaudi_cpucp_close() - A reset begins
 * @gdev: the card
 *
 * Messages that wait for their answer fail soon, and others, but for the one
 * that takes PCI from firmware, with %-EAGAIN.
 *
 * Context: Does not sleep.
 */
void gaudi_cpucp_close(struct gaudi_device *gdev);

/**
 * gaudi_cpucp_disable() - Close the queue, and wait for the message under way
 * @gdev: the card
 *
 * Until gaudi_cpucp_hw_init().
 *
 * Context: May sleep; takes the queue's mutex.
 */
void gaudi_cpucp_disable(struct gaudi_device *gdev);

/**
 * gaudi_cpucp_test() - See whether firmware answers
 * @gdev: the card
 *
 * Context: May sleep.
 * Return: 0; %-EIO: a wrong answer; or as gaudi_cpucp_send().
 */
int gaudi_cpucp_test(struct gaudi_device *gdev);

/**
 * gaudi_cpucp_info_get() - Ask what card it is
 * @gdev: the card
 *
 * The answer goes to gaudi_device.info, under fw_sem.
 *
 * Context: May sleep.
 * Return: 0, %-ENOMEM, or as gaudi_cpucp_send().
 */
int gaudi_cpucp_info_get(struct gaudi_device *gdev);

/**
 * gaudi_cpucp_nic_info_get() - Ask which NIC ports there are
 * @gdev: the card
 * @info: where the answer is put
 *
 * Context: May sleep.
 * Return: As gaudi_cpucp_send().
 */
int gaudi_cpucp_nic_info_get(struct gaudi_device *gdev,
			     struct gaudi_cpucp_nic_info *info);

/**
 * gaudi_cpucp_pci_access() - Allow firmware to access PCI, or forbid it
 * @gdev: the card
 * @enable: which of them
 *
 * Context: May sleep.
 * Return: As gaudi_cpucp_send().
 */
int gaudi_cpucp_pci_access(struct gaudi_device *gdev, bool enable);

/**
 * gaudi_cpucp_frequency_get() - Ask for the frequency of a PLL
 * @gdev: the card
 * @pll: the PLL, by the number that users know
 * @current_: the one at which it runs now; else the one that was set
 * @hz: where it is put
 *
 * Context: May sleep.
 * Return: As gaudi_cpucp_send(); an errno too if there is no such PLL.
 */
int gaudi_cpucp_frequency_get(struct gaudi_device *gdev, u32 pll, bool current_,
			      u64 *hz);

/**
 * gaudi_cpucp_frequency_set() - Set the frequency of a PLL
 * @gdev: the card
 * @pll: the PLL, by the number that users know
 * @hz: the frequency
 *
 * Context: May sleep.
 * Return: As gaudi_cpucp_send(); an errno too if there is no such PLL.
 */
int gaudi_cpucp_frequency_set(struct gaudi_device *gdev, u32 pll, u64 hz);

/**
 * gaudi_cpucp_max_power_get() - Ask for the limit of power
 * @gdev: the card
 * @mw: where it is put, in milliwatts
 *
 * Context: May sleep.
 * Return: As gaudi_cpucp_send().
 */
int gaudi_cpucp_max_power_get(struct gaudi_device *gdev, u64 *mw);

/**
 * gaudi_cpucp_max_power_set() - Set the limit of power
 * @gdev: the card
 * @mw: the limit in milliwatts
 *
 * Context: May sleep.
 * Return: As gaudi_cpucp_send().
 */
int gaudi_cpucp_max_power_set(struct gaudi_device *gdev, u64 mw);

/**
 * gaudi_cpucp_power_get() - Ask what the card draws
 * @gdev: the card
 * @mw: where it is put, in milliwatts
 *
 * Context: May sleep.
 * Return: As gaudi_cpucp_send().
 */
int gaudi_cpucp_power_get(struct gaudi_device *gdev, u64 *mw);

/**
 * gaudi_cpucp_total_energy_get() - Ask for the energy since power-on
 * @gdev: the card
 * @mj: where it is put, in millijoules
 *
 * Context: May sleep.
 * Return: As gaudi_cpucp_send().
 */
int gaudi_cpucp_total_energy_get(struct gaudi_device *gdev, u64 *mj);

/**
 * gaudi_cpucp_pll_info_get() - Ask for the outputs of a PLL
 * @gdev: the card
 * @pll: the PLL, by the number that users know
 * @mhz: where their four frequencies are put, in MHz
 *
 * Context: May sleep.
 * Return: As gaudi_cpucp_send(); an errno too if there is no such PLL.
 */
int gaudi_cpucp_pll_info_get(struct gaudi_device *gdev, u32 pll,
			     u16 *mhz /* [4] */);

/**
 * gaudi_cpucp_pci_counters_get() - Ask for the counters of the link
 * @gdev: the card
 * @counters: where they are put
 *
 * Firmware measures the throughput, which takes a while.
 *
 * Context: May sleep.
 * Return: As gaudi_cpucp_send().
 */
int gaudi_cpucp_pci_counters_get(struct gaudi_device *gdev,
				 struct hl_info_pci_counters *counters);

/**
 * gaudi_cpucp_replaced_rows_get() - Ask which rows of HBM were replaced
 * @gdev: the card
 * @rows: where firmware's answer is put
 * @size: its bytes
 *
 * Context: May sleep.
 * Return: As gaudi_cpucp_send().
 */
int gaudi_cpucp_replaced_rows_get(struct gaudi_device *gdev, void *rows,
				  size_t size);

/**
 * gaudi_cpucp_pending_rows_get() - Ask whether rows of HBM wait to be replaced
 * @gdev: the card
 * @pending: where the answer is put
 *
 * Context: May sleep.
 * Return: As gaudi_cpucp_send().
 */
int gaudi_cpucp_pending_rows_get(struct gaudi_device *gdev, u32 *pending);

/**
 * gaudi_cpucp_eeprom_get() - Read the EEPROM
 * @gdev: the card
 * @data: where it is put; zeros behind what firmware wrote
 * @size: bytes of @data
 *
 * Context: May sleep.
 * Return: As gaudi_cpucp_send().
 */
int gaudi_cpucp_eeprom_get(struct gaudi_device *gdev, void *data, size_t size);

/**
 * gaudi_cpucp_sensor_get() - Read a sensor's attribute
 * @gdev: the card
 * @opcode: the message, which says the kind of sensor
 * @index: the sensor's number
 * @attr: the attribute, as firmware numbers them
 * @value: where it is put
 *
 * Context: May sleep.
 * Return: As gaudi_cpucp_send().
 */
int gaudi_cpucp_sensor_get(struct gaudi_device *gdev, u32 opcode, u32 index,
			   u32 attr, s64 *value);

/**
 * gaudi_cpucp_sensor_set() - Write a sensor's attribute
 * @gdev: the card
 * @opcode: the message, which says the kind of sensor
 * @index: the sensor's number
 * @attr: the attribute, as firmware numbers them
 * @value: what is written
 *
 * Context: May sleep.
 * Return: As gaudi_cpucp_send().
 */
int gaudi_cpucp_sensor_set(struct gaudi_device *gdev, u32 opcode, u32 index,
			   u32 attr, s64 value);

/**
 * gaudi_cpucp_monitor_dump() - Ask for the registers of all monitors
 * @gdev: the card
 * @data: where firmware's answer is put
 * @size: its bytes
 *
 * Also of those that PCI may not read.
 *
 * Context: May sleep.
 * Return: As gaudi_cpucp_send().
 */
int gaudi_cpucp_monitor_dump(struct gaudi_device *gdev, void *data,
			     size_t size);

/**
 * gaudi_cpucp_unmask_event() - Let firmware report an event again
 * @gdev: the card
 * @event_id: the event
 *
 * Context: May sleep.
 * Return: As gaudi_cpucp_send().
 */
int gaudi_cpucp_unmask_event(struct gaudi_device *gdev, u32 event_id);

/**
 * gaudi_cpucp_attest_get() - Ask for a signed answer: attestation
 * @gdev: the card
 * @opcode: which message
 * @data: where firmware's answer is put
 * @size: its bytes
 * @nonce: a number that the answer holds
 *
 * Context: May sleep.
 * Return: As gaudi_cpucp_send().
 */
int gaudi_cpucp_attest_get(struct gaudi_device *gdev, u32 opcode, void *data,
			   size_t size, u32 nonce);

/**
 * gaudi_cpucp_generic() - Pass a user's message through
 * @gdev: the card
 * @data: the message; gets the answer
 * @size: bytes of @data
 * @subidx: which message
 * @out_size: where the answer's bytes are put, at most @size
 *
 * Context: May sleep.
 * Return: As gaudi_cpucp_send().
 */
int gaudi_cpucp_generic(struct gaudi_device *gdev, void *data, size_t size,
			u32 subidx, u32 *out_size);

#endif /* GAUDI_CPUCP_H */
