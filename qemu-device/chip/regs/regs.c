// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * Blocks, access, counting; see regs.h.
 */
#include <stdio.h>
#include <stdlib.h>

#include "reg_table.h"
#include "regs_state.h"

#define NAME_MAX_LEN		80

/* --- the table made from it ------------------------------------------------ */

static void add_block(struct gaudi_chip *chip, const struct gaudi_family *f,
		      unsigned int n)
{
	struct gaudi_regs *regs = chip->regs;
	struct gaudi_block *b = &regs->block[regs->num_blocks++];
	unsigned int i, page;

	b->family = f;
	b->ops = f->ops;
	b->base = f->base + n * f->stride;
	b->inst = f->inst + n * f->inst_step;
	b->index = f->first_index + n;
	page = b->base >> GAUDI_PAGE_SHIFT;
	for (i = 0; i < f->pages; i++)
		if (!regs->block_of[page + i])
			regs->block_of[page + i] = regs->num_blocks;
}

int gaudi_regs_init(struct gaudi_chip *chip, const struct gaudi_family *family,
		    size_t families)
{
	struct gaudi_regs *regs = calloc(1, sizeof(*regs));
	unsigned int n, total = 0;
	size_t f;

	if (!regs)
		return -ENOMEM;
	chip->regs = regs;
	regs->family = family;
	regs->num_families = families;
	for (f = 0; f < families; f++)
		total += family[f].count;
	regs->block = calloc(total, sizeof(*regs->block));
	if (!regs->block)
		return -ENOMEM;
	for (f = 0; f < families; f++)
		for (n = 0; n < family[f].count; n++)
			add_block(chip, &family[f], n);
	return 0;
}

void gaudi_regs_fini(struct gaudi_chip *chip)
{
	struct gaudi_regs *regs = chip->regs;
	unsigned int i;

	if (!regs)
		return;
	for (i = 0; i < GAUDI_CFG_PAGES; i++)
		gaudi_reg_page_free(regs->page[i]);
	free(regs->block);
	free(regs);
}

bool gaudi_reg_answers(const struct gaudi_chip *chip, uint32_t cfg_off)
{
	return chip->regs->block_of[cfg_off >> GAUDI_PAGE_SHIFT];
}

uint32_t gaudi_block_base(const struct gaudi_chip *chip,
			  const struct gaudi_block_ops *ops, unsigned int inst)
{
	const struct gaudi_regs *regs = chip->regs;
	const struct gaudi_family *f = regs->family;
	unsigned int n;

	for (; f < regs->family + regs->num_families; f++) {
		if (f->ops != ops || inst < f->inst)
			continue;
		n = f->inst_step ? (inst - f->inst) / f->inst_step : 0;
		if (n < f->count && f->inst + n * f->inst_step == inst)
			return f->base + n * f->stride;
	}
	return 0;
}

/* --- names and counting ---------------------------------------------------- */

/* src with '#' replaced by n. */
static void put_name(char *buf, size_t len, const char *src, unsigned int n)
{
	const char *hash = strchr(src, '#');

	if (hash)
		snprintf(buf, len, "%.*s%u%s", (int)(hash - src), src, n,
			 hash + 1);
	else
		snprintf(buf, len, "%s", src);
}

static enum gaudi_fidelity row_fidelity(const struct gaudi_family *f,
					const struct gaudi_reg_row *r)
{
	/* Queues of the MME slaves: the layout is there, the QMAN is not. */
	if (!f->ops && f->table == &gaudi_qman_table)
		return GAUDI_APPROXIMATE;
	return r->fidelity;
}

