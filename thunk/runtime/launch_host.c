// SPDX-License-Identifier: MIT
/*
 * Launches of recipes with nodes of the host: step by step, on the stream's own
 * thread. Each program of the card is a runner, for which workspace is bound memory:
 * it lasts from step to step. A launch under way has a scratch, which is workspace and
 * pinned memory for what nodes of the host read and write; the next launch takes it
 * over, and comes after it on the card.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "gaudi_launch.h"
#include "host_op.h"
#include "launch.h"
#include "recipe.h"

struct scratch {
	SLIST_ENTRY(scratch) link;
	gaudi_ptr workspace;		/* 0: the recipe has none */
	uint8_t *stage;			/* NULL: nothing goes to the host */
	uint64_t stage_address;
	struct gd_point used;		/* until then by the card */
	/* Those of a launch, and the same with workspace. */
	struct gd_args *of, *args;
};

/* One of the recipe's, or a part of one that takes long. */
struct step {
	const struct recipe_host *host;	/* NULL: a program */
	const struct program *program;	/* the recipe's; NULL: @part */
	struct program part;
	struct gd_runner runner;
	bool ready;
};

struct gd_steps {
	struct gaudi_device *device;
	struct gaudi_recipe *recipe;
	struct gd_buffer *buffers;
	uint32_t *bound, num_bound;
	uint64_t stage_size;
	struct step *at;
	size_t num, room;
	uint32_t *signals;		/* by step, and its events */
	pthread_mutex_t lock;

	SLIST_HEAD(, scratch) idle;
};

static int no_memory(const struct gaudi_recipe *r)
{
	return gd_fail(-ENOMEM, "no memory for a launcher of '%s'", r->name);
}

/* Whether a node of the host finds a tensor elsewhere than in the scratch. */
static bool is_there(const struct recipe_tensor *t)
{
	return t->place == GAUDI_PLACE_HOST || t->kind == GAUDI_TENSOR_CONSTANT;
}

static uint64_t stage_of(const struct gaudi_recipe *r,
			 const struct recipe_host *h, uint32_t operand)
{
	uint64_t offset = 0;
	uint32_t i;

	for (i = 0; i < operand; i++) {
		const struct recipe_tensor *t =
			&r->tensors[h->operands[i].tensor];

		if (!is_there(t))
			offset += gd_round_up(t->bytes, RECIPE_ALIGN);
	}

	return offset;
}

/* --- scratches -------------------------------------------------------------- */

static void scratch_free(struct gd_steps *s, struct scratch *c)
{
	if (c->workspace)
		gd_pool_give(s->device, c->workspace);
	if (c->stage)
		gaudi_host_free(s->device, c->stage);
	gd_args_put(c->of);
	gd_args_put(c->args);
	free(c);
}

static int scratch_new(struct gd_steps *s, struct scratch **out)
{
	struct scratch *c = calloc(1, sizeof(*c));
	struct gd_error_state state;
	void *stage = NULL;
	int rc = 0;

	if (!c)
		return no_memory(s->recipe);
	if (s->recipe->workspace_size)
		rc = gaudi_malloc(s->device, s->recipe->workspace_size,
				  &c->workspace);
	if (!rc && s->stage_size)
		rc = gaudi_host_alloc(s->device, s->stage_size, &stage);
	c->stage = stage;
	if (!rc && stage)
		rc = gaudi_host_get_device_address(s->device, stage,
						   &c->stage_address);
	if (rc) {
		gd_error_save(&state);
		scratch_free(s, c);
		gd_error_restore(&state);
		return rc;
	}
	*out = c;

	return 0;
}

/* As many as there are streams that launch at the same time. */
static int scratch_take(struct gd_steps *s, struct scratch **out)
{
	struct scratch *c;

	pthread_mutex_lock(&s->lock);
	c = SLIST_FIRST(&s->idle);
	if (c)
		SLIST_REMOVE_HEAD(&s->idle, link);
	pthread_mutex_unlock(&s->lock);
	if (!c)
		return scratch_new(s, out);
	*out = c;

	return 0;
}

static void scratch_put(struct gd_steps *s, struct scratch *c)
{
	pthread_mutex_lock(&s->lock);
	SLIST_INSERT_HEAD(&s->idle, c, link);
	pthread_mutex_unlock(&s->lock);
}

