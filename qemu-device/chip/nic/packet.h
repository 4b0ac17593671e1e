/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * A packet between two ports, as InfiniBand's transport has it; roce.c makes it a
 * frame and back. Source: InfiniBand Architecture Specification, volume 1,
 * chapter 9, and annex 17 (RoCE v2).
 */
#ifndef GAUDI_NIC_PACKET_H
#define GAUDI_NIC_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Opcodes of the reliable connected service. */
enum gaudi_roce_opcode {
	GAUDI_ROCE_SEND_FIRST		= 0x00,
	GAUDI_ROCE_SEND_MIDDLE		= 0x01,
	GAUDI_ROCE_SEND_LAST		= 0x02,
	GAUDI_ROCE_SEND_LAST_IMM	= 0x03,
	GAUDI_ROCE_SEND_ONLY		= 0x04,
	GAUDI_ROCE_SEND_ONLY_IMM	= 0x05,
	GAUDI_ROCE_WRITE_FIRST		= 0x06,
	GAUDI_ROCE_WRITE_MIDDLE		= 0x07,
	GAUDI_ROCE_WRITE_LAST		= 0x08,
	GAUDI_ROCE_WRITE_LAST_IMM	= 0x09,
	GAUDI_ROCE_WRITE_ONLY		= 0x0a,
	GAUDI_ROCE_WRITE_ONLY_IMM	= 0x0b,
	GAUDI_ROCE_READ			= 0x0c,
	GAUDI_ROCE_ACK			= 0x11,
	GAUDI_ROCE_COMPARE_SWAP		= 0x13,
	GAUDI_ROCE_FETCH_ADD		= 0x14,
	GAUDI_ROCE_SEND_LAST_INV	= 0x16,
	GAUDI_ROCE_SEND_ONLY_INV	= 0x17,
	GAUDI_ROCE_NONE			= 0xff,
};

/* What opcodes have in common. */
enum {
	GAUDI_ROCE_STARTS = 1, GAUDI_ROCE_ENDS = 2, GAUDI_ROCE_WRITES = 4,
	GAUDI_ROCE_IMM = 8, GAUDI_ROCE_KNOWN = 16,
	GAUDI_ROCE_REFUSED = 32,	/* a request that ports do not serve */
};

/* Their bits; 0: not one that a port knows. */
unsigned int gaudi_roce_kind(uint8_t opcode);

/* AETH: syndrome and message number. */
#define GAUDI_AETH_SYNDROME(a)	((a) >> 24)
#define GAUDI_AETH_ACK		0x1f	/* no credits are given */
#define GAUDI_AETH_RNR		0x20	/* and a timer, in five bits */
#define GAUDI_AETH_NAK_PSN	0x60
#define GAUDI_AETH_NAK_INVALID	0x61
#define GAUDI_AETH_NAK_ACCESS	0x62
#define GAUDI_AETH_NAK_FAILED	0x63

struct gaudi_nic_packet {
	uint8_t opcode;
	bool ack_req;
	uint8_t dst_mac[6];
	uint32_t src_ip, dst_ip;
	uint32_t dst_qp;
	uint32_t psn;
	uint64_t va;		/* writes that start a message, and its key and size */
	uint32_t rkey;
	uint32_t dma_len;
	uint32_t imm;
	uint32_t aeth;
	uint64_t at_ps;		/* by the card's clock, when all of it has come */
	uint32_t damage;	/* not 0: the wire turns a bit over, this says which */
	/* The data, in one or two parts. */
	const uint8_t *part[2];
	uint32_t part_len[2];
};

static inline uint32_t gaudi_nic_packet_len(const struct gaudi_nic_packet *p)
{
	return p->part_len[0] + p->part_len[1];
}

/* Longest headers, iCRC and padding included. */
#define GAUDI_FRAME_OVERHEAD	128

/*
 * The frame of a packet, without the Ethernet FCS, in buf, which is as long as the
 * data and GAUDI_FRAME_OVERHEAD. Returns its length.
 */
size_t gaudi_roce_encode(const struct gaudi_nic_packet *packet,
			 const uint8_t *src_mac, uint8_t *buf);
/* Turns a bit of a frame over, of those that its CRC guards. */
void gaudi_roce_damage(uint8_t *buf, size_t len, uint32_t which);
/*
 * The packet of a frame, whose data point into buf. 0; -EPROTO: not RoCE v2 over
 * IPv4; -EBADMSG: damaged, *why says how; -EOPNOTSUPP: an opcode that a port
 * does not know.
 */
int gaudi_roce_decode(const uint8_t *buf, size_t len,
		      struct gaudi_nic_packet *packet, const char **why);

#endif /* GAUDI_NIC_PACKET_H */
