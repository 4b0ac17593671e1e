// SPDX-License-Identifier: MIT
/* Recipes launched on a card. */
#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launchers.h"
#include "streams.h"

TEST(copies_what_is_bound)
{
	size_t size = 5000;
	struct gaudi_launcher *l = launcher_of(simple_recipe(size));
	gaudi_ptr at = device_memory(4 * size);
	uint8_t host[5000];

	for (unsigned int i = 0; i < 6; i++) {
		gaudi_ptr in = at + i % 2 * size, out = at + (2 + i % 2) * size;
		struct gaudi_binding both[] = {
			on_device("in", in), on_device("out", out),
		};

		pattern(host, size, i);
		GOOD(gaudi_copy_to_device(dev, in, host, size));
		GOOD(gaudi_fill(dev, at + 2 * size, 0, 1, 2 * size));
		if (i < 3) {
			GOOD(gaudi_launcher_bind(l, both, 2));
			GOOD(gaudi_launch(l, NULL, 0, stream));
		} else {
			GOOD(gaudi_launch(l, both, 2, stream));
		}
		GOOD(gaudi_stream_synchronize(stream));
		GOOD(gaudi_copy_to_host(dev, host, out, size));
		assert_true(is_pattern(host, size, i));
	}
	GOOD(gaudi_launcher_destroy(l));
	GOOD(gaudi_free(dev, at));
}

TEST(all_engines)
{
	struct gaudi_launcher *l;
	uint8_t *in = pinned_memory(2 * WIDE_BYTES);
	uint8_t *out = pinned_memory(WIDE_BYTES);
	gaudi_ptr copy = device_memory(WIDE_BYTES);
	uint64_t before;

	before = memory_in_use();
	l = launcher_of(wide_recipe());
	assert_true(memory_in_use() > before + 256);
	for (unsigned int i = 0; i < 5; i++) {
		uint8_t *from = in + i % 2 * WIDE_BYTES;
		struct gaudi_binding all[] = {
			on_host("in", from), on_host("out", out),
			on_device("copy", copy),
		};

		pattern(from, WIDE_BYTES, i);
		memset(out, 0, WIDE_BYTES);
		GOOD(gaudi_launch(l, all, 3, stream));
		GOOD(gaudi_stream_synchronize(stream));
		assert_true(wide_is_right(from, out));
		GOOD(gaudi_copy_to_host(dev, out, copy, WIDE_BYTES));
		assert_true(is_pattern(out, WIDE_BYTES, i));
	}
	GOOD(gaudi_launcher_destroy(l));
	assert_int_equal(memory_in_use(), before);
	GOOD(gaudi_host_free(dev, in));
	GOOD(gaudi_host_free(dev, out));
	GOOD(gaudi_free(dev, copy));
}

/* Packets beside the waits, in a buffer of their own, in several. */
TEST(sizes_of_packets)
{
	static const uint32_t elements[] = { 3, 2500, 3000, 50000 };

	for (size_t i = 0; i < sizeof(elements) / sizeof(elements[0]); i++) {
		size_t size = elements[i] * 4;
		struct gaudi_launcher *l = launcher_of(turn_recipe(elements[i]));
		uint8_t *memory = pinned_memory(4 * size);

		/* The longest one takes its time. */
		for (unsigned int j = 0; j < (i < 3 ? 4 : 2); j++) {
			uint8_t *in = memory + j % 2 * size;
			uint8_t *out = memory + (2 + j % 2) * size;
			struct gaudi_binding both[] = {
				on_host("in", in), on_host("out", out),
			};

			pattern(in, size, j);
			memset(out, 0, size);
			GOOD(gaudi_launch(l, both, 2, stream));
			GOOD(gaudi_stream_synchronize(stream));
			assert_true(is_pattern(out, size, j));
		}
		GOOD(gaudi_launcher_destroy(l));
		GOOD(gaudi_host_free(dev, memory));
	}
}

#define FLOOD	40

