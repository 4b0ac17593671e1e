// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * A tensor core goes through the words of a kernel: fetch, hardware loops,
 * jumps, the end. What operations do is in tpc/ops/.
 *
 * All operations of a word read what was there before it. So they are done in
 * an order in which none reads what another one has written; where there is no
 * such order, they read a copy.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tpc_page.h"
#include "../../core/memory.h"

/* Pages that a core keeps between launches, which the cache cannot drop. */
#define KEPT_PAGES	4
#define WAYS		2u	/* pages that begin within one multiple of their size */

/* --- the end --------------------------------------------------------------- */

static const char *const reasons[GAUDI_TPC_WHYS] = {
	[GAUDI_TPC_BUDGET] = "still at work",
	[GAUDI_TPC_HALT] = "halted",
	[GAUDI_TPC_BREAK] = "breakpoint",
	[GAUDI_TPC_ILLEGAL] = "illegal instruction",
	[GAUDI_TPC_FETCH] = "no instruction can be read",
	[GAUDI_TPC_READ] = "load failed",
	[GAUDI_TPC_WRITE] = "store failed",
	[GAUDI_TPC_LOCAL] = "no such place in local memory",
	[GAUDI_TPC_REG] = "register cannot be written",
	[GAUDI_TPC_REG_READ] = "register cannot be read",
	[GAUDI_TPC_DEPTH] = "loops nested too deep",
	[GAUDI_TPC_TENSOR] = "no such tensor",
	[GAUDI_TPC_HAZARD] = "hazard",
	[GAUDI_TPC_WRAP] = "program counter beyond 32 bits",
};

void gaudi_tpc_stop_text(const struct gaudi_tpc_core *core, char *buf,
			 size_t len)
{
	const struct gaudi_tpc_stop *stop = &core->stop;
	char addr[32] = "";

	if (stop->why == GAUDI_TPC_READ || stop->why == GAUDI_TPC_WRITE ||
	    stop->why == GAUDI_TPC_LOCAL || stop->why == GAUDI_TPC_REG ||
	    stop->why == GAUDI_TPC_REG_READ ||
	    stop->why == GAUDI_TPC_TENSOR || stop->why == GAUDI_TPC_WRAP)
		snprintf(addr, sizeof(addr), " (0x%llx)",
			 (unsigned long long)stop->addr);
	snprintf(buf, len, "%s at 0x%llx%s%s%s", reasons[stop->why],
		 (unsigned long long)stop->pc, addr, stop->what ? ": " : "",
		 stop->what ? stop->what : "");
}

/* --- life ------------------------------------------------------------------ */

static const struct gaudi_tpc_alu *best_alu(void)
{
	const struct gaudi_tpc_alu *alu = gaudi_tpc_alu_avx512();

	if (!alu)
		alu = gaudi_tpc_alu_avx2();
	return alu ? alu : gaudi_tpc_alu_portable();
}

int gaudi_tpc_use_alu(struct gaudi_tpc_core *core, const char *name)
{
	const struct gaudi_tpc_alu *alu[] = {
		gaudi_tpc_alu_portable(), gaudi_tpc_alu_avx2(),
		gaudi_tpc_alu_avx512(),
	};
	size_t i;

	for (i = 0; i < sizeof(alu) / sizeof(alu[0]); i++) {
		if (!alu[i] || strcmp(alu[i]->name, name))
			continue;
		core->alu = alu[i];
		return 0;
	}
	return -EINVAL;
}

/* The memory of a core. */
struct room {
	struct gaudi_tpc_core core;
	struct gaudi_tpc_regs snapshot;
};

struct gaudi_tpc_core *gaudi_tpc_core_new(const struct gaudi_tpc_host *host,
					  void *opaque,
					  struct gaudi_tpc_cache *cache)
{
	/*
	 * Of most cores nobody uses the local memory: pages not touched cost nothing, and
	 * those of a core that is given back are the system's again.
	 */
	struct room *room = gaudi_zeros_new(sizeof(*room));
	struct gaudi_tpc_core *core;

