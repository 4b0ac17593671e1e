// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * QMAN: 28 instances of one queue manager. Here: physical queues (PQ), command
 * buffer queues (CQ), fences, and when a stream runs.
 *
 * A stream is one actor: its PQ fetcher, CQ fetcher and command processor (CP)
 * take turns in it. The lower CP, which internal queues feed by CP_DMA, is
 * another one. Packets are executed in cp.c; qman.h lists the other files.
 *
 * Source: Linux 6.12 for layout and use.
 */
#include "qman.h"
#include "../bus/bus.h"

/* Packets, or their like in time, that an actor runs before it yields. */
#define BUDGET			64
#define BUDGET_INLINE		32

/* --- units ------------------------------------------------------------ */

/* Units that are enabled and not stopped. */
static uint32_t units_on(const struct gaudi_qman *qm)
{
	return qm->cfg0 & ~qm->cfg1 & ~qm->err_stop & GAUDI_QM_UNITS;
}

void gaudi_qman_kick_all(struct gaudi_chip *chip, struct gaudi_qman *qm)
{
	unsigned int n;

	for (n = 0; n < GAUDI_NUM_CPS; n++)
		gaudi_actor_kick(chip, &qm->cp[n].actor);
}

void gaudi_qman_txn(const struct gaudi_qman *qm, unsigned int n, bool secure,
		    struct gaudi_txn *txn)
{
	uint32_t props = secure ? qm->props_sec[n] : qm->props_nonsec[n];

	*txn = (struct gaudi_txn) {
		.initiator = GAUDI_INIT_QMAN,
		.unit = qm->id,
		.secure = secure,
		.bypass = props & QM_GLBL_PROPS_MMBP,
		.asid = FIELD_GET(QM_GLBL_PROPS_ASID, props),
	};
}

bool gaudi_qman_cp_secure(const struct gaudi_qman *qm, unsigned int n)
{
	return qm->prot & GAUDI_QM_CP(n);
}

int gaudi_qman_fetch(struct gaudi_chip *chip, struct gaudi_cp *cp,
		     uint64_t addr, void *buf, uint32_t len)
{
	const struct gaudi_qman *qm = &chip->queues->qman[cp->qman];
	struct gaudi_txn txn;

	gaudi_qman_txn(qm, cp->n, qm->prot & GAUDI_QM_CQF(cp->n), &txn);
	return gaudi_bus_read(chip, &txn, addr, buf, len);
}

/* --- PQ and CQ -------------------------------------------------------- */

bool gaudi_qman_cq_full(struct gaudi_chip *chip, uint32_t cfg_off)
{
	uint32_t off = cfg_off % GAUDI_PAGE_SIZE, base = cfg_off - off;
	const struct gaudi_qman *qm = chip->queues->qman;

	if (off % 16 || off < QM_CQ_CTL(0) || off > QM_CQ_CTL(GAUDI_QM_LOWER))
		return false;
	while (qm < chip->queues->qman + GAUDI_NUM_QMAN && qm->base != base)
		qm++;
	if (qm == chip->queues->qman + GAUDI_NUM_QMAN ||
	    qm->cp[(off - QM_CQ_CTL(0)) / 16].cq_count < GAUDI_CQ_DEPTH)
		return false;
	chip->queues->cq_waiting = true;
	return true;
}

/* A CQ has room again: each CP that waits for one looks at its own. */
static void cq_has_room(struct gaudi_chip *chip)
{
	struct gaudi_qman *qm = chip->queues->qman;
	unsigned int i, n;

	if (!chip->queues->cq_waiting)
		return;
	chip->queues->cq_waiting = false;
	for (i = 0; i < GAUDI_NUM_QMAN; i++)
		for (n = 0; n < GAUDI_NUM_CPS; n++)
			if (qm[i].cp[n].wait == GAUDI_CP_WAIT_CQ)
				gaudi_actor_kick(chip, &qm[i].cp[n].actor);
}

