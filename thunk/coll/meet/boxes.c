// SPDX-License-Identifier: MIT
/*
 * Several boxes: which ranks are in the same one, and what data to those in others go
 * through.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bootstrap.h"
#include "meet.h"

/* What all ranks tell each other. */
struct door {
	struct coll_fabric_address address;
	int32_t error;			/* this side cannot */
	uint32_t reserved;
};

/* Boxes are numbered as their first ranks come. */
static void number_boxes(struct coll_comm *comm, const struct coll_record *table)
{
	comm->here = true;
	comm->ip = table[comm->rank].ip;
	for (uint32_t i = 0; i < comm->ranks; i++) {
		uint32_t first = 0;

		comm->here &= !memcmp(table[i].identity.host,
				      table[0].identity.host,
				      sizeof(table[i].identity.host));
		while (memcmp(&table[first].identity, &table[i].identity,
			      sizeof(table[i].identity)))
			first++;
		comm->peers[i].box = first == i ? comm->boxes++ :
						  comm->peers[first].box;
	}
}

/* Ranks by box; and how many each box has. */
static void sort_ranks(struct coll_comm *comm)
{
	uint32_t sizes[COLL_MAX_RANKS] = {}, num = 0;

	for (uint32_t box = 0; box < comm->boxes; box++)
		for (uint32_t i = 0; i < comm->ranks; i++)
			if (comm->peers[i].box == box) {
				comm->by_box[num++] = i;
				sizes[box]++;
			}
	coll_settings_boxes(&comm->settings, sizes, comm->boxes);
}

int coll_boxes_find(struct coll_comm *comm, const struct coll_record *table)
{
	comm->by_box = calloc(comm->ranks, sizeof(*comm->by_box));
	if (!comm->by_box)
		return coll_fail(-ENOMEM, "no memory for boxes");
	number_boxes(comm, table);
	sort_ranks(comm);
	for (uint32_t i = 0; i < comm->ranks; i++) {
		struct coll_peer *peer = &comm->peers[i];

		if (peer->box == comm->peers[comm->rank].box)
			continue;
		peer->far = calloc(1, sizeof(*peer->far));
		if (!peer->far)
			return coll_fail(-ENOMEM, "no memory for boxes");
	}

	return 0;
}

static int share_out(struct coll_comm *comm, uint64_t *bytes)
{
	uint64_t row = comm->settings.row_bytes;
	uint64_t each = 2 * row + (COLL_MAILBOXES + 1) * COLL_MAILBOX_BYTES;
	struct coll_far_lane *lane;
	char *at;
	int rc;

	*bytes = 0;
	for (uint32_t i = 0; i < comm->ranks; i++)
		*bytes += comm->peers[i].far ? COLL_LANES * each : 0;
	rc = coll_gaudi(gaudi_host_alloc(comm->device, *bytes, &comm->host),
			"pinned memory");
	at = comm->host;
	for (uint32_t i = 0; !rc && i < comm->ranks; i++)
		for (uint32_t k = 0; comm->peers[i].far && k < COLL_LANES; k++) {
			lane = &comm->peers[i].far->lanes[k];
			lane->out = at;
			lane->in = at + row;
			lane->mailboxes = at + 2 * row;
			at += each;
		}

	return rc;
}

static int add_peers(struct coll_comm *comm, const struct door *in)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < comm->ranks; i++) {
		if (i != comm->rank && in[i].error)
			rc = coll_fail(in[i].error, "rank %u cannot reach other boxes", i);
		else if (comm->peers[i].far)
			rc = coll_fabric_add(comm->fabric, i, &in[i].address);
	}

	return rc ? rc : coll_fabric_start(comm->fabric);
}

/* All are told, also of a failure, so that nobody waits for this rank. */
int coll_boxes_connect(struct coll_comm *comm)
{
	struct door *out, *in;
	char why[COLL_MESSAGE_SIZE];
	uint64_t bytes;
	int rc, swapped;

	if (comm->boxes < 2)
		return 0;
	out = calloc(2 * comm->ranks, sizeof(*out));
	if (!out)
		return coll_fail(-ENOMEM, "no memory for boxes");
	in = out + comm->ranks;
	rc = share_out(comm, &bytes);
	if (!rc)
		rc = coll_fabric_open(comm->host, bytes, comm->ranks, comm->ip,
				      comm->here, &comm->fabric, &out->address);
	strcpy(why, coll_message());
	out->error = rc;
	for (uint32_t i = 1; i < comm->ranks; i++)
		out[i] = out[0];
	swapped = coll_swap(comm, out, in, sizeof(*out));
	if (rc)
		coll_fail(rc, "%u boxes: %s", comm->boxes, why);
	else
		rc = swapped ? swapped : add_peers(comm, in);
	free(out);

	return rc;
}

void coll_boxes_free(struct coll_comm *comm)
{
	coll_fabric_close(comm->fabric);
	if (comm->host)
		gaudi_host_free(comm->device, comm->host);
	for (uint32_t i = 0; i < comm->ranks; i++)
		free(comm->peers[i].far);
	free(comm->by_box);
}
