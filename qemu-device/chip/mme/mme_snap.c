// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * What a pair of matrix engines has between two descriptors, for a snapshot: operands that
 * have repetitions left, partial sums, accumulators. What was packed of memory is read
 * again.
 */
#include "mme_exec.h"
#include "../snap/snap.h"

static void walk(struct gaudi_snap *s, struct gaudi_mme_walk *w)
{
	GAUDI_SNAP_ARRAY(s, w->count);
	GAUDI_SNAP_ARRAY(s, w->roi);
	GAUDI_SNAP_ARRAY(s, w->start);
	GAUDI_SNAP_ARRAY(s, w->next_start);
	GAUDI_SNAP(s, w->reset);
	GAUDI_SNAP(s, w->first);
	GAUDI_SNAP(s, w->last);
	gaudi_snap_bool(s, &w->done);
	GAUDI_SNAP(s, w->rows);
	GAUDI_SNAP(s, w->width);
}

static void input(struct gaudi_snap *s, struct gaudi_mme_input *st,
		  unsigned int op, unsigned int core)
{
	gaudi_snap_bool(s, &st->is_loaded);
	if (!st->is_loaded)
		return;
	GAUDI_SNAP_ARRAY(s, st->words);
	if (s->load) {
		gaudi_mme_unpack(st->words, &st->loaded);
		if (!gaudi_snap_check(s, st->loaded.op[op].load &&
				      !gaudi_mme_check(&st->loaded),
				      "an operand that cannot be loaded")) {
			st->is_loaded = false;
			return;
		}
		gaudi_mme_walk_begin(&st->begin, &st->loaded, op, core);
	}
	walk(s, &st->begin);
	GAUDI_SNAP(s, st->round);
	if (gaudi_snap_check(s, st->round <= st->loaded.op[op].repeat,
			     "more repetitions than an operand has") && s->load)
		st->walk = st->begin;
}

static void core_of(struct gaudi_snap *s, struct gaudi_mme_core *core)
{
	GAUDI_SNAP_ARRAY(s, core->part);
	gaudi_snap_field(s, core->acc, sizeof(float),
			 GAUDI_MME_ACCUMULATORS * GAUDI_MME_TILE);
	GAUDI_SNAP_ARRAY(s, core->lfsr.state);
	GAUDI_SNAP(s, core->lfsr.poly);
}

void gaudi_mme_exec_snap(struct gaudi_snap *s, struct gaudi_mme_exec *x)
{
	unsigned int h, i;

	gaudi_mme_whole_sums(x);
	input(s, &x->s, MME_OP_S, 0);
	for (h = 0; h < GAUDI_MME_CORES; h++) {
		input(s, &x->l[h], MME_OP_L, h);
		core_of(s, &x->core[h]);
	}
	GAUDI_SNAP(s, x->side);
	GAUDI_SNAP(s, x->steps);
	GAUDI_SNAP(s, x->acc);
	gaudi_snap_bool(s, &x->part_swapped);
	for (i = 0; i < GAUDI_MME_ACCUMULATORS; i++)
		gaudi_snap_bool(s, &x->acc_swapped[i]);
	gaudi_snap_check(s, x->acc < GAUDI_MME_ACCUMULATORS &&
			 (!x->side || x->side == MME_SIDE_FP32 ||
			  x->side == MME_SIDE_BF16), "sums that cannot be so");
	if (!s->load)
		return;
	x->keeps = false;
	for (h = 0; h < GAUDI_MME_CORES; h++)
		x->core[h].m = x->core[h].n = x->side;
}
