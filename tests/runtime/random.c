// SPDX-License-Identifier: MIT
/*
 * Random work on streams, compared with a model that does the same at once, one
 * after the other. Between streams the program orders what touches the same bytes,
 * by events and by nothing else, and no more than that.
 *
 * TRACE=1 prints what is done, ONLY=seed_3 does this one only, SEEDS=1000 so many
 * others, from SEED=100 on, of STEPS=250 steps each.
 */
#include "churn.h"
#include "gates.h"
#include "random.h"

#define DEVICES		5u
#define PINNED		3u
#define BUFFERS		(DEVICES + PINNED)
#define BYTES		(1280 * (size_t)KIB)
#define BIG		(5 * (size_t)MIB)	/* not by staging buffers */
#define GRAPHS		3u

static struct gaudi_stream *streams[STREAMS];
static struct gaudi_event *events[EVENTS];
static struct buffer buffers[BUFFERS];
static struct captured graphs[GRAPHS];
/* Streams as they are, and in the capture, if there is one. */
static struct order outside, inside;
static unsigned int batches[STREAMS];
static uint8_t *plain;			/* pageable, as large as the largest */
static bool trace;

/* @other has done its piece @number before what @s does next. */
static void wait_for(struct order *o, uint32_t s, uint32_t other,
		     uint32_t number)
{
	uint32_t e = below(EVENTS);

	for (uint32_t i = 0; i < EVENTS; i++, e = (e + 1) % EVENTS)
		if (o->recorded[e] && o->events[e].of[other] >= number)
			break;
	if (!o->recorded[e] || o->events[e].of[other] < number) {
		GOOD(gaudi_event_record(events[e], streams[other]));
		o->events[e] = o->streams[other];
		o->recorded[e] = true;
	}
	if (trace)
		print_message("  stream %u waits for event %u (%u of %u)\n", s,
			      e, number, other);
	GOOD(gaudi_stream_wait_event(streams[s], events[e]));
	learn(&o->streams[s], &o->events[e]);
}

static void order_before(struct order *o, uint32_t s,
			 const struct range *ranges, unsigned int count)
{
	struct knowledge need = conflicts(o, ranges, count);
	uint32_t other = below(STREAMS);

	for (unsigned int i = 0; i < STREAMS; i++) {
		if (o->streams[s].of[other] < need.of[other])
			wait_for(o, s, other, need.of[other]);
		other = (other + 1) % STREAMS;
	}
}

static void say(uint32_t s, const struct op *op)
{
	static const char *const names[] = {
		"up", "down", "within", "fill", "mix", "wide", "sum",
		"expand", "graph",
	};

	if (!trace)
		return;
	print_message("%u: stream %u: %s", step, s, names[op->kind]);
	if (op->kind != GRAPH)
		print_message(" to %td+%#zx/%zu from %td+%#zx/%zu, %zu x %zu",
			      op->to.buffer - buffers, op->to.at, op->to_pitch,
			      op->from.buffer ? op->from.buffer - buffers : 0,
			      op->from.at, op->from_pitch, op->width,
			      op->height);
	print_message("\n");
}

static void run(struct order *o, uint32_t s, const struct op *op)
{
	struct range ranges[3 * MAX_NODES];
	unsigned int count = ranges_of(op, ranges);

	say(s, op);
	order_before(o, s, ranges, count);
	do_call(op, streams[s]);
	note(o, s, ranges, count);
}

static size_t random_size(size_t most)
{
	static const size_t limits[] = { 64, 64, 64, 4096, 4096, 65536, 65536 };
	uint32_t which = below(8);
	size_t limit = which < 7 && limits[which] < most ? limits[which] : most;

	return 1 + below((uint32_t)limit);
}

static struct part random_part(struct buffer *b, size_t size)
{
	return (struct part) {
		.buffer = b, .at = below((uint32_t)(b->size - size + 1)),
	};
}

static struct buffer *random_device(void)
{
	return &buffers[below(DEVICES)];
}

static struct buffer *random_pinned(void)
{
	return &buffers[DEVICES + below(PINNED)];
}

