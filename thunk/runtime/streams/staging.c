// SPDX-License-Identifier: MIT
/*
 * Copies of host memory that is not pinned. Small ones go through buffers of
 * the library, several of which are under way while the program's memory is
 * copied to or from another one. Large ones are pinned where they are, a part
 * at a time, for as long as the copy takes: a part is pinned while the card
 * works on the one before it. What cannot be pinned (memory that is read-only,
 * a limit) goes through the buffers as well.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "work.h"

#define SLOTS		4u
#define SLOT_SIZE	(512 * KIB)
/* From here on a row is pinned, at most so much at a time. */
#define PIN_FROM	(4 * MIB)
#define PIN_STEP	(16 * MIB)
/* Parts begin where huge pages do; the first and the last one are about one. */
#define PIN_ALIGN	(2 * MIB)

/* The buffers of one call at a time. */
struct gd_stage {
	SLIST_ENTRY(gd_stage) link;
	uint8_t *memory;
	uint64_t address;
	struct gd_point busy[SLOTS];
};

struct gd_stages {
	pthread_mutex_t lock;

	SLIST_HEAD(, gd_stage) idle;
};

int gd_stages_init(struct gaudi_device *device)
{
	struct gd_stages *stages = calloc(1, sizeof(*stages));

	if (!stages)
		return gd_fail(-ENOMEM, "no memory for staging");
	pthread_mutex_init(&stages->lock, NULL);
	SLIST_INIT(&stages->idle);
	device->stages = stages;

	return 0;
}

void gd_stages_exit(struct gaudi_device *device)
{
	struct gd_stages *stages = device->stages;

	if (!stages)
		return;
	while (!SLIST_EMPTY(&stages->idle)) {
		struct gd_stage *stage = SLIST_FIRST(&stages->idle);

		SLIST_REMOVE_HEAD(&stages->idle, link);
		hlthunk_memory_unmap(device->fd, stage->address);
		gd_pages_free(stage->memory, SLOTS * SLOT_SIZE);
		free(stage);
	}
	pthread_mutex_destroy(&stages->lock);
	free(stages);
}

static int stage_new(struct gaudi_device *device, struct gd_stage **out)
{
	struct gd_stage *stage = calloc(1, sizeof(*stage));
	int rc;

	if (!stage)
		return gd_fail(-ENOMEM, "no memory for staging");
	stage->memory = gd_pages_alloc(SLOTS * SLOT_SIZE);
	if (!stage->memory) {
		free(stage);
		return gd_fail(-ENOMEM, "no %llu bytes of host memory for staging",
			       SLOTS * SLOT_SIZE);
	}
	stage->address = hlthunk_host_memory_map(device->fd, stage->memory, 0,
						 SLOTS * SLOT_SIZE);
	if (!stage->address) {
		rc = gd_errno();
		gd_pages_free(stage->memory, SLOTS * SLOT_SIZE);
		free(stage);
		return gd_fail(rc, "card %u: cannot pin %llu bytes for staging: %s",
			       device->card.accel, SLOTS * SLOT_SIZE,
			       gaudi_strerror(rc));
	}
	*out = stage;

	return 0;
}

static int stage_get(struct gaudi_device *device, struct gd_stage **out)
{
	struct gd_stages *stages = device->stages;
	struct gd_stage *stage;

	pthread_mutex_lock(&stages->lock);
	stage = SLIST_FIRST(&stages->idle);
	if (stage)
		SLIST_REMOVE_HEAD(&stages->idle, link);
	pthread_mutex_unlock(&stages->lock);
	if (!stage)
		return stage_new(device, out);
	*out = stage;

	return 0;
}

static void stage_put(struct gaudi_device *device, struct gd_stage *stage)
{
	pthread_mutex_lock(&device->stages->lock);
	SLIST_INSERT_HEAD(&device->stages->idle, stage, link);
	pthread_mutex_unlock(&device->stages->lock);
}

/* Submit a rectangle; *@point is when it has ended. */
static int submit(struct gaudi_stream *stream, const struct gd_rect *rect,
		  bool down, struct gd_point *point)
{
	const struct gd_op op = {
		.kind = GD_OP_RECT,
		.down = down,
		.rect = *rect,
	};
	int rc = gd_stream_do(stream, &op);

	return rc ? rc : gd_stream_drain(stream, point);
}

/* A walk over a rectangle in parts of at most a slot. */
struct walk {
	const struct gd_rect *rect;
	uint64_t row, column;
};

