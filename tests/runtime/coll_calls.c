// SPDX-License-Identifier: MIT
/*
 * What HCCL's calls refuse, and how they say it; what groups take; and how ranks meet. On cards
 * with knobs, and in a guest.
 */
#include "coll_ranks.h"

#define SAYS(text)								\
	MUST(rank, hcclGetLastErrorMessage() &&					\
		   !strncmp(hcclGetLastErrorMessage(), text, strlen(text)),	\
	     "'%s' does not begin with '%s'",					\
	     hcclGetLastErrorMessage() ? hcclGetLastErrorMessage() : "(none)", text)

static void bad_groups(struct rank *rank, void *at)
{
	struct gaudi_stream *s = rank->streams[0];
	hcclComm_t c = rank->comm;
	int n;

	IS(hcclGroupEnd(), hcclInvalidUsage);
	SAYS("hcclGroupEnd: no group");
	IS(hcclGroupStart(), hcclSuccess);
	IS(hcclSend(at, 8, hcclFloat32, rank->n, c, s), hcclSuccess);
	IS(hcclGroupEnd(), hcclInvalidArgument);
	SAYS("hcclSend: a rank's sends to itself");
	IS(hcclGroupStart(), hcclSuccess);
	for (n = 0; n < 1024; n++)
		IS(hcclSend(at, 8, hcclFloat32, rank->n, c, s), hcclSuccess);
	IS(hcclSend(at, 8, hcclFloat32, rank->n, c, s), hcclInvalidUsage);
	SAYS("hcclSend: more than 1024 calls");
	/* The others of it are not done either: what they send to would wait. */
	IS(hcclGroupEnd(), hcclInvalidUsage);
	SAYS("hcclGroupEnd: more than 1024 calls");
}

static void bad_communicators(struct rank *rank)
{
	hcclUniqueId id = rank->id;
	hcclComm_t none;

	IS(hcclCommInitAll(&none, 1, NULL), hcclInvalidUsage);
	IS(hcclCommInitRank(&none, 0, id, 0), hcclInvalidArgument);
	IS(hcclCommInitRank(&none, 2, id, 2), hcclInvalidArgument);
	IS(hcclCommInitRank(NULL, 2, id, 1), hcclInvalidArgument);
	id.length = 0;
	IS(hcclCommInitRank(&none, 2, id, 1), hcclInternalError);
	TOLD("HCCL_COMM_ID");
	id.length = 17;
	IS(hcclCommInitRank(&none, 2, id, 1), hcclInternalError);
}

