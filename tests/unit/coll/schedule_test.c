// SPDX-License-Identifier: MIT
/*
 * Schedules, executed on arrays: ranks go on in random order, each as far as it can. What a
 * peer may overwrite by then is overwritten with rubbish, so that who looks too late sees it.
 */
#include <math.h>

#include "../unit.h"
#include "coll/schedule/schedule.h"

#define MOST		16u
#define RUBBISH		(-9.75e6f)

struct rank {
	struct coll_call call;
	struct coll_schedule schedule;
	float *send, *recv, *work;
	float *slots[MOST][2];
	uint32_t sent[MOST], got[MOST];	/* exchanges with a peer: begun, ended */
	uint64_t pass;
	uint32_t at;			/* action */
	bool made, posted;
};

static struct rank all[MOST];
static uint64_t seed;

static uint32_t any(uint32_t below)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;

	return (uint32_t)(seed >> 33) % below;
}

static float *find(struct rank *rank, struct coll_ref ref)
{
	switch (ref.space) {
	case COLL_SEND:
		return rank->send + ref.at;
	case COLL_RECV:
		return rank->recv + ref.at;
	case COLL_WORK:
		assert_int_equal(ref.row, 0);
		return rank->work + ref.at;
	default:
		/* Of the last exchange, which has ended. */
		assert_true(rank->got[ref.row] && rank->got[ref.row] ==
			    rank->sent[ref.row]);
		return rank->slots[ref.row][rank->got[ref.row] % 2] + ref.at;
	}
}

static bool same_exchange(const struct rank *rank, uint32_t i)
{
	const struct coll_action *a = &rank->schedule.actions[i];
	const struct coll_action *first = &rank->schedule.actions[rank->at];

	return i < rank->schedule.num_actions && a->kind <= COLL_ACT_RECEIVE &&
	       a->exchange == first->exchange;
}

/* Tell each peer of the exchange once, with what there is for it. */
static void post(struct rank *rank)
{
	bool told[MOST] = {};
	uint32_t me = rank->call.rank;

	for (uint32_t i = rank->at; same_exchange(rank, i); i++) {
		const struct coll_action *a = &rank->schedule.actions[i];
		struct rank *peer = &all[a->peer];

		assert_int_not_equal(a->peer, me);
		if (!told[a->peer]) {
			told[a->peer] = true;
			/* From now on the peer may write what comes after the next. */
			for (uint64_t j = 0; j < rank->call.row; j++)
				rank->slots[a->peer][rank->sent[a->peer] % 2][j] =
					RUBBISH;
			rank->sent[a->peer]++;
		}
		if (a->kind != COLL_ACT_SEND)
			continue;
		assert_true(a->count <= rank->call.row);
		/* The row is free: the peer has begun all but this one. */
		assert_true(peer->sent[me] + 1 >= rank->sent[a->peer]);
		memcpy(peer->slots[me][rank->sent[a->peer] % 2],
		       find(rank, a->from), a->count * sizeof(float));
	}
}

static bool may_end(const struct rank *rank)
{
	for (uint32_t i = rank->at; same_exchange(rank, i); i++) {
		uint32_t peer = rank->schedule.actions[i].peer;

		if (all[peer].sent[rank->call.rank] < rank->sent[peer])
			return false;
	}

	return true;
}

static void reduce(struct rank *rank, const struct coll_action *a)
{
	float *sum = calloc(a->count, sizeof(*sum));

	assert_true(a->num_refs >= 2);
	for (uint32_t k = 0; k < a->num_refs; k++) {
		const float *from = find(rank, rank->schedule.refs[a->first_ref + k]);

		for (uint64_t i = 0; i < a->count; i++)
			sum[i] += from[i];
	}
	memcpy(find(rank, a->to), sum, a->count * sizeof(*sum));
	free(sum);
}

