// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * The TPCs' part of a snapshot. A kernel stands between two words of its code, and holds no
 * pointer into memory then: decoded code and tensors are made again.
 */
#include "tpc_unit.h"
#include "exec/tpc_exec.h"
#include "../snap/snap.h"

#define BAD_KERNEL	"a kernel that cannot be so"

static void vectors(struct gaudi_snap *s, gaudi_tpc_vec *v, size_t count)
{
	gaudi_snap_field(s, v, 1, count * sizeof(*v));
}

static void registers(struct gaudi_snap *s, struct gaudi_tpc_regs *r)
{
	unsigned int i;

	vectors(s, r->v, ARRAY_SIZE(r->v));
	vectors(s, r->vp, ARRAY_SIZE(r->vp));
	vectors(s, &r->lfsr, 1);
	vectors(s, &r->carry, 1);
	GAUDI_SNAP_ARRAY(s, r->s);
	GAUDI_SNAP(s, r->s_lfsr);
	GAUDI_SNAP(s, r->div_step);
	GAUDI_SNAP(s, r->sp);
	gaudi_snap_bool(s, &r->s_carry);
	gaudi_snap_field(s, r->i, sizeof(r->i[0][0]),
			 sizeof(r->i) / sizeof(r->i[0][0]));
	GAUDI_SNAP_ARRAY(s, r->ad);
	GAUDI_SNAP_ARRAY(s, r->ad_elem);
	gaudi_snap_check(s, r->div_step < 32 && r->sp & 1, BAD_KERNEL);
	for (i = 0; i < ARRAY_SIZE(r->ad_elem); i++)
		gaudi_snap_check(s, r->ad_elem[i] <= 4, BAD_KERNEL);
}

static void frames(struct gaudi_snap *s, struct gaudi_tpc_core *core)
{
	struct gaudi_tpc_frame *f;
	unsigned int i;

	GAUDI_SNAP(s, core->depth);
	if (!gaudi_snap_check(s, core->depth <= GAUDI_TPC_LOOPS, BAD_KERNEL)) {
		core->depth = s->load ? 0 : core->depth;
		return;
	}
	for (i = 0; i < core->depth; i++) {
		f = &core->frame[i];
		GAUDI_SNAP(s, f->top);
		GAUDI_SNAP(s, f->last);
		GAUDI_SNAP(s, f->boundary);
		GAUDI_SNAP(s, f->step);
		GAUDI_SNAP(s, f->cmp);
		gaudi_snap_bool(s, &f->once);
	}
}

static void launch(struct gaudi_snap *s, struct gaudi_tpc_launch *l)
{
	GAUDI_SNAP_ARRAY(s, l->desc);
	GAUDI_SNAP(s, l->round_csr);
	GAUDI_SNAP(s, l->lfsr_polynom);
	GAUDI_SNAP_ARRAY(s, l->lut);
	GAUDI_SNAP(s, l->causes);
}

/* The kernel that runs. */
static void kernel(struct gaudi_snap *s, struct gaudi_tpc_core *core)
{
	launch(s, &core->launch);
	GAUDI_SNAP(s, core->pc);
	GAUDI_SNAP(s, core->words);
	GAUDI_SNAP(s, core->next);
	gaudi_snap_bool(s, &core->delayed);
	GAUDI_SNAP(s, core->delay_to);
	GAUDI_SNAP(s, core->starts);
	GAUDI_SNAP(s, core->start);
	frames(s, core);
	GAUDI_SNAP(s, core->base);
	GAUDI_SNAP(s, core->vlm_size);
	gaudi_snap_check(s, (core->vlm_size == GAUDI_TPC_VLM ||
			     core->vlm_size == GAUDI_TPC_SMALL_VLM) &&
			 (!core->starts || (core->starts >= GAUDI_TPC_S_COUNT &&
			  core->starts < GAUDI_TPC_S_COUNT + GAUDI_TPC_LOOPS)),
			 BAD_KERNEL);
	if (!s->load || s->err)
		return;
	gaudi_tpc_take_up(core);
}

static void unit(struct gaudi_snap *s, struct gaudi_tpc *tpc)
{
	struct gaudi_tpc_core *core = gaudi_tpc_unit_core(s->chip, tpc);

	if (!gaudi_snap_check(s, core, "no memory for a core"))
		return;
	registers(s, &core->r);
	gaudi_snap_field(s, core->vlm, 1, sizeof(core->vlm));
	GAUDI_SNAP_ARRAY(s, core->slm);
	GAUDI_SNAP(s, core->semaphore);
	if (tpc->running)
		kernel(s, core);
}

void gaudi_tpc_snap(struct gaudi_snap *s)
{
	struct gaudi_tpc *tpc = s->chip->tpcs->tpc;
	bool used;

	for (; tpc < s->chip->tpcs->tpc + GAUDI_NUM_TPC; tpc++) {
		used = tpc->unit;
		if (tpc->running && s->chip->config.tpc_check && !s->load)
			gaudi_snap_refuse(s, "TPC%u runs a kernel that is looked at for hazards",
					  tpc->id);
		gaudi_snap_bool(s, &tpc->running);
		gaudi_snap_bool(s, &tpc->queued);
		gaudi_snap_bool(s, &used);
		if (used && !s->err)
			unit(s, tpc);
	}
}
