// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * TPC_CFG: the control block of a tensor processor core. It keeps what is
 * configured, takes launches, shows what the core does, signals the end of a
 * kernel and reports its errors. What instructions do is in tpc_core.c.
 *
 * A launch takes the descriptor of the QM area over into the kernel area. One
 * more may wait for the core meanwhile; a queue then waits before it, the host
 * is told of an error (QM_SW_ERR) and the launch is dropped.
 *
 * Sources: tpc0_cfg_regs.h, tpc0_cfg_masks.h and gaudi.c, Linux 6.12. That a
 * launch waits, and the error of one too many, are inferred.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "tpc_unit.h"
#include "../bus/bus.h"
#include "../queues/queues.h"
#include "../../../uapi/hw/gaudi_fw_if.h"
#include "../../../uapi/hw/regs/gaudi_tpc_regs.h"

#define EXECUTE_START		BIT(0)
#define EMPTY_PIPES		(TPC_CFG_STATUS_SCALAR_PIPE_EMPTY | \
				 TPC_CFG_STATUS_VECTOR_PIPE_EMPTY | \
				 TPC_CFG_STATUS_IQ_EMPTY | \
				 TPC_CFG_STATUS_SB_EMPTY | \
				 TPC_CFG_STATUS_QM_IDLE)
#define CAUSES			GENMASK(19, 0)

static void tpc_reset(struct gaudi_chip *chip, unsigned int inst)
{
	struct gaudi_tpc *tpc = &chip->tpcs->tpc[inst];

	tpc->running = false;
	tpc->queued = false;
	tpc->jobs = (struct gaudi_jobs){ .depth = 2 };
	tpc->hbm_ps = 0;
	gaudi_tpc_core_reset_unit(tpc);
}

/* --- launch and end -------------------------------------------------------- */

static void start(struct gaudi_chip *chip, struct gaudi_tpc *tpc)
{
	uint32_t desc[TPC_CFG_DESC_SIZE / 4];
	uint64_t kernel;

	gaudi_store_read_run(chip, tpc->base + TPC_CFG_QM, desc,
			     ARRAY_SIZE(desc));
	gaudi_store_write_run(chip, tpc->base + TPC_CFG_KERNEL, desc,
			      ARRAY_SIZE(desc));
	tpc->running = true;
	chip->clock.at_ps = gaudi_jobs_begin(&tpc->jobs);
	kernel = gaudi_reg(chip, tpc->base,
			   TPC_CFG_KERNEL_KERNEL_BASE_ADDRESS_HIGH);
	kernel = kernel << 32 |
		 gaudi_reg(chip, tpc->base,
			   TPC_CFG_KERNEL_KERNEL_BASE_ADDRESS_LOW);
	gaudi_trace(chip, GAUDI_TRACE_START, GAUDI_QMAN_TPC + tpc->id, 0,
		    kernel, 0);
	gaudi_tpc_core_start(chip, tpc);
	if (chip->tpcs->gdb)
		gaudi_tpc_gdb_launched(chip, tpc);
	gaudi_actor_kick(chip, &tpc->actor);
	/* Unless it may be held up. */
	if (!chip->tpcs->gdb)
		gaudi_actor_prompt(chip, &tpc->actor);
}

static void launch(struct gaudi_chip *chip, struct gaudi_tpc *tpc)
{
	uint64_t at_ps;

	if (tpc->queued) {
		gaudi_tpc_interrupt(chip, tpc, TPC_CFG_INTR_QM_SW_ERR);
		return;
	}
	if (chip->clock.on)
		gaudi_jobs_give(chip, &tpc->jobs);
	at_ps = chip->clock.at_ps;
	if (!tpc->running)
		start(chip, tpc);
	else
		tpc->queued = true;
	chip->clock.at_ps = at_ps;
}

void gaudi_tpc_interrupt(struct gaudi_chip *chip, struct gaudi_tpc *tpc,
			 uint32_t cause)
{
	uint32_t mask = gaudi_reg(chip, tpc->base, TPC_CFG_TPC_INTR_MASK);

	gaudi_set_reg(chip, tpc->base, TPC_CFG_TPC_INTR_CAUSE,
		      gaudi_reg(chip, tpc->base, TPC_CFG_TPC_INTR_CAUSE) |
		      cause);
	if (!(mask & cause))
		gaudi_cpu_spi(chip, GAUDI_SPI_TPC_KRN_ERR + 6 * tpc->id);
}

