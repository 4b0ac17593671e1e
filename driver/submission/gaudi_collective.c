// SPDX-License-Identifier: GPL-2.0-only
/*
 * Collective waits: one submission on stream s of an external queue (the master), of
 * each port that is used, and of the engine that reduces, DMA 5 or TPC 7 (the
 * slaves). A slave waits for the user's signal and then adds one to its sync object
 * (SOB); the master waits for the SOBs of all slaves. So what the user has put on
 * the slaves' queues before has begun when the submission ends.
 *
 * The packets are mainline's, and so are the numbers of SOBs and monitors, all of
 * W_S. A group of 16 SOBs, of which 11 are used, counts for each stream; when it has
 * counted to its end the stream goes on with its other group. Of the monitors each
 * external queue has two, and each stream of a slave has one.
 *
 * Slaves are internal queues, which read their buffers as the user: these lie in
 * memory that is mapped at the virtual addresses that mainline reserves for it. A user's
 * engines may overwrite them. They cannot do more than a user's own buffers.
 */
#include <linux/slab.h>

#include <drm/drm_drv.h>
#include <drm/drm_managed.h>

#include "../../uapi/hw/gaudi_packets.h"
#include "../../uapi/hw/regs/gaudi_sync_mngr_regs.h"
#include "../core/gaudi_ctx.h"
#include "../core/gaudi_device.h"
#include "../core/gaudi_dma.h"
#include "../hw/gaudi_blocks.h"
#include "../hw/gaudi_reg_io.h"
#include "../memory/gaudi_memory.h"
#include "../queues/gaudi_kcb.h"
#include "gaudi_cs.h"
#include "gaudi_cs_priv.h"
#include "gaudi_submission.h"

#define NUM_GROUPS		2		/* of each stream */
#define GROUP_SIZE		16
#define ENGINE_SOB		GAUDI_NUM_NIC_ENGINE	/* behind the ports' */
#define SOBS_PER_MONITOR	8
#define MONS_PER_MASTER		2
#define FIRST_SLAVE_MON		(MONS_PER_MASTER * GAUDI_NUM_EXT_QUEUES)
#define MAX_SLAVES		(GAUDI_NUM_NIC_ENGINE + 1)

/* Buffers of the slaves of one submission. */
#define SLAVE_CB_SIZE		(GAUDI_WAIT_CB_SIZE + GAUDI_SIGNAL_CB_SIZE)
#define SLAVE_CB_STRIDE		64
#define PLACE_SIZE		SZ_1K
#define NUM_PLACES		256

static_assert(SLAVE_CB_SIZE <= SLAVE_CB_STRIDE);
static_assert(MAX_SLAVES * SLAVE_CB_STRIDE <= PLACE_SIZE);

struct gaudi_collective_group {
	u16 users;		/* submissions that have not ended */
	bool full;		/* clear it when the last user is gone */
};

struct gaudi_collective_stream {
	struct gaudi_collective_group group[NUM_GROUPS];
	u32 cur;
	u32 next_val;		/* that the next submission waits for */
};

struct gaudi_collective {
	spinlock_t lock;	/* everything below, and contexts' places */
	struct gaudi_collective_stream stream[GAUDI_NUM_STREAMS];
};

/* A context's buffers. */
struct gaudi_collective_pool {
	void *vaddr;
	dma_addr_t dma;
	u64 va;
	DECLARE_BITMAP(used, NUM_PLACES);
};

static u32 gaudi_collective_sob(unsigned int stream, unsigned int group)
{
	return (stream * NUM_GROUPS + group) * GROUP_SIZE;
}

static void gaudi_collective_clear(struct gaudi_device *gdev,
				   unsigned int stream, unsigned int group)
{
	u32 sob = gaudi_collective_sob(stream, group), i;
	int idx;

	if (!drm_dev_enter(&gdev->drm, &idx))
		return;
	for (i = 0; i <= ENGINE_SOB; i++)
		gaudi_wr(gdev, GAUDI_SYNC_MNGR_W_S_BASE +
			 SYNC_MNGR_SOB_OBJ(sob + i), 0);
	drm_dev_exit(idx);
}

/* --- A context's buffers --- */

