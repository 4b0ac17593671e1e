// SPDX-License-Identifier: MIT
/* Locks of the process: children get them free, and nobody waits for ever. */
#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../card.h"
#include "../../../runtime/recipes.h"
#include "streams/work.h"
#include "gaudi_graph.h"

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

/* What a child can do: its own objects would have these locks, too. */
static int in_child(struct gaudi_stream *stream)
{
	alarm(FOR_EVER);
	if (gaudi_stream_synchronize(stream) != GAUDI_ERR_FORKED)
		return 1;
	gd_capture_refuse_now(stream, NULL, "a test");

	return 0;
}

CARD_TEST(children_find_no_lock_held)
{
	struct gaudi_stream *stream;
	struct gaudi_device *dev;
	pthread_t thread;

	GOOD(gaudi_device_open(0, 60000, &dev));
	GOOD(gaudi_stream_create(dev, &stream));
	atomic_store(&stop, false);
	GOOD(pthread_create(&thread, NULL, ask_for_captures, stream));
	for (unsigned int i = 0; i < 50; i++) {
		int status = -1;
		pid_t pid = fork();

		if (!pid)
			_exit(in_child(stream));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
	atomic_store(&stop, true);
	GOOD(pthread_join(thread, NULL));
	GOOD(gaudi_device_close(dev));
}

/*
 * A launch takes long on one stream; those of another, which are more than have sync
 * objects at the same time, go on. All were made for the first hardware stream.
 */
CARD_TEST(a_long_launch_holds_up_no_other_stream)
{
	enum { LAUNCHERS = 100, SIZE = 400 };
	struct gaudi_launcher *l[LAUNCHERS];
	struct gaudi_stream *slow, *other;
	struct gaudi_device *dev;
	void *host;

	card.monitors = 128;
	GOOD(gaudi_device_open(0, 60000, &dev));
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
	card_hold(1u << slow->hw_stream);
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
CARD_TEST(a_launch_ends_while_another_looks)
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

	GOOD(gaudi_device_open(0, 60000, &dev));
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
	card_hold(1u << stream->hw_stream);
	GOOD(gaudi_launch(l, NULL, 0, stream));
	GOOD(gaudi_free_async(stream, freed));
	card.on_busy = card_finish;
	GOOD(gaudi_launch(l, NULL, 0, stream));
	assert_true(!card.on_busy);
	GOOD(gaudi_stream_synchronize(stream));
	GOOD(gaudi_device_close(dev));
}
