// SPDX-License-Identifier: GPL-2.0-only
/*
 * Signal and wait-for-signal submissions, and reserved (encapsulated) signals.
 *
 * Each external queue owns two sync objects (SOBs) and one monitor of sync
 * manager W_S, in shared mode for each context. A signal adds one to the
 * queue's current SOB; a wait arms the waiting queue's monitor for the value
 * that the signal reaches. A SOB counts to 2^15 - 1; then the queue goes on
 * with its other SOB, and the full one is cleared when it has no users any
 * more.
 */
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <drm/drm_drv.h>
#include <drm/drm_managed.h>

#include "../../uapi/hw/gaudi_packets.h"
#include "../../uapi/hw/regs/gaudi_qman_regs.h"
#include "../../uapi/hw/regs/gaudi_sync_mngr_regs.h"
#include "../core/gaudi_ctx.h"
#include "../core/gaudi_device.h"
#include "../hw/gaudi_blocks.h"
#include "../hw/gaudi_reg_io.h"
#include "../queues/gaudi_kcb.h"
#include "../queues/gaudi_queue.h"
#include "gaudi_cs.h"
#include "gaudi_cs_priv.h"
#include "gaudi_submission.h"

#define SOBS_PER_STREAM		2
/* The fence counter of a queue that wait packets use. */
#define WAIT_FENCE		2

/* MSG_SHORT base registers as set up for the external queues. */
#define BASE_W_S_MON		2
#define BASE_W_S_SOB		3

static_assert(GAUDI_SIGNAL_CB_SIZE == sizeof(struct gaudi_packet_msg_short));
static_assert(GAUDI_WAIT_CB_SIZE == 4 * sizeof(struct gaudi_packet_msg_short) +
				    sizeof(struct gaudi_packet_fence));

/*
 * Reservations that a context has at a time. With it, and what may be in
 * flight, users of a SOB stay countable, and a loop over all is short.
 */
#define MAX_RESERVATIONS	GAUDI_MAX_PENDING_CS

struct gaudi_sob {
	u16 id;			/* in W_S */
	u16 users;		/* signals, waits and reservations not done */
	bool full;		/* clear it when the last user is gone */
};

/*
 * Signals that a user reserved to send them from command buffers of a staged
 * submission (encapsulated signals).
 */
struct gaudi_reservation {
	struct kref refs;		/* handle, wait CS */
	struct gaudi_ctx *ctx;
	struct gaudi_sob *sob;
	u32 id;				/* in gaudi_cs_ctx.reservations */
	u32 qid;
	u32 count;
	u32 first_val;			/* of the first signal */
	u64 cs_seq;			/* that sends them; U64_MAX: none yet */
};

struct gaudi_stream {
	struct gaudi_sob sob[SOBS_PER_STREAM];
	u32 cur;		/* which SOB takes the next signal */
	u32 next_val;		/* value that the next signal makes */
	u16 mon;
};

/* What a context uses: the set of its slot. */
struct gaudi_signal_set {
	struct gaudi_stream stream[GAUDI_NUM_EXT_QUEUES];
};

struct gaudi_signals {
	spinlock_t lock;	/* everything below */
	u32 num_sets;
	struct gaudi_signal_set set[] __counted_by(num_sets);
};

static struct gaudi_stream *gaudi_stream_of(struct gaudi_ctx *ctx, u32 qid)
{
	return &ctx->gdev->cs_mgr->signals->set[ctx->slot].stream[qid];
}

static u32 gaudi_sob_offset(const struct gaudi_sob *sob)
{
	return GAUDI_SYNC_MNGR_W_S_BASE + SYNC_MNGR_SOB_OBJ(sob->id);
}

static void gaudi_sob_clear(struct gaudi_device *gdev, struct gaudi_sob *sob)
{
	int idx;

	sob->full = false;
	if (!drm_dev_enter(&gdev->drm, &idx))
		return;
	gaudi_wr(gdev, gaudi_sob_offset(sob), 0);
	drm_dev_exit(idx);
}

static void gaudi_sob_put_locked(struct gaudi_device *gdev,
				 struct gaudi_sob *sob)
{
	/*
	 * A reset clears the counts; users that end later have nothing to drop.
	 */
	if (!sob->users)
		return;
	if (!--sob->users && sob->full)
		gaudi_sob_clear(gdev, sob);
}

