// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which ports there are, turning them on and off, and what a user has of them.
 *
 * A connection ends in two steps: its contexts are invalidated, so that nothing
 * begins any more, and what the port was doing for it goes through
 * (gaudi_nic_drain()). After that no memory is touched for it.
 */
#include <drm/drm_managed.h>
#include <kunit/visibility.h>
#include <linux/dma-mapping.h>
#include <linux/etherdevice.h>
#include <linux/export.h>
#include <linux/slab.h>

#include "../core/gaudi_ctx.h"
#include "../core/gaudi_device.h"
#include "../core/gaudi_gate.h"
#include "../core/gaudi_param.h"
#include "../firmware/gaudi_cpucp.h"
#include "../hw/gaudi_blocks.h"
#include "../hw/gaudi_hw.h"
#include "../hw/gaudi_mmu.h"
#include "../jobs/gaudi_jobs.h"
#include "../queues/gaudi_queue.h"
#include "gaudi_nic_priv.h"

static_assert(GAUDI_NIC_TABLES_END <= GAUDI_HBM_USER_BASE);

static void gaudi_nic_free(struct drm_device *drm, void *unused)
{
	struct gaudi_nic *nic = to_gaudi_device(drm)->nic;
	unsigned int port;

	for (port = 0; port < GAUDI_NUM_NIC_ENGINE; port++)
		xa_destroy(&nic->port[port].conns);
	mutex_destroy(&nic->lock);
}

int gaudi_nic_init(struct gaudi_device *gdev)
{
	unsigned int port;

	gdev->nic = drmm_kzalloc(&gdev->drm, sizeof(*gdev->nic), GFP_KERNEL);
	if (!gdev->nic)
		return -ENOMEM;
	mutex_init(&gdev->nic->lock);
	for (port = 0; port < GAUDI_NUM_NIC_ENGINE; port++)
		xa_init_flags(&gdev->nic->port[port].conns, XA_FLAGS_ALLOC1);
	return drmm_add_action_or_reset(&gdev->drm, gaudi_nic_free, NULL);
}

/* --- Which ports there are --- */

static u16 gaudi_nic_choose(const struct gaudi_cpucp_nic_info *info)
{
	u16 all = GENMASK(GAUDI_NUM_NIC_ENGINE - 1, 0);

	/* One address space is not enough for several processes. */
	if (gaudi_shared)
		return 0;
	if (gaudi_nic_ports_mask != GAUDI_NIC_PORTS_AUTO)
		return gaudi_nic_ports_mask & all;
	return le64_to_cpu(info->link_mask[0]) & all;
}

/* What firmware does not know, or knows wrongly, gets an address of our own. */
static void gaudi_nic_take_macs(struct gaudi_device *gdev,
				const struct gaudi_cpucp_nic_info *info)
{
	unsigned int port;

	for (port = 0; port < GAUDI_NUM_NIC_ENGINE; port++) {
		u8 *mac = gdev->nic->port[port].mac;

		ether_addr_copy(mac, info->mac[port]);
		if (!is_valid_ether_addr(mac))
			eth_random_addr(mac);
	}
}

static int gaudi_nic_alloc(struct gaudi_device *gdev)
{
	struct device *dev = &gdev->pdev->dev;
	unsigned int port;

	for_each_nic_port(gdev, port) {
		struct gaudi_nic_port *p = &gdev->nic->port[port];

		p->fifo = dmam_alloc_coherent(dev, GAUDI_NIC_FIFO_LEN *
					      sizeof(*p->fifo), &p->fifo_dma,
					      GFP_KERNEL);
		if (!p->fifo)
			return -ENOMEM;
	}
	return gaudi_queues_add_nic(gdev);
}

