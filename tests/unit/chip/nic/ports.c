// SPDX-License-Identifier: GPL-2.0-only
/* Two cards with a wire between them; see ports.h. */
#include "ports.h"
#include "../../../../qemu-device/chip/nic/packet.h"

void bits_set(void *words, unsigned int bit, unsigned int width, uint64_t v)
{
	uint8_t *byte = words;
	unsigned int i;

	/* What does not fit is a mistake of the test. */
	assert_true(width == 64 || !(v >> width));
	for (i = 0; i < width; i++, bit++) {
		byte[bit / 8] &= ~(1u << bit % 8);
		byte[bit / 8] |= (v >> i & 1) << bit % 8;
	}
}

uint64_t bits_get(const void *words, unsigned int bit, unsigned int width)
{
	const uint8_t *byte = words;
	uint64_t v = 0;
	unsigned int i;

	for (i = 0; i < width; i++, bit++)
		v |= (uint64_t)(byte[bit / 8] >> bit % 8 & 1) << i;
	return v;
}

static void wr_base(struct card *card, uint32_t hi, uint64_t addr)
{
	wr(card, hi, addr >> 18);
	wr(card, hi + 4, addr >> 7 & 0x7ff);
}

void port_on(struct card *card, unsigned int port)
{
	wr_base(card, QPC(port) + 0x0c, REQ_TABLE(port));
	wr(card, QPC(port) + 0x28, 5 << 8 | 3);		/* retries */
	wr(card, QPC(port) + 0x5c, 15);
	wr_base(card, QPC(port) + 0x6c, ERRORS(port));
	wr(card, TXE(port) + 0x10, WQ_LOG - 2);
	wr(card, TXE(port) + 0x20, 0);
	wr(card, TXE(port) + 0x30, WQS(port));
	wr(card, RXE(port) + 0x100, RECV_WQS(port));
	wr(card, RXE(port) + 0x104, (WQ_LOG - 4) << 24);
	wr(card, RXE(port) + 0x160, CQ(port));
	wr(card, RXE(port) + 0x200, 15);
	/* The last one: the port is on with it. */
	wr_base(card, QPC(port) + 0x40, RES_TABLE(port));
}

void *req_ctx(struct card *card, unsigned int port, uint32_t qp)
{
	return card_hbm(card) + REQ_TABLE(port) + 64 * qp;
}

void *res_ctx(struct card *card, unsigned int port, uint32_t qp)
{
	return card_hbm(card) + RES_TABLE(port) + 32 * qp;
}

/* On the network: of PORT_A and PORT_B. */
static const uint8_t macs[2][6] = {
	{ 0xb0, 0xfd, 0x0b, 0, 0, 1 }, { 0xb0, 0xfd, 0x0b, 0, 0, 2 },
};

void qp_open(struct card *card, unsigned int port, uint32_t qp)
{
	const uint8_t *peer = macs[port == PORT_A];
	void *req = req_ctx(card, port, qp), *res = res_ctx(card, port, qp);

	memset(req, 0, 64);
	bits_set(req, 0, 24, qp);
	bits_set(req, 32, 32, KEY + qp);
	bits_set(req, 64, 32, 0x0a000002);
	bits_set(req, 96, 32, 0x0a000001);
	memcpy((uint8_t *)req + 16, peer, 6);
	bits_set(req, 248, 7, TIMER);
	bits_set(req, 392, 22, WQ_ENTRIES - 1);
	bits_set(req, 480, 24, qp);
	bits_set(req, 511, 1, 1);
	memset(res, 0, 32);
	bits_set(res, 0, 24, qp);
	bits_set(res, 32, 32, KEY + qp);
	bits_set(res, 64, 32, 0x0a000001);
	bits_set(res, 96, 32, 0x0a000002);
	memcpy((uint8_t *)res + 16, peer, 6);
	bits_set(res, 255, 1, 1);
}

void qp_put(struct card *card, unsigned int port, uint32_t qp, uint32_t index,
	    const struct wqe *wqe)
{
	uint8_t *at = card_hbm(card) + WQS(port) +
		      ((uint64_t)qp * WQ_ENTRIES + index) * 32;

	memset(at, 0, 32);
	bits_set(at, 0, 16, wqe->strides);
	bits_set(at, 16, 9, wqe->reduction);
	bits_set(at, 26, 1, wqe->local_stride);
	bits_set(at, 27, 1, wqe->ack);
	bits_set(at, 28, 4, wqe->opcode);
	bits_set(at, 32, 50, wqe->local);
	bits_set(at, 82, 14, wqe->size);
	bits_set(at, 96, 50, wqe->remote);
	bits_set(at, 146, 14, wqe->stride_size);
	if (wqe->sob != NO_SOB) {
		bits_set(at, 160, 26, wqe->sob);
		bits_set(at, 191, 1, 1);
		bits_set(at, 192, 32, wqe->sob_data);
	}
	bits_set(at, 224, 32, wqe->stride);
}

void qp_local(struct card *card, unsigned int port, uint32_t qp, uint32_t index,
	      uint32_t sob, uint32_t sob_data, bool cq)
{
	uint8_t *at = card_hbm(card) + RECV_WQS(port) +
		      ((uint64_t)qp * WQ_ENTRIES + index) * 8;

	memset(at, 0, 8);
	bits_set(at, 0, 32, sob_data);
	bits_set(at, 32, 26, sob);
	bits_set(at, 62, 1, cq);
	bits_set(at, 63, 1, 1);
}

