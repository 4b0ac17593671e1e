// SPDX-License-Identifier: MIT
/* What handles stand for, for programs that use libgaudi, too. */
#include "syn_priv.h"
#include "habanalabs/synapse_gaudi.h"

synStatus synDeviceGetGaudi(synDeviceId id, struct gaudi_device **out)
{
	struct gaudi_device *device;
	synStatus status;

	if (!out)
		return syn_fail(synInvalidArgument, "device: NULL");
	status = syn_begin(id, &device);
	if (status)
		return status;
	*out = device;
	syn_device_put();

	return synSuccess;
}

synStatus synStreamGetGaudi(synStreamHandle stream, struct gaudi_stream **out)
{
	struct syn_slot *slot;
	synStatus status;

	if (!out)
		return syn_fail(synInvalidArgument, "stream: NULL");
	status = syn_begin_with(SYN_STREAM, stream, &slot);
	if (status)
		return status;
	*out = atomic_load(&slot->object);
	syn_end(slot);

	return synSuccess;
}
