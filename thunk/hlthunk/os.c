// SPDX-License-Identifier: MIT
/*
 * System calls of libhl-thunk, with negative errno instead of errno.
 * No policy here: retries are ioctl.c's, paths are sysfs.c's. Unit tests link
 * their own version of this file. Cards in this process (sim.h) come first.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "internal.h"
#include "sim.h"

/* Whose calls a descriptor takes; NULL: the kernel's. */
static const struct sim_calls *owner(int fd)
{
	const struct sim_calls *sim = sim_calls();

	return sim && sim->owns(fd) ? sim : NULL;
}

int hlt_os_open(const char *path, int flags)
{
	const struct sim_calls *sim = sim_calls();
	int fd;

	if (sim) {
		fd = sim->open(path, flags | O_CLOEXEC);
		/* What is the kernel's is none of a card's. */
		return fd == -EXDEV ? -ENOENT : fd;
	}
	do {
		fd = open(path, flags | O_CLOEXEC);
	} while (fd < 0 && errno == EINTR);

	return fd < 0 ? -errno : fd;
}

/* After EINTR Linux has closed the descriptor all the same: no retry. */
int hlt_os_close(int fd)
{
	const struct sim_calls *sim = owner(fd);

	if (sim)
		return sim->close(fd);

	return close(fd) && errno != EINTR ? -errno : 0;
}

int hlt_os_ioctl(int fd, unsigned long request, void *arg)
{
	const struct sim_calls *sim = sim_calls();
	int rc = sim ? sim->ioctl(fd, request, arg) : -EXDEV;

	if (rc != -EXDEV)
		return rc;

	return ioctl(fd, request, arg) < 0 ? -errno : 0;
}

ssize_t hlt_os_read(int fd, void *buf, size_t size)
{
	const struct sim_calls *sim = owner(fd);
	ssize_t n;

	if (sim)
		return sim->read(fd, buf, size, -1);
	do {
		n = read(fd, buf, size);
	} while (n < 0 && errno == EINTR);

	return n < 0 ? -errno : n;
}

ssize_t hlt_os_pread(int fd, void *buf, size_t size, off_t offset)
{
	const struct sim_calls *sim = owner(fd);
	ssize_t n;

	if (sim)
		return sim->read(fd, buf, size, offset);
	do {
		n = pread(fd, buf, size, offset);
	} while (n < 0 && errno == EINTR);

	return n < 0 ? -errno : n;
}

ssize_t hlt_os_write(int fd, const void *buf, size_t size)
{
	const struct sim_calls *sim = owner(fd);
	ssize_t n;

	if (sim)
		return sim->write(fd, buf, size);
	do {
		n = write(fd, buf, size);
	} while (n < 0 && errno == EINTR);

	return n < 0 ? -errno : n;
}

/* The result is terminated; one that does not fit is -ENAMETOOLONG. */
int hlt_os_readlink(const char *path, char *buf, size_t size)
{
	const struct sim_calls *sim = sim_calls();
	ssize_t n;

	if (sim) {
		n = sim->readlink(path, buf, size);
		return n == -EXDEV ? -ENOENT : n < 0 ? (int)n : 0;
	}
	n = readlink(path, buf, size);
	if (n < 0)
		return -errno;
	if ((size_t)n >= size)
		return -ENAMETOOLONG;
	buf[n] = '\0';

	return 0;
}

int hlt_os_sim(unsigned int cards)
{
	return sim_begin(cards);
}

int hlt_os_devnum(int fd, unsigned int *major_nr, unsigned int *minor_nr)
{
	const struct sim_calls *sim = owner(fd);
	struct stat st;

	if (sim)
		return sim->devnum(fd, major_nr, minor_nr);
	if (fstat(fd, &st))
		return -errno;
	if (!S_ISCHR(st.st_mode))
		return -ENOTTY;
	*major_nr = major(st.st_rdev);
	*minor_nr = minor(st.st_rdev);

	return 0;
}

int hlt_os_eventfd(void)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	return fd < 0 ? -errno : fd;
}

/* 1: readable, 0: time is over */
int hlt_os_poll(int fd, int timeout_ms)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	int n = poll(&pfd, 1, timeout_ms);

	if (n < 0)
		return -errno;
	if (n && (pfd.revents & POLLNVAL))
		return -EBADF;

	return n;
}

uint64_t hlt_os_now_us(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);

	return ts.tv_sec * 1000000ull + ts.tv_nsec / 1000;
}

void hlt_os_sleep_us(unsigned int us)
{
	struct timespec ts = {
		.tv_sec = us / 1000000,
		.tv_nsec = us % 1000000 * 1000l,
	};

	nanosleep(&ts, NULL);
}