/*
 * The next part: whole rows, or a piece of one. @part's host side is packed,
 * at the slot; *@offset is where it is in the program's memory.
 */
static bool next_part(struct walk *walk, uint64_t host_pitch, bool down,
		      uint64_t slot, struct gd_rect *part, uint64_t *offset)
{
	const struct gd_rect *rect = walk->rect;
	uint64_t pitch = down ? rect->from_pitch : rect->to_pitch;
	uint64_t device = (down ? rect->from : rect->to) + walk->row * pitch +
			  walk->column;
	uint64_t rows = 1, width = rect->width - walk->column;

	if (walk->row == rect->height)
		return false;
	if (width > SLOT_SIZE)
		width = SLOT_SIZE;
	else if (!walk->column)
		rows = SLOT_SIZE / width;
	if (rows > rect->height - walk->row)
		rows = rect->height - walk->row;
	*offset = walk->row * host_pitch + walk->column;
	*part = (struct gd_rect) {
		.to = down ? slot : device,
		.to_pitch = down ? width : pitch,
		.from = down ? device : slot,
		.from_pitch = down ? pitch : width,
		.width = width,
		.height = rows,
	};
	walk->column += width;
	if (walk->column == rect->width) {
		walk->column = 0;
		walk->row += rows;
	}

	return true;
}

static void move_rows(uint8_t *to, uint64_t to_pitch, const uint8_t *from,
		      uint64_t from_pitch, uint64_t width, uint64_t height)
{
	if (to_pitch == width && from_pitch == width) {
		memcpy(to, from, width * height);
		return;
	}
	for (uint64_t row = 0; row < height; row++)
		memcpy(to + row * to_pitch, from + row * from_pitch, width);
}

static int buffers_up(struct gaudi_stream *stream, const struct gd_rect *rect,
		      const uint8_t *memory)
{
	struct gaudi_device *device = stream->device;
	struct walk walk = { .rect = rect };
	struct gd_stage *stage;
	struct gd_rect part;
	uint64_t offset;
	int rc = stage_get(device, &stage);

	if (rc)
		return rc;
	for (unsigned int i = 0; !rc; i = (i + 1) % SLOTS) {
		if (!next_part(&walk, rect->from_pitch, false,
			       stage->address + i * SLOT_SIZE, &part, &offset))
			break;
		rc = gd_wait(device, &stage->busy[i]);
		if (rc)
			break;
		move_rows(stage->memory + i * SLOT_SIZE, part.width,
			  memory + offset, rect->from_pitch, part.width,
			  part.height);
		rc = submit(stream, &part, false, &stage->busy[i]);
	}
	stage_put(device, stage);

	return rc;
}

/* What a slot holds until it is copied to the program. */
struct arrival {
	struct gd_rect part;
	uint64_t offset;
	bool any;
};

static int take_arrival(struct gaudi_device *device, struct gd_stage *stage,
			unsigned int i, struct arrival *arrival,
			uint8_t *memory, uint64_t pitch)
{
	int rc;

	if (!arrival->any)
		return 0;
	arrival->any = false;
	rc = gd_wait(device, &stage->busy[i]);
	if (!rc)
		move_rows(memory + arrival->offset, pitch,
			  stage->memory + i * SLOT_SIZE, arrival->part.width,
			  arrival->part.width, arrival->part.height);

	return rc;
}

static int buffers_down(struct gaudi_stream *stream,
			const struct gd_rect *rect, uint8_t *memory)
{
	struct gaudi_device *device = stream->device;
	struct arrival arrivals[SLOTS] = {};
	struct walk walk = { .rect = rect };
	struct gd_stage *stage;
	unsigned int i = 0;
	int rc = stage_get(device, &stage);

	if (rc)
		return rc;
	/* A slot used for a copy up may still be read. */
	for (; !rc; i = (i + 1) % SLOTS) {
		struct arrival *arrival = &arrivals[i];

		rc = take_arrival(device, stage, i, arrival, memory,
				  rect->to_pitch);
		if (!rc)
			rc = gd_wait(device, &stage->busy[i]);
		if (rc || !next_part(&walk, rect->to_pitch, true,
				     stage->address + i * SLOT_SIZE,
				     &arrival->part, &arrival->offset))
			break;
		rc = submit(stream, &arrival->part, true, &stage->busy[i]);
		arrival->any = !rc;
	}
	for (unsigned int j = 0; !rc && j < SLOTS; j++) {
		unsigned int k = (i + j) % SLOTS;

		rc = take_arrival(device, stage, k, &arrivals[k], memory,
				  rect->to_pitch);
	}
	stage_put(device, stage);

	return rc;
}

