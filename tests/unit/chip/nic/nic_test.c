// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queue pairs between two cards: writes, strides, immediates, sync objects at both
 * ends, completions, errors, retries, links that go down.
 */
#include "ports.h"

#define SRC		0x28000000ull
#define DST		0x29000000ull
#define REMOTE_SOB(n)	(SM_E_N + SOB(n))
#define QP		5u

static struct card *A(void **state)
{
	return ((struct pair *)*state)->card[0];
}

static struct card *B(void **state)
{
	return ((struct pair *)*state)->card[1];
}

static void open_both(void **state)
{
	qp_open(A(state), PORT_A, QP);
	qp_open(B(state), PORT_B, QP);
	fill(card_hbm(A(state)) + SRC, 1 << 20, 1);
	memset(card_hbm(B(state)) + DST, 0, 1 << 20);
}

/* Entries 0 to n - 1 of A's queue, and the doorbell. */
static void run(void **state, const struct wqe *wqe, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		qp_put(A(state), PORT_A, QP, i, &wqe[i]);
	qp_ring(A(state), PORT_A, QP, n);
	pair_settle(*state);
}

static void check_data(void **state, uint64_t at, uint64_t src, size_t len)
{
	assert_memory_equal(card_hbm(B(state)) + DST + at,
			    card_hbm(A(state)) + SRC + src, len);
}

/* All is sent, acknowledged and complete, and nobody failed. */
static void check_idle(void **state, uint32_t pi)
{
	void *req = req_ctx(A(state), PORT_A, QP);

	assert_int_equal(bits_get(req, 436, 22), pi);	/* consumer */
	assert_int_equal(bits_get(req, 414, 22), pi);	/* execution */
	assert_int_equal(bits_get(req, 192, 24), bits_get(req, 224, 24));
	assert_int_equal(bits_get(req, 510, 1), 0);
	assert_int_equal(bits_get(req, 224, 24),
			 bits_get(res_ctx(B(state), PORT_B, QP), 192, 24));
}

/* The error FIFO of a port has one entry, this. */
static void check_error(struct card *card, unsigned int port, uint32_t entry)
{
	uint32_t found;

	assert_int_equal(rd(card, QPC(port) + 0x54), 1);
	memcpy(&found, card_hbm(card) + ERRORS(port), 4);
	assert_int_equal(found, entry);
}

static void writes_arrive(void **state)
{
	static const uint32_t size[] = { 1, 3, 128, 4095, 4096, 4097, 16383 };
	struct wqe wqe[7];
	unsigned int i;

	open_both(state);
	for (i = 0; i < 7; i++)
		wqe[i] = (struct wqe) {
			.opcode = 2, .local = SRC + 0x8000 * i + i,
			.remote = DST + 0x8000 * i, .size = size[i],
			.sob = i == 6 ? REMOTE_SOB(20) : NO_SOB,
			.sob_data = 0x80000001,
		};
	qp_local(A(state), PORT_A, QP, 6, REMOTE_SOB(21), 0x80000003, false);
	run(state, wqe, 7);
	for (i = 0; i < 7; i++) {
		check_data(state, 0x8000 * i, 0x8000 * i + i, size[i]);
		assert_int_equal(card_hbm(B(state))[DST + 0x8000 * i + size[i]], 0);
	}
	assert_int_equal(sob(B(state), 20), 1);
	assert_int_equal(sob(A(state), 21), 3);
	check_idle(state, 7);
}

/* A queue of 64 entries, eight times around. */
static void ring_wraps(void **state)
{
	struct wqe wqe = {
		.opcode = 2, .local = SRC, .remote = DST, .size = 4096,
		.sob = REMOTE_SOB(20), .sob_data = 0x80000001,
	};
	unsigned int i;

	open_both(state);
	for (i = 0; i < WQ_ENTRIES; i++)
		qp_put(A(state), PORT_A, QP, i, &wqe);
	for (i = 1; i <= 16; i++) {
		qp_ring(A(state), PORT_A, QP, i * 32 % WQ_ENTRIES);
		pair_settle(*state);
	}
	assert_int_equal(sob(B(state), 20), 16 * 32);
	check_idle(state, 0);
}

static void strides(void **state)
{
	struct wqe wqe[] = {
		{ .opcode = 3, .local = SRC, .remote = DST, .strides = 100,
		  .stride_size = 64, .stride = 256, .sob = REMOTE_SOB(20),
		  .sob_data = 0x80000001 },
		{ .opcode = 3, .local = SRC, .remote = DST + 0x80000,
		  .strides = 10, .stride_size = 5000, .stride = 8192,
		  .local_stride = true, .sob = NO_SOB },
	};
	unsigned int i;

	open_both(state);
	run(state, wqe, 2);
	for (i = 0; i < 100; i++) {
		check_data(state, 256 * i, 64 * i, 64);
		assert_int_equal(card_hbm(B(state))[DST + 256 * i + 64], 0);
	}
	for (i = 0; i < 10; i++)
		check_data(state, 0x80000 + 5000 * i, 8192 * i, 5000);
	assert_int_equal(sob(B(state), 20), 1);
	check_idle(state, 2);
}

