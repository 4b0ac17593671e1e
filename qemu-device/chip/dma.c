// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * DMA cores: linear and strided copies, memory set, completion writes, errors.
 *
 * A write to COMMIT takes a snapshot of the registers; a core holds a few such
 * descriptors and works on the oldest. Work is done in batches: pieces of
 * source and destination are mapped with the lock held, copied without it. What
 * cannot be mapped (registers, the host's MMIO) goes through a small buffer.
 *
 * Overlapping linear copies give what memmove() gives. Not modelled, and
 * refused with an error rather than done wrong: transposition, (de)compression
 * and reduction at the destination.
 *
 * Source: Linux 6.12 for layout and use. Inferred: in strided transfers size 0
 * counts bytes, the others elements, and a size of 0 there means 1.
 */
#include "internal.h"
#include "../../uapi/regs/gaudi_dma_core_regs.h"

/* Bytes per batch: long enough to pay, short enough to take turns. */
#define BATCH_BYTES		(1u << 20)
/* Zeros and shared patterns cost that much less. */
#define CHEAP			64u
#define BATCH_PIECES		256
#define BOUNCE_BYTES		(16u << 10)
/* So little is copied where it is committed, with the lock held. */
#define DIRECT_BYTES		(4u << 10)

#define COMMIT_UNSUPPORTED	(DMA_CORE_COMMIT_TRANSPOSE | \
				 DMA_CORE_COMMIT_COMPRESS | \
				 DMA_CORE_COMMIT_DECOMPRESS)
/* WR_AWUSER_31_11: add to memory instead of writing it (bit 13 of awuser). */
#define AWUSER_REDUCE		BIT(2)
#define DBG_STS_IDLE		0x178u

/* What one side of a batch copies from or to. */
struct piece {
	struct gaudi_span src;
	struct gaudi_span dst;
	uint32_t len;
	uint32_t phase;		/* memset: offset into the pattern */
};

struct batch {
	struct piece piece[BATCH_PIECES];
	unsigned int count;
	uint64_t cost;		/* in bytes that are copied */
	uint32_t error;		/* bits of ERR_CAUSE */
	bool bounce;		/* the next piece cannot be mapped */
};

static const uint8_t no_owner = GAUDI_NUM_CPS;

/* --- walking over up to five dimensions ------------------------------- */

static uint64_t walk_addr(const struct gaudi_dma_walk *w)
{
	uint64_t addr = w->base + w->index[0];
	unsigned int d;

	for (d = 1; d < GAUDI_DMA_DIMS; d++)
		addr += (int64_t)w->stride[d] * w->index[d];
	return addr;
}

/* Bytes left in the current row. */
static uint32_t walk_row(const struct gaudi_dma_walk *w)
{
	return w->done ? 0 : w->size[0] - w->index[0];
}

static void walk_advance(struct gaudi_dma_walk *w, uint32_t len)
{
	unsigned int d;

	w->index[0] += len;
	if (w->index[0] < w->size[0])
		return;
	w->index[0] = 0;
	for (d = 1; d < GAUDI_DMA_DIMS; d++) {
		if (++w->index[d] < w->size[d])
			return;
		w->index[d] = 0;
	}
	w->done = true;
}

static void walk_linear(struct gaudi_dma_walk *w, uint64_t base, uint32_t size)
{
	unsigned int d;

	memset(w, 0, sizeof(*w));
	w->base = base;
	w->size[0] = size;
	for (d = 1; d < GAUDI_DMA_DIMS; d++)
		w->size[d] = 1;
	w->done = !size;
}

/* --- what a batch does ------------------------------------------------ */

static bool is_memset(const struct gaudi_dma_desc *desc)
{
	return desc->commit & DMA_CORE_COMMIT_MEM_SET;
}

static bool is_finished(const struct gaudi_dma_desc *desc)
{
	return desc->dst.done || (!is_memset(desc) && desc->src.done);
}

