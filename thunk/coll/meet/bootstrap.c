// SPDX-License-Identifier: MIT
/*
 * How ranks find each other: each tells the listener who it is and where it listens itself,
 * and gets the table of all; then each pair has a connection, the higher rank's.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bootstrap.h"
#include "meet.h"
#include "../base/net.h"

static int make_record(struct coll_comm *comm, const struct coll_id *id,
		       int *listener, struct coll_record *record)
{
	struct gaudi_device_info info = { .size = sizeof(info) };
	struct coll_identity identity;
	struct sockaddr_in own;
	int rc = coll_gaudi(gaudi_device_get_info(comm->device, &info), "the card");

	if (!rc)
		rc = coll_identify(&identity);
	if (!rc)
		rc = coll_own_address(getenv("HCCL_SOCKET_IFNAME"), &own);
	if (!rc)
		rc = coll_listen(&own, listener);
	if (rc)
		return rc;
	*record = (struct coll_record) {
		.magic = COLL_MEET_MAGIC,
		.version = COLL_MEET_VERSION,
		.token = id->token,
		.ranks = comm->ranks,
		.rank = comm->rank,
		.ip = own.sin_addr.s_addr,
		.port = own.sin_port,
		.module_id = info.module_id,
		.row_bytes = comm->settings.row_bytes,
		.small_bytes = comm->settings.small_bytes,
		.algorithm = comm->settings.algorithm,
		.identity = identity,
	};

	return 0;
}

static int ask(struct coll_comm *comm, const struct coll_id *id,
	       const struct coll_record *own, struct coll_answer *answer,
	       struct coll_record *table)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = id->ip,
		.sin_port = id->port,
	};
	int64_t deadline = coll_now_ms() + comm->settings.init_ms;
	char text[COLL_ADDRESS_SIZE], missing[sizeof(answer->text) + 20] = "";
	int fd, rc;

	rc = coll_connect(&address, "the listener", deadline, &fd);
	if (rc)
		return rc;
	rc = coll_put(fd, own, sizeof(*own), deadline);
	deadline = coll_now_ms() + comm->settings.init_ms;
	do {
		if (!rc)
			rc = coll_get(fd, answer, sizeof(*answer), deadline);
		if (!rc && answer->magic != COLL_MEET_MAGIC)
			rc = coll_fail(-EPROTO, "%s is no listener of this library",
				       coll_address_text(&address, text));
		answer->text[sizeof(answer->text) - 1] = '\0';
		if (!rc && answer->error == -EAGAIN)
			snprintf(missing, sizeof(missing), "; missing ranks: %s", answer->text);
	} while (!rc && answer->error == -EAGAIN);
	if (!rc && answer->error)
		rc = coll_fail(answer->error, "rank %u of %u is refused: %s",
			       comm->rank, comm->ranks, answer->text);
	if (!rc)
		rc = coll_get(fd, table, comm->ranks * sizeof(*table), deadline);
	close(fd);
	if (rc == -ETIMEDOUT)
		return coll_fail(rc, "not all of %u ranks have come to %s in %d s%s",
				 comm->ranks, coll_address_text(&address, text),
				 comm->settings.init_ms / 1000, missing);
	if (rc == -ECONNRESET)
		return coll_fail(rc, "the listener at %s does not take rank %u of %u: it has ended, or waits for others%s",
				 coll_address_text(&address, text), comm->rank,
				 comm->ranks, missing);

	return rc;
}

static int check_table(const struct coll_comm *comm,
		       const struct coll_record *table)
{
	const struct coll_record *own = &table[comm->rank];

	for (uint32_t i = 0; i < comm->ranks; i++) {
		const struct coll_record *r = &table[i];

		if (r->rank != i || r->ranks != comm->ranks)
			return coll_fail(-EPROTO, "the listener's table is wrong");
		if (r->row_bytes != own->row_bytes ||
		    r->small_bytes != own->small_bytes ||
		    r->algorithm != own->algorithm)
			return coll_fail(-EINVAL, "ranks %u and %u have other settings (GAUDI_COLL_*)",
					 comm->rank, i);
		for (uint32_t j = 0; j < i; j++)
			if (table[j].module_id == r->module_id &&
			    !memcmp(&table[j].identity, &r->identity,
				    sizeof(r->identity)))
				return coll_fail(-EINVAL, "ranks %u and %u have the same card, module %u",
						 j, i, r->module_id);
	}

	return 0;
}

static int call_peer(struct coll_comm *comm, uint32_t i,
		     const struct coll_record *r, uint64_t session,
		     int64_t deadline)
{
	const struct coll_greeting hello = {
		.magic = COLL_MEET_MAGIC,
		.rank = comm->rank,
		.session = session,
	};
	struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = r->ip,
		.sin_port = r->port,
	};
	char what[24];
	int rc;

	snprintf(what, sizeof(what), "rank %u", i);
	rc = coll_connect(&address, what, deadline, &comm->peers[i].fd);
	if (rc)
		comm->peers[i].fd = -1;

	return rc ? rc : coll_put(comm->peers[i].fd, &hello, sizeof(hello), deadline);
}

/* All ranks above this one; who else calls is dropped. */
static int take_peers(struct coll_comm *comm, int listener, uint64_t session,
		      int64_t deadline)
{
	uint32_t missing = comm->ranks - 1 - comm->rank, first = comm->rank + 1;

	while (missing) {
		struct coll_greeting hello;
		int64_t soon = coll_now_ms() + 10000;
		int fd, rc = coll_accept(listener, deadline, &fd);

		while (comm->peers[first].fd >= 0)
			first++;
		if (rc)
			return coll_fail(rc, "rank %u of %u has not connected to rank %u in %d s",
					 first, comm->ranks, comm->rank,
					 comm->settings.init_ms / 1000);
		if (soon > deadline)
			soon = deadline;
		if (coll_get(fd, &hello, sizeof(hello), soon) ||
		    hello.magic != COLL_MEET_MAGIC || hello.session != session ||
		    hello.rank <= comm->rank || hello.rank >= comm->ranks ||
		    comm->peers[hello.rank].fd >= 0) {
			close(fd);
			continue;
		}
		comm->peers[hello.rank].fd = fd;
		missing--;
	}

	return 0;
}

