// SPDX-License-Identifier: MIT
/*
 * Collectives in captured graphs, with a thread for each card of this process; in one box, or
 * in those that COLL_TEST_BOXES says.
 */
#include "coll_ranks.h"
#include "gaudi_graph.h"

#define COUNT		3000u		/* several passes with a row of 4 KiB */
#define REPLAYS		100u

#define CALLS		5

struct captured {
	struct what what[CALLS];
	gaudi_ptr send[CALLS], recv[CALLS];
	size_t in_bytes[CALLS], out_bytes[CALLS];
	void *in, *out;
	struct gaudi_graph *graph;
};

/* One after the other; the first one's exchanges are odd with one of its algorithms. */
static struct captured make(struct rank *rank)
{
	struct captured c = {
		.what = {
			{ .shape = BROADCAST, .type = hcclInt32, .count = COUNT },
			{ .shape = ALLREDUCE, .type = hcclFloat32, .op = hcclSum,
			  .count = COUNT },
			{ .shape = ALLGATHER, .type = hcclInt32, .count = 800 },
			{ .shape = REDUCE_SCATTER, .type = hcclInt32, .op = hcclSum,
			  .count = 500 },
			{ .shape = ALLTOALL, .type = hcclInt8, .count = 5000 },
		},
	};
	size_t in = 0, out = 0;

	for (int i = 0; i < CALLS; i++) {
		c.in_bytes[i] = send_count(&c.what[i], ranks) * size_of(c.what[i].type);
		c.out_bytes[i] = recv_count(&c.what[i], ranks) * size_of(c.what[i].type);
		in = c.in_bytes[i] > in ? c.in_bytes[i] : in;
		out = c.out_bytes[i] > out ? c.out_bytes[i] : out;
		gaudi_malloc(rank->dev, c.in_bytes[i], &c.send[i]);
		gaudi_malloc(rank->dev, c.out_bytes[i], &c.recv[i]);
	}
	c.in = malloc(in);
	c.out = malloc(out);

	return c;
}

static void free_all(struct rank *rank, struct captured *c)
{
	for (int i = 0; i < CALLS; i++) {
		gaudi_free(rank->dev, c->send[i]);
		gaudi_free(rank->dev, c->recv[i]);
	}
	free(c->in);
	free(c->out);
}

static void capture(struct rank *rank, struct captured *c)
{
	MUST_GOOD(rank, gaudi_stream_begin_capture(rank->streams[0]));
	for (int i = 0; i < CALLS; i++)
		MUST_DO(rank, call_it(&c->what[i], ranks,
				      (void *)(uintptr_t)c->send[i],
				      (void *)(uintptr_t)c->recv[i], rank->comm,
				      rank->streams[0]));
	MUST_GOOD(rank, gaudi_stream_end_capture(rank->streams[0], &c->graph));
}

static void replay(struct rank *rank, struct captured *c, uint64_t seed)
{
	for (int i = 0; i < CALLS; i++) {
		c->what[i].seed = seed + (uint64_t)i;
		fill_send(&c->what[i], ranks, rank->n, c->in);
		MUST_GOOD(rank, gaudi_copy_to_device(rank->dev, c->send[i], c->in,
						     c->in_bytes[i]));
	}
	MUST_GOOD(rank, gaudi_graph_launch(c->graph, rank->streams[1]));
	MUST_GOOD(rank, gaudi_stream_synchronize(rank->streams[1]));
	for (int i = 0; i < CALLS; i++) {
		long long wrong;

		MUST_GOOD(rank, gaudi_copy_to_host(rank->dev, c->out, c->recv[i],
						   c->out_bytes[i]));
		wrong = first_wrong(&c->what[i], ranks, rank->n, c->out);
		MUST(rank, wrong < 0, "collective %d of launch %llu: element %lld is wrong",
		     i, (unsigned long long)seed, wrong);
	}
}

/* With others between them that are called, of an odd number of exchanges. */
static void replays(struct rank *rank)
{
	struct captured c = make(rank);
	struct what between = {
		.shape = ALLGATHER, .type = hcclUint32, .count = 700,
	};

	capture(rank, &c);
	for (unsigned int i = 0; !*rank->why && i < REPLAYS; i++) {
		replay(rank, &c, i);
		between.seed = i;
		if (!*rank->why && i % 8 < 3)
			run_it(rank, &between);
	}
	if (*rank->why)
		return;
	/* The communicator stays as long as there is the graph. */
	MUST(rank, hcclCommDestroy(rank->comm) == hcclBusy, "a graph's communicator ends");
	replay(rank, &c, REPLAYS);
	MUST_GOOD(rank, gaudi_graph_destroy(c.graph));
	free_all(rank, &c);
}

