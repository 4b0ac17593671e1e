// SPDX-License-Identifier: GPL-2.0-only
/*
 * Physical queues and completion queues: memory, indices, doorbells.
 *
 * Invariants:
 *  1. pi and ci count up without a limit; the card sees pi modulo 2 * len.
 *     pi - ci entries may still be in use by the card, and are never more
 *     than len.
 *  2. pi, the cookies and cq_pi change under the lock only. ci is atomic,
 *     since entries retire where completions are seen.
 *  3. On an external queue every push with a cookie owns the completion slot
 *     cq_pi. CBs of one stream end in order, so slots fill in order, and
 *     there are as many as queue entries.
 *  4. A queue whose pi the card does not know yet needs a doorbell, which is
 *     written before the lock is released. So pi never goes back in the card.
 */
#include <kunit/visibility.h>
#include <linux/dma-fence.h>
#include <linux/dma-mapping.h>
#include <linux/export.h>
#include <linux/nospec.h>

#include "../../uapi/hw/gaudi_packets.h"
#include "../../uapi/hw/regs/gaudi_qman_regs.h"
#include "../core/gaudi_device.h"
#include "../core/gaudi_trace.h"
#include "../hw/gaudi_blocks.h"
#include "../hw/gaudi_reg_io.h"
#include "gaudi_queue.h"

#define GAUDI_CQ_ENTRIES	4096
#define GAUDI_CQ_MASK		(GAUDI_CQ_ENTRIES - 1)
/* Index of a job in an entry: the slot, and above it the round of the ring. */
#define CQE_INDEX		GENMASK(29, 0)
#define NO_QUEUE		(~0u)

/* Completion side of an external queue. */
struct gaudi_cq {
	__le32 *ring;
	dma_addr_t dma;
	u32 pi;				/* under the queues' lock */
	u32 ci;				/* under cq_lock; read anywhere */
	void *cookies[GAUDI_CQ_ENTRIES];
};

struct gaudi_queue {
	const struct gaudi_qman_desc *qm;
	unsigned int stream;
	struct gaudi_pq_bd *ring;
	dma_addr_t dma;
	u32 len;
	u32 pi;
	atomic_t ci;
	struct gaudi_cq *cq;		/* external queues only */
};

struct gaudi_queues {
	void (*job_done)(struct gaudi_device *gdev, u32 qid, void *cookie);
	/* Protects the submitting side of all queues. Not for interrupts. */
	spinlock_t lock;
	DECLARE_BITMAP(need_doorbell, GAUDI_NUM_QUEUES);
	/* Serialises gaudi_queues_handle_cq(). Taken before lock, if both. */
	struct mutex cq_lock;
	bool cq_closed;			/* under cq_lock: what is there stays */
	atomic_t pollers;		/* see gaudi_queues_poll_begin() */
	u32 used;			/* EXT queues since reset; bits */
	struct gaudi_queue q[GAUDI_NUM_QUEUES];
};

static struct gaudi_queue *gaudi_queue_by_id(struct gaudi_device *gdev, u32 qid)
{
	if (qid >= GAUDI_NUM_QUEUES)
		return NULL;
	/* Users give it. */
	qid = array_index_nospec(qid, GAUDI_NUM_QUEUES);
	return gdev->queues->q[qid].qm ? &gdev->queues->q[qid] : NULL;
}

enum gaudi_queue_type gaudi_queue_type(struct gaudi_device *gdev, u32 qid)
{
	struct gaudi_queue *q = gaudi_queue_by_id(gdev, qid);

	if (qid == GAUDI_QUEUE_CPU)
		return GAUDI_QUEUE_FW;
	if (!q)
		return GAUDI_QUEUE_NONE;
	return q->cq ? GAUDI_QUEUE_EXT : GAUDI_QUEUE_INT;
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_queue_type);

u32 gaudi_queue_len(struct gaudi_device *gdev, u32 qid)
{
	struct gaudi_queue *q = gaudi_queue_by_id(gdev, qid);

	return q ? q->len : 0;
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_queue_len);

u64 gaudi_queue_pq_addr(struct gaudi_device *gdev, u32 qid)
{
	return gaudi_host_dev_addr(gdev->queues->q[qid].dma);
}