/* Rows that lie between each other in one buffer. */
static void interleaved(struct op *op)
{
	struct buffer *b = random_device();

	op->width = 1 + below(300);
	op->height = 2 + below(30);
	op->to_pitch = 2 * op->width + below(100);
	op->from_pitch = op->to_pitch;
	op->from = random_part(b, op->height * op->from_pitch + op->width);
	op->to = op->from;
	op->to.at += op->width + below((uint32_t)(op->to_pitch -
						  2 * op->width + 1));
	if (chance(2)) {
		struct part part = op->to;

		op->to = op->from;
		op->from = part;
	}
}

static void random_copy(struct op *op)
{
	struct buffer *to = op->kind == DOWN ? random_pinned() :
		random_device();
	struct buffer *from = op->kind == UP ? random_pinned() :
		random_device();

	op->height = 1;
	if (op->kind == WITHIN && chance(6)) {
		interleaved(op);
		return;
	}
	if (chance(4)) {
		op->width = 1 + below(500);
		op->height = 1 + below(40);
		op->to_pitch = op->width + below(200);
		op->from_pitch = op->width + below(200);
	} else {
		op->width = random_size(BYTES / 2);
	}
	do {
		op->to = random_part(to, extent(op, true));
		op->from = random_part(from, extent(op, false));
	} while (touch(&(struct range) { to, op->to.at,
					 op->to.at + extent(op, true), true },
		       &(struct range) { from, op->from.at,
					 op->from.at + extent(op, false),
					 false }));
}

static void random_fill(struct op *op)
{
	op->value_size = 1u << below(4);
	op->width = random_size(BYTES / op->value_size);
	op->value = mix(below(1u << 30));
	op->to = random_part(random_device(), extent(op, true));
}

static void random_launch(struct op *op)
{
	unsigned int a = below(DEVICES), b = (a + 1 + below(DEVICES - 1)) %
		DEVICES;

	op->to = random_part(&buffers[a], extent(op, true));
	op->from = random_part(&buffers[b], extent(op, false));
	if (op->kind != SUM)
		return;
	/* The two inputs may be the same. */
	op->second = random_part(&buffers[b], extent(op, false));
	op->to.at &= ~(size_t)3;
	op->from.at &= ~(size_t)3;
	op->second.at &= ~(size_t)3;
}

static struct op random_op(void)
{
	static const enum kind kinds[] = {
		UP, UP, DOWN, DOWN, WITHIN, WITHIN, WITHIN, FILL, FILL, MIX,
		MIX_WIDE, SUM, EXPAND,
	};
	struct op op = { .kind = kinds[below(13)] };

	if (op.kind >= MIX && !launchers[op.kind])
		op.kind = MIX;
	if (op.kind >= MIX)
		random_launch(&op);
	else if (op.kind == FILL)
		random_fill(&op);
	else
		random_copy(&op);

	return op;
}

static void one_op(uint32_t s)
{
	struct op op = random_op();

	run(&outside, s, &op);
	do_model(&op);
}

static void host_function(uint32_t s)
{
	unsigned int a = below(PINNED), b = (a + 1 + below(PINNED - 1)) %
		PINNED;
	struct op op = { .kind = DOWN, .height = 1, .width = random_size(8192) };
	struct host_work *w = malloc(sizeof(*w));
	struct range ranges[2];

	op.to = random_part(&buffers[DEVICES + a], op.width);
	op.from = random_part(&buffers[DEVICES + b], op.width);
	*w = (struct host_work) {
		.to = op.to.buffer->memory + op.to.at,
		.from = op.from.buffer->memory + op.from.at,
		.size = op.width, .key = (uint8_t)below(256),
		.gate = step + below(4),
	};
	say(s, &op);
	ranges_of(&op, ranges);
	order_before(&outside, s, ranges, 2);
	apply(op.to.buffer->model + op.to.at,
	      op.from.buffer->model + op.from.at, w->size, w->key);
	GOOD(gaudi_stream_add_host_fn(streams[s], host_work, w));
	note(&outside, s, ranges, 2);
	host_calls++;
}