static void replayed(void **state)
{
	static const char * const algorithms[] = { "direct", "tree", "hierarchical" };

	(void)state;
	for (int i = 0; i < (getenv("COLL_TEST_BOXES") ? 3 : 2); i++) {
		setenv("GAUDI_COLL_ROW", "4096", 1);
		setenv("GAUDI_COLL_ALGORITHM", algorithms[i], 1);
		meet_here();
		unsetenv("GAUDI_COLL_ROW");
		unsetenv("GAUDI_COLL_ALGORITHM");
		everywhere(replays);
		everywhere(leave);
	}
}

/* Rank 0 does not: the others are told, and end. */
static void replay_but_one(struct rank *rank)
{
	struct captured c = make(rank);
	hcclResult_t error = hcclSuccess;

	capture(rank, &c);
	replay(rank, &c, 1);
	if (*rank->why)
		return;
	if (rank->n)
		MUST_GOOD(rank, gaudi_graph_launch(c.graph, rank->streams[1]));
	for (int i = 0; !error && i < 600; i++) {
		hcclCommGetAsyncError(rank->comm, &error);
		usleep(100000);
	}
	MUST(rank, error == hcclSystemError, "error %d", (int)error);
	MUST(rank, strstr(hcclCommGetAsyncErrorMessage(rank->comm), "captured collective"),
	     "%s", hcclCommGetAsyncErrorMessage(rank->comm));
	/* The communicator may go before the graph, which is of no use then. */
	MUST_DO(rank, hcclCommAbort(rank->comm));
	rank->comm = NULL;
	MUST(rank, gaudi_graph_launch(c.graph, rank->streams[0]), "a graph of none is launched");
	gaudi_graph_destroy(c.graph);
	free_all(rank, &c);
}

static void one_does_not_launch(void **state)
{
	(void)state;
	/* Longer than any other rank may be late on a busy machine. */
	meet_within("5");
	everywhere(replay_but_one);
	everywhere(new_streams);
	/* Those who are left are all. */
	meet_here();
	everywhere(leave);
}

/* Rank 1 calls what the others capture; or captures less of it. */
static bool captures_less;

static void capture_but_one(struct rank *rank)
{
	struct captured c = make(rank);
	hcclResult_t error = hcclSuccess;
	const char *why;

	if (captures_less)
		c.what[0].count -= rank->n == 1;
	if (rank->n != 1 || captures_less)
		MUST_GOOD(rank, gaudi_stream_begin_capture(rank->streams[0]));
	/* Refused, if it is known by then. */
	call_it(&c.what[0], ranks, (void *)(uintptr_t)c.send[0],
		(void *)(uintptr_t)c.recv[0], rank->comm, rank->streams[0]);
	if (rank->n != 1 || captures_less)
		gaudi_stream_end_capture(rank->streams[0], &c.graph);
	for (int i = 0; !error && i < 600; i++) {
		hcclCommGetAsyncError(rank->comm, &error);
		usleep(100000);
	}
	MUST(rank, error == hcclInvalidUsage, "error %d", (int)error);
	why = hcclCommGetAsyncErrorMessage(rank->comm);
	MUST(rank, strstr(why, "captured broadcast"), "%s", why);
	MUST(rank, !captures_less || (strstr(why, "(2999 int32)") && strstr(why, "(3000 int32)")),
	     "%s", why);
	gaudi_graph_destroy(c.graph);
	free_all(rank, &c);
}

static void one_does_not_capture(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		captures_less = i;
		meet_here();
		everywhere(capture_but_one);
		everywhere(give_up);
	}
}

/* Bytes of each of three letters: of one mailbox, of more than a peer has, of one again. */
static const size_t letters[] = { 3000, (5 << 18) + 4, 40 };

/* Where those of a pair lie, to @peer or from it. */
static gaudi_ptr letter_at(gaudi_ptr all, int peer, int k)
{
	return all + ((gaudi_ptr)peer * 3 + (gaudi_ptr)k) * (6 << 18);
}

