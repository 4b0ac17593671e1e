/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * The ports of the NIC: registers of the queue pairs (QPC), of the receiver (RXE)
 * and the transmitter (TXE), one of each per port, and what is in memory: contexts
 * of queue pairs, work queue entries, completions, errors.
 *
 * Source: mainline has no register file of these blocks. Names, offsets and
 * layouts are those of the driver that was proposed for Linux in September 2020
 * and of the vendor's public tests; offsets of QPC agree with
 * asic_reg/nic0_qpc0_regs.h of Gaudi 2, Linux 6.12 (facts). Inferred: NIC_RXE_RAW_*
 * and all of NIC_STAT (the offsets are ours; mainline has the block's name and says
 * that it counts), the halves of NIC_QPC_RETRY_COUNT_MAX, that of
 * NIC_QPC_DOORBELL_SECURITY, the meaning of a WQE's stride type.
 */
#ifndef GAUDI_NIC_REGS_H
#define GAUDI_NIC_REGS_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#endif

#include "../gaudi_bits.h"
#include "gaudi_reg_offsets.h"

enum {
#include "gaudi_nic_qpc.def"
#include "gaudi_nic_rxe.def"
#include "gaudi_nic_txe.def"
#include "gaudi_nic_stat.def"
};

#undef REG
#undef REGS

#define   NIC_QPC_INV_STATUS_DONE	BIT(0)
#define   NIC_QPC_RETRY_TIMEOUT		GENMASK(7, 0)
#define   NIC_QPC_RETRY_SEQ_ERR		GENMASK(15, 8)
#define   NIC_QPC_GW_CTRL_QPN		GENMASK(23, 0)
#define   NIC_QPC_GW_CTRL_REQUESTER	BIT(24)
#define   NIC_QPC_GW_CTRL_DB_MASK	BIT(25)
#define   NIC_QPC_GW_CTRL_DB_FORCE	BIT(26)
#define   NIC_QPC_DOORBELL_QPN		GENMASK(23, 0)
#define   NIC_QPC_DOORBELL_BUSY		BIT(31)
/* Trust (below) of those who ring: the QMAN, and the three pairs of registers */
#define   NIC_QPC_DOORBELL_SECURITY_QMAN	GENMASK(1, 0)
#define   NIC_QPC_DOORBELL_SECURITY_UNSECURED	GENMASK(3, 2)
#define   NIC_QPC_DOORBELL_SECURITY_SECURED	GENMASK(5, 4)
#define   NIC_QPC_DOORBELL_SECURITY_PRIVILEGE	GENMASK(7, 6)
#define   NIC_RXE_WIN_WQ_BASE_49_32	GENMASK(17, 0)
#define   NIC_RXE_WIN_LOG_SIZE		GENMASK(31, 24)	/* log2(entries) - 4 */
#define   NIC_RXE_MSI_CAUSE_OVERRUN	BIT(1)
#define NIC_RXE_MSI_OVERRUN		1	/* its address and data */
#define   NIC_STAT_LINK_UP		BIT(0)
#define   NIC_TXE_SQ_LOG_SIZE_BIAS	2
#define   NIC_RXE_LOG_SIZE_BIAS		4

/*
 * The window of a port's QMAN: a 64-bit write there rings the doorbell. PI counts
 * WQEs, modulo the size of the ring.
 */
#define NIC_QMAN_DOORBELL		0x0
#define   NIC_QMAN_DOORBELL_PI		GENMASK_ULL(21, 0)
#define   NIC_QMAN_DOORBELL_QPN		GENMASK_ULL(45, 22)

/*
 * What is in memory: a field is its first bit and its width (at most 64), in a row of
 * little-endian 32-bit words. These get and set one, in words of the host's order.
 */
static inline uint64_t gaudi_nic_get(const uint32_t *words, unsigned int bit,
				     unsigned int width)
{
	const uint32_t *w = words + bit / 32;
	unsigned int shift = bit % 32;
	uint64_t value = w[0] >> shift;

	/* Without a loop: of constants, a few instructions are left. */
	if (shift + width > 32)
		value |= (uint64_t)w[1] << (32 - shift);
	if (shift + width > 64)
		value |= (uint64_t)w[2] << (64 - shift);
	return width < 64 ? value & (BIT_ULL(width) - 1) : value;
}