static void arguments(struct rank *rank)
{
	struct gaudi_stream *s = rank->streams[0];
	hcclComm_t c = rank->comm;
	gaudi_ptr mem;
	int n = -1;
	void *at;

	MUST_GOOD(rank, gaudi_malloc(rank->dev, 4096, &mem));
	at = (void *)(uintptr_t)mem;
	IS(hcclAllReduce(at, at, 8, hcclFloat64, hcclSum, c, s), hcclInvalidArgument);
	TOLD("no sum of float64");
	IS(hcclAllReduce(at, at, 8, hcclInt32, hcclAvg, c, s), hcclInvalidArgument);
	TOLD("no avg of int32");
	IS(hcclBroadcast(at, at, 8, hcclNumTypes, 0, c, s), hcclInvalidArgument);
	TOLD("type 10");
	IS(hcclAllReduce(at, at, 8, hcclFloat32, hcclSum, NULL, s), hcclInvalidArgument);
	IS(hcclAllReduce(at, at, 8, hcclFloat32, hcclSum, at, s), hcclInvalidArgument);
	TOLD("no such communicator");
	IS(hcclAllReduce(at, at, 8, hcclFloat32, hcclSum, c, at), hcclInvalidUsage);
	IS(hcclAllReduce(at, at, 1025, hcclFloat32, hcclSum, c, s), hcclInvalidArgument);
	IS(hcclAllReduce(at, at, SIZE_MAX / 2, hcclFloat32, hcclSum, c, s),
	   hcclInvalidArgument);
	IS(hcclAllReduce(at, at, SIZE_MAX, hcclFloat32, hcclSum, c, s),
	   hcclInvalidArgument);
	SAYS("hcclAllReduce: too many elements: 18446744073709551615");
	IS(hcclAllReduce(at, at, 8, hcclFloat32, (hcclRedOp_t)-5, c, s),
	   hcclInvalidArgument);
	SAYS("hcclAllReduce: no such reduction: -5");
	IS(hcclAllReduce(NULL, at, 8, hcclFloat32, hcclSum, c, s), hcclInvalidArgument);
	IS(hcclAllReduce(at, at, 8, hcclFloat32, hcclOpNone, c, s), hcclInvalidArgument);
	IS(hcclBroadcast(at, at, 8, hcclFloat32, ranks, c, s), hcclInvalidArgument);
	IS(hcclBcast(at, 8, hcclFloat32, -1, c, s), hcclInvalidArgument);
	SAYS("hcclBcast: no such root: -1");
	IS(hcclReduce(at, at, 8, hcclFloat32, hcclSum, -1, c, s), hcclInvalidArgument);
	IS(hcclSend(at, 8, hcclFloat32, ranks, c, s), hcclInvalidArgument);
	IS(hcclAlltoAll(at, at, (size_t)ranks + 1, hcclFloat32, c, s),
	   ranks == 1 ? hcclSuccess : hcclInvalidArgument);
	IS(hcclAllGather((char *)at + 4, at, 8, hcclFloat32, c, s), hcclInvalidArgument);
	TOLD("overlap");
	bad_groups(rank, at);
	bad_communicators(rank);
	IS(hcclCommCount(c, &n), hcclSuccess);
	MUST(rank, n == ranks && !hcclGetLastErrorMessage(), "%d ranks", n);
	IS(hcclCommUserRank(c, &n), hcclSuccess);
	MUST(rank, n == rank->n, "rank %d", n);
	IS(hcclCommSynDevice(c, &n), hcclSuccess);
	MUST(rank, !n, "device %d", n);
	IS(hcclCommCount(c, NULL), hcclInvalidArgument);
	IS(hcclCommDestroy(at), hcclInvalidArgument);
	MUST(rank, hcclLookupDMABuff(mem, 8, NULL) == -EINVAL, "a dma-buf for nobody");
	SAYS("hcclLookupDMABuff: ");
	IS(hcclGetVersion(&n), hcclSuccess);
	MUST(rank, n == 2604, "version %d", n);
	MUST_GOOD(rank, gaudi_free(rank->dev, mem));
	/* Nothing of this did any harm. */
	run_it(rank, &(struct what) { .shape = ALLREDUCE, .type = hcclFloat32,
				      .count = 100 });
}

static void bad_arguments(void **state)
{
	(void)state;
	for (int i = -2; i < 20; i++)
		assert_non_null(hcclGetErrorString((hcclResult_t)i));
	meet_here();
	everywhere(arguments);
	everywhere(leave);
}

/* A communicator that was finalized takes nothing more, and one that ends in a group neither. */
static void end_early(struct rank *rank)
{
	struct gaudi_stream *s = rank->streams[0];
	hcclComm_t c = rank->comm;
	gaudi_ptr mem;
	void *at;

	MUST_GOOD(rank, gaudi_malloc(rank->dev, 64, &mem));
	at = (void *)(uintptr_t)mem;
	MUST_DO(rank, hcclCommFinalize(c));
	IS(hcclAllReduce(at, at, 8, hcclFloat32, hcclSum, c, s), hcclInvalidUsage);
	SAYS("hcclAllReduce: the communicator was finalized");
	IS(hcclBarrier(c, s), hcclInvalidUsage);
	IS(hcclRecv(at, 8, hcclFloat32, (rank->n + 1) % ranks, c, s), hcclInvalidUsage);
	SAYS("hcclRecv: the communicator was finalized");
	MUST_DO(rank, hcclCommFinalize(c));
	MUST_DO(rank, hcclGroupStart());
	MUST_DO(rank, hcclReduceScatter(at, at, 1, hcclFloat32, hcclSum, c, s));
	MUST_DO(rank, hcclCommDestroy(c));
	rank->comm = NULL;
	IS(hcclGroupEnd(), hcclInvalidArgument);
	SAYS("hcclReduceScatter: the communicator has ended");
	MUST_GOOD(rank, gaudi_free(rank->dev, mem));
}

static void nothing_behind_the_end(void **state)
{
	(void)state;
	meet_here();
	everywhere(end_early);
}

/*
 * A group in which each sends to each what takes more than all mailboxes: with eight cards more peers
 * than there are hardware streams.
 */
#define LETTER		(1280u * KIB)

