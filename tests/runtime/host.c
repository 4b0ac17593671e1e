// SPDX-License-Identifier: MIT
/* Recipes with nodes of the host, launched on a card. */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "gaudi_graph.h"
#include "gaudi_host_op.h"
#include "launchers.h"
#include "streams.h"

#define BYTES	3000u

static const struct gaudi_host_operand *operands(uint32_t to, uint32_t from)
{
	static struct gaudi_host_operand both[2];

	both[0] = (struct gaudi_host_operand) { from, GAUDI_KERNEL_READS };
	both[1] = (struct gaudi_host_operand) { to, GAUDI_KERNEL_WRITES };

	return both;
}

/* The other way round, and the parameter added to each byte. */
static int turn(const struct gaudi_host_call *call, void *arg)
{
	const struct gaudi_host_tensor *from = &call->tensors[0];
	const struct gaudi_host_tensor *to = &call->tensors[1];
	uint8_t add = *(const uint8_t *)call->params;

	if (arg != (void *)turn || call->num_tensors != 2 ||
	    strcmp(call->op, "turn") || from->bytes != to->bytes)
		return -EINVAL;
	for (uint64_t i = 0; i < to->bytes; i++)
		((uint8_t *)to->data)[i] = (uint8_t)(add +
			((const uint8_t *)from->data)[to->bytes - 1 - i]);

	return 0;
}

static void add_turn(struct making *m, uint32_t to, uint32_t from, uint8_t add)
{
	GOOD(gaudi_builder_add_host_op(m->b, "turn", 2, operands(to, from),
				       &add, 1, NULL));
}

static struct gaudi_host_op_stats stats_of(const char *op)
{
	struct gaudi_host_op_stats s = { .size = sizeof(s) };

	GOOD(gaudi_host_op_get_stats(op, &s));

	return s;
}

/* "in" to "out": copied, turned, copied, turned, and an event. */
static struct gaudi_recipe *turn_twice(void)
{
	struct making m = begin_recipe("twice");
	uint32_t in = tensor(&m, "in", IN, DEVICE, BYTES, NULL);
	uint32_t out = tensor(&m, "out", OUT, DEVICE, BYTES, NULL);
	uint32_t a = tensor(&m, "a", WORK, DEVICE, BYTES, NULL);
	uint32_t b = tensor(&m, "b", WORK, DEVICE, BYTES, NULL);
	uint32_t c = tensor(&m, "c", WORK, DEVICE, BYTES, NULL);

	GOOD(gaudi_host_op_register("turn", turn, (void *)turn));
	GOOD(gaudi_builder_allow_host(m.b, true));
	GOOD(gaudi_builder_add_copy(m.b, a, in, NULL));
	add_turn(&m, b, a, 1);
	GOOD(gaudi_builder_add_copy(m.b, c, b, NULL));
	GOOD(gaudi_builder_add_signal(m.b, "half", c, NULL));
	add_turn(&m, out, c, 2);
	GOOD(gaudi_builder_add_signal(m.b, "done", out, NULL));

	return end_recipe(&m);
}

static bool is_more_by(const uint8_t *bytes, unsigned int seed, uint8_t by)
{
	uint8_t want[BYTES];

	pattern(want, BYTES, seed);
	for (unsigned int i = 0; i < BYTES; i++)
		if (bytes[i] != (uint8_t)(want[i] + by))
			return false;

	return true;
}

static void between_parts_of_the_card(void **state)
{
	struct gaudi_host_op_stats before = {}, after;
	struct gaudi_launcher *l = launcher_of(turn_twice());
	gaudi_ptr at = device_memory(9 * BYTES);
	uint8_t host[BYTES];

	(void)state;
	before = stats_of("turn");
	for (unsigned int i = 0; i < 4; i++) {
		struct gaudi_binding both[] = {
			on_device("in", at + i * BYTES),
			on_device("out", at + (4 + i) * BYTES),
		};

		pattern(host, BYTES, i);
		GOOD(gaudi_copy_to_device(dev, at + i * BYTES, host, BYTES));
		GOOD(gaudi_launch(l, both, 2, i & 1 ? stream : second));
	}
	/* What comes behind it on the stream comes behind all of it. */
	GOOD(gaudi_copy_device_async(stream, at + 8 * BYTES, at + 7 * BYTES,
				     BYTES));
	GOOD(gaudi_stream_synchronize(stream));
	GOOD(gaudi_stream_synchronize(second));
	for (unsigned int i = 0; i < 4; i++) {
		GOOD(gaudi_copy_to_host(dev, host, at + (4 + i) * BYTES,
					BYTES));
		assert_true(is_more_by(host, i, 3));
	}
	GOOD(gaudi_copy_to_host(dev, host, at + 8 * BYTES, BYTES));
	assert_true(is_more_by(host, 3, 3));
	after = stats_of("turn");
	assert_int_equal(after.calls - before.calls, 8);
	assert_int_equal(after.failures, before.failures);
	assert_int_equal(after.bytes_to_host - before.bytes_to_host, 8 * BYTES);
	assert_int_equal(after.bytes_to_device - before.bytes_to_device,
			 8 * BYTES);
	GOOD(gaudi_launcher_destroy(l));
	GOOD(gaudi_free(dev, at));
}

