// SPDX-License-Identifier: MIT
/* The device's memory. */
#include <errno.h>

#include "syn_priv.h"

synStatus synDeviceMalloc(synDeviceId id, uint64_t size,
			  uint64_t wanted_address, uint32_t flags,
			  uint64_t *address)
{
	struct gaudi_device *device;
	synStatus status;
	gaudi_ptr made;
	int rc;

	(void)wanted_address;
	if (!address || flags || !size)
		return syn_fail(synInvalidArgument, "device memory: %s",
				!address ? "the address is NULL" :
				flags ? "flags are not 0" : "size is 0");
	status = syn_begin(id, &device);
	if (status)
		return status;
	rc = gaudi_malloc(device, size, &made);
	if (!rc)
		*address = made;
	syn_device_put();

	return rc == -ENOMEM ? synOutOfDeviceMemory : syn_status(rc);
}

synStatus synDeviceFree(synDeviceId id, uint64_t address, uint32_t flags)
{
	struct gaudi_device *device;
	synStatus status;

	if (flags || !address)
		return syn_fail(synInvalidArgument, "device memory: %s",
				flags ? "flags are not 0" : "address is 0");
	status = syn_begin(id, &device);
	if (status)
		return status;
	status = syn_status(gaudi_free(device, address));
	syn_device_put();

	return status;
}

synStatus synDeviceGetMemoryInfo(synDeviceId id, uint64_t *free_bytes,
				 uint64_t *total_bytes)
{
	struct gaudi_memory_stats stats = { .size = sizeof(stats) };
	struct gaudi_device *device;
	synStatus status;

	if (!free_bytes || !total_bytes)
		return syn_fail(synInvalidArgument, "memory info: NULL");
	status = syn_begin(id, &device);
	if (status)
		return status;
	status = syn_status(gaudi_memory_get_stats(device, &stats));
	if (!status) {
		/* What the pool keeps is as free as what the driver has. */
		*free_bytes = stats.device_free + stats.reserved -
			      stats.allocated;
		*total_bytes = stats.device_total;
	}
	syn_device_put();

	return status;
}
