// SPDX-License-Identifier: GPL-2.0-only
/*
 * Faults on demand of the ports: what becomes of packets, links and completions, and
 * that all data arrive in the end where the protocol heals it. Each test is also of
 * what would be without the fault: it counts packets, or looks too early.
 */
#include "ports.h"
#include "../../../../qemu-device/chip/nic/nic_port.h"

#define SRC		PAIR_SRC
#define DST		PAIR_DST
#define QP		PAIR_QP
#define US		1000ull
#define MS		1000000ull
/* Counts packets that come in, and strikes none. */
#define COUNTER		"nic-frame-lost,way=in,after=4294967295"

static void arm(struct card *card, const char *spec)
{
	char why[512];

	if (gaudi_chip_inject(card->chip, spec, why, sizeof(why)))
		fail_msg("%s: %s", spec, why);
}

/* What the state says of a fault that starts like this: "seen" or "hits". */
static unsigned int state(struct card *card, const char *spec, const char *what)
{
	char text[8192], key[32], *at;
	FILE *out = fmemopen(text, sizeof(text), "w");

	assert_non_null(out);
	assert_int_equal(gaudi_chip_faults_print(card->chip, out), 0);
	fclose(out);
	snprintf(key, sizeof(key), "\"%s\": ", what);
	at = strstr(text, spec);
	assert_non_null(at);
	at = strstr(at, key);
	assert_non_null(at);
	return strtoul(at + strlen(key), NULL, 10);
}

static unsigned int came(struct pair *pair)
{
	return state(B(pair), COUNTER, "seen");
}

static unsigned int hits(struct card *card, const char *spec)
{
	return state(card, spec, "hits");
}

static const struct gaudi_nic_counts *counts(struct card *card,
					     unsigned int port)
{
	return &gaudi_nic_port(card->chip, port)->counts;
}

static bool arrived(struct pair *pair, uint64_t at, size_t len)
{
	return !memcmp(card_hbm(B(pair)) + DST + at,
		       card_hbm(A(pair)) + SRC + at, len);
}

/* A timer of the queue pair that is so long that the test is over before. */
static void be_patient(struct pair *pair)
{
	bits_set(req_ctx(A(pair), PORT_A, QP), 248, 7, 18);
}

/* --- packets -------------------------------------------------------------- */

/* With this fault of A, five packets do what they do without it: as so many frames. */
static void written_once(struct pair *pair, const char *fault, int frames)
{
	arm(A(pair), fault);
	arm(B(pair), COUNTER);
	pair_do(pair, wqe_counted(16000));
	assert_int_equal(came(pair), frames);
	pair_check_data(pair, 0, 0, 16000);
	assert_int_equal(sob(B(pair), 20), 1);
	pair_check_idle(pair, 1);
}

#define WRITTEN_ONCE(link, net, fault, frames) \
	QP_TESTS(link, net) { written_once(pair, fault, frames); }

/* The second is missing: the entry is sent once more. */
WRITTEN_ONCE(lost_packet_is_asked_for, lost_frame_is_asked_for,
	     "nic-frame-lost,unit=0,after=1", 4 + 5)
WRITTEN_ONCE(doubled_packets_count_once, doubled_frames_count_once,
	     "nic-frame-doubled,count=all", 2 * 5)
/* 1 3 2 4 5: the third is thrown away, and as 2 was missing, all is sent once more. */
WRITTEN_ONCE(reordered_packets, reordered_frames, "nic-frame-reordered,after=1", 5 + 5)

/* Nobody can ask for the last one: its sender does it, when the time is over. */
QP_TEST(last_packet_is_lost)
{
	arm(B(pair), "nic-frame-lost,unit=3,way=in,opcode=0x0a");
	pair_do(pair, wqe_write(4000));
	assert_false(arrived(pair, 0, 4000));
	pair_advance(pair, TIMER_NS + 1);
	pair_check_data(pair, 0, 0, 4000);
	pair_check_idle(pair, 1);
}

/* All has arrived, but A does not know it. */
QP_TEST(acknowledgement_is_lost)
{
	arm(B(pair), "nic-frame-lost,opcode=0x11,way=out");
	pair_do(pair, wqe_counted(4000));
	pair_check_data(pair, 0, 0, 4000);
	assert_int_equal(bits_get(req_ctx(A(pair), PORT_A, QP), 436, 22), 0);
	pair_advance(pair, TIMER_NS + 1);
	pair_check_idle(pair, 1);
	assert_int_equal(sob(B(pair), 20), 1);
}

