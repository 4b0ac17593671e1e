// SPDX-License-Identifier: MIT
/* Ports: which there are, what is at their other ends, and the queues of their links. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drm/gaudi_accel.h"
#include "hw/regs/gaudi_nic_regs.h"
#include "links.h"
#include "../base/sized.h"

#define DEFAULT_LINKS	63u
#define DEFAULT_ENTRIES	4096u
#define MIN_ENTRIES	64u
#define MAX_ENTRIES	65536u
/* An entry's data are whole packets of this size, where the port takes as much. */
#define PACKET		4096u

int gd_nic_call(struct gaudi_device *device, enum drm_gaudi_nic_op op,
		const void *in, uint32_t in_size, void *out, uint32_t out_size,
		const char *what, uint32_t port)
{
	int rc = gd_os_nic(device->fd, op, in, in_size, out, out_size);

	if (rc == -EBUSY || rc == -ENODEV || rc == -EIO) {
		gd_device_lose(device, rc, "the driver does nothing with ports any more");
		return gd_device_is_lost(device);
	}
	if (rc)
		return gd_fail(rc, "card %u, port %u: %s: %s",
			       device->card.accel, port, what,
			       gaudi_strerror(rc));

	return 0;
}

int gd_links_check(struct gaudi_device *device)
{
	int rc = gd_device_check(device);

	if (rc)
		return rc;
	if (!(device->caps & GAUDI_CAP_NIC))
		return gd_fail(GAUDI_ERR_UNSUPPORTED,
			       "card %u: its driver has no ports that are on, or shares it",
			       device->card.accel);

	return 0;
}

static int port_check(uint32_t port)
{
	return port < GD_PORTS ? 0 :
	       gd_fail(-EINVAL, "port %u of %u", port, GD_PORTS);
}

/*
 * What there is
 */
int gaudi_device_get_ports(struct gaudi_device *device, uint32_t *mask)
{
	uint64_t value;
	int rc = gd_device_check(device);

	if (rc)
		return rc;
	if (!mask)
		return gd_fail(-EINVAL, "gaudi_device_get_ports: mask is NULL");
	*mask = 0;
	if (device->caps & GAUDI_CAP_NIC &&
	    !gd_os_query(device->fd, GAUDI_QUERY_NIC_PORTS, &value))
		*mask = (uint32_t)value & ((1u << GD_PORTS) - 1);

	return 0;
}

/* From the private ones, so that no two ports in a room have the same by chance. */
uint32_t gd_port_ip(const uint8_t mac[6])
{
	return 10u << 24 | (uint32_t)mac[3] << 16 | (uint32_t)mac[4] << 8 |
	       mac[5];
}

int gaudi_cabling_get_peer(uint32_t module_id, uint32_t port,
			   uint32_t *peer_module, uint32_t *peer_port)
{
	struct gd_cables cables;
	uint32_t module, at;
	int rc;

	if (!peer_module || !peer_port)
		return gd_fail(-EINVAL, "gaudi_cabling_get_peer: a pointer is NULL");
	rc = gd_cables_read(&cables);
	if (rc)
		return rc;
	if (!gd_cables_other_end(&cables, module_id, port, &module, &at))
		return gd_fail(-ENOENT, "module %u, port %u: no cable is known",
			       module_id, port);
	*peer_module = module;
	*peer_port = at;

	return 0;
}

static void put_peer(const struct gaudi_device *device, uint32_t port,
		     const struct gd_cables *cables,
		     struct gaudi_port_info *info)
{
	if (!gd_cables_other_end(cables, device->card.module_id, port,
				 &info->peer_module, &info->peer_port))
		return;
	info->flags |= GAUDI_PORT_PEER;
}

static int ask_port(struct gaudi_device *device, uint32_t port,
		    struct drm_gaudi_nic_port_info *raw)
{
	const struct drm_gaudi_nic_port in = { .port = port };

	/* It is answered even if no port may be used; by older drivers never. */
	if (!(device->caps & GAUDI_CAP_NIC) &&
	    gd_os_nic(device->fd, GAUDI_NIC_OP_PORT_INFO, &in, sizeof(in), raw,
		      sizeof(*raw)))
		return gd_links_check(device);

	return gd_nic_call(device, GAUDI_NIC_OP_PORT_INFO, &in, sizeof(in), raw,
			   sizeof(*raw), "it says nothing of itself", port);
}

static void put_raw(const struct drm_gaudi_nic_port_info *raw,
		    struct gaudi_port_info *info)
{
	info->port = raw->port;
	if (raw->flags & GAUDI_NIC_PORT_ENABLED)
		info->flags |= GAUDI_PORT_ENABLED;
	if (raw->flags & GAUDI_NIC_PORT_LINK_UP)
		info->flags |= GAUDI_PORT_UP;
	if (raw->flags & GAUDI_NIC_PORT_EXTERNAL)
		info->flags |= GAUDI_PORT_EXTERNAL;
	memcpy(info->mac, raw->mac, sizeof(info->mac));
	info->ip = gd_port_ip(raw->mac);
	info->speed_mbps = raw->speed_mbps;
	info->link_changes = raw->link_changes;
	info->errors = raw->errors;
	info->tx_packets = raw->tx_packets;
	info->tx_bytes = raw->tx_bytes;
	info->rx_packets = raw->rx_packets;
	info->rx_bytes = raw->rx_bytes;
	info->retries = raw->retries;
	info->out_of_order = raw->out_of_order;
	info->duplicates = raw->duplicates;
	info->dropped = raw->dropped;
}

