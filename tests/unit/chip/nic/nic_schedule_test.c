// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random work of the ports of two cards that share workers, by wires and by a network,
 * while guests' threads ring, change contexts, pull wires and inject faults, a stranger
 * sends frames, and a card is reset or freed: for ThreadSanitizer. Each queue pair
 * has memory of its own, at both ends, as what races otherwise is the program's. The
 * schedule of each round is another one; SCHEDULE_SEED and SCHEDULE_ROUNDS change what
 * is run.
 */
#include <pthread.h>
#include <unistd.h>

#include "ports.h"
#include "../schedule.h"
#include "../../../../qemu-device/chip/nic/packet.h"

#define WIRES		2u	/* ports 0 and 1, each to the other's of its number */
#define NET		2u	/* a port on the network */
#define PORTS		3u
#define QPS		4u
#define GUESTS		2u
#define ROUNDS		40u
#define AREA(c, p, q)	((((c) * PORTS + (p)) * QPS + (q)) * 0x40000ull)
#define SRC		0x30000000ull
#define DST		0x34000000ull
#define STRANGERS	0x38000000ull

/* Bytes of data that a port took, since the card's last reset. */
#define RX_BYTES(p)	(0xcc4020u + NIC_MACRO(p) + ((p) & 1) * 0x80u)

struct round {
	struct card *card[2];
	atomic_bool stop;
};

struct guest {
	struct round *round;
	uint32_t x;
	unsigned int accesses;
};

/* --- the network ---------------------------------------------------------- */

/* Held while a frame is carried: nobody frees the card for which it is. */
static pthread_rwlock_t network = PTHREAD_RWLOCK_INITIALIZER;

static void carry(struct card *card, unsigned int port, const void *buf,
		  size_t len)
{
	pthread_rwlock_rdlock(&network);
	if (card->other)
		gaudi_chip_frame(card->other->chip, port, buf, len);
	pthread_rwlock_unlock(&network);
}

static void set_other(struct card *card, struct card *other)
{
	pthread_rwlock_wrlock(&network);
	card->other = other;
	pthread_rwlock_unlock(&network);
}

/* --- what is to be done --------------------------------------------------- */

static struct wqe any_entry(uint32_t *x, unsigned int c, unsigned int p,
			    unsigned int q)
{
	struct wqe wqe = {
		.opcode = rnd(x) % 16 ? 1 + rnd(x) % 3 : rnd(x) % 16,
		.local = SRC + AREA(c, p, q) + rnd(x) % 0x1000,
		.remote = DST + AREA(c, p, q) + rnd(x) % 0x1000,
		.size = rnd(x) % 3 ? rnd(x) % 0x4000 : rnd(x) % 64,
		.strides = rnd(x) % 8, .stride_size = rnd(x) % 0x1800,
		.stride = rnd(x) % 0x4000, .local_stride = rnd(x) & 1,
		.sob = NO_SOB, .ack = rnd(x) & 1,
	};

	if (rnd(x) & 1) {
		wqe.sob = rnd(x) % 4 ? REMOTE_SOB(rnd(x) % 16) : 0;
		wqe.sob_data = 0x80000001;
	}
	return wqe;
}

/* Contexts of a queue pair, whose other end is at the other card. */
static void any_contexts(unsigned int c, unsigned int q, uint32_t *x,
			 uint32_t *req, uint32_t *res)
{
	uint64_t mac = 0x0bfdb0ull | (uint64_t)(1 + !c) << 40;

	memset(req, 0, 64);
	memset(res, 0, 32);
	bits_set(req, 0, 24, q);
	bits_set(req, 32, 32, KEY + q);
	bits_set(req, 128, 48, mac);
	bits_set(req, 248, 7, 4 + rnd(x) % 6);
	bits_set(req, 392, 22, WQ_ENTRIES - 1);
	bits_set(req, 480, 24, q);
	bits_set(req, 511, 1, 1);
	bits_set(res, 0, 24, q);
	bits_set(res, 32, 32, KEY + q);
	bits_set(res, 128, 48, mac);
	bits_set(res, 216, 5, 12);
	bits_set(res, 255, 1, 1);
}

/* Queue pairs of a port, in memory; the port is off. */
static void set_up(struct card *card, unsigned int c, unsigned int p,
		   uint32_t *x)
{
	struct wqe wqe;
	unsigned int q, i;

	for (q = 0; q < QPS; q++) {
		any_contexts(c, q, x, req_ctx(card, p, q), res_ctx(card, p, q));
		for (i = 0; i < WQ_ENTRIES; i++) {
			wqe = any_entry(x, c, p, q);
			qp_put(card, p, q, i, &wqe);
			if (rnd(x) & 1)
				qp_local(card, p, q, i, REMOTE_SOB(16),
					 0x80000001, rnd(x) & 1);
		}
	}
	/* SENDs of all queue pairs come there, one after the other. */
	wr(card, RXE(p) + 0xa0, DST + 0x2000000 + p * 0x10000);
	port_on(card, p);
}

