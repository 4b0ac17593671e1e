// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Products of bf16 operands by the instruction that adds two of them at a time
 * (AVX512_BF16). The operands stay bf16: a word of a panel holds an element of
 * one vector and, in its upper half, the same element of the next.
 */
#include "mme_impl.h"

#ifdef __x86_64__
#define VEC		16
#define TARGET		__attribute__((target( \
				"avx512f,avx512bw,avx512vl,avx512bf16")))
#define FMA(a, b, c)	((vec)_mm512_dpbf16_ps((__m512)(c), (__m512bh)(a), \
					       (__m512bh)(b)))
#define SET1(p)		((vec)_mm512_set1_ps(*(p)))
#define ROWS		4
#define VECS		4

#include "mme_avx512.h"
#include "mme_block.h"

bool gaudi_mme_pairs_run(void)
{
	return __builtin_cpu_supports("avx512f") &&
	       __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512vl") &&
	       __builtin_cpu_supports("avx512bf16");
}

void gaudi_mme_pairs_sum(const struct gaudi_mme_sum *g)
{
	sum_steps(g, (g->k + 1) / 2);
}

/* --- packing ---------------------------------------------------------- */

static uint32_t *words(const struct gaudi_mme_pack *p, size_t q)
{
	return (uint32_t *)(p->panel.p + q / 2 * p->panel.step);
}

/* An element as a word's lower half */
static uint32_t half(const struct gaudi_mme_pack *p, const void *row, size_t i)
{
	return gaudi_mme_element(p, row, i) >> 16;
}

/* One vector into its half: the upper one beside what is there already */
static void put_half(const struct gaudi_mme_pack *p, size_t q, unsigned int j,
		     uint32_t value)
{
	uint32_t *to = words(p, q) + j;

	*to = q & 1 ? (*to & 0xffff) | value << 16 : value;
}

static INLINE uvec halves(const void *from)
{
	hvec h;

	memcpy(&h, from, sizeof(h));
	return __builtin_convertvector(h, uvec);
}

static TARGET void put_two_rows(const struct gaudi_mme_pack *p, size_t q,
				const void *low, const void *high,
				unsigned int len)
{
	uint32_t *to = words(p, q);
	unsigned int j = 0;
	uvec both;

	for (; low && high && j + VEC <= len; j += VEC) {
		both = halves((const uint8_t *)low + j * 2) |
		       halves((const uint8_t *)high + j * 2) << 16;
		memcpy(to + j, &both, sizeof(both));
	}
	for (; j < len; j++)
		to[j] = half(p, low, j) | half(p, high, j) << 16;
	memset(to + len, 0, (p->width - len) * 4);
}

void gaudi_mme_pairs_rows(const struct gaudi_mme_pack *p,
			  const void *const *rows, size_t count,
			  unsigned int len)
{
	unsigned int j;
	size_t i = 0;

	while (i < count) {
		if (!((p->q + i) & 1) && i + 1 < count) {
			put_two_rows(p, p->q + i, rows[i], rows[i + 1], len);
			i += 2;
			continue;
		}
		for (j = 0; j < p->width; j++)
			put_half(p, p->q + i, j, j < len ?
				 half(p, rows[i], j) : 0);
		i++;
	}
}

struct strip {
	const uint8_t *row[VEC];
	size_t step[VEC];	/* 0: the row is padding */
};

/* `num` words of each row of the strip */
static INLINE void put_strip(struct strip *s, uint32_t *to, size_t step,
			     unsigned int num)
{
	unsigned int i;
	vec v[VEC];

#pragma GCC unroll 16
	for (i = 0; i < VEC; i++) {
		memcpy(&v[i], s->row[i], sizeof(vec));
		s->row[i] += s->step[i];
	}
	gaudi_mme_transpose16(v);
	for (i = 0; i < num; i++)
		memcpy(to + i * step, &v[i], sizeof(vec));
}

static TARGET void pack_strip(const struct gaudi_mme_pack *p, struct strip *s,
			      unsigned int col, size_t q, size_t count)
{
	uint8_t tail[VEC][VEC * 4];
	unsigned int i;

	for (; count >= 2 * VEC; count -= 2 * VEC) {
		put_strip(s, words(p, q) + col, p->panel.step, VEC);
		q += 2 * VEC;
	}
	if (!count)
		return;
	for (i = 0; i < VEC; i++) {
		memset(tail[i], 0, sizeof(tail[i]));
		memcpy(tail[i], s->row[i], count * 2);
		s->row[i] = tail[i];
	}
	put_strip(s, words(p, q) + col, p->panel.step, (count + 1) / 2);
}

void gaudi_mme_pairs_trans(const struct gaudi_mme_pack *p,
			   const void *const *rows, unsigned int height,
			   size_t count)
{
	static const uint32_t none[VEC];
	unsigned int col, i, odd = p->q & 1;
	uint32_t pad[VEC];
	struct strip s;

	if (!count)
		return;
	for (i = 0; i < VEC; i++)
		pad[i] = (p->pad & 0xffff) * 0x10001;
	for (i = 0; i < p->width && odd; i++)
		put_half(p, p->q, i, i < height ? half(p, rows[i], 0) : 0);
	for (col = 0; col < p->width; col += VEC) {
		for (i = 0; i < VEC; i++) {
			s.step[i] = 0;
			s.row[i] = (const uint8_t *)(col + i < height ? pad :
						     none);
			if (col + i < height && rows[col + i]) {
				s.row[i] = (const uint8_t *)rows[col + i] +
					   odd * 2;
				s.step[i] = VEC * 4;
			}
		}
		pack_strip(p, &s, col, p->q + odd, count - odd);
	}
}

#else

bool gaudi_mme_pairs_run(void)
{
	return false;
}

/* Never called: the host has no such instructions. */
void gaudi_mme_pairs_sum(const struct gaudi_mme_sum *g)
{
	(void)g;
}

void gaudi_mme_pairs_rows(const struct gaudi_mme_pack *p,
			  const void *const *rows, size_t count,
			  unsigned int len)
{
	(void)p;
	(void)rows;
	(void)count;
	(void)len;
}

void gaudi_mme_pairs_trans(const struct gaudi_mme_pack *p,
			   const void *const *rows, unsigned int height,
			   size_t count)
{
	(void)p;
	(void)rows;
	(void)height;
	(void)count;
}
#endif