	if (!room)
		return NULL;
	core = &room->core;
	core->snapshot = &room->snapshot;
	core->host = host;
	core->opaque = opaque;
	core->cache = cache;
	core->in = &core->r;
	core->alu = best_alu();
	core->ended = true;
	core->stop.why = GAUDI_TPC_HALT;
	gaudi_tpc_lfsr_reset(core);
	return core;
}

/* Those with a bit in slots, which are held. */
static void drop_pages(struct gaudi_tpc_core *core, uint64_t slots)
{
	unsigned int i;

	core->held &= ~slots;
	core->known &= ~slots;
	for (; slots; slots &= slots - 1) {
		i = __builtin_ctzll(slots);
		gaudi_tpc_page_put(core->cache, core->page[i]);
	}
}

/*
 * Behind the end of a kernel. The same one comes again more often than not: the pages
 * of a short one are kept, since to compare them is cheaper than to find them.
 */
static void keep_few(struct gaudi_tpc_core *core)
{
	bool few = __builtin_popcountll(core->known) <= KEPT_PAGES;

	drop_pages(core, few ? core->held & ~core->known : core->held);
	core->known = 0;
}

void gaudi_tpc_core_free(struct gaudi_tpc_core *core)
{
	if (!core)
		return;
	drop_pages(core, core->held);
	free(core->check);
	gaudi_zeros_free(core, sizeof(struct room));
}

bool gaudi_tpc_core_is_new(const struct gaudi_tpc_core *core)
{
	return gaudi_zeros_are(core->vlm, sizeof(core->vlm)) &&
	       gaudi_zeros_are(core->slm, sizeof(core->slm)) &&
	       gaudi_tpc_lfsr_is_new(core);
}

void gaudi_tpc_core_reset(struct gaudi_tpc_core *core)
{
	drop_pages(core, core->held);
	gaudi_zeros_clear(core->vlm, sizeof(core->vlm));
	gaudi_zeros_clear(core->slm, sizeof(core->slm));
	core->semaphore = 0;
	core->ended = true;
	core->stop.why = GAUDI_TPC_HALT;
	gaudi_tpc_lfsr_reset(core);
}

static void clear_registers(struct gaudi_tpc_core *core)
{
	gaudi_tpc_vec lfsr = core->r.lfsr;
	uint32_t s_lfsr = core->r.s_lfsr;

	memset(&core->r, 0, sizeof(core->r));
	memset(&core->r.vp[0], 0xff, sizeof(core->r.vp[0]));
	core->r.sp = 1;
	core->r.lfsr = lfsr;
	core->r.s_lfsr = s_lfsr;
}

void gaudi_tpc_launch(struct gaudi_tpc_core *core,
		      const struct gaudi_tpc_launch *launch)
{
	const uint32_t *desc = launch->desc;
	unsigned int d, n, srfs = desc[GAUDI_TPC_D_KCONFIG] >> 2 & 0x3f;

	core->launch = *launch;
	if (!core->launch.lfsr_polynom)
		core->launch.lfsr_polynom = 0x800002cc;
	clear_registers(core);
	for (d = 0; d < GAUDI_TPC_DIMS; d++) {
		core->r.i[0][d] = desc[GAUDI_TPC_D_TID_BASE(d)];
		core->r.i[1][d] = desc[GAUDI_TPC_D_TID_SIZE(d)];
	}
	for (n = 0; n < srfs && n < GAUDI_TPC_S_COUNT; n++)
		core->r.s[n] = desc[GAUDI_TPC_D_SRF(n)];
	core->vlm_size = desc[GAUDI_TPC_D_KCONFIG] & GAUDI_TPC_KC_SMALL_VLM ?
			 GAUDI_TPC_SMALL_VLM : GAUDI_TPC_VLM;
	core->base = desc[GAUDI_TPC_D_KERNEL] |
		     (uint64_t)desc[GAUDI_TPC_D_KERNEL + 1] << 32;
	core->pc = core->base;
	core->words = 0;
	core->depth = 0;
	core->delayed = false;
	core->starts = 0;
	gaudi_tpc_take_up(core);
}

