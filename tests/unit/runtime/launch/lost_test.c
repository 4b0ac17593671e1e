// SPDX-License-Identifier: MIT
/*
 * Launches of recipes and graphs on a card that is lost, or reset, meanwhile: each
 * call ends, says so, and nothing is left behind, which the card looks at when it is
 * closed.
 */
#include <errno.h>
#include <unistd.h>

#include "../card.h"
#include "../../../runtime/recipes.h"
#include "gaudi_graph.h"

#define LOST	GAUDI_ERR_DEVICE_LOST

static void says(const char *text)
{
	if (!strstr(gaudi_last_error(NULL), text))
		fail_msg("'%s' is not in '%s'", text, gaudi_last_error(NULL));
}

/* A recipe over all engines, and a graph that launches it. */
struct bed {
	struct gaudi_device *dev;
	struct gaudi_stream *stream, *other;
	struct gaudi_event *event;
	struct gaudi_launcher *launcher;
	struct gaudi_graph *graph;
	struct gaudi_binding bindings[3];
};

static void bed_bind(struct bed *bed)
{
	gaudi_ptr copy;
	void *host;

	GOOD(gaudi_host_alloc(bed->dev, 2 * WIDE_BYTES, &host));
	GOOD(gaudi_malloc(bed->dev, WIDE_BYTES, &copy));
	bed->bindings[0] = (struct gaudi_binding) {
		.name = "in",
		.memory = host,
	};
	bed->bindings[1] = (struct gaudi_binding) {
		.name = "out",
		.memory = (char *)host + WIDE_BYTES,
	};
	bed->bindings[2] = (struct gaudi_binding) {
		.name = "copy",
		.address = copy,
	};
	GOOD(gaudi_launcher_bind(bed->launcher, bed->bindings, 3));
}

static struct bed bed_make(void)
{
	struct gaudi_recipe *recipe = wide_recipe();
	struct bed bed = {};

	GOOD(gaudi_device_open(0, 60000, &bed.dev));
	GOOD(gaudi_stream_create(bed.dev, &bed.stream));
	GOOD(gaudi_stream_create(bed.dev, &bed.other));
	GOOD(gaudi_event_create(bed.dev, 0, &bed.event));
	GOOD(gaudi_launcher_create(bed.dev, recipe, &bed.launcher));
	GOOD(gaudi_recipe_release(recipe));
	bed_bind(&bed);
	GOOD(gaudi_stream_begin_capture(bed.stream));
	GOOD(gaudi_launch(bed.launcher, NULL, 0, bed.stream));
	GOOD(gaudi_stream_end_capture(bed.stream, &bed.graph));
	GOOD(gaudi_launcher_bind_event(bed.launcher, "done", bed.event));

	return bed;
}

/* Everything says it, and everything can be given back. */
static void bed_is_lost(struct bed *bed)
{
	struct gaudi_graph *graph = NULL;

	FAILS(gaudi_launch(bed->launcher, NULL, 0, bed->stream), LOST);
	says("is lost");
	FAILS(gaudi_graph_launch(bed->graph, bed->other), LOST);
	says("is lost");
	FAILS(gaudi_graph_bind(bed->graph, 0, bed->bindings, 3), LOST);
	FAILS(gaudi_launcher_bind(bed->launcher, bed->bindings, 3), LOST);
	FAILS(gaudi_stream_begin_capture(bed->stream), LOST);
	FAILS(gaudi_stream_end_capture(bed->stream, &graph), LOST);
	FAILS(gaudi_stream_synchronize(bed->stream), LOST);
	FAILS(gaudi_event_synchronize(bed->event), LOST);
	FAILS(gaudi_event_query(bed->event), LOST);
	assert_null(graph);
}

static void bed_end(struct bed *bed)
{
	int rc = gaudi_graph_destroy(bed->graph);

	if (rc && rc != LOST)
		fail_msg("the graph's end: %d", rc);
	rc = gaudi_launcher_destroy(bed->launcher);
	if (rc && rc != LOST)
		fail_msg("the launcher's end: %d", rc);
	FAILS(gaudi_device_close(bed->dev), LOST);
}

CARD_TEST(work_under_way_fails)
{
	struct bed bed = bed_make();

	card_hold(ALL_STREAMS);
	GOOD(gaudi_launch(bed.launcher, NULL, 0, bed.stream));
	GOOD(gaudi_graph_launch(bed.graph, bed.other));
	GOOD(gaudi_graph_launch(bed.graph, bed.stream));
	card.wait_error = -EIO;
	card_release();
	assert_int_not_equal(gaudi_event_synchronize(bed.event), 0);
	says("is lost");
	bed_is_lost(&bed);
	bed_end(&bed);
}

static void *lose_it(void *arg)
{
	(void)arg;
	usleep(50000);
	card.wait_error = -ETIMEDOUT;
	card_release();

	return NULL;
}

/* Whoever waits for one of its earlier launches is told. */
CARD_TEST(more_launches_than_fit)
{
	struct bed bed = bed_make();
	unsigned int n = 0;
	pthread_t thread;
	int rc = 0;

	card_hold(ALL_STREAMS);
	GOOD(pthread_create(&thread, NULL, lose_it, NULL));
	while (!rc && ++n < 10000)
		rc = n % 2 ? gaudi_graph_launch(bed.graph, bed.stream) :
			     gaudi_launch(bed.launcher, NULL, 0, bed.other);
	pthread_join(thread, NULL);
	assert_int_not_equal(rc, 0);
	bed_is_lost(&bed);
	bed_end(&bed);
}