static inline void gaudi_nic_merge(uint32_t *word, uint32_t mask, uint32_t value)
{
	*word = (*word & ~mask) | (value & mask);
}

static inline void gaudi_nic_set(uint32_t *words, unsigned int bit,
				 unsigned int width, uint64_t value)
{
	uint64_t mask = width < 64 ? BIT_ULL(width) - 1 : ~0ull;
	uint32_t *w = words + bit / 32;
	unsigned int shift = bit % 32;

	gaudi_nic_merge(&w[0], mask << shift & 0xffffffff,
			value << shift & 0xffffffff);
	if (shift + width > 32)
		gaudi_nic_merge(&w[1], mask >> (32 - shift),
				value >> (32 - shift));
	if (shift + width > 64)
		gaudi_nic_merge(&w[2], mask >> (64 - shift),
				value >> (64 - shift));
}

#define NIC_INDEX_BITS			22
#define NIC_INDEX_MASK			GENMASK(21, 0)
#define NIC_PSN_MASK			GENMASK(23, 0)
#define NIC_MAX_QP			32768	/* of a port */

/* The context of a requester: 16 words. */
#define NIC_REQ_QPC_WORDS		16
#define NIC_REQ_DST_QP			0, 24
#define NIC_REQ_PORT			24, 4
#define NIC_REQ_PRIORITY		28, 2
#define NIC_REQ_CONGESTION_EN		30, 2
#define NIC_REQ_RKEY			32, 32
#define NIC_REQ_DST_IP			64, 32
#define NIC_REQ_SRC_IP			96, 32
#define NIC_REQ_DST_MAC			128, 48
#define NIC_REQ_SEQ_ERR_RETRIES		176, 8
#define NIC_REQ_TIMEOUT_RETRIES		184, 8
#define NIC_REQ_NEXT_PSN		192, 24
#define NIC_REQ_SQ_NUMBER		216, 8
#define NIC_REQ_OLDEST_UNACKED		224, 24
#define NIC_REQ_TIMER_GRANULARITY	248, 7
#define NIC_REQ_SOB_EN			255, 1
#define NIC_REQ_TRANSPORT		369, 1
#define NIC_REQ_BURST			370, 22
#define NIC_REQ_LAST_INDEX		392, 22
#define NIC_REQ_EXECUTION_INDEX		414, 22
#define NIC_REQ_CONSUMER_INDEX		436, 22
#define NIC_REQ_PRODUCER_INDEX		458, 22
#define NIC_REQ_WQ_BASE			480, 24
#define NIC_REQ_WQ_GRANULARITY		506, 1	/* 0: 32 bytes */
#define NIC_REQ_TRUST			507, 2
#define NIC_REQ_IN_WORK			509, 1
#define NIC_REQ_ERROR			510, 1
#define NIC_REQ_VALID			511, 1

/* The context of a responder: 8 words. */
#define NIC_RES_QPC_WORDS		8
#define NIC_RES_DST_QP			0, 24
#define NIC_RES_PORT			24, 4
#define NIC_RES_PRIORITY		28, 2
#define NIC_RES_CONN_STATE		30, 2
#define NIC_RES_LKEY			32, 32
#define NIC_RES_DST_IP			64, 32
#define NIC_RES_SRC_IP			96, 32
#define NIC_RES_DST_MAC			128, 48
#define NIC_RES_SQ_NUMBER		176, 8
#define NIC_RES_ECN_COUNT		184, 5
#define NIC_RES_NACK_SYNDROME		189, 2
#define NIC_RES_TRANSPORT		191, 1
#define NIC_RES_EXPECTED_PSN		192, 24
#define NIC_RES_LOG_BUF_SIZE		216, 5
#define NIC_RES_CYCLIC_INDEX		221, 30
#define NIC_RES_SOB_EN			251, 1
#define NIC_RES_TRUST			252, 2
#define NIC_RES_IN_WORK			254, 1
#define NIC_RES_VALID			255, 1

