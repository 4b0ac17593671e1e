// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * A TPC of the card executes a kernel: the interpreter (tpc_exec.h) between the
 * registers of the block and the card's bus.
 *
 * A turn is some thousand words, fewer in the host's thread, without the card's
 * lock. It is taken for each access that is more than the use of a pointer; pointers
 * to memory are kept for a turn. So several cores work at the same time, none holds
 * up the card, and a reset ends what goes on for ever.
 *
 * A kernel that ends by an error sets the cause of an interrupt and logs a line
 * with its PC; it signals no end, as that would mean success.
 */
#include <stdlib.h>

#include "tpc_unit.h"
#include "../bus/bus.h"
#include "exec/tpc_exec.h"
#include "../../../uapi/hw/regs/gaudi_tpc_regs.h"

#define WORDS_A_TURN		16384
/* In the host's thread, for which a worker would take longer to wake up. */
#define WORDS_PROMPT		256
/* Others' turn comes sooner by it: a word is like so many bytes copied. */
#define WORD_WORK		64
#define CACHE_BYTES		(32u << 20)
#define BLOCK_BYTES		0x1000u
/* Without another limit, some minutes: a loop without an end. */
#define MAX_WORDS		(1ull << 32)
#define HOST_SPANS		32

/* What the interpreter needs of one core. */
struct gaudi_tpc_unit {
	struct gaudi_chip *chip;
	struct gaudi_tpc *tpc;
	struct gaudi_tpc_core *core;
	struct gaudi_txn rd;
	struct gaudi_txn wr;
	/* The host's memory, given back at the end of a turn. */
	struct gaudi_span span[HOST_SPANS];
	unsigned int spans;
	bool refused;		/* a pointer to this address, with a fault */
	uint64_t refused_at;
};

/* By the card's clock, up to where the kernel that runs has come. */
static uint64_t at_ps(const struct gaudi_tpc *tpc)
{
	uint64_t words = tpc->unit ? tpc->unit->core->words : 0;
	uint64_t ps = gaudi_jobs_begin(&tpc->jobs) +
		      words * GAUDI_RATE_TPC_CYCLE;

	return ps > tpc->hbm_ps ? ps : tpc->hbm_ps;
}

/* --- what the interpreter calls ---------------------------------------------- */

static void lock_card(struct gaudi_tpc_unit *unit)
{
	gaudi_bulk_end(unit->chip);
	if (unit->chip->clock.on)
		unit->chip->clock.at_ps = at_ps(unit->tpc);
}

static void unlock_card(struct gaudi_tpc_unit *unit)
{
	gaudi_bulk_begin(unit->chip);
}

/* The access has been refused once, and captured: not a second time. */
static bool was_refused(struct gaudi_tpc_unit *unit, uint64_t addr)
{
	bool refused = unit->refused && unit->refused_at == addr;

	unit->refused = false;
	return refused;
}

static int unit_read(void *opaque, uint64_t addr, void *buf, size_t len)
{
	struct gaudi_tpc_unit *unit = opaque;
	int err;

	if (was_refused(unit, addr))
		return -EFAULT;
	lock_card(unit);
	err = gaudi_bus_read(unit->chip, &unit->rd, addr, buf, len);
	unlock_card(unit);
	return err;
}

static int unit_write(void *opaque, uint64_t addr, const void *buf, size_t len)
{
	struct gaudi_tpc_unit *unit = opaque;
	int err;

	if (was_refused(unit, addr))
		return -EFAULT;
	lock_card(unit);
	err = gaudi_bus_write(unit->chip, &unit->wr, addr, buf, len);
	unlock_card(unit);
	return err;
}

