// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * A core goes on to the next stop. Breakpoints are the interpreter's own. For what is
 * watched, and for causes, words are executed one by one and looked at behind each.
 *
 * A watched place is compared before and after each word: so what another engine writes
 * there is not taken for this kernel's, unless it does so within that word.
 */
#include <string.h>

#include "gdb_priv.h"

uint8_t *gaudi_gdb_local(struct gaudi_tpc_core *core, uint64_t addr, size_t len)
{
	uint64_t slm = addr - GAUDI_GDB_SLM, vlm = addr - GAUDI_GDB_VLM;

	if (slm < GAUDI_TPC_SLM && len <= GAUDI_TPC_SLM - slm)
		return (uint8_t *)core->slm + slm;
	if (vlm < GAUDI_TPC_VLM && len <= GAUDI_TPC_VLM - vlm)
		return core->vlm + vlm;
	return NULL;
}

void gaudi_gdb_launched(struct gaudi_gdb_thread *thread)
{
	enum gaudi_gdb_action action = thread->action;
	bool own_check = thread->own_check;

	memset(thread, 0, sizeof(*thread));
	thread->own_check = own_check;
	if (action == GAUDI_GDB_STAY)
		thread->action = action;
}

/* --- watched places ---------------------------------------------------------- */

typedef uint8_t watched[GAUDI_GDB_WATCHES][GAUDI_GDB_WATCH_BYTES];

/* Zeros for what is not there: no error is to be told of it. */
static void look(struct gaudi_tpc_core *core, const struct gaudi_gdb_watch *w,
		 uint8_t *buf)
{
	const struct gaudi_tpc_host *host = core->host;
	const uint8_t *local = gaudi_gdb_local(core, w->addr, w->len);

	memset(buf, 0, w->len);
	if (local)
		memcpy(buf, local, w->len);
	else if (!host->there ||
		 host->there(core->opaque, w->addr, w->len, false) == w->len)
		host->read(core->opaque, w->addr, buf, w->len);
}

static void look_at_all(struct gaudi_tpc_core *core,
			const struct gaudi_gdb_stops *stops, watched bytes)
{
	size_t i;

	for (i = 0; i < stops->num_watches; i++)
		look(core, &stops->watches[i], bytes[i]);
}

static void compare(struct gaudi_tpc_core *core, struct gaudi_gdb_thread *thread,
		    const struct gaudi_gdb_stops *stops, watched old)
{
	watched now;
	size_t i;

	look_at_all(core, stops, now);
	for (i = 0; i < stops->num_watches; i++) {
		if (!memcmp(old[i], now[i], stops->watches[i].len))
			continue;
		thread->reason = GAUDI_GDB_WATCH;
		thread->addr = stops->watches[i].addr;
		return;
	}
}

/* --- words ------------------------------------------------------------------- */

/* What the launch looks for itself comes as without us, and nothing else. */
static enum gaudi_tpc_why word_with_causes(struct gaudi_tpc_core *core,
					   struct gaudi_gdb_thread *thread,
					   uint32_t wanted)
{
	uint32_t before = core->causes, own = core->launch.causes;
	enum gaudi_tpc_why why;

	core->causes = 0;
	core->launch.causes |= wanted;
	why = gaudi_tpc_execute(core, 1);
	thread->causes = core->causes & wanted;
	core->launch.causes = own;
	core->causes = before | (core->causes & own);
	return why;
}

static enum gaudi_tpc_why one_word(struct gaudi_tpc_core *core,
				   struct gaudi_gdb_thread *thread,
				   const struct gaudi_gdb_stops *stops)
{
	enum gaudi_tpc_why why;
	watched old;

	if (stops->num_watches)
		look_at_all(core, stops, old);
	if (stops->causes)
		why = word_with_causes(core, thread, stops->causes);
	else
		why = gaudi_tpc_execute(core, 1);
	if (thread->causes)
		thread->reason = GAUDI_GDB_CAUSE;
	if (stops->num_watches)
		compare(core, thread, stops, old);
	return why;
}

static bool at_break(const struct gaudi_tpc_core *core,
		     const struct gaudi_gdb_stops *stops)
{
	size_t i;

	for (i = 0; i < stops->num_breaks; i++)
		if (stops->breaks[i] == core->pc)
			return true;
	return false;
}

static enum gaudi_tpc_why word_by_word(struct gaudi_tpc_core *core,
				       struct gaudi_gdb_thread *thread,
				       const struct gaudi_gdb_stops *stops,
				       uint64_t words)
{
	enum gaudi_tpc_why why = GAUDI_TPC_BUDGET;

	while (words-- && why == GAUDI_TPC_BUDGET && !thread->reason) {
		if (!thread->past && at_break(core, stops))
			return GAUDI_TPC_BREAK;
		thread->past = false;
		why = one_word(core, thread, stops);
	}
	return why;
}

static void check_hazards(struct gaudi_tpc_core *core,
			  struct gaudi_gdb_thread *thread, bool wanted)
{
	if (wanted && !core->check)
		thread->own_check = !gaudi_tpc_check_hazards(core, true);
	if (wanted || !thread->own_check)
		return;
	gaudi_tpc_check_hazards(core, false);
	thread->own_check = false;
}

static void note_why(struct gaudi_gdb_thread *thread,
		     const struct gaudi_gdb_stops *stops,
		     enum gaudi_tpc_why why)
{
	switch (why) {
	case GAUDI_TPC_BUDGET:
		if (!thread->reason && thread->action == GAUDI_GDB_STEP)
			thread->reason = GAUDI_GDB_STEPPED;
		break;
	case GAUDI_TPC_HALT:
		break;
	case GAUDI_TPC_BREAK:
		thread->reason = GAUDI_GDB_BREAK;
		break;
	case GAUDI_TPC_HAZARD:
		if (stops->hazards || stops->errors)
			thread->reason = GAUDI_GDB_HAZARD;
		break;
	default:
		if (stops->errors)
			thread->reason = GAUDI_GDB_ERROR;
	}
}

enum gaudi_tpc_why gaudi_gdb_go(struct gaudi_tpc_core *core,
				struct gaudi_gdb_thread *thread,
				const struct gaudi_gdb_stops *stops,
				uint64_t words)
{
	bool step = thread->action == GAUDI_GDB_STEP;
	enum gaudi_tpc_why why;

	thread->reason = GAUDI_GDB_RUNS;
	thread->causes = 0;
	/* An error has been told; a hazard can be gone past. */
	if (core->ended && !((stops->hazards || thread->own_check) &&
			     gaudi_tpc_waive_hazard(core)))
		return core->stop.why;
	check_hazards(core, thread, stops->hazards);
	gaudi_tpc_breakpoints(core, NULL, 0);
	if (step || thread->past || stops->num_watches || stops->causes) {
		bool single = step || !(stops->num_watches || stops->causes);

		why = word_by_word(core, thread, stops, single ? 1 : words);
		if (step || !single || why != GAUDI_TPC_BUDGET ||
		    thread->reason || --words == 0)
			goto out;
	}
	gaudi_tpc_breakpoints(core, stops->breaks, stops->num_breaks);
	why = gaudi_tpc_execute(core, words);
	gaudi_tpc_breakpoints(core, NULL, 0);
out:
	note_why(thread, stops, why);
	thread->past = thread->reason != GAUDI_GDB_RUNS;
	return why;
}
