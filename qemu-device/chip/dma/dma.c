// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * DMA cores: registers, descriptors, completion writes, errors.
 *
 * A write to COMMIT takes a snapshot of the registers; a core holds a few such
 * descriptors and works on the oldest, a batch at a time (dma_copy.c,
 * dma_tile.c). What the model cannot do is refused with an error and named in
 * the report rather than done wrong: (de)compression, reductions of types or
 * in places that are not published.
 *
 * Source: Linux 6.12 for layout and use. Inferred: in strided transfers size 0
 * counts bytes, the others elements, and a size of 0 there means 1.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "dma_core.h"
#include "../snap/snap.h"

/* So little is copied where it is committed, with the lock held. */
#define DIRECT_BYTES		(4u << 10)
/* STS0 counts requests in 15 bits. */
#define MAX_STS0_REQS		0x7fffu

static bool is_finished(const struct gaudi_dma_desc *desc)
{
	return desc->dst.done ||
	       (!gaudi_dma_is_memset(desc) && !gaudi_dma_is_transposed(desc) &&
		desc->src.done);
}

/* --- descriptors ------------------------------------------------------ */

static bool can_work(struct gaudi_chip *chip, const struct gaudi_dma *dma)
{
	return dma->count && !dma->failed && !dma->held &&
	       gaudi_reg(chip, dma->base, DMA_CORE_CFG_0) & DMA_CORE_CFG_0_EN &&
	       !(gaudi_reg(chip, dma->base, DMA_CORE_CFG_1) &
		 DMA_CORE_CFG_1_HALT);
}

static void retire(struct gaudi_chip *chip, struct gaudi_dma *dma)
{
	const struct gaudi_dma_desc *desc = &dma->desc[dma->head];

	gaudi_dma_tile_free(dma);
	dma->pending[desc->owner]--;
	dma->head = (dma->head + 1) % GAUDI_DMA_DEPTH;
	dma->count--;
	dma->desc_count++;
	gaudi_qman_job_ended(chip, GAUDI_QMAN_DMA + dma->id, desc->owner);
}

/* --- in a model of time ------------------------------------------------- */

/* So many bytes of one side have been moved when? */
static uint64_t side_until(struct gaudi_chip *chip, uint64_t from_ps,
			   uint64_t addr, uint64_t bytes, bool write)
{
	if (addr >= GAUDI_HOST_BASE)
		return gaudi_pcie_until(chip, from_ps, bytes, write);
	if (addr < GAUDI_HBM_BASE + chip->hbm.size)
		return gaudi_hbm_until(chip, from_ps, bytes, GAUDI_RATE_DMA);
	return from_ps + gaudi_bytes_ps(bytes, GAUDI_RATE_DMA);
}

/* A core reads and writes at the same time. */
static uint64_t end_ps(struct gaudi_chip *chip, const struct gaudi_dma *dma,
		       const struct gaudi_dma_desc *desc)
{
	uint64_t begin = gaudi_jobs_begin(&dma->jobs), read = begin, write;

	if (!gaudi_dma_is_memset(desc))
		read = side_until(chip, begin, desc->src.base, desc->moved,
				  false);
	write = side_until(chip, begin, desc->dst.base, desc->moved, true);
	return read > write ? read : write;
}

/*
 * Every error sends its message, also while ERR_CAUSE still shows the last one:
 * drivers do not clear it in their handlers. Firmware masks the event until the
 * driver has seen it.
 */
