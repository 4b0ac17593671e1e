// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * MME_CTRL, and what MME_ACC and MME_SBAB do: the matrix engines as drivers and
 * queues see them. How they execute a descriptor is in mme_exec.h.
 *
 * MME0 and MME2 are masters, MME1 and MME3 their slaves. A master takes the
 * descriptor of its ARCH area over into one of four shadows when it is told to
 * execute, and works them off in order; each drives both engines of the pair.
 *
 * Sources: asic_reg/mme0_ctrl_regs.h and gaudi.c, Linux 6.12. Inferred: bits of
 * INTR_CAUSE, the status of a shadow, what RESET does, and which user bits are
 * of which operand.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "mme_exec.h"
#include "../queues/queues.h"
#include "../snap/snap.h"
#include "../../../uapi/hw/gaudi_fw_if.h"
#include "../../../uapi/hw/regs/gaudi_mme_regs.h"

/* Bits of INTR_CAUSE. */
#define CAUSE_BAD		BIT(0)
#define CAUSE_READ		BIT(1)
#define CAUSE_WRITE		BIT(2)
#define CAUSE_OVERFLOW		BIT(3)
/* What a whole turn counts as, in bytes that are copied. */
#define TURN_WORK		(4u << 20)

#define NUM_PAIRS		2

struct gaudi_mme {
	struct gaudi_actor actor;
	uint8_t id;			/* of the master: 0 or 2 */
	unsigned int head;		/* shadows: the one that is executed */
	unsigned int count;		/* in flight */
	bool begun;			/* the first one of them */
	bool drop;			/* all of them, at the next turn */
	/* counts when a descriptor may be meant to see what others wrote */
	uint64_t order;
	uint64_t shadow_order[4];	/* of each shadow, when it was filled */
	struct gaudi_jobs jobs;		/* in a model of time */
	struct gaudi_mme_exec *exec;	/* NULL: never used since the reset */
};

struct gaudi_mmes {
	struct gaudi_mme pair[NUM_PAIRS];
};

static struct gaudi_mme *pair_of(struct gaudi_chip *chip, unsigned int id)
{
	return &chip->mmes->pair[id / 2];
}

static void mme_order(struct gaudi_chip *chip, unsigned int n)
{
	chip->mmes->pair[n].order++;
}

static bool is_stalled(struct gaudi_chip *chip, const struct gaudi_mme *mme)
{
	unsigned int i;

	for (i = mme->id; i < mme->id + 2u; i++)
		if ((gaudi_store_read(chip, GAUDI_MME_ACC_BASE(i) +
				      MME_ACC_ACC_STALL) & MME_ACC_ACC_STALL_R) ||
		    (gaudi_store_read(chip, GAUDI_MME_SBAB_BASE(i) +
				      MME_SBAB_SB_STALL) & MME_SBAB_SB_STALL_R))
			return true;
	return false;
}

/* --- a descriptor begins and ends --------------------------------------- */

static void interrupt(struct gaudi_chip *chip, const struct gaudi_mme *mme,
		      uint32_t cause)
{
	const uint32_t base = GAUDI_MME_CTRL_BASE(mme->id);

	gaudi_set_reg(chip, base, MME_CTRL_INTR_CAUSE,
		      gaudi_reg(chip, base, MME_CTRL_INTR_CAUSE) | cause);
}

static void execute(struct gaudi_chip *chip, struct gaudi_mme *mme)
{
	uint32_t shadow, off, end = MME_CTRL_ARCH + 4 * MME_DESC_WORDS;
	const uint32_t base = GAUDI_MME_CTRL_BASE(mme->id);
	unsigned int slot = (mme->head + mme->count) % MME_NUM_SHADOWS;

	if (mme->count == MME_NUM_SHADOWS) {
		interrupt(chip, mme, CAUSE_OVERFLOW);
		gaudi_log(chip, GAUDI_LOG_GUEST_ERROR,
			  "MME%u: a fifth descriptor is dropped", mme->id);
		return;
	}
	shadow = MME_CTRL_SHADOW(slot);
	mme->shadow_order[slot] = mme->order;
	for (off = MME_CTRL_ARCH; off < end; off += 4)
		gaudi_set_reg(chip, base, shadow + off,
			      gaudi_reg(chip, base, off));
	gaudi_set_reg(chip, base, shadow, 1);
	mme->count++;
	if (chip->clock.on)
		gaudi_jobs_give(chip, &mme->jobs);
	gaudi_actor_kick(chip, &mme->actor);
}

