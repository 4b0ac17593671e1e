// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Why queues stand still, for a record: of each stream that has work, where it is,
 * what it waits for, and the packets that it has before it. Nothing changes by being
 * looked at: memory is read only where a read cannot fail.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "qman.h"
#include "../bus/bus.h"

#define SHOWN_BYTES	(192 << 10)	/* of one stream's command buffers */
#define BUFFER_BYTES	32		/* that each takes of them besides */
#define LOWER		GAUDI_QM_LOWER

/* Where a buffer is that a LOAD_AND_EXE loads. */
static const char scalars[] = "scalars";

/* What is written of a stream's command buffers. */
struct view {
	struct gaudi_chip *chip;
	const struct gaudi_qman *qm;
	FILE *out;
	uint32_t left;			/* bytes that still may be shown */
	uint64_t hidden;		/* those of buffers that are not */
	const char *comma;
};

/* A read would use up a fault that is meant for another one. */
static bool is_struck(const struct gaudi_chip *chip)
{
	return gaudi_fault_armed(chip, GAUDI_FAULT_TRANSLATE) ||
	       gaudi_fault_armed(chip, GAUDI_FAULT_ACCESS) ||
	       gaudi_fault_armed(chip, GAUDI_FAULT_HOST_READ);
}

static uint32_t read_ahead(struct view *v, unsigned int n, uint64_t addr,
			   void *buf, uint32_t len)
{
	uint32_t unit = n < LOWER ? GAUDI_QM_CQF(n) : GAUDI_QM_CQF(LOWER);
	struct gaudi_txn txn;
	size_t can;

	if (is_struck(v->chip))
		return 0;
	gaudi_qman_txn(v->qm, n, v->qm->prot & unit, &txn);
	can = gaudi_bus_reachable(v->chip, &txn, addr, len, false);
	return can && !gaudi_bus_read(v->chip, &txn, addr, buf, can) ? can : 0;
}

static void write_buffer(struct view *v, unsigned int n, const char *where,
			 uint64_t addr, uint32_t size);

/*
 * What packets of a buffer lead to: buffers that they hand to the lower CP, and what
 * they load into the scalars and execute there, but not from there once more.
 */
static void write_called(struct view *v, unsigned int n, bool loaded,
			 const uint8_t *code, uint32_t len)
{
	uint32_t pos = 0, size, word[2];
	unsigned int op;
	uint64_t src;

	for (; pos + 8 <= len; pos += size) {
		memcpy(word, code + pos, sizeof(word));
		size = gaudi_packet_size(word[0], word[1]);
		if (!size || size > len - pos)
			return;
		op = FIELD_GET(GAUDI_PKT_CTL_OPCODE, word[1]);
		if (op != GAUDI_PKT_CP_DMA && op != GAUDI_PKT_LOAD_AND_EXE)
			continue;
		memcpy(&src, code + pos + 8, sizeof(src));
		if (op == GAUDI_PKT_CP_DMA && n < LOWER)
			write_buffer(v, LOWER, "lower", src, word[0]);
		else if (op == GAUDI_PKT_LOAD_AND_EXE && !loaded &&
			 word[0] & GAUDI_LOAD_AND_EXE_CFG_LOAD &&
			 word[0] & GAUDI_LOAD_AND_EXE_CFG_DST)
			write_buffer(v, n, scalars, src, 4 * GAUDI_CP_SCALARS);
	}
}

static void write_code(FILE *out, const uint8_t *code, uint32_t len)
{
	static const char digits[] = "0123456789abcdef";
	uint32_t i;

	for (i = 0; i < len; i++) {
		putc_unlocked(digits[code[i] >> 4], out);
		putc_unlocked(digits[code[i] & 15], out);
	}
}

static void write_buffer(struct view *v, unsigned int n, const char *where,
			 uint64_t addr, uint32_t size)
{
	uint32_t len = 0, want;
	uint8_t *code = NULL;

	if (v->left > BUFFER_BYTES) {
		v->left -= BUFFER_BYTES;
		want = size < v->left ? size : v->left;
		code = malloc(want + 1);
	}
	if (!code) {
		v->hidden += size;
		return;
	}
	len = read_ahead(v, n, addr, code, want);
	v->left -= len;
	v->hidden += size - len;
	fprintf(v->out, "%s{\"where\": \"%s\", \"at\": %" PRIu64
		", \"size\": %" PRIu32 ", \"code\": \"", v->comma, where, addr,
		size);
	write_code(v->out, code, len);
	fputs("\"}", v->out);
	v->comma = ", ";
	write_called(v, n, where == scalars, code, len);
	free(code);
}