/* limit: the queue itself, or with what waits on the bus in front of it */
static bool cq_push(struct gaudi_cp *cp, uint64_t ptr, uint32_t tsize,
		    uint32_t ctl, uint8_t from, unsigned int limit,
		    uint64_t at_ps)
{
	if (cp->cq_count >= limit)
		return false;
	cp->cq[cp->cq_count++] = (struct gaudi_cq_entry) {
		.ptr = ptr, .tsize = tsize, .ctl = ctl, .from = from,
		.at_ps = at_ps,
	};
	return true;
}

/* Takes the next entry of the PQ into the CQ; false: there is none. */
static bool pq_fetch(struct gaudi_chip *chip, struct gaudi_qman *qm,
		     struct gaudi_cp *cp)
{
	uint32_t base = qm->base + 16 * cp->n, slot;
	uint64_t known_ps = 0;
	struct gaudi_pq_bd bd;
	struct gaudi_txn txn;
	int err;

	if (cp->n >= GAUDI_NUM_STREAMS || cp->pi == cp->ci ||
	    !(units_on(qm) & GAUDI_QM_PQF(cp->n)))
		return false;
	slot = cp->ci & ((1u << cp->pq_size) - 1);
	cp->ci = (cp->ci + 1) & gaudi_pq_mask(cp);
	if (cp->times)
		known_ps = gaudi_door_known(&cp->times->door, cp->ci);
	gaudi_qman_txn(qm, cp->n, qm->prot & GAUDI_QM_PQF(cp->n), &txn);
	err = gaudi_bus_read(chip, &txn, cp->pq_base + slot * sizeof(bd), &bd,
			     sizeof(bd));
	if (err) {
		gaudi_qman_error(chip, cp, QM_GLBL_STS1_PQF_RD_ERR);
		return true;
	}
	/* The driver looks here for what was fetched last. */
	gaudi_store_write(chip, base + QM_CQ_PTR_LO(0), bd.ptr);
	gaudi_store_write(chip, base + QM_CQ_PTR_HI(0), bd.ptr >> 32);
	gaudi_store_write(chip, base + QM_CQ_TSIZE(0), bd.len);
	gaudi_store_write(chip, base + QM_CQ_CTL(0), bd.ctl);
	cq_push(cp, bd.ptr, bd.len, bd.ctl, cp->n, GAUDI_CQ_DEPTH, known_ps);
	return true;
}

/* Starts the next command buffer; false: there is none. */
static bool next_buffer(struct gaudi_chip *chip, struct gaudi_qman *qm,
			struct gaudi_cp *cp, unsigned int *budget)
{
	uint64_t place = 0;	/* of it in the ring; a record's */

	while (!cp->cq_count) {
		if (!*budget || !pq_fetch(chip, qm, cp))
			return false;
		--*budget;
		place = (uint64_t)gaudi_pq_mask(cp) << 32 | cp->ci;
	}
	if (!(units_on(qm) & GAUDI_QM_CQF(cp->n)))
		return false;
	cp->cur = cp->cq[0];
	memmove(cp->cq, cp->cq + 1, --cp->cq_count * sizeof(cp->cq[0]));
	cp->busy = true;
	if (cp->at_ps < cp->cur.at_ps)
		cp->at_ps = cp->cur.at_ps;
	chip->clock.at_ps = cp->at_ps;
	cp->pc = cp->cur.ptr;
	cp->left = cp->cur.tsize;
	cp->buf_len = 0;
	cp->buf_pos = 0;
	cp->bulk_left = 0;
	cp->in_scalars = false;
	cp->drop = false;
	memset(cp->repeat, 0, sizeof(cp->repeat));
	cp->wait = GAUDI_CP_RUN;
	/* Journals count the events of deterministic cards; those of old have none of these. */
	if (chip->pool)
		gaudi_trace(chip, GAUDI_TRACE_BUFFER, cp->qman * 8 + cp->n,
			    cp->pc, place, cp->left);
	if (gaudi_fault_armed(chip, GAUDI_FAULT_JOB))
		chip->fault_hooks->job(chip, cp->qman, cp->n);
	if (qm->ops->order)
		qm->ops->order(chip, qm->unit);
	cq_has_room(chip);
	/* Whoever found no room may hand over the next one. */
	if (cp->n == GAUDI_NUM_STREAMS)
		gaudi_qman_engine_event(chip, cp->qman);
	return true;
}

