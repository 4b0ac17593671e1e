// SPDX-License-Identifier: MIT
/*
 * HCCL's calls, with a thread for each card of this process. On cards of the process with knobs,
 * and in a guest.
 */
#include "coll_ranks.h"

/*
 * Tests
 */
static void all_shapes(struct rank *rank)
{
	static const size_t counts[] = { 0, 1, 7, 128, 1000, 5003 };
	static const hcclDataType_t types[] = {
		hcclFloat32, hcclBfloat16, hcclInt32, hcclUint32, hcclFloat16,
		hcclInt8, hcclUint8,
	};

	for (int shape = 0; shape < SHAPES; shape++)
		for (unsigned int i = 0; i < 6 * 7; i++) {
			struct what w = {
				.shape = (enum shape)shape,
				.type = types[i % 7],
				.op = i % 3 == 0 ? hcclSum : i % 3 == 1 ? hcclMin : hcclMax,
				.count = counts[i / 7],
				.root = (int)i % ranks,
				.in_place = i / 7 % 2,
				.seed = i,
			};

			run_it(rank, &w);
			if (*rank->why)
				return;
		}
}

static void every_collective(void **state)
{
	(void)state;
	meet_here();
	everywhere(all_shapes);
	everywhere(leave);
}

/* Larger than staging memory: several passes, the stream's thread enqueues. */
static void large(struct rank *rank)
{
	for (int shape = 0; shape < SHAPES; shape++) {
		struct what w = {
			.shape = (enum shape)shape,
			.type = shape & 1 ? hcclInt32 : hcclFloat32,
			.op = hcclSum,
			.count = 40003,
			.root = ranks - 1,
			.in_place = shape & 1,
			.seed = 77,
		};

		run_it(rank, &w);
		if (*rank->why)
			return;
	}
}

static void many_passes(void **state)
{
	(void)state;
	setenv("GAUDI_COLL_ROW", "8192", 1);
	meet_here();
	unsetenv("GAUDI_COLL_ROW");
	everywhere(large);
	everywhere(leave);
}

static void other_algorithms(void **state)
{
	static const char * const names[] = { "ring", "halving", "tree", "hierarchical" };

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		setenv("GAUDI_COLL_ALGORITHM", names[i], 1);
		setenv("GAUDI_COLL_ROW", "16384", 1);
		meet_here();
		unsetenv("GAUDI_COLL_ROW");
		unsetenv("GAUDI_COLL_ALGORITHM");
		everywhere(large);
		everywhere(leave);
	}
}

/* A program of collectives on two streams, several under way. */
#ifdef WITH_KNOBS
#define PROGRAM		60
#else
#define PROGRAM		40
#endif

static void random_program(struct rank *rank)
{
	struct running running[4] = {};
	uint64_t seed = 4711;

	for (unsigned int i = 0; i < PROGRAM; i++) {
		struct running *r = &running[i % 4];
		struct gaudi_stream *stream = rank->streams[i / 2 % 2];

		if (i >= 4)
			check(rank, r, rank->streams[(i - 4) / 2 % 2]);
		*r = (struct running) { .what = any_what(&seed, ranks, 3000) };
		if (i % 8 == 3)
			MUST_DO(rank, hcclGroupStart());
		if (!*rank->why)
			start(rank, r, stream);
		if (i % 8 == 5)
			MUST_DO(rank, hcclBarrier(rank->comm, stream));
		if (i % 8 == 3)
			MUST_DO(rank, hcclGroupEnd());
		if (*rank->why)
			return;
	}
	for (unsigned int i = PROGRAM; i < PROGRAM + 4; i++)
		check(rank, &running[i % 4], rank->streams[(i - 4) / 2 % 2]);
}

static void random_programs(void **state)
{
	(void)state;
	setenv("GAUDI_COLL_ROW", "4096", 1);
	meet_here();
	unsetenv("GAUDI_COLL_ROW");
	everywhere(random_program);
	everywhere(leave);
}

static float part_of(int rank, size_t i)
{
	return (float)value_of(9, rank, i) * 1.1f + (float)value_of(10, rank, i) * 1e-5f;
}

