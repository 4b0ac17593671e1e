// SPDX-License-Identifier: MIT
/*
 * Messages, of which both ranks have to have the same size. A note for each would take about as
 * long as a small message itself: so they are told of ten times a second, or when there are many,
 * or when who has received some asks for it.
 */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>

#include "control.h"
#include "messages.h"
#include "watch.h"
#include "../../deadline.h"

#define MOST_SIZES	(COLL_MESSAGE_SIZE / sizeof(uint64_t))
/* So long until the thread that hears has done so. */
#define HEAR_MS		1000

/* A socket that can be written to has room for far more than a note. */
void coll_messages_tell(struct coll_comm *comm, uint32_t i)
{
	struct coll_peer *peer = &comm->peers[i];
	struct pollfd pfd = { .fd = peer->fd, .events = POLLOUT };
	struct coll_note note;
	struct coll_mark mark;

	while (peer->untold.num && !peer->deaf && poll(&pfd, 1, 0) == 1) {
		coll_note_init(comm, &note, COLL_NOTE_SENDS);
		memset(note.sizes, 0, sizeof(note.sizes));
		note.taken = peer->taken;
		while (note.mark.count < MOST_SIZES &&
		       coll_marks_pop(&peer->untold, &mark))
			note.sizes[note.mark.count++] = mark.count;
		coll_note_put(comm, i, &note);
	}
}

/* With the lock: what is known of both sides. The first difference is in @text; or it is "". */
static void compare(struct coll_comm *comm, uint32_t i, char text[COLL_MESSAGE_SIZE])
{
	struct coll_peer *peer = &comm->peers[i];
	struct coll_mark sent, received;
	char link[COLL_LINK_TEXT];

	while (!*text && peer->announced.num && peer->received.num) {
		coll_marks_pop(&peer->announced, &sent);
		coll_marks_pop(&peer->received, &received);
		peer->pairs++;
		if (sent.count == received.count)
			peer->compared += !!sent.count;
		else
			snprintf(text, COLL_MESSAGE_SIZE,
				 "send %llu of rank %u to rank %u has %llu bytes, its receive %llu%s",
				 (unsigned long long)peer->pairs, i, comm->rank,
				 (unsigned long long)sent.count,
				 (unsigned long long)received.count,
				 coll_link_text(comm, i, link));
	}
}

/* What was found under the lock is told without it. */
static void fail_if(struct coll_comm *comm, bool no_memory, const char *text)
{
	if (*text)
		coll_comm_fail(comm, hcclInvalidUsage, true, "%s", text);
	else if (no_memory)
		coll_comm_fail(comm, hcclOutOfMemory, true,
			       "rank %u has no memory for what is sent", comm->rank);
}

void coll_control_message(struct coll_comm *comm, uint32_t i, bool send, uint64_t bytes)
{
	const struct coll_mark mark = { .kind = COLL_KINDS, .type = send, .count = bytes };
	struct coll_peer *peer = &comm->peers[i];
	char text[COLL_MESSAGE_SIZE] = "";
	bool good;

	pthread_mutex_lock(&comm->lock);
	good = coll_marks_push(send ? &peer->untold : &peer->received, &mark);
	if (!send)
		compare(comm, i, text);
	else if (peer->untold.num >= MOST_SIZES)
		coll_messages_tell(comm, i);
	pthread_mutex_unlock(&comm->lock);
	fail_if(comm, !good, text);
}

void coll_messages_take(struct coll_comm *comm, uint32_t i,
			const struct coll_note *note)
{
	struct coll_mark mark = { .kind = COLL_KINDS, .type = true };
	struct coll_peer *peer = &comm->peers[i];
	char text[COLL_MESSAGE_SIZE] = "";
	bool good = true;

	pthread_mutex_lock(&comm->lock);
	for (uint64_t k = 0; k < note->mark.count && k < MOST_SIZES; k++) {
		mark.count = note->sizes[k];
		good &= coll_marks_push(&peer->announced, &mark);
	}
	compare(comm, i, text);
	pthread_cond_broadcast(&comm->changed);
	pthread_mutex_unlock(&comm->lock);
	fail_if(comm, !good, text);
}

/* With the lock: has a message of this rank been received that has not been compared? */
static bool is_open(const struct coll_peer *peer)
{
	return peer->compared < peer->expected &&
	       gaudi_event_query(peer->from.order) != GAUDI_ERR_NOT_READY;
}

/* With the lock: who has to be waited for, or @ranks. @ask: all of those are asked. */
static uint32_t find_open(struct coll_comm *comm, bool ask)
{
	uint32_t open = comm->ranks;
	struct coll_note note;

	for (uint32_t i = 0; i < comm->ranks; i++) {
		if (!is_open(&comm->peers[i]))
			continue;
		open = i;
		if (!ask)
			continue;
		coll_note_init(comm, &note, COLL_NOTE_ASK);
		note.taken = comm->peers[i].taken;
		coll_note_put(comm, i, &note);
	}

	return open;
}

/* With the lock: the thread has heard what has come by now. */
static void hear(struct coll_comm *comm)
{
	struct timespec until = deadline_in_ms(HEAR_MS);
	uint64_t asked = ++comm->asked;
	int rc = eventfd_write(comm->wake, 1);

	while (!rc && comm->heard < asked && !atomic_load(&comm->failed))
		rc = pthread_cond_timedwait(&comm->changed, &comm->lock, &until);
}

void coll_control_hear(struct coll_comm *comm)
{
	struct timespec until = deadline_in_ms(comm->settings.timeout_ms);
	char link[COLL_LINK_TEXT] = "";
	uint32_t open;
	int rc = 0;

	pthread_mutex_lock(&comm->lock);
	if (comm->own.num)
		hear(comm);
	for (open = find_open(comm, true); open < comm->ranks && !rc && !atomic_load(&comm->failed);
	     open = find_open(comm, false))
		rc = pthread_cond_timedwait(&comm->changed, &comm->lock, &until);
	if (open < comm->ranks)
		coll_link_text(comm, open, link);
	pthread_mutex_unlock(&comm->lock);
	if (open < comm->ranks && rc)
		coll_comm_fail(comm, hcclSystemError, true,
			       "rank %u has sent to rank %u, but does not tell how much%s", open,
			       comm->rank, link);
}
