// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * gaudi-tpc-run: execute a TPC kernel on arrays in files of NumPy's, as the
 * card's TPC would, without a card. See gaudi-tpc-run(1).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "run_debug.h"
#include "run_memory.h"
#include "run_options.h"
#include "run_show.h"

#define TELL(format, ...) \
	fprintf(stderr, "gaudi-tpc-run: " format "\n", ##__VA_ARGS__)

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static int read_kernel(const char *path, struct gaudi_tpc_object *object)
{
	size_t size;
	uint8_t *bytes = gaudi_tpc_read_file(path, &size);
	char why[120];
	int status;

	if (!bytes) {
		TELL("%s: %s", path, strerror(errno));
		return -1;
	}
	status = gaudi_tpc_object_parse(bytes, size, object, why, sizeof(why));
	if (status)
		TELL("%s: %s", path, why);
	free(bytes);
	return status;
}

/* Where an access went that was refused. */
static void tell_address(const struct run_machine *m, uint64_t addr)
{
	const struct run_tensor *t, *best = NULL;
	uint64_t off;

	for (t = m->tensor; t < m->tensor + m->tensors; t++)
		if (t->addr <= addr)
			best = t;
	if (!best) {
		TELL("  the address is in no tensor");
		return;
	}
	off = addr - best->addr;
	TELL("  the address is byte %llu of tensor %u, which has %zu",
	     (unsigned long long)off, (unsigned int)(best - m->tensor),
	     best->array.bytes);
}

static int tell_stop(const struct run_machine *m)
{
	const struct gaudi_tpc_stop *stop = &m->core->stop;
	uint64_t pc = stop->pc - RUN_CODE;
	char text[256];

	fflush(stdout);
	gaudi_tpc_stop_text(m->core, text, sizeof(text));
	TELL("%s: core %u: %s", m->name, m->now, text);
	run_show_word(stderr, m, pc, "  ");
	if (stop->why == GAUDI_TPC_READ || stop->why == GAUDI_TPC_WRITE)
		tell_address(m, stop->addr);
	return stop->why == GAUDI_TPC_HAZARD ? RUN_HAZARD : RUN_STOPPED;
}

static int tell_limit(const struct run_machine *m)
{
	fflush(stdout);
	TELL("%s: core %u: no end after %llu words", m->name, m->now,
	     (unsigned long long)m->core->words);
	run_show_word(stderr, m, m->core->pc - RUN_CODE, "  ");
	return RUN_LIMIT;
}

static void print_all(const struct run_options *o, struct run_machine *m)
{
	unsigned int i;

	for (i = 0; i < o->prints; i++)
		run_print(stdout, m->core, &o->print[i]);
}

static void at_break(const struct run_options *o, struct run_machine *m)
{
	if (run_watch_tell(stdout, m))
		return;
	puts("breakpoint");
	run_show_word(stdout, m, m->core->pc - RUN_CODE, "=> ");
	print_all(o, m);
}

/* What a word changed is told behind it; a breakpoint there too. */
static bool is_at_break(const struct run_machine *m)
{
	size_t i;

	for (i = 0; i < m->break_count; i++)
		if (m->break_at[i] == m->core->pc)
			return true;
	return false;
}

/* Words one by one. */
static enum gaudi_tpc_why trace(const struct run_options *o,
				struct run_machine *m)
{
	struct gaudi_tpc_regs *old = malloc(sizeof(*old));
	enum gaudi_tpc_why why;

	if (!old) {
		TELL("no memory");
		exit(RUN_FILES);
	}
	do {
		/* At the start run_core() has told it. */
		if (m->core->words && is_at_break(m))
			at_break(o, m);
		*old = m->core->r;
		run_show_word(stdout, m, m->core->pc - RUN_CODE, "");
		why = run_machine_go(m, 1);
		if (o->trace)
			run_show_changes(stdout, m->core, old);
		run_watch_tell(stdout, m);
	} while ((why == GAUDI_TPC_BUDGET || why == GAUDI_TPC_BREAK) &&
		 run_machine_left(m));
	free(old);
	return why;
}

static int run_core(const struct run_options *o, struct run_machine *m)
{
	enum run_debug_end end;
	enum gaudi_tpc_why why;

	if (o->debug) {
		end = run_debug(m);
		if (end == RUN_DEBUG_QUIT)
			return RUN_QUIT;
		why = end == RUN_DEBUG_LIMIT ? GAUDI_TPC_BUDGET :
					       m->core->stop.why;
	} else {
		if (is_at_break(m))
			at_break(o, m);
		if (o->steps || o->trace)
			why = trace(o, m);
		else
			while ((why = run_machine_go(m, UINT64_MAX)) ==
			       GAUDI_TPC_BREAK)
				at_break(o, m);
	}
	run_watch_tell(stdout, m);
	print_all(o, m);
	run_show_causes(stdout, m);
	if (why == GAUDI_TPC_BUDGET)
		return tell_limit(m);
	return why == GAUDI_TPC_HALT ? 0 : tell_stop(m);
}

static int write_outputs(const struct run_machine *m)
{
	const struct run_tensor *t;

	for (t = m->tensor; t < m->tensor + m->tensors; t++)
		if (t->out && gaudi_npy_write(t->out, &t->array)) {
			TELL("%s: %s", t->out, strerror(errno));
			return RUN_FILES;
		}
	return 0;
}

static int run_all(const struct run_options *o, struct run_machine *m)
{
	double start = now();
	unsigned int n;
	int status = 0;

	for (n = 0; n < m->cores && !status; n++)
		if (run_machine_launch(m, n))
			status = run_core(o, m);
	if (status == RUN_QUIT)
		return 0;
	if (o->stats)
		run_show_stats(stdout, m, o->debug ? 0 : now() - start);
	return status ? status : write_outputs(m);
}

/* Tensors that words name, and nobody has given: nothing else tells of them. */
static void tell_missing(const struct run_machine *m)
{
	const struct gaudi_tpc_insn *in;
	struct gaudi_tpc_word word;
	uint32_t missing = 0;
	unsigned int i;
	size_t n;

	for (n = 0; n < m->program->words; n++) {
		if (gaudi_tpc_decode(m->program->code + n * GAUDI_TPC_WORD,
				     &word, NULL))
			continue;
		for (i = 0; i < GAUDI_TPC_SLOTS; i++) {
			in = &word.slot[i];
			if (in->src[GAUDI_TPC_SRC_B].kind == GAUDI_TPC_K_TENSOR)
				missing |= 1u << in->src[GAUDI_TPC_SRC_B].num;
		}
	}
	for (i = m->tensors; i < GAUDI_TPC_TENSORS; i++)
		if (missing >> i & 1)
			TELL("%s: warning: it uses tensor %u, %u are given: loads read the padding, stores are dropped",
			     m->name, i, m->tensors);
}

static int prepare(const struct run_options *o, struct run_machine *m,
		   const struct gaudi_tpc_object *object)
{
	unsigned int i;
	char why[160];
	uint64_t at;

	if (object->has_metadata) {
		m->small_vlm = object->program.metadata.special_functions;
		if (object->program.metadata.scalars > o->scalars)
			TELL("%s: warning: it takes %u scalars, %u are given",
			     m->name, object->program.metadata.scalars,
			     o->scalars);
	}
	tell_missing(m);
	m->scalars = o->scalars;
	if (run_machine_start(m) ||
	    (o->hazards && gaudi_tpc_check_hazards(m->core, true))) {
		TELL("no memory");
		return RUN_FILES;
	}
	for (i = 0; i < o->scalars; i++)
		m->launch.desc[GAUDI_TPC_D_SRF(i)] = o->scalar[i];
	for (i = 0; i < o->watches; i++) {
		if (!run_watch(m, o->watch_at[i], why, sizeof(why)))
			continue;
		TELL("%s: %s", m->name, why);
		return RUN_USAGE;
	}
	for (i = 0; i < o->breaks; i++) {
		if (!run_find(m, o->break_at[i], &at)) {
			run_machine_break(m, at);
			continue;
		}
		TELL("%s: there is no word '%s'", m->name, o->break_at[i]);
		return RUN_USAGE;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static struct run_options o;
	static struct run_machine m;
	struct gaudi_tpc_object object;
	int status = run_options(argc, argv, &o, &m);

	if (status) {
		run_machine_end(&m);
		return status < 0 ? 0 : status;
	}
	if (read_kernel(m.name, &object)) {
		run_machine_end(&m);
		return RUN_FILES;
	}
	m.program = &object.program;
	status = prepare(&o, &m, &object);
	if (!status)
		status = run_all(&o, &m);
	run_machine_end(&m);
	gaudi_tpc_program_free(&object.program);
	if (fflush(stdout)) {
		TELL("%s", strerror(errno));
		return RUN_FILES;
	}
	return status;
}