/* An action, or a part of an exchange; false: it has to wait, or has done all. */
static bool advance(struct rank *rank)
{
	const struct coll_action *a;
	uint32_t last;

	if (!rank->made) {
		if (rank->pass == coll_passes(&rank->call))
			return false;
		assert_int_equal(coll_schedule_make(&rank->call, rank->pass,
						    &rank->schedule), 0);
		rank->made = true;
		rank->at = 0;
	}
	if (rank->at == rank->schedule.num_actions) {
		rank->made = false;
		rank->pass++;
		return true;
	}
	a = &rank->schedule.actions[rank->at];
	if (a->kind == COLL_ACT_COPY)
		memmove(find(rank, a->to), find(rank, a->from),
			a->count * sizeof(float));
	else if (a->kind == COLL_ACT_REDUCE)
		reduce(rank, a);
	if (a->kind > COLL_ACT_RECEIVE) {
		rank->at++;
		return true;
	}
	if (!rank->posted) {
		post(rank);
		rank->posted = true;
		return true;
	}
	if (!may_end(rank))
		return false;
	rank->posted = false;
	for (last = rank->at; same_exchange(rank, last); last++) {
		uint32_t peer = rank->schedule.actions[last].peer;

		rank->got[peer] = rank->sent[peer];
	}
	rank->at = last;

	return true;
}

static void run(uint32_t ranks)
{
	uint32_t stuck = 0;

	/* All have been tried many times: nobody goes on. */
	while (stuck < 64 * ranks) {
		if (advance(&all[any(ranks)]))
			stuck = 0;
		else
			stuck++;
	}
	for (uint32_t i = 0; i < ranks; i++) {
		assert_int_equal(all[i].pass, coll_passes(&all[i].call));
		/* And it left all pairs alike. */
		for (uint32_t j = 0; j < ranks; j++)
			assert_int_equal(all[i].sent[j], all[j].sent[i]);
	}
}

/* Small whole numbers, whose sums are exact: the order makes no difference. */
static float value(uint32_t rank, uint64_t at)
{
	return (float)((rank * 7919 + at * 104729) % 1009);
}

static uint64_t parts(const struct coll_call *call, bool send)
{
	if (call->kind == COLL_ALLTOALL ||
	    (send ? call->kind == COLL_REDUCE_SCATTER : call->kind == COLL_ALLGATHER))
		return call->ranks;

	return 1;
}

/* The rank of what comes @i-th by box. */
static uint32_t number(const struct coll_call *call, uint32_t i)
{
	return call->by_box ? call->by_box[i] : i;
}

static float expected(const struct coll_call *call, uint64_t at)
{
	uint64_t part = call->count ? at / call->count : 0, in = at % call->count;
	uint64_t from = call->kind == COLL_REDUCE_SCATTER ?
			number(call, call->rank) * call->count + at : at;
	float sum = 0;

	switch (call->kind) {
	case COLL_ALLGATHER:
		return value((uint32_t)part, in);
	case COLL_ALLTOALL:
		return value((uint32_t)part, call->rank * call->count + in);
	case COLL_BROADCAST:
		return value(number(call, call->root), at);
	default:
		for (uint32_t i = 0; i < call->ranks; i++)
			sum += value(i, from);
		return sum;
	}
}

static void begin(struct rank *rank, const struct coll_call *call, uint32_t i,
		  bool in_place)
{
	uint64_t send = parts(call, true) * call->count;
	uint64_t recv = parts(call, false) * call->count;
	uint64_t shift = 0;

	memset(rank, 0, sizeof(*rank));
	rank->call = *call;
	rank->call.rank = i;
	rank->work = calloc(call->row, sizeof(float));
	for (uint32_t j = 0; j < call->ranks; j++)
		for (unsigned int k = 0; k < 2; k++)
			rank->slots[j][k] = calloc(call->row, sizeof(float));
	rank->send = calloc(send + 1, sizeof(float));
	rank->recv = calloc(recv + 1, sizeof(float));
	if (in_place && call->kind == COLL_REDUCE_SCATTER) {
		free(rank->recv);
		rank->recv = rank->send + number(call, i) * call->count;
	} else if (in_place) {
		free(rank->send);
		if (call->kind == COLL_ALLGATHER)
			shift = number(call, i) * call->count;
		rank->send = rank->recv + shift;
	}
	for (uint64_t j = 0; j < send; j++)
		rank->send[j] = value(number(call, i), j);
}