/* Pageable memory: the call has read it, or written it, when it returns. */
static void pageable(uint32_t s)
{
	struct buffer host = { .memory = plain, .model = plain };
	struct op op = { .kind = chance(2) ? UP : DOWN };
	uint8_t *seen;
	size_t size;

	do
		random_copy(&op);
	while (op.height > 1 && op.kind == WITHIN);
	if (op.height == 1 && chance(4)) {
		op.width = BIG - below(512 * KIB);
		*(op.kind == UP ? &op.to : &op.from) =
			random_part(&buffers[DEVICES - 1], op.width);
	}
	*(op.kind == UP ? &op.from : &op.to) = (struct part) {
		.buffer = &host, .at = below(200),
	};
	size = extent(&op, op.kind == DOWN) + 200;
	open_all_gates();
	if (op.kind == UP) {
		pattern(plain, size, below(1000));
		run(&outside, s, &op);
		do_model(&op);
		memset(plain, 0xee, size);
	} else {
		memset(plain, 0xdd, size);
		run(&outside, s, &op);
		seen = malloc(size);
		memcpy(seen, plain, size);
		memset(plain, 0xdd, size);
		do_model(&op);
		assert_memory_equal(seen, plain, size);
		free(seen);
	}
	forget(&outside, &host);
}

/* From one buffer to another by way of memory that is there for this only. */
static void bounce(uint32_t s)
{
	struct buffer t = { .size = random_size(BYTES) };
	struct op op = { .kind = WITHIN, .height = 1, .width = t.size };
	uint32_t last = below(STREAMS);

	t.model = malloc(t.size);
	if (chance(2))
		GOOD(gaudi_malloc_async(streams[s], t.size, &t.address));
	else
		GOOD(gaudi_malloc(dev, t.size, &t.address));
	op.from = random_part(random_device(), t.size);
	op.to.buffer = &t;
	run(&outside, s, &op);
	do_model(&op);
	op.from = op.to;
	op.to = random_part(random_device(), t.size);
	run(&outside, last, &op);
	do_model(&op);
	if (chance(2))
		GOOD(gaudi_free_async(streams[last], t.address));
	else
		GOOD(gaudi_free(dev, t.address));
	forget(&outside, &t);
	free(t.model);
}

static void destroy_graph(struct captured *c)
{
	open_all_gates();
	GOOD(gaudi_graph_destroy(c->graph));
	c->graph = NULL;
	c->num_ops = 0;
}

/* A buffer freed while work with it is under way, and a new one. */
static void renew(uint32_t s)
{
	struct buffer *b = random_device();
	struct op op = { .kind = FILL, .value_size = 8, .width = b->size / 8,
			 .value = mix(step), .to.buffer = b };

	GOOD(gaudi_free(dev, b->address));
	forget(&outside, b);
	if (chance(2)) {
		open_all_gates();
		GOOD(gaudi_device_synchronize(dev));
	}
	GOOD(gaudi_malloc(dev, b->size, &b->address));
	/* Its old place may be its new one, but is no longer theirs. */
	for (unsigned int i = 0; i < GRAPHS; i++) {
		if (!uses(&graphs[i], b))
			continue;
		FAILS(gaudi_graph_launch(graphs[i].graph, streams[s]),
		      GAUDI_ERR_ADDRESS);
		destroy_graph(&graphs[i]);
	}
	run(&outside, s, &op);
	do_model(&op);
}

/* A stream of the capture: it joins by waiting for one that is in it. */
static uint32_t random_member(uint32_t origin, bool *members)
{
	uint32_t s = below(2) ? origin : below(STREAMS);

	if (members[s] || batches[s])
		return batches[s] ? origin : s;
	/* Something must have been recorded in the capture to wait for. */
	wait_for(&inside, s, origin, inside.streams[origin].of[origin]);
	members[s] = true;

	return s;
}

static void nested_launch(struct captured *c, uint32_t s)
{
	struct captured *other = &graphs[below(GRAPHS)];
	struct op op = { .kind = GRAPH, .captured = other };

	if (!other->graph || c->num_ops + other->num_ops > MAX_NODES)
		return;
	run(&inside, s, &op);
	memcpy(c->ops + c->num_ops, other->ops,
	       other->num_ops * sizeof(other->ops[0]));
	c->num_ops += other->num_ops;
	c->nested = true;
}

static void end_batches(uint32_t s)
{
	for (; batches[s]; batches[s]--)
		GOOD(gaudi_stream_end_batch(streams[s]));
}

