// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * What a client asks while nothing runs, and what it is told of a stop. What is not
 * known gets an empty answer, as the protocol has it; what is wrong gets E and an errno.
 *
 * Threads are numbered from 1. GDB steps one and lets the others go, or lets all go.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gdb_packets.h"

#define TALK_ON		(-1)	/* no wish yet */

enum {				/* GDB's numbers of signals */
	SIGNAL_INT = 2, SIGNAL_ILL = 4, SIGNAL_TRAP = 5, SIGNAL_FPE = 8,
	SIGNAL_BUS = 10, SIGNAL_SEGV = 11,
};

int gaudi_gdb_init(struct gaudi_gdb *gdb, const char *where, char *why,
		   size_t size)
{
	gdb->description = gaudi_gdb_describe();
	if (!gdb->description) {
		snprintf(why, size, "no memory");
		return -1;
	}
	if (!gaudi_gdb_listen(&gdb->link, where, why, size))
		return 0;
	free(gdb->description);
	gdb->description = NULL;
	return -1;
}

void gaudi_gdb_fini(struct gaudi_gdb *gdb)
{
	gaudi_gdb_close(&gdb->link);
	free(gdb->description);
}

void gaudi_gdb_forget(struct gaudi_gdb *gdb)
{
	unsigned int i;

	memset(&gdb->stops, 0, sizeof(gdb->stops));
	gdb->waits = false;
	for (i = 0; i < gdb->threads; i++) {
		gdb->thread[i].action = GAUDI_GDB_CONTINUE;
		gdb->thread[i].reason = GAUDI_GDB_RUNS;
	}
}

/* --- stops ---------------------------------------------------------------------- */

static unsigned int signal_of(const struct gaudi_gdb_thread *thread,
			      const struct gaudi_tpc_core *core)
{
	if (thread->reason == GAUDI_GDB_INTERRUPTED)
		return SIGNAL_INT;
	if (thread->reason == GAUDI_GDB_CAUSE)
		return SIGNAL_FPE;
	if (thread->reason != GAUDI_GDB_ERROR || !core)
		return SIGNAL_TRAP;
	switch (core->stop.why) {
	case GAUDI_TPC_FETCH:
	case GAUDI_TPC_READ:
	case GAUDI_TPC_WRITE:
		return SIGNAL_SEGV;
	case GAUDI_TPC_LOCAL:
	case GAUDI_TPC_TENSOR:
	case GAUDI_TPC_REG:
	case GAUDI_TPC_REG_READ:
		return SIGNAL_BUS;
	default:
		return SIGNAL_ILL;
	}
}

static void answer_stop(struct gaudi_gdb *gdb)
{
	const struct gaudi_gdb_thread *thread = &gdb->thread[gdb->stopped];
	struct gaudi_tpc_core *core = gdb->ops->hold(gdb->opaque, gdb->stopped);
	unsigned int sig = signal_of(thread, core);
	uint8_t pc[256];
	char digits[17], extra[40] = "";

	gaudi_gdb_reg_read(core, GAUDI_GDB_PC, pc);
	gdb->ops->release(gdb->opaque, gdb->stopped);
	gaudi_gdb_to_hex(digits, pc, 8);
	if (thread->reason == GAUDI_GDB_BREAK)
		strcpy(extra, "swbreak:;");
	else if (thread->reason == GAUDI_GDB_WATCH)
		snprintf(extra, sizeof(extra), "watch:%llx;",
			 (unsigned long long)thread->addr);
	gaudi_gdb_answer(gdb, "T%02x%x:%s;thread:%x;%s", sig, GAUDI_GDB_PC, digits,
	       gdb->stopped + 1, extra);
}

/* A line in GDB's console, before the stop itself. */
static void tell_line(struct gaudi_gdb *gdb, const char *line)
{
	char packet[2 * 256 + 2] = "O";

	gaudi_gdb_to_hex(packet + 1, line, strnlen(line, 255));
	gaudi_gdb_send(&gdb->link, packet, strlen(packet));
}

