// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * A descriptor from its first group to its last signal.
 *
 * S and both L give one group of vectors after the other, of as many steps
 * each; a group makes one tile in each core. The tile is rolled up into an
 * accumulator, stored and signalled. A turn ends after so many steps, in the
 * middle of a tile if need be.
 */
#include <stdlib.h>

#include "mme_exec.h"

/* A tile costs at least that many steps: to roll up and to store. */
#define TILE_STEPS		128u
/* The engine needs so long for a tile, however short its sums are: to drain it. */
#define TILE_CYCLES		128u

static void fail(struct gaudi_mme_exec *x, const char *name)
{
	if (x->error)
		return;
	x->error = GAUDI_MME_BAD;
	x->name = name;
}

/* --- groups ------------------------------------------------------------- */

static const struct gaudi_mme_operand *operand(const struct gaudi_mme_input *st)
{
	return st->walk.op;
}

static void open_box(struct gaudi_mme_input *st)
{
	gaudi_mme_walk_next(&st->walk);
	gaudi_mme_cursor_begin(&st->cursor, &st->walk);
	st->len = operand(st)->trans ? st->walk.width : st->walk.rows;
	st->pos = 0;
}

void gaudi_mme_input_skip(struct gaudi_mme_exec *x,
			  struct gaudi_mme_input *st, uint64_t n)
{
	uint8_t accum = st->walk.desc->accum_mask;

	(void)x;
	st->pos += n;
	if (st->pos < st->len)
		return;
	if ((st->walk.last & accum) == accum || st->walk.done)
		st->ended = true;
	else
		open_box(st);
}

enum supply {
	NOTHING,
	REPLAYS,		/* of the last group: may be left over */
	GROUPS,			/* not one of which may be */
};

static enum supply supply_of(const struct gaudi_mme_input *st)
{
	if (!st->replays && !st->walk.done)
		return GROUPS;
	return st->round < operand(st)->repeat ? REPLAYS : NOTHING;
}

static void begin_group(struct gaudi_mme_exec *x, struct gaudi_mme_input *st)
{
	bool again = st->round < operand(st)->repeat;

	if (again) {
		st->walk = st->begin;
	} else {
		st->begin = st->walk;
		st->round = 0;
	}
	st->round++;
	st->ended = false;
	open_box(st);
	x->arith->group(x, st, again);
}

/*
 * Without LOAD a descriptor uses the replays that an earlier one has left of
 * its last group. It is read again from where that one read it.
 */
static void keep_input(struct gaudi_mme_exec *x, struct gaudi_mme_input *st)
{
	if (!st->is_loaded)
		fail(x, "MME operand kept, but none was loaded before");
	else if (st->loaded.in_fp32 != x->desc.in_fp32)
		fail(x, "MME operand kept as another type");
	else if (st->round == operand(st)->repeat)
		fail(x, "MME operand kept, but all its repetitions are used");
	st->walk = st->begin;
}

static void begin_input(struct gaudi_mme_exec *x, struct gaudi_mme_input *st,
			unsigned int op, unsigned int core)
{
	st->port = (op == MME_OP_S ? GAUDI_MME_READ_S : GAUDI_MME_READ_L) + core;
	st->replays = !x->desc.op[op].load;
	if (st->replays) {
		keep_input(x, st);
		return;
	}
	st->loaded = x->desc;
	memcpy(st->words, x->words, sizeof(st->words));
	st->is_loaded = true;
	gaudi_mme_walk_begin(&st->walk, &st->loaded, op, core);
	st->round = operand(st)->repeat;
}

/* All operands have replays: is there another tile to make of them? */
static bool has_tile(const struct gaudi_mme_exec *x)
{
	/* Partial sums have no walk; they are one tile of what is kept. */
	if (x->desc.keep_partial)
		return !x->s.replays || !x->tiles;
	return !x->core[0].out.done;
}