/* A part of the program's memory that is pinned for the time of its copy. */
struct pinned {
	uint64_t address;
	struct gd_point busy;
};

static int unpin(struct gaudi_device *device, struct pinned *pinned)
{
	int rc;

	if (!pinned->address)
		return 0;
	rc = gd_wait(device, &pinned->busy);
	hlthunk_memory_unmap(device->fd, pinned->address);
	pinned->address = 0;

	return rc;
}

/*
 * How much of the @left bytes at @at is pinned next. The card waits for the first
 * part to be pinned and the program for the last one to be released: both are
 * short, the time for those between passes while the card copies.
 */
static uint64_t next_pinned(const uint8_t *at, uint64_t left, bool first)
{
	uint64_t bytes = first ? PIN_ALIGN + PIN_ALIGN / 2 : PIN_STEP;

	/* Two parts of so little would take longer than one. */
	if (left <= (first ? PIN_FROM + PIN_ALIGN : PIN_ALIGN + PIN_ALIGN / 2))
		return left;
	/* What is left behind is not less than half a huge page. */
	if (bytes > left - PIN_ALIGN / 2)
		bytes = left - PIN_ALIGN / 2;

	return bytes - (uintptr_t)(at + bytes) % PIN_ALIGN;
}

/*
 * Copy one row, pinned part by part; *@done bytes of it. 1: the rest cannot be
 * pinned.
 */
static int pin_row(struct gaudi_stream *stream, uint64_t device_address,
		   uint8_t *memory, uint64_t size, bool down, uint64_t *done)
{
	struct gaudi_device *device = stream->device;
	struct pinned parts[2] = {};
	int rc = 0, rc2;

	*done = 0;
	for (unsigned int i = 0; !rc && *done < size; i ^= 1) {
		uint8_t *at = memory + *done;
		uint64_t bytes = next_pinned(at, size - *done, !*done);
		struct gd_rect rect = { .height = 1 };

		rc = unpin(device, &parts[i]);
		if (rc)
			break;
		parts[i].address = hlthunk_host_memory_map(device->fd, at, 0,
							   bytes);
		if (!parts[i].address) {
			gd_log(GD_INFO, "cannot pin %llu bytes at %p: %s",
			       (unsigned long long)bytes, (void *)at,
			       gaudi_strerror(gd_errno()));
			rc = 1;
			break;
		}
		rect.width = bytes;
		rect.to = down ? parts[i].address : device_address + *done;
		rect.from = down ? device_address + *done : parts[i].address;
		rc = submit(stream, &rect, down, &parts[i].busy);
		if (!rc)
			*done += bytes;
	}
	for (unsigned int i = 0; i < 2; i++) {
		rc2 = unpin(device, &parts[i]);
		if (rc >= 0 && rc2)
			rc = rc2;
	}

	return rc;
}

static int stage(struct gaudi_stream *stream, const struct gd_rect *rect,
		 uint8_t *memory, bool down)
{
	struct gd_rect rest = *rect;
	uint64_t done;
	int rc;

	if (rect->height == 1 && rect->width >= PIN_FROM) {
		rc = pin_row(stream, down ? rect->from : rect->to, memory,
			     rect->width, down, &done);
		if (rc <= 0)
			return rc;
		rest.width -= done;
		if (down)
			rest.from += done;
		else
			rest.to += done;
		memory += done;
	}

	return down ? buffers_down(stream, &rest, memory) :
		      buffers_up(stream, &rest, memory);
}

int gd_stage_up(struct gaudi_stream *stream, const struct gd_rect *rect,
		const uint8_t *memory)
{
	int rc = gd_may_block(stream->device,
			      "a copy of memory that is not pinned");

	return rc ? rc : stage(stream, rect, (uint8_t *)(uintptr_t)memory,
			       false);
}

int gd_stage_down(struct gaudi_stream *stream, const struct gd_rect *rect,
		  uint8_t *memory)
{
	int rc = gd_may_block(stream->device,
			      "a copy to memory that is not pinned");

	if (!rc)
		rc = stage(stream, rect, memory, true);

	/* What it waited for may have ended without having been done. */
	return rc ? rc : gd_stream_check(stream);
}
