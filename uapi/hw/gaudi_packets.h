/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * Command packets of the Gaudi 1 QMAN command processors.
 *
 * A command buffer is a run of packets without gaps. Each packet starts with
 * two little-endian dwords; the second one (ctl) holds the opcode and the three
 * barrier bits. Packet sizes are multiples of eight bytes.
 *
 * Source: include/gaudi/gaudi_packets.h of mainline's habanalabs driver
 * (Linux 6.12) and of the vendor's MIT-licensed thunk, for the fields that
 * mainline does not use (marked "thunk").
 */
#ifndef GAUDI_PACKETS_H
#define GAUDI_PACKETS_H

#include <linux/types.h>
#include "gaudi_bits.h"

enum gaudi_packet_opcode {
	GAUDI_PKT_WREG_32	= 0x01,
	GAUDI_PKT_WREG_BULK	= 0x02,
	GAUDI_PKT_MSG_LONG	= 0x03,
	GAUDI_PKT_MSG_SHORT	= 0x04,
	GAUDI_PKT_CP_DMA	= 0x05,
	GAUDI_PKT_REPEAT	= 0x06,
	GAUDI_PKT_MSG_PROT	= 0x07,
	GAUDI_PKT_FENCE		= 0x08,
	GAUDI_PKT_LIN_DMA	= 0x09,
	GAUDI_PKT_NOP		= 0x0a,
	GAUDI_PKT_STOP		= 0x0b,
	GAUDI_PKT_ARB_POINT	= 0x0c,
	GAUDI_PKT_WAIT		= 0x0d,
	GAUDI_PKT_LOAD_AND_EXE	= 0x0f,
};

/* ctl dword, all packets */
#define GAUDI_PKT_CTL_OPCODE		GENMASK(28, 24)
#define GAUDI_PKT_CTL_EB		BIT(29)	/* wait until the engine is idle */
#define GAUDI_PKT_CTL_RB		BIT(30)	/* after earlier register writes */
#define GAUDI_PKT_CTL_MB		BIT(31)	/* after earlier messages */

/* NOP, STOP: nothing beyond ctl */
struct gaudi_packet_nop {
	__le32 reserved;
	__le32 ctl;
};

/*
 * WREG_32: one register of the engine behind the queue, by its offset in
 * DMA_CORE, MME_CTRL or TPC_CFG; 0x8000 to 0x9fff are the queue's own
 */
#define GAUDI_WREG32_CTL_PRED		GENMASK(4, 0)	/* thunk */
#define GAUDI_WREG32_CTL_REG_OFFSET	GENMASK(23, 8)	/* thunk */
struct gaudi_packet_wreg32 {
	__le32 value;
	__le32 ctl;
};

/* WREG_BULK: size64 * 2 consecutive registers */
#define GAUDI_WREG_BULK_SIZE64		GENMASK(15, 0)
#define GAUDI_WREG_BULK_CTL_PRED	GENMASK(4, 0)	/* thunk */
#define GAUDI_WREG_BULK_CTL_REG_OFFSET	GENMASK(23, 8)	/* thunk */
struct gaudi_packet_wreg_bulk {
	__le32 size64;
	__le32 ctl;
	__le64 values[];
};

/* MSG_LONG, MSG_PROT: a 32-bit write to any device address */
#define GAUDI_MSG_LONG_CTL_PRED		GENMASK(4, 0)	/* thunk */
#define GAUDI_MSG_LONG_CTL_OP		GENMASK(21, 20)
#define   GAUDI_MSG_OP_VALUE		0u
#define   GAUDI_MSG_OP_TIMESTAMP	1u		/* thunk */
struct gaudi_packet_msg_long {
	__le32 value;
	__le32 ctl;
	__le64 addr;
};

/* MSG_SHORT: a 32-bit write to CP_MSG_BASE[base] + addr */
#define GAUDI_MSG_SHORT_CTL_ADDR	GENMASK(15, 0)
#define GAUDI_MSG_SHORT_CTL_OP		GENMASK(21, 20)
#define GAUDI_MSG_SHORT_CTL_BASE	GENMASK(23, 22)
struct gaudi_packet_msg_short {
	__le32 value;
	__le32 ctl;
};

/* CP_DMA: hand tsize bytes of packets at src_addr to the lower CP */
#define GAUDI_CP_DMA_CTL_PRED		GENMASK(4, 0)	/* thunk */
struct gaudi_packet_cp_dma {
	__le32 tsize;
	__le32 ctl;
	__le64 src_addr;
};

/* REPEAT */
#define GAUDI_REPEAT_CFG_SORE		BIT(0)		/* thunk */
#define GAUDI_REPEAT_CFG_O		BIT(1)		/* thunk */
#define GAUDI_REPEAT_CFG_JMP_PTR	GENMASK(31, 16)	/* thunk */
struct gaudi_packet_repeat {
	__le32 cfg;
	__le32 ctl;
};

/* FENCE: wait until counter[id] >= target, then subtract dec */
#define GAUDI_FENCE_CFG_DEC		GENMASK(3, 0)
#define GAUDI_FENCE_CFG_TARGET		GENMASK(23, 16)
#define GAUDI_FENCE_CFG_ID		GENMASK(31, 30)
#define GAUDI_FENCE_CTL_PRED		GENMASK(4, 0)
struct gaudi_packet_fence {
	__le32 cfg;
	__le32 ctl;
};

