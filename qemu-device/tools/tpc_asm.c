// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Assembler for the TPC: statements, labels, directives. What an operation's
 * text means is found in tpc_match.c.
 *
 * Two passes: the first reads all statements into words, the second knows all
 * labels, and encodes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tpc_asm.h"
#include "tpc_parse.h"

#define MAX_ERRORS		50
/* More than any better of gaudi_tpc_match(). */
#define SCORE			100

/* A word, as it stands in the source. */
struct statement {
	struct gaudi_tpc_word word;
	bool raw;			/* bytes holds it */
	uint8_t bytes[GAUDI_TPC_WORD];
	const struct gaudi_tpc_token *at;
	const struct gaudi_tpc_token *label;	/* where it leads, or NULL */
};

struct assembler {
	struct gaudi_tpc_parser parser;
	struct gaudi_tpc_program *program;
	struct statement *statements;
	size_t count, room;
	bool no_memory;
	struct gaudi_tpc_metadata given;	/* by .metadata */
	uint32_t is_given;		/* bit n: row n of metadata_names */
};

#define say(as, ...)		gaudi_tpc_say(&(as)->parser, __VA_ARGS__)
#define now(as)			gaudi_tpc_now(&(as)->parser)
#define is_sign(as, text)	gaudi_tpc_is_sign(&(as)->parser, text)
#define line_ends(as)		gaudi_tpc_line_ends(&(as)->parser)

static const struct {
	const char *name;
	size_t offset;
	uint8_t size;
} metadata_names[] = {
#define ROW(name) { #name, offsetof(struct gaudi_tpc_metadata, name), \
		    sizeof(((struct gaudi_tpc_metadata *)0)->name) }
	ROW(special_functions), ROW(printf_used), ROW(lock_unlock),
	ROW(mmio_used), ROW(march), ROW(scalars), ROW(printf_tensor),
	ROW(threads), ROW(direct_mmio), ROW(dnorm), ROW(scalar_loads),
	ROW(rmw_stores),
#undef ROW
};

#define COUNT(list)		(sizeof(list) / sizeof((list)[0]))

static bool out_of_memory(struct assembler *as)
{
	as->no_memory = true;
	return false;
}

static bool loop_value(struct assembler *as, const struct gaudi_tpc_arg *arg,
		       struct gaudi_tpc_operand *operand)
{
	if (arg->kind == GAUDI_TPC_ARG_REG && !arg->negate &&
	    arg->reg.kind == GAUDI_TPC_K_S) {
		*operand = arg->reg;
		return true;
	}
	operand->kind = GAUDI_TPC_K_IMM;
	if (arg->kind == GAUDI_TPC_ARG_INT &&
	    gaudi_tpc_bits(arg, GAUDI_TPC_I32, &operand->value))
		return true;
	return say(as, arg->at, false, "S or a number is expected here");
}

/* loop [once] start, boundary, step, cmp, label or end=N[, predicate] */
static bool loop(struct assembler *as, const struct gaudi_tpc_written *w,
		 struct statement *statement)
{
	struct gaudi_tpc_loop *loop = &statement->word.loop;
	const struct gaudi_tpc_arg *arg = w->arg;

	statement->word.is_loop = true;
	loop->once = w->given_count;
	if (w->arg_count != 5 && w->arg_count != 6)
		return say(as, w->at, false,
			   "loop takes start, boundary, step, comparison, label, and perhaps a predicate");
	if (!loop_value(as, &arg[0], &loop->start) ||
	    !loop_value(as, &arg[1], &loop->boundary) ||
	    !loop_value(as, &arg[2], &loop->step))
		return false;
	if (arg[3].kind != GAUDI_TPC_ARG_CMP)
		return say(as, arg[3].at, false,
			   "one of > >= < <= == != is expected here");
	loop->cmp = arg[3].number;
	if (arg[4].kind == GAUDI_TPC_ARG_NAME)
		statement->label = arg[4].at;
	else if (arg[4].kind == GAUDI_TPC_ARG_END)
		loop->end = arg[4].number;
	else
		return say(as, arg[4].at, false,
			   "a label is expected here, of the word behind the loop's last");
	if (w->arg_count == 5)
		return true;
	if (arg[5].kind != GAUDI_TPC_ARG_REG ||
	    arg[5].reg.kind != GAUDI_TPC_K_SP)
		return say(as, arg[5].at, false,
			   "SP is expected here, the predicate");
	if (!arg[5].reg.num && !arg[5].negate)
		return true;
	loop->pred.kind = GAUDI_TPC_K_SP;
	loop->pred.num = arg[5].reg.num;
	loop->pred.negate = arg[5].negate;
	return true;
}