static void tell_reason(struct gaudi_gdb *gdb, unsigned int n)
{
	const struct gaudi_gdb_thread *thread = &gdb->thread[n];
	struct gaudi_tpc_core *core = gdb->ops->hold(gdb->opaque, n);
	char name[64], what[160] = "", line[256];

	gdb->ops->name(gdb->opaque, n, name, sizeof(name));
	if (core && (thread->reason == GAUDI_GDB_ERROR ||
		     thread->reason == GAUDI_GDB_HAZARD))
		gaudi_tpc_stop_text(core, what, sizeof(what));
	else if (core && thread->reason == GAUDI_GDB_CAUSE) {
		gaudi_gdb_cause_names(thread->causes, what, sizeof(what) - 40);
		snprintf(what + strlen(what), 40, " at 0x%llx",
			 (unsigned long long)core->causes_pc);
	} else if (core && thread->reason == GAUDI_GDB_START)
		snprintf(what, sizeof(what), "a kernel begins at 0x%llx",
			 (unsigned long long)core->base);
	gdb->ops->release(gdb->opaque, n);
	if (!*what)
		return;
	snprintf(line, sizeof(line), "%s: %s\n", name, what);
	tell_line(gdb, line);
}

void gaudi_gdb_tell_stop(struct gaudi_gdb *gdb, unsigned int thread)
{
	gdb->current = gdb->stopped = thread;
	if (gdb->waits && gdb->link.fd >= 0) {
		tell_reason(gdb, thread);
		answer_stop(gdb);
	}
	gdb->waits = false;
}

void gaudi_gdb_tell_end(struct gaudi_gdb *gdb, int status)
{
	if (gdb->link.fd < 0)
		return;
	/* Who does not wait would take it for an answer. */
	if (gdb->waits)
		gaudi_gdb_answer(gdb, "W%02x", status & 0xff);
	gaudi_gdb_hang_up(&gdb->link);
}

static bool is_break(const struct gaudi_gdb_stops *stops, uint64_t pc)
{
	size_t i;

	for (i = 0; i < stops->num_breaks; i++)
		if (stops->breaks[i] == pc)
			return true;
	return false;
}

int gaudi_gdb_pending(struct gaudi_gdb *gdb)
{
	struct gaudi_gdb_thread *thread;
	struct gaudi_tpc_core *core;
	unsigned int i;

	for (i = 0; i < gdb->threads; i++) {
		thread = &gdb->thread[i];
		if (!thread->reason)
			continue;
		/* It has been taken away meanwhile. */
		if (thread->reason == GAUDI_GDB_BREAK) {
			core = gdb->ops->hold(gdb->opaque, i);
			if (!core || !is_break(&gdb->stops, core->pc))
				thread->reason = GAUDI_GDB_RUNS;
			gdb->ops->release(gdb->opaque, i);
		}
		if (thread->reason)
			return i;
	}
	return -1;
}

/* --- registers and memory ----------------------------------------------------- */

static void read_registers(struct gaudi_gdb *gdb, struct gaudi_tpc_core *core)
{
	char text[2 * 16 * GAUDI_GDB_G_REGS + 1], *to = text;
	uint8_t buf[256];
	unsigned int n;
	size_t len;

	for (n = 0; n < GAUDI_GDB_G_REGS; n++, to += 2 * len) {
		len = gaudi_gdb_reg_read(core, n, buf);
		gaudi_gdb_to_hex(to, buf, len);
	}
	gaudi_gdb_send(&gdb->link, text, to - text);
}

static void read_register(struct gaudi_gdb *gdb, struct gaudi_tpc_core *core,
			  const char *p)
{
	uint8_t buf[256];
	char text[2 * sizeof(buf) + 1];
	uint64_t n;
	size_t len = 0;

	if (gaudi_gdb_number(&p, &n) && !*p && n < 1000)
		len = gaudi_gdb_reg_read(core, n, buf);
	if (!len) {
		gaudi_gdb_answer_error(gdb, -EINVAL);
		return;
	}
	gaudi_gdb_to_hex(text, buf, len);
	gaudi_gdb_send(&gdb->link, text, 2 * len);
}

static void write_register(struct gaudi_gdb *gdb, struct gaudi_tpc_core *core,
			   const char *p)
{
	uint8_t buf[256];
	uint64_t n;
	long len;

	if (!gaudi_gdb_number(&p, &n) || !gaudi_gdb_char(&p, '=') || n >= 1000) {
		gaudi_gdb_answer_error(gdb, -EINVAL);
		return;
	}
	len = gaudi_gdb_from_hex(p, strlen(p), buf, sizeof(buf));
	gaudi_gdb_answer_error(gdb, len < 0 ? -EINVAL :
		     gaudi_gdb_reg_write(core, n, buf, len));
}