void gaudi_tpc_txn(struct gaudi_chip *chip, const struct gaudi_tpc *tpc,
		   bool write, struct gaudi_txn *txn)
{
	uint32_t user = gaudi_reg(chip, tpc->base,
				  write ? TPC_CFG_AWUSER_LO :
					  TPC_CFG_ARUSER_LO);

	*txn = (struct gaudi_txn) {
		.initiator = GAUDI_INIT_TPC,
		.unit = tpc->id,
		.bypass = user & TPC_CFG_USER_MMBP,
		.asid = FIELD_GET(TPC_CFG_USER_ASID, user),
	};
}

/* The kernel's message to whoever waits for its end. */
static void signal_end(struct gaudi_chip *chip, struct gaudi_tpc *tpc)
{
	uint64_t addr = gaudi_reg(chip, tpc->base, TPC_CFG_SM_BASE_ADDRESS_HIGH);
	struct gaudi_txn txn;

	addr = addr << 32 |
	       gaudi_reg(chip, tpc->base, TPC_CFG_KERNEL_SYNC_OBJECT_ADDR);
	gaudi_tpc_txn(chip, tpc, true, &txn);
	/* Messages to registers are not translated. */
	txn.bypass = true;
	txn.tpc_message = true;
	gaudi_post_write(chip, &txn, addr,
			 gaudi_reg(chip, tpc->base,
				   TPC_CFG_KERNEL_SYNC_OBJECT_MESSAGE));
}

/* A turn. No debugger: nothing but the test for one. */
static enum gaudi_tpc_result run_core(struct gaudi_chip *chip,
				      struct gaudi_tpc *tpc)
{
	enum gaudi_tpc_result result = gaudi_tpc_core_run(chip, tpc);

	if (chip->tpcs->gdb)
		gaudi_tpc_gdb_ends(chip, tpc);
	return result;
}

/* Runs a part of the kernel; the rest in a later turn. */
static bool tpc_run(struct gaudi_chip *chip, struct gaudi_actor *actor)
{
	struct gaudi_tpc *tpc = (struct gaudi_tpc *)((char *)actor -
					offsetof(struct gaudi_tpc, actor));
	uint64_t end_ps;

	if (!tpc->running ||
	    gaudi_reg(chip, tpc->base, TPC_CFG_TPC_STALL) & TPC_CFG_TPC_STALL_V)
		return false;
	/* Others are for workers, so this one is, too. */
	if (actor->prompt && chip->sched.num_ready)
		return true;
	if (chip->tpcs->gdb && !gaudi_tpc_gdb_begins(chip, tpc))
		return false;
	switch (run_core(chip, tpc)) {
	case GAUDI_TPC_GOES_ON:
		return true;
	case GAUDI_TPC_HALTED:
		signal_end(chip, tpc);
		break;
	case GAUDI_TPC_FAILED:
		break;
	}
	tpc->running = false;
	gaudi_not_before(chip, gaudi_jobs_begin(&tpc->jobs));
	end_ps = chip->clock.at_ps;
	if (chip->clock.on)
		gaudi_jobs_end(&tpc->jobs, end_ps);
	gaudi_trace(chip, GAUDI_TRACE_END, GAUDI_QMAN_TPC + tpc->id, 0, 0, 0);
	if (tpc->queued) {
		tpc->queued = false;
		start(chip, tpc);
	}
	chip->clock.at_ps = end_ps;
	gaudi_qman_job_ended(chip, GAUDI_QMAN_TPC + tpc->id, GAUDI_ALL_CPS);
	return tpc->running;
}

/* --- registers ---------------------------------------------------------------- */

static uint32_t tpc_read(struct gaudi_chip *chip, unsigned int inst,
			 uint32_t off)
{
	const struct gaudi_tpc *tpc = &chip->tpcs->tpc[inst];
	uint32_t status = TPC_CFG_STATUS_IDLE;

	if (off != TPC_CFG_STATUS)
		return gaudi_reg(chip, tpc->base, off);
	if (tpc->running)
		status &= ~EMPTY_PIPES;
	if (tpc->queued)
		status &= ~TPC_CFG_STATUS_QM_RDY;
	return status;
}

static int tpc_write(struct gaudi_chip *chip, unsigned int inst, uint32_t off,
		     uint32_t value, const struct gaudi_txn *txn)
{
	struct gaudi_tpc *tpc = &chip->tpcs->tpc[inst];

	(void)txn;
	switch (off) {
	case TPC_CFG_TPC_CMD:
		/* There are no caches to invalidate or to fill. */
		if (value & TPC_CFG_TPC_CMD_QMAN_STOP)
			gaudi_qman_stop(chip, GAUDI_QMAN_TPC + tpc->id);
		break;
	case TPC_CFG_TPC_INTR_CAUSE:
		/* Zeros clear; software cannot raise one. */
		gaudi_set_reg(chip, tpc->base, off, value & CAUSES &
			      gaudi_reg(chip, tpc->base, off));
		break;
	case TPC_CFG_TPC_STALL:
		gaudi_set_reg(chip, tpc->base, off, value & TPC_CFG_TPC_STALL_V);
		if (tpc->running)
			gaudi_actor_kick(chip, &tpc->actor);
		break;
	case TPC_CFG_TPC_EXECUTE:
		if (value & EXECUTE_START)
			launch(chip, tpc);
		break;
	default:
		gaudi_set_reg(chip, tpc->base, off, value);
	}
	return 0;
}

