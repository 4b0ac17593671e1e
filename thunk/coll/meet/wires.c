// SPDX-License-Identifier: MIT
/*
 * Links to all peers of the same box: over the wire between both cards, of several the one with the lowest
 * port of the card with the lower module id, so that both find the same.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "meet.h"
#include "../base/net.h"

#define PORTS	10u
/* A wire comes up after its card's boot or reset, or when the peer has opened its card. */
#define COME_UP_MS	10000
#define LOOK_US		10000
/* gaudi_link_create(3): an answer is awaited for this long, times two to the power of these. */
#define TIMEOUT_UNIT_NS	4096ull
#define LEAST_TIMEOUT	14u	/* the driver's */
#define MOST_TIMEOUT	31u
/* Who takes too long has been noticed so much later. */
#define NOTICED_MS	2000

/* What both sides of a pair tell each other. */
struct wire {
	struct gaudi_link_address links[COLL_LINKS];
	uint64_t staging;
	int32_t error;		/* this side cannot */
	uint32_t reserved;
};

/* What those wires are that cannot be taken. */
struct down {
	bool any, may_come_up;
};

/* Of the ports with a wire to module @module. -ENOLINK: none is up. */
static int find_up(struct coll_comm *comm, uint32_t own, uint32_t module,
		   uint32_t *port, struct down *down)
{
	uint32_t best = UINT32_MAX;
	int rc = 0;

	*down = (struct down) {};
	for (uint32_t i = 0; !rc && i < PORTS; i++) {
		struct gaudi_port_info info = { .size = sizeof(info) };
		uint32_t order;

		rc = coll_gaudi(gaudi_port_get_info(comm->device, i, &info),
				"ports");
		if (rc || !(info.flags & GAUDI_PORT_PEER) ||
		    info.peer_module != module)
			continue;
		if (!(info.flags & GAUDI_PORT_ENABLED) ||
		    !(info.flags & GAUDI_PORT_UP)) {
			down->any = true;
			down->may_come_up |= info.flags & GAUDI_PORT_ENABLED;
			continue;
		}
		order = own < module ? i : info.peer_port;
		if (order < best) {
			best = order;
			*port = i;
		}
	}

	return rc ? rc : best == UINT32_MAX ? -ENOLINK : 0;
}

/* Until @end_ms for those that are down: both ends have to see the same ones. */
static int find_port(struct coll_comm *comm, uint32_t peer, int64_t end_ms,
		     uint32_t *port)
{
	struct gaudi_device_info own = { .size = sizeof(own) };
	uint32_t module = comm->peers[peer].module_id;
	int rc = coll_gaudi(gaudi_device_get_info(comm->device, &own), "the card");
	struct down down;

	if (rc)
		return rc;
	for (;;) {
		rc = find_up(comm, own.module_id, module, port, &down);
		if (!down.may_come_up || (rc && rc != -ENOLINK) ||
		    coll_now_ms() >= end_ms)
			break;
		usleep(LOOK_US);
	}
	if (rc == -ENOLINK)
		rc = coll_fail(down.any ? GAUDI_ERR_LINK : -ENOTSUP,
			       "ranks %u and %u: %s between modules %u and %u",
			       comm->rank, peer,
			       down.any ? "the wire is down" : "no wire is known",
			       own.module_id, module);

	return rc;
}

/*
 * A port gives a link's peer up after so many tries, and one. By the usual ones, that is half a
 * second, in which a process, or a guest, of a busy host may not run at all; so as many as there
 * can be. A port that is open already, as it is from a card's second communicator on, stays as it
 * is; it is asked for first, as a refusal would be the thread's last error. -EEXIST: another thread
 * has come between.
 */
static int open_port(struct coll_comm *comm, uint32_t port, uint32_t *tries)
{
	const struct gaudi_port_params params = {
		.size = sizeof(params),
		.timeout_retries = UINT8_MAX,
	};
	struct gaudi_port_info info = { .size = sizeof(info) };
	int rc = coll_gaudi(gaudi_port_get_info(comm->device, port, &info), "a port");

	if (!rc && !info.max_links) {
		rc = gaudi_port_open(comm->device, port, &params);
		rc = rc == -EEXIST ? 0 : coll_gaudi(rc, "a port");
		if (!rc)
			rc = coll_gaudi(gaudi_port_get_info(comm->device, port, &info),
					"a port");
	}
	*tries = info.timeout_retries + 1;

	return rc;
}