/*
 * What must be used decides: as many tiles as there are groups, for which every
 * operand must have one, and replays that are left over stay for descriptors
 * without LOAD.
 */
static bool begin_tile(struct gaudi_mme_exec *x)
{
	enum supply least = supply_of(&x->s), most = least, is;
	unsigned int h;

	for (h = 0; h < GAUDI_MME_CORES; h++) {
		is = supply_of(&x->l[h]);
		least = is < least ? is : least;
		most = is > most ? is : most;
	}
	if (least == NOTHING && most == GROUPS)
		fail(x, "MME operands with loops that do not match");
	if (x->error || least == NOTHING ||
	    (most == REPLAYS && !has_tile(x)))
		return false;
	x->tiles++;
	begin_group(x, &x->s);
	for (h = 0; h < GAUDI_MME_CORES; h++)
		begin_group(x, &x->l[h]);
	x->in_tile = true;
	return true;
}

/* --- tiles -------------------------------------------------------------- */

uint32_t gaudi_mme_user(const struct gaudi_mme_exec *x,
			const struct gaudi_mme_walk *out)
{
	const struct gaudi_mme_desc *d = &x->desc;
	uint32_t user = d->user_mask & ~out->first ? d->user_steady :
						     d->user_first;

	return user & GAUDI_REDUCE_EN ? user : 0;
}

void gaudi_mme_store_row(struct gaudi_mme_exec *x, unsigned int core,
			 uint64_t addr, const void *buf, size_t len)
{
	unsigned int port = GAUDI_MME_WRITE_O + core;
	uint32_t user = gaudi_mme_user(x, &x->core[core].out);
	unsigned int unit = user ? gaudi_reduce_size(user) : 1;
	int err;

	if (x->error)
		return;
	/* As far as rows of the output's own type may be, at any address. */
	if (unit > gaudi_mme_size_out(&x->desc) && (addr | len) % unit) {
		fail(x, "MME reduction of part of an element");
		return;
	}
	if (user)
		err = gaudi_mme_reduce(&x->mem, port, addr, buf, len, user);
	else
		err = gaudi_mme_write(&x->mem, port, addr, buf, len);
	if (err == -ENXIO)
		fail(x, "MME reduction outside the card's memory");
	else if (err)
		x->error = GAUDI_MME_WRITE_ERROR;
}

/* The last loops of the output say whether a tile is signalled. */
static void signal_tile(struct gaudi_mme_exec *x)
{
	const struct gaudi_mme_desc *d = &x->desc;
	unsigned int h;

	for (h = 0; h < GAUDI_MME_CORES && d->signal; h++)
		if ((x->core[h].out.last & d->signal_mask) == d->signal_mask)
			gaudi_mme_signal(&x->mem, h, d->so_addr[h],
					 d->so_data);
}

static void end_tile(struct gaudi_mme_exec *x)
{
	struct gaudi_mme_core *core;
	unsigned int h;

	x->in_tile = false;
	if (x->desc.keep_partial)
		return;
	if (x->steps < TILE_CYCLES)
		x->mem.cycles += TILE_CYCLES - x->steps;
	for (h = 0; h < GAUDI_MME_CORES; h++) {
		core = &x->core[h];
		if (core->out.done) {
			fail(x, "MME output with fewer tiles than the operands");
			return;
		}
		x->arith->rollup(x, core);
		gaudi_mme_walk_next(&core->out);
		if (!x->desc.store)
			continue;
		x->arith->store(x, h);
		gaudi_mme_moves(&x->mem, x->desc.op[MME_OP_O].base,
				x->side * x->side * gaudi_mme_size_out(&x->desc));
	}
	x->steps = 0;
	x->acc = (x->acc + 1) % GAUDI_MME_ACCUMULATORS;
	if (!x->error)
		signal_tile(x);
}