/* Numbers that look like values but are bits. */
static void warn_bits(struct assembler *as, const struct gaudi_tpc_written *w)
{
	unsigned int i;

	if ((w->type != GAUDI_TPC_F32 && w->type != GAUDI_TPC_BF16) ||
	    w->op == GAUDI_TPC_OP_SHR || w->op == GAUDI_TPC_OP_SHL ||
	    w->op == GAUDI_TPC_OP_ASH || w->op == GAUDI_TPC_OP_GET_LUT_ENTRY)
		return;
	for (i = 0; i < w->arg_count; i++)
		if (w->arg[i].kind == GAUDI_TPC_ARG_INT && w->arg[i].decimal)
			say(as, w->arg[i].at, true,
			    "%lld is taken as bits; write %lld.0 for the value, or 0x%llx",
			    (long long)w->arg[i].number,
			    (long long)w->arg[i].number,
			    (unsigned long long)w->arg[i].number);
}

/* One operation into one slot. */
static int fit(const struct gaudi_tpc_written *w, unsigned int slot,
	       struct statement *statement, struct gaudi_tpc_wrong *wrong,
	       unsigned int *better)
{
	const struct gaudi_tpc_token *label;
	struct gaudi_tpc_insn insn;

	if (gaudi_tpc_match(w, slot, &insn, &label, wrong, better))
		return -1;
	statement->word.slot[slot] = insn;
	if (label)
		statement->label = label;
	return 0;
}

/* Of what is wrong in several slots that counts which came furthest. */
static void worse(struct gaudi_tpc_wrong *wrong, unsigned int *best,
		  const struct gaudi_tpc_wrong *why, unsigned int score)
{
	size_t n;

	if (score > *best) {
		*best = score;
		*wrong = *why;
	} else if (score && score == *best && why->at == wrong->at &&
		   !strstr(wrong->text, why->text)) {
		n = strlen(wrong->text);
		snprintf(wrong->text + n, sizeof(wrong->text) - n, "; or %s",
			 why->text);
	}
}

/*
 * Operations from w[n] on, each into some free slot; used has those that are
 * taken.
 */
static bool fit_anywhere(const struct gaudi_tpc_written *w, unsigned int n,
			 unsigned int count, unsigned int used,
			 struct statement *statement,
			 struct gaudi_tpc_wrong *wrong, unsigned int *best)
{
	static const uint8_t order[] = {
		GAUDI_TPC_SPU, GAUDI_TPC_VPU, GAUDI_TPC_LOAD, GAUDI_TPC_STORE,
	};
	const struct gaudi_tpc_token *label;
	struct gaudi_tpc_wrong why;
	struct gaudi_tpc_insn insn;
	unsigned int i, better;
	bool taken = false;

