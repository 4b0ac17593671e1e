// SPDX-License-Identifier: MIT
/* Collectives: the actions of their schedules, as work of a stream. */
#include <errno.h>
#include <stdio.h>

#include "comm.h"
#include "gaudi_graph.h"

/* More exchanges than these are given to the stream's own thread, in its time. */
#define AT_ONCE		8u

uint64_t coll_staging_size(uint32_t ranks, uint32_t row_bytes)
{
	return (2ull * ranks + 4) * row_bytes +
	       (uint64_t)ranks * COLL_BOXES * COLL_BOX_BYTES;
}

uint64_t coll_slot_offset(const struct coll_comm *comm, uint32_t parity,
			  uint32_t rank)
{
	return ((uint64_t)parity * comm->ranks + rank) * comm->settings.row_bytes;
}

uint64_t coll_work_offset(const struct coll_comm *comm)
{
	return coll_slot_offset(comm, 2, 0);
}

uint64_t coll_out_offset(const struct coll_comm *comm)
{
	return coll_slot_offset(comm, 2, 1);
}

uint64_t coll_spare_offset(const struct coll_comm *comm, uint32_t i)
{
	return coll_slot_offset(comm, 2, 2 + i);
}

uint64_t coll_box_offset(const struct coll_comm *comm, uint32_t rank, uint64_t i)
{
	return coll_slot_offset(comm, 2, 4) +
	       (rank * COLL_BOXES + i % COLL_BOXES) * COLL_BOX_BYTES;
}

/* A collective that is being enqueued. */
struct run {
	struct coll_comm *comm;
	struct gaudi_stream *stream;
	const struct coll_op *op;
	uint32_t size;			/* of an element */
};

static gaudi_ptr address(const struct run *run, struct coll_ref ref)
{
	const struct coll_comm *comm = run->comm;
	uint64_t at = ref.at * run->size;

	switch (ref.space) {
	case COLL_SEND:
		return run->op->send + at;
	case COLL_RECV:
		return run->op->recv + at;
	case COLL_WORK:
		return comm->staging + coll_work_offset(comm) + at;
	default:
		return comm->staging + at +
		       coll_slot_offset(comm, comm->peers[ref.row].exchanges & 1,
					ref.row);
	}
}

static int copy(const struct run *run, gaudi_ptr to, gaudi_ptr from,
		uint64_t count)
{
	if (to == from)
		return 0;

	return coll_gaudi(gaudi_copy_device_async(run->stream, to, from,
						  count * run->size), "a copy");
}

/* Are the operands this rank's own, and of all others what they sent last, in order? */
static bool is_of_all(const struct coll_comm *comm,
		      const struct coll_action *action,
		      const struct coll_ref *refs)
{
	if (action->num_refs != comm->ranks)
		return false;
	for (uint32_t i = 0; i < comm->ranks; i++)
		if (i != comm->rank &&
		    (refs[i].space != COLL_SLOT || refs[i].row != i ||
		     refs[i].at || (comm->peers[i].exchanges & 1) !=
		     (comm->peers[comm->rank].exchanges & 1)))
			return false;

	return true;
}

/* Operands that do not lie next to each other are brought there. */
static int gather(const struct run *run, const struct coll_action *action,
		  const struct coll_ref *refs, gaudi_ptr *rows)
{
	const struct coll_comm *comm = run->comm;
	uint32_t parity = comm->peers[comm->rank].exchanges & 1;
	int rc = 0;

	if (is_of_all(comm, action, refs)) {
		*rows = comm->staging + coll_slot_offset(comm, parity, 0);
		return copy(run, comm->staging +
			    coll_slot_offset(comm, parity, comm->rank),
			    address(run, refs[comm->rank]), action->count);
	}
	if (action->num_refs != 2)
		return coll_fail(-EINVAL, "a reduction of %u operands",
				 action->num_refs);
	*rows = comm->staging + coll_spare_offset(comm, 0);
	for (uint32_t i = 0; !rc && i < 2; i++)
		rc = copy(run, comm->staging + coll_spare_offset(comm, i),
			  address(run, refs[i]), action->count);

	return rc;
}

static int reduce(const struct run *run, const struct coll_action *action)
{
	struct coll_comm *comm = run->comm;
	const struct coll_ref *refs = &comm->schedule.refs[action->first_ref];
	gaudi_ptr rows = 0, to = address(run, action->to), out = to;
	int rc = gather(run, action, refs, &rows);

	if (rc)
		return rc;
	if (action->to.space != COLL_WORK &&
	    !coll_reduce_is_exact(comm->reducer, run->op->type, action->count, to))
		out = comm->staging + coll_out_offset(comm);
	rc = coll_reduce_async(comm->reducer, run->stream, run->op->type,
			       run->op->op, rows, action->num_refs, out,
			       action->count);

	return rc ? rc : copy(run, to, out, action->count);
}