u32 gaudi_queue_peek_bds(struct gaudi_device *gdev, u32 qid, u32 ci,
			 u64 *addrs, u32 count)
{
	struct gaudi_queue *q = gaudi_queue_by_id(gdev, qid);
	u32 n;

	if (!q)
		return 0;
	for (n = 0; n < count; n++) {
		struct gaudi_pq_bd *bd = &q->ring[(ci - 1 - n) & (q->len - 1)];

		if (!bd->len)
			break;
		addrs[n] = le64_to_cpu(bd->ptr);
	}
	return n;
}

static int gaudi_queues_init_qman(struct gaudi_device *gdev,
				  const struct gaudi_qman_desc *qm)
{
	size_t bytes = qm->pq_len * sizeof(struct gaudi_pq_bd);
	struct device *dev = &gdev->pdev->dev;
	dma_addr_t dma, cq_dma = 0;
	void *mem, *cq_mem = NULL;
	unsigned int i;

	mem = dmam_alloc_coherent(dev, bytes * GAUDI_NUM_STREAMS, &dma,
				  GFP_KERNEL);
	if (!mem)
		return -ENOMEM;
	if (qm->kind == GAUDI_QMAN_PCI_DMA) {
		cq_mem = dmam_alloc_coherent(dev, GAUDI_NUM_STREAMS *
					     GAUDI_CQ_ENTRIES * sizeof(__le32),
					     &cq_dma, GFP_KERNEL);
		if (!cq_mem)
			return -ENOMEM;
	}

	for (i = 0; i < GAUDI_NUM_STREAMS; i++) {
		struct gaudi_queue *q = &gdev->queues->q[qm->first_qid + i];

		q->stream = i;
		q->len = qm->pq_len;
		q->ring = mem + i * bytes;
		q->dma = dma + i * bytes;
		if (cq_mem) {
			size_t off = i * GAUDI_CQ_ENTRIES * sizeof(__le32);

			q->cq = devm_kzalloc(dev, sizeof(*q->cq), GFP_KERNEL);
			if (!q->cq)
				return -ENOMEM;
			q->cq->ring = cq_mem + off;
			q->cq->dma = cq_dma + off;
		}
		q->qm = qm;
	}
	return 0;
}

int gaudi_queues_init(struct gaudi_device *gdev,
		      void (*job_done)(struct gaudi_device *gdev, u32 qid,
				       void *cookie))
{
	struct device *dev = &gdev->pdev->dev;
	unsigned int i;
	int ret;

	gdev->queues = devm_kzalloc(dev, sizeof(*gdev->queues), GFP_KERNEL);
	if (!gdev->queues)
		return -ENOMEM;
	gdev->queues->job_done = job_done;
	spin_lock_init(&gdev->queues->lock);
	ret = devm_mutex_init(dev, &gdev->queues->cq_lock);
	if (ret)
		return ret;
	for (i = 0; i < GAUDI_NUM_USED_QMANS; i++) {
		ret = gaudi_queues_init_qman(gdev, &gaudi_qmans[i]);
		if (ret)
			return ret;
	}
	return 0;
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_queues_init);

int gaudi_queues_add_nic(struct gaudi_device *gdev)
{
	unsigned int port;
	int ret;

	for_each_nic_port(gdev, port) {
		ret = gaudi_queues_init_qman(gdev, gaudi_nic_qman(port));
		if (ret)
			return ret;
	}
	return 0;
}

void gaudi_queues_reset(struct gaudi_device *gdev)
{
	unsigned int i;

	guard(mutex)(&gdev->queues->cq_lock);
	gdev->queues->cq_closed = false;
	guard(gaudi_queues)(gdev);
	gdev->queues->used = 0;
	bitmap_zero(gdev->queues->need_doorbell, GAUDI_NUM_QUEUES);
	for (i = 0; i < GAUDI_NUM_QUEUES; i++) {
		struct gaudi_queue *q = &gdev->queues->q[i];

		if (!q->qm)
			continue;
		q->pi = 0;
		atomic_set(&q->ci, 0);
		memset(q->ring, 0, q->len * sizeof(*q->ring));
		if (!q->cq)
			continue;
		/* All others are NULL: pages of them may never have been used. */
		while (q->cq->ci != q->cq->pi)
			q->cq->cookies[q->cq->ci++ & GAUDI_CQ_MASK] = NULL;
		q->cq->pi = 0;
		q->cq->ci = 0;
		memset(q->cq->ring, 0, GAUDI_CQ_ENTRIES * sizeof(__le32));
	}
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_queues_reset);