/* Those of the program counter alone may change: the others are not there. */
static void write_registers(struct gaudi_gdb *gdb, struct gaudi_tpc_core *core,
			    const char *p)
{
	uint8_t buf[16 * GAUDI_GDB_G_REGS];
	long len = gaudi_gdb_from_hex(p, strlen(p), buf, sizeof(buf));

	gaudi_gdb_answer_error(gdb, len < (GAUDI_GDB_PC + 1) * 8 ? -EINVAL :
		     gaudi_gdb_reg_write(core, GAUDI_GDB_PC,
					 buf + GAUDI_GDB_PC * 8, 8));
}

static int copy(struct gaudi_gdb *gdb, struct gaudi_tpc_core *core,
		uint64_t addr, void *buf, size_t len, bool write)
{
	uint8_t *local = core ? gaudi_gdb_local(core, addr, len) : NULL;

	if (!core || (!local && addr >= GAUDI_GDB_SLM))
		return -EFAULT;
	if (local) {
		memcpy(write ? local : buf, write ? buf : local, len);
		return 0;
	}
	return write ? gdb->ops->write(gdb->opaque, gdb->current, addr, buf, len) :
		       gdb->ops->read(gdb->opaque, gdb->current, addr, buf, len);
}

static void read_memory(struct gaudi_gdb *gdb, struct gaudi_tpc_core *core,
			const char *p)
{
	uint8_t buf[GAUDI_GDB_PACKET / 2];
	char text[GAUDI_GDB_PACKET + 1];
	uint64_t addr, len;
	int err;

	if (!gaudi_gdb_range(&p, &addr, &len) || *p || len > sizeof(buf)) {
		gaudi_gdb_answer_error(gdb, -EINVAL);
		return;
	}
	err = copy(gdb, core, addr, buf, len, false);
	if (err) {
		gaudi_gdb_answer_error(gdb, err);
		return;
	}
	gaudi_gdb_to_hex(text, buf, len);
	gaudi_gdb_send(&gdb->link, text, 2 * len);
}

static void write_memory(struct gaudi_gdb *gdb, struct gaudi_tpc_core *core,
			 const char *p, bool hex)
{
	const char *end = (const char *)gdb->link.packet + gdb->link.len;
	uint8_t buf[GAUDI_GDB_PACKET];
	uint64_t addr, len;
	long given;

	if (!gaudi_gdb_range(&p, &addr, &len) || !gaudi_gdb_char(&p, ':')) {
		gaudi_gdb_answer_error(gdb, -EINVAL);
		return;
	}
	if (hex)
		given = gaudi_gdb_from_hex(p, end - p, buf, sizeof(buf));
	else
		memcpy(buf, p, given = end - p);
	if (given < 0 || (uint64_t)given != len)
		gaudi_gdb_answer_error(gdb, -EINVAL);
	else
		gaudi_gdb_answer_error(gdb, len ? copy(gdb, core, addr, buf, len, true) : 0);
}

/* --- breakpoints and watched places --------------------------------------------- */

static int set_break(struct gaudi_gdb_stops *stops, uint64_t pc, bool on)
{
	size_t i;

	for (i = 0; i < stops->num_breaks && stops->breaks[i] != pc; i++)
		;
	if (on == (i < stops->num_breaks))
		return 0;
	if (on && i == GAUDI_GDB_BREAKS)
		return -ENOSPC;
	if (on)
		stops->breaks[stops->num_breaks++] = pc;
	else
		stops->breaks[i] = stops->breaks[--stops->num_breaks];
	return 0;
}

static int set_watch(struct gaudi_gdb_stops *stops, uint64_t addr, uint64_t len,
		     bool on)
{
	struct gaudi_gdb_watch *w = stops->watches;
	size_t i;

	if (!len || len > GAUDI_GDB_WATCH_BYTES)
		return -EINVAL;
	for (i = 0; i < stops->num_watches; i++)
		if (w[i].addr == addr && w[i].len == len)
			break;
	if (on == (i < stops->num_watches))
		return 0;
	if (on && i == GAUDI_GDB_WATCHES)
		return -ENOSPC;
	if (on)
		w[stops->num_watches++] = (struct gaudi_gdb_watch){ addr, len };
	else
		w[i] = w[--stops->num_watches];
	return 0;
}

static void set_stop(struct gaudi_gdb *gdb, const char *p, bool on)
{
	char kind = *p ? *p++ : 0;
	uint64_t addr, len;

	/* Of reads the interpreter tells nothing. */
	if (kind == '3' || kind == '4')
		gaudi_gdb_answer(gdb, "%s", "");
	else if (kind < '0' || kind > '2' || !gaudi_gdb_char(&p, ',') ||
		 !gaudi_gdb_range(&p, &addr, &len) || (*p && *p != ';'))
		gaudi_gdb_answer_error(gdb, -EINVAL);
	else if (kind == '2')
		gaudi_gdb_answer_error(gdb, set_watch(&gdb->stops, addr, len, on));
	else
		gaudi_gdb_answer_error(gdb, set_break(&gdb->stops, addr, on));
}

