/* SPDX-License-Identifier: MIT */
/*
 * What the card of threads consists of. card.c answers for the driver, card_queues.c
 * does what the packets say, and card_nic.c both for the ports.
 */
#ifndef CARD_QUEUES_H
#define CARD_QUEUES_H

#include <pthread.h>

#include "card.h"
#include "drm/gaudi_nic.h"

#define HBM_BASE	0x20000000ull
#define SRAM_BASE	0x7ff0020000ull
#define SRAM_SIZE	(1 * MIB)
#define SOBS		1024
#define FIRST_SOB	40		/* of the next multiple of 128 */
#define MONITORS	128
#define FIRST_MONITOR	3
#define JOBS		4096
#define TABLE		4096
#define INNER		5		/* engines with internal queues */
#define PORTS		8		/* of the hardware's */
#define CONNS		40		/* of a port, from 1 on */
#define FIRST_NIC	(GD_QUEUES + 4 * INNER)
#define QUEUES		(FIRST_NIC + 4 * PORTS)

struct job {
	uint64_t seq;
	const uint8_t *packets;
	uint8_t *copy;			/* the driver's, of an external queue's */
	uint32_t size;
};

struct sim_queue {
	struct sim *sim;
	unsigned int index;		/* from GD_QUEUES on: internal ones */
	uint32_t id;
	pthread_t thread;
	pthread_cond_t work;
	struct job jobs[JOBS];
	uint64_t put, got;
	bool runs, stop;		/* a job; for good */
	unsigned int fence;
};

struct monitor {
	uint64_t addr;
	uint32_t data;
	bool armed;
	unsigned int sob;
	uint32_t value;
};

struct cb {
	uint8_t *memory;
	uint32_t size;
	bool mapped;			/* by the program */
	uint64_t va;			/* of those that the card can read; else 0 */
};

struct mapping {
	uint64_t va, size;
	uint8_t *host;
};

struct sim_conn {
	bool used, requester, responder, failed;
	struct drm_gaudi_nic_req_ctx req;
	struct drm_gaudi_nic_res_ctx res;
	uint32_t next;			/* entry to be sent */
	uint32_t busy;			/* packets of it are under way */
};

struct sim_port {
	struct sim_conn conns[CONNS];
	struct drm_gaudi_nic_wq wq[2];	/* num_wqs 0: not set */
	uint32_t errors;
	uint64_t tx_bytes;
};

struct sim {
	bool open, stop;
	uint32_t module;
	struct sim_port ports[PORTS];
	/* Of connections, that the program has not read. */
	struct drm_gaudi_nic_error errors[64];
	unsigned int num_errors;
	unsigned int started;		/* threads of queues */
	pthread_mutex_t lock;
	pthread_cond_t done;
	struct sim_queue queues[QUEUES];
	pthread_mutex_t lower[INNER];	/* one for four streams */
	uint32_t sobs[SOBS];
	struct monitor monitors[MONITORS];
	struct cb cbs[TABLE];
	struct mapping maps[TABLE];
	uint64_t next_va;
	uint8_t *hbm, *sram;
	uint64_t hbm_used, hbm_next;
	unsigned int allocs;
	uint64_t seq;
	/* By seq; external jobs that are left, and the end: 0: not yet */
	unsigned int left[65536];
	uint64_t ends[65536];
};

/*
 * What a program must not do. cmocka's assertions hold in the test's own thread only: in
 * another one they end the program without a word.
 */
#define CARD_MUST(condition)							\
	do {									\
		if (!(condition)) {						\
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__,		\
				__LINE__, #condition);				\
			abort();						\
		}								\
	} while (0)

/* Where the card finds @size bytes at its @addr; the latter with the card's lock. */
uint8_t *card_resolve(struct sim *sim, uint64_t addr, uint64_t size);
uint8_t *card_resolve_locked(struct sim *sim, uint64_t addr, uint64_t size);
void card_copy(void *to, const void *from, size_t size);
void *card_queue_main(void *queue);
/* A message to a sync object, by its register; with the card's lock. */
void card_write_sob(struct sim *sim, uint32_t reg, uint32_t value);

/* NULL: no card of this module id is open. */
struct sim *card_of_module(uint32_t module);
struct sim *card_of_fd(int fd);
/* The doorbell of a port's queue. */
void card_ring(struct sim *sim, unsigned int port, uint64_t bell);
/* Has everything of the ports been given back? */
void card_check_ports(const struct sim *sim);

#endif /* CARD_QUEUES_H */