/* Does it reduce in another type than the output's (6 bf16, 7 fp32)? */
static bool reduces_otherwise(const struct gaudi_mme_desc *d, uint16_t user)
{
	return d->store && user & GAUDI_REDUCE_EN &&
	       FIELD_GET(GAUDI_REDUCE_TYPE, user) != (d->out_fp32 ? 7 : 6);
}

/* What of a descriptor is known less well than the rest. */
static void report(struct gaudi_chip *chip, const struct gaudi_mme_desc *d)
{
	const struct {
		bool used;
		const char *name;
	} guesses[] = {
		{ !d->op[MME_OP_S].load || !d->op[MME_OP_L].load,
		  "MME operand kept from an earlier descriptor" },
		{ d->keep_partial, "MME partial sums of several descriptors" },
		{ d->accum, "MME accumulation" },
		{ d->store && !d->out_fp32 &&
		  d->rounding & MME_ROUND_STOCHASTIC,
		  "MME stochastic rounding" },
		{ d->store && (d->user_first | d->user_steady) &
		  GAUDI_REDUCE_EN, "MME reduction in memory" },
		{ reduces_otherwise(d, d->user_first) ||
		  reduces_otherwise(d, d->user_steady),
		  "MME reduction in another type than the output's" },
		{ d->store && d->user_first != d->user_steady,
		  "MME reduction that changes within a descriptor" },
	};
	unsigned int i;

	gaudi_report_use(chip, "feature", "MME descriptor", GAUDI_EXACT);
	if (chip->config.mme == GAUDI_MME_FAST)
		gaudi_report_use(chip, "feature", "MME sums in mode fast",
				 GAUDI_APPROXIMATE);
	for (i = 0; i < ARRAY_SIZE(guesses); i++)
		if (guesses[i].used)
			gaudi_report_use(chip, "feature", guesses[i].name,
					 GAUDI_APPROXIMATE);
}

/* The descriptor of the first shadow; false: it cannot be done. */
static bool begin(struct gaudi_chip *chip, struct gaudi_mme *mme)
{
	uint32_t shadow = MME_CTRL_SHADOW(mme->head) + MME_CTRL_ARCH;
	struct gaudi_mme_exec *x = mme->exec;
	unsigned int i;

	for (i = 0; i < MME_DESC_WORDS; i++)
		x->words[i] = gaudi_reg(chip, GAUDI_MME_CTRL_BASE(mme->id),
					shadow + 4 * i);
	gaudi_mme_unpack(x->words, &x->desc);
	x->error = GAUDI_MME_BAD;
	x->name = gaudi_mme_check(&x->desc);
	if (x->name)
		return false;
	report(chip, &x->desc);
	x->mem.begin_ps = gaudi_jobs_begin(&mme->jobs);
	x->mem.hbm_ps = x->mem.begin_ps;
	x->mem.hbm_bytes = 0;
	x->mem.cycles = 0;
	chip->clock.at_ps = x->mem.begin_ps;
	gaudi_trace(chip, GAUDI_TRACE_START, GAUDI_QMAN_MME0 + mme->id / 2, 0,
		    0, 0);
	x->arith = chip->config.mme == GAUDI_MME_SPEC ? &gaudi_mme_spec :
		   chip->config.mme == GAUDI_MME_FAST ? &gaudi_mme_fast :
							&gaudi_mme_exact;
	x->order = mme->shadow_order[mme->head];
	gaudi_mme_exec_begin(x);
	mme->begun = true;
	return !x->error;
}

