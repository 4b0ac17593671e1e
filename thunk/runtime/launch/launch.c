// SPDX-License-Identifier: MIT
/*
 * Launchers: a recipe on a device, and what its tensors are bound to. Bindings
 * that were checked are kept in a struct gd_args that never changes again and that
 * launches share; other bindings are another one.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gaudi_launch.h"
#include "launch.h"
#include "launch_links.h"
#include "../link/link.h"
#include "../recipe/recipe.h"

struct gaudi_launcher {
	LIST_ENTRY(gaudi_launcher) link;
	struct gaudi_device *device;
	struct gaudi_recipe *recipe;	/* the target's */
	struct gd_target target;
	struct gd_buffer *buffers;
	uint32_t *bound;
	uint32_t *signals;		/* of each event, in one launch */
	/* With the target's lock: */
	struct gd_args *args;		/* of launches from now on */
	struct gaudi_event **events;	/* NULL: not bound */
	uint32_t num_events;		/* that are bound */
	struct gd_bound_link *links;
};

static int launcher_check(struct gaudi_launcher *l)
{
	return l ? gd_device_check(l->device) :
	       gd_fail(-EINVAL, "the launcher is NULL");
}

static struct gd_args *args_copy(struct gaudi_launcher *l,
				 const struct gd_args *args)
{
	uint32_t num = l->recipe->num_tensors;
	struct gd_args *copy = gd_args_new(num);

	if (!copy)
		gd_fail(-ENOMEM, "no memory for %u bindings", num);
	else
		memcpy(copy->at, args->at, num * sizeof(copy->at[0]));

	return copy;
}

/* @args with @bindings in place of some; *@out is the caller's. */
static int args_with(struct gaudi_launcher *l, const struct gd_args *args,
		     const struct gaudi_binding *bindings, uint32_t count,
		     struct gd_args **out)
{
	struct gd_args *copy = args_copy(l, args);
	int rc = 0;

	if (!copy)
		return -ENOMEM;
	for (uint32_t i = 0; !rc && i < count; i++)
		rc = gd_bind(l->device, l->recipe, &bindings[i], copy->at);
	if (rc)
		gd_args_put(copy);
	else
		*out = copy;

	return rc;
}

int gaudi_launcher_bind(struct gaudi_launcher *l,
			const struct gaudi_binding *bindings, uint32_t count)
{
	struct gd_args *args;
	int rc = launcher_check(l);

	if (!rc && count && !bindings)
		rc = gd_fail(-EINVAL, "gaudi_launcher_bind: bindings is NULL");
	if (rc || !count)
		return rc;
	pthread_mutex_lock(&l->target.lock);
	rc = args_with(l, l->args, bindings, count, &args);
	if (!rc) {
		gd_args_put(l->args);
		l->args = args;
	}
	pthread_mutex_unlock(&l->target.lock);

	return rc;
}

int gaudi_launcher_bind_event(struct gaudi_launcher *l, const char *name,
			      struct gaudi_event *event)
{
	uint32_t i = 0;
	int rc = launcher_check(l);

	if (rc)
		return rc;
	if (!name)
		return gd_fail(-EINVAL, "gaudi_launcher_bind_event: name is NULL");
	if (event && event->device != l->device)
		return gd_fail(-EINVAL, "an event of card %u for a launcher of card %u",
			       event->device->card.accel,
			       l->device->card.accel);
	while (i < l->recipe->num_events && strcmp(l->recipe->events[i], name))
		i++;
	if (i == l->recipe->num_events)
		return gd_fail(-ENOENT, "'%s' has no event '%.80s'",
			       l->recipe->name, name);
	pthread_mutex_lock(&l->target.lock);
	if (event)
		gd_event_get(event);
	l->num_events += !!event;
	l->num_events -= !!l->events[i];
	if (l->events[i])
		gd_event_put(l->events[i]);
	l->events[i] = event;
	pthread_mutex_unlock(&l->target.lock);

