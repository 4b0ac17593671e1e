// SPDX-License-Identifier: MIT
/*
 * Links that fail. The card tells the driver, and the driver whoever asks: so whoever
 * waits for work of a card that has work of links asks from time to time. What waits for
 * a link that has failed is let go: its sync objects are set by a queue of the port that
 * never waits itself. This is done again while there is such work, as each piece sets
 * them back.
 *
 * Waits for the peer are let go at once. Writes are when the card has stopped sending:
 * until then they come to an end by themselves, and their entries are the port's.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hw/regs/gaudi_nic_regs.h"
#include "piece.h"

/* So often at most is the driver asked. */
#define LOOK_NS		1000000u
#define AGAIN_NS	50000000u
/* A message each: for waits, and for writes and waits. */
#define WAITS_SIZE	16u
#define ALL_SIZE	24u

static const char *why_of(uint32_t syndrome)
{
	switch (syndrome) {
	case NIC_SYN_RX_RKEY:
		return "a packet with a wrong key has come";
	case NIC_SYN_TX_TIMEOUT_RETRIES:
		return "the peer does not answer";
	case NIC_SYN_TX_NACK_RETRIES:
		return "the peer has refused a packet";
	case NIC_SYN_TX_BAD_QP:
		return "an entry cannot be done";
	default:
		return "the card has given it up";
	}
}

void gd_posted_free(struct gaudi_device *device, struct gd_posted *posted)
{
	gd_fate_put(posted->fate);
	free(posted);
	atomic_fetch_sub(&device->watched, 1);
}

void gd_link_reap(struct gaudi_link *link)
{
	struct gaudi_device *device = link->device;
	struct gd_posted *first;

	for (unsigned int kind = 0; kind < GD_KINDS; kind++) {
		while ((first = TAILQ_FIRST(&link->posted[kind]))) {
			struct gd_point point = {};

			gd_point_set(&point, first->q, first->n);
			if (!gd_has_ended(device, &point))
				break;
			TAILQ_REMOVE(&link->posted[kind], first, link);
			gd_posted_free(device, first);
		}
	}
}

uint32_t gd_link_count_posted(const struct gaudi_link *link)
{
	const struct gd_posted *posted;
	uint32_t count = 0;

	for (unsigned int kind = 0; kind < GD_KINDS; kind++)
		TAILQ_FOREACH(posted, &link->posted[kind], link)
			count++;

	return count;
}

static size_t aside_offset(const struct gaudi_link *link, unsigned int slot)
{
	return gd_link_slots_offset(gd_port_of(link)) +
	       (GD_LINK_SLOTS + slot) * (size_t)GD_LINK_SLOT_SIZE;
}

static struct hl_cs_chunk aside(const struct gaudi_link *link,
				unsigned int slot, uint32_t queue, uint32_t size)
{
	return (struct hl_cs_chunk) {
		.cb_handle = link->address + aside_offset(link, slot),
		.cb_size = size,
		.queue_index = queue,
	};
}

void gd_link_prepare(struct gaudi_link *link)
{
	struct pkt_buf pb;

	for (unsigned int slot = 0; slot <= GD_ASIDE_ALL; slot++) {
		pkt_init(&pb, link->memory + aside_offset(link, slot),
			 GD_LINK_SLOT_SIZE);
		if (slot == GD_ASIDE_ALL)
			pkt_sob_set(&pb, link->sobs[GD_SOB_DONE], 1, 0);
		for (unsigned int i = 0; i < 2; i++)
			pkt_sob_set(&pb, link->sobs[GD_SOB_NOTIFIED + i],
				    GD_SOB_ALL, GAUDI_PKT_CTL_MB);
	}
}

/* Does the oldest piece of a kind wait to be let go? */
static bool has_to_go(struct gaudi_link *link)
{
	bool has = false;

	for (unsigned int kind = 0; kind < GD_KINDS; kind++) {
		struct gd_posted *first = TAILQ_FIRST(&link->posted[kind]);

		if (!first || first->n == GD_NEVER ||
		    (kind == GD_WRITES && !link->stopped))
			continue;
		has |= !first->let_go;
		first->let_go = true;
	}

	return has;
}

/*
 * Whatever waits for one of the link's sync objects goes on: once for each piece that
 * comes to be the oldest, and now and then should that not have been enough.
 */
static void let_go(struct gaudi_link *link, uint64_t now)
{
	struct gaudi_device *device = link->device;
	uint32_t queue = gd_port_queue(link->port, GD_ASIDE_QUEUE);
	const struct hl_cs_chunk chunk = link->stopped ?
		aside(link, GD_ASIDE_ALL, queue, ALL_SIZE) :
		aside(link, GD_ASIDE_WAITS, queue, WAITS_SIZE);

	if (!has_to_go(link) && now - link->let_go_ns < AGAIN_NS)
		return;
	link->let_go_ns = now;
	if (gd_submit_aside(device, &chunk))
		gd_log(GD_ERROR, "card %u, port %u: work of link %u cannot be let go: %s",
		       device->card.accel, link->port, link->conn_id,
		       gaudi_last_error(NULL));
}