static void retire(struct gaudi_chip *chip, struct gaudi_mme *mme)
{
	gaudi_set_reg(chip, GAUDI_MME_CTRL_BASE(mme->id),
		      MME_CTRL_SHADOW(mme->head), 0);
	mme->head = (mme->head + 1) % MME_NUM_SHADOWS;
	mme->count--;
	if (chip->clock.on) {
		chip->clock.at_ps = mme->begun ? gaudi_mme_at_ps(&mme->exec->mem) :
						 gaudi_jobs_begin(&mme->jobs);
		gaudi_jobs_end(&mme->jobs, chip->clock.at_ps);
	}
	mme->begun = false;
	gaudi_trace(chip, GAUDI_TRACE_END, GAUDI_QMAN_MME0 + mme->id / 2, 0, 0,
		    0);
	gaudi_qman_job_ended(chip, GAUDI_QMAN_MME0 + mme->id / 2, GAUDI_ALL_CPS);
}

/* It signals nothing more, as a signal would mean success. */
static void complain(struct gaudi_chip *chip, const struct gaudi_mme *mme)
{
	const struct gaudi_mme_exec *x = mme->exec;

	switch (x->error) {
	case GAUDI_MME_READ_ERROR:
		interrupt(chip, mme, CAUSE_READ);
		gaudi_cpu_spi(chip, GAUDI_SPI_MME_SBAB_RSP + 5 * mme->id);
		break;
	case GAUDI_MME_WRITE_ERROR:
		interrupt(chip, mme, CAUSE_WRITE);
		gaudi_cpu_spi(chip, GAUDI_SPI_MME_WBC_RSP + 5 * mme->id);
		break;
	default:
		/* No event of its own is published. */
		interrupt(chip, mme, CAUSE_BAD);
		gaudi_cpu_spi(chip, GAUDI_SPI_MME_SBAB_RSP + 5 * mme->id);
		gaudi_report_use(chip, "feature", x->name, GAUDI_UNIMPLEMENTED);
	}
	gaudi_log(chip, GAUDI_LOG_GUEST_ERROR, "MME%u: descriptor ends: %s",
		  mme->id, x->error == GAUDI_MME_READ_ERROR ? "read error" :
		  x->error == GAUDI_MME_WRITE_ERROR ? "write error" : x->name);
}

/* --- turns -------------------------------------------------------------- */

static void set_port(struct gaudi_chip *chip, struct gaudi_mme_exec *x,
		     unsigned int port, unsigned int id, uint32_t user_reg)
{
	uint32_t user = gaudi_store_read(chip, user_reg);

	x->mem.port[port] = (struct gaudi_mme_port) {
		.write = port >= GAUDI_MME_WRITE_O,
		.txn = {
			.initiator = GAUDI_INIT_MME,
			.unit = id,
			.bypass = user & MME_USER_MMBP,
			.asid = FIELD_GET(MME_USER_ASID, user),
		},
	};
}

/* The engines as initiators on the bus; nothing is mapped yet. */
static void set_ports(struct gaudi_chip *chip, struct gaudi_mme *mme)
{
	struct gaudi_mme_exec *x = mme->exec;
	unsigned int h, id;

	set_port(chip, x, GAUDI_MME_READ_S, mme->id,
		 GAUDI_MME_SBAB_BASE(mme->id) + MME_SBAB_ARUSER0);
	for (h = 0; h < GAUDI_MME_CORES; h++) {
		id = mme->id + h;
		set_port(chip, x, GAUDI_MME_READ_L + h, id,
			 GAUDI_MME_SBAB_BASE(id) + MME_SBAB_ARUSER1);
		set_port(chip, x, GAUDI_MME_WRITE_O + h, id,
			 GAUDI_MME_ACC_BASE(id) + MME_ACC_WBC);
	}
}

static void drop_all(struct gaudi_chip *chip, struct gaudi_mme *mme)
{
	mme->drop = false;
	while (mme->count)
		retire(chip, mme);
	gaudi_mme_exec_free(mme->exec);
	mme->exec = NULL;
}