/*
 * Take the next count values of the stream. If they do not fit, the stream
 * moves to its other SOB. A single signal may still be the full SOB's last;
 * reserved ones start in the new SOB. Returns the SOB the stream is at then.
 */
static struct gaudi_sob *gaudi_stream_advance(struct gaudi_device *gdev,
					      struct gaudi_stream *st,
					      u32 count, bool reserve)
{
	struct gaudi_sob *sob = &st->sob[st->cur], *other;

	if (st->next_val + count < GAUDI_SOB_END) {
		st->next_val += count;
		sob->users++;
		return sob;
	}
	other = &st->sob[!st->cur];
	if (other->users || other->full)
		return NULL;
	sob->full = true;
	if (reserve) {
		other->users++;
		if (!sob->users)
			gaudi_sob_clear(gdev, sob);
	} else {
		sob->users++;
	}
	st->cur = !st->cur;
	st->next_val = reserve ? count + 1 : count;
	return other;
}

static void gaudi_signals_msg_short(struct gaudi_packet_msg_short *pkt,
				    u32 base, u16 addr, u32 value, u32 barriers)
{
	pkt->value = cpu_to_le32(value);
	pkt->ctl = cpu_to_le32(FIELD_PREP(GAUDI_PKT_CTL_OPCODE,
					  GAUDI_PKT_MSG_SHORT) |
			       FIELD_PREP(GAUDI_MSG_SHORT_CTL_BASE, base) |
			       FIELD_PREP(GAUDI_MSG_SHORT_CTL_ADDR, addr) |
			       barriers);
}

void *gaudi_signals_add_signal(void *at, u16 sob, u32 barriers)
{
	gaudi_signals_msg_short(at, BASE_W_S_SOB, sob * 4,
				FIELD_PREP(SYNC_MNGR_SOB_OBJ_VAL, 1) |
				SYNC_MNGR_SOB_OBJ_INC,
				barriers);
	return at + sizeof(struct gaudi_packet_msg_short);
}

static int gaudi_signals_prepare_signal(struct gaudi_cs *cs)
{
	struct gaudi_device *gdev = cs->ctx->gdev;
	struct gaudi_signals *sig = gdev->cs_mgr->signals;
	struct gaudi_job *job = &cs->jobs[0];
	struct gaudi_stream *st = gaudi_stream_of(cs->ctx, job->qid);
	struct gaudi_sob *sob, *now;
	u32 val;

	spin_lock(&sig->lock);
	sob = &st->sob[st->cur];
	val = st->next_val;
	now = gaudi_stream_advance(gdev, st, 1, false);
	if (now) {
		cs->fence->sob = sob;
		cs->fence->sob_val = val;
		cs->sob_addr_offset = gaudi_sob_offset(now);
		cs->sob_count_before = st->next_val - 1;
	}
	spin_unlock(&sig->lock);
	if (!now)
		return -EINVAL;
	/* All work before the signal must be done: engine barrier. */
	gaudi_signals_add_signal(job->kcb->vaddr, sob->id,
				 GAUDI_PKT_CTL_EB | GAUDI_PKT_CTL_RB |
					 GAUDI_PKT_CTL_MB);
	return 0;
}

