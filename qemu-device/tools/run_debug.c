// SPDX-License-Identifier: GPL-2.0-or-later
/* A debugger of TPC kernels that reads commands from standard input. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run_debug.h"
#include "run_memory.h"
#include "run_show.h"

#define LINE		256
#define AROUND		5		/* words before the PC in a list */

struct debugger {
	struct run_machine *m;
	enum run_debug_end end;
	bool over;
};

static uint64_t here(const struct run_machine *m)
{
	return m->core->pc - RUN_CODE;
}

/* After words were executed. */
static void stopped(struct debugger *d, enum gaudi_tpc_why why)
{
	struct run_machine *m = d->m;
	bool watched = run_watch_tell(stdout, m);

	if (why != GAUDI_TPC_BUDGET && why != GAUDI_TPC_BREAK) {
		d->over = true;
		d->end = RUN_DEBUG_ENDED;
		return;
	}
	if (!run_machine_left(m)) {
		d->over = true;
		d->end = RUN_DEBUG_LIMIT;
		return;
	}
	if (why == GAUDI_TPC_BREAK && !watched)
		puts("breakpoint");
	run_show_word(stdout, m, here(m), "=> ");
}

static void step(struct debugger *d, const char *text)
{
	char *end;
	unsigned long long n = strtoull(text, &end, 0);

	if (!*text)
		n = 1;
	else if (*end || !n || *text == '-') {
		puts("step takes a number of words");
		return;
	}
	stopped(d, run_machine_go(d->m, n));
}

/* A loop as a whole, with its delay slot; any other word. */
static void next(struct debugger *d, const char *text)
{
	struct run_machine *m = d->m;
	uint64_t pc = here(m), behind;
	struct gaudi_tpc_word word;
	enum gaudi_tpc_why why;
	size_t count = m->break_count;

	(void)text;
	if (pc % GAUDI_TPC_WORD ||
	    pc / GAUDI_TPC_WORD >= m->program->words ||
	    gaudi_tpc_decode(m->program->code + pc, &word, NULL) ||
	    !word.is_loop) {
		stopped(d, run_machine_go(m, 1));
		return;
	}
	behind = pc + word.loop.end + GAUDI_TPC_WORD;
	run_machine_break(m, behind);
	why = run_machine_go(m, UINT64_MAX);
	m->break_count = count;
	if (why == GAUDI_TPC_BREAK && here(m) == behind)
		why = GAUDI_TPC_BUDGET;
	stopped(d, why);
}

static void go_on(struct debugger *d, const char *text)
{
	(void)text;
	stopped(d, run_machine_go(d->m, UINT64_MAX));
}

static void set_break(struct debugger *d, const char *text)
{
	struct run_machine *m = d->m;
	uint64_t offset;
	size_t i;

	if (!*text) {
		for (i = 0; i < m->break_count; i++)
			run_show_word(stdout, m, m->breaks[i], "   ");
		return;
	}
	if (run_find(m, text, &offset)) {
		printf("there is no word '%s'\n", text);
		return;
	}
	/* next needs one of the places. */
	if (m->break_count >= RUN_BREAKS - 1 || run_machine_break(m, offset))
		puts("this breakpoint exists, or there are too many");
	else
		run_show_word(stdout, m, offset, "   ");
}

static void delete(struct debugger *d, const char *text)
{
	struct run_machine *m = d->m;
	uint64_t offset;
	size_t i;

	if (!*text) {
		m->break_count = 0;
		return;
	}
	for (i = 0; i < m->break_count && !run_find(m, text, &offset); i++) {
		if (m->breaks[i] != offset)
			continue;
		m->break_count--;
		m->breaks[i] = m->breaks[m->break_count];
		m->break_at[i] = m->break_at[m->break_count];
		return;
	}
	printf("there is no breakpoint '%s'\n", text);
}

static void print(struct debugger *d, const char *text)
{
	struct run_print p;

	if (run_print_parse(text, &p))
		printf("'%s' is no register; try v3:f32, s0, i2, vp1, sp1, ad0, pc, v, all\n",
		       text);
	else
		run_print(stdout, d->m->core, &p);
}

