// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The arbiter of a QMAN: while it is enabled, one stream at a time may pass
 * its ARB_POINT, and keeps the grant until an ARB_POINT with the release bit.
 *
 * A master chooses by strict priority or by weights, and tells its slaves by
 * writing the stream's number to their ARB_CHOISE_Q_PUSH; a slave follows what
 * it was told, in order, and complains when its streams wait too long.
 *
 * Source: Linux 6.12 for the registers. Inferred, for lack of a public text: a
 * larger number is the higher priority, a weight is a number of grants, and
 * credits between master and slaves do not limit anything.
 */
#include "internal.h"
#include "../../uapi/regs/gaudi_qman_regs.h"

#define NOBODY			(-1)
#define CHOICE			0x3u
/* The watchdog counts cycles of a clock of about this many Hz. */
#define WDT_NS(cycles)		((uint64_t)(cycles))
#define ARB_CFG_1_CLR		BIT(0)

static struct gaudi_qman *qman_of(struct gaudi_chip *chip, unsigned int inst)
{
	return &chip->engines.qman[inst];
}

static bool is_enabled(const struct gaudi_qman *qm)
{
	return qm->arb_cfg & QM_ARB_CFG_0_EN;
}

static bool is_master(const struct gaudi_qman *qm)
{
	return qm->arb_cfg & QM_ARB_CFG_0_IS_MASTER;
}

static void arb_error(struct gaudi_chip *chip, struct gaudi_qman *qm,
		      uint32_t bit)
{
	uint32_t enabled = gaudi_store_read(chip, qm->base +
					    QM_ARB_ERR_MSG_EN);

	if (qm->arb_err & bit)
		return;
	qm->arb_err |= bit;
	gaudi_log(chip, GAUDI_LOG_GUEST_ERROR, "QMAN %u: arbiter: %s", qm->id,
		  bit == QM_ARB_ERR_CAUSE_OVF ? "choice queue is full" :
						"no choice came in time");
	if (enabled & bit)
		gaudi_qman_send_error(chip, qm);
}

/* Tells the slaves of a master which stream is to run. */
static void push_choice(struct gaudi_chip *chip, struct gaudi_qman *qm,
			unsigned int stream)
{
	uint32_t slaves = gaudi_store_read(chip, qm->base +
					   QM_ARB_MST_SLAVE_EN);
	struct gaudi_txn txn = {
		.initiator = GAUDI_INIT_QMAN,
		.unit = qm->id,
		.secure = qm->prot & QM_GLBL_PROT_ARB,
		.bypass = true,
	};
	uint64_t base;
	unsigned int i;

	if (!slaves)
		return;
	gaudi_report_use(chip, "feature", "QMAN arbitration by a master",
			 GAUDI_APPROXIMATE);
	base = gaudi_store_read(chip, qm->base + QM_ARB_BASE_LO) |
	       (uint64_t)gaudi_store_read(chip, qm->base +
					  QM_ARB_BASE_HI) << 32;
	for (i = 0; i < 32; i++)
		if (slaves & 1u << i)
			gaudi_post_write(chip, &txn, base +
				gaudi_store_read(chip, qm->base +
					QM_ARB_MST_CHOISE_PUSH_OFST(i)),
				stream);
}

static bool weight_left(struct gaudi_chip *chip, const struct gaudi_qman *qm,
			unsigned int n)
{
	uint32_t weight = gaudi_store_read(chip, qm->base +
					   QM_ARB_WRR_WEIGHT(n));

	return qm->arb_used[n] < (weight ? weight : 1);
}

/* Weighted round robin; a new round when nobody who asks has weight left. */
static int choose_weighted(struct gaudi_chip *chip, struct gaudi_qman *qm)
{
	unsigned int i, n, round;

	for (round = 0; round < 2; round++) {
		for (i = 0; i < GAUDI_NUM_STREAMS; i++) {
			n = (qm->arb_last + i) % GAUDI_NUM_STREAMS;
			if (qm->cp[n].arb_request && weight_left(chip, qm, n))
				return n;
		}
		memset(qm->arb_used, 0, sizeof(qm->arb_used));
	}
	return NOBODY;
}

static int choose_priority(const struct gaudi_qman *qm)
{
	int best = NOBODY;
	unsigned int i, n;

	/* Equal ones take turns: the last winner comes last. */
	for (i = 1; i <= GAUDI_NUM_STREAMS; i++) {
		n = (qm->arb_last + i) % GAUDI_NUM_STREAMS;
		if (!qm->cp[n].arb_request)
			continue;
		if (best == NOBODY ||
		    qm->cp[n].arb_prio > qm->cp[best].arb_prio)
			best = n;
	}
	return best;
}

/* A slave's choice is made elsewhere; it must match somebody who asks. */
static int choose_told(struct gaudi_qman *qm)
{
	unsigned int n;

	if (!qm->arb_count)
		return NOBODY;
	n = qm->arb_choice[qm->arb_head];
	if (!qm->cp[n].arb_request)
		return NOBODY;
	qm->arb_head = (qm->arb_head + 1) % GAUDI_ARB_CHOICES;
	qm->arb_count--;
	return n;
}

