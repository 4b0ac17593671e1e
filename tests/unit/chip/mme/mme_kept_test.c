// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operands without LOAD behind descriptors whose packed operands serve the next
 * ones, too: through a queue, from buffer to buffer, and while memory changes,
 * with and without a wait of the queue. The same on a card that computes element
 * by element and packs nothing.
 */
#include "mme_gen.h"

#define RING	0x10000
#define CBUF	0x100000
#define LOW	0x110000
#define A_AT	(USER_HBM + 0x00000)
#define B_AT	(USER_HBM + 0x40000)
#define C_AT	(USER_HBM + 0x80000)
#define NEXT	0x10000
#define NOT_HBM	0x1000000000ull
#define FENCE_1_LOW 0x32c	/* of the lower CP */

#define M	64
#define N	128
#define K	48
#define TILES	3	/* of B, below each other: products of A with each */

/* C[t] = A B[t]; A stays for all tiles, and both come back. */
static void product(struct mme_desc *d)
{
	unsigned int h;

	mme_init(d, TRANS(S) | OUT_FP32 | STORE);
	mme_base(d, S, A_AT);
	mme_base(d, L, B_AT);
	mme_base(d, O, C_AT);
	mme_dim(d, S, 0, K, K, 0, 0);
	mme_dim(d, S, 1, M * K, 2 * M * K, 0, K);
	mme_rows(d, S, M);
	mme_dim(d, L, 0, N, N, 0, 0);
	mme_dim(d, L, 1, K * N, 2 * K * N, 0, N);
	mme_dim(d, L, 2, TILES * K * N, 0x7fffffff, K * N, 0);
	mme_rows(d, L, K);
	mme_dim(d, O, 0, N, N, 0, 0);
	mme_dim(d, O, 1, M * N, 2 * M * N, 0, N);
	mme_dim(d, O, 2, TILES * M * N, 0x7fffffff, M * N, 0);
	mme_rows(d, O, M);
	mme_loop(d, 0, TILES, 5, 2, 2);
	mme_repeat(d, S, TILES, 1);
	for (h = 0; h < 2; h++) {
		mme_offset(d, AGU_L + h, 0, 64 * h, 0);
		mme_offset(d, AGU_O + h, 0, 64 * h, 0);
	}
	mme_signal(d, 0x3f, 0);
}

static void inputs(struct card *card, uint32_t seed)
{
	uint8_t *hbm = card_hbm(card);
	unsigned int i;

	for (i = 0; i < M * K; i++)
		mme_put(hbm + A_AT, i, false, mme_number(&seed));
	for (i = 0; i < TILES * K * N; i++)
		mme_put(hbm + B_AT, i, false, mme_number(&seed));
}

/* What product n must be; tiles of B as `tile` says. */
static void check(struct card *card, unsigned int n, const unsigned int *tile)
{
	const uint8_t *hbm = card_hbm(card), *b;
	const uint8_t *c = hbm + C_AT + n * TILES * NEXT;
	unsigned int t, i, j, k;
	float is, should;

	for (t = 0; t < TILES; t++) {
		b = hbm + B_AT + 2 * tile[t] * K * N;
		for (i = 0; i < M; i++)
			for (j = 0; j < N; j++) {
				struct mme_sum s = { { 0 } };

				for (k = 0; k < K; k++)
					mme_add(&s, mme_get(hbm + A_AT,
							    i * K + k, false),
						mme_get(b, k * N + j, false));
				should = mme_result(&s, false, true);
				is = mme_get(c, (t * M + i) * N + j, true);
				if (is != should)
					fail_msg("product %u, [%u][%u][%u]: %a, not %a",
						 n, t, i, j, is, should);
			}
	}
}

static const unsigned int each[TILES] = { 0, 1, 2 };
static const unsigned int last[TILES] = { 2, 2, 2 };

/* Product n: by a whole descriptor, or only what differs from the last one. */
static void put(struct cb *cb, const struct mme_desc *d, unsigned int n)
{
	unsigned int i;

	if (d) {
		put_packet(cb, 68, 0x02000000 | 0x0008 << 8);
		for (i = 0; i < 136; i++)
			put32(cb, d->word[i]);
	}
	put_wreg(cb, 0x1c, (uint32_t)C_AT + n * TILES * NEXT);
	put_wreg(cb, MME_CMD, 1);
}

/* Without LOAD what the descriptor says of an operand means nothing. */
static void put_kept(struct cb *cb, const struct mme_desc *d, unsigned int ops,
		     unsigned int n)
{
	struct mme_desc kept = *d;
	unsigned int op;

	for (op = S; op <= L; op++) {
		if (!(ops & 1u << op))
			continue;
		mme_repeat(&kept, op, 1, 0);
		*mme_at(&kept, 0x1d4) &= ~(1u << 14 << 16 * op);
		mme_base(&kept, op, NOT_HBM);
	}
	put(cb, &kept, n);
}

