/* SPDX-License-Identifier: MIT */
/* What the files of the room share. */
#ifndef GAUDI_RUNTIME_LINKS_H
#define GAUDI_RUNTIME_LINKS_H

#include "gaudi_link.h"
#include "cabling.h"
#include "link.h"
#include "../runner/runner.h"
#include "../streams/streams.h"
#include "drm/gaudi_nic.h"

/* Streams of a port's QMAN: for work, and one that never waits. */
#define GD_PORT_QUEUES		3u
#define GD_ASIDE_QUEUE		GD_PORT_QUEUES

/* Command buffers of a link for the NIC QMAN: pieces that may be under way. */
#define GD_LINK_SLOTS		128u
#define GD_LINK_SLOT_SIZE	128u

/* What is done aside: for waits, for writes as well, and the ends of two queues. */
enum {
	GD_ASIDE_WAITS, GD_ASIDE_ALL, GD_ASIDE_LAST, GD_ASIDE_LAST_PART,
	GD_ASIDE_SLOTS,
};

/* Enough for every wait. */
#define GD_SOB_ALL		32767u
/* Pieces after which the other sync object says go: half of it are never under way. */
#define GD_GO_WRAP		(4 * GD_LINK_SLOTS)

/* A port that is open. */
struct gd_port {
	bool open;
	uint32_t max_links, num_wqs, entries;
	uint32_t most;			/* bytes of an entry */
	uint32_t timeout_retries;
	gaudi_ptr send, receive;	/* queues of all its links */
	uint32_t monitors;		/* of its queues, from this one on */
	uint8_t mac[6];
	uint32_t num_links;
};

/* What a link was given, in counts that never begin anew. */
struct gd_link_counts {
	uint64_t entries, slots;
	uint64_t writes, bytes, notified, waited;
};

/* A sync object each. */
enum {
	GD_SOB_GO,			/* and the one after it, in turn */
	GD_SOB_DONE = GD_SOB_GO + 2,
	GD_SOB_NOTIFIED,		/* the same */
	GD_LINK_SOBS = GD_SOB_NOTIFIED + 2,
};

/* A piece of work that a link is a part of. With @lock. */
struct gd_posted {
	TAILQ_ENTRY(gd_posted) link;
	struct gd_fate *fate;		/* of its stream; referenced */
	uint64_t step;
	unsigned int q;
	uint64_t n;			/* GD_NEVER: it is on its way to the queue */
	bool let_go;			/* after a failure */
	uint64_t entry, slot;		/* of writes: its first ones, */
	uint32_t entries;		/* and how many */
};

TAILQ_HEAD(gd_posted_list, gd_posted);

/*
 * A link's pieces that write, which are one after the other, and that wait, by queue: those
 * of one list end in their order.
 */
enum { GD_WRITES, GD_WAITS, GD_KINDS = GD_WAITS + GD_QUEUES };

struct gaudi_link {
	LIST_ENTRY(gaudi_link) link;
	struct gaudi_device *device;
	uint32_t port;
	uint32_t conn_id;
	uint32_t queue;			/* the driver's, of the port's QMAN */
	uint32_t monitor;		/* of that queue */
	uint32_t key, psn, ip;
	uint32_t priority, timeout_log2, wanted_queue;
	bool of_peers;			/* the library's own */
	uint32_t sobs[GD_LINK_SOBS];
	/* Entries to send, to receive, then slots, and GD_ASIDE_SLOTS. */
	uint8_t *memory;
	uint64_t address;		/* the card's */
	struct gd_cb *cb;		/* which it is; NULL: pages that are pinned */
	/* With both locks to change, one to read: */
	bool connected;
	struct gaudi_link_address peer;
	/* With @post: */
	struct gd_link_counts now;
	struct gd_point last;		/* after which its next piece begins */
	struct gd_point waits[2];	/* for each sync object of notifications */
	/* With @lock: */
	struct gd_posted_list posted[GD_KINDS];	/* oldest first */
	struct gd_link_counts shown;	/* what the card has been given */
	uint64_t let_go_ns;
	uint32_t jobs;			/* that are on their way to the card */
	uint32_t written;		/* work that is written down */
	uint32_t syndrome;
	bool stopped;			/* the card does not send any more */
	bool closed;			/* its connection is gone */
	char why[256];			/* of its failure; written before @error */
	atomic_int error;
};