static void set_up_all(struct round *r, unsigned int c, uint32_t *x)
{
	unsigned int p;

	for (p = 0; p < PORTS; p++)
		set_up(r->card[c], c, p, x);
}

/* --- guests and strangers ------------------------------------------------- */

/* Some bits of a context, by the window to it. */
static void change_context(struct card *card, unsigned int p, uint32_t *x)
{
	static const struct { uint8_t word; uint32_t mask; } field[] = {
		{ 5, 0xffff0000 },	/* tries so far */
		{ 6, 0x0000003f },	/* next number */
		{ 7, 0x0000003f },	/* oldest one that is not acknowledged */
		{ 15, 0x40000000 },	/* error */
		{ 15, 0x80000000 },	/* valid */
		{ 14, 0x0000fc00 },	/* entries of which half are written */
	};
	unsigned int i = rnd(x) % (sizeof(field) / sizeof(field[0]));

	wr(card, QPC(p) + 0x8c + 4 * field[i].word, rnd(x) << 24 | rnd(x));
	wr(card, QPC(p) + 0x124 + 4 * field[i].word, field[i].mask);
	wr(card, QPC(p) + 0x84, 1 << 24 | rnd(x) % QPS);
	wr(card, QPC(p) + 0x80, 1);
	wr(card, QPC(p) + 0x124 + 4 * field[i].word, 0);
}

static void write_context(struct card *card, unsigned int p, uint32_t ctrl,
			  const uint32_t *words, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		wr(card, QPC(p) + 0x8c + 4 * i, words[i]);
		wr(card, QPC(p) + 0x124 + 4 * i, UINT32_MAX);
	}
	wr(card, QPC(p) + 0x84, ctrl);
	wr(card, QPC(p) + 0x80, 1);
	for (i = 0; i < n; i++)
		wr(card, QPC(p) + 0x124 + 4 * i, 0);
}

/* A queue pair begins anew, at both ends, and rings. */
static void open_again(struct round *r, unsigned int p, unsigned int q,
		       uint32_t *x)
{
	uint32_t req[16], res[8];
	unsigned int c;

	for (c = 0; c < 2; c++) {
		any_contexts(c, q, x, req, res);
		write_context(r->card[c], p, q, res, 8);
		write_context(r->card[c], p, 1 << 24 | q, req, 16);
	}
	qp_ring(r->card[rnd(x) & 1], p, q, rnd(x) % WQ_ENTRIES);
}

static void inject(struct card *card, uint32_t *x)
{
	static const char *const faults[] = {
		"nic-frame-lost,every=7,count=5", "nic-frame-doubled,count=9",
		"nic-frame-reordered,every=3,count=9", "nic-slow,us=50,count=99",
		"nic-frame-corrupted,every=5,count=5", "nic-bad-qp,every=9",
		"nic-link-down,unit=1,ms=1", "nic-peer-gone,unit=2,ms=1",
		"nic-cq-overrun", "nic-bad-key,every=50",
		"nic-slow,ns-per-kib=3000,every=2,count=50",
	};
	char why[128];

	gaudi_chip_inject(card->chip, faults[rnd(x) % 11], why, sizeof(why));
	if (rnd(x) % 8 == 0)
		gaudi_chip_faults_clear(card->chip);
}

static void *guest_thread(void *arg)
{
	struct guest *g = arg;
	struct card *card;
	unsigned int p;

	for (; !g->round->stop; g->accesses++) {
		card = g->round->card[rnd(&g->x) % 2];
		p = rnd(&g->x) % PORTS;
		switch (rnd(&g->x) % 16) {
		case 0:
			change_context(card, p, &g->x);
			break;
		case 1:
			gaudi_chip_plug(card->chip, p, rnd(&g->x) % 8);
			break;
		case 2:
			inject(card, &g->x);
			break;
		case 3:
			gaudi_chip_timer(card->chip);
			break;
		case 4:		/* what is in the queues has been seen */
			wr(card, QPC(p) + 0x58, rd(card, QPC(p) + 0x50));
			wr(card, RXE(p) + 0x1e0, rd(card, RXE(p) + 0x1a0));
			break;
		case 5:
			wr(card, QPC(p) + (rnd(&g->x) & 1 ? 0 : 0x34), 1);
			rd(card, QPC(p) + 4);
			break;
		case 6:
			open_again(g->round, p, rnd(&g->x) % QPS, &g->x);
			break;
		case 7:
			gaudi_chip_link_up(card->chip, p);
			rd(card, QPC(p) + 0x38);
			break;
		default:
			qp_ring(card, p, rnd(&g->x) % QPS,
				rnd(&g->x) % WQ_ENTRIES);
		}
	}
	return NULL;
}