	return 0;
}

int gaudi_launcher_bind_link(struct gaudi_launcher *l, const char *name,
			     struct gaudi_link *link, uint64_t to)
{
	uint32_t i = 0;
	int rc = launcher_check(l);

	if (!rc && !name)
		rc = gd_fail(-EINVAL, "gaudi_launcher_bind_link: name is NULL");
	if (!rc && link)
		rc = gd_link_may_bind(l->device, link);
	if (rc)
		return rc;
	while (i < l->recipe->links.num_names &&
	       strcmp(l->recipe->links.names[i], name))
		i++;
	if (i == l->recipe->links.num_names)
		return gd_fail(-ENOENT, "'%s' has no link '%.80s'",
			       l->recipe->name, name);
	pthread_mutex_lock(&l->target.lock);
	l->links[i] = (struct gd_bound_link) { .link = link, .to = to };
	pthread_mutex_unlock(&l->target.lock);

	return 0;
}

/*
 * Launchers
 */
static void launcher_free(struct gaudi_launcher *l)
{
	gd_constants_put(l->target.constants);
	for (uint32_t i = 0; l->events && i < l->recipe->num_events; i++)
		if (l->events[i])
			gd_event_put(l->events[i]);
	gd_args_put(l->args);
	free(l->buffers);
	free(l->bound);
	free(l->signals);
	free(l->events);
	free(l->links);
	gaudi_recipe_release(l->recipe);
	gd_target_exit(&l->target);
	free(l);
}

/* How often each event is signalled; a sync object does not count further. */
static int count_signals(struct gaudi_launcher *l)
{
	const struct program *p = &l->recipe->program;

	for (uint32_t i = 0; i < p->num_streams; i++)
		for (uint32_t j = 0; j < p->streams[i].num_patches; j++)
			if (p->streams[i].patches[j].kind == PROG_PATCH_EVENT)
				l->signals[p->streams[i].patches[j].object]++;
	for (uint32_t i = 0; i < p->num_events; i++)
		if (l->signals[i] > PROG_SOB_MAX)
			return gd_fail(GAUDI_ERR_UNSUPPORTED,
				       "event '%s' of '%s' is signalled %u times, at most %u",
				       l->recipe->events[i], l->recipe->name,
				       l->signals[i], PROG_SOB_MAX);

	return 0;
}

static void describe(const struct gd_runner *runner, uint32_t buffer, char *text)
{
	const struct gaudi_launcher *l;

	l = container_of(runner, struct gaudi_launcher, target.runner);
	snprintf(text, GD_NAME, "tensor '%s'", l->recipe->tensors[buffer].name);
}

void gd_place_buffers(const struct gaudi_recipe *r,
		      const struct gd_constants *constants, uint64_t workspace,
		      struct gd_buffer *buffers)
{
	for (uint32_t i = 0; i < r->num_tensors; i++) {
		const struct recipe_tensor *t = &r->tensors[i];

		if (t->kind == GAUDI_TENSOR_CONSTANT) {
			buffers[i].kind = GD_BUFFER_FIXED;
			buffers[i].base = constants->address + t->offset;
		} else if (t->kind == GAUDI_TENSOR_WORKSPACE) {
			buffers[i].kind = GD_BUFFER_WORKSPACE;
			buffers[i].base = workspace + t->offset;
		}
	}
}

struct gd_constants *gd_constants_get(struct gd_constants *constants)
{
	if (constants)
		atomic_fetch_add(&constants->refs, 1);

	return constants;
}

/* Whoever has them waits for what it gave to the card. */
void gd_constants_put(struct gd_constants *constants)
{
	if (!constants || atomic_fetch_sub(&constants->refs, 1) != 1)
		return;
	if (constants->address)
		gd_pool_give(constants->device, constants->address);
	free(constants);
}

