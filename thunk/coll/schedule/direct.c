// SPDX-License-Identifier: MIT
/*
 * Direct: each rank talks to all others at the same time, over a wire of its own for each.
 * A chunk is summed in the order of ranks, in one go, so that narrow types are rounded
 * once.
 */
#include "algorithms.h"

/* All others, beginning with the next one, so that not all write to the same. */
#define FOR_EACH_PEER(call, peer)					\
	for (uint32_t i_ = 1, peer; i_ < (call)->ranks &&		\
	     (peer = ((call)->rank + i_) % (call)->ranks, true); i_++)

/* What the others sent, and this rank's own, in the order of ranks. */
static void reduce_slots(const struct coll_call *call, struct coll_schedule *s,
			 struct coll_ref to, struct coll_ref own, uint64_t count)
{
	for (uint32_t i = 0; i < call->ranks; i++)
		coll_operand(s, i == call->rank ? own : coll_slot(i));
	coll_reduce(s, to, count);
}

/* Each rank sums a chunk of the pass. */
static void sum_chunks(const struct coll_call *call, struct coll_part all,
		       struct coll_ref to, struct coll_schedule *s)
{
	struct coll_part own = coll_chunk_of(call, all, call->rank);

	coll_exchange(s);
	FOR_EACH_PEER(call, peer) {
		struct coll_part part = coll_chunk_of(call, all, peer);

		coll_send(s, peer, coll_at(COLL_SEND, part.at), part.count);
		coll_receive(s, peer, own.count);
	}
	reduce_slots(call, s, to, coll_at(COLL_SEND, own.at),
		     own.count);
}

/* What the others sent of their sums, where it belongs. */
static void collect_chunks(const struct coll_call *call, struct coll_part all,
			   struct coll_schedule *s)
{
	FOR_EACH_PEER(call, peer) {
		struct coll_part part = coll_chunk_of(call, all, peer);

		coll_copy(s, coll_at(COLL_RECV, part.at), coll_slot(peer),
			  part.count);
	}
}

static void allreduce(const struct coll_call *call, struct coll_part all,
		      struct coll_schedule *s)
{
	struct coll_part own = coll_chunk_of(call, all, call->rank);

	if (call->count <= call->small && call->count <= call->row) {
		coll_exchange(s);
		FOR_EACH_PEER(call, peer) {
			coll_send(s, peer, coll_at(COLL_SEND, all.at), all.count);
			coll_receive(s, peer, all.count);
		}
		reduce_slots(call, s, coll_at(COLL_RECV, all.at),
			     coll_at(COLL_SEND, all.at), all.count);
		return;
	}
	sum_chunks(call, all, coll_at(COLL_RECV, own.at), s);
	coll_exchange(s);
	FOR_EACH_PEER(call, peer) {
		coll_send(s, peer, coll_at(COLL_RECV, own.at), own.count);
		coll_receive(s, peer, coll_chunk_of(call, all, peer).count);
	}
	collect_chunks(call, all, s);
}

static void reduce(const struct coll_call *call, struct coll_part all,
		   struct coll_schedule *s)
{
	struct coll_part own = coll_chunk_of(call, all, call->rank);

	sum_chunks(call, all, call->rank == call->root ?
		   coll_at(COLL_RECV, own.at) : coll_at(COLL_WORK, 0), s);
	coll_exchange(s);
	if (call->rank != call->root) {
		coll_send(s, call->root, coll_at(COLL_WORK, 0), own.count);
		return;
	}
	FOR_EACH_PEER(call, peer)
		coll_receive(s, peer, coll_chunk_of(call, all, peer).count);
	collect_chunks(call, all, s);
}

static void reduce_scatter(const struct coll_call *call, struct coll_part part,
			   struct coll_schedule *s)
{
	coll_exchange(s);
	FOR_EACH_PEER(call, peer) {
		coll_send(s, peer, coll_at(COLL_SEND, peer * call->count + part.at),
			  part.count);
		coll_receive(s, peer, part.count);
	}
	reduce_slots(call, s, coll_at(COLL_RECV, part.at),
		     coll_at(COLL_SEND, call->rank * call->count + part.at),
		     part.count);
}

/* Allgather: the same part for all; alltoall: one for each. */
static void gather(const struct coll_call *call, struct coll_part part,
		   struct coll_schedule *s)
{
	uint64_t apart = call->kind == COLL_ALLTOALL ? call->count : 0;

	coll_exchange(s);
	FOR_EACH_PEER(call, peer) {
		coll_send(s, peer, coll_at(COLL_SEND, peer * apart + part.at),
			  part.count);
		coll_receive(s, peer, part.count);
	}
	coll_copy(s, coll_at(COLL_RECV, call->rank * call->count + part.at),
		  coll_at(COLL_SEND, call->rank * apart + part.at), part.count);
	FOR_EACH_PEER(call, peer)
		coll_copy(s, coll_at(COLL_RECV, peer * call->count + part.at),
			  coll_slot(peer), part.count);
}

static void broadcast(const struct coll_call *call, struct coll_part part,
		      struct coll_schedule *s)
{
	coll_exchange(s);
	if (call->rank == call->root) {
		FOR_EACH_PEER(call, peer)
			coll_send(s, peer, coll_at(COLL_SEND, part.at),
				  part.count);
		coll_copy(s, coll_at(COLL_RECV, part.at),
			  coll_at(COLL_SEND, part.at), part.count);
		return;
	}
	coll_receive(s, call->root, part.count);
	coll_copy(s, coll_at(COLL_RECV, part.at), coll_slot(call->root),
		  part.count);
}

static void barrier(const struct coll_call *call, struct coll_schedule *s)
{
	coll_exchange(s);
	FOR_EACH_PEER(call, peer) {
		coll_send(s, peer, coll_at(COLL_SEND, 0), 0);
		coll_receive(s, peer, 0);
	}
}

void coll_make_direct(const struct coll_call *call, uint64_t pass,
		      struct coll_schedule *s)
{
	struct coll_part part = coll_pass_of(call, pass);

	switch (call->kind) {
	case COLL_ALLREDUCE:
		allreduce(call, part, s);
		break;
	case COLL_REDUCE:
		reduce(call, part, s);
		break;
	case COLL_REDUCE_SCATTER:
		reduce_scatter(call, part, s);
		break;
	case COLL_BROADCAST:
		broadcast(call, part, s);
		break;
	case COLL_BARRIER:
		barrier(call, s);
		break;
	default:
		gather(call, part, s);
		break;
	}
}