void gaudi_tpc_take_up(struct gaudi_tpc_core *core)
{
	core->known = 0;
	core->ended = false;
	core->causes = 0;
	memset(&core->stop, 0, sizeof(core->stop));
	memset(core->window, 0, sizeof(core->window));
	gaudi_tpc_load_tensors(core);
	gaudi_tpc_check_reset(core);
}

void gaudi_tpc_breakpoints(struct gaudi_tpc_core *core, const uint64_t *pcs,
			   size_t count)
{
	core->breaks = pcs;
	core->num_breaks = count;
}

/* --- counters --------------------------------------------------------------- */

static void count_words(struct gaudi_tpc_core *core,
			const struct gaudi_tpc_page *page, unsigned int from,
			unsigned int words, uint64_t times)
{
	unsigned int i, end = page->first_count[from + words];

	for (i = page->first_count[from]; i < end; i++)
		gaudi_tpc_count(core, page->count[i], times);
}

static void count_ran(struct gaudi_tpc_core *core)
{
	const struct gaudi_tpc_ran *r;

	for (; core->has_ran; core->has_ran &= core->has_ran - 1) {
		r = &core->ran[__builtin_ctz(core->has_ran)];
		count_words(core, r->page, r->from, r->words, r->times);
	}
}

/* The same words come again: they are counted together, later. */
static void note_ran(struct gaudi_tpc_core *core,
		     const struct gaudi_tpc_page *page, unsigned int from,
		     unsigned int words, uint64_t times)
{
	/* Pages begin alike: they go to places of their own. */
	unsigned int slot = ((uintptr_t)page / 64 + from) % GAUDI_TPC_RAN;
	struct gaudi_tpc_ran *r = &core->ran[slot];

	if (core->has_ran >> slot & 1) {
		if (r->page == page && r->from == from && r->words == words) {
			r->times += times;
			return;
		}
		count_words(core, r->page, r->from, r->words, r->times);
	}
	*r = (struct gaudi_tpc_ran){ page, times, from, words };
	core->has_ran |= 1u << slot;
}

/* --- fetch ----------------------------------------------------------------- */

/* The words that can be read from pc on without a fault, of a page; NULL, or none: copy. */
static const uint8_t *map_page(struct gaudi_tpc_core *core, uint64_t pc,
			       unsigned int *words)
{
	size_t len = GAUDI_TPC_PAGE_BYTES;
	const uint8_t *code = NULL;

	if (core->host->map)
		code = core->host->map(core->opaque, pc, &len, false);
	if (len > GAUDI_TPC_PAGE_BYTES)
		len = GAUDI_TPC_PAGE_BYTES;
	*words = code ? len / GAUDI_TPC_WORD : 0;
	return code;
}

/*
 * The words of a page, up to the end of the kernel and as far as they can be read without a fault:
 * what lies behind it may be data, of which each change would make another page, and which others
 * write meanwhile. One word is read in any case.
 */
static unsigned int read_page(struct gaudi_tpc_core *core, uint64_t pc,
			      const uint8_t *code, unsigned int words,
			      uint8_t *raw)
{
	unsigned int i;

	if (!words)
		return !core->host->read(core->opaque, pc, raw, GAUDI_TPC_WORD);
	for (i = 0; i < words; i++, raw += GAUDI_TPC_WORD, code += GAUDI_TPC_WORD) {
		memcpy(raw, code, GAUDI_TPC_WORD);
		if (gaudi_tpc_is_halt(raw))
			return i + 1;
	}
	return words;
}

/* Not beyond the first one that differs: where one kernel went on may be data by now. */
static bool are_same(const uint8_t *a, const uint8_t *b, unsigned int words)
{
	unsigned int i;

	for (i = 0; i < words; i++)
		if (memcmp(a + i * GAUDI_TPC_WORD, b + i * GAUDI_TPC_WORD,
			   GAUDI_TPC_WORD))
			return false;
	return true;
}