/*
 * Everybody writes three letters to everybody. Even ranks have all in one group, odd ones a group for
 * each letter: only the order of a pair's counts.
 */
static void write_letters(struct rank *rank, gaudi_ptr out, gaudi_ptr in)
{
	bool many = rank->n & 1;

	if (!many)
		MUST_DO(rank, hcclGroupStart());
	for (int k = 0; k < 3; k++) {
		if (many)
			MUST_DO(rank, hcclGroupStart());
		for (int i = 0; i < ranks; i++) {
			MUST_DO(rank, hcclSend((void *)(uintptr_t)letter_at(out, i, k),
					       letters[k] / 2, hcclFloat16, i,
					       rank->comm, rank->streams[0]));
			MUST_DO(rank, hcclRecv((void *)(uintptr_t)letter_at(in, i, k),
					       letters[k] / 2, hcclFloat16, i,
					       rank->comm, rank->streams[0]));
		}
		if (many)
			MUST_DO(rank, hcclGroupEnd());
	}
	if (!many)
		MUST_DO(rank, hcclGroupEnd());
}

/* The first byte of each 1,000 tells whose it is, and which launch's. */
static uint8_t stamp(int from, int to, int k, unsigned int launch, size_t at)
{
	return (uint8_t)(from * 59 + to * 31 + k * 7 + (int)launch * 3 + (int)(at / 1000));
}

static void put_stamps(struct rank *rank, gaudi_ptr out, unsigned int launch,
		       uint8_t *bytes)
{
	for (int i = 0; i < ranks; i++)
		for (int k = 0; k < 3; k++) {
			for (size_t at = 0; at < letters[k]; at += 1000)
				bytes[at] = stamp(rank->n, i, k, launch, at);
			MUST_GOOD(rank, gaudi_copy_to_device(rank->dev,
							     letter_at(out, i, k), bytes,
							     letters[k]));
		}
}

static void check_stamps(struct rank *rank, gaudi_ptr in, unsigned int launch,
			 uint8_t *bytes)
{
	for (int i = 0; i < ranks; i++)
		for (int k = 0; k < 3; k++) {
			MUST_GOOD(rank, gaudi_copy_to_host(rank->dev, bytes,
							   letter_at(in, i, k), letters[k]));
			for (size_t at = 0; at < letters[k]; at += 1000)
				MUST(rank, bytes[at] == stamp(i, rank->n, k, launch, at),
				     "launch %u: byte %zu of letter %d from %d is wrong",
				     launch, at, k, i);
		}
}

#define LETTERS		6u

/* With called ones between launches, which match among themselves. */
static void replay_letters(struct rank *rank)
{
	struct gaudi_graph *graph = NULL;
	uint8_t *bytes = calloc(1, 6 << 18);
	gaudi_ptr out, in;
	size_t all_bytes = (size_t)ranks * 3 * (6 << 18);

	MUST_GOOD(rank, gaudi_malloc(rank->dev, all_bytes, &out));
	MUST_GOOD(rank, gaudi_malloc(rank->dev, all_bytes, &in));
	MUST_GOOD(rank, gaudi_stream_begin_capture(rank->streams[0]));
	write_letters(rank, out, in);
	MUST_GOOD(rank, gaudi_stream_end_capture(rank->streams[0], &graph));
	for (unsigned int i = 0; !*rank->why && i < 3 * LETTERS; i++) {
		put_stamps(rank, out, i, bytes);
		if (i % 3 == 2)
			write_letters(rank, out, in);
		else
			MUST_GOOD(rank, gaudi_graph_launch(graph, rank->streams[0]));
		MUST_GOOD(rank, gaudi_stream_synchronize(rank->streams[0]));
		check_stamps(rank, in, i, bytes);
	}
	if (*rank->why)
		return;
	MUST(rank, hcclCommDestroy(rank->comm) == hcclBusy, "a graph's communicator ends");
	MUST_GOOD(rank, gaudi_graph_destroy(graph));
	MUST_GOOD(rank, gaudi_free(rank->dev, out));
	MUST_GOOD(rank, gaudi_free(rank->dev, in));
	free(bytes);
}

static void sends_are_replayed(void **state)
{
	(void)state;
	meet_here();
	everywhere(replay_letters);
	everywhere(leave);
}