/* Some steps of the first descriptor; true: it has ended. */
static bool work(struct gaudi_chip *chip, struct gaudi_mme *mme)
{
	struct gaudi_mme_exec *x = mme->exec;
	uint64_t start = gaudi_busy_begin(chip);
	bool more;

	if (!mme->begun && !begin(chip, mme))
		return true;
	set_ports(chip, mme);
	gaudi_bulk_begin(chip);
	more = gaudi_mme_exec_run(x);
	gaudi_bulk_end(chip);
	if (chip->clock.on)
		chip->clock.at_ps = gaudi_mme_at_ps(&x->mem);
	gaudi_busy_end(chip, start, x->used * GAUDI_RATE_MME_CYCLE);
	gaudi_work_done(chip, TURN_WORK * x->used / x->arith->budget);
	return !more;
}

static bool mme_run(struct gaudi_chip *chip, struct gaudi_actor *actor)
{
	struct gaudi_mme *mme = (struct gaudi_mme *)((char *)actor -
					offsetof(struct gaudi_mme, actor));

	if (!mme->count || is_stalled(chip, mme))
		return false;
	/* Its signals need room. */
	if (gaudi_posts_full(chip))
		return true;
	if (!mme->exec)
		mme->exec = gaudi_mme_exec_new(chip);
	if (!mme->exec) {
		gaudi_log(chip, GAUDI_LOG_GUEST_ERROR,
			  "MME%u: no memory on the host", mme->id);
		retire(chip, mme);
	} else if (work(chip, mme) && !mme->drop) {
		if (mme->exec->error)
			complain(chip, mme);
		retire(chip, mme);
	}
	if (mme->drop)
		drop_all(chip, mme);
	return mme->count && !is_stalled(chip, mme);
}

/* --- registers ---------------------------------------------------------- */

/* No actor runs. */
static void mme_reset(struct gaudi_chip *chip, unsigned int inst)
{
	struct gaudi_mme *mme = pair_of(chip, inst);

	if (inst != mme->id)
		return;
	gaudi_mme_exec_free(mme->exec);
	mme->exec = NULL;
	mme->jobs = (struct gaudi_jobs){ .depth = MME_NUM_SHADOWS };
	mme->head = 0;
	mme->count = 0;
	mme->begun = false;
	mme->drop = false;
}

static uint32_t mme_read(struct gaudi_chip *chip, unsigned int inst,
			 uint32_t off)
{
	const struct gaudi_mme *mme = pair_of(chip, inst);
	uint32_t status = gaudi_reg(chip, GAUDI_MME_CTRL_BASE(inst), off);

	if (off != MME_CTRL_ARCH_STATUS || !mme->count)
		return status;
	status &= ~(MME_CTRL_ARCH_STATUS_SB_A_EMPTY |
		    MME_CTRL_ARCH_STATUS_SB_B_EMPTY |
		    MME_CTRL_ARCH_STATUS_SM_IDLE |
		    MME_CTRL_ARCH_STATUS_WBC_AXI_IDLE |
		    MME_CTRL_ARCH_STATUS_SB_A_AXI_IDLE |
		    MME_CTRL_ARCH_STATUS_SB_B_AXI_IDLE |
		    MME_CTRL_ARCH_STATUS_QM_IDLE);
	if (mme->count == MME_NUM_SHADOWS)
		status &= ~MME_CTRL_ARCH_STATUS_QM_RDY;
	return status | MME_CTRL_ARCH_STATUS_WORKING;
}

static void command(struct gaudi_chip *chip, unsigned int inst)
{
	struct gaudi_mme *mme = pair_of(chip, inst);

	if (inst == mme->id)
		execute(chip, mme);
	else
		gaudi_report_use(chip, "feature", "MME descriptor of a slave",
				 GAUDI_UNIMPLEMENTED);
}

