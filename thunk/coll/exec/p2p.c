// SPDX-License-Identifier: MIT
/*
 * Sends and receives. A message is cut into pieces of the size of a mailbox, of which the receiver
 * has a few for each peer. Messages of a call go on in rounds, a mailbox of each channel at a time.
 * If there are several rounds, channels have them on streams of the communicator's own: few
 * channels do not wait for each other, whatever the peers wait for, and many do as the peers' do.
 * Mailboxes for a peer in another box are pinned memory, and free again when their message has
 * been sent.
 *
 * Graphs do theirs at any time: so those have links and mailboxes of their own, all of which are
 * free before and behind each message.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "exec_priv.h"
#include "../control/control.h"
#include "far.h"
#include "gaudi_graph.h"

/* More rounds than these are given to the stream's own thread, in its time. */
#define AT_ONCE		8u

/* What is left of a transfer. */
struct part {
	const struct coll_transfer *transfer;
	uint64_t done;
	bool turn;		/* it has a mailbox in this round */
	uint32_t own;		/* which of the communicator's own streams has it */
};

struct move {
	struct coll_comm *comm;
	struct gaudi_stream *stream;
	struct part *parts;
	uint32_t count;
	struct gaudi_link_op *ops;	/* one for each part, and one more */
	uint32_t num_ops;
	struct coll_channel *captured;	/* a graph's: of the peers, to them and from them */
};

static struct gaudi_link *link_of(const struct coll_comm *comm, uint32_t peer,
				  bool send)
{
	bool up = send ? comm->rank < peer : peer < comm->rank;

	if (comm->captures)
		return comm->peers[peer].links[up ? COLL_LINK_CAPTURED_UP :
						    COLL_LINK_CAPTURED_DOWN];

	return comm->peers[peer].links[up ? COLL_LINK_UP : COLL_LINK_DOWN];
}

static struct coll_channel *channel_of(struct move *move,
				       const struct coll_transfer *transfer)
{
	struct coll_peer *peer = &move->comm->peers[transfer->peer];

	if (move->captured)
		return &move->captured[2 * transfer->peer + transfer->send];

	return transfer->send ? &peer->to : &peer->from;
}

static uint64_t mailbox_bytes(const struct part *part)
{
	uint64_t left = part->transfer->bytes - part->done;

	return left < COLL_MAILBOX_BYTES ? left : COLL_MAILBOX_BYTES;
}

static int flush(struct move *move)
{
	uint32_t num = move->num_ops;

	move->num_ops = 0;
	if (!num)
		return 0;

	return coll_gaudi(gaudi_link_post_async(move->stream, move->ops, num),
			  "a transfer");
}

static struct gaudi_link_op *add(struct move *move, const struct part *part,
				 uint32_t kind)
{
	struct gaudi_link_op *op = &move->ops[move->num_ops++];

	*op = (struct gaudi_link_op) {
		.link = link_of(move->comm, part->transfer->peer,
				part->transfer->send),
		.kind = kind,
		.flags = kind == GAUDI_LINK_WRITE ? GAUDI_LINK_NOTIFY : 0,
		.count = kind == GAUDI_LINK_WAIT ? 1 : 0,
	};

	return op;
}

/* The first of each channel that has something left. */
static bool take_turns(struct move *move)
{
	uint64_t taken[2] = {};
	bool any = false;

	for (uint32_t i = 0; i < move->count; i++) {
		struct part *part = &move->parts[i];
		uint64_t bit = 1ull << part->transfer->peer;

		part->turn = part->done < part->transfer->bytes &&
			     !(taken[part->transfer->send] & bit);
		if (!part->turn)
			continue;
		taken[part->transfer->send] |= bit;
		any = true;
	}

	return any;
}

static struct coll_far *far_of(const struct move *move, const struct part *part)
{
	return move->comm->peers[part->transfer->peer].far;
}

/* A batch that has anything in it is the stream's, else it is freed. */
static int end_batch(struct move *move, struct coll_batch *batch)
{
	if (!batch)
		return 0;
	if (!coll_batch_is_empty(batch))
		return coll_batch_post(batch, move->stream);
	coll_batch_free(batch);

	return 0;
}

static int begin_batch(struct move *move, uint32_t most, struct coll_batch **batch)
{
	*batch = NULL;
	if (move->comm->fabric)
		*batch = coll_batch_create(move->comm, most);

	return move->comm->fabric && !*batch ? -ENOMEM : 0;
}