int coll_meet(struct coll_comm *comm, const struct coll_id *id)
{
	struct coll_record own, table[COLL_MAX_RANKS];
	struct coll_answer answer;
	int64_t deadline;
	int listener, rc;

	rc = make_record(comm, id, &listener, &own);
	if (rc)
		return rc;
	rc = ask(comm, id, &own, &answer, table);
	if (!rc)
		rc = check_table(comm, table);
	if (!rc)
		rc = coll_boxes_find(comm, table);
	deadline = coll_now_ms() + comm->settings.init_ms;
	for (uint32_t i = 0; !rc && i < comm->ranks; i++) {
		comm->peers[i].module_id = table[i].module_id;
		if (i < comm->rank)
			rc = call_peer(comm, i, &table[i], answer.session,
				       deadline);
	}
	if (!rc)
		rc = take_peers(comm, listener, answer.session, deadline);
	close(listener);

	return rc;
}

int coll_swap(struct coll_comm *comm, const void *out, void *in, size_t size)
{
	int64_t deadline = coll_now_ms() + comm->settings.init_ms;
	char what[COLL_MESSAGE_SIZE / 2];
	int rc = 0;

	for (uint32_t i = 0; !rc && i < comm->ranks; i++)
		if (i != comm->rank)
			rc = coll_put(comm->peers[i].fd,
				      (const char *)out + i * size, size, deadline);
	for (uint32_t i = 0; !rc && i < comm->ranks; i++) {
		if (i == comm->rank)
			continue;
		rc = coll_get(comm->peers[i].fd, (char *)in + i * size, size,
			      deadline);
		snprintf(what, sizeof(what), "%s", coll_message());
		if (rc)
			return coll_fail(rc, "rank %u, while it joins: %s", i, what);
	}

	return rc;
}
