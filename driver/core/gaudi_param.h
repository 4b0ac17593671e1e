/* SPDX-License-Identifier: GPL-2.0-only */
/* The module: its name and its parameters (mainline's names and meanings). */
#ifndef GAUDI_PARAM_H
#define GAUDI_PARAM_H

#include <linux/types.h>

struct workqueue_struct;

#define GAUDI_DRV_NAME		"gaudi"
#define GAUDI_DRV_DESC		"Open driver for the Habana Gaudi accelerator"
#define GAUDI_DRV_MAJOR		0
#define GAUDI_DRV_MINOR		1
#define GAUDI_DRV_VERSION	"0.1.0-gaudi"

/*
 * Seconds until a CS counts as stuck; 0: never. Read at probe only, into
 * gaudi_tunables.timeout_s, where the default has another meaning.
 */
extern unsigned int gaudi_timeout_locked;
/* Reset the card when a CS is stuck. */
extern int gaudi_reset_on_lockup;
/*
 * Overwrite HBM and SRAM: with zeros at each open, and with a pattern at probe and
 * at each reset.
 */
extern int gaudi_memory_scrub;
/* Whether shared mode is built in; "make GAUDI_SHARED=n" leaves it out. */
#ifndef GAUDI_SHARED
#define GAUDI_SHARED 1
#endif
/* Several processes of one user may have the card open. */
#if GAUDI_SHARED
extern bool gaudi_shared;
/* Seconds in which something must end while others wait; 0: any time. */
extern unsigned int gaudi_shared_hold;
#else
#define gaudi_shared false
#endif
/*
 * How many of them. What the card has of sync objects, monitors and SRAM is
 * divided by this: 128 and 32 per sync manager, and 1.25 MiB.
 */
#define GAUDI_MAX_USERS		16
/* What users pin may not be more than RLIMIT_MEMLOCK. */
extern bool gaudi_enforce_memlock;
/*
 * NIC ports to be used, if not GAUDI_NIC_PORTS_AUTO: then those are that firmware
 * says have a cable.
 */
extern unsigned int gaudi_nic_ports_mask;
#define GAUDI_NIC_PORTS_AUTO	(~0u)
/* Which bits of the firmware's boot error registers fail a probe. */
extern ulong gaudi_boot_error_status_mask;

/* What ends after a device may have gone; outlives all of them. */
extern struct workqueue_struct *gaudi_wq;

#endif /* GAUDI_PARAM_H */