	if (n == count)
		return true;
	for (i = 0; i < GAUDI_TPC_SLOTS; i++) {
		struct gaudi_tpc_insn old = statement->word.slot[order[i]];

		if (used & 1u << order[i]) {
			if (!gaudi_tpc_match(&w[n], order[i], &insn, &label,
					     &why, &better))
				taken = true;
			/* Where it belongs, but wrong there, too. */
			else if (!*best && better)
				worse(wrong, best, &why, SCORE * n + better);
			continue;
		}
		if (!fit(&w[n], order[i], statement, &why, &better)) {
			if (fit_anywhere(w, n + 1, count,
					 used | 1u << order[i], statement,
					 wrong, best))
				return true;
			statement->word.slot[order[i]] = old;
			continue;
		}
		worse(wrong, best, &why, better ? SCORE * n + better : 0);
	}
	if (taken) {
		why.at = w[n].at;
		snprintf(why.text, sizeof(why.text),
			 "%s has no slot left in this word",
			 gaudi_tpc_op_name(w[n].op));
		worse(wrong, best, &why, SCORE * n + SCORE - 1);
	}
	return false;
}

static bool fit_all(struct assembler *as, const struct gaudi_tpc_written *w,
		    unsigned int count, struct statement *statement)
{
	struct gaudi_tpc_wrong wrong, why;
	struct statement other = *statement;
	unsigned int i, best = 0;

	if (count == 1 && w->op == GAUDI_TPC_OP_LOOP)
		return loop(as, w, statement);
	for (i = 0; i < count; i++) {
		if (w[i].op == GAUDI_TPC_OP_LOOP)
			return say(as, w[i].at, false,
				   "a loop is a word of its own");
		warn_bits(as, &w[i]);
	}
	if (count < GAUDI_TPC_SLOTS)
		return fit_anywhere(w, 0, count, 0, statement, &wrong, &best) ||
		       say(as, wrong.at, false, "%s", wrong.text);
	for (i = 0; i < count; i++)
		if (fit(&w[i], i, statement, &wrong, &best))
			break;
	if (i == count)
		return true;
	/* Not in the order of the slots: then as fewer would be placed. */
	if (!fit_anywhere(w, 0, count, 0, &other, &why, &best))
		return say(as, wrong.at, false, "%s", wrong.text);
	*statement = other;
	return true;
}

static struct statement *new_statement(struct assembler *as)
{
	struct statement *list;

	if (as->count == as->room) {
		as->room = as->room ? 2 * as->room : 64;
		list = realloc(as->statements, as->room * sizeof(*list));
		if (!list) {
			out_of_memory(as);
			return NULL;
		}
		as->statements = list;
	}
	memset(&as->statements[as->count], 0, sizeof(*as->statements));
	gaudi_tpc_nops(&as->statements[as->count].word);
	as->statements[as->count].at = now(as);
	return &as->statements[as->count++];
}

/* One to four operations, behind each other or in braces. */
static bool word(struct assembler *as)
{
	struct gaudi_tpc_written w[GAUDI_TPC_SLOTS];
	struct statement *statement = new_statement(as);
	bool braces = is_sign(as, "{");
	unsigned int count = 0;

	if (!statement)
		return false;
	as->parser.reader.at += braces;
	for (;;) {
		while (braces && (now(as)->kind == GAUDI_TPC_T_NEWLINE ||
				  is_sign(as, ";")))
			as->parser.reader.at++;
		if (braces && is_sign(as, "}"))
			break;
		if (count == GAUDI_TPC_SLOTS)
			return say(as, now(as), false,
				   "a word has four slots; this is a fifth operation");
		if (!gaudi_tpc_operation(&as->parser, &w[count++]))
			return false;
		if (braces && !is_sign(as, "}") &&
		    now(as)->kind != GAUDI_TPC_T_END)
			continue;
		if (braces || line_ends(as))
			break;
		if (!is_sign(as, ";"))
			return say(as, now(as), false,
				   "the end of the line or ; is expected here");
		as->parser.reader.at++;
		if (line_ends(as))	/* behind the last one, too */
			break;
	}
	if (braces && !is_sign(as, "}"))
		return say(as, now(as), false, "} is expected here");
	as->parser.reader.at += braces;
	return fit_all(as, w, count, statement);
}

