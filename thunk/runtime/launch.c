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
#include "recipe.h"

struct gaudi_launcher {
	LIST_ENTRY(gaudi_launcher) link;
	struct gaudi_device *device;
	struct gaudi_recipe *recipe;
	struct gd_target target;
	struct gd_buffer *buffers;
	uint32_t *bound;
	gaudi_ptr constants;
	uint32_t *signals;		/* of each event, in one launch */
	/* With the target's lock: */
	struct gd_args *args;		/* of launches from now on */
	struct gaudi_event **events;	/* NULL: not bound */
	uint32_t num_events;		/* that are bound */
};

static int launcher_check(struct gaudi_launcher *l)
{
	return l ? gd_device_check(l->device) :
	       gd_fail(-EINVAL, "the launcher is NULL");
}

static bool is_bound(const struct recipe_tensor *t)
{
	return t->kind <= GAUDI_TENSOR_OUTPUT;
}

/*
 * Bindings
 */
static int find(const struct gaudi_launcher *l, const struct gaudi_binding *b,
		uint32_t *tensor)
{
	const struct gaudi_recipe *r = l->recipe;
	int rc = 0;

	if (b->reserved)
		return gd_fail(-EINVAL, "a binding with %u in its reserved field",
			       b->reserved);
	*tensor = b->tensor;
	if (b->name)
		rc = gaudi_recipe_find_tensor(l->recipe, b->name, tensor);
	if (rc)
		return rc;
	if (*tensor >= r->num_tensors)
		return gd_fail(-EINVAL, "'%s' has %u tensors, none is number %u",
			       r->name, r->num_tensors, *tensor);
	if (!is_bound(&r->tensors[*tensor]))
		return gd_fail(GAUDI_ERR_BINDING,
			       "tensor '%s' of '%s' is a %s and cannot be bound",
			       r->tensors[*tensor].name, r->name,
			       r->tensors[*tensor].kind ==
			       GAUDI_TENSOR_CONSTANT ? "constant" :
						       "workspace");

	return 0;
}

static int bind_host(struct gaudi_device *device, const struct recipe_tensor *t,
		     const struct gaudi_binding *b, struct gd_arg *arg)
{
	struct gd_range *range;

	if (!b->memory || b->address)
		return gd_fail(GAUDI_ERR_BINDING,
			       "tensor '%s' is on the host: memory %p, address %#" PRIx64,
			       t->name, b->memory, b->address);
	range = gd_range_get(device, b->memory, t->bytes);
	if (!range)
		return gd_fail(GAUDI_ERR_BINDING,
			       "tensor '%s': %" PRIu64 " bytes at %p are not in one range of pinned memory",
			       t->name, t->bytes, b->memory);
	arg->memory = b->memory;
	arg->address = gd_range_address(range, b->memory);
	gd_range_put(device, range);

	return 0;
}

static int bind_device(struct gaudi_device *device,
		       const struct recipe_tensor *t,
		       const struct gaudi_binding *b, struct gd_arg *arg)
{
	if (b->memory || !b->address)
		return gd_fail(GAUDI_ERR_BINDING,
			       "tensor '%s' is on the device: address %#" PRIx64 ", memory %p",
			       t->name, b->address, b->memory);
	arg->address = b->address;

	return gd_range_check(device, b->address, t->bytes);
}

static int bind_one(struct gaudi_launcher *l, const struct gaudi_binding *b,
		    struct gd_args *args)
{
	const struct recipe_tensor *t;
	struct gd_arg *arg;
	uint32_t tensor;
	int rc = find(l, b, &tensor);

	if (rc)
		return rc;
	t = &l->recipe->tensors[tensor];
	arg = &args->at[tensor];
	*arg = (struct gd_arg) { .bytes = t->bytes };
	if (b->bytes && b->bytes < t->bytes)
		return gd_fail(GAUDI_ERR_BINDING,
			       "tensor '%s' has %" PRIu64 " bytes and is bound to %" PRIu64,
			       t->name, t->bytes, b->bytes);
	rc = t->place == GAUDI_PLACE_HOST ? bind_host(l->device, t, b, arg) :
					    bind_device(l->device, t, b, arg);
	if (!rc && arg->address % gaudi_type_size(t->type))
		rc = gd_fail(GAUDI_ERR_BINDING,
			     "tensor '%s' at %#" PRIx64 ", not a multiple of %s's %u bytes",
			     t->name, arg->address, gaudi_type_name(t->type),
			     gaudi_type_size(t->type));

	return rc;
}

struct place {
	uint64_t begin, end;
	uint32_t tensor;
};