/*
 * How many mailboxes have to be given back before this round. A graph's messages begin with the
 * first one, since the peer may have them in other groups; unless it is in another box, where no
 * mailbox is the peer's.
 */
static uint32_t take_back(const struct move *move, const struct part *part,
			  struct coll_channel *c)
{
	uint64_t missing = c->mailboxes - c->given_back;
	bool is_full = part->transfer->send && missing >= COLL_MAILBOXES;

	if (!move->captured || part->done || far_of(move, part)) {
		c->given_back += is_full;
		return is_full;
	}
	c->mailboxes = 0;
	c->given_back = 0;

	return part->transfer->send ? (uint32_t)missing : 0;
}

/* Mailboxes that are written in this round have been given back. */
static int await_mailboxes(struct move *move)
{
	struct coll_batch *batch;
	int rc = begin_batch(move, move->count, &batch);

	for (uint32_t i = 0; !rc && i < move->count; i++) {
		struct part *part = &move->parts[i];
		struct coll_channel *c = channel_of(move, part->transfer);
		uint32_t missing = part->turn ? take_back(move, part, c) : 0;

		if (!missing)
			continue;
		if (far_of(move, part))
			coll_batch_reuse(batch, part->transfer->peer, c->mailboxes);
		else
			add(move, part, GAUDI_LINK_WAIT)->count = missing;
	}
	if (!rc)
		rc = flush(move);
	if (!rc)
		return end_batch(move, batch);
	coll_batch_free(batch);

	return rc;
}

/* This round's mailboxes to and from other boxes. */
static int exchange_far(struct move *move)
{
	struct coll_batch *batch;
	int rc = begin_batch(move, move->count, &batch);

	for (uint32_t i = 0; batch && !rc && i < move->count; i++) {
		struct part *part = &move->parts[i];
		const struct coll_transfer *t = part->transfer;
		struct coll_channel *c = channel_of(move, t);

		if (!part->turn || !far_of(move, part))
			continue;
		coll_batch_mailbox(batch, t->peer, t->send, c->mailboxes, mailbox_bytes(part));
		if (t->send)
			rc = coll_gaudi(gaudi_copy_to_host_async(move->stream,
					coll_far_mailbox(coll_far_lane(move->comm, t->peer),
							 true, c->mailboxes),
					t->at + part->done, mailbox_bytes(part)),
					"a transfer");
	}
	if (!rc)
		return end_batch(move, batch);
	coll_batch_free(batch);

	return rc;
}

static int exchange(struct move *move)
{
	for (uint32_t i = 0; i < move->count; i++) {
		struct part *part = &move->parts[i];
		const struct coll_transfer *t = part->transfer;
		struct coll_channel *c = channel_of(move, t);
		struct gaudi_link_op *op;

		if (!part->turn || far_of(move, part))
			continue;
		if (!t->send) {
			add(move, part, GAUDI_LINK_WAIT);
			continue;
		}
		op = add(move, part, GAUDI_LINK_WRITE);
		op->from = t->at + part->done;
		op->bytes = mailbox_bytes(part);
		op->to = move->comm->peers[t->peer].staging +
			 coll_mailbox_offset(move->comm, move->comm->rank, c->mailboxes);
	}

	return flush(move);
}

static int empty_mailboxes(struct move *move)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < move->count; i++) {
		struct part *part = &move->parts[i];
		const struct coll_transfer *t = part->transfer;
		struct coll_channel *c = channel_of(move, t);

		if (!part->turn)
			continue;
		if (!t->send && far_of(move, part)) {
			rc = coll_gaudi(gaudi_copy_to_device_async(move->stream,
					t->at + part->done,
					coll_far_mailbox(coll_far_lane(move->comm, t->peer),
							 false, 0),
					mailbox_bytes(part)), "a transfer");
		} else if (!t->send) {
			rc = coll_gaudi(gaudi_copy_device_async(move->stream,
					t->at + part->done, move->comm->staging +
					coll_mailbox_offset(move->comm, t->peer, c->mailboxes),
					mailbox_bytes(part)), "a transfer");
			add(move, part, GAUDI_LINK_WRITE);
		}
		part->done += mailbox_bytes(part);
		c->mailboxes++;
	}

	return rc ? rc : flush(move);
}

/*
 * To itself: each receive takes the next send.
 */