static struct gaudi_collective_pool *
gaudi_collective_pool_new(struct gaudi_ctx *ctx)
{
	struct gaudi_collective_pool *pool = kzalloc(sizeof(*pool),
						     GFP_KERNEL_ACCOUNT);
	int rc;

	if (!pool)
		return ERR_PTR(-ENOMEM);
	pool->vaddr = gaudi_dma_alloc(ctx->gdev, NUM_PLACES * PLACE_SIZE,
				      &pool->dma, GFP_KERNEL_ACCOUNT);
	if (!pool->vaddr) {
		rc = -ENOMEM;
		goto free_pool;
	}
	rc = gaudi_vm_map_reserved(ctx, pool->dma, NUM_PLACES * PLACE_SIZE,
				   &pool->va);
	if (rc)
		goto free_memory;
	return pool;

free_memory:
	gaudi_dma_free(ctx->gdev, NUM_PLACES * PLACE_SIZE, pool->vaddr,
		       pool->dma);
free_pool:
	kfree(pool);
	return ERR_PTR(rc);
}

static struct gaudi_collective_pool *
gaudi_collective_pool_of(struct gaudi_ctx *ctx)
{
	struct gaudi_collective_pool *pool;

	guard(mutex)(&ctx->cs->collective_lock);
	pool = ctx->cs->collective;
	if (pool)
		return pool;
	pool = gaudi_collective_pool_new(ctx);
	if (!IS_ERR(pool))
		ctx->cs->collective = pool;
	return pool;
}

void gaudi_collective_ctx_fini(struct gaudi_ctx *ctx)
{
	struct gaudi_collective_pool *pool = ctx->cs->collective;

	if (!pool)
		return;
	ctx->cs->collective = NULL;
	gaudi_vm_unmap_reserved(ctx, NUM_PLACES * PLACE_SIZE);
	gaudi_dma_free(ctx->gdev, NUM_PLACES * PLACE_SIZE, pool->vaddr,
		       pool->dma);
	kfree(pool);
}

/* --- Submissions --- */

bool gaudi_collective_supported(struct gaudi_device *gdev, u32 engine_id)
{
	return gdev->nic_ports && (engine_id == GAUDI_ENGINE_ID_DMA_5 ||
				   engine_id == GAUDI_ENGINE_ID_TPC_7);
}

static u32 gaudi_collective_engine_qid(u32 engine_id)
{
	return engine_id == GAUDI_ENGINE_ID_DMA_5 ? GAUDI_QUEUE_ID_DMA_5_0 :
						    GAUDI_QUEUE_ID_TPC_7_0;
}

/* Monitors are numbered as queues are: DMA 5, TPC 7, ports. */
static u16 gaudi_collective_slave_mon(u32 qid)
{
	u32 n = qid - GAUDI_QUEUE_ID_NIC_0_0 + 2 * GAUDI_NUM_STREAMS;

	if (qid < GAUDI_QUEUE_ID_TPC_7_0)
		n = qid - GAUDI_QUEUE_ID_DMA_5_0;
	else if (qid < GAUDI_QUEUE_ID_NIC_0_0)
		n = qid - GAUDI_QUEUE_ID_TPC_7_0 + GAUDI_NUM_STREAMS;
	return FIRST_SLAVE_MON + n;
}

static void gaudi_collective_init_jobs(struct gaudi_cs *cs, u32 qid,
				       u32 engine_id)
{
	struct gaudi_device *gdev = cs->ctx->gdev;
	u32 stream = qid % GAUDI_NUM_STREAMS, i = 1;
	struct gaudi_job *master = &cs->jobs[0];
	unsigned int port;

	master->qid = qid;
	master->ext = true;
	for_each_nic_port(gdev, port)
		cs->jobs[i++].qid = gaudi_nic_qman(port)->first_qid + stream;
	cs->jobs[i].qid = gaudi_collective_engine_qid(engine_id) + stream;
}

/* Where the slaves' buffers of a submission are; -EAGAIN: there is no room. */
static int gaudi_collective_take_place(struct gaudi_cs *cs)
{
	struct gaudi_collective *col = cs->ctx->gdev->cs_mgr->collective;
	struct gaudi_collective_pool *pool = cs->ctx->cs->collective;
	u32 i;

	spin_lock(&col->lock);
	cs->place = find_first_zero_bit(pool->used, NUM_PLACES);
	if (cs->place < NUM_PLACES) {
		__set_bit(cs->place, pool->used);
		cs->has_place = true;
	}
	spin_unlock(&col->lock);
	if (!cs->has_place)
		return -EAGAIN;
	for (i = 1; i < cs->num_jobs; i++) {
		cs->jobs[i].addr = pool->va + cs->place * PLACE_SIZE +
				   (i - 1) * SLAVE_CB_STRIDE;
		cs->jobs[i].size = SLAVE_CB_SIZE;
	}
	return 0;
}

