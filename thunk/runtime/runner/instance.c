// SPDX-License-Identifier: MIT
/*
 * What the card needs to run a program once: sync objects, workspace, and a copy
 * of the packets where its queues read them.
 *
 * Monitors and fence counters are not an instance's: a queue runs its packets
 * in order and each monitor is armed right before its fence, so one of each for
 * every hardware queue is enough for all programs and for the library's own waits.
 * So a monitor always writes the same, and is told so once.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "instance.h"

#define STREAM_ALIGN	128u

int gd_instances_init(struct gaudi_device *device)
{
	struct gd_instances *all = calloc(1, sizeof(*all));

	if (!all)
		return gd_fail(-ENOMEM, "no memory for a list of programs");
	pthread_mutex_init(&all->lock, NULL);
	pthread_cond_init(&all->idle, NULL);
	TAILQ_INIT(&all->order);
	TAILQ_INIT(&all->with_sobs);
	device->instances = all;

	return 0;
}

void gd_instances_exit(struct gaudi_device *device)
{
	struct gd_instances *all = device->instances;

	if (!all)
		return;
	free(all->sobs);
	pthread_cond_destroy(&all->idle);
	pthread_mutex_destroy(&all->lock);
	free(all);
}

struct gd_args *gd_args_new(uint32_t num_buffers)
{
	struct gd_args *args;

	args = calloc(1, sizeof(*args) + num_buffers * sizeof(args->at[0]));
	if (args)
		atomic_init(&args->refs, 1);

	return args;
}

struct gd_args *gd_args_get(struct gd_args *args)
{
	atomic_fetch_add(&args->refs, 1);

	return args;
}

void gd_args_put(struct gd_args *args)
{
	if (args && atomic_fetch_sub(&args->refs, 1) == 1)
		free(args);
}

/*
 * One for each internal queue; where there are too few, only of the first
 * hardware streams.
 */
static int take_monitors(struct gaudi_device *device)
{
	uint32_t left = device->end_monitor - device->first_monitor;
	uint32_t queues[PROG_NUM_INTERNAL * GD_STREAMS], num = 0;
	struct gd_instances *all = device->instances;
	int rc;

	all->hw_streams = left / PROG_NUM_INTERNAL;
	if (all->hw_streams > GD_STREAMS)
		all->hw_streams = GD_STREAMS;
	if (!all->hw_streams)
		all->hw_streams = 1;

	rc = gd_monitors_reserve(device, PROG_NUM_INTERNAL * all->hw_streams,
				 &all->first_monitor);
	if (rc)
		return rc;
	for (uint32_t e = PROG_DMA_2; e < PROG_NUM_ENGINES; e++)
		for (uint32_t s = 0; s < all->hw_streams; s++)
			queues[num++] = prog_engine_info(e)->queue + s;
	pthread_mutex_lock(&device->submit);
	rc = gd_monitors_aim(device, all->first_monitor, num, queues);
	pthread_mutex_unlock(&device->submit);

	return rc;
}

/* All sync objects that are left: they are as others left them. */
int gd_instances_ready(struct gaudi_device *device)
{
	struct gd_instances *all = device->instances;
	uint32_t first = device->first_sob, num = device->end_sob - first;
	int rc;

	if (all->ready)
		return 0;
	if (!all->sobs)
		all->sobs = calloc(num + 1, sizeof(*all->sobs));
	if (!all->sobs)
		return gd_fail(-ENOMEM, "no memory for a list of sync objects");
	pthread_mutex_lock(&device->submit);
	rc = gd_sobs_clear(device, first, num);
	pthread_mutex_unlock(&device->submit);
	if (!rc)
		rc = take_monitors(device);
	if (!rc)
		rc = gd_sobs_reserve(device, num, &first);
	if (rc)
		return rc;
	while (all->num_sobs < num)
		all->sobs[all->num_free++] = first + all->num_sobs++;
	all->ready = true;

	return 0;
}

uint32_t gd_runner_sobs(const struct gd_runner *r)
{
	return r->program->num_sobs + r->program->num_events;
}