static int copy_own(struct move *move)
{
	uint32_t out = 0, rank = move->comm->rank;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < move->count; i++) {
		struct part *in = &move->parts[i];
		const struct coll_transfer *from;

		if (in->transfer->peer != rank || in->transfer->send)
			continue;
		while (move->parts[out].transfer->peer != rank ||
		       !move->parts[out].transfer->send)
			out++;
		from = move->parts[out].transfer;
		if (from->at != in->transfer->at)
			rc = coll_gaudi(gaudi_copy_device_async(move->stream,
					in->transfer->at, from->at, from->bytes),
					"a transfer to itself");
		in->done = in->transfer->bytes;
		move->parts[out++].done = from->bytes;
	}

	return rc;
}

/* As many to itself as from itself, of the same sizes. */
static int check_own(const struct coll_comm *comm,
		     const struct coll_transfer *transfers, uint32_t count)
{
	uint32_t in = 0, out = 0;

	for (;; in++, out++) {
		while (in < count && (transfers[in].peer != comm->rank ||
				      transfers[in].send))
			in++;
		while (out < count && (transfers[out].peer != comm->rank ||
				       !transfers[out].send))
			out++;
		if (in == count && out == count)
			return 0;
		if (in == count || out == count ||
		    transfers[in].bytes != transfers[out].bytes)
			return coll_fail(-EINVAL, "a rank's sends to itself and its receives do not match");
	}
}

/* Each channel's work comes in the order of calls, whatever the streams. */
static int order(struct move *move, bool behind)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < move->count; i++) {
		const struct coll_transfer *t = move->parts[i].transfer;
		struct coll_channel *c = channel_of(move, t);

		if (t->peer == move->comm->rank)
			continue;
		if (!behind && c->stream && c->stream != move->stream)
			rc = gaudi_stream_wait_event(move->stream, c->order);
		if (behind)
			rc = gaudi_event_record(c->order, move->stream);
		c->stream = move->stream;
	}

	return coll_gaudi(rc, "a transfer");
}

/* A mailbox of each channel at a time. */
static int run_rounds(struct move *move)
{
	int rc = copy_own(move);

	while (!rc && take_turns(move)) {
		rc = await_mailboxes(move);
		if (!rc)
			rc = exchange(move);
		if (!rc)
			rc = exchange_far(move);
		if (!rc)
			rc = empty_mailboxes(move);
	}

	return rc;
}

static int run(struct move *move)
{
	const uint32_t kinds = 1u << COLL_LINK_UP | 1u << COLL_LINK_DOWN;
	uint64_t rounds = 0;
	int rc = 0;

	for (uint32_t i = 0; i < move->count; i++)
		rounds += move->parts[i].transfer->bytes / COLL_MAILBOX_BYTES + 1;
	if (rounds > AT_ONCE * move->count)
		rc = coll_gaudi(gaudi_stream_add_host_fn(move->stream,
							 coll_nothing, NULL),
				"a stream");
	if (!rc)
		rc = coll_queue_wait(move->comm, kinds, move->stream);
	atomic_store(&move->comm->moved, true);
	if (!rc)
		rc = order(move, false);
	if (!rc)
		rc = run_rounds(move);

	return rc ? rc : order(move, true);
}

/*
 * Sets
 */
static bool is_of(const struct move *move, const struct part *part,
		  const struct part *first)
{
	return part->transfer->peer != move->comm->rank &&
	       part->transfer->peer == first->transfer->peer &&
	       part->transfer->send == first->transfer->send;
}

/* Does a channel have more than a mailbox, or wait for a free one, beside another channel? */
static bool has_rounds(struct move *move)
{
	const struct part *first = NULL;
	bool several = false, rounds = false;

	for (uint32_t i = 0; i < move->count; i++) {
		const struct part *part = &move->parts[i];
		struct coll_channel *c = channel_of(move, part->transfer);
		uint32_t same = 0;

		if (part->transfer->peer == move->comm->rank)
			continue;
		for (uint32_t j = 0; j < move->count; j++)
			same += is_of(move, &move->parts[j], part);
		first = first ? first : part;
		several |= !is_of(move, part, first);
		rounds |= same > 1 || part->transfer->bytes > COLL_MAILBOX_BYTES ||
			  (part->transfer->send && c->mailboxes - c->given_back >= COLL_MAILBOXES);
	}

	return several && rounds;
}

/*
 * Each channel of a set on a stream of its own, if there are so few. More would share hardware
 * streams, and all of one that came first would hold up the other, in another order on each rank:
 * then those to every other peer go on one, and those from them, in rounds. Both ranks of a pair
 * count alike, so ranks with the same groups come to each round, one after the other, however many
 * peers each one has; and what is received does not wait for what is sent.
 */
