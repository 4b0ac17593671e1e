// SPDX-License-Identifier: MIT
/*
 * Allreduce of floats by the cards of this process, a thread for each (GAUDI_SIM=8), as
 * mpi_allreduce.c does it by MPI: for each BYTES:TIMES a line of JSON, with the mean time of
 * a call by rank 0's clock. The first call's result is checked, and does not count.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "coll/open/coll.h"

#define MOST		8

struct rank {
	pthread_t thread;
	struct gaudi_device *device;
	struct gaudi_stream *stream;
	struct coll_comm *comm;
};

static struct rank all[MOST];
static uint32_t ranks;
static struct coll_settings settings;
static struct coll_id id;
static int argc;
static char **argv;

static void stop(const char *what)
{
	fprintf(stderr, "coll_bench: %s: %s; %s\n", what, coll_message(),
		gaudi_last_error(NULL));
	exit(1);
}

static void must(int rc, const char *what)
{
	if (rc)
		stop(what);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);

	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void call(struct rank *r, enum coll_kind kind, size_t count, gaudi_ptr at)
{
	const struct coll_op op = {
		.kind = kind, .type = hcclFloat32, .op = hcclSum,
		.count = count, .send = at, .recv = at + count * sizeof(float),
	};

	must(coll_run(r->comm, r->stream, &op), "a collective");
}

/* Rank n's element i is (i + n) % 16, as there. */
static void check(struct rank *r, size_t count, gaudi_ptr at)
{
	float *data = malloc(count * sizeof(*data));

	if (!data)
		stop("memory");
	for (size_t i = 0; i < count; i++)
		data[i] = (float)((i + (size_t)(r - all)) % 16);
	must(gaudi_copy_to_device(r->device, at, data, count * sizeof(*data)), "data");
	call(r, COLL_ALLREDUCE, count, at);
	must(gaudi_stream_synchronize(r->stream), "a collective");
	must(gaudi_copy_to_host(r->device, data, at + count * sizeof(*data),
				count * sizeof(*data)), "data");
	for (size_t i = 0; i < count; i++) {
		float sum = 0;

		for (size_t n = 0; n < ranks; n++)
			sum += (float)((i + n) % 16);
		if (data[i] != sum)
			stop("a sum is wrong");
	}
	free(data);
}

static void measure(struct rank *r, uint64_t bytes, int times)
{
	size_t count = bytes / sizeof(float);
	gaudi_ptr at;
	double begin;

	must(gaudi_malloc(r->device, 2 * count * sizeof(float), &at), "memory");
	check(r, count, at);
	call(r, COLL_BARRIER, 0, at);
	must(gaudi_stream_synchronize(r->stream), "a barrier");
	begin = now();
	for (int i = 0; i < times; i++)
		call(r, COLL_ALLREDUCE, count, at);
	must(gaudi_stream_synchronize(r->stream), "a collective");
	begin = now() - begin;
	must(gaudi_free(r->device, at), "memory");
	if (r == all)
		printf("{\"bytes\": %llu, \"seconds\": %.9f}\n",
		       (unsigned long long)bytes, begin / times);
}

static void *rank_main(void *arg)
{
	struct rank *r = arg;

	must(coll_comm_create(r->device, &id, ranks, (uint32_t)(r - all), &settings,
			      &r->comm), "a communicator");
	for (int i = 1; i < argc; i++) {
		unsigned long long bytes;
		int times;

		if (sscanf(argv[i], "%llu:%d", &bytes, &times) != 2 || times < 1 ||
		    bytes < sizeof(float) || bytes > 1ull << 30)
			stop("usage: coll_bench BYTES:TIMES ...");
		measure(r, bytes, times);
	}
	must(coll_comm_finish(r->comm), "the end");
	coll_comm_free(r->comm);

	return NULL;
}

int main(int count, char **arguments)
{
	argc = count;
	argv = arguments;
	setenv("HCCL_SOCKET_IFNAME", "lo", 0);
	must(gaudi_device_count(&ranks), "cards");
	ranks = ranks < MOST ? ranks : MOST;
	must(coll_settings_read(&settings), "settings");
	must(coll_listener_start(false, &id), "a listener");
	for (uint32_t i = 0; i < ranks; i++) {
		must(gaudi_device_open(i, 60000, &all[i].device), "a card");
		must(gaudi_stream_create(all[i].device, &all[i].stream), "a stream");
	}
	for (uint32_t i = 0; i < ranks; i++)
		if (pthread_create(&all[i].thread, NULL, rank_main, &all[i]))
			stop("a thread");
	for (uint32_t i = 0; i < ranks; i++)
		pthread_join(all[i].thread, NULL);
	for (uint32_t i = 0; i < ranks; i++)
		must(gaudi_device_close(all[i].device), "a card");

	return 0;
}
