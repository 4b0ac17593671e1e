// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * A tensor core's local memories, its own registers by MMIO, and the semaphore
 * that orders loads behind stores.
 *
 * The core does one word after the other and memory is coherent, so that the
 * semaphore only counts. Caches there are none.
 */
#include <string.h>

#include "tpc_uop.h"

#define SEMAPHORE	0x908u
#define VFLAGS		0x90cu
#define SFLAGS		0x910u
#define ROUND_CSR	0x8fcu
#define LFSR_POLYNOM	0x918u
#define LUT_BASES	0x978u
#define LUT_BASES_END	0x998u
#define TENSORS_END	0x780u

/* --- registers ------------------------------------------------------------- */

static bool in_desc(uint32_t off)
{
	return off >= GAUDI_TPC_DESC && off < GAUDI_TPC_DESC_END;
}

/* Of their four bits the lowest one is the carry here, of any lane (inferred). */
uint32_t gaudi_tpc_sflags(const struct gaudi_tpc_core *core)
{
	return core->in->s_carry;
}

uint32_t gaudi_tpc_vflags(const struct gaudi_tpc_core *core)
{
	unsigned int i;
	uint32_t any = 0;

	for (i = 0; i < GAUDI_TPC_VBYTES / 4; i++)
		any |= core->in->carry.w[i];
	return any != 0;
}

static uint32_t mmio_read(struct gaudi_tpc_core *core, uint32_t off)
{
	uint32_t value = 0;

	if (off % 4)
		gaudi_tpc_end(core, GAUDI_TPC_REG_READ, off,
			      "not a multiple of 4");
	else if (in_desc(off))
		value = core->launch.desc[(off - GAUDI_TPC_DESC) / 4];
	else if (off == SEMAPHORE)
		value = core->semaphore;
	else if (off == VFLAGS)
		value = gaudi_tpc_vflags(core);
	else if (off == SFLAGS)
		value = gaudi_tpc_sflags(core);
	else if (core->host->reg_read &&
		 core->host->reg_read(core->opaque, off, &value))
		gaudi_tpc_end(core, GAUDI_TPC_REG_READ, off, NULL);
	return value;
}

/* What the core itself has of a register that was written. */
static void take_over(struct gaudi_tpc_core *core, uint32_t off, uint32_t value)
{
	struct gaudi_tpc_launch *launch = &core->launch;
	unsigned int class, shift;

	if (in_desc(off)) {
		launch->desc[(off - GAUDI_TPC_DESC) / 4] = value;
		if (off < TENSORS_END)
			gaudi_tpc_load_tensors(core);
	} else if (off == ROUND_CSR) {
		launch->round_csr = value;
	} else if (off == LFSR_POLYNOM) {
		launch->lfsr_polynom = value;
	} else if (off >= LUT_BASES && off < LUT_BASES_END) {
		/* 32, 64, 128, 256 intervals, each a low and a high half. */
		class = 3 - (off - LUT_BASES) / 8;
		shift = off & 4 ? 32 : 0;
		launch->lut[class] &= ~(0xffffffffull << shift);
		launch->lut[class] |= (uint64_t)value << shift;
	}
}

static void mmio_write(struct gaudi_tpc_core *core, uint32_t off,
		       uint32_t value)
{
	if (off % 4) {
		gaudi_tpc_end(core, GAUDI_TPC_REG, off, "not a multiple of 4");
		return;
	}
	if (off == SEMAPHORE) {
		core->semaphore = value;
		return;
	}
	take_over(core, off, value);
	if (core->host->reg_write &&
	    core->host->reg_write(core->opaque, off, value))
		gaudi_tpc_end(core, GAUDI_TPC_REG, off, NULL);
}

void gaudi_tpc_aso(struct gaudi_tpc_core *core, const struct gaudi_tpc_uop *op)
{
	core->semaphore += op->flag ? -1 : 1;
}

/* --- scalars --------------------------------------------------------------- */