static uint8_t *unit_map(void *opaque, uint64_t addr, size_t *len, bool write)
{
	struct gaudi_tpc_unit *unit = opaque;
	struct gaudi_span span;
	int err;

	if (unit->spans == HOST_SPANS)
		return NULL;
	lock_card(unit);
	err = gaudi_bus_map(unit->chip, write ? &unit->wr : &unit->rd, addr,
			    *len, write, &span);
	unlock_card(unit);
	unit->refused = err == -EFAULT;
	unit->refused_at = addr;
	if (err)
		return NULL;
	if (span.host)
		unit->span[unit->spans++] = span;
	*len = span.len;
	return span.ptr;
}

static size_t unit_there(void *opaque, uint64_t addr, size_t len, bool write)
{
	struct gaudi_tpc_unit *unit = opaque;
	size_t there;

	lock_card(unit);
	there = gaudi_bus_reachable(unit->chip,
				    write ? &unit->wr : &unit->rd, addr, len,
				    write);
	unlock_card(unit);
	return there;
}

static void unit_forget(void *opaque)
{
	struct gaudi_tpc_unit *unit = opaque;
	struct gaudi_span *span;

	while (unit->spans) {
		span = &unit->span[--unit->spans];
		gaudi_bus_unmap(unit->chip, span, span->len);
	}
}

/*
 * One step for all engines, like the reductions of the DMA cores, and like these
 * in memory only: nothing is called under that lock.
 */
static void rmw_memory(struct gaudi_chip *chip, const struct gaudi_tpc_rmw *rmw,
		       uint8_t *ptr)
{
	gaudi_reduce_begin(chip);
	gaudi_tpc_rmw(rmw, ptr);
	gaudi_reduce_end(chip);
}

/* The card's lock held: part of what is at addr. 0: it is memory. */
static int rmw_map(struct gaudi_tpc_unit *unit, uint64_t addr, size_t len,
		   struct gaudi_span *span)
{
	int err = gaudi_bus_map(unit->chip, &unit->wr, addr, len, true, span);

	if (err == -ENXIO)
		gaudi_report_use(unit->chip, "feature",
				 "TPC reduction outside memory",
				 GAUDI_UNIMPLEMENTED);
	return err;
}

/* The same, one element, which two pages may share. */
static int rmw_element(struct gaudi_tpc_unit *unit, uint64_t addr,
		       const struct gaudi_tpc_rmw *rmw)
{
	struct gaudi_span span[2];
	uint8_t buf[8];
	size_t n;
	int err = rmw_map(unit, addr, rmw->len, &span[0]);

	if (err)
		return err;
	n = span[0].len;
	if (n == rmw->len) {
		rmw_memory(unit->chip, rmw, span[0].ptr);
		gaudi_bus_unmap(unit->chip, &span[0], n);
		return 0;
	}
	err = rmw_map(unit, addr + n, rmw->len - n, &span[1]);
	if (err) {
		gaudi_bus_unmap(unit->chip, &span[0], 0);
		return err;
	}
	gaudi_reduce_begin(unit->chip);
	memcpy(buf, span[0].ptr, n);
	memcpy(buf + n, span[1].ptr, rmw->len - n);
	gaudi_tpc_rmw(rmw, buf);
	memcpy(span[0].ptr, buf, n);
	memcpy(span[1].ptr, buf + n, rmw->len - n);
	gaudi_reduce_end(unit->chip);
	gaudi_bus_unmap(unit->chip, &span[0], n);
	gaudi_bus_unmap(unit->chip, &span[1], rmw->len - n);
	return 0;
}

static int unit_rmw(void *opaque, uint64_t addr, uint8_t *ptr,
		    const struct gaudi_tpc_rmw *rmw)
{
	struct gaudi_tpc_unit *unit = opaque;
	struct gaudi_tpc_rmw one = *rmw;
	size_t left = rmw->len;
	int err = 0;

	if (ptr) {
		rmw_memory(unit->chip, rmw, ptr);
		return 0;
	}
	if (was_refused(unit, addr))
		return -EFAULT;
	one.len = gaudi_tpc_data_size(rmw->type);
	lock_card(unit);
	for (; left >= one.len && !err; left -= one.len) {
		err = rmw_element(unit, addr, &one);
		one.data += one.len;
		addr += one.len;
	}
	unlock_card(unit);
	return err;
}