static void capture(void)
{
	struct captured c = { 0 };
	uint32_t origin = below(STREAMS), count, length = 2 + below(14);
	bool members[STREAMS] = { false };

	open_all_gates();
	inside = (struct order) { 0 };
	end_batches(origin);
	members[origin] = true;
	GOOD(gaudi_stream_begin_capture(streams[origin]));
	for (unsigned int i = 0; i < length && c.num_ops < MAX_NODES; i++) {
		uint32_t s = i ? random_member(origin, members) : origin;
		struct op *op = &c.ops[c.num_ops];

		if (chance(10)) {
			nested_launch(&c, s);
			continue;
		}
		*op = random_op();
		run(&inside, s, op);
		op->stream = s;
		op->before = inside.streams[s];
		op->number = op->before.of[s]--;
		c.num_ops++;
	}
	for (uint32_t s = 0; s < STREAMS; s++)
		if (members[s] && s != origin &&
		    inside.streams[origin].of[s] < inside.streams[s].of[s])
			wait_for(&inside, origin, s, inside.streams[s].of[s]);
	GOOD(gaudi_stream_end_capture(streams[origin], &c.graph));
	GOOD(gaudi_graph_get_node_count(c.graph, &count));
	assert_int_equal(count, c.num_ops);
	origin = below(GRAPHS);
	destroy_graph(&graphs[origin]);
	graphs[origin] = c;
}

static void launch_graph(uint32_t s)
{
	struct captured *c = &graphs[below(GRAPHS)];
	struct op op = { .kind = GRAPH, .captured = c };

	if (!c->graph)
		return;
	/* It waits for earlier ones if there are many. */
	if (chance(3))
		open_all_gates();
	run(&outside, s, &op);
	do_model(&op);
}

/* Would the capture's order still do with @op in the place of node @number? */
static bool is_ordered(const struct captured *c, unsigned int number,
		       const struct op *op)
{
	struct range theirs[3], ours[3];
	unsigned int n = ranges_of(op, ours);

	for (unsigned int i = 0; i < c->num_ops; i++) {
		const struct op *first = i < number ? &c->ops[i] : op;
		const struct op *then = i < number ? op : &c->ops[i];
		unsigned int m = ranges_of(&c->ops[i], theirs);

		if (i == number ||
		    then->before.of[first->stream] >= first->number)
			continue;
		for (unsigned int j = 0; j < n * m; j++)
			if (ranges_conflict(&ours[j % n], &theirs[j / n]))
				return false;
	}

	return true;
}

/* Other places for one node, where the order allows it. */
static void move_node(struct captured *c)
{
	unsigned int number = below(c->num_ops);
	struct op op = c->ops[number];
	struct gaudi_graph_node node = { .size = sizeof(node) };
	struct range to, from;

	op.to = random_part(op.to.buffer, extent(&op, true));
	if (op.from.buffer)
		op.from = random_part(op.from.buffer, extent(&op, false));
	op.to.at &= ~(size_t)3;
	op.from.at &= ~(size_t)3;
	to = range_of(&op, &op.to);
	from = range_of(&op, &op.from);
	if (touch(&to, &from) || !is_ordered(c, number, &op))
		return;
	c->ops[number] = op;
	if (op.kind >= MIX) {
		struct gaudi_binding bindings[] = {
			on_device("in", op.from.buffer->address + op.from.at),
			on_device("out", op.to.buffer->address + op.to.at),
		};

		GOOD(gaudi_graph_bind(c->graph, number, bindings, 2));
		return;
	}
	GOOD(gaudi_graph_get_node(c->graph, number, &node));
	assert_int_equal(node.height, op.kind == FILL ? 1 : op.height);
	node.to = op.kind == DOWN ? 0 : op.to.buffer->address + op.to.at;
	node.from = op.kind == UP || op.kind == FILL ? 0 :
		op.from.buffer->address + op.from.at;
	node.to_memory = op.kind == DOWN ? memory_of(&op.to) : NULL;
	node.from_memory = op.kind == UP ? memory_of(&op.from) : NULL;
	GOOD(gaudi_graph_set_node(c->graph, number, &node));
}

