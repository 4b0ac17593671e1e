// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Bulk work of the DMA cores: walks over up to five dimensions, and batches of
 * pieces that are copied, filled or reduced.
 *
 * Pieces of source and destination are mapped with the lock held, and worked
 * on without it. What cannot be mapped (registers, the host's MMIO) goes
 * through a small buffer. Overlapping linear copies give what memmove() gives.
 */
#include "dma_core.h"

/* Bytes per batch: long enough to pay, short enough to take turns. */
#define BATCH_BYTES		(1u << 20)
/* Zeros and shared patterns cost that much less. */
#define CHEAP			64u
#define BATCH_PIECES		256
#define BOUNCE_BYTES		(16u << 10)
/* Registers take so much longer than memory. */
#define BOUNCE_COST		64
/* A core copies 100 GB/s or so: an eighth of what HBM can do. */
#define BYTE_PS			10

struct piece {
	struct gaudi_span src;
	struct gaudi_span dst;
	uint32_t len;
	uint32_t phase;		/* memset: offset into the pattern */
};

struct batch {
	struct gaudi_dma_desc *desc;
	struct gaudi_dma_walk *src;	/* NULL: the pattern */
	struct gaudi_dma_walk *dst;
	unsigned int unit;	/* bytes that must stay together */
	bool reduce;
	struct piece piece[BATCH_PIECES];
	unsigned int count;
	/* The card's memory behind the last piece: the next need not map it. */
	struct gaudi_span src_rest;
	struct gaudi_span dst_rest;
	uint64_t bytes;
	uint64_t cost;		/* in bytes that are copied */
	uint32_t error;		/* bits of ERR_CAUSE */
	bool bounce;		/* the next piece cannot be mapped */
};

/* --- walking ---------------------------------------------------------- */

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

void gaudi_walk_linear(struct gaudi_dma_walk *w, uint64_t base, uint32_t size)
{
	unsigned int d;

	memset(w, 0, sizeof(*w));
	w->base = base;
	w->size[0] = size;
	for (d = 1; d < GAUDI_DMA_DIMS; d++)
		w->size[d] = 1;
	w->done = !size;
}

void gaudi_walk_buffer(struct gaudi_dma_walk *w, uint8_t *ptr, uint32_t size)
{
	gaudi_walk_linear(w, 0, size);
	w->ptr = ptr;
}

void gaudi_walk_join(struct gaudi_dma_walk *w)
{
	unsigned int d, last = GAUDI_DMA_DIMS - 1;

	while (w->stride[1] > 0 && (uint32_t)w->stride[1] == w->size[0] &&
	       w->size[1] > 1 &&
	       (uint64_t)w->size[0] * w->size[1] <= UINT32_MAX) {
		w->size[0] *= w->size[1];
		for (d = 1; d < last; d++) {
			w->size[d] = w->size[d + 1];
			w->stride[d] = w->stride[d + 1];
		}
		w->size[last] = 1;
		w->stride[last] = 0;
	}
}

static int walk_map(struct gaudi_chip *chip, const struct gaudi_txn *txn,
		    const struct gaudi_dma_walk *w, size_t len, bool write,
		    const struct gaudi_span *rest, struct gaudi_span *span)
{
	if (rest->len) {
		*span = *rest;
		return 0;
	}
	if (!w->ptr)
		return gaudi_bus_map(chip, txn, walk_addr(w), len, write, span);
	span->ptr = w->ptr + walk_addr(w);
	span->len = len;
	span->host = false;
	span->write = write;
	return 0;
}

/* Moves behind a piece that begins the span; returns what is left of that. */
static void walk_past(struct gaudi_chip *chip, const struct batch *b,
		      struct gaudi_dma_walk *w, const struct gaudi_span *span,
		      uint32_t len, struct gaudi_span *rest)
{
	walk_advance(w, len);
	rest->len = 0;
	/*
	 * Each mapping of the host ends; each access may be one to be struck;
	 * and a memset wants all that its next step can get.
	 */
	if (span->host || !w->index[0] || !b->src ||
	    gaudi_fault_armed(chip, GAUDI_FAULT_ACCESS))
		return;
	*rest = *span;
	rest->ptr += len;
	rest->len -= len;
}

/* --- pieces ----------------------------------------------------------- */

/* Reduces a constant: a page of it at a time. */
static void reduce_pattern(struct gaudi_chip *chip,
			   const struct gaudi_dma_desc *desc,
			   const struct piece *p)
{
	uint8_t page[GAUDI_PAGE_SIZE];
	uint32_t pos, n;

	gaudi_fill_words(page, desc->pattern, p->phase, sizeof(page));
	for (pos = 0; pos < p->len; pos += n) {
		n = p->len - pos;
		n = n < sizeof(page) ? n : sizeof(page);
		gaudi_reduce(chip, desc->reduce, p->dst.ptr + pos, page, n);
	}
}

static void do_piece(struct gaudi_chip *chip, const struct batch *b,
		     struct piece *p)
{
	const struct gaudi_dma_desc *desc = b->desc;

	if (b->reduce && b->src)
		gaudi_reduce(chip, desc->reduce, p->dst.ptr, p->src.ptr,
			     p->len);
	else if (b->reduce)
		reduce_pattern(chip, desc, p);
	else if (b->src)
		gaudi_bus_copy(chip, &p->dst, &p->src, p->len);
	else
		gaudi_bus_fill(chip, &p->dst, desc->pattern, p->phase, p->len);
}

/* accessed: bytes that it has been used for. */
static void piece_unmap(struct gaudi_chip *chip, const struct batch *b,
			struct piece *p, uint32_t accessed)
{
	if (b->src)
		gaudi_bus_unmap(chip, &p->src, accessed);
	if (p->dst.ptr)
		gaudi_bus_unmap(chip, &p->dst, accessed);
}

static uint32_t write_error(uint64_t addr)
{
	return gaudi_dma_is_lbw(addr) ? DMA_CORE_ERR_CAUSE_LBW_WR :
					DMA_CORE_ERR_CAUSE_HBW_WR;
}

/* Says what a failed mapping means; 0: it may go through a buffer. */
static uint32_t map_error(struct batch *b, int err, uint32_t error)
{
	b->bounce = err == -ENXIO;
	return b->bounce ? 0 : error;
}

/* The SRAM adds; what other memory does with such a write is not published. */
static void report_reduction(struct gaudi_chip *chip, const uint8_t *ptr)
{
	bool sram = ptr >= chip->sram.ptr &&
		    ptr < chip->sram.ptr + chip->sram.size;

	/* Nor is how the SRAM wraps, and what it makes of NaN. */
	gaudi_report_use(chip, "feature", sram ? "DMA reduction" :
			 "DMA reduction in HBM", GAUDI_APPROXIMATE);
}

static void batch_count(struct batch *b, uint32_t len)
{
	b->bytes += len;
	if (!b->dst->ptr)
		b->desc->pos += len;
}

static bool batch_ended(const struct batch *b)
{
	return b->dst->done || (b->src && b->src->done);
}

static bool is_fill(const struct batch *b)
{
	return !b->src && !b->reduce;
}

/* What of a memset fits into the batch; returns what it costs. */
static uint64_t fit_memset(struct gaudi_chip *chip, const struct batch *b,
			   struct piece *p, uint64_t room)
{
	bool cheap;

	p->len = gaudi_fill_step(chip, &p->dst, b->desc->pattern, p->len,
				 &cheap);
	if (!cheap && p->len > room)
		p->len = room;
	return cheap ? p->len / CHEAP : p->len;
}

/* Adds one piece; false: the batch ends here. */
static bool add_piece(struct gaudi_chip *chip, struct batch *b)
{
	const struct gaudi_txn *txn = &b->desc->txn;
	struct piece *p = &b->piece[b->count];
	uint64_t len = walk_row(b->dst), room = BATCH_BYTES - b->cost, limit;
	int err;

	/* A memset may turn out cheap, and is cut when it does not. */
	limit = is_fill(b) ? CHEAP * BATCH_BYTES : room;
	len = len < limit ? len : limit;
	if (b->src) {
		len = len < walk_row(b->src) ? len : walk_row(b->src);
		err = walk_map(chip, txn, b->src, len, false, &b->src_rest,
			       &p->src);
		if (err) {
			b->error = map_error(b, err, DMA_CORE_ERR_CAUSE_HBW_RD);
			return false;
		}
		len = len < p->src.len ? len : p->src.len;
	}
	err = walk_map(chip, txn, b->dst, len, true, &b->dst_rest, &p->dst);
	if (err) {
		b->error = map_error(b, err, write_error(walk_addr(b->dst)));
		p->dst.ptr = NULL;
		piece_unmap(chip, b, p, 0);
		return false;
	}
	p->len = len < p->dst.len ? len : p->dst.len;
	p->len -= p->len % b->unit;
	/* Less than an element in one place, or nothing there that reduces. */
	if (!p->len || (b->reduce && p->dst.host)) {
		b->bounce = true;
		piece_unmap(chip, b, p, 0);
		return false;
	}
	if (b->reduce)
		report_reduction(chip, p->dst.ptr);
	p->phase = b->desc->pos;
	b->cost += is_fill(b) ? fit_memset(chip, b, p, room) : p->len;
	if (b->src)
		walk_past(chip, b, b->src, &p->src, p->len, &b->src_rest);
	walk_past(chip, b, b->dst, &p->dst, p->len, &b->dst_rest);
	batch_count(b, p->len);
	b->count++;
	return !batch_ended(b);
}

/* --- through a buffer ------------------------------------------------- */

/* Both may be memory of ours, which is no address. */
static int end_read(struct gaudi_chip *chip, const struct gaudi_dma_desc *desc,
		    const uint8_t *ptr, uint64_t addr, void *buf, uint32_t len)
{
	if (!ptr)
		return gaudi_bus_read(chip, &desc->txn, addr, buf, len);
	memcpy(buf, ptr + addr, len);
	return 0;
}

static int end_write(struct gaudi_chip *chip, const struct gaudi_dma_desc *desc,
		     uint8_t *ptr, uint64_t addr, const void *buf, uint32_t len)
{
	if (!ptr)
		return gaudi_bus_write(chip, &desc->txn, addr, buf, len);
	memcpy(ptr + addr, buf, len);
	return 0;
}

/* Reduces what is in buf with one element of memory. ERR_CAUSE bits. */
static uint32_t bounce_reduce(struct gaudi_chip *chip, const struct batch *b,
			      uint64_t dst, uint8_t *buf, uint32_t len)
{
	uint8_t *ptr;
	struct gaudi_span span;
	int err = gaudi_bus_map(chip, &b->desc->txn, dst, len, true, &span);

	if (err == -EFAULT)
		return write_error(dst);
	if (err || span.host || span.len < len) {
		if (!err)
			gaudi_bus_unmap(chip, &span, 0);
		gaudi_report_use(chip, "feature", "DMA reduction outside SRAM",
				 GAUDI_UNIMPLEMENTED);
		return write_error(dst);
	}
	ptr = span.ptr;
	report_reduction(chip, ptr);
	gaudi_reduce(chip, b->desc->reduce, ptr, buf, len);
	gaudi_bus_unmap(chip, &span, len);
	return 0;
}

/* len bytes from one place to another; ERR_CAUSE bits. */
static uint32_t bounce(struct gaudi_chip *chip, const struct batch *b,
		       uint64_t src, uint64_t dst, uint32_t len)
{
	const struct gaudi_dma_desc *desc = b->desc;
	uint8_t buf[BOUNCE_BYTES];

	gaudi_work_done(chip, (uint64_t)len * BOUNCE_COST);
	if (!b->src)
		gaudi_fill_words(buf, desc->pattern, desc->pos, len);
	else if (end_read(chip, desc, b->src->ptr, src, buf, len))
		return DMA_CORE_ERR_CAUSE_HBW_RD;
	if (b->reduce)
		return bounce_reduce(chip, b, dst, buf, len);
	if (end_write(chip, desc, b->dst->ptr, dst, buf, len))
		return write_error(dst);
	return 0;
}

static uint32_t to_page_end(uint64_t addr, uint32_t len)
{
	uint32_t left = GAUDI_PAGE_SIZE - addr % GAUDI_PAGE_SIZE;

	return len < left ? len : left;
}

/*
 * A piece that cannot be mapped. It may end in the middle of something that
 * can, so it is kept within a page; of what is reduced it is one element.
 */
static uint32_t bounce_piece(struct gaudi_chip *chip, struct batch *b)
{
	uint64_t dst = walk_addr(b->dst), src = 0;
	uint32_t len = to_page_end(dst, walk_row(b->dst)), error;

	if (b->src) {
		src = walk_addr(b->src);
		len = to_page_end(src, len);
		len = len < walk_row(b->src) ? len : walk_row(b->src);
	}
	if (b->reduce)
		len = b->unit;
	error = bounce(chip, b, src, dst, len);
	if (b->src)
		walk_advance(b->src, len);
	walk_advance(b->dst, len);
	batch_count(b, len);
	return error;
}

/* --- batches ---------------------------------------------------------- */

/* For the status registers, and what they count. */
static void count_requests(struct gaudi_dma *dma, const struct batch *b,
			   uint64_t bytes)
{
	uint32_t n = (bytes + DMA_AXI_BYTES - 1) / DMA_AXI_BYTES;

	if (b->src && !b->src->ptr)
		dma->ar_count += n;
	if (b->dst->ptr)
		return;
	if (gaudi_dma_is_lbw(b->dst->base))
		dma->lbw_aw_count += (bytes + 3) / 4;
	else
		dma->aw_count += n;
}

static void batch_run(struct gaudi_chip *chip, struct gaudi_dma *dma,
		      struct batch *b, bool direct)
{
	unsigned int i;

	dma->in_flight = b->bytes;
	if (!direct)
		gaudi_bulk_begin(chip);
	for (i = 0; i < b->count; i++)
		do_piece(chip, b, &b->piece[i]);
	/*
	 * What counts references does so by locked instructions. Each would
	 * wait for all that the copy before it has stored.
	 */
	for (i = 0; i < b->count; i++)
		piece_unmap(chip, b, &b->piece[i], b->piece[i].len);
	if (!direct)
		gaudi_bulk_end(chip);
	dma->in_flight = 0;
	gaudi_work_done(chip, b->cost);
}

uint32_t gaudi_dma_move(struct gaudi_chip *chip, struct gaudi_dma *dma,
			struct gaudi_dma_desc *desc, struct gaudi_dma_walk *src,
			struct gaudi_dma_walk *dst, bool direct)
{
	uint64_t start = gaudi_busy_begin(chip);
	struct batch b;

	b.desc = desc;
	b.src = src;
	b.dst = dst;
	b.reduce = desc->reduce && !dst->ptr;
	b.unit = b.reduce ? gaudi_reduce_size(desc->reduce) : 1;
	b.count = 0;
	b.src_rest.len = 0;
	b.dst_rest.len = 0;
	b.bytes = 0;
	b.cost = 0;
	b.error = 0;
	b.bounce = false;
	while (b.count < BATCH_PIECES && b.cost < BATCH_BYTES &&
	       add_piece(chip, &b))
		;
	/* Whoever hears of a refused access looks here which core it was. */
	dma->err_cause |= b.error;
	if (b.count)
		batch_run(chip, dma, &b, direct);
	if (b.bounce)
		b.error = bounce_piece(chip, &b);
	count_requests(dma, &b, b.bytes);
	/* A tile is counted when it goes to where it belongs. */
	if (!dst->ptr)
		desc->moved += b.bytes;
	gaudi_busy_end(chip, start, b.bytes * BYTE_PS);
	return b.error;
}

/* The destination starts within the source: copy from the end. */
static bool is_backward(const struct gaudi_dma_desc *desc)
{
	return desc->commit & DMA_CORE_COMMIT_LIN && !desc->reduce &&
	       !gaudi_dma_is_memset(desc) && desc->dst.base > desc->src.base &&
	       desc->dst.base - desc->src.base < desc->size;
}

static uint32_t backward_batch(struct gaudi_chip *chip, struct gaudi_dma *dma,
			       struct gaudi_dma_desc *desc)
{
	struct batch b = { .desc = desc, .src = &desc->src, .dst = &desc->dst };
	/* Registers take longer than memory: a page of them is enough. */
	bool lbw = gaudi_dma_is_lbw(desc->dst.base) ||
		   gaudi_dma_is_lbw(desc->src.base);
	uint64_t max = lbw ? GAUDI_PAGE_SIZE : BOUNCE_BYTES, left, len;
	unsigned int n = lbw ? 1 : BATCH_PIECES / 4;
	uint64_t start = gaudi_busy_begin(chip);
	uint32_t error = 0;

	for (; n && !error && desc->pos < desc->size; n--) {
		left = desc->size - desc->pos;
		len = left < max ? left : max;
		error = bounce(chip, &b, desc->src.base + left - len,
			       desc->dst.base + left - len, len);
		desc->pos += len;
		b.bytes += len;
	}
	desc->dst.done = desc->pos == desc->size;
	desc->moved += b.bytes;
	count_requests(dma, &b, b.bytes);
	gaudi_busy_end(chip, start, b.bytes * BYTE_PS);
	return error;
}

uint32_t gaudi_dma_batch(struct gaudi_chip *chip, struct gaudi_dma *dma,
			 struct gaudi_dma_desc *desc, bool direct)
{
	if (is_backward(desc))
		return backward_batch(chip, dma, desc);
	return gaudi_dma_move(chip, dma, desc, gaudi_dma_is_memset(desc) ?
			      NULL : &desc->src, &desc->dst, direct);
}
