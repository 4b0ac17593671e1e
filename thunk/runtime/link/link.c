// SPDX-License-Identifier: MIT
/* Links as objects: a connection of the driver's, its sync objects and its memory. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "hw/regs/gaudi_nic_regs.h"
#include "links.h"
#include "../base/sized.h"

#define MAX_PRIORITY	3u
#define MAX_TIMEOUT	31u
#define PAGE		4096u

size_t gd_link_slots_offset(const struct gd_port *port)
{
	return (size_t)port->entries * (NIC_WQE_SIZE + NIC_RECV_WQE_SIZE);
}

/* More slots than pieces: for what is done aside. */
static size_t memory_size(const struct gd_port *port)
{
	return gd_link_slots_offset(port) +
	       (GD_LINK_SLOTS + GD_ASIDE_SLOTS) * (size_t)GD_LINK_SLOT_SIZE;
}

int gd_link_is_failed(struct gaudi_link *link)
{
	return gd_fail(atomic_load(&link->error), "card %u, port %u, link %u: %s",
		       link->device->card.accel, link->port, link->conn_id,
		       link->why);
}

int gd_link_check_there(struct gaudi_link *link)
{
	return link ? gd_device_check(link->device) :
	       gd_fail(-EINVAL, "the link is NULL");
}

int gd_link_check(struct gaudi_link *link)
{
	int rc = gd_link_check_there(link);

	return !rc && atomic_load(&link->error) ? gd_link_is_failed(link) : rc;
}

int gd_link_may_bind(struct gaudi_device *device, struct gaudi_link *link)
{
	int rc = gd_link_check_there(link);

	if (rc || link->device == device)
		return rc;

	return gd_fail(-EINVAL, "a link of card %u for a launcher of card %u",
		       link->device->card.accel, device->card.accel);
}

/*
 * Making one
 */
static int open_conn(struct gaudi_link *link)
{
	struct gd_links *links = link->device->links;
	const struct gd_port *port = &links->ports[link->port];
	struct drm_gaudi_nic_conn conn = { .port = link->port };
	int rc;

	if (port->num_links == port->max_links)
		return gd_fail(-ENOSPC, "card %u, port %u has %u links already",
			       link->device->card.accel, link->port,
			       port->num_links);
	/* Who is aborted takes its number again (gd_link_stop()). */
	pthread_mutex_lock(&links->lock);
	rc = gd_nic_call(link->device, GAUDI_NIC_OP_ALLOC_CONN, &conn,
			 sizeof(conn), &conn, sizeof(conn), "no connection",
			 link->port);
	pthread_mutex_unlock(&links->lock);
	if (!rc)
		link->conn_id = conn.conn_id;
	/* The lowest free one; others of the file's may have been opened past us. */
	if (!rc && conn.conn_id >= port->num_wqs)
		rc = gd_fail(-ENOSPC, "card %u, port %u: connection %u has no queue among %u",
			     link->device->card.accel, link->port,
			     conn.conn_id, port->num_wqs);

	return rc;
}

/* The link is not in the list, so what the driver has still to say of it is nobody's. */
static void close_conn(struct gaudi_link *link)
{
	struct gd_links *links = link->device->links;
	const struct drm_gaudi_nic_conn conn = {
		.port = link->port,
		.conn_id = link->conn_id,
	};
	int rc;

	if (!conn.conn_id || link->closed)
		return;
	/* Until that has been heard, no other link may have its number. */
	pthread_mutex_lock(&links->lock);
	rc = gd_os_nic(link->device->fd, GAUDI_NIC_OP_DESTROY_CONN, &conn,
		       sizeof(conn), NULL, 0);
	gd_links_take_errors(link->device);
	pthread_mutex_unlock(&links->lock);
	if (rc && !atomic_load(&link->device->lost))
		gd_log(GD_WARN, "card %u, port %u keeps connection %u: %s",
		       link->device->card.accel, link->port, link->conn_id,
		       gaudi_strerror(rc));
}

