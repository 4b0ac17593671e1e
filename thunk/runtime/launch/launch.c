// SPDX-License-Identifier: MIT
/*
 * Launchers: a recipe on a device, and what its tensors are bound to. Bindings
 * that were checked are kept in a struct gd_args that never changes again and that
 * launches share; other bindings are another one. A recipe of several parts is launched as
 * that: a target for each, one after the other on the stream, with work of links between them.
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

struct part {
	struct gd_target target;
	struct gaudi_recipe *recipe;	/* the part of it */
	uint32_t *signals;		/* of each event, in one launch */
	bool ready;
};

struct gaudi_launcher {
	LIST_ENTRY(gaudi_launcher) link;
	struct gaudi_device *device;
	struct gaudi_recipe *recipe;
	struct part *parts;
	uint32_t num_parts;
	struct gd_buffer *buffers;
	uint32_t *bound;
	uint32_t num_bound;
	/*
	 * What one part leaves in the workspace is there for the next ones, so that launches
	 * come one after the other: behind the event that the last one recorded.
	 */
	gaudi_ptr workspace;		/* of several parts; 0: none */
	struct gaudi_event *used;
	pthread_mutex_t order;		/* of launches with it; before streams' */
	pthread_mutex_t lock;		/* of what follows; before a target's */
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
	pthread_mutex_lock(&l->lock);
	rc = args_with(l, l->args, bindings, count, &args);
	if (!rc) {
		gd_args_put(l->args);
		l->args = args;
	}
	pthread_mutex_unlock(&l->lock);

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
	pthread_mutex_lock(&l->lock);
	if (event)
		gd_event_get(event);
	l->num_events += !!event;
	l->num_events -= !!l->events[i];
	if (l->events[i])
		gd_event_put(l->events[i]);
	l->events[i] = event;
	pthread_mutex_unlock(&l->lock);

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
	pthread_mutex_lock(&l->lock);
	l->links[i] = (struct gd_bound_link) { .link = link, .to = to };
	pthread_mutex_unlock(&l->lock);

	return 0;
}

/*
 * Launchers
 */
static void part_free(struct part *part)
{
	gd_constants_put(part->target.constants);
	gd_target_exit(&part->target);
	free(part->signals);
}

static void launcher_free(struct gaudi_launcher *l)
{
	for (uint32_t i = 0; i < l->num_parts; i++)
		part_free(&l->parts[i]);
	if (l->workspace)
		gd_pool_free(l->device, l->workspace);
	if (l->used)
		gd_event_put(l->used);
	for (uint32_t i = 0; l->events && i < l->recipe->num_events; i++)
		if (l->events[i])
			gd_event_put(l->events[i]);
	gd_args_put(l->args);
	free(l->buffers);
	free(l->bound);
	free(l->parts);
	free(l->events);
	free(l->links);
	gaudi_recipe_release(l->recipe);
	pthread_mutex_destroy(&l->order);
	pthread_mutex_destroy(&l->lock);
	free(l);
}

/* How often each event is signalled; a sync object does not count further. */
static int count_signals(struct gaudi_launcher *l, struct part *part)
{
	const struct program *p = &part->recipe->program;

	for (uint32_t i = 0; i < p->num_streams; i++)
		for (uint32_t j = 0; j < p->streams[i].num_patches; j++)
			if (p->streams[i].patches[j].kind == PROG_PATCH_EVENT)
				part->signals[p->streams[i].patches[j].object]++;
	for (uint32_t i = 0; i < p->num_events; i++)
		if (part->signals[i] > PROG_SOB_MAX)
			return gd_fail(GAUDI_ERR_UNSUPPORTED,
				       "event '%s' of '%s' is signalled %u times, at most %u",
				       l->recipe->events[i], l->recipe->name,
				       part->signals[i], PROG_SOB_MAX);

	return 0;
}

static void describe(const struct gd_runner *runner, uint32_t buffer, char *text)
{
	const struct part *part;

	part = container_of(runner, struct part, target.runner);
	snprintf(text, GD_NAME, "tensor '%s'",
		 part->recipe->tensors[buffer].name);
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
		gd_pool_free(constants->device, constants->address);
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
	l->parts[0].target.constants = constants;
	for (uint32_t i = 1; i < l->num_parts; i++)
		l->parts[i].target.constants = gd_constants_get(constants);
	rc = gaudi_malloc(l->device, r->constants_size, &constants->address);
	if (!rc)
		rc = gaudi_copy_to_device(l->device, constants->address,
					  r->constants, r->constants_size);

	return rc;
}

