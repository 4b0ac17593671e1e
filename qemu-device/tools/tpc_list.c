// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A kernel as text that assembles to the same bytes: labels where jumps and
 * loops lead, and .word for words that are none, or that have bits set which
 * they do not use.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../chip/tpc/isa/tpc_isa.h"
#include "tpc_list.h"
#include "tpc_match.h"

#define NAME_SIZE		64

/* What word n, or the end, is called; "" if nothing leads there. */
typedef char label_name[NAME_SIZE];

static bool usable(const char *name)
{
	struct gaudi_tpc_operand reg;
	size_t i;

	for (i = 0; name[i]; i++)
		if (!(isalpha((uint8_t)name[i]) || name[i] == '_' ||
		      name[i] == '.' || name[i] == '$' ||
		      (i && isdigit((uint8_t)name[i]))))
			return false;
	return i && i < NAME_SIZE && gaudi_tpc_register(name, i, &reg) == 0;
}

/* Names of symbols, if they are names and each is there once. */
static void take_symbols(const struct gaudi_tpc_program *program,
			 label_name *names)
{
	size_t i, k;

	for (i = 0; i < program->label_count; i++) {
		const struct gaudi_tpc_label *label = &program->labels[i];
		char *to = names[label->offset / GAUDI_TPC_WORD];

		if (*to || !usable(label->name) ||
		    !strncmp(label->name, "L_", 2))
			continue;
		for (k = 0; k < i; k++)
			if (!strcmp(program->labels[k].name, label->name))
				break;
		if (k == i)
			strcpy(to, label->name);
	}
}

/* Where word n leads to, if a label can say it; -1 if not. */
static long target_of(const struct gaudi_tpc_word *word, size_t n, size_t words)
{
	int64_t target;

	if (!gaudi_tpc_target(word, (int64_t)n * GAUDI_TPC_WORD, &target) ||
	    target < 0 || target % GAUDI_TPC_WORD ||
	    (uint64_t)target / GAUDI_TPC_WORD > words)
		return -1;
	if (word->is_loop && word->loop.end < 2 * GAUDI_TPC_WORD)
		return -1;
	return target / GAUDI_TPC_WORD;
}

/* True if the text means these bytes. */
static bool says(const char *text, const uint8_t *raw)
{
	struct gaudi_tpc_program program;
	bool same;

	if (gaudi_tpc_assemble(text, strlen(text), &program, NULL, NULL))
		return false;
	same = program.words == 1 &&
	       !memcmp(program.code, raw, GAUDI_TPC_WORD);
	gaudi_tpc_program_free(&program);
	return same;
}

static void print_bytes(FILE *to, const uint8_t *raw)
{
	unsigned int i;

	for (i = 0; i < GAUDI_TPC_WORD; i++)
		fprintf(to, "%02x", raw[i]);
}

static void list_word(FILE *to, const uint8_t *raw, size_t n, size_t words,
		      label_name *names,
		      const struct gaudi_tpc_list_options *options)
{
	char text[GAUDI_TPC_TEXT];
	struct gaudi_tpc_word word;
	struct gaudi_tpc_error err;
	bool good = !gaudi_tpc_decode(raw, &word, &err), same = false;
	long target;

	if (options->addresses)
		fprintf(to, "/* %05zx */", n * GAUDI_TPC_WORD);
	if (good) {
		gaudi_tpc_print(&word, text, sizeof(text));
		same = says(text, raw);
	}
	if (same) {
		target = target_of(&word, n, words);
		gaudi_tpc_print_to(&word, target < 0 ? NULL : names[target],
				   text, sizeof(text));
		fprintf(to, "\t%s", text);
	} else {
		fputs("\t.word ", to);
		print_bytes(to, raw);
		fprintf(to, "\t// %s", good ? text : err.text);
	}
	if (options->bytes && same) {
		fputs("\t// ", to);
		print_bytes(to, raw);
	}
	fputc('\n', to);
}

int gaudi_tpc_list(FILE *to, const struct gaudi_tpc_program *program,
		   const struct gaudi_tpc_list_options *options)
{
	label_name *names = calloc(program->words + 1, sizeof(*names));
	struct gaudi_tpc_word word;
	long target;
	size_t n;

	if (!names)
		return -1;
	take_symbols(program, names);
	for (n = 0; n < program->words; n++) {
		if (gaudi_tpc_decode(program->code + n * GAUDI_TPC_WORD, &word,
				     NULL))
			continue;
		target = target_of(&word, n, program->words);
		if (target >= 0 && !*names[target])
			snprintf(names[target], NAME_SIZE, "L_%05lx",
				 target * GAUDI_TPC_WORD);
	}
	for (n = 0; n <= program->words; n++) {
		if (*names[n])
			fprintf(to, "%s:\n", names[n]);
		if (n < program->words)
			list_word(to, program->code + n * GAUDI_TPC_WORD, n,
				  program->words, names, options);
	}
	free(names);
	return 0;
}

void gaudi_tpc_list_metadata(FILE *to, const struct gaudi_tpc_metadata *m)
{
#define FIELD(name)	fprintf(to, ".metadata %s, %u\n", #name, m->name)
	FIELD(special_functions);
	FIELD(printf_used);
	FIELD(lock_unlock);
	FIELD(mmio_used);
	FIELD(march);
	FIELD(scalars);
	FIELD(printf_tensor);
	FIELD(threads);
	FIELD(direct_mmio);
	FIELD(dnorm);
	fprintf(to, ".metadata scalar_loads, 0x%x\n", m->scalar_loads);
	fprintf(to, ".metadata rmw_stores, 0x%x\n", m->rmw_stores);
#undef FIELD
}
