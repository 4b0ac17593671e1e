// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queue pairs between two cards: writes, strides, immediates, sync objects at both
 * ends, completions, errors, retries, links that go down.
 */
#include "../bus/page_tables.h"
#include "ports.h"

#define SRC		PAIR_SRC
#define DST		PAIR_DST
#define QP		PAIR_QP

QP_TEST(writes_arrive)
{
	static const uint32_t size[] = { 1, 3, 128, 4095, 4096, 4097, 16383 };
	struct wqe wqe[7];
	unsigned int i;

	for (i = 0; i < 7; i++)
		wqe[i] = (struct wqe) {
			.opcode = 2, .local = SRC + 0x8000 * i + i,
			.remote = DST + 0x8000 * i, .size = size[i],
			.sob = i == 6 ? REMOTE_SOB(20) : NO_SOB,
			.sob_data = 0x80000001,
		};
	qp_local(A(pair), PORT_A, QP, 6, REMOTE_SOB(21), 0x80000003, false);
	pair_run(pair, wqe, 7);
	for (i = 0; i < 7; i++) {
		pair_check_data(pair, 0x8000 * i, 0x8000 * i + i, size[i]);
		assert_int_equal(card_hbm(B(pair))[DST + 0x8000 * i + size[i]], 0);
	}
	assert_int_equal(sob(B(pair), 20), 1);
	assert_int_equal(sob(A(pair), 21), 3);
	pair_check_idle(pair, 7);
}

/* A queue of 64 entries, eight times around. */
QP_TEST(ring_wraps)
{
	struct wqe wqe = wqe_counted(4096);
	unsigned int i;

	for (i = 0; i < WQ_ENTRIES; i++)
		qp_put(A(pair), PORT_A, QP, i, &wqe);
	for (i = 1; i <= 16; i++) {
		qp_ring(A(pair), PORT_A, QP, i * 32 % WQ_ENTRIES);
		pair_settle(pair);
	}
	assert_int_equal(sob(B(pair), 20), 16 * 32);
	pair_check_idle(pair, 0);
}

/* What is written in a row, for long, goes past the caches: pieces of any alignment. */
PAIR_TEST(streams)
{
	struct wqe wqe = { .opcode = 2, .sob = NO_SOB };
	unsigned int i, n = 512;
	uint32_t size, off;

	for (size = 12288 + 16; size <= 12288 + 17; size++) {
		pair_open(pair);
		memset(card_hbm(B(pair)) + DST, 0, n * size + 64);
		for (i = 0; i < n; i++) {
			wqe.size = size;
			wqe.local = SRC + i % 64 * size;
			wqe.remote = DST + i * size;
			qp_put(A(pair), PORT_A, QP, i % WQ_ENTRIES, &wqe);
			qp_ring(A(pair), PORT_A, QP, (i + 1) % WQ_ENTRIES);
			pair_settle(pair);
		}
		for (i = 0, off = 0; i < n; i++, off += size)
			pair_check_data(pair, off, i % 64 * size, size);
		assert_int_equal(card_hbm(B(pair))[DST + n * size], 0);
		pair_check_idle(pair, 0);
	}
}

QP_TEST(strides)
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

	pair_run(pair, wqe, 2);
	for (i = 0; i < 100; i++) {
		pair_check_data(pair, 256 * i, 64 * i, 64);
		assert_int_equal(card_hbm(B(pair))[DST + 256 * i + 64], 0);
	}
	for (i = 0; i < 10; i++)
		pair_check_data(pair, 0x80000 + 5000 * i, 8192 * i, 5000);
	assert_int_equal(sob(B(pair), 20), 1);
	pair_check_idle(pair, 2);
}

