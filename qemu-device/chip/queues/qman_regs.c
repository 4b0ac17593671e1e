// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Registers of a QMAN: what a read shows at each moment, what a write does.
 * Which there are, and what they hold after a reset, is in gaudi_qman.def.
 * qman.h lists the other files.
 *
 * Source: Linux 6.12 for layout and use.
 */
#include <stdlib.h>

#include "qman.h"
#include "../regs/reg_table.h"

#define PQ_SIZE_MAX		20

#define STS1_BUF_EMPTY		BIT(30)
#define STS1_BUSY		BIT(31)
#define CGM_STS_IDLE		0x700u	/* agent, AXI and CP are idle */
#define CGM_STS_BUSY		0x200u

/* Rows of the table, named by the first register of each. */
enum row {
#define REG(name, ...)			ROW_##name,
#define REGS(before, after, ...)	ROW_##before##0##after,
#include "../../../uapi/hw/regs/gaudi_qman.def"
	NUM_ROWS
};

_Static_assert(NUM_ROWS < GAUDI_QM_NO_ROW, "rows do not fit the index");

/* Which row, and which element of it; GAUDI_QM_NO_ROW: no such register. */
static unsigned int find_row(struct gaudi_chip *chip, uint32_t off,
			     unsigned int *n)
{
	const struct gaudi_reg_row *r;
	unsigned int row;

	if (off / 4 >= GAUDI_QM_REGS)
		return GAUDI_QM_NO_ROW;
	row = chip->queues->qman_row[off / 4];
	if (row != GAUDI_QM_NO_ROW) {
		r = &gaudi_qman_table.row[row];
		*n = (off - r->off) / r->stride;
	}
	return row;
}

/* --- status ----------------------------------------------------------- */

static uint32_t buf_sts(bool busy, bool empty)
{
	return (busy ? STS1_BUSY : 0) | (empty ? STS1_BUF_EMPTY : 0);
}

/* There is something to fetch: buffers that wait, or the rest of this one. */
static bool cq_pending(const struct gaudi_cp *cp)
{
	return cp->cq_count || (cp->busy && cp->left > gaudi_cq_ahead(cp));
}

static uint32_t sts0(const struct gaudi_qman *qm)
{
	uint32_t stopped = (qm->cfg1 | qm->err_stop) & GAUDI_QM_UNITS;
	uint32_t idle = GAUDI_QM_UNITS;
	unsigned int n;

	for (n = 0; n < GAUDI_NUM_CPS; n++) {
		const struct gaudi_cp *cp = &qm->cp[n];

		if (gaudi_pq_pending(qm, cp))
			idle &= ~GAUDI_QM_PQF(n);
		if (cq_pending(cp))
			idle &= ~GAUDI_QM_CQF(n);
		if (cp->busy)
			idle &= ~GAUDI_QM_CP(n);
	}
	return idle | stopped << GAUDI_QM_HIGH_SHIFT |
	       (qm->arb_stop ? QM_GLBL_STS0_ARB_IS_STOP : 0);
}

/* What a CP is held up by, as far as the debug register tells. */
static uint32_t cp_dbg(const struct gaudi_cp *cp)
{
	uint32_t dbg = QM_CP_DBG_0_EB_CNT_NOT_ZERO;

	if (!cp->busy)
		return dbg;
	if (cp->bulk_left)
		dbg |= QM_CP_DBG_0_BULK_CNT_NOT_ZERO;
	if (cp->wait == GAUDI_CP_WAIT_ENGINE || cp->wait == GAUDI_CP_WAIT_POST)
		dbg |= QM_CP_DBG_0_MREB_STALL;
	if (cp->wait != GAUDI_CP_RUN)
		dbg |= QM_CP_DBG_0_STALL;
	return dbg;
}

static uint32_t cp_sts(struct gaudi_chip *chip, const struct gaudi_qman *qm,
		       const struct gaudi_cp *cp)
{
	uint32_t sts = QM_CP_STS_RRDY;

	if (!cp->busy || cp->wait != GAUDI_CP_WAIT_POST)
		sts |= QM_CP_STS_MRDY;
	if (gaudi_engine_is_idle(chip, qm->id, cp->n))
		sts |= QM_CP_STS_ERDY;
	if ((qm->cfg1 | qm->err_stop) & GAUDI_QM_CP(cp->n))
		sts |= QM_CP_STS_SW_STOP;
	if (cp->busy && cp->wait == GAUDI_CP_WAIT_FENCE)
		sts |= QM_CP_STS_FENCE_IN_PROGRESS |
		       FIELD_PREP(QM_CP_STS_FENCE_ID, cp->fence_id);
	return sts;
}

