// SPDX-License-Identifier: MIT
/*
 * The constants of costs, measured: first rank 0 alone, while the others wait for a barrier,
 * then all ranks at the same time. Peers write to the second rows, all else is in the first
 * ones, so that nobody reads what is being written.
 */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "../control/control.h"
#include "tune.h"

#define TIMES		4u		/* the best of as many */
#define IN_A_ROW	4u		/* enqueued together */
#define LITTLE		512u		/* bytes */

struct tune {
	struct coll_comm *comm;
	struct gaudi_stream *stream;
	uint32_t bytes;
	uint32_t peers;			/* that are written to */
	bool waits;			/* for as many writes, which say so */
};

typedef int (*tune_fn)(const struct tune *t);

static gaudi_ptr row(const struct tune *t, uint32_t i)
{
	return t->comm->staging + coll_slot_offset(t->comm, 0, i);
}

static int copy(const struct tune *t)
{
	return coll_gaudi(gaudi_copy_device_async(t->stream, row(t, 1), row(t, 0),
						  t->bytes), "a copy");
}

static int reduce(const struct tune *t)
{
	const struct coll_comm *comm = t->comm;

	return coll_reduce_async(comm->reducer, t->stream, hcclFloat32, hcclSum,
				 row(t, 0), comm->ranks,
				 comm->staging + coll_out_offset(comm),
				 t->bytes / sizeof(float));
}

static int exchange(const struct tune *t)
{
	const struct coll_comm *comm = t->comm;
	struct gaudi_link_op ops[2 * COLL_MAX_RANKS];
	uint32_t num = 0;

	for (uint32_t i = 1; i <= t->peers; i++) {
		const struct coll_peer *peer =
			&comm->peers[(comm->rank + i) % comm->ranks];

		ops[num++] = (struct gaudi_link_op) {
			.link = peer->links[COLL_LINK_ALL],
			.kind = GAUDI_LINK_WRITE,
			.flags = t->waits ? GAUDI_LINK_NOTIFY : 0,
			.from = row(t, 0),
			.to = peer->staging + coll_slot_offset(comm, 1, comm->rank),
			.bytes = t->bytes,
		};
		if (t->waits)
			ops[num++] = (struct gaudi_link_op) {
				.link = peer->links[COLL_LINK_ALL],
				.kind = GAUDI_LINK_WAIT,
				.count = 1,
			};
	}

	return coll_gaudi(gaudi_link_post_async(t->stream, ops, num), "an exchange");
}

static uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);

	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static int in_a_row(const struct tune *t, tune_fn fn)
{
	int rc = 0;

	for (unsigned int i = 0; !rc && i < IN_A_ROW; i++)
		rc = fn(t);

	return rc ? rc : coll_gaudi(gaudi_stream_synchronize(t->stream),
				    "a stream");
}

/* What one takes. The first time, when things are made, does not count. */
static int measure(const struct tune *t, tune_fn fn, uint64_t *ns)
{
	uint64_t best = UINT64_MAX;
	int rc = in_a_row(t, fn);

	for (unsigned int i = 0; !rc && i < TIMES; i++) {
		uint64_t begin = now_ns();

		rc = in_a_row(t, fn);
		begin = now_ns() - begin;
		best = begin < best ? begin : best;
	}
	*ns = best / IN_A_ROW;

	return rc;
}

static int barrier(struct tune *t)
{
	const struct coll_op op = { .kind = COLL_BARRIER, .type = hcclInt32 };
	int rc = coll_run(t->comm, t->stream, &op);

	return rc ? rc : coll_gaudi(gaudi_stream_synchronize(t->stream),
				    "a stream");
}

/* All in ns. */
struct times {
	uint64_t one, each;		/* a small write to one peer, or each */
	uint64_t link, card;		/* a row to one, or each */
	uint64_t copy, copy_row;
	uint64_t reduce, reduce_row;
};

static int measure_all(struct tune *t, struct times *m)
{
	const uint32_t all = t->comm->ranks - 1;
	const uint32_t large = t->comm->settings.row_bytes;
	const struct {
		tune_fn fn;
		uint32_t bytes, peers;
		uint64_t *ns;
	} list[] = {
		{ exchange, 0, 1, &m->one }, { exchange, 0, all, &m->each },
		{ exchange, large, 1, &m->link }, { exchange, large, all, &m->card },
		{ copy, LITTLE, 0, &m->copy }, { copy, large, 0, &m->copy_row },
		{ reduce, LITTLE, 0, &m->reduce },
		{ reduce, large, 0, &m->reduce_row },
	};
	int rc = 0;

	t->waits = false;
	for (unsigned int i = 0; !rc && i < sizeof(list) / sizeof(list[0]); i++) {
		t->bytes = list[i].bytes;
		t->peers = list[i].peers;
		rc = measure(t, list[i].fn, list[i].ns);
	}

	return rc;
}