static void do_piece(struct gaudi_chip *chip, const struct gaudi_dma_desc *desc,
		     struct piece *p)
{
	if (!is_memset(desc)) {
		memmove(p->dst.ptr, p->src.ptr, p->len);
		gaudi_bus_unmap(chip, &p->src, p->len);
	} else {
		gaudi_bus_fill(chip, &p->dst, desc->pattern, p->phase, p->len);
	}
	gaudi_bus_unmap(chip, &p->dst, p->len);
}

static bool is_lbw(uint64_t addr)
{
	return addr >= GAUDI_FLASH_BASE && addr < GAUDI_HOST_BASE;
}

static uint32_t write_error(uint64_t addr)
{
	return is_lbw(addr) ? DMA_CORE_ERR_CAUSE_LBW_WR :
			      DMA_CORE_ERR_CAUSE_HBW_WR;
}

/* What of a memset fits into the batch; returns what it costs. */
static uint64_t fit_memset(struct gaudi_chip *chip,
			   const struct gaudi_dma_desc *desc, struct piece *p,
			   uint64_t room)
{
	bool cheap = true;

	if (desc->pattern) {
		p->len = gaudi_fill_step(chip, p->dst.ptr, p->len, &cheap);
		if (!cheap && p->len > room)
			p->len = room;
	}
	return cheap ? p->len / CHEAP : p->len;
}

/* Adds one piece; false: the batch ends here. */
static bool add_piece(struct gaudi_chip *chip, struct gaudi_dma_desc *desc,
		      struct batch *b)
{
	uint64_t len = walk_row(&desc->dst), addr = walk_addr(&desc->dst);
	uint64_t room = BATCH_BYTES - b->cost, cost, limit;
	struct piece *p = &b->piece[b->count];
	int err;

	/* A memset may turn out cheap, and is cut when it does not. */
	limit = is_memset(desc) ? CHEAP * BATCH_BYTES : room;
	if (len > limit)
		len = limit;
	if (!is_memset(desc)) {
		if (len > walk_row(&desc->src))
			len = walk_row(&desc->src);
		err = gaudi_bus_map(chip, &desc->txn, walk_addr(&desc->src),
				    len, false, &p->src);
		if (err) {
			b->bounce = err == -ENXIO;
			b->error = b->bounce ? 0 : DMA_CORE_ERR_CAUSE_HBW_RD;
			return false;
		}
		len = len < p->src.len ? len : p->src.len;
	}
	err = gaudi_bus_map(chip, &desc->txn, addr, len, true, &p->dst);
	if (err) {
		if (!is_memset(desc))
			gaudi_bus_unmap(chip, &p->src, 0);
		b->bounce = err == -ENXIO;
		b->error = b->bounce ? 0 : write_error(addr);
		return false;
	}
	p->len = len < p->dst.len ? len : p->dst.len;
	p->phase = desc->pos;
	cost = is_memset(desc) ? fit_memset(chip, desc, p, room) : p->len;
	if (!is_memset(desc))
		walk_advance(&desc->src, p->len);
	walk_advance(&desc->dst, p->len);
	desc->pos += p->len;
	b->cost += cost;
	b->count++;
	return !is_finished(desc);
}

/* len bytes from one address to another through a buffer; ERR_CAUSE bits. */
static uint32_t bounce(struct gaudi_chip *chip, struct gaudi_dma_desc *desc,
		       uint64_t src, uint64_t dst, uint32_t len)
{
	uint8_t buf[BOUNCE_BYTES];

	if (is_memset(desc))
		gaudi_fill_words(buf, desc->pattern, desc->pos, len);
	else if (gaudi_bus_read(chip, &desc->txn, src, buf, len))
		return DMA_CORE_ERR_CAUSE_HBW_RD;
	if (gaudi_bus_write(chip, &desc->txn, dst, buf, len))
		return write_error(dst);
	return 0;
}

