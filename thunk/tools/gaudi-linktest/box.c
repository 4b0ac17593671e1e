// SPDX-License-Identifier: MIT
/*
 * All cards of this machine. First pair by pair, one way or both, then all pairs at the same
 * time, each card with one submission for all its peers.
 */
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "linktest.h"
#include "progress.h"
#include "text.h"

/* Both ends of a wire; what goes from the first to the second. */
struct wire {
	unsigned int from, to;		/* cards */
	struct end ends[2];
};

struct run {
	const struct settings *s;
	struct box *box;
	struct gaudi_device *devices[MAX_CARDS];
	uint64_t largest;
	struct wire wires[MAX_CARDS * MAX_CARDS];
	unsigned int num_wires;
	struct watcher watcher;
};

/* The pattern of what goes from one card to another. */
static unsigned int seed_of(unsigned int from, unsigned int to)
{
	return from * MAX_CARDS + to + 1;
}

/*
 * Cards
 */
static bool is_wanted(const struct settings *s, uint32_t module_id)
{
	for (unsigned int i = 0; i < s->num_cards; i++)
		if (s->cards[i] == module_id)
			return true;

	return !s->num_cards;
}

/* In the order of module ids. */
static void add_card(struct run *run, struct gaudi_device *device,
		     const struct gaudi_device_info *info)
{
	struct box *box = run->box;
	unsigned int at = box->count++;

	for (; at && box->infos[at - 1].module_id > info->module_id; at--) {
		box->infos[at] = box->infos[at - 1];
		run->devices[at] = run->devices[at - 1];
	}
	box->infos[at] = *info;
	run->devices[at] = device;
}

static int open_card(struct run *run, uint32_t index)
{
	struct gaudi_device_info info = { .size = sizeof(info) };
	struct gaudi_device *device;

	if (gaudi_device_open(index, 60000, &device))
		return failed("a card");
	if (gaudi_device_get_info(device, &info)) {
		gaudi_device_close(device);
		return failed("a card");
	}
	if (is_wanted(run->s, info.module_id))
		add_card(run, device, &info);
	else
		gaudi_device_close(device);

	return 0;
}

static int open_cards(struct run *run)
{
	uint32_t count;

	if (gaudi_device_count(&count))
		return failed("cards");
	for (uint32_t i = 0; i < count && run->box->count < MAX_CARDS; i++)
		if (open_card(run, i))
			return -1;
	if (run->box->count < 2 ||
	    (run->s->num_cards && run->box->count != run->s->num_cards)) {
		complain("%u of %u cards; at least two are needed, and all that are asked for",
			 run->box->count, count);
		return -1;
	}

	return 0;
}

/*
 * Wires
 */
static int card_of_module(const struct box *box, uint32_t module_id)
{
	for (unsigned int i = 0; i < box->count; i++)
		if (box->infos[i].module_id == module_id)
			return (int)i;

	return -1;
}

static int join(struct end *a, struct end *b)
{
	struct gaudi_link_address address;

	for (int i = 0; i < a->num_links; i++)
		if (gaudi_link_get_address(a->links[i], &address) ||
		    gaudi_link_connect(b->links[i], &address) ||
		    gaudi_link_get_address(b->links[i], &address) ||
		    gaudi_link_connect(a->links[i], &address))
			return failed("a link between two cards");
	a->peer_to = b->to;
	b->peer_to = a->to;

	return 0;
}

static int add_wire(struct run *run, unsigned int from, unsigned int to)
{
	struct wire *wire = &run->wires[run->num_wires];
	const struct box_pair *pair = &run->box->pairs[from][to];

	wire->from = from;
	wire->to = to;
	if (end_open(&wire->ends[0], run->devices[from], run->largest))
		return -1;
	run->num_wires++;
	if (end_link(&wire->ends[0], pair->from_port, run->s->qps) ||
	    end_open(&wire->ends[1], run->devices[to], run->largest) ||
	    end_link(&wire->ends[1], pair->to_port, run->s->qps))
		return -1;

	return join(&wire->ends[0], &wire->ends[1]);
}

/* Ports of a card that lead to others of these, and are up. */
static int look_at_ports(struct run *run, unsigned int from)
{
	for (uint32_t port = 0; port < 10; port++) {
		struct gaudi_port_info info = { .size = sizeof(info) };
		struct box_pair *pair;
		int to;

		if (gaudi_port_get_info(run->devices[from], port, &info))
			return failed("a port");
		to = info.flags & GAUDI_PORT_PEER ?
		     card_of_module(run->box, info.peer_module) : -1;
		if (to < 0 || !(info.flags & GAUDI_PORT_UP))
			continue;
		pair = &run->box->pairs[from][to];
		if (pair->wired)
			continue;
		pair->wired = true;
		pair->from_port = port;
		pair->to_port = info.peer_port;
		run->box->pairs[to][from] = (struct box_pair) {
			.wired = true,
			.from_port = info.peer_port,
			.to_port = port,
		};
	}

	return 0;
}

