// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Command processors: what each packet of a command buffer does.
 *
 * A step executes one packet, or says why it cannot yet; nothing is remembered
 * but the position, so a blocked packet is simply tried again. Packets come
 * from the command buffer, read ahead in pieces, or from the scalar registers
 * (LOAD_AND_EXE). Everything is in order, so the register and message barriers
 * have nothing to wait for; the engine barrier waits for the engine.
 *
 * Source: Linux 6.12 and the vendor's public packet layouts. Inferred:
 * predicate 0 is always true; LOAD_AND_EXE loads before it executes; WAIT
 * counts the cycles of the arbiter's watchdog; REPEAT starts (SORE 0) or ends
 * (SORE 1) one of two loops (O), whose end jumps to the 64-bit word JMP_PTR of
 * the buffer as long as the repeat count in the buffer's CTL says.
 */
#include "cp.h"
#include "../bus/bus.h"
#include "../../../uapi/hw/regs/gaudi_psoc_regs.h"

#define LOWER			GAUDI_QM_LOWER

enum flags {
	PRED = 1,		/* ctl has a predicate */
	ENGINE = 2,		/* writes to the engine: needs room there */
};

struct packet_info {
	const char *name;
	uint8_t size;		/* 0: no such packet */
	uint8_t flags;
	uint8_t fidelity;
	enum gaudi_cp_result (*exec)(struct gaudi_chip *chip,
				     struct gaudi_qman *qm,
				     struct gaudi_cp *cp,
				     const struct gaudi_packet *p);
};

static const struct packet_info infos[32];

/* --- where packets come from ------------------------------------------ */

const uint8_t *gaudi_cp_peek(struct gaudi_chip *chip, struct gaudi_cp *cp,
			     uint32_t len, int *err)
{
	uint32_t have = cp->buf_len - cp->buf_pos, more;

	*err = 0;
	if (cp->in_scalars)
		return len <= sizeof(cp->scalar) - cp->rf_pos ?
		       (uint8_t *)cp->scalar + cp->rf_pos : NULL;
	if (have >= len)
		return cp->buf + cp->buf_pos;
	if (cp->left < len)
		return NULL;
	memmove(cp->buf, cp->buf + cp->buf_pos, have);
	more = cp->left - have;
	if (more > GAUDI_CP_BUFFER - have)
		more = GAUDI_CP_BUFFER - have;
	cp->buf_pos = 0;
	cp->buf_len = have;
	*err = gaudi_qman_fetch(chip, cp, cp->pc + have, cp->buf + have, more);
	if (*err)
		return NULL;
	cp->buf_len += more;
	return cp->buf;
}

/* --- the engine ------------------------------------------------------- */

bool gaudi_engine_is_idle(struct gaudi_chip *chip, unsigned int qman,
			  unsigned int n)
{
	const struct gaudi_qman *qm = &chip->queues->qman[qman];

	if (n < LOWER && qm->cp[n].lower_sent)
		return false;
	return !qm->ops->is_idle || qm->ops->is_idle(chip, qm->unit, n);
}

/* --- messages --------------------------------------------------------- */

/* What a message writes; false: the operation is not published. */
static bool message_value(struct gaudi_chip *chip, const struct gaudi_packet *p,
			  const struct gaudi_txn *txn, uint32_t *value)
{
	unsigned int op = FIELD_GET(GAUDI_MSG_LONG_CTL_OP, p->ctl);

	switch (op) {
	case GAUDI_MSG_OP_VALUE:
		*value = p->value;
		return true;
	case GAUDI_MSG_OP_TIMESTAMP:
		*value = gaudi_reg_read(chip, GAUDI_PSOC_TIMESTAMP_BASE +
					PSOC_TIMESTAMP_CNTCVL, txn);
		return true;
	default:
		gaudi_report_use(chip, "packet", op == 2 ? "MSG op 2" :
							   "MSG op 3",
				 GAUDI_UNIMPLEMENTED);
		return false;
	}
}