/* --- registers -------------------------------------------------------- */

static uint32_t qman_read(struct gaudi_chip *chip, unsigned int inst,
			  uint32_t off)
{
	const struct gaudi_qman *qm = &chip->queues->qman[inst];
	unsigned int n = 0, row = find_row(chip, off, &n);
	const struct gaudi_cp *cp = &qm->cp[n % GAUDI_NUM_CPS];

	switch (row) {
	case ROW_QM_GLBL_CFG1:
		return qm->cfg1;
	case ROW_QM_GLBL_STS0:
		return sts0(qm);
	case ROW_QM_GLBL_STS1_0:
		return cp->sts1;
	case ROW_QM_PQ_PI_0:
		return cp->pi;
	case ROW_QM_PQ_CI_0:
		return cp->ci;
	case ROW_QM_PQ_STS1_0:
		/* Entries are read one by one, when they are wanted. */
		return buf_sts(gaudi_pq_pending(qm, cp), true);
	case ROW_QM_CQ_STS1_0:
		return buf_sts(cq_pending(cp), !gaudi_cq_ahead(cp));
	case ROW_QM_CQ_PTR_LO_STS_0:
		return cp->pc;
	case ROW_QM_CQ_PTR_HI_STS_0:
		return cp->pc >> 32;
	case ROW_QM_CQ_TSIZE_STS_0:
		return cp->left;
	case ROW_QM_CQ_CTL_STS_0:
		return cp->cur.ctl;
	case ROW_QM_CQ_IFIFO_CNT_0:
		return cp->cq_count < GAUDI_CQ_DEPTH ? cp->cq_count :
						       GAUDI_CQ_DEPTH;
	case ROW_QM_CP_FENCE0_CNT_0 ... ROW_QM_CP_FENCE3_CNT_0:
		return cp->fence[row - ROW_QM_CP_FENCE0_CNT_0];
	case ROW_QM_CP_STS_0:
		return cp_sts(chip, qm, cp);
	case ROW_QM_CP_DBG_0_0:
		return cp_dbg(cp);
	case ROW_QM_CP_CURRENT_INST_LO_0:
		return cp->inst;
	case ROW_QM_CP_CURRENT_INST_HI_0:
		return cp->inst >> 32;
	case ROW_QM_ARB_CFG_0 ... ROW_QM_ARB_MST_CRED_STS_0:
		return gaudi_arb_read(chip, inst, off);
	case ROW_QM_CGM_STS:
		return (sts0(qm) & GAUDI_QM_UNITS) == GAUDI_QM_UNITS ? CGM_STS_IDLE :
						     CGM_STS_BUSY;
	}
	return gaudi_store_read(chip, qm->base + off);
}

static void write_pq(struct gaudi_chip *chip, struct gaudi_cp *cp,
		     unsigned int row, uint32_t value)
{
	switch (row) {
	case ROW_QM_PQ_BASE_LO_0:
		cp->pq_base = (cp->pq_base & ~0xffffffffull) | value;
		break;
	case ROW_QM_PQ_BASE_HI_0:
		cp->pq_base = (cp->pq_base & 0xffffffffull) |
			      (uint64_t)value << 32;
		break;
	case ROW_QM_PQ_SIZE_0:
		cp->pq_size = value < PQ_SIZE_MAX ? value : PQ_SIZE_MAX;
		cp->pi &= gaudi_pq_mask(cp);
		cp->ci &= gaudi_pq_mask(cp);
		break;
	case ROW_QM_PQ_CI_0:
		cp->ci = value & gaudi_pq_mask(cp);
		break;
	default:
		cp->pi = value & gaudi_pq_mask(cp);
		if (((cp->pi - cp->ci) & gaudi_pq_mask(cp)) > 1u << cp->pq_size)
			gaudi_log(chip, GAUDI_LOG_GUEST_ERROR,
				  "QMAN %u: PI 0x%x of stream %u is more than a queue ahead of CI 0x%x",
				  cp->qman, cp->pi, cp->n, cp->ci);
		if (cp->times && cp->pi != cp->ci)
			gaudi_door_ring(&cp->times->door, cp->pi,
					chip->clock.at_ps);
		if (cp->pi != cp->ci && !cp->busy)
			gaudi_actor_kick(chip, &cp->actor);
	}
}