/*
 * A piece that cannot be mapped. It may end in the middle of something that
 * can, so it is kept within a page.
 */
static uint32_t bounce_piece(struct gaudi_chip *chip,
			     struct gaudi_dma_desc *desc)
{
	uint64_t dst = walk_addr(&desc->dst), src = 0;
	uint32_t len = walk_row(&desc->dst), error, left;

	left = GAUDI_PAGE_SIZE - dst % GAUDI_PAGE_SIZE;
	len = len < left ? len : left;
	if (!is_memset(desc)) {
		src = walk_addr(&desc->src);
		left = GAUDI_PAGE_SIZE - src % GAUDI_PAGE_SIZE;
		len = len < left ? len : left;
		left = walk_row(&desc->src);
		len = len < left ? len : left;
	}
	error = bounce(chip, desc, src, dst, len);
	if (!is_memset(desc))
		walk_advance(&desc->src, len);
	walk_advance(&desc->dst, len);
	desc->pos += len;
	return error;
}

/* The destination starts within the source: copy from the end. */
static bool is_backward(const struct gaudi_dma_desc *desc)
{
	return desc->commit & DMA_CORE_COMMIT_LIN && !is_memset(desc) &&
	       desc->dst.base > desc->src.base &&
	       desc->dst.base - desc->src.base < desc->size;
}

static uint32_t backward_batch(struct gaudi_chip *chip,
			       struct gaudi_dma_desc *desc)
{
	/* Registers take longer than memory: a page of them is enough. */
	bool lbw = is_lbw(desc->dst.base);
	uint64_t max = lbw ? GAUDI_PAGE_SIZE : BOUNCE_BYTES, left, len;
	unsigned int n = lbw ? 1 : BATCH_PIECES / 4;
	uint32_t error = 0;

	for (; n && !error && desc->pos < desc->size; n--) {
		left = desc->size - desc->pos;
		len = left < max ? left : max;
		error = bounce(chip, desc, desc->src.base + left - len,
			       desc->dst.base + left - len, len);
		desc->pos += len;
	}
	desc->dst.done = desc->pos == desc->size;
	return error;
}

/* One batch; returns bits of ERR_CAUSE. direct: do not let go of the lock. */
static uint32_t do_batch(struct gaudi_chip *chip, struct gaudi_dma_desc *desc,
			 bool direct)
{
	struct batch b;
	unsigned int i;
	uint64_t start;

	if (is_backward(desc))
		return backward_batch(chip, desc);
	b.count = 0;
	b.cost = 0;
	b.error = 0;
	b.bounce = false;
	while (b.count < BATCH_PIECES && b.cost < BATCH_BYTES &&
	       add_piece(chip, desc, &b))
		;
	start = gaudi_real_ns();
	if (b.count && !direct)
		gaudi_bulk_begin(chip);
	for (i = 0; i < b.count; i++)
		do_piece(chip, desc, &b.piece[i]);
	if (b.count && !direct)
		gaudi_bulk_end(chip);
	chip->busy_ns += gaudi_real_ns() - start;
	if (b.bounce)
		b.error = bounce_piece(chip, desc);
	return b.error;
}

/* --- descriptors ------------------------------------------------------ */

static uint32_t reg(struct gaudi_chip *chip, const struct gaudi_dma *dma,
		    uint32_t off)
{
	return gaudi_store_read(chip, dma->base + off);
}

static uint64_t reg64(struct gaudi_chip *chip, const struct gaudi_dma *dma,
		      uint32_t lo)
{
	return reg(chip, dma, lo) | (uint64_t)reg(chip, dma, lo + 4) << 32;
}

static bool can_work(struct gaudi_chip *chip, const struct gaudi_dma *dma)
{
	return dma->count && !dma->failed &&
	       reg(chip, dma, DMA_CORE_CFG_0) & DMA_CORE_CFG_0_EN &&
	       !(reg(chip, dma, DMA_CORE_CFG_1) & DMA_CORE_CFG_1_HALT);
}

