// SPDX-License-Identifier: GPL-2.0-only
/*
 * hl_versions FILE: reads what firmware says of itself, by sysfs and by INFO on
 * the control node, again and again until FILE is there. Then, one line for each
 * different answer; and whether it was asked while the card was in reset.
 *
 * Mainline uAPI only, so it runs on either driver.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <drm/habanalabs_accel.h>

#define SYS "/sys/class/accel/accel0/device/"
#define MAX_ANSWERS 64
/* Each answer was asked for at least so often while the card was in reset. */
#define ENOUGH 100

static const char *const files[] = {
	"armcp_kernel_ver", "cpucp_ver", "fuse_ver", "fw_os_ver", "thermal_ver",
	"uboot_ver",
};

static char answers[MAX_ANSWERS][320];
static unsigned int num_answers;

static void add(const char *name, const char *text)
{
	char line[sizeof(answers[0])];
	unsigned int i;

	snprintf(line, sizeof(line), "%s: %.*s", name,
		 (int)strcspn(text, "\n"), text);
	for (i = 0; i < num_answers; i++)
		if (!strcmp(answers[i], line))
			return;
	if (num_answers < MAX_ANSWERS)
		strcpy(answers[num_answers++], line);
}

static void read_file(const char *name, char *buf, size_t size)
{
	char path[128];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), SYS "%s", name);
	fd = open(path, O_RDONLY);
	n = fd < 0 ? -1 : read(fd, buf, size - 1);
	if (n < 0)
		n = snprintf(buf, size, "error %d", errno);
	buf[n] = 0;
	if (fd >= 0)
		close(fd);
}

static void read_info(int control)
{
	struct hl_info_hw_ip_info hw;
	struct hl_info_args args = {
		.op = HL_INFO_HW_IP_INFO,
		.return_pointer = (uintptr_t)&hw,
		.return_size = sizeof(hw),
	};
	char text[64];

	memset(&hw, 0, sizeof(hw));
	if (ioctl(control, DRM_IOCTL_HL_INFO, &args)) {
		snprintf(text, sizeof(text), "error %d", errno);
		add("INFO", text);
		return;
	}
	add("INFO, version", (char *)hw.cpucp_version);
	add("INFO, name", (char *)hw.card_name);
}

int main(int argc, char **argv)
{
	int control = open("/dev/accel/accel_controlD0", O_RDWR | O_CLOEXEC);
	unsigned int in_reset = 0, i;
	char before[64], after[64], text[512];

	if (argc != 2 || control < 0) {
		fprintf(stderr, argc != 2 ? "usage: hl_versions FILE\n" :
			"hl_versions: no control node\n");
		return 2;
	}
	while (access(argv[1], F_OK)) {
		read_file("status", before, sizeof(before));
		for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
			read_file(files[i], text, sizeof(text));
			add(files[i], text);
		}
		read_info(control);
		read_file("status", after, sizeof(after));
		if (!strcmp(before, "In reset\n") && !strcmp(after, before))
			in_reset++;
	}
	for (i = 0; i < num_answers; i++)
		puts(answers[i]);
	printf("in reset: %s\n", in_reset < ENOUGH ? "not often" : "often");
	return 0;
}