static int unit_reg_read(void *opaque, uint32_t off, uint32_t *value)
{
	struct gaudi_tpc_unit *unit = opaque;

	if (off >= BLOCK_BYTES)
		return -EINVAL;
	lock_card(unit);
	*value = gaudi_reg_read(unit->chip, unit->tpc->base + off, &unit->rd);
	unlock_card(unit);
	return 0;
}

static int unit_reg_write(void *opaque, uint32_t off, uint32_t value)
{
	struct gaudi_tpc_unit *unit = opaque;
	int err;

	if (off >= BLOCK_BYTES)
		return -EINVAL;
	lock_card(unit);
	err = gaudi_reg_write(unit->chip, unit->tpc->base + off, value,
			      &unit->wr);
	unlock_card(unit);
	return err;
}

static const struct gaudi_tpc_host unit_ops = {
	.read = unit_read,
	.write = unit_write,
	.map = unit_map,
	.there = unit_there,
	.forget = unit_forget,
	.rmw = unit_rmw,
	.reg_read = unit_reg_read,
	.reg_write = unit_reg_write,
};

/* --- launch -------------------------------------------------------------------- */

static void free_unit(struct gaudi_tpc *tpc)
{
	struct gaudi_tpc_unit *unit = tpc->unit;

	tpc->unit = NULL;
	if (unit)
		gaudi_tpc_core_free(unit->core);
	free(unit);
}

/*
 * All cores run the driver's start-up kernel, and on most cards nothing else ever. So one
 * that was used once and is as it was before is given back; a second time it stays.
 */
static void give_back(struct gaudi_chip *chip, struct gaudi_tpc *tpc)
{
	if (tpc->kept || chip->tpcs->gdb)
		return;
	tpc->kept = true;
	if (gaudi_tpc_core_is_new(tpc->unit->core))
		free_unit(tpc);
}

/* Cores are made when they are first used. False: no memory. */
static bool make_unit(struct gaudi_chip *chip, struct gaudi_tpc *tpc)
{
	struct gaudi_tpcs *t = chip->tpcs;
	struct gaudi_tpc_unit *unit = tpc->unit;

	if (unit)
		return true;
	if (!t->cache)
		t->cache = gaudi_tpc_cache_new(CACHE_BYTES);
	unit = calloc(1, sizeof(*unit));
	if (!unit || !t->cache)
		goto fail;
	unit->core = gaudi_tpc_core_new(&unit_ops, unit, t->cache);
	if (!unit->core)
		goto fail;
	if (chip->config.tpc_check &&
	    gaudi_tpc_check_hazards(unit->core, true))
		goto fail;
	unit->chip = chip;
	unit->tpc = tpc;
	tpc->unit = unit;
	return true;
fail:
	if (unit)
		gaudi_tpc_core_free(unit->core);
	free(unit);
	return false;
}

struct gaudi_tpc_core *gaudi_tpc_unit_core(struct gaudi_chip *chip,
					   struct gaudi_tpc *tpc)
{
	return make_unit(chip, tpc) ? tpc->unit->core : NULL;
}

