// SPDX-License-Identifier: MIT
/*
 * Pieces of work of links: packets for a stream's queue and for those of ports (see
 * link.h).
 *
 * Notification k of a link is value (k - 1) % wrap + 1 of one of its two sync objects,
 * which change after wrap of them. Who waits sets the other one to 0 half way through:
 * then all waits for its old values have ended, and the peer may go on to it.
 *
 * The go of a piece is a number, too, of two sync objects in turn. So a piece that was
 * let go before its part came to run takes no other one's go, and its part still runs.
 */
#include <errno.h>
#include <stdlib.h>

#include "hw/regs/gaudi_nic_regs.h"
#include "piece.h"

#define FENCE_ID	0

/*
 * Packets
 */

/* From the link's memory into the queue, around its end. */
static void put_copy(struct pkt_buf *pb, const struct gaudi_link *link,
		     uint32_t first, uint32_t n, uint64_t queue,
		     uint64_t memory, uint32_t size)
{
	uint32_t all = gd_port_of(link)->entries;
	uint32_t some = n < all - first ? n : all - first;
	uint64_t at = queue + (uint64_t)link->conn_id * all * size;

	pkt_lin_dma(pb, memory + (uint64_t)first * size,
		    at + (uint64_t)first * size, some * size, 0);
	if (n > some)
		pkt_lin_dma(pb, memory, at, (n - some) * size, 0);
}

static void put_entries(struct pkt_buf *pb, const struct gd_part *part)
{
	const struct gaudi_link *link = part->link;
	const struct gd_port *port = gd_port_of(link);
	uint32_t first = (uint32_t)(part->before.entries % port->entries);

	put_copy(pb, link, first, part->taken, port->send, link->address,
		 NIC_WQE_SIZE);
	put_copy(pb, link, first, part->taken, port->receive,
		 link->address + (uint64_t)port->entries * NIC_WQE_SIZE,
		 NIC_RECV_WQE_SIZE);
}

void gd_put_wait(struct pkt_buf *pb, uint32_t monitor, uint32_t sob,
		 uint32_t value, uint32_t queue, bool again)
{
	if (again)
		pkt_monitor_again(pb, monitor, sob, value);
	else
		pkt_monitor(pb, monitor, sob, value,
			    pkt_fence_addr(queue, FENCE_ID), 1);
	pkt_fence(pb, FENCE_ID, 1, 1, GAUDI_PKT_CTL_MB);
}

uint32_t gd_link_go(const struct gaudi_link *link, uint64_t piece)
{
	return link->sobs[GD_SOB_GO + (piece / GD_GO_WRAP & 1)];
}

static uint32_t go_value(uint64_t piece)
{
	return (uint32_t)(piece % GD_GO_WRAP) + 1;
}

/* What the port's queue does: wait for the go, and ring. */
static struct hl_cs_chunk put_part(const struct gd_part *part)
{
	const struct gaudi_link *link = part->link;
	const struct gd_port *port = gd_port_of(link);
	uint64_t bell = GAUDI_NIC_DOORBELL(link->conn_id, link->now.entries %
							  port->entries);
	const uint32_t words[2] = { (uint32_t)bell, (uint32_t)(bell >> 32) };
	uint64_t piece = part->before.slots;
	size_t at = gd_link_slots_offset(port) + piece % GD_LINK_SLOTS * GD_LINK_SLOT_SIZE;
	struct pkt_buf pb;

	pkt_init(&pb, link->memory + at, GD_LINK_SLOT_SIZE);
	/* All links of the port's queue have this monitor for this alone. */
	gd_put_wait(&pb, link->monitor, gd_link_go(link, piece),
		    go_value(piece), link->queue, piece);
	if (go_value(piece) == GD_GO_WRAP / 2)
		pkt_sob_set(&pb, gd_link_go(link, piece + GD_GO_WRAP), 0,
			    GAUDI_PKT_CTL_MB);
	pkt_wreg_bulk(&pb, NIC_QMAN_DOORBELL, words, 2, GAUDI_PKT_CTL_MB);

	return (struct hl_cs_chunk) {
		.cb_handle = link->address + at,
		.cb_size = (uint32_t)pb.used,
		.queue_index = link->queue,
	};
}

/* All parts that the piece has: entries, when they are there the go, and the end. */
static uint32_t put_parts(struct gd_link_job *job, unsigned int q,
			  struct pkt_buf *head, struct pkt_buf *end)
{
	uint32_t barriers = GAUDI_PKT_CTL_EB | GAUDI_PKT_CTL_MB;
	uint32_t monitor = gd_queue_monitor(job->device, q);
	uint32_t queue = gd_queue_id(job->device, q), num = 1;

	for (uint32_t i = 0; i < job->num_parts; i++)
		if (job->parts[i].taken)
			put_entries(head, &job->parts[i]);
	for (uint32_t i = 0; i < job->num_parts; i++) {
		const struct gd_part *part = &job->parts[i];
		uint32_t done = part->link->sobs[GD_SOB_DONE];
		uint64_t piece = part->before.slots;

		if (!part->taken)
			continue;
		pkt_sob_set(head, gd_link_go(part->link, piece), go_value(piece),
			    barriers);
		barriers = 0;
		job->chunks[num++] = put_part(part);
		gd_put_wait(end, monitor, done, 1, queue, end->used);
		pkt_sob_set(end, done, 0, GAUDI_PKT_CTL_MB);
	}

