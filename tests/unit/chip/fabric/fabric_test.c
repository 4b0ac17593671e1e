// SPDX-License-Identifier: GPL-2.0-only
/*
 * Wires between processes: data, a peer that stops, dies and comes again, resets;
 * boxes and their numbers; cables as data.
 */
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "boxes.h"

/* Retries that take longer than any test. */
#define PATIENT		255, 16
/* Half a second of them. */
#define IMPATIENT	15, 13
#define ROUNDS		60

/* Data both ways, many times what the ring holds. */
TEST(data_arrive)
{
	const char *name = fabric_name();
	struct other other = other_start(name, 1, 7, PATIENT);
	struct box box;
	unsigned int i;

	other_do(&other, JOIN, 0);
	box_make(&box, name, 0, NULL);
	box_ready(&box, 3, PATIENT);
	box_await(&box, true);
	other_do(&other, AWAIT_UP, 0);
	for (i = 0; i < ROUNDS; i++) {
		box_ring(&box, i);
		other_do(&other, RING, i);
		other_do(&other, AWAIT_SOB, (i + 1) * BATCH);
		box_await_sob(&box, (i + 1) * BATCH);
	}
	assert_true(other_do(&other, HAS, 3));
	assert_true(box_has(&box, 7));
	assert_int_equal(box_count(&box, COUNT_RETRIES), 0);
	other_leave(&other);
	box_await(&box, false);
	box_free(&box);
}

/* A number is given by itself, and whoever comes later is called, too. */
TEST(boxes_are_counted)
{
	const char *name = fabric_name();
	struct box box[3];
	unsigned int i;

	for (i = 0; i < 3; i++) {
		box_make(&box[i], name, GAUDI_ANY_BOX,
			 i ? box[0].card : NULL);
		assert_int_equal(gaudi_fabric_box(box[i].fabric), i);
	}
	box_ready(&box[0], 0, PATIENT);
	box_ready(&box[1], 1, PATIENT);
	box_ready(&box[2], 2, PATIENT);
	/* 2 and 3 would be joined by this port. */
	box_await(&box[0], true);
	box_await(&box[1], true);
	assert_false(gaudi_chip_link_up(box[2].card->chip, PORT));
	/* 0 and 2 are by the next one. */
	port_on(box[0].card, 8);
	port_on(box[2].card, 8);
	for (i = 0; !gaudi_chip_link_up(box[0].card->chip, 8) ||
		    !gaudi_chip_link_up(box[2].card->chip, 8); i++)
		box_wait(&box[0], i);
	for (i = 3; i--;)
		box_free(&box[i]);
}

/* Consumer and producer index are the same. */
static bool is_complete(struct box *box)
{
	const void *req = req_ctx(box->card, PORT, QP);

	return bits_get(req, 436, 22) == bits_get(req, 458, 22);
}

/*
 * It takes nothing for a while, until the ring is full, and for longer than the
 * sender waits for it: what is lost then is sent again.
 */
TEST(peer_stands_still)
{
	const char *name = fabric_name();
	struct other other = other_start(name, 0, 7, PATIENT);
	struct box box;
	unsigned int i, k;

	other_do(&other, JOIN, 0);
	box_make(&box, name, 1, NULL);
	box_ready(&box, 3, PATIENT);
	box_await(&box, true);
	for (i = 0; i < 6; i++) {
		other_stop(&other);
		box_ring_many(&box, i);
		/* The last time until it has asked once more, however busy the host is. */
		for (k = 0; k < i * 50 || (i == 5 && !box_count(&box, COUNT_RETRIES)); k++)
			box_wait(&box, k);
		kill(other.pid, SIGCONT);
		other_begin(&other, AWAIT_SOB, (i + 1) * MANY);
		for (k = 0; !is_complete(&box); k++)
			box_wait(&box, k);
		other_end(&other);
	}
	assert_true(other_do(&other, HAS, 3));
	assert_int_not_equal(box_count(&box, COUNT_RETRIES), 0);
	box_await(&box, true);
	other_leave(&other);
	box_free(&box);
}

static bool has_failed(struct box *box)
{
	return bits_get(req_ctx(box->card, PORT, QP), 510, 1);
}

/* This one is as new, and the other one joins it. */
static void meet_anew(struct box *box, struct other *other)
{
	gaudi_chip_hard_reset(box->card->chip);
	box_ready(box, 9, PATIENT);
	other_do(other, JOIN, 0);
	box_await(box, true);
	other_do(other, AWAIT_UP, 0);
}