static int pin_pages(struct gaudi_link *link, size_t size)
{
	link->memory = gd_pages_alloc(size);
	if (!link->memory)
		return gd_no_memory("for a link");
	link->address = hlthunk_host_memory_map(link->device->fd, link->memory,
						0, size);
	if (!link->address) {
		int rc = gd_errno();

		return gd_fail(rc, "card %u: cannot pin %zu bytes for a link: %s",
			       link->device->card.accel, size,
			       gaudi_strerror(rc));
	}

	return 0;
}

/*
 * A command buffer: it is the driver's memory, where a card in a process need not ask the
 * kernel for each access. Larger queues are in pages of our own.
 */
static int make_memory(struct gaudi_link *link)
{
	const struct gd_port *port = &link->device->links->ports[link->port];
	size_t size = gd_round_up(memory_size(port), PAGE);

	if (size > HL_MAX_CB_SIZE ||
	    gd_cb_create_mapped(link->device, (uint32_t)size, &link->cb))
		return pin_pages(link, size);
	link->memory = link->cb->memory;
	link->address = link->cb->address;

	return 0;
}

static void free_memory(struct gaudi_link *link)
{
	const struct gd_port *port = &link->device->links->ports[link->port];
	int rc;

	if (link->cb) {
		gd_cb_destroy(link->device, link->cb);
		return;
	}
	rc = link->address ? hlthunk_memory_unmap(link->device->fd,
						  link->address) : 0;
	if (rc && !atomic_load(&link->device->lost))
		gd_log(GD_WARN, "card %u: unmapping %#llx failed: %s",
		       link->device->card.accel,
		       (unsigned long long)link->address, gaudi_strerror(rc));
	if (link->memory)
		gd_pages_free(link->memory, memory_size(port));
}

static int draw(struct gaudi_link *link)
{
	uint32_t words[2];

	do {
		if (getrandom(words, sizeof(words), 0) != sizeof(words))
			return gd_fail(-EIO, "the system has no random numbers");
	} while (!words[0]);
	link->key = words[0];
	link->psn = words[1] & NIC_PSN_MASK;

	return 0;
}

/* With @post; after a failure link_free() takes back what there is. */
static int link_make(struct gaudi_link *link)
{
	struct gaudi_device *device = link->device;
	struct gd_port *port = &device->links->ports[link->port];
	uint32_t stream;
	int rc = gd_port_ready(device, link->port);

	if (!rc)
		rc = draw(link);
	if (!rc)
		rc = open_conn(link);
	if (!rc)
		rc = make_memory(link);
	if (!rc)
		rc = gd_sobs_borrow(device, GD_LINK_SOBS, link->sobs);
	if (rc)
		return rc;
	stream = (link->wanted_queue ? link->wanted_queue - 1 : link->conn_id) %
		 GD_PORT_QUEUES;
	link->queue = gd_port_queue(link->port, stream);
	link->monitor = port->monitors + stream;
	if (!link->ip)
		link->ip = gd_port_ip(port->mac);
	gd_link_prepare(link);
	pthread_mutex_lock(&device->links->lock);
	port->num_links++;
	LIST_INSERT_HEAD(&device->links->list, link, link);
	pthread_mutex_unlock(&device->links->lock);

	return 0;
}

static void link_free(struct gaudi_link *link)
{
	struct gd_posted *posted;

	free_memory(link);
	for (unsigned int kind = 0; kind < GD_KINDS; kind++) {
		while ((posted = TAILQ_FIRST(&link->posted[kind]))) {
			TAILQ_REMOVE(&link->posted[kind], posted, link);
			gd_posted_free(link->device, posted);
		}
	}
	free(link);
}

static struct gaudi_link *link_new(struct gaudi_device *device,
				   const struct gaudi_link_params *params)
{
	struct gaudi_link *link = calloc(1, sizeof(*link));

	if (!link)
		return NULL;
	link->device = device;
	link->port = params->port;
	link->ip = params->ip;
	link->priority = params->priority;
	link->timeout_log2 = params->timeout_log2;
	link->wanted_queue = params->queue;
	for (unsigned int kind = 0; kind < GD_KINDS; kind++)
		TAILQ_INIT(&link->posted[kind]);

	return link;
}

