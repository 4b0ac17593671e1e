// SPDX-License-Identifier: MIT
/*
 * Executes programs of collectives that coll_model.py makes: it knows what must come out,
 * and this knows nothing. A program is lines of words on the standard input, behind them the
 * memory of each rank, which comes back as the program leaves it:
 *
 *	program RANKS ROW ALGORITHM BYTES OPS
 *	cards CARD...			of each rank
 *	second RANKS RANK...		who is in the second communicator, in its order
 *	fault OP KIND RANK		none: OP is -1
 *	KIND COMM STREAM TYPE REDUCTION COUNT ROOT SEND RECV	for each op
 *
 * All offsets are bytes of a rank's memory, and the same for all ranks, but where @in_place
 * of an allgather or a reduce-scatter is said by the offset -1. What cannot be done is told
 * in a line "bad RANK TEXT" instead of "good"; what a fault did, in "error RANK CODE TEXT".
 */
#include "coll_ranks.h"

enum { BARRIER = SHAPES, PAIRS, WAIT, OPEN, CLOSE };
enum fault { OTHER, DIES, LINK, NEVER, ABORTS };

#define MOST_OPS	128

struct op {
	int kind, comm, stream, type, reduction, root;
	long long count, send, recv;
};

static struct {
	int ranks, num, second_num, second[COLL_MOST];
	int fault_at, fault, culprit;
	size_t bytes;
	struct op ops[MOST_OPS];
	uint8_t *memory[COLL_MOST];
} program;

static struct rank by_card[COLL_MOST];
static int num_cards, cards[COLL_MOST];
static hcclComm_t second[COLL_MOST];
static hcclUniqueId second_id;
static gaudi_ptr at[COLL_MOST];
static struct gaudi_event *events[COLL_MOST];

static int place_in_second(int rank)
{
	for (int i = 0; i < program.second_num; i++)
		if (program.second[i] == rank)
			return i;

	return -1;
}

static void join_second(struct rank *rank)
{
	int place = place_in_second(rank->n);

	if (place >= 0)
		MUST_DO(rank, hcclCommInitRank(&second[rank->n], program.second_num,
					       second_id, place));
}

/* Each rank sends to the next one, and receives of the one before. */
static void pairs(struct rank *rank, const struct op *op, int place, int num,
		  hcclComm_t comm, void *stream, uint8_t *send, uint8_t *recv)
{
	MUST_DO(rank, hcclGroupStart());
	MUST_DO(rank, hcclSend(send, (size_t)op->count, op->type,
			       (place + 1 + op->root) % num, comm, stream));
	MUST_DO(rank, hcclRecv(recv, (size_t)op->count, op->type,
			       (place + 2 * num - 1 - op->root) % num, comm, stream));
	MUST_DO(rank, hcclGroupEnd());
}

static void do_op(struct rank *rank, const struct op *op, int place, int num,
		  hcclComm_t comm)
{
	struct gaudi_stream *stream = rank->streams[op->stream];
	const struct what w = {
		.shape = (enum shape)op->kind, .type = op->type,
		.op = op->reduction, .count = (size_t)op->count, .root = op->root,
		.in_place = op->send < 0 || op->recv < 0,
	};
	uint8_t *mem = (void *)(uintptr_t)at[rank->n], *send, *recv;

	send = mem + (op->send < 0 ? op->recv + (long long)send_at(&w, place) :
				     op->send);
	recv = mem + (op->recv < 0 ? op->send + (long long)recv_at(&w, place) :
				     op->recv);
	switch (op->kind) {
	case BARRIER:
		MUST_DO(rank, hcclBarrier(comm, stream));
		break;
	case PAIRS:
		pairs(rank, op, place, num, comm, stream, send, recv);
		break;
	case WAIT:
		MUST_GOOD(rank, gaudi_event_record(events[rank->n],
						   rank->streams[!op->stream]));
		MUST_GOOD(rank, gaudi_stream_wait_event(stream, events[rank->n]));
		break;
	case OPEN:
		MUST_DO(rank, hcclGroupStart());
		break;
	case CLOSE:
		MUST_DO(rank, hcclGroupEnd());
		break;
	default:
		MUST_DO(rank, call_it(&w, num, send, recv, comm, stream));
		break;
	}
}

