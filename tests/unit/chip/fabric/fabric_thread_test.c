// SPDX-License-Identifier: GPL-2.0-only
/*
 * Boxes that write to each other while everything happens to them: resets, pauses,
 * pulled wires, boxes that end and begin anew. All in one process, so that
 * ThreadSanitizer sees both ends; it is built with it as well.
 */
#include <pthread.h>
#include <unistd.h>

#include "boxes.h"

#define PATIENT		255, 16

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
