// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Tensors: addresses, bounds and padding, loads and stores, and what reaches
 * device memory for them.
 *
 * Elements beside the tensor are read as its padding and are not written.
 * Dimension 0 is always checked, the others if the descriptor says that they
 * are valid (inferred); all count for the address.
 */
#include <string.h>

#include "tpc_uop.h"

/* Wanted at once; the host may give more or less. */
#define WINDOW_BYTES		(64u << 20)
#define UNCHECKED		(1ull << 32)

/* --- device memory --------------------------------------------------------- */

/* A pointer to memory that stays, or NULL. */
static uint8_t *reach(struct gaudi_tpc_core *core, unsigned int window,
		      uint64_t addr, size_t len, bool write)
{
	struct gaudi_tpc_window *w = &core->window[window][write];
	size_t got = WINDOW_BYTES;

	if (addr - w->base < w->len && len <= w->len - (addr - w->base))
		return w->ptr + (addr - w->base);
	if (!core->host->map)
		return NULL;
	w->len = 0;
	w->ptr = core->host->map(core->opaque, addr, &got, write);
	if (!w->ptr)
		return NULL;
	w->base = addr;
	w->len = got;
	return got < len ? NULL : w->ptr;
}

void gaudi_tpc_forget(struct gaudi_tpc_core *core)
{
	unsigned int i;

	for (i = 0; i <= GAUDI_TPC_TENSORS; i++) {
		core->window[i][0].len = 0;
		core->window[i][1].len = 0;
	}
	if (core->host->forget)
		core->host->forget(core->opaque);
}

/* ptr: from reach(), or NULL */
static bool load(struct gaudi_tpc_core *core, const uint8_t *ptr, uint64_t addr,
		 void *buf, size_t len)
{
	if (ptr && len == GAUDI_TPC_VBYTES) {
		/* Of known length: no call. */
		memcpy(buf, ptr, GAUDI_TPC_VBYTES);
		return true;
	}
	if (ptr) {
		memcpy(buf, ptr, len);
		return true;
	}
	if (!core->host->read(core->opaque, addr, buf, len))
		return true;
	gaudi_tpc_end(core, GAUDI_TPC_READ, addr, NULL);
	return false;
}

static bool store(struct gaudi_tpc_core *core, uint8_t *ptr, uint64_t addr,
		  const void *buf, size_t len)
{
	if (ptr && len == GAUDI_TPC_VBYTES) {
		memcpy(ptr, buf, GAUDI_TPC_VBYTES);
		return true;
	}
	if (ptr) {
		memcpy(ptr, buf, len);
		return true;
	}
	if (!core->host->write(core->opaque, addr, buf, len))
		return true;
	gaudi_tpc_end(core, GAUDI_TPC_WRITE, addr, NULL);
	return false;
}

bool gaudi_tpc_load(struct gaudi_tpc_core *core, unsigned int window,
		    uint64_t addr, void *buf, size_t len)
{
	return load(core, reach(core, window, addr, len, false), addr, buf,
		    len);
}

static bool store_bytes(struct gaudi_tpc_core *core, unsigned int window,
			uint64_t addr, const void *buf, size_t len)
{
	return store(core, reach(core, window, addr, len, true), addr, buf,
		     len);
}

/* --- descriptors ----------------------------------------------------------- */

static void load_tensor(struct gaudi_tpc_tensor *t, const uint32_t *desc)
{
	uint32_t config = desc[GAUDI_TPC_D_CONFIG];
	unsigned int valid = config >> 8 & 0x1f, d;
	uint32_t padding = desc[GAUDI_TPC_D_PADDING];
	uint64_t size;

	t->made = true;
	memcpy(t->desc, desc, sizeof(t->desc));
	t->type = config & GAUDI_TPC_T_TYPE;
	t->elem = gaudi_tpc_data_size(t->type);
	t->lanes = GAUDI_TPC_VBYTES / t->elem;
	t->rmw = config >> 19 & 1;
	t->rmw_op = config >> 21 & 3;
	t->base = desc[GAUDI_TPC_D_BASE_LO] |
		  (uint64_t)desc[GAUDI_TPC_D_BASE_HI] << 32;
	for (d = 0; d < GAUDI_TPC_DIMS; d++) {
		size = desc[GAUDI_TPC_D_SIZE(d)];
		/* Coordinates are signed: those below zero are outside. */
		if (size > 1u << 31)
			size = 1u << 31;
		t->size[d] = !d || valid >> d & 1 ? size : UNCHECKED;
		t->stride[d] = (uint64_t)desc[GAUDI_TPC_D_STRIDE(d)] * t->elem;
	}
	if (t->elem == 1)
		padding = (padding & 0xff) * 0x01010101u;
	else if (t->elem == 2)
		padding = (padding & 0xffff) * 0x00010001u;
	for (d = 0; d < GAUDI_TPC_VBYTES / 4; d++)
		t->padding.w[d] = padding;
}