/* Has the key, and memory of its own, and knows no numbers. */
static void *stranger_thread(void *arg)
{
	static const uint8_t data[4096], src_mac[6] = { 2 };
	static const uint8_t opcode[] = {
		0x0a, 0x06, 0x07, 0x08, 0x0b, 0x04, 0x00, 0x11,
	};
	uint8_t buf[4096 + GAUDI_FRAME_OVERHEAD];
	struct guest *g = arg;
	struct gaudi_nic_packet p = {
		.dst_mac = { 0xb0, 0xfd, 0x0b }, .part = { data },
	};
	unsigned int c;
	size_t len;

	for (; !g->round->stop; g->accesses++) {
		c = rnd(&g->x) % 2;
		p.dst_mac[5] = 1 + c;
		p.opcode = opcode[rnd(&g->x) % 8];
		p.dst_qp = rnd(&g->x) % (QPS + 1);
		p.psn = rnd(&g->x) % 64;
		p.rkey = KEY + p.dst_qp;
		p.va = STRANGERS + c * 0x10000;
		p.aeth = rnd(&g->x) % 2 ? 0x1f000000 : 0x60000000;
		p.part_len[0] = p.opcode == 0x11 ? 0 : rnd(&g->x) % 4097;
		p.dma_len = p.opcode == 0x0a ? p.part_len[0] : 0x4000;
		len = gaudi_roce_encode(&p, src_mac, buf);
		if (rnd(&g->x) % 4 == 0)
			buf[rnd(&g->x) % len] ^= 1;
		gaudi_chip_frame(g->round->card[c]->chip, NET, buf, len);
	}
	return NULL;
}

/* A card is reset, and its driver sets it up again, or not. */
static void disturb(struct round *r, uint32_t *x)
{
	unsigned int c = rnd(x) % 2;

	usleep(rnd(x) % 3000);
	switch (rnd(x) % 4) {
	case 0:
		gaudi_chip_power_on(r->card[c]->chip);
		break;
	case 1:
		gaudi_chip_hard_reset(r->card[c]->chip);
		set_up_all(r, c, x);
		break;
	case 2:
		gaudi_chip_pause(r->card[c]->chip);
		usleep(rnd(x) % 500);
		gaudi_chip_resume(r->card[c]->chip);
		break;
	default:
		break;
	}
}

/* --- rounds --------------------------------------------------------------- */

static void connect_all(struct round *r)
{
	uint8_t mac[6] = { 0xb0, 0xfd, 0x0b };
	unsigned int i;

	for (i = 0; i < WIRES; i++)
		WORKS(gaudi_chip_connect(r->card[0]->chip, i,
					 r->card[1]->chip, i));
	for (i = 0; i < 2; i++) {
		mac[5] = 1 + i;
		r->card[i]->frame = carry;
		set_other(r->card[i], r->card[!i]);
		WORKS(gaudi_chip_connect_network(r->card[i]->chip, NET, mac,
						 1024));
	}
}

/* Returns how often guests and strangers came to do something. */
static unsigned int run_round(uint32_t seed, uint64_t *bytes)
{
	const struct gaudi_config config = {
		.hbm_size = 1ull << 30,
		.sched_seed = seed % 3 ? seed : 0,
	};
	struct round r = { .card[0] = card_new(&config, 2) };
	struct guest guest[GUESTS + 1];
	pthread_t thread[GUESTS + 1];
	uint32_t x = seed * 2654435761u | 1;
	unsigned int i, accesses = 0;

	r.card[1] = card_new_beside(r.card[0], &config);
	connect_all(&r);
	for (i = 0; i < 2; i++)
		set_up_all(&r, i, &x);
	for (i = 0; i <= GUESTS; i++) {
		guest[i] = (struct guest){ &r, rnd(&x) | 1, 0 };
		pthread_create(&thread[i], NULL,
			       i < GUESTS ? guest_thread : stranger_thread,
			       &guest[i]);
	}
	for (i = 0; i < 3; i++)
		disturb(&r, &x);
	r.stop = true;
	for (i = 0; i <= GUESTS; i++) {
		pthread_join(thread[i], NULL);
		accesses += guest[i].accesses;
	}
	for (i = 0; i < 2 * PORTS; i++)
		*bytes += rd(r.card[i / PORTS], RX_BYTES(i % PORTS));
	/* At any moment: nobody waits until all is sent. */
	set_other(r.card[0], NULL);
	card_free(r.card[1]);
	card_free(r.card[0]);
	return accesses;
}

TEST(random_schedules)
{
	unsigned int first = from_env("SCHEDULE_SEED", 1), i;
	unsigned int n = from_env("SCHEDULE_ROUNDS", ROUNDS);
	unsigned int accesses = 0;
	uint64_t bytes = 0;

	for (i = 0; i < n; i++)
		accesses += run_round(first + i, &bytes);
	print_message("# %u rounds, %u accesses, %llu bytes\n", n, accesses,
		      (unsigned long long)bytes);
	assert_true(accesses > n);
	assert_true(bytes > 20000ull * n);
}
