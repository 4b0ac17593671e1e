// SPDX-License-Identifier: GPL-2.0-or-later OR MIT
/*
 * The TPCs of cards as threads of a debugger: number 8 * card + TPC, from 0.
 *
 * While something has stopped no TPC begins a turn; those that have begun one end it,
 * about a millisecond. Nothing else of the card is held up: a core that stands still is
 * as one that has nothing to do, and a reset ends its kernel as ever. The driver's own
 * kernels, at its start, are none of a debugger's business.
 *
 * What is in a thread belongs to the core's turn, and while no turn is under way and
 * none begins to the debugger. The lock says which it is; it is a leaf. Cores and memory
 * are looked at with the card's lock held, as a reset may come.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "tpc_unit.h"
#include "../bus/bus.h"
#include "gdb/gdb.h"

#define MAX_CARDS	16

struct gaudi_tpc_gdb {
	struct gaudi_gdb gdb;
	struct gaudi_chip *chip[MAX_CARDS];
	unsigned int chips;
	int wake;			/* no turn is under way, or the end */
	struct gaudi_lock lock;		/* guards what follows */
	bool held;			/* no turn begins */
	bool ended;
	bool first;			/* no kernel has begun yet */
	unsigned int turns;		/* that are under way */
	int stopped;			/* the thread that stopped first, or -1 */
	bool *fresh;			/* a thread's kernel has had no turn */
	bool *drivers;			/* ... is none of a program */
};

static unsigned int thread_of(const struct gaudi_chip *chip,
			      const struct gaudi_tpc *tpc)
{
	return chip->tpcs->first_thread + tpc->id;
}

static struct gaudi_chip *chip_of(const struct gaudi_tpc_gdb *g,
				  unsigned int thread)
{
	return g->chip[thread / GAUDI_NUM_TPC];
}

static struct gaudi_tpc *tpc_of(const struct gaudi_tpc_gdb *g,
				unsigned int thread)
{
	return &chip_of(g, thread)->tpcs->tpc[thread % GAUDI_NUM_TPC];
}

static void wake(struct gaudi_tpc_gdb *g)
{
	eventfd_write(g->wake, 1);
}

/* --- turns of cores, the card's lock held ------------------------------------- */

/* The lock is held. */
static void stop_with(struct gaudi_tpc_gdb *g, unsigned int thread)
{
	g->held = true;
	if (g->stopped < 0)
		g->stopped = thread;
}

void gaudi_tpc_gdb_launched(struct gaudi_chip *chip, struct gaudi_tpc *tpc)
{
	struct gaudi_tpc_gdb *g = chip->tpcs->gdb;
	unsigned int n = thread_of(chip, tpc);
	struct gaudi_txn txn;

	gaudi_tpc_txn(chip, tpc, false, &txn);
	gaudi_lock(&g->lock);
	g->fresh[n] = true;
	/* The driver has address space 0, and gives its kernels up after seconds. */
	g->drivers[n] = txn.bypass || !txn.asid;
	gaudi_unlock(&g->lock);
}

/* The lock is held, and nothing is. A kernel's first turn: may it begin? */
static bool may_start(struct gaudi_tpc_gdb *g, unsigned int n)
{
	struct gaudi_gdb_thread *thread = &g->gdb.thread[n];

	g->fresh[n] = false;
	gaudi_gdb_launched(thread);
	if (!g->first && !g->gdb.stops.starts)
		return true;
	g->first = false;
	thread->reason = GAUDI_GDB_START;
	stop_with(g, n);
	if (!g->turns)
		wake(g);
	return false;
}

bool gaudi_tpc_gdb_begins(struct gaudi_chip *chip, struct gaudi_tpc *tpc)
{
	struct gaudi_tpc_gdb *g = chip->tpcs->gdb;
	unsigned int n = thread_of(chip, tpc);
	bool may = false;

	gaudi_lock(&g->lock);
	if (g->ended || g->drivers[n])
		may = true;
	else if (!g->held && (!g->fresh[n] || may_start(g, n)))
		may = g->gdb.thread[n].action != GAUDI_GDB_STAY;
	g->turns += may && !g->drivers[n];
	gaudi_unlock(&g->lock);
	return may;
}

