// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Registers of a QMAN: which there are, what a read shows at each moment, what
 * a write does, reset values. qman.h lists the other files.
 *
 * Source: Linux 6.12 for layout and use; reset values from the vendor's public
 * register tables.
 */
#include <stdlib.h>

#include "qman.h"

#define PQ_SIZE_MAX		20

#define PQ_CFG1_RESET		0x10001u
#define CQ_CFG1_RESET		0x140014u
#define STS1_BUF_EMPTY		BIT(30)
#define STS1_BUSY		BIT(31)
#define CGM_STS_IDLE		0x700u	/* agent, AXI and CP are idle */
#define CGM_STS_BUSY		0x200u

#define LOCAL_RANGE_BASE	0x8000u
#define LOCAL_RANGE_SIZE	0x2000u

enum kind {
	STORE,			/* plain storage */
	CONST,			/* storage that keeps its reset value */
	CFG0, CFG1, PROT, ERR_CFG, PROPS_SEC, PROPS_NONSEC, STS0, STS1,
	PQ_BASE_LO, PQ_BASE_HI, PQ_SIZE, PQ_PI, PQ_CI, PQ_STS1,
	CQ_CTL, CQ_STS1, CQ_PTR_LO_STS, CQ_PTR_HI_STS, CQ_TSIZE_STS,
	CQ_CTL_STS, CQ_IFIFO_CNT,
	MSG_BASE_LO, MSG_BASE_HI, FENCE_RDATA, FENCE_CNT,
	CP_STS, CP_INST_LO, CP_INST_HI, CP_DBG,
	ARB,			/* known to arb.c */
	CGM_STS,
};

/*
 * A register or an array of them. What has no row is storage, reset to 0;
 * names are in gaudi_qman.def.
 */
struct row {
	uint16_t off;
	uint8_t count;
	uint8_t stride;
	uint8_t kind;
	uint8_t arg;		/* which message base, which fence */
	uint32_t reset;
};

#define ONE(off, kind, reset)	{ off, 1, 4, kind, 0, reset }
#define ROW(off, count, kind, reset)	{ off, count, 4, kind, 0, reset }
#define MSG_LO(b) \
	{ QM_CP_MSG_BASE_ADDR_LO(b, 0), 5, 4, MSG_BASE_LO, (b), 0 }
#define MSG_HI(b) \
	{ QM_CP_MSG_BASE_ADDR_HI(b, 0), 5, 4, MSG_BASE_HI, (b), 0 }
#define RDATA(f)	{ QM_CP_FENCE_RDATA(f, 0), 5, 4, FENCE_RDATA, (f), 0 }
#define COUNT(f)	{ QM_CP_FENCE_CNT(f, 0), 5, 4, FENCE_CNT, (f), 0 }

