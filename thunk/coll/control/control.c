// SPDX-License-Identifier: MIT
/*
 * Ranks watch each other over their connections. A thread for each communicator hears what
 * the others call, that they live, that one has failed or ended; and looks whether a
 * collective takes too long (watch.c). What fails gives up all links, so that no stream waits
 * for ever.
 */
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "control.h"
#include "messages.h"
#include "watch.h"
#include "../../deadline.h"
#include "../base/net.h"
#include "../meet/meet.h"

#define NOTE_MAGIC	0x65746f6eu
#define TICK_MS		100
#define ALIVE_MS	1000
/* A peer that takes no note for so long gets no more. */
#define SEND_MS		2000
/* Most of the half second in which a port sends again what nobody acknowledges. */
#define LINGER_MS	300

void coll_note_put(struct coll_comm *comm, uint32_t peer,
		     const struct coll_note *note)
{
	struct coll_peer *p = &comm->peers[peer];

	if (p->fd >= 0 && !p->deaf)
		p->deaf = coll_put(p->fd, note, sizeof(*note),
				   coll_now_ms() + SEND_MS);
}

void coll_note_init(const struct coll_comm *comm, struct coll_note *note,
		    enum coll_note_kind kind)
{
	*note = (struct coll_note) {
		.magic = NOTE_MAGIC,
		.kind = kind,
		.rank = comm->rank,
		.mark.seq = comm->seq,
	};
}

static void send_notes(struct coll_comm *comm, enum coll_note_kind kind,
		       hcclResult_t error, const char *text)
{
	struct coll_note note;

	coll_note_init(comm, &note, kind);
	note.error = error;
	snprintf(note.text, sizeof(note.text), "%s", text);
	for (uint32_t i = 0; i < comm->ranks; i++) {
		note.taken = comm->peers[i].taken;
		note.mark.count = comm->peers[i].untold.num;
		coll_note_put(comm, i, &note);
	}
}

/*
 * Failures
 */
static void fail_locked(struct coll_comm *comm, hcclResult_t error, bool spread,
			const char *text)
{
	if (atomic_load(&comm->failed))
		return;
	comm->error = error;
	snprintf(comm->why, sizeof(comm->why), "%s", text);
	comm->failed_ms = coll_now_ms();
	atomic_store(&comm->failed, true);
	pthread_cond_broadcast(&comm->changed);
	if (spread)
		send_notes(comm, COLL_NOTE_ERROR, error, text);
}

