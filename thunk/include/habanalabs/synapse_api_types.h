/* SPDX-License-Identifier: MIT */
/* Synapse: what its calls return, and the structures that they fill in. */
#ifndef SYNAPSE_API_TYPES_H
#define SYNAPSE_API_TYPES_H

#include "synapse_common_types.h"

typedef enum {
	synSuccess				= 0,
	synInvalidArgument			= 1,
	synCbFull				= 2,
	synOutOfHostMemory			= 3,
	synOutOfDeviceMemory			= 4,
	synObjectAlreadyInitialized		= 5,
	synObjectNotInitialized			= 6,
	synCommandSubmissionFailure		= 7,
	synNoDeviceFound			= 8,
	synDeviceTypeMismatch			= 9,
	synFailedToInitializeCb			= 10,
	synFailedToFreeCb			= 11,
	synFailedToMapCb			= 12,
	synFailedToUnmapCb			= 13,
	synFailedToAllocateDeviceMemory		= 14,
	synFailedToFreeDeviceMemory		= 15,
	synFailedNotEnoughDevicesFound		= 16,
	synDeviceReset				= 17,
	synUnsupported				= 18,
	synWrongParamsFile			= 19,
	synDeviceAlreadyAcquired		= 20,
	synNameIsAlreadyUsed			= 21,
	synBusy					= 22,
	synAllResourcesTaken			= 23,
	synUnavailable				= 24,
	synInvalidTensorDimensions		= 25,
	synFail					= 26,
	synOutOfResources			= 27,
	synUninitialized			= 28,
	synAlreadyInitialized			= 29,
	synFailedSectionValidation		= 30,
	synSynapseTerminated			= 31,
	synAssertAsync				= 32,
	synInvalidEventHandle			= 33,
	synMappingNotFound			= 34,
	synFailedDynamicPatching		= 35,
	synFailedStaticPatching			= 36,
	synFailedToSubmitWorkload		= 37,
	synInvalidSectionsDefinition		= 38,
	synInvalidTensorProperties		= 39,
	synFailHccl				= 40,
	synFailedToCollectTime			= 41,
	synTimeout				= 42,
	synResourceBadUsage			= 43,
	synNullPtr				= 44,
	synFailFuser				= 45,
	synFailComplexGuid			= 46,
	synFailTpcKernels			= 47
} synStatus;

/* Of synEventCreate(). */
enum eventCreateFlags {
	EVENT_COLLECT_TIME	= 1	/* synEventElapsedTime() may be asked */
};

typedef struct {
	uint64_t sramBaseAddress;
	uint64_t dramBaseAddress;
	uint32_t sramSize;
	uint64_t dramSize;
	uint64_t tpcEnabledMask;
	uint8_t dramEnabled;
	uint32_t deviceId;
	uint32_t fd;			/* for calls of libhl-thunk */
	synDeviceType deviceType;
	uint8_t deviceIndex;		/* the N of /dev/accel/accelN */
	uint64_t globalHbmBaseAddress;
} synDeviceInfoV2;

/* For older programs: the same without the last two. */
typedef struct {
	uint64_t sramBaseAddress;
	uint64_t dramBaseAddress;
	uint32_t sramSize;
	uint64_t dramSize;
	uint64_t tpcEnabledMask;
	uint8_t dramEnabled;
	uint32_t deviceId;
	uint32_t fd;
	synDeviceType deviceType;
} synDeviceInfo;

#endif /* SYNAPSE_API_TYPES_H */