void *gaudi_signals_add_wait(void *at, u32 qid, u16 mon,
			     const struct gaudi_sob_wait *wait)
{
	const struct gaudi_qman_desc *qm = gaudi_qman_of_queue(qid);
	u64 addr = GAUDI_CFG_BASE + qm->base +
		   QM_CP_FENCE_RDATA(WAIT_FENCE, qid - qm->first_qid);
	struct gaudi_packet_msg_short *pkt = at;
	struct gaudi_packet_fence *fence;
	u32 base = SYNC_MNGR_MON_PAY_ADDRL(0);
	u32 arm = FIELD_PREP(SYNC_MNGR_MON_ARM_SID, wait->sob / 8) |
		  FIELD_PREP(SYNC_MNGR_MON_ARM_MASK,
			     (u8)~(wait->mask << wait->sob % 8)) |
		  FIELD_PREP(SYNC_MNGR_MON_ARM_SOD, wait->val);

	gaudi_signals_msg_short(pkt++, BASE_W_S_MON,
				SYNC_MNGR_MON_PAY_ADDRL(mon) - base,
				lower_32_bits(addr), GAUDI_PKT_CTL_RB);
	gaudi_signals_msg_short(pkt++, BASE_W_S_MON,
				SYNC_MNGR_MON_PAY_ADDRH(mon) - base,
				upper_32_bits(addr), GAUDI_PKT_CTL_RB);
	gaudi_signals_msg_short(pkt++, BASE_W_S_MON,
				SYNC_MNGR_MON_PAY_DATA(mon) - base, 1,
				GAUDI_PKT_CTL_RB);
	gaudi_signals_msg_short(pkt++, BASE_W_S_MON,
				SYNC_MNGR_MON_ARM(mon) - base, arm,
				GAUDI_PKT_CTL_RB | GAUDI_PKT_CTL_MB);
	fence = (void *)pkt;
	fence->cfg = cpu_to_le32(FIELD_PREP(GAUDI_FENCE_CFG_DEC, 1) |
				 FIELD_PREP(GAUDI_FENCE_CFG_TARGET, 1) |
				 FIELD_PREP(GAUDI_FENCE_CFG_ID, WAIT_FENCE));
	fence->ctl = cpu_to_le32(FIELD_PREP(GAUDI_PKT_CTL_OPCODE,
					    GAUDI_PKT_FENCE) |
				 GAUDI_PKT_CTL_RB | GAUDI_PKT_CTL_MB);
	return fence + 1;
}

/*
 * Get the SOB that the CS waits for, and count the CS as its user. Until the
 * signal's fence has signalled, its own count keeps the SOB's value.
 */
static int gaudi_signals_get_wait_sob(struct gaudi_cs *cs,
				      struct gaudi_sob **sob, u32 *val)
{
	struct gaudi_reservation *res = cs->wait_res;

	if (dma_fence_is_signaled(&cs->wait_for->base))
		return -EALREADY;
	if (res) {
		*sob = res->sob;
		*val = res->first_val;
		if (cs->wait_offset)
			*val += cs->wait_offset - 1;
	} else {
		*sob = cs->wait_for->sob;
		*val = cs->wait_for->sob_val;
	}
	/* No SOB: the number was guessed, the signal was not pushed yet. */
	if (!*sob)
		return -EINVAL;
	(*sob)->users++;
	return 0;
}

static int gaudi_signals_prepare_wait(struct gaudi_cs *cs)
{
	struct gaudi_signals *sig = cs->ctx->gdev->cs_mgr->signals;
	struct gaudi_job *job = &cs->jobs[0];
	struct gaudi_sob_wait wait = { .mask = 1 };
	struct gaudi_sob *sob;
	int rc;

	spin_lock(&sig->lock);
	rc = gaudi_signals_get_wait_sob(cs, &sob, &wait.val);
	spin_unlock(&sig->lock);
	if (rc)
		return rc;
	cs->fence->sob = sob;
	cs->fence->sob_val = wait.val;
	wait.sob = sob->id;
	if (cs->type == GAUDI_CS_COLLECTIVE)
		return gaudi_collective_prepare(cs, &wait);
	gaudi_signals_add_wait(job->kcb->vaddr, job->qid,
			       gaudi_stream_of(cs->ctx, job->qid)->mon, &wait);
	return 0;
}

int gaudi_signals_prepare(struct gaudi_cs *cs)
{
	if (cs->type == GAUDI_CS_SIGNAL)
		return gaudi_signals_prepare_signal(cs);
	return gaudi_signals_prepare_wait(cs);
}

static void gaudi_reservation_release(struct kref *refs)
{
	struct gaudi_reservation *res = container_of(refs,
						     struct gaudi_reservation,
						     refs);

	xa_erase(&res->ctx->cs->reservations, res->id);
	kfree(res);
}

static void gaudi_reservation_put(struct gaudi_reservation *res)
{
	kref_put(&res->refs, gaudi_reservation_release);
}

int gaudi_signals_attach(struct gaudi_cs *cs)
{
	struct xarray *xa = &cs->ctx->cs->reservations;
	struct gaudi_reservation *res;

	xa_lock(xa);
	res = xa_load(xa, cs->res_id);
	if (res && res->cs_seq == U64_MAX) {
		res->cs_seq = cs->seq;
		/* From now on the CS holds the handle's reference and SOB. */
		cs->res = res;
		cs->fence->sob = res->sob;
		cs->fence->sob_val = res->first_val + res->count;
	}
	xa_unlock(xa);
	return cs->res ? 0 : -EINVAL;
}