int gaudi_link_create(struct gaudi_device *device,
		      const struct gaudi_link_params *params,
		      struct gaudi_link **out)
{
	struct gaudi_link_params full = {};
	struct gd_error_state state;
	struct gaudi_link *link;
	int rc = gd_links_check(device);

	if (!rc)
		rc = gd_sized_get(&full, sizeof(full), params,
				  offsetof(struct gaudi_link_params, ip),
				  "gaudi_link_params");
	if (!rc && !out)
		rc = gd_fail(-EINVAL, "gaudi_link_create: link is NULL");
	if (!rc && (full.priority > MAX_PRIORITY ||
		    full.timeout_log2 > MAX_TIMEOUT))
		rc = gd_fail(-EINVAL, "a link of priority %u, timeout 2^%u; at most %u, 2^%u",
			     full.priority, full.timeout_log2, MAX_PRIORITY,
			     MAX_TIMEOUT);
	if (!rc && full.queue > GD_PORT_QUEUES)
		rc = gd_fail(-EINVAL, "a link of queue %u; a port has %u", full.queue,
			     GD_PORT_QUEUES);
	if (rc)
		return rc;
	link = link_new(device, &full);
	if (!link)
		return gd_no_memory("for a link");
	pthread_mutex_lock(&device->links->post);
	rc = link_make(link);
	if (rc) {
		gd_error_save(&state);
		close_conn(link);
		link_free(link);
		gd_error_restore(&state);
	}
	pthread_mutex_unlock(&device->links->post);
	if (!rc)
		*out = link;

	return rc;
}

/* Which of its pieces have ended? */
static void ask_for_work(struct gaudi_link *link)
{
	struct gd_links *links = link->device->links;
	const struct gd_posted *posted;
	struct gd_point point = {};

	pthread_mutex_lock(&links->lock);
	for (unsigned int kind = 0; kind < GD_KINDS; kind++)
		TAILQ_FOREACH(posted, &link->posted[kind], link)
			if (posted->n != GD_NEVER && point.n[posted->q] < posted->n)
				gd_point_set(&point, posted->q, posted->n);
	pthread_mutex_unlock(&links->lock);
	GD_FOR_EACH_QUEUE(q, point.set) {
		struct gd_point one = {};

		gd_point_set(&one, q, point.n[q]);
		gd_poll(link->device, &one);
	}
}

int gaudi_link_get_info(struct gaudi_link *link, struct gaudi_link_info *info)
{
	struct gaudi_link_info full = {};
	struct gd_links *links;
	bool counts;
	int rc = gd_link_check_there(link);

	if (!rc)
		rc = gd_sized_check(info, offsetof(struct gaudi_link_info, writes),
				    "gaudi_link_info");
	if (rc)
		return rc;
	links = link->device->links;
	counts = info->size > offsetof(struct gaudi_link_info, under_way);
	gd_links_look(link->device);
	if (counts)
		ask_for_work(link);
	full.port = link->port;
	full.conn_id = link->conn_id;
	pthread_mutex_lock(&links->lock);
	full.state = link->connected ? GAUDI_LINK_CONNECTED : GAUDI_LINK_NEW;
	full.writes = link->shown.writes;
	full.bytes = link->shown.bytes;
	full.notified = link->shown.notified;
	full.waited = link->shown.waited;
	if (atomic_load(&link->error))
		full.state = GAUDI_LINK_FAILED;
	full.syndrome = link->syndrome;
	if (counts) {
		gd_link_reap(link);
		full.under_way = gd_link_count_posted(link);
	}
	pthread_mutex_unlock(&links->lock);
	gd_sized_put(info, &full, sizeof(full));

	return 0;
}

int gaudi_link_abort(struct gaudi_link *link)
{
	return gaudi_link_abort_because(link, "aborted by the program");
}

int gaudi_link_abort_because(struct gaudi_link *link, const char *why)
{
	int rc = gd_link_check_there(link);

	if (!rc && !why)
		rc = gd_fail(-EINVAL, "why a link is aborted is NULL");
	if (rc)
		return rc;
	/* Streams whose work of it has ended by now are not to fail. */
	ask_for_work(link);
	pthread_mutex_lock(&link->device->links->lock);
	gd_link_fail(link, 0, false, why);
	if (!link->stopped && gd_link_stop(link))
		gd_link_fail(link, 0, true, why);
	pthread_mutex_unlock(&link->device->links->lock);

	return 0;
}