/* Without waiting, each with other memory; more than there are instances. */
TEST(many_under_way)
{
	struct gaudi_launcher *l = launcher_of(turn_recipe(600));
	size_t size = 2400;
	uint8_t *in = pinned_memory(FLOOD * size);
	uint8_t *out = pinned_memory(FLOOD * size);

	pattern(in, FLOOD * size, 5);
	for (unsigned int i = 0; i < FLOOD; i++) {
		struct gaudi_binding both[] = {
			on_host("in", in + i * size),
			on_host("out", out + i * size),
		};

		GOOD(gaudi_launch(l, both, 2, stream));
	}
	GOOD(gaudi_stream_synchronize(stream));
	assert_true(is_pattern(out, FLOOD * size, 5));
	/* Again, with what is bound for good, and not waited for by anybody. */
	memset(out, 0, size);
	GOOD(gaudi_launcher_bind(l, (struct gaudi_binding[]) {
		on_host("out", out), on_host("in", in) }, 2));
	for (unsigned int i = 0; i < FLOOD; i++)
		GOOD(gaudi_launch(l, NULL, 0, stream));
	GOOD(gaudi_launcher_destroy(l));
	assert_memory_equal(in, out, size);
	GOOD(gaudi_host_free(dev, in));
	GOOD(gaudi_host_free(dev, out));
}

/* Work before and behind, on this stream and on another one. */
TEST(in_order_with_other_work)
{
	size_t size = 256 * KIB;
	struct gaudi_launcher *l = launcher_of(simple_recipe(size));
	gaudi_ptr a = device_memory(size), b = device_memory(size);
	struct gaudi_stream *other;
	struct gaudi_event *event;
	uint8_t *host = pinned_memory(2 * size);

	GOOD(gaudi_stream_create(dev, &other));
	GOOD(gaudi_event_create(dev, 0, &event));
	GOOD(gaudi_launcher_bind(l, (struct gaudi_binding[]) {
		on_device("in", a), on_device("out", b) }, 2));
	for (unsigned int i = 0; i < 20; i++) {
		pattern(host, size, i);
		memset(host + size, 0, size);
		if (i % 3 == 0)
			GOOD(gaudi_stream_begin_batch(stream));
		GOOD(gaudi_fill_async(stream, b, 0, 1, size));
		GOOD(gaudi_copy_to_device_async(stream, a, host, size));
		GOOD(gaudi_launch(l, NULL, 0, stream));
		GOOD(gaudi_event_record(event, stream));
		if (i % 2) {
			GOOD(gaudi_copy_to_host_async(stream, host + size, b,
						      size));
			GOOD(gaudi_stream_synchronize(stream));
		} else {
			GOOD(gaudi_stream_wait_event(other, event));
			GOOD(gaudi_copy_to_host_async(other, host + size, b,
						      size));
			GOOD(gaudi_stream_synchronize(other));
		}
		if (i % 3 == 0)
			GOOD(gaudi_stream_end_batch(stream));
		assert_true(is_pattern(host + size, size, i));
	}
	GOOD(gaudi_launcher_destroy(l));
	GOOD(gaudi_stream_destroy(other));
	GOOD(gaudi_event_destroy(event));
	GOOD(gaudi_host_free(dev, host));
	GOOD(gaudi_free(dev, a));
	GOOD(gaudi_free(dev, b));
}

static void wait_for_file(void *arg, int error)
{
	int *pipe = arg;
	char c;

	(void)error;
	if (read(pipe[0], &c, 1) != 1)
		abort();
}

/* Behind a host function: what was bound at the call counts. */
TEST(kept_behind_host_functions)
{
	size_t size = 4096;
	struct gaudi_launcher *l = launcher_of(turn_recipe(1024));
	uint8_t *in = pinned_memory(20 * size), *out = pinned_memory(20 * size);
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	pattern(in, 20 * size, 8);
	GOOD(gaudi_stream_add_host_fn(stream, wait_for_file, fds));
	for (unsigned int i = 0; i < 20; i++) {
		struct gaudi_binding both[] = {
			on_host("in", in + i * size),
			on_host("out", out + i * size),
		};

		GOOD(gaudi_launcher_bind(l, both, 2));
		GOOD(gaudi_launch(l, NULL, 0, stream));
	}
	FAILS(gaudi_stream_query(stream), GAUDI_ERR_NOT_READY);
	assert_int_equal(write(fds[1], "x", 1), 1);
	/* Waits for all of them, and for the memory's use. */
	GOOD(gaudi_launcher_destroy(l));
	GOOD(gaudi_host_free(dev, in));
	assert_true(is_pattern(out, 20 * size, 8));
	GOOD(gaudi_host_free(dev, out));
	close(fds[0]);
	close(fds[1]);
}

