/* SPDX-License-Identifier: MIT */
/*
 * Ranks as threads, each with a card of its own: syn_*() below give it to them. And
 * collectives whose results are known.
 */
#ifndef RUNTIME_COLL_RANKS_H
#define RUNTIME_COLL_RANKS_H

#include <errno.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#ifdef WITH_KNOBS
#include "card.h"
#endif
#include "common.h"
#include "coll/base/net.h"
#include "coll/hccl/hccl_calls.h"
#include "coll/meet/bootstrap.h"
#include "synapse/syn_internal.h"
#include "tools/gaudi-coll/data.h"

struct rank {
	int n;
	pthread_t thread;
	void (*fn)(struct rank *rank);
	struct gaudi_device *dev;
	struct gaudi_stream *streams[2];
	hcclUniqueId id;
	hcclComm_t comm;
	char why[400];
};

/* Of all ranks, those of this process: from @first_here on. Most programs have all. */
static struct rank all[COLL_MOST];
static int ranks, here, first_here, most_here = COLL_MOST;
static _Thread_local struct rank *self;

/*
 * In the place of Synapse's calls
 */
struct gaudi_device *syn_device_get(void)
{
	return self ? self->dev : NULL;
}

void syn_device_put(void)
{
}

struct gaudi_stream *syn_stream_get(void *handle)
{
	return handle && self && (handle == self->streams[0] ||
				  handle == self->streams[1]) ? handle : NULL;
}

void syn_stream_put(void *handle)
{
	(void)handle;
}

static _Atomic syn_release_fn on_release;

void syn_on_release(syn_release_fn fn)
{
	atomic_store(&on_release, fn);
}

#ifdef WITH_KNOBS
/* libfabric, which no sanitizer was built into, keeps some of its own at the end. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libfabric.so\n";
}

const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
	return "called_from_lib:libfabric.so\nmutex:_dl_call_fini\n";
}

/* In the place of identity.c: in which box each rank is, "0011". None: all in one. */
int coll_identify(struct coll_identity *identity)
{
	const char *boxes = getenv("COLL_TEST_BOXES");

	memset(identity, 0, sizeof(*identity));
	if (boxes && self)
		identity->box[0] = boxes[self->n];

	return 0;
}
#endif

/*
 * What all ranks do at the same time
 */
#define MUST(rank, condition, ...)						\
	do {									\
		if (!(condition)) {						\
			if (!*(rank)->why)					\
				snprintf((rank)->why, sizeof((rank)->why),	\
					 __VA_ARGS__);				\
			return;							\
		}								\
	} while (0)
#define MUST_DO(rank, call)							\
	do {									\
		hcclResult_t result_ = call;					\
		MUST(rank, !result_, "%s: %d, %s", #call, (int)result_,		\
		     hcclGetLastErrorMessage() ? hcclGetLastErrorMessage() : "");	\
	} while (0)