/* The lower CP is done with a buffer: its sender may wait for that. */
static void give_back(struct gaudi_chip *chip, const struct gaudi_cp *cp,
		      const struct gaudi_cq_entry *entry)
{
	struct gaudi_cp *from;

	if (cp->n < GAUDI_NUM_STREAMS || entry->from >= GAUDI_NUM_STREAMS)
		return;
	from = &chip->queues->qman[cp->qman].cp[entry->from];
	if (from->lower_sent)
		from->lower_sent--;
	if (from->times && from->times->lower_ps < cp->at_ps)
		from->times->lower_ps = cp->at_ps;
	gaudi_actor_kick(chip, &from->actor);
}

void gaudi_qman_buffer_done(struct gaudi_chip *chip, struct gaudi_cp *cp)
{
	cp->busy = false;
	cp->wait = GAUDI_CP_RUN;
	give_back(chip, cp, &cp->cur);
}

/* Returns whether there is more to do; takes from *budget. */
static bool run_packets(struct gaudi_chip *chip, struct gaudi_qman *qm,
			struct gaudi_cp *cp, unsigned int *budget)
{
	while (*budget) {
		if (!cp->busy) {
			if (!next_buffer(chip, qm, cp, budget))
				return !*budget;
			/* The fetch may have used up what there was. */
			continue;
		}
		if (!(units_on(qm) & GAUDI_QM_CP(cp->n)))
			return false;
		if (gaudi_cp_step(chip, qm, cp, budget) == GAUDI_CP_BLOCKED)
			return cp->wait == GAUDI_CP_WAIT_POST;
		if (gaudi_chip_wanted(chip))
			return true;
	}
	return true;
}

bool gaudi_cp_run(struct gaudi_chip *chip, struct gaudi_actor *actor)
{
	struct gaudi_cp *cp = (struct gaudi_cp *)((char *)actor -
					offsetof(struct gaudi_cp, actor));
	struct gaudi_qman *qm = &chip->queues->qman[cp->qman];
	unsigned int budget = chip->sched.inlined ? BUDGET_INLINE :
							    BUDGET;
	unsigned int left = budget;
	bool more = run_packets(chip, qm, cp, &left);

	/* One that could do nothing has had its turn, too. */
	gaudi_arb_turn(chip, qm, cp->n, more, budget - left + 1);
	return more;
}

/* A write to CQ_CTL hands PTR and TSIZE over. */
void gaudi_qman_cq_write(struct gaudi_chip *chip, struct gaudi_qman *qm,
		      struct gaudi_cp *cp, uint32_t ctl)
{
	uint32_t base = qm->base + 16 * cp->n;
	uint64_t ptr = gaudi_reg64(chip, base, QM_CQ_PTR_LO(0));

	if (cq_push(cp, ptr, gaudi_store_read(chip, base + QM_CQ_TSIZE(0)),
		    ctl, qm->writer, GAUDI_CQ_HELD, chip->clock.at_ps)) {
		if (cp->n == GAUDI_NUM_STREAMS && qm->writer < cp->n)
			qm->cp[qm->writer].lower_sent++;
		gaudi_actor_kick(chip, &cp->actor);
		return;
	}
	/* The bus would hold back the host too; its write cannot wait here. */
	gaudi_report_use(chip, "condition", "CQ_OVERFLOW", GAUDI_APPROXIMATE);
	gaudi_log(chip, GAUDI_LOG_GUEST_ERROR,
		  "QMAN %u: command buffer 0x%llx for CQ %u is lost, it is full",
		  qm->id, (unsigned long long)ptr, cp->n);
}

