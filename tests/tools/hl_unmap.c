// SPDX-License-Identifier: GPL-2.0-only
/*
 * hl_unmap COMMAND: maps host memory, runs COMMAND in a shell, and says how
 * unmapping the memory then ends.
 *
 * Mainline uAPI only, so it runs on either driver.
 */
#define _GNU_SOURCE	/* strerrorname_np() */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include <drm/habanalabs_accel.h>

#define LEN 8192

int main(int argc, char **argv)
{
	int card = open("/dev/accel/accel0", O_RDWR | O_CLOEXEC);
	void *p = mmap(NULL, LEN, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	union hl_mem_args args = { .in = {
		.op = HL_MEM_OP_MAP,
		.flags = HL_MEM_USERPTR,
		.map_host = { .host_virt_addr = (uintptr_t)p,
			      .mem_size = LEN },
	} };
	uint64_t va;
	int ret;

	if (argc != 2) {
		fprintf(stderr, "usage: hl_unmap COMMAND\n");
		return 2;
	}
	if (card < 0 || p == MAP_FAILED ||
	    ioctl(card, DRM_IOCTL_HL_MEMORY, &args)) {
		perror("hl_unmap: no mapping");
		return 1;
	}
	va = args.out.device_virt_addr;
	if (system(argv[1])) {
		fprintf(stderr, "hl_unmap: the command failed\n");
		return 1;
	}
	memset(&args, 0, sizeof(args));
	args.in.op = HL_MEM_OP_UNMAP;
	args.in.unmap.device_virt_addr = va;
	ret = ioctl(card, DRM_IOCTL_HL_MEMORY, &args);
	printf("unmap: %s\n", ret ? strerrorname_np(errno) : "done");
	return 0;
}