#define MUST_GOOD(rank, call) \
	MUST(rank, !(call), "%s: %s", #call, gaudi_last_error(NULL))
#define IS(call, wanted) do {							\
		hcclResult_t is_ = call;					\
		MUST(rank, is_ == (wanted), "%s is %d", #call, (int)is_);	\
	} while (0)
#define TOLD(text)								\
	MUST(rank, hcclGetLastErrorMessage() &&					\
		   strstr(hcclGetLastErrorMessage(), text), "'%s' is not in '%s'",	\
	     text, hcclGetLastErrorMessage() ? hcclGetLastErrorMessage() : "(none)")

static void *main_of(void *arg)
{
	self = arg;
	self->fn(self);

	return NULL;
}

static void everywhere(void (*fn)(struct rank *rank))
{
	for (int i = 0; i < here; i++) {
		all[i].fn = fn;
		*all[i].why = '\0';
		assert_int_equal(pthread_create(&all[i].thread, NULL, main_of,
						&all[i]), 0);
	}
	for (int i = 0; i < here; i++)
		pthread_join(all[i].thread, NULL);
	for (int i = 0; i < here; i++)
		if (*all[i].why)
			fail_msg("rank %d: %s", i, all[i].why);
}

static void join(struct rank *rank)
{
	MUST_DO(rank, hcclCommInitRank(&rank->comm, ranks, rank->id, rank->n));
}

static inline void leave(struct rank *rank)
{
	MUST_DO(rank, hcclCommDestroy(rank->comm));
	rank->comm = NULL;
}

/* Those with work that was given up have failed. */
static inline void new_streams(struct rank *rank)
{
	for (int i = 0; i < 2; i++) {
		gaudi_stream_destroy(rank->streams[i]);
		MUST_GOOD(rank, gaudi_stream_create(rank->dev, &rank->streams[i]));
	}
}

static inline void give_up(struct rank *rank)
{
	MUST_DO(rank, hcclCommAbort(rank->comm));
	rank->comm = NULL;
	new_streams(rank);
}

static inline void meet_here(void)
{
	hcclUniqueId id;

	assert_int_equal(hcclGetUniqueId(&id), hcclSuccess);
	for (int i = 0; i < here; i++)
		all[i].id = id;
	everywhere(join);
}

/* Of a communicator whose calls fail after so many seconds. */
static inline void meet_within(const char *seconds)
{
	setenv("GAUDI_COLL_TIMEOUT", seconds, 1);
	meet_here();
	unsetenv("GAUDI_COLL_TIMEOUT");
}

/* Enqueued, with what it needs before and behind it. */
struct running {
	struct what what;
	gaudi_ptr send, recv;
	void *in, *out;
};

static void start(struct rank *rank, struct running *r, struct gaudi_stream *stream)
{
	const struct what *w = &r->what;
	size_t size = size_of(w->type);
	size_t send = send_count(w, ranks) * size, recv = recv_count(w, ranks) * size;

	r->in = malloc(send + 1);
	r->out = malloc(recv + 1);
	fill_send(w, ranks, rank->n, r->in);
	if (w->in_place) {
		MUST_GOOD(rank, gaudi_malloc(rank->dev, send + recv + 64, &r->send));
		r->recv = r->send;
		r->send += send_at(w, rank->n);
		r->recv += recv_at(w, rank->n);
	} else {
		MUST_GOOD(rank, gaudi_malloc(rank->dev, send + 64, &r->send));
		MUST_GOOD(rank, gaudi_malloc(rank->dev, recv + 64, &r->recv));
	}
	MUST_GOOD(rank, gaudi_copy_to_device_async(stream, r->send, r->in, send));
	MUST_DO(rank, call_it(w, ranks, (void *)(uintptr_t)r->send,
			      (void *)(uintptr_t)r->recv, rank->comm, stream));
}

static void check(struct rank *rank, struct running *r, struct gaudi_stream *stream)
{
	const struct what *w = &r->what;
	size_t recv = recv_count(w, ranks) * size_of(w->type);
	long long wrong;

	MUST_GOOD(rank, gaudi_copy_to_host_async(stream, r->out, r->recv, recv));
	MUST_GOOD(rank, gaudi_stream_synchronize(stream));
	wrong = first_wrong(w, ranks, rank->n, r->out);
	MUST(rank, wrong < 0, "shape %d, type %d, op %d, root %d, %zu elements, in place %d: element %lld is wrong",
	     w->shape, w->type, w->op, w->root, w->count, w->in_place, wrong);
	MUST_GOOD(rank, gaudi_free(rank->dev, w->in_place ?
				   (recv_at(w, rank->n) ? r->send : r->recv) : r->send));
	if (!w->in_place)
		MUST_GOOD(rank, gaudi_free(rank->dev, r->recv));
	free(r->in);
	free(r->out);
}

static inline void run_it(struct rank *rank, const struct what *what)
{
	struct running r = { .what = *what };

	start(rank, &r, rank->streams[0]);
	if (!*rank->why)
		check(rank, &r, rank->streams[0]);
}

/*
 * Of all tests of a program
 */
static inline int set_up(void **state)
{
	uint32_t count;
	int rc;

	(void)state;
#ifdef WITH_KNOBS
	card_set_up(state);
	card.cards = 4;
	card.monitors = 128;
#endif
	rc = gaudi_device_count(&count);
	here = (int)count < most_here ? (int)count : most_here;
	ranks = here;
	for (int i = 0; !rc && i < here; i++) {
		all[i].n = first_here + i;
		rc = gaudi_device_open((uint32_t)i, 60000, &all[i].dev);
		for (int k = 0; !rc && k < 2; k++)
			rc = gaudi_stream_create(all[i].dev, &all[i].streams[k]);
	}

	return rc;
}

static inline int tear_down(void **state)
{
	int rc = 0;

	(void)state;
	for (int i = 0; i < here; i++)
		rc |= gaudi_device_close(all[i].dev);

	return rc;
}

#endif /* RUNTIME_COLL_RANKS_H */
