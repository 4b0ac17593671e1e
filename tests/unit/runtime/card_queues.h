/* SPDX-License-Identifier: MIT */
/*
 * What the card of threads consists of. card.c answers for the driver, and
 * card_queues.c does what the packets say.
 */
#ifndef CARD_QUEUES_H
#define CARD_QUEUES_H

#include <pthread.h>

#include "card.h"

#define HBM_BASE	0x20000000ull
#define SRAM_BASE	0x7ff0020000ull
#define SRAM_SIZE	(1 * MIB)
#define SOBS		128
#define FIRST_SOB	40		/* of the next multiple of 128 */
#define MONITORS	128
#define FIRST_MONITOR	3
#define JOBS		4096
#define TABLE		4096
#define INNER		5		/* engines with internal queues */
#define QUEUES		(GD_QUEUES + 4 * INNER)

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
	bool mapped;
};

struct mapping {
	uint64_t va, size;
	uint8_t *host;
};

struct sim {
	bool open, stop;
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

/* Where the card finds @size bytes at its @addr. */
uint8_t *card_resolve(struct sim *sim, uint64_t addr, uint64_t size);
void *card_queue_main(void *queue);

#endif /* CARD_QUEUES_H */
