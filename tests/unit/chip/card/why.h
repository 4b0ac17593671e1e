/* SPDX-License-Identifier: GPL-2.0-only */
/* What scripts/gaudi-why says of cards: it is run on their records. */
#ifndef TEST_WHY_H
#define TEST_WHY_H

#include "../card.h"

/* Its text, for num cards in one record; the status is to be 1, or 0 if nothing is stuck. */
char *why_of(struct card *const *cards, unsigned int num, int status);
/* Each of these words, up to a NULL, is in what it says of the card. */
void why_says(struct card *card, ...);
/* The same of several cards. */
void why_says_of(struct card *const *cards, unsigned int num, ...);
/* Nothing is stuck. */
void why_is_content(struct card *card);

#endif /* TEST_WHY_H */
