// SPDX-License-Identifier: GPL-2.0-only
/*
 * Command buffers: the CB ioctl, the pool of kernel command buffers, and the
 * completion packets at a buffer's end.
 */
#include <linux/dma-mapping.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include <drm/drm_file.h>

#include "../../uapi/hw/gaudi_packets.h"
#include "../../uapi/hw/regs/gaudi_pcie_regs.h"
#include "../context/gaudi_user.h"
#include "../core/gaudi_device.h"
#include "../core/gaudi_dma.h"
#include "gaudi_buf.h"
#include "gaudi_cb.h"

#define KCB_MIN_ORDER	PAGE_SHIFT
#define KCB_MAX_ORDER	21
#define KCB_NUM_ORDERS	(KCB_MAX_ORDER - KCB_MIN_ORDER + 1)
/* Idle buffers that are kept for the next submission, in total. */
#define KCB_MAX_CACHED	SZ_8M

struct gaudi_kcb_pool {
	spinlock_t lock;	/* lists and cached; leaf */
	struct list_head idle[KCB_NUM_ORDERS];
	size_t cached;		/* bytes on the lists */
};

void gaudi_kcb_free(struct gaudi_device *gdev, struct gaudi_kcb *kcb)
{
	gaudi_dma_free(gdev, 1ul << kcb->order, kcb->vaddr, kcb->dma);
	kfree(kcb);
}