/* What is still in the ring. */
static void write_ring(struct view *v, const struct gaudi_cp *cp)
{
	uint32_t ci = cp->ci, unit = GAUDI_QM_PQF(cp->n);
	struct gaudi_pq_bd bd;
	struct gaudi_txn txn;
	uint64_t addr;

	gaudi_qman_txn(v->qm, cp->n, v->qm->prot & unit, &txn);
	for (; ci != cp->pi; ci = (ci + 1) & gaudi_pq_mask(cp)) {
		addr = cp->pq_base +
		       (ci & ((1u << cp->pq_size) - 1)) * sizeof(bd);
		if (gaudi_bus_reachable(v->chip, &txn, addr, sizeof(bd),
					false) < sizeof(bd) ||
		    is_struck(v->chip) ||
		    gaudi_bus_read(v->chip, &txn, addr, &bd, sizeof(bd)))
			return;
		write_buffer(v, cp->n, "ring", bd.ptr, bd.len);
	}
}

static void write_ahead(struct gaudi_chip *chip, const struct gaudi_qman *qm,
			const struct gaudi_cp *cp, FILE *out)
{
	struct view v = {
		.chip = chip, .qm = qm, .out = out, .left = SHOWN_BYTES,
		.comma = "",
	};
	unsigned int i;

	fputs(", \"ahead\": [", out);
	if (cp->busy)
		write_buffer(&v, cp->n, "now", cp->pc, cp->left);
	for (i = 0; i < cp->cq_count; i++)
		write_buffer(&v, cp->n, "next", cp->cq[i].ptr,
			     cp->cq[i].tsize);
	if (cp->n < LOWER)
		write_ring(&v, cp);
	fprintf(out, "], \"hidden\": %" PRIu64 "}", v.hidden);
}

/* Its units as bits: the fetcher of its ring, that of buffers, the CP. */
static unsigned int units(uint32_t mask, unsigned int n)
{
	return (n < LOWER && mask & GAUDI_QM_PQF(n) ? 1 : 0) |
	       (mask & GAUDI_QM_CQF(n) ? 2 : 0) |
	       (mask & GAUDI_QM_CP(n) ? 4 : 0);
}

static void write_cp(struct gaudi_chip *chip, const struct gaudi_qman *qm,
		     const struct gaudi_cp *cp, FILE *out)
{
	unsigned int f;

	fprintf(out, "{\"unit\": %u, \"base\": %" PRIu32 ", \"busy\": %u, \"wait\": %u, \"pi\": %"
		PRIu32 ", \"ci\": %" PRIu32 ", \"held\": %u, \"pc\": %" PRIu64
		", \"left\": %" PRIu32 ", \"buffer\": [%" PRIu64 ", %" PRIu32
		"], \"packet\": %" PRIu64 ", ", qm->id * 8 + cp->n, qm->base, cp->busy,
		cp->wait, cp->pi, cp->ci, cp->cq_count, cp->pc, cp->left,
		cp->cur.ptr, cp->cur.tsize, cp->inst);
	fprintf(out, "\"off\": %u, \"stopped\": %u, \"failed\": %u, \"errors\": %"
		PRIu32 ", \"asks\": %u, \"timer\": %u, \"scalars\": %u, \"values\": %" PRIu32,
		units(~qm->cfg0, cp->n), units(qm->cfg1, cp->n),
		units(qm->err_stop, cp->n), cp->sts1, cp->arb_request,
		cp->wait_timer.armed, cp->in_scalars, cp->bulk_left);
	for (f = 0; f < 4; f++)
		fprintf(out, "%s%" PRIu32, f ? ", " : ", \"fences\": [",
			cp->fence[f]);
	for (f = 0; f < 4; f++)
		fprintf(out, "%s%" PRIu64, f ? ", " : "], \"bases\": [",
			cp->msg_base[f]);
	fprintf(out, "], \"loaded\": [%u, \"", cp->rf_pos);
	write_code(out, (const uint8_t *)cp->scalar, sizeof(cp->scalar));
	fputs("\"]", out);
	write_ahead(chip, qm, cp, out);
}

