// SPDX-License-Identifier: MIT
/*
 * What an allreduce by eight cards of one machine costs at least, if two threads did nothing
 * but its copies and sums: each byte of the buffer is copied 14 times, 7 times to where it is
 * summed and 7 times back, and added 7 times. Prints GB/s of the buffer.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define THREADS		2
#define RANKS		8
#define CHUNK		((64u << 20) / RANKS)	/* of 64 MiB */
#define TIMES		3

static pthread_barrier_t barrier;

/* Eight rows as a rank has them, of half a chunk: the other thread has the other half. */
struct area {
	float *rows, *out;
	size_t count;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);

	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void copy(const struct area *a)
{
	for (int i = 1; i < RANKS; i++) {
		memcpy(a->rows + (size_t)i * a->count, a->rows, a->count * sizeof(float));
		memcpy(a->out, a->rows + (size_t)i * a->count, a->count * sizeof(float));
	}
}

static void sum(const struct area *a)
{
	memcpy(a->out, a->rows, a->count * sizeof(float));
	for (int r = 1; r < RANKS; r++) {
		const float *row = a->rows + (size_t)r * a->count;

		for (size_t i = 0; i < a->count; i++)
			a->out[i] += row[i];
	}
}

static void *work(void *arg)
{
	const struct area *a = arg;

	for (int i = 0; i <= TIMES; i++) {
		pthread_barrier_wait(&barrier);
		for (int rank = 0; rank < RANKS; rank++) {
			copy(a);
			sum(a);
		}
		pthread_barrier_wait(&barrier);
	}

	return NULL;
}

int main(void)
{
	struct area areas[THREADS];
	pthread_t threads[THREADS];
	double best = 1e9;

	pthread_barrier_init(&barrier, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++) {
		areas[i].count = CHUNK / sizeof(float) / THREADS;
		areas[i].rows = calloc(RANKS * areas[i].count, sizeof(float));
		areas[i].out = calloc(areas[i].count, sizeof(float));
		if (!areas[i].rows || !areas[i].out ||
		    pthread_create(&threads[i], NULL, work, &areas[i])) {
			fputs("coll_bound: no memory\n", stderr);
			return 1;
		}
	}
	/* The first time memory is new. */
	for (int i = 0; i <= TIMES; i++) {
		double begin;

		pthread_barrier_wait(&barrier);
		begin = now();
		pthread_barrier_wait(&barrier);
		begin = now() - begin;
		if (i && begin < best)
			best = begin;
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%.3f\n", CHUNK * RANKS / best / 1e9);

	return 0;
}