/*
 * What an answer is awaited for, so that all tries together take longer than a collective may:
 * a peer that stops for less than that is none that is gone, and for one that is, ../control tells
 * who, of what. What is lost is sent again after this time, so it is the shortest one.
 */
static uint32_t timeout_log2(const struct coll_comm *comm, uint32_t tries)
{
	uint64_t ns = (comm->settings.timeout_ms + (uint64_t)NOTICED_MS) * 1000000;
	uint32_t log2 = LEAST_TIMEOUT;

	while (log2 < MOST_TIMEOUT && tries * (TIMEOUT_UNIT_NS << log2) < ns)
		log2++;

	return log2;
}

static int create_links(struct coll_comm *comm, uint32_t i, int64_t end_ms,
			struct wire *wire)
{
	struct gaudi_link_params params = { .size = sizeof(params) };
	struct coll_peer *peer = &comm->peers[i];
	uint32_t tries = 0;
	int rc = find_port(comm, i, end_ms, &params.port);

	if (!rc)
		rc = open_port(comm, params.port, &tries);
	params.timeout_log2 = timeout_log2(comm, tries);
	peer->port = params.port;
	for (unsigned int k = 0; !rc && k < COLL_LINKS; k++) {
		params.queue = 1 + coll_queue_of(comm, k);
		rc = coll_gaudi(gaudi_link_create(comm->device, &params,
						  &peer->links[k]), "a link");
		if (!rc)
			rc = coll_gaudi(gaudi_link_get_address(peer->links[k],
							       &wire->links[k]),
					"a link");
	}
	wire->staging = comm->staging;

	return rc;
}

static int connect_links(struct coll_comm *comm, uint32_t i,
			 const struct wire *wire)
{
	struct coll_peer *peer = &comm->peers[i];
	int rc = 0;

	if (wire->error)
		return coll_fail(wire->error, "rank %u cannot join", i);
	peer->staging = wire->staging;
	peer->peer_port = wire->links[0].port;
	for (unsigned int k = 0; !rc && !peer->far && k < COLL_LINKS; k++)
		rc = coll_gaudi(gaudi_link_connect(peer->links[k],
						   &wire->links[k]), "a link");

	return rc;
}

/* All are told, also of a failure, so that nobody waits for this rank. */
int coll_wires_connect(struct coll_comm *comm)
{
	struct wire *out = calloc(2 * comm->ranks, sizeof(*out));
	struct wire *in = out ? out + comm->ranks : NULL;
	int rc = out ? 0 : coll_fail(-ENOMEM, "no memory for links"), swapped;
	int64_t end_ms = coll_now_ms() + COME_UP_MS;
	char why[COLL_MESSAGE_SIZE];

	for (uint32_t i = 0; !rc && i < comm->ranks; i++)
		if (i != comm->rank && !comm->peers[i].far)
			rc = create_links(comm, i, end_ms, &out[i]);
	if (!out)
		return rc;
	strcpy(why, coll_message());
	for (uint32_t i = 0; i < comm->ranks; i++)
		out[i].error = rc;
	swapped = coll_swap(comm, out, in, sizeof(*out));
	if (rc)
		coll_fail(rc, "%s", why);
	else
		rc = swapped;
	for (uint32_t i = 0; !rc && i < comm->ranks; i++)
		if (i != comm->rank)
			rc = connect_links(comm, i, &in[i]);
	free(out);

	return rc;
}

void coll_wires_abort(struct coll_comm *comm)
{
	const char *why = "its communicator has been ended";

	if (comm->fabric)
		coll_fabric_stop(comm->fabric);
	pthread_mutex_lock(&comm->lock);
	/* Whoever waits for a stream, and has never heard of this communicator, is told by it. */
	if (atomic_load(&comm->failed))
		why = comm->why;
	for (uint32_t i = 0; i < comm->ranks; i++)
		for (unsigned int k = 0; k < COLL_LINKS; k++)
			if (comm->peers[i].links[k])
				gaudi_link_abort_because(comm->peers[i].links[k], why);
	pthread_mutex_unlock(&comm->lock);
}

void coll_wires_free(struct coll_comm *comm)
{
	for (uint32_t i = 0; i < comm->ranks; i++)
		for (unsigned int k = 0; k < COLL_LINKS; k++) {
			gaudi_link_destroy(comm->peers[i].links[k]);
			comm->peers[i].links[k] = NULL;
		}
}