/* Where no copies are needed: pinned memory, and constants. */
static void what_is_there(void **state)
{
	struct making m = begin_recipe("there");
	uint8_t data[BYTES], *memory = pinned_memory(3 * BYTES);
	struct gaudi_host_op_stats before, after;
	uint32_t in, table, one, two;
	struct gaudi_launcher *l;

	(void)state;
	pattern(data, BYTES, 7);
	in = tensor(&m, "in", IN, HOST, BYTES, NULL);
	table = tensor(&m, "table", GAUDI_TENSOR_CONSTANT, DEVICE, BYTES, data);
	one = tensor(&m, "one", OUT, HOST, BYTES, NULL);
	two = tensor(&m, "two", OUT, HOST, BYTES, NULL);
	GOOD(gaudi_host_op_register("turn", turn, (void *)turn));
	GOOD(gaudi_builder_allow_host(m.b, true));
	add_turn(&m, one, in, 0);
	add_turn(&m, two, table, 0);
	l = launcher_of(end_recipe(&m));
	before = stats_of("turn");
	pattern(memory, BYTES, 8);
	GOOD(gaudi_launch(l, (struct gaudi_binding []){
			  on_host("in", memory),
			  on_host("one", memory + BYTES),
			  on_host("two", memory + 2 * BYTES) }, 3, stream));
	GOOD(gaudi_stream_synchronize(stream));
	for (unsigned int i = 0; i < BYTES; i++) {
		assert_int_equal(memory[BYTES + i], memory[BYTES - 1 - i]);
		assert_int_equal(memory[2 * BYTES + i], data[BYTES - 1 - i]);
	}
	after = stats_of(NULL);
	assert_true(after.calls >= before.calls + 2);
	after = stats_of("turn");
	assert_int_equal(after.bytes_to_host, before.bytes_to_host);
	assert_int_equal(after.bytes_to_device, before.bytes_to_device);
	GOOD(gaudi_launcher_destroy(l));
	GOOD(gaudi_host_free(dev, memory));
}

static void needs_its_bindings(void **state)
{
	struct gaudi_launcher *l = launcher_of(turn_twice());

	(void)state;
	assert_int_equal(gaudi_launch(l, NULL, 0, stream), GAUDI_ERR_BINDING);
	says("'in' of 'twice' is not bound");
	GOOD(gaudi_launcher_destroy(l));
}

/* What lies between the elements stays, though only these are written. */
static void gaps_stay(void **state)
{
	struct making m = begin_recipe("gaps");
	struct gaudi_tensor_desc d = {
		.size = sizeof(d), .name = "out", .kind = OUT,
		.type = GAUDI_TYPE_F64, .rank = 2, .dims = { 5, 3 },
		.strides = { 64, 16 },
	};
	struct gaudi_host_operand out = { .access = GAUDI_KERNEL_WRITES };
	gaudi_ptr at = device_memory(512);
	struct gaudi_launcher *l;
	float value = 2.5f;
	uint8_t host[512];
	double f;

	(void)state;
	GOOD(gaudi_builder_add_tensor(m.b, &d, &out.tensor));
	GOOD(gaudi_builder_allow_host(m.b, true));
	GOOD(gaudi_builder_add_host_op(m.b, "fill", 1, &out, &value,
				       sizeof(value), NULL));
	l = launcher_of(end_recipe(&m));
	GOOD(gaudi_fill(dev, at, 0x5a, 1, 512));
	GOOD(gaudi_launch(l, (struct gaudi_binding []){
			  on_device("out", at) }, 1, stream));
	GOOD(gaudi_stream_synchronize(stream));
	GOOD(gaudi_copy_to_host(dev, host, at, 512));
	for (unsigned int i = 0; i < 512; i += 8) {
		memcpy(&f, host + i, 8);
		if (i < 320 && i % 16 == 0 && i % 64 < 48)
			assert_true(f == 2.5);
		else
			assert_int_equal(host[i], 0x5a);
	}
	GOOD(gaudi_launcher_destroy(l));
	GOOD(gaudi_free(dev, at));
}