void gaudi_tpc_core_start(struct gaudi_chip *chip, struct gaudi_tpc *tpc)
{
	struct gaudi_tpc_launch launch;

	if (!make_unit(chip, tpc))
		return;
	gaudi_store_read_run(chip, tpc->base + GAUDI_TPC_DESC, launch.desc,
			     ARRAY_SIZE(launch.desc));
	launch.causes = ~gaudi_reg(chip, tpc->base, TPC_CFG_TPC_INTR_MASK) &
			GAUDI_TPC_CAUSES;
	launch.round_csr = gaudi_reg(chip, tpc->base, TPC_CFG_ROUND_CSR);
	launch.lfsr_polynom = gaudi_reg(chip, tpc->base, TPC_CFG_LFSR_POLYNOM);
	launch.lut[0] = gaudi_reg64(chip, tpc->base,
				    TPC_CFG_LUT_FUNC256_BASE_ADDR_LO);
	launch.lut[1] = gaudi_reg64(chip, tpc->base,
				    TPC_CFG_LUT_FUNC128_BASE_ADDR_LO);
	launch.lut[2] = gaudi_reg64(chip, tpc->base,
				    TPC_CFG_LUT_FUNC64_BASE_ADDR_LO);
	launch.lut[3] = gaudi_reg64(chip, tpc->base,
				    TPC_CFG_LUT_FUNC32_BASE_ADDR_LO);
	tpc->unit->core->semaphore = gaudi_reg(chip, tpc->base,
					       TPC_CFG_SEMAPHORE);
	gaudi_tpc_launch(tpc->unit->core, &launch);
}

void gaudi_tpc_core_reset_unit(struct gaudi_tpc *tpc)
{
	tpc->kept = false;
	if (tpc->unit)
		gaudi_tpc_core_reset(tpc->unit->core);
}

void gaudi_tpc_core_where(const struct gaudi_tpc *tpc, uint64_t *pc,
			  uint64_t *words)
{
	*pc = tpc->unit ? tpc->unit->core->pc : 0;
	*words = tpc->unit ? tpc->unit->core->words : 0;
}

struct gaudi_tpc_core *gaudi_tpc_core_of(const struct gaudi_tpc *tpc)
{
	return tpc->unit ? tpc->unit->core : NULL;
}

void gaudi_tpc_core_free_all(struct gaudi_chip *chip)
{
	unsigned int i;

	for (i = 0; i < GAUDI_NUM_TPC; i++)
		free_unit(&chip->tpcs->tpc[i]);
	gaudi_tpc_cache_free(chip->tpcs->cache);
	free(chip->tpcs->uses);
}

/* --- the end ------------------------------------------------------------------------ */

static uint32_t cause_of(enum gaudi_tpc_why why)
{
	switch (why) {
	case GAUDI_TPC_ILLEGAL:
		return TPC_CFG_INTR_ILLEGAL_INSTRUCTION;
	case GAUDI_TPC_FETCH:
	case GAUDI_TPC_READ:
		return TPC_CFG_INTR_HBW_RRESP_ERR;
	case GAUDI_TPC_WRITE:
		return TPC_CFG_INTR_HBW_BRESP_ERR;
	case GAUDI_TPC_LOCAL:
		return TPC_CFG_INTR_ADDRESS_EXCEED_SLM;
	case GAUDI_TPC_REG_READ:
		return TPC_CFG_INTR_LBW_RRESP_ERR;
	case GAUDI_TPC_REG:
		return TPC_CFG_INTR_LBW_BRESP_ERR;
	case GAUDI_TPC_WRAP:
		return TPC_CFG_INTR_PC_WRAP_AROUND;
	default:
		return TPC_CFG_INTR_ASSERTIONS;
	}
}

static enum gaudi_tpc_result failed(struct gaudi_chip *chip,
				    struct gaudi_tpc *tpc, const char *text,
				    uint32_t cause)
{
	gaudi_log(chip, GAUDI_LOG_GUEST_ERROR, "TPC%u: %s", tpc->id, text);
	gaudi_tpc_interrupt(chip, tpc, cause);
	return GAUDI_TPC_FAILED;
}

static enum gaudi_tpc_result result(struct gaudi_chip *chip,
				    struct gaudi_tpc *tpc,
				    enum gaudi_tpc_why why)
{
	const struct gaudi_tpc_core *core = tpc->unit->core;
	uint64_t max = chip->config.tpc_max_words;
	char text[256];