void coll_comm_fail(struct coll_comm *comm, hcclResult_t error, bool spread,
		    const char *format, ...)
{
	char text[COLL_MESSAGE_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	pthread_mutex_lock(&comm->lock);
	fail_locked(comm, error, spread, text);
	pthread_mutex_unlock(&comm->lock);
	coll_wires_abort(comm);
}

/* What a rank is, or was last, at: for messages. */
static const char *at_what(const struct coll_comm *comm, char *text)
{
	const struct coll_mark *mark = coll_watch_at(comm);

	if (mark)
		return coll_mark_text(mark, text);
	snprintf(text, COLL_MARK_TEXT, "none, %llu have ended",
		 (unsigned long long)comm->seq);

	return text;
}

/*
 * What ranks call
 */

/* With the lock; NULL, or what is wrong, in @text. */
static const char *compare(const struct coll_comm *comm,
			   const struct coll_mark *own,
			   const struct coll_mark *other,
			   char text[COLL_MESSAGE_SIZE])
{
	char a[COLL_MARK_TEXT], b[COLL_MARK_TEXT];
	uint32_t before = (comm->rank + comm->ranks - 1) % comm->ranks;

	if (!memcmp(own, other, sizeof(*own)))
		return NULL;
	snprintf(text, COLL_MESSAGE_SIZE, "rank %u calls %s, rank %u %s", before,
		 coll_mark_text(other, a), comm->rank, coll_mark_text(own, b));

	return text;
}

void coll_control_call(struct coll_comm *comm, struct coll_mark *mark)
{
	char text[COLL_MESSAGE_SIZE];
	const char *wrong = NULL;
	struct coll_mark other;
	struct coll_note note;

	pthread_mutex_lock(&comm->lock);
	mark->seq = ++comm->seq;
	comm->last = *mark;
	if (comm->ranks > 1) {
		coll_note_init(comm, &note, COLL_NOTE_CALL);
		note.mark = *mark;
		coll_note_put(comm, (comm->rank + 1) % comm->ranks, &note);
		if (coll_marks_pop(&comm->before, &other))
			wrong = compare(comm, mark, &other, text);
		else if (!coll_marks_push(&comm->own, mark))
			wrong = "no memory for what is called";
	}
	pthread_mutex_unlock(&comm->lock);
	if (wrong)
		coll_comm_fail(comm, hcclInvalidUsage, true, "%s", wrong);
}

static void take_call(struct coll_comm *comm, const struct coll_mark *other)
{
	char text[COLL_MESSAGE_SIZE];
	const char *wrong = NULL;
	struct coll_mark own;

	pthread_mutex_lock(&comm->lock);
	if (coll_marks_pop(&comm->own, &own))
		wrong = compare(comm, &own, other, text);
	else if (!coll_marks_push(&comm->before, other))
		wrong = "no memory for what is called";
	pthread_mutex_unlock(&comm->lock);
	if (wrong)
		coll_comm_fail(comm, hcclInvalidUsage, true, "%s", wrong);
}

/*
 * What comes in
 */

/* Rank @i has done something that ends what this rank is at. */
static void fail_with(struct coll_comm *comm, hcclResult_t error, bool spread,
		      uint32_t i, const char *what)
{
	char text[COLL_MARK_TEXT], at[COLL_MESSAGE_SIZE / 2], link[COLL_LINK_TEXT];

	pthread_mutex_lock(&comm->lock);
	snprintf(at, sizeof(at), "%s", at_what(comm, text));
	coll_link_text(comm, i, link);
	pthread_mutex_unlock(&comm->lock);
	coll_comm_fail(comm, error, spread, "rank %u %s, while rank %u is at %s%s", i,
		       what, comm->rank, at, link);
}

static void take_note(struct coll_comm *comm, uint32_t i)
{
	struct coll_peer *peer = &comm->peers[i];
	struct coll_note *note = &peer->in;

	if (note->kind != COLL_NOTE_SENDS)
		note->text[sizeof(note->text) - 1] = '\0';
	if (note->magic != NOTE_MAGIC || note->rank != i) {
		coll_comm_fail(comm, hcclSocketError, true,
			       "rank %u sends what makes no sense", i);
		return;
	}
	pthread_mutex_lock(&comm->lock);
	if (note->mark.seq > peer->seq)
		peer->seq = note->mark.seq;
	if (note->taken > peer->given)
		peer->given = note->taken;
	peer->heard_ms = coll_now_ms();
	peer->bye |= note->kind == COLL_NOTE_BYE;
	peer->told_all |= note->kind == COLL_NOTE_BYE && !note->mark.count;
	pthread_cond_broadcast(&comm->changed);
	pthread_mutex_unlock(&comm->lock);
	if (note->kind == COLL_NOTE_CALL)
		take_call(comm, &note->mark);
	if (note->kind == COLL_NOTE_SENDS)
		coll_messages_take(comm, i, note);
	if (note->kind == COLL_NOTE_ASK) {
		pthread_mutex_lock(&comm->lock);
		coll_messages_tell(comm, i);
		pthread_mutex_unlock(&comm->lock);
	}
	if (note->kind == COLL_NOTE_ABORT)
		fail_with(comm, hcclUnhandledSynapseError, false, i, "has aborted");
	if (note->kind == COLL_NOTE_ERROR)
		coll_comm_fail(comm, note->error > 0 ? (hcclResult_t)note->error :
						hcclInternalError,
			       false, "%s", note->text);
}

static void take_end(struct coll_comm *comm, uint32_t i)
{
	pthread_mutex_lock(&comm->lock);
	comm->peers[i].gone = true;
	pthread_cond_broadcast(&comm->changed);
	pthread_mutex_unlock(&comm->lock);
	if (!comm->peers[i].bye)
		fail_with(comm, hcclSocketError, true, i, "has ended");
}

/* false: its connection has ended. */
static bool hear(struct coll_comm *comm, uint32_t i)
{
	struct coll_peer *peer = &comm->peers[i];

	for (;;) {
		ssize_t n = recv(peer->fd, (char *)&peer->in + peer->in_bytes,
				 sizeof(peer->in) - peer->in_bytes, 0);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return true;
		if (n <= 0)
			return false;
		peer->in_bytes += (size_t)n;
		if (peer->in_bytes < sizeof(peer->in))
			continue;
		peer->in_bytes = 0;
		take_note(comm, i);
	}
}

/* An end comes behind what all others have said by then: it may be why. @any: of each. */
static void hear_all(struct coll_comm *comm, const struct pollfd *pfds, bool any)
{
	bool ended[COLL_MAX_RANKS] = {};

	for (uint32_t i = 0; i < comm->ranks; i++) {
		ended[i] = pfds[i].revents && !hear(comm, i);
		any |= ended[i];
	}
	for (uint32_t i = 0; any && i < comm->ranks; i++)
		if (pfds[i].fd >= 0 && !ended[i])
			ended[i] = !hear(comm, i);
	for (uint32_t i = 0; any && i < comm->ranks; i++)
		if (ended[i])
			take_end(comm, i);
}

/* COLL_NOTE_ALIVE, when it was sent last: and as of which call. */
struct alive {
	int64_t at_ms;
	uint64_t seq;
};

static void tick(struct coll_comm *comm, struct alive *alive)
{
	int64_t now = coll_now_ms();

	pthread_mutex_lock(&comm->lock);
	if (now - alive->at_ms >= ALIVE_MS || alive->seq != comm->seq) {
		send_notes(comm, COLL_NOTE_ALIVE, hcclSuccess, "");
		*alive = (struct alive) { now, comm->seq };
	}
	for (uint32_t i = 0; i < comm->ranks; i++)
		coll_messages_tell(comm, i);
	pthread_mutex_unlock(&comm->lock);
	coll_watch_look(comm);
	coll_late_look(comm);
}

/* Who asks for it has what had come by then heard, which poll() may have been too early for. */
static void hear_on(struct coll_comm *comm, const struct pollfd *pfds)
{
	uint64_t asked;
	eventfd_t any;

	if (pfds[comm->ranks].revents)
		eventfd_read(comm->wake, &any);
	pthread_mutex_lock(&comm->lock);
	asked = comm->asked;
	pthread_mutex_unlock(&comm->lock);
	hear_all(comm, pfds, asked != comm->heard);
	if (asked == comm->heard)
		return;
	pthread_mutex_lock(&comm->lock);
	comm->heard = asked;
	pthread_cond_broadcast(&comm->changed);
	pthread_mutex_unlock(&comm->lock);
}

static void *control(void *arg)
{
	struct coll_comm *comm = arg;
	struct pollfd pfds[COLL_MAX_RANKS + 1];
	struct alive alive = { .at_ms = coll_now_ms() };
	int64_t ticked_ms = 0;
	char name[16];

	/* So gaudi-why knows which rank a process is. */
	snprintf(name, sizeof(name), "gaudi-rank-%u", comm->rank);
	pthread_setname_np(pthread_self(), name);
	while (!atomic_load(&comm->stop)) {
		for (uint32_t i = 0; i < comm->ranks; i++)
			pfds[i] = (struct pollfd) {
				.fd = comm->peers[i].gone ? -1 : comm->peers[i].fd,
				.events = POLLIN,
			};
		pfds[comm->ranks] = (struct pollfd) {
			.fd = comm->wake,
			.events = POLLIN,
		};
		poll(pfds, comm->ranks + 1, TICK_MS);
		hear_on(comm, pfds);
		if (coll_now_ms() - ticked_ms < TICK_MS)
			continue;
		ticked_ms = coll_now_ms();
		tick(comm, &alive);
	}

	return NULL;
}

int coll_control_start(struct coll_comm *comm)
{
	int rc;

	comm->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (comm->wake < 0)
		return coll_fail(-errno, "eventfd: %s", strerror(errno));
	for (uint32_t i = 0; i < comm->ranks; i++)
		comm->peers[i].heard_ms = comm->peers[i].late_ms = coll_now_ms();
	rc = pthread_create(&comm->thread, NULL, control, comm);
	if (rc)
		return coll_fail(-rc, "no thread: %s", strerror(rc));
	comm->has_thread = true;

	return 0;
}

void coll_control_abort(struct coll_comm *comm)
{
	pthread_mutex_lock(&comm->lock);
	if (!atomic_load(&comm->failed))
		send_notes(comm, COLL_NOTE_ABORT, hcclSuccess, "");
	pthread_mutex_unlock(&comm->lock);
	coll_comm_fail(comm, hcclUnhandledSynapseError, false, "rank %u has aborted",
		       comm->rank);
}

void coll_control_bye(struct coll_comm *comm)
{
	pthread_mutex_lock(&comm->lock);
	for (uint32_t i = 0; i < comm->ranks; i++)
		coll_messages_tell(comm, i);
	send_notes(comm, COLL_NOTE_BYE, hcclSuccess, "");
	pthread_mutex_unlock(&comm->lock);
}

static bool all_bye(const struct coll_comm *comm)
{
	for (uint32_t i = 0; i < comm->ranks; i++)
		if (i != comm->rank && !comm->peers[i].bye && !comm->peers[i].gone)
			return false;

	return true;
}

void coll_control_await_byes(struct coll_comm *comm)
{
	int ms = comm->fabric ? comm->settings.timeout_ms : LINGER_MS;
	struct timespec until = deadline_in_ms(ms);
	int rc = 0;

	pthread_mutex_lock(&comm->lock);
	while (!rc && !atomic_load(&comm->failed) && !all_bye(comm))
		rc = pthread_cond_timedwait(&comm->changed, &comm->lock, &until);
	pthread_mutex_unlock(&comm->lock);
}

void coll_control_stop(struct coll_comm *comm)
{
	uint64_t one = 1;

	if (!comm->has_thread)
		return;
	atomic_store(&comm->stop, true);
	if (write(comm->wake, &one, sizeof(one)) < 0)
		usleep(1);	/* it looks soon anyway */
	pthread_join(comm->thread, NULL);
	comm->has_thread = false;
}