static void end(struct rank *rank, bool in_place)
{
	const struct coll_call *call = &rank->call;

	for (uint32_t j = 0; j < call->ranks; j++)
		for (unsigned int k = 0; k < 2; k++)
			free(rank->slots[j][k]);
	free(rank->work);
	if (!in_place || call->kind == COLL_REDUCE_SCATTER)
		free(rank->send);
	if (!in_place || call->kind != COLL_REDUCE_SCATTER)
		free(rank->recv);
	coll_schedule_free(&rank->schedule);
}

static void check(const struct coll_call *call, bool in_place)
{
	bool to_root = call->kind == COLL_REDUCE;
	uint64_t recv = call->kind == COLL_BARRIER ? 0 :
			parts(call, false) * call->count;

	for (uint32_t i = 0; i < call->ranks; i++)
		begin(&all[i], call, i, in_place);
	run(call->ranks);
	for (uint32_t i = 0; i < call->ranks; i++) {
		for (uint64_t j = 0; j < recv && (!to_root || i == call->root); j++)
			if (all[i].recv[j] != expected(&all[i].call, j))
				fail_msg("%s %s, rank %u of %u, root %u, count %llu, row %llu: [%llu] is %g, not %g",
					 coll_algorithm_name(call->algorithm),
					 coll_kind_name(call->kind), i, call->ranks,
					 call->root, (unsigned long long)call->count,
					 (unsigned long long)call->row,
					 (unsigned long long)j, all[i].recv[j],
					 expected(&all[i].call, j));
		/* What is only read stays as it is. */
		for (uint64_t j = 0; !in_place && j < call->count * parts(call, true); j++)
			assert_true(all[i].send[j] == value(number(call, i), j));
		end(&all[i], in_place);
	}
}

/* Every collective by every algorithm, for 1 to 16 ranks. */
TEST(all_of_them)
{
	static const uint64_t counts[] = { 0, 1, 2, 63, 64, 65, 300, 1000 };
	unsigned int run_so_far = 0;

	for (uint32_t ranks = 1; ranks <= MOST; ranks++)
		for (unsigned int kind = 0; kind < COLL_KINDS; kind++)
			for (unsigned int a = 0; a < COLL_ALGORITHMS; a++)
				for (unsigned int c = 0; c < 8; c++) {
					struct coll_call call = {
						.kind = kind,
						.algorithm = a,
						.ranks = ranks,
						.root = any(ranks),
						.count = counts[c],
						.row = any(2) ? 64 : 256,
						.small = any(2) ? 64 : 0,
						.box = 2 + any(ranks),
					};

					seed += 12345;
					if (!coll_can(&call))
						continue;
					check(&call, any(2));
					run_so_far++;
				}
	assert_true(run_so_far > 1500);
}

/* One communicator's collectives, one after the other: who is early does not disturb. */
TEST(random_programs)
{
	for (unsigned int program = 0; program < unit_rounds(3000); program++) {
		struct coll_call call = {
			.kind = any(COLL_KINDS),
			.algorithm = any(COLL_ALGORITHMS),
			.ranks = 1 + any(MOST),
			.count = any(2) ? any(50) : any(2000),
			.row = 64u << any(3),
			.small = any(200),
			.box = 1 + any(8),
		};

		seed = program * 977;
		call.root = any(call.ranks);
		if (!coll_can(&call))
			call.algorithm = COLL_DIRECT;
		check(&call, any(2));
	}
}

/* Those that are done by boxes. */
static enum coll_kind any_kind(void)
{
	static const enum coll_kind kinds[] = {
		COLL_ALLREDUCE, COLL_BROADCAST, COLL_REDUCE_SCATTER, COLL_ALLGATHER,
	};

	return kinds[any(4)];
}

