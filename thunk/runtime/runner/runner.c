// SPDX-License-Identifier: MIT
/*
 * Programs that are run. A runner has up to GD_MAX_INSTANCES instances; each
 * runs once at a time, and is used again when the card has ended with it. The
 * first one is made with the runner, further ones when all are under way. What
 * is short is taken from instances of other runners that do not run, from the one
 * that was not used for the longest time: sync objects alone, of which there are fewer
 * than a program may have launchers, or all that it has. If nothing can be had, a run
 * waits until some instance ends: one of its own, if it has as many as it may.
 */
#include <errno.h>
#include <stdlib.h>

#include "packets.h"
#include "instance.h"

static void add(struct gd_runner *r, struct gd_instance *in)
{
	TAILQ_INSERT_TAIL(&r->instances, in, link);
	r->num_instances++;
}

static void drop(struct gd_runner *r, struct gd_instance *in)
{
	TAILQ_REMOVE(&r->instances, in, link);
	r->num_instances--;
	gd_instance_free(r, in);
}

/* What another runner has not used for the longest time. */
static bool steal(struct gd_runner *r)
{
	struct gd_instances *all = r->device->instances;
	struct gd_instance *in;
	uint32_t running = 0;

	TAILQ_FOREACH(in, &all->order, order) {
		if (in->runner == r || !gd_instance_idle(in, &running))
			continue;
		drop(in->runner, in);
		return true;
	}

	return false;
}

/* One that does not run, on @hw_stream if there is one. */
static struct gd_instance *find_idle(struct gd_runner *r, uint32_t hw_stream)
{
	struct gd_instance *in, *next, *idle = NULL;
	uint32_t running = 0;

	for (in = TAILQ_FIRST(&r->instances); in; in = next) {
		next = TAILQ_NEXT(in, link);
		if (!gd_instance_idle(in, NULL))
			continue;
		if (in->spoiled) {
			drop(r, in);
			continue;
		}
		if (in->hw_stream == hw_stream)
			return in;
		idle = idle ? idle : in;
	}
	/* The driver may know more. */
	for (in = TAILQ_FIRST(&r->instances); in && !idle;
	     in = TAILQ_NEXT(in, link))
		if (!in->spoiled && gd_instance_idle(in, &running))
			idle = in;

	return idle;
}

/* Whoever launches a busy instance writes its use without the lock. */
static bool runs(struct gd_instance *in)
{
	return !in->busy && !gd_instance_idle(in, NULL);
}

/*
 * Of what runs, half of those on one queue, so that this does not come each time:
 * on the queue whose oldest one began last, so that what takes long is waited for
 * only if all do. NULL: nothing runs, or no more. *@busy: some are about to.
 */
static struct gd_instance *find_middle(struct gd_runner *r, bool own,
				       bool *busy)
{
	struct gd_instances *all = r->device->instances;
	struct gd_instance *in, *middle = NULL;
	uint32_t seen = 0, set = 0, num = 0;

	TAILQ_FOREACH(in, &all->with_sobs, with_sobs) {
		if (own && in->runner != r)
			continue;
		*busy |= in->busy;
		if (!runs(in))
			continue;
		if (!(in->used.set & seen)) {
			set = in->used.set;
			num = 0;
		}
		seen |= in->used.set;
		num += (in->used.set & set) != 0;
	}
	/* Other threads learn meanwhile that some have ended. */
	num = num / 2 + 1;
	TAILQ_FOREACH(in, &all->with_sobs, with_sobs) {
		if ((own && in->runner != r) || !runs(in) ||
		    !(in->used.set & set))
			continue;
		middle = in;
		if (!--num)
			break;
	}

	return middle;
}

/*
 * Until an instance may be had, one of the runner's @own, or what other programs'
 * have; @rc: why there can be no more of them, which is the answer if nothing ran when
 * *@looked, either: what ended since somebody looked for it may be had. The lock is
 * held, and dropped meanwhile.
 */