static void dma_error(struct gaudi_chip *chip, struct gaudi_dma *dma,
		      uint32_t bits, uint64_t src, uint64_t dst)
{
	struct gaudi_txn txn = {
		.initiator = GAUDI_INIT_DMA,
		.unit = dma->id,
		.secure = gaudi_reg(chip, dma->base, DMA_CORE_PROT) &
			  DMA_CORE_PROT_ERR_VAL,
		.bypass = true,
	};

	dma->err_cause |= bits;
	gaudi_log(chip, GAUDI_LOG_GUEST_ERROR,
		  "DMA%u_CORE: error 0x%x, source 0x%llx, destination 0x%llx",
		  dma->id, bits, (unsigned long long)src,
		  (unsigned long long)dst);
	if (!(gaudi_reg(chip, dma->base, DMA_CORE_ERR_CFG) &
	      DMA_CORE_ERR_CFG_ERR_MSG_EN))
		return;
	gaudi_post_write(chip, &txn,
			 gaudi_reg64(chip, dma->base, DMA_CORE_ERRMSG_ADDR_LO),
			 gaudi_reg(chip, dma->base, DMA_CORE_ERRMSG_WDATA));
	dma->lbw_aw_count++;
}

/* A descriptor is at its end, well or with errors. */
static void complete_now(struct gaudi_chip *chip, struct gaudi_dma *dma,
			 uint32_t error)
{
	struct gaudi_dma_desc *desc = &dma->desc[dma->head];

	gaudi_trace(chip, GAUDI_TRACE_DMA, dma->id, desc->dst.base,
		    gaudi_dma_is_memset(desc) ? desc->pattern : desc->src.base,
		    desc->pos);
	if (error) {
		dma_error(chip, dma, error, desc->src.base, desc->dst.base);
		/* No completion: whoever waits for it is to notice. */
		if (gaudi_reg(chip, dma->base, DMA_CORE_ERR_CFG) &
		    DMA_CORE_ERR_CFG_STOP_ON_ERR) {
			dma->failed = true;
			return;
		}
	}
	/* Posted: it may go to this core's own COMMIT. */
	if (desc->commit & DMA_CORE_COMMIT_WR_COMP_EN) {
		gaudi_post_write(chip, &desc->txn, desc->comp_addr,
				 desc->comp_data);
		dma->lbw_aw_count++;
	}
	retire(chip, dma);
}

/* By the card's clock this is later than what has made it happen now. */
static void complete(struct gaudi_chip *chip, struct gaudi_dma *dma,
		     uint32_t error)
{
	uint64_t at_ps = chip->clock.at_ps;

	if (chip->clock.on) {
		chip->clock.at_ps = end_ps(chip, dma, &dma->desc[dma->head]);
		gaudi_jobs_end(&dma->jobs, chip->clock.at_ps);
	}
	complete_now(chip, dma, error);
	chip->clock.at_ps = at_ps;
}

/* At the end of a descriptor. */
static bool is_held(struct gaudi_chip *chip, struct gaudi_dma *dma)
{
	const struct gaudi_dma_desc *desc = &dma->desc[dma->head];

	dma->held = chip->fault_hooks->dma_end(chip, dma->id, desc->owner,
					       desc->pos);
	return dma->held;
}

static void work(struct gaudi_chip *chip, struct gaudi_dma *dma, bool direct)
{
	struct gaudi_dma_desc *desc = &dma->desc[dma->head];
	uint32_t error = desc->error;

	dma->working = true;
	if (!error && !is_finished(desc))
		error = gaudi_dma_is_transposed(desc) ?
			gaudi_dma_tile_batch(chip, dma, desc) :
			gaudi_dma_batch(chip, dma, desc, direct);
	if ((error || is_finished(desc)) &&
	    !(gaudi_fault_armed(chip, GAUDI_FAULT_DMA_END) &&
	      is_held(chip, dma)))
		complete(chip, dma, error);
	dma->working = false;
}

/* The same at once; it may have committed others, which are not done here. */
static void work_directly(struct gaudi_chip *chip, struct gaudi_dma *dma)
{
	unsigned int head = dma->head;

	while (can_work(chip, dma) && dma->head == head)
		work(chip, dma, true);
	if (dma->count)
		gaudi_actor_kick(chip, &dma->actor);
}

static bool dma_run(struct gaudi_chip *chip, struct gaudi_actor *actor)
{
	struct gaudi_dma *dma = (struct gaudi_dma *)((char *)actor -
					offsetof(struct gaudi_dma, actor));

	if (dma->working || !can_work(chip, dma))
		return false;
	work(chip, dma, false);
	return can_work(chip, dma);
}