/* Drops what is in flight; the part that is under way ends first. */
static void reset_engine(struct gaudi_chip *chip, struct gaudi_mme *mme)
{
	gaudi_report_use(chip, "feature", "MME reset register",
			 GAUDI_APPROXIMATE);
	if (mme->actor.running)
		mme->drop = true;
	else
		drop_all(chip, mme);
}

static int mme_write(struct gaudi_chip *chip, unsigned int inst, uint32_t off,
		     uint32_t value, const struct gaudi_txn *txn)
{
	/* Its own queue says itself when it waited. */
	if (txn->initiator != GAUDI_INIT_QMAN ||
	    txn->unit != GAUDI_QMAN_MME0 + inst / 2)
		mme_order(chip, inst / 2);
	switch (off) {
	case MME_CTRL_CMD:
		if (value & MME_CTRL_CMD_EXECUTE)
			command(chip, inst);
		break;
	case MME_CTRL_RESET:
		gaudi_set_reg(chip, GAUDI_MME_CTRL_BASE(inst), off, value);
		if (value)
			reset_engine(chip, pair_of(chip, inst));
		break;
	default:
		/* Nor is what has no name between the shadows written. */
		if (off < MME_CTRL_SHADOW(0) ||
		    off >= MME_CTRL_SHADOW(MME_NUM_SHADOWS))
			gaudi_set_reg(chip, GAUDI_MME_CTRL_BASE(inst), off,
				      value);
	}
	return 0;
}

const struct gaudi_block_ops gaudi_mme_ctrl_ops = {
	.name = "MME_CTRL",
	.reset = mme_reset,
	.read = mme_read,
	.write = mme_write,
	.plain_end = MME_CTRL_CMD,
};

/* One that was stalled goes on. */
static int acc_write(struct gaudi_chip *chip, unsigned int inst, uint32_t off,
		     uint32_t value, const struct gaudi_txn *txn)
{
	(void)txn;
	mme_order(chip, inst / 2);
	gaudi_store_write(chip, GAUDI_MME_ACC_BASE(inst) + off, value);
	if (off == MME_ACC_ACC_STALL)
		gaudi_actor_kick(chip, &pair_of(chip, inst)->actor);
	return 0;
}

static int sbab_write(struct gaudi_chip *chip, unsigned int inst, uint32_t off,
		      uint32_t value, const struct gaudi_txn *txn)
{
	(void)txn;
	mme_order(chip, inst / 2);
	gaudi_store_write(chip, GAUDI_MME_SBAB_BASE(inst) + off, value);
	if (off == MME_SBAB_SB_STALL)
		gaudi_actor_kick(chip, &pair_of(chip, inst)->actor);
	return 0;
}

const struct gaudi_block_ops gaudi_mme_acc_ops = {
	.name = "MME_ACC",
	.write = acc_write,
};

const struct gaudi_block_ops gaudi_mme_sbab_ops = {
	.name = "MME_SBAB",
	.write = sbab_write,
};

/* --- the engine behind a queue -------------------------------------------- */

/* May the queue start one more descriptor on the pair? */
static bool mme_has_room(struct gaudi_chip *chip, unsigned int unit)
{
	return chip->mmes->pair[unit].count < MME_NUM_SHADOWS;
}

static bool mme_is_idle(struct gaudi_chip *chip, unsigned int unit,
			unsigned int cp)
{
	(void)cp;
	return !chip->mmes->pair[unit].count;
}

static const struct gaudi_engine_ops engine_ops = {
	.has_room = mme_has_room,
	.is_idle = mme_is_idle,
	.order = mme_order,
};

int gaudi_mme_init(struct gaudi_chip *chip)
{
	struct gaudi_mme *mme;
	unsigned int i;

	chip->mmes = calloc(1, sizeof(*chip->mmes));
	if (!chip->mmes)
		return -ENOMEM;
	for (i = 0; i < NUM_PAIRS; i++) {
		mme = &chip->mmes->pair[i];
		mme->id = 2 * i;
		gaudi_actor_init(chip, &mme->actor, "mme", false, mme_run);
		gaudi_qman_attach(chip, GAUDI_QMAN_MME0 + i, &engine_ops, i);
	}
	return 0;
}

