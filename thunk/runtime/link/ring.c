// SPDX-License-Identifier: MIT
/*
 * A link's queue: writes become entries in host memory, from where a piece of work
 * copies them to the same places of the queue in HBM. What older pieces copy is not
 * touched before they have ended.
 */
#include <string.h>

#include "hw/regs/gaudi_nic_regs.h"
#include "piece.h"
#include "wqe.h"

uint64_t gd_op_entries(const struct gaudi_link_op *op)
{
	if (!op->bytes && !(op->flags & GAUDI_LINK_NOTIFY))
		return 0;

	return gd_wqe_count(op->bytes, gd_op_rows(op),
			    gd_port_of(op->link)->most);
}

/* Room for @n more entries and a slot. */
static int make_room(struct gaudi_link *link, uint32_t n)
{
	struct gd_links *links = link->device->links;
	uint32_t all = gd_port_of(link)->entries;
	int rc = 0;

	for (;;) {
		struct gd_point point = {};
		struct gd_posted *first;

		pthread_mutex_lock(&links->lock);
		gd_link_reap(link);
		first = TAILQ_FIRST(&link->posted[GD_WRITES]);
		if (first && (link->now.entries + n - first->entry > all ||
			      link->now.slots - first->slot >= GD_LINK_SLOTS))
			gd_point_set(&point, first->q, first->n);
		pthread_mutex_unlock(&links->lock);
		if (rc || !point.set)
			return rc;
		rc = gd_wait(link->device, &point);
	}
}

static struct gd_notify next_notification(struct gaudi_link *link)
{
	uint64_t k = link->now.notified++;
	uint32_t wrap = link->peer.notify_wrap;

	return (struct gd_notify) {
		.sob = link->peer.notify[k / wrap & 1],
		.value = (uint32_t)(k % wrap) + 1,
	};
}

/* The first word says what an entry is, and none of them sends. */
void gd_link_blank(struct gaudi_link *link, const struct gd_posted *posted)
{
	uint32_t all = gd_port_of(link)->entries;

	for (uint32_t i = 0; i < posted->entries; i++) {
		size_t at = (posted->entry + i) % all * NIC_WQE_SIZE;

		__atomic_store_n((uint32_t *)(void *)(link->memory + at),
				 NIC_WQE_NOP, __ATOMIC_RELEASE);
	}
}

static void put_entry(struct gaudi_link *link, const uint32_t *send,
		      const uint32_t *receive)
{
	uint32_t all = gd_port_of(link)->entries;
	uint32_t index = (uint32_t)(link->now.entries++ % all);
	uint8_t *queue = link->memory;

	memcpy(queue + (size_t)index * NIC_WQE_SIZE, send, NIC_WQE_SIZE);
	queue += (size_t)all * NIC_WQE_SIZE;
	memcpy(queue + (size_t)index * NIC_RECV_WQE_SIZE, receive,
	       NIC_RECV_WQE_SIZE);
}

/* The next entry of a part; the piece's last one tells that it is done. */
static void write_entry(const struct gaudi_link_op *op, struct gd_part *part,
			bool ends_piece)
{
	struct gaudi_link *link = part->link;
	const struct gd_write write = {
		.from = op->from,
		.to = op->to,
		.bytes = op->bytes,
		.rows = gd_op_rows(op),
		.from_step = op->flags & GAUDI_LINK_STRIDE_FROM ?
			     op->stride : op->bytes,
		.to_step = op->flags & GAUDI_LINK_STRIDE_TO ?
			   op->stride : op->bytes,
		.count = gd_op_entries(op),
		.most = gd_port_of(link)->most,
	};
	bool last = part->done == write.count - 1;
	uint32_t send[NIC_WQE_WORDS], receive[2];
	struct gd_notify notify = {};

	if (last && op->flags & GAUDI_LINK_NOTIFY)
		notify = next_notification(link);
	gd_wqe_write(send, &write, part->done, &notify);
	gd_wqe_receive(receive, ends_piece ? link->sobs[GD_SOB_DONE] : 0);
	put_entry(link, send, receive);
	part->done++;
	if (!last)
		return;
	link->now.writes++;
	link->now.bytes += gd_op_rows(op) * op->bytes;
}

static const struct gaudi_link_op *next_write(const struct gd_link_job *job,
					      struct gd_part *part)
{
	for (;; part->op++, part->done = 0) {
		const struct gaudi_link_op *op = &job->ops[part->op];

		if (!gd_op_is_wait(op) && op->link == part->link &&
		    part->done < gd_op_entries(op))
			return op;
	}
}

int gd_part_fill(const struct gd_link_job *job, struct gd_part *part)
{
	struct gaudi_link *link = part->link;
	/* Half of the queue, so that the next piece has room, too. */
	uint32_t n = gd_port_of(link)->entries / 2;
	int rc;

	if (n > part->left)
		n = (uint32_t)part->left;
	rc = n ? make_room(link, n) : 0;
	if (rc || !n)
		return rc;
	part->before = link->now;
	part->taken = n;
	for (uint32_t i = 0; i < n; i++)
		write_entry(next_write(job, part), part, i == n - 1);
	link->now.slots++;

	return 0;
}

void gd_part_undo(struct gd_part *part)
{
	if (part->taken)
		part->link->now = part->before;
}
