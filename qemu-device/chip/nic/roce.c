// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Packets as frames: Ethernet, IPv4, UDP, and InfiniBand's transport headers, with
 * the invariant CRC behind the data. All numbers but the CRC are big-endian.
 *
 * Source: InfiniBand Architecture Specification, volume 1, chapter 9, and annex 17.
 */
#include <endian.h>
#include <errno.h>
#include <string.h>
#include <zlib.h>

#include "packet.h"

#define ETH_LEN		14
#define IP_LEN		20
#define UDP_LEN		8
#define BTH_LEN		12
#define RETH_LEN	16
#define IMM_LEN		4
#define AETH_LEN	4
#define ICRC_LEN	4
#define ETH_TYPE_IP	0x0800
#define UDP_PORT	4791	/* IANA's: roce */
#define IP_PROTO_UDP	17
#define PKEY		0xffff

static const uint8_t kinds[] = {
#define KIND(bits)	(GAUDI_ROCE_KNOWN | (bits))
	[GAUDI_ROCE_SEND_FIRST] = KIND(GAUDI_ROCE_STARTS),
	[GAUDI_ROCE_SEND_MIDDLE] = KIND(0),
	[GAUDI_ROCE_SEND_LAST] = KIND(GAUDI_ROCE_ENDS),
	[GAUDI_ROCE_SEND_LAST_IMM] = KIND(GAUDI_ROCE_ENDS | GAUDI_ROCE_IMM),
	[GAUDI_ROCE_SEND_ONLY] = KIND(GAUDI_ROCE_STARTS | GAUDI_ROCE_ENDS),
	[GAUDI_ROCE_SEND_ONLY_IMM] =
		KIND(GAUDI_ROCE_STARTS | GAUDI_ROCE_ENDS | GAUDI_ROCE_IMM),
	[GAUDI_ROCE_WRITE_FIRST] = KIND(GAUDI_ROCE_WRITES | GAUDI_ROCE_STARTS),
	[GAUDI_ROCE_WRITE_MIDDLE] = KIND(GAUDI_ROCE_WRITES),
	[GAUDI_ROCE_WRITE_LAST] = KIND(GAUDI_ROCE_WRITES | GAUDI_ROCE_ENDS),
	[GAUDI_ROCE_WRITE_LAST_IMM] =
		KIND(GAUDI_ROCE_WRITES | GAUDI_ROCE_ENDS | GAUDI_ROCE_IMM),
	[GAUDI_ROCE_WRITE_ONLY] =
		KIND(GAUDI_ROCE_WRITES | GAUDI_ROCE_STARTS | GAUDI_ROCE_ENDS),
	[GAUDI_ROCE_WRITE_ONLY_IMM] =
		KIND(GAUDI_ROCE_WRITES | GAUDI_ROCE_STARTS | GAUDI_ROCE_ENDS |
		     GAUDI_ROCE_IMM),
	[GAUDI_ROCE_READ] = GAUDI_ROCE_REFUSED,
	[GAUDI_ROCE_COMPARE_SWAP] = GAUDI_ROCE_REFUSED,
	[GAUDI_ROCE_FETCH_ADD] = GAUDI_ROCE_REFUSED,
	[GAUDI_ROCE_SEND_LAST_INV] = GAUDI_ROCE_REFUSED,
	[GAUDI_ROCE_SEND_ONLY_INV] = GAUDI_ROCE_REFUSED,
#undef KIND
};

unsigned int gaudi_roce_kind(uint8_t opcode)
{
	return opcode < sizeof(kinds) ? kinds[opcode] : 0;
}

static uint8_t *put16(uint8_t *p, uint16_t v)
{
	p[0] = v >> 8;
	p[1] = v;
	return p + 2;
}

static uint8_t *put32(uint8_t *p, uint32_t v)
{
	return put16(put16(p, v >> 16), v);
}

static uint16_t get16(const uint8_t *p)
{
	return p[0] << 8 | p[1];
}