static void get_walk(struct gaudi_chip *chip, const struct gaudi_dma *dma,
		     struct gaudi_dma_walk *w, uint64_t base,
		     uint32_t first_tsize, uint32_t tsize0)
{
	uint32_t size;
	unsigned int d;

	gaudi_walk_linear(w, base, gaudi_reg(chip, dma->base, tsize0));
	/* SIZE_1, STRIDE_1, SIZE_2, ... */
	for (d = 1; d < GAUDI_DMA_DIMS; d++) {
		size = gaudi_reg(chip, dma->base, first_tsize + 8 * (d - 1));
		w->size[d] = size ? size : 1;
		w->stride[d] = gaudi_reg(chip, dma->base,
					 first_tsize + 8 * (d - 1) + 4);
	}
}

static void get_txn(struct gaudi_chip *chip, const struct gaudi_dma *dma,
		    struct gaudi_txn *txn)
{
	bool secure = gaudi_reg(chip, dma->base, DMA_CORE_PROT) &
		      DMA_CORE_PROT_VAL;
	uint32_t props = gaudi_reg(chip, dma->base,
				   secure ? DMA_CORE_SECURE_PROPS :
					    DMA_CORE_NON_SECURE_PROPS);

	txn->initiator = GAUDI_INIT_DMA;
	txn->unit = dma->id;
	txn->secure = secure;
	txn->bypass = props & DMA_CORE_PROPS_MMBP;
	txn->asid = FIELD_GET(DMA_CORE_PROPS_ASID, props);
}

/* Reduction field of the user bits; 0 where nothing is reduced. */
static uint16_t get_reduction(struct gaudi_chip *chip,
			      const struct gaudi_dma *dma)
{
	uint16_t field = FIELD_GET(DMA_CORE_WR_AWUSER_REDUCE,
				   gaudi_reg(chip, dma->base,
					     DMA_CORE_WR_AWUSER_31_11));

	return field & GAUDI_REDUCE_EN ? field : 0;
}

static bool is_multiple(const struct gaudi_dma_walk *w, uint32_t unit)
{
	unsigned int d;

	if (w->size[0] % unit)
		return false;
	for (d = 1; d < GAUDI_DMA_DIMS; d++)
		if (w->size[d] > 1 && w->stride[d] % (int32_t)unit)
			return false;
	return true;
}

/* NULL, or the name of what is not published about this reduction. */
static const char *reduction_check(const struct gaudi_dma_desc *desc)
{
	uint32_t unit;

	if (!desc->reduce)
		return NULL;
	unit = gaudi_reduce_size(desc->reduce);
	if (!unit)
		return "DMA reduction of an unknown type";
	if (desc->dst.base % unit || !is_multiple(&desc->dst, unit) ||
	    desc->src.size[0] % unit)
		return "DMA reduction of part of an element";
	return NULL;
}

/* What the model cannot do fails as a write that never happens. */
static uint32_t unsupported(struct gaudi_chip *chip,
			    const struct gaudi_dma_desc *desc)
{
	const char *what = NULL;

	if (desc->commit & (DMA_CORE_COMMIT_COMPRESS |
			    DMA_CORE_COMMIT_DECOMPRESS))
		what = "DMA compression";
	if (!what && gaudi_dma_is_transposed(desc)) {
		gaudi_report_use(chip, "feature", "DMA transposition",
				 GAUDI_APPROXIMATE);
		what = gaudi_dma_tile_check(desc);
	}
	if (!what)
		what = reduction_check(desc);
	if (!what)
		return 0;
	gaudi_report_use(chip, "feature", what, GAUDI_UNIMPLEMENTED);
	return DMA_CORE_ERR_CAUSE_HBW_WR;
}