/* Types that no engine has; the host does it where it is allowed. */
static void a_product_of_doubles(void **state)
{
	struct making m = begin_recipe("doubles");
	struct gaudi_tensor_desc d = {
		.size = sizeof(d), .type = GAUDI_TYPE_F64, .rank = 2,
		.dims = { 7, 7 },
	};
	double a[49], b[49], c[49];
	struct gaudi_launcher *l;
	uint32_t x, y, z;
	gaudi_ptr at = device_memory(3 * sizeof(a));

	(void)state;
	d.kind = IN;
	d.name = "x";
	GOOD(gaudi_builder_add_tensor(m.b, &d, &x));
	d.name = "y";
	GOOD(gaudi_builder_add_tensor(m.b, &d, &y));
	d.kind = OUT;
	d.name = "z";
	GOOD(gaudi_builder_add_tensor(m.b, &d, &z));
	assert_int_equal(gaudi_builder_add_matmul(m.b, z, x, y, 0, NULL),
			 -EINVAL);
	says("'z' is f64; matrix engines take bf16 and f32");
	GOOD(gaudi_builder_allow_host(m.b, true));
	GOOD(gaudi_builder_add_matmul(m.b, z, x, y, GAUDI_TRANSPOSE_B, NULL));
	l = launcher_of(end_recipe(&m));
	for (unsigned int i = 0; i < 49; i++) {
		a[i] = i * 1.25 + 1e-9;
		b[i] = 3.0 / (i + 1);
	}
	GOOD(gaudi_copy_to_device(dev, at, a, sizeof(a)));
	GOOD(gaudi_copy_to_device(dev, at + sizeof(a), b, sizeof(b)));
	GOOD(gaudi_launch(l, (struct gaudi_binding []){
			  on_device("x", at), on_device("y", at + sizeof(a)),
			  on_device("z", at + 2 * sizeof(a)) }, 3, stream));
	GOOD(gaudi_stream_synchronize(stream));
	GOOD(gaudi_copy_to_host(dev, c, at + 2 * sizeof(a), sizeof(c)));
	for (unsigned int i = 0; i < 49; i++) {
		double sum = 0;

		for (unsigned int k = 0; k < 7; k++)
			sum += a[i / 7 * 7 + k] * b[i % 7 * 7 + k];
		assert_true(c[i] - sum < 1e-12 * sum && sum - c[i] < 1e-12 * sum);
	}
	assert_int_equal(stats_of("matmul").calls, 1);
	GOOD(gaudi_launcher_destroy(l));
	GOOD(gaudi_free(dev, at));
}

/* Of the step that signals them; an event of none but the last one's is there, too. */
static void events_of_steps(void **state)
{
	struct gaudi_launcher *l = launcher_of(turn_twice());
	gaudi_ptr at = device_memory(2 * BYTES);
	struct gaudi_event *half, *done;
	int64_t ns;

	(void)state;
	GOOD(gaudi_event_create(dev, 0, &half));
	GOOD(gaudi_event_create(dev, 0, &done));
	GOOD(gaudi_launcher_bind_event(l, "half", half));
	GOOD(gaudi_launcher_bind_event(l, "done", done));
	GOOD(gaudi_launcher_bind(l, (struct gaudi_binding []){
				 on_device("in", at),
				 on_device("out", at + BYTES) }, 2));
	for (unsigned int i = 0; i < 12; i++) {
		GOOD(gaudi_launch(l, NULL, 0, stream));
		GOOD(gaudi_stream_wait_event(second, done));
		GOOD(gaudi_stream_synchronize(second));
		GOOD(gaudi_event_elapsed_ns(half, done, &ns));
		assert_true(ns >= 0);
	}
	GOOD(gaudi_launcher_bind_event(l, "half", NULL));
	GOOD(gaudi_launch(l, NULL, 0, stream));
	GOOD(gaudi_event_synchronize(done));
	GOOD(gaudi_launcher_destroy(l));
	GOOD(gaudi_event_destroy(half));
	GOOD(gaudi_event_destroy(done));
	GOOD(gaudi_free(dev, at));
}

#define THREADS	4

struct thread {
	struct gaudi_launcher *launcher;
	gaudi_ptr at;
	unsigned int number;
	bool good;
};