/* As if the process had been killed: its connections end. */
static void die(const struct coll_comm *comm)
{
	for (uint32_t i = 0; comm && i < comm->ranks; i++)
		if (i != comm->rank)
			shutdown(comm->peers[i].fd, SHUT_RDWR);
}

static void cut_links(const struct coll_comm *comm)
{
	for (uint32_t i = 0; i < comm->ranks; i++)
		if (i != comm->rank)
			gaudi_link_abort(comm->peers[i].links[COLL_LINK_ALL]);
}

static void abort_all(struct rank *rank)
{
	if (second[rank->n])
		MUST_DO(rank, hcclCommAbort(second[rank->n]));
	second[rank->n] = NULL;
	if (rank->comm)
		MUST_DO(rank, hcclCommAbort(rank->comm));
	rank->comm = NULL;
}

/* What the culprit does instead of the op. Does it go on then? */
static bool do_wrong(struct rank *rank, const struct op *op, int place, int num,
		     hcclComm_t comm)
{
	struct op other = *op;

	switch (program.fault) {
	case OTHER:
		other.kind = op->kind == BARRIER ? ALLREDUCE : BARRIER;
		other.count = 1;
		do_op(rank, &other, 0, 1, comm);
		return true;
	case DIES:
		die(rank->comm);
		die(second[rank->n]);
		return false;
	case LINK:
		cut_links(comm);
		do_op(rank, op, place, num, comm);
		return true;
	case ABORTS:
		abort_all(rank);
		return false;
	default:
		return false;
	}
}

static void run(struct rank *rank)
{
	bool faulty = program.fault_at >= 0, grouped = false, goes_on = true;

	/* With a fault, what comes behind it may be refused. */
	for (int i = 0; i < program.num && goes_on && (faulty || !*rank->why); i++) {
		const struct op *op = &program.ops[i];
		int place = op->comm ? place_in_second(rank->n) : rank->n;
		int num = op->comm ? program.second_num : program.ranks;
		hcclComm_t comm = op->comm ? second[rank->n] : rank->comm;

		if (place < 0)
			continue;
		if (i == program.fault_at && rank->n == program.culprit)
			goes_on = do_wrong(rank, op, place, num, comm);
		else
			do_op(rank, op, place, num, comm);
		grouped = op->kind == OPEN || (grouped && op->kind != CLOSE);
	}
	if (grouped)
		hcclGroupEnd();
	for (int i = 0; i < 2; i++)
		MUST_GOOD(rank, gaudi_stream_synchronize(rank->streams[i]));
}

/*
 * Before and behind
 */
static void load(struct rank *rank)
{
	/* And an element for who calls something else. */
	MUST_GOOD(rank, gaudi_malloc(rank->dev, program.bytes + 8, &at[rank->n]));
	MUST_GOOD(rank, gaudi_event_create(rank->dev, GAUDI_EVENT_NO_TIMING,
					   &events[rank->n]));
	MUST_GOOD(rank, gaudi_copy_to_device(rank->dev, at[rank->n],
					     program.memory[rank->n],
					     program.bytes));
}

static void unload(struct rank *rank)
{
	if (program.fault_at < 0)
		MUST_GOOD(rank, gaudi_copy_to_host(rank->dev,
						   program.memory[rank->n],
						   at[rank->n], program.bytes));
	MUST_GOOD(rank, gaudi_event_destroy(events[rank->n]));
	MUST_GOOD(rank, gaudi_free(rank->dev, at[rank->n]));
}

static void leave_both(struct rank *rank)
{
	if (second[rank->n])
		MUST_DO(rank, hcclCommDestroy(second[rank->n]));
	second[rank->n] = NULL;
	MUST_DO(rank, hcclCommDestroy(rank->comm));
}

