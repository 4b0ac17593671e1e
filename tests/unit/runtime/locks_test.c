// SPDX-License-Identifier: MIT
/* Locks of the process: children get them free, and nobody waits for ever. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <unistd.h>

#include "card.h"
#include "../../runtime/recipes.h"
#include "gaudi_graph.h"
#include "host_op.h"

/* Seconds that nothing here takes, unless it waits for ever. */
#define FOR_EVER	60

static atomic_bool stop;

static void *ask_for_captures(void *arg)
{
	struct gaudi_stream *stream = arg;

	while (!atomic_load(&stop)) {
		gaudi_stream_begin_capture(stream);
		gd_capture_refuse_now(stream, NULL, "a test");
		gd_capture_forget_stream(stream);
	}

	return NULL;
}

static void *ask_for_stats(void *arg)
{
	struct gaudi_host_op_stats stats = { .size = sizeof(stats) };

	(void)arg;
	while (!atomic_load(&stop))
		gaudi_host_op_get_stats(NULL, &stats);

	return NULL;
}

static int nothing(const struct gaudi_host_call *call, void *arg)
{
	(void)call;
	(void)arg;

	return 0;
}

/* What a child can do: its own objects would have these locks, too. */
static int in_child(struct gaudi_stream *stream)
{
	struct gaudi_host_op_stats stats = { .size = sizeof(stats) };

	alarm(FOR_EVER);
	if (gaudi_stream_synchronize(stream) != GAUDI_ERR_FORKED)
		return 1;
	gd_capture_refuse_now(stream, NULL, "a test");

	return gaudi_host_op_get_stats(NULL, &stats) ? 2 : 0;
}

