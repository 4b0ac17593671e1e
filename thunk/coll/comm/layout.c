// SPDX-License-Identifier: MIT
/* Where in staging memory what is (comm.h); and in a host's, for another box. */
#include "comm.h"

struct coll_far_lane *coll_far_lane(const struct coll_comm *comm, uint32_t peer)
{
	return &comm->peers[peer].far->lanes[comm->captures];
}

uint64_t coll_staging_size(uint32_t ranks, uint32_t row_bytes)
{
	return COLL_LANES * ((2ull * ranks + 4) * row_bytes +
			     (uint64_t)ranks * COLL_MAILBOXES * COLL_MAILBOX_BYTES);
}

uint64_t coll_slot_offset(const struct coll_comm *comm, uint32_t parity,
			  uint32_t rank)
{
	uint64_t first = comm->captures ? 2ull * comm->ranks + 4 : 0;

	return (first + (uint64_t)parity * comm->ranks + rank) *
	       comm->settings.row_bytes;
}

uint64_t coll_work_offset(const struct coll_comm *comm)
{
	return coll_slot_offset(comm, 2, 0);
}

uint64_t coll_out_offset(const struct coll_comm *comm)
{
	return coll_slot_offset(comm, 2, 1);
}

uint64_t coll_spare_offset(const struct coll_comm *comm, uint32_t i)
{
	return coll_slot_offset(comm, 2, 2 + i);
}

uint64_t coll_mailbox_offset(const struct coll_comm *comm, uint32_t rank, uint64_t i)
{
	uint64_t first = comm->captures ? comm->ranks : 0;

	return COLL_LANES * (2ull * comm->ranks + 4) * comm->settings.row_bytes +
	       ((first + rank) * COLL_MAILBOXES + i % COLL_MAILBOXES) * COLL_MAILBOX_BYTES;
}