static uint64_t above(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static uint32_t limit(uint64_t value, uint64_t least, uint64_t most)
{
	value = value < least ? least : value;

	return (uint32_t)(value < most ? value : most);
}

static uint32_t together(uint64_t alone, uint64_t all, uint32_t ranks)
{
	return limit(100ull * ranks * alone / (all ? all : 1), 100, 100ull * ranks);
}

/* @round: an exchange of all ranks, empty, with its waits. */
static void fit(const struct coll_comm *comm, const struct times *alone,
		const struct times *all, uint64_t round, struct coll_costs *c)
{
	uint64_t ranks = comm->ranks, row = comm->settings.row_bytes;
	uint64_t write = above(alone->each, alone->one) / (ranks > 2 ? ranks - 2 : 1);
	uint64_t own;

	c->posts_together = together(alone->each + alone->copy + alone->reduce,
				     all->each + all->copy + all->reduce,
				     comm->ranks);
	c->bytes_together = together(alone->card + alone->copy_row +
				     alone->reduce_row, all->card + all->copy_row +
				     all->reduce_row, comm->ranks);
	own = round * c->posts_together / (100 * ranks);
	c->write_ns = limit(write, 0, UINT32_MAX);
	c->exchange_ns = limit(above(own, (ranks - 1) * write),
			       above(alone->one, write), UINT32_MAX);
	c->link_ps = limit(above(alone->link, alone->one) * 1000 / row, 1, UINT32_MAX);
	c->card_ps = limit(above(alone->card, alone->each) * 1000 /
			   (row * (ranks - 1)), 1, UINT32_MAX);
	c->copy_ns = limit(alone->copy, 1, UINT32_MAX);
	c->copy_ps = limit(above(alone->copy_row, alone->copy) * 1000 / row, 1,
			   UINT32_MAX);
	c->reduce_ns = limit(alone->reduce, 1, UINT32_MAX);
	c->reduce_ps = limit(above(alone->reduce_row, alone->reduce) * 1000 /
			     (row * ranks), 1, UINT32_MAX);
}

static int measure_here(struct tune *t, struct coll_costs *costs)
{
	struct times alone = {}, all = {};
	uint64_t round = 0;
	int rc = 0;

	if (!t->comm->rank)
		rc = measure_all(t, &alone);
	if (!rc)
		rc = barrier(t);
	if (!rc)
		rc = measure_all(t, &all);
	if (!rc)
		rc = barrier(t);
	t->bytes = 0;
	t->peers = t->comm->ranks - 1;
	t->waits = true;
	if (!rc)
		rc = measure(t, exchange, &round);
	if (!rc && !t->comm->rank)
		fit(t->comm, &alone, &all, round, costs);

	return rc;
}

/* By way of the cards, as by now the connections are the control's. */
static int share(struct tune *t, struct coll_costs *costs)
{
	struct coll_comm *comm = t->comm;
	const struct coll_op op = {
		.kind = COLL_BROADCAST,
		.type = hcclUint32,
		.count = sizeof(*costs) / sizeof(uint32_t),
		.send = comm->staging + coll_work_offset(comm),
		.recv = comm->staging + coll_work_offset(comm),
	};
	int rc = 0;

	if (!comm->rank)
		rc = coll_gaudi(gaudi_copy_to_device(comm->device, op.send, costs,
						     sizeof(*costs)), "constants");
	if (!rc)
		rc = coll_run(comm, t->stream, &op);
	if (!rc)
		rc = coll_gaudi(gaudi_stream_synchronize(t->stream), "a stream");

	return rc ? rc : coll_gaudi(gaudi_copy_to_host(comm->device, costs, op.recv,
						       sizeof(*costs)), "constants");
}

int coll_tune(struct coll_comm *comm)
{
	struct coll_costs costs = comm->settings.costs;
	struct tune t = { .comm = comm };
	int rc;

	if (comm->fabric)
		return coll_fail(-ENOTSUP, "GAUDI_COLL_TUNE: constants are measured in one box, and there are %u",
				 comm->boxes);
	rc = coll_gaudi(gaudi_stream_create(comm->device, &t.stream), "a stream");
	if (rc)
		return rc;
	rc = measure_here(&t, &costs);
	if (!rc)
		rc = share(&t, &costs);
	gaudi_stream_destroy(t.stream);
	if (atomic_load(&comm->failed))
		return coll_fail(GAUDI_ERR_LINK, "%s", comm->why);
	if (rc)
		return rc;
	comm->settings.costs = costs;
	memset(comm->choices, 0, sizeof(comm->choices));
	if (!comm->rank && *comm->settings.tune_path)
		rc = coll_costs_write(comm->settings.tune_path, &costs);

	return rc;
}
