// SPDX-License-Identifier: MIT
/* What both sides of a link tell each other, and connections that are made of it. */
#include <errno.h>
#include <string.h>

#include "hw/regs/gaudi_nic_regs.h"
#include "links.h"
#include "wqe.h"

_Static_assert(sizeof(struct gaudi_link_address) == 64, "it is sent as it is");

int gaudi_link_get_address(struct gaudi_link *link,
			   struct gaudi_link_address *address)
{
	const struct gd_port *port;
	int rc = gd_link_check_there(link);

	if (rc)
		return rc;
	if (!address)
		return gd_fail(-EINVAL, "gaudi_link_get_address: address is NULL");
	port = &link->device->links->ports[link->port];
	*address = (struct gaudi_link_address) {
		.version = GAUDI_LINK_ADDRESS_VERSION,
		.port = link->port,
		.conn_id = link->conn_id,
		.key = link->key,
		.psn = link->psn,
		.ip = link->ip,
		.notify = { gd_sob_register(link->sobs[GD_SOB_NOTIFIED]),
			    gd_sob_register(link->sobs[GD_SOB_NOTIFIED + 1]) },
		.notify_wrap = link->device->wrap,
		.module_id = link->device->card.module_id,
	};
	memcpy(address->mac, port->mac, sizeof(address->mac));

	return 0;
}

static bool all_zero(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i])
			return false;

	return true;
}

static int check_address(const struct gaudi_link_address *peer)
{
	if (!peer)
		return gd_fail(-EINVAL, "the peer's address is NULL");
	if (peer->version != GAUDI_LINK_ADDRESS_VERSION ||
	    !all_zero(peer->reserved, sizeof(peer->reserved)) ||
	    !all_zero(peer->reserved2, sizeof(peer->reserved2)))
		return gd_fail(-EINVAL, "an address of version %u, not %u, or with bytes that have no meaning in it",
			       peer->version, GAUDI_LINK_ADDRESS_VERSION);
	if (!peer->conn_id || peer->conn_id > 0xffffff ||
	    peer->psn > NIC_PSN_MASK)
		return gd_fail(-EINVAL, "a peer with connection %#x, packet %#x",
			       peer->conn_id, peer->psn);
	if (peer->notify_wrap > GD_WRAP ||
	    peer->notify_wrap & (peer->notify_wrap - 1) ||
	    peer->notify_wrap == 1 ||
	    (peer->notify_wrap && (!peer->notify[0] || !peer->notify[1] ||
				   (peer->notify[0] | peer->notify[1]) >> 26)))
		return gd_fail(-EINVAL, "a peer with notifications at %#x and %#x, %u each",
			       peer->notify[0], peer->notify[1],
			       peer->notify_wrap);

	return 0;
}

static int set_responder(struct gaudi_link *link,
			 const struct gaudi_link_address *peer)
{
	struct drm_gaudi_nic_res_ctx res = {
		.port = link->port,
		.conn_id = link->conn_id,
		.dst_conn_id = peer->conn_id,
		.lkey = link->key,
		.src_ip = link->ip,
		.dst_ip = peer->ip,
		.priority = (uint8_t)link->priority,
		.psn = peer->psn,
	};
	struct drm_gaudi_nic_res_key key = {};

	memcpy(res.dst_mac, peer->mac, sizeof(res.dst_mac));

	return gd_nic_call(link->device, GAUDI_NIC_OP_SET_RES_CTX, &res,
			   sizeof(res), &key, sizeof(key), "to receive",
			   link->port);
}

static int set_requester(struct gaudi_link *link,
			 const struct gaudi_link_address *peer)
{
	struct drm_gaudi_nic_req_ctx req = {
		.port = link->port,
		.conn_id = link->conn_id,
		.dst_conn_id = peer->conn_id,
		.rkey = peer->key,
		.src_ip = link->ip,
		.dst_ip = peer->ip,
		.priority = (uint8_t)link->priority,
		.timer_log2 = (uint8_t)link->timeout_log2,
		.psn = link->psn,
	};

	memcpy(req.dst_mac, peer->mac, sizeof(req.dst_mac));

	return gd_nic_call(link->device, GAUDI_NIC_OP_SET_REQ_CTX, &req,
			   sizeof(req), NULL, 0, "to send", link->port);
}

int gaudi_link_connect(struct gaudi_link *link,
		       const struct gaudi_link_address *peer)
{
	PROFILE_CALL();
	int rc = gd_link_check(link);

	if (!rc)
		rc = check_address(peer);
	if (rc)
		return rc;
	pthread_mutex_lock(&link->device->links->post);
	if (link->connected)
		rc = gd_fail(-EISCONN, "card %u, port %u, link %u has a peer",
			     link->device->card.accel, link->port,
			     link->conn_id);
	if (!rc)
		rc = set_responder(link, peer);
	if (!rc)
		rc = set_requester(link, peer);
	if (!rc) {
		pthread_mutex_lock(&link->device->links->lock);
		link->peer = *peer;
		link->connected = true;
		pthread_mutex_unlock(&link->device->links->lock);
	}
	pthread_mutex_unlock(&link->device->links->post);

	return rc;
}