/* So many vectors; those of a repetition are in the engine. */
static void count_input(struct gaudi_mme_exec *x,
			const struct gaudi_mme_input *st, uint64_t n)
{
	if (!st->replays && st->round == 1)
		gaudi_mme_moves(&x->mem, operand(st)->base,
				n * x->side * (x->desc.in_fp32 ? 4 : 2));
}

/* One block of steps; returns how many. */
static uint64_t work(struct gaudi_mme_exec *x)
{
	const struct gaudi_mme_arith *a = x->arith;
	uint64_t n = a->take(x, &x->s, a->block);
	unsigned int h;

	for (h = 0; h < GAUDI_MME_CORES && !x->error; h++)
		if (a->take(x, &x->l[h], a->block) != n ||
		    x->l[h].ended != x->s.ended)
			fail(x, "MME operands with common dimensions that differ");
	if (x->error)
		return 0;
	a->sum(x, n);
	x->steps += n;
	count_input(x, &x->s, n);
	for (h = 0; h < GAUDI_MME_CORES; h++)
		count_input(x, &x->l[h], n);
	x->mem.cycles += n;
	if (!x->s.ended)
		return n;
	end_tile(x);
	return n + TILE_STEPS;
}

/* --- descriptors -------------------------------------------------------- */

struct gaudi_mme_exec *gaudi_mme_exec_new(struct gaudi_chip *chip)
{
	struct gaudi_mme_exec *x;
	unsigned int h;

	if (posix_memalign((void **)&x, 64, sizeof(*x)))
		return NULL;
	memset(x, 0, sizeof(*x));
	x->mem.chip = chip;
	for (h = 0; h < GAUDI_MME_CORES; h++)
		gaudi_mme_lfsr_init(&x->core[h].lfsr);
	return x;
}

static void free_input(struct gaudi_mme_input *st)
{
	free(st->own);
	gaudi_mme_cache_free(&st->cache);
}

void gaudi_mme_exec_free(struct gaudi_mme_exec *x)
{
	unsigned int h;

	if (!x)
		return;
	free_input(&x->s);
	for (h = 0; h < GAUDI_MME_CORES; h++)
		free_input(&x->l[h]);
	gaudi_mme_blas_close(&x->blas);
	free(x->scratch);
	free(x);
}

/* What a descriptor that failed leaves behind is of no use. */
static void forget(struct gaudi_mme_exec *x)
{
	unsigned int h;

	x->steps = 0;
	x->s.is_loaded = false;
	for (h = 0; h < GAUDI_MME_CORES; h++)
		x->l[h].is_loaded = false;
}

void gaudi_mme_exec_begin(struct gaudi_mme_exec *x)
{
	unsigned int h;

	/* Sums of the other type make no sense in this one. */
	if (x->side != gaudi_mme_side(&x->desc))
		x->steps = 0;
	x->side = gaudi_mme_side(&x->desc);
	x->error = GAUDI_MME_OK;
	x->in_tile = false;
	x->tiles = 0;
	begin_input(x, &x->s, MME_OP_S, 0);
	for (h = 0; h < GAUDI_MME_CORES; h++) {
		begin_input(x, &x->l[h], MME_OP_L, h);
		gaudi_mme_walk_begin(&x->core[h].out, &x->desc, MME_OP_O, h);
	}
	if (!x->error && !x->arith->begin(x))
		fail(x, "MME descriptor without memory on the host");
	if (x->error)
		forget(x);
}

bool gaudi_mme_exec_run(struct gaudi_mme_exec *x)
{
	uint64_t budget = x->arith->budget, used;

	while (!x->error && budget) {
		if (!x->in_tile && !begin_tile(x))
			break;
		used = work(x);
		budget -= used < budget ? used : budget;
	}
	x->used = x->arith->budget - budget;
	if (!x->error && !budget)
		return true;
	if (x->error) {
		forget(x);
		x->keeps = false;
	}
	x->acc = (x->acc + x->desc.roll) % GAUDI_MME_ACCUMULATORS;
	return false;
}