/* At the end of @queue, @sob becomes @value. */
static struct hl_cs_chunk last_of(const struct gaudi_link *link,
				  unsigned int slot, uint32_t queue,
				  uint32_t sob, uint32_t value)
{
	struct pkt_buf pb;

	pkt_init(&pb, link->memory + aside_offset(link, slot),
		 GD_LINK_SLOT_SIZE);
	pkt_sob_set(&pb, sob, value, GAUDI_PKT_CTL_MB);

	return aside(link, slot, queue, (uint32_t)pb.used);
}

int gd_link_flush(struct gaudi_link *link)
{
	struct gaudi_device *device = link->device;
	unsigned int q = gd_queue_idle(device);
	uint32_t monitor = gd_queue_monitor(device, q);
	uint32_t id = gd_queue_id(device, q);
	/* Values that nobody else gives them. */
	uint32_t go = gd_link_go(link, link->now.slots - 1);
	uint32_t done = link->sobs[GD_SOB_DONE];
	struct hl_cs_chunk chunks[3] = {
		[1] = last_of(link, GD_ASIDE_LAST,
			      gd_port_queue(link->port, GD_ASIDE_QUEUE), done, 2),
		[2] = last_of(link, GD_ASIDE_LAST_PART, link->queue, go,
			      GD_SOB_ALL),
	};
	uint8_t packets[2 * GD_WAIT_SIZE];
	struct gd_work work = {
		.end = packets,
		.chunks = chunks,
		.num_chunks = ARRAY_SIZE(chunks),
		.patient = true,
	};
	struct gd_point point = {};
	struct pkt_buf pb;
	uint64_t n;
	int rc;

	if (!link->let_go_ns)
		return 0;
	pkt_init(&pb, packets, sizeof(packets));
	gd_put_wait(&pb, monitor, done, 2, id, false);
	gd_put_wait(&pb, monitor, go, GD_SOB_ALL, id, true);
	work.end_size = pb.used;
	rc = gd_submit_work(device, q, &(struct gd_point) {}, &work, &n);
	if (rc)
		return rc;
	gd_point_set(&point, q, n);

	return gd_wait(device, &point);
}

/* Streams with work of it hear why, before anything is let go. */
static void tell_streams(struct gaudi_link *link)
{
	char text[GD_WHY_SIZE];
	struct gd_posted *posted;

	snprintf(text, sizeof(text), "link %u of port %u: %s", link->conn_id,
		 link->port, link->why);
	gd_log(GD_ERROR, "card %u, %s", link->device->card.accel, text);
	gd_link_reap(link);
	for (unsigned int kind = 0; kind < GD_KINDS; kind++)
		TAILQ_FOREACH(posted, &link->posted[kind], link)
			gd_fate_fail(link->device, posted->fate, posted->step,
				     GAUDI_ERR_LINK, text);
}

/*
 * What a stream that has failed was to write next, by this link, would be data that never
 * came: the peer must not take it for good. So it does not go, and the link fails, too, as
 * its peer misses that. Whether that is new.
 */
static bool take_back_writes(struct gaudi_link *link)
{
	struct gd_posted *posted;
	bool any = false;

	gd_link_reap(link);
	TAILQ_FOREACH(posted, &link->posted[GD_WRITES], link) {
		if (!gd_fate_failed_before(link->device, posted->fate, posted->step))
			continue;
		gd_link_blank(link, posted);
		any = true;
	}
	if (!any || atomic_load(&link->error))
		return false;
	snprintf(link->why, sizeof(link->why),
		 "what its stream waited for has failed, so it was not written");
	atomic_store(&link->error, GAUDI_ERR_LINK);
	tell_streams(link);

	return true;
}

/* Before anything is let go. Streams that fail take links along, and these more streams. */
static void spread(struct gd_links *links)
{
	struct gaudi_link *link;
	bool more;

	do {
		more = false;
		LIST_FOREACH(link, &links->list, link)
			more |= take_back_writes(link);
	} while (more);
}

static void let_all_go(struct gd_links *links)
{
	struct gaudi_link *link;

	LIST_FOREACH(link, &links->list, link) {
		if (!atomic_load(&link->error) || !gd_link_count_posted(link))
			continue;
		atomic_store(&link->device->hurry, true);
		let_go(link, gd_os_now_ns());
	}
}

void gd_link_fail(struct gaudi_link *link, uint32_t syndrome, bool stopped,
		  const char *why)
{
	link->stopped |= stopped;
	if (!atomic_load(&link->error)) {
		link->syndrome = syndrome;
		if (syndrome)
			snprintf(link->why, sizeof(link->why),
				 "%s (syndrome %#x)", why, syndrome);
		else
			snprintf(link->why, sizeof(link->why), "%s", why);
		atomic_store(&link->error, GAUDI_ERR_LINK);
		tell_streams(link);
		spread(link->device->links);
	}
	let_all_go(link->device->links);
}