enum gaudi_tpc_why gaudi_tpc_gdb_go(struct gaudi_chip *chip,
				    struct gaudi_tpc *tpc,
				    struct gaudi_tpc_core *core, uint64_t words)
{
	struct gaudi_tpc_gdb *g = chip->tpcs->gdb;
	unsigned int n = thread_of(chip, tpc);
	enum gaudi_tpc_why why;

	if (g->drivers[n])
		return gaudi_tpc_execute(core, words);
	why = gaudi_gdb_go(core, &g->gdb.thread[n], &g->gdb.stops, words);
	/* A step over the end is over with it. */
	if (why == GAUDI_TPC_HALT &&
	    g->gdb.thread[n].action == GAUDI_GDB_STEP)
		g->gdb.thread[n].reason = GAUDI_GDB_STEPPED;
	if (g->gdb.thread[n].reason) {
		gaudi_lock(&g->lock);
		stop_with(g, n);
		gaudi_unlock(&g->lock);
	}
	return why;
}

bool gaudi_tpc_gdb_stopped(struct gaudi_chip *chip, struct gaudi_tpc *tpc)
{
	const struct gaudi_tpc_gdb *g = chip->tpcs->gdb;
	unsigned int n = thread_of(chip, tpc);

	return !g->drivers[n] && g->gdb.thread[n].reason &&
	       gaudi_tpc_core_of(tpc)->stop.why != GAUDI_TPC_HALT;
}

bool gaudi_tpc_gdb_killed(struct gaudi_chip *chip, struct gaudi_tpc *tpc)
{
	const struct gaudi_tpc_gdb *g = chip->tpcs->gdb;
	unsigned int n = thread_of(chip, tpc);

	return !g->drivers[n] && g->gdb.thread[n].killed;
}

void gaudi_tpc_gdb_ends(struct gaudi_chip *chip, struct gaudi_tpc *tpc)
{
	struct gaudi_tpc_gdb *g = chip->tpcs->gdb;

	gaudi_lock(&g->lock);
	if (!g->drivers[thread_of(chip, tpc)] && !--g->turns && g->held)
		wake(g);
	gaudi_unlock(&g->lock);
}

/* --- what the server asks ----------------------------------------------------- */

static struct gaudi_tpc_core *hold(void *opaque, unsigned int thread)
{
	struct gaudi_tpc_gdb *g = opaque;

	gaudi_chip_lock(chip_of(g, thread));
	return gaudi_tpc_core_of(tpc_of(g, thread));
}

static void release(void *opaque, unsigned int thread)
{
	gaudi_chip_unlock(chip_of(opaque, thread));
}

static void name(void *opaque, unsigned int thread, char *text, size_t size)
{
	const struct gaudi_tpc *tpc = tpc_of(opaque, thread);

	snprintf(text, size, "card %u TPC %u%s", thread / GAUDI_NUM_TPC,
		 tpc->id, tpc->running ? "" : ", idle");
}

/* As the core's own accesses; but no error is captured, and registers stay alone. */
static bool is_memory(struct gaudi_chip *chip, const struct gaudi_txn *txn,
		      uint64_t addr, size_t len, bool write)
{
	return (addr + len <= GAUDI_CFG_BASE ||
		addr >= GAUDI_CFG_BASE + GAUDI_CFG_SIZE) &&
	       gaudi_bus_reachable(chip, txn, addr, len, write) == len;
}

static int read_memory(void *opaque, unsigned int thread, uint64_t addr,
		       void *buf, size_t len)
{
	struct gaudi_chip *chip = chip_of(opaque, thread);
	struct gaudi_txn txn;

	gaudi_tpc_txn(chip, tpc_of(opaque, thread), false, &txn);
	return is_memory(chip, &txn, addr, len, false) ?
	       gaudi_bus_read(chip, &txn, addr, buf, len) : -EFAULT;
}