static void choose_streams(struct move *move)
{
	uint32_t channels = 0;

	for (uint32_t i = 0; i < move->count; i++) {
		struct part *part = &move->parts[i];
		uint32_t before = 0;

		if (part->transfer->peer == move->comm->rank)
			continue;
		while (before < i && !is_of(move, &move->parts[before], part))
			before++;
		part->own = before < i ? move->parts[before].own : channels++;
	}
	for (uint32_t i = 0; channels > COLL_OWN_STREAMS && i < move->count; i++) {
		const struct coll_transfer *t = move->parts[i].transfer;

		move->parts[i].own = 2 * t->send + ((move->comm->rank ^ t->peer) & 1);
	}
}

/* All of the set that are on this one of the communicator's own streams. */
static int run_own(struct move *move, uint32_t own)
{
	struct coll_comm *comm = move->comm;
	struct move of = { .comm = comm, .stream = comm->own_streams[own], .ops = move->ops };
	int rc = 0;

	of.parts = calloc(move->count, sizeof(*of.parts));
	if (!of.parts)
		return coll_fail(-ENOMEM, "no memory for %u transfers", move->count);
	for (uint32_t i = 0; i < move->count; i++)
		if (move->parts[i].own == own &&
		    move->parts[i].transfer->peer != comm->rank)
			of.parts[of.count++].transfer = move->parts[i].transfer;
	if (of.count) {
		rc = coll_gaudi(gaudi_stream_wait_event(of.stream, comm->fork),
				"a transfer");
		if (!rc)
			rc = run(&of);
		/* The last one's event is behind all of them. */
		if (!rc)
			rc = coll_gaudi(gaudi_stream_wait_event(move->stream,
					channel_of(&of, of.parts[of.count - 1].transfer)->order),
					"a transfer");
	}
	free(of.parts);

	return rc;
}

static int create_own_streams(struct coll_comm *comm)
{
	if (comm->own_streams[0])
		return 0;

	return coll_gaudi(gaudi_stream_create_apart(comm->device, COLL_OWN_STREAMS,
						    comm->own_streams),
			  "streams for transfers");
}

static int run_set(struct move *move)
{
	int rc;

	if (!has_rounds(move))
		return run(move);
	rc = create_own_streams(move->comm);
	if (!rc)
		rc = copy_own(move);
	if (!rc)
		rc = coll_gaudi(gaudi_event_record(move->comm->fork, move->stream),
				"a transfer");
	choose_streams(move);
	for (uint32_t i = 0; !rc && i < COLL_OWN_STREAMS; i++)
		rc = run_own(move, i);

	return rc;
}

static struct coll_mark mark_of(const struct move *move, uint64_t *peers)
{
	struct coll_mark mark = { .kind = COLL_KINDS };
	bool in = false, out = false;

	*peers = 0;
	for (uint32_t i = 0; i < move->count; i++) {
		const struct coll_transfer *t = move->parts[i].transfer;

		if (t->peer == move->comm->rank)
			continue;
		*peers |= 1ull << t->peer;
		in |= !t->send;
		out |= t->send;
		mark.count += t->bytes;
	}
	mark.type = in && out ? 2 : out;

	return mark;
}

/* Those to itself alone have nobody to wait for. */
static int watched(struct move *move)
{
	struct coll_watch *watch;
	uint64_t peers;
	struct coll_mark mark = mark_of(move, &peers);
	int rc;

	if (!peers)
		return run(move);
	rc = coll_watch_begin(move->comm, &mark, peers, move->stream, &watch);
	if (!rc)
		rc = run_set(move);

	return coll_watch_end(move->comm, watch, move->stream, rc);
}

/* What the others are told of, and what they have to call for. */
static void count_mailboxes(struct coll_comm *comm)
{
	pthread_mutex_lock(&comm->lock);
	for (uint32_t i = 0; i < comm->ranks; i++) {
		comm->peers[i].sent = comm->peers[i].to.mailboxes;
		comm->peers[i].taken = comm->peers[i].from.mailboxes;
		comm->peers[i].expected = comm->peers[i].from.messages;
	}
	pthread_mutex_unlock(&comm->lock);
}

/* All that has been sent there has arrived. */
static void put_all_sent(struct coll_batch *batch, uint32_t peer, struct coll_channel *c)
{
	for (; c->given_back < c->mailboxes; c->given_back++)
		coll_batch_reuse(batch, peer, c->given_back);
}