struct gaudi_cs *gaudi_collective_create(struct gaudi_ctx *ctx, u32 qid,
					 u32 engine_id, u32 flags,
					 unsigned long timeout)
{
	struct gaudi_collective_pool *pool = gaudi_collective_pool_of(ctx);
	struct gaudi_job *master;
	struct gaudi_cs *cs;
	int rc;

	if (IS_ERR(pool)) {
		gaudi_cs_count_drop(ctx, GAUDI_CS_DROP_NO_MEMORY);
		return ERR_CAST(pool);
	}
	cs = gaudi_cs_create(ctx, GAUDI_CS_COLLECTIVE,
			     hweight_long(ctx->gdev->nic_ports) + 2, flags,
			     timeout);
	if (IS_ERR(cs))
		return cs;
	gaudi_collective_init_jobs(cs, qid, engine_id);
	rc = gaudi_collective_take_place(cs);
	if (rc) {
		gaudi_cs_count_drop(ctx, GAUDI_CS_DROP_QUEUE_FULL);
		goto put;
	}
	master = &cs->jobs[0];
	master->used = MONS_PER_MASTER * GAUDI_WAIT_CB_SIZE;
	master->size = master->used + GAUDI_CB_TAIL_SIZE;
	master->kcb = gaudi_kcb_alloc(ctx->gdev, master->size, GFP_KERNEL);
	if (!master->kcb) {
		gaudi_cs_count_drop(ctx, GAUDI_CS_DROP_NO_MEMORY);
		rc = -EFAULT;
		goto put;
	}
	return cs;

put:
	gaudi_cs_put(cs);
	return ERR_PTR(rc);
}

/* The stream's other group, if this one is used up. The lock is held. */
static int gaudi_collective_next_group(struct gaudi_device *gdev,
				       struct gaudi_collective_stream *st,
				       unsigned int stream)
{
	struct gaudi_collective_group *g = &st->group[st->cur];
	struct gaudi_collective_group *other = &st->group[!st->cur];

	if (st->next_val < GAUDI_SOB_END)
		return 0;
	if (other->users || other->full)
		return -EAGAIN;
	g->full = g->users;
	if (!g->users)
		gaudi_collective_clear(gdev, stream, st->cur);
	st->cur = !st->cur;
	st->next_val = 1;
	return 0;
}

/* The group and value of the next submission; -EAGAIN: both groups are in use. */
static int gaudi_collective_advance(struct gaudi_cs *cs, u32 *sob, u32 *val)
{
	struct gaudi_collective *col = cs->ctx->gdev->cs_mgr->collective;
	u32 stream = cs->jobs[0].qid % GAUDI_NUM_STREAMS;
	struct gaudi_collective_stream *st = &col->stream[stream];
	int rc;

	spin_lock(&col->lock);
	rc = gaudi_collective_next_group(cs->ctx->gdev, st, stream);
	if (!rc) {
		st->group[st->cur].users++;
		cs->group = st->cur;
		cs->has_group = true;
		*sob = gaudi_collective_sob(stream, st->cur);
		*val = st->next_val++;
	}
	spin_unlock(&col->lock);
	return rc;
}

static u32 gaudi_collective_slave_sob(const struct gaudi_job *job, u32 sob)
{
	int port = gaudi_nic_port_of_queue(job->qid);

	return sob + (port < 0 ? ENGINE_SOB : port);
}

static void gaudi_collective_write_slave(struct gaudi_cs *cs, u32 i,
					 const struct gaudi_sob_wait *user,
					 u32 sob)
{
	struct gaudi_collective_pool *pool = cs->ctx->cs->collective;
	struct gaudi_job *job = &cs->jobs[i];
	void *at = pool->vaddr + cs->place * PLACE_SIZE +
		   (i - 1) * SLAVE_CB_STRIDE;

	at = gaudi_signals_add_wait(at, job->qid,
				    gaudi_collective_slave_mon(job->qid), user);
	gaudi_signals_add_signal(at, gaudi_collective_slave_sob(job, sob),
				 GAUDI_PKT_CTL_RB | GAUDI_PKT_CTL_MB);
}

