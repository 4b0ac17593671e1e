// SPDX-License-Identifier: GPL-2.0-only
/*
 * What ports tell: errors of queue pairs, completions that were lost, links that go
 * up and down.
 *
 * The card writes errors to a FIFO in host memory and rings the embedded CPU, whose
 * event names the port. An error of somebody else's making (packets for numbers that
 * no connection has) is counted, and that is all.
 */
#include <linux/ktime.h>

#include "../core/gaudi_ctx.h"
#include "../core/gaudi_device.h"
#include "../errors/gaudi_reports.h"
#include "../hw/gaudi_reg_io.h"
#include "gaudi_nic_priv.h"

/* Tell a user; the lock is held. */
static void gaudi_nic_report(struct gaudi_device *gdev, struct gaudi_ctx *ctx,
			     const struct drm_gaudi_nic_error *error)
{
	struct gaudi_nic_ctx *c = ctx->nic;
	struct drm_gaudi_nic_error e = *error;

	e.timestamp_ns = ktime_get_ns();
	e.lost = c->lost;
	drm_dbg(&gdev->drm, "NIC%u: connection %u: syndrome %#x\n", e.port,
		e.conn_id, e.syndrome);
	if (kfifo_put(&c->errors, e))
		c->lost = 0;
	else
		c->lost++;
	gaudi_reports_notify_one(gdev, ctx->notifier,
				 HL_NOTIFIER_EVENT_USER_ENGINE_ERR);
}

static void gaudi_nic_qp_error(struct gaudi_device *gdev, unsigned int port,
			       u32 entry)
{
	struct gaudi_nic_port *p = &gdev->nic->port[port];
	struct drm_gaudi_nic_error error = {
		.port = port,
		.conn_id = FIELD_GET(NIC_ERR_QPN, entry),
		.syndrome = FIELD_GET(NIC_ERR_SYNDROME, entry),
		.flags = gaudi_nic_error_flags(entry),
	};
	struct gaudi_nic_conn *conn = xa_load(&p->conns, error.conn_id);

	p->errors++;
	if (conn) {
		conn->errors++;
		gaudi_nic_report(gdev, conn->ctx, &error);
		return;
	}
	/* Doorbells are rung on this side, and there is one who can. */
	if (gdev->nic->user &&
	    (error.syndrome == NIC_SYN_TX_DOORBELL_QP ||
	     error.syndrome == NIC_SYN_TX_DOORBELL_SECURITY))
		gaudi_nic_report(gdev, gdev->nic->user, &error);
	else
		drm_dbg(&gdev->drm, "NIC%u: nobody's queue pair %u: syndrome %#x\n",
			port, error.conn_id, error.syndrome);
}

void gaudi_nic_take_errors(struct gaudi_device *gdev, unsigned int port)
{
	const u32 qpc = GAUDI_NIC_QPC_BASE(port);
	struct gaudi_nic_port *p = &gdev->nic->port[port];
	u32 pi = gaudi_rd(gdev, qpc + NIC_QPC_ERR_FIFO_PRODUCER_INDEX);

	/* Ones, from a card that is gone, would be that as well. */
	if (pi - p->fifo_ci > GAUDI_NIC_FIFO_LEN)
		return;
	dma_rmb();
	for (; p->fifo_ci != pi; p->fifo_ci++)
		gaudi_nic_qp_error(gdev, port, le32_to_cpu(READ_ONCE(
				   p->fifo[p->fifo_ci % GAUDI_NIC_FIFO_LEN])));
	gaudi_wr(gdev, qpc + NIC_QPC_ERR_FIFO_CONSUMER_INDEX, pi);
}

static void gaudi_nic_take_overrun(struct gaudi_device *gdev, unsigned int port)
{
	const u32 rxe = GAUDI_NIC_RXE_BASE(port);
	struct drm_gaudi_nic_error error = {
		.port = port, .flags = GAUDI_NIC_ERR_CQ_OVERRUN,
	};
	u32 cause = gaudi_rd(gdev, rxe + NIC_RXE_MSI_CAUSE);

	if (cause == GAUDI_REG_GONE || !(cause & NIC_RXE_MSI_CAUSE_OVERRUN))
		return;
	gaudi_wr(gdev, rxe + NIC_RXE_MSI_CLR, NIC_RXE_MSI_CAUSE_OVERRUN);
	gdev->nic->port[port].errors++;
	if (gdev->nic->user)
		gaudi_nic_report(gdev, gdev->nic->user, &error);
}

void gaudi_nic_qp_event(struct gaudi_device *gdev, unsigned int port)
{
	guard(mutex)(&gdev->nic->lock);
	if (!gdev->nic->on || !(gdev->nic_ports & BIT(port)))
		return;
	gaudi_nic_take_errors(gdev, port);
	gaudi_nic_take_overrun(gdev, port);
}

void gaudi_nic_look_at_link(struct gaudi_device *gdev, unsigned int port)
{
	struct gaudi_nic_port *p = &gdev->nic->port[port];
	bool up = gaudi_nic_read_link(gdev, port);

	if (!gdev->nic->on || up == p->link_up)
		return;
	WRITE_ONCE(p->link_up, up);
	p->link_changes++;
	drm_info(&gdev->drm, "NIC%u: link %s\n", port, up ? "up" : "down");
}

void gaudi_nic_link_event(struct gaudi_device *gdev, unsigned int port)
{
	guard(mutex)(&gdev->nic->lock);
	if (gdev->nic_ports & BIT(port))
		gaudi_nic_look_at_link(gdev, port);
}

void gaudi_nic_port_info(struct gaudi_device *gdev, unsigned int port,
			 struct drm_gaudi_nic_port_info *info)
{
	struct gaudi_nic *nic = gdev->nic;
	struct gaudi_nic_port *p = &nic->port[port];

	*info = (struct drm_gaudi_nic_port_info) {
		.port = port,
		.speed_mbps = GAUDI_NIC_SPEED_MBPS,
	};
	guard(mutex)(&nic->lock);
	if (nic->external & BIT(port))
		info->flags |= GAUDI_NIC_PORT_EXTERNAL;
	memcpy(info->mac, p->mac, sizeof(info->mac));
	info->link_changes = p->link_changes;
	info->errors = p->errors;
	if (!nic->on || !(gdev->nic_ports & BIT(port)))
		return;
	info->flags |= GAUDI_NIC_PORT_ENABLED;
	if (gaudi_nic_read_link(gdev, port))
		info->flags |= GAUDI_NIC_PORT_LINK_UP;
	gaudi_nic_read_counters(gdev, port, info);
}