void gaudi_signals_cs_done(struct gaudi_cs *cs)
{
	struct gaudi_device *gdev = cs->ctx->gdev;
	struct gaudi_signals *sig = gdev->cs_mgr->signals;

	if (cs->type == GAUDI_CS_COLLECTIVE)
		gaudi_collective_cs_done(cs);
	if (cs->fence->sob) {
		spin_lock(&sig->lock);
		gaudi_sob_put_locked(gdev, cs->fence->sob);
		spin_unlock(&sig->lock);
	}
	if (cs->res)
		gaudi_reservation_put(cs->res);
	if (cs->wait_res)
		gaudi_reservation_put(cs->wait_res);
	if (cs->wait_for)
		dma_fence_put(&cs->wait_for->base);
}

int gaudi_signals_reserve(struct gaudi_ctx *ctx, u32 qid, u32 count, u32 *id,
			  u32 *sob_addr, u32 *next_val)
{
	struct gaudi_device *gdev = ctx->gdev;
	struct gaudi_signals *sig = gdev->cs_mgr->signals;
	struct gaudi_reservation *res;
	struct gaudi_stream *st;
	int rc;

	if (count >= GAUDI_SOB_END || qid >= GAUDI_NUM_EXT_QUEUES)
		return -EINVAL;
	res = kzalloc(sizeof(*res), GFP_KERNEL_ACCOUNT);
	if (!res)
		return -ENOMEM;
	kref_init(&res->refs);
	res->ctx = ctx;
	res->qid = qid;
	res->count = count;
	res->cs_seq = U64_MAX;
	st = gaudi_stream_of(ctx, qid);
	/* A number first, the entry last: half a reservation is never found. */
	static_assert(MAX_RESERVATIONS + GAUDI_MAX_PENDING_CS <= U16_MAX);
	rc = xa_alloc(&ctx->cs->reservations, &res->id, NULL,
		      XA_LIMIT(1, MAX_RESERVATIONS), GFP_KERNEL_ACCOUNT);
	if (rc) {
		kfree(res);
		return -EINVAL;
	}
	spin_lock(&sig->lock);
	res->sob = gaudi_stream_advance(gdev, st, count, true);
	if (res->sob) {
		res->first_val = st->next_val - count;
		*next_val = st->next_val;
		*sob_addr = gaudi_sob_offset(res->sob);
	}
	spin_unlock(&sig->lock);
	if (!res->sob) {
		xa_erase(&ctx->cs->reservations, res->id);
		kfree(res);
		return -EINVAL;
	}
	*id = res->id;
	/* Cannot fail: the entry's place exists. */
	xa_store(&ctx->cs->reservations, res->id, res, GFP_KERNEL_ACCOUNT);
	return 0;
}

int gaudi_signals_unreserve(struct gaudi_ctx *ctx, u32 id)
{
	struct gaudi_device *gdev = ctx->gdev;
	struct gaudi_signals *sig = gdev->cs_mgr->signals;
	struct xarray *xa = &ctx->cs->reservations;
	struct gaudi_reservation *res;
	struct gaudi_stream *st;
	int rc = -EINVAL;

	xa_lock(xa);
	res = xa_load(xa, id);
	if (!res || res->cs_seq != U64_MAX) {
		xa_unlock(xa);
		return -EINVAL;
	}
	st = gaudi_stream_of(ctx, res->qid);
	spin_lock(&sig->lock);
	/* Only the last signals of a stream can be given back. */
	if (res->sob == &st->sob[st->cur] &&
	    res->first_val + res->count == st->next_val) {
		st->next_val -= res->count;
		gaudi_sob_put_locked(gdev, res->sob);
		res->cs_seq = 0;	/* not to be attached any more */
		rc = 0;
	}
	spin_unlock(&sig->lock);
	xa_unlock(xa);
	if (!rc)
		gaudi_reservation_put(res);
	return rc;
}

