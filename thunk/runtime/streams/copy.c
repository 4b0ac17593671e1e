// SPDX-License-Identifier: MIT
/*
 * Copies and fills: what they are called with is checked and turned into
 * rectangles of device addresses. A copy of one range is a single row.
 */
#include <errno.h>
#include <string.h>

#include "work.h"

/* Bytes from the first to the last of the rows. */
static int span(uint64_t width, uint64_t height, uint64_t pitch,
		uint64_t *bytes)
{
	if (__builtin_mul_overflow(height - 1, pitch, bytes) ||
	    __builtin_add_overflow(*bytes, width, bytes))
		return gd_fail(-EOVERFLOW, "%llu rows, %llu bytes apart",
			       (unsigned long long)height,
			       (unsigned long long)pitch);

	return 0;
}

static int check_to(struct gaudi_stream *stream, gaudi_ptr address,
		    uint64_t bytes)
{
	uint64_t owner;

	if (gd_pool_knows(stream->device, &stream->to, address, bytes))
		return 0;

	return gd_range_check(stream->device, address, bytes, &stream->to,
			      &owner);
}

static int check_from(struct gaudi_stream *stream, gaudi_ptr address,
		      uint64_t bytes)
{
	uint64_t owner;

	if (gd_pool_knows(stream->device, &stream->from, address, bytes))
		return 0;

	return gd_range_check(stream->device, address, bytes, &stream->from,
			      &owner);
}

/* Rows without gaps are one row. */
static void collapse(struct gd_rect *rect)
{
	if (rect->to_pitch == rect->width && rect->from_pitch == rect->width) {
		rect->width *= rect->height;
		rect->height = 1;
	}
}

/*
 * The beginning of each copy: 0 to go on, 1 if there is nothing to do. With
 * rows of 0 bytes the addresses are not looked at.
 */
static int begin(struct gaudi_stream *stream, const struct gd_rect *rect,
		 uint64_t *to_bytes, uint64_t *from_bytes)
{
	int rc = gd_stream_check(stream);

	if (rc)
		return rc;
	if (!rect->width || !rect->height)
		return 1;
	if (rect->height > 1 && (rect->to_pitch < rect->width ||
				 rect->from_pitch < rect->width))
		return gd_fail(-EINVAL, "rows of %llu bytes, %llu and %llu bytes apart",
			       (unsigned long long)rect->width,
			       (unsigned long long)rect->to_pitch,
			       (unsigned long long)rect->from_pitch);
	rc = span(rect->width, rect->height, rect->to_pitch, to_bytes);

	return rc ? rc : span(rect->width, rect->height, rect->from_pitch,
			      from_bytes);
}

static int check_host(const void *memory, uint64_t bytes)
{
	if (!memory || (uintptr_t)memory + bytes < bytes)
		return gd_fail(-EINVAL, "%llu bytes of host memory at %p",
			       (unsigned long long)bytes, memory);

	return 0;
}

/* Between the device and the host's memory; @down: to the host. */
static int copy_host(struct gaudi_stream *stream, struct gd_rect *rect,
		     void *memory, bool down)
{
	uint64_t to_bytes, from_bytes, bytes;
	struct gd_op op;
	int rc = begin(stream, rect, &to_bytes, &from_bytes);

	if (rc)
		return rc < 0 ? rc : 0;
	bytes = down ? to_bytes : from_bytes;
	if (down)
		rc = check_from(stream, rect->from, from_bytes);
	else
		rc = check_to(stream, rect->to, to_bytes);
	if (!rc)
		rc = check_host(memory, bytes);
	if (rc)
		return rc;
	collapse(rect);
	gd_op_init(&op, GD_OP_RECT, down);
	op.range = gd_range_get(stream->device, memory, bytes);
	if (!op.range)
		rc = gd_capture_refuse(stream, NULL, "a copy of memory that is not pinned");
	if (rc)
		return rc;
	if (!op.range)
		return down ? gd_stage_down(stream, rect, memory) :
			      gd_stage_up(stream, rect, memory);
	*(down ? &rect->to : &rect->from) = gd_range_address(op.range, memory);
	op.rect = *rect;
	rc = gd_stream_do(stream, &op);
	gd_range_put(stream->device, op.range);

	return rc;
}