static void give_up_both(struct rank *rank)
{
	abort_all(rank);
	for (int i = 0; i < 2; i++) {
		gaudi_stream_destroy(rank->streams[i]);
		MUST_GOOD(rank, gaudi_stream_create(rank->dev, &rank->streams[i]));
	}
}

static bool all_do(void (*fn)(struct rank *rank), bool with_culprit)
{
	bool good = true;

	for (int i = 0; i < program.ranks; i++) {
		if (!with_culprit && i == program.culprit)
			continue;
		all[i].fn = fn;
		*all[i].why = '\0';
		pthread_create(&all[i].thread, NULL, main_of, &all[i]);
	}
	for (int i = 0; i < program.ranks; i++)
		if (with_culprit || i != program.culprit)
			pthread_join(all[i].thread, NULL);
	for (int i = 0; i < program.ranks; i++)
		if (*all[i].why && (with_culprit || i != program.culprit)) {
			const char *why = hcclCommGetAsyncErrorMessage(NULL);

			printf("bad %d %s (%s)\n", i, all[i].why, why ? why : "");
			good = false;
		}

	return good;
}

/* Of the communicator of the op with the fault, of all but the culprit. */
static void tell_errors(void)
{
	const struct op *op = &program.ops[program.fault_at];

	for (int i = 0; i < program.ranks; i++) {
		hcclComm_t comm = op->comm ? second[i] : all[i].comm;
		hcclResult_t error = hcclSuccess;
		const char *why;

		if (i == program.culprit || !comm)
			continue;
		for (int n = 0; !error && n < 12000; n++) {
			hcclCommGetAsyncError(comm, &error);
			if (!error)
				usleep(10000);
		}
		why = hcclCommGetAsyncErrorMessage(comm);
		printf("error %d %d %s\n", i, (int)error, why ? why : "");
	}
}

/* Those who are left, in a new communicator, sum one number each. */
static void survive(struct rank *rank)
{
	int left = program.ranks - 1, place = rank->n - (rank->n > program.culprit);
	gaudi_ptr mem;
	int32_t sum = 1 << rank->n;

	MUST_DO(rank, hcclCommInitRank(&rank->comm, left, rank->id, place));
	MUST_GOOD(rank, gaudi_malloc(rank->dev, 4, &mem));
	MUST_GOOD(rank, gaudi_copy_to_device(rank->dev, mem, &sum, 4));
	MUST_DO(rank, hcclAllReduce((void *)(uintptr_t)mem, (void *)(uintptr_t)mem,
				    1, hcclInt32, hcclSum, rank->comm,
				    rank->streams[0]));
	MUST_GOOD(rank, gaudi_stream_synchronize(rank->streams[0]));
	MUST_GOOD(rank, gaudi_copy_to_host(rank->dev, &sum, mem, 4));
	MUST(rank, sum == (1 << program.ranks) - 1 - (1 << program.culprit),
	     "the sum of those who are left is %d", sum);
	MUST_GOOD(rank, gaudi_free(rank->dev, mem));
	MUST_DO(rank, hcclCommDestroy(rank->comm));
}

/* Ranks that were refused an op behind the fault are no failure of the test. */
static bool with_fault(void)
{
	hcclUniqueId id;

	for (int i = 0; i < program.ranks; i++)
		*all[i].why = '\0';
	tell_errors();
	if (!all_do(give_up_both, true) || !all_do(unload, true))
		return false;
	if (hcclGetUniqueId(&id))
		return false;
	for (int i = 0; i < program.ranks; i++)
		all[i].id = id;

	return all_do(survive, false);
}

static bool execute(void)
{
	hcclUniqueId id;

	if (hcclGetUniqueId(&id) || hcclGetUniqueId(&second_id))
		return false;
	for (int i = 0; i < program.ranks; i++)
		all[i].id = id;
	if (!all_do(join, true) || !all_do(join_second, true) || !all_do(load, true))
		return false;
	if (program.fault_at >= 0) {
		for (int i = 0; i < program.ranks; i++) {
			all[i].fn = run;
			*all[i].why = '\0';
			pthread_create(&all[i].thread, NULL, main_of, &all[i]);
		}
		for (int i = 0; i < program.ranks; i++)
			pthread_join(all[i].thread, NULL);
		return with_fault();
	}

	return all_do(run, true) && all_do(unload, true) && all_do(leave_both, true);
}

