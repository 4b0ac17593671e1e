// SPDX-License-Identifier: GPL-2.0-or-later
/* One TPC under a debugger; see gaudi_run.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../chip/tpc/gdb/gdb.h"
#include "gaudi_run_core.h"

/* Words between looks at what a client wants: about a millisecond. */
#define SLICE	65536

struct gaudi_run_gdb {
	struct gaudi_gdb gdb;
	struct gaudi_gdb_thread thread;
	struct gaudi_tpc_core *core;
	unsigned int number;		/* of the core */
	bool begun;			/* a client has been waited for */
};

static struct gaudi_tpc_core *hold(void *opaque, unsigned int thread)
{
	struct gaudi_run_gdb *run = opaque;

	(void)thread;
	return run->core;
}

static void release(void *opaque, unsigned int thread)
{
	(void)opaque;
	(void)thread;
}

static void name(void *opaque, unsigned int thread, char *text, size_t size)
{
	struct gaudi_run_gdb *run = opaque;

	(void)thread;
	snprintf(text, size, "core %u", run->number);
}

/* The interpreter's own way to memory: there is no error to be told of. */
static int read_memory(void *opaque, unsigned int thread, uint64_t addr,
		       void *buf, size_t len)
{
	struct gaudi_tpc_core *core = ((struct gaudi_run_gdb *)opaque)->core;

	(void)thread;
	return core->host->read(core->opaque, addr, buf, len) ? -EFAULT : 0;
}

static int write_memory(void *opaque, unsigned int thread, uint64_t addr,
			const void *buf, size_t len)
{
	struct gaudi_tpc_core *core = ((struct gaudi_run_gdb *)opaque)->core;

	(void)thread;
	return core->host->write(core->opaque, addr, buf, len) ? -EFAULT : 0;
}

static const struct gaudi_gdb_ops ops = {
	.hold = hold,
	.release = release,
	.name = name,
	.read = read_memory,
	.write = write_memory,
};

struct gaudi_run_gdb *gaudi_run_gdb_new(struct gaudi_run *run, const char *where,
					char *why, size_t size)
{
	struct gaudi_run_gdb *g = calloc(1, sizeof(*g));

	if (!g) {
		snprintf(why, size, "no memory");
		return NULL;
	}
	g->core = gaudi_core_of_run(run);
	g->gdb.ops = &ops;
	g->gdb.opaque = g;
	g->gdb.thread = &g->thread;
	g->gdb.threads = 1;
	if (!gaudi_gdb_init(&g->gdb, where, why, size))
		return g;
	free(g);
	return NULL;
}

const char *gaudi_run_gdb_where(const struct gaudi_run_gdb *g)
{
	return g->gdb.link.where;
}

/* It has stopped, or is to: what the client wants then. False: its end. */
static bool stand_still(struct gaudi_run_gdb *g)
{
	enum gaudi_gdb_wish wish;

	gaudi_gdb_tell_stop(&g->gdb, 0);
	wish = gaudi_gdb_talk(&g->gdb, -1);
	if (wish != GAUDI_GDB_GO)
		gaudi_gdb_forget(&g->gdb);
	return wish != GAUDI_GDB_KILL;
}

/* What a client wants while it runs. False: its end. */
static bool look_round(struct gaudi_run_gdb *g)
{
	switch (gaudi_gdb_listen_in(&g->gdb, 0, -1)) {
	case GAUDI_GDB_STOP:
		g->thread.reason = GAUDI_GDB_INTERRUPTED;
		return stand_still(g);
	case GAUDI_GDB_KILL:
		return false;
	case GAUDI_GDB_LEAVE:
		gaudi_gdb_forget(&g->gdb);
		return true;
	default:
		return true;
	}
}

/* Before a kernel's first word. False: its end. */
static bool begin(struct gaudi_run_gdb *g)
{
	bool step = g->thread.action == GAUDI_GDB_STEP;

	gaudi_gdb_launched(&g->thread);
	if (!g->begun) {
		g->begun = true;
		while (gaudi_gdb_listen_in(&g->gdb, -1, -1) != GAUDI_GDB_STOP)
			;
		return stand_still(g);
	}
	/* Who steps out of a kernel's end comes here. */
	if (!step && !g->gdb.stops.starts)
		return true;
	g->thread.reason = GAUDI_GDB_START;
	return stand_still(g);
}

int gaudi_run_gdb_execute(struct gaudi_run_gdb *g, unsigned int number,
			  uint64_t words)
{
	enum gaudi_tpc_why why = GAUDI_TPC_BUDGET;
	uint64_t end = g->core->words + words, left;

	g->number = number;
	if (!g->core->words && !begin(g))
		return GAUDI_RUN_KILLED;
	while ((left = end - g->core->words)) {
		why = gaudi_gdb_go(g->core, &g->thread, &g->gdb.stops,
				   left < SLICE ? left : SLICE);
		if (g->thread.reason ? !stand_still(g) : !look_round(g))
			return GAUDI_RUN_KILLED;
		/* What has been told of goes on: to its end, or past a hazard. */
		if (g->core->ended &&
		    (why != GAUDI_TPC_HAZARD || !g->thread.own_check))
			break;
	}
	return gaudi_result_of_run(g->core->ended ? g->core->stop.why :
						    GAUDI_TPC_BUDGET);
}

void gaudi_run_gdb_free(struct gaudi_run_gdb *g, int status)
{
	gaudi_gdb_tell_end(&g->gdb, status);
	gaudi_gdb_fini(&g->gdb);
	free(g);
}