static enum gaudi_cp_result message(struct gaudi_chip *chip,
				    struct gaudi_qman *qm, struct gaudi_cp *cp,
				    uint64_t addr, const struct gaudi_packet *p,
				    bool privileged)
{
	struct gaudi_txn txn;
	uint32_t value;

	if (gaudi_posts_full(chip))
		return gaudi_cp_wait_for(chip, cp, GAUDI_CP_WAIT_POST);
	if (addr - GAUDI_CFG_BASE < GAUDI_CFG_SIZE &&
	    gaudi_qman_cq_full(chip, addr - GAUDI_CFG_BASE))
		return gaudi_cp_wait_for(chip, cp, GAUDI_CP_WAIT_CQ);
	/* A user's MSG_LONG in a secure queue does not go around the MMU. */
	gaudi_qman_txn(qm, cp->n,
		       privileged && gaudi_qman_cp_secure(qm, cp->n), &txn);
	if (!message_value(chip, p, &txn, &value))
		return gaudi_cp_fail(chip, cp, QM_GLBL_STS1_CP_UNDEF_CMD_ERR);
	if (chip->clock.on && addr >= GAUDI_HOST_BASE)
		gaudi_clock_message(chip, cp->qman * 8 + cp->n, value, privileged);
	if (privileged && addr >= GAUDI_HOST_BASE) {
		cp->told_at = addr;
		cp->told = value;
	}
	if (gaudi_bus_write32(chip, &txn, addr, value))
		gaudi_qman_error(chip, cp, QM_GLBL_STS1_CP_MSG_WR_ERR);
	return GAUDI_CP_DONE;
}

static enum gaudi_cp_result exec_msg_long(struct gaudi_chip *chip,
					  struct gaudi_qman *qm,
					  struct gaudi_cp *cp,
					  const struct gaudi_packet *p)
{
	return message(chip, qm, cp, gaudi_get64(p->bytes + 8), p, false);
}

static enum gaudi_cp_result exec_msg_prot(struct gaudi_chip *chip,
					  struct gaudi_qman *qm,
					  struct gaudi_cp *cp,
					  const struct gaudi_packet *p)
{
	return message(chip, qm, cp, gaudi_get64(p->bytes + 8), p, true);
}

static enum gaudi_cp_result exec_msg_short(struct gaudi_chip *chip,
					   struct gaudi_qman *qm,
					   struct gaudi_cp *cp,
					   const struct gaudi_packet *p)
{
	uint64_t base = cp->msg_base[FIELD_GET(GAUDI_MSG_SHORT_CTL_BASE,
					       p->ctl)];

	return message(chip, qm, cp,
		       base + FIELD_GET(GAUDI_MSG_SHORT_CTL_ADDR, p->ctl), p,
		       false);
}

/* --- order ------------------------------------------------------------ */

static enum gaudi_cp_result exec_fence(struct gaudi_chip *chip,
				       struct gaudi_qman *qm,
				       struct gaudi_cp *cp,
				       const struct gaudi_packet *p)
{
	unsigned int f = FIELD_GET(GAUDI_FENCE_CFG_ID, p->value);
	uint32_t target = FIELD_GET(GAUDI_FENCE_CFG_TARGET, p->value);
	uint32_t dec = FIELD_GET(GAUDI_FENCE_CFG_DEC, p->value);
	struct gaudi_steps *steps;

	(void)qm;
	cp->fence_id = f;
	if (cp->fence[f] < target)
		return gaudi_cp_wait_for(chip, cp, GAUDI_CP_WAIT_FENCE);
	if (cp->times) {
		steps = &cp->times->fence[f];
		gaudi_not_before(chip, gaudi_steps_reached(steps, target));
		gaudi_steps_take(steps, dec);
	}
	if (cp->fence[f] < dec) {
		cp->fence[f] = 0;
		gaudi_qman_error(chip, cp, QM_GLBL_STS1_CP_FENCE_UDF(f));
	} else {
		cp->fence[f] -= dec;
	}
	return GAUDI_CP_DONE;
}

static enum gaudi_cp_result exec_arb_point(struct gaudi_chip *chip,
					   struct gaudi_qman *qm,
					   struct gaudi_cp *cp,
					   const struct gaudi_packet *p)
{
	if (p->value & GAUDI_ARB_POINT_CFG_RLS) {
		gaudi_arb_release(chip, qm, cp->n);
		return GAUDI_CP_DONE;
	}
	if (!gaudi_arb_request(chip, qm, cp->n,
			       FIELD_GET(GAUDI_ARB_POINT_CFG_PRIO, p->value)))
		return gaudi_cp_wait_for(chip, cp, GAUDI_CP_WAIT_ARB);
	gaudi_not_before(chip, qm->arb_ps);
	return GAUDI_CP_DONE;
}

static void wait_over(struct gaudi_chip *chip, void *arg)
{
	struct gaudi_cp *cp = arg;

	gaudi_qman_fence_inc(chip, cp->qman,
			     FIELD_GET(GAUDI_WAIT_CFG_ID, cp->wait_cfg), cp->n,
			     FIELD_GET(GAUDI_WAIT_CFG_INC, cp->wait_cfg));
	if (cp->wait == GAUDI_CP_WAIT_TIMER)
		gaudi_actor_kick(chip, &cp->actor);
}