CARD_TEST(submissions_are_refused)
{
	static const int errors[] = { -EBUSY, -ENODEV, -EIO };

	for (unsigned int i = 0; i < 3; i++) {
		struct bed bed = bed_make();

		card.submit_error = errors[i];
		FAILS(gaudi_launch(bed.launcher, NULL, 0, bed.stream), LOST);
		says("takes no more work");
		bed_is_lost(&bed);
		bed_end(&bed);

		card.wait_error = 0;
		bed = bed_make();
		GOOD(gaudi_launch(bed.launcher, NULL, 0, bed.stream));
		card.submit_error = errors[i];
		FAILS(gaudi_graph_launch(bed.graph, bed.stream), LOST);
		says("takes no more work");
		FAILS(gaudi_launch(bed.launcher, NULL, 0, bed.stream), LOST);
		bed_end(&bed);
		card.wait_error = 0;
	}
}

/* The launch itself may be what asks about the one before it. */
CARD_TEST(an_idle_card_is_lost)
{
	struct bed bed = bed_make();
	int rc;

	GOOD(gaudi_launch(bed.launcher, NULL, 0, bed.stream));
	GOOD(gaudi_event_synchronize(bed.event));
	card.wait_error = -EIO;
	rc = gaudi_launch(bed.launcher, NULL, 0, bed.stream);
	if (!rc)
		rc = gaudi_stream_synchronize(bed.stream);
	assert_int_not_equal(rc, 0);
	bed_is_lost(&bed);
	bed_end(&bed);
}

/* What is for a moment only is no loss, and costs nothing. */
CARD_TEST(launches_that_fail_once)
{
	struct bed bed = bed_make();

	pattern(bed.bindings[0].memory, WIDE_BYTES, 5);
	for (unsigned int i = 0; i < 20; i++) {
		card.submit_error = -ENOMEM;
		FAILS(gaudi_launch(bed.launcher, NULL, 0, bed.stream), -ENOMEM);
		card.submit_error = -ENOMEM;
		FAILS(gaudi_graph_launch(bed.graph, bed.stream), -ENOMEM);
	}
	GOOD(gaudi_graph_launch(bed.graph, bed.stream));
	GOOD(gaudi_launch(bed.launcher, NULL, 0, bed.stream));
	GOOD(gaudi_stream_synchronize(bed.stream));
	assert_true(wide_is_right(bed.bindings[0].memory,
				  bed.bindings[1].memory));
	GOOD(gaudi_graph_destroy(bed.graph));
	GOOD(gaudi_launcher_destroy(bed.launcher));
	GOOD(gaudi_device_close(bed.dev));
}

struct gate {
	int fds[2];
	int error;
};

static void wait_at_gate(void *arg, int error)
{
	struct gate *gate = arg;
	char c;

	gate->error = error;
	if (read(gate->fds[0], &c, 1) != 1)
		abort();
}

/* Launches that the library still keeps are never run, and nobody waits for them. */
CARD_TEST(behind_a_host_function)
{
	struct bed bed = bed_make();
	struct gate gate = {};

	assert_int_equal(pipe(gate.fds), 0);
	GOOD(gaudi_stream_add_host_fn(bed.stream, wait_at_gate, &gate));
	GOOD(gaudi_launch(bed.launcher, NULL, 0, bed.stream));
	GOOD(gaudi_graph_launch(bed.graph, bed.stream));
	card.submit_error = -EIO;
	FAILS(gaudi_graph_launch(bed.graph, bed.other), LOST);
	assert_int_equal(write(gate.fds[1], "x", 1), 1);
	FAILS(gaudi_event_synchronize(bed.event), LOST);
	bed_is_lost(&bed);
	bed_end(&bed);
	close(gate.fds[0]);
	close(gate.fds[1]);
}

/* In the middle of a capture, and of what makes the first launch ready. */
CARD_TEST(captures_and_launchers_in_the_making)
{
	struct gaudi_launcher *launcher = NULL;
	struct gaudi_graph *graph = NULL;
	struct gaudi_recipe *recipe = wide_recipe();
	struct bed bed = bed_make();
	struct gaudi_device *dev;

	GOOD(gaudi_stream_begin_capture(bed.stream));
	GOOD(gaudi_launch(bed.launcher, NULL, 0, bed.stream));
	card.submit_error = -EIO;
	FAILS(gaudi_graph_launch(bed.graph, bed.other), LOST);
	FAILS(gaudi_launch(bed.launcher, NULL, 0, bed.stream), LOST);
	FAILS(gaudi_stream_end_capture(bed.stream, &graph), LOST);
	bed_end(&bed);

	card.wait_error = 0;
	GOOD(gaudi_device_open(0, 60000, &dev));
	card.submit_error = -EIO;
	FAILS(gaudi_launcher_create(dev, recipe, &launcher), LOST);
	FAILS(gaudi_launcher_create(dev, recipe, &launcher), LOST);
	assert_null(launcher);
	FAILS(gaudi_device_close(dev), LOST);
	GOOD(gaudi_recipe_release(recipe));
}
