// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instantiates the tracepoints: mainline's own, by the kernel's header, so that
 * names and fields are those that its tools know; then ours. Nothing else.
 */
#include <linux/device.h>
#include <linux/dma-mapping.h>

#define CREATE_TRACE_POINTS
#include <trace/events/habanalabs.h>
#include "gaudi_trace.h"