void qp_ring(struct card *card, unsigned int port, uint32_t qp, uint32_t pi)
{
	wr(card, QPC(port) + 0x634, pi);
	wr(card, QPC(port) + 0x630, 1u << 31 | qp);
}

/* --- two of them ---------------------------------------------------------- */

void pair_settle(struct pair *pair)
{
	do {
		card_settle(pair->card[0]);
		card_settle(pair->card[1]);
	} while (pair->card[0]->kicked || pair->card[1]->kicked);
}

void pair_advance(struct pair *pair, uint64_t ns)
{
	card_advance(pair->card[0], ns);
	card_advance(pair->card[1], ns);
	pair_settle(pair);
}

static struct pair *pair_new(void)
{
	struct pair *pair = calloc(1, sizeof(*pair));

	assert_non_null(pair);
	pair->card[0] = card_new(NULL, 0);
	pair->card[1] = card_new(NULL, 0);
	return pair;
}

static int pair_on(struct pair *pair, void **state)
{
	port_on(A(pair), PORT_A);
	port_on(B(pair), PORT_B);
	pair_settle(pair);
	assert_true(gaudi_chip_link_up(A(pair)->chip, PORT_A));
	assert_true(gaudi_chip_link_up(B(pair)->chip, PORT_B));
	*state = pair;
	return 0;
}

int pair_setup(void **state)
{
	struct pair *pair = pair_new();

	WORKS(gaudi_chip_connect(A(pair)->chip, PORT_A, B(pair)->chip, PORT_B));
	return pair_on(pair, state);
}

uint8_t net_opcode;

/* The network: whatever one of them sends comes to the other. */
static void carry(struct card *card, unsigned int port, const void *buf,
		  size_t len)
{
	uint8_t again[4096 + GAUDI_FRAME_OVERHEAD];
	struct gaudi_nic_packet packet;
	const char *why;

	if (net_opcode && port == PORT_A) {
		WORKS(gaudi_roce_decode(buf, len, &packet, &why));
		packet.opcode = net_opcode;
		len = gaudi_roce_encode(&packet, macs[0], again);
		buf = again;
	}
	gaudi_chip_frame(card->other->chip, port == PORT_A ? PORT_B : PORT_A,
			 buf, len);
}

int net_pair_setup(void **state)
{
	struct pair *pair = pair_new();
	unsigned int i;

	for (i = 0; i < 2; i++) {
		pair->card[i]->other = pair->card[!i];
		pair->card[i]->frame = carry;
		WORKS(gaudi_chip_connect_network(pair->card[i]->chip,
						 i ? PORT_B : PORT_A, macs[i],
						 4096));
	}
	return pair_on(pair, state);
}

int pair_teardown(void **state)
{
	struct pair *pair = *state;

	card_free(pair->card[0]);
	card_free(pair->card[1]);
	free(pair);
	return 0;
}

/* --- one queue pair ------------------------------------------------------- */

void pair_open(struct pair *pair)
{
	qp_open(A(pair), PORT_A, PAIR_QP);
	qp_open(B(pair), PORT_B, PAIR_QP);
	fill(card_hbm(A(pair)) + PAIR_SRC, 1 << 20, 1);
	memset(card_hbm(B(pair)) + PAIR_DST, 0, 1 << 20);
}

int qp_setup(void **state)
{
	int rc = pair_setup(state);

	pair_open(*state);
	return rc;
}

int net_qp_setup(void **state)
{
	int rc = net_pair_setup(state);

	pair_open(*state);
	return rc;
}

struct wqe wqe_write(uint32_t size)
{
	return (struct wqe){ .opcode = 2, .local = PAIR_SRC, .remote = PAIR_DST,
			     .size = size, .sob = NO_SOB };
}

struct wqe wqe_counted(uint32_t size)
{
	struct wqe wqe = wqe_write(size);

	wqe.sob = REMOTE_SOB(20);
	wqe.sob_data = 0x80000001;
	return wqe;
}

void pair_run(struct pair *pair, const struct wqe *wqe, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		qp_put(A(pair), PORT_A, PAIR_QP, i, &wqe[i]);
	qp_ring(A(pair), PORT_A, PAIR_QP, n);
	pair_settle(pair);
}

void pair_do(struct pair *pair, struct wqe wqe)
{
	pair_run(pair, &wqe, 1);
}

void pair_check_data(struct pair *pair, uint64_t at, uint64_t src, size_t len)
{
	assert_memory_equal(card_hbm(B(pair)) + PAIR_DST + at,
			    card_hbm(A(pair)) + PAIR_SRC + src, len);
}

void pair_check_idle(struct pair *pair, uint32_t pi)
{
	void *req = req_ctx(A(pair), PORT_A, PAIR_QP);

	assert_int_equal(bits_get(req, 436, 22), pi);	/* consumer */
	assert_int_equal(bits_get(req, 414, 22), pi);	/* execution */
	assert_int_equal(bits_get(req, 192, 24), bits_get(req, 224, 24));
	assert_int_equal(bits_get(req, 510, 1), 0);
	assert_int_equal(bits_get(req, 224, 24),
			 bits_get(res_ctx(B(pair), PORT_B, PAIR_QP), 192, 24));
}

void port_check_error(struct card *card, unsigned int port, uint32_t entry)
{
	uint32_t found;

	assert_int_equal(rd(card, QPC(port) + 0x54), 1);
	memcpy(&found, card_hbm(card) + ERRORS(port), 4);
	assert_int_equal(found, entry);
}
