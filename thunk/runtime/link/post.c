// SPDX-License-Identifier: MIT
/*
 * What programs give to links: it is checked, and becomes a job of a stream, or is written
 * down. Each time that this is done it is another job, which takes the next places in its
 * links' queues.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "piece.h"
#include "wqe.h"

#define MAX_OPS		256u

/* Of a stream that has no open packets, or @job->with_open. */
static int job_do(struct gd_link_job *job, struct gaudi_stream *stream,
		  unsigned int q)
{
	int rc;

	pthread_mutex_lock(&job->device->links->post);
	rc = gd_link_job_run(job, stream, q);
	pthread_mutex_unlock(&job->device->links->post);

	return rc;
}

/* Can its first piece begin with the stream's open packets? */
static bool may_begin_with_open(const struct gd_link_job *job,
				const struct gaudi_stream *stream)
{
	size_t own = job->num_parts * GD_HEAD_SIZE + job->count * GD_END_SIZE;

	return stream->open.used && stream->open.used + own <= GD_OPEN_SIZE;
}

/* What is open before it goes in the same submission: copies may be on any queue. */
static int run(struct gaudi_stream *stream, struct gd_job *gd_job)
{
	struct gd_link_job *job = gd_link_job_of(gd_job);
	/* Copies to the device are the upward queues'. */
	unsigned int q = stream->hw_stream;
	int rc = 0, flushed;

	job->with_open = may_begin_with_open(job, stream);
	if (!job->with_open)
		rc = gd_flush(stream);
	if (rc)
		return rc;
	rc = job_do(job, stream, q);
	if (job->open_n)
		gd_open_submitted(stream, q, job->open_n);
	/* They are done, even if the links have failed. */
	flushed = gd_flush(stream);

	return rc ? rc : flushed;
}

static void job_free(struct gd_job *gd_job)
{
	struct gd_link_job *job = gd_link_job_of(gd_job);
	struct gd_links *links = job->device->links;

	pthread_mutex_lock(&links->lock);
	for (uint32_t i = 0; i < job->count; i++)
		job->ops[i].link->jobs--;
	pthread_cond_broadcast(&links->changed);
	pthread_mutex_unlock(&links->lock);
	free(job->parts);
	free(job->waits);
	free(job->chunks);
	free(job->head);
	free(job->end);
	free(job);
}

static const struct gd_job_ops job_ops = {
	.run = run,
	.free = job_free,
};

static void add_part(struct gd_link_job *job, const struct gaudi_link_op *op)
{
	uint32_t i = 0;

	while (i < job->num_parts && job->parts[i].link != op->link)
		i++;
	if (i == job->num_parts) {
		job->parts[i].link = op->link;
		job->num_parts++;
	}
	job->parts[i].left += gd_op_entries(op);
}

/* @ops, which were checked; its links are held until it is freed. */
static struct gd_link_job *job_new(struct gaudi_device *device,
				   const struct gaudi_link_op *ops,
				   uint32_t count)
{
	struct gd_link_job *job = calloc(1, sizeof(*job) + count * sizeof(*ops));

	if (!job) {
		gd_no_memory("for work of links");
		return NULL;
	}
	job->job.ops = &job_ops;
	atomic_init(&job->job.refs, 1);
	job->device = device;
	job->parts = calloc(count, sizeof(*job->parts));
	job->waits = calloc(count, sizeof(struct gd_posted *));
	job->chunks = calloc(count + 1, sizeof(*job->chunks));
	job->head = malloc(count * GD_HEAD_SIZE);
	job->end = malloc(count * GD_END_SIZE);
	if (!job->parts || !job->waits || !job->chunks || !job->head ||
	    !job->end) {
		job_free(&job->job);
		gd_no_memory("for work of links");
		return NULL;
	}
	pthread_mutex_lock(&device->links->lock);
	for (uint32_t i = 0; i < count; i++) {
		ops[i].link->jobs++;
		job->ops[job->count++] = ops[i];
	}
	pthread_mutex_unlock(&device->links->lock);
	for (uint32_t i = 0; i < count; i++) {
		if (gd_op_is_wait(&ops[i]))
			job->num_waits++;
		else if (gd_op_entries(&ops[i]))
			add_part(job, &ops[i]);
	}

	return job;
}

