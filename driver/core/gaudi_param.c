// SPDX-License-Identifier: GPL-2.0-only
/* The module's parameters, which rooms of any height read. */
#include <linux/module.h>

#include "gaudi_param.h"

unsigned int gaudi_timeout_locked = 30;
module_param_named(timeout_locked, gaudi_timeout_locked, uint, 0444);
MODULE_PARM_DESC(timeout_locked,
		 "Seconds until a submission counts as stuck, 0: never (30, which means 600)");

int gaudi_reset_on_lockup = 1;
module_param_named(reset_on_lockup, gaudi_reset_on_lockup, int, 0444);
MODULE_PARM_DESC(reset_on_lockup,
		 "Reset the device when a submission is stuck (1)");

int gaudi_memory_scrub;
module_param_named(memory_scrub, gaudi_memory_scrub, int, 0444);
MODULE_PARM_DESC(memory_scrub,
		 "Overwrite device memory at each open, not only for another user (0)");

#if GAUDI_SHARED
bool gaudi_shared;
module_param_named(shared, gaudi_shared, bool, 0444);
MODULE_PARM_DESC(shared,
		 "Let several processes of one user share the device (0)");

unsigned int gaudi_shared_hold = 10;
module_param_named(shared_hold, gaudi_shared_hold, uint, 0444);
MODULE_PARM_DESC(shared_hold,
		 "Seconds without progress until a process that holds a shared device loses its work, 0: never (10)");
#endif

bool gaudi_enforce_memlock;
module_param_named(enforce_memlock, gaudi_enforce_memlock, bool, 0644);
MODULE_PARM_DESC(enforce_memlock,
		 "Mapped host memory counts against RLIMIT_MEMLOCK (N)");

unsigned int gaudi_nic_ports_mask = ~0u;
module_param_named(nic_ports_mask, gaudi_nic_ports_mask, uint, 0444);
MODULE_PARM_DESC(nic_ports_mask,
		 "Bits of the NIC ports that are used, 0: none (all that have a cable)");

ulong gaudi_boot_error_status_mask = ULONG_MAX;
module_param_named(boot_error_status_mask, gaudi_boot_error_status_mask, ulong,
		   0444);
MODULE_PARM_DESC(boot_error_status_mask,
		 "Bits of the firmware's boot errors that are looked at (all)");

struct workqueue_struct *gaudi_wq;