static void children_find_no_lock_held(void **state)
{
	struct gaudi_stream *stream;
	struct gaudi_device *dev;
	pthread_t threads[2];
	char name[16];

	(void)state;
	GOOD(gaudi_device_open(0, 0, &dev));
	GOOD(gaudi_stream_create(dev, &stream));
	/* So many that the list takes a while. */
	for (unsigned int i = 0; i < 500; i++) {
		snprintf(name, sizeof(name), "op%u", i);
		GOOD(gaudi_host_op_register(name, nothing, NULL));
	}
	atomic_store(&stop, false);
	GOOD(pthread_create(&threads[0], NULL, ask_for_captures, stream));
	GOOD(pthread_create(&threads[1], NULL, ask_for_stats, NULL));
	for (unsigned int i = 0; i < 50; i++) {
		int status = -1;
		pid_t pid = fork();

		if (!pid)
			_exit(in_child(stream));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
	atomic_store(&stop, true);
	GOOD(pthread_join(threads[0], NULL));
	GOOD(pthread_join(threads[1], NULL));
	GOOD(gaudi_device_close(dev));
}

static atomic_bool was_second;

/* A function that says that it has begun, and waits to be let go. */
struct gate {
	sem_t begun, go;
	bool second;
};

static int wait_at_gate(const struct gaudi_host_call *call, void *arg)
{
	struct gate *gate = arg;

	/* Who wants to be in the second one tries again. */
	if (call->params && !gate->second)
		return 0;
	atomic_store(&was_second, gate->second);
	sem_post(&gate->begun);
	while (sem_wait(&gate->go))
		;

	return 0;
}

static void gate_init(struct gate *gate)
{
	gate->second = false;
	sem_init(&gate->begun, 0, 0);
	sem_init(&gate->go, 0, 0);
}

static int call_op(const char *name, const void *params)
{
	struct gaudi_host_call call = {
		.size = sizeof(call), .op = name, .params = params,
	};
	struct host_op *op;
	int rc;

	op = host_op_find(name, &rc);
	assert_non_null(op);

	return host_op_call(op, &call);
}

static void *call_gate(void *arg)
{
	(void)arg;
	call_op("gate", NULL);

	return NULL;
}

static void *call_second(void *arg)
{
	while (!atomic_load(&was_second))
		call_op("gate", arg);

	return NULL;
}

static void *register_second(void *arg)
{
	assert_int_equal(gaudi_host_op_register("gate", wait_at_gate, arg), 0);

	return NULL;
}

/* Calls of the new function are none that it waits for. */
static void registering_waits_for_old_calls(void **state)
{
	struct gate first, second;
	pthread_t old, new, registers;

	(void)state;
	gate_init(&first);
	gate_init(&second);
	second.second = true;
	GOOD(gaudi_host_op_register("gate", wait_at_gate, &first));
	GOOD(pthread_create(&old, NULL, call_gate, NULL));
	sem_wait(&first.begun);
	GOOD(pthread_create(&registers, NULL, register_second, &second));
	GOOD(pthread_create(&new, NULL, call_second, &second));
	sem_wait(&second.begun);
	sem_post(&first.go);
	GOOD(pthread_join(old, NULL));
	alarm(FOR_EVER);
	GOOD(pthread_join(registers, NULL));
	alarm(0);
	sem_post(&second.go);
	GOOD(pthread_join(new, NULL));
	GOOD(gaudi_host_op_register("gate", NULL, NULL));
}

static int register_other(const struct gaudi_host_call *call, void *arg)
{
	(void)call;
	*(int *)arg = gaudi_host_op_register("other", nothing, NULL);

	return 0;
}

/* Two that did this would wait for each other. */
static void no_registering_within_a_call(void **state)
{
	int rc = 0;

	(void)state;
	GOOD(gaudi_host_op_register("outer", register_other, &rc));
	GOOD(call_op("outer", NULL));
	assert_int_equal(rc, -EDEADLK);
	GOOD(gaudi_host_op_register("outer", NULL, NULL));
}

/* The child does not wait for a call that only its parent has. */
static void children_have_no_calls(void **state)
{
	struct gate gate;
	int status = -1;
	pthread_t thread;
	pid_t pid;

	(void)state;
	gate_init(&gate);
	GOOD(gaudi_host_op_register("gate", wait_at_gate, &gate));
	GOOD(pthread_create(&thread, NULL, call_gate, NULL));
	sem_wait(&gate.begun);
	pid = fork();
	if (!pid) {
		alarm(FOR_EVER);
		_exit(gaudi_host_op_register("gate", NULL, NULL) != 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	sem_post(&gate.go);
	GOOD(pthread_join(thread, NULL));
	GOOD(gaudi_host_op_register("gate", NULL, NULL));
}

/*
 * A launch takes long on one stream; those of another, which are more than have sync
 * objects at the same time, go on. All were made for the first hardware stream.
 */
static void a_long_launch_holds_up_no_other_stream(void **state)
{
	enum { LAUNCHERS = 100, SIZE = 400 };
	struct gaudi_launcher *l[LAUNCHERS];
	struct gaudi_stream *slow, *other;
	struct gaudi_device *dev;
	void *host;

	(void)state;
	card.monitors = 128;
	GOOD(gaudi_device_open(0, 0, &dev));
	GOOD(gaudi_stream_create(dev, &slow));
	GOOD(gaudi_stream_create(dev, &other));
	GOOD(gaudi_host_alloc(dev, 2 * SIZE, &host));
	for (unsigned int i = 0; i < LAUNCHERS; i++) {
		struct gaudi_recipe *recipe = turn_recipe(SIZE / 4);
		struct gaudi_binding at[] = {
			{ .name = "in", .memory = host },
			{ .name = "out", .memory = (uint8_t *)host + SIZE },
		};

		GOOD(gaudi_launcher_create(dev, recipe, &l[i]));
		GOOD(gaudi_recipe_release(recipe));
		GOOD(gaudi_launcher_bind(l[i], at, 2));
	}
	card.hold = 1u << slow->number % GD_STREAMS;
	alarm(FOR_EVER);
	GOOD(gaudi_launch(l[0], NULL, 0, slow));
	for (unsigned int round = 0; round < 3; round++) {
		for (unsigned int i = 1; i < LAUNCHERS; i++)
			GOOD(gaudi_launch(l[i], NULL, 0, other));
		GOOD(gaudi_stream_synchronize(other));
	}
	alarm(0);
	assert_int_equal(gaudi_stream_query(slow), GAUDI_ERR_NOT_READY);
	card_release();
	GOOD(gaudi_device_close(dev));
}

/*
 * Memory is enough for one launch at a time. The second one asks whether the first
 * has ended, which it has just after that, and while it looks for memory, it learns so.
 */
static void a_launch_ends_while_another_looks(void **state)
{
	enum { SIZE = 4096 };
	struct gaudi_memory_stats stats = { .size = sizeof(stats) };
	struct making m = begin_recipe("large");
	struct gaudi_launcher *l;
	struct gaudi_stream *stream;
	struct gaudi_recipe *recipe;
	struct gaudi_device *dev;
	uint32_t in, work, out;
	gaudi_ptr freed;
	size_t most;
	void *host;

	(void)state;
	GOOD(gaudi_device_open(0, 0, &dev));
	GOOD(gaudi_stream_create(dev, &stream));
	GOOD(gaudi_host_alloc(dev, 2 * SIZE, &host));
	GOOD(gaudi_memory_get_stats(dev, &stats));
	most = (size_t)(stats.device_free / 8 * 5);
	in = tensor(&m, "in", IN, HOST, SIZE, NULL);
	work = tensor(&m, "work", WORK, DEVICE, most, NULL);
	out = tensor(&m, "out", OUT, HOST, SIZE, NULL);
	GOOD(gaudi_builder_add_copy_bytes(m.b, work, 0, in, 0, SIZE, NULL));
	GOOD(gaudi_builder_add_copy_bytes(m.b, out, 0, work, 0, SIZE, NULL));
	recipe = end_recipe(&m);
	GOOD(gaudi_launcher_create(dev, recipe, &l));
	GOOD(gaudi_recipe_release(recipe));
	GOOD(gaudi_launcher_bind(l, (struct gaudi_binding[]) {
		{ .name = "in", .memory = host },
		{ .name = "out", .memory = (uint8_t *)host + SIZE } }, 2));
	GOOD(gaudi_malloc(dev, SIZE, &freed));
	card.hold = 1u << stream->number % GD_STREAMS;
	GOOD(gaudi_launch(l, NULL, 0, stream));
	GOOD(gaudi_free_async(stream, freed));
	card.on_busy = card_finish;
	GOOD(gaudi_launch(l, NULL, 0, stream));
	assert_true(!card.on_busy);
	GOOD(gaudi_stream_synchronize(stream));
	GOOD(gaudi_device_close(dev));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		card_test(children_find_no_lock_held),
		card_test(registering_waits_for_old_calls),
		card_test(no_registering_within_a_call),
		card_test(children_have_no_calls),
		card_test(a_long_launch_holds_up_no_other_stream),
		card_test(a_launch_ends_while_another_looks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