static void retire(struct gaudi_chip *chip, struct gaudi_dma *dma)
{
	const struct gaudi_dma_desc *desc = &dma->desc[dma->head];

	dma->pending[desc->owner]--;
	dma->head = (dma->head + 1) % GAUDI_DMA_DEPTH;
	dma->count--;
	gaudi_qman_engine_event(chip, GAUDI_QMAN_DMA + dma->id);
}

static void dma_error(struct gaudi_chip *chip, struct gaudi_dma *dma,
		      uint32_t bits)
{
	uint32_t cfg = reg(chip, dma, DMA_CORE_ERR_CFG);
	uint32_t fresh = bits & ~dma->err_cause;
	struct gaudi_txn txn = {
		.initiator = GAUDI_INIT_DMA,
		.unit = dma->id,
		.secure = reg(chip, dma, DMA_CORE_PROT) &
			  DMA_CORE_PROT_ERR_VAL,
		.bypass = true,
	};

	dma->err_cause |= bits;
	if (!fresh)
		return;
	gaudi_log(chip, GAUDI_LOG_GUEST_ERROR,
		  "DMA%u_CORE: error 0x%x, source 0x%llx, destination 0x%llx",
		  dma->id, bits,
		  (unsigned long long)reg64(chip, dma, DMA_CORE_SRC_BASE_LO),
		  (unsigned long long)reg64(chip, dma, DMA_CORE_DST_BASE_LO));
	if (cfg & DMA_CORE_ERR_CFG_ERR_MSG_EN)
		gaudi_post_write(chip, &txn,
				 reg64(chip, dma, DMA_CORE_ERRMSG_ADDR_LO),
				 reg(chip, dma, DMA_CORE_ERRMSG_WDATA));
}

/* A descriptor is at its end, well or with errors. */
static void complete(struct gaudi_chip *chip, struct gaudi_dma *dma,
		     uint32_t error)
{
	struct gaudi_dma_desc *desc = &dma->desc[dma->head];

	if (error) {
		dma_error(chip, dma, error);
		/* No completion: whoever waits for it is to notice. */
		if (reg(chip, dma, DMA_CORE_ERR_CFG) &
		    DMA_CORE_ERR_CFG_STOP_ON_ERR) {
			dma->failed = true;
			return;
		}
	}
	gaudi_trace(chip, GAUDI_TRACE_DMA, dma->id, desc->dst.base,
		    is_memset(desc) ? desc->pattern : desc->src.base,
		    desc->pos);
	/* Posted: it may go to this core's own COMMIT. */
	if (desc->commit & DMA_CORE_COMMIT_WR_COMP_EN)
		gaudi_post_write(chip, &desc->txn, desc->comp_addr,
				 desc->comp_data);
	retire(chip, dma);
}

static void work(struct gaudi_chip *chip, struct gaudi_dma *dma, bool direct)
{
	struct gaudi_dma_desc *desc = &dma->desc[dma->head];
	uint32_t error = desc->error;

	dma->working = true;
	if (!error && !is_finished(desc))
		error = do_batch(chip, desc, direct);
	if (error || is_finished(desc))
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
		     struct gaudi_dma_walk *w, uint32_t base,
		     uint32_t first_tsize, uint32_t tsize0)
{
	uint32_t size;
	unsigned int d;

	walk_linear(w, base ? reg64(chip, dma, base) : 0,
		    reg(chip, dma, tsize0));
	/* SIZE_1, STRIDE_1, SIZE_2, ... */
	for (d = 1; d < GAUDI_DMA_DIMS; d++) {
		size = reg(chip, dma, first_tsize + 8 * (d - 1));
		w->size[d] = size ? size : 1;
		w->stride[d] = reg(chip, dma, first_tsize + 8 * (d - 1) + 4);
	}
}

