// SPDX-License-Identifier: GPL-2.0-only
/*
 * Proves: when the driver is unbound, what the card could reach is given back
 * at once, even if a process that does not die has the file open still; that
 * process loses its pages of the card, is refused, and can close; and the card
 * works for the next user.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "lib/fixture.h"

#define MIB	(1ul << 20)

/* Pages that are pinned now, in the whole system. */
static long pinned_pages(void)
{
	char line[128];
	long n = 0, v;
	FILE *f;

	/* What a CPU counted a moment ago is not in the sum yet. */
	gt_write_file("/proc/sys/vm/stat_refresh", "1");
	f = fopen("/proc/vmstat", "r");
	if (!f)
		return -1;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "nr_foll_pin_acquired %ld", &v) == 1)
			n += v;
		else if (sscanf(line, "nr_foll_pin_released %ld", &v) == 1)
			n -= v;
	}
	fclose(f);
	return n;
}

static int driver_write(const char *file, const char *pci)
{
	char path[PATH_MAX];
	int fd, ret = 0;

	snprintf(path, sizeof(path), "/sys/bus/pci/drivers/gaudi/%s", file);
	fd = open(path, O_WRONLY);
	if (fd < 0)
		return -errno;
	if (write(fd, pci, strlen(pci)) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

static sigjmp_buf fault_env;

static void on_fault(int sig)
{
	siglongjmp(fault_env, sig);
}

/* The signal that reading p gives; 0: none. */
static int read_faults(const volatile char *p)
{
	int sig;

	signal(SIGBUS, on_fault);
	signal(SIGSEGV, on_fault);
	sig = sigsetjmp(fault_env, 1);
	if (!sig)
		(void)*p;
	signal(SIGBUS, SIG_DFL);
	signal(SIGSEGV, SIG_DFL);
	return sig;
}

/* What the process that stays alive finds: one byte each, 0 is good. */
struct findings {
	unsigned char ioctl, fault, open;
};

static void survivor(int fd, const char *map, int go, int out)
{
	struct hl_info_device_status status;
	struct findings f;
	char c;

	/* The removal kills who opened the card, and that was not us. */
	if (read(go, &c, 1) != 1)
		_exit(1);
	f.ioctl = gt_info(fd, HL_INFO_DEVICE_STATUS, &status,
			  sizeof(status)) != -ENODEV;
	f.fault = read_faults(map) != SIGBUS;
	f.open = open("/dev/accel/accel0", O_RDWR) >= 0;
	if (write(out, &f, sizeof(f)) != sizeof(f))
		_exit(2);
	/* Still open, until the parent has looked. */
	if (read(go, &c, 1) != 1)
		_exit(3);
	close(fd);
	_exit(0);
}

/* Opens the card, maps memory and a CB, forks the survivor, waits to be shot. */
static void opener(int go, int out)
{
	int fd = gt_open();
	struct gt_cb cb, mapped = {};
	union hl_cb_args args = {};
	uint64_t va;
	void *p = gt_alloc(16 * MIB);
	pid_t pid;

	if (fd < 0 || !p || gt_map_host(fd, p, 16 * MIB, &va) ||
	    gt_cb_create(fd, 4096, &cb))
		_exit(1);
	/* VM_DONTCOPY keeps CBs from children: the child maps its own. */
	args.in.op = HL_CB_OP_CREATE;
	args.in.cb_size = 8192;
	args.in.flags = HL_CB_FLAGS_MAP;
	if (gt_ioctl(fd, DRM_IOCTL_HL_CB, &args))
		_exit(2);
	mapped.handle = args.out.cb_handle;
	pid = fork();
	if (pid < 0)
		_exit(3);
	if (!pid) {
		char *map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED,
				 fd, mapped.handle);

		if (map == MAP_FAILED || map[0] || write(out, &pid, 1) != 1)
			_exit(4);
		survivor(fd, map, go, out);
	}
	for (;;)
		pause();
}

FIXTURE(removal) { };
FIXTURE_SETUP(removal) { }
FIXTURE_TEARDOWN(removal) { }

TEST_F_TIMEOUT(removal, file_stays_open, 300)
{
	char link[PATH_MAX], target[PATH_MAX], *pci, c;
	int go[2], out[2], status, ret;
	struct findings f;
	long before;
	ssize_t len;
	pid_t pid;

	len = readlink("/sys/class/accel/accel0/device", link,
		       sizeof(link) - 1);
	if (len < 0)
		SKIP(return, "no Gaudi card");
	link[len] = 0;
	pci = strrchr(link, '/') + 1;
	len = readlink("/sys/class/accel/accel0/device/driver", target,
		       sizeof(target) - 1);
	ASSERT_GT(len, 0);
	target[len] = 0;
	/* The stock driver waits for the process, which is not killed. */
	if (strcmp(strrchr(target, '/') + 1, "gaudi"))
		SKIP(return, "not how this driver is removed");

	/* Once it opens, the last user's pages are given back. */
	ret = gt_open();
	ASSERT_GE(ret, 0);
	close(ret);
	before = pinned_pages();
	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, pipe(out));
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid)
		opener(go[0], out[1]);
	ASSERT_EQ(1, read(out[0], &c, 1));
	EXPECT_GE(pinned_pages() - before, 16 * MIB / 4096);

	ASSERT_EQ(0, driver_write("unbind", pci));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	/* The survivor is there still, and nothing is pinned any more. */
	EXPECT_EQ(before, pinned_pages());
	ASSERT_EQ(1, write(go[1], "x", 1));
	ASSERT_EQ(sizeof(f), read(out[0], &f, sizeof(f)));
	EXPECT_EQ(0, f.ioctl);
	EXPECT_EQ(0, f.fault);
	EXPECT_EQ(0, f.open);

	/* A new device beside the old one's open file. */
	ASSERT_EQ(0, driver_write("bind", pci));
	ret = open("/dev/accel/accel1", O_RDWR);
	ASSERT_GE(ret, 0);
	close(ret);
	ASSERT_EQ(1, write(go[1], "x", 1));
	/* Its last close frees the old device; see that it is over. */
	close(out[1]);
	EXPECT_EQ(0, read(out[0], &c, 1));
	/* So that whoever comes next finds it under its first name. */
	EXPECT_EQ(0, driver_write("unbind", pci));
	EXPECT_EQ(0, driver_write("bind", pci));
	EXPECT_EQ(0, gt_wait_operational(60));
}

TEST_HARNESS_MAIN
