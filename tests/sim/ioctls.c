// SPDX-License-Identifier: GPL-2.0-only
/*
 * Calls that no program makes, of each ioctl of the nodes, on a card in the process. What
 * they answer does not matter: that nothing of the library is hurt does, which
 * AddressSanitizer sees, and that the card works at the end. GAUDI_SIM=2.
 *
 *	ioctls CALLS [SEED]
 *
 * A part of the calls is made by a process of its own: a reset of the card ends it, as the
 * driver does, and that is right.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <drm/habanalabs_accel.h>

#include "../../sim/gaudi_sim.h"
#include "../../uapi/drm/gaudi_accel.h"
#include "../../uapi/drm/gaudi_nic.h"

#define PART		20000u
#define AREA		65536u
#define NUM_KNOWN	16u

static uint64_t state;
static uint8_t *area;			/* of this process, for arguments */
static uint64_t known[NUM_KNOWN];	/* what calls have returned */

static uint64_t chance(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * 0x2545f4914f6cdd1dull;
}

static const struct { unsigned long request; unsigned int words; } calls[] = {
	{ DRM_IOCTL_HL_INFO, sizeof(struct hl_info_args) / 8 },
	{ DRM_IOCTL_HL_CB, sizeof(union hl_cb_args) / 8 },
	{ DRM_IOCTL_HL_CS, sizeof(union hl_cs_args) / 8 },
	{ DRM_IOCTL_HL_WAIT_CS, sizeof(union hl_wait_cs_args) / 8 },
	{ DRM_IOCTL_HL_MEMORY, sizeof(union hl_mem_args) / 8 },
	{ DRM_IOCTL_HL_DEBUG, sizeof(struct hl_debug_args) / 8 },
	{ DRM_IOCTL_GAUDI_QUERY, sizeof(struct drm_gaudi_query) / 8 },
	{ DRM_IOCTL_GAUDI_CS, sizeof(struct drm_gaudi_cs) / 8 },
	{ DRM_IOCTL_GAUDI_IMPORT, sizeof(struct drm_gaudi_import) / 8 },
	{ DRM_IOCTL_GAUDI_NIC, sizeof(struct drm_gaudi_nic) / 8 },
};

#define NUM_CALLS	(sizeof(calls) / sizeof(calls[0]))

/* Mostly what might be believed: small numbers, pointers, handles. */
static uint64_t word(void)
{
	uint64_t r = chance();

	switch (r % 8) {
	case 0:
		return r >> 8;
	case 1:
		return (uintptr_t)area + (r >> 8) % AREA;
	case 2:
	case 3:
		return known[(r >> 8) % NUM_KNOWN];
	case 4:
		return 1ull << (r >> 8) % 64;
	case 5:
		return (r >> 8) % 16 << 32 | (r >> 40) % 16;
	case 6:
		return 4096 * ((r >> 8) % 32);
	default:
		return (r >> 8) % 20;
	}
}

static void one_call(int fd)
{
	unsigned int which = chance() % NUM_CALLS, i;
	uint64_t args[64] = { 0 };

	for (i = 0; i < calls[which].words; i++)
		args[i] = chance() % 3 ? word() : 0;
	/* Waiting is for others: the time is the second word. */
	if (calls[which].request == DRM_IOCTL_HL_WAIT_CS)
		args[1] = chance() % 50;
	for (i = 0; i < 4; i++)
		memcpy(area + chance() % (AREA - 8) / 8 * 8,
		       &(uint64_t){ word() }, 8);
	if (!gaudi_sim_ioctl(fd, calls[which].request, args))
		known[chance() % NUM_KNOWN] = args[chance() % 4];
}

static void map_something(int fd)
{
	size_t size = 4096 * (1 + chance() % 4);
	void *at = gaudi_sim_mmap(NULL, size, PROT_READ | PROT_WRITE,
				  MAP_SHARED, fd,
				  (off_t)(known[chance() % NUM_KNOWN] &
					  ~4095ull));

	/* What is left of it would keep the card. */
	if (at != MAP_FAILED) {
		memset(at, (int)chance(), 4096);
		gaudi_sim_munmap(at, 4096);
		gaudi_sim_munmap(at, size);
	}
}

static int card(void)
{
	return gaudi_sim_open("/dev/accel/accel0", O_RDWR | O_CLOEXEC);
}

/* 0; 1: the card does not work. */
static int part(unsigned long num)
{
	struct hl_info_device_status status = { 0 };
	struct hl_info_args args = {
		.op = HL_INFO_DEVICE_STATUS,
		.return_pointer = (uintptr_t)&status,
		.return_size = sizeof(status),
	};
	unsigned long i;
	int fd = card();

	for (i = 0; i < num && fd >= 0; i++) {
		one_call(fd);
		if (!(chance() % 64))
			map_something(fd);
		if (!(chance() % 2048)) {
			gaudi_sim_close(fd);
			fd = card();
		}
	}
	if (fd < 0 || gaudi_sim_ioctl(fd, DRM_IOCTL_HL_INFO, &args)) {
		fprintf(stderr, "ioctls: no card after %lu calls: %d\n", i, fd);
		return 1;
	}
	return gaudi_sim_close(fd) ? 1 : 0;
}

int main(int argc, char **argv)
{
	unsigned long all = argc > 1 ? strtoul(argv[1], NULL, 0) : 10 * PART, n;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	unsigned int resets = 0;
	int status;

	area = mmap(NULL, AREA, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (n = 0; n < all; n += PART, seed++) {
		pid_t child = fork();

		if (!child) {
			state = seed * 0x9e3779b97f4a7c15ull;
			_exit(part(PART));
		}
		if (waitpid(child, &status, 0) != child)
			return 1;
		if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
			resets++;
		} else if (status) {
			printf("not ok 1 - calls of seed %llu: status %#x\n",
			       (unsigned long long)seed, status);
			return 1;
		}
	}
	printf("ok 1 - %lu calls, %u resets\n", n, resets);
	return 0;
}