int gaudi_port_get_info(struct gaudi_device *device, uint32_t port,
			struct gaudi_port_info *info)
{
	struct drm_gaudi_nic_port_info raw = {};
	struct gaudi_port_info full = {};
	struct gd_cables cables;
	struct gd_links *links;
	int rc = gd_device_check(device);

	if (!rc)
		rc = port_check(port);
	if (!rc)
		rc = gd_sized_check(info, offsetof(struct gaudi_port_info, mac),
				    "gaudi_port_info");
	if (!rc)
		rc = gd_cables_read(&cables);
	if (!rc)
		rc = ask_port(device, port, &raw);
	if (rc)
		return rc;
	put_raw(&raw, &full);
	put_peer(device, port, &cables, &full);
	links = device->links;
	pthread_mutex_lock(&links->lock);
	if (links->ports[port].open) {
		full.links = links->ports[port].num_links;
		full.max_links = links->ports[port].max_links;
		full.timeout_retries = links->ports[port].timeout_retries;
	}
	pthread_mutex_unlock(&links->lock);
	gd_sized_put(info, &full, sizeof(full));

	return 0;
}

/*
 * Queues
 */
static int check_params(const struct gaudi_port_params *p)
{
	if (p->entries < MIN_ENTRIES || p->entries > MAX_ENTRIES ||
	    p->entries & (p->entries - 1))
		return gd_fail(-EINVAL, "queues of %u entries, not %u to %u, a power of two",
			       p->entries, MIN_ENTRIES, MAX_ENTRIES);
	if (p->max_links > GAUDI_NIC_MAX_CONN)
		return gd_fail(-EINVAL, "%u links on a port, not 1 to %u",
			       p->max_links, GAUDI_NIC_MAX_CONN);
	if (p->timeout_retries > UINT8_MAX || p->nack_retries > UINT8_MAX)
		return gd_fail(-EINVAL, "%u and %u tries, at most %u",
			       p->timeout_retries, p->nack_retries, UINT8_MAX);

	return 0;
}

static int set_retries(struct gaudi_device *device, uint32_t port,
		       const struct gaudi_port_params *p)
{
	const struct drm_gaudi_nic_params in = {
		.port = port,
		.timeout_retries = (uint8_t)p->timeout_retries,
		.nack_retries = (uint8_t)p->nack_retries,
	};

	if (!p->timeout_retries && !p->nack_retries)
		return 0;

	return gd_nic_call(device, GAUDI_NIC_OP_SET_APP_PARAMS, &in, sizeof(in),
			   NULL, 0, "retries", port);
}

/* What the port takes; all of a link's entries are as large. */
static int ask_limits(struct gaudi_device *device, uint32_t port,
		      const struct gaudi_port_params *p, struct gd_port *to)
{
	const struct drm_gaudi_nic_port in = { .port = port };
	struct drm_gaudi_nic_params out = {};
	int rc = gd_nic_call(device, GAUDI_NIC_OP_GET_APP_PARAMS, &in,
			     sizeof(in), &out, sizeof(out), "its limits", port);

	if (rc)
		return rc;
	if (p->max_links > out.num_conns || p->entries > out.max_entries)
		return gd_fail(-EINVAL, "card %u, port %u: %u links with %u entries, at most %u with %u",
			       device->card.accel, port, p->max_links,
			       p->entries, out.num_conns, out.max_entries);
	if (!out.max_message)
		return gd_fail(-EIO, "card %u, port %u sends nothing",
			       device->card.accel, port);
	to->most = out.max_message < PACKET ? out.max_message :
		   out.max_message / PACKET * PACKET;
	to->entries = p->entries;
	to->timeout_retries = p->timeout_retries ? p->timeout_retries :
						   out.timeout_retries;
	to->max_links = p->max_links;
	to->num_wqs = out.first_conn + p->max_links;

	return 0;
}

static int set_queues(struct gaudi_device *device, uint32_t port,
		      const struct gd_port *p, enum drm_gaudi_nic_wq_type type)
{
	const struct drm_gaudi_nic_wq in = {
		.addr = type == GAUDI_NIC_WQ_SEND ? p->send : p->receive,
		.port = port,
		.type = type,
		.num_wqs = p->num_wqs,
		.num_entries = p->entries,
	};

	return gd_nic_call(device, GAUDI_NIC_OP_USER_WQ_SET, &in, sizeof(in),
			   NULL, 0, "queues", port);
}