/* Short enough, and cheap enough, to be done by whoever commits it? */
static bool is_direct(struct gaudi_chip *chip,
		      const struct gaudi_dma_desc *desc)
{
	struct gaudi_sched *s = &chip->sched;
	uint64_t limit = s->inlined ? s->inline_bytes : DIRECT_BYTES;

	/*
	 * A payload may commit again: each copy is to be a turn of its own. And
	 * where actors stand still, so do copies.
	 */
	if (gaudi_posts_draining(chip) || s->quiesced ||
	    !(desc->commit & DMA_CORE_COMMIT_LIN) || desc->size > limit ||
	    gaudi_dma_is_transposed(desc))
		return false;
	if (s->inlined)
		s->inline_bytes -= desc->size;
	return true;
}

static void get_walks(struct gaudi_chip *chip, const struct gaudi_dma *dma,
		      struct gaudi_dma_desc *desc)
{
	/* The top byte of the destination belongs to the context id. */
	uint64_t src = gaudi_reg64(chip, dma->base, DMA_CORE_SRC_BASE_LO);
	uint64_t dst = gaudi_reg64(chip, dma->base, DMA_CORE_DST_BASE_LO) &
		       ~(0xffull << 56);

	if (desc->commit & DMA_CORE_COMMIT_LIN) {
		gaudi_walk_linear(&desc->src, src, desc->size);
		gaudi_walk_linear(&desc->dst, dst, desc->size);
		return;
	}
	gaudi_report_use(chip, "feature", "DMA strided transfer",
			 GAUDI_APPROXIMATE);
	get_walk(chip, dma, &desc->src, src, DMA_CORE_SRC_TSIZE(1),
		 DMA_CORE_SRC_TSIZE(0));
	get_walk(chip, dma, &desc->dst, dst, DMA_CORE_DST_TSIZE(1),
		 DMA_CORE_DST_TSIZE(0));
}

static void get_tile(struct gaudi_chip *chip, const struct gaudi_dma *dma,
		     struct gaudi_dma_desc *desc)
{
	uint32_t rows = gaudi_reg(chip, dma->base, DMA_CORE_TE_NUMROWS);

	if (desc->commit & DMA_CORE_COMMIT_LIN) {
		desc->tile_rows = rows ? rows : 1;
		desc->tile_row = desc->size / desc->tile_rows;
	} else {
		desc->tile_rows = rows ? rows : desc->src.size[1];
		desc->tile_row = desc->src.size[0];
	}
	/* Then there is nothing to do. */
	desc->dst.done |= desc->src.done;
}

static void get_desc(struct gaudi_chip *chip, const struct gaudi_dma *dma,
		     struct gaudi_dma_desc *desc, uint32_t value)
{
	memset(desc, 0, sizeof(*desc));
	desc->commit = value;
	desc->owner = gaudi_qman_writer(chip, GAUDI_QMAN_DMA + dma->id);
	desc->size = gaudi_reg(chip, dma->base, DMA_CORE_DST_TSIZE(0));
	desc->pattern = gaudi_reg64(chip, dma->base, DMA_CORE_SRC_BASE_LO);
	desc->comp_addr = gaudi_reg64(chip, dma->base, DMA_CORE_WR_COMP_ADDR_LO);
	desc->comp_data = gaudi_reg(chip, dma->base, DMA_CORE_WR_COMP_WDATA);
	desc->ctx = FIELD_GET(DMA_CORE_COMMIT_CTX_ID, value) |
		    FIELD_GET(DMA_CORE_DST_BASE_HI_CTX_ID,
			      gaudi_reg(chip, dma->base,
					DMA_CORE_DST_BASE_HI)) << 8;
	desc->reduce = get_reduction(chip, dma);
	get_txn(chip, dma, &desc->txn);
	get_walks(chip, dma, desc);
	if (gaudi_dma_is_transposed(desc))
		get_tile(chip, dma, desc);
	desc->error = unsupported(chip, desc);
	gaudi_walk_join(&desc->src);
	gaudi_walk_join(&desc->dst);
}

