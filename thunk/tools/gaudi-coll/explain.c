// SPDX-License-Identifier: MIT
/* What each rank does, by the schedules that the library executes. */
#include <stdio.h>
#include <stdlib.h>

#include "coll/base/error.h"
#include "coll/schedule/settings.h"
#include "gaudi_coll.h"
#include "text.h"

static enum coll_kind kind_of(unsigned int shape)
{
	static const enum coll_kind kinds[SHAPES] = {
		COLL_ALLREDUCE, COLL_REDUCE_SCATTER, COLL_ALLGATHER,
		COLL_BROADCAST, COLL_REDUCE, COLL_ALLTOALL,
	};

	return kinds[shape];
}

static const char *ref_text(struct coll_ref ref, char text[48])
{
	static const char * const names[] = { "send", "recv", "slot", "work" };

	if (ref.space == COLL_SLOT)
		snprintf(text, 48, "slot[%u]", ref.row);
	else
		snprintf(text, 48, "%s+%llu", names[ref.space],
			 (unsigned long long)ref.at);

	return text;
}

static void show_action(const struct coll_schedule *s,
			const struct coll_action *a)
{
	char to[48], from[48];

	switch (a->kind) {
	case COLL_ACT_SEND:
		printf("    exchange %u: send %llu of %s to rank %u\n", a->exchange,
		       (unsigned long long)a->count, ref_text(a->from, from),
		       a->peer);
		break;
	case COLL_ACT_RECEIVE:
		printf("    exchange %u: receive %llu from rank %u\n", a->exchange,
		       (unsigned long long)a->count, a->peer);
		break;
	case COLL_ACT_COPY:
		printf("    %s = %s, %llu\n", ref_text(a->to, to),
		       ref_text(a->from, from), (unsigned long long)a->count);
		break;
	default:
		printf("    %s =", ref_text(a->to, to));
		for (uint32_t i = 0; i < a->num_refs; i++)
			printf("%s %s", i ? " +" : "",
			       ref_text(s->refs[a->first_ref + i], from));
		printf(", %llu\n", (unsigned long long)a->count);
		break;
	}
}

/* Elements that all ranks send in all passes, and exchanges one after the other. */
static void sum_up(const struct coll_call *call, uint64_t *sent,
		   uint64_t *exchanges)
{
	struct coll_schedule s = {};
	uint64_t passes = coll_passes(call);
	struct coll_call one = *call;
	uint32_t most = 0;

	*sent = 0;
	*exchanges = 0;
	/* All but the last pass are alike. */
	for (uint64_t pass = passes > 1 ? passes - 2 : 0; pass < passes; pass++) {
		uint64_t times = pass + 1 < passes ? passes - 1 : 1;

		most = 0;
		for (one.rank = 0; one.rank < one.ranks; one.rank++) {
			coll_schedule_make(&one, pass, &s);
			for (uint32_t i = 0; i < s.num_actions; i++)
				if (s.actions[i].kind == COLL_ACT_SEND)
					*sent += times * s.actions[i].count;
			most = s.exchange > most ? s.exchange : most;
		}
		*exchanges += times * most;
	}
	coll_schedule_free(&s);
}

/* What each algorithm would take, of those that there are. */
static void show_costs(const struct coll_settings *settings,
		       const struct coll_call *taken, uint32_t size)
{
	printf("  us:");
	for (unsigned int i = 0; i < COLL_ALGORITHMS; i++) {
		struct coll_call call = *taken;
		uint64_t ns;

		call.algorithm = (enum coll_algorithm)i;
		ns = coll_cheapest(&call, settings, size);
		if (ns != UINT64_MAX)
			printf(" %s %.1f%s", coll_algorithm_name(i),
			       (double)ns / 1000, call.algorithm ==
			       taken->algorithm ? " (taken)" : "");
	}
	putchar('\n');
}

static void show_constants(struct coll_settings *settings)
{
	const char *tune = getenv("GAUDI_COLL_TUNE");

	printf("# constants: %s:", settings->measure || !tune || !*tune ?
	       "the usual ones" : tune);
	for (unsigned int i = 0; i < COLL_COSTS; i++)
		printf(" %s %u", coll_cost_name(i),
		       *coll_cost_value(&settings->costs, i));
	putchar('\n');
}

static int explain_one(const struct coll_settings *settings,
		       const struct settings *s, int ranks, unsigned int shape)
{
	uint32_t size = (uint32_t)size_of(s->type);
	uint64_t parts = shape == REDUCE_SCATTER || shape == ALLGATHER ||
			 shape == ALLTOALL ? (uint64_t)ranks : 1;
	const struct coll_op op = {
		.kind = kind_of(shape),
		.type = s->type,
		.count = s->last / size / parts,
	};
	struct coll_call call = coll_choose(settings, (uint32_t)ranks, &op);
	struct coll_schedule schedule = {};
	uint64_t passes = coll_passes(&call), sent, exchanges;

	if (!passes)
		return 0;
	sum_up(&call, &sent, &exchanges);
	printf("%s of %llu %s by %d ranks: %s, %llu passes, %llu exchanges, %llu bytes over all wires\n",
	       shape_name(shape), (unsigned long long)op.count, type_name(s->type),
	       ranks, coll_algorithm_name(call.algorithm),
	       (unsigned long long)passes, (unsigned long long)exchanges,
	       (unsigned long long)sent * size);
	show_costs(settings, &call, size);
	if (s->svg)
		return draw_schedule(&call, size, &settings->costs, s->svg);
	for (call.rank = 0; call.rank < call.ranks; call.rank++) {
		if (coll_schedule_make(&call, 0, &schedule)) {
			complain("no memory");
			return -1;
		}
		printf("  rank %u, first pass, in elements\n", call.rank);
		for (uint32_t i = 0; i < schedule.num_actions; i++)
			show_action(&schedule, &schedule.actions[i]);
	}
	coll_schedule_free(&schedule);

	return 0;
}

/* As many as one box has, until all ranks are in one; or as they are given. */
static int set_boxes(struct coll_settings *settings, const struct settings *s,
		     uint32_t ranks)
{
	const uint32_t *given = s->boxes;
	uint32_t sizes[COLL_MAX_RANKS], num = 0, left = ranks;

	for (; s->num_boxes == 1 && left; left -= sizes[num++])
		sizes[num] = *given < left ? *given : left;
	for (; s->num_boxes > 1 && num < s->num_boxes && given[num] <= left; num++) {
		sizes[num] = given[num];
		left -= given[num];
	}
	if (s->num_boxes > 1 && (left || num < s->num_boxes)) {
		complain("the boxes do not have %u ranks in sum", ranks);
		return -1;
	}
	coll_settings_boxes(settings, sizes, num);

	return 0;
}

int explain(const struct settings *s, int ranks)
{
	struct coll_settings settings;
	int rc = 0;

	if (coll_settings_read(&settings)) {
		complain("%s", coll_message());
		return -1;
	}
	if (set_boxes(&settings, s, (uint32_t)ranks))
		return -1;
	show_constants(&settings);
	for (unsigned int shape = 0; !rc && shape < SHAPES; shape++)
		if (s->shapes & 1u << shape)
			rc = explain_one(&settings, s, ranks, shape);

	return rc;
}
