// SPDX-License-Identifier: MIT
/*
 * Copies between devices of one process: a pair of links for each two devices, made by
 * the first copy, and made anew when they have failed. A pair that has failed stays as
 * long as graphs have captured copies by it. One lock for all pairs of the process, as a
 * pair is of two devices. It is not held while a copy is given to a link: that is held as
 * by a job of it.
 */
#include <errno.h>
#include <stdlib.h>

#include "links.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Of both devices, in the lists of both. */
struct gd_peer {
	LIST_ENTRY(gd_peer) out, in;
	struct gaudi_device *from, *to;
	struct gaudi_link *link;	/* of @from */
	struct gaudi_link *back;	/* of @to, which answers */
};

static bool is_up(struct gaudi_device *device, uint32_t port)
{
	struct gaudi_port_info info = { .size = sizeof(info) };

	return !gaudi_port_get_info(device, port, &info) &&
	       info.flags & GAUDI_PORT_ENABLED && info.flags & GAUDI_PORT_UP;
}

/* Ports with a wire between them that is up, by the cabling. */
static int find_wire(struct gaudi_device *from, struct gaudi_device *to,
		     uint32_t *from_port, uint32_t *to_port)
{
	uint32_t module, known = 0;
	struct gd_cables cables;
	int rc = gd_cables_read(&cables);

	if (rc)
		return rc;
	for (uint32_t port = 0; port < GD_PORTS; port++) {
		if (!gd_cables_other_end(&cables, from->card.module_id, port,
					 &module, to_port) ||
		    module != to->card.module_id)
			continue;
		*from_port = port;
		if (is_up(from, port) && is_up(to, *to_port))
			return 0;
		known++;
	}
	if (known)
		return gd_fail(GAUDI_ERR_LINK, "cards %u and %u: the wire between modules %u and %u is down",
			       from->card.accel, to->card.accel,
			       from->card.module_id, to->card.module_id);

	return gd_fail(GAUDI_ERR_UNSUPPORTED, "cards %u and %u: no wire between modules %u and %u is known",
		       from->card.accel, to->card.accel, from->card.module_id,
		       to->card.module_id);
}

static int join(struct gaudi_link *link, struct gaudi_link *back)
{
	struct gaudi_link_address address;
	int rc = gaudi_link_get_address(link, &address);

	if (!rc)
		rc = gaudi_link_connect(back, &address);
	if (!rc)
		rc = gaudi_link_get_address(back, &address);

	return rc ? rc : gaudi_link_connect(link, &address);
}

/* Both links may be NULL. */
static int peer_free(struct gd_peer *peer)
{
	struct gd_error_state state;
	int rc = gd_link_destroy(peer->link);
	int rc2 = gd_link_destroy(peer->back);

	gd_error_save(&state);
	free(peer);
	gd_error_restore(&state);

	return rc ? rc : rc2;
}

static int peer_make(struct gaudi_device *from, struct gaudi_device *to,
		     struct gd_peer **out)
{
	struct gaudi_link_params params = { .size = sizeof(params) };
	struct gaudi_link_params back = { .size = sizeof(back) };
	struct gd_peer *peer = calloc(1, sizeof(*peer));
	struct gd_error_state state;
	int rc;

	if (!peer)
		return gd_no_memory("for a pair of links");
	peer->from = from;
	peer->to = to;
	rc = find_wire(from, to, &params.port, &back.port);
	if (!rc)
		rc = gaudi_link_create(from, &params, &peer->link);
	if (!rc)
		rc = gaudi_link_create(to, &back, &peer->back);
	if (!rc)
		rc = join(peer->link, peer->back);
	if (!rc)
		peer->link->of_peers = true;
	if (rc) {
		gd_error_save(&state);
		peer_free(peer);
		gd_error_restore(&state);
		return rc;
	}
	LIST_INSERT_HEAD(&from->links->peers, peer, out);
	LIST_INSERT_HEAD(&to->links->peers_in, peer, in);
	*out = peer;

	return 0;
}

static void peer_remove(struct gd_peer *peer)
{
	LIST_REMOVE(peer, out);
	LIST_REMOVE(peer, in);
}

static bool has_failed(const struct gd_peer *peer)
{
	return atomic_load(&peer->link->error) || atomic_load(&peer->back->error);
}