/* Product n, and so many replays of A more than it needs. */
static void put_for(struct cb *cb, const struct mme_desc *d, unsigned int more,
		    unsigned int n)
{
	struct mme_desc for_more = *d;

	mme_repeat(&for_more, S, TILES + more, 1);
	put(cb, &for_more, n);
}

/* Only the first tile, of the last one of B, with replays of A or B or both. */
static void put_one(struct cb *cb, const struct mme_desc *d, unsigned int a,
		    unsigned int b, unsigned int n)
{
	struct mme_desc one = *d;

	mme_loop(&one, 0, 1, 5, 2, 2);
	mme_base(&one, L, B_AT + 2 * (TILES - 1) * K * N);
	mme_repeat(&one, S, 1 + a, 1);
	mme_repeat(&one, L, 1 + b, 0);
	put(cb, &one, n);
}

static struct card *card_of(unsigned int way, unsigned int workers)
{
	struct gaudi_config config = { .hbm_size = 1ull << 30, .mme = way };

	return card_new(&config, workers);
}

static void run(struct card *card, struct queue *q, struct cb *low)
{
	struct cb cb = cb_host(card, CBUF);

	put_cp_dma(&cb, low->addr, low->len);
	queue_run(card, q, &cb);
}

/*
 * The third product takes A from what the first one packed; the fourth one keeps
 * it, the fifth one keeps B, and the sixth one loads both again.
 */
static void kept_behind_packed(struct card *card)
{
	struct queue q = queue_internal(card, MME_QM2, 0, RING, 6);
	struct cb low = cb_host(card, LOW);
	struct mme_desc d;
	unsigned int i;

	inputs(card, 1);
	product(&d);
	put(&low, &d, 0);
	put(&low, NULL, 1);
	put_for(&low, &d, TILES, 2);
	put_kept(&low, &d, 1 << S, 3);
	put_one(&low, &d, 0, TILES, 4);
	put_kept(&low, &d, 1 << L, 4);
	put(&low, &d, 5);
	put_one(&low, &d, TILES + 1, TILES, 6);
	put_kept(&low, &d, 1 << S | 1 << L, 6);
	run(card, &q, &low);
	card_settle(card);
	assert_int_equal(rd(card, MME(2) + MME_CAUSE), 0);
	assert_int_equal(sob(card, 0), 9);
	for (i = 0; i < 7; i++)
		check(card, i, i == 4 || i == 6 ? last : each);
}

/* Operands change after a fence: packed ones are not used again, kept or not. */
static void kept_after_a_wait(struct card *card)
{
	struct queue q = queue_internal(card, MME_QM2, 0, RING, 6);
	struct cb low = cb_host(card, LOW);
	struct mme_desc d;

	inputs(card, 1);
	product(&d);
	put(&low, &d, 0);
	put_for(&low, &d, TILES, 1);
	put_fence(&low, 1, 1, 1);
	put_kept(&low, &d, 1 << S, 2);
	put(&low, &d, 3);
	put_one(&low, &d, 2 * TILES, TILES, 4);
	put_kept(&low, &d, 1 << L, 4);
	run(card, &q, &low);
	card_settle(card);
	check(card, 0, each);
	check(card, 1, each);
	inputs(card, 99);
	wr_settle(card, MME_QM2 + FENCE_1_LOW, 1);
	assert_int_equal(rd(card, MME(2) + MME_CAUSE), 0);
	assert_int_equal(sob(card, 0), 6);
	/* The model reads what is kept again from where it was. */
	check(card, 2, each);
	check(card, 3, each);
	check(card, 4, last);
	/* and in another buffer, which need not wait for anything */
	inputs(card, 5);
	low = cb_host(card, LOW + 0x8000);
	put_for(&low, &d, 2 * TILES, 2);
	put_kept(&low, &d, 1 << S, 0);
	put_kept(&low, &d, 1 << S, 1);
	run(card, &q, &low);
	card_settle(card);
	check(card, 0, each);
	check(card, 1, each);
}

