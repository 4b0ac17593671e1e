/* SPDX-License-Identifier: MIT */
/*
 * Writing command buffers for Gaudi 1: packets (uapi/hw/gaudi_packets.h), sync
 * objects, monitors and fences. A static library for tools and tests; it calls
 * neither the kernel nor the thunk.
 *
 * The sync manager used is E_N: CP_MSG_BASE 0 points at its monitors and 1 at
 * its sync objects, on every queue (facts: mainline's driver, which leaves E_N
 * to users).
 */
#ifndef GAUDI_PACKET_WRITER_H
#define GAUDI_PACKET_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hw/gaudi_packets.h"

/*
 * A command buffer being written. A packet that does not fit is left out and
 * sets @overflow; test it once at the end.
 */
struct pkt_buf {
	uint8_t *mem;		/* the caller's */
	size_t size;
	size_t used;		/* bytes of packets, what a CS chunk is told */
	bool overflow;
};

static inline void pkt_init(struct pkt_buf *pb, void *mem, size_t size)
{
	*pb = (struct pkt_buf) { .mem = mem, .size = size };
}

/* @barriers in all of these: GAUDI_PKT_CTL_EB, _RB and _MB, or-ed. */
void pkt_nop(struct pkt_buf *pb, uint32_t barriers);
/* Copy @size (1..UINT32_MAX) bytes between any two device addresses. */
void pkt_lin_dma(struct pkt_buf *pb, uint64_t src, uint64_t dst, uint32_t size,
		 uint32_t barriers);
/* Fill with a repeated 64-bit pattern. */
void pkt_memset(struct pkt_buf *pb, uint64_t pattern, uint64_t dst,
		uint32_t size, uint32_t barriers);
/* Write 32 bits to a device address. */
void pkt_msg_long(struct pkt_buf *pb, uint64_t addr, uint32_t value,
		  uint32_t barriers);
/* The same to CP_MSG_BASE[@base] + @addr. */
void pkt_msg_short(struct pkt_buf *pb, unsigned int base, uint16_t addr,
		   uint32_t value, uint32_t barriers);
/* Give the lower CP the @size bytes of packets at @src. Internal queues. */
void pkt_cp_dma(struct pkt_buf *pb, uint64_t src, uint32_t size,
		uint32_t barriers);
/* Set the register at @offset of the engine's block, TPC_CFG of a TPC's. */
void pkt_wreg32(struct pkt_buf *pb, uint16_t offset, uint32_t value,
		uint32_t barriers);
/* @num (even) registers from @offset on. */
void pkt_wreg_bulk(struct pkt_buf *pb, uint16_t offset, const uint32_t *values,
		   unsigned int num, uint32_t barriers);
/* Wait until fence counter @id (0..3) is >= @target, then take @dec off. */
void pkt_fence(struct pkt_buf *pb, unsigned int id, unsigned int target,
	       unsigned int dec, uint32_t barriers);

/* Sync objects of E_N (0..2047): set, or add to, the 15-bit value. */
void pkt_sob_set(struct pkt_buf *pb, unsigned int sob, uint32_t value,
		 uint32_t barriers);
void pkt_sob_add(struct pkt_buf *pb, unsigned int sob, uint32_t value,
		 uint32_t barriers);
/*
 * Arm monitor @mon (0..511) of E_N: as soon as sync object @sob is >= @value,
 * it writes @data to @addr, once. Four packets.
 */
void pkt_monitor(struct pkt_buf *pb, unsigned int mon, unsigned int sob,
		 uint32_t value, uint64_t addr, uint32_t data);
/* What it writes, and where: it keeps that. Three packets. */
void pkt_monitor_payload(struct pkt_buf *pb, unsigned int mon, uint64_t addr,
			 uint32_t data);
/* Arm one that has its payload. One packet. */
void pkt_monitor_again(struct pkt_buf *pb, unsigned int mon, unsigned int sob,
		       uint32_t value);

/*
 * Device address that increments fence counter @id of a queue (GAUDI_QUEUE_ID_*):
 * what a monitor writes 1 to. 0: the CPU's, or none.
 */
uint64_t pkt_fence_addr(unsigned int queue_id, unsigned int id);

/*
 * Reading: the bytes of the packet at @packet, or 0 if it has no known opcode or
 * is longer than @left. @opcode is set if @left has room for one.
 */
size_t pkt_length(const void *packet, size_t left, unsigned int *opcode);
/* "LIN_DMA"; NULL if there is no such opcode. */
const char *pkt_name(unsigned int opcode);

#endif /* GAUDI_PACKET_WRITER_H */