	if (why == GAUDI_TPC_HALT) {
		give_back(chip, tpc);
		return GAUDI_TPC_HALTED;
	}
	if (why != GAUDI_TPC_BUDGET) {
		if (why == GAUDI_TPC_ILLEGAL && core->unmodelled)
			gaudi_report_use(chip, "instruction", core->bad,
					 GAUDI_UNIMPLEMENTED);
		gaudi_tpc_stop_text(core, text, sizeof(text));
		return failed(chip, tpc, text, cause_of(why));
	}
	if (core->words < (max ? max : MAX_WORDS))
		return GAUDI_TPC_GOES_ON;
	snprintf(text, sizeof(text), "no end after %llu words, at 0x%llx",
		 (unsigned long long)core->words,
		 (unsigned long long)core->pc);
	return failed(chip, tpc, text, TPC_CFG_INTR_ASSERTIONS);
}

/* --- the report ------------------------------------------------------------------- */

/* What public sources say too little of; Documentation/blocks/tpc.rst. */
static enum gaudi_fidelity fidelity_of(unsigned int op)
{
	switch (op) {
	case GAUDI_TPC_OP_CALC_FP_SPECIAL:
	case GAUDI_TPC_OP_CONVERT_INT32:
	case GAUDI_TPC_OP_CONVERT_UINT32:
	case GAUDI_TPC_OP_CONVERT_INT16:
	case GAUDI_TPC_OP_CONVERT_UINT16:
	case GAUDI_TPC_OP_FIND_FIRST:
	case GAUDI_TPC_OP_GET_LUT_ENTRY:
	case GAUDI_TPC_OP_LOOKUP:
	case GAUDI_TPC_OP_LOOKUP_1C:
	case GAUDI_TPC_OP_LOOKUP_2C:
	case GAUDI_TPC_OP_LD_TNSR_HIGH:
	case GAUDI_TPC_OP_ASO:
		return GAUDI_APPROXIMATE;
	default:
		return GAUDI_EXACT;
	}
}

static uint64_t *counter(struct gaudi_chip *chip, unsigned int i)
{
	unsigned int op = i % GAUDI_TPC_OP_COUNT;
	bool known = i < GAUDI_TPC_KNOWN;
	char name[64];

	snprintf(name, sizeof(name), "TPC %s %s%s",
		 gaudi_tpc_slot_name(i / GAUDI_TPC_OP_COUNT % GAUDI_TPC_SLOTS),
		 gaudi_tpc_op_name(op), known ? "" : " of other types");
	return gaudi_report_counter(chip, "instruction", name, known ?
				    fidelity_of(op) : GAUDI_APPROXIMATE);
}

/* What an instruction moves of global memory. */
static unsigned int global_bytes(unsigned int op)
{
	switch (op) {
	case GAUDI_TPC_OP_LD_TNSR:
	case GAUDI_TPC_OP_ST_TNSR:
		return GAUDI_TPC_VBYTES;
	case GAUDI_TPC_OP_LD_TNSR_LOW:
	case GAUDI_TPC_OP_LD_TNSR_HIGH:
	case GAUDI_TPC_OP_ST_TNSR_LOW:
	case GAUDI_TPC_OP_ST_TNSR_HIGH:
		return GAUDI_TPC_VBYTES / 2;
	case GAUDI_TPC_OP_LD_G:
	case GAUDI_TPC_OP_ST_G:
		return 4;
	default:
		return 0;
	}
}

/* All of them are taken for HBM's: which memory they reach is not counted. */
static void time_words(struct gaudi_chip *chip, struct gaudi_tpc *tpc)
{
	const struct gaudi_tpc_core *core = tpc->unit->core;
	uint64_t bytes = 0, begin = gaudi_jobs_begin(&tpc->jobs);
	unsigned int i;

	for (i = 0; i < GAUDI_TPC_COUNTERS; i++)
		if (core->count[i])
			bytes += core->count[i] *
				 global_bytes(i % GAUDI_TPC_OP_COUNT);
	tpc->hbm_ps = gaudi_hbm_until(chip, tpc->hbm_ps > begin ? tpc->hbm_ps :
						begin, bytes, GAUDI_RATE_TPC);
	chip->clock.at_ps = at_ps(tpc);
}