/* Events of the recipe become events of the program. */
TEST(events_of_recipes)
{
	struct gaudi_launcher *l = launcher_of(wide_recipe());
	uint8_t *in = pinned_memory(WIDE_BYTES), *out = pinned_memory(WIDE_BYTES);
	gaudi_ptr copy = device_memory(WIDE_BYTES);
	struct gaudi_event *filled, *done;
	struct gaudi_stream *other;
	uint8_t *back = pinned_memory(WIDE_BYTES);

	GOOD(gaudi_stream_create(dev, &other));
	GOOD(gaudi_event_create(dev, 0, &filled));
	GOOD(gaudi_event_create(dev, GAUDI_EVENT_NO_TIMING, &done));
	GOOD(gaudi_launcher_bind_event(l, "filled", filled));
	GOOD(gaudi_launcher_bind_event(l, "done", done));
	FAILS(gaudi_launcher_bind_event(l, "none", done), -ENOENT);
	GOOD(gaudi_launcher_bind(l, (struct gaudi_binding[]) {
		on_host("in", in), on_host("out", out),
		on_device("copy", copy) }, 3));
	for (unsigned int i = 0; i < 12; i++) {
		pattern(in, WIDE_BYTES, i);
		memset(out, 0, WIDE_BYTES);
		GOOD(gaudi_launch(l, NULL, 0, stream));
		if (i % 2) {
			GOOD(gaudi_stream_wait_event(other, done));
			GOOD(gaudi_copy_to_host_async(other, back, copy,
						      WIDE_BYTES));
			GOOD(gaudi_stream_synchronize(other));
			assert_true(is_pattern(back, WIDE_BYTES, i));
		} else {
			GOOD(gaudi_event_synchronize(done));
			GOOD(gaudi_event_synchronize(filled));
		}
		assert_true(wide_is_right(in, out));
	}
	GOOD(gaudi_launcher_bind_event(l, "done", NULL));
	GOOD(gaudi_launch(l, NULL, 0, stream));
	GOOD(gaudi_event_synchronize(filled));
	GOOD(gaudi_event_destroy(filled));
	GOOD(gaudi_stream_synchronize(stream));
	GOOD(gaudi_launcher_destroy(l));
	GOOD(gaudi_event_destroy(done));
	GOOD(gaudi_stream_destroy(other));
	GOOD(gaudi_host_free(dev, in));
	GOOD(gaudi_host_free(dev, out));
	GOOD(gaudi_host_free(dev, back));
	GOOD(gaudi_free(dev, copy));
}

/* Floats that are read and written on the device, and on the host. */
static struct gaudi_recipe *float_recipe(void)
{
	struct making m = begin_recipe("floats");
	struct gaudi_tensor_desc d = {
		.size = sizeof(d),
		.type = GAUDI_TYPE_F32,
		.rank = 1,
		.dims = { 100 },
	};
	uint32_t in, out, host, c;
	float zeros[100] = {};

	d.name = "in";
	d.kind = IN;
	GOOD(gaudi_builder_add_tensor(m.b, &d, &in));
	d.name = "out";
	d.kind = OUT;
	GOOD(gaudi_builder_add_tensor(m.b, &d, &out));
	d.name = "host";
	d.place = HOST;
	GOOD(gaudi_builder_add_tensor(m.b, &d, &host));
	d.name = "unused";
	d.kind = IN;
	GOOD(gaudi_builder_add_tensor(m.b, &d, &c));
	d.place = DEVICE;
	d.name = "c";
	d.kind = GAUDI_TENSOR_CONSTANT;
	d.data = zeros;
	GOOD(gaudi_builder_add_tensor(m.b, &d, &c));
	GOOD(gaudi_builder_add_copy(m.b, out, in, NULL));
	GOOD(gaudi_builder_add_copy(m.b, host, c, NULL));