/* Once; without an answer there are none. */
static int gaudi_nic_find(struct gaudi_device *gdev)
{
	struct gaudi_cpucp_nic_info *info __free(kfree) =
		kzalloc(sizeof(*info), GFP_KERNEL);
	int ret;

	if (!info)
		return -ENOMEM;
	ret = gaudi_cpucp_fetch(gdev, GAUDI_CPUCP_PKT(GAUDI_CPUCP_NIC_INFO_GET),
				NULL, info, sizeof(*info));
	if (ret) {
		drm_info(&gdev->drm, "firmware knows no ports (%d)\n", ret);
		memset(info, 0, sizeof(*info));
	}
	gaudi_nic_take_macs(gdev, info);
	gdev->nic->external = le64_to_cpu(info->link_ext_mask[0]) &
			      GENMASK(GAUDI_NUM_NIC_ENGINE - 1, 0);
	WRITE_ONCE(gdev->nic_ports, gaudi_nic_choose(info));
	ret = gaudi_nic_alloc(gdev);
	if (ret)
		WRITE_ONCE(gdev->nic_ports, 0);
	return ret;
}

u16 gaudi_nic_external(struct gaudi_device *gdev)
{
	return gdev->nic->external & gdev->nic_ports;
}

/* --- On and off --- */

int gaudi_nic_hw_init(struct gaudi_device *gdev)
{
	struct gaudi_nic *nic = gdev->nic;
	unsigned int port;
	int ret;

	if (!gaudi_nic_ports_mask || gaudi_shared)
		return 0;
	guard(mutex)(&nic->lock);
	if (!nic->found) {
		ret = gaudi_nic_find(gdev);
		if (ret)
			return ret;
		nic->found = true;
	}
	if (!gdev->nic_ports)
		return 0;
	/* No context is valid. */
	ret = gaudi_kjob_memset(gdev, GAUDI_HBM_DRV_BASE, 0,
				GAUDI_NIC_TABLES_END - GAUDI_HBM_DRV_BASE);
	if (ret)
		return ret;
	gaudi_engines_init_nic(gdev, gaudi_queue_pq_addr);
	gaudi_mmu_set_nic_asid(gdev, GAUDI_USER_ASID);
	for_each_nic_port(gdev, port)
		gaudi_nic_port_on(gdev, port);
	nic->on = true;
	return 0;
}

void gaudi_nic_start(struct gaudi_device *gdev)
{
	unsigned int port;

	if (!gdev->nic_ports)
		return;
	guard(mutex)(&gdev->nic->lock);
	for_each_nic_port(gdev, port)
		gaudi_nic_look_at_link(gdev, port);
}

/* --- What a user has --- */

u32 gaudi_nic_count_conns(struct gaudi_nic_port *p)
{
	struct gaudi_nic_conn *conn;
	unsigned long id;
	u32 n = 0;

	xa_for_each(&p->conns, id, conn)
		n++;
	return n;
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_nic_count_conns);

/* The card does not know it any more. */
static void gaudi_nic_forget_conn(struct gaudi_nic_port *p, unsigned long id,
				  struct gaudi_nic_conn *conn)
{
	p->num_requesters -= conn->requester;
	p->num_responders -= conn->responder;
	xa_erase(&p->conns, id);
	kfree(conn);
}

static void gaudi_nic_forget_port(struct gaudi_nic_port *p)
{
	struct gaudi_nic_conn *conn;
	unsigned long id;

	xa_for_each(&p->conns, id, conn)
		gaudi_nic_forget_conn(p, id, conn);
	memset(p->wq, 0, sizeof(p->wq));
	memset(&p->cq, 0, sizeof(p->cq));
	p->ring_addr = 0;
	p->ring_log2 = 0;
	p->timeout_retries = 0;
	p->nack_retries = 0;
}

/* Its contexts are not valid any more: packets under way are the last ones. */
static int gaudi_nic_end_conn(struct gaudi_device *gdev, unsigned int port,
			      unsigned int id, const struct gaudi_nic_conn *conn)
{
	int ret = 0;

	if (conn->requester)
		ret = gaudi_nic_invalidate_ctx(gdev, port, id, true);
	if (!ret && conn->responder)
		ret = gaudi_nic_invalidate_ctx(gdev, port, id, false);
	return ret;
}

