// SPDX-License-Identifier: MIT
/* Collectives: the actions of their schedules, as work of a stream. */
#include <errno.h>
#include <stdio.h>

#include "exec_priv.h"
#include "far.h"
#include "gaudi_graph.h"
#include "profile.h"
#include "../control/control.h"

/* More exchanges than these are given to the stream's own thread, in its time. */
#define AT_ONCE		8u
/* Rows of one copy: bytes from one to the next. */
#define MOST_APART	(1ull << 30)

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

/* This rank's operand into its own row, among those of all. */
static int place_own(const struct run *run, const struct coll_action *action,
		     uint32_t parity)
{
	const struct coll_comm *comm = run->comm;
	const struct coll_ref *own = &comm->schedule.refs[action->first_ref +
							  comm->rank];

	return copy(run, comm->staging + coll_slot_offset(comm, parity, comm->rank),
		    address(run, *own), action->count);
}

/*
 * The same before the exchange with all that @action comes behind, where it goes with the
 * exchange's own copies; so @action has the rows of the next turn.
 */
static int place_early(const struct run *run, const struct coll_action *action,
		       bool *placed)
{
	const struct coll_comm *comm = run->comm;
	const struct coll_ref *refs = &comm->schedule.refs[action->first_ref];

	*placed = action->kind == COLL_ACT_REDUCE &&
		  is_of_all(comm, action, refs) &&
		  refs[comm->rank].space != COLL_SLOT;

	return *placed ? place_own(run, action,
				   (comm->peers[comm->rank].exchanges + 1) & 1) : 0;
}

/*
 * Operands that do not lie next to each other are brought there; its own one may have been
 * @placed.
 */