enum nic_transport { NIC_TRANSPORT_RC, NIC_TRANSPORT_RAW };
enum nic_trust { NIC_TRUST_UNSECURED, NIC_TRUST_SECURED, NIC_TRUST_PRIVILEGE };
enum nic_conn_state {
	NIC_CONN_OPEN, NIC_CONN_CLOSE, NIC_CONN_RESYNC, NIC_CONN_ERROR,
};
enum nic_nack_syndrome { NIC_NACK_NONE, NIC_NACK_SENT };

/* A send work queue entry: 8 words. */
#define NIC_WQE_SIZE			32
#define NIC_WQE_WORDS			8
#define NIC_WQE_NUM_STRIDES		0, 16
#define NIC_WQE_REDUCTION		16, 9
#define NIC_WQE_STRIDE_TYPE		26, 1
#define NIC_WQE_ACK_REQ			27, 1
#define NIC_WQE_OPCODE			28, 4
#define NIC_WQE_LOCAL_ADDR		32, 50
#define NIC_WQE_SIZE_BYTES		82, 14
#define NIC_WQE_REMOTE_ADDR		96, 50
#define NIC_WQE_STRIDE_SIZE		146, 14
#define NIC_WQE_REMOTE_SOB		160, 26
#define NIC_WQE_REMOTE_SOB_VALID	191, 1
#define NIC_WQE_REMOTE_SOB_DATA		192, 32
#define NIC_WQE_STRIDE			224, 32

enum nic_wqe_opcode {
	NIC_WQE_NOP, NIC_WQE_SEND, NIC_WQE_LINEAR, NIC_WQE_STRIDED,
	NIC_WQE_MULTI_STRIDE, NIC_WQE_RATE_UPDATE,
};
/* The side of a strided write that has gaps; the other follows itself. */
enum nic_stride_type { NIC_STRIDE_REMOTE, NIC_STRIDE_LOCAL };

/* A receive work queue entry: what the requester itself does on completion. */
#define NIC_RECV_WQE_SIZE		8
#define NIC_RECV_WQE_SOB_DATA		0, 32
#define NIC_RECV_WQE_SOB		32, 26
#define NIC_RECV_WQE_CQ_VALID		62, 1
#define NIC_RECV_WQE_VALID		63, 1

/* A completion: 2 words. */
#define NIC_CQE_SIZE			8
#define NIC_CQE_QPN			0, 23	/* of a requester */
#define NIC_CQE_WQE_INDEX		32, 22
#define NIC_CQE_IMM_31_22		0, 10	/* of a responder */
#define NIC_CQE_ODD_PORT		10, 1
#define NIC_CQE_IMM_21_0		32, 22
#define NIC_CQE_RESPONDER		23, 1
#define NIC_CQE_VALID			63, 1

/* An error of a queue pair: one word. */
#define   NIC_ERR_QPN			GENMASK(23, 0)
#define   NIC_ERR_SYNDROME		GENMASK(30, 24)
#define   NIC_ERR_REQUESTER		BIT(31)

enum nic_syndrome {
	NIC_SYN_RX_BAD_QP		= 0x05,
	NIC_SYN_RX_TRANSPORT		= 0x06,
	NIC_SYN_RX_RKEY			= 0x09,
	NIC_SYN_TX_TIMEOUT_RETRIES	= 0x40,
	NIC_SYN_TX_NACK_RETRIES		= 0x41,
	NIC_SYN_TX_DOORBELL_QP		= 0x42,
	NIC_SYN_TX_DOORBELL_SECURITY	= 0x43,
	NIC_SYN_TX_BAD_QP		= 0x44,
	NIC_SYN_TX_ACK_BAD_QP		= 0x45,
	NIC_SYN_TX_NACK_BAD_QP		= 0x46,
};

#endif /* GAUDI_NIC_REGS_H */