/* All mailboxes of what was sent are free again. */
static int await_all_mailboxes(struct move *move)
{
	struct coll_batch *batch;
	int rc = begin_batch(move, COLL_MAILBOXES * move->count, &batch);

	for (uint32_t i = 0; !rc && i < move->count; i++) {
		const struct part *part = &move->parts[i];
		struct coll_channel *c = channel_of(move, part->transfer);

		if (!part->transfer->send || c->given_back == c->mailboxes)
			continue;
		if (far_of(move, part)) {
			put_all_sent(batch, part->transfer->peer, c);
			continue;
		}
		add(move, part, GAUDI_LINK_WAIT)->count =
			(uint32_t)(c->mailboxes - c->given_back);
		c->given_back = c->mailboxes;
	}
	if (!rc)
		rc = flush(move);
	if (!rc)
		return end_batch(move, batch);
	coll_batch_free(batch);

	return rc;
}

static int capture(struct move *move)
{
	struct coll_comm *comm = move->comm;
	int rc;

	move->captured = calloc(2 * comm->ranks, sizeof(*move->captured));
	if (!move->captured)
		return coll_fail(-ENOMEM, "no memory for %u transfers", move->count);
	comm->captures = true;
	atomic_store(&comm->captured, true);
	rc = run_rounds(move);
	if (!rc)
		rc = await_all_mailboxes(move);
	comm->captures = false;
	free(move->captured);

	return rc;
}

/*
 * Nobody waits for a message of nothing, and its other side may be missing: but where there
 * is one, that has nothing either.
 */
static int announce(struct move *move)
{
	struct coll_comm *comm = move->comm;

	for (uint32_t i = 0; i < move->count; i++) {
		const struct coll_transfer *t = move->parts[i].transfer;

		if (t->peer == comm->rank)
			continue;
		coll_control_message(comm, t->peer, t->send, t->bytes);
		channel_of(move, t)->messages += !!t->bytes;
	}

	return coll_may_enqueue(comm);
}

static int call(struct move *move)
{
	int rc = announce(move);

	if (!rc)
		rc = watched(move);

	count_mailboxes(move->comm);
	atomic_store(&move->comm->transfers, true);
	coll_enqueue_failed(move->comm, rc, "a transfer");

	return rc;
}

int coll_transfer(struct coll_comm *comm, struct gaudi_stream *stream,
		  const struct coll_transfer *transfers, uint32_t count)
{
	struct move move = { .comm = comm, .stream = stream, .count = count };
	bool captured = false;
	int rc = coll_gaudi(gaudi_stream_is_capturing(stream, &captured),
			    "a stream");

	if (!rc)
		rc = check_own(comm, transfers, count);
	if (rc)
		return rc;
	move.parts = calloc(count, sizeof(*move.parts));
	move.ops = calloc(count, sizeof(*move.ops));
	if (!move.parts || !move.ops)
		rc = coll_fail(-ENOMEM, "no memory for %u transfers", count);
	for (uint32_t i = 0; !rc && i < count; i++)
		move.parts[i].transfer = &transfers[i];
	pthread_mutex_lock(&comm->run);
	if (!rc)
		rc = coll_may_enqueue(comm);
	if (!rc)
		rc = captured ? capture(&move) : call(&move);
	pthread_mutex_unlock(&comm->run);
	free(move.parts);
	free(move.ops);

	return rc;
}

static int finish_far(struct coll_comm *comm, struct gaudi_stream *stream,
		      uint32_t peer)
{
	struct coll_channel *c = &comm->peers[peer].to;
	struct coll_batch *batch = coll_batch_create(comm, COLL_MAILBOXES);

	if (!batch)
		return -ENOMEM;
	put_all_sent(batch, peer, c);

	return coll_batch_post(batch, stream);
}

int coll_transfers_finish(struct coll_comm *comm, struct gaudi_stream *stream)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < comm->ranks; i++) {
		struct coll_channel *c = &comm->peers[i].to;
		uint32_t missing = (uint32_t)(c->mailboxes - c->given_back);

		if (i == comm->rank || !missing)
			continue;
		if (comm->peers[i].far) {
			rc = finish_far(comm, stream, i);
			continue;
		}
		rc = coll_gaudi(gaudi_link_wait_async(stream, link_of(comm, i, true),
						      missing), "a transfer");
		c->given_back = c->mailboxes;
	}

	return rc;
}
