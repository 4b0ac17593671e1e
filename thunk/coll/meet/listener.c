// SPDX-License-Identifier: MIT
/*
 * Listeners: a thread for each id waits for ranks, and tells each of them about all when
 * the last one has come. Who connects may be anybody: what is no rank of the communicator
 * is dropped, and who says nothing holds up nobody. Ranks that have come and left, as others
 * did not come in time, may come again for as long as they have waited; then it ends.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "bootstrap.h"
#include "known.h"
#include "../base/net.h"

#define MOST_GUESTS	256u
/* Who has connected has so long to say who it is. */
#define SAY_MS		10000

struct guest {
	int fd;
	int64_t since_ms;
	size_t bytes;			/* of @record, so far */
	struct coll_record record;
};

struct listener {
	int fd;
	uint64_t token;
	bool any_token;
	bool published;
	struct coll_id id;
	uint32_t ranks;			/* 0: nobody is there */
	int64_t left_ms;		/* since when, if some have come; else 0 */
	int patience_ms;
	uint32_t num_guests;
	struct guest guests[MOST_GUESTS];
};

static bool is_whole(const struct guest *guest)
{
	return guest->bytes == sizeof(guest->record);
}

static void drop(struct listener *l, uint32_t i)
{
	close(l->guests[i].fd);
	l->guests[i] = l->guests[--l->num_guests];
}

static void answer(struct listener *l, uint32_t i, int error, const char *text)
{
	struct coll_answer no = { .magic = COLL_MEET_MAGIC, .error = error };

	snprintf(no.text, sizeof(no.text), "%s", text);
	coll_put(l->guests[i].fd, &no, sizeof(no), coll_now_ms() + SAY_MS);
}

/* Whole and well-formed: 0; else what is wrong, "" if it is none of ours. */
static const char *judge(const struct listener *l, uint32_t i)
{
	const struct coll_record *r = &l->guests[i].record;

	if (r->magic != COLL_MEET_MAGIC ||
	    (r->token != l->token && !(l->any_token && !r->token)))
		return "";
	if (r->version != COLL_MEET_VERSION)
		return "another version of the library";
	if (!r->ranks || r->ranks > COLL_MAX_RANKS || r->rank >= r->ranks)
		return "such a rank cannot be";
	if (l->ranks && r->ranks != l->ranks)
		return "ranks do not agree about how many they are";
	for (uint32_t j = 0; j < l->num_guests; j++)
		if (j != i && is_whole(&l->guests[j]) &&
		    l->guests[j].record.rank == r->rank)
			return "this rank has come before";

	return NULL;
}

/*
 * Who has not come, to all who have, so that they can say it; not when one leaves, which most do
 * as they give up.
 */
static void tell_missing(struct listener *l)
{
	char text[sizeof(((struct coll_answer *)0)->text)] = "";
	uint64_t come = 0;
	size_t at = 0;

	for (uint32_t i = 0; i < l->num_guests; i++)
		if (is_whole(&l->guests[i]))
			come |= 1ull << l->guests[i].record.rank;
	for (uint32_t i = 0; i < l->ranks && at < sizeof(text); i++)
		if (!(come & 1ull << i))
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%u",
					       at ? ", " : "", i);
	for (uint32_t i = 0; at && i < l->num_guests; i++)
		if (is_whole(&l->guests[i]))
			answer(l, i, -EAGAIN, text);
}

/* false: the guest is gone */
static bool hear(struct listener *l, uint32_t i)
{
	struct guest *guest = &l->guests[i];
	char more;
	ssize_t n;

	if (is_whole(guest)) {
		/* It has nothing to say but that it ends. */
		n = recv(guest->fd, &more, 1, 0);
	} else {
		n = recv(guest->fd, (char *)&guest->record + guest->bytes,
			 sizeof(guest->record) - guest->bytes, 0);
		if (n > 0) {
			const char *wrong;

			guest->bytes += (size_t)n;
			if (!is_whole(guest))
				return true;
			wrong = judge(l, i);
			if (!wrong) {
				l->ranks = guest->record.ranks;
				tell_missing(l);
				return true;
			}
			if (*wrong)
				answer(l, i, -EINVAL, wrong);
			n = 0;
		}
	}
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	drop(l, i);

	return false;
}

static void take_guest(struct listener *l)
{
	int fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return;
	if (l->num_guests == MOST_GUESTS) {
		close(fd);
		return;
	}
	l->guests[l->num_guests++] = (struct guest) {
		.fd = fd,
		.since_ms = coll_now_ms(),
	};
}