/* All of a batch is in the ring from here on, as nobody takes it out until the card goes on. */
static void fill_the_ring(struct box *box, struct other *other)
{
	unsigned int i;

	gaudi_chip_pause(box->card->chip);
	other_do(other, RING, 0);
	for (i = 0; other_do(other, COUNT, COUNT_TX) < PACKETS; i++)
		box_wait(box, i);
	other_do(other, SETTLE, 0);
}

/* In the midst of it; then another one comes in its place. */
TEST(peer_is_killed)
{
	const char *name = fabric_name();
	struct other other[4];
	struct box box;
	unsigned int i, n;

	for (n = 0; n < 4; n++)
		other[n] = other_start(name, 1, n, PATIENT);
	box_make(&box, name, 0, NULL);
	for (n = 0; n < 4; n++) {
		meet_anew(&box, &other[n]);
		for (i = 0; i < 5; i++) {
			box_ring(&box, i);
			other_do(&other[n], RING, i);
			box_await_sob(&box, (i + 1) * BATCH);
			other_do(&other[n], AWAIT_SOB, (i + 1) * BATCH);
		}
		assert_true(box_has(&box, n));
		box_ring(&box, i);
		other_do(&other[n], RING, i);
		other_kill(&other[n]);
		box_await(&box, false);
		/* What was on its way comes to the end of its tries, fewer by now. */
		box_patience(&box, IMPATIENT);
		if (is_complete(&box))
			box_ring(&box, i + 1);
		for (i = 0; !has_failed(&box); i++)
			box_wait(&box, i);
	}
	box_free(&box);
}

/* Nothing of before a reset comes after it. */
TEST(nothing_old_after_a_reset)
{
	static const uint8_t zeros[TOTAL];
	const char *name = fabric_name();
	/* It sends once, and never again. */
	struct other other = other_start(name, 1, 7, 0, 0);
	struct box box;

	other_begin(&other, JOIN, 0);
	box_make(&box, name, 0, NULL);
	box_ready(&box, 3, 0, 0);
	other_end(&other);
	box_await(&box, true);
	other_do(&other, AWAIT_UP, 0);
	fill_the_ring(&box, &other);
	gaudi_chip_hard_reset(box.card->chip);
	/* Up afterwards is not up as before. */
	other_do(&other, AWAIT_DOWN, 0);
	box_ready(&box, 3, 0, 0);
	box_resync(&box);
	gaudi_chip_resume(box.card->chip);
	box_await(&box, true);
	other_do(&other, AWAIT_UP, 0);
	card_settle(box.card);
	assert_int_equal(box_count(&box, COUNT_RX), 0);
	assert_memory_equal(card_hbm(box.card) + DST, zeros, TOTAL);
	/* What is sent now comes. */
	other_do(&other, RING, 1);
	box_await_sob(&box, BATCH);
	assert_true(box_has(&box, 7));
	other_leave(&other);
	box_free(&box);
}

/* What has been sent comes, though the sender is reset then, or ends in one way or another. */
TEST(last_packets_come)
{
	const char *name = fabric_name();
	struct other other[3];
	struct box box;
	unsigned int n;

	for (n = 0; n < 3; n++)
		other[n] = other_start(name, 1, n, PATIENT);
	box_make(&box, name, 0, NULL);
	for (n = 0; n < 3; n++) {
		meet_anew(&box, &other[n]);
		fill_the_ring(&box, &other[n]);
		if (n == 0)
			other_kill(&other[n]);
		else if (n == 1)
			other_leave(&other[n]);
		else
			other_do(&other[n], RESET, 0);
		/* The wire's thread is told of it. */
		usleep(20000);
		gaudi_chip_resume(box.card->chip);
		box_await_sob(&box, BATCH);
		assert_true(box_has(&box, n));
		if (n < 2)
			box_await(&box, false);
	}
	other_leave(&other[2]);
	box_free(&box);
}

