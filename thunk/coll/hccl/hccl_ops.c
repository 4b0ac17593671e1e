// SPDX-License-Identifier: MIT
/*
 * Collectives, sends and receives: what they are called with is checked in the vendor's
 * order (type, communicator, stream, buffers, reduction, root).
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "hccl_calls.h"
#include "../../synapse/syn_internal.h"

/* What all calls have. */
struct check {
	const char *name;
	struct coll_comm *comm;
	struct gaudi_device *device;
	uint32_t ranks, rank;
	uint32_t size;
	hcclResult_t result;
};

static bool begin(struct check *check, const char *name, hcclDataType_t type,
		  hcclComm_t comm, void *stream)
{
	*check = (struct check) { .name = name, .size = coll_type_size(type) };
	if (!check->size) {
		check->result = hccl_fail(hcclInvalidArgument, "%s: type %d is not sent",
					  name, (int)type);
		return false;
	}
	check->comm = hccl_comm_get(comm);
	if (!check->comm) {
		check->result = hccl_fail(hcclInvalidArgument, "%s: no such communicator",
					  name);
		return false;
	}
	check->ranks = coll_comm_ranks(check->comm);
	check->rank = coll_comm_rank(check->comm);
	check->device = coll_comm_device(check->comm);
	if (syn_stream_get(stream)) {
		syn_stream_put(stream);
	} else {
		check->result = hccl_fail(hcclInvalidUsage, "%s: %p is no stream of the device",
					  name, stream);
	}

	return true;
}

/* What is found first stays. */
static __attribute__((format(printf, 2, 3)))
void refuse(struct check *check, const char *format, ...)
{
	char why[COLL_MESSAGE_SIZE];
	va_list args;

	if (check->result)
		return;
	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	check->result = hccl_fail(hcclInvalidArgument, "%s: %s", check->name, why);
}

/* Of @parts times @count elements, of which the device has all. */
static void check_buffer(struct check *check, const void *buffer, size_t count,
			 size_t parts)
{
	gaudi_ptr address = (gaudi_ptr)(uintptr_t)buffer, start;
	uint64_t bytes, have;

	if (check->result || !count)
		return;
	if (__builtin_mul_overflow((uint64_t)count, parts, &bytes) ||
	    __builtin_mul_overflow(bytes, (uint64_t)check->size, &bytes)) {
		refuse(check, "too many elements: %zu", count);
		return;
	}
	if (gaudi_memory_get_range(check->device, address, &start, &have) ||
	    have - (address - start) < bytes)
		refuse(check, "%llu bytes at %p are not all of one allocation of the device",
		       (unsigned long long)bytes, buffer);
}

static void check_op(struct check *check, hcclDataType_t type, hcclRedOp_t op)
{
	if (!coll_op_name(op))
		refuse(check, "no such reduction: %d", (int)op);
	else if (!coll_can_reduce(type, op))
		refuse(check, "the card has no %s of %s", coll_op_name(op),
		       coll_type_name(type));
}

static void check_root(struct check *check, int root)
{
	if (root < 0 || (uint32_t)root >= check->ranks)
		refuse(check, "no such root: %d", root);
}

static hcclResult_t end(struct check *check, struct hccl_call *call)
{
	hcclResult_t result = check->result;

	call->name = check->name;
	call->op.name = check->name;
	if (!result)
		result = hccl_do(call);
	hccl_comm_put(check->comm);

	return result;
}

static struct hccl_call call_of(enum coll_kind kind, const void *send, void *recv,
				size_t count, hcclDataType_t type,
				hcclComm_t comm, void *stream)
{
	return (struct hccl_call) {
		.comm = comm,
		.stream = stream,
		.op = {
			.kind = kind,
			.type = type,
			.count = count,
			.send = (gaudi_ptr)(uintptr_t)send,
			.recv = (gaudi_ptr)(uintptr_t)recv,
		},
	};
}

hcclResult_t hcclReduce(const void *sendbuff, void *recvbuff, size_t count,
			hcclDataType_t datatype, hcclRedOp_t op, int root,
			hcclComm_t comm, void *stream)
{
	struct hccl_call call = call_of(COLL_REDUCE, sendbuff, recvbuff, count,
					datatype, comm, stream);
	struct check check;

	if (!begin(&check, "hcclReduce", datatype, comm, stream))
		return check.result;
	check_buffer(&check, sendbuff, count, 1);
	if (root == (int)check.rank)
		check_buffer(&check, recvbuff, count, 1);
	check_op(&check, datatype, op);
	check_root(&check, root);
	call.op.op = op;
	call.op.root = (uint32_t)root;

	return end(&check, &call);
}

static hcclResult_t broadcast(const char *name, const void *sendbuff, void *recvbuff,
			      size_t count, hcclDataType_t datatype, int root,
			      hcclComm_t comm, void *stream)
{
	struct hccl_call call = call_of(COLL_BROADCAST, sendbuff, recvbuff, count,
					datatype, comm, stream);
	struct check check;

	if (!begin(&check, name, datatype, comm, stream))
		return check.result;
	if (root == (int)check.rank)
		check_buffer(&check, sendbuff, count, 1);
	check_buffer(&check, recvbuff, count, 1);
	check_root(&check, root);
	call.op.root = (uint32_t)root;

	return end(&check, &call);
}