/* Immediates become completions of the odd port; so do entries that ask for it. */
static void completions(void **state)
{
	struct wqe wqe[] = {
		{ .opcode = 2, .local = SRC, .remote = DST, .size = 100,
		  .sob = 0, .sob_data = 0xdeadbeef },
		{ .opcode = 2, .size = 0, .sob = 0, .sob_data = 7 },
	};
	const uint8_t *cq = card_hbm(B(state)) + CQ(PORT_B);

	open_both(state);
	qp_local(A(state), PORT_A, QP, 1, 0, 0, true);
	run(state, wqe, 2);
	check_data(state, 0, 0, 100);
	assert_int_equal(rd(B(state), RXE(PORT_B) + 0x1c0), 2);
	assert_int_equal(bits_get(cq, 63, 1), 1);
	assert_int_equal(bits_get(cq, 23, 1), 1);
	assert_int_equal(bits_get(cq, 10, 1), 1);
	assert_int_equal(bits_get(cq, 32, 22) | bits_get(cq, 0, 10) << 22,
			 0xdeadbeef);
	assert_int_equal(bits_get(cq + 8, 32, 22), 7);
	cq = card_hbm(A(state)) + CQ(PORT_A);
	assert_int_equal(rd(A(state), RXE(PORT_A) + 0x1c0), 1);
	assert_int_equal(bits_get(cq, 63, 1), 1);
	assert_int_equal(bits_get(cq, 23, 1), 0);
	assert_int_equal(bits_get(cq, 0, 23), QP);
	assert_int_equal(bits_get(cq, 32, 22), 1);
}

/* Completions of an even port's responder are in the odd port's queue. */
static void even_port_tells_in_the_odd_ones_queue(void **state)
{
	struct wqe wqe = { .opcode = 2, .sob = 0, .sob_data = 9 };
	const uint8_t *cq = card_hbm(A(state)) + CQ(PORT_A + 1);

	open_both(state);
	port_on(A(state), PORT_A + 1);
	qp_put(B(state), PORT_B, QP, 0, &wqe);
	qp_ring(B(state), PORT_B, QP, 1);
	pair_settle(*state);
	assert_int_equal(rd(A(state), RXE(PORT_A) + 0x1c0), 0);
	assert_int_equal(rd(A(state), RXE(PORT_A + 1) + 0x1c0), 1);
	assert_int_equal(bits_get(cq, 10, 1), 0);
	assert_int_equal(bits_get(cq, 32, 22), 9);
}

static void completion_queue_overruns(void **state)
{
	struct wqe wqe = { .opcode = 2, .sob = 0 };
	unsigned int i;

	open_both(state);
	wr(B(state), RXE(PORT_B) + 0x274, REMOTE_SOB(30));
	wr(B(state), RXE(PORT_B) + 0x2b4, 0x80000001);
	for (i = 0; i < 18; i++)
		qp_put(A(state), PORT_A, QP, i, &wqe);
	qp_ring(A(state), PORT_A, QP, 18);
	pair_settle(*state);
	assert_int_equal(rd(B(state), RXE(PORT_B) + 0x1c0), 16);
	assert_int_equal(rd(B(state), RXE(PORT_B) + 0x2f4), 2);
	assert_int_equal(sob(B(state), 30), 2);
	wr(B(state), RXE(PORT_B) + 0x260, 2);
	assert_int_equal(rd(B(state), RXE(PORT_B) + 0x2f4), 0);
}

static void sends_fill_a_ring(void **state)
{
	struct wqe wqe[] = {
		{ .opcode = 1, .local = SRC, .size = 100, .sob = 0,
		  .sob_data = 1 },
		{ .opcode = 1, .local = SRC + 200, .size = 300, .sob = NO_SOB },
	};

	open_both(state);
	wr(B(state), RXE(PORT_B) + 0xa0, DST);
	bits_set(res_ctx(B(state), PORT_B, QP), 216, 5, 12);
	run(state, wqe, 2);
	check_data(state, 0, 0, 100);
	check_data(state, 128, 200, 300);
	assert_int_equal(bits_get(res_ctx(B(state), PORT_B, QP), 221, 30), 512);
	assert_int_equal(rd(B(state), RXE(PORT_B) + 0x1c0), 1);
	check_idle(state, 2);
}