/* A reset of the peer is a link that goes down and up. */
TEST(peer_is_reset)
{
	const char *name = fabric_name();
	struct other other = other_start(name, 1, 7, PATIENT);
	struct box box;
	unsigned int i;

	box_make(&box, name, 0, NULL);
	other_do(&other, JOIN, 0);
	for (i = 0; i < 20; i++) {
		box_ready(&box, 3, PATIENT);
		box_await(&box, true);
		other_do(&other, AWAIT_UP, 0);
		box_ring(&box, 0);
		other_do(&other, AWAIT_SOB, BATCH);
		assert_true(other_do(&other, HAS, 3));
		box_ring(&box, 1);
		other_do(&other, RESET, 0);
		gaudi_chip_hard_reset(box.card->chip);
	}
	other_leave(&other);
	box_free(&box);
}

/* A wire that is pulled at one end is down at both. */
TEST(wire_is_pulled)
{
	const char *name = fabric_name();
	struct other other = other_start(name, 1, 7, PATIENT);
	struct box box;
	unsigned int i;

	other_begin(&other, JOIN, 0);
	box_make(&box, name, 0, NULL);
	box_ready(&box, 3, PATIENT);
	other_end(&other);
	for (i = 0; i < 5; i++) {
		box_await(&box, true);
		other_do(&other, AWAIT_UP, 0);
		WORKS(gaudi_chip_plug(box.card->chip, PORT, false));
		box_await(&box, false);
		other_do(&other, AWAIT_DOWN, 0);
		WORKS(gaudi_chip_plug(box.card->chip, PORT, true));
	}
	other_leave(&other);
	box_free(&box);
}

/* Cards that are plugged out and in, in one process and the other. */
TEST(cards_come_and_go)
{
	const char *name = fabric_name();
	struct gaudi_fabric *a = fabric_new(name, 0, "mesh");
	struct gaudi_fabric *b = fabric_new(name, 1, "mesh");
	struct box one = { .fabric = a }, two = { .fabric = b };
	unsigned int i;

	two.card = card_new(NULL, 2);
	assert_int_equal(gaudi_fabric_plug(b, two.card->chip), 3);
	box_ready(&two, 2, PATIENT);
	for (i = 0; i < 5; i++) {
		one.card = card_new_beside(two.card, NULL);
		assert_int_equal(gaudi_fabric_plug(a, one.card->chip), 3);
		/* It has them. */
		assert_int_equal(gaudi_fabric_plug(a, one.card->chip), 0);
		box_ready(&one, 1, PATIENT);
		box_await(&one, true);
		box_await(&two, true);
		if (i & 1)
			gaudi_chip_disconnect(one.card->chip);
		else
			card_free(one.card);
		box_await(&two, false);
		if (i & 1)
			card_free(one.card);
	}
	card_free(two.card);
	gaudi_fabric_free(a);
	gaudi_fabric_free(b);
}

/* The fabric may go before its cards, whose ports can have other wires then. */
TEST(fabric_goes_first)
{
	const char *name = fabric_name();
	struct box one, two;

	box_make(&one, name, 0, NULL);
	box_make(&two, name, 1, one.card);
	box_ready(&one, 1, PATIENT);
	box_ready(&two, 2, PATIENT);
	box_await(&one, true);
	gaudi_fabric_free(one.fabric);
	box_await(&one, false);
	box_await(&two, false);
	WORKS(gaudi_chip_connect(one.card->chip, PORT, two.card->chip, 2));
	port_on(two.card, 2);
	box_await(&one, true);
	card_free(two.card);
	card_free(one.card);
	gaudi_fabric_free(two.fabric);
}

TEST(names_and_numbers)
{
	const char *name = fabric_name();
	struct gaudi_fabric_config config = {
		.name = name, .box = 4, .listener = -1,
	};
	struct gaudi_fabric *all[GAUDI_MAX_BOXES];
	char address[100];
	unsigned int i;
	int err;

	all[4] = gaudi_fabric_new(&config, &err);
	assert_non_null(all[4]);
	assert_null(gaudi_fabric_new(&config, &err));
	assert_int_equal(err, -EADDRINUSE);
	config.box = GAUDI_ANY_BOX;
	for (i = 0; i < GAUDI_MAX_BOXES; i++) {
		if (i == 4)
			continue;
		all[i] = gaudi_fabric_new(&config, &err);
		assert_non_null(all[i]);
		assert_int_equal(gaudi_fabric_box(all[i]), i);
	}
	assert_null(gaudi_fabric_new(&config, &err));
	assert_int_equal(err, -EADDRINUSE);
	for (i = 0; i < GAUDI_MAX_BOXES; i++)
		gaudi_fabric_free(all[i]);
	config.box = 16;
	assert_null(gaudi_fabric_new(&config, &err));
	assert_int_equal(err, -EINVAL);
	config.box = 0;
	config.name = "not/a name";
	assert_null(gaudi_fabric_new(&config, &err));
	assert_int_equal(err, -EINVAL);
	assert_int_equal(gaudi_fabric_address("a", 16, address, 100), -EINVAL);
	assert_int_equal(gaudi_fabric_address("abc", 1, address, 12),
			 -ENAMETOOLONG);
}

