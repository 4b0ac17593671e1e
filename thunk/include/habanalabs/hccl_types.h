/* SPDX-License-Identifier: MIT */
/*
 * Types of hccl.h: names, numbers and layouts are those of the vendor's library, so that
 * programs for it run as they are. For C and C++.
 */
#ifndef HCCL_TYPES_H
#define HCCL_TYPES_H

#include <stddef.h>
#include <stdint.h>

#define HCCL_MAJOR	2
#define HCCL_MINOR	6
#define HCCL_PATCH	4
#define HCCL_SUFFIX	""

#define HCCL_VERSION_CODE	2604
#define HCCL_VERSION(x, y, z)	((x) * 1000 + (y) * 100 + (z))

#define HCCL_P2P_SUPPORTED		1
#define HCCL_UNIQUE_ID_MAX_BYTES	1024

/* A macro in the vendor's header, too. */
#define hcclComm_t void *

/* Who waits for whom, and a secret; without pointers, to be handed on as it is. */
typedef struct {
	uint8_t internal[HCCL_UNIQUE_ID_MAX_BYTES];
	size_t length;
} hcclUniqueId, hcclUniqueId_t;

typedef enum {
	hcclUninitialized	= -1,
	hcclSuccess		= 0,
	hcclNoDeviceFound	= 1,
	hcclUnsupported		= 2,
	hcclOutOfMemory		= 3,
	hcclUnhandledSynapseError = 4,
	hcclSystemError		= 5,
	hcclInternalError	= 6,
	hcclInvalidArgument	= 7,
	hcclInvalidUsage	= 8,
	hcclSocketError		= 9,
	hcclLibfabricError	= 10,
	hcclTryAgainError	= 11,
	hcclBusy		= 12,
	hcclNumResults		= 13,
	hcclStreamError		= 14,
	hcclSynapseTerminated	= 15,
	hcclPortDown		= 16,
} hcclResult_t;

typedef enum {
	hcclSum		= 0,
	hcclProd	= 1,
	hcclMin		= 2,
	hcclMax		= 3,
	hcclAvg		= 4,
	hcclOpNone	= 5,
} hcclRedOp_t;

typedef enum {
	hcclInt8	= 0,
	hcclChar	= 0,
	hcclUint8	= 1,
	hcclInt32	= 2,
	hcclInt		= 2,
	hcclUint32	= 3,
	hcclInt64	= 4,
	hcclUint64	= 5,
	hcclFloat16	= 6,
	hcclHalf	= 6,
	hcclFloat32	= 7,
	hcclFloat	= 7,
	hcclFloat64	= 8,
	hcclDouble	= 8,
	hcclBfloat16	= 9,
	hcclNumTypes	= 10,
} hcclDataType_t;

#endif /* HCCL_TYPES_H */