/* Immediates become completions of the odd port; so do entries that ask for it. */
QP_TEST(completions)
{
	struct wqe wqe[] = {
		{ .opcode = 2, .local = SRC, .remote = DST, .size = 100,
		  .sob = 0, .sob_data = 0xdeadbeef },
		{ .opcode = 2, .size = 0, .sob = 0, .sob_data = 7 },
	};
	const uint8_t *cq = card_hbm(B(pair)) + CQ(PORT_B);

	qp_local(A(pair), PORT_A, QP, 1, 0, 0, true);
	pair_run(pair, wqe, 2);
	pair_check_data(pair, 0, 0, 100);
	assert_int_equal(rd(B(pair), RXE(PORT_B) + 0x1c0), 2);
	assert_int_equal(bits_get(cq, 63, 1), 1);
	assert_int_equal(bits_get(cq, 23, 1), 1);
	assert_int_equal(bits_get(cq, 10, 1), 1);
	assert_int_equal(bits_get(cq, 32, 22) | bits_get(cq, 0, 10) << 22,
			 0xdeadbeef);
	assert_int_equal(bits_get(cq + 8, 32, 22), 7);
	cq = card_hbm(A(pair)) + CQ(PORT_A);
	assert_int_equal(rd(A(pair), RXE(PORT_A) + 0x1c0), 1);
	assert_int_equal(bits_get(cq, 63, 1), 1);
	assert_int_equal(bits_get(cq, 23, 1), 0);
	assert_int_equal(bits_get(cq, 0, 23), QP);
	assert_int_equal(bits_get(cq, 32, 22), 1);
}

/* Completions of an even port's responder are in the odd port's queue. */
QP_TEST(even_port_tells_in_the_odd_ones_queue)
{
	struct wqe wqe = { .opcode = 2, .sob = 0, .sob_data = 9 };
	const uint8_t *cq = card_hbm(A(pair)) + CQ(PORT_A + 1);

	port_on(A(pair), PORT_A + 1);
	qp_put(B(pair), PORT_B, QP, 0, &wqe);
	qp_ring(B(pair), PORT_B, QP, 1);
	pair_settle(pair);
	assert_int_equal(rd(A(pair), RXE(PORT_A) + 0x1c0), 0);
	assert_int_equal(rd(A(pair), RXE(PORT_A + 1) + 0x1c0), 1);
	assert_int_equal(bits_get(cq, 10, 1), 0);
	assert_int_equal(bits_get(cq, 32, 22), 9);
}

QP_TEST(completion_queue_overruns)
{
	struct wqe wqe = { .opcode = 2, .sob = 0 };
	unsigned int i;

	wr(B(pair), RXE(PORT_B) + 0x274, REMOTE_SOB(30));
	wr(B(pair), RXE(PORT_B) + 0x2b4, 0x80000001);
	for (i = 0; i < 18; i++)
		qp_put(A(pair), PORT_A, QP, i, &wqe);
	qp_ring(A(pair), PORT_A, QP, 18);
	pair_settle(pair);
	assert_int_equal(rd(B(pair), RXE(PORT_B) + 0x1c0), 16);
	assert_int_equal(rd(B(pair), RXE(PORT_B) + 0x2f4), 2);
	assert_int_equal(sob(B(pair), 30), 2);
	wr(B(pair), RXE(PORT_B) + 0x260, 2);
	assert_int_equal(rd(B(pair), RXE(PORT_B) + 0x2f4), 0);
}

QP_TEST(sends_fill_a_ring)
{
	struct wqe wqe[] = {
		{ .opcode = 1, .local = SRC, .size = 100, .sob = 0,
		  .sob_data = 1 },
		{ .opcode = 1, .local = SRC + 200, .size = 300, .sob = NO_SOB },
	};

	wr(B(pair), RXE(PORT_B) + 0xa0, DST);
	bits_set(res_ctx(B(pair), PORT_B, QP), 216, 5, 12);
	pair_run(pair, wqe, 2);
	pair_check_data(pair, 0, 0, 100);
	pair_check_data(pair, 128, 200, 300);
	assert_int_equal(bits_get(res_ctx(B(pair), PORT_B, QP), 221, 30), 512);
	assert_int_equal(rd(B(pair), RXE(PORT_B) + 0x1c0), 1);
	pair_check_idle(pair, 2);
}