/* Ports and ways that are not meant see nothing of it. */
QP_TEST(other_ports_are_spared)
{
	arm(A(pair), "nic-frame-lost,unit=1,count=all");
	arm(A(pair), "nic-frame-lost,unit=0,way=in,opcode=0x0a,count=all");
	arm(B(pair), "nic-frame-lost,way=out,opcode=0x0a,count=all");
	pair_do(pair, wqe_counted(16000));
	pair_check_idle(pair, 1);
	assert_int_equal(hits(A(pair), "nic-frame-lost,unit=1"), 0);
}

QP_TEST(doubled_on_the_way_in)
{
	arm(B(pair), "nic-frame-doubled,way=in,count=all");
	pair_do(pair, wqe_counted(16000));
	assert_int_equal(hits(B(pair), "nic-frame-doubled"), 5);
	assert_int_equal(counts(B(pair), PORT_B)->duplicates, 5);
	pair_check_data(pair, 0, 0, 16000);
	assert_int_equal(sob(B(pair), 20), 1);
	pair_check_idle(pair, 1);
}

/* Who is overtaken by nobody is late. */
QP_TEST(reordered_and_alone)
{
	be_patient(pair);
	arm(A(pair), "nic-frame-reordered,us=300");
	pair_do(pair, wqe_write(4000));
	pair_advance(pair, 299 * US);
	assert_false(arrived(pair, 0, 4000));
	pair_advance(pair, 1 * US);
	pair_check_data(pair, 0, 0, 4000);
	pair_check_idle(pair, 1);
}

/* Thrown away whatever bit it is, and sent once more. */
static void damage_is_noticed(struct pair *pair, const char *what)
{
	struct wqe wqe = wqe_write(4000);
	unsigned int i;

	for (i = 0; i < 40; i++) {
		memset(card_hbm(B(pair)) + DST, 0, 4000);
		qp_put(A(pair), PORT_A, QP, i, &wqe);
		arm(A(pair), "nic-frame-corrupted");
		qp_ring(A(pair), PORT_A, QP, i + 1);
		pair_settle(pair);
		assert_false(arrived(pair, 0, 4000));
		assert_non_null(strstr(B(pair)->last_log, what));
		pair_advance(pair, TIMER_NS + 1);
		pair_check_data(pair, 0, 0, 4000);
		pair_check_idle(pair, i + 1);
	}
}

QP_TEST(damaged_packets)
{
	damage_is_noticed(pair, "packet dropped: it is damaged");
}

NET_QP_TEST(damaged_frames)
{
	damage_is_noticed(pair, "frame dropped: the invariant CRC");
}

NET_QP_TEST(damaged_on_the_way_in)
{
	arm(B(pair), "nic-frame-corrupted,way=in,every=3,count=2");
	arm(B(pair), COUNTER);
	pair_do(pair, wqe_counted(16000));
	assert_int_equal(hits(B(pair), "nic-frame-corrupted"), 2);
	pair_check_data(pair, 0, 0, 16000);
	pair_check_idle(pair, 1);
}

/* --- numbers and keys ----------------------------------------------------- */

QP_TESTS(packet_for_nobody, frame_for_nobody)
{
	arm(A(pair), "nic-bad-qp");
	pair_do(pair, wqe_write(4000));
	port_check_error(B(pair), PORT_B, 0x05800000 | QP);
	assert_false(arrived(pair, 0, 4000));
	pair_advance(pair, TIMER_NS + 1);
	pair_check_data(pair, 0, 0, 4000);
	pair_check_idle(pair, 1);
}

QP_TEST(acknowledgement_for_nobody)
{
	arm(B(pair), "nic-bad-qp,way=out");
	pair_do(pair, wqe_counted(4000));
	port_check_error(A(pair), PORT_A, 0xc5800000 | QP);
	pair_advance(pair, TIMER_NS + 1);
	pair_check_idle(pair, 1);
}

/* It says that the key is wrong, but to whom? The requester goes on asking. */
QP_TEST(refusal_for_nobody)
{
	bits_set(res_ctx(B(pair), PORT_B, QP), 32, 32, 1);
	arm(B(pair), "nic-bad-qp,way=out");
	pair_do(pair, wqe_counted(4000));
	port_check_error(B(pair), PORT_B, 0x09000000 | QP);
	port_check_error(A(pair), PORT_A, 0xc6800000 | QP);
	assert_false(arrived(pair, 0, 4000));
	assert_int_equal(bits_get(req_ctx(A(pair), PORT_A, QP), 510, 1), 0);
}

