/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * GDB's remote protocol for tensor cores.
 *
 *   gdb_stops.c    a core goes on to the next stop
 *   gdb_link.c     where a client comes to, and packets
 *   gdb_regs.c     registers by number, and their description as XML
 *   gdb_serve.c    what a client asks while nothing runs
 *   gdb_query.c    ... and what it asks about threads and the server itself
 *   gdb_monitor.c  the commands of "monitor"
 *
 * A server has threads, each a core, and is told what is around them by struct
 * gaudi_gdb_ops. All threads run or all stand still, as GDB's all-stop mode has it.
 * Nothing here locks: a server belongs to one thread of the host at a time.
 */
#ifndef GAUDI_GDB_H
#define GAUDI_GDB_H

#include "../exec/tpc_exec.h"

/* --- gdb_stops.c ------------------------------------------------------------- */

#define GAUDI_GDB_BREAKS	256
#define GAUDI_GDB_WATCHES	16

struct gaudi_gdb_watch {
	uint64_t addr;
	uint32_t len;
};

/* Where all cores stop. All zero: nowhere. */
struct gaudi_gdb_stops {
	uint64_t breaks[GAUDI_GDB_BREAKS];
	size_t num_breaks;
	struct gaudi_gdb_watch watches[GAUDI_GDB_WATCHES];
	size_t num_watches;
	uint32_t causes;		/* GAUDI_TPC_CAUSE_*, after the word */
	bool hazards;			/* before the word */
	bool errors;			/* before a kernel ends by one */
	bool starts;			/* before a kernel's first word */
};

enum gaudi_gdb_reason {
	GAUDI_GDB_RUNS,			/* it has not stopped */
	GAUDI_GDB_STEPPED,
	GAUDI_GDB_INTERRUPTED,
	GAUDI_GDB_BREAK,
	GAUDI_GDB_WATCH,
	GAUDI_GDB_CAUSE,
	GAUDI_GDB_HAZARD,
	GAUDI_GDB_ERROR,		/* core->stop says which */
	GAUDI_GDB_START,
};

enum gaudi_gdb_action { GAUDI_GDB_CONTINUE, GAUDI_GDB_STEP, GAUDI_GDB_STAY };

struct gaudi_gdb_thread {
	enum gaudi_gdb_action action;
	enum gaudi_gdb_reason reason;
	uint64_t addr;			/* what is watched there has changed */
	uint32_t causes;		/* that have come */
	bool past;			/* no stop at the word that is next */
	bool own_check;			/* the core's hazards are looked for by us */
	bool killed;
};

/*
 * At most so many words, one if the action is to step, and no further than to a stop:
 * thread->reason says why. As gaudi_tpc_execute(), which the caller does without.
 */
enum gaudi_tpc_why gaudi_gdb_go(struct gaudi_tpc_core *core,
				struct gaudi_gdb_thread *thread,
				const struct gaudi_gdb_stops *stops,
				uint64_t words);
/* A kernel has been launched: what was of the one before does not count. */
void gaudi_gdb_launched(struct gaudi_gdb_thread *thread);

/* --- gdb_link.c -------------------------------------------------------------- */

/* What a client may send, and gets, in one packet. */
#define GAUDI_GDB_PACKET	16384

struct gaudi_gdb_link {
	int listener;
	int fd;				/* of the client, or -1 */
	bool no_ack;
	char where[160];
	char path[108];			/* of a socket that is ours to remove */
	uint8_t in[4096];		/* bytes that are not looked at yet */
	size_t in_from, in_to;
	uint8_t packet[GAUDI_GDB_PACKET + 1];	/* ends with a 0 */
	size_t len;
	uint8_t out[2 * GAUDI_GDB_PACKET + 4];	/* the last one, framed */
	size_t out_len;
};

void gaudi_gdb_close(struct gaudi_gdb_link *link);
/* A client comes, within so many ms, -1: for ever, and before wake can be read. */
bool gaudi_gdb_accept(struct gaudi_gdb_link *link, int timeout_ms, int wake);

/* --- gdb_serve.c -------------------------------------------------------------- */

struct gaudi_gdb_ops {
	/*
	 * The core of a thread, NULL if it was never used; nobody else looks at it until
	 * release(), which is called in any case.
	 */
	struct gaudi_tpc_core *(*hold)(void *opaque, unsigned int thread);
	void (*release)(void *opaque, unsigned int thread);
	/* "TPC 3 of card 0, idle" */
	void (*name)(void *opaque, unsigned int thread, char *text, size_t size);
	/* Memory as the core sees it, which is held. 0, or -errno. */
	int (*read)(void *opaque, unsigned int thread, uint64_t addr, void *buf,
		    size_t len);
	int (*write)(void *opaque, unsigned int thread, uint64_t addr,
		     const void *buf, size_t len);
};

struct gaudi_gdb {
	const struct gaudi_gdb_ops *ops;
	void *opaque;
	struct gaudi_gdb_link link;
	struct gaudi_gdb_stops stops;
	struct gaudi_gdb_thread *thread;
	unsigned int threads;
	unsigned int stopped;		/* the one that has been told of */
	unsigned int current;		/* the one that is looked at */
	unsigned int listed;		/* of a list of threads that is being sent */
	bool waits;			/* the client, for a stop to be told */
	char *description;
};

enum gaudi_gdb_wish {
	GAUDI_GDB_GO,			/* actions are in the threads */
	GAUDI_GDB_KILL,			/* and the client has gone */
	GAUDI_GDB_LEAVE,		/* it has, and wants nothing any more */
	GAUDI_GDB_STOP,			/* while they run: they are to stop */
	GAUDI_GDB_WAKE,			/* wake can be read */
};

/* thread: so many, zero. 0, or -1 and the cause. */
int gaudi_gdb_init(struct gaudi_gdb *gdb, const char *where, char *why,
		   size_t size);
void gaudi_gdb_fini(struct gaudi_gdb *gdb);
/*
 * Nothing runs: what the client asks is answered, until it wants something else. Behind
 * KILL and LEAVE, here and below, comes gaudi_gdb_forget().
 */
enum gaudi_gdb_wish gaudi_gdb_talk(struct gaudi_gdb *gdb, int wake);
/*
 * All run: STOP, also for a client that has just come; KILL, LEAVE, WAKE; or GO after so
 * many ms in which nobody wanted anything.
 */
enum gaudi_gdb_wish gaudi_gdb_listen_in(struct gaudi_gdb *gdb, int timeout_ms,
					int wake);
/* This thread has stopped, for its reason: the client is told if it waits. */
void gaudi_gdb_tell_stop(struct gaudi_gdb *gdb, unsigned int thread);
/* The program is over, with this status. */
void gaudi_gdb_tell_end(struct gaudi_gdb *gdb, int status);
/* There is a stop that nobody has been told yet; its thread, or -1. */
int gaudi_gdb_pending(struct gaudi_gdb *gdb);
/* What a client has set is no more. */
void gaudi_gdb_forget(struct gaudi_gdb *gdb);

#endif /* GAUDI_GDB_H */