QP_TEST(queue_rings_the_doorbell)
{
	struct wqe wqe = wqe_write(512);
	struct queue q = queue_internal(A(pair), NIC_QM(PORT_A), 0, 0x10000, 4);
	struct cb cb = cb_hbm(A(pair), 0x2f000000);
	uint64_t bell = (uint64_t)QP << 22 | 1;

	qp_put(A(pair), PORT_A, QP, 0, &wqe);
	put_wreg(&cb, 0, bell);
	put_wreg(&cb, 4, bell >> 32);
	queue_put(A(pair), &q, cb.addr, cb.len);
	queue_ring(A(pair), &q);
	pair_settle(pair);
	pair_check_data(pair, 0, 0, 512);
	assert_int_equal(sts1(A(pair), &q, 0), 0);
}

QP_TEST(gateway_reads_and_writes)
{
	unsigned int i;

	for (i = 0; i < 16; i++)
		wr(A(pair), QPC(PORT_A) + 0x124 + 4 * i, 0);
	wr(A(pair), QPC(PORT_A) + 0x84, 1 << 24 | QP);
	wr(A(pair), QPC(PORT_A) + 0x80, 1);
	assert_int_equal(rd(A(pair), QPC(PORT_A) + 0x80), 0);
	assert_int_equal(rd(A(pair), QPC(PORT_A) + 0x8c + 4), KEY + QP);
	wr(A(pair), QPC(PORT_A) + 0x124 + 4, 0xffff);
	wr(A(pair), QPC(PORT_A) + 0x8c + 4, 0x12345678);
	wr(A(pair), QPC(PORT_A) + 0x80, 1);
	assert_int_equal(bits_get(req_ctx(A(pair), PORT_A, QP), 32, 32),
			 ((KEY + QP) & 0xffff0000) | 0x5678);
	assert_int_equal(bits_get(req_ctx(A(pair), PORT_A, QP), 0, 24), QP);
}

/* More of them than are walked in one turn, and none that sends. */
QP_TEST(long_ring_of_nothing)
{
	bits_set(req_ctx(A(pair), PORT_A, QP), 392, 22, 0xffff);
	wr(A(pair), TXE(PORT_A) + 0x10, 16 - 2);
	wr(A(pair), RXE(PORT_A) + 0x100, 0);
	qp_ring(A(pair), PORT_A, QP, 0xffff);
	pair_settle(pair);
	pair_check_idle(pair, 0xffff);
}

/* Rings of entries that do nothing are walked, too, and all complete. */
QP_TEST(entries_without_packets)
{
	struct wqe nop = { .opcode = 0, .sob = NO_SOB };
	struct wqe wqe = wqe_write(64);
	unsigned int i;

	for (i = 0; i < WQ_ENTRIES; i++)
		qp_put(A(pair), PORT_A, QP, i, i % 8 == 5 ? &wqe : &nop);
	qp_local(A(pair), PORT_A, QP, 60, REMOTE_SOB(21), 0x80000001, false);
	qp_ring(A(pair), PORT_A, QP, WQ_ENTRIES - 1);
	pair_settle(pair);
	pair_check_idle(pair, WQ_ENTRIES - 1);
	assert_int_equal(sob(A(pair), 21), 1);
}

/* --- errors --------------------------------------------------------------- */

QP_TEST(wrong_key_is_refused)
{
	bits_set(res_ctx(B(pair), PORT_B, QP), 32, 32, 1);
	pair_do(pair, wqe_write(64));
	assert_int_equal(card_hbm(B(pair))[DST], 0);
	port_check_error(B(pair), PORT_B, 0x09000000 | QP);
	port_check_error(A(pair), PORT_A, 0xc1000000 | QP);
	assert_int_equal(bits_get(req_ctx(A(pair), PORT_A, QP), 510, 1), 1);
	assert_int_equal(bits_get(res_ctx(B(pair), PORT_B, QP), 30, 2), 3);
}