static void queue_rings_the_doorbell(void **state)
{
	struct wqe wqe = {
		.opcode = 2, .local = SRC, .remote = DST, .size = 512,
		.sob = NO_SOB,
	};
	struct queue q = queue_internal(A(state), NIC_QM(PORT_A), 0, 0x10000, 4);
	struct cb cb = cb_hbm(A(state), 0x2f000000);
	uint64_t bell = (uint64_t)QP << 22 | 1;

	open_both(state);
	qp_put(A(state), PORT_A, QP, 0, &wqe);
	put_wreg(&cb, 0, bell);
	put_wreg(&cb, 4, bell >> 32);
	queue_put(A(state), &q, cb.addr, cb.len);
	queue_ring(A(state), &q);
	pair_settle(*state);
	check_data(state, 0, 0, 512);
	assert_int_equal(sts1(A(state), &q, 0), 0);
}

static void gateway_reads_and_writes(void **state)
{
	unsigned int i;

	open_both(state);
	for (i = 0; i < 16; i++)
		wr(A(state), QPC(PORT_A) + 0x124 + 4 * i, 0);
	wr(A(state), QPC(PORT_A) + 0x84, 1 << 24 | QP);
	wr(A(state), QPC(PORT_A) + 0x80, 1);
	assert_int_equal(rd(A(state), QPC(PORT_A) + 0x80), 0);
	assert_int_equal(rd(A(state), QPC(PORT_A) + 0x8c + 4), KEY + QP);
	wr(A(state), QPC(PORT_A) + 0x124 + 4, 0xffff);
	wr(A(state), QPC(PORT_A) + 0x8c + 4, 0x12345678);
	wr(A(state), QPC(PORT_A) + 0x80, 1);
	assert_int_equal(bits_get(req_ctx(A(state), PORT_A, QP), 32, 32),
			 ((KEY + QP) & 0xffff0000) | 0x5678);
	assert_int_equal(bits_get(req_ctx(A(state), PORT_A, QP), 0, 24), QP);
}

/* --- errors --------------------------------------------------------------- */

static void wrong_key_is_refused(void **state)
{
	struct wqe wqe = {
		.opcode = 2, .local = SRC, .remote = DST, .size = 64,
		.sob = NO_SOB,
	};

	open_both(state);
	bits_set(res_ctx(B(state), PORT_B, QP), 32, 32, 1);
	run(state, &wqe, 1);
	assert_int_equal(card_hbm(B(state))[DST], 0);
	check_error(B(state), PORT_B, 0x09000000 | QP);
	check_error(A(state), PORT_A, 0xc1000000 | QP);
	assert_int_equal(bits_get(req_ctx(A(state), PORT_A, QP), 510, 1), 1);
	assert_int_equal(bits_get(res_ctx(B(state), PORT_B, QP), 30, 2), 3);
}

static void bad_queue_pairs(void **state)
{
	struct wqe wqe = {
		.opcode = 2, .local = SRC, .remote = DST, .size = 64,
		.sob = NO_SOB,
	};

	/* No queue pair at all. */
	qp_ring(A(state), PORT_A, 9, 1);
	check_error(A(state), PORT_A, 0xc2000009);
	/* One that the peer does not have: it is asked until the tries end. */
	qp_open(A(state), PORT_A, QP);
	run(state, &wqe, 1);
	check_error(B(state), PORT_B, 0x05000000 | QP);
	for (unsigned int i = 0; i < 8; i++)
		pair_advance(*state, TIMER_NS + 1);
	assert_int_equal(rd(B(state), QPC(PORT_B) + 0x54), 1 + 3);
	assert_int_equal(rd(A(state), QPC(PORT_A) + 0x54), 2);
	assert_int_equal(*(uint32_t *)(card_hbm(A(state)) + ERRORS(PORT_A) + 4),
			 0xc0000000 | QP);
}

static void doorbell_needs_trust(void **state)
{
	open_both(state);
	bits_set(req_ctx(A(state), PORT_A, QP), 507, 2, 1);
	qp_ring(A(state), PORT_A, QP, 1);
	check_error(A(state), PORT_A, 0xc3000000 | QP);
	/* The register for those with rights, once it has them. */
	wr(A(state), QPC(PORT_A) + 0x648, 2 << 6 | 1 << 4);
	wr(A(state), QPC(PORT_A) + 0x63c, 1);
	wr(A(state), QPC(PORT_A) + 0x638, 1u << 31 | QP);
	assert_int_equal(bits_get(req_ctx(A(state), PORT_A, QP), 458, 22), 1);
}

static void reductions_are_refused_by_name(void **state)
{
	struct wqe wqe = {
		.opcode = 2, .local = SRC, .remote = DST, .size = 64,
		.sob = NO_SOB, .reduction = 1,
	};
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	open_both(state);
	run(state, &wqe, 1);
	assert_int_equal(card_hbm(B(state))[DST], 0);
	assert_int_equal(bits_get(req_ctx(A(state), PORT_A, QP), 510, 1), 1);
	gaudi_chip_report(A(state)->chip, f);
	fclose(f);
	assert_non_null(strstr(text, "NIC WQE reduction"));
	free(text);
}