/*
 * Work that is written down
 */
static void hold(const struct gd_link_work *work, bool held)
{
	struct gd_links *links = work->device->links;

	pthread_mutex_lock(&links->lock);
	for (uint32_t i = 0; i < work->count; i++) {
		struct gaudi_link *link = work->ops[i].link;

		link->written += held ? 1 : -1u;
	}
	pthread_mutex_unlock(&links->lock);
}

struct gd_link_work *gd_link_work_new(const struct gd_job *gd_job)
{
	const struct gd_link_job *job =
		container_of(gd_job, const struct gd_link_job, job);
	struct gd_link_work *work;

	work = malloc(sizeof(*work) + job->count * sizeof(work->ops[0]));
	if (!work) {
		gd_no_memory("for captured work of links");
		return NULL;
	}
	atomic_init(&work->refs, 1);
	work->device = job->device;
	work->count = job->count;
	memcpy(work->ops, job->ops, job->count * sizeof(work->ops[0]));
	hold(work, true);

	return work;
}

struct gd_link_work *gd_link_work_get(struct gd_link_work *work)
{
	atomic_fetch_add(&work->refs, 1);

	return work;
}

void gd_link_work_put(struct gd_link_work *work)
{
	if (!work || atomic_fetch_sub(&work->refs, 1) != 1)
		return;
	hold(work, false);
	free(work);
}

int gd_link_work_check(const struct gd_link_work *work)
{
	return gd_link_ops_check(work->ops, work->count);
}

int gd_link_work_run(const struct gd_link_work *work,
		     const struct gaudi_link_op *ops,
		     struct gaudi_stream *stream, unsigned int q)
{
	struct gd_link_job *job = job_new(work->device, ops, work->count);
	int rc = 0;

	if (!job)
		return -ENOMEM;
	/* Its sizes may be 0 by now. */
	if (job->num_parts || job->num_waits)
		rc = job_do(job, stream, q);
	gd_job_put(&job->job);

	return rc;
}

/*
 * What programs call
 */
static bool is_connected(struct gaudi_link *link)
{
	bool connected;

	pthread_mutex_lock(&link->device->links->lock);
	connected = link->connected;
	pthread_mutex_unlock(&link->device->links->lock);

	return connected;
}

/* Bytes from the first to the last one on a side with @apart among the flags, or not. */
static uint64_t reach(const struct gaudi_link_op *op, uint32_t apart)
{
	uint64_t step = op->flags & apart ? op->stride : op->bytes;

	return (gd_op_rows(op) - 1) * step + op->bytes;
}

uint64_t gd_link_op_reach(const struct gaudi_link_op *op)
{
	return reach(op, GAUDI_LINK_STRIDE_FROM);
}

static int check_rows(const struct gaudi_link_op *op)
{
	uint32_t sides = op->flags & (GAUDI_LINK_STRIDE_FROM |
				      GAUDI_LINK_STRIDE_TO);

	if (op->kind == GAUDI_LINK_WRITE)
		return !op->count && !op->stride && !sides ? 0 :
		       gd_fail(-EINVAL, "a write with a count of %u, a stride of %u, flags %#x",
			       op->count, op->stride, op->flags);
	if (!op->count || !op->bytes || op->stride < op->bytes)
		return gd_fail(-EINVAL, "a write of %u rows of %llu bytes, %u apart",
			       op->count, (unsigned long long)op->bytes,
			       op->stride);
	if (!sides || sides & (sides - 1))
		return gd_fail(-EINVAL, "a write of rows that are apart on %s, not one: flags %#x",
			       sides ? "both sides" : "no side", op->flags);

	return 0;
}