/* For all slaves: eight sync objects a monitor. */
static void gaudi_collective_write_master(struct gaudi_cs *cs, u32 sob, u32 val)
{
	u32 mask = cs->ctx->gdev->nic_ports | BIT(ENGINE_SOB), m;
	struct gaudi_job *job = &cs->jobs[0];
	void *at = job->kcb->vaddr;

	for (m = 0; m < MONS_PER_MASTER; m++) {
		struct gaudi_sob_wait wait = {
			.sob = sob + m * SOBS_PER_MONITOR,
			.mask = mask >> m * SOBS_PER_MONITOR,
			.val = val,
		};

		/* No port of the first eight is used. */
		if (!wait.mask)
			continue;
		at = gaudi_signals_add_wait(at, job->qid, job->qid *
					    MONS_PER_MASTER + m, &wait);
	}
	job->used = at - job->kcb->vaddr;
	job->size = job->used + GAUDI_CB_TAIL_SIZE;
}

int gaudi_collective_prepare(struct gaudi_cs *cs,
			     const struct gaudi_sob_wait *user)
{
	u32 sob, val, i;
	int rc;

	rc = gaudi_collective_advance(cs, &sob, &val);
	if (rc)
		return rc;
	gaudi_collective_write_master(cs, sob, val);
	for (i = 1; i < cs->num_jobs; i++)
		gaudi_collective_write_slave(cs, i, user, sob);
	return 0;
}

void gaudi_collective_cancel(struct gaudi_cs *cs)
{
	struct gaudi_device *gdev = cs->ctx->gdev;
	struct gaudi_collective *col = gdev->cs_mgr->collective;

	/* No other one came in between: the queues' lock is held. */
	spin_lock(&col->lock);
	col->stream[cs->jobs[0].qid % GAUDI_NUM_STREAMS].next_val--;
	spin_unlock(&col->lock);
}

/* The lock is held. */
static void gaudi_collective_put_group(struct gaudi_device *gdev,
				       struct gaudi_collective *col,
				       unsigned int stream, unsigned int group)
{
	struct gaudi_collective_group *g = &col->stream[stream].group[group];

	/* A reset clears the counts; users that end later have nothing to drop. */
	if (!g->users || --g->users || !g->full)
		return;
	g->full = false;
	gaudi_collective_clear(gdev, stream, group);
}

void gaudi_collective_cs_done(struct gaudi_cs *cs)
{
	struct gaudi_device *gdev = cs->ctx->gdev;
	struct gaudi_collective *col = gdev->cs_mgr->collective;

	spin_lock(&col->lock);
	if (cs->has_place)
		__clear_bit(cs->place, cs->ctx->cs->collective->used);
	if (cs->has_group)
		gaudi_collective_put_group(gdev, col, cs->jobs[0].qid %
					   GAUDI_NUM_STREAMS, cs->group);
	spin_unlock(&col->lock);
}

/* --- The card's part --- */

void gaudi_collective_reset(struct gaudi_device *gdev)
{
	struct gaudi_collective *col = gdev->cs_mgr->collective;
	unsigned int i;

	if (!col)
		return;
	spin_lock(&col->lock);
	memset(col->stream, 0, sizeof(col->stream));
	for (i = 0; i < GAUDI_NUM_STREAMS; i++)
		col->stream[i].next_val = 1;
	spin_unlock(&col->lock);
}

void gaudi_collective_open(struct gaudi_device *gdev)
{
	unsigned int stream, group;

	if (!gdev->cs_mgr->collective)
		return;
	gaudi_collective_reset(gdev);
	for (stream = 0; stream < GAUDI_NUM_STREAMS; stream++)
		for (group = 0; group < NUM_GROUPS; group++)
			gaudi_collective_clear(gdev, stream, group);
}

int gaudi_collective_init(struct gaudi_device *gdev)
{
	struct gaudi_collective *col;

	if (!gdev->nic_ports)
		return 0;
	col = drmm_kzalloc(&gdev->drm, sizeof(*col), GFP_KERNEL);
	if (!col)
		return -ENOMEM;
	spin_lock_init(&col->lock);
	gdev->cs_mgr->collective = col;
	gaudi_collective_reset(gdev);
	return 0;
}
