// SPDX-License-Identifier: MIT
/*
 * Groups: calls of a thread that are kept until its outermost group ends. Then sends and
 * receives come first, those of a communicator and stream as one set, and collectives in the
 * order of the calls.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "hccl_calls.h"
#include "profile.h"
#include "../../synapse/syn_internal.h"

#define MOST_CALLS	1024u

struct group {
	uint32_t depth, num;
	bool full;		/* and a call was refused: none is done */
	struct hccl_call calls[MOST_CALLS];
};

static _Thread_local struct group *group;

/* What the call @what returned: why the communicator has failed, if it has. */
static hcclResult_t said(struct coll_comm *comm, int rc, const char *what)
{
	hcclResult_t result;
	const char *why;

	if (!rc)
		return hccl_good();
	result = coll_comm_error(comm, &why);

	return result ? hccl_fail(result, "%s: %s", what, why) :
			hccl_result(rc, what);
}

static uint64_t all_bytes(const struct coll_transfer *list, uint32_t num)
{
	uint64_t bytes = 0;

	while (num)
		bytes += list[--num].bytes;

	return bytes;
}

/* Sends and receives. */
static hcclResult_t transfer(struct coll_comm *comm, struct gaudi_stream *stream,
			     const struct hccl_call *call,
			     const struct coll_transfer *list, uint32_t num)
{
	char text[COLL_MESSAGE_SIZE];

	PROFILE_SPAN(call->name, "bytes", all_bytes(list, num), text);

	if (profile_on && num == 1)
		snprintf(text, sizeof(text), "%s rank %u, rank %u of %u",
			 list->send ? "to" : "from", list->peer, coll_comm_rank(comm),
			 coll_comm_ranks(comm));
	else if (profile_on)
		snprintf(text, sizeof(text), "%u sends and receives, rank %u of %u", num,
			 coll_comm_rank(comm), coll_comm_ranks(comm));

	return said(comm, coll_transfer(comm, stream, list, num), call->name);
}

/* @list, or, if that is empty, a collective. */
static hcclResult_t run(const struct hccl_call *call,
			const struct coll_transfer *list, uint32_t num)
{
	struct coll_comm *comm = hccl_comm_get(call->comm);
	struct gaudi_stream *stream = syn_stream_get(call->stream);
	hcclResult_t result;

	if (!comm)
		result = hccl_fail(hcclInvalidArgument, "%s: the communicator has ended",
				   call->name);
	else if (!stream)
		result = hccl_fail(hcclInvalidUsage, "%s: the stream has ended",
				   call->name);
	else if (num)
		result = transfer(comm, stream, call, list, num);
	else
		result = said(comm, coll_run(comm, stream, &call->op), call->name);
	if (stream)
		syn_stream_put(call->stream);
	if (comm)
		hccl_comm_put(comm);

	return result;
}

static hcclResult_t refuse_more(const char *name)
{
	return hccl_fail(hcclInvalidUsage, "%s: more than %u calls in a group", name,
			 MOST_CALLS);
}

hcclResult_t hccl_do(const struct hccl_call *call)
{
	if (group && group->depth) {
		group->full = group->num == MOST_CALLS;
		if (group->full)
			return refuse_more(call->name);
		group->calls[group->num++] = *call;
		return hccl_good();
	}

	return run(call, &call->transfer, call->is_transfer);
}

hcclResult_t hcclGroupStart(void)
{
	if (!group)
		group = calloc(1, sizeof(*group));
	if (!group)
		return hccl_fail(hcclOutOfMemory, "hcclGroupStart: no memory");
	group->depth++;

	return hccl_good();
}

/* All of the first one's communicator and stream; they are done with. */
static hcclResult_t run_set(struct coll_transfer *list, uint32_t first)
{
	const struct hccl_call *head = &group->calls[first];
	uint32_t num = 0;

	for (uint32_t i = first; i < group->num; i++) {
		struct hccl_call *call = &group->calls[i];

		if (!call->is_transfer || call->comm != head->comm ||
		    call->stream != head->stream)
			continue;
		list[num++] = call->transfer;
		if (i != first)
			call->comm = NULL;
	}

	return run(head, list, num);
}

static hcclResult_t run_all(struct coll_transfer *list)
{
	hcclResult_t result = hcclSuccess, one;

	for (uint32_t i = 0; i < group->num; i++)
		if (group->calls[i].is_transfer && group->calls[i].comm) {
			one = run_set(list, i);
			result = result ? result : one;
		}
	for (uint32_t i = 0; !result && i < group->num; i++)
		if (!group->calls[i].is_transfer)
			result = run(&group->calls[i], NULL, 0);

	return result;
}

hcclResult_t hcclGroupEnd(void)
{
	struct coll_transfer *list;
	hcclResult_t result;

	if (!group || !group->depth)
		return hccl_fail(hcclInvalidUsage, "hcclGroupEnd: no group has begun");
	if (--group->depth)
		return hccl_good();
	list = calloc(group->num + 1, sizeof(*list));
	if (group->full)
		result = refuse_more("hcclGroupEnd");
	else
		result = list ? run_all(list) :
			 hccl_fail(hcclOutOfMemory, "hcclGroupEnd: no memory");
	free(list);
	free(group);
	group = NULL;

	return result;
}
