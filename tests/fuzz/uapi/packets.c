// SPDX-License-Identifier: GPL-2.0-only
/* Packets as a program would make them, mostly. */
#include <string.h>

#include "gaudi_test.h"
#include "uapi_fuzz.h"

#define HBM		0x20000000ull
#define HBM_BYTES	0x7e0000000ull
/* One of an engine's registers, by its packets: 64 KiB from the queue manager's block on. */
#define ARB_POINT	0x0c
#define WREG_32		0x01
#define WREG_BULK	0x02
#define MSG_SHORT	0x04
#define REPEAT		0x06
#define STOP		0x0b
#define WAIT		0x0d
#define LOAD_AND_EXE	0x0f
#define MOST_BYTES	80	/* of what one_packet() makes */

/* These bits of the state stay what they are. */
#define TAME			1ull
#define EXTERNAL		2ull
#define DMA			4ull
#define UPPER			8ull
#define KEPT			(TAME | EXTERNAL | DMA | UPPER)

static uint64_t chance(uint64_t *state)
{
	uint64_t x = *state & ~KEPT;

	x = x * 6364136223846793005ull + 1442695040888963392ull;
	*state = (x & ~KEPT) | (*state & KEPT);
	return x >> 24;
}

/*
 * Most lists are such that a card does them: an access that it may not do stops the queue, and
 * then there is nothing but a reset.
 */
static uint64_t some_address(uint64_t *s)
{
	uint64_t r = chance(s), va = learned(V_VA, r >> 5);
	uint64_t packets = learned(V_PACKETS, r >> 5);

	/* Behind them, or in SRAM. */
	if (*s & TAME)
		return packets && r & 1 ? packets + NUM_PAGES * 4096 + (r >> 5 & 0x3ffc0) :
		       SRAM_BASE + (r >> 5) % (16 << 20) / 128 * 128;
	switch (r % 8) {
	case 0:
	case 1:
	case 2:
		return va + (chance(s) & 0xfc0);
	case 3:
		return HBM + chance(s) % HBM_BYTES / 128 * 128;
	case 4:
		return SRAM_BASE + chance(s) % (19 << 20);
	case 5:
		return SOB_E_N(chance(s) % 2048);
	case 6:
		return CFG_BASE + chance(s) % (32 << 20) / 4 * 4;
	default:
		return chance(s) << 16 ^ chance(s);
	}
}

static uint32_t some_bytes(uint64_t *s)
{
	uint64_t r = chance(s);

	return r % 64 || *s & TAME ? 4u << r % 12 : (uint32_t)(r >> 8);
}

static uint32_t barriers(uint64_t *s)
{
	uint64_t r = chance(s);

	return (r & 1 ? EB : 0) | (r & 2 ? RB : 0) | (r & 4 ? MB : 0);
}

/* Of @n words, with the second one's low half free for registers. */
static uint32_t write_registers(uint8_t *at, uint64_t *s)
{
	uint64_t r = chance(s), value = chance(s) % 4 ? r >> 8 : some_address(s);
	uint32_t head[2], reg = (uint32_t)(chance(s) % 0x1000) * 4, n, i;

	if (r & 1 || *s & EXTERNAL) {
		head[0] = (uint32_t)value;
		head[1] = WREG_32 << 24 | reg | barriers(s);
		memcpy(at, head, 8);
		return 8;
	}
	n = 1 + r / 2 % 8;
	head[0] = n;
	head[1] = (uint32_t)(WREG_BULK << 24 | reg | barriers(s));
	memcpy(at, head, 8);
	for (i = 0; i < n; i++, value = chance(s) % 3 ? chance(s) : some_address(s))
		memcpy(at + 8 + 8 * i, &value, 8);
	return 8 + 8 * n;
}