/* From one launch to the next most are the same. */
void gaudi_tpc_load_tensors(struct gaudi_tpc_core *core)
{
	struct gaudi_tpc_tensor *t = core->tensor;
	const uint32_t *desc = core->launch.desc;

	for (; t < core->tensor + GAUDI_TPC_TENSORS; t++) {
		if (!t->made || memcmp(t->desc, desc, sizeof(t->desc)))
			load_tensor(t, desc);
		desc += GAUDI_TPC_D_TENSOR(1);
	}
}

/* NULL: the kernel has ended. */
static struct gaudi_tpc_tensor *tensor_of(struct gaudi_tpc_core *core,
					  const struct gaudi_tpc_uop *op,
					  unsigned int *n)
{
	const struct gaudi_tpc_operand *o = &op->src[1];

	*n = o->kind == GAUDI_TPC_K_TENSOR ? o->num :
	     gaudi_tpc_scalar(core, o) & 0x1f;
	if (*n < GAUDI_TPC_TENSORS)
		return &core->tensor[*n];
	gaudi_tpc_end(core, GAUDI_TPC_TENSOR, *n, NULL);
	return NULL;
}

/* --- addresses ------------------------------------------------------------- */

static uint64_t address(const struct gaudi_tpc_tensor *t, const int32_t *coord)
{
	uint64_t addr = t->base;
	unsigned int d;

	for (d = 0; d < GAUDI_TPC_DIMS; d++)
		addr += (int64_t)coord[d] * t->stride[d];
	return addr;
}

static bool row_is_inside(const struct gaudi_tpc_tensor *t,
			  const int32_t *coord)
{
	return (uint32_t)coord[1] < t->size[1] &&
	       (uint32_t)coord[2] < t->size[2] &&
	       (uint32_t)coord[3] < t->size[3] &&
	       (uint32_t)coord[4] < t->size[4];
}

/* Of count elements from coord on, the first and the end of those inside. */
struct run {
	uint64_t addr;		/* of the first that is inside */
	unsigned int first;
	unsigned int end;
};

static struct run inside(const struct gaudi_tpc_tensor *t,
			 const int32_t *coord, unsigned int count)
{
	struct run run = { address(t, coord), 0, count };
	int64_t x = coord[0];

	if (x >= 0 && (uint64_t)x + count <= t->size[0] &&
	    row_is_inside(t, coord))
		return run;
	if (!row_is_inside(t, coord) || x >= (int64_t)t->size[0] ||
	    x + count <= 0) {
		run.end = 0;
		return run;
	}
	if (x < 0)
		run.first = -x;
	if (x + count > (int64_t)t->size[0])
		run.end = t->size[0] - x;
	if (run.first > run.end)
		run.first = run.end;
	run.addr += run.first * t->stride[0];
	return run;
}

void gaudi_tpc_gen_addr(struct gaudi_tpc_core *core,
			const struct gaudi_tpc_uop *op)
{
	unsigned int n;
	const struct gaudi_tpc_tensor *t = tensor_of(core, op, &n);

	if (!t)
		return;
	core->r.ad[op->dest.num] = address(t, core->in->i[op->src[0].num]);
	core->r.ad_elem[op->dest.num] = t->elem;
}

/* --- loads ----------------------------------------------------------------- */

/* count elements from coord on, with the padding for those outside. */
static bool load_run(struct gaudi_tpc_core *core, unsigned int n,
		     const int32_t *coord, unsigned int count, uint8_t *to)
{
	const struct gaudi_tpc_tensor *t = &core->tensor[n];
	struct run run = inside(t, coord, count);
	unsigned int i;

	if (run.end - run.first < count)
		memcpy(to, t->padding.b, count * t->elem);
	if (run.end <= run.first)
		return true;
	if (t->stride[0] == t->elem)
		return gaudi_tpc_load(core, n, run.addr,
				      to + run.first * t->elem,
				      (run.end - run.first) * t->elem);
	for (i = run.first; i < run.end; i++, run.addr += t->stride[0])
		if (!gaudi_tpc_load(core, n, run.addr, to + i * t->elem,
				    t->elem))
			return false;
	return true;
}

