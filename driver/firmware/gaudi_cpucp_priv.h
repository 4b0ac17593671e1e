/* SPDX-License-Identifier: GPL-2.0-only */
/* Between gaudi_cpucp.c and the event queue. */
#ifndef GAUDI_CPUCP_PRIV_H
#define GAUDI_CPUCP_PRIV_H

#include <linux/types.h>

struct gaudi_device;
struct gaudi_eq_entry;

/* The ring of GAUDI_CPU_EQ_ENTRIES entries; device writes, we clear READY. */
struct gaudi_eq_entry *gaudi_cpucp_eq(struct gaudi_device *gdev);

#endif /* GAUDI_CPUCP_PRIV_H */