/* A fault on demand: the transfer is shorter, or fails. */
static void strike(struct gaudi_chip *chip, const struct gaudi_dma *dma,
		   struct gaudi_dma_desc *desc)
{
	uint64_t less;

	if (!chip->fault_hooks->commit(chip, dma->id, desc->owner, &less,
				       &desc->error) || !less)
		return;
	/* Of rows, planes and so on the first: what is linear has one row. */
	less = less < desc->dst.size[0] ? less : desc->dst.size[0];
	desc->size -= less < desc->size ? less : desc->size;
	desc->dst.size[0] -= less;
	desc->dst.done |= !desc->dst.size[0];
	if (desc->src.size[0] > desc->dst.size[0])
		desc->src.size[0] = desc->dst.size[0];
}

static void commit(struct gaudi_chip *chip, struct gaudi_dma *dma,
		   uint32_t value)
{
	struct gaudi_dma_desc *desc;

	if (dma->count == GAUDI_DMA_DEPTH) {
		dma_error(chip, dma, DMA_CORE_ERR_CAUSE_DESC_OVF,
			  gaudi_reg64(chip, dma->base, DMA_CORE_SRC_BASE_LO),
			  gaudi_reg64(chip, dma->base, DMA_CORE_DST_BASE_LO));
		return;
	}
	desc = &dma->desc[(dma->head + dma->count++) % GAUDI_DMA_DEPTH];
	get_desc(chip, dma, desc, value);
	if (gaudi_fault_armed(chip, GAUDI_FAULT_COMMIT))
		strike(chip, dma, desc);
	dma->pending[desc->owner]++;
	if (chip->clock.on)
		gaudi_jobs_give(chip, &dma->jobs);
	if (dma->count == 1 && !dma->working && can_work(chip, dma) &&
	    is_direct(chip, desc))
		work_directly(chip, dma);
	else
		gaudi_actor_kick(chip, &dma->actor);
}

/* --- registers -------------------------------------------------------- */

/* Requests of the batch that is under way. */
static uint32_t requests(const struct gaudi_dma *dma, bool read)
{
	const struct gaudi_dma_desc *desc = &dma->desc[dma->head];
	uint64_t n = (dma->in_flight + DMA_AXI_BYTES - 1) / DMA_AXI_BYTES;

	if (!dma->count || (read && gaudi_dma_is_memset(desc)))
		return 0;
	return n < MAX_STS0_REQS ? n : MAX_STS0_REQS;
}

static uint32_t dbg_sts(const struct gaudi_dma *dma)
{
	uint32_t sts = DMA_CORE_DBG_STS_WR_COMP_EMPTY |
		       DMA_CORE_DBG_STS_GSKT_EMPTY;

	if (!dma->count)
		sts |= DMA_CORE_DBG_STS_RD_CTX_EMPTY |
		       DMA_CORE_DBG_STS_WR_CTX_EMPTY;
	if (dma->count == GAUDI_DMA_DEPTH)
		sts |= DMA_CORE_DBG_STS_RD_CTX_FULL |
		       DMA_CORE_DBG_STS_WR_CTX_FULL;
	return sts | (dma->tile ? DMA_CORE_DBG_STS_TE_BUSY :
				  DMA_CORE_DBG_STS_TE_EMPTY);
}

