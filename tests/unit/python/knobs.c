// SPDX-License-Identifier: MIT
/* The knobs of card.h as functions of the library that Python loads. */
#include <stdlib.h>

#include "card.h"

void knob_cards(unsigned int number);
void knob_hold(void);
void knob_release(void);
void knob_fail_waits(int error);
void knob_fail_pin(int error);
void knob_fail_open(int error);
void knob_busy_opens(unsigned int number);
unsigned int knob_submissions(void);
unsigned int knob_waits(void);
void knob_deaf(unsigned int deaf);

static __attribute__((constructor)) void begin(void)
{
	const char *cards = getenv("CARDS");

	card_set_up(NULL);
	card.cards = cards ? (unsigned int)atoi(cards) : 1;
	card.monitors = 0;
}

void knob_cards(unsigned int number)
{
	card.cards = number;
}

void knob_hold(void)
{
	card_hold(ALL_STREAMS);
}

void knob_release(void)
{
	card_release();
}

void knob_fail_waits(int error)
{
	card.wait_error = error;
	card_release();
}

void knob_fail_pin(int error)
{
	card.pin_error = error;
}

void knob_fail_open(int error)
{
	card.open_error = error;
}

void knob_busy_opens(unsigned int number)
{
	card.busy_opens = number;
}

unsigned int knob_submissions(void)
{
	return counts.submissions;
}

unsigned int knob_waits(void)
{
	return counts.waits;
}

void knob_deaf(unsigned int deaf)
{
	card_deafen(deaf);
}
