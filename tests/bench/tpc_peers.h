/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a program does without a card: loops that the compiler vectorises for the
 * host's processor.
 */
#ifndef BENCH_TPC_PEERS_H
#define BENCH_TPC_PEERS_H

#include <stddef.h>
#include <stdint.h>

void peer_add_f32(void *out, const void *a, const void *b, size_t n);
/* Rounded to the nearest, ties to even. */
void peer_add_bf16(void *out, const void *a, const void *b, size_t n);
/* Of each row of 4096. */
void peer_sum_rows(void *out, const void *a, const void *b, size_t n);
void peer_exp(void *out, const void *a, const void *b, size_t n);
/* By tanh. */
void peer_gelu(void *out, const void *a, const void *b, size_t n);

#endif /* BENCH_TPC_PEERS_H */
