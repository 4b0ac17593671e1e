// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets as frames of RoCE v2 and back. Frames of all kinds go to the capture file
 * that ROCE_CAPTURE names, for readers that are not ours.
 */
#include <arpa/inet.h>
#include <errno.h>

#include "../card.h"
#include "../../../../qemu-device/chip/nic/packet.h"

static const uint8_t mac[6] = { 0xb0, 0xfd, 0x0b, 1, 2, 3 };

static const uint8_t opcodes[] = {
	0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b,
	0x11,
};

/* Data in two parts, of which the packet keeps pointers. */
static struct gaudi_nic_packet packet_of(uint8_t opcode, uint32_t len,
					 const uint8_t *data)
{
	struct gaudi_nic_packet p = {
		.opcode = opcode, .ack_req = len & 1,
		.dst_mac = { 0xb0, 0xfd, 0x0b, 4, 5, 6 },
		.src_ip = 0x0a000001, .dst_ip = 0x0a000002,
		.dst_qp = 0x123456, .psn = 0xabcdef,
	};
	bool data_less = opcode == 0x11;

	if (opcode == 0x06 || opcode == 0x0a || opcode == 0x0b) {
		p.va = 0x0001000012345678ull;
		p.rkey = 0x5eed1234;
		p.dma_len = len;
	}
	if (opcode == 3 || opcode == 5 || opcode == 9 || opcode == 0x0b)
		p.imm = 0xdeadbeef;
	if (data_less) {
		p.aeth = 0x1f000007;
		return p;
	}
	p.part[0] = data;
	p.part_len[0] = len / 3;
	p.part[1] = data + len / 3;
	p.part_len[1] = len - len / 3;
	return p;
}

TEST(there_and_back)
{
	uint8_t data[4096], buf[4096 + GAUDI_FRAME_OVERHEAD];
	struct gaudi_nic_packet p, q;
	const char *why;
	unsigned int i;
	uint32_t len;
	size_t n;

	fill(data, sizeof(data), 3);
	for (i = 0; i < sizeof(opcodes); i++) {
		for (len = 0; len <= 4096; len = len * 2 + 1) {
			p = packet_of(opcodes[i], len, data);
			n = gaudi_roce_encode(&p, mac, buf);
			assert_in_range(n, 14 + 20 + 8 + 12 + 4,
					len + GAUDI_FRAME_OVERHEAD);
			assert_int_equal(gaudi_roce_decode(buf, n, &q, &why), 0);
			assert_int_equal(q.opcode, p.opcode);
			assert_int_equal(q.ack_req, p.ack_req);
			assert_int_equal(q.dst_qp, p.dst_qp);
			assert_int_equal(q.psn, p.psn);
			assert_int_equal(q.va, p.va);
			assert_int_equal(q.rkey, p.rkey);
			assert_int_equal(q.dma_len, p.dma_len);
			assert_int_equal(q.imm, p.imm);
			assert_int_equal(q.aeth, p.aeth);
			assert_int_equal(q.src_ip, p.src_ip);
			assert_int_equal(q.dst_ip, p.dst_ip);
			assert_int_equal(q.part_len[0], p.part_len[0] +
							p.part_len[1]);
			assert_memory_equal(q.part[0], data, q.part_len[0]);
			/* Ethernet pads what is short. */
			memset(buf + n, 0, 16);
			assert_int_equal(gaudi_roce_decode(buf, n + 16, &q,
							   &why), 0);
		}
	}
}

/* Any bit that is turned is noticed, but those that routers may change. */
TEST(damage_is_noticed)
{
	uint8_t data[64], buf[64 + GAUDI_FRAME_OVERHEAD];
	struct gaudi_nic_packet p, q;
	const char *why;
	size_t n, bit;
	int err;

	fill(data, sizeof(data), 4);
	p = packet_of(0x0b, sizeof(data), data);
	n = gaudi_roce_encode(&p, mac, buf);
	for (bit = 8 * 14; bit < 8 * n; bit++) {
		buf[bit / 8] ^= 1 << bit % 8;
		err = gaudi_roce_decode(buf, n, &q, &why);
		/* UDP's checksum, and the marks of congestion */
		if ((bit / 8 >= 14 + 26 && bit / 8 < 14 + 28) ||
		    bit / 8 == 14 + 28 + 4)
			assert_int_equal(err, 0);
		else
			assert_int_not_equal(err, 0);
		buf[bit / 8] ^= 1 << bit % 8;
	}
	for (; n; n--)
		assert_int_not_equal(gaudi_roce_decode(buf, n - 1, &q, &why), 0);
}

TEST(other_frames_are_none)
{
	uint8_t buf[128] = { 0 };
	struct gaudi_nic_packet q;
	const char *why;

	assert_int_equal(gaudi_roce_decode(buf, sizeof(buf), &q, &why), -EPROTO);
	buf[12] = 0x86;
	buf[13] = 0xdd;
	assert_int_equal(gaudi_roce_decode(buf, sizeof(buf), &q, &why), -EPROTO);
}

/* Whole frames, whose CRC is right, of transports that ports do not have. */
TEST(other_transports_are_refused)
{
	static const uint8_t others[] = {
		0x0d, 0x12, 0x24, 0x2a, 0x44, 0x64, 0x65, 0xa4, 0xff,
	};
	uint8_t data[64], buf[64 + GAUDI_FRAME_OVERHEAD];
	struct gaudi_nic_packet p, q;
	const char *why;
	unsigned int i;
	size_t n;

	fill(data, sizeof(data), 6);
	p = packet_of(0x04, sizeof(data), data);
	for (i = 0; i < sizeof(others); i++) {
		p.opcode = others[i];
		n = gaudi_roce_encode(&p, mac, buf);
		assert_int_equal(gaudi_roce_decode(buf, n, &q, &why),
				 -EOPNOTSUPP);
	}
}

/* A capture file of all opcodes and some sizes: libpcap's format, version 2.4. */
TEST(frames_for_other_readers)
{
	const char *path = getenv("ROCE_CAPTURE");
	static const uint32_t sizes[] = { 0, 1, 2, 3, 4, 255, 1024, 4096 };
	const uint32_t head[] = { 0xa1b2c3d4, 4 << 16 | 2, 0, 0, 65535, 1 };
	uint8_t data[4096], buf[4096 + GAUDI_FRAME_OVERHEAD];
	struct gaudi_nic_packet p;
	FILE *f;
	unsigned int i, j;
	uint32_t row[4];

	if (!path)
		skip();
	f = fopen(path, "w");
	assert_non_null(f);
	fill(data, sizeof(data), 5);
	fwrite(head, sizeof(head), 1, f);
	for (i = 0; i < sizeof(opcodes); i++) {
		for (j = 0; j < 8; j++) {
			p = packet_of(opcodes[i], sizes[j], data);
			row[0] = i;
			row[1] = j;
			row[2] = row[3] = gaudi_roce_encode(&p, mac, buf);
			fwrite(row, sizeof(row), 1, f);
			fwrite(buf, row[2], 1, f);
		}
	}
	assert_int_equal(fclose(f), 0);
}
