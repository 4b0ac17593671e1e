// SPDX-License-Identifier: GPL-2.0-only
/* Loads and stores, element by element; see tpc_ref.h. */
#include "tpc_ref.h"

#define SW(name)	(in->sw[GAUDI_TPC_SW_##name])
#define OP(name)	GAUDI_TPC_OP_##name
#define K(name)		GAUDI_TPC_K_##name
#define V		GAUDI_TPC_VBYTES

static uint8_t *at(struct ref *ref, uint64_t addr, size_t len)
{
	assert_true(addr >= HOST_BASE && addr - HOST_BASE <= HOST_BYTES - len);
	return ref->mem + (addr - HOST_BASE);
}

/* --- tensors ------------------------------------------------------------------ */

struct tensor {
	const uint32_t *d;		/* words of the descriptor */
	const int32_t *coord;
	unsigned int elem;
};

static unsigned int elem_of(unsigned int type)
{
	static const uint8_t bytes[8] = { 1, 2, 4, 1, 2, 4, 2, 4 };

	return bytes[type & 7];
}

static void tensor_of(struct ref *ref, const struct ref *old,
		      const struct gaudi_tpc_insn *in, struct tensor *t)
{
	unsigned int n = in->src[1].kind == K(TENSOR) ? in->src[1].num :
			 ref_scalar(ref, old, &in->src[1]) & 0x1f;

	t->d = &old->launch.desc[14 * n];
	t->coord = old->r.i[in->src[0].num];
	t->elem = elem_of(t->d[3]);
}

static uint64_t address(const struct tensor *t, int64_t j)
{
	uint64_t addr = t->d[0] | (uint64_t)t->d[1] << 32;
	unsigned int d;

	for (d = 0; d < 5; d++)
		addr += ((int64_t)t->coord[d] + (d ? 0 : j)) * t->d[5 + 2 * d] *
			t->elem;
	return addr;
}

static bool is_inside(const struct tensor *t, int64_t j)
{
	unsigned int d;
	int64_t x;

	for (d = 0; d < 5; d++) {
		x = (int64_t)t->coord[d] + (d ? 0 : j);
		if ((!d || t->d[3] >> (8 + d) & 1) &&
		    (x < 0 || x >= (int64_t)t->d[4 + 2 * d]))
			return false;
	}
	return true;
}

/* Which bytes of a register, or of a predicate, a load or a store is about. */
static void range(const struct gaudi_tpc_insn *in, unsigned int kind,
		  uint32_t parts, unsigned int elem, unsigned int *first,
		  unsigned int *end)
{
	unsigned int all = kind == K(VP) ? V / 8 : V;

	*first = 0;
	*end = all;
	switch (in->op) {
	case OP(LD_TNSR_LOW):
	case OP(LD_L_V_LOW):
	case OP(ST_TNSR_LOW):
	case OP(ST_L_V_LOW):
		*end = all / 2;
		break;
	case OP(LD_TNSR_HIGH):
	case OP(LD_L_V_HIGH):
	case OP(ST_TNSR_HIGH):
	case OP(ST_L_V_HIGH):
		*first = all / 2;
		break;
	}
	if (!SW(PARTIAL))
		return;
	*first = (parts >> 8 & 0xff) * elem;
	*end = *first + ((parts & 0xff) + 1) * elem;
	*end = *end > all ? all : *end;
}

static void load_result(struct ref *ref, const struct ref *old,
			const struct gaudi_tpc_insn *in, const uint8_t *data,
			unsigned int first, unsigned int end)
{
	uint8_t out[V];
	unsigned int i;

	if (in->dest.kind == K(V)) {
		memcpy(out, old->r.v[in->dest.num].b, V);
		for (i = first; i < end; i++)
			out[i] = data[i];
		ref_commit(ref, old, in, out, 1);
		return;
	}
	for (i = 0; i < V; i++)
		out[i] = i / 8 >= first && i / 8 < end ?
			 data[i / 8] >> i % 8 & 1 :
			 old->r.vp[in->dest.num].b[i] & 1;
	ref_commit_vp(ref, old, in, out);
}

static void load_tensor(struct ref *ref, const struct ref *old,
			const struct gaudi_tpc_insn *in)
{
	unsigned int first, end, i, j;
	uint8_t data[V] = { 0 };
	struct tensor t;

	tensor_of(ref, old, in, &t);
	range(in, in->dest.kind, old->r.s[30], t.elem, &first, &end);
	for (i = first, j = 0; i < end; i += t.elem, j++)
		if (is_inside(&t, j))
			memcpy(data + i, at(ref, address(&t, j), t.elem),
			       t.elem);
		else
			ref_put(data + i, t.elem, 0, t.d[2]);
	load_result(ref, old, in, data, first, end);
}