/* A buffer of a graph becomes another one, of the same size. */
static void replace(struct captured *c)
{
	unsigned int first = chance(3) ? DEVICES : 0;
	unsigned int count = first ? PINNED : DEVICES - 1;
	struct buffer *old = &buffers[first + below(count)];
	struct buffer *to = &buffers[first + below(count)];

	if (!uses(c, old) || uses(c, to))
		return;
	if (first)
		GOOD(gaudi_graph_replace_host(c->graph, old->memory,
					      to->memory, old->size));
	else
		GOOD(gaudi_graph_replace(c->graph, old->address, to->address,
					 old->size));
	for (unsigned int i = 0; i < c->num_ops; i++) {
		struct part *parts[] = { &c->ops[i].to, &c->ops[i].from,
					 &c->ops[i].second };

		for (unsigned int j = 0; j < 3; j++)
			if (parts[j]->buffer == old)
				parts[j]->buffer = to;
	}
}

static void update_graph(void)
{
	struct captured *c = &graphs[below(GRAPHS)];

	if (!c->graph)
		return;
	if (!c->nested && c->num_ops && chance(2))
		move_node(c);
	else
		replace(c);
}

static bool is_host_free(const struct buffer *b)
{
	struct range all = { (struct buffer *)b, 0, b->size, true };
	struct knowledge last = conflicts(&outside, &all, 1);

	for (unsigned int i = 0; i < STREAMS; i++)
		if (last.of[i] > outside.host.of[i])
			return false;

	return true;
}

static void compare(const struct buffer *b, const uint8_t *have)
{
	/* Nearly always. */
	if (!memcmp(have, b->model, b->size))
		return;
	for (size_t i = 0; i < b->size; i++)
		if (have[i] != b->model[i])
			fail_msg("step %u: byte %#zx of buffer %td is %#x, not %#x",
				 step, i, b - buffers, have[i], b->model[i]);
}

/* What the host may look at, and new data into some of it. */
static void look_at_pinned(void)
{
	for (unsigned int i = DEVICES; i < BUFFERS; i++) {
		struct buffer *b = &buffers[i];

		if (!is_host_free(b))
			continue;
		compare(b, b->memory);
		if (chance(2)) {
			struct part part = random_part(b, random_size(b->size));
			size_t size = b->size - part.at;

			pattern(b->memory + part.at, size, step);
			memcpy(b->model + part.at, b->memory + part.at, size);
		}
	}
}

static void look_at_all(void)
{
	open_all_gates();
	GOOD(gaudi_device_synchronize(dev));
	for (unsigned int s = 0; s < STREAMS; s++) {
		if (chance(2))
			GOOD(gaudi_stream_query(streams[s]));
		host_learns(&outside, &outside.streams[s]);
	}
	assert_int_equal(outside.num_accesses, 0);
	pthread_mutex_lock(&gate_lock);
	assert_int_equal(host_calls_made, host_calls);
	gates_open = step;
	pthread_mutex_unlock(&gate_lock);
	for (unsigned int i = 0; i < DEVICES; i++) {
		GOOD(gaudi_copy_to_host(dev, plain, buffers[i].address,
					buffers[i].size));
		compare(&buffers[i], plain);
	}
	look_at_pinned();
}

/* A part of the work, by a stream or by an event. */
static void synchronize(void)
{
	uint32_t s = below(STREAMS), e = below(EVENTS);

	open_all_gates();
	if (chance(2)) {
		GOOD(gaudi_stream_synchronize(streams[s]));
		GOOD(gaudi_stream_query(streams[s]));
		host_learns(&outside, &outside.streams[s]);
	} else {
		GOOD(gaudi_event_synchronize(events[e]));
		GOOD(gaudi_event_query(events[e]));
		host_learns(&outside, &outside.events[e]);
	}
	look_at_pinned();
}

static void batch(uint32_t s)
{
	if (batches[s] && below(4)) {
		GOOD(gaudi_stream_end_batch(streams[s]));
		batches[s]--;
	} else if (batches[s] < 2) {
		GOOD(gaudi_stream_begin_batch(streams[s]));
		batches[s]++;
	}
}

static void event(uint32_t s)
{
	uint32_t e = below(EVENTS);

	if (chance(2)) {
		GOOD(gaudi_event_record(events[e], streams[s]));
		outside.events[e] = outside.streams[s];
		outside.recorded[e] = true;
	} else {
		GOOD(gaudi_stream_wait_event(streams[s], events[e]));
		learn(&outside.streams[s], &outside.events[e]);
	}
}