PAIR_TEST(bad_queue_pairs)
{
	/* No queue pair at all. */
	qp_ring(A(pair), PORT_A, 9, 1);
	port_check_error(A(pair), PORT_A, 0xc2000009);
	/* One that the peer does not have: it is asked until the tries end. */
	qp_open(A(pair), PORT_A, QP);
	pair_do(pair, wqe_write(64));
	port_check_error(B(pair), PORT_B, 0x05000000 | QP);
	for (unsigned int i = 0; i < 8; i++)
		pair_advance(pair, TIMER_NS + 1);
	assert_int_equal(rd(B(pair), QPC(PORT_B) + 0x54), 1 + 3);
	assert_int_equal(rd(A(pair), QPC(PORT_A) + 0x54), 2);
	assert_int_equal(*(uint32_t *)(card_hbm(A(pair)) + ERRORS(PORT_A) + 4),
			 0xc0000000 | QP);
}

/* A queue pair of raw frames takes no packets of reliable connections. */
QP_TEST(other_transport_is_refused)
{
	fill(card_hbm(A(pair)) + SRC, 64, 1);
	bits_set(res_ctx(B(pair), PORT_B, QP), 191, 1, 1);
	pair_do(pair, wqe_write(64));
	port_check_error(B(pair), PORT_B, 0x06000000 | QP);
	assert_int_equal(card_hbm(B(pair))[DST], 0);
	/* Asked once more when it is one of these. */
	bits_set(res_ctx(B(pair), PORT_B, QP), 191, 1, 0);
	pair_advance(pair, TIMER_NS + 1);
	assert_memory_equal(card_hbm(B(pair)) + DST, card_hbm(A(pair)) + SRC, 64);
}

/* Indices beyond the ring would be walked for ever. */
QP_TEST(bad_indices_are_refused)
{
	bits_set(req_ctx(A(pair), PORT_A, QP), 414, 22, WQ_ENTRIES);
	qp_ring(A(pair), PORT_A, QP, 1);
	pair_settle(pair);
	port_check_error(A(pair), PORT_A, 0xc4000000 | QP);
	assert_int_equal(bits_get(req_ctx(A(pair), PORT_A, QP), 510, 1), 1);
}

/* So many entries that were never sent would be walked at once. */
QP_TEST(entries_that_nobody_sent)
{
	wr(A(pair), TXE(PORT_A) + 0x10, 20 - 2);
	bits_set(req_ctx(A(pair), PORT_A, QP), 392, 22, 0xfffff);
	bits_set(req_ctx(A(pair), PORT_A, QP), 414, 22, 0xffffe);
	qp_ring(A(pair), PORT_A, QP, 0xfffff);
	pair_settle(pair);
	port_check_error(A(pair), PORT_A, 0xc4000000 | QP);
	assert_int_equal(bits_get(req_ctx(A(pair), PORT_A, QP), 436, 22), 0);
}

QP_TEST(doorbell_needs_trust)
{
	bits_set(req_ctx(A(pair), PORT_A, QP), 507, 2, 1);
	qp_ring(A(pair), PORT_A, QP, 1);
	port_check_error(A(pair), PORT_A, 0xc3000000 | QP);
	/* The register for those with rights, once it has them. */
	wr(A(pair), QPC(PORT_A) + 0x648, 2 << 6 | 1 << 4);
	wr(A(pair), QPC(PORT_A) + 0x63c, 1);
	wr(A(pair), QPC(PORT_A) + 0x638, 1u << 31 | QP);
	assert_int_equal(bits_get(req_ctx(A(pair), PORT_A, QP), 458, 22), 1);
}

QP_TEST(reductions_are_refused_by_name)
{
	struct wqe wqe = {
		.opcode = 2, .local = SRC, .remote = DST, .size = 64,
		.sob = NO_SOB, .reduction = 1,
	};

	pair_run(pair, &wqe, 1);
	assert_int_equal(card_hbm(B(pair))[DST], 0);
	assert_int_equal(bits_get(req_ctx(A(pair), PORT_A, QP), 510, 1), 1);
	card_reports(A(pair), "NIC WQE reduction");
}