static int wait_for_one(struct gd_runner *r, bool own, int rc, bool *looked)
{
	struct gd_instances *all = r->device->instances;
	struct gd_instance *middle;
	struct gd_point point = {};
	bool busy = false;

	middle = find_middle(r, own, &busy);
	if (!middle && busy) {
		pthread_cond_wait(&all->idle, &all->lock);
		return 0;
	}
	if (!middle && !*looked) {
		*looked = true;
		return 0;
	}
	/* Memory may be in use by other work. */
	if (middle)
		point = middle->used;
	else
		gd_submitted(r->device, &point);
	if (!middle && gd_has_ended(r->device, &point))
		return rc;
	*looked = !middle;
	pthread_mutex_unlock(&all->lock);
	rc = gd_wait(r->device, &point);
	pthread_mutex_lock(&all->lock);

	return rc;
}

static int take(struct gd_runner *r, uint32_t hw_stream,
		struct gd_instance **out)
{
	struct gd_instances *all = r->device->instances;
	struct gd_error_state state = {};
	struct gd_instance *in;
	bool looked = false;
	int rc = 0;

	pthread_mutex_lock(&all->lock);
	hw_stream %= all->hw_streams;
	for (;;) {
		in = find_idle(r, hw_stream);
		rc = in && (!in->sobs || in->hw_stream != hw_stream) ?
		     gd_instance_arm(r, in, hw_stream) : 0;
		if (in && rc != -ENOMEM)
			break;
		if (rc)
			gd_error_save(&state);
		rc = -ENOMEM;
		if (!in && r->num_instances < GD_MAX_INSTANCES) {
			rc = gd_instance_new(r, hw_stream, &in);
			if (!rc)
				add(r, in);
			if (rc != -ENOMEM)
				break;
			gd_error_save(&state);
			if (steal(r))
				continue;
		}
		rc = wait_for_one(r, !in && r->num_instances ==
				  GD_MAX_INSTANCES, rc, &looked);
		if (rc == -ENOMEM)
			gd_error_restore(&state);
		if (rc)
			break;
	}
	if (in && !rc) {
		gd_instance_begin(in);
		TAILQ_REMOVE(&r->instances, in, link);
		TAILQ_INSERT_TAIL(&r->instances, in, link);
		*out = in;
	}
	pthread_mutex_unlock(&all->lock);

	return rc;
}

static void put(struct gd_runner *r, struct gd_instance *in)
{
	struct gd_instances *all = r->device->instances;

	pthread_mutex_lock(&all->lock);
	in->busy = false;
	pthread_cond_broadcast(&all->idle);
	pthread_mutex_unlock(&all->lock);
}

/* What has changed since this instance ran last. */
static int patch(struct gd_runner *r, struct gd_instance *in,
		 struct gd_args *args)
{
	bool changed = false;
	int rc = 0;

	if (in->args == args)
		return 0;
	for (uint32_t i = 0; !rc && i < r->num_bound; i++) {
		uint64_t address = args->at[r->bound[i]].address;

		if (in->addresses[i] == address)
			continue;
		rc = program_bind(r->program, r->bound[i], address,
				  in->packets);
		if (!rc)
			in->addresses[i] = address;
		changed = true;
	}
	if (changed)
		gd_instance_spread(in);
	gd_args_put(in->args);
	in->args = rc ? NULL : gd_args_get(args);

	return rc;
}

/* Events that nobody is to wait for are set to 0 at the end. */
static void put_end(struct gd_runner *r, struct gd_instance *in,
		    const bool *watched)
{
	const struct program *p = r->program;
	struct pkt_buf pb;

	pkt_init(&pb, in->end, 8 * (size_t)p->num_events);
	for (uint32_t i = 0; i < p->num_events; i++)
		if (!watched || !watched[i])
			pkt_sob_set(&pb, in->sobs[p->num_sobs + i], 0,
				    GAUDI_PKT_CTL_MB);
	in->work.end = in->end;
	in->work.end_size = pb.used;
}

