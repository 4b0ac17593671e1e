// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Packets that write to the engine, or to the QMAN's own registers: WREG_32, WREG_BULK,
 * LIN_DMA and CP_DMA. What may be written, protection bits say.
 *
 * Source: as cp.c.
 */
#include "cp.h"
#include "../bus/bus.h"
#include "../../../uapi/hw/regs/gaudi_dma_core_regs.h"

/* Offsets that are the QMAN's own registers, not its engine's. */
#define LOCAL_BASE		0x8000u
#define LOCAL_END		0xa000u
#define WINDOW_MASK		0xffffu
/* Values of a WREG_BULK that count as one packet. */
#define BULK_SLICE		16
#define LOWER			GAUDI_QM_LOWER

/* The register at an offset that a packet names, as offset from CFG. */
static uint32_t window_reg(const struct gaudi_qman *qm, uint32_t off)
{
	off &= WINDOW_MASK;
	if (off >= LOCAL_BASE && off < LOCAL_END)
		return qm->base + off - LOCAL_BASE;
	return qm->engine + off;
}

/* off: from the engine's block. 0, -EPERM or -EINVAL. */
static int window_write(struct gaudi_chip *chip, struct gaudi_qman *qm,
			uint32_t off, uint32_t value,
			const struct gaudi_txn *txn)
{
	uint32_t reg = window_reg(qm, off);
	int err;

	off &= WINDOW_MASK;
	if ((off < LOCAL_BASE || off >= LOCAL_END) && qm->ops->write)
		return qm->ops->write(chip, qm->unit, off, value);
	if (!gaudi_reg_answers(chip, reg))
		return -EINVAL;
	err = gaudi_protect_local(chip, txn, reg);
	return err ? err : gaudi_reg_write(chip, reg, value, txn);
}

/* A packet could not write a register; the first time it is named. */
static void write_failed(struct gaudi_chip *chip, const struct gaudi_qman *qm,
			 struct gaudi_cp *cp, uint32_t off, int err)
{
	bool told = cp->sts1 & QM_GLBL_STS1_CP_WREG_ERR;
	unsigned int op = FIELD_GET(GAUDI_PKT_CTL_OPCODE, cp->inst >> 32);
	char name[48] = "of its port", unit[48];

	gaudi_qman_error(chip, cp, QM_GLBL_STS1_CP_WREG_ERR);
	if (told)
		return;
	gaudi_reg_name(chip, qm->base + QM_GLBL_STS1(cp->n), unit, sizeof(unit));
	if (qm->engine || (off >= LOCAL_BASE && off < LOCAL_END))
		gaudi_reg_name(chip, window_reg(qm, off), name, sizeof(name));
	gaudi_log(chip, GAUDI_LOG_GUEST_ERROR,
		  "%s: %s cannot write offset 0x%x, register %s: %s", unit,
		  gaudi_packet_name(op), off, name,
		  err == -EPERM ? "it is protected" : "there is none");
}

static void wreg(struct gaudi_chip *chip, struct gaudi_qman *qm,
		 struct gaudi_cp *cp, uint32_t off, uint32_t value)
{
	struct gaudi_txn txn;
	int err;

	/* Never privileged: drivers let users put these into secure queues. */
	gaudi_qman_txn(qm, cp->n, gaudi_qman_cp_secure(qm, cp->n), &txn);
	txn.secure = false;
	qm->writer = cp->n;
	err = window_write(chip, qm, off, value, &txn);
	qm->writer = GAUDI_NUM_CPS;
	if (err)
		write_failed(chip, qm, cp, off, err);
}

enum gaudi_cp_result gaudi_exec_wreg_32(struct gaudi_chip *chip,
					 struct gaudi_qman *qm,
					 struct gaudi_cp *cp,
					 const struct gaudi_packet *p)
{
	uint32_t off = FIELD_GET(GAUDI_WREG32_CTL_REG_OFFSET, p->ctl);

	if (gaudi_qman_cq_full(chip, window_reg(qm, off)))
		return gaudi_cp_wait_for(chip, cp, GAUDI_CP_WAIT_CQ);
	wreg(chip, qm, cp, off, p->value);
	return GAUDI_CP_DONE;
}

