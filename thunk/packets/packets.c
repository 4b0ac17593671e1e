// SPDX-License-Identifier: MIT
/* Packets into memory, and back; layouts and opcodes are uapi/hw/gaudi_packets.h's. */
#include <endian.h>
#include <string.h>

#include "hw/gaudi_map.h"
#include "packets.h"
#include "hw/regs/gaudi_qman_regs.h"
#include "hw/regs/gaudi_sync_mngr_regs.h"

#define MSG_BASE_E_N_MON	0
#define MSG_BASE_E_N_SOB	1

#define SOBS_PER_GROUP		8

static void put(struct pkt_buf *pb, const void *packet, size_t size)
{
	if (pb->overflow || size > pb->size - pb->used) {
		pb->overflow = true;
		return;
	}
	memcpy(pb->mem + pb->used, packet, size);
	pb->used += size;
}

static __le32 ctl(enum gaudi_packet_opcode opcode, uint32_t bits)
{
	return htole32((uint32_t)FIELD_PREP(GAUDI_PKT_CTL_OPCODE, opcode) |
		       bits);
}

void pkt_nop(struct pkt_buf *pb, uint32_t barriers)
{
	const struct gaudi_packet_nop p = {
		.ctl = ctl(GAUDI_PKT_NOP, barriers),
	};

	put(pb, &p, sizeof(p));
}

static void dma(struct pkt_buf *pb, uint64_t src, uint64_t dst, uint32_t size,
		uint32_t bits)
{
	const struct gaudi_packet_lin_dma p = {
		.tsize = htole32(size),
		.ctl = ctl(GAUDI_PKT_LIN_DMA, bits | GAUDI_LIN_DMA_CTL_LIN),
		.src_addr = htole64(src),
		.dst_addr = htole64(dst & GAUDI_LIN_DMA_DST_ADDR),
	};

	put(pb, &p, sizeof(p));
}

void pkt_lin_dma(struct pkt_buf *pb, uint64_t src, uint64_t dst, uint32_t size,
		 uint32_t barriers)
{
	dma(pb, src, dst, size, barriers);
}

void pkt_memset(struct pkt_buf *pb, uint64_t pattern, uint64_t dst,
		uint32_t size, uint32_t barriers)
{
	dma(pb, pattern, dst, size, barriers | GAUDI_LIN_DMA_CTL_MEMSET);
}

void pkt_msg_long(struct pkt_buf *pb, uint64_t addr, uint32_t value,
		  uint32_t barriers)
{
	const struct gaudi_packet_msg_long p = {
		.value = htole32(value),
		.ctl = ctl(GAUDI_PKT_MSG_LONG, barriers),
		.addr = htole64(addr),
	};

	put(pb, &p, sizeof(p));
}

void pkt_msg_short(struct pkt_buf *pb, unsigned int base, uint16_t addr,
		   uint32_t value, uint32_t barriers)
{
	const struct gaudi_packet_msg_short p = {
		.value = htole32(value),
		.ctl = ctl(GAUDI_PKT_MSG_SHORT, barriers |
			   (uint32_t)FIELD_PREP(GAUDI_MSG_SHORT_CTL_BASE,
						base) |
			   (uint32_t)FIELD_PREP(GAUDI_MSG_SHORT_CTL_ADDR,
						addr)),
	};

	put(pb, &p, sizeof(p));
}

void pkt_cp_dma(struct pkt_buf *pb, uint64_t src, uint32_t size,
		uint32_t barriers)
{
	const struct gaudi_packet_cp_dma p = {
		.tsize = htole32(size),
		.ctl = ctl(GAUDI_PKT_CP_DMA, barriers),
		.src_addr = htole64(src),
	};

	put(pb, &p, sizeof(p));
}

void pkt_wreg32(struct pkt_buf *pb, uint16_t offset, uint32_t value,
		uint32_t barriers)
{
	const struct gaudi_packet_wreg32 p = {
		.value = htole32(value),
		.ctl = ctl(GAUDI_PKT_WREG_32, barriers |
			   (uint32_t)FIELD_PREP(GAUDI_WREG32_CTL_REG_OFFSET,
						offset)),
	};

	put(pb, &p, sizeof(p));
}