hcclResult_t hcclBroadcast(const void *sendbuff, void *recvbuff, size_t count,
			   hcclDataType_t datatype, int root, hcclComm_t comm,
			   void *stream)
{
	return broadcast("hcclBroadcast", sendbuff, recvbuff, count, datatype, root,
			 comm, stream);
}

hcclResult_t hcclBcast(void *buff, size_t count, hcclDataType_t datatype, int root,
		       hcclComm_t comm, void *stream)
{
	return broadcast("hcclBcast", buff, buff, count, datatype, root, comm, stream);
}

hcclResult_t hcclAllReduce(const void *sendbuff, void *recvbuff, size_t count,
			   hcclDataType_t datatype, hcclRedOp_t op,
			   hcclComm_t comm, void *stream)
{
	struct hccl_call call = call_of(COLL_ALLREDUCE, sendbuff, recvbuff, count,
					datatype, comm, stream);
	struct check check;

	if (!begin(&check, "hcclAllReduce", datatype, comm, stream))
		return check.result;
	check_buffer(&check, sendbuff, count, 1);
	check_buffer(&check, recvbuff, count, 1);
	check_op(&check, datatype, op);
	call.op.op = op;

	return end(&check, &call);
}

hcclResult_t hcclReduceScatter(const void *sendbuff, void *recvbuff,
			       size_t recvcount, hcclDataType_t datatype,
			       hcclRedOp_t op, hcclComm_t comm, void *stream)
{
	struct hccl_call call = call_of(COLL_REDUCE_SCATTER, sendbuff, recvbuff,
					recvcount, datatype, comm, stream);
	struct check check;

	if (!begin(&check, "hcclReduceScatter", datatype, comm, stream))
		return check.result;
	check_buffer(&check, sendbuff, recvcount, check.ranks);
	check_buffer(&check, recvbuff, recvcount, 1);
	check_op(&check, datatype, op);
	call.op.op = op;

	return end(&check, &call);
}

/* In place, or not at all. */
static void check_overlap(struct check *check, const void *sendbuff,
			  const void *recvbuff, size_t count)
{
	uint64_t send = (uintptr_t)sendbuff, recv = (uintptr_t)recvbuff;
	uint64_t bytes = (uint64_t)count * check->size;

	if (check->result || send == recv + check->rank * bytes ||
	    send >= recv + check->ranks * bytes || recv >= send + bytes)
		return;
	refuse(check, "buffers overlap, but not in place; rank %u", check->rank);
}

hcclResult_t hcclAllGather(const void *sendbuff, void *recvbuff, size_t sendcount,
			   hcclDataType_t datatype, hcclComm_t comm, void *stream)
{
	struct hccl_call call = call_of(COLL_ALLGATHER, sendbuff, recvbuff,
					sendcount, datatype, comm, stream);
	struct check check;

	if (!begin(&check, "hcclAllGather", datatype, comm, stream))
		return check.result;
	check_buffer(&check, sendbuff, sendcount, 1);
	check_buffer(&check, recvbuff, sendcount, check.ranks);
	check_overlap(&check, sendbuff, recvbuff, sendcount);

	return end(&check, &call);
}

hcclResult_t hcclAlltoAll(const void *sendbuff, void *recvbuff, size_t count,
			  hcclDataType_t datatype, hcclComm_t comm, void *stream)
{
	struct hccl_call call = call_of(COLL_ALLTOALL, sendbuff, recvbuff, 0,
					datatype, comm, stream);
	struct check check;

	if (!begin(&check, "hcclAlltoAll", datatype, comm, stream))
		return check.result;
	check_buffer(&check, sendbuff, count, 1);
	check_buffer(&check, recvbuff, count, 1);
	if (count % check.ranks)
		refuse(&check, "not as many elements for each rank: %zu", count);
	call.op.count = count / check.ranks;

	return end(&check, &call);
}

hcclResult_t hcclBarrier(hcclComm_t comm, void *stream)
{
	struct hccl_call call = call_of(COLL_BARRIER, NULL, NULL, 0, hcclInt32, comm,
					stream);
	struct check check;

	if (!begin(&check, "hcclBarrier", hcclInt32, comm, stream))
		return check.result;

	return end(&check, &call);
}

static hcclResult_t transfer(const char *name, bool send, const void *buffer,
			     size_t count, hcclDataType_t type, int peer,
			     hcclComm_t comm, void *stream)
{
	struct hccl_call call = {
		.comm = comm,
		.stream = stream,
		.is_transfer = true,
		.transfer = {
			.send = send,
			.peer = (uint32_t)peer,
			.at = (gaudi_ptr)(uintptr_t)buffer,
		},
	};
	struct check check;

	if (!begin(&check, name, type, comm, stream))
		return check.result;
	check_buffer(&check, buffer, count, 1);
	if (peer < 0 || (uint32_t)peer >= check.ranks)
		refuse(&check, "no such peer: %d", peer);
	call.transfer.bytes = (uint64_t)count * check.size;

	return end(&check, &call);
}

hcclResult_t hcclSend(const void *sendbuff, size_t count, hcclDataType_t datatype,
		      int peer, hcclComm_t comm, void *stream)
{
	return transfer("hcclSend", true, sendbuff, count, datatype, peer, comm,
			stream);
}

hcclResult_t hcclRecv(void *recvbuff, size_t count, hcclDataType_t datatype,
		      int peer, hcclComm_t comm, void *stream)
{
	return transfer("hcclRecv", false, recvbuff, count, datatype, peer, comm,
			stream);
}