/*
 * Exchanges
 */
static void put_write(const struct run *run, struct gaudi_link_op *op,
		      uint32_t peer, const struct coll_action *action)
{
	struct coll_comm *comm = run->comm;
	const struct coll_peer *p = &comm->peers[peer];

	*op = (struct gaudi_link_op) {
		.link = p->links[COLL_LINK_ALL],
		.kind = GAUDI_LINK_WRITE,
		.flags = GAUDI_LINK_NOTIFY,
	};
	if (!action || !action->count)
		return;
	op->from = address(run, action->from);
	op->to = p->staging + coll_slot_offset(comm, (p->exchanges + 1) & 1,
					       comm->rank);
	op->bytes = action->count * run->size;
}

/*
 * Each peer gets one write, with data or without, and one is awaited from each. Slots change
 * behind it: what is sent may be in them.
 */
static int post(const struct run *run, const struct coll_action *actions,
		uint32_t count)
{
	struct gaudi_link_op ops[2 * COLL_MAX_RANKS];
	const struct coll_action *sends[COLL_MAX_RANKS] = {};
	bool in[COLL_MAX_RANKS] = {};
	struct coll_comm *comm = run->comm;
	uint32_t num = 0;
	int rc;

	for (uint32_t i = 0; i < count; i++) {
		in[actions[i].peer] = true;
		if (actions[i].kind == COLL_ACT_SEND)
			sends[actions[i].peer] = &actions[i];
	}
	for (uint32_t i = 1; i < comm->ranks; i++) {
		uint32_t peer = (comm->rank + i) % comm->ranks;

		if (in[peer])
			put_write(run, &ops[num++], peer, sends[peer]);
	}
	for (uint32_t i = 0; i < comm->ranks; i++)
		if (in[i])
			ops[num++] = (struct gaudi_link_op) {
				.link = comm->peers[i].links[COLL_LINK_ALL],
				.kind = GAUDI_LINK_WAIT,
				.count = 1,
			};
	rc = coll_gaudi(gaudi_link_post_async(run->stream, ops, num),
			"an exchange");
	if (rc)
		return rc;
	for (uint32_t i = 0; i < comm->ranks; i++)
		comm->peers[i].exchanges += in[i];
	/* This rank's own row goes with the others'. */
	comm->peers[comm->rank].exchanges =
		comm->peers[(comm->rank + 1) % comm->ranks].exchanges;

	return 0;
}

/* Does each rank exchange as much with each other one? */
static bool is_even(const struct coll_call *call)
{
	return call->algorithm == COLL_DIRECT && call->kind != COLL_BROADCAST &&
	       call->kind != COLL_REDUCE;
}

/*
 * All rows that a direct reduction takes have to be in the same turn. They are, if all pairs
 * have had as many exchanges; otherwise those with an odd number have one more, as both sides
 * know.
 */
static int align(const struct run *run, const struct coll_call *call)
{
	struct coll_action extra[COLL_MAX_RANKS] = {};
	struct coll_comm *comm = run->comm;
	uint32_t num = 0;

	if (!comm->skewed || call->algorithm != COLL_DIRECT)
		return 0;
	comm->skewed = false;
	for (uint32_t i = 0; i < comm->ranks; i++)
		if (i != comm->rank && comm->peers[i].exchanges & 1) {
			extra[num].kind = COLL_ACT_RECEIVE;
			extra[num++].peer = i;
		}

	return num ? post(run, extra, num) : 0;
}

static int run_pass(const struct run *run, const struct coll_call *call,
		    uint64_t pass)
{
	struct coll_schedule *s = &run->comm->schedule;
	int rc = coll_schedule_make(call, pass, s);
	uint32_t end;

	if (rc)
		return coll_fail(rc, "no schedule for a %s",
				 coll_kind_name(call->kind));
	for (uint32_t i = 0; !rc && i < s->num_actions; i = end) {
		const struct coll_action *action = &s->actions[i];

		end = i + 1;
		if (action->kind == COLL_ACT_COPY) {
			rc = copy(run, address(run, action->to),
				  address(run, action->from), action->count);
			continue;
		}
		if (action->kind == COLL_ACT_REDUCE) {
			rc = reduce(run, action);
			continue;
		}
		while (end < s->num_actions &&
		       s->actions[end].kind <= COLL_ACT_RECEIVE &&
		       s->actions[end].exchange == action->exchange)
			end++;
		rc = post(run, action, end - i);
	}

	return rc;
}