static int part_fill(struct gaudi_launcher *l, struct part *part)
{
	struct gd_runner *runner = &part->target.runner;
	int rc = count_signals(l, part);

	if (rc)
		return rc;
	runner->device = l->device;
	runner->name = l->recipe->name;
	runner->program = &part->recipe->program;
	runner->buffers = l->buffers;
	runner->bound = l->bound;
	runner->num_bound = l->num_bound;
	runner->workspace_size = l->workspace ? 0 : l->recipe->workspace_size;
	runner->describe = describe;
	rc = gd_target_ready(&part->target);
	part->ready = !rc;

	return rc;
}

/* Of several parts: there from the first to the last, instead of each one's own. */
static int put_workspace(struct gaudi_launcher *l)
{
	const struct gaudi_recipe *r = l->recipe;
	int rc;

	if (l->num_parts == 1 || !r->workspace_size)
		return 0;
	rc = gaudi_event_create(l->device, GAUDI_EVENT_NO_TIMING, &l->used);
	if (!rc)
		rc = gaudi_malloc(l->device, r->workspace_size, &l->workspace);
	for (uint32_t i = 0; !rc && i < r->num_tensors; i++)
		if (l->buffers[i].kind == GD_BUFFER_WORKSPACE) {
			l->buffers[i].kind = GD_BUFFER_FIXED;
			l->buffers[i].base += l->workspace;
		}

	return rc;
}

static int add_parts(struct gaudi_launcher *l)
{
	struct gaudi_recipe *part = l->recipe;

	l->parts = calloc(recipe_count_parts(part), sizeof(*l->parts));
	for (; l->parts && part; part = part->next) {
		struct part *p = &l->parts[l->num_parts++];

		p->recipe = part;
		gd_target_init(&p->target);
		p->target.recipe = part;
		p->signals = calloc(l->recipe->num_events + 1u,
				    sizeof(*p->signals));
		if (!p->signals)
			return -ENOMEM;
	}

	return l->parts ? 0 : -ENOMEM;
}

static int launcher_fill(struct gaudi_launcher *l)
{
	struct gaudi_recipe *r = l->recipe;
	int rc = add_parts(l);

	l->buffers = calloc(r->num_tensors + 1u, sizeof(*l->buffers));
	l->bound = calloc(r->num_tensors + 1u, sizeof(*l->bound));
	l->events = calloc(r->num_events + 1u, sizeof(*l->events));
	l->links = calloc(r->links.num_names + 1u, sizeof(*l->links));
	l->args = gd_args_new(r->num_tensors);
	if (rc || !l->buffers || !l->bound || !l->events || !l->links ||
	    !l->args)
		return gd_fail(-ENOMEM, "no memory for a launcher of '%s'",
			       r->name);
	rc = put_constants(l);
	if (rc)
		return rc;
	gd_place_buffers(r, l->parts[0].target.constants, 0, l->buffers);
	rc = put_workspace(l);
	for (uint32_t i = 0; i < r->num_tensors; i++)
		if (gd_is_bound(&r->tensors[i]))
			l->bound[l->num_bound++] = i;
	for (uint32_t i = 0; !rc && i < l->num_parts; i++)
		rc = part_fill(l, &l->parts[i]);

	return rc;
}

/* No launch is on its way. */
static int end_parts(struct gaudi_launcher *l)
{
	int rc = 0, error;

	for (uint32_t i = 0; i < l->num_parts; i++) {
		if (!l->parts[i].ready)
			continue;
		gd_target_wait(&l->parts[i].target);
		error = gd_target_end(&l->parts[i].target);
		rc = rc ? rc : error;
	}

	return rc;
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

	PROFILE_SPAN(__func__, NULL, 0, recipe ? recipe->name : NULL);
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
	pthread_mutex_init(&l->order, NULL);
	pthread_mutex_init(&l->lock, NULL);
	rc = launcher_fill(l);
	if (rc) {
		gd_error_save(&state);
		end_parts(l);
		launcher_free(l);
		gd_error_restore(&state);
		return rc;
	}
	pthread_mutex_lock(&device->lock);
	LIST_INSERT_HEAD(&device->launchers, l, link);
	pthread_mutex_unlock(&device->lock);
	*out = l;
	if (__builtin_expect(profile_on, 0))
		gd_recipe_profile(recipe);

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
	rc = end_parts(l);
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

/* A part on its way: a launch, and what links do before and after it. */
struct step {
	struct gd_launch *launch;
	struct gd_link_plan *plan;
};

/* An event is recorded with the last of its signals. */
static bool records(const struct gaudi_launcher *l, uint32_t part, uint32_t event)
{
	if (!l->events[event] || !l->parts[part].signals[event])
		return false;
	while (++part < l->num_parts)
		if (l->parts[part].signals[event])
			return false;

	return true;
}

/* With the launcher's lock: what is bound at this moment. */
static struct gd_launch *launch_of(struct gaudi_launcher *l, uint32_t part)
{
	struct gd_target *target = &l->parts[part].target;
	struct gd_launch *launch;

	pthread_mutex_lock(&target->lock);
	launch = gd_launch_new(target, l->args, l->num_events);
	pthread_mutex_unlock(&target->lock);
	for (uint32_t i = 0; launch && l->num_events &&
	     i < l->recipe->num_events; i++) {
		if (!records(l, part, i))
			continue;
		gd_event_get(l->events[i]);
		launch->watched[launch->num_watched++] = (struct gd_watched) {
			.event = l->events[i],
			.number = i,
			.signals = l->parts[part].signals[i],
		};
	}

	return launch;
}

/* All parts have the same bindings. */
static int set_args(struct step *steps, uint32_t num, struct gd_args *args)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < num; i++) {
		struct gd_launch *launch = steps[i].launch;

		if (launch->args != args) {
			gd_args_put(launch->args);
			launch->args = gd_args_get(args);
		}
		rc = gd_launch_hold(launch);
	}

	return rc;
}