int gd_link_write_check(const struct gaudi_link_op *op, uint64_t *owner)
{
	const struct gaudi_link *link = op->link;
	uint64_t bytes;
	int rc;

	if (op->flags & ~(GAUDI_LINK_NOTIFY | GAUDI_LINK_STRIDE_FROM |
			  GAUDI_LINK_STRIDE_TO))
		return gd_fail(-EINVAL, "a write with flags %#x", op->flags);
	rc = check_rows(op);
	if (rc)
		return rc;
	if (op->flags & GAUDI_LINK_NOTIFY && !link->peer.notify_wrap)
		return gd_fail(-EINVAL, "the peer of link %u, port %u, has no notifications",
			       link->conn_id, link->port);
	if (!op->bytes)
		return 0;
	bytes = reach(op, GAUDI_LINK_STRIDE_TO);
	if (!op->to || op->to > GD_WQE_MAX_ADDRESS ||
	    bytes > GD_WQE_MAX_ADDRESS - op->to)
		return gd_fail(-EINVAL, "%llu bytes to the peer's %#llx",
			       (unsigned long long)bytes,
			       (unsigned long long)op->to);

	return gd_range_check(link->device, op->from, gd_link_op_reach(op),
			      NULL, owner);
}

static int check_op(struct gaudi_stream *stream,
		    const struct gaudi_link_op *op)
{
	uint32_t most = stream->device->wrap / 2;
	uint64_t owner;
	int rc = gd_link_check(op->link);

	if (rc)
		return rc;
	if (op->link->device != stream->device)
		return gd_fail(-EINVAL, "a link of card %u on a stream of card %u",
			       op->link->device->card.accel,
			       stream->device->card.accel);
	if (!is_connected(op->link))
		return gd_fail(-ENOTCONN, "link %u of port %u has no peer yet",
			       op->link->conn_id, op->link->port);
	if (op->kind == GAUDI_LINK_WRITE ||
	    op->kind == GAUDI_LINK_WRITE_STRIDED)
		return gd_link_write_check(op, &owner);
	if (op->kind != GAUDI_LINK_WAIT || op->stride)
		return gd_fail(-EINVAL, "work of a link of kind %u, with a count of %u, a stride of %u",
			       op->kind, op->count, op->stride);
	if (op->flags || !op->count || op->count > most)
		return gd_fail(-EINVAL, "a wait for %u notifications, not 1 to %u, with flags %#x",
			       op->count, most, op->flags);

	return 0;
}

int gd_link_may_post(struct gaudi_stream *stream,
		     const struct gaudi_link_op *ops, uint32_t count)
{
	int rc = gd_stream_check(stream);

	if (!rc)
		rc = gd_links_check(stream->device);
	if (!rc && (count > MAX_OPS || (count && !ops)))
		rc = gd_fail(-EINVAL, "gaudi_link_post_async: %u ops, at most %u, at %p",
			     count, MAX_OPS, (const void *)ops);
	for (uint32_t i = 0; !rc && i < count; i++)
		rc = check_op(stream, &ops[i]);

	return rc;
}

int gaudi_link_post_async(struct gaudi_stream *stream,
			  const struct gaudi_link_op *ops, uint32_t count)
{
	PROFILE_CALL();
	struct gd_op op = { .kind = GD_OP_LINK };
	struct gd_link_job *job;
	int rc = gd_link_may_post(stream, ops, count);

	if (rc || !count)
		return rc;
	job = job_new(stream->device, ops, count);
	if (!job)
		return -ENOMEM;
	op.job = &job->job;
	if (job->num_parts || job->num_waits)
		rc = gd_stream_do(stream, &op);
	gd_job_put(&job->job);

	return rc;
}

int gaudi_link_write_async(struct gaudi_stream *stream, struct gaudi_link *link,
			   uint64_t to, gaudi_ptr from, uint64_t bytes,
			   uint32_t flags)
{
	PROFILE_BYTES(bytes);
	const struct gaudi_link_op op = {
		.link = link,
		.kind = GAUDI_LINK_WRITE,
		.flags = flags,
		.from = from,
		.to = to,
		.bytes = bytes,
	};

	return gaudi_link_post_async(stream, &op, 1);
}

int gaudi_link_wait_async(struct gaudi_stream *stream, struct gaudi_link *link,
			  uint32_t count)
{
	PROFILE_CALL();
	const struct gaudi_link_op op = {
		.link = link,
		.kind = GAUDI_LINK_WAIT,
		.count = count,
	};

	return gaudi_link_post_async(stream, &op, 1);
}
