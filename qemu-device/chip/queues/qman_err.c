// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Errors of a QMAN: the bits of GLBL_STS1, which unit they stop, and the
 * message by which the embedded CPU learns of them. Errors are found
 * elsewhere: qman.c, cp.c, arb.c.
 *
 * Source: Linux 6.12.
 */
#include "qman.h"
#include "../bus/bus.h"

static const char *const error_name[16] = {
	"PQF_RD_ERR", "CQF_RD_ERR", "CP_RD_ERR", "CP_UNDEF_CMD_ERR",
	"CP_STOP_OP", "CP_MSG_WR_ERR", "CP_WREG_ERR", "reserved",
	"CP_FENCE0_OVF_ERR", "CP_FENCE1_OVF_ERR", "CP_FENCE2_OVF_ERR",
	"CP_FENCE3_OVF_ERR", "CP_FENCE0_UDF_ERR", "CP_FENCE1_UDF_ERR",
	"CP_FENCE2_UDF_ERR", "CP_FENCE3_UDF_ERR",
};

void gaudi_qman_send_error(struct gaudi_chip *chip, struct gaudi_qman *qm)
{
	struct gaudi_txn txn = {
		.initiator = GAUDI_INIT_QMAN,
		.unit = qm->id,
		.secure = qm->prot & QM_GLBL_PROT_ERR,
		.bypass = true,
	};
	uint64_t addr;

	addr = gaudi_store_read(chip, qm->base + QM_GLBL_ERR_ADDR_LO) |
	       (uint64_t)gaudi_store_read(chip, qm->base +
					  QM_GLBL_ERR_ADDR_HI) << 32;
	gaudi_post_write(chip, &txn, addr,
			 gaudi_store_read(chip, qm->base + QM_GLBL_ERR_WDATA));
}

void gaudi_qman_error(struct gaudi_chip *chip, struct gaudi_cp *cp,
		      uint32_t bits)
{
	struct gaudi_qman *qm = &chip->queues->qman[cp->qman];
	uint32_t fresh = bits & ~cp->sts1, units;
	char name[48];

	if (bits & QM_GLBL_STS1_PQF_RD_ERR)
		units = GAUDI_QM_PQF(cp->n);
	else if (bits & QM_GLBL_STS1_CQF_RD_ERR)
		units = GAUDI_QM_CQF(cp->n);
	else
		units = GAUDI_QM_CP(cp->n);
	cp->sts1 |= bits;
	if (bits & QM_GLBL_STS1_CP_STOP_OP ||
	    qm->err_cfg & units << GAUDI_QM_HIGH_SHIFT)
		qm->err_stop |= units;
	if (!fresh)
		return;
	gaudi_log(chip, GAUDI_LOG_GUEST_ERROR,
		  "%s stream %u: %s, packet 0x%016llx at 0x%llx",
		  gaudi_reg_name(chip, qm->base + QM_GLBL_STS1(cp->n), name,
				 sizeof(name)),
		  cp->n, error_name[__builtin_ctz(fresh) % 16],
		  (unsigned long long)cp->inst, (unsigned long long)cp->pc);
	if (qm->err_cfg & units)
		gaudi_qman_send_error(chip, qm);
}

void gaudi_qman_clear_error(struct gaudi_chip *chip, struct gaudi_cp *cp,
			uint32_t bits)
{
	struct gaudi_qman *qm = &chip->queues->qman[cp->qman];

	cp->sts1 &= ~bits;
	if (cp->sts1)
		return;
	/* With its last error gone the stream goes on after the bad packet. */
	qm->err_stop &= ~(GAUDI_QM_CQF(cp->n) | GAUDI_QM_CP(cp->n));
	if (cp->n < GAUDI_NUM_STREAMS)
		qm->err_stop &= ~GAUDI_QM_PQF(cp->n);
	gaudi_actor_kick(chip, &cp->actor);
}

void gaudi_qman_fail(struct gaudi_chip *chip, unsigned int qman,
		     unsigned int cp, uint32_t bits)
{
	gaudi_qman_error(chip, &chip->queues->qman[qman].cp[cp], bits);
}