/* As if GLBL_CFG1 had all stop bits, which also ends it. */
void gaudi_qman_stop(struct gaudi_chip *chip, unsigned int id)
{
	struct gaudi_qman *qm = &chip->queues->qman[id];

	qm->cfg1 |= GAUDI_QM_UNITS;
	gaudi_store_write(chip, qm->base + QM_GLBL_CFG1, qm->cfg1);
}

/* The low and the high halves of a CP's message bases take turns. */
static void write_msg_base(struct gaudi_cp *cp, unsigned int half,
			   uint32_t value)
{
	uint64_t *base = &cp->msg_base[half / 2];

	if (half % 2)
		*base = (*base & 0xffffffffull) | (uint64_t)value << 32;
	else
		*base = (*base & ~0xffffffffull) | value;
}

static int qman_write(struct gaudi_chip *chip, unsigned int inst, uint32_t off,
		      uint32_t value, const struct gaudi_txn *txn)
{
	struct gaudi_qman *qm = &chip->queues->qman[inst];
	unsigned int n = 0, row = find_row(chip, off, &n);
	struct gaudi_cp *cp = &qm->cp[n % GAUDI_NUM_CPS];

	(void)txn;
	if (row != ROW_QM_GLBL_STS1_0)
		gaudi_store_write(chip, qm->base + off, value);
	switch (row) {
	/* A unit may have something to do after either. */
	case ROW_QM_GLBL_CFG0:
		qm->cfg0 = value;
		gaudi_qman_kick_all(chip, qm);
		break;
	case ROW_QM_GLBL_CFG1:
		qm->cfg1 = value & GAUDI_QM_UNITS;
		gaudi_qman_flush(chip, qm, value >> GAUDI_QM_HIGH_SHIFT &
				 GAUDI_QM_UNITS);
		gaudi_qman_kick_all(chip, qm);
		break;
	case ROW_QM_GLBL_PROT:
		qm->prot = value;
		break;
	case ROW_QM_GLBL_ERR_CFG:
		qm->err_cfg = value;
		break;
	case ROW_QM_GLBL_SECURE_PROPS_0:
		qm->props_sec[n] = value;
		break;
	case ROW_QM_GLBL_NON_SECURE_PROPS_0:
		qm->props_nonsec[n] = value;
		break;
	case ROW_QM_GLBL_STS1_0:
		gaudi_qman_clear_error(chip, cp, value);
		break;
	case ROW_QM_PQ_BASE_LO_0 ... ROW_QM_PQ_CI_0:
		write_pq(chip, cp, row, value);
		break;
	case ROW_QM_CQ_CTL_0:
		gaudi_qman_cq_write(chip, qm, cp, value);
		break;
	case ROW_QM_CP_MSG_BASE0_ADDR_LO_0 ... ROW_QM_CP_MSG_BASE3_ADDR_HI_0:
		write_msg_base(cp, row - ROW_QM_CP_MSG_BASE0_ADDR_LO_0, value);
		break;
	case ROW_QM_CP_FENCE0_RDATA_0 ... ROW_QM_CP_FENCE3_RDATA_0:
		gaudi_qman_fence_inc(chip, qm->id,
				     row - ROW_QM_CP_FENCE0_RDATA_0, n,
				     value & QM_CP_FENCE_RDATA_INC);
		break;
	case ROW_QM_ARB_CFG_0 ... ROW_QM_ARB_MST_CRED_STS_0:
		gaudi_arb_write(chip, inst, off, value);
		break;
	}
	return 0;
}

/* --- reset, start ----------------------------------------------------- */

static uint32_t inst_base(unsigned int inst)
{
	if (inst < GAUDI_QMAN_MME0)
		return GAUDI_DMA_QM_BASE(inst);
	if (inst < GAUDI_QMAN_NIC)
		return GAUDI_MME_QM_BASE(2 * (inst - GAUDI_QMAN_MME0));
	if (inst < GAUDI_QMAN_TPC)
		return GAUDI_NIC_QM_BASE(inst - GAUDI_QMAN_NIC);
	return GAUDI_TPC_QM_BASE(inst - GAUDI_QMAN_TPC);
}

/* The block that offsets of WREG packets are counted from. */
static uint32_t engine_base(unsigned int inst)
{
	if (inst < GAUDI_QMAN_MME0)
		return GAUDI_DMA_CORE_BASE(inst);
	if (inst < GAUDI_QMAN_NIC)
		return GAUDI_MME_CTRL_BASE(2 * (inst - GAUDI_QMAN_MME0));
	if (inst < GAUDI_QMAN_TPC)
		return 0;
	return GAUDI_TPC_CFG_BASE(inst - GAUDI_QMAN_TPC);
}