static const struct row rows[] = {
	ONE(QM_GLBL_CFG0, CFG0, 0),
	ONE(QM_GLBL_CFG1, CFG1, 0),
	ONE(QM_GLBL_PROT, PROT, 0),
	ONE(QM_GLBL_ERR_CFG, ERR_CFG, 0),
	/* The stock driver relies on it: secure units bypass the MMU. */
	ROW(QM_GLBL_SECURE_PROPS(0), 5, PROPS_SEC, 0x400),
	ROW(QM_GLBL_NON_SECURE_PROPS(0), 5, PROPS_NONSEC, 0),
	ONE(QM_GLBL_STS0, STS0, 0),
	ROW(QM_GLBL_STS1(0), 5, STS1, 0),
	ROW(QM_PQ_BASE_LO(0), 4, PQ_BASE_LO, 0),
	ROW(QM_PQ_BASE_HI(0), 4, PQ_BASE_HI, 0),
	ROW(QM_PQ_SIZE(0), 4, PQ_SIZE, 0),
	ROW(QM_PQ_PI(0), 4, PQ_PI, 0),
	ROW(QM_PQ_CI(0), 4, PQ_CI, 0),
	ROW(QM_PQ_CFG1(0), 4, STORE, PQ_CFG1_RESET),
	ROW(QM_PQ_STS0(0), 4, CONST, 0),
	ROW(QM_PQ_STS1(0), 4, PQ_STS1, 0),
	ROW(QM_CQ_CFG1(0), 5, STORE, CQ_CFG1_RESET),
	ROW(QM_CQ_STS0(0), 5, CONST, 0),
	ROW(QM_CQ_STS1(0), 5, CQ_STS1, 0),
	{ QM_CQ_CTL(0), 5, 16, CQ_CTL, 0, 0 },
	ROW(QM_CQ_PTR_LO_STS(0), 5, CQ_PTR_LO_STS, 0),
	ROW(QM_CQ_PTR_HI_STS(0), 5, CQ_PTR_HI_STS, 0),
	ROW(QM_CQ_TSIZE_STS(0), 5, CQ_TSIZE_STS, 0),
	ROW(QM_CQ_CTL_STS(0), 5, CQ_CTL_STS, 0),
	ROW(QM_CQ_IFIFO_CNT(0), 5, CQ_IFIFO_CNT, 0),
	MSG_LO(0), MSG_LO(1), MSG_LO(2), MSG_LO(3),
	MSG_HI(0), MSG_HI(1), MSG_HI(2), MSG_HI(3),
	ROW(QM_CP_LDMA_TSIZE_OFFSET(0), 5, STORE, 0x103c),
	ROW(QM_CP_LDMA_SRC_BASE_LO_OFFSET(0), 5, STORE, 0x102c),
	ROW(QM_CP_LDMA_DST_BASE_LO_OFFSET(0), 5, STORE, 0x1034),
	RDATA(0), RDATA(1), RDATA(2), RDATA(3),
	COUNT(0), COUNT(1), COUNT(2), COUNT(3),
	ROW(QM_CP_STS(0), 5, CP_STS, 0),
	ROW(QM_CP_CURRENT_INST_LO(0), 5, CP_INST_LO, 0),
	ROW(QM_CP_CURRENT_INST_HI(0), 5, CP_INST_HI, 0),
	ROW(QM_CP_BARRIER_CFG(0), 5, STORE, 0x28),
	ROW(QM_CP_DBG_0(0), 5, CP_DBG, 0x10),
	ONE(QM_ARB_CFG_0, ARB, 0),
	ONE(QM_ARB_CHOISE_Q_PUSH, ARB, 0),
	ONE(QM_ARB_CFG_1, ARB, 0),
	ROW(QM_ARB_MST_AVAIL_CRED(0), 32, ARB, 0x40),
	ONE(QM_ARB_MST_CRED_INC, ARB, 0),
	ONE(QM_ARB_MST_QUIET_PER, STORE, 0x10),
	ONE(QM_ARB_SLV_CHOISE_WDT, STORE, 0x4000),
	ONE(QM_ARB_STATE_STS, CONST, 0xffffffff),
	ONE(QM_ARB_CHOISE_FULLNESS_STS, ARB, 0),
	ONE(QM_ARB_MSG_STS, CONST, 2),
	ONE(QM_ARB_SLV_CHOISE_Q_HEAD, ARB, 0),
	ONE(QM_ARB_ERR_CAUSE, ARB, 0),
	ONE(QM_ARB_ERR_STS_DRP, CONST, 0),
	ROW(QM_ARB_MST_CRED_STS(0), 32, ARB, 0),
	ONE(QM_CGM_CFG, STORE, 0xf100400),
	ONE(QM_CGM_STS, CGM_STS, 0),
	ONE(QM_CGM_CFG1, STORE, 0x10),
	ONE(QM_LOCAL_RANGE_BASE, CONST, LOCAL_RANGE_BASE),
	ONE(QM_LOCAL_RANGE_SIZE, CONST, LOCAL_RANGE_SIZE),
	ONE(QM_IND_GW_APB_RDATA, CONST, 0),
	ONE(QM_IND_GW_APB_STATUS, CONST, 0),
	ONE(QM_GLBL_MEM_INIT_BUSY, CONST, 0),
};

_Static_assert(ARRAY_SIZE(rows) < GAUDI_QM_NO_ROW, "rows do not fit the index");

