/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The room of the NIC: ports that lead to other cards, the connections (queue pairs)
 * that users have on them, and what is told of both.
 *
 *   gaudi_nic.c	which ports there are; on, off, and what users have of them
 *   gaudi_nic_hw.c	registers of a port, contexts by its gateway
 *   gaudi_nic_words.c	contexts in the hardware's layout
 *   gaudi_nic_ops.c	the calls of uapi/drm/gaudi_nic.h, one function each
 *   gaudi_nic_ioctl.c	... and what they have in common
 *   gaudi_nic_event.c	errors of connections, links that go up and down
 *   gaudi_nic_show.c	connections as text
 *
 * It owns the ports' registers, the tables of contexts in HBM, and the FIFOs of
 * errors. gaudi_device.nic_ports says which ports are used: what firmware finds, or
 * the parameter nic_ports_mask. If none is, nothing here does anything. In shared
 * mode none is: the card knows one address space for its connections.
 *
 * Locks: gaudi_nic.lock, a mutex, is held by calls, events, and whoever turns ports on
 * or off. It is inside of the gate and of gaudi_ctxs.lock.
 *
 * It offers bring-up and halt, a context's part, the ioctl, events, and what can be
 * read of a port.
 */
#ifndef GAUDI_PORTS_H
#define GAUDI_PORTS_H

#include <linux/kfifo.h>
#include <linux/types.h>

#include "../../uapi/drm/gaudi_nic.h"

struct drm_device;
struct drm_file;
struct gaudi_ctx;
struct gaudi_device;
struct seq_file;

/* Part of a context; under gaudi_nic.lock. */
struct gaudi_nic_ctx {
	DECLARE_KFIFO(errors, struct drm_gaudi_nic_error, 64);
	u32 lost;		/* for which there was no room */
};

/**
 * gaudi_nic_init() - Make the room's part of the device
 * @gdev: the card
 *
 * Freed with the last reference to the DRM device.
 *
 * Context: Probe.
 * Return: 0 or an errno.
 */
int gaudi_nic_init(struct gaudi_device *gdev);

/**
 * gaudi_nic_hw_init() - Turn the ports on
 * @gdev: the card
 *
 * In the probe it also finds out which ports there are. The driver's own jobs can
 * run.
 *
 * Context: Bring-up and reset. May sleep.
 * Return: 0 or an errno.
 */
int gaudi_nic_hw_init(struct gaudi_device *gdev);

/**
 * gaudi_nic_start() - The card is operational: look at the links
 * @gdev: the card
 *
 * Their later changes are events.
 *
 * Context: May sleep; takes gaudi_nic.lock.
 */
void gaudi_nic_start(struct gaudi_device *gdev);

/**
 * gaudi_nic_halt() - Turn the ports off
 * @gdev: the card
 *
 * Peers see that their links go down. When it returns no port touches memory. All
 * connections are forgotten.
 *
 * Context: May sleep; takes gaudi_nic.lock.
 */
void gaudi_nic_halt(struct gaudi_device *gdev);

/**
 * gaudi_nic_ctx_init() - A file was opened: the ports are its
 * @ctx: the context
 *
 * Context: May sleep; takes gaudi_nic.lock.
 */
void gaudi_nic_ctx_init(struct gaudi_ctx *ctx);

/**
 * gaudi_nic_ctx_fini() - End what a context has of the ports
 * @ctx: the context
 *
 * Before its memory is given back: when it returns, no connection touches that, or
 * a reset is requested and gaudi_vm_fini() waits for it.
 *
 * Context: May sleep; takes gaudi_nic.lock.
 */
void gaudi_nic_ctx_fini(struct gaudi_ctx *ctx);

/**
 * gaudi_nic_ioctl() - DRM_IOCTL_GAUDI_NIC
 * @drm: the DRM device
 * @data: struct drm_gaudi_nic
 * @file: the open file
 *
 * Context: DRM's callback. May sleep.
 * Return: 0 or an errno.
 */
int gaudi_nic_ioctl(struct drm_device *drm, void *data, struct drm_file *file);

/**
 * gaudi_nic_qp_event() - A port has noted errors of queue pairs
 * @gdev: the card
 * @port: the port
 *
 * Whoever has the connections is notified.
 *
 * Context: May sleep; takes gaudi_nic.lock.
 */
void gaudi_nic_qp_event(struct gaudi_device *gdev, unsigned int port);

/**
 * gaudi_nic_link_event() - A port's link has changed
 * @gdev: the card
 * @port: the port
 *
 * Context: May sleep; takes gaudi_nic.lock.
 */
void gaudi_nic_link_event(struct gaudi_device *gdev, unsigned int port);

/**
 * gaudi_nic_external() - Which of the used ports leave the box
 * @gdev: the card
 *
 * Context: Any context.
 * Return: Bits.
 */
u16 gaudi_nic_external(struct gaudi_device *gdev);

/**
 * gaudi_nic_port_info() - What there is to know of a port
 * @gdev: the card
 * @port: the port; it need not be used
 * @info: where it is put
 *
 * The card is not in a reset.
 *
 * Context: May sleep; takes gaudi_nic.lock.
 */
void gaudi_nic_port_info(struct gaudi_device *gdev, unsigned int port,
			 struct drm_gaudi_nic_port_info *info);

/**
 * gaudi_nic_show_conns() - Print all connections
 * @gdev: the card
 * @s: where to
 *
 * The card is not in a reset.
 *
 * Context: May sleep; takes gaudi_nic.lock.
 * Return: 0, or an errno if the card does not answer.
 */
int gaudi_nic_show_conns(struct gaudi_device *gdev, struct seq_file *s);

#endif /* GAUDI_PORTS_H */
