// SPDX-License-Identifier: GPL-2.0-only
/* os.c on the real kernel: error codes, close-on-exec, device numbers. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "../unit.h"
#include "internal.h"

TEST(files)
{
	unsigned int major_nr, minor_nr;
	char buf[4];
	int fd;

	assert_int_equal(hlt_os_open("/nonexistent", O_RDONLY), -ENOENT);
	fd = hlt_os_open("/dev/zero", O_RDWR);
	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	WORKS(hlt_os_devnum(fd, &major_nr, &minor_nr));
	assert_int_equal(major_nr, 1);
	assert_int_equal(minor_nr, 5);
	assert_int_equal(hlt_os_pread(fd, buf, 4, 0), 4);
	assert_int_equal(hlt_os_write(fd, buf, 4), 4);
	assert_int_equal(hlt_os_ioctl(fd, DRM_IOCTL_HL_INFO, buf), -ENOTTY);
	WORKS(hlt_os_close(fd));
	assert_int_equal(hlt_os_close(fd), -EBADF);
	assert_int_equal(hlt_os_pread(fd, buf, 4, 0), -EBADF);
	assert_int_equal(hlt_os_devnum(fd, &major_nr, &minor_nr), -EBADF);
	fd = hlt_os_open("/", O_RDONLY);
	assert_int_equal(hlt_os_devnum(fd, &major_nr, &minor_nr), -ENOTTY);
	hlt_os_close(fd);
}

TEST(links)
{
	char buf[64];

	assert_int_equal(hlt_os_readlink("/proc/self/exe", buf, 2),
			 -ENAMETOOLONG);
	assert_int_equal(hlt_os_readlink("/", buf, sizeof(buf)), -EINVAL);
	assert_int_equal(hlt_os_readlink("/proc/self/cwd", buf, 0),
			 -EINVAL);
}

TEST(events)
{
	uint64_t one = 1, count;
	int fd = hlt_os_eventfd();

	assert_true(fd >= 0);
	assert_int_equal(hlt_os_read(fd, &count, sizeof(count)), -EAGAIN);
	assert_int_equal(hlt_os_poll(fd, 0), 0);
	assert_int_equal(hlt_os_write(fd, &one, sizeof(one)), sizeof(one));
	assert_int_equal(hlt_os_poll(fd, -1), 1);
	assert_int_equal(hlt_os_read(fd, &count, sizeof(count)), sizeof(count));
	assert_int_equal(count, 1);
	hlt_os_close(fd);
	assert_int_equal(hlt_os_poll(fd, 0), -EBADF);
}

TEST(clock_runs)
{
	uint64_t t = hlt_os_now_us();

	hlt_os_sleep_us(2000);
	assert_true(hlt_os_now_us() - t >= 2000);
}

TEST(without_a_card)
{
	char buf[16];
	int fd = hlt_os_open("/dev/null", O_RDWR);

	assert_int_equal(hlthunk_get_pci_bus_id_from_fd(fd, buf, sizeof(buf)),
			 -ENODEV);
	assert_int_equal(hlthunk_get_device_name_from_fd(fd),
			 HLTHUNK_DEVICE_INVALID);
	WORKS(hlthunk_close(fd));
	assert_int_equal(hlthunk_open(HLTHUNK_DEVICE_DONT_CARE, "ff:1f.7"),
			 -ENODEV);
}