/* Ranks that are not numbered by box. */
static const uint32_t *any_numbers(uint32_t ranks)
{
	static uint32_t numbers[MOST];

	for (uint32_t i = 0; i < ranks; i++) {
		uint32_t j = any(i + 1);

		numbers[i] = numbers[j];
		numbers[j] = i;
	}

	return numbers;
}

/* Boxes of every size that fits, in any number that there is a schedule for. */
TEST(boxes)
{
	unsigned int run_so_far = 0;

	for (uint32_t ranks = 2; ranks <= MOST; ranks++)
		for (uint32_t box = 1; box <= ranks; box++)
			for (uint64_t count = 1; count < 2000; count = count * 3 + 1) {
				struct coll_call call = {
					.kind = any_kind(),
					.algorithm = COLL_HIERARCHICAL,
					.ranks = ranks,
					.root = any(ranks),
					.count = count,
					.row = any(2) ? 64 : 256,
					.box = box,
					.by_box = any(2) ? any_numbers(ranks) : NULL,
				};

				if (!coll_can(&call))
					continue;
				assert_int_equal(ranks % box, 0);
				check(&call, any(2));
				run_so_far++;
			}
	assert_true(run_so_far > 100);
}

/* Boxes of any sizes, of one rank too; their first ranks are in @firsts. */
static struct coll_call any_boxes(enum coll_kind kind, uint32_t firsts[MOST])
{
	struct coll_call call = {
		.kind = kind, .algorithm = COLL_HIERARCHICAL,
		.row = any(2) ? 64 : 256, .firsts = firsts,
	};

	call.ranks = 2 + any(MOST - 1);
	for (uint32_t next = 0; next < call.ranks; next += 1 + any(8))
		firsts[call.boxes++] = next;
	if (call.boxes == 1)
		firsts[call.boxes++] = 1;
	call.root = any(call.ranks);
	call.by_box = any(2) ? any_numbers(call.ranks) : NULL;

	return call;
}

TEST(boxes_that_differ)
{
	uint32_t firsts[MOST];

	for (unsigned int program = 0; program < unit_rounds(1000); program++) {
		struct coll_call call;

		seed = program * 331;
		call = any_boxes(any_kind(), firsts);
		call.count = any(2) ? any(50) : any(2000);
		assert_true(coll_can(&call));
		check(&call, any(2));
	}
}

/* Direct sums go from rank 0 on, so the bits do not depend on who sums. */
TEST(order_of_sums)
{
	static const float values[4] = { 1e8f, 1, -1e8f, 1 };
	struct coll_call call = {
		.kind = COLL_ALLREDUCE, .ranks = 4, .count = 300, .row = 64,
	};

	for (uint64_t small = 0; small <= 64; small += 64) {
		call.small = small;
		call.count = small ? 64 : 300;
		for (uint32_t i = 0; i < 4; i++) {
			begin(&all[i], &call, i, false);
			for (uint64_t j = 0; j < call.count; j++)
				all[i].send[j] = values[i];
		}
		run(4);
		for (uint32_t i = 0; i < 4; i++) {
			for (uint64_t j = 0; j < call.count; j++)
				assert_true(all[i].recv[j] ==
					    ((1e8f + 1) + -1e8f) + 1);
			end(&all[i], false);
		}
	}
}

/*
 * What Documentation/collectives.rst says of each algorithm's order, of the numbers that ranks
 * have of an element: bit by bit.
 */
static float in_order(const float *x, uint32_t first, uint32_t ranks)
{
	float sum = x[first % ranks];

	for (uint32_t i = 1; i < ranks; i++)
		sum += x[(first + i) % ranks];

	return sum;
}

/* The lower rank's part first, of those that are furthest apart at first. */
static float halved(const float *x, uint32_t ranks, uint32_t rank, uint32_t far)
{
	if (far == ranks)
		return x[rank];

	return halved(x, ranks, rank & ~far, 2 * far) +
	       halved(x, ranks, rank | far, 2 * far);
}