static int by_begin(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* Places in order: does what is written overlap what is before it, or behind? */
static int find_overlap(const struct gaudi_recipe *r, const struct place *places,
			uint32_t num)
{
	const struct place *any = NULL, *written = NULL;

	for (uint32_t i = 0; i < num; i++) {
		const struct place *p = &places[i], *other = NULL;
		bool write = r->tensors[p->tensor].kind == GAUDI_TENSOR_OUTPUT;

		if (written && written->end > p->begin)
			other = written;
		else if (write && any && any->end > p->begin)
			other = any;
		if (other)
			return gd_fail(GAUDI_ERR_BINDING,
				       "tensors '%s' at %#" PRIx64 " and '%s' at %#" PRIx64 " overlap, and one is written",
				       r->tensors[other->tensor].name,
				       other->begin,
				       r->tensors[p->tensor].name, p->begin);
		if (!any || any->end < p->end)
			any = p;
		if (write && (!written || written->end < p->end))
			written = p;
	}

	return 0;
}

/* Is everything bound, and nothing in another's way? Once for each args. */
static int check_complete(struct gaudi_launcher *l, const struct gd_args *args)
{
	const struct gaudi_recipe *r = l->recipe;
	const struct program *p = &r->program;
	struct place *places;
	uint32_t num = 0;
	int rc;

	places = calloc(l->target.runner.num_bound + 1, sizeof(*places));
	if (!places)
		return gd_fail(-ENOMEM, "no memory to compare %u tensors",
			       l->target.runner.num_bound);
	for (uint32_t i = 0; i < l->target.runner.num_bound; i++) {
		uint32_t t = l->bound[i];

		if (args->at[t].address) {
			places[num++] = (struct place) {
				.begin = args->at[t].address,
				.end = args->at[t].address +
				       r->tensors[t].bytes,
				.tensor = t,
			};
		} else if (p->first_ref[t] != p->first_ref[t + 1]) {
			free(places);
			return gd_fail(GAUDI_ERR_BINDING,
				       "tensor '%s' of '%s' is not bound",
				       r->tensors[t].name, r->name);
		}
	}
	qsort(places, num, sizeof(*places), by_begin);
	rc = find_overlap(r, places, num);
	free(places);

	return rc;
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
		rc = bind_one(l, &bindings[i], copy);
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

/*
 * Launchers
 */
static void launcher_free(struct gaudi_launcher *l)
{
	if (l->constants)
		gaudi_free(l->device, l->constants);
	for (uint32_t i = 0; l->events && i < l->recipe->num_events; i++)
		if (l->events[i])
			gd_event_put(l->events[i]);
	gd_args_put(l->args);
	free(l->buffers);
	free(l->bound);
	free(l->signals);
	free(l->events);
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
	const struct gd_target *target;
	const struct gaudi_launcher *l;

	target = (const void *)((const char *)runner -
				offsetof(struct gd_target, runner));
	l = (const void *)((const char *)target -
			   offsetof(struct gaudi_launcher, target));
	snprintf(text, GD_NAME, "tensor '%s'", l->recipe->tensors[buffer].name);
}

static void place_buffers(struct gaudi_launcher *l)
{
	const struct gaudi_recipe *r = l->recipe;

	for (uint32_t i = 0; i < r->num_tensors; i++) {
		const struct recipe_tensor *t = &r->tensors[i];

		if (t->kind == GAUDI_TENSOR_CONSTANT) {
			l->buffers[i].kind = GD_BUFFER_FIXED;
			l->buffers[i].base = l->constants + t->offset;
		} else if (t->kind == GAUDI_TENSOR_WORKSPACE) {
			l->buffers[i].kind = GD_BUFFER_WORKSPACE;
			l->buffers[i].base = t->offset;
		} else {
			l->bound[l->target.runner.num_bound++] = i;
		}
	}
}

static int launcher_fill(struct gaudi_launcher *l)
{
	struct gaudi_recipe *r = l->recipe;
	int rc;

	l->buffers = calloc(r->num_tensors + 1u, sizeof(*l->buffers));
	l->bound = calloc(r->num_tensors + 1u, sizeof(*l->bound));
	l->signals = calloc(r->num_events + 1u, sizeof(*l->signals));
	l->events = calloc(r->num_events + 1u, sizeof(*l->events));
	l->args = gd_args_new(r->num_tensors);
	if (!l->buffers || !l->bound || !l->signals || !l->events || !l->args)
		return gd_fail(-ENOMEM, "no memory for a launcher of '%s'",
			       r->name);
	rc = count_signals(l);
	if (!rc && r->constants_size)
		rc = gaudi_malloc(l->device, r->constants_size, &l->constants);
	if (!rc && r->constants_size)
		rc = gaudi_copy_to_device(l->device, l->constants,
					  r->constants, r->constants_size);
	if (rc)
		return rc;
	place_buffers(l);
	l->target.runner.device = l->device;
	l->target.runner.name = r->name;
	l->target.runner.program = &r->program;
	l->target.runner.buffers = l->buffers;
	l->target.runner.bound = l->bound;
	l->target.runner.workspace_size = r->workspace_size;
	l->target.runner.describe = describe;

	return gd_runner_init(&l->target.runner);
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
	rc = gd_runner_exit(&l->target.runner);
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
		rc = check_complete(l, args);
		if (rc)
			return rc;
		atomic_store(&args->complete, true);
	}

	return gd_launch_hold(launch);
}

int gaudi_launch(struct gaudi_launcher *l, const struct gaudi_binding *bindings,
		 uint32_t count, struct gaudi_stream *stream)
{
	struct gd_op op = { .kind = GD_OP_LAUNCH };
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
	op.launch = launch_of(l);
	pthread_mutex_unlock(&l->target.lock);
	if (!op.launch)
		return -ENOMEM;
	rc = check_args(l, op.launch, bindings, count);
	if (!rc)
		rc = gd_stream_do(stream, &op);
	gd_launch_put(op.launch);

	return rc;
}