static void value_of(const struct ref *old, const struct gaudi_tpc_insn *in,
		     uint8_t *data)
{
	const struct gaudi_tpc_operand *o = &in->src[2];
	unsigned int i;

	memset(data, 0, V);
	if (o->kind == K(V)) {
		memcpy(data, old->r.v[o->num].b, V);
		return;
	}
	for (i = 0; i < V; i++)
		data[i / 8] |= (old->r.vp[o->num].b[i] & 1) << i % 8;
}

static uint32_t modified(unsigned int type, unsigned int how, uint32_t mem,
			 uint32_t reg)
{
	static const uint8_t types[8] = {
		GAUDI_TPC_I8, GAUDI_TPC_I16, GAUDI_TPC_I32, GAUDI_TPC_U8,
		GAUDI_TPC_U16, GAUDI_TPC_U32, GAUDI_TPC_BF16, GAUDI_TPC_F32,
	};
	static const uint8_t ops[4] = { OP(ADD), OP(SUB), OP(MIN), OP(MAX) };
	struct gaudi_tpc_insn in = { .op = ops[how], .type = types[type] };
	uint32_t src[3] = { mem, reg, 0 }, r = 0;
	static const struct ref none;
	bool carry;

	assert_true(ref_lane(&none, &in, src, 0, 0, false, &r, &carry));
	return r;
}

/* One element of memory; type < 0: a plain store. */
static void store_element(struct ref *ref, uint64_t addr, const uint8_t *from,
			  unsigned int elem, int type, unsigned int how)
{
	unsigned int size = type < 0 ? elem : elem_of(type), i;
	uint8_t *to = at(ref, addr, elem);

	for (i = 0; i + size <= elem; i += size)
		ref_put(to + i, size, 0, type < 0 ?
			ref_get(from + i, size, 0) :
			modified(type, how, ref_get(to + i, size, 0),
				 ref_get(from + i, size, 0)));
}

static void store_tensor(struct ref *ref, const struct ref *old,
			 const struct gaudi_tpc_insn *in)
{
	uint32_t s29 = old->r.s[29];
	unsigned int first, end, i, j, how;
	uint8_t data[V], even[V];
	struct tensor t;
	int type = -1;

	tensor_of(ref, old, in, &t);
	value_of(old, in, data);
	for (i = 0; i < V / 2 && SW(PACKED) && in->src[2].kind == K(V); i++)
		ref_put(even, 2, i,
			ref_get(data, 2, 2 * (i % 64) + i / 64));
	if (SW(PACKED) && in->src[2].kind == K(V))
		memcpy(data, even, V);
	how = SW(RMW_SEL) ? s29 >> 4 & 3 : t.d[3] >> 21 & 3;
	if (SW(RMW_SEL) && s29 & 0x40)
		type = s29 & 0x80 ? t.d[3] & 7 : s29 & 7;
	else if (!SW(RMW_SEL) && t.d[3] >> 19 & 1)
		type = t.d[3] & 7;
	range(in, in->src[2].kind, old->r.s[31], t.elem, &first, &end);
	for (i = first, j = 0; i < end; i += t.elem, j++)
		if (is_inside(&t, j))
			store_element(ref, address(&t, j), data + i, t.elem,
				      type, how);
}

/* --- tables ----------------------------------------------------------------------- */

static void look_up(struct ref *ref, const struct ref *old,
		    const struct gaudi_tpc_insn *in)
{
	static const uint8_t lines[4] = { 26, 13, 7, 4 };
	unsigned int id = in->src[1].value, size = SW(BV16) ? 2 : 4, i;
	uint64_t start = old->launch.lut[id >> 7 & 3] +
			 (uint64_t)(id & 0x7f) * lines[id >> 7 & 3] * 128;
	uint8_t index[V], out[2 * V];
	uint32_t n;

	ref_vector(ref, old, &in->src[0], size, index);
	for (i = 0; i < V / size; i++) {
		n = ref_get(index, size, i) + (SW(UPPER_HALF) ? 32 : 0);
		if (in->op == OP(LOOKUP)) {
			memcpy(out + 4 * i, at(ref, start + 4 * n, 4), 4);
		} else if (in->op == OP(LOOKUP_1C) && !SW(BV16)) {
			memcpy(out + 4 * i,
			       at(ref, start + 12 * n + 8 * (n / 10), 4), 4);
		} else if (in->op == OP(LOOKUP_1C)) {
			memcpy(out + 2 * i, at(ref, start + 2 * n, 2), 2);
		} else {
			uint8_t *p = SW(BV16) ? at(ref, start + 4 * n, 4) :
				at(ref, start + 12 * n + 8 * (n / 10), 12) + 4;

			memcpy(out + size * i, p, size);
			memcpy(out + V + size * i, p + size, size);
		}
	}
	ref_commit(ref, old, in, out, size);
}

/* --- what lies on the core ----------------------------------------------------- */

