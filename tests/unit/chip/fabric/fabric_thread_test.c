// SPDX-License-Identifier: GPL-2.0-only
/*
 * Boxes that write to each other while everything happens to them: resets, pauses,
 * pulled wires, boxes that end and begin anew. All in one process, so that
 * ThreadSanitizer sees both ends; it is built with it as well.
 */
#include <pthread.h>
#include <unistd.h>

#include "../../../../qemu-device/chip/nic/nic_port.h"
#include "boxes.h"

#define PATIENT		255, 16
#define TRIPS		40u

/* How much has come; SOBs begin anew, as they end at 32767. */
static void exchange(struct box *a, struct box *b, unsigned int rounds)
{
	unsigned int i;

	for (i = 0; i < rounds; i++) {
		wr(a->card, SM_E_N + SOB(0), 0);
		wr(b->card, SM_E_N + SOB(0), 0);
		box_ring(a, i);
		box_ring(b, i);
		box_await_sob(a, BATCH);
		box_await_sob(b, BATCH);
	}
}

TEST(both_ways)
{
	const char *name = fabric_name();
	struct box a, b;

	box_make(&a, name, GAUDI_ANY_BOX, NULL);
	box_make(&b, name, GAUDI_ANY_BOX, a.card);
	box_ready(&a, 1, PATIENT);
	box_ready(&b, 2, PATIENT);
	box_await(&a, true);
	box_await(&b, true);
	exchange(&a, &b, 50);
	card_settle(a.card);
	card_settle(b.card);
	assert_true(box_has(&a, 2));
	assert_true(box_has(&b, 1));
	box_free(&b);
	box_free(&a);
}

static atomic_bool stop;

static void *disturb(void *arg)
{
	struct box *box = arg;
	unsigned int i;
	char why[128];

	for (i = 0; !stop; i++) {
		usleep(1000);
		switch (i % 8) {
		case 1:
			gaudi_chip_hard_reset(box[1].card->chip);
			break;
		case 3:
			gaudi_chip_plug(box[i / 8 % 2].card->chip, PORT, false);
			break;
		case 4:
			gaudi_chip_plug(box[0].card->chip, PORT, true);
			gaudi_chip_plug(box[1].card->chip, PORT, true);
			break;
		case 5:
			gaudi_chip_inject(box[i / 8 % 2].card->chip,
					  "nic-frame-doubled,count=99", why,
					  sizeof(why));
			gaudi_chip_inject(box[i / 8 % 2].card->chip,
					  "nic-link-down,unit=1,ms=1", why,
					  sizeof(why));
			break;
		case 6:
			gaudi_chip_pause(box[1].card->chip);
			usleep(2000);
			gaudi_chip_resume(box[1].card->chip);
			break;
		case 7:
			port_on(box[1].card, PORT);
			break;
		}
	}
	return NULL;
}

/* Afterwards both go on as if nothing had been. */
TEST(disturbed)
{
	const char *name = fabric_name();
	struct box box[2];
	pthread_t thread;
	unsigned int i;

	box_make(&box[0], name, 0, NULL);
	box_make(&box[1], name, 1, box[0].card);
	box_ready(&box[0], 1, PATIENT);
	box_ready(&box[1], 2, PATIENT);
	stop = false;
	WORKS(pthread_create(&thread, NULL, disturb, box));
	for (i = 0; i < 300; i++) {
		box_ring(&box[0], i);
		usleep(500);
	}
	stop = true;
	pthread_join(thread, NULL);
	for (i = 0; i < 2; i++) {
		gaudi_chip_faults_clear(box[i].card->chip);
		gaudi_chip_plug(box[i].card->chip, PORT, true);
		gaudi_chip_hard_reset(box[i].card->chip);
		box_ready(&box[i], i + 1, PATIENT);
	}
	box_await(&box[0], true);
	box_await(&box[1], true);
	exchange(&box[0], &box[1], 3);
	/* Freed while packets come. */
	box_ring(&box[0], 1);
	box_free(&box[1]);
	box_free(&box[0]);
}

