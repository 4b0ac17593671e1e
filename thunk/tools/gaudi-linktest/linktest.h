/* SPDX-License-Identifier: MIT */
/*
 * gaudi-linktest: how fast cards write to each other.
 *
 *   main.c	options, exit status
 *   end.c	one end of a link: what it sends and gets
 *   rounds.c	latency round by round
 *   watch.c	a thread that sees when what is awaited will not come
 *   box.c	all cards of this machine, pair by pair and all at once
 *   remote.c	one card here and one of another machine
 *   report.c	results, for people and for programs
 *
 * Functions return 0, or a negative number and have said why.
 */
#ifndef GAUDI_LINKTEST_H
#define GAUDI_LINKTEST_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include "gaudi_link.h"

#define MAX_CARDS	8
#define MAX_SIZES	48
#define SIZE_MAX_BYTES	(1ull << 30)
#define ITERATIONS_MAX	100000
#define ROUNDS_MAX	4000
#define DURATION_MAX	3600
#define MAX_QPS		16	/* links of a wire */
#define LATENCY_BYTES	4	/* of a write, if nobody says more */

struct settings {
	uint64_t sizes[MAX_SIZES];	/* of writes, one after the other */
	unsigned int num_sizes;
	int iterations;			/* writes of each */
	int duration;			/* seconds of each instead; 0: none */
	int qps;			/* links that share the writes */
	int rounds;			/* of latency, there and back */
	bool bandwidth, latency;	/* what to measure */
	bool both;			/* both ways at once */
	uint32_t cards[MAX_CARDS];	/* module ids; all if there are none */
	unsigned int num_cards;
	bool listens;			/* for another machine */
	const char *host;		/* it; NULL: none */
	int tcp_port;
	int port;			/* of the card, -1: the first that is up */
	bool gbits;			/* report Gb/s */
	bool every_round;		/* show the time of each one, ... */
	bool unsorted;			/* ... in the order in which they were */
	bool json;
	bool quiet;
};

/* The end of a link; its memory is as large as the largest write. */
struct end {
	struct gaudi_device *device;
	uint32_t module_id;
	struct gaudi_stream *stream;
	struct gaudi_link *links[MAX_QPS];
	int num_links;
	gaudi_ptr from, to;
	uint64_t peer_to;		/* the peer's @to */
};

/* A measure; 0 where it was not taken. */
struct figures {
	double bandwidth[MAX_SIZES];	/* bytes a second, each way */
	uint64_t writes[MAX_SIZES];	/* that it was measured by, each way */
	double latency;			/* seconds, one way */
	double rounds[ROUNDS_MAX];	/* the same of each, by the host's clock */
	int num_rounds;
};

/* --- end.c --- */

/* "what: the library's message"; returns -1 */
int failed(const char *what);
int end_open(struct end *end, struct gaudi_device *device, uint64_t bytes);
/* So many links on @port of its device. */
int end_link(struct end *end, uint32_t port, int num);
void end_close(struct end *end);
/* From any thread: what is awaited from the peer will not come. */
void end_abort(const struct end *end);
/* Have the pattern that @seed makes in what is sent, and nothing where it goes. */
int end_fill(struct end *end, uint64_t bytes, unsigned int seed);
/* Has the pattern of the peer's @seed come? -1 if not, and says so. */
int end_check(struct end *end, uint64_t bytes, unsigned int seed);
/*
 * Writes of @bytes from each of @num ends at the same time, as many as @s says or for as long;
 * behind the last one of each link the peer is notified. *@writes: of one end.
 */
int end_flow(struct end *const *ends, unsigned int num,
	     const struct settings *s, uint64_t bytes, uint64_t *writes);
/*
 * Give the card one side of a measure, without waiting: the peer's notifications behind its
 * writes; @rounds of @bytes there and back, of which the side that @starts sends first.
 */
int end_awaits(struct end *end);
int end_rounds(struct end *end, int rounds, uint64_t bytes, bool starts);
int end_sync(struct end *end);
/* Both halves of a round: a write that notifies, and the wait for one. */
void end_turn(const struct end *end, uint64_t bytes, struct gaudi_link_op *turn);
/* Bytes of the writes of latency. */
uint64_t latency_bytes(const struct settings *s);

/* --- rounds.c --- */

/* Of the times of rounds; @typical is the median. */
struct spread {
	double min, max, typical, mean, stdev, p99, p999;
};

/*
 * @rounds there and back, each of which the host awaits before it begins the next one; half
 * of the time of each. The other side has been given as many.
 */
int rounds_time(struct end *end, int rounds, uint64_t bytes, double *times);
/* There is one round at least. */
void rounds_spread(const struct figures *figures, struct spread *spread);
void rounds_sort(struct figures *figures);

/* --- watch.c --- */

struct watcher {
	pthread_t thread;
	int stop[2];	/* a pipe, which has something to read in the end; -1: there is none */
};

/* @watch ends when stop[0] can be read. */
int watcher_start(struct watcher *w, void *(*watch)(void *arg), void *arg);
/* Waits for it; none is allowed, if @w->stop[0] is -1. */
void watcher_stop(struct watcher *w);

/* --- box.c --- */

struct box_pair {
	bool wired;
	uint32_t from_port, to_port;
	struct figures figures;
};

struct box {
	unsigned int count;
	struct gaudi_device_info infos[MAX_CARDS];
	struct box_pair pairs[MAX_CARDS][MAX_CARDS];	/* from, to */
	double at_once;			/* bytes a second, of all pairs */
};

int box_run(const struct settings *s, struct box *box);

/* --- remote.c --- */

int remote_listen(const struct settings *s);
int remote_connect(const struct settings *s, struct figures *figures);

/* --- report.c --- */

void report_box(FILE *out, const struct settings *s, const struct box *box);
int report_box_json(FILE *out, const struct settings *s, const struct box *box);
void report_remote(FILE *out, const struct settings *s,
		   const struct figures *figures);
int report_remote_json(FILE *out, const struct settings *s,
		       const struct figures *figures);

#endif /* GAUDI_LINKTEST_H */