void gaudi_queues_lock(struct gaudi_device *gdev)
	__acquires(&gdev->queues->lock)
{
	spin_lock(&gdev->queues->lock);
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_queues_lock);

u32 gaudi_queue_room(struct gaudi_device *gdev, u32 qid)
{
	struct gaudi_queue *q = gaudi_queue_by_id(gdev, qid);

	lockdep_assert_held(&gdev->queues->lock);
	if (!q)
		return 0;
	return q->len - (q->pi - (u32)atomic_read(&q->ci));
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_queue_room);

/*
 * What the job at this index writes when it ends. It differs between rounds of
 * the ring: a late entry for a completion that was made up matches no job.
 */
static u32 gaudi_cq_value(u32 index)
{
	return GAUDI_CQE_READY | GAUDI_CQE_SHADOW_INDEX_VALID |
	       FIELD_PREP(CQE_INDEX, index);
}

void gaudi_queue_next_completion(struct gaudi_device *gdev, u32 qid,
				 u64 *cq_dev_addr, u32 *cq_value)
{
	struct gaudi_queue *q = gaudi_queue_by_id(gdev, qid);
	u32 slot;

	lockdep_assert_held(&gdev->queues->lock);
	if (drm_WARN_ON(&gdev->drm, !q || !q->cq))
		return;
	slot = q->cq->pi & GAUDI_CQ_MASK;
	*cq_dev_addr = gaudi_host_dev_addr(q->cq->dma + slot * sizeof(__le32));
	*cq_value = gaudi_cq_value(q->cq->pi);
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_queue_next_completion);

void gaudi_queue_push(struct gaudi_device *gdev, u32 qid, u64 cb_dev_addr,
		      u32 cb_len, void *cookie)
{
	struct gaudi_queue *q = gaudi_queue_by_id(gdev, qid);
	struct gaudi_pq_bd *bd;
	u32 slot = 0;

	lockdep_assert_held(&gdev->queues->lock);
	if (drm_WARN_ON(&gdev->drm, !q))
		return;
	if (q->cq && cookie) {
		slot = q->cq->pi++ & GAUDI_CQ_MASK;
		WRITE_ONCE(q->cq->cookies[slot], cookie);
		WRITE_ONCE(gdev->queues->used, gdev->queues->used | BIT(qid));
	}
	trace_gaudi_queue_push(&gdev->pdev->dev, qid, cb_dev_addr, cb_len);
	bd = &q->ring[q->pi++ & (q->len - 1)];
	bd->ptr = cpu_to_le64(cb_dev_addr);
	bd->len = cpu_to_le32(cb_len);
	bd->ctl = cpu_to_le32(slot);
	__set_bit(qid, gdev->queues->need_doorbell);
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_queue_push);

void gaudi_queues_unlock(struct gaudi_device *gdev)
	__releases(&gdev->queues->lock)
{
	struct gaudi_queues *queues = gdev->queues;
	const struct gaudi_queue *q;
	unsigned int qid;

	for_each_set_bit(qid, queues->need_doorbell, GAUDI_NUM_QUEUES) {
		q = &queues->q[qid];
		/* writel() has the descriptors before it. */
		gaudi_wr(gdev, q->qm->base + QM_PQ_PI(q->stream),
			 q->pi & (2 * q->len - 1));
	}
	bitmap_zero(queues->need_doorbell, GAUDI_NUM_QUEUES);
	spin_unlock(&queues->lock);
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_queues_unlock);

void gaudi_queue_retire(struct gaudi_device *gdev, u32 qid, u32 count)
{
	struct gaudi_queue *q = gaudi_queue_by_id(gdev, qid);

	if (q)
		atomic_add(count, &q->ci);
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_queue_retire);

static bool gaudi_cq_is_ready(const struct gaudi_cq *cq)
{
	u32 ci = READ_ONCE(cq->ci), slot = ci & GAUDI_CQ_MASK;

	return le32_to_cpu(READ_ONCE(cq->ring[slot])) == gaudi_cq_value(ci);
}

static void gaudi_cq_poll(struct gaudi_device *gdev, u32 qid,
			  struct gaudi_queue *q)
{
	struct gaudi_cq *cq = q->cq;
	unsigned int n;

