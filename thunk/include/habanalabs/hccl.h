/* SPDX-License-Identifier: MIT */
/*
 * Collectives of Gaudi cards under the names of the vendor's HCCL. The functions are in
 * libSynapse.so; Documentation/collectives.rst says how they work and what they promise.
 *
 * Conventions
 *
 * - Buffers are addresses of the device's memory, as pointers; counts are elements.
 * - What takes a stream enqueues and returns: it is done in the stream's order. A stream
 *   is a synStreamHandle.
 * - All types can be sent. Those of up to 32 bits can be reduced by sum, min and max, of
 *   them float32, bfloat16 and float16 by prod and avg, too. hcclInvalidArgument: another
 *   type or reduction, a buffer outside the device's memory, no such root or peer, no
 *   communicator. hcclInvalidUsage: not a stream.
 * - All ranks call a communicator's collectives in the same order, with the same
 *   arguments but for buffers.
 * - If something fails behind a call that has returned, hcclCommGetAsyncError() tells.
 */
#ifndef HCCL_H
#define HCCL_H

#include "hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef HCCL_WRAPPER_USE_STREAM
#define HCCL_WRAPPER_USE_STREAM	1
#endif
#if !HCCL_WRAPPER_USE_STREAM
#error "hccl.h: there are no calls without a stream"
#endif

#ifdef __GNUC__
#define hccl_public __attribute__((visibility("default")))
#else
#define hccl_public
#endif

/*
 * The library and the card
 */

/* HCCL_VERSION_CODE of the library that runs. */
hccl_public hcclResult_t hcclGetVersion(int *version);
/* For programs of the vendor's: the device of synDeviceAcquire() is taken. */
hccl_public hcclResult_t hcclDeviceInit(void *device, void *context);
/* A fixed text; never NULL. */
hccl_public const char *hcclGetErrorString(hcclResult_t result);
/* What this thread's last call failed with, in words; NULL if it did not fail. */
hccl_public const char *hcclGetLastErrorMessage(void);
/*
 * A dma-buf of device memory: 0 and *@fd, or negative. -ENOTSUP: the library's pool of
 * memory has none to give.
 */
hccl_public int hcclLookupDMABuff(uint64_t addr, uint64_t size, int *fd);

/*
 * Communicators
 */

/*
 * This process listens for the ranks from now on: at the address in HCCL_COMM_ID (IP:PORT,
 * first call only), else at the first interface that HCCL_SOCKET_IFNAME allows.
 */
hccl_public hcclResult_t hcclGetUniqueId(hcclUniqueId_t *id);
/*
 * Blocks until all @nranks ranks have come, up to two minutes. While the process has had no
 * communicator, HCCL_COMM_ID counts instead of @id. Each rank has a card of its own.
 */
hccl_public hcclResult_t hcclCommInitRank(hcclComm_t *comm, int nranks,
					  hcclUniqueId id, int rank);
/* hcclInvalidUsage: a process has one card. */
hccl_public hcclResult_t hcclCommInitAll(hcclComm_t *comm, int ndev,
					 const int *devlist);
/* Blocks until the communicator's work has ended. */
hccl_public hcclResult_t hcclCommFinalize(hcclComm_t comm);
/* That, and frees it. */
hccl_public hcclResult_t hcclCommDestroy(hcclComm_t comm);
/* Gives up what is under way, and frees it. Streams with such work have failed. */
hccl_public hcclResult_t hcclCommAbort(hcclComm_t comm);
/* hcclSuccess, or what has failed behind the calls. */
hccl_public hcclResult_t hcclCommGetAsyncError(hcclComm_t comm,
					       hcclResult_t *async_error);
/* In words; NULL: nothing. Of NULL: the last one of any communicator. */
hccl_public const char *hcclCommGetAsyncErrorMessage(hcclComm_t comm);
hccl_public hcclResult_t hcclCommCount(hcclComm_t comm, int *count);
hccl_public hcclResult_t hcclCommSynDevice(hcclComm_t comm, int *device);
hccl_public hcclResult_t hcclCommUserRank(hcclComm_t comm, int *rank);

/*
 * Collectives
 */

/* @recvbuff counts on @root only. In place: the same buffer. */
hccl_public hcclResult_t hcclReduce(const void *sendbuff, void *recvbuff,
				    size_t count, hcclDataType_t datatype,
				    hcclRedOp_t op, int root, hcclComm_t comm,
				    void *stream);
hccl_public hcclResult_t hcclBcast(void *buff, size_t count,
				   hcclDataType_t datatype, int root,
				   hcclComm_t comm, void *stream);
/* @sendbuff is read on @root only. */
hccl_public hcclResult_t hcclBroadcast(const void *sendbuff, void *recvbuff,
				       size_t count, hcclDataType_t datatype,
				       int root, hcclComm_t comm, void *stream);
hccl_public hcclResult_t hcclAllReduce(const void *sendbuff, void *recvbuff,
				       size_t count, hcclDataType_t datatype,
				       hcclRedOp_t op, hcclComm_t comm,
				       void *stream);
/* @sendbuff has @recvcount for each rank. In place: at its rank's part. */
hccl_public hcclResult_t hcclReduceScatter(const void *sendbuff, void *recvbuff,
					   size_t recvcount,
					   hcclDataType_t datatype,
					   hcclRedOp_t op, hcclComm_t comm,
					   void *stream);
/* @recvbuff has @sendcount of each rank. In place: from its rank's part. */
hccl_public hcclResult_t hcclAllGather(const void *sendbuff, void *recvbuff,
				       size_t sendcount, hcclDataType_t datatype,
				       hcclComm_t comm, void *stream);
/* @count is all of a buffer, of which each rank gets an equal part. */
hccl_public hcclResult_t hcclAlltoAll(const void *sendbuff, void *recvbuff,
				      size_t count, hcclDataType_t datatype,
				      hcclComm_t comm, void *stream);
/* What comes behind it on a stream begins when all ranks have come to theirs. */
hccl_public hcclResult_t hcclBarrier(hcclComm_t comm, void *stream);

/*
 * From one rank to another; both in the order of the calls. The stream goes on when the
 * buffer is free again, or has the message: a short send may end before it is received.
 */
hccl_public hcclResult_t hcclSend(const void *sendbuff, size_t count,
				  hcclDataType_t datatype, int peer,
				  hcclComm_t comm, void *stream);
hccl_public hcclResult_t hcclRecv(void *recvbuff, size_t count,
				  hcclDataType_t datatype, int peer,
				  hcclComm_t comm, void *stream);
/*
 * Calls of this thread between them are enqueued by the outermost hcclGroupEnd(): first
 * all sends and receives, which do not wait for each other, then collectives in order.
 */
hccl_public hcclResult_t hcclGroupStart(void);
hccl_public hcclResult_t hcclGroupEnd(void);

#ifdef __cplusplus
}
#endif

#endif /* HCCL_H */