static int gather(const struct run *run, const struct coll_action *action,
		  const struct coll_ref *refs, bool placed, gaudi_ptr *rows)
{
	const struct coll_comm *comm = run->comm;
	uint32_t parity = comm->peers[comm->rank].exchanges & 1;
	int rc = 0;

	if (is_of_all(comm, action, refs)) {
		*rows = comm->staging + coll_slot_offset(comm, parity, 0);
		return placed ? 0 : place_own(run, action, parity);
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

static int reduce(const struct run *run, const struct coll_action *action, bool placed)
{
	struct coll_comm *comm = run->comm;
	const struct coll_ref *refs = &comm->schedule.refs[action->first_ref];
	gaudi_ptr rows = 0, to = address(run, action->to), out = to;
	int rc = gather(run, action, refs, placed, &rows);

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
static struct gaudi_link *link_to(const struct run *run, uint32_t peer)
{
	return run->comm->peers[peer].links[run->comm->captures ?
					    COLL_LINK_CAPTURED : COLL_LINK_ALL];
}

static void put_write(const struct run *run, struct gaudi_link_op *op,
		      uint32_t peer, const struct coll_action *action)
{
	struct coll_comm *comm = run->comm;
	const struct coll_peer *p = &comm->peers[peer];

	*op = (struct gaudi_link_op) {
		.link = link_to(run, peer),
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

/* What an exchange is made of, by peer. */
struct exchange {
	const struct coll_action *send[COLL_MAX_RANKS], *receive[COLL_MAX_RANKS];
	bool in[COLL_MAX_RANKS];
};

/*
 * Each peer of this box gets one write, with data or without, and one is awaited from
 * each.
 */
static int write_near(const struct run *run, const struct exchange *ex)
{
	struct gaudi_link_op ops[2 * COLL_MAX_RANKS];
	struct coll_comm *comm = run->comm;
	uint32_t num = 0;

	for (uint32_t i = 1; i < comm->ranks; i++) {
		uint32_t peer = (comm->rank + i) % comm->ranks;

		if (ex->in[peer] && !comm->peers[peer].far)
			put_write(run, &ops[num++], peer, ex->send[peer]);
	}
	for (uint32_t i = 0; i < comm->ranks; i++)
		if (ex->in[i] && !comm->peers[i].far)
			ops[num++] = (struct gaudi_link_op) {
				.link = link_to(run, i),
				.kind = GAUDI_LINK_WAIT,
				.count = 1,
			};
	if (!num)
		return 0;

	return coll_gaudi(gaudi_link_post_async(run->stream, ops, num),
			  "an exchange");
}

/* A message to, and from, each peer of another box that there is one for. */
static int copy_out(const struct run *run, const struct exchange *ex,
		    struct coll_batch *batch)
{
	struct coll_comm *comm = run->comm;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < comm->ranks; i++) {
		const struct coll_action *send = ex->send[i], *receive = ex->receive[i];
		const struct coll_peer *peer = &comm->peers[i];

		if (!peer->far)
			continue;
		if (receive)
			coll_batch_exchange(batch, i, false, peer->exchanges,
					    receive->count * run->size);
		if (!send)
			continue;
		coll_batch_exchange(batch, i, true, peer->exchanges,
				    send->count * run->size);
		if (send->count)
			rc = coll_gaudi(gaudi_copy_to_host_async(run->stream,
					coll_far_lane(comm, i)->out, address(run, send->from),
					send->count * run->size), "an exchange");
	}

	return rc;
}

static int copy_in(const struct run *run, const struct exchange *ex)
{
	struct coll_comm *comm = run->comm;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < comm->ranks; i++) {
		const struct coll_peer *peer = &comm->peers[i];
		const struct coll_action *receive = ex->receive[i];
		uint32_t parity = (peer->exchanges + 1) & 1;

		if (peer->far && receive && receive->count)
			rc = coll_gaudi(gaudi_copy_to_device_async(run->stream,
					comm->staging + coll_slot_offset(comm, parity, i),
					coll_far_lane(comm, i)->in, receive->count * run->size),
					"an exchange");
	}

	return rc;
}

static int run_exchange(const struct run *run, const struct exchange *ex)
{
	struct coll_comm *comm = run->comm;
	struct coll_batch *batch;
	int rc;

	if (!comm->fabric)
		return write_near(run, ex);
	batch = coll_batch_create(comm, 2 * comm->ranks);
	if (!batch)
		return -ENOMEM;
	rc = copy_out(run, ex, batch);
	if (!rc)
		rc = write_near(run, ex);
	if (rc || coll_batch_is_empty(batch)) {
		coll_batch_free(batch);
		return rc;
	}
	rc = coll_batch_post(batch, run->stream);

	return rc ? rc : copy_in(run, ex);
}

/* Slots change behind it: what is sent may be in them. */
static int post(const struct run *run, const struct coll_action *actions,
		uint32_t count)
{
	struct coll_comm *comm = run->comm;
	struct exchange ex = {};
	int rc;

	for (uint32_t i = 0; i < count; i++) {
		const struct coll_action *action = &actions[i];

		ex.in[action->peer] = true;
		if (action->kind == COLL_ACT_SEND)
			ex.send[action->peer] = action;
		else
			ex.receive[action->peer] = action;
	}
	rc = run_exchange(run, &ex);
	if (rc)
		return rc;
	for (uint32_t i = 0; i < comm->ranks; i++)
		comm->peers[i].exchanges += ex.in[i];
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
	for (uint32_t i = 0; i < comm->ranks; i++) {
		if (i == comm->rank || !(comm->peers[i].exchanges & 1))
			continue;
		if (comm->peers[i].far) {
			/* No row there has to be told free. */
			comm->peers[i].exchanges++;
			continue;
		}
		extra[num].kind = COLL_ACT_RECEIVE;
		extra[num++].peer = i;
	}
	comm->peers[comm->rank].exchanges =
		comm->peers[(comm->rank + 1) % comm->ranks].exchanges;

	return num ? post(run, extra, num) : 0;
}

/* From places by box to ranks. */
static void rename_ref(const struct coll_comm *comm, struct coll_ref *ref)
{
	if (ref->space == COLL_SLOT)
		ref->row = comm->by_box[ref->row];
}

static void rename_ranks(const struct coll_comm *comm, struct coll_schedule *s)
{
	for (uint32_t i = 0; i < s->num_actions; i++) {
		struct coll_action *action = &s->actions[i];

		rename_ref(comm, &action->to);
		rename_ref(comm, &action->from);
		if (action->kind <= COLL_ACT_RECEIVE)
			action->peer = comm->by_box[action->peer];
	}
	for (uint32_t i = 0; i < s->num_refs; i++)
		rename_ref(comm, &s->refs[i]);
}

static uint32_t place_by_box(const struct coll_comm *comm, uint32_t rank)
{
	uint32_t place = 0;

	while (comm->by_box[place] != rank)
		place++;

	return place;
}

/* Of the copies from action @first on, as many as are one of rows that are equally far apart. */
static uint32_t count_rows(const struct run *run, const struct coll_action *first,
			   const struct coll_action *end, uint64_t *to_pitch,
			   uint64_t *from_pitch)
{
	gaudi_ptr to = address(run, first->to), from = address(run, first->from);
	uint64_t width = first->count * run->size;
	uint32_t n = 1;

	for (const struct coll_action *a = first + 1; a < end; a++, n++) {
		uint64_t to_next, from_next;

		if (a->kind != COLL_ACT_COPY || first->from.space != COLL_SLOT ||
		    a->from.space != COLL_SLOT || a->count != first->count)
			break;
		to_next = address(run, a->to) - to;
		from_next = address(run, a->from) - from;
		if (n == 1) {
			*to_pitch = to_next;
			*from_pitch = from_next;
		}
		if (*to_pitch < width || *to_pitch > MOST_APART ||
		    *from_pitch < width || *from_pitch > MOST_APART ||
		    to_next != n * *to_pitch || from_next != n * *from_pitch)
			break;
	}

	return n;
}

/* Comes to the end of what was copied. */
static int copy_rows(const struct run *run, const struct coll_action *first,
		     const struct coll_action *last, uint32_t *end)
{
	uint64_t to_pitch = 0, from_pitch = 0;
	uint32_t n = count_rows(run, first, last, &to_pitch, &from_pitch);

	*end += n - 1;
	if (n == 1)
		return copy(run, address(run, first->to), address(run, first->from),
			    first->count);

	return coll_gaudi(gaudi_copy_device_2d_async(run->stream,
						     address(run, first->to), to_pitch,
						     address(run, first->from), from_pitch,
						     first->count * run->size, n), "copies");
}

static int run_pass(const struct run *run, const struct coll_call *call,
		    uint64_t pass)
{
	struct coll_schedule *s = &run->comm->schedule;
	int rc = coll_schedule_make(call, pass, s);
	bool placed = false;
	uint32_t end;

	if (rc)
		return coll_fail(rc, "no schedule for a %s",
				 coll_kind_name(call->kind));
	if (call->algorithm == COLL_HIERARCHICAL)
		rename_ranks(run->comm, s);
	for (uint32_t i = 0; !rc && i < s->num_actions; i = end) {
		const struct coll_action *action = &s->actions[i];

		end = i + 1;
		if (action->kind == COLL_ACT_COPY) {
			rc = copy_rows(run, action, s->actions + s->num_actions,
				       &end);
			continue;
		}
		if (action->kind == COLL_ACT_REDUCE) {
			rc = reduce(run, action, placed);
			placed = false;
			continue;
		}
		while (end < s->num_actions &&
		       s->actions[end].kind <= COLL_ACT_RECEIVE &&
		       s->actions[end].exchange == action->exchange)
			end++;
		if (end < s->num_actions && end - i == 2 * (run->comm->ranks - 1))
			rc = place_early(run, &s->actions[end], &placed);
		if (!rc)
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
	int rc = coll_queue_wait(comm, 1u << COLL_LINK_ALL, stream);

	if (rc || !atomic_load(&comm->any_order) || comm->last_stream == stream)
		return rc;

	return coll_gaudi(gaudi_stream_wait_event(stream, comm->order), "order");
}

static int run_passes(struct coll_comm *comm, const struct run *run,
		      const struct coll_call *call)
{
	uint64_t passes = coll_passes(call);
	int rc = 0;

	for (uint64_t pass = 0; !rc && pass < passes; pass++) {
		rc = align(run, call);
		if (!rc)
			rc = run_pass(run, call, pass);
		comm->skewed |= !is_even(call);
	}

	return rc;
}

static int enqueue(struct coll_comm *comm, const struct run *run,
		   const struct coll_call *call)
{
	uint64_t passes = coll_passes(call);
	int rc = 0, ended;

	if (passes * (call->algorithm == COLL_DIRECT ? 2 : 2 * call->ranks) > AT_ONCE)
		rc = coll_gaudi(gaudi_stream_add_host_fn(run->stream,
							 coll_nothing, NULL), "a stream");
	if (!rc)
		rc = coll_gaudi(gaudi_stream_begin_batch(run->stream), "a stream");
	if (rc)
		return rc;
	rc = run_passes(comm, run, call);
	ended = gaudi_stream_end_batch(run->stream);
	if (!rc)
		rc = coll_gaudi(ended, "a stream");
	if (!rc)
		rc = coll_gaudi(gaudi_event_record(comm->order, run->stream),
				"an event");
	atomic_store(&comm->any_order, true);
	comm->last_stream = run->stream;

	return rc;
}

/* All pairs have had an even number of exchanges behind it, whatever graphs do next. */
static int make_even(const struct run *run)
{
	struct coll_action extra[COLL_MAX_RANKS] = {};
	const struct coll_comm *comm = run->comm;
	uint32_t num = 0;

	/* No row of another box has to be told free. */
	for (uint32_t i = 0; i < comm->ranks; i++)
		if (i != comm->rank && !comm->peers[i].far &&
		    comm->peers[i].exchanges & 1) {
			extra[num].kind = COLL_ACT_RECEIVE;
			extra[num++].peer = i;
		}

	return num ? post(run, extra, num) : 0;
}

/*
 * For a graph, which does it at any time: with links and rows of its own, in a turn of its
 * own, so that what is called meanwhile does not matter.
 */
static int capture(struct coll_comm *comm, const struct run *run,
		   const struct coll_call *call, struct coll_mark *mark)
{
	uint32_t exchanges[COLL_MAX_RANKS];
	bool skewed = comm->skewed;
	int rc;

	mark->captured = 1;
	coll_control_call(comm, mark);
	for (uint32_t i = 0; i < comm->ranks; i++) {
		exchanges[i] = comm->peers[i].exchanges;
		comm->peers[i].exchanges = 0;
	}
	comm->skewed = false;
	comm->captures = true;
	atomic_store(&comm->captured, true);
	rc = run_passes(comm, run, call);
	if (!rc)
		rc = make_even(run);
	comm->captures = false;
	comm->skewed = skewed;
	for (uint32_t i = 0; i < comm->ranks; i++)
		comm->peers[i].exchanges = exchanges[i];

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
	rc = coll_watch_begin(comm, mark, 0, run->stream, &watch);
	if (!rc)
		rc = enqueue(comm, run, call);

	return coll_watch_end(comm, watch, run->stream, rc);
}

void coll_enqueue_failed(struct coll_comm *comm, int error, const char *what)
{
	char why[COLL_MESSAGE_SIZE - 64];

	if (!error || atomic_load(&comm->failed))
		return;
	snprintf(why, sizeof(why), "%s", coll_message());
	/* With the peer's name, if it is known. */
	atomic_store(&comm->active, true);
	coll_watch_look(comm);
	if (error != GAUDI_ERR_LINK || coll_links_without_reason(comm))
		coll_comm_fail(comm, error == GAUDI_ERR_LINK ? hcclPortDown :
							       hcclInternalError,
			       true, "%s on rank %u: %s", what, comm->rank, why);
	coll_fail(error, "%s", why);
}

/* As before, for a call like one of the last ones. */
static struct coll_call choose(struct coll_comm *comm, const struct coll_op *op,
			       uint32_t size)
{
	struct coll_choice *c = comm->choices;

	while (c < comm->choices + COLL_CHOICES &&
	       (c->size != size || c->call.kind != op->kind ||
		c->call.count != op->count || c->root != op->root ||
		c->op != op->op))
		c++;
	if (c == comm->choices + COLL_CHOICES) {
		c = &comm->choices[comm->next_choice++ % COLL_CHOICES];
		c->size = size;
		c->call = coll_choose(&comm->settings, comm->ranks, op);
		c->root = op->root;
		c->op = op->op;
		c->call.rank = comm->rank;
		if (c->call.algorithm == COLL_HIERARCHICAL) {
			c->call.rank = place_by_box(comm, comm->rank);
			c->call.root = place_by_box(comm, op->root);
			c->call.by_box = comm->by_box;
		}
	}

	return c->call;
}

/* What reductions of the call take is there before its first exchange. */
static int prepare(const struct run *run, const struct coll_call *call)
{
	struct coll_schedule *s = &run->comm->schedule;
	uint64_t passes = coll_passes(call);
	int rc = 0;

	for (uint64_t pass = 0; !rc && pass < passes; pass += passes - 1) {
		rc = coll_schedule_make(call, pass, s);
		for (uint32_t i = 0; !rc && i < s->num_actions; i++)
			if (s->actions[i].kind == COLL_ACT_REDUCE)
				rc = coll_reduce_prepare(run->comm->reducer,
							 run->op->type, run->op->op,
							 s->actions[i].num_refs,
							 s->actions[i].count);
		if (pass == passes - 1)
			break;
	}

	return rc;
}

int coll_may_enqueue(const struct coll_comm *comm)
{
	if (atomic_load(&comm->failed))
		return coll_fail(GAUDI_ERR_LINK, "%s", comm->why);

	return comm->finished ? coll_fail(-ESHUTDOWN, "the communicator was finalized") : 0;
}

/* For a profile. */
static void describe(const struct run *run, const struct coll_call *call, char *text, size_t size)
{
	const struct coll_op *op = run->op;
	bool reduces = op->kind == COLL_ALLREDUCE || op->kind == COLL_REDUCE ||
		       op->kind == COLL_REDUCE_SCATTER;

	snprintf(text, size, "%s, %s%s%s, rank %u of %u", coll_type_name(op->type),
		 reduces ? coll_op_name(op->op) : "", reduces ? ", " : "",
		 coll_algorithm_name(call->algorithm), run->comm->rank, run->comm->ranks);
}

static int run_call(struct coll_comm *comm, const struct run *run, bool captured)
{
	const struct coll_op *op = run->op;
	struct coll_call call = choose(comm, op, run->size);
	struct coll_mark mark = {
		.kind = (uint16_t)op->kind,
		.type = (uint16_t)op->type,
		.op = (uint16_t)op->op,
		.root = op->root,
		.count = op->count,
		.algorithm = (uint16_t)call.algorithm,
	};
	char text[COLL_MESSAGE_SIZE];
	int rc;

	PROFILE_SPAN(op->name ? op->name : coll_kind_name(op->kind), "count", op->count, text);

	if (profile_on)
		describe(run, &call, text, sizeof(text));
	rc = prepare(run, &call);
	if (!rc && coll_passes(&call))
		rc = captured ? capture(comm, run, &call, &mark) :
				watched(comm, run, &call, &mark);
	coll_enqueue_failed(comm, rc, coll_kind_name(op->kind));

	return rc;
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
	bool captured = false;
	int rc = coll_gaudi(gaudi_stream_is_capturing(stream, &captured),
			    "a stream");

	if (rc)
		return rc;
	pthread_mutex_lock(&comm->run);
	rc = coll_may_enqueue(comm);
	if (!rc)
		rc = run_call(comm, &run, captured);
	pthread_mutex_unlock(&comm->run);

	return rc;
}