/* --- going on --------------------------------------------------------------------- */

static int go(struct gaudi_gdb *gdb)
{
	gdb->thread[gdb->stopped].reason = GAUDI_GDB_RUNS;
	gdb->waits = true;
	return GAUDI_GDB_GO;
}

static int go_all(struct gaudi_gdb *gdb, const char *p, bool step)
{
	unsigned int i;

	/* "c ADDR": GDB sets the program counter itself. */
	if (*p) {
		gaudi_gdb_answer_error(gdb, -EINVAL);
		return TALK_ON;
	}
	for (i = 0; i < gdb->threads; i++)
		gdb->thread[i].action = GAUDI_GDB_CONTINUE;
	if (step)
		gdb->thread[gdb->current].action = GAUDI_GDB_STEP;
	return go(gdb);
}

/* The leftmost action that names a thread is its own. */
static bool take_action(const struct gaudi_gdb *gdb, const char **p,
			enum gaudi_gdb_action *actions)
{
	char kind = **p;
	uint64_t signal;
	unsigned int i;
	int thread = -1;

	if (!strchr("cCsS", kind) || !kind)
		return false;
	(*p)++;
	/* There is nothing that a signal would be for. */
	if ((kind == 'C' || kind == 'S') && !gaudi_gdb_number(p, &signal))
		return false;
	if (gaudi_gdb_char(p, ':'))
		thread = gaudi_gdb_thread_of(gdb, p);
	if (thread == -2)
		return false;
	for (i = 0; i < gdb->threads; i++)
		if ((thread == -1 || thread == (int)i) &&
		    actions[i] == GAUDI_GDB_STAY)
			actions[i] = kind == 's' || kind == 'S' ?
				     GAUDI_GDB_STEP : GAUDI_GDB_CONTINUE;
	return true;
}

static int go_by_thread(struct gaudi_gdb *gdb, const char *p)
{
	enum gaudi_gdb_action actions[gdb->threads];
	unsigned int i;
	bool good = *p;

	for (i = 0; i < gdb->threads; i++)
		actions[i] = GAUDI_GDB_STAY;
	while (good && *p)
		good = gaudi_gdb_char(&p, ';') && take_action(gdb, &p, actions);
	if (!good) {
		gaudi_gdb_answer_error(gdb, -EINVAL);
		return TALK_ON;
	}
	for (i = 0; i < gdb->threads; i++)
		gdb->thread[i].action = actions[i];
	return go(gdb);
}

static int leave(struct gaudi_gdb *gdb, bool kill, bool tell)
{
	if (tell)
		gaudi_gdb_answer(gdb, "OK");
	gaudi_gdb_hang_up(&gdb->link);
	return kill ? GAUDI_GDB_KILL : GAUDI_GDB_LEAVE;
}

/* --- packets ------------------------------------------------------------------------ */

static int say_v(struct gaudi_gdb *gdb, const char *p)
{
	const char *known = strcmp(p, "vCont?") ? "" : "vCont;c;C;s;S";

	if (gaudi_gdb_after(p, "vKill"))
		return leave(gdb, true, true);
	if (!*known && gaudi_gdb_after(p, "vCont"))
		return go_by_thread(gdb, p + strlen("vCont"));
	gaudi_gdb_answer(gdb, "%s", known);
	return TALK_ON;
}

/* "Hg" and "Hc": of which thread the next packets are. */
static void choose_thread(struct gaudi_gdb *gdb, const char *p)
{
	bool go_on = *p == 'c';
	int thread;

	if (*p != 'g' && *p != 'c') {
		gaudi_gdb_answer(gdb, "%s", "");
		return;
	}
	p++;
	thread = gaudi_gdb_thread_of(gdb, &p);
	if (thread < -1 || *p) {
		gaudi_gdb_answer_error(gdb, -EINVAL);
		return;
	}
	if (thread >= 0 && !go_on)
		gdb->current = thread;
	gaudi_gdb_answer(gdb, "OK");
}

static void is_alive(struct gaudi_gdb *gdb, const char *p)
{
	gaudi_gdb_answer_error(gdb, gaudi_gdb_thread_of(gdb, &p) < 0 || *p ? -ESRCH : 0);
}