/* By boxes, each box is summed first. */
static float sum_of(const struct rank *rank, size_t i, size_t count)
{
	const struct coll_op op = { .kind = COLL_ALLREDUCE, .type = hcclFloat32,
				    .count = count };
	const struct coll_comm *comm = rank->comm;
	bool by_box = coll_choose(&comm->settings, (uint32_t)ranks, &op).algorithm ==
		      COLL_HIERARCHICAL;
	float sums[COLL_MOST] = {}, sum = 0;

	for (int r = 0; r < ranks; r++)
		sums[by_box ? comm->peers[r].box : 0] += part_of(r, i);
	for (int box = 0; box < ranks; box++)
		sum += sums[box];

	return sum;
}

/* Sums of numbers that are rounded: in the order of ranks, to the last bit. */
static void order(struct rank *rank)
{
	enum { N = 3000 };
	float *in = malloc(N * sizeof(*in)), *out = malloc(N * sizeof(*out));
	gaudi_ptr at;

	MUST_GOOD(rank, gaudi_malloc(rank->dev, N * sizeof(*in), &at));
	for (int round = 0; round < 2; round++) {
		/* In one exchange, and in two. */
		size_t count = round ? N : 500;

		for (size_t i = 0; i < count; i++)
			in[i] = part_of(rank->n, i);
		MUST_GOOD(rank, gaudi_copy_to_device_async(rank->streams[0], at, in,
							   count * sizeof(*in)));
		MUST_DO(rank, hcclAllReduce((void *)(uintptr_t)at,
					    (void *)(uintptr_t)at, count,
					    hcclFloat32, hcclSum, rank->comm,
					    rank->streams[0]));
		MUST_GOOD(rank, gaudi_copy_to_host_async(rank->streams[0], out, at,
							 count * sizeof(*in)));
		MUST_GOOD(rank, gaudi_stream_synchronize(rank->streams[0]));
		for (size_t i = 0; i < count; i++) {
			float sum = sum_of(rank, i, count);

			MUST(rank, out[i] == sum, "element %zu of %zu is %a, not %a",
			     i, count, out[i], sum);
		}
	}
	MUST_GOOD(rank, gaudi_free(rank->dev, at));
	free(in);
	free(out);
}

static void order_of_sums(void **state)
{
	(void)state;
	setenv("GAUDI_COLL_ALGORITHM", "direct", 1);
	meet_here();
	unsetenv("GAUDI_COLL_ALGORITHM");
	everywhere(order);
	everywhere(leave);
}

/* Constants: measured once, by all ranks, and read from the file the next time. */
static struct coll_costs taken[COLL_MOST];

static void take_costs(struct rank *rank)
{
	const struct coll_comm *comm = rank->comm;
	struct what w = {
		.shape = ALLREDUCE, .type = hcclFloat32, .op = hcclSum, .count = 900,
	};

	taken[rank->n] = comm->settings.costs;
	run_it(rank, &w);
}

static void not_measured(struct rank *rank)
{
	hcclResult_t result = hcclCommInitRank(&rank->comm, ranks, rank->id, rank->n);

	MUST(rank, result == hcclUnsupported &&
	     strstr(hcclGetLastErrorMessage(), "GAUDI_COLL_TUNE"),
	     "between boxes it is %d", (int)result);
}

static void measured_between_boxes(void)
{
	hcclUniqueId id;

	setenv("GAUDI_COLL_TUNE", "measure", 1);
	assert_int_equal(hcclGetUniqueId(&id), hcclSuccess);
	for (int i = 0; i < ranks; i++)
		all[i].id = id;
	everywhere(not_measured);
	unsetenv("GAUDI_COLL_TUNE");
}

static void measured_constants(void **state)
{
	char path[] = "/tmp/coll-costs.XXXXXX";
	struct coll_costs first;

	(void)state;
	if (getenv("COLL_TEST_BOXES")) {
		measured_between_boxes();
		return;
	}
	assert_int_equal(close(mkstemp(path)), 0);
	assert_int_equal(unlink(path), 0);
	setenv("GAUDI_COLL_TUNE", path, 1);
	setenv("GAUDI_COLL_ROW", "65536", 1);
	for (int round = 0; round < 2; round++) {
		memset(taken, 0, sizeof(taken));
		meet_here();
		everywhere(take_costs);
		everywhere(leave);
		for (int i = 0; i < ranks; i++)
			assert_memory_equal(&taken[i], &taken[0], sizeof(taken[0]));
		assert_int_equal(coll_costs_read(path, &first), 0);
		assert_memory_equal(&first, &taken[0], sizeof(first));
		assert_true(first.exchange_ns > 0 && first.card_ps > 0);
		assert_true(memcmp(&first, &coll_costs_usual, sizeof(first)) != 0);
	}
	unsetenv("GAUDI_COLL_TUNE");
	unsetenv("GAUDI_COLL_ROW");
	unlink(path);
}