/* Bytes of a word in memory order: .word and 64 digits. */
static bool raw_word(struct assembler *as)
{
	struct statement *statement = new_statement(as);
	const struct gaudi_tpc_token *token = now(as);
	unsigned int i, byte;
	char digits[3] = "";

	if (!statement)
		return false;
	if (token->kind != GAUDI_TPC_T_HEX)
		return say(as, token, false,
			   "64 hexadecimal digits are expected here");
	for (i = 0; i < GAUDI_TPC_WORD; i++) {
		memcpy(digits, token->text + 2 * i, 2);
		if (sscanf(digits, "%2x", &byte) == 1)
			statement->bytes[i] = byte;
	}
	statement->raw = true;
	as->parser.reader.at++;
	return true;
}

static bool metadata(struct assembler *as)
{
	const struct gaudi_tpc_token *token = now(as);
	int64_t number = 0;
	uint8_t *field;
	unsigned int i;

	for (i = 0; i < COUNT(metadata_names); i++)
		if (gaudi_tpc_token_is(token, metadata_names[i].name))
			break;
	if (i == COUNT(metadata_names))
		return say(as, token, false,
			   ".metadata: no such field; see the manual");
	as->parser.reader.at++;
	if (is_sign(as, ","))
		as->parser.reader.at++;
	if (!gaudi_tpc_integer(&as->parser, metadata_names[i].name, 0,
		     metadata_names[i].size == 1 ? UINT8_MAX : UINT16_MAX,
		     &number))
		return false;
	field = (uint8_t *)&as->given + metadata_names[i].offset;
	if (metadata_names[i].size == 1)
		*field = number;
	else
		*(uint16_t *)(void *)field = number;
	as->is_given |= 1u << i;
	return true;
}

static bool set_symbol(struct assembler *as)
{
	const struct gaudi_tpc_token *name = now(as);
	struct gaudi_tpc_value value;

	if (name->kind != GAUDI_TPC_T_NAME)
		return say(as, name, false, "a name is expected here");
	as->parser.reader.at++;
	if (is_sign(as, ",") || is_sign(as, "="))
		as->parser.reader.at++;
	if (!gaudi_tpc_value_of(&as->parser, &value))
		return false;
	return gaudi_tpc_set_symbol(&as->parser.reader, name, &value) ||
	       out_of_memory(as);
}

/* What compilers' listings have and no kernel needs. */
static bool ignored(const struct gaudi_tpc_token *token)
{
	static const char *const names[] = {
		".text", ".globl", ".global", ".type", ".size", ".file",
		".section", ".p2align", ".align", ".ident", ".addrsig",
		".addrsig_sym",
	};
	unsigned int i;

	for (i = 0; i < COUNT(names); i++)
		if (gaudi_tpc_token_is(token, names[i]))
			return true;
	return false;
}

static bool directive(struct assembler *as)
{
	const struct gaudi_tpc_token *name = now(as);

	as->parser.reader.at++;
	if (gaudi_tpc_token_is(name, ".word"))
		return raw_word(as);
	if (gaudi_tpc_token_is(name, ".metadata"))
		return metadata(as);
	if (gaudi_tpc_token_is(name, ".set"))
		return set_symbol(as);
	if (!ignored(name))
		return say(as, name, false,
			   "there is no directive %.*s; .define, .set, .metadata and .word are known",
			   (int)(name->length < 40 ? name->length : 40),
			   name->text);
	while (!line_ends(as))
		as->parser.reader.at++;
	return true;
}

static struct gaudi_tpc_label *find_label(struct assembler *as,
					  const struct gaudi_tpc_token *name)
{
	size_t i;

	for (i = 0; i < as->program->label_count; i++)
		if (gaudi_tpc_token_is(name, as->program->labels[i].name))
			return &as->program->labels[i];
	return NULL;
}