static int check_args(struct gaudi_launcher *l, struct step *steps,
		      const struct gaudi_binding *bindings, uint32_t count)
{
	struct gd_args *args = gd_args_get(steps[0].launch->args), *other;
	int rc = 0;

	if (count) {
		rc = args_with(l, args, bindings, count, &other);
		gd_args_put(args);
		if (rc)
			return rc;
		args = other;
	}
	/* Several threads may find the same. */
	if (!atomic_load(&args->complete)) {
		rc = gd_bindings_check(l->recipe, args->at);
		atomic_store(&args->complete, !rc);
	}
	if (!rc)
		rc = set_args(steps, l->num_parts, args);
	gd_args_put(args);

	return rc;
}

static int do_parts(struct gaudi_launcher *l, struct step *steps,
		    struct gaudi_stream *stream)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < l->num_parts; i++) {
		struct gd_op op = {
			.kind = GD_OP_LAUNCH,
			.job = &steps[i].launch->job,
		};

		rc = gd_link_plan_waits(steps[i].plan, stream);
		if (!rc)
			rc = gd_stream_do(stream, &op);
		if (!rc)
			rc = gd_link_plan_writes(steps[i].plan, stream);
	}

	return rc;
}

/* All of a launch, in the order of @stream. */
static int do_all(struct gaudi_launcher *l, struct step *steps,
		  struct gaudi_stream *stream)
{
	int rc = 0, error;

	for (uint32_t i = 0; !rc && i < l->num_parts; i++)
		rc = gd_link_plan_place(steps[i].plan, l->recipe,
					steps[i].launch->args->at, stream);
	if (rc)
		return rc;
	/* A graph has workspace of its own. */
	if (!l->workspace || atomic_load(&stream->capture))
		return do_parts(l, steps, stream);
	pthread_mutex_lock(&l->order);
	rc = gaudi_stream_wait_order(stream, l->used);
	if (!rc) {
		rc = do_parts(l, steps, stream);
		error = gaudi_event_record(l->used, stream);
		rc = rc ? rc : error;
	}
	pthread_mutex_unlock(&l->order);

	return rc;
}

/* With the launcher's lock. */
static int make_steps(struct gaudi_launcher *l, struct step *steps)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < l->num_parts; i++) {
		rc = gd_link_plan_new(l->recipe, i, l->links, &steps[i].plan);
		if (rc)
			break;
		steps[i].launch = launch_of(l, i);
		if (!steps[i].launch)
			rc = -ENOMEM;
	}

	return rc;
}

int gaudi_launch(struct gaudi_launcher *l, const struct gaudi_binding *bindings,
		 uint32_t count, struct gaudi_stream *stream)
{
	struct step steps[RECIPE_MAX_PARTS] = {};
	int rc = launcher_check(l);

	PROFILE_SPAN(__func__, NULL, 0, rc ? NULL : l->recipe->name);
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
	pthread_mutex_lock(&l->lock);
	rc = make_steps(l, steps);
	pthread_mutex_unlock(&l->lock);
	if (!rc)
		rc = check_args(l, steps, bindings, count);
	if (!rc)
		rc = do_all(l, steps, stream);
	for (uint32_t i = 0; i < l->num_parts; i++) {
		if (steps[i].launch)
			gd_job_put(&steps[i].launch->job);
		free(steps[i].plan);
	}

	return rc;
}
