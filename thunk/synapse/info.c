// SPDX-License-Identifier: MIT
/* What there is: cards, and the acquired one. */
#include <errno.h>

#include "hlthunk.h"
#include "syn_priv.h"

synStatus synDeviceGetCountByDeviceType(uint32_t *count, synDeviceType type)
{
	if (!count)
		return syn_fail(synInvalidArgument, "count: NULL");
	if (type == synDeviceGaudi)
		return synDeviceGetCount(count);
	if ((unsigned int)type >= synDeviceTypeInvalid)
		return syn_fail(synInvalidArgument, "count: no type %d",
				(int)type);
	*count = 0;

	return synSuccess;
}

synStatus synDeviceGetCount(uint32_t *count)
{
	if (!count)
		return syn_fail(synInvalidArgument, "count: NULL");

	return syn_status(gaudi_device_count(count));
}

static int get_info(struct gaudi_device *device, synDeviceInfoV2 *info)
{
	struct gaudi_device_info own = { .size = sizeof(own) };
	struct hlthunk_hw_ip_info ip;
	int rc = gaudi_device_get_info(device, &own);

	if (!rc)
		rc = hlthunk_get_hw_ip_info(gaudi_device_fd(device), &ip);
	if (rc)
		return rc;
	*info = (synDeviceInfoV2) {
		.sramBaseAddress = ip.sram_base_address,
		.dramBaseAddress = ip.dram_base_address,
		.sramSize = ip.sram_size,
		.dramSize = ip.dram_size,
		.tpcEnabledMask = ip.tpc_enabled_mask,
		.dramEnabled = ip.dram_enabled,
		.fd = (uint32_t)gaudi_device_fd(device),
		.deviceType = synDeviceGaudi,
		.deviceIndex = (uint8_t)own.accel,
		.globalHbmBaseAddress = ip.dram_base_address,
	};

	return 0;
}

synStatus synDeviceGetInfoV2(synDeviceId id, synDeviceInfoV2 *info)
{
	struct gaudi_device *device;
	synStatus status;

	if (!info)
		return syn_fail(synInvalidArgument, "info: NULL");
	status = syn_begin(id, &device);
	if (status)
		return status;
	status = syn_status(get_info(device, info));
	syn_device_put();

	return status;
}

synStatus synDeviceGetInfo(synDeviceId id, synDeviceInfo *info)
{
	synDeviceInfoV2 full;
	synStatus status;

	if (!info)
		return syn_fail(synInvalidArgument, "info: NULL");
	status = synDeviceGetInfoV2(id, &full);
	if (status)
		return status;
	*info = (synDeviceInfo) {
		.sramBaseAddress = full.sramBaseAddress,
		.dramBaseAddress = full.dramBaseAddress,
		.sramSize = full.sramSize,
		.dramSize = full.dramSize,
		.tpcEnabledMask = full.tpcEnabledMask,
		.dramEnabled = full.dramEnabled,
		.deviceId = full.deviceId,
		.fd = full.fd,
		.deviceType = full.deviceType,
	};

	return synSuccess;
}

synStatus synDeviceSynchronize(synDeviceId id)
{
	struct gaudi_device *device;
	synStatus status = syn_begin(id, &device);

	if (status)
		return status;
	status = syn_status(gaudi_device_synchronize(device));
	syn_device_put();

	return status;
}