static bool add_label(struct assembler *as)
{
	struct gaudi_tpc_program *program = as->program;
	const struct gaudi_tpc_token *name = now(as);
	struct gaudi_tpc_label *labels;
	struct gaudi_tpc_operand reg;

	as->parser.reader.at += 2;
	if (find_label(as, name))
		return say(as, name, false, "this label is there already");
	if (gaudi_tpc_register(name->text, name->length, &reg) ||
	    gaudi_tpc_is_symbol(&as->parser.reader, name))
		return say(as, name, false,
			   "a label cannot have the name of a register or a number");
	labels = realloc(program->labels,
			 (program->label_count + 1) * sizeof(*labels));
	if (!labels)
		return out_of_memory(as);
	program->labels = labels;
	labels += program->label_count;
	labels->name = strndup(name->text, name->length);
	labels->offset = as->count * GAUDI_TPC_WORD;
	program->label_count += labels->name != NULL;
	return labels->name || out_of_memory(as);
}

/* Labels, and then a directive, a word, or nothing. */
static bool line(struct assembler *as)
{
	while (now(as)->kind == GAUDI_TPC_T_NAME &&
	       gaudi_tpc_token_is(now(as) + 1, ":"))
		if (!add_label(as))
			return false;
	if (line_ends(as))
		return true;
	if (now(as)->kind == GAUDI_TPC_T_NAME && now(as)->text[0] == '.') {
		if (!directive(as))
			return false;
	} else if (!word(as)) {
		return false;
	}
	return line_ends(as) ||
	       say(as, now(as), false, "the end of the line is expected here");
}

static void read_all(struct assembler *as)
{
	while (now(as)->kind != GAUDI_TPC_T_END && !as->no_memory) {
		if (!line(as)) {
			if (as->parser.errors >= MAX_ERRORS)
				return;
			while (!line_ends(as))
				as->parser.reader.at++;
		}
		if (now(as)->kind == GAUDI_TPC_T_NEWLINE)
			as->parser.reader.at++;
	}
}

/* Where a label is from word n, into the word. */
static bool resolve(struct assembler *as, size_t n)
{
	struct statement *s = &as->statements[n];
	struct gaudi_tpc_label *label = find_label(as, s->label);
	int64_t from = n * GAUDI_TPC_WORD;

	if (!label)
		return say(as, s->label, false, "there is no label %.*s",
			   (int)(s->label->length < 60 ? s->label->length : 60),
			   s->label->text);
	if (!s->word.is_loop) {
		s->word.slot[GAUDI_TPC_SPU].src[GAUDI_TPC_SRC_A].value =
			label->offset - from;
		return true;
	}
	from += GAUDI_TPC_WORD;
	if (label->offset < from + 2 * GAUDI_TPC_WORD)
		return say(as, s->label, false,
			   "a loop has a delay slot and at least one word before its end");
	if (label->offset - from > UINT16_MAX)
		return say(as, s->label, false,
			   "the loop is too long: %lld words at most",
			   (long long)UINT16_MAX / GAUDI_TPC_WORD);
	s->word.loop.end = label->offset - from;
	return true;
}

/* The last word of a loop's body. */
static size_t last_word(const struct assembler *as, size_t n)
{
	return n + as->statements[n].word.loop.end / GAUDI_TPC_WORD;
}

/* What hardware has not, but words can say. Loops before this one are known. */
static void warn_strange(struct assembler *as, size_t n)
{
	const struct statement *s = &as->statements[n];
	const struct gaudi_tpc_insn *spu = &s->word.slot[GAUDI_TPC_SPU];
	size_t i = n > UINT16_MAX / GAUDI_TPC_WORD ?
		   n - UINT16_MAX / GAUDI_TPC_WORD : 0;

	if (spu->op == GAUDI_TPC_OP_JMPR &&
	    spu->src[GAUDI_TPC_SRC_A].kind == GAUDI_TPC_K_IMM &&
	    spu->src[GAUDI_TPC_SRC_A].value % GAUDI_TPC_WORD)
		say(as, s->at, true, "this jumps into the midst of a word");
	for (; s->word.is_loop && i < n; i++) {
		if (as->statements[i].raw || !as->statements[i].word.is_loop ||
		    last_word(as, i) != last_word(as, n))
			continue;
		say(as, s->at, true,
		    "this loop ends with the same word as that of line %u: put a nop between their ends",
		    as->statements[i].at->line);
		return;
	}
}