static enum gaudi_cp_result exec_wait(struct gaudi_chip *chip,
				      struct gaudi_qman *qm,
				      struct gaudi_cp *cp,
				      const struct gaudi_packet *p)
{
	uint64_t delay_ns, at_ps = chip->clock.at_ps;

	(void)qm;
	if (cp->wait_timer.armed)
		return gaudi_cp_wait_for(chip, cp, GAUDI_CP_WAIT_TIMER);
	cp->wait_cfg = p->value;
	delay_ns = GAUDI_QM_CYCLES_NS(FIELD_GET(GAUDI_WAIT_CFG_CYCLES, p->value));
	if (!chip->clock.on) {
		gaudi_timer_arm(chip, &cp->wait_timer, delay_ns);
		return GAUDI_CP_DONE;
	}
	/* By the model it is over then, however long that takes the host. */
	chip->clock.at_ps += 1000 * delay_ns;
	wait_over(chip, cp);
	chip->clock.at_ps = at_ps;
	return GAUDI_CP_DONE;
}

static enum gaudi_cp_result exec_nop(struct gaudi_chip *chip,
				     struct gaudi_qman *qm,
				     struct gaudi_cp *cp,
				     const struct gaudi_packet *p)
{
	(void)chip;
	(void)qm;
	(void)cp;
	(void)p;
	return GAUDI_CP_DONE;
}

/* The stream goes on when the error is cleared. */
static enum gaudi_cp_result exec_stop(struct gaudi_chip *chip,
				      struct gaudi_qman *qm,
				      struct gaudi_cp *cp,
				      const struct gaudi_packet *p)
{
	(void)qm;
	(void)p;
	gaudi_qman_error(chip, cp, QM_GLBL_STS1_CP_STOP_OP);
	return GAUDI_CP_DONE;
}

/* How often the loops of a buffer run. */
static uint32_t repeat_count(const struct gaudi_cp *cp)
{
	uint32_t count = FIELD_GET(GAUDI_PQ_BD_CTL_RPT, cp->cur.ctl);

	return cp->cur.ctl & GAUDI_PQ_BD_CTL_RPT_VALID && count ? count : 1;
}

static enum gaudi_cp_result exec_repeat(struct gaudi_chip *chip,
					struct gaudi_qman *qm,
					struct gaudi_cp *cp,
					const struct gaudi_packet *p)
{
	uint32_t to = 8 * FIELD_GET(GAUDI_REPEAT_CFG_JMP_PTR, p->value);
	uint32_t *left = &cp->repeat[!!(p->value & GAUDI_REPEAT_CFG_O)];

	(void)qm;
	/* Scalars are not a place in the buffer. */
	if (cp->in_scalars || to >= cp->cur.tsize)
		return gaudi_cp_fail(chip, cp, QM_GLBL_STS1_CP_UNDEF_CMD_ERR);
	if (!(p->value & GAUDI_REPEAT_CFG_SORE)) {
		*left = repeat_count(cp) - 1;
		return GAUDI_CP_DONE;
	}
	if (!*left)
		return GAUDI_CP_DONE;
	--*left;
	cp->pc = cp->cur.ptr + to;
	cp->left = cp->cur.tsize - to;
	cp->buf_pos = 0;
	cp->buf_len = 0;
	return GAUDI_CP_JUMPED;
}

static enum gaudi_cp_result exec_load_and_exe(struct gaudi_chip *chip,
					      struct gaudi_qman *qm,
					      struct gaudi_cp *cp,
					      const struct gaudi_packet *p)
{
	bool scalars = p->value & GAUDI_LOAD_AND_EXE_CFG_DST;
	uint32_t word[GAUDI_CP_PREDICATES];
	unsigned int i;

	(void)qm;
	if (!(p->value & GAUDI_LOAD_AND_EXE_CFG_LOAD))
		return GAUDI_CP_DONE;
	if (gaudi_qman_fetch(chip, cp, gaudi_get64(p->bytes + 8), word,
			     scalars ? sizeof(cp->scalar) : sizeof(word)))
		return gaudi_cp_fail(chip, cp, QM_GLBL_STS1_CP_RD_ERR);
	if (scalars) {
		memcpy(cp->scalar, word, sizeof(cp->scalar));
		return GAUDI_CP_DONE;
	}
	cp->pred = 1;
	for (i = 1; i < GAUDI_CP_PREDICATES; i++)
		cp->pred |= (word[i] & 1) << i;
	return GAUDI_CP_DONE;
}