static struct gaudi_kcb *gaudi_kcb_alloc(struct gaudi_device *gdev,
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

struct gaudi_kcb *gaudi_kcb_get(struct gaudi_device *gdev, size_t size,
				gfp_t gfp)
{
	struct gaudi_kcb_pool *pool = gdev->cs_mgr->kcbs;
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
	return kcb ?: gaudi_kcb_alloc(gdev, order, gfp);
}

void gaudi_kcb_put(struct gaudi_device *gdev, struct gaudi_kcb *kcb)
{
	struct gaudi_kcb_pool *pool = gdev->cs_mgr->kcbs;
	bool keep;

	spin_lock(&pool->lock);
	keep = pool->cached + (1ul << kcb->order) <= KCB_MAX_CACHED;
	if (keep) {
		list_add(&kcb->node, &pool->idle[kcb->order - KCB_MIN_ORDER]);
		pool->cached += 1ul << kcb->order;
	}
	spin_unlock(&pool->lock);
	if (!keep)
		gaudi_kcb_free(gdev, kcb);
}

int gaudi_kcb_pool_init(struct gaudi_device *gdev)
{
	struct gaudi_kcb_pool *pool = kzalloc(sizeof(*pool), GFP_KERNEL);
	unsigned int i;

	if (!pool)
		return -ENOMEM;
	spin_lock_init(&pool->lock);
	for (i = 0; i < KCB_NUM_ORDERS; i++)
		INIT_LIST_HEAD(&pool->idle[i]);
	gdev->cs_mgr->kcbs = pool;
	return 0;
}

void gaudi_kcb_pool_drain(struct gaudi_device *gdev)
{
	struct gaudi_kcb_pool *pool = gdev->cs_mgr->kcbs;
	struct gaudi_kcb *kcb, *next;
	LIST_HEAD(idle);
	unsigned int i;

	scoped_guard(spinlock, &pool->lock) {
		for (i = 0; i < KCB_NUM_ORDERS; i++)
			list_splice_init(&pool->idle[i], &idle);
		pool->cached = 0;
	}
	list_for_each_entry_safe(kcb, next, &idle, node)
		gaudi_kcb_free(gdev, kcb);
}

void gaudi_kcb_pool_fini(struct gaudi_device *gdev)
{
	struct gaudi_kcb_pool *pool = gdev->cs_mgr->kcbs;

	if (!pool)
		return;
	gaudi_kcb_pool_drain(gdev);
	kfree(pool);
	gdev->cs_mgr->kcbs = NULL;
}

u32 gaudi_cb_size_with_tail(u32 size)
{
	u32 line_end = round_up(size, GAUDI_CB_LINE_SIZE);

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

static void gaudi_cb_unmap(struct gaudi_buf *buf)
{
	struct gaudi_ctx *ctx = container_of(buf->owner, struct gaudi_ctx,
					     bufs);

	gaudi_vm_unmap_coherent(ctx, buf->private);
	kfree(buf->private);
}

/*
 * Internal queues can read a CB at a virtual address. (External ones read a
 * copy, wherever it is.)
 */
static int gaudi_cb_map(struct gaudi_ctx *ctx, struct gaudi_buf *buf)
{
	struct drm_mm_node *va = kzalloc(sizeof(*va), GFP_KERNEL_ACCOUNT);
	int rc;

	if (!va)
		return -ENOMEM;
	rc = gaudi_vm_map_coherent(ctx, va, buf->dma, PAGE_ALIGN(buf->size));
	if (rc) {
		kfree(va);
		return rc;
	}
	buf->private = va;
	buf->on_release = gaudi_cb_unmap;
	return 0;
}

static int gaudi_cb_create(struct gaudi_ctx *ctx, u32 size, u32 flags,
			   u64 *handle)
{
	struct gaudi_buf *buf;
	int rc;

	*handle = 0;
	if (size > HL_MAX_CB_SIZE)
		return -EINVAL;
	buf = gaudi_buf_create(&ctx->bufs, GAUDI_BUF_CB,
			       max_t(size_t, size, PAGE_SIZE));
	if (IS_ERR(buf))
		return PTR_ERR(buf);
	rc = flags & HL_CB_FLAGS_MAP ? gaudi_cb_map(ctx, buf) : 0;
	if (rc) {
		gaudi_buf_put(buf);
		return rc;
	}
	return gaudi_buf_publish(buf, handle);
}

static int gaudi_cb_info(struct gaudi_ctx *ctx, u64 handle, u32 flags,
			 struct hl_cb_out *out)
{
	struct gaudi_buf *buf = gaudi_buf_get(&ctx->bufs, handle,
					      GAUDI_BUF_CB);
	struct drm_mm_node *va;
	int rc = 0;

	if (!buf)
		return -EINVAL;
	va = buf->private;
	memset(out, 0, sizeof(*out));
	if (!(flags & HL_CB_FLAGS_GET_DEVICE_VA))
		out->usage_cnt = atomic_read(&buf->cs_count);
	else if (va)
		out->device_va = va->start;
	else
		rc = -EINVAL;
	gaudi_buf_put(buf);
	return rc;
}

static int gaudi_cb_dispatch(struct gaudi_ctx *ctx, union hl_cb_args *args)
{
	struct hl_cb_out out;
	u64 handle;
	int rc;

	if (!gaudi_device_operational(ctx->gdev))
		return -EBUSY;
	switch (args->in.op) {
	case HL_CB_OP_CREATE:
		rc = gaudi_cb_create(ctx, args->in.cb_size, args->in.flags,
				     &handle);
		memset(args, 0, sizeof(*args));
		args->out.cb_handle = handle;
		return rc;
	case HL_CB_OP_DESTROY:
		return gaudi_buf_destroy(&ctx->bufs, args->in.cb_handle,
					 GAUDI_BUF_CB);
	case HL_CB_OP_INFO:
		rc = gaudi_cb_info(ctx, args->in.cb_handle, args->in.flags,
				   &out);
		if (!rc)
			args->out = out;
		return rc;
	default:
		return -EINVAL;
	}
}

int gaudi_cb_ioctl(struct drm_device *drm, void *data, struct drm_file *file)
{
	struct gaudi_device *gdev = to_gaudi_device(drm);
	int rc, idx;

	if (!gaudi_device_enter(gdev, &idx))
		return -ENODEV;
	rc = gaudi_cb_dispatch(file->driver_priv, data);
	gaudi_device_exit(gdev, idx);
	return rc;
}