static void exchange(struct rank *rank)
{
	size_t all = (size_t)ranks * LETTER;
	uint8_t *bytes = malloc(all);
	gaudi_ptr out, in;

	MUST_GOOD(rank, gaudi_malloc(rank->dev, all, &out));
	MUST_GOOD(rank, gaudi_malloc(rank->dev, all, &in));
	for (size_t i = 0; i < all; i++)
		bytes[i] = (uint8_t)((size_t)rank->n * 7 + i / LETTER * 13 + i % 251);
	MUST_GOOD(rank, gaudi_copy_to_device(rank->dev, out, bytes, all));
	MUST_DO(rank, hcclGroupStart());
	for (int i = 0; i < ranks; i++) {
		MUST_DO(rank, hcclSend((void *)(uintptr_t)(out + (size_t)i * LETTER), LETTER / 4,
				       hcclInt32, i, rank->comm, rank->streams[0]));
		MUST_DO(rank, hcclRecv((void *)(uintptr_t)(in + (size_t)i * LETTER), LETTER / 4,
				       hcclInt32, i, rank->comm, rank->streams[0]));
	}
	MUST_DO(rank, hcclGroupEnd());
	MUST_GOOD(rank, gaudi_stream_synchronize(rank->streams[0]));
	MUST_GOOD(rank, gaudi_copy_to_host(rank->dev, bytes, in, all));
	for (size_t i = 0; i < all; i++) {
		size_t at = (size_t)rank->n * LETTER + i % LETTER;

		MUST(rank, bytes[i] == (uint8_t)(i / LETTER * 7 + (size_t)rank->n * 13 + at % 251),
		     "byte %zu from rank %zu is wrong", i % (size_t)LETTER,
		     i / (size_t)LETTER);
	}
	MUST_GOOD(rank, gaudi_free(rank->dev, out));
	MUST_GOOD(rank, gaudi_free(rank->dev, in));
	free(bytes);
}

static void each_to_each(void **state)
{
	(void)state;
	meet_here();
	everywhere(exchange);
	everywhere(leave);
}

/*
 * Groups in which some ranks have many peers and others few, and each calls in an order of its own:
 * none of its channels may be behind another one that waits for it.
 */
static unsigned int sets_seed;

/* Bytes from @from to @to; 0: nothing is sent. */
static size_t uneven(int from, int to)
{
	unsigned int x = ((unsigned int)(from * 8 + to) + sets_seed * 64) * 2654435761u >> 8;

	return from == to || x % 10 > 5 ? 0 : x % 10 ? MIB + x % MIB : x % KIB + 1;
}

static void exchange_uneven(struct rank *rank)
{
	unsigned int x = (unsigned int)rank->n + sets_seed * 8;
	int calls[2 * COLL_MOST], n = 0;
	uint8_t *bytes = malloc(2 * MIB);
	gaudi_ptr out, in;

	MUST_GOOD(rank, gaudi_malloc(rank->dev, (size_t)ranks * 2 * MIB, &in));
	MUST_GOOD(rank, gaudi_malloc(rank->dev, 2 * MIB, &out));
	memset(bytes, rank->n + 1, 2 * MIB);
	MUST_GOOD(rank, gaudi_copy_to_device(rank->dev, out, bytes, 2 * MIB));
	/* Shuffled: each one takes the place of one before it. */
	for (; n < 2 * ranks; n++) {
		int at = (int)((x = x * 1103515245u + 12345u) >> 16) % (n + 1);

		calls[n] = calls[at];
		calls[at] = n;
	}
	MUST_DO(rank, hcclGroupStart());
	while (n--) {
		int peer = calls[n] / 2;

		if (calls[n] & 1 && uneven(rank->n, peer))
			MUST_DO(rank, hcclSend((void *)(uintptr_t)out, uneven(rank->n, peer),
					       hcclUint8, peer, rank->comm, rank->streams[0]));
		else if (!(calls[n] & 1) && uneven(peer, rank->n))
			MUST_DO(rank, hcclRecv((void *)(uintptr_t)(in + (size_t)peer * 2 * MIB),
					       uneven(peer, rank->n), hcclUint8, peer, rank->comm,
					       rank->streams[0]));
	}
	MUST_DO(rank, hcclGroupEnd());
	MUST_GOOD(rank, gaudi_stream_synchronize(rank->streams[0]));
	for (int i = 0; i < ranks; i++) {
		size_t size = uneven(i, rank->n);

		MUST_GOOD(rank, gaudi_copy_to_host(rank->dev, bytes, in + (size_t)i * 2 * MIB, size));
		for (size_t k = 0; k < size; k++)
			MUST(rank, bytes[k] == i + 1, "byte %zu from rank %d is wrong", k, i);
	}
	MUST_GOOD(rank, gaudi_free(rank->dev, out));
	MUST_GOOD(rank, gaudi_free(rank->dev, in));
	free(bytes);
}