static int find_wires(struct run *run)
{
	const struct box *box = run->box;

	for (unsigned int i = 0; i < box->count; i++)
		if (look_at_ports(run, i))
			return -1;
	for (unsigned int i = 0; i < box->count; i++)
		for (unsigned int j = i + 1; j < box->count; j++)
			if (box->pairs[i][j].wired && add_wire(run, i, j))
				return -1;
	if (run->num_wires)
		return 0;
	complain("no port that is up leads from one of these cards to another");

	return -1;
}

/*
 * Links that fail
 */
#define LOOK_MS	100

static bool has_failed(const struct end *end)
{
	/* Without what takes longer to find out. */
	struct gaudi_link_info info = {
		.size = offsetof(struct gaudi_link_info, under_way),
	};

	for (int i = 0; i < end->num_links; i++)
		if (!gaudi_link_get_info(end->links[i], &info) &&
		    info.state == GAUDI_LINK_FAILED)
			return true;

	return false;
}

/* The peer of a link that has failed awaits what will never come. */
static void *watch(void *arg)
{
	struct run *run = arg;
	struct pollfd stop = { .fd = run->watcher.stop[0], .events = POLLIN };
	bool failed = false;

	while (!failed && poll(&stop, 1, LOOK_MS) <= 0)
		for (unsigned int i = 0; i < 2 * run->num_wires; i++)
			failed |= has_failed(&run->wires[i / 2].ends[i % 2]);
	for (unsigned int i = 0; failed && i < 2 * run->num_wires; i++)
		end_abort(&run->wires[i / 2].ends[i % 2]);

	return NULL;
}

/*
 * Measures
 */

/* Of one size, from @a to @b, and back at the same time if both ways are wanted. */
static int measure_size(struct run *run, struct end *a, struct end *b,
			uint64_t bytes, double *rate, uint64_t *writes)
{
	struct end *const ends[] = { a, b };
	bool both = run->s->both;
	double start = now();

	if (end_flow(ends, both ? 2 : 1, run->s, bytes, writes) ||
	    end_awaits(b) || (both && end_awaits(a)) || end_sync(b) ||
	    end_sync(a))
		return -1;
	*rate = (double)bytes * (double)*writes / (now() - start);

	return 0;
}

/* In parts: neither stream's queue may be full of what waits for the other. */
#define ROUNDS_AT_ONCE	16

static int part_of(int rounds, int done)
{
	return rounds - done < ROUNDS_AT_ONCE ? rounds - done : ROUNDS_AT_ONCE;
}

static int measure_latency(struct run *run, struct end *a, struct end *b,
			   double *latency)
{
	int n = run->s->rounds;
	double start = now();

	for (int done = 0; done < n;) {
		int some = part_of(n, done);

		if (end_rounds(a, some, latency_bytes(run->s), true) ||
		    end_rounds(b, some, latency_bytes(run->s), false))
			return -1;
		done += some;
	}
	if (end_sync(a) || end_sync(b))
		return -1;
	*latency = (now() - start) / (2.0 * n);

	return 0;
}

static int measure_rounds(struct run *run, struct end *a, struct end *b,
			  struct figures *figures)
{
	uint64_t bytes = latency_bytes(run->s);
	int n = run->s->rounds;

	for (int done = 0; done < n;) {
		int some = part_of(n, done);

		if (end_rounds(b, some, bytes, false) ||
		    rounds_time(a, some, bytes, figures->rounds + done))
			return -1;
		done += some;
	}
	figures->num_rounds = n;

	return end_sync(b);
}

static int measure_pair(struct run *run, struct wire *wire, bool back)
{
	unsigned int from = back ? wire->to : wire->from;
	unsigned int to = back ? wire->from : wire->to;
	struct end *a = &wire->ends[back], *b = &wire->ends[!back];
	struct figures *figures = &run->box->pairs[from][to].figures;
	const struct settings *s = run->s;

	if (s->latency && (measure_latency(run, a, b, &figures->latency) ||
			   measure_rounds(run, a, b, figures)))
		return -1;
	if (end_fill(a, run->largest, seed_of(from, to)) ||
	    end_fill(b, run->largest, seed_of(to, from)))
		return -1;
	for (unsigned int i = 0; s->bandwidth && i < s->num_sizes; i++) {
		uint64_t writes;
		double once;

		/* What is touched for the first time takes longer. */
		if ((!i && measure_size(run, a, b, s->sizes[s->num_sizes - 1],
					&once, &writes)) ||
		    measure_size(run, a, b, s->sizes[i],
				 &figures->bandwidth[i], &figures->writes[i]))
			return -1;
	}
	if (!s->bandwidth)
		return 0;
	if (end_check(b, run->largest, seed_of(from, to)) ||
	    (s->both && end_check(a, run->largest, seed_of(to, from))))
		return -1;

	return 0;
}

/*
 * All that one card sends, in one submission for each write of each wire, whose links take
 * turns; the last time all links of it notify.
 */