	return end_recipe(&m);
}

TEST(refuses_bad_bindings)
{
	struct gaudi_launcher *l = launcher_of(float_recipe());
	gaudi_ptr a = device_memory(800);
	float *host = pinned_memory(400), plain[100];
	struct gaudi_binding bad;

	FAILS(gaudi_launch(l, NULL, 0, stream), GAUDI_ERR_BINDING);
	says("'in' of 'floats' is not bound");
#define BIND(want, ...) do {						\
		bad = (struct gaudi_binding) { __VA_ARGS__ };		\
		FAILS(gaudi_launcher_bind(l, &bad, 1), want);		\
	} while (0)
	BIND(-ENOENT, .name = "inn", .address = a);
	BIND(-EINVAL, .tensor = 5, .address = a);
	says("5 tensors");
	BIND(-EINVAL, .name = "in", .address = a, .reserved = 1);
	BIND(GAUDI_ERR_BINDING, .name = "c", .address = a);
	says("constant");
	BIND(GAUDI_ERR_BINDING, .name = "in");
	BIND(GAUDI_ERR_BINDING, .name = "in", .memory = host);
	BIND(GAUDI_ERR_BINDING, .name = "in", .memory = host, .address = a);
	BIND(GAUDI_ERR_BINDING, .name = "host", .address = a);
	BIND(GAUDI_ERR_BINDING, .name = "host", .memory = plain);
	says("pinned");
	BIND(GAUDI_ERR_BINDING, .name = "host", .memory = host + 1000000);
	BIND(GAUDI_ERR_BINDING, .name = "in", .address = a + 2);
	says("multiple of f32's 4 bytes");
	BIND(GAUDI_ERR_BINDING, .name = "in", .address = a, .bytes = 399);
	says("399");
	BIND(GAUDI_ERR_ADDRESS, .name = "in", .address = a + 404);
	BIND(GAUDI_ERR_ADDRESS, .name = "in", .address = 4);
	FAILS(gaudi_launcher_bind(l, NULL, 1), -EINVAL);
	FAILS(gaudi_launcher_bind(NULL, &bad, 1), -EINVAL);
	/* All or none. */
	FAILS(gaudi_launcher_bind(l, (struct gaudi_binding[]) {
		on_device("in", a), on_host("host", host),
		on_device("out", 8) }, 3), GAUDI_ERR_ADDRESS);
	FAILS(gaudi_launch(l, NULL, 0, stream), GAUDI_ERR_BINDING);
	says("'in' of 'floats' is not bound");
	GOOD(gaudi_launcher_destroy(l));
	GOOD(gaudi_host_free(dev, host));
	GOOD(gaudi_free(dev, a));
}