static void get_txn(struct gaudi_chip *chip, const struct gaudi_dma *dma,
		    struct gaudi_txn *txn)
{
	bool secure = reg(chip, dma, DMA_CORE_PROT) & DMA_CORE_PROT_VAL;
	uint32_t props = reg(chip, dma, secure ? DMA_CORE_SECURE_PROPS :
						 DMA_CORE_NON_SECURE_PROPS);

	txn->initiator = GAUDI_INIT_DMA;
	txn->unit = dma->id;
	txn->secure = secure;
	txn->bypass = props & DMA_CORE_PROPS_MMBP;
	txn->asid = FIELD_GET(DMA_CORE_PROPS_ASID, props);
}

/* What the model cannot do fails as a write that never happens. */
static uint32_t unsupported(struct gaudi_chip *chip,
			    const struct gaudi_dma *dma, uint32_t commit)
{
	const char *what = NULL;

	if (commit & DMA_CORE_COMMIT_TRANSPOSE)
		what = "DMA transposition";
	else if (commit & COMMIT_UNSUPPORTED)
		what = "DMA compression";
	else if (reg(chip, dma, DMA_CORE_WR_AWUSER_31_11) & AWUSER_REDUCE)
		what = "DMA reduction";
	if (!what)
		return 0;
	gaudi_report_use(chip, "feature", what, GAUDI_UNIMPLEMENTED);
	return DMA_CORE_ERR_CAUSE_HBW_WR;
}

/* Short enough, and cheap enough, to be done by whoever commits it? */
static bool is_direct(struct gaudi_chip *chip,
		      const struct gaudi_dma_desc *desc)
{
	struct gaudi_sched *s = &chip->engines.sched;
	uint64_t limit = s->inlined ? s->inline_bytes : DIRECT_BYTES;

	/* A payload may commit again: each copy is to be a turn of its own. */
	if (chip->engines.posts.draining ||
	    !(desc->commit & DMA_CORE_COMMIT_LIN) || desc->size > limit)
		return false;
	if (s->inlined)
		s->inline_bytes -= desc->size;
	return true;
}

static void commit(struct gaudi_chip *chip, struct gaudi_dma *dma,
		   uint32_t value)
{
	struct gaudi_dma_desc *desc;

	if (dma->count == GAUDI_DMA_DEPTH) {
		dma_error(chip, dma, DMA_CORE_ERR_CAUSE_DESC_OVF);
		return;
	}
	desc = &dma->desc[(dma->head + dma->count++) % GAUDI_DMA_DEPTH];
	memset(desc, 0, sizeof(*desc));
	desc->commit = value;
	desc->owner = dma->owner;
	desc->size = reg(chip, dma, DMA_CORE_DST_TSIZE(0));
	desc->pattern = reg64(chip, dma, DMA_CORE_SRC_BASE_LO);
	desc->comp_addr = reg64(chip, dma, DMA_CORE_WR_COMP_ADDR_LO);
	desc->comp_data = reg(chip, dma, DMA_CORE_WR_COMP_WDATA);
	desc->error = unsupported(chip, dma, value);
	get_txn(chip, dma, &desc->txn);
	if (value & DMA_CORE_COMMIT_LIN) {
		walk_linear(&desc->src, desc->pattern, desc->size);
		walk_linear(&desc->dst, reg64(chip, dma, DMA_CORE_DST_BASE_LO),
			    desc->size);
	} else {
		gaudi_report_use(chip, "feature", "DMA strided transfer",
				 GAUDI_APPROXIMATE);
		get_walk(chip, dma, &desc->src, DMA_CORE_SRC_BASE_LO,
			 DMA_CORE_SRC_TSIZE(1), DMA_CORE_SRC_TSIZE(0));
		get_walk(chip, dma, &desc->dst, DMA_CORE_DST_BASE_LO,
			 DMA_CORE_DST_TSIZE(1), DMA_CORE_DST_TSIZE(0));
	}
	dma->pending[desc->owner]++;
	if (dma->count == 1 && !dma->working && can_work(chip, dma) &&
	    is_direct(chip, desc))
		work_directly(chip, dma);
	else
		gaudi_actor_kick(chip, &dma->actor);
}