/*
 * Calls
 */
void coll_nothing(void *arg, int error)
{
	(void)arg;
	(void)error;
}

/* Behind what the communicator did on another stream. */
static int begin_on(struct coll_comm *comm, struct gaudi_stream *stream)
{
	if (!comm->any_order || comm->last_stream == stream)
		return 0;

	return coll_gaudi(gaudi_stream_wait_event(stream, comm->order), "order");
}

static int enqueue(struct coll_comm *comm, const struct run *run,
		   const struct coll_call *call)
{
	uint64_t passes = coll_passes(call);
	int rc = 0;

	if (passes * (call->algorithm == COLL_DIRECT ? 2 : 2 * call->ranks) > AT_ONCE)
		rc = coll_gaudi(gaudi_stream_add_host_fn(run->stream,
							 coll_nothing, NULL), "a stream");
	if (!rc)
		rc = coll_gaudi(gaudi_stream_begin_batch(run->stream), "a stream");
	if (rc)
		return rc;
	for (uint64_t pass = 0; !rc && pass < passes; pass++) {
		rc = align(run, call);
		if (!rc)
			rc = run_pass(run, call, pass);
		comm->skewed |= !is_even(call);
	}
	if (rc) {
		gaudi_stream_end_batch(run->stream);
		return rc;
	}
	rc = coll_gaudi(gaudi_stream_end_batch(run->stream), "a stream");
	if (!rc)
		rc = coll_gaudi(gaudi_event_record(comm->order, run->stream),
				"an event");
	comm->any_order = true;
	comm->last_stream = run->stream;

	return rc;
}

static int watched(struct coll_comm *comm, const struct run *run,
		   const struct coll_call *call, struct coll_mark *mark)
{
	struct coll_watch *watch;
	int rc;

	coll_control_call(comm, mark);
	rc = begin_on(comm, run->stream);
	if (rc)
		return rc;
	pthread_mutex_lock(&comm->lock);
	watch = coll_watch_add(comm, mark);
	pthread_mutex_unlock(&comm->lock);
	if (watch)
		rc = gaudi_event_record(watch->begin, run->stream);
	if (!rc)
		rc = enqueue(comm, run, call);
	atomic_store(&comm->active, true);
	if (watch && !rc)
		rc = gaudi_event_record(watch->end, run->stream);
	pthread_mutex_lock(&comm->lock);
	if (watch)
		watch->ready = true;
	pthread_mutex_unlock(&comm->lock);

	return rc;
}

int coll_check_stream(struct gaudi_stream *stream)
{
	bool capturing = false;
	int rc = coll_gaudi(gaudi_stream_is_capturing(stream, &capturing),
			    "a stream");

	if (!rc && capturing)
		rc = coll_fail(-ENOTSUP, "a collective cannot be captured");

	return rc;
}

void coll_enqueue_failed(struct coll_comm *comm, int error, const char *what)
{
	char why[COLL_MESSAGE_SIZE - 64];

	if (!error || atomic_load(&comm->failed))
		return;
	snprintf(why, sizeof(why), "%s", coll_message());
	coll_comm_fail(comm, error == GAUDI_ERR_LINK ? hcclPortDown :
						       hcclInternalError,
		       true, "%s on rank %u: %s", what, comm->rank, why);
	coll_fail(error, "%s", why);
}

int coll_run(struct coll_comm *comm, struct gaudi_stream *stream,
	     const struct coll_op *op)
{
	const struct run run = {
		.comm = comm,
		.stream = stream,
		.op = op,
		.size = coll_type_size(op->type),
	};
	struct coll_mark mark = {
		.kind = (uint16_t)op->kind,
		.type = (uint16_t)op->type,
		.op = (uint16_t)op->op,
		.root = op->root,
		.count = op->count,
	};
	struct coll_call call;
	int rc = coll_check_stream(stream);

	if (rc)
		return rc;
	call = coll_choose(&comm->settings, comm->ranks, op);
	call.rank = comm->rank;
	mark.algorithm = (uint16_t)call.algorithm;
	pthread_mutex_lock(&comm->run);
	if (atomic_load(&comm->failed))
		rc = coll_fail(GAUDI_ERR_LINK, "%s", comm->why);
	if (!rc && coll_passes(&call))
		rc = watched(comm, &run, &call, &mark);
	coll_enqueue_failed(comm, rc, coll_kind_name(op->kind));
	pthread_mutex_unlock(&comm->run);

	return rc;
}
