/* SPDX-License-Identifier: GPL-2.0-only */
/* Between gaudi_cpucp.c, its messages, and the event queue. */
#ifndef GAUDI_CPUCP_PRIV_H
#define GAUDI_CPUCP_PRIV_H

#include <linux/types.h>

struct gaudi_cpucp_packet;
struct gaudi_device;
struct gaudi_eq_entry;

#define GAUDI_CPUCP_TIMEOUT_MS		4000
#define GAUDI_CPUCP_INFO_TIMEOUT_MS	10000

/*
 * gaudi_cpucp_send(), with data_size bytes that travel both ways: data is
 * copied in before, and out after success. The packet's addr is filled in.
 */
int gaudi_cpucp_xfer(struct gaudi_device *gdev, struct gaudi_cpucp_packet *pkt,
		     size_t size, u32 timeout_ms, u64 *result, void *data,
		     size_t data_size);

/* The ring of GAUDI_CPU_EQ_ENTRIES entries; device writes, we clear READY. */
struct gaudi_eq_entry *gaudi_cpucp_eq(struct gaudi_device *gdev);

#endif /* GAUDI_CPUCP_PRIV_H */