	return num;
}

/* How many sync objects have been set to 0 after so many waits. */
static uint64_t halves(const struct gaudi_link *link, uint64_t waited)
{
	uint32_t wrap = link->device->wrap;

	return (waited + wrap / 2) / wrap;
}

static int put_notification(struct gd_link_job *job, struct gaudi_link_op *op,
			    unsigned int q, struct pkt_buf *end)
{
	struct gaudi_link *link = op->link;
	uint64_t before = link->now.waited, k = before + op->count - 1;
	uint32_t wrap = job->device->wrap;
	unsigned int other = halves(link, k + 1) & 1;
	int rc;

	op->to = k;
	link->now.waited = k + 1;
	/* Nothing but waits comes before it there. */
	gd_put_wait(end, gd_queue_monitor(job->device, q),
		 link->sobs[GD_SOB_NOTIFIED + (k / wrap & 1)],
		 (uint32_t)(k % wrap) + 1, gd_queue_id(job->device, q), end->used);
	if (halves(link, before) == halves(link, k + 1))
		return 0;
	rc = gd_wait(job->device, &link->waits[other]);
	if (!rc)
		pkt_sob_set(end, link->sobs[GD_SOB_NOTIFIED + other], 0,
			    GAUDI_PKT_CTL_MB);

	return rc;
}

/* What fails is the last one that was tried; those before it are taken back, too. */
static int put_waits(struct gd_link_job *job, unsigned int q,
		     struct pkt_buf *end, uint32_t *tried)
{
	int rc = 0;

	for (; !rc && *tried < job->count; ++*tried)
		if (gd_op_is_wait(&job->ops[*tried]))
			rc = put_notification(job, &job->ops[*tried], q, end);

	return rc;
}

static void take_back_waits(struct gd_link_job *job, uint32_t tried)
{
	for (uint32_t i = 0; i < tried; i++)
		if (gd_op_is_wait(&job->ops[i]))
			job->ops[i].link->now.waited -= job->ops[i].count;
}

/*
 * What is under way
 */
static int announce(struct gaudi_stream *stream, unsigned int q,
		    struct gd_posted **posted)
{
	*posted = calloc(1, sizeof(**posted));
	if (!*posted)
		return gd_no_memory("for work of a link");
	gd_fate_get(stream->fate);
	(*posted)->fate = stream->fate;
	(*posted)->step = stream->step;
	(*posted)->q = q;
	(*posted)->n = GD_NEVER;
	/* Before anybody can wait for it. */
	atomic_fetch_add(&stream->device->watched, 1);

	return 0;
}

static int announce_all(struct gd_link_job *job, struct gaudi_stream *stream,
			unsigned int q, bool last)
{
	int rc = 0;

	/* What is written in the same piece as what fails is as good as before. */
	stream->step++;
	for (uint32_t i = 0; !rc && i < job->num_parts; i++) {
		struct gd_part *part = &job->parts[i];

		if (!part->taken)
			continue;
		rc = announce(stream, q, &part->posted);
		if (rc)
			break;
		part->posted->entry = part->before.entries;
		part->posted->entries = part->taken;
		part->posted->slot = part->before.slots;
	}
	for (uint32_t i = 0; !rc && last && i < job->num_waits; i++)
		rc = announce(stream, q, &job->waits[i]);

	return rc;
}

/* What has been announced, by its link and kind. */
typedef void (*posted_fn)(struct gaudi_link *link, unsigned int kind,
			  struct gd_posted **posted);

static void for_all(struct gd_link_job *job, unsigned int q, posted_fn fn)
{
	uint32_t wait = 0;

	for (uint32_t i = 0; i < job->num_parts; i++)
		if (job->parts[i].posted)
			fn(job->parts[i].link, GD_WRITES, &job->parts[i].posted);
	for (uint32_t i = 0; i < job->count; i++)
		if (gd_op_is_wait(&job->ops[i]) && job->waits[wait++])
			fn(job->ops[i].link, GD_WAITS + q, &job->waits[wait - 1]);
}

static void enlist(struct gaudi_link *link, unsigned int kind,
		   struct gd_posted **posted)
{
	TAILQ_INSERT_TAIL(&link->posted[kind], *posted, link);
}

static void drop(struct gaudi_link *link, unsigned int kind,
		 struct gd_posted **posted)
{
	(void)kind;
	gd_posted_free(link->device, *posted);
	*posted = NULL;
}

static void forget(struct gaudi_link *link, unsigned int kind,
		   struct gd_posted **posted)
{
	TAILQ_REMOVE(&link->posted[kind], *posted, link);
	drop(link, kind, posted);
}

/*
 * Before it is given to the card: what fails from now on finds it, and what has failed is
 * found here.
 */
