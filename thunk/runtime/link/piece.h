/* SPDX-License-Identifier: MIT */
/* Work of links on its way: what post.c, ring.c and piece.c share. With @post, all. */
#ifndef GAUDI_RUNTIME_LINK_PIECE_H
#define GAUDI_RUNTIME_LINK_PIECE_H

#include "links.h"

/* Bytes of packets: entries of one link into its queue, in two parts, and its go. */
#define GD_HEAD_SIZE	(4 * sizeof(struct gaudi_packet_lin_dma) + 8)
/* A wait, and a sync object that is set back. */
#define GD_END_SIZE	(GD_WAIT_SIZE + 8u)

/* A link's writes in a job, in their order. */
struct gd_part {
	struct gaudi_link *link;
	uint32_t op;			/* the next one */
	uint64_t done;			/* entries of it */
	uint64_t left;			/* entries of all */
	uint32_t taken;			/* for the piece that is being made */
	struct gd_posted *posted;
	struct gd_link_counts before;	/* the piece */
};

struct gd_link_job {
	struct gd_job job;
	struct gaudi_device *device;
	uint32_t count, num_parts, num_waits;
	struct gd_part *parts;
	struct gd_posted **waits;	/* by wait */
	struct hl_cs_chunk *chunks;
	uint8_t *head, *end;
	bool with_open;			/* the next piece begins with open packets */
	uint64_t open_n;		/* the piece that did; 0: none */
	/* Of waits, @to is the number of the notification, from 0 on. */
	struct gaudi_link_op ops[];
};

static inline struct gd_link_job *gd_link_job_of(struct gd_job *job)
{
	return container_of(job, struct gd_link_job, job);
}

static inline bool gd_op_is_wait(const struct gaudi_link_op *op)
{
	return op->kind == GAUDI_LINK_WAIT;
}

/* Of a write: rows of op->bytes. */
static inline uint32_t gd_op_rows(const struct gaudi_link_op *op)
{
	return op->kind == GAUDI_LINK_WRITE_STRIDED ? op->count : 1;
}

static inline const struct gd_port *gd_port_of(const struct gaudi_link *link)
{
	return &link->device->links->ports[link->port];
}

/* --- ring.c --- */

/* Entries that a write is; it may be nothing. */
uint64_t gd_op_entries(const struct gaudi_link_op *op);
/*
 * As many entries as go into one piece, where the card copies them from. Waits for
 * older pieces of the link.
 */
int gd_part_fill(const struct gd_link_job *job, struct gd_part *part);
/* The piece will not be: as if it had not been tried. */
void gd_part_undo(struct gd_part *part);

/* --- piece.c --- */

/*
 * At most so many bytes: the queue @queue waits, by its @monitor, until @sob is @value or more.
 * @again: this is not the first of it, so the monitor raises the queue's fence already.
 */
#define GD_WAIT_SIZE	40u
void gd_put_wait(struct pkt_buf *pb, uint32_t monitor, uint32_t sob,
		 uint32_t value, uint32_t queue, bool again);
/* The sync object that says go to a piece, by its number, from 0 on. */
uint32_t gd_link_go(const struct gaudi_link *link, uint64_t piece);

/* GAUDI_ERR_LINK if one of their links has failed. */
int gd_link_ops_check(const struct gaudi_link_op *ops, uint32_t count);

/* All of the job, in as many pieces as it takes, on queue @q. */
int gd_link_job_run(struct gd_link_job *job, struct gaudi_stream *stream,
		    unsigned int q);

#endif /* GAUDI_RUNTIME_LINK_PIECE_H */