static void describe(const struct gaudi_family *f, unsigned int index, uint32_t off,
		     char *buf, size_t len)
{
	char block[NAME_MAX_LEN / 2], reg[NAME_MAX_LEN / 2];
	const struct gaudi_reg_row *r;
	unsigned int n;

	put_name(block, sizeof(block), f->name, index);
	r = gaudi_find_row(f, off, &n);
	if (r) {
		put_name(reg, sizeof(reg), r->name + f->table->prefix, n);
		snprintf(buf, len, "%s_%s", block, reg);
	} else if (gaudi_is_prot_bits(f, off)) {
		snprintf(buf, len, "%s_PROT_BITS_%u", block,
			 (off - GAUDI_PROT_BITS_OFFSET) / 4);
	} else {
		snprintf(buf, len, "%s+0x%x", block, off);
	}
}

const char *gaudi_reg_name(const struct gaudi_chip *chip, uint32_t cfg_off,
			   char *buf, size_t len)
{
	const struct gaudi_regs *regs = chip->regs;
	const struct gaudi_family *f = regs->family;
	uint32_t n, off;

	for (; f < regs->family + regs->num_families; f++) {
		if (cfg_off < f->base)
			continue;
		n = f->stride ? (cfg_off - f->base) / f->stride : 0;
		off = cfg_off - f->base - n * f->stride;
		if (n >= f->count || off >= f->pages * GAUDI_PAGE_SIZE)
			continue;
		describe(f, f->first_index + n, off, buf, len);
		return buf;
	}
	snprintf(buf, len, "CFG+0x%x", cfg_off);
	return buf;
}

static bool is_modelled(const struct gaudi_family *f, uint32_t off)
{
	const struct gaudi_reg_row *r;
	unsigned int n;

	r = gaudi_find_row(f, off, &n);
	return r ? row_fidelity(f, r) != GAUDI_UNIMPLEMENTED : gaudi_is_prot_bits(f, off);
}

/* First use of a register: is it one that we do not know? Thousands are used as a card boots. */
static void count_first(struct gaudi_chip *chip, const struct gaudi_block *b,
			uint32_t cfg_off)
{
	char name[NAME_MAX_LEN];

	if (b && is_modelled(b->family, cfg_off - b->base))
		return;
	if (b)
		describe(b->family, b->index, cfg_off - b->base, name, sizeof(name));
	else
		snprintf(name, sizeof(name), "CFG+0x%x", cfg_off);
	/* Counted in its page, from which the report has it. */
	gaudi_log(chip, GAUDI_LOG_UNIMP, "register %s is not modelled", name);
}

/* Accesses to registers of one piece of the page. */
static void count_uses(struct gaudi_chip *chip, const struct gaudi_block *b,
		       struct gaudi_reg_page *page, uint32_t cfg_off,
		       unsigned int count)
{
	unsigned int i = gaudi_reg_index(cfg_off);
	uint32_t **group = &page->used[i / GAUDI_REG_PIECE], *used;

	if (!*group)
		*group = calloc(GAUDI_REG_PIECE, sizeof(**group));
	if (!*group)
		return;
	used = &(*group)[i % GAUDI_REG_PIECE];
	for (i = 0; i < count; i++) {
		if (!used[i])
			count_first(chip, b, cfg_off + 4 * i);
		if (used[i] != UINT32_MAX)
			++used[i];
	}
}

/* The register's page, or NULL for lack of memory. */
static struct gaudi_reg_page *count_use(struct gaudi_chip *chip,
					const struct gaudi_block *b,
					uint32_t cfg_off)
{
	struct gaudi_reg_page *page = gaudi_reg_page_at(chip, cfg_off);

	if (page)
		count_uses(chip, b, page, cfg_off, 1);
	return page;
}

/* Use of one name of a family, all instances together. */
struct usage {
	unsigned int registers;
	uint64_t count;
};

/* A register without a row in u: told by its own name. */
static void report_unknown(const struct gaudi_block *b, uint32_t cfg_off,
			   uint32_t count, gaudi_used_fn *fn, void *arg)
{
	char name[NAME_MAX_LEN];

	if (b)
		describe(b->family, b->index, cfg_off - b->base, name,
			 sizeof(name));
	else
		snprintf(name, sizeof(name), "CFG+0x%x", cfg_off);
	fn(arg, name, 1, count, GAUDI_UNIMPLEMENTED);
}