/*
 * A branch of a graph waits for no other stream: what is called of one communicator comes before a
 * graph with another one's on rank 0, and behind it on the others, which wait for the graph before.
 */
static hcclComm_t second[COLL_MOST];

static void meet_again(struct rank *rank)
{
	hcclComm_t first = rank->comm;

	join(rank);
	second[rank->n] = rank->comm;
	rank->comm = first;
}

static void sum_ranks(struct rank *rank, hcclComm_t comm, gaudi_ptr at,
		      struct gaudi_stream *stream)
{
	MUST_DO(rank, hcclAllReduce((void *)(uintptr_t)at, (void *)(uintptr_t)(at + 4), 1,
				    hcclInt32, hcclSum, comm, stream));
}

/* Captured on the first stream, but that the sum is on a branch of it. */
static struct gaudi_graph *on_a_branch(struct rank *rank, hcclComm_t comm, gaudi_ptr at)
{
	struct gaudi_graph *graph = NULL;
	struct gaudi_event *order;

	gaudi_event_create(rank->dev, 0, &order);
	gaudi_stream_begin_capture(rank->streams[0]);
	gaudi_fill_async(rank->streams[0], at + 4, 0, 4, 1);
	gaudi_event_record(order, rank->streams[0]);
	gaudi_stream_wait_event(rank->streams[1], order);
	sum_ranks(rank, comm, at, rank->streams[1]);
	gaudi_event_record(order, rank->streams[1]);
	gaudi_stream_wait_event(rank->streams[0], order);
	gaudi_stream_end_capture(rank->streams[0], &graph);
	gaudi_event_destroy(order);

	return graph;
}

static void is_sum(struct rank *rank, gaudi_ptr at)
{
	int32_t sum = 0;

	MUST_GOOD(rank, gaudi_copy_to_host(rank->dev, &sum, at + 4, 4));
	MUST(rank, sum == ranks * (ranks + 1) / 2, "the sum is %d", sum);
	MUST_GOOD(rank, gaudi_fill(rank->dev, at + 4, 0, 4, 1));
}

static void before_or_behind(struct rank *rank)
{
	struct gaudi_stream **s = rank->streams;
	struct gaudi_graph *graph;
	gaudi_ptr at[2];

	for (int i = 0; i < 2; i++) {
		MUST_GOOD(rank, gaudi_malloc(rank->dev, 8, &at[i]));
		MUST_GOOD(rank, gaudi_fill(rank->dev, at[i], (uint64_t)rank->n + 1, 4, 1));
	}
	graph = on_a_branch(rank, rank->comm, at[0]);
	MUST(rank, graph, "no graph: %s", gaudi_last_error(NULL));
	for (int turn = 0; turn < 3; turn++) {
		if (!rank->n)
			sum_ranks(rank, second[0], at[1], s[1]);
		MUST_GOOD(rank, gaudi_graph_launch(graph, s[0]));
		if (rank->n) {
			MUST_GOOD(rank, gaudi_stream_synchronize(s[0]));
			sum_ranks(rank, second[rank->n], at[1], s[1]);
		}
		MUST_GOOD(rank, gaudi_stream_synchronize(s[0]));
		MUST_GOOD(rank, gaudi_stream_synchronize(s[1]));
		is_sum(rank, at[0]);
		is_sum(rank, at[1]);
	}
	MUST_GOOD(rank, gaudi_graph_destroy(graph));
	for (int i = 0; i < 2; i++)
		MUST_GOOD(rank, gaudi_free(rank->dev, at[i]));
	MUST_DO(rank, hcclCommDestroy(second[rank->n]));
}

static void branches_wait_for_no_stream(void **state)
{
	hcclUniqueId id;

	(void)state;
	setenv("GAUDI_COLL_TIMEOUT", "10", 1);
	meet_here();
	assert_int_equal(hcclGetUniqueId(&id), hcclSuccess);
	for (int i = 0; i < here; i++)
		all[i].id = id;
	everywhere(meet_again);
	unsetenv("GAUDI_COLL_TIMEOUT");
	everywhere(before_or_behind);
	everywhere(leave);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replayed),
		cmocka_unit_test(sends_are_replayed),
		cmocka_unit_test(branches_wait_for_no_stream),
		cmocka_unit_test(one_does_not_launch),
		cmocka_unit_test(one_does_not_capture),
	};

	return RUN_TESTS(tests, set_up, tear_down);
}
