/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/*
 * Ports of cards in several processes of one host find each other by the name of a
 * fabric, in which each process is a box with a number.
 *
 *   fabric.c   boxes: their names, cards that are plugged in, the thread
 *   call.c     one wire: who calls whom, and what both say then
 *   cables.c   which ports are joined
 *
 * A box has an abstract Unix socket, whose name has the user's number, the fabric's
 * name and the box's number in it. A name is taken by one process at a time, and
 * goes with it. Whoever plugs in a card calls the boxes at the other ends of its
 * cables, and is called by those that come later; each wire has a connection of its
 * own, over which the memory is passed that both then share (nic/ring/). When it is
 * closed, the other process, or its card, has gone.
 *
 * Other processes of the same user are believed to be the box whose name they have,
 * and nothing else: what they say is checked, and they are waited for by nobody.
 *
 * One thread per fabric owns wires and connections. fabric->lock guards what others
 * leave for it, and nothing is called with it held.
 */
#ifndef GAUDI_FABRIC_H
#define GAUDI_FABRIC_H

#include <poll.h>
#include <sys/types.h>

#include "../core/core.h"
#include "../nic/nic.h"
#include "../nic/ring/ring.h"

/* Connections, of which so many have not said what they want. */
#define FABRIC_CALLS		1024
#define FABRIC_STRANGERS	16
#define FABRIC_PATIENCE_NS	10000000000ull

/* A port, as others name it. */
struct fabric_end {
	uint8_t box, module, port, unused;
};

enum fabric_stage {
	FABRIC_STRANGER,	/* has called us, and not said why */
	FABRIC_CALLING,		/* was called by us, and has not answered */
	FABRIC_JOINED,		/* is at the other end of a wire */
};

static inline bool fabric_is_end(const struct fabric_end *a,
				 const struct fabric_end *b)
{
	return a->box == b->box && a->module == b->module && a->port == b->port;
}

struct fabric_call {
	struct fabric_call *next;
	enum fabric_stage stage;
	int sock;
	bool ours;			/* we have called ... */
	pid_t pid;			/* ... or this process has */
	uint64_t life;			/* the other box's; 0: not known */
	uint64_t deadline_ns;		/* a stranger's */
	struct gaudi_ring *ring;	/* until it has joined */
	struct fabric_wire *wire;	/* NULL: a stranger's */
};

struct fabric_wire {
	struct fabric_wire *next;
	struct fabric_end mine, theirs;
	struct gaudi_link *link;
	struct fabric_call *call;	/* NULL: nobody is there */
	unsigned int tries;
	uint64_t retry_ns;		/* 0: not again */
};

struct gaudi_fabric {
	char name[GAUDI_FABRIC_NAME_LEN + 1];
	uint8_t box;
	uint64_t life;			/* another one each time */
	int listener, alarm;
	uint64_t deaf_ns;		/* nobody is let in until then */
	struct fabric_wire *wires;
	struct fabric_call *calls;
	unsigned int strangers;
	struct pollfd fd[FABRIC_CALLS + 2];	/* what is waited for ... */
	struct fabric_call *called[FABRIC_CALLS + 2];	/* ... and whose it is */
	struct gaudi_fabric_cable *cables;
	unsigned int num_cables;
	void (*thread_init)(void);
	void (*thread_exit)(void);
	pthread_t thread;
	struct gaudi_lock lock;		/* guards the two below */
	struct fabric_wire *plugged;	/* since the thread last looked */
	bool stop;
};

/* --- fabric.c ------------------------------------------------------------- */

/* A socket that is connected to a box: *sock, or -errno. It is the user's own. */
int fabric_dial(const struct gaudi_fabric *fabric, unsigned int box, int *sock,
		pid_t *pid);

/* --- call.c: by the thread ---------------------------------------------------- */

/* Somebody has called: sock is taken over. */
void fabric_let_in(struct gaudi_fabric *fabric, int sock, uint64_t now);
/* Something has come, or the end. The call may be gone afterwards. */
void fabric_hear(struct gaudi_fabric *fabric, struct fabric_call *call,
		 uint64_t now);
/* Calls the other end of a wire, which has nobody. */
void fabric_try(struct gaudi_fabric *fabric, struct fabric_wire *wire,
		uint64_t now);
/* again: the wire's other end is to be called once more, some time. */
void fabric_drop(struct gaudi_fabric *fabric, struct fabric_call *call,
		 bool again, uint64_t now);

#endif /* GAUDI_FABRIC_H */