/* The packets between the first and the last have no key. */
static void wrong_key(struct pair *pair, struct card *card, const char *spec)
{
	arm(card, spec);
	pair_do(pair, wqe_counted(16000));
	assert_int_equal(state(card, "nic-bad-key", "seen"), 2);
	port_check_error(B(pair), PORT_B, 0x09000000 | QP);
	port_check_error(A(pair), PORT_A, 0xc1000000 | QP);
	assert_true(arrived(pair, 0, 16000));
	assert_int_equal(sob(B(pair), 20), 0);
	assert_int_equal(bits_get(res_ctx(B(pair), PORT_B, QP), 30, 2), 3);
}

QP_TEST(packet_with_a_wrong_key)
{
	wrong_key(pair, A(pair), "nic-bad-key,after=1");
}

NET_QP_TEST(frame_with_a_wrong_key)
{
	wrong_key(pair, B(pair), "nic-bad-key,way=in,after=1");
}

/* --- completions ---------------------------------------------------------- */

QP_TEST(completion_queue_has_no_room)
{
	struct wqe wqe[] = {
		{ .opcode = 2, .sob = 0, .sob_data = 1 },
		{ .opcode = 2, .sob = 0, .sob_data = 2 },
		{ .opcode = 2, .sob = 0, .sob_data = 3 },
	};
	const uint8_t *cq = card_hbm(B(pair)) + CQ(PORT_B);

	wr(B(pair), RXE(PORT_B) + 0x274, REMOTE_SOB(30));
	wr(B(pair), RXE(PORT_B) + 0x2b4, 0x80000001);
	arm(B(pair), "nic-cq-overrun,unit=3,after=1");
	arm(B(pair), "nic-cq-overrun,unit=2,count=all");
	pair_run(pair, wqe, 3);
	assert_int_equal(rd(B(pair), RXE(PORT_B) + 0x1c0), 2);
	assert_int_equal(bits_get(cq, 32, 22), 1);
	assert_int_equal(bits_get(cq + 8, 32, 22), 3);
	assert_int_equal(rd(B(pair), RXE(PORT_B) + 0x2f4), 2);
	assert_int_equal(sob(B(pair), 30), 1);
	pair_check_idle(pair, 3);
}

/* --- time ----------------------------------------------------------------- */

/* 4096 bytes and 58 of headers take four milliseconds and a bit each. */
QP_TESTS(slow_wire, slow_network)
{
	be_patient(pair);
	arm(A(pair), "nic-slow,unit=0,ns-per-kib=1000000,count=all");
	arm(B(pair), COUNTER);
	pair_do(pair, wqe_counted(16000));
	pair_advance(pair, 4056 * US);
	assert_int_equal(came(pair), 0);
	pair_advance(pair, 2 * US);
	assert_int_equal(came(pair), 1);
	pair_check_data(pair, 0, 0, 4096);
	assert_false(arrived(pair, 4096, 4096));
	pair_advance(pair, 4055 * US);
	assert_int_equal(came(pair), 1);
	pair_advance(pair, 4 * US);
	assert_int_equal(came(pair), 2);
	pair_advance(pair, 9 * MS);
	assert_int_equal(came(pair), 5);
	pair_check_data(pair, 0, 0, 16000);
	assert_int_equal(sob(B(pair), 20), 1);
	pair_check_idle(pair, 1);
}

/* A long wire: all are late by the same, and come in order with what is not struck. */
QP_TEST(long_wire)
{
	be_patient(pair);
	arm(A(pair), "nic-slow,us=500,every=2,count=all");
	arm(B(pair), COUNTER);
	pair_do(pair, wqe_counted(16000));
	assert_int_equal(came(pair), 1);
	pair_advance(pair, 499 * US);
	assert_int_equal(came(pair), 1);
	pair_advance(pair, 1 * US);
	assert_int_equal(came(pair), 5);
	pair_check_data(pair, 0, 0, 16000);
	pair_check_idle(pair, 1);
}

/* A megabyte, much more than is ever held back, and none is lost of it. */
QP_TEST(slow_wire_holds_others_up)
{
	struct wqe wqe[WQ_ENTRIES - 1];
	unsigned int i;

	be_patient(pair);
	for (i = 0; i < WQ_ENTRIES - 1; i++) {
		wqe[i] = wqe_counted(16000);
		wqe[i].local += 16000 * i;
		wqe[i].remote += 16000 * i;
	}
	arm(A(pair), "nic-slow,ns-per-kib=10000,count=all");
	arm(B(pair), COUNTER);
	pair_run(pair, wqe, i);
	for (i = 0; i < 1000 && came(pair) < 5 * (WQ_ENTRIES - 1); i++)
		pair_advance(pair, 100 * US);
	/* A hundred thousand KiB a second: 10 ms and the headers. */
	assert_in_range(i, 100, 120);
	pair_check_data(pair, 0, 0, 16000 * (WQ_ENTRIES - 1));
	pair_check_idle(pair, WQ_ENTRIES - 1);
}