static uint32_t dma_read(struct gaudi_chip *chip, unsigned int inst,
			 uint32_t off)
{
	const struct gaudi_dma *dma = &chip->dmas->core[inst];
	uint32_t reads = requests(dma, true), writes = requests(dma, false);

	switch (off) {
	case DMA_CORE_ERR_CAUSE:
		return dma->err_cause;
	case DMA_CORE_STS0:
		return (dma->count ? DMA_CORE_STS0_BUSY : 0) |
		       FIELD_PREP(DMA_CORE_STS0_RD_REQ_CNT, reads) |
		       FIELD_PREP(DMA_CORE_STS0_WR_REQ_CNT, writes);
	case DMA_CORE_STS1:
		/* The piece under way ends first. */
		return !dma->working &&
		       gaudi_reg(chip, dma->base, DMA_CORE_CFG_1) &
		       DMA_CORE_CFG_1_HALT ? DMA_CORE_STS1_IS_HALT : 0;
	case DMA_CORE_RD_INFLIGHTS:
		return reads;
	case DMA_CORE_WR_INFLIGHTS:
		return writes;
	case DMA_CORE_DBG_HBW_AXI_AR_CNT:
		return dma->ar_count;
	case DMA_CORE_DBG_HBW_AXI_AW_CNT:
		return dma->aw_count;
	case DMA_CORE_DBG_LBW_AXI_AW_CNT:
		return dma->lbw_aw_count;
	case DMA_CORE_DBG_DESC_CNT:
		return dma->desc_count;
	case DMA_CORE_DBG_STS:
		return dbg_sts(dma);
	case DMA_CORE_DBG_RD_DESC_ID:
	case DMA_CORE_DBG_WR_DESC_ID:
		return dma->count ? dma->desc[dma->head].ctx : 0;
	default:
		return gaudi_reg(chip, dma->base, off);
	}
}

/* What waits is forgotten; what is being copied at the moment ends first. */
static void flush(struct gaudi_chip *chip, struct gaudi_dma *dma)
{
	struct gaudi_dma_desc *desc;

	if (!dma->working)
		gaudi_dma_tile_free(dma);
	while (dma->count > dma->working) {
		desc = &dma->desc[(dma->head + dma->count - 1) %
				  GAUDI_DMA_DEPTH];
		dma->pending[desc->owner]--;
		dma->count--;
	}
	dma->jobs.given = dma->jobs.done + dma->count;
	if (!dma->count)
		dma->failed = false;
	gaudi_qman_engine_event(chip, GAUDI_QMAN_DMA + dma->id);
}

static void clear_error(struct gaudi_chip *chip, struct gaudi_dma *dma,
			uint32_t bits)
{
	dma->err_cause &= ~bits;
	if (dma->err_cause || !dma->failed || dma->working)
		return;
	dma->failed = false;
	retire(chip, dma);
	gaudi_actor_kick(chip, &dma->actor);
}

static int dma_write(struct gaudi_chip *chip, unsigned int inst, uint32_t off,
		     uint32_t value, const struct gaudi_txn *txn)
{
	struct gaudi_dma *dma = &chip->dmas->core[inst];

	(void)txn;
	if (off == DMA_CORE_ERR_CAUSE) {
		clear_error(chip, dma, value);
		return 0;
	}
	gaudi_store_write(chip, dma->base + off, value);
	if (off == DMA_CORE_COMMIT)
		commit(chip, dma, value);
	else if (off == DMA_CORE_CFG_1 && value & DMA_CORE_CFG_1_FLUSH)
		flush(chip, dma);
	if (off == DMA_CORE_CFG_0 || off == DMA_CORE_CFG_1)
		gaudi_actor_kick(chip, &dma->actor);
	return 0;
}

static void dma_reset(struct gaudi_chip *chip, unsigned int inst)
{
	struct gaudi_dma *dma = &chip->dmas->core[inst];

	gaudi_dma_tile_free(dma);
	memset(dma->desc, 0, sizeof(dma->desc));
	memset(dma->pending, 0, sizeof(dma->pending));
	dma->jobs = (struct gaudi_jobs){ .depth = GAUDI_DMA_DEPTH };
	dma->head = 0;
	dma->count = 0;
	dma->working = false;
	dma->failed = false;
	dma->held = false;
	dma->err_cause = 0;
	dma->in_flight = 0;
	dma->ar_count = 0;
	dma->aw_count = 0;
	dma->lbw_aw_count = 0;
	dma->desc_count = 0;
}

const struct gaudi_block_ops gaudi_dma_core_ops = {
	.name = "DMA_CORE",
	.reset = dma_reset,
	.read = dma_read,
	.write = dma_write,
};

/* --- the engine behind a queue ------------------------------------------ */