enum gaudi_cp_result gaudi_exec_wreg_bulk(struct gaudi_chip *chip,
					   struct gaudi_qman *qm,
					   struct gaudi_cp *cp,
					   const struct gaudi_packet *p)
{
	(void)chip;
	(void)qm;
	cp->bulk_left = FIELD_GET(GAUDI_WREG_BULK_SIZE64, p->value);
	cp->bulk_off = FIELD_GET(GAUDI_WREG_BULK_CTL_REG_OFFSET, p->ctl);
	return GAUDI_CP_DONE;
}

/* How many of the next n values were for registers that only keep them; 0: one by one. */
static unsigned int plain_values(struct gaudi_chip *chip, struct gaudi_qman *qm,
				 struct gaudi_cp *cp, unsigned int n)
{
	unsigned int have = (cp->buf_len - cp->buf_pos) / 8;
	uint32_t reg = qm->engine + cp->bulk_off, values[2 * BULK_SLICE];
	struct gaudi_txn txn;

	if (cp->in_scalars || qm->ops->write || cp->bulk_off % 4 ||
	    cp->bulk_off >= LOCAL_BASE)
		return 0;
	if (n > have)
		n = have;
	if (n > cp->bulk_left)
		n = cp->bulk_left;
	n = gaudi_reg_plain(chip, reg, 2 * n) / 2;
	n = gaudi_local_open(chip, reg, 2 * n) / 2;
	if (!n)
		return 0;
	gaudi_qman_txn(qm, cp->n, false, &txn);
	memcpy(values, cp->buf + cp->buf_pos, 8 * n);
	gaudi_reg_write_plain(chip, reg, values, 2 * n, &txn);
	gaudi_cp_consume(cp, 8 * n, false);
	cp->bulk_left -= n;
	cp->bulk_off += 8 * n;
	cp->at_ps = chip->clock.at_ps += n * GAUDI_RATE_QMAN_CYCLE;
	return n;
}

enum gaudi_cp_result gaudi_bulk_values(struct gaudi_chip *chip,
					struct gaudi_qman *qm,
					struct gaudi_cp *cp)
{
	unsigned int n = BULK_SLICE, plain;
	const uint8_t *bytes;
	uint64_t value;
	int err;

	for (; n && cp->bulk_left && !cp->skip_bulk; n--) {
		if (!gaudi_engine_has_room(chip, cp->qman))
			return gaudi_cp_wait_for(chip, cp, GAUDI_CP_WAIT_ENGINE);
		plain = plain_values(chip, qm, cp, n);
		if (plain) {
			n -= plain - 1;
			continue;
		}
		if (gaudi_qman_cq_full(chip, window_reg(qm, cp->bulk_off)) ||
		    gaudi_qman_cq_full(chip, window_reg(qm, cp->bulk_off + 4)))
			return gaudi_cp_wait_for(chip, cp, GAUDI_CP_WAIT_CQ);
		bytes = gaudi_cp_peek(chip, cp, sizeof(value), &err);
		if (!bytes)
			break;
		value = gaudi_get64(bytes);
		gaudi_cp_consume(cp, sizeof(value), cp->in_scalars);
		if (cp->bulk_off > WINDOW_MASK - 7) {
			write_failed(chip, qm, cp, cp->bulk_off, -EINVAL);
		} else {
			wreg(chip, qm, cp, cp->bulk_off, value);
			wreg(chip, qm, cp, cp->bulk_off + 4, value >> 32);
		}
		cp->bulk_left--;
		cp->bulk_off += 8;
		cp->at_ps = chip->clock.at_ps += GAUDI_RATE_QMAN_CYCLE;
		/* An error stops it here, if errors stop this CP. */
		if (qm->err_stop & GAUDI_QM_CP(cp->n))
			n = 1;
	}
	for (; n && cp->bulk_left && cp->skip_bulk; n--) {
		if (!gaudi_cp_peek(chip, cp, sizeof(value), &err))
			break;
		gaudi_cp_consume(cp, sizeof(value), cp->in_scalars);
		cp->bulk_left--;
	}
	cp->wait = GAUDI_CP_RUN;
	if (!cp->bulk_left)
		cp->in_scalars = false;
	if (!n || !cp->bulk_left)
		return GAUDI_CP_DONE;
	return gaudi_cp_fail(chip, cp, err ? QM_GLBL_STS1_CQF_RD_ERR :
				    QM_GLBL_STS1_CP_UNDEF_CMD_ERR);
}