/* From the root's side: ranks count from there on. */
static float up_tree(const float *x, uint32_t ranks, uint32_t root, uint32_t v,
		     uint32_t below)
{
	float sum = x[(root + v) % ranks];

	for (uint32_t far = 1; far < below && v + far < ranks; far *= 2)
		sum += up_tree(x, ranks, root, v + far, far);

	return sum;
}

/* Of a ring's orders, which begin where the element's chunk does. */
static bool is_round(const float *x, uint32_t ranks, float sum)
{
	for (uint32_t i = 0; i < ranks; i++)
		if (in_order(x, i, ranks) == sum)
			return true;

	return false;
}

static bool is_in_order(const struct coll_call *call, const float *x, float sum)
{
	uint32_t ranks = call->ranks, boxes;
	float box[MOST];

	switch (call->algorithm) {
	case COLL_RING:
		return call->kind == COLL_REDUCE_SCATTER ?
		       sum == in_order(x, call->rank + 1, ranks) :
		       is_round(x, ranks, sum);
	case COLL_HALVING:
		return sum == halved(x, ranks, 0, 1);
	case COLL_TREE:
		return sum == up_tree(x, ranks, call->root, 0, MOST);
	case COLL_HIERARCHICAL:
		boxes = call->firsts ? call->boxes : ranks / call->box;
		for (uint32_t i = 0; i < boxes; i++) {
			uint32_t first = call->firsts ? call->firsts[i] : i * call->box;
			uint32_t next = call->firsts ? i + 1 < boxes ?
					call->firsts[i + 1] : ranks : first + call->box;

			box[i] = in_order(x + first, 0, next - first);
		}
		if (call->kind == COLL_REDUCE_SCATTER)
			return sum == in_order(box, coll_box_of(call, call->rank) + 1, boxes);
		return boxes & (boxes - 1) ? is_round(box, boxes, sum) :
					     sum == halved(box, boxes, 0, 1);
	default:
		return sum == in_order(x, 0, ranks);
	}
}

/* Numbers of all sizes, whose sums depend on the order. */
static float uneven(uint32_t rank, uint64_t at)
{
	uint32_t x = (uint32_t)(rank * 2654435761u + at * 40503u) * 2246822519u;

	return ((float)(x >> 8) - 8388608.f) / (float)(1u << (x & 31) / 2);
}

/* Off by no more than (n - 1) 2^-24 of the sum of absolute values. */
static bool is_near(const float *x, uint32_t ranks, float sum)
{
	double exact = 0, most = 0;

	for (uint32_t i = 0; i < ranks; i++) {
		exact += x[i];
		most += fabs(x[i]);
	}

	return fabs(sum - exact) <= (ranks - 1) * 0x1p-24 * most;
}

static void check_order(const struct coll_call *call, bool first)
{
	static float firsts[MOST][300];

	for (uint32_t i = 0; i < call->ranks; i++) {
		begin(&all[i], call, i, false);
		for (uint64_t j = 0; j < call->count * parts(call, true); j++)
			all[i].send[j] = uneven(i, j);
	}
	run(call->ranks);
	for (uint32_t i = 0; i < call->ranks; i++) {
		const struct coll_call *own = &all[i].call;
		uint64_t shift = call->kind == COLL_REDUCE_SCATTER ?
				 number(call, i) * call->count : 0;
		float x[MOST];

		for (uint64_t j = 0; j < call->count; j++) {
			if (call->kind == COLL_REDUCE && i != call->root)
				break;
			for (uint32_t r = 0; r < call->ranks; r++)
				x[r] = uneven(r, shift + j);
			if (!is_in_order(own, x, all[i].recv[j]) ||
			    !is_near(x, call->ranks, all[i].recv[j]))
				fail_msg("%s %s, rank %u of %u, root %u: [%llu] is %a",
					 coll_algorithm_name(call->algorithm),
					 coll_kind_name(call->kind), i, call->ranks, call->root,
					 (unsigned long long)j, all[i].recv[j]);
			/* The same for each rank, and each time. */
			if (first)
				firsts[i][j] = all[i].recv[j];
			assert_true(firsts[call->kind == COLL_ALLREDUCE ? 0 : i][j] ==
				    all[i].recv[j]);
		}
		end(&all[i], false);
	}
}