/* What is still under way to a card when it is reset does not come later. */
QP_TEST(nothing_old_comes_after_a_reset)
{
	unsigned int i;

	be_patient(pair);
	arm(A(pair), "nic-slow,us=500,count=4");
	arm(A(pair), "nic-frame-reordered,us=500,after=4");
	pair_do(pair, wqe_counted(16000));
	assert_false(arrived(pair, 0, 100));
	gaudi_chip_hard_reset(B(pair)->chip);
	port_on(B(pair), PORT_B);
	qp_open(B(pair), PORT_B, QP);
	pair_settle(pair);
	assert_true(gaudi_chip_link_up(A(pair)->chip, PORT_A));
	arm(B(pair), COUNTER);
	pair_advance(pair, 600 * US);
	assert_int_equal(came(pair), 0);
	for (i = 0; i < 16000; i++)
		assert_int_equal(card_hbm(B(pair))[DST + i], 0);
}

/* Nor does what was sent without a link. */
QP_TEST(nothing_comes_that_had_no_link)
{
	be_patient(pair);
	arm(A(pair), "nic-slow,us=500,count=all");
	gaudi_chip_plug(A(pair)->chip, PORT_A, false);
	pair_do(pair, wqe_counted(16000));
	gaudi_chip_plug(A(pair)->chip, PORT_A, true);
	pair_settle(pair);
	arm(B(pair), COUNTER);
	pair_advance(pair, 600 * US);
	assert_int_equal(came(pair), 0);
}

QP_TEST(held_back_when_a_card_is_freed)
{
	arm(A(pair), "nic-slow,us=500,count=all");
	pair_do(pair, wqe_counted(16000));
	assert_false(arrived(pair, 0, 100));
	card_free(pair->card[1]);
	card_advance(A(pair), 600 * US);
	pair->card[1] = card_new(NULL, 0);
}

/* --- links ---------------------------------------------------------------- */

static bool is_up(struct pair *pair)
{
	bool a = gaudi_chip_link_up(A(pair)->chip, PORT_A);
	bool b = gaudi_chip_link_up(B(pair)->chip, PORT_B);

	assert_int_equal(a, b);
	return a;
}

QP_TEST(link_is_down_for_a_moment)
{
	arm(A(pair), "nic-link-down,unit=0,ms=2");
	pair_settle(pair);
	assert_false(is_up(pair));
	pair_do(pair, wqe_counted(16000));
	pair_advance(pair, TIMER_NS + 1);
	assert_false(is_up(pair));
	assert_false(arrived(pair, 0, 16000));
	pair_advance(pair, TIMER_NS + 1);
	assert_true(is_up(pair));
	pair_advance(pair, TIMER_NS + 1);
	pair_check_data(pair, 0, 0, 16000);
	pair_check_idle(pair, 1);
}

/* Three tries, and the error when the last one was in vain. */
static void tries_end(struct pair *pair)
{
	unsigned int i;

	pair_do(pair, wqe_counted(16000));
	for (i = 0; i < 4; i++) {
		assert_int_equal(rd(A(pair), QPC(PORT_A) + 0x54), 0);
		pair_advance(pair, TIMER_NS + 1);
	}
	port_check_error(A(pair), PORT_A, 0xc0000000 | QP);
	assert_int_equal(bits_get(req_ctx(A(pair), PORT_A, QP), 510, 1), 1);
	assert_false(arrived(pair, 0, 16000));
}

/* Set up anew it works, as it did before. */
static void works_again(struct pair *pair)
{
	pair_open(pair);
	pair_do(pair, wqe_counted(16000));
	pair_check_data(pair, 0, 0, 16000);
	pair_check_idle(pair, 1);
}

/* At the other end, and over a reset of the card that has it; until it is cleared. */
QP_TEST(link_is_down_for_long)
{
	arm(B(pair), "nic-link-down,unit=3");
	pair_settle(pair);
	assert_false(is_up(pair));
	tries_end(pair);
	gaudi_chip_hard_reset(B(pair)->chip);
	port_on(B(pair), PORT_B);
	pair_settle(pair);
	assert_false(is_up(pair));
	gaudi_chip_faults_clear(B(pair)->chip);
	pair_settle(pair);
	assert_true(is_up(pair));
	works_again(pair);
}