/* --- registers -------------------------------------------------------- */

static uint32_t dma_read(struct gaudi_chip *chip, unsigned int inst,
			 uint32_t off)
{
	const struct gaudi_dma *dma = &chip->engines.dma[inst];

	switch (off) {
	case DMA_CORE_ERR_CAUSE:
		return dma->err_cause;
	case DMA_CORE_STS0:
		return dma->count ? DMA_CORE_STS0_BUSY | dma->count : 0;
	case DMA_CORE_STS1:
		return reg(chip, dma, DMA_CORE_CFG_1) &
		       DMA_CORE_CFG_1_HALT ? DMA_CORE_STS1_IS_HALT : 0;
	case DMA_CORE_DBG_STS:
		return dma->count ? 0 : DBG_STS_IDLE;
	default:
		return reg(chip, dma, off);
	}
}

/* What waits is forgotten; what is being copied at the moment ends first. */
static void flush(struct gaudi_chip *chip, struct gaudi_dma *dma)
{
	struct gaudi_dma_desc *desc;

	while (dma->count > dma->working) {
		desc = &dma->desc[(dma->head + dma->count - 1) %
				  GAUDI_DMA_DEPTH];
		dma->pending[desc->owner]--;
		dma->count--;
	}
	if (!dma->count)
		dma->failed = false;
	gaudi_qman_engine_event(chip, GAUDI_QMAN_DMA + dma->id);
}

static int dma_write(struct gaudi_chip *chip, unsigned int inst, uint32_t off,
		     uint32_t value, const struct gaudi_txn *txn)
{
	struct gaudi_dma *dma = &chip->engines.dma[inst];

	(void)txn;
	switch (off) {
	case DMA_CORE_STS0:
	case DMA_CORE_STS1:
	case DMA_CORE_DBG_STS:
		return 0;
	case DMA_CORE_ERR_CAUSE:
		dma->err_cause &= ~value;
		if (!dma->err_cause && dma->failed && !dma->working) {
			dma->failed = false;
			retire(chip, dma);
			gaudi_actor_kick(chip, &dma->actor);
		}
		return 0;
	default:
		break;
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
	static const struct { uint16_t off; uint32_t value; } resets[] = {
		{ DMA_CORE_RD_MAX_OUTSTAND, 0x690 },
		{ DMA_CORE_WR_MAX_OUTSTAND, 0x3ff },
		{ DMA_CORE_WR_MAX_AWID, 0x3ff },
	};
	struct gaudi_dma *dma = &chip->engines.dma[inst];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(resets); i++)
		gaudi_store_write(chip, dma->base + resets[i].off,
				  resets[i].value);
	memset(dma->desc, 0, sizeof(dma->desc));
	memset(dma->pending, 0, sizeof(dma->pending));
	dma->head = 0;
	dma->count = 0;
	dma->owner = no_owner;
	dma->working = false;
	dma->failed = false;
	dma->err_cause = 0;
}

static bool dma_w1c(uint32_t off)
{
	return off == DMA_CORE_ERR_CAUSE;
}

const struct gaudi_block_ops gaudi_dma_core_ops = {
	.name = "DMA_CORE",
	.reset = dma_reset,
	.read = dma_read,
	.write = dma_write,
	.w1c = dma_w1c,
};

void gaudi_dma_init(struct gaudi_chip *chip)
{
	struct gaudi_dma *dma;
	unsigned int i;

	for (i = 0; i < GAUDI_NUM_DMA; i++) {
		dma = &chip->engines.dma[i];
		dma->id = i;
		dma->base = GAUDI_DMA_CORE_BASE(i);
		dma->owner = no_owner;
		gaudi_actor_init(chip, &dma->actor, "dma", false, dma_run);
	}
}