/* Each launch looks at what is bound by then. */
TEST(refuses_bad_launches)
{
	struct gaudi_launcher *l = launcher_of(float_recipe());
	gaudi_ptr a = device_memory(800), b = device_memory(400);
	float *host = pinned_memory(400), own[100];
	struct gaudi_binding bad, bound[2];

	GOOD(gaudi_launcher_bind(l, (struct gaudi_binding[]) {
		on_device("in", a), on_host("host", host),
		on_device("out", a + 396) }, 3));
	FAILS(gaudi_launch(l, NULL, 0, stream), GAUDI_ERR_BINDING);
	says("overlap");
	bad = on_device("out", a + 400);
	GOOD(gaudi_launch(l, &bad, 1, stream));
	bad = on_device("in", a + 400);
	FAILS(gaudi_launch(l, &bad, 1, stream), GAUDI_ERR_BINDING);
	bad = on_device("out", b);
	GOOD(gaudi_launcher_bind(l, &bad, 1));
	GOOD(gaudi_launch(l, NULL, 0, stream));
	/* Memory goes while it is bound: said, and nothing is done. */
	GOOD(gaudi_free(dev, b));
	FAILS(gaudi_launch(l, NULL, 0, stream), GAUDI_ERR_ADDRESS);
	/* Its address alone is no right to what is somebody else's now. */
	allocate_again(b, 400);
	FAILS(gaudi_launch(l, NULL, 0, stream), GAUDI_ERR_ADDRESS);
	says("tensor 'out'");
	says("given out again");
	bad = on_device("out", b);
	GOOD(gaudi_launch(l, &bad, 1, stream));
	GOOD(gaudi_host_free(dev, host));
	FAILS(gaudi_launch(l, &bad, 1, stream), GAUDI_ERR_BINDING);
	says("no longer pinned");
	GOOD(gaudi_host_register(dev, own, sizeof(own)));
	bound[0] = on_host("host", own);
	bound[1] = bad;
	GOOD(gaudi_launch(l, bound, 2, stream));
	GOOD(gaudi_launcher_bind(l, bound, 2));
	GOOD(gaudi_host_unregister(dev, own));
	GOOD(gaudi_host_register(dev, own, sizeof(own)));
	FAILS(gaudi_launch(l, NULL, 0, stream), GAUDI_ERR_BINDING);
	GOOD(gaudi_launcher_bind(l, bound, 1));
	GOOD(gaudi_launch(l, NULL, 0, stream));
	GOOD(gaudi_host_unregister(dev, own));

	FAILS(gaudi_launch(NULL, NULL, 0, stream), -EINVAL);
	FAILS(gaudi_launch(l, NULL, 0, NULL), -EINVAL);
	FAILS(gaudi_launch(l, NULL, 1, stream), -EINVAL);
	FAILS(gaudi_launcher_create(dev, NULL, &l), -EINVAL);
	FAILS(gaudi_launcher_create(NULL, NULL, &l), -EINVAL);
	GOOD(gaudi_launcher_destroy(NULL));
	GOOD(gaudi_stream_synchronize(stream));
	GOOD(gaudi_launcher_destroy(l));
	GOOD(gaudi_free(dev, a));
	GOOD(gaudi_free(dev, b));
}

#define THREADS	16

struct worker {
	pthread_t thread;
	struct gaudi_launcher *launcher;
	uint64_t seed;
	int bad;
};

/* One launcher for all of them, or each its own, by turns. */
static void *worker_main(void *arg)
{
	struct worker *w = arg;
	size_t size = 300 * 4;
	struct gaudi_launcher *own = w->seed % 3 ? w->launcher : NULL;
	struct gaudi_recipe *recipe = NULL;
	struct gaudi_stream *mine;
	void *memory;
	uint8_t *at;
	int rc;

	rc = gaudi_stream_create(dev, &mine);
	rc |= gaudi_host_alloc(dev, 2 * size, &memory);
	at = memory;
	if (!own) {
		recipe = turn_recipe(300);
		rc |= gaudi_launcher_create(dev, recipe, &own);
		gaudi_recipe_release(recipe);
	}
	for (unsigned int i = 0; !rc && i < 15; i++) {
		struct gaudi_binding both[] = {
			on_host("in", at), on_host("out", at + size),
		};

		pattern(at, size, w->seed * 100 + i);
		memset(at + size, 0, size);
		rc |= gaudi_launch(own, both, 2, mine);
		if (i % 4 == 0)
			rc |= gaudi_launch(own, both, 2, mine);
		rc |= gaudi_stream_synchronize(mine);
		rc |= memcmp(at, at + size, size);
	}
	if (recipe)
		rc |= gaudi_launcher_destroy(own);
	rc |= gaudi_stream_destroy(mine);
	rc |= gaudi_host_free(dev, memory);
	w->bad = rc;

	return NULL;
}

TEST(many_threads)
{
	struct gaudi_launcher *l = launcher_of(turn_recipe(300));
	struct worker workers[THREADS] = {};

	for (unsigned int i = 0; i < THREADS; i++) {
		workers[i].launcher = l;
		workers[i].seed = i;
		assert_int_equal(pthread_create(&workers[i].thread, NULL,
						worker_main, &workers[i]), 0);
	}
	for (unsigned int i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		assert_int_equal(workers[i].bad, 0);
	}
	GOOD(gaudi_launcher_destroy(l));
}

/*
 * Once each, one after the other: those that have no sync objects get some, but nothing
 * is made anew, neither buffers nor mappings.
 */