static int enlist_all(struct gd_link_job *job, struct gaudi_stream *stream,
		      unsigned int q)
{
	int rc;

	pthread_mutex_lock(&job->device->links->lock);
	for_all(job, q, enlist);
	rc = gd_link_ops_check(job->ops, job->count);
	pthread_mutex_unlock(&job->device->links->lock);

	return rc ? rc : gd_stream_check(stream);
}

static void forget_all(struct gd_link_job *job, unsigned int q)
{
	pthread_mutex_lock(&job->device->links->lock);
	for_all(job, q, forget);
	pthread_mutex_unlock(&job->device->links->lock);
}

static void keep(struct gaudi_link *link, struct gd_posted **posted, uint64_t n)
{
	(*posted)->n = n;
	*posted = NULL;
	link->shown = link->now;
}

static void keep_waits(struct gd_link_job *job, unsigned int q, uint64_t n)
{
	uint32_t wait = 0;

	for (uint32_t i = 0; i < job->count; i++) {
		const struct gaudi_link_op *op = &job->ops[i];
		unsigned int sob = op->to / job->device->wrap & 1;

		if (!gd_op_is_wait(op))
			continue;
		gd_point_set(&op->link->waits[sob], q, n);
		keep(op->link, &job->waits[wait++], n);
	}
}

/* The piece is under way; its links' next ones come after it. */
static void keep_all(struct gd_link_job *job, unsigned int q, uint64_t n,
		     bool last)
{
	pthread_mutex_lock(&job->device->links->lock);
	for (uint32_t i = 0; i < job->num_parts; i++) {
		struct gd_part *part = &job->parts[i];

		if (!part->taken)
			continue;
		part->left -= part->taken;
		part->link->last = (struct gd_point) {};
		gd_point_set(&part->link->last, q, n);
		keep(part->link, &part->posted, n);
	}
	if (last)
		keep_waits(job, q, n);
	pthread_mutex_unlock(&job->device->links->lock);
}

/*
 * Pieces
 */
static int submit(struct gd_link_job *job, struct gaudi_stream *stream,
		  unsigned int q, bool last)
{
	struct gd_work work = { .chunks = job->chunks, .patient = true };
	struct gd_point after = stream->after;
	struct pkt_buf head, end;
	uint32_t tried = 0;
	uint64_t n;
	int rc;

	/* Behind what is open, where it stays open until the piece is under way. */
	if (job->with_open)
		head = stream->open;
	else
		pkt_init(&head, job->head, job->num_parts * GD_HEAD_SIZE);
	/* Its waits, too: each half way sets one more back. */
	pkt_init(&end, job->end, job->count * GD_END_SIZE);
	work.num_chunks = put_parts(job, q, &head, &end);
	rc = last ? put_waits(job, q, &end, &tried) : 0;
	if (!rc)
		rc = announce_all(job, stream, q, last);
	if (rc) {
		for_all(job, q, drop);
		take_back_waits(job, tried);
		return rc;
	}
	rc = enlist_all(job, stream, q);
	for (uint32_t i = 0; i < job->num_parts; i++)
		if (job->parts[i].taken)
			gd_point_join(&after, &job->parts[i].link->last);
	work.packets = head.mem;
	work.size = head.used;
	work.end = end.mem;
	work.end_size = end.used;
	if (!rc)
		rc = gd_submit_work(job->device, q, &after, &work, &n);
	if (rc) {
		forget_all(job, q);
		take_back_waits(job, tried);
		return rc;
	}
	if (job->with_open)
		job->open_n = n;
	job->with_open = false;
	keep_all(job, q, n, last);
	stream->after = (struct gd_point) {};
	gd_point_set(&stream->after, q, n);

	return 0;
}

static bool is_last(const struct gd_link_job *job)
{
	for (uint32_t i = 0; i < job->num_parts; i++)
		if (job->parts[i].left != job->parts[i].taken)
			return false;

	return true;
}

static int run_piece(struct gd_link_job *job, struct gaudi_stream *stream,
		     unsigned int q, bool *last)
{
	int rc = 0;

	for (uint32_t i = 0; i < job->num_parts; i++)
		job->parts[i].taken = 0;
	for (uint32_t i = 0; !rc && i < job->num_parts; i++)
		rc = gd_part_fill(job, &job->parts[i]);
	if (!rc) {
		*last = is_last(job);
		rc = submit(job, stream, q, *last);
	}
	for (uint32_t i = 0; rc && i < job->num_parts; i++)
		gd_part_undo(&job->parts[i]);

	return rc;
}

int gd_link_ops_check(const struct gaudi_link_op *ops, uint32_t count)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < count; i++)
		if (atomic_load(&ops[i].link->error))
			rc = gd_link_is_failed(ops[i].link);

	return rc;
}

int gd_link_job_run(struct gd_link_job *job, struct gaudi_stream *stream,
		    unsigned int q)
{
	bool last = false;
	int rc = 0;

	while (!rc && !last) {
		rc = gd_link_ops_check(job->ops, job->count);
		if (!rc)
			rc = run_piece(job, stream, q, &last);
	}

	return rc;
}
