// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * The arbiter of a QMAN: while it is enabled, one stream at a time may pass
 * its ARB_POINT, and keeps the grant until an ARB_POINT with the release bit.
 *
 * A master chooses by strict priority or by weights when no request has come
 * for a quiet period, so that all streams that the same event releases have
 * asked. It writes the stream's number to ARB_CHOISE_Q_PUSH of each slave, at
 * the cost of one credit each. A slave grants in the order of these writes,
 * returns the credit when it does, and reports an error when its streams wait
 * too long.
 *
 * Source: Linux 6.12 for the registers, and for the watchdog's clock: the
 * driver's 0xEE6B27FF cycles are eight seconds. Inferred, for lack of a public
 * text: what the quiet period is for, and that it begins anew at each request
 * and release; a larger number is the higher priority, a weight is a number of
 * grants, a set bit of ARB_CFG_0.MASK leaves a stream out, a slave returns a
 * credit by writing 1 << SLV_ID, and a master stalls without credits unless a
 * register says otherwise.
 */
#include "qman.h"
#include "../bus/bus.h"

#define NOBODY			(-1)
#define CHOICE			0x3u
#define CRED_MAX		0x7fu
#define SLV_ID			0x1fu
#define ARB_CFG_1_CLR		BIT(0)
#define NUM_SLAVES		32

/*
 * A quiet period that is shorter than a stream's turn in the model, in cycles,
 * is over when all streams that could run have had one of so many packets. The
 * card has them run side by side.
 */
#define QUIET_TURN		500u
#define QUIET_PACKETS		64

static struct gaudi_qman *qman_of(struct gaudi_chip *chip, unsigned int inst)
{
	return &chip->queues->qman[inst];
}

static bool is_enabled(const struct gaudi_qman *qm)
{
	return qm->arb_cfg & QM_ARB_CFG_0_EN;
}

static bool is_master(const struct gaudi_qman *qm)
{
	return qm->arb_cfg & QM_ARB_CFG_0_IS_MASTER;
}

static uint64_t arb_base(struct gaudi_chip *chip, const struct gaudi_qman *qm)
{
	return gaudi_reg64(chip, qm->base, QM_ARB_BASE_LO);
}

static void arb_error(struct gaudi_chip *chip, struct gaudi_qman *qm,
		      uint32_t bit)
{
	static const char *const why[] = {
		"choice queue is full", "no choice came in time",
		"a message went nowhere",
	};

	if (qm->err_cfg & QM_GLBL_ERR_CFG_ARB_STOP)
		qm->arb_stop = true;
	if (qm->arb_err & bit)
		return;
	qm->arb_err |= bit;
	gaudi_log(chip, GAUDI_LOG_GUEST_ERROR, "QMAN %u: arbiter: %s", qm->id,
		  why[__builtin_ctz(bit)]);
	if (gaudi_reg(chip, qm->base, QM_ARB_ERR_MSG_EN) & bit)
		gaudi_qman_send_error(chip, qm);
}

/* To another arbiter; its bus leads to registers only. */
static void message(struct gaudi_chip *chip, struct gaudi_qman *qm,
		    uint32_t off, uint32_t value)
{
	uint64_t addr = arb_base(chip, qm) + off;
	struct gaudi_txn txn = {
		.initiator = GAUDI_INIT_QMAN,
		.unit = qm->id,
		.secure = qm->prot & QM_GLBL_PROT_ARB,
		.bypass = true,
	};

	if (addr >= GAUDI_CFG_BASE && addr - GAUDI_CFG_BASE < GAUDI_CFG_SIZE)
		gaudi_post_write(chip, &txn, addr, value);
	else
		arb_error(chip, qm, QM_ARB_ERR_CAUSE_AXI_LBW);
}

static uint32_t slaves(struct gaudi_chip *chip, const struct gaudi_qman *qm)
{
	return is_master(qm) ?
	       gaudi_reg(chip, qm->base, QM_ARB_MST_SLAVE_EN) : 0;
}

static bool has_credit(struct gaudi_chip *chip, const struct gaudi_qman *qm)
{
	uint32_t left = slaves(chip, qm);

	if (qm->arb_cfg & QM_ARB_CFG_0_MST_MSG_NOSTALL)
		return true;
	for (; left; left &= left - 1)
		if (!qm->arb_cred[__builtin_ctz(left)])
			return false;
	return true;
}

/* Tells the slaves of a master which stream is to run. */
static void push_choice(struct gaudi_chip *chip, struct gaudi_qman *qm,
			unsigned int stream)
{
	uint32_t left = slaves(chip, qm);
	unsigned int i;

	for (; left; left &= left - 1) {
		i = __builtin_ctz(left);
		if (qm->arb_cred[i])
			qm->arb_cred[i]--;
		message(chip, qm,
			gaudi_reg(chip, qm->base,
				  QM_ARB_MST_CHOISE_PUSH_OFST(i)), stream);
	}
}