static void one_step(void)
{
	uint32_t s = below(STREAMS), what = below(100);

	step++;
	open_gates(step);
	if (what < 48)
		one_op(s);
	else if (what < 56)
		event(s);
	else if (what < 64)
		host_function(s);
	else if (what < 69)
		pageable(s);
	else if (what < 75)
		bounce(s);
	else if (what < 78)
		renew(s);
	else if (what < 81)
		capture();
	else if (what < 87)
		launch_graph(s);
	else if (what < 90)
		update_graph();
	else if (what < 94)
		batch(s);
	else if (what < 97)
		synchronize();
	else if (what < 98)
		look_at_all();
	else if (what < 99)
		have_a_child(streams[s]);
	else
		free_behind_a_batch();
}

static int set_up_random(void **state)
{
	if (set_up_device(state))
		return -1;
	trace = getenv("TRACE");
	plain = malloc(BIG + 1000);
	for (unsigned int i = 0; i < STREAMS; i++)
		GOOD(gaudi_stream_create(dev, &streams[i]));
	for (unsigned int i = 0; i < EVENTS; i++)
		GOOD(gaudi_event_create(dev, i % 2, &events[i]));
	for (unsigned int i = 0; i < BUFFERS; i++) {
		struct buffer *b = &buffers[i];

		b->size = i == DEVICES - 1 ? BIG : BYTES;
		b->model = malloc(b->size);
		if (i < DEVICES) {
			b->address = device_memory(b->size);
		} else if (i < BUFFERS - 1) {
			b->memory = pinned_memory(b->size);
		} else {
			/* At no page, and with pages of others. */
			b->memory = (uint8_t *)malloc(b->size + 77) + 77;
			GOOD(gaudi_host_register(dev, b->memory, b->size));
		}
	}

	return 0;
}

static int tear_down_random(void **state)
{
	GOOD(gaudi_host_unregister(dev, buffers[BUFFERS - 1].memory));
	free(buffers[BUFFERS - 1].memory - 77);
	for (unsigned int i = 0; i < BUFFERS; i++)
		free(buffers[i].model);
	free(plain);

	return tear_down_device(state);
}

static void random_work(void **state)
{
	const char *steps = getenv("STEPS");
	unsigned int end = step + (steps ? strtoul(steps, NULL, 10) : 250);
	struct churn churn = { .rounds = 0 };

	random_state = (uintptr_t)*state;
	make_launchers();
	churn_begin(&churn);
	for (unsigned int i = 0; i < BUFFERS; i++) {
		struct buffer *b = &buffers[i];

		pattern(b->model, b->size, random_state + i);
		if (b->memory)
			memcpy(b->memory, b->model, b->size);
		else
			GOOD(gaudi_copy_to_device(dev, b->address, b->model,
						  b->size));
	}
	while (step < end)
		one_step();
	for (unsigned int s = 0; s < STREAMS; s++)
		end_batches(s);
	look_at_all();
	churn_end(&churn);
	for (unsigned int i = 0; i < GRAPHS; i++)
		destroy_graph(&graphs[i]);
	destroy_launchers();
}

/* $SEEDS of them, from $SEED on: a session for as long as one likes. */
static void many_seeds(void **state)
{
	const char *first = getenv("SEED");
	uintptr_t seed = first ? strtoul(first, NULL, 10) : 100;
	uintptr_t end = seed + strtoul(getenv("SEEDS"), NULL, 10);

	for (; seed < end; seed++) {
		print_message("seed %ju\n", (uintmax_t)seed);
		*state = (void *)seed;
		random_work(state);
	}
}

#define SEED(number) {							\
	"seed_" #number, random_work, NULL, NULL, (void *)(uintptr_t)number \
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SEED(1), SEED(2), SEED(3), SEED(4), SEED(5),
	};

	const struct CMUnitTest session[] = {
		cmocka_unit_test(many_seeds),
	};

	if (getenv("SEEDS"))
		return RUN_TESTS(session, set_up_random, tear_down_random);

	return RUN_TESTS(tests, set_up_random, tear_down_random);
}
