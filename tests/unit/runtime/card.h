/* SPDX-License-Identifier: MIT */
/*
 * Cards of this process (Documentation/sim.rst) for libgaudi's unit tests, with what makes them
 * say no, hold their work, or lose it. The linker puts card.c between libgaudi and
 * libhl-thunk (knobs.mk). What is not given back when the last card is closed fails the test.
 */
#ifndef CARD_H
#define CARD_H

#include "../unit.h"
#include "device/device.h"

/* What a test may set before it opens a card, or while it is open. */
extern struct card_knobs {
	unsigned int cards;		/* how many there are, of 8 */
	unsigned int busy_opens;	/* opens that are -EAGAIN first */
	int open_error;
	atomic_int submit_error;	/* of the next submission, once */
	atomic_int wait_error;		/* of each wait, from now on */
	bool old_driver;		/* habanalabs.ko */
	bool no_ports;
	uint32_t monitors;		/* 32: for few streams; 0: as many as it has */
	atomic_int pin_error;		/* of host_memory_map */
	int nic_error;			/* of a call for a port, once ... */
	unsigned int nic_skip;		/* ... behind so many */
	/* Called once, by who asked without waiting and was told "busy". */
	_Atomic(void (*)(void)) on_busy;
} card;

/* What happened since the test began. */
extern struct card_counts {
	atomic_uint submissions;
	atomic_uint waits;
	atomic_uint maps;		/* of host memory */
	atomic_uint cbs;		/* command buffers made */
	atomic_uint largest_cb;
} counts;

/* For card_hold(): each hardware stream. */
#define ALL_STREAMS	0xfu

/* These hardware streams of all open cards begin no packet. */
void card_hold(uint32_t streams);
void card_release(void);
void card_finish(void);			/* that, and waits for the last submission */
/* Whether no frame of any link arrives. */
void card_deafen(bool deaf);

#define CARD_TEST(fn) TEST_WITH(fn, card_set_up, card_tear_down)
int card_set_up(void **state);
int card_tear_down(void **state);

#endif /* CARD_H */