static uint32_t ldma_offset(struct gaudi_chip *chip,
			    const struct gaudi_qman *qm, uint32_t reg)
{
	return gaudi_store_read(chip, qm->base + reg);
}

/*
 * LIN_DMA and CP_DMA write their fields to where CP_LDMA_*_OFFSET point, and
 * the register after the size starts the work: COMMIT of the DMA core, or
 * CQ_CTL of the lower CP. These writes are the hardware's own, not the user's.
 */
static void program(struct gaudi_chip *chip, struct gaudi_qman *qm,
		    struct gaudi_cp *cp, const uint8_t *bytes, bool has_dst,
		    uint32_t start)
{
	uint32_t src = ldma_offset(chip, qm,
				   QM_CP_LDMA_SRC_BASE_LO_OFFSET(cp->n));
	uint32_t dst = ldma_offset(chip, qm,
				   QM_CP_LDMA_DST_BASE_LO_OFFSET(cp->n));
	uint32_t size = ldma_offset(chip, qm, QM_CP_LDMA_TSIZE_OFFSET(cp->n));
	const struct {
		uint32_t off, value;
		bool skip;
	} writes[] = {
		{ src, gaudi_get32(bytes + 8) },
		{ src + 4, gaudi_get32(bytes + 12) },
		{ dst, has_dst ? gaudi_get32(bytes + 16) : 0, !has_dst },
		{ dst + 4, has_dst ? gaudi_get32(bytes + 20) & 0xffffff : 0,
		  !has_dst },
		{ size, gaudi_get32(bytes) },
		{ size + 4, start },
	};
	struct gaudi_txn txn;
	unsigned int i;
	int err;

	gaudi_qman_txn(qm, cp->n, true, &txn);
	qm->writer = cp->n;
	for (i = 0; i < ARRAY_SIZE(writes); i++) {
		if (writes[i].skip)
			continue;
		err = window_write(chip, qm, writes[i].off, writes[i].value,
				   &txn);
		if (err)
			write_failed(chip, qm, cp, writes[i].off, err);
	}
	qm->writer = GAUDI_NUM_CPS;
}

enum gaudi_cp_result gaudi_exec_lin_dma(struct gaudi_chip *chip,
					 struct gaudi_qman *qm,
					 struct gaudi_cp *cp,
					 const struct gaudi_packet *p)
{
	uint64_t dst = gaudi_get64(p->bytes + 16);

	if (ldma_offset(chip, qm, QM_CP_LDMA_TSIZE_OFFSET(cp->n)) !=
	    DMA_CORE_DST_TSIZE(0) || qm->id >= GAUDI_NUM_DMA)
		return gaudi_cp_fail(chip, cp, QM_GLBL_STS1_CP_UNDEF_CMD_ERR);
	program(chip, qm, cp, p->bytes, true,
		(p->ctl & 0x7f) |
		FIELD_PREP(DMA_CORE_COMMIT_CTX_ID,
			   FIELD_GET(GAUDI_LIN_DMA_DST_CTX_ID, dst)));
	return GAUDI_CP_DONE;
}

enum gaudi_cp_result gaudi_exec_cp_dma(struct gaudi_chip *chip,
					struct gaudi_qman *qm,
					struct gaudi_cp *cp,
					const struct gaudi_packet *p)
{
	if (ldma_offset(chip, qm, QM_CP_LDMA_TSIZE_OFFSET(cp->n)) !=
	    LOCAL_BASE + QM_CQ_TSIZE(LOWER) || cp->n == LOWER)
		return gaudi_cp_fail(chip, cp, QM_GLBL_STS1_CP_UNDEF_CMD_ERR);
	if (qm->cp[LOWER].cq_count >= GAUDI_CQ_DEPTH)
		return gaudi_cp_wait_for(chip, cp, GAUDI_CP_WAIT_LOWER);
	program(chip, qm, cp, p->bytes, false, 0);
	return GAUDI_CP_DONE;
}