/* Args never change, so that who has them need not be told: others are made. */
static int scratch_bind(struct gd_steps *s, struct scratch *c,
			struct gd_args *of)
{
	uint32_t num = s->recipe->num_tensors, i;
	struct gd_args *args;

	if (c->of == of)
		return 0;
	args = gd_args_new(num);
	if (!args)
		return no_memory(s->recipe);
	memcpy(args->at, of->at, num * sizeof(args->at[0]));
	for (i = 0; i < num; i++)
		if (s->recipe->tensors[i].kind == GAUDI_TENSOR_WORKSPACE)
			args->at[i].address = c->workspace +
					      s->recipe->tensors[i].offset;
	gd_args_put(c->of);
	gd_args_put(c->args);
	c->of = gd_args_get(of);
	c->args = args;

	return 0;
}

/* --- steps ------------------------------------------------------------------- */

static int add_step(struct gd_steps *s, const struct step *step)
{
	if (!gd_grow((void **)&s->at, s->num, &s->room, sizeof(*s->at)))
		return no_memory(s->recipe);
	s->at[s->num++] = *step;

	return 0;
}

static int add_program(struct gd_steps *s, const struct gd_runner *front,
		       const struct program *p)
{
	struct program *parts;
	uint32_t num, i;
	int rc = gd_cut(front, p, &parts, &num);

	if (!rc && !num)
		rc = add_step(s, &(struct step) { .program = p });
	for (i = 0; i < num; i++) {
		if (!rc)
			rc = add_step(s, &(struct step) { .part = parts[i] });
		if (rc)
			program_free(&parts[i]);
	}
	free(parts);

	return rc;
}

/* How often each event is signalled in a step; a sync object counts no further. */
static int count_signals(struct gd_steps *s, const struct program *p,
			 uint32_t step)
{
	const struct gaudi_recipe *r = s->recipe;
	uint32_t *signals = &s->signals[(size_t)step * r->num_events];
	uint32_t i, j;

	for (i = 0; i < p->num_streams; i++)
		for (j = 0; j < p->streams[i].num_patches; j++)
			if (p->streams[i].patches[j].kind == PROG_PATCH_EVENT)
				signals[p->streams[i].patches[j].object]++;
	for (i = 0; i < r->num_events; i++)
		if (signals[i] > PROG_SOB_MAX)
			return gd_fail(GAUDI_ERR_UNSUPPORTED,
				       "event '%s' of '%s' is signalled %u times, at most %u",
				       r->events[i], r->name, signals[i],
				       PROG_SOB_MAX);

	return 0;
}

static int step_init(struct gd_steps *s, const struct gd_runner *front,
		     uint32_t step)
{
	struct step *at = &s->at[step];
	struct gd_runner *r = &at->runner;
	int rc;

	r->program = at->program ? at->program : &at->part;
	rc = count_signals(s, r->program, step);
	if (rc)
		return rc;
	r->device = s->device;
	r->name = s->recipe->name;
	r->buffers = s->buffers;
	r->bound = s->bound;
	r->num_bound = s->num_bound;
	r->describe = front->describe;
	rc = gd_runner_init(r);
	at->ready = !rc;

	return rc;
}

static void find_stage(struct gd_steps *s)
{
	const struct gaudi_recipe *r = s->recipe;
	uint32_t i;

	for (i = 0; i < r->num_steps; i++) {
		const struct recipe_host *h = r->steps[i].host;
		uint64_t size = h ? stage_of(r, h, h->num) : 0;

		if (s->stage_size < size)
			s->stage_size = size;
	}
}

