// SPDX-License-Identifier: GPL-2.0-only
/* Instantiates the tracepoints of gaudi_trace.h; nothing else. */
#include <linux/device.h>

#define CREATE_TRACE_POINTS
#include "gaudi_trace.h"