static uint32_t synchronize(uint8_t *at, uint64_t *s)
{
	uint64_t r = chance(s);
	uint32_t sob = r % 2048, how = r >> 11 & 3;

	switch (how) {
	case 0:
		return gt_pkt_monitor(at, r >> 13 & 511, sob, r >> 22 & 7,
				      *s & TAME || chance(s) % 4 ? DMA_FENCE2(r >> 25 & 7, r >> 28 & 3) :
				      some_address(s));
	case 1:
		/* One that waits for nobody holds the queue. */
		return gt_pkt_fence(at, r >> 13 & 3, !(*s & TAME), *s & TAME ? 0 : r >> 15 & 1);
	default:
		return gt_pkt_msg_long(at, SOB_E_N(sob),
				       (r & 1 << 13 ? 1u << 31 : 0) | (r >> 14 & 3),
				       barriers(s));
	}
}

/* A buffer of the lower command processor of such an engine. */
static uint32_t call_lower(uint8_t *at, uint64_t *s)
{
	uint64_t va = learned(V_PACKETS, chance(s));
	unsigned int page = chance(s) % (NUM_PAGES / 4) * 4 + (*s & DMA ? 2 : 3);

	return va ? gt_pkt_cp_dma(at, va + page * 4096, LOWER_BYTES) : gt_pkt_nop(at, 0);
}

static uint32_t one_packet(uint8_t *at, uint64_t *s)
{
	static const uint8_t others[] = {
		MSG_SHORT, REPEAT, ARB_POINT, WAIT, LOAD_AND_EXE, STOP,
	};
	uint64_t r = chance(s);
	unsigned int which = r % (*s & TAME ? 10 : 17);

	/* What the engine, or a program, may not do ends the list. */
	if (which >= 2 && which < 7 && *s & TAME) {
		if (*s & UPPER)
			return call_lower(at, s);
		which += *s & DMA ? 0 : 5;
	}
	switch (which) {
	case 0:
	case 1:
		return gt_pkt_nop(at, barriers(s));
	case 2:
	case 3:
	case 4:
		return gt_pkt_lin_dma(at, some_address(s), some_address(s),
				      some_bytes(s), barriers(s));
	case 5:
	case 6:
		return gt_pkt_memset(at, r, some_address(s), some_bytes(s), barriers(s));
	case 7:
	case 8:
	case 9:
		return synchronize(at, s);
	case 10:
	case 11:
	case 12:
		return write_registers(at, s);
	case 13:
		return gt_pkt_raw(at, r & 32 ? MSG_SHORT : ARB_POINT, 2);
	case 14:
		return gt_pkt_msg_long(at, some_address(s), (uint32_t)r, barriers(s));
	case 15:
		if (r & 16)
			return gt_pkt_cp_dma(at, some_address(s),
					     some_bytes(s) & 0xff8);
		/* fall through */
	default:
		return gt_pkt_raw(at, chance(s) % 8 ? others[(r >> 5) % 6] : r >> 5 & 31,
				  2 + (r >> 10) % 3);
	}
}

uint32_t make_packets(void *at, uint32_t size, uint64_t seed, enum queue_kind kind)
{
	static const uint64_t bits[] = {
		[Q_EXTERNAL] = EXTERNAL | DMA, [Q_UPPER_DMA] = UPPER | DMA,
		[Q_UPPER] = UPPER, [Q_LOWER_DMA] = DMA, [Q_LOWER] = 0,
	};
	uint64_t s = seed << 4 | (seed >> 60 || seed < 9999 ? TAME : 0) | bits[kind];
	uint64_t n = 1 + chance(&s) % 8, bit;
	uint8_t packet[MOST_BYTES * 2];
	uint32_t len = 0, bytes;

	for (; n; n--) {
		bytes = one_packet(packet, &s);
		if (len + bytes > size)
			break;
		memcpy((uint8_t *)at + len, packet, bytes);
		len += bytes;
	}
	for (n = s & TAME || chance(&s) % 2 ? 0 : 1 + chance(&s) % 4; n && len; n--) {
		bit = chance(&s) % (8 * len);
		((uint8_t *)at)[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	return len;
}