TEST(order_of_each_algorithm)
{
	static const enum coll_kind kinds[] = {
		COLL_ALLREDUCE, COLL_REDUCE_SCATTER, COLL_REDUCE,
	};
	unsigned int run_so_far = 0;

	for (uint32_t ranks = 2; ranks <= MOST; ranks++)
		for (unsigned int k = 0; k < 3; k++)
			for (unsigned int a = 0; a < COLL_ALGORITHMS; a++)
				for (uint32_t box = 2; box < ranks; box++) {
					struct coll_call call = {
						.kind = kinds[k], .algorithm = a, .ranks = ranks,
						.count = 300, .row = 64, .box = box,
						.root = kinds[k] == COLL_REDUCE ? any(ranks) : 0,
					};

					if (!coll_can(&call) ||
					    (a != COLL_HIERARCHICAL && box > 2))
						continue;
					check_order(&call, true);
					check_order(&call, false);
					run_so_far++;
				}
	assert_true(run_so_far > 100);
}

TEST(order_of_boxes_that_differ)
{
	uint32_t firsts[MOST];

	for (unsigned int program = 0; program < unit_rounds(300); program++) {
		struct coll_call call;

		seed = program * 577;
		call = any_boxes(any(2) ? COLL_ALLREDUCE : COLL_REDUCE_SCATTER, firsts);
		call.root = 0;
		call.count = 300;
		check_order(&call, true);
		check_order(&call, false);
	}
}

/* More than 2^32 elements: numbers stay whole. */
TEST(huge)
{
	struct coll_call call = {
		.kind = COLL_ALLREDUCE, .ranks = 8, .rank = 7,
		.count = 5ull << 31, .row = 1 << 18,
	};
	struct coll_schedule s = {};
	uint64_t last = coll_passes(&call) - 1;
	uint64_t end = 0;

	assert_int_equal(last + 1, (5ull << 31) / (8 << 18));
	assert_int_equal(coll_schedule_make(&call, last, &s), 0);
	for (uint32_t i = 0; i < s.num_actions; i++)
		if (s.actions[i].kind > COLL_ACT_RECEIVE &&
		    s.actions[i].to.at + s.actions[i].count > end)
			end = s.actions[i].to.at + s.actions[i].count;
	assert_true(end == call.count);
	assert_true(coll_schedule_make(&call, last + 1, &s) < 0);
	coll_schedule_free(&s);
}

TEST(what_cannot_be)
{
	struct coll_call call = { .ranks = 6, .count = 1, .row = 64 };
	struct coll_schedule s = {};

	call.algorithm = COLL_HALVING;
	assert_false(coll_can(&call));
	assert_true(coll_schedule_make(&call, 0, &s) < 0);
	call.algorithm = COLL_TREE;
	call.kind = COLL_ALLTOALL;
	assert_false(coll_can(&call));
	/* Three boxes can, not a part of one; one is none. */
	call.algorithm = COLL_HIERARCHICAL;
	call.kind = COLL_ALLREDUCE;
	call.box = 2;
	assert_true(coll_can(&call));
	call.kind = COLL_ALLGATHER;
	assert_true(coll_can(&call));
	call.kind = COLL_ALLTOALL;
	assert_false(coll_can(&call));
	call.kind = COLL_REDUCE_SCATTER;
	assert_true(coll_can(&call));
	call.box = 4;
	assert_false(coll_can(&call));
	call.box = 6;
	assert_false(coll_can(&call));
	call.box = 0;
	assert_false(coll_can(&call));
	call.algorithm = COLL_TREE;
	call.kind = COLL_REDUCE;
	call.root = 6;
	assert_false(coll_can(&call));
	call.root = 0;
	assert_true(coll_can(&call));
	call.ranks = 0;
	assert_false(coll_can(&call));
	assert_null(coll_kind_name(COLL_KINDS));
	assert_null(coll_algorithm_name(COLL_ALGORITHMS));
}
