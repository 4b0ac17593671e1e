// SPDX-License-Identifier: MIT
/*
 * Ranks of several processes, each of which has a box with cards, and a thread for each card:
 * one of a launcher's, by its variables, or FIRST (rank), TOTAL (ranks). With knobs
 * (tests/unit/runtime/card.h) it has CARDS cards. Without MPI only process 0 has an id, so the others find the listener as
 * the environment says.
 *
 *	coll_processes		collectives, sends and receives; all data are right
 *	coll_processes until WORD	what CALL names (sums), until it fails, for a reason with
 *				WORD in it; CAPTURED: by a graph
 */
#ifdef WITH_MPI
#include <mpi.h>
#endif
#include "coll_ranks.h"
#include "gaudi_graph.h"

/* Bytes of each of two buffers. */
#define HALF	400000

static const char *word;

static int number_of(const char *name, int otherwise)
{
	const char *text = getenv(name);

	return text ? atoi(text) : otherwise;
}

/* All that process 0 knows of the listener, if anything else than the environment says it. */
static void tell(hcclUniqueId *id)
{
#ifdef WITH_MPI
	assert_int_equal(MPI_Bcast(id, sizeof(*id), MPI_BYTE, 0, MPI_COMM_WORLD), 0);
#else
	(void)id;
#endif
}

static void meet(void)
{
	hcclUniqueId id = {};

	if (!first_here)
		assert_int_equal(hcclGetUniqueId(&id), hcclSuccess);
	tell(&id);
	for (int i = 0; i < here; i++)
		all[i].id = id;
	everywhere(join);
}

static void collectives(struct rank *rank)
{
	static const size_t counts[] = { 1, 1000, 300000 };
	uint64_t seed = 11;

	for (unsigned int i = 0; i < 3 * SHAPES; i++) {
		struct what w = any_what(&seed, ranks, 2000);

		w.shape = (enum shape)(i % SHAPES);
		w.count = counts[i / SHAPES];
		run_it(rank, &w);
		if (*rank->why)
			return;
	}
}

/* To the next rank, and from the one before: more than all mailboxes hold. */
static void letters(struct rank *rank)
{
	int next = (rank->n + 1) % ranks, before = (rank->n + ranks - 1) % ranks;
	const size_t n = 500000;
	int32_t *numbers = malloc(n * sizeof(*numbers));
	gaudi_ptr mem;

	MUST_GOOD(rank, gaudi_malloc(rank->dev, 2 * n * sizeof(*numbers), &mem));
	for (size_t i = 0; i < n; i++)
		numbers[i] = value_of(3, rank->n, i);
	MUST_GOOD(rank, gaudi_copy_to_device(rank->dev, mem, numbers,
					     n * sizeof(*numbers)));
	MUST_DO(rank, hcclGroupStart());
	MUST_DO(rank, hcclSend((void *)(uintptr_t)mem, n, hcclInt32, next, rank->comm,
			       rank->streams[0]));
	MUST_DO(rank, hcclRecv((void *)(uintptr_t)(mem + n * sizeof(*numbers)), n,
			       hcclInt32, before, rank->comm, rank->streams[0]));
	MUST_DO(rank, hcclGroupEnd());
	MUST_GOOD(rank, gaudi_stream_synchronize(rank->streams[0]));
	MUST_GOOD(rank, gaudi_copy_to_host(rank->dev, numbers,
					   mem + n * sizeof(*numbers),
					   n * sizeof(*numbers)));
	for (size_t i = 0; i < n; i++)
		MUST(rank, numbers[i] == value_of(3, before, i),
		     "number %zu of rank %d's is wrong", i, before);
	MUST_GOOD(rank, gaudi_free(rank->dev, mem));
	free(numbers);
}

static void right(void **state)
{
	(void)state;
	meet();
	for (int i = 0; i < here; i++)
		print_message("rank %d of %d: box %u of %u\n", all[i].n, ranks,
			      ((struct coll_comm *)all[i].comm)->peers[all[i].n].box,
			      ((struct coll_comm *)all[i].comm)->boxes);
	everywhere(collectives);
	everywhere(letters);
	everywhere(leave);
}

/* What CALL names: a collective, "barrier", "sends"; allreduce, if it is not given. */
static void call_once(struct rank *rank, const char *call, char *at)
{
	struct gaudi_stream *stream = rank->streams[0];
	struct what w = { .type = hcclInt32, .op = hcclSum, .count = 10000 };

	if (!strcmp(call, "barrier")) {
		hcclBarrier(rank->comm, stream);
	} else if (!strcmp(call, "sends")) {
		hcclGroupStart();
		hcclSend(at, w.count, w.type, (rank->n + 1) % ranks, rank->comm, stream);
		hcclRecv(at + HALF, w.count, w.type, (rank->n + ranks - 1) % ranks,
			 rank->comm, stream);
		hcclGroupEnd();
	} else {
		while (w.shape < SHAPES && strcmp(call, coll_kind_name(w.shape)))
			w.shape++;
		MUST(rank, w.shape < SHAPES, "there is no call %s", call);
		call_it(&w, ranks, at, at + HALF, rank->comm, stream);
	}
}

