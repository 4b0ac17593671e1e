// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer's entry points, and a mutator that knows where a record begins:
 * what it inserts or drops are whole records.
 */
#include "ops.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned int seed);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	if (harness_init())
		exit(2);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	harness_run(data, size);
	return 0;
}

static uint32_t next_random(uint32_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 17;
	*x ^= *x << 5;
	return *x;
}

/* Any numbers, often small ones: members of records are taken modulo. */
static void random_record(uint8_t *to, size_t len, uint32_t *x)
{
	size_t i;

	for (i = 0; i < len; i++)
		to[i] = next_random(x) % 3 ? next_random(x) >> 8 : 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
			       unsigned int seed)
{
	const size_t u = harness_unit;
	uint32_t x = seed * 2654435761u | 1;
	size_t n = size / u, from, to;

	if (u == 1)
		return LLVMFuzzerMutate(data, size, max_size);
	if (!n) {
		random_record(data, u, &x);
		return u;
	}
	size = n * u;
	from = next_random(&x) % n * u;
	to = next_random(&x) % n * u;
	switch (next_random(&x) % 12) {
	case 0:
	case 1:		/* a new one */
	case 2:		/* one again, somewhere else */
		if (size + u > max_size)
			break;
		memmove(data + to + u, data + to, size - to);
		if (from >= to)
			from += u;
		memmove(data + to, data + from, u);
		if (x & 0x100)
			random_record(data + to, u, &x);
		return size + u;
	case 3:		/* one less */
		if (n == 1)
			break;
		memmove(data + to, data + to + u, size - to - u);
		return size - u;
	case 4:		/* one over another */
		memmove(data + to, data + from, u);
		return size;
	case 5:
		random_record(data + to, u, &x);
		return size;
	default:
		break;
	}
	/* within a record, its length kept */
	LLVMFuzzerMutate(data + to, u, u);
	return size;
}
