/* SPDX-License-Identifier: GPL-2.0-only */
/* Kernels on the tensor cores of a card: words by hand, or compiled ones. */
#ifndef TEST_TPC_CARD_H
#define TEST_TPC_CARD_H

#include "../card.h"

#define KERNEL	USER_HBM

#define TPC(n)	(0xe06000u + (n) * 0x40000u)
#define VFLAGS	0x90c
#define SFLAGS	0x910
#define STATUS	0x91c
#define SM_HIGH	0x92c
#define CMD	0x930
#define EXECUTE	0x938
#define STALL	0x93c
#define CAUSE	0x958
#define MASK	0x95c
#define ARUSER	0x964
#define MESSAGE	0xd80
#define SO_ADDR	0xd84
#define BASE_LO	0xd88
#define BASE_HI	0xd8c
#define SRF(n)	(0xdc0u + 4 * (n))
#define RUN_SRF(n) (0x7c0u + 4 * (n))
#define IDLE	0xeeu

/* At KERNEL: words NOPs, then HALT. */
void put_kernel(struct card *card, unsigned int words);
/* Also there: code of the vendor's compiler. */
void put_object(struct card *card, const char *name);
/* Of a word: width bits from the first one on. */
void set_bits(uint8_t *word, unsigned int first, unsigned int width,
	      uint32_t value);
/* A launch whose end adds 1 to SOB n of manager E_N. */
void prepare(struct card *card, uint32_t tpc, uint64_t kernel, unsigned int n);
/* Tensor t of rows of 100 floats; the descriptor of the queue. */
void put_tensor(struct card *card, uint32_t tpc, unsigned int t, uint64_t addr,
		uint32_t rows);

#endif /* TEST_TPC_CARD_H */