static void call_until(struct rank *rank)
{
	const char *call = getenv("CALL"), *why;
	hcclResult_t error = hcclSuccess;
	struct gaudi_graph *graph = NULL;
	gaudi_ptr mem;

	call = call ? call : "allreduce";
	MUST_GOOD(rank, gaudi_malloc(rank->dev, 2 * HALF, &mem));
	if (getenv("CAPTURED")) {
		MUST_GOOD(rank, gaudi_stream_begin_capture(rank->streams[0]));
		call_once(rank, call, (char *)(uintptr_t)mem);
		MUST_GOOD(rank, gaudi_stream_end_capture(rank->streams[0], &graph));
	}
	while (!error && !*rank->why) {
		if (graph)
			gaudi_graph_launch(graph, rank->streams[0]);
		else
			call_once(rank, call, (char *)(uintptr_t)mem);
		gaudi_stream_synchronize(rank->streams[0]);
		MUST_DO(rank, hcclCommGetAsyncError(rank->comm, &error));
	}
	why = hcclCommGetAsyncErrorMessage(rank->comm);
	print_message("rank %d: %s\n", rank->n, why);
	MUST(rank, why && strstr(why, word), "it failed for another reason");
	/* Between two of them there is none under way. */
	MUST(rank, strstr(why, call) || strstr(why, "none") || strstr(why, "send"),
	     "the call is not named");
	gaudi_graph_destroy(graph);
}

static void until(void **state)
{
	(void)state;
	meet();
	print_message("summing\n");
	fflush(stdout);
	everywhere(call_until);
	everywhere(give_up);
}

#ifdef WITH_MPI
/* Sums of MPI's, while the communicator is there, and the card's are the same. */
static void beside_mpi(void **state)
{
	enum { N = 1000 };
	struct rank *rank = &all[0];
	int32_t in[N], by_mpi[N], by_cards[N];
	gaudi_ptr mem;

	(void)state;
	self = rank;
	assert_int_equal(here, 1);
	meet();
	assert_int_equal(gaudi_malloc(rank->dev, sizeof(in), &mem), 0);
	for (int round = 0; round < 5; round++) {
		for (size_t i = 0; i < N; i++)
			in[i] = value_of((uint64_t)round, rank->n, i);
		assert_int_equal(gaudi_copy_to_device(rank->dev, mem, in, sizeof(in)), 0);
		assert_int_equal(hcclAllReduce((void *)(uintptr_t)mem,
					       (void *)(uintptr_t)mem, N, hcclInt32,
					       hcclSum, rank->comm, rank->streams[0]), 0);
		assert_int_equal(MPI_Allreduce(in, by_mpi, N, MPI_INT, MPI_SUM,
					       MPI_COMM_WORLD), 0);
		assert_int_equal(gaudi_stream_synchronize(rank->streams[0]), 0);
		assert_int_equal(gaudi_copy_to_host(rank->dev, by_cards, mem,
						    sizeof(by_cards)), 0);
		assert_memory_equal(by_cards, by_mpi, sizeof(by_mpi));
	}
	assert_int_equal(gaudi_free(rank->dev, mem), 0);
	everywhere(leave);
}
#endif

static int set_up_box(void **state)
{
	int processes = number_of("OMPI_COMM_WORLD_SIZE", number_of("RANKS", 1));
	int rc;
#ifdef WITH_KNOBS
	static char boxes[COLL_MAX_RANKS + 1];
	int cards = number_of("CARDS", 1);

	most_here = cards;
	first_here = number_of("OMPI_COMM_WORLD_RANK", number_of("ID", 0)) * cards;
	for (int i = 0; i < processes * cards && i < (int)COLL_MAX_RANKS; i++)
		boxes[i] = (char)('0' + i / cards);
	setenv("COLL_TEST_BOXES", boxes, 1);
#endif
	first_here = number_of("FIRST", first_here);
	rc = set_up(state);
	ranks = number_of("TOTAL", processes * here);

	return rc;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest good[] = {
		cmocka_unit_test(right),
#ifdef WITH_MPI
		cmocka_unit_test(beside_mpi),
#endif
	};
	const struct CMUnitTest bad[] = {
		cmocka_unit_test(until),
	};
	int failed;

#ifdef WITH_MPI
	int level;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
#endif
	word = argc == 3 ? argv[2] : NULL;
	failed = word ? RUN_TESTS(bad, set_up_box, tear_down) :
			RUN_TESTS(good, set_up_box, tear_down);
#ifdef WITH_MPI
	MPI_Finalize();
#endif

	return failed;
}