/* Streams of which some have ended: the next ones would share a hardware stream. */
static void more_streams(struct rank *rank)
{
	struct gaudi_stream *more[6];

	for (int i = 0; i < 6; i++)
		MUST_GOOD(rank, gaudi_stream_create(rank->dev, &more[i]));
	MUST_GOOD(rank, gaudi_stream_destroy(more[2]));
	MUST_GOOD(rank, gaudi_stream_destroy(more[3]));
}

static void uneven_groups(void **state)
{
	(void)state;
	everywhere(more_streams);
	meet_here();
	for (sets_seed = 170; sets_seed < 195; sets_seed++)
		everywhere(exchange_uneven);
	everywhere(leave);
}

/*
 * Messages of which the receiver expects another size: one mailbox each; of as many mailboxes,
 * of more, of less; one in the middle of a group; and nothing, of which others come behind.
 */
static const struct unequal {
	size_t sent, received;
	bool in_group;
} unequal[] = {
	{ 1000, 999 }, { 1000, 1001 }, { 500000, 500001 }, { 700000, 100 }, { 100, 3000000 },
	{ 1000, 999, true }, { 0, 1000 }, { 1000, 0 }, { 0, 7, true }, { 7, 0, true },
};
static const struct unequal *sizes;

static void send_unequal(struct rank *rank)
{
	struct gaudi_stream *s = rank->streams[0];
	hcclResult_t error = hcclSuccess;
	char wanted[100];
	const char *why;
	gaudi_ptr mem;
	void *at;

	MUST_GOOD(rank, gaudi_malloc(rank->dev, 3 * MIB, &mem));
	at = (void *)(uintptr_t)mem;
	/* What fits comes first. Calls behind what is known to be wrong are refused. */
	if (!rank->n)
		hcclSend(at, 64, hcclInt32, ranks - 1, rank->comm, s);
	if (rank->n == ranks - 1)
		hcclRecv(at, 128, hcclBfloat16, 0, rank->comm, s);
	hcclGroupStart();
	for (int i = 0; i < 3; i++) {
		bool here = !sizes->in_group || i == 1;

		if (!rank->n && (here || sizes->in_group))
			hcclSend(at, here ? sizes->sent : 7, hcclUint8, ranks - 1, rank->comm, s);
		if (rank->n == ranks - 1 && (here || sizes->in_group))
			hcclRecv(at, here ? sizes->received : 7, hcclInt8, 0, rank->comm, s);
		if (!sizes->in_group)
			break;
	}
	hcclGroupEnd();
	gaudi_stream_synchronize(s);
	/* Who receives something is told as soon as it asks. */
	if (rank->n == ranks - 1 && (sizes->received || sizes->in_group)) {
		MUST_DO(rank, hcclCommGetAsyncError(rank->comm, &error));
		MUST(rank, error, "%zu bytes of %zu have come", sizes->received, sizes->sent);
	}
	for (int i = 0; !error && i < 1000; i++) {
		MUST_DO(rank, hcclCommGetAsyncError(rank->comm, &error));
		usleep(10000);
	}
	IS(error, hcclInvalidUsage);
	why = hcclCommGetAsyncErrorMessage(rank->comm);
	snprintf(wanted, sizeof(wanted), "send %d of rank 0 to rank %d has %zu bytes, its receive %zu",
		 sizes->in_group ? 3 : 2, ranks - 1, sizes->sent, sizes->received);
	MUST(rank, why && strstr(why, wanted), "'%s' is not in '%s'", wanted, why ? why : "");
	MUST(rank, strstr(why, "; link: "), "no link in '%s'", why);
	IS(hcclBarrier(rank->comm, s), hcclInvalidUsage);
	MUST_GOOD(rank, gaudi_free(rank->dev, mem));
}

static void send_nothing(struct rank *rank)
{
	void *at = (void *)0x1000;

	if (!rank->n)
		MUST_DO(rank, hcclSend(at, 0, hcclInt32, ranks - 1, rank->comm, rank->streams[0]));
	run_it(rank, &(struct what) { .shape = ALLREDUCE, .type = hcclFloat32,
				      .count = 100 });
}