static void unset_queues(struct gaudi_device *device, uint32_t port,
			 enum drm_gaudi_nic_wq_type type)
{
	const struct drm_gaudi_nic_wq in = { .port = port, .type = type };
	int rc = gd_os_nic(device->fd, GAUDI_NIC_OP_USER_WQ_UNSET, &in,
			   sizeof(in), NULL, 0);

	if (rc && !atomic_load(&device->lost))
		gd_log(GD_WARN, "card %u, port %u keeps queues: %s",
		       device->card.accel, port, gaudi_strerror(rc));
}

static int take_queues(struct gaudi_device *device, uint32_t port,
		       struct gd_port *p)
{
	uint64_t all = (uint64_t)p->num_wqs * p->entries;
	int rc = gd_pool_alloc(device, all * NIC_WQE_SIZE, &p->send);

	if (!rc)
		rc = gd_pool_alloc(device, all * NIC_RECV_WQE_SIZE, &p->receive);
	if (!rc && !p->monitors)
		rc = gd_monitors_borrow(device, GD_PORT_QUEUES, &p->monitors);
	if (!rc)
		rc = set_queues(device, port, p, GAUDI_NIC_WQ_SEND);
	if (rc)
		return rc;
	rc = set_queues(device, port, p, GAUDI_NIC_WQ_RECV);
	if (rc)
		unset_queues(device, port, GAUDI_NIC_WQ_SEND);

	return rc;
}

static void give_queues(struct gaudi_device *device, struct gd_port *p)
{
	if (p->send)
		gd_pool_free(device, p->send);
	if (p->receive)
		gd_pool_free(device, p->receive);
	p->send = 0;
	p->receive = 0;
}

static int port_open(struct gaudi_device *device, uint32_t port,
		     const struct gaudi_port_params *params)
{
	struct gd_port *p = &device->links->ports[port];
	struct drm_gaudi_nic_port_info raw = {};
	struct gd_error_state state;
	int rc = check_params(params);

	if (!rc)
		rc = ask_port(device, port, &raw);
	if (!rc)
		rc = ask_limits(device, port, params, p);
	if (!rc)
		rc = set_retries(device, port, params);
	if (!rc)
		rc = take_queues(device, port, p);
	if (rc) {
		gd_error_save(&state);
		give_queues(device, p);
		gd_error_restore(&state);
		return rc;
	}
	memcpy(p->mac, raw.mac, sizeof(p->mac));
	pthread_mutex_lock(&device->links->lock);
	p->open = true;
	pthread_mutex_unlock(&device->links->lock);

	return 0;
}

int gd_port_ready(struct gaudi_device *device, uint32_t port)
{
	const struct gaudi_port_params usual = {
		.max_links = DEFAULT_LINKS,
		.entries = DEFAULT_ENTRIES,
	};
	int rc = port_check(port);

	if (rc || device->links->ports[port].open)
		return rc;

	return port_open(device, port, &usual);
}

int gaudi_port_open(struct gaudi_device *device, uint32_t port,
		    const struct gaudi_port_params *params)
{
	struct gaudi_port_params full = {};
	int rc = gd_links_check(device);

	if (!rc)
		rc = port_check(port);
	if (!rc && params)
		rc = gd_sized_get(&full, sizeof(full), params,
				  offsetof(struct gaudi_port_params, entries),
				  "gaudi_port_params");
	if (rc)
		return rc;
	if (!full.max_links)
		full.max_links = DEFAULT_LINKS;
	if (!full.entries)
		full.entries = DEFAULT_ENTRIES;
	pthread_mutex_lock(&device->links->post);
	if (device->links->ports[port].open)
		rc = gd_fail(-EEXIST, "card %u, port %u is open already",
			     device->card.accel, port);
	else
		rc = port_open(device, port, &full);
	pthread_mutex_unlock(&device->links->post);

	return rc;
}

/*
 * The device's part
 */
int gd_links_init(struct gaudi_device *device)
{
	struct gd_links *links = calloc(1, sizeof(*links));

	if (!links)
		return gd_fail(-ENOMEM, "no memory for a list of links");
	pthread_mutex_init(&links->post, NULL);
	pthread_mutex_init(&links->lock, NULL);
	pthread_cond_init(&links->changed, NULL);
	LIST_INIT(&links->list);
	LIST_INIT(&links->peers);
	LIST_INIT(&links->peers_in);
	device->links = links;
	device->watch = gd_links_watch;

	return 0;
}

void gd_links_free(struct gaudi_device *device)
{
	struct gd_links *links = device->links;

	if (!links)
		return;
	for (uint32_t i = 0; i < GD_PORTS; i++) {
		if (!links->ports[i].open)
			continue;
		unset_queues(device, i, GAUDI_NIC_WQ_SEND);
		unset_queues(device, i, GAUDI_NIC_WQ_RECV);
		give_queues(device, &links->ports[i]);
	}
	pthread_cond_destroy(&links->changed);
	pthread_mutex_destroy(&links->lock);
	pthread_mutex_destroy(&links->post);
	free(links);
	device->links = NULL;
}
