// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/* The queues' part of a snapshot: streams, lower command processors, arbiters. */
#include "qman.h"
#include "../snap/snap.h"

#define BAD_ARBITER	"an arbiter that cannot be so"
#define BAD_CP		"a command processor that cannot be so"

static void entry(struct gaudi_snap *s, struct gaudi_cq_entry *e)
{
	GAUDI_SNAP(s, e->ptr);
	GAUDI_SNAP(s, e->tsize);
	GAUDI_SNAP(s, e->ctl);
	GAUDI_SNAP(s, e->from);
}

static void queues_of(struct gaudi_snap *s, struct gaudi_cp *cp)
{
	unsigned int i;

	GAUDI_SNAP(s, cp->pq_base);
	GAUDI_SNAP(s, cp->pq_size);
	GAUDI_SNAP(s, cp->pi);
	GAUDI_SNAP(s, cp->ci);
	GAUDI_SNAP(s, cp->cq_count);
	if (!gaudi_snap_check(s, cp->pq_size < 31 && cp->cq_count <= GAUDI_CQ_HELD,
			      BAD_CP))
		return;
	for (i = 0; i < cp->cq_count; i++)
		entry(s, &cp->cq[i]);
}

/* The command buffer in execution, and what was read ahead of it. */
static void buffer(struct gaudi_snap *s, struct gaudi_cp *cp)
{
	gaudi_snap_bool(s, &cp->busy);
	entry(s, &cp->cur);
	GAUDI_SNAP(s, cp->pc);
	GAUDI_SNAP(s, cp->left);
	GAUDI_SNAP(s, cp->buf_len);
	GAUDI_SNAP(s, cp->buf_pos);
	if (gaudi_snap_check(s, cp->buf_len <= GAUDI_CP_BUFFER &&
			     cp->buf_pos <= cp->buf_len &&
			     (!cp->busy || cp->buf_len - cp->buf_pos <= cp->left),
			     BAD_CP))
		gaudi_snap_field(s, cp->buf, 1, cp->buf_len);
}

static void execution(struct gaudi_snap *s, struct gaudi_cp *cp)
{
	uint32_t wait = s->load ? 0 : cp->wait;

	GAUDI_SNAP(s, cp->inst);
	GAUDI_SNAP(s, wait);
	GAUDI_SNAP(s, cp->fence_id);
	gaudi_snap_bool(s, &cp->arb_request);
	GAUDI_SNAP(s, cp->arb_prio);
	GAUDI_SNAP(s, cp->pred);
	GAUDI_SNAP_ARRAY(s, cp->scalar);
	gaudi_snap_bool(s, &cp->in_scalars);
	GAUDI_SNAP(s, cp->rf_pos);
	GAUDI_SNAP(s, cp->bulk_left);
	GAUDI_SNAP(s, cp->bulk_off);
	GAUDI_SNAP_ARRAY(s, cp->repeat);
	gaudi_snap_bool(s, &cp->skip_bulk);
	gaudi_snap_bool(s, &cp->drop);
	GAUDI_SNAP(s, cp->lower_sent);
	GAUDI_SNAP(s, cp->wait_cfg);
	gaudi_snap_timer(s, &cp->wait_timer);
	gaudi_snap_check(s, wait <= GAUDI_CP_WAIT_POST &&
			 cp->fence_id < ARRAY_SIZE(cp->fence) &&
			 cp->rf_pos <= sizeof(cp->scalar), BAD_CP);
	cp->wait = s->err ? GAUDI_CP_RUN : wait;
}

static void command_processor(struct gaudi_snap *s, struct gaudi_cp *cp)
{
	queues_of(s, cp);
	buffer(s, cp);
	execution(s, cp);
	GAUDI_SNAP_ARRAY(s, cp->msg_base);
	GAUDI_SNAP_ARRAY(s, cp->fence);
	GAUDI_SNAP(s, cp->sts1);
}

static void arbiter(struct gaudi_snap *s, struct gaudi_qman *qm)
{
	unsigned int i;

	GAUDI_SNAP(s, qm->arb_cfg);
	GAUDI_SNAP(s, qm->arb_owner);
	GAUDI_SNAP(s, qm->arb_last);
	GAUDI_SNAP_ARRAY(s, qm->arb_used);
	GAUDI_SNAP(s, qm->arb_err);
	gaudi_snap_bool(s, &qm->arb_due);
	GAUDI_SNAP_ARRAY(s, qm->arb_wait);
	gaudi_snap_timer(s, &qm->arb_quiet);
	gaudi_snap_bool(s, &qm->arb_stop);
	GAUDI_SNAP_ARRAY(s, qm->arb_cred);
	GAUDI_SNAP_ARRAY(s, qm->arb_choice);
	GAUDI_SNAP(s, qm->arb_head);
	GAUDI_SNAP(s, qm->arb_count);
	gaudi_snap_timer(s, &qm->arb_wdt);
	gaudi_snap_check(s, qm->arb_owner >= -1 &&
			 qm->arb_owner < GAUDI_NUM_STREAMS &&
			 qm->arb_last < GAUDI_NUM_STREAMS &&
			 qm->arb_head < GAUDI_ARB_CHOICES &&
			 qm->arb_count <= GAUDI_ARB_CHOICES, BAD_ARBITER);
	for (i = 0; i < GAUDI_ARB_CHOICES; i++)
		gaudi_snap_check(s, qm->arb_choice[i] < GAUDI_NUM_STREAMS,
				 BAD_ARBITER);
}

static void qman(struct gaudi_snap *s, struct gaudi_qman *qm)
{
	unsigned int i;

	GAUDI_SNAP(s, qm->cfg0);
	GAUDI_SNAP(s, qm->cfg1);
	GAUDI_SNAP(s, qm->err_stop);
	GAUDI_SNAP(s, qm->prot);
	GAUDI_SNAP(s, qm->err_cfg);
	GAUDI_SNAP_ARRAY(s, qm->props_sec);
	GAUDI_SNAP_ARRAY(s, qm->props_nonsec);
	arbiter(s, qm);
	for (i = 0; i < GAUDI_NUM_CPS; i++)
		command_processor(s, &qm->cp[i]);
}

void gaudi_queues_snap(struct gaudi_snap *s)
{
	struct gaudi_queues *queues = s->chip->queues;
	unsigned int i;

	gaudi_snap_bool(s, &queues->cq_waiting);
	for (i = 0; i < GAUDI_NUM_QMAN; i++)
		qman(s, &queues->qman[i]);
}