/* Sends and receives: each to each, some several times, some larger than all mailboxes; to itself. */
static size_t letter(int from, int to, int k)
{
	return (size_t)((from * 7 + to * 13 + k) % 5) * 400003 % 1500001;
}

static void exchange(struct rank *rank)
{
	gaudi_ptr out[COLL_MOST][2] = {}, in[COLL_MOST][2] = {};
	uint8_t *bytes = malloc(1500001);

	for (int i = 0; i < ranks; i++)
		for (int k = 0; k < 2; k++) {
			size_t n = letter(rank->n, i, k);

			MUST_GOOD(rank, gaudi_malloc(rank->dev, n + 1, &out[i][k]));
			MUST_GOOD(rank, gaudi_malloc(rank->dev,
						     letter(i, rank->n, k) + 1,
						     &in[i][k]));
			for (size_t j = 0; j < n; j++)
				bytes[j] = (uint8_t)value_of((uint64_t)k + 5,
							     rank->n * 9 + i, j);
			MUST_GOOD(rank, gaudi_copy_to_device(rank->dev, out[i][k],
							     bytes, n));
		}
	MUST_DO(rank, hcclGroupStart());
	for (int k = 0; k < 2; k++)
		for (int i = 0; i < ranks; i++) {
			/* Odd ranks have a group for each peer of the second ones. */
			if (k && rank->n & 1) {
				MUST_DO(rank, hcclGroupEnd());
				MUST_DO(rank, hcclGroupStart());
			}
			/* In pairs of bytes: the odd one is left out. */
			MUST_DO(rank, hcclSend((void *)(uintptr_t)out[i][k],
					       letter(rank->n, i, k) / 2, hcclFloat16,
					       i, rank->comm, rank->streams[0]));
			MUST_DO(rank, hcclRecv((void *)(uintptr_t)in[i][k],
					       letter(i, rank->n, k) / 2, hcclFloat16,
					       i, rank->comm, rank->streams[0]));
		}
	MUST_DO(rank, hcclGroupEnd());
	MUST_GOOD(rank, gaudi_stream_synchronize(rank->streams[0]));
	for (int k = 0; k < 2; k++)
		for (int i = 0; i < ranks; i++) {
			size_t n = letter(i, rank->n, k) / 2 * 2;

			MUST_GOOD(rank, gaudi_copy_to_host(rank->dev, bytes,
							   in[i][k], n));
			for (size_t j = 0; j < n; j++)
				MUST(rank, bytes[j] ==
				     (uint8_t)value_of((uint64_t)k + 5, i * 9 + rank->n, j),
				     "byte %zu of %zu of letter %d from %d is wrong",
				     j, n, k, i);
			MUST_GOOD(rank, gaudi_free(rank->dev, in[i][k]));
			MUST_GOOD(rank, gaudi_free(rank->dev, out[i][k]));
		}
	free(bytes);
}

/* Without a group: round a ring, even ranks send first; and both ways on two streams. */
static void ring(struct rank *rank)
{
	int next = (rank->n + 1) % ranks, before = (rank->n + ranks - 1) % ranks;
	void *at[2];
	gaudi_ptr mem;

	MUST_GOOD(rank, gaudi_malloc(rank->dev, 8000, &mem));
	at[0] = (void *)(uintptr_t)mem;
	at[1] = (void *)(uintptr_t)(mem + 4000);
	for (int i = 0; i < 3; i++) {
		MUST_DO(rank, hcclRecv(at[1], 1000, hcclInt32, before, rank->comm,
				       rank->streams[1]));
		MUST_DO(rank, hcclSend(at[0], 1000, hcclInt32, next, rank->comm,
				       rank->streams[0]));
	}
	MUST_GOOD(rank, gaudi_stream_synchronize(rank->streams[0]));
	MUST_GOOD(rank, gaudi_stream_synchronize(rank->streams[1]));
	MUST_GOOD(rank, gaudi_free(rank->dev, mem));
}

static void sends_and_receives(void **state)
{
	(void)state;
	meet_here();
	everywhere(exchange);
	everywhere(ring);
	everywhere(exchange);
	everywhere(leave);
}