static int put_constants(struct gaudi_launcher *l)
{
	const struct gaudi_recipe *r = l->recipe;
	struct gd_constants *constants;
	int rc;

	if (!r->constants_size)
		return 0;
	constants = calloc(1, sizeof(*constants));
	if (!constants)
		return gd_fail(-ENOMEM, "no memory for a launcher of '%s'",
			       r->name);
	atomic_init(&constants->refs, 1);
	constants->device = l->device;
	l->target.constants = constants;
	rc = gaudi_malloc(l->device, r->constants_size, &constants->address);
	if (!rc)
		rc = gaudi_copy_to_device(l->device, constants->address,
					  r->constants, r->constants_size);

	return rc;
}

static int launcher_fill(struct gaudi_launcher *l)
{
	struct gaudi_recipe *r = l->recipe;
	int rc;

	l->buffers = calloc(r->num_tensors + 1u, sizeof(*l->buffers));
	l->bound = calloc(r->num_tensors + 1u, sizeof(*l->bound));
	l->signals = calloc(r->num_events + 1u, sizeof(*l->signals));
	l->events = calloc(r->num_events + 1u, sizeof(*l->events));
	l->links = calloc(r->links.num_names + 1u, sizeof(*l->links));
	l->args = gd_args_new(r->num_tensors);
	if (!l->buffers || !l->bound || !l->signals || !l->events ||
	    !l->links || !l->args)
		return gd_fail(-ENOMEM, "no memory for a launcher of '%s'",
			       r->name);
	rc = count_signals(l);
	if (!rc)
		rc = put_constants(l);
	if (rc)
		return rc;
	gd_place_buffers(r, l->target.constants, 0, l->buffers);
	for (uint32_t i = 0; i < r->num_tensors; i++)
		if (gd_is_bound(&r->tensors[i]))
			l->bound[l->target.runner.num_bound++] = i;
	l->target.runner.device = l->device;
	l->target.runner.name = r->name;
	l->target.runner.program = &r->program;
	l->target.runner.buffers = l->buffers;
	l->target.runner.bound = l->bound;
	l->target.runner.workspace_size = r->workspace_size;
	l->target.runner.describe = describe;

	return gd_target_ready(&l->target);
}

static int check_revision(struct gaudi_device *device,
			  const struct gaudi_recipe *r)
{
	uint32_t revision = device->ip.revision_id;

	if (revision >= r->revision_min && revision <= r->revision_max)
		return 0;

	return gd_fail(GAUDI_ERR_RECIPE_VERSION,
		       "'%s' is for cards of revision %u to %u, card %u has %u",
		       r->name, r->revision_min, r->revision_max,
		       device->card.accel, revision);
}

int gaudi_launcher_create(struct gaudi_device *device,
			  struct gaudi_recipe *recipe,
			  struct gaudi_launcher **out)
{
	struct gd_error_state state;
	struct gaudi_launcher *l;
	int rc = gd_device_check(device);

	if (!rc && (!recipe || !out))
		rc = gd_fail(-EINVAL, "gaudi_launcher_create: %s is NULL",
			     recipe ? "launcher" : "recipe");
	if (!rc)
		rc = gd_may_block(device, "gaudi_launcher_create");
	if (!rc)
		rc = check_revision(device, recipe);
	if (rc)
		return rc;
	l = calloc(1, sizeof(*l));
	if (!l)
		return gd_fail(-ENOMEM, "no memory for a launcher");
	l->device = device;
	l->recipe = recipe;
	gaudi_recipe_retain(recipe);
	gd_target_init(&l->target);
	l->target.recipe = recipe;
	rc = launcher_fill(l);
	if (rc) {
		gd_error_save(&state);
		launcher_free(l);
		gd_error_restore(&state);
		return rc;
	}
	pthread_mutex_lock(&device->lock);
	LIST_INSERT_HEAD(&device->launchers, l, link);
	pthread_mutex_unlock(&device->lock);
	*out = l;

	return 0;
}