/* S30 and S31: how many elements less one, and from which one of the vector. */
static unsigned int partial(uint32_t reg, unsigned int all, unsigned int *off)
{
	unsigned int count = (reg & 0xff) + 1;

	*off = reg >> 8 & 0xff;
	if (*off >= all) {
		*off = 0;
		return 0;
	}
	return count < all - *off ? count : all - *off;
}

/* What a load of a vector or of a predicate has read: len bytes from byte on. */
static void loaded(struct gaudi_tpc_core *core, const struct gaudi_tpc_uop *op,
		   const gaudi_tpc_vec *data, unsigned int byte,
		   unsigned int len)
{
	gaudi_tpc_vec r;

	if (op->dest.kind == GAUDI_TPC_K_VP) {
		r = core->in->vp[op->dest.num];
		gaudi_tpc_spread(r.b + 8 * byte, data->b + byte, len);
		gaudi_tpc_write_vp(core, op, &r);
		return;
	}
	if (len == GAUDI_TPC_VBYTES) {
		gaudi_tpc_write_v(core, op, data);
		return;
	}
	r = core->in->v[op->dest.num];
	memcpy(r.b + byte, data->b + byte, len);
	gaudi_tpc_write_v(core, op, &r);
}

/* sw: 0 all, 1 the low half, 2 the high half; bytes of a vector or predicate. */
static unsigned int halves(const struct gaudi_tpc_uop *op, uint8_t kind,
			   unsigned int *byte)
{
	unsigned int all = kind == GAUDI_TPC_K_VP ? GAUDI_TPC_VBYTES / 8 :
						    GAUDI_TPC_VBYTES;

	*byte = op->sw == 2 ? all / 2 : 0;
	return op->sw ? all / 2 : all;
}

void gaudi_tpc_ld_tnsr(struct gaudi_tpc_core *core,
		       const struct gaudi_tpc_uop *op)
{
	const int32_t *coord = core->in->i[op->src[0].num];
	unsigned int n, byte, count, off;
	struct gaudi_tpc_tensor *t = tensor_of(core, op, &n);
	unsigned int len;
	gaudi_tpc_vec data;

	if (!t)
		return;
	if (op->dest.kind == GAUDI_TPC_K_V && !op->vp && !op->sw &&
	    !op->flag) {
		/* All of a register. If it fails, the rest is not seen. */
		load_run(core, n, coord, GAUDI_TPC_VBYTES / t->elem,
			 core->r.v[op->dest.num].b);
		return;
	}
	len = halves(op, op->dest.kind, &byte);
	if (op->flag) {
		count = partial(core->in->s[30], len / t->elem, &off);
		byte = off * t->elem;
		len = count * t->elem;
	}
	if (load_run(core, n, coord, len / t->elem, data.b + byte))
		loaded(core, op, &data, byte, len);
}

/* --- stores ---------------------------------------------------------------- */

/* Parameters in S29, or in the descriptor. */
static bool is_rmw(const struct gaudi_tpc_core *core,
		   const struct gaudi_tpc_uop *op,
		   const struct gaudi_tpc_tensor *t, struct gaudi_tpc_rmw *rmw)
{
	uint32_t reg = core->in->s[29];

	rmw->type = t->type;
	rmw->op = t->rmw_op;
	if (!op->all)
		return t->rmw;
	rmw->op = reg >> 4 & 3;
	if (!(reg & 0x80))
		rmw->type = reg & 7;
	return reg & 0x40;
}

static bool rmw_bytes(struct gaudi_tpc_core *core, unsigned int n,
		      uint64_t addr, const struct gaudi_tpc_rmw *rmw)
{
	uint8_t *ptr = reach(core, n, addr, rmw->len, true);
	uint8_t buf[GAUDI_TPC_VBYTES];

	if (core->host->rmw) {
		if (!core->host->rmw(core->opaque, addr, ptr, rmw))
			return true;
		gaudi_tpc_end(core, GAUDI_TPC_WRITE, addr, NULL);
		return false;
	}
	if (ptr) {
		gaudi_tpc_rmw(rmw, ptr);
		return true;
	}
	if (!gaudi_tpc_load(core, n, addr, buf, rmw->len))
		return false;
	gaudi_tpc_rmw(rmw, buf);
	return store_bytes(core, n, addr, buf, rmw->len);
}