/* Two communicators at a time, one of fewer ranks in another order. */
static hcclComm_t second[COLL_MOST];
static hcclUniqueId second_id;

static void join_some(struct rank *rank)
{
	int error;

	if (!rank->n)
		return;
	/* What failed before is still the last error: nothing fails. */
	MUST(rank, gaudi_stream_query(NULL) == -EINVAL, "NULL is a stream");
	MUST_DO(rank, hcclCommInitRank(&second[rank->n], ranks - 1,
				       second_id, ranks - 1 - rank->n));
	MUST(rank, !strcmp(gaudi_last_error(&error), "the stream is NULL"),
	     "the last error is %d: %s", error, gaudi_last_error(NULL));
}

static void use_both(struct rank *rank)
{
	hcclComm_t both = rank->comm;
	const struct what w = { .shape = ALLREDUCE, .type = hcclInt32,
				.count = 2000, .seed = 3 };
	int who = rank->n, n = ranks;
	gaudi_ptr mem;
	int32_t one = 1 << rank->n, sum = 0;

	for (int i = 0; i < 3; i++) {
		run_it(rank, &w);
		if (!rank->n || *rank->why)
			continue;
		MUST_GOOD(rank, gaudi_malloc(rank->dev, 4, &mem));
		MUST_GOOD(rank, gaudi_copy_to_device(rank->dev, mem, &one, 4));
		MUST_DO(rank, hcclAllReduce((void *)(uintptr_t)mem,
					    (void *)(uintptr_t)mem, 1, hcclInt32,
					    hcclSum, second[rank->n],
					    rank->streams[1]));
		MUST_GOOD(rank, gaudi_stream_synchronize(rank->streams[1]));
		MUST_GOOD(rank, gaudi_copy_to_host(rank->dev, &sum, mem, 4));
		MUST(rank, sum == (1 << n) - 2, "sum %d of rank %d", sum, who);
		MUST_GOOD(rank, gaudi_free(rank->dev, mem));
	}
	rank->comm = both;
	if (rank->n)
		MUST_DO(rank, hcclCommDestroy(second[rank->n]));
}

static void two_communicators(void **state)
{
	(void)state;
	meet_here();
	assert_int_equal(hcclGetUniqueId(&second_id), hcclSuccess);
	everywhere(join_some);
	everywhere(use_both);
	everywhere(leave);
}

/*
 * Failures
 */
static const char *expected_word;

static void failed(struct rank *rank)
{
	struct gaudi_stream *s = rank->streams[0];
	hcclResult_t error = hcclSuccess;
	const char *why;

	for (int i = 0; !error && i < 12000; i++) {
		MUST_DO(rank, hcclCommGetAsyncError(rank->comm, &error));
		usleep(10000);
	}
	MUST(rank, error, "there is no error");
	why = hcclCommGetAsyncErrorMessage(rank->comm);
	MUST(rank, why && strstr(why, expected_word), "'%s' is not in '%s'",
	     expected_word, why ? why : "(none)");
	/* All ends, well if it was done before it was known; and nothing more is taken. */
	gaudi_stream_synchronize(s);
	MUST(rank, hcclBarrier(rank->comm, s) == error, "a barrier works");
}

static gaudi_ptr buffer_of(struct rank *rank)
{
	static gaudi_ptr at[COLL_MOST];

	if (!at[rank->n])
		gaudi_malloc(rank->dev, 65536, &at[rank->n]);

	return at[rank->n];
}

static bool summed[COLL_MOST];

static void sum(struct rank *rank)
{
	void *at = (void *)(uintptr_t)buffer_of(rank);

	/* Who is late hears of the failure here. */
	summed[rank->n] = !hcclAllReduce(at, at, 5000, hcclFloat32, hcclSum, rank->comm,
					 rank->streams[0]);
}

/* All but rank 1, which does what a test is about. */
static void sum_but_one(struct rank *rank)
{
	if (rank->n != 1)
		sum(rank);
}

static void sum_other_size(struct rank *rank)
{
	void *at = (void *)(uintptr_t)buffer_of(rank);

	/* Who is told before it is given is refused at once. */
	hcclAllReduce(at, at, rank->n == 1 ? 5001 : 5000, hcclFloat32, hcclSum,
		      rank->comm, rank->streams[0]);
}