static bool slm_has(struct gaudi_tpc_core *core, uint32_t addr)
{
	if (addr % 4 == 0 && addr < GAUDI_TPC_SLM)
		return true;
	gaudi_tpc_end(core, GAUDI_TPC_LOCAL, addr, addr % 4 ?
		      "not a multiple of 4" : "scalar local memory");
	return false;
}

void gaudi_tpc_ld_l(struct gaudi_tpc_core *core, const struct gaudi_tpc_uop *op)
{
	uint32_t addr = gaudi_tpc_scalar(core, &op->src[0]), value;

	if (op->flag)
		value = mmio_read(core, addr);
	else if (slm_has(core, addr))
		value = core->slm[addr / 4];
	else
		return;
	if (op->dest.kind == GAUDI_TPC_K_S)
		core->r.s[op->dest.num] = value;
	else if (op->dest.num)
		core->r.sp = (core->r.sp & ~(1u << op->dest.num)) |
			     (value & 1) << op->dest.num;
}

void gaudi_tpc_st_l(struct gaudi_tpc_core *core, const struct gaudi_tpc_uop *op)
{
	uint32_t addr = gaudi_tpc_scalar(core, &op->src[0]);
	uint32_t value = gaudi_tpc_scalar(core, &op->src[2]);

	if (op->flag)
		mmio_write(core, addr, value);
	else if (slm_has(core, addr))
		core->slm[addr / 4] = value;
}

/* --- vectors --------------------------------------------------------------- */

/*
 * sw: 0 all, 1 the low half, 2 the high half. Of a predicate an eighth of the
 * bytes. Rows have 128 bytes; other addresses are refused for vectors.
 */
static bool vlm_range(struct gaudi_tpc_core *core,
		      const struct gaudi_tpc_uop *op, uint8_t kind,
		      uint32_t addr, unsigned int *byte, unsigned int *len)
{
	unsigned int all = kind == GAUDI_TPC_K_VP ? GAUDI_TPC_VBYTES / 8 :
						    GAUDI_TPC_VBYTES;
	unsigned int align = kind == GAUDI_TPC_K_VP ? all / 2 : 128;

	*len = op->sw ? all / 2 : all;
	*byte = op->sw == 2 ? all / 2 : 0;
	if (addr % align == 0 && addr < core->vlm_size &&
	    *len <= core->vlm_size - addr)
		return true;
	gaudi_tpc_end(core, GAUDI_TPC_LOCAL, addr, addr % align ?
		      "not aligned" : "vector local memory");
	return false;
}

void gaudi_tpc_ld_l_v(struct gaudi_tpc_core *core,
		      const struct gaudi_tpc_uop *op)
{
	uint32_t addr = gaudi_tpc_scalar(core, &op->src[0]);
	unsigned int byte, len;
	gaudi_tpc_vec r;

	if (!vlm_range(core, op, op->dest.kind, addr, &byte, &len))
		return;
	if (op->dest.kind == GAUDI_TPC_K_VP) {
		r = core->in->vp[op->dest.num];
		gaudi_tpc_spread(r.b + 8 * byte, core->vlm + addr, len);
		gaudi_tpc_write_vp(core, op, &r);
		return;
	}
	r = core->in->v[op->dest.num];
	memcpy(r.b + byte, core->vlm + addr, len);
	gaudi_tpc_write_v(core, op, &r);
}

void gaudi_tpc_st_l_v(struct gaudi_tpc_core *core,
		      const struct gaudi_tpc_uop *op)
{
	uint32_t addr = gaudi_tpc_scalar(core, &op->src[0]);
	const struct gaudi_tpc_operand *value = &op->src[2];
	uint8_t bits[GAUDI_TPC_VBYTES / 8];
	const uint8_t *from;
	unsigned int byte, len;

	if (!vlm_range(core, op, value->kind, addr, &byte, &len))
		return;
	if (value->kind == GAUDI_TPC_K_VP) {
		gaudi_tpc_gather(bits, &core->in->vp[value->num]);
		from = bits;
	} else {
		from = core->in->v[value->num].b;
	}
	memcpy(core->vlm + addr, from + byte, len);
}