/* Is the slot's page what lies at pc, as far as it goes? */
static bool is_page(const struct gaudi_tpc_core *core, unsigned int slot,
		    uint64_t pc, const uint8_t *code, unsigned int words)
{
	const struct gaudi_tpc_page *page = core->page[slot];

	return core->held >> slot & 1 && core->page_at[slot] == pc &&
	       page->words <= words && are_same(page->raw, code, page->words);
}

static struct gaudi_tpc_page *find_page(struct gaudi_tpc_core *core,
					uint64_t pc, unsigned int slot,
					const uint8_t *code, unsigned int words)
{
	uint64_t left = ((1ull << 32) - (pc - core->base)) / GAUDI_TPC_WORD;
	uint8_t raw[GAUDI_TPC_PAGE_BYTES];
	struct gaudi_tpc_page *page;

	if (is_page(core, slot, pc, code, words < left ? words : left))
		return core->page[slot];
	words = read_page(core, pc, code, words, raw);
	if (words > left)
		words = left;
	if (!words) {
		gaudi_tpc_end(core, GAUDI_TPC_FETCH, pc, NULL);
		return NULL;
	}
	page = gaudi_tpc_page_get(core->cache, raw, words);
	if (!page) {
		gaudi_tpc_end(core, GAUDI_TPC_FETCH, pc, "no memory");
		return NULL;
	}
	count_ran(core);
	drop_pages(core, core->held & 1ull << slot);
	return page;
}

static unsigned int first_slot(uint64_t pc)
{
	return pc / GAUDI_TPC_PAGE_BYTES % (GAUDI_TPC_PAGES / WAYS) * WAYS;
}

/* For a page that begins at pc: where it was before, or one that this launch has no page in. */
static unsigned int slot_for(const struct gaudi_tpc_core *core, uint64_t pc)
{
	unsigned int slot = first_slot(pc), end = slot + WAYS, unused = slot;

	for (; slot < end; slot++) {
		if (core->held >> slot & 1 && core->page_at[slot] == pc)
			return slot;
		if (!(core->known >> slot & 1))
			unused = slot;
	}
	return unused;
}

/* A page begins with the word that was asked for, and holds what follows. */
static struct gaudi_tpc_page *fetch_page(struct gaudi_tpc_core *core,
					 uint64_t pc)
{
	unsigned int slot = slot_for(core, pc), words;
	struct gaudi_tpc_page *page;
	const uint8_t *code;

	if ((pc - core->base) >> 32) {
		gaudi_tpc_end(core, GAUDI_TPC_WRAP, pc, NULL);
		return NULL;
	}
	code = map_page(core, pc, &words);
	page = find_page(core, pc, slot, code, words);
	if (!page)
		return NULL;
	core->page[slot] = page;
	core->page_at[slot] = pc;
	core->held |= 1ull << slot;
	core->known |= 1ull << slot;
	return page;
}

/* The page that has the word, and its number there. NULL: it has ended. */
static struct gaudi_tpc_page *fetch(struct gaudi_tpc_core *core, uint64_t pc,
				    unsigned int *word)
{
	struct gaudi_tpc_page *page;
	unsigned int slot, i;
	uint64_t off;

	/* The page may have begun before this multiple of its size. */
	for (i = 0; i < 2 * WAYS; i++) {
		slot = first_slot(pc - i / WAYS * GAUDI_TPC_PAGE_BYTES) + i % WAYS;
		page = core->page[slot];
		off = pc - core->page_at[slot];
		*word = off / GAUDI_TPC_WORD;
		if (core->known >> slot & 1 && off % GAUDI_TPC_WORD == 0 &&
		    off / GAUDI_TPC_WORD < page->words)
			return page;
	}
	*word = 0;
	return fetch_page(core, pc);
}

/* --- loops and jumps ------------------------------------------------------- */

static bool loop_goes_on(uint8_t cmp, int32_t iterator, int32_t boundary)
{
	switch (cmp) {
	case GAUDI_TPC_LOOP_GRT:
		return iterator > boundary;
	case GAUDI_TPC_LOOP_GEQ:
		return iterator >= boundary;
	case GAUDI_TPC_LOOP_LESS:
		return iterator < boundary;
	case GAUDI_TPC_LOOP_LEQ:
		return iterator <= boundary;
	case GAUDI_TPC_LOOP_EQ:
		return iterator == boundary;
	default:
		return iterator != boundary;
	}
}