bool gd_instance_idle(const struct gd_instance *in, uint32_t *running)
{
	struct gaudi_device *device = in->runner->device;

	if (in->busy)
		return false;
	if (gd_has_ended(device, &in->used))
		return true;
	if (!running || (in->used.set & *running))
		return false;
	if (!gd_poll(device, &in->used))
		return true;
	*running |= in->used.set;

	return false;
}

void gd_instance_begin(struct gd_instance *in)
{
	struct gd_instances *all = in->runner->device->instances;

	in->busy = true;
	in->used = (struct gd_point) {};
	TAILQ_REMOVE(&all->order, in, order);
	TAILQ_INSERT_TAIL(&all->order, in, order);
	TAILQ_REMOVE(&all->with_sobs, in, with_sobs);
	TAILQ_INSERT_TAIL(&all->with_sobs, in, with_sobs);
}

/* Those that may not be 0 are lost. */
static void give_sobs(struct gd_instance *in)
{
	struct gd_runner *r = in->runner;
	struct gd_instances *all = r->device->instances;
	uint32_t num = in->spoiled ? r->program->num_sobs : gd_runner_sobs(r);

	if (!in->sobs)
		return;
	for (uint32_t i = 0; i < num; i++)
		all->sobs[all->num_free++] = in->sobs[i];
	TAILQ_REMOVE(&all->with_sobs, in, with_sobs);
	free(in->sobs);
	in->sobs = NULL;
	in->spoiled = false;
}

/* From the one that was not used for the longest time. False: all of them run. */
static bool take_from_another(struct gd_instances *all)
{
	struct gd_instance *in;
	uint32_t running = 0;

	TAILQ_FOREACH(in, &all->with_sobs, with_sobs) {
		if (!gd_instance_idle(in, &running))
			continue;
		give_sobs(in);
		return true;
	}

	return false;
}

static int take_free_sobs(struct gd_instances *all, uint32_t num,
			  const char *who, uint32_t *sobs)
{
	while (num > all->num_free && take_from_another(all))
		;
	if (num > all->num_free)
		return gd_fail(-ENOMEM,
			       "'%s': %u sync objects wanted, %u of %u are left",
			       who, num, all->num_free, all->num_sobs);
	for (uint32_t i = 0; i < num; i++)
		sobs[i] = all->sobs[--all->num_free];

	return 0;
}

static int take_sobs(struct gd_runner *r, struct gd_instance *in)
{
	struct gd_instances *all = r->device->instances;
	uint32_t num = gd_runner_sobs(r);
	uint32_t *sobs = calloc(num + 1, sizeof(*sobs));
	int rc = sobs ? take_free_sobs(all, num, r->name, sobs) :
		 gd_fail(-ENOMEM, "no memory for a list of sync objects");

	if (rc) {
		free(sobs);
		return rc;
	}
	in->sobs = sobs;
	TAILQ_INSERT_TAIL(&all->with_sobs, in, with_sobs);

	return 0;
}

int gd_sobs_borrow(struct gaudi_device *device, uint32_t count, uint32_t *sobs)
{
	struct gd_instances *all = device->instances;
	int rc;

	pthread_mutex_lock(&all->lock);
	rc = gd_instances_ready(device);
	if (!rc)
		rc = take_free_sobs(all, count, "a link", sobs);
	pthread_mutex_unlock(&all->lock);

	return rc;
}

void gd_sobs_return(struct gaudi_device *device, uint32_t count,
		    const uint32_t *sobs)
{
	struct gd_instances *all = device->instances;

	pthread_mutex_lock(&all->lock);
	for (uint32_t i = 0; i < count; i++)
		all->sobs[all->num_free++] = sobs[i];
	pthread_mutex_unlock(&all->lock);
}

int gd_monitors_borrow(struct gaudi_device *device, uint32_t count,
		       uint32_t *first)
{
	struct gd_instances *all = device->instances;
	int rc;

	pthread_mutex_lock(&all->lock);
	rc = gd_monitors_reserve(device, count, first);
	pthread_mutex_unlock(&all->lock);

	return rc;
}