static bool dma_has_room(struct gaudi_chip *chip, unsigned int unit)
{
	return chip->dmas->core[unit].count < GAUDI_DMA_DEPTH;
}

static bool dma_is_idle(struct gaudi_chip *chip, unsigned int unit,
			unsigned int cp)
{
	return !chip->dmas->core[unit].pending[cp];
}

static const struct gaudi_engine_ops engine_ops = {
	.has_room = dma_has_room,
	.is_idle = dma_is_idle,
};

void gaudi_dma_release(struct gaudi_chip *chip, unsigned int core)
{
	chip->dmas->core[core].held = false;
	gaudi_actor_kick(chip, &chip->dmas->core[core].actor);
}

int gaudi_dma_init(struct gaudi_chip *chip)
{
	struct gaudi_dma *dma;
	unsigned int i;

	chip->dmas = calloc(1, sizeof(*chip->dmas));
	if (!chip->dmas)
		return -ENOMEM;
	for (i = 0; i < GAUDI_NUM_DMA; i++) {
		dma = &chip->dmas->core[i];
		dma->id = i;
		dma->base = GAUDI_DMA_CORE_BASE(i);
		dma->jobs.depth = GAUDI_DMA_DEPTH;
		gaudi_actor_init(chip, &dma->actor, "dma", false, dma_run);
		gaudi_qman_attach(chip, GAUDI_QMAN_DMA + i, &engine_ops, i);
	}
	return 0;
}

void gaudi_dma_fini(struct gaudi_chip *chip)
{
	unsigned int i;

	for (i = 0; chip->dmas && i < GAUDI_NUM_DMA; i++)
		gaudi_dma_tile_free(&chip->dmas->core[i]);
	free(chip->dmas);
}

/* --- a snapshot ------------------------------------------------------------- */

static bool walk_is_good(const struct gaudi_dma_walk *w)
{
	unsigned int d;

	for (d = 0; d < GAUDI_DMA_DIMS; d++)
		if (!w->done && w->index[d] >= w->size[d])
			return false;
	return true;
}

static void snap_walk(struct gaudi_snap *s, struct gaudi_dma_walk *w)
{
	GAUDI_SNAP(s, w->base);
	GAUDI_SNAP_ARRAY(s, w->size);
	GAUDI_SNAP_ARRAY(s, w->stride);
	GAUDI_SNAP_ARRAY(s, w->index);
	gaudi_snap_bool(s, &w->done);
	if (s->load)
		w->ptr = NULL;
	gaudi_snap_check(s, walk_is_good(w), "a transfer beyond its end");
}

static void snap_desc(struct gaudi_snap *s, const struct gaudi_dma *dma,
		      struct gaudi_dma_desc *desc)
{
	GAUDI_SNAP(s, desc->commit);
	snap_walk(s, &desc->src);
	snap_walk(s, &desc->dst);
	GAUDI_SNAP(s, desc->size);
	GAUDI_SNAP(s, desc->pos);
	GAUDI_SNAP(s, desc->pattern);
	GAUDI_SNAP(s, desc->comp_addr);
	GAUDI_SNAP(s, desc->comp_data);
	gaudi_snap_bool(s, &desc->txn.secure);
	gaudi_snap_bool(s, &desc->txn.bypass);
	GAUDI_SNAP(s, desc->txn.asid);
	GAUDI_SNAP(s, desc->reduce);
	GAUDI_SNAP(s, desc->ctx);
	GAUDI_SNAP(s, desc->tile_rows);
	GAUDI_SNAP(s, desc->tile_row);
	GAUDI_SNAP(s, desc->error);
	GAUDI_SNAP(s, desc->owner);
	if (!s->load)
		return;
	desc->txn.initiator = GAUDI_INIT_DMA;
	desc->txn.unit = dma->id;
	desc->txn.tpc_message = false;
	/* What would not have been taken from the registers. */
	if (gaudi_snap_check(s, desc->owner <= GAUDI_NUM_CPS &&
			     (!(desc->commit & DMA_CORE_COMMIT_LIN) ||
			      desc->pos <= desc->size), "a transfer of nobody") &&
	    !desc->error)
		desc->error = unsupported(s->chip, desc);
}