/* A box ends and begins anew, in the midst of traffic, and both call at once. */
TEST(again_and_again)
{
	const char *name = fabric_name();
	struct box a, b;
	unsigned int i;

	box_make(&a, name, 0, NULL);
	for (i = 0; i < 20; i++) {
		gaudi_chip_hard_reset(a.card->chip);
		box_ready(&a, 1, PATIENT);
		box_make(&b, name, 1, a.card);
		box_ready(&b, 2, PATIENT);
		box_await(&a, true);
		box_await(&b, true);
		exchange(&a, &b, 2);
		box_ring(&a, 0);
		box_ring(&b, 0);
		box_free(&b);
		box_await(&a, false);
	}
	box_free(&a);
}

static void *make(void *arg)
{
	struct box *box = arg;

	box->fabric = fabric_new((const char *)box->fabric, 1, "mesh");
	gaudi_fabric_plug(box->fabric, box->card->chip);
	return NULL;
}

/* Both ends are made at the same time. */
TEST(at_once)
{
	struct card *card = card_new(NULL, 2);
	const char *name;
	struct box a, b;
	pthread_t thread;
	unsigned int i;

	b.card = card_new_beside(card, NULL);
	a.card = card;
	box_ready(&a, 1, PATIENT);
	box_ready(&b, 2, PATIENT);
	for (i = 0; i < 100; i++) {
		name = fabric_name();
		b.fabric = (struct gaudi_fabric *)(uintptr_t)name;
		WORKS(pthread_create(&thread, NULL, make, &b));
		a.fabric = fabric_new(name, 0, "mesh");
		gaudi_fabric_plug(a.fabric, a.card->chip);
		pthread_join(thread, NULL);
		box_await(&a, true);
		box_await(&b, true);
		gaudi_fabric_free(i & 1 ? a.fabric : b.fabric);
		box_await(&a, false);
		box_await(&b, false);
		gaudi_fabric_free(i & 1 ? b.fabric : a.fabric);
	}
	card_free(b.card);
	card_free(a.card);
}

/* The Makefile puts it in the place of what the port calls. */
void __wrap_gaudi_link_unclaim(struct gaudi_link *link);
void __real_gaudi_link_unclaim(struct gaudi_link *link);

/* Whose thread has rung; NULL: it is not held up. */
static struct box *ringing;

static uint32_t receptions(struct box *box)
{
	uint32_t turn;

	gaudi_chip_lock(box->card->chip);
	turn = gaudi_nic_port(box->card->chip, PORT)->rx_turn;
	gaudi_chip_unlock(box->card->chip);
	return turn;
}

/* Until the answer has come to what the thread has sent, unless it was there before. */
void __wrap_gaudi_link_unclaim(struct gaudi_link *link)
{
	uint32_t before = ringing ? receptions(ringing) : 0;
	unsigned int try;

	for (try = 0; ringing && try < 50 && receptions(ringing) == before; try++)
		usleep(1000);
	__real_gaudi_link_unclaim(link);
}

/*
 * The answer comes while the thread that has rung ends its turn: what the other box sends
 * next is seen nevertheless. There is no timer, so nothing is sent again.
 */
TEST(to_and_fro)
{
	const struct wqe wqe = {
		.opcode = 2, .local = SRC, .remote = DST, .size = 64,
		.sob = REMOTE_SOB(0), .sob_data = 0x80000001,
	};
	const char *name = fabric_name();
	struct box box[2];
	unsigned int i, k;

	box_make(&box[0], name, 0, NULL);
	box_make(&box[1], name, 1, box[0].card);
	for (k = 0; k < 2; k++) {
		box_ready(&box[k], k + 1, 0, 0);
		for (i = 0; i < WQ_ENTRIES; i++)
			qp_put(box[k].card, PORT, QP, i, &wqe);
	}
	box_await(&box[0], true);
	box_await(&box[1], true);
	for (i = 0; i < TRIPS; i++) {
		ringing = &box[i % 2];
		qp_ring(ringing->card, PORT, QP, (i / 2 + 1) % WQ_ENTRIES);
		ringing = NULL;
		box_await_sob(&box[!(i % 2)], i / 2 + 1);
	}
	box_free(&box[1]);
	box_free(&box[0]);
}