int gd_runner_run(struct gd_runner *r, struct gd_args *args,
		  const bool *watched, uint32_t hw_stream,
		  const struct gd_point *after, struct gd_ran *ran)
{
	struct gd_instance *in = NULL;
	int rc = take(r, hw_stream, &in);

	if (rc)
		return rc;
	ran->instance = in;
	ran->q = GD_STREAMS + in->hw_stream;
	put_end(r, in, watched);
	rc = patch(r, in, args);
	if (!rc)
		rc = gd_submit_work(r->device, ran->q, after, &in->work,
				    &ran->n);
	if (rc)
		put(r, in);
	else
		gd_point_set(&in->used, ran->q, ran->n);

	return rc;
}

void gd_runner_ran(struct gd_runner *r, struct gd_ran *ran,
		   const struct gd_point *used, bool spoiled)
{
	struct gd_instances *all = r->device->instances;

	pthread_mutex_lock(&all->lock);
	gd_point_join(&ran->instance->used, used);
	ran->instance->spoiled |= spoiled;
	ran->instance->busy = false;
	pthread_cond_broadcast(&all->idle);
	pthread_mutex_unlock(&all->lock);
}

int gd_runner_watch(struct gd_runner *r, const struct gd_ran *ran,
		    uint32_t event, uint32_t count, struct gd_point *point)
{
	const struct gd_point now = {};
	uint32_t hw_stream = (ran->instance->hw_stream + 1) % GD_STREAMS;
	uint32_t sob = ran->instance->sobs[r->program->num_sobs + event];
	uint8_t packets[64];
	struct pkt_buf pb;
	uint64_t n;
	int rc;

	pkt_init(&pb, packets, sizeof(packets));
	pkt_monitor_again(&pb, gd_queue_monitor(r->device, hw_stream), sob,
			  count);
	pkt_fence(&pb, GD_FENCE, 1, 1, GAUDI_PKT_CTL_MB);
	pkt_sob_set(&pb, sob, 0, GAUDI_PKT_CTL_MB);
	rc = gd_submit(r->device, hw_stream, &now, packets, pb.used, &n);
	if (!rc)
		gd_point_set(point, hw_stream, n);

	return rc;
}

/* What no device of this driver could run. */
static int check_size(struct gd_runner *r)
{
	const struct program *p = r->program;
	uint32_t sobs = gd_runner_sobs(r), chunks = 2;

	if (sobs > r->device->instances->num_sobs)
		return gd_fail(GAUDI_ERR_UNSUPPORTED,
			       "'%s' needs %u sync objects, a process has %u",
			       r->name, sobs, r->device->instances->num_sobs);
	for (uint32_t i = 0; i < p->num_streams; i++)
		chunks += gd_is_external(&p->streams[i]) ? gd_count_cbs(p, i) : 1;
	if (chunks > GD_MAX_CHUNKS)
		return gd_fail(GAUDI_ERR_UNSUPPORTED,
			       "'%s' needs %u command buffers, a submission has %u",
			       r->name, chunks, GD_MAX_CHUNKS);

	return 0;
}

int gd_runner_init(struct gd_runner *r)
{
	struct gd_instances *all = r->device->instances;
	struct gd_instance *in;
	int rc;

	TAILQ_INIT(&r->instances);
	pthread_mutex_lock(&all->lock);
	rc = gd_instances_ready(r->device);
	if (!rc)
		rc = check_size(r);
	pthread_mutex_unlock(&all->lock);
	if (!rc)
		rc = take(r, 0, &in);
	if (!rc)
		put(r, in);

	return rc;
}

int gd_runner_exit(struct gd_runner *r)
{
	struct gd_instances *all = r->device->instances;
	struct gd_instance *in;
	struct gd_point point = {};
	int rc;

	pthread_mutex_lock(&all->lock);
	TAILQ_FOREACH(in, &r->instances, link)
		gd_point_join(&point, &in->used);
	pthread_mutex_unlock(&all->lock);
	/* If it fails the card is lost, and uses nothing any more. */
	rc = gd_wait(r->device, &point);
	pthread_mutex_lock(&all->lock);
	while (!TAILQ_EMPTY(&r->instances))
		drop(r, TAILQ_FIRST(&r->instances));
	pthread_mutex_unlock(&all->lock);

	return rc;
}
