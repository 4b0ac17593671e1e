// SPDX-License-Identifier: MIT
/*
 * Sizes, offsets and values that programs for Synapse are compiled with, for C and C++:
 * what differs does not compile.
 */
#include <assert.h>
#include <stddef.h>

#include "habanalabs/synapse_api.h"

#define IS(value, want)		static_assert((value) == (want), #value)
#define MEMBER(type, member, at, size)			\
	IS(offsetof(type, member), at);			\
	IS(sizeof(((type *)NULL)->member), size)
#define AT(...)		MEMBER(synDeviceInfoV2, __VA_ARGS__)
#define OLD_AT(...)	MEMBER(synDeviceInfo, __VA_ARGS__)

IS(sizeof(synDeviceId), 4);
IS(sizeof(synModuleId), 4);
IS(sizeof(synStreamHandle), 8);
IS(sizeof(synEventHandle), 8);
IS(sizeof(synStatus), 4);
IS(sizeof(synDeviceType), 4);
IS(sizeof(synDmaDir), 4);
IS(sizeof(enum eventCreateFlags), 4);

IS(sizeof(synDeviceInfoV2), 72);
AT(sramBaseAddress, 0, 8);
AT(dramBaseAddress, 8, 8);
AT(sramSize, 16, 4);
AT(dramSize, 24, 8);
AT(tpcEnabledMask, 32, 8);
AT(dramEnabled, 40, 1);
AT(deviceId, 44, 4);
AT(fd, 48, 4);
AT(deviceType, 52, 4);
AT(deviceIndex, 56, 1);
AT(globalHbmBaseAddress, 64, 8);

IS(sizeof(synDeviceInfo), 56);
OLD_AT(sramBaseAddress, 0, 8);
OLD_AT(dramBaseAddress, 8, 8);
OLD_AT(sramSize, 16, 4);
OLD_AT(dramSize, 24, 8);
OLD_AT(tpcEnabledMask, 32, 8);
OLD_AT(dramEnabled, 40, 1);
OLD_AT(deviceId, 44, 4);
OLD_AT(fd, 48, 4);
OLD_AT(deviceType, 52, 4);

IS(HOST_TO_DRAM, 0);
IS(DRAM_TO_HOST, 1);
IS(DRAM_TO_DRAM, 2);
IS(DIRECTION_ENUM_MAX, 3);
IS(EVENT_COLLECT_TIME, 1);

IS(synDeviceGoya2, 1);
IS(synDeviceGreco, 1);
IS(synDeviceGaudi, 2);
IS(synDeviceGaudi2, 4);
IS(synDeviceGaudi3, 5);
IS(synDeviceEmulator, 6);
IS(synDeviceTypeInvalid, 7);
IS(synDeviceTypeSize, 8);

IS(synSuccess, 0);
IS(synInvalidArgument, 1);
IS(synCbFull, 2);
IS(synOutOfHostMemory, 3);
IS(synOutOfDeviceMemory, 4);
IS(synObjectAlreadyInitialized, 5);
IS(synObjectNotInitialized, 6);
IS(synCommandSubmissionFailure, 7);
IS(synNoDeviceFound, 8);
IS(synDeviceTypeMismatch, 9);
IS(synFailedToInitializeCb, 10);
IS(synFailedToFreeCb, 11);
IS(synFailedToMapCb, 12);
IS(synFailedToUnmapCb, 13);
IS(synFailedToAllocateDeviceMemory, 14);
IS(synFailedToFreeDeviceMemory, 15);
IS(synFailedNotEnoughDevicesFound, 16);
IS(synDeviceReset, 17);
IS(synUnsupported, 18);
IS(synWrongParamsFile, 19);
IS(synDeviceAlreadyAcquired, 20);
IS(synNameIsAlreadyUsed, 21);
IS(synBusy, 22);
IS(synAllResourcesTaken, 23);
IS(synUnavailable, 24);
IS(synInvalidTensorDimensions, 25);
IS(synFail, 26);
IS(synOutOfResources, 27);
IS(synUninitialized, 28);
IS(synAlreadyInitialized, 29);
IS(synFailedSectionValidation, 30);
IS(synSynapseTerminated, 31);
IS(synAssertAsync, 32);
IS(synInvalidEventHandle, 33);
IS(synMappingNotFound, 34);
IS(synFailedDynamicPatching, 35);
IS(synFailedStaticPatching, 36);
IS(synFailedToSubmitWorkload, 37);
IS(synInvalidSectionsDefinition, 38);
IS(synInvalidTensorProperties, 39);
IS(synFailHccl, 40);
IS(synFailedToCollectTime, 41);
IS(synTimeout, 42);
IS(synResourceBadUsage, 43);
IS(synNullPtr, 44);
IS(synFailFuser, 45);
IS(synFailComplexGuid, 46);
IS(synFailTpcKernels, 47);