/* Half of the data is there; card_free() looks whether it was given back. */
QP_TEST(data_that_end_in_a_hole)
{
	struct wqe wqe = {
		.opcode = 2, .local = 0x1000000000000ull + 4000,
		.remote = DST, .size = 200, .sob = NO_SOB,
	};
	struct tables t = { A(pair), PT_POOL };

	mmu_init(A(pair));
	map(&t, 1, 0x1000000000000ull, ram_dev(0), 4);
	pair_run(pair, &wqe, 1);
	port_check_error(A(pair), PORT_A, 0xc4000000 | QP);
	assert_int_equal(A(pair)->maps, 0);
}

/* A peer's write reaches what its responder's rights do, and nothing else. */
QP_TEST(protected_memory_is_kept)
{
	struct wqe wqe = {
		.opcode = 2, .local = SRC, .remote = CFG + 0x500000, .size = 4,
		.sob = NO_SOB,
	};
	uint32_t before = rd(B(pair), 0x500000);

	/* Protection bits of the DMA core's page: all closed. */
	for (unsigned int i = 0; i < 32; i++)
		wr(B(pair), 0x500f80 + 4 * i, 0);
	pair_run(pair, &wqe, 1);
	assert_int_equal(rd(B(pair), 0x500000), before);
	assert_int_equal(bits_get(res_ctx(B(pair), PORT_B, QP), 30, 2), 3);
}

/* Ranges of the routers of the ports: 8 KiB that are not to be written. */
static void protect(struct card *card, uint64_t base)
{
	const uint64_t mask = 0x3ffffffffe000ull;

	for (uint32_t set = 0x386000; set < 0x400000; set += 0x10000) {
		wr(card, set + 0x5e4, base);
		wr(card, set + 0x624, base >> 32);
		wr(card, set + 0x664, (uint32_t)mask);
		wr(card, set + 0x6a4, mask >> 32);
		wr(card, set + 0xa64, 1);
	}
}

/* A message may begin where it may write, and go on where it may not. */
PAIR_TEST(a_message_ends_where_a_range_begins)
{
	struct wqe wqe = {
		.opcode = 2, .local = SRC, .remote = DST, .size = 16000,
		.sob = NO_SOB,
	};
	const uint8_t *to = card_hbm(B(pair)) + DST;

	pair_open(pair);
	protect(B(pair), DST + 0x2000);
	pair_run(pair, &wqe, 1);
	pair_check_data(pair, 0, 0, 0x2000);
	for (unsigned int i = 0x2000; i < 16000; i++)
		assert_int_equal(to[i], 0);
	assert_int_equal(bits_get(res_ctx(B(pair), PORT_B, QP), 30, 2), 3);
}

/* What is mapped for a queue pair with rights is not there for one without, which goes on there. */
PAIR_TEST(rights_are_those_of_each_queue_pair)
{
	struct wqe wqe = {
		.opcode = 2, .local = SRC, .remote = DST, .size = 0x2000,
		.sob = NO_SOB,
	};
	const uint8_t *to = card_hbm(B(pair)) + DST;

	pair_open(pair);
	qp_open(A(pair), PORT_A, QP + 1);
	qp_open(B(pair), PORT_B, QP + 1);
	bits_set(res_ctx(B(pair), PORT_B, QP), 252, 2, 2);
	protect(B(pair), DST + 0x2000);
	qp_put(A(pair), PORT_A, QP, 0, &wqe);
	wqe.remote += wqe.size;
	qp_put(A(pair), PORT_A, QP + 1, 0, &wqe);
	/* Both are in one batch. */
	qp_ring(A(pair), PORT_A, QP, 1);
	qp_ring(A(pair), PORT_A, QP + 1, 1);
	pair_settle(pair);
	pair_check_data(pair, 0, 0, 0x2000);
	for (unsigned int i = 0x2000; i < 0x4000; i++)
		assert_int_equal(to[i], 0);
	assert_int_equal(bits_get(res_ctx(B(pair), PORT_B, QP + 1), 30, 2), 3);
}