void gaudi_signals_drop_reservations(struct gaudi_ctx *ctx)
{
	struct gaudi_device *gdev = ctx->gdev;
	struct gaudi_signals *sig = gdev->cs_mgr->signals;
	struct xarray *xa = &ctx->cs->reservations;
	struct gaudi_reservation *res;
	unsigned long id;
	bool mine;

	xa_for_each(xa, id, res) {
		xa_lock(xa);
		mine = xa_load(xa, id) == res && res->cs_seq == U64_MAX;
		if (mine)
			res->cs_seq = 0;
		xa_unlock(xa);
		if (!mine)
			continue;
		scoped_guard(spinlock, &sig->lock)
			gaudi_sob_put_locked(gdev, res->sob);
		gaudi_reservation_put(res);
	}
}

/* The lock is held. */
static void gaudi_signals_reset_set(struct gaudi_signals *sig,
				    const struct gaudi_share *share, u32 n)
{
	u32 sob = n * share->sobs + share->drv_sob;
	u32 mon = n * share->mons + share->drv_mon;
	u32 q, i;

	for (q = 0; q < GAUDI_NUM_EXT_QUEUES; q++) {
		struct gaudi_stream *st = &sig->set[n].stream[q];

		st->cur = 0;
		st->next_val = 1;
		st->mon = mon++;
		for (i = 0; i < SOBS_PER_STREAM; i++) {
			st->sob[i].id = sob++;
			st->sob[i].users = 0;
			st->sob[i].full = false;
		}
	}
}

void gaudi_signals_open(struct gaudi_ctx *ctx)
{
	struct gaudi_signals *sig = ctx->gdev->cs_mgr->signals;
	u32 q, i;

	spin_lock(&sig->lock);
	gaudi_signals_reset_set(sig, ctx->gdev->share, ctx->slot);
	for (q = 0; q < GAUDI_NUM_EXT_QUEUES; q++)
		for (i = 0; i < SOBS_PER_STREAM; i++)
			gaudi_sob_clear(ctx->gdev,
					&gaudi_stream_of(ctx, q)->sob[i]);
	spin_unlock(&sig->lock);
	gaudi_collective_open(ctx->gdev);
}

/* What the SOB should hold when only these values are still to come. */
static u32 gaudi_sob_expected(struct gaudi_ctx *ctx,
			      const struct list_head *pending,
			      const struct gaudi_sob *sob, u32 value)
{
	struct gaudi_reservation *res;
	struct gaudi_cs *cs;
	unsigned long id;

	list_for_each_entry(cs, pending, slice_node) {
		if (cs->type == GAUDI_CS_SIGNAL && cs->fence->sob == sob)
			value = min(value, cs->fence->sob_val - 1);
		if (cs->res && cs->res->sob == sob)
			value = min(value, cs->res->first_val - 1);
	}
	xa_for_each(&ctx->cs->reservations, id, res)
		if (res->cs_seq == U64_MAX && res->sob == sob)
			value = min(value, res->first_val - 1);
	return value;
}

void gaudi_signals_resync(struct gaudi_ctx *ctx,
			  const struct list_head *pending)
{
	struct gaudi_device *gdev = ctx->gdev;
	struct gaudi_signals *sig = gdev->cs_mgr->signals;
	u32 q, i, value;

	xa_lock(&ctx->cs->reservations);
	spin_lock(&sig->lock);
	for (q = 0; q < GAUDI_NUM_EXT_QUEUES; q++) {
		struct gaudi_stream *st = gaudi_stream_of(ctx, q);

		for (i = 0; i < SOBS_PER_STREAM; i++) {
			struct gaudi_sob *sob = &st->sob[i];

			if (i != st->cur && !sob->users)
				continue;
			value = gaudi_sob_expected(ctx, pending, sob, i == st->cur ?
						   st->next_val - 1 :
						   GAUDI_SOB_END - 1);
			gaudi_wr(gdev, gaudi_sob_offset(sob),
				 FIELD_PREP(SYNC_MNGR_SOB_OBJ_VAL, value));
		}
	}
	spin_unlock(&sig->lock);
	xa_unlock(&ctx->cs->reservations);
}

void gaudi_signals_reset(struct gaudi_device *gdev)
{
	struct gaudi_signals *sig = gdev->cs_mgr->signals;
	u32 n;

	static_assert(GAUDI_NUM_EXT_QUEUES * SOBS_PER_STREAM == GAUDI_DRV_SOBS);
	static_assert(GAUDI_NUM_EXT_QUEUES == GAUDI_DRV_MONS);
	scoped_guard(spinlock, &sig->lock)
		for (n = 0; n < sig->num_sets; n++)
			gaudi_signals_reset_set(sig, gdev->share, n);
	gaudi_collective_reset(gdev);
}