/* A packet is done: where the next one comes from. */
static void next_source(struct gaudi_cp *cp, bool load_and_exe, uint32_t cfg)
{
	if (load_and_exe && cfg & GAUDI_LOAD_AND_EXE_CFG_EXE) {
		cp->in_scalars = true;
		cp->rf_pos = cfg & GAUDI_LOAD_AND_EXE_CFG_ETYPE ?
			     sizeof(cp->scalar) / 2 : 0;
	} else if (!cp->bulk_left) {
		/* One packet at a time comes from there. */
		cp->in_scalars = false;
	}
}

/* --- all of them ------------------------------------------------------ */

static const struct packet_info infos[32] = {
	[GAUDI_PKT_WREG_32] = { "WREG_32", 8, PRED | ENGINE, GAUDI_EXACT,
				gaudi_exec_wreg_32 },
	[GAUDI_PKT_WREG_BULK] = { "WREG_BULK", 8, PRED | ENGINE, GAUDI_EXACT,
				  gaudi_exec_wreg_bulk },
	[GAUDI_PKT_MSG_LONG] = { "MSG_LONG", 16, PRED, GAUDI_EXACT,
				 exec_msg_long },
	/* Its predicate field is part of the address. */
	[GAUDI_PKT_MSG_SHORT] = { "MSG_SHORT", 8, 0, GAUDI_EXACT,
				  exec_msg_short },
	[GAUDI_PKT_CP_DMA] = { "CP_DMA", 16, PRED, GAUDI_EXACT, gaudi_exec_cp_dma },
	[GAUDI_PKT_REPEAT] = { "REPEAT", 8, 0, GAUDI_APPROXIMATE,
			       exec_repeat },
	[GAUDI_PKT_MSG_PROT] = { "MSG_PROT", 16, PRED, GAUDI_EXACT,
				 exec_msg_prot },
	[GAUDI_PKT_FENCE] = { "FENCE", 8, PRED, GAUDI_EXACT, exec_fence },
	[GAUDI_PKT_LIN_DMA] = { "LIN_DMA", 24, ENGINE, GAUDI_EXACT,
				gaudi_exec_lin_dma },
	[GAUDI_PKT_NOP] = { "NOP", 8, 0, GAUDI_EXACT, exec_nop },
	[GAUDI_PKT_STOP] = { "STOP", 8, 0, GAUDI_EXACT, exec_stop },
	[GAUDI_PKT_ARB_POINT] = { "ARB_POINT", 8, PRED, GAUDI_APPROXIMATE,
				  exec_arb_point },
	[GAUDI_PKT_WAIT] = { "WAIT", 8, 0, GAUDI_APPROXIMATE, exec_wait },
	[GAUDI_PKT_LOAD_AND_EXE] = { "LOAD_AND_EXE", 16, PRED,
				     GAUDI_APPROXIMATE, exec_load_and_exe },
};

const char *gaudi_packet_name(unsigned int op)
{
	return op < ARRAY_SIZE(infos) ? infos[op].name : NULL;
}

uint32_t gaudi_packet_size(uint32_t word, uint32_t ctl)
{
	unsigned int op = FIELD_GET(GAUDI_PKT_CTL_OPCODE, ctl);

	return op != GAUDI_PKT_WREG_BULK ? infos[op].size :
	       infos[op].size + 8 * FIELD_GET(GAUDI_WREG_BULK_SIZE64, word);
}

const char *gaudi_wait_name(unsigned int wait)
{
	static const char *const names[] = {
		[GAUDI_CP_WAIT_FENCE] = "a fence",
		[GAUDI_CP_WAIT_ENGINE] = "the engine",
		[GAUDI_CP_WAIT_LOWER] = "the lower CP",
		[GAUDI_CP_WAIT_CQ] = "room in a CQ",
		[GAUDI_CP_WAIT_ARB] = "the arbiter",
		[GAUDI_CP_WAIT_TIMER] = "a WAIT packet",
		[GAUDI_CP_WAIT_POST] = "room for messages",
	};

	return wait < ARRAY_SIZE(names) ? names[wait] : NULL;
}

static void count(struct gaudi_chip *chip, unsigned int op,
		  const struct packet_info *info)
{
	uint64_t **uses = &chip->queues->packet_uses[op];

	if (!*uses)
		*uses = gaudi_report_counter(chip, "packet", info->name,
					     info->fidelity);
	++**uses;
}

/* What must be the case before a packet may start. */
static enum gaudi_cp_wait obstacle(struct gaudi_chip *chip,
				   const struct gaudi_cp *cp, uint32_t ctl,
				   const struct packet_info *info)
{
	if (ctl & GAUDI_PKT_CTL_EB &&
	    !gaudi_engine_is_idle(chip, cp->qman, cp->n))
		return GAUDI_CP_WAIT_ENGINE;
	if (info->flags & ENGINE && !gaudi_engine_has_room(chip, cp->qman))
		return GAUDI_CP_WAIT_ENGINE;
	return GAUDI_CP_RUN;
}