static void *launch_often(void *arg)
{
	struct thread *t = arg;
	struct gaudi_binding both[] = {
		on_device("in", t->at), on_device("out", t->at + BYTES),
	};
	uint8_t host[BYTES];
	struct gaudi_stream *mine;

	if (gaudi_stream_create(dev, &mine))
		return NULL;
	t->good = true;
	for (unsigned int i = 0; t->good && i < 10; i++) {
		pattern(host, BYTES, t->number + i);
		t->good = !gaudi_copy_to_device(dev, t->at, host, BYTES) &&
			  !gaudi_launch(t->launcher, both, 2, mine) &&
			  !gaudi_stream_synchronize(mine) &&
			  !gaudi_copy_to_host(dev, host, t->at + BYTES,
					      BYTES) &&
			  is_more_by(host, t->number + i, 3);
	}
	gaudi_stream_destroy(mine);

	return NULL;
}

/* Each launch has workspace and pinned memory of its own. */
static void many_threads(void **state)
{
	struct gaudi_launcher *l = launcher_of(turn_twice());
	gaudi_ptr at = device_memory(2 * THREADS * BYTES);
	struct thread threads[THREADS];
	pthread_t ids[THREADS];

	(void)state;
	for (unsigned int i = 0; i < THREADS; i++) {
		threads[i] = (struct thread) { l, at + 2 * i * BYTES, 16 * i };
		assert_int_equal(pthread_create(&ids[i], NULL, launch_often,
						&threads[i]), 0);
	}
	for (unsigned int i = 0; i < THREADS; i++) {
		pthread_join(ids[i], NULL);
		assert_true(threads[i].good);
	}
	GOOD(gaudi_launcher_destroy(l));
	GOOD(gaudi_free(dev, at));
}

static int fails(const struct gaudi_host_call *call, void *arg)
{
	(void)call;
	/* It runs inside of the library, and must not wait for the card. */
	if (gaudi_launcher_destroy(arg) != -EDEADLK ||
	    gaudi_host_op_register("turn", NULL, NULL) != -EDEADLK)
		return -EPROTO;

	return -EDOM;
}

/* The stream is told; others go on, and nobody waits for ever. */
static void failures(void **state)
{
	struct gaudi_launcher *l = launcher_of(turn_twice());
	gaudi_ptr at = device_memory(2 * BYTES);
	struct gaudi_stream *bad;
	struct gaudi_event *done;

	(void)state;
	GOOD(gaudi_event_create(dev, 0, &done));
	GOOD(gaudi_launcher_bind_event(l, "done", done));
	GOOD(gaudi_launcher_bind(l, (struct gaudi_binding []){
				 on_device("in", at),
				 on_device("out", at + BYTES) }, 2));
	GOOD(gaudi_stream_create(dev, &bad));
	GOOD(gaudi_host_op_register("turn", fails, l));
	GOOD(gaudi_launch(l, NULL, 0, bad));
	assert_int_equal(gaudi_stream_synchronize(bad), -EDOM);
	GOOD(gaudi_event_synchronize(done));
	assert_true(stats_of("turn").failures > 0);
	assert_int_equal(gaudi_stream_destroy(bad), -EDOM);
	GOOD(gaudi_stream_create(dev, &bad));
	GOOD(gaudi_host_op_register("turn", NULL, NULL));
	assert_int_equal(gaudi_host_op_register("turn", NULL, NULL), -ENOENT);
	GOOD(gaudi_launch(l, NULL, 0, bad));
	assert_int_equal(gaudi_stream_synchronize(bad), -ENOENT);
	gaudi_stream_destroy(bad);
	GOOD(gaudi_host_op_register("turn", turn, (void *)turn));
	GOOD(gaudi_launch(l, NULL, 0, stream));
	GOOD(gaudi_stream_synchronize(stream));
	GOOD(gaudi_launcher_destroy(l));
	GOOD(gaudi_event_destroy(done));
	GOOD(gaudi_free(dev, at));
}

static void not_in_graphs(void **state)
{
	struct gaudi_launcher *l = launcher_of(turn_twice());
	gaudi_ptr at = device_memory(2 * BYTES);
	struct gaudi_graph *graph;

	(void)state;
	GOOD(gaudi_launcher_bind(l, (struct gaudi_binding []){
				 on_device("in", at),
				 on_device("out", at + BYTES) }, 2));
	GOOD(gaudi_stream_begin_capture(stream));
	assert_int_equal(gaudi_launch(l, NULL, 0, stream), GAUDI_ERR_CAPTURE);
	says("a launch of 'twice', which has nodes of the host, cannot be captured");
	assert_int_equal(gaudi_stream_end_capture(stream, &graph),
			 GAUDI_ERR_CAPTURE_INVALID);
	GOOD(gaudi_launcher_destroy(l));
	GOOD(gaudi_free(dev, at));
}