static uint32_t count_whole(const struct listener *l)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->num_guests; i++)
		n += is_whole(&l->guests[i]);

	return n;
}

static void tell_all(struct listener *l)
{
	struct coll_record table[COLL_MAX_RANKS];
	struct coll_answer yes = { .magic = COLL_MEET_MAGIC };
	int64_t deadline = coll_now_ms() + COLL_STEP_MS;

	yes.error = coll_random(&yes.session, sizeof(yes.session));
	for (uint32_t i = 0; i < l->num_guests; i++)
		if (is_whole(&l->guests[i]))
			table[l->guests[i].record.rank] = l->guests[i].record;
	/* Who cannot be told is missed by the others. */
	for (uint32_t i = 0; i < l->num_guests; i++)
		if (is_whole(&l->guests[i]) &&
		    !coll_put(l->guests[i].fd, &yes, sizeof(yes), deadline))
			coll_put(l->guests[i].fd, table,
				 l->ranks * sizeof(*table), deadline);
}

/* All have left, and none has come again. */
static bool is_given_up(struct listener *l)
{
	if (l->ranks && !count_whole(l)) {
		l->ranks = 0;
		l->left_ms = coll_now_ms();
	}

	return !l->ranks && l->left_ms &&
	       coll_now_ms() - l->left_ms > l->patience_ms;
}

static bool is_complete(const struct listener *l)
{
	return l->ranks && count_whole(l) == l->ranks;
}

static void *listen_for_ranks(void *arg)
{
	struct pollfd pfds[MOST_GUESTS + 1];
	struct listener *l = arg;

	pthread_setname_np(pthread_self(), "gaudi-listener");
	while (!is_complete(l) && !is_given_up(l)) {
		uint32_t num = l->num_guests;

		pfds[num] = (struct pollfd) { .fd = l->fd, .events = POLLIN };
		for (uint32_t i = 0; i < num; i++)
			pfds[i] = (struct pollfd) {
				.fd = l->guests[i].fd,
				.events = POLLIN,
			};
		poll(pfds, num + 1, 1000);
		/* Backwards: who is dropped is replaced by one that was looked at. */
		for (uint32_t i = num; i-- > 0;)
			if ((!pfds[i].revents || hear(l, i)) &&
			    !is_whole(&l->guests[i]) &&
			    coll_now_ms() - l->guests[i].since_ms > SAY_MS)
				drop(l, i);
		if (pfds[num].revents)
			take_guest(l);
	}
	close(l->fd);
	if (l->published)
		coll_id_withdraw(&l->id);
	if (is_complete(l))
		tell_all(l);
	while (l->num_guests)
		drop(l, 0);
	free(l);

	return NULL;
}

static int start(struct listener *l)
{
	pthread_attr_t attr;
	pthread_t thread;
	int rc;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	rc = pthread_create(&thread, &attr, listen_for_ranks, l);
	pthread_attr_destroy(&attr);

	return rc ? coll_fail(-rc, "no thread for a listener: %s", strerror(rc)) : 0;
}

int coll_listener_start(bool first, struct coll_id *id)
{
	const char *fixed = first ? getenv("HCCL_COMM_ID") : NULL;
	struct listener *l = calloc(1, sizeof(*l));
	struct sockaddr_in address;
	int rc;

	if (!l)
		return coll_fail(-ENOMEM, "no memory for a listener");
	rc = fixed && *fixed ? coll_parse_address(fixed, &address) :
		     coll_own_address(getenv("HCCL_SOCKET_IFNAME"), &address);
	if (!rc)
		rc = coll_random(&l->token, sizeof(l->token));
	l->token |= 1;
	l->any_token = fixed && *fixed;
	if (!rc)
		rc = coll_listen(&address, &l->fd);
	if (rc) {
		free(l);
		return rc;
	}
	*id = (struct coll_id) {
		.magic = COLL_ID_MAGIC,
		.ip = address.sin_addr.s_addr,
		.port = address.sin_port,
		.token = l->token,
	};
	l->id = *id;
	l->patience_ms = coll_init_ms();
	l->published = first && !l->any_token;
	if (l->published)
		rc = coll_id_publish(id);
	if (!rc)
		rc = start(l);
	if (rc) {
		close(l->fd);
		free(l);
	}

	return rc;
}