static void take_turns(struct gaudi_launcher **l, unsigned int num,
		       unsigned int rounds)
{
#ifdef WITH_KNOBS
	unsigned int cbs, maps;
#endif

	for (unsigned int round = 0; round < rounds; round++) {
#ifdef WITH_KNOBS
		cbs = counts.cbs;
		maps = counts.maps;
#endif
		for (unsigned int i = 0; i < num; i++)
			GOOD(gaudi_launch(l[i], NULL, 0, stream));
		GOOD(gaudi_stream_synchronize(stream));
#ifdef WITH_KNOBS
		/* The library's own buffers, if any, come with the first round. */
		assert_true(!round || (counts.cbs == cbs && counts.maps == maps));
#endif
	}
}

/* More of them than there are sync objects for all their instances, or for one each. */
TEST(many_launchers)
{
	enum { LAUNCHERS = 100 };
	struct gaudi_launcher *l[LAUNCHERS];
	size_t size = 100 * 4;
	uint8_t *in = pinned_memory(LAUNCHERS * size);
	uint8_t *out = pinned_memory(LAUNCHERS * size);

	for (unsigned int i = 0; i < LAUNCHERS; i++) {
		l[i] = launcher_of(turn_recipe(100));
		GOOD(gaudi_launcher_bind(l[i], (struct gaudi_binding[]) {
			on_host("in", in + i * size),
			on_host("out", out + i * size) }, 2));
	}
	pattern(in, LAUNCHERS * size, 99);
	take_turns(l, LAUNCHERS, 4);
	assert_memory_equal(in, out, LAUNCHERS * size);
	for (unsigned int round = 0; round < 3; round++) {
		pattern(in, LAUNCHERS * size, round);
		for (unsigned int i = 0; i < LAUNCHERS; i++)
			for (unsigned int j = 0; j < 3; j++)
				GOOD(gaudi_launch(l[i], NULL, 0, stream));
		GOOD(gaudi_stream_synchronize(stream));
		assert_memory_equal(in, out, LAUNCHERS * size);
	}
	/* The last ones go with the device. */
	for (unsigned int i = 0; i < LAUNCHERS / 2; i++)
		GOOD(gaudi_launcher_destroy(l[i]));
	GOOD(gaudi_host_free(dev, in));
	GOOD(gaudi_host_free(dev, out));
}

/* Where there is memory for one workspace only, launches take turns. */
TEST(workspace_is_short)
{
	struct gaudi_memory_stats stats = { .size = sizeof(stats) };
	size_t size = 1 * MIB, most;
	struct making m = begin_recipe("large");
	struct gaudi_launcher *l;
	uint8_t *host = pinned_memory(2 * size);
	uint32_t in, work, out;

	GOOD(gaudi_memory_trim(dev, 0));
	GOOD(gaudi_memory_get_stats(dev, &stats));
	most = (size_t)(stats.device_free / 8 * 5);
	in = tensor(&m, "in", IN, HOST, size, NULL);
	work = tensor(&m, "work", WORK, DEVICE, most, NULL);
	out = tensor(&m, "out", OUT, HOST, size, NULL);
	GOOD(gaudi_builder_add_copy_bytes(m.b, work, most - size, in, 0, size,
					  NULL));
	GOOD(gaudi_builder_add_copy_bytes(m.b, out, 0, work, most - size, size,
					  NULL));
	l = launcher_of(end_recipe(&m));
	GOOD(gaudi_launcher_bind(l, (struct gaudi_binding[]) {
		on_host("in", host), on_host("out", host + size) }, 2));
	pattern(host, size, 3);
	for (unsigned int i = 0; i < 6; i++)
		GOOD(gaudi_launch(l, NULL, 0, stream));
	GOOD(gaudi_stream_synchronize(stream));
	assert_memory_equal(host, host + size, size);
	GOOD(gaudi_launcher_destroy(l));
	GOOD(gaudi_host_free(dev, host));
	GOOD(gaudi_memory_trim(dev, 0));
}

