// SPDX-License-Identifier: MIT
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "far.h"
#include "../../deadline.h"
#include "../control/control.h"

enum what { GIVE = 1, AWAIT = 2 };

struct entry {
	unsigned int what;
	struct coll_message *message;	/* &own, or a mailbox's, which outlives the batch */
	struct coll_message own;
};

struct coll_batch {
	struct coll_comm *comm;
	bool captured;
	char call[COLL_MARK_TEXT];
	uint32_t num;
	struct entry entries[];
};

struct coll_batch *coll_batch_create(struct coll_comm *comm, uint32_t most)
{
	struct coll_batch *batch = calloc(1, sizeof(*batch) +
					  most * sizeof(batch->entries[0]));

	if (!batch) {
		coll_fail(-ENOMEM, "no memory for messages");
		return NULL;
	}
	batch->comm = comm;
	batch->captured = comm->captures;
	pthread_mutex_lock(&comm->lock);
	coll_mark_text(&comm->last, batch->call);
	pthread_mutex_unlock(&comm->lock);

	return batch;
}

void coll_batch_free(struct coll_batch *batch)
{
	free(batch);
}

bool coll_batch_is_empty(const struct coll_batch *batch)
{
	return !batch->num;
}

char *coll_far_mailbox(const struct coll_far_lane *lane, bool send, uint64_t number)
{
	uint64_t which = send ? number % COLL_MAILBOXES : COLL_MAILBOXES;

	return lane->mailboxes + which * COLL_MAILBOX_BYTES;
}

/*
 * A message's tag: who sends it, whether it is in a mailbox (of a send or receive, else it is
 * a collective's), whether it is a graph's; and 32 bits of its number among those.
 */
#define TAG_FROM	40
#define TAG_MAILBOX	(1ull << 39)
#define TAG_CAPTURED	(1ull << 38)

static struct entry *add(struct coll_batch *batch, uint32_t peer, bool send,
			 bool mailbox, uint64_t number)
{
	uint64_t from = send ? batch->comm->rank : peer;
	struct entry *entry = &batch->entries[batch->num++];

	entry->what = GIVE | AWAIT;
	entry->message = &entry->own;
	entry->own.peer = peer;
	entry->own.send = send;
	entry->own.tag = from << TAG_FROM | (mailbox ? TAG_MAILBOX : 0);
	entry->own.tag |= batch->captured ? TAG_CAPTURED : (uint32_t)number;

	return entry;
}

void coll_batch_exchange(struct coll_batch *batch, uint32_t peer, bool send,
			 uint64_t number, uint64_t bytes)
{
	const struct coll_far_lane *lane = coll_far_lane(batch->comm, peer);
	struct entry *entry = add(batch, peer, send, false, number);

	entry->own.at = send ? lane->out : lane->in;
	entry->own.bytes = bytes;
}

void coll_batch_mailbox(struct coll_batch *batch, uint32_t peer, bool send,
			uint64_t number, uint64_t bytes)
{
	struct coll_far_lane *lane = coll_far_lane(batch->comm, peer);
	struct entry *entry = add(batch, peer, send, true, number);

	entry->own.at = coll_far_mailbox(lane, send, number);
	entry->own.bytes = bytes;
	if (!send)
		return;
	entry->what = GIVE;
	entry->message = &lane->sent[number % COLL_MAILBOXES];
}

void coll_batch_reuse(struct coll_batch *batch, uint32_t peer, uint64_t number)
{
	struct entry *entry = &batch->entries[batch->num++];

	entry->what = AWAIT;
	entry->message = &coll_far_lane(batch->comm, peer)->sent[number % COLL_MAILBOXES];
	entry->own.peer = peer;
}

/* All ranks launch the same in the same order, so they count the same. */
static void number(struct coll_batch *batch)
{
	pthread_mutex_lock(&batch->comm->lock);
	for (uint32_t i = 0; i < batch->num; i++) {
		struct coll_message *own = &batch->entries[i].own;
		bool mailbox = own->tag & TAG_MAILBOX;

		if (batch->entries[i].what & GIVE)
			own->tag = (own->tag & ~(uint64_t)UINT32_MAX) |
				   batch->comm->peers[own->peer].far->launched[mailbox][own->send]++;
	}
	pthread_mutex_unlock(&batch->comm->lock);
}