PAIR_TEST(link_flaps)
{
	unsigned int i, down = 0, changes = 0;
	bool up, was_up = true;

	arm(A(pair), "nic-link-down,ms=2,every-ms=5,count=3");
	for (i = 0; i < 40; i++) {
		pair_settle(pair);
		up = is_up(pair);
		down += !up;
		changes += up != was_up;
		was_up = up;
		pair_advance(pair, MS / 2);
	}
	assert_int_equal(changes, 6);
	assert_int_equal(down, 12);
}

NET_QP_TEST(network_is_down)
{
	arm(A(pair), "nic-link-down,unit=0,ms=20");
	pair_settle(pair);
	assert_false(gaudi_chip_link_up(A(pair)->chip, PORT_A));
	assert_true(gaudi_chip_link_up(B(pair)->chip, PORT_B));
	tries_end(pair);
	pair_advance(pair, 20 * MS);
	assert_true(is_up(pair));
	works_again(pair);
}

/* The link is up, and nobody answers. */
QP_TESTS(peer_is_gone, peer_on_the_network_is_gone)
{
	arm(A(pair), "nic-peer-gone,unit=0,ms=20");
	arm(B(pair), COUNTER);
	tries_end(pair);
	assert_true(is_up(pair));
	assert_int_equal(came(pair), 0);
	pair_advance(pair, 20 * MS);
	works_again(pair);
	assert_int_equal(came(pair), 5);
}

/* --- all of it ------------------------------------------------------------ */

#define ROUNDS		20u

/* Everything that can be healed at once, both ways; all data arrive, once each. */
static void by_chance(struct pair *pair, const char *const *specs,
		      unsigned int num)
{
	struct wqe wqe = wqe_counted(0);
	unsigned int round, i, tries, pi = 0;

	wr(A(pair), QPC(PORT_A) + 0x28, 50 << 8 | 50);
	for (i = 0; i < num; i++) {
		arm(A(pair), specs[i]);
		arm(B(pair), specs[i]);
	}
	for (round = 0; round < ROUNDS; round++) {
		memset(card_hbm(B(pair)) + DST, 0, 1 << 20);
		for (i = 0; i < 32; i++, pi = (pi + 1) % WQ_ENTRIES) {
			wqe.size = 1 + (round * 32 + i) * 7919 % 16383;
			wqe.local = SRC + 0x8000 * i;
			wqe.remote = DST + 0x8000 * i;
			qp_put(A(pair), PORT_A, QP, pi, &wqe);
		}
		qp_ring(A(pair), PORT_A, QP, pi);
		pair_settle(pair);
		for (tries = 0; tries < 1000 &&
				sob(B(pair), 20) < 32 * (round + 1); tries++)
			pair_advance(pair, TIMER_NS + 1);
		for (i = 0; i < 32; i++)
			pair_check_data(pair, 0x8000 * i, 0x8000 * i,
					1 + (round * 32 + i) * 7919 % 16383);
	}
	for (tries = 0; tries < 1000 &&
			bits_get(req_ctx(A(pair), PORT_A, QP), 436, 22) != pi;
	     tries++)
		pair_advance(pair, TIMER_NS + 1);
	assert_int_equal(sob(B(pair), 20), 32 * ROUNDS);
	pair_check_idle(pair, pi);
	assert_true(counts(A(pair), PORT_A)->retries > 10);
	for (i = 0; i < num; i++)
		assert_true(hits(A(pair), specs[i]) + hits(B(pair), specs[i]));
}

static const char *const one_percent[] = {
	"nic-frame-lost,ppm=10000,count=all",
};

static const char *const all_kinds[] = {
	"nic-frame-lost,ppm=20000,seed=1,count=all",
	"nic-frame-doubled,ppm=20000,seed=2,count=all",
	"nic-frame-reordered,ppm=20000,seed=3,count=all",
	"nic-frame-corrupted,ppm=20000,seed=4,count=all",
	"nic-bad-qp,ppm=10000,seed=5,count=all",
	"nic-slow,us=10,ppm=20000,seed=6,count=all",
};

QP_TESTS(one_percent_is_lost, one_percent_is_lost_on_the_network)
{
	by_chance(pair, one_percent, 1);
}

QP_TESTS(all_kinds_of_faults, all_kinds_of_faults_on_the_network)
{
	by_chance(pair, all_kinds, 6);
}