/*
 * Where a CP last told the host something, what it told, and what is there now: a driver that
 * has seen a completion gives its entry back, whether an interrupt came or not.
 */
static void write_told(struct gaudi_chip *chip, const struct gaudi_qman *qm,
		       const struct gaudi_cp *cp, const char **comma, FILE *out)
{
	struct gaudi_txn txn;
	uint32_t now;

	if (!cp->told_at || is_struck(chip))
		return;
	gaudi_qman_txn(qm, cp->n, gaudi_qman_cp_secure(qm, cp->n), &txn);
	if (gaudi_bus_reachable(chip, &txn, cp->told_at, sizeof(now), false) <
		    sizeof(now) ||
	    gaudi_bus_read(chip, &txn, cp->told_at, &now, sizeof(now)))
		return;
	fprintf(out, "%s[%u, %" PRIu64 ", %" PRIu32 ", %" PRIu32 "]", *comma,
		cp->qman * 8 + cp->n, cp->told_at, cp->told, now);
	*comma = ", ";
}

static bool has_work(const struct gaudi_cp *cp)
{
	return cp->busy || cp->cq_count || cp->sts1 ||
	       (cp->n < LOWER && cp->pi != cp->ci);
}

bool gaudi_queues_at_rest(const struct gaudi_chip *chip)
{
	unsigned int i, n;

	for (i = 0; i < GAUDI_NUM_QMAN; i++)
		for (n = 0; n < GAUDI_NUM_CPS; n++)
			if (has_work(&chip->queues->qman[i].cp[n]))
				return false;
	return true;
}

/* --- arbiters --------------------------------------------------------------- */

static void write_arbiter(struct gaudi_chip *chip, const struct gaudi_qman *qm,
			  FILE *out)
{
	uint32_t slaves = gaudi_store_read(chip, qm->base + QM_ARB_MST_SLAVE_EN);
	bool master = qm->arb_cfg & QM_ARB_CFG_0_IS_MASTER;
	const char *comma = "";
	unsigned int i;

	fprintf(out, "{\"queue\": %u, \"master\": %u, \"owner\": %d, \"stop\": %u"
		", \"errors\": %" PRIu32 ", \"masked\": %u, \"credits\": [",
		qm->id, master, qm->arb_owner, qm->arb_stop, qm->arb_err,
		(unsigned int)FIELD_GET(QM_ARB_CFG_0_MASK, qm->arb_cfg));
	for (i = 0; master && i < ARRAY_SIZE(qm->arb_cred); i++) {
		if (!(slaves & 1u << i))
			continue;
		fprintf(out, "%s[%u, %u]", comma, i, qm->arb_cred[i]);
		comma = ", ";
	}
	fputs("], \"choices\": [", out);
	for (i = 0; i < qm->arb_count; i++)
		fprintf(out, "%s%u", i ? ", " : "",
			qm->arb_choice[(qm->arb_head + i) % GAUDI_ARB_CHOICES]);
	fputs("]}", out);
}

void gaudi_queues_state(struct gaudi_chip *chip, FILE *out)
{
	const struct gaudi_qman *qm = chip->queues->qman;
	const char *comma = "";
	unsigned int i, n;

	fputs("\"queues\": [", out);
	for (i = 0; i < GAUDI_NUM_QMAN; i++)
		for (n = 0; n < GAUDI_NUM_CPS; n++) {
			if (!has_work(&qm[i].cp[n]))
				continue;
			fputs(comma, out);
			write_cp(chip, &qm[i], &qm[i].cp[n], out);
			comma = ", ";
		}
	fputs("], \"told\": [", out);
	for (comma = "", i = 0; i < GAUDI_NUM_QMAN; i++)
		for (n = 0; n < GAUDI_NUM_CPS; n++)
			write_told(chip, &qm[i], &qm[i].cp[n], &comma, out);
	fputs("], \"arbiters\": [", out);
	for (comma = "", i = 0; i < GAUDI_NUM_QMAN; i++) {
		if (!(qm[i].arb_cfg & QM_ARB_CFG_0_EN))
			continue;
		fputs(comma, out);
		write_arbiter(chip, &qm[i], out);
		comma = ", ";
	}
	fputs("], ", out);
}