/* For who looks at what takes too long. */
static void note_awaited(struct coll_batch *batch, uint32_t peer)
{
	pthread_mutex_lock(&batch->comm->lock);
	batch->comm->awaited = peer;
	pthread_mutex_unlock(&batch->comm->lock);
}

/* On the stream's thread. */
static int carry(struct coll_batch *batch, uint32_t *peer)
{
	struct coll_fabric *fabric = batch->comm->fabric;
	int rc = 0;

	if (batch->captured)
		number(batch);

	for (uint32_t i = 0; i < batch->num; i++) {
		struct entry *entry = &batch->entries[i];

		if (!(entry->what & GIVE))
			continue;
		*entry->message = entry->own;
		coll_fabric_give(fabric, entry->message);
	}
	for (uint32_t i = 0; !rc && i < batch->num; i++) {
		struct entry *entry = &batch->entries[i];

		*peer = entry->own.peer;
		if (!(entry->what & AWAIT))
			continue;
		if (batch->captured)
			note_awaited(batch, *peer);
		rc = coll_fabric_await(fabric, entry->message);
	}

	return rc;
}

/* One batch more, unless the communicator is gone. */
static bool enter(struct coll_comm *comm, bool launched)
{
	bool gone;

	pthread_mutex_lock(&comm->lock);
	gone = comm->gone;
	comm->batches += !gone;
	comm->launched += launched && !gone;
	pthread_mutex_unlock(&comm->lock);

	return !gone;
}

/* One less: the communicator may be gone behind this. */
static void leave(struct coll_comm *comm, bool launched)
{
	pthread_mutex_lock(&comm->lock);
	comm->batches--;
	comm->launched -= launched;
	comm->launched_ended += launched;
	pthread_cond_broadcast(&comm->changed);
	pthread_mutex_unlock(&comm->lock);
}

/*
 * Who calls something else sends another size. Ranks are about to hear what each has called,
 * which says more.
 */
static void await_marks(struct coll_comm *comm)
{
	struct timespec until = deadline_in_ms(2000);
	int rc = 0;

	pthread_mutex_lock(&comm->lock);
	while (!rc && !atomic_load(&comm->failed))
		rc = pthread_cond_timedwait(&comm->changed, &comm->lock, &until);
	pthread_mutex_unlock(&comm->lock);
}

static void carry_fn(void *arg, int error)
{
	struct coll_batch *batch = arg;
	struct coll_comm *comm = batch->comm;
	char why[COLL_MESSAGE_SIZE / 2];
	uint32_t peer = 0;
	int rc;

	if (batch->captured && !enter(comm, true)) {
		gaudi_host_fn_fail(GAUDI_ERR_LINK, "the communicator is gone");
		return;
	}
	if (error) {
		coll_comm_fail(comm, hcclStreamError, true, "%s: the stream of rank %u has failed: %s",
			       batch->call, comm->rank, gaudi_strerror(error));
	} else {
		rc = carry(batch, &peer);
		snprintf(why, sizeof(why), "%s", coll_message());
		if (rc == -EMSGSIZE)
			await_marks(comm);
		if (rc)
			coll_comm_fail(comm, hcclLibfabricError, true, "%s, between ranks %u and %u: %s",
				       batch->call, comm->rank, peer, why);
		/* Nobody goes on with data that never came. */
		if (rc)
			gaudi_host_fn_fail(GAUDI_ERR_LINK, comm->why);
	}
	leave(comm, batch->captured);
}

/* Of those that were called, the communicator may be gone. */
static void release(void *arg)
{
	struct coll_batch *batch = arg;

	if (batch->captured)
		coll_comm_put(batch->comm);
	free(batch);
}

int coll_batch_post(struct coll_batch *batch, struct gaudi_stream *stream)
{
	struct coll_comm *comm = batch->comm;
	int rc;

	if (batch->captured)
		coll_comm_get(comm);
	else
		enter(comm, false);
	rc = coll_gaudi(gaudi_stream_add_owned_fn(stream, carry_fn, batch, release),
			"messages");
	if (rc && !batch->captured)
		leave(comm, false);
	if (rc)
		release(batch);

	return rc;
}