void pkt_wreg_bulk(struct pkt_buf *pb, uint16_t offset, const uint32_t *values,
		   unsigned int num, uint32_t barriers)
{
	const struct gaudi_packet_wreg_bulk p = {
		.size64 = htole32(num / 2),
		.ctl = ctl(GAUDI_PKT_WREG_BULK, barriers |
			   (uint32_t)FIELD_PREP(GAUDI_WREG_BULK_CTL_REG_OFFSET,
						offset)),
	};
	unsigned int i;
	uint32_t value;

	put(pb, &p, sizeof(p));
	for (i = 0; i < num / 2 * 2; i++) {
		value = htole32(values[i]);
		put(pb, &value, sizeof(value));
	}
}

void pkt_fence(struct pkt_buf *pb, unsigned int id, unsigned int target,
	       unsigned int dec, uint32_t barriers)
{
	const struct gaudi_packet_fence p = {
		.cfg = htole32((uint32_t)(FIELD_PREP(GAUDI_FENCE_CFG_DEC, dec) |
					  FIELD_PREP(GAUDI_FENCE_CFG_TARGET,
						     target) |
					  FIELD_PREP(GAUDI_FENCE_CFG_ID, id))),
		.ctl = ctl(GAUDI_PKT_FENCE, barriers),
	};

	put(pb, &p, sizeof(p));
}

static void sob_write(struct pkt_buf *pb, unsigned int sob, uint32_t value,
		      uint32_t barriers)
{
	pkt_msg_short(pb, MSG_BASE_E_N_SOB,
		      (uint16_t)(SYNC_MNGR_SOB_OBJ(sob) - SYNC_MNGR_SOB_OBJ(0)),
		      value, barriers);
}

void pkt_sob_set(struct pkt_buf *pb, unsigned int sob, uint32_t value,
		 uint32_t barriers)
{
	sob_write(pb, sob, value & (uint32_t)SYNC_MNGR_SOB_OBJ_VAL, barriers);
}

void pkt_sob_add(struct pkt_buf *pb, unsigned int sob, uint32_t value,
		 uint32_t barriers)
{
	sob_write(pb, sob, (value & (uint32_t)SYNC_MNGR_SOB_OBJ_VAL) |
			   (uint32_t)SYNC_MNGR_SOB_OBJ_INC, barriers);
}

static void mon_write(struct pkt_buf *pb, uint32_t reg, uint32_t value,
		      uint32_t barriers)
{
	pkt_msg_short(pb, MSG_BASE_E_N_MON,
		      (uint16_t)(reg - SYNC_MNGR_MON_PAY_ADDRL(0)), value,
		      barriers);
}

void pkt_monitor_again(struct pkt_buf *pb, unsigned int mon, unsigned int sob,
		       uint32_t value)
{
	uint32_t mask = 0xffu & ~(1u << sob % SOBS_PER_GROUP);
	uint32_t arm = (uint32_t)
		(FIELD_PREP(SYNC_MNGR_MON_ARM_SID, sob / SOBS_PER_GROUP) |
		 FIELD_PREP(SYNC_MNGR_MON_ARM_MASK, mask) |
		 FIELD_PREP(SYNC_MNGR_MON_ARM_SOD, value));

	mon_write(pb, SYNC_MNGR_MON_ARM(mon), arm, GAUDI_PKT_CTL_MB);
}

void pkt_monitor_payload(struct pkt_buf *pb, unsigned int mon, uint64_t addr,
			 uint32_t data)
{
	mon_write(pb, SYNC_MNGR_MON_PAY_ADDRL(mon), (uint32_t)addr, 0);
	mon_write(pb, SYNC_MNGR_MON_PAY_ADDRH(mon), (uint32_t)(addr >> 32), 0);
	mon_write(pb, SYNC_MNGR_MON_PAY_DATA(mon), data, 0);
}

