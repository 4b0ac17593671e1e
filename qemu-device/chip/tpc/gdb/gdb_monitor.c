// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * The commands of "monitor": what GDB has no words for. Of a command, and of what it
 * takes, the first letters will do.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gdb_priv.h"

#define AROUND		5	/* words before and behind the one of a list */
#define MOST_WORDS	64

struct text {
	char *to;
	size_t left;
};

static void __attribute__((format(printf, 2, 3)))
say(struct text *out, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(out->to, out->left, format, args);
	va_end(args);
	if (n < 0)
		return;
	if ((size_t)n >= out->left)
		n = out->left - 1;
	out->to += n;
	out->left -= n;
}

/* The next word of text, and what follows it; "" at the end. */
static const char *next_word(char **text)
{
	char *word = *text + strspn(*text, " \t");
	char *end = word + strcspn(word, " \t");

	*text = end + (*end != 0);
	*end = 0;
	return word;
}

static bool begins(const char *word, const char *name)
{
	return *word && !strncmp(word, name, strlen(word));
}

/* --- words of the kernel ------------------------------------------------------ */

static int read_word(struct gaudi_gdb *gdb, uint64_t addr, uint8_t *raw)
{
	return gdb->ops->read(gdb->opaque, gdb->current, addr, raw,
			      GAUDI_TPC_WORD);
}

static void list_word(struct gaudi_gdb *gdb, struct gaudi_tpc_core *core,
		      uint64_t addr, struct text *out)
{
	char text[GAUDI_TPC_TEXT];
	uint8_t raw[GAUDI_TPC_WORD];
	struct gaudi_tpc_word word;
	struct gaudi_tpc_error err;

	say(out, "%s0x%llx <+0x%llx>\t", addr == core->pc ? "=> " : "   ",
	    (unsigned long long)addr, (unsigned long long)(addr - core->base));
	if (read_word(gdb, addr, raw)) {
		say(out, "(no word can be read)\n");
		return;
	}
	if (gaudi_tpc_decode(raw, &word, &err)) {
		say(out, "(%s)\n", err.text);
		return;
	}
	gaudi_tpc_print(&word, text, sizeof(text));
	say(out, "%s\n", text);
}

static bool number(const char *word, uint64_t *value)
{
	char *end;

	*value = strtoull(word, &end, 0);
	return *word >= '0' && *word <= '9' && !*end;
}

/* list [ADDRESS|+OFFSET [WORDS]] */
static void do_list(struct gaudi_gdb *gdb, struct gaudi_tpc_core *core,
		    char *args, struct text *out)
{
	uint64_t from = core->pc, count = 2 * AROUND + 1, off;
	const char *where = next_word(&args), *words = next_word(&args);
	bool offset = *where == '+';

	off = from - core->base;
	from -= off < AROUND * GAUDI_TPC_WORD ? off : AROUND * GAUDI_TPC_WORD;
	if (*where && !number(where + offset, &from)) {
		say(out, "'%s' is no address, nor +OFFSET\n", where);
		return;
	}
	if (*where && offset)
		from += core->base;
	if (*words && (!number(words, &count) || !count || count > MOST_WORDS)) {
		say(out, "'%s' is no number of words, up to %u\n", words,
		    MOST_WORDS);
		return;
	}
	for (; count; count--, from += GAUDI_TPC_WORD)
		list_word(gdb, core, from, out);
}

/* --- what the launch says ------------------------------------------------------ */

static void do_index(struct gaudi_gdb *gdb, struct gaudi_tpc_core *core,
		     char *args, struct text *out)
{
	const uint32_t *desc = core->launch.desc;
	unsigned int d;

	(void)gdb;
	(void)args;
	say(out, "index space: from (");
	for (d = 0; d < GAUDI_TPC_DIMS; d++)
		say(out, "%s%u", d ? ", " : "", desc[GAUDI_TPC_D_TID_BASE(d)]);
	say(out, "), sizes (");
	for (d = 0; d < GAUDI_TPC_DIMS; d++)
		say(out, "%s%u", d ? ", " : "", desc[GAUDI_TPC_D_TID_SIZE(d)]);
	say(out, ")\n");
	for (d = 0; d < core->depth; d++)
		say(out, "loop %u: S%u = %d to %d by %d, words <+0x%llx> to <+0x%llx>\n",
		    d, GAUDI_TPC_S_COUNT + d,
		    (int)core->r.s[GAUDI_TPC_S_COUNT + d],
		    core->frame[d].boundary, core->frame[d].step,
		    (unsigned long long)(core->frame[d].top - core->base),
		    (unsigned long long)(core->frame[d].last - core->base));
}

/* Only those that can hold something. */
static void do_tensors(struct gaudi_gdb *gdb, struct gaudi_tpc_core *core,
		       char *args, struct text *out)
{
	static const char *const names[] = { "i8", "i16", "i32", "u8", "u16",
					     "u32", "bf16", "f32" };
	const struct gaudi_tpc_tensor *t;
	unsigned int n, d, shown = 0;

	(void)gdb;
	(void)args;
	for (n = 0; n < GAUDI_TPC_TENSORS; n++) {
		t = &core->tensor[n];
		for (d = 0; d < GAUDI_TPC_DIMS && t->size[d]; d++)
			;
		if (d < GAUDI_TPC_DIMS || !t->base)
			continue;
		say(out, "tensor %u: %s at 0x%llx, sizes", n, names[t->type & 7],
		    (unsigned long long)t->base);
		for (d = 0; d < GAUDI_TPC_DIMS; d++)
			say(out, " %llu", (unsigned long long)t->size[d]);
		say(out, ", strides in bytes");
		for (d = 0; d < GAUDI_TPC_DIMS; d++)
			say(out, " %llu", (unsigned long long)t->stride[d]);
		say(out, "\n");
		shown++;
	}
	if (!shown)
		say(out, "there is no tensor\n");
}