static uint32_t mmio_read(const struct ref *ref, const struct ref *old,
			  uint32_t off)
{
	unsigned int i;

	if (off >= 0x400 && off < 0x840)
		return ref->launch.desc[(off - 0x400) / 4];
	switch (off) {
	case 0x908:
		return ref->semaphore;
	case 0x90c:
		for (i = 0; i < V && !old->r.carry.b[i]; i++)
			;
		return i < V;
	case 0x910:
		return old->r.s_carry;
	default:
		return off ^ 0x5a5a0000;
	}
}

static void mmio_write(struct ref *ref, uint32_t off, uint32_t value)
{
	if (off >= 0x400 && off < 0x840)
		ref->launch.desc[(off - 0x400) / 4] = value;
	if (off == 0x908) {
		ref->semaphore = value;
		return;
	}
	ref->reg_off = off;
	ref->reg_value = value;
}

static void vector_local(struct ref *ref, const struct ref *old,
			 const struct gaudi_tpc_insn *in, bool load)
{
	uint32_t addr = ref_scalar(ref, old, &in->src[0]);
	unsigned int first, end;
	uint8_t data[V];

	range(in, load ? in->dest.kind : in->src[2].kind, 0, 1, &first, &end);
	if (load) {
		memcpy(data + first, ref->vlm + addr, end - first);
		load_result(ref, old, in, data, first, end);
	} else {
		value_of(old, in, data);
		memcpy(ref->vlm + addr, data + first, end - first);
	}
}

static void load_global(struct ref *ref, const struct ref *old,
			const struct gaudi_tpc_insn *in)
{
	uint32_t x;
	unsigned int i;

	memcpy(&x, at(ref, old->r.ad[in->src[0].num], 4), 4);
	for (i = 0; i < V / 4 && in->dest.kind == K(V); i++)
		ref->r.v[in->dest.num].w[i] = x;
	if (in->dest.kind != K(V))
		ref_write_s(ref, &in->dest, x);
}

static void permute(struct ref *ref, const struct ref *old,
		    const struct gaudi_tpc_insn *in)
{
	uint32_t s = ref_scalar(ref, old, &in->src[1]);
	unsigned int d, k;

	for (d = 0; d < 5; d++) {
		k = s >> 3 * d & 7;
		/* There is nothing behind dimension 4. */
		ref->r.i[in->dest.num][d] =
			k < 5 ? old->r.i[in->src[0].num][k] : 0;
	}
}

bool ref_memory(struct ref *ref, const struct ref *old,
		const struct gaudi_tpc_insn *in)
{
	uint32_t a = in->src[0].kind == K(S) || in->src[0].kind == K(IMM) ?
		     ref_scalar(ref, old, &in->src[0]) : 0;
	struct tensor t;
	uint32_t x;

	switch (in->op) {
	case OP(LD_TNSR):
	case OP(LD_TNSR_LOW):
	case OP(LD_TNSR_HIGH):
		load_tensor(ref, old, in);
		return true;
	case OP(ST_TNSR):
	case OP(ST_TNSR_LOW):
	case OP(ST_TNSR_HIGH):
		store_tensor(ref, old, in);
		return true;
	case OP(GEN_ADDR):
		tensor_of(ref, old, in, &t);
		ref->r.ad[in->dest.num] = address(&t, 0);
		return true;
	case OP(PRMT_INDX):
		permute(ref, old, in);
		return true;
	case OP(LOOKUP):
	case OP(LOOKUP_1C):
	case OP(LOOKUP_2C):
		look_up(ref, old, in);
		return true;
	case OP(LD_G):
		load_global(ref, old, in);
		return true;
	case OP(ST_G):
		x = ref_scalar(ref, old, &in->src[2]);
		memcpy(at(ref, old->r.ad[in->src[0].num], 4), &x, 4);
		return true;
	case OP(LD_L):
		ref_write_s(ref, &in->dest, SW(MMIO) ? mmio_read(ref, old, a) :
			    ref->slm[a / 4]);
		return true;
	case OP(ST_L):
		x = ref_scalar(ref, old, &in->src[2]);
		if (SW(MMIO))
			mmio_write(ref, a, x);
		else
			ref->slm[a / 4] = x;
		return true;
	case OP(LD_L_V):
	case OP(LD_L_V_LOW):
	case OP(LD_L_V_HIGH):
		vector_local(ref, old, in, true);
		return true;
	case OP(ST_L_V):
	case OP(ST_L_V_LOW):
	case OP(ST_L_V_HIGH):
		vector_local(ref, old, in, false);
		return true;
	case OP(ASO):
		ref->semaphore += SW(DEC) ? -1 : 1;
		return true;
	case OP(PREFETCH):
	case OP(CACHE_FLUSH):
	case OP(CACHE_INVALIDATE):
	case OP(NOP):
		return true;
	}
	return false;
}
