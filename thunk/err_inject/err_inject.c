// SPDX-License-Identifier: MIT
/*
 * libhl-thunk-err_injection. Stands on libhl-thunk's public functions only.
 */
#include <errno.h>
#include <sys/mman.h>

#include "hlthunk.h"
#include "hlthunk_err_inject.h"
#include "packets.h"

#define CB_SIZE	4096u
/* Counter 2 is the driver's; nothing in this library's reach raises 3. */
#define FENCE	3

static int write_fence(int fd, uint64_t handle, uint32_t *size)
{
	struct pkt_buf pb;
	void *cb;

	cb = mmap(NULL, CB_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		  (off_t)handle);
	if (cb == MAP_FAILED)
		return -errno;
	pkt_init(&pb, cb, CB_SIZE);
	pkt_fence(&pb, FENCE, 1, 1, 0);
	*size = (uint32_t)pb.used;
	munmap(cb, CB_SIZE);

	return 0;
}

int hlthunk_err_inject_endless_command(int fd)
{
	struct hl_cs_chunk chunk = { .queue_index = GAUDI_QUEUE_ID_DMA_0_3 };
	struct hlthunk_cs_in in = {
		.chunks_execute = &chunk,
		.num_chunks_execute = 1,
	};
	struct hlthunk_cs_out out;
	uint64_t handle;
	uint32_t size = 0;
	int rc;

	rc = hlthunk_request_command_buffer(fd, CB_SIZE, &handle);
	if (rc)
		return rc;
	rc = write_fence(fd, handle, &size);
	if (!rc) {
		chunk.cb_handle = handle;
		chunk.cb_size = size;
		rc = hlthunk_command_submission(fd, &in, &out);
	}
	/* The submission holds on to it. */
	hlthunk_destroy_command_buffer(fd, handle);

	return rc;
}

int hlthunk_err_inject_non_fatal_event(int fd, int *event_num)
{
	(void)fd;
	(void)event_num;

	return -ENOTSUP;
}

int hlthunk_err_inject_fatal_event(int fd, int *event_num)
{
	(void)fd;
	(void)event_num;

	return -ENOTSUP;
}

int hlthunk_err_inject_loss_of_heartbeat(int fd)
{
	(void)fd;

	return -ENOTSUP;
}

int hlthunk_err_inject_thermal_event(int fd)
{
	(void)fd;

	return -ENOTSUP;
}

int hlthunk_err_eject_thermal_event(int fd)
{
	(void)fd;

	return -ENOTSUP;
}
