// SPDX-License-Identifier: MIT
/*
 * The DEBUG ioctl, and access to registers and device memory by debugfs.
 *
 * Since 6.8 the directory has the card's PCI address for a name (sysfs
 * parent_device says it); older drivers used the index.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

int hlthunk_debug(int fd, struct hl_debug_args *debug)
{
	return debug ? hlt_debug(fd, debug) : hlt_ret(-EINVAL);
}

static int open_file(const char *dir, const char *file)
{
	char path[HLT_PATH_MAX];
	int len;

	len = snprintf(path, sizeof(path), "/sys/kernel/debug/accel/%s/%s",
		       dir, file);
	if (len < 0 || (size_t)len >= sizeof(path))
		return -ENAMETOOLONG;

	return hlt_os_open(path, O_RDWR);
}

static int open_addr(int index, char *dir, size_t size)
{
	int fd;

	if (hlt_card_attr(index, "parent_device", dir, size))
		hlt_card_busid(index, dir, size);
	fd = open_file(dir, "addr");
	if (fd != -ENOENT)
		return fd;
	snprintf(dir, size, "%d", index);

	return open_file(dir, "addr");
}

int hlthunk_debugfs_open(int fd, struct hlthunk_debugfs *debugfs)
{
	char dir[64] = "";
	int addr_fd, data_fd;
	int index;

	if (!debugfs)
		return hlt_ret(-EINVAL);
	index = hlt_card_from_fd(fd);
	if (index < 0)
		return hlt_ret(index);
	addr_fd = open_addr(index, dir, sizeof(dir));
	if (addr_fd < 0)
		return hlt_ret(addr_fd);
	data_fd = open_file(dir, "data32");
	if (data_fd < 0) {
		hlt_os_close(addr_fd);
		return hlt_ret(data_fd);
	}

	memset(debugfs, 0, sizeof(*debugfs));
	debugfs->addr_fd = addr_fd;
	debugfs->data_fd = data_fd;
	debugfs->clk_gate_fd = -1;

	return 0;
}

static int write_hex(int fd, uint64_t val)
{
	char text[24];
	int len = snprintf(text, sizeof(text), "0x%llx",
			   (unsigned long long)val);
	ssize_t n = hlt_os_write(fd, text, (size_t)len);

	if (n < 0)
		return (int)n;

	return n == len ? 0 : -EIO;
}

int hlthunk_debugfs_read(struct hlthunk_debugfs *debugfs,
			 uint64_t full_address, uint32_t *val)
{
	unsigned long long n;
	char text[32], *end;
	ssize_t len;
	int rc;

	if (!debugfs || !val)
		return hlt_ret(-EINVAL);
	rc = write_hex(debugfs->addr_fd, full_address);
	if (rc)
		return hlt_ret(rc);
	len = hlt_os_pread(debugfs->data_fd, text, sizeof(text) - 1, 0);
	if (len < 0)
		return hlt_ret((int)len);
	text[len] = '\0';
	errno = 0;
	n = strtoull(text, &end, 16);
	if (errno || end == text || n > UINT32_MAX)
		return hlt_ret(-EPROTO);
	*val = (uint32_t)n;

	return 0;
}

int hlthunk_debugfs_write(struct hlthunk_debugfs *debugfs,
			  uint64_t full_address, uint32_t val)
{
	int rc;

	if (!debugfs)
		return hlt_ret(-EINVAL);
	rc = write_hex(debugfs->addr_fd, full_address);

	return hlt_ret(rc ? rc : write_hex(debugfs->data_fd, val));
}

int hlthunk_debugfs_close(struct hlthunk_debugfs *debugfs)
{
	int rc1, rc2;

	if (!debugfs)
		return hlt_ret(-EINVAL);
	rc1 = hlt_os_close(debugfs->addr_fd);
	rc2 = hlt_os_close(debugfs->data_fd);
	debugfs->addr_fd = -1;
	debugfs->data_fd = -1;

	return hlt_ret(rc1 ? rc1 : rc2);
}