/*
 * Boundary and step are taken when the loop begins (inferred: compiled code
 * does not change them within). The word behind LOOP is executed in any case,
 * and before the iterator is set: compilers put there what stood before LOOP.
 */
static void enter_loop(struct gaudi_tpc_core *core,
		       const struct gaudi_tpc_uword *word)
{
	const struct gaudi_tpc_loop *loop = &word->loop;
	uint64_t out = core->pc + loop->end + GAUDI_TPC_WORD;
	struct gaudi_tpc_frame *frame;
	int32_t start;

	gaudi_tpc_count(core, word->op[0].count, 1);
	if (loop->pred.kind == GAUDI_TPC_K_SP &&
	    !((core->r.sp >> loop->pred.num ^ loop->pred.negate) & 1)) {
		core->delayed = true;
		core->delay_to = out;
		return;
	}
	if (core->depth == GAUDI_TPC_LOOPS) {
		gaudi_tpc_end(core, GAUDI_TPC_DEPTH, 0, NULL);
		return;
	}
	frame = &core->frame[core->depth];
	start = gaudi_tpc_scalar(core, &loop->start);
	frame->boundary = gaudi_tpc_scalar(core, &loop->boundary);
	frame->step = gaudi_tpc_scalar(core, &loop->step);
	frame->cmp = loop->cmp;
	frame->once = loop->once;
	frame->top = core->pc + 2 * GAUDI_TPC_WORD;
	frame->last = core->pc + loop->end;
	core->starts = GAUDI_TPC_S_COUNT + core->depth;
	core->start = start;
	core->delayed = true;
	if (!loop_goes_on(loop->cmp, start, frame->boundary) ||
	    frame->last < frame->top) {
		core->delay_to = out;
		return;
	}
	core->delay_to = frame->top;
	core->depth++;
}

/* Behind the word that follows LOOP. */
static void start_iterator(struct gaudi_tpc_core *core)
{
	if (core->starts)
		core->r.s[core->starts] = core->start;
	core->starts = 0;
}

/*
 * Behind the last word of a body. The iterator keeps the value that failed. Of
 * loops that end with the same word, which compilers make none of, the inner one
 * ends first.
 */
static uint64_t end_of_body(struct gaudi_tpc_core *core, uint64_t next)
{
	struct gaudi_tpc_frame *frame;
	uint32_t *iterator;

	do {
		frame = &core->frame[core->depth - 1];
		iterator = &core->r.s[GAUDI_TPC_S_COUNT + core->depth - 1];
		*iterator += frame->step;
		if (!frame->once &&
		    loop_goes_on(frame->cmp, *iterator, frame->boundary))
			return frame->top;
		core->depth--;
	} while (core->depth && frame[-1].last == frame->last);
	return next;
}

/* A jump out of loops ends them; compilers make none. */
static void leave_loops(struct gaudi_tpc_core *core, uint64_t to)
{
	const struct gaudi_tpc_frame *frame;

	for (; core->depth; core->depth--) {
		frame = &core->frame[core->depth - 1];
		if (to >= frame->top && to <= frame->last)
			return;
	}
}

int gaudi_tpc_move(struct gaudi_tpc_core *core, uint64_t pc)
{
	uint64_t off = pc - core->base;

	if (core->ended || off >> 32 || off % GAUDI_TPC_WORD)
		return -EINVAL;
	leave_loops(core, pc);
	core->delayed = false;
	core->starts = 0;
	core->pc = pc;
	return 0;
}