static void watch_slave(struct gaudi_chip *chip, struct gaudi_qman *qm)
{
	uint32_t cycles = gaudi_store_read(chip, qm->base +
					   QM_ARB_SLV_CHOISE_WDT);
	unsigned int n;

	for (n = 0; n < GAUDI_NUM_STREAMS; n++)
		if (qm->cp[n].arb_request)
			break;
	if (is_master(qm) || n == GAUDI_NUM_STREAMS ||
	    qm->arb_owner != NOBODY)
		gaudi_timer_cancel(chip, &qm->arb_wdt);
	else if (!qm->arb_wdt.armed)
		gaudi_timer_arm(chip, &qm->arb_wdt, WDT_NS(cycles));
}

static void arbitrate(struct gaudi_chip *chip, struct gaudi_qman *qm)
{
	int n;

	if (qm->arb_owner != NOBODY)
		return;
	if (!is_master(qm))
		n = choose_told(qm);
	else if (qm->arb_cfg & QM_ARB_CFG_0_TYPE)
		n = choose_weighted(chip, qm);
	else
		n = choose_priority(qm);
	if (n != NOBODY) {
		qm->arb_owner = n;
		qm->arb_last = n;
		qm->arb_used[n]++;
		qm->cp[n].arb_request = false;
		gaudi_actor_kick(chip, &qm->cp[n].actor);
		if (is_master(qm))
			push_choice(chip, qm, n);
	}
	watch_slave(chip, qm);
}

bool gaudi_arb_request(struct gaudi_chip *chip, struct gaudi_qman *qm,
		       unsigned int n, uint8_t prio)
{
	if (!is_enabled(qm) || n >= GAUDI_NUM_STREAMS ||
	    qm->arb_owner == (int)n)
		return true;
	qm->cp[n].arb_request = true;
	qm->cp[n].arb_prio = prio;
	arbitrate(chip, qm);
	return qm->arb_owner == (int)n;
}

void gaudi_arb_release(struct gaudi_chip *chip, struct gaudi_qman *qm,
		       unsigned int n)
{
	if (!is_enabled(qm) || qm->arb_owner != (int)n)
		return;
	qm->arb_owner = NOBODY;
	arbitrate(chip, qm);
}

/* Nobody holds the grant or waits for it: streams ask anew. */
static void clear(struct gaudi_chip *chip, struct gaudi_qman *qm)
{
	unsigned int n;

	qm->arb_owner = NOBODY;
	qm->arb_head = 0;
	qm->arb_count = 0;
	memset(qm->arb_used, 0, sizeof(qm->arb_used));
	gaudi_timer_cancel(chip, &qm->arb_wdt);
	for (n = 0; n < GAUDI_NUM_STREAMS; n++) {
		qm->cp[n].arb_request = false;
		if (qm->cp[n].wait == GAUDI_CP_WAIT_ARB)
			gaudi_actor_kick(chip, &qm->cp[n].actor);
	}
}

static void wdt_expired(struct gaudi_chip *chip, void *arg)
{
	arb_error(chip, arg, QM_ARB_ERR_CAUSE_WDT);
}

uint32_t gaudi_arb_read(struct gaudi_chip *chip, unsigned int inst,
			uint32_t off)
{
	const struct gaudi_qman *qm = qman_of(chip, inst);

	switch (off) {
	case QM_ARB_CHOISE_FULLNESS_STS:
		return qm->arb_count;
	case QM_ARB_SLV_CHOISE_Q_HEAD:
		return qm->arb_count ? qm->arb_choice[qm->arb_head] : 0;
	case QM_ARB_ERR_CAUSE:
		return qm->arb_err;
	default:
		return gaudi_store_read(chip, qm->base + off);
	}
}

void gaudi_arb_write(struct gaudi_chip *chip, unsigned int inst, uint32_t off,
		     uint32_t value)
{
	struct gaudi_qman *qm = qman_of(chip, inst);

	switch (off) {
	case QM_ARB_CFG_0:
		qm->arb_cfg = value;
		clear(chip, qm);
		break;
	case QM_ARB_CFG_1:
		if (value & ARB_CFG_1_CLR)
			clear(chip, qm);
		break;
	case QM_ARB_ERR_CAUSE:
		qm->arb_err &= ~value;
		break;
	case QM_ARB_CHOISE_Q_PUSH:
		if (qm->arb_count == GAUDI_ARB_CHOICES) {
			arb_error(chip, qm, QM_ARB_ERR_CAUSE_OVF);
			break;
		}
		qm->arb_choice[(qm->arb_head + qm->arb_count++) %
			       GAUDI_ARB_CHOICES] = value & CHOICE;
		arbitrate(chip, qm);
		break;
	default:
		break;
	}
}

void gaudi_arb_reset(struct gaudi_chip *chip, unsigned int inst)
{
	struct gaudi_qman *qm = qman_of(chip, inst);

	qm->arb_cfg = 0;
	qm->arb_err = 0;
	qm->arb_last = 0;
	clear(chip, qm);
}

void gaudi_arb_init(struct gaudi_qman *qm)
{
	qm->arb_wdt.fn = wdt_expired;
	qm->arb_wdt.arg = qm;
}