static uint32_t get32(const uint8_t *p)
{
	return (uint32_t)get16(p) << 16 | get16(p + 2);
}

/* What is left of a sum of 16-bit words that includes the checksum: 0 if right. */
static uint16_t ip_checksum(const uint8_t *p, size_t len)
{
	uint32_t sum = 0;
	size_t i;

	for (i = 0; i < len; i += 2)
		sum += get16(p + i);
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

/*
 * Of an IP packet up to its CRC. What routers may change counts as ones, and so do
 * eight bytes before it, InfiniBand's local header.
 */
static uint32_t icrc(const uint8_t *ip, size_t len)
{
	uint8_t head[8 + IP_LEN + UDP_LEN + BTH_LEN];

	memset(head, 0xff, 8);
	memcpy(head + 8, ip, sizeof(head) - 8);
	head[8 + 1] = 0xff;			/* type of service */
	head[8 + 8] = 0xff;			/* time to live */
	memset(head + 8 + 10, 0xff, 2);		/* IP's checksum */
	memset(head + 8 + IP_LEN + 6, 0xff, 2);	/* UDP's */
	head[8 + IP_LEN + UDP_LEN + 4] = 0xff;	/* congestion marks */
	return crc32(crc32(0, head, sizeof(head)), ip + sizeof(head) - 8,
		     len - (sizeof(head) - 8));
}

size_t gaudi_roce_encode(const struct gaudi_nic_packet *packet,
			 const uint8_t *src_mac, uint8_t *buf)
{
	unsigned int kind = gaudi_roce_kind(packet->opcode), i;
	uint32_t len = gaudi_nic_packet_len(packet), pad = -len & 3, crc;
	uint8_t *ip = buf + ETH_LEN, *udp = ip + IP_LEN, *p;
	uint16_t size;

	memcpy(buf, packet->dst_mac, 6);
	memcpy(buf + 6, src_mac, 6);
	put16(buf + 12, ETH_TYPE_IP);

	p = udp + UDP_LEN;
	*p++ = packet->opcode;
	*p++ = 0x40 | pad << 4;			/* migrated, version 0 */
	p = put16(p, PKEY);
	p = put32(p, packet->dst_qp & 0xffffff);
	p = put32(p, (uint32_t)packet->ack_req << 31 |
			     (packet->psn & 0xffffff));
	if (kind & GAUDI_ROCE_WRITES && kind & GAUDI_ROCE_STARTS) {
		p = put32(p, packet->va >> 32);
		p = put32(p, packet->va);
		p = put32(p, packet->rkey);
		p = put32(p, packet->dma_len);
	}
	if (kind & GAUDI_ROCE_IMM)
		p = put32(p, packet->imm);
	if (packet->opcode == GAUDI_ROCE_ACK)
		p = put32(p, packet->aeth);
	for (i = 0; i < 2; i++) {
		if (packet->part_len[i])
			memcpy(p, packet->part[i], packet->part_len[i]);
		p += packet->part_len[i];
	}
	memset(p, 0, pad);
	p += pad;

	size = p + ICRC_LEN - ip;
	memset(ip, 0, IP_LEN);
	ip[0] = 0x45;
	put16(ip + 2, size);
	ip[6] = 0x40;				/* not to be fragmented */
	ip[8] = 64;
	ip[9] = IP_PROTO_UDP;
	put32(ip + 12, packet->src_ip);
	put32(ip + 16, packet->dst_ip);
	put16(ip + 10, ip_checksum(ip, IP_LEN));
	/* The port spreads connections over paths; the checksum may be left out. */
	put16(udp, 0xc000 | (packet->dst_qp & 0x3fff));
	put16(udp + 2, UDP_PORT);
	put16(udp + 4, size - IP_LEN);
	put16(udp + 6, 0);
	crc = htole32(icrc(ip, p - ip));
	memcpy(p, &crc, ICRC_LEN);
	return p + ICRC_LEN - buf;
}

void gaudi_roce_damage(uint8_t *buf, size_t len, uint32_t which)
{
	const size_t first = ETH_LEN + IP_LEN + UDP_LEN;
	size_t byte = first + which / 8 % (len - first);

	/* Congestion marks may change, and the CRC says nothing of them. */
	if (byte == first + 4)
		byte++;
	buf[byte] ^= 1u << which % 8;
}

/* From UDP's data on; len without the CRC. */
static int decode_bth(const uint8_t *p, size_t len,
		      struct gaudi_nic_packet *packet, const char **why)
{
	unsigned int pad = p[1] >> 4 & 3, kind = gaudi_roce_kind(p[0]);
	size_t need = BTH_LEN + pad;

	packet->opcode = p[0];
	packet->dst_qp = get32(p + 4) & 0xffffff;
	packet->ack_req = p[8] & 0x80;
	packet->psn = get32(p + 8) & 0xffffff;
	*why = "an opcode that ports do not know";
	if (!kind && packet->opcode != GAUDI_ROCE_ACK)
		return -EOPNOTSUPP;
	*why = "a version of the transport header";
	if (p[1] & 0xf)
		return -EBADMSG;
	if (kind & GAUDI_ROCE_WRITES && kind & GAUDI_ROCE_STARTS)
		need += RETH_LEN;
	if (kind & GAUDI_ROCE_IMM)
		need += IMM_LEN;
	if (packet->opcode == GAUDI_ROCE_ACK)
		need += AETH_LEN;
	*why = "too short for its headers";
	if (len < need)
		return -EBADMSG;
	*why = "more data than a packet holds";
	if (len - need > 4096)
		return -EBADMSG;
	len -= need;
	p += BTH_LEN;
	if (kind & GAUDI_ROCE_WRITES && kind & GAUDI_ROCE_STARTS) {
		packet->va = (uint64_t)get32(p) << 32 | get32(p + 4);
		packet->rkey = get32(p + 8);
		packet->dma_len = get32(p + 12);
		p += RETH_LEN;
	}
	if (kind & GAUDI_ROCE_IMM) {
		packet->imm = get32(p);
		p += IMM_LEN;
	}
	if (packet->opcode == GAUDI_ROCE_ACK) {
		packet->aeth = get32(p);
		p += AETH_LEN;
	}
	packet->part[0] = p;
	packet->part_len[0] = len;
	return 0;
}

int gaudi_roce_decode(const uint8_t *buf, size_t len,
		      struct gaudi_nic_packet *packet, const char **why)
{
	const uint8_t *ip = buf + ETH_LEN, *udp = ip + IP_LEN;
	uint32_t crc;
	size_t size;

	memset(packet, 0, sizeof(*packet));
	*why = "not RoCE v2 over IPv4";
	if (len < ETH_LEN + IP_LEN + UDP_LEN || get16(buf + 12) != ETH_TYPE_IP ||
	    ip[0] != 0x45 || ip[9] != IP_PROTO_UDP || get16(udp + 2) != UDP_PORT)
		return -EPROTO;
	*why = "a fragment";
	if (get16(ip + 6) & 0x3fff)
		return -EBADMSG;
	size = get16(ip + 2);
	*why = "lengths that do not fit";
	if (size > len - ETH_LEN ||
	    size < IP_LEN + UDP_LEN + BTH_LEN + ICRC_LEN ||
	    get16(udp + 4) != size - IP_LEN)
		return -EBADMSG;
	*why = "IP's checksum";
	if (ip_checksum(ip, IP_LEN))
		return -EBADMSG;
	memcpy(&crc, ip + size - ICRC_LEN, ICRC_LEN);
	*why = "the invariant CRC";
	if (le32toh(crc) != icrc(ip, size - ICRC_LEN))
		return -EBADMSG;
	memcpy(packet->dst_mac, buf, sizeof(packet->dst_mac));
	packet->src_ip = get32(ip + 12);
	packet->dst_ip = get32(ip + 16);
	return decode_bth(udp + UDP_LEN, size - IP_LEN - UDP_LEN - ICRC_LEN,
			  packet, why);
}
