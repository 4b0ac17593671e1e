// SPDX-License-Identifier: MIT
/*
 * Allreduce of floats by MPI, for comparison with gaudi-coll's: for each BYTES:TIMES among the
 * arguments rank 0 prints a line of JSON, with the mean time of a call by its clock. The first
 * call's result is checked, and does not count.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void stop(const char *why)
{
	fprintf(stderr, "mpi_allreduce: %s\n", why);
	MPI_Abort(MPI_COMM_WORLD, 1);
	exit(1);
}

static double measure(size_t count, int times)
{
	float *in = malloc(count * sizeof(*in)), *out = malloc(count * sizeof(*out));
	int rank, ranks;
	double begin;

	if (!in || !out)
		stop("no memory");
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	for (size_t i = 0; i < count; i++)
		in[i] = (float)((i + (size_t)rank) % 16);
	MPI_Allreduce(in, out, (int)count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
	for (size_t i = 0; i < count; i++) {
		float sum = 0;

		for (int r = 0; r < ranks; r++)
			sum += (float)((i + (size_t)r) % 16);
		if (out[i] != sum)
			stop("a sum is wrong");
	}
	MPI_Barrier(MPI_COMM_WORLD);
	begin = MPI_Wtime();
	for (int i = 0; i < times; i++)
		MPI_Allreduce(in, out, (int)count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
	begin = MPI_Wtime() - begin;
	free(in);
	free(out);

	return begin / times;
}

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 1; i < argc; i++) {
		unsigned long long bytes;
		double seconds;
		int times;

		if (sscanf(argv[i], "%llu:%d", &bytes, &times) != 2 || times < 1 ||
		    bytes < sizeof(float) || bytes > 1ull << 30)
			stop("usage: mpi_allreduce BYTES:TIMES ...");
		seconds = measure((size_t)bytes / sizeof(float), times);
		if (!rank)
			printf("{\"bytes\": %llu, \"seconds\": %.9f}\n", bytes, seconds);
	}
	MPI_Finalize();

	return 0;
}