static int steps_fill(struct gd_steps *s, const struct gd_target *target)
{
	struct gaudi_recipe *r = s->recipe;
	struct scratch *c;
	uint32_t i;
	int rc = 0;

	for (i = 0; !rc && i < r->num_steps; i++)
		rc = r->steps[i].host ?
		     add_step(s, &(struct step) { .host = r->steps[i].host }) :
		     add_program(s, &target->runner, &r->steps[i].program);
	if (rc)
		return rc;
	s->buffers = calloc(r->num_tensors + 1u, sizeof(*s->buffers));
	s->bound = calloc(r->num_tensors + 1u, sizeof(*s->bound));
	s->signals = calloc(s->num * r->num_events + 1, sizeof(*s->signals));
	if (!s->buffers || !s->bound || !s->signals)
		return no_memory(r);
	gd_place_buffers(r, target->constants, 0, s->buffers);
	for (i = 0; i < r->num_tensors; i++) {
		if (r->tensors[i].kind == GAUDI_TENSOR_CONSTANT)
			continue;
		s->buffers[i] = (struct gd_buffer) { .kind = GD_BUFFER_BOUND };
		s->bound[s->num_bound++] = i;
	}
	find_stage(s);
	for (i = 0; !rc && i < s->num; i++)
		if (!s->at[i].host)
			rc = step_init(s, &target->runner, i);
	/* Not enough memory is told now. */
	if (!rc)
		rc = scratch_new(s, &c);
	if (!rc)
		scratch_put(s, c);

	return rc;
}

int gd_steps_new(struct gd_target *target, struct gd_steps **out)
{
	struct gd_steps *s = calloc(1, sizeof(*s));
	struct gd_error_state state;
	int rc;

	if (!s)
		return no_memory(target->recipe);
	s->device = target->runner.device;
	s->recipe = target->recipe;
	pthread_mutex_init(&s->lock, NULL);
	SLIST_INIT(&s->idle);
	rc = steps_fill(s, target);
	if (!rc) {
		*out = s;
		return 0;
	}
	gd_error_save(&state);
	gd_steps_free(s);
	gd_error_restore(&state);

	return rc;
}

int gd_steps_free(struct gd_steps *s)
{
	struct scratch *c;
	int rc = 0, error;
	uint32_t i;

	for (i = 0; i < s->num; i++) {
		error = s->at[i].ready ? gd_runner_exit(&s->at[i].runner) : 0;
		rc = rc ? rc : error;
		program_free(&s->at[i].part);
	}
	while ((c = SLIST_FIRST(&s->idle))) {
		SLIST_REMOVE_HEAD(&s->idle, link);
		error = gd_wait(s->device, &c->used);
		rc = rc ? rc : error;
		scratch_free(s, c);
	}
	pthread_mutex_destroy(&s->lock);
	free(s->buffers);
	free(s->bound);
	free(s->at);
	free(s->signals);
	free(s);

	return rc;
}

/* --- a launch ------------------------------------------------------------------ */

/* Signals in this step, if it is the last one that has any; else 0. */
static uint32_t last_signals(const struct gd_steps *s, uint32_t step,
			     uint32_t event)
{
	uint32_t num = s->recipe->num_events, i;

	for (i = step + 1; i < s->num; i++)
		if (s->signals[(size_t)i * num + event])
			return 0;

	return s->signals[(size_t)step * num + event];
}

/* Those of the launch's events that are this step's; else the step sets them to 0. */
static int run_program(struct gd_steps *s, struct gaudi_stream *stream,
		       struct gd_launch *launch, const struct scratch *c,
		       uint32_t step)
{
	uint32_t signals[RECIPE_MAX_EVENTS] = {}, i;
	bool watched[RECIPE_MAX_EVENTS] = {};

	for (i = 0; i < launch->num_watched; i++) {
		uint32_t event = launch->watched[i].number;

		signals[event] = last_signals(s, step, event);
		watched[event] = signals[event];
	}
	for (i = 0; i < launch->num_watched; i++)
		launch->watched[i].signals =
			signals[launch->watched[i].number];

	return gd_launch_step(stream, launch, &s->at[step].runner, c->args,
			      watched);
}

/* What a copy of an operand has to be: up to its end, gaps included. */
static int copy(struct gaudi_stream *stream, uint64_t to, uint64_t from,
		uint64_t bytes, bool down)
{
	const struct gd_op op = {
		.kind = GD_OP_RECT, .down = down,
		.rect = { .to = to, .from = from, .width = bytes, .height = 1 },
	};

	return gd_op_run(stream, &op);
}