static int call_conn(const struct gaudi_link *link, uint32_t op,
		     struct drm_gaudi_nic_conn *conn)
{
	bool alloc = op == GAUDI_NIC_OP_ALLOC_CONN;

	return gd_os_nic(link->device->fd, op, conn, sizeof(*conn),
			 alloc ? conn : NULL, alloc ? sizeof(*conn) : 0);
}

/*
 * The lowest free number until it is that one: those below are given back. Pieces that are still
 * to come ring for this number, so no other link may have it before they have ended.
 */
static int take_number(const struct gaudi_link *link, uint32_t number)
{
	struct drm_gaudi_nic_conn conn = { .port = link->port };
	int rc = call_conn(link, GAUDI_NIC_OP_ALLOC_CONN, &conn);

	if (rc || conn.conn_id == number)
		return rc;
	rc = conn.conn_id < number ? take_number(link, number) : -EBUSY;
	call_conn(link, GAUDI_NIC_OP_DESTROY_CONN, &conn);

	return rc;
}

bool gd_link_stop(struct gaudi_link *link)
{
	struct drm_gaudi_nic_conn conn = {
		.port = link->port,
		.conn_id = link->conn_id,
	};

	if (call_conn(link, GAUDI_NIC_OP_DESTROY_CONN, &conn))
		return false;
	link->closed = take_number(link, link->conn_id) != 0;
	if (link->closed)
		gd_log(GD_WARN, "card %u, port %u: connection %u is not kept",
		       link->device->card.accel, link->port, link->conn_id);

	return true;
}

static struct gaudi_link *find(struct gaudi_device *device, uint32_t port,
			       uint32_t conn_id)
{
	struct gaudi_link *link;

	LIST_FOREACH(link, &device->links->list, link)
		if (link->port == port && link->conn_id == conn_id)
			return link;

	return NULL;
}

/* Of a link about which the driver may have had no room to say something. */
static void look_at(struct gaudi_link *link)
{
	const struct drm_gaudi_nic_conn conn = {
		.port = link->port,
		.conn_id = link->conn_id,
	};
	struct drm_gaudi_nic_qp qp = {};

	if (gd_os_nic(link->device->fd, GAUDI_NIC_OP_DUMP_QP, &conn,
		      sizeof(conn), &qp, sizeof(qp)) || !qp.num_errors)
		return;
	gd_link_fail(link, 0, gaudi_nic_get(qp.req, NIC_REQ_ERROR),
		     "the card has given it up, and why was lost");
}

static void take_error(struct gaudi_device *device,
		       const struct drm_gaudi_nic_error *error)
{
	struct gaudi_link *link;

	link = find(device, error->port, error->conn_id);
	if (link && error->flags & (GAUDI_NIC_ERR_REQUESTER |
				    GAUDI_NIC_ERR_RESPONDER))
		gd_link_fail(link, error->syndrome,
			     error->flags & GAUDI_NIC_ERR_REQUESTER,
			     why_of(error->syndrome));
	else
		gd_log(GD_WARN, "card %u, port %u, connection %u: syndrome %#x",
		       device->card.accel, error->port, error->conn_id,
		       error->syndrome);
	if (error->lost)
		LIST_FOREACH(link, &device->links->list, link)
			look_at(link);
}

void gd_links_take_errors(struct gaudi_device *device)
{
	struct drm_gaudi_nic_error error;

	/* Until there is none: ENODATA. */
	while (!gd_os_nic(device->fd, GAUDI_NIC_OP_GET_ERROR, NULL, 0, &error,
			  sizeof(error)))
		take_error(device, &error);
}

void gd_links_look(struct gaudi_device *device)
{
	pthread_mutex_lock(&device->links->lock);
	gd_links_take_errors(device);
	pthread_mutex_unlock(&device->links->lock);
}

static bool may_look(struct gd_links *links)
{
	uint64_t now = gd_os_now_ns();
	bool may;

	pthread_mutex_lock(&links->lock);
	may = now - links->looked_ns >= LOOK_NS;
	if (may)
		links->looked_ns = now;
	pthread_mutex_unlock(&links->lock);

	return may;
}

void gd_links_watch(struct gaudi_device *device)
{
	struct gd_links *links = device->links;
	struct gaudi_link *link;
	bool hurry = false;

	if (!may_look(links))
		return;
	gd_links_look(device);
	pthread_mutex_lock(&links->lock);
	LIST_FOREACH(link, &links->list, link) {
		gd_link_reap(link);
		if (!atomic_load(&link->error) || !gd_link_count_posted(link))
			continue;
		hurry = true;
		let_go(link, gd_os_now_ns());
	}
	atomic_store(&device->hurry, hurry);
	pthread_mutex_unlock(&links->lock);
}