/*
 * The end of one
 */

/* What is written down has it in it, and may be done again. */
static int check_written(struct gaudi_link *link)
{
	struct gd_links *links = link->device->links;
	bool written;

	pthread_mutex_lock(&links->lock);
	written = link->written;
	pthread_mutex_unlock(&links->lock);

	return !written ? 0 :
	       gd_fail(-EBUSY, "link %u of port %u: a capture, or a graph, has captured work of it",
		       link->conn_id, link->port);
}

/* All that the card has of it; @post is not held. */
static int wait_for_work(struct gaudi_link *link)
{
	struct gd_links *links = link->device->links;
	struct gd_point all;
	int rc;

	pthread_mutex_lock(&links->lock);
	while (link->jobs)
		pthread_cond_wait(&links->changed, &links->lock);
	pthread_mutex_unlock(&links->lock);
	pthread_mutex_lock(&links->post);
	all = link->last;
	gd_point_join(&all, &link->waits[0]);
	gd_point_join(&all, &link->waits[1]);
	pthread_mutex_unlock(&links->post);

	rc = gd_wait(link->device, &all);

	return rc ? rc : gd_link_flush(link);
}

/* Its sync objects can be used again. */
static int give_sobs(struct gaudi_link *link)
{
	struct gaudi_device *device = link->device;
	unsigned int q = gd_queue_idle(device);
	const struct gd_point now = {};
	struct gd_point point = {};
	uint8_t packets[8 * GD_LINK_SOBS];
	struct pkt_buf pb;
	uint64_t n;
	int rc;

	pkt_init(&pb, packets, sizeof(packets));
	for (unsigned int i = 0; i < GD_LINK_SOBS; i++)
		pkt_sob_set(&pb, link->sobs[i], 0, GAUDI_PKT_CTL_MB);
	rc = gd_submit(device, q, &now, packets, pb.used, &n);
	if (rc)
		return rc;
	gd_point_set(&point, q, n);
	rc = gd_wait(device, &point);
	if (!rc)
		gd_sobs_return(device, GD_LINK_SOBS, link->sobs);

	return rc;
}

static int link_end(struct gaudi_link *link)
{
	struct gd_links *links = link->device->links;
	int rc = wait_for_work(link), rc2;

	pthread_mutex_lock(&links->post);
	pthread_mutex_lock(&links->lock);
	LIST_REMOVE(link, link);
	links->ports[link->port].num_links--;
	pthread_mutex_unlock(&links->lock);
	close_conn(link);
	pthread_mutex_unlock(&links->post);
	/* Nothing comes any more, of the peer either. */
	rc2 = gd_device_check(link->device);
	if (!rc2)
		rc2 = give_sobs(link);

	return rc ? rc : rc2;
}

int gd_link_destroy(struct gaudi_link *link)
{
	struct gd_error_state state;
	int rc;

	if (!link)
		return 0;
	rc = gd_device_check_mine(link->device);
	if (!rc)
		rc = gd_may_block(link->device, "gaudi_link_destroy");
	if (!rc)
		rc = check_written(link);
	if (rc)
		return rc;
	rc = link_end(link);
	gd_error_save(&state);
	link_free(link);
	gd_error_restore(&state);

	return rc;
}

int gaudi_link_destroy(struct gaudi_link *link)
{
	int rc = link ? gd_device_check_mine(link->device) : 0;

	/* Graphs show those by which they copy. */
	if (!rc && link && link->of_peers)
		rc = gd_fail(-EBUSY, "link %u of port %u is libgaudi's own, for copies between devices",
			     link->conn_id, link->port);

	return rc ? rc : gd_link_destroy(link);
}

void gd_links_exit(struct gaudi_device *device)
{
	gd_peers_exit(device);
	while (!LIST_EMPTY(&device->links->list))
		gd_link_destroy(LIST_FIRST(&device->links->list));
}
