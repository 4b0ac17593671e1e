// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hostile peer on the network: frames of RoCE v2 for ports with queue pairs of all
 * kinds, in order or not, true or damaged with the checksums mended, while the card
 * itself sends. It has the keys of users' queue pairs, and reaches what these do. One
 * port has another process at its end, with the same packets (ops_ring.c).
 */
#include <zlib.h>

#include "ops_ring.h"

const unsigned int harness_unit = sizeof(struct rec);

#define ETH		14
#define IP		(ETH)
#define UDP		(IP + 20)
#define BTH		(UDP + 8)
#define FRAME_MAX	(4096 + GAUDI_FRAME_OVERHEAD)
#define KEPT		4

/* What the card has sent lately. */
static struct {
	uint8_t buf[FRAME_MAX];
	size_t len;
} kept[KEPT];
static unsigned int num_kept;

/* --- frames --------------------------------------------------------------- */

static void put16(uint8_t *at, uint16_t v)
{
	at[0] = v >> 8;
	at[1] = v;
}

static uint16_t ip_checksum(const uint8_t *ip)
{
	uint32_t sum = 0;
	unsigned int i;

	for (i = 0; i < 20; i += 2)
		sum += i == 10 ? 0 : ip[i] << 8 | ip[i + 1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

/* The invariant CRC as the specification of RoCE v2 has it. */
static uint32_t icrc(const uint8_t *ip, size_t len)
{
	uint8_t copy[8 + FRAME_MAX];

	memset(copy, 0xff, 8);
	memcpy(copy + 8, ip, len);
	copy[8 + 1] = copy[8 + 8] = copy[8 + 10] = copy[8 + 11] = 0xff;
	copy[8 + 26] = copy[8 + 27] = copy[8 + 32] = 0xff;
	return crc32(0, copy, 8 + len);
}

/* As a peer would send what it made up: lengths, checksum and CRC fit. */
static void mend(uint8_t *buf, size_t len, unsigned int what)
{
	uint32_t crc;

	if (len < BTH + 16)
		return;
	if (what & 1) {
		put16(buf + IP + 2, len - IP);
		put16(buf + UDP + 4, len - UDP);
	}
	if (what & 2)
		put16(buf + IP + 10, ip_checksum(buf + IP));
	if (!(what & 4))
		return;
	crc = htole32(icrc(buf + IP, len - IP - 4));
	memcpy(buf + len - 4, &crc, 4);
}

static void deliver(unsigned int port, const uint8_t *buf, size_t len)
{
	/* One that is read beyond its end is seen. */
	uint8_t *own = malloc(len);

	if (!own)
		abort();
	memcpy(own, buf, len);
	world.card[0].used = true;
	world_call("a frame", len);
	gaudi_chip_frame(world.card[0].chip, port, own, len);
	world_called();
	free(own);
}

static void keep_frame(struct world_card *card, unsigned int port,
		       const void *buf, size_t len)
{
	(void)card;
	(void)port;
	if (len > FRAME_MAX)
		abort();
	memcpy(kept[num_kept % KEPT].buf, buf, len);
	kept[num_kept++ % KEPT].len = len;
}

/* --- packets -------------------------------------------------------------- */

static const uint8_t opcodes[] = {
	GAUDI_ROCE_WRITE_ONLY, GAUDI_ROCE_WRITE_FIRST, GAUDI_ROCE_WRITE_MIDDLE,
	GAUDI_ROCE_WRITE_LAST, GAUDI_ROCE_WRITE_LAST_IMM,
	GAUDI_ROCE_WRITE_ONLY_IMM, GAUDI_ROCE_SEND_ONLY, GAUDI_ROCE_SEND_FIRST,
	GAUDI_ROCE_SEND_MIDDLE, GAUDI_ROCE_SEND_LAST, GAUDI_ROCE_SEND_LAST_IMM,
	GAUDI_ROCE_SEND_ONLY_IMM,
};

static uint32_t len_of(uint32_t value)
{
	static const uint16_t most[] = { 4, 0, 1, 64, 130, 1024, 4095, 4096 };

	return value & 8 ? (value >> 4) % 4097 : most[value % 8];
}

/* Mostly the next number; one before, ones to come, or any. */
static uint32_t psn_of(uint32_t expected, unsigned int how, uint32_t any)
{
	static const int8_t step[] = { 0, 0, 0, 0, -1, 1, 2, 16 };

	return (how & 8 ? expected + any : expected + step[how & 7]) & 0xffffff;
}

/* Whom it is for, and who sends it. */
static struct gaudi_nic_packet packet_for(unsigned int port, uint32_t qpn)
{
	const uint8_t mac[] = NIC_MAC(0, port);
	struct gaudi_nic_packet p = {
		.dst_qp = qpn, .src_ip = 0x0a000002, .dst_ip = 0x0a000001,
	};

	memcpy(p.dst_mac, mac, sizeof(mac));
	return p;
}

/* Bit 0x80 of flags: one bit of it is another one. 0x40: and its CRC fits. */
static void send(unsigned int port, const struct gaudi_nic_packet *p,
		 const struct rec *r)
{
	const uint8_t mac[] = NIC_MAC(1, port);
	uint8_t buf[FRAME_MAX];
	size_t len;

	if (port == RING_PORT) {
		ring_send(p, r);
		return;
	}
	len = gaudi_roce_encode(p, mac, buf);
	if (r->flags & 0x80) {
		buf[r->value % len] ^= 1u << (r->value >> 16) % 8;
		mend(buf, len, r->flags & 0x40 ? 6 : 0);
	}
	deliver(port, buf, len);
}

static const uint8_t *data(uint64_t seed)
{
	static uint8_t bytes[4096];
	unsigned int i;

	for (i = 0; i < sizeof(bytes); i += 8)
		memcpy(bytes + i, &seed, 8);
	return bytes;
}

/*
 * unit: for whom; sel: where to; flags: opcode, which number, damage; value: size;
 * addr: where, and what.
 */
static struct gaudi_nic_packet any_request(struct world_card *card,
					   const struct rec *r)
{
	unsigned int port = NIC_UNIT_PORT(r->unit), how = r->value >> 24;
	uint32_t qpn = NIC_UNIT_QP(r->unit);
	const uint32_t *res = nic_res(card, port, qpn);
	struct gaudi_nic_packet p;

	p = packet_for(port, how == 0xff ? r->addr : qpn);
	p.opcode = opcodes[r->flags % 16 % ARRAY_LEN(opcodes)];
	p.ack_req = how & 1;
	p.psn = psn_of(gaudi_nic_get(res, NIC_RES_EXPECTED_PSN),
		       how >> 4, r->addr >> 40);
	p.va = nic_named(r->sel, r->addr);
	p.rkey = how & 2 && how & 4 ? r->addr : nic_key(port, qpn);
	p.part[0] = data(r->addr);
	p.part_len[0] = len_of(r->value);
	p.dma_len = how & 8 ? r->value >> 4 & 0xffff : p.part_len[0];
	p.imm = r->value;
	return p;
}

static void op_request(struct world_card *card, const struct rec *r)
{
	struct gaudi_nic_packet p = any_request(card, r);

	send(NIC_UNIT_PORT(r->unit), &p, r);
}

/* A message in several packets, as it should be: value: how much. */
static void op_message(struct world_card *card, const struct rec *r)
{
	unsigned int port = NIC_UNIT_PORT(r->unit);
	uint32_t qpn = NIC_UNIT_QP(r->unit), left = r->value % 20000, n;
	const uint32_t *res = nic_res(card, port, qpn);
	uint32_t mtu = r->flags & 1 ? 4096 : 1024, psn;
	struct gaudi_nic_packet p = packet_for(port, qpn);
	bool send_it = r->flags & 2, first = true;

	psn = gaudi_nic_get(res, NIC_RES_EXPECTED_PSN);
	p.va = nic_named(r->sel, r->addr);
	p.rkey = nic_key(port, qpn);
	p.dma_len = left;
	p.part[0] = data(r->addr);
	do {
		n = left < mtu ? left : mtu;
		left -= n;
		p.opcode = send_it ? GAUDI_ROCE_SEND_FIRST :
				     GAUDI_ROCE_WRITE_FIRST;
		if (!first)
			p.opcode += left ? 1 : 2;
		else if (!left)
			p.opcode += 4;
		p.psn = psn++ & 0xffffff;
		p.ack_req = !left;
		p.part_len[0] = n;
		send(port, &p, &(struct rec){ .flags = 0 });
		first = false;
	} while (left && psn & 31);
}

/* flags: what it says; sel: of which packet. */
static void op_answer(struct world_card *card, const struct rec *r)
{
	static const uint8_t says[] = {
		GAUDI_AETH_ACK, GAUDI_AETH_ACK, GAUDI_AETH_NAK_PSN,
		GAUDI_AETH_NAK_ACCESS, GAUDI_AETH_RNR, 0, 0x64, 0xff,
	};
	unsigned int port = NIC_UNIT_PORT(r->unit);
	uint32_t qpn = NIC_UNIT_QP(r->unit), base;
	const uint32_t *req = nic_req(card, port, qpn);
	struct gaudi_nic_packet p = packet_for(port, r->sel == 0xff ? r->addr :
								      qpn);

	base = gaudi_nic_get(req, r->sel & 0x80 ? NIC_REQ_NEXT_PSN :
						  NIC_REQ_OLDEST_UNACKED);
	p.opcode = GAUDI_ROCE_ACK;
	p.psn = (r->sel & 0x40 ? base + r->addr : base + r->sel % 8 - 2) &
		0xffffff;
	p.aeth = (uint32_t)says[r->flags % 8] << 24 | (r->value & 0xffffff);
	send(port, &p, r);
}

/* One that the card has sent comes back, for it, with eight bytes changed. */
static void op_echo(struct world_card *card, const struct rec *r)
{
	const uint8_t mac[] = NIC_MAC(0, NIC_UNIT_PORT(r->unit));
	uint8_t buf[FRAME_MAX];
	size_t len = kept[r->sel % KEPT].len, at;

	(void)card;
	if (!len)
		return;
	memcpy(buf, kept[r->sel % KEPT].buf, len);
	if (r->flags & 1)
		memcpy(buf, mac, 6);
	at = r->flags & 2 ? r->value % 128 : r->value;
	at %= len - 8;
	if (r->flags & 4)
		memcpy(buf + at, &r->addr, 8);
	if (r->flags & 8)
		len -= (r->value >> 16) % len;
	mend(buf, len, r->flags >> 4 | (r->flags & 0x80 ? 0 : 7));
	deliver(NIC_UNIT_PORT(r->unit), buf, len);
}

/* Headers that are right, up to sel bytes behind them that are not. */
static void op_raw_frame(struct world_card *card, const struct rec *r)
{
	const uint8_t mac[] = NIC_MAC(0, NIC_UNIT_PORT(r->unit));
	static const uint8_t head[BTH] = {
		[12] = 8, [IP] = 0x45, [IP + 6] = 0x40, [IP + 8] = 64,
		[IP + 9] = 17, [IP + 12] = 10, [IP + 15] = 2, [IP + 16] = 10,
		[IP + 19] = 1, [UDP] = 0xc0, [UDP + 2] = 4791 >> 8,
		[UDP + 3] = 4791 & 255,
	};
	uint8_t buf[BTH + 256 + 16] = { 0 };
	size_t len = BTH + r->sel;

	(void)card;
	memcpy(buf, head, sizeof(head));
	memcpy(buf, mac, 6);
	memcpy(buf + BTH, &r->value, 4);
	memcpy(buf + BTH + 4, &r->addr, 8);
	if (r->flags & 1)
		memcpy(buf + BTH + 12, &r->addr, 8);
	mend(buf, len, r->flags & 0xf0 ? 7 : r->flags >> 1);
	deliver(NIC_UNIT_PORT(r->unit), buf, len);
}

/* --- the harness ---------------------------------------------------------- */

static op_fn * const ops[] = {
	op_request, op_request, op_request, op_request, op_message, op_message,
	op_answer, op_answer, op_nic_post, op_nic_post, op_echo, op_raw_frame, op_nic_wqe, op_nic_wqe,
	op_nic_any_wqe, op_nic_local, op_nic_ring, op_nic_ring, op_nic_open,
	op_nic_fault, op_nic_wait, op_run, op_nic_plug, op_ring_word,
	op_ring_state, op_ring_take, op_ring_join,
};

static void connect_network(void)
{
	static const uint8_t mac[NIC_PORTS][6] = {
		NIC_MAC(0, 0), NIC_MAC(0, 1), NIC_MAC(0, 2),
	};
	unsigned int p;

	ring_connect();
	for (p = 0; p < RING_PORT; p++)
		if (gaudi_chip_connect_network(world.card[0].chip, p, mac[p],
					       p ? 1024 : 4096))
			abort();
}

int harness_init(void)
{
	world_users();
	world.frame = keep_frame;
	return 0;
}

void harness_run(const uint8_t *data, size_t size)
{
	struct world_card *card = &world.card[0];
	struct rec r;
	size_t n;

	num_kept = 0;
	ring_begin();
	memset(kept, 0, sizeof(kept));
	nic_begin(data, size, connect_network, true);
	for (n = 0; n < MAX_RECORDS && size >= sizeof(r); n++) {
		memcpy(&r, data, sizeof(r));
		data += sizeof(r);
		size -= sizeof(r);
		ops[r.op % ARRAY_LEN(ops)](card, &r);
	}
	/* As pulled wires are not of the card, they outlive its reset. */
	for (n = 0; n < NIC_PORTS; n++)
		gaudi_chip_plug(card->chip, n, true);
	ring_end();
	nic_end();
}