static void other_collective(struct rank *rank)
{
	void *at = (void *)(uintptr_t)buffer_of(rank);

	if (rank->n == 1)
		hcclAllGather(at, (char *)at + 32768, 100, hcclFloat32, rank->comm,
			      rank->streams[0]);
	else
		hcclAllReduce(at, at, 100, hcclFloat32, hcclSum, rank->comm,
			      rank->streams[0]);
}

static void end_with(const char *word)
{
	expected_word = word;
	everywhere(failed);
	everywhere(give_up);
	/* A new one works. */
	meet_here();
	everywhere(order);
	everywhere(leave);
}

static void mismatch(void **state)
{
	(void)state;
	meet_here();
	everywhere(sum_other_size);
	end_with("5001");
	meet_here();
	everywhere(other_collective);
	end_with("allgather 1");
}

static void sum_or_leave(struct rank *rank)
{
	if (rank->n == 1)
		leave(rank);
	else
		sum(rank);
}

static void failed_or_left(struct rank *rank)
{
	if (!rank->comm)
		return;
	failed(rank);
	MUST(rank, !summed[rank->n] ||
		   gaudi_stream_synchronize(rank->streams[0]) == GAUDI_ERR_LINK,
	     "the stream has not failed, though rank 1's data never came");
}

static void give_up_if_there(struct rank *rank)
{
	if (rank->comm)
		give_up(rank);
}

/* Of rank 1, which has sent and received nothing; the send is more than its mailboxes take. */
static void receive_or_leave(struct rank *rank)
{
	summed[rank->n] = !rank->n;
	if (rank->n == 1)
		leave(rank);
	else if (!rank->n)
		MUST_DO(rank, hcclRecv((void *)(uintptr_t)buffer_of(rank), 1, hcclInt32, 1,
				       rank->comm, rank->streams[0]));
}

static void send_or_leave(struct rank *rank)
{
	static gaudi_ptr at;

	summed[rank->n] = !rank->n;
	if (rank->n == 1)
		leave(rank);
	if (rank->n)
		return;
	if (!at)
		MUST_GOOD(rank, gaudi_malloc(rank->dev, 2 << 20, &at));
	MUST_DO(rank, hcclSend((void *)(uintptr_t)at, 2 << 20, hcclInt8, 1, rank->comm,
			       rank->streams[0]));
}

static void ends_at_once(void (*fn)(struct rank *rank), const char *word)
{
	/* Long before the time-out. */
	meet_within("1000");
	everywhere(fn);
	expected_word = word;
	everywhere(failed_or_left);
	everywhere(give_up_if_there);
}

static void one_leaves(void **state)
{
	(void)state;
	ends_at_once(sum_or_leave, "rank 1 has left without it");
	ends_at_once(receive_or_leave,
		     "a receive (4 bytes) of rank 0 cannot end: rank 1 has left without it");
	ends_at_once(send_or_leave,
		     "a send (2097152 bytes) of rank 0 cannot end: rank 1 has left without it");
}

static void send_to_last(struct rank *rank)
{
	if (!rank->n)
		MUST_DO(rank, hcclSend((void *)(uintptr_t)buffer_of(rank), 1, hcclInt32, ranks - 1,
				       rank->comm, rank->streams[0]));
}

/* How many messages go on at a time in these tests: more than anybody looks at singly. */
#define MANY	40

static void receive_many(struct rank *rank)
{
	gaudi_ptr at = buffer_of(rank);

	for (int i = 0; rank->n == ranks - 1 && i < MANY; i++)
		MUST_DO(rank, hcclRecv((void *)(uintptr_t)at, 1, hcclInt32, 0, rank->comm,
				       rank->streams[0]));
}

static void send_one_less(struct rank *rank)
{
	gaudi_ptr at = buffer_of(rank);

	/* Who is late hears of the failure here. */
	for (int i = 0; !rank->n && i < MANY - 1; i++)
		hcclSend((void *)(uintptr_t)at, 1, hcclInt32, ranks - 1, rank->comm,
			 rank->streams[0]);
}

static void one_never_comes(void **state)
{
	char culprit[80];

	(void)state;
	/* Longer than any other rank may be late on a busy machine. */
	meet_within("4");
	everywhere(sum_but_one);
	end_with("rank 1 has not called it");
	/* Its mailboxes have room for what nobody receives. */
	meet_within("1");
	everywhere(send_to_last);
	snprintf(culprit, sizeof(culprit), "a send of rank 0 has ended 1 s ago: rank %d",
		 ranks - 1);
	end_with(culprit);
	/*
	 * All that are called are watched, however many. No send ends so long before rank 0
	 * knows that it is received.
	 */
	meet_within("4");
	everywhere(receive_many);
	everywhere(send_one_less);
	end_with("a receive (4 bytes) with rank 0 has not ended in 4 s");
}

