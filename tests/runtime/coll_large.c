// SPDX-License-Identifier: MIT
/* More than 2^31 bytes at once, which two ranks have in place. */
#include "coll_ranks.h"

#define BYTES	((1ull << 31) + 4 * 1021)
#define PIECE	(16 * MIB)

/* 32-bit numbers; @add: what each is beyond its own number. */
static void fill(uint32_t *words, uint64_t at, uint32_t add)
{
	for (uint64_t i = 0; i < PIECE / 4; i++)
		words[i] = (uint32_t)(at / 4 + i) * 2654435761u + add;
}

static void for_all(struct rank *rank, gaudi_ptr mem, uint32_t factor, uint32_t add,
		    bool put)
{
	uint32_t *words = malloc(PIECE), *got = malloc(PIECE);

	for (uint64_t at = 0; at < BYTES; at += PIECE) {
		uint64_t size = BYTES - at < PIECE ? BYTES - at : PIECE;

		fill(words, at, add);
		for (uint64_t i = 0; i < size / 4; i++)
			words[i] *= factor;
		if (put) {
			MUST_GOOD(rank, gaudi_copy_to_device(rank->dev, mem + at, words,
							     size));
			continue;
		}
		MUST_GOOD(rank, gaudi_copy_to_host(rank->dev, got, mem + at, size));
		MUST(rank, !memcmp(got, words, size), "what is at %llu is wrong",
		     (unsigned long long)at);
	}
	free(words);
	free(got);
}

static void move(struct rank *rank)
{
	gaudi_ptr mem;
	void *at;

	MUST_GOOD(rank, gaudi_malloc(rank->dev, BYTES, &mem));
	at = (void *)(uintptr_t)mem;
	for_all(rank, mem, 1, rank->n ? 99 : 5, true);
	MUST_DO(rank, hcclBcast(at, BYTES, hcclInt8, 0, rank->comm, rank->streams[0]));
	MUST_GOOD(rank, gaudi_stream_synchronize(rank->streams[0]));
	for_all(rank, mem, 1, 5, false);
	MUST_DO(rank, hcclAllReduce(at, at, BYTES / 4, hcclUint32, hcclSum, rank->comm,
				    rank->streams[0]));
	MUST_GOOD(rank, gaudi_stream_synchronize(rank->streams[0]));
	for_all(rank, mem, 2, 5, false);
	MUST_GOOD(rank, gaudi_free(rank->dev, mem));
}

static void beyond_31_bits(void **state)
{
	(void)state;
	setenv("GAUDI_COLL_ROW", "16777216", 1);
	setenv("GAUDI_COLL_TIMEOUT", "600", 1);
	meet_here();
	everywhere(move);
	everywhere(leave);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(beyond_31_bits) };

	card_set_up(NULL);
	card.cards = 2;
	ranks = here = 2;
	card.monitors = 128;
	for (int i = 0; i < 2; i++) {
		all[i].n = i;
		if (gaudi_device_open((uint32_t)i, 60000, &all[i].dev) ||
		    gaudi_stream_create(all[i].dev, &all[i].streams[0]) ||
		    gaudi_stream_create(all[i].dev, &all[i].streams[1]))
			return 1;
	}

	return RUN_TESTS(tests, NULL, NULL);
}
