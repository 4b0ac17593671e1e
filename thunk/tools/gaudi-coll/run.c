// SPDX-License-Identifier: MIT
/* Ranks: a process for each card, as programs for HCCL are launched. */
#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "gaudi_coll.h"
#include "habanalabs/synapse_api.h"
#include "text.h"

/* What all ranks see. */
struct shared {
	uint32_t num;
	uint32_t wrong[MAX_RESULTS];	/* ranks */
	struct result results[MAX_RESULTS];
};

struct rank {
	const struct settings *s;
	struct shared *shared;
	int rank, ranks;
	synStreamHandle stream;
	hcclComm_t comm;
	uint64_t send, recv;		/* on the card */
	void *memory;			/* pinned */
	uint64_t bytes;			/* of each of these */
};

static int bad(const struct rank *r, int result, const char *what)
{
	const char *why = hcclCommGetAsyncErrorMessage(NULL);

	if (!why)
		why = hcclGetLastErrorMessage();
	if (result)
		complain("rank %d: %s: %s", r->rank, what,
			 why ? why : "a call of Synapse fails");

	return result;
}

static double clock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);

	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Of the whole of the larger buffer, as nccl-tests count. */
static struct what what_of(const struct rank *r, unsigned int shape,
			   uint64_t bytes)
{
	struct what w = {
		.shape = (enum shape)shape,
		.type = r->s->type,
		.op = hcclSum,
		.seed = bytes,
	};

	w.count = bytes / size_of(w.type);
	if (shape == REDUCE_SCATTER || shape == ALLGATHER || shape == ALLTOALL)
		w.count /= (uint64_t)r->ranks;

	return w;
}

static int call(struct rank *r, const struct what *w)
{
	return (int)call_it(w, r->ranks, (void *)(uintptr_t)r->send,
			    (void *)(uintptr_t)r->recv, r->comm, r->stream);
}

static int barrier(struct rank *r)
{
	int rc = bad(r, (int)hcclBarrier(r->comm, r->stream), "hcclBarrier");

	return rc ? rc : bad(r, (int)synStreamSynchronize(r->stream),
			     "synStreamSynchronize of a barrier");
}

static int verify(struct rank *r, const struct what *w, bool *wrong)
{
	uint64_t send = send_count(w, r->ranks) * size_of(w->type);
	uint64_t recv = recv_count(w, r->ranks) * size_of(w->type);
	uintptr_t memory = (uintptr_t)r->memory;
	hcclResult_t async = hcclSuccess;

	fill_send(w, r->ranks, r->rank, r->memory);
	if ((send && synMemCopyAsync(r->stream, memory, send, r->send,
				     HOST_TO_DRAM)) ||
	    synStreamSynchronize(r->stream) || call(r, w) ||
	    (recv && synMemCopyAsync(r->stream, r->recv, recv, memory,
				     DRAM_TO_HOST)) ||
	    synStreamSynchronize(r->stream) ||
	    hcclCommGetAsyncError(r->comm, &async) || async)
		return bad(r, 1, shape_name(w->shape));
	*wrong = first_wrong(w, r->ranks, r->rank, r->memory) >= 0;

	return 0;
}

static int measure(struct rank *r, const struct what *w, double *seconds)
{
	double begin;
	int rc = call(r, w);	/* what is made at the first call is not measured */

	if (!rc)
		rc = barrier(r);
	begin = clock_now();
	for (int i = 0; !rc && i < r->s->iterations; i++)
		rc = call(r, w);
	if (!rc)
		rc = (int)synStreamSynchronize(r->stream);
	*seconds = (clock_now() - begin) / r->s->iterations;

	return bad(r, rc, shape_name(w->shape));
}

static int one(struct rank *r, uint32_t n, unsigned int shape, uint64_t bytes)
{
	struct what w = what_of(r, shape, bytes);
	struct result *result = &r->shared->results[n];
	double seconds = 0;
	bool wrong = false;
	int rc = r->s->unchecked ? 0 : verify(r, &w, &wrong);

	if (!rc && wrong)
		__atomic_fetch_add(&r->shared->wrong[n], 1, __ATOMIC_SEQ_CST);
	if (!rc && !r->s->check)
		rc = measure(r, &w, &seconds);
	if (!rc)
		rc = barrier(r);
	if (rc || r->rank)
		return rc;
	*result = (struct result) {
		.shape = (int32_t)shape,
		.bytes = bytes,
		.count = w.count,
		.seconds = seconds,
		.wrong = (int32_t)r->shared->wrong[n],
	};
	r->shared->num = n + 1;

	return 0;
}

static int all(struct rank *r)
{
	uint32_t n = 0;
	int rc = 0;

	for (unsigned int shape = 0; shape < SHAPES; shape++)
		for (uint64_t bytes = r->s->first;
		     r->s->shapes & 1u << shape && !rc && bytes <= r->s->last &&
		     n < MAX_RESULTS; bytes *= 2)
			rc = one(r, n++, shape, bytes);

	return rc;
}

static int begin(struct rank *r)
{
	hcclUniqueId id = {};
	synDeviceId device;

	if (synInitialize() || synDeviceAcquire(&device, NULL) ||
	    synStreamCreateGeneric(&r->stream, device, 0) ||
	    synDeviceMalloc(device, r->bytes, 0, 0, &r->send) ||
	    synDeviceMalloc(device, r->bytes, 0, 0, &r->recv) ||
	    synHostMalloc(device, r->bytes, 0, &r->memory)) {
		complain("rank %d has no card, or too little memory", r->rank);
		return -1;
	}
	if (!r->rank && bad(r, (int)hcclGetUniqueId(&id), "hcclGetUniqueId"))
		return -1;

	return bad(r, (int)hcclCommInitRank(&r->comm, r->ranks, id, r->rank),
		   "hcclCommInitRank");
}

static int rank_main(struct rank *r)
{
	int rc = begin(r);

	if (!rc)
		rc = all(r);
	if (!rc)
		rc = bad(r, (int)hcclCommDestroy(r->comm), "hcclCommDestroy");

	return rc ? 1 : 0;
}

int count_cards(void)
{
	uint32_t count;

	if (synInitialize() || synDeviceGetCount(&count) || synDestroy())
		return 0;

	return (int)count;
}

/* One that is free now, for the listener of rank 0. */
static int set_address(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t size = sizeof(a);
	char text[32];
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) ||
	    getsockname(fd, (struct sockaddr *)&a, &size)) {
		complain("there is no port to meet at");
		return -1;
	}
	close(fd);
	snprintf(text, sizeof(text), "127.0.0.1:%u", ntohs(a.sin_port));
	setenv("HCCL_COMM_ID", text, 1);
	setenv("HCCL_SOCKET_IFNAME", "lo", 1);

	return 0;
}

int run_ranks(const struct settings *s, struct result *results)
{
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int started = 0, failed = 0, status, num;

	if (shared == MAP_FAILED || set_address())
		return -1;
	fflush(stdout);
	for (; started < s->ranks; started++) {
		struct rank r = {
			.s = s,
			.shared = shared,
			.rank = started,
			.ranks = s->ranks,
			.bytes = s->last + 4096,
		};
		pid_t pid = fork();

		if (pid < 0)
			break;
		/* As a program of its own: with what libraries write at the end. */
		if (!pid)
			exit(rank_main(&r));
	}
	failed = started < s->ranks;
	for (int i = 0; i < started; i++)
		failed |= wait(&status) < 0 || status;
	num = failed ? -1 : (int)shared->num;
	memcpy(results, shared->results, sizeof(shared->results));
	munmap(shared, sizeof(*shared));

	return num;
}
