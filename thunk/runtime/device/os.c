// SPDX-License-Identifier: MIT
/*
 * What libhl-thunk has no function for: the query of gaudi.ko's extensions and its calls
 * for ports, the memory of a command buffer, the driver's timeout, time. Unit tests link
 * their own version. Cards in this process (sim.h) come first.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>

#include "drm/gaudi_accel.h"
#include "drm/gaudi_nic.h"
#include "device.h"
#include "sim.h"

/* Both drivers' parameter; that it stands for more if left alone is not relied on. */
#define DEFAULT_TIMEOUT_S	30

/* 0 or -errno. */
static int call(int fd, unsigned long request, void *arg)
{
	const struct sim_calls *sim = sim_calls();
	int rc = sim ? sim->ioctl(fd, request, arg) : -EXDEV;

	if (rc != -EXDEV)
		return rc;
	do {
		rc = ioctl(fd, request, arg);
	} while (rc < 0 && errno == EINTR);

	return rc < 0 ? -errno : 0;
}

void gd_os_opened(int fd)
{
	const struct sim_calls *sim;

	/* libhl-thunk may have begun it. */
	sim_follow();
	sim = sim_calls();
	if (sim && sim->owns(fd))
		sim->private(fd);
}

int gd_os_query(int fd, uint32_t id, uint64_t *value)
{
	struct drm_gaudi_query query = { .id = id };
	int rc = call(fd, DRM_IOCTL_GAUDI_QUERY, &query);

	if (!rc)
		*value = query.value;

	return rc;
}

int gd_os_nic(int fd, uint32_t op, const void *in, uint32_t in_size, void *out,
	      uint32_t out_size)
{
	struct drm_gaudi_nic args = {
		.in_ptr = (uintptr_t)in,
		.out_ptr = (uintptr_t)out,
		.in_size = in_size,
		.out_size = out_size,
		.op = op,
	};

	return call(fd, DRM_IOCTL_GAUDI_NIC, &args);
}

void *gd_os_map_cb(int fd, uint64_t handle, size_t size)
{
	const struct sim_calls *sim = sim_calls();
	void *memory = (sim && sim->owns(fd) ? sim->mmap : mmap)(NULL, size,
			PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)handle);

	return memory == MAP_FAILED ? NULL : memory;
}

void gd_os_unmap_cb(void *memory, size_t size)
{
	const struct sim_calls *sim = sim_calls();

	if (sim)
		sim->munmap(memory, size);
	else
		munmap(memory, size);
}

uint32_t gd_os_timeout_s(bool extended)
{
	FILE *f = fopen(extended ? "/sys/module/gaudi/parameters/timeout_locked" :
			"/sys/module/habanalabs/parameters/timeout_locked",
			"re");
	unsigned int seconds = DEFAULT_TIMEOUT_S;

	/* A driver may be built in, without parameters that are shown. */
	if (f) {
		if (fscanf(f, "%u", &seconds) != 1)
			seconds = DEFAULT_TIMEOUT_S;
		fclose(f);
	}

	return seconds;
}

uint64_t gd_os_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);

	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

void gd_os_sleep_ms(unsigned int ms)
{
	struct timespec ts = {
		.tv_sec = ms / 1000,
		.tv_nsec = ms % 1000 * 1000000l,
	};

	nanosleep(&ts, NULL);
}