static int write_memory(void *opaque, unsigned int thread, uint64_t addr,
			const void *buf, size_t len)
{
	struct gaudi_chip *chip = chip_of(opaque, thread);
	struct gaudi_txn txn;

	gaudi_tpc_txn(chip, tpc_of(opaque, thread), true, &txn);
	return is_memory(chip, &txn, addr, len, true) ?
	       gaudi_bus_write(chip, &txn, addr, buf, len) : -EFAULT;
}

static const struct gaudi_gdb_ops ops = {
	.hold = hold,
	.release = release,
	.name = name,
	.read = read_memory,
	.write = write_memory,
};

/* --- the debugger's thread ---------------------------------------------------- */

static bool is_over(struct gaudi_tpc_gdb *g)
{
	bool over;

	gaudi_lock(&g->lock);
	over = g->ended;
	gaudi_unlock(&g->lock);
	return over;
}

static void drain(struct gaudi_tpc_gdb *g)
{
	eventfd_t count;

	eventfd_read(g->wake, &count);
}

/* False: turns are under way, or none is held back. */
static bool all_stand(struct gaudi_tpc_gdb *g)
{
	bool stand;

	gaudi_lock(&g->lock);
	stand = g->held && !g->turns;
	gaudi_unlock(&g->lock);
	return stand;
}

static void hold_all(struct gaudi_tpc_gdb *g)
{
	struct pollfd fd = { g->wake, POLLIN };

	gaudi_lock(&g->lock);
	g->held = true;
	gaudi_unlock(&g->lock);
	while (!all_stand(g) && !is_over(g)) {
		poll(&fd, 1, -1);
		drain(g);
	}
}

static void let_all_go(struct gaudi_tpc_gdb *g)
{
	struct gaudi_tpc *tpc;
	unsigned int i;

	gaudi_lock(&g->lock);
	g->held = false;
	g->stopped = -1;
	gaudi_unlock(&g->lock);
	for (i = 0; i < g->chips * GAUDI_NUM_TPC; i++) {
		gaudi_chip_lock(chip_of(g, i));
		tpc = tpc_of(g, i);
		if (tpc->running)
			gaudi_actor_kick(chip_of(g, i), &tpc->actor);
		gaudi_chip_unlock(chip_of(g, i));
	}
}

static bool is_running(struct gaudi_tpc_gdb *g, unsigned int thread)
{
	bool running;

	gaudi_chip_lock(chip_of(g, thread));
	running = tpc_of(g, thread)->running;
	gaudi_chip_unlock(chip_of(g, thread));
	return running;
}

/* They stand still. */
static void leave(struct gaudi_tpc_gdb *g, bool kill)
{
	unsigned int i;

	gaudi_gdb_forget(&g->gdb);
	gaudi_lock(&g->lock);
	g->first = false;
	gaudi_unlock(&g->lock);
	for (i = 0; i < g->gdb.threads && kill; i++)
		g->gdb.thread[i].killed = is_running(g, i);
}

/* The first that runs a kernel, if the one that was looked at does not. */
static unsigned int busy_thread(struct gaudi_tpc_gdb *g)
{
	unsigned int i;

	for (i = 0; i < g->gdb.threads; i++)
		if (is_running(g, (g->gdb.current + i) % g->gdb.threads))
			return (g->gdb.current + i) % g->gdb.threads;
	return g->gdb.current;
}

