// SPDX-License-Identifier: MIT
/* The card of threads as a library that Python loads: its knobs as functions. */
#include <stdlib.h>

#include "card.h"

void mock_cards(unsigned int number);
void mock_hold(void);
void mock_release(void);
void mock_fail_waits(int error);
void mock_fail_pin(int error);
void mock_fail_open(int error);
void mock_busy_opens(unsigned int number);
unsigned int mock_submissions(void);
unsigned int mock_waits(void);
void mock_deaf(unsigned int deaf);

static __attribute__((constructor)) void begin(void)
{
	const char *cards = getenv("MOCK_CARDS");
	const char *ports = getenv("MOCK_PORTS");

	card_set_up(NULL);
	if (cards)
		card.cards = (unsigned int)atoi(cards);
	if (ports) {
		card.ports = (uint32_t)atoi(ports);
		card.monitors = 128;
	}
}

void mock_cards(unsigned int number)
{
	card.cards = number;
}

void mock_hold(void)
{
	card.hold = ~0u;
}

void mock_release(void)
{
	card_release();
}

void mock_fail_waits(int error)
{
	card.wait_error = error;
	card_release();
}

void mock_fail_pin(int error)
{
	card.pin_error = error;
}

void mock_fail_open(int error)
{
	card.open_error = error;
}

void mock_busy_opens(unsigned int number)
{
	card.busy_opens = number;
}

unsigned int mock_submissions(void)
{
	return counts.submissions;
}

unsigned int mock_waits(void)
{
	return counts.waits;
}

void mock_deaf(unsigned int deaf)
{
	atomic_store(&card.deaf, deaf);
}