static void free_stream_cbs(struct gaudi_device *device, struct gd_stream_cbs *cbs)
{
	if (!cbs)
		return;
	for (uint32_t i = 0; i < cbs->num; i++)
		gd_cb_destroy(device, cbs->at[i].cb);
	free(cbs->whole);
	free(cbs);
}

static void free_inner(struct gaudi_device *device, struct gd_instance *in)
{
	int rc;

	if (in->inner_cb) {
		gd_cb_destroy(device, in->inner_cb);
		return;
	}
	if (!in->inner)
		return;
	rc = in->inner_address ?
	     hlthunk_memory_unmap(device->fd, in->inner_address) : 0;
	if (rc)
		gd_log(GD_WARN, "unmapping %#llx failed: %s",
		       (unsigned long long)in->inner_address,
		       gaudi_strerror(rc));
	gd_pages_free(in->inner, in->inner_size);
}

void gd_instance_free(struct gd_runner *r, struct gd_instance *in)
{
	struct gaudi_device *device = r->device;

	for (uint32_t i = 0; i < r->program->num_streams; i++)
		free_stream_cbs(device, in->cbs[i]);
	free_inner(device, in);
	if (in->workspace)
		gd_pool_free(device, in->workspace);
	give_sobs(in);
	TAILQ_REMOVE(&device->instances->order, in, order);
	gd_args_put(in->args);
	free(in->addresses);
	free(in->work.chunks);
	free(in->head);
	free(in->end);
	free(in);
}

static uint32_t align_up(uint32_t size)
{
	return (size + STREAM_ALIGN - 1) / STREAM_ALIGN * STREAM_ALIGN;
}

/*
 * Memory of gaudi.ko, which a card in a process need not ask the kernel about at each access;
 * pages of our own for what is larger, and with another driver.
 */
static int make_inner(struct gd_runner *r, struct gd_instance *in)
{
	const struct program *p = r->program;
	uint64_t size = 0;

	for (uint32_t i = 0; i < p->num_streams; i++)
		if (!gd_is_external(&p->streams[i]))
			size += align_up(p->streams[i].size);
	if (!size)
		return 0;
	in->inner_size = size;
	if (r->device->extended && size <= HL_MAX_CB_SIZE &&
	    !gd_cb_create_mapped(r->device, (uint32_t)size, &in->inner_cb)) {
		in->inner = in->inner_cb->memory;
		in->inner_address = in->inner_cb->address;
		return 0;
	}
	in->inner = gd_pages_alloc(size);
	if (!in->inner)
		return gd_fail(-ENOMEM, "no %llu bytes of host memory for packets",
			       (unsigned long long)size);
	in->inner_address = hlthunk_host_memory_map(r->device->fd, in->inner, 0,
						    size);
	if (!in->inner_address) {
		int rc = gd_errno();

		return gd_fail(rc, "card %u: cannot pin %llu bytes of packets: %s",
			       r->device->card.accel, (unsigned long long)size,
			       gaudi_strerror(rc));
	}

	return 0;
}

uint32_t gd_count_cbs(const struct program *p, uint32_t stream)
{
	uint32_t num = 0;

	for (uint32_t at = 0; at < p->streams[stream].size; num++)
		at = program_split(p, stream, at, GD_CB_PROGRAM);

	return num;
}

static int make_part(struct gd_runner *r, struct gd_instance *in,
		     uint32_t stream)
{
	const struct program *p = r->program;
	uint32_t at = 0, num = gd_count_cbs(p, stream);
	struct gd_stream_cbs *cbs;
	int rc;

	cbs = calloc(1, sizeof(*cbs) + num * sizeof(cbs->at[0]));
	if (!cbs)
		return gd_fail(-ENOMEM, "no memory for command buffers");
	in->cbs[stream] = cbs;
	for (uint32_t i = 0; i < num; i++) {
		uint32_t end = program_split(p, stream, at, GD_CB_PROGRAM);

		rc = gd_cb_create(r->device, (uint32_t)gd_round_up(end - at,
								   4096),
				  &cbs->at[i].cb);
		if (rc)
			return rc;
		cbs->at[i].begin = at;
		cbs->at[i].end = end;
		cbs->num++;
		at = end;
	}
	if (num == 1) {
		in->packets[stream] = cbs->at[0].cb->memory;
		return 0;
	}
	cbs->whole = malloc(p->streams[stream].size);
	in->packets[stream] = cbs->whole;

	return cbs->whole ? 0 :
	       gd_fail(-ENOMEM, "no memory for %u bytes of packets",
		       p->streams[stream].size);
}