/* A peer's write reaches what its responder's rights do, and nothing else. */
static void protected_memory_is_kept(void **state)
{
	struct wqe wqe = {
		.opcode = 2, .local = SRC, .remote = CFG + 0x500000, .size = 4,
		.sob = NO_SOB,
	};
	uint32_t before = rd(B(state), 0x500000);

	open_both(state);
	/* Protection bits of the DMA core's page: all closed. */
	for (unsigned int i = 0; i < 32; i++)
		wr(B(state), 0x500f80 + 4 * i, 0);
	run(state, &wqe, 1);
	assert_int_equal(rd(B(state), 0x500000), before);
	assert_int_equal(bits_get(res_ctx(B(state), PORT_B, QP), 30, 2), 3);
}

/* --- links ---------------------------------------------------------------- */

static void pulled_wire_is_asked_again(void **state)
{
	struct wqe wqe = {
		.opcode = 2, .local = SRC, .remote = DST, .size = 16000,
		.sob = REMOTE_SOB(20), .sob_data = 0x80000001,
	};

	open_both(state);
	assert_int_equal(gaudi_chip_plug(A(state)->chip, PORT_A, false), 0);
	assert_false(gaudi_chip_link_up(B(state)->chip, PORT_B));
	run(state, &wqe, 1);
	pair_advance(*state, TIMER_NS + 1);
	assert_int_equal(sob(B(state), 20), 0);
	assert_int_equal(gaudi_chip_plug(A(state)->chip, PORT_A, true), 0);
	pair_settle(*state);
	pair_advance(*state, TIMER_NS + 1);
	check_data(state, 0, 0, 16000);
	assert_int_equal(sob(B(state), 20), 1);
	check_idle(state, 1);
}

static void reset_takes_the_link_down(void **state)
{
	open_both(state);
	gaudi_chip_hard_reset(B(state)->chip);
	pair_settle(*state);
	assert_false(gaudi_chip_link_up(A(state)->chip, PORT_A));
	port_on(B(state), PORT_B);
	pair_settle(*state);
	assert_true(gaudi_chip_link_up(A(state)->chip, PORT_A));
}

static void card_goes_away(void **state)
{
	struct pair *pair = *state;
	struct wqe wqe = { .opcode = 2, .local = SRC, .remote = DST, .size = 64,
			   .sob = NO_SOB };

	open_both(state);
	card_free(pair->card[1]);
	card_settle(pair->card[0]);
	assert_false(gaudi_chip_link_up(A(state)->chip, PORT_A));
	qp_put(A(state), PORT_A, QP, 0, &wqe);
	qp_ring(A(state), PORT_A, QP, 1);
	card_settle(pair->card[0]);
	pair->card[1] = card_new(NULL, 0);
}

static void wires_are_checked(void **state)
{
	struct gaudi_chip *a = A(state)->chip, *b = B(state)->chip;

	assert_int_equal(gaudi_chip_connect(a, PORT_A, b, 1), -EBUSY);
	assert_int_equal(gaudi_chip_connect(a, 1, b, PORT_B), -EBUSY);
	assert_int_equal(gaudi_chip_connect(a, 10, b, 1), -EINVAL);
	assert_int_equal(gaudi_chip_connect(a, 1, a, 2), -EINVAL);
	assert_int_equal(gaudi_chip_plug(a, 1, true), -ENOTCONN);
	assert_int_equal(gaudi_chip_plug(a, 10, true), -EINVAL);
	assert_int_equal(gaudi_chip_frame(a, 1, "", 0), -ENOTCONN);
}

#define ROW(f) cmocka_unit_test_setup_teardown(f, pair_setup, pair_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ROW(writes_arrive),
		ROW(ring_wraps),
		ROW(strides),
		ROW(completions),
		ROW(even_port_tells_in_the_odd_ones_queue),
		ROW(completion_queue_overruns),
		ROW(sends_fill_a_ring),
		ROW(queue_rings_the_doorbell),
		ROW(gateway_reads_and_writes),
		ROW(wrong_key_is_refused),
		ROW(bad_queue_pairs),
		ROW(doorbell_needs_trust),
		ROW(reductions_are_refused_by_name),
		ROW(protected_memory_is_kept),
		ROW(pulled_wire_is_asked_again),
		ROW(reset_takes_the_link_down),
		ROW(card_goes_away),
		ROW(wires_are_checked),
	};

	return cmocka_run_group_tests_name("nic", tests, NULL, NULL);
}