static bool has_gaps(const struct recipe_tensor *t)
{
	uint64_t bytes = gaudi_type_size(t->type);
	uint32_t i;

	for (i = 0; i < t->rank; i++)
		bytes *= t->dims[i];

	return bytes < t->bytes;
}

/* Copies before or behind a call; @*bytes: so many of them. */
static int move(struct gd_steps *s, struct gaudi_stream *stream,
		const struct scratch *c, const struct recipe_host *h,
		bool down, uint64_t *bytes)
{
	uint32_t i;
	int rc = 0;

	*bytes = 0;
	for (i = 0; !rc && i < h->num; i++) {
		const struct gaudi_host_operand *o = &h->operands[i];
		const struct recipe_tensor *t = &s->recipe->tensors[o->tensor];
		uint64_t stage = c->stage_address + stage_of(s->recipe, h, i);
		uint64_t address = c->args->at[o->tensor].address;
		bool wanted = o->access & (down ? GAUDI_KERNEL_READS :
						  GAUDI_KERNEL_WRITES);

		/* What is between the elements written stays as it is. */
		if (is_there(t) || !(wanted || (down && has_gaps(t))))
			continue;
		*bytes += t->bytes;
		rc = copy(stream, down ? stage : address,
			  down ? address : stage, t->bytes, down);
	}

	return rc ? rc : gd_flush(stream);
}

static int call(struct gd_steps *s, const struct scratch *c,
		const struct recipe_host *h)
{
	struct gaudi_host_tensor tensors[GAUDI_HOST_OP_TENSORS] = {};
	struct gaudi_host_call args = {
		.size = sizeof(args), .op = host_op_name(h->op),
		.tensors = tensors, .params = h->params,
		.params_size = h->params_size, .num_tensors = h->num,
	};
	struct gaudi_device *before;
	uint32_t i;
	int rc;

	for (i = 0; i < h->num; i++) {
		const struct gaudi_host_operand *o = &h->operands[i];
		const struct recipe_tensor *t = &s->recipe->tensors[o->tensor];

		tensors[i] = (struct gaudi_host_tensor) {
			.data = c->stage ? c->stage + stage_of(s->recipe, h, i) :
					   NULL,
			.bytes = t->bytes, .type = t->type, .rank = t->rank,
			.access = o->access,
		};
		if (t->place == GAUDI_PLACE_HOST)
			tensors[i].data = c->args->at[o->tensor].memory;
		else if (t->kind == GAUDI_TENSOR_CONSTANT)
			tensors[i].data = s->recipe->constants + t->offset;
		memcpy(tensors[i].dims, t->dims, sizeof(t->dims));
		memcpy(tensors[i].strides, t->strides, sizeof(t->strides));
	}
	before = gd_set_callback_of(s->device);
	rc = host_op_call(h->op, &args);
	gd_set_callback_of(before);

	return rc;
}

static int run_host(struct gd_steps *s, struct gaudi_stream *stream,
		    const struct scratch *c, const struct recipe_host *h)
{
	uint64_t down, up;
	int rc = move(s, stream, c, h, true, &down);

	if (!rc)
		rc = gd_wait(s->device, &stream->after);
	if (!rc)
		rc = call(s, c, h);
	if (!rc)
		rc = move(s, stream, c, h, false, &up);
	if (!rc)
		host_op_count_copies(h->op, down, up);

	return rc;
}

int gd_steps_run(struct gaudi_stream *stream, struct gd_launch *launch)
{
	struct gd_steps *s = launch->target->steps;
	struct scratch *c;
	uint32_t i;
	int rc = scratch_take(s, &c);

	if (rc)
		return rc;
	rc = scratch_bind(s, c, launch->args);
	if (!rc)
		rc = gd_flush(stream);
	gd_point_join(&stream->after, &c->used);
	for (i = 0; !rc && i < s->num; i++) {
		const struct recipe_host *h = s->at[i].host;

		rc = h ? run_host(s, stream, c, h) :
			 run_program(s, stream, launch, c, i);
	}
	if (rc)
		gd_log(GD_ERROR, "launch of '%s' failed in step %u of %zu",
		       s->recipe->name, i ? i - 1 : 0, s->num);
	/* What waits for the stream waits for all that was submitted. */
	c->used = stream->after;
	scratch_put(s, c);

	return rc;
}