/*
 * Both sides' rows from the lowest on, the lower one's next each time: each side's own
 * do not overlap.
 */
bool gd_rect_overlaps(const struct gd_rect *rect)
{
	uint64_t rows = rect->height - 1, to = rect->to, from = rect->from;
	uint64_t i = 0, j = 0;

	if (to >= from + rows * rect->from_pitch + rect->width ||
	    from >= to + rows * rect->to_pitch + rect->width)
		return false;
	while (i <= rows && j <= rows) {
		if (to < from + rect->width && from < to + rect->width)
			return true;
		if (to < from) {
			to += rect->to_pitch;
			i++;
		} else {
			from += rect->from_pitch;
			j++;
		}
	}

	return false;
}

static int copy_within(struct gaudi_stream *stream, struct gd_rect *rect)
{
	struct gd_op op = { .kind = GD_OP_RECT, .down = true };
	uint64_t to_bytes, from_bytes;
	int rc = begin(stream, rect, &to_bytes, &from_bytes);

	if (rc)
		return rc < 0 ? rc : 0;
	rc = check_to(stream, rect->to, to_bytes);
	if (!rc)
		rc = check_from(stream, rect->from, from_bytes);
	if (rc)
		return rc;
	collapse(rect);
	if (gd_rect_overlaps(rect))
		return gd_fail(-EINVAL, "%llu rows of %llu bytes from %#llx to %#llx overlap",
			       (unsigned long long)rect->height,
			       (unsigned long long)rect->width,
			       (unsigned long long)rect->from,
			       (unsigned long long)rect->to);
	op.rect = *rect;

	return gd_stream_do(stream, &op);
}

int gaudi_copy_to_device_async(struct gaudi_stream *stream, gaudi_ptr to,
			       const void *from, size_t size)
{
	PROFILE_BYTES(size);
	struct gd_rect rect = { .to = to, .width = size, .height = 1 };

	return copy_host(stream, &rect, (void *)from, false);
}

int gaudi_copy_to_host_async(struct gaudi_stream *stream, void *to,
			     gaudi_ptr from, size_t size)
{
	PROFILE_BYTES(size);
	struct gd_rect rect = { .from = from, .width = size, .height = 1 };

	return copy_host(stream, &rect, to, true);
}

int gaudi_copy_device_async(struct gaudi_stream *stream, gaudi_ptr to,
			    gaudi_ptr from, size_t size)
{
	PROFILE_BYTES(size);
	struct gd_rect rect = {
		.to = to,
		.from = from,
		.width = size,
		.height = 1,
	};

	return copy_within(stream, &rect);
}

int gaudi_copy_to_device_2d_async(struct gaudi_stream *stream, gaudi_ptr to,
				  size_t to_pitch, const void *from,
				  size_t from_pitch, size_t width,
				  size_t height)
{
	PROFILE_BYTES(width * height);
	struct gd_rect rect = {
		.to = to,
		.to_pitch = to_pitch,
		.from_pitch = from_pitch,
		.width = width,
		.height = height,
	};

	return copy_host(stream, &rect, (void *)from, false);
}

int gaudi_copy_to_host_2d_async(struct gaudi_stream *stream, void *to,
				size_t to_pitch, gaudi_ptr from,
				size_t from_pitch, size_t width, size_t height)
{
	PROFILE_BYTES(width * height);
	struct gd_rect rect = {
		.to_pitch = to_pitch,
		.from = from,
		.from_pitch = from_pitch,
		.width = width,
		.height = height,
	};

	return copy_host(stream, &rect, to, true);
}

