// SPDX-License-Identifier: GPL-2.0-only
/*
 * Validation of command buffers for the external queues (PCI DMA).
 *
 * These queues run with the privileges of the driver: their completion packets
 * reach any address. So users may not send the packets that could do the same,
 * stop the queue, or make it fetch from memory that is not checked. The rules
 * are mainline's. The buffer is the kernel's copy and cannot change any more.
 */
#include <kunit/visibility.h>
#include <linux/export.h>
#include <linux/errno.h>
#include <linux/printk.h>

#include "../../uapi/hw/gaudi_packets.h"
#include "../core/gaudi_device.h"
#include "gaudi_cb_check.h"

enum verdict {
	BAD = 0,	/* no packet of a user's buffer */
	ALLOW,
	DENY,		/* exists, but is the kernel's alone */
	IF_PLAIN,	/* allowed, unless it loads into the command processor */
	DMA,
};

static const struct {
	u8 size;
	u8 verdict;
} gaudi_cb_packets[32] = {
	[GAUDI_PKT_WREG_32]	= { sizeof(struct gaudi_packet_wreg32), ALLOW },
	[GAUDI_PKT_WREG_BULK]	= { sizeof(struct gaudi_packet_wreg_bulk), DENY },
	[GAUDI_PKT_MSG_LONG]	= { sizeof(struct gaudi_packet_msg_long), ALLOW },
	[GAUDI_PKT_MSG_SHORT]	= { sizeof(struct gaudi_packet_msg_short), ALLOW },
	[GAUDI_PKT_CP_DMA]	= { sizeof(struct gaudi_packet_cp_dma), DENY },
	[GAUDI_PKT_REPEAT]	= { sizeof(struct gaudi_packet_repeat), ALLOW },
	[GAUDI_PKT_MSG_PROT]	= { sizeof(struct gaudi_packet_msg_long), DENY },
	[GAUDI_PKT_FENCE]	= { sizeof(struct gaudi_packet_fence), ALLOW },
	[GAUDI_PKT_LIN_DMA]	= { sizeof(struct gaudi_packet_lin_dma), DMA },
	[GAUDI_PKT_NOP]		= { sizeof(struct gaudi_packet_nop), ALLOW },
	[GAUDI_PKT_STOP]	= { sizeof(struct gaudi_packet_nop), DENY },
	[GAUDI_PKT_ARB_POINT]	= { sizeof(struct gaudi_packet_arb_point), ALLOW },
	[GAUDI_PKT_LOAD_AND_EXE] = { sizeof(struct gaudi_packet_load_and_exe),
				     IF_PLAIN },
};

int gaudi_cb_check(struct gaudi_device *gdev, const void *cb, u32 size,
		   bool *dma)
{
	u32 off = 0;

	*dma = false;
	while (off < size) {
		/* All packets start with one dword and ctl; see the size check. */
		const struct gaudi_packet_load_and_exe *pkt = cb + off;
		u32 op;

		if (size - off < sizeof(struct gaudi_packet_nop))
			return -EINVAL;
		op = FIELD_GET(GAUDI_PKT_CTL_OPCODE, le32_to_cpu(pkt->ctl));
		if (gaudi_cb_packets[op].verdict == BAD ||
		    gaudi_cb_packets[op].size > size - off) {
			drm_dbg(&gdev->drm, "bad packet %#x at %u of %u\n", op,
				off, size);
			return -EINVAL;
		}
		if (gaudi_cb_packets[op].verdict == DENY ||
		    (gaudi_cb_packets[op].verdict == IF_PLAIN &&
		     (le32_to_cpu(pkt->cfg) & GAUDI_LOAD_AND_EXE_CFG_DST))) {
			drm_dbg(&gdev->drm, "packet %#x at %u is not allowed\n",
				op, off);
			return -EPERM;
		}
		if (gaudi_cb_packets[op].verdict == DMA)
			*dma = true;
		off += gaudi_cb_packets[op].size;
	}
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_cb_check);