const struct gaudi_block_ops gaudi_tpc_cfg_ops = {
	.name = "TPC_CFG",
	.reset = tpc_reset,
	.read = tpc_read,
	.write = tpc_write,
	.plain = TPC_CFG_QM,
	.plain_end = TPC_CFG_QM + TPC_CFG_DESC_SIZE,
};

/* --- the engine behind a queue --------------------------------------------- */

/* May the queue launch one more kernel? */
static bool tpc_has_room(struct gaudi_chip *chip, unsigned int unit)
{
	return !chip->tpcs->tpc[unit].queued;
}

static bool tpc_is_idle(struct gaudi_chip *chip, unsigned int unit,
			unsigned int cp)
{
	(void)cp;
	return !chip->tpcs->tpc[unit].running;
}

static const struct gaudi_engine_ops engine_ops = {
	.has_room = tpc_has_room,
	.is_idle = tpc_is_idle,
};

int gaudi_tpc_init(struct gaudi_chip *chip)
{
	struct gaudi_tpc *tpc;
	unsigned int i;

	chip->tpcs = calloc(1, sizeof(*chip->tpcs));
	if (!chip->tpcs)
		return -ENOMEM;
	for (i = 0; i < GAUDI_NUM_TPC; i++) {
		tpc = &chip->tpcs->tpc[i];
		tpc->id = i;
		tpc->base = GAUDI_TPC_CFG_BASE(i);
		gaudi_actor_init(chip, &tpc->actor, "tpc", false, tpc_run);
		gaudi_qman_attach(chip, GAUDI_QMAN_TPC + i, &engine_ops, i);
	}
	return 0;
}

void gaudi_tpc_fini(struct gaudi_chip *chip)
{
	if (chip->tpcs)
		gaudi_tpc_core_free_all(chip);
	free(chip->tpcs);
}

/* --- for a record ----------------------------------------------------------- */

static void write_core(struct gaudi_chip *chip, const struct gaudi_tpc *tpc,
		       FILE *out)
{
	const uint32_t base = tpc->base;
	uint64_t pc, words, high, low;

	gaudi_tpc_core_where(tpc, &pc, &words);
	high = gaudi_reg(chip, base, TPC_CFG_KERNEL_KERNEL_BASE_ADDRESS_HIGH);
	low = gaudi_reg(chip, base, TPC_CFG_KERNEL_KERNEL_BASE_ADDRESS_LOW);
	fprintf(out, "{\"engine\": %u, \"busy\": %u, \"stalled\": %u"
		", \"errors\": %" PRIu32 ", \"kernel\": %" PRIu64
		", \"pc\": %" PRIu64 ", \"words\": %" PRIu64
		", \"signals\": [", GAUDI_QMAN_TPC + tpc->id,
		tpc->running + tpc->queued,
		!!(gaudi_reg(chip, base, TPC_CFG_TPC_STALL) &
		   TPC_CFG_TPC_STALL_V),
		gaudi_reg(chip, base, TPC_CFG_TPC_INTR_CAUSE),
		high << 32 | low, pc, words);
	high = gaudi_reg(chip, base, TPC_CFG_SM_BASE_ADDRESS_HIGH);
	low = gaudi_reg(chip, base, TPC_CFG_KERNEL_SYNC_OBJECT_ADDR);
	if (tpc->running)
		fprintf(out, "[%" PRIu64 ", %" PRIu32 "]", high << 32 | low,
			gaudi_reg(chip, base,
				  TPC_CFG_KERNEL_SYNC_OBJECT_MESSAGE));
	fputs("]}", out);
}

void gaudi_tpc_state(struct gaudi_chip *chip, FILE *out)
{
	const struct gaudi_tpc *tpc = chip->tpcs->tpc;
	const char *comma = "";

	fputs("\"tpc\": [", out);
	for (; tpc < chip->tpcs->tpc + GAUDI_NUM_TPC; tpc++) {
		if (!tpc->running &&
		    !gaudi_reg(chip, tpc->base, TPC_CFG_TPC_INTR_CAUSE))
			continue;
		fputs(comma, out);
		write_core(chip, tpc, out);
		comma = ", ";
	}
	fputs("], ", out);
}