/*
 * What comes in
 */
static bool read_ints(const char *name, int *values, int count)
{
	char word[32];

	if (scanf("%31s", word) != 1 || strcmp(word, name))
		return false;
	for (int i = 0; i < count; i++)
		if (scanf("%d", &values[i]) != 1)
			return false;

	return true;
}

static bool read_ops(void)
{
	for (int i = 0; i < program.num; i++) {
		struct op *op = &program.ops[i];

		if (scanf("%d %d %d %d %d %lld %d %lld %lld", &op->kind, &op->comm,
			  &op->stream, &op->type, &op->reduction, &op->count,
			  &op->root, &op->send, &op->recv) != 9)
			return false;
	}

	return getchar() == '\n';
}

static bool read_program(void)
{
	int fault[3], num;
	char row[24], algorithm[24];
	bool slow;

	if (scanf(" program %d %23s %23s %zu %d", &program.ranks, row, algorithm,
		  &program.bytes, &program.num) != 5 ||
	    program.ranks < 1 || program.ranks > num_cards || program.num > MOST_OPS ||
	    !read_ints("cards", cards, program.ranks) ||
	    !read_ints("second", &num, 1) || num > program.ranks)
		return false;
	program.second_num = num;
	for (int i = 0; i < num; i++)
		if (scanf("%d", &program.second[i]) != 1)
			return false;
	if (!read_ints("fault", fault, 3) || !read_ops())
		return false;
	ranks = program.ranks;
	program.fault_at = fault[0];
	program.fault = fault[0] < 0 ? -1 : fault[1];
	program.culprit = fault[2];
	setenv("GAUDI_COLL_ROW", row, 1);
	setenv("GAUDI_COLL_ALGORITHM", algorithm, 1);
	/* Sends and receives are not compared. */
	slow = program.fault == NEVER ||
	       (program.fault == OTHER && program.ops[program.fault_at].kind == PAIRS);
	setenv("GAUDI_COLL_TIMEOUT", slow ? "3" : "30", 1);
	for (int i = 0; i < program.ranks; i++) {
		/* Streams may have been made anew on that card since. */
		all[i] = by_card[cards[i]];
		all[i].n = i;
		program.memory[i] = realloc(program.memory[i], program.bytes + 1);
		if (fread(program.memory[i], 1, program.bytes, stdin) != program.bytes)
			return false;
	}
	if (!execute())
		printf("stopped\n");
	for (int i = 0; i < program.ranks; i++)
		memcpy(by_card[cards[i]].streams, all[i].streams,
		       sizeof(all[i].streams));

	return true;
}

int main(void)
{
	uint32_t count;

#ifdef WITH_KNOBS
	card_set_up(NULL);
	card.cards = COLL_MOST;
	card.monitors = 128;
#endif
	if (gaudi_device_count(&count))
		return 1;
	num_cards = count < COLL_MOST ? (int)count : COLL_MOST;
	for (int i = 0; i < num_cards; i++) {
		if (gaudi_device_open((uint32_t)i, 60000, &by_card[i].dev))
			return 1;
		for (int k = 0; k < 2; k++)
			if (gaudi_stream_create(by_card[i].dev,
						&by_card[i].streams[k]))
				return 1;
	}
	printf("ready %d\n", num_cards);
	fflush(stdout);
	while (read_program()) {
		printf("done\n");
		for (int i = 0; program.fault_at < 0 && i < program.ranks; i++)
			fwrite(program.memory[i], 1, program.bytes, stdout);
		fflush(stdout);
	}
	for (int i = 0; i < num_cards; i++) {
		free(program.memory[i]);
		for (int k = 0; k < 2; k++)
			gaudi_stream_destroy(by_card[i].streams[k]);
		if (gaudi_device_close(by_card[i].dev))
			return 1;
	}

	return feof(stdin) ? 0 : 2;
}