/* Nobody may have looked at those that have ended when the next one fails. */
#define SUMS_BEFORE	20

static void sums_before(struct rank *rank)
{
	for (int i = 0; i < SUMS_BEFORE; i++)
		sum(rank);
	MUST_GOOD(rank, gaudi_stream_synchronize(rank->streams[0]));
}

/* As if rank 1's process had been killed: its connections end. */
static void one_dies(void **state)
{
	struct coll_comm *comm;
	char at[40], none[40];

	(void)state;
	meet_here();
	everywhere(sums_before);
	everywhere(sum_but_one);
	comm = all[1].comm;
	snprintf(at, sizeof(at), "is at allreduce %d (", SUMS_BEFORE + 1);
	/* Rank 1 lives, and may tell one of the others before all its connections have ended. */
	snprintf(none, sizeof(none), "rank 1 is at none, %d have ended", SUMS_BEFORE);
	for (int i = 0; i < ranks; i++)
		if (i != 1)
			shutdown(comm->peers[i].fd, SHUT_RDWR);
	for (int i = 0; i < ranks; i++) {
		const char *why;

		while (!(why = hcclCommGetAsyncErrorMessage(all[i].comm)))
			usleep(10000);
		if (i != 1) {
			assert_non_null(strstr(why, "has ended"));
			assert_non_null(strstr(why, "rank 1"));
			if (!strstr(why, at) && !strstr(why, none))
				fail_msg("rank %d: %s", i, why);
			/* The stream says it, too: who waits for it may not know of HCCL. */
			if (gaudi_stream_synchronize(all[i].streams[0]))
				assert_non_null(strstr(gaudi_last_error(NULL), "rank 1"));
		}
	}
	everywhere(give_up);
}

/* Devices are released while communicators have work: they end with it. */
static void release(struct rank *rank)
{
	hcclComm_t comm = rank->comm;
	int n;

	on_release(rank->dev);
	MUST(rank, hcclCommCount(comm, &n) == hcclInvalidArgument,
	     "the communicator is still there");
	MUST(rank, hcclCommDestroy(comm) == hcclInvalidArgument, "it ends twice");
	rank->comm = NULL;
	for (int i = 0; i < 2; i++) {
		gaudi_stream_destroy(rank->streams[i]);
		MUST_GOOD(rank, gaudi_stream_create(rank->dev, &rank->streams[i]));
	}
}

static void devices_are_released(void **state)
{
	(void)state;
	meet_here();
	everywhere(sum_but_one);
	everywhere(release);
	meet_here();
	everywhere(order);
	everywhere(leave);
}

static void link_is_pulled(void **state)
{
	const char *which = "link of rank 0";
	struct coll_comm *comm;

	(void)state;
	meet_here();
	comm = all[0].comm;
	if (comm->fabric) {
		which = "between ranks 0 and";
		coll_fabric_stop(comm->fabric);
		everywhere(sum);
	} else {
		everywhere(sum_but_one);
		gaudi_link_abort(comm->peers[ranks - 1].links[COLL_LINK_ALL]);
	}
	for (int i = 0; i < ranks; i++) {
		const char *why;

		while (!(why = hcclCommGetAsyncErrorMessage(all[i].comm)))
			usleep(10000);
		assert_non_null(strstr(why, "allreduce 1"));
		assert_non_null(strstr(why, which));
	}
	everywhere(give_up);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_collective),
		cmocka_unit_test(many_passes),
		cmocka_unit_test(other_algorithms),
		cmocka_unit_test(random_programs),
		cmocka_unit_test(order_of_sums),
		cmocka_unit_test(measured_constants),
		cmocka_unit_test(sends_and_receives),
		cmocka_unit_test(two_communicators),
		cmocka_unit_test(mismatch),
		cmocka_unit_test(one_never_comes),
		cmocka_unit_test(one_leaves),
		cmocka_unit_test(one_dies),
		cmocka_unit_test(link_is_pulled),
		cmocka_unit_test(devices_are_released),
	};

	return RUN_TESTS(tests, set_up, tear_down);
}