static void memory(struct debugger *d, const char *text)
{
	run_memory_show(stdout, d->m, text);
}

static void watch(struct debugger *d, const char *text)
{
	char why[160];

	if (!*text)
		run_watch_list(stdout, d->m);
	else if (run_watch(d->m, text, why, sizeof(why)))
		puts(why);
}

static void unwatch(struct debugger *d, const char *text)
{
	char *end;
	unsigned long k = strtoul(text, &end, 10);

	if (*end || *text == '-' || (*text && !k) || k > RUN_WATCHES ||
	    run_unwatch(d->m, k))
		printf("no place has the number '%s'; see watch\n", text);
}

static void list(struct debugger *d, const char *text)
{
	uint64_t pc = here(d->m), at = pc, i;

	if (*text && run_find(d->m, text, &at)) {
		printf("there is no word '%s'\n", text);
		return;
	}
	at /= GAUDI_TPC_WORD;
	i = at > AROUND ? at - AROUND : 0;
	for (; i <= at + AROUND && i < d->m->program->words; i++)
		run_show_word(stdout, d->m, i * GAUDI_TPC_WORD,
			      i * GAUDI_TPC_WORD == pc ? "=> " : "   ");
}

static void quit(struct debugger *d, const char *text)
{
	(void)text;
	d->over = true;
	d->end = RUN_DEBUG_QUIT;
}

static void help(struct debugger *d, const char *text);

static const struct command {
	const char *name;
	void (*run)(struct debugger *d, const char *text);
	const char *what;
} commands[] = {
	{ "step", step, "[N]  execute N words, or one" },
	{ "next", next, "  the same with one word; a loop as a whole" },
	{ "continue", go_on, "  to the next breakpoint, or the end" },
	{ "break", set_break, "[PLACE]  stop before that word; or list such places" },
	{ "delete", delete, "[PLACE]  not there any more; or nowhere" },
	{ "print", print, "REG[:TYPE]  v3:f32 s0 i2 vp1 sp1 ad0 pc; v, all" },
	{ "memory", memory, "PLACE[:TYPE] [N]  slm+0x10 vlm+256:f32 t0(3,0) 0x20..." },
	{ "watch", watch, "[PLACE[:TYPE]]  stop when it changes; or list" },
	{ "unwatch", unwatch, "[N]  not that one any more; or none" },
	{ "list", list, "[PLACE]  words there, or at the PC" },
	{ "quit", quit, "  end; outputs are not written" },
	{ "help", help, "  this text; names may be shortened" },
};

#define COMMANDS	(sizeof(commands) / sizeof(commands[0]))

static void help(struct debugger *d, const char *text)
{
	size_t i;

	(void)d;
	(void)text;
	for (i = 0; i < COMMANDS; i++)
		printf("%s %s\n", commands[i].name, commands[i].what);
}

static void obey(struct debugger *d, char *line)
{
	char *name = line + strspn(line, " \t");
	size_t len = strcspn(name, " \t\n"), i;
	char *text = name + len;

	if (!len)
		return;
	text += strspn(text, " \t\n");
	for (i = strlen(text); i && strchr(" \t\n", text[i - 1]); i--)
		text[i - 1] = '\0';
	for (i = 0; i < COMMANDS; i++)
		if (!strncmp(name, commands[i].name, len)) {
			commands[i].run(d, text);
			return;
		}
	printf("there is no command '%.*s'; try help\n", (int)len, name);
}

enum run_debug_end run_debug(struct run_machine *m)
{
	struct debugger d = { .m = m };
	bool prompt = isatty(STDIN_FILENO);
	char line[LINE], last[LINE] = "";

	run_show_word(stdout, m, here(m), "=> ");
	while (!d.over) {
		if (prompt)
			fputs("(tpc) ", stdout);
		fflush(stdout);
		if (!fgets(line, sizeof(line), stdin))
			return RUN_DEBUG_QUIT;
		/* An empty line at a terminal: the same again. */
		if (prompt && line[0] == '\n')
			strcpy(line, last);
		strcpy(last, line);
		obey(&d, line);
	}
	return d.end;
}