/* The reservation whose signals CS seq sends, with a reference; or NULL. */
static struct gaudi_reservation *
gaudi_reservation_get_by_seq(struct gaudi_ctx *ctx, u64 seq)
{
	struct xarray *xa = &ctx->cs->reservations;
	struct gaudi_reservation *res, *found = NULL;
	unsigned long id;

	xa_lock(xa);
	xa_for_each(xa, id, res) {
		if (res->cs_seq != seq)
			continue;
		if (kref_get_unless_zero(&res->refs))
			found = res;
		break;
	}
	xa_unlock(xa);
	return found;
}

static int gaudi_signals_read_seq(struct gaudi_ctx *ctx,
				  const struct hl_cs_chunk *chunk, u64 *seq)
{
	if (chunk->num_signal_seq_arr != 1) {
		gaudi_cs_count_drop(ctx, GAUDI_CS_DROP_VALIDATION);
		return -EINVAL;
	}
	if (copy_from_user(seq, u64_to_user_ptr(chunk->signal_seq_arr),
			   sizeof(*seq))) {
		gaudi_cs_count_drop(ctx, GAUDI_CS_DROP_VALIDATION);
		return -EFAULT;
	}
	return 0;
}

/*
 * What a wait CS waits for: CS seq. 0 with *fence NULL: nothing, the signal came.
 * The references go to the caller.
 */
static int gaudi_signals_find(struct gaudi_ctx *ctx,
			      const struct hl_cs_chunk *chunk, u64 seq,
			      bool encaps, struct gaudi_fence **fence,
			      struct gaudi_reservation **res)
{
	struct dma_fence *f;

	if (encaps) {
		*res = gaudi_reservation_get_by_seq(ctx, seq);
		if (!*res)
			return 0;
		if (chunk->encaps_signal_offset > (*res)->count)
			return -EINVAL;
	}
	f = gaudi_cs_get_fence(ctx, seq);
	if (IS_ERR(f)) {
		gaudi_cs_count_drop(ctx, GAUDI_CS_DROP_VALIDATION);
		return PTR_ERR(f);
	}
	if (!f)
		return 0;
	if (to_gaudi_fence(f)->type !=
	    (encaps ? GAUDI_CS_DEFAULT : GAUDI_CS_SIGNAL) &&
	    to_gaudi_fence(f)->type != GAUDI_CS_SIGNAL) {
		gaudi_cs_count_drop(ctx, GAUDI_CS_DROP_VALIDATION);
		dma_fence_put(f);
		return -EINVAL;
	}
	if (dma_fence_is_signaled(f))
		dma_fence_put(f);
	else
		*fence = to_gaudi_fence(f);
	return 0;
}

/* A CS with one job, whose packets gaudi_signals_prepare() writes. */
static struct gaudi_cs *gaudi_signals_create_cs(struct gaudi_ctx *ctx,
						enum gaudi_cs_type type,
						u32 qid, u32 flags,
						unsigned long timeout)
{
	struct gaudi_cs *cs = gaudi_cs_create(ctx, type, 1, flags, timeout);
	struct gaudi_job *job;

	if (IS_ERR(cs))
		return cs;
	job = &cs->jobs[0];
	job->qid = qid;
	job->ext = true;
	job->used = type == GAUDI_CS_WAIT ? GAUDI_WAIT_CB_SIZE : GAUDI_SIGNAL_CB_SIZE;
	job->size = job->used + GAUDI_CB_TAIL_SIZE;
	job->kcb = gaudi_kcb_alloc(ctx->gdev, job->size, GFP_KERNEL);
	if (!job->kcb) {
		gaudi_cs_count_drop(ctx, GAUDI_CS_DROP_NO_MEMORY);
		gaudi_cs_put(cs);
		return ERR_PTR(-EFAULT);
	}
	return cs;
}

