// SPDX-License-Identifier: GPL-2.0-only
/*
 * The pool of kernel command buffers, and the completion packets at a buffer's
 * end.
 */
#include <linux/log2.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include <drm/drm_managed.h>

#include "../../uapi/hw/gaudi_packets.h"
#include "../../uapi/hw/regs/gaudi_pcie_regs.h"
#include "../core/gaudi_device.h"
#include "../core/gaudi_dma.h"
#include "gaudi_kcb.h"

#define KCB_MIN_ORDER	PAGE_SHIFT
#define KCB_MAX_ORDER	21
#define KCB_NUM_ORDERS	(KCB_MAX_ORDER - KCB_MIN_ORDER + 1)
/* Idle buffers that are kept for the next submission, in total. */
#define KCB_MAX_CACHED	SZ_8M

/* The tail of a buffer never straddles a line of this size. */
#define KCB_LINE_SIZE	128u

struct gaudi_kcb_pool {
	spinlock_t lock;	/* lists and cached; leaf */
	struct list_head idle[KCB_NUM_ORDERS];
	size_t cached;		/* bytes on the lists */
};

void gaudi_kcb_destroy(struct gaudi_device *gdev, struct gaudi_kcb *kcb)
{
	gaudi_dma_free(gdev, 1ul << kcb->order, kcb->vaddr, kcb->dma);
	kfree(kcb);
}

static struct gaudi_kcb *gaudi_kcb_create(struct gaudi_device *gdev,
					  unsigned int order, gfp_t gfp)
{
	struct gaudi_kcb *kcb = kmalloc(sizeof(*kcb), gfp);

	if (!kcb)
		return NULL;
	kcb->order = order;
	kcb->vaddr = gaudi_dma_alloc(gdev, 1ul << order, &kcb->dma,
				     gfp | __GFP_NOWARN);
	if (!kcb->vaddr) {
		kfree(kcb);
		return NULL;
	}
	return kcb;
}

struct gaudi_kcb *gaudi_kcb_alloc(struct gaudi_device *gdev, size_t size,
				  gfp_t gfp)
{
	struct gaudi_kcb_pool *pool = gdev->kcbs;
	unsigned int order = max_t(unsigned int, order_base_2(size),
				   KCB_MIN_ORDER);
	struct gaudi_kcb *kcb;

	if (order > KCB_MAX_ORDER)
		return NULL;
	spin_lock(&pool->lock);
	kcb = list_first_entry_or_null(&pool->idle[order - KCB_MIN_ORDER],
				       struct gaudi_kcb, node);
	if (kcb) {
		list_del(&kcb->node);
		pool->cached -= 1ul << order;
	}
	spin_unlock(&pool->lock);
	return kcb ?: gaudi_kcb_create(gdev, order, gfp);
}

void gaudi_kcb_free(struct gaudi_device *gdev, struct gaudi_kcb *kcb)
{
	struct gaudi_kcb_pool *pool = gdev->kcbs;
	bool keep;

	spin_lock(&pool->lock);
	keep = pool->cached + (1ul << kcb->order) <= KCB_MAX_CACHED;
	if (keep) {
		list_add(&kcb->node, &pool->idle[kcb->order - KCB_MIN_ORDER]);
		pool->cached += 1ul << kcb->order;
	}
	spin_unlock(&pool->lock);
	if (!keep)
		gaudi_kcb_destroy(gdev, kcb);
}

int gaudi_kcb_pool_init(struct gaudi_device *gdev)
{
	struct gaudi_kcb_pool *pool = drmm_kzalloc(&gdev->drm, sizeof(*pool),
						   GFP_KERNEL);
	unsigned int i;

	if (!pool)
		return -ENOMEM;
	spin_lock_init(&pool->lock);
	for (i = 0; i < KCB_NUM_ORDERS; i++)
		INIT_LIST_HEAD(&pool->idle[i]);
	gdev->kcbs = pool;
	return 0;
}

void gaudi_kcb_pool_drain(struct gaudi_device *gdev)
{
	struct gaudi_kcb_pool *pool = gdev->kcbs;
	struct gaudi_kcb *kcb, *next;
	LIST_HEAD(idle);
	unsigned int i;

	scoped_guard(spinlock, &pool->lock) {
		for (i = 0; i < KCB_NUM_ORDERS; i++)
			list_splice_init(&pool->idle[i], &idle);
		pool->cached = 0;
	}
	list_for_each_entry_safe(kcb, next, &idle, node)
		gaudi_kcb_destroy(gdev, kcb);
}

u32 gaudi_cb_size_with_tail(u32 size)
{
	u32 line_end = round_up(size, KCB_LINE_SIZE);

	if (size + GAUDI_CB_TAIL_SIZE > line_end)
		return line_end + GAUDI_CB_TAIL_SIZE;
	return size + GAUDI_CB_TAIL_SIZE;
}

void gaudi_cb_add_tail(void *cb, u32 used, u32 size, u64 cq_addr, u32 value,
		       bool eb)
{
	u32 prot = FIELD_PREP(GAUDI_PKT_CTL_OPCODE, GAUDI_PKT_MSG_PROT) |
		   GAUDI_PKT_CTL_MB;
	struct gaudi_packet_msg_long *msg = cb + size - GAUDI_CB_TAIL_SIZE;
	struct gaudi_packet_nop *nop = cb + used;

	for (; (void *)nop < (void *)msg; nop++) {
		nop->reserved = 0;
		nop->ctl = cpu_to_le32(FIELD_PREP(GAUDI_PKT_CTL_OPCODE,
						  GAUDI_PKT_NOP));
	}
	msg->value = cpu_to_le32(value);
	msg->ctl = cpu_to_le32(prot | (eb ? GAUDI_PKT_CTL_EB : 0));
	msg->addr = cpu_to_le64(cq_addr);
	msg++;
	msg->value = cpu_to_le32(1);
	msg->ctl = cpu_to_le32(prot);
	msg->addr = cpu_to_le64(GAUDI_CFG_BASE + GAUDI_PCIE_CORE_BASE +
				PCIE_CORE_MSI_REQ);
}
