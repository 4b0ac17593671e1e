/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files of this room: the lock that gaudi_reports.c takes, too. */
#ifndef GAUDI_ERRORS_PRIV_H
#define GAUDI_ERRORS_PRIV_H

#include <linux/mutex.h>
#include <linux/types.h>

#include "../../uapi/hw/gaudi_map.h"

/* The last one's place is the arbiter's, as of a sixth CP. */
#define GAUDI_REPORTED_ARB	GAUDI_NUM_CPS

struct gaudi_errors {
	/* Held while errors are read, reported or cleared. */
	struct mutex lock;
	/* Bits of GLBL_STS1 that were reported and not cleared since. */
	u32 reported[GAUDI_NUM_QMAN][GAUDI_NUM_CPS + 1];
};

#endif /* GAUDI_ERRORS_PRIV_H */