/* A box whose socket somebody else has bound. */
TEST(socket_from_outside)
{
	const char *name = fabric_name();
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct gaudi_fabric_config config = { .name = name, .box = 3 };
	struct gaudi_fabric *fabric;
	int err;

	WORKS(gaudi_fabric_address(name, 3, addr.sun_path + 1, 100));
	config.listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);
	WORKS(bind(config.listener, (struct sockaddr *)&addr,
		   offsetof(struct sockaddr_un, sun_path) + 1 +
			   strlen(addr.sun_path + 1)));
	fabric = gaudi_fabric_new(&config, &err);
	assert_non_null(fabric);
	assert_int_equal(gaudi_fabric_box(fabric), 3);
	gaudi_fabric_free(fabric);
}

/* --- cables ----------------------------------------------------------------- */

static int read_cables(const char *text, struct gaudi_fabric_cable *cables,
		       char *why)
{
	return gaudi_fabric_cables(text, cables, why, 100);
}

TEST(tables_of_cables)
{
	struct gaudi_fabric_cable c[GAUDI_MAX_FABRIC_CABLES];
	uint16_t ports[GAUDI_MAX_BOXES] = { 0 };
	char why[100];
	int n, i;

	n = read_cables("mesh", c, why);
	assert_int_equal(n, 4 * 6);
	for (i = 0; i < n; i++) {
		assert_int_equal(c[i].box[0] / 4, c[i].box[1] / 4);
		assert_int_equal(c[i].port[0], c[i].port[1]);
		assert_int_equal(c[i].module[0], GAUDI_ANY_MODULE);
		/* Each port has one cable. */
		assert_false(ports[c[i].box[0]] >> c[i].port[0] & 1);
		assert_false(ports[c[i].box[1]] >> c[i].port[1] & 1);
		ports[c[i].box[0]] |= 1u << c[i].port[0];
		ports[c[i].box[1]] |= 1u << c[i].port[1];
	}
	for (i = 0; i < GAUDI_MAX_BOXES; i++)
		assert_int_equal(ports[i], 1u << 1 | 1u << 8 | 1u << 9);
	assert_int_equal(read_cables("pairs", c, why), 8 * 3);
	n = read_cables("# two\n0:*:1 1:*:8\n\n 2:3:0\t15:4:9 # one\n", c, why);
	assert_int_equal(n, 2);
	assert_int_equal(c[1].box[1], 15);
	assert_int_equal(c[1].module[0], 3);
	assert_int_equal(c[1].port[1], 9);
}

TEST(cables_that_are_none)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "0:0:1 1:0:1\n0:0:1 2:0:1", "line 2: a port has a cable already" },
		{ "0:*:1 1:*:1\n0:5:1 2:0:1", "line 2: a port has a cable already" },
		{ "0:0:1 0:1:1", "line 1: both ends are in one box" },
		{ "0:*:1 1:1:1", "line 1: * stands at both ends, for the same module" },
		{ "0:8:1 1:1:1", "line 1: modules are 0 to 7" },
		{ "16:1:1 1:1:1", "line 1: boxes are 0 to 15" },
		{ "0:1:10 1:1:1", "line 1: two ends wanted, BOX:MODULE:PORT BOX:MODULE:PORT" },
		{ "nonsense", "line 1: two ends wanted, BOX:MODULE:PORT BOX:MODULE:PORT" },
		{ "0:1:1 1:1:1 2", "line 1: two ends wanted, BOX:MODULE:PORT BOX:MODULE:PORT" },
		{ "0:1:1", "line 1: two ends wanted, BOX:MODULE:PORT BOX:MODULE:PORT" },
	};
	struct gaudi_fabric_cable c[GAUDI_MAX_FABRIC_CABLES];
	char why[100];
	unsigned int i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(read_cables(bad[i].text, c, why), -EINVAL);
		assert_string_equal(why, bad[i].why);
	}
}