/* The CS that a call asks for. */
static struct gaudi_cs *gaudi_signals_make_cs(struct gaudi_ctx *ctx,
					      enum gaudi_cs_type type,
					      const struct hl_cs_chunk *chunk,
					      u32 flags, unsigned long timeout)
{
	u32 engine = chunk->collective_engine_id;

	if (type != GAUDI_CS_COLLECTIVE)
		return gaudi_signals_create_cs(ctx, type, chunk->queue_index,
					       flags, timeout);
	if (!gaudi_collective_supported(ctx->gdev, engine))
		return ERR_PTR(-EINVAL);
	return gaudi_collective_create(ctx, chunk->queue_index, engine, flags,
				       timeout);
}

/* wait_seq: of the signal to wait for. The device is entered. */
static int gaudi_signals_submit(struct gaudi_ctx *ctx, enum gaudi_cs_type type,
				const struct hl_cs_chunk *chunk, u64 wait_seq,
				u32 flags, unsigned long timeout, u64 *seq,
				u32 *sob_addr, u16 *sob_count)
{
	struct gaudi_reservation *res = NULL;
	struct gaudi_fence *fence = NULL;
	struct gaudi_cs *cs;
	int rc;

	if (type != GAUDI_CS_SIGNAL) {
		rc = gaudi_signals_find(ctx, chunk, wait_seq,
					flags & HL_CS_FLAGS_ENCAP_SIGNALS,
					&fence, &res);
		if (rc || !fence)
			goto put;
	}
	cs = gaudi_signals_make_cs(ctx, type, chunk, flags, timeout);
	if (IS_ERR(cs)) {
		rc = PTR_ERR(cs);
		goto put;
	}
	/* The CS owns the references from here. */
	cs->wait_for = fence;
	cs->wait_res = res;
	cs->wait_offset = chunk->encaps_signal_offset;
	rc = gaudi_cs_submit(cs);
	if (!rc) {
		*seq = cs->seq;
		*sob_addr = cs->sob_addr_offset;
		*sob_count = cs->sob_count_before;
	}
	gaudi_cs_put(cs);
	/* The signal came in the meantime; there is nothing to wait for. */
	return rc == -EALREADY ? 0 : rc;

put:
	if (fence)
		dma_fence_put(&fence->base);
	if (res)
		gaudi_reservation_put(res);
	return rc;
}

int gaudi_signals_ioctl(struct gaudi_ctx *ctx, enum gaudi_cs_type type,
			const union hl_cs_args *args, unsigned long timeout,
			u64 *seq, u32 *sob_addr, u16 *sob_count)
{
	u32 flags = args->in.cs_flags;
	struct hl_cs_chunk chunk;
	u64 wait_seq;
	int rc, idx;

	if (copy_from_user(&chunk, u64_to_user_ptr(args->in.chunks_execute),
			   sizeof(chunk))) {
		gaudi_cs_count_drop(ctx, GAUDI_CS_DROP_VALIDATION);
		return -EFAULT;
	}
	if (chunk.queue_index >= GAUDI_NUM_EXT_QUEUES ||
	    (type == GAUDI_CS_COLLECTIVE && !ctx->gdev->nic_ports)) {
		gaudi_cs_count_drop(ctx, GAUDI_CS_DROP_VALIDATION);
		return -EINVAL;
	}
	wait_seq = chunk.encaps_signal_seq;
	if (type != GAUDI_CS_SIGNAL && !(flags & HL_CS_FLAGS_ENCAP_SIGNALS)) {
		rc = gaudi_signals_read_seq(ctx, &chunk, &wait_seq);
		if (rc)
			return rc;
	}
	if (!gaudi_device_enter(ctx->gdev, &idx))
		return -ENODEV;
	rc = gaudi_signals_submit(ctx, type, &chunk, wait_seq, flags, timeout,
				  seq, sob_addr, sob_count);
	gaudi_device_exit(ctx->gdev, idx);
	return rc;
}

int gaudi_signals_init(struct gaudi_device *gdev)
{
	struct gaudi_signals *sig =
		drmm_kzalloc(&gdev->drm,
			     struct_size(sig, set, gdev->share->users),
			     GFP_KERNEL);

	if (!sig)
		return -ENOMEM;
	sig->num_sets = gdev->share->users;
	spin_lock_init(&sig->lock);
	gdev->cs_mgr->signals = sig;
	gaudi_signals_reset(gdev);
	return gaudi_collective_init(gdev);
}