static struct gd_peer *find(struct gaudi_device *from, struct gaudi_device *to)
{
	struct gd_peer *peer;

	LIST_FOREACH(peer, &from->links->peers, out)
		if (peer->to == to && !has_failed(peer))
			return peer;

	return NULL;
}

static void hold(struct gaudi_link *link, bool held)
{
	struct gd_links *links = link->device->links;

	pthread_mutex_lock(&links->lock);
	if (held) {
		link->jobs++;
	} else {
		link->jobs--;
		pthread_cond_broadcast(&links->changed);
	}
	pthread_mutex_unlock(&links->lock);
}

/* Has a graph, or a capture, copies by it, or is it being given one? */
static bool is_held(struct gaudi_link *link)
{
	struct gd_links *links = link->device->links;
	bool held;

	pthread_mutex_lock(&links->lock);
	held = link->written || link->jobs;
	pthread_mutex_unlock(&links->lock);

	return held;
}

/* Ends the pairs that have failed, but those that are held. */
static int end_failed(struct gaudi_device *from, struct gaudi_device *to)
{
	struct gd_peer *peer = LIST_FIRST(&from->links->peers), *next;
	int rc = 0;

	for (; !rc && peer; peer = next) {
		next = LIST_NEXT(peer, out);
		if (peer->to != to || !has_failed(peer) || is_held(peer->link))
			continue;
		rc = gd_may_block(from, "a new link instead of one that has failed");
		if (!rc)
			rc = gd_may_block(to, "a new link instead of one that has failed");
		if (!rc) {
			peer_remove(peer);
			rc = peer_free(peer);
		}
	}

	return rc;
}

/* The link that goes there, held for the caller. */
static int get_link(struct gaudi_device *from, struct gaudi_device *to,
		    struct gaudi_link **link)
{
	struct gd_peer *peer;
	int rc;

	pthread_mutex_lock(&lock);
	rc = end_failed(from, to);
	peer = find(from, to);
	if (!rc && !peer)
		rc = peer_make(from, to, &peer);
	if (!rc) {
		hold(peer->link, true);
		*link = peer->link;
	}
	pthread_mutex_unlock(&lock);

	return rc;
}

/* Both devices exist as long as this one has not been closed. */
void gd_peers_exit(struct gaudi_device *device)
{
	struct gd_links *links = device->links;
	struct gd_peer *peer;

	pthread_mutex_lock(&lock);
	while ((peer = LIST_FIRST(&links->peers)) ||
	       (peer = LIST_FIRST(&links->peers_in))) {
		peer_remove(peer);
		peer_free(peer);
	}
	pthread_mutex_unlock(&lock);
}

int gaudi_copy_peer_async(struct gaudi_stream *stream,
			  struct gaudi_device *to_device, gaudi_ptr to,
			  gaudi_ptr from, size_t size)
{
	PROFILE_BYTES(size);
	struct gaudi_link *link;
	uint64_t owner;
	int rc = gd_stream_check(stream);

	if (!rc)
		rc = gd_device_check(to_device);
	if (rc)
		return rc;
	if (to_device == stream->device)
		return gaudi_copy_device_async(stream, to, from, size);
	rc = gd_links_check(stream->device);
	if (!rc)
		rc = gd_links_check(to_device);
	if (rc || !size)
		return rc;
	rc = gd_range_check(to_device, to, size, NULL, &owner);
	if (!rc)
		rc = gd_range_check(stream->device, from, size, NULL, &owner);
	if (!rc)
		rc = get_link(stream->device, to_device, &link);
	if (rc)
		return rc;
	rc = gaudi_link_write_async(stream, link, to, from, size, 0);
	hold(link, false);

	return rc;
}

int gaudi_copy_peer(struct gaudi_device *to_device, gaudi_ptr to,
		    struct gaudi_device *from_device, gaudi_ptr from,
		    size_t size)
{
	PROFILE_BYTES(size);
	struct gaudi_stream *stream;
	int rc = gd_device_check(from_device);

	if (!rc)
		rc = gd_may_block(from_device, "gaudi_copy_peer");
	if (!rc)
		rc = gd_own_stream(from_device, &stream);
	if (!rc)
		rc = gaudi_copy_peer_async(stream, to_device, to, from, size);

	return rc ? rc : gaudi_stream_synchronize(stream);
}