void pkt_monitor(struct pkt_buf *pb, unsigned int mon, unsigned int sob,
		 uint32_t value, uint64_t addr, uint32_t data)
{
	pkt_monitor_payload(pb, mon, addr, data);
	/* Armed only when the payload is in place. */
	pkt_monitor_again(pb, mon, sob, value);
}

uint64_t pkt_fence_addr(unsigned int queue_id, unsigned int id)
{
	unsigned int stream, engine;
	uint32_t base;

	/* The CPU's queue stands between those of DMA1 and DMA2. */
	if (queue_id == GAUDI_QUEUE_CPU)
		return 0;
	if (queue_id > GAUDI_QUEUE_CPU)
		queue_id--;
	stream = queue_id % GAUDI_NUM_STREAMS;
	engine = queue_id / GAUDI_NUM_STREAMS;
	/* Behind DMA7's are MME_0's, of the pair with MME2, and MME_1's. */
	if (engine < GAUDI_NUM_DMA)
		base = GAUDI_DMA_QM_BASE(engine);
	else if (engine < GAUDI_NUM_DMA + 2)
		base = GAUDI_MME_QM_BASE(engine == GAUDI_NUM_DMA ? 2 : 0);
	else if (engine < GAUDI_NUM_DMA + 2 + GAUDI_NUM_TPC)
		base = GAUDI_TPC_QM_BASE(engine - GAUDI_NUM_DMA - 2);
	else if (engine < GAUDI_NUM_DMA + 2 + GAUDI_NUM_TPC +
			  GAUDI_NUM_NIC_ENGINE)
		base = GAUDI_NIC_QM_BASE(engine - GAUDI_NUM_DMA - 2 -
					 GAUDI_NUM_TPC);
	else
		return 0;

	return GAUDI_CFG_BASE + base + QM_CP_FENCE_RDATA(id, stream);
}

static const struct {
	const char *name;
	uint8_t size;
} kinds[] = {
	[GAUDI_PKT_WREG_32]	= { "WREG_32", 8 },
	[GAUDI_PKT_WREG_BULK]	= { "WREG_BULK", 8 },
	[GAUDI_PKT_MSG_LONG]	= { "MSG_LONG", 16 },
	[GAUDI_PKT_MSG_SHORT]	= { "MSG_SHORT", 8 },
	[GAUDI_PKT_CP_DMA]	= { "CP_DMA", 16 },
	[GAUDI_PKT_REPEAT]	= { "REPEAT", 8 },
	[GAUDI_PKT_MSG_PROT]	= { "MSG_PROT", 16 },
	[GAUDI_PKT_FENCE]	= { "FENCE", 8 },
	[GAUDI_PKT_LIN_DMA]	= { "LIN_DMA", 24 },
	[GAUDI_PKT_NOP]		= { "NOP", 8 },
	[GAUDI_PKT_STOP]	= { "STOP", 8 },
	[GAUDI_PKT_ARB_POINT]	= { "ARB_POINT", 8 },
	[GAUDI_PKT_WAIT]	= { "WAIT", 8 },
	[GAUDI_PKT_LOAD_AND_EXE] = { "LOAD_AND_EXE", 16 },
};

const char *pkt_name(unsigned int opcode)
{
	return opcode < sizeof(kinds) / sizeof(kinds[0]) ? kinds[opcode].name :
							   NULL;
}

size_t pkt_length(const void *packet, size_t left, unsigned int *opcode)
{
	uint32_t words[2];
	size_t size;

	if (left < sizeof(words))
		return 0;
	memcpy(words, packet, sizeof(words));
	*opcode = (unsigned int)FIELD_GET(GAUDI_PKT_CTL_OPCODE,
					  le32toh(words[1]));
	if (!pkt_name(*opcode))
		return 0;

	size = kinds[*opcode].size;
	if (*opcode == GAUDI_PKT_WREG_BULK)
		size += 8 * (le32toh(words[0]) & GAUDI_WREG_BULK_SIZE64);

	return size <= left ? size : 0;
}
