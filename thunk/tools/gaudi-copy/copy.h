/* SPDX-License-Identifier: MIT */
/*
 * gaudi-copy: a stream of bytes through a card and back, in chunks.
 *
 *   rig.c       the card, its memory, the three legs as submissions
 *   pipeline.c  the threads that keep several chunks under way
 *   report.c    what the user sees at the end
 *
 * Functions return 0 or a negative errno, after complain() has said why.
 */
#ifndef GAUDI_COPY_H
#define GAUDI_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cards.h"
#include "hlthunk.h"
#include "progress.h"

#define CHUNK_MIN	1
#define CHUNK_MAX	(256u << 20)
#define CHUNK_DEFAULT	(4u << 20)
#define DEPTH_MAX	32
#define DEPTH_DEFAULT	4

/* The legs of the way, in order. */
enum leg {
	LEG_UP,		/* host to HBM, DMA0 */
	LEG_ACROSS,	/* HBM to SRAM to HBM, DMA2 and DMA3 */
	LEG_DOWN,	/* HBM to host, DMA1 */
	NUM_LEGS
};

struct mapped_cb {
	uint64_t handle;
	void *mem;
};

/* Everything one chunk needs while it is under way. */
struct slot {
	uint8_t *in;		/* host memory, mapped for the card */
	uint8_t *out;
	uint8_t *upper;		/* command buffers of the internal queue, too */
	uint8_t *lower;
	uint64_t in_dev;	/* device addresses of the same */
	uint64_t out_dev;
	uint64_t upper_dev;
	uint64_t lower_dev;
	uint64_t hbm_from;
	uint64_t hbm_to;
	uint64_t sram;
	struct mapped_cb cb[NUM_LEGS];	/* for the external queues */
	unsigned int sob;
	unsigned int monitor;
	unsigned int dma;	/* internal queue */
	uint32_t bytes;		/* of this chunk */
	uint64_t seq[NUM_LEGS];
	double begin[NUM_LEGS];	/* of the submission, by now() */
	double end[NUM_LEGS];	/* of the work, as the driver saw it */
};

struct rig {
	int fd;
	struct card card;
	struct hlthunk_hw_ip_info ip;
	uint32_t chunk;
	unsigned int depth;
	uint32_t sram_piece;	/* bytes of SRAM per slot */
	size_t lower_size;
	void *host;		/* one block: in, out and CBs of all slots */
	size_t host_size;
	uint64_t host_dev;
	uint64_t hbm_handle;
	uint64_t hbm_size;
	uint64_t hbm_dev;
	struct slot slots[DEPTH_MAX];
};

/*
 * Open a card of @choice and get everything ready; -EINTR: interrupted.
 * rig_close() in any case.
 */
int rig_open(struct rig *rig, const struct card_choice *choice, uint32_t chunk,
	     unsigned int depth);
void rig_close(struct rig *rig);
/* Submit one leg of the chunk in @slot; sets seq[leg] and begin[leg]. */
int rig_submit(struct rig *rig, struct slot *slot, enum leg leg);
/* 0: done, end[leg] is set; 1: not yet, after at most @timeout_us. */
int rig_wait(struct rig *rig, struct slot *slot, enum leg leg,
	     uint64_t timeout_us);

#define DIGEST_TEXT	65

struct result {
	uint64_t bytes;
	uint64_t chunks;
	double seconds;			/* all in all */
	double leg_seconds[NUM_LEGS];	/* while the leg had work to do */
	uint64_t leg_bytes[NUM_LEGS];	/* that arrived */
	char sha_in[DIGEST_TEXT];
	char sha_out[DIGEST_TEXT];
};

struct source {
	int fd;
	int out_fd;			/* -1: nobody wants what comes back */
	const char *name;
	uint64_t size;			/* 0: unknown */
	bool quiet;
};

/*
 * From now on SIGINT and SIGTERM are noted, and end the work in good order: to
 * end a process that has work under way makes drivers reset the card.
 */
void catch_signals(void);
bool interrupted(void);

/* Copy @src; -EINTR: interrupted, everything was left in order. */
int pipeline_run(struct rig *rig, const struct source *src,
		 struct result *result);

void report_text(FILE *out, const struct rig *rig, const struct source *src,
		 const struct result *result);
int report_json(FILE *out, const struct rig *rig, const struct source *src,
		const struct result *result);

#endif /* GAUDI_COPY_H */
