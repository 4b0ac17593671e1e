// SPDX-License-Identifier: MIT
/* Device memory in a stream's order: taken and freed without waiting for the card. */
#include "work.h"

int gaudi_malloc_async(struct gaudi_stream *stream, size_t size,
		       gaudi_ptr *address)
{
	PROFILE_BYTES(size);
	int rc = gd_stream_check(stream);

	if (!rc)
		rc = gd_pool_check_size(stream->device, size, address);
	if (!rc)
		rc = gd_capture_refuse(stream, NULL, "allocating memory");

	return rc ? rc : gd_pool_alloc_from(stream->device, stream->freed, size,
					    address);
}

int gaudi_free_async(struct gaudi_stream *stream, gaudi_ptr address)
{
	PROFILE_CALL();
	int rc = gd_stream_check(stream);

	if (!rc && address)
		rc = gd_capture_refuse(stream, NULL, "freeing memory");
	if (rc || !address)
		return rc;

	return gd_pool_free_behind(stream->device, stream->freed, address);
}