int gaudi_launcher_destroy(struct gaudi_launcher *l)
{
	struct gd_error_state state;
	int rc;

	if (!l)
		return 0;
	rc = gd_device_check_mine(l->device);
	if (!rc)
		rc = gd_may_block(l->device, "gaudi_launcher_destroy");
	if (rc)
		return rc;
	gd_target_wait(&l->target);
	rc = gd_target_end(&l->target);
	gd_error_save(&state);
	pthread_mutex_lock(&l->device->lock);
	LIST_REMOVE(l, link);
	pthread_mutex_unlock(&l->device->lock);
	launcher_free(l);
	gd_error_restore(&state);

	return rc;
}

void gd_launchers_exit(struct gaudi_device *device)
{
	while (!LIST_EMPTY(&device->launchers))
		gaudi_launcher_destroy(LIST_FIRST(&device->launchers));
}

/*
 * Launches
 */

/* With the launcher's lock: what is bound at this moment. */
static struct gd_launch *launch_of(struct gaudi_launcher *l)
{
	struct gd_launch *launch = gd_launch_new(&l->target, l->args,
						 l->num_events);

	for (uint32_t i = 0; launch && l->num_events &&
	     i < l->recipe->num_events; i++) {
		if (!l->events[i])
			continue;
		gd_event_get(l->events[i]);
		launch->watched[launch->num_watched++] = (struct gd_watched) {
			.event = l->events[i],
			.number = i,
			.signals = l->signals[i],
		};
	}

	return launch;
}

static int check_args(struct gaudi_launcher *l, struct gd_launch *launch,
		      const struct gaudi_binding *bindings, uint32_t count)
{
	struct gd_args *args = launch->args, *other;
	int rc = 0;

	if (count) {
		rc = args_with(l, args, bindings, count, &other);
		if (rc)
			return rc;
		gd_args_put(args);
		launch->args = args = other;
	}
	/* Several threads may find the same. */
	if (!atomic_load(&args->complete)) {
		rc = gd_bindings_check(l->recipe, args->at);
		if (rc)
			return rc;
		atomic_store(&args->complete, true);
	}

	return gd_launch_hold(launch);
}

/* All of a launch, in the order of @stream. */
static int do_all(struct gaudi_launcher *l, struct gd_launch *launch,
		  struct gd_link_plan *plan, struct gaudi_stream *stream)
{
	struct gd_op op = { .kind = GD_OP_LAUNCH, .job = &launch->job };
	int rc = gd_link_plan_place(plan, l->recipe, launch->args->at, stream);

	if (!rc)
		rc = gd_link_plan_waits(plan, stream);
	if (!rc)
		rc = gd_stream_do(stream, &op);

	return rc ? rc : gd_link_plan_writes(plan, stream);
}

int gaudi_launch(struct gaudi_launcher *l, const struct gaudi_binding *bindings,
		 uint32_t count, struct gaudi_stream *stream)
{
	struct gd_link_plan *plan = NULL;
	struct gd_launch *launch;
	int rc = launcher_check(l);

	if (!rc)
		rc = gd_stream_check(stream);
	if (rc)
		return rc;
	if (stream->device != l->device)
		return gd_fail(-EINVAL, "a launcher of card %u on a stream of card %u",
			       l->device->card.accel,
			       stream->device->card.accel);
	if (count && !bindings)
		return gd_fail(-EINVAL, "gaudi_launch: bindings is NULL");
	pthread_mutex_lock(&l->target.lock);
	rc = gd_link_plan_new(l->recipe, l->links, &plan);
	launch = rc ? NULL : launch_of(l);
	pthread_mutex_unlock(&l->target.lock);
	if (!launch) {
		free(plan);
		return rc ? rc : -ENOMEM;
	}
	rc = check_args(l, launch, bindings, count);
	if (!rc)
		rc = do_all(l, launch, plan, stream);
	gd_job_put(&launch->job);
	free(plan);

	return rc;
}