/* Which row, and which element of it; NULL if there is no such register. */
static const struct row *find_row(struct gaudi_chip *chip, uint32_t off,
				  unsigned int *n)
{
	const struct row *row;
	uint8_t i;

	if (off / 4 >= GAUDI_QM_REGS)
		return NULL;
	i = chip->queues->qman_row[off / 4];
	if (i == GAUDI_QM_NO_ROW)
		return NULL;
	row = &rows[i];
	*n = (off - row->off) / row->stride;
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
	unsigned int n = 0;
	const struct row *row = find_row(chip, off, &n);
	const struct gaudi_cp *cp = &qm->cp[n % GAUDI_NUM_CPS];

	switch (row ? row->kind : STORE) {
	case CFG1:
		return qm->cfg1;
	case STS0:
		return sts0(qm);
	case STS1:
		return cp->sts1;
	case PQ_PI:
		return cp->pi;
	case PQ_CI:
		return cp->ci;
	case PQ_STS1:
		/* Entries are read one by one, when they are wanted. */
		return buf_sts(gaudi_pq_pending(qm, cp), true);
	case CQ_STS1:
		return buf_sts(cq_pending(cp), !gaudi_cq_ahead(cp));
	case CQ_PTR_LO_STS:
		return cp->pc;
	case CQ_PTR_HI_STS:
		return cp->pc >> 32;
	case CQ_TSIZE_STS:
		return cp->left;
	case CQ_CTL_STS:
		return cp->cur.ctl;
	case CQ_IFIFO_CNT:
		return cp->cq_count < GAUDI_CQ_DEPTH ? cp->cq_count :
						       GAUDI_CQ_DEPTH;
	case FENCE_CNT:
		return cp->fence[row->arg];
	case CP_STS:
		return cp_sts(chip, qm, cp);
	case CP_DBG:
		return cp_dbg(cp);
	case CP_INST_LO:
		return cp->inst;
	case CP_INST_HI:
		return cp->inst >> 32;
	case ARB:
		return gaudi_arb_read(chip, inst, off);
	case CGM_STS:
		return (sts0(qm) & GAUDI_QM_UNITS) == GAUDI_QM_UNITS ? CGM_STS_IDLE :
						     CGM_STS_BUSY;
	default:
		return gaudi_store_read(chip, qm->base + off);
	}
}

static void write_pq(struct gaudi_chip *chip, struct gaudi_cp *cp,
		     enum kind kind, uint32_t value)
{
	switch (kind) {
	case PQ_BASE_LO:
		cp->pq_base = (cp->pq_base & ~0xffffffffull) | value;
		break;
	case PQ_BASE_HI:
		cp->pq_base = (cp->pq_base & 0xffffffffull) |
			      (uint64_t)value << 32;
		break;
	case PQ_SIZE:
		cp->pq_size = value < PQ_SIZE_MAX ? value : PQ_SIZE_MAX;
		cp->pi &= gaudi_pq_mask(cp);
		cp->ci &= gaudi_pq_mask(cp);
		break;
	case PQ_CI:
		cp->ci = value & gaudi_pq_mask(cp);
		break;
	default:
		cp->pi = value & gaudi_pq_mask(cp);
		if (((cp->pi - cp->ci) & gaudi_pq_mask(cp)) > 1u << cp->pq_size)
			gaudi_log(chip, GAUDI_LOG_GUEST_ERROR,
				  "QMAN %u: PI 0x%x of stream %u is more than a queue ahead of CI 0x%x",
				  cp->qman, cp->pi, cp->n, cp->ci);
		if (cp->pi != cp->ci && !cp->busy)
			gaudi_actor_kick(chip, &cp->actor);
	}
}

/* Registers of the whole QMAN; true: a unit may have something to do now. */
static bool write_global(struct gaudi_chip *chip, struct gaudi_qman *qm,
			 enum kind kind, uint32_t value)
{
	switch (kind) {
	case CFG0:
		qm->cfg0 = value;
		return true;
	case CFG1:
		qm->cfg1 = value & GAUDI_QM_UNITS;
		gaudi_qman_flush(chip, qm, value >> GAUDI_QM_HIGH_SHIFT & GAUDI_QM_UNITS);
		return true;
	case PROT:
		qm->prot = value;
		return false;
	default:
		qm->err_cfg = value;
		return false;
	}
}

/* As if GLBL_CFG1 had all stop bits, which also ends it. */
void gaudi_qman_stop(struct gaudi_chip *chip, unsigned int id)
{
	struct gaudi_qman *qm = &chip->queues->qman[id];

	qm->cfg1 |= GAUDI_QM_UNITS;
	gaudi_store_write(chip, qm->base + QM_GLBL_CFG1, qm->cfg1);
}