/* The word's bytes; they must mean what was written. */
static bool encode(struct assembler *as, size_t n, uint8_t *raw)
{
	struct statement *s = &as->statements[n];
	char wanted[GAUDI_TPC_TEXT], got[GAUDI_TPC_TEXT];
	struct gaudi_tpc_error err;
	struct gaudi_tpc_word again;

	if (s->raw) {
		memcpy(raw, s->bytes, GAUDI_TPC_WORD);
		return true;
	}
	if (s->label && !resolve(as, n))
		return false;
	warn_strange(as, n);
	if (gaudi_tpc_encode(&s->word, raw, &err) ||
	    gaudi_tpc_decode(raw, &again, &err))
		return say(as, s->at, false, "%s", err.text);
	gaudi_tpc_print(&s->word, wanted, sizeof(wanted));
	gaudi_tpc_print(&again, got, sizeof(got));
	if (strcmp(wanted, got))
		return say(as, s->at, false,
			   "this has the encoding of another word: %s", got);
	return true;
}

static void write_all(struct assembler *as)
{
	struct gaudi_tpc_program *program = as->program;
	size_t n;

	program->code = calloc(as->count + 1, GAUDI_TPC_WORD);
	program->lines = calloc(as->count + 1, sizeof(*program->lines));
	if (!program->code || !program->lines) {
		out_of_memory(as);
		return;
	}
	for (n = 0; n < as->count && as->parser.errors < MAX_ERRORS; n++) {
		encode(as, n, program->code + n * GAUDI_TPC_WORD);
		program->lines[n] = as->statements[n].at->line;
	}
	program->words = as->count;
}

static void set_metadata(struct assembler *as)
{
	struct gaudi_tpc_metadata *to = &as->program->metadata;
	unsigned int i;

	gaudi_tpc_metadata_of(as->program->code, as->program->words, to);
	for (i = 0; i < COUNT(metadata_names); i++)
		if (as->is_given & 1u << i)
			memcpy((uint8_t *)to + metadata_names[i].offset,
			       (uint8_t *)&as->given + metadata_names[i].offset,
			       metadata_names[i].size);
}

void gaudi_tpc_program_free(struct gaudi_tpc_program *program)
{
	size_t i;

	for (i = 0; i < program->label_count; i++)
		free(program->labels[i].name);
	free(program->labels);
	free(program->code);
	free(program->lines);
	memset(program, 0, sizeof(*program));
}

int gaudi_tpc_assemble(const char *source, size_t length,
		       struct gaudi_tpc_program *program,
		       gaudi_tpc_report_fn *report, void *arg)
{
	struct assembler as = {
		.program = program,
		.parser = { .report = report, .arg = arg },
	};
	struct gaudi_tpc_tokens tokens;
	unsigned int line, column;
	const char *wrong;

	memset(program, 0, sizeof(*program));
	wrong = gaudi_tpc_lex(source, length, &tokens, &line, &column);
	if (wrong && !*wrong)
		return -1;
	if (wrong) {
		if (report)
			report(arg, line, column, false, wrong);
		return 1;
	}
	as.parser.reader.at = tokens.list;
	read_all(&as);
	if (!as.parser.errors && !as.no_memory)
		write_all(&as);
	if (!as.parser.errors && !as.no_memory)
		set_metadata(&as);
	free(tokens.list);
	free(as.statements);
	gaudi_tpc_free_symbols(&as.parser.reader);
	if (as.parser.errors || as.no_memory)
		gaudi_tpc_program_free(program);
	return as.no_memory ? -1 : (int)as.parser.errors;
}