/* A slave has room for one choice more. */
static void return_credit(struct gaudi_chip *chip, struct gaudi_qman *qm)
{
	uint32_t off = gaudi_reg(chip, qm->base,
				 QM_ARB_SLV_MASTER_INC_CRED_OFST);

	/* Not set up: a slave that is fed by hand has no master to tell. */
	if (off)
		message(chip, qm, off,
			1u << (gaudi_reg(chip, qm->base, QM_ARB_SLV_ID) &
			       SLV_ID));
}

/* The credits that AVAIL_CRED grants. */
static void load_credits(struct gaudi_chip *chip, struct gaudi_qman *qm)
{
	unsigned int i;

	for (i = 0; i < NUM_SLAVES; i++)
		qm->arb_cred[i] = gaudi_reg(chip, qm->base,
					    QM_ARB_MST_AVAIL_CRED(i)) &
				  CRED_MAX;
}

/* Does the master of this QMAN consider this stream? */
static bool asks(const struct gaudi_qman *qm, unsigned int n)
{
	return qm->cp[n].arb_request &&
	       !(FIELD_GET(QM_ARB_CFG_0_MASK, qm->arb_cfg) & 1u << n);
}

static bool weight_left(struct gaudi_chip *chip, const struct gaudi_qman *qm,
			unsigned int n)
{
	uint32_t weight = gaudi_reg(chip, qm->base, QM_ARB_WRR_WEIGHT(n));

	return qm->arb_used[n] < (weight ? weight : 1);
}

/* Weighted round robin; a new round when no asking stream has weight left. */
static int choose_weighted(struct gaudi_chip *chip, struct gaudi_qman *qm)
{
	unsigned int i, n, first, round;

	for (round = 0; round < 2; round++) {
		/* A stream that has used a part of its weight goes on. */
		first = qm->arb_last + !qm->arb_used[qm->arb_last];
		for (i = 0; i < GAUDI_NUM_STREAMS; i++) {
			n = (first + i) % GAUDI_NUM_STREAMS;
			if (asks(qm, n) && weight_left(chip, qm, n))
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
		if (!asks(qm, n))
			continue;
		if (best == NOBODY ||
		    qm->cp[n].arb_prio > qm->cp[best].arb_prio)
			best = n;
	}
	return best;
}

/* A slave's choice is its master's; that stream must have asked. */
static int choose_pushed(struct gaudi_qman *qm)
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
	uint32_t cycles = gaudi_reg(chip, qm->base, QM_ARB_SLV_CHOISE_WDT);
	unsigned int n;

	for (n = 0; n < GAUDI_NUM_STREAMS; n++)
		if (qm->cp[n].arb_request)
			break;
	if (is_master(qm) || n == GAUDI_NUM_STREAMS ||
	    qm->arb_owner != NOBODY)
		gaudi_timer_cancel(chip, &qm->arb_wdt);
	else if (!qm->arb_wdt.armed)
		gaudi_timer_arm(chip, &qm->arb_wdt, GAUDI_QM_CYCLES_NS(cycles));
}

/* A stream asks, or gives the grant back: others, or it again, may follow. */
static void begin_quiet(struct gaudi_chip *chip, struct gaudi_qman *qm)
{
	uint32_t cycles = gaudi_reg(chip, qm->base, QM_ARB_MST_QUIET_PER);
	unsigned int n;

	qm->arb_due = true;
	for (n = 0; n < GAUDI_NUM_STREAMS; n++)
		qm->arb_wait[n] =
			cycles && gaudi_actor_is_ready(chip, &qm->cp[n].actor) ?
			QUIET_PACKETS : 0;
	gaudi_timer_cancel(chip, &qm->arb_quiet);
	if (cycles >= QUIET_TURN && is_master(qm))
		gaudi_timer_arm(chip, &qm->arb_quiet,
				GAUDI_QM_CYCLES_NS(cycles));
}

static bool is_quiet(const struct gaudi_qman *qm)
{
	unsigned int n;

	if (qm->arb_quiet.armed)
		return false;
	for (n = 0; n < GAUDI_NUM_STREAMS; n++)
		if (qm->arb_wait[n])
			return false;
	return true;
}

static void arbitrate(struct gaudi_chip *chip, struct gaudi_qman *qm)
{
	int n;

	if (qm->arb_owner != NOBODY || qm->arb_stop)
		return;
	if (is_master(qm) && !is_quiet(qm))
		return;
	if (is_master(qm) && !has_credit(chip, qm))
		return;
	if (!is_master(qm))
		n = choose_pushed(qm);
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
		else
			return_credit(chip, qm);
	}
	watch_slave(chip, qm);
}