static uint32_t uses_of(const struct gaudi_reg_page *page, unsigned int i)
{
	const uint32_t *group = page->used[i / GAUDI_REG_PIECE];

	return group ? group[i % GAUDI_REG_PIECE] : 0;
}

static void collect_page(struct gaudi_chip *chip, const struct gaudi_block *b,
			 uint32_t page, struct usage *u, gaudi_used_fn *fn,
			 void *arg)
{
	const struct gaudi_reg_page *p = chip->regs->page[page];
	const struct gaudi_reg_row *r;
	uint32_t i, off, uses;
	unsigned int n;

	if (b != gaudi_block_at(chip, page << GAUDI_PAGE_SHIFT))
		return;
	for (i = 0; p && i < GAUDI_PAGE_REGS; i++) {
		uses = uses_of(p, i);
		if (!uses)
			continue;
		off = page * GAUDI_PAGE_SIZE + 4 * i;
		r = b ? gaudi_find_row(b->family, off - b->base, &n) : NULL;
		if (r) {
			n = 1 + (r - b->family->table->row);
		} else if (b && gaudi_is_prot_bits(b->family, off - b->base)) {
			n = 0;
		} else {
			report_unknown(b, off, uses, fn, arg);
			continue;
		}
		u[n].registers++;
		u[n].count += uses;
	}
}

/* Row 0 is the protection bits, row 1 + n the family's name n. */
static void report_family(const struct gaudi_family *f, const struct usage *u,
			  size_t rows, gaudi_used_fn *fn, void *arg)
{
	enum gaudi_fidelity fidelity = GAUDI_APPROXIMATE;
	char name[NAME_MAX_LEN];
	size_t n;

	for (n = 0; n < rows; n++) {
		if (!u[n].registers)
			continue;
		snprintf(name, sizeof(name), "%s_%s", f->name,
			 n ? f->table->row[n - 1].name + f->table->prefix :
			     "PROT_BITS_#");
		if (n)
			fidelity = row_fidelity(f, &f->table->row[n - 1]);
		fn(arg, name, u[n].registers, u[n].count, fidelity);
	}
}

int gaudi_regs_report(struct gaudi_chip *chip, gaudi_used_fn *fn,
			     void *arg)
{
	const struct gaudi_regs *regs = chip->regs;
	const struct gaudi_family *f = NULL;
	const struct gaudi_block *b, *end = regs->block + regs->num_blocks;
	struct usage *u;
	uint32_t p;
	size_t rows;

	for (b = regs->block; b < end;) {
		f = b->family;
		rows = 1 + (f->table ? f->table->count : 0);
		u = calloc(rows, sizeof(*u));
		if (!u)
			return -ENOMEM;
		for (; b < end && b->family == f; b++)
			for (p = 0; p < f->pages; p++)
				collect_page(chip, b,
					     (b->base >> GAUDI_PAGE_SHIFT) + p,
					     u, fn, arg);
		report_family(f, u, rows, fn, arg);
		free(u);
	}
	for (p = 0; p < GAUDI_CFG_PAGES; p++)
		collect_page(chip, NULL, p, NULL, fn, arg);
	return 0;
}

/* --- access ---------------------------------------------------------------- */

uint32_t gaudi_reg_read(struct gaudi_chip *chip, uint32_t cfg_off,
			const struct gaudi_txn *txn)
{
	const struct gaudi_block *b;
	uint32_t value;

	gaudi_lock_at_most(GAUDI_LOCK_CARD);
	cfg_off &= ~3u;
	if (cfg_off >= GAUDI_CFG_SIZE)
		return 0;
	b = gaudi_block_at(chip, cfg_off);
	count_use(chip, b, cfg_off);
	if (b && b->ops && b->ops->read)
		value = b->ops->read(chip, b->inst, cfg_off - b->base);
	else
		value = gaudi_store_read(chip, cfg_off);
	gaudi_trace(chip, GAUDI_TRACE_REG_READ, txn->initiator, cfg_off, value,
		    4);
	return value;
}