void gaudi_tpc_s_jump(struct gaudi_tpc_core *core,
		      const struct gaudi_tpc_uop *op)
{
	uint64_t from = op->op == GAUDI_TPC_OP_JMPA ? core->base : core->pc;
	uint64_t to = from + (int32_t)gaudi_tpc_scalar(core, &op->src[0]);

	if ((to - core->base) >> 32) {
		gaudi_tpc_end(core, GAUDI_TPC_WRAP, to, NULL);
		return;
	}
	if ((to - core->base) % GAUDI_TPC_WORD) {
		core->unmodelled = false;
		gaudi_tpc_end(core, GAUDI_TPC_ILLEGAL, to,
			      "a jump into the midst of a word");
		return;
	}
	core->next = to;
	leave_loops(core, core->next);
	core->delayed = false;
	/* Where a loop ends does not matter behind a jump out of it. */
	core->jumped = true;
}

void gaudi_tpc_halt(struct gaudi_tpc_core *core, const struct gaudi_tpc_uop *op)
{
	(void)op;
	gaudi_tpc_end(core, GAUDI_TPC_HALT, 0, NULL);
}

void gaudi_tpc_nothing(struct gaudi_tpc_core *core,
		       const struct gaudi_tpc_uop *op)
{
	(void)core;
	(void)op;
}

/* --- words ----------------------------------------------------------------- */

static void run_slots(struct gaudi_tpc_core *core,
		      const struct gaudi_tpc_uword *word)
{
	const struct gaudi_tpc_uop *op = word->op, *end = op + word->count;

	for (; op < end; op++)
		if ((core->in->sp >> op->sp ^ op->negate) & 1)
			op->run(core, op);
}

void gaudi_tpc_run_cyclic(struct gaudi_tpc_core *core,
			  const struct gaudi_tpc_uword *word)
{
	*core->snapshot = core->r;
	core->in = core->snapshot;
	run_slots(core, word);
	if (core->launch.causes)
		gaudi_tpc_flags(core, word);
	core->in = &core->r;
}

static void refuse(struct gaudi_tpc_core *core,
		   const struct gaudi_tpc_uword *word)
{
	memcpy(core->bad, word->bad, sizeof(core->bad));
	core->unmodelled = word->unmodelled;
	gaudi_tpc_end(core, GAUDI_TPC_ILLEGAL, 0, core->bad);
}

/* One word; core->next is where to go on. */
static void run_word(struct gaudi_tpc_core *core,
		     const struct gaudi_tpc_uword *word)
{
	bool delayed = core->delayed;
	uint64_t to = core->delay_to;
	unsigned int i;

	core->delayed = false;
	core->jumped = false;
	core->next = core->pc + GAUDI_TPC_WORD;
	if (word->kind != GAUDI_TPC_PLAIN) {
		start_iterator(core);
		if (word->kind == GAUDI_TPC_LOOP_WORD)
			enter_loop(core, word);
		else
			refuse(core, word);
		return;
	}
	for (i = 0; i < word->count; i++)
		gaudi_tpc_count(core, word->op[i].count, 1);
	if (word->cyclic || core->launch.causes)
		gaudi_tpc_run_cyclic(core, word);
	else
		run_slots(core, word);
	if (delayed)
		start_iterator(core);
	if (core->jumped)
		return;
	if (delayed)
		core->next = to;
	/* A loop of no turn may also end where the one around it does. */
	if (core->depth && core->next == GAUDI_TPC_WORD +
	    core->frame[core->depth - 1].last && (delayed || core->pc ==
	    core->frame[core->depth - 1].last))
		core->next = end_of_body(core, core->next);
}

static bool at_breakpoint(const struct gaudi_tpc_core *core)
{
	size_t i;

	for (i = 0; i < core->num_breaks; i++)
		if (core->breaks[i] == core->pc)
			return true;
	return false;
}

/* --- words that follow each other ------------------------------------------- */

/* Words from one on that are executed one after the other. */
struct stretch {
	const struct gaudi_tpc_page *page;
	unsigned int from;
	unsigned int words;
	bool body;			/* to the last word of a loop's body */
};

/*
 * From word from of the page on, at most so many; no more than the body of the
 * loop has. 0: what comes is a loop, a jump, the end, or the word behind LOOP.
 */