/* All stand still, until the client lets them go. */
static void stand_still(struct gaudi_tpc_gdb *g)
{
	int thread = g->stopped;
	enum gaudi_gdb_wish wish;

	if (thread < 0) {
		thread = busy_thread(g);
		g->gdb.thread[thread].reason = GAUDI_GDB_INTERRUPTED;
	}
	while (thread >= 0 && !is_over(g)) {
		if (g->gdb.link.fd < 0 &&
		    !gaudi_gdb_accept(&g->gdb.link, -1, g->wake)) {
			drain(g);
			continue;
		}
		gaudi_gdb_tell_stop(&g->gdb, thread);
		wish = gaudi_gdb_talk(&g->gdb, g->wake);
		if (wish == GAUDI_GDB_KILL || wish == GAUDI_GDB_LEAVE)
			leave(g, wish == GAUDI_GDB_KILL);
		if (wish != GAUDI_GDB_WAKE)
			thread = gaudi_gdb_pending(&g->gdb);
		else
			drain(g);
	}
}

void gaudi_tpc_gdb_run(struct gaudi_tpc_gdb *g)
{
	enum gaudi_gdb_wish wish;

	while (!is_over(g)) {
		wish = gaudi_gdb_listen_in(&g->gdb, -1, g->wake);
		if (wish == GAUDI_GDB_WAKE)
			drain(g);
		if (wish == GAUDI_GDB_GO ||
		    (wish == GAUDI_GDB_WAKE && !all_stand(g)))
			continue;
		hold_all(g);
		if (wish == GAUDI_GDB_KILL || wish == GAUDI_GDB_LEAVE)
			leave(g, wish == GAUDI_GDB_KILL);
		else
			stand_still(g);
		let_all_go(g);
	}
	gaudi_gdb_tell_end(&g->gdb, 0);
	gaudi_gdb_close(&g->gdb.link);
}

void gaudi_tpc_gdb_end(struct gaudi_tpc_gdb *g)
{
	gaudi_lock(&g->lock);
	g->ended = true;
	gaudi_unlock(&g->lock);
	wake(g);
}

/* --- life --------------------------------------------------------------------- */

static void attach(struct gaudi_tpc_gdb *g, struct gaudi_chip *chip)
{
	gaudi_chip_lock(chip);
	chip->tpcs->first_thread = g->chips * GAUDI_NUM_TPC;
	chip->tpcs->gdb = g;
	g->chip[g->chips++] = chip;
	gaudi_chip_unlock(chip);
}

struct gaudi_tpc_gdb *gaudi_tpc_gdb_new(struct gaudi_chip *const *chips,
					unsigned int count, const char *where,
					char *why, size_t size)
{
	struct gaudi_tpc_gdb *g = calloc(1, sizeof(*g));
	unsigned int i;

	snprintf(why, size, "no memory");
	if (!g)
		return NULL;
	g->gdb.ops = &ops;
	g->gdb.opaque = g;
	g->gdb.threads = count * GAUDI_NUM_TPC;
	g->gdb.thread = calloc(g->gdb.threads, sizeof(*g->gdb.thread));
	g->fresh = calloc(g->gdb.threads, sizeof(*g->fresh));
	g->drivers = calloc(g->gdb.threads, sizeof(*g->drivers));
	g->first = true;
	g->stopped = -1;
	g->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	gaudi_lock_init(&g->lock, GAUDI_LOCK_TPC_GDB);
	if (count > MAX_CARDS)
		snprintf(why, size, "more than %u cards", MAX_CARDS);
	if (count > MAX_CARDS || !g->gdb.thread || !g->fresh ||
	    !g->drivers || g->wake < 0 ||
	    gaudi_gdb_init(&g->gdb, where, why, size)) {
		gaudi_tpc_gdb_free(g);
		return NULL;
	}
	for (i = 0; i < count; i++)
		attach(g, chips[i]);
	return g;
}

const char *gaudi_tpc_gdb_where(const struct gaudi_tpc_gdb *g)
{
	return g->gdb.link.where;
}

void gaudi_tpc_gdb_free(struct gaudi_tpc_gdb *g)
{
	/* Without a description it has no link either. */
	if (g->gdb.description)
		gaudi_gdb_fini(&g->gdb);
	if (g->wake >= 0)
		close(g->wake);
	gaudi_lock_destroy(&g->lock);
	free(g->gdb.thread);
	free(g->fresh);
	free(g->drivers);
	free(g);
}