/* DMA_1 has the piece's waits and signal; its packets may stand with them. */
static bool is_inline(const struct program *p, const struct prog_stream *s)
{
	return s->engine == PROG_LAST &&
	       s->size + 8 * p->num_events <= GD_OPEN_SIZE;
}

static int make_head(struct gd_runner *r, struct gd_instance *in)
{
	const struct program *p = r->program;
	uint32_t stream = 0;

	while (p->streams[stream].engine != PROG_LAST)
		stream++;
	in->end = calloc(p->num_events + 1, 8);
	if (!in->end)
		return gd_fail(-ENOMEM, "no memory for %u events",
			       p->num_events);
	if (!is_inline(p, &p->streams[stream])) {
		in->work.tail = true;
		return make_part(r, in, stream);
	}
	in->head = malloc(p->streams[stream].size + 1);
	if (!in->head)
		return gd_fail(-ENOMEM, "no memory for %u bytes of packets",
			       p->streams[stream].size);
	in->packets[stream] = in->head;
	in->work.packets = in->head;
	in->work.size = p->streams[stream].size;

	return 0;
}

static int make_packets(struct gd_runner *r, struct gd_instance *in,
			struct prog_resources *res)
{
	const struct program *p = r->program;
	uint32_t offset = 0;
	int rc = make_inner(r, in);

	if (!rc)
		rc = make_head(r, in);
	for (uint32_t i = 0; !rc && i < p->num_streams; i++) {
		const struct prog_stream *s = &p->streams[i];

		if (!gd_is_external(s)) {
			in->packets[i] = (uint8_t *)in->inner + offset;
			res->addresses[i] = in->inner_address + offset;
			offset += align_up(s->size);
		} else if (s->engine != PROG_LAST) {
			rc = make_part(r, in, i);
		}
	}

	return rc;
}

static uint32_t monitor_of(struct gaudi_device *device, uint32_t engine,
			   uint32_t hw_stream)
{
	switch (engine) {
	case PROG_TO_DEVICE:
		return gd_queue_monitor(device, hw_stream);
	case PROG_TO_HOST:
		return gd_queue_monitor(device, GD_STREAMS + hw_stream);
	default:
		return device->instances->first_monitor +
		       (engine - PROG_DMA_2) *
		       device->instances->hw_streams + hw_stream;
	}
}

void gd_instance_spread(const struct gd_instance *in)
{
	for (uint32_t i = 0; i < PROG_NUM_ENGINES; i++) {
		const struct gd_stream_cbs *cbs = in->cbs[i];

		for (uint32_t j = 0; cbs && cbs->whole && j < cbs->num; j++)
			memcpy(cbs->at[j].cb->memory,
			       (uint8_t *)cbs->whole + cbs->at[j].begin,
			       cbs->at[j].end - cbs->at[j].begin);
	}
}

static void find_resources(const struct gd_runner *r,
			   const struct gd_instance *in,
			   struct prog_resources *res)
{
	const struct program *p = r->program;

	res->hw_stream = in->hw_stream;
	res->sobs = in->sobs;
	res->events = in->sobs + p->num_sobs;
	for (uint32_t i = 0; i < p->num_streams; i++) {
		res->monitors[i] = monitor_of(r->device, p->streams[i].engine,
					      in->hw_stream);
		res->fences[i] = GD_FENCE;
	}
}

/* How many chunks the packets of a stream are, beside a first and a last one. */
static uint32_t chunks_of(const struct program *p, const struct gd_instance *in,
			  uint32_t stream)
{
	if (!gd_is_external(&p->streams[stream]))
		return 1;

	return in->cbs[stream] ? in->cbs[stream]->num : 0;
}