static void unequal_messages(void **state)
{
	(void)state;
	for (size_t i = 0; ranks > 1 && i < sizeof(unequal) / sizeof(*unequal); i++) {
		sizes = &unequal[i];
		meet_here();
		everywhere(send_unequal);
		everywhere(give_up);
	}
	/* If nothing else is sent, only one of the two may say that nothing is. */
	meet_here();
	everywhere(send_nothing);
	everywhere(leave);
}

/*
 * Meeting
 */
static void late(struct rank *rank)
{
	usleep((useconds_t)(ranks - rank->n) * 20000);
	join(rank);
}

static struct sockaddr_in address_of(const hcclUniqueId *id)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	struct coll_id where;

	memcpy(&where, id->internal, sizeof(where));
	address.sin_addr.s_addr = where.ip;
	address.sin_port = where.port;

	return address;
}

static void rubbish(const hcclUniqueId *id, const void *bytes, size_t size,
		    int *fd)
{
	struct sockaddr_in address = address_of(id);

	assert_int_equal(coll_connect(&address, "it", coll_now_ms() + 5000, fd), 0);
	assert_int_equal(coll_put(*fd, bytes, size, coll_now_ms() + 5000), 0);
}

/* Strangers, who say nothing, too little or nonsense, do not disturb. */
static void strangers(void **state)
{
	uint8_t bytes[4096];
	hcclUniqueId id;
	int fds[4];

	(void)state;
	pattern(bytes, sizeof(bytes), 6);
	assert_int_equal(hcclGetUniqueId(&id), hcclSuccess);
	rubbish(&id, bytes, 0, &fds[0]);
	rubbish(&id, bytes, 5, &fds[1]);
	rubbish(&id, bytes, sizeof(bytes), &fds[2]);
	rubbish(&id, bytes, 60, &fds[3]);
	close(fds[1]);
	for (int i = 0; i < ranks; i++)
		all[i].id = id;
	everywhere(late);
	everywhere(exchange);
	everywhere(leave);
	close(fds[0]);
	close(fds[2]);
	close(fds[3]);
}

static void refused(struct rank *rank)
{
	hcclResult_t result;

	/* Who comes first is right; the other one is told, or finds nobody. */
	result = hcclCommInitRank(&rank->comm, ranks, rank->id, 0);
	MUST(rank, result == hcclInternalError || result == hcclInvalidArgument,
	     "rank 0 twice is %d", (int)result);
}

static void first_alone(struct rank *rank)
{
	if (rank->n)
		return;
	IS(hcclCommInitRank(&rank->comm, ranks, rank->id, 0), hcclInternalError);
	TOLD("missing ranks: 1");
}

/* Its listener ends when all who came have left. */
static void wait_until_refused(const hcclUniqueId *id)
{
	int64_t deadline = coll_now_ms() + 60000;
	struct sockaddr_in address = address_of(id);
	int rc = 0;

	while (!rc) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

		assert_true(fd >= 0);
		rc = connect(fd, (struct sockaddr *)&address, sizeof(address)) ? errno : 0;
		close(fd);
		assert_true(rc || coll_now_ms() < deadline);
		usleep(50000);
	}
	assert_int_equal(rc, ECONNREFUSED);
}

static void nobody_comes(void **state)
{
	hcclUniqueId id;

	(void)state;
	setenv("HCL_HLCP_OPS_TIMEOUT", "1", 1);
	assert_int_equal(hcclGetUniqueId(&id), hcclSuccess);
	for (int i = 0; i < ranks; i++)
		all[i].id = id;
	everywhere(refused);
	assert_int_equal(hcclGetUniqueId(&id), hcclSuccess);
	all[0].id = id;
	everywhere(first_alone);
	wait_until_refused(&id);
	/* The listener does not exist. */
	for (int i = 0; i < ranks; i++)
		all[i].id.internal[8] ^= 0x55;
	everywhere(refused);
	setenv("HCL_HLCP_OPS_TIMEOUT", "none", 1);
	everywhere(refused);
	unsetenv("HCL_HLCP_OPS_TIMEOUT");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_arguments),
		cmocka_unit_test(nothing_behind_the_end),
		cmocka_unit_test(each_to_each),
		cmocka_unit_test(uneven_groups),
		cmocka_unit_test(unequal_messages),
		cmocka_unit_test(strangers),
		cmocka_unit_test(nobody_comes),
	};

	return RUN_TESTS(tests, set_up, tear_down);
}
