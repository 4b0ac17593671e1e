// SPDX-License-Identifier: GPL-2.0-only
/* The list of contexts: a walk holds a reference to where it is. */
#include <linux/cleanup.h>

#include "gaudi_ctx.h"
#include "gaudi_device.h"

struct gaudi_ctx *gaudi_ctx_next(struct gaudi_device *gdev,
				 struct gaudi_ctx *prev)
{
	struct gaudi_ctxs *all = gdev->ctxs;
	struct gaudi_ctx *ctx, *next = NULL;

	if (!all)
		return NULL;
	scoped_guard(mutex, &all->lock) {
		/* With a reference it is on the list still. */
		ctx = list_prepare_entry(prev, &all->list, node);
		list_for_each_entry_continue(ctx, &all->list, node) {
			if (!kref_get_unless_zero(&ctx->refs))
				continue;
			next = ctx;
			break;
		}
	}
	if (prev)
		gaudi_ctx_put(prev);
	return next;
}