static int post_all(struct run *run, struct gaudi_stream *stream,
		    unsigned int card, uint64_t turn, bool last)
{
	struct gaudi_link_op ops[2 * MAX_CARDS * MAX_QPS];
	uint32_t num = 0;

	for (unsigned int i = 0; i < 2 * run->num_wires; i++) {
		struct wire *wire = &run->wires[i / 2];
		struct end *end = &wire->ends[i % 2];
		int mine = (int)(turn % (uint64_t)end->num_links);

		if ((i % 2 ? wire->to : wire->from) != card)
			continue;
		for (int k = 0; k < end->num_links; k++) {
			if (k != mine && !last)
				continue;
			ops[num++] = (struct gaudi_link_op) {
				.link = end->links[k],
				.kind = GAUDI_LINK_WRITE,
				.flags = last ? GAUDI_LINK_NOTIFY : 0,
				.from = end->from,
				.to = end->peer_to,
				.bytes = k == mine ? run->largest : 0,
			};
			if (last)
				ops[num++] = (struct gaudi_link_op) {
					.link = end->links[k],
					.kind = GAUDI_LINK_WAIT,
					.count = 1,
				};
		}
	}

	return gaudi_link_post_async(stream, ops, num) ?
	       failed("all links of a card") : 0;
}

/* More than is ever under way, so that with a duration not too much is given. */
#define TURNS	16

static int sync_all(struct run *run, struct gaudi_stream *const *streams)
{
	for (unsigned int card = 0; card < run->box->count; card++)
		if (gaudi_stream_synchronize(streams[card]))
			return failed("all links at once");

	return 0;
}

/* Is this turn the last one? */
static bool is_last(const struct run *run, uint64_t turn, double start)
{
	const struct settings *s = run->s;

	return s->duration ? now() - start >= s->duration :
			     turn + 1 >= (uint64_t)s->iterations;
}

static int run_at_once(struct run *run, struct gaudi_stream *const *streams)
{
	struct box *box = run->box;
	double start = now();
	uint64_t turn = 0;
	bool last;

	do {
		last = is_last(run, turn, start);
		for (unsigned int card = 0; card < box->count; card++)
			if (post_all(run, streams[card], card, turn, last))
				return -1;
		if (run->s->duration && turn % TURNS == TURNS - 1 &&
		    sync_all(run, streams))
			return -1;
		turn++;
	} while (!last);
	if (sync_all(run, streams))
		return -1;
	box->at_once = 2.0 * run->num_wires * (double)run->largest *
		       (double)turn / (now() - start);

	return 0;
}

static int check_all(struct run *run)
{
	int rc = 0;

	for (unsigned int i = 0; i < run->num_wires; i++) {
		struct wire *wire = &run->wires[i];

		rc |= end_check(&wire->ends[1], run->largest,
				seed_of(wire->from, wire->to));
		rc |= end_check(&wire->ends[0], run->largest,
				seed_of(wire->to, wire->from));
	}

	return rc;
}

static int fill_all(struct run *run)
{
	for (unsigned int i = 0; i < run->num_wires; i++) {
		struct wire *wire = &run->wires[i];

		if (end_fill(&wire->ends[0], run->largest,
			     seed_of(wire->from, wire->to)) ||
		    end_fill(&wire->ends[1], run->largest,
			     seed_of(wire->to, wire->from)))
			return -1;
	}

	return 0;
}

static int measure_at_once(struct run *run)
{
	struct gaudi_stream *streams[MAX_CARDS] = {};
	int rc = fill_all(run);

	for (unsigned int i = 0; !rc && i < run->box->count; i++)
		if (gaudi_stream_create(run->devices[i], &streams[i]))
			rc = failed("a stream");
	if (!rc)
		rc = run_at_once(run, streams);
	for (unsigned int i = 0; i < run->box->count; i++)
		gaudi_stream_destroy(streams[i]);

	return rc ? rc : check_all(run);
}

static int measure_all(struct run *run)
{
	struct progress progress;

	progress_begin(&progress, 2ull * run->num_wires, run->s->quiet);
	progress.unit = "pairs";
	for (unsigned int i = 0; i < 2 * run->num_wires; i++) {
		progress_show(&progress, i);
		if (measure_pair(run, &run->wires[i / 2], i % 2)) {
			progress_end_shown(&progress, i);
			return -1;
		}
	}
	progress_end_shown(&progress, 2ull * run->num_wires);

	return run->s->bandwidth ? measure_at_once(run) : 0;
}

int box_run(const struct settings *s, struct box *box)
{
	struct run *run = calloc(1, sizeof(*run));
	int rc;

	if (!run) {
		complain("out of memory");
		return -1;
	}
	run->s = s;
	run->box = box;
	run->watcher.stop[0] = -1;
	run->largest = s->sizes[s->num_sizes - 1];
	rc = open_cards(run);
	if (!rc)
		rc = find_wires(run);
	if (!rc)
		rc = watcher_start(&run->watcher, watch, run);
	if (!rc)
		rc = measure_all(run);
	watcher_stop(&run->watcher);
	for (unsigned int i = 0; i < run->num_wires; i++) {
		end_close(&run->wires[i].ends[0]);
		end_close(&run->wires[i].ends[1]);
	}
	for (unsigned int i = 0; i < box->count; i++)
		gaudi_device_close(run->devices[i]);
	free(run);

	return rc;
}