	for (n = 0; n < GAUDI_CQ_ENTRIES; n++) {
		u32 slot = cq->ci & GAUDI_CQ_MASK;
		void *cookie;

		if (!gaudi_cq_is_ready(cq))
			return;
		/* What the job wrote before its completion entry. */
		dma_rmb();
		cookie = READ_ONCE(cq->cookies[slot]);
		cq->cookies[slot] = NULL;
		WRITE_ONCE(cq->ring[slot], 0);
		WRITE_ONCE(cq->ci, cq->ci + 1);
		trace_gaudi_queue_done(&gdev->pdev->dev, qid, slot);
		/* The slot is clean before a new push may take it. */
		smp_mb__before_atomic();
		atomic_inc(&q->ci);
		/*
		 * What gaudi_queues_cq_ready() can miss because it finds this
		 * slot clean was there before the next one is read.
		 */
		smp_mb__after_atomic();
		gdev->queues->job_done(gdev, qid, cookie);
	}
}

/* The first queue from qid on with a completion to deal with; or NO_QUEUE. */
static u32 gaudi_cq_next_ready(struct gaudi_device *gdev, u32 qid)
{
	u32 used = READ_ONCE(gdev->queues->used);

	for (; used >> qid; qid++)
		if (used & BIT(qid) &&
		    gaudi_cq_is_ready(gdev->queues->q[qid].cq))
			return qid;
	return NO_QUEUE;
}

/* cq_lock is held. */
static void gaudi_cq_poll_all(struct gaudi_device *gdev)
{
	u32 qid;

	for (qid = gaudi_cq_next_ready(gdev, 0); qid != NO_QUEUE;
	     qid = gaudi_cq_next_ready(gdev, qid + 1))
		gaudi_cq_poll(gdev, qid, &gdev->queues->q[qid]);
}

void gaudi_queues_handle_cq(struct gaudi_device *gdev)
{
	struct gaudi_queues *queues = gdev->queues;

	if (!gaudi_queues_cq_ready(gdev))
		return;
	guard(mutex)(&queues->cq_lock);
	if (!queues->cq_closed)
		gaudi_cq_poll_all(gdev);
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_queues_handle_cq);

void gaudi_queues_close_cq(struct gaudi_device *gdev)
{
	guard(mutex)(&gdev->queues->cq_lock);
	gaudi_cq_poll_all(gdev);
	gdev->queues->cq_closed = true;
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_queues_close_cq);

bool gaudi_queues_cq_ready(struct gaudi_device *gdev)
{
	return gaudi_cq_next_ready(gdev, 0) != NO_QUEUE;
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_queues_cq_ready);

bool gaudi_queues_polled(struct gaudi_device *gdev)
{
	return atomic_read(&gdev->queues->pollers);
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_queues_polled);

void gaudi_queues_poll_begin(struct gaudi_device *gdev)
{
	atomic_inc(&gdev->queues->pollers);
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_queues_poll_begin);

void gaudi_queues_poll_end(struct gaudi_device *gdev)
{
	bool cookie = dma_fence_begin_signalling();

	gaudi_queues_handle_cq(gdev);
	/*
	 * A full barrier: an entry whose interrupt found this poller counted is
	 * seen below, at the latest.
	 */
	atomic_dec_return(&gdev->queues->pollers);
	gaudi_queues_handle_cq(gdev);
	dma_fence_end_signalling(cookie);
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_queues_poll_end);

void gaudi_queues_complete_lost(struct gaudi_device *gdev)
{
	struct gaudi_queues *queues = gdev->queues;
	bool lost;
	u32 qid;

	guard(mutex)(&queues->cq_lock);
	for (qid = 0; qid < GAUDI_NUM_EXT_QUEUES; qid++) {
		struct gaudi_queue *q = &queues->q[qid];

		gaudi_cq_poll(gdev, qid, q);
		for (;;) {
			void *cookie;

			scoped_guard(spinlock, &queues->lock) {
				u32 slot = q->cq->ci & GAUDI_CQ_MASK;

				lost = q->cq->ci != q->cq->pi;
				if (!lost)
					break;
				cookie = q->cq->cookies[slot];
				q->cq->cookies[slot] = NULL;
				WRITE_ONCE(q->cq->ci, q->cq->ci + 1);
				atomic_inc(&q->ci);
			}
			if (!lost)
				break;
			gdev->queues->job_done(gdev, qid, cookie);
		}
	}
}
EXPORT_SYMBOL_IF_KUNIT(gaudi_queues_complete_lost);