/* Of the core that is held. */
static void ask_core(struct gaudi_gdb *gdb, struct gaudi_tpc_core *core,
		     const char *p)
{
	switch (*p) {
	case 'g':
		read_registers(gdb, core);
		break;
	case 'G':
		write_registers(gdb, core, p + 1);
		break;
	case 'p':
		read_register(gdb, core, p + 1);
		break;
	case 'P':
		write_register(gdb, core, p + 1);
		break;
	case 'm':
		read_memory(gdb, core, p + 1);
		break;
	case 'M':
	case 'X':
		write_memory(gdb, core, p + 1, *p == 'M');
		break;
	default:
		gaudi_gdb_query(gdb, core, p);
	}
}

static int obey(struct gaudi_gdb *gdb)
{
	const char *p = (const char *)gdb->link.packet;
	struct gaudi_tpc_core *core;

	switch (*p) {
	case '?':
		answer_stop(gdb);
		return TALK_ON;
	case 'c':
	case 's':
		return go_all(gdb, p + 1, *p == 's');
	case 'C':
	case 'S':
		/* With a signal, which nothing is there for. */
		return go_all(gdb, p + 1 + strspn(p + 1, "0123456789abcdefABCDEF"),
			      *p == 'S');
	case 'v':
		return say_v(gdb, p);
	case 'D':
		return leave(gdb, false, true);
	case 'k':
		return leave(gdb, true, false);
	case 'H':
		choose_thread(gdb, p + 1);
		return TALK_ON;
	case 'T':
		is_alive(gdb, p + 1);
		return TALK_ON;
	case 'Z':
	case 'z':
		set_stop(gdb, p + 1, *p == 'Z');
		return TALK_ON;
	}
	/* Its own core, whichever thread is chosen meanwhile. */
	if (gaudi_gdb_after(p, "qThreadExtraInfo")) {
		gaudi_gdb_query(gdb, NULL, p);
		return TALK_ON;
	}
	core = gdb->ops->hold(gdb->opaque, gdb->current);
	ask_core(gdb, core, p);
	gdb->ops->release(gdb->opaque, gdb->current);
	return TALK_ON;
}

enum gaudi_gdb_wish gaudi_gdb_talk(struct gaudi_gdb *gdb, int wake)
{
	int wish = TALK_ON;

	gdb->stops.errors = true;
	while (wish == TALK_ON)
		switch (gaudi_gdb_receive(&gdb->link, -1, wake)) {
		case GAUDI_GDB_GOT_PACKET:
			wish = obey(gdb);
			break;
		case GAUDI_GDB_TOO_LONG:
			gaudi_gdb_answer_error(gdb, -E2BIG);
			break;
		case GAUDI_GDB_GONE:
			wish = leave(gdb, false, false);
			break;
		case GAUDI_GDB_WOKEN:
			wish = GAUDI_GDB_WAKE;
			break;
		default:
			break;
		}
	return wish;
}

/* A client is there, and waits for a stop: it may ask for one, or go. */
static enum gaudi_gdb_wish hear(struct gaudi_gdb *gdb, int timeout_ms, int wake)
{
	switch (gaudi_gdb_receive(&gdb->link, timeout_ms, wake)) {
	case GAUDI_GDB_CTRL_C:
		return GAUDI_GDB_STOP;
	case GAUDI_GDB_GONE:
		return leave(gdb, false, false);
	case GAUDI_GDB_WOKEN:
		return GAUDI_GDB_WAKE;
	case GAUDI_GDB_GOT_PACKET:
		if (*gdb->link.packet == 'k' ||
		    gaudi_gdb_after((const char *)gdb->link.packet, "vKill"))
			return leave(gdb, true, *gdb->link.packet == 'v');
		gaudi_gdb_answer_error(gdb, -EBUSY);
		break;
	case GAUDI_GDB_TOO_LONG:
		gaudi_gdb_answer_error(gdb, -E2BIG);
		break;
	default:
		break;
	}
	return GAUDI_GDB_GO;
}

enum gaudi_gdb_wish gaudi_gdb_listen_in(struct gaudi_gdb *gdb, int timeout_ms,
					int wake)
{
	if (gdb->link.fd >= 0)
		return hear(gdb, timeout_ms, wake);
	if (gaudi_gdb_accept(&gdb->link, timeout_ms, wake)) {
		gdb->waits = false;
		return GAUDI_GDB_STOP;
	}
	return wake >= 0 && timeout_ms < 0 ? GAUDI_GDB_WAKE : GAUDI_GDB_GO;
}