static void find_queues(struct gd_runner *r, struct gd_instance *in)
{
	const struct program *p = r->program;
	struct hl_cs_chunk *chunk = in->work.chunks + 1;

	for (uint32_t i = 0; i < p->num_streams; i++) {
		uint32_t queue = prog_engine_info(p->streams[i].engine)->queue +
				 in->hw_stream;
		uint32_t num = chunks_of(p, in, i);

		while (num--)
			(chunk++)->queue_index = queue;
	}
}

int gd_instance_arm(struct gd_runner *r, struct gd_instance *in,
		    uint32_t hw_stream)
{
	const struct program *p = r->program;
	struct prog_resources res = {};
	int rc = in->sobs ? 0 : take_sobs(r, in);

	if (rc)
		return rc;
	in->hw_stream = hw_stream;
	find_resources(r, in, &res);
	find_queues(r, in);
	for (uint32_t i = 0; i < p->num_streams; i++)
		program_bind_objects(p, i, &res, in->packets[i]);
	gd_instance_spread(in);

	return 0;
}

static int fill_in(struct gd_runner *r, struct gd_instance *in,
		   struct prog_resources *res)
{
	const struct program *p = r->program;
	int rc = 0;

	find_resources(r, in, res);
	for (uint32_t i = 0; !rc && i < p->num_streams; i++)
		rc = program_instantiate(p, i, res, in->packets[i]);
	for (uint32_t b = 0; !rc && b < p->num_buffers; b++) {
		const struct gd_buffer *buffer = &r->buffers[b];

		if (buffer->kind == GD_BUFFER_FIXED)
			rc = program_bind(p, b, buffer->base, in->packets);
		else if (buffer->kind == GD_BUFFER_WORKSPACE)
			rc = program_bind(p, b, in->workspace + buffer->base,
					  in->packets);
	}
	gd_instance_spread(in);

	return rc;
}

static int make_chunks(struct gd_runner *r, struct gd_instance *in,
		       const struct prog_resources *res)
{
	const struct program *p = r->program;
	struct hl_cs_chunk *chunk;
	uint32_t num = 1;

	for (uint32_t i = 0; i < p->num_streams; i++)
		num += chunks_of(p, in, i);
	in->work.num_chunks = num + in->work.tail;
	in->work.chunks = calloc(in->work.num_chunks, sizeof(*chunk));
	if (!in->work.chunks)
		return gd_fail(-ENOMEM, "no memory for a list of buffers");
	chunk = in->work.chunks + 1;
	for (uint32_t i = 0; i < p->num_streams; i++) {
		const struct gd_stream_cbs *cbs = in->cbs[i];

		if (!gd_is_external(&p->streams[i])) {
			chunk->cb_handle = res->addresses[i];
			(chunk++)->cb_size = p->streams[i].upper;
		}
		for (uint32_t k = 0; cbs && k < cbs->num; k++) {
			chunk->cb_handle = cbs->at[k].cb->handle;
			(chunk++)->cb_size = cbs->at[k].end -
					     cbs->at[k].begin;
		}
	}
	find_queues(r, in);

	return 0;
}

int gd_instance_new(struct gd_runner *r, uint32_t hw_stream,
		    struct gd_instance **out)
{
	struct gd_instance *in = calloc(1, sizeof(*in));
	struct prog_resources res = {};
	int rc;

	if (!in)
		return gd_fail(-ENOMEM, "no memory to run '%s'", r->name);
	in->runner = r;
	in->hw_stream = hw_stream;
	TAILQ_INSERT_TAIL(&r->device->instances->order, in, order);
	in->addresses = calloc(r->num_bound + 1, sizeof(*in->addresses));
	rc = in->addresses ? take_sobs(r, in) :
	     gd_fail(-ENOMEM, "no memory for %u addresses", r->num_bound);
	if (!rc && r->workspace_size)
		rc = gd_pool_alloc(r->device, r->workspace_size,
				   &in->workspace);
	if (!rc)
		rc = make_packets(r, in, &res);
	if (!rc)
		rc = fill_in(r, in, &res);
	if (!rc)
		rc = make_chunks(r, in, &res);
	if (rc) {
		struct gd_error_state state;

		gd_error_save(&state);
		gd_instance_free(r, in);
		gd_error_restore(&state);
		return rc;
	}
	*out = in;

	return 0;
}