bool gaudi_arb_request(struct gaudi_chip *chip, struct gaudi_qman *qm,
		       unsigned int n, uint8_t prio)
{
	if (!is_enabled(qm) || n >= GAUDI_NUM_STREAMS ||
	    qm->arb_owner == (int)n)
		return true;
	if (!qm->cp[n].arb_request) {
		qm->cp[n].arb_request = true;
		qm->cp[n].arb_prio = prio;
		if (qm->arb_owner == NOBODY)
			begin_quiet(chip, qm);
	}
	return false;
}

void gaudi_arb_release(struct gaudi_chip *chip, struct gaudi_qman *qm,
		       unsigned int n)
{
	if (!is_enabled(qm) || qm->arb_owner != (int)n)
		return;
	qm->arb_owner = NOBODY;
	qm->arb_ps = chip->clock.at_ps;
	begin_quiet(chip, qm);
}

void gaudi_arb_turn(struct gaudi_chip *chip, struct gaudi_qman *qm,
		    unsigned int n, bool more, unsigned int packets)
{
	if (!qm->arb_due)
		return;
	if (n < GAUDI_NUM_STREAMS)
		qm->arb_wait[n] = more && qm->arb_wait[n] > packets ?
				  qm->arb_wait[n] - packets : 0;
	if (is_master(qm) && !is_quiet(qm))
		return;
	qm->arb_due = false;
	if (is_enabled(qm))
		arbitrate(chip, qm);
}

static void quiet_ends(struct gaudi_chip *chip, void *arg)
{
	struct gaudi_qman *qm = arg;

	if (is_enabled(qm))
		arbitrate(chip, qm);
}

/* No stream holds the grant or waits for it: they ask anew. */
static void clear(struct gaudi_chip *chip, struct gaudi_qman *qm)
{
	unsigned int n;

	qm->arb_owner = NOBODY;
	qm->arb_due = false;
	qm->arb_stop = false;
	memset(qm->arb_wait, 0, sizeof(qm->arb_wait));
	qm->arb_head = 0;
	qm->arb_count = 0;
	load_credits(chip, qm);
	memset(qm->arb_used, 0, sizeof(qm->arb_used));
	gaudi_timer_cancel(chip, &qm->arb_wdt);
	gaudi_timer_cancel(chip, &qm->arb_quiet);
	for (n = 0; n < GAUDI_NUM_STREAMS; n++) {
		qm->cp[n].arb_request = false;
		if (qm->cp[n].wait == GAUDI_CP_WAIT_ARB)
			gaudi_actor_kick(chip, &qm->cp[n].actor);
	}
}

static void push(struct gaudi_chip *chip, struct gaudi_qman *qm,
		 uint32_t value)
{
	if (qm->arb_count == GAUDI_ARB_CHOICES) {
		arb_error(chip, qm, QM_ARB_ERR_CAUSE_OVF);
		return;
	}
	qm->arb_choice[(qm->arb_head + qm->arb_count++) % GAUDI_ARB_CHOICES] =
		value & CHOICE;
	if (is_enabled(qm))
		arbitrate(chip, qm);
}

static void add_credits(struct gaudi_chip *chip, struct gaudi_qman *qm,
			uint32_t who)
{
	unsigned int i;

	for (; who; who &= who - 1) {
		i = __builtin_ctz(who);
		if (qm->arb_cred[i] < CRED_MAX)
			qm->arb_cred[i]++;
	}
	if (is_enabled(qm))
		arbitrate(chip, qm);
}

static void clear_error(struct gaudi_chip *chip, struct gaudi_qman *qm,
			uint32_t bits)
{
	qm->arb_err &= ~bits;
	if (qm->arb_err)
		return;
	qm->arb_stop = false;
	if (is_enabled(qm))
		arbitrate(chip, qm);
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
	case QM_ARB_MST_CRED_STS(0) ... QM_ARB_MST_CRED_STS(31):
		return qm->arb_cred[(off - QM_ARB_MST_CRED_STS(0)) / 4];
	default:
		return gaudi_reg(chip, qm->base, off);
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
		clear_error(chip, qm, value);
		break;
	case QM_ARB_CHOISE_Q_PUSH:
		push(chip, qm, value);
		break;
	case QM_ARB_MST_AVAIL_CRED(0) ... QM_ARB_MST_AVAIL_CRED(31):
		qm->arb_cred[(off - QM_ARB_MST_AVAIL_CRED(0)) / 4] =
			value & CRED_MAX;
		break;
	case QM_ARB_MST_CRED_INC:
		add_credits(chip, qm, value);
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
	/* The first turn is stream 0's. */
	qm->arb_last = GAUDI_NUM_STREAMS - 1;
	clear(chip, qm);
}

void gaudi_arb_init(struct gaudi_qman *qm)
{
	qm->arb_wdt.fn = wdt_expired;
	qm->arb_wdt.arg = qm;
	qm->arb_quiet.fn = quiet_ends;
	qm->arb_quiet.arg = qm;
}
