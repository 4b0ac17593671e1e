/* SPDX-License-Identifier: MIT */
/*
 * Synapse: numbers and handles that all its headers share. Sizes, offsets and values
 * are those that programs in the field are compiled with; synapse_api.h has the calls.
 */
#ifndef SYNAPSE_COMMON_TYPES_H
#define SYNAPSE_COMMON_TYPES_H

#include <stddef.h>
#include <stdint.h>

typedef uint32_t synDeviceId;
typedef uint32_t synModuleId;

static const synDeviceId SYN_INVALID_DEVICE_ID = 0xFFFFFFFFu;
static const synModuleId INVALID_MODULE_ID = 0xFFFFFFFFu;

/*
 * Numbers, not addresses: what they stand for is looked up at each call, so one that is
 * no longer valid is noticed.
 */
typedef struct synStream *synStreamHandle;
typedef struct synEvent *synEventHandle;

/* What a device is. The first Gaudi is synDeviceGaudi, the only one here. */
typedef enum {
	synDeviceGoya2		= 1,
	synDeviceGreco		= 1,
	synDeviceGaudi		= 2,
	synDeviceGaudi2		= 4,
	synDeviceGaudi3		= 5,
	synDeviceEmulator	= 6,
	synDeviceTypeInvalid	= 7,
	synDeviceTypeSize	= 8
} synDeviceType;

/* Of synMemCopyAsync(). */
typedef enum {
	HOST_TO_DRAM		= 0,
	DRAM_TO_HOST		= 1,
	DRAM_TO_DRAM		= 2,
	DIRECTION_ENUM_MAX	= 3
} synDmaDir;

#endif /* SYNAPSE_COMMON_TYPES_H */