/* LIN_DMA: programs the DMA core behind the queue and starts it */
#define GAUDI_LIN_DMA_CTL_WRCOMP_EN	BIT(0)
#define GAUDI_LIN_DMA_CTL_TRANSPOSE	BIT(1)		/* thunk */
#define GAUDI_LIN_DMA_CTL_DTYPE		BIT(2)		/* thunk */
#define GAUDI_LIN_DMA_CTL_LIN		BIT(3)
#define GAUDI_LIN_DMA_CTL_MEMSET	BIT(4)
#define GAUDI_LIN_DMA_CTL_COMPRESS	BIT(5)		/* thunk */
#define GAUDI_LIN_DMA_CTL_DECOMPRESS	BIT(6)		/* thunk */
#define GAUDI_LIN_DMA_DST_ADDR		GENMASK_ULL(55, 0)
#define GAUDI_LIN_DMA_DST_CTX_ID	GENMASK_ULL(63, 56)	/* thunk */
struct gaudi_packet_lin_dma {
	__le32 tsize;
	__le32 ctl;
	__le64 src_addr;	/* memset: the 64-bit pattern */
	__le64 dst_addr;
};

/* ARB_POINT */
#define GAUDI_ARB_POINT_CFG_PRIO	GENMASK(7, 0)	/* thunk */
#define GAUDI_ARB_POINT_CFG_RLS		BIT(31)		/* thunk */
#define GAUDI_ARB_POINT_CTL_PRED	GENMASK(4, 0)	/* thunk */
struct gaudi_packet_arb_point {
	__le32 cfg;
	__le32 ctl;
};

/* WAIT: after num_cycles add inc to fence counter id */
#define GAUDI_WAIT_CFG_CYCLES		GENMASK(23, 0)	/* thunk */
#define GAUDI_WAIT_CFG_INC		GENMASK(27, 24)	/* thunk */
#define GAUDI_WAIT_CFG_ID		GENMASK(29, 28)	/* thunk */
struct gaudi_packet_wait {
	__le32 cfg;
	__le32 ctl;
};

/*
 * LOAD_AND_EXE: load the predicates (GAUDI_CP_PREDICATES words, of which bit 0
 * counts) or the scalars (GAUDI_CP_SCALARS words) from memory, then execute the
 * one packet that begins at the first or, with ETYPE, at the third scalar.
 */
#define GAUDI_CP_PREDICATES		32
#define GAUDI_CP_SCALARS		4
#define GAUDI_LOAD_AND_EXE_CFG_DST	BIT(0)	/* 0: predicates, 1: scalars */
#define GAUDI_LOAD_AND_EXE_CFG_LOAD	BIT(8)		/* thunk */
#define GAUDI_LOAD_AND_EXE_CFG_EXE	BIT(9)		/* thunk */
#define GAUDI_LOAD_AND_EXE_CFG_ETYPE	BIT(10)		/* thunk */
#define GAUDI_LOAD_AND_EXE_CTL_PRED	GENMASK(4, 0)	/* thunk */
struct gaudi_packet_load_and_exe {
	__le32 cfg;
	__le32 ctl;
	__le64 src_addr;
};

/*
 * An entry of a physical queue (PQ). RPT counts only if it is valid, else the
 * driver keeps other things there (include/common/qman_if.h).
 */
#define GAUDI_PQ_BD_CTL_RPT		GENMASK(15, 0)
#define GAUDI_PQ_BD_CTL_RPT_VALID	BIT(24)
struct gaudi_pq_bd {
	__le64 ptr;		/* device address of the command buffer */
	__le32 len;		/* bytes */
	__le32 ctl;
};

/* What a completion packet writes to a host completion queue. */
#define GAUDI_CQE_SHADOW_INDEX_VALID	BIT(30)
#define GAUDI_CQE_READY			BIT(31)

#define GAUDI_PKT_ASSERT(type, size) \
	_Static_assert(sizeof(struct type) == (size), #type " has a hole")

GAUDI_PKT_ASSERT(gaudi_packet_nop, 8);
GAUDI_PKT_ASSERT(gaudi_packet_wreg32, 8);
GAUDI_PKT_ASSERT(gaudi_packet_wreg_bulk, 8);
GAUDI_PKT_ASSERT(gaudi_packet_msg_long, 16);
GAUDI_PKT_ASSERT(gaudi_packet_msg_short, 8);
GAUDI_PKT_ASSERT(gaudi_packet_cp_dma, 16);
GAUDI_PKT_ASSERT(gaudi_packet_repeat, 8);
GAUDI_PKT_ASSERT(gaudi_packet_fence, 8);
GAUDI_PKT_ASSERT(gaudi_packet_lin_dma, 24);
GAUDI_PKT_ASSERT(gaudi_packet_arb_point, 8);
GAUDI_PKT_ASSERT(gaudi_packet_wait, 8);
GAUDI_PKT_ASSERT(gaudi_packet_load_and_exe, 16);
GAUDI_PKT_ASSERT(gaudi_pq_bd, 16);

#endif /* GAUDI_PACKETS_H */