static void cp_reset(struct gaudi_chip *chip, struct gaudi_cp *cp)
{
	struct gaudi_actor actor = cp->actor;
	struct gaudi_timer timer = cp->wait_timer;
	uint8_t qman = cp->qman, n = cp->n;

	gaudi_timer_cancel(chip, &cp->wait_timer);
	timer.armed = false;
	memset(cp, 0, offsetof(struct gaudi_cp, cq));
	cp->actor = actor;
	cp->wait_timer = timer;
	cp->qman = qman;
	cp->n = n;
	cp->pred = 1;
	if (cp->times)
		memset(cp->times, 0, sizeof(*cp->times));
}

static void qman_reset(struct gaudi_chip *chip, unsigned int inst)
{
	struct gaudi_qman *qm = &chip->queues->qman[inst];
	unsigned int i;

	qm->cfg0 = 0;
	qm->cfg1 = 0;
	qm->err_stop = 0;
	qm->prot = 0;
	qm->err_cfg = 0;
	qm->writer = GAUDI_NUM_CPS;
	for (i = 0; i < GAUDI_NUM_CPS; i++) {
		/* The storage is reset first, by the table. */
		qm->props_sec[i] = gaudi_reg(chip, qm->base,
					     QM_GLBL_SECURE_PROPS(i));
		qm->props_nonsec[i] = gaudi_reg(chip, qm->base,
						QM_GLBL_NON_SECURE_PROPS(i));
		cp_reset(chip, &qm->cp[i]);
	}
	gaudi_arb_reset(chip, inst);
}

const struct gaudi_block_ops gaudi_qman_ops = {
	.name = "QMAN",
	.reset = qman_reset,
	.read = qman_read,
	.write = qman_write,
};

/* 0 or -ENOMEM. */
static int held_init(struct gaudi_queues *q)
{
	unsigned int i;

	q->held = calloc(GAUDI_NUM_QMAN * GAUDI_NUM_CPS, sizeof(*q->held));
	for (i = 0; q->held && i < GAUDI_NUM_QMAN * GAUDI_NUM_CPS; i++) {
		struct gaudi_cp *cp = &q->qman[i / GAUDI_NUM_CPS].cp[i % GAUDI_NUM_CPS];

		cp->cq = q->held[i].cq;
		cp->buf = q->held[i].buf;
	}
	return q->held ? 0 : -ENOMEM;
}

/* The same, for a card with a model of time. */
static int times_init(struct gaudi_queues *q)
{
	unsigned int i, n;

	q->times = calloc(GAUDI_NUM_QMAN * GAUDI_NUM_CPS, sizeof(*q->times));
	for (i = 0; q->times && i < GAUDI_NUM_QMAN; i++)
		for (n = 0; n < GAUDI_NUM_CPS; n++)
			q->qman[i].cp[n].times =
				&q->times[i * GAUDI_NUM_CPS + n];
	return q->times ? 0 : -ENOMEM;
}

int gaudi_queues_init(struct gaudi_chip *chip)
{
	const struct gaudi_reg_row *row = gaudi_qman_table.row;
	struct gaudi_qman *qm;
	unsigned int i, n;
	uint8_t *index;

	chip->queues = calloc(1, sizeof(*chip->queues));
	if (!chip->queues)
		return -ENOMEM;
	index = chip->queues->qman_row;
	memset(index, GAUDI_QM_NO_ROW, GAUDI_QM_REGS);
	for (i = 0; i < NUM_ROWS; i++, row++)
		for (n = 0; n < row->count; n++)
			index[(row->off + n * row->stride) / 4] = i;
	for (i = 0; i < GAUDI_NUM_QMAN; i++) {
		qm = &chip->queues->qman[i];
		qm->id = i;
		qm->base = inst_base(i);
		qm->engine = engine_base(i);
		for (n = 0; n < GAUDI_NUM_CPS; n++) {
			qm->cp[n].qman = i;
			qm->cp[n].n = n;
			gaudi_actor_init(chip, &qm->cp[n].actor, "qman", true,
					 gaudi_cp_run);
			gaudi_cp_init(&qm->cp[n]);
		}
		gaudi_arb_init(qm);
	}
	return held_init(chip->queues) ?:
	       (chip->clock.on ? times_init(chip->queues) : 0);
}

void gaudi_queues_fini(struct gaudi_chip *chip)
{
	if (chip->queues) {
		free(chip->queues->held);
		free(chip->queues->times);
	}
	free(chip->queues);
}