/* --- links ---------------------------------------------------------------- */

QP_TEST(pulled_wire_is_asked_again)
{
	assert_int_equal(gaudi_chip_plug(A(pair)->chip, PORT_A, false), 0);
	assert_false(gaudi_chip_link_up(B(pair)->chip, PORT_B));
	pair_do(pair, wqe_counted(16000));
	pair_advance(pair, TIMER_NS + 1);
	assert_int_equal(sob(B(pair), 20), 0);
	assert_int_equal(gaudi_chip_plug(A(pair)->chip, PORT_A, true), 0);
	pair_settle(pair);
	pair_advance(pair, TIMER_NS + 1);
	pair_check_data(pair, 0, 0, 16000);
	assert_int_equal(sob(B(pair), 20), 1);
	pair_check_idle(pair, 1);
}

QP_TEST(reset_takes_the_link_down)
{
	gaudi_chip_hard_reset(B(pair)->chip);
	pair_settle(pair);
	assert_false(gaudi_chip_link_up(A(pair)->chip, PORT_A));
	port_on(B(pair), PORT_B);
	pair_settle(pair);
	assert_true(gaudi_chip_link_up(A(pair)->chip, PORT_A));
}

QP_TEST(card_goes_away)
{
	struct wqe wqe = wqe_write(64);

	card_free(pair->card[1]);
	card_settle(pair->card[0]);
	assert_false(gaudi_chip_link_up(A(pair)->chip, PORT_A));
	qp_put(A(pair), PORT_A, QP, 0, &wqe);
	qp_ring(A(pair), PORT_A, QP, 1);
	card_settle(pair->card[0]);
	/* Its port can have another one. */
	pair->card[1] = card_new(NULL, 0);
	assert_int_equal(gaudi_chip_connect(A(pair)->chip, PORT_A,
					    B(pair)->chip, PORT_B), 0);
	port_on(B(pair), PORT_B);
	pair_settle(pair);
	assert_true(gaudi_chip_link_up(A(pair)->chip, PORT_A));
}

PAIR_TEST(wires_are_checked)
{
	struct gaudi_chip *a = A(pair)->chip, *b = B(pair)->chip;

	assert_int_equal(gaudi_chip_connect(a, PORT_A, b, 1), -EBUSY);
	assert_int_equal(gaudi_chip_connect(a, 1, b, PORT_B), -EBUSY);
	assert_int_equal(gaudi_chip_connect(a, 10, b, 1), -EINVAL);
	assert_int_equal(gaudi_chip_connect(a, 1, a, 2), -EINVAL);
	assert_int_equal(gaudi_chip_plug(a, 1, true), -ENOTCONN);
	assert_int_equal(gaudi_chip_plug(a, 10, true), -EINVAL);
	assert_int_equal(gaudi_chip_frame(a, 1, "", 0), -ENOTCONN);
}

/* --- by frames ------------------------------------------------------------ */

NET_QP_TEST(frames_carry_all_of_it)
{
	struct wqe wqe[] = {
		{ .opcode = 2, .local = SRC, .remote = DST, .size = 16001,
		  .sob = REMOTE_SOB(20), .sob_data = 0x80000001 },
		{ .opcode = 3, .local = SRC, .remote = DST + 0x8000,
		  .strides = 10, .stride_size = 5000, .stride = 5000,
		  .sob = 0, .sob_data = 7 },
	};

	pair_run(pair, wqe, 2);
	pair_check_data(pair, 0, 0, 16001);
	pair_check_data(pair, 0x8000, 0, 50000);
	assert_int_equal(sob(B(pair), 20), 1);
	assert_int_equal(rd(B(pair), RXE(PORT_B) + 0x1c0), 1);
	pair_check_idle(pair, 2);
}