static void find_stretch(const struct gaudi_tpc_core *core,
			 struct stretch *way, uint64_t words)
{
	bool single = core->delayed || core->num_breaks || core->check ||
		      core->launch.causes;
	uint64_t left;

	way->words = single ? 0 : way->page->straight[way->from];
	way->body = false;
	if (way->words > words)
		way->words = words;
	if (!core->depth)
		return;
	left = core->frame[core->depth - 1].last - core->pc;
	if (left % GAUDI_TPC_WORD || left / GAUDI_TPC_WORD >= way->words)
		return;
	way->words = left / GAUDI_TPC_WORD + 1;
	way->body = true;
}

static bool run_step(struct gaudi_tpc_core *core,
		     const struct gaudi_tpc_step *s)
{
	if (s->guarded && !((core->r.sp >> s->sp ^ s->negate) & 1))
		return true;
	return core->alu->step[s->kind](core, s);
}

/* Once; NULL, or the step at which the kernel ended. */
static const struct gaudi_tpc_step *run_steps(struct gaudi_tpc_core *core,
					      const struct stretch *way)
{
	const struct gaudi_tpc_page *page = way->page;
	const struct gaudi_tpc_step *s = page->step +
					 page->first_step[way->from];
	const struct gaudi_tpc_step *end = page->step +
		page->first_step[way->from + way->words];
	const struct gaudi_tpc_step *failed;

	for (; s < end; s++) {
		if (run_step(core, s))
			continue;
		/* All operations of a word are done, whatever one says. */
		failed = s;
		while (++s < end && s->word == failed->word)
			run_step(core, s);
		return failed;
	}
	return NULL;
}

/* As often as its loop goes on; at most so many words. */
static void run_stretch(struct gaudi_tpc_core *core, const struct stretch *way,
			uint64_t words)
{
	uint64_t start = core->pc, next = start + way->words * GAUDI_TPC_WORD;
	const struct gaudi_tpc_step *failed;
	uint64_t times = 0;
	unsigned int part;

	core->origin = start - way->from * GAUDI_TPC_WORD;
	do {
		failed = run_steps(core, way);
		if (failed)
			break;
		times++;
		words -= way->words;
		core->pc = way->body ? end_of_body(core, next) : next;
	} while (core->pc == start && words >= way->words);
	if (times)
		note_ran(core, way->page, way->from, way->words, times);
	core->words += times * way->words;
	if (!failed)
		return;
	part = failed->word - way->from;
	count_words(core, way->page, way->from, part + 1, 1);
	core->words += part;
	core->pc = start + part * GAUDI_TPC_WORD;
}

static void run_one(struct gaudi_tpc_core *core,
		    const struct gaudi_tpc_uword *word)
{
	if (core->check && !gaudi_tpc_check_word(core, word))
		return;
	run_word(core, word);
	if (core->ended) {
		core->words += core->stop.why == GAUDI_TPC_HALT;
		return;
	}
	core->words++;
	core->pc = core->next;
}

static void run_words(struct gaudi_tpc_core *core, uint64_t words)
{
	bool first = core->stop.why == GAUDI_TPC_BREAK;
	uint64_t end = core->words + words;
	struct stretch way;

	core->stop.why = GAUDI_TPC_BUDGET;
	while (core->words != end && !core->ended) {
		if (core->num_breaks && !first && at_breakpoint(core)) {
			core->stop.why = GAUDI_TPC_BREAK;
			core->stop.pc = core->pc;
			return;
		}
		first = false;
		way.page = fetch(core, core->pc, &way.from);
		if (!way.page)
			return;
		find_stretch(core, &way, end - core->words);
		if (way.words)
			run_stretch(core, &way, end - core->words);
		else
			run_one(core, &way.page->word[way.from]);
	}
}

enum gaudi_tpc_why gaudi_tpc_execute(struct gaudi_tpc_core *core,
				     uint64_t words)
{
	if (core->ended)
		return core->stop.why;
	run_words(core, words);
	count_ran(core);
	gaudi_tpc_forget(core);
	if (core->ended)
		keep_few(core);
	return core->stop.why;
}