struct gd_links {
	pthread_mutex_t post, lock;
	pthread_cond_t changed;		/* jobs of a link have run */
	/* With both to change, one to read: */
	struct gd_port ports[GD_PORTS];
	LIST_HEAD(, gaudi_link) list;
	uint64_t looked_ns;		/* with @lock: driver asked for errors */
	/* Pairs of links to other devices, and from others; with the lock of peers. */
	LIST_HEAD(, gd_peer) peers, peers_in;
};

/* --- ports.c; with @post --- */

/* A call of the driver's, with a message about @what if it fails. */
int gd_nic_call(struct gaudi_device *device, enum drm_gaudi_nic_op op,
		const void *in, uint32_t in_size, void *out, uint32_t out_size,
		const char *what, uint32_t port);
/* GAUDI_ERR_UNSUPPORTED if the device has no links. Without a lock. */
int gd_links_check(struct gaudi_device *device);
/* With the usual numbers, if it is not open. */
int gd_port_ready(struct gaudi_device *device, uint32_t port);
uint32_t gd_port_ip(const uint8_t mac[6]);
static inline uint32_t gd_port_queue(uint32_t port, uint32_t stream)
{
	return GAUDI_QUEUE_ID_NIC_0_0 + 4 * port + stream;
}

/* --- link.c --- */

/* As gaudi_link_destroy(), and also one of the library's own. */
int gd_link_destroy(struct gaudi_link *link);
/* One that a call may use, even if it has failed. */
int gd_link_check_there(struct gaudi_link *link);
/* GAUDI_ERR_LINK if it has. */
int gd_link_check(struct gaudi_link *link);
int gd_link_is_failed(struct gaudi_link *link);
/* The bytes of its memory before the slots, and all. */
size_t gd_link_slots_offset(const struct gd_port *port);

/* --- fault.c --- */

/*
 * With @lock: the link fails, and so do streams with work of it. The first reason stays.
 * @stopped: the card does not send any more.
 */
void gd_link_fail(struct gaudi_link *link, uint32_t syndrome, bool stopped,
		  const char *why);
/*
 * With @lock: the card sends nothing of it any more, and receives nothing, from now on; false: it
 * cannot be told. The link keeps the number of its connection, which is without a context.
 */
bool gd_link_stop(struct gaudi_link *link);
/* Writes what lets its work go, once, where the card reads it. */
void gd_link_prepare(struct gaudi_link *link);
/*
 * All pieces of the link have ended, but if some were let go, the port's queues may
 * have their parts yet: wait until these have run, and what was done aside.
 */
int gd_link_flush(struct gaudi_link *link);
/* With @lock: forget pieces that have ended; one that is in no list any more. */
void gd_link_reap(struct gaudi_link *link);
void gd_posted_free(struct gaudi_device *device, struct gd_posted *posted);
/* How many are under way. */
uint32_t gd_link_count_posted(const struct gaudi_link *link);
/* The device's @watch. */
void gd_links_watch(struct gaudi_device *device);
/* Ask the driver for errors, now. The second one: with @lock. */
void gd_links_look(struct gaudi_device *device);
void gd_links_take_errors(struct gaudi_device *device);

/* --- ring.c; with @lock --- */

/* What of a piece of writes the card has not copied yet is never sent. */
void gd_link_blank(struct gaudi_link *link, const struct gd_posted *posted);

/* --- peer.c --- */

void gd_peers_exit(struct gaudi_device *device);

#endif /* GAUDI_RUNTIME_LINKS_H */