int gaudi_copy_device_2d_async(struct gaudi_stream *stream, gaudi_ptr to,
			       size_t to_pitch, gaudi_ptr from,
			       size_t from_pitch, size_t width, size_t height)
{
	PROFILE_BYTES(width * height);
	struct gd_rect rect = {
		.to = to,
		.to_pitch = to_pitch,
		.from = from,
		.from_pitch = from_pitch,
		.width = width,
		.height = height,
	};

	return copy_within(stream, &rect);
}

/* @value as the 64 bits that the card repeats. */
static int pattern_of(uint64_t value, uint32_t size, uint64_t *pattern)
{
	switch (size) {
	case 1:
		*pattern = (value & 0xff) * 0x0101010101010101u;
		return 0;
	case 2:
		*pattern = (value & 0xffff) * 0x0001000100010001u;
		return 0;
	case 4:
		*pattern = (value & 0xffffffff) * 0x0000000100000001u;
		return 0;
	case 8:
		*pattern = value;
		return 0;
	default:
		return gd_fail(-EINVAL, "a fill with values of %u bytes, not 1, 2, 4 or 8",
			       size);
	}
}

int gaudi_fill_async(struct gaudi_stream *stream, gaudi_ptr to, uint64_t value,
		     uint32_t value_size, size_t count)
{
	PROFILE_BYTES(value_size * count);
	struct gd_op op;
	int rc = gd_stream_check(stream);

	gd_op_init(&op, GD_OP_FILL, true);
	op.rect.to = to;
	op.rect.height = 1;
	if (!rc)
		rc = pattern_of(value, value_size, &op.rect.from);
	if (rc || !count)
		return rc;
	if (__builtin_mul_overflow((uint64_t)count, value_size, &op.rect.width))
		return gd_fail(-EOVERFLOW, "a fill of %zu values", count);
	rc = check_to(stream, to, op.rect.width);

	return rc ? rc : gd_stream_do(stream, &op);
}

/* The stream for a call that blocks. */
static int blocking(struct gaudi_device *device, const char *what,
		    struct gaudi_stream **stream)
{
	int rc = gd_device_check(device);

	if (!rc)
		rc = gd_may_block(device, what);

	return rc ? rc : gd_own_stream(device, stream);
}

int gaudi_copy_to_device(struct gaudi_device *device, gaudi_ptr to,
			 const void *from, size_t size)
{
	PROFILE_BYTES(size);
	struct gaudi_stream *stream;
	int rc = blocking(device, "gaudi_copy_to_device", &stream);

	if (!rc)
		rc = gaudi_copy_to_device_async(stream, to, from, size);

	return rc ? rc : gaudi_stream_synchronize(stream);
}

int gaudi_copy_to_host(struct gaudi_device *device, void *to, gaudi_ptr from,
		       size_t size)
{
	PROFILE_BYTES(size);
	struct gaudi_stream *stream;
	int rc = blocking(device, "gaudi_copy_to_host", &stream);

	if (!rc)
		rc = gaudi_copy_to_host_async(stream, to, from, size);

	return rc ? rc : gaudi_stream_synchronize(stream);
}

int gaudi_copy_device(struct gaudi_device *device, gaudi_ptr to,
		      gaudi_ptr from, size_t size)
{
	PROFILE_BYTES(size);
	struct gaudi_stream *stream;
	int rc = blocking(device, "gaudi_copy_device", &stream);

	if (!rc)
		rc = gaudi_copy_device_async(stream, to, from, size);

	return rc ? rc : gaudi_stream_synchronize(stream);
}

int gaudi_fill(struct gaudi_device *device, gaudi_ptr to, uint64_t value,
	       uint32_t value_size, size_t count)
{
	PROFILE_BYTES(value_size * count);
	struct gaudi_stream *stream;
	int rc = blocking(device, "gaudi_fill", &stream);

	if (!rc)
		rc = gaudi_fill_async(stream, to, value, value_size, count);

	return rc ? rc : gaudi_stream_synchronize(stream);
}