/* A port that does not do what it should: nothing less than a reset stops it. */
static int gaudi_nic_failed(struct gaudi_device *gdev, unsigned int port,
			    int ret)
{
	if (!ret)
		return 0;
	if (ret != -ENODEV)
		drm_err(&gdev->drm, "NIC%u does not close connections: %d\n",
			port, ret);
	gaudi_reset_schedule(gdev, GAUDI_RESET_EVENT);
	return -EIO;
}

int gaudi_nic_close_conn(struct gaudi_device *gdev, unsigned int port,
			 unsigned int id, struct gaudi_nic_conn *conn)
{
	int ret;

	ret = gaudi_nic_end_conn(gdev, port, id, conn);
	if (!ret && (conn->requester || conn->responder))
		ret = gaudi_nic_drain(gdev, port);
	/* What the port has told of it is not the next one's with this number. */
	gaudi_nic_take_errors(gdev, port);
	gaudi_nic_forget_conn(&gdev->nic->port[port], id, conn);
	return gaudi_nic_failed(gdev, port, ret);
}

/* All connections, and the port is as when it was turned on. */
static void gaudi_nic_close_port(struct gaudi_device *gdev, unsigned int port)
{
	struct gaudi_nic_port *p = &gdev->nic->port[port];
	bool any = p->num_requesters || p->num_responders;
	struct gaudi_nic_conn *conn;
	unsigned long id;
	int ret = 0;

	xa_for_each(&p->conns, id, conn)
		ret = ret ?: gaudi_nic_end_conn(gdev, port, id, conn);
	if (!ret && any)
		ret = gaudi_nic_drain(gdev, port);
	gaudi_nic_failed(gdev, port, ret);
	any |= p->wq[0].num_entries || p->wq[1].num_entries ||
	       p->cq.num_entries || p->ring_log2 || p->timeout_retries ||
	       p->nack_retries;
	gaudi_nic_forget_port(p);
	if (!any)
		return;
	gaudi_nic_write_wq(gdev, port, GAUDI_NIC_WQ_SEND);
	gaudi_nic_write_wq(gdev, port, GAUDI_NIC_WQ_RECV);
	gaudi_nic_write_cq(gdev, port);
	gaudi_nic_write_params(gdev, port);
}

void gaudi_nic_halt(struct gaudi_device *gdev)
{
	struct gaudi_nic *nic = gdev->nic;
	unsigned int port;

	if (!gdev->nic_ports)
		return;
	guard(mutex)(&nic->lock);
	if (!nic->on)
		return;
	for_each_nic_port(gdev, port) {
		gaudi_nic_port_off(gdev, port);
		gaudi_nic_forget_port(&nic->port[port]);
		WRITE_ONCE(nic->port[port].link_up, false);
	}
	nic->on = false;
}

void gaudi_nic_ctx_init(struct gaudi_ctx *ctx)
{
	struct gaudi_nic *nic = ctx->gdev->nic;

	INIT_KFIFO(ctx->nic->errors);
	if (!ctx->gdev->nic_ports)
		return;
	guard(mutex)(&nic->lock);
	nic->user = ctx;
}

void gaudi_nic_ctx_fini(struct gaudi_ctx *ctx)
{
	struct gaudi_nic *nic = ctx->gdev->nic;
	unsigned int port;

	if (!ctx->gdev->nic_ports)
		return;
	guard(mutex)(&nic->lock);
	if (nic->user != ctx)
		return;
	/* Else a reset, or the removal, has done it. */
	if (nic->on) {
		for_each_nic_port(ctx->gdev, port)
			gaudi_nic_close_port(ctx->gdev, port);
	}
	nic->user = NULL;
}
