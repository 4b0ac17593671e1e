// SPDX-License-Identifier: MIT
/*
 * The MEMORY ioctl: device memory, mapping of host memory, register blocks,
 * dma-bufs, timestamp arrays. Which device memory is free is the driver's
 * business, or else hbm.c's.
 */
#include <errno.h>
#include <stdint.h>

#include "internal.h"

/* For functions that return an address or a handle. */
static uint64_t fail(int rc)
{
	errno = -rc;

	return 0;
}

/*
 * Mainline's FREE reads its operand as the size to take off its count, because
 * for Gaudi there is no handle.
 */
static int uncount(int fd, uint64_t size)
{
	union hl_mem_args args = { .in.op = HL_MEM_OP_FREE };

	args.in.free.handle = size;

	return hlt_mem(fd, &args);
}

uint64_t hlthunk_device_memory_alloc(int fd, uint64_t size, uint64_t page_size,
				     bool contiguous, bool shared)
{
	union hl_mem_args args = { .in.op = HL_MEM_OP_ALLOC };
	uint64_t addr;
	int rc;

	/* Drivers that do not map device memory do not look. */
	if (page_size & (page_size - 1))
		return fail(-EINVAL);
	args.in.alloc.mem_size = size;
	args.in.alloc.page_size = page_size;
	if (contiguous)
		args.in.flags |= HL_MEM_CONTIGUOUS;
	if (shared)
		args.in.flags |= HL_MEM_SHARED;
	rc = hlt_mem(fd, &args);
	if (rc)
		return fail(rc);
	if (args.out.handle)
		return args.out.handle;

	rc = hlt_hbm_alloc(fd, size, page_size, &addr);
	if (rc) {
		uncount(fd, size);
		return fail(rc);
	}

	return addr;
}

int hlthunk_device_memory_free(int fd, uint64_t handle)
{
	union hl_mem_args args = { .in.op = HL_MEM_OP_FREE };
	uint64_t size;
	int rc;

	rc = hlt_hbm_size(fd, handle, &size);
	if (rc == -EINVAL) {
		/*
		 * Programs that divide Gaudi's memory themselves only have it
		 * counted, by the size at both ends, as mainline takes it; 0
		 * is what mainline gives them for a handle.
		 */
		if (handle && hlt_hbm_free_size(fd, handle))
			return hlt_ret(-EINVAL);
		return uncount(fd, handle);
	}
	if (!rc) {
		rc = uncount(fd, size);
		/* A card in reset counts anew: the range is free all the same. */
		hlt_hbm_free(fd, handle);
		return hlt_ret(rc);
	}

	args.in.free.handle = handle;

	return hlt_mem(fd, &args);
}

static uint64_t map(int fd, union hl_mem_args *args)
{
	int rc;

	args->in.op = HL_MEM_OP_MAP;
	rc = hlt_mem(fd, args);
	if (rc)
		return fail(rc);

	return args->out.device_virt_addr ? args->out.device_virt_addr :
					    fail(-EINVAL);
}

uint64_t hlthunk_device_memory_map(int fd, uint64_t handle, uint64_t hint_addr)
{
	union hl_mem_args args = {};
	uint64_t size;
	int rc;

	rc = hlt_hbm_size(fd, handle, &size);
	if (rc != -ENOENT)
		return rc ? fail(rc) : handle;

	args.in.map_device.handle = handle;
	args.in.map_device.hint_addr = hint_addr;

	return map(fd, &args);
}

uint64_t hlthunk_host_memory_map(int fd, void *host_virt_addr,
				 uint64_t hint_addr, uint64_t host_size)
{
	return hlthunk_host_memory_map_flags(fd, host_virt_addr, hint_addr,
					     host_size, 0);
}

uint64_t hlthunk_host_memory_map_flags(int fd, void *host_virt_addr,
				       uint64_t hint_addr, uint64_t host_size,
				       uint32_t flags)
{
	union hl_mem_args args = {};

	args.in.map_host.host_virt_addr = (uintptr_t)host_virt_addr;
	args.in.map_host.hint_addr = hint_addr;
	args.in.map_host.mem_size = host_size;
	args.in.flags = HL_MEM_USERPTR | flags;

	return map(fd, &args);
}

int hlthunk_memory_unmap(int fd, uint64_t device_virt_addr)
{
	union hl_mem_args args = { .in.op = HL_MEM_OP_UNMAP };
	uint64_t size;

	if (!hlt_hbm_size(fd, device_virt_addr, &size))
		return 0;

	args.in.unmap.device_virt_addr = device_virt_addr;

	return hlt_mem(fd, &args);
}

int hlthunk_device_memory_export_dmabuf_fd(int fd, uint64_t addr,
					   uint64_t size, uint32_t flags)
{
	return hlthunk_device_mapped_memory_export_dmabuf_fd(fd, addr, size, 0,
							     flags);
}

int hlthunk_device_mapped_memory_export_dmabuf_fd(int fd, uint64_t addr,
						  uint64_t size,
						  uint64_t offset,
						  uint32_t flags)
{
	union hl_mem_args args = { .in.op = HL_MEM_OP_EXPORT_DMABUF_FD };
	int rc;

	args.in.export_dmabuf_fd.addr = addr;
	args.in.export_dmabuf_fd.mem_size = size;
	args.in.export_dmabuf_fd.offset = offset;
	args.in.flags = flags;
	rc = hlt_mem(fd, &args);

	return rc ? rc : args.out.fd;
}

int hlthunk_get_hw_block(int fd, uint64_t block_address, uint32_t *block_size,
			 uint64_t *handle)
{
	union hl_mem_args args = { .in.op = HL_MEM_OP_MAP_BLOCK };
	int rc;

	if (!block_size || !handle)
		return hlt_ret(-EINVAL);
	args.in.map_block.block_addr = block_address;
	rc = hlt_mem(fd, &args);
	if (rc)
		return rc;
	*block_size = args.out.block_size;
	*handle = args.out.block_handle;

	return 0;
}

int hlthunk_allocate_timestamp_elements(int fd, uint32_t elements_num,
					uint64_t *handle)
{
	union hl_mem_args args = { .in.op = HL_MEM_OP_TS_ALLOC };
	int rc;

	/* Mainline would ask for no memory at all, with a warning in its log. */
	if (!handle || !elements_num)
		return hlt_ret(-EINVAL);
	args.in.num_of_elements = elements_num;
	rc = hlt_mem(fd, &args);
	if (!rc)
		*handle = args.out.handle;

	return rc;
}

int hlthunk_deprecated_func3(int fd, uint32_t num_elements, uint64_t *handle)
{
	return hlthunk_allocate_timestamp_elements(fd, num_elements, handle);
}