static bool is_read_only(const struct gaudi_reg_page *page, unsigned int i)
{
	return page->read_only && page->read_only[i / 32] & 1u << i % 32;
}

int gaudi_reg_write(struct gaudi_chip *chip, uint32_t cfg_off, uint32_t value,
		    const struct gaudi_txn *txn)
{
	const struct gaudi_reg_page *page;
	const struct gaudi_block *b;

	gaudi_lock_at_most(GAUDI_LOCK_CARD);
	cfg_off &= ~3u;
	if (cfg_off >= GAUDI_CFG_SIZE)
		return -EINVAL;
	b = gaudi_block_at(chip, cfg_off);
	page = count_use(chip, b, cfg_off);
	gaudi_trace(chip, GAUDI_TRACE_REG_WRITE, txn->initiator, cfg_off,
		    value, 4);
	if (page && is_read_only(page, gaudi_reg_index(cfg_off)))
		return 0;
	if (b && b->ops && b->ops->write)
		return b->ops->write(chip, b->inst, cfg_off - b->base, value,
				     txn);
	gaudi_store_write(chip, cfg_off, value);
	return 0;
}

unsigned int gaudi_reg_plain(struct gaudi_chip *chip, uint32_t cfg_off,
			     unsigned int count)
{
	const struct gaudi_block *b = gaudi_block_at(chip, cfg_off);
	const struct gaudi_reg_page *page;
	unsigned int i, n;
	uint32_t off;

	if (!b || !b->ops)
		return 0;
	off = cfg_off - b->base;
	if (off < b->ops->plain || off >= b->ops->plain_end)
		return 0;
	page = gaudi_reg_page_at(chip, cfg_off);
	/* With a model of time, or somebody who listens, each has a moment of its own. */
	if (!page || chip->clock.on || chip->traced & 1u << GAUDI_TRACE_REG_WRITE)
		return 0;
	if (count > (b->ops->plain_end - off) / 4)
		count = (b->ops->plain_end - off) / 4;
	count = gaudi_in_piece(cfg_off, count);
	i = gaudi_reg_index(cfg_off);
	for (n = 0; n < count && !is_read_only(page, i + n); n++)
		;
	return n;
}

void gaudi_reg_write_plain(struct gaudi_chip *chip, uint32_t cfg_off,
			   const uint32_t *values, unsigned int count,
			   const struct gaudi_txn *txn)
{
	struct gaudi_reg_page *page = gaudi_reg_page_at(chip, cfg_off);
	const uint64_t ticks = gaudi_ticks();
	unsigned int i;

	gaudi_lock_at_most(GAUDI_LOCK_CARD);
	count_uses(chip, gaudi_block_at(chip, cfg_off), page, cfg_off, count);
	for (i = 0; i < count; i++)
		gaudi_record(&chip->recorder, ticks, GAUDI_TRACE_REG_WRITE,
			     txn->initiator, cfg_off + 4 * i, values[i], 4);
	gaudi_store_write_run(chip, cfg_off, values, count);
}

int gaudi_reg_write_part(struct gaudi_chip *chip, uint32_t cfg_off,
			 uint32_t value, uint32_t mask,
			 const struct gaudi_txn *txn)
{
	const struct gaudi_reg_row *row = NULL;
	const struct gaudi_block *b;
	unsigned int n;

	cfg_off &= ~3u;
	if (cfg_off >= GAUDI_CFG_SIZE)
		return -EINVAL;
	b = gaudi_block_at(chip, cfg_off);
	if (~mask && b && b->ops)
		row = gaudi_find_row(b->family, cfg_off - b->base, &n);
	value &= mask;
	if (~mask && !(row && row->access == GAUDI_ACCESS_W1C))
		value |= gaudi_reg_read(chip, cfg_off, txn) & ~mask;
	return gaudi_reg_write(chip, cfg_off, value, txn);
}