/* "in" to "out" by way of three copies, turned twice, and events of both sides. */
static struct gaudi_recipe *turn_after_copies(void)
{
	struct making m = begin_recipe("copies");
	uint32_t in = tensor(&m, "in", IN, DEVICE, BYTES, NULL);
	uint32_t out = tensor(&m, "out", OUT, DEVICE, BYTES, NULL);
	uint32_t a = tensor(&m, "a", WORK, DEVICE, BYTES, NULL);
	uint32_t b = tensor(&m, "b", WORK, DEVICE, BYTES, NULL);
	uint32_t c = tensor(&m, "c", WORK, DEVICE, BYTES, NULL);
	uint32_t d = tensor(&m, "d", WORK, DEVICE, BYTES, NULL);

	GOOD(gaudi_builder_allow_host(m.b, true));
	GOOD(gaudi_builder_add_copy(m.b, a, in, NULL));
	GOOD(gaudi_builder_add_copy(m.b, b, a, NULL));
	GOOD(gaudi_builder_add_signal(m.b, "half", b, NULL));
	GOOD(gaudi_builder_add_copy(m.b, c, b, NULL));
	add_turn(&m, d, c, 2);
	add_turn(&m, out, d, 3);
	GOOD(gaudi_builder_add_signal(m.b, "done", out, NULL));

	return end_recipe(&m);
}

/* How many submissions; 0 if that cannot be seen. */
static unsigned int launch_and_count(struct gaudi_launcher *l)
{
	unsigned int num = 0;

#ifdef ON_SIMULATED_CARD
	num = counts.submissions;
#endif
	GOOD(gaudi_launch(l, NULL, 0, stream));
	GOOD(gaudi_stream_synchronize(stream));
#ifdef ON_SIMULATED_CARD
	num = counts.submissions - num;
#endif

	return num;
}

/* A program between nodes of the host is launched in parts like any other. */
static void long_steps_are_parts(void **state)
{
	static const char name[] = "GAUDI_TEST_PART";
	const char *part = getenv(name);
	gaudi_ptr at = device_memory(2 * BYTES);
	struct gaudi_event *half, *done;
	unsigned int num[2];
	uint8_t host[BYTES];
	int64_t ns;

	(void)state;
	part = part ? strdup(part) : NULL;
	GOOD(gaudi_event_create(dev, 0, &half));
	GOOD(gaudi_event_create(dev, 0, &done));
	for (unsigned int i = 0; i < 2; i++) {
		struct gaudi_launcher *l;

		GOOD(setenv(name, i ? "1" : "1000000", 1));
		l = launcher_of(turn_after_copies());
		GOOD(gaudi_launcher_bind_event(l, "half", half));
		GOOD(gaudi_launcher_bind_event(l, "done", done));
		GOOD(gaudi_launcher_bind(l, (struct gaudi_binding []){
					 on_device("in", at),
					 on_device("out", at + BYTES) }, 2));
		pattern(host, BYTES, i);
		GOOD(gaudi_copy_to_device(dev, at, host, BYTES));
		num[i] = launch_and_count(l);
		GOOD(gaudi_copy_to_host(dev, host, at + BYTES, BYTES));
		assert_true(is_more_by(host, i, 5));
		GOOD(gaudi_event_synchronize(half));
		GOOD(gaudi_event_synchronize(done));
		GOOD(gaudi_event_elapsed_ns(half, done, &ns));
		assert_true(ns >= 0);
		GOOD(gaudi_launcher_destroy(l));
	}
	assert_true(!num[0] || num[1] >= num[0] + 2);
	GOOD(part ? setenv(name, part, 1) : unsetenv(name));
	free((void *)part);
	GOOD(gaudi_event_destroy(half));
	GOOD(gaudi_event_destroy(done));
	GOOD(gaudi_free(dev, at));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(between_parts_of_the_card),
		cmocka_unit_test(what_is_there),
		cmocka_unit_test(needs_its_bindings),
		cmocka_unit_test(gaps_stay),
		cmocka_unit_test(a_product_of_doubles),
		cmocka_unit_test(events_of_steps),
		cmocka_unit_test(many_threads),
		cmocka_unit_test(failures),
		cmocka_unit_test(not_in_graphs),
		cmocka_unit_test(long_steps_are_parts),
	};

	return RUN_TESTS(tests, set_up_streams, tear_down_device);
}