static void write_row(struct gaudi_chip *chip, struct gaudi_qman *qm,
		      const struct row *row, unsigned int n, uint32_t value)
{
	struct gaudi_cp *cp = &qm->cp[n % GAUDI_NUM_CPS];
	uint64_t *base = &cp->msg_base[row->arg];

	switch (row->kind) {
	case CFG0:
	case CFG1:
	case PROT:
	case ERR_CFG:
		if (write_global(chip, qm, row->kind, value))
			gaudi_qman_kick_all(chip, qm);
		break;
	case PROPS_SEC:
		qm->props_sec[n] = value;
		break;
	case PROPS_NONSEC:
		qm->props_nonsec[n] = value;
		break;
	case STS1:
		gaudi_qman_clear_error(chip, cp, value);
		break;
	case PQ_BASE_LO:
	case PQ_BASE_HI:
	case PQ_SIZE:
	case PQ_PI:
	case PQ_CI:
		write_pq(chip, cp, row->kind, value);
		break;
	case CQ_CTL:
		gaudi_qman_cq_write(chip, qm, cp, value);
		break;
	case MSG_BASE_LO:
		*base = (*base & ~0xffffffffull) | value;
		break;
	case MSG_BASE_HI:
		*base = (*base & 0xffffffffull) | (uint64_t)value << 32;
		break;
	case FENCE_RDATA:
		gaudi_qman_fence_inc(chip, qm->id, row->arg, n,
				     value & QM_CP_FENCE_RDATA_INC);
		break;
	default:
		break;
	}
}

/* Status: what is written to it is lost. */
static bool is_read_only(enum kind kind)
{
	switch (kind) {
	case CONST:
	case STS0:
	case PQ_STS1:
	case CQ_STS1:
	case CQ_PTR_LO_STS:
	case CQ_PTR_HI_STS:
	case CQ_TSIZE_STS:
	case CQ_CTL_STS:
	case CQ_IFIFO_CNT:
	case FENCE_CNT:
	case CP_STS:
	case CP_INST_LO:
	case CP_INST_HI:
	case CP_DBG:
	case CGM_STS:
		return true;
	default:
		return false;
	}
}

static int qman_write(struct gaudi_chip *chip, unsigned int inst, uint32_t off,
		      uint32_t value, const struct gaudi_txn *txn)
{
	struct gaudi_qman *qm = &chip->queues->qman[inst];
	unsigned int n = 0;
	const struct row *row = find_row(chip, off, &n);

	(void)txn;
	if (row && is_read_only(row->kind))
		return 0;
	if (!row || row->kind != STS1)
		gaudi_store_write(chip, qm->base + off, value);
	if (row && row->kind == ARB)
		gaudi_arb_write(chip, inst, off, value);
	else if (row && row->kind != STORE)
		write_row(chip, qm, row, n, value);
	return 0;
}

static bool qman_w1c(uint32_t off)
{
	return (off >= QM_GLBL_STS1(0) && off <= QM_GLBL_STS1(GAUDI_QM_LOWER)) ||
	       off == QM_ARB_ERR_CAUSE;
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
}

static void qman_values(struct gaudi_chip *chip, unsigned int inst)
{
	struct gaudi_qman *qm = &chip->queues->qman[inst];
	const struct row *row;
	unsigned int i;

	for (row = rows; row < rows + ARRAY_SIZE(rows); row++)
		for (i = 0; row->reset && i < row->count; i++)
			gaudi_store_write(chip, qm->base + row->off +
					  row->stride * i, row->reset);
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
		qm->props_sec[i] = QM_GLBL_PROPS_MMBP;
		qm->props_nonsec[i] = 0;
		cp_reset(chip, &qm->cp[i]);
	}
	gaudi_arb_reset(chip, inst);
}

const struct gaudi_block_ops gaudi_qman_ops = {
	.name = "QMAN",
	.values = qman_values,
	.reset = qman_reset,
	.read = qman_read,
	.write = qman_write,
	.w1c = qman_w1c,
};

int gaudi_queues_init(struct gaudi_chip *chip)
{
	struct gaudi_qman *qm;
	unsigned int i, n;
	uint8_t *index;

	chip->queues = calloc(1, sizeof(*chip->queues));
	if (!chip->queues)
		return -ENOMEM;
	index = chip->queues->qman_row;
	memset(index, GAUDI_QM_NO_ROW, GAUDI_QM_REGS);
	for (i = 0; i < ARRAY_SIZE(rows); i++)
		for (n = 0; n < rows[i].count; n++)
			index[(rows[i].off + n * rows[i].stride) / 4] = i;
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
	return 0;
}

void gaudi_queues_fini(struct gaudi_chip *chip)
{
	free(chip->queues);
}