/* Behind all but writes to registers a descriptor may see what others wrote. */
static void order(struct gaudi_chip *chip, const struct gaudi_qman *qm,
		  unsigned int op)
{
	if (qm->ops->order && op != GAUDI_PKT_WREG_32 &&
	    op != GAUDI_PKT_WREG_BULK)
		qm->ops->order(chip, qm->unit);
}

static enum gaudi_cp_result execute(struct gaudi_chip *chip,
				    struct gaudi_qman *qm, struct gaudi_cp *cp,
				    const struct gaudi_packet *p,
				    const struct packet_info *info)
{
	unsigned int op = FIELD_GET(GAUDI_PKT_CTL_OPCODE, p->ctl);
	enum gaudi_cp_result result = GAUDI_CP_DONE;
	bool scalars = cp->in_scalars, skip;
	uint64_t pc = cp->pc;
	enum gaudi_cp_wait wait;
	uint32_t ctl = p->ctl;

	skip = info->flags & PRED && !(cp->pred & 1u << (ctl & 0x1f));
	if (!skip) {
		wait = obstacle(chip, cp, ctl, info);
		if (wait != GAUDI_CP_RUN)
			return gaudi_cp_wait_for(chip, cp, wait);
		if (cp->times && ctl & GAUDI_PKT_CTL_EB) {
			gaudi_not_before(chip, cp->times->engine_ps);
			gaudi_not_before(chip, cp->times->lower_ps);
		}
		cp->wait = GAUDI_CP_RUN;
		result = info->exec(chip, qm, cp, p);
		if (result == GAUDI_CP_BLOCKED)
			return result;
		order(chip, qm, op);
		count(chip, op, info);
		gaudi_trace(chip, GAUDI_TRACE_PACKET, cp->qman * 8 + cp->n,
			    pc, cp->inst, info->size);
		cp->at_ps = chip->clock.at_ps +
			    info->size / 8 * GAUDI_RATE_QMAN_CYCLE;
	} else if (op == GAUDI_PKT_WREG_BULK) {
		gaudi_exec_wreg_bulk(chip, qm, cp, p);
	}
	cp->skip_bulk = skip;
	if (cp->drop || result == GAUDI_CP_JUMPED)
		return GAUDI_CP_DONE;	/* it stays where it failed */
	gaudi_cp_consume(cp, info->size, scalars);
	next_source(cp, op == GAUDI_PKT_LOAD_AND_EXE && !skip, p->value);
	return GAUDI_CP_DONE;
}

enum gaudi_cp_result gaudi_cp_step(struct gaudi_chip *chip,
				   struct gaudi_qman *qm, struct gaudi_cp *cp,
				   unsigned int *budget)
{
	const struct packet_info *info;
	struct gaudi_packet p;
	int err;

	--*budget;
	chip->clock.at_ps = cp->at_ps;
	if (cp->drop || (!cp->left && !cp->bulk_left && !cp->in_scalars)) {
		gaudi_qman_buffer_done(chip, cp);
		return GAUDI_CP_DONE;
	}
	if (cp->bulk_left)
		return gaudi_bulk_values(chip, qm, cp);
	p.bytes = gaudi_cp_peek(chip, cp, 8, &err);
	if (!p.bytes)
		goto bad;
	p.value = gaudi_get32(p.bytes);
	p.ctl = gaudi_get32(p.bytes + 4);
	cp->inst = gaudi_get64(p.bytes);
	info = &infos[FIELD_GET(GAUDI_PKT_CTL_OPCODE, p.ctl)];
	if (gaudi_fault_armed(chip, GAUDI_FAULT_PACKET) &&
	    cp->wait == GAUDI_CP_RUN && chip->fault_hooks->packet(chip, cp->qman, cp->n))
		goto bad;
	if (!info->size)
		goto bad;
	p.bytes = gaudi_cp_peek(chip, cp, info->size, &err);
	if (p.bytes)
		return execute(chip, qm, cp, &p, info);
bad:
	return gaudi_cp_fail(chip, cp, err ? QM_GLBL_STS1_CQF_RD_ERR :
				    QM_GLBL_STS1_CP_UNDEF_CMD_ERR);
}

void gaudi_cp_init(struct gaudi_cp *cp)
{
	cp->wait_timer.fn = wait_over;
	cp->wait_timer.arg = cp;
}
