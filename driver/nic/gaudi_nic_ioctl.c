// SPDX-License-Identifier: GPL-2.0-only
/*
 * DRM_IOCTL_GAUDI_NIC: which call it is, its structures in and out, and whether the
 * card can be asked.
 */
#include <linux/nospec.h>
#include <linux/pagemap.h>
#include <linux/uaccess.h>

#include <drm/drm_file.h>

#include "../core/gaudi_ctx.h"
#include "../core/gaudi_device.h"
#include "../core/gaudi_gate.h"
#include "gaudi_nic_priv.h"

static const struct gaudi_nic_op *gaudi_nic_find_op(u32 op)
{
	unsigned int i;

	for (i = 0; i < gaudi_nic_num_ops; i++)
		if (gaudi_nic_ops[i].op == op)
			return &gaudi_nic_ops[i];
	return NULL;
}

/* What callers of the first version passed is all there is, so far. */
static int gaudi_nic_check_args(const struct drm_gaudi_nic *args,
				const struct gaudi_nic_op *op)
{
	if (args->ctx || args->in_size < op->in_size ||
	    args->out_size < op->out_size)
		return -EINVAL;
	/* So much is never known: to look at all of it would take long. */
	return args->in_size > PAGE_SIZE ? -E2BIG : 0;
}

/* The port, if it is used; ERR_PTR(-ENXIO). */
static struct gaudi_nic_port *gaudi_nic_find_port(struct gaudi_device *gdev,
						  u32 port)
{
	if (port >= GAUDI_NUM_NIC_ENGINE)
		return ERR_PTR(-ENXIO);
	port = array_index_nospec(port, GAUDI_NUM_NIC_ENGINE);
	if (!(gdev->nic_ports & BIT(port)))
		return ERR_PTR(-ENXIO);
	return &gdev->nic->port[port];
}

/* The lock is held, the ports are on. Calls without arguments are for no port. */
static int gaudi_nic_call_port(struct gaudi_ctx *ctx,
			       const struct gaudi_nic_op *op, const void *in,
			       void *out)
{
	struct gaudi_nic_port *p = NULL;

	if (op->in_size) {
		p = gaudi_nic_find_port(ctx->gdev,
					*(const u32 *)(in + op->port_at));
		if (IS_ERR(p))
			return PTR_ERR(p);
	}
	return op->fn(ctx, p, in, out);
}

static int gaudi_nic_call(struct gaudi_ctx *ctx, const struct gaudi_nic_op *op,
			  const void *in, void *out)
{
	struct gaudi_device *gdev = ctx->gdev;
	int ret;

	if (gaudi_reset_enter(gdev))
		return -EBUSY;
	if (op->always) {
		ret = op->fn(ctx, NULL, in, out);
	} else if (!gdev->nic_ports) {
		ret = -EOPNOTSUPP;
	} else {
		guard(mutex)(&gdev->nic->lock);
		ret = gaudi_nic_call_port(ctx, op, in, out);
		if (ret == -ETIMEDOUT) {
			drm_err(&gdev->drm, "NIC: a port does not answer\n");
			gaudi_reset_schedule(gdev, GAUDI_RESET_EVENT);
			ret = -EIO;
		}
	}
	gaudi_reset_exit(gdev);
	return ret;
}

int gaudi_nic_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	u64 in[DIV_ROUND_UP(GAUDI_NIC_MAX_ARGS, sizeof(u64))] = {};
	u64 out[DIV_ROUND_UP(GAUDI_NIC_MAX_ARGS, sizeof(u64))] = {};
	struct gaudi_ctx *ctx = file->driver_priv;
	struct drm_gaudi_nic *args = data;
	const struct gaudi_nic_op *op = gaudi_nic_find_op(args->op);
	int ret, idx;

	if (!op)
		return -ENOTTY;
	ret = gaudi_nic_check_args(args, op);
	if (ret)
		return ret;
	/* Nothing is done whose outcome nobody would learn. */
	if (op->out_size &&
	    fault_in_safe_writeable(u64_to_user_ptr(args->out_ptr), op->out_size))
		return -EFAULT;
	if (op->in_size) {
		ret = copy_struct_from_user(in, op->in_size,
					    u64_to_user_ptr(args->in_ptr),
					    args->in_size);
		if (ret)
			return ret;
	}
	if (!gaudi_device_enter(ctx->gdev, &idx))
		return -ENODEV;
	ret = gaudi_nic_call(ctx, op, in, out);
	gaudi_device_exit(ctx->gdev, idx);
	if (!ret && op->out_size &&
	    copy_to_user(u64_to_user_ptr(args->out_ptr), out, op->out_size))
		ret = -EFAULT;
	return ret;
}
