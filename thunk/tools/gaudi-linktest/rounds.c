// SPDX-License-Identifier: MIT
/* Latency round by round, and how it is spread: the numbers that ib_write_lat has. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linktest.h"
#include "progress.h"

int rounds_time(struct end *end, int rounds, uint64_t bytes, double *times)
{
	struct gaudi_link_op turn[2];

	end_turn(end, bytes, turn);
	for (int i = 0; i < rounds; i++) {
		double start = now();

		if (gaudi_link_post_async(end->stream, turn, 2))
			return failed("there and back");
		if (end_sync(end))
			return -1;
		times[i] = (now() - start) / 2;
	}

	return 0;
}

static int by_time(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void rounds_sort(struct figures *figures)
{
	qsort(figures->rounds, (size_t)figures->num_rounds,
	      sizeof(figures->rounds[0]), by_time);
}

/* The least that @share of @num sorted times do not exceed. */
static double percentile(const double *times, int num, double share)
{
	int rank = (int)ceil(share * num);

	return times[rank > 1 ? rank - 1 : 0];
}

void rounds_spread(const struct figures *figures, struct spread *spread)
{
	struct figures sorted = *figures;
	const double *times = sorted.rounds;
	int num = sorted.num_rounds;
	double sum = 0, squares = 0;

	rounds_sort(&sorted);
	for (int i = 0; i < num; i++)
		sum += times[i];
	for (int i = 0; i < num; i++)
		squares += (times[i] - sum / num) * (times[i] - sum / num);
	*spread = (struct spread) {
		.min = times[0],
		.max = times[num - 1],
		.typical = percentile(times, num, 0.5),
		.mean = sum / num,
		.stdev = sqrt(squares / num),
		.p99 = percentile(times, num, 0.99),
		.p999 = percentile(times, num, 0.999),
	};
}