/* What goes to others on the network is not for this port. */
NET_QP_TEST(frames_for_others)
{
	*((uint8_t *)req_ctx(A(pair), PORT_A, QP) + 16) ^= 4;
	pair_do(pair, wqe_write(64));
	assert_int_equal(card_hbm(B(pair))[DST], 0);
	*((uint8_t *)req_ctx(A(pair), PORT_A, QP) + 16) ^= 4;
	pair_advance(pair, TIMER_NS + 1);
	pair_check_data(pair, 0, 0, 64);
	pair_check_idle(pair, 1);
}

/* --- cabling -------------------------------------------------------------- */

TEST(box_of_eight)
{
	struct gaudi_cable c[GAUDI_MAX_CABLES];
	unsigned int i, n = gaudi_cabling_hls1(c), ports[8] = { 0 };
	uint64_t pairs = 0;

	assert_int_equal(n, 28);
	for (i = 0; i < n; i++) {
		assert_true(c[i].module[0] < c[i].module[1]);
		pairs |= 1ull << (c[i].module[0] * 8 + c[i].module[1]);
		assert_false(ports[c[i].module[0]] & 1u << c[i].port[0]);
		ports[c[i].module[0]] |= 1u << c[i].port[0];
		assert_false(ports[c[i].module[1]] & 1u << c[i].port[1]);
		ports[c[i].module[1]] |= 1u << c[i].port[1];
	}
	assert_int_equal(__builtin_popcountll(pairs), 28);
	/* Ports 1, 8 and 9 leave the box. */
	for (i = 0; i < 8; i++)
		assert_int_equal(ports[i], 0x3ff & ~0x302);
}

TEST(cabling_of_a_file)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "0:0", "line 1: two ends wanted" },
		{ "\n0:0 1:0 2:0", "line 2: two ends wanted" },
		{ "0:0 8:0", "line 1: modules are 0 to 7" },
		{ "0:a 1:0", "line 1: two ends wanted" },
		{ "0:10 1:0", "line 1: two ends wanted" },
		{ "-1:0 1:0", "line 1: two ends wanted" },
		{ "3:0 3:1", "line 1: both ends are at one card" },
		{ "0:0 1:0\n2:5 1:0", "line 2: a port has a cable already" },
	};
	struct gaudi_cable c[GAUDI_MAX_CABLES];
	char err[128];
	size_t i;

	assert_int_equal(gaudi_cabling_read("", c, err, sizeof(err)), 0);
	assert_int_equal(gaudi_cabling_read("# two\n0:1 1:8 # out\n\n 2:9 7:0",
					    c, err, sizeof(err)), 2);
	assert_int_equal(c[0].module[0], 0);
	assert_int_equal(c[0].port[0], 1);
	assert_int_equal(c[0].module[1], 1);
	assert_int_equal(c[0].port[1], 8);
	assert_int_equal(c[1].module[1], 7);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(gaudi_cabling_read(bad[i].text, c, err,
						    sizeof(err)), -EINVAL);
		if (strncmp(err, bad[i].why, strlen(bad[i].why)))
			fail_msg("'%s': %s", bad[i].text, err);
	}
}

/* A read, by a peer that does not know better: it is told at once. */
NET_QP_TEST(reads_are_refused)
{
	net_opcode = 0x0c;
	pair_do(pair, wqe_write(16));
	net_opcode = 0;
	assert_int_equal(card_hbm(B(pair))[DST], 0);
	/* 0x41: a negative acknowledgement that ends it */
	assert_int_equal(bits_get(req_ctx(A(pair), PORT_A, QP), 510, 1), 1);
	assert_int_equal(bits_get(res_ctx(B(pair), PORT_B, QP), 30, 2), 3);
	assert_int_equal(*(uint32_t *)(card_hbm(A(pair)) + ERRORS(PORT_A)) >> 24,
			 0xc1);
}