/* No wait, but the engine itself writes over A: nobody may see the old one. */
static void kept_after_an_output(struct card *card)
{
	struct queue q = queue_internal(card, MME_QM2, 0, RING, 6);
	struct cb low = cb_host(card, LOW);
	uint8_t *hbm = card_hbm(card);
	struct mme_desc d, over;

	inputs(card, 1);
	product(&d);
	put(&low, &d, 0);
	put(&low, NULL, 1);
	/* A becomes the bf16 product of padding: zeros. */
	over = d;
	*mme_at(&over, 0x20) &= ~OUT_FP32;
	mme_dim(&over, O, 0, K, K, 0, 0);
	mme_dim(&over, O, 1, M * K, 2 * M * K, 0, K);
	mme_dim(&over, O, 2, 1, 0x7fffffff, 1, 0);
	put_packet(&low, 68, 0x02000000 | 0x0008 << 8);
	*mme_at(&over, 0x3c) = 0;
	mme_base(&over, O, A_AT);
	for (unsigned int i = 0; i < 136; i++)
		put32(&low, over.word[i]);
	put_wreg(&low, MME_CMD, 1);
	put_for(&low, &d, TILES, 2);
	put_kept(&low, &d, 1 << S, 3);
	run(card, &q, &low);
	card_settle(card);
	assert_int_equal(rd(card, MME(2) + MME_CAUSE), 0);
	assert_true(mme_get(hbm + A_AT, 7, false) == 0);
	check(card, 2, each);
	check(card, 3, each);
}

/*
 * A compiler's reuse over several activations: one descriptor loads A for four
 * tiles and makes one of them, three more make the others. A fifth has nothing
 * left: it is refused, and the driver is told.
 */
static void kept_over_activations(struct card *card)
{
	static const unsigned int tile[] = { 0, 1, 2, 1 };
	struct queue q = queue_internal(card, MME_QM2, 0, RING, 6);
	struct cb low = cb_host(card, LOW);
	uint8_t *hbm = card_hbm(card);
	const unsigned int size = 4 * M * N;
	struct mme_desc d, whole;
	unsigned int i;

	inputs(card, 3);
	product(&whole);
	d = whole;
	mme_loop(&d, 0, 1, 5, 2, 2);
	mme_repeat(&d, S, 4, 1);
	for (i = 0; i < 5; i++) {
		mme_base(&d, L, B_AT + 2 * tile[i % 4] * K * N);
		/* What is kept may say that it is repeated, or not. */
		if (i == 2)
			mme_repeat(&d, S, 1, 0);
		if (i)
			*mme_at(&d, 0x1d4) &= ~(1u << 14);
		if (i == 4)
			memset(hbm + C_AT + 4 * NEXT * TILES, 0xee, size);
		put(&low, &d, i);
	}
	run(card, &q, &low);
	card_settle(card);
	assert_int_equal(sob(card, 0), 4);
	assert_int_equal(rd(card, MME(2) + MME_CAUSE), 1);
	assert_non_null(strstr(card->last_log, "all its repetitions are used"));
	for (i = 0; i < size; i++)
		assert_int_equal(hbm[C_AT + 4 * NEXT * TILES + i], 0xee);
	/* The same tiles, by descriptors that load all they need. */
	wr(card, MME(2) + MME_CAUSE, 0);
	low = cb_host(card, LOW + 0x8000);
	put(&low, &whole, 4);
	run(card, &q, &low);
	card_settle(card);
	check(card, 4, each);
	for (i = 0; i < 4; i++)
		assert_memory_equal(hbm + C_AT + i * NEXT * TILES,
				    hbm + C_AT + 4 * NEXT * TILES +
				    tile[i] * size, size);
}

/* Two replays for three tiles: no mixture, but an error. */
static void too_few_replays(struct card *card)
{
	struct queue q = queue_internal(card, MME_QM2, 0, RING, 6);
	struct cb low = cb_host(card, LOW);
	struct mme_desc d;

	inputs(card, 4);
	product(&d);
	put_for(&low, &d, TILES - 1, 0);
	put_kept(&low, &d, 1 << S, 1);
	put(&low, &d, 2);
	run(card, &q, &low);
	card_settle(card);
	assert_int_equal(rd(card, MME(2) + MME_CAUSE), 1);
	assert_non_null(strstr(card->last_log, "loops that do not match"));
	assert_int_equal(sob(card, 0), 2);
	check(card, 0, each);
	check(card, 2, each);
}

static void in_all_ways(void (*test)(struct card *card))
{
	struct card *card;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		card = card_of(i == 1, i == 2 ? 2 : 0);
		test(card);
		card_free(card);
	}
}

TEST(kept_operands_behind_packed_ones)
{
	in_all_ways(kept_behind_packed);
}

TEST(kept_operands_after_a_wait)
{
	in_all_ways(kept_after_a_wait);
}

TEST(kept_operands_after_an_output)
{
	in_all_ways(kept_after_an_output);
}

TEST(reuse_over_activations)
{
	in_all_ways(kept_over_activations);
	in_all_ways(too_few_replays);
}
