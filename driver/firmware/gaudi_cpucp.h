/* SPDX-License-Identifier: GPL-2.0-only */
/* The command queue of the embedded CPU, and messages by it. */
#ifndef GAUDI_CPUCP_H
#define GAUDI_CPUCP_H

#include <linux/bitfield.h>
#include <linux/types.h>

#include "../../uapi/hw/gaudi_fw_if.h"

struct gaudi_device;

/**
 * gaudi_cpucp_init() - Allocate the memory that firmware and driver share
 * @gdev: the card
 *
 * Context: Probe; freed by devm.
 * Return: 0 or %-ENOMEM.
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

/* How long an answer may take that firmware has to look for. */
#define GAUDI_CPUCP_INFO_TIMEOUT_MS	10000

/* A packet of this opcode; what follows are initialisers of its other fields. */
#define GAUDI_CPUCP_PKT(op, ...)					\
	(&(struct gaudi_cpucp_packet) {					\
		.ctl = cpu_to_le32(FIELD_PREP(GAUDI_CPUCP_CTL_OPCODE,	\
					      (op))),			\
		__VA_ARGS__						\
	})

/**
 * gaudi_cpucp_xfer() - Send a packet with data, and wait for its answer
 * @gdev: the card
 * @pkt: the packet; its addr is filled in if there are data
 * @timeout_ms: how long; 0: the usual time
 * @result: where the answer is put; may be %NULL
 * @data: goes with the packet, and gets what firmware makes of it; may be %NULL
 * @data_size: bytes of @data
 *
 * Context: May sleep; takes the queue's mutex.
 * Return: 0; %-EAGAIN: the queue is disabled (a reset, or an earlier timeout);
 *	%-ETIMEDOUT; %-EIO: firmware refused; %-EINVAL: too much data.
 */
int gaudi_cpucp_xfer(struct gaudi_device *gdev, struct gaudi_cpucp_packet *pkt,
		     u32 timeout_ms, u64 *result, void *data, size_t data_size);

/**
 * gaudi_cpucp_send() - Send a packet, and wait for its answer
 * @gdev: the card
 * @pkt: the packet
 * @timeout_ms: how long; 0: the usual time
 * @result: where the answer is put; may be %NULL
 *
 * Context: May sleep; takes the queue's mutex.
 * Return: As gaudi_cpucp_xfer().
 */
static inline int gaudi_cpucp_send(struct gaudi_device *gdev,
				   struct gaudi_cpucp_packet *pkt,
				   u32 timeout_ms, u64 *result)
{
	return gaudi_cpucp_xfer(gdev, pkt, timeout_ms, result, NULL, 0);
}

/**
 * gaudi_cpucp_fetch() - Send a packet that is answered with data
 * @gdev: the card
 * @pkt: the packet; its data_max_size is filled in
 * @result: where the answer itself is put; may be %NULL
 * @data: where the data are put; zeros behind them
 * @size: bytes of @data
 *
 * Context: May sleep; takes the queue's mutex.
 * Return: As gaudi_cpucp_xfer().
 */
int gaudi_cpucp_fetch(struct gaudi_device *gdev, struct gaudi_cpucp_packet *pkt,
		      u64 *result, void *data, size_t size);

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
 * Return: 0; %-EIO: a wrong answer; or as gaudi_cpucp_xfer().
 */
int gaudi_cpucp_test(struct gaudi_device *gdev);

/**
 * gaudi_cpucp_info_get() - Ask what card it is
 * @gdev: the card
 *
 * The answer goes to gaudi_device.info, under fw_sem.
 *
 * Context: May sleep.
 * Return: 0, %-ENOMEM, or as gaudi_cpucp_xfer().
 */
int gaudi_cpucp_info_get(struct gaudi_device *gdev);

/**
 * gaudi_cpucp_pci_access() - Allow firmware to access PCI, or forbid it
 * @gdev: the card
 * @enable: which of them
 *
 * Context: May sleep.
 * Return: As gaudi_cpucp_xfer().
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
 * Return: As gaudi_cpucp_xfer(); an errno too if there is no such PLL.
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
 * Return: As gaudi_cpucp_xfer(); an errno too if there is no such PLL.
 */
int gaudi_cpucp_frequency_set(struct gaudi_device *gdev, u32 pll, u64 hz);

/**
 * gaudi_cpucp_max_power_set() - Set the limit of power
 * @gdev: the card
 * @mw: the limit in milliwatts
 *
 * Context: May sleep.
 * Return: As gaudi_cpucp_xfer().
 */
int gaudi_cpucp_max_power_set(struct gaudi_device *gdev, u64 mw);

/**
 * gaudi_cpucp_power_get() - Ask what the card draws
 * @gdev: the card
 * @mw: where it is put, in milliwatts
 *
 * Context: May sleep.
 * Return: As gaudi_cpucp_xfer().
 */
int gaudi_cpucp_power_get(struct gaudi_device *gdev, u64 *mw);

/**
 * gaudi_cpucp_pll_info_get() - Ask for the outputs of a PLL
 * @gdev: the card
 * @pll: the PLL, by the number that users know
 * @mhz: where their four frequencies are put, in MHz
 *
 * Context: May sleep.
 * Return: As gaudi_cpucp_xfer(); an errno too if there is no such PLL.
 */
int gaudi_cpucp_pll_info_get(struct gaudi_device *gdev, u32 pll,
			     u16 *mhz /* [4] */);

#endif /* GAUDI_CPUCP_H */