static void store_run(struct gaudi_tpc_core *core,
		      const struct gaudi_tpc_uop *op, unsigned int n,
		      const uint8_t *from, unsigned int count)
{
	const struct gaudi_tpc_tensor *t = &core->tensor[n];
	struct run run = inside(t, core->in->i[op->src[0].num], count);
	bool dense = t->stride[0] == t->elem, modify, done = true;
	struct gaudi_tpc_rmw rmw;
	unsigned int len, step;

	if (run.end <= run.first)
		return;
	modify = is_rmw(core, op, t, &rmw);
	from += run.first * t->elem;
	len = (run.end - run.first) * t->elem;
	step = dense ? len : t->elem;
	for (; len && done; len -= step, from += step) {
		rmw.data = from;
		rmw.len = step;
		if (modify)
			done = rmw_bytes(core, n, run.addr, &rmw);
		else
			done = store_bytes(core, n, run.addr, from, step);
		run.addr += t->stride[0];
	}
}

/* All even elements of 16 bits, then all odd ones. */
static void pack(uint8_t *to, const uint8_t *from)
{
	unsigned int j;

	for (j = 0; j < GAUDI_TPC_VBYTES / 2; j++)
		memcpy(to + 2 * j, from + 2 * (2 * (j % 64) + j / 64), 2);
}

void gaudi_tpc_st_tnsr(struct gaudi_tpc_core *core,
		       const struct gaudi_tpc_uop *op)
{
	const struct gaudi_tpc_operand *value = &op->src[2];
	unsigned int n, len, byte, off;
	struct gaudi_tpc_tensor *t = tensor_of(core, op, &n);
	uint8_t buf[GAUDI_TPC_VBYTES];
	const uint8_t *from = core->in->v[value->num & 63].b;

	if (!t)
		return;
	len = halves(op, value->kind, &byte);
	if (value->kind == GAUDI_TPC_K_VP) {
		gaudi_tpc_gather(buf, &core->in->vp[value->num]);
		from = buf;
	} else if (op->pair) {
		pack(buf, from);
		from = buf;
	}
	if (op->flag) {
		len = partial(core->in->s[31], len / t->elem, &off) * t->elem;
		byte = off * t->elem;
	}
	store_run(core, op, n, from + byte, len / t->elem);
}

/* --- scalars --------------------------------------------------------------- */

#define WORD			4u

/*
 * Bytes of the word at AD n that are accessed. Instructions know no smaller
 * ones, so that elements of 8 and 16 bits are loaded and stored by words, too;
 * of those at the end of memory counts what there is (inferred: compilers make
 * no difference there). *ptr: to the word, or NULL if it must be copied.
 */
static unsigned int word_len(struct gaudi_tpc_core *core, unsigned int n,
			     bool write, uint8_t **ptr)
{
	uint64_t addr = core->in->ad[n];
	unsigned int elem = core->in->ad_elem[n], len;

	*ptr = reach(core, GAUDI_TPC_TENSORS, addr, WORD, write);
	if (*ptr || !elem || elem >= WORD || !core->host->there)
		return WORD;
	len = core->host->there(core->opaque, addr, WORD, write);
	return len < elem ? WORD : len;
}

/* A word; a vector gets it in all lanes. */
void gaudi_tpc_ld_g(struct gaudi_tpc_core *core, const struct gaudi_tpc_uop *op)
{
	unsigned int n = op->src[0].num;
	uint32_t value = 0;
	uint8_t *ptr;
	unsigned int len = word_len(core, n, false, &ptr);

	if (!load(core, ptr, core->in->ad[n], &value, len))
		return;
	if (op->dest.kind == GAUDI_TPC_K_V)
		core->alu->splat(&core->r.v[op->dest.num], value, 4);
	else if (op->dest.kind == GAUDI_TPC_K_S)
		core->r.s[op->dest.num] = value;
	else if (op->dest.num)
		core->r.sp = (core->r.sp & ~(1u << op->dest.num)) |
			     (value & 1) << op->dest.num;
}

void gaudi_tpc_st_g(struct gaudi_tpc_core *core, const struct gaudi_tpc_uop *op)
{
	uint32_t value = gaudi_tpc_scalar(core, &op->src[2]);
	unsigned int n = op->src[0].num, len;
	uint8_t *ptr;

	len = word_len(core, n, true, &ptr);
	store(core, ptr, core->in->ad[n], &value, len);
}