/* --- stops --------------------------------------------------------------------- */

#define VPU(cause)	((cause) << GAUDI_TPC_CAUSE_VPU)
#define BOTH(cause)	((cause) | VPU(cause))

static const struct {
	const char *name;
	uint32_t causes;
} cause_sets[] = {
	{ "div0", GAUDI_TPC_CAUSE_DIV0 },
	{ "mac", BOTH(GAUDI_TPC_CAUSE_MAC) },
	{ "addsub", BOTH(GAUDI_TPC_CAUSE_ADDSUB) },
	{ "abs", BOTH(GAUDI_TPC_CAUSE_ABS) },
	{ "nan", BOTH(GAUDI_TPC_CAUSE_NAN_INF) },
	{ "denormal", BOTH(GAUDI_TPC_CAUSE_DENORM) },
};

#define CAUSE_SETS	(sizeof(cause_sets) / sizeof(cause_sets[0]))

void gaudi_gdb_cause_names(uint32_t causes, char *text, size_t size)
{
	static const char *const names[] = {
		"division by zero", "MAC beyond its range",
		"ADD or SUB beyond its range", "ABS beyond its range",
		"NaN or infinity", "too small a float",
	};
	struct text out = { text, size };
	unsigned int i;

	*text = 0;
	for (i = 0; i < CAUSE_SETS; i++)
		if (causes & cause_sets[i].causes)
			say(&out, "%s%s", *text ? ", " : "", names[i]);
}

static void show_stops(const struct gaudi_gdb_stops *stops, struct text *out)
{
	unsigned int i;

	say(out, "start: %s\nhazard: %s\n", stops->starts ? "on" : "off",
	    stops->hazards ? "on" : "off");
	for (i = 0; i < CAUSE_SETS; i++)
		say(out, "%s: %s\n", cause_sets[i].name,
		    stops->causes & cause_sets[i].causes ? "on" : "off");
}

static void set_stop(struct gaudi_gdb_stops *stops, const char *what, bool on,
		     struct text *out)
{
	unsigned int i;

	for (i = 0; i < CAUSE_SETS; i++) {
		if (strcmp(what, cause_sets[i].name))
			continue;
		stops->causes &= ~cause_sets[i].causes;
		stops->causes |= on ? cause_sets[i].causes : 0;
		return;
	}
	if (!strcmp(what, "start"))
		stops->starts = on;
	else if (!strcmp(what, "hazard"))
		stops->hazards = on;
	else
		say(out, "there is no stop '%s'; see monitor stop\n", what);
}

/* stop [WHAT [on|off]] */
static void do_stop(struct gaudi_gdb *gdb, struct gaudi_tpc_core *core,
		    char *args, struct text *out)
{
	const char *what = next_word(&args), *how = next_word(&args);

	(void)core;
	if (!*what)
		show_stops(&gdb->stops, out);
	else if (*how && strcmp(how, "on") && strcmp(how, "off"))
		say(out, "'%s' is neither on nor off\n", how);
	else
		set_stop(&gdb->stops, what, strcmp(how, "off"), out);
}

/* --- commands ------------------------------------------------------------------- */

static void do_where(struct gaudi_gdb *gdb, struct gaudi_tpc_core *core,
		     char *args, struct text *out)
{
	char text[256];

	(void)args;
	gdb->ops->name(gdb->opaque, gdb->current, text, sizeof(text));
	say(out, "%s\n", text);
	say(out, "kernel at 0x%llx, %llu words executed\n",
	    (unsigned long long)core->base, (unsigned long long)core->words);
	if (core->ended) {
		gaudi_tpc_stop_text(core, text, sizeof(text));
		say(out, "it has ended: %s\n", text);
		return;
	}
	list_word(gdb, core, core->pc, out);
}

static const struct command {
	const char *name;
	const char *help;
	void (*run)(struct gaudi_gdb *gdb, struct gaudi_tpc_core *core,
		    char *args, struct text *out);
} commands[] = {
	{ "list", "[ADDRESS|+OFFSET [WORDS]]  instructions there, or at the PC",
	  do_list },
	{ "index", "the core's part of the index space, and loops", do_index },
	{ "tensors", "what the launch has given", do_tensors },
	{ "where", "which kernel, and how far it has come", do_where },
	{ "stop", "[start|hazard|nan|div0|mac|addsub|abs|denormal [on|off]]",
	  do_stop },
};

#define COMMANDS	(sizeof(commands) / sizeof(commands[0]))

void gaudi_gdb_monitor(struct gaudi_gdb *gdb, struct gaudi_tpc_core *core,
		       const char *command, char *out, size_t size)
{
	struct text text = { out, size };
	char line[256], *args = line;
	const char *word;
	unsigned int i;

	*out = 0;
	snprintf(line, sizeof(line), "%s", command);
	word = next_word(&args);
	for (i = 0; i < COMMANDS && !begins(word, commands[i].name); i++)
		;
	if (i < COMMANDS && (core || commands[i].run == do_stop)) {
		commands[i].run(gdb, core, args, &text);
		return;
	}
	if (i < COMMANDS) {
		say(&text, "this core has had no kernel yet\n");
		return;
	}
	if (!begins(word, "help"))
		say(&text, "there is no command '%s'; there are:\n", word);
	for (i = 0; i < COMMANDS; i++)
		say(&text, "%s  %s\n", commands[i].name, commands[i].help);
}