void gaudi_qman_flush(struct gaudi_chip *chip, struct gaudi_qman *qm,
		  uint32_t units)
{
	struct gaudi_cp *cp;
	unsigned int n;

	for (n = 0; n < GAUDI_NUM_CPS; n++) {
		cp = &qm->cp[n];
		if (n < GAUDI_NUM_STREAMS && units & GAUDI_QM_PQF(n))
			cp->ci = cp->pi;
		while (units & GAUDI_QM_CQF(n) && cp->cq_count)
			give_back(chip, cp, &cp->cq[--cp->cq_count]);
		if (units & GAUDI_QM_CQF(n))
			cq_has_room(chip);
		if (!(units & GAUDI_QM_CP(n)))
			continue;
		/* A grant that came later would never be released. */
		cp->arb_request = false;
		if (cp->busy)
			gaudi_qman_buffer_done(chip, cp);
	}
}

/* --- fences ----------------------------------------------------------- */

void gaudi_qman_fence_inc(struct gaudi_chip *chip, unsigned int qman,
			  unsigned int f, unsigned int n, uint32_t inc)
{
	struct gaudi_cp *cp = &chip->queues->qman[qman].cp[n];

	if (gaudi_fault_armed(chip, GAUDI_FAULT_FENCE) &&
	    chip->fault_hooks->fence(chip, qman, f, n))
		return;
	cp->fence[f] += inc;
	if (cp->fence[f] > QM_CP_FENCE_CNT_MAX) {
		cp->fence[f] = QM_CP_FENCE_CNT_MAX;
		gaudi_qman_error(chip, cp, QM_GLBL_STS1_CP_FENCE_OVF(f));
	}
	if (cp->times)
		gaudi_steps_add(&cp->times->fence[f], inc, chip->clock.at_ps);
	gaudi_trace(chip, GAUDI_TRACE_FENCE, qman * 8 + n, f, cp->fence[f], 0);
	if (cp->wait == GAUDI_CP_WAIT_FENCE && cp->fence_id == f)
		gaudi_actor_kick(chip, &cp->actor);
}

void gaudi_qman_engine_event(struct gaudi_chip *chip, unsigned int qman)
{
	struct gaudi_qman *qm = &chip->queues->qman[qman];
	unsigned int n;

	for (n = 0; n < GAUDI_NUM_CPS; n++)
		if (qm->cp[n].wait == GAUDI_CP_WAIT_ENGINE ||
		    qm->cp[n].wait == GAUDI_CP_WAIT_LOWER)
			gaudi_actor_kick(chip, &qm->cp[n].actor);
}

void gaudi_qman_job_ended(struct gaudi_chip *chip, unsigned int qman,
			  unsigned int cp)
{
	struct gaudi_qman *qm = &chip->queues->qman[qman];
	unsigned int n;

	for (n = 0; n < GAUDI_NUM_CPS && chip->clock.on; n++)
		if ((cp == n || cp == GAUDI_ALL_CPS) &&
		    qm->cp[n].times->engine_ps < chip->clock.at_ps)
			qm->cp[n].times->engine_ps = chip->clock.at_ps;
	gaudi_qman_engine_event(chip, qman);
}

void gaudi_qman_attach(struct gaudi_chip *chip, unsigned int qman,
		       const struct gaudi_engine_ops *ops, unsigned int unit)
{
	chip->queues->qman[qman].ops = ops;
	chip->queues->qman[qman].unit = unit;
}

uint8_t gaudi_qman_writer(const struct gaudi_chip *chip, unsigned int qman)
{
	return chip->queues->qman[qman].writer;
}