TEST(refuses_a_child)
{
	struct gaudi_launcher *l = launcher_of(simple_recipe(8));
	int status = -1;
	pid_t pid;

	pid = fork();
	if (!pid) {
		int bad = gaudi_launch(l, NULL, 0, stream) != GAUDI_ERR_FORKED;

		bad |= (gaudi_launcher_bind(l, NULL, 0) != GAUDI_ERR_FORKED) << 1;
		bad |= (gaudi_launcher_destroy(l) != GAUDI_ERR_FORKED) << 2;
		_exit(bad);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	GOOD(gaudi_launcher_destroy(l));
}

struct call {
	struct gaudi_recipe *recipe;
	struct gaudi_launcher *launcher;
	int create, destroy;
};

static void inside(void *arg, int error)
{
	struct gaudi_launcher *l;
	struct call *call = arg;

	(void)error;
	call->create = gaudi_launcher_create(dev, call->recipe, &l);
	call->destroy = gaudi_launcher_destroy(call->launcher);
}

TEST(not_inside_host_functions)
{
	struct call call = { .recipe = simple_recipe(8) };

	GOOD(gaudi_launcher_create(dev, call.recipe, &call.launcher));
	GOOD(gaudi_stream_add_host_fn(stream, inside, &call));
	GOOD(gaudi_stream_synchronize(stream));
	assert_int_equal(call.create, -EDEADLK);
	assert_int_equal(call.destroy, -EDEADLK);
	GOOD(gaudi_launcher_destroy(call.launcher));
	GOOD(gaudi_recipe_release(call.recipe));
}

#define SIDE	7u

/* A square of doubles, in pinned memory. */
struct product {
	const double *from;
	double *to;
	unsigned int calls, errors;
};

static void multiply(const double *from, double *to)
{
	for (unsigned int i = 0; i < SIDE * SIDE; i++) {
		to[i] = 0;
		for (unsigned int k = 0; k < SIDE; k++)
			to[i] += from[i / SIDE * SIDE + k] *
				 from[k * SIDE + i % SIDE];
	}
}

static void square(void *arg, int error)
{
	struct product *p = arg;

	p->calls++;
	p->errors += error != 0;
	multiply(p->from, p->to);
}

/*
 * What no engine does, as programs do it (Documentation/libgaudi.rst): a copy down, a
 * host function, a copy up, between launches, with nobody waiting.
 */
TEST(an_operation_of_the_programs_own)
{
	enum { BYTES = SIDE * SIDE * sizeof(double), ROUNDS = 3 };
	struct gaudi_launcher *l = launcher_of(simple_recipe(BYTES));
	double *host = (void *)pinned_memory(3 * BYTES), want[2][SIDE * SIDE];
	struct product p = { .from = host, .to = host + SIDE * SIDE };
	double *out = host + 2 * SIDE * SIDE;
	gaudi_ptr at = device_memory(3 * BYTES);

	for (unsigned int i = 0; i < SIDE * SIDE; i++)
		want[0][i] = 1 / (i + 1.5);
	GOOD(gaudi_copy_to_device(dev, at, want[0], BYTES));
	for (unsigned int i = 0; i < ROUNDS; i++) {
		GOOD(gaudi_launch(l, (struct gaudi_binding []){
				  on_device("in", at),
				  on_device("out", at + BYTES) }, 2, stream));
		GOOD(gaudi_copy_to_host_async(stream, host, at + BYTES, BYTES));
		GOOD(gaudi_stream_add_host_fn(stream, square, &p));
		GOOD(gaudi_copy_to_device_async(stream, at + 2 * BYTES, p.to,
						BYTES));
		GOOD(gaudi_launch(l, (struct gaudi_binding []){
				  on_device("in", at + 2 * BYTES),
				  on_device("out", at) }, 2, stream));
		multiply(want[i % 2], want[(i + 1) % 2]);
	}
	GOOD(gaudi_copy_to_host_async(stream, out, at, BYTES));
	GOOD(gaudi_stream_synchronize(stream));
	assert_int_equal(p.calls, ROUNDS);
	assert_int_equal(p.errors, 0);
	assert_memory_equal(out, want[ROUNDS % 2], BYTES);
	GOOD(gaudi_launcher_destroy(l));
	GOOD(gaudi_free(dev, at));
	GOOD(gaudi_host_free(dev, host));
}

GROUP(set_up_streams, tear_down_device)