static void snap_core(struct gaudi_snap *s, struct gaudi_dma *dma)
{
	struct gaudi_dma_desc *desc;
	unsigned int i;

	if (dma->tile && !s->load)
		gaudi_snap_refuse(s, "DMA%u is within a transposition", dma->id);
	if (dma->held && !s->load)
		gaudi_snap_refuse(s, "DMA%u is held back by a fault", dma->id);
	GAUDI_SNAP(s, dma->count);
	if (!gaudi_snap_check(s, dma->count <= GAUDI_DMA_DEPTH,
			      "too many transfers"))
		return;
	if (s->load)
		dma->head = 0;
	for (i = 0; i < dma->count; i++) {
		desc = &dma->desc[(dma->head + i) % GAUDI_DMA_DEPTH];
		snap_desc(s, dma, desc);
		if (s->load && !s->err)
			dma->pending[desc->owner]++;
	}
	gaudi_snap_bool(s, &dma->failed);
	GAUDI_SNAP(s, dma->err_cause);
	GAUDI_SNAP(s, dma->ar_count);
	GAUDI_SNAP(s, dma->aw_count);
	GAUDI_SNAP(s, dma->lbw_aw_count);
	GAUDI_SNAP(s, dma->desc_count);
}

void gaudi_dma_snap(struct gaudi_snap *s)
{
	unsigned int i;

	for (i = 0; i < GAUDI_NUM_DMA; i++)
		snap_core(s, &s->chip->dmas->core[i]);
}

/* --- for a record ----------------------------------------------------------- */

static void write_jobs(const struct gaudi_dma *dma, FILE *out)
{
	const struct gaudi_dma_desc *desc;
	const char *comma = "";
	unsigned int i;

	fputs("\"jobs\": [", out);
	for (i = 0; i < dma->count; i++) {
		desc = &dma->desc[(dma->head + i) % GAUDI_DMA_DEPTH];
		fprintf(out, "%s[%" PRIu64 ", %" PRIu64 ", %" PRIu64 ", %" PRIu64
			"]", comma, desc->src.base, desc->dst.base, desc->size,
			desc->pos);
		comma = ", ";
	}
	fputs("], \"signals\": [", out);
	for (comma = "", i = 0; i < dma->count; i++) {
		desc = &dma->desc[(dma->head + i) % GAUDI_DMA_DEPTH];
		if (!(desc->commit & DMA_CORE_COMMIT_WR_COMP_EN))
			continue;
		fprintf(out, "%s[%" PRIu64 ", %" PRIu32 "]", comma,
			desc->comp_addr, desc->comp_data);
		comma = ", ";
	}
	fputs("]}", out);
}

void gaudi_dma_state(struct gaudi_chip *chip, FILE *out)
{
	const struct gaudi_dma *dma = chip->dmas->core;
	const char *comma = "";

	fputs("\"dma\": [", out);
	for (; dma < chip->dmas->core + GAUDI_NUM_DMA; dma++) {
		if (!dma->count && !dma->err_cause)
			continue;
		fprintf(out, "%s{\"engine\": %u, \"busy\": %u, \"failed\": %u"
			", \"held\": %u, \"off\": %u, \"halted\": %u"
			", \"errors\": %" PRIu32 ", ", comma,
			GAUDI_QMAN_DMA + dma->id, dma->count, dma->failed,
			dma->held,
			!(gaudi_reg(chip, dma->base, DMA_CORE_CFG_0) &
			  DMA_CORE_CFG_0_EN),
			!!(gaudi_reg(chip, dma->base, DMA_CORE_CFG_1) &
			   DMA_CORE_CFG_1_HALT),
			dma->err_cause);
		write_jobs(dma, out);
		comma = ", ";
	}
	fputs("], ", out);
}
