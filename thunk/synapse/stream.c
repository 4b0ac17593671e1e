// SPDX-License-Identifier: MIT
/* Streams, and what they are given: copies and fills. */
#include "syn_priv.h"

synStatus synStreamCreateGeneric(synStreamHandle *stream, synDeviceId id,
				 uint32_t flags)
{
	struct gaudi_device *device;
	struct gaudi_stream *made;
	synStatus status;
	void *handle;

	if (!stream || flags)
		return syn_fail(synInvalidArgument, "stream: %s", stream ?
				"flags are not 0" : "the handle is NULL");
	status = syn_begin(id, &device);
	if (status)
		return status;
	status = syn_status(gaudi_stream_create(device, &made));
	if (!status) {
		status = syn_handle_new(SYN_STREAM, 0, made, &handle);
		if (status)
			gaudi_stream_destroy(made);
		else
			*stream = handle;
	}
	syn_device_put();

	return status;
}

synStatus synStreamDestroy(synStreamHandle stream)
{
	struct syn_slot *slot;
	synStatus status = syn_begin_with(SYN_STREAM, stream, &slot);

	if (status)
		return status;
	/* One whose work has failed can go as well as one that is idle. */
	if (gaudi_stream_query(slot->object) == GAUDI_ERR_NOT_READY ||
	    !syn_handle_end(slot, stream, true))
		status = syn_fail(synBusy, "stream %p is in use",
				  (void *)stream);
	syn_end(slot);

	return status;
}

typedef int (*stream_fn)(struct gaudi_stream *stream);

static synStatus with_stream(synStreamHandle stream, stream_fn fn)
{
	struct syn_slot *slot;
	synStatus status = syn_begin_with(SYN_STREAM, stream, &slot);

	if (status)
		return status;
	status = syn_status(fn(slot->object));
	syn_end(slot);

	return status;
}

synStatus synStreamSynchronize(synStreamHandle stream)
{
	return with_stream(stream, gaudi_stream_synchronize);
}

synStatus synStreamQuery(synStreamHandle stream)
{
	return with_stream(stream, gaudi_stream_query);
}

static int copy(struct gaudi_stream *stream, uint64_t from, uint64_t size,
		uint64_t to, synDmaDir direction)
{
	switch (direction) {
	case HOST_TO_DRAM:
		return gaudi_copy_to_device_async(stream, to,
						  (void *)(uintptr_t)from,
						  size);
	case DRAM_TO_HOST:
		return gaudi_copy_to_host_async(stream, (void *)(uintptr_t)to,
						from, size);
	default:
		return gaudi_copy_device_async(stream, to, from, size);
	}
}

synStatus synMemCopyAsync(synStreamHandle stream, uint64_t from, uint64_t size,
			  uint64_t to, synDmaDir direction)
{
	uint64_t host = direction == HOST_TO_DRAM ? from : to;
	struct syn_slot *slot;
	synStatus status;

	if ((unsigned int)direction >= DIRECTION_ENUM_MAX)
		return syn_fail(synInvalidArgument, "copy: no direction %d",
				(int)direction);
	status = syn_begin_with(SYN_STREAM, stream, &slot);
	if (status)
		return status;
	if (size && direction != DRAM_TO_DRAM && !syn_host_covers(host, size))
		status = syn_fail(synMappingNotFound,
				  "copy: %llu bytes at %#llx are not mapped",
				  (unsigned long long)size,
				  (unsigned long long)host);
	else if (size)
		status = syn_status(copy(slot->object, from, size, to,
					 direction));
	syn_end(slot);

	return status;
}

static synStatus fill(uint64_t address, uint32_t value, uint32_t value_size,
		      size_t count, synStreamHandle stream)
{
	struct syn_slot *slot;
	synStatus status = syn_begin_with(SYN_STREAM, stream, &slot);

	if (status)
		return status;
	status = syn_status(gaudi_fill_async(slot->object, address, value,
					     value_size, count));
	syn_end(slot);

	return status;
}

synStatus synMemsetD8Async(uint64_t address, uint8_t value, size_t count,
			   synStreamHandle stream)
{
	return fill(address, value, sizeof(value), count, stream);
}

synStatus synMemsetD16Async(uint64_t address, uint16_t value, size_t count,
			    synStreamHandle stream)
{
	return fill(address, value, sizeof(value), count, stream);
}

synStatus synMemsetD32Async(uint64_t address, uint32_t value, size_t count,
			    synStreamHandle stream)
{
	return fill(address, value, sizeof(value), count, stream);
}