void gaudi_mme_fini(struct gaudi_chip *chip)
{
	unsigned int i;

	for (i = 0; chip->mmes && i < NUM_PAIRS; i++)
		gaudi_mme_exec_free(chip->mmes->pair[i].exec);
	free(chip->mmes);
}

/* --- a snapshot --------------------------------------------------------------- */

static void snap_pair(struct gaudi_snap *s, struct gaudi_mme *mme)
{
	bool used = mme->exec;

	if (mme->begun && !s->load)
		gaudi_snap_refuse(s, "MME%u is within a descriptor", mme->id);
	GAUDI_SNAP(s, mme->head);
	GAUDI_SNAP(s, mme->count);
	gaudi_snap_check(s, mme->head < MME_NUM_SHADOWS &&
			 mme->count <= MME_NUM_SHADOWS, "no such descriptor");
	gaudi_snap_bool(s, &used);
	if (!used || s->err)
		return;
	if (!mme->exec)
		mme->exec = gaudi_mme_exec_new(s->chip);
	if (gaudi_snap_check(s, mme->exec, "no memory"))
		gaudi_mme_exec_snap(s, mme->exec);
}

void gaudi_mme_snap(struct gaudi_snap *s)
{
	unsigned int i;

	for (i = 0; i < NUM_PAIRS; i++)
		snap_pair(s, &s->chip->mmes->pair[i]);
}

/* --- for a record ----------------------------------------------------------- */

/* Of a descriptor in flight: the objects that it will write, both cores'. */
static void write_signals(struct gaudi_chip *chip, const struct gaudi_mme *mme,
			  unsigned int slot, const char **comma, FILE *out)
{
	const uint32_t base = GAUDI_MME_CTRL_BASE(mme->id);
	uint32_t at = MME_CTRL_SHADOW(slot);
	uint64_t high = gaudi_reg(chip, base, at + MME_CTRL_ARCH_DESC_SO_ADDR_HIGH);
	uint32_t data = gaudi_reg(chip, base, at + MME_CTRL_ARCH_DESC_SO_DATA);
	uint32_t low = MME_CTRL_ARCH_DESC_SO_ADDR_LOW_LOCAL;

	if (!(gaudi_reg(chip, base, at + MME_CTRL_ARCH_HEADER_LOW) &
	      MME_HEADER_SIGNAL_EN))
		return;
	for (; low <= MME_CTRL_ARCH_DESC_SO_ADDR_LOW_REMOTE; low += 4) {
		fprintf(out, "%s[%" PRIu64 ", %" PRIu32 "]", *comma,
			high << 32 | gaudi_reg(chip, base, at + low), data);
		*comma = ", ";
	}
}

void gaudi_mme_state(struct gaudi_chip *chip, FILE *out)
{
	const struct gaudi_mme *mme;
	const char *comma = "", *inner;
	unsigned int i, n;
	uint32_t base;

	fputs("\"mme\": [", out);
	for (i = 0; i < NUM_PAIRS; i++) {
		mme = &chip->mmes->pair[i];
		base = GAUDI_MME_CTRL_BASE(mme->id);
		if (!mme->count && !gaudi_reg(chip, base, MME_CTRL_INTR_CAUSE))
			continue;
		fprintf(out, "%s{\"engine\": %u, \"busy\": %u, \"stalled\": %u"
			", \"errors\": %" PRIu32 ", \"signals\": [", comma,
			GAUDI_QMAN_MME0 + i, mme->count, is_stalled(chip, mme),
			gaudi_reg(chip, base, MME_CTRL_INTR_CAUSE));
		for (inner = "", n = 0; n < mme->count; n++)
			write_signals(chip, mme,
				      (mme->head + n) % MME_NUM_SHADOWS, &inner,
				      out);
		fputs("]}", out);
		comma = ", ";
	}
	fputs("], ", out);
}
