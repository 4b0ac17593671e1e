// SPDX-License-Identifier: GPL-2.0-only
/*
 * kexec_now KERNEL INITRD: go to that kernel at once, with the command line of
 * this one. Nothing is stopped or unmounted before: drivers' shutdown is all
 * that happens. It returns only if the kernel refuses.
 *
 * kexec_now off: the same, to the end of the machine.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/reboot.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int end(unsigned int how, const char *what)
{
	sync();
	syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2, how,
		NULL);
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	return 1;
}

int main(int argc, char **argv)
{
	int kernel, initrd, fd;
	char line[4096];
	ssize_t n;

	if (argc == 2 && !strcmp(argv[1], "off"))
		return end(LINUX_REBOOT_CMD_POWER_OFF, "power off");
	if (argc != 3) {
		fprintf(stderr, "usage: kexec_now KERNEL INITRD | off\n");
		return 2;
	}
	kernel = open(argv[1], O_RDONLY | O_CLOEXEC);
	initrd = open(argv[2], O_RDONLY | O_CLOEXEC);
	fd = open("/proc/cmdline", O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, line, sizeof(line) - 1);
	if (kernel < 0 || initrd < 0 || n <= 0) {
		perror("kexec_now");
		return 1;
	}
	line[n] = 0;
	line[strcspn(line, "\n")] = 0;
	if (syscall(SYS_kexec_file_load, kernel, initrd, strlen(line) + 1,
		    line, 0)) {
		fprintf(stderr, "kexec_file_load: %s\n", strerror(errno));
		return 1;
	}
	return end(LINUX_REBOOT_CMD_KEXEC, "kexec");
}