static void report_words(struct gaudi_chip *chip, struct gaudi_tpc_core *core)
{
	struct gaudi_tpcs *t = chip->tpcs;
	unsigned int i, n;
	uint64_t bits;

	if (!t->uses)
		t->uses = calloc(GAUDI_TPC_COUNTERS, sizeof(uint64_t *));
	for (i = 0; t->uses && i < ARRAY_SIZE(core->counted); i++) {
		for (bits = core->counted[i]; bits; bits &= bits - 1) {
			n = 64 * i + __builtin_ctzll(bits);
			if (!t->uses[n])
				t->uses[n] = counter(chip, n);
			*t->uses[n] += core->count[n];
			core->count[n] = 0;
		}
		core->counted[i] = 0;
	}
}

/* --- arithmetic ------------------------------------------------------------------- */

/* The core goes on; what the register holds already is not told again. */
static void post_causes(struct gaudi_chip *chip, struct gaudi_tpc *tpc)
{
	struct gaudi_tpc_core *core = tpc->unit->core;
	uint32_t fresh = core->causes &
			 ~gaudi_reg(chip, tpc->base, TPC_CFG_TPC_INTR_CAUSE);

	core->causes = 0;
	if (!fresh)
		return;
	gaudi_log(chip, GAUDI_LOG_GUEST_ERROR,
		  "TPC%u: arithmetic, causes 0x%x, the last at 0x%llx",
		  tpc->id, fresh, (unsigned long long)core->causes_pc);
	gaudi_tpc_interrupt(chip, tpc, fresh);
}

/* --- a turn ------------------------------------------------------------------------ */

enum gaudi_tpc_result gaudi_tpc_core_run(struct gaudi_chip *chip,
					 struct gaudi_tpc *tpc)
{
	struct gaudi_tpc_unit *unit = tpc->unit;
	uint64_t start, before, words, max = chip->config.tpc_max_words;
	enum gaudi_tpc_why why;

	if (!unit)
		return failed(chip, tpc, "no memory for a core",
			      TPC_CFG_INTR_ASSERTIONS);
	if (chip->tpcs->gdb && gaudi_tpc_gdb_killed(chip, tpc))
		return failed(chip, tpc, "killed by a debugger",
			      TPC_CFG_INTR_ASSERTIONS);
	gaudi_tpc_txn(chip, tpc, false, &unit->rd);
	gaudi_tpc_txn(chip, tpc, true, &unit->wr);
	start = gaudi_busy_begin(chip);
	before = unit->core->words;
	gaudi_bulk_begin(chip);
	words = tpc->actor.prompt ? WORDS_PROMPT : WORDS_A_TURN;
	words = max && max < words ? max : words;
	if (chip->tpcs->gdb)
		why = gaudi_tpc_gdb_go(chip, tpc, unit->core, words);
	else
		why = gaudi_tpc_execute(unit->core, words);
	gaudi_bulk_end(chip);
	words = unit->core->words - before;
	gaudi_busy_end(chip, start, words * GAUDI_RATE_TPC_CYCLE);
	gaudi_work_done(chip, words * WORD_WORK);
	gaudi_store_write(chip, tpc->base + TPC_CFG_SEMAPHORE,
			  unit->core->semaphore);
	gaudi_store_write(chip, tpc->base + TPC_CFG_VFLAGS,
			  gaudi_tpc_vflags(unit->core));
	gaudi_store_write(chip, tpc->base + TPC_CFG_SFLAGS,
			  gaudi_tpc_sflags(unit->core));
	if (chip->clock.on)
		time_words(chip, tpc);
	post_causes(chip, tpc);
	report_words(chip, unit->core);
	if (chip->tpcs->gdb && gaudi_tpc_gdb_stopped(chip, tpc))
		return GAUDI_TPC_GOES_ON;
	return result(chip, tpc, why);
}
